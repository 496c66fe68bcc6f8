"""Repeating the start of a pre-training: an honest log agrees, another one does not."""

import functools
import json
import shutil

import pytest

from openagent_lib.errors import DataError
from openagent_lib.pretraining import loop
from openagent_lib.pretraining.loop import LOG, pretrain
from openagent_lib.pretraining.replay import agrees, replay
from openagent_lib.pretraining.tokenizer import build_tokenizer

SETTINGS = {"layers": 2, "hidden": 32, "heads": 1, "vocabulary": 400, "batch_tokens": 400}
SETTINGS |= {"guide": 0.0, "processes": 1}


@pytest.fixture(scope="module", autouse=True)
def one_tokenizer():
    """Train the tokenizer once for all tests of this file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "build_tokenizer", functools.cache(lambda seed, size, **_: build_tokenizer(0, size, 200)))
        yield


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return pretrain(tmp_path_factory.mktemp("trained"), seed=1, tokens=50_000, threads=1, **SETTINGS)


def edited(trained, folder, change):
    """Return a copy of the log with its rows changed."""
    rows = [json.loads(line) for line in (trained / LOG).read_text().splitlines()]
    path = shutil.copy(trained / LOG, folder / "edited.jsonl")
    with open(path, "w") as handle:
        handle.writelines(json.dumps(change(row)) + "\n" for row in rows)
    return path


def test_the_start_of_a_training_repeats_its_log(trained, tmp_path):
    table = replay(trained / LOG, tmp_path, share=0.6)
    assert len(table) == 1 and list(table["step"]) == [50]
    assert agrees(table)


def test_a_log_that_claims_more_is_found_out(trained, tmp_path):
    path = edited(trained, tmp_path, lambda row: row | {"right_tool": 0.9} if row["kind"] == "train" else row)
    assert not agrees(replay(path, tmp_path / "again", share=0.6))


def test_a_log_of_unknown_settings_is_one_clear_line(trained, tmp_path):
    def change(row):
        return row | {"settings": row["settings"] | {"warmth": 3}} if row["kind"] == "start" else row

    with pytest.raises(DataError, match="found warmth") as caught:
        replay(edited(trained, tmp_path, change), tmp_path / "again")
    assert "\n" not in str(caught.value)


def test_a_share_without_a_logged_row_is_one_clear_line(trained, tmp_path):
    with pytest.raises(DataError, match="take a larger share"):
        replay(trained / LOG, tmp_path, share=0.01)
