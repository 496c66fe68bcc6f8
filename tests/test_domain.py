"""The words of the domains: complete, exact in their slots, and nothing of evaluation seen in training."""

import itertools
import re
from dataclasses import replace

import pytest

from openagent_lib.errors import ConfigError
from openagent_lib.sandbox.domain import POOLS, Pool
from openagent_lib.sandbox.domains.registry import DOMAINS
from openagent_lib.sandbox.grammar import forms
from openagent_lib.sandbox.graph import ATTRIBUTES, FUNCTIONS, INVERTIBLE, RULES, SHAPES

POI, MEDICAL = DOMAINS["poi"], DOMAINS["medical"]
SLOT = re.compile(r"\{(\w+)\}")
CLOSED_NAME = re.compile(r"[a-z][a-z0-9_]{2,40}")
OTHER_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{2,40}")
FORBIDDEN = re.compile(r"\b(shift\w*|perturb\w*|benchmark\w*|gold|oracle|harness)\b", re.IGNORECASE)
MOST_WORDS = 22
LEAST_PATTERNS = 40

each_domain = pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
each_pool = pytest.mark.parametrize("pool", POOLS)


def slots_of(shape):
    """Return the slots that a query of a shape must name."""
    found = {name for _, arguments in shape.chain for text in arguments.values() for name in SLOT.findall(text)}
    return found | ({"attribute"} if shape.attributes else set())


def templates(domain, pool):
    """Return every query template of a pool with the slots that it must have."""
    for queries in (domain.queries, domain.blurred_queries):
        for name, pools in queries.items():
            yield from ((text, slots_of(SHAPES[name])) for text in pools[pool])
    for pools in domain.inverted_queries.values():
        yield from ((text, {"attribute", "value"}) for text in pools[pool])


def documents(domain, pool):
    """Return the documents of a pool, those of the closed world with the train pool."""
    found = [text for tool in domain.tools for text in tool.descriptions[pool]]
    found += [text for inverted in domain.inverted.values() for text in inverted.descriptions[pool]]
    found += [decoy.description for decoy in domain.decoys[pool]]
    return found + ([tool.description for tool in domain.tools] if pool == "train" else [])


def names(domain, pool):
    """Return the tool names of a pool, those of the closed world with the train pool."""
    found = [name for tool in domain.tools for name in tool.names[pool]]
    found += [decoy.name for decoy in domain.decoys[pool]]
    return found + ([tool.name for tool in domain.tools] if pool == "train" else [])


def phrases(domain, pool):
    """Return the noun phrases of a pool that fill slots."""
    pools = (*domain.blurred_attributes.values(), *domain.vague.values())
    return [text for item in pools for text in item[pool]]


def masked(text):
    """Return a text without what fills its slots: lower case, words only, one mark for every slot."""
    return " ".join(re.findall(r"[\w']+|\*", SLOT.sub("*", text).casefold()))


def surface(domain, pool):
    return {masked(form) for text, _ in templates(domain, pool) for form in forms(text)}


@each_domain
@each_pool
def test_every_surface_form_has_exactly_the_slots_of_its_shape(domain, pool):
    for template, slots in templates(domain, pool):
        for form in forms(template):
            assert sorted(SLOT.findall(form)) == sorted(slots), form
            assert not re.search(r"[\[\]|]|  |\d", form), form


@each_domain
@each_pool
def test_every_shape_has_several_templates_and_together_they_have_many_forms(domain, pool):
    assert min(len(pools[pool]) for pools in domain.queries.values()) >= 5
    assert min(len(pools[pool]) for pools in domain.blurred_queries.values()) >= 3
    assert len({form for template, _ in templates(domain, pool) for form in forms(template)}) >= 150


