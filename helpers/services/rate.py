"""How many requests a second the local server answers."""

import asyncio
import time

from . import catalogue

REQUEST = b"GET /api/v2/pokemon/1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def measure_rate(seconds: float = 1.0, connections: int = 50) -> float:
    """Answers a second from a fresh ``catalogue()``, asked without pause over ``connections``.

    The client counts bytes, for all answers to one request are equally long, and so costs far less
    than the server. It runs on a loop of its own: call it where none is running.
    """
    with catalogue() as service:
        return asyncio.run(_ask(service.port, seconds, connections))


async def _ask(port: int, seconds: float, connections: int) -> float:
    streams = [await asyncio.open_connection("127.0.0.1", port) for _ in range(connections)]
    size = await _size_of_an_answer(*streams[0])
    answered = 0

    async def keep_asking(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal answered
        while time.perf_counter() < end:
            writer.write(REQUEST)
            await reader.readexactly(size)
            answered += 1
        writer.close()

    start = time.perf_counter()
    end = start + seconds
    await asyncio.gather(*(keep_asking(*stream) for stream in streams))
    return answered / (time.perf_counter() - start)


async def _size_of_an_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
    writer.write(REQUEST)
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1])
        for line in head.splitlines()
        if line.lower().startswith(b"content-length")
    )
    await reader.readexactly(length)
    return len(head) + length
