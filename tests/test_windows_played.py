"""The lessons, the judge and the services where the system is Windows, as it is played on Linux.

All lessons run where CI is set; elsewhere those that touch what Windows does differently.
"""

import json
import os
import subprocess
import sys
import time

import nbformat
import psutil
import pytest
from nbclient import NotebookClient

from tests import played, windows_judged

ROOT = played.ROOT
pytestmark = [
    pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="Windows is played on Linux alone"
    ),
]
# Sockets, processes and their ids, signals: what Windows has otherwise.
TOUCHED = ["08_loop_sockets", "12_not_blocking", "17_tcp_servers", "21_many_machines"]
LESSONS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
SECONDS_A_CELL = 120  # it ends what hangs


@pytest.mark.parametrize("lesson", LESSONS if os.environ.get("CI") else TOUCHED)
def test_a_lesson_runs_where_windows_is_played(lesson, tmp_path):
    notebook = nbformat.read(ROOT / "notebooks" / f"{lesson}.ipynb", 4)
    failed = failures(notebook, tmp_path)
    assert not failed


def failures(notebook, folder):
    """Run a notebook; return the errors that were not asked for, by the cell's number."""
    kernel = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=SECONDS_A_CELL,
        allow_errors=True,
        resources={"metadata": {"path": ROOT / "notebooks"}},
    )
    kernel.execute(env=played.environment(folder))
    return {
        number: f"{output.ename}: {output.evalue}"
        for number, cell in enumerate(notebook.cells)
        for output in cell.get("outputs", ())
        if output.output_type == "error" and cell.metadata.get("raises") != output.ename
    }


def test_answers_are_judged_where_windows_is_played(tmp_path):
    """A process for each check, no limit of memory by the system, and a console's process."""
    assert json.loads(play(tmp_path, "-m", "tests.windows_judged")) == windows_judged.KINDS


CHILD = """
import psutil
from helpers import services
with services.catalogue() as server:
    print(psutil.Process(server.pid).ppid() == server._child.popen.pid, server.pid)
"""


def test_a_service_says_its_own_process_id_and_not_its_launchers(tmp_path):
    from_launcher, pid = play(tmp_path, "-c", CHILD).split()
    assert from_launcher == "True"
    deadline = time.monotonic() + 10
    while psutil.pid_exists(int(pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not psutil.pid_exists(int(pid))


def play(folder, *arguments):
    """Run a Python that plays; return what it prints."""
    env = played.environment(folder)
    done = subprocess.run(
        [env["PLAYED_LAUNCHER"], *arguments], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
