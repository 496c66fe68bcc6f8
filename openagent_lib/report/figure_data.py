"""What the figures draw, as frames: each figure's CSV is exactly this.

Rows with source `paper` hold a reported number without an interval and n 0; all others are measured.
"""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from openagent_lib.errors import DataError
from openagent_lib.evaluation import metrics
from openagent_lib.evaluation.records import NO_STEP
from openagent_lib.evaluation.statistics import Interval
from openagent_lib.report import paper, style

COLUMNS = ["recipe", "source", "n", "estimate", "low", "high"]
ALL_SHIFTS = "all shifts"
CONTROL = "strength 0"
CURVES = {"sft": "loss", "paft": "loss", "grpo": "reward", "sft_grpo": "reward"}


def fig1_data(frame: pd.DataFrame, recipes: Sequence[str] = ("sft", "grpo")) -> pd.DataFrame:
    """Return what figure 1 draws: one row per recipe and step, in percent."""
    clean = frame[frame["shift"] == metrics.CLEAN]
    base = clean[clean["recipe"] == "base"]
    rows = []
    for recipe in recipes:
        part = clean[(clean["recipe"] == recipe) & (clean["step"] != NO_STEP)]
        if recipe in ("sft", "grpo") and len(part) and not (part["step"] == 0).any():
            part = pd.concat([base.assign(recipe=recipe, step=0), part])
        for step, group in part.groupby("step"):
            rows.append({"step": step, **_row(recipe, metrics.accuracy(group).scale(100))})
    data = pd.DataFrame(rows, columns=["step", *COLUMNS])
    return _not_empty(data, "closed-set records of intermediate steps")


def fig4_data(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what figure 4 draws: one row per tier and recipe in percent, and the paper's refusal rates."""
    table, rows = metrics.tier_summary(metrics.final(frame), ("accuracy", "refusal_rate")), []
    for tier in style.TIER_LABELS:
        metric = "refusal_rate" if tier == "internalization" else "accuracy"
        for recipe in style.order_recipes(table["recipe"]):
            line = table[(table["tier"] == tier) & (table["recipe"] == recipe)]
            if len(line) and line[f"{metric}_n"].iloc[0]:
                key = {"tier": tier, "metric": metric}
                rows.append({**key, **_row(recipe, _interval(line.iloc[0], metric).scale(100))})
                rows += [{**key, **row} for row in _paper_row(recipe, metric, tier)]
    return _not_empty(pd.DataFrame(rows, columns=["tier", "metric", *COLUMNS]), "records of final models")


def fig5_data(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what figure 5 draws: the change per recipe and shift or tier, in percentage points, and the paper's."""
    rows_of, rows = metrics.final(frame), []
    by_shift = metrics.summary(rows_of, ("paired_change",))
    by_tier = metrics.tier_summary(rows_of, ("paired_change",))
    strongest = by_shift.groupby("shift")["strength"].transform("max")
    by_shift = by_shift[by_shift["strength"] == strongest]
    for recipe in style.order_recipes(by_shift["recipe"]):
        control = rows_of[(rows_of["recipe"] == recipe) & metrics.is_control(rows_of)]
        if len(control):
            interval = metrics.paired_change(control, rows_of)
            rows.append({"tier": "control", "shift": CONTROL, **_row(recipe, interval)})
        for tier in style.TIER_LABELS:
            shifts = _lines_of(by_shift, recipe, tier)
            total = _lines_of(by_tier, recipe, tier)
            if len(shifts) and tier in paper.SHIFTS:
                key = {"tier": tier, "shift": ALL_SHIFTS}
                rows.append({**key, **_row(recipe, _interval(total.iloc[0], "paired_change"))})
                rows += [{**key, **row} for row in _paper_row(recipe, "accuracy_change", tier)]
            for _, line in sorted(shifts.iterrows(), key=lambda item: style.shift_rank(item[1]["shift"])):
                rows.append({"tier": tier, "shift": line["shift"], **_row(recipe, _interval(line, "paired_change"))})
    return _not_empty(pd.DataFrame(rows, columns=["tier", "shift", *COLUMNS]), "shifted records with clean twins")


def fig6_data(logs: Mapping[str, Path | str | Sequence[dict]]) -> pd.DataFrame:
    """Return what figure 6 draws: per recipe and step the value, running median, 10th and 90th percentile, and n."""
    parts = []
    for recipe in style.order_recipes(logs):
        metric = CURVES.get(recipe, "loss")
        rows = [row for row in _read_log(logs[recipe]) if "step" in row and _is_number(row.get(metric))]
        series = pd.Series({row["step"]: row[metric] for row in rows}, dtype=float).sort_index()
        rolling = series.rolling(max(3, len(series) // 15), center=True, min_periods=1)
        part = pd.DataFrame(
            {"step": series.index, "value": series.to_numpy(), "n": rolling.count().astype(int).to_numpy()}
        )
        part["median"], part["low"], part["high"] = (rolling.quantile(q).to_numpy() for q in (0.5, 0.1, 0.9))
        part.insert(0, "recipe", recipe)
        part.insert(1, "metric", metric)
        parts.append(part)
    data = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    return _not_empty(data, "training logs with a loss or a reward")


def _row(recipe: str, interval: Interval, source: str = "measured") -> dict:
    return dict(zip(COLUMNS, [recipe, source, interval.n, interval.estimate, interval.low, interval.high], strict=True))


def _paper_row(recipe: str, metric: str, tier: str) -> list[dict]:
    """Return the paper's number as a row; PAFT's changes are left out, their reference model is unknown."""
    value = paper.reported(recipe, metric, tier)
    if math.isnan(value) or (recipe == "paft" and metric == "accuracy_change"):
        return []
    return [_row(recipe, Interval(value, math.nan, math.nan, 0), "paper")]


def _interval(line: pd.Series, metric: str) -> Interval:
    return Interval(
        *(float(line[f"{metric}_{field}"]) for field in ("estimate", "low", "high")), int(line[f"{metric}_n"])
    )


def _lines_of(table: pd.DataFrame, recipe: str, tier: str) -> pd.DataFrame:
    return table[(table["recipe"] == recipe) & (table["tier"] == tier) & (table["paired_change_n"] > 0)]


def _not_empty(data: pd.DataFrame, expected: str) -> pd.DataFrame:
    if not len(data):
        raise DataError(f"figure: expected {expected}, found none; run the training and evaluation notebooks first")
    return data


def _read_log(log: Path | str | Sequence[dict]) -> list[dict]:
    if not isinstance(log, Path | str):
        return list(log)
    if not Path(log).exists():
        raise DataError(f"expected a training log at {log}, found no file; run the training notebook first")
    rows = []
    for line in Path(log).read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return [row for row in rows if isinstance(row, dict)]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
