"""Errors: one family, one line, with the nearest name."""

import pytest

from openagent_lib import errors

CLASSES = (errors.ConfigError, errors.DataError, errors.ToolFailure, errors.CheckpointError, errors.PipelineError)


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error_is_of_one_family(kind):
    assert issubclass(kind, errors.OpenAgentError)


def test_a_misspelt_name_gets_the_nearest_one():
    problem = errors.unknown_name("profile", "smok", ["cpu", "smoke"])
    assert str(problem) == "unknown profile 'smok': expected one of cpu, smoke; did you mean 'smoke'?"


def test_a_name_near_to_nothing_gets_no_guess():
    problem = errors.unknown_name("profile", "zzz", ["cpu", "smoke"])
    assert isinstance(problem, errors.ConfigError)
    assert "did you mean" not in str(problem)


def test_a_name_with_line_breaks_stays_on_one_line():
    assert len(str(errors.unknown_name("profile", "a\nb", ["cpu"])).splitlines()) == 1
