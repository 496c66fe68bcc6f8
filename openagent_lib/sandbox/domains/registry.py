"""The domains by name, loaded from what a task carries."""

from functools import lru_cache

from openagent_lib.errors import unknown_name
from openagent_lib.sandbox.domain import Domain
from openagent_lib.sandbox.domains.poi import PoiDomain
from openagent_lib.sandbox.task import Task

DOMAINS = {"poi": PoiDomain}


@lru_cache(maxsize=32)
def load_domain(name: str, split: str, world_seed: int) -> Domain:
    """Return the domain with the entities of one split.

    Raises:
        ConfigError: No domain has this name.
    """
    if name not in DOMAINS:
        raise unknown_name("domain", name, DOMAINS)
    return DOMAINS[name](split, world_seed)


def domain_of(task: Task) -> Domain:
    """Return the domain that a task's tools act on."""
    return load_domain(task.domain, task.split, task.world_seed)
