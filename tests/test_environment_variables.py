"""What the library reads from its environment."""

from openagent_lib.environment_variables import STAGE_KEY, stage_key


def test_outside_of_a_stage_the_key_is_empty():
    assert stage_key() == ""


def test_within_a_stage_the_key_is_passed_on(monkeypatch):
    monkeypatch.setenv(STAGE_KEY, "abc")
    assert stage_key() == "abc"
