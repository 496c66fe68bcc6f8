"""The project's one exception family.

Every message is one line: what was expected, what was found, and the command or change that fixes it.
"""

import difflib
from collections.abc import Iterable


class OpenAgentError(Exception):
    """Base class of every error that this project raises on purpose."""


class ConfigError(OpenAgentError):
    """A setting, profile, recipe or parameter is not one of those that exist."""


class DataError(OpenAgentError):
    """A task, row or artefact file is missing or does not hold what it should."""


class ToolFailure(OpenAgentError):
    """A tool received well-formed arguments that it cannot serve; its text is shown to the agent."""


class CheckpointError(OpenAgentError):
    """A checkpoint or a model folder is missing, corrupt or belongs to other settings."""


class PipelineError(OpenAgentError):
    """A notebook stage could not be run to a proven end."""


def unknown_name(kind: str, found: str, known: Iterable[str]) -> ConfigError:
    """Return the error for a misspelt name, with the nearest known one.

    Args:
        kind: What the name stands for, for example `profile`.
        found: The name that was given.
        known: All names that exist.
    """
    names = sorted(known)
    near = difflib.get_close_matches(found, names, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return ConfigError(f"unknown {kind} {found!r}: expected one of {', '.join(names)}{hint}")
