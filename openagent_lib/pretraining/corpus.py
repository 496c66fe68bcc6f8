"""Procedural pre-training episodes: random domains, tools, questions, faults and refusals, with gold conversations.

An episode is a pure function of (source, progress, skill). Nothing of it comes from the evaluation's domains or
pattern pools.
"""

import random
from collections.abc import Callable
from itertools import pairwise

from openagent_lib.pretraining import phrases
from openagent_lib.pretraining.episode import Episode, Question, Step
from openagent_lib.pretraining.wording import word_error, word_query, word_refusal, word_reply, word_subject, word_value
from openagent_lib.pretraining.world import (
    Domain,
    draw_domain,
    draw_name,
    draw_number,
    draw_tool,
    draw_value,
    look_up_documents,
)
from openagent_lib.randomness import rng
from openagent_lib.sandbox.expression import evaluate_expression, format_number
from openagent_lib.sandbox.protocol import format_answer
from openagent_lib.sandbox.tool import CODE_PARAMETER, Tool

# Skill: (weight at the start, weight at the end of pre-training).
SKILLS = {
    "one_call": (0.88, 0.10),
    "named_chain_2": (0.05, 0.11),
    "planned_chain_2": (0.00, 0.17),
    "named_chain_3": (0.00, 0.06),
    "planned_chain_3": (0.00, 0.07),
    "two_arguments": (0.01, 0.06),
    "branching": (0.00, 0.08),
    "factor": (0.01, 0.05),
    "calculator": (0.01, 0.08),
    "retry": (0.01, 0.05),
    "redirection": (0.01, 0.04),
    "fatal_error": (0.01, 0.04),
    "missing_tool": (0.01, 0.05),
    "missing_information": (0.01, 0.04),
}


def draw_episode(seed: int, index: int, progress: float) -> Episode:
    """Return episode number `index` of a corpus.

    Args:
        seed: Seed of the corpus.
        index: Number of the episode.
        progress: Share of the pre-training that is over, 0 to 1.
    """
    source = rng("pretraining corpus", seed, index)
    early = min(1.0, max(0.0, 1.0 - (progress - 0.25) / 0.3))
    weights = [first * early + last * (1.0 - early) for first, last in SKILLS.values()]
    return build_episode(source, source.choices(list(SKILLS), weights)[0], progress)


def build_episode(
    source: random.Random, skill: str, progress: float = 1.0, held_out: bool = False, n_tools: int | None = None
) -> Episode:
    """Return a random episode of one skill.

    Args:
        source: Generator of everything in it.
        skill: One of `SKILLS`.
        progress: Share of the pre-training that is over; lists of tools grow with it.
        held_out: Use the words kept for scoring, and ask one question only.
        n_tools: Number of tools offered, instead of a random one.
    """
    domain = draw_domain(source, progress, held_out)
    count = n_tools or source.randint(2, 3 + round(2 * min(1.0, max(0.0, progress - 0.2) / 0.3)))
    if (skill in _FAULTS and (n_tools or source.random() < 0.75)) or skill == "one_call":
        repeats = 0.3 * (1.0 - domain.ease)
        n_questions = source.randint(2, max(2, count - 1)) if not held_out and source.random() < repeats else 1
        return _look_ups(domain, skill, count, n_questions)
    builder = _BUILDERS.get(skill, _faulty_chain)
    return builder(domain, skill, count)


def _episode(domain: Domain, skill: str, tools: list[Tool], questions: list[Question]) -> Episode:
    domain.source.shuffle(tools)
    return Episode(skill, tuple(tool.schema("description_first") for tool in tools), tuple(questions))


