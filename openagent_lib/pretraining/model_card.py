"""Keep the tables of a backbone's model card equal to its log and its scores."""

import json
from pathlib import Path

from openagent_lib.errors import DataError
from openagent_lib.paths import fill_blocks
from openagent_lib.pretraining.curve import corpus_rows, read_log, score_table
from openagent_lib.pretraining.loop import LOG
from openagent_lib.report.tables import to_markdown

CARD = "README.md"
SCORES = "scores.json"


def update(folder: Path) -> bool:
    """Fill the blocks `<!-- NAME -->` ... `<!-- /NAME -->` of a backbone's card.

    Args:
        folder: The backbone, with its card, its log and its scores.

    Returns:
        Whether the card changed.

    Raises:
        DataError: The card, one of its blocks, the log or the scores are missing.
    """
    card = folder / CARD
    if not card.is_file():
        raise DataError(f"expected the model card at {card}, found none: git checkout -- {card}")
    return fill_blocks(card, blocks(folder))


def blocks(folder: Path) -> dict[str, str]:
    """Return the text of every block by its name."""
    try:
        scores = json.loads((folder / SCORES).read_text(encoding="utf-8"))
        tables = {
            "measures": score_table(scores["measures"], "measure", "%"),
            "skills": score_table(scores["skills"]),
            "zero-shot": score_table(scores["zero_shot"], "tier", "success %"),
        }
    except (OSError, ValueError, KeyError) as problem:
        raise DataError(
            f"expected scores with those of the evaluation at {folder / SCORES}, found {type(problem).__name__}; make "
            f"them with: python -m openagent_lib pretrain score --tasks --model {folder} --out {folder / SCORES}"
        ) from None
    counts = f"n per skill: {scores['n']}, seed {scores['seed']}."
    return {"run": _run(read_log(folder / LOG)), "counts": counts} | {
        name: to_markdown(table) for name, table in tables.items()
    }


def _run(rows: dict[str, list[dict]]) -> str:
    start, end = rows["start"][0], rows["end"][0]
    settings, last, minutes = start["settings"], rows["train"][-1], end["seconds"] / 60
    cores = settings["processes"] * start["threads"]
    corpus = next(iter(corpus_rows(rows)), last)
    return (
        f"{start['parameters'] / 1e6:.2f} million parameters: {settings['layers']} layers, width {settings['hidden']}, "
        f"{settings['heads']} heads, {start['vocabulary']:,} tokens. {end['tokens'] / 1e6:.1f} million training tokens "
        f"in {end['step']:,} steps and {minutes:.0f} minutes of optimisation on {cores} cores; "
        f"the drills alone took {corpus['tokens'] / 1e6:.1f} million. At the end the corpus stood at difficulty "
        f"{last['difficulty']:.2f} and the running share of right tools in it at {last['right_tool']:.2f}."
    )
