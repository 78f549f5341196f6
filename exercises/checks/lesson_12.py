"""Exercises of lesson 12: keep the loop free, and leave neither threads nor results behind."""

import asyncio
import contextlib
import queue
import sys
import threading
import time
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from unittest import mock

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value

LINES = frozenset(range(1, 16)) - {3}  # line 3 is empty


class FindTheBlockers(Exercise):
    """Find the lines that hold the loop up

    Read this program, and do not run it. `data` is large, the network is slow, and `pool` is a
    ThreadPoolExecutor with a free thread. `asyncio.wrap_future` makes of a pool's future one that
    can be awaited.

         1  async def total(data):
         2      return sum(data)
         3
         4  async def one_day(path, url, pool):
         5      await asyncio.sleep(1)
         6      time.sleep(1)
         7      await asyncio.to_thread(time.sleep, 1)
         8      page = await asyncio.to_thread(requests.get, url)
         9      await asyncio.to_thread(path.write_bytes, requests.get(url).content)
        10      path.read_bytes()
        11      task = asyncio.create_task(total(page.content))
        12      future = pool.submit(time.sleep, 1)
        13      await asyncio.wrap_future(future)
        14      pool.submit(time.sleep, 1).result()
        15      await task

    While some of these lines run, nobody else on the loop has a turn until they are done. Set
    `blocking` to the list of their numbers. Where one function calls another of this program,
    it is the line inside that counts.
    """

    id = "holdup-1"
    asks = "blocking"
    minutes = 6
    hints = (
        "For each line: in which thread does the slow part run?",
        "Python computes the arguments of a call first, and it does so where the call stands.",
        "There are five. One is in `total`, one is hidden in an argument, and one waits for a "
        "future that can't be awaited.",
    )
    right_values = ([2, 6, 9, 10, 14],)
    wrong_values = (
        wrong_value([6, 9, 10, 14], "async def doesn't help", "no `await` inside"),
        wrong_value([6, 9, 10, 14, 15], "blamed the one who waits", "Line 15"),
        wrong_value([2, 6, 9, 10, 14, 15], "blamed the one who waits", "Line 15"),
        wrong_value([2, 6, 9, 10, 11, 14], "creating is not running", "Line 11"),
        wrong_value([2, 6, 10, 14], "the argument comes first", "before `to_thread` is called"),
        wrong_value([2, 6, 9, 14], "files block", "no `await` in front of"),
        wrong_value([2, 6, 9, 10], "result() waits", "blocks the thread"),
        wrong_value([2, 6, 9, 10, 12, 14], "submit returns at once", "Line 12"),
        wrong_value([2, 6, 7, 8, 9, 10, 14], "a thread of its own", "beside the loop"),
        wrong_value([2, 5, 6, 9, 10, 14], "a wait of the loop", "Line 5"),
        wrong_value([2, 9, 10, 14], "time.sleep blocks", "Line 6"),
        wrong_value([2, 6, 9, 10, 13, 14], "a wait of the loop", "Line 13"),
        wrong_value([1, 2, 6, 9, 10, 14], "a definition runs nothing", "Line 1 only"),
        wrong_value([2, 4, 6, 9, 10, 14], "a definition runs nothing", "Line 4 only"),
    )

    BELIEFS = (
        # lines wrongly named, or (negative) wrongly left out; kind; what to say
        (
            1,
            "a definition runs nothing",
            "Line 1 only defines a function. What its lines do is done when it runs.",
        ),
        (
            4,
            "a definition runs nothing",
            "Line 4 only defines a function. What its lines do is done when it runs.",
        ),
        (
            15,
            "blamed the one who waits",
            "Line 15 only waits. `total` was a task and had its turn "
            "when `one_day` first waited after line 11; the line that computes is inside it.",
        ),
        (
            11,
            "creating is not running",
            "Line 11 puts a task into the ready queue, and runs nothing of it.",
        ),
        (
            12,
            "submit returns at once",
            "Line 12 hands the job to a thread of the pool, and goes on.",
        ),
        (
            7,
            "a thread of its own",
            "In line 7 the sleep is in a thread, beside the loop. What stands here is an `await`.",
        ),
        (
            8,
            "a thread of its own",
            "In line 8 the request is made in a thread, beside the loop. "
            "What stands here is an `await`.",
        ),
        (
            5,
            "a wait of the loop",
            "Line 5 waits, and it waits with `await`: the others have their turns.",
        ),
        (
            13,
            "a wait of the loop",
            "Line 13 waits, and it waits with `await`: `wrap_future` makes "
            "something that the loop can wait for.",
        ),
        (
            -6,
            "time.sleep blocks",
            "Line 6 is not among them. `time.sleep` holds the thread, and "
            "the loop lives in that thread.",
        ),
        (
            -2,
            "async def doesn't help",
            "You left out the line that adds up large `data`. `total` "
            "is `async def`, but there is no `await` inside: it computes to its end.",
        ),
        (
            -9,
            "the argument comes first",
            "Look at line 9 again. `requests.get(url)` is called "
            "here, with brackets, before `to_thread` is called.",
        ),
        (
            -10,
            "files block",
            "Look at line 10 again. The disk is slow, and there is no `await` in "
            "front of the call.",
        ),
        (
            -14,
            "result() waits",
            "Look at line 14 again. `result()` of a pool's future blocks the "
            "thread that asks, until there is one.",
        ),
    )

    def verify(self, blocking, lab):
        if not isinstance(blocking, (list, tuple)):
            raise Wrong(
                "value",
                f"`blocking` is {blocking!r}.",
                try_="Make it a list of line numbers: `[1, 2]`.",
            )
        if strange := [line for line in blocking if line not in LINES]:
            raise Wrong(
                "value",
                f"There is no line {strange[0]!r}.",
                try_="The numbers stand in front of the lines, 1 to 15; line 3 is empty.",
            )
        for line, kind, says in self.BELIEFS:
            if (line in blocking) if line > 0 else (-line not in blocking):
                raise Wrong(kind, says, try_="")
        lab.equal(sorted(set(blocking)), self.right_values[0], what="`blocking` is", secret=True)


