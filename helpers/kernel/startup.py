"""Makes a notebook's kernel fit for async: the stop button, ExceptionGroups, a script's main.

**The stop button.** ipykernel answers a press (SIGINT) during an async cell by a callback on its
loop. The callback doesn't wake a loop that sleeps, and never runs while code spins or blocks, so
most async cells can't be stopped. `StopButton` replaces that handler. What it does depends on
what the main thread is doing:

- the cell's own code runs or blocks: KeyboardInterrupt is raised in it, as in a plain script;
- the loop waits: the cell is cancelled, as Ctrl-C cancels the main task under asyncio.run, and
  the cancelled cell shows as KeyboardInterrupt;
- something else keeps the loop (a task, a callback): the cell is cancelled likewise; what still
  keeps the loop a moment later gets CancelledError.

So tasks that the learner left in the background survive, unless one of them is what hangs.

**ExceptionGroups.** IPython prints them to stderr, and as far as its clients can tell the cell
went well. Here they are shown as the errors they are.

**A name that is not there.** Where a cell meets one, its error says what to do, too: after a
restart the cells above have to run again.

**run(main())** runs a script's main from a notebook, in a worker thread of its own, with the
semantics of asyncio.run.

Nothing in asyncio is patched, and outside IPython importing this module changes nothing.
"""

import asyncio
import contextlib
import contextvars
import functools
import inspect
import itertools
import os
import queue
import re
import signal
import sys
import threading
import traceback

from helpers.basics.places import is_library
from helpers.kernel.virtual import (
    HELPERS,
    Deadlock,
    VirtualLoop,
    idle_in_pool,
    is_pools,
    outward,
    place,
    waiting,
)
from helpers.recording import recorder

# What the lessons lean on, with the oldest version that will do.
PACKAGES = {
    "ipykernel": "7.4",
    "jupyterlab": "",
    "ipywidgets": "",
    "matplotlib": "",
    "httpx": "",
    "aiohttp": "",
}

# Whose tasks and callbacks on the kernel's loop are the kernel's own.
KERNELS = {"ipykernel", "IPython", "tornado", "zmq"}

# How long (seconds) something may keep the loop after a press before it is interrupted. A task
# that happens to run when the button is pressed is done long before.
GRACE = 0.2

# How long (seconds) a press waits for a worker thread: first for main to end when it is
# cancelled, then again once its code is interrupted.
PATIENCE = 0.4

# Files whose frames say nothing to a learner in an ExceptionGroup's traceback.
INNER = re.compile(
    "|".join(re.escape(folder) for folder in (os.path.dirname(asyncio.__file__) + os.sep, HELPERS))
    + r"|.*[/\\](IPython|ipykernel)[/\\]"
)


# Making the kernel fit ---------------------------------------------------------------------------


def install():
    """Make the IPython shell that runs this fit for async. Does nothing the second time, and
    nothing outside IPython."""
    shell = _shell()
    if shell is None or hasattr(shell, "stop_button"):
        return
    shell.stop_button = StopButton(shell)
    _drive_cells(shell)
    _show_errors(shell)


def _shell():
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def _drive_cells(shell):
    """Tell the stop button and the recorder which code is the cell's."""
    button, run_code = shell.stop_button, shell.run_code

    @functools.wraps(run_code)
    async def observed(code, result=None, *, async_=False):
        coro = run_code(code, result, async_=async_)
        if async_:
            coro = recorder.observe(coro)
        with button.cell(code):
            return await coro

    shell.run_code = observed


def _show_errors(shell):
    """Show errors that hold an ExceptionGroup, in themselves or in their context, and add what to
    do to a NameError.

    `shell.set_custom_exc` would do for the groups themselves. But an error raised while a group
    was handled disappears as well, whatever its class.
    """
    button, showtraceback = shell.stop_button, shell.showtraceback
    # ipykernel's answer to a failed cell reads it, and not every error sets it.
    shell._last_traceback = None

    @functools.wraps(showtraceback)
    def show(exc_tuple=None, *args, **kwargs):
        error = button.as_seen(exc_tuple[1] if exc_tuple else sys.exc_info()[1])
        if error is None:
            showtraceback(exc_tuple, *args, **kwargs)
        elif _holds_group(error):
            shell._showtraceback(type(error), error, _readable(shell, error))
        else:
            _advise(shell, error)
            showtraceback((type(error), error, error.__traceback__), *args, **kwargs)

    shell.showtraceback = show


