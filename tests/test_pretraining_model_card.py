"""The model card says what the log and the scores say."""

import json
import shutil

import pytest

from openagent_lib.errors import DataError
from openagent_lib.paths import BACKBONE
from openagent_lib.pretraining import model_card
from openagent_lib.pretraining.loop import LOG


@pytest.fixture
def folder(tmp_path):
    for name in (model_card.CARD, model_card.SCORES, LOG):
        shutil.copy(BACKBONE / name, tmp_path)
    return tmp_path


def test_the_committed_card_is_up_to_date(folder):
    assert not model_card.update(folder)


def test_other_scores_change_the_card(folder):
    scores = json.loads((folder / model_card.SCORES).read_text())
    scores["skills"]["one_call"]["solved"] = 0
    (folder / model_card.SCORES).write_text(json.dumps(scores))
    assert model_card.update(folder)
    assert f"| one_call | {scores['n']} | 0 |" in (folder / model_card.CARD).read_text()


@pytest.mark.parametrize("name", [model_card.CARD, model_card.SCORES, LOG])
def test_a_missing_file_is_one_clear_line(folder, name):
    (folder / name).unlink()
    with pytest.raises(DataError, match=name) as caught:
        model_card.update(folder)
    assert "\n" not in str(caught.value)


def test_scores_without_the_evaluation_name_the_command_that_makes_them(folder):
    scores = json.loads((folder / model_card.SCORES).read_text())
    del scores["zero_shot"]
    (folder / model_card.SCORES).write_text(json.dumps(scores))
    with pytest.raises(DataError, match="score --tasks"):
        model_card.update(folder)
