"""Sentences with choices: `[Could|Can] you tell me the {attribute}?` stands for several surface forms."""

import re
from collections.abc import Mapping
from itertools import product
from random import Random

_CHOICE = re.compile(r"\[([^\[\]]*)\]")


def forms(template: str) -> list[str]:
    """Return every surface form of a template, slots unfilled, in a fixed order.

    Args:
        template: Text in which `[a|b|]` stands for one of its parts, an empty one allowed, and `{slot}` for a slot.
    """
    pieces = _CHOICE.split(template)
    choices = [piece.split("|") if index % 2 else [piece] for index, piece in enumerate(pieces)]
    return [_tidy("".join(parts)) for parts in product(*choices)]


def draw_form(template: str, random: Random) -> str:
    """Return one surface form of a template, slots unfilled."""
    return _tidy(_CHOICE.sub(lambda found: random.choice(found[1].split("|")), template))


def fill(form: str, slots: Mapping[str, str]) -> str:
    """Return a surface form with its slots filled and its first letter in upper case."""
    text = form.format_map(slots)
    return text[:1].upper() + text[1:]


def _tidy(text: str) -> str:
    text = re.sub(r" {2,}", " ", text).strip()
    return re.sub(r" ([,.?!;:])", r"\1", text)
