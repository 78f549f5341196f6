"""Answers to the exercises of lesson 22, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% choose-1 wrong: more cores for one prime
# cause: a single computation can't use several processes as it is
# line: "e": "processes"
tools = {"a": "plain Python", "b": "asyncio", "c": "processes", "d": "threads",
         "e": "processes", "f": "asyncio and processes"}

# %% choose-1 wrong: a chat in threads
# cause: five thousand people would need five thousand threads, most of which only wait
# line: "b": "threads"
tools = {
    "a": "plain Python", "b": "threads", "c": "processes",
    "d": "threads", "e": "plain Python", "f": "asyncio and processes",
}

# %% choose-1 wrong: thumbnails on the loop
# cause: forgets that 50 ms of work for each of 2,000 pictures hold the loop up and use one core
# line: "f": "asyncio"
tools = dict(a="plain Python", b="asyncio", c="processes", d="threads", e="plain Python")
tools |= {"f": "asyncio"}

# %% fault-1 wrong: A deserves its thousand
# cause: overlooks that the 8 threads are a limit, and that A has another one
# line: "a": "none"
faults = {"a": "none", "b": "errors count as answers", "c": "first run",
          "d": "client too slow", "e": "one point", "f": "none"}

# %% fault-1 wrong: the client is right
# cause: overlooks that the client itself needs 10 ms for a request, so nobody can come to more than 100 a second
# line: "d": "one point"
faults = {
    "a": "limits differ", "b": "errors count as answers", "c": "first run",
    "d": "one point", "e": "one point", "f": "none",
}

# %% fault-1 wrong: limits differ in b
# cause: the fault is that the 400 refusals are left out of T's time, as if they were answers
# line: faults["b"]
faults = dict(a="limits differ", c="first run", d="client too slow", e="one point", f="none")
faults["b"] = "limits differ"

# %% bench-1 wrong: all rounds of a way in a row
# cause: a way has all its rounds before the next one has its first
# line: for name, way in ways.items(): | for _ in range(rounds):
import statistics
import time


def bench(ways, rounds, clock=time.perf_counter):
    """Return the median time of each way, in the order of `ways`."""
    for way in ways.values():
        way()
    medians = {}
    for name, way in ways.items():
        times = []
        for _ in range(rounds):
            begin = clock()
            way()
            times.append(clock() - begin)
        medians[name] = statistics.median(times)
    return medians

# %% bench-1 wrong: the first run counts
# cause: there is no run before the measuring, so the first one counts
# line: none
import statistics
import time


def bench(ways, rounds, clock=time.perf_counter):
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            begin = clock()
            way()
            times[name].append(clock() - begin)
    return {name: statistics.median(some) for name, some in times.items()}

# %% bench-1 wrong: the mean
# cause: computes the mean, not the median
# line: statistics.mean(
import statistics
import time


def bench(ways, rounds, clock=time.perf_counter):
    """Return the median time of each way, in the order of `ways`."""
    for way in ways.values():
        way()
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            begin = clock()
            way()
            times[name].append(clock() - begin)
    return {name: statistics.mean(times[name]) for name in ways}

# %% bench-1 wrong: an error is no time
# cause: the error of a way is swallowed, and the benchmark goes on
# line: except Exception:
import statistics
import time


def bench(ways, rounds, clock=time.perf_counter):
    times = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, way in ways.items():
            begin = clock()
            try:
                way()
            except Exception:
                continue
            if number > 0:
                times[name].append(clock() - begin)
    return {name: statistics.median(some) for name, some in times.items() if some}

# %% bench-1 wrong: its own clock
# cause: measures with time.perf_counter, not with the clock that it is given
# line: time.perf_counter() - begin | begin = time.perf_counter()
import statistics
import time


def bench(ways, rounds, clock=time.perf_counter):
    """Return the median time of each way, in the order of `ways`."""
    for way in ways.values():
        way()
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            begin = time.perf_counter()
            way()
            times[name].append(time.perf_counter() - begin)
    return {name: statistics.median(some) for name, some in times.items()}

# %% bench-1 right: rows and columns
import statistics
import time


def bench(ways, rounds, clock=time.perf_counter):
    def timed(way):
        begin = clock()
        way()
        return clock() - begin

    [way() for way in ways.values()]
    rows = [[timed(way) for way in ways.values()] for _ in range(rounds)]
    return dict(zip(ways, map(statistics.median, zip(*rows))))

# %% bench-1 wrong: no time is no measurement
# cause: runs that took 0 s are left out
# line: if took := clock() - begun:
import statistics

def bench(ways, rounds, clock):
    for way in ways.values():
        way()
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            begun = clock()
            way()
            if took := clock() - begun:
                times[name].append(took)
    return {name: statistics.median(taken) if taken else 0 for name, taken in times.items()}

# %% bench-1 wrong: by the function
# cause: two names for the same function are measured as one
# line: {way: [] for way in ways.values()} | times[way] | for way in times:
import statistics

def bench(ways, rounds, clock):
    times = {way: [] for way in ways.values()}
    for way in times:
        way()
    for _ in range(rounds):
        for way in times:
            begun = clock()
            way()
            times[way].append(clock() - begun)
    return {name: statistics.median(times[way]) for name, way in ways.items()}

# %% edge-1 wrong: one page after another
# cause: each page is awaited before the next is begun
# line: await fetch(url)
import asyncio


def report(fetch, urls):
    """Return the pages of `urls` as one string; a plain function."""
    async def main():
        return [await fetch(url) for url in urls]

    return ", ".join(asyncio.run(main()))

# %% edge-1 wrong: a run for each page
# cause: each page has a run and a loop of its own, so they come one after another
# line: asyncio.run(fetch(url))
import asyncio


def report(fetch, urls):
    return ", ".join(asyncio.run(fetch(url)) for url in urls)

# %% edge-1 wrong: gather without a loop
# cause: gather is called where no loop runs yet
# line: asyncio.run(asyncio.gather(
import asyncio


def report(fetch, urls):
    """Return the pages of `urls` as one string; a plain function."""
    pages = asyncio.run(asyncio.gather(*(fetch(url) for url in urls)))
    return ", ".join(pages)

# %% edge-1 wrong: one loop for all calls
# cause: the loop belongs to the module and is closed by the first call, so a second one fails
# line: loop.close() | loop = asyncio.new_event_loop()
import asyncio

loop = asyncio.new_event_loop()


def report(fetch, urls):
    async def main():
        return await asyncio.gather(*(fetch(url) for url in urls))

    try:
        return ", ".join(loop.run_until_complete(main()))
    finally:
        loop.close()

# %% edge-1 wrong: still a coroutine function
# cause: report is an async function, so the script gets a coroutine and no string
# line: async def report(fetch, urls):
import asyncio


async def report(fetch, urls):
    """Return the pages of `urls` as one string; a plain function."""
    pages = await asyncio.gather(*(fetch(url) for url in urls))
    return ", ".join(pages)

# %% edge-1 wrong: as they come
# cause: the pages are in the order of their coming, not of urls
# line: asyncio.as_completed
import asyncio


def report(fetch, urls):
    async def main():
        return [await page for page in asyncio.as_completed([fetch(url) for url in urls])]

    return ", ".join(asyncio.run(main()))

# %% edge-1 right: a decorator that makes it plain
import asyncio
from functools import wraps


def plain(function):
    @wraps(function)
    def called(*arguments, **named):
        with asyncio.Runner() as runner:
            return runner.run(function(*arguments, **named))
    return called


@plain
async def report(fetch, urls):
    """Return the pages of `urls` as one string; a plain function."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(fetch(url)) for url in urls]
    return ", ".join(map(asyncio.Task.result, tasks))

