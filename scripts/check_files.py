"""Check what is about to be committed: no large file, no secret, no path of one machine. Offline, without packages.

Usage: check_files.py [FILE ...]; without files, everything that git tracks or would add.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT_KB = 1000
NOTEBOOK_LIMIT_KB = 400
LARGE = {"data/backbone/model.safetensors": 15_000}
TEXT_LIMIT = 5_000_000
SECRETS = {
    "private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "cloud key": re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    "model hub token": re.compile(r"\bhf_[A-Za-z0-9]{30,}\b"),
    "API key": re.compile(r"\bsk-[A-Za-z0-9_-]{20,}\b"),
    "code host token": re.compile(r"\bgh[pousr]_[A-Za-z0-9]{30,}\b|\bgithub_pat_[A-Za-z0-9_]{30,}\b"),
    "assigned secret": re.compile(
        r"""(?i)\b(?:api_?key|secret|password|access_?token)["']?\s*[:=]\s*["'][A-Za-z0-9+/_-]{20,}["']"""
    ),
}
MACHINE_PATH = re.compile(r"(?<![\w:/.~$])/(?:home|Users|root)/[\w.-]+/")


def listed() -> list[Path]:
    """Return the files that git tracks or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in output.split("\0") if name]


def problems(path: Path) -> list[str]:
    """Return one line per thing that is wrong with a file."""
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)
    size = path.stat().st_size
    limit = LARGE.get(name, NOTEBOOK_LIMIT_KB if path.suffix == ".ipynb" else LIMIT_KB)
    found = [f"{name}: expected at most {limit} KB, found {size // 1000}"] if size > limit * 1000 else []
    try:
        text = path.read_text(encoding="utf-8") if size < TEXT_LIMIT else ""
    except UnicodeDecodeError:
        return found
    for kind, pattern in SECRETS.items():
        for match in pattern.finditer(text):
            found.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}: looks like a secret ({kind})")
    for match in MACHINE_PATH.finditer(text):
        found.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}: path of one machine ({match[0]})")
    return found


def main(names: list[str]) -> int:
    """Print the problems and return 1 if there are any."""
    paths = [Path(name).resolve() for name in names] or listed()
    found = [line for path in paths if path.is_file() for line in problems(path)]
    print("\n".join(found) if found else f"{len(paths)} files checked: no large file, secret or path of one machine")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
