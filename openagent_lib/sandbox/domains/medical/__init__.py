"""The words of the medical world, one module for each kind."""
