"""Who acts: scripted policies and language models."""
