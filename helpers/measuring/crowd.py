"""A crowd that waits, and what it costs: a thousand connections on one loop, or in a thread each.

    crowd(1000)             # memory and time, as a picture
    memory_each()           # KiB of a generator, a coroutine, a sleeping task, a thread
    how_many_fit()          # tasks and threads in one GiB of addresses

    with services.echo("threads") as server:    # a server of its own process, and its clients
        rush(server, 10, 1000)  # all ask again and again: how long does an answer take?
        hold(server, 10_000)    # all asked once and stay: how much memory does the server take?

Each figure is measured in a process of its own, `python -m helpers.measuring.crowd`, that is gone afterwards:
memory that was used once is seldom given back, so what came first would make the next look light.
"""

import asyncio
import gc
import json
import os
import selectors
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time
import types
from typing import NamedTuple

import psutil

from helpers.basics.numbers import percentile
from helpers.basics.project import PROJECT
from helpers.eventloop import sockets, tasks
from helpers.pictures.picture import BLUE, DARK, ORANGE, WIDTH, Picture, plain

try:
    import resource
except ImportError:  # Windows, which has no such limits
    resource = None

LIMIT = 60  # seconds for one measurement, on a machine that is very busy
MOST_OF_SELECT = 500  # sockets; on Windows there is nothing but select, which takes no more
SPARE_FILES = 50  # what a Python has open besides
ROUNDS = 5
SILENCE = 20.0  # seconds without any answer after which the clients give up
AT_ONCE = 1000  # so many of those who stay come together: no door is too narrow for them
MESSAGE = b"x" * 99 + b"\n"
KIB, MIB, GIB = 1024, 1 << 20, 1 << 30
WAYS = ("one loop", "threads")


def crowd(connections: int = 1000) -> "Crowd":
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
    if not sys.platform.startswith("linux"):
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
    """Half of the answers came within this time."""
    p99: float
    """All but the slowest hundredth came within this time."""


def rush(server, *connections: int, seconds: float = 0.5) -> list[Rush]:
    """Have so many clients connect to a `services.echo` all at once, each asking one line.

    When all have their answers, each asks again as soon as it is answered, for so many seconds (0:
    not again). Then they leave, and the next number comes. The clients share one thread of a
    process of their own; where the system allows that process fewer open files, there are fewer
    clients.
    """
    return [Rush(**found) for found in _measure("ask", server.port, seconds, *connections)]


class Held(NamedTuple):
    """What `hold` found."""

    points: list[tuple[int, float]]
    """Connections and the server's memory for them, in MiB."""
    each: float
    """KiB of the server's memory for each connection, from the last point."""
    failed: int
    """How many of the last point were refused, closed or kept waiting."""


def hold(server, most: int, *, steps: int = 3) -> Held:
    """Have up to `most` clients of a `services.echo` ask one line each, and then stay silent.

    The server's memory, as the system counts it, is read before and then `steps` times, each
    time at ten times as many connections. What the system itself keeps for a connection isn't in
    it. Where the system allows fewer open files there are fewer connections.
    """
    counts = [most // 10**step for step in reversed(range(steps))]
    found = _measure("stay", server.port, server.pid, *counts)
    return Held([tuple(point) for point in found["points"]], found["each"], found["failed"])


def _measure(*arguments):
    """Have a new process measure it; return what it prints."""
    path = [str(PROJECT), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "helpers.measuring.crowd", *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, arguments))} failed:\n{done.stderr}")
    return json.loads(done.stdout)


