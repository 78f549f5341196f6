"""Long, for workers can be too many, too few or idle in many ways, and each is told."""

import ast
import contextlib
import functools
import inspect
import itertools
import sys
import threading
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.form.text import is_function
from helpers.coach.mistakes.nodes import LOOPS, is_named
from helpers.coach.mistakes.words import error_words

from .shared import OF_ITS_OWN, PATIENCE, Callers, Jobs, lines_from

RESULTS = ("paid", 0, None, "")
STARTING = ("submit", "map", "Thread", "start", "*Executor")
WAITS = (
    "There it waits, though not all jobs are started. Start the next as soon as a place is free: a "
    "pool that is given all of them does so."
)
NEXT = "Whoever is done takes the next job that is left, whichever that is."
MANY = 40  # more than the threads that a pool has by itself


class RunJobs(Exercise):
    """A bank with a number of tellers

    Write `run_jobs(jobs, workers)`. `jobs` is a list of functions without parameters; none of them
    fails. Run them in threads, `workers` of them at the same time and never more. Return their
    results as a list, in the order of `jobs`.
    """

    id = "run-jobs-1"
    asks = "run_jobs"
    minutes = 7
    clock = "real"
    limit = 2
    hints = (
        "A pool is a fixed number of threads: `with ThreadPoolExecutor(workers) as pool:`.",
        "`pool.submit(job)` returns at once, with a future: a box for a result that comes later. "
        "Its `result()` waits.",
        "Keep the futures in a list, in order. Ask the first for its result only after the last "
        "job has been submitted.",
    )

    def verify(self, run_jobs, lab):
        jobs = Jobs([0.06, 0.05, 0.04, 0.06, 0.05, 0.04], together=3)
        try:
            results = lab.call(run_jobs, jobs.all, 3)
        except TypeError:
            jobs.check_handed_over(lab)
            raise
        expected = [f"result {number}" for number in range(6)]
        jobs.check_handed_over(lab)
        jobs.check_together(
            lab,
            lab.call_of(".result", "join") or _waits_for_each(lab) or lab.call_of("*Executor"),
        )
        if jobs.peak > 3:
            raise Wrong(
                "limit",
                f"{jobs.peak} jobs ran at once; at most 3 may.",
                **_too_many_at(lab),
            )
        if isinstance(results, (list, tuple)) and any(isinstance(r, Future) for r in results):
            raise Wrong(
                "future for its result",
                "It returned futures, not what is in them.",
                lab.returning(),
                "A future's `result()` waits for the job and gives what it returned.",
                headline="returned the boxes",
            )
        if inspect.isgenerator(results):
            raise Wrong(
                "future for its result",
                "It returned what `map` gives, which hands out the results one by one. The "
                "exercise asks for a list.",
                lab.returning(),
                "Make a list of it: `list(...)`.",
                headline="not a list",
            )
        if results is None:
            raise Wrong(
                "value",
                "It returned None: the jobs ran, and their results were lost.",
                try_="Collect what the jobs return, and `return` it.",
            )
        lab.equal(results, expected)
        self._two_at_once(lab, run_jobs)

    def _two_at_once(self, lab, run_jobs):
        """Raise Wrong if two calls at the same time have one row of threads between them."""
        meeting = threading.Barrier(2)

        def meet():
            with contextlib.suppress(threading.BrokenBarrierError):
                meeting.wait(PATIENCE)

        lab.told("twice at the same time, each time with one job and one worker")
        with ThreadPoolExecutor(1) as other:
            beside = other.submit(run_jobs, [meet], 1)
            lab.call(run_jobs, [meet], 1)
            beside.result()
        if meeting.broken:
            raise Wrong(
                "shared state",
                "The job of one call had to wait until that of the other was done.",
                lab.call_of("*Executor", "*Pool", "Thread"),
                "Each call has workers of its own: make them in the call, and keep them nowhere "
                "else.",
                headline="two calls shared their workers",
            )

    @sweep(
        lambda some: {
            "numbers": some.lists(some.integers(0, 3), max_size=6),
            "results": some.permutations((None, 0, "", "paid")),
            "workers": some.integers(1, 6),
        },
        besides=[
            {"numbers": [0, 1, 2, 3], "results": RESULTS, "workers": 2},
            {"numbers": [0] * MANY, "results": RESULTS, "workers": MANY - 2},
        ],
        most=16,
    )
    def any_jobs(self, run_jobs, lab, numbers, results, workers):
        bank = Bank(len(numbers), workers)
        jobs = [bank.job(number, result) for number, result in enumerate(results)]
        if len(numbers) == MANY:
            lab.told(f"with {MANY} jobs and {workers} workers")
        try:
            got = lab.call(run_jobs, lab.own([jobs[number] for number in numbers]), workers)
        except ValueError as error:
            if numbers or "max_workers" not in str(error):
                raise
            raise Wrong(
                "raised",
                f"It raised {error_words(error)}.",
                lab.text.of_traceback(error),
                "A pool needs at least one thread, even where there are no jobs.",
                headline="made a pool without threads",
            ) from None
        bank.check(lab)
        return {"it returned": got, "the number of jobs that it called was": bank.begun}

    @sweep(
        lambda some: {"at": some.permutations((0, 1, 0)), "workers": some.integers(1, 2)},
        most=4,
    )
    def one_twice(self, run_jobs, lab, at, workers):
        """A function twice in the list, which returns something else each time."""
        numbers = itertools.count(1)
        jobs = [Named("draw_a_number", lambda: next(numbers)), Named("pay", lambda: 0)]
        asked = [jobs[which] for which in at]
        lab.told(f"with {asked} and {workers}, where `draw_a_number` returns 1, and then 2")
        got = lab.call(run_jobs, asked, workers)
        if isinstance(got, list) and len(got) == 3 and len(set(got)) < 3:
            alike = lab.alike()
            raise Wrong(
                "value",
                f"It returned {got}: one result is lost, and another stands there twice.",
                alike.line,
                "The same function is in the list twice. Each place has a result of its own.",
                headline="mixed up two places",
                at=alike.at,
            )
        if isinstance(got, list):
            got = sorted(got)  # nobody says which of the two threads draws first
        return {"in order of size, it returned": got}

    @right
    def submit_all_then_ask(jobs, workers):
        """Run `jobs` in at most `workers` threads; return their results, in order."""
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(job) for job in jobs]
            return [future.result() for future in futures]

    @right
    def with_map(jobs, workers):
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(lambda job: job(), jobs))

    @wrong("limit", says="at most 3 may")
    def forgets_the_workers(jobs, workers):
        with ThreadPoolExecutor(len(jobs)) as pool:
            futures = [pool.submit(job) for job in jobs]
            return [future.result() for future in futures]

    as_they_come = submit_all_then_ask.but(
        "in futures",
        "in as_completed(futures)",
        kind="order",
        says="the expected order is ['result 0', 'result 1'",
    )

    @wrong("sequential", says="3 should")
    def asks_at_once(jobs, workers):
        results = []
        with ThreadPoolExecutor(workers) as pool:
            for job in jobs:
                results.append(pool.submit(job).result())
        return results

    @wrong("sequential", says="3 should")
    def a_pool_for_each(jobs, workers):
        results = []
        for job in jobs:
            with ThreadPoolExecutor(workers) as pool:
                results.append(pool.submit(job))
        return [future.result() for future in results]

    @wrong("future for its result", says="`result()`")
    def returns_futures(jobs, workers):
        with ThreadPoolExecutor(workers) as pool:
            return [pool.submit(job) for job in jobs]

    @wrong("future for its result", says="asks for a list")
    def returns_the_map(jobs, workers):
        with ThreadPoolExecutor(workers) as pool:
            return pool.map(lambda job: job(), jobs)

    @wrong("called, not handed over", says="without parentheses")
    def calls_each_job(jobs, workers):
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(job()) for job in jobs]
            return [future.result() for future in futures]

    @wrong("idle places", says="not all jobs are started")
    def batch_after_batch(jobs, workers):
        results = []
        with ThreadPoolExecutor(workers) as pool:
            for start in range(0, len(jobs), workers):
                batch = [pool.submit(job) for job in jobs[start : start + workers]]
                for future in batch:
                    results.append(future.result())
        return results

    @wrong("called, not handed over", says="not in another one")
    def the_caller_helps(jobs, workers):
        left, results = deque(enumerate(jobs)), {}

        def work():
            while left:
                number, job = left.popleft()
                results[number] = job()

        with ThreadPoolExecutor(workers) as pool:
            for _ in range(workers):
                pool.submit(work)
            work()
        return [results[number] for number in range(len(jobs))]

    @wrong("value", says="None")
    def loses_the_results(jobs, workers):
        with ThreadPoolExecutor(workers) as pool:
            for job in jobs:
                pool.submit(job)