def _arguments(domain: Domain, tool: Tool, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    pairs = tuple((parameter.name, value) for parameter, value in zip(tool.parameters, values, strict=True))
    return pairs if tool.code is None else (*pairs, (CODE_PARAMETER, tool.code))


def _look_up(domain: Domain, given: str, output: str) -> Tool:
    return draw_tool(domain, (given,), output, look_up_documents(domain))


def _start(domain: Domain) -> str:
    return "name" if domain.source.random() < 0.7 + 0.3 * domain.ease else domain.attributes.pop()


def _look_ups(domain: Domain, skill: str, count: int, n_questions: int) -> Episode:
    """One-call questions about a list of look-up tools; `skill` names the fault that a part of them meets."""
    source = domain.source
    start = _start(domain)
    outputs = domain.attributes[:count]
    tools = [_look_up(domain, start, output) for output in outputs]
    if count > 2 and source.random() < 0.3:
        tools[-1] = _look_up(domain, domain.attributes[count], outputs[-1])
    usable = [tool for tool in tools if (tool.parameters and tool is not tools[-1]) or count <= 2] or tools[:1]
    spare = None
    if skill == "redirection":
        spare = draw_tool(domain, (start,), outputs[0], phrases.SPARE_DOCUMENTS, t=tools[0].name)
        if source.random() < 0.3:
            spare = tools[-1]
        else:
            tools.append(spare)
    style = source.random()
    questions = []
    order = [tool for tool in source.sample(usable, len(usable)) if tool is not spare]
    for tool in order[:n_questions]:
        fault = skill if n_questions == 1 or source.random() < 0.5 else "one_call"
        questions.append(_one_call(domain, start, tool, fault, spare, style))
    return _episode(domain, skill, tools, questions)


def _one_call(domain: Domain, start: str, tool: Tool, fault: str, spare: Tool | None, style: float) -> Question:
    source = domain.source
    given = draw_name(source) if start == "name" else draw_value(source)
    word = domain.attributes[-1] if fault == "missing_tool" else tool.function
    subject = (
        source.choice(phrases.BARE_SUBJECTS).format(e=domain.entity)
        if fault == "missing_information"
        else word_subject(domain, start, given)
    )
    query = word_query(domain, phrases.QUERIES, b=word, S=subject)
    if fault in ("missing_tool", "missing_information"):
        return Question(query, (), word_refusal(source))
    steps, final = _call(domain, tool, (given,), style, fault, spare)
    return Question(query, steps, final)


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
        return (Step(tool.name, arguments, word_error(domain, source.choice(phrases.FATAL_ERRORS))),), word_refusal(
            source
        )
    if fault == "retry":
        times = 2 if source.random() < 0.2 else 1
        bad = Step(tool.name, arguments, word_error(domain, source.choice(phrases.TRANSIENT_ERRORS)))
        return (*[bad] * times, good), format_answer(value)
    if fault == "redirection" and spare is not None:
        text = source.choice(phrases.REDIRECTION_ERRORS).format(t=spare.name)
        other = Step(spare.name, _arguments(domain, spare, values), good.observation)
        return (Step(tool.name, arguments, word_error(domain, text)), other), format_answer(value)
    return (good,), format_answer(value)


def _distractors(domain: Domain, path: list[str], count: int) -> list[Tool]:
    """Look-ups off the path: other outputs, or the wanted output from something that cannot be known."""
    source = domain.source
    rest = [word for word in domain.attributes if word not in path]
    tools = []
    for number in range(count):
        if number == 0 and source.random() < 0.15:
            tools.append(_look_up(domain, rest.pop(), path[-1]))
            continue
        tools.append(_look_up(domain, source.choice(path[:-1]), rest.pop(0)))
    return tools


def _path(domain: Domain, length: int, count: int) -> tuple[list[str], list[Tool], list[Tool]]:
    source = domain.source
    path = [_start(domain), *domain.attributes[:length]]
    if source.random() < 0.06 and path[0] != "name":
        path[-1] = "name"
    chain: list[Tool] = []
    for given, output in pairwise(path):
        if chain and source.random() < 0.15:
            chain.append(draw_tool(domain, (given,), output, phrases.STEP_DOCUMENTS, t=chain[-1].name))
        else:
            chain.append(_look_up_full(domain, given, output))
    return path, chain, [*chain, *_distractors(domain, path, max(0, count - length))]


def _look_up_full(domain: Domain, given: str, output: str) -> Tool:
    return draw_tool(domain, (given,), output, phrases.DOCUMENTS)


def _chain(domain: Domain, skill: str, count: int, fault: str = "") -> Episode:
    """A chain of look-ups; the query names the values in between unless the skill says that it must be planned."""
    source = domain.source
    length = int(skill[-1])
    path, chain, tools = _path(domain, length, max(count, length))
    given = draw_name(source) if path[0] == "name" else draw_value(source)
    templates = phrases.QUERIES if skill.startswith("planned") else phrases.HINTED_QUERIES
    middle = " and the ".join(path[1:-1])
    query = word_query(domain, templates, b=path[-1], P=middle, S=word_subject(domain, path[0], given))
    if fault == "missing_tool":
        tools.remove(source.choice(chain))
        return _episode(domain, fault, tools, [Question(query, (), word_refusal(source))])
    style, fault_at = source.random(), source.randrange(length)
    spare = None
    if fault == "redirection":
        broken = chain[fault_at]
        spare = draw_tool(domain, (path[fault_at],), broken.function, phrases.SPARE_DOCUMENTS, t=broken.name)
        tools.append(spare)
    steps: tuple[Step, ...] = ()
    final = ""
    for number, tool in enumerate(chain):
        value = draw_value(source)
        more, final = _call(domain, tool, (given,), style, fault if number == fault_at else "", spare, value)
        steps, given = steps + more, value
        if fault == "fatal_error" and number == fault_at:
            break
    return _episode(domain, fault or skill, tools, [Question(query, steps, final)])


def _faulty_chain(domain: Domain, skill: str, count: int) -> Episode:
    if skill == "missing_information":
        path, _, tools = _path(domain, 2, max(2, count))
        bare = domain.source.choice(phrases.BARE_SUBJECTS).format(e=domain.entity)
        query = word_query(domain, phrases.HINTED_QUERIES, b=path[-1], P=path[1], S=bare)
        return _episode(domain, skill, tools, [Question(query, (), word_refusal(domain.source))])
    return _chain(domain, domain.source.choice(("named_chain_2", "planned_chain_2")), count, fault=skill)


def _two_arguments(domain: Domain, skill: str, count: int) -> Episode:
    """A tool of two arguments out of the query; in a third of the episodes its value is looked up further."""
    source = domain.source
    first, second, output, further = domain.attributes[:4]
    tool = draw_tool(domain, (first, second), output, phrases.PAIR_DOCUMENTS)
    values, value, style = (draw_value(source), draw_value(source)), draw_value(source), source.random()
    tools = [tool, *_distractors(domain, [first, second, output, further], max(1, count - 2))]
    if count > 3:
        tools[-1] = draw_tool(domain, (first, second), domain.attributes[-1], phrases.PAIR_DOCUMENTS)
    steps, final = _call(domain, tool, values, style, value=value)
    wanted, ending = output, ""
    if source.random() < 0.35:
        last = _look_up_full(domain, output, further)
        more, final = _call(domain, last, (value,), style)
        steps, tools = steps + more, [*tools, last]
        wanted, ending = (output, f" And then I need the {further}.") if source.random() < 0.5 else (further, "")
    words = {"x": word_value(source, values[0]), "y": word_value(source, values[1])}
    query = word_query(domain, phrases.PAIR_QUERIES, a=first, a2=second, b=wanted, **words) + ending
    return _episode(domain, skill, tools, [Question(query, steps, final)])


def _branching(domain: Domain, skill: str, count: int) -> Episode:
    """Look the same thing up for two subjects, then pass both values to a tool of two arguments."""
    source = domain.source
    middle, output = domain.attributes[:2]
    look_up = _look_up_full(domain, "name", middle)
    combine = draw_tool(domain, (middle, middle), output, phrases.BRANCH_DOCUMENTS)
    names = (draw_name(source), draw_name(source))
    subjects = [word_subject(domain, "name", name) for name in names]
    query = word_query(domain, phrases.BRANCH_QUERIES, a=middle, b=output, S=subjects[0], S2=subjects[1])
    style = source.random()
    values = (draw_value(source), draw_value(source))
    steps: tuple[Step, ...] = ()
    for name, value in zip(names, values, strict=True):
        steps += _call(domain, look_up, (name,), style, value=value)[0]
    last, final = _call(domain, combine, values, style, value=draw_number(source))
    tools = [look_up, combine, *_distractors(domain, ["name", middle, output], max(0, count - 2))]
    return _episode(domain, skill, tools, [Question(query, steps + last, final)])


def _factor(domain: Domain, skill: str, count: int) -> Episode:
    """A tool that multiplies by a factor of its document, called with a number of the query or of an earlier call."""
    source = domain.source
    middle, output = domain.attributes[:2]
    factor = source.choice(("0.5", "2", "0.1", "1.5", "3", "0.2", "10", "0.75", "1.2", "0.9", "4", "2.5"))
    tool = draw_tool(domain, (middle,), output, phrases.FACTOR_DOCUMENTS, f=factor)
    number, style = draw_number(source), source.random()
    result = format_number(float(evaluate_expression(f"{number}*{factor}")))
    tools, steps = [tool], ()
    if source.random() < 0.5:
        query = word_query(domain, phrases.FACTOR_QUERIES, a=middle, b=output, x=number)
    else:
        look_up, name = _look_up_full(domain, "name", middle), draw_name(source)
        templates = phrases.QUERIES if source.random() < 0.5 else phrases.HINTED_QUERIES
        query = word_query(domain, templates, b=output, P=middle, S=word_subject(domain, "name", name))
        steps, _ = _call(domain, look_up, (name,), style, value=number)
        tools.append(look_up)
    last, final = _call(domain, tool, (number,), style, value=result)
    tools += _distractors(domain, ["name", middle, output], max(0, count - len(tools)))
    return _episode(domain, skill, tools, [Question(query, steps + last, final)])


def _calculator(domain: Domain, skill: str, count: int) -> Episode:
    """An expression tool; the expression stands in the query, or joins an earlier value to a number of the query."""
    source = domain.source
    look_up = _look_up_full(domain, "name", domain.attributes[0])
    tool = draw_tool(domain, ("expression",), "result", phrases.CALCULATOR_DOCUMENTS)
    number, other, style = draw_number(source), str(source.randint(2, 30)), source.random()
    sign = source.choice("***+-/")
    words = source.choice(phrases.OPERATIONS[sign]).format(n=other)
    expression = f"{number}{sign}{other}"
    result = format_number(float(evaluate_expression(expression)))
    steps: tuple[Step, ...] = ()
    if source.random() < 0.3:
        spelt = expression if source.random() < 0.3 else f"{number} {words}"
        query = word_query(domain, phrases.CALCULATOR_QUERIES, o=spelt)
    else:
        name = draw_name(source)
        subject = word_subject(domain, "name", name)
        query = word_query(domain, phrases.CALCULATOR_CHAIN_QUERIES, b=look_up.function, S=subject, o=words)
        steps, _ = _call(domain, look_up, (name,), style, value=number)
    last, final = _call(domain, tool, (expression,), style, value=result)
    tools = [tool, look_up, *_distractors(domain, ["name", *domain.attributes[:2]], max(0, count - 2))]
    return _episode(domain, skill, tools, [Question(query, steps + last, final)])


_FAULTS = ("retry", "redirection", "fatal_error", "missing_tool", "missing_information")
_BUILDERS: dict[str, Callable[[Domain, str, int], Episode]] = {
    "named_chain_2": _chain,
    "planned_chain_2": _chain,
    "named_chain_3": _chain,
    "planned_chain_3": _chain,
    "two_arguments": _two_arguments,
    "branching": _branching,
    "factor": _factor,
    "calculator": _calculator,
}
