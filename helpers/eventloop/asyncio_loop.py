"""Stage 5, asyncio's interface: the same loop runs asyncio's own library, unchanged.

    run(main())                                   # as asyncio.run
    asyncio.Runner(loop_factory=new_event_loop)

What `asyncio.AbstractEventLoop` names is here, on top of the queue, the heap and the selector of
the stages before. Left out: SSL, subprocesses, pipes, Unix sockets, datagrams.
"""

import asyncio
import concurrent.futures
import contextvars
import heapq
import itertools
import logging
import signal
import socket
import sys
import time
import types
import weakref
from functools import partial

from . import sockets, tasks
from .sockets import READ, WRITE
from .transports import Server, Transport

LOG = logging.getLogger("asyncio")


class Handle:
    """A function on its way to be called in its context, unless it is cancelled before."""

    __slots__ = ("loop", "function", "arguments", "context", "entry", "deadline")

    def __init__(self, loop, function, arguments, context):
        self.loop, self.function, self.arguments = loop, function, arguments
        self.context = contextvars.copy_context() if context is None else context
        self.entry = self.deadline = None  # its place in the heap

    def __call__(self):
        try:
            if self.function is not None:
                self.context.run(self.function, *self.arguments)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            self.loop.call_exception_handler(
                {"message": f"Error in {self.function!r}", "exception": error, "handle": self})

    def cancel(self):
        if self.entry is not None:
            self.loop.forget(self.entry)
        self.function = self.arguments = self.entry = None

    def cancelled(self): return self.function is None
    def when(self): return self.deadline


class Number(int):
    """The number of an open file, in place of its socket."""

    fileno = int.__int__


