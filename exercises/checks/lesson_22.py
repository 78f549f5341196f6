"""Exercises of lesson 22: when not."""

import asyncio
import statistics
import time

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value

TOOLS = {
    "a": "plain Python",
    "b": "asyncio",
    "c": "processes",
    "d": "threads",
    "e": "plain Python",
    "f": "asyncio and processes",
}
FAULTS = {
    "a": "limits differ",
    "b": "errors count as answers",
    "c": "first run",
    "d": "client too slow",
    "e": "one point",
    "f": "none",
}


class Choose(Exercise):
    """Choose the tool

    Six programs. Set `tools` to a dict from the letter to one of "plain Python", "threads",
    "processes", "asyncio" and "asyncio and processes". Where two would do, take the simpler one.

    - `a`: reads a configuration file, asks one web service, prints its answer, ends.
    - `b`: a chat server, some 5,000 people connected, most of them silent.
    - `c`: fits a statistical model to each of 300 tables.
    - `d`: a desktop program of beginners in Python. It uses a library that blocks, to save 5 files
      at once over the network while its window stays alive.
    - `e`: computes one very large prime.
    - `f`: takes 2,000 pictures from the web and computes a thumbnail of each, 50 ms of work.
    """

    id = "choose-1"
    asks = "tools"
    minutes = 6
    hints = (
        "Ask first: does it compute, or does it wait?",
        "Then: how many things wait at once? One, a few, or thousands?",
        "One computation can't be split by any of them. And `f` has a lot of both.",
    )
    right_values = (TOOLS,)
    wrong_values = (
        wrong_value(TOOLS | {"a": "asyncio"}, "nothing to overlap",
                    "`a` asks one service once. There is nothing that could go on meanwhile, so "
                    "asyncio buys nothing. What is the simplest that does it?"),
        wrong_value(TOOLS | {"c": "threads"}, "threads for computing",
                    "`c` computes. Threads share one core (with the GIL), so 300 fits take as long "
                    "as in turn. What has a core of its own?"),
        wrong_value(TOOLS | {"c": "asyncio"}, "asyncio for computing",
                    "`c` computes, and never waits. On a loop the first fit would hold up all "
                    "others. What has a core of its own?"),
        wrong_value(TOOLS | {"b": "threads"}, "a thread for each of thousands",
                    "`b` would need 5,000 threads, nearly all of them asleep. What waits cheaply?"),
        wrong_value(TOOLS | {"d": "asyncio"}, "async for a few blocking calls",
                    "`d` has five things at once and a library that blocks. On a loop each call "
                    "would have to go to a thread anyway. What is left if the loop goes?"),
        wrong_value(TOOLS | {"e": "processes"}, "cores for one computation",
                    "`e` is one computation. A second process would have nothing to do. What is "
                    "the simplest that does it?"),
        wrong_value(TOOLS | {"f": "asyncio"}, "computing on the loop",
                    "`f` waits a lot and computes a lot: 2,000 times 50 ms are 100 s of work, and "
                    "on the loop nothing else would go on meanwhile. Where can that go?"),
        wrong_value(TOOLS | {"f": "processes"}, "a process for each wait",
                    "`f` computes a lot, but it waits a lot as well: a process that waits for the "
                    "web does nothing else. What lets thousands of waits overlap?"),
    )  # fmt: skip


class Fault(Exercise):
    """What is wrong with the benchmark?

    Six benchmarks of a threaded server T and an async server A. Set `faults` to a dict from the
    letter to one of "limits differ", "errors count as answers", "first run", "client too slow",
    "one point" and "none".

    - `a`: T runs with 8 threads; A may have 1,000 requests under way. 1,000 clients ask at once.
    - `b`: 500 clients at once. T refused 400 of them, the other 100 took 0.2 s; A served 500 in
      0.9 s. Reported: "T needs 0.2 s, A 0.9 s".
    - `c`: each server is started, asked once by one client, and stopped. The times include its
      imports.
    - `d`: one client asks one request after another; it needs 10 ms for each by itself. T and A
      both come to 97 requests a second. Reported: "no difference".
    - `e`: same work and limits, five runs in turns, errors counted; at 50 clients A is 1.1 times as
      fast. Reported: "A is faster for any number of clients".
    - `f`: same work and limits, five runs in turns, errors counted, 1 to 1,000 clients. Reported:
      a line for each server.
    """

    id = "fault-1"
    asks = "faults"
    minutes = 6
    hints = (
        "Go through the five points of the lesson for each of them.",
        "In `d`, compute how many requests a second that client can ask at most.",
        "Exactly one of them is fair.",
    )
    right_values = (FAULTS,)
    wrong_values = (
        wrong_value(FAULTS | {"b": "none"}, "a refusal is no answer",
                    "In `b` four of five clients of T got nothing, and quickly. What counts as an "
                    "answer there?"),
        wrong_value(FAULTS | {"d": "none"}, "bound by the client",
                    "In `d` a client that needs 10 ms for a request asks at most 100 a second. "
                    "Which server could have shown more than that?"),
        wrong_value(FAULTS | {"c": "one point"}, "what the time holds",
                    "`c` asks once, true. But look at what its times are made of: which part "
                    "will be gone at the second request?"),
        wrong_value(FAULTS | {"e": "none"}, "said more than was measured",
                    "`e` was measured well, at 50 clients. What does it say about 1, or 5,000?"),
        wrong_value(FAULTS | {"a": "one point"}, "the limits",
                    "`a` has one number of clients, true. But before that: how many requests may "
                    "each server have under way?"),
    )  # fmt: skip


