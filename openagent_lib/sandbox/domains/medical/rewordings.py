"""Other words for the queries of the medical world: asked backwards, asked vaguely, and with a condition deleted.

Paper: Figure 3 (a missing condition, inverted logic). Assumption: the words are ours.
"""

from openagent_lib.sandbox.domain import Pool

INVERTED_QUERIES: dict[str, Pool] = {
    "direct": Pool(
        train=(
            "[Which|What] drug code has the {attribute} {value}?",
            "[Find|Give me] the drug code that goes with the {attribute} {value}.",
            "The {attribute} on [this|my] pack is {value}. What is the drug code?",
            "[I|We] can read {value} as the {attribute}; which drug code is it for?",
        ),
        test=(
            "[A|This] box shows {value} where the {attribute} goes. Under which drug code do we file it?",
            "Somewhere a drug code leads to the {attribute} {value}; [report|state] that code.",
            "Start at {value}, noted as {attribute}, and report the drug code [it stands for|behind it].",
            "Drug code [wanted|sought]. Known so far: {attribute} {value}.",
        ),
    ),
    "look_up": Pool(
        train=(
            "What is the name of the [drug|medicine] with the {attribute} {value}?",
            "[Which|What] drug name belongs to the {attribute} {value}?",
            "The {attribute} is {value}. What is the [drug|medicine] called?",
            "I found a pack with {value} as its {attribute}. [Tell|Give] me the name of the drug.",
        ),
        test=(
            "[Someone|Somebody] wrote {value} as {attribute} and left out what the drug is called. Fill that in.",
            "By what name do we know the [drug|medicine] carrying {attribute} {value}?",
            "Name that [drug|medicine]: its {attribute} reads {value}.",
            "On [an empty|a torn] box only {value} is left, the {attribute}. Which medicine was inside, by name?",
        ),
    ),
}
"""Templates that ask for the drug code (`direct`) or the drug name (`look_up`) that belongs to a value."""

BLURRED_QUERIES: dict[str, Pool] = {
    "direct": Pool(
        train=(
            "There is something about {id} I forgot: the {attribute}[, I think|].",
            "I keep looking at {id} here; it is the {attribute} that [I am after|I miss].",
            "[Somebody|A nurse] mentioned {id}, and now I wonder about the {attribute}.",
        ),
        test=(
            "Got {id} in my hand, but [no|little] idea as to the {attribute}.",
            "So, {id} again, and once more it is the {attribute} nobody remembers[ here|].",
            "Your papers on {id} must mention the {attribute} somewhere, I [guess|suppose].",
        ),
    ),
    "look_up": Pool(
        train=(
            "I am [a bit|somewhat] lost with {name}; it is about the {attribute}.",
            "What was it [again|now] with {name} and the {attribute}?",
            "Somebody on the phone talks about {name}, and I think [she|he] means the {attribute}.",
        ),
        test=(
            "They are giving {name} [now|today], and as for the {attribute}, I am none the wiser.",
            "{name}, that one, well, [how|what] about the {attribute} of it?",
            "Anything you have on {name} will do, so long as it says the {attribute}[ of it|].",
        ),
    ),
    "search": Pool(
        train=(
            "[Over on|On] {area} they have some {category}, and I wonder about the {attribute} of it.",
            "It is about the {category} they use on {area}; the {attribute} is [not clear|unclear] to me.",
            "I was on {area} and saw the {category}, but I [forgot|missed] the {attribute}.",
        ),
        test=(
            "Folks on {area} swear by their {category}, though the {attribute} [escapes|eludes] me.",
            "{area}, you know, and the {category} in use there: the {attribute} would [settle it|do].",
            "[Word is|They say] that {area} has the {category} lying around, and I have to come up with the "
            "{attribute} of it.",
        ),
    ),
    "nearest": Pool(
        train=(
            "We [have no more|are out] of {name} and would take what comes closest; it is about the {attribute} of "
            "that.",
            "If not {name}, then the [thing|drug] most like it, and I wonder about the {attribute} of that.",
            "Something close to {name} has to do now. [I am not sure about|I forgot] the {attribute} of that.",
        ),
        test=(
            "{name} is no more, so we go for the nearest thing, and there the {attribute} is a blank to [me|us].",
            "Could be anything close, the closest [really|even], only not {name}; the {attribute} of that is the "
            "point.",
            "[Let us|We must] do without {name}. The one to step in for it, well, the {attribute}?",
        ),
    ),
    "reduction": Pool(
        train=(
            "{name}, but with kidneys that are not doing [so|too] well, how much then?",
            "I am not sure how much of {name} is still fine when the kidneys [are weak|do little].",
            "The kidneys are a problem [here|now], so it should be less of {name}; about how much is it?",
        ),
        test=(
            "Those [poor|weak] kidneys, and now {name} on top; a smaller dose then, but what size?",
            "Full strength is out for such kidneys, so where do [we|they] land with {name}?",
            "Go easy on the kidneys with {name}, [she|he] said, without telling me the dose.",
        ),
    ),
    "conversion": Pool(
        train=(
            "{name} is liquid here, so how many of those little drops [go in|do I give]?",
            "I have the bottle of {name} and no tablets. [I wonder|I am not sure] about the drops.",
            "It is about drops with {name}; how many would be the [normal|usual] thing?",
        ),
        test=(
            "[There|Here] I stand with {name} and a dropper, and do not know when to stop.",
            "Mg means [nothing|little] to me when I drip {name}; put it in drops.",
            "Drip, drip goes {name}, and that how often, for [the|one] regular dose?",
        ),
    ),
    "total": Pool(
        train=(
            "There will be {count} doses of {name}, and I wonder what [it|that] all comes to.",
            "It is [a lot|quite a bit] of {name}, with {count} doses; how much do we end up with?",
            "[Somebody|A nurse] wants {count} doses of {name}. How much would that be, all in all?",
        ),
        test=(
            "We went through {count} doses of {name}; what did that [eat|use] up of our stock?",
            "Lay {count} doses of {name} side by side, and the [lot|whole] weighs what?",
            "After {count} doses of {name}, where does the tally [stand|end]?",
        ),
    ),
    "difference": Pool(
        train=(
            "{id} seems to have more in a dose than {other_id}. [More|And more] by how much?",
            "I [wonder|am not sure] how far the doses of {id} and {other_id} are apart, the first being larger.",
            "Somebody said the dose of {id} is well above {other_id}; how much [is it|would that be]?",
        ),
        test=(
            "A dose of {id} looks [big|large] against {other_id}, so what is the extra?",
            "Had it been {other_id} [rather than|and not] {id}, what would the patient have been spared per dose?",
            "{id} beats {other_id} on the dose, [they claim|it is said], by some figure I never caught.",
        ),
    ),
    "gap": Pool(
        train=(
            "{name} now, {other_name} later; how much later [is fine|is safe]?",
            "I [wonder|am not sure] how soon one can take {other_name} when there was {name} before.",
            "It is about {name} and {other_name} and the hours [one waits|to wait] in between.",
        ),
        test=(
            "Not both at once, {name} and {other_name}, that much I [gather|know]; so how long a break?",
            "First comes {name}, and {other_name} has to hold off [a while|a bit], but until when?",
            "Is there some [rest|quiet] period that {name} wants before {other_name}, and of what length?",
        ),
    ),
    "duration": Pool(
        train=(
            "Somebody had {name} and {other_name}; how long do we keep an eye on [her|him]?",
            "It is about {name} with {other_name} and how long one should [sit|stay] and watch.",
            "I wonder when [we|they] can stop watching a patient who got {name} and {other_name}.",
        ),
        test=(
            "What with {name} and {other_name} both inside, till when am I [stuck|kept] observing?",
            "Someone must stay and look on after {name} and {other_name}, though for what [stretch|length]?",
            "Eyes on the patient, because of {name} and {other_name}; for [how long|how many minutes] then?",
        ),
    ),
}

