"""Domains by name."""

import pytest

from openagent_lib.errors import ConfigError
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.domains.registry import DOMAINS, domain_of, load_domain


def test_an_unknown_domain_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match="unknown domain 'poy'.*did you mean 'poi'"):
        load_domain("poy", "test", 0)


def test_a_task_finds_the_entities_of_its_own_split():
    for split in ("train", "test"):
        task = make_tasks(split, 1)[0]
        assert domain_of(task) is load_domain(task.domain, split, 0)


@pytest.mark.parametrize("name", DOMAINS)
def test_a_domain_knows_its_name(name):
    assert load_domain(name, "test", 0).name == name
