import functools
import json
import shutil
import subprocess
import sys
import time
import types
from pathlib import Path

import pytest

from openagent_lib import __main__ as cli
from openagent_lib import paths
from openagent_lib.config import PROFILES
from openagent_lib.evaluation.suite import write_benchmark
from openagent_lib.evaluation.verification import CHECKS
from openagent_lib.report.trajectory_view import visible
from openagent_lib.sandbox.dataset import read_tasks, stored_hash
from openagent_lib.shifts.catalogue import SHIFTS

COMMANDS = ("run", "data", "evaluate", "figures", "status", "train", "pretrain", "notebooks", "doctor", "bench")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("trian", "unknown command 'trian': expected one of .* did you mean 'train'?"),
        ("run --profile cup", "unknown profile 'cup': expected one of .* did you mean 'cpu'?"),
        ("status --profile cup", "unknown profile 'cup': expected one of .* did you mean 'cpu'?"),
        ("train --recipe stf", "unknown recipe 'stf': expected one of .* did you mean 'sft'?"),
        ("run --only 06_train_stf", "unknown stage '06_train_stf': expected one of .* did you mean '06_train_sft'?"),
        ("run --force 06_train_stf", "unknown stage '06_train_stf'"),
        ("run -p sead=1", "unknown parameter 'sead': expected one of .* did you mean 'seed'?"),
        ("run -p seed", "expected a parameter as NAME=VALUE, found 'seed'"),
        ("run --sed 1", "unrecognized arguments: --sed 1"),
        ("run --seed x", "invalid int value: 'x'"),
        ("notebooks biuld", "invalid choice: 'biuld'"),
        ("data", "the following arguments are required: ACTION: see python -m openagent_lib data --help"),
        ("data biuld", "invalid choice: 'biuld'"),
        ("data build --seed x", "invalid int value: 'x'"),
        ("data verify --folder no/where", "no/where/train.parquet, found none: python -m openagent_lib data build"),
        ("data show --folder no/where", "no/where/train.parquet, found none: python -m openagent_lib data build"),
        ("data verify --profile cup", "unknown profile 'cup': expected one of .* did you mean 'cpu'?"),
        ("data show --shift perception.symbolic", "unknown shift .* did you mean 'perception.symbolic_drift'?"),
        ("data show 880", "a number from 0 to 879, found '880': python -m openagent_lib data show 0"),
        ("data show --split tarin", "invalid choice: 'tarin'"),
        ("", "the following arguments are required: COMMAND"),
    ],
)
def test_wrong_input_is_one_clear_line_and_exit_code_2(
    command: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    import re

    assert cli.main(command.split()) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1
    assert captured.err.startswith("error: ")
    assert all(part in captured.err for part in message.split(" .* ")), captured.err
    assert not re.search("Traceback", captured.err)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main([command, "--help"])
    assert caught.value.code == 0 and command in capsys.readouterr().out


@pytest.mark.parametrize("action", ["build", "verify", "hash", "show"])
def test_every_action_of_data_has_help(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["data", action, "--help"])
    assert caught.value.code == 0 and f"data {action}" in capsys.readouterr().out


def _fake(monkeypatch: pytest.MonkeyPatch, module: str, **functions: object) -> None:
    fake = types.ModuleType(module)
    fake.__dict__.update(functions)
    monkeypatch.setitem(sys.modules, module, fake)


def test_train_calls_the_one_entry_of_training(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls: list[tuple] = []
    _fake(monkeypatch, "openagent_lib.training.run", train=lambda *arguments: calls.append(arguments) or tmp_path)
    assert cli.main(f"train --recipe sft --profile smoke --seed 4 --out {tmp_path}".split()) == 0
    assert cli.main("train --recipe paft --model owner/name".split()) == 0
    assert calls == [("sft", "smoke", 4, tmp_path, None), ("paft", "cpu", 0, None, "owner/name")]


def test_pretrain_trains_and_scores(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls: list[tuple] = []
    _fake(monkeypatch, "openagent_lib.pretraining.loop", pretrain=lambda *a, **k: calls.append((a, k)) or tmp_path)
    _fake(monkeypatch, "openagent_lib.pretraining.score", score=lambda *a: calls.append(a) or {})
    assert cli.main(f"pretrain --out {tmp_path} --tokens 5 --restart".split()) == 0
    assert cli.main("pretrain score -n 3 --seed 2".split()) == 0
    assert calls == [((tmp_path,), {"seed": 0, "resume": False, "tokens": 5}), (paths.BACKBONE, 3, 2, [])]


def test_scores_of_a_backbone_go_to_a_file_and_may_include_the_evaluation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    _fake(monkeypatch, "openagent_lib.pretraining.score", score=lambda *a: {"tasks": len(a[3])})
    assert cli.main(f"pretrain score --tasks --out {tmp_path / 'scores.json'}".split()) == 0
    assert json.loads((tmp_path / "scores.json").read_text()) == {"tasks": 880} == json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("command", "force", "only"),
    [
        ("run", [], []),
        ("run --force 06,07 --force 09", ["06", "07", "09"], []),
        ("run --only 06", [], ["06"]),
        ("figures --force all", ["all"], ["10"]),
        ("run --only 01", [], ["01"]),
        ("evaluate", [], ["09"]),
    ],
)
def test_chain_commands_choose_stages(
    command: str, force: list[str], only: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from openagent_lib.pipeline import runner

    calls: list[dict] = []
    monkeypatch.setattr(
        runner, "run", lambda run, **settings: calls.append(settings) or runner.Report(failed={"x": ""})
    )
    assert cli.main(command.split()) == 1, "a failed stage is exit code 1"
    assert calls == [{"force": force, "only": only}]


@pytest.fixture(scope="module")
def small_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the tasks of the profile smoke."""
    folder = tmp_path_factory.mktemp("data")
    profile = PROFILES["smoke"]
    write_benchmark(folder, 0, profile.train_tasks, profile.eval_tasks, profile.shift_tasks)
    return folder


def test_data_build_prints_counts_hashes_size_and_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from openagent_lib.evaluation import suite

    small = functools.partial(write_benchmark, train=20, closed=20, twins=2)
    monkeypatch.setattr(suite, "write_benchmark", small)
    card = paths.DATA_CARD.read_bytes()
    assert cli.main(f"data build --seed 3 --out {tmp_path}".split()) == 0
    first, second, third = capsys.readouterr().out.splitlines()
    size = (tmp_path / "train.parquet").stat().st_size / 1e6
    assert first == f"train.parquet  20 tasks, {size:.2f} MB, content hash {stored_hash(tmp_path / 'train.parquet')}"
    assert second.startswith("eval.parquet  60 tasks, ") and third.endswith(" seconds")
    assert paths.DATA_CARD.read_bytes() == card, "only the release has a card"


def test_data_verify_prints_one_line_per_check(small_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(f"data verify --profile smoke --folder {small_data}".split()) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["ok", name] for name in CHECKS] and last == "every check holds"


def test_data_verify_ends_at_the_first_failing_check_with_exit_code_1(
    small_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(f"data verify --folder {small_data}".split()) == 1
    *lines, last = capsys.readouterr().out.splitlines()
    assert last.split(maxsplit=2)[:2] == ["FAIL", "counts"]
    assert last.endswith("expected 6,050 training and 880 evaluation tasks, found 240 training and 60 evaluation tasks")
    assert all(line.startswith("ok ") for line in lines)


def test_corrupt_data_are_one_clear_line(small_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(small_data, tmp_path, dirs_exist_ok=True)
    (tmp_path / "eval.parquet").write_bytes(b"PAR1")
    assert cli.main(f"data verify --folder {tmp_path}".split()) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1 and "python -m openagent_lib data build" in captured.err


def test_data_show_prints_a_task(small_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = read_tasks(small_data / "train.parquet")[7]
    assert cli.main(f"data show 7 --split train --folder {small_data}".split()) == 0
    output = capsys.readouterr().out
    assert cli.main(f"data show {task.id} --split train --folder {small_data}".split()) == 0
    assert capsys.readouterr().out == output
    for text in (task.id, task.query, f"answer: {task.gold_answer}\n", *(tool.document for tool in task.tools)):
        assert text in output
    for number, call in enumerate(task.gold_chain, start=1):
        assert f"  {number}. {task.tool_for(call.function).name}(" in output
    assert output.endswith("returns: as they are\n")


@pytest.mark.parametrize("name", SHIFTS)
def test_data_show_prints_a_pair_and_what_the_shift_does(
    name: str, small_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twin = next(task for task in read_tasks(small_data / "eval.parquet") if task.shift == name)
    assert cli.main(f"data show --shift {name} --folder {small_data}".split()) == 0
    output = capsys.readouterr().out
    assert f"{name} at 1" in output and "≠" in output and twin.id in output and twin.base_id in output
    assert ("the right thing is to refuse" in output) == (not twin.is_solvable)
    assert all(visible(rule.template) in output for rule in twin.channel.rules if "\n" not in rule.template)


def test_an_interruption_is_no_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    _fake(monkeypatch, "openagent_lib.training.run", train=interrupt)
    assert cli.main(["train", "--recipe", "sft"]) == 130
    assert "goes on from here" in capsys.readouterr().err


HEAVY = "import sys; print(sorted({'torch', 'transformers', 'trl', 'papermill', 'matplotlib'} & set(sys.modules)))"


@pytest.mark.parametrize(
    "code",
    [
        "import openagent_lib",
        "from openagent_lib.__main__ import main; main(['status', '--run-dir', 'runs/none'])",
        "from openagent_lib.__main__ import main; main(['notebooks', 'check'])",
    ],
)
def test_light_commands_import_nothing_heavy(code: str) -> None:
    command = [sys.executable, "-c", f"{code}\n{HEAVY}"]
    result = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


def test_importing_the_library_takes_less_than_a_second() -> None:
    command = [sys.executable, "-c", "import openagent_lib"]
    times = []
    for _ in range(3):
        start = time.monotonic()
        subprocess.run(command, cwd=paths.ROOT, check=True)
        times.append(time.monotonic() - start)
    assert min(times) < 1.0
