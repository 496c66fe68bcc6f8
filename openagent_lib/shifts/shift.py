"""What a shift is: a pure function from a clean task to its shifted twin."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from openagent_lib.errors import ConfigError
from openagent_lib.randomness import rng
from openagent_lib.sandbox.domain import POOLS
from openagent_lib.sandbox.leak import answer_in_prompt
from openagent_lib.sandbox.task import Task
from openagent_lib.sandbox.tool import Tool

TIERS = ("perception", "interaction", "reasoning", "internalization")
MOST_DRAWS = 100

Transform = Callable[[Task, float, Random, str], Task]


@dataclass(frozen=True)
class Shift:
    """One leaf shift.

    Attributes:
        tier: One of the four tiers. Paper: section 4, Figure 3.
        kind: Name within the tier.
        dimension: What moves: `dQ` (query), `dA` (action), `dO` (observation) or `dD` (domain). Paper: section 3.2.
        is_solvable: Whether the shifted task still has an answer; if not, it must be refused.
        metric: The metric that it is reported by.
        definition: What changes, in one sentence, with its source.
        expected: What a good agent does under it.
        strength_meaning: What strength in [0, 1] scales.
        transform: Returns the shifted twin for strength > 0, from a task, strength, random generator and pool.
        patterns: Returns the patterns of a pool, `train` or `test`, as text.
        applies_to: Tells whether a clean task can be shifted.
    """

    tier: str
    kind: str
    dimension: str
    is_solvable: bool
    metric: str
    definition: str
    expected: str
    strength_meaning: str
    transform: Transform
    patterns: Callable[[str], tuple[str, ...]]
    applies_to: Callable[[Task], bool] = lambda task: True

    @property
    def name(self) -> str:
        """Return `tier.kind`."""
        return f"{self.tier}.{self.kind}"

    def apply(self, task: Task, strength: float = 1.0, seed: int = 0, pool: str = "test") -> Task:
        """Return the shifted twin of a task; at strength 0 the task itself.

        A draw after which the answer could be read off the prompt is drawn again.

        Args:
            task: A task that `applies_to` accepts.
            strength: From 0 (identity) to 1.
            seed: Run seed; the draw also depends on the task, the shift and the pool, on nothing else.
            pool: Pattern pool, `train` or `test`; the two are disjoint.

        Raises:
            ConfigError: Strength or pool is out of range, or the task cannot be shifted this way.
        """
        if not 0.0 <= strength <= 1.0:
            raise ConfigError(f"strength of {self.name} must be in [0, 1], found {strength}")
        if pool not in POOLS:
            raise ConfigError(f"pool of {self.name} must be one of {', '.join(POOLS)}, found {pool!r}")
        if strength == 0.0:
            return task
        if not self.applies_to(task):
            raise ConfigError(f"{self.name} does not apply to task {task.id} of shape {task.shape}: see applies_to")
        for draw in range(MOST_DRAWS):
            random = rng(seed, task.twin_id, self.name, pool, draw)
            twin = self.transform(task, strength, random, pool)
            if not answer_in_prompt(twin):
                return twin
        raise ConfigError(f"{self.name} gives the answer of task {task.id} away in {MOST_DRAWS} draws: add patterns")


def share(count: int, strength: float) -> int:
    """Return how many of `count` things a strength in (0, 1] touches: rounded up, at least one."""
    return min(count, max(1, -(-round(count * strength * 1000) // 1000)))


def chosen_tools(task: Task, strength: float, random: Random) -> list[Tool]:
    """Return a share of the offered tools in a random order, those of the gold chain first."""
    gold = {call.function for call in task.gold_chain}
    order = sorted(task.tools, key=lambda tool: (tool.function not in gold, random.random()))
    return order[: share(len(order), strength)]


def needed_functions(task: Task, strength: float, random: Random, but: tuple[str, ...] = ()) -> list[str]:
    """Return a share of the functions of the gold chain in a random order, some of them left out."""
    functions = [name for name in dict.fromkeys(call.function for call in task.gold_chain) if name not in but]
    return random.sample(functions, share(len(functions), strength))


def inserted(tools: tuple[Tool, ...], new: list[Tool], random: Random) -> tuple[Tool, ...]:
    """Return the tools with new ones at random places among them."""
    mixed = list(tools)
    for tool in new:
        mixed.insert(random.randint(0, len(mixed)), tool)
    return tuple(mixed)
