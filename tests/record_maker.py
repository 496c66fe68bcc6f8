"""Small synthetic records for the tests of metrics, figures and tables; never used for results."""

from random import Random

from openagent_lib.evaluation.records import records_frame

SHIFTS = (
    "perception.symbolic_drift",
    "perception.identity_erasure",
    "interaction.error_message",
    "reasoning.logic_inversion",
    "internalization.missing_condition",
    "internalization.domain_transfer",
)
CLOSED = {"base": 0.7, "sft": 0.95, "grpo": 0.9, "sft_grpo": 0.95, "paft": 0.95}
OPEN = {"base": 0.5, "sft": 0.3, "grpo": 0.6, "sft_grpo": 0.5, "paft": 0.9}


def make_record(task, shift="clean", success=True, **changes):
    """Return one record; every field can be overridden."""
    solvable = changes.get(
        "solvable", shift not in ("internalization.missing_condition", "internalization.fatal_error")
    )
    row = {
        "task_id": f"{task}/{shift}", "base_task_id": task, "shift": shift,
        "tier": "closed_set" if shift == "clean" else shift.partition(".")[0], "strength": float(shift != "clean"),
        "recipe": "sft", "step": None, "seed": 0, "settings": "s", "backbone": "tiny", "solvable": solvable,
        "outcome": ("correct" if solvable else "refused") if success else "wrong", "success": success, "n_calls": 2,
        "n_tool_errors": 0, "n_anomalies": 0, "n_explored": 0, "gold_calls": 2, "answer": None, "messages": [],
        **changes,
    }  # fmt: skip
    parts = [str(row[name]) for name in ("task_id", "recipe", "step", "seed", "strength")]
    return {"key": "/".join(parts), **row}


def make_frame(tasks=20, recipes=("base", "sft", "grpo", "paft"), shifts=SHIFTS, control=True):
    """Return the records of final models under every shift, drawn from fixed success rates."""
    rows = []
    for recipe in recipes:
        random = Random(f"final {recipe}")
        for task in (f"t{number:03}" for number in range(tasks)):
            clean = random.random() < CLOSED[recipe]
            rows.append(make_record(task, success=clean, recipe=recipe))
            rows += [make_record(task, shift, random.random() < OPEN[recipe], recipe=recipe) for shift in shifts]
            if control:
                rows.append(make_record(task, shifts[0], clean, recipe=recipe, strength=0.0))
    return records_frame(rows)


def make_curve(tasks=20, steps=(10, 20, 40)):
    """Return closed-set records of the base model and of intermediate models of `sft` and `grpo`."""
    rows = [make_record(f"t{number:03}", success=number % 2 == 0, recipe="base") for number in range(tasks)]
    for recipe in ("sft", "grpo"):
        random = Random(f"curve {recipe}")
        for step in steps:
            for number in range(tasks):
                success = random.random() < 0.5 + 0.5 * step / max(steps)
                rows.append(make_record(f"t{number:03}", success=success, recipe=recipe, step=step))
    return records_frame(rows)


def make_logs(steps=30):
    """Return training logs of three recipes."""
    random = Random("logs")
    return {
        "sft": [{"step": step, "loss": 1 / step + 0.01 * random.random()} for step in range(1, steps + 1)],
        "paft": [{"step": step, "loss": 1.5 / step + 0.01 * random.random()} for step in range(1, steps + 1)],
        "grpo": [{"step": step, "loss": 0.0, "reward": random.random()} for step in range(1, steps + 1)],
    }
