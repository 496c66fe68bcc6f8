"""What a domain has to offer: functions over its entities."""

from collections.abc import Mapping
from typing import Protocol


class Domain(Protocol):
    """A world that tools act on; deterministic and without state that a call could change."""

    name: str

    def run(self, function: str, arguments: Mapping[str, str], factor: float | None = None) -> str:
        """Run a hidden function on arguments keyed by slot.

        Args:
            function: Name of the function, as in `Tool.function`.
            arguments: Values by slot.
            factor: Factor of the tool's multiplicative rule, where it has one.

        Returns:
            The value, as text.

        Raises:
            ToolFailure: The arguments name nothing that exists, or are not of the form that the function needs.
        """
        ...


def format_number(number: float) -> str:
    """Return a number with at most two decimals and without trailing zeros."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