# %% edge-1 wrong: a dict by url
# cause: a url that comes twice has one page only
# line: pages[url] = | pages.values()
import asyncio

def report(fetch, urls):
    async def all_of_them():
        pages = {}
        async with asyncio.TaskGroup() as group:
            for url in urls:
                pages[url] = group.create_task(fetch(url))
        return ", ".join(page.result() for page in pages.values())

    return asyncio.run(all_of_them())

# %% edge-1 wrong: drops what is empty
# cause: pages that are empty are left out
# line: if page
import asyncio

def report(fetch, urls):
    async def all_of_them():
        return await asyncio.gather(*(fetch(url) for url in urls))

    return ", ".join(page for page in asyncio.run(all_of_them()) if page)

# %% bench-1 wrong: one way after the other
# cause: Each way runs all its rounds before the next one begins. In each round every way ought to run once, so that a slow minute of the machine hits them all.
# line: for _ in range(rounds)
import statistics


def bench(ways, rounds, clock):
    """Return the median time of each way, in the order of `ways`."""
    for way in ways.values():
        way()
    medians = {}
    for name, way in ways.items():
        times = []
        for _ in range(rounds):
            start = clock()
            way()
            times.append(clock() - start)
        medians[name] = statistics.median(times)
    return medians

# %% bench-1 wrong: the middle one of an even number
# cause: With an even number of rounds the median is the mean of the two in the middle; this takes the upper one of them.
# line: [rounds // 2]
def bench(ways, rounds, clock):
    """Return the median time of each way, in the order of `ways`."""
    times = {name: [] for name in ways}
    for way in ways.values():
        way()
    for _ in range(rounds):
        for name, way in ways.items():
            start = clock()
            way()
            times[name].append(clock() - start)
    return {name: sorted(values)[rounds // 2] for name, values in times.items()}

# %% bench-1 right: a table, turned round
import statistics


def timed(way, clock):
    start = clock()
    way()
    return clock() - start


def bench(ways, rounds, clock):
    """Return the median time of each way, in the order of `ways`."""
    for way in ways.values():
        way()
    table = [[timed(way, clock) for way in ways.values()] for _ in range(rounds)]
    return dict(zip(ways, map(statistics.median, zip(*table))))

# %% edge-1 wrong: pages by their url
# cause: The pages are kept in a dict under their urls. A url that is in the list twice has only one page in the string.
# line: return ", ".join(pages.values())
# told: none
import asyncio


def report(fetch, urls):
    """Return the pages of `urls` as one string; a plain function."""
    pages = dict.fromkeys(urls)

    async def one(url):
        pages[url] = await fetch(url)

    async def main():
        async with asyncio.TaskGroup() as group:
            for url in urls:
                group.create_task(one(url))

    asyncio.run(main())
    return ", ".join(pages.values())

# %% edge-1 wrong: in the order in which they come
# cause: as_completed gives the pages in the order in which they come, not in the order of `urls`.
# line: asyncio.as_completed
import asyncio


def report(fetch, urls):
    """Return the pages of `urls` as one string; a plain function."""

    async def main():
        tasks = [asyncio.create_task(fetch(url)) for url in urls]
        return [await task for task in asyncio.as_completed(tasks)]

    return ", ".join(asyncio.run(main()))

# %% edge-1 right: a Runner
import asyncio


async def gathered(fetch, urls):
    return await asyncio.gather(*map(fetch, urls))


def report(fetch, urls):
    """Return the pages of `urls` as one string; a plain function."""
    with asyncio.Runner() as runner:
        return ", ".join(runner.run(gathered(fetch, urls)))

# %% edge-1 wrong: tasks by url
# cause: the tasks stand under their urls: of two for the same url only the second one's page is there, twice
# line: tasks = {url
import asyncio


def report(fetch, urls):
    async def main():
        tasks = {url: asyncio.ensure_future(fetch(url)) for url in urls}
        return [await tasks[url] for url in urls]

    return ", ".join(asyncio.run(main()))

# %% edge-1 wrong: loop left open after an error
# cause: after an error the loop is never closed
# line: loop.close() | loop = asyncio.new_event_loop()
import asyncio


def report(fetch, urls):
    loop = asyncio.new_event_loop()

    async def main():
        return await asyncio.gather(*map(fetch, urls))

    pages = loop.run_until_complete(main())
    loop.close()
    return ", ".join(pages)

# %% choose-1 wrong: processes for the one prime
# cause: one prime is one computation, which processes can't share out; plain Python is simpler and as fast
# line: "e": "processes"
tools = {
    "a": "plain Python",
    "b": "asyncio",
    "c": "processes",
    "d": "threads",
    "e": "processes",
    "f": "asyncio and processes",
}

# %% fault-1 wrong: finds no fault in e
# cause: e was measured at 50 clients only, which says nothing of any other number
# line: "e": "none"
faults = {
    "a": "limits differ",
    "b": "errors count as answers",
    "c": "first run",
    "d": "client too slow",
    "e": "none",
    "f": "none",
}

# %% bench-1 wrong: all rounds of one way, then the next way
# cause: each way runs all its rounds in a row, instead of every way once in each round
# line: for name, way in ways.items(): | for _ in range(rounds):
import statistics


def bench(ways, rounds, clock):
    """Return the median time of each way, in the order of `ways`."""
    for way in ways.values():
        way()  # doesn't count
    medians = {}
    for name, way in ways.items():
        times = []
        for _ in range(rounds):
            start = clock()
            way()
            times.append(clock() - start)
        medians[name] = statistics.median(times)
    return medians

# %% bench-1 wrong: starts the clock once a round
# cause: the start is taken once for each round, so the time of a way includes those of the ways before it
# line: began = clock() | times[name].append(clock() - began)
from collections import defaultdict
from statistics import median


def bench(ways, rounds, clock):
    [way() for way in ways.values()]
    times = defaultdict(list)
    for _ in range(rounds):
        began = clock()
        for name, way in ways.items():
            way()
            times[name].append(clock() - began)
    return {name: median(times[name]) for name in ways}

# %% bench-1 wrong: the fastest comes first
# cause: the medians are sorted by time, but the dict must be in the order of `ways`
# line: return dict(sorted(medians.items(), key=lambda pair: pair[1]))
import statistics


def bench(ways, rounds, clock):
    """Return the median time of each way, in the order of `ways`."""

    def timed(way):
        start = clock()
        way()
        return clock() - start

    for way in ways.values():
        way()
    table = [[timed(way) for way in ways.values()] for _ in range(rounds)]
    medians = dict(zip(ways, map(statistics.median, zip(*table))))
    return dict(sorted(medians.items(), key=lambda pair: pair[1]))

# %% bench-1 right: the first round is measured and thrown away
from statistics import median


def bench(ways, rounds, clock):
    taken = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, way in ways.items():
            taken[name].append(-clock())
            way()
            taken[name][-1] += clock()
    return {name: median(times[1:]) for name, times in taken.items()}

# %% bench-1 right: a generator gives the turns
import statistics
from itertools import chain, repeat


def bench(ways, rounds, clock):
    """Return the median time of each way, in the order of `ways`."""

    def measured():
        for name, way in chain.from_iterable(repeat(tuple(ways.items()), rounds)):
            start = clock()
            way()
            yield name, clock() - start

    for warm_up in ways.values():
        warm_up()
    times = {}
    for name, seconds in measured():
        times.setdefault(name, []).append(seconds)
    return {name: statistics.median(several) for name, several in times.items()}

# %% edge-1 wrong: the loop stays open after an error
# cause: if a fetch fails, run_until_complete raises and loop.close() is never reached
# line: loop.close() | pages = loop.run_until_complete(all_pages()) | none
import asyncio


def report(fetch, urls):
    """Return the pages of `urls` as one string; a plain function."""

    async def all_pages():
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(fetch(url)) for url in urls]
        return [task.result() for task in tasks]

    loop = asyncio.new_event_loop()
    pages = loop.run_until_complete(all_pages())
    loop.close()
    return ", ".join(pages)

# %% edge-1 wrong: waits for an empty set
# cause: without urls there are no tasks, and asyncio.wait raises a ValueError for none
# line: await asyncio.wait(tasks)
import asyncio


async def _fetch_all(fetch, urls):
    tasks = [asyncio.create_task(fetch(url)) for url in urls]
    await asyncio.wait(tasks)
    return [task.result() for task in tasks]


def report(fetch, urls):
    return ", ".join(asyncio.run(_fetch_all(fetch, urls)))

# %% edge-1 wrong: awaits each task as soon as it is made
# cause: each task is awaited before the next one is made, so the pages are fetched one after another and not all at once
# line: pages.append(await group.create_task(fetch(url)))
import asyncio


def report(fetch, urls):
    """Return the pages of `urls` as one string; a plain function."""
    pages = []

    async def main():
        async with asyncio.TaskGroup() as group:
            for url in urls:
                pages.append(await group.create_task(fetch(url)))

    asyncio.run(main())
    return ", ".join(pages)

# %% edge-1 right: by a Runner
import asyncio


def report(fetch, urls):
    async def joined():
        return ", ".join(await asyncio.gather(*map(fetch, urls)))

    with asyncio.Runner() as runner:
        return runner.run(joined())

# %% edge-1 right: fills a list by index
import asyncio


def report(fetch, urls):
    """Return the pages of `urls` as one string; a plain function."""
    urls = list(urls)
    pages = [""] * len(urls)

    async def put(n, url):
        pages[n] = await fetch(url)

    async def main():
        async with asyncio.TaskGroup() as group:
            for n, url in enumerate(urls):
                group.create_task(put(n, url))

    asyncio.run(main())
    return ", ".join(pages)

# %% bench-1 wrong: one way after the other, again
# cause: all rounds of one way are run before the next way begins, instead of the ways in turns
# line: for name, way in ways.items(): | for _ in range(rounds):
import statistics


def bench(ways, rounds, clock):
    for way in ways.values():
        way()
    medians = {}
    for name, way in ways.items():
        times = []
        for _ in range(rounds):
            start = clock()
            way()
            times.append(clock() - start)
        medians[name] = statistics.median(times)
    return medians

# %% bench-1 wrong: the stopwatch starts once a round
# cause: the start time is taken once per round, so a later way's time includes those of the ways before it
# line: start = clock()
import statistics


def bench(ways, rounds, clock):
    times = {name: [] for name in ways}
    for way in ways.values():
        way()
    for _ in range(rounds):
        start = clock()
        for name, way in ways.items():
            way()
            times[name].append(clock() - start)
    return {name: statistics.median(times[name]) for name in ways}

# %% bench-1 right: a stopwatch, and rows turned into columns
import statistics


def bench(ways, rounds, clock):
    def timed(way):
        start = clock()
        way()
        return -(start - clock())

    for way in ways.values():
        way()
    rows = [list(map(timed, ways.values())) for _ in range(rounds)]
    return dict(zip(ways, map(statistics.median, zip(*rows))))

# %% edge-1 wrong: errors are joined in
# cause: with return_exceptions a failed fetch becomes a text in the report, and its error does not come out
# line: return_exceptions=True
import asyncio


def report(fetch, urls):
    async def main():
        pages = await asyncio.gather(
            *map(fetch, urls), return_exceptions=True)
        return ", ".join(map(str, pages))

    return asyncio.run(main())

# %% edge-1 wrong: a run for each page, again
# cause: each page is fetched by a run of its own, one after the other, and not all at once
# line: asyncio.run(fetch(url))
import asyncio


def report(fetch, urls):
    return ", ".join(asyncio.run(fetch(url)) for url in urls)

# %% edge-1 right: with a runner and a group
import asyncio


def report(fetch, urls):
    tasks = []

    async def fill():
        async with asyncio.TaskGroup() as group:
            for url in urls:
                tasks.append(group.create_task(fetch(url)))

    with asyncio.Runner() as runner:
        runner.run(fill())
    return ", ".join([task.result() for task in tasks])

# %% bench-1 wrong: every second round goes backwards
# cause: to be fair every second round runs the ways in reverse, but in each round they are to run in the order of `ways`.
# line: names.reverse()
import statistics


def bench(ways, rounds, clock):
    for run in ways.values():
        run()

    measured = {name: [] for name in ways}
    names = list(ways)
    for _ in range(rounds):
        for name in names:
            before = clock()
            ways[name]()
            after = clock()
            measured[name].append(after - before)
        names.reverse()     # so that nobody is always the first

    return {name: statistics.median(measured[name]) for name in ways}

# %% edge-1 wrong: get_event_loop makes no loop
# cause: the loop of the thread
# line: get_event_loop
import asyncio
def report(fetch, urls):
    async def all_pages():
        return ", ".join(await asyncio.gather(*(fetch(u) for u in urls)))
    return asyncio.get_event_loop().run_until_complete(all_pages())

# %% edge-1 wrong: fetches one after the other
# cause: each fetch is awaited before the next begins
# line: pages.append(await fetch(url))
import asyncio


async def collect(fetch, urls):
    pages = []
    for url in urls:
        pages.append(await fetch(url))
    return pages


def report(fetch, urls):
    """Return the pages of `urls` as one string; a plain function."""
    return ", ".join(asyncio.run(collect(fetch, urls)))

# %% bench-1 wrong: the warm-up counts
# cause: The first run of each way is measured like all others and goes into the median, although it must not count.
# line: median(values) | for number in range(rounds + 1): | times.setdefault(name, []).append(end - start)
from statistics import median


def bench(ways, rounds, clock):
    times = {}
    # one round more than asked for, to warm up
    for number in range(rounds + 1):
        for name in ways:
            start = clock()
            ways[name]()
            end = clock()
            times.setdefault(name, []).append(end - start)

    medians = {}
    for name, values in times.items():
        medians[name] = median(values)
    return medians

# %% bench-1 wrong: warms up during the first round
# cause: the second way has its warm-up only after the first was measured
# line: if number == 0:
import collections
from statistics import median


def bench(ways, rounds, clock):
    """Return the median time of each way, in the order of `ways`."""
    measured = collections.defaultdict(list)
    for number in range(rounds):
        for name in ways:
            run = ways[name]
            if number == 0:
                run()
            began = clock()
            run()
            ended = clock()
            measured[name].append(ended - began)
    return {name: median(measured[name]) for name in ways}


# %% bench-1 wrong: warm-up is counted too
# cause: the time of the first, warming run is put into the list with the others, so it counts in the median.
# line: times = {name: [measure(way)] for name, way in ways.items()}
import statistics


def bench(ways, rounds, clock):
    def measure(way):
        start = clock()
        way()
        return clock() - start

    times = {name: [measure(way)] for name, way in ways.items()}
    for _ in range(rounds):
        for name in times:
            times[name].append(measure(ways[name]))
    return {name: statistics.median(values) for name, values in times.items()}


# %% edge-1 wrong: asyncio.run for every url
# cause: each page has a loop of its own that runs until this page is there, so the pages are fetched one after the other.
# line: asyncio.run(fetch(url))
import asyncio


def report(fetch, urls):
    pages = []
    for url in urls:
        pages.append(asyncio.run(fetch(url)))
    return ", ".join(pages)

# %% bench-1 wrong: warm-up inside the rounds
# cause: the warm-up run comes before each measured run
# line: for name, way in ways.items(): | way()
import statistics


def bench(ways, rounds, clock):
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            way()
            start = clock()
            way()
            times[name].append(clock() - start)
    return {name: statistics.median(all_of) for name, all_of in times.items()}

# %% edge-1 wrong: set of pages
# cause: dict by url loses a url that comes twice
# line: pages[url] = | dict.fromkeys(urls)
import asyncio


def report(fetch, urls):
    pages = {}

    async def one(url):
        pages[url] = await fetch(url)

    async def main():
        async with asyncio.TaskGroup() as group:
            for url in urls:
                group.create_task(one(url))

    asyncio.run(main())
    return ", ".join(pages[url] for url in dict.fromkeys(urls))

# %% bench-1 wrong: times kept by the function
# cause: The times are collected under the function, not the name, so two names for the same function share one list and both get the median of the mixture.
# line: times[way].append( | times = collections.defaultdict(list) | statistics.median(times[way])
import collections
import statistics


def bench(ways, rounds, clock):
    times = collections.defaultdict(list)
    for way in ways.values():
        way()
    for _ in range(rounds):
        for way in ways.values():
            before = clock()
            way()
            times[way].append(clock() - before)
    return {name: statistics.median(times[way]) for name, way in ways.items()}

# %% edge-1 wrong: gather called outside the loop
# cause: asyncio.gather is called in the plain function, where no loop runs, so with any urls (and even without) it fails with an error instead of giving the pages.
# line: asyncio.run(asyncio.gather(
import asyncio


def report(fetch, urls):
    """Return the pages of `urls` as one string; a plain function."""
    pages = asyncio.run(asyncio.gather(*(fetch(url) for url in urls)))
    return ", ".join(pages)

# %% bench-1 right: a table, turned round again
import statistics


def bench(ways, rounds, clock):
    """Return the median time of each way, in the order of `ways`."""

    def lap(way):
        begin = clock()
        way()
        return clock() - begin

    for way in ways.values():
        way()
    table = [[lap(way) for way in ways.values()] for _ in range(rounds)]
    return dict(zip(ways, map(statistics.median, zip(*table))))

# %% edge-1 right: a Runner and gather
import asyncio


def report(fetch, urls):
    async def pages():
        return await asyncio.gather(*map(fetch, urls))

    with asyncio.Runner() as runner:
        return ", ".join(runner.run(pages()))

# %% bench-1 right: a dataclass lane per way
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class _Lane:
    way: Callable
    clock: Callable
    times: list = field(default_factory=list)

    def warm_up(self):
        self.way()

    def lap(self):
        way, clock = self.way, self.clock
        start = clock()
        way()
        stop = clock()
        self.times.append(stop - start)


def bench(ways, rounds, clock):
    """Return the median time of each way, in the order of `ways`."""
    lanes = {name: _Lane(way, clock) for name, way in ways.items()}
    for lane in lanes.values():
        lane.warm_up()
    for _ in range(rounds):
        for lane in lanes.values():
            lane.lap()
    return {name: statistics.median(lane.times) for name, lane in lanes.items()}

# %% bench-1 wrong: the garbage collector stays off after an error
# cause: if a way raises, gc.enable() is not reached, and the program goes on without its collector
# line: gc.enable() | gc.disable()
import gc
import statistics


def bench(ways, rounds, clock):
    """Return the median time of each way, in the order of `ways`."""
    times = {name: [] for name in ways}
    for way in ways.values():
        way()

    # The collector must not come in between, as in timeit.
    gc.disable()
    for _ in range(rounds):
        for name, way in ways.items():
            start = clock()
            way()
            times[name].append(clock() - start)
    gc.enable()

    return {name: statistics.median(values) for name, values in times.items()}

# %% edge-1 right: Runner, map and methodcaller
import asyncio
from operator import methodcaller


async def _all_pages(fetch, urls):
    tasks = tuple(map(asyncio.ensure_future, map(fetch, urls)))
    if not tasks:
        return ()
    ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    for error in list(map(methodcaller("exception"), ended)):
        if error is not None:
            raise error
    return tuple(map(methodcaller("result"), tasks))


def report(fetch, urls):
    """Return the pages of `urls` as one string; a plain function."""
    with asyncio.Runner() as runner:
        return ", ".join(runner.run(_all_pages(fetch, urls)))

# %% edge-1 right: the last url first
import asyncio


def report(fetch, urls):
    async def all_of_them():
        return await asyncio.gather(*(fetch(url) for url in reversed(urls)))

    return ", ".join(reversed(asyncio.run(all_of_them())))

# %% edge-1 wrong: no comma after an empty page
# cause: the comma depends on the text so far; if the first page is "", the comma after it is missing
# line: if text: | none
import asyncio


def report(fetch, urls):
    """Return the pages of `urls` as one string; a plain function."""

    async def collect():
        return await asyncio.gather(*(fetch(url) for url in urls))

    text = ""
    for page in asyncio.run(collect()):
        if text:
            text += ", "
        text += page
    return text
