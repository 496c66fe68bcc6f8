"""The only place that reads the process's environment variables."""

import os

STAGE_KEY = "OPENAGENT_STAGE_KEY"
BACKBONE_CACHE = "OPENAGENT_BACKBONES"


def stage_key() -> str:
    """Return the hash of code, parameters and inputs of the notebook stage that runs, empty outside of one.

    Long jobs put it into their settings: what an earlier version of the code left behind is not resumed.
    """
    return os.environ.get(STAGE_KEY, "")


def backbone_cache() -> str:
    """Return the folder for backbones that are written out on first use, empty for the default one."""
    return os.environ.get(BACKBONE_CACHE, "")