class ChooseThePlace(Exercise):
    """Choose the place

    A server runs on one loop, on a machine with eight cores and an ordinary Python, which has the
    GIL. Where do you put each of these jobs? Set each value of `places` to "loop", "thread" or
    "process".

    - `"pages"`: fetch 200 pages with `httpx.AsyncClient`
    - `"again"`: wait for 3 s before the next try
    - `"sum"`: add up the prices of one order, some ten numbers
    - `"driver"`: ask a database through an old library that blocks for 20 ms
    - `"upload"`: write an upload of 50 MB to the disk
    - `"photo"`: blur a photo in Python code, which takes 2 s
    - `"solver"`: a solver in Python code that looks at no flag; after 10 s you must be able to end
      it
    - `"hash"`: hash 500 MB that are in memory, with `hashlib`, whose C code lets go of the GIL
    - `"printer"`: a call that blocks, on a connection object that can't be pickled
    """

    id = "place-1"
    asks = "places"
    minutes = 5
    hints = (
        "First: does it wait or work? Then: has the wait an `await`, and how long is the work?",
        "What goes to a process must be pickled, and can be killed. What goes to a thread shares "
        "everything, and can't.",
        "Work that lets go of the GIL is as good in a thread as in a process, and nothing has to "
        "be sent.",
    )
    right_values = (
        {
            "pages": "loop",
            "again": "loop",
            "sum": "loop",
            "driver": "thread",
            "upload": "thread",
            "photo": "process",
            "solver": "process",
            "hash": "thread",
            "printer": "thread",
        },
    )
    wrong_values = (
        wrong_value(
            right_values[0] | {"photo": "thread"}, "threads don't share out work", "the GIL"
        ),
        wrong_value(right_values[0] | {"photo": "loop"}, "stops everybody", "for 2 s"),
        wrong_value(
            right_values[0] | {"solver": "thread"}, "a thread can't be ended", "looks at no flag"
        ),
        wrong_value(right_values[0] | {"solver": "loop"}, "stops everybody", "a timeout"),
        wrong_value(right_values[0] | {"hash": "process"}, "sends what could stay", "500 MB"),
        wrong_value(right_values[0] | {"hash": "loop"}, "stops everybody", "in C"),
        wrong_value(right_values[0] | {"driver": "loop"}, "stops everybody", "20 ms"),
        wrong_value(right_values[0] | {"driver": "process"}, "a process for a wait", "waits"),
        wrong_value(right_values[0] | {"upload": "loop"}, "files block", "the disk"),
        wrong_value(right_values[0] | {"upload": "process"}, "sends what could stay", "50 MB"),
        wrong_value(right_values[0] | {"pages": "thread"}, "knows how to await", "AsyncClient"),
        wrong_value(right_values[0] | {"again": "thread"}, "knows how to await", "asyncio.sleep"),
        wrong_value(right_values[0] | {"sum": "process"}, "too little to send", "ten numbers"),
        wrong_value(right_values[0] | {"sum": "thread"}, "too little to send", "ten numbers"),
        wrong_value(
            right_values[0] | {"printer": "process"}, "can't be pickled", "stays in its process"
        ),
        wrong_value(right_values[0] | {"printer": "loop"}, "stops everybody", "blocks"),
        wrong_value(right_values[0] | {"printer": "Thread"}, "value", "Each value is one of"),
    )

    BELIEFS = {
        ("photo", "thread"): (
            "threads don't share out work",
            "You gave the photo to a thread. It "
            "works in Python code for 2 s, and needs the GIL for all of it: the "
            "loop would get a turn every 5 ms or later.",
        ),
        ("photo", "loop"): (
            "stops everybody",
            "You left the photo on the loop: nobody else would have a turn for 2 s.",
        ),
        ("solver", "thread"): (
            "a thread can't be ended",
            "You gave the solver to a thread. It "
            "looks at no flag, and a thread can't be ended from outside.",
        ),
        ("solver", "loop"): (
            "stops everybody",
            "You left the solver on the loop. Not even a timeout could ring there.",
        ),
        ("hash", "process"): (
            "sends what could stay",
            "You gave the hash to a process: then "
            "500 MB have to be sent there. `hashlib` lets go of the GIL, so that "
            "a thread does as well.",
        ),
        ("hash", "loop"): (
            "stops everybody",
            "You left the hash on the loop. It computes in C, "
            "but it doesn't return before it is done.",
        ),
        ("driver", "loop"): (
            "stops everybody",
            "You left the driver on the loop: each question would stop all others for 20 ms.",
        ),
        ("driver", "process"): (
            "a process for a wait",
            "You gave the driver to a process. It "
            "waits, and a wait needs no core of its own: a thread is "
            "lighter.",
        ),
        ("upload", "loop"): (
            "files block",
            "You left the upload on the loop. There it waits for the disk, and everybody with it.",
        ),
        ("upload", "process"): (
            "sends what could stay",
            "You gave the upload to a process: then "
            "50 MB are sent there, only to be written. It waits for the "
            "disk, and a thread can do that.",
        ),
        ("pages", "thread"): (
            "knows how to await",
            "You gave the pages to a thread. AsyncClient "
            "is made for the loop: it awaits, and 200 waits overlap there.",
        ),
        ("pages", "process"): (
            "knows how to await",
            "You gave the pages to a process. AsyncClient "
            "is made for the loop: it awaits, and 200 waits overlap there.",
        ),
        ("again", "thread"): (
            "knows how to await",
            "You let a thread wait for 3 s. "
            "`asyncio.sleep` does it on the loop, and costs nothing.",
        ),
        ("again", "process"): (
            "knows how to await",
            "You let a process wait for 3 s. "
            "`asyncio.sleep` does it on the loop, and costs nothing.",
        ),
        ("sum", "thread"): (
            "too little to send",
            "You sent the sum away. To add up ten numbers "
            "takes a microsecond; to hand it to a thread takes far longer.",
        ),
        ("sum", "process"): (
            "too little to send",
            "You sent the sum away. To add up ten numbers "
            "takes a microsecond; to send it to a process takes far longer.",
        ),
        ("printer", "process"): (
            "can't be pickled",
            "You gave the printer to a process. An object "
            "that can't be pickled stays in its process.",
        ),
        ("printer", "loop"): (
            "stops everybody",
            "You left the printer on the loop, and its call blocks.",
        ),
    }

    def verify(self, places, lab):
        if isinstance(places, dict):
            for job, place in places.items():
                if place not in ("loop", "thread", "process"):
                    raise Wrong(
                        "value",
                        f"For {job!r} there stands {place!r}.",
                        try_='Each value is one of "loop", "thread" and "process".',
                    )
            for (job, place), (kind, says) in self.BELIEFS.items():
                if places.get(job) == place:
                    raise Wrong(kind, says, try_="")
        lab.equal(places, self.right_values[0], what="`places` is", secret=True)


