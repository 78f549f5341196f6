"""The process that measures for `crowd`: told what to measure, it answers once and ends.

It serves many connections, is the clients of a server, or makes what waits and weighs it.
"""

import asyncio
import gc
import os
import socket
import statistics
import threading
import time
import types
from collections.abc import Callable, Iterator

import psutil

from helpers.basics.numbers import percentile
from helpers.eventloop import sockets, tasks
from helpers.measuring.clients import Clients, Line, most_connections
from helpers.services.child import Parent
from helpers.services.open_files import resource
from helpers.services.service import HOST

ROUNDS = 5
PATIENCE = 20.0  # seconds after which a client gives up
AT_ONCE = 1000  # so many of those who stay come together: no door is too narrow for them
KIB, MIB, GIB = 1024, 1 << 20, 1 << 30


# Serve many connections. The clients are the same for both ways.


def serve(way: str, number: int) -> dict[str, float]:
    """Answer so many connections, and measure. The clients are the same for both ways."""
    pairs = [socket.socketpair() for _ in range(most_connections(number, ends=2))]
    process = psutil.Process()
    gc.collect()
    before, begin = process.memory_info(), time.perf_counter()
    ends = [end for end, _ in pairs]
    served = in_threads(ends) if way == "threads" else on_one_loop(ends)
    clients = [client for _, client in pairs[:served]]
    ask_all(clients)
    start, after = time.perf_counter() - begin, process.memory_info()
    rounds, alone = [], []
    for _ in range(ROUNDS):
        rounds.append(_seconds(ask_all, clients))
        alone += [_seconds(ask_all, clients[:1]) for _ in range(50)]
    return {
        "connections": served,
        "start": start,
        "memory": (after.rss - before.rss) / served / KIB,
        "addresses": (after.vms - before.vms) / served / KIB,
        "round": statistics.median(rounds),
        "alone": statistics.median(alone),
    }


def _seconds(function: Callable[..., object], *arguments: object) -> float:
    begin = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - begin


def ask_all(clients: list[socket.socket]) -> None:
    """Send a message on every connection, then wait for every answer."""
    for client in clients:
        client.sendall(b"hello")
    for client in clients:
        client.recv(4096)


def in_threads(ends: list[socket.socket]) -> int:
    """Echo on each connection in a thread of its own; return how many the system allowed."""

    def echo(sock: socket.socket) -> None:
        while data := sock.recv(4096):
            sock.sendall(data)

    for number, sock in enumerate(ends):
        try:
            threading.Thread(target=echo, args=(sock,), daemon=True).start()
        except RuntimeError:  # can't start new thread
            return number
    return len(ends)


def on_one_loop(ends: list[socket.socket]) -> int:
    """Echo on all connections in one thread, on a loop of ours; return their number."""

    async def echo(sock: socket.socket) -> None:
        while data := await sockets.recv(sock, 4096):
            await sockets.send_all(sock, data)

    async def main() -> None:
        for sock in ends:
            sock.setblocking(False)
            loop.spawn(echo(sock))
        await tasks.Future()  # for ever

    loop = sockets.Loop()
    threading.Thread(target=loop.run, args=(main(),), daemon=True).start()
    return len(ends)


# Be the clients of a server


def ask(port: int, seconds: float, *numbers: int) -> list[dict[str, float]]:
    """Ask a server as many clients at once; see `rush`."""
    return [ask_as(port, seconds, most_connections(number)) for number in numbers]


def ask_as(port: int, seconds: float, number: int) -> dict[str, float]:
    """Ask as so many clients."""
    clients = Clients((HOST, port), Line(), PATIENCE)
    start = clients.at_once(number)
    connections, took = len(clients.latencies), 0.0
    if clients.idle and seconds:
        took = clients.again_and_again(seconds)
    clients.close()
    latencies = sorted(clients.latencies)
    return {
        "connections": connections,
        "failed": clients.errors.total(),
        "start": start,
        "rate": len(latencies) / took if took else 0.0,
        "p50": percentile(latencies, 50) if latencies else 0.0,
        "p99": percentile(latencies, 99) if latencies else 0.0,
    }


