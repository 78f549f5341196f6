"""`run(main())`, in real kernels and in a script."""

import asyncio
import textwrap
import threading
import warnings

import pytest

from helpers import run
from helpers.kernel.virtual import Deadlock

# In a notebook ----------------------------------------------------------------------------------


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


# In a script ------------------------------------------------------------------------------------


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
