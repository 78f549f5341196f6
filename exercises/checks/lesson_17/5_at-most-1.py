"""Long, for places are counted, given back and refused in many wrong ways."""

import ast
import asyncio
import contextlib

from helpers.basics.words import count
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.suspects import Suspect

from .shared import Serving, Wire

GIVING_BACK = ("release", "append", "put_nowait")
TOGETHER = "came, and the next one in the same moment"
BETWEEN = (
    "waits after the look whether a place is free, and before one is taken",
    "Meanwhile another client comes, and finds the same place free. Take the place before any "
    "`await`.",
)
HUNG_UP = "made `handle` raise ConnectionResetError"
EVENTS = ("came", "came", "left", "made `handle` raise KeyError", "was cancelled")


class AtMost(Exercise):
    """A limit on connections

    Write `at_most(number, handle)`, a plain function. It returns a handler for
    `asyncio.start_server`, a coroutine function of `reader` and `writer`.

    - It awaits `handle(reader, writer)`, for at most `number` connections at a time, and then
      closes the connection.
    - A client that comes when all places are taken is not served: `b"busy\\n"` is sent, at once,
      and the connection is closed.
    - A place is free again when `handle` has ended, and also when it has raised or was cancelled.
      Its error comes out.

    Each handler that `at_most` makes has its own places.
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
                    "another form",
                    f"It returned {handler!r}, and `start_server` needs a function.",
                    lab.earliest(lab.definition(), lab.returning()),
                    "Define the handler inside of it, and return that.",
                    headline="not a handler",
                )
            return handler

        async def full(number, words):
            """Who stays; what somebody hears who comes too late; who comes afterwards."""
            async with Serving(lab, made(number), breaks=ZeroDivisionError) as server:
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
            lab.told(f"with {number}, {what}")
            return lab.run(full(number, words)).result

        for number in (3, 1):
            late, heard, again, errors = tried(number, b"hello\n", "for more clients than that")
            if errors:
                raise errors[0]
            said = lab.literal(late[0]) if late[0] else None
            lab.equal(late, [b"busy\n"] * 2, "those who came too late heard", line=said)
            lab.equal(heard, [b"welcome\n"] * number, "those who were served heard")
            lab.equal(again, b"welcome\n", "who came when all had left heard")
        late, heard, again, errors = tried(2, b"fail\n", "and `handle` raised for both clients")
        if again == b"busy\n":
            raise Wrong(
                "not given back",
                "`handle` raised, and its place was never free again: "
                "the next client was told busy.",
                _counted_back(lab)
                or lab.earliest(lab.operation("-="), lab.call_of("release", "discard", "remove")),
                "Give the place back in a `finally` around `handle`, or by `async with`.",
                headline="a place was lost",
            )
        if not any(isinstance(error, ZeroDivisionError) for error in errors):
            raise Wrong(
                "lost error",
                "`handle` raised ZeroDivisionError, and it did not come out of the handler.",
                lab.handler(),
                "Let it out. An `except` that has to note it ends with a `raise`.",
            )

    @sweep(
        lambda some: {
            "number": some.integers(0, 2),
            "handlers": some.sampled_from((1, 1, 2)),
            "slow": some.booleans(),
            "events": some.lists(some.sampled_from(EVENTS), min_size=1, max_size=8),
        },
        besides=[
            {"number": 1, "handlers": 2, "slow": False, "events": ["came"] * 4},
            {
                "number": 1,
                "handlers": 1,
                "slow": False,
                "events": ["came", "was cancelled", "came"],
            },
            {"number": 1, "handlers": 1, "slow": False, "events": [TOGETHER, "came"]},
            {"number": 1, "handlers": 1, "slow": False, "events": ["came", HUNG_UP]},
            {"number": 1, "handlers": 1, "slow": True, "events": ["came", "left", "came"]},
            {"number": 1, "handlers": 1, "slow": True, "events": ["came", "came", "left", "came"]},
        ],
        most=40,
    )
    def any_events(self, at_most, lab, number, handlers, slow, events):
        self._tell(lab, number, handlers, slow, [])
        run = lab.run(self._day(at_most, lab, number, handlers, slow, events))
        if run.error is not None:
            raise run.error
        return run.result

    def _tell(self, lab, number, handlers, slow, story):
        lab.told(
            f"with {number}"
            + (", twice, for two servers" if handlers == 2 else "")
            + (", and clients whose connections take long to close" if slow else "")
            + "".join(f"; {each}" for each in story)
        )

    async def _day(self, at_most, lab, number, handlers, slow, events):
        inside, clients, story, failed = [], [], [], []

        async def handle(reader, writer):
            ending = asyncio.get_running_loop().create_future()
            number = next(n for n, (wire, _) in enumerate(clients, 1) if wire.writer is writer)
            inside.append((ending, asyncio.current_task(), number))
            try:
                await ending
            finally:
                writer.write(b"bye\n")

        made = [at_most(number, handle) for _ in range(handlers)]
        for event in events:
            served = len(inside)
            if event in ("came", TOGETHER):
                wire = Wire(lingers=slow)
                serve = made[len(clients) % handlers]
                clients.append((wire, asyncio.create_task(self._serve(lab, serve, wire))))
                to = f" to server {2 - len(clients) % 2}" if handlers == 2 else ""
                story.append(f"client {len(clients)} {event.replace('came', f'came{to}', 1)}")
            elif inside:
                ending, task, leaving = inside.pop(0)
                of = "the handler of " if event == "was cancelled" else ""
                story.append(f"{of}client {leaving} {event}")
                if event == "left":
                    ending.set_result(None)
                elif event == "made `handle` raise KeyError":
                    ending.set_exception(KeyError("no"))
                elif event == HUNG_UP:
                    ending.set_exception(ConnectionResetError("the client hung up"))
                    failed.append(leaving)
                else:
                    task.cancel()
            self._tell(lab, number, handlers, slow, story)
            if event != TOGETHER:
                await self._settle()
            if event == "came" and clients[-1][0].sent == b"busy\n":
                here = [n for *_, n in inside if n % handlers == len(clients) % handlers]
                if len(here) < number:
                    self._no_place(lab, number, handlers, clients, here, story)
            if event == "came" and served == len(inside) and _waits(*clients[-1]):
                raise self._waited(lab, f"client {len(clients)} was not told `busy` at once")
            if len(inside) > number and handlers == 1:
                waits = _waiting_between(lab)
                found = Suspect(waits, *BETWEEN) if waits else _miscounting(lab)
                raise Wrong(
                    "limit",
                    f"{len(inside)} connections were served at once; `number` is {number}.",
                    found.line,
                    found.try_,
                    at=found.at,
                )
        for wire, _ in clients:
            if wire.closing:
                wire.hang_up()
        await self._settle()
        for client in failed:
            task = clients[client - 1][1]
            if task.done() and task.result() == "handler ended":
                raise lab.lost_error(
                    "That error did not come out of the handler.", ConnectionResetError
                )
        seen = {
            f"client {client} heard": (
                wire.sent,
                "closed" if wire.closing else "open",
                task.result() if task.done() else "handler runs",
            )
            for client, (wire, task) in enumerate(clients, 1)
        }
        for wire, task in clients:
            task.cancel()
            wire.hang_up()
        await asyncio.gather(*(task for _, task in clients), return_exceptions=True)
        return seen

    def _no_place(self, lab, number, handlers, clients, here, story):
        """Raise Wrong if it can be told why the last client was told busy at a free place."""
        observed = (
            f"Client {len(clients)} was told busy while {len(here)} of {number} places were taken."
        )
        if handlers == 2 and len(story) == len(clients):  # nobody has left
            shared = lab.suspect(b"busy\n", b"")
            raise Wrong(
                "value",
                observed.replace("were taken", "at that server were taken"),
                shared and shared.line,
                "Each handler that `at_most` makes has its own places: make them inside of "
                "`at_most`, each time that it is called.",
                headline="places shared by two handlers",
                at=shared.at if shared else "",
            )
        if kept := _given_back_after_some(lab):
            raise Wrong(
                "not given back",
                observed,
                kept,
                "A cancellation is no Exception. Give the place back in a `finally`.",
                headline="a place was lost",
                at="gives the place back, but not after every end of `handle`",
            )
        lingering = [
            (wire.sent == b"busy\n", n)
            for n, (wire, task) in enumerate(clients[:-1], 1)
            if wire.closing and not task.done() and n % handlers == len(clients) % handlers
        ]
        if lingering and (waits := lab.call_of("wait_closed")):
            told_busy, other = min(lingering)
            raise Wrong(
                "not given back",
                f"Client {len(clients)} was told busy, while `handle` was running for "
                f"{count(len(here), 'client')}; `number` is {number}. The connection of client "
                f"{other}"
                + (", who had been told busy," if told_busy else "")
                + " was being closed, and `wait_closed` still waited for it.",
                waits,
                "A client that is told busy needs no place, not even while you wait for the end of "
                "its connection."
                if told_busy
                else "When `handle` has ended, its place is free again: give it back before you "
                "wait for the end of the connection.",
                headline="kept a place too long",
            )

    async def _settle(self):
        """Turns of the loop: whoever needs no wait has ended by then."""
        for _ in range(20):
            await asyncio.sleep(0)

    async def _serve(self, lab, serve, wire):
        try:
            await lab.awaitable(serve(wire.reader, wire.writer))
        except (KeyError, ConnectionResetError, asyncio.CancelledError) as error:
            return f"handler raised {type(error).__name__}"
        return "handler ended"

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
            if "busy" in found.observed:
                found.line = found.line or lab.literal("busy")
                found.try_ = (
                    "A client that is told busy gets nothing else: close its connection, and "
                    "return."
                )
            if found.kind != "never answers" or "busy" in found.observed:
                raise
            busy = False
        if not busy:
            raise self._waited(lab, "a client that came then had to wait for an answer")
        return late

    def _waited(self, lab, what):
        return Wrong(
            "late",
            f"No place was free, and {what}.",
            lab.earliest(lab.async_with(), lab.call_of("acquire", "wait_for")),
            "Look whether a place is free (`locked()`, or a count), and wait for none.",
            headline="kept waiting",
        )

    def look(self, lab, server, served, most, number, what):
        if server.errors:
            raise server.errors[0]
        if most > number:
            found = _miscounting(lab)
            raise Wrong(
                "limit",
                f"{most} connections were served at once; there are {number} places.",
                found.line,
                found.try_,
                at=found.at,
            )
        if served < min(number, len(server.writers)):
            seen = f"{number} clients {what}; served at the same time: {served}."
            if served and len(server.running) < len(server.writers):
                raise Wrong(
                    "limit",
                    seen,
                    lab.operation("<", "<=", ">", ">=", "==", "!=") or lab.call_of("Semaphore"),
                    "The last place may be taken, too. Go through your count for a limit of 1.",
                    headline="refused a client while a place was free",
                )
            raise Wrong(
                "sequential" if served else "never answers",
                seen,
                lab.await_of(),
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

    @wrong("late", says="wait for none")
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

    @wrong("late", says="had to wait")
    def lets_them_wait(number, handle):
        places = asyncio.Semaphore(number)

        async def limited(reader, writer):
            async with places:
                try:
                    await handle(reader, writer)
                finally:
                    writer.close()

        return limited

    @wrong("not given back", says="finally")
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

    @wrong("left open", says="The handler had returned, and the connection stayed open")
    def closes_at_the_end(number, handle):
        inside = 0

        async def limited(reader, writer):
            nonlocal inside
            if inside == number:
                writer.write(b"busy\n")
                writer.close()
                return
            inside += 1
            await handle(reader, writer)
            inside -= 1
            writer.close()

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

    @wrong("another form", says="start_server")
    def calls_it(number, handle):
        async def limited(reader, writer):
            await handle(reader, writer)
            writer.close()

        return limited(None, None)


def _miscounting(lab):
    """What lets one too many in: a `finally` that gives a place back for somebody who had none, a
    comparison that is one off.
    """
    for node in lab.nodes():
        if isinstance(node, ast.Try) and any(isinstance(part, ast.If) for part in walk(node)):
            for part in node.finalbody:
                called = getattr(getattr(part, "value", None), "func", None)
                if isinstance(part, ast.AugAssign) or getattr(called, "attr", "") in GIVING_BACK:
                    return Suspect(
                        part.lineno,
                        "gives a place back for a client that had none, too",
                        "A client that is told busy has no place: give back only what was taken.",
                    )
    return Suspect(
        lab.operation(">", "<=") or lab.call_of("Semaphore"),
        try_="All clients of a handler share one count, or one semaphore. When `number` of them "
        "are served, the next one is told busy.",
    )


def _counted_back(lab):
    """The line behind the `await` of `handle` that counts a place back, or None."""
    waits = lab.await_of("handle")
    counts = [node.lineno for node in lab.nodes() if isinstance(node, ast.AugAssign)]
    return lab.earliest(*(line for line in counts if waits and line > waits))


def walk(node):
    """The nodes of the body of a `try`."""
    return (inner for part in node.body for inner in ast.walk(part))


def _waits(wire, task):
    """Whether a client has heard nothing yet, and its handler waits for something."""
    return not wire.sent and not wire.closing and not task.done()


def _waiting_between(lab):
    """The `await` between the look at the places and the taking of one, or None."""
    asks = lab.condition()
    takes = lab.operation("+=") or lab.call_of("acquire", "append", "add", "pop")
    waits = [node.lineno for node in lab.nodes() if isinstance(node, ast.Await)]
    inside = [node for node in lab.nodes() if isinstance(node, ast.If) and node.lineno == asks]
    after = max((node.end_lineno for node in inside), default=0)
    return lab.earliest(*(line for line in waits if asks and takes and after < line <= takes))


def _given_back_after_some(lab):
    """The `except` for some errors that gives a place back, where no `finally` does; or None."""

    def gives_back(parts):
        inner = [node for part in parts for node in ast.walk(part)]
        counts = any(isinstance(n, ast.AugAssign) for n in inner)
        calls = [n.func for n in inner if isinstance(n, ast.Call)]
        names = (*GIVING_BACK, "remove", "discard")
        return counts or any(getattr(call, "attr", "") in names for call in calls)

    tries = [node for node in lab.nodes() if isinstance(node, ast.Try)]
    if any(gives_back(node.finalbody) for node in tries):
        return None
    handlers = [each for node in tries for each in node.handlers if gives_back(each.body)]
    caught = [ast.unparse(each.type) if each.type else "BaseException" for each in handlers]
    return handlers[0].lineno if caught and "BaseException" not in caught else None