MOST_IN_A_ROW = 10


class InSlices(Exercise):
    """Work in slices

    `weigh(item)` is an ordinary function. It computes for a moment and returns a number. It must be
    called from this thread only, for it is not made for several.

    Write a coroutine function `add_up(weigh, items)`: it returns the sum of `weigh(item)` over all
    items. After at most 10 calls, all others who are ready on the loop have a turn.
    """

    id = "slices-1"
    asks = "add_up"
    minutes, clock = 6, "real"  # a virtual one never jumps beside a task that is always ready
    limit = 6  # who sleeps for some milliseconds after each item is right, too
    hints = (
        "Who gives the others a turn? Only an `await` that really pauses.",
        "`await asyncio.sleep(0)` pauses for one turn of the loop.",
        "Count the calls, with `enumerate`, and pause after every tenth.",
    )

    def verify(self, add_up, lab):
        lab.told("with no items")
        lab.equal(lab.run(add_up, Scale().weigh, []).result, 0)
        scale = Scale()
        lab.told("with 100 items")

        async def main():
            other = asyncio.create_task(scale.others())
            try:
                return await add_up(scale.weigh, list(range(100)))
            finally:
                other.cancel()

        run = lab.run(main(), step=30)
        if scale.elsewhere:
            raise Wrong(
                "another thread",
                f"`weigh` was called {scale.elsewhere} times from "
                "another thread, and it is not made for that.",
                lab.line(r"to_thread|run_in_executor|Executor|Thread"),
                "Stay in this thread, and pause between the calls.",
            )
        if scale.calls < 100:
            raise Wrong(
                "not all of them",
                f"`weigh` was called {scale.calls} times for 100 items, in this process.",
                lab.line(r"Process|Executor\(") or lab.line(r"\bweigh\("),
                "Weigh each item once, here.",
            )
        if scale.most > MOST_IN_A_ROW:
            turns = (
                "the others never had a turn" if scale.most >= 100 else "then the others had a turn"
            )
            line, try_ = (
                lab.line(r"weigh\("),
                "Pause after every tenth call: `await asyncio.sleep(0)`.",
            )
            if sleeps := lab.line(r"\btime\.sleep"):
                line, try_ = (
                    sleeps,
                    "`time.sleep(0)` lets other threads run. The tasks of this "
                    "loop need an `await` that pauses.",
                )
            elif lab.line(r"gather|create_task|TaskGroup"):
                try_ = (
                    "Tasks that never pause run right after one another. Each must pause "
                    "itself, or leave the rest for later."
                )
            raise Wrong(
                "hog", f"`weigh` was called {scale.most} times in a row, {turns}.", line, try_
            )
        lab.equal(run.result, sum(range(100)))

    @right
    async def every_tenth(weigh, items):
        """Return the sum of `weigh(item)`; let the others have turns in between."""
        total = 0
        for number, item in enumerate(items, 1):
            total += weigh(item)
            if number % 10 == 0:
                await asyncio.sleep(0)
        return total

    @right
    async def after_each(weigh, items):
        total = 0
        for item in items:
            total += weigh(item)
            await asyncio.sleep(0)
        return total

    @right
    async def by_slices(weigh, items):
        total = 0
        for first in range(0, len(items), 10):
            total += sum(weigh(item) for item in items[first : first + 10])
            await asyncio.sleep(0)
        return total

    @right
    async def with_a_real_sleep(weigh, items):
        total = 0
        for item in items:
            total += weigh(item)
            await asyncio.sleep(0.01)
        return total

    @wrong("not async", says="async def")
    def as_a_plain_function(weigh, items):
        return sum(weigh(item) for item in items)

    @wrong("hog", says="100 times in a row")
    async def in_one_go(weigh, items):
        return sum(weigh(item) for item in items)

    @wrong("hog", says="never had a turn")
    async def awaits_what_never_pauses(weigh, items):
        async def one(item):
            return weigh(item)

        return sum([await one(item) for item in items])

    @wrong("hog", says="Tasks that never pause")
    async def with_gather(weigh, items):
        async def one(item):
            return weigh(item)

        return sum(await asyncio.gather(*(one(item) for item in items)))

    @wrong("hog", says="lets other threads run")
    async def sleeps_the_thread(weigh, items):
        total = 0
        for item in items:
            total += weigh(item)
            time.sleep(0)
        return total

    @wrong("hog", says="50 times in a row")
    async def too_rarely(weigh, items):
        total = 0
        for number, item in enumerate(items, 1):
            total += weigh(item)
            if number % 50 == 0:
                await asyncio.sleep(0)
        return total

    @wrong("not awaited", says="sleep")
    async def forgets_to_await(weigh, items):
        total = 0
        for item in items:
            total += weigh(item)
            asyncio.sleep(0)
        return total

    @wrong("another thread", says="100 times from another thread")
    async def in_a_thread(weigh, items):
        return await asyncio.to_thread(lambda: sum(weigh(item) for item in items))

    @wrong("value", says="100")
    async def counts_them(weigh, items):
        total = 0
        for item in items:
            weigh(item)
            total += 1
            await asyncio.sleep(0)
        return total


