"""Whether an answer could be read off the prompt."""

from dataclasses import replace

import pytest

from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.domains.registry import DOMAINS
from openagent_lib.sandbox.leak import answer_in_prompt, candidates, prompt_texts
from openagent_lib.sandbox.protocol import answers_match, system_prompt
from openagent_lib.sandbox.tool import Parameter, Tool

TASKS = [task for domain in DOMAINS for task in make_tasks("test", 60, domain=domain)]
TOOL = Tool("look_it_up", "Returns what belongs to a thing.", (Parameter("thing", "name"),), "find")


def asking(answer, query="What is it?", tool=TOOL, call_key="arguments"):
    return replace(TASKS[0], gold_answer=answer, query=query, tools=(tool,), call_key=call_key)


LEAKS = {
    "a word of the query": asking("P1234", "Is it P1234?"),
    "a word at the end of a sentence": asking("P1234", "Please find P1234."),
    "a word in quotes": asking("P1234", 'Find "P1234", please.'),
    "in other case": asking("Torveldro", "I am in TORVELDRO."),
    "the same number": asking("15", "I have 15 of them."),
    "the same number, written otherwise": asking("15", "I have 15.0 of them."),
    "several words": asking("Kalo Gate", "Is it Kalo Gate or not?"),
    "a time span": asking("06:00-15:30", "Open 06:00-15:30?"),
    "a number in a document": asking("3", tool=replace(TOOL, description="Multiplies by 3.")),
    "a verification code": asking("K7Q2", tool=replace(TOOL, code="K7Q2")),
    "a tool name": asking("look_it_up"),
    "an argument name": asking("thing"),
    "a key of the call": asking("args", call_key="args"),
    "a word of the system prompt": asking("tools"),
}
SAFE = {
    "another word": asking("P1234", "Is it P1235?"),
    "a number inside a longer one": asking("15", "I have 115 or 150 or 1.15 of them."),
    "a number inside an identifier": asking("15", "P15 and X-15 and 15-X"),
    "words that do not follow each other": asking("Kalo Gate", "Is Gate Kalo or Kalo Yard?"),
    "a time span with another end": asking("06:00-15:30", "Open 06:00-15:00?"),
    "no answer at all": asking(None, "None of them."),
}


@pytest.mark.parametrize("task", LEAKS.values(), ids=list(LEAKS))
def test_an_answer_that_stands_in_the_prompt_is_caught(task):
    assert answer_in_prompt(task)


@pytest.mark.parametrize("task", SAFE.values(), ids=list(SAFE))
def test_an_answer_that_does_not_stand_in_the_prompt_is_let_through(task):
    assert not answer_in_prompt(task)


@pytest.mark.parametrize("task", [*LEAKS.values(), *SAFE.values()], ids=[*LEAKS, *SAFE])
def test_an_answer_is_caught_exactly_when_some_piece_of_the_prompt_would_pass_as_it(task):
    found = task.is_solvable and any(answers_match(piece, task.gold_answer) for piece in candidates(task))
    assert answer_in_prompt(task) == found


def test_no_piece_of_a_clean_prompt_would_pass_as_the_answer():
    for task in TASKS:
        assert not any(answers_match(piece, task.gold_answer) for piece in candidates(task)), task.query


def test_the_prompt_holds_everything_that_an_agent_reads():
    task = replace(TASKS[0], call_key="args")
    text = "\n".join(prompt_texts(task))
    assert system_prompt("args") in text
    assert task.query in text
    for tool in task.tools:
        assert all(part in text for part in (tool.name, tool.document, *tool.argument_names))


def test_what_fills_the_slots_is_among_the_candidates():
    for task in TASKS:
        pieces = {piece.casefold() for piece in candidates(task)}
        for slot, text in task.slots:
            assert slot == "attribute" or text.casefold() in pieces


def test_candidates_come_in_order_and_once():
    pieces = candidates(TASKS[0])
    assert pieces == candidates(TASKS[0])
    assert len(set(pieces)) == len(pieces)
