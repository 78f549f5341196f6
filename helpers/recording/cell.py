"""The cell of a notebook: its coroutine gets a lane when it begins a recording."""

import asyncio
import types
from collections.abc import Coroutine, Generator
from typing import Any

from helpers.basics.places import short
from helpers.recording.current import here
from helpers.recording.model import PLACES
from helpers.recording.shell import frame_of_task


@types.coroutine
def observe(coro: Coroutine) -> Generator[Any, None, Any]:
    """Await `coro` (a notebook cell's own coroutine) so that record() inside it gets its lane.

    `await observe(coro)` gives the result of `coro`. It costs nothing worth mentioning while
    nothing is recorded.
    """
    cell = Cell()
    error = None
    while True:
        outer, here.cell = getattr(here, "cell", None), cell
        cell.resumed()
        try:
            if error is None:
                cell.waited = coro.send(None)
            else:
                thrown, error = error, None
                thrown.__traceback__ = thrown.__traceback__.tb_next
                try:
                    cell.waited = coro.throw(thrown)
                finally:
                    del thrown
        except StopIteration as stop:
            return stop.value
        except BaseException as failure:
            failure.__traceback__ = failure.__traceback__.tb_next
            raise
        finally:
            here.cell = outer
        cell.suspended(coro)
        try:
            yield cell.waited
        except BaseException as thrown:
            error = thrown


class Cell:
    """The cell whose coroutine `observe` drives; record() finds it and gives it a log."""

    def __init__(self):
        self.log = None
        self.lane = None
        self.start = 0.0
        self.waited = None
        self.held = []

    def enter(self, log: Any) -> None:
        """A recording begins in this cell's own loop."""
        self.log = log
        self.start = log.zero

    def resumed(self) -> None:
        """A step begins."""
        if self.log is not None:
            self.log.woken(self.held)
            self.log.running = self.lane
            self.start = self.log.now()

    def suspended(self, coro: Coroutine) -> None:
        """The step is over."""
        log = self.log
        if log is not None:
            log.begin()
            log.steps.extend(
                (self.lane * PLACES + frame_of_task(coro).f_lasti, self.start, log.now())
            )
            log.running = None
            if self.waited is not None:
                log.waits_for(self.waited, coro, self.held)

    def leave(self, error: BaseException | None) -> None:
        """The recording ends in the middle of a step of this cell."""
        log, self.log = self.log, None
        if self.lane is not None:
            end = log.now()
            log.steps.extend((self.lane * PLACES, self.start, end))
            lane = log.live.recording.lanes[self.lane]
            lane.ended = end - log.zero
            lane.outcome = "done"
            if isinstance(error, asyncio.CancelledError):
                lane.outcome = "cancelled"
            elif error is not None:
                lane.outcome, lane.detail = "failed", short(error, 200)
        log.running = None
