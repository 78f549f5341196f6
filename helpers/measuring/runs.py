"""One run of one variant of an experiment: how long it took, and how busy it kept the cores."""

import inspect
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple

from helpers.kernel.run import run
from helpers.recording import record as recorder
from helpers.recording.recording import Recording

try:
    import resource
except ImportError:  # Windows
    resource = None

WIDE = 1.5  # runs of one variant that differ more than that don't settle anything


class Run(NamedTuple):
    """seconds of wall time; cpu: share of a core; what it returned; its Recording or None."""

    seconds: float
    cpu: float
    result: Any
    recording: Recording | None


def run_once(name: str, function: Callable[[], Any], record: bool) -> Run:
    """Run the variant of this name. Whatever it raises gets a note that names it.

    record: keep a recording of the run.
    """
    with recorder.record() if record else nullcontext() as recording:
        # The clocks of the share stand around that of the time: reading them takes time as well.
        before, cpu = time.perf_counter(), _cpu_seconds()
        start = time.perf_counter()
        try:
            result = function()
            if inspect.iscoroutine(result):
                result = run(result)
        except BaseException as error:
            error.add_note(f"It was raised by the variant {name!r}.")
            raise
        seconds = time.perf_counter() - start
        own, children = (now - then for now, then in zip(_cpu_seconds(), cpu, strict=True))
        around = time.perf_counter() - before
    # Neither tells too much, and either may miss some: the system tells of children that have
    # ended (not on Windows, nor through a fork server), the recording of jobs alone.
    children = max(children, _cpu_of_processes(recording) if recording else 0.0)
    return Run(seconds, (own + children) / around, result, recording)


def _cpu_seconds() -> tuple[float, float]:
    """CPU seconds of this process, and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN) if resource else None
    return time.process_time(), children.ru_utime + children.ru_stime if children else 0.0


def _cpu_of_processes(recording: Recording) -> float:
    return sum(
        span.cpu * (span.end - span.start)
        for lane in recording.lanes
        if lane.kind == "process"
        for span in recording.spans(lane)
        if span.cpu is not None
    )


def agree(runs: list[Run], enough: int) -> bool:
    """Do so many of the runs lie close together?"""
    seconds = sorted(run.seconds for run in runs)
    pairs = zip(seconds, seconds[enough - 1 :], strict=False)
    return any(slowest <= WIDE * fastest for fastest, slowest in pairs)
