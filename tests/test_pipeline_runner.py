"""Staleness, resume and cleaning, with notebooks executed in this process: fast, the kernel has its own tests."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from scratch_project import make_project, write_notebook

from openagent_lib.errors import ConfigError, PipelineError
from openagent_lib.pipeline import document, execute, runner, staleness
from openagent_lib.pipeline.lock import locked
from openagent_lib.pipeline.run import Run, open_run
from openagent_lib.pipeline.stage import Stage

LIBRARY = {
    "__init__.py": "",
    "shared.py": "def shared():\n    return 0\n",
    "one.py": "from scratchlib.shared import shared\n\n\ndef make():\n    return 1\n",
    "two.py": "def make(x):\n    from scratchlib.shared import shared\n    return shared() + x % 2\n",
    "three.py": "def make():\n    return 3\n",
}
WRITE = (
    "from pathlib import Path\nout = Path(run_dir) / '{0}'\nout.parent.mkdir(exist_ok=True)\nout.write_text(str({1}))"
)
NOTEBOOKS = {
    "01_one": ("from scratchlib import one", WRITE.format("data/one.json", "one.make()")),
    "02_two": (
        "import json\nfrom scratchlib.two import make\nx = json.loads(open(run_dir + '/data/one.json').read())",
        WRITE.format("data/two.json", "make(x)"),
        WRITE.format("data/two.log", "len(str(x))"),
    ),
    "03_three": ("from scratchlib.three import make", WRITE.format("data/three.json", "make() + 0 * seed")),
    "04_four": (WRITE.format("data/four.json", "open(run_dir + '/data/two.json').read()"),),
}
STAGES = (
    Stage("01_one", writes=("data/one.json",)),
    Stage("02_two", needs=("01_one",), reads=("data/one.json",), writes=("data/two.json",), volatile=("data/two.log",)),
    Stage("03_three", writes=("data/three.json",), clears=("scratch",)),
    Stage("04_four", needs=("02_two",), reads=("data/two.json",), writes=("data/four.json",)),
)
ALL = [stage.name for stage in STAGES]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return open_run("cpu", 0, project=make_project(tmp_path, LIBRARY, NOTEBOOKS, *STAGES))


@pytest.fixture(autouse=True)
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Execute code cells with `exec` instead of in a kernel."""

    def fake(job: execute.Job, _: object) -> int:
        execute.check(job.root, job.source, job.parameters)
        names = dict(job.parameters) | {"run_dir": str(job.run_dir)}
        notebook = document.load(job.source)
        job.target.write_text(json.dumps(notebook))
        cells = [
            document.source(cell) for cell in document.run_cells(notebook) if "parameters" not in document.tags(cell)
        ]
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(str(job.root))
            import sys

            for name in [name for name in sys.modules if name.split(".")[0] == "scratchlib"]:
                patch.delitem(sys.modules, name)
            for cell in cells:
                try:
                    exec(cell, names)
                except OSError as error:
                    raise PipelineError(f"cell raised {error}") from error
                finally:
                    for name in [name for name in sys.modules if name.split(".")[0] == "scratchlib"]:
                        del sys.modules[name]
        return len(cells)

    monkeypatch.setattr(execute, "execute", fake)


def go(run: Run, **settings: object) -> runner.Report:
    return runner.run(run, say=lambda _: None, **settings)


def edit(run: Run, path: str, change: Callable[[str], str]) -> None:
    file = run.project.root / path
    file.write_text(change(file.read_text()))


def stale(run: Run) -> dict[str, list[str]]:
    return {name: reasons for name, reasons in staleness.status(run).items() if reasons}


def test_a_second_run_does_nothing(run: Run) -> None:
    assert go(run).done == ALL
    lines: list[str] = []
    report = runner.run(run, say=lines.append)
    assert (report.done, report.fresh, report.exit_code) == ([], ALL, 0)
    assert len(lines) == 1 and lines[0].startswith("nothing to do: every stage is fresh")


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("one", ["01_one"]),
        ("two", ["02_two"]),
        ("three", ["03_three"]),
        ("shared", ["01_one", "02_two"]),
        ("__init__", ["01_one", "02_two", "03_three"]),
    ],
)
def test_editing_a_function_makes_exactly_its_dependents_stale(run: Run, module: str, expected: list[str]) -> None:
    go(run)
    edit(run, f"scratchlib/{module}.py", lambda text: text + "\n\ndef added():\n    return 1\n")
    name = "scratchlib" if module == "__init__" else f"scratchlib.{module}"
    own = {key: reasons for key, reasons in stale(run).items() if reasons == [f"module {name} changed"]}
    assert list(own) == expected
    assert go(run).done == expected, "identical artefacts must leave the dependents fresh"
    assert stale(run) == {}


