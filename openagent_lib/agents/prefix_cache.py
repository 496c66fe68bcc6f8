"""Prefix caching: of a prompt whose beginning a model has just read, it reads the rest only.

An episode's prompt is the one before with a reply at its end.
"""

from bisect import bisect, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from transformers import Cache


@dataclass(frozen=True, order=True)
class ReadTokens:
    """What a model holds of one row of tokens.

    Attributes:
        ids: The tokens.
        states: Keys and values of every layer, each heads x tokens x width.
    """

    ids: list[int]
    states: list[tuple["torch.Tensor", "torch.Tensor"]] = field(compare=False)


class PrefixCache:
    """What a model has read in its last call; worth nothing once its weights have changed."""

    def __init__(self) -> None:
        """Start with nothing read."""
        self._read: list[ReadTokens] = []
        self._fresh: list[ReadTokens] = []

    def turn_over(self) -> None:
        """Forget what was read before the call that ends here."""
        self._read, self._fresh = self._fresh, []

    def match(self, prompt: Sequence[int]) -> tuple[ReadTokens | None, int]:
        """Return what has been read of a prompt, and how many of its tokens, at least one less than it has."""
        # The longest common prefix is with a neighbour in lexical order.
        place = bisect(self._read, list(prompt), key=lambda read: read.ids)
        lengths = [(_common(read.ids, prompt), read) for read in self._read[max(0, place - 1) : place + 1]]
        length, read = max(lengths, key=lambda pair: pair[0], default=(0, None))
        return read, min(length, len(prompt) - 1)

    def remember(self, rows: Sequence[Sequence[int]], mask: "torch.Tensor", cache: "Cache") -> None:
        """Keep what a model holds after a generation.

        Args:
            rows: The tokens of every row, perhaps some more than the model has read.
            mask: Which places of the cache hold tokens, rows x places; the others are padding.
            cache: The keys and values. Anything but plain attention is not kept.
        """
        from transformers.cache_utils import DynamicLayer

        if any(type(layer) is not DynamicLayer for layer in cache.layers):
            return
        for number, row in enumerate(rows):
            places = mask[number].nonzero()[:, 0]
            states = [
                (layer.keys[number].index_select(1, places), layer.values[number].index_select(1, places))
                for layer in cache.layers
            ]
            insort(self._fresh, ReadTokens(list(row[: len(places)]), states))


def joined(matches: Sequence[tuple[ReadTokens | None, int]]) -> "Cache | None":
    """Return the cache of a batch, every row filled up on the left; None where nothing has been read.

    Args:
        matches: What has been read of every row, and how many tokens of it count.
    """
    from transformers import DynamicCache

    longest = max(length for _, length in matches)
    if not longest:
        return None
    cache = DynamicCache()
    some = next(read for read, length in matches if length)
    for number, layer in enumerate(some.states):
        batch = []
        for kind, sample in enumerate(layer):
            heads, _, width = sample.shape
            rows = sample.new_zeros(len(matches), heads, longest, width)
            for row, (read, length) in zip(rows, matches, strict=True):
                if length:
                    row[:, longest - length :] = read.states[number][kind][:, :length]
            batch.append(rows)
        cache.update(*batch, number)
    return cache


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    for number, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return number
    return min(len(first), len(second))