@pytest.mark.parametrize("trained", DOMAINS.values(), ids=DOMAINS)
@pytest.mark.parametrize("tested", DOMAINS.values(), ids=DOMAINS)
@pytest.mark.parametrize("words", [surface, documents, names, phrases], ids=lambda words: words.__name__)
def test_no_masked_text_of_the_test_pool_is_in_a_train_pool(trained, tested, words):
    seen = {masked(text) for text in words(trained, "train")}
    assert seen.isdisjoint(masked(text) for text in words(tested, "test"))


@each_pool
def test_the_queries_of_the_domains_are_not_each_others(pool):
    assert surface(POI, pool).isdisjoint(surface(MEDICAL, pool))


@each_domain
@each_pool
def test_no_query_template_serves_two_shapes(domain, pool):
    texts = [text for text, _ in templates(domain, pool)]
    assert len(set(texts)) == len(texts)


@each_domain
@each_pool
def test_there_are_at_least_forty_names_and_documents_and_none_occurs_twice(domain, pool):
    for texts in (
        [name for tool in domain.tools for name in tool.names[pool]],
        [text for tool in domain.tools for text in tool.descriptions[pool]],
    ):
        assert len(texts) >= LEAST_PATTERNS
    for texts in (names(domain, pool), documents(domain, pool)):
        assert len({masked(text) for text in texts}) == len(texts)


def test_no_tool_name_occurs_twice_over_domains_and_pools():
    found = [name.casefold() for domain in DOMAINS.values() for pool in POOLS for name in names(domain, pool)]
    assert sorted(name for name in set(found) if found.count(name) > 1) == []


@each_domain
def test_names_are_identifiers(domain):
    assert all(CLOSED_NAME.fullmatch(tool.name) for tool in domain.tools)
    assert all(OTHER_NAME.fullmatch(name) for pool in POOLS for name in names(domain, pool))
    keys = [key for tool in domain.tools for key in tool.keys]
    keys += [text.key for text in (*domain.inverted.values(), *domain.decoys.train, *domain.decoys.test)]
    assert all(CLOSED_NAME.fullmatch(key) or key == "id" for key in keys)


@each_domain
@each_pool
def test_a_document_is_short_and_names_no_tool_and_no_example(domain, pool):
    tools = {tool.name for tool in domain.tools}
    for text in documents(domain, pool):
        assert len(text.replace("{factor}", "1").split()) <= MOST_WORDS, text
        assert not re.search(r"\d", text), text
        assert tools.isdisjoint(re.findall(r"\w+_\w+", text)), text


@each_domain
@each_pool
def test_no_text_speaks_of_how_it_is_used_here(domain, pool):
    texts = [text for text, _ in templates(domain, pool)] + documents(domain, pool) + phrases(domain, pool)
    assert [text for text in texts if FORBIDDEN.search(text)] == []


@each_domain
def test_the_factor_stands_once_in_every_document_of_a_rule_and_in_no_other_text(domain):
    for tool in domain.tools:
        texts = (tool.description, *tool.descriptions.train, *tool.descriptions.test)
        assert {text.count("{factor}") for text in texts} == {int(tool.function in RULES)}, tool.name
        assert (tool.factor is not None) == (tool.function in RULES)
    for pool in POOLS:
        others = [text for item in domain.inverted.values() for text in item.descriptions[pool]]
        others += [decoy.description for decoy in domain.decoys[pool]]
        assert not any("{" in text for text in others)


@each_domain
def test_the_document_of_a_rule_states_its_factor(domain):
    for tool in domain.catalogue.values():
        assert "{" not in tool.document
        if tool.factor is not None:
            assert re.search(rf"(?<![\d.]){tool.factor:g}(?!\.?\d)", tool.document)


@each_domain
def test_some_tools_state_a_code_and_the_codes_differ(domain):
    codes = [tool.code for tool in domain.tools if tool.code]
    assert len(codes) >= 2
    assert len(set(codes)) == len(codes)
    assert all(f'"{tool.code}"' in tool.document for tool in domain.catalogue.values() if tool.code)


