"""Questions about places asked the other way round, only hinted at, or with a condition left out.

Paper: Figure 3 (a telephone number leads to the name; a condition is absent).
Assumption: the wording is ours.
"""

from openagent_lib.sandbox.domain import Pool

INVERTED_QUERIES: dict[str, Pool] = {
    "direct": Pool(
        train=(
            "Which place id has the {attribute} {value}?",
            "[Tell|Give] me the id of the place with the {attribute} {value}.",
            "I [have|found] the {attribute} {value} and need the place id that belongs to it.",
            "The {attribute} is {value}. Which place id does it belong to?",
            "[Find|Look up] the place id for the {attribute} {value}.",
        ),
        test=(
            "{value} is listed as somebody's {attribute}; kindly [quote|supply] the id of the place concerned.",
            "Under what place id would I find {value} entered as {attribute}?",
            "hey, whose {attribute} is {value}? just the id [will do|is fine]",
            "Trace the {attribute} {value} back to its place id.",
            "On a scrap of paper I noted {value}, a {attribute}. I'd like the id of the place behind it.",
        ),
    ),
    "look_up": Pool(
        train=(
            "Which place has the {attribute} {value}?",
            "[Tell|Give] me the name of the place with the {attribute} {value}.",
            "I [have|found] the {attribute} {value} and want to know the name of the place.",
            "The {attribute} is {value}. What is the name of the place?",
            "[Find|Look up] the name of the place for the {attribute} {value}.",
        ),
        test=(
            "What do people call the place that [lists|gives] {value} as its {attribute}?",
            "A note in my drawer reads {value}, apparently a {attribute}. Kindly name the place behind it.",
            "hey, {value} is the {attribute} of where? a name [will do|is fine]",
            "By name, what place goes with {value} as {attribute}?",
            "Name whichever place is entered in the books with {value} for a {attribute}.",
        ),
    ),
}
BLURRED_QUERIES: dict[str, Pool] = {
    "direct": Pool(
        train=(
            "I may [go to|visit] {id} soon, and to have the {attribute} would help me.",
            "{id} is on my list, but I am not sure about the {attribute}.",
            "Before I deal with {id}, it would be good to have the {attribute}.",
            "Someone will ask me about {id} later, mostly about the {attribute}.",
            "I have {id} in front of me and am still missing the {attribute}.",
        ),
        test=(
            "Not having the {attribute} for {id} [bothers|worries] me a little.",
            "My plans around {id} hang on the {attribute}, I suppose.",
            "Wouldn't it be handy to hold the {attribute} for {id} in my hands?",
            "I was told to prepare for {id}; learning the {attribute} might be a start.",
            "{id}, hmm, no idea yet regarding the {attribute}",
        ),
    ),
    "look_up": Pool(
        train=(
            "I would like to [go to|see] {name} one day, but without the {attribute} I cannot plan it.",
            "If only I had the {attribute} for {name} with me.",
            "I am thinking about {name} and wonder about the {attribute}.",
            "My friend talks about {name} all the time; now I am curious about the {attribute}.",
            "With {name} in mind, I could use the {attribute}.",
        ),
        test=(
            "{name} [came up|was mentioned] over dinner, though nobody could recall the {attribute}.",
            "Guess I won't get far with {name} unless somebody gives me the {attribute}.",
            "It's all settled for {name}, save for the {attribute}.",
            "People keep praising {name}; a hint at the {attribute} would make my day.",
            "There's an empty line in my diary beside {name}, left open for the {attribute}.",
        ),
    ),
    "search": Pool(
        train=(
            "I will be in {area} soon and would go to the {category} there, if I had the {attribute}.",
            "There should be a {category} in {area}; to have the {attribute} for it would help me.",
            "I heard about the {category} in {area} and [wonder|am not sure] about the {attribute}.",
            "Maybe we go to the {category} in {area}, but first I would like to have the {attribute}.",
        ),
        test=(
            "Friends rave about some {category} in {area}, yet none of them recalled the {attribute}.",
            "An afternoon at the {category} in {area} sounds lovely, but I'm short of the {attribute}.",
            "Can't picture a visit to the {category} over in {area} without some idea of the {attribute}.",
            "Passing through {area}, I might drop by the {category}, [given|armed with] the {attribute}.",
        ),
    ),
    "nearest": Pool(
        train=(
            "After {name} I may go on to the place nearest to it, if I had the {attribute} for that one.",
            "I wonder about the place nearest to {name}, mainly about the {attribute}.",
            "When {name} is too full, I would go to the nearest other place, but I am missing the {attribute} for it.",
            "We like {name} and may also see the nearest place; I [need|want] the {attribute} for it.",
        ),
        test=(
            "{name} could get crowded, so I'm eyeing its closest neighbour, though hardly without the {attribute}.",
            "Once done with {name}, we head for whatever lies closest, so somebody ought to have the {attribute}.",
            "Funny that I know {name} so well, but not even the {attribute} of its closest neighbour.",
            "The closest neighbour of {name} intrigues me, the {attribute} [above all|in particular].",
        ),
    ),
    "reduction": Pool(
        train=(
            "I have a coupon for {name} and wonder what is left to pay.",
            "With my student card, {name} should be cheaper for me, and I want to know what I pay.",
            "They take something off the price for me at {name}, so I want to [bring|have] the right money.",
            "I hope that the lower price that I get at {name} fits my budget.",
        ),
        test=(
            "Holding a voucher, I'm curious how gentle {name} will be on my purse.",
            "The cashier promised me [a price cut|money off] at {name}; now I'm counting my coins.",
            "{name} treats its members to a softer charge, and I happen to be a member.",
            "Nobody with my pass pays the whole charge at {name}, I gather, so where does that leave me?",
        ),
    ),
    "conversion": Pool(
        train=(
            "I only carry crowns, and {name} is where I want to go in.",
            "I wonder if my crowns are enough to [enter|visit] {name}.",
            "I think in crowns, so the price at {name} tells me little.",
            "My money is all in crowns and I hope to get into {name}.",
        ),
        test=(
            "My purse holds nothing but regional money, and {name} is next on our tour.",
            "Having swapped all my cash for crowns, I'm curious how many of them {name} will take off me.",
            "Back home we count in crowns, hence the price sign at the door of {name} puzzles me.",
            "A handful of crowns ought to [get|see] me past the door of {name}, though how big a handful?",
        ),
    ),
    "total": Pool(
        train=(
            "I will pay for {count} people at {name} and want to bring enough money.",
            "It is my turn to get {count} tickets for {name}, and I wonder how much money I need.",
            "Our group needs {count} tickets for {name}, and I hope that they are not too expensive together.",
            "I am saving [money|up] for {count} tickets to {name}.",
        ),
        test=(
            "With {count} tickets to buy at {name}, my purse is in for a surprise.",
            "Whoever treats {count} visitors to {name} had better know what is coming.",
            "The budget has to stretch to {count} admissions at {name}, [I'm told|they say].",
            "Nobody has told me yet what {count} admissions to {name} will do to our cash box.",
        ),
    ),
    "difference": Pool(
        train=(
            "I like {id} better, but {other_id} is cheaper, and I wonder how much that matters.",
            "If I take {id} and not {other_id}, I pay a bit more, and I want to be sure how much.",
            "My budget may not allow {id}, so I think about {other_id} and [what|how much] I would save.",
            "They say that {id} is more expensive than {other_id}, and I am curious.",
        ),
        test=(
            "Going with {id} when there's {other_id} must cost me something extra, surely.",
            "{other_id} would leave some coins in my pocket [compared with|next to] {id}.",
            "Swapping {id} for {other_id} ought to please my bank account, but how far?",
            "Between us, is {id} all that much dearer than {other_id}?",
        ),
    ),
    "gap": Pool(
        train=(
            "I want to walk from {name} to {other_name}, but it may be too far.",
            "I hope that {other_name} is not too far from {name}.",
            "My map does not show how [near|close] {name} and {other_name} are to each other.",
            "I plan a run from {name} to {other_name} and want to count the kilometres.",
        ),
        test=(
            "From {name} my feet would have to carry me kilometre after kilometre over to {other_name}.",
            "The map is too small to tell whether {name} and {other_name} lie side by side or miles apart.",
            "Our nearly empty tank must get us from {name} to {other_name}; let us hope the stretch is modest.",
            "Are {name} and {other_name} a stone's throw from each other, or [rather not|well beyond that]?",
        ),
    ),
    "duration": Pool(
        train=(
            "I leave {name} late and do not want to miss the start at {other_name}, so the trip should be short.",
            "I have little time between {name} and {other_name}, and I wonder if the trip fits.",
            "My lunch break may be too short for the [trip|way] from {name} to {other_name}.",
            "They wait for me at {other_name} while I am still at {name}, and I want to say how long I need.",
        ),
        test=(
            "Somebody at {other_name} is watching the clock, and I've only just left {name}.",
            "Will my patience outlast the ride from {name} to {other_name}?",
            "Between {name} and {other_name} I could read a chapter or two, depending on the minutes.",
            "No clue how early to [get going|set out] from {name} so as not to be late at {other_name}.",
        ),
    ),
}
"""The intent is only hinted at; `{attribute}` is filled from `BLURRED_ATTRIBUTES`."""
BLURRED_ATTRIBUTES: dict[str, Pool] = {
    "contact": Pool(
        train=("number to call", "phone details", "digits to dial", "line for calls"),
        test=("means of ringing up", "hotline", "voice contact", "callback line"),
    ),
    "permit": Pool(
        train=("permit details", "official permit code", "number on the permit", "permission to do business"),
        test=("proof of legal approval", "registry mark", "authorisation on paper", "official go-ahead"),
    ),
    "window": Pool(
        train=("visiting times", "business hours", "times with open doors", "time to come in"),
        test=("daily timetable", "doors-open period", "visitor schedule", "period of access"),
    ),
    "area": Pool(
        train=("part of town", "surrounding area", "quarter", "side of the city"),
        test=("neighbourhood", "borough", "corner of the city", "rough whereabouts"),
    ),
    "amount": Pool(
        train=("cost of entry", "entrance fee", "ticket cost", "money to pay at the door"),
        test=("admission charge", "sum asked at the gate", "tariff for one visit", "expense of getting in"),
    ),
}
VAGUE: dict[str, Pool] = {
    "name": Pool(
        train=("that place", "the place", "a certain place", "the place we talked about", "one of the places"),
        test=("our usual spot", "some pretty corner", "the one my cousin adores", "a place I once saw"),
    ),
    "other_name": Pool(
        train=("the other place", "another place", "the next place", "the place after that"),
        test=("the second stop", "the one across the river", "the one we went on to", "wherever comes afterwards"),
    ),
    "id": Pool(
        train=("that entry", "the first record", "this one", "the place on my list"),
        test=("my saved item", "whatever I viewed before", "the top line of the printout", "the pricey option"),
    ),
    "other_id": Pool(
        train=("the other entry", "the second record", "that other one", "the other place on my list"),
        test=("my older item", "something humbler", "the line further down", "the modest option"),
    ),
    "category": Pool(
        train=("place", "spot", "building", "nice place"),
        test=("venue", "thing worth seeing", "well-known attraction", "something-or-other"),
    ),
    "area": Pool(
        train=("that part of town", "that area", "one of the districts", "the same district"),
        test=("our usual quarter", "the bit by the water", "some neighbourhood or other", "the zone I mentioned"),
    ),
    "count": Pool(
        train=("some", "the", "those", "enough"),
        test=("a few", "several", "a handful of", "our usual number of"),
    ),
}
"""Noun phrases by slot that stand where a condition is absent."""
