"""The released tasks: what `datasets` opens, a card in step with them, and the same content under every interpreter."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from openagent_lib import paths
from openagent_lib.errors import DataError
from openagent_lib.evaluation import data_card
from openagent_lib.evaluation.suite import read_benchmark, write_benchmark
from openagent_lib.evaluation.verification import CHECKS, Benchmark
from openagent_lib.sandbox.dataset import stored_hash
from openagent_lib.sandbox.task import Task

HASHES = {name: stored_hash(paths.TASKS / f"{name}.parquet") for name in ("train", "eval")}
OLDEST = (3, 11)


@pytest.fixture(scope="module")
def parts():
    return read_benchmark(paths.TASKS)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    """Return what a user gets who knows nothing of this library."""
    datasets = pytest.importorskip("datasets")
    return datasets.load_dataset(str(paths.TASKS), cache_dir=str(tmp_path_factory.mktemp("cache")))


def test_datasets_opens_the_folder_as_train_and_test(dataset):
    assert {name: len(rows) for name, rows in dataset.items()} == {"train": 6050, "test": 880}


def test_training_rows_are_whole_conversations(dataset):
    for row in dataset["train"].select(range(200)):
        roles = [message["role"] for message in row["messages"]]
        assert roles == ["system", "user", *["assistant", "tool"] * row["gold_calls"], "assistant"]
        calls = [message["tool_calls"] for message in row["messages"][2:-1:2]]
        offered = {tool["function"]["name"] for tool in row["tools"]}
        assert {call["function"]["name"] for (call,) in calls} <= offered
        assert row["messages"][-1]["content"] == f"<answer>{row['gold_answer']}</answer>"


def test_evaluation_rows_are_openings_without_the_answer(dataset):
    for row in dataset["test"]:
        assert [message["role"] for message in row["messages"]] == ["system", "user"]
        assert row["messages"][1]["content"] == row["query"]
        assert row["solvable"] == (row["gold_answer"] is not None)


def test_rows_hold_the_whole_task(dataset, parts):
    assert [Task.from_json(text) for text in dataset["test"]["task"]] == parts["eval"].tasks


@pytest.mark.parametrize("name", ["counts", "composition", "pairing", "entities", "templates", "prompts", "refusals"])
def test_the_release_passes_the_check(name, parts):
    assert CHECKS[name](Benchmark(paths.TASKS, parts))


def other_interpreters() -> dict[str, str]:
    """Return the interpreters of other supported versions on this machine, by version."""
    names = [f"python3.{minor}" for minor in range(OLDEST[1], 20)]
    found = [shutil.which(name) for name in names]
    found += [str(path) for path in Path(sys.base_prefix).parent.glob("*/bin/python3") if path.is_file()]
    versions = {}
    for path in filter(None, found):
        code = "import sys; print(*sys.version_info[:2])"
        answer = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
        version = tuple(map(int, answer.stdout.split())) if answer.returncode == 0 else ()
        if version >= OLDEST and version != sys.version_info[:2]:
            versions[".".join(map(str, version))] = path
    return versions


def printed_hashes(interpreters: list[str]) -> list[dict[str, str]]:
    """Return what `data hash` prints under each, all with other hash seeds and without any installed package."""
    command = ["-S", "-m", "openagent_lib", "data", "hash"]
    environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    running = [
        subprocess.Popen(
            [path, *command],
            cwd=paths.ROOT,
            env=environment | {"PYTHONHASHSEED": str(seed)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed, path in enumerate(interpreters)
    ]
    return [dict(line.split() for line in process.communicate()[0].splitlines()) for process in running]


def test_other_hash_seeds_give_the_released_tasks_without_any_package():
    assert printed_hashes([sys.executable] * 2) == [HASHES] * 2


def test_other_versions_of_python_give_the_released_tasks_without_any_package():
    others = other_interpreters()
    if not others:
        pytest.skip("no other supported version of Python on this machine")
    assert dict(zip(others, printed_hashes(list(others.values())), strict=True)) == dict.fromkeys(others, HASHES)


def test_two_builds_are_equal_to_the_byte(tmp_path):
    for name in ("one", "two"):
        write_benchmark(tmp_path / name, 0, 40, 20, 2)
    for name in HASHES:
        one, two = ((tmp_path / folder / f"{name}.parquet").read_bytes() for folder in ("one", "two"))
        assert one == two


def test_the_tables_of_the_card_are_in_step_with_the_tasks(parts, tmp_path):
    card = tmp_path / "card.md"
    shutil.copy(paths.DATA_CARD, card)
    assert not data_card.update(card, parts), "python -m openagent_lib data build"
    assert data_card.stated_hashes(card.read_text()) == HASHES


@pytest.mark.parametrize("name", ["hashes", "example", "composition", "shapes", "pools", "words"])
def test_a_table_that_was_changed_by_hand_is_written_anew(name, parts, tmp_path):
    card = tmp_path / "card.md"
    text = paths.DATA_CARD.read_text()
    card.write_text(text.replace(f"<!-- {name} -->\n", f"<!-- {name} -->\nby hand\n"))
    assert data_card.update(card, parts)
    assert card.read_text() == text
    card.write_text(text.replace(f"<!-- /{name} -->", ""))
    with pytest.raises(DataError, match=f"expected a block <!-- {name} -->, found none"):
        data_card.update(card, parts)


def test_the_card_names_the_columns_of_the_files(dataset):
    text = paths.DATA_CARD.read_text()
    for column in dataset["train"].column_names:
        assert f"| `{column}`" in text or f", `{column}` |" in text


def test_a_missing_card_is_one_clear_line(parts, tmp_path):
    with pytest.raises(DataError, match="expected the data card at .*, found none: git checkout"):
        data_card.update(tmp_path / "none.md", parts)
