"""How long a learner waits for the answer of a check."""

import functools
import statistics
import subprocess
import sys
from collections.abc import Iterator

from helpers.coach.exercise import judge
from helpers.coach.form.finding import entries, find
from helpers.coach.judging.model import model_of
from helpers.upkeep.bench.measured import Row, median_seconds

FIRST = """
import time
from helpers import exercise
begun = time.perf_counter()
ex = exercise("overlap-1")
ex.check(lambda fetch, pages: None)
print(time.perf_counter() - begun)
"""


def checks() -> Iterator[Row]:
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
        seconds = median_seconds(functools.partial(judge, exercise, program), repeats)
        yield Row(name, seconds, "seconds", limit=limit)
    swept = dict(_swept())
    yield Row(f"with a sweep, median of {len(swept)}", statistics.median(swept.values()), "seconds",
              limit=0.15)  # fmt: skip
    slowest = max(swept, key=swept.get)
    yield Row(f"with a sweep, the slowest ({slowest})", swept[slowest], "seconds", limit=1.0)
    yield Row("the first one in a kernel", _first(), "seconds", limit=1.0)


def _swept():
    """(id, seconds) of each exercise on virtual time that has a sweep: its model is judged."""
    for entry in entries():
        exercise = find(entry.id)
        if exercise.sweeps and exercise.clock == "virtual":
            model = model_of(exercise).program
            judge(exercise, model)  # what the model does is found out once
            yield entry.id, median_seconds(functools.partial(judge, exercise, model), 3)


def _first():
    """Seconds from the card of an exercise to the first verdict, in a Python of its own."""
    taken = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True)
        taken.append(float(done.stdout.split()[-1]))
    return statistics.median(taken)
