import pytest

from openagent_lib.errors import ConfigError
from openagent_lib.pipeline.stage import PROJECT, STAGES


def test_every_stage_comes_after_those_it_needs() -> None:
    seen: set[str] = set()
    for stage in STAGES:
        assert set(stage.needs) <= seen, stage.name
        seen.add(stage.name)


def test_every_input_is_written_by_a_needed_stage() -> None:
    for stage in STAGES:
        offered = {
            path for need in stage.needs for path in (*PROJECT.stage(need).writes, *PROJECT.stage(need).volatile)
        }
        assert set(stage.reads) <= offered, stage.name


def test_no_two_stages_write_the_same() -> None:
    written = [path for stage in STAGES for path in (*stage.writes, *stage.volatile)]
    assert len(written) == len(set(written))


@pytest.mark.parametrize("name", ["06", "06_train_sft"])
def test_a_stage_is_found_by_name_and_by_number(name: str) -> None:
    assert PROJECT.stage(name).name == "06_train_sft"


def test_an_unknown_stage_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"unknown stage '06_train_sftt'.* did you mean '06_train_sft'\?"):
        PROJECT.stage("06_train_sftt")


def test_a_stage_brings_what_it_needs_in_order() -> None:
    assert [stage.name for stage in PROJECT.with_needs(["07"])] == ["01_build_sandbox", "06_train_sft", "07_train_grpo"]
