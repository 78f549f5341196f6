"""A load generator: it asks a server's page many times, and measures what the clients see.

    load(url, clients=100, requests=1000)    # each client asks again as soon as it is answered
    load(url, rate=200, requests=100)        # 200 a second, whether the answers come or not

It runs in a process of its own, so that it shares no core's time with a notebook, and is plain
asyncio with as little HTTP as it takes: it must be quicker than what it measures. `share` and `late`
of its result tell whether it was; `services.instant()` is a server to try it on.

The process is kept for the next call, and ends with the one that started it.
"""

import asyncio
import math
import queue
import threading
import time
from collections import Counter
from urllib.parse import urlsplit

from helpers.basics.numbers import percentile
from helpers.services.child import PYTHON, START_LIMIT, Child, Parent
from helpers.services.open_files import allow_open_files
from helpers.services.service import OPEN_FILES

LONGEST = 60.0  # seconds that a timeout may last: a notebook's reader waits for it

__all__ = ["load", "Load"]


def load(
    url: str,
    *,
    requests: int = 100,
    clients: int | None = None,
    rate: float | None = None,
    timeout: float = 5.0,
    keep: bool = True,
) -> "Load":
    """GET `url` so many times, and measure.

    Parameters:
        requests: how many in all.
        clients: so many, 1 unless told, ask at once, each again as soon as it has its answer. A
            slow server is asked less; with as many clients as requests all are asked at once.
        rate: instead of clients, so many requests are begun each second, evenly spread, like
            visitors who know nothing of each other. A slow server is asked as much as a quick one.
        timeout: seconds from a request's beginning after which its client gives up.
        keep: keep a connection for the next request; else each request makes its own.

    Raises ValueError for arguments out of range, and RuntimeError if the generator itself failed.
    """
    if clients is not None and rate is not None:
        raise ValueError("Give clients or rate, not both: who asks at a rate is not waited for.")
    clients = 1 if clients is None and rate is None else clients
    for name, number in {"requests": requests, "clients": clients}.items():
        if number is not None and (type(number) is not int or number < 1):
            raise ValueError(f"{name} must be a whole number, 1 or more, not {number!r}.")
    for name, number in {"rate": rate, "timeout": timeout}.items():
        if number is not None and not 0 < number < math.inf:
            raise ValueError(f"{name} must be a number above 0, not {number!r}.")
    if timeout > LONGEST:
        raise ValueError(f"timeout must be at most {LONGEST:g} s, not {timeout!r}.")
    if urlsplit(url).scheme != "http" or not urlsplit(url).hostname:
        raise ValueError(f"url must be like http://127.0.0.1:8000/page, not {url!r}.")
    return Load(
        url,
        _generator.ask(
            {
                "url": url,
                "requests": requests,
                "clients": clients,
                "rate": rate,
                "timeout": timeout,
                "keep": keep,
            }
        ),
    )


class Load:
    """What the clients saw. Times in seconds.

    answered: how many got a page (a status below 400).  errors: name → how many did not: "timeout",
    "refused", "reset" and "closed" (without a whole answer), or a status, "500".
    seconds: from the first request's beginning to the last one's end.  throughput: pages a second.
    latencies: of the pages, sorted, each from when its request was due; `p50` and `p99` of them:
    half of the pages, and 99 of 100, came within that. NaN where there was no page.
    share: of a core, that the generator used.  late: how long after its time it sent a request,
    99 of 100 at most. With a share near 1.0, or if it was late by much, it measured itself.
    """

    def __init__(self, url: str, found: dict) -> None:
        self.url = url
        self.errors = found["errors"]
        self.latencies = sorted(found["latencies"])
        self.answered = len(self.latencies)
        self.seconds, self.share, self.late = (found[key] for key in ("seconds", "share", "late"))
        self.throughput = self.answered / self.seconds

    @property
    def p50(self) -> float:
        return percentile(self.latencies, 50)

    @property
    def p99(self) -> float:
        return percentile(self.latencies, 99)

    def __repr__(self) -> str:
        failed = ", ".join(f"{number} × {name}" for name, number in self.errors.items())
        return (
            f"{self.answered} answered in {self.seconds:.2f} s: {self.throughput:,.0f} a second, "
            f"p50 {1000 * self.p50:.1f} ms, p99 {1000 * self.p99:.1f} ms, "
            f"errors: {failed or 'none'}"
        )


# This side of the pipe


class _Generator:
    """The process that asks, started when it is first needed."""

    def __init__(self) -> None:
        self.process: Child | None = None
        self.one_asks = threading.Lock()

    def ask(self, job: dict) -> dict:
        """Have it do a job; return what it found."""
        with self.one_asks:
            try:
                if self.process is None or self.process.wait(0) is not None:
                    self.end()
                    self.process = Child("The load generator", [*PYTHON, "-m", __name__])
                    self.process.begin({}, START_LIMIT)
                answer = self.process.ask(job)
            except EOFError:
                self.end()
                said = self.process.last_words()
                words = f"The load generator ended before it had an answer. It said:\n{said}"
                raise RuntimeError(words) from None
            except BaseException:  # an interrupt: the answer to this would be taken for the next
                self.end()
                raise
        if "failed" in answer:
            raise RuntimeError(f"The load generator failed: {answer['failed']}")
        return answer

    def end(self) -> None:
        """End it, whatever it is doing; the next job starts another."""
        if self.process is not None:
            self.process.end()


