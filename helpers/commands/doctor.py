"""`course.py doctor`: what the course stands on, looked at piece by piece."""

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec

from . import machine, room
from .environment import Environment
from .findings import Finding, report
from .ground import COURSE_LOCK, DISK_NEEDED, PYTHON, ROOT, VERSION


def run(options: argparse.Namespace) -> int:
    """Print what is found; return 1 if anything is wrong."""
    environment = Environment.own()
    status = report(examine(environment))
    if options.room is None or not environment.works():
        return status
    print("\nFor a class:")
    return max(status, report(room.look(environment, options.room)))


def examine(environment: Environment) -> Iterator[Finding]:
    """Look at everything that the course stands on, from the Python up to its own files."""
    tested = sys.version_info[:2] <= (3, 14)
    yield Finding(tested, f"Python {VERSION}", "newer than the course knows: try Python 3.13")
    yield _look_at_installer()
    writable = os.access(ROOT, os.W_OK)
    yield Finding(writable, f"{ROOT} can be written", "copy the course to a folder of your own")
    yield from look_at_machine()
    name = environment.name
    reason = environment.why_not(COURSE_LOCK)
    if reason is not None:
        free = shutil.disk_usage(ROOT).free // 10**6
        room = f"{free} MB are free, {DISK_NEEDED} are needed"
        yield Finding(free >= DISK_NEEDED, room, "free some space")
        works = "; it works as before" if environment.works() else ""
        yield Finding(False, f"{name}: {reason}{works}", f"type: {PYTHON} course.py lab")
        return
    yield Finding(True, f"{name} was made whole by Python {environment.version}", "")
    mend = f"close JupyterLab, delete the folder {name} and type: {PYTHON} course.py lab"
    strays = environment.compare_with_lock(COURSE_LOCK)
    what = f"its packages are those of {COURSE_LOCK}"
    yield Finding(not strays, what + (": not so " + ", ".join(strays) if strays else ""), mend)
    damaged = "a file of the course is damaged; this shows which: git status"
    for module, cure in ("jupyterlab", mend), ("ipykernel", mend), ("helpers", damaged):
        tried = environment.run(f"import {module}")
        why = ": " + tried.stderr.strip().splitlines()[-1] if tried.returncode else ""
        yield Finding(tried.returncode == 0, f"{module} can be imported{why}", cure)


def look_at_machine() -> Iterator[Finding]:
    """Look at what a container, a guest account or Windows may lack."""
    for why, right in (
        (machine.why_path_too_long(), "the path of this folder is short enough"),
        (machine.why_no_home(), "JupyterLab can keep its files"),
        (machine.why_no_semaphores(), "processes can share a lock"),
    ):
        what, _, cure = (why or right).partition(": ")
        yield Finding(why is None, what, cure)
    files = machine.most_files()
    yield Finding(
        files is None or files >= machine.FILES_WANTED,
        f"{files or 'any number of'} files can be open at once",
        f"lesson 17 serves fewer connections; for all: ulimit -n {machine.FILES_WANTED}",
        less=True,
    )
    processes = machine.most_processes()
    few = processes is not None and processes < machine.PROCESSES_NEEDED
    yield Finding(
        processes is None or processes >= machine.PROCESSES_WANTED,
        f"{processes or 'any number of'} processes and threads can run at once",
        f"lessons 12, 17 and 22 need {machine.PROCESSES_NEEDED}: raise the limit"
        if few
        else "lesson 17 serves fewer connections by threads",
        less=not few,
    )


def _look_at_installer() -> Finding:
    if shutil.which("uv"):
        return Finding(True, "uv installs the packages", "")
    able = find_spec("venv") is not None and find_spec("ensurepip") is not None
    return Finding(
        able,
        "pip installs the packages, venv makes the environment",
        "on Debian and Ubuntu: apt install python{}.{}-venv".format(*sys.version_info),
    )
