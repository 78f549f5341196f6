"""Exercises of lesson 21: work for a cluster, judged with a client that behaves as Dask's."""

import asyncio
import inspect
import math
import pickle
from collections import Counter

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value

CALL = 0.005  # seconds that the scheduler takes for a call, one after another
BYTE = 1e-8  # seconds that a byte takes on its way


PLACES = {
    "ask 500 sites": "loop",
    "old driver": "thread",
    "scale 400 pictures": "process pool",
    "add two numbers": "loop",
    "a month of logs": "cluster",
    "a week of physics": "cluster",
    "compress a file": "thread",
}


class NotForWorkers(TypeError):
    """What was submitted is no function that a worker could call: kind, observed, what to try."""


class WorkerDied(Exception):
    """The worker died while it had this call in its hands."""


class Future:
    """A future as the cluster's: a name for a result that lies on a worker."""

    def __init__(self, client):
        self.client, self.over = client, asyncio.Event()
        self.worker = self.value = self.error = None

    def __repr__(self):
        return "<Future: finished>" if self.done() else "<Future: pending>"

    def done(self):
        return self.over.is_set()

    def result(self):
        return self.client.bring(self)

    def __await__(self):
        return self.client.bring(self).__await__()


class Cluster:
    """A client and its cluster, on the clock of the loop that runs.

    workers: how many. deadly: {argument: how often a call with it is the death of its worker}.
    home, between, out: bytes that were brought home, moved from worker to worker, sent along with
    calls. calls: the arguments of each call. share: how often `work` ran in each call.
    here: how often it ran outside of any call.
    """

    WorkerDied = WorkerDied

    def __init__(self, workers=4, deadly=()):
        self.free = [0.0] * workers
        self.deadly = dict(deadly)
        self.scheduler = 0.0
        self.home = self.between = self.out = self.here = 0
        self.calls, self.share, self.sent = [], [], []
        self.spent = None  # seconds of the call that runs, None outside of calls

    def __repr__(self):
        return "client"

    def spend(self, seconds):
        """What a function of the exercise calls: it takes so long."""
        if self.spent is None:
            self.here += 1
        else:
            self.spent += seconds
            self.share[-1] += 1

    # What a learner calls

    def submit(self, function, *arguments, pure=True, workers=None, key=None, **named):
        name = getattr(function, "__name__", "the function")
        if inspect.iscoroutinefunction(function):
            raise NotForWorkers(
                "work is no wait",
                f"`{name}`, which you sent, is an `async def`. "
                "Nothing in it waits, and a worker is no loop of yours.",
                "What computes on a worker is an ordinary function.",
            )
        if not callable(function):
            raise NotForWorkers(
                "called it here",
                "`submit` was given what a function had returned, and not the function.",
                "The function first, then its arguments, without a call: "
                "`client.submit(function, argument)`.",
            )
        result = Future(self)
        self.calls.append(arguments)
        self.sent.append(asyncio.get_running_loop().time())
        self.out += sum(size(a) for a in (*arguments, *named.values()))
        needs = [need for a in (*arguments, *named.values()) for need in results_in(a)]
        self.when_done(needs, lambda: self.begin(result, function, arguments, named, needs))
        return result

    def map(self, function, *lists, **how):
        return [self.submit(function, *items, **how) for items in zip(*lists)]

    async def gather(self, futures, errors="raise"):
        if isinstance(futures, Future):
            return await futures
        if isinstance(futures, dict):
            return dict(zip(futures, await self.gather(futures.values(), errors)))
        got = []
        for future in futures:
            try:
                got.append(await future)
            except Exception:
                if errors != "skip":
                    raise
        return got

    async def scatter(self, data, **how):
        self.out += size(data)
        await asyncio.sleep(size(data) * BYTE)
        if isinstance(data, (list, tuple)):  # each item for itself, as Dask does it
            return [self.placed(item) for item in data]
        return self.placed(data)

    # What happens behind it

    def placed(self, data):
        result = Future(self)
        result.worker = 0
        self.finish(result, data, None)
        return result

    async def bring(self, result):
        await result.over.wait()
        if result.error is not None:
            raise result.error
        self.home += size(result.value)
        await asyncio.sleep(size(result.value) * BYTE)
        return result.value

    def when_done(self, needs, go):
        waiting = [need for need in needs if not need.done()]
        if waiting:
            # No task of its own: the learner's are counted.
            loop = asyncio.get_running_loop()
            loop.call_later(CALL, self.when_done, waiting, go)
        else:
            go()

    def begin(self, result, function, arguments, named, needs):
        loop = asyncio.get_running_loop()
        self.scheduler = max(loop.time(), self.scheduler) + CALL
        failed = next((need.error for need in needs if need.error), None)
        if failed is not None:
            return self.finish(result, None, failed)
        # To the worker that has the data; else to the one that is free first.
        result.worker = needs[0].worker if needs else self.free.index(min(self.free))
        far = sum(size(need.value) for need in needs if need.worker != result.worker)
        self.between += far
        self.spent, value, error = far * BYTE, None, None
        self.share.append(0)
        try:
            if any(self.deadly.get(a) for a in arguments if isinstance(a, int)):
                self.deadly[arguments[0]] -= 1
                self.spent = 0.5
                error = WorkerDied(f"the worker that had {arguments[0]} died")
            else:
                value = function(*resolved(arguments), **resolved(named))
        except Exception as raised:
            error = raised
        begun = max(self.scheduler, self.free[result.worker])
        self.free[result.worker] = begun + self.spent
        self.spent = None
        loop.call_at(self.free[result.worker], self.finish, result, value, error)

    def finish(self, result, value, error):
        result.value, result.error = value, error
        result.over.set()


