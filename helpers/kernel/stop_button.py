"""The stop button of a notebook, for async cells too.

ipykernel answers a press (SIGINT) during an async cell by a callback on its loop. The callback
doesn't wake a loop that sleeps, and never runs while code spins or blocks, so most async cells
can't be stopped. `StopButton` replaces that handler. What it does depends on what the main thread
is doing:

- the cell's own code runs or blocks: KeyboardInterrupt is raised in it, as in a plain script;
- the loop waits: the cell is cancelled, as Ctrl-C cancels the main task under asyncio.run, and
  the cancelled cell shows as KeyboardInterrupt;
- something else keeps the loop (a task, a callback): the cell is cancelled likewise; what still
  keeps the loop a moment later gets CancelledError.

So tasks that the learner left in the background survive, unless one of them is what hangs.

A cell may catch what a press raises in it, and go on. From the third press on it is told so, with
the line where the cell is: then only a restart of the kernel helps.
"""

import asyncio
import contextlib
import contextvars
import functools
import itertools
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Coroutine, Iterator
from types import CodeType, FrameType
from typing import Any

from helpers.basics.awaits import awaited, frame_of
from helpers.basics.places import is_library, learner_frame, outward
from helpers.kernel.waiting import line_in_words

# Whose tasks and callbacks on the kernel's loop are the kernel's own.
KERNELS = {"ipykernel", "IPython", "tornado", "zmq"}

# From this press on a cell that goes on all the same is told what to do.
TELLING_PRESS = 3

# How long (seconds) something may keep the loop after a press before it is interrupted. A task
# that happens to run when the button is pressed is done long before.
GRACE = 0.2


