"""What the course's own machinery costs, as ratios in one run: `python -m helpers.bench`.

Each benchmark is a function in `BENCHMARKS` that gives rows; a row stands beside its limit, if it
has one. To add one, write a function that yields `Row`s and put it into the list. Ratios are
medians of pairs: every variant runs in turn, again and again, so that a noisy machine hurts all
alike. Exits with 1 if a row is over its limit.
"""

import asyncio
import gc
import json
import logging
import statistics
import sys
import time
import tracemalloc
from typing import NamedTuple

import httpx

from helpers import run, services
from helpers.coach.exercise import judge
from helpers.coach.form import find
from helpers.recorder import attach, record
from helpers.services.rate import measure_rate
from helpers.timeline import timeline


class Row(NamedTuple):
    """One measured figure. limit: the most it may be, or None where there is none."""

    what: str
    measured: float
    unit: str = "times bare"
    limit: float | None = None

    @property
    def over(self):
        return self.limit is not None and self.measured > self.limit

    def __str__(self):
        limit = "" if self.limit is None else f"  at most {self.limit:g}"
        verdict = "" if self.limit is None else ("  OVER" if self.over else "  ok")
        return f"  {self.what:<44}{self.measured:>9.3f} {self.unit:<14}{limit}{verdict}"


# The work


async def switch(times=1000):
    """100 tasks that do nothing but hand over to one another: pure switching."""

    async def task():
        for _ in range(times):
            await asyncio.sleep(0)

    await asyncio.gather(*[task() for _ in range(100)])


_PAGE = {"name": "bulbasaur", "id": 1, "types": ["grass", "poison"], "moves": list(range(40))}


async def wait():
    """200 tasks that wait for real and do a little work after each wait."""

    async def task(number):
        for turn in range(4):
            await asyncio.sleep(0.05 + 0.0004 * ((number * 7 + turn) % 100))
            json.loads(json.dumps(_PAGE))

    await asyncio.gather(*[task(number) for number in range(200)])


# The ways to run it


def bare(work):
    asyncio.run(work())


def recorded(work):
    with record(), asyncio.Runner() as runner:
        attach(runner.get_loop())
        runner.run(work())


def traced(work):
    import viztracer

    tracer = viztracer.VizTracer(verbose=0, tracer_entries=4_000_000)
    tracer.start()
    try:
        asyncio.run(work())
    finally:
        tracer.stop()
        tracer.clear()


def debugged(work):
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # no word about slow callbacks
    asyncio.run(work(), debug=True)


def _others():
    variants = {"bare": bare}
    try:
        import viztracer  # noqa: F401
    except ImportError:
        print("  (viztracer is not installed: not measured)")
    else:
        variants["viztracer"] = traced
    variants["asyncio debug mode"] = debugged
    return variants


def ratios(work, repeats, variants):
    """{variant: (wall ratio, cpu ratio)} against the first variant, medians of pairs."""
    taken = {name: [] for name in variants}
    for _ in range(repeats):
        for name, way in variants.items():
            wall, cpu = time.perf_counter(), time.process_time()
            way(work)
            taken[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    first = next(iter(taken.values()))
    return {
        name: tuple(
            statistics.median(one[i] / base[i] for one, base in zip(pairs, first)) for i in (0, 1)
        )
        for name, pairs in taken.items()
        if pairs is not first
    }


def beside_others(work, repeats):
    """`ratios` of the recorder, and with fewer repeats those of other tools."""
    found = ratios(work, repeats, {"bare": bare, "recorder": recorded})
    return found | ratios(work, max(3, repeats // 7), _others())


# The benchmarks


def switching():
    """Pure sleep(0) switching, 100 tasks"""
    for name, (wall, _) in beside_others(switch, repeats=15).items():
        yield Row(name, wall, limit=1.5 if name == "recorder" else None)


def waiting():
    """Work that waits: 200 tasks, 4 sleeps of 50 to 90 ms each, a little work after each"""
    for name, (wall, cpu) in beside_others(wait, repeats=9).items():
        yield Row(name, wall, limit=1.03 if name == "recorder" else None)
        yield Row(f"{name}, CPU time", cpu, "times bare CPU")


def memory():
    """Bytes that stay allocated after a recording, per step (tracemalloc; lanes of tasks too)"""
    for name, work in (("switching", switch), ("waiting", wait)):
        recorded(work)  # what is made once, is made now
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        with record() as rec, asyncio.Runner() as runner:
            attach(runner.get_loop())
            runner.run(work())
        del runner
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        yield Row(name, kept / rec.steps, "bytes a step", limit=150)
        yield Row(f"{name}, columns alone", rec.nbytes / rec.steps, "bytes a step")


def figure():
    """A figure of 10,000 tasks"""

    async def main():
        async def task(number):
            for _ in range(3):
                await asyncio.sleep(0.05 + number % 97 / 1000)

        await asyncio.gather(*[task(number) for number in range(10_000)])

    with record() as rec, asyncio.Runner() as runner:
        attach(runner.get_loop())
        runner.run(main())
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        timeline(rec)._repr_mimebundle_()
        taken.append(time.perf_counter() - start)
    yield Row(f"{rec.steps:,} steps, drawn", statistics.median(taken), "seconds", limit=1.5)


def catalogue():
    """The local catalogue beside the client that lessons ask it with, one request after another"""
    answers = measure_rate()
    with services.catalogue() as service, httpx.Client(base_url=service.url) as client:
        begun, asked = time.perf_counter(), 0
        while time.perf_counter() < begun + 1:
            client.get("/api/v2/pokemon/1").raise_for_status()
            asked += 1
    yield Row("answers", answers, "a second")
    yield Row("httpx asks", asked, "a second")
    yield Row("httpx asks, as a share of the answers", asked / answers, "of 1", limit=0.2)


def checks():
    """A check of an exercise, by a judge that is warm"""
    exercise = find("await-1")

    async def answer(ask):
        return f"Hello, {await ask()}!"

    async def hanging(ask):
        return sum(range(10**11))

    judge(exercise, answer)
    for name, program, repeats, limit in [("an answer", answer, 15, 0.1),
                                          ("a hang in C code", hanging, 3, 2.5)]:
        taken = []
        for _ in range(repeats):
            begun = time.perf_counter()
            judge(exercise, program)
            taken.append(time.perf_counter() - begun)
        yield Row(name, statistics.median(taken), "seconds", limit=limit)


def hour():
    """An hour of sleeping on the virtual clock"""
    taken = []
    for _ in range(9):
        begun = time.perf_counter()
        run(asyncio.sleep(3600), clock="virtual")
        taken.append(time.perf_counter() - begun)
    yield Row("an hour", 1000 * statistics.median(taken), "milliseconds", limit=5)


BENCHMARKS = [switching, waiting, memory, figure, catalogue, checks, hour]


def main():
    """Run all benchmarks, print their rows; return the exit status."""
    over = 0
    print(f"Python {sys.version.split()[0]}, medians of interleaved runs")
    for benchmark in BENCHMARKS:
        print(benchmark.__doc__)
        for row in benchmark():
            print(row, flush=True)
            over += row.over
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
