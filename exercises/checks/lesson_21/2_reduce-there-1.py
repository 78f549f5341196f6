import ast
import math
from collections import Counter

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import Cluster, not_a_future, not_here, run_on


class ReduceThere(Exercise):
    """Leave it where it is

    `load(day)` is an ordinary function that takes half a second and returns all that was measured
    on that day: a long list of numbers. Write a coroutine function `highest(client, load, days)`:
    it returns a dict from each of `days` to its highest number.

    The days are all different, and none of the lists is empty. Every day is loaded once, by a
    worker, and all workers take part. No measurements move: in all, less than 5,000 bytes may come
    home, go out, or go from worker to worker.

    `client` behaves as Dask's: `client.submit(function, *arguments)` and `client.map(function,
    items)` return futures at once. A result stays on the worker that made it until its future is
    awaited, alone or by `await client.gather(futures)`. A future can be an argument of another
    call, which then runs where that result is. Arguments are passed by position.
    """

    id = "reduce-there-1"
    asks = "highest"
    minutes = 8
    hints = (
        "What do you need here, and who could compute it?",
        "`await` on the future of a `load` brings the whole list home. What else can be done with "
        "a future?",
        "`lists = client.map(load, days)`, then `client.map(max, lists)`, and gather only those.",
    )

    equivalent = {
        "in_one_call: each once, line 1": "the days are all different",
        "gathers_a_dict: each once, line 1": "the days are all different",
    }

    def verify(self, highest, lab):
        for days in ([3, 1, 4, 15, 9, 2], [8]):
            # Where the highest number stands differs from day to day.
            lists = {
                day: [(n * 7919 + day * 104729) % 20011 + day for n in range(5000)] for day in days
            }
            self.reduce(highest, lab, lists, f"with the days {days}")
        lists = {day: [day, 100 - day] for day in range(12)}
        self.reduce(highest, lab, lists, "with the days 0 to 11, and 12 workers", 12)

    @sweep(
        lambda some: {
            "lists": some.dictionaries(
                some.sampled_from((0, 1, 2, 7, "", "Monday")),
                some.lists(some.sampled_from((-7.5, -1, 0, 3, 12)), min_size=1, max_size=3),
                max_size=6,
            )
        },
        most=8,
    )
    def any_days(self, highest, lab, lists):
        self.reduce(highest, lab, lists, f"with days for which `load` returns {lists}")

    def reduce(self, highest, lab, lists, told, workers=4):
        """Run it with the days of `lists`; look at what moved and at what it returned."""
        client, days, loaded = Cluster(lab, workers), lab.own(list(lists)), []

        def load(day):
            client.spend(0.5)
            loaded.append(day)
            return list(lists[day])

        run = run_on(lab, told, highest, client, load, days)
        not_here(client, "load", lab)
        if isinstance(run.result, dict):
            not_a_future(run.result, lab)
        if client.out > 5000 + 100 * len(client.calls):
            raise Wrong(
                "shipping",
                f"{client.out:,} bytes went out with your calls"
                + (f", after {client.home:,} had come home." if client.home > 5000 else "."),
                lab.call_of("submit", "map", given=ast.Await)
                or lab.call_of("scatter")
                or (client.home > 5000 and lab.await_of("gather"))
                or lab.call_of("submit", "map"),
                "Pass on the future itself: `client.submit(max, future)`. The list "
                "stays where it is.",
                headline="there and back",
            )
        if client.home > 5000:
            raise Wrong(
                "shipping",
                f"{client.home:,} bytes came home, for {len(days)} numbers.",
                lab.earliest(lab.await_of(), lab.call_of("gather")),
                "`await` on a future brings its whole result. Await only what a worker has "
                "reduced: a call that gets a future waits for it by itself.",
                headline="brought it home",
            )
        if client.between > 5000:
            raise Wrong(
                "shipping",
                f"{client.between:,} bytes went from worker to "
                "worker: one call that needs the lists of several days needs them in "
                "one place.",
                lab.call_of("submit", given=ast.Starred) or lab.call_of("submit"),
                "Take the highest of each day's list by a call of its own: it then runs on the "
                "worker that holds the list.",
                headline="all to one worker",
            )
        twice = [day for day, times in Counter(loaded).items() if times > 1]
        if twice:
            raise Wrong(
                "done twice",
                f"Day {twice[0]} was loaded {loaded.count(twice[0])} times.",
                lab.use_of("load"),
                "Each call of `load` loads all of that day again. Call it once for each day, and "
                "go on with what it returned.",
                headline="loaded twice",
            )
        self.begun_low_enough(lab, run.result, lists)
        lab.equal(run.result, {day: max(lists[day]) for day in days})
        bound = 0.5 * math.ceil(len(days) / workers)
        took = f"It took {run.elapsed:.2g} s; {workers} workers need {bound:g} s"
        if days and client.sent[-1] - client.sent[0] > 0.3:
            raise Wrong(
                "sequential",
                f"{took}.",
                lab.text.sequential_await() or lab.earliest(lab.await_of(), lab.use_of("load")),
            )
        if run.elapsed > bound + 0.3:
            raise Wrong(
                "idle places",
                f"{took}. Calls made for {len(days)} days: {len(client.calls)}.",
                lab.call_of("submit", "map"),
                "A call runs on one worker from beginning to end: make a call for each day.",
                headline="left a worker idle",
            )

    def begun_low_enough(self, lab, got, lists):
        """Is the highest number one of those of its day, where all of them are below zero?"""
        for day in lists if isinstance(got, dict) else ():
            if max(lists[day]) < 0 and type(got.get(day)) in (int, float) and got[day] == 0:
                raise Wrong(
                    "value",
                    f"It returned {got}. On day {day!r} were measured: "
                    f"{', '.join(map(str, lists[day]))}. There is no 0 among them.",
                    lab.earliest(
                        lab.assigned(to=0), lab.call_of("max", "reduce", given=0), lab.default()
                    ),
                    "All numbers of a day may be negative. Begin with the first of them, and not "
                    "with 0.",
                    headline="began at zero",
                )

    @right
    async def hand_on_the_future(client, load, days):
        """Return {day: its highest number}; the measurements stay on the workers."""
        lists = client.map(load, days)
        return dict(zip(days, await client.gather(client.map(max, lists))))

    @right
    async def in_one_call(client, load, days):
        futures = {day: client.submit(lambda day: max(load(day)), day) for day in days}
        return {day: await future for day, future in futures.items()}

    @wrong("shipping", says="came home, for 6 numbers")
    async def brings_all(client, load, days):
        lists = await client.gather(client.map(load, days))
        return {day: max(numbers) for day, numbers in zip(days, lists)}

    @wrong("shipping", says="went out with your calls, after")
    async def sends_it_out_again(client, load, days):
        lists = await client.gather(client.map(load, days))
        return dict(zip(days, await client.gather(client.map(max, lists))))

    @wrong("shipping", says="went from worker to worker")
    async def in_one_place(client, load, days):
        def all_of(lists):
            return [max(numbers) for numbers in lists]

        lists = client.map(load, days)
        return dict(zip(days, await client.submit(all_of, lists)))

    @wrong("sequential", says="4 workers need 1 s")
    async def day_after_day(client, load, days):
        return {day: await client.submit(max, client.submit(load, day)) for day in days}

    @wrong("idle places", says="Calls made for 6 days: 1")
    async def all_in_one_call(client, load, days):
        return await client.submit(lambda: {day: max(load(day)) for day in days})

    @wrong("called, not handed over", says="by your own program")
    async def loads_here(client, load, days):
        return dict(zip(days, await client.gather([client.submit(max, load(day)) for day in days])))

    @wrong("not awaited", says="futures of the cluster")
    async def futures_only(client, load, days):
        return {day: client.submit(max, client.submit(load, day)) for day in days}

    @right
    async def gathers_a_dict(client, load, days):
        return await client.gather(
            {day: client.submit(max, client.submit(load, day)) for day in days}
        )

    @wrong("future for its result", says="Hand it on")
    async def uses_the_name(client, load, days):
        return {day: max(numbers) for day, numbers in zip(days, client.map(load, days))}

    @wrong("value", says="It returned [20007, 20011")
    async def a_list(client, load, days):
        return await client.gather(client.map(max, client.map(load, days)))

    @wrong("done twice", says="2 times")
    async def looks_first(client, load, days):
        sizes = await client.gather(client.map(len, client.map(load, days)))
        assert all(sizes)
        return dict(zip(days, await client.gather(client.map(max, client.map(load, days)))))
