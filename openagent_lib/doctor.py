"""A check of the machine: what is there, what is missing, and the command that fixes it."""

import importlib.util
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from openagent_lib import paths
from openagent_lib.agents import smollm2
from openagent_lib.errors import CheckpointError, DataError
from openagent_lib.pipeline import artefact, machine

ENVIRONMENT = "make env"
BACKBONE_FIX = "git checkout -- data/backbone, or make pretrain"
TASKS_FIX = "git checkout -- data/tasks data/DATA_CARD.md, or python -m openagent_lib data build"
BACKBONE_FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja")
SUMS = "SHA256SUMS"
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    Attributes:
        subject: What was looked at.
        found: What was found.
        fix: Command that puts it right; empty where nothing is wrong.
        required: Whether a reproduction at profile `cpu` fails without it.
    """

    subject: str
    found: str
    fix: str = ""
    required: bool = True

    def line(self) -> str:
        """Return the finding as text."""
        mark = "ok  " if not self.fix else "MISS" if self.required else "note"
        return f"{mark} {self.subject:<12} {self.found}" + (f"  ->  {self.fix}" if self.fix else "")


def pins(lock: Path) -> dict[str, str]:
    """Return the version of each package that the lock file pins."""
    return dict(PIN.findall(lock.read_text(encoding="utf-8")))


def _python() -> Finding:
    fits = (3, 11) <= sys.version_info < (3, 13)
    found = f"{platform.python_version()} in {sys.prefix}"
    return Finding("python", found, "" if fits else "install Python 3.11 or 3.12, then make env")


def _packages(lock: Path) -> Iterator[Finding]:
    if not lock.is_file():
        yield Finding("packages", f"no {lock.name}", f"git checkout -- {lock.name}")
        return
    wrong = []
    for name, version in pins(lock).items():
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            installed = "missing"
        if installed.split("+")[0] != version:
            wrong.append(f"{name} {installed} (lock: {version})")
    shown = ", ".join(wrong[:5]) + (f" and {len(wrong) - 5} more" if len(wrong) > 5 else "")
    yield Finding("packages", shown or f"{len(pins(lock))} as in {lock.name}", ENVIRONMENT if wrong else "")
    versions = ", ".join(f"{name} {version}" for name, version in machine.versions().items() if name != "python")
    yield Finding("versions", versions or "none of ours")


def _device() -> Finding:
    if not machine.gpus():
        return Finding("device", f"{machine.device()}; no NVIDIA GPU: profiles smoke, cpu, laptop")
    if importlib.util.find_spec("torch") is None:
        return Finding("device", f"{machine.device()}; torch is missing", ENVIRONMENT)
    import torch

    if torch.cuda.is_available():
        return Finding("device", f"{machine.device()}; torch sees it: every profile")
    return Finding(
        "device", f"{machine.device()}; torch {torch.__version__} cannot use it", "make env TORCH=cuda", False
    )


def _backbone(folder: Path) -> Finding:
    """Check that the miniature is whole and that every file is the one that its list of hashes names."""
    missing = [name for name in (*BACKBONE_FILES, SUMS) if not (folder / name).is_file()]
    if missing:
        return Finding("backbone", f"miniature: {', '.join(missing)} missing", BACKBONE_FIX)
    expected = {
        name: value for value, name in re.findall(r"^(\w{64})  (\S+)$", (folder / SUMS).read_text(), re.MULTILINE)
    }
    wrong = [name for name in BACKBONE_FILES if artefact.digest(folder / name) != expected.get(name)]
    if wrong:
        return Finding("backbone", f"miniature: {', '.join(wrong)} not as in {SUMS}", BACKBONE_FIX)
    return Finding("backbone", f"miniature, sha256 {expected['model.safetensors'][:12]}")


def _tasks(folder: Path, card: Path) -> Finding:
    """Check that the released tasks match their own content hashes and those that the data card states."""
    if importlib.util.find_spec("pyarrow") is None:
        return Finding("tasks", "not read: pyarrow is missing", ENVIRONMENT, required=False)
    from openagent_lib.evaluation.data_card import stated_hashes
    from openagent_lib.evaluation.suite import read_benchmark

    try:
        parts = read_benchmark(folder)
    except DataError as problem:
        return Finding("tasks", str(problem).rpartition(": ")[0], TASKS_FIX, required=False)
    stated = stated_hashes(card.read_text(encoding="utf-8")) if card.is_file() else {}
    wrong = [name for name, part in parts.items() if stated.get(name) != part.hash]
    if wrong:
        return Finding("tasks", f"{', '.join(wrong)} not as in {card.name}", TASKS_FIX, required=False)
    sizes = ", ".join(f"{name} {len(part.tasks):,}" for name, part in parts.items())
    return Finding("tasks", f"{sizes}, content hashes as in {card.name}")


def _notebooks(folder: Path) -> Finding:
    from openagent_lib.pipeline.stage import STAGES

    missing = [stage.name for stage in STAGES if not (folder / stage.notebook).is_file()]
    fix = "python -m openagent_lib notebooks build" if missing else ""
    return Finding("notebooks", f"missing: {', '.join(missing)}" if missing else f"{len(STAGES)} of the chain", fix)


def _unsloth() -> Finding:
    there = importlib.util.find_spec("unsloth") is not None
    wanted = bool(machine.gpus()) and not there
    found = "installed" if there else "not installed; only the profiles gpu and paper use it"
    return Finding("unsloth", found, "make env TORCH=cuda EXTRAS=gpu" if wanted else "", required=False)


def _laptop() -> Finding:
    """Look for SmolLM2's model folder, or else for the packages that it is made from."""
    folder = smollm2.cached_folder()
    try:
        if folder.exists():
            smollm2.check(folder)
            return Finding("laptop", f"SmolLM2-135M-Instruct in {folder}")
        smollm2.packaged_file()
    except CheckpointError as problem:
        found, _, fix = str(problem).rpartition(": ")
        return Finding("laptop", f"{found}; only the profile laptop uses it", fix, required=False)
    return Finding("laptop", f"SmolLM2-135M-Instruct installed; first use writes 0.5 GB into {folder}")


def examine(root: Path = paths.ROOT) -> list[Finding]:
    """Return the findings about this machine and the repository in a folder."""
    return [
        _python(),
        *_packages(root / paths.LOCK.name),
        _device(),
        _backbone(root / paths.BACKBONE.relative_to(paths.ROOT)),
        _tasks(root / paths.TASKS.relative_to(paths.ROOT), root / paths.DATA_CARD.relative_to(paths.ROOT)),
        _notebooks(root / paths.NOTEBOOKS.name),
        _unsloth(),
        _laptop(),
    ]


def report(root: Path = paths.ROOT) -> int:
    """Print the findings.

    Returns:
        0 where nothing that is required is missing, 1 otherwise.
    """
    findings = examine(root)
    for finding in findings:
        print(finding.line())
    missing = [finding for finding in findings if finding.fix and finding.required]
    print(f"{len(missing)} required thing(s) missing" if missing else "ready")
    return 1 if missing else 0
