"""What exercises of lesson 08 share: a socket that notes how it is used, and the loop around it."""

import contextlib
import inspect
import socket
import sys

from helpers.coach import Wrong
from helpers.eventloop.sockets import Loop
from helpers.eventloop.tasks import sleep

TURNS = 3000  # of the loop, before the first short sleep, if nobody makes it wait
PATIENCE = 80  # short sleeps of the check, in each of which everybody else has a turn too
SHORT = 0.004  # seconds
ENDS = 20  # so many times b"" may be read before it counts as spinning
REFUSALS = 300  # so many calls in a row that could not be done at once count as spinning
LET_THE_LOOP_WAIT = (
    "Nothing else can run in the meantime. Only the loop may sleep: `await until(sock, WRITE)`, or "
    "`READ`, goes on when the socket is ready."
)


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
                "partial send",
                "`sock.sendall` raised BlockingIOError with a part of it sent, and told "
                "nobody how much.",
                None,
                "Use `sock.send`: it returns how many bytes it took.",
                headline="sendall may not wait either",
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
                    "Let the system tell you: "
                    + (
                        "`await until(sock, WRITE)` goes on when the socket can be written."
                        if call.__name__ == "send"
                        else "`await until(sock, READ)` goes on when the socket can be read."
                    ),
                ) from None
            raise
        self.refused_in_row = 0
        return done


class Scripted(Noted):
    """A socket that does what it is told: `pieces` are the sizes of what its recv gives, `takes`
    how much each send takes at most, or None if the other side has hung up. Then it does what it
    can.
    """

    pieces = takes = ()
    hung_up, refused_for_good = ConnectionResetError, False

    def recv(self, most, *flags):
        size, *self.pieces = self.pieces or [most]
        if size > most:
            self.pieces.insert(0, size - most)
        return super().recv(min(size, most), *flags)

    def send(self, data, *flags):
        if not self.takes:
            return super().send(data, *flags)
        if self.takes[0] is None:
            self.refused_for_good = True
            raise self.hung_up("the other side hung up")
        size, *self.takes = self.takes
        self.sent.append(self._try(super(Noted, self).send, data[:size], *flags))
        return self.sent[-1]


def pair(kind=Noted):
    """The end for the answer, and the other end."""
    here, there = socket.socketpair()
    there.setblocking(False)
    return kind(here), there


class Door(Noted):
    """A listener at which so many `clients` knock at once, once a byte has come."""

    clients = 0

    def accept(self):
        if not self.clients:
            super().recv(1)  # nobody is there, and until(…, READ) may wait
            raise BlockingIOError
        self.clients -= 1
        return socket.socket(), ("127.0.0.1", self.clients)


class Connection(socket.socket):
    """A connection that notes where the learner closes it. closings: the places of all."""

    closed_at = None

    def __init__(self, sock, text, closings):
        super().__init__(fileno=sock.detach())
        self.text, self.closings = text, closings

    def close(self):
        place = self.text.of_frame(sys._getframe(1))
        if place and not self.closed_at:
            self.closed_at = place
            self.closings.append(place)
        super().close()


class Listener(socket.socket):
    """A listener on a free port; `closings` are the places at which its connections were closed,
    the first one first. It doesn't keep the connections: who forgets one has it closed by Python.
    """

    def __init__(self, text):
        super().__init__(fileno=socket.create_server(("127.0.0.1", 0)).detach())
        self.setblocking(False)
        self.text, self.closings = text, []

    def accept(self):
        sock, address = super().accept()
        return Connection(sock, self.text, self.closings), address


class Ear:
    """What has come to the other end so far; call it to listen."""

    def __init__(self, there):
        self.there, self.heard = there, b""

    def __call__(self):
        with contextlib.suppress(BlockingIOError):
            self.heard += self.there.recv(1 << 16)


def play(lab, scene, line):
    """Run the scene `scene(loop)` on a fresh loop; a Wrong in it gets the line `line`."""
    loop = Loop()
    lab.on_own_loop = True
    try:
        result = loop.run(scene(loop))
        lab.check_blocked(LET_THE_LOOP_WAIT)
        return result
    except Wrong as found:
        lab.check_blocked(LET_THE_LOOP_WAIT)
        if found.kind == "spin" and (dropped := lab.dropping("until", "sleep")):
            raise Wrong("not awaited", found.observed, dropped) from None
        if found.line is None and found.kind == "spin" and (again := lab.handler(BlockingIOError)):
            found.line, found.at = again, "asks again before the socket is ready"
        if found.line is None:
            found.line = (
                lab.call_of("setblocking", "settimeout") if found.kind == "blocked" else line
            )
        raise
    finally:
        lab.on_own_loop = False


def start_task(lab, loop, answer, *arguments):
    """Start the answer as a task."""
    made = answer(*arguments)
    if not inspect.iscoroutine(made):
        raise Wrong(
            "not async",
            f"`{lab.asks}` returned {made!r} at once: there is nothing to await.",
            lab.definition(lab.asks),
        )
    return loop.spawn(made, lab.asks)


async def patiently(done):
    """Wait until `done()` is true, for as long as one may wait; return whether it is."""
    for _ in range(TURNS):
        if done():
            return True
        await sleep(0)
    for _ in range(PATIENCE):
        if done():
            return True
        await sleep(SHORT)
    return done()
