"""The task file: round trip, content hash, and one clear line when it is not what it should be."""

import pyarrow
import pytest
from pyarrow import parquet

from openagent_lib.errors import DataError
from openagent_lib.sandbox.dataset import COLUMNS, content_hash, make_tasks, read_tasks, write_tasks
from openagent_lib.shifts.catalogue import SHIFTS, shifted_twins

TASKS = make_tasks("test", 25)


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
    twins = [twin for shift in SHIFTS.values() for twin in shifted_twins(TASKS, shift, 3)]
    assert read_tasks(write_tasks(tmp_path / "twins.parquet", twins)) == twins


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


def test_a_lost_row_does_not_match_the_content_hash(path):
    table = parquet.read_table(path)
    parquet.write_table(table.slice(1), path)
    fails_with_one_line(path, "does not match its own content hash")


@pytest.mark.parametrize("text", ["{", "null", "[]", "{}", '{"slots": 3}', '"x"', ""])
def test_a_row_that_is_no_task_is_refused(path, text):
    rewritten(path, lambda index, row: row | {"task": text} if index == 0 else row)
    fails_with_one_line(path, "not a readable task file")


def test_a_file_without_the_task_column_is_refused(path):
    table = parquet.read_table(path)
    parquet.write_table(table.drop_columns(["task"]), path)
    fails_with_one_line(path, "not a readable task file")


def test_a_file_without_a_content_hash_is_refused(path):
    parquet.write_table(parquet.read_table(path).replace_schema_metadata({}), path)
    fails_with_one_line(path, "does not match its own content hash")
