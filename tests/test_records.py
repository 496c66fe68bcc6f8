"""Records survive kills, foreign lines and repeated evaluations."""

import json

import pytest

from openagent_lib.errors import OpenAgentError
from openagent_lib.evaluation.records import FRAME_COLUMNS, NO_STEP, RecordStore, load_frame, record_key, records_frame


def make_row(key, outcome="correct", **changes):
    row = {
        "key": key, "task_id": key, "base_task_id": key, "shift": "clean", "tier": "closed_set", "strength": 0.0,
        "recipe": "sft", "step": None, "seed": 0, "settings": "s", "backbone": "tiny", "solvable": True,
        "outcome": outcome, "success": outcome == "correct", "n_calls": 1, "n_tool_errors": 0, "n_anomalies": 0,
        "n_explored": 0, "gold_calls": 1, "answer": "Zürich \ud800 \u2028 北",
        "messages": [{"role": "user", "content": "q\n"}],
    }  # fmt: skip
    return {**row, **changes}


@pytest.fixture
def store(tmp_path):
    return RecordStore(tmp_path / "records" / "sft.jsonl")


def test_a_missing_file_owes_everything(store):
    assert store.done() == set()
    assert store.load() == []
    assert not store.repair()


def test_rows_come_back_as_they_were_written(store):
    rows = [make_row("a"), make_row("b", "wrong")]
    store.append(rows)
    store.append([])
    assert store.load() == rows
    assert store.done() == {"a", "b"}
    assert store.path.read_bytes().count(b"\n") == 2


def test_a_kill_at_any_byte_of_the_last_row_loses_only_that_row(store):
    row = {"key": "b", "outcome": "refused", "answer": "Zürich \ud800 北", "n_calls": 12}
    store.append([make_row("a")])
    first = store.path.read_bytes()
    store.append([row])
    whole = store.path.read_bytes()
    for size in range(len(first), len(whole)):
        store.path.write_bytes(whole[:size])
        assert store.done() == {"a"}, size
        assert store.scan().torn == (size > len(first))
        store.append([row])
        assert store.path.read_bytes() == whole, size


def test_a_torn_first_row_leaves_an_empty_store(store):
    store.append([make_row("a")])
    store.path.write_bytes(store.path.read_bytes()[:10])
    assert store.load() == []
    assert store.repair()
    assert store.path.read_bytes() == b""
    assert not list(store.path.parent.glob("*.tmp"))


@pytest.mark.parametrize(
    "line",
    [b"not json", b"[1, 2]", b"{}", b'{"key": 3, "outcome": "correct"}', b'{"key": "x", "outcome": "great"}',
     b"\xff\xfe\x00", b"<<<<<<< HEAD", b"", b"   ", b"[" * 200_000, b"null"],
)  # fmt: skip
def test_foreign_lines_are_ignored_and_left_in_place(store, line):
    store.append([make_row("a")])
    with open(store.path, "ab") as handle:
        handle.write(line + b"\n")
    store.append([make_row("b")])
    assert store.done() == {"a", "b"}
    assert store.scan().foreign == (1 if line.strip() else 0)
    assert line in store.path.read_bytes()


def test_error_rows_are_owed_again_and_replaced(store):
    store.append([make_row("a", "error"), make_row("b")])
    assert store.done() == {"b"}
    assert [row["outcome"] for row in store.load()] == ["error", "correct"]
    store.append([make_row("a", "wrong")])
    assert store.done() == {"a", "b"}
    assert [(row["key"], row["outcome"]) for row in store.load()] == [("a", "wrong"), ("b", "correct")]


def test_a_scored_row_is_never_replaced(store):
    store.append([make_row("a", "wrong"), make_row("a", "correct"), make_row("a", "error")])
    assert [row["outcome"] for row in store.load()] == ["wrong"]


def test_a_resumed_run_does_nothing_twice(store):
    wanted = [f"t{i}" for i in range(6)]
    store.append([make_row(key) for key in wanted[:3]])
    resumed = RecordStore(store.path)
    owed = [key for key in wanted if key not in resumed.done()]
    assert owed == wanted[3:]
    resumed.append([make_row(key) for key in owed])
    assert [row["key"] for row in resumed.load()] == wanted


@pytest.mark.parametrize("bad", [{"outcome": "great"}, {"key": None}, {"strength": float("nan")}, {"answer": {1, 2}}])
def test_a_bad_row_is_refused_and_nothing_is_written(store, bad):
    with pytest.raises(OpenAgentError) as error:
        store.append([make_row("a"), {**make_row("b"), **bad}])
    assert "\n" not in str(error.value)
    assert not store.path.exists()


def test_keys_depend_on_content_and_not_on_order():
    key = record_key(task="t", shift="clean", recipe="sft", seed=0)
    assert key == record_key(seed=0, recipe="sft", shift="clean", task="t")
    assert len(key) == 64
    assert len({key, record_key(task="t", shift="clean", recipe="sft", seed=1), record_key(task="t", seed=0)}) == 3
    assert record_key(a=None) != record_key(a="None")
    with pytest.raises(OpenAgentError, match="record key"):
        record_key(task=object())


def test_the_frame_has_one_order_and_no_trajectories():
    rows = [make_row("b", step=5), make_row("a"), make_row("c", step=2)]
    frame = records_frame(rows)
    assert tuple(frame.columns) == FRAME_COLUMNS
    assert list(frame["step"]) == [NO_STEP, 2, 5]
    assert frame.equals(records_frame(rows[::-1]))
    assert records_frame([]).empty


def test_a_missing_field_is_named():
    row = make_row("a")
    del row["n_calls"]
    with pytest.raises(OpenAgentError, match="n_calls"):
        records_frame([row])


def test_several_files_load_as_one_frame_with_the_latest_settings(tmp_path):
    one, two = RecordStore(tmp_path / "one.jsonl"), RecordStore(tmp_path / "two.jsonl")
    one.append([make_row("old", settings="before"), make_row("new", settings="after")])
    two.append([make_row("other", recipe="grpo")])
    frame = load_frame(one.path, two.path)
    assert list(frame["task_id"]) == ["other", "new"]
    with pytest.raises(OpenAgentError, match="found no file"):
        load_frame(tmp_path / "absent.jsonl")


def test_written_lines_are_plain_ascii_json(store):
    store.append([make_row("a")])
    line = store.path.read_bytes()
    assert line.isascii()
    assert json.loads(line)["answer"] == "Zürich \ud800 \u2028 北"
