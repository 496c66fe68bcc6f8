"""Tier I, perception, tool names and documents: the same tools under other words. Paper: section 4.2, Figure 3."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from openagent_lib.sandbox.domain import Pool
from openagent_lib.sandbox.domains.registry import get_domain
from openagent_lib.sandbox.task import Task
from openagent_lib.sandbox.tool import Tool
from openagent_lib.shifts.shift import Shift, chosen_tools, inserted

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
_VOWELS = "aeiou"


def _rename(task: Task, strength: float, random: Random, draw: Callable[[Tool], str]) -> tuple[Tool, ...]:
    """Return the tools with a share of them, those of the gold chain first, under names that `draw` makes."""
    chosen = {tool.function for tool in chosen_tools(task, strength, random)}
    names = {tool.name for tool in task.tools}
    renamed = []
    for tool in task.tools:
        if tool.function in chosen:
            name = draw(tool)
            while name in names:
                name = draw(tool)
            names.add(name)
            tool = replace(tool, name=name)
        renamed.append(tool)
    return tuple(renamed)


def _drift(task: Task, strength: float, random: Random, pool: str) -> Task:
    texts = get_domain(task.domain).texts
    tools = _rename(task, strength, random, lambda tool: random.choice(texts[tool.function].names[pool]))
    return task.with_shift(SYMBOLIC_DRIFT.name, strength, tools=tools)


def _drift_patterns(pool: str) -> tuple[str, ...]:
    return tuple(name for text in get_domain("poi").tools for name in text.names[pool])


def _token(random: Random, pool: str) -> str:
    """Return a meaningless name: `Tool_2s5x` in the test pool (Paper: Figure 3), other forms in the train pool."""
    if pool == "test":
        return "Tool_" + "".join(random.choice(_ALPHABET) for _ in range(4))
    text = random.choice(_ALPHABET[:26]) + "".join(random.choice(_ALPHABET) for _ in range(random.randint(4, 7)))
    return text if random.random() < 0.5 else f"{text[:3]}_{text[3:]}"


def _erase(task: Task, strength: float, random: Random, pool: str) -> Task:
    tools = _rename(task, strength, random, lambda tool: _token(random, pool))
    return task.with_shift(IDENTITY_ERASURE.name, strength, tools=tools)


def _some_letter(name: str, random: Random) -> int:
    return random.choice([place for place, symbol in enumerate(name[:-1]) if symbol.isalpha()])


def _doubled(name: str, random: Random) -> str:
    place = _some_letter(name, random)
    return name[: place + 1] + name[place:]


def _swapped(name: str, random: Random) -> str:
    place = _some_letter(name, random)
    return name[:place] + name[place + 1] + name[place] + name[place + 2 :]


def _dropped(name: str, random: Random) -> str:
    place = _some_letter(name[1:], random) + 1
    return name[:place] + name[place + 1 :]


def _digits(name: str, random: Random) -> str:
    return name.translate(str.maketrans("oeia", "0314"))


def _without_vowels(name: str, random: Random) -> str:
    return name[0] + "".join(symbol for symbol in name[1:] if symbol not in _VOWELS)


def _mixed_case(name: str, random: Random) -> str:
    return "".join(symbol.upper() if random.random() < 0.5 else symbol for symbol in name)


NOISES: Pool = Pool(
    train=(
        ("a letter doubled", _doubled),
        ("two letters swapped", _swapped),
        ("a letter dropped", _dropped),
        ("a prefix", lambda name, random: random.choice(("my_", "the_", "do_", "new_", "old_")) + name),
        ("no underscores", lambda name, random: name.replace("_", "")),
        ("trailing letters", lambda name, random: f"{name}_{random.choice(_ALPHABET[:26])}"),
    ),
    test=(
        ("digits for letters", _digits),
        ("vowels left out", _without_vowels),
        ("letters in mixed case", _mixed_case),
        ("a version", lambda name, random: f"{name}-v{random.randint(2, 9)}"),
        ("a namespace", lambda name, random: random.choice(("svc--", "api--", "core--", "ext--", "app--")) + name),
        ("a hash", lambda name, random: f"{name}--{random.randrange(16**4):04x}"),
    ),
)
"""Kinds of noise inside a name, with the function that makes it. Assumption: ours."""


def _add_noise(task: Task, strength: float, random: Random, pool: str) -> Task:
    tools = _rename(task, strength, random, lambda tool: random.choice(NOISES[pool])[1](tool.name, random))
    return task.with_shift(TOOL_NAME_NOISE.name, strength, tools=tools)


def trap_partners(domain: str, function: str, pool: str) -> list[str]:
    """Return the functions that a function may change names with; a pair is in one pool only."""
    order = list(get_domain(domain).catalogue)
    parity = int(pool == "test")
    place = order.index(function)
    return [other for at, other in enumerate(order) if at != place and (at + place) % 2 == parity]


def _set_trap(task: Task, strength: float, random: Random, pool: str) -> Task:
    """Let each chosen tool change names with a partner, and reword the documents of both."""
    domain = get_domain(task.domain)
    tools = {tool.function: tool for tool in task.tools}
    swapped: set[str] = set()
    for tool in chosen_tools(task, strength, random):
        partners = [name for name in trap_partners(task.domain, tool.function, pool) if name not in swapped]
        if tool.function in swapped:
            continue
        partner = random.choice([name for name in partners if name in tools] or partners)
        one, other = tools[tool.function], tools.get(partner, domain.catalogue[partner])
        tools |= {one.function: replace(one, name=other.name), partner: replace(other, name=one.name)}
        swapped |= {one.function, partner}
    for function in sorted(swapped):
        text, tool = domain.texts[function], tools[function]
        document = text.document(tool.factor, random.choice(text.descriptions[pool]))
        tools[function] = replace(tool, description=document)
    offered = {tool.function for tool in task.tools}
    kept = tuple(tools[tool.function] for tool in task.tools)
    new = [tool for function, tool in tools.items() if function not in offered]
    return task.with_shift(SEMANTIC_TRAP.name, strength, tools=inserted(kept, new, random))


def _trap_patterns(pool: str) -> tuple[str, ...]:
    return tuple(document for text in get_domain("poi").tools for document in text.descriptions[pool])


_MEANING = "share of the offered tools that are renamed, those that the task needs first"
SYMBOLIC_DRIFT = Shift(
    tier="perception",
    kind="symbolic_drift",
    dimension="dA",
    is_solvable=True,
    metric="accuracy",
    definition="A tool gets another meaningful name, its function and document are kept. Paper: section 3.2, Figure 3.",
    expected="call the new name",
    strength_meaning=_MEANING,
    transform=_drift,
    patterns=_drift_patterns,
)
SEMANTIC_TRAP = Shift(
    tier="perception",
    kind="semantic_trap",
    dimension="dA",
    is_solvable=True,
    metric="accuracy",
    definition="A familiar name is kept, but its document says that it does something else. Paper: section 3.2, "
    "Figure 3. Assumption: two tools change names, and the documents of both are written anew.",
    expected="obey the document, not the name",
    strength_meaning="share of the offered tools whose names change hands, those that the task needs first",
    transform=_set_trap,
    patterns=_trap_patterns,
)
IDENTITY_ERASURE = Shift(
    tier="perception",
    kind="identity_erasure",
    dimension="dA",
    is_solvable=True,
    metric="accuracy",
    definition="A tool's name becomes a meaningless token, only its document identifies it. Paper: Figure 3.",
    expected="choose by the document",
    strength_meaning=_MEANING,
    transform=_erase,
    patterns=lambda pool: ("Tool_????",) if pool == "test" else ("?????", "????????", "???_????"),
)
TOOL_NAME_NOISE = Shift(
    tier="perception",
    kind="tool_name_noise",
    dimension="dA",
    is_solvable=True,
    metric="accuracy",
    definition="A tool's name is spelt with noise. Paper: official README, tool-name noise. Assumption: the kinds of "
    "noise.",
    expected="call the name as it is spelt now",
    strength_meaning=_MEANING,
    transform=_add_noise,
    patterns=lambda pool: tuple(label for label, _ in NOISES[pool]),
)
