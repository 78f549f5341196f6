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
# line: none | return lines
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
# told: while line := await next_line():
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
# line: sock.close() | except Exception as error:
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
# line: spawn(handle()) | await talk(sock) | sock.close() | async def handle():
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

# %% sendall-1 wrong: every error of the socket is waited out
# cause: BlockingIOError is an OSError, but so are ConnectionResetError and BrokenPipeError: when the other side hangs up, it is tried again for ever.
# line: except OSError: | await until(sock, WRITE)
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    while data:
        try:
            sent = sock.send(data)
        except OSError:
            await until(sock, WRITE)
        else:
            data = data[sent:]

# %% sendall-1 wrong: one try after the wait
# cause: After the wait `send` may take only a part, or nothing; what it says is thrown away here, and the rest is lost.
# line: except BlockingIOError:
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    while data:
        try:
            data = data[sock.send(data):]
        except BlockingIOError:
            await until(sock, WRITE)
            sock.send(data)
            return

# %% sendall-1 right: a memoryview
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    view = memoryview(data)
    place = 0
    while place < len(view):
        try:
            place += sock.send(view[place:place + 65536])
        except BlockingIOError:
            await until(sock, WRITE)

# %% lines-1 wrong: splitlines knows more ends
# cause: `splitlines` also ends a line at a carriage return, and takes it away: b"a\rb\n" is one line, and b"a\r\n" holds the b"\r".
# line: return b"".join(pieces).splitlines()
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    """Return all lines that come, without their newlines."""
    pieces = []
    while piece := await recv(sock, 4096):
        pieces.append(piece)
    return b"".join(pieces).splitlines()

# %% lines-1 wrong: empty lines are filtered out, again
# cause: To drop what is behind the last newline, all empty lines are dropped; but an empty line is a line.
# line: if line]
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    """Return all lines that come, without their newlines."""
    data = bytearray()
    while True:
        piece = await recv(sock, 4096)
        if not piece:
            break
        data += piece
    return [bytes(line) for line in data.split(b"\n") if line]

# %% lines-1 right: the rest of each piece is carried on
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    """Return all lines that come, without their newlines."""
    lines, parts = [], []
    while piece := await recv(sock, 4096):
        head, *tail = piece.split(b"\n")
        parts.append(head)
        for part in tail:
            lines.append(b"".join(parts))
            parts = [part]
    last = b"".join(parts)
    return lines + [last] if last else lines

# %% serve-1 wrong: a cancelled talk leaves its socket open
# cause: A CancelledError is no Exception here: it passes by `sock.close()`. The close belongs into a finally.
# line: except Exception: | sock.close()
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""
    async def one(sock):
        try:
            await talk(sock)
        except Exception:
            pass
        sock.close()

    while True:
        sock, _ = await accept(listener)
        spawn(one(sock))

# %% serve-1 wrong: the closures share one variable
# cause: `one` reads `client` when it runs, not when it is made: after the next accept it closes (and with two clients in a row, talks to) the newest client instead of its own.
# line: await talk(client) | client.close() | async def one():
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""
    while True:
        client, address = await accept(listener)

        async def one():
            try:
                await talk(client)
            except Exception:
                pass
            finally:
                client.close()

        spawn(one())

# %% deliver-1 wrong: an answer of several words
# cause: The line is split at every space: an answer that holds a space itself makes too many parts, and the reader dies with a ValueError. Split once.
# line: number, answer = line.split(b" ")
async def deliver(next_line, waiting):
    """Give each answer to the future that waits for it, and the rest an error."""
    while line := await next_line():
        number, answer = line.split(b" ")
        waiting.pop(number).set_result(answer)
    while waiting:
        _, future = waiting.popitem()
        future.set_exception(ConnectionError("the other side hung up"))

# %% deliver-1 wrong: the answered stay in the dict
# cause: An answered future stays in `waiting`: at the end it is given an error as well, which is an error itself, and those after it wait for ever.
# line: waiting[number].set_result(answer)
async def deliver(next_line, waiting):
    """Give each answer to the future that waits for it, and the rest an error."""
    while line := await next_line():
        number, _, answer = line.partition(b" ")
        waiting[number].set_result(answer)
    for future in list(waiting.values()):
        future.set_exception(ConnectionError("the other side hung up"))

# %% thread-1 wrong: the error is gone when it is needed
# cause: `error` is deleted at the end of the except block; the loop calls the lambda later, and finds a NameError instead. Hand the error over as an argument.
# line: loop.call_soon_threadsafe(lambda: future.set_exception(error))
import threading
from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    """Have a thread call `work`; return a future of what it returns or raises."""
    future = Future()

    def run():
        try:
            result = work()
        except Exception as error:
            loop.call_soon_threadsafe(lambda: future.set_exception(error))
        else:
            loop.call_soon_threadsafe(lambda: future.set_result(result))

    threading.Thread(target=run, daemon=True).start()
    return future

# %% thread-1 wrong: the thread sets the result itself
# cause: `future.set_result(work())` is called here, in the thread, and its None is handed to the loop. Hand over the function and its argument.
# line: loop.call_soon_threadsafe(future.set_result(work()))
import threading
from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    """Have a thread call `work`; return a future of what it returns or raises."""
    future = Future()

    def run():
        try:
            loop.call_soon_threadsafe(future.set_result(work()))
        except Exception as error:
            loop.call_soon_threadsafe(future.set_exception, error)

    threading.Thread(target=run).start()
    return future

# %% thread-1 right: a thread class of its own
import threading
from helpers.eventloop.tasks import Future


class Runner(threading.Thread):
    def __init__(self, loop, work, future):
        super().__init__(daemon=True)
        self.loop, self.work, self.future = loop, work, future

    def run(self):
        try:
            outcome = (self.future.set_result, self.work())
        except BaseException as error:
            outcome = (self.future.set_exception, error)
        self.loop.call_soon_threadsafe(*outcome)


def in_thread(loop, work):
    """Have a thread call `work`; return a future of what it returns or raises."""
    future = Future()
    Runner(loop, work, future).start()
    return future

# %% sendall-1 wrong: tries again without waiting
# cause: at a BlockingIOError it tries again at once: it spins and lets no other task run
# line: continue | except BlockingIOError | sock.send(data)
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    while data:
        try:
            sent = sock.send(data)
        except BlockingIOError:
            continue
        data = data[sent:]

# %% sendall-1 wrong: catches OSError
# cause: a hang-up is an OSError too: it is swallowed, and tried again for ever
# line: except OSError
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    view = memoryview(data)
    while view:
        try:
            view = view[sock.send(view) :]
        except OSError:
            await until(sock, WRITE)

# %% sendall-1 wrong: sends from the start again
# cause: after a wait the whole of data is sent again, not the rest
# line: sent += sock.send(data) | sock.send(data)
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    sent = 0
    while sent < len(data):
        try:
            sent += sock.send(data)
        except BlockingIOError:
            await until(sock, WRITE)

