"""The pieces of one random domain: words, values, names of things, tool names, argument keys and tools."""

import random
import re
import string
from dataclasses import dataclass, field

from openagent_lib.pretraining import documents
from openagent_lib.pretraining.vocabulary import (
    ENTITIES,
    FILLERS,
    FORBIDDEN,
    FORBIDDEN_PATTERNS,
    HELD_OUT_ATTRIBUTES,
    HELD_OUT_ENTITIES,
    NOISE,
    TRAINING_ATTRIBUTES,
    coined_word,
    invented_word,
)
from openagent_lib.sandbox.domain import Pool
from openagent_lib.sandbox.grammar import draw_form
from openagent_lib.sandbox.tool import CODE_PARAMETER, Parameter, Tool

_VERBS = "get find fetch look_up read query resolve obtain check show search lookup retrieve load give".split()
_GENERIC_KEYS = "id key x q input ref value item arg term text entry data source subject given".split()
_FORBIDDEN = re.compile("|".join(FORBIDDEN_PATTERNS))
_UPPER = string.ascii_uppercase
_MIXED = string.ascii_letters + string.digits
_MANY_ALPHABETS = _MIXED + "αβγδεζηθκλμνξπρστφχψωбгджзийлпфцчшщыэюя"


COMPOSED_SHARE = 0.55
SCRAMBLED_SHARE = 0.3


@dataclass(frozen=True)
class DrawnTool(Tool):
    """A tool whose document may state its verification code in other words than the project's own.

    Attributes:
        code_sentence: Template of the sentence that states the code.
    """

    code_sentence: str = documents.CODE_SENTENCES[0]

    @property
    def document(self) -> str:
        """Return the description that an agent reads, verification code included."""
        if self.code is None:
            return self.description
        stop = "" if self.description.endswith(".") else "."
        return self.description + stop + self.code_sentence.format(c=self.code)


@dataclass
class Domain:
    """The vocabulary of one episode and the names that are taken.

    Attributes:
        source: Generator of everything in the episode.
        entity: The kind of thing that the tools know.
        attributes: Words for what the tools take and return, all different.
        pool: Pool of the sentence templates, `train` or `test`.
        difficulty: 0 to 1; one minus it is the probability of a plain tool name.
        is_flat: Whether all look-ups take the same, so that a document says enough by naming what it returns.
        code_share: Probability that a tool demands a verification code.
        composed: Probability that the document of a look-up, or a question about one, is a composed sentence.
        taken: Tool names in use.
    """

    source: random.Random
    entity: str
    attributes: list[str]
    pool: str = "train"
    difficulty: float = 1.0
    is_flat: bool = False
    code_share: float = 0.0
    composed: float = COMPOSED_SHARE
    taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Note the words that must not occur as noise."""
        self.words = {word for text in (self.entity, *self.attributes) for word in text.split()}

    @property
    def is_plain(self) -> bool:
        """Draw whether the next choice is a plain one."""
        return self.source.random() >= self.difficulty

    def form(self, templates: Pool) -> str:
        """Draw a template of the domain's pool."""
        return draw_form(self.source.choice(templates[self.pool]), self.source)

    def noise_word(self, is_upper: bool = False) -> str:
        """Draw a word that says nothing: an everyday, inflected or invented one, but none of the episode's."""
        source = self.source
        while True:
            kind = source.random()
            if kind < 0.6:
                word = source.choice(FILLERS if kind < 0.15 else NOISE if kind < 0.4 else TRAINING_ATTRIBUTES)
            else:
                word = coined_word(source)
            inflected = word + source.choice(("s", "s", "es", "ing", "ed")) if source.random() < 0.3 else word
            if not {word, inflected} & self.words and inflected not in FORBIDDEN:
                return inflected.capitalize() if is_upper else inflected

    def disturbed(self, form: str) -> str:
        """Return a surface form of the training more often than not with words exchanged, left out and put in.

        So a reader cannot rely on knowing every word around the ones that count, and no list of templates is too short.
        """
        source = self.source
        if self.pool != "train" or source.random() < 0.45:
            return form
        share = source.uniform(0.0, 0.4)
        words: list[str] = []
        for word in form.split(" "):
            if source.random() < 0.3 * share:
                words.append(self.noise_word())
            kind = source.random()
            if "{" in word or kind >= share:
                words.append(word)
            elif kind < 0.7 * share:
                mark = word[-1] if word[-1:] in ".,:;?" else ""
                words.append(self.noise_word(word[:1].isupper()) + mark)
        return " ".join(words) or form

    @property
    def is_scrambling(self) -> bool:
        """Draw whether the next sentence, in training, is words in random order, so that only the words count."""
        return self.pool == "train" and self.source.random() < SCRAMBLED_SHARE

    def scramble(self, *parts: str) -> str:
        """Return some parts of a sentence in random order between random words."""
        source = self.source
        known = source.random()
        noise = (
            source.choice(FILLERS) if source.random() < known else self.noise_word()
            for _ in range(source.randint(0, 9))
        )
        words = [*parts, *noise]
        source.shuffle(words)
        return " ".join(words) + self.source.choice((".", "", "?"))

    def phrase(self, templates: Pool, **fields: str) -> str:
        """Draw a template and fill it; at full difficulty its first letter is upper case as often as not."""
        text = self.disturbed(self.form(templates)).format(e=self.entity, **fields)
        return text[:1].upper() + text[1:] if self.source.random() < 0.5 * self.difficulty else text


