"""The stop button in real kernels, with real signals."""

import re
import textwrap
import time

import pytest

from tests.real_kernel import Kernel

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


SWALLOWS = {
    "a top-level await": """
        for _ in range(25):
            try:
                await asyncio.sleep(0.1)  # here
            except asyncio.CancelledError:
                pass
    """,
    "a plain cell": """
        until = time.monotonic() + 2.5
        while time.monotonic() < until:
            try:
                time.sleep(0.1)  # here
            except BaseException:
                pass
    """,
    "a task that it awaits": """
        async def f():
            until = time.monotonic() + 2.5
            while time.monotonic() < until:
                try:
                    time.sleep(0.1)  # here
                except BaseException:
                    pass
        await asyncio.create_task(f())
    """,
}


@pytest.mark.parametrize("case", SWALLOWS)
def test_the_third_press_on_code_that_swallows_stops_names_its_line(kernel, case):
    code = NEEDS + textwrap.dedent(SWALLOWS[case])
    answer = kernel.cell(code, press_at="ready", presses=3, pause=0.4)
    assert "pressed stop 3 times, and this cell goes on" in answer.err
    assert re.search(r"It is at line \d+: .*sleep\(0\.1\)  # here", answer.err)
    assert "Restart Kernel" in answer.err
    answer = kernel.cell(code, press_at="ready", presses=2, pause=0.4)
    assert answer.err == "", "the presses of an earlier cell don't count"


LIBRARIES = {
    "requests": """
        import requests
        print("ready", flush=True)
        requests.get(service.url + "/api/v2/pokemon/1")  # here
    """,
    "httpx": """
        import httpx
        async with httpx.AsyncClient(timeout=1000) as client:
            print("ready", flush=True)
            await client.get(service.url + "/api/v2/pokemon/1")  # here
    """,
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_stop_within_a_library_shows_the_learners_lines_alone(kernel, library):
    """IPython takes seconds to draw the others, and draws them twice."""
    kernel.cell("from helpers import services\nservice = services.catalogue(latency=1000)")
    answer = kernel.cell(LIBRARIES[library], press_at="ready", pause=0.5)
    kept = kernel.cell(
        "print(*list(get_ipython().history_manager.exceptions.values())[-1]['traceback'])"
    )
    kernel.cell("service.stop()")
    assert answer.ename == "KeyboardInterrupt"
    for drawn in answer.traceback, kept.out:
        assert "# here" in drawn and "site-packages" not in drawn
        assert re.search(rf"What it waited for in {library}, .* is left out\.", drawn)
        assert "helpers" not in drawn


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
