"""The held-out rule: nothing that the evaluation draws its patterns from occurs in any training data.

The training data are the clean rows of SFT, PAFT's twins at alpha 1 and episodes of the pre-training corpus, each with
everything that a model sees along the gold episode. The patterns are those of the `test` pools; of the medical domain
everything is held out. Random strings of the pre-training corpus may coincide with an identifier in other samples.
"""

import re
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from openagent_lib.agents.scripted import OracleAgent
from openagent_lib.config import PAFTSettings
from openagent_lib.evaluation.rollout import play
from openagent_lib.evaluation.suite import TRAIN_TASKS
from openagent_lib.pretraining.corpus import SKILLS, build_episode
from openagent_lib.randomness import rng
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.domain import POOLS
from openagent_lib.sandbox.domains.registry import get_domain
from openagent_lib.sandbox.grammar import forms
from openagent_lib.sandbox.world import SPLITS, make_entities
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
from openagent_lib.training.paft import perturb_tasks

POI, MEDICAL = get_domain("poi"), get_domain("medical")
HELD_OUT = ((POI, ("test",)), (MEDICAL, POOLS))
"""The domains with the pools of theirs that no training may touch."""
PAPER_FACTOR = 0.2
"""Figure 3 of the paper names this factor; the pre-training corpus multiplies by it too."""
TEST_NAMES = {
    "erased": r"Tool_[a-z0-9]{4}",
    "version": r"\w+-v[2-9]",
    "namespace": r"(svc|api|core|ext|app)--\w+",
    "hash": r"\w+--[0-9a-f]{4}",
}
EPISODES_PER_SKILL = 30
WORDS_OF_A_FRAGMENT = 4


@dataclass
class Seen:
    """What a model sees in training: one set of texts for each place where it sees them."""

    queries: set[str] = field(default_factory=set)
    masked: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    documents: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    call_keys: set[str] = field(default_factory=set)
    codes: set[str] = field(default_factory=set)
    factors: set[float] = field(default_factory=set)
    observations: set[str] = field(default_factory=set)

    def text(self):
        """Return everything as one text in lower case."""
        return "\n".join(sorted(self.queries | self.names | self.documents | self.keys | self.observations)).lower()


def masked(form):
    """Return a surface form with its slots made alike."""
    return re.sub(r"\{\w+\}", "{}", form).casefold()


def filled(pattern):
    """Return the expression of all texts that a pattern with slots stands for."""
    return re.compile(".+".join(map(re.escape, re.split(r"\{\w+\}", pattern))), re.IGNORECASE | re.DOTALL)


def collect_tasks(seen, tasks):
    for episode in play(OracleAgent(), tasks):
        task = episode.task
        seen.queries.add(task.query)
        seen.masked.add(masked(task.template))
        seen.call_keys.add(task.call_key)
        seen.observations |= {m["content"] for m in episode.messages if m["role"] == "tool"}
        for tool in task.tools:
            seen.names.add(tool.name)
            seen.documents.add(tool.document)
            seen.keys |= set(tool.argument_names)
            seen.codes |= {tool.code} - {None}
            seen.factors |= {tool.factor} - {None}


def collect_episode(seen, episode):
    for schema in episode.tools:
        tool = schema["function"]
        seen.names.add(tool["name"])
        seen.documents.add(tool["description"])
        seen.keys |= set(tool["parameters"]["properties"])
        seen.codes |= set(re.findall(r'code "(\w+)"', tool["description"]))
        if episode.skill == "factor":
            seen.factors |= {float(number) for number in re.findall(r"(?<!\w)\d+(?:\.\d+)?(?!\w)", tool["description"])}
    for question in episode.questions:
        seen.queries.add(question.query)
        seen.observations |= {step.observation for step in question.steps}


@pytest.fixture(scope="module")
def fine_tuned():
    """Return what SFT, GRPO and PAFT show to a model."""
    seen, tasks = Seen(), make_tasks("train", TRAIN_TASKS)
    collect_tasks(seen, tasks)
    collect_tasks(seen, perturb_tasks(tasks, PAFTSettings(alpha=1.0), 0))
    return seen


@pytest.fixture(scope="module")
def pretrained():
    """Return what a sample of the pre-training corpus shows to a model."""
    seen = Seen()
    for skill in SKILLS:
        for index in range(EPISODES_PER_SKILL):
            difficulty = index / (EPISODES_PER_SKILL - 1)
            collect_episode(seen, build_episode(rng("held-out rule", skill, index), skill, difficulty))
    return seen