BLURRED_ATTRIBUTES: dict[str, Pool] = {
    "contact": Pool(
        train=("mark of the batch", "number of the lot", "batch mark"),
        test=("production run", "lot marking", "sign of the manufacturing series"),
    ),
    "permit": Pool(
        train=("approval mark", "number on the approval paper", "permission number"),
        test=("official clearance", "reference with the authorities", "mark of lawful use"),
    ),
    "window": Pool(
        train=("right time of day", "daily time span", "time of giving"),
        test=("proper part of the day", "slot in the daily routine", "daily period of use"),
    ),
    "area": Pool(
        train=("home ward", "part of the hospital", "keeping station"),
        test=("unit in charge", "home within the building", "responsible section"),
    ),
    "amount": Pool(
        train=("normal dose", "usual mg", "size of one dose"),
        test=("customary strength", "quantity for a single use", "regular measure in milligrams"),
    ),
}

VAGUE: dict[str, Pool] = {
    "name": Pool(
        train=("that drug", "the drug", "this medicine", "the medicine from before"),
        test=(
            "the remedy we spoke about",
            "what the patient had",
            "the stuff from last time",
            "a drug I cannot recall",
        ),
    ),
    "other_name": Pool(
        train=("another drug", "the second drug", "the other medicine", "some other medicine"),
        test=("the one that comes after", "whatever else was ordered", "the next remedy", "a further preparation"),
    ),
    "id": Pool(
        train=("one entry in the file", "this item", "one of our drugs", "the drug in question"),
        test=("the pack on my desk", "an item from the list", "the one I noted down", "what was delivered"),
    ),
    "other_id": Pool(
        train=("some other drug", "the second entry", "the other item", "a different drug"),
        test=("the pack beside it", "one more from the list", "the one we had earlier", "what he got instead"),
    ),
    "category": Pool(
        train=("drug", "medicine", "product", "item"),
        test=("remedy", "preparation", "bottle", "substance"),
    ),
    "area": Pool(
        train=("that ward", "the ward", "this floor", "our station"),
        test=("the unit upstairs", "a ward nearby", "our side of the building", "the corridor we passed"),
    ),
    "count": Pool(
        train=("the ordered", "a number of", "many", "the planned"),
        test=("quite a few", "the remaining", "an unknown number of", "plenty of"),
    ),
}
