"""Exercises of lesson 23: the crawler in its parts, and then the whole."""

import asyncio
import collections
import contextlib
import itertools
import json
import math
import random
import time

import httpx

from helpers.coach import Exercise, Wrong, right, wrong

SOON = 1e-6  # seconds: virtual times that differ by less are the same moment


def now():
    """Seconds on the running loop's clock."""
    return asyncio.get_running_loop().time()


class Ask:
    """What becomes of the first, second, ... request for a page: a status, OSError or "hang"."""

    TAKES = 0.1  # seconds
    MOST = 12  # requests; who asks more often never gives up

    def __init__(self, lab, outcomes):
        self.lab, self.outcomes, self.began, self.ended = lab, list(outcomes), [], []

    @property
    def pauses(self):
        """Seconds between the end of one try and the beginning of the next."""
        return [began - ended for ended, began in zip(self.ended, self.began[1:])]

    async def __call__(self, page):
        if len(self.began) == self.MOST:
            raise Wrong(
                "never gives up",
                f"It asked {self.MOST} times and went on.",
                self.lab.line(r"\bwhile\b|\bfor\b"),
                "Count the tries: five, no more.",
            )
        self.began.append(now())
        outcome = self.outcomes.pop(0) if self.outcomes else 200
        try:
            await asyncio.sleep(3600 if outcome == "hang" else self.TAKES)
        finally:
            self.ended.append(now())
        if outcome is OSError:
            raise OSError("connection lost")
        return (outcome, f"body of {page}" if outcome == 200 else "")


class OnePage(Exercise):
    """One page, with patience and an end

    `ask(page)` is a coroutine function. It returns a status and a body, as `(200, "...")`; or it
    raises `OSError` because the connection was lost; or it hangs.

    Write `get_page(ask, page)`, a coroutine function.

    - It returns the body of the first answer whose status is 200.
    - A try may take 1 s; one that takes longer is cancelled.
    - After a 429, a 503, an `OSError` or a try that took too long it asks again, five times in all.
      Before it does so it pauses: by lot between 0 and 0.1 s before the second try, between 0 and
      0.2 s before the third, and so on, each time up to twice as long.
    - After any other status, or after the fifth try, a `ValueError` comes out at once.
    - All of it may take 4 s. Then a `TimeoutError` comes out.
    """

    id = "crawl-page-1"
    asks = "get_page"
    minutes, clock = 12, "virtual"
    hints = (
        "There are two limits of time: one for each try, one for all of them. Which stands inside "
        "the loop, and which around it?",
        "A `TimeoutError` is an `OSError`: one `except` catches both. The outer limit's does not "
        "arrive there; inside, it is a cancellation.",
        "`async with asyncio.timeout(4):` around `for attempt in range(5):`, in which a `try` "
        "holds `async with asyncio.timeout(1): status, body = await ask(page)`. After the "
        "try: return, raise, or `await asyncio.sleep(random.uniform(0, 0.1 * 2**attempt))`, but "
        "not after the fifth.",
    )

    def verify(self, get_page, lab):
        ask, error, run = self.tried(get_page, lab, "whose first answer is 200")
        self.body(lab, ask, error, run, tries=1)
        ask, error, run = self.tried(get_page, lab, "that is not there (404)", 404)
        if len(ask.began) > 1:
            raise Wrong(
                "retried",
                f"The page is not there (404), and it asked {len(ask.began)} times.",
                lab.line(r"\bexcept\b|status"),
            )
        self.failed(lab, error, run, "404", ValueError)
        firsts = []
        for _ in range(4):
            ask, error, run = self.tried(
                get_page,
                lab,
                "whose tries end with 503, OSError, 429, 503 and 200",
                503,
                OSError,
                429,
                503,
            )
            if isinstance(error, OSError):
                raise Wrong(
                    "lost the page",
                    "A connection was lost (OSError), and it gave up.",
                    lab.line("except"),
                    "The same request may succeed the next time.",
                )
            self.body(lab, ask, error, run, tries=5)
            self.pauses(lab, ask)
            firsts.append(tuple(ask.pauses))
        if not any(sum(pauses) for pauses in firsts):
            raise Wrong(
                "no pause",
                "It asked again at once.",
                lab.line(r"\bfor\b|\bwhile\b"),
                "A server that is overloaded needs a moment: "
                "`await asyncio.sleep(random.uniform(0, longest))`.",
            )
        if len({round(pause, 6) for pause, *_ in firsts}) == 1:
            raise Wrong(
                "no jitter",
                f"In four runs the first pause was {firsts[0][0]:g} s each time.",
                lab.line(r"sleep\("),
                "Draw it by lot, `random.uniform(0, longest)`, or all who failed together "
                "come back together.",
            )
        if not any(pauses[3] > 0.4 for pauses in firsts + self.more(get_page, lab)):
            raise Wrong(
                "pauses that don't grow",
                "In sixteen runs the pause before the fifth try "
                "was never longer than 0.4 s; it may be up to 0.8 s.",
                lab.line(r"uniform|sleep\("),
                "0.1 s, doubled for each try that failed.",
            )
        ask, error, run = self.tried(get_page, lab, "that hangs once", "hang")
        if isinstance(error, TimeoutError) or run and run.elapsed > 3:
            raise Wrong(
                "hung with the page",
                f"The first try hung, and it waited for it until {now_said(ask.ended[0])}.",
                lab.line(r"await\s+\w*ask"),
                "Each try needs a limit of its own: `async with asyncio.timeout(1):`.",
            )
        self.body(lab, ask, error, run, tries=2)
        ask, error, run = self.tried(get_page, lab, "that answers 503 each time", *[503] * 20)
        self.failed(lab, error, run, "503 for the fifth time", ValueError)
        if len(ask.began) != 5:
            raise Wrong(
                "counted wrong",
                f"Asked are five tries; it made {len(ask.began)}.",
                lab.line(r"range\(|\bwhile\b"),
            )
        if run.elapsed > ask.ended[-1] + SOON:
            raise Wrong(
                "paused for nothing",
                "It paused after the fifth try, too, and only then raised the error.",
                lab.line(r"sleep\("),
                "After the last try there is nothing to wait for.",
            )
        ask, error, run = self.tried(get_page, lab, "that hangs each time", *["hang"] * 20)
        if ask.ended[-1] > 4.001:
            raise Wrong(
                "no deadline",
                f"Every try hung. It went on until {ask.ended[-1]:.1f} s; all of it may take 4 s.",
                lab.line("timeout|wait_for"),
                "Timeouts do not add up: put one `async with asyncio.timeout(4):` around "
                "all the tries.",
            )
        self.failed(lab, error, run, "hangs for 4 s", TimeoutError)
        lab.told("with a page that hangs, and cancelled it")
        run = lab.run(get_page(Ask(lab, ["hang"] * 20), "/tea"), cancel_after=0.5)
        if run.elapsed > 0.5 + SOON:
            raise Wrong(
                "swallowed",
                f"I cancelled it after 0.5 s, and it went on until {run.elapsed:.1f} s.",
                lab.line("except|suppress"),
            )

    def tried(self, get_page, lab, what, *outcomes):
        """Run it once: what was asked, the error that came out or None, the run."""
        lab.told(f"with a page {what}")
        ask = Ask(lab, outcomes)
        expected = (ValueError, TimeoutError, OSError)
        came = []

        async def scene():
            try:
                return await lab.awaitable(get_page(ask, "/tea"))
            except expected as error:
                came.append(error)

        run = lab.run(scene())
        return ask, came[0] if came else None, run

    def more(self, get_page, lab):
        runs = [
            self.tried(get_page, lab, "that fails four times", 503, 503, 503, 503)
            for _ in range(12)
        ]
        return [tuple(ask.pauses) for ask, _, _ in runs]

    def body(self, lab, ask, error, run, tries):
        if isinstance(error, ValueError) and len(ask.began) < tries:
            raise Wrong(
                "lost the page",
                f"It gave up after try {len(ask.began)}; the next one might have succeeded.",
                lab.line("raise"),
            )
        if error is not None:
            raise error
        if isinstance(run.result, tuple):
            raise Wrong(
                "value",
                f"It returned {run.result!r}; asked is the body alone.",
                lab.line(r"\breturn\b"),
            )
        lab.equal(run.result, "body of /tea")
        if len(ask.began) > tries:
            raise Wrong(
                "asked too often",
                f"It asked {len(ask.began)} times; try {tries} had succeeded.",
                lab.line(r"\breturn\b"),
            )

    def failed(self, lab, error, run, what, kind):
        if isinstance(error, kind):
            return
        if error is not None:
            raise Wrong(
                "another error",
                f"The page {what}, and {type(error).__name__} came out; asked is {kind.__name__}.",
                lab.line("raise"),
                "",
            )
        raise Wrong(
            "lost error",
            f"The page {what}, and it returned {run.result!r} as if that were an answer.",
            lab.line(r"\breturn\b"),
            f"A {kind.__name__} must come out.",
        )

    def pauses(self, lab, ask):
        for number, pause in enumerate(ask.pauses):
            longest = 0.1 * 2**number
            if pause > longest + SOON:
                raise Wrong(
                    "paused too long",
                    f"Before try {number + 2} it paused {pause:.2f} s; "
                    f"at most {longest:g} s are asked.",
                    lab.line(r"uniform|sleep\("),
                    "The first pause is up to 0.1 s, and each is up to twice the last.",
                )

    @right
    async def a_limit_in_a_limit(ask, page):
        """Return the body of the page; try up to five times, for up to 4 s."""
        async with asyncio.timeout(4):
            for attempt in range(5):
                if attempt:
                    await asyncio.sleep(random.uniform(0, 0.05 * 2**attempt))
                with contextlib.suppress(OSError):
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                    if status == 200:
                        return body
                    if status not in (429, 503):
                        raise ValueError(status)
        raise ValueError("five tries in vain")

    @right
    async def with_wait_for(ask, page):
        async def tries():
            for attempt in range(5):
                try:
                    status, body = await asyncio.wait_for(ask(page), 1)
                except OSError:
                    status = 503
                if status == 200:
                    return body
                if status not in (429, 503) or attempt == 4:
                    raise ValueError(f"no page: {status}")
                await asyncio.sleep(random.random() * 0.1 * 2**attempt)

        return await asyncio.wait_for(tries(), 4)

    @wrong("hung with the page", says="a limit of its own")
    async def only_a_deadline(ask, page):
        async with asyncio.timeout(4):
            for attempt in range(5):
                if attempt:
                    await asyncio.sleep(random.uniform(0, 0.05 * 2**attempt))
                with contextlib.suppress(OSError):
                    status, body = await ask(page)
                    if status == 200:
                        return body
                    if status not in (429, 503):
                        raise ValueError(status)
        raise ValueError("five tries in vain")

    @wrong("no deadline", says="do not add up")
    async def only_a_limit_each(ask, page):
        for attempt in range(5):
            if attempt:
                await asyncio.sleep(random.uniform(0, 0.05 * 2**attempt))
            with contextlib.suppress(OSError):
                async with asyncio.timeout(1):
                    status, body = await ask(page)
                if status == 200:
                    return body
                if status not in (429, 503):
                    raise ValueError(status)
        raise ValueError("five tries in vain")

    @wrong("retried", says="404")
    async def catches_its_own(ask, page):
        async with asyncio.timeout(4):
            for attempt in range(5):
                try:
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                    if status == 200:
                        return body
                    raise ValueError(status)
                except Exception:
                    await asyncio.sleep(random.uniform(0, 0.1 * 2**attempt))
        raise ValueError("five tries in vain")

    @wrong("no jitter", says="come back together")
    async def equal_pauses(ask, page):
        async with asyncio.timeout(4):
            for attempt in range(5):
                if attempt:
                    await asyncio.sleep(0.05 * 2**attempt)
                with contextlib.suppress(OSError):
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                    if status == 200:
                        return body
                    if status not in (429, 503):
                        raise ValueError(status)
        raise ValueError("five tries in vain")

    @wrong("pauses that don't grow", says="doubled for each try")
    async def short_pauses(ask, page):
        async with asyncio.timeout(4):
            for attempt in range(5):
                if attempt:
                    await asyncio.sleep(random.uniform(0, 0.1))
                with contextlib.suppress(OSError):
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                    if status == 200:
                        return body
                    if status not in (429, 503):
                        raise ValueError(status)
        raise ValueError("five tries in vain")

    @wrong("never gives up", says="five, no more")
    async def for_ever(ask, page):
        longest = 0.1
        async with asyncio.timeout(4):
            while True:
                with contextlib.suppress(OSError):
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                    if status == 200:
                        return body
                    if status not in (429, 503):
                        raise ValueError(status)
                await asyncio.sleep(random.uniform(0, longest))
                longest = min(2 * longest, 0.8) if longest < 0.8 else 0.01

    @wrong("lost error", says="503 for the fifth time")
    async def ends_in_silence(ask, page):
        async with asyncio.timeout(4):
            for attempt in range(5):
                if attempt:
                    await asyncio.sleep(random.uniform(0, 0.05 * 2**attempt))
                with contextlib.suppress(OSError):
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                    if status == 200:
                        return body
                    if status not in (429, 503):
                        raise ValueError(status)

    @wrong("paused for nothing", says="nothing to wait for")
    async def pauses_at_the_end(ask, page):
        async with asyncio.timeout(4):
            for attempt in range(5):
                with contextlib.suppress(OSError):
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                    if status == 200:
                        return body
                    if status not in (429, 503):
                        raise ValueError(status)
                await asyncio.sleep(random.uniform(0, 0.1 * 2**attempt))
        raise ValueError("five tries in vain")

    @wrong("swallowed", says="cancelled")
    async def catches_everything(ask, page):
        async with asyncio.timeout(4):
            for attempt in range(5):
                if attempt:
                    await asyncio.sleep(random.uniform(0, 0.05 * 2**attempt))
                status = None
                try:
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                except BaseException:
                    if asyncio.get_running_loop().time() > 3.9:
                        raise
                if status == 200:
                    return body
                if status not in (None, 429, 503):
                    raise ValueError(status)
        raise ValueError("five tries in vain")

    @wrong("blocked", says="time.sleep")
    async def pauses_the_loop(ask, page):
        async with asyncio.timeout(4):
            for attempt in range(5):
                if attempt:
                    time.sleep(random.uniform(0, 0.05 * 2**attempt))
                with contextlib.suppress(OSError):
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                    if status == 200:
                        return body
                    if status not in (429, 503):
                        raise ValueError(status)
        raise ValueError("five tries in vain")


