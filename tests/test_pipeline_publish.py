import dataclasses
import json
from pathlib import Path

import pytest
from scratch_project import make_project, write_notebook

from openagent_lib.errors import ConfigError, DataError, PipelineError
from openagent_lib.pipeline import document, publish, receipt
from openagent_lib.pipeline.receipt import Identity, Receipt
from openagent_lib.pipeline.run import Run, open_run
from openagent_lib.pipeline.stage import Stage


def _stream(text: str, name: str = "stdout") -> dict:
    return {"output_type": "stream", "name": name, "text": text}


def _result(data: dict) -> dict:
    return {"output_type": "execute_result", "data": data, "metadata": {"a": 1}, "execution_count": 9}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a proven run of one notebook whose last cell has the outputs that a test puts there."""
    run = open_run("cpu", 0, project=make_project(tmp_path, {}, {"01_a": ("x = 1",)}, Stage("01_a")))
    proof = Receipt("01_a", Identity(), {}, 0, "cpu", "", {}, 1.0, 1.0, 1)
    receipt.write(run.folder, proof)
    return run


def execute(run: Run, *outputs: dict) -> None:
    notebook = document.load(run.project.notebooks / "01_a.ipynb")
    injected = {
        "cell_type": "code",
        "id": "q",
        "metadata": {"tags": ["injected-parameters"]},
        "source": 'profile = "cpu"',
    }
    notebook["cells"].insert(2, injected | {"outputs": [], "execution_count": 2})
    for cell in notebook["cells"]:
        cell["metadata"] = cell["metadata"] | {"papermill": {"duration": 1.5}}
    notebook["cells"][-1] |= {"outputs": list(outputs), "execution_count": 7}
    path = run.executed(run.project.stage("01_a"))
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(notebook))


def published(run: Run) -> dict:
    return document.load(run.project.notebooks / "01_a.ipynb")


def test_a_reading_copy_keeps_results_and_drops_traces(run: Run) -> None:
    widget = {"text/plain": "1", "application/vnd.jupyter.widget-view+json": {}}
    execute(run, _stream("a\n"), _stream("warning", "stderr"), _stream("b\n"), _result(widget))
    proof = run.project.root / "data" / "results" / "receipts" / "01_a.json"
    assert publish.publish(run) == [run.project.notebooks / "01_a.ipynb", proof]
    assert publish.publish(run) == []
    assert proof.read_bytes() == receipt.path_of(run.folder, "01_a").read_bytes()
    cells = published(run)["cells"]
    assert [cell["id"] for cell in cells] == ["title", "parameters", "code-0"]
    assert cells[-1]["execution_count"] == 2 and cells[-1]["metadata"] == {}
    stream, result = cells[-1]["outputs"]
    assert stream == {"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]}
    assert result == {
        "output_type": "execute_result",
        "data": {"text/plain": "1"},
        "metadata": {},
        "execution_count": 2,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x" * 500_000, "expected at most 400 KB, found 50.: make the outputs of cell 'code-0' smaller"),
        ("/ho" + "me/someone/runs", "expected no absolute path, found '/ho" + "me/someone' in cell 'code-0'"),
    ],
)
def test_what_must_not_be_committed_is_refused(run: Run, text: str, message: str) -> None:
    execute(run, _stream(text))
    before = published(run)
    with pytest.raises(DataError, match=message):
        publish.publish(run)
    assert published(run) == before


def test_an_unproven_run_is_not_published(run: Run) -> None:
    execute(run)
    with pytest.raises(PipelineError, match="expected a proven run"):
        publish.publish(dataclasses.replace(run, folder=run.folder / "other"))


def test_code_edited_since_the_run_is_not_published(run: Run) -> None:
    execute(run)
    write_notebook(run.project.notebooks / "01_a.ipynb", "x = 2")
    with pytest.raises(PipelineError, match="found edited cells"):
        publish.publish(run)


def test_only_the_named_stages_need_a_proven_run(run: Run) -> None:
    execute(run, _stream("a\n"))
    write_notebook(run.project.notebooks / "02_b.ipynb", "y = 1")
    run = dataclasses.replace(
        run, project=dataclasses.replace(run.project, stages=(*run.project.stages, Stage("02_b")))
    )
    with pytest.raises(PipelineError, match="02_b.ipynb: expected a proven run"):
        publish.publish(run)
    assert [path.stem for path in publish.publish(run, ["01"])] == ["01_a", "01_a"]
    with pytest.raises(ConfigError, match="stage"):
        publish.publish(run, ["03"])
