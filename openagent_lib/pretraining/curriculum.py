"""What the next batch of a pre-training is: first drills, level by level, then the corpus, wider with competence.

Both move on measured competence, never on time: a level ends when the model chooses right often enough, and the corpus
gets harder only while the model chooses right in it. Widening by time lost what had been learnt.
Assumption: ours; the paper does not pre-train.
"""

import random
from dataclasses import dataclass

from openagent_lib.pretraining.drills import LEVELS, Level

EARLIER_SHARE = 0.2
LEAST_BATCHES = 12
MEMORY = 0.1


@dataclass
class Curriculum:
    """The state of the curriculum.

    Attributes:
        pass_mark: Share of right choices of a tool at which the corpus gets harder.
        pace: How much difficulty a batch of the corpus adds where the share is reached.
        patience: Tokens after which a level of the drills ends, passed or not.
        has_drills: Whether there are drills at all.
        level: Number of the drill level; the number of levels once all have ended.
        difficulty: Difficulty of the corpus, 0 to 1.
        accuracy: Running share of right choices at this level, or in the corpus.
        batches: Batches that the running share has seen.
        tokens: Tokens of this level.
    """

    pass_mark: float = 0.75
    pace: float = 0.002
    patience: int = 500_000
    has_drills: bool = True
    level: int = 0
    difficulty: float = 0.0
    accuracy: float = 0.0
    batches: int = 0
    tokens: int = 0

    @property
    def is_drilling(self) -> bool:
        """Tell whether the drills still come alone."""
        return self.has_drills and self.level < len(LEVELS)

    def draw_level(self, source: random.Random) -> Level | None:
        """Draw what the next batch is: a level of the drills, or None for the corpus.

        While the drills come alone, a fifth of them are from earlier levels. Beside the corpus they fade from 30 % to
        5 % of the batches.
        """
        if self.is_drilling:
            is_earlier = source.random() < EARLIER_SHARE
            return LEVELS[source.randint(0, self.level) if is_earlier else self.level]
        if source.random() < 0.05 + 0.25 * (1.0 - self.difficulty) and self.has_drills:
            return source.choice(LEVELS[-3:])
        return None

    def observe(self, level: Level | None, right: int, total: int, tokens: int) -> None:
        """Take the choices of a batch into account.

        Args:
            level: What the batch was, as `draw_level` said.
            right: Right first tokens of tool names.
            total: All first tokens of tool names.
            tokens: Tokens of the batch.
        """
        if level is not (LEVELS[self.level] if self.is_drilling else None) or not total:
            return
        self.batches, self.tokens = self.batches + 1, self.tokens + tokens
        self.accuracy += (right / total - self.accuracy) * max(MEMORY, 1.0 / self.batches)
        if not self.is_drilling:
            if self.batches >= LEAST_BATCHES and self.accuracy >= self.pass_mark:
                self.difficulty = min(1.0, self.difficulty + self.pace)
            return
        is_passed = self.batches >= LEAST_BATCHES and self.accuracy >= level.pass_mark
        if is_passed or self.tokens >= self.patience:
            self.level, self.accuracy, self.batches, self.tokens = self.level + 1, 0.0, 0, 0

    def state(self) -> dict[str, float]:
        """Return what changes while training, for checkpoints."""
        return {name: getattr(self, name) for name in ("level", "difficulty", "accuracy", "batches", "tokens")}

    def restore(self, state: dict[str, float]) -> None:
        """Take over the result of `state`."""
        for name, value in state.items():
            setattr(self, name, value)
