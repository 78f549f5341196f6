"""What pictures of recordings take: the first in a fresh process, and one of ten thousand tasks."""

import asyncio
import functools
import pickle
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from helpers import run
from helpers.pictures.timeline import timeline
from helpers.recording.record import record
from helpers.upkeep.bench.measured import Row, in_turn, median_seconds
from helpers.upkeep.bench.recorder import recorded

# Each prints the seconds from its first import for the picture to the picture.
_OURS = """
import pickle, sys, time
rec = pickle.load(open(sys.argv[1], "rb"))
begun = time.perf_counter()
from helpers.pictures.timeline import timeline
timeline(rec)._repr_mimebundle_()
print(time.perf_counter() - begun)
"""
_PYPLOT = """
import io, pickle, sys, time
rec = pickle.load(open(sys.argv[1], "rb"))
begun = time.perf_counter()
import matplotlib
matplotlib.use("agg")
from matplotlib import pyplot
figure, axes = pyplot.subplots()
for lane in rec.lanes:
    for state, colour in [("running", "C0"), ("ready", "C1"), ("waiting", "C7")]:
        bars = [(s.start, s.end - s.start) for s in rec.spans(lane) if s.state == state]
        axes.broken_barh(bars, (lane.id - 0.3, 0.6), color=colour, label=state)
axes.set_yticks(range(len(rec.lanes)), [lane.name for lane in rec.lanes])
figure.savefig(io.BytesIO(), format="png")
print(time.perf_counter() - begun)
"""


def first_picture() -> Iterator[Row]:
    """The first timeline in a fresh process, and the same bars by pyplot's broken_barh"""

    async def main():
        await asyncio.gather(*(asyncio.sleep(n) for n in (1, 2, 3)))

    with record() as rec:
        run(main(), clock="virtual")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "recording")
        path.write_bytes(pickle.dumps(rec))
        ways = {
            name: functools.partial(_seconds, program, path)
            for name, program in (("timeline", _OURS), ("pyplot", _PYPLOT))
        }
        taken = in_turn(ways, repeats=5)
    medians = {name: statistics.median(seconds) for name, seconds in taken.items()}
    for name, seconds in medians.items():
        yield Row(name, seconds, "seconds")
    yield Row("timeline", medians["timeline"] / medians["pyplot"], "times pyplot", limit=0.5)


def _seconds(program, path):
    done = subprocess.run(
        [sys.executable, "-c", program, path], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def ten_thousand() -> Iterator[Row]:
    """A timeline of 10,000 tasks"""

    async def work():
        async def task(number):
            for _ in range(3):
                await asyncio.sleep(0.05 + number % 97 / 1000)

        await asyncio.gather(*[task(number) for number in range(10_000)])

    rec = recorded(work)
    drawn = median_seconds(lambda: timeline(rec)._repr_mimebundle_(), repeats=3)
    yield Row(f"{rec.steps:,} steps, drawn", drawn, "seconds", limit=0.6)
    size = len(timeline(rec)._repr_mimebundle_()["text/html"].encode())
    yield Row("its HTML", size / 1000, "kB", limit=400)
