"""Stage 3, tasks: a coroutine with a name, a result that others can await, and an end.

In the ready queue there are functions now: to give somebody a turn is to call one. And what a
coroutine yields is a function too: `park(task)` arranges for the task to be woken, and returns the
function that takes this back. So cancelling is the same whatever a task waits for: take it back,
and begin the task's next step with an error.
"""

import traceback
from functools import partial

from . import ready, timers
from .timers import sleep  # noqa: F401  as it is: whoever needs tasks sleeps too


class CancelledError(BaseException):
    """Raised in a task to end it. Not an Exception: `except Exception` lets it through."""


class Future:
    """A result that is not there yet. Any number of tasks may await it."""

    __slots__ = ("waiters", "value", "error", "seen")

    def __init__(self):
        self.waiters = ()  # what wakes those who wait; None once there is a result
        self.seen = True  # False where it failed and nobody has asked yet

    def done(self):
        """Return whether there is a result or an error."""
        return self.waiters is None

    def set_result(self, value, error=None):
        """Set the result: all waiting tasks become ready."""
        if self.waiters is None:
            raise RuntimeError(f"{self!r} has its result already. A future is set once.")
        self.value, self.error = value, error
        waiters, self.waiters = self.waiters, None
        for wake in waiters:
            wake()

    def set_exception(self, error):
        """Set an error instead of a result: it is raised in all waiting tasks."""
        self.set_result(None, error)

    def result(self):
        """Return the result, or raise the error; RuntimeError where neither is there yet."""
        if self.waiters is not None:
            raise RuntimeError(f"{self!r} has no result yet. Await it first.")
        self.seen = True
        if self.error is not None:
            raise self.error
        return self.value

    def __await__(self):
        if self.waiters is not None:  # once it is done, nobody would wake this task
            yield self.park
        return self.result()

    def park(self, loop, wake):
        if not self.waiters:  # most have none: so many empty lists would be a burden
            self.waiters = []
        self.waiters.append(wake)
        return partial(self.waiters.remove, wake)


class Task(Future):
    """A coroutine on its way through the loop, and a future of what it returns."""

    __slots__ = ("loop", "coro", "name", "unpark", "throw")

    def __init__(self, loop, coro, name):
        self.waiters, self.seen = (), True  # as a future; a call of its __init__ would cost a tenth
        self.loop, self.coro, self.name = loop, coro, name
        self.unpark = None  # what takes its waiting back; None while it is ready or runs
        self.throw = None  # the error that its next step begins with

    def __repr__(self):
        return f"<Task {self.name!r}>"

    def step(self):
        """Run to the next yield, and do what it asks for. Nothing else resumes a task."""
        throw, self.throw = self.throw, None
        try:
            park = self.coro.throw(throw) if throw else self.coro.send(None)
        except StopIteration as stop:
            self.end(stop.value)
        except BaseException as error:
            self.end(None, error)
            if not isinstance(error, (Exception, CancelledError)):
                raise  # the stop button is meant for whoever runs the loop
            self = None  # from 3.12 on the error keeps this frame, and so it would keep the task
        else:
            if park is None or self.throw:  # who cancels itself does not wait
                self.loop.ready.append(self.step)
            else:
                self.wait(park)

    def wait(self, park):
        """Arrange for the task to be woken, with the function that it yielded."""
        try:
            self.unpark = park(self.loop, self.wake)
        except Exception as error:  # the task is told; the loop goes on
            wrong = f"{self!r} yielded {park!r}, and this loop can't wait for that."
            own = "Await its own sleep, futures, tasks and sockets."
            self.throw = error if callable(park) else TypeError(f"{wrong} {own}")
            self.loop.ready.append(self.step)

    def wake(self):
        """What it waited for is there: it may run again."""
        self.unpark = None
        self.loop.ready.append(self.step)

    def cancel(self):
        """Ask it to end: CancelledError is raised where it waits. False if it has ended already.

        It may clean up first, or refuse: await it to know that it has ended.
        """
        if self.done():
            return False
        self.throw = CancelledError()
        if self.unpark is not None:  # else it has its turn already; two would be one too many
            self.unpark()
            self.wake()
        return True

    def end(self, value, error=None):
        """It ran to its end: tell the tasks that await it."""
        self.loop.tasks.discard(self)
        if error is not None:
            error.__traceback__ = error.__traceback__.tb_next  # without this file's own frame
            self.seen = not isinstance(error, Exception)
        self.set_result(value, error)

    def __del__(self):
        if not self.seen:
            self.error.add_note(f"{self!r} failed, and nobody awaited it.")
            traceback.print_exception(self.error)


class Loop(timers.Loop):
    """Runs tasks: they sleep, await each other, fail, and are cancelled."""

    task_class = Task  # for whoever wants to watch the tasks

    def __init__(self):
        super().__init__()
        self.tasks = set()  # those that have not ended

    def spawn(self, coro, name=None):
        """Make a task of a coroutine, give it the last place in the queue, and return it."""
        task = self.task_class(self, ready.checked(coro), name or coro.__name__)
        self.tasks.add(task)
        self.ready.append(task.step)
        return task

    def run(self, coro):
        """Run a coroutine to its end and return its result; tasks that are left are cancelled."""
        main = self.spawn(coro)
        try:
            self.turn_until(main.done)
        finally:
            self.end_tasks()
        return main.result()

    def end_tasks(self):
        """Cancel the tasks that are left, and give them the turns that they need to clean up."""
        for task in list(self.tasks):
            task.cancel()
        # The stop button may have come between two lines of the loop itself, with a task that
        # was taken out of the queue and not yet run.
        for task in self.tasks.difference(getattr(f, "__self__", None) for f in self.ready):
            task.wake()
        while self.tasks:
            self.turn()

    def turn_until(self, done):
        """Give turns until `done()` is true."""
        # A method of its own, because Python guards no jump back to a loop's start: a
        # KeyboardInterrupt that comes there would pass by the `finally` in `run`.
        while not done():
            self.turn()

    def turn(self):
        """Wait if no task is ready; then give one turn to each that is."""
        self.wait()
        for _ in range(len(self.ready)):
            self.ready.popleft()()

    def ring(self, wake):
        """The heap holds functions as well: what wakes a sleeper is called."""
        wake()

    def pause(self, seconds):
        """Let the thread sleep. RuntimeError if there is nothing to wait for: a deadlock."""
        if seconds is None:
            who = [f"{task.name} at line {line(task.coro)}" for task in self.tasks]
            raise RuntimeError(
                f"Deadlock: nobody is ready, nobody sleeps, and these wait: "
                f"{', '.join(sorted(who))}."
            )
        super().pause(seconds)


def nothing():
    """What is called where nothing is to be done."""


def line(coro):
    """Return the line at which a coroutine or a generator is paused."""
    return (getattr(coro, "cr_frame", None) or coro.gi_frame).f_lineno
