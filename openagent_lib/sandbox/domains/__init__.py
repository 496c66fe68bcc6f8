"""The domains of the sandbox, one module each."""