@each_domain
def test_a_tool_of_the_catalogue_has_a_key_for_every_slot_of_its_function(domain):
    assert list(domain.catalogue) == [text.function for text in domain.tools]
    for function, tool in domain.catalogue.items():
        assert tool.function == function
        assert [parameter.slot for parameter in tool.parameters] == list(FUNCTIONS[function].takes)
        assert [parameter.name for parameter in tool.parameters] == list(domain.texts[function].keys)


def test_the_domains_have_no_value_format_and_no_word_in_common():
    for field in ("id", "contact", "permit"):
        assert getattr(POI.entities, field) != getattr(MEDICAL.entities, field)
    for field in ("categories", "syllables", "endings"):
        assert set(getattr(POI.entities, field)).isdisjoint(getattr(MEDICAL.entities, field))
    assert set(POI.attributes.values()).isdisjoint(MEDICAL.attributes.values())


@each_domain
def test_there_are_eight_categories(domain):
    assert len(set(domain.entities.categories)) == 8


def test_a_document_takes_a_factor_and_other_words():
    text = POI.texts["reduce_amount"]
    assert text.document(0.25, "times {factor}") == "times 0.25"
    assert text.document(2.0).count("2") == 1
    assert POI.texts["find"].document(None) == POI.texts["find"].description


@pytest.mark.parametrize(
    ("train", "test", "message"),
    [
        ((), ("a",), "train pool"),
        (("a",), (), "test pool"),
        (("a", "a"), ("b",), "train pool"),
        (("a",), ("b", "b"), "test pool"),
        (("a", "b"), ("c", "a"), "disjoint pools, found .*'a'.* in both"),
    ],
)
def test_a_pool_that_is_empty_repeats_itself_or_meets_the_other_is_refused(train, test, message):
    with pytest.raises(ConfigError, match=message) as caught:
        Pool(train, test)
    assert len(str(caught.value).splitlines()) == 1


def test_a_pool_is_read_by_its_name_and_there_are_two():
    pool = Pool(("a",), ("b",))
    assert (pool["train"], pool["test"]) == (("a",), ("b",))
    for name in ("dev", "", "Train"):
        with pytest.raises(ConfigError, match=f"expected a pool of train, test, found '{name}'"):
            pool[name]


def without(mapping, key):
    return {name: value for name, value in mapping.items() if name != key}


BROKEN = {
    "a tool is lacking": {"tools": POI.tools[1:]},
    "a tool is there twice": {"tools": (*POI.tools, POI.tools[0])},
    "a tool of no function": {"tools": (*POI.tools[1:], replace(POI.tools[0], function="fly"))},
    "an attribute is lacking": {"attributes": without(POI.attributes, "area")},
    "a shape is lacking": {"queries": without(POI.queries, "gap")},
    "a shape too many": {"queries": POI.queries | {"other": POI.queries["gap"]}},
    "an inverse is lacking": {"inverted": without(POI.inverted, "find")},
    "a question for an inverse is lacking": {"inverted_queries": without(POI.inverted_queries, "direct")},
    "a vague shape is lacking": {"blurred_queries": without(POI.blurred_queries, "total")},
    "a vague attribute is lacking": {"blurred_attributes": without(POI.blurred_attributes, "permit")},
    "a vague condition is lacking": {"vague": without(POI.vague, "count")},
}


@pytest.mark.parametrize("changes", BROKEN.values(), ids=list(BROKEN))
def test_a_domain_whose_words_do_not_cover_the_graph_is_refused(changes):
    (field,) = changes
    with pytest.raises(ConfigError, match=f"domain poi: expected {field} for .*, found .*: edit the module") as caught:
        replace(POI, **changes)
    assert len(str(caught.value).splitlines()) == 1


@each_domain
def test_the_words_cover_the_graph(domain):
    assert set(domain.texts) == set(FUNCTIONS)
    assert set(domain.attributes) == set(ATTRIBUTES)
    assert set(domain.inverted) == set(INVERTIBLE)
    assert all(pool[name] for pool, name in itertools.product(domain.vague.values(), POOLS))
