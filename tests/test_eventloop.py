"""The course's own event loop, stages 1 to 3: order, time, errors, cancelling, what it is told."""

import contextlib
import gc
import subprocess
import sys
import time
import types
from pathlib import Path

import pytest

from helpers.eventloop import ready, sockets, tasks, timers
from helpers.eventloop.tasks import CancelledError, Future, sleep

pytestmark = pytest.mark.loop
ROOT = Path(__file__).resolve().parent.parent
STAGES = pytest.mark.parametrize("Loop", [tasks.Loop, sockets.Loop])


# Stage 1


def test_a_turn_each_and_who_ends_does_not_queue_again():
    log = []

    def count(name, number):
        for step in range(number):
            log.append(f"{name}{step}")
            yield

    loop = ready.Loop()
    for name, number in [("a", 1), ("b", 3), ("c", 3)]:
        loop.spawn(count(name, number))
    assert log == []  # to spawn is not to run
    loop.run()
    assert log == ["a0", "b0", "c0", "b1", "c1", "b2", "c2"]


@pytest.mark.parametrize("Loop", [ready.Loop, timers.Loop, tasks.Loop])
def test_a_function_is_no_coroutine(Loop):
    async def work():
        pass

    with pytest.raises(TypeError, match=r"call it: spawn\(work\(\)\), not spawn\(work\)"):
        Loop().spawn(work)


# Stage 2


def test_sleepers_wake_by_their_deadlines_and_ties_by_their_order():
    log = []

    async def sleeps(name, seconds):
        await timers.sleep(seconds)
        log.append(name)

    loop = timers.Loop()
    for name, seconds in [("c", 0.03), ("a", 0.01), ("b", 0.02), ("none", 0), ("less", -1)]:
        loop.spawn(sleeps(name, seconds))
    loop.run()
    assert log == ["none", "less", "a", "b", "c"]

    log.clear()
    loop = timers.Loop()
    deadline = time.monotonic() + 0.01
    for name in "xyz":
        loop.wake_at(deadline, sleeps(name, 0))  # three that can't be compared
    loop.run()
    assert log == ["x", "y", "z"]


def test_a_loop_that_waits_takes_no_processor_time():
    loop = timers.Loop()
    loop.spawn(timers.sleep(0.3))
    wall, cpu = time.perf_counter(), time.process_time()
    loop.run()
    assert time.perf_counter() - wall >= 0.3
    assert time.process_time() - cpu < 0.1


# Stage 3


@STAGES
def test_results_and_errors_reach_whoever_awaits(Loop):
    async def give(value):
        await sleep(0)
        return value

    async def fail():
        await sleep(0)
        raise ValueError("broken")

    async def main():
        one, two, bad = loop.spawn(give(1)), loop.spawn(give(2)), loop.spawn(fail())
        with pytest.raises(ValueError, match="broken"):
            await bad
        with pytest.raises(ValueError, match="broken"):
            await bad  # again, and at once
        return await one + await two + await one

    loop = Loop()
    assert loop.run(main()) == 4
    assert not loop.tasks and not loop.ready


@STAGES
def test_run_raises_the_error_of_main_and_cancels_the_rest(Loop):
    log = []

    async def stays():
        try:
            await sleep(60)
        finally:
            log.append("cleaned up")

    async def main():
        loop.spawn(stays())
        await sleep(0)
        raise KeyError("main")

    loop = Loop()
    with pytest.raises(KeyError, match="main"):
        loop.run(main())
    assert log == ["cleaned up"]


def test_a_future_wakes_all_its_waiters_and_late_ones_too():
    async def waits():
        return await future

    async def main():
        early = [loop.spawn(waits()) for _ in range(3)]
        await sleep(0)
        future.set_result(7)
        late = loop.spawn(waits())
        return [await task for task in [*early, late]]

    loop, future = tasks.Loop(), Future()
    assert loop.run(main()) == [7, 7, 7, 7]
    with pytest.raises(RuntimeError, match="A future is set once"):
        future.set_result(8)
    with pytest.raises(RuntimeError, match="Await it first"):
        Future().result()


@STAGES
@pytest.mark.parametrize("turns", [0, 1, 2])
@pytest.mark.parametrize("times", [1, 2])
def test_cancel_before_the_first_step_while_ready_and_while_asleep_once_and_twice(
    Loop, turns, times
):
    log = []

    async def works():
        log.append("begun")
        try:
            await sleep(0)  # ready again
            await sleep(60)  # asleep
        finally:
            log.append("cleaned up")

    async def main():
        task = loop.spawn(works())
        for _ in range(turns):
            await sleep(0)
        assert all([task.cancel() for _ in range(times)])
        with pytest.raises(CancelledError):
            await task
        assert not task.cancel()
        await sleep(0.01)  # a stale timer, or a second turn, would show here
        return task

    loop = Loop()
    assert loop.run(main()).done()
    assert log == (["begun", "cleaned up"] if turns else [])
    assert not loop.ready


