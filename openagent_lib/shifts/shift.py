"""What a shift is: a pure function from a clean task to its shifted twin."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from openagent_lib.errors import ConfigError
from openagent_lib.randomness import rng
from openagent_lib.sandbox.task import Task

TIERS = ("perception", "interaction", "reasoning", "internalization")
POOLS = ("train", "test")

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
        strength_meaning: What strength in [0, 1] scales.
        transform: Returns the shifted twin for strength > 0, from a task, strength, random generator and pool.
        applies_to: Tells whether a clean task can be shifted.
    """

    tier: str
    kind: str
    dimension: str
    is_solvable: bool
    metric: str
    definition: str
    strength_meaning: str
    transform: Transform
    applies_to: Callable[[Task], bool] = lambda task: True

    @property
    def name(self) -> str:
        """Return `tier.kind`."""
        return f"{self.tier}.{self.kind}"

    def apply(self, task: Task, strength: float = 1.0, seed: int = 0, pool: str = "test") -> Task:
        """Return the shifted twin of a task; at strength 0 the task itself.

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
        return self.transform(task, strength, rng(seed, task.twin_id, self.name, pool), pool)


def share(count: int, strength: float) -> int:
    """Return how many of `count` things a strength in (0, 1] touches: rounded up, at least one."""
    return min(count, max(1, -(-round(count * strength * 1000) // 1000)))
