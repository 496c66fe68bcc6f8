"""The pre-training corpus: well-formed, solvable, reproducible, and free of the evaluation's words and patterns."""

import json
import re

import pytest

from openagent_lib.pretraining import documents, faults, phrases, vocabulary
from openagent_lib.pretraining.corpus import SKILLS, build_episode, draw_episode
from openagent_lib.pretraining.tree import draw_tree
from openagent_lib.pretraining.world import Domain, draw_domain, look_up_tool
from openagent_lib.randomness import rng
from openagent_lib.sandbox.domain import Pool
from openagent_lib.sandbox.domains.registry import DOMAINS
from openagent_lib.sandbox.grammar import draw_form, forms
from openagent_lib.sandbox.protocol import SYSTEM_PROMPT, is_refusal, parse_message
from openagent_lib.shifts.patterns import observations
from openagent_lib.shifts.patterns.tools import FOREIGN_TOOLS, MERGED_DOCUMENTS

DIFFICULTIES = (0.0, 0.3, 1.0)


def episodes(per_skill=25):
    for skill in SKILLS:
        for index in range(per_skill):
            for difficulty in DIFFICULTIES:
                yield build_episode(rng("test corpus", skill, index), skill, difficulty)


def visible_text(episode):
    return json.dumps([episode.tools, episode.messages()], ensure_ascii=False)


def test_episodes_contain_no_word_of_the_evaluation_domains():
    forbidden = re.compile(r"(?<![a-z])(" + "|".join(vocabulary.FORBIDDEN) + r")(?![a-z])")
    for episode in episodes():
        text = visible_text(episode).replace(SYSTEM_PROMPT, "").lower()
        assert forbidden.search(text) is None, forbidden.search(text)


def test_episodes_contain_no_evaluation_pattern():
    patterns = [re.compile(pattern) for pattern in vocabulary.FORBIDDEN_PATTERNS]
    for episode in episodes():
        names = " ".join(tool["function"]["name"] for tool in episode.tools)
        text = visible_text(episode)
        assert not any(pattern.search(names) or pattern.search(text) for pattern in patterns)


def test_word_and_phrase_lists_contain_no_forbidden_word():
    forbidden = set(vocabulary.FORBIDDEN)
    words = [
        *vocabulary.ENTITIES,
        *vocabulary.TRAINING_ATTRIBUTES,
        *vocabulary.HELD_OUT_ENTITIES,
        *vocabulary.HELD_OUT_ATTRIBUTES,
    ]
    for value in (value for room in (documents, phrases, faults) for value in vars(room).values()):
        texts = (*value.train, *value.test) if isinstance(value, Pool) else value if isinstance(value, tuple) else ()
        words += re.findall(r"[a-z]+", " ".join(texts).lower())
    assert len(words) > 2000
    assert forbidden.isdisjoint(words)


def test_held_out_words_are_disjoint_from_training_words():
    assert set(vocabulary.HELD_OUT_ENTITIES).isdisjoint(vocabulary.ENTITIES)
    assert set(vocabulary.HELD_OUT_ATTRIBUTES).isdisjoint(vocabulary.TRAINING_ATTRIBUTES)


def test_gold_calls_use_offered_tools_with_exactly_their_arguments():
    for episode in episodes():
        required = {tool["function"]["name"]: tool["function"]["parameters"]["required"] for tool in episode.tools}
        assert len(required) == len(episode.tools)
        for step in (step for question in episode.questions for step in question.steps):
            assert [key for key, _ in step.arguments] == required[step.name]


def test_gold_trajectory_ends_in_what_the_last_observation_says_or_in_a_refusal():
    for episode in episodes():
        assert episode.questions
        for question in episode.questions:
            message = parse_message(question.final)
            if message.refused:
                assert is_refusal(question.final)
                assert not question.steps or "rror" in question.steps[-1].observation
            else:
                assert message.answer in question.steps[-1].observation


