"""The course's own event loop beside asyncio, uvloop and trio, and its virtual clock."""

import asyncio
from collections.abc import Iterator

from helpers import run
from helpers.upkeep.bench import loop_work
from helpers.upkeep.bench.measured import Row, median_seconds


def hour() -> Iterator[Row]:
    """An hour of sleeping on the virtual clock"""
    seconds = median_seconds(lambda: run(asyncio.sleep(3600), clock="virtual"), repeats=9)
    yield Row("an hour", 1000 * seconds, "milliseconds", limit=5)


def loops() -> Iterator[Row]:
    """The course's event loop beside asyncio, uvloop and trio: how many times asyncio's speed

    `own` are the learner's tasks of stages one to four, `library` is asyncio's own library on the
    last stage.
    """
    work = [  # what, {loop: seconds}, the least of own, the least of library
        ("switches, 100 tasks", loop_work.switches(100, 1000), 2.0, 1.0),
        ("switches, one task", loop_work.switches(1, 50_000), 2.0, 1.0),
        ("10,000 sleeps of 0.1 s at once", loop_work.sleeps(10_000), 1.3, 1.0),
        ("cancelled timers", loop_work.cancelled_timers(20_000), None, 1.0),
        ("10,000 timers held, then cancelled", loop_work.held_timers(10_000), None, 0.9),
        ("new connections", loop_work.new_connections(500), None, 0.9),
        ("one write of 200 MB", loop_work.one_write(200_000_000), None, 0.9),
        ("echo, 100 connections", loop_work.echoes(100, 200), 1.0, 0.9),
    ]
    for what, ways, own, library in work:
        speeds = loop_work.speeds(ways, repeats=9, beside="asyncio")
        for name, speed in speeds.items():
            least = {"own": own, "library": library}.get(name)
            if name != "asyncio":
                yield Row(f"{what}: {name}", speed, "times asyncio", least=least)
        if what.startswith("switches") and "uvloop" in speeds:
            beside = speeds["own"] / speeds["uvloop"]
            yield Row(f"{what}: own", beside, "times uvloop", least=1.0)
    used = {
        name: loop_work.bytes_a_task(name, 100_000)
        for name in ["own", *loop_work.ASYNCIO, *(["trio"] if loop_work.trio else [])]
    }
    for name, size in used.items():
        yield Row(
            f"a sleeping task of 100,000: {name}",
            size,
            "bytes",
            limit=used["asyncio"] if name == "own" else None,
        )
    few, many = loop_work.cost_a_step(100), loop_work.cost_a_step(100_000)
    yield Row("a step among 100,000 tasks: own", many / few, "times 100's", limit=1.5)
