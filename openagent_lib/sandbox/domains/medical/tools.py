"""The tools of the medical world: names and documents, swapped look-ups, and tools beside the point.

Paper: Figure 3 (verification codes, a rule that multiplies, inverted logic). Assumption: the words are ours.
"""

from openagent_lib.sandbox.domain import InvertedText, Pool, ToolText

TOOLS: tuple[ToolText, ...] = (
    ToolText(
        function="find",
        name="identify_drug",
        description="Drug code of a drug in this pharmacy, found by its name. Start here when only the name is known.",
        keys=("drug_name",),
        takes="the name of a drug",
        returns="the drug code",
        names=Pool(
            train=("drug_to_code", "code_for_drug", "resolveDrug", "register_entry"),
            test=("match-medicine", "medicineKey", "recognise_remedy", "codeFromTitle"),
        ),
        descriptions=Pool(
            train=(
                "Finds the drug code when you know what a drug is called.",
                "Give it the name of a drug and it tells you the drug code.",
                "For every drug name in the file there is one drug code; this finds it.",
                "Use it first to swap a drug name for the drug code.",
            ),
            test=(
                "Enter what is written on the box, the name, and the pharmacy replies with its drug code.",
                "How does the pharmacy number a drug? Send the name to learn the code.",
                "Name in, drug code out, as the first step of most requests.",
                "Every later step wants a drug code; a name is enough to obtain it here.",
            ),
        ),
    ),
    ToolText(
        function="search",
        name="list_stock",
        description="Name of the drug that a ward has in stock, by drug class and ward. Gives the name, not the code.",
        keys=("drug_class", "ward_name"),
        takes="a drug class and a ward",
        returns="the name of the drug stocked there",
        names=Pool(
            train=("drug_on_ward", "ward_cupboard", "findWardStock", "stocked_drug"),
            test=("shelf-check", "unitInventory", "class_at_hand", "what_is_kept"),
        ),
        descriptions=Pool(
            train=(
                "Finds the name of the drug that is kept on a ward when you know its drug class.",
                "Give it a drug class and a ward and it tells you which drug is there, by name.",
                "For every ward and drug class there is one drug in the cupboard; this names it.",
                "Use it to get a drug name from a drug class and the ward that stocks it.",
            ),
            test=(
                "Ward plus class lead to one medicine on the shelf, of which you receive the name.",
                "What do nurses on a ward use for a certain class? The reply is a drug name, no code.",
                "Class and ward in, name of the stocked drug out.",
                "Not sure what a drug is called? State its class and the ward where it lies.",
            ),
        ),
    ),
    ToolText(
        function="nearest",
        name="closest_substitute",
        description="Drug code of the closest substitute, for when a drug runs out. Ask with a drug code, not a name.",
        keys=("drug_code",),
        takes="the drug code",
        returns="the drug code of its closest substitute",
        names=Pool(
            train=("replacement_drug", "stand_in_for", "findSubstitute", "similar_drug"),
            test=("next-best-remedy", "swapOption", "alternative_to", "nearestEquivalent"),
        ),
        descriptions=Pool(
            train=(
                "Finds the drug that comes closest to another, code for code.",
                "Give it the code of a drug that is out of stock and it tells you the code of its substitute.",
                "For every drug code there is one closest substitute; this finds the code of that drug.",
                "Use it to replace a drug by the closest other one. You need the code of the first.",
            ),
            test=(
                "Which medicine stands in best for a missing one? Send the missing one's code to learn its code.",
                "What can be taken instead? Code in, code of the nearest alternative out.",
                "When a code cannot be delivered, the pharmacy answers with that of the most similar medicine.",
                "Points from one drug code to another, that of the best replacement.",
            ),
        ),
    ),
    ToolText(
        function="get_contact",
        name="batch_of_drug",
        description="Batch number printed on the packs of a drug. Ask with its drug code, not its name.",
        keys=("drug_code",),
        takes="the drug code",
        returns="the batch number",
        names=Pool(
            train=("read_batch", "batch_number", "fetchBatch", "pack_batch"),
            test=("production-run", "lotMark", "lot_for_item", "series_on_pack"),
        ),
        descriptions=Pool(
            train=(
                "Finds the batch number when you know the drug code.",
                "Give it a drug code and it tells you the batch number on the packs.",
                "For every drug code there is one batch number; this finds it.",
                "Use it to learn from which batch a drug comes. You need the drug code.",
            ),
            test=(
                "From which production lot are the packs? Send a drug code, and the batch number is the reply.",
                "Drug code in, batch number out.",
                "To trace packs to their maker's batch number, the code of the medicine must be at hand.",
                "Packs carry a batch number, which the pharmacy hands out against a drug code.",
            ),
        ),
        code="RX-58",
    ),
    ToolText(
        function="get_permit",
        name="approval_of_drug",
        description="Approval number under which a drug may be used. Ask with its drug code, not its name.",
        keys=("drug_code",),
        takes="the drug code",
        returns="the approval number",
        names=Pool(
            train=("read_approval", "approval_number", "fetchApproval", "approved_as"),
            test=("clearance-mark", "authorisationRef", "market_release", "allowed_under"),
        ),
        descriptions=Pool(
            train=(
                "Finds the approval number when you know the drug code.",
                "Give it a drug code and it tells you the number of its approval.",
                "For every drug code there is one approval number; this finds it.",
                "Use it to learn how a drug was approved for use: its approval number. You need the drug code.",
            ),
            test=(
                "Is a medicine cleared for use, and as what? Send a drug code, and the approval number is the reply.",
                "Drug code in, approval number out.",
                "The office that clears medicines gave each an approval number, on view here by drug code.",
                "To quote the approval number on a form, the code of the medicine must be at hand.",
            ),
        ),
    ),
    ToolText(
        function="get_window",
        name="window_of_drug",
        description="Administration window, the hours when a drug may be given. Ask with its drug code, not its name.",
        keys=("drug_code",),
        takes="the drug code",
        returns="the administration window",
        names=Pool(
            train=("giving_times", "read_window", "fetchWindow", "when_to_give"),
            test=("dosing-slot", "timeOfDayForUse", "round_hours", "permitted_period"),
        ),
        descriptions=Pool(
            train=(
                "Finds the administration window when you know the drug code.",
                "Give it a drug code and it tells you from when to when the drug may be given.",
                "For every drug code there is one administration window in the day; this finds it.",
                "Use it to learn at which time of day a drug is given. You need the drug code.",
            ),
            test=(
                "When may nurses hand it out? Send a drug code, and the administration window is the reply.",
                "Drug code in, administration window out, as start and end on the clock.",
                "To plan a round by the clock, see the administration window of a medicine, under its code.",
                "Medicines have an administration window, which the pharmacy hands out against a drug code.",
            ),
        ),
    ),
    ToolText(
        function="get_area",
        name="ward_of_drug",
        description="Ward on which a drug is kept. Ask with its drug code, not its name.",
        keys=("drug_code",),
        takes="the drug code",
        returns="the ward",
        names=Pool(
            train=("read_ward", "ward_for_code", "fetchWard", "kept_on"),
            test=("unit-in-charge", "locationInHouse", "station_for_item", "hospital_section"),
        ),
        descriptions=Pool(
            train=(
                "Finds the ward when you know the drug code.",
                "Give it a drug code and it tells you which ward keeps the drug.",
                "For every drug code there is one ward; this finds it.",
                "Use it to learn on which ward a drug is in stock. You need the drug code.",
            ),
            test=(
                "Where in the hospital does a medicine lie? Send a drug code, and the ward is the reply.",
                "Drug code in, ward out.",
                "To fetch a medicine in person, see its ward, under its code.",
                "Each medicine belongs to a ward, which the pharmacy hands out against a drug code.",
            ),
        ),
    ),
    ToolText(
        function="get_amount",
        name="standard_dose",
        description="Standard dose of a drug in mg, before any change. Ask with its drug code, not its name.",
        keys=("drug_code",),
        takes="the drug code",
        returns="the standard dose in mg",
        names=Pool(
            train=("usual_dose", "read_dose", "fetchDose", "normal_mg"),
            test=("regular-strength", "milligramsPerUse", "quantity_to_give", "default_portion"),
        ),
        descriptions=Pool(
            train=(
                "Finds the standard dose in mg when you know the drug code.",
                "Give it a drug code and it tells you how many mg make one standard dose.",
                "For every drug code there is one standard dose in mg; this finds it.",
                "Use it to learn how much of a drug is given at a time, in mg. You need the drug code.",
            ),
            test=(
                "What does a patient normally get at once? Send a drug code, and the standard dose in mg is the reply.",
                "Drug code in, mg of one standard dose out.",
                "To measure out a medicine, see its standard dose in mg, under its code.",
                "Medicines have a standard dose in mg, which the pharmacy hands out against a drug code.",
            ),
        ),
        code="DS-37",
    ),
    ToolText(
        function="gap",
        name="minimum_interval",
        description="Minimum interval in hours between giving one drug and giving another. Ask with both drug codes.",
        keys=("first_code", "second_code"),
        takes="two drug codes",
        returns="the minimum interval in hours",
        names=Pool(
            train=("hours_between", "interval_of_drugs", "fetchInterval", "wait_between"),
            test=("spacing-rule", "hoursApart", "safe_separation", "pause_for_pair"),
        ),
        descriptions=Pool(
            train=(
                "Finds the shortest interval in hours between two drugs when you know both drug codes.",
                "Give it two drug codes and it tells you how many hours must lie between them.",
                "For every two drug codes there is a minimum interval in hours; this finds it.",
                "Use it to learn how many hours to wait from one drug to another. You need both drug codes.",
            ),
            test=(
                "May two medicines follow soon? Send their codes, and the hours to keep them apart are the reply.",
                "A pair of drug codes in, hours of spacing out.",
                "To plan two medicines for one patient, see the least interval, in hours, under their codes.",
                "Certain hours have to pass from a first to a second medicine; the pharmacy counts them by drug code.",
            ),
        ),
    ),
    ToolText(
        function="convert_gap",
        name="observation_time",
        description="Observation time in minutes after two drugs, interval x {factor}. Ask with the interval in hours.",
        keys=("interval",),
        takes="the minimum interval in hours",
        returns="the observation time in minutes",
        names=Pool(
            train=("minutes_to_watch", "watch_time", "observeMinutes", "watching_minutes"),
            test=("bedside-watch", "supervisionLength", "stay_and_look", "aftercare_minutes"),
        ),
        descriptions=Pool(
            train=(
                "Finds the observation time in minutes when you know the interval in hours: interval x {factor}.",
                "Give it the hours between two drugs and it tells you the minutes to watch, hours x {factor}.",
                "For every interval there is an observation time in minutes; this finds it as interval x {factor}.",
                "Use it to learn how many minutes to observe a patient, interval x {factor}. You need the interval.",
            ),
            test=(
                "Hours of spacing in, minutes of observation out; the rule is {factor} minutes for each hour.",
                "How long must a nurse stay and observe? Send the spacing in hours; {factor} per hour are the minutes.",
                "To set the bedside timer, bring the spacing in hours, and {factor} times that are the minutes.",
                "Minutes of observing come to {factor} times the spacing, so the spacing in hours must be at hand.",
            ),
        ),
        factor=4.0,
    ),
    ToolText(
        function="reduce_amount",
        name="kidney_dose",
        description="Reduced dose in mg for weak kidneys, which is dose x {factor}. Ask with the standard dose.",
        keys=("dose",),
        takes="the standard dose in mg",
        returns="the reduced dose in mg",
        names=Pool(
            train=("reduced_dose", "weak_kidney_dose", "lowerDose", "dose_for_kidneys"),
            test=("renal-adjustment", "gentleQuantity", "scaled_down_mg", "spare_the_kidneys"),
        ),
        descriptions=Pool(
            train=(
                "Finds the dose for weak kidneys when you know the standard dose: dose x {factor}.",
                "Give it a dose in mg and it tells you the dose for weak kidneys, dose x {factor}.",
                "For every dose there is a lower one for weak kidneys; this finds it as dose x {factor}.",
                "Use it to learn the lowered dose for weak kidneys, dose x {factor}. You need the standard dose.",
            ),
            test=(
                "Full mg in, mg for poor kidneys out; the share that remains is {factor}.",
                "How much may kidneys that work poorly get? Send the full mg, of which {factor} is the share given.",
                "To spare weak kidneys, bring the full mg, and {factor} times that will remain.",
                "Poor kidneys call for {factor} times the full dose, so the full mg must be at hand.",
            ),
        ),
        factor=0.4,
    ),
    ToolText(
        function="convert_amount",
        name="dose_in_drops",
        description="Dose counted in drops, which is dose x {factor}. Ask with the standard dose in mg.",
        keys=("dose",),
        takes="the standard dose in mg",
        returns="the dose in drops",
        names=Pool(
            train=("drops_for_dose", "count_drops", "toDrops", "mg_to_drops"),
            test=("liquid-measure", "dropperCount", "drip_number", "pipette_units"),
        ),
        descriptions=Pool(
            train=(
                "Finds the number of drops when you know the dose in mg: dose x {factor}.",
                "Give it a dose in mg and it tells you how many drops to count, dose x {factor}.",
                "For every dose in mg there is a number of drops; this finds it as dose x {factor}.",
                "Use it to learn how many drops make a dose, dose x {factor}. You need the dose in mg.",
            ),
            test=(
                "Mg in, drops out; the rule is {factor} drops for each mg.",
                "How often does the dropper drip? Send the mg to give, and {factor} per mg are the drops.",
                "To pour a medicine as liquid, bring the mg, and {factor} times that is the count of drops.",
                "A liquid is given by drops, {factor} times the mg, so the mg must be at hand.",
            ),
        ),
        factor=1.5,
    ),
    ToolText(
        function="calculate",
        name="solve_formula",
        description="Result of a written sum with + - * /, for totals and differences. Ask with numbers only.",
        keys=("formula",),
        takes="a formula of numbers and signs",
        returns="its result",
        names=Pool(
            train=("formula_to_number", "do_the_sum", "evalFormula", "number_result"),
            test=("reckon-up", "figureSolver", "desk_calculator", "maths_helper"),
        ),
        descriptions=Pool(
            train=(
                "Finds the result when you have a formula with + - * / to solve.",
                "Give it a formula of numbers and it tells you the result, as for totals or differences.",
                "For every formula with + - * / there is one result; this finds it.",
                "Use it to add, subtract, multiply or divide numbers. You need to write them as a formula.",
            ),
            test=(
                "Numbers joined by + - * / in, one number out.",
                "Too hard to do in your head? Send the sum as a formula, and a single number is the reply.",
                "To add up or compare mg, bring the figures as a formula with signs.",
                "Plain maths on figures that you already hold; knows nothing about medicines.",
            ),
        ),
    ),
)

