"""All shifts by name, in the paper's order of tiers."""

from openagent_lib.errors import unknown_name
from openagent_lib.shifts.interaction import (
    ERROR_MESSAGE,
    FORMAT_SHIFT,
    NULL_MESSAGE,
    TOOL_REDIRECTION,
    VALUE_REDIRECTION,
)
from openagent_lib.shifts.internalization import DOMAIN_TRANSFER, FATAL_ERROR, MISSING_CONDITION
from openagent_lib.shifts.perception_query import INFORMATION_REDUNDANCY, INSTRUCTION_BLURRING
from openagent_lib.shifts.perception_requirement import DISTRACTOR_TOOLS, SCHEMA_ADAPTABILITY, VERIFICATION_CODE
from openagent_lib.shifts.perception_tool import IDENTITY_ERASURE, SEMANTIC_TRAP, SYMBOLIC_DRIFT, TOOL_NAME_NOISE
from openagent_lib.shifts.reasoning import LOGIC_INVERSION, RULE_REASONING, TRACE_SIMPLIFICATION
from openagent_lib.shifts.shift import Shift

SHIFTS: dict[str, Shift] = {
    shift.name: shift
    for shift in (
        INSTRUCTION_BLURRING,
        INFORMATION_REDUNDANCY,
        SCHEMA_ADAPTABILITY,
        SYMBOLIC_DRIFT,
        SEMANTIC_TRAP,
        IDENTITY_ERASURE,
        DISTRACTOR_TOOLS,
        TOOL_NAME_NOISE,
        VERIFICATION_CODE,
        FORMAT_SHIFT,
        ERROR_MESSAGE,
        NULL_MESSAGE,
        VALUE_REDIRECTION,
        TOOL_REDIRECTION,
        TRACE_SIMPLIFICATION,
        LOGIC_INVERSION,
        RULE_REASONING,
        MISSING_CONDITION,
        FATAL_ERROR,
        DOMAIN_TRANSFER,
    )
}


def get_shift(name: str) -> Shift:
    """Return a shift by its `tier.kind`.

    Raises:
        ConfigError: No shift has this name.
    """
    if name not in SHIFTS:
        raise unknown_name("shift", name, SHIFTS)
    return SHIFTS[name]
