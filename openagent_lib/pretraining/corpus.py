"""Procedural pre-training episodes: random domains, tools, questions, faults and refusals, with gold conversations.

An episode is a pure function of (source, difficulty, skill). Nothing of it comes from the evaluation's domains or
pattern pools.
"""

import random
from collections.abc import Callable
from itertools import pairwise

from openagent_lib.pretraining import documents, faults, phrases
from openagent_lib.pretraining.episode import Episode, Question, Step
from openagent_lib.pretraining.tree import Tree, draw_tree
from openagent_lib.pretraining.wording import word_error, word_query, word_refusal, word_reply, word_subject, word_value
from openagent_lib.pretraining.world import (
    COMPOSED_SHARE,
    Domain,
    draw_domain,
    draw_name,
    draw_number,
    draw_string,
    draw_tool,
    draw_value,
    look_up_tool,
)
from openagent_lib.randomness import rng
from openagent_lib.sandbox.expression import evaluate_expression, format_number
from openagent_lib.sandbox.protocol import format_answer
from openagent_lib.sandbox.tool import CODE_PARAMETER, DESCRIPTION_FIRST, Tool

# Skill: (weight at difficulty 0, weight at difficulty 1).
SKILLS = {
    "copy": (0.06, 0.08),
    "one_call": (0.83, 0.20),
    "named_chain_2": (0.06, 0.12),
    "planned_chain_2": (0.00, 0.12),
    "named_chain_3": (0.00, 0.08),
    "planned_chain_3": (0.00, 0.05),
    "two_arguments": (0.01, 0.05),
    "branching": (0.00, 0.06),
    "factor": (0.00, 0.05),
    "calculator": (0.00, 0.05),
    "retry": (0.01, 0.04),
    "redirection": (0.01, 0.04),
    "fatal_error": (0.01, 0.03),
    "missing_tool": (0.01, 0.07),
    "missing_information": (0.00, 0.03),
}
EASIER_SHARE = 1 / 3
MISTAKE_SHARE = 0.12
_FACTORS = ("0.5", "2", "0.1", "1.5", "3", "0.2", "10", "0.75", "1.2", "0.9", "4", "2.5")
_FAULTS = ("retry", "redirection", "fatal_error", "missing_tool", "missing_information")


def draw_episode(seed: int, index: int, difficulty: float, composed: float = COMPOSED_SHARE) -> Episode:
    """Return episode number `index` of a corpus.

    Args:
        seed: Seed of the corpus.
        index: Number of the episode.
        difficulty: 0 to 1; skills, lists of tools, names and remarks widen with it. A third of the episodes are easier.
        composed: Share of composed sentences among the documents and the questions of look-ups.
    """
    source = rng("pretraining corpus", seed, index)
    if source.random() < EASIER_SHARE:
        difficulty *= source.random()
    weights = [first * (1.0 - difficulty) + last * difficulty for first, last in SKILLS.values()]
    return build_episode(source, source.choices(list(SKILLS), weights)[0], difficulty, composed=composed)


def build_episode(
    source: random.Random,
    skill: str,
    difficulty: float = 1.0,
    held_out: bool = False,
    n_tools: int | None = None,
    composed: float = COMPOSED_SHARE,
) -> Episode:
    """Return a random episode of one skill.

    Args:
        source: Generator of everything in it.
        skill: One of `SKILLS`.
        difficulty: 0 to 1; lists of tools grow with it.
        held_out: Use the words and templates kept for scoring, and ask one question only.
        n_tools: Number of tools offered, instead of a random one; all of them then take what is asked about.
        composed: Share of composed sentences among the documents and the questions of look-ups.
    """
    domain = draw_domain(source, difficulty, held_out)
    domain.composed = composed
    count = n_tools or source.randint(2, 4 + round(2 * difficulty))
    if skill in _OTHER_SHAPES:
        return _OTHER_SHAPES[skill](domain, skill, count)
    return _look_ups(domain, skill, count, many=not held_out, alike=n_tools is not None)


def _episode(domain: Domain, skill: str, tools: list[Tool], questions: list[Question]) -> Episode:
    domain.source.shuffle(tools)
    schemas, outputs = zip(*((tool.schema(DESCRIPTION_FIRST), tool.function) for tool in tools), strict=True)
    return Episode(skill, schemas, outputs, tuple(questions))


