"""Stage 5, asyncio's interface: the same loop runs asyncio's own library, unchanged.

    run(main())                                   # as asyncio.run
    asyncio.Runner(loop_factory=new_event_loop)

What `asyncio.AbstractEventLoop` names is here, on top of the queue, the heap and the selector of
the stages before. Left out: SSL, subprocesses, pipes, Unix sockets, datagrams, and `sock_recv` and
the like, for which the stage before has its own.
"""

import asyncio
import logging
import signal
import socket
import sys
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from contextvars import copy_context
from functools import partial

from . import sockets, tasks, timers
from .transports import Server, Transport

LOG = logging.getLogger("asyncio")


class Handle:
    """A function on its way to be called in its context, unless it is cancelled before."""

    __slots__ = ("loop", "function", "arguments", "context", "deadline", "take_back")

    def __init__(self, loop, function, arguments, context=None):
        if loop.closed:
            loop.check_open()
        self.loop, self.function, self.arguments = loop, function, arguments
        self.context = copy_context() if context is None else context
        self.take_back = None  # what takes it out of the heap, if it gets there

    def __call__(self):
        self.context.run(self.function, *self.arguments)

    def again(self):
        """Have a turn; return what the loop shall call when its socket is ready the next time."""
        self.loop.ready.append(self)
        return self.again

    def cancel(self):
        self.function, self.arguments = tasks.nothing, ()
        if self.take_back:
            self.take_back()
            self.take_back = None

    def cancelled(self):
        return self.function is tasks.nothing

    def when(self):
        return self.deadline


class Number(int):
    """The number of an open file, in place of its socket."""

    fileno = int.__int__


