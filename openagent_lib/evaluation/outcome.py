"""How an episode is judged."""

from openagent_lib.sandbox.environment import Environment
from openagent_lib.sandbox.protocol import answers_match

OUTCOMES = ("correct", "wrong", "refused", "malformed", "exhausted", "error")


def outcome_of(environment: Environment) -> str:
    """Return the outcome of a finished episode: exactly one of `OUTCOMES`.

    `error` is never returned here: it stands for a fault of the infrastructure, which the roll-out notes.

    Raises:
        RuntimeError: The episode is not over.
    """
    if not environment.is_done:
        raise RuntimeError("the episode is not over: step the environment until is_done")
    if environment.ending != "answered":
        return environment.ending
    gold = environment.task.gold_answer
    return "correct" if gold is not None and answers_match(environment.answer, gold) else "wrong"


def is_success(environment: Environment, outcome: str) -> bool:
    """Tell whether the outcome is the right one: `correct` for solvable tasks, `refused` for the others."""
    return outcome == ("correct" if environment.task.is_solvable else "refused")


def event_counts(environment: Environment) -> dict[str, int]:
    """Return the counts of an episode's record: calls, invalid calls, anomalies, and anomalies explored.

    An anomalous observation is *explored* when a valid call follows it, repeated or changed.
    Assumption: the paper names the Active Exploration Score, its formula was not seen.
    """
    events = environment.events
    anomalies = [index for index, event in enumerate(events) if event.anomalous]
    explored = [index for index in anomalies if any(later.error is None for later in events[index + 1 : index + 2])]
    return {
        "n_calls": len(events),
        "n_tool_errors": sum(event.error is not None for event in events),
        "n_anomalies": len(anomalies),
        "n_explored": len(explored),
    }