def _advise(shell, error):
    """Add what to do to the NameError of a cell, or of a function that a cell defines."""
    if type(error) is not NameError or str(error) != f"name {error.name!r} is not defined":
        return  # such as an UnboundLocalError, which no other cell mends
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    learners = frames and frames[-1].f_globals is shell.user_global_ns
    if learners and not hasattr(error, "__notes__"):  # it has one where it is shown once more
        error.add_note(
            f"`{error.name}` is not defined in this kernel. Run the cells above this "
            "one first (menu Run, Run All Above Selected Cell), or check the spelling."
        )


def _holds_group(error):
    seen = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, BaseExceptionGroup):
            return True
        seen.add(id(error))
        error = error.__context__
    return False


def _readable(shell, error):
    """The lines of an error's traceback, without the inner frames of asyncio and IPython."""
    described = traceback.TracebackException.from_exception(error, compact=True)
    _leave_out_inner_frames(described)
    text = "".join(described.format())

    def in_words(match):
        kind_and_name = shell.compile.format_code_name(match[1])
        return " ".join(kind_and_name) if kind_and_name else match[0]

    # ipykernel gives its cells the names of temporary files.
    return re.sub(r'File "([^"]+)"', in_words, text).splitlines()


def _leave_out_inner_frames(described):
    outside = [frame for frame in described.stack if not INNER.match(frame.filename)]
    if outside:
        described.stack[:] = outside
    for inner in (*(described.exceptions or ()), described.__cause__, described.__context__):
        if inner is not None:
            _leave_out_inner_frames(inner)


# The stop button ---------------------------------------------------------------------------------


class StopButton:
    """Stops a notebook's cell at the first press. `fit` tells whether it is in charge."""

    def __init__(self, shell):
        self.shell = shell
        self.cell_code = None
        self.cell_task = None
        self.pressed = False
        self.insists = False
        self.presses = queue.SimpleQueue()
        self.fit = hasattr(shell, "kernel") and _in_main_thread()
        if not self.fit:
            return
        self.loop = asyncio.get_running_loop()
        # ipykernel ignores a press between two messages, and while it handles one it lets the
        # press hit its own code. This handler tells the cases apart itself.
        shell.kernel.pre_handler_hook = shell.kernel.post_handler_hook = lambda: None
        shell.events.register("pre_run_cell", self.arm)
        shell.events.register("post_run_cell", self.disarm)
        threading.Thread(target=self.watch, name="stop-button", daemon=True).start()
        self.arm()  # the cell that imports this module runs already

    def arm(self, info=None):
        """Take charge for the cell that is about to run."""
        if _in_main_thread():
            self.cell_task = asyncio.current_task()
            self.pressed = False
            signal.signal(signal.SIGINT, self.press)

    def disarm(self, result):
        """The cell has ended: its reply is to tell the same as its error output."""
        if _in_main_thread() and result is not None:
            result.error_in_exec = self.as_seen(result.error_in_exec)

    @contextlib.contextmanager
    def cell(self, code):
        """`code` is the cell's for as long as this lasts."""
        if not _in_main_thread():  # a sub-shell's cell: signals don't reach it
            yield
            return
        outer, self.cell_code = self.cell_code, code
        try:
            yield
        finally:
            self.cell_code = outer

    def press(self, signum, frame):
        """The handler of SIGINT."""
        insists, self.insists = self.insists, False
        stack = list(outward(frame))
        in_cell = any(each.f_code is self.cell_code for each in stack)
        if in_cell and not (insists and self.pressed):
            raise KeyboardInterrupt
        if insists:
            if not in_cell:
                self.interrupt(stack)
            return
        came_round = threading.Event()
        self.loop.call_soon_threadsafe(self.cancel, self.cell_task)
        self.loop.call_soon_threadsafe(came_round.set)
        self.presses.put(came_round)

    def cancel(self, task):
        if task is self.cell_task and self.cell_code is not None:
            self.pressed = True
            task.cancel()

    def watch(self):
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

    def interrupt(self, stack):
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

    def as_seen(self, error):
        """An error as the learner sees it: a cell that a press has cancelled was interrupted."""
        if self.pressed and isinstance(error, asyncio.CancelledError):
            return KeyboardInterrupt().with_traceback(error.__traceback__)
        return error


