"""The paper's metrics from a frame of records, each with n and an interval; errors of infrastructure are not scored."""

from collections.abc import Callable, Sequence

import pandas as pd

from openagent_lib.errors import DataError
from openagent_lib.evaluation import statistics
from openagent_lib.evaluation.records import NO_STEP, TIERS
from openagent_lib.evaluation.statistics import EMPTY, Interval

CLEAN = "clean"
ARM = ["recipe", "step", "shift", "tier", "strength"]
TIER_ARM = ["recipe", "step", "tier"]
TWIN = ["recipe", "step", "seed", "base_task_id"]
FIELDS = ("n", "estimate", "low", "high")


def scored(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that say something about the model: all but outcome `error`."""
    return frame[frame["outcome"] != "error"]


def is_control(frame: pd.DataFrame) -> pd.Series:
    """Return which rows belong to the strength-0 control arm: a shift applied with strength 0."""
    return (frame["shift"] != CLEAN) & (frame["strength"] == 0)


def shifted(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a shift at a strength above 0."""
    return frame[(frame["shift"] != CLEAN) & (frame["strength"] > 0)]


def final(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of each recipe's final model: those without a step, or else those of its last step."""
    last = frame.groupby("recipe")["step"].transform(lambda steps: NO_STEP if (steps == NO_STEP).any() else steps.max())
    return frame[frame["step"] == last]


def accuracy(frame: pd.DataFrame) -> Interval:
    """Return the share of successful episodes; on an unsolvable task success is a refusal.

    Over the rows of one tier this is the tier's accuracy: the mean over all its episodes.

    Paper: Acc, appendix C (the exact matcher is not known to us).
    Assumption: a tier weighs its episodes, not its shifts, equally.
    """
    return _rate(scored(frame), "success")


def refusal_rate(frame: pd.DataFrame) -> Interval:
    """Return the share of unsolvable tasks that were refused.

    Paper: RR, Tier 4.
    """
    rows = scored(frame)
    return _outcome_rate(rows[~rows["solvable"].astype(bool)], "refused")


def over_refusal(frame: pd.DataFrame) -> Interval:
    """Return the share of solvable tasks that were refused.

    Assumption: reported beside the refusal rate; the paper was not seen to report it.
    """
    rows = scored(frame)
    return _outcome_rate(rows[rows["solvable"].astype(bool)], "refused")


def tool_error_rate(frame: pd.DataFrame) -> Interval:
    """Return invalid calls over all calls; n is the number of episodes with a call.

    Paper: TER (name only).
    Assumption: invalid means unknown tool, wrong keys, wrong code, an argument that names nothing, or a malformed call.
    """
    rows = scored(frame)
    return statistics.cluster_ratio(rows["n_tool_errors"], rows["n_calls"], rows["base_task_id"], bounds=(0.0, 1.0))


def active_exploration(frame: pd.DataFrame) -> Interval:
    """Return the share of anomalous observations that a changed or repeated valid call follows.

    n is the number of episodes with at least one anomaly.

    Paper: AES (name only).
    Assumption: this definition.
    """
    rows = scored(frame)
    return statistics.cluster_ratio(rows["n_explored"], rows["n_anomalies"], rows["base_task_id"], bounds=(0.0, 1.0))


def average_chain_length(frame: pd.DataFrame) -> Interval:
    """Return the mean number of tool calls per episode, invalid ones included.

    Paper: ATCL.
    """
    rows = scored(frame)
    return statistics.cluster_bootstrap(rows["n_calls"], rows["base_task_id"])


def pair_with_clean(frame: pd.DataFrame, clean: pd.DataFrame) -> pd.DataFrame:
    """Return solvable rows with their clean twin: same base task, recipe, seed and step.

    Args:
        frame: Rows under a shift.
        clean: Frame that holds the clean rows (others are ignored).

    Returns:
        The rows that have a twin, with column `success_clean` and `change` (-1, 0 or 1).

    Raises:
        DataError: A clean task occurs twice for one recipe, seed and step.
    """
    rows = scored(frame)
    twins = scored(clean[clean["shift"] == CLEAN])[[*TWIN, "success"]]
    if twins.duplicated(TWIN).any():
        task = twins[twins.duplicated(TWIN)].iloc[0]["base_task_id"]
        raise DataError(
            f"clean records: expected one per task, recipe, seed and step, found two of {task}; load each once"
        )
    pairs = rows[rows["solvable"].astype(bool)].merge(twins, on=TWIN, suffixes=("", "_clean"))
    pairs["change"] = pairs["success"].astype(float) - pairs["success_clean"].astype(float)
    return pairs


def paired_change(frame: pd.DataFrame, clean: pd.DataFrame) -> Interval:
    """Return the mean change against the clean twins, in percentage points; n is the number of pairs.

    Paper: Delta.
    Assumption: points against the same model's closed set, pair by pair; unsolvable tasks are left out because refusing
    and answering are different quantities.
    """
    pairs = pair_with_clean(frame, clean)
    interval = statistics.cluster_bootstrap(pairs["change"], pairs["base_task_id"], bounds=(-1.0, 1.0))
    return interval.scale(100)


METRICS: dict[str, Callable[[pd.DataFrame], Interval]] = {
    "accuracy": accuracy,
    "tool_error_rate": tool_error_rate,
    "active_exploration": active_exploration,
    "average_chain_length": average_chain_length,
    "refusal_rate": refusal_rate,
    "over_refusal": over_refusal,
}
ALL = (*METRICS, "paired_change")


def summary(frame: pd.DataFrame, names: Sequence[str] = ALL) -> pd.DataFrame:
    """Return one row per recipe and shift (and step and strength, where there are several).

    The strength-0 control arm is left out; see `strength_zero_control`.

    Args:
        frame: Records, clean ones included.
        names: The metrics to compute.

    Returns:
        Columns `recipe, step, shift, tier, strength, n_episodes, n_errors`, and for each metric the columns
        `<metric>_n`, `<metric>_estimate`, `<metric>_low`, `<metric>_high`. Rates are shares of 1, the paired change is
        in percentage points, the chain length in calls.
    """
    return _summarise(frame[~is_control(frame)], ARM, frame, names)


def tier_summary(frame: pd.DataFrame, names: Sequence[str] = ALL) -> pd.DataFrame:
    """Return the columns of `summary` with one row per recipe and tier, its shifts at full strength together.

    A tier holds the shifts that the frame holds: leave those out that an average must not contain.
    """
    rows = frame[~is_control(frame)]
    full = rows.groupby("shift")["strength"].transform("max")
    return _summarise(rows[rows["strength"] == full], TIER_ARM, frame, names)


def strength_zero_control(frame: pd.DataFrame) -> pd.DataFrame:
    """Compare each shift at strength 0 with the clean twins: the noise floor of every paired change.

    Returns:
        One row per recipe and shift: `n` pairs, `n_differ` pairs whose success differs (0 for deterministic decoding),
        and the paired change `estimate, low, high` in percentage points.
    """
    rows = []
    for arm, part in frame[is_control(frame)].groupby(["recipe", "step", "shift"], sort=True):
        pairs, change = pair_with_clean(part, frame), paired_change(part, frame)
        differ = int((pairs["change"] != 0).sum())
        rows.append([*arm, change.n, differ, change.estimate, change.low, change.high])
    return pd.DataFrame(rows, columns=["recipe", "step", "shift", "n", "n_differ", "estimate", "low", "high"])


def flip_summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Return, per recipe and shift, how many tasks flip between seeds.

    Returns:
        One row per recipe and shift: `n` tasks seen with at least two seeds, `n_flipped`, and their share with its
        Wilson interval `estimate, low, high`.
    """
    rows = []
    for arm, part in scored(frame).groupby(["recipe", "step", "shift", "strength"], sort=True):
        share = statistics.flips({task: list(group) for task, group in part.groupby("base_task_id")["success"]})
        flipped = round(share.estimate * share.n) if share.n else 0
        rows.append([*arm, share.n, flipped, share.estimate, share.low, share.high])
    columns = ["recipe", "step", "shift", "strength", "n", "n_flipped", "estimate", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def _summarise(rows: pd.DataFrame, keys: list[str], clean: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    lines = []
    for arm, part in rows.groupby(keys, sort=True):
        line = dict(zip(keys, arm, strict=True))
        line |= {"n_episodes": len(part), "n_errors": int((part["outcome"] == "error").sum())}
        for name in names:
            line |= _columns(name, METRICS[name](part) if name in METRICS else _change(part, clean))
        lines.append(line)
    columns = [*keys, "n_episodes", "n_errors"]
    columns += [f"{name}_{field}" for name in names for field in FIELDS]
    return _in_tier_order(pd.DataFrame(lines, columns=columns), keys)


def _change(part: pd.DataFrame, clean: pd.DataFrame) -> Interval:
    return EMPTY if (part["shift"] == CLEAN).all() else paired_change(part, clean)


def _in_tier_order(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    rank = table["tier"].map({tier: rank for rank, tier in enumerate(TIERS)}).fillna(len(TIERS))
    ordered = table.assign(_rank=rank).sort_values(["recipe", "step", "_rank", *keys[2:]], kind="stable")
    return ordered.drop(columns="_rank").reset_index(drop=True)


def _columns(name: str, interval: Interval) -> dict[str, float]:
    return {f"{name}_{field}": getattr(interval, field) for field in FIELDS}


def _rate(rows: pd.DataFrame, column: str) -> Interval:
    return statistics.rate(list(rows[column]), list(rows["base_task_id"]))


def _outcome_rate(rows: pd.DataFrame, outcome: str) -> Interval:
    return statistics.rate(list(rows["outcome"] == outcome), list(rows["base_task_id"]))
