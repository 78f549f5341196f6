"""An answer that takes too long, or too much, is named with its line and in time."""

import asyncio
import sys
import threading
import time
from unittest.mock import Mock

import psutil
import pytest

from helpers.coach.judging.load import TimeLeft
from helpers.coach.judging.sandbox import sandbox
from helpers.coach.judging.watching import look_at
from tests.coach_cells import answer, ask, cell, timed

pytestmark = pytest.mark.coach

HANGS = {
    # name: (text before, body, kind, line that must be named, words of that line)
    "asks twice for a lock": (
        "async def inner(lock):\n    async with lock:\n        pass\n",
        "lock = asyncio.Lock()\nasync with lock:\n    await inner(lock)",
        "deadlock",
        3,
        "waits for itself",
    ),
    "awaits for ever": ("", "await asyncio.Event().wait()", "deadlock", 3, "asyncio.Event"),
    "awaits for ever, real clock": (
        "",
        "await asyncio.Event().wait()",
        "deadlock",
        3,
        "asyncio.Event",
    ),
    "spins": ("", "while True:\n    n = 1", "spin", 3, ""),
    "spins in a bare except": (
        "",
        "while True:\n    try:\n        n = 1\n    except:\n        pass",
        "spin",
        3,
        "",
    ),
    "spins with sleep(0)": ("", "while True:\n    await asyncio.sleep(0)", "spin", 3, ""),
    "time.sleep": ("", "time.sleep(60)", "blocked", 3, "time.sleep(60)"),
    "lock": (
        "",
        "lock = threading.Lock()\nlock.acquire()\nlock.acquire()",
        "blocked",
        5,
        "lock.acquire",
    ),
    "C code": ("", "return sum(range(10**10))", "hog", 3, "sum(range"),
    "computes": ("", "n = 0\nfor i in range(10**12):\n    n += i", "hog", (4, 5), ""),
    "thread": (
        "def work():\n    while True:\n        time.sleep(0.01)\n",
        "threading.Thread(target=work, daemon=True).start()\nreturn ['page a', 'page b', 'page c']",
        "thread",
        (3, 4),
        "",
    ),
    "pool": (
        "def work():\n    while True:\n        time.sleep(0.01)\n",
        "await asyncio.to_thread(work)",
        "thread",
        (3, 4),
        "",
    ),
    "prints without end": ("", "while True:\n    print('again')", "spin", 3, ""),
    "polls": ("", "while True:\n    await asyncio.sleep(1)", "endless", (3, 4), ""),
}


@pytest.mark.parametrize("name", HANGS)
def test_a_hang_is_named_in_time_with_its_line(name):
    before, body, kind, lines, words = HANGS[name]
    clock = "t-real" if "real clock" in name else "t-together"
    verdict, took, limit = timed(clock, answer(body, before))
    text = verdict.text()
    assert verdict.kind == kind, text
    assert verdict.line in (lines if isinstance(lines, tuple) else (lines,)), text
    assert f"Line {verdict.line}" in text and words in text
    assert took < limit
    # and the next answer is judged as ever
    assert (
        ask("t-plain", cell("def double(number):\n    return 2 * number", "double")).status
        == "solved"
    )


def test_deadlock_names_each_task_with_its_line():
    verdict = ask(
        "t-together",
        cell(
            """
import asyncio
async def fetch_all(fetch, urls):
    a, b = asyncio.Lock(), asyncio.Lock()
    async def left():
        async with a:
            await asyncio.sleep(1)
            async with b: pass
    async def right():
        async with b:
            await asyncio.sleep(1)
            async with a: pass
    await asyncio.gather(left(), right())
""",
            "fetch_all",
        ),
    )
    assert verdict.kind == "deadlock"
    for words in (
        "`left` waits at line 7",
        "`right` waits at line 11",
        "`fetch_all` waits at line 12",
        "Lock.acquire",
    ):
        assert words in verdict.observed


def test_tasks_that_cannot_be_seen_at_first_are_looked_for_again():
    # On its way from one await to the next a task waits nowhere: play that nine looks meet it so.
    worker = threading.Thread(target=time.sleep, args=(0.6,))
    worker.start()
    loop, lab = asyncio.new_event_loop(), Mock(cancelling=False, clock="real", long_step=None)
    lab.loop, lab.text.of_frame.return_value, lab.text.places.return_value = loop, None, []
    loop.turns, loop.stood = 0, None
    unseen, seen = ("main", None, None, ""), ("main", "<cell>", 4, "")
    lab.unfinished.side_effect = [RuntimeError("the set changed"), *[[unseen]] * 8, [seen]]
    interval = sys.getswitchinterval()
    hang = look_at(worker, 0.1, lab, Mock(is_new=lambda thread: False), TimeLeft(5, print))
    sys.setswitchinterval(interval)
    worker.join()
    loop.close()
    assert hang.tasks == [seen]


def test_what_ends_while_it_is_looked_at_came_to_an_end():
    body = "await asyncio.to_thread(time.sleep, 0.55)"
    verdict = ask("t-together", answer(body, right=True), limit=0.5)
    assert verdict.status == "solved", verdict.text()


