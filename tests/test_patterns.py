"""The pools of patterns: large, apart, complete, and alike where telling them apart must need reading."""

import re
from collections import Counter
from itertools import product
from string import Formatter

import pytest

from openagent_lib.sandbox.domain import POOLS
from openagent_lib.sandbox.domains.registry import DOMAINS, get_domain
from openagent_lib.sandbox.grammar import forms
from openagent_lib.sandbox.graph import FUNCTIONS
from openagent_lib.shifts.patterns import observations
from openagent_lib.shifts.patterns.queries import PADDING
from openagent_lib.shifts.patterns.tools import (
    CALL_KEYS,
    CODE_PATTERNS,
    FACTORS,
    FOREIGN_TOOLS,
    MERGED_DOCUMENTS,
    MERGED_NAMES,
    PARAMETER_KEYS,
)

SLOTS = {
    "FATAL_ERRORS": (),
    "NULLS": (),
    "FORMATS": ("{value}",),
    "VALUE_REDIRECTIONS": ("{old}", "{new}"),
    "TOOL_REDIRECTIONS": ("{tool}",),
}
STYLES = {
    "json": r'\{"',
    "markup": r"<",
    "status line": r"HTTP \d{3} |\d{3} ",
    "traceback": r"Traceback \(most recent call last\):\n",
    "log": r"\[[A-Z]+\] |level=|kernel: ",
    "record": r"[a-z]+:.*\n|\w+: \w+; ",
    "prefix": r"Error: ",
    "row": r"[A-Z]+ \| ",
    "prose": r"[A-Z][a-z]+,? [^|]*\.$",
}
each_pool = pytest.mark.parametrize("pool", POOLS)


def errors(pool):
    return [text for text, _ in observations.TRANSIENT_ERRORS[pool]]


def style(text):
    """Return the first style that a text begins like."""
    return next(name for name, pattern in STYLES.items() if re.match(pattern, text))


@each_pool
@pytest.mark.parametrize("name", SLOTS)
def test_every_observation_has_its_slots_once(name, pool):
    for text in getattr(observations, name)[pool]:
        found = re.findall(r"\{(?:value|old|new|tool)\}", text)
        assert sorted(found) == sorted(SLOTS[name]), text


@each_pool
def test_there_are_at_least_twelve_observations_of_every_kind(pool):
    counts = {name: len(getattr(observations, name)[pool]) for name in SLOTS} | {"errors": len(errors(pool))}
    assert min(counts.values()) >= 12, counts
    assert len(PADDING[pool]) >= 12


@each_pool
@pytest.mark.parametrize("domain", DOMAINS)
def test_there_are_at_least_forty_names_and_documents_in_every_domain(domain, pool):
    tools = get_domain(domain).tools
    names = [name for text in tools for name in text.names[pool]]
    documents = [text for tool in tools for text in tool.descriptions[pool]]
    assert len({name.casefold() for name in names}) == len(names) >= 40
    assert len(set(documents)) == len(documents) >= 40
    assert all(len(text.names[pool]) >= 3 and len(text.descriptions[pool]) >= 3 for text in tools)


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_name_of_any_pool_is_a_name_of_the_closed_world(domain):
    tools = get_domain(domain).tools
    closed = {text.name.casefold() for text in tools}
    others = [name.casefold() for text in tools for pool in POOLS for name in text.names[pool]]
    assert closed.isdisjoint(others)
    assert len(set(others)) == len(others)


def test_passing_and_lasting_errors_do_not_meet():
    assert {text for pool in POOLS for text in errors(pool)}.isdisjoint(
        text for pool in POOLS for text in observations.FATAL_ERRORS[pool]
    )


@each_pool
def test_no_style_tells_a_passing_error_from_a_lasting_one(pool):
    passing = Counter(style(text) for text in errors(pool))
    lasting = Counter(style(text) for text in observations.FATAL_ERRORS[pool])
    assert passing == lasting
    assert len(passing) >= 5


@each_pool
def test_no_opening_of_a_formal_text_tells_a_passing_error_from_a_lasting_one(pool):
    def openings(texts):
        return Counter(re.match(r"\W*\w+\W*\w*", text)[0] for text in texts if style(text) not in ("prose", "prefix"))

    passing, lasting = openings(errors(pool)), openings(observations.FATAL_ERRORS[pool])
    assert {opening.split()[0] for opening in passing} == {opening.split()[0] for opening in lasting}