def now_said(seconds):
    return "the deadline" if seconds < 5 else f"{seconds:g} s"


class Starts:
    """A coroutine function that notes when it was called for what, and how many are under way."""

    def __init__(self, seconds):
        self.seconds, self.starts, self.flying, self.peak = seconds, [], 0, 0

    async def __call__(self, page):
        self.starts.append((now(), page))
        self.flying += 1
        self.peak = max(self.peak, self.flying)
        try:
            await asyncio.sleep(self.seconds[page])
        finally:
            self.flying -= 1
        return page.upper()


def soonest(seconds, most, apart):
    """When each may begin at the soonest, in turn; and when the last one ends."""
    ends, begins = [0.0] * most, []
    for each in seconds:
        place = ends.index(min(ends))
        begin = max(ends[place], begins[-1] + apart if begins else 0.0)
        begins.append(begin)
        ends[place] = begin + each
    return begins, max(ends)


class TwoLimits(Exercise):
    """Two limits at once

    `fetch(page)` is a coroutine function. Write `fetch_all(fetch, pages, most, apart)`, a coroutine
    function: it fetches all the `pages` and returns the list of what `fetch` returned, in the order
    of `pages`.

    - At most `most` fetches are under way at once.
    - Between the starts of any two fetches lie at least `apart` seconds.
    - They start in the order of `pages`, each as soon as the two limits allow, and when the last
      has ended it returns.

    The check runs on a clock that jumps: `asyncio.get_running_loop().time()` tells its time.
    """

    id = "crawl-limit-1"
    asks = "fetch_all"
    minutes, clock = 12, "virtual"
    hints = (
        "Which of the two must a fetch have first: its place, or its moment? What becomes of a "
        "moment if there is still no place when it comes?",
        "Whoever has a moment must start in it. So first the place, then the moment.",
        "`places = asyncio.Semaphore(most)`; in it `mine = max(now, next)`, `next = mine + apart` "
        "(with nothing awaited in between), `await asyncio.sleep(mine - now)`, then the fetch. One "
        "`next` for all.",
    )

    def verify(self, fetch_all, lab):
        scenes = (
            ({page: 1 for page in "abcdefgh"}, 3, 0.5, "each takes 1 s"),
            ({page: 1 for page in "abcdefgh"}, 2, 0.1, "each takes 1 s"),
            (dict(zip("abcdefg", (3, 1, 1, 1, 2, 1, 1))), 2, 0.4, "they take 1 to 3 s"),
            (dict(zip("abcdef", (3, 3, 0.5, 0.5, 1, 1))), 2, 1, "they take 0.5 to 3 s"),
            ({page: 1 for page in "abc"}, 1, 3, "each takes 1 s"),
            ({}, 2, 1, "there are none"),
        )
        for seconds, most, apart, what in scenes:
            pages, fetch = list(seconds), Starts(seconds)
            lab.told(f"with {len(pages)} pages ({what}), most={most}, apart={apart}")
            run = lab.run(meet_later(lab, fetch_all, fetch, pages, most, apart))
            lab.equal(run.result, [page.upper() for page in pages])
            self.judge(lab, run, fetch, seconds, most, apart)

    def judge(self, lab, run, fetch, seconds, most, apart):
        starts = [start for start, _ in fetch.starts]
        lab.limited(fetch.peak, at_most=most, what="fetches")
        gaps = [later - sooner for sooner, later in itertools.pairwise(starts)]
        if gaps and min(gaps) < apart - SOON:
            number = gaps.index(min(gaps))
            other = lab.line(r"\b(monotonic|perf_counter|time\.time)\(")
            if other:
                raise Wrong(
                    "another clock",
                    "It asked the computer's clock, which hardly moves "
                    "while the loop's clock jumps.",
                    other,
                    "`asyncio.get_running_loop().time()` is the clock of `sleep`.",
                )
            if min(gaps) < SOON:
                raise Wrong(
                    "too soon after another",
                    f"Two fetches began at once, at "
                    f"{starts[number + 1]:g} s; at least {apart:g} s must lie between.",
                    lab.line(r"sleep\(") or lab.line("await"),
                    "Who rests for itself does not know of the others. Share one `next` "
                    "moment: whoever takes it moves it on by `apart`.",
                )
            raise Wrong(
                "too soon after another",
                f"A fetch began {min(gaps):g} s after the one "
                f"before it, at {starts[number + 1]:g} s; at least {apart:g} s must lie "
                "between.",
                lab.line(r"sleep\("),
                "One clock for all, read by whoever already has a place: who takes a "
                "moment and then waits for a place starts later than its moment.",
            )
        if [page for _, page in fetch.starts] != list(seconds):
            raise Wrong(
                "order",
                f"They began in the order {' '.join(page for _, page in fetch.starts)}.",
                lab.line("create_task"),
                "Take the pages in turn.",
            )
        begins, end = soonest(seconds.values(), most, apart)
        if not starts or run.elapsed <= end + SOON:
            return
        took = f"It took {run.elapsed:g} s; the two limits allow {end:g} s."
        late = next(
            (n for n, (start, begin) in enumerate(zip(starts, begins)) if start > begin + SOON),
            None,
        )
        if fetch.peak == 1 and most > 1 and max(seconds.values()) > apart:
            raise Wrong("sequential", took, lab.text.sequential_await() or lab.line("await fetch"))
        if late is None:
            raise Wrong(
                "ended late",
                took,
                lab.line(r"sleep\("),
                "All had begun in time. Return when the last one has ended.",
            )
        raise Wrong(
            "began late",
            f"{took} Fetch {late + 1} could begin at {begins[late]:g} s, and "
            f"began at {starts[late]:g} s.",
            lab.line(r"sleep\(|gather|TaskGroup"),
            "A fetch begins as soon as there is a place and `apart` seconds have passed "
            "since the last start: no batches, and no pause where none is needed.",
        )

    @right
    async def a_place_then_a_moment(fetch, pages, most, apart):
        """Fetch all pages, in order; at most so many at once, and starts so far apart."""
        places, following = asyncio.Semaphore(most), 0.0
        clock = asyncio.get_running_loop().time

        async def one(page):
            nonlocal following
            async with places:
                mine = max(clock(), following)
                following = mine + apart
                await asyncio.sleep(mine - clock())
                return await fetch(page)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(page)) for page in pages]
        return [task.result() for task in tasks]

    @right
    async def workers_and_a_lock(fetch, pages, most, apart):
        found, left, door = {}, enumerate(pages), asyncio.Lock()
        clock = asyncio.get_running_loop().time
        last = None

        async def worker():
            nonlocal last
            while True:
                async with door:
                    number, page = next(left, (None, None))
                    if number is None:
                        return
                    if last is not None:
                        await asyncio.sleep(last + apart - clock())
                    last = clock()
                found[number] = await fetch(page)

        await asyncio.gather(*(worker() for _ in range(most)))
        return [found[number] for number in range(len(found))]

    @wrong("too soon after another", says="starts later than its moment")
    async def a_moment_then_a_place(fetch, pages, most, apart):
        places, following = asyncio.Semaphore(most), 0.0
        clock = asyncio.get_running_loop().time

        async def one(page):
            nonlocal following
            mine = max(clock(), following)
            following = mine + apart
            await asyncio.sleep(mine - clock())
            async with places:
                return await fetch(page)

        return await asyncio.gather(*(one(page) for page in pages))

    @wrong("too soon after another", says="does not know of the others")
    async def each_worker_rests(fetch, pages, most, apart):
        places = asyncio.Semaphore(most)

        async def one(page):
            async with places:
                result = await fetch(page)
                await asyncio.sleep(apart)
                return result

        return await asyncio.gather(*(one(page) for page in pages))

    @wrong("another clock", says="get_running_loop")
    async def by_the_computers_clock(fetch, pages, most, apart):
        places, following = asyncio.Semaphore(most), 0.0

        async def one(page):
            nonlocal following
            async with places:
                at = time.monotonic()
                mine = max(at, following)
                following = mine + apart
                await asyncio.sleep(mine - at)
                return await fetch(page)

        return await asyncio.gather(*(one(page) for page in pages))

    @wrong("limit", says="at most 2 may be")
    async def only_the_pace(fetch, pages, most, apart):
        tasks = []
        for number, page in enumerate(pages):
            if number:
                await asyncio.sleep(apart)
            tasks.append(asyncio.create_task(fetch(page)))
        return await asyncio.gather(*tasks)

    @wrong("sequential", says="the two limits allow")
    async def one_lock_for_all(fetch, pages, most, apart):
        clock = asyncio.get_running_loop().time
        door, found = asyncio.Lock(), []
        for page in pages:
            async with door:
                begun = clock()
                found.append(await fetch(page))
                if len(found) < len(pages):
                    await asyncio.sleep(begun + apart - clock())
        return found

    @wrong("began late", says="no batches")
    async def in_batches(fetch, pages, most, apart):
        clock = asyncio.get_running_loop().time
        found, last = [], None
        for first in range(0, len(pages), most):
            batch = []
            for page in pages[first : first + most]:
                if last is not None:
                    await asyncio.sleep(max(0, last + apart - clock()))
                last = clock()
                batch.append(asyncio.create_task(fetch(page)))
                await asyncio.sleep(0)
            found += await asyncio.gather(*batch)
        return found

    @wrong("order", says="the order asked")
    async def as_they_come(fetch, pages, most, apart):
        clock = asyncio.get_running_loop().time
        places, following, found = asyncio.Semaphore(most), 0.0, []

        async def one(page):
            nonlocal following
            async with places:
                mine = max(clock(), following)
                following = mine + apart
                await asyncio.sleep(mine - clock())
                found.append(await fetch(page))

        async with asyncio.TaskGroup() as group:
            for page in pages:
                group.create_task(one(page))
        return found


