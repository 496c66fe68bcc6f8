"""The task file: round trip, content hash, and one clear line when it is not what it should be."""

import pyarrow
import pytest
from pyarrow import parquet

from openagent_lib import paths
from openagent_lib.errors import DataError
from openagent_lib.evaluation.suite import shifted_twins
from openagent_lib.evaluation.trajectories import training_rows
from openagent_lib.sandbox.dataset import (
    COLUMNS,
    content_hash,
    make_tasks,
    opening,
    read_rows,
    read_tasks,
    stored_hash,
    write_tasks,
)
from openagent_lib.sandbox.protocol import system_prompt
from openagent_lib.sandbox.task import Task
from openagent_lib.shifts.catalogue import SHIFTS

TASKS = make_tasks("test", 25)
CONVERSATIONS = [row["messages"] for row in training_rows(TASKS)]


@pytest.fixture
def path(tmp_path):
    return write_tasks(tmp_path / "data" / "eval.parquet", TASKS)


def fails_with_one_line(path, pattern):
    with pytest.raises(DataError, match=pattern) as caught:
        read_tasks(path)
    assert len(str(caught.value).splitlines()) == 1
    assert "make reproduce" in str(caught.value)


def test_tasks_survive_the_round_trip(path):
    assert read_tasks(path) == TASKS


def test_shifted_tasks_survive_the_round_trip(tmp_path):
    clean = make_tasks("test", 40)
    twins = [twin for shift in SHIFTS.values() for twin in shifted_twins(clean, shift, 3)]
    assert read_tasks(write_tasks(tmp_path / "twins.parquet", twins)) == twins


def test_tasks_of_both_domains_survive_the_round_trip(tmp_path):
    tasks = [task for domain in ("poi", "medical") for task in make_tasks("dev", 10, domain=domain)]
    assert read_tasks(write_tasks(tmp_path / "both.parquet", tasks)) == tasks


def test_conversations_survive_the_round_trip(tmp_path):
    path = write_tasks(tmp_path / "train.parquet", TASKS, CONVERSATIONS)
    assert read_rows(path) == (TASKS, CONVERSATIONS)


def test_without_conversations_a_row_holds_the_opening_of_its_episode(path):
    assert read_rows(path)[1] == [opening(task) for task in TASKS]
    assert [message["role"] for message in opening(TASKS[0])] == ["system", "user"]
    assert opening(TASKS[0])[1]["content"] == TASKS[0].query


def test_an_opening_states_the_key_of_the_call():
    twin = SHIFTS["perception.schema_adaptability"].apply(TASKS[0])
    assert opening(twin)[0]["content"] == system_prompt(twin.call_key)


def test_there_is_one_conversation_per_task(tmp_path):
    with pytest.raises(ValueError):
        write_tasks(tmp_path / "train.parquet", TASKS, CONVERSATIONS[1:])


def test_the_file_carries_the_content_hash(path, tmp_path):
    assert stored_hash(path) == content_hash(TASKS, [opening(task) for task in TASKS])
    other = write_tasks(tmp_path / "train.parquet", TASKS, CONVERSATIONS)
    assert stored_hash(other) == content_hash(TASKS, CONVERSATIONS) != stored_hash(path)
    parquet.write_table(parquet.read_table(path).replace_schema_metadata({}), path)
    assert stored_hash(path) == ""


def test_two_builds_are_equal_to_the_byte(path, tmp_path):
    again = write_tasks(tmp_path / "again.parquet", make_tasks("test", 25))
    assert content_hash(make_tasks("test", 25)) == content_hash(TASKS)
    assert again.read_bytes() == path.read_bytes()


def test_the_content_hash_depends_on_order_and_content():
    assert len({content_hash(TASKS), content_hash(TASKS[::-1]), content_hash(TASKS[1:]), content_hash([])}) == 4


