"""What a notebook calls in its first code cell."""

from dataclasses import dataclass
from pathlib import Path

from openagent_lib import paths
from openagent_lib.config import Profile, get_profile


@dataclass(frozen=True)
class Notebook:
    """The run that a notebook belongs to.

    Attributes:
        profile: Sizes and backbone of the run.
        seed: Seed of the run.
        folder: Run directory, absolute; it exists.
    """

    profile: Profile
    seed: int
    folder: Path


def start(profile: str, seed: int, run_dir: str = "") -> Notebook:
    """Open the run that the parameters name, from whichever folder the kernel was started in.

    Args:
        profile: Name of a profile.
        seed: Seed of the run, at least 0.
        run_dir: Run directory, absolute or relative to the repository; empty for the default of profile and seed.

    Raises:
        ConfigError: There is no such profile.
    """
    settings = get_profile(profile)
    folder = paths.ROOT / run_dir if run_dir else paths.default_run_dir(profile, seed)
    folder.mkdir(parents=True, exist_ok=True)
    return Notebook(profile=settings, seed=seed, folder=folder)
