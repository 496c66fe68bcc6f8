"""Tier II, interaction: the same tools with other returns. Paper: section 4.3, Figure 3."""

from random import Random

from openagent_lib.sandbox.channel import Channel, ChannelRule
from openagent_lib.sandbox.protocol import format_error
from openagent_lib.sandbox.task import Task
from openagent_lib.shifts.shift import Shift

TRANSIENT_ERRORS: dict[str, tuple[str, ...]] = {
    "train": (
        "timeout, please retry",
        "busy right now, try again",
        "no reply yet, repeat the request",
        "connection was reset, retry",
        "short outage, ask once more",
        "rate limit reached, try again",
    ),
    "test": (
        "service is temporarily overloaded, send the same call again",
        "HTTP 503: back in a moment, resend",
        "the gateway dropped this request, issue it anew",
        "worker restarting, submit the call a second time",
        "lock held by another client, reissue shortly",
        "upstream hiccup, run it another time",
    ),
}
"""Texts of faults that pass: each says so, and the next execution succeeds. Assumption: ours."""


def _fail_once(task: Task, strength: float, random: Random, pool: str) -> Task:
    functions = list(dict.fromkeys(call.function for call in task.gold_chain))
    failing = [function for function in functions if random.random() < strength] or [random.choice(functions)]
    rules = tuple(
        ChannelRule(format_error(random.choice(TRANSIENT_ERRORS[pool])), function, first=1) for function in failing
    )
    return task.with_shift(ERROR_MESSAGE.name, strength, channel=Channel(rules))


ERROR_MESSAGE = Shift(
    tier="interaction",
    kind="error_message",
    dimension="dO",
    is_solvable=True,
    metric="accuracy",
    definition="A tool returns an error that passes: the same call succeeds the next time. Paper: Figure 3. "
    "Assumption: that it passes, and what it says.",
    strength_meaning="probability for each needed tool that its first execution fails; at least one fails",
    transform=_fail_once,
)