class Scale:
    """Counts calls of `weigh`: all, most of them in a row, and those from another thread."""

    def __init__(self):
        self.thread = threading.get_ident()
        self.calls = self.row = self.most = self.elsewhere = 0

    def weigh(self, item):
        self.calls += 1
        self.row += 1
        self.most = max(self.most, self.row)
        self.elsewhere += threading.get_ident() != self.thread
        return item

    async def others(self):
        while True:
            self.row = 0
            await asyncio.sleep(0)


class StopTheSearch(Exercise):
    """Stop a thread that searches

    `look(place)` is an ordinary function that blocks for a moment. It returns True if what we look
    for is there. Write a coroutine function `search(look, places, seconds)`. It looks into one
    place after another, off the loop's thread, and returns the first place where it is.

    - If it is nowhere, return None.
    - If it isn't found after `seconds`, return None.
    - When `search` is over, nobody looks on, however it ended: after `seconds`, or because it was
      cancelled from outside. (A `look` that has begun can't be stopped; it may go on to its end.)
    """

    id = "search-1"
    asks = "search"
    minutes, clock = 10, "real"
    limit = 6
    hints = (
        "What is cancelled when a timeout ends `await asyncio.to_thread(walk)`? And who goes on?",
        "A `threading.Event` is seen by both. The thread looks at it before each place.",
        "Set the flag in a `finally`: that runs after a timeout and after a cancellation.",
    )

    def verify(self, search, lab):
        self._finds(search, lab)
        self._runs_out_of_time(search, lab)
        self._is_cancelled(search, lab)

    def _finds(self, search, lab):
        lab.told("for something in the third place of four")
        places = Places(found="c")
        lab.equal(lab.run(search, lab.blocking(places.look), list("abcd"), 5).result, "c")
        if len(places.seen) > 3:
            raise Wrong(
                "looked on",
                f"It was found in the third place, and {len(places.seen)} were looked into.",
                lab.line(r"look\(|to_thread|run_in_executor|submit"),
                "Return as soon as `look` says True.",
            )
        lab.told("for something that is in none of three places")
        lab.equal(lab.run(search, lab.blocking(Places().look), list("abc"), 5).result, None)

    def _runs_out_of_time(self, search, lab):
        places, after = Places(), []
        lab.told("with 300 places and 0.1 s; each `look` takes 10 ms")

        async def tick():
            await asyncio.sleep(0.01)

        async def main():
            ticks = asyncio.create_task(tick())
            task = asyncio.create_task(search(lab.blocking(places.look), range(300), 0.1))
            done, _ = await asyncio.wait([task], timeout=2)
            if not done:
                places.over = True
                task.cancel()
                raise Wrong(
                    "did not end in time",
                    "2 s later it still searched.",
                    lab.line(r"timeout|wait_for|\bawait\b"),
                    "Return None after `seconds`, while the thread may still be in `look`.",
                )
            if not ticks.done():
                places.over = True
                raise Wrong(
                    "blocked",
                    "A task beside it, which slept for 10 ms, had no turn before it returned.",
                    lab.line(r"\.join\(|\.result\(|wait\(|shutdown"),
                    "`join` and its like hold the loop's own thread. Await something of "
                    "asyncio's: `await asyncio.to_thread(…)`.",
                )
            after.append(await places.looked_on())
            return task.result()

        lab.equal(lab.run(main()).result, None)
        self._nobody_looks_on(lab, places, after[0], "It returned None after 0.1 s")

    def _is_cancelled(self, search, lab):
        places, after = Places(), []
        lab.told("with 300 places and 5 s, and cancelled it after 0.1 s")

        async def main():
            task = asyncio.create_task(search(lab.blocking(places.look), range(300), 5))
            await asyncio.sleep(0.1)
            task.cancel()
            done, _ = await asyncio.wait([task], timeout=1)
            if not done or not task.cancelled():
                places.over = True
                error = done and task.exception()
                if error:
                    raise error
                raise Wrong(
                    "swallowed",
                    "It went on, or returned as if nothing had happened.",
                    lab.line(r"^\s*except\b|suppress"),
                )
            after.append(await places.looked_on())

        lab.run(main())
        self._nobody_looks_on(lab, places, after[0], "It was cancelled after 0.1 s")

    def _nobody_looks_on(self, lab, places, more, ended):
        # One may have begun just when the flag was set.
        if more > 1:
            line = lab.line(r"to_thread|run_in_executor|submit|Thread\(")
            flag = lab.line(r"\.set\(\)|is_set\(\)")
            try_ = (
                "Cancelling ends the waiting, not the thread. Give the thread a flag, a "
                "`threading.Event`, that it looks at before each place."
            )
            if flag:
                line = flag
                try_ = (
                    "The flag must be set however `search` ends, in a `finally`, and the "
                    "thread must look at it before each place."
                )
            raise Wrong(
                "the thread worked on",
                f"{ended}, and {more} more places were looked into in the next 0.15 s.",
                line,
                try_,
            )

    equivalent = {
        "with_a_flag: drop return, line 20": "a function that ends returns None, too",
        "place_by_place: drop return, line 11": "a function that ends returns None, too",
    }

    @right
    async def with_a_flag(look, places, seconds):
        """Return the first of `places` where `look` says True, or None after `seconds`."""
        stop = threading.Event()

        def walk():
            for place in places:
                if stop.is_set():
                    return None
                if look(place):
                    return place

        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(walk)
        except TimeoutError:
            return None
        finally:
            stop.set()

    @right
    async def place_by_place(look, places, seconds):
        try:
            async with asyncio.timeout(seconds):
                for place in places:
                    if await asyncio.to_thread(look, place):
                        return place
        except TimeoutError:
            return None

    @wrong("the thread worked on", says="Give the thread a flag")
    async def without_a_flag(look, places, seconds):
        def walk():
            for place in places:
                if look(place):
                    return place

        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(walk)
        except TimeoutError:
            return None

    @wrong("the thread worked on", says="must look at it")
    async def never_looks_at_the_flag(look, places, seconds):
        stop = threading.Event()

        def walk():
            for place in places:
                if look(place):
                    return place

        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(walk)
        except TimeoutError:
            return None
        finally:
            stop.set()

    @wrong("the thread worked on", says="It was cancelled after 0.1 s")
    async def flag_after_a_timeout_only(look, places, seconds):
        stop = threading.Event()

        def walk():
            for place in places:
                if stop.is_set():
                    return None
                if look(place):
                    return place

        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(walk)
        except TimeoutError:
            stop.set()
            return None

    @wrong("the thread worked on", says="must look at it")
    async def looks_at_the_flag_once(look, places, seconds):
        stop = threading.Event()

        def walk():
            if stop.is_set():
                return None
            for place in places:
                if look(place):
                    return place

        try:
            return await asyncio.wait_for(asyncio.to_thread(walk), seconds)
        except TimeoutError:
            return None
        finally:
            stop.set()

    @wrong("blocked", says="look")
    async def on_the_loop(look, places, seconds):
        try:
            async with asyncio.timeout(seconds):
                for place in places:
                    if look(place):
                        return place
                    await asyncio.sleep(0)
        except TimeoutError:
            return None

    @wrong("blocked", says="`t.join(seconds)`")
    async def joins_the_thread(look, places, seconds):
        found, stop = [], threading.Event()

        def walk():
            for place in places:
                if stop.is_set():
                    break
                if look(place):
                    found.append(place)
                    break

        t = threading.Thread(target=walk)
        t.start()
        t.join(seconds)
        stop.set()
        return found[0] if found else None

    @wrong("swallowed", says="as if nothing had happened")
    async def swallows_the_cancellation(look, places, seconds):
        stop = threading.Event()

        def walk():
            for place in places:
                if stop.is_set():
                    return None
                if look(place):
                    return place

        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(walk)
        except (TimeoutError, asyncio.CancelledError):
            return None
        finally:
            stop.set()

    @wrong("did not end in time", says="2 s later")
    async def without_a_deadline(look, places, seconds):
        for place in places:
            if await asyncio.to_thread(look, place):
                return place

    @wrong("looked on", says="4 were looked into")
    async def looks_everywhere(look, places, seconds):
        stop = threading.Event()

        def walk():
            found = None
            for place in places:
                if stop.is_set():
                    return None
                if look(place) and found is None:
                    found = place
            return found

        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(walk)
        except TimeoutError:
            return None
        finally:
            stop.set()


