"""PAFT's data: a share alpha is perturbed, from the train pools only, in the wanted mix."""

import re
from collections import Counter

import pytest

from openagent_lib.config import PAFTSettings
from openagent_lib.evaluation.trajectories import training_rows
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.domains.registry import get_domain
from openagent_lib.shifts.patterns.observations import (
    FATAL_ERRORS,
    NULLS,
    TOOL_REDIRECTIONS,
    TRANSIENT_ERRORS,
    VALUE_REDIRECTIONS,
)
from openagent_lib.training import paft
from openagent_lib.training.paft import PARTS, perturb_tasks

TASKS = make_tasks("train", 1_500)
MIXED = perturb_tasks(TASKS, PAFTSettings(), 0)
SHIFT_PARTS = {shift.name: part for part, shifts in PARTS.items() for shift in shifts}
POI = get_domain("poi")


def within(count, total, share):
    """Tell whether a count lies within four standard deviations of its binomial mean."""
    return abs(count - total * share) <= 4 * (total * share * (1 - share)) ** 0.5


def perturbed(mixed=MIXED):
    return [task for task in mixed if task.shift != "clean"]


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.7])
def test_a_share_alpha_is_perturbed(alpha):
    mixed = perturb_tasks(TASKS, PAFTSettings(alpha=alpha), 1)
    assert within(len(perturbed(mixed)), len(TASKS), alpha)


@pytest.mark.parametrize(("alpha", "count"), [(0.0, 0), (1.0, 200)])
def test_alpha_zero_perturbs_nothing_and_alpha_one_everything(alpha, count):
    assert len(perturbed(perturb_tasks(TASKS[:200], PAFTSettings(alpha=alpha), 0))) == count


def test_perturbed_twins_replace_their_tasks_and_the_rest_is_as_it_was():
    assert [task.twin_id for task in MIXED] == [task.id for task in TASKS]
    assert all(mixed is task for mixed, task in zip(MIXED, TASKS, strict=True) if mixed.shift == "clean")


def test_the_parts_hold_the_shifts_that_do_what_they_say():
    kinds = {part: {shift.kind for shift in shifts} for part, shifts in PARTS.items()}
    assert kinds == {
        "efp": {"error_message", "null_message", "value_redirection", "tool_redirection"},
        "sbp": {"fatal_error"},
        "srp": {"symbolic_drift", "semantic_trap", "identity_erasure"},
    }


def test_the_three_parts_share_alpha_equally():
    counts = Counter(SHIFT_PARTS[task.shift] for task in perturbed())
    assert set(counts) == {"efp", "sbp", "srp"}
    assert all(within(count, len(perturbed()), 1 / 3) for count in counts.values())


@pytest.mark.parametrize("part", PARTS)
def test_a_part_draws_evenly_from_its_shifts_at_every_strength(part):
    mixed = perturb_tasks(TASKS, PAFTSettings(alpha=1.0, parts=((part, 1.0),)), 0)
    shifts = Counter(task.shift for task in mixed)
    assert set(shifts) == {shift.name for shift in PARTS[part]}
    assert all(within(count, len(mixed), 1 / len(PARTS[part])) for count in shifts.values())
    strengths = Counter(task.strength for task in mixed)
    assert set(strengths) == {0.25, 0.5, 0.75, 1.0}
    assert all(within(count, len(mixed), 1 / 4) for count in strengths.values())


def is_one_of(text, patterns):
    expression = "|".join(re.sub(r"\\\{(old|new|tool)\\\}", ".+", re.escape(pattern)) for pattern in patterns)
    return re.fullmatch(expression, text) is not None


def test_every_observation_comes_from_the_train_pools():
    pools = [[text for text, _ in TRANSIENT_ERRORS.train]]
    pools += [pool.train for pool in (FATAL_ERRORS, NULLS, VALUE_REDIRECTIONS, TOOL_REDIRECTIONS)]
    rules = [rule for task in perturbed() for rule in task.channel.rules]
    assert len(rules) > 200
    assert all(any(is_one_of(rule.template, pool) for pool in pools) for rule in rules)


def test_every_name_and_document_comes_from_the_closed_world_and_the_train_pools():
    names = {tool.name for tool in POI.tools} | {name for tool in POI.tools for name in tool.names.train}
    documents = {
        tool.document(tool.factor, text) for tool in POI.tools for text in (tool.description, *tool.descriptions.train)
    }
    for task in perturbed():
        erased = task.shift.endswith("identity_erasure")
        assert all(tool.description in documents for tool in task.tools)
        assert all(tool.name in names or (erased and not tool.name.startswith("Tool_")) for tool in task.tools)


def test_the_mix_depends_on_the_task_and_the_seed_and_not_on_the_order():
    assert perturb_tasks(TASKS[200::-1], PAFTSettings(), 0) == MIXED[200::-1]
    assert perturb_tasks(TASKS[10:20], PAFTSettings(), 0) == MIXED[10:20]
    assert perturb_tasks(TASKS[:200], PAFTSettings(), 1) != MIXED[:200]


def test_a_larger_alpha_keeps_what_a_smaller_one_perturbed():
    small = {task.id for task in perturbed(perturb_tasks(TASKS[:300], PAFTSettings(alpha=0.1), 0))}
    large = {task.id for task in perturbed(perturb_tasks(TASKS[:300], PAFTSettings(alpha=0.6), 0))}
    assert small < large


def test_the_oracle_solves_every_perturbed_task_and_makes_a_training_row_of_it():
    everything = perturb_tasks(TASKS, PAFTSettings(alpha=1.0), 0)
    rows = training_rows(everything)
    assert [row["shift"] for row in rows] == [task.shift for task in everything]
    refused = {row["shift"] for row in rows if "can't" in row["messages"][-1]["content"]}
    assert refused == {"internalization.fatal_error"}


def test_training_takes_the_mixed_tasks_and_the_schedule_of_plain_sft(tmp_path, monkeypatch):
    monkeypatch.setattr(paft, "read_tasks", lambda path: TASKS[:50])
    monkeypatch.setattr(paft, "fine_tune", lambda job, tasks: (job, tasks))
    job, tasks = paft.train_paft("smoke", 0, tmp_path)
    assert (job.recipe, job.out) == ("paft", tmp_path / "training" / "paft")
    assert tasks == MIXED[:50]
