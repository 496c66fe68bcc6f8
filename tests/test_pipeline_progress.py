import json
import time
from pathlib import Path

import pytest

from openagent_lib.pipeline import progress


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (59.9, "0:59"), (61, "1:01"), (3600, "60:00")])
def test_a_duration_is_minutes_and_seconds(seconds: float, text: str) -> None:
    assert progress.clock(seconds) == text


def test_the_log_that_grew_last_is_summarised(tmp_path: Path) -> None:
    log = tmp_path / "training" / "sft" / "log.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("".join(json.dumps({"step": step, "loss": 1 / 3}) + "\n" for step in range(5)) + '{"step": 5, "lo')
    assert progress.newest_log(tmp_path, 0) == "training/sft/log.jsonl: 5 lines, step 4, loss 0.3333"
    assert progress.newest_log(tmp_path, time.time() + 60) == "", "a log of an earlier stage is not news"


@pytest.mark.parametrize("content", ["", "torn", "[1]\n", "nothing\n"])
def test_a_log_that_cannot_be_read_is_no_error(tmp_path: Path, content: str) -> None:
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "x.jsonl").write_text(content)
    assert progress.newest_log(tmp_path, 0).startswith("records/x.jsonl: ")


def test_a_line_names_time_estimate_and_cell(tmp_path: Path) -> None:
    heartbeat = progress.Heartbeat(tmp_path, 90.0, 30.0, print)
    heartbeat.cell = "cell train"
    assert heartbeat.line() == "0:00 of about 1:30, cell train"


def test_lines_come_at_the_interval_and_stop_at_the_end(tmp_path: Path) -> None:
    lines: list[str] = []
    with progress.Heartbeat(tmp_path, None, 0.1, lines.append):
        time.sleep(1.2)
    count = len(lines)
    time.sleep(0.6)
    assert count >= 1 and len(lines) == count
