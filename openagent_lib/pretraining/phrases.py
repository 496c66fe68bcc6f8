"""Templates of questions and of what they are about, in pools: `train` for the training, `test` for the scores.

`[a|b|]` stands for one of its parts. Fields: `{b}` what is asked for, `{S}` the thing asked about, `{P}` the values in
between, `{a}` what a tool takes, `{e}` the kind of thing, `{d}` an attribute without a part in it.

Assumption: all templates are ours.
"""

from openagent_lib.sandbox.domain import Pool

# Parts of composed questions, so that almost every question is a new sentence.
_ASK = (
    "[What is|What's|What are|Tell me|Give me|Get|Get me|Find|Find me|Show|Show me|I need|I want|I seek|I am after|I "
    "lost|"
    "I forgot|I miss|I never knew|I cannot find|I must have|I would love|I was asked for|I have to report|We need|We "
    "want|"
    "We seek|We lost|We are waiting for|Need|Want|Looking for|Searching for|Please send|Please find|Please read|Send|"
    "Send me|Bring me|Read me|Read out|Print|Name|State|List|Write down|Work out|Figure out|Find out|Look for|Look up|"
    "Search for|Check|Verify|Fetch|Retrieve|Return|Remind me of|Help me with|Help me to find|Could you find|Could you "
    "tell me|Can you get|Can you give me|Can anyone tell me|Can somebody name|Will you read|Would you mind finding|May "
    "I "
    "have|May I see|Might I get|Do you have|Do you see|Have you got|Have you seen|Is there|Is it possible to see|Is it "
    "hard to get|Where do I find|Where is|How do I get|How can I see|Who knows|Who can tell me|Let me have|Let me see|"
    "Let "
    "us look at|Let us find|My boss wants|My friend asks for|My neighbour needs|A customer demands|They keep asking "
    "for|"
    "People ask for|Everyone talks of|Somebody must know|It would help to know|It would be nice to have|It is time to "
    "find|The task is to find|The aim is|The point is|The missing piece is|All I need is|All that counts is|What "
    "matters "
    "is|What I want is|What they want is|Tomorrow I must show|Today we need|Quick question:|Small request:|Urgent:|"
    "Missing:|Wanted:|Unknown:|Still open:|Needed:|Task:|Goal:|Output:|Query:|Ask:|Next:|Now|Now for|And|So,|Well,|"
    "Hey,|"
    "Dear all,|Listen,|Look,|Say,|Right,|Ok,|Thanks for]"
)
_B = (
    "[the|the|the|the exact|the current|the right|the true|the full|a|this|that|some|any|] {b}[ entry| value| field||||"
    "||||]"
)
_OF = (
    "[of|of|of|for|for|from|on|with|in|at|that belongs to|belonging to|held by|kept for|about|behind|listed with|"
    "listed "
    "for|stored for|noted for|known for|known of|set for|given to|given for|found with|found for|linked to|tied to|to "
    "go "
    "with|when it comes to|in the case of|you have for|you hold for|we use for|that fits|that suits|matching|assigned "
    "to|"
    "connected with|attached to|as written for|which they keep for]"
)
_END = (
    "[?|?|?|.|.|.||||!|, please.|, please?| please|, thanks.|, if you can.|, right now.| now.| again.| for me.| for "
    "us?|, "
    "nothing else.| as soon as you can.|, or so they say.|, that is all.|...]"
)
_ON = (
    "[About|On|For|As for|As to|Take|Look at|Look up|Consider|This is about|It is about|Here is|There is|I have|I have "
    "got|I hold|I see|I found|I am working on|I am dealing with|Think of|Suppose we have|We found|We have|We handle|"
    "You "
    "know|You see|You have|I mean|Now|Next|Case|Case:|Subject:|Item:|Object:|Topic:|Input:|Check|Open|Find|Go to|With|"
    "Given|Now to|Back to|Talking of|Next in line:|Today:|]"
)
_MISSES = (
    "[has|needs|must have|should have|got|lost|carries|comes with|shows|lacks|has no known|is listed without|wants|"
    "requires|goes by|stands under]"
)
_FIRST = (
    "[First|Start with|Begin with|Get|Find|Look up|Take|Read|Fetch|Check|Ask for|You will need|Use|Grab|Note|Work from|"
    "Go "
    "through|Go by|Via|Through|Using|By|Knowing|Having|First of all|Step one:|Find out|Get hold of|Determine|Obtain|"
    "Open "
    "with|It starts with|We start at|Initially|From]"
)
_THEN = (
    "[, then|, and then|; then|, after that|, next|, finally|, and with it|, and by it|; that gives you| to get| to "
    "find| "
    "to reach| so that you can tell me| in order to know|, followed by|. Then get|. With it find|. After that I want|. "
    "Step two:|. It tells you|, which leads to| and use it for|, then go on to| ->|, from it]"
)
_AFTER = (
    "[. First|; start with|. You need|, but first|, after|, by|, through|, via|, using|, with the help of|, based on|, "
    "going by|. It depends on|. It follows from| by means of|. Work from|. Use|, given|, starting at|. Read off|, "
    "found by]"
)
QUERIES = Pool(
    train=(
        "What is the {b} of {S}?",
        "Tell me the {b} of {S}.",
        "I [need|want] the {b} of {S}.",
        "[Find|Get] the {b} for {S}.",
        "Please give me the {b} of {S}.",
        "Could you look up the {b} of {S}?",
        "Which {b} does {S} have?",
        "Which {b} belongs to {S}?",
        "For {S}, what is the {b}?",
        "{b} of {S}[?|, please|]",
        "{S}: {b}[?|]",
        "{S}. What is the {b}?",
        "Look up {S} and report its {b}.",
        "I would like to know the {b} of {S}.",
        "Can you check the {b} of {S}?",
        "We are looking for the {b} of {S}.",
        "Do you know the {b} of {S}?",
        "Get me {S}: I want the {b}.",
        "About {S}: the {b}?",
        "The {b} of {S} is missing in my notes. What is it?",
        "Kindly state the {b} of {S}.",
        "hey, what's the {b} of {S}",
        "Show the {b} for {S}.",
        "Someone asked me for the {b} of {S}. Can you help?",
        "My question is about {S}. What {b} does it have?",
        "Help me find out the {b} of {S}.",
        "Determine the {b} of {S}.",
        "I have to work with {S} [today|tomorrow] and need its {b}.",
        "We talked about {S} [at lunch|this morning]. Its {b}, please.",
        "There is {S} on my desk, without a {b}. Which one is it?",
        "In my list the line of {S} has no {b}. Fill it in.",
        "[Let me know|Check] which {b} [goes with|is right for] {S}.",
        "How about {S}, what {b} do you see?",
    ),
    test=(
        "I'd be glad to learn the {b} recorded for {S}.",
        "Regarding {S}, what {b} is on file?",
        "Give us {S}'s {b}.",
        "My colleague wonders about the {b} of {S}.",
        "Report back on {S} with its {b}.",
        "Any idea about the {b} of {S}?",
        "The form asks for a {b}; it concerns {S}.",
        "Concerning {S} I lack the {b}.",
    ),
)
HINTED_QUERIES = Pool(
    train=(
        "First get the {P} of {S}, then its {b}.",
        "Use the {P} of {S} to find the {b}.",
        "What is the {b} of {S}? You need the {P} first.",
        "Through the {P}, tell me the {b} of {S}.",
        "Find the {P} of {S} and with it the {b}.",
        "Get {S}'s {b} by way of the {P}.",
        "Look up the {P} of {S}; I want the {b} that goes with it.",
        "I want the {b} of {S}, which depends on the {P}.",
        "Take the {P} of {S} and then tell me which {b} it has.",
        "[Start|Begin] with the {P} of {S}; [the goal|what I want] is the {b}.",
        "{b} of {S}, via the {P}[.|, please.]",
        "{S}: get the {P}, then the {b}.",
    ),
    test=(
        "Learn the {P} of {S} and continue to its {b}.",
        "With the {P} in between, what is the {b} of {S}?",
        "From {S} go to the {P} and from there to the {b}.",
        "I'd like the {b} of {S}, for which the {P} is a stepping stone.",
    ),
)
COMPOSED_QUERIES = Pool(
    train=(
        f"{_ASK} {_B} {_OF} {{S}}{_END}",
        f"{_ASK} {{S}}'s {{b}}{_END}",
        f"{_ON} {{S}}[:|,|.|;| -|...] {_ASK} [the|its|a] {{b}}{_END}",
        f"{_ON} {{S}}[:|,|.|;| -|...| and] [its|the|what|which|a|] {{b}}{_END}",
        f"{{S}} {_MISSES} [a|some|its|the|] {{b}}[, which one?|; tell me.|. I want to see it.|, but what is it?|. Find "
        f"it"
        f"|. What is it?|, I believe. Name it.|?|.]",
        f"[The|Its|A|This|] {{b}} [is missing|is unknown|is needed|is wanted|got lost|must be reported|is not here|is "
        f"all "
        f"I need|is what I want|is open|is empty|has to be found|should be known|counts] {_OF} {{S}}{_END}",
        f"{{b}} [for|of|<-|from|/|-|@|,|on|by|in|~|] {{S}}{_END}",
        f"{{S}} [/|->|-|,|'s|:|>|and its|and the|~||=>|;|with what] {{b}}{_END}",
        f"[Which|What|Whatever|Any] {{b}} [does|has|did|will|can|should|might] {{S}} [have|get|show|carry|use|need|"
        f"hold]"
        f"{_END}",
        f"[Which|What] {{b}} [is|was] [{{S}}'s|that of {{S}}|with {{S}}|right for {{S}}|set for {{S}}|due for "
        f"{{S}}]{_END}",
        f"{_ASK} [what|which] {{b}} {{S}} [has|gets|shows|carries|uses|needs|holds|got]{_END}",
    ),
    test=QUERIES.test,
)
COMPOSED_HINTED_QUERIES = Pool(
    train=(
        f"{_FIRST} the {{P}} {_OF} {{S}}{_THEN} [the|its|a|] {{b}}{_END}",
        f"{_ASK} {_B} {_OF} {{S}}{_AFTER} the {{P}}{_END}",
        f"{_ON} {{S}}[:|,|.|;| -] {_FIRST} the {{P}}{_THEN} [the|its|a|] {{b}}{_END}",
        f"{{S}}[:|,|;] {{P}}[ first| ->|, then|, and then| before| and after that|;|,] {{b}}{_END}",
        f"{_ON} {{S}}[:|,|.|;| -] {_ASK} the {{b}}{_AFTER} the {{P}}{_END}",
    ),
    test=HINTED_QUERIES.test,
)
PAIR_QUERIES = Pool(
    train=(
        "What is the {b} of the {e} with {a} {x} and {a2} {y}?",
        "Find the {b} for {a} {x} and {a2} {y}.",
        "Which {b} has the {e} whose {a} is {x} and whose {a2} is {y}?",
        "Tell me the {b}: {a} {x}, {a2} {y}.",
        "I need the {b} of a {e}. The {a} is {x}, the {a2} is {y}.",
        "With {a2} {y} and {a} {x}, what is the {b}?",
    ),
    test=(
        "Given {a} {x} as well as {a2} {y}, which {b} results?",
        "My {e} has {a} {x} plus {a2} {y}. Its {b}, please?",
    ),
)
BRANCH_QUERIES = Pool(
    train=(
        "What is the {b} between {S} and {S2}?",
        "Find the {b} of {S} and {S2}.",
        "Tell me the {b} from {S} to {S2}.",
        "I need the {b} for {S} and {S2}.",
        "Get the {a} of {S} and of {S2}, then the {b}.",
        "How large is the {b} between {S} and {S2}?",
        "Compare {S} with {S2}: which {b} do they have?",
    ),
    test=("{S} against {S2}: I'd be glad to learn the {b}.", "Set {S} beside {S2} and give us the {b}."),
)
FACTOR_QUERIES = Pool(
    train=(
        "What is the {b} for a {a} of {x}?",
        "The {a} is {x}. What is the {b}?",
        "Compute the {b} of a {e} with {a} {x}.",
        "Tell me the {b} when the {a} is {x}.",
        "{a} {x}: which {b}?",
    ),
    test=("Given {x} as the {a}, which {b} results?", "Work with a {a} of {x} towards the {b}."),
)
CALCULATOR_QUERIES = Pool(
    train=("What is {o}?", "Compute {o}.", "Please work out {o}.", "How much is {o}?", "I need the result of {o}."),
    test=("{o} makes what?", "Kindly solve {o}."),
)
CALCULATOR_CHAIN_QUERIES = Pool(
    train=(
        "What is the {b} of {S} {o}?",
        "Take the {b} of {S} {o}.",
        "Find the {b} of {S}, {o}, and give the result.",
        "Get the {b} of {S}. How much is it {o}?",
        "I need the {b} of {S} {o}.",
    ),
    test=("Start from the {b} of {S}; {o} it is what?", "The {b} of {S}, {o}, makes what?"),
)
OPERATIONS = {
    "*": ("times {n}", "multiplied by {n}"),
    "+": ("plus {n}", "increased by {n}"),
    "-": ("minus {n}", "reduced by {n}"),
    "/": ("divided by {n}", "split by {n}"),
}

