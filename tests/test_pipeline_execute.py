"""The strict runner on real kernels: every way in which papermill would end well by mistake."""

import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scratch_project import make_project

from openagent_lib import paths
from openagent_lib.pipeline import document, publish, runner
from openagent_lib.pipeline.run import Run, open_run
from openagent_lib.pipeline.stage import Stage

GOOD = """\
import os, sys
from pathlib import Path
import matplotlib.pyplot as plt
Path(run_dir, "data").mkdir(exist_ok=True)
Path(run_dir, "data", "env.json").write_text(__import__("json").dumps(
    {"prefix": sys.prefix, "cwd": os.getcwd(), "seed": seed, "run_dir": run_dir, **os.environ}))
print("seen", file=sys.stderr)"""
FIGURE = "figure, axes = plt.subplots(figsize=(1, 1))\naxes.plot([1, 2])\nplt.show()"
NOTEBOOKS = {
    "01_good": (GOOD, FIGURE),
    "02_fails": ("x = 1", "1 / 0", "print('never')"),
    "03_exits": ("import sys\nsys.exit(0)", "print('never')"),
    "04_killed": ("import os, signal\nprint('alive', flush=True)", "os.kill(os.getpid(), signal.SIGKILL)", "x = 1"),
    "05_corrupt": ("from pathlib import Path\nPath(run_dir, 'data', 'rows.jsonl').write_text('{\"a\": 1}\\n{\"a\"')",),
    "06_waits": ("x = 1",),
}
STAGES = (
    Stage("01_good", writes=("data/env.json",)),
    Stage("02_fails"),
    Stage("03_exits"),
    Stage("04_killed"),
    Stage("05_corrupt", writes=("data/rows.jsonl",)),
    Stage("06_waits", needs=("04_killed",)),
)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, runner.Report, list[str]]:
    project = make_project(tmp_path_factory.mktemp("faulty"), {}, NOTEBOOKS, *STAGES)
    run = open_run("cpu", 3, project=project)
    lines: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(_foreign_kernel(project.root)))
        report = runner.run(run, say=lines.append, interval=0.2)
    return run, report, lines


def _foreign_kernel(root: Path) -> Path:
    """Return a Jupyter folder whose `python3` does not work, as a stale one in a user's home may not."""
    folder = root / "home" / "kernels" / "python3"
    folder.mkdir(parents=True)
    specification = {"argv": ["/bin/false", "{connection_file}"], "display_name": "Python 3", "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(specification))
    return root / "home"


def test_a_good_notebook_ends_with_receipt_and_copy(faulty: tuple) -> None:
    run, report, _ = faulty
    assert report.done == ["01_good"]
    assert (run.folder / "receipts" / "01_good.json").is_file()
    assert json.loads((run.folder / "receipts" / "01_good.json").read_text())["peak_memory_mb"] > 20
    assert not list((run.folder / "notebooks").glob(".*"))


def test_the_kernel_is_this_interpreter_offline_and_away_from_home(faulty: tuple) -> None:
    run, _, _ = faulty
    seen = json.loads((run.folder / "data" / "env.json").read_text())
    assert (seen["prefix"], seen["cwd"], seen["seed"]) == (sys.prefix, str(run.project.root), 3)
    assert seen["run_dir"] == "runs/cpu-s3"
    assert seen["HF_HUB_OFFLINE"] == seen["HF_DATASETS_OFFLINE"] == "1"
    assert (seen["TOKENIZERS_PARALLELISM"], seen["PYTHONHASHSEED"]) == ("false", "0")
    assert len(seen["OPENAGENT_STAGE_KEY"]) == 64
    for name in ("IPYTHONDIR", "MPLCONFIGDIR", "HF_DATASETS_CACHE"):
        assert not seen[name].startswith(str(Path.home()) + os.sep), name


def test_figures_are_kept_in_the_notebook_without_a_display(faulty: tuple) -> None:
    run, _, _ = faulty
    outputs = document.load(run.folder / "notebooks" / "01_good.ipynb")["cells"][-1]["outputs"]
    assert [list(output["data"]) for output in outputs] == [["image/png", "text/plain"]]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("02_fails", "cell 'code-1' raised ZeroDivisionError: division by zero"),
        ("03_exits", "cell 'code-0' called exit"),
        ("04_killed", "kernel died, probably memory, in cell code-1"),
        ("05_corrupt", "expected rows.jsonl to open as .jsonl, found a corrupt file"),
    ],
)
def test_every_failure_is_named_and_kept_for_reading(faulty: tuple, name: str, reason: str) -> None:
    run, report, _ = faulty
    assert report.failed[name].startswith(reason)
    assert "\n" not in report.failed[name]
    assert (run.folder / "notebooks" / f"{name}.failed.ipynb").is_file()
    assert not (run.folder / "notebooks" / f"{name}.ipynb").exists()
    assert not (run.folder / "receipts" / f"{name}.json").exists()


