"""A queue is shut down alike on every Python: asyncio's own, or the backport."""

import asyncio

import pytest

from helpers.basics.backports import Queue, QueueShutDown
from helpers.kernel.run import run

pytestmark = pytest.mark.notebooks  # on every supported Python


def on_virtual_time(test):
    def of_no_arguments():
        run(test(), clock="virtual")

    of_no_arguments.__name__, of_no_arguments.__doc__ = test.__name__, test.__doc__
    return of_no_arguments


async def outcome(awaitable):
    try:
        return await awaitable
    except (QueueShutDown, asyncio.CancelledError) as error:
        return type(error)


@on_virtual_time
async def test_what_is_left_is_handed_out_and_then_it_is_over():
    queue = Queue()
    for item in "ab":
        queue.put_nowait(item)
    queue.shutdown()
    assert [await outcome(queue.get()) for _ in range(3)] == ["a", "b", QueueShutDown]
    assert await outcome(queue.put("c")) is QueueShutDown
    with pytest.raises(QueueShutDown):
        queue.put_nowait("c")
    with pytest.raises(QueueShutDown):
        queue.get_nowait()


@on_virtual_time
async def test_all_who_wait_are_woken():
    empty, full = Queue(), Queue(1)
    full.put_nowait("first")
    waiting = [asyncio.create_task(outcome(empty.get())) for _ in range(3)]
    waiting += [asyncio.create_task(outcome(full.put(n))) for n in range(3)]
    await asyncio.sleep(1)
    empty.shutdown()
    full.shutdown()
    assert await asyncio.gather(*waiting) == [QueueShutDown] * 6
    assert await outcome(full.get()) == "first"
    assert await outcome(full.get()) is QueueShutDown


@on_virtual_time
async def test_at_once_drops_what_is_left_and_lets_join_return():
    queue = Queue()
    queue.put_nowait("a")
    queue.put_nowait("b")
    joined = asyncio.create_task(queue.join())
    await asyncio.sleep(1)
    queue.shutdown(immediate=True)
    await asyncio.wait_for(joined, 1)
    assert await outcome(queue.get()) is QueueShutDown


@on_virtual_time
async def test_join_still_waits_for_the_work_on_what_was_left():
    queue = Queue()
    queue.put_nowait("a")
    queue.shutdown()
    joined = asyncio.create_task(queue.join())
    assert await queue.get() == "a"
    await asyncio.sleep(1)
    assert not joined.done()
    queue.task_done()
    await asyncio.wait_for(joined, 1)


@on_virtual_time
async def test_a_woken_getter_whose_item_is_gone_does_not_wait_for_ever():
    queue = Queue()
    late = asyncio.create_task(outcome(queue.get()))
    await asyncio.sleep(0)
    queue.put_nowait("a")  # wakes the getter, which has not run yet
    assert queue.get_nowait() == "a"
    queue.shutdown()
    assert await asyncio.wait_for(late, 1) is QueueShutDown


@on_virtual_time
async def test_a_turn_is_passed_on_by_who_is_cancelled_in_it():
    queue = Queue()
    first, second = [asyncio.create_task(outcome(queue.get())) for _ in range(2)]
    await asyncio.sleep(0)
    queue.put_nowait("a")
    first.cancel()
    assert await asyncio.wait_for(second, 1) == "a"
    full = Queue(1)
    full.put_nowait("x")
    first, second = [asyncio.create_task(outcome(full.put(n))) for n in "12"]
    await asyncio.sleep(0)
    full.get_nowait()
    first.cancel()
    await asyncio.wait_for(second, 1)
    assert full.get_nowait() == "2"


@on_virtual_time
async def test_cancelled_while_waiting_leaves_nothing_behind():
    queue = Queue(1)
    getter = asyncio.create_task(outcome(queue.get()))
    await asyncio.sleep(0)
    getter.cancel()
    assert await getter is asyncio.CancelledError
    queue.put_nowait("a")
    assert await queue.get() == "a"


@on_virtual_time
async def test_it_goes_round_in_order_with_many_on_both_ends():
    queue, got = Queue(3), []

    async def worker():
        while True:
            item = await outcome(queue.get())
            if item is QueueShutDown:
                return
            got.append(item)
            await asyncio.sleep(1)

    async with asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(worker())
        for number in range(20):
            await queue.put(number)
        queue.shutdown()
    assert got == list(range(20))
    assert asyncio.get_running_loop().time() == 5
