"""Whatever an answer does, its mistake is named with its line, in time, and nothing is harmed."""

import asyncio
import builtins
import contextvars
import os
import pathlib
import pickle
import re
import statistics
import subprocess
import sys
import textwrap
import threading
import time

import psutil
import pytest

from helpers.coach.exercise import judge
from helpers.coach.form import finding
from helpers.coach.judging import packing
from helpers.coach.judging.sandbox import sandbox
from tests.coach_cells import FIXTURES, ask, cell, timed

pytestmark = pytest.mark.coach

HEAD = "import asyncio, os, socket, subprocess, sys, threading, time\n"
RIGHT = "    return await asyncio.gather(*(fetch(url) for url in urls))\n"


def answer(body, before="", right=False):
    """fetch_all with this body, after a line of imports; `right` adds what makes it right."""
    body = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"
    text = HEAD + textwrap.dedent(before) + "async def fetch_all(fetch, urls):\n" + body
    return cell(text + (RIGHT if right else ""), "fetch_all")


# Hangs

HANGS = {
    # name: (text before, body, kind, line that must be named, words of that line)
    "awaits for ever": ("", "await asyncio.Event().wait()", "deadlock", 3, "asyncio.Event"),
    "awaits for ever, real clock": (
        "",
        "await asyncio.Event().wait()",
        "deadlock",
        3,
        "asyncio.Event",
    ),
    "spins": ("", "while True:\n    n = 1", "spin", (3, 4), ""),
    "spins in a bare except": (
        "",
        "while True:\n    try:\n        n = 1\n    except:\n        pass",
        "spin",
        (3, 4, 5, 6, 7),
        "",
    ),
    "spins with sleep(0)": (
        "",
        "while True:\n    await asyncio.sleep(0)",
        "spin",
        (3, 4),  # the look may come while it is on its way from one await to the next
        "",
    ),
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
    "prints without end": ("", "while True:\n    print('again')", "spin", (3, 4), ""),
    "polls": ("", "while True:\n    await asyncio.sleep(1)", "endless", (3, 4), ""),
}


@pytest.mark.parametrize("name", HANGS)
def test_a_hang_is_named_in_time_with_its_line(name):
    before, body, kind, lines, words = HANGS[name]
    verdict, took = timed("t-real" if "real clock" in name else "t-together", answer(body, before))
    text = verdict.text()
    assert verdict.kind == kind, text
    assert verdict.line in (lines if isinstance(lines, tuple) else (lines,)), text
    assert f"Line {verdict.line}" in text and words in text
    assert took < 2.5
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


# Answers that end, change or flood things


@pytest.mark.parametrize(
    "body, words, line",
    [
        ("os._exit(3)", "`os._exit` was called", 3),
        ("sys.exit('bye')", "SystemExit: bye", 3),
        ("raise SystemExit", "SystemExit", 3),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", 3),
        ("try:\n    os._exit(3)\nexcept BaseException:\n    pass", "`os._exit` was called", 4),
    ],
)
def test_ending_the_interpreter_is_named(body, words, line):
    verdict = ask("t-together", answer(body))
    assert (verdict.kind, verdict.line) == ("exits", line), verdict.text()
    assert words in verdict.text()


@pytest.mark.parametrize("seconds", [1.0, 2.5])
def test_a_machine_that_stood_still_is_no_fault_of_the_answer(seconds):
    # The short rest is not counted. After the long one the answer is judged once more.
    def stand_still():
        process = psutil.Process(sandbox.process.popen.pid)
        process.suspend()
        time.sleep(seconds)
        process.resume()

    ask("t-real", answer("", right=True))  # from now on there is a judge
    rest = threading.Timer(0.3, stand_still)
    rest.start()
    body = "for _ in range(16):\n    await asyncio.sleep(0.05)"
    verdict = ask("t-real", answer(body, right=True), limit=1.5)
    rest.join()
    assert verdict.status == "solved", verdict.text()