@each_pool
def test_no_length_tells_a_passing_error_from_a_lasting_one(pool):
    passing = sorted(map(len, errors(pool)))
    lasting = sorted(map(len, observations.FATAL_ERRORS[pool]))
    assert passing[-1] > lasting[len(lasting) // 2]
    assert lasting[0] < passing[len(passing) // 2]


@each_pool
def test_both_pools_of_every_observation_come_in_several_styles(pool):
    for name in ("NULLS", "FORMATS", "VALUE_REDIRECTIONS", "TOOL_REDIRECTIONS"):
        texts = getattr(observations, name)[pool]
        assert sum(text.startswith(("{", "[")) for text in texts) >= 2
        assert sum(not text.startswith(("{", "[", "<")) for text in texts) >= 5


@each_pool
def test_an_error_that_takes_two_calls_says_so_and_no_other_does(pool):
    for text, times in observations.TRANSIENT_ERRORS[pool]:
        says_two = re.search(r"\b(two|three|third|twice|pair|both)\b", text, re.IGNORECASE) is not None
        assert (times == 2) == says_two, text
    assert {times for _, times in observations.TRANSIENT_ERRORS[pool]} == {1, 2}


def test_an_error_that_takes_one_call_never_reads_like_a_lasting_one():
    final = re.compile(r"\b(never|for ever|permanent\w*|no longer|for good|fallback|substitute|successor)\b")
    assert not any(final.search(text.lower()) for pool in POOLS for text in errors(pool))


def test_the_pools_of_observations_share_no_text_in_any_case():
    for name in SLOTS:
        pools = getattr(observations, name)
        assert {t.casefold() for t in pools.train}.isdisjoint(t.casefold() for t in pools.test)


@each_pool
def test_padding_speaks_of_nothing_but_an_entity_and_holds_no_digit(pool):
    for pattern in PADDING[pool]:
        for form in forms(pattern):
            assert {field for _, field, _, _ in Formatter().parse(form) if field} <= {"entity"}
            assert not re.search(r"\d", form)
            assert form[-1] in ".!?"
    assert sum("{entity}" in pattern for pattern in PADDING[pool]) >= 5


def test_every_slot_of_the_graph_has_other_keys_and_no_key_serves_twice():
    taken = {slot for function in FUNCTIONS.values() for slot in function.takes}
    assert taken <= set(PARAMETER_KEYS)
    keys = [key for pools in PARAMETER_KEYS.values() for pool in POOLS for key in pools[pool]]
    assert len(set(keys)) == len(keys)
    closed = {key for domain in DOMAINS.values() for text in domain.tools for key in text.keys}
    assert closed.isdisjoint(keys)
    assert "arguments" not in (*CALL_KEYS.train, *CALL_KEYS.test)


def test_no_code_of_one_pool_can_be_drawn_from_the_other():
    kinds = {pool: {pattern.replace("#", "d").replace("@", "D") for pattern in CODE_PATTERNS[pool]} for pool in POOLS}
    assert kinds["train"].isdisjoint(kinds["test"])
    closed = {
        re.sub(r"[A-Z]", "@", re.sub(r"\d", "#", text.code)) for d in DOMAINS.values() for text in d.tools if text.code
    }
    assert closed.isdisjoint((*CODE_PATTERNS.train, *CODE_PATTERNS.test))


def test_no_other_factor_is_a_factor_of_a_closed_world():
    closed = {text.factor for domain in DOMAINS.values() for text in domain.tools if text.factor is not None}
    assert closed.isdisjoint((*FACTORS.train, *FACTORS.test))
    assert 1.0 not in (*FACTORS.train, *FACTORS.test)
    assert len(FACTORS.train) == len(FACTORS.test) >= 12


@each_pool
def test_merged_names_fit_an_endpoint_for_every_pair_of_tools(pool):
    names = [text.name for text in get_domain("poi").tools]
    for pattern, first, second in product(MERGED_NAMES[pool], names, names):
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", pattern.format(a=first, b=second))
    assert all("{takes}" in text and "{returns}" in text for text in MERGED_DOCUMENTS[pool])


def test_no_foreign_tool_bears_a_name_of_a_world_or_shares_its_key_with_one():
    for pool in POOLS:
        texts = [*FOREIGN_TOOLS[pool], *(text for domain in DOMAINS.values() for text in domain.decoys[pool])]
        names = [text.name for text in texts]
        assert len(set(names)) == len(names)
        closed = {tool.name for domain in DOMAINS.values() for tool in domain.tools}
        assert closed.isdisjoint(names)
