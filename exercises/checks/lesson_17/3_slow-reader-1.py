"""Long, for a slow reader is played in four ways, and each program is a whole one."""

import ast
import asyncio
import builtins
import contextlib
import socket
import struct

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import Serving, Wire


class Slow(Wire):
    """The wire to a client that reads now and then: until it does, all lies in the buffer."""

    REST = 0.05  # seconds

    def __init__(self):
        super().__init__()
        self.buffered, self.most, self.high = 0, 0, 2**16

    def write(self, data):
        super().write(data)
        if self.buffered <= self.high < self.buffered + len(data):
            self.protocol.pause_writing()
            asyncio.get_running_loop().call_later(self.REST, self.read)
        self.buffered += len(data)
        self.most = max(self.most, self.buffered)

    def read(self):
        self.buffered = 0
        self.protocol.resume_writing()

    def get_write_buffer_size(self):
        return self.buffered

    def set_write_buffer_limits(self, high=None, low=None):
        self.high = 2**16 if high is None else high


class SlowReader(Exercise):
    """A slow reader

    Write `send_all(writer, parts)`, a coroutine function. `writer` is the `StreamWriter` of a
    client, and `parts` an async iterator that gives bytes, perhaps without end.

    - It sends all parts, in order. Then it closes the connection and returns.
    - No more than 256 KiB may lie in the writer's buffer: while the client is slow, no further
      part is taken. (One part has at most 64 KiB.)
    - A client may leave early: `drain`, and `wait_closed` too, then raise a `ConnectionError`. That
      is no error here. Close, take no more parts, and return.
    - An error that `parts` raises comes out. (It is never a `ConnectionError`.)
    """

    id = "slow-reader-1"
    equivalent = {
        "drains: finally for errors, line 3": "who cancels the handler closes the connection",
        "drains_and_waits: wider except, line 10": "`wait_closed` raises nothing else",
    }
    asks = "send_all"
    minutes, clock, limit = 8, "real", 6.0
    hints = (
        "`write` never waits. Who does?",
        "Wait after each part, inside the loop. And what does the wait raise when the client "
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
                        lab.call_of("drain", "write"),
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
            if expected.startswith(heard) and lab.call_of("abort"):
                self.thrown_away(lab, len(heard), len(expected))
            raise Wrong(
                "value",
                f"The client got {len(heard):,} bytes of {len(expected):,}"
                + ("." if expected.startswith(heard) else ", and not in order."),
                lab.call_of("abort", "close", "write"),
                "All parts must come, in order.",
            )
        lab.told("with 12 parts of 64 KiB and a client who reads now and then")
        lab.run(self._now_and_then(send_all, lab))
        asked.clear()
        lab.told("with a client who begins to read when all parts have been taken")
        heard, sent = lab.run(reads_at_last()).result, len(asked) * self.PART // 8
        if heard != sent:
            self.thrown_away(lab, heard, sent)
        asked.clear()
        lab.told("with a client who leaves before it has read all")
        try:
            lab.run(leaves())
        except ConnectionError as error:
            raise self._let_out(lab, error) from None
        if len(asked) == self.NUMBER:
            raise Wrong(
                "went on after the end",
                "The client had left, and all the parts were taken from the iterator nevertheless.",
                lab.text.kept_around("drain", ConnectionError) or lab.handler(),
                "The ConnectionError of drain must end the loop.",
                headline="talked to nobody",
            )

    async def _now_and_then(self, send_all, lab):
        async def given():
            for taken in range(12):
                if wire.buffered > 4 * self.PART:
                    self.not_drained(
                        lab,
                        f"{taken} parts had been taken, and {wire.buffered // 1024:,} KiB lay in "
                        "the writer's buffer.",
                    )
                yield bytes(self.PART)

        wire = Slow()
        await lab.awaitable(send_all(wire.writer, given()))
        if wire.most > 4 * self.PART:
            self.not_drained(lab, f"{wire.most // 1024:,} KiB lay in the writer's buffer.")

    @sweep(
        lambda some: {
            "parts": some.lists(some.sampled_from((b"", b"a", b"b")), max_size=5),
            "leaves": some.sampled_from((None, None, 1, 2)),
            "breaks": some.sampled_from((False, False, True)),
            "error": some.sampled_from(
                (ConnectionResetError, BrokenPipeError, ConnectionAbortedError)
            ),
        },
        most=25,
    )
    def any_parts(self, send_all, lab, parts, leaves, breaks, error):
        taken, ended = [], []

        async def given():
            for part in parts:
                taken.append(part)
                yield part
                await asyncio.sleep(0)
            ended.append(True)
            if breaks and leaves is None:
                raise OSError("no more parts")

        async def sends():
            wire = Wire(leaves, error("the client has left"))
            await lab.awaitable(send_all(wire.writer, given()))
            return wire

        left = f", and the client left after {leaves} ({error.__name__})" if leaves else ""
        then = ", and then an OSError" if breaks and leaves is None else ""
        lab.told(f"with the parts {parts}{then}{left}")
        run = lab.run(sends())
        if run.error is not None:
            self._kept_too_little(lab, run.error)
            if isinstance(run.error, ConnectionError):
                raise self._let_out(lab, run.error)
            raise run.error
        if leaves and len(taken) > self._last_one(parts, leaves) + 1:
            raise Wrong(
                "went on after the end",
                f"{len(taken)} parts were taken.",
                self.seldom_drained(lab),
                "The ConnectionError of drain must end the loop, and only who drains after each "
                "part hears of it.",
                headline="talked to nobody",
            )
        stays = leaves is None or sum(map(bool, taken)) < leaves
        if taken[-1:] == [b""] and stays and not ended:
            raise Wrong(
                "falsy",
                f"It took {len(taken)} of {len(parts)} parts, and did not ask for more.",
                lab.truth_test().line,
                try_="A part may be empty, and others follow. The iterator says when it is over.",
                headline="took an empty part for the end",
            )
        return {"the client got": run.result.sent, "`is_closing()` is": run.result.closing}

    def _let_out(self, lab, error):
        name = type(error).__name__
        return Wrong(
            "raised",
            f"It raised {name}: {error}.",
            lab.text.let_out(error),
            "No ConnectionError, of whatever kind, is an error here. When the client has left, "
            "`drain` raises one, and `wait_closed` does, too.",
            headline=f"raised {name}",
            at="lets the error out",
        )

    def _kept_too_little(self, lab, error):
        """Raise Wrong if some ConnectionErrors are suppressed, and not this one."""
        for call in lab.text.calls_of("suppress"):
            names = [ast.unparse(argument).rpartition(".")[2] for argument in call.args]
            kept = [getattr(builtins, name, None) for name in names]
            kept = tuple(kind for kind in kept if isinstance(kind, type))
            if (
                isinstance(error, ConnectionError)
                and not isinstance(error, kept)
                and any(issubclass(kind, ConnectionError) for kind in kept)
            ):
                raise Wrong(
                    "caught too little",
                    f"It raised {type(error).__name__}: {error}.",
                    call.lineno,
                    "A client that leaves may cause any ConnectionError. Name that, and all its "
                    "kinds are caught.",
                    at="suppresses others",
                )

    def _last_one(self, parts, leaves):
        """How many parts are taken when the client gets its last one."""
        full = [number for number, part in enumerate(parts, 1) if part]
        return full[leaves - 1] if len(full) >= leaves else len(parts)

    def thrown_away(self, lab, heard, sent):
        raise Wrong(
            "partial send",
            f"The client got {heard:,} bytes of {sent:,}.",
            lab.call_of("abort", "close"),
            "`writer.close()` sends what is still in the buffer, and then closes.",
            headline="threw away the rest",
        )

    def not_drained(self, lab, observed):
        """Raise the Wrong that tells why the buffer grew."""
        if line := lab.dropping("drain"):
            raise Wrong(
                "not awaited", f"{observed} `drain` was called, and nobody awaited it.", line
            )
        if line := lab.call_of("writelines"):
            raise Wrong(
                "no drain",
                observed,
                line,
                "Take `write`: in some versions of Python "
                "`drain` does not notice what `writelines` has put into the buffer.",
            )
        if line := lab.node(ast.ListComp) or _collecting(lab):
            raise Wrong(
                "eager",
                observed,
                line,
                "Take a part, send it, and take the next one when `drain` has returned.",
                headline="took all first",
            )
        if line := self.seldom_drained(lab):
            raise Wrong(
                "no drain",
                observed,
                line,
                "A part may have 64 KiB, and too many are written between two `drain`s. Wait after "
                "each.",
                headline="drained too seldom",
            )
        if line := _drains_behind(lab):
            raise Wrong(
                "no drain",
                observed,
                line,
                "`write` only puts the bytes into a buffer. Drain inside of the loop, after each "
                "part, so that no further part is taken while the client is slow.",
                headline="drained only after the loop",
                at="is reached when the loop is over",
            )
        limit = lab.call_of("drain") and lab.call_of("set_write_buffer_limits")
        if limit:
            raise Wrong(
                "no drain",
                observed,
                limit,
                "`drain` waits only when more than `high` lies there, and then one part more has "
                "come on top of it.",
                headline="drained too late",
            )
        raise Wrong("no drain", observed, lab.call_of("set_write_buffer_limits", "write"))

    def seldom_drained(self, lab):
        """The line of the `if` on which it depends whether `drain` is called, or None."""
        conditions = (
            node.test.lineno
            for node in lab.nodes()
            if isinstance(node, ast.If) and ("drain" in ast.unparse(node) or _goes_on(node))
        )
        return lab.earliest(*conditions)

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

    @wrong("no drain", says="drained too seldom")
    async def a_drain_now_and_then(writer, parts):
        number = 0
        with contextlib.suppress(ConnectionError):
            async for part in parts:
                writer.write(part)
                number += 1
                if number % 10 == 0:
                    await writer.drain()
            await writer.drain()
        writer.close()

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

    calls_drain = drains.but(
        "await writer.drain()", "writer.drain()", kind="not awaited", says="nobody awaited it"
    )

    when_there_is_too_much = drains.but(
        "await writer.drain()",
        "if writer.transport.get_write_buffer_size() > 256 * 1024:\n    await writer.drain()",
        kind="no drain",
        says="320 KiB lay in",
    )

    when_there_is_much = when_there_is_too_much.but(
        "256", "128", kind="went on after the end", says="only who drains after each"
    )

    a_high_limit = drains.but(
        "try:",
        "writer.transport.set_write_buffer_limits(high=256 * 1024)\ntry:",
        kind="no drain",
        says="drained too late",
    )

    @wrong("eager", says="take the next one")
    async def takes_all_first(writer, parts):
        everything = [part async for part in parts]
        with contextlib.suppress(ConnectionError):
            for part in everything:
                writer.write(part)
                await writer.drain()
        writer.close()

    @wrong("partial send", says="sends what is still in the buffer")
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

    @wrong("went on after the end", says="must end the loop")
    async def goes_on_without_the_client(writer, parts):
        async for part in parts:
            with contextlib.suppress(ConnectionError):
                writer.write(part)
                await writer.drain()
        writer.close()


def _collecting(lab):
    """The line of the loop over the parts, if it writes none of them, that keeps them; or None."""
    loops = [node for node in lab.nodes() if isinstance(node, ast.AsyncFor)]
    return lab.earliest(
        *(loop.body[0].lineno for loop in loops if "write" not in ast.unparse(loop))
    )


def _drains_behind(lab):
    """The line of the one `drain`, if it stands behind the loop that writes, and in none; or
    None.
    """
    loops = [node for node in lab.nodes() if isinstance(node, (ast.AsyncFor, ast.While))]
    drains = lab.text.calls_of("drain")
    writing = [loop for loop in loops if lab.text.calls_of("write", inside=loop)]
    if len(drains) != 1 or not writing:
        return None
    line = drains[0].lineno
    behind = all(loop.end_lineno < line for loop in loops)
    same = lab.text.function_at(line) is lab.text.function_at(writing[0].lineno)
    return line if behind and same else None


def _goes_on(node):
    """Whether an `if` leaves out the rest of the loop's body, by what it counts or compares."""
    counts = isinstance(node.test, (ast.BinOp, ast.Compare))
    return counts and any(isinstance(part, ast.Continue) for part in node.body)
