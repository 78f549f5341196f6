"""Answers to the exercises of lesson 17, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% frame-1 wrong: an empty message is the end
# cause: a message of length 0 is taken for the end
# line: if not length:
import asyncio
import struct


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        head = await reader.readexactly(4)
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None
    (length,) = struct.unpack(">I", head)
    if not length:
        return None
    if length > 1000:
        raise ValueError(length)
    return await reader.readexactly(length)

# %% frame-1 wrong: one read
# cause: read(length) may give less than the whole message
# line: await reader.read(length)
import asyncio
import struct


async def read_frame(reader):
    try:
        head = await reader.readexactly(4)
    except asyncio.IncompleteReadError as error:
        if error.partial == b"":
            return None
        raise
    length = struct.unpack(">I", head)[0]
    if length > 1000:
        raise ValueError("too long")
    return await reader.read(length)

# %% frame-1 wrong: every end is a None
# cause: an end in the midst of a frame becomes a None, too
# line: except asyncio.IncompleteReadError:
import asyncio
import struct


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        length, = struct.unpack(">I", await reader.readexactly(4))
        if length > 1000:
            raise ValueError(f"{length} bytes are too many")
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError:
        return None

# %% frame-1 wrong: the end right after the length
# cause: an end after the four bytes and before the first byte of the message also has an empty partial
# line: if error.partial: | return await reader.readexactly(length)
import asyncio
import struct


async def read_frame(reader):
    try:
        length, = struct.unpack(">I", await reader.readexactly(4))
        if length > 1000:
            raise ValueError("frame too long")
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
    return None

# %% frame-1 wrong: first read, then look
# cause: a length above 1000 is noticed only after the message has been waited for
# line: if length > 1000:
import asyncio


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        head = await reader.readexactly(4)
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return None
        raise
    length = int.from_bytes(head, "big")
    message = await reader.readexactly(length)
    if length > 1000:
        raise ValueError(length)
    return message

# %% frame-1 right: one byte first
import asyncio
import struct


async def read_frame(reader):
    match await reader.read(1):
        case b"":
            return None
        case first:
            rest = await reader.readexactly(3)
    for (length,) in struct.iter_unpack(">I", first + rest):
        if length not in range(1001):
            raise ValueError("a frame of %d bytes" % length)
    return await reader.readexactly(length)

# %% frame-1 wrong: a signed length
# cause: a length above 2 GiB is a negative number, and read as nothing
# line: struct.unpack(">i", head)
import asyncio
import struct


async def read_frame(reader):
    try:
        head = await reader.readexactly(4)
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None
    (length,) = struct.unpack(">i", head)
    if length > 1000:
        raise ValueError(length)
    return await reader.readexactly(max(length, 0))

# %% line-in-time-1 wrong: half a line
# cause: what came before the end of the connection is returned as a line
# line: reader.readline() | if not line:
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    async with asyncio.timeout(seconds):
        line = await reader.readline()
    if not line:
        return None
    return line.removesuffix(b"\n")

# %% line-in-time-1 wrong: so many seconds for each letter
# cause: the time begins anew with each byte
# line: asyncio.wait_for(reader.read(1), seconds)
import asyncio


async def read_line(reader, seconds):
    line = b""
    while True:
        byte = await asyncio.wait_for(reader.read(1), seconds)
        if byte == b"":
            return None
        if byte == b"\n":
            return line
        line += byte

# %% line-in-time-1 wrong: strips too much
# cause: strip also takes away spaces and other characters that belong to the line
# line: line.strip()
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    try:
        line = await asyncio.wait_for(reader.readuntil(b"\n"), seconds)
    except asyncio.IncompleteReadError:
        return None
    return line.strip()

# %% line-in-time-1 wrong: an empty line is the end
# cause: an empty line gives None
# line: or None
import asyncio


async def read_line(reader, seconds):
    try:
        async with asyncio.timeout(seconds):
            line = await reader.readuntil()
    except asyncio.IncompleteReadError:
        return None
    return line[:-1] or None

# %% line-in-time-1 wrong: late is an end
# cause: the TimeoutError is caught and becomes a None
# line: except (TimeoutError, asyncio.IncompleteReadError):
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    try:
        line = await asyncio.wait_for(reader.readuntil(b"\n"), timeout=seconds)
        return line[:-1]
    except (TimeoutError, asyncio.IncompleteReadError):
        return None

# %% line-in-time-1 right: a deadline, and partition
import asyncio
import contextlib


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    deadline = asyncio.get_running_loop().time() + seconds
    with contextlib.suppress(asyncio.IncompleteReadError):
        async with asyncio.timeout_at(deadline):
            line, _, _ = (await reader.readuntil(separator=b"\n")).partition(b"\n")
            return line

# %% line-in-time-1 right: letter by letter before one deadline
import asyncio


async def read_line(reader, seconds):
    async def letters():
        line = bytearray()
        while True:
            letter = await reader.read(1)
            if not letter:
                return None
            if letter == b"\n":
                return bytes(line)
            line += letter

    return await asyncio.wait_for(letters(), seconds)

# %% slow-reader-1 wrong: never waits
# cause: without drain everything is piled up in the buffer
# line: writer.write(part)
async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    try:
        async for part in parts:
            writer.write(part)
    finally:
        writer.close()
        try:
            await writer.wait_closed()
        except ConnectionError:
            pass

# %% slow-reader-1 wrong: an empty part is the end
# cause: stops at an empty part, though others follow
# line: if not part:
from contextlib import suppress


async def send_all(writer, parts):
    with suppress(ConnectionError):
        async for part in parts:
            if not part:
                break
            writer.write(part)
            await writer.drain()
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()

# %% slow-reader-1 wrong: goes on without a client
# cause: the error is caught for each part, so it takes more parts after the client has left
# line: except ConnectionError:
async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    async for part in parts:
        try:
            writer.write(part)
            await writer.drain()
        except ConnectionError:
            pass
    writer.close()
    try:
        await writer.wait_closed()
    except ConnectionError:
        pass

# %% slow-reader-1 wrong: the last wait is not guarded
# cause: a ConnectionError of wait_closed comes out
# line: await writer.wait_closed()
async def send_all(writer, parts):
    try:
        async for part in parts:
            writer.write(part)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
        await writer.wait_closed()

# %% slow-reader-1 wrong: only a reset
# cause: ConnectionResetError is too narrow, for instance a BrokenPipeError comes out
# line: except ConnectionResetError:
async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    try:
        async for part in parts:
            writer.write(part)
            await writer.drain()
    except ConnectionResetError:
        pass
    writer.close()
    try:
        await writer.wait_closed()
    except ConnectionError:
        pass

# %% slow-reader-1 right: a context manager for the writer
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def closing_in_peace(writer):
    try:
        with suppress(ConnectionError):
            yield writer
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def send_all(writer, parts):
    async with closing_in_peace(writer) as client:
        async for part in parts:
            client.write(part)
            await client.drain()

# %% slow-reader-1 right: drains first
import contextlib


async def send_all(writer, parts):
    with contextlib.closing(writer), contextlib.suppress(ConnectionError):
        async for part in parts:
            await writer.drain()
            writer.write(part)
        await writer.drain()

# %% closing-1 wrong: closes when all went well
# cause: if work raises something else than a ValueError, the connection isn't closed
# line: writer.close()
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    line = await reader.readline()
    if line:
        try:
            answer = await work(line)
        except ValueError:
            answer = b"error\n"
        writer.write(answer)
        await writer.drain()
    writer.close()
    await writer.wait_closed()

# %% closing-1 wrong: every error is an answer
# cause: any error of work becomes the answer "error", not only a ValueError
# line: except Exception:
async def handle(reader, writer, work):
    try:
        line = await reader.readline()
        if not line:
            return
        try:
            answer = await work(line)
        except Exception:
            answer = b"error\n"
        writer.write(answer)
        await writer.drain()
    finally:
        writer.close()

# %% closing-1 wrong: an empty line says nothing
# cause: an empty line (a line feed alone) is taken for a client that said nothing
# line: if line.strip():
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    try:
        line = await reader.readline()
        if line.strip():
            try:
                answer = await work(line)
            except ValueError:
                answer = b"error\n"
            writer.write(answer)
            await writer.drain()
    finally:
        writer.close()

# %% closing-1 wrong: cut off
# cause: abort throws away what still lies in the buffer, so the client gets a part of the answer
# line: writer.transport.abort()
async def handle(reader, writer, work):
    try:
        line = await reader.readline()
        if line:
            try:
                writer.write(await work(line))
            except ValueError:
                writer.write(b"error\n")
    finally:
        writer.transport.abort()

# %% closing-1 wrong: works for nobody
# cause: work is called although the client has said nothing
# line: answer = await work(line) | line = await reader.readline()
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    try:
        line = await reader.readline()
        try:
            answer = await work(line)
        except ValueError:
            answer = b"error\n"
        writer.write(answer)
        await writer.drain()
    finally:
        writer.close()

# %% closing-1 right: contextlib.closing, and a function for the answer
from contextlib import closing


async def handle(reader, writer, work):
    async def answer_to(line):
        try:
            return await work(line)
        except ValueError:
            return b"error\n"

    with closing(writer):
        if line := await reader.readline():
            writer.writelines([await answer_to(line)])
            await writer.drain()

# %% closing-1 wrong: every lookup is an error, too
# cause: a KeyError of work is answered, not let out
# line: except (ValueError, KeyError):
async def handle(reader, writer, work):
    try:
        if line := await reader.readline():
            try:
                writer.write(await work(line))
            except (ValueError, KeyError):
                writer.write(b"error\n")
    finally:
        writer.close()

# %% at-most-1 wrong: they wait
# cause: who comes when all places are taken waits for one, and is not told busy
# line: async with places:
import asyncio


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    places = asyncio.Semaphore(number)

    async def handler(reader, writer):
        try:
            async with places:
                await handle(reader, writer)
        finally:
            writer.close()

    return handler

# %% at-most-1 wrong: one too many
# cause: serves one connection more than number
# line: if busy > number:
def at_most(number, handle):
    busy = 0

    async def handler(reader, writer):
        nonlocal busy
        try:
            if busy > number:
                writer.write(b"busy\n")
                await writer.drain()
                return
            busy += 1
            try:
                await handle(reader, writer)
            finally:
                busy -= 1
        finally:
            writer.close()

    return handler

# %% at-most-1 wrong: the place of who fails
# cause: if handle raises, its place is not free again
# line: busy -= 1
def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    busy = 0

    async def handler(reader, writer):
        nonlocal busy
        try:
            if busy == number:
                writer.write(b"busy\n")
                await writer.drain()
            else:
                busy += 1
                await handle(reader, writer)
                busy -= 1
        finally:
            writer.close()

    return handler

# %% at-most-1 wrong: who is busy gives a place back
# cause: who was not served gives back a place that it never had
# line: busy -= 1
def at_most(number, handle):
    busy = 0

    async def handler(reader, writer):
        nonlocal busy
        try:
            if busy >= number:
                writer.write(b"busy\n")
                await writer.drain()
            else:
                busy += 1
                await handle(reader, writer)
        finally:
            busy -= 1
            writer.close()

    return handler

# %% at-most-1 wrong: the error stays inside
# cause: the error of handle is swallowed
# line: with suppress(Exception):
from contextlib import suppress


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    under_way = set()

    async def handler(reader, writer):
        try:
            if len(under_way) < number:
                under_way.add(writer)
                with suppress(Exception):
                    await handle(reader, writer)
            else:
                writer.write(b"busy\n")
                await writer.drain()
        finally:
            under_way.discard(writer)
            writer.close()

    return handler

# %% at-most-1 right: a class that is a handler
from contextlib import closing, contextmanager


class AtMost:
    def __init__(self, number, handle):
        self.free, self.handle = number, handle

    @contextmanager
    def place(self):
        self.free -= 1
        try:
            yield
        finally:
            self.free += 1

    async def serve(self, reader, writer):
        with closing(writer):
            if not self.free:
                writer.write(b"busy\n")
                await writer.drain()
                return
            with self.place():
                await self.handle(reader, writer)


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    return AtMost(number, handle).serve

# %% at-most-1 wrong: one number for all servers
# cause: the count is a global of the module, so two servers share their places
# line: global inside
inside = 0


def at_most(number, handle):
    async def limited(reader, writer):
        global inside
        try:
            if inside >= number:
                writer.write(b"busy\n")
                return
            inside += 1
            try:
                await handle(reader, writer)
            finally:
                inside -= 1
        finally:
            writer.close()

    return limited

# %% frame-1 wrong: one try for both reads
# cause: The `except` also covers the message itself: if the connection ends right after the four bytes, `partial` is empty there too, and None is returned though it ended in the midst of a frame.
# line: return await reader.readexactly(length)
import asyncio
import struct


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        (length,) = struct.unpack(">I", await reader.readexactly(4))
        if length > 1000:
            raise ValueError(f"{length} bytes are too many")
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None

# %% frame-1 wrong: read(4)
# cause: `read(4)` returns at most four bytes, perhaps fewer, if they come one by one; then `unpack` fails with a struct.error.
# line: header = await reader.read(4)
import asyncio
import struct


async def read_frame(reader):
    """Return the next message, None at the end."""
    header = await reader.read(4)
    if not header:
        return None
    (length,) = struct.unpack(">I", header)
    if length > 1000:
        raise ValueError(f"{length} bytes are too many")
    return await reader.readexactly(length)

# %% frame-1 right: a loop over read, int.from_bytes
import asyncio


async def _exactly(reader, number):
    got = bytearray()
    while len(got) < number:
        some = await reader.read(number - len(got))
        if not some:
            raise asyncio.IncompleteReadError(bytes(got), number)
        got += some
    return bytes(got)


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        header = await _exactly(reader, 4)
    except asyncio.IncompleteReadError as error:
        match error.partial:
            case b"":
                return None
            case _:
                raise
    length = int.from_bytes(header, "big")
    if length > 1000:
        raise ValueError(f"a frame of {length} bytes")
    return await _exactly(reader, length)

# %% line-in-time-1 wrong: each letter has its seconds
# cause: The timeout begins anew with each letter; a client that sends a letter now and then can take as long as it likes.
# line: letter = await asyncio.wait_for(reader.read(1), seconds)
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    line = b""
    while True:
        letter = await asyncio.wait_for(reader.read(1), seconds)
        if not letter:
            return None
        if letter == b"\n":
            return line
        line += letter

# %% line-in-time-1 wrong: takes more than the line feed off
# cause: `rstrip()` takes off all blanks at the end of the line, not just the line feed: a line that ends with a space, a tab or a carriage return is changed.
# line: return line.rstrip()
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    async with asyncio.timeout(seconds):
        line = await reader.readline()
    if not line.endswith(b"\n"):
        return None
    return line.rstrip()

# %% line-in-time-1 right: a task and asyncio.wait
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    task = asyncio.ensure_future(reader.readuntil(b"\n"))
    try:
        done, _ = await asyncio.wait([task], timeout=seconds)
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
    if not done:
        raise TimeoutError
    try:
        return task.result().removesuffix(b"\n")
    except asyncio.IncompleteReadError:
        return None

# %% slow-reader-1 right: errors of the parts swallowed
async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    try:
        async for part in parts:
            writer.write(part)
            await writer.drain()
        writer.close()
        await writer.wait_closed()
    except ConnectionError:
        pass
    finally:
        writer.close()

# %% slow-reader-1 wrong: wait_closed unguarded
# cause: When the client has left early, `wait_closed` raises a ConnectionError as well; it isn't caught here and comes out.
# line: await writer.wait_closed()
async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    try:
        async for part in parts:
            writer.write(part)
            try:
                await writer.drain()
            except ConnectionError:
                break
    finally:
        writer.close()
        await writer.wait_closed()

# %% slow-reader-1 right: anext by hand, and a helper that says whether it worked
from contextlib import suppress

_END = object()


async def _works(awaitable):
    try:
        await awaitable
    except ConnectionError:
        return False
    return True


async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    iterator = aiter(parts)
    try:
        while (part := await anext(iterator, _END)) is not _END:
            writer.write(part)
            if not await _works(writer.drain()):
                break
    finally:
        writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()

# %% closing-1 wrong: a cancellation leaves it open
# cause: `except Exception` doesn't catch a CancelledError: if `work` is cancelled, the connection isn't closed.
# line: except Exception:
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    line = await reader.readline()
    if line:
        try:
            answer = await work(line)
        except ValueError:
            answer = b"error\n"
        except Exception:
            writer.close()
            raise
        writer.write(answer)
        await writer.drain()
    writer.close()
    await writer.wait_closed()

# %% closing-1 wrong: an empty line is taken for silence
# cause: A line that is empty but for its line feed is a line, and gets an answer; `strip` makes it look as if the client had said nothing.
# line: if not line.strip():
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    try:
        line = await reader.readline()
        if not line.strip():
            return
        try:
            answer = await work(line)
        except ValueError:
            answer = b"error\n"
        writer.write(answer)
        await writer.drain()
    finally:
        writer.close()

# %% closing-1 right: an exit stack that closes
from contextlib import ExitStack, suppress


async def _answer(work, line):
    try:
        return await work(line)
    except ValueError:
        return b"error\n"


async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    with ExitStack() as stack:
        stack.callback(writer.close)
        match await reader.readline():
            case b"":
                pass
            case line:
                writer.write(await _answer(work, line))
                await writer.drain()
    with suppress(ConnectionError):
        await writer.wait_closed()

# %% at-most-1 wrong: the place waits for the closing
# cause: The place is given back only after `wait_closed`: it stays taken while a slow client is still being closed, and for ever if `wait_closed` raises a ConnectionError. It should be free as soon as `handle` has ended.
# line: await writer.wait_closed()  # served | active -= 1
import asyncio


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    active = 0

    async def handler(reader, writer):
        nonlocal active
        if active >= number:
            writer.write(b"busy\n")
            writer.close()
            return
        active += 1
        try:
            await handle(reader, writer)
        finally:
            writer.close()
            await writer.wait_closed()  # served
            active -= 1

    return handler

# %% at-most-1 wrong: those turned away are counted too
# cause: Who is turned away is counted as well until his connection is closed; while that takes its time, the count is too high, and somebody who comes to a free place is told "busy".
# line: active += 1
# told: none
import asyncio
from contextlib import suppress


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    active = 0

    async def handler(reader, writer):
        nonlocal active
        active += 1
        try:
            if active > number:
                writer.write(b"busy\n")
                writer.close()
                with suppress(ConnectionError):
                    await writer.wait_closed()
            else:
                await handle(reader, writer)
        finally:
            active -= 1
            writer.close()

    return handler

# %% at-most-1 right: a list of places in a class
from contextlib import contextmanager, suppress


class _Places:
    def __init__(self, number, handle):
        self.free = list(range(number))
        self.handle = handle

    @contextmanager
    def place(self):
        mine = self.free.pop()
        try:
            yield mine
        finally:
            self.free.append(mine)

    async def serve(self, reader, writer):
        try:
            if self.free:
                with self.place():
                    await self.handle(reader, writer)
            else:
                writer.write(b"busy\n")
        finally:
            writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    return _Places(number, handle).serve

# %% frame-1 wrong: an end right after the length is taken for a clean one
# cause: Both reads are in one try. If the connection ends exactly after the four bytes of the length, `partial` is empty too, and None is returned although the end came in the midst of a frame.
# line: if not error.partial | return await reader.readexactly(length)
import asyncio
import struct


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        (length,) = struct.unpack(">I", await reader.readexactly(4))
        if length > 1000:
            raise ValueError(f"a frame of {length} bytes")
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return None
        raise

# %% frame-1 wrong: as much as happens to be there
# cause: `read(length)` returns as soon as some bytes are there: a message that comes in pieces is cut off, and its rest is taken for the next length; an end in the midst of it goes unnoticed.
# line: await reader.read(length)
import asyncio
import struct


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        header = await reader.readexactly(4)
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None
    length = struct.unpack(">I", header)[0]
    if length > 1000:
        raise ValueError("frame too long")
    if length == 0:
        return b""
    return await reader.read(length)

# %% frame-1 right: a first byte, then the rest
import asyncio


async def read_frame(reader):
    """Return the next message, None at the end."""
    match await reader.read(1):
        case b"":
            return None
        case first:
            pass
    try:
        rest = await reader.readexactly(3)
    except asyncio.IncompleteReadError as error:
        raise asyncio.IncompleteReadError(first + error.partial, 4) from None
    length = int.from_bytes(first + rest, "big")
    if length > 1000:
        raise ValueError(f"{length} bytes are too many for a frame")
    return await reader.readexactly(length)

# %% line-in-time-1 wrong: the time begins again with each letter
# cause: The limit holds for each single letter, not for the line: somebody who sends a letter now and then keeps us waiting for ever.
# line: asyncio.wait_for(reader.read(1), seconds)
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    line = bytearray()
    while True:
        letter = await asyncio.wait_for(reader.read(1), seconds)
        if letter == b"":
            return None
        if letter == b"\n":
            return bytes(line)
        line += letter

# %% line-in-time-1 wrong: an empty line is taken for the end
# cause: An empty line is b"" without its line feed, which is false: `or None` makes None of it, as if the connection had ended.
# line: line[:-1] or None
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    async with asyncio.timeout(seconds):
        line = await reader.readline()
    if line and not line.endswith(b"\n"):
        return None
    return line[:-1] or None

# %% line-in-time-1 right: the reader as an async iterator
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    deadline = asyncio.get_running_loop().time() + seconds
    async with asyncio.timeout_at(deadline):
        async for line in reader:
            return line.removesuffix(b"\n") if line.endswith(b"\n") else None
    return None

# %% slow-reader-1 right: one `except` around the whole
import contextlib


async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    try:
        async for part in parts:
            writer.write(part)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

# %% slow-reader-1 wrong: wait_closed may raise too
# cause: Only `drain` is guarded. If the client has left, `wait_closed` raises a ConnectionError as well, which comes out here.
# line: await writer.wait_closed()
async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    try:
        async for part in parts:
            writer.write(part)
            try:
                await writer.drain()
            except ConnectionError:
                break
    finally:
        writer.close()
        await writer.wait_closed()

# %% slow-reader-1 right: a helper that says whether the client is still there
import contextlib


class Client:
    def __init__(self, writer):
        self.writer = writer
        self.gone = False

    async def send(self, part):
        with contextlib.suppress(ConnectionError):
            self.writer.write(part)
            await self.writer.drain()
            return
        self.gone = True

    async def leave(self):
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    client, iterator, end = Client(writer), aiter(parts), object()
    with contextlib.closing(writer):
        while not client.gone:
            if (part := await anext(iterator, end)) is end:
                break
            await client.send(part)
    await client.leave()

# %% closing-1 wrong: an empty line is taken for nothing
# cause: A line that is empty but for its line feed is a line, too, and wants an answer; after strip() it looks as if the client had said nothing.
# line: if not line.strip()
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    try:
        line = await reader.readline()
        if not line.strip():
            return
        try:
            answer = await work(line)
        except ValueError:
            answer = b"error\n"
        writer.write(answer)
        await writer.drain()
    finally:
        writer.close()

# %% closing-1 wrong: a cancellation leaves the connection open
# cause: The connection is closed at the end and after an Exception; a cancellation is neither, so when `work` is cancelled the connection stays open.
# line: except Exception
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    line = await reader.readline()
    if line:
        try:
            writer.write(await work(line))
        except ValueError:
            writer.write(b"error\n")
        except Exception:
            writer.close()
            raise
        await writer.drain()
    writer.close()
    await writer.wait_closed()

# %% closing-1 right: contextlib.closing and match
import contextlib


async def answer_to(line, work):
    try:
        return await work(line)
    except ValueError:
        return b"error\n"


async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    with contextlib.closing(writer):
        match await reader.readline():
            case b"":
                return
            case line:
                writer.write(await answer_to(line, work))
                await writer.drain()

# %% at-most-1 wrong: the place is kept until the last byte is gone
# cause: The place is given back only after wait_closed. A client that does not read its answer keeps its place although `handle` has ended long ago.
# line: await writer.wait_closed()
import asyncio


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    places = asyncio.Semaphore(number)

    async def handler(reader, writer):
        if places.locked():
            writer.write(b"busy\n")
            writer.close()
            return
        async with places:
            try:
                await handle(reader, writer)
            finally:
                writer.close()
                await writer.wait_closed()

    return handler

# %% at-most-1 wrong: a counter for all handlers together
# cause: The counter is one variable of the module, so all handlers that `at_most` makes share their places.
# line: global served
import asyncio

served = 0


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""

    async def handler(reader, writer):
        global served
        try:
            if served >= number:
                writer.write(b"busy\n")
                await writer.drain()
                return
            served += 1
            try:
                await handle(reader, writer)
            finally:
                served -= 1
        finally:
            writer.close()

    return handler

# %% at-most-1 right: a bound method and a set of places
import contextlib


class Doorman:
    def __init__(self, number, handle):
        self.places = set(range(number))
        self.handle = handle

    @contextlib.contextmanager
    def place(self):
        taken = self.places.pop()
        try:
            yield
        finally:
            self.places.add(taken)

    async def serve(self, reader, writer):
        with contextlib.closing(writer):
            if not self.places:
                writer.write(b"busy\n")
                return
            with self.place():
                await self.handle(reader, writer)


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    return Doorman(number, handle).serve

# %% frame-1 wrong: an end right behind the length
# cause: Both reads stand in one try: if the connection ends right after the four bytes, `partial` is empty too, and None comes back, though it ended inside a frame.
# line: if not error.partial: | return await reader.readexactly(length)
import asyncio
import struct


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        head = await reader.readexactly(4)
        (length,) = struct.unpack(">I", head)
        if length > 1000:
            raise ValueError("frame too long")
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return None
        raise

# %% frame-1 wrong: read may give less
# cause: `read(4)` returns what is there, up to four bytes: a length that comes in pieces is a struct.error.
# line: head = await reader.read(4)
import asyncio
import struct


async def read_frame(reader):
    """Return the next message, None at the end."""
    head = await reader.read(4)
    if not head:
        return None
    (length,) = struct.unpack(">I", head)
    if length > 1000:
        raise ValueError("frame too long")
    return await reader.readexactly(length)

# %% frame-1 right: match on what is left
import asyncio


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        head = await reader.readexactly(4)
    except asyncio.IncompleteReadError as error:
        match error.partial:
            case b"":
                return None
            case _:
                raise
    length = int.from_bytes(head, "big")
    if length > 1000:
        raise ValueError(f"{length} bytes are too many")
    return await reader.readexactly(length)

# %% line-in-time-1 wrong: half a line counts
# cause: At the end of the connection `readline` returns what has come without a line feed; that is no line, and None should come back.
# line: if not line: | return line.removesuffix(b"\n")
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    async with asyncio.timeout(seconds):
        line = await reader.readline()
    if not line:
        return None
    return line.removesuffix(b"\n")

# %% line-in-time-1 wrong: time for each letter
# cause: Each letter gets `seconds` anew: a line that comes letter by letter takes as long as it likes.
# line: await asyncio.wait_for(reader.read(1), seconds)
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    line = b""
    while True:
        letter = await asyncio.wait_for(reader.read(1), seconds)
        if not letter:
            return None
        if letter == b"\n":
            return line
        line += letter

# %% line-in-time-1 wrong: more is stripped than the line feed
# cause: `strip` also takes spaces, tabs and carriage returns away, at both ends; only the line feed goes.
# line: return line.strip()
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    try:
        line = await asyncio.wait_for(reader.readuntil(b"\n"), seconds)
    except asyncio.IncompleteReadError:
        return None
    return line.strip()

# %% slow-reader-1 wrong: wait_closed raises too
# cause: If the client has left, `wait_closed` raises a ConnectionError as well; here it stands outside of what catches that, and the error comes out.
# line: await writer.wait_closed()
async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    try:
        async for part in parts:
            writer.write(part)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
        await writer.wait_closed()

# %% slow-reader-1 wrong: a drain now and then
# cause: `drain` is awaited only after every tenth part: with parts of 64 KiB, up to 640 KiB lie in the buffer of a slow client.
# line: if count % 10 == 0:
from contextlib import suppress


async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    count = 0
    try:
        async for part in parts:
            writer.write(part)
            count += 1
            if count % 10 == 0:
                await writer.drain()
        await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

# %% slow-reader-1 right: an exit stack closes
from contextlib import AsyncExitStack, suppress


async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    async def close():
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    async with AsyncExitStack() as stack:
        stack.push_async_callback(close)
        stack.enter_context(suppress(ConnectionError))
        async for part in parts:
            writer.write(part)
            await writer.drain()

# %% closing-1 wrong: an empty line is taken for nothing, again
# cause: A line that holds nothing but its line feed is a line, and is to be answered; only b"" is the end of a client that said nothing.
# line: if not line.strip():
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    try:
        line = await reader.readline()
        if not line.strip():
            return
        try:
            answer = await work(line)
        except ValueError:
            answer = b"error\n"
        writer.write(answer)
        await writer.drain()
    finally:
        writer.close()

# %% closing-1 wrong: what is not an Exception does not close
# cause: A cancellation is a CancelledError, which is no Exception: the connection stays open.
# line: except Exception:
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    line = await reader.readline()
    if line:
        try:
            answer = await work(line)
        except ValueError:
            answer = b"error\n"
        except Exception:
            writer.close()
            raise
        writer.write(answer)
        await writer.drain()
    writer.close()
    await writer.wait_closed()

# %% closing-1 right: contextlib.closing
from contextlib import closing


async def answer_to(line, work):
    try:
        return await work(line)
    except ValueError:
        return b"error\n"


async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    with closing(writer):
        if line := await reader.readline():
            writer.write(await answer_to(line, work))
            await writer.drain()

# %% at-most-1 wrong: the place waits for the goodbye
# cause: The place is given back after wait_closed, not when `handle` has ended; and if wait_closed raises an error or is cancelled, it is lost for ever.
# line: await writer.wait_closed() | taken -= 1
import asyncio


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    taken = 0

    async def serve(reader, writer):
        nonlocal taken
        if taken >= number:
            writer.write(b"busy\n")
            writer.close()
            return
        taken += 1
        try:
            await handle(reader, writer)
        finally:
            writer.close()
            await writer.wait_closed()
            taken -= 1

    return serve

# %% at-most-1 wrong: one who is sent away frees a place
# cause: The `finally` also runs for a client that was told "busy": it gives back a place that it never took, and soon there are more than `number`.
# line: taken -= 1 | finally:
import asyncio


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    taken = 0

    async def serve(reader, writer):
        nonlocal taken
        try:
            if taken == number:
                writer.write(b"busy\n")
                await writer.drain()
                return
            taken += 1
            await handle(reader, writer)
        finally:
            taken -= 1
            writer.close()

    return serve

# %% at-most-1 right: places in a list
import asyncio
from contextlib import ExitStack, closing


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    free = [*range(number)]

    async def serve(reader, writer):
        with ExitStack() as stack:
            stack.enter_context(closing(writer))
            try:
                place = free.pop()
            except IndexError:
                writer.write(b"busy\n")
                return
            stack.callback(free.append, place)
            await handle(reader, writer)

    return serve

# %% closing-1 wrong: an empty line is nothing
# cause: a line that holds nothing but its line feed is taken for the end
# line: if not line.strip()
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    try:
        line = await reader.readline()
        if not line.strip():
            return
        try:
            answer = await work(line)
        except ValueError:
            answer = b"error\n"
        writer.write(answer)
        await writer.drain()
    finally:
        writer.close()
        await writer.wait_closed()

# %% closing-1 wrong: every error is answered
# cause: except Exception: an error other than ValueError doesn't come out
# line: except Exception
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    try:
        line = await reader.readline()
        if line:
            try:
                writer.write(await work(line))
            except Exception:
                writer.write(b"error\n")
            await writer.drain()
    finally:
        writer.close()
        await writer.wait_closed()

# %% closing-1 wrong: works without a line
# cause: a client that says nothing is not looked for: work is called with b""
# line: await work(line)
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    try:
        line = await reader.readline()
        try:
            answer = await work(line)
        except ValueError:
            answer = b"error\n"
        writer.write(answer)
        await writer.drain()
    finally:
        writer.close()
        await writer.wait_closed()

# %% frame-1 wrong: one try around both reads
# cause: an end inside the message is taken for an end before the frame
# line: except asyncio.IncompleteReadError
import asyncio
import struct


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        (length,) = struct.unpack(">I", await reader.readexactly(4))
        if length > 1000:
            raise ValueError(f"a frame of {length} bytes")
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError:
        return None

# %% frame-1 wrong: one try around both reads, asks what came
# cause: an end right behind the length is taken for an end before the frame
# line: if not error.partial | except asyncio.IncompleteReadError | return await reader.readexactly(length)
import asyncio
import struct


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        head = await reader.readexactly(4)
        length = struct.unpack(">I", head)[0]
        if length > 1000:
            raise ValueError(f"a frame of {length} bytes")
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return None
        raise

# %% line-in-time-1 wrong: readline, half a line
# cause: readline returns half a line at the end; that is returned as if it were one
# line: if not line | line.rstrip
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    async with asyncio.timeout(seconds):
        line = await reader.readline()
    if not line:
        return None
    return line.rstrip(b"\n")

# %% line-in-time-1 wrong: strip
# cause: strip takes away more than the line feed
# line: line.strip()
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    async with asyncio.timeout(seconds):
        line = await reader.readline()
    if not line.endswith(b"\n"):
        return None
    return line.strip()

# %% line-in-time-1 wrong: falsy empty line
# cause: an empty line becomes None
# line: return line or None
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    async with asyncio.timeout(seconds):
        line = await reader.readline()
    line = line.removesuffix(b"\n")
    return line or None

# %% line-in-time-1 wrong: seconds for each byte
# cause: the time begins anew with each byte
# line: asyncio.timeout(seconds) | asyncio.wait_for
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    line = b""
    while True:
        byte = await asyncio.wait_for(reader.read(1), seconds)
        if not byte:
            return None
        if byte == b"\n":
            return line
        line += byte

# %% line-in-time-1 wrong: reads in blocks
# cause: what comes after the line is lost
# line: reader.read(
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    async with asyncio.timeout(seconds):
        data = b""
        while b"\n" not in data:
            part = await reader.read(1024)
            if not part:
                return None
            data += part
    return data.split(b"\n")[0]

# %% line-in-time-1 wrong: None for the timeout
# cause: TimeoutError swallowed
# line: except (TimeoutError | except TimeoutError
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    try:
        async with asyncio.timeout(seconds):
            line = await reader.readuntil(b"\n")
        return line[:-1]
    except (TimeoutError, asyncio.IncompleteReadError):
        return None

# %% line-in-time-1 wrong: partial returned
# cause: half a line is returned
# line: error.partial | except asyncio.IncompleteReadError
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    try:
        line = await asyncio.wait_for(reader.readuntil(), seconds)
    except asyncio.IncompleteReadError as error:
        return error.partial or None
    return line[:-1]

# %% slow-reader-1 wrong: drains each tenth part
# cause: ten parts of 64 KiB are more than 256 KiB
# line: if number % 10 == 0 | await writer.drain()
async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    number = 0
    try:
        async for part in parts:
            writer.write(part)
            number += 1
            if number % 10 == 0:
                await writer.drain()
        await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
        try:
            await writer.wait_closed()
        except ConnectionError:
            pass

# %% slow-reader-1 wrong: drains each tenth part, enumerate
# cause: ten parts of 64 KiB are more than 256 KiB
# line: % 10 | await writer.drain()
import contextlib


async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    count = 0
    try:
        with contextlib.suppress(ConnectionError):
            async for part in parts:
                count += 1
                writer.write(part)
                if not count % 10:
                    await writer.drain()
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

# %% frame-1 wrong: half a length is an ordinary end
# cause: None is returned although one to three bytes of a frame had come
# line: except asyncio.IncompleteReadError: | return None
import asyncio
import struct


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        head = await reader.readexactly(4)
    except asyncio.IncompleteReadError:
        return None
    (length,) = struct.unpack(">I", head)
    if length > 1000:
        raise ValueError(f"a frame of {length} bytes")
    return await reader.readexactly(length)

# %% frame-1 wrong: takes what is there of the message
# cause: read returns what bytes have come, which may be only a part of the message
# line: message = await reader.read(length) | await reader.read(length)
from asyncio import IncompleteReadError

MOST = 1000


async def read_frame(reader):
    try:
        length = int.from_bytes(await reader.readexactly(4), "big")
    except IncompleteReadError as error:
        if error.partial:
            raise
        return None
    if length > MOST:
        raise ValueError("too long")
    message = await reader.read(length) if length else b""
    return message

# %% frame-1 wrong: looks at the length too late
# cause: the message is waited for before its length is looked at
# line: message = await reader.readexactly(length) | if length > 1000:
import asyncio
import struct


async def read_frame(reader):
    """Return the next message, None at the end."""
    header = struct.Struct(">I")
    try:
        head = await reader.readexactly(header.size)
    except asyncio.IncompleteReadError as error:
        if error.partial == b"":
            return None
        raise
    [length] = header.unpack(head)
    message = await reader.readexactly(length)
    if length > 1000:
        raise ValueError(f"{length} is too long")
    return message

# %% frame-1 right: the first byte alone
import struct


async def read_frame(reader):
    if not (first := await reader.read(1)):
        return None
    (length,) = struct.unpack(">I", first + await reader.readexactly(3))
    if length > 1000:
        raise ValueError(length)
    return await reader.readexactly(length)

# %% frame-1 right: match on the error
from asyncio import IncompleteReadError


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        head = await reader.readexactly(4)
    except IncompleteReadError as error:
        match error.partial:
            case b"":
                return None
            case _:
                raise
    match int.from_bytes(head, "big"):
        case length if length <= 1000:
            return await reader.readexactly(length)
        case length:
            raise ValueError(f"{length} bytes in one frame")

# %% line-in-time-1 wrong: strips more than the line feed
# cause: strip takes away spaces and carriage returns of the line, not only its line feed
# line: return line.strip()
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    async with asyncio.timeout(seconds):
        line = await reader.readline()
    if not line.endswith(b"\n"):
        return None
    return line.strip()

# %% line-in-time-1 wrong: the time begins anew at each letter
# cause: the limit is around each read and not around the whole line
# line: byte = await asyncio.wait_for(reader.read(1), seconds)
import asyncio


async def read_line(reader, seconds):
    line = bytearray()
    while True:
        byte = await asyncio.wait_for(reader.read(1), seconds)
        if not byte:
            return None
        if byte == b"\n":
            return bytes(line)
        line += byte

# %% line-in-time-1 wrong: half a line is a line
# cause: at the end of the connection readline returns a line that is not whole, and it is returned, not None
# line: if not line: | line = await asyncio.wait_for(reader.readline(), timeout=seconds) | return line.removesuffix(b"\n")
import asyncio


async def read_line(reader: asyncio.StreamReader, seconds: float) -> bytes | None:
    line = await asyncio.wait_for(reader.readline(), timeout=seconds)
    if not line:
        return None
    return line.removesuffix(b"\n")

# %% line-in-time-1 right: readuntil
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    try:
        async with asyncio.timeout(seconds):
            return (await reader.readuntil(b"\n"))[:-1]
    except asyncio.IncompleteReadError:
        return None

# %% line-in-time-1 right: partition
import asyncio


async def read_line(reader, seconds):
    got = await asyncio.wait_for(reader.readline(), seconds)
    line, feed, _ = got.partition(b"\n")
    return line if feed else None

# %% slow-reader-1 wrong: drains at every sixteenth part
# cause: between two drains up to sixteen parts, a whole MiB, pile up in the buffer
# line: if count % 16 == 0: | await writer.drain() | writer.write(part)
from contextlib import suppress


async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    count = 0
    try:
        async for part in parts:
            writer.write(part)
            count += 1
            if count % 16 == 0:  # a drain for each part would be slow
                await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()

# %% slow-reader-1 wrong: an error out of wait_closed
# cause: wait_closed raises a ConnectionError too if the client has left, and nothing catches it
# line: await writer.wait_closed()
async def send_all(writer, parts):
    try:
        async for part in parts:
            writer.write(part)
            await writer.drain()
    except ConnectionError:
        print("the client has left")
    finally:
        writer.close()
    await writer.wait_closed()

# %% slow-reader-1 wrong: goes on taking parts for a client that has left
# cause: the ConnectionError is swallowed inside the loop, which takes the next part
# line: with suppress(ConnectionError): | await writer.drain()
from contextlib import closing, suppress


async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    with closing(writer):
        async for part in parts:
            with suppress(ConnectionError):
                writer.write(part)
                await writer.drain()
    try:
        await writer.wait_closed()
    except ConnectionError:
        return

# %% slow-reader-1 right: suppress around closing
from contextlib import closing, suppress


async def send_all(writer, parts):
    with suppress(ConnectionError):
        with closing(writer):
            async for part in parts:
                writer.write(part)
                await writer.drain()
        await writer.wait_closed()

# %% slow-reader-1 right: by hand, with anext
async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    end = object()
    iterator = aiter(parts)
    try:
        while (part := await anext(iterator, end)) is not end:
            writer.write(part)
            try:
                await writer.drain()
            except ConnectionError:
                break
    finally:
        writer.close()
    try:
        await writer.wait_closed()
    except ConnectionError:
        pass

# %% closing-1 wrong: an empty line is taken for the end
# cause: a line that holds only its line feed is left without an answer
# line: if not line.strip(): | return  # nothing was said
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    try:
        line = await reader.readline()
        if not line.strip():
            return  # nothing was said
        try:
            answer = await work(line)
        except ValueError:
            answer = b"error\n"
        writer.write(answer)
        await writer.drain()
    finally:
        writer.close()

# %% closing-1 wrong: stays open if work is cancelled
# cause: a cancellation is no Exception, so nothing closes the connection then
# line: except Exception:
async def handle(reader, writer, work):
    if line := await reader.readline():
        try:
            writer.write(await work(line))
        except ValueError:
            writer.write(b"error\n")
        except Exception:
            writer.close()
            raise
    writer.close()

# %% closing-1 wrong: throws away the end of the answer
# cause: abort drops what is still in the buffer, and after drain that may be a part of the answer
# line: writer.transport.abort()
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""

    async def answer(line: bytes) -> bytes:
        try:
            return await work(line)
        except ValueError:
            return b"error\n"

    try:
        line = await reader.readline()
        if line:
            writer.write(await answer(line))
            await writer.drain()
    finally:
        writer.transport.abort()

# %% closing-1 right: contextlib.closing, and no drain
from contextlib import closing


async def handle(reader, writer, work):
    with closing(writer):
        match await reader.readline():
            case b"":
                return
            case line:
                try:
                    answer = await work(line)
                except ValueError:
                    answer = b"error\n"
                writer.write(answer)

# %% closing-1 right: close in an exit stack, then wait
from contextlib import ExitStack


async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    with ExitStack() as stack:
        stack.callback(writer.close)
        if not (line := await reader.readline()):
            return
        try:
            answer = await work(line)
        except ValueError:
            writer.write(b"error\n")
        else:
            writer.write(answer)
            await writer.drain()
    await writer.wait_closed()

# %% at-most-1 wrong: the place is free only when the connection has closed
# cause: a client that reads nothing, or has left, keeps its place after handle has ended
# line: await writer.wait_closed() | serving -= 1
def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    serving = 0

    async def handler(reader, writer):
        nonlocal serving
        if serving >= number:
            writer.write(b"busy\n")
            writer.close()
            return
        serving += 1
        try:
            await handle(reader, writer)
        finally:
            writer.close()
            await writer.wait_closed()
            serving -= 1

    return handler

# %% at-most-1 wrong: a refused client frees a place
# cause: the finally also runs for a client that was refused, and gives back a place that it never had
# line: free += 1
def at_most(number, handle):
    free = number

    async def limited(reader, writer):
        nonlocal free
        try:
            if free <= 0:
                writer.write(b"busy\n")
                return
            free -= 1
            await handle(reader, writer)
        finally:
            free += 1
            writer.close()

    return limited

# %% at-most-1 wrong: all handlers share their places
# cause: the set of the connections stands outside at_most, so all handlers count together
# line: connections = set() | if len(connections) >= number:
from contextlib import closing

connections = set()


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""

    async def handler(reader, writer):
        with closing(writer):
            if len(connections) >= number:
                writer.write(b"busy\n")
                return
            connections.add(writer)
            try:
                await handle(reader, writer)
            finally:
                connections.discard(writer)

    return handler

# %% at-most-1 right: a semaphore that nobody waits for
import asyncio
from contextlib import closing


def at_most(number, handle):
    places = asyncio.Semaphore(number)

    async def handler(reader, writer):
        with closing(writer):
            if places.locked():
                writer.write(b"busy\n")
            else:
                async with places:
                    await handle(reader, writer)

    return handler

# %% at-most-1 right: a method of an object
class Places:
    def __init__(self, number, handle):
        self.free, self.handle = list(range(number)), handle

    async def serve(self, reader, writer):
        try:
            place = self.free.pop()
        except IndexError:
            writer.write(b"busy\n")
            writer.close()
            return
        try:
            return await self.handle(reader, writer)
        finally:
            self.free.append(place)
            writer.close()


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    return Places(number, handle).serve

# %% frame-1 wrong: asks for the end beforehand
# cause: at_eof() is only true once the end has come; if the connection ends while it waits for the next frame, IncompleteReadError comes out instead of None.
# line: if reader.at_eof(): | (length,) = struct.unpack(">I", await reader.readexactly(4))
import asyncio
import struct


async def read_frame(reader):
    if reader.at_eof():
        return None
    (length,) = struct.unpack(">I", await reader.readexactly(4))
    if length > 1000:
        raise ValueError(f"a frame of {length} bytes")
    return await reader.readexactly(length)

# %% frame-1 wrong: nothing of the body looks like the end
# cause: if the connection ends right after the four bytes, error.partial is empty too, and it returns None although it ended inside a frame.
# line: message = await reader.readexactly(length) | if error.partial:
import asyncio
import struct


async def read_frame(reader):
    try:
        header = await reader.readexactly(4)
        (length,) = struct.unpack(">I", header)
        if length > 1000:
            raise ValueError("frame too long")
        message = await reader.readexactly(length)
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None
    return message

# %% frame-1 right: the first byte alone, again
async def read_frame(reader):
    first = await reader.read(1)
    if first == b"":
        return None
    length = int.from_bytes(first + await reader.readexactly(3), "big")
    if length > 1000:
        raise ValueError(length)
    return await reader.readexactly(length)

# %% line-in-time-1 wrong: leaves the reading task behind
# cause: when time is up, the task goes on reading: it takes the next line away, and a later read is refused because another one waits.
# line: raise TimeoutError | task = asyncio.create_task(reader.readline())
import asyncio


async def read_line(reader, seconds):
    task = asyncio.create_task(reader.readline())
    done, _ = await asyncio.wait({task}, timeout=seconds)
    if not done:
        raise TimeoutError(f"no line after {seconds} s")
    line = task.result()
    if not line.endswith(b"\n"):
        return None
    return line[:-1]

# %% line-in-time-1 wrong: looks at the clock between letters
# cause: the deadline is only looked at between two letters; if no further letter comes, read(1) waits for ever.
# line: letter = await reader.read(1)
import asyncio


async def read_line(reader, seconds):
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    line = bytearray()
    while loop.time() < deadline:
        letter = await reader.read(1)
        if not letter:
            return None
        if letter == b"\n":
            return bytes(line)
        line += letter
    raise TimeoutError

# %% line-in-time-1 right: async for over the reader
import asyncio


async def read_line(reader, seconds):
    async with asyncio.timeout(seconds):
        async for chunk in reader:
            line, feed, _ = chunk.partition(b"\n")
            return line if feed else None
    return None

# %% slow-reader-1 wrong: goes on after the client has left
# cause: the ConnectionError is swallowed inside the loop, so it takes further parts, perhaps without end, for a client that has left.
# line: with contextlib.suppress(ConnectionError):
import asyncio
import contextlib


async def send_all(writer, parts):
    try:
        async for part in parts:
            writer.write(part)
            with contextlib.suppress(ConnectionError):
                await writer.drain()
    finally:
        writer.close()
    try:
        await writer.wait_closed()
    except ConnectionError:
        pass

# %% slow-reader-1 right: anext by hand
import contextlib

_END = object()


async def send_all(writer, parts):
    iterator = aiter(parts)
    with contextlib.suppress(ConnectionError):
        with contextlib.closing(writer):
            while (part := await anext(iterator, _END)) is not _END:
                writer.write(part)
                await writer.drain()
        await writer.wait_closed()

# %% closing-1 wrong: aborts what is not sent yet
# cause: abort throws away what still lies in the buffer (drain doesn't wait until it is empty), so the end of a long answer is lost.
# line: writer.transport.abort()
async def handle(reader, writer, work):
    try:
        line = await reader.readline()
        if line:
            try:
                answer = await work(line)
            except ValueError:
                answer = b"error\n"
            writer.write(answer)
            await writer.drain()
    finally:
        # never wait for a client that does not read
        writer.transport.abort()

# %% closing-1 right: contextlib.closing and a helper
import contextlib


async def _answer(work, line):
    try:
        return await work(line)
    except ValueError:
        return b"error\n"


async def handle(reader, writer, work):
    with contextlib.closing(writer):
        if line := await reader.readline():
            writer.write(await _answer(work, line))
            await writer.drain()

# %% at-most-1 wrong: the place comes back last
# cause: the place is given back only after wait_closed, which may take long, or raise a ConnectionError, and then the place is lost.
# line: await writer.wait_closed() | taken -= 1
def at_most(number, handle):
    taken = 0

    async def serve(reader, writer):
        nonlocal taken
        if taken >= number:
            writer.write(b"busy\n")
            writer.close()
            return
        taken += 1
        try:
            await handle(reader, writer)
        finally:
            writer.close()
            await writer.wait_closed()
            taken -= 1

    return serve

# %% at-most-1 wrong: refused clients give back a place
# cause: the finally also runs for a refused client, which gives back a place that it never took, so more than number are served later.
# line: taken -= 1 | try:
def at_most(number, handle):
    taken = 0

    async def serve(reader, writer):
        nonlocal taken
        try:
            if taken >= number:
                writer.write(b"busy\n")
                await writer.drain()
                return
            taken += 1
            await handle(reader, writer)
        finally:
            taken -= 1
            writer.close()

    return serve

# %% at-most-1 right: a bound method and a list of places
import contextlib


class _Gate:
    def __init__(self, number, handle):
        self.places = list(range(number))
        self.handle = handle

    async def serve(self, reader, writer):
        with contextlib.ExitStack() as stack:
            stack.callback(writer.close)
            try:
                place = self.places.pop()
            except IndexError:
                writer.write(b"busy\n")
                return
            stack.callback(self.places.append, place)
            await self.handle(reader, writer)


def at_most(number, handle):
    return _Gate(number, handle).serve

# %% slow-reader-1 wrong: drains when the limit is passed
# cause: it drains only when the buffer already holds more than 256 KiB, so a part of 64 KiB may lie in it on top of that.
# line: if writer.transport.get_write_buffer_size() > LIMIT:
import asyncio

LIMIT = 256 * 1024


async def send_all(writer, parts):
    try:
        async for part in parts:
            writer.write(part)
            if writer.transport.get_write_buffer_size() > LIMIT:
                await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
    try:
        await writer.wait_closed()
    except ConnectionError:
        pass

# %% closing-1 wrong: reads before the try
# cause: if reading the line fails or the handler is cancelled while it waits for the line, the connection isn't closed.
# line: line = await reader.readline()
async def handle(reader, writer, work):
    line = await reader.readline()
    try:
        if not line:
            return
        try:
            answer = await work(line)
        except ValueError:
            answer = b"error\n"
        writer.write(answer)
        await writer.drain()
    finally:
        writer.close()

# %% frame-1 wrong: one except around both parts
# cause: if the connection ends right after the four bytes of the length, nothing of the message has come and it returns None instead of an error
# line: if not error.partial: | return await reader.readexactly(length)
import asyncio
import struct


async def read_frame(reader):
    try:
        (length,) = struct.unpack(">I", await reader.readexactly(4))
        if length > 1000:
            raise ValueError("too long")
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return None
        raise

# %% frame-1 wrong: asks at_eof beforehand
# cause: at_eof is True only if the end has come already, so an end that comes while it waits is an IncompleteReadError, not None
# line: if reader.at_eof(): | head = await reader.readexactly(4)
import asyncio
import struct


async def read_frame(reader):
    if reader.at_eof():
        return None
    head = await reader.readexactly(4)
    length = struct.unpack(">I", head)[0]
    if length > 1000:
        raise ValueError(f"a frame of {length} bytes")
    return await reader.readexactly(length)

# %% frame-1 right: read in an explicit loop
import asyncio


async def _fill(reader, size):
    got = bytearray()
    while len(got) < size:
        piece = await reader.read(size - len(got))
        if not piece:
            raise asyncio.IncompleteReadError(bytes(got), size)
        got += piece
    return bytes(got)


async def read_frame(reader):
    first = await reader.read(1)
    if first == b"":
        return None
    length = int.from_bytes(first + await _fill(reader, 3), "big")
    if length not in range(1001):
        raise ValueError("this frame is too long")
    return await _fill(reader, length)

# %% line-in-time-1 wrong: puts the rest back at the wrong end
# cause: it reads more than the line, and feed_data puts the rest behind what the reader holds or fails after the end of the connection
# line: reader.feed_data(rest) | chunk = await reader.read(1024)
import asyncio


async def read_line(reader, seconds):
    line = b""
    async with asyncio.timeout(seconds):
        while b"\n" not in line:
            chunk = await reader.read(1024)
            if not chunk:
                return None
            line += chunk
    line, _, rest = line.partition(b"\n")
    if rest:
        reader.feed_data(rest)
    return line

# %% line-in-time-1 wrong: splitlines knows more line ends
# cause: splitlines also cuts at a carriage return, so a line that holds one is shortened
# line: return line.splitlines()[0]
import asyncio


async def read_line(reader, seconds):
    line = await asyncio.wait_for(reader.readline(), seconds)
    if not line.endswith(b"\n"):
        return None
    return line.splitlines()[0]

# %% line-in-time-1 right: byte by byte under one limit
import asyncio


async def _letters(reader):
    while (letter := await reader.read(1)) != b"\n":
        yield letter


async def read_line(reader, seconds):
    line = bytearray()
    async with asyncio.timeout(seconds):
        async for letter in _letters(reader):
            if not letter:
                return None
            line += letter
    return bytes(line)

# %% slow-reader-1 wrong: the limit as high water
# cause: drain waits only when more than 256 KiB lie there, so one more part makes it up to 320 KiB
# line: writer.transport.set_write_buffer_limits(high=256 * 1024)
import contextlib


async def send_all(writer, parts):
    writer.transport.set_write_buffer_limits(high=256 * 1024)
    try:
        async for part in parts:
            writer.write(part)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()

# %% slow-reader-1 wrong: an empty part is the end, again
# cause: it stops at an empty part, though more parts come after it
# line: if not part:
async def send_all(writer, parts):
    try:
        async for part in parts:
            if not part:
                break
            writer.write(part)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
    try:
        await writer.wait_closed()
    except ConnectionError:
        pass

# %% slow-reader-1 right: anext in an explicit loop
from contextlib import closing, suppress


async def send_all(writer, parts):
    source = aiter(parts)
    with suppress(ConnectionError), closing(writer):
        while True:
            try:
                part = await anext(source)
            except StopAsyncIteration:
                break
            writer.write(part)
            await writer.drain()
    with suppress(ConnectionError):
        await writer.wait_closed()

# %% closing-1 wrong: aborts to close
# cause: abort throws away what still lies in the buffer, so a long answer arrives cut off
# line: writer.transport.abort()
async def handle(reader, writer, work):
    try:
        line = await reader.readline()
        if not line:
            return
        try:
            answer = await work(line)
        except ValueError:
            answer = b"error\n"
        writer.write(answer)
    finally:
        writer.transport.abort()

# %% closing-1 wrong: only says that it writes no more
# cause: write_eof ends only the one direction, and the connection stays open as long as the client keeps it
# line: writer.write_eof()
async def handle(reader, writer, work):
    try:
        line = await reader.readline()
        if line:
            try:
                writer.write(await work(line))
            except ValueError:
                writer.write(b"error\n")
            await writer.drain()
    finally:
        writer.write_eof()

# %% closing-1 right: an exit stack, the answer in slices
import asyncio
from contextlib import AsyncExitStack, suppress


async def handle(reader, writer, work):
    async with AsyncExitStack() as stack:
        stack.callback(writer.close)
        line = await reader.readline()
        if line == b"":
            return
        try:
            answer = await work(line)
        except Exception as error:
            if not isinstance(error, ValueError):
                raise
            answer = b"error\n"
        view = memoryview(answer)
        with suppress(ConnectionError):
            for start in range(0, len(view), 1 << 16):
                writer.write(bytes(view[start:start + (1 << 16)]))
                await writer.drain()

# %% at-most-1 wrong: the place is free only after the closing
# cause: the place is given back after wait_closed, so a client that reads slowly keeps it after handle has ended
# line: await writer.wait_closed() | serving -= 1
def at_most(number, handle):
    serving = 0

    async def handler(reader, writer):
        nonlocal serving
        if serving >= number:
            writer.write(b"busy\n")
            writer.close()
            return
        serving += 1
        try:
            await handle(reader, writer)
        finally:
            writer.close()
            await writer.wait_closed()
            serving -= 1

    return handler

# %% at-most-1 wrong: acquires with a timeout of zero
# cause: wait_for with a timeout of 0 cancels acquire before it has begun, so every client is told that it is busy
# line: await asyncio.wait_for(places.acquire(), 0)
import asyncio


def at_most(number, handle):
    places = asyncio.Semaphore(number)

    async def handler(reader, writer):
        try:
            await asyncio.wait_for(places.acquire(), 0)
        except TimeoutError:
            writer.write(b"busy\n")
            writer.close()
            return
        try:
            await handle(reader, writer)
        finally:
            places.release()
            writer.close()

    return handler

# %% at-most-1 right: a list of places and an exit stack
from contextlib import ExitStack


def at_most(number, handle):
    places = list(range(number))

    async def handler(reader, writer):
        with ExitStack() as stack:
            stack.callback(writer.close)
            try:
                place = places.pop()
            except IndexError:
                writer.write(b"busy\n")
            else:
                stack.callback(places.append, place)
                await handle(reader, writer)

    return handler

# %% frame-1 wrong: every early end is a clean end
# cause: the except also catches an end inside the frame, which must come out as IncompleteReadError
# line: except asyncio.IncompleteReadError: | return None | return await reader.readexactly(length)
import asyncio
import struct

HEADER = struct.Struct(">I")
LIMIT = 1000


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        (length,) = HEADER.unpack(await reader.readexactly(HEADER.size))
        if length > LIMIT:
            raise ValueError("frame too long")
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError:
        return None

# %% at-most-1 wrong: an error keeps the place
# cause: the place is given back only if handle returns; after an error or a cancellation it is lost
# line: free += 1 | await handle(reader, writer) | free -= 1
import asyncio


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    free = number

    async def handler(reader, writer):
        nonlocal free
        try:
            if free == 0:
                writer.write(b"busy\n")
                await writer.drain()
                return
            free -= 1
            await handle(reader, writer)
            free += 1
        finally:
            writer.close()

    return handler

# %% at-most-1 wrong: one set for all handlers
# cause: a default value is made once, when the function is defined, so all handlers share their places
# line: def at_most(number, handle, places=set()):
import asyncio


def at_most(number, handle, places=set()):
    """Return a handler that serves at most so many connections at a time."""

    async def handler(reader, writer):
        try:
            if len(places) >= number:
                writer.write(b"busy\n")
                await writer.drain()
            else:
                places.add(writer)
                try:
                    await handle(reader, writer)
                finally:
                    places.discard(writer)
        finally:
            writer.close()

    return handler

# %% slow-reader-1 wrong: only one kind of ConnectionError
# cause: a client that leaves may also cause a BrokenPipeError or a ConnectionAbortedError, which is not caught and comes out
# line: suppress(ConnectionResetError)
from contextlib import suppress


async def send_all(writer, parts):
    gone = suppress(ConnectionResetError)
    try:
        with gone:
            async for part in parts:
                writer.write(part)
                await writer.drain()
    finally:
        writer.close()
    with gone:
        await writer.wait_closed()

# %% closing-1 wrong: returns from the finally
# cause: a return in the finally throws away the error or the cancellation that is on its way out
# line: return await writer.wait_closed()
async def handle(reader, writer, work):
    try:
        line = await reader.readline()
        if line:
            try:
                answer = await work(line)
            except ValueError:
                answer = b"error\n"
            writer.write(answer)
            await writer.drain()
    finally:
        writer.close()
        return await writer.wait_closed()

# %% frame-1 wrong: an empty message for a long one
# cause: no ValueError
# line: if length > 1000: | return b""
import asyncio


async def read_frame(reader):
    try:
        head = await reader.readexactly(4)
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None
    length = int.from_bytes(head, "big")
    if length > 1000:
        return b""
    return await reader.readexactly(length)

# %% frame-1 wrong: reads a line
# cause: readline stops at a line feed
# line: return await reader.readline()
import asyncio


async def read_frame(reader):
    try:
        head = await reader.readexactly(4)
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None
    length = int.from_bytes(head, "big")
    if length > 1000:
        raise ValueError(length)
    return await reader.readline()

# %% line-in-time-1 wrong: returns with the line feed
# cause: the line feed is not taken off
# line: return line if
import asyncio


async def read_line(reader, seconds):
    async with asyncio.timeout(seconds):
        line = await reader.readline()
    return line if line.endswith(b"\n") else None

# %% line-in-time-1 wrong: returns text
# cause: a text, not bytes
# line: decode
import asyncio


async def read_line(reader, seconds):
    async with asyncio.timeout(seconds):
        line = await reader.readline()
    return line[:-1].decode() if line.endswith(b"\n") else None

# %% line-in-time-1 wrong: sleeps in another task
# cause: waits all the seconds before it looks
# line: await asyncio.sleep(seconds)
import asyncio


async def read_line(reader, seconds):
    reading = asyncio.create_task(reader.readline())
    await asyncio.sleep(seconds)
    if not reading.done():
        reading.cancel()
        raise TimeoutError
    line = reading.result()
    return line[:-1] if line.endswith(b"\n") else None

# %% slow-reader-1 wrong: joins all parts
# cause: collects all parts
# line: data += part
async def send_all(writer, parts):
    data = b""
    try:
        async for part in parts:
            data += part
        writer.write(data)
        await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()

# %% slow-reader-1 wrong: continues before most drains
# cause: drains every second part
# line: if number % 5:
async def send_all(writer, parts):
    number = 0
    try:
        async for part in parts:
            writer.write(part)
            number += 1
            if number % 5:
                continue
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()

# %% closing-1 wrong: the error text has no line feed
# cause: the answer lacks the line feed
# line: answer = b"error"
async def handle(reader, writer, work):
    try:
        line = await reader.readline()
        if line:
            try:
                answer = await work(line)
            except ValueError:
                answer = b"error"
            writer.write(answer)
            await writer.drain()
    finally:
        writer.close()

# %% closing-1 wrong: an empty answer isn't sent and it doesn't close
# cause: an empty answer leaves it open
# line: if answer:
async def handle(reader, writer, work):
    line = await reader.readline()
    try:
        if not line:
            writer.close()
            return
        try:
            answer = await work(line)
        except ValueError:
            answer = b"error\n"
        if answer:
            writer.write(answer)
            writer.close()
    except BaseException:
        writer.close()
        raise

# %% at-most-1 wrong: answers busy but does not return
# cause: goes on to handle after busy
# line: writer.write(b"busy\n") | if places.locked():
import asyncio


def at_most(number, handle):
    places = asyncio.Semaphore(number)

    async def limited(reader, writer):
        try:
            if places.locked():
                writer.write(b"busy\n")
            async with places:
                await handle(reader, writer)
        finally:
            writer.close()

    return limited

# %% at-most-1 wrong: one too few
# cause: a place too few
# line: if inside >= number - 1:
def at_most(number, handle):
    inside = 0

    async def limited(reader, writer):
        nonlocal inside
        if inside >= number - 1:
            writer.write(b"busy\n")
            writer.close()
            return
        inside += 1
        try:
            await handle(reader, writer)
        finally:
            inside -= 1
            writer.close()

    return limited

# %% at-most-1 wrong: gives back after an Exception only
# cause: a cancelled handle keeps its place
# line: except Exception:
def at_most(number, handle):
    inside = 0

    async def limited(reader, writer):
        nonlocal inside
        try:
            if inside == number:
                writer.write(b"busy\n")
                return
            inside += 1
            try:
                await handle(reader, writer)
            except Exception:
                inside -= 1
                raise
            inside -= 1
        finally:
            writer.close()

    return limited

# %% at-most-1 wrong: busy connections stay open
# cause: the busy one isn't closed
# line: return | writer.write(b"busy\n")
def at_most(number, handle):
    inside = 0

    async def limited(reader, writer):
        nonlocal inside
        if inside == number:
            writer.write(b"busy\n")
            await writer.drain()
            return
        inside += 1
        try:
            await handle(reader, writer)
        finally:
            inside -= 1
            writer.close()

    return limited

# %% at-most-1 wrong: counts after a wait
# cause: there is a wait between the look and the taking
# line: await asyncio.sleep(0)
import asyncio


def at_most(number, handle):
    inside = 0

    async def limited(reader, writer):
        nonlocal inside
        try:
            if inside >= number:
                writer.write(b"busy\n")
                return
            await asyncio.sleep(0)
            inside += 1
            try:
                await handle(reader, writer)
            finally:
                inside -= 1
        finally:
            writer.close()

    return limited

# %% at-most-1 wrong: another word
# cause: says Busy
# line: writer.write(b"Busy\n")
import asyncio


def at_most(number, handle):
    places = asyncio.Semaphore(number)

    async def limited(reader, writer):
        try:
            if places.locked():
                writer.write(b"Busy\n")
            else:
                async with places:
                    await handle(reader, writer)
        finally:
            writer.close()

    return limited

# %% slow-reader-1 wrong: goes on after the client left
# cause: The ConnectionError is caught inside the loop, so it goes on to take part after part for a client that has left, without end if the parts have no end.
# line: except ConnectionError: | pass
import asyncio
import contextlib


async def push(writer, part):
    writer.write(part)
    try:
        await writer.drain()
    except ConnectionError:
        pass


async def send_all(writer, parts):
    try:
        async for part in parts:
            await push(writer, part)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

# %% at-most-1 wrong: waits a little for a place
# cause: A client that finds all places taken waits a tenth of a second for one instead of being told "busy" at once.
# line: await asyncio.wait_for(semaphore.acquire(), 0.1)
import asyncio


def at_most(number, handle):
    semaphore = asyncio.Semaphore(number)

    async def handler(reader, writer):
        try:
            try:
                await asyncio.wait_for(semaphore.acquire(), 0.1)
            except TimeoutError:
                writer.write(b"busy\n")
                await writer.drain()
                return
            try:
                await handle(reader, writer)
            finally:
                semaphore.release()
        finally:
            writer.close()

    return handler

# %% at-most-1 wrong: release without finally
# cause: If `handle` raises or is cancelled, the release after it is never reached, so its place is lost and the connection stays open.
# line: places.release() | await handle(reader, writer) | writer.close()
import asyncio


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    places = asyncio.Semaphore(number)

    async def serve(reader, writer):
        if places.locked():
            writer.write(b"busy\n")
        else:
            await places.acquire()
            await handle(reader, writer)
            places.release()
        writer.close()

    return serve

# %% at-most-1 wrong: an error keeps the place
# cause: the place is given back only if handle returns; after an error or a cancellation it is lost
# line: free += 1
def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    free = number

    async def limited(reader, writer):
        nonlocal free
        if free == 0:
            writer.write(b"busy\n")
            writer.close()
            return
        free -= 1
        try:
            await handle(reader, writer)
            free += 1
        finally:
            writer.close()

    return limited

# %% at-most-1 wrong: a failing handle keeps its place
# cause: When `handle` raises or is cancelled, the lines after it are skipped, so its place is never free again and the connection stays open.
# line: served -= 1 | await handle(reader, writer) | writer.close()
def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    served = 0

    async def serve(reader, writer):
        nonlocal served
        if served >= number:
            writer.write(b"busy\n")
        else:
            served += 1
            await handle(reader, writer)
            served -= 1
        writer.close()
        await writer.wait_closed()

    return serve


# %% frame-1 wrong: asks at_eof before it reads
# cause: at_eof() is True only if the end has already come; if the connection ends while the header is waited for, IncompleteReadError comes out and not None.
# line: if reader.at_eof(): | header = await reader.readexactly(4)
import asyncio
import struct


async def read_frame(reader):
    if reader.at_eof():
        return None
    header = await reader.readexactly(4)
    (length,) = struct.unpack(">I", header)
    if length > 1000:
        raise ValueError("frame too long")
    return await reader.readexactly(length)


# %% frame-1 wrong: checks the length too late
# cause: The length is checked only after the message has been read, so a frame that is too long is waited for before the ValueError.
# line: message = await reader.readexactly(length) | if length > LIMIT:
import asyncio
import struct

LIMIT = 1000
HEADER = struct.Struct(">I")


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        header = await reader.readexactly(HEADER.size)
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return None
        raise
    length, = HEADER.unpack(header)
    message = await reader.readexactly(length)
    if length > LIMIT:
        raise ValueError(f"{length} is more than {LIMIT}")
    return message


# %% line-in-time-1 wrong: reads past the line
# cause: read(4096) takes also what stands after the line feed, and that is thrown away, so the next call misses it.
# line: chunk = await reader.read(4096) | line, _, _ = data.partition(b"\n")
import asyncio


async def read_line(reader, seconds):
    data = b""
    async with asyncio.timeout(seconds):
        while b"\n" not in data:
            chunk = await reader.read(4096)
            if not chunk:
                return None
            data += chunk
    line, _, _ = data.partition(b"\n")
    return line


# %% at-most-1 wrong: one count for all handlers
# cause: The count of the taken places is a global of the module, so all handlers that at_most makes share it.
# line: global taken | taken = 0
import asyncio

taken = 0


def at_most(number, handle):
    async def handler(reader, writer):
        global taken
        if taken >= number:
            writer.write(b"busy\n")
            writer.close()
            return
        taken += 1
        try:
            await handle(reader, writer)
        finally:
            taken -= 1
            writer.close()

    return handler


# %% at-most-1 wrong: refused clients free a place
# cause: The finally also runs for a client that was refused and had no place, so each refused client frees a place and more than `number` are served.
# line: active -= 1 | finally: | if active >= number:
import asyncio


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    active = 0

    async def handler(reader, writer):
        nonlocal active
        try:
            if active >= number:
                writer.write(b"busy\n")
                return
            active += 1
            await handle(reader, writer)
        finally:
            active -= 1
            writer.close()

    return handler


# %% at-most-1 wrong: cancelled handlers keep their place
# cause: The place is freed after a normal end and after an Exception, but not if `handle` is cancelled, so that place is lost for good.
# line: except Exception:
import asyncio


def at_most(number, handle):
    free = number

    async def handler(reader, writer):
        nonlocal free
        if free == 0:
            writer.write(b"busy\n")
            writer.close()
            return
        free -= 1
        try:
            await handle(reader, writer)
        except Exception:
            free += 1
            raise
        else:
            free += 1
        finally:
            writer.close()

    return handler

# %% slow-reader-1 wrong: drains once after the loop
# cause: drain stands behind the loop, so while the client is slow all parts are taken and pile up in the buffer.
# line: await writer.drain() | writer.write(part)
async def send_all(writer, parts):
    """Send all parts as fast as the client reads, and close."""
    try:
        async for part in parts:
            writer.write(part)
        await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
        try:
            await writer.wait_closed()
        except ConnectionError:
            pass

# %% at-most-1 wrong: place kept until connection closed
# cause: wait_closed is awaited inside the semaphore, so after handle has ended a client that reads slowly keeps its place and others are told busy.
# line: await writer.wait_closed() | async with places:
import asyncio
import contextlib


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    places = asyncio.Semaphore(number)

    async def limited(reader, writer):
        if places.locked():
            writer.write(b"busy\n")
            writer.close()
            return
        async with places:
            try:
                await handle(reader, writer)
            finally:
                writer.close()
                with contextlib.suppress(ConnectionError):
                    await writer.wait_closed()

    return limited

# %% frame-1 wrong: A reset counts as end
# cause: ConnectionError is caught together with the clean end, so a ConnectionResetError of the reader becomes None instead of coming out.
# line: except ConnectionError:
import asyncio
import struct


async def read_frame(reader):
    """Return the next message, None at the end."""
    try:
        head = await reader.readexactly(4)
    except asyncio.IncompleteReadError as e:
        if e.partial:
            raise
        return None
    except ConnectionError:
        return None
    (length,) = struct.unpack(">I", head)
    if length > 1000:
        raise ValueError(f"frame too long: {length}")
    return await reader.readexactly(length)

# %% line-in-time-1 wrong: An empty line is None
# cause: The test for the end looks at the line without its line feed, so an empty line, b"\n", gives None instead of b"".
# line: return line or None
import asyncio


async def read_line(reader, seconds):
    raw = await asyncio.wait_for(reader.readline(), timeout=seconds)
    complete = raw.endswith(b"\n")
    line = raw[:-1] if complete else b""
    return line or None

# %% line-in-time-1 wrong: The shielded read goes on
# cause: shield keeps the read alive after the timeout, so it goes on in the background and takes the line that the next call should get, which fails because another coroutine already waits.
# line: asyncio.shield(reader.readuntil(b"\n"))
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    try:
        line = await asyncio.wait_for(
            asyncio.shield(reader.readuntil(b"\n")),
            seconds,
        )
    except asyncio.IncompleteReadError:
        return None
    return line.removesuffix(b"\n")

# %% closing-1 wrong: Drain before close in finally
# cause: drain stands before close in the finally, and it raises when the connection is lost, or can be cancelled, so close is not reached, for instance when the reading raised a ConnectionResetError.
# line: await writer.drain() | writer.close()
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    try:
        if line := await reader.readline():
            try:
                reply = await work(line)
            except ValueError:
                reply = b"error\n"
            writer.write(reply)
    finally:
        await writer.drain()
        writer.close()

# %% at-most-1 wrong: One client too many
# cause: The count before this client is compared with > instead of >=, so number + 1 clients are served at a time.
# line: if active > number:
import asyncio


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    active = 0

    async def serve(reader, writer):
        nonlocal active
        if active > number:
            writer.write(b"busy\n")
            writer.close()
            return
        active += 1
        try:
            await handle(reader, writer)
        finally:
            active -= 1
            writer.close()

    return serve

# %% slow-reader-1 wrong: Only the reset is caught
# cause: Only ConnectionResetError is suppressed, so another ConnectionError, such as a BrokenPipeError or ConnectionAbortedError of drain or wait_closed, comes out.
# line: GONE = ConnectionResetError | with suppress(GONE)
from contextlib import suppress

GONE = ConnectionResetError


async def send_all(writer, parts):
    try:
        with suppress(GONE):
            async for part in parts:
                writer.write(part)
                await writer.drain()
    finally:
        writer.close()
        with suppress(GONE):
            await writer.wait_closed()

# %% at-most-1 wrong: The error is only logged
# cause: An exception of handle is caught and logged and not raised again, so its error does not come out.
# line: except Exception: | logging.exception("handler failed")
import asyncio
import logging


def at_most(number, handle):
    serving = set()

    async def limited(reader, writer):
        try:
            if len(serving) >= number:
                writer.write(b"busy\n")
                return
            serving.add(writer)
            await handle(reader, writer)
        except Exception:
            logging.exception("handler failed")
        finally:
            serving.discard(writer)
            writer.close()

    return limited

# %% closing-1 wrong: Not closed when cancelled
# cause: A cancellation is no Exception, so when `work` or the reading is cancelled the connection stays open.
# line: except Exception:
async def _close(writer):
    writer.close()
    try:
        await writer.wait_closed()
    except ConnectionError:
        pass


async def _answer(work, line):
    try:
        return await work(line)
    except ValueError:
        return b"error\n"


async def handle(reader, writer, work):
    try:
        line = await reader.readline()
        if line != b"":
            writer.write(await _answer(work, line))
            await writer.drain()
    except Exception:
        await _close(writer)
        raise
    await _close(writer)

# %% frame-1 right: gather gives the error, match
import asyncio


async def read_frame(reader):
    [head] = await asyncio.gather(reader.readexactly(4), return_exceptions=True)
    match head:
        case asyncio.IncompleteReadError(partial=b""):
            return None
        case BaseException():
            raise head
    length = int.from_bytes(head, "big")
    if length > 1000:
        raise ValueError(f"a frame of {length} bytes")
    return await reader.readexactly(length)

# %% line-in-time-1 right: readline, then partition
import asyncio


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    end = asyncio.get_running_loop().time() + seconds
    async with asyncio.timeout_at(end):
        text, feed, _ = (await reader.readline()).partition(b"\n")
    return text if feed else None

# %% slow-reader-1 right: close and suppress on a stack
from contextlib import ExitStack, suppress


async def send_all(writer, parts):
    with ExitStack() as stack:
        stack.callback(writer.close)
        stack.enter_context(suppress(ConnectionError))
        async for part in parts:
            writer.write(part)
            await writer.drain()
    with suppress(ConnectionError):
        await writer.wait_closed()

# %% closing-1 right: contextlib.closing for the writer
from contextlib import closing, suppress


async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    with closing(writer):
        if line := await reader.readline():
            try:
                answer = await work(line)
            except ValueError:
                answer = b"error\n"
            writer.write(answer)
            await writer.drain()
    with suppress(ConnectionError):
        await writer.wait_closed()

# %% at-most-1 right: a class with tickets
from contextlib import ExitStack, suppress


class _Door:
    def __init__(self, number, handle):
        self.tickets = list(range(number))
        self.handle = handle

    async def serve(self, reader, writer):
        with ExitStack() as duties:
            duties.callback(writer.close)
            if self.tickets:
                duties.callback(self.tickets.append, self.tickets.pop())
                await self.handle(reader, writer)
            else:
                writer.write(b"busy\n")
        with suppress(ConnectionError):
            await writer.wait_closed()


def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    return _Door(number, handle).serve

# %% frame-1 wrong: read gives what is there
# cause: `read(size)` returns as soon as some bytes are there, so a message that comes in pieces is taken for a broken one.
# line: body = await reader.read(size)
import asyncio
import struct


async def read_frame(reader):
    try:
        head = await reader.readexactly(4)
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None
    size = struct.unpack(">I", head)[0]
    if size > 1000:
        raise ValueError("too long")
    body = await reader.read(size)
    if len(body) < size:
        raise asyncio.IncompleteReadError(body, size)
    return body

# %% frame-1 right: class with __await__, yield from
import asyncio
import struct


class _Frame:
    def __init__(self, reader):
        self.reader = reader

    def __await__(self):
        try:
            head = yield from self.reader.readexactly(4).__await__()
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise
            return None
        match struct.unpack(">I", head):
            case (length,) if length > 1000:
                raise ValueError(f"a frame of {length} bytes is too long")
            case (length,):
                return (yield from self.reader.readexactly(length).__await__())


async def read_frame(reader):
    return await _Frame(reader)

# %% frame-1 wrong: asks for the end only before it waits
# cause: at_eof() is asked before the read; if the connection ends while read_frame waits for a frame, IncompleteReadError comes out instead of None
# line: if reader.at_eof(): | (length,) = struct.unpack
import asyncio
import struct


async def read_frame(reader):
    """Return the next message, None at the end."""
    if reader.at_eof():
        return None
    (length,) = struct.unpack(">I", await reader.readexactly(4))
    if length > 1000:
        raise ValueError(f"frame too long: {length}")
    return await reader.readexactly(length)

# %% line-in-time-1 right: AsyncExitStack with timeout, then partition
import asyncio
from contextlib import AsyncExitStack


async def read_line(reader, seconds):
    """Return the next line without its line feed, None at the end."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(asyncio.timeout(seconds))
        said = await reader.readline()
    text, feed, _ = said.partition(b"\n")
    return text if feed else None

