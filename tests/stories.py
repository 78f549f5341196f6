"""Recordings of small stories, for the tests of what draws and tells them."""

import asyncio

from helpers.kernel.virtual import VirtualLoop
from helpers.recording.record import attach, record


def recorded(main, loop_factory=VirtualLoop):
    """The recording of a coroutine, run on a loop of its own."""
    with record() as rec, asyncio.Runner(loop_factory=loop_factory) as runner:
        attach(runner.get_loop())
        runner.run(main)
    return rec


async def nap(seconds):
    """A sleep in a task of this name."""
    await asyncio.sleep(seconds)


async def story():
    """Two tasks in turn at one lock, a third that is cancelled."""
    lock = asyncio.Lock()

    async def locked(seconds):
        async with lock:
            await asyncio.sleep(seconds)

    one = asyncio.create_task(locked(1), name="one")
    two = asyncio.create_task(locked(2), name="two")
    slow = asyncio.create_task(nap(9), name="slow")
    await asyncio.gather(one, two)
    slow.cancel()
    await asyncio.wait([slow])


# Through an explorer


def walk(explorer):
    """Each instant's view, in order."""
    for at in range(1, explorer.count + 1):
        explorer.move(at)
        yield explorer.view


def answer(explorer, name):
    """Answer by the name on a button; return what that was told."""
    explorer.answer(explorer.choices()[name])
    return explorer.said