class Crowd(Picture):
    """What `crowd` found. Dicts by way, "one loop" and "threads":

    connections; memory (KiB each); addresses (KiB each); start, round and alone in seconds: until
    all were served once, one message of each connection, one message of one connection while all
    others are silent.
    """

    def __init__(self, asked, found):
        self.asked = asked
        for name in ("connections", "memory", "addresses", "start", "round", "alone"):
            setattr(self, name, {way: found[way][name] for way in found})

    @property
    def text(self):
        """The picture's twin: a line for each way."""
        lines = [
            f"{way}: {self.connections[way]:,} connections, {self.memory[way]:.1f} KiB of memory "
            f"and {self.addresses[way]:,.0f} KiB of addresses each; all served once after "
            f"{1000 * self.start[way]:.0f} ms, a message of each in {1000 * self.round[way]:.0f} "
            f"ms, a message of one alone in {1e6 * self.alone[way]:.0f} µs"
            for way in self.memory
        ]
        lines += [
            f"{way}: this system allows no more than {number:,}, not {self.asked:,}."
            for way, number in self.connections.items()
            if number < self.asked
        ]
        return "\n".join(lines)

    @property
    def alt(self):
        """What the picture shows, in words."""
        return (
            "Two rows of bars: memory for each connection, and time for one message of each. "
            + self.text.replace("\n", ". ")
        )

    def draw(self):
        from matplotlib.figure import Figure

        panels = {
            "memory for each connection, in KiB": self.memory,
            "one message of each connection, in ms": {
                way: 1000 * seconds for way, seconds in self.round.items()
            },
        }
        figure = Figure((WIDTH, 1.6), layout="constrained")
        for axes, (title, values) in zip(figure.subplots(1, 2, sharey=True), panels.items()):
            bars = axes.barh(
                list(values),
                list(values.values()),
                0.55,
                color=[BLUE, ORANGE],
                edgecolor=DARK,
                linewidth=0.6,
            )
            bars[1].set_hatch("///")
            axes.bar_label(bars, [f"{value:.1f}" for value in values.values()], padding=3)
            axes.set_xlim(0, 1.25 * max(values.values()))
            axes.set_xlabel(title)
            plain(axes)
        axes.invert_yaxis()  # that of both: the first way on top
        return figure


# What follows runs in the process that measures


def serve(way: str, number: str) -> dict[str, float]:
    """Answer so many connections, and measure. The clients are the same for both ways."""
    pairs = [socket.socketpair() for _ in range(_allowed(int(number), ends=2))]
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