def stay(port: int, pid: int, *counts: int) -> dict[str, object]:
    """Keep connections open, and look at the server's memory; see `hold`."""
    clients, server = Clients((HOST, port), Line(), PATIENCE), psutil.Process(pid)
    clients.at_once(10)  # what is made once, a buffer or a table, isn't theirs
    before, points, held = server.memory_info().rss, [], len(clients.idle)
    for count in counts:
        while (more := most_connections(count) - len(clients.idle)) > 0:
            failed = clients.errors.total()
            clients.at_once(min(more, AT_ONCE))
            if clients.errors.total() > failed:  # no more will be let in
                break
        here = len(clients.idle)
        points.append((here, (server.memory_info().rss - before) / MIB))
    more = points[-1][0] - held
    each = points[-1][1] * KIB / more if more else 0.0
    return {"points": points, "each": each, "failed": clients.errors.total()}


# Make many that wait, and weigh them


@types.coroutine
def pause() -> Iterator[None]:
    """Wait for whoever goes on with it."""
    yield


async def nap() -> None:
    """Wait, as a coroutine."""
    await pause()


def generators(number: int) -> list:
    """So many that wait."""
    made = [pause() for _ in range(number)]
    return [made, [next(generator) for generator in made]]


def coroutines(number: int) -> list:
    """So many that wait."""
    made = [nap() for _ in range(number)]
    return [made, [coroutine.send(None) for coroutine in made]]


def sleepers(number: int) -> sockets.Loop:
    """So many sleeping tasks on a loop of ours."""
    loop = sockets.Loop()
    for _ in range(number):
        loop.spawn(tasks.sleep(3600))
    loop.turn()
    return loop


def asyncio_sleepers(number: int) -> tuple:
    """So many sleeping tasks on a loop of asyncio's."""
    loop = asyncio.new_event_loop()
    made = [loop.create_task(asyncio.sleep(3600)) for _ in range(number)]
    loop.run_until_complete(asyncio.sleep(0))
    return loop, made


def threads(number: int) -> list[threading.Thread]:
    """So many that wait for a lock, or as many as the system allows."""
    lock = threading.Lock()
    lock.acquire()
    made = []
    for _ in range(number):
        try:
            made.append(threading.Thread(target=lock.acquire, daemon=True))
            made[-1].start()
        except RuntimeError:  # can't start new thread
            made.pop()
            break
    return made


MAKERS = {
    "generator": generators,
    "coroutine": coroutines,
    "sleeping task, ours": sleepers,
    "sleeping task, asyncio's": asyncio_sleepers,
    "thread": threads,
}


def weigh(kind: str, number: int) -> float:
    """KiB that one takes, measured on so many."""
    make, process = MAKERS[kind], psutil.Process()
    kept = [make(10)]  # what is made once, a loop's selector or a buffer, isn't theirs
    gc.collect()
    before = process.memory_info().rss
    kept.append(make(number))
    number = len(kept[-1]) if kind == "thread" else number
    return (process.memory_info().rss - before) / number / KIB


def fit(kind: str, most: int) -> int:
    """How many can be made, at most so many, within one GiB of addresses."""
    resource.setrlimit(resource.RLIMIT_AS, (GIB, resource.getrlimit(resource.RLIMIT_AS)[1]))
    if kind == "thread":
        return len(threads(most))
    return len(sleepers(most).sleeping)


if __name__ == "__main__":
    parent = Parent()
    parent.end_with_it()
    measures = {"serve": serve, "weigh": weigh, "fit": fit, "ask": ask, "stay": stay}
    parent.say(measures[parent.told["what"]](*parent.told["arguments"]))
    os._exit(0)  # the threads, and what still waits, end with the process
