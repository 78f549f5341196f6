"""Who did what when, where many processes share the work: one lane a worker, one bar a job.

with record() as rec:
    ...                           # calls of `job`s in those processes
Shifts(rec, {"worker-0": pid, "worker-1": pid})
"""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from helpers.pictures.picture import BLUE, DARK, GREY, ORANGE, RED, WIDTH, Picture, plain, titled
from helpers.recording.recording import Recording

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Run", "Shifts"]

FIRST, AGAIN, CUT = "ran once", "ran more than once", "was cut off"
LOOKS = {
    FIRST: {"facecolor": BLUE, "edgecolor": DARK},
    AGAIN: {"facecolor": ORANGE, "edgecolor": DARK, "hatch": "////"},
    CUT: {"facecolor": "white", "edgecolor": RED, "hatch": "xxxx"},
}


class Run(NamedTuple):
    """One run of one piece of work. Times are seconds from the start of the recording."""

    what: str
    worker: str
    began: float
    ended: float
    whole: bool
    """False: it failed, was cut off, or is under way."""


class Shifts(Picture):
    """A lane a worker, a bar a run, with the moment at which a worker was killed."""

    def __init__(self, rec: Recording, pids: Mapping[str, int], title: str = "") -> None:
        """pids: the workers' names and process ids.

        ``runs`` are the ``Run``s in their order, ``ran`` counts how often each was begun.
        """
        self.title = title
        names = {pid: name for name, pid in pids.items()}
        self.runs = []
        for lane in rec.lanes:
            if lane.pid in names:
                end = rec.duration if lane.ended is None else lane.ended
                self.runs.append(
                    Run(lane.name, names[lane.pid], lane.created, end, lane.outcome == "done")
                )
        self.ran = Counter(run.what for run in self.runs)
        self.killed = {name: rec.killed[pid] for name, pid in pids.items() if pid in rec.killed}
        busy = {run.worker for run in self.runs}
        self.workers = [name for name in pids if name in busy or name in self.killed]
        self._kinds = [self._kind(run) for run in self.runs]
        self._start = min((run.began for run in self.runs), default=0.0)
        told = [f"{name}: {self._said(name)}." for name in self.workers]
        self.text = titled(title, told)
        self.alt = f"One lane a worker, one bar a task. {title + '. ' if title else ''}" + (
            " ".join(told)
        )

    def _kind(self, run):
        if not run.whole:
            return CUT
        return AGAIN if self.ran[run.what] > 1 else FIRST

    def _said(self, name):
        runs = [run for run in self.runs if run.worker == name]
        told = ["did " + (", ".join(run.what for run in runs if run.whole) or "nothing")]
        told += [f"{run.what} was cut off" for run in runs if not run.whole]
        if name in self.killed:
            told.append(f"killed after {self.killed[name] - self._start:.2f} s")
        return "; ".join(told)

    def draw(self) -> "Figure":
        from matplotlib.figure import Figure  # here, for each process of a cluster imports this
        from matplotlib.patches import Patch

        figure = Figure((WIDTH, 0.42 * len(self.workers) + 1.1), layout="constrained")
        axes = figure.subplots()
        row = {name: number for number, name in enumerate(self.workers)}
        for run, kind in zip(self.runs, self._kinds):
            left, y, width = run.began - self._start, row[run.worker], run.ended - run.began
            axes.barh(y, width, 0.6, left=left, linewidth=0.6, **LOOKS[kind])
            axes.text(
                left + width / 2,
                y,
                run.what,
                ha="center",
                va="center",
                fontsize=6,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
            )
        for name, moment in self.killed.items():
            y, x = row[name], moment - self._start
            axes.plot([x, x], [y - 0.5, y + 0.5], color=RED, linewidth=1.6)
            axes.text(x, y, "  killed", color=RED, va="center", fontweight="bold")
        axes.set_yticks(range(len(self.workers)), self.workers)
        axes.set_ylim(len(self.workers) - 0.4, -0.6)
        axes.set_xlim(left=0)
        axes.set_xlabel("seconds")
        axes.tick_params(axis="y", length=0, color=GREY)
        if self.title:
            axes.set_title(self.title, loc="left", fontsize=10, fontweight="bold")
        plain(axes)
        looks = [Patch(**LOOKS[kind], label=kind) for kind in LOOKS if kind in self._kinds]
        figure.legend(handles=looks, loc="outside lower center", ncols=3, frameon=False)
        return figure
