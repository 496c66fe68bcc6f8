"""Many episodes together: fixed batches, one record per task, faults as rows."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from openagent_lib.agents.local import LocalAgent
from openagent_lib.agents.scripted import scripted_agent
from openagent_lib.config import PROFILES
from openagent_lib.errors import DataError
from openagent_lib.evaluation.records import FRAME_COLUMNS
from openagent_lib.evaluation.rollout import Run, check_unbroken, error_record, play, record_of, roll_out
from openagent_lib.evaluation.suite import shifted_twins
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.protocol import REFUSAL
from openagent_lib.shifts.catalogue import SHIFTS

CLEAN = make_tasks("test", 10)
TASKS = CLEAN + shifted_twins(CLEAN, SHIFTS["internalization.fatal_error"], 3)
RUN = Run("sft", None, 0, "s", "tiny")


class Counting:
    """An agent that notes which tasks it was asked about, together."""

    name = "counting"

    def __init__(self, inner="oracle"):
        self.inner = scripted_agent(inner)
        self.batches = []

    def act(self, turns):
        self.batches.append([turn.task.id for turn in turns])
        return self.inner.act(turns)

    def first_batches(self, tasks):
        wanted = {task.id for task in tasks}
        return [batch for batch in self.batches if set(batch) <= wanted]


def records(tasks=TASKS, agent=None, done=(), batch_size=4, run=RUN):
    return [row for rows in roll_out(agent or Counting(), tasks, run, set(done), batch_size) for row in rows]


def test_finished_episodes_leave_the_batch_and_order_is_kept():
    agent = Counting()
    environments = play(agent, TASKS)
    assert [environment.task for environment in environments] == TASKS
    sizes = [len(batch) for batch in agent.batches]
    assert sizes == sorted(sizes, reverse=True)
    roles = [message["role"] for environment in environments for message in environment.messages]
    assert sum(sizes) == roles.count("assistant")


def test_an_agent_that_skips_an_episode_is_a_fault():
    class Short:
        def act(self, turns):
            return [REFUSAL] * (len(turns) - 1)

    with pytest.raises(ValueError, match="shorter"):
        play(Short(), TASKS)


def test_there_is_one_record_per_task_in_order_with_every_field():
    rows = records()
    assert [row["task_id"] for row in rows] == [task.id for task in TASKS]
    assert all(set(FRAME_COLUMNS) <= set(row) for row in rows)
    assert len({row["key"] for row in rows}) == len(TASKS)


def test_a_record_tells_task_twin_tier_and_trajectory():
    row = records()[-1]
    task = TASKS[-1]
    assert (row["task_id"], row["base_task_id"]) == (task.id, task.base_id)
    assert (row["shift"], row["tier"], row["strength"]) == ("internalization.fatal_error", "internalization", 1.0)
    assert (row["solvable"], row["outcome"], row["success"], row["answer"]) == (False, "refused", True, None)
    assert row["gold_calls"] == len(task.gold_chain)
    roles = [message["role"] for message in row["messages"]]
    assert roles == ["system", "user", *["assistant", "tool"] * row["n_calls"], "assistant"]
    assert (row["n_anomalies"], row["n_tool_errors"]) == (1, 0)


def test_the_batches_depend_on_the_tasks_alone():
    whole, resumed = Counting(), Counting()
    rows = records(agent=whole)
    done = [row["key"] for row in rows[:6]]
    owed = records(agent=resumed, done=done)
    assert owed == rows[6:]
    assert resumed.batches[0] == [task.id for task in TASKS[4:8]], "a batch that is owed in part is played whole"
    assert not resumed.first_batches(TASKS[:4])


def test_a_batch_that_is_done_is_not_played():
    agent = Counting()
    assert records(agent=agent, done=[RUN.key(task) for task in TASKS]) == []
    assert agent.batches == []


def test_the_result_does_not_depend_on_the_batch_size():
    assert records(batch_size=1) == records(batch_size=100)


@pytest.mark.parametrize(
    "change", [{"recipe": "grpo"}, {"step": 4}, {"seed": 1}, {"settings": "t"}, {"backbone": "other"}]
)
def test_everything_that_decides_a_record_is_in_its_key(change):
    assert replace(RUN, **change).key(TASKS[0]) != RUN.key(TASKS[0])


def test_the_key_differs_by_task():
    assert len({RUN.key(task) for task in TASKS}) == len(TASKS)


class Failing(Counting):
    """An agent that breaks down on one task."""

    def __init__(self, task, problem):
        super().__init__()
        self.task, self.problem = task, problem

    def act(self, turns):
        if any(turn.task.id == self.task.id for turn in turns):
            raise self.problem
        return super().act(turns)


@pytest.mark.parametrize("problem", [RuntimeError("no\nmemory"), OSError("gone"), MemoryError()])
def test_a_fault_of_the_infrastructure_gives_error_rows_for_its_batch_only(problem):
    rows = records(agent=Failing(TASKS[5], problem))
    assert [row["outcome"] == "error" for row in rows] == [4 <= index < 8 for index in range(len(TASKS))]
    broken = rows[5]
    assert broken["problem"].startswith(type(problem).__name__)
    assert len(broken["problem"].splitlines()) == 1
    assert set(FRAME_COLUMNS) <= set(broken)
    assert not broken["success"]


def test_an_error_row_has_the_key_of_the_record_that_is_owed():
    good = record_of(play(Counting(), TASKS[:1])[0], RUN)
    bad = error_record(TASKS[0], RUN, RuntimeError("x"))
    assert good["key"] == bad["key"]
    assert set(good) == set(bad) - {"problem"}


def test_processes_share_the_batches_and_change_nothing(tiny_backbone):
    def played(processes):
        agent = LocalAgent.load(tiny_backbone, "tiny", PROFILES["smoke"])
        agent.message_tokens = 8
        return list(roll_out(agent, TASKS, RUN, {RUN.key(TASKS[0])}, 4, processes))

    alone = played(1)
    assert len(alone) > 2 and sum(map(len, alone)) == len(TASKS) - 1
    assert played(2) == alone


class Broken:
    """An agent whose machine fails."""

    name = "broken"

    def act(self, turns):
        raise RuntimeError("out of memory")


def test_a_fault_in_a_process_is_a_row_too():
    rows = [row for rows in roll_out(Broken(), TASKS, RUN, set(), 4, 2) for row in rows]
    assert len(rows) == len(TASKS)
    assert {(row["outcome"], row["problem"]) for row in rows} == {("error", "RuntimeError: out of memory")}


def test_an_agent_whose_model_is_on_a_gpu_stays_in_one_process():
    agent = Counting()
    agent.model = SimpleNamespace(device=torch.device("cuda"))
    assert len(list(roll_out(agent, TASKS, RUN, set(), 4, 2))) > 2
    assert agent.batches


def test_faults_are_counted_and_named():
    rows = records(agent=Broken())
    with pytest.raises(DataError, match=rf"{len(rows)} of {len(rows)} episodes of sft .*RuntimeError: out of memory"):
        check_unbroken(rows, "sft")
    check_unbroken(records(), "sft")
