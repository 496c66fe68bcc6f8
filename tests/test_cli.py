import subprocess
import sys
import time
import types
from pathlib import Path

import pytest

from openagent_lib import __main__ as cli
from openagent_lib import paths

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
    assert calls == [((tmp_path,), {"seed": 0, "resume": False, "tokens": 5}), (paths.BACKBONE, 3, 2)]


@pytest.mark.parametrize(
    ("command", "force", "only"),
    [
        ("run", [], []),
        ("run --force 06,07 --force 09", ["06", "07", "09"], []),
        ("run --only 06", [], ["06"]),
        ("figures --force all", ["all"], ["10"]),
        ("data", [], ["01"]),
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
