"""Stage 5, asyncio's interface: the same loop runs asyncio's own library, unchanged.

    run(main())                                   # as asyncio.run
    asyncio.Runner(loop_factory=new_event_loop)

What `asyncio.AbstractEventLoop` names is here, on top of the queue, the heap, the tasks and the
selector of the stages before. Left out: SSL, subprocesses, pipes, Unix sockets, datagrams.
"""

import asyncio
import concurrent.futures
import contextlib
import contextvars
import itertools
import logging
import signal
import socket
import sys
import threading
import time
import types
import weakref
from functools import partial

from . import sockets, tasks
from .sockets import READ, WRITE

MOST = 256 * 1024  # bytes taken from a socket at once


class Handle:
    """A function on its way to be called in its context, unless it is cancelled before."""

    __slots__ = ("loop", "function", "arguments", "context", "deadline", "unpark", "__weakref__")

    def __init__(self, loop, function, arguments, context):
        self.loop, self.function, self.arguments = loop, function, arguments
        self.context = contextvars.copy_context() if context is None else context
        self.unpark = None

    def step(self):
        try:
            if self.function is not None:
                self.context.run(self.function, *self.arguments)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            self.loop.call_exception_handler(
                {"message": f"Error in {self.function!r}", "exception": error, "handle": self})

    def wake(self):
        self.unpark = None
        self.loop.ready.append(self.step)

    def cancel(self):
        self.function = self.arguments = None
        if self.unpark is not None:
            self.unpark()
            self.unpark = None

    def cancelled(self):
        return self.function is None

    def when(self):
        return self.deadline


class Transport(asyncio.Transport):
    """One connection: hands what comes to the protocol, and sends what it is given to write."""

    def __init__(self, loop, sock, protocol, server=None):
        sock.setblocking(False)
        extra = {"socket": sock, "sockname": sock.getsockname()}
        with contextlib.suppress(OSError):  # it has hung up already, or it is not TCP
            extra["peername"] = sock.getpeername()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().__init__(extra)
        self.loop, self.sock, self.protocol, self.server = loop, sock, protocol, server
        self.buffer = bytearray()  # what could not be sent yet
        self.reading = self.closing = self.ended = self.full = False
        self.set_write_buffer_limits()
        if server is not None:
            server.transports.add(self)
        loop.call_soon(protocol.connection_made, self)
        loop.call_soon(self.resume_reading)

    def get_protocol(self):
        return self.protocol

    def set_protocol(self, protocol):
        self.protocol = protocol

    def is_closing(self):
        return self.closing

    def is_reading(self):
        return self.reading

    def resume_reading(self):
        if not self.reading and not self.closing:
            self.reading = True
            self.loop.add_reader(self.sock, self.read)

    def pause_reading(self):
        self.reading = False
        self.loop.remove_reader(self.sock)

    def read(self):
        protocol = self.protocol
        try:
            if isinstance(protocol, asyncio.BufferedProtocol):
                deliver, data = protocol.buffer_updated, self.sock.recv_into(protocol.get_buffer(-1))
            else:
                deliver, data = protocol.data_received, self.sock.recv(MOST)
            if data:
                deliver(data)
            elif protocol.eof_received():  # the protocol has something to send yet
                self.pause_reading()
            else:
                self.close()
        except BlockingIOError:
            pass
        except Exception as error:
            self.lose(error)

    def set_write_buffer_limits(self, high=None, low=None):
        self.high = high if high is not None else 65536 if low is None else 4 * low
        self.low = self.high // 4 if low is None else low
        if not self.high >= self.low >= 0:
            raise ValueError(f"high ({self.high!r}) must be >= low ({self.low!r}) must be >= 0")

    def get_write_buffer_limits(self):
        return self.low, self.high

    def get_write_buffer_size(self):
        return len(self.buffer)

    def write(self, data):
        if self.ended:
            raise RuntimeError("write() after write_eof(): the end has been sent already")
        if not self.closing:
            self.buffer += data
            if len(self.buffer) == len(data):  # else the rest of earlier data goes first
                self.flush()
        if len(self.buffer) > self.high and not self.full:
            self.full = True
            self.protocol.pause_writing()

    def flush(self):
        try:
            del self.buffer[:self.sock.send(self.buffer)]
        except BlockingIOError:
            pass
        except OSError as error:
            self.lose(error)
        if self.full and len(self.buffer) <= self.low:
            self.full = False
            self.protocol.resume_writing()
        if self.buffer:
            self.loop.add_writer(self.sock, self.flush)
        else:
            self.loop.remove_writer(self.sock)
            if self.closing:
                self.loop.call_soon(self.end, None)
            elif self.ended:
                self.sock.shutdown(socket.SHUT_WR)

    def can_write_eof(self):
        return True

    def write_eof(self):
        if not self.ended and not self.closing:
            self.ended = True
            if not self.buffer:
                self.sock.shutdown(socket.SHUT_WR)

    def close(self):
        if not self.closing:
            self.closing = True
            self.pause_reading()
            if not self.buffer:
                self.loop.call_soon(self.end, None)

    def abort(self):
        self.lose(None)

    def lose(self, error):
        """The connection is of no use any more: what was not sent is lost."""
        if not isinstance(error, (OSError, types.NoneType)):
            self.loop.call_exception_handler(
                {"message": "Error in a protocol", "exception": error, "transport": self})
        self.closing = True
        self.buffer.clear()
        self.pause_reading()
        self.loop.remove_writer(self.sock)
        self.loop.call_soon(self.end, error)

    def end(self, error):
        if self.sock.fileno() >= 0:  # it may be lost twice
            self.loop.close_socket(self.sock)
            if self.server is not None:
                self.server.forget(self)
            self.protocol.connection_lost(error)


