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
        "[busy|occupied|paused|asleep|offline|not ready|in use|under load|delayed|behind|warming up|restarting|loading|"
        "syncing|slow] [now|right now|at present|for a moment|for a second|just now|this minute|]"
        "[, | - |. |; |: ][try|ask|call|send|come back|repeat it|do it|go] [again|once more|a second time|anew]"
        "[, please| in a moment| now| shortly|]",
        "[A short|A brief|A small|A passing|Some|A little|A temporary] [delay|pause|interruption|gap|break|problem|"
        "hold-up|"
        "outage|jam|queue|traffic]. [Another|One more|A second|The next|A new|A further] "
        "[try|call|request|attempt|go] [helps|will work|is enough|should do|works|does it].",
        "[repeat|retry|try again|call again|once more|again please|another try|same call again]"
        "[, | - |: |; ][the line was|the queue was|traffic was|memory was|the link was|we were] "
        "[busy|full|slow|cut|down|blocked|out|late]",
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
        "[use|call|ask|try|switch to|see|turn to|contact|prefer|take|send this to|hand this to|run|query] {t}"
        "[ instead| now| from now on| for that| please|, not this one|]",
        "{t} [does|handles|answers|has|took over|is in charge of|knows|serves|covers|runs|replaces] "
        "[this|it|that|such requests|these calls|everything here][ now| today| since then|]",
        "[this one is|we are|it is|tool] [closed|old|retired|not in use|off|gone|empty|idle][, |; |. |: ]"
        "[see|use|ask|now|next|new name|new tool|replacement|successor][:| is||] {t}",
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
        "[gone|lost|dead|closed|ended|destroyed|deleted|wiped|finished|over|cancelled|dissolved|dismantled|removed|"
        "ruined|"
        "terminated] [for ever|for good|forever|for all time|permanently|completely|without return|since long ago|at "
        "all|]"
        "[, | - |. |; ][nothing|nobody|no one|no part] [is left|remains|answers|can help|works|stayed|will return]",
        "[This|The|That] [tool|source|office|station|system|record|desk|register|line] [no longer exists|was closed "
        "for "
        "good|has ended|is dead|is beyond help|cannot be restored|will stay closed|is no more|burnt down|was given "
        "up].",
        "[never|not ever|no more|no longer]: [the|this|our] [tool|source|office|station|system|record|desk|register] "
        "[is gone|is lost|was destroyed|has been deleted|does not exist|is finished|is history]",
    ),
    test=("abolished, full stop", "Nothing here will ever answer.", "lost at sea; there is no other copy"),
)
# Replies to the call of a wrong tool. The scores' own reply to a wrong call is none of these.
WRONG_CALLS = Pool(
    train=(
        "no entry [for|under|with|by] [that|this|it|{x}|'{x}'|the given value]",
        "[unknown|strange|wrong|bad|invalid|unexpected] [value|input|argument|entry|key|subject|item][: {x}|, {x}|]",
        "[nothing|no line|no row|no record|no match|no hit|no result|no data] [here|for it|for {x}|stored|known|on {x}|"
        "]",
        "{x} [is unknown|does not exist|is not in the list|has no record|is not known here|fits nothing|is not ours]",
        "[this|the] [tool|table|register|list] [does not know|has no|holds no|cannot read|cannot use] [{x}|it|that]",
        "[cannot|could not] [use|read|find|match|resolve|see] [{x}|this|that|the value|it]",
        "[empty|zero rows|none|no such thing|no such entry|no such value|missing]",
    ),
    test=("not found",),
)
OTHER_REFUSALS = (
    "I can't do this with the tools I have.",
    "Sorry, I cannot complete this.",
    "This cannot be answered.",
)