class Bench(Exercise):
    """A fair benchmark

    Write `bench(ways, rounds, clock)`: `ways` is a dict from a name to a function without
    parameters, `clock()` tells the time in seconds. It returns a dict from each name to the median
    of its times, in the order of `ways`.

    - Before anything is measured, each way runs once, in the order of `ways`: that run doesn't
      count.
    - Then `rounds` rounds; in each round every way runs once, in the order of `ways`.
    - A way that raises an error ends the benchmark: the error comes out.

    `statistics.median` makes a median.
    """

    id = "bench-1"
    asks = "bench"
    minutes = 10
    hints = (
        "Two loops, one in the other. Which is the outer one: rounds or ways?",
        "Collect a list of times for each name: `times = {name: [] for name in ways}`.",
        "`for way in ways.values(): way()` first; then `for _ in range(rounds): for name, way in "
        "ways.items(): …`",
    )

    def verify(self, bench, lab):
        lab.told("with three ways on a clock of mine, for 3 rounds")
        now, ran = [100.0], []

        def way(name, lengths):
            lengths = iter(lengths)

            def run():
                ran.append(name)
                now[0] += next(lengths, 1.0)

            run.__name__ = name
            return run

        # The first run is long; then the machine gets slower and slower, for all alike.
        ways = {"a": way("a", [9, 1, 2, 6]), "b": way("b", [9, 1, 2, 6]), "c": way("c", [9, 2, 3, 4])}
        found = lab.call(bench, ways, 3, lambda: now[0])
        if not ran:
            raise Wrong("measured nothing", "It called none of the ways.", try_="Call `way()`.")
        if ran[:3] != ["a", "b", "c"] and len(ran) >= 12:
            raise Wrong(
                "not in turns",
                f"The ways ran in the order {''.join(ran)}. While one has all its runs, the "
                "machine may change, and only that one is hit.",
                try_="Let the rounds be the outer loop: a, b, c, then a, b, c again.",
            )
        if len(ran) == 9 and ran == list("abc") * 3:
            raise Wrong(
                "measured the first run",
                "Each way ran 3 times, so the first run of each was measured as well.",
                try_="Let each run once before you measure: it pays for imports and connections.",
            )
        if ran != list("abc") * 4:
            raise Wrong(
                "not in turns",
                f"The ways ran in the order {''.join(ran)}; asked is abc, four times: once "
                "before, then three rounds.",
                try_="Let the rounds be the outer loop: a, b, c, then a, b, c again.",
            )
        medians = {"a": 2, "b": 2, "c": 3}
        if isinstance(found, dict) and list(found) == list(medians) and found != medians:
            for name, belief in (("mean", 3), ("fastest", 1), ("sum", 9), ("slowest", 6)):
                if found["a"] == belief:
                    raise Wrong(
                        f"took the {name}",
                        f"`a` took 1, 2 and 6 s, and it says {belief:g}.",
                        try_="The median is the middle one: one slow run does not move it.",
                    )
            if found["a"] == 4:
                raise Wrong(
                    "counted the first run",
                    "`a` took 9 s in the run before, then 1, 2 and 6 s, and it says "
                    f"{found['a']:g}.",
                    try_="Leave the first run out of the times.",
                )
        lab.equal(found, medians)

        def fails():
            raise ConnectionError("refused")

        lab.told("with a way that raises ConnectionError")
        try:
            bench({"a": way("a", []), "b": fails}, 3, lambda: now[0])
        except ConnectionError:
            return
        raise Wrong(
            "lost error",
            "One way raised ConnectionError each time, and the benchmark came to an end.",
            lab.line(r"^\s*except\b|suppress"),
            "An error is no fast answer. Let it out.",
        )

    @right
    def rounds_outside(ways, rounds, clock=time.perf_counter):
        """Return the median time of each way, in the order of `ways`."""
        for way in ways.values():
            way()
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}

    @right
    def one_round_more(ways, rounds, clock=time.perf_counter):
        times = {name: [] for name in ways}
        for _ in range(rounds + 1):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: statistics.median(taken[1:]) for name, taken in times.items()}

    @wrong("not in turns", says="order aaaabbbbcccc")
    def one_way_after_another(ways, rounds, clock=time.perf_counter):
        medians = {}
        for name, way in ways.items():
            way()
            taken = []
            for _ in range(rounds):
                begun = clock()
                way()
                taken.append(clock() - begun)
            medians[name] = statistics.median(taken)
        return medians

    @wrong("not in turns", says="order abcaaabbbccc")
    def warm_and_then_one_by_one(ways, rounds, clock=time.perf_counter):
        for way in ways.values():
            way()
        medians = {}
        for name, way in ways.items():
            taken = []
            for _ in range(rounds):
                begun = clock()
                way()
                taken.append(clock() - begun)
            medians[name] = statistics.median(taken)
        return medians

    @wrong("measured the first run", says="ran 3 times")
    def cold(ways, rounds, clock=time.perf_counter):
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}

    @wrong("counted the first run", says="says 4")
    def keeps_the_first(ways, rounds, clock=time.perf_counter):
        times = {name: [] for name in ways}
        for _ in range(rounds + 1):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}

    @wrong("took the mean", says="says 3")
    def takes_the_mean(ways, rounds, clock=time.perf_counter):
        for way in ways.values():
            way()
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: statistics.mean(taken) for name, taken in times.items()}

    @wrong("took the fastest", says="says 1")
    def takes_the_fastest(ways, rounds, clock=time.perf_counter):
        for way in ways.values():
            way()
        times = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begun = clock()
                way()
                times[name].append(clock() - begun)
        return {name: min(taken) for name, taken in times.items()}

    @wrong("lost error", says="came to an end")
    def swallows(ways, rounds, clock=time.perf_counter):
        times = {name: [] for name in ways}
        for number in range(rounds + 1):
            for name, way in ways.items():
                begun = clock()
                try:
                    way()
                except Exception:
                    pass
                if number:
                    times[name].append(clock() - begun)
        return {name: statistics.median(taken) for name, taken in times.items()}