class Places:
    """Places to look into, each for 10 ms: seen, a list of them. over: no more waiting."""

    def __init__(self, found=None):
        self.found, self.seen, self.over = found, [], False

    def look(self, place):
        self.seen.append(place)
        if not self.over:
            time.sleep(0.01)
        return place == self.found

    async def looked_on(self):
        """How many places are looked into in the next 0.15 s."""
        before = len(self.seen)
        await asyncio.sleep(0.15)
        self.over = True
        return len(self.seen) - before


class LeaveThePool(Exercise):
    """Leave a pool without losing a result

    `work(item)` is an ordinary function that blocks for a while. Write a coroutine function
    `crunch(work, items, seconds)`. It lets two threads of a pool of its own work on the items.

    - After `seconds`, what has not begun is cancelled. What has begun comes to its end.
    - Return a dict from item to result, of all that were begun.
    - When it returns, nobody works any more, and the pool is shut down.
    - The loop is never blocked, not even while the last ones come to their end.
    """

    id = "leave-pool-1"
    asks = "crunch"
    minutes, clock = 10, "real"
    limit = 6
    hints = (
        "`pool.shutdown(cancel_futures=True)` does most of it. In which thread does it wait?",
        "`pool.submit` returns a future. After the shutdown each is done or cancelled.",
        "Hand in everything, `await asyncio.sleep(seconds)`, "
        "`await asyncio.to_thread(pool.shutdown, cancel_futures=True)`, and ask each future.",
    )

    def verify(self, crunch, lab):
        lab.told("with 20 items of 0.1 s each and `seconds=0.45`")
        bench = Bench()
        items = [f"item {number}" for number in range(20)]

        async def main():
            ticks = asyncio.create_task(bench.tick())
            try:
                return await lab.awaitable(crunch(bench.work, items, 0.45)), bench.working
            except (CancelledError, asyncio.CancelledError):
                raise Wrong(
                    "asked a cancelled job",
                    "The result of a job was asked for that had been cancelled.",
                    lab.line(r"result\(|gather|await \w+$"),
                    "Ask only those that were not: `if not job.cancelled()`.",
                ) from None
            finally:
                ticks.cancel()

        with bench.watched(lab):
            result, working = lab.run(main()).result
        if bench.blocked:
            what, place = bench.blocked
            raise Wrong(
                "blocked",
                f"`{what}` waited on the loop's own thread, while the pool still worked.",
                place or lab.line(r"\bwith\b|shutdown|result\("),
                "Hand the waiting to a thread, `await asyncio.to_thread(pool.shutdown, "
                "…)`, and ask for results only when they are there. The end of a `with` "
                "around a pool is a `shutdown`.",
            )
        if bench.on_the_loop:
            raise Wrong(
                "blocked", "`work` was called on the loop's own thread.", lab.line(r"work\(")
            )
        # Counted by threads: on a busy machine the first of twenty may be done before the last begins.
        if len(bench.hands) > 2:
            raise Wrong(
                "limit",
                f"{len(bench.hands)} threads worked on the items, and two are asked for.",
                lab.line(r"Executor\(|to_thread|run_in_executor|Thread\("),
                "Make a pool of two: `ThreadPoolExecutor(2)`.",
            )
        if bench.most_unseen > 2:
            raise Wrong(
                "blocked",
                f"{bench.most_unseen} items, of 0.1 s each, came to their end "
                "between two ticks of a task beside it that ticks every 10 ms.",
                lab.line(r"\bwait\(|sleep\(|as_completed|map\(|join\("),
                "Await something of asyncio's, or hand the waiting to a thread.",
            )
        if bench.most < 2:
            raise Wrong(
                "sequential",
                f"At most {bench.most} of them was worked on at once; two threads can do two.",
                lab.line(r"\bawait\b"),
                "Hand all of them in before you wait for any.",
            )
        if working:
            raise Wrong(
                "left them working",
                f"It returned, and {working} of the items were still being worked on.",
                lab.line(r"wait=False|shutdown|wait\("),
                "Wait for those that have begun: `shutdown` does, if you let it.",
            )
        if len(bench.begun) == len(items):
            raise Wrong(
                "did all of them",
                "After 0.45 s most items had not begun, and all 20 were done.",
                lab.line(r"shutdown|\bwith\b"),
                "Cancel those that have not begun: `cancel_futures=True`.",
            )
        if not isinstance(result, dict):
            raise Wrong(
                "value", f"It returned {result!r:.80}.", try_="Return a dict from item to result."
            )
        if lost := [item for item in bench.begun if item not in result]:
            raise Wrong(
                "lost results",
                f"{len(bench.begun)} items were begun, and for "
                f"{len(lost)} of them there is no result in what it returned.",
                lab.line(r"done\(\)|return|timeout"),
                "What was under way is done once the shutdown has ended. Collect after that.",
            )
        lab.equal(result, {item: item.upper() for item in bench.begun})
        if bench.shutdowns == 0:
            raise Wrong(
                "left the pool open",
                "Nobody called `shutdown`.",
                lab.line(r"Executor"),
                "Shut it down, or its threads wait for more work.",
            )

    @right
    async def with_submit(work, items, seconds):
        """Return {item: work(item)} of all that were begun within `seconds`."""
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
        return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

    @right
    async def with_run_in_executor(work, items, seconds):
        loop, pool = asyncio.get_running_loop(), ThreadPoolExecutor(2)
        jobs = {item: loop.run_in_executor(pool, work, item) for item in items}
        await asyncio.wait(jobs.values(), timeout=seconds)
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
        await asyncio.wait(jobs.values())
        return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

    @right
    async def by_two_tasks(work, items, seconds):
        loop, results, rest = asyncio.get_running_loop(), {}, iter(items)
        ends = loop.time() + seconds

        async def worker():
            for item in rest:
                if loop.time() > ends:
                    break
                results[item] = await loop.run_in_executor(pool, work, item)

        with ThreadPoolExecutor(2) as pool:  # nothing is under way any more at its end
            await asyncio.gather(worker(), worker())
        return results

    @right
    async def all_of_it_in_a_thread(work, items, seconds):
        def in_the_manner_of_threads():
            with ThreadPoolExecutor(2) as pool:
                jobs = {item: pool.submit(work, item) for item in items}
                wait(jobs.values(), timeout=seconds)
                pool.shutdown(cancel_futures=True)
            return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

        return await asyncio.to_thread(in_the_manner_of_threads)

    @wrong("blocked", says="The end of a `with`")
    async def in_a_with_block(work, items, seconds):
        with ThreadPoolExecutor(2) as pool:
            jobs = {item: pool.submit(work, item) for item in items}
            await asyncio.sleep(seconds)
            for job in jobs.values():
                job.cancel()
        return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

    @wrong("blocked", says="`shutdown` waited")
    async def shuts_down_on_the_loop(work, items, seconds):
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        pool.shutdown(cancel_futures=True)
        return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

    @wrong("blocked", says="`result` waited")
    async def asks_for_results_too_early(work, items, seconds):
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        pool.shutdown(wait=False, cancel_futures=True)
        return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

    @wrong("left them working", says="2 of the items")
    async def does_not_wait(work, items, seconds):
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        pool.shutdown(wait=False, cancel_futures=True)
        return {
            item: job.result() for item, job in jobs.items() if job.done() and not job.cancelled()
        }

    @wrong("not async", says="Begin it with `async def`")
    def without_async(work, items, seconds):
        with ThreadPoolExecutor(2) as pool:
            return dict(zip(items, pool.map(work, items[:4])))

    @wrong("lost results", says="there is no result")
    async def collects_before_the_end(work, items, seconds):
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        results = {item: job.result() for item, job in jobs.items() if job.done()}
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
        return results

    @wrong("did all of them", says="cancel_futures=True")
    async def waits_for_all(work, items, seconds):
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        await asyncio.to_thread(pool.shutdown)
        return {item: job.result() for item, job in jobs.items()}

    @wrong("asked a cancelled job", says="not job.cancelled()")
    async def asks_the_cancelled(work, items, seconds):
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
        return {item: job.result() for item, job in jobs.items()}

    @wrong("lost results", says="there is no result")
    async def with_a_timeout_around_all(work, items, seconds):
        loop, pool, results = asyncio.get_running_loop(), ThreadPoolExecutor(2), {}

        async def one(item):
            results[item] = await loop.run_in_executor(pool, work, item)

        try:
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                for item in items:
                    group.create_task(one(item))
        except TimeoutError:
            pass
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
        return results

    @wrong("blocked", says="every 10 ms")
    async def waits_in_the_manner_of_threads(work, items, seconds):
        pool = ThreadPoolExecutor(2)
        jobs = {item: pool.submit(work, item) for item in items}
        wait(jobs.values(), timeout=seconds)
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
        return {item: job.result() for item, job in jobs.items() if not job.cancelled()}

    @wrong("sequential", says="two threads can do two")
    async def one_at_a_time(work, items, seconds):
        pool, results = ThreadPoolExecutor(2), {}
        loop = asyncio.get_running_loop()
        ends = loop.time() + seconds
        for item in items:
            if loop.time() > ends:
                break
            results[item] = await loop.run_in_executor(pool, work, item)
        await asyncio.to_thread(pool.shutdown)
        return results

    @wrong("limit", says="threads worked on the items")
    async def a_thread_each(work, items, seconds):
        pool = ThreadPoolExecutor(len(items))
        jobs = {item: pool.submit(work, item) for item in items}
        await asyncio.sleep(seconds)
        await asyncio.to_thread(pool.shutdown, cancel_futures=True)
        return {item: job.result() for item, job in jobs.items() if not job.cancelled()}