# %% pieces-1 wrong: each send is one recv
# cause: a stream has no messages: recv(5) takes up to five bytes of all that is there, so tea and cake run together
# line: answers = [b"tea", b"cake", b""]
answers = [b"tea", b"cake", b""]

# %% sendall-1 wrong: what send takes is not looked at
# cause: send may take only a part of the chunk, and the rest of the chunk is lost
# line: sock.send(chunk)
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    chunks = [data[i : i + 65536] for i in range(0, len(data), 65536)]
    for chunk in chunks:
        while True:
            try:
                sock.send(chunk)
                break
            except BlockingIOError:
                await until(sock, WRITE)

# %% sendall-1 wrong: the hang-up is swallowed
# cause: the error of send that says that the other side has hung up is caught and doesn't come out
# line: except ConnectionError: | break  # nobody is there any more
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    sent = 0
    while sent < len(data):
        try:
            sent += sock.send(data[sent:])
        except BlockingIOError:
            await until(sock, WRITE)
        except ConnectionError:
            break  # nobody is there any more

# %% sendall-1 wrong: until without await
# cause: until is called but not awaited, so it asks again and again and no other task runs
# line: until(sock, WRITE)
from helpers.eventloop.sockets import WRITE, until


def _try_to_send(sock, data):
    try:
        return sock.send(data)
    except BlockingIOError:
        return 0


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    while data:
        if taken := _try_to_send(sock, data):
            data = data[taken:]
        else:
            until(sock, WRITE)

# %% sendall-1 right: a view that gets shorter
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    with memoryview(data) as view:
        start = 0
        while start < len(view):
            try:
                start += sock.send(view[start:])
            except BlockingIOError:
                await until(sock, WRITE)

# %% sendall-1 right: waits first, and calls itself for the rest in pieces
from helpers.eventloop.sockets import WRITE, until


async def _send_some(sock, data):
    while True:
        await until(sock, WRITE)
        try:
            return sock.send(data)
        except BlockingIOError:
            continue


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    rest = bytearray(data)
    while rest:
        taken = await _send_some(sock, bytes(rest[:100_000]))
        del rest[:taken]

# %% lines-1 wrong: splitlines cuts at more than newlines
# cause: splitlines also ends a line at a carriage return, and takes it away
# line: splitlines()
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    """Return all lines that come, without their newlines."""
    pieces = []
    while piece := await recv(sock, 4096):
        pieces.append(piece)
    return b"".join(pieces).splitlines()

# %% lines-1 wrong: a filter for the last one drops the empty ones
# cause: the filter that is to drop the nothing after the last newline drops every empty line
# line: if line
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    everything = b""
    while True:
        piece = await recv(sock, 4096)
        if piece == b"":
            break
        everything += piece
    return [line for line in everything.split(b"\n") if line]

# %% lines-1 wrong: one line of each piece
# cause: a piece may hold many lines, but only one is taken out of the buffer each time
# line: if b"\n" in buffer: | lines.append(buffer)
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    """Return all lines that come, without their newlines."""
    lines: list[bytes] = []
    buffer = b""
    while data := await recv(sock, 4096):
        buffer += data
        if b"\n" in buffer:
            line, buffer = buffer.split(b"\n", 1)
            lines.append(line)
    # the last line may lack its newline
    if buffer:
        lines.append(buffer)
    return lines

# %% lines-1 right: an async generator of lines
from helpers.eventloop.sockets import recv


async def _lines(sock):
    rest = b""
    while data := await recv(sock, 4096):
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            yield line
    if rest:
        yield rest


async def read_lines(sock):
    return [line async for line in _lines(sock)]

# %% lines-1 right: all of it, and one newline less
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    """Return all lines that come, without their newlines."""
    text = bytearray()
    while (data := await recv(sock, 4096)) != b"":
        text.extend(data)
    if not text:
        return []
    return bytes(text).removesuffix(b"\n").split(b"\n")

# %% serve-1 wrong: a cancelled talk does not come to the close
# cause: CancelledError is no Exception, so the close after the try is not reached when the talk was cancelled
# line: except Exception: | sock.close() | none
from helpers.eventloop.sockets import accept


async def _one_client(talk, sock):
    try:
        await talk(sock)
    except Exception:
        pass
    sock.close()


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""
    while True:
        sock, _ = await accept(listener)
        spawn(_one_client(talk, sock))

# %% serve-1 wrong: closes the socket before the talk has begun
# cause: spawn only queues the talk, so the with closes the socket at once
# line: with sock: | spawn(talk(sock))
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    while True:
        sock, address = await accept(listener)
        with sock:
            spawn(talk(sock))

# %% serve-1 wrong: closes the socket of the last client
# cause: the inner function takes sock from serve, where it is the newest client's by the time the talk ends
# line: sock.close() | async def conversation(): | spawn(conversation())
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""

    async def conversation():
        try:
            await talk(sock)
        finally:
            sock.close()

    while True:
        sock, address = await accept(listener)
        spawn(conversation())

# %% serve-1 right: contextlib.closing in a class
from contextlib import closing

from helpers.eventloop.sockets import accept


class _Server:
    def __init__(self, listener, talk, spawn):
        self.listener = listener
        self.talk = talk
        self.spawn = spawn

    async def client(self, sock):
        with closing(sock):
            await self.talk(sock)

    async def run(self):
        while pair := await accept(self.listener):
            self.spawn(self.client(pair[0]))


async def serve(listener, talk, spawn):
    await _Server(listener, talk, spawn).run()

# %% serve-1 right: the error is printed
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""

    async def guarded(sock, address):
        try:
            await talk(sock)
        except Exception as error:
            print(f"the talk with {address} failed: {error!r}")
        finally:
            sock.close()

    while True:
        spawn(guarded(*await accept(listener)))

# %% deliver-1 wrong: cuts at every space in a loop
# cause: split cuts at every space, so an answer with a space in it is too many values to unpack
# line: line.split(b" ")
async def deliver(next_line, waiting):
    """Give each answer to the future that waits for it, and the rest an error."""
    while line := await next_line():
        number, answer = line.split(b" ")
        waiting.pop(number).set_result(answer)
    for future in waiting.values():
        future.set_result(None, ConnectionError("the other side has hung up"))

# %% deliver-1 wrong: those that have their answer stay in the dict
# cause: an answered future is not taken out, so at the end it is set a second time, which is a RuntimeError
# line: waiting[number].set_result(answer) | future.set_result(None, hung_up)
async def deliver(next_line, waiting):
    while True:
        line = await next_line()
        if not line:
            break
        number, _, answer = line.partition(b" ")
        waiting[number].set_result(answer)
    hung_up = ConnectionError("hung up")
    for future in waiting.values():
        future.set_result(None, hung_up)

