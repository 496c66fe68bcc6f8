"""The tables of the README, written from a proven run so that they stay true."""

from pathlib import Path

import pandas as pd

from openagent_lib.paths import fill_blocks
from openagent_lib.pipeline import receipt
from openagent_lib.pipeline.progress import clock
from openagent_lib.pipeline.run import Run
from openagent_lib.report import paper
from openagent_lib.report.tables import count_verdicts, to_markdown

BLOCKS = ("notebooks", "results", "comparison")


def update(run: Run, path: Path) -> bool:
    """Fill the blocks `<!-- NAME -->` ... `<!-- /NAME -->` of a README from the receipts and tables of a run.

    Returns:
        Whether the file changed.

    Raises:
        DataError: A block is missing.
    """
    results = pd.read_csv(run.folder / "tables" / "results.csv")
    comparison = pd.read_csv(run.folder / "tables" / "comparison.csv")
    bodies = (notebook_table(run), result_table(results), comparison_text(comparison))
    return fill_blocks(path, dict(zip(BLOCKS, bodies, strict=True)))


def notebook_table(run: Run) -> str:
    """Return one row per notebook: link, question, what it writes, measured time."""
    rows = []
    for stage in run.project.stages:
        proof = receipt.read(run.folder, stage.name)
        writes = sorted({pattern.split("/")[0] for pattern in (*stage.writes, *stage.volatile)})
        link = f"[`{stage.name}`](notebooks/{stage.notebook})"
        rows.append([link, stage.question, ", ".join(f"`{name}/`" for name in writes) or "-", clock(proof.seconds)])
    return to_markdown(pd.DataFrame(rows, columns=["notebook", "question", "writes", "time"]))


def result_table(results: pd.DataFrame) -> str:
    """Return success by shift (rows) and recipe (columns) in percent, each with its 95 % interval."""
    from openagent_lib.config import RECIPES

    rows = []
    for shift in results["shift"].unique():
        part = results[results["shift"] == shift].set_index("recipe")
        cells = [
            f"{part.loc[recipe, 'rate']:.0f} [{part.loc[recipe, 'low']:.0f}, {part.loc[recipe, 'high']:.0f}]"
            for recipe in RECIPES
        ]
        rows.append([f"`{shift}`", part["metric"].iloc[0], int(part["n"].iloc[0]), *cells])
    return to_markdown(pd.DataFrame(rows, columns=["shift", "metric (%)", "n", *RECIPES]))


def comparison_text(comparison: pd.DataFrame) -> str:
    """Return the verdicts, what a cell averages, and the compared cells in a table."""
    counts = ", ".join(f"{count} {verdict}" for verdict, count in count_verdicts(comparison).items())
    shown = comparison[["recipe", "metric", "cell", "paper", "paper_says", "ours", "low", "high", "verdict"]]
    extras = ", ".join(f"`{tier}.{kind}`" for tier, kinds in paper.EXTRAS.items() for kind in kinds)
    averages = (
        "A tier averages the shifts that the paper names for it, the refusal rate of the last tier the two that must "
        f"be refused. {extras} are known from the official README only and are in no cell."
    )
    return f"Cells: {counts}. {averages}\n\n{to_markdown(shown)}"
