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
    """Return what figure 4 draws: one row per group of shifts and recipe in percent, and the paper's refusal rates.

    A group is a tier with the paper's shifts alone, or the shifts of a tier that no number of the paper includes;
    column `shifts` says which.
    """
    rows_of, rows = metrics.final(frame), []
    rows_of = rows_of[~metrics.is_control(rows_of)]
    rows_of = rows_of[rows_of["strength"] == rows_of.groupby("shift")["strength"].transform("max")]
    for tier, shifts, note in _groups(rows_of):
        metric = "refusal_rate" if set(shifts) <= set(paper.shifts_of("internalization")) else "accuracy"
        group = rows_of[rows_of["shift"].isin(shifts)]
        for recipe in style.order_recipes(group["recipe"]):
            interval = metrics.METRICS[metric](group[group["recipe"] == recipe])
            if interval.n:
                key = {"tier": tier, "shifts": note, "metric": metric}
                rows.append({**key, **_row(recipe, interval.scale(100))})
                rows += [
                    {**key, **row} for row in (_paper_row(recipe, metric, tier) if metric == "refusal_rate" else ())
                ]
    return _not_empty(pd.DataFrame(rows, columns=["tier", "shifts", "metric", *COLUMNS]), "records of final models")


def _groups(frame: pd.DataFrame) -> list[tuple[str, list[str], str]]:
    """Return tier, shifts and a note for every group of shifts that has records, in the paper's order."""
    groups, present = [], set(frame["shift"])
    for tier in style.TIER_LABELS:
        shifts = paper.shifts_of(tier)
        held = [shift for shift in shifts if shift in present]
        rest = sorted(set(frame.loc[frame["tier"] == tier, "shift"]) - set(shifts), key=style.shift_rank)
        if held:
            groups.append((tier, held, "" if tier == "closed_set" else style.coverage(len(held), len(shifts))))
        if rest:
            groups.append((tier, rest, style.shift_label(rest[0]) if len(rest) == 1 else f"{len(rest)} extra"))
    return groups


def fig5_data(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what figure 5 draws: the change per recipe and shift or tier, in percentage points, and the paper's.

    The line of a tier averages the paper's shifts of that tier and no others.
    """
    rows_of, rows = metrics.final(frame), []
    by_shift = metrics.summary(rows_of, ("paired_change",))
    averaged = ["clean", *(shift for tier in paper.SHIFTS for shift in paper.shifts_of(tier))]
    by_tier = metrics.tier_summary(rows_of[rows_of["shift"].isin(averaged)], ("paired_change",))
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
            if len(total) and tier in paper.SHIFTS:
                key = {"tier": tier, "shift": ALL_SHIFTS}
                rows.append({**key, **_row(recipe, _interval(total.iloc[0], "paired_change"))})
                rows += [{**key, **row} for row in _paper_row(recipe, "accuracy_change", tier)]
            for _, line in sorted(shifts.iterrows(), key=lambda item: style.shift_rank(item[1]["shift"])):
                rows.append({"tier": tier, "shift": line["shift"], **_row(recipe, _interval(line, "paired_change"))})
    return _not_empty(pd.DataFrame(rows, columns=["tier", "shift", *COLUMNS]), "shifted records with clean twins")


def dose_data(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what the dose-response figure draws: success in percent per recipe, shift and strength.

    Every shift starts with the clean twins of its own tasks, as strength 0.

    Raises:
        DataError: There is no shifted record, or there are shifts of several tiers.
    """
    played, rows = metrics.shifted(frame), []
    tiers = sorted(set(played["tier"]))
    if len(tiers) > 1:
        raise DataError(f"figure: expected shifts of one tier, found {', '.join(tiers)}: filter the frame by tier")
    clean = frame[frame["shift"] == metrics.CLEAN]
    for recipe in dict.fromkeys(played["recipe"]):
        for shift in sorted(set(played["shift"]), key=style.shift_rank):
            part = played[(played["recipe"] == recipe) & (played["shift"] == shift)]
            twins = clean[(clean["recipe"] == recipe) & clean["base_task_id"].isin(part["base_task_id"])]
            for strength, group in pd.concat([twins, part]).groupby("strength"):
                key = {"tier": tiers[0], "shift": shift, "strength": strength}
                rows.append({**key, **_row(recipe, metrics.accuracy(group).scale(100))})
    return _not_empty(pd.DataFrame(rows, columns=["tier", "shift", "strength", *COLUMNS]), "records of shifted tasks")


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