class Server(asyncio.AbstractServer):
    """Accepts connections and makes a protocol and a transport of each."""

    def __init__(self, loop, listeners, factory, backlog):
        self.loop, self.listeners, self.factory, self.backlog = loop, listeners, factory, backlog
        self.transports, self.ended, self.serving = set(), loop.create_future(), False

    @property
    def sockets(self):
        return tuple(self.listeners)

    def get_loop(self):
        return self.loop

    def is_serving(self):
        return self.serving

    async def start_serving(self):
        if not self.serving:
            self.serving = True
            for listener in self.listeners:
                listener.listen(self.backlog)
                self.loop.add_reader(listener, self.accept, listener)

    def accept(self, listener):
        with contextlib.suppress(BlockingIOError, ConnectionAbortedError):
            for _ in range(self.backlog):
                Transport(self.loop, listener.accept()[0], self.factory(), self)

    async def serve_forever(self):
        await self.start_serving()
        try:
            await self.loop.create_future()
        finally:
            self.close()
            await self.wait_closed()

    def close(self):
        listeners, self.listeners, self.serving = self.listeners, [], False
        for listener in listeners:
            self.loop.remove_reader(listener)
            self.loop.close_socket(listener)
        self.forget(None)

    def forget(self, transport):
        self.transports.discard(transport)
        if not self.listeners and not self.transports and not self.ended.done():
            self.ended.set_result(None)

    async def wait_closed(self):
        await asyncio.shield(self.ended)

    def close_clients(self):
        for transport in list(self.transports):
            transport.close()

    def abort_clients(self):
        for transport in list(self.transports):
            transport.abort()


class Number(int):
    """The number of an open file, in place of its socket."""

    def fileno(self):
        return int(self)

    def gettimeout(self): return 0