def test_every_argument_is_known_when_it_is_used():
    """A value comes from the query, from an earlier observation, or is the code in the tool's document."""
    for episode in episodes():
        documents = {tool["function"]["name"]: tool["function"]["description"] for tool in episode.tools}
        for question in episode.questions:
            seen = question.query
            for step in question.steps:
                for key, value in step.arguments:
                    known = documents[step.name] if key == "code" else seen
                    numbers = re.split(r"[-+*/]", value) if "calculator" in episode.skill else [value]
                    assert all(number in known for number in numbers)
                seen += step.observation


def test_unsolvable_skills_are_refused_and_others_answered():
    for episode in episodes():
        finals = [is_refusal(question.final) for question in episode.questions]
        unsolvable = episode.skill in ("fatal_error", "missing_tool", "missing_information")
        assert any(finals) == unsolvable or len(finals) > 1


def test_schema_writes_the_description_first():
    for episode in episodes(2):
        for tool in episode.tools:
            assert list(tool["function"]) == ["description", "name", "parameters"]


def test_episode_is_a_function_of_seed_and_index():
    assert draw_episode(3, 17, 0.5) == draw_episode(3, 17, 0.5)
    assert draw_episode(3, 17, 0.5) != draw_episode(4, 17, 0.5)


def test_lists_of_tools_grow_with_difficulty():
    def mean(difficulty):
        return sum(len(draw_episode(0, index, difficulty).tools) for index in range(200)) / 200

    assert mean(0.0) < 3.4 < 3.8 < mean(1.0)


def test_tools_of_a_list_can_all_take_what_is_asked_about():
    """Otherwise the tool could be chosen by what it takes, without reading what it returns."""
    for index in range(40):
        domain = draw_domain(rng("alike", index), 1.0, held_out=True)
        tree = draw_tree(domain, length=1, count=5, is_alike=True)
        assert len(tree.tools) == 5 and set(tree.given.values()) == {tree.root}


def test_templates_for_scoring_never_occur_in_training():
    marks = [
        re.escape(part)
        for pool in (phrases.QUERIES, phrases.HINTED_QUERIES, documents.DOCUMENTS)
        for text in pool.test
        for part in re.split(r"\{\w\}", text)
        if len(part.split()) > 3
    ]
    text = "\n".join(map(visible_text, episodes(15)))
    assert len(marks) > 8
    assert not re.search("|".join(marks), text, re.IGNORECASE)
    scored = "\n".join(
        visible_text(build_episode(rng("scored", index), "one_call", held_out=True)) for index in range(80)
    )
    assert re.search("|".join(marks), scored, re.IGNORECASE)


def pattern_of(template):
    """Return a pattern of everything that a template can say, slots unfilled."""
    parts = re.split(r"\[([^\[\]]*)\]", template)
    text = "".join(
        f"(?:{'|'.join(map(re.escape, part.split('|')))})" if index % 2 else re.escape(part)
        for index, part in enumerate(parts)
    )
    return re.compile(re.sub(r"(\\ )+", r"\\s*", text) + r"\W*", re.IGNORECASE)


def test_no_template_of_training_can_say_what_one_for_scoring_says():
    held_out = [form for pool in vocabulary.TEMPLATES for template in pool.test for form in forms(template)]
    assert len(held_out) > 60
    for template in {template for pool in vocabulary.TEMPLATES for template in pool.train}:
        pattern = pattern_of(template)
        assert pattern.fullmatch(draw_form(template, rng("pattern", template))), "the pattern is that of the template"
        assert not [form for form in held_out if pattern.fullmatch(form)], template


