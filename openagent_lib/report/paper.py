"""The numbers that the paper is reported to have measured, from `data/paper`; none of them was measured here."""

from pathlib import Path

import pandas as pd

from openagent_lib import paths
from openagent_lib.errors import DataError

BACKBONE = "Qwen2.5-7B"
TABLES = ("tier_averages", "paft", "mixing_ratio", "statements")
COLUMNS = ("source", "mark", "model", "metric", "tier", "step", "alpha", "value", "unit", "note")
MARKS = ("paper", "digest", "inferred")
# The shifts behind the paper's tier averages, as far as its Figure 3 names them; Domain Transfer is not among them.
SHIFTS = {
    "perception": (
        "instruction_blurring", "information_redundancy", "schema_adaptability", "symbolic_drift", "semantic_trap",
        "identity_erasure",
    ),
    "interaction": ("format_shift", "error_message", "null_message", "value_redirection", "tool_redirection"),
    "reasoning": ("trace_simplification", "logic_inversion", "rule_reasoning"),
}  # fmt: skip
REFUSALS = ("missing_condition", "fatal_error")
# Named in the official README only, so no number of the paper is known to include them.
EXTRAS = {"perception": ("distractor_tools", "tool_name_noise", "verification_code")}
FIX = "restore it with git checkout data/paper"
CELL = ["model", "metric", "tier"]


def shifts_of(cell: str) -> tuple[str, ...]:
    """Return the names of the shifts that a reported number stands for, in the paper's order.

    Args:
        cell: `closed_set`, a tier, or `tier.kind` for one shift. Of the last tier the two that must be refused.

    Assumption: the paper's averages hold the shifts that its Figure 3 names, and nothing else.
    """
    if cell == "closed_set":
        return ("clean",)
    kinds = {**SHIFTS, "internalization": REFUSALS}.get(cell)
    return (cell,) if kinds is None else tuple(f"{cell}.{kind}" for kind in kinds)


def load_table(name: str, folder: Path | str | None = None) -> pd.DataFrame:
    """Return one file of reported numbers.

    Args:
        name: One of `TABLES`.
        folder: Folder of the CSV files; the repository's `data/paper` by default.

    Returns:
        Columns `COLUMNS` and `direction` (empty text where the file has none); `value` is in the row's `unit`, nan for
        a statement without a number.

    Raises:
        DataError: The file is missing, lacks a column, or carries an unknown mark.
    """
    path = Path(folder or paths.PAPER) / f"{name}.csv"
    if name not in TABLES or not path.exists():
        raise DataError(f"expected a table of {', '.join(TABLES)}, found {name!r}; {FIX}")
    table = pd.read_csv(path)
    missing = [column for column in COLUMNS if column not in table]
    if missing or not set(table["mark"]) <= set(MARKS):
        raise DataError(f"{path.name}: expected columns {', '.join(COLUMNS)}, marks {', '.join(MARKS)}; {FIX}")
    if "direction" not in table:
        table["direction"] = ""
    text = ["source", "mark", "model", "metric", "tier", "unit", "note", "direction"]
    table[text] = table[text].astype(object).where(table[text].notna(), "")
    return table[[*COLUMNS, "direction"]].astype({"step": float, "alpha": float, "value": float})


def load_all(folder: Path | str | None = None) -> pd.DataFrame:
    """Return all tables below each other, with the file's name in column `table`."""
    return pd.concat([load_table(name, folder).assign(table=name) for name in TABLES], ignore_index=True)


def final_cells(folder: Path | str | None = None) -> pd.DataFrame:
    """Return one reported cell per model, metric and tier: of the last reported step, or a statement.

    Returns:
        The columns of `load_table`, one row per cell, in the order base, sft, paft, then statements.
    """
    numbers = pd.concat([load_table("tier_averages", folder), load_table("paft", folder)], ignore_index=True)
    step = numbers["step"].fillna(-1)
    numbers = numbers[step == step.groupby(numbers["model"]).transform("max")]
    statements = load_table("statements", folder)
    statements = statements[(statements["direction"] != "") & statements["value"].isna()]
    return pd.concat([numbers, statements], ignore_index=True).drop_duplicates(CELL, ignore_index=True)


def reported(model: str, metric: str, tier: str, folder: Path | str | None = None) -> float:
    """Return the reported number of a model's final checkpoint, nan where none is known.

    Args:
        model: Recipe name.
        metric: `accuracy_change` (points or percent, which of the two is unknown) or `refusal_rate` (percent).
        tier: Tier name, or `tier.kind` for one shift.
        folder: Folder of the CSV files.
    """
    cells = final_cells(folder)
    match = cells[(cells["model"] == model) & (cells["metric"] == metric) & (cells["tier"] == tier)]
    return float(match["value"].iloc[0]) if len(match) else float("nan")
