"""Answers to the exercises of lesson 08, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% pieces-1 wrong: a recv for each send
# cause: takes it that what is sent at once comes at once; a stream knows no messages
# line: answers
answers = [b"tea", b"cake", b""]

# %% pieces-1 wrong: an end that is None
# cause: the end of a stream is b"" and not None
# line: answers
answers = [b"teaca", b"ke", None]

# %% sendall-1 wrong: sends once
# cause: what send did not take is lost
# line: sock.send(data)
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    await until(sock, WRITE)
    sock.send(data)

# %% sendall-1 wrong: sendall, once more
# cause: sendall has sent a part before it raises, and the next round sends that part again
# line: sock.sendall(data)
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    while True:
        try:
            sock.sendall(data)
            return
        except BlockingIOError:
            await until(sock, WRITE)

# %% sendall-1 wrong: asks again and again
# cause: it does not wait until the socket can be written, but asks in every round
# line: await sleep(0)
from helpers.eventloop.sockets import WRITE, until
from helpers.eventloop.tasks import sleep


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    while data:
        try:
            data = data[sock.send(data):]
        except BlockingIOError:
            await sleep(0)

# %% sendall-1 wrong: the thread waits
# cause: the socket is told to wait, so sendall blocks the whole loop
# line: sock.setblocking(True) | sock.sendall(data)
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    sock.setblocking(True)
    try:
        sock.sendall(data)
    finally:
        sock.setblocking(False)

# %% sendall-1 right: suppress and a view
from contextlib import suppress

from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    rest = memoryview(data)
    while len(rest):
        with suppress(BlockingIOError):
            taken = sock.send(rest)
            rest = rest[taken:]
            continue
        await until(sock, WRITE)

# %% sendall-1 right: a position, and it waits first
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    def try_it():
        try:
            return sock.send(data[position:position + 65536])
        except BlockingIOError:
            return 0

    position = 0
    while position < len(data):
        await until(sock, WRITE)
        position += try_it()

# %% sendall-1 wrong: an offset that every call shares
# cause: the position stands in the module, so two sendings at once count on together
# line: global position | position = 0
from helpers.eventloop.sockets import WRITE, until

position = 0


async def send_all(sock, data):
    global position
    position = 0
    while position < len(data):
        await until(sock, WRITE)
        position += sock.send(data[position:])

# %% sendall-1 wrong: calls itself for the rest
# cause: each part that is taken is one call deeper, so a thousand small parts are too many
# line: await send_all(sock, data[sent:])
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    if not data:
        return
    await until(sock, WRITE)
    sent = sock.send(data)
    await send_all(sock, data[sent:])

# %% sendall-1 wrong: any OSError means no room
# cause: a connection that is lost raises an OSError as well, and it tries for ever
# line: except OSError: | await until(sock, WRITE)
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    while data:
        try:
            data = data[sock.send(data):]
        except OSError:
            await until(sock, WRITE)

# %% lines-1 wrong: each piece for itself
# cause: a line that comes in two pieces becomes two lines
# line: .split(b"\n")
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    """Return all lines that come, without their newlines."""
    lines = []
    while piece := await recv(sock, 4096):
        for line in piece.removesuffix(b"\n").split(b"\n"):
            lines.append(line)
    return lines

# %% lines-1 wrong: the last line is lost
# cause: a last line without a newline is left in the buffer
# line: none
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    lines, buffer = [], b""
    while piece := await recv(sock, 4096):
        buffer += piece
        while b"\n" in buffer:
            line, buffer = buffer.split(b"\n", 1)
            lines.append(line)
    return lines

# %% lines-1 wrong: empty lines are left out
# cause: an empty line in the middle is a line too, and is left out
# line: if line
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    """Return all lines that come, without their newlines."""
    data = b""
    while piece := await recv(sock, 4096):
        data += piece
    return [line for line in data.split(b"\n") if line]

# %% lines-1 wrong: splitlines
# cause: splitlines ends a line at a carriage return as well
# line: data.splitlines()
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    data = b""
    while piece := await recv(sock, 4096):
        data += piece
    return data.splitlines()

# %% lines-1 right: async for, and a file of bytes
import io

from helpers.eventloop.sockets import recv


async def read_lines(sock):
    async def pieces():
        while True:
            piece = await recv(sock, 4096)
            if piece == b"":
                break
            yield piece

    file = io.BytesIO(b"".join([piece async for piece in pieces()]))
    return [line.removesuffix(b"\n") for line in file]

# %% lines-1 right: a star in front
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    """Return all lines that come, without their newlines."""
    *lines, begun = [b""]
    while piece := await recv(sock, 4096):
        first, *others = piece.split(b"\n")
        begun += first
        for other in others:
            lines.append(begun)
            begun = other
    return lines + [begun] if begun else lines

# %% lines-1 wrong: strips each line
# cause: blanks and carriage returns at the ends of a line belong to it
# line: line.strip()
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    text = b""
    while piece := await recv(sock, 4096):
        text += piece
    if text.endswith(b"\n"):
        text = text[:-1]
    elif not text:
        return []
    return [line.strip() for line in text.split(b"\n")]

# %% lines-1 wrong: strips all newlines from the end
# cause: empty lines at the end are lines too
# line: text.rstrip(b"\n")
# told: none
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    text = b""
    while piece := await recv(sock, 4096):
        text += piece
    text = text.rstrip(b"\n")
    return text.split(b"\n") if text else []

# %% lines-1 right: byte after byte
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    lines, line = [], bytearray()
    while byte := await recv(sock, 1):
        if byte == b"\n":
            lines.append(bytes(line))
            line.clear()
        else:
            line += byte
    return [*lines, bytes(line)] if line else lines

# %% serve-1 wrong: one client after another
# cause: the talk is awaited, so the next client is accepted only when it is over
# line: await talk(sock)
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""
    while True:
        sock, _ = await accept(listener)
        try:
            await talk(sock)
        except Exception:
            pass
        finally:
            sock.close()

# %% serve-1 wrong: not closed after a failure
# cause: if the talk fails, the socket is not closed
# line: sock.close()
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    async def host(sock):
        await talk(sock)
        sock.close()

    while True:
        sock, address = await accept(listener)
        spawn(host(sock))

# %% serve-1 wrong: closes at once
# cause: the socket is closed as soon as the talk was spawned, before it has begun
# line: with sock:
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""
    while True:
        sock, address = await accept(listener)
        with sock:
            spawn(talk(sock))

# %% serve-1 wrong: one variable for all clients
# cause: the inner function looks at serve's variable, which by the end of the talk is another socket
# line: async def host(): | sock.close() | spawn(host())
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    while True:
        sock, _ = await accept(listener)

        async def host():
            try:
                await talk(sock)
            finally:
                sock.close()

        spawn(host())

# %% serve-1 right: a class for a client
from helpers.eventloop.sockets import accept


class Client:
    def __init__(self, sock):
        self.sock = sock

    async def __aenter__(self):
        return self.sock

    async def __aexit__(self, *error):
        self.sock.close()

    async def host(self, talk):
        async with self as sock:
            await talk(sock)


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""
    while True:
        spawn(Client((await accept(listener))[0]).host(talk))

# %% serve-1 right: an async generator of guests, and closing
from contextlib import closing

from helpers.eventloop.sockets import accept


async def knocking(listener):
    while True:
        yield await accept(listener)


async def serve(listener, talk, spawn):
    async def one_guest(guest):
        with closing(guest):
            await talk(guest)

    async for guest, _address in knocking(listener):
        spawn(one_guest(guest))

# %% serve-1 wrong: calls itself for the next client
# cause: each client is one call deeper, so it ends at about a thousand
# line: await serve(listener, talk, spawn)
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    sock, _ = await accept(listener)

    async def host():
        with sock:
            await talk(sock)

    spawn(host())
    await serve(listener, talk, spawn)

# %% serve-1 wrong: closes for an OSError alone
# cause: a talk that fails with another error leaves its socket open
# line: except OSError:
from helpers.eventloop.sockets import accept

hosted = []


async def serve(listener, talk, spawn):
    async def host(sock):
        hosted.append(sock)
        try:
            await talk(sock)
        except OSError:
            pass
        sock.close()

    while True:
        spawn(host((await accept(listener))[0]))

# %% deliver-1 wrong: only one word
# cause: an answer with a blank in it has more than two parts
# line: line.split()
async def deliver(next_line, waiting):
    """Give each answer to the future that waits for it, and the rest an error."""
    while line := await next_line():
        number, answer = line.split()
        waiting.pop(number).set_result(answer)
    for future in waiting.values():
        future.set_exception(ConnectionError("the other side hung up"))

# %% deliver-1 wrong: nobody is told of the end
# cause: when the other side hangs up, those who still wait are left waiting
# line: none | while line := await next_line():
async def deliver(next_line, waiting):
    while line := await next_line():
        number, _, answer = line.partition(b" ")
        waiting.pop(number).set_result(answer)

# %% deliver-1 wrong: those who have their answer stay
# cause: a future that has its answer is still in the dict, and is set a second time at the end
# line: waiting[number].set_result(answer)
async def deliver(next_line, waiting):
    """Give each answer to the future that waits for it, and the rest an error."""
    while line := await next_line():
        number, answer = line.split(b" ", 1)
        waiting[number].set_result(answer)
    for future in waiting.values():
        future.set_exception(ConnectionError("the other side hung up"))

# %% deliver-1 wrong: an error as an answer
# cause: the ConnectionError is given as a result, and is raised nowhere
# line: future.set_result(ConnectionError
async def deliver(next_line, waiting):
    while line := await next_line():
        number, answer = line.split(b" ", 1)
        waiting.pop(number).set_result(answer)
    for future in waiting.values():
        future.set_result(ConnectionError("hung up"))

# %% deliver-1 right: async for, and popitem
async def deliver(next_line, waiting):
    async def answers():
        while (line := await next_line()) != b"":
            yield line.partition(b" ")

    async for number, _, answer in answers():
        if future := waiting.pop(number, None):
            future.set_result(answer)
    while waiting:
        _, future = waiting.popitem()
        future.set_exception(ConnectionError("hung up"))

# %% deliver-1 right: match and a loop that breaks
def split(line):
    blank = line.index(b" ")
    return line[:blank], line[blank + 1:]


async def deliver(next_line, waiting):
    """Give each answer to the future that waits for it, and the rest an error."""
    while True:
        match await next_line():
            case b"":
                break
            case line:
                number, answer = split(line)
                if number in waiting:
                    waiting[number].set_result(answer)
                    del waiting[number]
    for number, future in list(waiting.items()):
        future.set_exception(ConnectionResetError(f"no answer to {number!r}"))

# %% deliver-1 wrong: looks where the line begins
# cause: a line to question 12 begins with a 1 as well
# line: line.startswith(number)
# told: none
async def deliver(next_line, waiting):
    while line := await next_line():
        for number in list(waiting):
            if line.startswith(number):
                waiting.pop(number).set_result(line[len(number) + 1:])
                break
    for future in waiting.values():
        future.set_exception(ConnectionError("the other side hung up"))

# %% deliver-1 wrong: an answer without a word is none
# cause: an empty answer is an answer
# line: if answer:
# told: none
async def deliver(next_line, waiting):
    while line := await next_line():
        number, _, answer = line.partition(b" ")
        if answer:
            waiting.pop(number).set_result(answer)
    for future in waiting.values():
        future.set_exception(ConnectionError("the other side hung up"))

# %% deliver-1 wrong: blanks are cut off
# cause: blanks at the ends of the answer belong to it
# line: answer.strip()
async def deliver(next_line, waiting):
    while line := await next_line():
        number, answer = line.split(b" ", 1)
        waiting.pop(number).set_result(answer.strip())
    for future in waiting.values():
        future.set_exception(ConnectionError("the other side hung up"))

# %% thread-1 wrong: sets it in the thread
# cause: the thread sets the future itself; a loop that is asleep does not notice that
# line: future.set_result(work()) | future.set_exception(error)
import threading
from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    """Have a thread call `work`; return a future of what it returns or raises."""
    future = Future()

    def run():
        try:
            future.set_result(work())
        except Exception as error:
            future.set_exception(error)

    threading.Thread(target=run).start()
    return future

# %% thread-1 wrong: no thread
# cause: work is called before the thread is made, in the loop's own thread
# line: args=(future.set_result, work())
import threading
from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    future = Future()
    try:
        thread = threading.Thread(
            target=loop.call_soon_threadsafe, args=(future.set_result, work()))
    except Exception as error:
        thread = threading.Thread(
            target=loop.call_soon_threadsafe, args=(future.set_exception, error))
    thread.start()
    return future

# %% thread-1 wrong: an error is lost
# cause: if work raises an error, the future is never set
# line: result = work()
import threading
from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    """Have a thread call `work`; return a future of what it returns or raises."""
    future = Future()

    def run():
        result = work()
        loop.call_soon_threadsafe(future.set_result, result)

    threading.Thread(target=run).start()
    return future

# %% thread-1 wrong: waits for the thread
# cause: join blocks the loop until work is over; the future should be returned at once
# line: thread.join()
import threading
from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    future = Future()

    def run():
        try:
            result = work()
        except Exception as error:
            loop.call_soon_threadsafe(future.set_exception, error)
        else:
            loop.call_soon_threadsafe(future.set_result, result)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return future

# %% thread-1 right: a subclass of Thread
import threading
from helpers.eventloop.tasks import Future


class Helper(threading.Thread):
    def __init__(self, loop, work):
        super().__init__(daemon=True)
        self.loop, self.work, self.future = loop, work, Future()

    def run(self):
        try:
            outcome = self.work(), None
        except BaseException as error:
            outcome = None, error
        self.loop.call_soon_threadsafe(self.future.set_result, *outcome)


def in_thread(loop, work):
    """Have a thread call `work`; return a future of what it returns or raises."""
    helper = Helper(loop, work)
    helper.start()
    return helper.future

# %% thread-1 right: a pool of one, and a callback
import threading
from concurrent.futures import ThreadPoolExecutor

from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    future = Future()

    def over(job):
        if (error := job.exception()) is not None:
            tell = future.set_exception, error
        else:
            tell = future.set_result, job.result()
        loop.call_soon_threadsafe(*tell)

    pool = ThreadPoolExecutor(1)
    pool.submit(work).add_done_callback(over)
    pool.shutdown(wait=False)
    return future

# %% thread-1 wrong: a result that counts as false is none
# cause: where work returns 0 or nothing the future is never set
# line: if result := work():
import threading

from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    future = Future()

    def run():
        try:
            if result := work():
                loop.call_soon_threadsafe(future.set_result, result)
        except Exception as error:
            loop.call_soon_threadsafe(future.set_exception, error)

    threading.Thread(target=run).start()
    return future

# %% sendall-1 wrong: waits properly, but trusts one send
# cause: send may take only a part of the bytes; its return value is thrown away, so the rest is never sent
# line: sock.send(data)
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    while data:
        try:
            sock.send(data)
            return
        except BlockingIOError:
            await until(sock, WRITE)

# %% sendall-1 wrong: every OSError means "wait"
# cause: the except is too wide: BrokenPipeError and ConnectionResetError are OSErrors too, so a hang-up is waited out for ever instead of coming out
# line: except OSError:
# told: await until(sock, WRITE)
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    sent = 0
    while sent < len(data):
        try:
            sent += sock.send(data[sent:])
        except OSError:
            await until(sock, WRITE)

# %% sendall-1 right: a memoryview in a small class
from helpers.eventloop.sockets import WRITE, until


class Parcel:
    def __init__(self, data):
        self.rest = memoryview(data)

    def push(self, sock):
        """Send what fits; say whether there was any room."""
        try:
            self.rest = self.rest[sock.send(self.rest):]
        except BlockingIOError:
            return False
        return True


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    parcel = Parcel(data)
    while len(parcel.rest):
        if not parcel.push(sock):
            await until(sock, WRITE)

# %% lines-1 wrong: empty lines are filtered out
# cause: the filter is meant for the empty rest after the last newline, but throws away every empty line
# line: if line
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    """Return all lines that come, without their newlines."""
    data = b""
    while piece := await recv(sock, 4096):
        data += piece
    return [line for line in data.split(b"\n") if line]

# %% lines-1 wrong: splitlines, once more
# cause: bytes.splitlines also splits at (and removes) carriage returns, while a line here ends with a newline only
# line: splitlines()
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    """Return all lines that come, without their newlines."""
    pieces = []
    while True:
        piece = await recv(sock, 4096)
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces).splitlines()

# %% lines-1 right: a file in memory
import io
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    """Return all lines that come, without their newlines."""
    file = io.BytesIO()
    while file.write(await recv(sock, 4096)):
        pass
    file.seek(0)
    return [line.removesuffix(b"\n") for line in file]

# %% serve-1 wrong: the socket is closed after an except
# cause: a cancellation is no Exception, so it flies past sock.close(); the close belongs into a finally
# line: sock.close()
# told: spawn(handle(sock, talk))
from helpers.eventloop.sockets import accept


async def handle(sock, talk):
    try:
        await talk(sock)
    except Exception as error:
        print("a talk failed:", error)
    sock.close()


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""
    while True:
        sock, address = await accept(listener)
        spawn(handle(sock, talk))

# %% serve-1 wrong: a closure over the loop's variable
# cause: the inner function looks `sock` up when it runs, and by then it is the newest client's socket: the wrong one is talked to or closed
# line: spawn(handle()) | await talk(sock) | sock.close()
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""
    while True:
        sock, address = await accept(listener)

        async def handle():
            try:
                await talk(sock)
            except Exception:
                pass
            finally:
                sock.close()

        spawn(handle())

# %% serve-1 right: context managers
from contextlib import ExitStack, closing, suppress
from helpers.eventloop.sockets import accept


async def conversation(sock, talk):
    with ExitStack() as stack:
        stack.enter_context(suppress(Exception))
        stack.enter_context(closing(sock))
        await talk(sock)


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""
    while True:
        match await accept(listener):
            case (sock, _):
                spawn(conversation(sock, talk))

# %% deliver-1 wrong: the answer is split at every blank
# cause: an answer may contain blanks itself; without a limit split gives more than two parts, and the unpacking fails
# line: line.split(b" ")
async def deliver(next_line, waiting):
    """Give each answer to the future that waits for it, and the rest an error."""
    while line := await next_line():
        number, answer = line.split(b" ")
        waiting.pop(number).set_result(answer)
    for future in waiting.values():
        future.set_exception(ConnectionError("the other side hung up"))
    waiting.clear()

# %% deliver-1 wrong: those who have their answer are not taken out
# cause: the answered futures stay in `waiting`, so at the end an exception is set on a future that is done already: it fails there and the ones behind it wait for ever
# line: waiting[number].set_result(answer) | future.set_exception(
async def deliver(next_line, waiting):
    """Give each answer to the future that waits for it, and the rest an error."""
    while True:
        line = await next_line()
        if line == b"":
            break
        number, _, answer = line.partition(b" ")
        if number in waiting:
            waiting[number].set_result(answer)
    for future in waiting.values():
        future.set_exception(ConnectionError("hung up"))

# %% deliver-1 right: popitem and partition
async def deliver(next_line, waiting):
    """Give each answer to the future that waits for it, and the rest an error."""
    while (line := await next_line()) != b"":
        number, _, answer = line.partition(b" ")
        match waiting.pop(number, None):
            case None:
                pass            # nobody waits for it any more
            case future if not future.done():
                future.set_result(answer)
    while waiting:
        _, future = waiting.popitem()
        if not future.done():
            future.set_exception(ConnectionError("the other side hung up"))

# %% thread-1 wrong: the error goes straight into the future
# cause: only the result goes through the loop's door; the error is set from the thread itself, so a sleeping loop does not notice it
# line: future.set_exception(error)
import threading
from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    """Have a thread call `work`; return a future of what it returns or raises."""
    future = Future()

    def run():
        try:
            result = work()
        except Exception as error:
            future.set_exception(error)
        else:
            loop.call_soon_threadsafe(future.set_result, result)

    threading.Thread(target=run, daemon=True).start()
    return future

# %% thread-1 wrong: the work is done behind the door
# cause: the lambda is called by the loop, in the loop's thread, and so is work(): the loop is blocked
# line: future.set_result(work()) | args=(finish,)
import threading
from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    """Have a thread call `work`; return a future of what it returns or raises."""
    future = Future()

    def finish():
        try:
            future.set_result(work())
        except Exception as error:
            future.set_exception(error)

    thread = threading.Thread(target=loop.call_soon_threadsafe, args=(finish,))
    thread.start()
    return future

# %% thread-1 right: a Thread of one's own
import threading
from helpers.eventloop.tasks import Future


class Worker(threading.Thread):
    def __init__(self, loop, work):
        super().__init__(daemon=True)
        self.loop, self.work, self.future = loop, work, Future()

    def run(self):
        try:
            tell, what = self.future.set_result, self.work()
        except BaseException as error:
            tell, what = self.future.set_exception, error
        self.loop.call_soon_threadsafe(tell, what)


def in_thread(loop, work):
    """Have a thread call `work`; return a future of what it returns or raises."""
    worker = Worker(loop, work)
    worker.start()
    return worker.future

# %% deliver-1 wrong: a copy of the dict
# cause: a question that is asked while it reads is not in the copy
# line: left = dict(waiting) | left.pop(number)
async def deliver(next_line, waiting):
    left = dict(waiting)
    while line := await next_line():
        number, _, answer = line.partition(b" ")
        left.pop(number).set_result(answer)
    for future in left.values():
        future.set_exception(ConnectionError("gone"))

# %% serve-1 wrong: closes after some errors
# cause: after a KeyError the socket stays open
# line: except (OSError, ValueError, CancelledError):
from helpers.eventloop.sockets import accept
from helpers.eventloop.tasks import CancelledError


async def serve(listener, talk, spawn):
    async def one(sock):
        try:
            await talk(sock)
        except (OSError, ValueError, CancelledError):
            sock.close()
            raise
        sock.close()

    while True:
        sock, _ = await accept(listener)
        spawn(one(sock))