def test_crashing_the_interpreter_is_named():
    verdict = ask("t-together", answer("os.abort()"))
    assert (verdict.kind, verdict.line) == ("crashed", 3)
    assert "Aborted" in verdict.observed
    if os.name != "nt":
        verdict = ask("t-together", answer("os.kill(os.getpid(), 9)"))
        assert verdict.kind == "crashed" and "-9" in verdict.observed


@pytest.mark.parametrize(
    "body, words, line",
    [
        ("time.sleep = lambda seconds: None", "`time.sleep`", 3),
        ("asyncio.sleep = None", "`asyncio.sleep`", 3),
        ("import builtins\nbuiltins.len = lambda thing: 3", "`builtins.len`", 4),
        ("import builtins\nbuiltins.isinstance = None", "`builtins.isinstance`", 4),
        ("import inspect\ninspect.isawaitable = lambda thing: True", "`inspect.isawaitable`", 4),
        ("sys.setrecursionlimit(5000)", "the recursion limit", 3),
        ("sys.stdout = None", "`sys.stdout`", 3),
        ("print('hello')\nsys.stdout.close()", "closed `sys.stdout`", 4),
    ],
)
def test_changing_what_all_share_is_named_and_forgotten(body, words, line):
    verdict = ask("t-together", answer(body, right=True))
    assert (verdict.kind, verdict.line) == ("changed", line), verdict.text()
    assert words in verdict.text()
    assert ask("t-together", answer("", right=True)).status == "solved"


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


def test_what_a_thread_fails_with_is_shown_without_colours(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as a kernel does
    fails = answer(
        "thread = threading.Thread(target=lambda: 1 / 0)\nthread.start()\nthread.join()", right=True
    )
    ask("t-together", fails)
    sandbox.process.popen.kill()  # the next one begins in this environment
    sandbox.process.popen.wait()
    assert "ZeroDivisionError: division by zero" in ask("t-together", fails).printed


def test_a_patched_sleep_in_the_notebook_changes_nothing(monkeypatch):
    async def nap(seconds):
        pass

    monkeypatch.setattr(asyncio, "sleep", nap)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    verdict = ask("t-together", answer("time.sleep(1)\nreturn [await fetch(url) for url in urls]"))
    assert verdict.kind == "blocked"


def test_a_million_lines_are_capped_and_said_so():
    verdict = ask(
        "t-together", answer("for n in range(1_000_000):\n    print(n)", right=True), limit=10
    )
    assert verdict.printed.startswith("0\n1\n2\n")
    assert "and 999,900 more lines" in verdict.printed
    assert len(verdict.printed) < 2000
    verdict = ask("t-together", answer("print('x' * 10**7)", right=True))
    assert "9,990,001 more bytes" in verdict.printed and len(verdict.printed) < 11_000


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
    "body", ["kept = []\nwhile True:\n    kept.append(bytearray(10**7))", "return [0] * 10**11"]
)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux keeps to RLIMIT_DATA")
def test_memory_without_end_is_named(body):
    verdict = ask("t-together", answer(body), limit=10)
    assert verdict.kind == "memory" and verdict.line, verdict.text()


def test_recursion_without_end_is_named():
    verdict = ask("t-together", answer("return await fetch_all(fetch, urls)"))
    assert (verdict.kind, verdict.line) == ("recursion", 3)


def test_a_process_left_behind_is_named_and_ended():
    code = "import time; time.sleep(77.125)"
    verdict = ask(
        "t-together",
        answer(
            f"subprocess.Popen([sys.executable, '-c', '{code}'], start_new_session=True)",
            right=True,
        ),
    )
    assert verdict.kind == "process"
    assert not [
        process
        for process in psutil.process_iter(["cmdline"])
        if code in (process.info["cmdline"] or ())
    ]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("body", [RIGHT, "    while True: pass\n", "    raise ValueError\n"])
def test_no_site_of_a_check_is_left(body):
    answered = cell(HEAD + "async def fetch_pages(urls):\n" + body, "fetch_pages")
    assert ask("t-site", answered, limit=3).kind in ("raised", "spin")
    deadline = time.monotonic() + 10
    while servers := [
        process
        for process in psutil.Process().children(recursive=True)
        if "helpers.services.catalogue_server" in command_of(process)
    ]:
        assert time.monotonic() < deadline, servers
        time.sleep(0.05)