async def meet_later(lab, answer, *arguments):
    """Call the answer and await it, in a frame of ours."""
    return await lab.awaitable(answer(*arguments))


class Works:
    """fetch and parse of a pipeline, and what they saw: peaks, and how far one ran ahead."""

    def __init__(self, fetch_takes, parse_takes, errors):
        self.fetch_takes, self.parse_takes, self.errors = fetch_takes, parse_takes, errors
        self.fetching = self.fetch_peak = self.parsing = self.parse_peak = 0
        self.raw = self.ahead = 0  # pages that were fetched and are not parsed yet
        self.fetched, self.parsed = [], []
        self.early = 0  # parses that began while a page was being fetched

    async def fetch(self, page):
        self.fetched.append(page)
        self.fetching += 1
        self.fetch_peak = max(self.fetch_peak, self.fetching)
        try:
            await asyncio.sleep(self.fetch_takes)
        finally:
            self.fetching -= 1
        if isinstance(self.errors.get(page), OSError):
            raise self.errors[page]
        self.raw += 1
        self.ahead = max(self.ahead, self.raw)
        return f"raw {page}"

    async def parse(self, raw):
        page = raw.removeprefix("raw ") if isinstance(raw, str) else raw
        self.parsed.append(page)
        self.early += self.fetching > 0
        self.parsing += 1
        self.parse_peak = max(self.parse_peak, self.parsing)
        try:
            await asyncio.sleep(self.parse_takes)
        finally:
            self.parsing -= 1
        self.raw -= 1
        if isinstance(self.errors.get(page), ValueError):
            raise self.errors[page]
        return f"record {page}"