def characters(source: random.Random, alphabet: str, shortest: int, longest: int) -> str:
    """Draw a random string."""
    return "".join(source.choice(alphabet) for _ in range(source.randint(shortest, longest)))


def draw_domain(source: random.Random, difficulty: float, held_out: bool) -> Domain:
    """Draw the words of an episode.

    Args:
        source: Generator to draw from.
        difficulty: 0 to 1; demands on the reader grow with it.
        held_out: Use the words and the templates that are kept for scoring.
    """
    entities = HELD_OUT_ENTITIES if held_out else ENTITIES
    known = HELD_OUT_ATTRIBUTES if held_out else TRAINING_ATTRIBUTES
    coined, coined_entity = (0.0, 0.0) if held_out else (source.random(), 0.3)
    entity = coined_word(source) if source.random() < coined_entity else source.choice(entities)
    words: list[str] = []
    while len(words) < 12:
        word = coined_word(source) if source.random() < coined else source.choice(known)
        kind = source.random() + 0.5 * (1.0 - difficulty)
        if kind < 0.10:
            word = f"{source.choice(known)} {word}"
        elif kind < 0.15:
            word = f"{word} {coined_word(source)}"
        elif kind < 0.20:
            word = f"{source.choice((entity, word))} {source.choice(('id', 'number', 'key', 'mark'))}"
        if word not in words and word != entity and len(set(word.split())) == len(word.split()):
            words.append(word)
    pool = "test" if held_out else "train"
    return Domain(source, entity, words, pool, difficulty, code_share=0.16 * difficulty)


def draw_value(source: random.Random) -> str:
    """Draw what a look-up returns: an identifier, number, time span, name, word, ..."""
    kind = source.random()
    if kind < 0.05:
        return source.choice(ENTITIES) if source.random() < 0.5 else invented_word(source)
    if kind < 0.25:
        return source.choice(_UPPER) + characters(source, string.digits, 2, 5)
    if kind < 0.40:
        return source.choice("123456789") + characters(source, string.digits, 1, 5)
    if kind < 0.52:
        return f"{characters(source, string.digits, 3, 3)}-{characters(source, string.digits, 3, 4)}"
    if kind < 0.60:
        return f"{source.randint(0, 99)}.{source.randint(1, 99)}"
    if kind < 0.65:
        start = f"{source.randint(5, 12):02}:{source.choice(('00', '15', '30', '45'))}"
        return f"{start}-{source.randint(13, 23)}:{source.choice(('00', '30'))}"
    if kind < 0.69:
        return f"{source.randint(1, 90)}.{source.randint(10, 9999)}, {source.randint(1, 90)}.{source.randint(10, 9999)}"
    if kind < 0.85:
        return invented_word(source).capitalize()
    if kind < 0.90:
        return f"{source.choice(_UPPER)}{source.choice(_UPPER)}-{characters(source, string.digits, 2, 4)}"
    if kind < 0.93:
        return ", ".join(invented_word(source).capitalize() for _ in range(source.randint(2, 3)))
    return source.choice(_UPPER + string.digits) + characters(source, _MIXED, 4, 19)


