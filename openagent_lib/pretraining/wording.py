"""How an episode speaks: queries, subjects, values, replies, errors and refusals in changing words."""

import json
import random

from openagent_lib.pretraining import faults, phrases
from openagent_lib.pretraining.vocabulary import TRAINING_ATTRIBUTES, invented_word
from openagent_lib.pretraining.world import Domain
from openagent_lib.sandbox.domain import Pool
from openagent_lib.sandbox.protocol import REFUSAL, format_error, format_value

_COMPOSED = {phrases.QUERIES: phrases.COMPOSED_QUERIES, phrases.HINTED_QUERIES: phrases.COMPOSED_HINTED_QUERIES}


def word_reply(domain: Domain, style: float, word: str, value: str) -> str:
    """Return an observation that holds a value.

    Args:
        domain: The episode's domain.
        style: 0 to 1; below 0.72 the project's own `{"value": ...}`, above it other keys, prose, lists, bare text.
        word: What the value is.
        value: The value; quoted in prose where it starts in lower case, so that it tokenises as in an argument.
    """
    if style < 0.72:
        return format_value(value)
    spelt = f'"{value}"' if value[0].islower() else value
    if style < 0.78:
        return json.dumps({word.replace(" ", "_"): value}, ensure_ascii=False)
    if style < 0.82:
        return f"The {word} is {spelt}."
    if style < 0.85:
        return f'{word}: "{value}"'
    if style < 0.88:
        return json.dumps({"result": {word.replace(" ", "_"): value}}, ensure_ascii=False)
    if style < 0.91:
        return value
    if style < 0.94:
        return json.dumps({"status": "ok", "data": [value]}, ensure_ascii=False)
    if style < 0.96:
        return json.dumps([value], ensure_ascii=False)
    return domain.source.choice(
        ("Found {v}.", "ok: {v}", "It is {v}.", "Answer from the register: {v}", "{v} ({w})")
    ).format(v=spelt, w=word)


def word_error(domain: Domain, templates: Pool, **words: str) -> str:
    """Return an error observation from one of the templates, as JSON in 85 % of the cases."""
    text = domain.form(templates).format(e=domain.entity, **words)
    return format_error(text) if domain.source.random() < 0.85 else f"Error: {text}"


def word_refusal(source: random.Random) -> str:
    """Return the final message of an unsolvable question, in 4 % of the cases in other words."""
    return REFUSAL if source.random() < 0.96 else source.choice(faults.OTHER_REFUSALS)


def word_value(source: random.Random, value: str) -> str:
    """Return a value as a query spells it; in quotes always where it starts in lower case."""
    frames = ('"{}"', '"{}"', "'{}'") if value[0].islower() else ('"{}"', '"{}"', "{}", "{}", "'{}'")
    return source.choice(frames).format(value)


def word_subject(domain: Domain, attribute: str, value: str) -> str:
    """Return the words for the thing whose `attribute` is `value`."""
    templates = phrases.NAMED_SUBJECTS if attribute == "name" else phrases.KEYED_SUBJECTS
    return domain.form(templates).format(e=domain.entity, s=attribute, x=word_value(domain.source, value))


def word_query(domain: Domain, templates: Pool, **words: str) -> str:
    """Return a query from one of the templates, now and then with irrelevant words around it."""
    source = domain.source
    if templates is phrases.QUERIES and domain.is_scrambling:
        text = domain.scramble(words["b"], words["S"])
    elif templates in _COMPOSED and source.random() < domain.composed:
        text = domain.phrase(_COMPOSED[templates], **words)
    else:
        text = domain.phrase(templates, **words)
    fields = {
        "d": source.choice(TRAINING_ATTRIBUTES),
        "w": invented_word(source).capitalize(),
        "n": source.randint(2, 60),
    }
    if source.random() < 0.12 * domain.difficulty:
        text = source.choice(phrases.PADDING_BEFORE[domain.pool]).format(**fields) + text
    if source.random() < 0.12 * domain.difficulty:
        text += source.choice(phrases.PADDING_AFTER[domain.pool]).format(**fields)
    return text
