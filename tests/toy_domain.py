"""A whole domain in one module, as small as one can be: the library of an invented town and its books.

The chains, functions and shifts know nothing of it; the words below are all that a domain is.
"""

from openagent_lib.sandbox.domain import DecoyText, Domain, EntityFormat, InvertedText, Pool, ToolText


def tool(function, name, keys, takes, returns, factor=None, code=None):
    """Return the words of a tool, with two other names and documents for each pool."""
    rule = " times {factor}" if factor else ""
    names = [f"{style}_{name.partition('_')[2]}" for style in ("fetch", "pull", "obtain", "consult")]
    documents = [f"{verb} {returns}{rule} for {takes}." for verb in ("Gives", "Finds", "Retrieves", "Delivers")]
    return ToolText(
        function=function,
        name=name,
        description=f"Takes {takes} and returns {returns}{rule}.",
        keys=keys,
        takes=takes,
        returns=returns,
        names=Pool(tuple(names[:2]), tuple(names[2:])),
        descriptions=Pool(tuple(documents[:2]), tuple(documents[2:])),
        factor=factor,
        code=code,
    )


def queries(train, test):
    """Return one template for each pool."""
    return Pool((train,), (test,))


ATTRIBUTES = {
    "contact": "barcode",
    "permit": "call number",
    "window": "reading hours",
    "area": "aisle",
    "amount": "number of pages",
}
TOOLS = (
    tool("find", "get_book", ("title",), "a title", "the book id"),
    tool("search", "get_title", ("genre", "aisle"), "a genre and an aisle", "the title of the book there"),
    tool("nearest", "get_neighbour", ("book_id",), "a book id", "the id of the book beside it"),
    *(
        tool(f"get_{key}", f"get_{phrase.replace(' ', '_')}", ("book_id",), "a book id", f"the {phrase}")
        for key, phrase in ATTRIBUTES.items()
        if key != "permit"
    ),
    tool("get_permit", "get_call_number", ("book_id",), "a book id", "the call number", code="B2R8"),
    tool("gap", "get_steps", ("book_id", "other_book_id"), "two book ids", "the steps between the books"),
    tool("convert_gap", "get_walk", ("steps",), "a number of steps", "the seconds to walk them", factor=0.8),
    tool("reduce_amount", "get_summary_length", ("pages",), "a number of pages", "the pages of a summary", factor=0.1),
    tool("convert_amount", "get_minutes", ("pages",), "a number of pages", "the minutes to read them", factor=1.5),
    tool("calculate", "get_result", ("formula",), "a formula", "its value"),
)
LIBRARY = Domain(
    name="library",
    entities=EntityFormat(
        categories=("novel", "atlas", "diary", "comic", "drama", "poem", "guide", "essay"),
        syllables=tuple("quo bre sti oln wex pha dro lym tsu ger".split()),
        endings=("Chronicle", "Letters", "Journey"),
        id="B~####",
        contact="@@@-####",
        permit="##.##/@",
        amount=(90, 900),
    ),
    tools=TOOLS,
    attributes=ATTRIBUTES,
    queries={
        "direct": queries("What {attribute} has {id}?", "For {id}, state the {attribute}."),
        "look_up": queries("What {attribute} has {name}?", "For {name}, state the {attribute}."),
        "search": queries(
            "What {attribute} has the {category} in {area}?", "In {area} stands a {category}; state its {attribute}."
        ),
        "nearest": queries(
            "What {attribute} has the book beside {name}?", "Next to {name} stands a book; state its {attribute}."
        ),
        "reduction": queries("How many pages has a summary of {name}?", "State the pages of {name} in summary."),
        "conversion": queries("How many minutes does reading {name} take?", "State the minutes to read {name}."),
        "total": queries(
            "How many pages have {count} copies of {name}?", "State the pages in {count} copies of {name}."
        ),
        "difference": queries(
            "How many more pages has {id} than {other_id}?", "State by how many pages {id} outdoes {other_id}."
        ),
        "gap": queries("How many steps is it from {name} to {other_name}?", "State the steps {name} to {other_name}."),
        "duration": queries(
            "How many seconds is the walk from {name} to {other_name}?",
            "State the seconds from {name} to {other_name}.",
        ),
    },
    inverted={
        function: InvertedText(key, queries(f"Takes {takes} and gives {gives}.", f"Maps {takes} onto {gives}."))
        for function, key, takes, gives in (
            ("find", "book_id", "a book id", "the title"),
            ("get_contact", "barcode", "a barcode", "the book id"),
            ("get_permit", "call_number", "a call number", "the book id"),
        )
    },
    inverted_queries={
        "direct": queries("Which book id has {value} as {attribute}?", "{value} is a {attribute}: state the book id."),
        "look_up": queries("Which title has {value} as {attribute}?", "{value} is a {attribute}: state the title."),
    },
    blurred_queries={
        "direct": queries("That {attribute} thing of {id}?", "{id}, you know, {attribute}."),
        "look_up": queries("That {attribute} thing of {name}?", "{name}, you know, {attribute}."),
        "search": queries("Some {category} around {area}, {attribute}?", "{area}, a {category}, {attribute}, please."),
        "nearest": queries("Whatever is near {name}, {attribute}?", "Beside {name}, {attribute}, please."),
        "reduction": queries("{name}, but short, how long?", "Length of {name} in brief, please."),
        "conversion": queries("{name}, how long would I sit there?", "Time I lose on {name}, please."),
        "total": queries("{name}, {count} of them, how thick?", "Thickness of {count} times {name}, please."),
        "difference": queries("{id} against {other_id}, how much thicker?", "{id} minus {other_id}, please."),
        "gap": queries("{name} and {other_name}, far apart?", "Apartness of {name} and {other_name}, please."),
        "duration": queries("{name} then {other_name}, a long way?", "On foot from {name} to {other_name}, please."),
    },
    blurred_attributes={
        "contact": queries("striped thing", "scanner thing"),
        "permit": queries("label", "sticker"),
        "window": queries("times", "when of it"),
        "area": queries("where of it", "row"),
        "amount": queries("thickness", "length"),
    },
    vague={
        "name": queries("that book", "the one I like"),
        "other_name": queries("another book", "a different one"),
        "id": queries("this one", "the usual one"),
        "other_id": queries("that one", "the former one"),
        "category": queries("thing", "item"),
        "area": queries("the place", "the back"),
        "count": queries("several", "many"),
    },
    decoys=Pool(
        tuple(
            DecoyText(f"print_{word}", f"Prints the {word} of the library.", word)
            for word in ("map", "rules", "logo", "plan")
        ),
        tuple(
            DecoyText(f"order_{word}", f"Orders a new {word}.", word) for word in ("lamp", "chair", "shelf", "carpet")
        ),
    ),
)