def results_in(argument):
    """The cluster's futures in an argument, also within a list or a dict of them."""
    if isinstance(argument, Future):
        return [argument]
    if isinstance(argument, dict):
        argument = list(argument.values())
    if isinstance(argument, (list, tuple)):
        return [found for each in argument for found in results_in(each)]
    return []


def resolved(argument):
    if isinstance(argument, Future):
        return argument.value
    if isinstance(argument, dict):
        return {key: resolved(each) for key, each in argument.items()}
    if isinstance(argument, (list, tuple)) and results_in(argument):
        return type(argument)(resolved(each) for each in argument)
    if isinstance(argument, tuple):
        return tuple(resolved(each) for each in argument)
    return argument


def size(data):
    """Bytes that the data are on their way; a future is but a name."""
    if results_in(data):
        return 100
    try:
        return len(pickle.dumps(data))
    except Exception:
        return 100


def run_on(lab, words, answer, *arguments, **how):
    """Run the answer as `lab.run` does; in messages the call is quoted by `words`."""

    async def asked():
        return await lab.awaitable(answer(*arguments))

    lab.told(words)
    try:
        return lab.run(asked(), **how)
    except NotForWorkers as error:
        kind, observed, try_ = error.args
        place = lab.text.of_traceback(error)
        raise Wrong(kind, observed, place and place[1], try_) from None
    except TypeError as error:
        if "'Future' object" not in str(error):
            raise
        place = lab.text.of_traceback(error)
        raise Wrong(
            "took a future for its result",
            f"It raised TypeError: {error}. A future is but a name of what lies on a worker.",
            place and place[1],
            "Hand it on to another call, or await it.",
        ) from None


def not_a_future(got, lab):
    """Nobody awaited what came back."""
    if results_in(got):
        raise Wrong(
            "not awaited",
            "It returned futures of the cluster, not what they stand for.",
            try_="`await client.gather(futures)` brings the results.",
        )


def not_here(client, what, lab):
    if client.here:
        raise Wrong(
            "worked here",
            f"`{what}` was called {client.here} times by your own program, not by a worker.",
            lab.line(rf"\b{what}\("),
            f"Hand over a function that calls `{what}`: `client.submit(function, ...)`.",
        )


