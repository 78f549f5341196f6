"""Exercises of lesson 17: frames, time limits, slow readers, closing, too many guests."""

import asyncio
import contextlib
import socket
import struct

from helpers.coach import Exercise, Wrong, right, wrong

PATIENCE = 1.5  # seconds of real time that a client of the check waits for what must come


def feed(reader, *steps):
    """Start a task that feeds a StreamReader: bytes, seconds to wait, or None for the end."""

    async def feeding():
        for step in steps:
            if step is None:
                reader.feed_eof()
            elif isinstance(step, bytes):
                reader.feed_data(step)
            else:
                await asyncio.sleep(step)

    return asyncio.create_task(feeding())


def frame(message):
    return struct.pack(">I", len(message)) + message


class ReadFrame(Exercise):
    """Frames with a length

    Each message on a connection is a frame: four bytes that say its length (highest byte first,
    `">I"` in `struct`), then so many bytes.

    Write `read_frame(reader)`, a coroutine function. `reader` is an `asyncio.StreamReader`.

    - It returns the next message, as bytes, and takes nothing of what comes after it.
    - If the connection has ended before a frame began, it returns `None`.
    - If it ends in the midst of a frame, `asyncio.IncompleteReadError` comes out.
    - A length above 1000 is a `ValueError`, raised before the message itself is waited for.
    """

    id = "frame-1"
    asks = "read_frame"
    minutes, clock = 8, "virtual"
    hints = (
        "How many bytes does `read(n)` give, and how many does `readexactly(n)`?",
        "`readexactly` raises IncompleteReadError at the end. Its `partial` tells a clean end, "
        "where nothing had come, from one in the middle. Which of the two reads may end cleanly?",
        "Read four bytes in a `try`; at the error return None if not `error.partial`, else `raise`. "
        "Then unpack, look at the length, and `return await reader.readexactly(length)`.",
    )

    def verify(self, read_frame, lab):
        def read(what, *steps, number=1, raises=None):
            async def scene():
                loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
                feeding, got = feed(reader, *steps), []
                try:
                    for _ in range(number):
                        got.append(await read_frame(reader))
                    return got if number > 1 else got[0]
                except struct.error as error:
                    raise Wrong(
                        "one read is one message",
                        f"It raised struct.error: {error}. "
                        "Of the four bytes of the length fewer had come.",
                        lab.line(r"\.read\("),
                    ) from None
                except ValueError as error:
                    times.append(loop.time())
                    if raises is None:
                        raise Wrong(
                            "refused a good frame",
                            f"{error!r} came out, and no length was above 1000.",
                            lab.line(r">=\s*1000") or lab.line("unpack|from_bytes"),
                            "The four bytes come with the highest first: `>I`, or "
                            '`"big"`. A length of 1000 is allowed.',
                        ) from None
                    raise
                finally:
                    feeding.cancel()

            lab.told(f"with {what}")
            times = []
            run = lab.run(scene(), raises=raises)
            return run.result if raises is None else times

        hello, long = frame(b"hello"), frame(b"y" * 1000)
        pieces = 1.0, hello[:2], 1.0, hello[2:6], 1.0, hello[6:], 60.0, None
        self.compare(lab, read("a frame of 5 bytes that came in three pieces", *pieces), b"hello")
        got = read(
            "two frames that came at once, and then an empty one",
            hello + frame(b"wo\nrld") + frame(b""),
            60.0,
            None,
            number=3,
        )
        for one, expected in zip(got, (b"hello", b"wo\nrld", b"")):
            self.compare(lab, one, expected)
        got = read(
            "a frame of 1000 bytes in pieces of 400",
            long[:400],
            1.0,
            long[400:800],
            1.0,
            long[800:],
            60.0,
            None,
        )
        self.compare(lab, got, b"y" * 1000)
        try:
            got = read("a connection that ended where a frame would begin", None)
        except asyncio.IncompleteReadError as error:
            raise Wrong(
                "took the end for an error",
                "The connection had ended between two "
                f"frames, and {type(error).__name__} came out.",
                lab.line("readexactly"),
                "`error.partial` is empty there: return None.",
            ) from None
        lab.equal(got, None)
        for what, cut in {
            "four bytes of the length were to come, and two came": hello[:2],
            "only three of five bytes came": hello[:7],
        }.items():
            read(
                f"a connection that ended in the midst of a frame: {what}",
                cut,
                1.0,
                None,
                raises=asyncio.IncompleteReadError,
            )
        for length in (1001, 2**31):
            head = struct.pack(">I", length)
            try:
                (when,) = read(
                    f"a frame that says it is {length:,} bytes long",
                    head,
                    50.0,
                    b"y" * 1001,
                    50.0,
                    None,
                    raises=ValueError,
                )
            except asyncio.IncompleteReadError:
                raise Wrong(
                    "no limit",
                    f"The length said {length:,}, and it waited for so many bytes.",
                    lab.line("unpack|from_bytes"),
                    "Raise ValueError if the length is above 1000.",
                ) from None
            except Wrong as found:
                if found.kind == "lost error":
                    raise Wrong(
                        "no limit",
                        f"The length said {length:,}, and it returned "
                        "something in place of a ValueError.",
                        lab.line("unpack|from_bytes"),
                        "Raise ValueError if the length is above 1000.",
                    ) from None
                raise
            if when > 1:
                raise Wrong(
                    "looked too late",
                    f"The length said {length:,}. It raised ValueError "
                    "only after it had waited for the message itself.",
                    lab.line("ValueError"),
                    "Compare the length before you read on: a client may announce 4 GiB.",
                )

    def compare(self, lab, got, expected):
        if got == expected:
            return
        if isinstance(got, bytes | bytearray) and got[:4] == struct.pack(">I", len(expected)):
            raise Wrong(
                "value",
                f"It returned {bytes(got)[:20]!r}, with the four bytes of the length.",
                lab.line(r"return \w+ \+"),
                "Return the message alone.",
            )
        if got is None and expected == b"":
            raise Wrong(
                "value",
                "The frame held 0 bytes: it is there, with an empty message. It returned None.",
                lab.line(r"\bor None"),
                'None tells that the connection has ended. Return `b""`.',
            )
        if isinstance(got, bytes | bytearray | None):
            raise Wrong(
                "one read is one message",
                f"The frame held {len(expected)} bytes; it returned {bytes(got)[:20]!r}."
                if got is not None
                else f"The frame held {len(expected)} bytes; it returned None.",
                lab.line(r"\.read\("),
            )
        lab.equal(got, expected)

    @right
    async def with_partial(reader):
        """Return the next message, None at the end."""
        try:
            head = await reader.readexactly(4)
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise
            return None
        (length,) = struct.unpack(">I", head)
        if length > 1000:
            raise ValueError(f"a frame of {length} bytes")
        return await reader.readexactly(length)

    @right
    async def byte_by_byte(reader):
        first = await reader.read(1)
        if not first:
            return None
        length = int.from_bytes(first + await reader.readexactly(3), "big")
        if length > 1000:
            raise ValueError(length)
        return await reader.readexactly(length)

    @wrong("one read is one message", says="happens to be there")
    async def one_read(reader):
        data = await reader.read(1004)
        if not data:
            return None
        return data[4:]

    @wrong("one read is one message", says="three pieces")
    async def reads_the_body_once(reader):
        head = await reader.read(4)
        if not head:
            return None
        length = int.from_bytes(head, "big")
        if length > 1000:
            raise ValueError(length)
        return await reader.read(length)

    @wrong("one read is one message", says="fewer had come")
    async def reads_the_length_once(reader):
        head = await reader.read(4)
        if not head:
            return None
        (length,) = struct.unpack(">I", head)
        if length > 1000:
            raise ValueError(length)
        return await reader.readexactly(length)

    @wrong("refused a good frame", says="highest first")
    async def lowest_byte_first(reader):
        try:
            head = await reader.readexactly(4)
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise
            return None
        (length,) = struct.unpack("<I", head)
        if length > 1000:
            raise ValueError(length)
        return await reader.readexactly(length)

    @wrong("value", says="an empty message")
    async def empty_is_none(reader):
        try:
            head = await reader.readexactly(4)
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise
            return None
        length = int.from_bytes(head, "big")
        if length > 1000:
            raise ValueError(length)
        return await reader.readexactly(length) or None

    @wrong("took the end for an error", says="partial")
    async def no_clean_end(reader):
        (length,) = struct.unpack(">I", await reader.readexactly(4))
        if length > 1000:
            raise ValueError(length)
        return await reader.readexactly(length)

    @wrong("lost error", says="IncompleteReadError")
    async def every_end_is_clean(reader):
        try:
            (length,) = struct.unpack(">I", await reader.readexactly(4))
            if length > 1000:
                raise ValueError(length)
            return await reader.readexactly(length)
        except asyncio.IncompleteReadError:
            return None

    @wrong("no limit", says="above 1000")
    async def any_length(reader):
        try:
            head = await reader.readexactly(4)
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise
            return None
        return await reader.readexactly(int.from_bytes(head, "big"))

    @wrong("looked too late", says="before you read on")
    async def looks_afterwards(reader):
        try:
            head = await reader.readexactly(4)
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise
            return None
        length = int.from_bytes(head, "big")
        message = await reader.read(1001) if length > 1000 else await reader.readexactly(length)
        if length > 1000:
            raise ValueError(length)
        return message

    @wrong("value", says="message alone")
    async def with_its_head(reader):
        try:
            head = await reader.readexactly(4)
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise
            return None
        length = int.from_bytes(head, "big")
        if length > 1000:
            raise ValueError(length)
        return head + await reader.readexactly(length)