def command_of(process):
    try:
        return process.cmdline()
    except psutil.Error:  # it has just ended
        return []


def test_a_fork_answers_once():
    verdict = ask("t-together", answer("os.fork()", right=True))
    assert verdict.status == "solved" or verdict.kind == "process"
    assert ask("t-together", answer("", right=True)).status == "solved"


def test_closed_descriptors_harm_nobody():
    assert ask("t-together", answer("os.closerange(0, 200)", right=True)).status == "not yet"
    assert ask("t-together", answer("", right=True)).status == "solved"


def test_environment_folder_warnings_and_modules_are_put_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine_too.py").write_text("VALUE = 1")
    monkeypatch.syspath_prepend(str(tmp_path))
    ask(
        "t-together",
        answer(
            "os.environ['COACH'] = '1'\nos.chdir('/')\nimport logging, warnings, mine_too\n"
            "logging.basicConfig(level=10)\nwarnings.simplefilter('error')",
            right=True,
        ),
    )
    (tmp_path / "mine_too.py").write_text("VALUE = 22")
    verdict = ask(
        "t-plain",
        cell(
            """
import logging, os, warnings
def double(number):
    import mine_too
    warnings.warn("only a warning")
    return [os.environ.get("COACH"), os.getcwd(), logging.root.handlers, mine_too.VALUE]
""",
            "double",
        ),
    )
    assert repr([None, str(tmp_path), [], 22])[:70] in verdict.observed


# What is returned and raised


def test_broken_things_are_shown_by_type():
    before = """
    class Broken:
        def __repr__(self): raise ValueError
        def __eq__(self, other): raise ValueError
        def __reduce__(self): raise ValueError
    """
    verdict = ask("t-together", answer("return Broken()", before))
    assert verdict.kind == "value" and "<Broken whose repr fails>" in verdict.observed
    assert (
        ask("t-predict", cell(HEAD + textwrap.dedent(before) + "thing = Broken()", "thing")).status
        == "not yet"
    )
    assert ask("t-together", answer("return threading.Lock()")).kind == "value"
    assert (
        ask(
            "t-together",
            answer(
                "raise Broken2()",
                "class Broken2(Exception):\n    def __str__(self): raise ValueError\n",
            ),
        ).kind
        == "raised"
    )


@pytest.mark.parametrize(
    "body, kind, line, words",
    [
        ("asyncio.sleep(1)\n" + RIGHT.strip(), "not awaited", 3, "`sleep`"),
        ("page = asyncio.sleep(0, [1])\nreturn page[0]", "not awaited", 3, "'coroutine' object"),
        ("return fetch('a')", "not awaited", 3, "`fetch`"),
        ("return asyncio.create_task(fetch('a'))", "leaked", 3, "1 task"),
        ("coroutine = fetch('a')\nawait coroutine\nawait coroutine", "awaited twice", 5, ""),
        ("asyncio.run(fetch('a'))", "nested run", 3, "asyncio.run"),
        (
            "asyncio.get_running_loop().run_until_complete(fetch('a'))",
            "nested run",
            3,
            "already running",
        ),
        ("return [fetch(url)[0] for url in urls]", "not awaited", 3, ""),
        ("raise ValueError('no')", "raised", 3, "ValueError: no"),
        ("return await gather()", "raised", 3, "run those cells first"),
        ("input('?')", "raised", 3, "leave `input()` out"),
        ("await fetch('a')()", "raised", 3, "brackets behind it"),
        ("import collections\ncollections.deque().popleft()", "raised", 4, "Nobody is left"),
        ("[].popleft()", "raised", 3, "`deque(…)` makes a queue"),
        (
            "async with asyncio.TaskGroup() as group:\n"
            "    return group.create_task(fetch('a')).result()",
            "raised",
            4,
            "behind the block",
        ),
        ("await asyncio.wait([fetch('a')])", "raised", 3, "makes one of a coroutine"),
        ("await asyncio.wait({'a': asyncio.create_task(fetch('a'))})", "raised", 3, "the keys"),
        ("await asyncio.create_task(fetch)", "raised", 3, "Call the function"),
        ("return [url async for url in urls]", "raised", 3, "is read by `for`"),
        ("async def items():\n    yield 1\nlist(items())", "raised", 5, "is read by `async for`"),
        (
            "async with asyncio.timeout(1):\n    return [await fetch(url) for url in urls]",
            "raised",
            (3, 4),
            "TimeoutError",
        ),
        ("asyncio.create_task(boom())\n" + RIGHT.strip(), "lost error", None, "ValueError: boom"),
        (
            "async with asyncio.TaskGroup() as group:\n    group.create_task(boom())",
            "raised",
            None,
            "ValueError: boom (in ExceptionGroup)",
        ),
        ("for url in urls:\n    yield await fetch(url)", "not async", 4, "async generator"),
    ],
)
def test_mistakes_in_async_code_are_named(body, kind, line, words):
    verdict = ask(
        "t-together",
        answer(
            body, before="async def boom(): raise ValueError('boom')\n" if "boom()" in body else ""
        ),
    )
    assert verdict.kind == kind, verdict.text()
    if line:
        assert verdict.line in (line if isinstance(line, tuple) else (line,)), verdict.text()
    assert words in verdict.text()


