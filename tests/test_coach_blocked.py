"""A call that waits on the loop's thread is named, whatever waits in it; a busy machine never is.

Besides `time.sleep`, of which the coach knows by name.
"""

import ast
import textwrap

import pytest

from helpers.coach.exercise import judge
from helpers.coach.form import finding
from helpers.coach.judging.load import TELLS
from tests.coach_cells import cell

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
