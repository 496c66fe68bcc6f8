"""The files around the code agree with each other."""

import importlib.util
import os
import re
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from openagent_lib import __version__, doctor, paths

ROOT = paths.ROOT
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PINS = doctor.pins(paths.LOCK)
INTERPRETERS = ("3.11", "3.12")


def _requirements(texts: list[str]) -> list[Requirement]:
    return [Requirement(text) for text in texts]


def _applies(requirement: Requirement, python: str) -> bool:
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": "x86_64",
        "extra": "",
    }
    return requirement.marker is None or requirement.marker.evaluate(environment)


def test_every_line_of_the_lock_is_one_exact_pin() -> None:
    lines = [line for line in paths.LOCK.read_text().splitlines() if line and not line.startswith("#")]
    assert len(lines) == len(PINS) and list(PINS) == sorted(PINS)
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", line) for line in lines)
    assert not [name for name in PINS if name.startswith(("nvidia-", "cuda-"))], "CUDA comes with torch, where it does"


@pytest.mark.parametrize("requirement", PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"])
def test_every_dependency_is_pinned_within_its_range(requirement: str) -> None:
    wanted = Requirement(requirement)
    assert wanted.specifier.contains(PINS[canonicalize_name(wanted.name)], prereleases=True)


@pytest.mark.parametrize("python", INTERPRETERS)
def test_the_lock_is_closed_and_consistent(python: str) -> None:
    for name in PINS:
        for text in metadata.requires(name) or []:
            needed = Requirement(text)
            if not _applies(needed, python) or re.match(r"(nvidia-|cuda-|triton)", needed.name):
                continue
            key = canonicalize_name(needed.name)
            assert key in PINS, f"{name} needs {text}"
            assert needed.specifier.contains(PINS[key], prereleases=True), f"{name} needs {text}"


def test_the_extra_gpu_is_pinned_and_leaves_the_lock_alone() -> None:
    extra = _requirements(PROJECT["optional-dependencies"]["gpu"])
    assert all(str(requirement.specifier).startswith("==") for requirement in extra)
    assert not {canonicalize_name(requirement.name) for requirement in extra} & PINS.keys()


def test_the_conda_environment_installs_the_lock() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    python, pip, inner = environment["dependencies"]
    assert pip == "pip" and inner == {"pip": ["-r requirements.lock", "-e ."]}
    version = python.removeprefix("python=")
    assert version in INTERPRETERS, "no build string, a supported version"
    assert PROJECT["requires-python"] == ">=3.11,<3.13"


def test_versions_agree() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert PROJECT["version"] == __version__ == citation["version"]


def test_the_three_papers_are_cited() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    found = {identifier["value"] for paper in citation["references"] for identifier in paper["identifiers"]}
    assert found == {"arXiv:2607.01084", "arXiv:2605.11928", "arXiv:2606.26027"}


@pytest.mark.parametrize("name", ["LICENSE", "LICENSE-DATA", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"])
def test_the_documents_are_there(name: str) -> None:
    assert (ROOT / name).read_text().strip()


def test_make_without_a_target_lists_every_documented_target() -> None:
    output = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in "env reproduce smoke test lab status doctor figures bench clean pretrain".split():
        assert re.search(rf"^  make {target} +\S", output, re.MULTILINE), target
    for variable in ("PROFILE", "SEED", "FORCE", "MODEL", "TORCH"):
        assert re.search(rf"^  {variable}=", output, re.MULTILINE), variable


def test_make_hands_its_variables_on() -> None:
    variables = ["PROFILE=smoke", "SEED=5", "FORCE=06,07", "MODEL=owner/name", "VENV=/nowhere"]
    output = subprocess.run(
        ["make", "-n", "reproduce", *variables], cwd=ROOT, capture_output=True, text=True, check=True
    )
    expected = 'run --profile smoke --seed 5 --model "owner/name" --force "06,07"'
    assert expected in output.stdout and "scripts/make_env.sh" in output.stdout


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"TORCH": "gpu"}, "expected TORCH to be auto, cpu, cuda or pypi, found 'gpu'"),
        ({"PYTHON": "/bin/false"}, "expected PYTHON to be Python 3.11 or 3.12, found '/bin/false'"),
    ],
)
def test_a_wrong_variable_of_the_set_up_is_one_clear_line(
    variables: dict[str, str], message: str, tmp_path: Path
) -> None:
    environment = os.environ | {"VENV": str(tmp_path / "venv"), "PYTHON": "", "TORCH": "auto"} | variables
    script = str(ROOT / "scripts" / "make_env.sh")
    result = subprocess.run(["bash", script], env=environment, capture_output=True, text=True, check=False)
    assert result.returncode != 0 and result.stderr.startswith(f"error: {message}") and result.stderr.count("\n") == 1


def test_continuous_integration_runs_the_same_targets() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert os.access(ROOT / ".ci" / "run", os.X_OK) and "make test" in script
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    assert workflow["jobs"]["test"]["steps"][-1]["run"] == "bash .ci/run"


def test_hooks_are_local_and_use_the_environment() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [repository["repo"] for repository in hooks] == ["local"]
    assert all(hook["entry"].startswith(".venv/bin/python ") for hook in hooks[0]["hooks"])


def _check_files() -> object:
    specification = importlib.util.spec_from_file_location("check_files", ROOT / "scripts" / "check_files.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("token = 'hf_" + "a" * 34 + "'", "model hub token"),
        ("AKIA" + "ABCDEFGH12345678", "cloud key"),
        ("-----BEGIN " + "PRIVATE KEY-----", "private key"),
        ("api_key" + ' = "0123456789abcdefghij0123"', "assigned secret"),
        ("open('/ho" + "me/someone/data/x')", "path of one machine"),
        ("x" * 1_100_000, "expected at most 1000 KB"),
    ],
)
def test_secrets_large_files_and_machine_paths_are_found(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "x.txt"
    path.write_text(content)
    assert message in _check_files().problems(path)[0]


@pytest.mark.parametrize(
    "content", ["see https://example.org/home/someone/x", "api_key = os.environ['KEY']", "a ~/x b"]
)
def test_ordinary_text_is_no_secret(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.txt"
    path.write_text(content)
    assert _check_files().problems(path) == []


def test_nothing_in_the_repository_is_large_secret_or_of_one_machine() -> None:
    module = _check_files()
    assert [line for path in module.listed() if path.is_file() for line in module.problems(path)] == []