def test_a_leaked_task_is_found_before_it_is_collected():
    # Nothing but its own queue knows such a task, so that the collector takes it for garbage.
    before = """
    async def drain(queue):
        while True:
            await queue.get()
    def start():
        asyncio.create_task(drain(asyncio.Queue()))
    """
    body = """
    for _ in range(5):
        start()
    await asyncio.sleep(1)
    for _ in range(200_000):  # enough of them to start it
        circle = []
        circle.append(circle)
    """
    for _ in range(3):
        verdict = ask("t-together", answer(body, before, right=True), limit=10)
        assert verdict.kind == "leaked", verdict.text()
        assert "5 tasks still ran: `drain`" in verdict.observed


def test_a_helper_of_another_cell_is_named_with_its_line():
    names = cell("import asyncio\n\nasync def one(fetch, url):\n    await asyncio.Event().wait()")
    wanted = cell(
        "async def fetch_all(fetch, urls):\n    return [await one(fetch, url) for url in urls]",
        "fetch_all",
    )
    wanted.__globals__.update(one=names["one"])
    verdict = ask("t-together", wanted)
    assert verdict.kind == "deadlock"
    assert "Line 4 of the cell with `one`" in verdict.at


def test_generators_that_a_check_hands_over_show_on_one_timeline():
    exercise = finding.find("robin-1")
    program = exercise.right_programs()[0]
    verdict, recording = judge(exercise, cell(program.text, exercise.asks))
    assert verdict.status == "solved"
    names = [lane.name for lane in pickle.loads(recording).lanes if lane.kind == "generator"]
    assert names == ["A", "B", "C"]


def test_lines_are_those_of_the_cell():
    text = (
        "# one\n\npass\nimport asyncio\n\n\n"
        "async def fetch_all(fetch, urls):\n    await asyncio.Event().wait()\n"
    )
    verdict = ask("t-together", cell(text, "fetch_all"))
    assert verdict.line == 8 and "Line 8 waits" in verdict.text()


# What is no function, or another one


def test_what_is_no_function_is_named():
    async def fetch_all(fetch, urls):
        return []

    coroutine = fetch_all(1, 2)
    verdict = ask("t-together", coroutine)
    assert verdict.kind == "not a function" and "`ex.check(fetch_all)`" in verdict.text()
    assert coroutine.cr_frame is None, "closed, or Python warns of it"
    for thing, words in (
        ("fetch_all", "a str, 'fetch_all'"),
        (None, "None"),
        (3, "an int, 3"),
        ([1], "a list"),
        (type("Mine", (), {}), "the class `Mine`"),
    ):
        verdict = ask("t-together", thing)
        assert verdict.kind == "not a function" and words in verdict.observed
    assert ask("t-together", ...).status == "not started"
    assert (
        ask("t-class", cell("def Ticker(start): return start", "Ticker")).kind == "not a function"
    )
    assert "a function" in ask("t-predict", len).observed