def _allowed(number, ends):
    """How many connections of `number` the limit for open files allows, once it is raised.

    ends: how many of a connection's two this process holds.
    """
    if selectors.DefaultSelector is selectors.SelectSelector:
        number = min(number, MOST_OF_SELECT)
    if resource is None:
        return number
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ends * number + SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return number if soft == resource.RLIM_INFINITY else min(number, (soft - SPARE_FILES) // ends)


def _seconds(function, *arguments):
    begin = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - begin


def ask_all(clients):
    """Send a message on every connection, then wait for every answer."""
    for client in clients:
        client.sendall(b"hello")
    for client in clients:
        client.recv(4096)


def in_threads(ends):
    """Echo on each connection in a thread of its own; return how many the system allowed."""

    def echo(sock):
        while data := sock.recv(4096):
            sock.sendall(data)

    for number, sock in enumerate(ends):
        try:
            threading.Thread(target=echo, args=(sock,), daemon=True).start()
        except RuntimeError:  # can't start new thread
            return number
    return len(ends)


def on_one_loop(ends):
    """Echo on all connections in one thread, on a loop of ours; return their number."""

    async def echo(sock):
        while data := await sockets.recv(sock, 4096):
            await sockets.send_all(sock, data)

    async def main():
        for sock in ends:
            sock.setblocking(False)
            loop.spawn(echo(sock))
        await tasks.Future()  # for ever

    loop = sockets.Loop()
    threading.Thread(target=loop.run, args=(main(),), daemon=True).start()
    return len(ends)


class Clients:
    """Many connections to one server, in one thread."""

    def __init__(self, port):
        self.address = "127.0.0.1", port
        self.selector = selectors.DefaultSelector()
        self.asked = {}  # socket → when it asked what is not answered yet
        self.answered, self.latencies, self.failed = set(), [], 0

    def ask_once(self, number):
        """Connect so many more, each asks a line; wait until each is answered or has failed."""
        begun = time.perf_counter()
        for _ in range(number):
            sock = socket.socket()
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # Closed at once, without the minute in which the system remembers a connection.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.connect_ex(self.address)
            self.selector.register(sock, selectors.EVENT_WRITE)
            self.asked[sock] = time.perf_counter()
        self.drive()
        return time.perf_counter() - begun

    def ask_for(self, seconds):
        """All that are connected ask again and again; return how long that took."""
        self.latencies = []
        begun = time.perf_counter()
        asking, self.answered = self.answered, set()
        for sock in asking:
            self.attempt(self.ask, sock)
        self.drive(until=begun + seconds)
        return time.perf_counter() - begun

    def drive(self, until=0.0):
        """Take answers until there are no more to come; ask again as long as it is not `until`."""
        while self.asked:
            events = self.selector.select(SILENCE)
            if not events:
                self.failed += len(self.asked)
                self.asked.clear()
            for key, event in events:
                self.attempt(self.go_on, key.fileobj, event, until)

    def attempt(self, step, sock, *arguments):
        try:
            step(sock, *arguments)
        except OSError:  # refused, reset, closed
            self.selector.unregister(sock)
            sock.close()
            self.answered.discard(sock)
            if self.asked.pop(sock, None):
                self.failed += 1

    def ask(self, sock):
        self.asked[sock] = time.perf_counter()
        sock.send(MESSAGE)

    def go_on(self, sock, event, until):
        if event & selectors.EVENT_WRITE:  # connected, or refused
            self.ask(sock)
            self.selector.modify(sock, selectors.EVENT_READ)
            return
        # An answer of a hundred bytes comes in one piece on this machine, where all else is tested.
        if not sock.recv(4096).endswith(b"\n"):
            raise ConnectionError("closed, or no whole answer")
        now = time.perf_counter()
        self.latencies.append(now - self.asked.pop(sock))
        if now < until:
            self.ask(sock)
        else:
            self.answered.add(sock)


def ask(port: str, seconds: str, *numbers: str) -> list[dict[str, float]]:
    """Ask a server as many clients at once; see `rush`."""
    return [ask_as(int(port), float(seconds), _allowed(int(number), ends=1)) for number in numbers]


def ask_as(port, seconds, number):
    """Ask as so many clients."""
    clients = Clients(port)
    start = clients.ask_once(number)
    connections, took = len(clients.latencies), 0.0
    if clients.answered and seconds:
        took = clients.ask_for(seconds)
    for sock in clients.answered:
        sock.close()
    latencies = sorted(clients.latencies)
    return {
        "connections": connections,
        "failed": clients.failed,
        "start": start,
        "rate": len(latencies) / took if took else 0.0,
        "p50": percentile(latencies, 50),
        "p99": percentile(latencies, 99),
    }


def stay(port: str, pid: str, *counts: str) -> dict[str, object]:
    """Keep connections open, and look at the server's memory; see `hold`."""
    clients, server = Clients(int(port)), psutil.Process(int(pid))
    clients.ask_once(10)  # what is made once, a buffer or a table, isn't theirs
    before, points, held = server.memory_info().rss, [], len(clients.answered)
    for count in map(int, counts):
        while (more := _allowed(count, ends=1) - len(clients.answered)) > 0:
            failed = clients.failed
            clients.ask_once(min(more, AT_ONCE))
            if clients.failed > failed:  # no more will be let in
                break
        here = len(clients.answered)
        points.append((here, (server.memory_info().rss - before) / MIB))
    more = points[-1][0] - held
    each = points[-1][1] * KIB / more if more else 0.0
    return {"points": points, "each": each, "failed": clients.failed}


@types.coroutine
def pause():
    yield


async def nap():
    await pause()


def generators(number):
    made = [pause() for _ in range(number)]
    return [made, [next(generator) for generator in made]]


def coroutines(number):
    made = [nap() for _ in range(number)]
    return [made, [coroutine.send(None) for coroutine in made]]


def sleepers(number):
    loop = sockets.Loop()
    for _ in range(number):
        loop.spawn(tasks.sleep(3600))
    loop.turn()
    return loop


def asyncio_sleepers(number):
    loop = asyncio.new_event_loop()
    made = [loop.create_task(asyncio.sleep(3600)) for _ in range(number)]
    loop.run_until_complete(asyncio.sleep(0))
    return loop, made


def threads(number):
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


def weigh(kind: str, number: str) -> float:
    """KiB that one takes, measured on so many."""
    make, process = MAKERS[kind], psutil.Process()
    kept = [make(10)]  # what is made once, a loop's selector or a buffer, isn't theirs
    gc.collect()
    before = process.memory_info().rss
    kept.append(make(int(number)))
    number = len(kept[-1]) if kind == "thread" else int(number)
    return (process.memory_info().rss - before) / number / KIB


def fit(kind: str, most: str) -> int:
    """How many can be made, at most so many, within one GiB of addresses."""
    resource.setrlimit(resource.RLIMIT_AS, (GIB, resource.getrlimit(resource.RLIMIT_AS)[1]))
    if kind == "thread":
        return len(threads(int(most)))
    return len(sleepers(int(most)).sleeping)


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    measures = {"serve": serve, "weigh": weigh, "fit": fit, "ask": ask, "stay": stay}
    print(json.dumps(measures[what](*arguments)), flush=True)
    os._exit(0)  # the threads, and what still waits, end with the process
