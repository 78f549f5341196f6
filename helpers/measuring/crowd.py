"""A crowd that waits, and what it costs: a thousand connections on one loop, or in a thread each.

    crowd(1000)             # memory and time, as a picture
    memory_each()           # KiB of a generator, a coroutine, a sleeping task, a thread
    how_many_fit()          # tasks and threads in one GiB of addresses

    with services.echo("threads") as server:    # a server of its own process, and its clients
        rush(server, 10, 1000)  # all ask again and again: how long does an answer take?
        hold(server, 10_000)    # all asked once and stay: how much memory does the server take?

Each figure is measured in a process of its own (`crowd_process`) that is gone afterwards: memory
that was used once is seldom given back, so what came first would make the next look light.
"""

import json
import sys
from typing import NamedTuple

import psutil

from helpers.measuring.crowd_picture import Crowd
from helpers.measuring.crowd_process import MAKERS
from helpers.services import Service
from helpers.services.child import PYTHON, Child
from helpers.services.open_files import resource

LIMIT = 60  # seconds for one measurement, on a machine that is very busy
BUSY = 4  # programs for each processor, from which on a crowd is made smaller
WAYS = ("one loop", "threads")


def crowd(connections: int = 1000) -> Crowd:
    """Serve so many connections by one loop of ours, and by a thread each; return both figures.

    Where the system allows fewer open files or threads, there are fewer connections, and `text`
    says so.
    """
    return Crowd(connections, {way: _measure("serve", way, connections) for way in WAYS})


def memory_each() -> dict[str, float]:
    """KiB of memory that each thing takes that waits, by its name, as the system counts them."""
    return {kind: _measure("weigh", kind, 1000 if kind == "thread" else 20_000) for kind in MAKERS}


def how_many_fit(tasks: int = 100_000, threads: int = 2000) -> dict[str, int]:
    """How many tasks and threads (at most so many) fit into one GiB of addresses.

    Empty where a process can't be limited so (Windows, macOS).
    """
    if resource is None or sys.platform == "darwin":  # there is no limit, or it isn't heeded
        return {}
    asked = {"task": tasks, "thread": threads}
    return {kind: _measure("fit", kind, number) for kind, number in asked.items()}


class Rush(NamedTuple):
    """What `rush` found. Times in seconds."""

    connections: int
    """How many were answered."""
    failed: int
    """How many were refused, closed or kept waiting."""
    start: float
    """Until all were answered once, from the moment the first began to connect."""
    rate: float
    """Answers in a second, when all ask again and again. 0 where they asked only once."""
    p50: float
    """Half of the answers came within this time. 0 where there were none."""
    p99: float
    """All but the slowest hundredth came within this time. 0 where there were none."""


def rush(server: Service, *connections: int, seconds: float = 0.5) -> list[Rush]:
    """Have so many clients connect to a `services.echo` all at once, each asking one line.

    When all have their answers, each asks again as soon as it is answered, for so many seconds (0:
    not again). Then they leave, and the next number comes. The clients share one thread of a
    process of their own; where the system allows that process fewer open files, or is busy with
    others, there are fewer clients. Where it lets fewer connections wait to be accepted (128 on
    macOS), they come in waves of so many.
    """
    asked = dict.fromkeys(min(number, fitting(max(connections))) for number in connections)
    return [Rush(**found) for found in _measure("ask", server.port, seconds, *asked)]


class Held(NamedTuple):
    """What `hold` found."""

    points: list[tuple[int, float]]
    """Connections and the server's memory for them, in MiB."""
    each: float
    """KiB of the server's memory for each connection, from the last point."""
    failed: int
    """How many of the last point were refused, closed or kept waiting."""


def hold(server: Service, most: int, *, steps: int = 3) -> Held:
    """Have up to `most` clients of a `services.echo` ask one line each, and then stay silent.

    The server's memory, as the system counts it, is read before and then `steps` times, each
    time at ten times as many connections. What the system itself keeps for a connection isn't in
    it. Where the system allows fewer open files, or is busy with others, there are fewer
    connections.
    """
    counts = [fitting(most, 1000) // 10**step for step in reversed(range(steps))]
    found = _measure("stay", server.port, server.pid, *counts)
    # Memory is counted in pages: the first few connections may find room in those there are.
    points = [(number, taken) for number, taken in found["points"] if taken > 0]
    return Held(points, found["each"], found["failed"])


def fitting(clients: int, fewest: int = 100) -> int:
    """As many clients, or fewer where the machine is busy with others, and then say so.

    fewest: how many there are at least, however busy it is.

    In a room where twenty run the same cell, ten thousand clients each would keep all waiting.
    """
    waiting = psutil.getloadavg()[0] / psutil.cpu_count()
    if waiting <= BUSY or clients <= fewest:
        return clients
    fewer = int(clients * BUSY / waiting)
    digit = 10 ** (len(str(fewer)) - 1)
    fewer = max(fewest, fewer // digit * digit)  # a round number
    print(f"{waiting:.0f} programs share each processor: {fewer:,} clients instead of {clients:,}")
    return fewer


def _measure(what: str, *arguments: object) -> object:
    """Have a new process measure it; return what it finds."""
    child = Child(what, [*PYTHON, "-m", "helpers.measuring.crowd_process"])
    try:
        found = child.meet({"what": what, "arguments": arguments}, LIMIT)
    finally:
        child.end()
    if not found.endswith(b"\n"):
        told = " ".join(map(str, (what, *arguments)))
        raise RuntimeError(f"{told} failed:\n{child.last_words()}")
    return json.loads(found)
