"""Long, for what `send` has taken can be forgotten in many ways, each told in its own words."""

import ast
import contextlib
import socket
import time

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_constant, own_nodes
from helpers.eventloop.sockets import READ, WRITE, send_all, until
from helpers.eventloop.tasks import sleep

from .shared import PATIENCE, SHORT, Ear, Scripted, pair, patiently, play, start_task

TURNS = 100  # of the loop, in which nobody reads


class SendAll(Exercise):
    """Send all of it

    `sock` is a socket that may not wait: when it has no room, `sock.send` raises BlockingIOError.
    Write `send_all(sock, data)`. It sends all of the bytes `data`, however slowly the other side
    reads, and lets other tasks run while it waits. If the other side hangs up, the error of
    `send` comes out.

    `await until(sock, WRITE)` waits until the socket can be written.
    """

    id = "sendall-1"
    asks = "send_all"
    minutes, clock, limit = 8, "real", 4.0
    hints = (
        "What does `sock.send(data)` return, and what has to be done with the rest?",
        "As long as something is left: send it, and keep what was not taken, `data[taken:]`. "
        "And when the socket has no room?",
        "`except BlockingIOError: await until(sock, WRITE)`, inside the loop, so that it tries "
        "the same rest again.",
    )

    def verify(self, send_all, lab):
        data = b"".join(number.to_bytes(4, "big") for number in range(100_000))
        lab.told(f"with {len(data):,} bytes and a slow reader")
        play(lab, lambda loop: self._slowly(lab, loop, send_all, data), _sending(lab))
        lab.told("with b'tea', on a socket that had no room from the beginning")
        play(lab, lambda loop: self._full(lab, loop, send_all), _sending(lab))
        lab.told("with no bytes at all")
        play(lab, lambda loop: self._slowly(lab, loop, send_all, b""), _sending(lab))

    async def _slowly(self, lab, loop, send_all, data):
        here, there = pair()
        with here, there:
            sender, heard = start_task(lab, loop, send_all, here, data), bytearray()
            # Nobody reads yet: who waits for room is refused once, who asks and asks in each turn.
            for _ in range(TURNS):
                await sleep(0)
            self._asks_again(lab, here, sender)
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
                self._asks_again(lab, here, sender)
            if len(heard) > len(data):
                self._compare(lab, here, bytes(heard), data)
            if not sender.done():
                raise self._stuck(lab, loop, here, heard, data)
            await self._ended(lab, sender, len(heard))
            self._compare(lab, here, bytes(heard), data)

    async def _full(self, lab, loop, send_all):
        """The first `send` of all is refused."""
        here, there = pair()
        with here, there:
            filled = 0
            with contextlib.suppress(BlockingIOError):
                while True:
                    filled += socket.socket.send(here, bytes(1 << 16))
            sender = start_task(lab, loop, send_all, here, b"tea")
            for _ in range(TURNS // 10):
                await sleep(0)
            ear = Ear(there)

            def over():
                ear()
                return sender.done() and len(ear.heard) >= filled

            if not await patiently(over):
                raise self._stuck(lab, loop, here, ear.heard[filled:], b"tea")
            ear()
            await self._ended(lab, sender, 0)
            self._compare(lab, here, ear.heard[filled:], b"tea")

    async def _ended(self, lab, sender, heard):
        try:
            await sender
        except BlockingIOError:
            raise Wrong(
                "caught too little",
                f"After {heard:,} bytes the socket had "
                "no room. `send` raised BlockingIOError, and nobody caught it.",
                _sending(lab),
                "It says *not now*: catch it, wait until the socket can be written, and go on.",
                headline="raised BlockingIOError",
            ) from None

    def _asks_again(self, lab, here, sender):
        """Raise Wrong if it was refused more often than once after each part that was taken, and
        once more where it was asked to try again.
        """
        if here.refused > 5 * len(here.sent) + 20 and not sender.done():
            raise Wrong(
                "spin",
                f"It tried {here.refused} times in vain while the other side was slow: it keeps "
                "asking.",
                lab.call_of("sleep") or lab.handler(),
                "Let the system tell you: `await until(sock, WRITE)` goes on when there is room.",
            )

    def _stuck(self, lab, loop, here, heard, data):
        said = f"The other side read {len(heard):,} bytes, and `send_all` did not end."
        if loop.watching.get(here.fileno(), (None, {}))[1].get(READ):
            return Wrong(
                "partial send",
                said,
                lab.use_of("*READ*"),
                "READ is for what comes in. To send, wait for WRITE.",
                headline="waited for the wrong event",
            )
        if isinstance(here, Scripted) and here.hung_up and (line := lab.handler(ConnectionError)):
            return Wrong(
                "caught too much",
                f"`send` raised {here.hung_up.__name__}. That error did not come out, and "
                "`send_all` did not end.",
                line,
                "Catch BlockingIOError alone: only that says *not now*.",
            )
        return Wrong(
            "end of stream",
            said,
            lab.await_of(),
            "Wait only when `send` had no room, and then for WRITE.",
            headline="waits for ever",
        )

    def _compare(self, lab, here, heard, data):
        if heard == data:
            return
        said = f"The other side got {len(heard):,} of {len(data):,} bytes."
        first = here.sent[0] if here.sent else 0
        if len(heard) > len(data) or heard[first : first + 100] == data[:100]:
            from_start = _starting_over(lab)
            replaced = None if from_start else _replacing_the_count(lab)
            raise Wrong(
                "partial send",
                f"The other side got {len(heard):,} bytes where "
                f"{len(data):,} were to be sent: the beginning of `data`, and then a part "
                "of it again.",
                from_start or replaced or _sending(lab),
                "What `send` has taken is on its way. Go on behind all that it took so far: "
                "`data[taken:]`.",
                headline="sent a part twice",
                at="puts a new count in the place of the old one" if replaced else "",
            )
        if data.startswith(heard) and here.refused == 0:
            raise Wrong(
                "partial send",
                f"{said} `send` took {sum(here.sent):,} and "
                "said so. `send_all` did not go on with the rest.",
                _sending(lab),
                "`send` returns how many bytes it took. The rest is still yours.",
                headline="assumed that all was sent",
            )
        if stale := _stale_count(lab):
            raise Wrong(
                "lost items",
                f"{said} When the socket had no room, as many bytes were cut off as `send` had "
                "taken before.",
                stale,
                "Where `send` raises BlockingIOError it took nothing: cut `data` only where it has "
                "returned.",
                headline="lost a part on the way",
            )
        if data.startswith(heard):
            raise Wrong(
                "partial send",
                f"{said} When the socket had no room, it gave up.",
                lab.handler(BlockingIOError),
                "BlockingIOError says *not now*. Wait until the socket can be written, and go on.",
                headline="dropped the rest",
            )
        raise Wrong(
            "lost items",
            f"{said} They are not the beginning of `data`.",
            _skipping(lab) or _sending(lab),
            "`send` returns how many bytes it took, perhaps fewer than it was given. Go on right "
            "after those.",
            headline="lost a part on the way",
        )

    @sweep(
        lambda some: {
            "data": some.binary(max_size=6),
            "takes": some.lists(some.integers(1, 4), max_size=6),
            "hangs_up": some.booleans(),
            "other": some.sampled_from((None, b"milk")),
        },
        besides=[
            {"data": b"tea", "takes": [1], "hangs_up": BrokenPipeError, "other": None},
            {"data": b"tea " * 300, "takes": [1] * 1100, "hangs_up": False, "other": None},
        ],
        most=30,
    )
    def any_data(self, send_all, lab, data, takes, hangs_up, other):
        words = f"with {data if len(data) < 20 else f'{len(data):,} bytes'}"
        if takes:
            says = ", then ".join(map(str, takes)) if len(takes) < 9 else "1 again and again"
            words += f" and a socket of which `send` takes {says}"
        if hangs_up:
            words += f"; {'then ' if takes else ''}the other side hung up"
        lab.told(words + (f"; and with {other} and another socket" if other else ""))
        return play(
            lab,
            lambda loop: self._scripted(lab, loop, send_all, data, takes, hangs_up, other),
            _sending(lab),
        )

    async def _scripted(self, lab, loop, send_all, data, takes, hangs_up, other):
        (here, there), (second, far) = pair(Scripted), pair(Scripted)
        with here, there, second, far:
            here.takes, second.takes = list(takes) + [None] * bool(hangs_up), [1, 2]
            here.hung_up = hangs_up if hangs_up is BrokenPipeError else ConnectionResetError
            senders = [start_task(lab, loop, send_all, here, data)]
            if other is not None:
                senders.append(start_task(lab, loop, send_all, second, other))
            ears = Ear(there), Ear(far)

            def over():
                for ear in ears:
                    ear()
                return all(sender.done() for sender in senders)

            if not await patiently(over):
                raise self._stuck(lab, loop, here, ears[0].heard, data)
            over()
            came_out = None
            try:
                for sender in reversed(senders):
                    await sender
            except ConnectionError as error:
                came_out = error
            if here.refused_for_good and came_out is None:
                raise lab.lost_error(
                    f"`send` raised {here.hung_up.__name__}, and no error came out.",
                    here.hung_up,
                )
            return {
                "the error that came out was": came_out,
                "the other side got": ears[0].heard,
                "the other side of the other socket got": ears[1].heard,
            }

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

    @wrong("partial send", says="did not go on with the rest")
    async def sends_once(sock, data):
        await until(sock, WRITE)
        sock.send(data)

    @wrong("partial send", says="gave up")
    async def gives_up(sock, data):
        try:
            while data:
                data = data[sock.send(data) :]
        except BlockingIOError:
            pass

    @wrong("caught too little", says="not now")
    async def does_not_catch_it(sock, data):
        while data:
            data = data[sock.send(data) :]

    tries_again_at_once = cuts_off_what_was_taken.but(
        "await until(sock, WRITE)", "continue", kind="spin", says="times in a row"
    )

    tries_again_every_turn = cuts_off_what_was_taken.but(
        "until(sock, WRITE)", "sleep(0)", kind="spin", says="until(sock, WRITE)"
    )

    forgets_the_await = cuts_off_what_was_taken.but(
        "await until", "until", kind="not awaited", says="times in a row"
    )

    naps_on_the_loop = cuts_off_what_was_taken.but(
        "await until(sock, WRITE)", "time.sleep(0.01)", kind="blocked", says="time.sleep(0.01)"
    )

    @wrong("blocked", says="time.sleep(0.01)")
    async def naps_before_it_waits(sock, data):
        while data:
            try:
                data = data[sock.send(data) :]
            except BlockingIOError:
                time.sleep(0.01)
                await until(sock, WRITE)

    waits_to_read = cuts_off_what_was_taken.but("WRITE", "READ", kind="partial send", says="WRITE")

    @wrong("partial send", says="data[taken:]")
    async def starts_over(sock, data):
        taken = 0
        while taken < len(data):
            try:
                taken += sock.send(data)
            except BlockingIOError:
                await until(sock, WRITE)

    @wrong("partial send", says="a part of it again")
    async def forgets_to_add(sock, data):
        taken = 0
        while taken < len(data):
            await until(sock, WRITE)
            taken = sock.send(data[taken:])

    @wrong("partial send", says="a part of it again")
    async def keeps_what_was_taken(sock, data):
        while data:
            await until(sock, WRITE)
            data = data[: sock.send(data)]

    @wrong("lost items", says="right after those")
    async def trusts_small_pieces(sock, data):
        for begin in range(0, len(data), 1000):
            await until(sock, WRITE)
            sock.send(data[begin : begin + 1000])

    @wrong("partial send", says="how much")
    async def with_sendall(sock, data):
        await until(sock, WRITE)
        sock.sendall(data)

    @wrong("blocked", says="stops the loop")
    async def lets_it_block(sock, data):
        sock.setblocking(True)
        sock.sendall(data)


def _starting_over(lab):
    """The line that goes back to the beginning when there was no room, or None."""
    return lab.earliest(
        *(
            node.lineno
            for handler in lab.nodes()
            if isinstance(handler, ast.ExceptHandler)
            for node in own_nodes(handler)
            if isinstance(node, ast.Assign) and is_constant(node.value, 0)
        )
    )


def _replacing_the_count(lab):
    """Where a name, with which the slice that is sent begins, is given what the call returns that
    sends it; or None.
    """
    return lab.earliest(
        *(
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Call, ast.Await))
            for part in ast.walk(node.value)
            if isinstance(part, ast.Slice) and part.lower is not None
            if ast.unparse(part.lower) == ast.unparse(node.targets[0])
        )
    )


