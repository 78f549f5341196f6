"""What a suspended task waits for, and at which line of the learner's."""

import asyncio
import linecache
import os
from typing import Any, NamedTuple

from helpers.basics.awaits import awaited, frame_of
from helpers.basics.places import is_library
from helpers.basics.project import HELPERS

IN_WORDS = {
    "TaskGroup.__aexit__": "the tasks of its TaskGroup",
    "TaskGroup._aexit": "the tasks of its TaskGroup",  # its newer name
}


class Waiting(NamedTuple):
    """Where one unfinished task waits. `filename` and `lineno` are None if no line of the
    learner's is on the way."""

    name: str
    filename: str | None
    lineno: int | None
    what: str

    def __str__(self) -> str:
        where = "" if self.lineno is None else f", {line_in_words(self.filename, self.lineno)}"
        return f"{self.name} waits for {self.what}{where}"


def unfinished(loop: asyncio.AbstractEventLoop) -> list[Waiting]:
    """A `Waiting` for each unfinished task of a loop, in the order of their names."""
    tasks = [waiting(task) for task in asyncio.all_tasks(loop)]
    # Task-2 before Task-10
    return sorted(tasks, key=lambda task: (len(task.name), task.name))


def waiting(task: asyncio.Task) -> Waiting:
    """Where and for what a suspended task waits."""
    filename = lineno = None
    what = "its first turn"
    for step in awaited(task.get_coro()):
        if isinstance(step, asyncio.Future):
            if what is None:
                what = _describe_future(step)
            continue
        frame = frame_of(step)
        if frame is None:
            continue
        if not is_library(frame.f_code.co_filename):
            filename, lineno, what = frame.f_code.co_filename, frame.f_lineno, None
        elif not frame.f_code.co_filename.startswith(HELPERS) or _is_backport(step):
            what = IN_WORDS.get(step.__qualname__, step.__qualname__.lstrip("_"))
    return Waiting(task.get_name(), filename, lineno, what or "something that is not asyncio's")


def _is_backport(step: Any) -> bool:
    """Is this a public method of one of `helpers.basics.backports`? It is told as asyncio's own."""
    return frame_of(step).f_globals.get("__name__") == "helpers.basics.backports" and (
        not step.__name__.startswith("_")
    )


def _describe_future(future: asyncio.Future) -> str:
    """What it is to wait for this one, in words."""
    if isinstance(future, asyncio.Task):
        return f"task {future.get_name()}"
    return "gather" if "Gathering" in type(future).__name__ else "a future"


def line_in_words(filename: str, lineno: int) -> str:
    """A line's number, its file if there is one (a cell has none), its text."""
    text = linecache.getline(filename, lineno).strip()
    file = f" of {os.path.basename(filename)}" if os.path.exists(filename) else ""
    return f"line {lineno}{file}" + (f": {text}" if text else "")
