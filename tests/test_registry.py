"""Domains by name, and their worlds."""

import pytest

from openagent_lib.errors import ConfigError
from openagent_lib.sandbox.builder import make_task
from openagent_lib.sandbox.domains.registry import DOMAINS, get_domain, load_world, world_of
from openagent_lib.sandbox.world import SPLITS


def test_the_world_of_training_comes_first():
    assert list(DOMAINS) == ["poi", "medical"]


@pytest.mark.parametrize("load", [get_domain, lambda name: load_world(name, "test", 0)], ids=["domain", "world"])
def test_an_unknown_domain_is_refused_with_the_nearest_name(load):
    with pytest.raises(ConfigError, match="unknown domain 'poy'.*did you mean 'poi'") as caught:
        load("poy")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("name", DOMAINS)
@pytest.mark.parametrize("split", SPLITS)
def test_a_task_finds_the_entities_of_its_own_domain_split_and_world_seed(name, split):
    for world_seed in (0, 3):
        task = make_task(split, 0, world_seed=world_seed, domain=name)
        world = world_of(task)
        assert world is load_world(name, split, world_seed)
        assert world.run(task.gold_chain[0].function, dict(task.gold_chain[0].arguments))


@pytest.mark.parametrize("name", DOMAINS)
def test_a_domain_and_its_world_know_their_name(name):
    assert get_domain(name).name == name
    assert load_world(name, "test", 0).domain is get_domain(name)