class EventLoop(sockets.Loop, asyncio.AbstractEventLoop):
    """The learner's loop with the methods that asyncio's library calls."""

    def __init__(self):
        super().__init__()
        self.executor = self.task_factory = self.exception_handler = None
        self.running = self.stopping = self.debug = False
        self.generators, self.signals = weakref.WeakSet(), {}

    def time(self): return time.monotonic()
    def is_running(self): return self.running
    def is_closed(self): return self.closed
    def get_debug(self): return self.debug
    def set_debug(self, enabled): self.debug = enabled
    def get_task_factory(self): return self.task_factory
    def get_exception_handler(self): return self.exception_handler
    def set_exception_handler(self, handler): self.exception_handler = handler
    def set_default_executor(self, executor): self.executor = executor
    def create_future(self): return asyncio.Future(loop=self)
    def add_reader(self, file, function, *args): self.listen(file, READ, function, args)
    def add_writer(self, file, function, *args): self.listen(file, WRITE, function, args)
    def remove_reader(self, file): return self.unlisten(file, READ)
    def remove_writer(self, file): return self.unlisten(file, WRITE)

    # Running

    def run_forever(self):
        self.check()
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(self.generators.add, self.close_generator)
        asyncio._set_running_loop(self)  # exported for those who write loops
        self.running = True
        try:
            self.run_until_stopped()
        finally:
            self.running = self.stopping = False
            asyncio._set_running_loop(None)
            sys.set_asyncgen_hooks(*hooks)

    def run_until_stopped(self):
        self.turn()  # one at least, also where `stop` was called before
        while not self.stopping:
            self.turn()

    def check(self):
        """Raise RuntimeError unless the loop may be run."""
        self.check_open()
        if self.running:
            raise RuntimeError("This event loop is already running")
        if asyncio._get_running_loop() is not None:
            raise RuntimeError("Cannot run the event loop while another loop is running")

    def run_until_complete(self, future):
        self.check()
        is_new = not asyncio.isfuture(future)
        future = asyncio.ensure_future(future, loop=self)
        future.add_done_callback(self.stop_after)
        try:
            self.run_forever()
        finally:
            future.remove_done_callback(self.stop_after)
            if is_new and future.done() and not future.cancelled():
                future.exception()  # it is raised here, and need not be reported again
        if not future.done():
            raise RuntimeError("Event loop stopped before Future completed.")
        return future.result()

    def stop_after(self, future):
        # SystemExit and KeyboardInterrupt have left run_forever already
        if future.cancelled() or not isinstance(future.exception(), (SystemExit, KeyboardInterrupt)):
            self.stop()

    def stop(self):
        self.stopping = True
        self.ready.append(tasks.nothing)  # so that it does not wait

    def close(self):
        if self.running:
            raise RuntimeError("Cannot close a running event loop")
        if not self.closed:
            for number in list(self.signals):
                self.remove_signal_handler(number)
            for kept in self.ready, self.sleeping, self.watching:
                kept.clear()
            if self.executor is not None:
                self.executor.shutdown(wait=False)
            super().close()

    def close_generator(self, generator):
        if not self.closed:
            self.call_soon_threadsafe(self.create_task, generator.aclose())

    async def shutdown_asyncgens(self):
        generators, self.generators = list(self.generators), weakref.WeakSet()
        closing = [generator.aclose() for generator in generators]
        for error in await asyncio.gather(*closing, return_exceptions=True):
            if isinstance(error, Exception):
                self.call_exception_handler(
                    {"message": "Error while an async generator was closed", "exception": error})

    async def shutdown_default_executor(self, timeout=None):
        executor, self.executor = self.executor, None
        if executor is not None:
            helper = concurrent.futures.ThreadPoolExecutor(1)
            await asyncio.wait([self.run_in_executor(helper, executor.shutdown)], timeout=timeout)
            helper.shutdown(wait=False)

    # Calling

    def call_soon(self, function, *args, context=None):
        if self.closed:
            self.check_open()
        handle = Handle(self, function, args, context)
        self.ready.append(handle)
        return handle

    def call_at(self, when, function, *args, context=None):
        return self.at(when, Handle(self, function, args, context))

    def call_later(self, delay, function, *args, context=None):
        return self.at(time.monotonic() + delay, Handle(self, function, args, context))

    def at(self, when, handle):
        if self.closed:
            self.check_open()
        handle.deadline = when
        handle.entry = entry = [when, next(self.tickets), handle]
        heapq.heappush(self.sleeping, entry)
        return handle

    def wake(self, who):
        if isinstance(who, Handle):
            who.entry = None  # it holds the handle too: the collector had to find each such pair
            self.ready.append(who)  # it runs in its turn
        else:
            super().wake(who)

    def call_soon_threadsafe(self, function, *args, context=None):
        handle = Handle(self, function, args, context)
        super().call_soon_threadsafe(handle)
        return handle

    def create_task(self, coro, **options):
        if self.closed:
            self.check_open()
        if self.task_factory is None:
            return asyncio.Task(coro, loop=self, **options)
        name = options.pop("name", None)
        if options.get("context") is None:
            options.pop("context", None)  # not every factory takes one
        task = self.task_factory(self, coro, **options)
        if name is not None:
            task.set_name(name)
        return task

    def set_task_factory(self, factory):
        if factory is not None and not callable(factory):
            raise TypeError("task factory must be a callable or None")
        self.task_factory = factory

    def run_in_executor(self, executor, function, *args):
        self.check_open()
        if executor is None:
            executor = self.executor = self.executor or concurrent.futures.ThreadPoolExecutor()
        return asyncio.wrap_future(executor.submit(function, *args), loop=self)

    async def getaddrinfo(self, host, port, **options):
        return await self.run_in_executor(None, partial(socket.getaddrinfo, host, port, **options))

    async def getnameinfo(self, address, flags=0):
        return await self.run_in_executor(None, socket.getnameinfo, address, flags)

    # Errors

    def default_exception_handler(self, context):
        lines = [f"{key}: {value!r}" for key, value in context.items() if key != "exception"]
        LOG.error("\n".join(lines), exc_info=context.get("exception", False))

    def call_exception_handler(self, context):
        try:
            if self.exception_handler is None:
                self.default_exception_handler(context)
            else:
                self.exception_handler(self, context)
        except Exception as error:
            LOG.error("Error in the exception handler", exc_info=error)

    # Signals

    def add_signal_handler(self, number, function, *args):
        self.check_signal(number)
        self.check_open()
        if asyncio.iscoroutinefunction(function):
            raise TypeError("a signal handler is an ordinary function, no coroutine function")
        handle = Handle(self, function, args, None)
        try:
            signal.set_wakeup_fd(self.outside.fileno())  # or it would not leave its selector
            signal.signal(number, lambda *_: self.ready.append(handle))
        except (ValueError, OSError) as error:
            raise RuntimeError(f"sig {number} cannot be caught: {error}") from None
        self.signals[number] = handle

    def remove_signal_handler(self, number):
        self.check_signal(number)
        if self.signals.pop(number, None) is None:
            return False
        usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, usual)
        if not self.signals:
            signal.set_wakeup_fd(-1)
        return True

    def check_signal(self, number):
        if not isinstance(number, int):
            raise TypeError(f"sig must be an int, not {number!r}")
        if number not in signal.valid_signals():
            raise ValueError(f"invalid signal number {number}")

    # Sockets

    def listen(self, file, event, function, args):
        self.check_open()
        self.unlisten(file, event)
        file = Number(file) if isinstance(file, int) else file
        handle = Handle(self, function, args, None)

        def happened():
            waiting[event] = happened  # until it is taken back, not for once
            self.ready.append(handle)

        self.watch(file, event, happened)
        _, waiting = self.watching[file.fileno()]

    def unlisten(self, file, event):
        number = file if isinstance(file, int) else file.fileno()
        known, waiting = self.watching.get(number, (None, {}))
        if waiting.get(event) is None:
            return False
        self.unwatch(number, event)
        return True

    @types.coroutine
    def adopt(self, coro):
        """Run a coroutine of stage four in a task of asyncio, which waits for futures alone."""
        while True:
            try:
                park = coro.send(None)
            except StopIteration as stop:
                return stop.value
            future = self.create_future()
            unpark = park(self, partial(future.set_result, None))
            try:
                yield from future
            finally:
                if future.cancelled():
                    unpark()

    async def sock_recv(self, sock, most): return await self.adopt(sockets.recv(sock, most))
    async def sock_sendall(self, sock, data): await self.adopt(sockets.send_all(sock, data))
    async def sock_accept(self, sock): return await self.adopt(sockets.accept(sock))
    async def sock_connect(self, sock, to): await self.adopt(sockets.connect(sock, to))

    async def create_connection(self, protocol_factory, host=None, port=None, *, sock=None,
                                local_addr=None, family=0, proto=0, flags=0, all_errors=False,
                                ssl=None, **no_effect):
        self.refuse(ssl)
        if sock is None:
            look_up = partial(self.getaddrinfo, family=family, type=socket.SOCK_STREAM, proto=proto,
                              flags=flags)
            local = local_addr and await look_up(*local_addr)
            errors = []
            for info in await look_up(host, port):
                try:
                    sock = await self.connected(info, local)
                    break
                except OSError as error:
                    errors.append(error)
            else:
                raise ExceptionGroup("no connection", errors) if all_errors else errors[0]
        return await self.connect_accepted_socket(protocol_factory, sock)

    async def connected(self, info, local):
        family, kind, proto, _, address = info
        sock = socket.socket(family, kind, proto)
        try:
            sock.setblocking(False)
            if local:
                self.bind(sock, [info[4] for info in local if info[0] == family])
            await self.sock_connect(sock, address)
            return sock
        except BaseException:
            sock.close()
            raise

    def bind(self, sock, addresses):
        if not addresses:
            raise OSError("none of the local addresses is of the family of the other side")
        try:
            sock.bind(addresses[0])
        except OSError as error:
            raise OSError(error.errno, f"bind to {addresses[0]}: {error.strerror}") from None

    async def connect_accepted_socket(self, protocol_factory, sock, *, ssl=None,
                                      ssl_handshake_timeout=None, **no_effect):
        self.refuse(ssl, ssl_handshake_timeout)
        protocol = protocol_factory()
        transport = Transport(self, sock, protocol)
        try:
            await asyncio.sleep(0)  # connection_made is called before
        except BaseException:
            transport.close()
            raise
        return transport, protocol

    async def create_server(self, protocol_factory, host=None, port=None, *, family=0,
                            flags=socket.AI_PASSIVE, sock=None, backlog=100, reuse_port=None,
                            start_serving=True, ssl=None, **no_effect):
        self.refuse(ssl)
        listeners = [] if sock is None else [sock]
        if sock is None:
            hosts = [host or None] if host is None or isinstance(host, str) else host
            infos = [await self.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM,
                                            flags=flags) for host in hosts]
            try:
                for family, *_, address in dict.fromkeys(itertools.chain(*infos)):
                    listeners.append(socket.create_server(
                        address, family=family, backlog=backlog, reuse_port=bool(reuse_port)))
            except OSError:
                for listener in listeners:
                    listener.close()
                raise
        for listener in listeners:
            listener.setblocking(False)
        server = Server(self, tuple(listeners), protocol_factory, backlog)
        if start_serving:
            await server.start_serving()
        return server

    def refuse(self, ssl, ssl_handshake_timeout=None):
        if ssl:
            raise NotImplementedError("this loop has no SSL")
        if ssl_handshake_timeout is not None:
            raise ValueError("ssl_handshake_timeout is only meaningful with ssl")


new_event_loop = EventLoop


def run(main, *, debug=None):
    """Run a coroutine to its end on a new loop of this kind, as `asyncio.run` does on asyncio's."""
    with asyncio.Runner(loop_factory=new_event_loop, debug=debug) as runner:
        return runner.run(main)
