"""Sentence templates of the pre-training corpus.

Fields: `{b}` what a tool returns, `{a}` what it takes, `{e}` the kind of thing, `{S}` the thing asked about, `{P}` the
values in between.
"""

DOCUMENTS = (
    "Return the {b} of a {e}, given its {a}.",
    "Look up the {b} of a {e} by {a}.",
    "Gives the {b} that belongs to a {a} of a {e}.",
    "Use this to learn a {e}'s {b} from its {a}.",
    "Takes the {a} of a {e} and tells its {b}.",
    "Find the {b} of the {e} with the given {a}.",
    "Maps a {a} to the {b} of the {e}.",
    "Finds a {b}. Input: the {a} of a {e}.",
    "Get {b} for a {e}; needs the {a}.",
    "From a {a} to a {b}.",
    "{a} -> {b}",
    "{e}: {a} to {b}.",
    "Answers with the {b} of a {e}. Expects the {a}.",
    "Input is the {a} of a {e}, output is its {b}.",
    "Reads the {b} of one {e} out of the register. The {e} is given by its {a}.",
    "When you have the {a} of a {e}, this returns the {b}.",
    "Service for {e} data: send a {a}, receive the {b}.",
    "Shows which {b} a {e} has. Call it with the {a}.",
    "Resolves the {a} of a {e} into the {b}.",
    "Queries the {b} by {a}.",
    "Give it the {a} of a {e}. You get back the {b}.",
    "Fetch a {e}'s {b} using its {a}.",
    "The {b} of a {e}, looked up by {a}.",
    "Obtain the {b} belonging to a {e}; the {a} must be known.",
    "Returns {b} for {a}.",
    "Converts the {a} of any {e} to the matching {b}.",
)
TERSE_DOCUMENTS = (
    "{b}",
    "The {b}.",
    "Get the {b}.",
    "{b} of a {e}.",
    "Returns the {b}.",
    "{e} {b}",
    "{b} by {a}",
    "{b} from {a}.",
)
STEP_DOCUMENTS = (
    "Return the {b} of a {e}, given its {a}. Get the {a} with {t} first.",
    "Second step after {t}: takes the {a} of a {e}, gives the {b}.",
    "Call {t} first for the {a}; then this returns the {b} of the {e}.",
    "Turns the {a} found by {t} into the {b}.",
)
PAIR_DOCUMENTS = (
    "Return the {b} of a {e}, given its {a} and its {a2}.",
    "Look up the {b} by {a} and {a2}.",
    "Needs the {a} and the {a2} of a {e}; gives the {b}.",
    "Find the {b} of the {e} with this {a} and this {a2}.",
    "Takes a {a} and a {a2}, returns the {b}.",
    "{a}, {a2} -> {b}",
    "Finds which {b} fits a {a} together with a {a2}.",
)
BRANCH_DOCUMENTS = (
    "Return the {b} between two {e} entries, given the {a} of both.",
    "Computes the {b} from two values of {a}.",
    "Takes the {a} of one {e} and the {a} of another, gives the {b}.",
    "{b} of a first {a} and a second {a}.",
    "Compares two {a} values of a {e} and returns the {b}.",
    "Given a start {a} and an end {a}, tells the {b}.",
)
FACTOR_DOCUMENTS = (
    "Multiplies a {a} by {f} and returns the {b}.",
    "Return the {b}: {f} times the {a}.",
    "Computes the {b} of a {e} as {a} * {f}.",
    "Takes the {a} of a {e}; the {b} is the {a} times {f}.",
    "Turns a {a} into a {b} with the factor {f}.",
    "{a} x {f} = {b}",
)
CALCULATOR_DOCUMENTS = (
    "Evaluate a mathematical expression.",
    "Calculator. Takes an expression such as 4*5 and returns the result.",
    "Computes a formula with + - * /.",
    "Does sums: give it an expression, it gives back the number.",
    "Works out the value of a mathematical expression, e.g. 7+12.",
    "Returns the result of a calculation.",
)
SPARE_DOCUMENTS = (
    "Spare service. Use it only when another tool says so.",
    "Reserve for {t}.",
    "Stand-in, not for normal use. {e} data by {a}.",
    "Second source for the {e} register. Use it when you are sent here.",
    "Alternative route to the {e} data.",
)
CODE_SENTENCES = (
    ' Requires code "{c}".',
    ' Requires code "{c}".',
    ' Needs the code "{c}".',
    ' Pass code "{c}" with every call.',
    ' Call it with code "{c}".',
    ' The code is "{c}".',
    ' Protected: code "{c}".',
)