def _skipping(lab):
    """The slice that begins a number of bytes further than something says, or None."""
    return lab.earliest(
        *(
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.Slice) and isinstance(node.lower, ast.BinOp)
            if isinstance(node.lower.right, ast.Constant)
        )
    )


def _stale_count(lab):
    """The slice behind a `try` with what `send` has returned in it, where the `except` for a
    BlockingIOError goes on there; or None.
    """
    lines = []
    for loop in lab.nodes():
        steps = loop.body if isinstance(loop, ast.While) else []
        for at, step in enumerate(steps):
            if isinstance(step, ast.Try) and not _leaves(step.handlers):
                taken = [
                    target.id
                    for part in step.body
                    if isinstance(part, ast.Assign) and "send" in ast.unparse(part.value)
                    for target in part.targets
                    if isinstance(target, ast.Name)
                ]
                lines += [
                    part.lineno
                    for later in steps[at + 1 :]
                    for part in ast.walk(later)
                    if isinstance(part, ast.Slice) and part.lower is not None
                    if isinstance(part.lower, ast.Name) and part.lower.id in taken
                ]
    return lab.earliest(*lines)


def _leaves(handlers):
    """Whether each of these ends in a `continue`, a `return` or a `raise`, or sets a name."""
    ends = (ast.Continue, ast.Return, ast.Raise, ast.Assign)
    return all(isinstance(handler.body[-1], ends) for handler in handlers)


def _sending(lab):
    """The call that sends: that of the socket, and not of a helper that is named like it."""
    return lab.call_of("*.send", "*.sendall") or lab.call_of("send*")
