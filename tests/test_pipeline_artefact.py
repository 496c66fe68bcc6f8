import json
import struct
from pathlib import Path

import pytest

from openagent_lib.errors import DataError
from openagent_lib.pipeline import artefact


def _safetensors(data: bytes, size: int) -> bytes:
    header = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, size]}}).encode()
    return struct.pack("<Q", len(header)) + header + data


def _png() -> bytes:
    import io

    from PIL import Image

    buffer = io.BytesIO()
    Image.new("RGB", (2, 2)).save(buffer, "PNG")
    return buffer.getvalue()


def _parquet() -> bytes:
    import io

    import pyarrow
    import pyarrow.parquet

    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), buffer)
    return buffer.getvalue()


GOOD = {
    "a.json": b"[1]",
    "a.jsonl": b'{"a": 1}\n{"a": 2}\n',
    "a.csv": b"a,b\n1,2\n",
    "a.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "a.safetensors": _safetensors(b"\0\0\0\0", 4),
    "a.png": _png(),
    "a.parquet": _parquet(),
    "a.txt": b"anything",
}
BAD = {
    "a.json": b"[1",
    "b.jsonl": b'{"a": 1}\n{"a": ',
    "c.jsonl": b'{"a": 1}\nnothing\n',
    "a.csv": b"a,b\n1\n",
    "a.svg": b"<svg>",
    "a.safetensors": _safetensors(b"\0\0", 4),
    "b.safetensors": b"\xff" * 20,
    "a.png": _png()[:-20],
    "a.parquet": _parquet()[:-20],
    "empty.txt": b"",
}


@pytest.mark.parametrize("name", GOOD)
def test_a_whole_artefact_is_valid(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(GOOD[name])
    artefact.validate(tmp_path / name)


@pytest.mark.parametrize("name", BAD)
def test_a_corrupt_artefact_is_one_clear_line(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(BAD[name])
    with pytest.raises(DataError, match=r"^expected .* found (a corrupt|an empty) file") as caught:
        artefact.validate(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_globs_find_files_in_folders_and_skip_hidden_ones(tmp_path: Path) -> None:
    for name in ("d/x.json", "d/.x.json.tmp", "d/e/y.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
    assert list(artefact.expand(tmp_path, ["d/*"])) == ["d/x.json"]
    assert list(artefact.expand(tmp_path, ["d/**/*.json"])) == ["d/e/y.json", "d/x.json"]
    assert artefact.unmatched(tmp_path, ["d/*", "f/*"]) == ["f/*"]


def test_a_hash_follows_the_content(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("a")
    first = artefact.digest(path)
    path.write_text("bb")
    second = artefact.digest(path)
    path.write_text("a")
    assert (first == artefact.digest(path)) and first != second


def test_removal_takes_files_and_folders_and_nothing_else(tmp_path: Path) -> None:
    for name in ("a/b/c", "a/d", "e"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
    artefact.remove(tmp_path, ["a/b", "nothing/*"])
    assert list(artefact.expand(tmp_path, ["**/*"])) == ["a/d", "e"]
