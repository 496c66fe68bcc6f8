"""The notebooks without training are executed again, and every output must be the committed one."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from openagent_lib import paths

NOTEBOOKS = [
    "01_build_sandbox",
    "02_shift_perception",
    "03_shift_interaction",
    "04_shift_reasoning",
    "05_shift_internalization",
]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the library and its data, so that nothing is written into the real run directories."""
    root = tmp_path_factory.mktemp("repository")
    shutil.copytree(paths.ROOT / "openagent_lib", root / "openagent_lib", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "data").symlink_to(paths.DATA)
    kernel = root / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernel / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "Python 3", "language": "python"}))
    return root


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_outputs_are_those_committed(
    name: str, repository: Path, nb_regression: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("JUPYTER_PATH", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(variable, str(repository / "jupyter"))
    nb_regression.exec_cwd = str(repository)
    nb_regression.exec_timeout = 300
    nb_regression.diff_use_color = False
    nb_regression.exec_env = {
        "PYTHONPATH": str(repository),
        "PYTHONHASHSEED": "0",
        "HF_HUB_OFFLINE": "1",
        "PYTHONWARNINGS": "ignore:IProgress not found",
        "IPYTHONDIR": str(repository / "ipython"),
        "MPLCONFIGDIR": str(repository / "matplotlib"),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    }
    nb_regression.check(str(paths.NOTEBOOKS / f"{name}.ipynb"))
