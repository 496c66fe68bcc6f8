"""What tests of the shifts share: clean tasks, and what a shift changes in them."""

from dataclasses import fields

from openagent_lib.agents.scripted import OracleAgent
from openagent_lib.evaluation.rollout import play
from openagent_lib.evaluation.suite import make_closed_set

CLEAN = make_closed_set(120)
LABELS = {"shift", "strength", "base_id"}


def suitable(shift):
    """Return the clean tasks that a shift applies to."""
    return [task for task in CLEAN if shift.applies_to(task)]


def pairs(shift, strength=1.0, pool="test", count=None):
    """Return the suitable clean tasks, or the first ones, with their twins."""
    return [(task, shift.apply(task, strength, 0, pool)) for task in suitable(shift)[:count]]


def changed(old, new):
    """Return the names of the fields in which two tasks or two tools differ, without the labels of a twin."""
    return {item.name for item in fields(old) if getattr(old, item.name) != getattr(new, item.name)} - LABELS


def changed_tools(task, twin):
    """Return the changed fields of every tool that changed, by function; the tools must be the same ones in order."""
    assert [tool.function for tool in twin.tools] == [tool.function for tool in task.tools]
    both = zip(task.tools, twin.tools, strict=True)
    return {old.function: changed(old, new) for old, new in both if old != new}


def needed(task):
    """Return the functions of a task's chain."""
    return {call.function for call in task.gold_chain}


def oracle_episodes(tasks):
    """Return the finished episodes of the oracle."""
    return play(OracleAgent(), list(tasks))


def values(event):
    """Return the argument values of a call, in order."""
    return [text for _, text in event.arguments]
