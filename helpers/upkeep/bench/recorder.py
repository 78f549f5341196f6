"""What recording costs beside bare asyncio and other tools."""

import asyncio
import functools
import gc
import json
import logging
import statistics
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator, Mapping

from helpers.recording.record import attach, record
from helpers.recording.recording import Recording
from helpers.upkeep.bench.measured import Row, in_turn

try:
    import viztracer
except ImportError:
    viztracer = None

Work = Callable[[], Awaitable[None]]
Way = Callable[[Work], object]

# The work


async def switch() -> None:
    """100 tasks that do nothing but hand over to one another: pure switching."""

    async def task():
        for _ in range(1000):
            await asyncio.sleep(0)

    await asyncio.gather(*[task() for _ in range(100)])


PAGE = {"name": "bulbasaur", "id": 1, "types": ["grass", "poison"], "moves": list(range(40))}


async def wait() -> None:
    """200 tasks that wait for real and do a little work after each wait."""

    async def task(number):
        for turn in range(4):
            await asyncio.sleep(0.05 + 0.0004 * ((number * 7 + turn) % 100))
            json.loads(json.dumps(PAGE))

    await asyncio.gather(*[task(number) for number in range(200)])


# The ways to run it


def bare(work: Work) -> None:
    """Run the work as asyncio does."""
    asyncio.run(work())


def recorded(work: Work) -> Recording:
    """Run the work under the recorder."""
    with record() as rec, asyncio.Runner() as runner:
        attach(runner.get_loop())
        runner.run(work())
    return rec


def traced(work: Work) -> None:
    """Run the work under viztracer."""
    tracer = viztracer.VizTracer(verbose=0, tracer_entries=4_000_000)
    tracer.start()
    try:
        asyncio.run(work())
    finally:
        tracer.stop()
        tracer.clear()


def debugged(work: Work) -> None:
    """Run the work in asyncio's debug mode."""
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # no word about slow callbacks
    asyncio.run(work(), debug=True)


def ratios(work: Work, repeats: int, variants: Mapping[str, Way]) -> dict[str, tuple[float, float]]:
    """{variant: (wall ratio, cpu ratio)} against the first variant, medians of pairs."""

    def seconds(way):
        wall, cpu = time.perf_counter(), time.process_time()
        way(work)
        return time.perf_counter() - wall, time.process_time() - cpu

    ways = {name: functools.partial(seconds, way) for name, way in variants.items()}
    taken = in_turn(ways, repeats)
    first, *others = taken
    return {
        name: tuple(
            statistics.median(one[i] / base[i] for one, base in zip(taken[name], taken[first]))
            for i in (0, 1)
        )
        for name in others
    }


def beside_others(work: Work, repeats: int) -> dict[str, tuple[float, float]]:
    """`ratios` of the recorder, and with fewer repeats those of other tools."""
    found = ratios(work, repeats, {"bare": bare, "recorder": recorded})
    others = {"bare": bare}
    if viztracer is None:
        print("  (viztracer is not installed: not measured)")
    else:
        others["viztracer"] = traced
    others["asyncio debug mode"] = debugged
    return found | ratios(work, max(3, repeats // 7), others)


# The benchmarks


def switching() -> Iterator[Row]:
    """Pure sleep(0) switching, 100 tasks"""
    for name, (wall, _) in beside_others(switch, repeats=15).items():
        yield Row(name, wall, limit=1.5 if name == "recorder" else None)


def waiting() -> Iterator[Row]:
    """Work that waits: 200 tasks, 4 sleeps of 50 to 90 ms each, a little work after each"""
    for name, (wall, cpu) in beside_others(wait, repeats=9).items():
        yield Row(name, wall, limit=1.03 if name == "recorder" else None)
        yield Row(f"{name}, CPU time", cpu, "times bare CPU")


def memory() -> Iterator[Row]:
    """Bytes that stay allocated after a recording, per step (tracemalloc; lanes of tasks too)"""
    for name, work in (("switching", switch), ("waiting", wait)):
        recorded(work)  # what is made once, is made now
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        rec = recorded(work)
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        yield Row(name, kept / rec.steps, "bytes a step", limit=150)
        yield Row(f"{name}, columns alone", rec.nbytes / rec.steps, "bytes a step")
