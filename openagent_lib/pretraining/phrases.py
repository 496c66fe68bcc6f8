"""Templates of questions and of what they are about, in pools: `train` for the training, `test` for the scores.

`[a|b|]` stands for one of its parts. Fields: `{b}` what is asked for, `{S}` the thing asked about, `{P}` the values in
between, `{a}` what a tool takes, `{e}` the kind of thing, `{d}` an attribute without a part in it.

Assumption: all templates are ours.
"""

from openagent_lib.sandbox.domain import Pool

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
