"""The tables: results with intervals, and the comparison with the paper, cell by cell."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from openagent_lib.evaluation import metrics
from openagent_lib.evaluation.statistics import EMPTY, Interval
from openagent_lib.paths import write_atomic
from openagent_lib.report import paper, style

AGREES, DIFFERS, NOT_COMPARABLE = "agrees", "differs", "not comparable"
INF = float("inf")

# Regions of each quantity, in percent or percentage points. Assumption: a change within 5 points counts as holding;
# below a quarter is rare and above three quarters usual; near-perfect starts at 90 %.
REGIONS: dict[str, dict[str, tuple[float, float]]] = {
    "accuracy_change": {"falls": (-INF, -5.0), "holds": (-5.0, 5.0), "rises": (5.0, INF)},
    "refusal_rate": {"rare": (-INF, 25.0), "mixed": (25.0, 75.0), "usual": (75.0, INF)},
    "accuracy": {"below near perfect": (-INF, 90.0), "near perfect": (90.0, INF)},
}


@dataclass(frozen=True)
class Verdict:
    """The outcome of one comparison: `agrees`, `differs` or `not comparable`, and why."""

    verdict: str
    reason: str


def results_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the success rate of every recipe under every shift.

    Args:
        frame: Records of final models.

    Returns:
        One row per recipe and shift: `recipe, shift, strength, metric` (`accuracy`, or `refusal rate` where the task
        is unsolvable), `n, rate, low, high` (percent), `change, change_low, change_high` (paired, in percentage points,
        nan where it does not apply), `n_errors` (infrastructure, not scored).
    """
    rows_of, rows = metrics.final(frame), []
    summary = metrics.summary(rows_of, ("accuracy", "paired_change"))
    for _, line in summary.iterrows():
        part = rows_of[(rows_of["recipe"] == line["recipe"]) & (rows_of["shift"] == line["shift"])]
        metric = "accuracy" if part["solvable"].astype(bool).any() else "refusal rate"
        rates = [100 * line[f"accuracy_{field}"] for field in ("estimate", "low", "high")]
        changes = [line[f"paired_change_{field}"] for field in ("estimate", "low", "high")]
        cells = [line["recipe"], line["shift"], line["strength"], metric, line["accuracy_n"], *rates, *changes]
        rows.append([*cells, line["n_errors"]])
    columns = ["recipe", "shift", "strength", "metric", "n", "rate", "low", "high"]
    table = pd.DataFrame(rows, columns=[*columns, "change", "change_low", "change_high", "n_errors"])
    recipes = [*style.RECIPES, *sorted(set(table["recipe"]) - set(style.RECIPES))]
    pairs = zip(table["recipe"], table["shift"], strict=True)
    order = [(recipes.index(recipe), style.shift_rank(shift)) for recipe, shift in pairs]
    return table.iloc[sorted(range(len(table)), key=order.__getitem__)].reset_index(drop=True)


def comparison_table(frame: pd.DataFrame, folder: Path | str | None = None) -> pd.DataFrame:
    """Hold every reported cell that one of our recipes has a counterpart for against our result.

    Args:
        frame: Records of final models, clean ones included.
        folder: Folder of the reported numbers; the repository's by default.

    Returns:
        One row per cell: `recipe, metric, cell, paper, paper_says, mark, source, n, ours, low, high, paper_in_interval,
        verdict, reason`. Values are in percent or percentage points; `paper` is nan for a statement without a number.

    Assumption: see `judge`.
    """
    rows_of, rows = metrics.final(frame), []
    backbone = ", ".join(sorted(set(frame["backbone"])))
    for _, cell in paper.final_cells(folder).iterrows():
        ours = measure(rows_of, cell["model"], cell["metric"], cell["tier"])
        region = cell["direction"] or region_of(cell["metric"], cell["value"])
        verdict = judge(cell["model"], cell["metric"], region, ours)
        if cell["metric"] == "accuracy_change" and _has_nothing_to_lose(rows_of, cell["model"]):
            verdict = Verdict(NOT_COMPARABLE, "near zero without any shift, so there is nothing to lose")
        coverage = _coverage(rows_of, cell["tier"])
        known = ours.n > 0 and not pd.isna(cell["value"])
        inside = ("yes" if ours.low <= cell["value"] <= ours.high else "no") if known else ""
        reason = f"{verdict.reason}{coverage}; paper: {paper.BACKBONE}, here: {backbone}"
        rows.append([
            cell["model"], cell["metric"], cell["tier"], cell["value"], region, cell["mark"], cell["source"],
            ours.n, ours.estimate, ours.low, ours.high, inside, verdict.verdict, reason,
        ])  # fmt: skip
    columns = ["recipe", "metric", "cell", "paper", "paper_says", "mark", "source"]
    columns += ["n", "ours", "low", "high", "paper_in_interval", "verdict", "reason"]
    return pd.DataFrame(rows, columns=columns)