def test_waiting_for_ever_on_the_real_clock_is_no_spin():
    verdict = ask("t-real", answer("while True:\n    await asyncio.sleep(0.02)"))
    assert verdict.kind == "endless" and verdict.line in (3, 4), verdict.text()
    assert "It waited again and again." in verdict.observed


def test_a_hang_in_a_plain_function_and_in_a_comparison():
    verdict = ask("t-plain", cell("def double(number):\n    while True:\n        pass", "double"))
    assert (verdict.kind, verdict.line in (2, 3)) == ("spin", True)
    verdict = ask(
        "t-plain",
        cell(
            """
class Never:
    def __eq__(self, other):
        while True: pass
def double(number):
    return Never()
""",
            "double",
        ),
    )
    assert (verdict.kind, verdict.line) == ("spin", 3)
    assert "of the cell" not in verdict.at


@pytest.mark.parametrize("seconds", [1.0, 2.5])
def test_a_machine_that_stood_still_is_no_fault_of_the_answer(seconds):
    # The short rest is not counted. After the long one the answer is judged once more.
    def stand_still():
        nursery = psutil.Process(sandbox.process.popen.pid)
        judges = [nursery, *nursery.children()]
        for process in judges:
            process.suspend()
        time.sleep(seconds)
        for process in judges:
            process.resume()

    ask("t-real", answer("", right=True))  # from now on there is a judge
    rest = threading.Timer(0.3, stand_still)
    rest.start()
    body = "for _ in range(16):\n    await asyncio.sleep(0.05)"
    verdict = ask("t-real", answer(body, right=True), limit=1.5)
    rest.join()
    assert verdict.status == "solved", verdict.text()


def test_cheating_on_time_does_not_pay():
    in_turn = "return [await fetch(url) for url in urls]"
    for trick in (
        "async def nap(seconds): pass\nasyncio.sleep = nap",
        "loop = asyncio.get_running_loop()\nloop.time = lambda: 0",
    ):
        assert ask("t-together", answer(f"{trick}\n{in_turn}")).status == "not yet"


@pytest.mark.parametrize(
    "before, body",
    [
        ("", "time.sleep(0.5)"),
        ("from time import sleep\n", "for n in range(3):\n    sleep(0.5)"),
        ("from time import sleep as nap\ndef wait():\n    nap(0.5)\n", "wait()"),
    ],
)
def test_blocking_sleep_is_named_however_it_is_spelt(before, body):
    verdict = ask("t-together", answer(body, before, right=True))
    assert verdict.kind == "blocked" and verdict.line, verdict.text()
    assert "time.sleep(0.5)" in verdict.observed


def test_a_sleep_in_a_thread_blocks_nobody():
    assert (
        ask("t-together", answer("await asyncio.to_thread(time.sleep, 0.01)", right=True)).status
        == "solved"
    )


def test_a_patched_sleep_in_the_notebook_changes_nothing(monkeypatch):
    async def nap(seconds):
        pass

    monkeypatch.setattr(asyncio, "sleep", nap)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    verdict = ask("t-together", answer("time.sleep(1)\nreturn [await fetch(url) for url in urls]"))
    assert verdict.kind == "blocked"


def test_a_long_step_is_a_hog():
    verdict = ask(
        "t-together",
        answer(
            "begun = time.thread_time()\nwhile time.thread_time() - begun < 1.5:\n    n = 1",
            right=True,
        ),
        limit=20,
    )
    assert (verdict.kind, verdict.line in (4, 5)) == ("hog", True), verdict.text()


@pytest.mark.parametrize(
    "body",
    [
        "kept = []\nwhile True:\n    kept.append(bytearray(b'x' * 10**6))",
        pytest.param(
            "return [0] * 10**11",
            marks=pytest.mark.skipif(
                not sys.platform.startswith("linux"), reason="only Linux keeps to RLIMIT_DATA"
            ),
        ),
    ],
)
def test_memory_without_end_is_named(body):
    verdict = ask("t-together", answer(body), limit=10)
    assert verdict.kind == "memory" and verdict.line, verdict.text()


def test_recursion_without_end_is_named():
    verdict = ask("t-together", answer("return await fetch_all(fetch, urls)"))
    assert (verdict.kind, verdict.line) == ("recursion", 3)


def test_the_line_of_a_recursion_is_the_one_that_calls_on():
    body = """
    if urls:
        await asyncio.sleep(0)
    return await fetch_all(fetch, urls)
    """
    verdict = ask("t-together", answer(body))
    assert (verdict.kind, verdict.line) == ("recursion", 5), verdict.text()


def test_a_recursion_that_is_slow_is_named_too():
    body = """
    ends = time.thread_time() + 0.004
    while time.thread_time() < ends:
        pass
    await asyncio.sleep(1)
    return await fetch_all(fetch, urls)
    """
    verdict = ask("t-together", answer(body))
    assert (verdict.kind, verdict.line) == ("recursion", 7), verdict.text()
