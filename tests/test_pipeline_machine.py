import os
import platform
import subprocess
from importlib import metadata

import pytest

from openagent_lib.pipeline import machine


@pytest.fixture(autouse=True)
def forget() -> None:
    machine.gpus.cache_clear()


def test_versions_are_the_installed_ones() -> None:
    versions = machine.versions()
    assert versions["python"] == platform.python_version()
    assert versions["numpy"] == metadata.version("numpy")


def test_without_a_driver_the_device_is_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.shutil, "which", lambda _: None)
    assert machine.device().startswith(f"CPU, {machine.cores()} cores")


def test_the_driver_names_the_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.shutil, "which", lambda _: "nvidia-smi")
    answer = subprocess.CompletedProcess([], 0, stdout="Card A\nCard A\n")
    monkeypatch.setattr(machine.subprocess, "run", lambda *_, **__: answer)
    assert machine.device() == "2 x Card A"


def test_a_driver_that_fails_is_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.shutil, "which", lambda _: "/bin/false")
    assert machine.gpus() == ()


def test_memory_is_that_of_the_process_and_zero_when_gone() -> None:
    assert machine.memory_mb(os.getpid()) > 10
    assert machine.memory_mb(2**22 + 7) == 0.0