class TwoStages(Exercise):
    """Two stages, and nobody dies

    `fetch(page)` and `parse(raw)` are coroutine functions. Write `pipeline(fetch, parse, pages,
    workers, size)`, a coroutine function. Each page is fetched, and what `fetch` returned is
    parsed.

    - As long as there are pages to begin and room behind, `workers` fetches are under way at once,
      never more.
    - One page is parsed at a time, and the parsing begins as soon as something is there.
    - At most `size` fetched pages wait to be parsed. (Besides, each worker may hold one for which
      there is no room yet.)
    - If `fetch` or `parse` raises an exception, that page has failed, and all goes on.
    - It returns two dicts when all is done: from each page to what `parse` returned, and from each
      page that failed to its exception.
    """

    id = "crawl-pipeline-1"
    asks = "pipeline"
    minutes, clock = 15, "virtual"
    hints = (
        "Which errors may end a worker? Who would then take its next page?",
        "A bounded queue between the two stages. A worker catches `Exception` around the fetch, "
        "the parser around the parse, and both note it beside the page.",
        "Put `(page, raw)` into `Queue(size)`. When all workers have ended, put one `None` (or "
        "shut the queue down): for the one parser that is enough. Two nested TaskGroups do it: "
        "the parser in the outer one, the workers in the inner.",
    )

    def verify(self, pipeline, lab):
        pages = [f"/{number}" for number in range(12)]
        self.scene(pipeline, lab, pages[:3], 2, 2, 1, 0.5, {})
        self.scene(pipeline, lab, pages, 3, 2, 1, 0.5, {})
        self.scene(pipeline, lab, pages, 3, 2, 0.1, 1, {})
        self.scene(
            pipeline,
            lab,
            pages,
            3,
            2,
            1,
            0.1,
            {
                "/2": OSError("connection lost"),
                "/5": ValueError("no name"),
                "/6": OSError("connection lost"),
                "/7": OSError("connection lost"),
            },
        )
        self.scene(pipeline, lab, [], 2, 1, 1, 1, {})

    def scene(self, pipeline, lab, pages, workers, size, fetch_takes, parse_takes, errors):
        works = Works(fetch_takes, parse_takes, errors)
        what = (
            f"with {len(pages)} pages, workers={workers}, size={size}; a fetch takes "
            f"{fetch_takes:g} s, a parse {parse_takes:g} s"
        )
        if errors:
            what += f"; {len(errors)} of the pages fail"
        lab.told(what)
        try:
            run = lab.run(
                meet_later(lab, pipeline, works.fetch, works.parse, list(pages), workers, size)
            )
        except (OSError, ValueError, ExceptionGroup) as error:
            first = error
            while isinstance(first, ExceptionGroup):
                first = first.exceptions[0]
            if first not in errors.values():
                raise
            raise Wrong(
                "one page ended all",
                f"{len(errors)} pages fail, and "
                f"{type(first).__name__}: {first} came out; {len(pages) - len(errors)} "
                "others were lost with them.",
                lab.line(r"await\s+(fetch|parse)\("),
                "Catch what the work raises where it is awaited, and keep it beside its page.",
            ) from None
        self.results(lab, run, pages, errors)
        lab.limited(works.fetch_peak, at_most=workers, what="fetches")
        lab.limited(works.parse_peak, at_most=1, what="parses")
        if works.early == 0 and works.ahead == len(pages) > workers:
            raise Wrong(
                "batch barrier",
                "Parsing began when all fetches were over.",
                lab.line(r"gather|TaskGroup|\.join\("),
                "Start the parser before the workers, and let it take what comes.",
            )
        if works.ahead > size + workers + 1:
            raise Wrong(
                "unbounded",
                f"{works.ahead} pages had been fetched and were not parsed "
                f"yet; {size} may wait, {workers} may be in the hands of the workers, "
                "and one is being parsed.",
                lab.line(r"\bQueue\(|gather"),
            )
        self.pace(lab, run, works, pages, workers, fetch_takes, parse_takes)

    def results(self, lab, run, pages, errors):
        if not (
            isinstance(run.result, tuple)
            and len(run.result) == 2
            and all(isinstance(part, dict) for part in run.result)
        ):
            raise Wrong(
                "value",
                f"It returned {run.result!r:.90}; asked are two dicts.",
                lab.line(r"\breturn\b"),
            )
        records, failed = run.result
        lost = [page for page in pages if page not in records and page not in failed]
        full = [page for page, error in failed.items() if isinstance(error, asyncio.QueueFull)]
        if full:
            raise Wrong(
                "full queue",
                f"{full[0]} was fetched, there was no room for it, and it counts as failed.",
                lab.line("put_nowait"),
            )
        nones = lab.line(r"put(_nowait)?\(None\)|\.shutdown\(|\.cancel\(")
        if lost and nones and not failed.keys() & lost and lost == pages[-len(lost) :]:
            raise Wrong(
                "the end too soon",
                f"{len(lost)} of {len(pages)} pages are in neither "
                f"dict, and they are the last ones: {', '.join(lost[:4])}.",
                nones,
                "The parser was ended while pages were still on their way to it. Say the "
                "end once, behind the last page: when all workers have ended, and through "
                "the queue.",
            )
        if lost:
            raise Wrong(
                "lost pages",
                f"{len(lost)} of {len(pages)} pages are in neither dict: {', '.join(lost[:4])}.",
                lab.line("except|suppress"),
                "Each page ends in one of the two, whatever happens to it.",
            )
        lab.equal(
            records,
            {page: f"record {page}" for page in pages if page not in errors},
            what="the first dict is",
        )
        lab.equal(failed, errors, what="the second dict is")

    def pace(self, lab, run, works, pages, workers, fetch_takes, parse_takes):
        rounds = -(-len(pages) // workers)
        fetches, parses = rounds * fetch_takes, len(pages) * parse_takes
        best = max(fetch_takes + parses, fetches + parse_takes) if pages else 0
        # A page that fails, and the order of the last ones, may cost or spare a parse or two.
        if run.elapsed <= best + 2 * min(fetch_takes, parse_takes) + SOON:
            return
        took = f"It took {run.elapsed:g} s; {best:g} s are enough."
        if works.fetch_peak == 1 and workers > 1:
            raise Wrong("sequential", took, lab.text.sequential_await() or lab.line("await fetch"))
        raise Wrong(
            "left a stage idle",
            took,
            lab.line(r"sleep\(|wait_for|timeout|gather"),
            "Whoever waits for a page or for room is woken in that moment by "
            "`await queue.get()` and `await queue.put(item)`.",
        )

    @right
    async def two_groups(fetch, parse, pages, workers, size):
        """Return two dicts: the record of each page, and the error of each that failed."""
        raws, records, failed, left = asyncio.Queue(size), {}, {}, iter(pages)

        async def fetcher():
            for page in left:
                try:
                    raw = await fetch(page)
                except Exception as error:
                    failed[page] = error
                else:
                    await raws.put((page, raw))

        async def parser():
            while (item := await raws.get()) is not None:
                page, raw = item
                try:
                    records[page] = await parse(raw)
                except Exception as error:
                    failed[page] = error

        async with asyncio.TaskGroup() as outer:
            outer.create_task(parser())
            async with asyncio.TaskGroup() as inner:
                for _ in range(workers):
                    inner.create_task(fetcher())
            await raws.put(None)
        return records, failed

    @right
    async def joined(fetch, parse, pages, workers, size):
        todo, raws, records, failed = asyncio.Queue(), asyncio.Queue(size), {}, {}
        for page in pages:
            todo.put_nowait(page)

        async def work_on(inbox, work):
            while True:
                item = await inbox.get()
                try:
                    await work(item)
                except Exception as error:
                    failed[item[0] if inbox is raws else item] = error
                finally:
                    inbox.task_done()

        async def fetching(page):
            await raws.put((page, await fetch(page)))

        async def parsing(item):
            records[item[0]] = await parse(item[1])

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work_on(todo, fetching)) for _ in range(workers)]
            tasks.append(group.create_task(work_on(raws, parsing)))
            await todo.join()
            await raws.join()
            for task in tasks:
                task.cancel()
        return records, failed

    @wrong("unbounded", says="not parsed yet")
    async def no_bound(fetch, parse, pages, workers, size):
        raws, records, failed, left = asyncio.Queue(), {}, {}, iter(pages)

        async def fetcher():
            for page in left:
                try:
                    await raws.put((page, await fetch(page)))
                except Exception as error:
                    failed[page] = error

        async def parser():
            while (item := await raws.get()) is not None:
                try:
                    records[item[0]] = await parse(item[1])
                except Exception as error:
                    failed[item[0]] = error

        async with asyncio.TaskGroup() as outer:
            outer.create_task(parser())
            async with asyncio.TaskGroup() as inner:
                for _ in range(workers):
                    inner.create_task(fetcher())
            await raws.put(None)
        return records, failed

    @wrong("one page ended all", says="were lost with them")
    async def fetchers_die(fetch, parse, pages, workers, size):
        raws, records, failed, left = asyncio.Queue(size), {}, {}, iter(pages)

        async def fetcher():
            for page in left:
                await raws.put((page, await fetch(page)))

        async def parser():
            while (item := await raws.get()) is not None:
                try:
                    records[item[0]] = await parse(item[1])
                except Exception as error:
                    failed[item[0]] = error

        async with asyncio.TaskGroup() as outer:
            outer.create_task(parser())
            async with asyncio.TaskGroup() as inner:
                for _ in range(workers):
                    inner.create_task(fetcher())
            await raws.put(None)
        return records, failed

    @wrong("one page ended all", says="no name")
    async def the_parser_dies(fetch, parse, pages, workers, size):
        raws, records, failed, left = asyncio.Queue(size), {}, {}, iter(pages)

        async def fetcher():
            for page in left:
                try:
                    await raws.put((page, await fetch(page)))
                except Exception as error:
                    failed[page] = error

        async def parser():
            while (item := await raws.get()) is not None:
                records[item[0]] = await parse(item[1])

        async with asyncio.TaskGroup() as outer:
            outer.create_task(parser())
            async with asyncio.TaskGroup() as inner:
                for _ in range(workers):
                    inner.create_task(fetcher())
            await raws.put(None)
        return records, failed

    @wrong("the end too soon", says="behind the last page")
    async def each_says_the_end(fetch, parse, pages, workers, size):
        queue, records, failed, tap = asyncio.Queue(size), {}, {}, iter(pages)

        async def fetcher():
            for page in tap:
                try:
                    await queue.put((page, await fetch(page)))
                except Exception as error:
                    failed[page] = error
            await queue.put(None)

        async def parser():
            while (item := await queue.get()) is not None:
                page, raw = item
                try:
                    records[page] = await parse(raw)
                except Exception as error:
                    failed[page] = error

        async with asyncio.TaskGroup() as group:
            group.create_task(parser())
            for _ in range(workers):
                group.create_task(fetcher())
        return records, failed

    @wrong("full queue", says="no room for it")
    async def puts_without_waiting(fetch, parse, pages, workers, size):
        queue, records, failed, tap = asyncio.Queue(size), {}, {}, iter(pages)

        async def fetcher():
            for page in tap:
                try:
                    queue.put_nowait((page, await fetch(page)))
                except Exception as error:
                    failed[page] = error

        async def parser():
            while (item := await queue.get()) is not None:
                page, raw = item
                try:
                    records[page] = await parse(raw)
                except Exception as error:
                    failed[page] = error

        async with asyncio.TaskGroup() as outer:
            outer.create_task(parser())
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(fetcher())
            await queue.put(None)
        return records, failed

    @wrong("lost pages", says="in neither dict")
    async def looks_away(fetch, parse, pages, workers, size):
        raws, records, failed, left = asyncio.Queue(size), {}, {}, iter(pages)

        async def fetcher():
            for page in left:
                with contextlib.suppress(Exception):
                    await raws.put((page, await fetch(page)))

        async def parser():
            while (item := await raws.get()) is not None:
                try:
                    records[item[0]] = await parse(item[1])
                except Exception as error:
                    failed[item[0]] = error

        async with asyncio.TaskGroup() as outer:
            outer.create_task(parser())
            async with asyncio.TaskGroup() as inner:
                for _ in range(workers):
                    inner.create_task(fetcher())
            await raws.put(None)
        return records, failed

    @wrong("deadlock", says="Queue.get")
    async def no_end(fetch, parse, pages, workers, size):
        raws, records, failed, left = asyncio.Queue(size), {}, {}, iter(pages)

        async def fetcher():
            for page in left:
                try:
                    await raws.put((page, await fetch(page)))
                except Exception as error:
                    failed[page] = error

        async def parser():
            while True:
                page, raw = await raws.get()
                try:
                    records[page] = await parse(raw)
                except Exception as error:
                    failed[page] = error

        async with asyncio.TaskGroup() as group:
            group.create_task(parser())
            for _ in range(workers):
                group.create_task(fetcher())
        return records, failed

    @wrong("limit", says="parses were in flight")
    async def each_worker_parses(fetch, parse, pages, workers, size):
        records, failed, left = {}, {}, iter(pages)

        async def worker():
            for page in left:
                try:
                    records[page] = await parse(await fetch(page))
                except Exception as error:
                    failed[page] = error

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
        return records, failed

    @wrong("batch barrier", says="when all fetches were over")
    async def first_all_then_all(fetch, parse, pages, workers, size):
        raws, records, failed, left = {}, {}, {}, iter(pages)

        async def fetcher():
            for page in left:
                try:
                    raws[page] = await fetch(page)
                except Exception as error:
                    failed[page] = error

        await asyncio.gather(*(fetcher() for _ in range(workers)))
        for page, raw in raws.items():
            try:
                records[page] = await parse(raw)
            except Exception as error:
                failed[page] = error
        return records, failed


