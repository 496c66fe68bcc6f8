"""PAFT's data: a share alpha is perturbed, from the train pools only, in the wanted mix."""

import json
from collections import Counter

import pytest

from openagent_lib.config import PAFTSettings
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.shifts.interaction import TRANSIENT_ERRORS
from openagent_lib.shifts.internalization import FATAL_ERRORS
from openagent_lib.shifts.perception import SYNONYMS
from openagent_lib.training import paft
from openagent_lib.training.paft import PARTS, perturb_tasks
from openagent_lib.evaluation.trajectories import training_rows

TASKS = make_tasks("train", 1_500)
MIXED = perturb_tasks(TASKS, PAFTSettings(), 0)
SHIFT_PARTS = {shift.name: part for part, shifts in PARTS.items() for shift in shifts}


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


def test_the_three_parts_share_alpha_equally():
    counts = Counter(SHIFT_PARTS[task.shift] for task in perturbed())
    assert set(counts) == {"efp", "sbp", "srp"}
    assert all(within(count, len(perturbed()), 1 / 3) for count in counts.values())


def test_both_kinds_of_renaming_and_all_strengths_occur():
    assert {task.shift for task in perturbed()} == set(SHIFT_PARTS)
    assert {task.strength for task in perturbed()} == {0.25, 0.5, 0.75, 1.0}


@pytest.mark.parametrize("part", PARTS)
def test_the_weights_of_the_parts_decide_the_mix(part):
    mixed = perturb_tasks(TASKS[:400], PAFTSettings(alpha=0.5, parts=((part, 1.0),)), 0)
    assert {SHIFT_PARTS[task.shift] for task in perturbed(mixed)} == {part}


def test_nothing_comes_from_the_test_pools():
    texts = {json.loads(rule.template)["error"] for task in perturbed() for rule in task.channel.rules}
    assert texts <= set(TRANSIENT_ERRORS["train"]) | set(FATAL_ERRORS["train"])
    names = {tool.name for task in perturbed() for tool in task.tools}
    assert names.isdisjoint(name for words in SYNONYMS.values() for name in words["test"])
    assert not any(name.startswith("Tool_") for name in names)


def test_the_mix_depends_on_the_task_and_the_seed_and_not_on_the_order():
    assert perturb_tasks(TASKS[::-1], PAFTSettings(), 0) == MIXED[::-1]
    assert perturb_tasks(TASKS[10:20], PAFTSettings(), 0) == MIXED[10:20]
    assert perturb_tasks(TASKS, PAFTSettings(), 1) != MIXED


def test_a_larger_alpha_keeps_what_a_smaller_one_perturbed():
    small = {task.id for task in perturbed(perturb_tasks(TASKS[:300], PAFTSettings(alpha=0.1), 0))}
    large = {task.id for task in perturbed(perturb_tasks(TASKS[:300], PAFTSettings(alpha=0.6), 0))}
    assert small < large


def test_every_mixed_task_becomes_a_training_row():
    rows = training_rows(MIXED[:300])
    assert Counter(row["shift"] for row in rows) == Counter(task.shift for task in MIXED[:300])


def test_training_takes_the_mixed_tasks_and_the_schedule_of_plain_sft(tmp_path, monkeypatch):
    monkeypatch.setattr(paft, "read_tasks", lambda path: TASKS[:50])
    monkeypatch.setattr(paft, "fine_tune", lambda job, tasks: (job, tasks))
    job, tasks = paft.train_paft("smoke", 0, tmp_path)
    assert (job.recipe, job.out) == ("paft", tmp_path / "training" / "paft")
    assert tasks == MIXED[:50]