@pytest.mark.parametrize(
    "text, words",
    [
        ("async def fetch_all(fetch): return 1", "yours is `fetch_all(fetch)`"),
        (
            "async def fetch_all(fetch, urls, limit): return 1",
            "yours is `fetch_all(fetch, urls, limit)`",
        ),
        ("async def fetch_all(): return 1", "is called as `fetch_all(fetch, urls)`"),
    ],
)
def test_other_arguments_are_named(text, words):
    verdict = ask("t-together", cell(text, "fetch_all"))
    assert verdict.kind == "arguments" and words in verdict.observed


@pytest.mark.parametrize(
    "text",
    [
        "async def fetch_all(fetch, urls): ...",
        "async def fetch_all(fetch, urls):\n    '''Doc'''\n    pass",
        "async def fetch_all(fetch, urls):\n    '''Doc'''\n    raise NotImplementedError",
        "def fetch_all(): ...",
    ],
)
def test_a_body_without_code_is_not_started(text):
    assert ask("t-together", cell(text, "fetch_all")).status == "not started"


def test_a_decorator_of_the_standard_library_is_no_cell():
    text = (
        "from contextlib import asynccontextmanager\n"
        "@asynccontextmanager\nasync def lend(pool):\n    yield pool\n"
    )
    _, texts = packing.pack(cell(text, "lend"))
    assert list(texts.values()) == [text]


@pytest.mark.parametrize("value", [..., {"download": ..., "sort": ...}, [..., ...]])
def test_values_left_open_are_not_started(value):
    assert ask("t-classify", value).status == "not started"


def test_what_cannot_leave_the_notebook_is_named():
    verdict = ask(
        "t-together",
        answer("return helper()", "things = (n for n in [])\ndef helper():\n    return things\n"),
    )
    assert verdict.kind == "unsendable" and "uses `things`, a generator" in verdict.observed


def test_locks_and_context_variables_go_along():
    before = """
    import contextvars
    request = contextvars.ContextVar("request", default=3)
    bare = contextvars.ContextVar("bare")
    lock, again = threading.Lock(), threading.RLock()
    """
    assert (
        ask(
            "t-together",
            answer(
                "assert request.get() == 3 and bare.get(4) == 4\nwith lock, again:\n    pass",
                before,
                right=True,
            ),
        ).status
        == "solved"
    )
    assert contextvars.ContextVar("other").get(1) == 1


# The kernel is not harmed


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


def test_an_ordinary_check_answers_within_a_tenth_of_a_second():
    right = answer("", right=True)
    ask("t-together", right)
    took = []
    for _ in range(15):
        begun = time.perf_counter()
        assert ask("t-together", right).status == "solved"
        took.append(time.perf_counter() - begun)
    print(f"median {statistics.median(took) * 1000:.1f} ms")
    assert statistics.median(took) < 0.1


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


def test_every_kind_of_the_course_can_be_told():
    """The mistakes that the coach promises to tell apart are there, each with its headline."""
    from helpers.coach.mistakes.diagnosis import KINDS

    for kind in (
        "not awaited",
        "sequential",
        "blocked",
        "deadlock",
        "spin",
        "hog",
        "swallowed",
        "leaked",
        "limit",
        "nested run",
        "value",
        "order",
        "lost error",
        "raised",
    ):
        assert re.fullmatch(r"[A-Za-z].*[^.]", KINDS[kind].headline)
    headlines = [kind.headline for kind in KINDS.values()]
    assert len(headlines) == len(set(headlines))
    assert {
        program.kind
        for entry in finding.entries(FIXTURES)
        for exercise in [finding.find(entry.id, FIXTURES)]
        for program in exercise.wrong_programs()
    } >= {"sequential", "not awaited", "order", "value"}


def test_an_error_text_with_a_full_stop_gets_no_second_one():
    answered = cell("def double(number):\n    raise ValueError('It is over.')", "double")
    text = ask("t-plain", answered).text()
    assert "ValueError: It is over." in text and ".." not in text
