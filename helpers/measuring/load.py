"""A load generator: it asks a server's page many times, and measures what the clients see.

    load(url, clients=100, requests=1000)    # each client asks again as soon as it is answered
    load(url, rate=200, requests=100)        # 200 a second, whether the answers come or not

It runs in a process of its own, so that it shares no core's time with a notebook: it must be
quicker than what it measures. `share` and `late` of its result tell whether it was;
`services.instant()` is a server to try it on.

The process is kept for the next call, and ends with the one that started it.
"""

import math
import queue
import threading
import time
from urllib.parse import urlsplit

from helpers.basics.numbers import percentile
from helpers.measuring.clients import Clients, Page, most_connections
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
        told = f"{self.answered} answered in {self.seconds:.2f} s: {self.throughput:,.0f} a second"
        if self.answered:
            told += f", p50 {1000 * self.p50:.1f} ms, p99 {1000 * self.p99:.1f} ms"
        return f"{told}, errors: {failed or 'none'}"


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


def measure(
    url: str, requests: int, clients: int | None, rate: float | None, timeout: float, keep: bool
) -> dict:
    """Do one job; return what `Load` is made of."""
    page = Page(url, keep)
    asking = Clients(page.address, page, timeout)
    begin, cpu = time.perf_counter(), time.process_time()
    if rate is None:
        asking.in_turn(requests, most_connections(min(clients, requests)))
    else:
        asking.at_rate(rate, requests)
    seconds = time.perf_counter() - begin
    share = (time.process_time() - cpu) / seconds
    asking.close()
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
            found = measure(**jobs.get())
        except Exception as error:
            found = {"failed": f"{type(error).__name__}: {error}"}
        parent.say(found)


if __name__ == "__main__":
    _serve()
