"""Read the log of a pre-training and draw it."""

import json
from pathlib import Path

import pandas as pd

from openagent_lib.errors import DataError
from openagent_lib.evaluation.statistics import wilson
from openagent_lib.report.style import SPARE_COLOURS, ReportFigure, figure_style, finish, new_figure

# Rows of the figure: what is drawn together, and the skills whose episodes are pooled.
GROUPS = {
    "one call": ("one_call_of_2", "one_call", "two_arguments"),
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


def score_table(scores: dict[str, dict]) -> pd.DataFrame:
    """Return one row per skill: n, share solved in percent, and its 95 % Wilson interval."""
    rows = []
    for skill, counts in scores.items():
        interval = wilson(counts["solved"], counts["n"])
        low, high = (round(100 * value) for value in (interval.low, interval.high))
        rows.append((skill, counts["n"], round(100 * counts["solved"] / counts["n"]), f"{low} to {high}"))
    return pd.DataFrame(rows, columns=["skill", "n", "solved %", "95 % interval"])


def plot_log(rows: dict[str, list[dict]]) -> ReportFigure:
    """Return the figure of a pre-training: loss, and solved held-out episodes by group of skills."""
    with figure_style():
        figure = new_figure(4.2)
        left, right = figure.subplots(1, 2)
        figure.subplots_adjust(left=0.075, right=0.985, wspace=0.2)
        left.plot(
            [row["tokens"] / 1e6 for row in rows["train"]], [row["loss"] for row in rows["train"]], color="#222222"
        )
        left.set(title="Loss", yscale="log", ylabel="smoothed loss")
        handles = [
            _draw_group(right, rows["score"], name, colour) for name, colour in zip(GROUPS, SPARE_COLOURS, strict=True)
        ]
        right.set(title="Held-out episodes solved", ylim=(-0.03, 1.03))
        for axis in (left, right):
            axis.set_xlabel("million tokens")
        first = rows["score"][0]["scores"] if rows["score"] else {}
        n = next((counts["n"] for counts in first.values()), 0)
        caption = (
            f"Loss on the assistant's tokens, deciding tokens weighted. Right: n = {n} procedural episodes per skill, "
            "with words that the training never used; bars are 95 % Wilson intervals. Model: the miniature."
        )
        finish(figure, "Pre-training of the miniature", caption, handles)
    return figure


def _draw_group(axis, rows: list[dict], name: str, colour: str):
    tokens, shares, below, above = [], [], [], []
    for row in rows:
        counts = [row["scores"][skill] for skill in GROUPS[name]]
        interval = wilson(sum(count["solved"] for count in counts), sum(count["n"] for count in counts))
        tokens.append(row["tokens"] / 1e6)
        shares.append(interval.estimate)
        below.append(interval.estimate - interval.low)
        above.append(interval.high - interval.estimate)
    drawn = axis.errorbar(
        tokens, shares, [below, above], color=colour, marker="o", markersize=4, elinewidth=0.8, label=name
    )
    return drawn
