"""An event loop that asks somebody what arrives next.

It is the virtual loop with one piece replaced. When nothing is ready, that one jumps to the next
timer; this one collects all that may come next, and lets `choose` say which of it does. Then the
loop goes on until nothing is ready again. So one thing arrives at a time, and all that follows from
it is done before the next. Among what is ready nothing is chosen: asyncio promises that callbacks
run in the order of `call_soon`.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor
from contextvars import Context
from dataclasses import dataclass
from typing import Any

from helpers.kernel.virtual import CENTURY, Deadlock, VirtualLoop
from helpers.kernel.waiting import Waiting, waiting
from helpers.recording.futures import Future

MOST_TURNS = 10_000  # of the loop in one run
SAME = 1e-9  # seconds: timers no further apart are due at the same moment
STEP = 0.1  # seconds between two arrivals, unless a timer is due before

# What a timer is to a player, by the function that it calls.
_TIMERS = {
    "_set_result_unless_cancelled": "{}'s sleep ends",
    "Timeout._on_timeout": "{}'s time is up",
    "_release_waiter": "{}'s time is up",
}

_FOR_TASKS = ("the tasks of its TaskGroup", "gather")


class Endless(BaseException):
    """Raised out of the loop of a program that takes too many turns."""


@dataclass(eq=False, slots=True)
class Event:
    """Something that may come next.

    who: the task that waits for it, as a player reads it; "" for none.
    due: when, if it is a timer.  since: how much had happened when it was made.
    comes, fails: what its coming does, and its failing, if it may fail.
    gone: whether it can't come any more.
    """

    name: str
    who: str
    due: float | None
    since: int
    comes: Callable[[], object]
    gone: Callable[[], bool]
    fails: Callable[[], object] | None = None


class ArrivalLoop(VirtualLoop):
    """A virtual loop on which the order of arrivals is a choice.

    choose: gets the names of all that may come next, when that are at least two, and returns the
    index of what does. What one thing on its own does is no choice.
    happens: told the name of what comes, all that could, and the time in virtual seconds.
    jitter: how many seconds late a timer may be; `math.inf` opens the length of all sleeps.
    cancel: names of tasks that may be cancelled, each once, whenever nothing is ready.

    assumed: whether something arrived while a sleep lasted, so that its moment had to be assumed:
    half of what was left of the sleep. It decides on the order of this sleep and later ones.
    cancellable: the names of the tasks that could have been cancelled, if `cancel` had named them.

    What comes first in the list is what would come on a quiet day, when what has just begun is
    finished before something else arrives.
    """

    def __init__(
        self,
        choose: Callable[[Sequence[str]], int],
        happens: Callable[[str, Sequence[str], float], None],
        jitter: float = 0.0,
        cancel: Collection[str] = (),
    ) -> None:
        self._choose = choose
        self._happens = happens
        self._jitter = jitter
        self._may_cancel = set(cancel)
        self._events: list[Event] = []
        self._happened = self._turns = 0
        self._labels: dict[asyncio.Task, str] = {}
        self._used: set[str] = set()
        self.outside = ""
        self.assumed = False
        self.cancellable: set[str] = set()
        super().__init__()
        self._jumps.select = self._turn

    # what may come

    def expect(
        self,
        name: str,
        future: asyncio.Future,
        value: Any,
        fails: BaseException | type[BaseException] | None,
    ) -> None:
        """Let a future be settled by an arrival of this name."""
        if isinstance(future, Future):
            future._made = name  # a recording says that the task waits for it
        event = Event(
            name, self._here(), None, self._happened,
            lambda: future.set_result(value), future.done,
            None if fails is None else lambda: future.set_exception(fails),
        )  # fmt: skip
        self._events.append(event)

    def call_at(
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        now = self.time()
        if when <= now:
            self.call_soon(_fire, handle, context=context)
        elif when - now <= CENTURY:
            who = self._here()
            words = _TIMERS.get(getattr(callback, "__qualname__", ""), "{}'s timer is due")
            event = Event(
                words.format(who or "the loop"), who, round(when, 9), self._happened,
                lambda: self.call_soon(_fire, handle, context=context), handle.cancelled,
            )  # fmt: skip
            self._events.append(event)
        return handle

    def run_in_executor(
        self, executor: Executor | None, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future:
        self._refuse("starts a thread or a process")

    async def create_connection(self, *args: Any, **kwargs: Any) -> Any:
        # It would ask a thread for the address before it opens the socket.
        self._refuse("opens a socket")

    async def subprocess_exec(self, *args: Any, **kwargs: Any) -> Any:
        self._refuse("starts a thread or a process")

    async def subprocess_shell(self, *args: Any, **kwargs: Any) -> Any:
        self._refuse("starts a thread or a process")

    def _refuse(self, what):
        """Note what the program does outside of its loop, and don't do it."""
        self.outside = what
        raise RuntimeError("nothing outside of the loop can be played: let an arrival stand for it")

    # what comes

    def _turn(self, timeout=None):
        """In place of the wait in the selector."""
        self._turns += 1
        if self._turns > MOST_TURNS:
            self._turns = 0  # what cleans up has as many again
            raise Endless
        if timeout is not None and timeout <= 0:
            return []
        if self._jumps.sockets():
            self.outside = "opens a socket"
        self._events = [event for event in self._events if not event.gone()]
        coming = self._coming()
        if not coming or self.outside:
            raise Deadlock(self.waits())
        names = list(coming)
        chosen = names[self._choose(names) if len(names) > 1 else 0]
        event, does = coming[chosen]
        self._advance(event)
        self._happened += 1
        self._happens(chosen, names, self.time())
        does()
        return []

    def _coming(self):
        """{name: (event or None, what it does)} of all that may come now."""
        ranked = sorted(self._due(), key=self._rank)
        found = [(event.name, event, event.comes) for event in ranked]
        for event in ranked:
            if event.fails is not None:
                found.append((f"{event.name} fails", event, event.fails))
        if self._may_cancel:
            tasks = {self.label(task): task for task in self._unfinished()}
            self.cancellable.update(tasks)
            for name in sorted(self._may_cancel & set(tasks)):
                found.append((f"{name} is cancelled", None, lambda n=name: self._cancel(tasks[n])))
        coming = {}
        for name, *what in found:
            number = sum(other == name for other, *_ in found[: len(coming)]) + 1
            coming[name if number == 1 else f"{name} ({number})"] = what
        return coming

    def _due(self):
        """The open arrivals, and the timers that may be first."""
        dues = [event.due for event in self._events if event.due is not None]
        latest = min(dues, default=0.0) + self._jitter + SAME
        return [event for event in self._events if event.due is None or event.due <= latest]

    def _rank(self, event):
        """What has just begun is finished first, then time goes on, then something new arrives."""
        if event.due is not None:
            return 1, event.due
        return (0, 0.0) if event.since == self._happened else (2, 0.0)

    def _advance(self, event):
        """Move the clock: to the timer that was chosen, or a little, short of the next timer."""
        now = self.time()
        if event is not None and event.due is not None:
            self._jumps.now = max(now, event.due)
        else:
            dues = [other.due - now for other in self._events if other.due is not None]
            self.assumed = self.assumed or bool(dues)
            self._jumps.now = now + max(0.0, min([2 * STEP, *dues]) / 2)
        if event is not None:
            self._events.remove(event)

    def _cancel(self, task):
        self._may_cancel.discard(self.label(task))
        task.cancel()

    # who waits

    def label(self, task: asyncio.Task) -> str:
        """What a player calls a task: its name, or the function that it runs, always the same in
        each run.
        """
        if task not in self._labels:
            name = task.get_name()
            if name.startswith("Task-"):
                name = getattr(task.get_coro(), "__name__", "task")
            numbers = iter(range(2, 1_000_000))
            label = name
            while label in self._used:
                label = f"{name} {next(numbers)}"
            self._used.add(label)
            self._labels[task] = label
        return self._labels[task]

    def waits(self) -> list[Waiting]:
        """A `Waiting` for each unfinished task, in the order of their names; but for those that
        only wait for tasks of theirs.
        """
        arrivals = [event for event in self._events if event.due is None and not event.gone()]
        expects = {event.who: f'"{event.name}"' for event in arrivals}
        tasks = {
            f"task {task.get_name()}": f"task {self.label(task)}" for task in self._unfinished()
        }
        found = []
        for task in self._unfinished():
            one = waiting(task)._replace(name=self.label(task))
            what = expects.get(one.name) or tasks.get(one.what, one.what)
            found.append(one._replace(what=what))
        found.sort(key=lambda one: (len(one.name), one.name))
        return [one for one in found if one.what not in _FOR_TASKS] or found

    def _unfinished(self):
        """The unfinished tasks, those without a name of their own in the order of their making."""
        tasks = asyncio.all_tasks(self)
        return sorted(tasks, key=lambda task: (len(task.get_name()), task.get_name()))

    def _here(self):
        """The running task, as a player reads it; "" for a callback."""
        task = asyncio.current_task(self)
        return "" if task is None else self.label(task)


def _fire(handle):
    """Run a timer, unless it was cancelled since it was due."""
    if not handle.cancelled():
        handle._run()
