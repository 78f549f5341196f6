"""Stage 5, asyncio's interface: the same loop runs asyncio's own library, unchanged.

    run(main())                                   # as asyncio.run
    asyncio.Runner(loop_factory=new_event_loop)

What `asyncio.AbstractEventLoop` names is here, on top of the queue, the heap and the selector of
the stages before; here are running and calling, and beside it, a subject a file:

    handles.py      what is to be called, and its context
    files.py        files that are watched; bare_sockets.py: sockets without a transport
    connections.py  connecting and listening
    transports.py   a connection; servers.py: a listener; tls.py: encryption
    debugging.py    what debug mode looks for
    lacks.py        what this loop has not, and what to use instead
"""

import asyncio
import heapq
import inspect
import logging
import signal
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial

from . import debugging, sockets, tasks
from .bare_sockets import BareSockets
from .connections import Connections
from .files import Files
from .handles import Handle, Timer
from .lacks import Lacks

LOG = logging.getLogger("asyncio")


class EventLoop(Connections, BareSockets, Files, Lacks, sockets.Loop, asyncio.AbstractEventLoop):
    """The learner's loop with the methods that asyncio's library calls."""

    slow_callback_duration = 0.1  # seconds: in debug mode, a call that takes longer is told

    def __init__(self):
        super().__init__()
        self.task_factory = self.exception_handler = None
        self.debug = debugging.is_asked_for()
        self.thread = None  # the number of the thread that runs it
        self.executor = ThreadPoolExecutor()  # without a thread until there is work for one
        self.ended = []  # what the loop runs for puts itself in here when it is done
        self.generators, self.signals = weakref.WeakSet(), {}

    def __repr__(self):
        state = "closed" if self.closed else "running" if self.is_running() else "idle"
        return f"<{type(self).__name__} {state}>"

    def time(self):
        return time.monotonic()

    def is_running(self):
        return self.thread is not None

    def is_closed(self):
        return self.closed

    def get_debug(self):
        return self.debug

    def set_debug(self, enabled):
        self.debug = enabled

    def get_task_factory(self):
        return self.task_factory

    def set_task_factory(self, factory):
        self.task_factory = one_that_can_be_called(factory)

    def get_exception_handler(self):
        return self.exception_handler

    def set_exception_handler(self, handler):
        self.exception_handler = one_that_can_be_called(handler)

    def set_default_executor(self, executor):
        if not isinstance(executor, ThreadPoolExecutor):
            raise TypeError("executor must be ThreadPoolExecutor instance")
        self.executor = executor

    def create_future(self):
        return asyncio.Future(loop=self)

    def wake_at(self, deadline, wake):
        return self.call_at(deadline, wake).cancel

    # Running

    def run_forever(self):
        self.check()
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(self.generators.add, self.close_generator)
        asyncio._set_running_loop(self)  # exported for those who write loops
        self.thread = threading.get_ident()
        try:
            self.turn()  # one at least, also where `stop` was called before
            self.turn_until(lambda: self.ended)
        finally:
            self.thread, self.ended = None, []
            asyncio._set_running_loop(None)
            sys.set_asyncgen_hooks(*hooks)

    def check(self):
        self.check_open()
        if self.is_running() or asyncio._get_running_loop() is not None:
            raise RuntimeError("This event loop, or another one in this thread, is already running")

    def run_until_complete(self, future):
        self.check()
        future = asyncio.ensure_future(future, loop=self)
        future.add_done_callback(self.ended.append)
        self.run_forever()
        if not future.done():
            raise RuntimeError("Event loop stopped before Future completed.")
        return future.result()

    def stop(self):
        self.ended.append("stopped")
        self.ready.append(tasks.nothing)  # so that it does not wait

    def close(self):
        if self.is_running():
            raise RuntimeError("Cannot close a running event loop")
        for number in list(self.signals):
            self.remove_signal_handler(number)
        self.executor.shutdown(wait=False)
        super().close()

    def close_generator(self, generator):
        if not self.closed:
            self.call_soon_threadsafe(self.create_task, generator.aclose())

    async def shutdown_asyncgens(self):
        closing = [generator.aclose() for generator in self.generators]
        for error in await asyncio.gather(*closing, return_exceptions=True):
            if isinstance(error, Exception):
                self.call_exception_handler(
                    {"message": "Error while an async generator was closed", "exception": error}
                )

    async def shutdown_default_executor(self, timeout=None):
        helper = ThreadPoolExecutor(1)
        await asyncio.wait([self.run_in_executor(helper, self.executor.shutdown)], timeout=timeout)
        helper.shutdown(wait=False)

    # Calling

    def turn(self):
        try:
            debugging.turn(self) if self.debug else super().turn()
        except (Exception, asyncio.CancelledError) as error:  # the others have theirs in the next
            self.call_exception_handler({"message": "Error in a callback", "exception": error})

    def wait(self):
        """Look at the sockets, or wait for them. Then queue what is due by the loop's own clock."""
        if self.ready:
            if len(self.watching) > 1:
                self.pause(0)
        else:
            first = self.sleeping.first()
            self.pause(None if first is None else first - self.time())
        if self.sleeping:
            self.ready.extend(self.sleeping.due(self.time()))

    def call_soon(self, function, *args, context=None):
        if self.debug:
            debugging.check(self, function, "call_soon")
        handle = Handle(self, function, args, context)
        self.ready.append(handle)
        return handle

    def call_at(self, when, function, *args, context=None):
        if self.debug:
            debugging.check(self, function, "call_at")
        if when is None:
            raise TypeError("when cannot be None")
        handle = Timer(self, function, args, context)
        # `sleeping.add` would make a function as well, to take it back: one object more to collect.
        handle.entry = [when, next(self.sleeping.tickets), handle]
        heapq.heappush(self.sleeping.heap, handle.entry)
        return handle

    def call_later(self, delay, function, *args, context=None):
        if delay is None:
            raise TypeError("delay must not be None")
        return self.call_at(self.time() + delay, function, *args, context=context)

    def call_soon_threadsafe(self, function, *args, context=None):
        handle = Handle(self, function, args, context)
        super().call_soon_threadsafe(handle)
        return handle

    def create_task(self, coro, **options):
        self.check_open()
        if self.task_factory is None:
            return asyncio.Task(coro, loop=self, **options)
        # Only from Python 3.14 on does every factory take a name.
        name = options.pop("name", None) if sys.version_info < (3, 14) else None
        task = self.task_factory(self, coro, **options)
        if name is not None:
            task.set_name(name)
        return task

    def run_in_executor(self, executor, function, *args):
        return asyncio.wrap_future((executor or self.executor).submit(function, *args), loop=self)

    # Errors

    def default_exception_handler(self, context):
        lines = [context.get("message") or "Unhandled exception in event loop"]
        told = {"message", "exception"}
        lines += [f"{key}: {context[key]!r}" for key in sorted(context.keys() - told)]
        LOG.error("\n".join(lines), exc_info=context.get("exception", False))

    def call_exception_handler(self, context):
        handler = self.exception_handler or type(self).default_exception_handler
        try:
            handler(self, context)
        except Exception as error:
            LOG.error("Error in the exception handler", exc_info=error)

    # Signals

    def add_signal_handler(self, number, function, *args):
        if inspect.iscoroutinefunction(function):
            raise TypeError("coroutines cannot be used with add_signal_handler()")
        self.check_open()
        signal.getsignal(number)  # TypeError or ValueError where there is no such signal
        call = partial(self.call_soon_threadsafe, function, *args, context=copy_context())
        try:
            before = signal.signal(number, lambda *_: call())
        except (ValueError, OSError) as error:
            raise RuntimeError(f"sig {number} cannot be caught: {error}") from None
        self.signals.setdefault(number, before)

    def remove_signal_handler(self, number):
        signal.getsignal(number)
        if number not in self.signals:
            return False
        signal.signal(number, self.signals.pop(number) or signal.SIG_DFL)
        return True


def one_that_can_be_called(function):
    """Return a function, or None, as it is; TypeError for anything else."""
    if function is None or callable(function):
        return function
    raise TypeError(f"A callable object or None is expected, got {function!r}")


new_event_loop = EventLoop


def run(main, *, debug=None):
    """Run a coroutine to its end on a new loop of this kind, as `asyncio.run` does on asyncio's."""
    with asyncio.Runner(loop_factory=new_event_loop, debug=debug) as runner:
        return runner.run(main)
