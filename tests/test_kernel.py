"""The stop button, ExceptionGroups and run() in real kernels, with real signals."""

import asyncio
import queue
import re
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from pathlib import Path

import pytest
from jupyter_client import KernelManager

from helpers import environment, run
from helpers.kernel.virtual import Deadlock

ROOT = Path(__file__).resolve().parents[1]

# A cell that has not ended so long after a press was not stopped: these cells never end alone.
STOPPED_WITHIN = 20


class Answer:
    """What a cell gave: its outputs, its reply, and the time from the press to the reply."""

    def __init__(self):
        self.text = {"stdout": "", "stderr": ""}
        self.error = None
        self.reply = None
        self.since_press = None

    @property
    def out(self):
        return self.text["stdout"]

    @property
    def err(self):
        return self.text["stderr"]

    @property
    def ename(self):
        """The error's class, as both ways of hearing about it agree."""
        if self.reply["status"] == "ok":
            assert self.error is None
            return None
        assert self.error is not None, f"an error without an error output: {self.reply}"
        assert self.error["ename"] == self.reply["ename"]
        return self.reply["ename"]

    @property
    def traceback(self):
        return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(self.error["traceback"]))


class Kernel:
    """A real kernel, to run cells in and press stop."""

    def __init__(self, first="import helpers.kernel.startup"):
        self.first = first
        self.start()

    def start(self):
        self.manager = KernelManager()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.manager.start_kernel(cwd=ROOT, stderr=subprocess.DEVNULL)
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        if self.first:
            assert self.cell(self.first).ename is None

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def press(self):
        self.manager.interrupt_kernel()

    def cell(
        self,
        code,
        *,
        press_at=None,
        presses=1,
        pause=0.3,
        timeout=60,
        stopped_within=STOPPED_WITHIN,
    ):
        """Run a cell. `press_at`: once it has printed this, wait `pause` seconds and press stop."""
        answer = Answer()
        message = self.client.execute(textwrap.dedent(code))
        deadline, pressed_at, idle = time.monotonic() + timeout, None, False
        while answer.reply is None or not idle:
            assert time.monotonic() < deadline, f"no answer; so far {answer.text}"
            if answer.reply is None:
                try:
                    reply = self.client.get_shell_msg(timeout=0.02)
                except queue.Empty:
                    pass
                else:
                    if reply["parent_header"]["msg_id"] == message:
                        answer.reply = reply["content"]
                        if pressed_at is not None:
                            answer.since_press = time.monotonic() - pressed_at
            try:
                output = self.client.get_iopub_msg(timeout=0.02)
            except queue.Empty:
                continue
            if output["parent_header"].get("msg_id") != message:
                continue
            kind, content = output["msg_type"], output["content"]
            if kind == "stream":
                answer.text[content["name"]] += content["text"]
                if press_at is not None and press_at in answer.out:
                    press_at = None
                    for _ in range(presses):
                        time.sleep(pause)
                        self.press()
                    pressed_at = time.monotonic()
                    deadline = pressed_at + stopped_within
            elif kind == "error":
                answer.error = content
            elif kind == "status" and content["execution_state"] == "idle":
                idle = True
        return answer


@pytest.fixture(scope="module")
def kernels():
    """One kernel for the whole module, replaced where a test has hung it."""
    started = []

    def get():
        if not started:
            started.append(Kernel())
        return started[0]

    yield get, started
    for kernel in started:
        kernel.stop()


@pytest.fixture
def kernel(kernels):
    get, started = kernels
    kernel = get()
    yield kernel
    try:
        # Every test leaves the kernel usable.
        assert kernel.cell("print('alive')", timeout=20).out == "alive\n"
    except BaseException:
        started.remove(kernel)
        kernel.stop()
        raise


# The stop button ---------------------------------------------------------------------------------

NEEDS = "import asyncio, time, threading\nprint('ready', flush=True)\n"

