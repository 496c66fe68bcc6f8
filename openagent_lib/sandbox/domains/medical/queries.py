"""Query templates of the medical world by shape.

Assumption: the templates are ours. A `train` and a `test` template never share a surface form.
"""

from openagent_lib.sandbox.domain import Pool

QUERIES: dict[str, Pool] = {
    "direct": Pool(
        train=(
            "[Please read|Read] me the {attribute} of {id} from the drug file.",
            "[The|Our] drug file lists {id}. What is its {attribute}[ there|]?",
            "[I am|We are] filling in a drug card for {id} and need the {attribute}.",
            "[Which|What] {attribute} is on record in the pharmacy for {id}?",
            "[The nurse|The doctor|A colleague] asks for the {attribute} of {id}.",
            "{id} came up on [my|our] drug list; what {attribute} does it have?",
            "Drug check: {attribute} of {id}[, please|].",
            "[Can|Could] the pharmacy tell me the {attribute} of {id}?",
            "Before I [hand out|give out] {id}, I have to know its {attribute}.",
            "I am reading the pharmacy list for [this morning|today], and next to {id} the {attribute} is blank. "
            "What is it?",
        ),
        test=(
            "[According to|Going by] the pharmacy records, which {attribute} goes with {id}?",
            "Pull up {id} in the drug register and [read out|write out] its {attribute}.",
            "On the medicine label of {id}, the {attribute} has [faded|come off]. What should be printed there?",
            "{id}, {attribute}: what does the pharmacy have on [file|paper]?",
            "[A|This] patient form wants the {attribute} filled in for {id}. What do I write[ down|]?",
            "Drug desk here: {attribute} [wanted|missing] for {id}.",
            "The [evening|early] round starts soon, and the sheet for {id} still lacks its {attribute}. Please "
            "complete it.",
        ),
    ),
    "look_up": Pool(
        train=(
            "[Our|The] pharmacy stocks {name}. What is its {attribute}?",
            "[What|Which] {attribute} does the drug file show for {name}?",
            "[I|We] need to note the {attribute} of {name} on the patient's chart.",
            "{name}: please give [me|us] its {attribute} from the drug list.",
            "Would you check the [drug|pharmacy] entry of {name} for its {attribute}?",
            "A patient is about to get {name}[ this evening|], so tell me its {attribute}.",
            "Drug card of {name}: {attribute}[, please|]?",
            "The [doctor|head nurse] has ordered {name} and would like to know its {attribute}.",
            "I am going through the drug trolley one item at a time. Next is {name}, and I [want|need] its "
            "{attribute}.",
        ),
        test=(
            "Open the drug register at {name} and copy out the {attribute}[ for me|].",
            "For the [evening|early] round I have to carry the {attribute} of {name} with me. What do I note?",
            "Suppose {name} is prescribed[ tonight|]: which {attribute} must the nurse write down?",
            "The dispensing sheet for {name} has no {attribute}[ on it| yet]; what belongs there?",
            "Remind me, [pharmacist|colleague]: {name} has which {attribute}?",
            "Medicine [query|request], {name}, {attribute} only.",
            "The patient by the window is asking about {name}; all [she|he] wants from us is the {attribute}.",
        ),
    ),
    "search": Pool(
        train=(
            "What is the {attribute} of the {category} [stocked|kept] on {area}?",
            "Staff on {area} use the {category} they have in stock; [tell me|I need] its {attribute}.",
            "[There is|They keep] one {category} on {area}. Which {attribute} does it have?",
            "On {area} the drug cupboard holds the {category} I [have to|must] give. What is its {attribute}?",
            "[Please tell|Tell] me the {attribute} for the {category} that {area} has in its cupboard.",
            "{category} on {area}: {attribute}[, please|]?",
            "[The nurse|The doctor] on {area} wants the {attribute} of the {category} there.",
            "I work on {area} and only know that we stock one {category}. [Could|Can] you get me its {attribute}?",
            "[Please find|Find] the {category} in the stock of {area} and read me its {attribute}.",
        ),
        test=(
            "[Check|Inspect] the medicine shelf on {area}: which {attribute} is given for its {category}?",
            "Whatever {category} {area} keeps in store, I should like to [see|read] its {attribute}.",
            "Taking the {category} from the shelf on {area}, what {attribute} will I [read|see] on its card?",
            "[Nurses|People] on {area} are unsure about their {category}. Please supply that drug's {attribute}.",
            "Stock sheet, {area}, {category}: [fill in|enter] the {attribute}.",
            "We are moving to {area} tonight, where a single {category} is in use; write down its {attribute} for "
            "[us|the team].",
            "At the beds on {area}, patients are given [just|only] one {category}. Could I have its {attribute}?",
        ),
    ),
    "nearest": Pool(
        train=(
            "What is the {attribute} of the closest [substitute|replacement] for {name}?",
            "{name} has run out. [Give|Tell] me the {attribute} of its closest substitute.",
            "[Please find|Find] the closest substitute for {name} and tell me its {attribute}.",
            "[When|If] {name} is out of stock, the closest substitute is used. I need the {attribute} of the "
            "substitute.",
            "Closest substitute for {name}: {attribute}[, please|]?",
            "The patient cannot take {name}, so [tell me|look up] the {attribute} of the closest replacement.",
            "Please look for the closest substitute of {name} in the drug file; I only [want|need] its {attribute}.",
            "[Could|Can] you tell me the {attribute} of the drug that comes closest to {name}?",
            "[Our|The] last pack of {name} is gone and the next delivery is a week away. Which {attribute} does the "
            "closest substitute have?",
        ),
        test=(
            "Instead of {name}, I will give [whichever|whatever] drug is the nearest to it. What is that drug's "
            "{attribute}?",
            "Now that {name} is used up, which {attribute} [does its nearest stand-in have|has its nearest stand-in]?",
            "Swap {name} for the closest drug we [hold|carry], and report the {attribute} of the new one.",
            "Substitution sheet for {name}: [enter|fill in] the {attribute} of the closest match.",
            "Nobody may have {name} [today|any more]. For the drug that replaces it most closely, what {attribute} "
            "is on file?",
            "The maker has dropped {name}, and we must turn to the closest alternative, whose {attribute} I do not "
            "have. [What|Which] is it?",
            "Nearest equivalent of {name}, [its|with its] {attribute} only.",
        ),
    ),
    "reduction": Pool(
        train=(
            "What is the reduced dose of {name} for [weak kidneys|a patient with weak kidneys]?",
            "A patient with weak kidneys is to get {name}. [How many mg|What dose] should it be?",
            "[Tell me|Please tell me] the dose of {name} when the kidneys are weak.",
            "{name}, weak kidneys: [what|which] dose?",
            "How large is one dose of {name} for [someone|somebody] with weak kidneys?",
            "The kidneys of [my|our] patient are weak, so I need the lowered dose of {name} in mg.",
            "Lower the standard dose of {name} for weak kidneys[ and give me the result|].",
            "The [doctor|pharmacist] has ordered {name}, but the patient's kidneys do not work well. Which reduced "
            "dose do we give?",
            "[I|We] must cut the dose of {name} because of weak kidneys; how many mg are left?",
        ),
        test=(
            "With weak kidneys, {name} is [given|dosed] at how many mg?",
            "Because the kidneys of the [man|woman] by the door are weak, {name} has to be scaled down. To what dose?",
            "Adjust {name} for poor kidneys and report the dose[ in mg|].",
            "[Her|His] kidneys are weak, and the chart still shows the full dose of {name}. Which lower dose "
            "belongs there?",
            "Once the rule for weak kidneys is applied to {name}, [what|which] dose remains?",
            "Which dose of {name} is right for kidneys that [work|function] poorly?",
        ),
    ),
    "conversion": Pool(
        train=(
            "How many drops [are in|make up] one standard dose of {name}?",
            "What is the [standard dose|dose] of {name} in drops?",
            "I give {name} as drops. How many [drops|of them] make one dose?",
            "[Please convert|Convert] the standard dose of {name} into drops.",
            "{name}: dose in drops[, please|]?",
            "The patient [cannot swallow tablets|has trouble with tablets] and takes {name} as drops; how many are "
            "needed per dose?",
            "[Tell me|Work out] how many drops of {name} to count out for a standard dose.",
            "[We|I] only have the dropper bottle of {name}. What is the standard dose, counted in drops?",
            "For one standard dose of {name}, [I|we] need the number of drops.",
        ),
        test=(
            "Counted by the drop, how large is [a usual|the usual] dose of {name}?",
            "Turn the mg dose of {name} into a [number|count] of drops for me.",
            "[The|My] patient takes {name} from a spoon, drop by drop. After how many is the standard dose complete?",
            "Through a dropper, {name} is given as how many drops[ per dose|]?",
            "The [chart|form] states the dose of {name} in mg, yet the bottle counts drops. How many does that come "
            "to?",
            "Liquid form of {name}: state the drops [per|for each] dose.",
            "How often must the dropper drip to [deliver|yield] one dose of {name}?",
        ),
    ),
    "total": Pool(
        train=(
            "How many mg are {count} standard doses of {name} [together|in total]?",
            "[I|We] give {count} doses of {name}. How many mg is that in total?",
            "What do {count} standard doses of {name} add up to[ in mg|]?",
            "A patient has had {count} doses of {name} so far; [work out|tell me] the total in mg.",
            "{count} doses of {name}: total mg[, please|]?",
            "[Please add|Add] up {count} standard doses of {name} for me.",
            "If someone takes {count} doses of {name}, how many mg do they get[ altogether| in all]?",
            "The plan for [this|next] week holds {count} standard doses of {name}. How many mg must the pharmacy "
            "set aside?",
            "[Give|Tell] me the total mg in {count} doses of {name}.",
        ),
        test=(
            "Over {count} rounds [the|one] patient receives {name}, one dose each time. What does the whole come to "
            "in mg?",
            "Sum in mg for {count} doses of {name}[, please|]?",
            "Handing out {count} doses of {name} uses up how many mg[ altogether|]?",
            "Suppose {count} patients each get one standard dose of {name}: how many mg leave the [shelf|store]?",
            "The order slip asks for {count} doses of {name}, but the store counts by the mg. What do I [enter|order]?",
            "One dose of {name} a day for {count} days makes what total[ in mg|]?",
        ),
    ),
    "difference": Pool(
        train=(
            "How much greater is the standard dose of {id} than [that|the one] of {other_id}?",
            "By how many mg is the standard dose of {id} [larger|higher] than the one of {other_id}?",
            "What is the difference in mg between the [standard|usual] doses of {id} and {other_id}?",
            "{id} has a larger standard dose than {other_id}. [How much|How many mg] larger is it?",
            "Standard dose of {id} minus standard dose of {other_id}: how [many mg|much]?",
            "[Please subtract|Subtract] the standard dose of {other_id} from that of {id}.",
            "[I am|We are] changing from {id} to {other_id}. How many mg less is the standard dose?",
            "Of the two doses, that of {id} is the [bigger|larger]. How far, in mg, is it above that of {other_id}?",
        ),
        test=(
            "Next to {other_id}, how many extra mg does [a|one] standard dose of {id} hold?",
            "[Put|Lay] one dose of {id} beside one of {other_id}: the first outweighs the second by how many mg?",
            "Someone gave {id} where {other_id} was meant. By [what|which] number of mg was the dose too high?",
            "[Going|Stepping] down to {other_id} takes how many mg off the standard dose of {id}?",
            "Take one dose of {other_id} away from one dose of {id}. What remains[, in mg|]?",
            "{other_id} comes in the smaller dose; {id} [tops|beats] it by how many mg?",
            "[The pharmacist says|They say] one dose of {id} is heavier than one of {other_id}. How big is the step "
            "in mg?",
        ),
    ),
    "gap": Pool(
        train=(
            "How many hours [must|should] lie between {name} and {other_name}?",
            "What is the minimum interval between {name} and {other_name}[ in hours|]?",
            "After {name}, how many hours must [a patient|someone] wait before taking {other_name}?",
            "[Tell me|Please tell me] the shortest [time|interval] in hours allowed between {name} and {other_name}.",
            "{name} and {other_name}: minimum interval in hours[, please|]?",
            "[A|My] patient takes both {name} and {other_name}. How many hours apart must they be?",
            "[I|We] want to give {other_name} after {name}; what is the least number of hours to wait?",
            "The nurse gave {name} [this morning|earlier] and has {other_name} ready. What interval in hours does "
            "the pharmacy demand between the two?",
        ),
        test=(
            "Once {name} is taken, {other_name} [may|can] follow no sooner than how many hours later?",
            "Keep {name} away from {other_name} for how many hours[, at the least|]?",
            "The plan puts {other_name} behind {name}. How many hours do we have to leave free[ at least|]?",
            "Least spacing in hours, {name} [to|until] {other_name}?",
            "Two drugs are due[ today|], {name} and {other_name}, and they must not be given close together. State "
            "the hours to keep them apart.",
            "Say {name} was [given|swallowed] just now; how many hours until {other_name} is allowed?",
        ),
    ),
    "duration": Pool(
        train=(
            "What is the observation time for {name} with {other_name}[ in minutes|]?",
            "How many minutes must [a|the] patient be watched after {name} and {other_name}?",
            "[Tell me|Please tell me] the observation time in minutes when {name} and {other_name} are given.",
            "{name} plus {other_name}: observation time[, please|]?",
            "A patient gets {name} and then {other_name}. How long[, in minutes,|] is the observation time?",
            "We give {name} together with {other_name}; for how many minutes [do|must] we observe the patient?",
            "[Please work|Work] out how long, in minutes, to watch someone who has had both {name} and {other_name}.",
            "The [doctor|head nurse] plans {name} and {other_name} for the same patient and asks for the "
            "observation time.",
        ),
        test=(
            "Following {name} and later {other_name}, the patient [stays|is kept] under observation for how many "
            "minutes?",
            "How many minutes of observation do {name} and {other_name} [call for|require]?",
            "Both {name} and {other_name} are on the chart. For how long, in minutes, must [the|a] nurse stay and "
            "observe?",
            "Set the [bedside|ward] timer for a patient on {name} with {other_name}: how many minutes of observing?",
            "Someone on {name} is now given {other_name} too and must not be left [alone|unseen]. How many minutes "
            "does the observing last?",
            "Observing {name} beside {other_name}: minutes[, please|]?",
        ),
    ),
}
