import dataclasses
from pathlib import Path

import pytest

from openagent_lib.pipeline import receipt
from openagent_lib.pipeline.receipt import Identity, Receipt

IDENTITY = Identity("c", {"seed": 1}, {"m": "h"}, {"i": "h"}, {"s": "h"}, "l")
RECEIPT = Receipt("01_a", IDENTITY, {"o": "h"}, 1, "cpu", "CPU", {"python": "3.11"}, 1.5, 2.5, 3)


def test_a_receipt_is_read_as_it_was_written(tmp_path: Path) -> None:
    receipt.write(tmp_path, RECEIPT)
    assert receipt.read(tmp_path, "01_a") == RECEIPT


@pytest.mark.parametrize("content", ["", "{", "[]", '{"stage": "01_a"}', '{"identity": {"unknown": 1}}'])
def test_a_damaged_receipt_proves_nothing(tmp_path: Path, content: str) -> None:
    receipt.path_of(tmp_path, "01_a").parent.mkdir()
    receipt.path_of(tmp_path, "01_a").write_text(content)
    receipt.attempt_of(tmp_path, "01_a").write_text(content)
    assert receipt.read(tmp_path, "01_a") is None
    assert receipt.attempt(tmp_path, "01_a").get("identity") in (None, {"unknown": 1})


def test_a_start_takes_the_receipt_and_an_end_takes_the_mark(tmp_path: Path) -> None:
    receipt.write(tmp_path, RECEIPT)
    receipt.begin(tmp_path, "01_a", IDENTITY, 7.0)
    assert receipt.read(tmp_path, "01_a") is None
    assert receipt.attempt(tmp_path, "01_a") == {"identity": IDENTITY.key(), "estimate": 7.0}
    receipt.write(tmp_path, RECEIPT)
    assert receipt.attempt(tmp_path, "01_a") == {}


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Identity)])
def test_every_part_counts_for_the_key(field: str) -> None:
    other = "x" if isinstance(getattr(IDENTITY, field), str) else {"x": "y"}
    assert dataclasses.replace(IDENTITY, **{field: other}).key() != IDENTITY.key()