ENDLESS = {
    "spins inside await": """
        async def f():
            while True: pass
        await f()
    """,
    "blocks inside await": """
        async def f():
            time.sleep(1000)
        await f()
    """,
    "spins in a task that it awaits": """
        async def f():
            while True: pass
        await asyncio.create_task(f())
    """,
    "blocks in a task that it awaits": """
        async def f():
            time.sleep(1000)
        await asyncio.create_task(f())
    """,
    "spins in a task beside it": """
        async def f():
            while True: pass
        task = asyncio.create_task(f())
        await asyncio.sleep(1000)
    """,
    "spins and prints in a task beside it": """
        async def f():
            while True: print(end="", flush=True)
        task = asyncio.create_task(f())
        await asyncio.sleep(1000)
    """,
    "spins in a TaskGroup's child": """
        async def f():
            while True: pass
        async with asyncio.TaskGroup() as tg:
            tg.create_task(f())
            tg.create_task(asyncio.sleep(1000))
    """,
    "spins by sleep(0)": """
        while True: await asyncio.sleep(0)
    """,
    "spins in a callback": """
        def f():
            while True: pass
        asyncio.get_running_loop().call_soon(f)
        await asyncio.sleep(1000)
    """,
    "blocks in a callback": """
        asyncio.get_running_loop().call_soon(time.sleep, 1000)
        await asyncio.sleep(1000)
    """,
    "awaits a sleep": "await asyncio.sleep(1000)",
    "awaits an event": "await asyncio.Event().wait()",
    "awaits a future": "await asyncio.get_running_loop().create_future()",
    "awaits a TaskGroup": """
        async with asyncio.TaskGroup() as tg:
            tg.create_task(asyncio.sleep(1000))
            tg.create_task(asyncio.Event().wait())
    """,
    "awaits in the body of a TaskGroup": """
        async with asyncio.TaskGroup() as tg:
            tg.create_task(asyncio.sleep(1000))
            await asyncio.sleep(1000)
    """,
    "awaits a gather": "await asyncio.gather(asyncio.sleep(1000), asyncio.Event().wait())",
    "awaits under a timeout": """
        async with asyncio.timeout(1000):
            await asyncio.Event().wait()
    """,
    "awaits a thread": "await asyncio.to_thread(threading.Event().wait, 3)",
    "iterates for ever": """
        async def numbers():
            while True:
                yield 1
                await asyncio.sleep(1000)
        async for number in numbers(): pass
    """,
    "spins in a plain cell": "while True: pass",
    "blocks in a plain cell": "time.sleep(1000)",
}


@pytest.mark.parametrize("case", ENDLESS)
def test_a_cell_stops_at_the_first_press(kernel, case):
    answer = kernel.cell(NEEDS + textwrap.dedent(ENDLESS[case]), press_at="ready")
    assert answer.ename == "KeyboardInterrupt"


def test_the_traceback_shows_where_it_waited(kernel):
    answer = kernel.cell(
        """
        import asyncio
        print('ready', flush=True)
        async def waits_for_ever():
            await asyncio.sleep(1000)  # here
        await waits_for_ever()
    """,
        press_at="ready",
    )
    assert "await asyncio.sleep(1000)  # here" in answer.traceback


def test_background_tasks_survive(kernel):
    kernel.cell("""
        import asyncio, time
        beats = 0
        async def heart():
            global beats
            while True:
                beats += 1
                time.sleep(0.005)          # often running when the button is pressed
                await asyncio.sleep(0.001)
        beating = asyncio.create_task(heart())
    """)
    for _ in range(5):
        answer = kernel.cell(
            "print('ready', flush=True)\nawait asyncio.sleep(1000)", press_at="ready", pause=0.1
        )
        assert answer.ename == "KeyboardInterrupt"
    answer = kernel.cell("""
        before = beats
        await asyncio.sleep(0.2)
        print(beating.done(), beats > before)
        beating.cancel()
    """)
    assert answer.out == "False True\n"


def test_a_hanging_background_task_can_be_stopped(kernel):
    """The cell that started it has ended: the kernel looks idle, and answers nothing."""
    kernel.cell("""
        import asyncio, time
        async def hang():
            time.sleep(1000)
        hanging = asyncio.create_task(hang())
    """)
    time.sleep(0.3)
    kernel.press()
    assert kernel.cell("print(hanging.cancelled())", timeout=20).out == "True\n"


