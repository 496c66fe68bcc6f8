"""Tier I, perception: the same world under other words. Paper: section 4.2, Figure 3."""

from dataclasses import replace
from random import Random

from openagent_lib.sandbox.task import Task
from openagent_lib.shifts.shift import Shift, share

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
SYNONYMS: dict[str, dict[str, tuple[str, ...]]] = {
    "find_place": {"train": ("place_to_id", "resolve_spot", "id_lookup"), "test": ("locate_poi", "match_site_name")},
    "search_places": {"train": ("filter_spots", "scan_area"), "test": ("browse_zone", "query_by_kind")},
    "get_telephone": {"train": ("phone_of", "fetch_dial"), "test": ("contact_line", "read_hotline")},
    "get_licence": {"train": ("permit_of", "fetch_licence"), "test": ("registry_mark", "read_permit")},
    "get_opening_hours": {"train": ("hours_of", "fetch_schedule"), "test": ("visit_window", "read_timetable")},
    "get_district": {"train": ("area_of", "fetch_quarter"), "test": ("borough_of", "read_neighbourhood")},
    "get_price": {"train": ("fee_of", "fetch_cost"), "test": ("ticket_rate", "read_charge")},
    "apply_discount": {"train": ("reduce_amount", "cut_cost"), "test": ("rebate", "lower_sum")},
    "calculate": {"train": ("eval_math", "do_sums"), "test": ("arithmetic", "number_cruncher")},
    "compute_distance": {"train": ("gap_between", "measure_km"), "test": ("how_far", "span_of_pair")},
    "estimate_travel_time": {"train": ("trip_minutes", "ride_length"), "test": ("journey_duration", "transit_eta")},
}
"""Meaningful other names by hidden function and pool. Assumption: the paper's names are unknown."""


def _rename(task: Task, strength: float, random: Random, draw) -> tuple:
    """Return the tools with a share of them, those of the gold chain first, under names that `draw` makes."""
    gold = {call.function for call in task.gold_chain}
    order = sorted(task.tools, key=lambda tool: (tool.function not in gold, random.random()))
    chosen = {tool.function for tool in order[: share(len(order), strength)]}
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
    tools = _rename(task, strength, random, lambda tool: random.choice(SYNONYMS[tool.function][pool]))
    return task.with_shift(SYMBOLIC_DRIFT.name, strength, tools=tools)


def _token(random: Random, pool: str) -> str:
    """Return a meaningless name: `Tool_2s5x` in the test pool (Paper: Figure 3), another form in the train pool."""
    if pool == "test":
        return "Tool_" + "".join(random.choice(_ALPHABET) for _ in range(4))
    length = random.randint(5, 8)
    text = "".join(random.choice(_ALPHABET) for _ in range(length))
    return text if random.random() < 0.5 else f"{text[:3]}_{text[3:]}"


def _erase(task: Task, strength: float, random: Random, pool: str) -> Task:
    tools = _rename(task, strength, random, lambda tool: _token(random, pool))
    return task.with_shift(IDENTITY_ERASURE.name, strength, tools=tools)


SYMBOLIC_DRIFT = Shift(
    tier="perception",
    kind="symbolic_drift",
    dimension="dA",
    is_solvable=True,
    metric="accuracy",
    definition="A tool gets another meaningful name, its function and document are kept. Paper: section 3.2, Figure 3.",
    strength_meaning="share of the offered tools that are renamed, those that the task needs first",
    transform=_drift,
)
IDENTITY_ERASURE = Shift(
    tier="perception",
    kind="identity_erasure",
    dimension="dA",
    is_solvable=True,
    metric="accuracy",
    definition="A tool's name becomes a meaningless token, only its document identifies it. Paper: Figure 3.",
    strength_meaning="share of the offered tools that are renamed, those that the task needs first",
    transform=_erase,
)