class EventLoop(sockets.Loop, asyncio.AbstractEventLoop):
    """The learner's loop with the methods that asyncio's library calls."""

    time = staticmethod(time.monotonic)

    def __init__(self):
        super().__init__()
        self.thread = self.executor = self.task_factory = self.exception_handler = None
        self.stopping = self.closed = self.debug = False
        self.generators, self.signals = weakref.WeakSet(), {}

    # Running

    def run_forever(self):
        self.check_closed()
        self.check_idle()
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(self.generators.add, self.close_generator)
        asyncio._set_running_loop(self)  # exported for those who write loops
        self.thread = threading.get_ident()
        try:
            while True:
                self.turn()
                if self.stopping:
                    break
        finally:
            self.stopping, self.thread = False, None
            asyncio._set_running_loop(None)
            sys.set_asyncgen_hooks(*hooks)

    def check_idle(self):
        if self.is_running():
            raise RuntimeError("This event loop is already running")
        if asyncio._get_running_loop() is not None:
            raise RuntimeError("Cannot run the event loop while another loop is running")

    def check_closed(self):
        if self.closed:
            raise RuntimeError("Event loop is closed")

    def run_until_complete(self, future):
        self.check_closed()
        self.check_idle()
        is_new = not asyncio.isfuture(future)
        future = asyncio.ensure_future(future, loop=self)
        future.add_done_callback(self.stop_after)
        try:
            self.run_forever()
        except BaseException:
            if is_new and future.done() and not future.cancelled():
                future.exception()  # it is raised here, and need not be reported again
            raise
        finally:
            future.remove_done_callback(self.stop_after)
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

    def is_running(self):
        return self.thread is not None

    def is_closed(self):
        return self.closed

    def close(self):
        if self.is_running():
            raise RuntimeError("Cannot close a running event loop")
        if not self.closed:
            for number in list(self.signals):
                self.remove_signal_handler(number)
            if self.executor is not None:
                self.executor.shutdown(wait=False)
            self.closed = True
            self.ready.clear()
            self.sleeping.clear()
            self.watching.clear()
            super().close()

    async def shutdown_asyncgens(self):
        generators, self.generators = list(self.generators), weakref.WeakSet()
        closing = [generator.aclose() for generator in generators]
        for generator, error in zip(
                generators, await asyncio.gather(*closing, return_exceptions=True)):
            if isinstance(error, Exception):
                self.call_exception_handler({"message": f"an error occurred during closing of asynchronous generator {generator!r}", "exception": error, "asyncgen": generator})

    def close_generator(self, generator):
        self.generators.discard(generator)
        if not self.closed:
            self.call_soon_threadsafe(self.create_task, generator.aclose())

    async def shutdown_default_executor(self, timeout=None):
        executor, self.executor = self.executor, None
        if executor is not None:
            future = self.create_future()
            def join(): 
                executor.shutdown()
                if not self.closed: self.call_soon_threadsafe(lambda: future.done() or future.set_result(None))
            threading.Thread(target=join).start()
            try:
                async with asyncio.timeout(timeout):
                    await future
            except TimeoutError:
                executor.shutdown(wait=False)

    # Calling

    def call_soon(self, callback, *args, context=None):
        if self.closed: self.check_closed()
        handle = Handle(self, callback, args, context)
        self.ready.append(handle.step)
        return handle

    def call_at(self, when, callback, *args, context=None):
        self.check_closed()
        handle = Handle(self, callback, args, context)
        handle.deadline, handle.unpark = when, self.wake_at(when, handle.wake)
        return handle

    def call_later(self, delay, callback, *args, context=None):
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_soon_threadsafe(self, callback, *args, context=None):
        self.check_closed()
        handle = Handle(self, callback, args, context)
        super().call_soon_threadsafe(handle.step)
        return handle

    def run_in_executor(self, executor, function, *args):
        self.check_closed()
        if executor is None:
            if self.executor is None:
                self.executor = concurrent.futures.ThreadPoolExecutor(thread_name_prefix="asyncio")
            executor = self.executor
        return asyncio.wrap_future(executor.submit(function, *args), loop=self)

    def set_default_executor(self, executor):
        self.executor = executor

    async def getaddrinfo(self, host, port, **options):
        return await self.run_in_executor(None, partial(socket.getaddrinfo, host, port, **options))

    async def getnameinfo(self, address, flags=0):
        return await self.run_in_executor(None, socket.getnameinfo, address, flags)

    def create_future(self):
        return asyncio.Future(loop=self)

    def create_task(self, coro, *, name=None, context=None, **options):
        self.check_closed()
        if self.task_factory is None:
            return asyncio.Task(coro, loop=self, name=name, context=context, **options)
        if context is not None: options["context"] = context
        task = self.task_factory(self, coro, **options)
        if name is not None: task.set_name(name)
        return task

    def set_task_factory(self, factory):
        if factory is not None and not callable(factory): raise TypeError("task factory must be a callable or None")
        self.task_factory = factory

    def get_task_factory(self):
        return self.task_factory

    def set_debug(self, enabled):
        self.debug = enabled

    def get_debug(self):
        return self.debug

    # Errors

    def set_exception_handler(self, handler):
        self.exception_handler = handler

    def get_exception_handler(self):
        return self.exception_handler

    def default_exception_handler(self, context):
        error = context.get("exception")
        lines = [context.get("message") or "Unhandled exception in event loop"]
        lines += [f"{key}: {value!r}" for key, value in context.items() if key not in ("message", "exception")]
        logging.getLogger("asyncio").error("\n".join(lines), exc_info=error or False)

    def call_exception_handler(self, context):
        try:
            if self.exception_handler is None:
                self.default_exception_handler(context)
            else:
                self.exception_handler(self, context)
        except Exception as error:
            logging.getLogger("asyncio").error("Error in the exception handler", exc_info=error)

    # Signals

    def add_signal_handler(self, number, callback, *args):
        self.check_signal(number)
        if asyncio.iscoroutinefunction(callback): raise TypeError("coroutines cannot be used with add_signal_handler()")
        self.check_closed()
        handle = Handle(self, callback, args, None)
        try:
            signal.set_wakeup_fd(self.outside.fileno(), warn_on_full_buffer=False)  # it wakes the selector
            signal.signal(number, lambda *_: self.ready.append(handle.step))
        except (ValueError, OSError) as error:
            raise RuntimeError(f"sig {number} cannot be caught: {error}")
        self.signals[number] = handle

    def remove_signal_handler(self, number):
        self.check_signal(number)
        if self.signals.pop(number, None) is None:
            return False
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        if not self.signals:
            signal.set_wakeup_fd(-1)
        return True

    def check_signal(self, number):
        if not isinstance(number, int):
            raise TypeError(f"sig must be an int, not {number!r}")
        if number not in signal.valid_signals():
            raise ValueError(f"invalid signal number {number}")

    # Sockets

    def add_reader(self, file, callback, *args):
        self.listen(file, READ, callback, args)

    def add_writer(self, file, callback, *args):
        self.listen(file, WRITE, callback, args)

    def remove_reader(self, file):
        return self.unlisten(file, READ)

    def remove_writer(self, file):
        return self.unlisten(file, WRITE)

    def listen(self, file, event, callback, args):
        self.check_closed()
        self.unlisten(file, event)
        handle = Handle(self, callback, args, None)
        def happened():
            self.watch(file, event, happened)
            self.ready.append(handle.step)
        if isinstance(file, int): file = Number(file)
        self.watch(file, event, happened)

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

    async def sock_recv(self, sock, most):
        return await self.adopt(sockets.recv(sock, most))

    async def sock_recv_into(self, sock, buffer):
        data = await self.sock_recv(sock, len(buffer)); buffer[:len(data)] = data; return len(data)

    async def sock_sendall(self, sock, data):
        return await self.adopt(sockets.send_all(sock, data))

    async def sock_accept(self, sock):
        return await self.adopt(sockets.accept(sock))

    async def sock_connect(self, sock, address):
        return await self.adopt(sockets.connect(sock, address))

    async def create_connection(self, protocol_factory, host=None, port=None, *, sock=None, local_addr=None, family=0, proto=0, flags=0, ssl=None, all_errors=False, **_):
        if ssl: raise NotImplementedError
        if sock is None:
            options = {"family": family, "type": socket.SOCK_STREAM, "proto": proto, "flags": flags}
            infos = await self.getaddrinfo(host, port, **options)
            local = local_addr and await self.getaddrinfo(*local_addr, **options)
            errors = []
            for family, kind, proto, _, address in infos:
                try:
                    sock = await self.connected(family, kind, proto, address, local)
                    break
                except OSError as error:
                    errors.append(error)
            else:
                if all_errors: raise ExceptionGroup("create_connection failed", errors)
                raise errors[0] if len(errors) == 1 else OSError(f"Multiple exceptions: {', '.join(map(str, errors))}")
        return await self.connect_accepted_socket(protocol_factory, sock)

    async def connected(self, family, kind, proto, address, local):
        sock = socket.socket(family, kind, proto)
        sock.setblocking(False)
        try:
            if local:
                mine = [info[4] for info in local if info[0] == family]
                if not mine: raise OSError(f"no matching local address with {family=} found")
                try:
                    sock.bind(mine[0])
                except OSError as error:
                    raise OSError(error.errno, f"bind to {mine[0]}: {error.strerror}") from None
            await self.sock_connect(sock, address)
            return sock
        except BaseException:
            sock.close()
            raise

    async def connect_accepted_socket(self, protocol_factory, sock, *, ssl=None, ssl_handshake_timeout=None, **_):
        if ssl: raise NotImplementedError
        if ssl_handshake_timeout is not None: raise ValueError('ssl_handshake_timeout is only meaningful with ssl')
        protocol = protocol_factory()
        transport = Transport(self, sock, protocol)
        try:
            await asyncio.sleep(0)  # connection_made is called before
        except BaseException:
            transport.close()
            raise
        return transport, protocol

    async def create_server(self, protocol_factory, host=None, port=None, *, family=0, flags=socket.AI_PASSIVE, sock=None, backlog=100, ssl=None, reuse_address=None, reuse_port=None, start_serving=True, **_):
        if ssl: raise NotImplementedError
        listeners = [sock]
        if sock is None:
            hosts = [host or None] if host is None or isinstance(host, str) else host
            infos = await asyncio.gather(*[self.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM, flags=flags) for host in hosts])
            listeners = []
            try:
                for family, _, _, _, address in dict.fromkeys(itertools.chain(*infos)):
                    listeners.append(socket.create_server(address, family=family, backlog=backlog, reuse_port=bool(reuse_port)))
            except OSError:
                for listener in listeners: listener.close()
                raise
        for listener in listeners: listener.setblocking(False)
        server = Server(self, listeners, protocol_factory, backlog)
        if start_serving:
            await server.start_serving()
        return server


new_event_loop = EventLoop


def run(main, *, debug=None):
    """Run a coroutine on a new loop of this kind, to its end, as `asyncio.run` does."""
    with asyncio.Runner(loop_factory=new_event_loop, debug=debug) as runner:
        return runner.run(main)