class Named(functools.partial):
    """A function that is shown by a name."""

    def __new__(cls, name, function):
        named = super().__new__(cls, function)
        named.name = name
        return named

    def __repr__(self):
        return self.name


class Bank:
    """Jobs that note how many run at once.

    The first so many as there are workers wait for one another, and where there are several
    workers, the very first waits until all others have begun: a worker who is free takes the next.
    """

    def __init__(self, jobs, workers):
        self.jobs, self.workers = jobs, workers
        self.begun = self.running = self.peak = 0
        self.waited_for = None  # jobs that had begun when one that waited for others gave up
        self.caller_at = []  # where the caller's thread was at that moment, innermost first
        self.callers, self.in_caller = Callers(), False
        self._change = threading.Condition()

    def job(self, number, result):
        """A function without parameters that returns `result`."""

        return Named(f"job_{number}", functools.partial(self._run, result))

    def _run(self, result):
        self._begin()
        time.sleep(0.001)
        with self._change:
            self.running -= 1
        return result

    def _begin(self):
        with self._change:
            self.begun += 1
            self.running += 1
            self.peak = max(self.peak, self.running)
            self._change.notify_all()
            if self.callers.note():
                self.in_caller = True
            elif self.workers > 1 and self.begun <= self.workers:
                others = self.jobs if self.begun == 1 else min(self.workers, self.jobs)
                if not self._change.wait_for(lambda: self.begun >= others, PATIENCE):
                    self.waited_for = self.begun
                    self.caller_at = lines_from(sys._current_frames()[self.callers.thread])

    def check(self, lab):
        """Raise Wrong unless the jobs ran in threads, `workers` of them at once."""
        if self.in_caller:
            raise Wrong(
                "called, not handed over",
                f"A job ran in the thread that called `{lab.asks}`.",
                self.callers.place(lab),
                "Hand over the function itself, without parentheses, to a thread that you "
                "`start()` or to a pool.",
            )
        if self.peak > self.workers:
            raise Wrong(
                "limit",
                f"{self.peak} jobs ran at once; at most {self.workers} may.",
                **_too_many_at(lab),
            )
        if self.waited_for is not None:
            few = self.peak < min(self.workers, self.jobs)
            raise Wrong(
                "idle places",
                f"The first job was a long one. While it ran, all {self.jobs} jobs should have "
                f"begun; only {self.waited_for} did"
                + (f", and at most {self.peak} ran at once." if few else "."),
                *self._idle_at(lab, few),
            )

    def _idle_at(self, lab, few):
        """The line that leaves places empty, and what to try: it makes too few, or waits before
        all jobs are started, or deals them out beforehand.
        """
        if few and (bare := lab.bare_call_of("*Executor")):
            return bare, OF_ITS_OWN
        if few and (pool := lab.call_of("*Executor")):
            return pool, None
        for filename, line in self.caller_at:
            if filename == lab.text.main and _starts_more_behind(lab, line):
                return line, WAITS
        return lab.call_of("range", given="workers"), None if few else NEXT


