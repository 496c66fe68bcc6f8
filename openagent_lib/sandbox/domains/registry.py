"""The domains by name, and their worlds, loaded from what a task carries."""

from functools import lru_cache

from openagent_lib.errors import unknown_name
from openagent_lib.sandbox.domain import Domain
from openagent_lib.sandbox.domains.medical.domain import MEDICAL
from openagent_lib.sandbox.domains.poi.domain import POI
from openagent_lib.sandbox.task import Task
from openagent_lib.sandbox.world import World

DOMAINS: dict[str, Domain] = {domain.name: domain for domain in (POI, MEDICAL)}
"""A further domain is one module and one entry here."""


def get_domain(name: str) -> Domain:
    """Return a domain by name.

    Raises:
        ConfigError: No domain has this name.
    """
    if name not in DOMAINS:
        raise unknown_name("domain", name, DOMAINS)
    return DOMAINS[name]


@lru_cache(maxsize=32)
def load_world(name: str, split: str, world_seed: int) -> World:
    """Return the world of a domain with the entities of one split.

    Raises:
        ConfigError: No domain has this name.
    """
    return World(get_domain(name), split, world_seed)


def world_of(task: Task) -> World:
    """Return the world that a task's tools act on."""
    return load_world(task.domain, task.split, task.world_seed)
