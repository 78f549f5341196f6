"""What the course's own machinery costs, as ratios in one run: `python -m helpers.upkeep.bench`.

Each benchmark is a function in `BENCHMARKS` that gives rows; a row stands beside its limit, if it
has one. To add one, write a function that yields `Row`s and put it into the list. Ratios are
medians of pairs: every variant runs in turn, again and again, so that a noisy machine hurts all
alike. Exits with 1 if a row misses its bound.
"""

import asyncio
import contextlib
import gc
import json
import logging
import statistics
import sys
import threading
import time
import tracemalloc
from typing import NamedTuple

import httpx
import psutil

from helpers import run, services
from helpers.basics.project import PROJECT
from helpers.coach.exercise import judge
from helpers.coach.form.statement import find
from helpers.measuring.rate import measure_rate
from helpers.pictures.timeline import timeline
from helpers.recording.recorder import attach, record
from helpers.upkeep import bench_loops


class Row(NamedTuple):
    """One measured figure. limit, least: the most, and the least, it may be; None: no matter."""

    what: str
    measured: float
    unit: str = "times bare"
    limit: float | None = None
    least: float | None = None

    @property
    def missed(self):
        return (
            self.limit is not None
            and self.measured > self.limit
            or self.least is not None
            and self.measured < self.least
        )

    def __str__(self):
        bounds = [
            f"  {word} {bound:g}"
            for word, bound in (("at most", self.limit), ("at least", self.least))
            if bound is not None
        ]
        verdict = "" if not bounds else "  MISSED" if self.missed else "  ok"
        return f"  {self.what:<44}{self.measured:>9.3f} {self.unit:<14}{''.join(bounds)}{verdict}"


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
    for name, program, repeats, limit in [
        ("an answer", answer, 15, 0.1),
        ("a hang in C code", hanging, 3, 2.5),
    ]:
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


def loops():
    """The course's event loop beside asyncio, uvloop and trio: how many times asyncio's speed

    `own` are the learner's tasks of stages one to four, `library` is asyncio's own library on the
    last stage.
    """
    work = [  # what, {loop: seconds}, the least of own, the least of library
        ("switches, 100 tasks", bench_loops.switches(100, 1000), 2.0, 1.0),
        ("switches, one task", bench_loops.switches(1, 50_000), 2.0, 1.0),
        ("10,000 sleeps of 0.1 s at once", bench_loops.sleeps(10_000), 1.3, 1.0),
        ("cancelled timers", bench_loops.cancelled_timers(20_000), None, 1.0),
        ("echo, 100 connections", bench_loops.echoes(100, 200), 1.0, 0.9),
    ]
    for what, ways, own, library in work:
        speeds = bench_loops.speeds(ways, repeats=9, beside="asyncio")
        for name, speed in speeds.items():
            least = {"own": own, "library": library}.get(name)
            if name != "asyncio":
                yield Row(f"{what}: {name}", speed, "times asyncio", least=least)
        if what.startswith("switches") and "uvloop" in speeds:
            beside = speeds["own"] / speeds["uvloop"]
            yield Row(f"{what}: own", beside, "times uvloop", least=1.0)
    used = {
        name: bench_loops.bytes_a_task(name, 100_000)
        for name in ["own", *bench_loops.ASYNCIO, *(["trio"] if bench_loops.trio else [])]
    }
    for name, size in used.items():
        yield Row(
            f"a sleeping task of 100,000: {name}",
            size,
            "bytes",
            limit=used["asyncio"] if name == "own" else None,
        )
    few, many = bench_loops.cost_a_step(100), bench_loops.cost_a_step(100_000)
    yield Row("a step among 100,000 tasks: own", many / few, "times 100's", limit=1.5)


def lessons():
    """The lessons, each from a fresh kernel to its last cell, one after another"""
    import nbformat
    from nbclient import NotebookClient

    for path in sorted((PROJECT / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        client = NotebookClient(
            nbformat.read(path, as_version=4),
            allow_errors=True,
            resources={"metadata": {"path": str(path.parent)}},
        )
        begun = time.perf_counter()
        with Held() as held:
            client.execute()
        serves = int(path.stem[:2]) >= 17  # from there on with real servers, many and large
        yield Row(path.stem, time.perf_counter() - begun, "seconds", limit=40 if serves else 30)
        yield Row(path.stem, held.most / 1e6, "MB", limit=700 if serves else 500)


class Held(threading.Thread):
    """In a `with`: the most memory, in bytes, that the processes started by this one held."""

    def __init__(self):
        super().__init__(daemon=True)
        self.most, self.over = 0, threading.Event()

    def run(self):
        while not self.over.wait(0.05):
            held = 0
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.NoSuchProcess):
                    held += process.memory_info().rss
            self.most = max(self.most, held)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc_info):
        self.over.set()
        self.join()


BENCHMARKS = [switching, waiting, memory, figure, catalogue, checks, hour, loops, lessons]


def main():
    """Run all benchmarks, print their rows; return the exit status."""
    missed = 0
    print(f"Python {sys.version.split()[0]}, medians of interleaved runs")
    for benchmark in BENCHMARKS:
        print(benchmark.__doc__.partition("\n")[0])
        for row in benchmark():
            print(row, flush=True)
            missed += row.missed
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
