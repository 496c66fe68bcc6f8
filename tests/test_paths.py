"""Paths: where things lie, and writing that never leaves half a file."""

import os

import pytest

from openagent_lib import paths


def test_the_project_root_holds_the_package_and_the_build_file():
    assert (paths.ROOT / "openagent_lib" / "paths.py").is_file()
    assert (paths.ROOT / "pyproject.toml").is_file()


def test_a_run_folder_names_profile_and_seed():
    assert paths.default_run_dir("smoke", 3) == paths.ROOT / "runs" / "smoke-s3"


@pytest.mark.parametrize("content", ["größer\nzweite\n", b"\x00\xff"])
def test_writing_makes_folders_and_keeps_every_byte(tmp_path, content):
    path = paths.write_atomic(tmp_path / "a" / "b.txt", content)
    assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert [item.name for item in path.parent.iterdir()] == ["b.txt"]


def test_writing_replaces_a_file_whole(tmp_path):
    paths.write_atomic(tmp_path / "x", "a long first content")
    paths.write_atomic(str(tmp_path / "x"), "short")
    assert (tmp_path / "x").read_text() == "short"


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = paths.write_atomic(tmp_path / "x", "old")

    def fail(descriptor):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        paths.write_atomic(path, "new")
    assert path.read_text() == "old"
