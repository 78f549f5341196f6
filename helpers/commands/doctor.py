"""`course.py doctor`: what the course stands on, looked at piece by piece."""

import argparse
import contextlib
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from .environment import Environment
from .ground import COURSE_LOCK, DISK_NEEDED, ROOT, VERSION

FILES = 2100  # of one process: the two thousand clients of lesson 17, and some
PROCESSES = (
    200  # and threads, which count as such: what lessons 12, 17 and 22 start, and JupyterLab
)
NO_LIMIT = sys.maxsize
CONTAINER = Path("/sys/fs/cgroup/pids.max")  # how many of them a container may have

LIST_PACKAGES = """
import importlib.metadata, json
print(json.dumps({
    found.name.lower().replace("_", "-").replace(".", "-"): found.version
    for found in importlib.metadata.distributions()
}))
"""


class Finding(NamedTuple):
    """Something that the course stands on. cure: what to do where it is not right."""

    right: bool
    what: str
    cure: str


def run(options: argparse.Namespace) -> int:
    """Print what is found; return 1 if anything is wrong."""
    fine = True
    for right, what, cure in examine(Environment.own()):
        print(f"{'ok' if right else 'WRONG':5}  {what}")
        if not right:
            fine = False
            print(f"       {cure}")
    return 0 if fine else 1


def examine(environment: Environment) -> Iterator[Finding]:
    """Look at everything that the course stands on, from the Python up to its own files."""
    tested = sys.version_info[:2] <= (3, 14)
    yield Finding(tested, f"Python {VERSION}", "newer than the course knows: try Python 3.13")
    yield _look_at_installer()
    writable = os.access(ROOT, os.W_OK)
    yield Finding(writable, f"{ROOT} can be written", "copy the course to a folder of your own")
    yield from look_at_limits()
    name = environment.name
    reason = environment.why_not(COURSE_LOCK)
    if reason is not None:
        free = shutil.disk_usage(ROOT).free // 10**6
        room = f"{free} MB are free, {DISK_NEEDED} are needed"
        yield Finding(free >= DISK_NEEDED, room, "free some space")
        yield Finding(False, f"{name}: {reason}", "type: python3 course.py lab")
        return
    yield Finding(True, f"{name} was made whole by Python {environment.version}", "")
    mend = f"close JupyterLab, delete the folder {name} and type: python3 course.py lab"
    strays = compare_with_lock(environment)
    what = f"its packages are those of {COURSE_LOCK}"
    yield Finding(not strays, what + (": not so " + ", ".join(strays) if strays else ""), mend)
    damaged = "a file of the course is damaged; this shows which: git status"
    for module, cure in ("jupyterlab", mend), ("ipykernel", mend), ("helpers", damaged):
        tried = _run_in(environment, f"import {module}")
        why = ": " + tried.stderr.strip().splitlines()[-1] if tried.returncode else ""
        yield Finding(tried.returncode == 0, f"{module} can be imported{why}", cure)


def look_at_limits() -> Iterator[Finding]:
    """Look at what a container or an administrator may withhold, and which lessons feel it."""
    why = ""
    try:
        multiprocessing.Lock()
    except (ImportError, OSError) as error:
        why = f": not so ({error})"
    cure = "lessons 01, 12, 16 and 22 need it: give the container a /dev/shm that can be written"
    yield Finding(not why, "processes can share a lock" + why, cure)
    files, processes = _files(), _processes()
    cure = "lessons 08 and 17 show less than they could; ulimit -Hn tells the limit"
    yield Finding(files >= FILES, f"{_told(files)} files may be open, {FILES} are asked for", cure)
    cure = "lessons 12, 17 and 22 fail; ulimit -u or the container's pids limit tells it"
    found = f"{_told(processes)} processes are allowed, {PROCESSES} are needed"
    yield Finding(processes >= PROCESSES, found, cure)


def _files() -> int:
    """How many files a process may have open, once it asks for all that it may have."""
    return _limit("RLIMIT_NOFILE", hard=True)


def _processes() -> int:
    """How many processes this user or this container may have."""
    most = NO_LIMIT if _is_root() else _limit("RLIMIT_NPROC", hard=False)
    with contextlib.suppress(OSError, ValueError):  # no container, or "max"
        most = min(most, int(CONTAINER.read_text()))
    return most


def _told(most: int) -> str:
    return "any number of" if most == NO_LIMIT else str(most)


def _is_root() -> bool:
    """Whether this user is the one whom that limit does not bind."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _limit(name: str, hard: bool) -> int:
    """A limit of this process; `NO_LIMIT` where there is none, as on Windows."""
    try:
        import resource
    except ImportError:
        return NO_LIMIT
    most = resource.getrlimit(getattr(resource, name))[hard]
    return NO_LIMIT if most == resource.RLIM_INFINITY else most


def _look_at_installer() -> Finding:
    if shutil.which("uv"):
        return Finding(True, "uv installs the packages", "")
    able = find_spec("venv") is not None and find_spec("ensurepip") is not None
    return Finding(
        able,
        "pip installs the packages, venv makes the environment",
        "on Debian and Ubuntu: apt install python{}.{}-venv".format(*sys.version_info),
    )


def compare_with_lock(environment: Environment) -> list[str]:
    """Return the names of packages that are missing or of another version than in the lock."""
    listing = _run_in(environment, LIST_PACKAGES)
    if listing.returncode:
        return ["all of them"]
    installed = json.loads(listing.stdout)
    lock = (ROOT / COURSE_LOCK).read_text(encoding="utf-8")
    allowed = {}  # a package may be locked twice, for older and for newer Pythons
    for name, version, marked in re.findall(r"^(\S+?)==(\S+)( ;)?", lock, re.MULTILINE):
        allowed.setdefault(name, set()).add(version)
        if marked:
            allowed[name].add(None)
    return sorted(name for name in allowed if installed.get(name) not in allowed[name])


def _run_in(environment: Environment, code: str) -> subprocess.CompletedProcess:
    command = [environment.python, "-I", "-c", code]
    return subprocess.run(command, capture_output=True, text=True)