def draw_number(source: random.Random) -> str:
    """Draw a number that the calculator-like tools can work with."""
    return str(source.randint(2, 99)) if source.random() < 0.5 else str(source.randint(100, 999))


def draw_name(source: random.Random) -> str:
    """Draw the name of a thing."""
    kind = source.random()
    if kind < 0.30:
        return invented_word(source, 2, 4).capitalize()
    if kind < 0.55:
        return f"{invented_word(source).capitalize()} {invented_word(source).capitalize()}"
    if kind < 0.65:
        return f"{source.choice(TRAINING_ATTRIBUTES).capitalize()} {source.choice(ENTITIES).capitalize()}"
    if kind < 0.75:
        return f"{source.choice(ENTITIES).capitalize()}_{characters(source, string.digits, 2, 4)}"
    if kind < 0.83:
        return f"{invented_word(source).capitalize()} {source.randint(1, 99)}"
    if kind < 0.90:
        return source.choice(_UPPER) + characters(source, string.digits, 2, 5)
    if kind < 0.97:
        return source.choice(_UPPER) + characters(source, _MIXED, 4, 19)
    return characters(source, _MANY_ALPHABETS, 3, 20)


def draw_string(source: random.Random) -> str:
    """Draw a string of 12 to 20 characters, of Latin letters and digits or of several alphabets and digits."""
    return characters(source, _MANY_ALPHABETS if source.random() < 0.5 else _MIXED, 12, 20)


def draw_key(source: random.Random, attribute: str, taken: tuple[str, ...] = ()) -> str:
    """Draw an argument key: the attribute's own word, a generic one, an invented word, or random characters."""
    while True:
        kind = source.random()
        if kind < 0.5:
            key = attribute.replace(" ", "_")
        elif kind < 0.65:
            key = source.choice(_GENERIC_KEYS)
        elif kind < 0.72:
            key = f"{source.choice(('the', 'by', 'in', 'from', 'for'))}_{attribute.split()[-1]}"
        elif kind < 0.87:
            key = invented_word(source)
        else:
            key = characters(source, string.ascii_lowercase + string.digits, 3, 7)
        if key not in taken and key != CODE_PARAMETER:
            return key


def draw_tool_name(domain: Domain, attribute: str) -> str:
    """Draw a tool name: descriptive, misleading, of random words or of random characters; never one in use."""
    source = domain.source
    while True:
        name = _tool_name(source, domain, attribute)
        if name not in domain.taken and not _FORBIDDEN.search(name):
            domain.taken.add(name)
            return name


