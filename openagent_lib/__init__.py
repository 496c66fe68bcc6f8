"""OpenAgent Companion: tool-using agents in a closed world, under shifts, and what training does to them."""

__version__ = "0.1.0"
