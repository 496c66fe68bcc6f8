"""Ablations: the same short pre-training with one part changed at a time, on equal tokens."""

import json
from pathlib import Path

import pandas as pd

from openagent_lib.errors import DataError
from openagent_lib.evaluation.statistics import Interval, wilson
from openagent_lib.paths import write_atomic
from openagent_lib.pretraining.curve import read_log
from openagent_lib.pretraining.loop import LOG, pretrain
from openagent_lib.pretraining.score import score_measures

TOKENS = 8_000_000
FILE = "ablations.json"

# What is changed: the settings that differ from the defaults. The second row shows what chance alone changes.
CHANGES: dict[str, dict[str, object]] = {
    "nothing": {},
    "nothing, another seed": {"seed": 1000},
    "no composed sentences": {"composed": 0.0},
    "no guides": {"guide": 0.0},
    "no drills": {"drills": False},
    "no induction heads": {"induction": False},
    "words of the corpus as whole tokens": {"whole_words": True, "vocabulary": 2000},
    "4 layers instead of 6": {"layers": 4},
    "rotary base 10,000 instead of 1,000,000": {"rope_theta": 1e4},
    "4 heads of 32 instead of 2 of 64": {"heads": 4, "head_width": 32},
}
MEASURED = {
    "copied": "unseen string of 12 to 20 characters copied exactly",
    "right tool of 2": "right tool of 2, by its document",
    "right tool of 5": "right tool of 5, by its document",
}


def ablate(out: Path, tokens: int = TOKENS, n: int = 100, seed: int = 0, **overrides: object) -> Path:
    """Pre-train once per change, score, and write `ablations.json`.

    Goes on where it was stopped: a change in the file is done, and a pre-training resumes from its checkpoint.

    Args:
        out: Folder for the file and the backbones.
        tokens: Tokens of every training; the rate falls to zero within them.
        n: Episodes per measure, on held-out words and templates.
        seed: Seed of training and episodes.
        **overrides: Settings of all trainings.

    Returns:
        The file: `tokens`, `n`, `seed`, and per change its seconds of optimisation and the counts of each measure.

    Raises:
        DataError: The file belongs to other tokens, n or seed.
    """
    path = Path(out) / FILE
    stated = {"tokens": tokens, "n": n, "seed": seed}
    result: dict[str, object] = {**stated, "changes": {}}
    if path.exists():
        result = json.loads(path.read_text(encoding="utf-8"))
        found = {name: result.get(name) for name in stated}
        if found != stated:
            raise DataError(
                f"expected ablations with {stated} at {path}, found {found}: delete it or choose another --out"
            )
    for number, (change, settings) in enumerate(CHANGES.items()):
        if change in result["changes"]:
            continue
        print(f"ablation {number + 1} of {len(CHANGES)}: {change}", flush=True)
        recipe = {"seed": seed, "tokens": tokens, **overrides, **settings}
        folder = pretrain(Path(out) / f"change_{number}", **recipe)
        measures = score_measures(folder, MEASURED.values(), n, seed)
        seconds = read_log(folder / LOG)["end"][0]["seconds"]
        counts = {short: measures[label]["count"] for short, label in MEASURED.items()}
        result["changes"][change] = {"seconds": seconds, **counts}
        write_atomic(path, json.dumps(result, indent=1) + "\n")
    return path


def ablation_table(path: Path | str) -> pd.DataFrame:
    """Return the table of `ablations.json`: change, million tokens, minutes, and the measures.

    A measure is text: percent with its 95 % Wilson interval, as in `45 [34, 57]`.

    Raises:
        DataError: The file is missing or damaged.
    """
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        rows = [
            (
                change,
                found["tokens"] / 1e6,
                round(row["seconds"] / 60, 1),
                *(_percent(wilson(row[name], found["n"])) for name in MEASURED),
            )
            for change, row in found["changes"].items()
        ]
    except (OSError, ValueError, KeyError) as problem:
        fix = "make it with: python -m openagent_lib pretrain ablate"
        raise DataError(f"expected ablations at {path}, found {type(problem).__name__}; {fix}") from None
    return pd.DataFrame(rows, columns=["change", "million tokens", "minutes", *(f"{name} %" for name in MEASURED)])


def _percent(rate: Interval) -> str:
    estimate, low, high = (round(100 * value) for value in (rate.estimate, rate.low, rate.high))
    return f"{estimate} [{low}, {high}]"
