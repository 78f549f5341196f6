"""The clock that jumps: same order every run, honest about real time, deadlocks by name."""

import asyncio
import math
import pickle
import random
import time

import pytest

from helpers.kernel.virtual import CENTURY, Deadlock, VirtualLoop


def run(main):
    """Run a coroutine on a virtual clock; return its result and the loop."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main), runner.get_loop()


def line_of(function, offset):
    return function.__code__.co_firstlineno + offset


def test_an_hour_takes_no_time():
    started = time.perf_counter()
    _, loop = run(asyncio.sleep(3600))
    assert loop.time() == 3600
    assert loop.real_seconds == 0
    assert time.perf_counter() - started < 60


def test_many_sleeps_take_no_time():
    async def tick():
        for _ in range(1000):
            await asyncio.sleep(60)

    started = time.perf_counter()
    _, loop = run(tick())
    assert loop.time() == 60_000
    assert time.perf_counter() - started < 60


def test_a_decade_is_slept_through_at_once():
    _, loop = run(asyncio.sleep(CENTURY / 10))
    assert loop.time() == pytest.approx(CENTURY / 10, rel=1e-15)


def test_computing_does_not_advance_the_clock():
    async def compute():
        before = asyncio.get_running_loop().time(), time.monotonic()
        time.sleep(0.05)
        await asyncio.sleep(0)
        return before, (asyncio.get_running_loop().time(), time.monotonic())

    ((virtual, real), (virtual_after, real_after)), _ = run(compute())
    assert virtual == virtual_after == 0
    assert real_after - real >= 0.05


def test_moments_are_round():
    async def main():
        loop = asyncio.get_running_loop()
        times = []
        for _ in range(10):
            await asyncio.sleep(0.1)
            times.append(loop.time())
        return times

    assert run(main())[0] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]


@pytest.mark.parametrize("start", [0, 3600, 10_000_000])
def test_ties_fire_in_the_order_in_which_they_were_set(start):
    async def main():
        loop = asyncio.get_running_loop()
        await asyncio.sleep(start)
        order, moments, deadlines = [], set(), random.Random(1).choices([1, 2, 3], k=3000)

        def fire(number):
            order.append(number)
            moments.add(loop.time())

        base = loop.time()
        for number, deadline in enumerate(deadlines):
            loop.call_at(base + deadline, fire, number)
        await asyncio.sleep(4)
        expected = sorted(range(len(deadlines)), key=lambda number: deadlines[number])
        return order == expected, moments == {base + 1, base + 2, base + 3}

    assert run(main())[0] == (True, True)


def test_tasks_that_sleep_alike_wake_in_order():
    async def main():
        order = []

        async def sleeper(number):
            await asyncio.sleep(1)
            order.append(number)

        await asyncio.gather(*(sleeper(number) for number in range(100)))
        return order

    assert run(main())[0] == list(range(100))


def test_different_sums_are_the_same_moment():
    async def main():
        loop, order = asyncio.get_running_loop(), []
        await asyncio.sleep(0.1)
        loop.call_later(0.2, order.append, "0.1 + 0.2")
        await asyncio.sleep(0.1)
        loop.call_at(0.3, order.append, "0.3")
        await asyncio.sleep(1)
        return order

    # As floats, 0.1 + 0.2 is more than 0.3.
    assert run(main())[0] == ["0.1 + 0.2", "0.3"]


def test_the_whole_of_asyncio_works():
    async def main():
        loop = asyncio.get_running_loop()
        log = []
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(10):
                await asyncio.sleep(20)
        log.append(loop.time())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 5)
        log.append(loop.time())
        loop.call_later(2, lambda: log.append(loop.time()))
        cancelled = loop.call_later(2, lambda: log.append("cancelled"))
        cancelled.cancel()

        queue = asyncio.Queue(maxsize=1)

        async def produce():
            for number in range(3):
                await asyncio.sleep(1)
                await queue.put(number)

        async def consume():
            for _ in range(3):
                log.append((await queue.get(), loop.time()))
                await asyncio.sleep(3)

        async with asyncio.TaskGroup() as group:
            group.create_task(produce())
            group.create_task(consume())
        return log

    log, loop = run(main())
    assert log == [10, 15, (0, 16), 17, (1, 19), (2, 22)]
    assert loop.real_seconds == 0


def test_a_deadlock_names_each_task_and_its_line():
    async def waits(event):
        await event.wait()

    async def takes(queue):
        await queue.get()

    async def enters(lock):
        async with lock:
            pass

    async def joins(task):
        await task

    async def main():
        lock = asyncio.Lock()
        await lock.acquire()
        async with asyncio.TaskGroup() as group:
            first = group.create_task(waits(asyncio.Event()), name="waits")
            group.create_task(takes(asyncio.Queue()), name="takes")
            group.create_task(enters(lock), name="enters")
            group.create_task(joins(first), name="joins")
            group.create_task(asyncio.sleep(math.inf), name="sleeps")

    with pytest.raises(Deadlock) as caught:
        run(main())
    found = {name: (filename, lineno, what) for name, filename, lineno, what in caught.value.tasks}
    main_name = next(name for name in found if name.startswith("Task-"))
    assert found == {
        main_name: (__file__, line_of(main, 3), "the tasks of its TaskGroup"),
        "waits": (__file__, line_of(waits, 1), "Event.wait"),
        "takes": (__file__, line_of(takes, 1), "Queue.get"),
        "enters": (__file__, line_of(enters, 1), "Lock.acquire"),
        "joins": (__file__, line_of(joins, 1), "task waits"),
        "sleeps": (None, None, "sleep"),
    }
    said = str(caught.value)
    assert (
        f"takes waits for Queue.get, line {line_of(takes, 1)} of test_virtual.py: "
        "await queue.get()" in said
    )
    assert isinstance(caught.value, RuntimeError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == said


def test_a_deadlock_is_followed_through_generators():
    class Ready:
        def __init__(self, future):
            self.future = future

        def __await__(self):
            return (yield from self.future.__await__())

    async def pages():
        await Ready(asyncio.get_running_loop().create_future())
        yield 1

    async def main():
        async for _ in pages():
            pass

    with pytest.raises(Deadlock) as caught:
        run(main())
    [task] = caught.value.tasks
    assert (task.lineno, task.what) == (line_of(Ready.__await__, 1), "a future")


def test_a_deadlock_comes_after_the_last_timer():
    async def main():
        await asyncio.sleep(5)
        await asyncio.Event().wait()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        with pytest.raises(Deadlock):
            runner.run(main())
        assert runner.get_loop().time() == 5


def test_two_runs_print_the_same():
    async def main():
        log = []
        dice = random.Random(7)

        async def worker(number):
            for step in range(20):
                await asyncio.sleep(dice.choice([0, 0.1, 0.1, 0.2, 0.3]))
                log.append((asyncio.get_running_loop().time(), number, step))

        async with asyncio.TaskGroup() as group:
            for number in range(20):
                group.create_task(worker(number))
        return log

    assert run(main())[0] == run(main())[0]
