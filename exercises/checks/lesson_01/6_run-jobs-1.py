import inspect
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from helpers.coach import Exercise, Wrong, right, wrong

from .shared import Jobs


class RunJobs(Exercise):
    """A bank with a number of tellers

    Write `run_jobs(jobs, workers)`. `jobs` is a list of functions without parameters. Run them in
    threads, as many as `workers` at the same time and never more. Return their results as a list,
    in the order of `jobs`.
    """

    id = "run-jobs-1"
    asks = "run_jobs"
    minutes = 7
    clock = "real"
    hints = (
        "A pool is a fixed number of threads: `with ThreadPoolExecutor(workers) as pool:`.",
        "`pool.submit(job)` returns at once, with a future: a box for a result that comes later. "
        "Its `result()` waits.",
        "Keep the futures in a list, in order. Ask the first for its result only when the last job "
        "is submitted.",
    )

    def verify(self, run_jobs, lab):
        jobs = Jobs([0.06, 0.05, 0.04, 0.06, 0.05, 0.04], together=3)
        handing_over = lab.call_of("submit", "Thread", "map")
        try:
            results = lab.call(run_jobs, jobs.all, 3)
        except TypeError:
            jobs.check_handed_over(lab, handing_over)
            raise
        expected = [f"result {number}" for number in range(6)]
        jobs.check_handed_over(lab, handing_over)
        jobs.check_together(lab.call_of(".result", "join") or lab.call_of("*Executor"))
        if jobs.peak > 3:
            raise Wrong(
                "limit",
                f"{jobs.peak} jobs ran at once; at most 3 may.",
                lab.call_of("*Executor", "Thread"),
                "A pool of `workers` threads runs no more jobs than that at once.",
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
                "It returned what `map` gives, which hands out the "
                "results one by one; asked is a list.",
                lab.returning(),
                "Make a list of it: `list(...)`.",
                headline="returned the boxes",
            )
        if results is None:
            raise Wrong(
                "value",
                "It returned None: the jobs ran, and their results were lost.",
                try_="Collect what the jobs return, and `return` it.",
            )
        lab.equal(results, expected)

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
        says="the order asked is ['result 0', 'result 1'",
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

    @wrong("future for its result", says="asked is a list")
    def returns_the_map(jobs, workers):
        with ThreadPoolExecutor(workers) as pool:
            return pool.map(lambda job: job(), jobs)

    @wrong("called, not handed over", says="without parentheses")
    def calls_each_job(jobs, workers):
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(job()) for job in jobs]
            return [future.result() for future in futures]

    @wrong("value", says="None")
    def loses_the_results(jobs, workers):
        with ThreadPoolExecutor(workers) as pool:
            for job in jobs:
                pool.submit(job)
