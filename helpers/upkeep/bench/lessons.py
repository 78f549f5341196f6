"""How long each lesson takes and how much memory its processes hold."""

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Self

import nbformat
import psutil
from nbclient import NotebookClient

from helpers.basics.project import PROJECT
from helpers.upkeep.bench.measured import Row


def lessons() -> Iterator[Row]:
    """The lessons, each from a fresh kernel to its last cell, one after another"""
    for path in sorted((PROJECT / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        client = NotebookClient(
            nbformat.read(path, as_version=4),
            allow_errors=True,
            resources={"metadata": {"path": str(path.parent)}},
        )
        begun = time.perf_counter()
        with Held() as held:
            client.execute()
        serves = int(path.stem[:2]) >= 17  # from there on with real servers, many and large
        yield Row(path.stem, time.perf_counter() - begun, "seconds", limit=40 if serves else 30)
        yield Row(path.stem, held.most / 1e6, "MB", limit=700 if serves else 500)


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