def test_a_task_may_refuse_to_be_cancelled_and_then_waits_on():
    async def stubborn():
        with contextlib.suppress(CancelledError):
            await sleep(60)
        await sleep(0.01)
        return "refused"

    async def main():
        task = loop.spawn(stubborn())
        await sleep(0)
        task.cancel()
        return await task

    loop = tasks.Loop()
    assert loop.run(main()) == "refused"


def test_a_task_that_cancels_itself_does_not_wait():
    async def main():
        me[0].cancel()
        await sleep(60)

    loop = tasks.Loop()
    me = []
    coro = main()
    spawn = loop.spawn

    def remember(coro):
        me.append(spawn(coro))
        return me[0]

    loop.spawn = remember
    begun = time.perf_counter()
    with pytest.raises(CancelledError):
        loop.run(coro)
    assert time.perf_counter() - begun < 30


@STAGES
def test_a_storm_of_cancelled_timers_leaves_nothing_behind(Loop):
    async def main():
        sizes = []
        loop.spawn(sleep(1800))  # a live one before them all: nobody comes to the void ones
        for _ in range(20):
            storm = [loop.spawn(sleep(3600)) for _ in range(500)]
            await sleep(0)
            for task in storm:
                task.cancel()
            await sleep(0)
            sizes.append(len(loop.sleeping))
        return sizes

    loop = Loop()
    assert max(loop.run(main())) <= 1000


def test_a_deadlock_names_each_task_and_its_line():
    async def waits(other):
        await other

    async def main():
        await loop.spawn(waits(Future()), name="left")

    line = main.__code__.co_firstlineno + 1
    loop = tasks.Loop()
    with pytest.raises(
        RuntimeError, match=f"Deadlock: .* left at line {line - 3}, main at line {line}"
    ):
        loop.run(main())


def test_a_deadlock_is_not_kept_waiting_by_a_timeout_that_was_cancelled():
    async def main():
        timeout = loop.spawn(sleep(3600))
        await sleep(0)
        timeout.cancel()
        await Future()

    loop = tasks.Loop()
    with pytest.raises(RuntimeError, match="Deadlock"):
        loop.run(main())


def test_what_the_loop_does_not_know_is_told_to_the_task():
    @types.coroutine
    def foreign():
        yield 42

    async def main():
        with pytest.raises(TypeError, match="yielded 42, and this loop can't wait for that"):
            await foreign()
        return "goes on"

    assert tasks.Loop().run(main()) == "goes on"


def test_an_error_that_nobody_awaits_is_printed(capsys):
    async def fail():
        raise ValueError("unseen")

    async def main():
        loop.spawn(fail())
        await sleep(0.01)

    loop = tasks.Loop()
    gc.disable()  # it is told at once, not when the collector comes round
    try:
        loop.run(main())
    finally:
        gc.enable()
    said = capsys.readouterr().err
    assert "ValueError: unseen" in said and "<Task 'fail'> failed, and nobody awaited it" in said
    assert "tasks.py" not in said  # the traceback is the learner's


def test_an_error_that_was_seen_is_not_printed(capsys):
    async def fail():
        raise ValueError("seen")

    async def main():
        with contextlib.suppress(ValueError):
            await loop.spawn(fail())

    loop = tasks.Loop()
    loop.run(main())
    gc.collect()
    assert capsys.readouterr().err == ""


INTERRUPTED = """
import os, signal, threading
from helpers.eventloop import sockets, tasks
loop = {Loop}()
async def stays():
    try:
        await tasks.sleep(60)
    finally:
        print("cleaned up")
async def main():
    loop.spawn(stays())
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    {body}
try:
    loop.run(main())
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.parametrize("Loop", ["tasks.Loop", "sockets.Loop"])
@pytest.mark.parametrize("body", ["await tasks.sleep(60)", "while True: await tasks.sleep(0)"])
def test_the_keyboard_stops_it_and_the_tasks_clean_up(Loop, body):
    program = INTERRUPTED.format(Loop=Loop, body=body)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split("\n")[:2] == ["cleaned up", "stopped"], done.stdout + done.stderr
    assert "Traceback" not in done.stderr
