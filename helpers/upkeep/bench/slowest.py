"""How long a lesson and its slowest cell take on this machine, for `course.py doctor --room`."""

import asyncio
import json
import tempfile
from pathlib import Path

from helpers.upkeep.bench.lessons import Lesson, chosen


def tell(number: str) -> None:
    """Run a lesson, such as "05", and print what came of it, as JSON.

    Raises SystemExit where there is no such lesson.
    """
    found = chosen([number])
    if not found:
        raise SystemExit(f"there is no lesson {number}")
    with tempfile.TemporaryDirectory() as home:
        lesson = Lesson(found[0], Path(home))
        asyncio.run(lesson.run())
    seconds = lesson.seconds.values()
    print(json.dumps({"all": sum(seconds), "slowest": max(seconds), "failed": lesson.failed}))
