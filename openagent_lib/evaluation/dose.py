"""Dose and response: the same tasks under growing strength of a shift."""

from collections.abc import Sequence

from openagent_lib.agents.agent import Agent
from openagent_lib.evaluation.rollout import episodes
from openagent_lib.sandbox.task import Task
from openagent_lib.shifts.shift import Shift

STRENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0)


def dose_response(
    agent: Agent,
    tasks: Sequence[Task],
    shifts: Sequence[Shift],
    strengths: Sequence[float] = STRENGTHS,
    seed: int = 0,
) -> list[dict]:
    """Play clean tasks under each shift at each strength, and return the records.

    Args:
        agent: Who acts.
        tasks: Clean tasks; a shift is played on those that it applies to.
        shifts: The shifts.
        strengths: From 0 to 1. Strength 0 is the clean task itself and is played once for all shifts.
        seed: Run seed.

    Assumption: five equal steps; the paper was not seen to scale its shifts.
    """
    played = list(tasks) if 0 in strengths else []
    for shift in shifts:
        suitable = [task for task in tasks if shift.applies_to(task)]
        played += [shift.apply(task, strength, seed) for strength in strengths if strength for task in suitable]
    return episodes(agent, played, seed)
