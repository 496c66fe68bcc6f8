"""Read the log of a pre-training and draw it."""

import json
from pathlib import Path

import pandas as pd

from openagent_lib.errors import DataError
from openagent_lib.evaluation.statistics import wilson
from openagent_lib.report.style import SPARE_COLOURS, ReportFigure, figure_style, finish, new_figure

# Rows of the figure: what is drawn together, and the skills whose episodes are pooled.
GROUPS = {
    "one call": ("copy", "one_call_of_2", "one_call_of_5", "one_call", "other_reply", "two_arguments"),
    "chains of 2 or 3": ("named_chain_2", "planned_chain_2", "named_chain_3", "planned_chain_3"),
    "branching and computing": ("branching", "factor", "calculator"),
    "errors": ("retry", "redirection", "fatal_error"),
    "nothing to call": ("missing_tool", "missing_information"),
}


def read_log(path: Path | str) -> dict[str, list[dict]]:
    """Return the rows of a log by kind (`start`, `train`, `score`, `end`).

    Raises:
        DataError: The file is missing or holds no JSON lines.
    """
    rows: dict[str, list[dict]] = {"start": [], "train": [], "score": [], "end": []}
    try:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            rows[row["kind"]].append(row)
    except (OSError, ValueError, KeyError) as problem:
        fix = "make it with: python -m openagent_lib pretrain"
        raise DataError(f"expected a pre-training log at {path}, found {type(problem).__name__}; {fix}") from None
    return rows


def score_table(scores: dict[str, dict], first: str = "skill", share: str = "solved %") -> pd.DataFrame:
    """Return one row per entry of counts: n, the share in percent, and its 95 % Wilson interval.

    Args:
        scores: Counts by name, as `score` returns them: `n`, and `solved` or `count`.
        first: Head of the names.
        share: Head of the shares.
    """
    rows = []
    for name, counts in scores.items():
        interval = wilson(counts.get("solved", counts.get("count", 0)), counts["n"])
        middle, low, high = (round(100 * value) for value in (interval.estimate, interval.low, interval.high))
        rows.append((name, counts["n"], middle, f"{low} to {high}"))
    return pd.DataFrame(rows, columns=[first, "n", share, "95 % interval"])


def corpus_rows(rows: dict[str, list[dict]]) -> list[dict]:
    """Return the training rows of a log from the first batch of the corpus on; the drills alone leave no loss."""
    return [row for row in rows["train"] if row["loss"] > 0]


def plot_log(rows: dict[str, list[dict]]) -> ReportFigure:
    """Return the figure of a pre-training: loss, curriculum, and solved held-out episodes by group of skills."""
    with figure_style():
        figure = new_figure(4.4)
        left, middle, right = figure.subplots(1, 3)
        figure.subplots_adjust(left=0.07, right=0.985, wspace=0.28)
        corpus = corpus_rows(rows)
        left.plot(*_curve(corpus, "loss"), color=SPARE_COLOURS[3])
        left.set(title="Loss in the corpus", yscale="log")
        _draw_curriculum(middle, rows["train"], corpus)
        handles = [
            _draw_group(right, rows["score"], name, colour) for name, colour in zip(GROUPS, SPARE_COLOURS, strict=True)
        ]
        right.set(title="Held-out episodes solved", ylim=(-0.03, 1.03))
        for axis in (left, middle, right):
            axis.set_xlabel("million tokens")
        first = rows["score"][0]["scores"] if rows["score"] else {}
        n = next((counts["n"] for counts in first.values()), 0)
        caption = (
            "Left: loss on the assistant's tokens, deciding tokens weighted. Middle: running share of right first "
            "tokens of tool names (grey; it drops where a level of the drills, shaded, ends) and difficulty of the "
            f"corpus (blue), which rises only while that share is high. Right, and legend: n = {n} procedural episodes "
            "per skill, with words and templates that the training never used; bars are 95 % Wilson intervals. Model: "
            "the miniature."
        )
        finish(figure, "Pre-training of the miniature", caption, handles)
    return figure


def _curve(rows: list[dict], name: str) -> tuple[list[float], list[float]]:
    return [row["tokens"] / 1e6 for row in rows], [row[name] for row in rows]


def _draw_curriculum(axis, rows: list[dict], corpus: list[dict]) -> None:
    axis.plot(*_curve(rows, "right_tool"), color="#888888", linewidth=1)
    axis.plot(*_curve(corpus, "difficulty"), color=SPARE_COLOURS[0])
    axis.set(title="Right tool, difficulty", ylim=(-0.03, 1.03))
    if corpus:
        axis.axvspan(0, corpus[0]["tokens"] / 1e6, color="#DDDDDD", zorder=0)


def _draw_group(axis, rows: list[dict], name: str, colour: str):
    tokens, shares, below, above = [], [], [], []
    for row in rows:
        counts = [row["scores"][skill] for skill in GROUPS[name] if skill in row["scores"]]
        interval = wilson(sum(count["solved"] for count in counts), sum(count["n"] for count in counts))
        tokens.append(row["tokens"] / 1e6)
        shares.append(interval.estimate)
        below.append(interval.estimate - interval.low)
        above.append(interval.high - interval.estimate)
    drawn = axis.errorbar(
        tokens, shares, [below, above], color=colour, marker="o", markersize=4, elinewidth=0.8, label=name
    )
    return drawn
