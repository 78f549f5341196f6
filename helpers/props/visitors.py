"""Those who visit the servers of lesson 19, and note what they get. The servers are the lesson's.

quick, slow = await two_clients(handler, broadcast)
lines = run(first_events(app, "/prices", boxes, [300, 310]))
in_time = run(stops_in_time(app, "/prices", limit=1))
answers, rec = await end_of(main)
words = await readiness_of(main)
"""

import asyncio
import contextlib
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence

import httpx
import uvicorn
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from helpers.props.program import program
from helpers.recording.recording import Recording
from helpers.services.service import HOST

__all__ = ["two_clients", "first_events", "stops_in_time", "end_of", "readiness_of"]

MESSAGES, SIZE = 40, 500_000  # far more bytes than the buffers between two sockets hold
PATIENCE = 1.0  # seconds after which one that isn't sent stops the rest
CATCH_UP = 0.2  # seconds, at most, that the next message waits for the reader: machines are busy
REQUESTS = ((1, 0.1, 0), (2, 1, 0), (3, 4, 0), (4, 0.1, 1))  # number, its work, when: seconds
SIGNAL_AFTER = 0.5  # seconds
OVERDUE = 5.0  # seconds: an answer that a busy machine owes, and somebody waits for, is given up
STOPS_WITHIN = 2.0  # seconds: a server that was told to stop and still runs then has no limit


async def two_clients(
    handler: Callable[[ServerConnection], Awaitable[None]],
    broadcast: Callable[[Collection[ServerConnection], bytes], Awaitable[None]],
) -> tuple[list[tuple[float, int]], list[tuple[float, int]]]:
    """Send 40 messages of half a megabyte to two WebSocket clients, of whom one doesn't read.

    handler: the server's, given to `websockets.serve`.
    broadcast: `await broadcast(websockets, message)` sends to all the server's connections; one
        that takes longer than a second is given up, and so are the messages after it.

    Returns two lists of (seconds, message number): what the reading client got, and what the other
    found when it began to read after that.
    """
    quick, slow, plain = [], [], {"compression": None}
    async with serve(handler, HOST, 0, **plain) as server:
        url = f"ws://{HOST}:{server.sockets[0].getsockname()[1]}"
        # One message in its own queue, or it would take many that nobody reads.
        async with (
            connect(url, max_queue=1, **plain) as away,
            connect(url, **plain) as reader,
            asyncio.TaskGroup() as group,
        ):
            start = time.perf_counter()
            group.create_task(_read(reader, quick, start))
            while len(server.connections) < 2:
                await asyncio.sleep(0.01)
            with contextlib.suppress(TimeoutError):
                for number in range(MESSAGES):
                    async with asyncio.timeout(PATIENCE):
                        await broadcast(server.connections, b"%4d" % number + bytes(SIZE))
                    await asyncio.sleep(0.01)
                    await _caught_up(quick, number)
            await asyncio.sleep(0.1)  # what is on its way arrives
            group.create_task(_read(away, slow, start))
            await asyncio.sleep(0.3)
            # A closing handshake would wait behind what was never read.
            for websocket in away, reader:
                websocket.transport.abort()
    return quick, slow


async def _read(websocket: ClientConnection, got: list[tuple[float, int]], start: float) -> None:
    with contextlib.suppress(ConnectionClosed):
        async for message in websocket:
            got.append((time.perf_counter() - start, int(message[:4])))


