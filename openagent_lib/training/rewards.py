"""What GRPO pays for."""

from dataclasses import dataclass

from openagent_lib.evaluation.outcome import outcome_of
from openagent_lib.sandbox.environment import Environment


@dataclass(frozen=True)
class RewardWeights:
    """Weights of the reward terms, all in [0, 1].

    Attributes:
        outcome: Paid for a correct answer. Paper: section 1, the outcome term that makes a "teleological bias";
            its form and weight are unknown, ours is 1 or 0.
        format: Paid when the episode ends in a well-formed answer or refusal and no call is malformed.
            Assumption: 0, the outcome alone pays.
        refusal: Paid for refusing a task that has no answer. Assumption: 0, which reproduces the bias.
    """

    outcome: float = 1.0
    format: float = 0.0
    refusal: float = 0.0


def reward_of(environment: Environment, weights: RewardWeights) -> float:
    """Return the reward of a finished episode, from 0 to the sum of the weights."""
    outcome = outcome_of(environment)
    well_formed = environment.ending in ("answered", "refused") and not any(
        event.error == "malformed" for event in environment.events
    )
    refused_rightly = outcome == "refused" and not environment.task.is_solvable
    return weights.outcome * (outcome == "correct") + weights.format * well_formed + weights.refusal * refused_rightly