class LineInTime(Exercise):
    """A line, in time

    Write `read_line(reader, seconds)`, a coroutine function. `reader` is an
    `asyncio.StreamReader`; a line ends with a line feed, `b"\\n"`.

    - It returns the next line, as bytes and without its line feed, and takes nothing of what comes
      after it.
    - If the whole line is not there after `seconds`, a `TimeoutError` comes out, even if a letter
      came just before.
    - If the connection ends before the line does, it returns `None`.
    """

    id = "line-in-time-1"
    asks = "read_line"
    minutes, clock = 6, "virtual"
    hints = (
        "What is to be there in time: the next letter, or the whole line?",
        "`readline` gives a line with its line feed, or what there was if the end came first.",
        "`async with asyncio.timeout(seconds):` around one `await reader.readline()`.",
    )

    def verify(self, read_line, lab):
        def read(what, *steps, number=1, raises=None):
            async def scene():
                loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
                feeding, got = feed(reader, *steps), []
                try:
                    for _ in range(number):
                        got.append(await read_line(reader, 5))
                    return got if number > 1 else got[0]
                finally:
                    ended.append(loop.time())
                    feeding.cancel()

            lab.told(f"with 5 seconds and {what}")
            ended = []
            try:
                result = lab.run(scene(), raises=raises).result
            except asyncio.IncompleteReadError:
                raise Wrong(
                    "took the end for an error",
                    "The connection ended, and IncompleteReadError came out.",
                    lab.line(r"\.read\w+\("),
                    "Catch it and return None, or take `readline`.",
                ) from None
            except TimeoutError:
                if number == 1:
                    raise
                raise Wrong(
                    "one read is one message",
                    "Both lines were there. It had taken the "
                    "second with the first, and then waited for it.",
                    lab.line(r"\.read\("),
                ) from None
            except Wrong:
                if not ended or ended[-1] < 5.5:
                    raise
            if ended[-1] > 5.5 and not raises:
                raise Wrong(
                    "waited for nothing",
                    f"It took {ended[-1]:.0f} s, and what it was to "
                    "return had been there long before.",
                    lab.line(r"sleep|\.read"),
                    "Go on as soon as the line is there.",
                )
            if ended[-1] > 5.5:
                raise Wrong(
                    "the limit began anew" if lab.line("timeout|wait_for") else "no limit",
                    f"After {ended[-1]:.0f} s it was still waiting for the line.",
                    lab.line(r"timeout|wait_for|\.read"),
                    "Put one limit around all that belongs to the line.",
                )
            return result

        got = read("a line that came in three pieces", b"he", 1.0, b"llo", 1.0, b"\n", 60.0, None)
        self.compare(lab, got, b"hello")
        got = read("two lines that came at once", b"hello \nworld\r\n", 60.0, None, number=2)
        self.compare(lab, got, [b"hello ", b"world\r"])
        got = read("an empty line, and then another", b"\n", 1.0, b"x\n", 60.0, None, number=2)
        self.compare(lab, got, [b"", b"x"])
        read("a client who says nothing", 60.0, None, raises=TimeoutError)
        read(
            "a client who says a letter every second, and no line feed",
            *[b"y", 1.0] * 60,
            None,
            raises=TimeoutError,
        )
        for what, steps in {
            "a connection that has ended": [None],
            "a connection that ends in the midst of a line": [b"hel", 1.0, None],
        }.items():
            self.compare(lab, read(what, *steps), None)

    def compare(self, lab, got, expected):
        if isinstance(expected, list):
            for one, wanted in zip(got, expected):
                self.compare(lab, one, wanted)
        elif (
            isinstance(got, bytes)
            and expected is not None
            and got not in (expected, expected + b"\n", expected.strip())
        ):
            raise Wrong(
                "one read is one message",
                f"The line was {expected!r}; it returned {got!r}.",
                lab.line(r"\.read\("),
            )
        else:
            lab.equal(got, expected)

    @right
    async def with_a_timeout(reader, seconds):
        """Return the next line without its line feed, None at the end."""
        async with asyncio.timeout(seconds):
            line = await reader.readline()
        return line[:-1] if line.endswith(b"\n") else None

    @right
    async def with_wait_for(reader, seconds):
        try:
            line = await asyncio.wait_for(reader.readuntil(b"\n"), seconds)
        except asyncio.IncompleteReadError:
            return None
        return line.removesuffix(b"\n")

    @wrong("the limit began anew", says="one limit")
    async def each_letter_in_time(reader, seconds):
        line = b""
        while not line.endswith(b"\n"):
            async with asyncio.timeout(seconds):
                letter = await reader.read(1)
            if not letter:
                return None
            line += letter
        return line[:-1]

    @wrong("no limit", says="still waiting")
    async def waits_for_ever(reader, seconds):
        line = await reader.readline()
        return line[:-1] if line.endswith(b"\n") else None

    @wrong("one read is one message", says="b'he'")
    async def one_read(reader, seconds):
        async with asyncio.timeout(seconds):
            line = await reader.read(100)
        return line.removesuffix(b"\n") or None

    @wrong("one read is one message", says="the second with the first")
    async def takes_more_than_its_line(reader, seconds):
        line = b""
        while not line.endswith(b"\n"):
            line += await asyncio.wait_for(reader.read(100), seconds)
        return line[:-1].partition(b"\n")[0]

    @wrong("took the end for an error", says="return None")
    async def lets_the_end_out(reader, seconds):
        async with asyncio.timeout(seconds):
            return (await reader.readuntil(b"\n"))[:-1]

    @wrong("lost error", says="TimeoutError")
    async def returns_none_when_late(reader, seconds):
        try:
            line = await asyncio.wait_for(reader.readline(), seconds)
        except TimeoutError:
            return None
        return line[:-1] if line.endswith(b"\n") else None

    @wrong("value", says="b'hel'")
    async def half_a_line(reader, seconds):
        async with asyncio.timeout(seconds):
            line = await reader.readline()
        return line.removesuffix(b"\n") if line else None

    @wrong("value", says="asked is b''")
    async def empty_is_the_end(reader, seconds):
        async with asyncio.timeout(seconds):
            line = await reader.readline()
        return line[:-1] or None

    @wrong("value", says="asked is b'hello '")
    async def strips_more(reader, seconds):
        async with asyncio.timeout(seconds):
            line = await reader.readline()
        return line.strip() if line.endswith(b"\n") else None


