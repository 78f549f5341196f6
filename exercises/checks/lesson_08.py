"""Exercises of lesson 08: sockets, and a loop that other threads can wake."""

import contextlib
import inspect
import socket
import threading

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value

# A solution shows each of these lines that it needs.
from helpers.eventloop.sockets import READ, WRITE, Loop, accept, connect, recv, send_all, until
from helpers.eventloop.tasks import Future, sleep

PATIENCE = 80  # short sleeps of the check, in each of which everybody else has a turn too
SHORT = 0.004  # seconds
LONG = 1.5  # seconds that work in a thread waits to be let go
ENDS = 20  # so many times b"" may be read before it counts as spinning
REFUSALS = 300  # so many calls in a row that could not be done at once count as spinning


class Noted(socket.socket):
    """A socket that notes how it is used, and ends what would go on for ever."""

    def __init__(self, sock):
        super().__init__(fileno=sock.detach())
        super().setblocking(False)
        self.taken, self.sent = [], []  # what each recv gave, how much each send took
        self.refused = self.refused_in_row = 0

    def recv(self, most, *flags):
        data = self._try(super().recv, most, *flags)
        self.taken.append(data)
        if self.taken[-ENDS:] == [b""] * ENDS:
            raise Wrong(
                "spin",
                f'The other side had hung up. `recv` returned b"" {ENDS} times in '
                "a row, and it asked again.",
                None,
                'b"" is the end of the stream: nothing more will come. Look for it, and '
                "leave the loop.",
            )
        return data

    def send(self, data, *flags):
        # A socket may take only a part at any time. So that it is seen who does not look, this one
        # leaves a third each time.
        part = data[: max(1, 2 * len(data) // 3)]
        self.sent.append(self._try(super().send, part, *flags))
        return self.sent[-1]

    def sendall(self, data, *flags):
        try:
            super().sendall(data, *flags)
        except BlockingIOError:
            raise Wrong(
                "sendall may not wait either",
                "`sock.sendall` raised BlockingIOError with a part of it sent, and told "
                "nobody how much.",
                None,
                "Use `sock.send`: it returns how many bytes it took.",
            ) from None

    def setblocking(self, flag):
        if flag:
            raise Wrong(
                "blocked",
                "The socket was told to block.",
                None,
                "A socket that blocks stops the loop. Let it be, and await.",
            )

    def settimeout(self, seconds):
        self.setblocking(seconds != 0)

    def _try(self, call, *arguments):
        try:
            done = call(*arguments)
        except BlockingIOError:
            self.refused += 1
            self.refused_in_row += 1
            if self.refused_in_row > REFUSALS:
                raise Wrong(
                    "spin",
                    f"It asked the socket more than {REFUSALS} times in a row, and "
                    "each time it was not ready.",
                    None,
                    "Let the system tell you: `await until(sock, WRITE)` goes on when the "
                    "socket can be written, `until(sock, READ)` when it can be "
                    "read.",
                ) from None
            raise
        self.refused_in_row = 0
        return done


def pair():
    """The end for the answer, and the other end."""
    here, there = socket.socketpair()
    there.setblocking(False)
    return Noted(here), there


def play(lab, scene, line):
    """Run the scene `scene(loop)` on a fresh loop; a Wrong in it gets its line from `line`."""
    loop = Loop()
    try:
        return loop.run(scene(loop))
    except Wrong as found:
        if found.line is None:
            found.line = lab.line("setblocking|settimeout" if found.kind == "blocked" else line)
        raise


def begin(lab, loop, answer, *arguments):
    """Start the answer as a task."""
    made = answer(*arguments)
    if not inspect.iscoroutine(made):
        raise Wrong(
            "not async",
            f"`{lab.asks}` returned {made!r} at once: there is nothing to await.",
            lab.line(rf"def\s+{lab.asks}\b"),
        )
    return loop.spawn(made, lab.asks)


async def patiently(done):
    """Wait until `done()` is true, for as long as one may wait; return whether it is."""
    for _ in range(PATIENCE):
        if done():
            return True
        await sleep(SHORT)
    return done()


class PredictPieces(Exercise):
    """Predict what is received

    Read this program, and do not run it. All that is sent is there before the first `recv`.

        here, there = socket.socketpair()
        there.sendall(b"tea")
        there.sendall(b"cake")
        there.close()
        answers = [here.recv(5), here.recv(5), here.recv(5)]

    Set `answers` to the list of the three values.
    """

    id = "pieces-1"
    asks = "answers"
    minutes = 3
    hints = (
        "A stream is a row of bytes. Does anything in it tell where one `sendall` ended?",
        "`recv(5)` takes what is there, at most five bytes. What is left for the second one?",
        'The first takes `b"teaca"`. When all has been read and the other side has hung up, '
        "`recv` returns no bytes.",
    )
    right_values = ([b"teaca", b"ke", b""], (b"teaca", b"ke", b""), ["teaca", "ke", ""])
    wrong_values = (
        wrong_value(
            [b"tea", b"cake", b""],
            "took a send for a message",
            "You let each `recv` give what one `sendall` sent. A stream does not keep "
            "them apart: whoever receives takes what is there, up to what was asked.",
        ),
        wrong_value(
            ["tea", "cake", ""],
            "took a send for a message",
            "You let each `recv` give what one `sendall` sent. A stream does not keep "
            "them apart: whoever receives takes what is there, up to what was asked.",
        ),
        wrong_value(
            [b"teaca", b"ke", b"ke"],
            "read the same bytes twice",
            "You let the last `recv` give `ke` once more. What has been received is out "
            "of the stream, and nothing came after it.",
        ),
        wrong_value(
            [b"teacake", b"", b""],
            "took more than was asked",
            "You let the first `recv` take all. It takes at most 5 bytes.",
        ),
        wrong_value(
            [b"teaca", b"ke", None],
            "None for the end",
            'You let the last `recv` return None. The end of a stream is b"", no bytes.',
        ),
        wrong_value(
            [b"teaca", b"ke"],
            "stopped too early",
            "You gave two values. There are three calls, and the last one returns too.",
        ),
        wrong_value(
            [b"tea", b"ca", b"ke"],
            "took a send for a message",
            "You let the first `recv` stop where the first `sendall` ended. A stream does "
            "not keep them apart.",
        ),
    )


class SendAll(Exercise):
    """Send all of it

    `sock` is a socket that may not wait: when it has no room, `sock.send` raises BlockingIOError.
    Write `send_all(sock, data)`. It sends all of the bytes `data`, however slowly the other side
    reads, and leaves the loop to others while it waits.

    `await until(sock, WRITE)` waits until the socket can be written.
    """

    id = "sendall-1"
    asks = "send_all"
    minutes, clock, limit = 8, "real", 4.0
    hints = (
        "What does `sock.send(data)` return, and what has to be done with the rest?",
        "As long as something is left: send it, and keep what was not taken, `data[taken:]`. "
        "And when the socket has no room?",
        "`except BlockingIOError: await until(sock, WRITE)`, inside of the loop, so that it tries "
        "the same rest again.",
    )

    def verify(self, send_all, lab):
        data = b"".join(number.to_bytes(4, "big") for number in range(100_000))
        lab.told(f"with {len(data):,} bytes and a slow reader")
        play(lab, lambda loop: self._slowly(lab, loop, send_all, data), r"\.send")
        lab.told("with no bytes at all")
        play(lab, lambda loop: self._slowly(lab, loop, send_all, b""), r"\.send")

    async def _slowly(self, lab, loop, send_all, data):
        here, there = pair()
        with here, there:
            sender, heard = begin(lab, loop, send_all, here, data), bytearray()
            idle = 0
            while idle < PATIENCE and not (sender.done() and idle):
                await sleep(SHORT / 4)
                idle += 1
                with contextlib.suppress(BlockingIOError):
                    heard += there.recv(50_000)
                    idle = 0
                if len(heard) > len(data):  # it may go on so for ever
                    sender.cancel()
                    break
                # It may be refused once after each part that was taken, and asked to try again.
                if here.refused > 5 * len(here.sent) + 20 and not sender.done():
                    raise Wrong(
                        "spin",
                        f"It tried {here.refused} times in vain while the other "
                        "side was slow: it asks and asks.",
                        lab.line("sleep") or lab.line("except"),
                        "Let the system tell you: `await until(sock, WRITE)` goes on when "
                        "there is room.",
                    )
            if len(heard) > len(data):
                self._compare(lab, here, bytes(heard), data)
            if not sender.done():
                raise self._stuck(lab, loop, here, heard, data)
            try:
                await sender
            except BlockingIOError:
                raise Wrong(
                    "raised BlockingIOError",
                    f"After {len(heard):,} bytes the socket had "
                    "no room. `send` raised BlockingIOError, and nobody caught it.",
                    lab.line(r"\.send"),
                    "It says *not now*: catch it, wait until the socket can be written, and go on.",
                ) from None
            self._compare(lab, here, bytes(heard), data)

    def _stuck(self, lab, loop, here, heard, data):
        said = f"The other side read {len(heard):,} bytes, and then it waited for ever."
        if loop.watching.get(here.fileno(), (None, {}))[1].get(READ):
            return Wrong(
                "waited for the wrong event",
                said,
                lab.line("READ"),
                "READ is for words that come in. Who wants to send waits for WRITE.",
            )
        return Wrong(
            "waits for ever",
            said,
            lab.line(r"\bawait\b"),
            "Wait only when `send` had no room, and then for WRITE.",
        )

    def _compare(self, lab, here, heard, data):
        if heard == data:
            return
        said = f"The other side got {len(heard):,} of {len(data):,} bytes."
        first = here.sent[0] if here.sent else 0
        if len(heard) > len(data) or heard[first : first + 100] == data[:100]:
            raise Wrong(
                "sent a part twice",
                f"The other side got {len(heard):,} bytes where "
                f"{len(data):,} were to be sent: the beginning of `data`, and then a part "
                "of it again.",
                lab.line(r"\.send"),
                "What `send` has taken is on its way. Go on behind it: `data[taken:]`.",
            )
        if data.startswith(heard) and here.refused == 0:
            raise Wrong(
                "assumed that all was sent",
                f"{said} `send` took {sum(here.sent):,} and "
                "said so; it did not go on with the rest.",
                lab.line(r"\.send"),
                "`send` returns how many bytes it took. The rest is still yours.",
            )
        if data.startswith(heard):
            raise Wrong(
                "dropped the rest",
                f"{said} When the socket had no room, it gave up.",
                lab.line("except|suppress"),
                "BlockingIOError says *not now*. Wait until the socket can be written, and go on.",
            )
        raise Wrong(
            "lost a part on the way",
            f"{said} They are not the beginning of `data`.",
            lab.line(r"\.send"),
            "Go on exactly behind what `send` has taken.",
        )

    @right
    async def cuts_off_what_was_taken(sock, data):
        """Send all of `data`, however slowly the other side reads."""
        while data:
            try:
                data = data[sock.send(data) :]
            except BlockingIOError:
                await until(sock, WRITE)

    @right
    async def waits_before_each(sock, data):
        sent = 0
        while sent < len(data):
            await until(sock, WRITE)
            sent += sock.send(data[sent : sent + 65536])

    @wrong("assumed that all was sent", says="did not go on with the rest")
    async def sends_once(sock, data):
        await until(sock, WRITE)
        sock.send(data)

    @wrong("dropped the rest", says="gave up")
    async def gives_up(sock, data):
        try:
            while data:
                data = data[sock.send(data) :]
        except BlockingIOError:
            pass

    @wrong("raised BlockingIOError", says="not now")
    async def does_not_catch_it(sock, data):
        while data:
            data = data[sock.send(data) :]

    @wrong("spin", says="times in a row")
    async def tries_again_at_once(sock, data):
        while data:
            try:
                data = data[sock.send(data) :]
            except BlockingIOError:
                continue

    @wrong("spin", says="until(sock, WRITE)")
    async def tries_again_every_turn(sock, data):
        while data:
            try:
                data = data[sock.send(data) :]
            except BlockingIOError:
                await sleep(0)

    @wrong("waited for the wrong event", says="WRITE")
    async def waits_to_read(sock, data):
        while data:
            try:
                data = data[sock.send(data) :]
            except BlockingIOError:
                await until(sock, READ)

    @wrong("sent a part twice", says="data[taken:]")
    async def starts_over(sock, data):
        taken = 0
        while taken < len(data):
            try:
                taken += sock.send(data)
            except BlockingIOError:
                await until(sock, WRITE)

    @wrong("sent a part twice", says="a part of it again")
    async def forgets_to_add(sock, data):
        taken = 0
        while taken < len(data):
            await until(sock, WRITE)
            taken = sock.send(data[taken:])

    @wrong("sent a part twice", says="a part of it again")
    async def keeps_what_was_taken(sock, data):
        while data:
            await until(sock, WRITE)
            data = data[: sock.send(data)]

    @wrong("lost a part on the way", says="behind what `send` has taken")
    async def trusts_small_pieces(sock, data):
        for begin in range(0, len(data), 1000):
            await until(sock, WRITE)
            sock.send(data[begin : begin + 1000])

    @wrong("sendall may not wait either", says="how much")
    async def with_sendall(sock, data):
        await until(sock, WRITE)
        sock.sendall(data)

    @wrong("blocked", says="stops the loop")
    async def lets_it_block(sock, data):
        sock.setblocking(True)
        sock.sendall(data)


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

    def verify(self, read_lines, lab):
        for pieces, words in (
            ([b"tea\n", b"cake\n"], "and the pieces were whole lines"),
            ([b"tea\ncake\njam\n"], "and three lines came in one piece"),
            ([b"te", b"a\nca", b"ke\n"], "and lines came in parts"),
            ([b"tea\n", b"cake"], "and the last line had no newline"),
            ([b"tea\n\ncake\n"], "and one line was empty"),
            ([], "and the other side hung up at once"),
        ):
            lab.told(f"{words}: {pieces}" if pieces else words)
            got, here = play(lab, lambda loop: self._talk(lab, loop, read_lines, pieces), "recv")
            self._compare(lab, got, here, pieces, b"".join(pieces))

    async def _talk(self, lab, loop, read_lines, pieces):
        here, there = pair()
        with here:
            reader = begin(lab, loop, read_lines, here)
            with there:
                for number, piece in enumerate(pieces, 1):
                    there.sendall(piece)
                    if not await patiently(lambda: len(here.taken) >= number or reader.done()):
                        raise Wrong(
                            "stopped reading",
                            f"It took {here.taken} and then waited for something else.",
                            lab.line(r"\bawait\b"),
                            "`recv` is the one thing to wait for.",
                        )
            if not await patiently(reader.done):
                raise Wrong(
                    "waits for ever",
                    "The other side had hung up, and it still waited.",
                    lab.line(r"\bawait\b"),
                    'Look for b"", the end of the stream.',
                )
            return await reader, here

    def _compare(self, lab, got, here, pieces, text):
        expected = text.removesuffix(b"\n").split(b"\n") if text else []
        if got == expected:
            return
        said = f"It returned {got!r}."
        line = lab.line(r"split|partition") or lab.line(r"append|\+=")
        if b"" not in here.taken:
            raise Wrong(
                "stopped too early",
                f"{said} More was to come: it had not read to the end of the stream.",
                lab.line(r"\brecv\("),
                'One `recv` gives one piece. Go on until it gives b"".',
            )
        if isinstance(got, list) and all(isinstance(each, bytes) for each in got):
            if any(b"\n" in each for each in got):
                raise Wrong(
                    "left the newlines in"
                    if len(got) == len(expected)
                    else "took a piece for a line",
                    said,
                    line,
                    "A line ends where its newline is, wherever the pieces end. Cut at "
                    "the newlines.",
                )
            if len(pieces) > 1 and got == [piece.rstrip(b"\n") for piece in pieces]:
                raise Wrong(
                    "took a piece for a line",
                    said,
                    line,
                    "One `recv` is not one line. Collect the pieces, and cut at the newlines.",
                )
            if got == expected[:-1] and not text.endswith(b"\n"):
                raise Wrong(
                    "lost the last line",
                    said,
                    line,
                    "What is left in the buffer when the stream ends is a line too.",
                )
            if got == [*expected, b""]:
                raise Wrong(
                    "made up a line",
                    f"{said} The last line is not there.",
                    line,
                    "After the last newline the buffer is empty: that is no line.",
                )
            if len(pieces) > 1 and b"".join(got) == b"".join(expected):
                raise Wrong(
                    "cut a line in two",
                    said,
                    line,
                    "A line may begin in one piece and end in the next. Keep its beginning "
                    "in a buffer until its newline comes.",
                )
            if got == [each for each in expected if each]:
                raise Wrong(
                    "lost the empty line",
                    said,
                    lab.line(r"\bif\b|filter") or line,
                    'An empty line is a line: b"" between two newlines. Only `recv` says '
                    'by b"" that the stream has ended.',
                )
            if set(got) <= set(expected) and len(got) < len(expected):
                raise Wrong(
                    "lost lines", said, line, "One piece may hold many lines. Take all of them."
                )
        lab.equal(got, expected)

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

    @wrong("spin", says="the end of the stream")
    async def never_looks_for_the_end(sock):
        text = b""
        while not text.endswith(b"\n\n"):
            text += await recv(sock, 4096)
        return text.split(b"\n")[:-2]

    @wrong("stopped too early", says="More was to come")
    async def reads_once(sock):
        return (await recv(sock, 4096)).splitlines()

    @wrong("took a piece for a line", says="Cut at the newlines")
    async def a_piece_is_a_line(sock):
        lines = []
        while data := await recv(sock, 4096):
            lines.append(data.rstrip(b"\n"))
        return lines

    @wrong("cut a line in two", says="buffer")
    async def splits_each_piece(sock):
        lines = []
        while data := await recv(sock, 4096):
            lines += data.splitlines()
        return lines

    @wrong("lost the last line", says="a line too")
    async def forgets_the_buffer(sock):
        lines, buffer = [], b""
        while data := await recv(sock, 4096):
            *whole, buffer = (buffer + data).split(b"\n")
            lines += whole
        return lines

    @wrong("made up a line", says="no line")
    async def always_adds_the_buffer(sock):
        lines, buffer = [], b""
        while data := await recv(sock, 4096):
            *whole, buffer = (buffer + data).split(b"\n")
            lines += whole
        return lines + [buffer]

    @wrong("lost lines", says="many lines")
    async def takes_one_line_a_piece(sock):
        lines, buffer = [], b""
        while data := await recv(sock, 4096):
            line, newline, buffer = (buffer + data).partition(b"\n")
            lines.append(line)
        return lines

    @wrong("lost the empty line", says="is a line")
    async def drops_empty_lines(sock):
        text = b""
        while data := await recv(sock, 4096):
            text += data
        return [line for line in text.split(b"\n") if line]


class Serve(Exercise):
    """A server for all

    `talk(sock)` is a coroutine function that talks to one client until it has had enough. Write
    `serve(listener, talk, spawn)`. For ever, it accepts each client that knocks at `listener`, and
    talks to all of them at once. When a talk is over, or has failed, that client's socket is
    closed. A talk that fails does no harm to the others.

    `await accept(listener)` gives a socket and an address. `spawn(coroutine)` is the loop's.
    """

    id = "serve-1"
    asks = "serve"
    minutes, clock, limit = 10, "real", 5.0
    hints = (
        "`serve` should spend its life at `await accept(listener)`. Who talks, then?",
        "`spawn` takes a coroutine. It can be one of your own, which talks and then closes: write "
        "an `async def` for one client.",
        "In that one: `with sock: await talk(sock)`. In the endless loop: accept, and spawn it.",
    )

    def verify(self, serve, lab):
        lab.told("with a listener at which three clients knocked")
        play(lab, lambda loop: self._three(lab, loop, serve), "accept")

    async def _three(self, lab, loop, serve):
        gate, talks, ears, talked_to = Future(), [], [], None

        async def talk(sock):
            nonlocal talked_to
            talked_to = sock
            words = await recv(sock, 100)
            if words == b"slow":
                await gate
            if words == b"broken":
                raise OSError("this client is broken")
            await send_all(sock, b"hello, " + words)

        def spawn(coroutine):
            talks.append(loop.spawn(coroutine))
            return talks[-1]

        with socket.create_server(("127.0.0.1", 0)) as listener, contextlib.ExitStack() as stack:
            listener.setblocking(False)
            server = begin(lab, loop, serve, listener, talk, spawn)

            async def knock(words):
                client = stack.enter_context(socket.socket())
                client.setblocking(False)
                await connect(client, listener.getsockname())
                await send_all(client, words)
                ears.append(loop.spawn(recv(client, 100)))
                return ears[-1], client

            try:
                await self._meet(lab, loop, server, knock, gate)
            except Wrong as found:
                if talked_to is None or isinstance(talked_to, socket.socket):
                    raise
                raise Wrong(
                    "handed over no socket",
                    f"`talk` was given a {type(talked_to).__name__}, and failed.",
                    lab.line(r"accept\("),
                    "`accept` gives two things, a socket and an address: take them apart.",
                ) from found
            finally:
                if not gate.done():
                    gate.set_result(None)
                for task in (server, *talks, *ears):
                    task.cancel()
                    with contextlib.suppress(BaseException):
                        await task

    async def _meet(self, lab, loop, server, knock, gate):
        slow, slow_sock = await knock(b"slow")
        quick, quick_sock = await knock(b"quick")
        await patiently(lambda: quick.done() or server.done())
        if slow.done():
            raise Wrong(
                "hung up too early",
                "The first client was hung up on before it had an answer.",
                lab.line(r"\bwith\b|close\("),
                "`spawn` returns at once, before the talk has begun. Close the socket "
                "where the talk ends.",
            )
        if not quick.done():
            if server.done():
                await server
                raise Wrong(
                    "served only one",
                    "The first client was still talking when the second "
                    "one knocked, and `serve` had returned.",
                    lab.line("accept"),
                    "After one client comes the next: `while True`.",
                )
            raise Wrong(
                "one client after another",
                "The first client took its time. The second "
                "one knocked, and got no answer until the first had gone.",
                lab.line(r"await\s+(?!accept)"),
                "`serve` must be back at `accept` at once: `spawn` the talk, do not await it.",
            )
        lab.equal(await quick, b"hello, quick", what="the second client heard")
        await self._hung_up(lab, loop, quick_sock, "When the talk was over,")
        broken, broken_sock = await knock(b"broken")
        await patiently(broken.done)
        if not broken.done():
            await self._hung_up(lab, loop, None, "When a talk had failed,")
        late, late_sock = await knock(b"late")
        await patiently(late.done)
        if not late.done() or server.done():
            if server.done():
                await server
            raise Wrong(
                "one failure ended all",
                "A talk failed, and the next client got no answer.",
                lab.line("accept"),
                "Let each talk be a task of its own.",
            )
        gate.set_result(None)
        await patiently(slow.done)
        lab.equal(await slow, b"hello, slow", what="the slow client heard")

    async def _hung_up(self, lab, loop, sock, when):
        """Raise Wrong unless the other side of `sock` is closed; None is known not to be."""
        ended = sock is not None and loop.spawn(recv(sock, 100))
        if not ended or not await patiently(ended.done):
            if ended:
                ended.cancel()
            raise Wrong(
                "left the connection open",
                f"{when} the server did not hang up: its client waits for ever.",
                lab.line(r"spawn\("),
                "Close the socket when the talk ends, however it ends: `with sock:` around "
                "the `await talk(sock)`.",
            )

    @right
    async def spawns_one_for_each(listener, talk, spawn):
        """Accept clients for ever, and talk to all of them at once."""

        async def one(sock):
            with sock:
                await talk(sock)

        while True:
            sock, address = await accept(listener)
            spawn(one(sock))

    @right
    async def closes_in_finally(listener, talk, spawn):
        async def one(sock):
            try:
                await talk(sock)
            finally:
                sock.close()

        while True:
            spawn(one((await accept(listener))[0]))

    @wrong("one client after another", says="do not await it")
    async def awaits_the_talk(listener, talk, spawn):
        while True:
            sock, address = await accept(listener)
            with sock:
                await talk(sock)

    @wrong("left the connection open", says="hang up")
    async def never_closes(listener, talk, spawn):
        kept = []
        while True:
            sock, address = await accept(listener)
            kept.append(sock)
            spawn(talk(sock))

    @wrong("handed over no socket", says="take them apart")
    async def hands_over_the_pair(listener, talk, spawn):
        while True:
            sock = await accept(listener)
            spawn(talk(sock))

    @wrong("hung up too early", says="before the talk has begun")
    async def closes_at_once(listener, talk, spawn):
        while True:
            sock, address = await accept(listener)
            with sock:
                spawn(talk(sock))

    @wrong("served only one", says="while True")
    async def without_a_loop(listener, talk, spawn):
        async def one(sock):
            with sock:
                await talk(sock)

        sock, address = await accept(listener)
        spawn(one(sock))

    @wrong("left the connection open", says="however it ends")
    async def closes_only_after_success(listener, talk, spawn):
        kept = []

        async def one(sock):
            kept.append(sock)
            await talk(sock)
            sock.close()

        while True:
            sock, address = await accept(listener)
            spawn(one(sock))


class Deliver(Exercise):
    """One reader for all

    Several tasks have asked something over the same connection. Each waits for a future of its
    own, which stands in the dict `waiting` under the number of its question, as bytes. The answers
    come as lines, such as `b"7 tea"`: the number, a blank, the answer. They come in any order.

    Write `deliver(next_line, waiting)`, the one task that reads. It gives each answer to the
    future that waits for it. When the other side hangs up, whoever still waits gets a
    ConnectionError, and `deliver` returns.

    `await next_line()` gives a line without its newline, and `b""` at the end of the stream.
    """

    id = "deliver-1"
    asks = "deliver"
    minutes, clock, limit = 10, "real", 4.0
    hints = (
        'A line says whom it is for. `line.partition(b" ")` gives number, blank, answer.',
        "`waiting[number]` is the future. A future is set once: `waiting.pop(number)` takes it "
        "out, so that those that are left still wait.",
        "After the loop, `future.set_exception(ConnectionError(...))` for each that is left.",
    )

    def verify(self, deliver, lab):
        lab.told("with questions 1 to 4, and answers to 3, 1 and 2")
        play(lab, lambda loop: self._answers(lab, loop, deliver), "await next_line")

    async def _answers(self, lab, loop, deliver):
        here, there = pair()
        futures = {str(number).encode(): Future() for number in range(1, 5)}
        buffer = bytearray()

        async def next_line():
            while b"\n" not in buffer:
                data = await recv(here, 100)
                if not data:
                    return b""
                buffer.extend(data)
            line, _, rest = bytes(buffer).partition(b"\n")
            buffer[:] = rest
            return line

        with here:
            reader = begin(lab, loop, deliver, next_line, dict(futures))
            with there:
                there.sendall(b"3 jam\n")
                await patiently(lambda: futures[b"3"].done() or reader.done())
                self._first(lab, futures, reader)
                there.sendall(b"1 tea\n2 cake and cream\n")
                await patiently(lambda: futures[b"2"].done() or reader.done())
            ended = await patiently(reader.done)
            if reader.done():
                await self._end(lab, reader)
            self._last(lab, futures, ended)

    async def _end(self, lab, reader):
        try:
            await reader
        except RuntimeError as error:
            if "has its result already" not in str(error):
                raise
            raise Wrong(
                "set a future twice",
                "That raised RuntimeError: a future that had its answer was set once more.",
                lab.line("set_exception") or lab.line("set_result"),
                "Take each one out when its answer comes, `waiting.pop(number)`, and only "
                "those are left that still wait.",
            ) from None

    def _first(self, lab, futures, reader):
        done = [number for number, future in futures.items() if future.done()]
        if reader.done() and reader.error is not None:
            reader.result()  # raises it; nobody need be told again that it went unheard
        if len(done) > 1:
            raise Wrong(
                "told everybody",
                f"One answer came, to question 3, and {len(done)} futures were set.",
                lab.line("set_result"),
                "Only one of them asked this. The number says which.",
            )
        if done and done != [b"3"]:
            raise Wrong(
                "gave it to the wrong one",
                "The answer to question 3 came first, and the "
                f"future of question {done[0].decode()} was set.",
                lab.line("set_result"),
                "Answers come in any order. The number says whom one is for.",
            )
        if not done:
            raise Wrong(
                "handed nothing on",
                "The answer to question 3 had come, and its future "
                "was not set. More answers were to come later.",
                lab.line("await next_line"),
                "Hand on each line as it comes, not all of them at the end.",
            )
        lab.equal(futures[b"3"].result(), b"jam", what="the future of question 3 got")

    def _last(self, lab, futures, ended):
        for number, answer in ((b"1", b"tea"), (b"2", b"cake and cream")):
            if not futures[number].done():
                raise Wrong(
                    "stopped too early",
                    f"The answer to question {number.decode()} had "
                    "come, and its future was not set.",
                    lab.line("await next_line"),
                    "Read until the end of the stream.",
                )
            if futures[number].error is None:
                lab.equal(
                    futures[number].result(),
                    answer,
                    what=f"the future of question {number.decode()} got",
                )
            else:
                raise Wrong(
                    "lost answers",
                    f"Question {number.decode()} was answered, and its future got an error.",
                    lab.line("set_exception"),
                    "Only those get the error whose answer never came.",
                )
        left = futures[b"4"]
        if not left.done():
            raise Wrong(
                "left somebody waiting",
                "The other side hung up, and question 4 was "
                "never answered. Its future was not set: whoever awaits it waits for "
                "ever.",
                lab.line("await next_line"),
                "Give those that are left an error: `future.set_exception(...)`.",
            )
        if left.error is None:
            raise Wrong(
                "gave a value for an error",
                f"Question 4 was never answered, and its future got {left.value!r}.",
                lab.line("set_result"),
                "No answer is an error: `future.set_exception(ConnectionError(...))`.",
            )
        error = left.error() if isinstance(left.error, type) else left.error  # `raise` takes both
        if not isinstance(error, ConnectionError):
            raise Wrong(
                "the wrong error",
                f"The future of question 4 got {left.error!r}.",
                lab.line("set_exception"),
                "Asked is a ConnectionError.",
            )
        if not ended:
            raise Wrong(
                "waits for ever",
                "The other side had hung up, and it still waited.",
                lab.line(r"\bawait\b"),
                'Look for b"", the end of the stream.',
            )

    @right
    async def takes_each_out(next_line, waiting):
        """Give each answer to the future that waits for it, and the rest an error."""
        while line := await next_line():
            number, blank, answer = line.partition(b" ")
            waiting.pop(number).set_result(answer)
        for future in waiting.values():
            future.set_exception(ConnectionError("the other side hung up"))

    @right
    async def asks_who_is_done(next_line, waiting):
        while True:
            line = await next_line()
            if line == b"":
                break
            number, answer = line.split(b" ", 1)
            waiting[number].set_result(answer)
        for future in waiting.values():
            if not future.done():
                future.set_exception(ConnectionError())

    @wrong("gave it to the wrong one", says="any order")
    async def in_the_order_of_asking(next_line, waiting):
        for future in waiting.values():
            line = await next_line()
            future.set_result(line.partition(b" ")[2])

    @wrong("told everybody", says="The number says which")
    async def tells_all(next_line, waiting):
        while line := await next_line():
            for future in waiting.values():
                future.set_result(line.partition(b" ")[2])

    @wrong("set a future twice", says="waiting.pop(number)")
    async def tells_those_who_have_heard(next_line, waiting):
        while line := await next_line():
            number, blank, answer = line.partition(b" ")
            waiting[number].set_result(answer)
        for future in waiting.values():
            future.set_exception(ConnectionError())

    @wrong("left somebody waiting", says="set_exception")
    async def forgets_the_rest(next_line, waiting):
        while line := await next_line():
            number, blank, answer = line.partition(b" ")
            waiting[number].set_result(answer)

    @wrong("left somebody waiting", says="for ever")
    async def raises_it_here(next_line, waiting):
        try:
            while line := await next_line():
                number, blank, answer = line.partition(b" ")
                waiting.pop(number).set_result(answer)
            if waiting:
                raise ConnectionError("the other side hung up")
        except ConnectionError as error:
            print(error)

    @wrong("handed nothing on", says="as it comes")
    async def collects_first(next_line, waiting):
        answers = {}
        while line := await next_line():
            number, blank, answer = line.partition(b" ")
            answers[number] = answer
        for number, future in waiting.items():
            if number in answers:
                future.set_result(answers[number])
            else:
                future.set_exception(ConnectionError())

    @wrong("gave a value for an error", says="No answer is an error")
    async def sets_none(next_line, waiting):
        while line := await next_line():
            number, blank, answer = line.partition(b" ")
            waiting.pop(number).set_result(answer)
        for future in waiting.values():
            future.set_result(None)


class Listening(Loop):
    """A loop that notes what other threads ask of it."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def call_soon_threadsafe(self, function, *arguments):
        self.asked.append(function)
        if callable(function):  # else the check names it; here it would end the loop
            super().call_soon_threadsafe(function, *arguments)


class Work:
    """What is to be done in a thread: it notes where it ran, and waits until it is let go."""

    def __init__(self, value=None, error=None):
        self.value, self.error = value, error
        self.thread = None
        self.let_go = threading.Event()
        self.hurried = False  # nobody let it go

    def __call__(self):
        self.thread = threading.get_ident()
        self.hurried = not self.let_go.wait(LONG)
        if self.error is not None:
            raise self.error
        return self.value


class InThread(Exercise):
    """The answer of a thread

    `work` is an ordinary function that blocks. Write `in_thread(loop, work)`, an ordinary function
    too. It starts a thread that calls `work`, and returns a future at once. The future gets what
    `work` returns, or the error that it raises, and a loop that is asleep notices it.

    `loop.call_soon_threadsafe(function, *arguments)` is the door for other threads.
    """

    id = "thread-1"
    asks = "in_thread"
    minutes, clock, limit = 8, "real", 5.0
    hints = (
        "Which lines run in the loop's thread, and which in the new one? Write a function inside "
        "of `in_thread` for the latter.",
        "The new thread must not touch the future. It hands the loop a *function* to call: "
        "`future.set_result`, without parentheses, and its argument.",
        "`try: result = work()`, then `loop.call_soon_threadsafe(future.set_result, result)`; in "
        "`except Exception as error:` the same with `future.set_exception, error`.",
    )

    def verify(self, in_thread, lab):
        lab.told('with a `work` that returns "tea"')
        self._play(lab, in_thread, Work("tea"))
        lab.told("with a `work` that raises ValueError")
        self._play(lab, in_thread, Work(error=ValueError("no tea")))

    def _play(self, lab, in_thread, work):
        loop = Listening()
        loop.run(self._one(lab, loop, in_thread, work))

    async def _one(self, lab, loop, in_thread, work):
        own, woken = threading.get_ident(), []
        future = in_thread(loop, work)
        early = isinstance(future, Future) and future.done()
        if isinstance(future, Future) and not early:
            # Whoever sets the future calls this, in the thread in which it is set.
            future.park(loop, lambda: woken.append(threading.get_ident()))
        work.let_go.set()
        await patiently(lambda: work.thread is not None)
        self._returned(lab, future, work, own)
        await patiently(future.done)
        self._set(lab, loop, future, work, early or woken and woken[0] != own)

    def _returned(self, lab, future, work, own):
        if work.thread == own:
            raise Wrong(
                "did the work here",
                "`work` ran in the loop's own thread: the loop stood still.",
                lab.line(r"target=\w+\(") or lab.line(r"work\(\)"),
                "Parentheses call it here and now. Let the new thread call it.",
            )
        if work.hurried:
            raise Wrong(
                "waited for the thread",
                "It did not return before `work` was done: the loop stood still.",
                lab.line(r"join\(|result\(|wait\("),
                "Return the future at once. The thread sets it later.",
            )
        if inspect.iscoroutine(future):
            future.close()
            raise Wrong(
                "not a future",
                "It returned a coroutine. Nothing begins before somebody awaits that.",
                lab.line(r"async\s+def"),
                "Make it an ordinary function that returns the future.",
            )
        if not isinstance(future, Future):
            raise Wrong(
                "not a future",
                f"It returned {future!r}.",
                lab.line("return"),
                "Make a `Future()` and return it; whoever wants the result awaits it.",
            )
        if work.thread is None:
            raise Wrong(
                "never began",
                "`work` was never called.",
                lab.line("Thread"),
                "A thread begins with `start()`.",
            )

    def _set(self, lab, loop, future, work, in_the_thread):
        not_functions = [thing for thing in loop.asked if not callable(thing)]
        if in_the_thread and not_functions:
            raise Wrong(
                "called, not handed over",
                f"`call_soon_threadsafe` was given {not_functions[0]!r}. The future had "
                "been set before, in the thread.",
                lab.line("call_soon_threadsafe"),
                "Parentheses call it here and now. Hand over the function without them, "
                "and its argument behind a comma.",
            )
        if in_the_thread:
            raise Wrong(
                "set it from the thread",
                "The future was set in the other thread. A loop that is asleep does not notice.",
                lab.line(r"set_result|set_exception"),
                "Let the loop do it: `loop.call_soon_threadsafe(future.set_result, result)`.",
            )
        if not future.done():
            raise Wrong(
                "lost error" if work.error else "never set",
                "`work` "
                + (f"raised {work.error!r}" if work.error else "was done")
                + ", and the future was never set: whoever awaits it waits for ever.",
                lab.line(r"work\(\)|target=work"),
                "Catch the error in the thread, and have the loop call "
                "`future.set_exception` with it."
                if work.error
                else "Have the loop call `future.set_result` with what `work` returned.",
            )
        if not loop.asked:
            raise Wrong(
                "woke nobody",
                "The future was set, but `call_soon_threadsafe` was not "
                "called. A loop that is asleep would sleep on.",
                lab.line(r"ready|spawn"),
                "`loop.call_soon_threadsafe` puts it into the queue and wakes the loop.",
            )
        future.seen = True
        if work.error is None and future.error is None:
            lab.equal(future.value, work.value, what="the future got")
        elif future.error is not work.error:
            got = (
                f"the error {future.error!r}"
                if future.error is not None
                else f"{future.value!r} as its result"
            )
            raise Wrong(
                "lost error" if work.error else "raised",
                f"The future got {got}.",
                lab.line("set_result"),
                "An error of `work` belongs into `future.set_exception`.",
            )

    @right
    def with_a_function_inside(loop, work):
        """Have a thread call `work`; return a future of what it returns or raises."""
        future = Future()

        def in_the_other_thread():
            try:
                result = work()
            except Exception as error:
                loop.call_soon_threadsafe(future.set_exception, error)
            else:
                loop.call_soon_threadsafe(future.set_result, result)

        threading.Thread(target=in_the_other_thread).start()
        return future

    @wrong("set it from the thread", says="does not notice")
    def sets_it_directly(loop, work):
        future = Future()

        def in_the_other_thread():
            try:
                future.set_result(work())
            except Exception as error:
                future.set_exception(error)

        threading.Thread(target=in_the_other_thread).start()
        return future

    @wrong("called, not handed over", says="without them")
    def calls_it_at_once(loop, work):
        future = Future()

        def in_the_other_thread():
            loop.call_soon_threadsafe(future.set_result(work()))

        threading.Thread(target=in_the_other_thread).start()
        return future

    @wrong("lost error", says="waits for ever")
    def forgets_errors(loop, work):
        future = Future()

        def in_the_other_thread():
            loop.call_soon_threadsafe(future.set_result, work())

        threading.Thread(target=in_the_other_thread).start()
        return future

    @wrong("did the work here", says="stood still")
    def works_here(loop, work):
        future = Future()
        future.set_result(work())
        return future

    @wrong("did the work here", says="target=in_the_other_thread()")
    def calls_the_target(loop, work):
        future = Future()

        def in_the_other_thread():
            loop.call_soon_threadsafe(future.set_result, work())

        threading.Thread(target=in_the_other_thread()).start()
        return future

    @wrong("lost error", says="as its result")
    def hands_the_error_over_as_a_result(loop, work):
        future = Future()

        def in_the_other_thread():
            try:
                result = work()
            except Exception as error:
                result = error
            loop.call_soon_threadsafe(future.set_result, result)

        threading.Thread(target=in_the_other_thread).start()
        return future

    @wrong("waited for the thread", says="at once")
    def joins_the_thread(loop, work):
        future = Future()

        def in_the_other_thread():
            loop.call_soon_threadsafe(future.set_result, work())

        thread = threading.Thread(target=in_the_other_thread)
        thread.start()
        thread.join()
        return future

    @wrong("woke nobody", says="would sleep on")
    def only_queues_it(loop, work):
        future = Future()

        def in_the_other_thread():
            result = work()
            loop.ready.append(lambda: future.set_result(result))

        threading.Thread(target=in_the_other_thread).start()
        return future

    @wrong("not a future", says="coroutine")
    async def as_a_coroutine(loop, work):
        future = Future()

        def in_the_other_thread():
            loop.call_soon_threadsafe(future.set_result, work())

        threading.Thread(target=in_the_other_thread).start()
        return await future
