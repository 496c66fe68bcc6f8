"""Randomness that depends on what is drawn and never on the order in which it is drawn."""

import hashlib
import random


def seed_of(*parts: object) -> int:
    """Return a 63-bit seed made by hashing the parts, equal on every machine and Python version."""
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:8], "big") >> 1


def rng(*parts: object) -> random.Random:
    """Return an independent generator for the thing that the parts name.

    Example: `rng(run_seed, task_id, shift_name)`.
    """
    return random.Random(seed_of(*parts))
