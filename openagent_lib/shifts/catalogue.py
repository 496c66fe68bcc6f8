"""All shifts by name, in the paper's order of tiers."""

from openagent_lib.errors import unknown_name
from openagent_lib.sandbox.task import Task
from openagent_lib.shifts.interaction import ERROR_MESSAGE
from openagent_lib.shifts.internalization import FATAL_ERROR, MISSING_CONDITION
from openagent_lib.shifts.perception import IDENTITY_ERASURE, SYMBOLIC_DRIFT
from openagent_lib.shifts.reasoning import LOGIC_INVERSION
from openagent_lib.shifts.shift import Shift

SHIFTS: dict[str, Shift] = {
    shift.name: shift
    for shift in (SYMBOLIC_DRIFT, IDENTITY_ERASURE, ERROR_MESSAGE, LOGIC_INVERSION, MISSING_CONDITION, FATAL_ERROR)
}


def get_shift(name: str) -> Shift:
    """Return a shift by its `tier.kind`.

    Raises:
        ConfigError: No shift has this name.
    """
    if name not in SHIFTS:
        raise unknown_name("shift", name, SHIFTS)
    return SHIFTS[name]


def shifted_twins(tasks: list[Task], shift: Shift, count: int, seed: int = 0, pool: str = "test") -> list[Task]:
    """Return the twins, at strength 1, of the first `count` tasks that the shift applies to."""
    suitable = [task for task in tasks if shift.applies_to(task)][:count]
    return [shift.apply(task, 1.0, seed, pool) for task in suitable]