class StopButton:
    """Stops a notebook's cell at the first press. `fit` tells whether it is in charge."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.cell_code: CodeType | None = None
        self.cell_coro: Coroutine | None = None
        self.cell_task: asyncio.Task | None = None
        self.cell_context: contextvars.Context | None = None
        self.pressed = False
        self.times_pressed, self.last_pressed, self.tells = 0, 0.0, False
        self.insists = False
        self.presses = queue.SimpleQueue()
        self.fit = hasattr(shell, "kernel") and _in_main_thread()
        if not self.fit:
            return
        self.loop = asyncio.get_running_loop()
        # ipykernel ignores a press between two messages, and while it handles one it lets the
        # press hit its own code. This handler tells the cases apart itself.
        shell.kernel.pre_handler_hook = shell.kernel.post_handler_hook = lambda: None
        if os.name == "nt":
            _let_a_press_end_a_sleep()
        shell.events.register("pre_run_cell", self.arm)
        shell.events.register("post_run_cell", self.disarm)
        threading.Thread(target=self.watch, name="stop-button", daemon=True).start()
        self.arm()  # the cell that imports this module runs already

    def arm(self, info: Any = None) -> None:
        """Take charge for the cell that is about to run."""
        if _in_main_thread():
            self.cell_task = asyncio.current_task()
            self.cell_context = contextvars.copy_context()  # what it prints shows under the cell
            self.pressed = False
            self.times_pressed, self.tells = 0, False
            signal.signal(signal.SIGINT, self.press)

    def disarm(self, result: Any) -> None:
        """The cell has ended: its reply is to tell the same as its error output."""
        if _in_main_thread() and result is not None:
            result.error_in_exec = self.as_seen(result.error_in_exec)

    @contextlib.contextmanager
    def cell(self, code: CodeType, coro: Coroutine) -> Iterator[None]:
        """`code` is the cell's, and `coro` runs it, for as long as this lasts."""
        if not _in_main_thread():  # a sub-shell's cell: signals don't reach it
            yield
            return
        outer = self.cell_code, self.cell_coro
        self.cell_code, self.cell_coro = code, coro
        try:
            yield
        finally:
            self.cell_code, self.cell_coro = outer

    def press(self, signum: int, frame: FrameType | None) -> None:
        """The handler of SIGINT."""
        insists, self.insists = self.insists, False
        if not insists:
            self.count_press()
        stack = list(outward(frame))
        in_cell = any(each.f_code is self.cell_code for each in stack)
        if in_cell and not (insists and self.pressed):
            self.tell_where_it_is(frame)
            raise KeyboardInterrupt
        if insists:
            if not in_cell:
                self.tell_where_it_is(frame)
                self.interrupt(stack)
            return
        came_round = threading.Event()
        self.loop.call_soon_threadsafe(self.cancel, self.cell_task)
        self.loop.call_soon_threadsafe(came_round.set)
        self.presses.put(came_round)

    def count_press(self) -> None:
        """Count presses of this cell. Those that come close together are one, by a hasty hand."""
        now = time.monotonic()
        if now - self.last_pressed > GRACE:
            self.last_pressed = now
            self.times_pressed += 1
            self.tells = self.times_pressed >= TELLING_PRESS

    def cancel(self, task: asyncio.Task | None) -> None:
        """Cancel the cell, if the one that was pressed for still runs."""
        if task is self.cell_task and self.cell_code is not None:
            self.pressed = True
            task.cancel()
            if self.tells:
                self.loop.call_later(GRACE, self.tell_where_it_waits, task)

    def tell_where_it_waits(self, task: asyncio.Task) -> None:
        """Tell the learner to restart the kernel, if the cell of this task still runs."""
        if self.tells and task is self.cell_task and self.cell_code is not None:
            frames = filter(None, map(frame_of, awaited(self.cell_coro)))
            learners = [frame for frame in frames if not is_library(frame.f_code.co_filename)]
            self.tell_to_restart(learners[-1] if learners else None)

    def tell_where_it_is(self, frame: FrameType | None) -> None:
        """Tell the learner to restart the kernel, if code of theirs outlived presses before."""
        learners = learner_frame(frame)
        if self.tells and learners is not None:
            self.tell_to_restart(learners)

    def tell_to_restart(self, frame: FrameType | None) -> None:
        """Say that the presses so far didn't end the cell, at which line it is, and what will.

        frame: the learner's, if there is one.
        """
        self.tells = False
        place = ""
        if frame is not None:
            place = f" It is at {line_in_words(frame.f_code.co_filename, frame.f_lineno)}"
        # A copy: a press may come while one is told, and a context is entered once.
        self.cell_context.copy().run(
            print,
            f"You pressed stop {self.times_pressed} times, and this cell goes on.{place}\n"
            "Its code catches what stop raises in it (CancelledError, or KeyboardInterrupt where "
            "nothing is awaited), or it takes long to clean up.\n"
            "If it does not end, restart the kernel: menu Kernel, Restart Kernel. Then let the "
            "`except` raise the error again.",
            file=sys.stderr,
        )

    def watch(self) -> None:
        """Press again, and insist, where the loop has not come round after a press."""
        while True:
            came_round = self.presses.get()
            if not came_round.wait(GRACE):
                self.insists = True
                if hasattr(signal, "pthread_kill"):
                    # A real signal, so that a call that blocks the main thread is interrupted.
                    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
                else:
                    signal.raise_signal(signal.SIGINT)

    def interrupt(self, stack: list[FrameType]) -> None:
        """Raise in the callback or task that keeps the loop, unless it is the kernel's own."""
        inside = list(
            itertools.takewhile(
                lambda frame: frame.f_code is not asyncio.Handle._run.__code__, stack
            )
        )
        if len(inside) == len(stack):
            return  # the loop is between two callbacks
        package = inside[-1].f_globals.get("__name__", "").partition(".")[0] if inside else ""
        if package not in KERNELS:
            # KeyboardInterrupt would leave the loop, and end the kernel.
            raise asyncio.CancelledError
        if any(frame.f_globals is self.shell.user_global_ns for frame in inside):
            # A learner's callback that a widget called: ipykernel catches this, and only this.
            raise KeyboardInterrupt

    def as_seen(self, error: BaseException | None) -> BaseException | None:
        """An error as the learner sees it: a cell that a press has cancelled was interrupted."""
        if self.pressed and isinstance(error, asyncio.CancelledError):
            return KeyboardInterrupt().with_traceback(error.__traceback__)
        return error


def _let_a_press_end_a_sleep():
    """On Windows ipykernel's thread notes a press, which the main thread finds when it wakes up.

    A signal that is raised also sets the event for which Python's own sleeps wait.
    """
    from ipykernel import parentpoller

    parentpoller.interrupt_main = functools.partial(signal.raise_signal, signal.SIGINT)


def _in_main_thread():
    return threading.current_thread() is threading.main_thread()
