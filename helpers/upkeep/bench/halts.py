"""A machine that stops for a moment again and again, as one does whose cores others have: what a
lesson shows on it must be what it shows elsewhere.
"""

import asyncio
import random
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from helpers.upkeep.bench.lessons import Lesson, chosen
from helpers.upkeep.bench.measured import Row

HALTS = (0.05, 0.15, 0.3, 0.5)  # seconds: one of these
BETWEEN = (0.3, 2.0)  # seconds: at least, at most


def halts(lessons: list[str]) -> Iterator[Row]:
    """Lessons whose processes are all stopped for up to half a second, every second or so

    lessons: numbers such as "14"; all lessons if there are none. Says of each lesson how many of
    its cells failed, and which. Not on Windows, where no signal stops a process.
    """
    for path in chosen(lessons):
        with tempfile.TemporaryDirectory() as home:
            lesson = Lesson(path, Path(home))
            ended = threading.Event()
            halting = threading.Thread(target=_halt_again_and_again, args=[ended])
            halting.start()
            try:
                asyncio.run(lesson.run())
            finally:
                ended.set()
                halting.join()
        yield Row("; ".join([path.stem, *lesson.failed]), len(lesson.failed), "failed", limit=0)


def _halt_again_and_again(ended: threading.Event) -> None:
    while not ended.wait(random.uniform(*BETWEEN)):
        halted = psutil.Process().children(recursive=True)
        _send(halted, signal.SIGSTOP)
        time.sleep(random.choice(HALTS))
        _send(halted, signal.SIGCONT)


def _send(processes: list[psutil.Process], number: int) -> None:
    for process in processes:
        try:
            process.send_signal(number)
        except psutil.NoSuchProcess:
            pass
