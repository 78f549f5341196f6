"""Long, for each of its programs keeps two limits in its own way."""

import ast
import asyncio
import collections
import itertools
import time

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named

from .shared import SOON, now


class Starts:
    """A coroutine function that notes when it was called for what, and how many are under way.

    held: the learner's place at which a task waited for a place when one had ended, the last time.
    """

    def __init__(self, lab, seconds):
        self.lab, self.held = lab, None
        self.seconds, self.starts, self.flying, self.peak = seconds, [], 0, 0

    async def __call__(self, page):
        self.starts.append((now(), page))
        self.flying += 1
        self.peak = max(self.peak, self.flying)
        try:
            await asyncio.sleep(self.seconds[page])
        finally:
            self.flying -= 1
            self.held = self.lab.holding() or self.held
        return page.upper()


def planned(seconds, most, apart):
    """When each begins if its moment is `apart` after that of the one before, and each waits for
    a place besides.
    """
    ends, begins = [0.0] * most, []
    for number, each in enumerate(seconds):
        place = ends.index(min(ends))
        begins.append(max(ends[place], number * apart))
        ends[place] = begins[-1] + each
    return begins


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

    - At most `most` fetches are in flight at once.
    - Any two fetches start at least `apart` seconds apart.
    - They start in the order of `pages`, each as soon as the two limits allow. When the last one
      has ended, `fetch_all` returns.
    - If a fetch raises an error, that error comes out, alone or in a group.

    The check runs on a clock that jumps: `asyncio.get_running_loop().time()` tells its time.
    """

    id = "crawl-limit-1"
    asks = "fetch_all"
    minutes, clock = 12, "virtual"
    hints = (
        "Which of the two must a fetch have first: its place, or its moment? What becomes of a "
        "moment if there is still no place when it comes?",
        "A fetch that has a moment must start at it. So first the place, then the moment.",
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
            pages, fetch = list(seconds), Starts(lab, seconds)
            lab.told(f"with {len(pages)} pages ({what}), most={most}, apart={apart}")
            run = lab.run(fetch_all, fetch, pages, most, apart)
            lab.equal(run.result, [page.upper() for page in pages])
            self.judge(fetch_all, lab, run, fetch, seconds, most, apart)

    @sweep(
        lambda some: {
            "pages": some.lists(some.sampled_from("abcd"), max_size=6),
            "results": some.permutations((None, "", 0, "page")),
            "waits": some.sampled_from(((1, 1, 1, 1), (3, 1, 0.5, 2), (0.2, 4, 0, 1))),
            "most": some.integers(1, 4),
            "apart": some.sampled_from((0, 0.25, 0.9, 3)),
        },
        fails=(OSError, ...),
        most=25,
    )
    def any_limits(self, fetch_all, lab, pages, results, waits, most, apart):
        names = sorted(set(pages))
        fetch, starts = lab.service(dict(zip(names, waits)), dict(zip(names, results))), []

        async def fetching(page):
            again = [page for page, _ in starts].count(page)
            starts.append((page, now()))
            found = await fetch(page)
            return f"{page}, version {again + 1}" if again else found

        takes = ", ".join(f"{name!r} takes {wait:g} s" for name, wait in zip(names, waits))
        told = f"with {pages}, most={most}, apart={apart:g}"
        lab.told(told + f" ({takes})" * bool(pages))
        run = lab.run(fetch_all, fetching, pages, most, apart)
        if run.error is not None:
            run.left = None  # what becomes of the others is left open
            return {"": lab.seen(run, without=("seconds", "group"))}
        got = run.result
        if isinstance(got, list) and len(got) == len(names) < len(pages):
            alike = lab.alike()
            raise Wrong(
                "value",
                f"It returned {got}: of a page that comes twice, one result is missing.",
                alike.line,
                "A key stands in a dict once. Keep the results, or the tasks, in a list.",
                headline="lost a page that comes twice",
                at=alike.at,
            )
        return {"": lab.seen(run, fetch), "the fetches began like this:": starts}

    @sweep(
        lambda some: {"pages": some.permutations("abc"), "most": some.integers(1, 2)},
        fails=(OSError, ...),
        most=4,
    )
    def few_places(self, fetch_all, lab, pages, most):
        """More pages than places: who keeps the place of a fetch that failed has none left."""
        lab.told(f"with {pages}, most={most}, apart=0.25")
        run = lab.run(fetch_all, lab.service(1), pages, most, 0.25)
        run.left = None  # as above
        return {"": lab.seen(run, without=("seconds", "group", "calls", "peak"))}

    def judge(self, fetch_all, lab, run, fetch, seconds, most, apart):
        starts = [start for start, _ in fetch.starts]
        lab.limited(fetch.peak, at_most=most, what="fetches")
        gaps = [later - sooner for sooner, later in itertools.pairwise(starts)]
        if gaps and min(gaps) < apart - SOON:
            number = gaps.index(min(gaps))
            other = lab.call_of("monotonic", "perf_counter", "time.time")
            if other:
                raise Wrong(
                    "wrong clock",
                    "It asked the computer's clock, which hardly moves "
                    "while the loop's clock jumps.",
                    other,
                    "`asyncio.get_running_loop().time()` is the clock of `sleep`.",
                )
            if min(gaps) < SOON:
                raise Wrong(
                    "limit",
                    "Two fetches began at the same time, at "
                    f"{starts[number + 1]:g} s; they must be at least {apart:g} s apart.",
                    lab.call_of("sleep") or lab.await_of(),
                    "Each fetch must know of the moment that another has taken. Share one `next` "
                    "moment, and move it on by `apart` before you sleep.",
                    headline="too soon after another",
                )
            slept = lab.call_of("sleep")
            behind = fetch.held if fetch.held and slept and fetch.held[1] > slept else None
            timetable = _timetable(lab)
            if timetable:
                behind = None  # the plan is the mistake, wherever it waits
            plan = [starts[0] + begin for begin in planned(seconds.values(), most, apart)]
            as_planned = all(abs(start - begin) < SOON for start, begin in zip(starts, plan))
            if as_planned and not (timetable or behind) and (moved := _moved_on(lab)):
                raise Wrong(
                    "limit",
                    f"A fetch began {min(gaps):g} s after the one before it, at "
                    f"{starts[number + 1]:g} s; they must be at least {apart:g} s apart.",
                    moved,
                    "After a long wait for a place that start lies in the past, and no pause is "
                    "left. Count from the moment at which the last fetch really began.",
                    headline="too soon after another",
                    at="counts from the start that was planned",
                )
            raise Wrong(
                "limit",
                f"A fetch began {min(gaps):g} s after the one "
                f"before it, at {starts[number + 1]:g} s; they must be at least {apart:g} s apart.",
                timetable or behind or slept,
                "A fetch that waits for a place after its pause starts late, and the next one may "
                "start right behind it. Get the place first. Then pause, one at a time, until "
                "`apart` seconds have passed since the last start.",
                headline="too soon after another",
                at="plans the starts before there are places"
                if timetable
                else "waits for a place when it has its moment already"
                if behind
                else "",
            )
        if [page for _, page in fetch.starts] != list(seconds):
            raise Wrong(
                "order",
                f"They began in the order {' '.join(page for _, page in fetch.starts)}.",
                lab.call_of("create_task"),
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
            raise Wrong("sequential", took, lab.text.sequential_await() or lab.await_of("fetch"))
        if late is None:
            raise Wrong(
                "late",
                took,
                lab.call_of("sleep"),
                "All had begun in time. Return when the last one has ended.",
                headline="ended late",
            )
        raise Wrong(
            "late",
            f"{took} Fetch {late + 1} could begin at {begins[late]:g} s, and "
            f"began at {starts[late]:g} s.",
            self.waits_at(fetch_all, lab, seconds, most, apart, begins[late])
            or lab.repeated_call_of("TaskGroup", "gather", "wait")
            or lab.call_of("sleep")
            or lab.call_of("gather"),
            "A fetch begins as soon as there is a place and `apart` seconds have passed "
            "since the last start: no batches, and no pause where none is needed.",
            headline="began late",
        )

    def waits_at(self, fetch_all, lab, seconds, most, apart, moment):
        """The one line at which it sleeps when the next fetch could begin; None if there is none,
        or several.
        """
        called, places = lab.called, set()

        def look():
            places.update(lab.waiting_for("sleep"))

        async def scene():
            asyncio.get_running_loop().call_later(moment + SOON, look)
            await fetch_all(pausing, list(seconds), most, apart)

        async def pausing(page):
            # No `sleep`, for that of the answer is sought.
            over = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_later(seconds[page], over.set_result, page.upper())
            return await over

        lab.run(scene())
        lab.called = called
        return places.pop() if len(places) == 1 else None

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

    @wrong("limit", says="Get the place first")
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

    @wrong("limit", says="before you sleep")
    async def each_worker_rests(fetch, pages, most, apart):
        places = asyncio.Semaphore(most)

        async def one(page):
            async with places:
                result = await fetch(page)
                await asyncio.sleep(apart)
                return result

        return await asyncio.gather(*(one(page) for page in pages))

    @wrong("wrong clock", says="get_running_loop")
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

    @wrong("late", says="no batches")
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

    @wrong("order", says="the expected order")
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


def _timetable(lab):
    """The line that sleeps by a number of pauses, counted from the beginning, or None."""
    return lab.earliest(
        *(
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.Call) and is_named(node.func, ("sleep",))
            for argument in node.args
            for part in ast.walk(argument)
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult)
            if isinstance(part.left, ast.Name) and isinstance(part.right, ast.Name)
        )
    )


def _moved_on(lab):
    """The line that moves a moment on by itself, with `+=`, where nothing else moves it; or None.

    A moment: a sleep is as long as something that is made of it.
    """
    nodes = lab.nodes()
    moments = {
        name.id
        for node in nodes
        if isinstance(node, ast.Call) and is_named(node.func, ("sleep",))
        for name in _names(node.args)
    }
    given = [
        (getattr(node, "targets", None) or [node.target], node.value)
        for node in nodes
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and node.value
    ]
    moments |= {
        name.id
        for targets, value in given
        if any(getattr(target, "id", None) in moments for target in targets)
        for name in _names([value])
    }
    # A second assignment may set it to the time that it is.
    once = collections.Counter(name.id for targets, _ in given for name in _names(targets))
    return lab.earliest(
        *(
            node.lineno
            for node in nodes
            if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add)
            if getattr(node.target, "id", None) in moments and once[node.target.id] == 1
        )
    )


def _names(nodes):
    return [part for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)]
