"""An evaluation on disk: nothing done twice, nothing lost, whatever byte it died at."""

import json

import pytest

from openagent_lib.agents.scripted import scripted_agent
from openagent_lib.errors import DataError
from openagent_lib.evaluation.run import evaluate, settings_hash, weights_hash
from openagent_lib.evaluation.suite import shifted_twins
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.shifts.catalogue import SHIFTS

CLEAN = make_tasks("test", 20)
TASKS = CLEAN + shifted_twins(CLEAN, SHIFTS["interaction.error_message"], 6)


class Counting:
    """Counts the episodes that it starts, and breaks down on a task as often as it is told to."""

    name = "counting"

    def __init__(self, failing=None, times=0):
        self.inner, self.started, self.failing, self.times = scripted_agent("oracle"), [], failing, times

    def act(self, turns):
        self.started += [turn.task.id for turn in turns if len(turn.messages) == 2]
        if self.times and any(turn.task.id == self.failing for turn in turns):
            self.times -= 1
            raise RuntimeError("out of memory")
        return self.inner.act(turns)


def run(path, agent, tasks=TASKS, **settings):
    silent = {"recipe": "oracle", "seed": 0, "backbone": "none", "batch_size": 4, "say": lambda line: None}
    return evaluate(agent, tasks, path, **(silent | settings))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "oracle.jsonl"
    run(path, Counting())
    return path.read_bytes()


def test_records_come_back_in_the_order_of_the_tasks(tmp_path):
    rows = run(tmp_path / "r.jsonl", Counting())
    assert [row["task_id"] for row in rows] == [task.id for task in TASKS]
    assert all(row["success"] for row in rows)
    backwards = run(tmp_path / "r.jsonl", Counting(), list(reversed(TASKS)))
    assert backwards == rows[::-1]


def test_a_second_call_plays_nothing_and_changes_no_byte(tmp_path, undisturbed):
    path = tmp_path / "r.jsonl"
    path.write_bytes(undisturbed)
    agent = Counting()
    assert len(run(path, agent)) == len(TASKS)
    assert agent.started == []
    assert path.read_bytes() == undisturbed


@pytest.mark.parametrize("share", [0.0, 0.01, 0.2, 0.37, 0.5, 0.81, 0.999])
def test_a_file_cut_at_any_byte_is_completed_to_the_same_bytes(tmp_path, undisturbed, share):
    path = tmp_path / "r.jsonl"
    path.write_bytes(undisturbed[: int(len(undisturbed) * share)])
    agent = Counting()
    run(path, agent)
    assert path.read_bytes() == undisturbed
    kept = undisturbed[: int(len(undisturbed) * share)].count(b"\n")
    assert len(agent.started) == len(TASKS) - kept // 4 * 4, "only the interrupted batch is played again"


def test_a_broken_agent_gives_error_rows_then_a_data_error_then_a_second_call_completes(tmp_path, undisturbed):
    path = tmp_path / "r.jsonl"
    agent = Counting(TASKS[9].id, times=1)
    with pytest.raises(DataError, match=r"4 of 26 episodes of oracle were .*RuntimeError: out of memory") as caught:
        run(path, agent)
    assert len(str(caught.value).splitlines()) == 1
    outcomes = [json.loads(line)["outcome"] for line in path.read_text().splitlines()]
    assert outcomes.count("error") == 4
    assert len(outcomes) == len(TASKS)
    again = Counting()
    rows = run(path, again)
    assert again.started == [task.id for task in TASKS[8:12]], "what is kept is not played again"
    expected = [json.loads(line) for line in undisturbed.decode().splitlines()]
    assert rows == expected


def test_a_fault_that_stays_is_told_again(tmp_path):
    agent = Counting(TASKS[0].id, times=2)
    for _ in range(2):
        with pytest.raises(DataError, match="4 of 26"):
            run(tmp_path / "r.jsonl", agent)
    assert len(run(tmp_path / "r.jsonl", agent)) == len(TASKS)


@pytest.mark.parametrize(
    "change", [{"recipe": "sft"}, {"seed": 1}, {"backbone": "b"}, {"weights": "w"}, {"step": 8}, {"batch_size": 5}]
)
def test_other_settings_are_played_anew_beside_the_old_records(tmp_path, undisturbed, change):
    path = tmp_path / "r.jsonl"
    path.write_bytes(undisturbed)
    agent = Counting()
    rows = run(path, agent, **change)
    assert len(agent.started) == len(rows) == len(TASKS)
    assert path.read_bytes().startswith(undisturbed)


def test_the_key_of_a_stage_is_part_of_the_settings(monkeypatch):
    before = settings_hash("w", 4)
    monkeypatch.setenv("OPENAGENT_STAGE_KEY", "other code")
    assert settings_hash("w", 4) != before


def test_progress_is_told_with_counts_and_seconds(tmp_path, monkeypatch):
    clock = iter(range(0, 10_000, 7))
    monkeypatch.setattr("openagent_lib.evaluation.run.time.monotonic", lambda: next(clock))
    lines = []
    run(tmp_path / "r.jsonl", Counting(), say=lines.append)
    assert lines
    assert all("evaluate oracle: " in line and f"/{len(TASKS)} episodes" in line for line in lines)


def test_the_hash_of_weights_changes_with_every_byte_and_name(tmp_path):
    (tmp_path / "a.safetensors").write_bytes(b"12")
    first = weights_hash(tmp_path)
    (tmp_path / "notes.txt").write_text("x")
    assert weights_hash(tmp_path) == first
    (tmp_path / "a.safetensors").write_bytes(b"13")
    second = weights_hash(tmp_path)
    (tmp_path / "a.safetensors").rename(tmp_path / "b.safetensors")
    assert len({first, second, weights_hash(tmp_path)}) == 3


def test_models_of_a_hub_differ_by_their_name():
    assert weights_hash("Qwen/one") != weights_hash("Qwen/other")