NAMED_SUBJECTS = Pool(
    train=(
        "{x}",
        "the {e} {x}",
        "the {e} named {x}",
        "the {e} called {x}",
        "{x} (a {e})",
        "{e} {x}",
        "a {e} called {x}",
        "[the|this|that|our|my|a|one|some|any] {e} [named|called|with the name|by the name of|that is called|whose "
        "name is|"
        "under the name|we call|listed as|entered as|titled|you know as|going as|-|,|:] {x}",
        "{x}[, a {e}|, our {e}| the {e}|, which is a {e}|, one {e}| ({e})| - {e}| as {e}| among the {e} entries|]",
        "[{e}|the {e}|{e} name|name|{e} called|]: {x}",
    ),
    test=("{x}, the {e}", "the {e} known as {x}"),
)
KEYED_SUBJECTS = Pool(
    train=(
        "the {e} with {s} {x}",
        "the {e} whose {s} is {x}",
        "the {e} that has the {s} {x}",
        "{s} {x}",
        "the {e} with the {s} {x}",
        "{s}: {x}",
        "[the|this|that|our|my|a|one|some|any] {e} [with|that has|having|bearing|by|at|carrying|listed by|found by|"
        "that "
        "shows|which got|given by|where] [the|a|] {s}[ of| =|:| equal to| given as| named||||] {x}",
        "[the|this|that|our|my|a|one|some|any] {e} whose {s} [is|reads|equals|says|was|shows|should be] {x}",
        "[{e}|the {e}|{e},|{e} -|] {s}[ =| is|:| ->|] {x}",
    ),
    test=("the {e} of {s} {x}", "the {e} under {s} {x}"),
)
BARE_SUBJECTS = Pool(
    train=("the {e}", "that {e}", "a {e}", "one of them", "it", "the one I told you about", "my {e}", "this one"),
    test=("some {e}", "the other {e}", "yours"),
)

PADDING_BEFORE = Pool(
    train=(
        "I am writing a report. ",
        "Good morning! ",
        "We had rain all week. ",
        "My sister likes blue. ",
        "This is for the meeting at noon. ",
        "Sorry to bother you. ",
        "I asked this before but lost the note. ",
        "There are {n} people waiting. ",
        "Hello. ",
        "My own {d} is {w}, but never mind. ",
        "Yesterday I read about a {d}. ",
        "Question {n}: ",
        "{w} told me to ask you. ",
        "I am new here, my name is {w}. ",
    ),
    test=("It is late and I am tired. ", "For item {n} of the agenda. ", "{w} and I made a bet. "),
)
PADDING_AFTER = Pool(
    train=(
        " Thanks!",
        " Thank you.",
        " It is urgent.",
        " No hurry.",
        " I do not need the {d}.",
        " The others can wait.",
        " Please be exact.",
        " My boss will be happy.",
        " Leave out the {d}.",
        " We talked about it {n} days ago.",
        " {w} will take it from there.",
    ),
    test=(" I'd owe you one.", " Spare me the {d}.", " By {n} sharp, if you can."),
)
