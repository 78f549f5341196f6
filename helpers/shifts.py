"""Who did what when, where many processes share the work: one lane a worker, one bar a piece.

    notes = Notes(folder)
    def work(number):                 # runs anywhere on this machine
        with notes(number):
            return do_real_work(number)
    Shifts(notes, {"worker-0": pid, "worker-1": pid}, killed={"worker-1": moment})

Each process writes a line of JSON when it begins a piece and one when it is through, so what was
cut off by a kill is seen too. `time.perf_counter` is one clock for all processes of a machine on
the systems that the course supports.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from helpers.picture import BLUE, DARK, GREY, ORANGE, RED, WIDTH, Picture, plain, titled

__all__ = ["Note", "Notes", "Shifts"]

FIRST, AGAIN, CUT = "ran once", "ran more than once", "was cut off"
LOOKS = {
    FIRST: {"facecolor": BLUE, "edgecolor": DARK},
    AGAIN: {"facecolor": ORANGE, "edgecolor": DARK, "hatch": "////"},
    CUT: {"facecolor": "white", "edgecolor": RED, "hatch": "xxxx"},
}


@dataclass(frozen=True)
class Note:
    """One run of one piece of work. Times are seconds of `time.perf_counter`."""

    what: object
    pid: int
    began: float
    ended: float | None
    """None: it is under way, or its process was killed."""


class Notes:
    """What ran, noted by the processes themselves. Can be pickled, and used anywhere."""

    def __init__(self, folder: str) -> None:
        """folder: where the notes are kept; it exists and holds no others."""
        self.folder = folder

    @contextmanager
    def __call__(self, what: object) -> Iterator[None]:
        """Note that this process does `what` (a number or a string) within the `with`."""
        began = time.perf_counter()
        self._write(what, began, None)
        yield
        self._write(what, began, time.perf_counter())

    def all(self) -> list[Note]:
        """All runs, in the order in which they began."""
        runs = {}
        for path in Path(self.folder).glob("notes-*.jsonl"):
            for line in path.read_text().splitlines():
                what, pid, began, ended = json.loads(line)
                runs[pid, began] = Note(what, pid, began, ended)
        return sorted(runs.values(), key=lambda note: note.began)

    @property
    def ran(self) -> Counter:
        """How often each was begun."""
        return Counter(note.what for note in self.all())

    def _write(self, what, began, ended):
        pid = os.getpid()
        with open(os.path.join(self.folder, f"notes-{pid}.jsonl"), "a") as file:
            file.write(json.dumps([what, pid, began, ended]) + "\n")


class Shifts(Picture):
    """A lane a worker, a bar a run, with the moment at which a worker was killed."""

    def __init__(
        self,
        notes: Notes,
        pids: Mapping[str, int],
        killed: Mapping[str, float] = {},
        title: str = "",
    ) -> None:
        """pids: the worker's names and process ids.  killed: who was killed, and when."""
        self.title = title
        self.runs, self.pids, self.killed = notes.all(), dict(pids), dict(killed)
        ran = Counter(note.what for note in self.runs)
        self._kinds = [CUT if note.ended is None else AGAIN if ran[note.what] > 1 else FIRST
                       for note in self.runs]  # fmt: skip
        self._start = min((note.began for note in self.runs), default=0.0)
        told = [f"{name}: {self._said(name)}." for name in self.pids]
        self.text = titled(title, told)
        self.alt = f"One lane a worker, one bar a task. {title + '. ' if title else ''}" + (
            " ".join(told)
        )

    def _said(self, name):
        runs = [(note, kind) for note, kind in zip(self.runs, self._kinds)
                if note.pid == self.pids[name]]  # fmt: skip
        told = ["did " + (", ".join(str(note.what) for note, kind in runs if kind != CUT) or
                          "nothing")]  # fmt: skip
        told += [f"{note.what} was cut off" for note, kind in runs if kind == CUT]
        if name in self.killed:
            told.append(f"killed after {self.killed[name] - self._start:.2f} s")
        return "; ".join(told)

    def draw(self):
        from matplotlib.figure import Figure  # here, for every process that notes imports this
        from matplotlib.patches import Patch

        figure = Figure((WIDTH, 0.42 * len(self.pids) + 1.1), layout="constrained")
        axes = figure.subplots()
        row = {pid: number for number, pid in enumerate(self.pids.values())}
        for note, kind in zip(self.runs, self._kinds):
            end = note.ended or min(self.killed.values(), default=note.began)
            left, y = note.began - self._start, row[note.pid]
            axes.barh(y, end - note.began, 0.6, left=left, linewidth=0.6, **LOOKS[kind])
            axes.text(left + (end - note.began) / 2, y, note.what, ha="center", va="center",
                      fontsize=6, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6})  # fmt: skip
        for name, moment in self.killed.items():
            y, x = row[self.pids[name]], moment - self._start
            axes.plot([x, x], [y - 0.5, y + 0.5], color=RED, linewidth=1.6)
            axes.text(x, y, "  killed", color=RED, va="center", fontweight="bold")
        axes.set_yticks(range(len(self.pids)), self.pids)
        axes.set_ylim(len(self.pids) - 0.4, -0.6)
        axes.set_xlim(left=0)
        axes.set_xlabel("seconds")
        axes.tick_params(axis="y", length=0, color=GREY)
        if self.title:
            axes.set_title(self.title, loc="left", fontsize=10, fontweight="bold")
        plain(axes)
        looks = [Patch(**LOOKS[kind], label=kind) for kind in LOOKS if kind in self._kinds]
        figure.legend(handles=looks, loc="outside lower center", ncols=3, frameon=False)
        return figure
