import ast
import asyncio

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import feed

PIECES = (b"a", b"\n", b"a \n", b"\r\n\x0b\n", b" b\nc")


class LineInTime(Exercise):
    """A line, in time

    Write `read_line(reader, seconds)`, a coroutine function. `reader` is an
    `asyncio.StreamReader`; a line ends with a line feed, `b"\\n"`.

    - It returns the next line, as bytes and without its line feed, and takes nothing of what comes
      after it.
    - If the whole line is not there after `seconds`, a `TimeoutError` comes out, even if a letter
      came just before.
    - If the connection ends before the line does, it returns `None`.

    No line is longer than the reader's own limit, 64 KiB.
    """

    id = "line-in-time-1"
    asks = "read_line"
    minutes, clock = 6, "virtual"
    hints = (
        "What has to be there in time: the next letter, or the whole line?",
        "`readline` gives a line with its line feed, or what there was if the end came first.",
        "`async with asyncio.timeout(seconds):` around one `await reader.readline()`.",
    )

    def verify(self, read_line, lab):
        def read(what, *steps, number=1, raises=None):
            async def scene():
                loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
                got = []
                try:
                    with feed(reader, *steps):
                        for _ in range(number):
                            got.append(await read_line(reader, 5))
                    return got if number > 1 else got[0]
                finally:
                    ended.append(loop.time())

            lab.told(f"with 5 seconds and {what}")
            ended = []
            try:
                result = lab.run(scene(), raises=raises).result
            except asyncio.IncompleteReadError:
                raise Wrong(
                    "caught too little",
                    "The connection ended, and IncompleteReadError came out.",
                    lab.call_of("read?*"),
                    "Catch it and return None, or take `readline`.",
                    headline="took the end for an error",
                ) from None
            except TimeoutError:
                if number == 1:
                    raise
                raise Wrong(
                    "one read is one message",
                    "Both lines were there. The first call had taken the second line, too, and "
                    "the second call waited for it.",
                    lab.call_of("read"),
                    "Take no more than the line: `readline` stops behind the line feed. What is "
                    "taken and not returned is lost for the next call.",
                    headline="took more than the line",
                    at="may take more than the line",
                ) from None
            except Wrong:
                if not ended or ended[-1] < 5.5:
                    raise
            if ended[-1] > 5.5 and not raises:
                raise Wrong(
                    "late",
                    f"It took {ended[-1]:.0f} s, and what it was to "
                    "return had been there long before.",
                    lab.call_of("*sleep*") or lab.call_of("read*"),
                    "Go on as soon as the line is there.",
                    headline="waited for nothing",
                )
            if ended[-1] > 5.5:
                raise Wrong(
                    "limits add up" if lab.call_of("timeout", "wait_for") else "time limit",
                    f"After {ended[-1]:.0f} s it was still waiting for the line.",
                    lab.call_of("reschedule") or lab.call_of("timeout*", "wait_for", "read*"),
                    "Put one limit around all that belongs to the line.",
                    headline="the limit began anew"
                    if lab.call_of("timeout", "wait_for")
                    else "no limit",
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
            "a connection that ends inside a line": [b"hel", 1.0, None],
        }.items():
            self.compare(lab, read(what, *steps), None)

    @sweep(
        lambda some: {
            "pieces": some.lists(
                some.tuples(some.sampled_from((0, 1)), some.sampled_from(PIECES)), max_size=5
            ),
            "seconds": some.sampled_from((0.7, 2.5)),
        },
        besides=[
            {"pieces": [(0, b"y")] * 1100 + [(0, b"\n")], "seconds": 2.5},
            {"pieces": [(0, b"y" * 60_000), (1, b"\n")], "seconds": 2.5},
        ],
        most=50,
    )
    def any_pieces(self, read_line, lab, pieces, seconds):
        came = [
            f"{piece!r} came"
            + (f" {pause} s later" if number else f" after {pause} s") * bool(pause)
            for number, (pause, piece) in enumerate(pieces)
        ]
        if len(came) > 9 or sum(len(piece) for _, piece in pieces) > 99:
            came = [f"a line of {sum(len(piece) for _, piece in pieces) - 1:,} letters came"]
        lab.told(
            f"with {seconds:g} seconds, for line after line; {', '.join([*came, 'then the end'])}"
        )
        try:
            return lab.seen(lab.run(self._read_all(read_line, pieces, seconds)))
        except Wrong as found:
            if found.kind == "leaked":
                found.observed = found.observed.replace("It returned", "The last call had ended")
                if shield := lab.call_of("shield"):
                    found.line, found.at = shield, "keeps the cancellation from the read"
                    found.try_ = (
                        "When the time is over, the read must end as well, or it takes what the "
                        "next call waits for. Without `shield` it does."
                    )
            raise

    async def _read_all(self, read_line, pieces, seconds):
        reader, got = asyncio.StreamReader(), []
        steps = [step for pause, piece in pieces for step in (pause, piece) if step]
        try:
            with feed(reader, *steps, None):
                while None not in got:
                    got.append(await read_line(reader, seconds))
        except TimeoutError:
            got.append("TimeoutError")
        return got

    def compare(self, lab, got, expected):
        if isinstance(expected, list):
            for one, wanted in zip(got, expected):
                self.compare(lab, one, wanted)
        elif got is None and expected == b"":
            found = lab.suspect(got, expected)
            raise Wrong(
                "value",
                "It returned None; expected b''.",
                found and found.line,
                "None tells that the connection ended before a line feed came. An empty line had "
                'one, though what is left of it, `b""`, counts as false.',
                headline="took an empty line for the end",
            )
        elif (
            isinstance(got, bytes)
            and expected is not None
            and got not in (expected, expected + b"\n", expected.strip())
        ):
            raise Wrong(
                "one read is one message",
                f"The line was {expected!r}; it returned {got!r}.",
                lab.call_of("read"),
            )
        elif isinstance(got, bytes) and expected is not None and got in expected:
            self.stripped(lab, got, expected)
            lab.equal(got, expected)
        elif got and expected is None:
            raise Wrong(
                "end of stream",
                f"It returned {got!r}, and no line feed had come.",
                lab.use_of("partial") or lab.condition() or lab.call_of("readline", "read*"),
                "`readline` gives what there is at the end: only what ends with a line feed is a "
                "line.",
                headline="took half a line for a line",
            )
        elif isinstance(got, bytes) and expected is not None and got == expected + b"\n":
            raise Wrong(
                "value",
                f"It returned {got!r}; expected {expected!r}.",
                self.returned(lab),
                "The line comes with its line feed: take that off.",
                headline="kept the line feed",
            )
        else:
            lab.equal(got, expected, line=lab.call_of("decode", "str"))

    def returned(self, lab):
        """The one line that returns something else than None, or None."""
        found = [
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.Return) and not isinstance(node.value, ast.Constant | None)
        ]
        return found[0] if len(found) == 1 else None

    def stripped(self, lab, got, expected):
        stripping = lab.text.calls_of("strip", "rstrip", "lstrip", "split")
        if got != expected and stripping:
            raise Wrong(
                "value",
                f"It returned {got!r}; expected {expected!r}.",
                stripping[0].lineno,
                f"`{stripping[0].func.attr}` takes away more than the line feed: blanks and "
                'carriage returns belong to the line. `removesuffix(b"\\n")` takes one line feed, '
                "and only that.",
            )

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

    @wrong("limits add up", says="one limit")
    async def each_letter_in_time(reader, seconds):
        line = b""
        while not line.endswith(b"\n"):
            async with asyncio.timeout(seconds):
                letter = await reader.read(1)
            if not letter:
                return None
            line += letter
        return line[:-1]

    @wrong("time limit", says="still waiting")
    async def waits_for_ever(reader, seconds):
        line = await reader.readline()
        return line[:-1] if line.endswith(b"\n") else None

    @wrong("one read is one message", says="b'he'")
    async def one_read(reader, seconds):
        async with asyncio.timeout(seconds):
            line = await reader.read(100)
        return line.removesuffix(b"\n") or None

    @wrong("one read is one message", says="lost for the next call")
    async def takes_more_than_its_line(reader, seconds):
        line = b""
        while not line.endswith(b"\n"):
            line += await asyncio.wait_for(reader.read(100), seconds)
        return line[:-1].partition(b"\n")[0]

    @wrong("caught too little", says="return None")
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

    @wrong("end of stream", says="It returned b'hel', and no line feed had come")
    async def half_a_line(reader, seconds):
        async with asyncio.timeout(seconds):
            line = await reader.readline()
        return line.removesuffix(b"\n") if line else None

    empty_is_the_end = with_a_timeout.but(
        'if line.endswith(b"\\n") else', "or", kind="value", says="expected b''"
    )

    strips_more = with_a_timeout.but(
        "line[:-1]", "line.strip()", kind="value", says="expected b'hello '"
    )

    strips_the_carriage_return = with_a_timeout.but(
        "line[:-1]", 'line.rstrip(b"\\r\\n")', kind="value", says="`rstrip` takes away more"
    )