class Bench:
    """Notes what is done to the items, and what of a pool blocks the loop.

    begun: items, in order. working, most: at work now, and at once at most. hands: the threads
    that worked. shutdowns: calls of it. blocked: (what, place) of the first call that waited on a
    loop's thread, or None. most_unseen: most items that came to their end between two turns of a
    task beside it, while the loop's thread was busy with something else than its own waiting.
    """

    def __init__(self):
        self.begun, self.working, self.most = [], 0, 0
        self.shutdowns, self.blocked, self.on_the_loop = 0, None, False
        self.unseen = self.most_unseen = 0
        self.hands, self.loops_own = set(), threading.get_ident()
        self.lock = threading.Lock()

    async def tick(self):
        while True:
            await asyncio.sleep(0.01)
            self.unseen = 0

    def work(self, item):
        with self.lock:
            self.begun.append(item)
            self.working += 1
            self.hands.add(threading.current_thread())
            self.most = max(self.most, self.working)
            self.on_the_loop |= asyncio._get_running_loop() is not None
        time.sleep(0.1)
        with self.lock:
            self.working -= 1
            # A loop that waits stands in its selector. Beside a busy machine it may stand there for
            # long before it has its turn, and that is nobody's fault.
            if not sys._current_frames()[self.loops_own].f_code.co_name.endswith("select"):
                self.unseen += 1
                self.most_unseen = max(self.most_unseen, self.unseen)
        return item.upper()

    def watched(self, lab):
        """A context in which the calls of a pool that may block are looked at."""
        shutdown, result = ThreadPoolExecutor.shutdown, Future.result

        def note(what):
            on_loop = asyncio._get_running_loop() is not None
            if on_loop and self.working and not self.blocked:
                self.blocked = what, lab.line(rf"\.{what}\(") or lab.line(r"^\s*with\b")

        def watched_shutdown(pool, wait=True, *, cancel_futures=False):
            self.shutdowns += 1
            if wait:
                note("shutdown")
            return shutdown(pool, wait, cancel_futures=cancel_futures)

        def watched_result(future, timeout=None):
            if not future.done():
                note("result")
            return result(future, timeout)

        stack = contextlib.ExitStack()
        stack.enter_context(mock.patch.object(ThreadPoolExecutor, "shutdown", watched_shutdown))
        stack.enter_context(mock.patch.object(Future, "result", watched_result))
        return stack


