"""A loop that a learner wrote: what it does is guessed from its queue and who is under way."""

import sys
import threading
import weakref
from types import FrameType
from typing import Any

from helpers.basics.places import short
from helpers.recording.log import Log
from helpers.recording.shell import Shell
from helpers.recording.words import OwnWait


class LearnersLog(Log):
    """What a loop that somebody wrote does: it has `spawn(coro)`, and a queue `ready`.

    The coroutines that are spawned go in a shell, as on asyncio. Who makes a task ready is seen at
    the queue: what is appended there is the shell, or a bound method of the task that holds it.
    """

    __slots__ = ("theirs", "waiting")

    def hook(self) -> None:
        loop = self.loop
        self.waiting = weakref.WeakKeyDictionary()  # shell → its lane, while it has not ended
        self.theirs = loop.spawn
        loop.spawn = self.spawn
        if (queue := getattr(loop, "ready", None)) is not None:
            loop.ready = _watched(queue, self)
        if hasattr(loop, "task_class"):
            loop.task_class = self.task_class(loop.task_class)

    def unhook(self) -> None:
        loop = self.loop
        del loop.spawn
        if hasattr(loop, "task_class"):
            del loop.task_class
        if (queue := getattr(loop, "ready", None)) is not None:
            loop.ready = type(queue).__mro__[1](queue)

    def ended_loop(self) -> bool:
        return not self.shells

    def selects(self) -> bool:
        return hasattr(self.loop, "selector")

    def spawn(self, coro: Any, *more: Any, **named: Any) -> Any:
        if not hasattr(coro, "send") or not hasattr(coro, "throw"):
            return self.theirs(coro, *more, **named)  # which knows what to say to that
        self.thread = threading.get_ident()
        name = named.get("name") or (more[0] if more and isinstance(more[0], str) else None)
        shell, lane = self.in_shell(
            coro, name or getattr(coro, "__qualname__", "task"), self.running
        )
        if name:
            self.rename(lane, name)
        self.waiting[shell] = lane
        return self.theirs(shell, *more, **named)

    def task_class(self, kind: type) -> type:
        log = self

        def cancel(task, *more, **named):
            if isinstance(task.coro, Shell) and not task.done() and log.open:
                log.cancel_asked(log.waiting[task.coro])
            return kind.cancel(task, *more, **named)

        return type(kind.__name__, (kind,), {"__slots__": (), "cancel": cancel})

    def waits_for(self, waited: Any, coro: Any, held: list) -> None:
        """What a coroutine yields to such a loop is its own business: name it as well as we can."""
        super().waits_for(OwnWait(words_of(waited), _deadline(waited)), coro, held)

    def made_ready(self, item: Any) -> None:
        """Something was put into the queue: note which task is ready, and who saw to it."""
        shell = (
            item
            if isinstance(item, Shell)
            else getattr(getattr(item, "__self__", None), "coro", None)
        )
        if not isinstance(shell, Shell) or not self.open or not shell._held:
            return
        row, waited = shell._held
        shell._held.clear()
        by, why = self.running, "its turn"
        frame = sys._getframe(2)
        while frame is not None:
            if (name := frame.f_code.co_name) not in _WAKERS:
                if by is None and (lane := self.lane_of(frame)) is not None:
                    by, why = lane, "its end"
                    break
                why = _CAUSES.get(name, name)
                if by is not None or name in _CAUSES:
                    break
            frame = frame.f_back
        self.waits[row + 3] = self.was_due(row, waited) if why == "timer" else self.now()
        if by is not None:
            self.waits[row + 4] = by
        self.waits[row + 5] = self.word(why)

    def lane_of(self, frame: FrameType) -> int | None:
        """The lane of the task whose method this frame is, or None."""
        shell = getattr(frame.f_locals.get("self"), "coro", None)
        return self.waiting.get(shell) if isinstance(shell, Shell) else None


# What the lessons call things, and so most learners do.
_WAKERS = {"wake", "make_ready"}  # methods that put a task into the queue
_CAUSES = {"wait": "timer", "pause": "socket"}  # what the loop does when nobody runs
_WAITS = {"until": "socket"}  # what coroutines wait for, by the function that yields


def words_of(waited: Any) -> str:
    """What a coroutine that yielded this waits for, as well as can be guessed."""
    owner = getattr(waited, "__self__", None)
    name = getattr(waited, "__qualname__", None)
    if isinstance(getattr(owner, "coro", None), Shell):
        return f"task {owner.name}"
    if owner is not None and name:
        return type(owner).__name__
    if name:
        return _WAITS.get(name.partition(".")[0], name.partition(".<locals>")[0])
    return short(waited, 40)


def _deadline(waited):
    """Until when a sleeper sleeps, where the function that it yielded holds that; else None."""
    names = getattr(getattr(waited, "__code__", None), "co_freevars", ())
    if "deadline" not in names:
        return None  # the loop's heap alone knows it
    deadline = waited.__closure__[names.index("deadline")].cell_contents
    return deadline if isinstance(deadline, float) else None


def _watched(queue, log):
    """A queue of the same kind and contents that tells the log what is appended."""
    kind = type(queue)

    def append(self, item):
        log.made_ready(item)
        kind.append(self, item)

    return type(kind.__name__, (kind,), {"append": append})(queue)
