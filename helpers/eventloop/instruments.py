"""What a loop announces to whoever listens: who is spawned, runs, waits, is woken, ends.

    listen(loop, instrument)  # from now on
    leave(loop)               # until now

The stages know nothing of this, so it costs nothing where nobody listens. While somebody does, the
loop and the tasks that it makes have classes that tell of each step and then do it as before.
"""

import sys
import threading

from . import ready, sockets, tasks, timers


class Instrument:
    """Is told what a loop does. It says nothing to it: override what you want to hear.

    task: a Task; in the stages that have none, the coroutine.
    by: the task that runs meanwhile and saw to it; None if none does.
    """

    __slots__ = ()

    def task_spawned(self, task, by, name):
        """A task was made. name: the one that it was given; None if it has its coroutine's."""

    def before_step(self, task):
        """A task has its turn."""

    def after_step(self, task):
        """Its turn is over."""

    def task_parked(self, task, what, deadline):
        """A task begins to wait, in its step.

        what: "sleep", "socket", or a future; for anything else, the function that it yielded.
        deadline: of `time.monotonic`, where it sleeps.
        """

    def task_scheduled(self, task, by, cause):
        """A task was put into the queue.

        cause: "timer", "socket", "its end" (that of `by`), "cancel", "its turn" (it only let the
        others go first), "another thread"; else the name of the function that woke it.
        """

    def cancel_asked(self, task, by, who):
        """A task was asked to end. who: "the end of run", if it is that and no task."""

    def task_ended(self, task, error):
        """A task ended, in its step: it failed, or there is no error."""


class Teller:
    """What those who announce share: whom they tell, and what is under way."""

    def __init__(self, instrument):
        self.instrument = instrument
        self.running = None  # the task that has its turn
        self.parked = None  # (what, deadline) of its wait, where the loop was asked for one
        self.queued = False  # it has put itself into the queue again
        self.cause = None  # why tasks are woken at this moment, where that is known
        self.canceller = None
        self.thread = None  # the loop's

    def begins(self, task):
        self.running, self.parked, self.queued = task, None, False
        self.thread = threading.get_ident()
        self.instrument.before_step(task)

    def is_over(self, task):
        self.running = None
        self.instrument.after_step(task)

    def scheduled(self, task, function):
        """function: the name of the one that woke it."""
        if self.thread not in (None, threading.get_ident()):
            self.instrument.task_scheduled(task, None, "another thread")
        else:
            self.instrument.task_scheduled(task, self.running, self.cause or function)

    def because(self, cause, function, *arguments):
        """Call it, and return what it returns; who is woken meanwhile is woken for that cause."""
        before, self.cause = self.cause, cause
        try:
            return function(*arguments)
        finally:
            self.cause = before


class ReadyLoop:
    """Stage 1, announced."""

    def spawn(self, coro):
        super().spawn(coro)
        self.teller.instrument.task_spawned(coro, self.teller.running, None)

    def step(self, coro):
        teller = self.teller
        teller.begins(coro)
        try:
            super().step(coro)
        except BaseException as error:
            teller.instrument.task_ended(coro, error)
            error.__traceback__ = error.__traceback__.tb_next  # without this file's own frame
            raise
        else:
            if getattr(coro, "cr_frame", getattr(coro, "gi_frame", coro)) is None:
                teller.instrument.task_ended(coro, None)
            else:
                self.suspended(coro)
        finally:
            teller.is_over(coro)

    def suspended(self, coro):
        self.teller.instrument.task_scheduled(coro, coro, "its turn")


class Waits:
    """What stage 2 has beyond stage 1 and all that follow have, announced."""

    def wake_at(self, deadline, who):
        self.teller.parked = "sleep", deadline
        return super().wake_at(deadline, who)

    def ring(self, who):
        self.teller.because("timer", super().ring, who)

    def pause(self, seconds):
        self.teller.because("socket", super().pause, seconds)


class TimersLoop(Waits, ReadyLoop):
    """Stage 2, announced."""

    def make_ready(self, coro):
        teller = self.teller
        if coro is teller.running:
            teller.queued = True
            teller.instrument.task_scheduled(coro, coro, "its turn")
        else:
            teller.scheduled(coro, sys._getframe(1).f_code.co_name)
        super().make_ready(coro)

    def suspended(self, coro):
        if not self.teller.queued:
            self.teller.instrument.task_parked(coro, *(self.teller.parked or (None, None)))


class Task:
    """A task of stage 3, announced."""

    __slots__ = ()

    def step(self):
        teller = self.teller
        teller.begins(self)
        try:
            super().step()
            if not self.done() and not teller.queued:
                teller.instrument.task_scheduled(self, self, "its turn")
        finally:
            teller.is_over(self)

    def wait(self, park):
        teller = self.teller
        super().wait(park)
        if self.throw is None:  # else it was refused, and goes on with an error
            teller.queued = True
            owner = getattr(park, "__self__", None)
            what = owner if isinstance(owner, tasks.Future) else park
            teller.instrument.task_parked(self, *(teller.parked or (what, None)))

    def wake(self):
        self.teller.scheduled(self, sys._getframe(1).f_code.co_name)
        super().wake()

    def cancel(self):
        teller = self.teller
        if not self.done():
            teller.instrument.cancel_asked(self, teller.running, teller.canceller)
        return teller.because("cancel", super().cancel)

    def end(self, value, error=None):
        self.teller.instrument.task_ended(self, error)
        self.teller.because("its end", super().end, value, error)


class TasksLoop(Waits):
    """Stage 3, announced."""

    def spawn(self, coro, name=None):
        task = super().spawn(coro, name)
        self.teller.instrument.task_spawned(task, self.teller.running, name)
        return task

    def end_tasks(self):
        self.teller.canceller = "the end of run"
        super().end_tasks()


class SocketsLoop(TasksLoop):
    """Stage 4, announced."""

    def watch(self, sock, event, function):
        self.teller.parked = "socket", None
        return super().watch(sock, event, function)

    def call_soon_threadsafe(self, *function_and_arguments, **more):
        told = self.teller.because, "another thread", *function_and_arguments
        return super().call_soon_threadsafe(*told, **more)


STAGES = {
    sockets.Loop: SocketsLoop,
    tasks.Loop: TasksLoop,
    timers.Loop: TimersLoop,
    ready.Loop: ReadyLoop,
}


def announced(loop):
    """Return what announces the stage that this loop is of; None for what is of no stage."""
    kind = type(loop)
    for stage, announces in STAGES.items():
        if isinstance(loop, stage):
            # Who spawns and steps in a way of their own have other tasks than the stage.
            same = kind.spawn is stage.spawn and kind.step is stage.step
            return announces if same else None
    return None


def listen(loop, instrument):
    """Have a loop tell an instrument what it does; TypeError for a loop that is of no stage."""
    announces = announced(loop)
    if announces is None:
        raise TypeError(f"{loop!r} is none of the course's loops: it announces nothing.")
    teller = {"teller": Teller(instrument)}
    loop.__class__ = derived(announces, type(loop), teller)
    if issubclass(announces, TasksLoop):
        type(loop).task_class = derived(Task, loop.task_class, {"__slots__": (), **teller})


def derived(announces, kind, names):
    """Return a class that announces what `kind` does, and looks like it."""
    looks = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
    return type(kind.__name__, (announces, kind), names | looks)


def leave(loop):
    """End what `listen` began. Tasks that live on tell nobody."""
    loop.teller.instrument = Instrument()
    loop.__class__ = type(loop).__bases__[1]