# %% deliver-1 wrong: the error is given as a result
# cause: the ConnectionError is set as the value, so whoever waits gets it as an answer and it is not raised
# line: future.set_result(ConnectionError("no more answers"))
async def deliver(next_line, waiting):
    """Give each answer to the future that waits for it, and the rest an error."""
    line = await next_line()
    while line != b"":
        number, answer = line.split(b" ", 1)
        future = waiting.pop(number)
        future.set_result(answer)
        line = await next_line()

    while waiting:
        _, future = waiting.popitem()
        future.set_result(ConnectionError("no more answers"))

# %% deliver-1 right: an async iterator up to the sentinel
async def _until_end(next_line):
    while (line := await next_line()) != b"":
        yield line.split(maxsplit=1, sep=b" ")


async def deliver(next_line, waiting):
    async for number, answer in _until_end(next_line):
        waiting.pop(number).set_result(answer)
    while waiting:
        number, future = waiting.popitem()
        future.set_result(None, ConnectionError(f"no answer to {number.decode()}"))

# %% thread-1 wrong: the error is gone when the lambda runs
# cause: Python deletes the name error at the end of the except, and the lambda is called later, in the loop: NameError
# line: lambda: future.set_result(None, error) | except BaseException as error:
import threading

from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    """Have a thread call `work`; return a future of what it returns or raises."""
    future = Future()

    def run():
        try:
            value = work()
        except BaseException as error:
            loop.call_soon_threadsafe(lambda: future.set_result(None, error))
        else:
            loop.call_soon_threadsafe(lambda: future.set_result(value))

    threading.Thread(target=run).start()
    return future

# %% thread-1 wrong: an error is set in the thread itself
# cause: the error does not go through call_soon_threadsafe, so a loop that is asleep does not notice it
# line: future.set_result(None, error)
import threading

from helpers.eventloop.tasks import Future


class _Worker(threading.Thread):
    def __init__(self, loop, work, future):
        super().__init__(daemon=True)
        self.loop, self.work, self.future = loop, work, future

    def run(self):
        future = self.future
        try:
            value = self.work()
            self.loop.call_soon_threadsafe(future.set_result, value)
        except Exception as error:
            future.set_result(None, error)


def in_thread(loop, work):
    future = Future()
    _Worker(loop, work, future).start()
    return future

# %% thread-1 wrong: the work is done before the thread is made
# cause: target is given the result of run(), so work is called in the caller's thread and blocks it
# line: target=run(
import threading

from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    """Have a thread call `work`; return a future of what it returns or raises."""
    future = Future()

    def run(done):
        value, error = None, None
        try:
            value = work()
        except BaseException as problem:
            error = problem
        loop.call_soon_threadsafe(done, value, error)

    thread = threading.Thread(target=run(future.set_result))
    thread.start()
    return future

# %% thread-1 right: the outcome first, then the door
import threading

from helpers.eventloop.tasks import Future


def _outcome(work):
    try:
        return work(), None
    except BaseException as error:
        return None, error


def in_thread(loop, work):
    future = Future()
    threading.Thread(
        target=lambda: loop.call_soon_threadsafe(future.set_result, *_outcome(work)),
        daemon=True,
    ).start()
    return future

# %% sendall-1 wrong: believes that a chunk goes out whole
# cause: what send returns is ignored, so the rest of a chunk that was sent in part is lost
# line: sock.send(chunk)
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    for start in range(0, len(data), 65536):
        chunk = data[start:start + 65536]
        while True:
            try:
                sock.send(chunk)
                break
            except BlockingIOError:
                await until(sock, WRITE)

# %% sendall-1 wrong: waits on after a hang-up
# cause: BrokenPipeError and ConnectionResetError are OSErrors too, so the hang-up is swallowed and it tries for ever
# line: except OSError:
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    sent = 0
    while sent < len(data):
        try:
            sent += sock.send(data[sent:])
        except OSError:
            await until(sock, WRITE)

# %% sendall-1 right: a deque of views
from collections import deque

from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    view = memoryview(data)
    size = 1 << 15
    parts = deque(view[at:at + size] for at in range(0, len(view), size))
    while parts:
        part = parts.popleft()
        try:
            count = sock.send(part)
        except BlockingIOError:
            parts.appendleft(part)
            await until(sock, WRITE)
        else:
            if count < len(part):
                parts.appendleft(part[count:])

# %% lines-1 wrong: splitlines knows more ends of lines
# cause: bytes.splitlines also splits at a carriage return, and takes it away before a newline
# line: .splitlines()
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    pieces = []
    while piece := await recv(sock, 4096):
        pieces.append(piece)
    return b"".join(pieces).splitlines()

# %% lines-1 right: a BytesIO as a file of lines
import io

from helpers.eventloop.sockets import recv


async def read_lines(sock):
    file = io.BytesIO()
    piece = await recv(sock, 4096)
    while piece != b"":
        file.write(piece)
        piece = await recv(sock, 4096)
    file.seek(0)
    return [line.removesuffix(b"\n") for line in file]

# %% serve-1 wrong: all share the last socket
# cause: the inner function looks at the variable `sock` of serve, which may be another client's by the time it runs or closes
# line: spawn(handle()) | async def handle():
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
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

# %% serve-1 right: an exit stack for each client
from contextlib import ExitStack

from helpers.eventloop.sockets import accept


class _Client:
    def __init__(self, sock, talk):
        self.sock = sock
        self.talk = talk
        self.stack = ExitStack()
        self.stack.callback(sock.close)

    async def attend(self):
        with self.stack:
            try:
                await self.talk(self.sock)
            except Exception as error:
                print("a talk failed:", repr(error))


async def serve(listener, talk, spawn):
    while True:
        pair = await accept(listener)
        spawn(_Client(pair[0], talk).attend())

# %% deliver-1 right: an async generator of pairs
async def deliver(next_line, waiting):
    async def answers():
        line = await next_line()
        while line != b"":
            space = line.index(b" ")
            yield line[:space], line[space + 1:]
            line = await next_line()

    async for number, answer in answers():
        try:
            future = waiting.pop(number)
        except KeyError:
            continue
        future.set_result(answer)

    while waiting:
        _, future = waiting.popitem()
        future.set_exception(ConnectionError("no answer will come"))

# %% thread-1 wrong: the error does not go through the door
# cause: the error is set on the future from the other thread, so a loop that is asleep doesn't notice it
# line: future.set_exception(error)
import threading

from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    future = Future()

    def run():
        try:
            result = work()
        except BaseException as error:
            future.set_exception(error)
        else:
            loop.call_soon_threadsafe(future.set_result, result)

    threading.Thread(target=run).start()
    return future

# %% thread-1 right: a subclass of Thread, again
import threading

from helpers.eventloop.tasks import Future


