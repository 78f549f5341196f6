"""Whether what is right is called right, again and again, and on a machine that is busy."""

import contextlib
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from helpers.coach.exercise import judge
from helpers.coach.form.finding import entries, find
from helpers.coach.form.statement import Exercise
from helpers.coach.form.text import run_as_cell
from helpers.coach.judging.sandbox import sandbox
from helpers.upkeep.bench.measured import Row

COMPUTES = [sys.executable, "-c", "while True: pass"]


def right(times: int, busy: int, names: Collection[str]) -> Iterator[Row]:
    """The exercises' right programs, judged again and again

    times: how often each. busy: how many processes compute beside them. names: of exercises, such
    as "gather-1", or of lessons, such as "10"; all if there are none. Each round has a judge of
    its own, and so an order of its own in sets of text. Where the machine was too busy to tell,
    nothing false was said: that is counted, and is no miss.
    """
    programs = dict(_programs(names))
    told = Counter()
    with _beside(busy):
        for _ in range(times):
            for name, (exercise, answer) in programs.items():
                verdict, _ = judge(exercise, answer)
                told[name, verdict.status, verdict.kind] += 1
            sandbox.replace()
    judged = times * len(programs)
    for (name, status, kind), count in sorted(told.items()):
        if status == "not yet":
            yield Row(f"{name} is told: {kind}", count, f"of {times}", limit=0)
    solved = sum(count for (_, status, _), count in told.items() if status == "solved")
    unsaid = sum(count for (_, status, _), count in told.items() if status == "can't tell")
    yield Row("too busy to tell", unsaid, f"of {judged}")
    yield Row("solved", solved, f"of {judged}", least=judged - unsaid)


def _programs(names: Collection[str]) -> Iterator[tuple[str, tuple[type[Exercise], Any]]]:
    for entry in entries():
        if not names or entry.id in names or entry.lesson in names:
            exercise = find(entry.id)
            for program in exercise.right_programs():
                name = f"{entry.id}:{program.name}"
                yield name, (exercise, run_as_cell(program.text, name)[exercise.asks])


@contextlib.contextmanager
def _beside(number: int) -> Iterator[None]:
    """So many processes that compute, each of a session of its own: a system may share out its
    processors by sessions.
    """
    computing = [subprocess.Popen(COMPUTES, start_new_session=True) for _ in range(number)]
    try:
        yield
    finally:
        for process in computing:
            process.kill()
            process.wait()
