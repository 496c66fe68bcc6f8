"""The parts of the data card that are computed from the tasks and the pools, so that they stay true."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from openagent_lib.errors import DataError
from openagent_lib.evaluation.records import tier_of
from openagent_lib.evaluation.suite import TaskSet
from openagent_lib.paths import fill_blocks
from openagent_lib.sandbox.dataset import COLUMNS
from openagent_lib.sandbox.domain import POOLS, Domain, Pool
from openagent_lib.sandbox.domains.registry import DOMAINS
from openagent_lib.sandbox.grammar import forms
from openagent_lib.sandbox.graph import SHAPES
from openagent_lib.sandbox.task import CLEAN, Task
from openagent_lib.shifts.catalogue import SHIFTS

LONGEST_EXAMPLE = 160


def update(path: Path, parts: Mapping[str, TaskSet]) -> bool:
    """Fill the blocks `<!-- NAME -->` ... `<!-- /NAME -->` of a data card.

    Args:
        path: The card.
        parts: The benchmark that it describes.

    Returns:
        Whether the file changed.

    Raises:
        DataError: The card or one of its blocks is missing.
    """
    if not path.is_file():
        raise DataError(f"expected the data card at {path}, found none: git checkout -- {path.name}")
    return fill_blocks(path, blocks(parts))


def blocks(parts: Mapping[str, TaskSet]) -> dict[str, str]:
    """Return the text of every block by its name."""
    return {
        "hashes": _hashes(parts),
        "example": _example(parts["eval"].tasks),
        "composition": _composition(parts["eval"].tasks),
        "shapes": _shapes(parts),
        "pools": _pools(),
        "words": _words(),
    }


def stated_hashes(card: str) -> dict[str, str]:
    """Return the content hash of each part that a card states, by the part's name."""
    return dict(re.findall(r"^\| `(\w+)\.parquet` .*\| `([0-9a-f]{64})` \|$", card, re.MULTILINE))


def _hashes(parts: Mapping[str, TaskSet]) -> str:
    rows = [(f"`{name}.parquet`", f"{len(part.tasks):,}", f"`{part.hash}`") for name, part in parts.items()]
    return _table(("file", "rows", "content hash (SHA-256)"), rows)


def _example(tasks: Sequence[Task]) -> str:
    task = tasks[0]
    values = {
        "task_id": task.id,
        "base_id": task.base_id,
        "solvable": task.is_solvable,
        "gold_calls": len(task.gold_chain),
        "messages": "[system prompt, query]",
        "tools": f"[{', '.join(tool.name for tool in task.tools)}], each a JSON schema",
        "task": task.to_json(),
    }
    rows = []
    for name in (*COLUMNS, "messages", "tools", "task"):
        text = str(values[name] if name in values else getattr(task, name))
        rows.append((f"`{name}`", text if len(text) <= LONGEST_EXAMPLE else f"{text[:LONGEST_EXAMPLE]}..."))
    return _table(("column", "value"), rows)


def _composition(tasks: Sequence[Task]) -> str:
    rows = [(f"`{CLEAN}`", tier_of(CLEAN), "-", "yes", "accuracy", *_share(tasks, CLEAN))]
    for name, shift in SHIFTS.items():
        solvable = "yes" if shift.is_solvable else "no"
        rows.append(
            (f"`{name}`", shift.tier, f"`{shift.dimension}`", solvable, f"`{shift.metric}`", *_share(tasks, name))
        )
    head = ("shift", "tier", "dimension", "solvable", "metric", "n", "shapes")
    return _table(head, [*rows, ("all", "", "", "", "", len(tasks), "")])


def _share(tasks: Iterable[Task], shift: str) -> tuple[int, str]:
    shapes = Counter(task.shape for task in tasks if task.shift == shift)
    return shapes.total(), ", ".join(f"{name} {shapes[name]}" for name in SHAPES if shapes[name])


def _shapes(parts: Mapping[str, TaskSet]) -> str:
    counts = {name: Counter(task.shape for task in part.tasks) for name, part in parts.items()}
    clean = Counter(task.shape for task in parts["eval"].tasks if task.shift == CLEAN)
    rows = []
    for name, shape in SHAPES.items():
        chain = " > ".join(function for function, _ in shape.chain)
        rows.append((f"`{name}`", f"`{chain}`", counts["train"][name], clean[name], counts["eval"][name]))
    return _table(("shape", "functions of the chain", "train", "clean eval", "all eval"), rows)


def _pools() -> str:
    rows = []
    for name, shift in SHIFTS.items():
        sizes = [set(shift.patterns(pool)) for pool in POOLS]
        rows.append((f"`{name}`", len(sizes[0]), len(sizes[1]), len(sizes[0] & sizes[1])))
    return _table(("shift", "train patterns", "test patterns", "in both"), rows)


def _words() -> str:
    rows = []
    for domain in DOMAINS.values():
        for kind, pools in _domain_pools(domain).items():
            counts = [sum(len(pool[name]) for pool in pools) for name in POOLS]
            rows.append((domain.name, kind, *counts))
        surface = [sum(len(forms(text)) for pool in domain.queries.values() for text in pool[name]) for name in POOLS]
        rows.append((domain.name, "surface forms of the query templates", *surface))
    return _table(("domain", "words", "train", "test"), rows)


def _domain_pools(domain: Domain) -> dict[str, list[Pool]]:
    return {
        "query templates": list(domain.queries.values()),
        "vague query templates": list(domain.blurred_queries.values()),
        "vague attributes": list(domain.blurred_attributes.values()),
        "inverted query templates": list(domain.inverted_queries.values()),
        "vague conditions": list(domain.vague.values()),
        "other tool names": [text.names for text in domain.tools],
        "other tool documents": [text.descriptions for text in domain.tools],
        "inverted tool documents": [text.descriptions for text in domain.inverted.values()],
        "near-miss tools": [domain.decoys],
    }


def _table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)
