"""Reading and drawing a pre-training log."""

import json

import pytest

from openagent_lib.errors import DataError
from openagent_lib.pretraining.curve import GROUPS, plot_log, read_log, score_table
from openagent_lib.pretraining.drills import LEVELS
from openagent_lib.pretraining.score import SCORED


def rows():
    scores = {skill: {"n": 8, "solved": 4} for skill in SCORED}
    yield {"kind": "start", "step": 0}
    for step in (50, 100):
        train = {"loss": 3.0 - step / 100, "level": len(LEVELS), "difficulty": step / 100, "right_tool": 0.9}
        yield {"kind": "train", "step": step, "tokens": step * 4000, **train}
        yield {"kind": "score", "step": step, "tokens": step * 4000, "scores": scores}
    yield {"kind": "end", "step": 100}


def test_log_is_read_by_kind(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()))
    log = read_log(path)
    assert [len(log[kind]) for kind in ("start", "train", "score", "end")] == [1, 2, 2, 1]


@pytest.mark.parametrize("text", [None, "no json\n", '{"kind": "other"}\n'])
def test_unreadable_log_is_one_clear_line(tmp_path, text):
    path = tmp_path / "log.jsonl"
    if text is not None:
        path.write_text(text)
    with pytest.raises(DataError, match="pretrain") as caught:
        read_log(path)
    assert "\n" not in str(caught.value)


def test_groups_cover_every_scored_skill_once():
    grouped = [skill for skills in GROUPS.values() for skill in skills]
    assert sorted(grouped) == sorted(SCORED)


def test_figure_names_n_and_the_model(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()))
    figure = plot_log(read_log(path))
    assert "n = 8" in figure.caption and "miniature" in figure.caption


def test_score_table_has_intervals():
    table = score_table({"one_call": {"n": 64, "solved": 32}})
    assert table.loc[0, "95 % interval"] == "38 to 62"


def test_score_table_takes_measures_too():
    table = score_table({"copied": {"n": 4, "count": 3}}, first="measure", share="%")
    assert list(table.columns) == ["measure", "n", "%", "95 % interval"] and table.loc[0, "%"] == 75
