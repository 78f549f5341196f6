"""Long, for a connection is left open, or closed too early, in many ways."""

import ast
import contextlib
import socket
import weakref

from helpers.basics.words import count
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.form.text import is_function
from helpers.coach.mistakes.handlers import catches, names_of
from helpers.coach.mistakes.loops import using_late
from helpers.coach.mistakes.nodes import own_nodes
from helpers.eventloop.sockets import accept, connect, recv, send_all
from helpers.eventloop.tasks import CancelledError, Future

from .shared import Door, Listener, pair, patiently, play, start_task

STACKING = ("enter_context", "push", "callback")  # what is closed when an ExitStack ends
FAILS = (OSError, ValueError, LookupError, RuntimeError, CancelledError)


class Serve(Exercise):
    """A server for all

    `talk(sock)` is a coroutine function that talks to one client until it has had enough. Write
    `serve(listener, talk, spawn)`. For ever, it accepts each client that knocks at `listener`, and
    talks to all of them at once. When a talk is over, has failed or was cancelled, that
    client's socket is closed. A talk that fails does no harm to the others.

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
        play(lab, lambda loop: self._three(lab, loop, serve), lab.call_of("accept"))

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

        with Listener(lab.text) as listener, contextlib.ExitStack() as stack:
            server = start_task(lab, loop, serve, listener, talk, spawn)

            async def knock(words):
                client = stack.enter_context(socket.socket())
                client.setblocking(False)
                await connect(client, listener.getsockname())
                await send_all(client, words)
                ears.append(loop.spawn(recv(client, 100)))
                return ears[-1], client

            try:
                await self._meet(lab, loop, server, knock, gate, listener.closings)
            except Wrong as found:
                if talked_to is None or isinstance(talked_to, socket.socket):
                    raise
                raise Wrong(
                    "another form",
                    f"`talk` was given a {type(talked_to).__name__}, and failed.",
                    lab.call_of("accept"),
                    "`accept` gives two things, a socket and an address: take them apart.",
                    headline="handed over no socket",
                ) from found
            finally:
                if not gate.done():
                    gate.set_result(None)
                for task in (server, *talks, *ears):
                    task.cancel()
                    with contextlib.suppress(BaseException):
                        await task

    async def _meet(self, lab, loop, server, knock, gate, closings):
        slow, slow_sock = await knock(b"slow")
        quick, quick_sock = await knock(b"quick")
        await patiently(lambda: quick.done() or server.done())
        if slow.done():
            raise Wrong(
                "given back early",
                "The first client was hung up on before it had an answer.",
                next(iter(closings), None),
                "`spawn` returns at once, before the talk has begun. Close the socket "
                "where the talk ends.",
                headline="hung up too early",
            )
        if not quick.done():
            if server.done():
                await server
                raise Wrong(
                    "stopped early",
                    "The first client was still talking when the second "
                    "one knocked, and `serve` had returned.",
                    lab.call_of("accept"),
                    "After one client comes the next: `while True`.",
                    headline="served only one",
                )
            raise Wrong(
                "sequential",
                "The first client took its time. The second "
                "one knocked, and got no answer until the first had gone.",
                _waiting_there(lab) or lab.stands_at(server.coro),
                "`serve` must be back at `accept` at once: `spawn` the talk, do not await it.",
                headline="one client after another",
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
                "one failure ends all",
                "A talk failed, and the next client got no answer.",
                lab.call_of("accept"),
                "Let each talk be a task of its own.",
                headline="one failure ended all",
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
            stacked = lab.call_of(*STACKING)
            raise Wrong(
                "left open",
                f"{when} the server did not hang up: its client waits for ever.",
                lab.call_of("close") or stacked or lab.call_of("spawn"),
                "Close the socket when the talk ends, however it ends: `with sock:` around "
                "the `await talk(sock)`.",
                headline="left the connection open",
                at="was not reached"
                if lab.call_of("close")
                else "closes it when the stack ends"
                if stacked
                else "",
            )

    @sweep(
        lambda some: {
            "order": some.integers(1, 4).flatmap(
                lambda clients: some.permutations(range(1, clients + 1))
            ),
            "fails": some.dictionaries(
                some.integers(1, 4),
                some.sampled_from(FAILS),
            ),
            "late": some.booleans(),
        },
        most=16,
    )
    def any_clients(self, serve, lab, order, fails, late):
        scene = lambda loop: self._many(lab, loop, serve, order, fails, late)
        return play(lab, scene, lab.call_of("accept"))

    async def _many(self, lab, loop, serve, order, fails, late):
        gates = {client: Future() for client in order}
        talks, ears, socks = [], {}, weakref.WeakValueDictionary()

        async def talk(sock):
            client = int(await recv(sock, 100))
            socks[client] = sock
            await gates[client]
            if client in fails:
                raise fails[client]("this client is broken")
            await send_all(sock, b"bye")

        def spawn(coroutine):
            talks.append(loop.spawn(coroutine))
            return talks[-1]

        with Listener(lab.text) as listener, contextlib.ExitStack() as stack:
            server = start_task(lab, loop, serve, listener, talk, spawn)

            async def hear(client):
                words = b""
                while piece := await recv(client, 100):
                    words += piece
                return words

            async def knock(number):
                client = stack.enter_context(socket.socket())
                client.setblocking(False)
                await connect(client, listener.getsockname())
                await send_all(client, str(number).encode())
                ears[number] = loop.spawn(hear(client))

            numbers = sorted(order)
            last = [numbers.pop()] if late and len(order) > 1 else []
            heard = {}
            story = [f"and {count(len(numbers), 'client')} knocked"]
            lab.told(story[0])
            try:
                for number in numbers:
                    await knock(number)
                for client in [one for one in order if one not in last] + last:
                    if client in last:
                        story.append(f"client {client} knocked")
                        await knock(client)
                    story.append(f"talk {client} {_ended_by(fails.get(client))}")
                    lab.told(", then ".join(story))
                    gates[client].set_result(None)
                    await patiently(lambda: ears[client].done() or server.done())
                    if server.done():
                        await server
                    self._ended(lab, client, ears, heard, socks, fails.get(client))
                    heard[client] = ears[client].result()
                cancelled = [client for client in order if fails.get(client) is CancelledError]
                await self._cancelled(lab, talks, cancelled)
                return {f"client {client} heard": heard[client] for client in sorted(heard)}
            finally:
                for gate in gates.values():
                    if not gate.done():
                        gate.set_result(None)
                for task in (server, *talks, *ears.values()):
                    task.cancel()
                    with contextlib.suppress(BaseException):
                        await task

    def _ended(self, lab, client, ears, heard, socks, error):
        """The talk with this client is over: it alone is hung up on now. error: the type of what
        ended the talk, or None.
        """
        hung_up = [other for other in ears if ears[other].done() and other not in (client, *heard)]
        if not ears[client].done() and hung_up:
            late = _looked_up_late(lab)
            raise Wrong(
                "left open",
                f"The server did not hang up on client {client}, but on client {hung_up[0]}, whose "
                "talk was not over.",
                late
                or getattr(socks.get(hung_up[0]), "closed_at", None)
                or lab.call_of("close")
                or lab.with_of(),
                "That function looks the variable up only when it needs it, and by then the next "
                "client's socket may stand there. Give it a parameter, and hand it the socket."
                if late
                else "When a talk ends, close its own socket, and no other.",
                headline="hung up on another",
            )
        if not ears[client].done() and error and (narrow := _not_catching(lab, error)):
            raise Wrong(
                "left open",
                f"The server did not hang up on client {client}, who waits for ever.",
                narrow,
                ("A CancelledError is no Exception. " if error is CancelledError else "")
                + "Close the socket in any case, in a `finally` or by `with`.",
                headline="left the connection open",
                at=f"doesn't catch the {error.__name__}",
            )
        if not ears[client].done():
            raise Wrong(
                "left open",
                f"The server did not hang up on client {client}, who waits for ever.",
                lab.text.skipped("close") or lab.call_of(*STACKING) or lab.call_of("spawn"),
                "When a talk ends, however it ends, close its own socket: `with sock:` around the "
                "`await talk(sock)`.",
                headline="left the connection open",
            )
        if hung_up:
            raise Wrong(
                "given back early",
                f"The talk with client {client} was over, and client {hung_up[0]} was hung up on.",
                getattr(socks.get(hung_up[0]), "closed_at", None),
                "Each talk closes its own socket: hand it to the function that awaits `talk`.",
                headline="hung up too early",
            )

    async def _cancelled(self, lab, talks, clients):
        """Raise Wrong unless as many tasks end cancelled as talks have: those with `clients`."""

        def ended_so():
            return sum(task.done() and isinstance(task.error, CancelledError) for task in talks)

        if not await patiently(lambda: ended_so() >= len(clients)):
            raise Wrong(
                "swallowed",
                f"The task of talk {clients[0]} ended as if nothing had happened, so whoever "
                "cancels such a task isn't told that it broke off.",
                lab.text.swallowing_handler(),
                "Only a talk that fails is to be kept from the others. `except Exception` lets a "
                "CancelledError and the stop button's KeyboardInterrupt pass.",
            )

    @sweep(lambda some: {"clients": some.just(1100)}, most=1)
    def for_ever(self, serve, lab, clients):
        lab.told(f"and {clients:,} clients came, one after another")
        return play(
            lab, lambda loop: self._one_by_one(lab, loop, serve, clients), lab.call_of("accept")
        )

    async def _one_by_one(self, lab, loop, serve, clients):
        talked = []

        async def talk(sock):
            talked.append(sock)

        door, far = pair(Door)
        with door, far:
            far.send(b"!")  # somebody stands at the door
            door.clients = clients
            server = start_task(lab, loop, serve, door, talk, loop.spawn)
            await patiently(lambda: len(talked) == clients or server.done())
            if server.done():
                await server
            server.cancel()
            left_open = sum(sock.fileno() >= 0 for sock in talked)
            if len(talked) == clients == left_open:
                raise Wrong(
                    "left open",
                    "The talks were over, and all their sockets were still open.",
                    lab.call_of("shutdown", "detach") or lab.text.skipped("close"),
                    "`close` gives a socket back, and nothing else does.",
                    headline="left the sockets open",
                )
            return {"talks": len(talked), "sockets left open": left_open}

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

    @wrong("sequential", says="do not await it")
    async def awaits_the_talk(listener, talk, spawn):
        while True:
            sock, address = await accept(listener)
            with sock:
                await talk(sock)

    @wrong("left open", says="hang up")
    async def never_closes(listener, talk, spawn):
        kept = []
        while True:
            sock, address = await accept(listener)
            kept.append(sock)
            spawn(talk(sock))

    @wrong("another form", says="take them apart")
    async def hands_over_the_pair(listener, talk, spawn):
        while True:
            sock = await accept(listener)
            spawn(talk(sock))

    @wrong("given back early", says="before the talk has begun")
    async def closes_at_once(listener, talk, spawn):
        while True:
            sock, address = await accept(listener)
            with sock:
                spawn(talk(sock))

    @wrong("stopped early", says="while True")
    async def without_a_loop(listener, talk, spawn):
        async def one(sock):
            with sock:
                await talk(sock)

        sock, address = await accept(listener)
        spawn(one(sock))

    @wrong("left open", says="however it ends")
    async def closes_only_after_success(listener, talk, spawn):
        kept = []

        async def one(sock):
            kept.append(sock)
            await talk(sock)
            sock.close()

        while True:
            sock, address = await accept(listener)
            spawn(one(sock))


def _waiting_there(lab):
    """The `await` in the endless loop that is not for the next client, or None."""
    parts = [node for loop in lab.nodes() if isinstance(loop, ast.While) for node in ast.walk(loop)]
    inner = [node for node in parts if isinstance(node, ast.AsyncFunctionDef)]
    others = {node for function in inner for node in ast.walk(function)}
    awaits = (node for node in parts if isinstance(node, ast.Await) and node not in others)
    return lab.earliest(*(node.lineno for node in awaits if "accept" not in ast.unparse(node)))


def _is_bound(node):
    """Whether this is a name that is given a value."""
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _ended_by(error):
    """How a talk ended, in words."""
    if error is CancelledError:
        return "was cancelled"
    return f"failed with {error.__name__}" if error else "was over"


def _not_catching(lab, error):
    """The `except` because of which nobody closes after this error, which it does not catch; or
    None.
    """
    line = lab.text.skipped("close")
    handlers = [node for node in lab.nodes() if isinstance(node, ast.ExceptHandler)]
    narrow = [one for one in handlers if one.lineno == line]
    return line if narrow and not catches(narrow[0], names_of((error,))) else None


def _looked_up_late(lab):
    """A function inside `serve` that uses a name which the endless loop gives to each client, and
    that was not handed to it; or None.
    """
    nodes = lab.nodes()
    for loop in (node for node in nodes if isinstance(node, ast.While)):
        given = {
            part.id
            for node in loop.body
            if isinstance(node, ast.Assign)
            for part in ast.walk(node.targets[0])
            if isinstance(part, ast.Name)
        }
        around = [node for node in nodes if is_function(node) and loop in own_nodes(node)]
        inside = [node for outer in around for node in ast.walk(outer) if node is not outer]
        for function in filter(is_function, inside):
            own = {part.id for part in own_nodes(function) if _is_bound(part)}
            if line := next(using_late([function], given - own), None):
                return line
    return None