class Serving:
    """A real server around an answer that is a handler, and what became of its connections."""

    def __init__(self, lab, handle):
        self.lab, self.handle = lab, handle
        self.writers, self.errors, self.running = [], [], set()

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.meet, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def meet(self, reader, writer):
        self.writers.append(writer)
        self.running.add(writer)
        try:
            await self.lab.awaitable(self.handle(reader, writer))
        except Exception as error:
            self.errors.append(error)
        finally:
            self.running.discard(writer)

    async def __aexit__(self, kind, error, trace):
        self.server.close()
        for writer in self.writers:
            # asyncio's own abort stumbles where close() had to send a rest first, and has.
            with contextlib.suppress(AttributeError):
                writer.transport.abort()
        if self.writers:
            await self.ended()  # whoever is left hears of it
        if error is None and self.errors:
            raise self.errors[0]

    async def connect(self):
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def ended(self):
        """Wait until all handlers have ended, a second at most."""
        for _ in range(100):
            if self.writers and not self.running:
                return
            await asyncio.sleep(0.01)

    def serves(self, writer):
        """Does the answer still serve this client?"""
        name = writer.get_extra_info("sockname")
        return any(one.get_extra_info("peername") == name for one in self.running)

    async def ask(self, words):
        """Connect, say it, and return all that comes until the server closes."""
        reader, writer = await self.connect()
        try:
            writer.write(words)
            return await self.rest(reader, writer)
        finally:
            writer.close()

    async def rest(self, reader, writer):
        """Return all that comes until the server closes."""
        heard = b""
        try:
            while data := await asyncio.wait_for(reader.read(2**16), PATIENCE):
                heard += data
            return heard
        except ConnectionError:
            return heard
        except TimeoutError:
            if self.errors:
                raise self.errors[0] from None
            if self.serves(writer):
                raise Wrong(
                    "never answers",
                    f"The client heard {self.brief(heard)}, and then "
                    f"nothing for {PATIENCE} s. The handler had not ended.",
                    None,
                    "Each way through the handler must end, and close.",
                ) from None
            raise Wrong(
                "left open",
                f"The client heard {self.brief(heard)} and waited for the "
                "end. The handler had returned, and the connection stayed open.",
            ) from None

    def brief(self, heard):
        return repr(heard) if len(heard) < 30 else f"{len(heard):,} bytes"


