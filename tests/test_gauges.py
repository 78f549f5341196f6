"""The gauges of lesson 16, on queues and workers that really run, and published pipelines."""

import asyncio
import gc

import pytest

from helpers import record, run
from helpers.basics.backports import QueueShutDown
from helpers.measuring.gauges import GaugedQueue, occupancy, virtual_seconds
from helpers.props import published


async def take_all(queue, seconds):
    try:
        while True:
            await queue.get()
            await asyncio.sleep(seconds)
    except QueueShutDown:
        pass


def test_a_queue_keeps_book_of_depth_and_age():
    async def main():
        queue = GaugedQueue()
        for item in range(3):
            await queue.put(item)
            await asyncio.sleep(1)
        queue.shutdown()
        await take_all(queue, 2)
        return queue

    queue = run(main(), clock="virtual")
    assert queue.depths == [(0, 1), (1, 2), (2, 3), (3, 2), (5, 1), (7, 0)]
    assert queue.ages == [(3, 3), (5, 4), (7, 5)]
    assert (queue.deepest, queue.oldest, queue.head_start) == (3, 5, 3)


def test_an_item_that_waited_for_room_is_not_yet_in_the_queue():
    async def main():
        queue = GaugedQueue(1)
        taker = asyncio.create_task(take_all(queue, 1))
        for item in range(4):
            await queue.put(item)
        queue.shutdown()
        await taker
        return queue

    queue = run(main(), clock="virtual")
    assert queue.deepest == 1 and queue.oldest == 1 and queue.head_start == 1
    assert len(queue.ages) == 4


def test_a_queue_that_nobody_used_has_nothing_to_tell():
    queue = GaugedQueue(5)
    assert (queue.deepest, queue.oldest, queue.head_start) == (0, 0.0, 0)
    with pytest.raises(RuntimeError, match="no running event loop"):
        queue.put_nowait("no loop, no clock")


def test_occupancy_tells_the_busy_stage_from_the_starved_and_the_held_up():
    async def main():
        first, second = GaugedQueue(1), GaugedQueue(1)

        async def make():
            for item in range(10):
                await asyncio.sleep(1)
                await first.put(item)
            first.shutdown()

        async def middle():
            try:
                while True:
                    item = await first.get()
                    await asyncio.sleep(3)
                    await second.put(item)
            except QueueShutDown:
                second.shutdown()

        async with asyncio.TaskGroup() as group:
            group.create_task(make(), name="make")
            group.create_task(middle(), name="middle")
            for number in range(2):
                group.create_task(take_all(second, 1), name=f"last-{number}")
            group.create_task(asyncio.sleep(40), name="bystander 1")

    with record() as rec:
        run(main(), clock="virtual")
    shares = occupancy(rec)
    assert list(shares) == ["make", "middle", "last"]
    assert all(sum(share) == pytest.approx(1) for share in shares.values())
    assert shares["middle"].busy > 0.9
    assert shares["make"].held_up > 0.5 and shares["make"].starved == 0
    assert shares["last"].starved > 0.8 and shares["last"].held_up == 0
    assert repr(shares["last"]) == "16% busy, 84% starved, 0% held up"


def test_a_deadlock_names_the_queue_on_every_python():
    async def main():
        await GaugedQueue().get()

    with pytest.raises(RuntimeError, match=r"waits for Queue\.get, line"):
        run(main(), clock="virtual")


def test_virtual_seconds():
    assert virtual_seconds(asyncio.sleep(3600)) == 3600
    with pytest.raises(ZeroDivisionError):
        virtual_seconds(fails())


async def fails():
    return 1 / 0


# The pipelines as published


async def slow(count):
    for number in range(count):
        await asyncio.sleep(0.01)
        yield number


@pytest.mark.parametrize(
    "pipeline, first, last",
    [
        # From claims: nothing begins before the end; the consumer looks at 0.05 s, and then again
        # when its batch is done and 0.05 s are over.
        (published.list_then_gather, 0.70, 0.70),
        (published.producer_and_consumer, 0.35, 1.05),
    ],
)
def test_source_000_as_published(pipeline, first, last):
    ended = {}

    async def details(number):
        await asyncio.sleep(0.3)
        ended[number] = asyncio.get_running_loop().time()

    assert virtual_seconds(pipeline(slow(40), details)) == pytest.approx(last)
    assert len(ended) == 40 and min(ended.values()) == pytest.approx(first)


@pytest.mark.parametrize(
    "pipeline, at_first, tasks",
    [(published.list_first, 60, 60), (published.wait_for_the_first, 21, 21)],
)
def test_source_002_as_published(pipeline, at_first, tasks):
    made, at_once, seen = [], 0, []

    async def lines():
        for number in range(60):
            made.append(number)
            yield number

    async def send(line):
        nonlocal at_once
        at_once += 1
        seen.append((len(made), at_once, len(asyncio.all_tasks())))
        await asyncio.sleep(0.01)
        at_once -= 1

    run(pipeline(lines(), send), clock="virtual")
    assert len(seen) == 60
    assert seen[0][0] == at_first
    assert max(here for _, here, _ in seen) == 10
    assert tasks <= max(count for _, _, count in seen) <= tasks + 2


def test_source_002_raises_an_error_as_soon_as_it_looks():
    made = []

    async def lines():
        for number in range(60):
            made.append(number)
            yield number

    async def send(line):
        raise OSError(line)

    async def main():
        with pytest.raises(OSError):
            await published.wait_for_the_first(lines(), send)

    run(main(), clock="virtual")
    assert len(made) == 21
    gc.collect()  # the errors that nobody looked at are told of here, and not in another test
