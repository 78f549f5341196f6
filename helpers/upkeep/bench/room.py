"""A room full of learners on one machine: as many kernels at once, each with the whole lesson."""

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

from helpers.upkeep.bench.lessons import Lesson, chosen
from helpers.upkeep.bench.measured import Row

PATIENCE = 60  # seconds: a learner who waits longer for a cell's answer thinks that it hangs


def room(learners: int, lessons: list[str]) -> Iterator[Row]:
    """Learners who all open the same lesson in the same moment

    learners: how many. lessons: numbers such as "17", those to open, one after another; all if
    there are none. Says of each lesson how many got through it without a cell that failed, which
    cells failed, and how long the slowest answer took.
    """
    for path in chosen(lessons):
        with tempfile.TemporaryDirectory() as home:
            opened = [Lesson(path, Path(home, str(number))) for number in range(learners)]
            asyncio.run(_all_at_once(opened))
        yield from _rows(path.stem, opened)


async def _all_at_once(opened):
    await asyncio.gather(*(lesson.run() for lesson in opened))


def _rows(name, opened):
    failed = [lesson.failed for lesson in opened if lesson.failed]
    yield Row(name, len(opened) - len(failed), f"of {len(opened)} green", least=len(opened))
    for words in sorted({words for each in failed for words in each}):
        yield Row(f"  {words}", sum(words in each for each in failed), "learners")
    slowest, cell = max(
        (seconds, number) for lesson in opened for number, seconds in lesson.seconds.items()
    )
    yield Row(f"{name}, cell {cell}", slowest, "s, the slowest", limit=PATIENCE)
