"""Templates of tool documents, in pools: `train` for the training, `test` for the scores.

`[a|b|]` stands for one of its parts. Fields: `{b}` what a tool returns, `{a}` what it takes, `{e}` the kind of thing,
`{d}` an attribute without a part in it, `{t}` another tool, `{f}` a factor, `{c}` a code.

There are many, because a small model reads a document in words that it has met and guesses elsewhere.
Assumption: all templates are ours.
"""

from openagent_lib.sandbox.domain import Pool

# Parts of composed documents, so that almost every document is a new one: ways to say "takes a", "gives b", "by a".
_TAKES = (
    "[takes|accepts|receives|reads|needs|requires|expects|uses|consumes|processes|examines|inspects|scans|parses|"
    "verifies|validates|looks at|starts from|begins with|works with|is given|is sent|asks for|wants|calls for|goes by|"
    "depends on|opens with|picks up|follows|has to have|is fed|eats|loads|splits|notes|compares|weighs|trusts|decodes]"
)
_GIVES = (
    "[returns|gives|tells|reports|provides|outputs|yields|emits|produces|hands over|prints|shows|displays|"
    "answers with|replies with|sends back|comes back with|states|names|presents|writes|prepares|fetches|finds|looks up|"
    "reveals|lists|computes|works out|derives|determines|obtains|brings|publishes|declares|renders|spells out|selects|"
    "extracts|resolves|restores|gets|locates|identifies|uncovers|recalls|confirms|calculates|makes known|ends in]"
)
_GIVE = (
    "[return|give|tell|report|provide|output|yield|emit|produce|hand over|print|show|display|respond with|answer with|"
    "reply with|send back|come back with|state|name|present|write|prepare|fetch|find|look up|reveal|list|compute|work "
    "out|derive|determine|obtain|bring|publish|declare|render|spell out|select|extract|resolve|restore|get|locate|"
    "identify|uncover|recall|confirm|calculate|make known]"
)
_BY = (
    "[by|from|for|given|using|with|via|through|out of|according to|based on|in return for|with the "
    "help "
    "of|starting at|by means of|judging by|keyed by|filed under|recorded under|stored under|listed by|determined by|as "
    "told by|matching|in line with|relying on|looking at|to go with|behind|under]"
)
_A = (
    "[the|a|its|any|one|some|a valid|the known|the exact|the given|a single|a stated|the right|] {a}[ value| field| "
    "string||||]"
)
_B = (
    "[the|a|its|the|its|the matching|the right|the current|the stored|the recorded|the proper|the resulting|the "
    "registered|the actual|all|] {b}[ data| details| value| entry| of the {e}| of a {e}||||||]"
)
_LEAD = (
    "[On request, |For internal use: |Version 2. |Beta: |This one |It |A tool that |A function that |A helper which |"
    "An "
    "endpoint that |Small utility: |Reliable. |Always online. |Legacy tool; |Part of the {e} suite. |Short form: |"
    "Note: "
    "||||||||||]"
)
_TAIL = (
    "[ without delay| in one step| as text| from the master list|, nothing more| at once| if there is one| in plain "
    "form| "
    "every time| for you| on the spot|||||||||][.|.|.||!|;]"
)
_LINKS = "[and|, then|;|, and then|, and so|, after which it|, whereupon it|, and in turn|/| -|: it]"
_KNOWN = "[is known|is there|has been entered|was sent|arrives|is at hand|is stated|is given|came in|is clear|is set]"
DOCUMENTS = Pool(
    train=(
        "[Return|Returns] the {b} of a {e}, given its {a}.",
        "[Look up|Looks up] the {b} of a {e} by {a}.",
        "[Find|Finds] the {b} of the {e} with the given {a}.",
        "[Get|Gets|Fetches] {b} for a {e}; [needs|takes] the {a}.",
        "Takes the {a} of a {e} and [tells|returns|gives] its {b}.",
        "[Maps|Turns] a {a} [to|into] the {b} of the {e}.",
        "Gives the {b} that belongs to a {a} of a {e}.",
        "Use this to learn a {e}'s {b} from its {a}.",
        "Finds a {b}. [Input|Needs|Takes]: the {a} of a {e}.",
        "From a {a} to a {b}.",
        "{a} -> {b}",
        "{e}: {a} to {b}.",
        "[{b} by {a}|{b} from {a}|{b}, given the {a}].",
        "Answers with the {b} of a {e}. Expects the {a}.",
        "Input is the {a} of a {e}, output is its {b}.",
        "Input: {a}. Output: {b}.",
        "Reads the {b} of one {e} out of the register. The {e} is given by its {a}.",
        "When you have the {a} of a {e}, this [returns|yields] the {b}.",
        "Service for {e} data: send a {a}, receive the {b}.",
        "Shows which {b} a {e} has. Call it with the {a}.",
        "Resolves the {a} of a {e} into the {b}.",
        "Queries the {b} by {a}.",
        "Give it the {a} of a {e}. You get back the {b}.",
        "Fetch a {e}'s {b} using its {a}.",
        "The {b} of a {e}, looked up by {a}.",
        "Obtain the {b} belonging to a {e}; the {a} must be known.",
        "[Returns|Provides] {b} for {a}.",
        "Converts the {a} of any {e} to the matching {b}.",
        "Takes [a|one|any] {a} and [returns|hands back] the {b}.",
        "With the {a} of a {e} at hand, [ask|call] this for the {b}.",
        "Only for the {b} of a {e}; [start from|bring] its {a}.",
        "Needs a {a}. Result: the {b} of that {e}.",
        "Accepts the {a} [of some|of a] {e} and replies with the {b}.",
        "[Reports|States|Lists] the {b} kept under a {a}.",
        "[Answers|Tells|Says|Reveals|Prints|Outputs] [which|what] {b} [a|the|that] {e} has[; the {a} is needed|, "
        "if you know its {a}|].",
        "[Looks|Digs|Goes] through the {e} [records|files|books|lists] for the {a} and [picks|brings] out the {b}.",
        "[Needed|Wanted|Expected|Asked for]: {a}. [Returned|Given back|Result|You get]: {b}.",
        "[in|takes|arg|input|needs]: {a}[;|,| /| -] [out|gives|returns|ret]: {b}",
        "{b} [look-up|finder|query|lookup|search|reader|register|table|list][|s] [by|over|keyed by|indexed "
        "by|per] {a}.",
        "[A|The|Our] {e} [tool|function|helper|endpoint|method|call|command] [for|about] the {b}[; uses the {a}|. "
        "Wants a {a}|].",
        "{e} [tool|function|endpoint|method]: [{a} in, {b} out|{b} by {a}|{a} => {b}|{b} <- {a}].",
        "[Translates|Changes|Transforms|Carries] [one|a|the] {a} [over |]into [one|a|the] {b}[ for any {e}|].",
        "[Computes|Derives|Works out|Estimates|Determines] [a|the] {e}'s {b} [from|out of|starting with|using "
        "only] [its|the|a] {a}.",
        "[Where|If|As soon as|Whenever] the {a} of a {e} is known, its {b} can be [read|had|looked up|found] here.",
        "[Here|With this] you [find|get|see|read|learn] the {b} of [any|every|each|one] {e}[ by its {a}|, by {a}|].",
        "[Ask|Call|Use|Run|Try|Invoke] this [with|on] a {a} [to|and you] [see|find|know|read|have] the {b}.",
        "[Ask|Call|Use|Run|Try|Invoke] this [when|if|as] you [want|need|miss|seek] the {b} of a {e}[; have its "
        "{a} ready| (by {a})|].",
        "[Dictionary|Map|Index|Catalogue|Archive|Table] from {a} to {b}[ of {e} entries|].",
        "[Has|Holds|Keeps|Knows|Stores|Contains|Tracks] the {b} of [every|all|each] {e}, "
        "[sorted|filed|kept|ordered] [by|under] {a}.",
        "[Every|Each] {e} has a {b}[: this|. This|; this] [tool|one|function] [names|shows|prints] it[ for a "
        "{a}|, given a {a}|].",
        "[The|A] {a} [leads|points|brings you|takes you] to [the|a] {b}.",
        "[One|Some|Any] {a} of a {e} [goes in|comes in|is sent], [the|its] {b} [comes out|comes back|is sent back].",
        "{b} ({a})",
        "{b}[:|;] [needs|wants|uses|takes|by] {a}",
        "({a}) {b}",
        "{a} / {b}",
        "[Read|Select|Load|Pull|Collect|Extract|Identify|Locate|Discover|Inspect] [the |a |]{b} [of|for|from|in] "
        "[the|a|some] {e} [by|with|via|through|using|at] [its|the|a] {a}.",
        "[Reads|Selects|Loads|Pulls|Collects|Extracts|Identifies|Locates|Discovers|Inspects] [the |a |]{b}[ of a "
        "{e}|] [by|with|via|through|using|at] [its|the|a|some] {a}.",
        "[Given|Known|Provided|Holding|Having] [the|a|one] {a} of [the|a|some] {e}, "
        "[produces|generates|creates|sends|writes|makes out|presents|hands over] [the|its] {b}.",
        "[Produces|Generates|Sends|Writes|Presents|Hands over|Offers|Names|Emits] [the|a] {b} [for|of] [the|a] "
        "{e} [that has|with|whose record has|behind] [the|a] [given|stated|said|named] {a}.",
        "[Simple|Fast|Old|New|Public|Internal|Main|Daily|Exact] {b} [tool|source|desk|channel] for {e} "
        "[staff|users|people|data][, by {a}|: by {a}|].",
        "[Is|Was] the {b} of a {e} [unknown|missing|lost|not there]? [Send|Enter|Type|Write|Give] [its|the] {a}.",
        "[What|Which] is the {b} [of|behind|under] a [given|certain] {a}? [Find|See|Read] it here.",
        "[Do not guess|No need to guess|Never guess] the {b} of a {e}: [enter|send|type|give] the {a}.",
        "[Links|Connects|Joins|Ties|Matches] a {a} [to|with] [its|the] {b}.",
        "[Tells apart|Names|Counts|Lists|Describes|Explains|Displays] the {b} that [a|the] {e} with this {a} has.",
        "[Entry|Key|Start|Question|Source]: {a} of a {e}. [Exit|Value|End|Reply|Target]: its {b}.",
        "[Built|Made|Meant|Designed|Intended] [to find|for finding] the {b}, [never the {a}|not the {a}], "
        "[from|by|out of] the {a}.",
        "[Not the {a}, which you bring, but|Other than the {a}, which you bring,] the {b} [of the {e} |]is what "
        "you get.",
        "[Desk|Office|Clerk|Robot|Assistant] for {b} [matters|questions|requests]. [Bring|Show|State] the {a} of "
        "your {e}.",
    ),
    test=(
        "Supplies the {b} once the {a} of the {e} is passed in.",
        "Which {b} goes with a {a}? This service answers it for every {e}.",
        "Retrieves {b} information. The required argument is the {a} of the {e}.",
        "Pass the {a} of a {e} in order to receive its {b}.",
        "Exchanges a {a} against the corresponding {b}.",
        "Delivers a {e}'s {b} on the basis of its {a}.",
        "Checks the {a} of the {e} and announces the {b}.",
        "{b} service: lookup key is the {a}.",
    ),
)
COMPOSED_DOCUMENTS = Pool(
    train=(
        f"{_LEAD}{_TAKES} {_A} {_LINKS} {_GIVES} {_B}{_TAIL}",
        f"{_LEAD}{_TAKES} {_A} [of|from|belonging to] [a|the|some|any|one] {{e}} {_LINKS} {_GIVES} {_B}{_TAIL}",
        f"{_LEAD}{_GIVES} {_B} {_BY} {_A}{_TAIL}",
        f"{_GIVES} {_B} {_BY} {_A}{_TAIL}",
        f"{_GIVE} {_B} {_BY} {_A}{_TAIL}",
        f"{_B} {_BY} {_A}{_TAIL}",
        f"{_LEAD}{_GIVES} {_B} [as soon as|after|if|when|where|provided|whenever|only if] {_A} {_KNOWN}{_TAIL}",
        f"[As soon as|After|If|When|Where|Provided|Whenever] {_A} {_KNOWN}, {_LEAD}{_GIVES} {_B}{_TAIL}",
        f"[Taking|Using|Reading|Having|Knowing|Given|Seeing|Holding|With|From|By|Through] {_A}, {_GIVES} {_B}{_TAIL}",
        f"[Can|Will|May|Is able to|Serves to|Is used to|Helps to|Is there to|Knows how to|To|In order to|Lets you|"
        f"Makes it "
        f"easy to|Used to|Able to|Ready to] {_GIVE} {_B} {_BY} {_A}{_TAIL}",
        f"{_B} [is|gets|will be|can be|may be|are] [given|shown|found|sent|read|told|named|had|written|seen|looked up] "
        f"{_BY} "
        f"{_A}{_TAIL}",
        f"[{{e}} |]{_A} [to|->|>|=>|into|~|:|gives|makes|means|becomes] {_B}{_TAIL}",
        f"{_B} [<-|<=|<|:|comes from|follows from|depends on|is a function of|stems from|hangs on] {_A}{_TAIL}",
        f"[Question|Asks|In|Argument|Parameter|Key|Field|Send|Body|Call with]: {_A}[.|;|,| /] "
        f"[Answer|Says|Out|Value|Result|Reply|Returns|Response|Receive]: {_B}{_TAIL}",
        f"[Answer|Out|Value|Result|Reply|Returns|Response|Gives]: {_B}[.|;|,| /] "
        f"[Argument|In|Parameter|Key|Field|Needs|Input|Takes]: {_A}{_TAIL}",
    ),
    test=DOCUMENTS.test,
)
TERSE_DOCUMENTS = Pool(
    train=(
        "{b}",
        "The {b}.",
        "Get the {b}.",
        "{b} of a {e}.",
        "Returns the {b}.",
        "{e} {b}",
        "{b} by {a}",
        "{b} from {a}.",
        "[A|This|One] {e}'s {b}",
        "[Shows|Finds|Tells|Knows|Reads] [the |]{b}",
        "{b} [tool|finder|reader|data|query]",
        "[About|On] {b} of {e} [entries|items|things]",
    ),
    test=("For the {b}.", "Reads out {b}", "Any {e}'s {b}."),
)
REMARKS = Pool(
    train=(
        " Needs the {a}, nothing else.",
        " Knows no {d}.",
        " [It gives|Gives] no {d}.",
        " Not for the {d}.",
        " For the {d} there is another tool.",
        " The {a} must be exact.",
        " Works for every {e}.",
        " {d} and the like are kept elsewhere.",
    ),
    test=(" Do not ask it about the {d}.", " Any {e} is supported.", " A {d} cannot be had here."),
)
STEP_DOCUMENTS = Pool(
    train=(
        "Return the {b} of a {e}, given its {a}. Get the {a} with {t} first.",
        "Second step after {t}: takes the {a} of a {e}, gives the {b}.",
        "Call {t} first for the {a}; then this returns the {b} of the {e}.",
        "Turns the {a} found by {t} into the {b}.",
        "[After|Following|Next to] {t}[:|,] [use|call|ask] this for the {b}, [with|by] the {a}.",
        "[Needs|Uses|Continues with|Wants] the {a} that {t} [gives|finds|returns]; [gives|finds|returns] the {b}.",
        "The {b}. Its {a} comes [from|out of] {t}.",
    ),
    test=("Having run {t}, pass its {a} to this one for the {b}.", "Finds the {b} by the {a} which {t} reports."),
)
PAIR_DOCUMENTS = Pool(
    train=(
        "[Return|Returns] the {b} of a {e}, given its {a} and its {a2}.",
        "Look up the {b} by {a} and {a2}.",
        "Needs the {a} and the {a2} of a {e}; gives the {b}.",
        "Find the {b} of the {e} with this {a} and this {a2}.",
        "Takes a {a} and a {a2}, returns the {b}.",
        "{a}, {a2} -> {b}",
        "Finds which {b} fits a {a} together with a {a2}.",
        "[Tells|Reads|Shows|Gives] the {b} [for|of|by] [a|one] {a} and [a|one] {a2}.",
        "[In|Needed|Input]: {a} and {a2}. [Out|Result|Output]: {b}.",
        "{b} [by|from|of] {a} and {a2}",
        "[From|Out of|With] the {a} and the {a2} [of a {e} |]to the {b}.",
        "[Joins|Takes together|Reads] {a} and {a2} [to find|for] the {b} of a {e}.",
    ),
    test=("Supplies the {b} once both {a} and {a2} are passed in.", "{b} service: lookup keys are {a} plus {a2}."),
)
BRANCH_DOCUMENTS = Pool(
    train=(
        "Return the {b} between two {e} entries, given the {a} of both.",
        "Computes the {b} from two values of {a}.",
        "Takes the {a} of one {e} and the {a} of another, gives the {b}.",
        "{b} of a first {a} and a second {a}.",
        "Compares two {a} values of a {e} and returns the {b}.",
        "Given a start {a} and an end {a}, tells the {b}.",
        "[Works out|Finds|Determines|Shows] the {b} [for|of|from] [two|a pair of] {a} values.",
        "[In|Needed|Input]: a {a} and another {a}. [Out|Result|Output]: {b}.",
        "{b} [of|between|for] two {e} entries[ by {a}|; needs both {a} values|].",
    ),
    test=(
        "Pass one {a} plus a further {a} in order to receive the {b}.",
        "Sets two {e} entries side by side by {a}: {b}.",
    ),
)
FACTOR_DOCUMENTS = Pool(
    train=(
        "Multiplies a {a} by {f} and returns the {b}.",
        "Return the {b}: {f} times the {a}.",
        "Computes the {b} of a {e} as {a} * {f}.",
        "Takes the {a} of a {e}; the {b} is the {a} times {f}.",
        "Turns a {a} into a {b} with the factor {f}.",
        "{a} x {f} = {b}",
        "Takes a {a} and [returns|gives] the {b}, which is {a} x {f}.",
    ),
    test=("Scales the {a} by {f} to get the {b}.", "The {b} results from the {a} under the multiplier {f}."),
)
CALCULATOR_DOCUMENTS = Pool(
    train=(
        "Evaluate a mathematical expression.",
        "Calculator. Takes an expression such as 4*5 and returns the result.",
        "Computes a formula with + - * /.",
        "Does sums: give it an expression, it gives back the number.",
        "Works out the value of a mathematical expression, e.g. 7+12.",
        "Returns the result of a calculation.",
    ),
    test=("Solves plus, minus, times and divided-by problems, for instance 8/2.", "Number cruncher for one formula."),
)
SPARE_DOCUMENTS = Pool(
    train=(
        "Spare service. Use it only when another tool says so.",
        "Reserve for {t}.",
        "Stand-in, not for normal use. {e} data by {a}.",
        "Second source for the {e} register. Use it when you are sent here.",
        "Alternative route to the {e} data.",
    ),
    test=("Fallback in case {t} sends you on.", "Takes over from other {e} services."),
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
