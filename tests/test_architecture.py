"""The shape of the library: who may import whom, how fast it starts, and how large its modules are."""

import ast
import os
import subprocess
import sys

import pytest

from openagent_lib import paths

PACKAGE = paths.ROOT / "openagent_lib"
FILES = sorted(PACKAGE.rglob("*.py"))
FOUNDATION = {"errors", "paths", "randomness", "config", "environment_variables"}
MAY_IMPORT = {
    "sandbox": {"sandbox"},
    "shifts": {"sandbox", "shifts"},
    "agents": {"sandbox", "agents"},
    "evaluation": {"sandbox", "shifts", "agents", "evaluation"},
    "training": {"sandbox", "shifts", "agents", "evaluation", "training"},
    "report": {"sandbox", "evaluation", "report"},
    "pretraining": {"sandbox", "agents", "evaluation", "report", "pretraining"},
}
PURE_SANDBOX = {"errors", "paths", "randomness"}
HEAVY = {"torch", "transformers", "trl", "unsloth", "peft", "accelerate", "vllm", "bitsandbytes"}
# The doctor asks torch for the device.
HEAVY_FILES = {"agents/local.py", "agents/prefix_cache.py", "agents/vllm.py", "doctor.py"}
HEAVY_ROOMS = {"training", "pretraining"}
MOST_LINES = 400


def name_of(file):
    return file.relative_to(PACKAGE).as_posix()


def room_of(file):
    parts = file.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


def imports_of(file):
    """Return the dotted names that a file imports anywhere, also inside functions, but not for type checks alone."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    ignored = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test)
        for node in ast.walk(block)
    }
    names = set()
    for node in ast.walk(tree):
        if id(node) in ignored:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(file)} imports relatively"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def rooms_imported(file):
    """Return the first parts, below the package, of what a file imports from it."""
    return {name.split(".")[1] for name in imports_of(file) if name.startswith("openagent_lib.")}


def in_room(*rooms):
    return [file for file in FILES if room_of(file) in rooms]


@pytest.mark.parametrize("file", in_room(*MAY_IMPORT), ids=name_of)
def test_a_lower_room_never_imports_an_upper_one(file):
    allowed = MAY_IMPORT[room_of(file)] | FOUNDATION
    assert rooms_imported(file) <= allowed


@pytest.mark.parametrize("file", in_room("sandbox", "shifts"), ids=name_of)
def test_the_sandbox_knows_no_profiles_and_no_environment_variables(file):
    assert rooms_imported(file) <= MAY_IMPORT[room_of(file)] | PURE_SANDBOX


@pytest.mark.parametrize("file", [file for file in FILES if file.stem in FOUNDATION and not room_of(file)], ids=name_of)
def test_the_foundation_stands_on_itself(file):
    assert rooms_imported(file) <= FOUNDATION


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_heavy_libraries_are_imported_by_models_and_training_only(file):
    heavy = {name.split(".")[0] for name in imports_of(file)} & HEAVY
    assert not heavy or room_of(file) in HEAVY_ROOMS or name_of(file) in HEAVY_FILES


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_a_module_is_short(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("file", [file for file in FILES if file.name == "__init__.py" and room_of(file)], ids=name_of)
def test_a_package_file_holds_its_docstring_only(file):
    (statement,) = ast.parse(file.read_text(encoding="utf-8")).body
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Constant)


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_everything_public_has_a_docstring(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "the module"
    assert undocumented(tree.body) == []


def undocumented(body):
    found = []
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            if not ast.get_docstring(node):
                found.append(node.name)
            if isinstance(node, ast.ClassDef):
                found += undocumented(node.body)
    return found


def run_python(code):
    environment = {**os.environ, "PYTHONPATH": str(paths.ROOT)}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def test_importing_the_library_takes_under_a_second_and_loads_nothing_heavy():
    code = (
        "import sys, time; start = time.perf_counter(); import openagent_lib; "
        "print(time.perf_counter() - start, *sorted(sys.modules))"
    )
    seconds, *modules = run_python(code).split()
    assert float(seconds) < 1.0
    slow = HEAVY | {"numpy", "pandas", "matplotlib", "datasets"}
    assert {module.split(".")[0] for module in modules}.isdisjoint(slow)


def test_sandbox_shifts_and_evaluation_load_nothing_heavy():
    modules = [
        "sandbox.dataset", "sandbox.environment", "shifts.catalogue", "agents.scripted", "evaluation.run",
        "evaluation.suite",
        "evaluation.records",
    ]  # fmt: skip
    imports = "; ".join(f"import openagent_lib.{module}" for module in modules)
    loaded = run_python(f"import sys; {imports}; print(*sorted(sys.modules))").split()
    assert {module.split(".")[0] for module in loaded}.isdisjoint(HEAVY | {"datasets"})


@pytest.mark.parametrize("module", ["doctor", "__main__", "pipeline.run", "training.run", "report.figures"])
def test_what_a_command_starts_with_loads_no_torch(module):
    loaded = run_python(f"import sys, openagent_lib.{module}; print(*sorted(sys.modules))").split()
    assert {name.split(".")[0] for name in loaded}.isdisjoint(HEAVY)


def test_every_module_can_be_parsed_by_the_oldest_supported_python():
    for file in FILES:
        ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 11))