class _Worker(threading.Thread):
    def __init__(self, loop, work):
        super().__init__(daemon=True)
        self.loop = loop
        self.work = work
        self.future = Future()

    def run(self):
        try:
            news = self.future.set_result, self.work()
        except BaseException as error:
            news = self.future.set_exception, error
        self.loop.call_soon_threadsafe(*news)


def in_thread(loop, work):
    worker = _Worker(loop, work)
    worker.start()
    return worker.future

# %% lines-1 wrong: one line of each piece, again
# cause: a piece may hold several newlines, but only one line is taken from the buffer per piece
# line: if b"\n" in buffer:
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    lines = []
    buffer = b""
    while True:
        piece = await recv(sock, 4096)
        if not piece:
            break
        buffer += piece
        if b"\n" in buffer:
            line, _, buffer = buffer.partition(b"\n")
            lines.append(line)
    if buffer:
        lines.append(buffer)
    return lines

# %% serve-1 wrong: closes as soon as the talk is spawned
# cause: spawn does not wait, so the with block ends and closes the socket before the talk has begun
# line: with sock:
from contextlib import suppress

from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    async def quietly(sock):
        with suppress(Exception):
            await talk(sock)

    while True:
        sock, _ = await accept(listener)
        with sock:
            spawn(quietly(sock))

# %% thread-1 wrong: the work is done behind the door, again
# cause: the lambda runs in the loop's thread, and work with it, so the loop is blocked (and an error of work is raised in the loop)
# line: lambda: future.set_result(work())
import threading

from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    future = Future()

    def run():
        try:
            loop.call_soon_threadsafe(lambda: future.set_result(work()))
        except BaseException as error:
            loop.call_soon_threadsafe(future.set_exception, error)

    threading.Thread(target=run).start()
    return future

# %% deliver-1 wrong: numbers of one digit
# cause: takes the first byte for the number, so from question 10 on the answer finds the wrong future or none
# line: line[:1]
async def deliver(next_line, waiting):
    while line := await next_line():
        number, answer = line[:1], line[2:]
        future = waiting.pop(number, None)
        if future is not None:
            future.set_result(answer)
    for number in list(waiting):
        waiting.pop(number).set_exception(ConnectionError("the other side hung up"))

# %% deliver-1 wrong: a copy of those who wait
# cause: the copy is made once at the start, so questions asked later are never answered and get no error
# line: dict(waiting)
async def deliver(next_line, waiting):
    futures = dict(waiting)
    while True:
        line = await next_line()
        if not line:
            break
        number, _, answer = line.partition(b" ")
        future = futures.pop(number, None)
        if future is not None:
            waiting.pop(number, None)
            future.set_result(answer)
    for number, future in futures.items():
        waiting.pop(number, None)
        future.set_exception(ConnectionError("the other side hung up"))

# %% sendall-1 wrong: sendall again from the start
# cause: sendall has sent a part before it raises BlockingIOError, and then all of the data is sent again from the start
# line: sock.sendall(data)
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    while True:
        try:
            sock.sendall(data)
            return
        except BlockingIOError:
            await until(sock, WRITE)

# %% sendall-1 wrong: waits on every OSError
# cause: a BrokenPipeError is an OSError as well, so that after a hang-up it tries for ever and the error never comes out
# line: except OSError:
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    sent = 0
    while sent < len(data):
        try:
            sent += sock.send(data[sent:])
        except OSError:
            await until(sock, WRITE)

# %% sendall-1 right: a buffer that shrinks
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    left = bytearray(data)

    def push():
        try:
            count = sock.send(left)
        except BlockingIOError:
            return False
        del left[:count]
        return True

    while left:
        if not push():
            await until(sock, WRITE)

# %% lines-1 wrong: splitlines, again
# cause: splitlines of bytes also splits at b"\r" and drops it, though only b"\n" ends a line
# line: splitlines()
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    data = b""
    while piece := await recv(sock, 4096):
        data += piece
    return data.splitlines()

# %% lines-1 wrong: a short piece is the end
# cause: a piece of less than 4096 bytes is taken for the last one, though pieces are of any size
# line: if len(piece) < 4096:
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    pieces = []
    while True:
        piece = await recv(sock, 4096)
        pieces.append(piece)
        if len(piece) < 4096:
            break
    lines = b"".join(pieces).split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return lines

# %% lines-1 right: a file in memory, again
import io

from helpers.eventloop.sockets import recv


async def read_lines(sock):
    memory = io.BytesIO()
    while True:
        piece = await recv(sock, 4096)
        if not piece:
            break
        memory.write(piece)
    memory.seek(0)
    return [line.removesuffix(b"\n") for line in memory]

# %% serve-1 wrong: one name for all sockets
# cause: each inner function looks up `sock` when it closes, and by then the name may stand for a later client, whose socket is closed instead
# line: async def one(): | sock.close() | spawn(one())
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    while True:
        sock, _ = await accept(listener)

        async def one():
            try:
                await talk(sock)
            except Exception:
                pass
            finally:
                sock.close()

        spawn(one())

# %% serve-1 wrong: the with ends too early
# cause: spawn returns at once, so that the with statement closes the socket before the talk has begun
# line: with sock:
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    async def safely(sock):
        try:
            await talk(sock)
        except Exception:
            pass

    while True:
        sock, _ = await accept(listener)
        with sock:
            spawn(safely(sock))

# %% serve-1 right: closing and suppress
from contextlib import closing, suppress

from helpers.eventloop.sockets import accept


class Guest:
    def __init__(self, sock, talk):
        self.sock = sock
        self.talk = talk

    async def stay(self):
        with suppress(Exception), closing(self.sock):
            await self.talk(self.sock)


async def serve(listener, talk, spawn):
    while True:
        sock, address = await accept(listener)
        spawn(Guest(sock, talk).stay())

# %% deliver-1 wrong: those who waited at the start
# cause: the copy is made once at the start, so that a question asked later is not in it and its future gets neither answer nor error
# line: futures = dict(waiting)
async def deliver(next_line, waiting):
    futures = dict(waiting)
    while line := await next_line():
        number, _, answer = line.partition(b" ")
        future = futures.pop(number, None)
        if future is not None:
            waiting.pop(number, None)
            future.set_result(answer)
    for future in futures.values():
        future.set_exception(ConnectionError("the other side hung up"))

# %% deliver-1 wrong: numbers of one digit, again
# cause: only the first byte is taken for the number, so that the answer to question 12 goes to question 1 or to nobody
# line: number, answer = line[:1], line[2:]
async def deliver(next_line, waiting):
    while line := await next_line():
        number, answer = line[:1], line[2:]
        if number in waiting:
            waiting.pop(number).set_result(answer)
    while waiting:
        _, future = waiting.popitem()
        future.set_exception(ConnectionError("the other side hung up"))

