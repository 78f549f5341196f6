"""Long, for a connection can be left open on each way out of a handler, and many are tried."""

import ast
import asyncio
import contextlib

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import spans

from .shared import Serving, Wire, feed

THROWN_AWAY = (
    "`writer.close()` sends what is still in the buffer, and then closes. `drain` waits only until "
    "there is room in it again."
)
ANSWERS = (
    b"",
    b"a",
    b"a\nb\n",
    ValueError,
    UnicodeError,
    KeyError,
    TimeoutError,
    asyncio.CancelledError,
)


class Answering(Exercise):
    """Close, whatever happens

    Write `handle(reader, writer, work)`, a coroutine function that serves one client. The client
    says one line, which is no longer than the reader's limit, 64 KiB, and may hold nothing but its
    line feed. `await work(line)`, given the line with its line feed, makes the answer: bytes,
    perhaps many.

    - Send the answer, and close the connection.
    - If `work` raises a `ValueError`, the answer is `b"error\\n"`.
    - If `work` or the reading raises anything else, or is cancelled, close the connection, and let
      the error or the cancellation out.
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
                "partial send" if cut else "one read is one message",
                f"`work` was given {len(worked[0]):,} bytes of {len(big):,}, and "
                f"{len(heard):,} bytes of its answer reached the client.",
                lab.call_of("abort" if cut else "read"),
                THROWN_AWAY if cut else None,
                headline="threw away the rest" if cut else None,
            )
        heard = asked("says something that makes `work` raise ValueError", b"bad\n")
        said = lab.literal(heard) if heard else None
        lab.equal(heard, b"error\n", "the client heard", line=said)
        heard = asked(
            "says something that makes `work` raise ZeroDivisionError", b"worse\n", breaks=True
        )
        if not any(isinstance(error, ZeroDivisionError) for error in errors):
            raise (
                Wrong(
                    "lost error",
                    "`work` raised ZeroDivisionError, and it did not come out of the handler.",
                    lab.keeping(ZeroDivisionError)
                    or lab.earliest(lab.handler(Exception), lab.cleanup()),
                    "A bug must come out: catch ValueError alone.",
                )
                if not heard
                else Wrong(
                    "value",
                    f"`work` raised ZeroDivisionError, and the client heard {heard!r}.",
                    lab.handler(),
                    "A bug must come out, and the client hears nothing of it: catch ValueError "
                    "alone.",
                    headline="answered a bug",
                )
            )
        lab.equal(heard, b"", "the client heard")
        lab.equal(asked("ends without a word", b""), b"", "the client heard")
        if worked:
            raise Wrong(
                "end of stream",
                f"The client said nothing, and `work` was called with {worked[0]!r}.",
                lab.call_of("work"),
                'b"" is the end: look for it before you go on.',
                headline="took the end for a line",
            )

    @sweep(
        lambda some: {
            "pieces": some.sampled_from(
                ([b"\n"], [b" \n"], [b"a\n"], [b"a", b"\n"], [b"0\r\n"], [b"\0\n"], [])
            ),
            "answer": some.sampled_from(ANSWERS),
        },
        besides=[
            {"pieces": [b"a", ConnectionResetError], "answer": b"a"},
            {"pieces": [b"a", asyncio.CancelledError], "answer": b"a"},
            {"pieces": [b"a\n", asyncio.CancelledError], "answer": b"a"},
        ],
        most=30,
    )
    def any_line(self, handle, lab, pieces, answer):
        worked = []

        async def work(line):
            worked.append(line)
            await asyncio.sleep(0)
            if answer is asyncio.CancelledError:
                asyncio.current_task().cancel()
                await asyncio.sleep(1)
            if not isinstance(answer, bytes):
                raise answer("no")
            return answer

        async def serve():
            wire = Wire(holds=True)
            breaks = [0.01, last("the client")] if last is ConnectionResetError else []
            wires.append(wire)
            if last is asyncio.CancelledError:
                asyncio.get_running_loop().call_later(0.01, asyncio.current_task().cancel)
            if stuck:
                wire.protocol.pause_writing()
            with feed(wire.reader, *heard, *breaks, *[] if pieces else [None]):
                await lab.awaitable(handle(wire.reader, wire.writer, work))

        wires = []
        heard = [piece for piece in pieces if isinstance(piece, bytes)]
        last = None if heard == pieces else pieces[-1]
        whole = b"".join(heard).endswith(b"\n")
        stuck = whole and last is asyncio.CancelledError  # no room: whoever drains waits
        said = f"said {b''.join(heard)!r}" if pieces else "ended without a word"
        does = f"returns {answer!r}" if isinstance(answer, bytes) else f"raises {answer.__name__}"
        then = {
            None: f"; `work` {does}" if pieces else "",
            ConnectionResetError: ", and whose connection broke then",
            asyncio.CancelledError: " and took nothing of the answer, and cancelled it then"
            if stuck
            else ", and cancelled it while it waited for the rest of the line",
        }
        lab.told(f"for a client who {said}{then[last]}")
        run = lab.run(serve())
        if worked and not worked[0].endswith(b"\n"):
            raise Wrong(
                "one read is one message",
                f"`work` was called with {worked[0]!r}, before the rest of the line had come.",
                lab.call_of("read"),
            )
        if pieces and not last and not worked:
            raise Wrong(
                "falsy",
                f"The client said {b''.join(pieces)!r}, and `work` was not called.",
                lab.condition(),
                try_="Only a line that is empty altogether, without a line feed, is the end.",
                headline="took a line for the end",
            )
        if not wires[0].closing:
            if ahead := run.error and _ahead_of_close(lab, run.error):
                raise Wrong(
                    "left open",
                    f"It ended with {type(run.error).__name__}, and the connection was open.",
                    ahead,
                    "In what cleans up, the `close` comes first, ahead of all that may fail or be "
                    "cancelled.",
                    at="let the error out before the `close`",
                )
            narrow = run.error and _passed_by(lab, run.error)
            skipped = narrow or lab.text.skipped("close", "abort")
            if not run.error and answer == b"":
                skipped = skipped or lab.condition("answer")
            raise Wrong(
                "left open",
                f"It ended{f' with {type(run.error).__name__}' if run.error else ''}, and the "
                "connection was open.",
                skipped or (run.error and lab.text.of_traceback(run.error)),
                "What has to be done however it ends belongs in a `finally`, and all that may fail "
                "in its `try`."
                + " A cancellation is no `Exception`."
                * bool(lab.handler(Exception)),
                at="lets it pass"
                if narrow
                else "isn't met on this way out"
                if skipped
                else "let it out past the `close`",
            )
        if wires[0].thrown_away:
            raise Wrong(
                "partial send",
                f"{wires[0].thrown_away!r} was written, was still in the buffer, and was never "
                "sent.",
                lab.call_of("abort"),
                THROWN_AWAY,
                headline="threw away the rest",
            )
        if stuck:
            return None  # whether it waits for room is left open
        return {
            "": lab.seen(run),
            "`work` was called with": worked,
            "the client heard": wires[0].sent,
            "the connection is closed:": wires[0].closing,
        }

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
            closes = server.lab.call_of("close")
            raise Wrong(
                "left open",
                "`work` raised ZeroDivisionError, and the handler left "
                "without closing the connection.",
                closes or server.lab.call_of("write_eof"),
                at="was not reached" if closes else "ends one direction alone",
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

    reads_before = with_finally.but(
        "try:\n    line = await reader.readline()",
        "line = await reader.readline()\ntry:",
        kind="left open",
        says="ended with ConnectionResetError",
    )

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

    @wrong("end of stream", says="b''")
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

    one_read = with_closing.but(
        "reader.readline()",
        "reader.read(1024)",
        kind="one read is one message",
        says="reached the client",
    )

    @wrong("partial send", says="reached the client")
    async def throws_away_what_is_buffered(reader, writer, work):
        try:
            if line := await reader.readline():
                try:
                    writer.write(await work(line))
                except ValueError:
                    writer.write(b"error\n")
        finally:
            writer.transport.abort()

    tells_every_error = with_closing.but("ValueError", "Exception", kind="value", says="error")

    @wrong("never answers", says="had not ended")
    async def waits_for_the_end(reader, writer, work):
        try:
            line = await reader.read()
            if line:
                writer.write(await work(line))
        finally:
            writer.close()


def _passed_by(lab, error):
    """The `except` that closes the connection, and that the error passed on its way, or None."""
    narrow, steps = lab.text.narrow_cleanup("close", "abort"), lab.text.steps_of(error)
    for node in lab.nodes():
        if any(handler.lineno == narrow for handler in getattr(node, "handlers", ())):
            if any(spans(part, line) for part in node.body for line in steps):
                return narrow
    return None


def _ahead_of_close(lab, error):
    """The line of a `finally` or an `except` that the error came out of ahead of the `close` there,
    or None.
    """
    for node in lab.nodes():
        body = getattr(node, "finalbody", None) or (
            node.body if isinstance(node, ast.ExceptHandler) else []
        )
        calls = (part for each in body for part in ast.walk(each) if isinstance(part, ast.Call))
        closes = [call.lineno for call in calls if getattr(call.func, "attr", "") == "close"]
        for line in lab.text.steps_of(error):
            if closes and body[0].lineno <= line < min(closes):
                return line
    return None
