"""The log of a training run: JSON lines on disk, plain lines on the screen, and marks on whole checkpoints."""

import json
import resource
import time
from pathlib import Path

from transformers import TrainerCallback

from openagent_lib.paths import write_atomic
from openagent_lib.training.checkpoint import mark_complete

SHOWN = ("loss", "reward", "mean_token_accuracy")
LINES = 20


class LogCallback(TrainerCallback):
    """Writes `log.jsonl`, prints about twenty lines over the whole run, and marks checkpoints as complete."""

    def __init__(self, out: Path, recipe: str):
        """Log the run of a recipe into a folder."""
        self.path = out / "log.jsonl"
        self.recipe = recipe
        self.extra: dict[str, float] = {}
        self._start = 0.0
        self._first_step = 0
        self._tokens_before = 0
        self._offset: int | None = None

    def on_train_begin(self, args, state, control, **kwargs):
        """Drop the lines after the step that the run resumes from."""
        self._start, self._first_step = time.monotonic(), state.global_step
        rows = [row for row in read_log(self.path) if row["step"] <= state.global_step]
        self._tokens_before = rows[-1].get("num_tokens", 0) if rows else 0
        write_atomic(self.path, "".join(json.dumps(row) + "\n" for row in rows))

    def on_log(self, args, state, control, logs=None, **kwargs):
        """Append one line and print it when it is due."""
        if not logs or "train_loss" in logs:
            return
        seconds = max(time.monotonic() - self._start, 1e-6)
        row = {"step": state.global_step, **{key: round(float(value), 6) for key, value in logs.items()}, **self.extra}
        tokens = self._all_tokens(row.get("num_tokens", 0))
        row |= {
            "num_tokens": tokens,
            "tokens_per_second": round((tokens - self._tokens_before) / seconds),
            "peak_memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
            "seconds": round(seconds, 1),
        }
        with open(self.path, "a", encoding="utf-8") as handle:
            handle.write(json.dumps(row) + "\n")
        if state.global_step % max(1, state.max_steps // LINES) == 0 or state.global_step == state.max_steps:
            self._say(row, state)

    def _all_tokens(self, counted: float) -> int:
        """Return the tokens since step 0; TRL's counter of SFT starts anew when a run resumes."""
        if self._offset is None:
            self._offset = self._tokens_before if counted < self._tokens_before else 0
        return round(counted) + self._offset

    def _say(self, row: dict, state) -> None:
        shown = "  ".join(f"{key} {row[key]:.3f}" for key in SHOWN if key in row)
        done = max(1, state.global_step - self._first_step)
        left = row["seconds"] / done * (state.max_steps - state.global_step)
        print(
            f"{self.recipe} {state.global_step}/{state.max_steps}  {shown}  "
            f"{row['tokens_per_second']} tokens/s, {row['seconds']:.0f} s, about {left:.0f} s left",
            flush=True,
        )

    def on_save(self, args, state, control, **kwargs):
        """Mark the checkpoint that was just written."""
        mark_complete(Path(args.output_dir) / f"checkpoint-{state.global_step}")


def read_log(path: Path) -> list[dict]:
    """Return the rows of a training log; a torn last line is left out."""
    if not path.exists():
        return []
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return rows