def test_the_columns_are_readable_without_this_library(path):
    rows = parquet.read_table(path).to_pylist()
    assert set(COLUMNS) <= set(rows[0])
    assert [row["query"] for row in rows] == [task.query for task in TASKS]
    assert [row["task_id"] for row in rows] == [task.id for task in TASKS]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Return the rows of a file of whole conversations, as `datasets` reads them."""
    from datasets import load_dataset

    folder = tmp_path_factory.mktemp("datasets")
    file = write_tasks(folder / "train.parquet", TASKS, CONVERSATIONS)
    loaded = load_dataset("parquet", data_files=str(file), split="train", cache_dir=str(folder / "cache"))
    return list(loaded)


def test_datasets_opens_it_with_messages_tools_and_metadata(rows):
    assert list(rows[0]) == [*COLUMNS, "messages", "tools", "task"]
    for row, task, messages in zip(rows, TASKS, CONVERSATIONS, strict=True):
        assert row["messages"] == messages
        assert row["tools"] == [tool.schema() for tool in task.tools]
        assert Task.from_json(row["task"]) == task
        assert (row["task_id"], row["split"], row["domain"]) == (task.id, "test", "poi")
        assert (row["shape"], row["shift"], row["strength"]) == (task.shape, "clean", 0.0)
        assert (row["query"], row["solvable"], row["gold_answer"]) == (task.query, True, task.gold_answer)
        assert row["gold_calls"] == len(task.gold_chain) == sum("tool_calls" in message for message in messages)


def test_a_chat_template_takes_the_rows_as_they_are(rows):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(paths.BACKBONE)
    for row in rows:
        text = tokenizer.apply_chat_template(row["messages"], tools=row["tools"], tokenize=False)
        assert row["query"] in text
        assert f"<answer>{row['gold_answer']}</answer>" in text
        assert text.count('"type": "function"') >= len(row["tools"])
        assert all(tool["function"]["description"].replace('"', '\\"') in text for tool in row["tools"])


def test_more_tasks_begin_with_the_same_tasks():
    assert make_tasks("train", 40)[:25] == make_tasks("train", 25)
    assert len({task.id for task in make_tasks("train", 400)}) == 400


def test_a_missing_file_is_named_with_the_command_that_makes_it(tmp_path):
    fails_with_one_line(tmp_path / "none.parquet", "expected a task file at .*none.parquet, found none")


@pytest.mark.parametrize("content", [b"", b"not parquet", b"PAR1" + bytes(200) + b"PAR1"])
def test_a_file_of_another_kind_is_refused(path, content):
    path.write_bytes(content)
    fails_with_one_line(path, "not a readable task file")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_cut_file_is_refused(path, share):
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    fails_with_one_line(path, "not a readable task file")


def test_a_damaged_byte_is_never_read_as_other_tasks(path):
    data = path.read_bytes()
    for position in range(4, len(data), max(1, len(data) // 60)):
        path.write_bytes(data[:position] + bytes([data[position] ^ 0xFF]) + data[position + 1 :])
        try:
            assert read_tasks(path) == TASKS
        except DataError as problem:
            assert len(str(problem).splitlines()) == 1


def rewritten(path, change):
    table = parquet.read_table(path)
    rows = [change(index, dict(row)) for index, row in enumerate(table.to_pylist())]
    parquet.write_table(pyarrow.Table.from_pylist(rows).replace_schema_metadata(table.schema.metadata), path)


def test_a_tampered_task_does_not_match_the_content_hash(path):
    def tamper(index, row):
        if index == 3:
            row["task"] = row["task"].replace('"gold_answer":"', '"gold_answer":"x')
        return row

    rewritten(path, tamper)
    fails_with_one_line(path, "does not match its own content hash")


def test_a_tampered_conversation_does_not_match_the_content_hash(path):
    def tamper(index, row):
        message = row["messages"][1]
        row["messages"][1] = message.replace("?", "!") if isinstance(message, str) else message | {"content": "!"}
        return row

    rewritten(path, tamper)
    fails_with_one_line(path, "does not match its own content hash")


def test_a_lost_row_does_not_match_the_content_hash(path):
    table = parquet.read_table(path)
    parquet.write_table(table.slice(1), path)
    fails_with_one_line(path, "does not match its own content hash")


@pytest.mark.parametrize("text", ["{", "null", "[]", "{}", '{"slots": 3}', '"x"', ""])
def test_a_row_that_is_no_task_is_refused(path, text):
    rewritten(path, lambda index, row: row | {"task": text} if index == 0 else row)
    fails_with_one_line(path, "not a readable task file")


@pytest.mark.parametrize("column", ["task", "messages"])
def test_a_file_without_its_content_is_refused(path, column):
    table = parquet.read_table(path)
    parquet.write_table(table.drop_columns([column]), path)
    fails_with_one_line(path, "not a readable task file")


def test_a_file_without_a_content_hash_is_refused(path):
    parquet.write_table(parquet.read_table(path).replace_schema_metadata({}), path)
    fails_with_one_line(path, "does not match its own content hash")