def _in_main_thread():
    return threading.current_thread() is threading.main_thread()


# A script's main ---------------------------------------------------------------------------------

_here = threading.local()


def run(main, *, clock="real", loop_factory=None, debug=None):
    """Run a coroutine to its end, as `asyncio.run` does in a script, and return its result.

    Tasks it leaves behind are cancelled, async generators closed, the default executor shut
    down. Where an event loop runs in this thread already, as in a notebook, `main` runs in a
    worker thread with a loop of its own; the stop button cancels it.

    main: a coroutine, as in `run(main())`.
    clock: "real", or "virtual" for a clock that jumps (see `helpers.kernel.virtual`).
    loop_factory: makes the event loop, for example `uvloop.new_event_loop`.
    debug: asyncio's debug mode, as for `asyncio.run`.

    Raises what main raises; TypeError for anything but a coroutine; ValueError for another clock,
    or a loop_factory where the clock is virtual; RuntimeError inside another run();
    KeyboardInterrupt within a second of a press of the stop button, after a sentence that says
    what is still running, if something is.
    """
    __tracebackhide__ = True
    _check_coroutine(main)
    try:
        loop_factory = _check_loop(clock, loop_factory)
        if not _loop_runs_here():
            start = _run_here
        elif not getattr(_here, "running", False):
            start = _run_in_worker
        else:
            raise RuntimeError(
                f"run() is running this code already: here, "
                f"await {_name(main)}(…) instead of run({_name(main)}(…))"
            )
    except BaseException:
        main.close()  # else Python warns that it was never awaited, which is not the point
        raise
    try:
        return start(main, loop_factory, debug)
    except Deadlock as error:
        raise error.with_traceback(None)  # the loop raises it; the lines that matter it names
    except BaseException as error:
        raise error.with_traceback(_from_the_learner_on(error.__traceback__))


def _check_coroutine(main):
    __tracebackhide__ = True
    if asyncio.iscoroutine(main):
        return
    if inspect.iscoroutinefunction(main):
        raise TypeError(f"{_name(main)} is a function; call it: run({_name(main)}())")
    if inspect.isasyncgen(main) or inspect.isasyncgenfunction(main):
        raise TypeError(
            f"{_name(main)} is an async generator (it has a yield), which run() can't "
            f"run: go through it with async for, in an async function"
        )
    if inspect.isroutine(main):
        raise TypeError(
            f"{_name(main)} is a plain function: make it async def, then run({_name(main)}())"
        )
    raise TypeError(
        f"run() takes a coroutine, what calling an async function gives; "
        f"this is {type(main).__name__}: {main!r:.60}"
    )


def _check_loop(clock, loop_factory):
    """What makes the event loop."""
    __tracebackhide__ = True
    if clock == "real":
        return loop_factory
    if clock != "virtual":
        raise ValueError(f'clock is "real" or "virtual", not {clock!r}')
    if loop_factory is not None:
        raise ValueError('clock="virtual" brings its own loop: leave out loop_factory')
    return VirtualLoop


def _loop_runs_here():
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _name(thing):
    return getattr(thing, "__name__", type(thing).__name__)


def _run_here(main, loop_factory, debug, on_start=None):
    runner = asyncio.Runner(debug=debug, loop_factory=loop_factory)
    try:
        loop = runner.get_loop()
    except BaseException:
        main.close()
        raise
    _here.running = True
    try:
        with runner:
            recorder.attach(loop)
            if on_start is not None:
                # Called before main's first step, when main's is the one new task.
                others = asyncio.all_tasks(loop)
                loop.call_soon(lambda: on_start(loop, *(asyncio.all_tasks(loop) - others)))
            return runner.run(main)
    finally:
        _here.running = False


def _run_in_worker(main, loop_factory, debug):
    __tracebackhide__ = True
    worker = _Worker(main, loop_factory, debug)
    try:
        worker.start()
        while not worker.ended.wait(0.1):
            pass  # on Windows only a wait with a limit can be interrupted
    except KeyboardInterrupt:
        still_running = worker.stop()
        if still_running:
            print(still_running, file=sys.stderr)
        raise KeyboardInterrupt from None
    if worker.error is not None:
        error, worker.error = worker.error, None  # no cycle of error, traceback and worker
        raise error
    return worker.result


