"""Whether an answer could be read off the prompt without any call."""

import re

from openagent_lib.sandbox.protocol import answers_match, system_prompt
from openagent_lib.sandbox.task import Task

_PIECE = re.compile(r"[\w.:-]*\w")


def prompt_texts(task: Task) -> list[str]:
    """Return everything that an agent reads before its first call: prompts, names, documents and argument names."""
    texts = [system_prompt(task.call_key), task.query]
    for tool in task.tools:
        texts += [tool.name, tool.document, *tool.argument_names]
    return texts


def candidates(task: Task) -> list[str]:
    """Return every piece of the prompt that could be an answer: each run of one to three words, in order."""
    found: dict[str, None] = {}
    for text in prompt_texts(task):
        words = _PIECE.findall(text)
        for length in (1, 2, 3):
            found |= dict.fromkeys(" ".join(words[at : at + length]) for at in range(len(words) - length + 1))
    return list(found)


def answer_in_prompt(task: Task) -> bool:
    """Tell whether the gold answer stands in the prompt."""
    if task.gold_answer is None:
        return False
    gold = task.gold_answer.casefold()
    if " " in gold:
        return any(gold in text.casefold() for text in prompt_texts(task))
    return any(answers_match(word, gold) for text in prompt_texts(task) for word in _PIECE.findall(text))