class Batches(Exercise):
    """Not too small, not too big

    `work(number)` is an ordinary function that takes a millisecond. Four workers are there, and a
    call costs five milliseconds, however little it does.

    Write a coroutine function `work_all(client, work, numbers)`: it returns the list of what
    `work` returns for each of `numbers`, in their order. All the work is done by the workers, in at
    most 40 calls, and no call does more than a quarter of the numbers (rounded up), so that every
    worker can have a share. There may be few numbers, or none.

    `client` behaves as Dask's: `client.submit(function, *arguments)` and `client.map(function,
    items)` return futures at once, and `await client.gather(futures)` gives their results in order.
    """

    id = "batches-1"
    asks = "work_all"
    minutes = 8
    hints = (
        "What goes to the cluster need not be `work` itself. What function does several numbers?",
        "`math.ceil(len(numbers) / 20)` numbers in a call are some 20 calls. And for no numbers?",
        "`parts = [numbers[n:n + size] for n in range(0, len(numbers), size)]`, a function `batch` "
        "that returns `[work(number) for number in part]`, and `client.map(batch, parts)`.",
    )

    def verify(self, work_all, lab):
        for many in 1000, 437, 7, 1, 0:
            client = Cluster()

            def work(number):
                client.spend(0.001)
                return number * number

            numbers = list(range(many, 0, -1))
            run = run_on(
                lab,
                f"with {many or 'no'} number{'s' * (many != 1)}",
                work_all,
                client,
                work,
                numbers,
            )
            not_here(client, "work", lab)
            not_a_future(run.result, lab)
            done = sum(client.share)
            if len(client.calls) > 40:
                raise Wrong(
                    "too small to ship",
                    f"{many} numbers went out in {len(client.calls)} calls.",
                    lab.line(r"submit|map"),
                    "Each call costs five times what a number does. Put several numbers into one.",
                )
            if done < many:
                raise Wrong(
                    "lost items",
                    f"The workers did {done} of {many} numbers.",
                    lab.line(r"//|range\(|zip\("),
                    "What becomes of the rest, if the parts don't come out even?",
                )
            if done > many:
                raise Wrong(
                    "did some twice",
                    f"The workers did {done} numbers, and {many} were given.",
                    lab.line(r"range\("),
                )
            most = max(client.share, default=0)
            if most > math.ceil(many / 4):
                raise Wrong(
                    "too big a batch",
                    f"One call did {most} of {many} numbers, and "
                    "meanwhile other workers had nothing to do.",
                    lab.line(r"submit|map"),
                    "With four workers, at least four calls.",
                )
            lab.equal(run.result, [number * number for number in numbers])
            if len(client.sent) > 1 and client.sent[-1] - client.sent[0] > 0.001:
                raise Wrong(
                    "sequential",
                    f"The last of {len(client.sent)} calls was made "
                    f"{client.sent[-1] - client.sent[0]:.2g} s after the first one: one "
                    "worker at a time had work.",
                    lab.text.sequential_await() or lab.line("await"),
                )

    @right
    async def with_map(client, work, numbers):
        """Return the results of `work`, in order; ship many numbers in one call."""

        def batch(part):
            return [work(number) for number in part]

        size = math.ceil(len(numbers) / 20) or 1
        parts = [numbers[n : n + size] for n in range(0, len(numbers), size)]
        lists = await client.gather(client.map(batch, parts))
        return [result for part in lists for result in part]

    @right
    async def with_strides(client, work, numbers):
        futures = [
            client.submit(lambda part: list(map(work, part)), numbers[n::8]) for n in range(8)
        ]
        results = [None] * len(numbers)
        for n, future in enumerate(futures):
            results[n::8] = await future
        return results

    @wrong("too small to ship", says="1000 numbers went out in 1000 calls")
    async def one_by_one(client, work, numbers):
        return await client.gather(client.map(work, numbers))

    @wrong("too big a batch", says="One call did 1000 of 1000 numbers")
    async def all_in_one(client, work, numbers):
        return await client.submit(lambda: [work(number) for number in numbers])

    @wrong("too big a batch", says="One call did 7 of 7 numbers")
    async def a_fixed_size(client, work, numbers):
        def batch(part):
            return [work(number) for number in part]

        parts = [numbers[n : n + 50] for n in range(0, len(numbers), 50)]
        lists = await client.gather(client.map(batch, parts))
        return [result for part in lists for result in part]

    @wrong("sequential", says="one worker at a time")
    async def batch_after_batch(client, work, numbers):
        def batch(part):
            return [work(number) for number in part]

        results, size = [], len(numbers) // 20 + 1
        for n in range(0, len(numbers), size):
            results += await client.submit(batch, numbers[n : n + size])
        return results

    @wrong("called it here", says="without a call")
    async def calls_what_it_sends(client, work, numbers):
        return await client.gather([client.submit(work(number)) for number in numbers])

    @wrong("work is no wait", says="`batch`, which you sent")
    async def an_async_batch(client, work, numbers):
        async def batch(part):
            return [work(number) for number in part]

        size = math.ceil(len(numbers) / 20) or 1
        parts = [numbers[n : n + size] for n in range(0, len(numbers), size)]
        lists = await client.gather(client.map(batch, parts))
        return [result for part in lists for result in part]

    @wrong("lost items", says="420 of 437")
    async def loses_the_rest(client, work, numbers):
        def batch(part):
            return [work(number) for number in part]

        size = len(numbers) // 20 or 1
        parts = [numbers[n * size : (n + 1) * size] for n in range(20)]
        lists = await client.gather(client.map(batch, parts))
        return [result for part in lists for result in part]

    @wrong("worked here", says="by your own program")
    async def sends_what_is_done(client, work, numbers):
        size = len(numbers) // 20 + 1
        parts = [numbers[n : n + size] for n in range(0, len(numbers), size)]
        return await client.gather(
            [client.submit(print, [work(n) for n in part]) for part in parts]
        )

    @wrong("order")
    async def mixed_up(client, work, numbers):
        futures = [
            client.submit(lambda part: list(map(work, part)), numbers[n::8]) for n in range(8)
        ]
        return [result for part in await client.gather(futures) for result in part]

    @wrong("not awaited", says="futures of the cluster")
    async def futures_only(client, work, numbers):
        size = len(numbers) // 20 + 1
        return [
            client.submit(lambda part: list(map(work, part)), numbers[n : n + size])
            for n in range(0, len(numbers), size)
        ]

    @wrong("value")
    async def a_list_of_lists(client, work, numbers):
        size = len(numbers) // 20 + 1
        return await client.gather(
            [
                client.submit(lambda part: list(map(work, part)), numbers[n : n + size])
                for n in range(0, len(numbers), size)
            ]
        )


