"""The kernel is not harmed by its judge, and the judge doesn't outlive its kernel."""

import builtins
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time

import psutil
import pytest

from helpers.coach.judging.sandbox import sandbox
from tests.coach_cells import answer, ask, cell

pytestmark = pytest.mark.coach


def test_the_kernel_is_as_it_was():
    before = (
        set(threading.enumerate()),
        builtins.len,
        time.sleep,
        os.environ.copy(),
        os.getcwd(),
        sys.stdout,
    )
    ask(
        "t-together",
        answer(
            "import builtins\nbuiltins.len = None\ntime.sleep = None\nos.chdir('/')", right=True
        ),
    )
    now = (builtins.len, time.sleep, os.environ.copy(), os.getcwd(), sys.stdout)
    assert now == before[1:]
    others = [
        thread
        for thread in threading.enumerate()
        if thread not in before[0] and thread.name != "coach"
    ]
    assert not others


def test_checks_from_several_threads_take_turns():
    results = []

    def check():
        results.append(
            ask("t-plain", cell("def double(number):\n    return 2 * number", "double")).status
        )

    threads = [threading.Thread(target=check) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["solved"] * 4


def test_an_ordinary_check_answers_sooner_than_a_python_starts():
    """A tenth of a second on a quiet machine, and as much more on a busy one as the peer takes."""
    right = answer("", right=True)
    ask("t-together", right)
    took, started = [], []
    for _ in range(15):
        begun = time.perf_counter()
        assert ask("t-together", right).status == "solved"
        took.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import asyncio"], check=True)
        started.append(time.perf_counter() - begun)
    print(f"median {statistics.median(took) * 1000:.1f} ms")
    assert statistics.median(took) < statistics.median(started)


def test_a_judge_killed_between_two_checks_is_replaced():
    ask("t-plain", cell("def double(number):\n    return 2 * number", "double"))
    sandbox.process.popen.kill()
    sandbox.process.popen.wait()
    assert (
        ask("t-plain", cell("def double(number):\n    return 2 * number", "double")).status
        == "solved"
    )


KERNEL = """
import os, sys, threading, time
sys.path[:0] = {path!r}
from tests.coach_cells import ask, cell
from helpers.coach.judging.sandbox import sandbox
ask("t-plain", cell("def double(number):\\n    return 2 * number", "double"))
{fork}
print(sandbox.process.popen.pid, flush=True)
ask("t-plain", cell("def double(number):\\n    {body}", "double"), limit={limit})
time.sleep(60)
"""


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is for POSIX")
@pytest.mark.parametrize(
    "body, limit, fork",
    [
        ("while True: pass", 60, ""),
        ("return sum(range(10**10))", 1.5, ""),
        ("while True: pass", 60, "if not os.fork():\n    time.sleep(8)\n    os._exit(0)"),
        ("return 2 * number", 60, "if not os.fork():\n    time.sleep(8)\n    os._exit(0)"),
    ],
    ids=["spins", "in C", "a fork holds the pipe", "idle, a fork holds the pipe"],
)
def test_the_judge_never_outlives_a_killed_kernel(body, limit, fork):
    project = str(pathlib.Path(__file__).parent.parent)
    kernel = subprocess.Popen(
        [sys.executable, "-c", KERNEL.format(path=[project], body=body, limit=limit, fork=fork)],
        stdout=subprocess.PIPE,
        text=True,
    )
    judge = psutil.Process(int(kernel.stdout.readline()))
    time.sleep(0.5)
    assert judge.is_running()
    kernel.kill()
    kernel.wait()
    ends = time.monotonic() + 7
    while judge.is_running() and judge.status() != psutil.STATUS_ZOMBIE and time.monotonic() < ends:
        time.sleep(0.05)
    assert not judge.is_running() or judge.status() == psutil.STATUS_ZOMBIE
    kernel.stdout.close()


def test_the_judge_ends_with_a_kernel_that_ends(tmp_path):
    project = str(pathlib.Path(__file__).parent.parent)
    script = KERNEL.format(path=[project], body="return 2 * number", limit=2, fork="").replace(
        "time.sleep(60)", ""
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert not psutil.pid_exists(int(done.stdout))