def test_a_changed_artefact_makes_the_dependents_run(run: Run) -> None:
    go(run)
    edit(run, "scratchlib/one.py", lambda text: text.replace("return 1", "return 2"))
    assert stale(run) == {
        "01_one": ["module scratchlib.one changed"],
        "02_two": ["needs 01_one, which is stale"],
        "04_four": ["needs 02_two, which is stale"],
    }
    assert go(run).done == ["01_one", "02_two", "04_four"]


def test_a_stage_with_the_same_output_stops_the_wave(run: Run) -> None:
    go(run)
    edit(run, "scratchlib/one.py", lambda text: text.replace("return 1", "return 3"))
    assert go(run).done == ["01_one", "02_two"], "3 % 2 is 1 % 2, so 04 stays fresh"


def test_comments_and_markdown_never_make_stale(run: Run) -> None:
    go(run)
    edit(run, "scratchlib/shared.py", lambda text: '"""Shared."""\n# a comment\n' + text)
    edit(run, "notebooks/01_one.ipynb", lambda text: text.replace("# A title", "# Another title"))
    edit(
        run, "notebooks/01_one.ipynb", lambda text: text.replace("scratchlib import one", "scratchlib import one  # it")
    )
    assert stale(run) == {}


def test_every_kind_of_change_is_named(run: Run) -> None:
    go(run)
    edit(run, "notebooks/03_three.ipynb", lambda text: text.replace("0 * seed", "0 * seed * 1"))
    edit(run, "requirements.lock", lambda text: text + "two==2\n")
    other = dataclasses.replace(run, parameters={"profile": "cpu", "seed": 7})
    assert staleness.explain(other, run.project.stage("03")) == [
        "code cells changed",
        "parameter seed changed from 0 to 7",
        "requirements.lock changed",
    ]


@pytest.mark.parametrize("name", ["data/two.json", "notebooks/02_two.ipynb", "data/two.log"])
def test_a_deleted_artefact_makes_its_stage_stale(run: Run, name: str) -> None:
    go(run)
    (run.folder / name).unlink()
    assert "gone" in stale(run)["02_two"][0]
    assert go(run).done == ["02_two"]


def test_an_edited_artefact_makes_its_stage_stale_and_is_not_built_upon(run: Run) -> None:
    go(run)
    (run.folder / "data" / "two.json").write_text("99")
    assert stale(run)["02_two"] == ["artefact data/two.json changed"]
    assert go(run).done == ["02_two"]
    assert (run.folder / "data" / "two.json").read_text() == "1"


def test_a_volatile_artefact_may_change(run: Run) -> None:
    go(run)
    (run.folder / "data" / "two.log").write_text("another time")
    assert stale(run) == {}


def test_force_runs_again_from_scratch(run: Run) -> None:
    go(run)
    (run.folder / "scratch").mkdir()
    assert go(run, force=["03"]).done == ["03_three"]
    assert not (run.folder / "scratch").exists()
    assert go(run, force=["all"]).done == ALL


def test_only_runs_a_stage_with_what_it_needs(run: Run) -> None:
    assert go(run, only=["02"]).done == ["01_one", "02_two"]


def test_one_failure_stops_only_its_dependents(run: Run) -> None:
    edit(run, "notebooks/02_two.ipynb", lambda text: text.replace("'/data/one.json'", "'/data/none.json'"))
    report = go(run)
    assert (report.done, list(report.failed), report.skipped) == (["01_one", "03_three"], ["02_two"], ["04_four"])
    assert report.exit_code == 1
    assert (run.folder / "notebooks" / "02_two.failed.ipynb").is_file()
    assert not (run.folder / "notebooks" / "02_two.ipynb").exists()