class Stopping(Exercise):
    """A clean stop

    `fetch(page)` is a coroutine function. `todo` is a `collections.deque` of pages, `done` a dict,
    `stop` an `asyncio.Event`. Write `crawl(fetch, todo, done, workers, stop, grace)`, a coroutine
    function.

    - So many workers take pages from the left end of `todo`, fetch them, and put what came into
      `done`, under the page.
    - Once `stop` is set, nobody begins another page. Who has one may finish it within `grace`
      seconds; who needs longer is cancelled.
    - If `crawl` itself is cancelled, it cancels its workers at once, and the cancellation comes
      out.
    - A page that was begun and is not done goes back into `todo`, at either end. In the end each
      page is in `todo` or in `done`, once.
    - It returns as soon as there is nothing left to wait for, and then nothing of it runs any more.
      What it returns is of no matter.
    """

    id = "crawl-stop-1"
    asks = "crawl"
    minutes, clock = 15, "virtual"
    hints = (
        "Three ends: nothing is left to do, `stop` and its grace, a cancellation. In which of them "
        "is a page in the hands of a worker, and who knows which one?",
        "The worker itself knows its page: `except asyncio.CancelledError:` give it back, `raise`. "
        "Then all three ends can be the same to it.",
        "In a TaskGroup: the workers, and one task more that awaits `stop.wait()`, sleeps for "
        "`grace` and cancels the workers. `await asyncio.wait(tasks)`, then cancel that task. The "
        "group sees to a cancellation from outside.",
    )

    def verify(self, crawl, lab):
        self.scene(crawl, lab, dict.fromkeys("abcde", 1.03), None, 1, done="abcde", ends=3.09)
        self.scene(crawl, lab, dict(a=1), None, 1, done="a", ends=1)
        seconds = dict(a=1, b=5, c=1, d=1, e=1, f=1)
        self.scene(crawl, lab, seconds, 2.53, 1, done="acd", ends=3.53)
        self.scene(
            crawl, lab, dict(a=1, b=3, c=1, d=1.5, e=1, f=1), 2.53, 10, done="abcd", ends=3.5
        )
        self.scene(crawl, lab, seconds, 0, 1, done="", ends=0)
        self.scene(crawl, lab, seconds, None, 1, done="ac", ends=2.5, cancelled=2.5)
        self.scene(crawl, lab, seconds, 2.53, 60, done="acd", ends=4, cancelled=4)

    def scene(self, crawl, lab, seconds, stopped, grace, done, ends, cancelled=None):
        pages, found = collections.deque(seconds), {}
        fetch = lab.service(seconds)
        what = f"with {len(seconds)} pages and 2 workers"
        if stopped is not None:
            what += f", set `stop` after {stopped:g} s (grace={grace:g})"
        if cancelled is not None:
            what += f", and cancelled it after {cancelled:g} s"
        lab.told(what)

        async def scene():
            stop = asyncio.Event()
            if stopped == 0:
                stop.set()
            elif stopped is not None:
                asyncio.get_running_loop().call_later(stopped, stop.set)
            await lab.awaitable(crawl(fetch_once, pages, found, 2, stop, grace))

        async def fetch_once(page):
            if fetch.calls.count(page) > 2:
                again.append(page)
                raise RuntimeError("fetched three times")
            return await fetch(page)

        again = []
        try:
            run = lab.run(scene(), cancel_after=cancelled)
        except Exception as error:
            if not again:
                raise self.better(lab, error) from None
            raise Wrong(
                "fetched again and again",
                f"{again[0]!r} was fetched three times, and would be for ever.",
                lab.line(r"append|extend|insert"),
                "A page goes back into `todo` if it is not done, and after its worker was "
                "cancelled; the grace begins with `stop`.",
            ) from None
        self.began(lab, fetch, stopped, cancelled)
        self.kept(lab, fetch, pages, found, seconds, stopped, cancelled)
        lab.limited(fetch.peak, at_most=2, what="fetches")
        if run.elapsed > ends + SOON:
            self.late(lab, run, fetch, ends, stopped, cancelled)
        missing = [page for page in done if page not in found]
        if missing:
            if cancelled is None and stopped is not None:
                raise Wrong(
                    "dropped requests",
                    f"{missing[0]!r} was under way when `stop` was "
                    f"set, and would have been done within the {grace:g} s of grace. It "
                    "was cancelled.",
                    lab.line(r"\.cancel\("),
                    "Cancel only what is late: `asyncio.wait(tasks, timeout=grace)` first.",
                )
            raise Wrong(
                "lost pages",
                f"It returned, and {missing[0]!r} was never fetched.",
                lab.line("while|for"),
            )
        lab.equal(found, {page: f"page {page}" for page in done}, what="`done` is")

    def better(self, lab, error):
        gathered = lab.line(r"gather\(")
        if (
            getattr(error, "kind", "") != "lost error"
            or "CancelledError" not in error.observed
            or not gathered
        ):
            return error
        return Wrong(
            "a gather that nobody awaits",
            "Its tasks were cancelled, and the "
            "CancelledError lay in the future that `gather` had returned.",
            gathered,
            "Await what `gather` returns. To wait with a limit, `asyncio.wait(tasks, "
            "timeout=...)` takes the tasks themselves.",
        )

    def began(self, lab, fetch, stopped, cancelled):
        if cancelled is not None and (
            len(fetch.calls) > 4 or stopped is None and len(set(fetch.calls)) < len(fetch.calls)
        ):
            raise Wrong(
                "swallowed",
                f"I cancelled it after {cancelled:g} s, and then a worker "
                f"began {fetch.calls[-1]!r}.",
                lab.line("except|suppress|finally"),
            )
        twice = [page for page, n in collections.Counter(fetch.calls).items() if n > 1]
        if twice:
            raise Wrong(
                "fetched twice",
                f"{twice[0]!r} was fetched twice.",
                lab.line("popleft"),
                "A page that a worker has taken is its own.",
            )
        if stopped and {"e", "f"} & set(fetch.calls) or stopped == 0 and fetch.calls:
            page = next(page for page in fetch.calls if page in "ef" or stopped == 0)
            raise Wrong(
                "went on after the stop",
                f"`stop` was set after {stopped:g} s, and then it began {page!r}.",
                lab.line(r"\bwhile\b|popleft"),
                "Before it takes another page a worker looks: `stop.is_set()`.",
            )

    def kept(self, lab, fetch, pages, found, seconds, stopped, cancelled):
        for page in seconds:
            places = pages.count(page) + (page in found)
            if places == 0:
                raise Wrong(
                    "lost pages",
                    f"{page!r} was begun and not finished; in the end it is "
                    "neither in `todo` nor in `done`.",
                    lab.line("popleft"),
                    "Give it back: `except asyncio.CancelledError: todo.append(page)`, "
                    "then `raise`.",
                )
            if places > 1:
                raise Wrong(
                    "given back twice",
                    f"{page!r} is in the end "
                    + (
                        "in `todo` and in `done`."
                        if page in found
                        else f"{places} times in `todo`."
                    ),
                    lab.line("append|extend"),
                    "Give back what was begun and is not done, and only that.",
                )

    def late(self, lab, run, fetch, ends, stopped, cancelled):
        took = f"It returned after {run.elapsed:g} s; asked is after {ends:g} s."
        if fetch.peak == 1 and len(fetch.calls) > 1:
            raise Wrong("sequential", took, lab.text.sequential_await() or lab.line("await fetch"))
        if cancelled is not None:
            raise Wrong(
                "swallowed",
                f"I cancelled it after {cancelled:g} s, and it went on until {run.elapsed:g} s.",
                lab.line("except|suppress|finally"),
            )
        if stopped is None or fetch.cancelled or run.elapsed > ends + 5:
            raise Wrong(
                "ended late",
                took,
                lab.line(r"sleep\(|wait_for|timeout|wait\("),
                "When the last worker has ended there is nothing left to wait for: not for "
                "`stop`, and not for the rest of the grace. And who looks now and then "
                "sees it late: `await` what will come.",
            )
        raise Wrong(
            "no limit to the grace",
            f"{took} A page that needs longer than the grace was waited for.",
            lab.line(r"grace|wait\(|gather|TaskGroup"),
            "Some page may hang for ever: cancel what is late.",
        )

    @right
    async def a_task_that_cancels(fetch, todo, done, workers, stop, grace):
        """Fetch `todo` into `done`; once `stop` is set, end within `grace` seconds."""

        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                except asyncio.CancelledError:
                    todo.append(page)
                    raise

        async def closing(tasks):
            await stop.wait()
            await asyncio.sleep(grace)
            for task in tasks:
                task.cancel()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(worker()) for _ in range(workers)]
            closer = group.create_task(closing(tasks))
            await asyncio.wait(tasks)
            closer.cancel()

    equivalent = {
        "crossed_out_last: drop await, line 22": "gather's tasks end in the next turn, and then "
        "nothing of them is left",
    }

    @right
    async def crossed_out_last(fetch, todo, done, workers, stop, grace):
        begun = set()

        async def worker():
            for page in list(todo):
                if page not in begun and not stop.is_set():
                    begun.add(page)
                    done[page] = await fetch(page)

        working = asyncio.gather(*(worker() for _ in range(workers)))
        stopping = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                await asyncio.wait([working], timeout=grace)
        finally:
            working.cancel()
            stopping.cancel()
            await asyncio.gather(working, stopping, return_exceptions=True)
            for page in done:
                todo.remove(page)

    @wrong("dropped requests", says="within the 1 s of grace")
    async def cancels_at_once(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                except asyncio.CancelledError:
                    todo.append(page)
                    raise

        async def closing(tasks):
            await stop.wait()
            for task in tasks:
                task.cancel()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(worker()) for _ in range(workers)]
            closer = group.create_task(closing(tasks))
            await asyncio.wait(tasks)
            closer.cancel()

    @wrong("no limit to the grace", says="may hang for ever")
    async def patient(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                except asyncio.CancelledError:
                    todo.append(page)
                    raise

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())

    @wrong("a gather that nobody awaits", says="lay in the future")
    async def gathers_and_looks_away(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                finally:
                    if page not in done:
                        todo.append(page)

        tasks = [asyncio.create_task(worker()) for _ in range(workers)]
        ends = asyncio.gather(*tasks)
        stopped = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait([ends, stopped], return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait(tasks, timeout=grace)
        finally:
            for task in (*tasks, stopped):
                task.cancel()
            await asyncio.gather(*tasks, stopped, return_exceptions=True)

    @wrong("fetched again and again", says="the grace begins with `stop`")
    async def a_grace_for_each(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    async with asyncio.timeout(grace):
                        done[page] = await fetch(page)
                except TimeoutError:
                    todo.append(page)

        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())

    @wrong("lost pages", says="Give it back")
    async def gives_nothing_back(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                done[page] = await fetch(page)

        async def closing(tasks):
            await stop.wait()
            await asyncio.sleep(grace)
            for task in tasks:
                task.cancel()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(worker()) for _ in range(workers)]
            closer = group.create_task(closing(tasks))
            await asyncio.wait(tasks)
            closer.cancel()

    @wrong("went on after the stop", says="stop.is_set()")
    async def does_not_look(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo:
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                except asyncio.CancelledError:
                    todo.append(page)
                    raise

        async def closing(tasks):
            await stop.wait()
            await asyncio.sleep(grace)
            for task in tasks:
                task.cancel()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(worker()) for _ in range(workers)]
            closer = group.create_task(closing(tasks))
            await asyncio.wait(tasks)
            closer.cancel()

    @wrong("given back twice", says="in `todo` and in `done`")
    async def gives_all_back(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                finally:
                    todo.append(page) if stop.is_set() else None

        async def closing(tasks):
            await stop.wait()
            await asyncio.sleep(grace)
            for task in tasks:
                task.cancel()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(worker()) for _ in range(workers)]
            closer = group.create_task(closing(tasks))
            await asyncio.wait(tasks)
            closer.cancel()

    @wrong("ended late", says="the rest of the grace")
    async def sits_the_grace_out(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                except asyncio.CancelledError:
                    todo.append(page)
                    raise

        async def closing(tasks):
            await stop.wait()
            await asyncio.sleep(grace)
            for task in tasks:
                task.cancel()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(worker()) for _ in range(workers)]
            closer = group.create_task(closing(tasks))
            await asyncio.wait(tasks)
            if not stop.is_set():
                closer.cancel()

    @wrong("deadlock", says="Event.wait")
    async def waits_for_a_stop(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                except asyncio.CancelledError:
                    todo.append(page)
                    raise

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(worker()) for _ in range(workers)]
            await stop.wait()
            await asyncio.wait(tasks, timeout=grace)
            for task in tasks:
                task.cancel()

    @wrong("leaked", says="worker")
    async def leaves_them(fetch, todo, done, workers, stop, grace):
        async def worker():
            while todo and not stop.is_set():
                page = todo.popleft()
                try:
                    done[page] = await fetch(page)
                except asyncio.CancelledError:
                    todo.append(page)
                    raise

        tasks = [asyncio.create_task(worker()) for _ in range(workers)]
        stopping = asyncio.create_task(stop.wait())
        working = asyncio.gather(*tasks)
        await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        await asyncio.wait(tasks, timeout=grace)


PATIENCE = 1.5  # seconds of real time that a visitor waits for what must come


class Progress:
    """A crawl that goes on by itself: `state()`, and `over` once it has ended."""

    def __init__(self, pages):
        self.pages, self.done, self.over = pages, 0, False

    def state(self):
        return {"done": self.done, "left": self.pages - self.done}

    async def go_on(self, seconds):
        """One page after each so many seconds."""
        for _ in range(self.pages):
            await asyncio.sleep(seconds)
            self.done += 1
        self.over = True

    def __repr__(self):
        return "crawl"


class LivePage(Exercise):
    """The live page

    Write `show(crawl, reader, writer)`, a coroutine function: the handler of one visitor, for
    `asyncio.start_server`. `crawl.state()` gives a dict that `json.dumps` takes; `crawl.over` is
    True once the crawl has ended.

    The visitor sends a request: a line such as `GET /events HTTP/1.1`, more lines, and an empty
    line; each ends with `\\r\\n`, and all may come in pieces. Read up to the empty line. An answer
    is `HTTP/1.1 200 OK`, a line `Content-Type: ...`, an empty line, and then the body.

    - For `/` it answers with the type `text/html` and a page of your own, which need not be long.
    - For `/events` it answers with the type `text/event-stream`. The body is a row of events
      `data: {...}\\n\\n`, each with the state as JSON: one at once, then one each 0.05 s until the
      crawl is over, and at last one with the state at the end.
    - For anything else the status is `404 Not Found`.
    - After each write it awaits `writer.drain()`, and after the answer it closes the connection.
    - If the visitor leaves, it ends too, and no error comes out.
    """

    id = "crawl-progress-1"
    asks = "show"
    minutes, clock, limit = 15, "real", 6.0
    hints = (
        "`readuntil` reads up to a mark. What is the mark at the end of a head?",
        "Look at the first line: `asked.split()[1]` is the path. And which event does nobody get, "
        "if the loop ends with `crawl.over`?",
        'In `try`: `asked = await reader.readuntil(b"\\r\\n\\r\\n")`, then three ways by the '
        "path; for the events `while not crawl.over:` write, drain, "
        "`await asyncio.sleep(0.05)`; after the loop one event more. "
        "`except (ConnectionError, asyncio.IncompleteReadError): pass`, "
        "`finally: writer.close()`.",
    )

    def verify(self, show, lab):
        lab.told("as the handler of a server, with a visitor who")
        answer = self.visit(show, lab, "asks for `/`", "/")
        self.head(lab, answer, "/", "200", "text/html")
        if not answer.partition(b"\r\n\r\n")[2].strip():
            raise Wrong(
                "no page",
                "The answer to `/` has no body.",
                lab.line("text/html"),
                "After the empty line comes the page, a few words of HTML.",
            )
        answer = self.visit(show, lab, "asks for `/nothing`", "/nothing")
        self.head(lab, answer, "/nothing", "404", None)
        answer = self.visit(
            show, lab, "asks for `/events`, with the request in pieces", "/events", pieces=True
        )
        self.head(lab, answer, "/events", "200", "text/event-stream")
        self.events(lab, answer)
        if lab.line(r"\bdrain\(") is None:
            raise Wrong("no drain", "It never awaits `writer.drain()`.", lab.line(r"\.write\("))
        lab.told("with a visitor who leaves after the first event")
        self.leave(show, lab)

    def visit(self, show, lab, what, path, pieces=False):
        """Visit the page and return all the bytes that came until it was closed."""
        lab.told(f"with a visitor who {what}")

        async def scene():
            crawl, errors, came = Progress(8), [], bytearray()
            handled, held = [], []

            async def guest(reader, writer):
                handled.append(asyncio.current_task())
                held.append(writer)  # one that nobody has any more closes itself, on 3.14 at once
                try:
                    await lab.awaitable(show(crawl, reader, writer))
                except Exception as error:
                    errors.append(error)

            going = asyncio.create_task(crawl.go_on(0.04))
            server = await asyncio.start_server(guest, "127.0.0.1", 0)
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
            request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
            try:
                for piece in (request[:3], request[3:20], request[20:]) if pieces else (request,):
                    with contextlib.suppress(ConnectionError):
                        writer.write(piece)
                        await writer.drain()
                    await asyncio.sleep(0.03 if pieces else 0)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(PATIENCE):
                        with contextlib.suppress(ConnectionError):  # closed in mid-request
                            while more := await reader.read(65536):
                                came += more
                        came += b"<closed>"
                await going
            finally:
                writer.close()
                server.close()
                for task in handled:
                    task.cancel()
                await asyncio.gather(*handled, return_exceptions=True)
            place = errors and lab.text.of_traceback(errors[0])
            first_read = lab.line(r"\.read\(")
            if pieces and place and first_read and isinstance(errors[0], (IndexError, ValueError)):
                raise Wrong(
                    "one read is one message",
                    "The request came in three pieces, and "
                    f"{type(errors[0]).__name__} came out at line {place[1]}: the path "
                    "was not there yet.",
                    first_read,
                )
            if errors:
                raise errors[0]
            return bytes(came)

        answer = lab.run(scene()).result
        if not answer.removesuffix(b"<closed>"):
            if pieces and answer and lab.line(r"\.read\("):
                raise Wrong(
                    "one read is one message",
                    "The request came in three pieces, and it "
                    "closed the connection before it had read them all.",
                    lab.line(r"\.read\("),
                )
            raise Wrong(
                "never answers",
                "The connection was closed, and not one byte had come."
                if answer
                else f"After {PATIENCE} s not one byte had come.",
                lab.line(r"\bif\b|read"),
            )
        if not answer.endswith(b"<closed>"):
            if b"\r\n\r\n" not in answer:
                raise Wrong(
                    "no empty line",
                    f"{answer[:70]!r} came, and no end of the head. The "
                    "visitor waits for an empty line.",
                    lab.line("HTTP/1.1"),
                    "The head ends with `\\r\\n\\r\\n`.",
                )
            raise Wrong(
                "left open", f"The answer came; {PATIENCE} s later the connection was still open."
            )
        return answer.removesuffix(b"<closed>")

    def head(self, lab, answer, path, status, kind):
        head, gap, _ = answer.partition(b"\r\n\r\n")
        if not gap:
            raise Wrong(
                "no empty line",
                f"The answer to `{path}` begins with {answer[:60]!r}, and its head has no end.",
                lab.line("HTTP/1.1"),
                "The head ends with an empty line, `\\r\\n\\r\\n`.",
            )
        first, *rest = head.decode("latin-1").split("\r\n")
        if not first.startswith(f"HTTP/1.1 {status}"):
            if path == "/events":
                raise Wrong(
                    "one read is one message",
                    "The request for `/events` came in three "
                    f"pieces, and the answer was `{first}`.",
                    lab.line(r"read"),
                )
            unlike = lab.line(r"""==\s*(["'])/|(["'])/\w*\2\s*:""")
            if path == "/" and unlike and not lab.line(r"decode|\bstr\("):
                raise Wrong(
                    "status",
                    f"The answer to `/` begins with `{first}`.",
                    unlike,
                    'What was read is bytes, and no text equals bytes: `b"/"`.',
                )
            raise Wrong(
                "status",
                f"The answer to `{path}` begins with `{first}`.",
                lab.line("HTTP/1.1"),
                f"It is `HTTP/1.1 {status} ...`.",
            )
        if kind and not any(line.lower().startswith(f"content-type: {kind}") for line in rest):
            if path == "/events" and any("text/html" in line.lower() for line in rest):
                raise Wrong(
                    "one read is one message",
                    "The request for `/events` came in three pieces, and the answer was the page.",
                    lab.line(r"read"),
                )
            raise Wrong(
                "type",
                f"The head of the answer to `{path}` is {head!r:.90}.",
                lab.line("(?i)content-type"),
                f"One line is `Content-Type: {kind}`.",
            )

    def events(self, lab, answer):
        *events, rest = answer.partition(b"\r\n\r\n")[2].decode().split("\n\n")
        try:
            if rest.strip() or not events:
                raise ValueError(rest or "nothing")
            states = [json.loads(event.strip().removeprefix("data:")) for event in events]
        except ValueError:
            raise Wrong(
                "not an event",
                f"The body is {answer[-90:]!r}.",
                lab.line("data:"),
                "An event is `data: `, the JSON, and an empty line: `\\n\\n`.",
            ) from None
        if len(states) < 4:
            raise Wrong(
                "too few events",
                f"The crawl went on for 0.3 s, and {len(states)} events came.",
                lab.line("sleep|while"),
                "One at once, then one each 0.05 s.",
            )
        if states[-1] != {"done": 8, "left": 0}:
            raise Wrong(
                "the end is missing",
                f"The last event was {states[-1]}; at the end the crawl had done all 8 pages.",
                lab.line("over"),
                "When the loop has seen that the crawl is over, the last state has not "
                "been sent yet.",
            )
        if len(states) > 40:
            raise Wrong("spin", f"{len(states)} events came in 0.3 s.", lab.line("while"))

    def leave(self, show, lab):
        async def scene():
            crawl, errors, ended = Progress(10_000), [], asyncio.Event()

            async def guest(reader, writer):
                try:
                    await lab.awaitable(show(crawl, reader, writer))
                except Exception as error:
                    errors.append(error)
                finally:
                    ended.set()

            server = await asyncio.start_server(guest, "127.0.0.1", 0)
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
            writer.write(b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
            await reader.readuntil(b"data:")
            writer.transport.abort()
            try:
                async with asyncio.timeout(PATIENCE):
                    await ended.wait()
            except TimeoutError:
                errors.append(None)
                crawl.over = True
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        await ended.wait()
            server.close()
            return errors

        errors = lab.run(scene()).result
        if errors and errors[0] is None:
            raise Wrong(
                "goes on for nobody",
                f"The visitor left; {PATIENCE} s later it still wrote events.",
                lab.line("while"),
                "`await writer.drain()` raises a ConnectionError once the visitor is gone: "
                "let that end the loop.",
            )
        if errors:
            raise Wrong(
                "the visitor's leaving came out",
                f"The visitor left, and {type(errors[0]).__name__} came out.",
                lab.line(r"drain|write"),
                "Visitors leave when they like: catch `ConnectionError` around the answer.",
            )

    @right
    async def three_ways(crawl, reader, writer):
        """Answer one visitor: the page, the events or 404; then close."""

        def head(status, kind):
            return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n".encode()

        def event():
            return f"data: {json.dumps(crawl.state())}\n\n".encode()

        async def send(data):
            writer.write(data)
            await writer.drain()

        try:
            asked = await reader.readuntil(b"\r\n\r\n")
            path = asked.split()[1]
            if path == b"/":
                await send(head("200 OK", "text/html") + b"<h1>The crawl</h1>")
            elif path == b"/events":
                await send(head("200 OK", "text/event-stream"))
                while not crawl.over:
                    await send(event())
                    await asyncio.sleep(0.05)
                await send(event())
            else:
                await send(head("404 Not Found", "text/plain"))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    @right
    async def line_by_line(crawl, reader, writer):
        with contextlib.suppress(OSError), contextlib.closing(writer):
            first = await reader.readline()
            while (await reader.readline()).strip():
                pass
            path = first.decode().split(" ")[1]
            kind = {"/": "text/html", "/events": "text/event-stream"}.get(path)
            status = "200 OK" if kind else "404 Not Found"
            writer.write(
                f"HTTP/1.1 {status}\r\nContent-Type: {kind or 'text/plain'}\r\n\r\n".encode()
            )
            if path == "/":
                writer.write(b"<!doctype html><title>Crawl</title>")
            await writer.drain()
            over = path != "/events"
            while not over:
                over = crawl.over
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                await writer.drain()
                await asyncio.sleep(0.05)

    @wrong("one read is one message", says="three pieces")
    async def one_read(crawl, reader, writer):
        with contextlib.suppress(ConnectionError), contextlib.closing(writer):
            asked = await reader.read(1000)
            if asked.startswith(b"GET / "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
            elif asked.startswith(b"GET /events "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                while not crawl.over:
                    writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                    await writer.drain()
                    await asyncio.sleep(0.05)
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
            await writer.drain()

    @wrong("never answers", says="not one byte")
    async def two_ways(crawl, reader, writer):
        with contextlib.suppress(ConnectionError), contextlib.closing(writer):
            asked = await reader.readuntil(b"\r\n\r\n")
            if asked.startswith(b"GET / "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
            elif asked.startswith(b"GET /events "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                while not crawl.over:
                    writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                    await writer.drain()
                    await asyncio.sleep(0.05)
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
            await writer.drain()

    @wrong("the end is missing", says="has not been sent yet")
    async def without_the_last(crawl, reader, writer):
        with contextlib.suppress(ConnectionError), contextlib.closing(writer):
            asked = await reader.readuntil(b"\r\n\r\n")
            if asked.startswith(b"GET / "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
            elif asked.startswith(b"GET /events "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                while not crawl.over:
                    writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                    await writer.drain()
                    await asyncio.sleep(0.05)
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
            await writer.drain()

    @wrong("one read is one message", says="the path was not there yet")
    async def splits_one_read(crawl, reader, writer):
        with contextlib.closing(writer):
            path = (await reader.read(1000)).decode().split()[1]
            kind = {"/": "text/html", "/events": "text/event-stream"}.get(path)
            status = "200 OK" if kind else "404 Not Found"
            writer.write(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\nHello".encode())
            await writer.drain()

    @wrong("status", says="no text equals bytes")
    async def compares_bytes_with_text(crawl, reader, writer):
        with contextlib.closing(writer):
            path = (await reader.readuntil(b"\r\n\r\n")).split()[1]
            status = b"404 Not Found"
            if path == "/":
                status = b"200 OK"
            writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Type: text/html\r\n\r\nHello")
            await writer.drain()

    @wrong("left open", says="still open")
    async def never_closes(crawl, reader, writer):
        with contextlib.suppress(ConnectionError):
            asked = await reader.readuntil(b"\r\n\r\n")
            if asked.startswith(b"GET / "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
            elif asked.startswith(b"GET /events "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                while not crawl.over:
                    writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                    await writer.drain()
                    await asyncio.sleep(0.05)
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
            await writer.drain()

    @wrong("no drain", says="writer.drain()")
    async def never_drains(crawl, reader, writer):
        with contextlib.closing(writer):
            asked = await reader.readuntil(b"\r\n\r\n")
            if asked.startswith(b"GET / "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
            elif asked.startswith(b"GET /events "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                while not crawl.over:
                    writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                    await asyncio.sleep(0.05)
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")

    @wrong("the visitor's leaving came out", says="leave when they like")
    async def takes_it_for_an_error(crawl, reader, writer):
        with contextlib.closing(writer):
            asked = await reader.readuntil(b"\r\n\r\n")
            if asked.startswith(b"GET / "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
            elif asked.startswith(b"GET /events "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                while not crawl.over:
                    writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                    await writer.drain()
                    await asyncio.sleep(0.05)
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
            await writer.drain()

    @wrong("goes on for nobody", says="let that end the loop")
    async def writes_for_ever(crawl, reader, writer):
        with contextlib.closing(writer):
            asked = await reader.readuntil(b"\r\n\r\n")
            if asked.startswith(b"GET / "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
            elif asked.startswith(b"GET /events "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                while not crawl.over:
                    with contextlib.suppress(ConnectionError):
                        writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                        await writer.drain()
                    await asyncio.sleep(0.05)
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
            with contextlib.suppress(ConnectionError):
                await writer.drain()

    @wrong("no empty line", says="has no end")
    async def forgets_the_empty_line(crawl, reader, writer):
        with contextlib.suppress(ConnectionError), contextlib.closing(writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n<h1>Crawl</h1>")
            await writer.drain()

    @wrong("blocked", says="time.sleep")
    async def stops_the_crawl(crawl, reader, writer):
        with contextlib.suppress(ConnectionError), contextlib.closing(writer):
            asked = await reader.readuntil(b"\r\n\r\n")
            if asked.startswith(b"GET / "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
            elif asked.startswith(b"GET /events "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                for _ in range(10):
                    writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                    await writer.drain()
                    time.sleep(0.05)
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
            await writer.drain()


class Clients:
    """In a `with`: the AsyncClients that are made, and the most requests under way in them.

    The server can't tell that: it learns a little late that a client has given up.
    """

    def __init__(self, lab):
        self.lab, self.made, self.flying, self.peak = lab, [], 0, 0
        self.doors = math.inf  # a client may keep the limit itself, by `limits=`

    def __enter__(self):
        self.init, self.send = httpx.AsyncClient.__init__, httpx.AsyncClient.send

        def noting(client, *arguments, **settings):
            self.made.append(client)
            if len(self.made) > 30:
                raise Wrong(
                    "a new client for each request",
                    "It made 30 clients and went on.",
                    self.lab.line(r"AsyncClient\("),
                    "Make one, around all of it.",
                )
            self.init(client, *arguments, **settings)
            self.doors = getattr(settings.get("limits"), "max_connections", None) or math.inf

        async def counting(client, *arguments, **settings):
            self.flying += 1
            self.peak = max(self.peak, min(self.flying, self.doors))
            try:
                return await self.send(client, *arguments, **settings)
            finally:
                self.flying -= 1

        httpx.AsyncClient.__init__, httpx.AsyncClient.send = noting, counting
        return self

    def __exit__(self, *exc_info):
        httpx.AsyncClient.__init__, httpx.AsyncClient.send = self.init, self.send


class Whole(Exercise):
    """The whole crawler

    A server has pages such as `/api/v2/pokemon/mew`: JSON with a `"name"`. It is slow and flaky.
    Write `crawl(url, pages, workers, tell)`, a coroutine function. It asks for each of the `pages`
    (below `url`), and returns a dict from each page to its name, and the list of the pages that
    failed.

    - At most `workers` requests are under way at once; as long as there are pages, no fewer for
      long.
    - A try may take 0.3 s. After a try that took longer, a lost connection, a 503 or a 429 it asks
      again, six times in all. After a 429 it waits as many seconds as `Retry-After` says; else for
      at most 0.1 s.
    - After any other status (404) the page has failed, as it has after the sixth try. No error
      comes out.
    - After each page, done or failed, it calls `tell(done, failed)`, with how many there are.
    - All requests go through one `httpx.AsyncClient`, which is closed at the end, also if `crawl`
      is cancelled. Then nothing of it runs any more.
    """

    id = "crawl-whole-1"
    asks = "crawl"
    minutes, clock, limit = 25, "real", 8.0
    hints = (
        "You have all parts: one page with its tries, workers, what to do with an error. Write one "
        "function for one page first.",
        "`async with httpx.AsyncClient(base_url=url, timeout=0.3) as client, "
        "asyncio.TaskGroup() as group:`, and workers that share `iter(pages)`.",
        "For a page: `for attempt in range(6):` in a `try` get it; 200: note it and return; 429: "
        '`pause = float(response.headers["Retry-After"])`; 503, or '
        "`except httpx.TransportError`: a short pause; anything else ends the loop. After the "
        "loop it has failed.",
    )

    NAMES = ("mew", "onix", "abra", "jynx", "muk", "seel", "gastly", "hypno", "weedle", "ekans")
    MISSING, BUSY, SILENT, LOST, DOWN = "missingno", "onix", "muk", "abra", "ekans"

    def verify(self, crawl, lab):
        base = "/api/v2/pokemon/"
        pages = [base + name for name in (*self.NAMES[:4], self.MISSING, *self.NAMES[4:])]
        script = {
            base + self.BUSY: [429],
            base + self.SILENT: ["hang"],
            base + self.LOST: ["reset", 503],
            base + self.DOWN: [503] * 9,
        }
        site, told = lab.site(latency=0.05, script=script), []
        lab.told(f"with {len(pages)} pages and 3 workers")

        async def scene():
            async with asyncio.timeout(5):
                return await lab.awaitable(
                    crawl(site.url, list(pages), 3, lambda *counts: told.append(counts))
                )

        with Clients(lab) as clients:
            try:
                run = lab.run(scene())
            except TimeoutError:
                raise self.too_long(lab, site.log(), base) from None
            except (httpx.TransportError, ExceptionGroup) as error:
                while isinstance(error, ExceptionGroup):
                    error = error.exceptions[0]
                if not isinstance(error, httpx.TransportError):
                    raise
                place = lab.text.of_traceback(error)
                raise Wrong(
                    "one page ended all",
                    f"{type(error).__name__} came out: something was lost on the way to a page.",
                    place and place[1],
                    "Lost connections and time-outs have one name in common: "
                    "`httpx.TransportError`. Catch that, and ask again.",
                ) from None
        log = site.log()
        self.tries(lab, log, base)
        self.result(lab, run, pages, base)
        peak = clients.peak if clients.made else site.peak()
        lab.limited(peak, at_most=3, what="requests")
        if peak < 3:
            raise Wrong(
                "sequential",
                f"At most {peak} of 3 requests were under way at once.",
                lab.line(r"await \w+\.get|range\("),
            )
        self.waits(lab, log, base)
        self.news(lab, told, len(pages))
        self.closed(lab, clients.made)
        self.cancelled(crawl, lab, site, pages)

    def too_long(self, lab, log, base):
        last = log[-1].path if log else "nothing"
        if [asked.path for asked in log].count(base + self.SILENT) == 1:
            return Wrong(
                "hung with the page",
                f"After 5 s it was not done. {self.SILENT!r} hung, and was not asked for again.",
                lab.line(r"AsyncClient\(|\.get\("),
                "`timeout=0.3` for the client, or a limit around each request. (httpx "
                "itself waits for 5 s.)",
            )
        return Wrong(
            "never gives up",
            f"After 5 s it was not done. The last request, number {len(log)}, was for `{last}`.",
            lab.line(r"\bwhile\b|\bfor\b"),
            "Six tries for a page, then it has failed.",
        )

    def tries(self, lab, log, base):
        asked = collections.Counter(one.path.removeprefix(base) for one in log)
        if asked[self.MISSING] > 1:
            raise Wrong(
                "retried",
                f"{self.MISSING!r} is not there (404), and it was asked for "
                f"{asked[self.MISSING]} times.",
                lab.line("status") or lab.line("except"),
            )
        for name, why, tries in (
            (self.BUSY, "429", 2),
            (self.SILENT, "no answer", 2),
            (self.LOST, "a lost connection and 503", 3),
            (self.DOWN, "503 each time", 6),
        ):
            if asked[name] < tries:
                raise Wrong(
                    "gave up too soon",
                    f"{name!r} met with {why}; it was asked for "
                    f"{asked[name]} time{'s' * (asked[name] != 1)}.",
                    lab.line(r"except|status|range\("),
                    "Six tries in all.",
                )
            if asked[name] > tries:
                raise Wrong(
                    "asked too often",
                    f"{name!r} was asked for {asked[name]} times; {tries} are enough.",
                    lab.line(r"range\(|while"),
                )

    def result(self, lab, run, pages, base):
        if not (isinstance(run.result, tuple) and len(run.result) == 2):
            raise Wrong(
                "value",
                f"It returned {run.result!r:.90}; asked are a dict and a list.",
                lab.line(r"\breturn\b"),
            )
        names, failed = run.result
        bad = [base + self.MISSING, base + self.DOWN]
        lab.equal(
            names,
            {page: page.removeprefix(base) for page in pages if page not in bad},
            what="the dict is",
        )
        lab.equal(sorted(failed), sorted(bad), what="the list of the failed, sorted, is")

    def waits(self, lab, log, base):
        busy = [asked for asked in log if asked.path == base + self.BUSY]
        pause = busy[1].arrived - busy[0].answered
        if pause < 0.95:
            raise Wrong(
                "came back too soon",
                f"{self.BUSY!r} was told 429 with Retry-After: 1. It "
                f"was asked for again after {pause:.2f} s.",
                lab.line("429|sleep"),
                'Wait `float(response.headers["Retry-After"])` seconds.',
            )
        silent = [asked for asked in log if asked.path == base + self.SILENT]
        if silent[1].arrived - silent[0].arrived > 1.5:
            raise Wrong(
                "hung with the page",
                f"{self.SILENT!r} hung, and was asked for again only "
                f"{silent[1].arrived - silent[0].arrived:.1f} s later.",
                lab.line(r"AsyncClient\(|timeout"),
                "A try may take 0.3 s.",
            )

    def news(self, lab, told, pages):
        if len(told) != pages:
            raise Wrong(
                "told wrong",
                f"There were {pages} pages, and `tell` was called {len(told)} times.",
                lab.line(r"tell\("),
                "Once after each page, whether it is done or has failed.",
            )
        for number, counts in enumerate(told, 1):
            if (
                len(counts) != 2
                or not all(isinstance(each, int) for each in counts)
                or sum(counts) != number
            ):
                raise Wrong(
                    "told wrong",
                    f"Call number {number} was `tell{counts}`.",
                    lab.line(r"tell\("),
                    "How many are done, and how many have failed.",
                )
        if told[-1] != (pages - 2, 2):
            raise Wrong(
                "told wrong",
                f"The last call was `tell{told[-1]}`.",
                lab.line(r"tell\("),
                "First how many are done, then how many have failed.",
            )

    def closed(self, lab, made):
        if len(made) > 1:
            raise Wrong(
                "a new client for each request",
                f"It made {len(made)} clients.",
                lab.line(r"AsyncClient\("),
                "Make one, around all of it.",
            )
        if made and not made[-1].is_closed:
            raise Wrong(
                "left open",
                "When it had ended, the client still held its connections.",
                lab.line(r"AsyncClient\("),
            )

    def cancelled(self, crawl, lab, site, pages):
        lab.told("and cancelled it in the midst of its requests")
        with Clients(lab) as clients:

            async def scene():
                before = asyncio.all_tasks()
                crawling = asyncio.ensure_future(
                    lab.awaitable(crawl(site.url, pages * 5, 3, lambda *counts: None))
                )
                while not clients.flying and not crawling.done():
                    await asyncio.sleep(0.01)
                crawling.cancel()
                await asyncio.wait([crawling], timeout=1)
                left = asyncio.all_tasks() - before - {crawling}
                return crawling, [task for task in left if not task.done()]

            crawling, running = lab.run(scene(), leaks=True).result
        if not crawling.cancelled():
            if crawling.done() and crawling.exception():
                raise crawling.exception()
            raise Wrong(
                "swallowed",
                "I cancelled it in the midst of its requests. It "
                + (
                    "returned as if nothing had happened."
                    if crawling.done()
                    else "still went on a second later."
                ),
                lab.line("except|suppress"),
            )
        if running:
            raise Wrong(
                "leaked",
                f"I cancelled it, and {len(running)} of its tasks still ran.",
                lab.line("create_task|ensure_future|gather"),
            )
        if clients.made and not clients.made[-1].is_closed:
            raise Wrong(
                "left open",
                "I cancelled it, and the client was never closed.",
                lab.line(r"AsyncClient\("),
            )

    @right
    async def workers_of_one_group(url, pages, workers, tell):
        """Return the name of each page, and the pages that failed."""
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    response = await client.get(page)
                except httpx.TransportError:
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                    elif response.status_code != 503:
                        return None
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url, timeout=0.3) as client:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(worker(client))
        return names, failed

    @right
    async def a_task_each(url, pages, workers, tell):
        names, failed, places = {}, [], asyncio.Semaphore(workers)

        async def visit(client, page):
            for attempt in range(6):
                pause = 0.02 * attempt
                async with places:
                    try:
                        async with asyncio.timeout(0.3):
                            response = await client.get(page)
                        response.raise_for_status()
                        names[page] = response.json()["name"]
                        break
                    except httpx.HTTPStatusError as error:
                        if error.response.status_code not in (429, 503):
                            failed.append(page)
                            break
                        pause = float(error.response.headers.get("Retry-After", pause))
                    except (TimeoutError, httpx.TransportError):
                        pass
                if attempt < 5:
                    await asyncio.sleep(pause)
            else:
                failed.append(page)
            tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url) as client, asyncio.TaskGroup() as group:
            for page in pages:
                group.create_task(visit(client, page))
        return names, failed

    @wrong("limit", says="requests were in flight")
    async def one_worker_a_page(url, pages, workers, tell):
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    response = await client.get(page)
                except httpx.TransportError:
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                    elif response.status_code != 503:
                        return None
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url, timeout=0.3) as client:
            async with asyncio.TaskGroup() as group:
                for _ in pages:
                    group.create_task(worker(client))
        return names, failed

    @wrong("retried", says="404")
    async def tries_whatever_it_was(url, pages, workers, tell):
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    response = await client.get(page)
                except httpx.TransportError:
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url, timeout=0.3) as client:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(worker(client))
        return names, failed

    @wrong("gave up too soon", says="Six tries")
    async def gives_up_on_503(url, pages, workers, tell):
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    response = await client.get(page)
                except httpx.TransportError:
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                    else:
                        return None
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url, timeout=0.3) as client:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(worker(client))
        return names, failed

    @wrong("came back too soon", says="Retry-After")
    async def waits_as_it_likes(url, pages, workers, tell):
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    response = await client.get(page)
                except httpx.TransportError:
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = 0.1
                    elif response.status_code != 503:
                        return None
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url, timeout=0.3) as client:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(worker(client))
        return names, failed

    @wrong("hung with the page", says="httpx itself waits")
    async def waits_for_the_silent(url, pages, workers, tell):
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    response = await client.get(page)
                except httpx.TransportError:
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                    elif response.status_code != 503:
                        return None
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url, timeout=30) as client:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(worker(client))
        return names, failed

    @wrong("told wrong", says="whether it is done or has failed")
    async def tells_of_the_done(url, pages, workers, tell):
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    response = await client.get(page)
                except httpx.TransportError:
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                    elif response.status_code != 503:
                        return None
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                    tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url, timeout=0.3) as client:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(worker(client))
        return names, failed

    @right
    async def by_the_clients_own_limit(url, pages, workers, tell):
        names, failed = {}, []

        async def one(client, page):
            for attempt in range(6):
                pause = 0.05
                try:
                    response = await client.get(page)
                    if response.status_code == 200:
                        names[page] = response.json()["name"]
                        break
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                    elif response.status_code != 503:
                        failed.append(page)
                        break
                except httpx.TransportError:
                    pass
                if attempt < 5:
                    await asyncio.sleep(pause)
            else:
                failed.append(page)
            tell(len(names), len(failed))

        timeout, limits = httpx.Timeout(0.3, pool=None), httpx.Limits(max_connections=workers)
        async with httpx.AsyncClient(base_url=url, timeout=timeout, limits=limits) as client:
            async with asyncio.TaskGroup() as group:
                for page in pages:
                    group.create_task(one(client, page))
        return names, failed

    @wrong("one page ended all", says="one name in common")
    async def catches_time_outs_only(url, pages, workers, tell):
        names, failed, tap = {}, [], iter(pages)

        async def worker(client):
            for page in tap:
                for _ in range(6):
                    with contextlib.suppress(httpx.TimeoutException):
                        response = await client.get(page)
                        if response.status_code == 200:
                            names[page] = response.json()["name"]
                            break
                        if response.status_code == 404:
                            failed.append(page)
                            break
                        await asyncio.sleep(float(response.headers.get("Retry-After", 0.05)))
                else:
                    failed.append(page)
                tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url, timeout=0.3) as client:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(worker(client))
        return names, failed

    @wrong("left open", says="never closed")
    async def closes_if_all_is_well(url, pages, workers, tell):
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    response = await client.get(page)
                except httpx.TransportError:
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                    elif response.status_code != 503:
                        return None
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                tell(len(names), len(failed))

        client = httpx.AsyncClient(base_url=url, timeout=0.3)
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker(client))
        await client.aclose()
        return names, failed

    @wrong("leaked", says="its tasks still ran")
    async def workers_of_nobody(url, pages, workers, tell):
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    response = await client.get(page)
                except httpx.TransportError:
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                    elif response.status_code != 503:
                        return None
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url, timeout=0.3) as client:
            tasks = [asyncio.create_task(worker(client)) for _ in range(workers)]
            await asyncio.wait(tasks)
        return names, failed

    @wrong("sequential", says="At most 1 of 3")
    async def one_by_one(url, pages, workers, tell):
        names, failed, left = {}, [], iter(pages)

        async def name_of(client, page):
            for attempt in range(6):
                pause = random.uniform(0, 0.1)
                try:
                    response = await client.get(page)
                except httpx.TransportError:
                    response = None
                if response is not None:
                    if response.status_code == 200:
                        return response.json()["name"]
                    if response.status_code == 429:
                        pause = float(response.headers["Retry-After"])
                    elif response.status_code != 503:
                        return None
                if attempt < 5:
                    await asyncio.sleep(pause)

        async def worker(client):
            for page in left:
                name = await name_of(client, page)
                if name is None:
                    failed.append(page)
                else:
                    names[page] = name
                tell(len(names), len(failed))

        async with httpx.AsyncClient(base_url=url, timeout=0.3) as client:
            await worker(client)
        return names, failed