def test_dependents_of_a_failure_are_skipped_and_the_exit_code_says_so(faulty: tuple) -> None:
    _, report, lines = faulty
    assert report.skipped == ["06_waits"] and report.exit_code == 1
    assert re.fullmatch(
        r"\[6/6 \d:\d\d\] 06_waits: skipped, needs 04_killed", next(line for line in lines if "skipped" in line)
    )


def test_progress_is_plain_lines_with_time_and_cell(faulty: tuple) -> None:
    _, _, lines = faulty
    assert any(re.match(r"\[1/6 0:\d\d\] 01_good: 0:\d\d, cell code-", line) for line in lines), lines
    assert all("\r" not in line for line in lines)


def test_a_reading_copy_holds_no_trace_of_the_run(faulty: tuple) -> None:
    run, _, _ = faulty
    copy = publish.reading_copy(document.load(run.folder / "notebooks" / "01_good.ipynb"))
    assert [cell["id"] for cell in copy["cells"]] == ["title", "parameters", "code-0", "code-1"]
    assert [cell["execution_count"] for cell in copy["cells"][1:]] == [1, 2, 3]
    text = json.dumps(copy)
    assert "image/png" in text
    for trace in ("papermill", 'stderr"', "runs/cpu-s3", "start_time"):
        assert trace not in text, trace


RUNNER = """\
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from openagent_lib.pipeline import runner
from openagent_lib.pipeline.run import open_run
from openagent_lib.pipeline.stage import Project, Stage
stage = Stage("01_ticks", writes=("data/end.txt",), volatile=("data/ticks.jsonl",))
run = open_run("cpu", 0, project=Project(Path({root!r}), (stage,), package="scratchlib"))
sys.exit(runner.run(run).exit_code)
"""
TICKS = """\
import json, os, time
from pathlib import Path
out = Path(run_dir, "data")
out.mkdir(exist_ok=True)
log = out / "ticks.jsonl"
pid = out / "kernel.pid"
pid.write_text(str(os.getpid()))
done = len(log.read_text().splitlines()) if log.exists() else 0
for index in range(done, 40):
    with open(log, "a") as handle:
        handle.write(json.dumps({"step": index}) + "\\n")
    while index == 5 and not (out / "go").exists():
        with open(out / "beats.txt", "a") as handle:
            handle.write("beat ")
        time.sleep(0.05)
(out / "end.txt").write_text("end")"""


def _become_subreaper() -> None:
    """Let orphans be handed to this process instead of init, as containers and desktops do."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def _wait(condition: object, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def _ended(process: int) -> bool:
    try:
        os.waitpid(process, os.WNOHANG)
    except ChildProcessError:
        pass
    return not Path(f"/proc/{process}").exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="uses prctl and /proc")
def test_a_killed_runner_leaves_no_kernel_behind_and_the_next_one_goes_on(tmp_path: Path) -> None:
    make_project(tmp_path, {}, {"01_ticks": (TICKS,)})
    _become_subreaper()
    code = RUNNER.format(tests=str(paths.ROOT / "tests"), root=str(tmp_path))
    command, settings = [sys.executable, "-c", code], {"cwd": paths.ROOT, "stdout": subprocess.PIPE, "text": True}
    folder = tmp_path / "runs" / "cpu-s0"
    log = folder / "data" / "ticks.jsonl"
    first = subprocess.Popen(command, **settings)
    beats = folder / "data" / "beats.txt"
    _wait(beats.exists, 120)
    kernel = int((folder / "data" / "kernel.pid").read_text())
    temporary = Path((folder / ".scratch" / "temporary.txt").read_text())
    second = subprocess.run(command, check=False, stderr=subprocess.PIPE, **settings)
    assert second.returncode != 0 and "found another runner in it" in second.stderr
    first.send_signal(signal.SIGKILL)
    first.wait()
    _wait(lambda: _ended(kernel), 20)
    count = beats.stat().st_size
    time.sleep(0.3)
    assert beats.stat().st_size == count, "the kernel writes no more"
    (folder / "data" / "go").touch()
    third = subprocess.run(command, check=False, **settings)
    assert third.returncode == 0, third.stdout
    assert "ignored: .01_ticks.running.ipynb, left by a run that was killed" in third.stdout
    assert "runs (interrupted before its end)" in third.stdout
    assert [json.loads(line)["step"] for line in log.read_text().splitlines()] == list(range(40)), "nothing done twice"
    assert not temporary.exists(), "the temporary folder of the killed runner is gone too"