def test_an_interrupted_stage_resumes_and_a_changed_one_starts_anew(run: Run) -> None:
    left = run.folder / "scratch" / "checkpoint"
    stage = "notebooks/03_three.ipynb"
    edit(run, stage, lambda text: text.replace("data/three.json", "missing/three.json"))
    assert list(go(run).failed) == ["03_three"]
    left.parent.mkdir()
    left.write_text("half")
    assert stale(run)["03_three"] == ["interrupted before its end"]
    assert list(go(run).failed) == ["03_three"] and left.exists(), "same code: what is there may be resumed"
    edit(run, stage, lambda text: text.replace("missing/three.json", "data/three.json"))
    assert go(run).done == ["03_three"] and not left.exists(), "other code: nothing may be resumed"


def test_a_missing_input_and_a_missing_notebook_are_named(run: Run) -> None:
    go(run)
    lines: list[str] = []
    (run.project.notebooks / "03_three.ipynb").unlink()
    project = dataclasses.replace(
        run.project, stages=(STAGES[2], dataclasses.replace(STAGES[3], reads=("data/x.json",)))
    )
    stages = (project.stages[0], dataclasses.replace(project.stages[1], needs=()))
    report = runner.run(dataclasses.replace(run, project=dataclasses.replace(project, stages=stages)), say=lines.append)
    assert "expected a notebook at" in report.failed["03_three"]
    assert "expected the input data/x.json, found none" in report.failed["04_four"]


def test_a_stage_that_writes_into_another_ones_artefact_fails(run: Run) -> None:
    trespass = "read() + str(open(run_dir + '/data/three.json', 'a').write('1'))"
    edit(run, "notebooks/04_four.ipynb", lambda text: text.replace("read()", trespass))
    assert "found data/three.json changed: write elsewhere" in go(run).failed["04_four"]


def test_two_runners_never_share_a_run_directory(run: Run) -> None:
    with locked(run.folder), pytest.raises(PipelineError, match="found another runner in it"):
        go(run)


def test_a_parameter_that_no_notebook_declares_fails_with_the_nearest_name(run: Run) -> None:
    with pytest.raises(ConfigError, match=r"unknown parameter 'modle'.* did you mean 'model'\?"):
        write_notebook(run.project.notebooks / "03_three.ipynb", parameters='model: str = ""\n')
        open_run("cpu", 0, parameters={"modle": "x"}, project=run.project)


def test_a_parameter_reaches_only_the_notebooks_that_declare_it(run: Run) -> None:
    text = 'profile: str = "cpu"\nseed: int = 0\nrun_dir: str = ""\nmodel: str = ""\n'
    write_notebook(run.project.notebooks / "03_three.ipynb", *NOTEBOOKS["03_three"], parameters=text)
    other = open_run("cpu", 0, parameters={"model": "x"}, project=run.project)
    assert go(run).done == ALL
    assert stale(other) == {"03_three": ["parameter model is new"]}


def test_the_receipt_says_what_was_run_on_what(run: Run) -> None:
    go(run)
    proof = json.loads((run.folder / "receipts" / "02_two.json").read_text())
    assert proof["identity"]["parameters"] == {"profile": "cpu", "seed": 0}
    assert set(proof["identity"]["modules"]) == {"scratchlib", "scratchlib.shared", "scratchlib.two"}
    assert list(proof["identity"]["inputs"]) == ["data/one.json"]
    assert proof["outputs"]["data/two.log"] == "volatile" and len(proof["outputs"]["data/two.json"]) == 64
    assert proof["versions"]["python"] and proof["device"] and proof["seconds"] >= 0 and proof["cells"] == 3
    assert not (run.folder / "receipts" / "02_two.attempt.json").exists()


def test_the_first_line_says_how_much_there_is_to_do_and_for_how_long(run: Run) -> None:
    lines: list[str] = []
    runner.run(run, say=lines.append)
    assert lines[0] == "4 of 4 stages to run", "no stage has been measured"
    receipts = run.folder / "receipts"
    for path in receipts.glob("*.json"):
        path.write_text(json.dumps(json.loads(path.read_text()) | {"seconds": 45.0}))
    edit(run, "scratchlib/one.py", lambda text: text.replace("return 1", "return 3"))
    lines.clear()
    runner.run(run, say=lines.append)
    assert lines[0] == "3 of 4 stages to run, about 2:15"
