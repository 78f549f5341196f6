import ast

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.eventloop.sockets import recv

from .shared import Scripted, pair, patiently, play, start_task


class ReadLines(Exercise):
    """Lines from a stream

    The other side sends lines, each ended by a newline `b"\\n"`, and hangs up. The last line may
    lack its newline. Write `read_lines(sock)`. It returns the list of all lines, as bytes without
    their newlines.

    `await recv(sock, 4096)` gives what has come, in pieces of any size.
    """

    id = "lines-1"
    asks = "read_lines"
    minutes, clock, limit = 10, "real", 4.0
    hints = (
        "Where a piece ends says nothing about where a line ends. What do you do with a line of "
        "which only the beginning has come?",
        "Keep a buffer. Add each piece to it; take the whole lines out; what is behind the last "
        "newline stays for the next piece.",
        "`while data := await recv(sock, 4096):` ends with the stream. `*whole, buffer = "
        '(buffer + data).split(b"\\n")` parts them. At the end the buffer may hold a last line.',
    )
    equivalent = {
        "with_a_buffer: drop falsy, line 11": "no empty buffer comes there",
    }

    def verify(self, read_lines, lab):
        for pieces, words in (
            ([b"tea\n", b"cake\n"], "and the pieces were whole lines"),
            ([b"tea\ncake\njam\n"], "and three lines came in one piece"),
            ([b"te", b"a\nca", b"ke\n"], "and lines came in parts"),
            ([b"tea\n", b"cake"], "and the last line had no newline"),
            ([b"tea\n\ncake\n"], "and one line was empty"),
            ([b"tea\n\n\n"], "and the last lines were empty"),
            ([b"tea\r\n"], 'and a line ended in b"\\r"'),
            ([b" tea \n"], "and there were blanks around a line"),
            ([b"tea\n", b" "], "and the last line had no newline"),
            ([], "and the other side hung up at once"),
        ):
            lab.told(f"{words}: {pieces}" if pieces else words)
            got, here = play(
                lab, lambda loop: self._talk(lab, loop, read_lines, pieces), lab.call_of("recv")
            )
            self._compare(lab, got, here, pieces, b"".join(pieces))

    async def _talk(self, lab, loop, read_lines, pieces):
        here, there = pair()
        with here:
            reader = start_task(lab, loop, read_lines, here)
            with there:
                for number, piece in enumerate(pieces, 1):
                    there.sendall(piece)
                    if not await patiently(lambda: len(here.taken) >= number or reader.done()):
                        raise Wrong(
                            "stopped early",
                            f"It took {here.taken} and then waited for something else.",
                            lab.await_of(),
                            "`recv` is the one thing to wait for.",
                            headline="stopped reading",
                        )
            if not await patiently(reader.done):
                raise Wrong(
                    "end of stream",
                    "The other side had hung up, and it still waited.",
                    lab.await_of(),
                    'Look for b"", the end of the stream.',
                    headline="waits for ever",
                )
            return await reader, here

    def _compare(self, lab, got, here, pieces, text):
        expected = text.removesuffix(b"\n").split(b"\n") if text else []
        if got == expected:
            return
        said = f"It returned {got!r}."
        line = lab.call_of("*split*", "partition") or lab.earliest(
            lab.call_of("append"), lab.operation("+=")
        )
        if b"" not in here.taken:
            raise Wrong(
                "stopped early",
                f"{said} More was to come: it had not read to the end of the stream.",
                lab.condition("len") or lab.call_of("recv"),
                'One `recv` gives one piece. Go on until it gives b"".',
                headline="stopped too early",
            )
        if isinstance(got, list) and all(isinstance(each, bytes) for each in got):
            stripped = [each.strip() for each in got] == [each.strip() for each in expected]
            if stripped and not any(b"\n" in each for each in got):
                cuts_more = (
                    b"\r" in text and lab.call_of("splitlines") and not lab.call_of("*strip")
                )
                raise Wrong(
                    "value",
                    f"{said} It should have been {expected!r}.",
                    lab.call_of("*strip", "splitlines") or line,
                    'Only b"\\n" ends a line'
                    + (
                        ', and `splitlines` cuts at b"\\r" too.'
                        if cuts_more
                        else '. Blanks and b"\\r" belong to it.'
                    ),
                    headline="took more than the newline off",
                )
            if got and b"\n" not in got[0] and b"\n".join(got) == text and len(pieces) == 1:
                raise Wrong(
                    "lost items",
                    f"{said} Of the piece it took one line alone.",
                    lab.operation("in", "not in") or lab.call_of("find", "index") or line,
                    "One piece may hold many lines. Take lines out of the buffer as long as there "
                    "is a newline in it: `while`, not `if`.",
                    headline="took one line of each piece",
                )
            if any(b"\n" in each for each in got):
                raise Wrong(
                    "one read is one message",
                    said,
                    line,
                    "A line ends where its newline is, wherever the pieces end. Cut at "
                    "the newlines.",
                    headline="left the newlines in"
                    if len(got) == len(expected)
                    else "took a piece for a line",
                )
            if len(pieces) > 1 and got == [piece.rstrip(b"\n") for piece in pieces]:
                raise Wrong(
                    "one read is one message",
                    said,
                    line,
                    "One `recv` is not one line. Collect the pieces, and cut at the newlines.",
                    headline="took a piece for a line",
                )
            if got == expected[:-1] and not text.endswith(b"\n"):
                raise Wrong(
                    "lost items",
                    said,
                    lab.condition("*strip") or _without_the_last(lab) or lab.returning(),
                    "What is left in the buffer when the stream ends is a line too.",
                    headline="lost the last line",
                )
            if got == [*expected, b""]:
                raise Wrong(
                    "end of stream",
                    f"{said} No line b'' came at the end.",
                    _adding_the_rest(lab) or line,
                    "After the last newline the buffer is empty: that is no line.",
                    headline="made up a line",
                )
            if len(pieces) > 1 and b"".join(got) == b"".join(expected):
                raise Wrong(
                    "one read is one message",
                    said,
                    line,
                    "A line may begin in one piece and end in the next. Keep its beginning "
                    "in a buffer until its newline comes.",
                    headline="cut a line in two",
                )
            if not any(expected[len(got) :]) and got == expected[: len(got)]:
                strips = lab.call_of("*strip")
                raise Wrong(
                    "lost items",
                    f"{said} At the end this is missing: {expected[len(got) :]}.",
                    strips or lab.call_of("pop") or lab.deleting() or line,
                    'Each newline ends a line, and that line may be empty: b"". Only when '
                    "nothing is left behind the last newline is that no line."
                    + (" `rstrip` takes all newlines at an end, not just one." if strips else ""),
                    headline="lost empty lines at the end",
                )
            if got == [each for each in expected if each]:
                raise Wrong(
                    "falsy",
                    said,
                    lab.sieve() or lab.condition() or line,
                    'An empty line is a line: b"" between two newlines. Leave out only the b"" '
                    "that comes behind the last newline.",
                    headline="lost the empty line",
                )
            if set(got) <= set(expected) and len(got) < len(expected):
                raise Wrong(
                    "lost items",
                    said,
                    line,
                    "One piece may hold many lines. Take all of them.",
                    headline="lost lines",
                )
        lab.equal(got, expected, line=lab.call_of("decode", "str"))

    @sweep(
        lambda some: {
            "pieces": some.lists(
                some.sampled_from(
                    (b"tea", b"\n", b"\n\n", b"ca\nke", b" jam\n", b"\r\n", b"\r", b"\0\x0b\xff")
                ),
                max_size=5,
            ),
            "others": some.sampled_from(((), (), (b"mi", b"lk\nhoney"))),
        },
        besides=[
            {"pieces": [b"tea\n"] * 1100, "others": ()},
            {"pieces": [b"cake" * 500] * 3 + [b"\n"], "others": ()},
        ],
        most=40,
    )
    def any_pieces(self, read_lines, lab, pieces, others):
        came = f"{pieces}" if len(pieces) < 9 else f"{pieces[0]} {len(pieces):,} times"
        words = f"and the pieces were {came}" if pieces else "and the other side hung up at once"
        lab.told(words + (f"; and at once for a socket with {list(others)}" if others else ""))
        return play(
            lab,
            lambda loop: self._scripted(lab, loop, read_lines, pieces, others),
            lab.call_of("recv"),
        )

    async def _scripted(self, lab, loop, read_lines, pieces, others):
        (here, there), (second, far) = pair(Scripted), pair(Scripted)
        with here, second:
            with there, far:
                there.sendall(b"".join(pieces))
                far.sendall(b"".join(others))
            here.pieces, second.pieces = ([len(one) for one in row] for row in (pieces, others))
            readers = [start_task(lab, loop, read_lines, here)]
            if others:
                readers.append(start_task(lab, loop, read_lines, second))
            if not await patiently(lambda: all(one.done() for one in readers)):
                raise Wrong(
                    "end of stream",
                    "The other side had hung up, and it still waited.",
                    lab.await_of(),
                    'Look for b"", the end of the stream.',
                    headline="waits for ever",
                )
            got = [await reader for reader in readers]
            return {"it returned": got[0], "for the other socket it returned": got[-1]}

    @right
    async def with_a_buffer(sock):
        """Return all lines that come, without their newlines."""
        lines, buffer = [], b""
        while data := await recv(sock, 4096):
            *whole, buffer = (buffer + data).split(b"\n")
            lines += whole
        if buffer:
            lines.append(buffer)
        return lines

    @right
    async def collects_first(sock):
        text = b""
        while True:
            data = await recv(sock, 100)
            if not data:
                break
            text += data
        lines = text.split(b"\n")
        if not lines[-1]:
            lines.pop()
        return lines

    @wrong("lost items", says="`while`, not `if`")
    async def one_of_each_piece(sock):
        lines, buffer = [], b""
        while data := await recv(sock, 4096):
            buffer += data
            if b"\n" in buffer:
                line, buffer = buffer.split(b"\n", 1)
                lines.append(line)
        return [*lines, buffer] if buffer else lines

    @wrong("spin", says="the end of the stream")
    async def never_looks_for_the_end(sock):
        text = b""
        while not text.endswith(b"\n\n"):
            text += await recv(sock, 4096)
        return text.split(b"\n")[:-2]

    @wrong("stopped early", says="More was to come")
    async def reads_once(sock):
        return (await recv(sock, 4096)).splitlines()

    @wrong("one read is one message", says="Cut at the newlines")
    async def a_piece_is_a_line(sock):
        lines = []
        while data := await recv(sock, 4096):
            lines.append(data.rstrip(b"\n"))
        return lines

    @wrong("one read is one message", says="buffer")
    async def splits_each_piece(sock):
        lines = []
        while data := await recv(sock, 4096):
            lines += data.splitlines()
        return lines

    @wrong("lost items", says="a line too")
    async def forgets_the_buffer(sock):
        lines, buffer = [], b""
        while data := await recv(sock, 4096):
            *whole, buffer = (buffer + data).split(b"\n")
            lines += whole
        return lines

    always_adds_the_buffer = forgets_the_buffer.but(
        "return lines", "return lines + [buffer]", kind="end of stream", says="no line"
    )

    @wrong("lost items", says="many lines")
    async def takes_one_line_a_piece(sock):
        lines, buffer = [], b""
        while data := await recv(sock, 4096):
            line, newline, buffer = (buffer + data).partition(b"\n")
            lines.append(line)
        return lines

    @wrong("falsy", says="is a line")
    async def drops_empty_lines(sock):
        text = b""
        while data := await recv(sock, 4096):
            text += data
        return [line for line in text.split(b"\n") if line]


def _without_the_last(lab):
    """The slice that leaves the last one out, whatever it is; or None."""
    return lab.earliest(
        *(
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.Slice) and ast.unparse(node) == ":-1"
        )
    )


def _adding_the_rest(lab):
    """The line that puts the buffer itself among the lines: what lines are cut from. Or None."""
    calls = lab.text.calls_of("*.split", "*.partition", "*.find", "*.index")
    buffers = {ast.unparse(call.func.value) for call in calls}
    return lab.earliest(
        *(
            call.lineno
            for call in lab.text.calls_of("append")
            if buffers.intersection(map(ast.unparse, call.args))
        )
    )