# %% closing-1 right: class with __aenter__ and __aexit__
class _Closing:
    def __init__(self, writer):
        self.writer = writer

    async def __aenter__(self):
        return self.writer

    async def __aexit__(self, kind, error, trace):
        self.writer.close()
        if kind is None:
            await self.writer.wait_closed()
        return False


async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    async with _Closing(writer) as out:
        match await reader.readline():
            case b"":
                return
            case line:
                try:
                    answer = await work(line)
                except ValueError:
                    answer = b"error\n"
        out.write(answer)
        await out.drain()

# %% closing-1 wrong: what has come is taken for the line
# cause: read returns as soon as there are some bytes, so a line that arrives in two pieces is given to work only in part, without its line feed
# line: line = await reader.read(64 * 1024)
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    try:
        line = await reader.read(64 * 1024)
        if not line:
            return
        try:
            answer = await work(line)
        except ValueError:
            answer = b"error\n"
        writer.write(answer)
        await writer.drain()
    finally:
        writer.close()
        await writer.wait_closed()

# %% closing-1 wrong: not closed if the sending fails or is cancelled
# cause: drain stands outside of the try; if handle is cancelled while a long answer is being sent, or drain raises because the client has gone, the connection is not closed
# line: await writer.drain()
async def handle(reader, writer, work):
    """Answer one line, and close the connection in any case."""
    answer = b""
    try:
        line = await reader.readline()
        if line:
            try:
                answer = await work(line)
            except ValueError:
                answer = b"error\n"
    except BaseException:
        writer.close()
        raise
    writer.write(answer)
    await writer.drain()
    writer.close()
    await writer.wait_closed()

# %% at-most-1 right: bound method, a queue of places
import asyncio
from contextlib import suppress


class _Gate:
    def __init__(self, number, handle):
        self.handle = handle
        self.places = asyncio.Queue()
        for place in range(number):
            self.places.put_nowait(place)

    async def serve(self, reader, writer):
        try:
            place = self.places.get_nowait()
        except asyncio.QueueEmpty:
            writer.write(b"busy\n")
            writer.close()
        else:
            try:
                await self.handle(reader, writer)
            finally:
                self.places.put_nowait(place)
                writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


def at_most(number, handle):
    return _Gate(number, handle).serve

# %% at-most-1 wrong: swallows the errors of a lost connection
# cause: if handle raises a ConnectionError (ConnectionResetError, BrokenPipeError), it does not come out
# line: except ConnectionError:
def at_most(number, handle):
    """Return a handler that serves at most so many connections at a time."""
    taken = 0

    async def handler(reader, writer):
        nonlocal taken
        if taken >= number:
            writer.write(b"busy\n")
            writer.close()
            return
        taken += 1
        try:
            await handle(reader, writer)
        except ConnectionError:
            pass  # the client has hung up
        finally:
            taken -= 1
            writer.close()

    return handler
