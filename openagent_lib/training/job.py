"""One training run on disk: its settings, its lock, where it resumes, and the proof that it ended."""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from openagent_lib.config import Profile
from openagent_lib.environment_variables import stage_key
from openagent_lib.errors import CheckpointError
from openagent_lib.evaluation.run import weights_hash
from openagent_lib.paths import write_atomic
from openagent_lib.training.checkpoint import drop_resume_state, latest_checkpoint

LOCK_SECONDS = 20


@dataclass(frozen=True)
class Job:
    """A recipe to be trained.

    Attributes:
        recipe: Name of the recipe.
        profile: Sizes and backbone.
        seed: Run seed.
        out: Folder of this run: `log.jsonl`, `settings.json`, `checkpoint-N/`, `final/`.
        source: Folder or name of the model to start from.
    """

    recipe: str
    profile: Profile
    seed: int
    out: Path
    source: str

    @property
    def final(self) -> Path:
        """Return the folder of the trained model."""
        return self.out / "final"

    def settings(self) -> dict:
        """Return everything that decides the result."""
        return {
            "recipe": self.recipe,
            "seed": self.seed,
            "profile": asdict(self.profile),
            "source": weights_hash(self.source),
            "stage": stage_key(),
        }

    def is_done(self) -> bool:
        """Tell whether this very run has ended: the proof names these settings and these weights."""
        try:
            proof = json.loads((self.out / "done.json").read_text())
        except (OSError, ValueError):
            return False
        return proof == {"settings": _digest(self.settings()), "weights": weights_hash(self.final)}

    @contextlib.contextmanager
    def opened(self) -> Iterator[Path | None]:
        """Hold the run's folder and yield the checkpoint to resume from, or None for a fresh start.

        A folder that other settings left behind is kept beside it under the name `<recipe>.previous`.

        Raises:
            CheckpointError: Another process trains here, or the newest checkpoint is corrupt.
        """
        self.out.parent.mkdir(parents=True, exist_ok=True)
        with _locked(self.out.parent / f".{self.out.name}.lock"):
            self._set_aside_foreign()
            write_atomic(self.out / "settings.json", json.dumps(self.settings(), indent=1, sort_keys=True))
            yield latest_checkpoint(self.out)

    def finish(self, model, tokenizer) -> Path:
        """Write the trained model under a temporary name, rename it, and write the proof."""
        temporary = self.out / ".final.tmp"
        shutil.rmtree(temporary, ignore_errors=True)
        model.save_pretrained(temporary)
        tokenizer.save_pretrained(temporary)
        shutil.rmtree(self.final, ignore_errors=True)
        os.replace(temporary, self.final)
        proof = {"settings": _digest(self.settings()), "weights": weights_hash(self.final)}
        write_atomic(self.out / "done.json", json.dumps(proof, indent=1))
        drop_resume_state(self.out)
        return self.final

    def _set_aside_foreign(self) -> None:
        file = self.out / "settings.json"
        if not self.out.exists() or (file.exists() and _read(file) == json.loads(json.dumps(self.settings()))):
            return
        previous = self.out.with_name(f"{self.out.name}.previous")
        shutil.rmtree(previous, ignore_errors=True)
        os.replace(self.out, previous)
        print(f"{self.recipe}: other settings left {self.out.name} behind, it is kept as {previous.name}", flush=True)


def _read(file: Path) -> dict | None:
    try:
        return json.loads(file.read_text())
    except ValueError:
        return None


def _digest(settings: dict) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with open(path, "a+") as handle:
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise CheckpointError(
                        f"another process trains in {path.parent}: wait for it or stop it, then run the command again"
                    ) from None
                time.sleep(0.5)
        yield
