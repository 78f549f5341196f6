"""Copies of the course, whole or small, and course.py run in them as a learner runs it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What `python3` is to a learner: not the environment that runs the tests.
PYTHON = getattr(sys, "_base_executable", sys.executable)
PARTS = (
    "course.py",
    "helpers/commands",
    "overrides.json",
    "pyproject.toml",
    "requirements.txt",
    "requirements-extras.txt",
    "site/requirements.txt",
    "teaching/hub/requirements.txt",
    "tests/requirements.txt",
)


def environ(**changes):
    """The variables of a learner without uv, whose terminal is no test's."""
    names = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "JUPYTER", "JPY_", "VIRTUAL_ENV"))
    }
    folders = names["PATH"].split(os.pathsep)
    names["PATH"] = os.pathsep.join(
        folder for folder in folders if not shutil.which("uv", path=folder)
    )
    return names | changes


def start(folder, *arguments, python=PYTHON, **changes):
    return subprocess.Popen(
        [python, "course.py", *arguments],
        cwd=folder,
        env=environ(**changes),
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def course(folder, *arguments, python=PYTHON, **changes):
    return subprocess.run(
        [python, "course.py", *arguments],
        cwd=folder,
        env=environ(**changes),
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )


MAKE = """
from helpers.commands import ground
from helpers.commands.environment import Environment
Environment.own().make(ground.{})
"""


def make(folder, python=PYTHON, lock="COURSE_LOCK", **changes):
    """Make the environment and do nothing with it."""
    done = subprocess.run(
        [python, "-c", MAKE.format(lock)],
        cwd=folder,
        env=environ(**changes),
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def one_line(done):
    """The one line that course.py ended with, and nothing like a traceback before it."""
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("course.py: ")
    return done.stderr


def cut_lock(name, *packages):
    """Return the lock `name` cut down to a few packages, at their versions, with their hashes."""
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=\S)", text)
    return "\n".join(block for block in blocks if block.split("==")[0] in packages) + "\n"


def copy_course(folder):
    """Copy what course.py stands on, with one empty module for all the rest."""
    for part in PARTS:
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / part, folder / part, ignore=ignored)
        else:
            shutil.copy(ROOT / part, folder / part)
    (folder / "helpers" / "__init__.py").touch()
    return folder


def copy_small_course(folder):
    """The same with a lock that names two small packages."""
    copy_course(folder)
    (folder / "requirements.txt").write_text(cut_lock("requirements.txt", "six", "idna"))
    return folder


def python_in(folder, name=".venv"):
    return folder / name / "bin" / "python"
