"""Every notebook runs in a fresh kernel, and every kind of failure turns the run red."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

from tests.broken_notebooks import BROKEN, SOUND
from tests.listeners import BINDING

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("notebooks", "exercises", "solutions")
NOTEBOOKS = [  # what exercises and solutions hold, the coach's tests run on every Python
    pytest.param(path, marks=[pytest.mark.once] if room != "notebooks" else [])
    for room in ROOMS
    for path in sorted((ROOT / room).glob("*.ipynb"))
]
SECONDS_A_CELL = 120  # it ends what hangs; a busy machine may take long for many requests

pytestmark = pytest.mark.notebooks


def run_notebook(path, home, rules=True, twice=True):
    """Run one notebook through nbval in a process of its own; return (exit status, report).

    twice: whether all cells run once more in the same kernel.
    """
    command = [
        sys.executable,
        "-m",
        "pytest",
        str(path),
        "-q",
        "-p",
        "no:cacheprovider",
        "-o",
        "addopts=",
        *(["-p", "tests.notebook_rules"] if rules else []),
        "-p",
        "nbval.plugin",
        "--nbval-lax",
        "--nbval-current-env",
        f"--nbval-cell-timeout={SECONDS_A_CELL}",
        f"--nbval-sanitize-with={ROOT / 'tests' / 'notebook_outputs.cfg'}",
    ]
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(BINDING), str(ROOT)]),
        "NOTED_BINDS": str(home / "binds"),
        "ASYNC_COURSE_DATA": str(home),
        "RUN_ONCE": "" if twice else "yes",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # the others take longer to load than a notebook
    }
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_runs_from_a_fresh_kernel_twice_and_leaves_nothing(path, tmp_path, request):
    """Where only what may differ between Pythons is run, once: a second run differs in none."""
    twice = "not once" not in request.config.getoption("markexpr")
    status, report = run_notebook(path, tmp_path, twice=twice)
    assert status == 0, report


@pytest.mark.once
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_notebook_turns_the_run_red(name, tmp_path):
    status, report = run_notebook(BROKEN[name].write(tmp_path), tmp_path)
    assert status == 1, report
    assert BROKEN[name].says in report


@pytest.mark.once
def test_a_sound_notebook_with_an_intended_error_passes(tmp_path):
    status, report = run_notebook(SOUND.write(tmp_path), tmp_path)
    assert status == 0, report


@pytest.mark.once
def test_a_timeline_says_what_it_shows_in_a_page_made_by_nbconvert():
    cells = [
        "from helpers import record, run, timeline",
        "import asyncio",
        "with record() as rec:\n    run(asyncio.sleep(1), clock='virtual')\ntimeline(rec)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    NotebookClient(
        notebook, kernel_name="python3", resources={"metadata": {"path": ROOT}}
    ).execute()
    page, _ = HTMLExporter().from_notebook_node(notebook)
    (alt,) = re.findall(r'<img[^>]*\balt="([^"]*)"', page)
    assert "virtual time" in alt
    assert re.search(r"<details><summary>In words</summary>.*waited 1.00 s for sleep", page)


@pytest.mark.once
def test_an_async_test_that_fails_is_seen_to_fail(tmp_path):
    file = tmp_path / "test_async.py"
    file.write_text("async def test_sum():\n    assert 1 + 1 == 3\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1, done.stdout
