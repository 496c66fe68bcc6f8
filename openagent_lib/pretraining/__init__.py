"""Pre-training of the miniature backbone: corpus, tokenizer, initialisation, loop and scores."""
