"""Tier I, perception, what a call must look like and what is offered beside. Paper: section 4.2, Figure 3."""

from dataclasses import replace
from random import Random

from openagent_lib.sandbox.domain import DecoyText
from openagent_lib.sandbox.domains.registry import get_domain
from openagent_lib.sandbox.task import Task
from openagent_lib.sandbox.tool import Parameter, Tool
from openagent_lib.sandbox.world import draw_pattern
from openagent_lib.shifts.patterns.tools import CALL_KEYS, CODE_PATTERNS, FOREIGN_TOOLS, PARAMETER_KEYS
from openagent_lib.shifts.shift import Shift, chosen_tools, inserted, share

MOST_DISTRACTORS = 8


def _change_keys(task: Task, strength: float, random: Random, pool: str) -> Task:
    chosen = {tool.function for tool in chosen_tools(task, strength, random)}
    tools = tuple(_with_new_keys(tool, random, pool) if tool.function in chosen else tool for tool in task.tools)
    return task.with_shift(SCHEMA_ADAPTABILITY.name, strength, tools=tools, call_key=random.choice(CALL_KEYS[pool]))


def _with_new_keys(tool: Tool, random: Random, pool: str) -> Tool:
    parameters = [
        Parameter(random.choice(PARAMETER_KEYS[parameter.slot][pool]), parameter.slot) for parameter in tool.parameters
    ]
    return replace(tool, parameters=tuple(parameters))


def _key_patterns(pool: str) -> tuple[str, ...]:
    return (*CALL_KEYS[pool], *(key for pools in PARAMETER_KEYS.values() for key in pools[pool]))


def _change_codes(task: Task, strength: float, random: Random, pool: str) -> Task:
    chosen = {tool.function for tool in chosen_tools(task, strength, random)}
    tools = [
        replace(tool, code=draw_pattern(random.choice(CODE_PATTERNS[pool]), random))
        if tool.function in chosen
        else tool
        for tool in task.tools
    ]
    return task.with_shift(VERIFICATION_CODE.name, strength, tools=tuple(tools))


def _distract(task: Task, strength: float, random: Random, pool: str) -> Task:
    count = share(MOST_DISTRACTORS, strength)
    near = random.sample(get_domain(task.domain).decoys[pool], (count + 1) // 2)
    texts = near + random.sample(FOREIGN_TOOLS[pool], count // 2)
    new = [_distractor(text, random) for text in texts]
    return task.with_shift(DISTRACTOR_TOOLS.name, strength, tools=inserted(task.tools, new, random))


def _distractor(text: DecoyText, random: Random) -> Tool:
    """Return a tool that gives a meaningless value whatever it is asked."""
    parameters = (Parameter(text.key, text.key),)
    return Tool(
        text.name, text.description, parameters, f"decoy_{text.name}", fixed_value=draw_pattern("@@###", random)
    )


def _distractor_patterns(pool: str) -> tuple[str, ...]:
    return tuple(text.name for text in (*FOREIGN_TOOLS[pool], *get_domain("poi").decoys[pool]))


SCHEMA_ADAPTABILITY = Shift(
    tier="perception",
    kind="schema_adaptability",
    dimension="dA",
    is_solvable=True,
    metric="accuracy",
    definition="The keys of a call change: `args` in place of `arguments`, as the prompt says, and the argument names "
    "in the tools' schemas. Paper: Figure 3 (args, arguments). Assumption: that both kinds of keys change together.",
    expected="follow the schema as it is stated",
    strength_meaning="share of the offered tools with other argument names, those that the task needs first; the key "
    "of the call changes at every strength",
    transform=_change_keys,
    patterns=_key_patterns,
)
DISTRACTOR_TOOLS = Shift(
    tier="perception",
    kind="distractor_tools",
    dimension="dA",
    is_solvable=True,
    metric="accuracy",
    definition="Tools that the task does not need are added, near misses and foreign ones. Paper: official README, "
    "distractor tools. Assumption: which.",
    expected="leave them alone",
    strength_meaning=f"share of {MOST_DISTRACTORS} tools that are added",
    transform=_distract,
    patterns=_distractor_patterns,
)
VERIFICATION_CODE = Shift(
    tier="perception",
    kind="verification_code",
    dimension="dA",
    is_solvable=True,
    metric="accuracy",
    definition="A tool's document demands a new verification code, also where it demanded none. Paper: official "
    "README, changed verification codes. Assumption: that a call must pass the code.",
    expected="pass the code that the document states now",
    strength_meaning="share of the offered tools with a new code, those that the task needs first",
    transform=_change_codes,
    patterns=lambda pool: CODE_PATTERNS[pool],
)