async def _caught_up(got: list[tuple[float, int]], number: int) -> None:
    """Wait until message `number` came: else a busy machine makes the quick client a slow one."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(CATCH_UP):
            while not got or got[-1][1] < number:
                await asyncio.sleep(0.005)


async def first_events(
    app: Callable, path: str, boxes: Collection[asyncio.Queue], news: Sequence[object]
) -> list[str]:
    """Serve `app` by uvicorn, listen to `path`, put `news` into all `boxes`, go when they came.

    boxes: a collection of queues, one a listener; it must hold one once somebody listens.
    Returns the lines that came.
    """
    seen = []
    async with _served(app) as (_, _, client), client.stream("GET", path) as response:
        while not boxes:
            await asyncio.sleep(0.01)
        for item in news:
            for box in boxes:
                box.put_nowait(item)
        async for line in response.aiter_lines():
            seen.append(line)
            if len(seen) == 2 * len(news):  # an empty line ends each event
                break
    return seen


async def stops_in_time(app: Callable, path: str, limit: float | None) -> bool:
    """Serve `app` by uvicorn, listen to `path`, and tell the server to stop meanwhile.

    limit: uvicorn's `timeout_graceful_shutdown`, in whole seconds; None for no limit.
    Returns whether the server has stopped within 2 s, while its listener stays.
    """
    # It would log that it cancels the listener's task.
    settings = {"timeout_graceful_shutdown": limit, "log_level": "critical"}
    async with (
        _served(app, **settings) as (server, serving, client),
        client.stream("GET", path),
    ):
        server.should_exit = True
        await asyncio.wait([serving], timeout=STOPS_WITHIN)
        return serving.done()


@contextlib.asynccontextmanager
async def _served(
    app: Callable, **settings: object
) -> AsyncIterator[tuple[uvicorn.Server, asyncio.Task, httpx.AsyncClient]]:
    """Serve `app` by uvicorn with these settings; at the end stop it, and wait until it has."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, **settings))
    async with asyncio.TaskGroup() as group:
        serving = group.create_task(server.serve())
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            async with httpx.AsyncClient(base_url=f"http://{HOST}:{port}", timeout=30) as client:
                yield server, serving, client
        finally:
            server.should_exit = True


async def end_of(main: Callable[[], Awaitable[object]]) -> tuple[list[str], Recording | None]:
    """Run the server `main` as a program, ask it four times, and send it SIGTERM in between.

    Requests of 0.1, 1 and 4 s come at once, the signal after 0.5 s, a request of 0.1 s after 1 s;
    on a busy machine the signal waits for the first answer. Each is a line, `number seconds`, and
    wants a line as its answer.

    Returns the four answers ("no answer", or the name of an error, where there is none) and the
    `Recording` of the server's tasks.
    """
    with program(main) as server:
        async with asyncio.TaskGroup() as group:
            asking = [group.create_task(_ask(server.port, *request)) for request in REQUESTS]
            await asyncio.sleep(SIGNAL_AFTER)
            await asyncio.wait(asking[:1], timeout=OVERDUE)
            server.send_signal(signal.SIGTERM)
        rec = await asyncio.to_thread(server.recording)
    return [task.result() for task in asking], rec


async def readiness_of(main: Callable[[], Awaitable[object]]) -> list[str]:
    """Run the server `main` as a program and ask it `ready` until it accepts no more.

    It is sent SIGTERM after its first answer.

    Returns its answers, each once, in their order, and "refused" as the last. Raises TimeoutError
    if it still answers after 5 s.
    """
    seen = []
    with program(main) as server, contextlib.suppress(ConnectionError):
        async with asyncio.timeout(OVERDUE):
            while word := await _say(server.port, b"ready\n"):
                if not seen:
                    server.send_signal(signal.SIGTERM)
                if word not in seen:
                    seen.append(word)
                await asyncio.sleep(0.05)
    return [*seen, "refused"]


async def _ask(port: int, number: int, seconds: float, after: float) -> str:
    await asyncio.sleep(after)
    try:
        return await _say(port, b"%d %f\n" % (number, seconds)) or "no answer"
    except ConnectionError as error:
        return type(error).__name__


async def _say(port: int, line: bytes) -> str:
    """Send a server a line; its answer, "" if it gives none. Raises ConnectionError."""
    reader, writer = await asyncio.open_connection(HOST, port)
    with contextlib.closing(writer):
        writer.write(line)
        return (await reader.readline()).decode().strip()
