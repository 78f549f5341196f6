"""How long each lesson takes, and the tour, how much memory its processes hold, and whether its
cells work.
"""

import asyncio
import contextlib
import os
import tempfile
import threading
import time
from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path
from typing import Self

import nbformat
import psutil
from nbclient import NotebookClient

from helpers.basics.project import PROJECT
from helpers.upkeep.bench.measured import Row

PATHS = sorted((PROJECT / "notebooks").glob("*.ipynb"))


def chosen(numbers: Collection[str]) -> list[Path]:
    """The notebooks with these numbers, such as "17"; all if there are none."""
    return [path for path in PATHS if not numbers or path.stem.partition("_")[0] in numbers]


class Lesson:
    """A lesson in a fresh kernel of its own, from its first cell to its last.

    failed: the cells that raised what they should not, as "cell 12: KeyError"; seconds: what each
    cell took, by its number. Both are there once it has run.
    """

    def __init__(self, path: Path, home: Path):
        """path: the notebook. home: the folder for a learner's progress and ledger."""
        self._environment = os.environ | {"ASYNC_COURSE_DATA": str(home)}
        self._client = NotebookClient(
            nbformat.read(path, as_version=4),
            allow_errors=True,
            resources={"metadata": {"path": str(path.parent)}},
        )
        self.failed: list[str] = []
        self.seconds: dict[int, float] = {}

    async def run(self) -> None:
        """Run all cells; one that fails keeps none from running."""
        await self._client.async_execute(env=self._environment)
        for number, cell in enumerate(self._client.nb.cells):
            if cell.cell_type != "code":
                continue
            when = cell.metadata.execution
            begun, answered = when["iopub.status.busy"], when["shell.execute_reply"]
            self.seconds[number] = _moment(answered) - _moment(begun)
            if "raises-exception" not in cell.metadata.get("tags", ()):
                errors = [output.ename for output in cell.outputs if output.output_type == "error"]
                self.failed += [f"cell {number}: {error}" for error in errors]


def lessons() -> Iterator[Row]:
    """The lessons, each from a fresh kernel to its last cell, one after another"""
    for path in PATHS:
        begun = time.perf_counter()
        with tempfile.TemporaryDirectory() as home, Held() as held:
            lesson = Lesson(path, Path(home))
            asyncio.run(lesson.run())
        taken = time.perf_counter() - begun
        for words in lesson.failed:
            yield Row(f"{path.stem}, {words}", 1, "unexpected error", limit=0)
        seconds, megabytes = _limits(path.stem)
        yield Row(path.stem, taken, "seconds", limit=seconds)
        yield Row(path.stem, held.most / 1e6, "MB", limit=megabytes)


def _limits(name):
    """The most seconds and megabytes that a notebook may take."""
    if name == "tour":
        return 20, 250
    if int(name[:2]) >= 17:  # from there on with real servers, many and large
        return 40, 700
    return 30, 500


def _moment(text: str) -> float:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Held(threading.Thread):
    """In a `with`: the most memory, in bytes, that the processes started by this one held."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most, self.over = 0, threading.Event()

    def run(self) -> None:
        """Look twenty times a second."""
        while not self.over.wait(0.05):
            held = 0
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.NoSuchProcess):
                    held += process.memory_info().rss
            self.most = max(self.most, held)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.over.set()
        self.join()
