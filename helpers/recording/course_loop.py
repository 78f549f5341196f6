"""The course's own loop: it announces what it does (`helpers.eventloop.instruments`)."""

import math
import threading
import weakref
from typing import Any

from helpers.basics.awaits import awaited
from helpers.eventloop.instruments import Instrument, leave, listen
from helpers.eventloop.tasks import Future, Task
from helpers.recording.learners_loop import words_of
from helpers.recording.log import Log
from helpers.recording.model import PLACES
from helpers.recording.shell import frame_of_task
from helpers.recording.words import OwnWait


class _Known:
    """A task that is recorded, while it has not ended."""

    __slots__ = ("coro", "lane", "frame", "held", "start", "__weakref__")

    def __init__(self, coro, lane):
        self.coro = coro  # a weak reference: the log holds nobody
        self.lane = lane
        self.frame = frame_of_task(coro())
        self.held = []
        self.start = math.nan  # of the step under way


class CourseLog(Instrument, Log):
    """What one of the course's loops tells while it is recorded."""

    __slots__ = ("known",)

    def hook(self) -> None:
        """Listen."""
        self.known = {}  # id of a task's coroutine → _Known
        listen(self.loop, self)

    def unhook(self) -> None:
        """Listen no more."""
        leave(self.loop)

    def ended_loop(self) -> bool:
        """Have all its tasks ended?"""
        return not self.known

    def selects(self) -> bool:
        """Does this loop wait in a selector?"""
        return hasattr(self.loop, "selector")

    def find(self, task: Any) -> _Known | None:
        """What is known of a task; None for one that is older than the recording."""
        return self.known.get(id(_coro(task)))

    # what it is told

    def task_spawned(self, task: Any, by: Any, name: str | None) -> None:
        """Make a lane."""
        coro = _coro(task)
        self.thread = threading.get_ident()
        text = name or getattr(coro, "__qualname__", "task")
        lane = self.live.new_lane(text, "task", self.running, self.now() - self.zero).id
        if name:
            self.rename(lane, name)
        self.stands_in(lane, coro)
        key = id(coro)

        def lost(_):
            if self.known.pop(key, None) is not None:
                self.dropped(lane)

        self.known[key] = _Known(weakref.ref(coro, lost), lane)

    def before_step(self, task: Any) -> None:
        """A step begins."""
        known = self.find(task)
        if known is not None:
            if known.lane in self.cancelled:
                self.cancelled.discard(known.lane)
                self.mark(known.lane, "cancel delivered")
            self.running = known.lane
            known.start = self.now()

    def after_step(self, task: Any) -> None:
        """A step is over: if it ended in no wait and not the task, that is all there is to say."""
        known = self.find(task)
        if known is not None and known.coro is None:
            del self.known[id(_coro(task))]
        elif known is not None and self.running == known.lane:
            self.over(known)

    def over(self, known: _Known) -> None:
        """Write down the step that ends now."""
        step = known.lane * PLACES + known.frame.f_lasti
        self.steps.extend((step, known.start, self.now()))
        self.running = None

    def task_parked(self, task: Any, what: Any, deadline: float | None) -> None:
        """A step ends in a wait."""
        known = self.find(task)
        if known is not None:
            self.over(known)
            coro = known.coro()
            self.waits_for(OwnWait(_words(what, coro), deadline), coro, known.held)

    def task_scheduled(self, task: Any, by: Any, cause: str) -> None:
        """A wait is over."""
        known = self.find(task)
        if known is None or not known.held:
            return
        row, waited = known.held
        known.held.clear()
        self.waits[row + 3] = self.was_due(row, waited) if cause == "timer" else self.now()
        if by is not None and (waker := self.find(by)) is not None:
            self.waits[row + 4] = waker.lane
        self.waits[row + 5] = self.word(cause)

    def cancel_asked(self, task: Any, by: Any, who: str | None) -> None:
        """Mark it."""
        known = self.find(task)
        if known is not None:
            by = None if by is None else self.find(by)
            self.cancelled.add(known.lane)
            who = who or "somebody outside"
            self.mark(known.lane, "cancel asked", None if by is None else by.lane, who)

    def task_ended(self, task: Any, error: BaseException | None) -> None:
        """A step is over, and with it the task."""
        known = self.find(task)
        if known is not None:
            outcome = "done" if error is None else "failed"
            self.ended(known.lane, known.frame, known.held, known.start, outcome, error)
            known.coro = None  # it may have to be found yet, as the one who wakes those who wait


def _coro(task):
    return task.coro if isinstance(task, Task) else task


def _words(what, coro):
    if isinstance(what, str):
        return what
    if isinstance(what, Task):
        return f"task {what.name}"
    if isinstance(what, Future):
        return type(what).__name__
    if what is not None:
        return words_of(what)
    *_, last = awaited(coro)  # in the stages without tasks the loop can't tell: its function can
    return getattr(last, "__qualname__", type(last).__name__).partition(".")[0]