class SlowReader(Exercise):
    """A slow reader

    Write `send_all(writer, parts)`, a coroutine function. `writer` is the `StreamWriter` of a
    client, and `parts` an async iterator that gives bytes, without end perhaps.

    - It sends all parts, in order. Then it closes the connection and returns.
    - No more than 256 KiB may lie in the writer's buffer: while the client is slow, no further
      part is taken. (One part has at most 64 KiB.)
    - A client may leave early: `drain`, and `wait_closed` too, then raise a `ConnectionError`. That
      is no error here. Close, take no more parts, and return.
    """

    id = "slow-reader-1"
    asks = "send_all"
    minutes, clock, limit = 8, "real", 6.0
    hints = (
        "`write` never waits. Who does?",
        "Wait after each part, inside of the loop. And what does the wait raise when the client "
        "is gone?",
        "`try:` `async for part in parts:` `writer.write(part)` `await writer.drain()`, then "
        "`except ConnectionError: pass` and `finally: writer.close()`.",
    )
    PART, NUMBER = 2**16, 60

    def verify(self, send_all, lab):
        async def parts(number):
            for taken in range(number):
                buffered = server.writers[-1].transport.get_write_buffer_size()
                if buffered > 4 * self.PART:
                    self.not_drained(
                        lab,
                        f"{taken} parts had been taken, and "
                        f"{buffered // 1024:,} KiB lay in the writer's buffer.",
                    )
                asked.append(taken)
                yield taken.to_bytes(4, "big") * (self.PART // 4)
                await asyncio.sleep(0)

        async def handle(reader, writer):
            # So that the system itself keeps little for a client who does not read.
            sock = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.PART)
            await lab.awaitable(send_all(writer, parts(self.NUMBER)))

        async def few(writer):
            # Until the system takes no more, and something, too little for drain, is left behind.
            while writer.transport.get_write_buffer_size() < self.PART // 4 and len(asked) < 500:
                asked.append(0)
                yield bytes(self.PART // 8)
                await asyncio.sleep(0)

        async def handle_few(reader, writer):
            sock = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.PART)
            await send_all(writer, few(writer))

        async def reads_at_last():
            nonlocal server
            async with Serving(lab, handle_few) as server:
                reader, writer = await connect()
                await asyncio.sleep(0.1)
                heard = await server.rest(reader, writer)
                writer.close()
                return len(heard)

        async def connect():
            sock = socket.socket()
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.PART)
            sock.setblocking(False)
            await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", server.port))
            return await asyncio.open_connection(sock=sock)

        async def slow():
            nonlocal server
            async with Serving(lab, handle) as server:
                reader, writer = await connect()
                await asyncio.sleep(0.15)
                if server.errors:
                    raise server.errors[0]
                if len(asked) == self.NUMBER and server.running:
                    self.not_drained(lab, "The client had read nothing, and all parts were taken.")
                heard = await server.rest(reader, writer)
                await server.ended()
                self.closed(server)
                writer.close()
                return heard

        async def leaves():
            nonlocal server
            async with Serving(lab, handle) as server:
                reader, writer = await connect()
                await asyncio.sleep(0.05)
                linger = struct.pack("ii", 1, 0)  # to close is to reset
                writer.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, linger
                )
                writer.close()
                await server.ended()
                if server.running:
                    raise Wrong(
                        "never answers",
                        "The client had left, and a second later it still had not returned.",
                        lab.line(r"drain|write"),
                        "drain raises a ConnectionError: leave the loop.",
                    )
                self.closed(server)

        server, asked = None, []
        lab.told(f"with {self.NUMBER} parts of 64 KiB and a client who reads nothing for a while")
        heard = lab.run(slow()).result
        expected = b"".join(
            number.to_bytes(4, "big") * (self.PART // 4) for number in range(self.NUMBER)
        )
        if heard != expected:
            raise Wrong(
                "value",
                f"The client got {len(heard):,} bytes of {len(expected):,}"
                + ("." if expected.startswith(heard) else ", and not in order."),
                lab.line(r"abort|close|\.write"),
                "All parts must come, in order.",
            )
        asked.clear()
        lab.told("with a client who begins to read when all parts have been taken")
        heard, sent = lab.run(reads_at_last()).result, len(asked) * self.PART // 8
        if heard != sent:
            raise Wrong(
                "threw away the rest",
                f"The client got {heard:,} bytes of {sent:,}.",
                lab.line("abort|close"),
                "`writer.close()` sends what is still in the buffer, and then closes.",
            )
        asked.clear()
        lab.told("with a client who leaves before it has read all")
        lab.run(leaves())
        if len(asked) == self.NUMBER:
            raise Wrong(
                "talked to nobody",
                "The client had left, and all the parts were taken from the iterator nevertheless.",
                lab.line("except|suppress"),
                "The ConnectionError of drain must end the loop.",
            )

    def not_drained(self, lab, observed):
        """Raise the Wrong that tells why the buffer grew."""
        if line := lab.line(r"^\s*\w+\.drain\(\)"):
            raise Wrong(
                "not awaited", f"{observed} `drain` was called, and nobody awaited it.", line
            )
        if line := lab.line("writelines"):
            raise Wrong(
                "no drain",
                observed,
                line,
                "Take `write`: in some versions of Python "
                "`drain` does not notice what `writelines` has put into the buffer.",
            )
        if line := lab.line(r"async for \w+ in \w+\s*\]"):
            raise Wrong(
                "took all first",
                observed,
                line,
                "Take a part, send it, and take the next one when `drain` has returned.",
            )
        raise Wrong("no drain", observed, lab.line(r"set_write_buffer_limits|\.write"))

    def closed(self, server):
        if not server.writers[-1].is_closing():
            raise Wrong("left open", "It returned, and the connection was not closed.")

    @right
    async def drains(writer, parts):
        """Send all parts as fast as the client reads, and close."""
        try:
            async for part in parts:
                writer.write(part)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    @right
    async def drains_and_waits(writer, parts):
        with contextlib.suppress(ConnectionError):
            async for part in parts:
                writer.write(part)
                await writer.drain()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    @wrong("no drain", says="the buffer stays small")
    async def only_writes(writer, parts):
        async for part in parts:
            writer.write(part)
        writer.close()

    @wrong("no drain", says="KiB lay in")
    async def drains_at_the_end(writer, parts):
        try:
            async for part in parts:
                writer.write(part)
            await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    @wrong("not awaited", says="nobody awaited it")
    async def calls_drain(writer, parts):
        try:
            async for part in parts:
                writer.write(part)
                writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    @wrong("took all first", says="take the next one")
    async def takes_all_first(writer, parts):
        everything = [part async for part in parts]
        with contextlib.suppress(ConnectionError):
            for part in everything:
                writer.write(part)
                await writer.drain()
        writer.close()

    @wrong("threw away the rest", says="sends what is still in the buffer")
    async def aborts(writer, parts):
        try:
            async for part in parts:
                writer.write(part)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.transport.abort()

    @wrong("left open", says="stayed open")
    async def never_closes(writer, parts):
        with contextlib.suppress(ConnectionError):
            async for part in parts:
                writer.write(part)
                await writer.drain()

    @wrong("left open", says="was not closed")
    async def ends_one_half(writer, parts):
        with contextlib.suppress(ConnectionError):
            async for part in parts:
                writer.write(part)
                await writer.drain()
            writer.write_eof()

    @wrong("raised", says="Connection")
    async def lets_the_error_out(writer, parts):
        async for part in parts:
            writer.write(part)
            await writer.drain()
        writer.close()

    @wrong("talked to nobody", says="must end the loop")
    async def goes_on_without_the_client(writer, parts):
        async for part in parts:
            with contextlib.suppress(ConnectionError):
                writer.write(part)
                await writer.drain()
        writer.close()


class Answering(Exercise):
    """Close, whatever happens

    Write `handle(reader, writer, work)`, a coroutine function that serves one client. The client
    says one line. `await work(line)`, given the line with its line feed, makes the answer, bytes, many
    of them perhaps.

    - Send the answer, and close the connection.
    - If `work` raises a `ValueError`, the answer is `b"error\\n"`.
    - If `work` raises anything else, close the connection, and let the error out.
    - If the client ends without saying anything, close, and do not call `work`.
    """

    LONG = 150  # times the line: more than the system takes at once

    id = "closing-1"
    asks = "handle"
    minutes, clock, limit = 6, "real", 6.0
    hints = (
        "Go through the ways out of your function, one by one. Which of them pass `close`?",
        "`finally` is on every way out.",
        "In a `try` with `finally: writer.close()`: read the line, return if it is empty, and in "
        "an inner `try` await `work(line)` with `except ValueError`.",
    )

    def verify(self, handle, lab):
        worked = []

        async def work(line):
            worked.append(line)
            await asyncio.sleep(0.01)
            if line == b"bad\n":
                raise ValueError("not this one")
            if line == b"worse\n":
                raise ZeroDivisionError("a bug in work")
            return line.upper() * (self.LONG if len(line) > 100 else 1)

        async def serve(reader, writer):
            await handle(reader, writer, work)

        async def ask(words, breaks=False):
            async with Serving(lab, serve) as server:
                try:
                    heard = await self.ask(server, words, breaks)
                finally:
                    if breaks:
                        errors.extend(server.errors)
                        server.errors.clear()
                return heard

        def asked(what, words, breaks=False):
            lab.told(f"for a client who {what}")
            worked.clear()
            errors.clear()
            return lab.run(ask(words, breaks)).result

        errors = []
        lab.equal(asked("says hello", b"hello\n"), b"HELLO\n", "the client heard")
        big = b"y" * 50_000 + b"\n"
        heard = asked("says a line of 50,000 letters, for a long answer", big)
        if heard != big.upper() * self.LONG:
            if not worked:
                raise Wrong("value", "The client had said its line, and `work` was not called.")
            cut = worked[0] == big
            raise Wrong(
                "threw away the rest" if cut else "one read is one message",
                f"`work` was given {len(worked[0]):,} bytes of {len(big):,}, and "
                f"{len(heard):,} bytes of its answer reached the client.",
                lab.line("abort" if cut else r"\.read\("),
                "`writer.close()` sends what is still in the buffer, and then closes."
                if cut
                else None,
            )
        lab.equal(
            asked("says something that makes `work` raise ValueError", b"bad\n"),
            b"error\n",
            "the client heard",
        )
        heard = asked(
            "says something that makes `work` raise ZeroDivisionError", b"worse\n", breaks=True
        )
        if not any(isinstance(error, ZeroDivisionError) for error in errors):
            raise (
                Wrong(
                    "lost error",
                    "`work` raised ZeroDivisionError, and nobody heard of it.",
                    lab.line(r"except( \w*Exception)?:|suppress|finally"),
                    "A bug must come out: catch ValueError alone.",
                )
                if not heard
                else Wrong(
                    "value",
                    f"`work` raised ZeroDivisionError, and the client heard {heard!r}.",
                    lab.line("except"),
                    "Catch ValueError alone.",
                )
            )
        lab.equal(heard, b"", "the client heard")
        lab.equal(asked("ends without a word", b""), b"", "the client heard")
        if worked:
            raise Wrong(
                "took the end for a line",
                f"The client said nothing, and `work` was called with {worked[0]!r}.",
                lab.line(r"work\("),
                'b"" is the end: look for it before you go on.',
            )

    async def ask(self, server, words, breaks):
        reader, writer = await server.connect()
        try:
            writer.write(words)
            if not words:
                writer.write_eof()
            elif breaks:
                return await self.until_closed(server, reader, writer)
            return await server.rest(reader, writer)
        finally:
            writer.close()

    async def until_closed(self, server, reader, writer):
        await server.ended()
        # What asyncio would close for a handler that failed is open here: the error was kept.
        if server.errors and not server.writers[-1].is_closing():
            raise Wrong(
                "left open",
                "`work` raised ZeroDivisionError, and the handler left "
                "without closing the connection.",
            )
        return await server.rest(reader, writer)

    @right
    async def with_finally(reader, writer, work):
        """Answer one line, and close the connection in any case."""
        try:
            line = await reader.readline()
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

    @right
    async def with_closing(reader, writer, work):
        with contextlib.closing(writer):
            if line := await reader.readline():
                try:
                    writer.write(await work(line))
                except ValueError:
                    writer.write(b"error\n")

    @wrong("left open", says="returned")
    async def never_closes(reader, writer, work):
        line = await reader.readline()
        if not line:
            return
        try:
            answer = await work(line)
        except ValueError:
            answer = b"error\n"
        writer.write(answer)
        await writer.drain()

    @wrong("left open", says="ZeroDivisionError")
    async def closes_at_the_end(reader, writer, work):
        if line := await reader.readline():
            try:
                answer = await work(line)
            except ValueError:
                answer = b"error\n"
            writer.write(answer)
            await writer.drain()
        writer.close()

    @wrong("left open", says="without a word")
    async def returns_before_closing(reader, writer, work):
        line = await reader.readline()
        if not line:
            return
        try:
            try:
                answer = await work(line)
            except ValueError:
                answer = b"error\n"
            writer.write(answer)
            await writer.drain()
        finally:
            writer.close()

    @wrong("lost error", says="catch ValueError alone")
    async def catches_all(reader, writer, work):
        try:
            line = await reader.readline()
            if not line:
                return
            try:
                writer.write(await work(line))
            except ValueError:
                writer.write(b"error\n")
        except Exception:
            pass
        finally:
            writer.close()

    @wrong("took the end for a line", says="b''")
    async def works_on_nothing(reader, writer, work):
        try:
            try:
                answer = await work(await reader.readline())
            except ValueError:
                answer = b"error\n"
            writer.write(answer)
            await writer.drain()
        finally:
            writer.close()

    @wrong("one read is one message", says="reached the client")
    async def one_read(reader, writer, work):
        with contextlib.closing(writer):
            if line := await reader.read(1024):
                try:
                    writer.write(await work(line))
                except ValueError:
                    writer.write(b"error\n")

    @wrong("threw away the rest", says="reached the client")
    async def throws_away_what_is_buffered(reader, writer, work):
        try:
            if line := await reader.readline():
                try:
                    writer.write(await work(line))
                except ValueError:
                    writer.write(b"error\n")
        finally:
            writer.transport.abort()

    @wrong("value", says="error")
    async def tells_every_error(reader, writer, work):
        with contextlib.closing(writer):
            if line := await reader.readline():
                try:
                    writer.write(await work(line))
                except Exception:
                    writer.write(b"error\n")

    @wrong("never answers", says="had not ended")
    async def waits_for_the_end(reader, writer, work):
        try:
            line = await reader.read()
            if line:
                writer.write(await work(line))
        finally:
            writer.close()


class AtMost(Exercise):
    """Not more than so many

    Write `at_most(number, handle)`, a plain function. It returns a handler for
    `asyncio.start_server`, a coroutine function of `reader` and `writer`.

    - It awaits `handle(reader, writer)`, for at most `number` connections at a time, and then
      closes the connection.
    - Who comes when all places are taken is not served: `b"busy\\n"` is sent, at once, and the
      connection is closed.
    - A place is free again when `handle` has ended, and also when it has raised. Its error comes
      out.
    """

    id = "at-most-1"
    asks = "at_most"
    minutes, clock, limit = 8, "real", 6.0
    hints = (
        "All connections share one number. Where must it live?",
        "Between looking whether a place is free and taking it there must be no `await` that "
        "waits. What gives the place back when `handle` raises?",
        "`places = asyncio.Semaphore(number)` in `at_most`, and in the handler: "
        "`if places.locked():` busy, `else: async with places: await handle(reader, writer)`, all "
        "in a `try` with `finally: writer.close()`.",
    )

    def verify(self, at_most, lab):
        served, most, now = 0, 0, 0

        async def handle(reader, writer):
            nonlocal served, most, now
            served, now = served + 1, now + 1
            most = max(most, now)
            try:
                line = await reader.readline()
                if line == b"fail\n":
                    raise ZeroDivisionError("a bug in handle")
                writer.write(b"welcome\n")
            finally:
                now -= 1

        def made(number):
            handler = at_most(number, handle)
            if asyncio.iscoroutine(handler):
                handler.close()
            if not callable(handler):
                raise Wrong(
                    "not a handler",
                    f"It returned {handler!r}, and `start_server` needs a function.",
                    lab.line(r"def\s|return"),
                    "Define the handler inside of it, and return that.",
                )
            return handler

        async def full(number, words):
            """Who stays; what somebody hears who comes too late; who comes afterwards."""
            async with Serving(lab, made(number)) as server:
                stay = [await server.connect() for _ in range(number)]
                await asyncio.sleep(0.05)
                self.look(lab, server, served, most, number, "came, as many as there are places")
                more = [await server.connect() for _ in range(2)]
                await asyncio.sleep(0.05)
                self.look(lab, server, served, most, number, "and two more came")
                late = await self.at_once(lab, server, more)
                for _, writer in stay:
                    writer.write(words)
                heard = [await server.rest(*one) for one in stay]
                await server.ended()
                for _, writer in [*stay, *more]:
                    writer.close()
                errors = list(server.errors)
                server.errors.clear()
                again = await server.ask(b"hello\n")
                return late, heard, again, errors

        def tried(number, words, what):
            nonlocal served, most, now
            served = most = now = 0
            lab.told(f"with {number}, and {what}")
            return lab.run(full(number, words)).result

        for number in (3, 1):
            late, heard, again, errors = tried(number, b"hello\n", "that many clients came")
            if errors:
                raise errors[0]
            lab.equal(late, [b"busy\n"] * 2, "those who came too late heard")
            lab.equal(heard, [b"welcome\n"] * number, "those who were served heard")
            lab.equal(again, b"welcome\n", "who came when all had left heard")
        late, heard, again, errors = tried(2, b"fail\n", "`handle` raised for both clients")
        if again == b"busy\n":
            raise Wrong(
                "a place was lost",
                "`handle` raised, and its place was never free again: "
                "the next client was told busy.",
                lab.line(r"-=|release|discard|remove"),
                "Give the place back in `finally`, or by `async with`.",
            )
        if not any(isinstance(error, ZeroDivisionError) for error in errors):
            raise Wrong(
                "lost error",
                "`handle` raised ZeroDivisionError, and nobody heard of it.",
                lab.line("except|suppress"),
                "Let it out.",
            )

    async def at_once(self, lab, server, more):
        """What those hear who come too late; Wrong if the handler waits before it tells them."""
        hearing = asyncio.gather(*(server.rest(*one) for one in more))
        for _ in range(8):  # turns of this loop, which a busy machine makes longer, not fewer
            if hearing.done():
                break
            await asyncio.sleep(0.01)
        # A handler that has returned and closed nothing did not wait: `rest` tells what it did.
        busy = hearing.done() or len(server.running) < len(server.writers)
        try:
            late = await hearing
        except Wrong as found:
            if found.kind != "never answers" or "busy" in found.observed:
                raise
            busy = False
        if not busy:
            raise Wrong(
                "kept waiting",
                "All places were taken, and who came then had to wait for an answer.",
                lab.line(r"async with|acquire|wait_for"),
                "Look whether a place is free (`locked()`, or a count), and wait for none.",
            )
        return late

    def look(self, lab, server, served, most, number, what):
        if server.errors:
            raise server.errors[0]
        if most > number:
            raise Wrong(
                "limit",
                f"{most} connections were served at once; there are {number} places.",
                lab.line(r"Semaphore|\+=|await"),
            )
        if served < min(number, len(server.writers)):
            raise Wrong(
                "sequential" if served else "never answers",
                f"{number} clients {what}; served at the same time: {served}.",
                lab.line(r"await"),
                "As long as there are places, all are served at once.",
            )

    @right
    def with_a_semaphore(number, handle):
        """Return a handler that serves at most so many connections at a time."""
        places = asyncio.Semaphore(number)

        async def limited(reader, writer):
            try:
                if places.locked():
                    writer.write(b"busy\n")
                else:
                    async with places:
                        await handle(reader, writer)
            finally:
                writer.close()

        return limited

    @right
    def with_a_count(number, handle):
        inside = 0

        async def limited(reader, writer):
            nonlocal inside
            if inside == number:
                writer.write(b"busy\n")
                await writer.drain()
                writer.close()
                return
            inside += 1
            try:
                await handle(reader, writer)
            finally:
                inside -= 1
                writer.close()

        return limited

    @wrong("limit", says="5 connections were served")
    def a_semaphore_each(number, handle):
        async def limited(reader, writer):
            places = asyncio.Semaphore(number)
            try:
                if places.locked():
                    writer.write(b"busy\n")
                else:
                    async with places:
                        await handle(reader, writer)
            finally:
                writer.close()

        return limited

    @wrong("kept waiting", says="wait for none")
    def waits_for_a_while(number, handle):
        places = asyncio.Semaphore(number)

        async def limited(reader, writer):
            with contextlib.closing(writer):
                try:
                    await asyncio.wait_for(places.acquire(), 0.3)
                except TimeoutError:
                    writer.write(b"busy\n")
                    return
                try:
                    await handle(reader, writer)
                finally:
                    places.release()

        return limited

    @wrong("kept waiting", says="had to wait")
    def lets_them_wait(number, handle):
        places = asyncio.Semaphore(number)

        async def limited(reader, writer):
            async with places:
                try:
                    await handle(reader, writer)
                finally:
                    writer.close()

        return limited

    @wrong("a place was lost", says="finally")
    def loses_places(number, handle):
        inside = 0

        async def limited(reader, writer):
            nonlocal inside
            with contextlib.closing(writer):
                if inside == number:
                    writer.write(b"busy\n")
                    return
                inside += 1
                await handle(reader, writer)
                inside -= 1

        return limited

    @wrong("left open", says="busy")
    def does_not_close(number, handle):
        places = asyncio.Semaphore(number)

        async def limited(reader, writer):
            if places.locked():
                writer.write(b"busy\n")
                return
            async with places:
                await handle(reader, writer)

        return limited

    @wrong("lost error", says="ZeroDivisionError")
    def swallows(number, handle):
        places = asyncio.Semaphore(number)

        async def limited(reader, writer):
            with contextlib.closing(writer):
                if places.locked():
                    writer.write(b"busy\n")
                    return
                with contextlib.suppress(Exception):
                    async with places:
                        await handle(reader, writer)

        return limited

    @wrong("value", says="busy")
    def says_nothing(number, handle):
        places = asyncio.Semaphore(number)

        async def limited(reader, writer):
            with contextlib.closing(writer):
                if not places.locked():
                    async with places:
                        await handle(reader, writer)

        return limited

    @wrong("not a handler", says="start_server")
    def calls_it(number, handle):
        async def limited(reader, writer):
            await handle(reader, writer)
            writer.close()

        return limited(None, None)
