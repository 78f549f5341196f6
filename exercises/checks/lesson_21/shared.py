"""What exercises of lesson 21 share: a cluster that exists only on virtual time."""

import asyncio
import inspect
import pickle
from collections.abc import Iterator

from helpers.coach import Wrong

CALL = 0.005  # seconds that the scheduler takes for a call, one after another
BYTE = 1e-8  # seconds that a byte takes on its way


class NotForWorkers(TypeError):
    """What was submitted is no function for a worker: kind, headline, observed, what to try."""


class WorkerDied(Exception):
    """The worker died while it had this call in its hands.

    arguments: those of the call.
    """

    arguments = ()


class Future:
    """A future as the cluster's: a name for a result that lies on a worker."""

    def __init__(self, client):
        self.client, self.over = client, asyncio.Event()
        self.worker = self.value = self.error = None
        self.raised = []  # the learner's places to which its error came

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

    lab: what judges. workers: how many. deadly: {argument: how often a call with it is the death
    of its worker}.
    home, between, out: bytes that were brought home, moved from worker to worker, sent along with
    calls. calls, futures: the arguments and the future of each call. share: how often `work` ran in
    each call.
    here: how often it ran outside of any call; here_at: the learner's place that ran it first.
    lazy: whether a call returned what works only when it is asked for its items.
    """

    WorkerDied = WorkerDied

    def __init__(self, lab, workers=4, deadly=()):
        self.lab = lab
        self.free = [0.0] * workers
        self.deadly = dict(deadly)
        self.scheduler = 0.0
        self.home = self.between = self.out = self.here = 0
        self.calls, self.futures, self.share, self.sent = [], [], [], []
        self.here_at, self.lazy = None, False
        self.spent = None  # seconds of the call that runs, None outside of calls

    def __repr__(self):
        return "client"

    def spend(self, seconds):
        """What a function of the exercise calls: it takes so long."""
        if self.spent is None:
            self.here += 1
            self.here_at = self.here_at or self.lab.calling()
        else:
            self.spent += seconds
            self.share[-1] += 1

    # What a learner calls

    def submit(self, function, *arguments, pure=True, workers=None, key=None, **named):
        name = getattr(function, "__name__", "the function")
        if inspect.iscoroutinefunction(function):
            raise NotForWorkers(
                "async for plain",
                "work is no wait",
                f"`{name}`, which you sent, is an `async def`. "
                "Nothing in it waits, and a worker doesn't run your loop.",
                "What computes on a worker is an ordinary function.",
            )
        if not callable(function):
            raise NotForWorkers(
                "called, not handed over",
                "called it here",
                "`submit` was given what a function had returned, and not the function.",
                "The function first, then its arguments, without a call: "
                "`client.submit(function, argument)`.",
            )
        result = Future(self)
        self.futures.append(result)
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
            result.raised.append(self.lab.calling())
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
                error.arguments = arguments
            else:
                value = function(*resolved(arguments), **resolved(named))
                self.lazy = self.lazy or isinstance(value, Iterator)
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
    """Run the answer as `lab.run` does, told by `words`; name what a cluster refuses."""
    lab.told(words)
    try:
        run = lab.run(answer, *arguments, **how)
        if run.error is not None and "raises" not in how:
            raise run.error  # within a sweep it was kept
        return run
    except NotForWorkers as error:
        kind, headline, observed, try_ = error.args
        place = lab.text.of_traceback(error)
        raise Wrong(kind, observed, place and place[1], try_, headline) from None
    except TypeError as error:
        if "'Future' object" not in str(error):
            raise
        place = lab.text.of_traceback(error)
        raise Wrong(
            "future for its result",
            f"It raised TypeError: {error}. A future is only a name for what is on a worker.",
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
    if client.here and client.lazy:
        raise Wrong(
            "called, not handed over",
            f"`{what}` was called {client.here} times by your own program, not by a worker: what a "
            "worker returned was only a promise of results.",
            client.here_at,
            "`map` and a generator do nothing before somebody asks for their items. Make a list of "
            "them on the worker.",
            headline="worked here",
            at="asks for them",
        )
    if client.here:
        raise Wrong(
            "called, not handed over",
            f"`{what}` was called {client.here} times by your own program, not by a worker.",
            lab.call_of(what) or client.here_at,
            f"Send a function that calls `{what}`: `client.submit(function, ...)`.",
            headline="worked here",
        )
