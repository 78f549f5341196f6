"""How long a learner waits for the answer of a check."""

import functools
from collections.abc import Iterator

from helpers.coach.exercise import judge
from helpers.coach.form.finding import find
from helpers.upkeep.bench.measured import Row, median_seconds


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
