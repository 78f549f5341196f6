"""A call that waits on the loop's thread is named, whatever it waits for; a busy machine is not."""

import ast
import subprocess
import sys
import textwrap

import pytest

from helpers.coach.exercise import judge
from helpers.coach.form import finding
from helpers.coach.judging.load import TELLS
from tests.coach_cells import FIXTURES, cell

pytestmark = [
    pytest.mark.coach,
    pytest.mark.skipif(not TELLS, reason="only Linux tells when a thread was given a processor"),
]

HEAD = "import asyncio, concurrent.futures, os, queue, select, socket, subprocess, sys\n"
HEAD += "import threading, time\n"
# What is said to wait, and how it comes about: the first line that holds the words is named.
WAYS = {
    "threading.Event().wait": "threading.Event().wait(0.25)",
    "lock.acquire": """
        lock = threading.Lock()
        lock.acquire()
        lock.acquire(timeout=0.25)
    """,
    "with lock": """
        lock = threading.Lock()
        lock.acquire()
        threading.Timer(0.25, lock.release).start()
        with lock:
            pass
    """,
    "select.select": "select.select([], [], [], 0.25)",
    "near.recv": """
        near, far = socket.socketpair()
        threading.Timer(0.25, far.send, [b"x"]).start()
        near.recv(1)
        near.close()
        far.close()
    """,
    "things.get": """
        things = queue.Queue()
        threading.Timer(0.25, things.put, [1]).start()
        things.get()
    """,
    "future.result": """
        pool = concurrent.futures.ThreadPoolExecutor()
        future = pool.submit(time.sleep, 0.25)
        future.result()
        pool.shutdown()
    """,
    "with concurrent.futures.ThreadPoolExecutor()": """
        with concurrent.futures.ThreadPoolExecutor() as pool:
            pool.submit(time.sleep, 0.25)
    """,
    "thread.join": """
        thread = threading.Thread(target=time.sleep, args=(0.25,))
        thread.start()
        thread.join()
    """,
    "subprocess.run": "subprocess.run(['sleep', '0.25'])",
    "process.wait": "process = subprocess.Popen(['sleep', '0.25'])\nprocess.wait()",
    "os.system": "os.system('sleep 0.25')",
    "threading.Event().wait, in a function of its own": """
        def nap():
            threading.Event().wait(0.25)
        nap()
    """,
}


def blocking(exercise, text):
    """The model of an exercise that does this first, and the number of that text's first line."""
    lines = (HEAD + exercise.solution()).splitlines()
    function = next(
        node
        for node in ast.walk(ast.parse("\n".join(lines)))
        if isinstance(node, ast.AsyncFunctionDef)
    )
    first = function.body[bool(ast.get_docstring(function))]
    text = textwrap.dedent(text).strip("\n")
    lines[first.lineno - 1 : first.lineno - 1] = textwrap.indent(
        text, " " * first.col_offset
    ).splitlines()
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("id", ["overlap-1", "limited-1", "within-1"])
@pytest.mark.parametrize("words", WAYS)
def test_a_call_that_waits_is_named_with_its_line(id, words):
    exercise = finding.find(id)
    text = blocking(exercise, WAYS[words])
    verdict, _ = judge(exercise, cell(text, exercise.asks))
    words = words.partition(",")[0]
    assert verdict.kind == "blocked", verdict.text()
    assert f"`{words}` waited on the loop's own thread" in verdict.observed
    assert words in text.splitlines()[verdict.line - 1], verdict.text()


# What these wait for on the loop's thread, or start there, is over at once where there is a
# processor for it.
AT_ONCE = {
    "a pool whose work is done": """
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            loop = asyncio.get_running_loop()
            await asyncio.gather(*(loop.run_in_executor(pool, time.time) for _ in range(40)))
    """,
    "a thread that has ended": """
        for _ in range(20):
            thread = threading.Thread(target=time.time)
            thread.start()
            await asyncio.sleep(0)
            thread.join()
    """,
    "a process that begins": """
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", "pass")
        await process.wait()
    """,
    "a file": "for _ in range(20):\n    open(sys.executable, 'rb').read(1_000_000)",
    "a thread that computes": """
        await asyncio.gather(*(asyncio.to_thread(sum, range(2_000_000)) for _ in range(4)))
    """,
}


@pytest.fixture
def busy_machine():
    """Eight processes that compute beside what we ask."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]
    yield
    for process in busy:
        process.kill()
        process.wait()


@pytest.mark.parametrize("what", AT_ONCE)
def test_beside_busy_processes_nothing_is_said_to_wait(what, busy_machine):
    exercise = finding.find("t-together", FIXTURES)
    verdict, _ = judge(exercise, cell(blocking(exercise, AT_ONCE[what]), exercise.asks))
    assert verdict.status in ("solved", "can't tell"), verdict.text()