def _too_many_at(lab):
    """The line that lets too many jobs run at once, and what to try."""
    if bare := lab.bare_call_of("*Executor"):
        return {"line": bare, "try_": OF_ITS_OWN}
    if starts := _held_while_starting(lab):
        return {
            "line": starts,
            "try_": "Each job has to hold a place of the semaphore as long as it runs: take it in "
            "the thread of the job, around the call.",
            "at": "holds a place for whoever starts the jobs, not for the jobs",
        }
    return {
        "line": lab.call_of("*Executor", "Thread"),
        "try_": "A pool of `workers` threads runs no more jobs than that at once.",
    }


def _held_while_starting(lab):
    """The line of a `with` that enters a semaphore, and in which jobs are only started, or None."""
    names = [
        target.id
        for node in lab.nodes()
        if isinstance(node, ast.Assign) and _calls(node.value, ["*Semaphore"])
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    return lab.earliest(
        *(
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.With)
            if any(getattr(item.context_expr, "id", None) in names for item in node.items)
            if lab.text.calls_of("submit", "start", inside=node)
        )
    )


def _starts_more_behind(lab, line):
    """Whether a line stands in a loop in which jobs are started as well, there or in a function
    that is called there.
    """
    functions = filter(is_function, lab.nodes())
    helpers = [one.name for one in functions if one.name != lab.asks and _calls(one, STARTING)]
    return any(
        _calls(loop, (*STARTING, *helpers))
        for loop in lab.nodes()
        if isinstance(loop, LOOPS) and loop.lineno <= line <= loop.end_lineno
    )


def _calls(node, names):
    """Whether something of these names is called in a part of the tree."""
    calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
    return any(is_named(call.func, names) for call in calls)


def _waits_for_each(lab):
    """The line of a loop that waits for the very job that it has handed over, or None."""
    loops = [node for node in lab.nodes() if isinstance(node, (ast.For, ast.While))]
    return lab.earliest(
        *(
            waits.lineno
            for loop in loops
            if lab.text.calls_of("submit", inside=loop)
            for waits in lab.text.calls_of("result", inside=loop)
        )
    )