# %% deliver-1 wrong: the error as a result
# cause: the ConnectionError is handed over as an ordinary result, so that it is returned by the await and never raised
# line: future.set_result(ConnectionError("the other side hung up"))
async def deliver(next_line, waiting):
    while line := await next_line():
        number, _, answer = line.partition(b" ")
        future = waiting.pop(number, None)
        if future is not None:
            future.set_result(answer)
    while waiting:
        _, future = waiting.popitem()
        future.set_result(ConnectionError("the other side hung up"))

# %% deliver-1 right: a regular expression
import re

ANSWER = re.compile(rb"([^ ]+) (.*)", re.DOTALL)


async def deliver(next_line, waiting):
    line = await next_line()
    while line != b"":
        match = ANSWER.fullmatch(line)
        if match and match[1] in waiting:
            waiting.pop(match[1]).set_result(match[2])
        line = await next_line()
    while waiting:
        number = next(iter(waiting))
        error = ConnectionError(f"no answer to {number!r}")
        waiting.pop(number).set_exception(error)

# %% thread-1 wrong: the error is gone when it is wanted
# cause: the name `error` is deleted at the end of the except block, so that the lambda raises a NameError in the loop and the future gets nothing
# line: lambda: future.set_exception(error) | except Exception as error:
import threading

from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    future = Future()

    def run():
        try:
            result = work()
        except Exception as error:
            loop.call_soon_threadsafe(lambda: future.set_exception(error))
        else:
            loop.call_soon_threadsafe(lambda: future.set_result(result))

    threading.Thread(target=run).start()
    return future

# %% thread-1 wrong: an error that is returned is raised
# cause: an exception that work returns as its result is taken for one that it raised
# line: if isinstance(outcome, Exception): | outcome = error
# told: none
import threading

from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    future = Future()

    def run():
        try:
            outcome = work()
        except Exception as error:
            outcome = error
        if isinstance(outcome, Exception):
            loop.call_soon_threadsafe(future.set_exception, outcome)
        else:
            loop.call_soon_threadsafe(future.set_result, outcome)

    threading.Thread(target=run).start()
    return future

# %% thread-1 wrong: rings when it has gone in already
# cause: set_result is called in the thread itself, and only its None is handed to the loop, which then calls None
# line: loop.call_soon_threadsafe(future.set_result(result))
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
            loop.call_soon_threadsafe(future.set_result(result))

    threading.Thread(target=run).start()
    return future

# %% thread-1 right: a thread of its own kind
import threading
from functools import partial

from helpers.eventloop.tasks import Future


class Worker(threading.Thread):
    def __init__(self, loop, work):
        super().__init__()
        self.loop = loop
        self.work = work
        self.future = Future()

    def run(self):
        try:
            tell = partial(self.future.set_result, self.work())
        except BaseException as error:
            tell = partial(self.future.set_exception, error)
        self.loop.call_soon_threadsafe(tell)


def in_thread(loop, work):
    worker = Worker(loop, work)
    worker.start()
    return worker.future

# %% deliver-1 wrong: ends when nobody waits for the moment
# cause: while nobody waits the reader ends, though new questions may be asked later
# line: while waiting:
async def deliver(next_line, waiting):
    """Give each answer to the future that waits for it, and the rest an error."""
    while waiting:
        line = await next_line()
        if not line:
            break
        number, answer = line.split(b" ", maxsplit=1)
        future = waiting.pop(number, None)
        if future is not None:
            future.set_result(answer)
    for future in list(waiting.values()):
        future.set_exception(ConnectionError("the connection is closed"))
    waiting.clear()

# %% sendall-1 wrong: blocks that are sent in part
# cause: send may take only a part of a block, but what it returns is ignored, so the end of the block is lost
# line: sock.send(block)
from helpers.eventloop.sockets import WRITE, until

BLOCK = 100_000


async def send_block(sock, block):
    while True:
        try:
            sock.send(block)
            return
        except BlockingIOError:
            await until(sock, WRITE)


async def send_all(sock, data):
    for start in range(0, len(data), BLOCK):
        await send_block(sock, data[start:start + BLOCK])

# %% lines-1 wrong: strips all newlines at the end
# cause: rstrip takes away every newline at the end, so empty lines at the end of the stream are lost
# line: text = bytes(everything).rstrip(b"\n")
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    everything = bytearray()
    piece = await recv(sock, 4096)
    while piece != b"":
        everything.extend(piece)
        piece = await recv(sock, 4096)
    if not everything:
        return []
    text = bytes(everything).rstrip(b"\n")
    return text.split(b"\n")

# %% serve-1 wrong: one stack for all clients
# cause: the sockets are closed by a stack that ends with the server, and not when each talk is over
# line: stack.enter_context(guest) | with ExitStack() as stack:
from contextlib import ExitStack, suppress

from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    async def safely(guest):
        with suppress(Exception):
            await talk(guest)

    with ExitStack() as stack:
        while True:
            guest, _ = await accept(listener)
            stack.enter_context(guest)
            spawn(safely(guest))

# %% deliver-1 wrong: only the first word
# cause: the line is split at every space, so only the first word of an answer is delivered
# line: words = line.split(b" ") | answer = words[1]
async def deliver(next_line, waiting):
    while True:
        line = await next_line()
        if not line:
            break
        words = line.split(b" ")
        number = words[0]
        answer = words[1]
        future = waiting.pop(number, None)
        if future and not future.done():
            future.set_result(answer)
    while waiting:
        _, future = waiting.popitem()
        if not future.done():
            future.set_exception(ConnectionError("hung up"))

# %% thread-1 wrong: no result, no wake-up
# cause: a result of None is taken for "nothing to tell", so the future of work that returns None is never done
# line: elif self.result is not None:
import threading

from helpers.eventloop.tasks import Future


class Worker(threading.Thread):
    def __init__(self, loop, work, future):
        super().__init__()
        self.loop, self.work, self.future = loop, work, future
        self.result = None
        self.error = None

    def run(self):
        try:
            self.result = self.work()
        except BaseException as error:
            self.error = error
        if self.error is not None:
            self.loop.call_soon_threadsafe(self.future.set_exception, self.error)
        elif self.result is not None:
            self.loop.call_soon_threadsafe(self.future.set_result, self.result)


def in_thread(loop, work):
    future = Future()
    Worker(loop, work, future).start()
    return future

# %% sendall-1 wrong: from the start after a refusal
# cause: after waiting it begins at the front again
# line: sent = 0
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    sent = 0
    while sent < len(data):
        try:
            sent += sock.send(data[sent:])
        except BlockingIOError:
            await until(sock, WRITE)
            sent = 0

# %% sendall-1 wrong: skips a byte after each part
# cause: leaves out one byte after each part
# line: data = data[taken + 1:]
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    while data:
        try:
            taken = sock.send(data)
        except BlockingIOError:
            await until(sock, WRITE)
            continue
        data = data[taken + 1:]

