from pathlib import Path

import pytest

from openagent_lib import paths
from openagent_lib.pipeline import sources

LIBRARY = {
    "__init__.py": "",
    "base.py": 'def one():\n    """Return one."""\n    return 1\n',
    "near.py": "from scratchlib import base\n",
    "far.py": "def late():\n    from .near import base\n    return base.one()\n",
    "alone.py": "VALUE = 1\n",
    "room/__init__.py": "from .inner import thing\n",
    "room/inner.py": "from ..base import one\nthing = one\n",
    "named.py": 'import importlib\nimportlib.import_module("scratchlib.alone")\n',
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in LIBRARY.items():
        path = tmp_path / "scratchlib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def reached(root: Path, *cells: str) -> set[str]:
    found = sources.module_hashes(root, "scratchlib", cells)
    return {name.removeprefix("scratchlib.") for name in found}


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("from scratchlib.base import one", {"scratchlib", "base"}),
        ("import scratchlib.alone as a", {"scratchlib", "alone"}),
        ("from scratchlib import far", {"scratchlib", "far", "near", "base"}),
        ("def f():\n    import scratchlib.near", {"scratchlib", "near", "base"}),
        ("from scratchlib.room import thing", {"scratchlib", "room", "room.inner", "base"}),
        ("import scratchlib.named", {"scratchlib", "named", "alone"}),
        ("import numpy, scratchlibrary", set()),
        ("this is no Python", set()),
    ],
)
def test_the_graph_holds_exactly_what_can_be_imported(root: Path, cell: str, expected: set[str]) -> None:
    assert reached(root, cell) == expected


@pytest.mark.parametrize(
    "text",
    [
        'def one():\n    """Return the number one."""\n    return 1\n',
        "# a comment\n\n\ndef one():\n    return 1  # one\n",
        '"""A module."""\n\ndef one():\n    return (1)\n',
    ],
)
def test_comments_docstrings_and_layout_leave_the_hash_as_it_is(text: str) -> None:
    assert sources.code_hash(text) == sources.code_hash(LIBRARY["base.py"])


@pytest.mark.parametrize(
    "text", ["def one():\n    return 2\n", "def two():\n    return 1\n", "def one(x):\n    return 1\n"]
)
def test_code_changes_the_hash(text: str) -> None:
    assert sources.code_hash(text) != sources.code_hash(LIBRARY["base.py"])


def test_a_string_that_is_a_value_changes_the_hash() -> None:
    assert sources.code_hash('X = "a"') != sources.code_hash('X = "b"')


def test_an_edit_is_seen_in_the_same_process(root: Path) -> None:
    before = sources.module_hashes(root, "scratchlib", ["import scratchlib.near"])
    (root / "scratchlib" / "base.py").write_text("def one():\n    return 1.0\n")
    after = sources.module_hashes(root, "scratchlib", ["import scratchlib.near"])
    assert {name for name in after if after[name] != before[name]} == {"scratchlib.base"}


def test_no_library_module_imports_by_a_computed_name() -> None:
    for path in (paths.ROOT / "openagent_lib").glob("**/*.py"):
        text = path.read_text()
        if path.name != "sources.py":
            assert "__import__(" not in text and "import_module(" not in text, path