def test_a_hanging_widgets_callback_can_be_stopped(kernel):
    kernel.cell("""
        def opened(comm, message):
            @comm.on_msg
            def hang(message):
                print("ready", flush=True)
                while True: pass
        get_ipython().kernel.comm_manager.register_target("test", opened)
    """)
    session, channel = kernel.client.session, kernel.client.shell_channel
    channel.send(session.msg("comm_open", {"comm_id": "1", "target_name": "test", "data": {}}))
    channel.send(session.msg("comm_msg", {"comm_id": "1", "data": {}}))
    deadline = time.monotonic() + 60
    while "ready" not in kernel.client.get_iopub_msg(timeout=60)["content"].get("text", ""):
        assert time.monotonic() < deadline
    time.sleep(0.3)
    kernel.press()
    assert kernel.cell("print('next')", timeout=20).out == "next\n"


def test_tasks_of_the_stopped_cell_end_as_asyncio_says(kernel):
    answer = kernel.cell(
        """
        import asyncio
        log = []
        async def child():
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                log.append("cancelled")
                raise
            finally:
                await asyncio.sleep(0)
                log.append("cleaned up")
        print('ready', flush=True)
        try:
            async with asyncio.TaskGroup() as tg:
                tg.create_task(child())
        finally:
            log.append("left")
    """,
        press_at="ready",
    )
    assert answer.ename == "KeyboardInterrupt"
    assert kernel.cell("print(log)").out == "['cancelled', 'cleaned up', 'left']\n"