# %% sendall-1 wrong: gives up where there is no room at first
# cause: the first refusal ends the loop
# line: with suppress(BlockingIOError):
from contextlib import suppress
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    with suppress(BlockingIOError):
        while data:
            taken = sock.send(data)
            data = data[taken:]
            await until(sock, WRITE)

# %% lines-1 wrong: the rest is a line, though it is empty
# cause: the buffer is added even if it is empty
# line: lines.append(buffer) | return
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    lines = []
    buffer = b""
    while True:
        data = await recv(sock, 4096)
        if not data:
            lines.append(buffer)
            return lines
        buffer += data
        while b"\n" in buffer:
            line, buffer = buffer.split(b"\n", 1)
            lines.append(line)

# %% lines-1 wrong: lines of text
# cause: the lines are str, not bytes
# line: decode
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    text = b""
    while data := await recv(sock, 4096):
        text += data
    return text.decode("latin-1").removesuffix("\n").split("\n") if text else []

# %% lines-1 wrong: leaves out the last one, whatever it is
# cause: drops the last part even if it is a line
# line: [:-1]
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    text = b""
    while data := await recv(sock, 4096):
        text += data
    return text.split(b"\n")[:-1]

# %% lines-1 wrong: strips the end of each line
# cause: strip takes away other blanks too
# line: strip
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    lines, buffer = [], b""
    while data := await recv(sock, 4096):
        buffer += data
        while b"\n" in buffer:
            line, buffer = buffer.split(b"\n", 1)
            lines.append(line.rstrip())
    if buffer:
        lines.append(buffer.rstrip())
    return lines

# %% lines-1 wrong: returns without what is left
# cause: a last line without a newline is still in the buffer when the stream ends, and is dropped
# line: return lines | if not data:
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    """Return all lines that come, without their newlines."""
    lines = []
    buffer = b""
    while True:
        data = await recv(sock, 4096)
        if not data:
            return lines
        buffer += data
        *complete, buffer = buffer.split(b"\n")
        lines.extend(complete)

# %% serve-1 wrong: waits for the spawned task
# cause: accept isn't awaited by serve
# line: spawn(
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    async def one():
        sock, _ = await accept(listener)
        with sock:
            await talk(sock)

    while True:
        await spawn(one())

# %% serve-1 wrong: shut down, but not closed
# cause: shutdown does not close
# line: sock.shutdown(
import socket
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    async def one(sock):
        try:
            await talk(sock)
        finally:
            sock.shutdown(socket.SHUT_WR)

    while True:
        sock, _ = await accept(listener)
        spawn(one(sock))

# %% deliver-1 wrong: answers of text
# cause: the answer is decoded
# line: decode
async def deliver(next_line, waiting):
    while line := await next_line():
        number, _, answer = line.partition(b" ")
        waiting.pop(number).set_result(answer.decode())
    for future in waiting.values():
        future.set_exception(ConnectionError())

# %% deliver-1 wrong: a str for the end
# cause: the end is b"" and not ""
# line: if line == "":
async def deliver(next_line, waiting):
    while True:
        line = await next_line()
        if line == "":
            break
        number, _, answer = line.partition(b" ")
        waiting.pop(number).set_result(answer)
    for future in waiting.values():
        future.set_exception(ConnectionError())

# %% deliver-1 wrong: tells one of those that are left
# cause: popitem once: only one of the rest
# line: waiting.popitem() | if waiting: | future.set_exception
async def deliver(next_line, waiting):
    while line := await next_line():
        number, _, answer = line.partition(b" ")
        waiting.pop(number).set_result(answer)
    if waiting:
        _, future = waiting.popitem()
        future.set_exception(ConnectionError())

# %% deliver-1 wrong: tells the others of the end at each answer
# cause: at the first line all others get the error
# line: set_exception
async def deliver(next_line, waiting):
    while line := await next_line():
        number, _, answer = line.partition(b" ")
        waiting.pop(number).set_result(answer)
        for future in waiting.values():
            future.set_exception(ConnectionError())

# %% thread-1 wrong: one kind of error alone
# cause: other errors are lost
# line: except ValueError
import threading
from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    future = Future()

    def run():
        try:
            result = work()
        except ValueError as error:
            loop.call_soon_threadsafe(future.set_exception, error)
        else:
            loop.call_soon_threadsafe(future.set_result, result)

    threading.Thread(target=run).start()
    return future

# %% thread-1 wrong: an error of its own
# cause: a new error with the same text instead of the error
# line: future.set_exception, RuntimeError
import threading
from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    future = Future()

    def run():
        try:
            result = work()
        except Exception as error:
            loop.call_soon_threadsafe(future.set_exception, RuntimeError(str(error)))
        else:
            loop.call_soon_threadsafe(future.set_result, result)

    threading.Thread(target=run).start()
    return future

# %% thread-1 wrong: one future for all, as a default
# cause: the future is a default, shared by all
# line: future=Future()
import threading
from helpers.eventloop.tasks import Future


def in_thread(loop, work, future=Future()):
    def run():
        try:
            result = work()
        except Exception as error:
            loop.call_soon_threadsafe(future.set_exception, error)
        else:
            loop.call_soon_threadsafe(future.set_result, result)

    threading.Thread(target=run).start()
    return future

# %% thread-1 wrong: a result after the error
# cause: after the error the result is set as well
# line: set_result
import threading
from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    future = Future()

    def run():
        result = None
        try:
            result = work()
        except Exception as error:
            loop.call_soon_threadsafe(future.set_exception, error)
        loop.call_soon_threadsafe(future.set_result, result)

    threading.Thread(target=run).start()
    return future

# %% sendall-1 wrong: the old count once more
# cause: After a BlockingIOError, count still holds the number of the send before, and so many bytes are skipped that were never sent.
# line: data = data[count:]
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    count = 0
    while data:
        try:
            count = sock.send(data)
        except BlockingIOError:
            await until(sock, WRITE)
        data = data[count:]

# %% deliver-1 wrong: ends when nobody waits
# cause: The loop ends as soon as no question is open, though the connection still stands and new questions may be asked at any time; nobody reads their answers.
# line: while waiting:
async def deliver(next_line, waiting):
    while waiting:
        line = await next_line()
        if not line:
            break
        number, answer = line.split(b" ", 1)
        waiting.pop(number).set_result(answer)
    for number in list(waiting):
        waiting.pop(number).set_exception(ConnectionError())

# %% serve-1 wrong: awaits the talk in the accept loop
# cause: The talk is awaited in the loop that accepts, so the next client is accepted only when the one before has been served.
# line: await chat(sock)
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""

    async def chat(sock):
        try:
            await talk(sock)
        except Exception as error:
            print("a talk failed:", error)
        finally:
            sock.close()

    while True:
        sock, address = await accept(listener)
        await chat(sock)