def test_no_sentence_is_composed_where_none_is_wanted():
    composed = [pattern_of(template) for template in documents.COMPOSED_DOCUMENTS.train]
    plain = [pattern_of(text) for pool in (documents.DOCUMENTS, documents.TERSE_DOCUMENTS) for text in pool.train]

    def share(wanted):
        drawn = [look_up_tool(clean_domain(index, wanted), "{a}", "{b}").description for index in range(300)]
        told = [text for text in drawn if any(pattern.fullmatch(text) for pattern in (*composed, *plain))]
        return sum(not any(pattern.fullmatch(text) for pattern in plain) for text in told) / len(told)

    assert share(0.0) == 0.0
    assert 0.3 < share(0.55) < 0.8


def clean_domain(index, composed):
    """Return a domain whose documents keep their slots and are told without disturbance."""
    domain = Domain(rng("composed", index), "{e}", ["x", "y"], difficulty=0.0, composed=composed)
    domain.disturbed = lambda form: form.replace("{", "{{").replace("}", "}}")
    return domain


def test_now_and_then_a_wrong_tool_is_called_first_and_finds_nothing():
    n_questions = n_mistakes = 0
    for index in range(600):
        episode = draw_episode(5, index, 1.0)
        names = [tool["function"]["name"] for tool in episode.tools]
        for question in episode.questions:
            n_questions += 1
            for step, following in zip(question.steps, (*question.steps[1:], None), strict=False):
                if step.is_mistake:
                    n_mistakes += 1
                    assert step.name in names and "rror" in step.observation
                    assert following.name != step.name if following else is_refusal(question.final)
    assert 0.03 < n_mistakes / n_questions < 0.3
    scored = [build_episode(rng("scored", index), "named_chain_2", held_out=True) for index in range(100)]
    assert not any(step.is_mistake for episode in scored for step in episode.questions[0].steps)


@pytest.mark.parametrize("skill", SKILLS)
def test_scored_episodes_ask_one_question(skill):
    for index in range(10):
        assert len(build_episode(rng("held out", index), skill, held_out=True).questions) == 1


def evaluation_texts():
    """Return the texts of the test pools that could stand in an episode as they are."""
    names = [text.name for text in FOREIGN_TOOLS.test]
    texts = [text.description for text in FOREIGN_TOOLS.test]
    for domain in DOMAINS.values():
        names += [text.name for text in (*domain.tools, *domain.decoys.test)]
        names += [name for text in domain.tools for name in text.names.test]
        texts += [document for text in domain.tools for document in text.descriptions.test]
        texts += [text.description for text in (*domain.tools, *domain.decoys.test)]
    faults = [text for text, _ in observations.TRANSIENT_ERRORS.test]
    for pool in (observations.FATAL_ERRORS, observations.VALUE_REDIRECTIONS, observations.TOOL_REDIRECTIONS):
        faults += pool.test
    faults += [*observations.FORMATS.test, *MERGED_DOCUMENTS.test]
    literal = {part.strip() for text in faults + texts for part in re.split(r"\{\w+\}", text)}
    return names, {part for part in literal if len(re.findall(r"\w+", part)) >= 3}


def test_no_text_of_an_evaluation_pool_occurs_as_words_or_as_a_tool_name():
    names, texts = evaluation_texts()
    assert len(texts) > 200
    seen = list(episodes(15))
    offered = {tool["function"]["name"] for episode in seen for tool in episode.tools}
    assert offered.isdisjoint(names)
    text = "\n".join(map(visible_text, seen))
    assert [part for part in texts if part in text or json.dumps(part)[1:-1] in text] == []


def test_a_corpus_pattern_would_be_found_as_words():
    text = "\n".join(map(visible_text, episodes(15)))
    assert all(part in text for part in ("busy, try again", "broken beyond repair", "Spare service."))


def test_no_forbidden_pattern_touches_the_names_that_the_corpus_draws():
    """A pattern that rejected a tool name would change every later draw and part the corpus from the weights."""
    names = {tool["function"]["name"] for episode in episodes(40) for tool in episode.tools}
    assert all(" " not in name for name in names)
    later = [pattern for pattern in vocabulary.FORBIDDEN_PATTERNS if " " not in pattern]
    assert later == [r"\b[Tt]ool_\w{4}\b"]