_generator = _Generator()


# What follows runs in the process that asks


class Connection(asyncio.Protocol):
    """A connection to the server, with one request on it at a time."""

    def connection_made(self, transport):
        self.transport, self.received, self.answer, self.open = transport, b"", None, True

    def ask(self, request: bytes) -> asyncio.Future:
        """Send the request; the future's result is the status of the whole answer."""
        self.answer, self.received = asyncio.get_running_loop().create_future(), b""
        self.transport.write(request)
        return self.answer

    def data_received(self, data):
        self.received += data
        head, end, body = self.received.partition(b"\r\n\r\n")
        if end and self._whole(head.lower(), body):
            self._answered(head)

    def _whole(self, head, body):
        if b"\r\ntransfer-encoding: chunked" in head:
            return body.endswith(b"0\r\n\r\n")
        _, told, rest = head.partition(b"\r\ncontent-length: ")
        # Without a length, the end of the connection ends the body.
        return bool(told) and len(body) >= int(rest.partition(b"\r\n")[0])

    def _answered(self, head):
        lower = head.lower()
        if b"\r\nconnection: close" in lower or lower.startswith(b"http/1.0"):
            self.close()
        if not self.answer.done():
            self.answer.set_result(int(head[9:12]))

    def connection_lost(self, error):
        self.open = False
        if self.answer is None or self.answer.done():
            return
        head, end, _ = self.received.partition(b"\r\n\r\n")
        if error is not None:
            self.answer.set_exception(error)
        elif end and b"\r\ncontent-length: " not in head.lower():
            self._answered(head)
        else:
            self.answer.set_exception(EOFError("closed without a whole answer"))

    def close(self):
        self.open = False
        self.transport.abort()  # nothing is left to send


class Clients:
    """Those who ask: they share the idle connections, and what was found."""

    def __init__(self, url, timeout, keep):
        parts = urlsplit(url)
        self.host, self.port = parts.hostname, parts.port or 80
        page = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self.request = (
            f"GET {page} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            f"{'' if keep else 'Connection: close' + chr(13) + chr(10)}\r\n"
        ).encode()
        self.timeout, self.keep = timeout, keep
        self.loop = asyncio.get_running_loop()
        self.idle, self.latencies, self.late, self.errors = [], [], [], Counter()

    async def ask(self, due):
        """Ask once, for a request that was due at this time, and note what came of it."""
        self.late.append(self.loop.time() - due)
        connection = None
        try:
            async with asyncio.timeout_at(due + self.timeout):
                connection = await self._connection()
                status = await connection.ask(self.request)
        except TimeoutError:
            self.errors["timeout"] += 1
        except ConnectionRefusedError:
            self.errors["refused"] += 1
        except EOFError:
            self.errors["closed"] += 1
        except ConnectionError:
            self.errors["reset"] += 1
        else:
            if status < 400:
                self.latencies.append(self.loop.time() - due)
            else:
                self.errors[str(status)] += 1
            if self.keep and connection.open:
                self.idle.append(connection)
                return
        if connection is not None:
            connection.close()

    async def _connection(self):
        while self.idle:
            connection = self.idle.pop()
            if connection.open:
                return connection
        _, connection = await self.loop.create_connection(Connection, self.host, self.port)
        return connection

    async def in_turn(self, left):
        """Be one client: ask while there is something left to ask, then leave."""
        while next(left, None) is not None:
            await self.ask(self.loop.time())
        # A server with few connections can take somebody else's.
        if self.idle:
            self.idle.pop().close()

    async def at_rate(self, rate, requests):
        """Begin so many requests a second, and wait for all."""
        start, asking = self.loop.time(), []
        for number in range(requests):
            due = start + number / rate
            if (pause := due - self.loop.time()) > 0:
                await asyncio.sleep(pause)
            asking.append(asyncio.create_task(self.ask(due)))
        await asyncio.gather(*asking)


async def measure(url, requests, clients, rate, timeout, keep):
    """Do one job; return what `Load` is made of."""
    asking = Clients(url, timeout, keep)
    begin, cpu = time.perf_counter(), time.process_time()
    if rate is None:
        left = iter(range(requests))
        await asyncio.gather(*(asking.in_turn(left) for _ in range(min(clients, requests))))
    else:
        await asking.at_rate(rate, requests)
    seconds = time.perf_counter() - begin
    share = (time.process_time() - cpu) / seconds
    for connection in asking.idle:
        connection.close()
    return {
        "latencies": asking.latencies,
        "errors": asking.errors,
        "seconds": seconds,
        "share": share,
        "late": percentile(sorted(asking.late), 99),
    }


def _serve() -> None:
    """Do the parent's jobs until it is gone."""
    parent, jobs = Parent(), queue.SimpleQueue()
    allow_open_files(OPEN_FILES)
    parent.end_with_it(jobs.put)
    parent.say("ready")
    while True:
        try:
            found = asyncio.run(measure(**jobs.get()))
        except Exception as error:
            found = {"failed": f"{type(error).__name__}: {error}"}
        parent.say(found)


if __name__ == "__main__":
    _serve()
