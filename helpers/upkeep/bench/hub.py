"""A class on a hub: learners log in, get a server, open lessons and run them, through its proxy."""

import asyncio
import contextlib
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from helpers.basics.ports import free_port
from helpers.basics.project import PROJECT
from helpers.upkeep.bench.hub_learner import Learner
from helpers.upkeep.bench.lessons import chosen
from helpers.upkeep.bench.measured import Row

PASSWORD = "oak river seven"
STARTS_WITHIN = 60  # seconds
MACHINE = 8000  # MB: how many learners one with so much holds
SYSTEM = 1000  # MB of it for the system, the hub and the board
LESSONS = "05", "14", "17"


def hub(learners: int, lessons: Sequence[str]) -> Iterator[Row]:
    """Learners on a hub of this machine, who all come in the same moment and run the same lesson

    learners: how many. lessons: numbers such as "17", one after another; 05, 14 and 17 if there are
    none. Says how long a server takes to come, what a learner's processes hold in memory, how long
    the lesson takes, and how many learners a machine of 8 GB holds.
    """
    with tempfile.TemporaryDirectory() as folder, running_hub(Path(folder)) as address:
        for number in lessons or LESSONS:
            yield from asyncio.run(_lesson(address, number, learners))


@contextlib.contextmanager
def running_hub(folder: Path) -> Iterator[str]:
    """A hub by `course.py hub` with a fresh copy of the course to pull from; gives its address.

    folder: for the copy, the learners' homes and the log. Raises RuntimeError where it doesn't
    start.
    """
    environment = os.environ | {
        "ASYNC_COURSE_DATA": str(folder / "data"),
        "COURSE_HUB_PASSWORD": PASSWORD,
        "COURSE_REPOSITORY": str(_repository(folder / "course")),
    }
    log = folder / "hub.log"
    port = free_port()
    command = [sys.executable, str(PROJECT / "course.py"), "hub", "--port", str(port)]
    with log.open("wb") as output:
        running = subprocess.Popen(
            command, env=environment, cwd=folder, stdout=output, stderr=output
        )
    try:
        until = time.monotonic() + STARTS_WITHIN
        while "is now running" not in log.read_text(encoding="utf-8", errors="replace"):
            if running.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"the hub did not start:\n{log.read_text(errors='replace')}")
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        running.send_signal(signal.SIGINT)  # it ends the learners' servers too
        running.wait(60)


def _repository(folder):
    """A repository of the course as it is here, with one commit on the branch main."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=PROJECT, capture_output=True, check=True).stdout.split(b"\0")
    for name in map(os.fsdecode, filter(None, names)):
        if (PROJECT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, folder / name)
    for command in (
        ["init", "-q", "-b", "main"],
        ["add", "--all"],
        ["-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "-m", "The course"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


async def _lesson(address, number, learners):
    people = [Learner(address, f"learner-{number}-{each}") for each in range(learners)]
    (path,) = chosen([number])
    try:
        came = await asyncio.gather(*(_timed(one.come(PASSWORD)) for one in people))
        ran = await asyncio.gather(*(_timed(one.run(f"notebooks/{path.name}")) for one in people))
        held = [memory(one.name) for one in people]
    finally:
        await asyncio.gather(*(one.go() for one in people))
    failed = [one.failed for one in people if one.failed]
    which = "; ".join(sorted({words for each in failed for words in each}))
    name = f"{path.stem}, {learners} learners"
    each = statistics.median(held)
    return [
        Row(f"{name}: a server and a folder came", max(came), "s, the slowest", limit=60),
        Row(f"{name}: the lesson was through", max(ran), "s, the slowest"),
        Row(f"{name}: a cell failed {which}".rstrip(), len(failed), "learners", limit=0),
        Row(f"{name}: memory of each", each, "MB, the median"),
        Row(f"{name}: so a machine of 8 GB holds", (MACHINE - SYSTEM) // max(held), "learners"),
    ]


async def _timed(way):
    begun = time.monotonic()
    await way
    return time.monotonic() - begun


def memory(name: str) -> float:
    """The MB that a learner's processes hold, what they share with others counted by its part."""
    total = 0
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get("JUPYTERHUB_USER") == name:
                total += process.memory_full_info().pss
    return total / 10**6