def _tool_name(source: random.Random, domain: Domain, attribute: str) -> str:
    kind = source.random()
    word = attribute.replace(" ", "_")
    if domain.is_plain:
        return _plain_name(source, domain, word)
    other = source.choice(domain.attributes[:6]).replace(" ", "_")
    if kind < 0.18:
        return f"{source.choice(_VERBS)}_{word}"
    if kind < 0.24:
        return f"{domain.entity}_{word}"
    if kind < 0.28:
        return source.choice(_VERBS) + "".join(part.capitalize() for part in word.split("_"))
    if kind < 0.45:
        return f"{source.choice(_VERBS)}_{other}"
    if kind < 0.50:
        return f"{other}_{source.choice(('by', 'of', 'from', 'to', 'for'))}_{source.choice(TRAINING_ATTRIBUTES)}"
    if kind < 0.60:
        return f"{invented_word(source)}_{invented_word(source)}"
    if kind < 0.68:
        return invented_word(source, 2, 4)
    if kind < 0.74:
        return f"{source.choice(TRAINING_ATTRIBUTES)}_{source.choice(ENTITIES)}"
    if kind < 0.80:
        prefix = source.choice(("fn", "op", "api", "f", "call", "svc", "tool"))
        return f"{prefix}_{characters(source, string.digits + string.ascii_lowercase, 2, 7)}"
    if kind < 0.86:
        return invented_word(source).capitalize() + source.choice(("", "_", "-")) + characters(source, _MIXED, 2, 5)
    if kind < 0.94:
        return characters(source, string.ascii_lowercase, 3, 8)
    return source.choice(string.ascii_letters) + characters(source, _MIXED, 3, 8)


def _plain_name(source: random.Random, domain: Domain, word: str) -> str:
    """Return a name of early training: a quarter say what the tool returns, none points to another tool."""
    kind = source.random()
    if kind < 0.15:
        return f"{source.choice(_VERBS)}_{word}"
    if kind < 0.25:
        return f"{domain.entity}_{word}"
    if kind < 0.75:
        return characters(source, string.ascii_lowercase, 3, 8)
    if kind < 0.9:
        return f"{invented_word(source)}_{invented_word(source)}"
    return f"{source.choice(_VERBS)}_{source.choice(TRAINING_ATTRIBUTES)}"


def draw_tool(
    domain: Domain, inputs: tuple[str, ...], output: str, templates: Pool, document: str = "", **fields: str
) -> Tool:
    """Draw a tool that takes `inputs` and returns `output`, with a document from `templates`.

    Args:
        domain: Words and taken names of the episode.
        inputs: One or two attributes.
        output: The attribute that it returns; also used as the hidden function's name.
        templates: Document templates to choose from.
        document: What its document says, instead of one of the templates.
        **fields: Further fields of the template.
    """
    source = domain.source
    words = {"a": inputs[0], "a2": inputs[-1], "b": output, **fields}
    document = document or domain.phrase(templates, **words)
    if source.random() < 0.2 * domain.difficulty and templates is not documents.CALCULATOR_DOCUMENTS:
        stop = "" if document.endswith(".") else "."
        other = source.choice([word for word in domain.attributes if word not in (*inputs, output)])
        document += stop + draw_form("x" + source.choice(documents.REMARKS[domain.pool]), source)[1:].format(
            e=domain.entity, d=other, **words
        )
    keys: tuple[str, ...] = ()
    for attribute in inputs:
        keys += (draw_key(source, attribute, keys),)
    code = characters(source, _UPPER + string.digits, 3, 5) if source.random() < domain.code_share else None
    sentence = source.choice(documents.CODE_SENTENCES)
    parameters = tuple(Parameter(key, key) for key in keys)
    return DrawnTool(draw_tool_name(domain, output), document, parameters, output, code, code_sentence=sentence)


def look_up_tool(domain: Domain, given: str, output: str) -> Tool:
    """Draw a tool that finds `output` for `given`, now and then with a document of a few words or of scrambled ones."""
    source = domain.source
    if domain.is_scrambling:
        others = (given, domain.entity) if domain.is_flat else (domain.entity,)
        document = domain.scramble(output, *source.sample(others, source.randint(0, len(others))))
        return draw_tool(domain, (given,), output, documents.DOCUMENTS, document)
    kind = source.random()
    templates = documents.DOCUMENTS if kind < 1.0 - domain.composed else documents.COMPOSED_DOCUMENTS
    return draw_tool(domain, (given,), output, documents.TERSE_DOCUMENTS if kind < 0.1 else templates)
