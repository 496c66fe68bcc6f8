"""Ablations: one training per change, kept across stops, and one clear line where a file does not fit."""

import functools
import json
import re

import pytest

from openagent_lib.errors import DataError
from openagent_lib.pretraining import ablation, loop
from openagent_lib.pretraining.ablation import FILE, ablate, ablation_table
from openagent_lib.pretraining.tokenizer import build_tokenizer
from openagent_lib.pretraining.trainer import Settings

SETTINGS = {"layers": 4, "hidden": 32, "heads": 1, "head_width": 32, "vocabulary": 400, "batch_tokens": 400}
SETTINGS |= {"chunk": 12, "processes": 1}


@pytest.fixture(scope="module", autouse=True)
def small():
    """Two changes only, one tokenizer for all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "build_tokenizer", functools.cache(lambda seed, size, **_: build_tokenizer(0, size, 200)))
        patch.setattr(ablation, "CHANGES", {"nothing": {}, "no guides": {"guide": 0.0}})
        yield


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    return ablate(tmp_path_factory.mktemp("ablations"), tokens=4000, n=2, **SETTINGS)


def test_every_change_has_a_row_with_counts(done):
    table = ablation_table(done)
    assert list(table["change"]) == ["nothing", "no guides"]
    assert (table["million tokens"] == 0.004).all()
    counts = json.loads(done.read_text())["changes"]["no guides"]
    shown = table.set_index("change").loc["no guides"]
    for name in ablation.MEASURED:
        estimate = shown[f"{name} %"].split(" [")[0]
        assert estimate == str(50 * counts[name])
        assert re.fullmatch(r"\d+ \[\d+, \d+\]", shown[f"{name} %"])


def test_a_change_that_is_done_is_not_trained_again(done, monkeypatch):
    monkeypatch.setattr(ablation, "pretrain", None)
    before = done.read_text()
    ablate(done.parent, tokens=4000, n=2, **SETTINGS)
    assert done.read_text() == before


def test_a_file_of_other_tokens_is_one_clear_line(done):
    with pytest.raises(DataError, match="delete it or choose another --out") as caught:
        ablate(done.parent, tokens=5000, n=2, **SETTINGS)
    assert "\n" not in str(caught.value)


def test_a_missing_or_damaged_file_is_one_clear_line(tmp_path):
    for content in (None, "{", json.dumps({"changes": {"nothing": {}}})):
        if content:
            (tmp_path / FILE).write_text(content)
        with pytest.raises(DataError, match="pretrain ablate"):
            ablation_table(tmp_path / FILE)


def test_every_change_names_settings_and_changes_them(monkeypatch):
    monkeypatch.undo()
    digests = [Settings(**change).digest for change in ablation.CHANGES.values()]
    assert len(set(digests)) == len(digests)
