"""Tier I, perception, the query: the same wish in other words. Paper: section 4.2, Figure 3."""

from random import Random

from openagent_lib.sandbox.domains.registry import get_domain, world_of
from openagent_lib.sandbox.grammar import draw_form, fill
from openagent_lib.sandbox.task import Task
from openagent_lib.shifts.patterns.queries import PADDING
from openagent_lib.shifts.shift import Shift, share

MOST_SENTENCES = 4


def _blur(task: Task, strength: float, random: Random, pool: str) -> Task:
    domain, slots, form = get_domain(task.domain), dict(task.slots), task.template
    pieces = ["attribute", "frame"] if "attribute" in slots else ["frame"]
    pieces = pieces[: share(len(pieces), strength)]
    if "attribute" in pieces:
        attribute = next(key for key, phrase in domain.attributes.items() if phrase == slots["attribute"])
        slots["attribute"] = random.choice(domain.blurred_attributes[attribute][pool])
    if "frame" in pieces:
        form = draw_form(random.choice(domain.blurred_queries[task.shape][pool]), random)
    return task.with_shift(
        INSTRUCTION_BLURRING.name,
        strength,
        template=form,
        slots=tuple(slots.items()),
        query=fill(form, slots),
    )


def _blurred_patterns(pool: str) -> tuple[str, ...]:
    poi = get_domain("poi")
    pools = (*poi.blurred_queries.values(), *poi.blurred_attributes.values())
    return tuple(pattern for patterns in pools for pattern in patterns[pool])


def _pad(task: Task, strength: float, random: Random, pool: str) -> Task:
    names = [entity.name for entity in world_of(task).entities if entity.name not in task.query]
    before, after = [], []
    for pattern in random.sample(PADDING[pool], share(MOST_SENTENCES, strength)):
        sentence = fill(draw_form(pattern, random), {"entity": random.choice(names)})
        random.choice((before, after)).append(sentence)
    return task.with_shift(
        INFORMATION_REDUNDANCY.name,
        strength,
        query=" ".join([*before, task.query, *after]),
    )


INSTRUCTION_BLURRING = Shift(
    tier="perception",
    kind="instruction_blurring",
    dimension="dQ",
    is_solvable=True,
    metric="accuracy",
    definition="The instruction is vague: it hints at what is wanted instead of naming it. Paper: Figure 3. "
    "Assumption: templates and hints; the answer and the tools stay.",
    expected="recover the same intent and the same chain",
    strength_meaning="how much is blurred: up to 0.5 the name of the attribute, above it the whole sentence too",
    transform=_blur,
    patterns=_blurred_patterns,
)
INFORMATION_REDUNDANCY = Shift(
    tier="perception",
    kind="information_redundancy",
    dimension="dQ",
    is_solvable=True,
    metric="accuracy",
    definition="Sentences that have nothing to do with the question stand around it. Paper: Figure 3. Assumption: the "
    "sentences.",
    expected="ignore the padding",
    strength_meaning=f"share of {MOST_SENTENCES} sentences that are added",
    transform=_pad,
    patterns=lambda pool: PADDING[pool],
)