def _arguments(domain: Domain, tool: Tool, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    pairs = tuple((parameter.name, value) for parameter, value in zip(tool.parameters, values, strict=True))
    return pairs if tool.code is None else (*pairs, (CODE_PARAMETER, tool.code))


def _look_ups(domain: Domain, skill: str, count: int, many: bool, alike: bool) -> Episode:
    """Questions about a tree of look-up tools; where `skill` names a fault, a part of them meets it.

    Args:
        domain: Words of the episode.
        skill: What the episode exercises.
        count: Number of tools.
        many: Ask several questions in most episodes, each about another path.
        alike: All tools take what the last step of the first question takes.
    """
    source = domain.source
    fault = skill if skill in _FAULTS else ""
    if skill[-1].isdigit():
        length = int(skill[-1])
    else:
        length = 2 if fault and not alike and source.random() < 0.5 * domain.difficulty else 1
    is_alike = alike or source.random() < 0.5
    domain.is_flat = is_alike and length == 1
    tree = draw_tree(domain, length, max(count, length), is_alike)
    tools = list(tree.tools.values())
    paths = [path for path in map(tree.path, tree.tools) if len(path) == length]
    source.shuffle(paths)
    spare = None
    if skill == "redirection":
        target = paths[0][-1]
        spare = draw_tool(domain, (tree.given[target],), target, documents.SPARE_DOCUMENTS, t=tree.tools[target].name)
        tools.append(spare)
    if skill == "missing_tool":
        asked = [*tree.path(next(iter(tree.tools)))[: length - 1], domain.attributes.pop(0)]
        if len(tools) > 2 and source.random() < 0.5:
            asked = paths[0]
            lost = source.choice(asked)
            tools.remove(tree.tools.pop(lost))
            paths = [path for path in paths if lost not in path]
        paths = [asked, *paths]
    if source.random() < 0.25 * domain.difficulty and not alike:
        other = domain.attributes.pop(0)
        tools.append(draw_tool(domain, (other,), paths[0][-1], documents.DOCUMENTS))
    n_questions = 1 if not many or source.random() < 0.2 else source.randint(2, 5)
    style = source.random()
    questions = [
        _ask(domain, skill, tree, path, fault if index == 0 or source.random() < 0.3 else "", spare, style, index == 0)
        for index, path in enumerate(paths[:n_questions])
    ]
    if spare is None or len(questions) < 2 or source.random() < 0.5:
        source.shuffle(questions)
    return _episode(domain, skill, tools, questions)


def _ask(
    domain: Domain, skill: str, tree: Tree, path: list[str], fault: str, spare: Tool | None, style: float, first: bool
) -> Question:
    """Return one question about the end of a path, with the calls along it and the fault of one of them."""
    source = domain.source
    if fault in ("missing_tool", "redirection") and not first:
        fault = ""
    if skill == "copy":
        given = draw_string(source)
    else:
        given = draw_name(source) if tree.root == "name" else draw_value(source)
    subject = word_subject(domain, tree.root, given)
    if fault == "missing_information":
        subject = domain.form(phrases.BARE_SUBJECTS).format(e=domain.entity)
    is_named = (
        len(path) > 1 and not skill.startswith("planned") and (skill.startswith("named") or source.random() < 0.5)
    )
    templates = phrases.HINTED_QUERIES if is_named else phrases.QUERIES
    query = word_query(domain, templates, b=path[-1], P=" and the ".join(path[:-1]), S=subject)
    if fault == "missing_information":
        return Question(query, (), word_refusal(source))
    if fault == "missing_tool":
        return Question(query, _mistakes(domain, tree, "", given), word_refusal(source))
    fault_at = len(path) - 1 if fault == "redirection" else source.randrange(len(path))
    steps: tuple[Step, ...] = ()
    final = ""
    for number, output in enumerate(path):
        value = draw_string(source) if skill == "copy" else draw_value(source)
        here = fault if number == fault_at else ""
        steps += _mistakes(domain, tree, output, given)
        more, final = _call(domain, tree.tools[output], (given,), style, here, spare, value)
        steps, given = steps + more, value
        if here == "fatal_error":
            break
    return Question(query, steps, final)


def _mistakes(domain: Domain, tree: Tree, output: str, given: str) -> tuple[Step, ...]:
    """Return, now and then in training, calls of one or two wrong tools, which find nothing."""
    source = domain.source
    wrong = [tool for found, tool in tree.tools.items() if found != output]
    if domain.pool != "train" or not wrong or source.random() >= MISTAKE_SHARE * domain.difficulty:
        return ()
    tools = source.sample(wrong, min(len(wrong), 2 if source.random() < 0.25 else 1))
    return tuple(
        Step(tool.name, _arguments(domain, tool, (given,)), word_error(domain, faults.WRONG_CALLS, x=given), True)
        for tool in tools
    )


def _call(
    domain: Domain,
    tool: Tool,
    values: tuple[str, ...],
    style: float,
    fault: str = "",
    spare: Tool | None = None,
    value: str = "",
) -> tuple[tuple[Step, ...], str]:
    """Return the steps of one call, fault and cure included, and the final message if the question ended here."""
    source = domain.source
    value = value or draw_value(source)
    arguments = _arguments(domain, tool, values)
    good = Step(tool.name, arguments, word_reply(domain, style, tool.function, value))
    if fault == "fatal_error":
        bad = Step(tool.name, arguments, word_error(domain, faults.FATAL_ERRORS))
        return (bad,), word_refusal(source)
    if fault == "retry":
        times = 2 if source.random() < 0.2 else 1
        bad = Step(tool.name, arguments, word_error(domain, faults.TRANSIENT_ERRORS))
        return (*[bad] * times, good), format_answer(value)
    if fault == "redirection" and spare is not None:
        other = Step(spare.name, _arguments(domain, spare, values), good.observation)
        moved = Step(tool.name, arguments, word_error(domain, faults.REDIRECTION_ERRORS, t=spare.name))
        return (moved, other), format_answer(value)
    return (good,), format_answer(value)


def _distractors(domain: Domain, taken: list[str], count: int) -> list[Tool]:
    """Look-ups of other outputs, from what the question's own tools take."""
    source = domain.source
    rest = [word for word in domain.attributes if word not in taken]
    return [look_up_tool(domain, source.choice(taken[:-1]), rest.pop(0)) for _ in range(count)]


def _two_arguments(domain: Domain, skill: str, count: int) -> Episode:
    """A tool of two arguments out of the query; in a third of the episodes its value is looked up further."""
    source = domain.source
    first, second, output, further = domain.attributes[:4]
    tool = draw_tool(domain, (first, second), output, documents.PAIR_DOCUMENTS)
    values, value, style = (draw_value(source), draw_value(source)), draw_value(source), source.random()
    tools = [tool, *_distractors(domain, [first, second, output, further], max(1, count - 2))]
    if count > 3:
        tools[-1] = draw_tool(domain, (first, second), domain.attributes[-1], documents.PAIR_DOCUMENTS)
    steps, final = _call(domain, tool, values, style, value=value)
    wanted, ending = output, ""
    if source.random() < 0.35:
        last = look_up_tool(domain, output, further)
        more, final = _call(domain, last, (value,), style)
        steps, tools = steps + more, [*tools, last]
        wanted, ending = (output, f" And then I need the {further}.") if source.random() < 0.5 else (further, "")
    words = {"x": word_value(source, values[0]), "y": word_value(source, values[1])}
    query = word_query(domain, phrases.PAIR_QUERIES, a=first, a2=second, b=wanted, **words) + ending
    return _episode(domain, skill, tools, [Question(query, steps, final)])


def _branching(domain: Domain, skill: str, count: int) -> Episode:
    """Look the same thing up for two subjects, pass both values to a tool of two arguments, now and then go on."""
    source = domain.source
    middle, output = domain.attributes[:2]
    look_up = look_up_tool(domain, "name", middle)
    combine = draw_tool(domain, (middle, middle), output, documents.BRANCH_DOCUMENTS)
    names = (draw_name(source), draw_name(source))
    subjects = [word_subject(domain, "name", name) for name in names]
    style = source.random()
    values, value = (draw_value(source), draw_value(source)), draw_number(source)
    steps: tuple[Step, ...] = ()
    for name, found in zip(names, values, strict=True):
        steps += _call(domain, look_up, (name,), style, value=found)[0]
    last, final = _call(domain, combine, values, style, value=value)
    steps, tools, taken = steps + last, [look_up, combine], ["name", middle, output]
    if source.random() < 0.4 * domain.difficulty:
        wanted = domain.attributes[2]
        tool, last, final = _multiply(domain, output, wanted, value, style)
        steps, tools, taken, output = steps + last, [*tools, tool], [*taken, wanted], wanted
    query = word_query(domain, phrases.BRANCH_QUERIES, a=middle, b=output, S=subjects[0], S2=subjects[1])
    tools += _distractors(domain, taken, max(0, count - len(tools)))
    return _episode(domain, skill, tools, [Question(query, steps, final)])


def _multiply(domain: Domain, given: str, output: str, number: str, style: float) -> tuple[Tool, tuple[Step, ...], str]:
    """Return a tool that multiplies by the factor of its document, its call and the answer."""
    factor = domain.source.choice(_FACTORS)
    tool = draw_tool(domain, (given,), output, documents.FACTOR_DOCUMENTS, f=factor)
    result = format_number(float(evaluate_expression(f"{number}*{factor}")))
    steps, final = _call(domain, tool, (number,), style, value=result)
    return tool, steps, final


def _find(domain: Domain, output: str, value: str, style: float) -> tuple[str, list[Tool], tuple[Step, ...]]:
    """Return a subject, and the tools and calls that find its `output`: one, or two through another attribute."""
    source = domain.source
    name = draw_name(source)
    path = ["name", output]
    if source.random() < 0.5 * domain.difficulty:
        path.insert(1, domain.attributes.pop())
    tools, steps, given = [], (), name
    for taken, found in pairwise(path):
        tool = look_up_tool(domain, taken, found)
        result = value if found == output else draw_value(source)
        steps += _call(domain, tool, (given,), style, value=result)[0]
        tools.append(tool)
        given = result
    return word_subject(domain, "name", name), tools, steps


def _factor(domain: Domain, skill: str, count: int) -> Episode:
    """A tool that multiplies by a factor of its document, called with a number of the query or of earlier calls."""
    source = domain.source
    middle, output = domain.attributes[:2]
    number, style = draw_number(source), source.random()
    tools: list[Tool] = []
    steps: tuple[Step, ...] = ()
    if source.random() < 0.4:
        query = word_query(domain, phrases.FACTOR_QUERIES, a=middle, b=output, x=number)
    else:
        subject, tools, steps = _find(domain, middle, number, style)
        templates = phrases.QUERIES if source.random() < 0.5 else phrases.HINTED_QUERIES
        query = word_query(domain, templates, b=output, P=middle, S=subject)
    tool, last, final = _multiply(domain, middle, output, number, style)
    tools.append(tool)
    tools += _distractors(domain, ["name", middle, output], max(0, count - len(tools)))
    return _episode(domain, skill, tools, [Question(query, steps + last, final)])


def _calculator(domain: Domain, skill: str, count: int) -> Episode:
    """An expression tool; the expression stands in the query, or joins an earlier value to a number of the query."""
    source = domain.source
    wanted = domain.attributes[0]
    tool = draw_tool(domain, ("expression",), "result", documents.CALCULATOR_DOCUMENTS)
    number, other, style = draw_number(source), str(source.randint(2, 30)), source.random()
    sign = source.choice("***+-/")
    words = source.choice(phrases.OPERATIONS[sign]).format(n=other)
    expression = f"{number}{sign}{other}"
    result = format_number(float(evaluate_expression(expression)))
    subject, tools, steps = _find(domain, wanted, number, style)
    if source.random() < 0.3:
        steps = ()
        spelt = expression if source.random() < 0.3 else f"{number} {words}"
        query = word_query(domain, phrases.CALCULATOR_QUERIES, o=spelt)
    else:
        query = word_query(domain, phrases.CALCULATOR_CHAIN_QUERIES, b=wanted, S=subject, o=words)
    last, final = _call(domain, tool, (expression,), style, value=result)
    tools = [tool, *tools]
    tools += _distractors(domain, ["name", *domain.attributes[:2]], max(0, count - len(tools)))
    return _episode(domain, skill, tools, [Question(query, steps + last, final)])


_OTHER_SHAPES: dict[str, Callable[[Domain, str, int], Episode]] = {
    "two_arguments": _two_arguments,
    "branching": _branching,
    "factor": _factor,
    "calculator": _calculator,
}
