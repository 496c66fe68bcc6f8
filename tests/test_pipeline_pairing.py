import json
from pathlib import Path

import pytest
from scratch_project import make_project

from openagent_lib.errors import ConfigError
from openagent_lib.pipeline import document, pairing
from openagent_lib.pipeline.stage import Project

TEXT = """\
# %% [markdown] id="title"
# # A title
#
# Some words.

# %% id="parameters" tags=["parameters"]
profile: str = "cpu"

# %% id="show"
print(profile)
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = make_project(tmp_path, {}, {})
    for name in ("01_a.py", "appendix/A1_b.py"):
        path = project.notebooks / "py" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TEXT)
    return project


def test_built_notebooks_have_the_ids_of_the_text_and_lean_metadata(project: Project) -> None:
    assert len(pairing.build(project)) == 2
    notebook = document.load(project.notebooks / "appendix" / "A1_b.ipynb")
    assert [cell["id"] for cell in notebook["cells"]] == ["title", "parameters", "show"]
    assert notebook["metadata"] == pairing.METADATA
    assert [cell["metadata"] for cell in notebook["cells"]] == [{}, {"tags": ["parameters"]}, {}]
    assert document.parameters(notebook, "n") == {"profile": "cpu"}


def test_a_second_build_changes_nothing(project: Project) -> None:
    pairing.build(project)
    assert pairing.build(project) == [] and pairing.check(project) == []


def test_outputs_of_unchanged_cells_survive_a_build(project: Project) -> None:
    pairing.build(project)
    path = project.notebooks / "01_a.ipynb"
    notebook = document.load(path)
    output = {"name": "stdout", "output_type": "stream", "text": ["cpu\n"]}
    notebook["cells"][2] |= {"outputs": [output], "execution_count": 2}
    path.write_text(json.dumps(notebook))
    assert pairing.check(project) == []
    text = project.notebooks / "py" / "01_a.py"
    text.write_text(text.read_text().replace("Some words", "Other words"))
    assert pairing.build(project) == [path]
    assert document.load(path)["cells"][2]["outputs"] == [output]
    text.write_text(text.read_text().replace("print(profile)", "print(1)"))
    pairing.build(project)
    assert document.load(path)["cells"][2]["outputs"] == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (' id="show"', "", "expected id="),
        ('id="show"', 'id="title"', "'title' twice"),
        ('id="show"', 'id="Show It"', "found 'Show It'"),
    ],
)
def test_ids_must_be_there_and_unique(project: Project, old: str, new: str, message: str) -> None:
    (project.notebooks / "py" / "01_a.py").write_text(TEXT.replace(old, new))
    with pytest.raises(ConfigError, match=message):
        pairing.build(project)


def test_the_check_names_what_is_out_of_step(project: Project) -> None:
    pairing.build(project)
    notebook = document.load(project.notebooks / "01_a.ipynb")
    notebook["metadata"] = notebook["metadata"] | {"papermill": {"duration": 1}}
    (project.notebooks / "01_a.ipynb").write_text(json.dumps(notebook))
    (project.notebooks / "appendix" / "A1_b.ipynb").unlink()
    (project.notebooks / "02_c.ipynb").write_text(json.dumps(notebook))
    names = [problem.split(":")[0] for problem in pairing.check(project)]
    assert names == ["01_a.ipynb", "02_c.ipynb", "appendix/A1_b.ipynb"]


def test_an_edit_in_the_notebook_is_brought_back_into_the_text(project: Project) -> None:
    pairing.build(project)
    path = project.notebooks / "01_a.ipynb"
    notebook = document.load(path)
    notebook["cells"][2] |= {"source": ["print(profile, 2)"], "metadata": {"papermill": {}, "tags": []}}
    notebook["metadata"] = notebook["metadata"] | {"widgets": {}}
    path.write_text(json.dumps(notebook))
    assert pairing.clean(project) == [project.notebooks / "py" / "01_a.py"]
    assert pairing.check(project) == []
    assert (project.notebooks / "py" / "01_a.py").read_text() == TEXT.replace("print(profile)", "print(profile, 2)")