QUERIES = (
    "What is the {b} of {S}?",
    "Tell me the {b} of {S}.",
    "I need the {b} of {S}.",
    "Find the {b} for {S}.",
    "Please give me the {b} of {S}.",
    "Could you look up the {b} of {S}?",
    "Which {b} does {S} have?",
    "Which {b} belongs to {S}?",
    "For {S}, what is the {b}?",
    "{b} of {S}?",
    "{b} of {S}, please",
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
)
HINTED_QUERIES = (
    "First get the {P} of {S}, then its {b}.",
    "Use the {P} of {S} to find the {b}.",
    "What is the {b} of {S}? You need the {P} first.",
    "Through the {P}, tell me the {b} of {S}.",
    "Find the {P} of {S} and with it the {b}.",
    "Get {S}'s {b} by way of the {P}.",
    "Look up the {P} of {S}; I want the {b} that goes with it.",
    "I want the {b} of {S}, which depends on the {P}.",
    "Take the {P} of {S} and then tell me which {b} it has.",
)
PAIR_QUERIES = (
    "What is the {b} of the {e} with {a} {x} and {a2} {y}?",
    "Find the {b} for {a} {x} and {a2} {y}.",
    "Which {b} has the {e} whose {a} is {x} and whose {a2} is {y}?",
    "Tell me the {b}: {a} {x}, {a2} {y}.",
    "I need the {b} of a {e}. The {a} is {x}, the {a2} is {y}.",
    "With {a2} {y} and {a} {x}, what is the {b}?",
)
BRANCH_QUERIES = (
    "What is the {b} between {S} and {S2}?",
    "Find the {b} of {S} and {S2}.",
    "Tell me the {b} from {S} to {S2}.",
    "I need the {b} for {S} and {S2}.",
    "Get the {a} of {S} and of {S2}, then the {b}.",
    "How large is the {b} between {S} and {S2}?",
    "Compare {S} with {S2}: which {b} do they have?",
)
FACTOR_QUERIES = (
    "What is the {b} for a {a} of {x}?",
    "The {a} is {x}. What is the {b}?",
    "Compute the {b} of a {e} with {a} {x}.",
    "Tell me the {b} when the {a} is {x}.",
    "{a} {x}: which {b}?",
)
CALCULATOR_QUERIES = (
    "What is {o}?",
    "Compute {o}.",
    "Please work out {o}.",
    "How much is {o}?",
    "I need the result of {o}.",
)
CALCULATOR_CHAIN_QUERIES = (
    "What is the {b} of {S} {o}?",
    "Take the {b} of {S} {o}.",
    "Find the {b} of {S}, {o}, and give the result.",
    "Get the {b} of {S}. How much is it {o}?",
    "I need the {b} of {S} {o}.",
)
OPERATIONS = {
    "*": ("times {n}", "multiplied by {n}"),
    "+": ("plus {n}", "increased by {n}"),
    "-": ("minus {n}", "reduced by {n}"),
    "/": ("divided by {n}", "split by {n}"),
}

NAMED_SUBJECTS = (
    "the {e} {x}",
    "the {e} named {x}",
    "the {e} called {x}",
    "{x}",
    "{x} (a {e})",
    "{e} {x}",
    "a {e} called {x}",
)
KEYED_SUBJECTS = (
    "the {e} with {s} {x}",
    "the {e} whose {s} is {x}",
    "the {e} that has the {s} {x}",
    "{s} {x}",
    "the {e} with the {s} {x}",
)
BARE_SUBJECTS = ("the {e}", "that {e}", "a {e}", "one of them", "it", "the one I told you about")

PADDING_BEFORE = (
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
)
PADDING_AFTER = (
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
)

TRANSIENT_ERRORS = (
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
)
REDIRECTION_ERRORS = (
    'use "{t}" instead',
    "This tool has moved. Call {t}.",
    "out of service, {t} takes over",
    "Please switch to {t}.",
    "replaced by {t}",
    "cannot answer here; ask {t}",
    'Not handled any more. "{t}" does it now.',
)
FATAL_ERRORS = (
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
)
OTHER_REFUSALS = (
    "I can't do this with the tools I have.",
    "Sorry, I cannot complete this.",
    "This cannot be answered.",
)