class EventLoop(sockets.Loop, asyncio.AbstractEventLoop):
    """The learner's loop with the methods that asyncio's library calls."""

    ring = timers.Loop.make_ready  # the heap holds handles, and each has its turn

    def __init__(self):
        super().__init__()
        self.task_factory = self.exception_handler = None
        self.running = self.debug = False
        self.executor = ThreadPoolExecutor()  # without a thread until there is work for one
        self.ended = []  # what the loop runs for puts itself in here when it is done
        self.generators, self.signals = weakref.WeakSet(), {}

    def time(self):
        return time.monotonic()

    def is_running(self):
        return self.running

    def is_closed(self):
        return self.closed

    def get_debug(self):
        return self.debug

    def set_debug(self, enabled):
        self.debug = enabled

    def get_task_factory(self):
        return self.task_factory

    def set_task_factory(self, factory):
        self.task_factory = factory

    def get_exception_handler(self):
        return self.exception_handler

    def set_exception_handler(self, handler):
        self.exception_handler = handler

    def set_default_executor(self, executor):
        self.executor = executor

    def create_future(self):
        return asyncio.Future(loop=self)

    def add_reader(self, file, function, *args):
        self.listen(file, sockets.READ, function, args)

    def add_writer(self, file, function, *args):
        self.listen(file, sockets.WRITE, function, args)

    def remove_reader(self, file):
        return self.unlisten(file, sockets.READ)

    def remove_writer(self, file):
        return self.unlisten(file, sockets.WRITE)

    def wake_at(self, deadline, wake):
        return self.call_at(deadline, wake).cancel

    # Running

    def run_forever(self):
        self.check()
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(self.generators.add, self.close_generator)
        asyncio._set_running_loop(self)  # exported for those who write loops
        self.running = True
        try:
            self.turn()  # one at least, also where `stop` was called before
            self.turn_until(lambda: self.ended)
        finally:
            self.running, self.ended = False, []
            asyncio._set_running_loop(None)
            sys.set_asyncgen_hooks(*hooks)

    def check(self):
        self.check_open()
        if self.running or asyncio._get_running_loop() is not None:
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
        if self.running:
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
            super().turn()
        except (Exception, asyncio.CancelledError) as error:  # the others have theirs in the next
            self.call_exception_handler({"message": "Error in a callback", "exception": error})

    def call_soon(self, function, *args, context=None):
        handle = Handle(self, function, args, context)
        self.ready.append(handle)
        return handle

    def call_at(self, when, function, *args, context=None):
        handle = Handle(self, function, args, context)
        handle.deadline = when
        handle.take_back = self.sleeping.add(when, handle)
        return handle

    def call_later(self, delay, function, *args, context=None):
        return self.call_at(time.monotonic() + delay, function, *args, context=context)

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

    async def getaddrinfo(self, host, port, **options):
        return await self.run_in_executor(None, partial(socket.getaddrinfo, host, port, **options))

    # Errors

    def default_exception_handler(self, context):
        lines = [f"{key}: {value!r}" for key, value in context.items() if key != "exception"]
        LOG.error("\n".join(lines), exc_info=context.get("exception", False))

    def call_exception_handler(self, context):
        handler = self.exception_handler or type(self).default_exception_handler
        try:
            handler(self, context)
        except Exception as error:
            LOG.error("Error in the exception handler", exc_info=error)

    # Signals

    def add_signal_handler(self, number, function, *args):
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

    # Sockets

    def listen(self, file, event, function, args):
        handle = Handle(self, function, args)
        self.unlisten(file, event)
        self.watch(Number(file) if isinstance(file, int) else file, event, handle.again)

    def unlisten(self, file, event):
        number = file if isinstance(file, int) else file.fileno()
        _, waiting = self.watching.get(number, (None, {}))
        if not waiting.pop(event, None):
            return False
        self.register(number, waiting)
        return True

    async def adopt(self, coro):
        """Run a coroutine of stage four for a task of asyncio, which waits for futures alone."""
        task, ended = self.spawn(coro), asyncio.Event()
        task.park(self, ended.set)
        try:
            await ended.wait()
        finally:
            task.cancel()
        return task.result()

    async def create_connection(
        self,
        protocol_factory,
        host=None,
        port=None,
        *,
        sock=None,
        local_addr=None,
        family=0,
        ssl=None,
        **no_effect,
    ):
        refuse(ssl)
        if sock is None:
            look_up = partial(self.getaddrinfo, family=family, type=socket.SOCK_STREAM)
            ours = await look_up(*local_addr) if local_addr else [None]
            sock = await self.connected(
                [
                    (one, our)
                    for one in await look_up(host, port)
                    for our in ours
                    if our is None or our[0] == one[0]
                ]
            )
        return await self.connect_accepted_socket(protocol_factory, sock)

    async def connected(self, pairs):
        """Return a socket for the first pair of addresses that will do, theirs and ours."""
        failed = [OSError("no address of theirs is of the family of one of ours")]
        for (family, kind, proto, _, address), our in pairs:
            sock = socket.socket(family, kind, proto)
            sock.setblocking(False)
            try:
                if our is not None:
                    sock.bind(our[4])
                await self.adopt(sockets.connect(sock, address))
                return sock
            except BaseException as error:
                sock.close()
                if not isinstance(error, OSError):
                    raise
                failed = [OSError(error.errno, f"{error.strerror} (our address: {our and our[4]})")]
        raise failed.pop()  # or this frame would keep the error, and the error this frame

    async def connect_accepted_socket(self, protocol_factory, sock, *, ssl=None, **no_effect):
        refuse(ssl)
        protocol = protocol_factory()
        return Transport(self, sock, protocol), protocol

    async def create_server(
        self,
        protocol_factory,
        host=None,
        port=None,
        *,
        family=0,
        sock=None,
        backlog=100,
        reuse_port=None,
        start_serving=True,
        ssl=None,
        **no_effect,
    ):
        refuse(ssl)
        listeners = [sock]
        if sock is None:
            hosts = host if isinstance(host, (list, tuple)) else [host or None]
            found = [
                info
                for host in hosts
                for info in await self.getaddrinfo(
                    host, port, family=family, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
                )
            ]
            with ExitStack() as undo:
                listeners = [
                    undo.enter_context(
                        socket.create_server(
                            address, family=family, backlog=backlog, reuse_port=bool(reuse_port)
                        )
                    )
                    for family, *_, address in dict.fromkeys(found)
                ]
                undo.pop_all()
        server = Server(self, tuple(listeners), protocol_factory, backlog)
        if start_serving:
            await server.start_serving()
        return server


def refuse(ssl):
    """NotImplementedError where encryption is asked for."""
    if ssl:
        raise NotImplementedError("this loop has no SSL")


new_event_loop = EventLoop


def run(main, *, debug=None):
    """Run a coroutine to its end on a new loop of this kind, as `asyncio.run` does on asyncio's."""
    with asyncio.Runner(loop_factory=new_event_loop, debug=debug) as runner:
        return runner.run(main)