@pytest.mark.parametrize("pause", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("case", ["awaits a sleep", "spins inside await", "spins in a plain cell"])
def test_pressing_more_than_once_harms_nothing(kernel, case, pause):
    code = NEEDS + textwrap.dedent(ENDLESS[case])
    answer = kernel.cell(code, press_at="ready", presses=4, pause=pause)
    assert answer.ename == "KeyboardInterrupt"
    assert kernel.cell("await asyncio.sleep(0.1)\nprint('next')").out == "next\n"


def test_pressing_while_idle_harms_nothing(kernel):
    kernel.cell("import asyncio")
    for _ in range(3):
        kernel.press()
        time.sleep(0.05)
    assert kernel.cell("print('plain')").out == "plain\n"
    kernel.press()
    assert kernel.cell("await asyncio.sleep(0.3)\nprint('async')").out == "async\n"


def test_a_cell_can_clean_up(kernel):
    answer = kernel.cell(
        """
        import asyncio
        print('ready', flush=True)
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            print('cleaned up')
    """,
        press_at="ready",
    )
    assert answer.ename is None
    assert answer.out.endswith("cleaned up\n")


def test_a_cancellation_that_nobody_pressed_stays_one(kernel):
    answer = kernel.cell("""
        import asyncio
        task = asyncio.create_task(asyncio.sleep(1000))
        task.cancel()
        await task
    """)
    assert answer.ename == "CancelledError"


def test_the_first_cell_can_be_stopped_as_well():
    kernel = Kernel(first=None)
    try:
        answer = kernel.cell(
            """
            import asyncio
            import helpers
            print('ready', flush=True)
            rested = await asyncio.sleep(1000)
        """,
            press_at="ready",
        )
        assert answer.ename == "KeyboardInterrupt"
        # Reload: still one observer, one button.
        kernel.cell("""
            import importlib, helpers.kernel.startup
            before = get_ipython().run_code
            importlib.reload(helpers.kernel.startup)
            assert get_ipython().run_code is before
        """)
    finally:
        kernel.stop()


def test_without_the_hook_an_async_cell_does_not_stop():
    """What the stop button is for. When this fails, ipykernel has learned it."""
    kernel = Kernel(first=None)
    try:
        with pytest.raises(AssertionError, match="no answer"):
            kernel.cell(
                NEEDS + "await asyncio.sleep(1000)", press_at="ready", presses=3, stopped_within=3
            )
    finally:
        kernel.stop()


# ExceptionGroups ---------------------------------------------------------------------------------

FAILING_GROUP = """
    import asyncio
    async def fails():
        raise ValueError("what went wrong")   # this line
    async with asyncio.TaskGroup() as tg:
        tg.create_task(fails())
"""


def test_a_group_that_leaves_a_cell_is_an_error(kernel):
    answer = kernel.cell(FAILING_GROUP)
    assert answer.ename == "ExceptionGroup"
    assert answer.error["evalue"] == "unhandled errors in a TaskGroup (1 sub-exception)"
    assert "ValueError: what went wrong" in answer.traceback
    assert 'raise ValueError("what went wrong")   # this line' in answer.traceback
    # Readable: names the cell, not ipykernel's temporary file; no frames of asyncio or IPython.
    assert re.search(r"Cell In\[\d+\], line 3, in fails", answer.traceback)
    for inner in ("ipykernel", "taskgroups.py", "interactiveshell.py", "kernel.py"):
        assert inner not in answer.traceback
    assert answer.err == ""


def test_a_group_in_the_first_cell_is_answered():
    kernel = Kernel(first=None)
    try:
        answer = kernel.cell("import helpers\n" + textwrap.dedent(FAILING_GROUP))
        assert answer.ename == "ExceptionGroup"
    finally:
        kernel.stop()


@pytest.mark.parametrize(
    "code, name",
    [
        ("raise ExceptionGroup('plain cell', [ValueError(1)])", "ExceptionGroup"),
        ("raise BaseExceptionGroup('base', [KeyboardInterrupt()])", "BaseExceptionGroup"),
        (
            """
     try:
         raise ExceptionGroup('inner', [ValueError(1)])
     except ExceptionGroup as group:
         raise RuntimeError('from a group') from group
     """,
            "RuntimeError",
        ),
        (
            """
     try:
         raise ExceptionGroup('inner', [ValueError(1)])
     except* ValueError:
         raise LookupError('while a group was handled')
     """,
            "LookupError",
        ),
        (
            """
     class Mine(ExceptionGroup): pass
     raise Mine('mine', [ExceptionGroup('nested', [ValueError(1), TypeError(2)])])
     """,
            "Mine",
        ),
    ],
)
def test_groups_in_every_shape_are_errors(kernel, code, name):
    answer = kernel.cell(code)
    assert answer.ename == name
    assert "ValueError: 1" in answer.traceback or name == "BaseExceptionGroup"


def test_plain_errors_look_as_ever(kernel):
    answer = kernel.cell("1 / 0")
    assert answer.ename == "ZeroDivisionError"
    assert "----> 1 1 / 0" in answer.traceback
    assert kernel.cell("x = = 1").ename == "SyntaxError"
    assert kernel.cell("eval('1 +')").ename == "SyntaxError"
    assert kernel.cell("  x = 1\n y = 2").ename == "IndentationError"


# A name that is not there ------------------------------------------------------------------------

ADVICE = (
    "`fetch` is not defined in this kernel. Run the cells above this one first (menu Run, "
    "Run All Above Selected Cell), or check the spelling."
)


@pytest.mark.parametrize(
    "code",
    [
        "page = fetch('a')",
        "page = await fetch('a')",
        """
    from helpers import run
    async def main():
        return await fetch('a')
    run(main())
    """,
    ],
    ids=["plain", "await", "run"],
)
def test_a_name_from_a_cell_that_did_not_run_is_explained(kernel, code):
    answer = kernel.cell(code)
    assert answer.ename == "NameError"
    assert answer.error["evalue"] == "name 'fetch' is not defined"
    assert re.search(r"-> +\d+ .*fetch\('a'\)", answer.traceback)
    assert answer.traceback.endswith(f"NameError: name 'fetch' is not defined\n{ADVICE}")
    assert answer.err == ""


def test_an_error_that_is_shown_once_more_is_explained_once(kernel):
    kernel.cell("fetch('a')")
    shown = kernel.cell("""
        import sys
        get_ipython().showtraceback((NameError, sys.last_value, None))
    """)
    assert shown.traceback.count(ADVICE) == 1


@pytest.mark.parametrize(
    "code",
    [
        "import types; types.SimpleNamespace().fetch",
        "raise NameError('fetch')",
        "raise NameError(\"name 'fetch' is not defined\")",
        "def late():\n    print(fetch)\n    fetch = 1\nlate()",
        "def outer():\n    def inner():\n        return fetch\n    inner()\n    fetch = 1\nouter()",
        "exec('fetch', {})",
    ],
    ids=["attribute", "own words", "by hand", "unbound local", "free variable", "not a cell's"],
)
def test_other_errors_get_no_such_advice(kernel, code):
    answer = kernel.cell(code)
    assert answer.ename in ("AttributeError", "NameError", "UnboundLocalError")
    assert "Run the cells above" not in answer.traceback


# run() in a notebook -----------------------------------------------------------------------------


def test_run_is_what_a_script_does(kernel):
    answer = kernel.cell("""
        import asyncio, contextvars
        from helpers import run
        log, who = [], contextvars.ContextVar("who", default="nobody")
        who.set("the cell")

        async def left_behind():
            try:
                await asyncio.sleep(1000)
            finally:
                log.append("task cancelled")

        async def numbers():
            try:
                while True:
                    yield 1
            finally:
                await asyncio.sleep(0)
                log.append("generator closed")

        async def main():
            print("printed in", who.get())
            task = asyncio.create_task(left_behind())
            await asyncio.sleep(0)
            global held
            held = numbers()
            await anext(held)
            return await asyncio.to_thread(lambda: 42)

        print(run(main()), sorted(log))
    """)
    assert answer.out == ("printed in the cell\n42 ['generator closed', 'task cancelled']\n")


def test_run_in_an_async_cell_and_on_other_loops(kernel):
    answer = kernel.cell("""
        import asyncio, time
        from helpers import run
        async def which():
            await asyncio.sleep(0.01)
            return type(asyncio.get_running_loop()).__name__
        await asyncio.sleep(0)
        class MyLoop(asyncio.SelectorEventLoop): pass
        print(run(which(), loop_factory=MyLoop), run(which(), clock="virtual"))
        started = time.perf_counter()
        run(asyncio.sleep(3600), clock="virtual")
        print(time.perf_counter() - started < 30)
    """)
    assert answer.out == "MyLoop VirtualLoop\nTrue\n"


def test_runs_errors_start_at_the_learners_line(kernel):
    answer = kernel.cell("""
        from helpers import run
        async def main():
            raise LookupError("mine")   # this line
        run(main())
    """)
    assert answer.ename == "LookupError"
    assert "# this line" in answer.traceback
    assert "base_events" not in answer.traceback
    assert "runners.py" not in answer.traceback


def test_run_given_a_function(kernel):
    answer = kernel.cell("from helpers import run\nasync def main(): pass\nrun(main)")
    assert answer.ename == "TypeError"
    assert answer.error["evalue"] == "main is a function; call it: run(main())"


def test_run_inside_run(kernel):
    answer = kernel.cell("""
        from helpers import run
        async def inner(): pass
        async def main():
            run(inner())
        run(main())
    """)
    assert answer.ename == "RuntimeError"
    assert "await inner(" in answer.error["evalue"]
    assert "never awaited" not in answer.err


ENDLESS_MAINS = {
    "waits": "async def main(): await asyncio.sleep(1000)",
    "spins": "async def main():\n    while True: pass",
    "spins by sleep(0)": "async def main():\n    while True: await asyncio.sleep(0)",
    "blocks": "async def main(): time.sleep(3)",
    "blocks in a thread": "async def main(): await asyncio.to_thread(time.sleep, 3)",
    "does not give up": """
        async def main():
            for _ in range(6):
                try: await asyncio.sleep(0.5)
                except asyncio.CancelledError: pass
    """,
    "is on a virtual clock": """
        async def main():
            while True: await asyncio.sleep(1)
        run = functools.partial(helpers.run, clock="virtual")
    """,
}

STILL_RUNNING = {
    "blocks": "the thread run(main()) is at line 4: async def main(): time.sleep(3)",
    "blocks in a thread": "the thread asyncio_0 is in a call that nothing can stop",
    "does not give up": (
        "main() waits for sleep, line 6: try: await asyncio.sleep(0.5), although cancelled"
    ),
}


@pytest.mark.parametrize("wrapping", ["run(main())", "await asyncio.sleep(0)\nrun(main())"])
@pytest.mark.parametrize("case", ENDLESS_MAINS)
def test_run_stops_at_the_first_press(kernel, case, wrapping):
    answer = kernel.cell(
        "\n".join(
            [
                "import asyncio, functools, helpers, time",
                "from helpers import run",
                "print('ready', flush=True)",
                textwrap.dedent(ENDLESS_MAINS[case]).strip(),
                wrapping,
            ]
        ),
        press_at="ready",
    )
    assert answer.ename == "KeyboardInterrupt"
    if case in STILL_RUNNING:
        assert answer.err.startswith("Stopped, but not all has ended: ")
        assert STILL_RUNNING[case] in answer.err
        assert answer.err.count("\n") == 1
    else:
        assert answer.err == ""
        # Its thread has ended (and those of other tests' mains end by themselves).
        assert (
            kernel.cell(
                """
            import threading, time
            while any(thread.name.startswith("run(") for thread in threading.enumerate()):
                time.sleep(0.05)
        """,
                timeout=30,
            ).ename
            is None
        )


def test_the_interrupt_of_a_run_comes_within_a_second(kernel):
    """Ten times that on a busy machine; what blocks here blocks for longer."""
    code = ENDLESS_MAINS["blocks"].replace("3", "15")
    answer = kernel.cell(
        f"import time\nfrom helpers import run\nprint('ready', flush=True)\n{code}\nrun(main())",
        press_at="ready",
    )
    assert answer.ename == "KeyboardInterrupt"
    assert answer.since_press < 10


def test_a_cell_and_a_run_are_recorded(kernel):
    answer = kernel.cell("""
        import asyncio
        from helpers import record, run
        async def main():
            await asyncio.create_task(asyncio.sleep(0.01), name="sleeper")
        with record() as rec:
            await main()
        print([lane.name for lane in rec.lanes if lane.kind != "loop"])
        with record() as rec:
            run(main())
        print(rec.lane("sleeper").outcome)
    """)
    assert answer.ename is None
    assert answer.out == "['cell', 'sleeper']\ndone\n"


def test_environment_says_what_is_there(kernel):
    answer = kernel.cell("""
        from helpers import environment
        found = environment()
        print(found.ok, found)
    """)
    lines = answer.out.splitlines()
    assert lines[-1] == "True All is ready."
    assert any(line.startswith("stop button  stops async cells") for line in lines)
    assert all(len(line) < 80 for line in lines)


# run() in a script -------------------------------------------------------------------------------


def test_run_without_a_notebook():
    async def main():
        return threading.current_thread() is threading.main_thread()

    assert run(main()) is True


def test_run_raises_what_main_raises():
    async def main():
        await asyncio.Event().wait()

    with pytest.raises(Deadlock):
        run(main(), clock="virtual")


def test_run_inside_asyncios_own_run():
    async def inner():
        return threading.current_thread().name

    async def main():
        return run(inner())

    assert asyncio.run(main()) == "run(inner())"


async def a_coroutine_function():
    pass


async def an_async_generator():
    yield


@pytest.mark.parametrize(
    "wrong, words",
    [
        (a_coroutine_function, "a_coroutine_function is a function; call it"),
        (an_async_generator(), "async generator"),
        (an_async_generator, "async generator"),
        (print, "plain function"),
        (42, "takes a coroutine"),
    ],
)
def test_run_given_something_else(wrong, words):
    with pytest.raises(TypeError, match=words):
        run(wrong)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"clock": "virtual", "loop_factory": asyncio.new_event_loop}, "leave out loop_factory"),
        ({"clock": "fast"}, "'fast'"),
    ],
)
def test_run_given_options_that_do_not_fit(options, words):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=words):
            run(a_coroutine_function(), **options)


def test_a_loop_that_can_not_be_made():
    def broken():
        raise OSError("no loop today")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(OSError, match="no loop today"):
            run(a_coroutine_function(), loop_factory=broken)


def test_runs_are_recorded():
    from helpers import record

    async def main():
        await asyncio.create_task(asyncio.sleep(3600), name="sleeper")

    with record() as rec:
        run(main(), clock="virtual")
    assert rec.lane("sleeper").outcome == "done"
    assert rec.duration >= 3600


def test_environment_outside_a_notebook(capsys):
    found = environment()
    assert not found.ok
    assert "stop button" in found.wrong
    assert "needs a notebook" in capsys.readouterr().out


def test_the_import_changes_nothing_outside_ipython():
    code = (
        "import signal, threading\n"
        "before = signal.getsignal(signal.SIGINT), threading.active_count()\n"
        "import helpers, sys\n"
        "assert (signal.getsignal(signal.SIGINT), threading.active_count()) == before\n"
        "heavy = {'IPython', 'matplotlib', 'numpy', 'aiohttp', 'httpx'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "from helpers import timeline, record, job\n"
        "import helpers.pictures.timeline\n"
        "from helpers import timeline as again\n"
        "assert callable(timeline) and again is timeline\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, timeout=120)
