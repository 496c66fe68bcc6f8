"""Texts of errors and refusals in the pre-training corpus, in pools as those of `phrases`.

Assumption: all texts are ours.
"""

from openagent_lib.sandbox.domain import Pool

TRANSIENT_ERRORS = Pool(
    train=(
        "busy, try again",
        "temporary failure, please retry",
        "no reply yet, call again",
        "timeout, retry",
        "The connection was lost for a moment. Please repeat the call.",
        "not ready, try once more",
        "rate limit reached, retry now",
        "Warming up. Try it again.",
        "A short interruption. Retry.",
        "the line was cut, ask again",
        "[too many users|high load|short break] right now, [repeat|try again|ask again]",
        "[Just|Only] a hiccup. [The next try will work|Call it again].",
        "[waking up|starting], [again|once more] please",
    ),
    test=("momentary glitch, redo it", "Line noise. Another go will do.", "swamped this second; come again"),
)
REDIRECTION_ERRORS = Pool(
    train=(
        'use "{t}" instead',
        "This tool has moved. Call {t}.",
        "out of service, {t} takes over",
        "Please switch to {t}.",
        "replaced by {t}",
        "cannot answer here; ask {t}",
        'Not handled any more. "{t}" does it now.',
        "[moved|renamed]: {t}",
    ),
    test=("{t} is responsible now", "Go to {t} with this.", 'retired in favour of "{t}"'),
)
FATAL_ERRORS = Pool(
    train=(
        "permanently closed",
        "the device melted, nothing is left of it",
        "this service no longer exists",
        "the failure is final",
        "The data were lost for good.",
        "shut down forever",
        "broken beyond repair",
        "All records are gone. Nothing can be done.",
        "The machine behind this tool was scrapped.",
        "dead, will not come back",
        "[it is over|the end]: [no call will ever work|never again]",
        "[erased|burnt], [there is no way back|nobody can restore it]",
        "[It will never|This can never] work again.",
    ),
    test=("abolished, full stop", "Nothing here will ever answer.", "lost at sea; there is no other copy"),
)
OTHER_REFUSALS = (
    "I can't do this with the tools I have.",
    "Sorry, I cannot complete this.",
    "This cannot be answered.",
)
