"""How the chain runs: stages, receipts, staleness and the strict notebook runner."""
