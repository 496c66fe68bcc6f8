"""Dose and response: what is played at which strength, and the figure of it."""

import pandas as pd
import pytest

from openagent_lib.agents.scripted import FrozenAgent, OracleAgent
from openagent_lib.errors import DataError
from openagent_lib.evaluation.dose import STRENGTHS, dose_response
from openagent_lib.evaluation.records import records_frame
from openagent_lib.evaluation.statistics import wilson
from openagent_lib.evaluation.suite import make_closed_set
from openagent_lib.report import figure_data, figures
from openagent_lib.shifts.catalogue import SHIFTS

TASKS = make_closed_set(30)
REASONING = [shift for shift in SHIFTS.values() if shift.tier == "reasoning"]


@pytest.fixture(scope="module")
def frame():
    return records_frame(dose_response(FrozenAgent(TASKS), TASKS, REASONING))


def test_clean_tasks_are_played_once_and_each_shift_on_its_own_tasks(frame):
    assert len(frame) == len(TASKS) + sum(4 * sum(map(shift.applies_to, TASKS)) for shift in REASONING)
    clean = frame[frame["shift"] == "clean"]
    assert sorted(clean["task_id"]) == sorted(task.id for task in TASKS)
    for shift in REASONING:
        part = frame[frame["shift"] == shift.name]
        assert set(part["strength"]) == set(STRENGTHS) - {0}
        suitable = {task.id for task in TASKS if shift.applies_to(task)}
        assert all(set(group["base_task_id"]) == suitable for _, group in part.groupby("strength"))


def test_without_strength_zero_no_clean_task_is_played():
    rows = dose_response(OracleAgent(), TASKS, REASONING[:1], strengths=(1.0,))
    assert {(row["shift"], row["strength"]) for row in rows} == {(REASONING[0].name, 1.0)}


def test_the_seed_decides_the_draw_alone():
    first, again = (dose_response(OracleAgent(), TASKS, REASONING[:1], seed=1) for _ in range(2))
    other = dose_response(OracleAgent(), TASKS, REASONING[:1], seed=2)
    assert [row["messages"] for row in first] == [row["messages"] for row in again]
    assert [row["messages"] for row in first] != [row["messages"] for row in other]


def test_every_line_starts_with_the_clean_twins_of_its_own_tasks(frame):
    inversion = REASONING[1]
    suitable = {task.id for task in TASKS if inversion.applies_to(task)}
    lost = frame.assign(success=frame["success"] & frame["base_task_id"].isin(suitable))
    start = figure_data.dose_data(lost).set_index(["shift", "strength"]).loc[(inversion.name, 0.0)]
    expected = wilson(len(suitable), len(suitable)).scale(100)
    assert (start["n"], start["estimate"], start["low"]) == (len(suitable), 100, expected.low)


def test_one_line_per_shift_and_one_panel_per_agent(frame):
    both = pd.concat([frame, records_frame(dose_response(OracleAgent(), TASKS, REASONING))])
    figure = figures.fig_dose_response(both)
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["frozen", "oracle"]
    assert all(len(axis.containers) == len(REASONING) for axis in figure.axes)
    labels = [text.get_text() for text in figure.axes[-1].get_legend().get_texts()]
    assert labels == ["Trace Simplification", "Logic Inversion", "Rule Reasoning"]


def test_shifts_of_two_tiers_and_no_shift_at_all_are_refused(frame):
    mixed = frame.assign(tier=frame["tier"].where(frame["shift"] != REASONING[0].name, "perception"))
    with pytest.raises(DataError, match="one tier, found perception, reasoning"):
        figures.fig_dose_response(mixed)
    with pytest.raises(DataError, match="records of shifted tasks"):
        figures.fig_dose_response(frame[frame["shift"] == "clean"])