def measure(frame: pd.DataFrame, recipe: str, metric: str, cell: str) -> Interval:
    """Return our result for a reported cell over exactly its shifts, in percent or percentage points.

    Args:
        frame: Records of final models.
        recipe: Our recipe of the reported model.
        metric: `accuracy`, `accuracy_change` or `refusal_rate`.
        cell: A tier, or `tier.kind` for one shift; see `paper.shifts_of` for what it averages.
    """
    rows = frame[(frame["recipe"] == recipe) & ~metrics.is_control(frame)]
    rows = rows[rows["shift"].isin(paper.shifts_of(cell))]
    rows = rows[rows["strength"] == rows.groupby("shift")["strength"].transform("max")]
    if rows.empty:
        return EMPTY
    if metric == "accuracy_change":
        return metrics.paired_change(rows, frame)
    return (metrics.refusal_rate(rows) if metric == "refusal_rate" else metrics.accuracy(rows)).scale(100)


def region_of(metric: str, value: float) -> str:
    """Return the region of `REGIONS` that a reported value lies in; empty for nan."""
    for name, (low, high) in REGIONS[metric].items():
        if low <= value < high:
            return name
    return ""


def judge(recipe: str, metric: str, region: str, ours: Interval) -> Verdict:
    """Compare what the paper reports with our interval, in direction and never in size.

    Agrees: our 95 % interval lies within the paper's region. Differs: it does not touch that region. Not comparable:
    it touches the paper's region and another one, or the two quantities are not of one kind; a change of a recipe that
    hardly succeeds without a shift is not comparable either (`comparison_table`).

    Assumption: the rule and the regions; another model, data and scale make the size of a number incomparable.
    """
    if recipe == "paft" and metric == "accuracy_change":
        return Verdict(NOT_COMPARABLE, "the model that the paper's PAFT change refers to is not known")
    if ours.n == 0:
        return Verdict(NOT_COMPARABLE, "not measured in this run")
    touched = [name for name, (start, end) in REGIONS[metric].items() if ours.low < end and ours.high >= start]
    if region not in touched:
        return Verdict(DIFFERS, f"paper: {region}, ours: {' or '.join(touched)}")
    if touched == [region]:
        return Verdict(AGREES, f"both: {region}")
    return Verdict(NOT_COMPARABLE, f"undecided at n = {ours.n}: the interval allows {' or '.join(touched)}")


def _has_nothing_to_lose(frame: pd.DataFrame, recipe: str) -> bool:
    """Tell whether a recipe's clean accuracy is so low that a fall could not leave the region `holds`."""
    clean = metrics.accuracy(frame[(frame["recipe"] == recipe) & (frame["shift"] == metrics.CLEAN)]).scale(100)
    return clean.n > 0 and -clean.estimate >= REGIONS["accuracy_change"]["holds"][0]


def _coverage(frame: pd.DataFrame, cell: str) -> str:
    """Return a note on the shifts that our average over a tier holds."""
    shifts = paper.shifts_of(cell)
    held = sum((frame["shift"] == shift).any() for shift in shifts)
    return f"; over {style.coverage(held, len(shifts))} shifts" if len(shifts) > 1 else ""


def count_verdicts(comparison: pd.DataFrame) -> dict[str, int]:
    """Return how many cells agree, differ and are not comparable."""
    return {verdict: int((comparison["verdict"] == verdict).sum()) for verdict in (AGREES, DIFFERS, NOT_COMPARABLE)}


def write_table(table: pd.DataFrame, path: Path | str) -> Path:
    """Write a table as CSV under a temporary name and rename it."""
    return write_atomic(path, style.csv_text(table))


def to_markdown(table: pd.DataFrame, columns: Sequence[str] | None = None, decimals: int = 1) -> str:
    """Return a table in Markdown, numbers rounded, missing ones as a dash."""
    columns = list(table.columns) if columns is None else list(columns)
    lines = ["| " + " | ".join(columns) + " |", "| " + " | ".join("---" for _ in columns) + " |"]
    for row in table[columns].itertuples(index=False):
        lines.append("| " + " | ".join(_cell(value, decimals) for value in row) + " |")
    return "\n".join(lines) + "\n"


def _cell(value: object, decimals: int) -> str:
    if isinstance(value, float):
        if pd.isna(value):
            return "-"
        return f"{value:.{decimals}f}".replace(f"-{0:.{decimals}f}", f"{0:.{decimals}f}")
    return str(value).replace("|", "\\|").replace("\n", " ")
