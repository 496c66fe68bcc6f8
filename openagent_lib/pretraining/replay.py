"""Run the first part of a logged pre-training again and compare: is the log what the code does?"""

import dataclasses
from pathlib import Path

import pandas as pd

from openagent_lib.errors import DataError
from openagent_lib.pretraining.curve import read_log
from openagent_lib.pretraining.loop import LOG, pretrain
from openagent_lib.pretraining.trainer import Settings

SHARE = 0.02
TOLERANCE = 0.1
COLUMNS = ("step", "tokens", "right_tool", "right_tool_again")


def replay(log: Path, out: Path, share: float = SHARE) -> pd.DataFrame:
    """Train again from the start, under the settings of a log, and stop at a share of its tokens.

    Args:
        log: The log, `pretrain_log.jsonl`.
        out: Folder for the second run; whatever pre-training is there is overwritten.
        share: Share of the logged tokens, above 0 and at most 1. At least one logged row must lie within it.

    Returns:
        One row per logged step: `step, tokens`, and the running share of right tools, logged and found again.

    Raises:
        DataError: The log is missing, is of other settings than this code knows, or has no row within the share.
    """
    rows = read_log(log)
    stated = rows["start"][0]["settings"]
    names = {field.name for field in dataclasses.fields(Settings)}
    if not set(stated) <= names:
        unknown = ", ".join(sorted(set(stated) - names))
        raise DataError(f"expected the settings of this version in {log}, found {unknown}: check out its own version")
    end = rows["train"][-1]["tokens"] * share
    logged = [row for row in rows["train"] if row["tokens"] <= end]
    if not logged:
        raise DataError(f"expected a row of {log} within {share:.0%} of its tokens, found none: take a larger share")
    pretrain(out, resume=False, max_steps=logged[-1]["step"], **{**stated, "score_episodes": 0})
    again = {row["step"]: row for row in read_log(out / LOG)["train"]}
    table = [(row["step"], row["tokens"], row["right_tool"], again[row["step"]]["right_tool"]) for row in logged]
    return pd.DataFrame(table, columns=list(COLUMNS))


def agrees(table: pd.DataFrame, tolerance: float = TOLERANCE) -> bool:
    """Tell whether the last common step has the same share of right tools, up to a tolerance."""
    last = table.iloc[-1]
    return bool(abs(last["right_tool"] - last["right_tool_again"]) <= tolerance)