class ReduceThere(Exercise):
    """Leave it where it is

    `load(day)` is an ordinary function that takes half a second and returns all that was measured
    on that day: a long list of numbers. Write a coroutine function `highest(client, load, days)`:
    it returns a dict from each of `days` to its highest number.

    Every day is loaded once, by a worker, and all workers have their share. No measurements move:
    in all, less than 5,000 bytes may come home, go out, or go from worker to worker.

    `client` behaves as Dask's: `client.submit(function, *arguments)` and `client.map(function,
    items)` return futures at once. A result stays on the worker that made it until its future is
    awaited, alone or by `await client.gather(futures)`. A future can be an argument of another
    call, which then runs where that result is.
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

    def verify(self, highest, lab):
        for days in ([3, 1, 4, 15, 9, 2], [8]):
            client, loaded = Cluster(), []

            def load(day):
                client.spend(0.5)
                loaded.append(day)
                # Where the highest number stands differs from day to day.
                return [(n * 7919 + day * 104729) % 20011 + day for n in range(5000)]

            run = run_on(lab, f"with the days {days}", highest, client, load, list(days))
            not_here(client, "load", lab)
            if isinstance(run.result, dict):
                not_a_future(run.result, lab)
            if client.out > 5000 + 100 * len(client.calls):
                raise Wrong(
                    "there and back",
                    f"{client.out:,} bytes went out with your calls"
                    + (f", after {client.home:,} had come home." if client.home > 5000 else "."),
                    lab.line(r"submit|map|scatter"),
                    "Hand on the future itself: `client.submit(max, future)`. The list "
                    "stays where it is.",
                )
            if client.home > 5000:
                raise Wrong(
                    "brought it home",
                    f"{client.home:,} bytes came home, for {len(days)} numbers.",
                    lab.line(r"await|gather"),
                    "`await` on a future brings its whole result. Let a worker reduce it "
                    "first, and await that.",
                )
            if client.between > 5000:
                raise Wrong(
                    "all to one worker",
                    f"{client.between:,} bytes went from worker to "
                    "worker: one call that needs the lists of several days needs them in "
                    "one place.",
                    lab.line(r"submit|map"),
                    "One call for each day.",
                )
            twice = [day for day, times in Counter(loaded).items() if times > 1]
            if twice:
                raise Wrong(
                    "loaded twice",
                    f"Day {twice[0]} was loaded {loaded.count(twice[0])} times.",
                    lab.line("load"),
                )
            asked = {
                day: max((n * 7919 + day * 104729) % 20011 + day for n in range(5000))
                for day in days
            }
            lab.equal(run.result, asked)
            bound = 0.5 * math.ceil(len(days) / 4)
            took = f"It took {run.elapsed:.2g} s; four workers need {bound:g} s"
            if client.sent[-1] - client.sent[0] > 0.3:
                raise Wrong(
                    "sequential", f"{took}.", lab.text.sequential_await() or lab.line("await|load")
                )
            if run.elapsed > bound + 0.3:
                raise Wrong(
                    "left a worker idle",
                    f"{took}. Calls made for {len(days)} days: {len(client.calls)}.",
                    lab.line("submit|map"),
                    "One worker does one call at a time: a call for each day.",
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

    @wrong("brought it home", says="came home, for 6 numbers")
    async def brings_all(client, load, days):
        lists = await client.gather(client.map(load, days))
        return {day: max(numbers) for day, numbers in zip(days, lists)}

    @wrong("there and back", says="went out with your calls, after")
    async def sends_it_out_again(client, load, days):
        lists = await client.gather(client.map(load, days))
        return dict(zip(days, await client.gather(client.map(max, lists))))

    @wrong("all to one worker", says="went from worker to worker")
    async def in_one_place(client, load, days):
        def all_of(lists):
            return [max(numbers) for numbers in lists]

        lists = client.map(load, days)
        return dict(zip(days, await client.submit(all_of, lists)))

    @wrong("sequential", says="four workers need 1 s")
    async def day_after_day(client, load, days):
        return {day: await client.submit(max, client.submit(load, day)) for day in days}

    @wrong("left a worker idle", says="Calls made for 6 days: 1")
    async def all_in_one_call(client, load, days):
        return await client.submit(lambda: {day: max(load(day)) for day in days})

    @wrong("worked here", says="by your own program")
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

    @wrong("took a future for its result", says="Hand it on")
    async def uses_the_name(client, load, days):
        return {day: max(numbers) for day, numbers in zip(days, client.map(load, days))}

    @wrong("value")
    async def a_list(client, load, days):
        return await client.gather(client.map(max, client.map(load, days)))

    @wrong("loaded twice", says="2 times")
    async def looks_first(client, load, days):
        sizes = await client.gather(client.map(len, client.map(load, days)))
        assert all(sizes)
        return dict(zip(days, await client.gather(client.map(max, client.map(load, days)))))


class Survive(Exercise):
    """Nothing lost with a worker

    Dask does this for you; here you do it yourself. On this cluster, a call whose worker dies while
    it works is not repeated: its future raises `client.WorkerDied`. The other calls go on, and
    another worker takes the place of the dead one.

    Write a coroutine function `do_all(client, work, items)`: it returns what `work` returns for
    each of `items`, in their order. Send all of them off at the beginning, one call each. What was
    lost with a worker is sent again, and nothing else is: not what is done, and not what failed
    with an error of its own. Such an error comes out, alone or in a group.

    An item may be the reason why its worker dies. Each is sent three times at most; if it is lost
    the third time too, `client.WorkerDied` comes out likewise. (The items are different numbers.)

    `client` behaves as Dask's otherwise: `client.submit(function, *arguments)` and
    `client.map(function, items)` return futures at once, and a future can be awaited.
    """

    id = "survive-1"
    asks = "do_all"
    minutes = 12
    hints = (
        "First for one item: a coroutine that sends it, awaits the future, and sends it again "
        "where it was lost.",
        "`except client.WorkerDied:` and no other error. Then all of them at once: which lesson "
        "had that?",
        "`for attempt in range(3): try: return await client.submit(work, item)`, and "
        "`asyncio.gather(*(one(item) for item in items))`.",
    )

    def verify(self, do_all, lab):
        items = list(range(11, 19))

        def prepared(deadly=(), bad=None):
            client = Cluster(workers=8, deadly=deadly)

            def work(item):
                client.spend(1.0)
                if item == bad:
                    raise LookupError(f"no {item}")
                return 10 * item

            return client, work

        client, work = prepared({13: 1, 16: 2})
        try:
            run = run_on(
                lab,
                "with the items 11 to 18, of which 13 loses its worker once and 16 twice",
                do_all,
                client,
                work,
                list(items),
            )
        except WorkerDied as died:
            place = lab.text.of_traceback(died)
            raise Wrong(
                "gave up",
                f"`client.WorkerDied` came out: {died}.",
                place and place[1],
                "Catch it, and send that item again.",
            ) from None
        not_here(client, "work", lab)
        not_a_future(run.result, lab)
        sent = Counter(arguments[0] for arguments in client.calls if arguments)
        again = [item for item in items if sent[item] > 1 and item not in (13, 16)]
        if again:
            raise Wrong(
                "did it all again",
                f"Item {again[0]} was sent {sent[again[0]]} times, and its worker had not died.",
                lab.line("submit|map"),
                "Only what was lost is sent again.",
            )
        lab.equal(run.result, [10 * item for item in items])
        first = client.sent[:8]
        if first[-1] > 0.5:
            raise Wrong(
                "sequential",
                f"It took {run.elapsed:.2g} s. The eighth call was made at "
                f"{first[-1]:.2g} s, and eight workers are there.",
                lab.text.sequential_await() or lab.line("await"),
            )

        client, work = prepared({14: 1}, bad=17)
        what = "with the items 11 to 18, of which 14 loses its worker, and 17 raises a LookupError"
        try:
            run_on(lab, what, do_all, client, work, list(items), raises=LookupError)
        except BaseExceptionGroup as group:
            if group.subgroup(LookupError) is None:
                raise
        times = [arguments[0] for arguments in client.calls].count(17)
        if times > 1:
            raise Wrong(
                "retried",
                f"Item 17 failed with a LookupError of its own and was sent {times} times.",
                lab.line("except"),
                "Its worker is well, and it would fail again. `except client.WorkerDied` "
                "catches that error and no other.",
            )

        client, work = prepared({15: 100})
        returned, came_out, other = None, False, None
        try:
            returned = run_on(
                lab,
                "with the items 11 to 18, of which 15 is the death of every worker",
                do_all,
                client,
                work,
                list(items),
            ).result
        except Wrong:
            raise
        except Exception as error:
            group = error if isinstance(error, ExceptionGroup) else ExceptionGroup("", [error])
            came_out, other = group.subgroup(WorkerDied) is not None, error
        times = [arguments[0] for arguments in client.calls].count(15)
        if times != 3:
            raise Wrong(
                "another number of attempts",
                f"Item 15 was sent {times} times, and it should have been sent three times.",
                lab.line(r"range|while|except"),
            )
        if not came_out and other is not None:
            place = lab.text.of_traceback(other)
            raise Wrong(
                "another error",
                f"Item 15 was lost three times, and {other!r} came out, not `client.WorkerDied`.",
                place and place[1],
                "Let the error of the third time out.",
            )
        if not came_out:
            raise Wrong(
                "lost error",
                "Item 15 was lost three times, and `client.WorkerDied` did "
                f"not come out. It returned {returned}.",
                lab.line("except"),
            )

        client, work = prepared()
        lab.equal(run_on(lab, "without items", do_all, client, work, []).result, [])

    @right
    async def each_for_itself(client, work, items):
        """Return the results in order; each item is sent three times at most."""

        async def one(item):
            for attempt in 1, 2, 3:
                try:
                    return await client.submit(work, item)
                except client.WorkerDied:
                    if attempt == 3:
                        raise

        return await asyncio.gather(*(one(item) for item in items))

    @right
    async def in_rounds(client, work, items):
        results, left, lost = {}, list(items), None
        for _ in range(3):
            ends = await asyncio.gather(*client.map(work, left), return_exceptions=True)
            for item, end in zip(left, ends):
                if isinstance(end, client.WorkerDied):
                    lost = end
                elif isinstance(end, Exception):
                    raise end
                else:
                    results[item] = end
            left = [item for item in left if item not in results]
            if not left:
                return [results[item] for item in items]
        raise lost

    @wrong("gave up", says="that item again")
    async def hopes(client, work, items):
        return await asyncio.gather(*client.map(work, items))

    @wrong("did it all again", says="its worker had not died")
    async def from_the_start(client, work, items):
        for attempt in range(3):
            try:
                return await asyncio.gather(*client.map(work, items))
            except client.WorkerDied:
                if attempt == 2:
                    raise

    @wrong("sequential", says="eight workers are there")
    async def one_by_one(client, work, items):
        async def one(item):
            for attempt in 1, 2, 3:
                try:
                    return await client.submit(work, item)
                except client.WorkerDied:
                    if attempt == 3:
                        raise

        return [await one(item) for item in items]

    @wrong("retried", says="failed with a LookupError of its own")
    async def catches_everything(client, work, items):
        async def one(item):
            for attempt in 1, 2, 3:
                try:
                    return await client.submit(work, item)
                except Exception:
                    if attempt == 3:
                        raise

        return await asyncio.gather(*(one(item) for item in items))

    @wrong("gave up", says="the worker that had 16 died")
    async def two_attempts(client, work, items):
        async def one(item):
            try:
                return await client.submit(work, item)
            except client.WorkerDied:
                return await client.submit(work, item)

        return await asyncio.gather(*(one(item) for item in items))

    @wrong("lost error", says="lost three times")
    async def three_and_no_more(client, work, items):
        async def one(item):
            for _ in range(3):
                try:
                    return await client.submit(work, item)
                except client.WorkerDied:
                    pass

        return await asyncio.gather(*(one(item) for item in items))

    @wrong("another number of attempts", says="sent 101 times")
    async def for_ever(client, work, items):
        async def one(item):
            while True:
                try:
                    return await client.submit(work, item)
                except client.WorkerDied:
                    pass

        return await asyncio.gather(*(one(item) for item in items))

    @right
    async def in_a_group(client, work, items):
        async def one(item):
            for attempt in 1, 2, 3:
                try:
                    return await client.submit(work, item)
                except client.WorkerDied:
                    if attempt == 3:
                        raise

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(item)) for item in items]
        return [task.result() for task in tasks]

    @wrong("another error", says="RuntimeError('lost') came out")
    async def an_error_of_its_own(client, work, items):
        async def one(item):
            for attempt in range(3):
                try:
                    return await client.submit(work, item)
                except client.WorkerDied:
                    continue
            raise RuntimeError("lost")

        return await asyncio.gather(*(one(item) for item in items))

    @wrong("value")
    async def leaves_it_out(client, work, items):
        ends = await asyncio.gather(*client.map(work, items), return_exceptions=True)
        return [end for end in ends if not isinstance(end, client.WorkerDied)]

    @wrong("order")
    async def appends_what_was_lost(client, work, items):
        async def one(item):
            for attempt in 1, 2, 3:
                try:
                    results.append(await client.submit(work, item))
                    return
                except client.WorkerDied:
                    if attempt == 3:
                        raise

        results = []
        await asyncio.gather(*(one(item) for item in items))
        return results


class Once(Exercise):
    """Twice is once

    A cluster runs a task again if it can't know whether it was done. Payments are entered by such
    tasks, into `book`, a dict that outlives every worker. A payment is a dict of three entries:
    "id", which no other payment has; "account"; and "amount", a whole number.

    Write an ordinary function `pay(book, payment)` that enters a payment. At any time
    `sum(book.values())` shall be the sum of all payments made. A payment may be entered again, once
    or many times, at once or much later: that changes nothing. All that has to be remembered is in
    `book`, for the next call may be in another process.
    """

    id = "idempotent-1"
    asks = "pay"
    minutes = 6
    hints = (
        "How would you know a payment that was entered before? Two payments may be alike in "
        "everything but one.",
        "A sum forgets what it was made of. What could stand in `book` in its place?",
        "To set `book[key] = amount` twice is to set it once, if the key is the payment's own.",
    )

    def verify(self, pay, lab):
        tea = {"id": 1, "account": "Ada", "amount": 5}
        more_tea = {"id": 2, "account": "Ada", "amount": 5}
        soup = {"id": 3, "account": "Bob", "amount": 7}
        cake = {"id": 4, "account": "Ada", "amount": 20}
        back = {"id": 5, "account": "Ada", "amount": -5}

        if inspect.iscoroutinefunction(pay):
            raise Wrong(
                "a coroutine function",
                "`pay` is a coroutine function, and an ordinary one was asked for.",
                lab.line("async"),
                "Nothing in it waits: `def`.",
            )

        def after(what, *payments):
            book = {}
            for payment in payments:
                lab.call(pay, book, dict(payment))
            lab.told(f"with {what}")
            for key, value in book.items():
                if not isinstance(value, int):
                    raise Wrong(
                        "value",
                        f"The book holds {value!r} at {key!r}, which is no "
                        "number: `sum(book.values())` fails.",
                        lab.line(r"book(\[|\.)"),
                    )
            return sum(book.values())

        seen = "`sum(book.values())` is"
        lab.equal(after("a payment of 5", tea), 5, what=seen)
        if after("a new book, and the same payment of 5", tea) == 0:
            raise Wrong(
                "remembered elsewhere",
                f"{seen} 0: the payment is not in this book, for "
                "it was once entered in another one.",
                lab.line(r"not in|in seen"),
                "What your function remembers is in one process, and gone with it. Only "
                "`book` outlives it.",
            )
        got = after("payments of 5 and 20 to Ada and one of 7 to Bob", tea, cake, soup)
        if got < 32:
            raise Wrong(
                "overwritten",
                f"{seen} {got}, not 32: a payment is missing, or another one has taken its place.",
                lab.line(r"book\["),
                "Each payment needs a place of its own.",
            )
        lab.equal(got, 32, what=seen)
        got = after("two payments of 5 to Ada that differ in their ids alone", tea, more_tea)
        if got == 5:
            raise Wrong(
                "took two for one",
                f"{seen} 5, and two payments of 5 were made.",
                lab.line(r"in book|not in|book\["),
                "Two payments may be alike. Only the id tells them apart.",
            )
        lab.equal(got, 10, what=seen)
        for what, *payments in (
            ("a payment of 5 entered twice in a row, then one of 20", tea, tea, cake),
            ("payments of 5 and 20, and the first one entered again", tea, cake, tea),
            ("payments of 20 and 5, each entered three times", cake, tea, tea, cake, tea, cake),
        ):
            got = after(what, *payments)
            if got > 25:
                raise Wrong(
                    "booked twice",
                    f"{seen} {got}, not 25: the task ran again, and so did its addition.",
                    lab.line(r"\+=|\+|len\("),
                    "Let the second time write what is there already: a place in `book` "
                    "for each id.",
                )
            lab.equal(got, 25, what=seen)
        lab.equal(
            after(
                "payments of 5, 20 and -5, and the first one entered again at the end",
                tea,
                cake,
                back,
                tea,
            ),
            20,
            what=seen,
        )

    @right
    def a_place_for_each(book, payment):
        """Enter `payment` into `book`, however often it is called."""
        book[payment["id"]] = payment["amount"]

    @right
    def only_what_is_new(book, payment):
        key = payment["account"], payment["id"]
        if key not in book:
            book[key] = payment["amount"]

    @wrong("booked twice", says="so did its addition")
    def adds_up(book, payment):
        book[payment["account"]] = book.get(payment["account"], 0) + payment["amount"]

    @wrong("booked twice")
    def a_new_line(book, payment):
        book[len(book)] = payment["amount"]

    @wrong("took two for one", says="Only the id")
    def by_account_and_amount(book, payment):
        book[payment["account"], payment["amount"]] = payment["amount"]

    @wrong("overwritten", says="another one has taken its place")
    def one_payment_an_account(book, payment):
        book[payment["account"]] = payment["amount"]

    @wrong("value", says="which is no number")
    def keeps_the_payment(book, payment):
        book[payment["id"]] = payment

    @wrong("remembered elsewhere", says="Only `book` outlives it")
    def remembers_here(book, payment, seen=set()):
        if payment["id"] not in seen:
            seen.add(payment["id"])
            book[payment["id"]] = payment["amount"]


class ChooseWhere(Exercise):
    """Where does it belong?

    Set `places` to a dict from each job to "loop", "thread", "process pool" or "cluster": the
    first of them that will do.

    - "ask 500 sites": each answers after a second, by `httpx.AsyncClient`.
    - "old driver": three queries of a database, whose library only knows blocking calls.
    - "scale 400 pictures": 200 ms of Python each, on one machine of eight cores, started anew if
      it fails.
    - "add two numbers": ten thousand times, each pair as it comes out of a socket.
    - "a month of logs": 900 GB, which lie on the disks of thirty machines, read by each of them.
    - "a week of physics": a thousand runs of an hour in Python. Machines go down now and then, and
      nobody wants to begin again.
    - "compress a file": `zlib` lets go of the GIL, the file is large, and there is only one.
    """

    id = "choose-where-1"
    asks = "places"
    minutes = 5
    hints = (
        "Does it wait or does it compute? In Python, or in C without the GIL?",
        "What does the journey cost, against the work? And where are the data?",
        "Only two of the seven need more than one machine.",
    )
    right_values = (PLACES,)

    def verify(self, places, lab):
        for belief in self.wrong_values:
            name = next(name for name in PLACES if belief.value[name] != PLACES[name])
            if isinstance(places, dict) and places.get(name) == belief.value[name]:
                raise Wrong(belief.kind, belief.says, try_="")
        lab.equal(places, PLACES, what="`places` is", secret=True)

    wrong_values = tuple(
        wrong_value(PLACES | {name: place}, kind, says)
        for name, place, kind, says in (
            (
                "ask 500 sites",
                "cluster",
                "too far",
                "Five hundred answers are waited for. One loop can wait for all of them.",
            ),
            (
                "ask 500 sites",
                "thread",
                "a thread for a wait",
                "`httpx.AsyncClient` can be awaited, so 500 threads would have nothing to do.",
            ),
            (
                "old driver",
                "loop",
                "blocked the loop",
                "A library that only knows blocking calls holds the loop while it waits.",
            ),
            (
                "old driver",
                "process pool",
                "too far",
                "A blocking call only waits. It needs a thread to wait in, and no core of its own.",
            ),
            (
                "scale 400 pictures",
                "thread",
                "threads share a core",
                "200 ms of Python hold the GIL, so eight threads scale one picture at a time.",
            ),
            (
                "scale 400 pictures",
                "cluster",
                "too far",
                "One machine with eight cores is enough, and its pool asks less for each call.",
            ),
            (
                "scale 400 pictures",
                "loop",
                "blocked the loop",
                "400 times 200 ms of Python on the loop is 80 s in which nobody else has a turn.",
            ),
            (
                "add two numbers",
                "cluster",
                "too small to ship",
                "An addition takes less than a microsecond, its journey milliseconds.",
            ),
            (
                "add two numbers",
                "process pool",
                "too small to ship",
                "An addition takes less than a microsecond, and its way to another process a hundred "
                "times that.",
            ),
            (
                "a month of logs",
                "process pool",
                "too big to bring back",
                "A pool is on one machine, and 900 GB would have to come to it first.",
            ),
            (
                "a week of physics",
                "process pool",
                "lost with a process",
                "A pool loses all that is left with one process. And a thousand hours are five days "
                "even for eight cores.",
            ),
            (
                "compress a file",
                "process pool",
                "copied for nothing",
                "`zlib` lets go of the GIL: a thread computes beside the loop, and the large file "
                "need not be copied to another process and back.",
            ),
            (
                "compress a file",
                "loop",
                "blocked the loop",
                "It lets go of the GIL, but not of the loop: that one waits until the call returns.",
            ),
        )
    )
