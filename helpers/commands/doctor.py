"""`course.py doctor`: what the course stands on, looked at piece by piece."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import NamedTuple

from .environment import Environment
from .ground import COURSE_LOCK, DISK_NEEDED, ROOT, VERSION

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
