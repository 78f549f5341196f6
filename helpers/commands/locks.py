"""The locks: whether they fit pyproject.toml, and making them anew."""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

from .files import write_whole
from .ground import (
    COURSE_LOCK,
    EXTRAS_LOCK,
    HUB_LOCK,
    LOCKS,
    ON_WINDOWS,
    ROOT,
    SITE_LOCK,
    TEST_LOCK,
    Problem,
)
from .processes import clean_environ

HEADER = """\
# Generated from pyproject.toml by: python3 course.py refresh
# dependencies: {}
"""

# What is asked for beyond the dependencies of the course itself.
EXTRAS = {
    TEST_LOCK: ["--extra", "test", "--extra", "hub", "--extra", "site", "--extra", "extras"],
    HUB_LOCK: ["--extra", "hub", "--extra", "site", "--extra", "extras"],
    SITE_LOCK: ["--extra", "site", "--extra", "extras"],
    EXTRAS_LOCK: ["--extra", "extras"],
    COURSE_LOCK: [],
}


def header() -> str:
    """Return the lines that each lock begins with: they carry the sha256 of all dependencies."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    asked = [project["requires-python"], project["dependencies"], project["optional-dependencies"]]
    return HEADER.format(hashlib.sha256(json.dumps(asked).encode()).hexdigest())


def locks_fit() -> bool:
    """Whether all locks were made from the dependencies as pyproject.toml has them now."""
    begin = header()
    return all((ROOT / lock).read_text(encoding="utf-8").startswith(begin) for lock in LOCKS)


def write_locks(upgrade: bool) -> None:
    """Resolve pyproject.toml anew for every supported Python and system; needs the network.

    Versions that are locked already stay, unless `upgrade` is true. No address of a registry gets
    into the files, so that they serve behind a mirror as well. Raises Problem where no resolver
    can be had, or where it finds no versions that fit.
    """
    with tempfile.TemporaryDirectory() as folder:
        uv = resolver(Path(folder, "uv"))
        begin = header()
        texts = {}
        # The larger lock first: it is the smaller one's constraint, so that they agree.
        constraint = []
        for lock in LOCKS:
            resolved = Path(folder, lock.replace("/", "-"))
            shutil.copy(ROOT / lock, resolved)  # versions that are locked stay
            more = EXTRAS[lock] + constraint + (["--upgrade"] if upgrade else [])
            _resolve(uv, resolved, more)
            constraint = ["--constraint", str(resolved)]
            texts[lock] = begin + resolved.read_text(encoding="utf-8")
    for lock, text in texts.items():
        write_whole(ROOT / lock, text)
        print(f"{lock} is written.", flush=True)


def resolver(home: Path) -> str:
    """Return the path of uv: where there is none, of one installed into the new folder `home`.

    Raises Problem where it can't be installed.
    """
    return shutil.which("uv") or _get_uv(home)


def _resolve(uv: str, resolved: Path, more: Sequence[str]) -> None:
    """Let uv write what pyproject.toml comes to into the file `resolved`."""
    command = [uv, "pip", "compile", "pyproject.toml", "--output-file", str(resolved)]
    command += ["--universal", "--python", sys.executable, "--python-version", "3.11"]
    command += ["--generate-hashes", "--no-emit-index-url", "--no-emit-find-links"]
    command += ["--no-header", "--no-annotate", "--quiet", *more]
    done = _run_quietly(command)
    if done.returncode:
        raise Problem("the locks cannot be made: " + " ".join(done.stderr.split()))


def _get_uv(home: Path) -> str:
    """Install uv into a throw-away environment; return its path."""
    bin_folder = home / ("Scripts" if ON_WINDOWS else "bin")
    for command in (
        [sys.executable, "-I", "-m", "venv", str(home)],
        [str(bin_folder / "python"), "-I", "-m", "pip", "install", "-q", "uv"],
    ):
        done = _run_quietly(command)
        if done.returncode:
            why = (done.stderr.strip() or "no word why").splitlines()[-1]
            raise Problem(f"uv, which makes the locks, cannot be installed: {why}")
    return str(bin_folder / "uv")


def _run_quietly(command: Sequence[str]) -> subprocess.CompletedProcess:
    return subprocess.run(
        command,
        cwd=ROOT,
        env=clean_environ(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