def _from_the_learner_on(tb):
    """A traceback without the frames before the first that is the learner's, if there is one."""
    first = tb
    while first is not None and is_library(first.tb_frame.f_code.co_filename):
        first = first.tb_next
    return first or tb


class _Worker(threading.Thread):
    """Runs one coroutine to its end, in a context copied from the thread that makes it."""

    def __init__(self, main, *options):
        # A daemon: what can't be stopped must not keep the kernel from ending.
        self.main = f"{_name(main)}()"
        super().__init__(name=f"run({self.main})", daemon=True)
        self.work = functools.partial(
            contextvars.copy_context().run, _run_here, main, *options, self.begin
        )
        self.result = self.error = self.loop = self.task = None
        self.cancelled = threading.Event()
        # Before 3.13 a join() that is interrupted takes the thread for dead.
        self.ended = threading.Event()
        self.before = set(threading.enumerate())

    def run(self):
        try:
            self.result = self.work()
        except BaseException as error:
            self.error = error
        finally:
            del self.work
            self.ended.set()

    def begin(self, loop, task):
        self.loop, self.task = loop, task

    def stop(self):
        """Cancel main; where its code doesn't let go of the loop, interrupt it. Return a sentence
        that says what is still running, or None."""
        if self.task is not None:
            with contextlib.suppress(RuntimeError):  # the loop has just been closed
                self.loop.call_soon_threadsafe(self.cancel)
        if not self.ended.wait(PATIENCE) and not self.cancelled.is_set():
            _raise_in(self, KeyboardInterrupt)
        if not self.ended.wait(PATIENCE):
            return f"Stopped, but not all has ended: {'; '.join(self.holds())}."
        return None

    def cancel(self):
        self.task.cancel()
        self.cancelled.set()

    def holds(self):
        """What is still running, in words: the threads, and main where it waits."""
        frames = sys._current_frames()
        found = []
        for thread in [self, *(set(threading.enumerate()) - self.before - {self})]:
            stack = list(outward(frames.get(thread.ident)))
            learners = [frame for frame in stack if not is_library(frame.f_code.co_filename)]
            if learners:
                where = place(learners[0].f_code.co_filename, learners[0].f_lineno)
                found.append(f"the thread {thread.name} is at {where}, and ends when that does")
            elif any(map(is_pools, stack)) and not idle_in_pool(stack[0]):
                found.append(f"the thread {thread.name} is in a call that nothing can stop")
        if not found and self.task is not None and not self.task.done():
            found.append(f"{waiting(self.task)._replace(name=self.main)}, although cancelled")
        return found or [f"the thread {self.name} is closing its loop"]


def _raise_in(thread, kind):
    """Raise an exception in another thread, as soon as that runs Python code again."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(kind))


# What is here ------------------------------------------------------------------------------------


class Environment:
    """What `environment()` found. `ok`: all is as the course needs it; `wrong`: what is not."""

    def __init__(self, wrong):
        self.wrong = wrong
        self.ok = not wrong

    def __repr__(self):
        return "All is ready." if self.ok else f"Not ready: {', '.join(self.wrong)}."


def environment():
    """Look at what the course needs, and print a short line for each thing.

    Returns an `Environment`.
    """
    wrong = []

    def say(name, found, good, needed):
        print(f"{name:12} {found}" + ("" if good else f"   <- needs {needed}"))
        if not good:
            wrong.append(name)

    say(
        "Python",
        ".".join(map(str, sys.version_info[:3])),
        sys.version_info >= (3, 11),
        "3.11 or newer",
    )
    for package, least in PACKAGES.items():
        found = _version(package)
        good = found is not None and _numbers(found) >= _numbers(least)
        say(package, found or "missing", good, f"{least} or newer" if least else "installing")
    try:
        found = type(asyncio.get_running_loop()).__name__
        say("event loop", f"{found}, running: top-level await works", True, "")
    except RuntimeError:
        say("event loop", "none runs here", False, "a notebook")
    button = _shell() and getattr(_shell(), "stop_button", None)
    fit = button is not None and signal.getsignal(signal.SIGINT) == button.press
    say(
        "stop button",
        "stops async cells too" if fit else "as the kernel has it",
        fit,
        "a notebook's kernel",
    )
    return Environment(wrong)


def _version(package):
    from importlib import metadata  # takes as long to import as all the rest of this module

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version):
    return [int(number) for number in re.findall(r"\d+", version)[:3]]


install()
