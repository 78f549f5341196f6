"""Long, for a frame can be cut, joined or measured wrongly in many ways."""

import ast
import asyncio
import struct

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import feed


def frame(message):
    return struct.pack(">I", len(message)) + message


class ReadFrame(Exercise):
    """Frames with a length

    Each message on a connection is a frame: four bytes that say its length (highest byte first,
    `">I"` in `struct`), then that many bytes.

    Write `read_frame(reader)`, a coroutine function. `reader` is an `asyncio.StreamReader`.

    - It returns the next message, as bytes, and takes nothing of what comes after it.
    - If the connection has ended before a frame began, it returns `None`.
    - If it ends inside a frame, `asyncio.IncompleteReadError` comes out.
    - A length above 1000 is a `ValueError`, raised before the message itself is waited for.
    - An error of the reader's own, such as a `ConnectionResetError`, comes out.
    """

    id = "frame-1"
    asks = "read_frame"
    minutes, clock = 8, "virtual"
    hints = (
        "How many bytes does `read(n)` give, and how many does `readexactly(n)`?",
        "`readexactly` raises IncompleteReadError at the end. Its `partial` tells a clean end, "
        "where nothing had come, from one in the middle. Which of the two reads may end cleanly?",
        "Read four bytes in a `try`; at the error return None if not `error.partial`, else "
        "`raise`. Then unpack, look at the length, and `return await reader.readexactly(length)`.",
    )

    def verify(self, read_frame, lab):
        errors = []

        def read(what, *steps, number=1, raises=None):
            async def scene():
                loop, reader = asyncio.get_running_loop(), Reader(errors)
                got = []
                try:
                    with feed(reader, *steps):
                        for _ in range(number):
                            got.append(await read_frame(reader))
                    return got if number > 1 else got[0]
                except struct.error as error:
                    raise Wrong(
                        "one read is one message",
                        f"It raised struct.error: {error}. "
                        "Fewer than the four bytes of the length had come.",
                        lab.call_of("read"),
                    ) from None
                except asyncio.IncompleteReadError as error:
                    if raises is None and len(steps) > 1 and (short := lab.call_of("read")):
                        raise Wrong(
                            "one read is one message",
                            f"It raised IncompleteReadError: {error}. The rest of it was to come, "
                            "and the connection had not ended.",
                            short,
                        ) from None
                    raise
                except ValueError as error:
                    times.append(loop.time())
                    short = lab.call_of("readline", "readuntil", "read")
                    if raises is None and number > 1 and short:
                        raise Wrong(
                            "one read is one message",
                            f"{error!r} came out: it took other bytes for a length. The message "
                            f"before was not read to its end.",
                            short,
                            "Read as many bytes as the length says, whatever they are.",
                        ) from None
                    if raises is None:
                        raise Wrong(
                            "protocol",
                            f"{error!r} came out, and no length was above 1000.",
                            lab.operation(">=") or lab.call_of("unpack", "from_bytes"),
                            "The four bytes come with the highest first: `>I`, or "
                            '`"big"`. A length of 1000 is allowed.',
                            headline="refused a good frame",
                        ) from None
                    raise

            lab.told(f"with {what}")
            times = []
            errors.clear()
            run = lab.run(scene(), raises=raises)
            return run.result if raises is None else times

        hello, long = frame(b"hello"), frame(b"y" * 1000)
        pieces = 1.0, hello[:2], 1.0, hello[2:6], 1.0, hello[6:], 60.0, None
        self.compare(
            lab,
            read("a message of 5 bytes, whose frame came in three pieces", *pieces),
            b"hello",
        )
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
            "a message of 1000 bytes, whose frame came in pieces of 400",
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
            late = "`at_eof()` doesn't wait: it tells of an end that has come already. "
            raise Wrong(
                "caught too little",
                "The connection ended where the length would come, and "
                f"{type(error).__name__} came out.",
                lab.text.of_traceback(error),
                (late if lab.call_of("at_eof") else "")
                + "Catch the IncompleteReadError of this read, and return None if its `partial` "
                "is empty.",
                headline="took the end for an error",
            ) from None
        lab.equal(got, None)
        for what, cut in {
            "four bytes of the length were to come, and two came": hello[:2],
            "only three of five bytes came": hello[:7],
            "the length came, and none of the five bytes": hello[:4],
        }.items():
            try:
                read(
                    f"a connection that ended inside a frame: {what}",
                    cut,
                    1.0,
                    None,
                    raises=asyncio.IncompleteReadError,
                )
            except Wrong as found:
                if found.kind == "lost error":
                    found.line, found.at = _keeper(lab, errors) or (found.line, found.at)
                    found.try_ = (
                        "If the first read, that of the length, ends with an empty "
                        "`error.partial`, return None. Whatever else is incomplete comes out."
                    )
                raise
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
                    "protocol",
                    f"The length said {length:,}, and it waited for that many bytes.",
                    lab.call_of("unpack", "from_bytes"),
                    "Raise ValueError if the length is above 1000.",
                    headline="no limit",
                ) from None
            except Wrong as found:
                if found.kind == "lost error":
                    raise Wrong(
                        "protocol",
                        f"The length said {length:,}, and it returned "
                        "something in place of a ValueError.",
                        lab.keeping(ValueError)
                        or (length < 2**31 and lab.literal(1000, 1001))  # else it is a sign
                        or lab.call_of("unpack", "from_bytes"),
                        "Raise ValueError if the length is above 1000.",
                        headline="no ValueError" if lab.literal(1000, 1001) else "no limit",
                    ) from None
                raise
            if when > 1:
                raise Wrong(
                    "protocol",
                    f"The length said {length:,}. It raised ValueError "
                    "only after it had waited for the message itself.",
                    lab.literal(1000) or _last_read(lab),
                    "Compare the length before you read on: a client may announce 4 GiB.",
                    headline="looked too late",
                    at="" if lab.literal(1000) else "comes before the look at the length",
                )

    @sweep(
        lambda some: {
            "lengths": some.lists(some.sampled_from((0, 1, 3, 10, 1001)), max_size=3),
            "cut": some.sampled_from((0, 0, 1, 3, 4, 5)),
            "piece": some.sampled_from((1, 3, 4, 7, 99)),
            "ends": some.sampled_from((True, False, ConnectionResetError)),
        },
        besides=[
            {"lengths": [1000, 1000], "cut": 0, "piece": 5000, "ends": False},
            {"lengths": [2**32 - 1], "cut": 0, "piece": 4, "ends": False},
        ],
        most=40,
    )
    def any_frames(self, read_frame, lab, lengths, cut, piece, ends):
        sent = b"".join(struct.pack(">I", n) + b"y" * (n if n <= 1000 else 9) for n in lengths)
        sent = sent[: max(0, len(sent) - cut)]
        came = f"{len(sent):,} bytes came, {piece:,} at a time: frames of the lengths {lengths}" + (
            f", and the last {cut} bytes missing" if cut else ""
        )
        lab.told(
            ("again and again; " if lengths else "once; ")
            + (came if sent else "nothing came")
            + ("; then ConnectionResetError" if isinstance(ends, type) else "; then the end")
        )
        pieces = [sent[at : at + piece] for at in range(0, len(sent), piece)]
        steps = [step for each in pieces for step in (each, 0.5)]
        steps += [] if ends else [60]
        broken = ends if isinstance(ends, type) else None
        return lab.seen(lab.run(self._read_all(read_frame, steps, broken, len(lengths) + 1)))

    async def _read_all(self, read_frame, steps, broken, most):
        reader, got = asyncio.StreamReader(), []
        last = broken("the connection broke") if broken else None
        try:
            with feed(reader, *steps, last):
                while len(got) < most and None not in got:
                    got.append(await read_frame(reader))
        except ValueError:
            got.append("ValueError")
        except asyncio.IncompleteReadError:
            got.append("IncompleteReadError")
        return got if most > 1 else got[0]

    def compare(self, lab, got, expected):
        if got == expected:
            return
        if isinstance(got, bytes | bytearray) and got[:4] == struct.pack(">I", len(expected)):
            raise Wrong(
                "value",
                f"It returned {bytes(got)[:20]!r}, with the four bytes of the length.",
                lab.operation("+"),
                "Return the message alone.",
            )
        if got is None and expected == b"":
            found = lab.suspect(got, expected)
            raise Wrong(
                "value",
                "The frame is there, with an empty message. It returned None.",
                found and found.line,
                'None tells that the connection has ended. Return `b""`.',
            )
        if isinstance(got, bytes | bytearray | None):
            raise Wrong(
                "one read is one message",
                f"The message has {len(expected)} bytes; it returned {bytes(got)[:20]!r}."
                if got is not None
                else f"The message has {len(expected)} bytes; it returned None.",
                lab.call_of("read"),
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

    @wrong("one read is one message", says="of the length had come")
    async def reads_the_length_once(reader):
        head = await reader.read(4)
        if not head:
            return None
        (length,) = struct.unpack(">I", head)
        if length > 1000:
            raise ValueError(length)
        return await reader.readexactly(length)

    lowest_byte_first = with_partial.but('">I", head', '"<I", head').but(
        'f"a frame of {length} bytes"', "length", kind="protocol", says="highest first"
    )

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

    @wrong("caught too little", says="partial")
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

    @wrong("protocol", says="above 1000")
    async def any_length(reader):
        try:
            head = await reader.readexactly(4)
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise
            return None
        return await reader.readexactly(int.from_bytes(head, "big"))

    @wrong("protocol", says="before you read on")
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

    with_its_head = empty_is_none.but(
        "await reader.readexactly(length) or None",
        "head + await reader.readexactly(length)",
        kind="value",
        says="message alone",
    )


class Reader(asyncio.StreamReader):
    """A StreamReader that notes the errors that it raises itself."""

    def __init__(self, errors):
        super().__init__()
        self.errors = errors

    async def readexactly(self, n):
        try:
            return await super().readexactly(n)
        except asyncio.IncompleteReadError as error:
            self.errors.append(error)
            raise


def _keeper(lab, errors):
    """(Line, what it does) of what kept the reader's last error from coming out, or None: the read
    itself, if it stands in the `try` that is there for the read before it.
    """
    kept = lab.text.keeper(errors[-1]) if errors else None
    if kept is None:
        return None
    read = lab.text.steps_of(errors[-1])[-1]
    for node in lab.nodes():
        if isinstance(node, ast.Try) and kept.line in [each.lineno for each in node.handlers]:
            inside = [part.lineno for each in node.body for part in ast.walk(each) if _waits(part)]
            if read in inside and min(inside) < read:
                return read, "stands in the same `try` as the read before it"
    return kept.line, kept.at


def _last_read(lab):
    """The last line that awaits something of the reader, or None."""
    reads = [
        node.lineno
        for node in lab.nodes()
        if isinstance(node, ast.Await) and "read" in ast.unparse(node.value)
    ]
    return max(reads, default=None)


def _waits(node):
    return isinstance(node, ast.Await)