# %% serve-1 wrong: closes the socket of the newest client
# cause: `handle` has no socket of its own but looks at the variable of the loop, which by then holds the newest client's socket, so the end of a talk closes the wrong one.
# line: async def handle(): | sock.close() | spawn(handle())
from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    async def handle():
        try:
            await talk(sock)
        except Exception as error:
            print("a talk has failed:", error)
        finally:
            sock.close()

    while True:
        sock, _ = await accept(listener)
        spawn(handle())

# %% deliver-1 wrong: deletes from the dict it walks
# cause: When two or more still wait at the end, the dict changes its size during the iteration: a RuntimeError comes out and only the first gets its ConnectionError.
# line: for number, future in waiting.items(): | del waiting[number]
async def deliver(next_line, waiting):
    while True:
        line = await next_line()
        if line == b"":
            break
        number, _, answer = line.partition(b" ")
        future = waiting.pop(number)
        future.set_result(answer)
    for number, future in waiting.items():
        future.set_exception(ConnectionError("the other side hung up"))
        del waiting[number]

# %% lines-1 wrong: splitlines also cuts at returns
# cause: bytes.splitlines also splits at b"\r" and b"\r\n", so a line with a carriage return in it is cut in two or loses its b"\r".
# line: return bytes(received).splitlines()
from helpers.eventloop.sockets import recv


async def read_lines(sock):
    """Return all lines that come, without their newlines."""
    received = bytearray()
    while True:
        data = await recv(sock, 4096)
        if data == b"":
            break
        received.extend(data)
    return bytes(received).splitlines()

# %% serve-1 wrong: cancelled talk leaves socket open
# cause: The socket is closed after a try/except Exception and not in a finally, so when a talk is cancelled the close is skipped.
# line: except Exception: |     client.close()
from helpers.eventloop.sockets import accept


async def talk_and_close(talk, client):
    try:
        await talk(client)
    except Exception:
        pass
    client.close()


async def serve(listener, talk, spawn):
    while True:
        client, address = await accept(listener)
        spawn(talk_and_close(talk, client))

# %% serve-1 wrong: closure sees the newest client
# cause: The inner coroutine takes `sock` from the enclosing scope, which the next accept rebinds, so when a second client has come the first talk's end closes the second client's socket.
# line: async def handle(): | sock.close() | spawn(handle())
from contextlib import suppress

from helpers.eventloop.sockets import accept


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""
    while True:
        sock, _address = await accept(listener)

        async def handle():
            try:
                with suppress(Exception):
                    await talk(sock)
            finally:
                sock.close()

        spawn(handle())

# %% deliver-1 wrong: stops when nobody is waiting
# cause: The loop runs only while `waiting` isn't empty, so when all questions so far are answered (or none has been asked yet) the reader returns and later questions are never answered.
# line: while waiting:
def fail_all(waiting, error_type):
    for future in list(waiting.values()):
        if not future.done():
            future.set_exception(error_type("hung up"))


async def deliver(next_line, waiting):
    """Give each answer to the future that waits for it, and the rest an error."""
    try:
        while waiting:
            line = await next_line()
            if not line:
                return
            number, answer = line.split(b" ", 1)
            if number not in waiting:
                continue
            future = waiting.pop(number)
            if not future.done():
                future.set_result(answer)
    finally:
        fail_all(waiting, ConnectionError)

# %% thread-1 wrong: lambda uses the erased error
# cause: The lambda looks up `error` only when the loop calls it, but Python has deleted that name at the end of the except block, so when `work` fails the loop gets a NameError and the future is never set.
# line: lambda: future.set_exception(error) | except BaseException as error:
import threading
from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    """Have a thread call `work`; return a future of what it returns or raises."""
    future = Future()

    def worker():
        try:
            result = work()
        except BaseException as error:
            loop.call_soon_threadsafe(lambda: future.set_exception(error))
            return
        loop.call_soon_threadsafe(lambda: future.set_result(result))

    threading.Thread(target=worker, daemon=True).start()
    return future

# %% sendall-1 wrong: Offset replaced, not added up
# cause: sent is set to the count of the last send instead of being increased by it, so from the third send on it goes on at the wrong place and bytes are sent again or left out.
# line: sent = await send_some(sock, data[sent:])
from helpers.eventloop.sockets import WRITE, until


async def send_some(sock, part):
    while True:
        try:
            return sock.send(part)
        except BlockingIOError:
            await until(sock, WRITE)


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    sent = 0
    while sent < len(data):
        sent = await send_some(sock, data[sent:])

# %% sendall-1 wrong: Hang-up ends it silently
# cause: When the other side hangs up, the error of send is caught and send_all returns as if all had been sent.
# line: except (BrokenPipeError, ConnectionResetError): | return
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    rest = memoryview(data)
    while len(rest) > 0:
        try:
            count = sock.send(rest)
        except BlockingIOError:
            await until(sock, WRITE)
        except (BrokenPipeError, ConnectionResetError):
            return
        else:
            rest = rest[count:]

# %% deliver-1 wrong: number turned into an int
# cause: The number is made an int, but `waiting` has bytes as keys, so the first answer raises a KeyError and kills the reader.
# line: waiting.pop(int(number))
async def deliver(next_line, waiting):
    """Give each answer to the future that waits for it, and the rest an error."""
    while True:
        line = await next_line()
        if line == b"":
            break
        number, answer = line.split(b" ", 1)
        future = waiting.pop(int(number))
        future.set_result(answer)
    for future in waiting.values():
        future.set_exception(ConnectionError("hung up"))
    waiting.clear()

# %% thread-1 wrong: lambda uses the deleted error
# cause: the name exc is deleted at the end of the except block, so when the loop calls the lambda later there is a NameError and the future never gets the error of work.
# line: lambda: fut.set_exception(exc) | as exc:
import threading
from helpers.eventloop.tasks import Future


def in_thread(loop, work):
    fut = Future()

    def target():
        try:
            value = work()
        except BaseException as exc:
            loop.call_soon_threadsafe(lambda: fut.set_exception(exc))
        else:
            loop.call_soon_threadsafe(lambda: fut.set_result(value))

    thread = threading.Thread(target=target)
    thread.start()
    return fut

# %% sendall-1 wrong: sleeps the thread when full
# cause: when the socket has no room it waits with time.sleep, which blocks the whole loop, so no other task runs meanwhile.
# line: time.sleep(0.01)
import time

from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    """Send all of `data`, however slowly the other side reads."""
    remaining = data
    await until(sock, WRITE)
    while len(remaining) > 0:
        try:
            count = sock.send(remaining)
        except BlockingIOError:
            time.sleep(0.01)
        else:
            remaining = remaining[count:]