@pytest.fixture(params=["fine_tuned", "pretrained"])
def seen(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def everything(fine_tuned, pretrained):
    return f"{fine_tuned.text()}\n{pretrained.text()}"


def of_held_out(choose):
    """Return the patterns that `choose(domain, pool)` gives for everything held out."""
    return {pattern for domain, pools in HELD_OUT for pool in pools for pattern in choose(domain, pool)}


def query_forms(domain, pool):
    groups = (domain.queries, domain.inverted_queries, domain.blurred_queries)
    return {form for group in groups for pools in group.values() for p in pools[pool] for form in forms(p)}


def tool_documents(domain, pool):
    texts = [*domain.tools, *domain.inverted.values()]
    own = [text.description for text in domain.tools] if domain is MEDICAL else []
    return [d for text in texts for d in text.descriptions[pool]] + own + [d.description for d in domain.decoys[pool]]


def tool_names(domain, pool):
    own = [text.name for text in domain.tools] if domain is MEDICAL else []
    return [name for text in domain.tools for name in text.names[pool]] + own + [d.name for d in domain.decoys[pool]]


def phrases_of(domain, pool):
    groups = (domain.blurred_attributes, domain.vague)
    return {phrase for group in groups for pools in group.values() for phrase in pools[pool]}


def transient(pool):
    return [text for text, _ in observations.TRANSIENT_ERRORS[pool]]


OBSERVATIONS = {
    "passing errors": transient("test"),
    "lasting errors": observations.FATAL_ERRORS.test,
    "value redirections": observations.VALUE_REDIRECTIONS.test,
    "tool redirections": observations.TOOL_REDIRECTIONS.test,
    "formats": observations.FORMATS.test,
    "empty returns": observations.NULLS.test,
}


def fragments(patterns, words=WORDS_OF_A_FRAGMENT):
    """Return the literal parts around the slots of patterns that have so many words, in lower case."""
    parts = {part.strip().lower() for pattern in patterns for part in re.split(r"\{\w+\}", pattern)}
    return {part for part in parts if len(re.findall(r"\w+", part)) >= words}


def overlaps(patterns, text, words=WORDS_OF_A_FRAGMENT):
    found = fragments(patterns, words)
    assert found, "expected parts to look for"
    return {part for part in found if part in text}


def test_the_collection_holds_what_training_shows(fine_tuned, pretrained):
    assert len(fine_tuned.queries) > 5_000
    assert "find_place" in fine_tuned.names
    assert {name for tool in POI.tools for name in tool.names.train} <= fine_tuned.names
    assert {text.description for text in POI.tools if not text.factor and not text.code} <= fine_tuned.documents
    plain = [tool for tool in POI.tools if not tool.factor and not tool.code]
    reworded = {document for tool in plain for document in tool.descriptions.train}
    assert reworded <= fine_tuned.documents
    assert set(transient("train")) | set(observations.FATAL_ERRORS.train) <= fine_tuned.observations
    assert set(observations.NULLS.train) <= fine_tuned.observations
    assert {masked(f) for pools in POI.queries.values() for p in pools.train for f in forms(p)} <= fine_tuned.masked
    assert len(pretrained.documents) > 1_000
    assert len(pretrained.codes) > 50
    assert PAPER_FACTOR in pretrained.factors


@pytest.mark.parametrize("domain", [POI, MEDICAL], ids=lambda domain: domain.name)
def test_no_held_out_entity_occurs_in_training(domain, everything):
    pieces = set(re.findall(r"[\w./:-]*\w", everything))
    words = [line.split() for line in re.sub(r"[^a-z\n]+", " ", everything).split("\n")]
    pairs = {f"{one} {two}" for line in words for one, two in pairwise(line)}
    for split in ("test",) if domain is POI else SPLITS:
        for entity in make_entities(domain, split, 0):
            marks = {entity.name, entity.id, entity.area, entity.contact, entity.permit}
            assert {mark.lower() for mark in marks}.isdisjoint(pieces | pairs), entity


def test_a_training_entity_would_be_found(everything):
    pieces = set(re.findall(r"[\w./:-]*\w", everything))
    entities = make_entities(POI, "train", 0)
    assert sum({e.id.lower(), e.contact, e.permit.lower()} <= pieces for e in entities) > len(entities) / 2


def test_no_masked_form_of_a_held_out_query_is_one_of_training(fine_tuned):
    held_out = {masked(form) for form in of_held_out(query_forms)}
    assert len(held_out) > 500
    assert held_out.isdisjoint(fine_tuned.masked)


def test_no_query_of_pretraining_can_be_read_as_a_held_out_form(pretrained):
    patterns = [filled(form) for form in of_held_out(query_forms)]
    assert len(pretrained.queries) > 300
    assert [(p.pattern, q) for p in patterns for q in pretrained.queries if p.fullmatch(q)] == []


def test_no_phrase_of_a_held_out_query_occurs_in_training(everything):
    evaluated = query_forms(POI, "test") | query_forms(MEDICAL, "test")
    assert overlaps(evaluated, everything) == set()


def test_no_padding_of_the_evaluation_occurs_in_training(everything):
    sentences = {form for pattern in PADDING.test for form in forms(pattern)}
    assert overlaps(sentences, everything, words=3) == set()


def test_no_hint_and_no_vague_phrase_of_the_evaluation_occurs_in_training(everything):
    phrases = phrases_of(POI, "test") | phrases_of(MEDICAL, "test")
    assert len(phrases) > 80
    assert [phrase for phrase in sorted(phrases) if re.search(rf"\b{re.escape(phrase.lower())}\b", everything)] == []


def test_no_noun_phrase_of_the_other_domain_occurs_in_training(everything):
    phrases = {*MEDICAL.attributes.values(), *MEDICAL.entities.categories}
    assert [phrase for phrase in phrases if re.search(rf"\b{phrase}s?\b", everything)] == []


def test_no_name_of_the_evaluation_occurs_in_training(seen):
    known = {name.casefold() for name in seen.names}
    foreign = {text.name for text in FOREIGN_TOOLS.test}
    names = {name.casefold() for name in of_held_out(tool_names) | foreign}
    assert len(names) > 150
    assert names.isdisjoint(known)


@pytest.mark.parametrize("label", TEST_NAMES)
def test_no_name_of_training_has_a_form_of_the_evaluation(label, seen):
    assert [name for name in seen.names if re.fullmatch(TEST_NAMES[label], name)] == []


def test_no_name_of_training_is_a_familiar_one_with_the_noise_of_the_evaluation(seen):
    for name in (tool.name for tool in POI.tools):
        noisy = {name.translate(str.maketrans("oeia", "0314")), name[0] + re.sub("[aeiou]", "", name[1:])} - {name}
        assert noisy.isdisjoint(seen.names)
        assert not any(other.casefold() == name and other != name for other in seen.names), "letters in mixed case"


def test_no_merged_name_of_the_evaluation_occurs_in_training(seen):
    known = {text.name for text in POI.tools}
    merged = {p.format(a=a, b=b) for p in MERGED_NAMES.test for a in known for b in known}
    assert merged.isdisjoint(seen.names)
    joints = re.compile(r".+_(after|via|plus|using|into)_.+|full_.+_.+")
    assert all(joints.fullmatch(pattern) for pattern in MERGED_NAMES.test)
    assert [name for name in seen.names if joints.fullmatch(name)] == []


def test_no_document_of_the_evaluation_occurs_in_training(everything):
    documents = (
        of_held_out(tool_documents) | {text.description for text in FOREIGN_TOOLS.test} | set(MERGED_DOCUMENTS.test)
    )
    assert len(documents) > 150
    assert overlaps(documents, everything) == set()


@pytest.mark.parametrize("kind", OBSERVATIONS)
def test_no_observation_of_training_has_a_form_of_the_evaluation(kind, seen):
    patterns = [filled(pattern) for pattern in OBSERVATIONS[kind]]
    found = [(p.pattern, text) for p in patterns for text in seen.observations if p.fullmatch(text)]
    assert found == []


@pytest.mark.parametrize("kind", OBSERVATIONS)
def test_no_literal_part_of_an_observation_of_the_evaluation_occurs_in_training(kind, everything):
    assert overlaps(OBSERVATIONS[kind], everything, words=3) == set()


def test_no_sentence_of_the_evaluation_is_hidden_in_an_observation_of_training(everything):
    """Values of structured texts, as in `{"error": "..."}`, are looked for without the structure around them."""
    texts = [text for kind in ("passing errors", "lasting errors") for text in OBSERVATIONS[kind]]
    values = {value for text in texts for value in re.split(r'["<>\n{}:;|]+|\\n', text)}
    assert overlaps(values, everything, words=3) == set()


def test_no_code_of_training_has_a_form_of_the_evaluation(seen):
    symbols = {"#": r"\d", "@": "[A-Z]"}
    for pattern in CODE_PATTERNS.test:
        expression = "".join(symbols.get(symbol, re.escape(symbol)) for symbol in pattern)
        assert [code for code in seen.codes if re.fullmatch(expression, code)] == []


def test_no_key_of_the_evaluation_occurs_in_training(seen):
    keys = {key for pools in PARAMETER_KEYS.values() for key in pools.test}
    keys |= {text.key for text in (*FOREIGN_TOOLS.test, *POI.decoys.test)}
    keys |= {text.key for pool in POOLS for text in MEDICAL.decoys[pool]}
    assert keys.isdisjoint(seen.keys)
    assert set(CALL_KEYS.test).isdisjoint(seen.call_keys | seen.keys)


def test_no_factor_of_the_evaluation_occurs_in_training(fine_tuned, pretrained):
    assert fine_tuned.factors.isdisjoint(FACTORS.test)
    assert pretrained.factors & set(FACTORS.test) == {PAPER_FACTOR}