class ListenToAThread(Exercise):
    """Listen to a thread

    `subscribe(callback)` starts a thread and returns at once. The thread calls `callback(word)` for
    each word that it hears, now and then, and `callback(None)` when there will be no more.

    Write a coroutine function `listen(subscribe)`: it returns the list of words, in order. While it
    waits for them, the loop is free, and sleeps if it has nothing else to do.
    """

    id = "listen-1"
    asks = "listen"
    minutes, clock = 8, "real"
    limit = 5
    hints = (
        "In which thread does your callback run? And in which one is the loop?",
        "An `asyncio.Queue` holds what has come. Only the loop's own thread may touch it.",
        "`loop.call_soon_threadsafe(words.put_nowait, word)`; take the loop before, in `listen`.",
    )

    def verify(self, listen, lab):
        lab.told("with a thread that says five words in 0.25 s")
        speaker = Speaker(["one", "two", "two", "three", "four"])

        async def main():
            loop = asyncio.get_running_loop()
            # Debug mode tells of each who comes by another door than call_soon_threadsafe.
            loop.set_debug(True)
            loop.slow_callback_duration = 60
            speaker.failed = loop.create_future()
            listening = asyncio.ensure_future(lab.awaitable(listen(speaker.subscribe)))
            ticks, turns = asyncio.create_task(speaker.tick()), loop.turns
            done, _ = await asyncio.wait(
                {listening, speaker.failed}, timeout=2.5, return_when=asyncio.FIRST_COMPLETED
            )
            ticks.cancel()
            turns = loop.turns - turns
            if speaker.error:
                listening.cancel()
                raise self._about(speaker.error, lab)
            if not done:
                listening.cancel()
                lab.check_awaited()
                raise Wrong(
                    "endless",
                    "Two seconds after the last word it had not returned.",
                    lab.line(r"\bwhile\b|\bget\(|await"),
                    "`callback(None)` says that there will be no more. Does `listen` hear of it?",
                )
            speaker.failed.cancel()
            result = listening.result()
            if not speaker.said:
                raise Wrong(
                    "did not wait",
                    f"It returned {result!r:.80} before the first word was said.",
                    lab.line(r"subscribe\("),
                    "`subscribe` returns at once. Wait for the `None`.",
                )
            if speaker.ended and time.perf_counter() - speaker.ended > 0.6:
                raise Wrong(
                    "waited too long",
                    "It returned long after the last word.",
                    lab.line(r"sleep\(|timeout"),
                    "Don't guess how long it takes. Wait for the `None`.",
                )
            if speaker.ticks == 0:
                raise Wrong(
                    "blocked",
                    "While it waited for the words, a task beside it that ticks "
                    "every 10 ms had no turn at all.",
                    lab.line(r"\.get\(|join\(|wait\(|result\("),
                    "A `queue.Queue`, a `threading.Event` and `join` block the thread. On "
                    "the loop, await something of asyncio's.",
                )
            if turns > 1000:
                raise Wrong(
                    "spin",
                    f"The loop took {turns:,} turns in 0.25 s.",
                    lab.line(r"sleep\(0\)|\bwhile\b"),
                )
            return result

        try:
            run = lab.run(main())
        finally:
            speaker.join()
        lab.equal(run.result, speaker.words)

    def _about(self, error, lab):
        text = str(error)
        line = lab.line(r"put|set|append|call_soon|create_task")
        if "Non-thread-safe" in text:
            return Wrong(
                "came by the wrong door",
                "The callback, in its thread, touched what "
                f"belongs to the loop. Debug mode said: {text}.",
                line,
                "Nothing wakes the loop for that. Let the loop do it: "
                "`loop.call_soon_threadsafe(function, argument)`.",
            )
        if "no running event loop" in text or "no current event loop" in text:
            return Wrong(
                "no loop in that thread",
                f"The callback raised {text}: it runs in a "
                "thread of its own, and there is no loop.",
                lab.line(r"get_running_loop|get_event_loop|create_task"),
                "Take the loop before, in `listen`, and let the callback use it.",
            )
        if "coroutine" in text:
            return Wrong(
                "a coroutine for a callback",
                f"Python said: {text}.",
                lab.line(r"call_soon"),
                "`call_soon_threadsafe` takes an ordinary function, as `put_nowait`. For "
                "a coroutine there is `asyncio.run_coroutine_threadsafe`.",
            )
        return Wrong("raised", f"The callback raised {type(error).__name__}: {text}.", line)

    @right
    async def with_put_nowait(subscribe):
        """Return the words that the thread says, in order."""
        loop, words, heard = asyncio.get_running_loop(), asyncio.Queue(), []
        subscribe(lambda word: loop.call_soon_threadsafe(words.put_nowait, word))
        while (word := await words.get()) is not None:
            heard.append(word)
        return heard

    @right
    async def with_a_future(subscribe):
        loop, heard = asyncio.get_running_loop(), []
        over = loop.create_future()

        def callback(word):
            if word is None:
                loop.call_soon_threadsafe(over.set_result, None)
            else:
                heard.append(word)

        subscribe(callback)
        await over
        return heard

    @right
    async def with_a_coroutine(subscribe):
        loop, words, heard = asyncio.get_running_loop(), asyncio.Queue(), []
        subscribe(lambda word: asyncio.run_coroutine_threadsafe(words.put(word), loop))
        while (word := await words.get()) is not None:
            heard.append(word)
        return heard

    @right
    async def with_to_thread(subscribe):
        words, heard = queue.Queue(), []
        subscribe(words.put)
        while (word := await asyncio.to_thread(words.get)) is not None:
            heard.append(word)
        return heard

    @wrong("came by the wrong door", says="call_soon_threadsafe")
    async def puts_directly(subscribe):
        words, heard = asyncio.Queue(), []
        subscribe(words.put_nowait)
        while (word := await words.get()) is not None:
            heard.append(word)
        return heard

    @wrong("came by the wrong door", says="Nothing wakes the loop")
    async def sets_an_event(subscribe):
        over, heard = asyncio.Event(), []

        def callback(word):
            if word is None:
                over.set()
            else:
                heard.append(word)

        subscribe(callback)
        await over.wait()
        return heard

    @wrong("came by the wrong door", says="wakes the loop")
    async def with_call_soon(subscribe):
        loop, words, heard = asyncio.get_running_loop(), asyncio.Queue(), []
        subscribe(lambda word: loop.call_soon(words.put_nowait, word))
        while (word := await words.get()) is not None:
            heard.append(word)
        return heard

    @wrong("a coroutine for a callback", says="put_nowait")
    async def hands_over_a_coroutine_function(subscribe):
        loop, words, heard = asyncio.get_running_loop(), asyncio.Queue(), []
        subscribe(lambda word: loop.call_soon_threadsafe(words.put, word))
        while (word := await words.get()) is not None:
            heard.append(word)
        return heard

    @wrong("no loop in that thread", says="Take the loop before")
    async def asks_for_the_loop_too_late(subscribe):
        words, heard = asyncio.Queue(), []

        def callback(word):
            asyncio.get_running_loop().call_soon_threadsafe(words.put_nowait, word)

        subscribe(callback)
        while (word := await words.get()) is not None:
            heard.append(word)
        return heard

    @wrong("not async", says="Begin it with `async def`")
    def without_async(subscribe):
        words = queue.Queue()
        subscribe(words.put)
        return list(iter(words.get, None))

    @wrong("blocked", says="no turn at all")
    async def with_a_queue_for_threads(subscribe):
        words, heard = queue.Queue(), []
        subscribe(words.put)
        while (word := words.get()) is not None:
            heard.append(word)
        return heard

    @wrong("spin", says="turns in 0.25 s")
    async def asks_again_and_again(subscribe):
        heard = []
        subscribe(heard.append)
        while not heard or heard[-1] is not None:
            await asyncio.sleep(0)
        return heard[:-1]

    @wrong("did not wait", says="before the first word")
    async def returns_at_once(subscribe):
        heard = []
        subscribe(lambda word: word and heard.append(word))
        return heard

    @wrong("waited too long", says="Wait for the `None`")
    async def guesses_how_long(subscribe):
        heard = []
        subscribe(heard.append)
        await asyncio.sleep(2)
        return heard[:-1]

    @wrong("value", says="None")
    async def keeps_the_end(subscribe):
        loop, words, heard = asyncio.get_running_loop(), asyncio.Queue(), []
        subscribe(lambda word: loop.call_soon_threadsafe(words.put_nowait, word))
        while not heard or heard[-1] is not None:
            heard.append(await words.get())
        return heard

    @wrong("not awaited", says="put")
    async def calls_a_coroutine(subscribe):
        words, heard = asyncio.Queue(), []
        subscribe(lambda word: words.put(word))
        while (word := await words.get()) is not None:
            heard.append(word)
        return heard


class Speaker:
    """Says words in a thread, so far said, and counts the ticks of a task beside it. error: what the
    callback raised; then `failed`, a future, is done. ended: when the last was said.
    """

    def __init__(self, words):
        self.words, self.said = words, 0
        self.ticks, self.error, self.failed = 0, None, None
        self.thread = self.ended = None

    def subscribe(self, callback):
        self.thread = threading.Thread(target=self._speak, args=(callback,), daemon=True)
        self.thread.start()

    def _speak(self, callback):
        try:
            for word in [*self.words, None]:
                time.sleep(0.05)
                self.said += 1
                callback(word)
            self.ended = time.perf_counter()
        except Exception as error:
            self.error = error
            loop = self.failed.get_loop()
            loop.call_soon_threadsafe(self.failed.set_result, None)

    async def tick(self):
        while True:
            await asyncio.sleep(0.01)
            self.ticks += 1

    def join(self):
        if self.thread:
            self.thread.join(1)