class Edge(Exercise):
    """Async at the edge

    `fetch(url)` is a coroutine function. Write a *plain* function `report(fetch, urls)`: it fetches
    all pages at once and returns one string, the pages in the order of `urls`, joined by ", ". It
    is called from a script, where no loop runs.
    """

    id = "edge-1"
    asks = "report"
    minutes, clock = 8, "real"
    limit = 3
    hints = (
        "Whoever calls `report` doesn't await it. Where does the loop come from, then?",
        "A coroutine inside the function can gather; `asyncio.run` runs it to its end.",
        "`async def all_of_them(): return await asyncio.gather(*(fetch(url) for url in urls))`, "
        "then `asyncio.run(all_of_them())`.",
    )

    def verify(self, report, lab):
        fetch = lab.service({"a": 0.12, "b": 0.04, "c": 0.08})
        got = lab.call(report, fetch, ["a", "b", "c"])
        if asyncio.iscoroutine(got):
            got.close()
            raise Wrong(
                "must be awaited",
                "It returned a coroutine: its caller would have to be async as well.",
                lab.line(r"async\s+def\s+report"),
                "Begin it with `def`, and run the loop inside it.",
            )
        if fetch.peak == 1 and len(fetch.started) == 3:
            raise Wrong(
                "sequential",
                "Each page was fetched before the next one began.",
                lab.line(r"asyncio\.run|run_until_complete|await "),
                "One `asyncio.run` for all of them, and a gather or a TaskGroup inside.",
            )
        lab.equal(got, "page a, page b, page c")
        lab.told("with a page that fails")
        failing = lab.service(0.01, errors={"b": ConnectionError("no page b")})
        try:
            got = report(failing, ["a", "b"])
        except BaseException as error:
            if _holds(error, ConnectionError):
                return
            raise
        raise Wrong(
            "lost error",
            f"ConnectionError was raised inside, and it had to come out. It returned {got!r}.",
            lab.line(r"^\s*except\b|return_exceptions|suppress\("),
        )

    @right
    def with_gather(fetch, urls):
        """Return the pages of `urls` as one string; a plain function."""

        async def all_of_them():
            return await asyncio.gather(*(fetch(url) for url in urls))

        return ", ".join(asyncio.run(all_of_them()))

    @right
    def with_a_group(fetch, urls):
        async def all_of_them():
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(fetch(url)) for url in urls]
            return [task.result() for task in tasks]

        return ", ".join(asyncio.run(all_of_them()))

    @wrong("must be awaited", says="would have to be async as well")
    async def async_all_the_way(fetch, urls):
        return ", ".join(await asyncio.gather(*(fetch(url) for url in urls)))

    @wrong("sequential", says="before the next one began")
    def a_loop_for_each(fetch, urls):
        return ", ".join(asyncio.run(fetch(url)) for url in urls)

    @wrong("sequential")
    def in_turn(fetch, urls):
        async def all_of_them():
            return [await fetch(url) for url in urls]

        return ", ".join(asyncio.run(all_of_them()))

    @wrong("raised", says="RuntimeError")
    def gather_without_a_loop(fetch, urls):
        return ", ".join(asyncio.get_running_loop().run_until_complete(
            asyncio.gather(*(fetch(url) for url in urls))))

    @wrong("lost error", says="ConnectionError was raised inside")
    def loses_errors(fetch, urls):
        async def all_of_them():
            return await asyncio.gather(*(fetch(url) for url in urls), return_exceptions=True)

        return ", ".join(map(str, asyncio.run(all_of_them())))


def _holds(error, kind):
    """Is it an error of this kind, or a group that holds one?"""
    if isinstance(error, BaseExceptionGroup):
        return any(_holds(inner, kind) for inner in error.exceptions)
    return isinstance(error, kind)