INVERTED: dict[str, InvertedText] = {
    "find": InvertedText(
        key="drug_code",
        descriptions=Pool(
            train=(
                "Finds the name of a drug when you know its drug code.",
                "Give it a drug code and it tells you what the drug is called.",
                "Use it last to swap a drug code for the drug name.",
            ),
            test=(
                "Drug code in, name of the medicine out.",
                "What is a medicine called? Send the drug code to learn its name.",
                "Codes are hard to remember; the pharmacy replies to one with the name on the box.",
            ),
        ),
    ),
    "get_contact": InvertedText(
        key="batch_number",
        descriptions=Pool(
            train=(
                "Finds the drug code when you know the batch number.",
                "Give it a batch number and it tells you the code of the drug in the packs.",
                "Use it to learn which drug code a batch number belongs to.",
            ),
            test=(
                "Batch number in, drug code out.",
                "Which medicine came in a batch? Send the batch number, and the drug code is the reply.",
                "Packs carry a batch number, against which the pharmacy hands out the drug code.",
            ),
        ),
    ),
    "get_permit": InvertedText(
        key="approval_number",
        descriptions=Pool(
            train=(
                "Finds the drug code when you know the approval number.",
                "Give it an approval number and it tells you the code of the approved drug.",
                "Use it to learn which drug code an approval number belongs to.",
            ),
            test=(
                "Approval number in, drug code out.",
                "Which medicine was cleared? Send the approval number, and the drug code is the reply.",
                "Each approval number stands for one medicine, on view here by its drug code.",
            ),
        ),
    ),
}
