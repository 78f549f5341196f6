import ast
import contextlib
import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from unittest import mock

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.form.text import is_function
from helpers.coach.mistakes.nodes import LOOPS, is_named, line_of_call, own_nodes

from .shared import Jobs

MANY = 40  # more than the threads that a pool has by itself
LONG = 0.04  # seconds that the slow job takes
MOMENT = 0.005  # seconds that a wait takes whose limit is over at once


class WaitForAll(Exercise):
    """Run all jobs in threads

    Write `wait_all(jobs)`. `jobs` is a list of one or more functions without parameters; none of
    them fails. Run each of them in a thread of its own, all at the same time. Return when all of
    them are done.
    """

    id = "wait-all-1"
    asks = "wait_all"
    minutes = 7
    clock = "real"
    limit = 2
    hints = (
        "It takes two loops. What is the second one for?",
        "`Thread(target=job)` makes a thread that will call `job`; it does so after `start()`. "
        "`join()` waits for its end.",
        "Make a list `threads`. First `for thread in threads: thread.start()`, then "
        "`for thread in threads: thread.join()`.",
    )

    def verify(self, wait_all, lab):
        lab.naps = 0.001  # seconds: who sleeps instead of joining doesn't know for how long
        jobs = Jobs([0.1, 0.05, 0.05, 0.05], together=4)
        try:
            lab.call(wait_all, jobs.all)
        except AssertionError as error:
            if "group argument" not in str(error):
                raise
            raise Wrong(
                "arguments",
                "`Thread(job)` takes its first argument for something else, a group of threads.",
                lab.call_of("Thread"),
                "Name it: `Thread(target=job)`.",
                headline="did not name the target",
            ) from None
        ended = len(jobs.ended)
        if not jobs.started:
            raise Wrong(
                "not run yet",
                "It returned, and none of the four jobs had been called.",
                lab.call_of("Thread"),
                "A thread begins when you call its `start()`.",
                headline="started nothing",
            )
        self._check(lab, jobs, ended)
        self._each_once(lab, jobs)
        self._gives_up(wait_all, lab)
        jobs = Jobs([0, 0, 0, 0], together=4)
        lab.told("with four jobs, whose threads got going only after all of them were started")
        with late_threads(4):
            lab.call(wait_all, jobs.all)
        self._each_once(lab, jobs)

    def _each_once(self, lab, jobs):
        if sorted(jobs.started) != [0, 1, 2, 3]:
            bound = lab.suspect(sorted(jobs.started), [0, 1, 2, 3])
            raise Wrong(
                "value",
                f"It called the jobs {sorted(jobs.started)}, counted from 0; "
                "expected each of the four once.",
                lab.node(ast.Lambda) or bound and bound.line,
                bound and bound.try_,
                headline="did not call each job once",
            )

    def _gives_up(self, wait_all, lab):
        """Raise Wrong if it waits for a while only: here each limited wait is over at once."""
        ended = []

        def job():
            time.sleep(LONG)
            ended.append(True)

        lab.told("with a job that takes longer than any time limit")
        with short_waits():
            lab.call(wait_all, [job])
            in_time = bool(ended)
        if not in_time:
            raise Wrong(
                "early return",
                "It returned, and the job was not done.",
                lab.call_of("join", "wait", "as_completed"),
                "A job may take any time. Wait without a limit: until its thread has ended.",
                headline="gave up waiting",
                at="waits for a limited time",
            )

    @sweep(
        lambda some: {
            "numbers": some.lists(some.integers(0, 2), min_size=1, max_size=4),
            "slow": some.integers(0, 2),
        },
        besides=[
            {"numbers": [0, 1, 1], "slow": 0},
            {"numbers": list(range(MANY)), "slow": None},
        ],
        most=3,
    )
    def any_jobs(self, wait_all, lab, numbers, slow):
        lengths = [LONG if number == slow else 0 for number in range(max(numbers) + 1)]
        jobs = Jobs(lengths, together=len(numbers))
        if len(numbers) == MANY:
            lab.told(f"with {MANY} jobs")
        lab.call(wait_all, lab.own([jobs.all[number] for number in numbers]))
        done = len(jobs.ended)
        self._check(lab, jobs, done)
        return {"the jobs that it called were": sorted(jobs.started)}

    @sweep(lambda some: {"times": some.just(2)}, most=1)
    def one_twice(self, wait_all, lab, times):
        """A function twice in the list, whose first call takes longer than the second."""
        numbers, ended = itertools.count(1), []

        def job():
            number = next(numbers)
            time.sleep(LONG if number == 1 else 0)
            ended.append(number)

        lab.told("with the same job twice, of which the first call took longer")
        lab.call(wait_all, [job] * times)
        return {"when it returned, the number of jobs that were done was": len(ended)}

    def _check(self, lab, jobs, done):
        """Raise Wrong unless all ran at once in threads, and were done when it returned."""
        jobs.check_handed_over(lab)
        keyed = len(jobs.started) < jobs.together and lab.node(ast.DictComp, ast.SetComp)
        if not jobs.met and (locked := lab.with_of("*lock*") or lab.call_of("*lock*.acquire")):
            raise Wrong(
                "sequential",
                f"At most {jobs.peak} of {len(jobs.all)} jobs ran at once; {jobs.together} should.",
                locked,
                "A lock lets in one thread at a time. The jobs share nothing here: leave it out.",
                headline="ran one after another",
                at="lets in one at a time",
            )
        jobs.check_together(lab, keyed or lab.call_of("join", "result", "*Executor"))
        if done < jobs.together:
            few = f"only {done} of" if done else "none of the"
            were = "was" if done < 2 else "were"
            observed = f"It returned when {few} {jobs.together} jobs {were} done."
            if asks := lab.while_loop("is_alive") or lab.condition("is_alive"):
                raise Wrong(
                    "early return",
                    observed,
                    asks,
                    "Go on as long as *any* of them is alive. Simpler: call `join` on each, after "
                    "all are started.",
                    at="ends while some are still alive",
                )
            if slept := lab.call_of("sleep"):
                raise Wrong(
                    "early return",
                    f"{observed} You can't know how long a job takes, so here `time.sleep` ends "
                    "after a millisecond.",
                    slept,
                    "Ask the threads, not the clock: call `join` on each, after all are started.",
                )
            if last := joined_behind_a_loop(lab):
                raise Wrong(
                    "early return",
                    f"It returned before all {jobs.together} jobs were done.",
                    last,
                    "After a loop its names hold what they were given last. Keep all threads in a "
                    "list, and call `join` on each.",
                    headline="waited for the last one only",
                    at="waits for one thread alone",
                )
            raise Wrong(
                "early return",
                observed,
                lab.call_of("join", "*.wait")
                or lab.call_of("start")
                or lab.call_of("submit", "map"),
                "`start` returns at once. Call `join` on every thread after all are started.",
            )

    @right
    def start_then_join(jobs):
        """Run each job in a thread of its own; return when all are done."""
        threads = [Thread(target=job) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    @right
    def with_a_pool(jobs):
        with ThreadPoolExecutor(len(jobs)) as pool:
            for job in jobs:
                pool.submit(job)

    @wrong("sequential", says="in a second")
    def joins_in_the_same_loop(jobs):
        for job in jobs:
            thread = Thread(target=job)
            thread.start()
            thread.join()

    @wrong("early return", says="none of the 4 jobs was done")
    def never_joins(jobs):
        for job in jobs:
            Thread(target=job).start()

    @wrong("early return", says="Ask the threads, not the clock")
    def sleeps_for_a_while(jobs):
        for job in jobs:
            Thread(target=job).start()
        time.sleep(0.3)

    calls_the_target = start_then_join.but(
        "target=job", "target=job()", kind="called, not handed over", says="without parentheses"
    )

    @wrong("called, not handed over", says="4 of 4")
    def runs_for_start(jobs):
        threads = [Thread(target=job) for job in jobs]
        for thread in threads:
            thread.run()

    job_comes_first = start_then_join.but(
        "target=job", "job", kind="arguments", says="Thread(target=job)"
    )

    @wrong("not run yet", says="`start()`")
    def makes_threads_only(jobs):
        threads = [Thread(target=job) for job in jobs]
        return threads

    pool_of_two = with_a_pool.but("len(jobs)", "2", kind="idle places", says="At most 2 of 4")

    joins_for_a_while = start_then_join.but(
        "thread.join()", "thread.join(60)", kind="early return", says="takes longer than any"
    )

    @wrong("early return", says="waits for one thread alone")
    def joins_the_last(jobs):
        for job in jobs:
            thread = Thread(target=job)
            thread.start()
        thread.join()


@contextlib.contextmanager
def short_waits():
    """Let threads and events be waited for without a limit, or for a moment."""

    def shortened(wait):
        return lambda self, timeout=None: wait(self, timeout and min(timeout, MOMENT))

    with (
        mock.patch.object(threading.Thread, "join", shortened(threading.Thread.join)),
        mock.patch.object(threading.Event, "wait", shortened(threading.Event.wait)),
    ):
        yield


@contextlib.contextmanager
def late_threads(number):
    """Let no thread do anything until so many have been started, or for a while."""
    begun, all_begun, run = itertools.count(1), threading.Event(), threading.Thread.run

    def run_late(self):
        if next(begun) == number:
            all_begun.set()
        all_begun.wait(LONG)
        run(self)

    with mock.patch.object(threading.Thread, "run", run_late):
        yield


def joined_behind_a_loop(lab):
    """The line of the one `join`, outside of all loops, on a name that a loop sets; or None."""
    joins = lab.text.calls_of("join")
    for function in filter(is_function, lab.nodes()):
        own = list(own_nodes(function))
        looped = [part for loop in own if isinstance(loop, LOOPS) for part in own_nodes(loop)]
        set_by_loops = {
            part.id
            for loop in own
            if isinstance(loop, (ast.For, ast.While))
            for part in own_nodes(loop)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
        behind = [join for join in joins if join in own and join not in looped]
        if len(joins) == 1 and behind and set_by_loops:
            if is_named(getattr(behind[0].func, "value", behind[0]), set_by_loops):
                return line_of_call(behind[0])
    return None
