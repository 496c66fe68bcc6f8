"""What a domain is: the words of one world over the dependency graph G that all domains share.

Paper: section 3.2, a domain shift keeps the latent problem structure G and changes everything else.
Assumption: the words, the pools and their sizes are ours.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from openagent_lib.errors import ConfigError
from openagent_lib.sandbox.graph import ATTRIBUTES, FUNCTIONS, INVERTIBLE, SHAPE_NAMES
from openagent_lib.sandbox.tool import Parameter, Tool

POOLS = ("train", "test")


@dataclass(frozen=True)
class Pool:
    """Patterns for training and for evaluation, which never meet.

    Attributes:
        train: What a training stage may use.
        test: What the evaluation uses.

    Raises:
        ConfigError: A pool is empty, repeats itself or meets the other.
    """

    train: tuple
    test: tuple

    def __post_init__(self):
        """Check that the pools are what they promise."""
        for name in POOLS:
            items = getattr(self, name)
            if not items or len(set(items)) != len(items):
                raise ConfigError(f"expected different patterns in the {name} pool, found {items!r}: edit the pool")
        common = set(self.train) & set(self.test)
        if common:
            raise ConfigError(f"expected disjoint pools, found {sorted(map(str, common))} in both: edit one of them")

    def __getitem__(self, name: str) -> tuple:
        """Return the patterns of a pool by its name, `train` or `test`."""
        if name not in POOLS:
            raise ConfigError(f"expected a pool of {', '.join(POOLS)}, found {name!r}: pass one of these")
        return getattr(self, name)


@dataclass(frozen=True)
class ToolText:
    """The words of one tool.

    Attributes:
        function: The function of the graph that it runs.
        name: Its identifier in the closed world.
        description: Its document in the closed world; `{factor}` stands for the factor of a rule.
        keys: Its argument names, in the order of the function's slots.
        takes: Noun phrase for its input, as in "the name of a place".
        returns: Noun phrase for its output, as in "the place id".
        names: Other meaningful identifiers.
        descriptions: The same document in other words, `{factor}` as above.
        code: Verification code that a call must pass, or None.
        factor: Factor of its rule, or None.
    """

    function: str
    name: str
    description: str
    keys: tuple[str, ...]
    takes: str
    returns: str
    names: Pool
    descriptions: Pool
    code: str | None = None
    factor: float | None = None

    def tool(self) -> Tool:
        """Return the tool of the closed world."""
        slots = FUNCTIONS[self.function].takes
        parameters = tuple(Parameter(key, slot) for key, slot in zip(self.keys, slots, strict=True))
        return Tool(self.name, self.document(self.factor), parameters, self.function, self.code, self.factor)

    def document(self, factor: float | None, description: str | None = None) -> str:
        """Return a description, by default that of the closed world, with the factor of the rule in it."""
        return (description or self.description).replace("{factor}", f"{factor:g}" if factor is not None else "")


@dataclass(frozen=True)
class InvertedText:
    """The words of a look-up whose input and output are swapped.

    Attributes:
        key: Its argument name.
        descriptions: Its document.
    """

    key: str
    descriptions: Pool


@dataclass(frozen=True)
class DecoyText:
    """A tool that has nothing to do with any task: one string in, one meaningless value out.

    Attributes:
        name: Its identifier.
        description: Its document.
        key: Its argument name.
    """

    name: str
    description: str
    key: str


@dataclass(frozen=True)
class EntityFormat:
    """How the entities of a domain look. In patterns `#` is a digit and `@` a capital letter, the rest is itself.

    Attributes:
        categories: Eight categories; a category occurs once in an area.
        syllables: Of which invented words are made.
        endings: Second words of names, or endings of a one-word name where they start with `-`.
        id: Pattern of identifiers.
        contact: Pattern of the first unique attribute.
        permit: Pattern of the second unique attribute.
        amount: Least and greatest amount, whole numbers.
        extent: Edge of the square, in units of the gap, on which entities lie.
    """

    categories: tuple[str, ...]
    syllables: tuple[str, ...]
    endings: tuple[str, ...]
    id: str
    contact: str
    permit: str
    amount: tuple[int, int]
    extent: int = 40


@dataclass(frozen=True)
class Domain:
    """The words of one world.

    Attributes:
        name: Its name, as in `Task.domain`.
        entities: How its entities look.
        tools: One for every function of the graph.
        attributes: Noun phrase of each attribute, as in "telephone number".
        queries: Query templates by shape; see `openagent_lib.sandbox.grammar` for their choices and
            `openagent_lib.sandbox.graph` for their slots.
        inverted: The swapped look-ups by function.
        inverted_queries: Templates for the shapes `direct` (asks for the id) and `look_up` (asks for the name), with
            the slots `attribute` and `value`.
        blurred_queries: Vague templates by shape, with the same slots.
        blurred_attributes: Vague noun phrases by attribute.
        vague: Noun phrases by slot that stand where a condition was deleted.
        decoys: Tools beside the point.

    Raises:
        ConfigError: A function, shape, attribute or slot has no words, or words for what does not exist.
    """

    name: str
    entities: EntityFormat
    tools: tuple[ToolText, ...]
    attributes: Mapping[str, str]
    queries: Mapping[str, Pool]
    inverted: Mapping[str, InvertedText]
    inverted_queries: Mapping[str, Pool]
    blurred_queries: Mapping[str, Pool]
    blurred_attributes: Mapping[str, Pool]
    vague: Mapping[str, Pool]
    decoys: Pool

    def __post_init__(self):
        """Check that the words cover the graph."""
        expected = {
            "tools": (FUNCTIONS, [text.function for text in self.tools]),
            "attributes": (ATTRIBUTES, self.attributes),
            "queries": (SHAPE_NAMES, self.queries),
            "inverted": (INVERTIBLE, self.inverted),
            "inverted_queries": (("direct", "look_up"), self.inverted_queries),
            "blurred_queries": (SHAPE_NAMES, self.blurred_queries),
            "blurred_attributes": (ATTRIBUTES, self.blurred_attributes),
            "vague": (("name", "other_name", "id", "other_id", "category", "area", "count"), self.vague),
        }
        for field, (wanted, found) in expected.items():
            if sorted(wanted) != sorted(found):
                raise ConfigError(
                    f"domain {self.name}: expected {field} for {', '.join(sorted(wanted))}, "
                    f"found {', '.join(sorted(found))}: edit the module of the domain"
                )

    @cached_property
    def texts(self) -> dict[str, ToolText]:
        """Return the words of the tools by function."""
        return {text.function: text for text in self.tools}

    @cached_property
    def catalogue(self) -> dict[str, Tool]:
        """Return the tools of the closed world by function."""
        return {text.function: text.tool() for text in self.tools}