# %% deliver-1 wrong: raises the error itself
# cause: at the end of the stream deliver raises the ConnectionError in its own task and does not give it to the futures, so those who wait hang for ever.
# line: raise ConnectionError(
async def deliver(next_line, waiting):
    """Give each answer to the future that waits for it, and the rest an error."""
    while line := await next_line():
        key, _, answer = line.partition(b" ")
        future = waiting.pop(key)
        future.set_result(answer)
    if waiting:
        raise ConnectionError(f"{len(waiting)} questions without an answer")

# %% sendall-1 right: a push that says zero
from helpers.eventloop.sockets import WRITE, until


async def send_all(sock, data):
    def push(rest):
        try:
            return sock.send(rest)
        except BlockingIOError:
            return 0

    rest = memoryview(data)
    while len(rest):
        match push(rest):
            case 0:
                await until(sock, WRITE)
            case sent:
                rest = rest[sent:]

# %% lines-1 right: a BytesIO knows lines
import io

from helpers.eventloop.sockets import recv


async def read_lines(sock):
    """Return all lines that come, without their newlines."""
    heard = io.BytesIO()
    while piece := await recv(sock, 4096):
        heard.write(piece)
    heard.seek(0)
    return [line.removesuffix(b"\n") for line in heard]

# %% serve-1 right: hosts primed up to their with
import types
from contextlib import closing, suppress

from helpers.eventloop.sockets import accept


@types.coroutine
def _starting_line():
    yield


async def _host(sock, talk):
    with suppress(Exception), closing(sock):
        await _starting_line()
        await talk(sock)


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""
    while True:
        sock, _ = await accept(listener)
        host = _host(sock, talk)
        # Go into the `with` now, so that a cancel before the first turn closes too.
        host.send(None)
        spawn(host)

# %% deliver-1 right: async generator, popitem at the end
import asyncio
from contextlib import suppress


async def deliver(next_line, waiting):
    async def lines():
        while line := await next_line():
            yield line

    settled = suppress(asyncio.InvalidStateError, RuntimeError)

    async for line in lines():
        number, _, answer = line.partition(b" ")
        future = waiting.pop(number, None)
        if future is not None:
            with settled:
                future.set_result(answer)

    while waiting:
        number, future = waiting.popitem()
        with settled:
            future.set_exception(ConnectionError("the other side hung up"))

# %% thread-1 right: a Thread subclass that reports
import threading
from helpers.eventloop.tasks import Future


class _Errand(threading.Thread):
    def __init__(self, work, report):
        super().__init__(daemon=True)
        self.work = work
        self.report = report
        self.promise = Future()

    def run(self):
        try:
            news = self.promise.set_result, self.work()
        except BaseException as error:
            news = self.promise.set_exception, error
        self.report(*news)


def in_thread(loop, work):
    """Have a thread call `work`; return a future of what it returns or raises."""
    errand = _Errand(work, loop.call_soon_threadsafe)
    errand.start()
    return errand.promise

# %% sendall-1 right: async generator of bytes sent
from helpers.eventloop.sockets import WRITE, until


async def _portions(sock, data, size=1 << 16):
    start = 0
    while start < len(data):
        try:
            count = sock.send(data[start:start + size])
        except BlockingIOError:
            await until(sock, WRITE)
        else:
            start += count
            yield count


async def send_all(sock, data):
    async for _ in _portions(sock, data):
        pass

# %% lines-1 right: a splitter driven by send
from helpers.eventloop.sockets import recv


def _splitter():
    lines, begun = [], []
    while piece := (yield):
        head, *others = piece.split(b"\n")
        begun.append(head)
        for other in others:
            lines.append(b"".join(begun))
            begun = [other]
    if last := b"".join(begun):
        lines.append(last)
    return lines


async def read_lines(sock):
    splitter = _splitter()
    next(splitter)
    while True:
        piece = await recv(sock, 4096)
        try:
            splitter.send(piece)
        except StopIteration as end:
            return end.value

# %% serve-1 right: async generator and AsyncExitStack
from contextlib import AsyncExitStack, suppress
from helpers.eventloop.sockets import accept


async def knocks(listener):
    while True:
        sock, _address = await accept(listener)
        yield sock


async def visit(sock, talk):
    async with AsyncExitStack() as farewell:
        farewell.enter_context(suppress(Exception))   # left last
        farewell.callback(sock.close)                 # called first
        await talk(sock)


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""
    async for sock in knocks(listener):
        spawn(visit(sock, talk))

# %% serve-1 wrong: the cancellation of a talk is swallowed
# cause: `except BaseException` swallows a cancellation, and a KeyboardInterrupt, as well
# line: except BaseException:
from helpers.eventloop.sockets import accept


async def converse(talk, sock):
    """Talk to one client until the talk is over, whichever way."""
    try:
        await talk(sock)
    except BaseException:
        pass
    finally:
        sock.close()


async def serve(listener, talk, spawn):
    """Accept clients for ever, and talk to all of them at once."""
    while True:
        sock, address = await accept(listener)
        spawn(converse(talk, sock))

# %% deliver-1 right: match on a partitioned line
import contextlib


async def deliver(next_line, waiting):
    def settle(number, verb, make):
        if number in waiting:
            future = waiting.pop(number)
            with contextlib.suppress(Exception):    # who asked may have given up
                getattr(future, verb)(make())

    connected = True
    while connected:
        match (await next_line()).partition(b" "):
            case (b"", b"", b""):
                connected = False
            case (number, _, answer):
                settle(number, "set_result", lambda: answer)

    for number in tuple(waiting):
        settle(number, "set_exception", lambda: ConnectionError("the other side hung up"))

# %% deliver-1 wrong: number 1 gets the answer to number 12
# cause: looks for a number that the line begins with; b"12 tea" goes to question b"1" if that waits too and was asked earlier
# line: if line.startswith(number): | none
async def deliver(next_line, waiting):
    """Give each answer to the future that waits for it, and the rest an error."""
    while line := await next_line():
        for number, future in waiting.items():
            if line.startswith(number):
                del waiting[number]
                if not future.done():
                    future.set_result(line[len(number) + 1:])
                break
    for future in waiting.values():
        if not future.done():
            future.set_exception(ConnectionError("the other side has hung up"))
    waiting.clear()

# %% thread-1 right: a subclass of Thread
import threading
from helpers.eventloop.tasks import Future


class Errand(threading.Thread):
    def __init__(self, loop, work):
        super().__init__(daemon=True)
        self.loop = loop
        self.work = work
        self.promise = Future()

    def run(self):
        try:
            parcel = self.work()
        except BaseException as error:
            put_down, parcel = self.promise.set_exception, error
        else:
            put_down = self.promise.set_result
        self.loop.call_soon_threadsafe(put_down, parcel)


def in_thread(loop, work):
    """Have a thread call `work`; return a future of what it returns or raises."""
    errand = Errand(loop, work)
    errand.start()
    return errand.promise
