"""Answers to the exercises of lesson 01, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% classify-1 wrong: another program does not count
# cause: leaves out h: the other program computes, but one's own only waits for it
# line: waiting
waiting = "a d f j"

# %% classify-1 wrong: a loop that asks again and again
# cause: e keeps the core busy with asking; that is work, not a wait
# line: waiting
waiting = "a d e f h j"

# %% tool-1 wrong: threads for pure Python work
# cause: with a GIL threads don't make pure Python work faster
# line: "c": "threads"
tools = {
    "a": "threads",
    "b": "asyncio",
    "c": "threads",
    "d": "one after another",
    "e": "one after another",
    "f": "one after another",
}

# %% tool-1 wrong: overlaps a trail
# cause: e can't overlap: each page must be there before the next one is known
# line: "e": "threads"
tools = {"a": "threads", "b": "asyncio", "c": "processes", "d": "one after another",
         "e": "threads", "f": "one after another"}

# %% predict-waits-1 wrong: all at once
# cause: forgets that only five of the twelve run at the same time
# line: seconds
seconds = 0.5

# %% predict-waits-1 wrong: a plain division
# cause: divides 6 s by five threads; but a job can't be divided, so there are three rounds
# line: seconds
seconds = 1.2

# %% predict-work-1 wrong: threads share the cores
# cause: takes it that threads use all four cores for Python work, in spite of the GIL
# line: "threads": 2
seconds_of = {"threads": 2, "processes": 2, "asyncio": 8}

# %% predict-work-1 wrong: sixteen processes on sixteen cores
# cause: counts the processes and not the four cores
# line: "processes": 1
seconds_of = {"threads": 8, "processes": 1, "asyncio": 8}

# %% wait-all-1 wrong: joins at once
# cause: each thread is joined before the next one is started, so they run one after another
# line: thread.join()
from threading import Thread


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    for job in jobs:
        thread = Thread(target=job)
        thread.start()
        thread.join()

# %% wait-all-1 wrong: one variable for all lambdas
# cause: every lambda looks at the same variable, so all threads run the last job
# line: lambda: job()
from threading import Thread


def wait_all(jobs):
    threads = []
    for job in jobs:
        threads.append(Thread(target=lambda: job()))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

# %% wait-all-1 wrong: waits for the last one only
# cause: only the thread that was started last is waited for
# line: thread.join()
from threading import Thread


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    thread = None
    for job in jobs:
        thread = Thread(target=job)
        thread.start()
    if thread is not None:
        thread.join()

# %% wait-all-1 wrong: the pool's usual size
# cause: the pool has a limited number of threads, so not all jobs run at the same time
# line: ThreadPoolExecutor()
from concurrent.futures import ThreadPoolExecutor
from threading import Thread


def wait_all(jobs):
    with ThreadPoolExecutor() as pool:
        for job in jobs:
            pool.submit(job)

# %% wait-all-1 wrong: a dict from job to thread
# cause: a job that is in the list twice has only one thread in the dict
# line: threads = {job: Thread(target=job) for job in jobs}
from threading import Thread


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    threads = {job: Thread(target=job) for job in jobs}
    for thread in threads.values():
        thread.start()
    for thread in threads.values():
        thread.join()

# %% wait-all-1 wrong: the last job in one's own thread
# cause: the last job runs in the thread of who called, not in a thread of its own
# line: last()
from threading import Thread


def wait_all(jobs):
    *others, last = jobs
    threads = [Thread(target=job) for job in others]
    for thread in threads:
        thread.start()
    last()
    for thread in threads:
        thread.join()

# %% wait-all-1 right: a semaphore that counts the ends
from threading import Semaphore, Thread


def wait_all(jobs):
    ends = Semaphore(0)

    def run(job):
        try:
            job()
        finally:
            ends.release()

    for job in jobs:
        Thread(target=run, args=[job]).start()
    for _ in jobs:
        ends.acquire()

# %% wait-all-1 right: an ExitStack that joins
from contextlib import ExitStack
from threading import Thread


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    with ExitStack() as ends:
        for job in jobs:
            worker = Thread(target=job)
            worker.start()
            ends.callback(worker.join)

# %% wait-all-1 right: a subclass of Thread that is a context manager too
from threading import Thread


class Worker(Thread):
    def __init__(self, job):
        super().__init__()
        self.job = job

    def run(self):
        self.job()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.join()


def wait_all(jobs):
    crew = [Worker(job).__enter__() for job in jobs]
    while crew:
        crew.pop().__exit__(None, None, None)

# %% run-jobs-1 wrong: as they come
# cause: the results are in the order in which the jobs ended
# line: as_completed(futures)
from concurrent.futures import Future, ThreadPoolExecutor, as_completed


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(job) for job in jobs]
        return [future.result() for future in as_completed(futures)]

# %% run-jobs-1 wrong: waits for each at once
# cause: each result is awaited before the next job is submitted: one after another
# line: pool.submit(job).result()
from concurrent.futures import Future, ThreadPoolExecutor, as_completed


def run_jobs(jobs, workers):
    results = []
    with ThreadPoolExecutor(workers) as pool:
        for job in jobs:
            results.append(pool.submit(job).result())
    return results

# %% run-jobs-1 wrong: rounds
# cause: a teller who is free waits until the whole round is over before the next jobs begin
# line: thread.join()
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from threading import Thread


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    results = [None] * len(jobs)

    def run(number):
        results[number] = jobs[number]()

    for begin in range(0, len(jobs), workers):
        numbers = range(begin, min(begin + workers, len(jobs)))
        threads = [Thread(target=run, args=(number,)) for number in numbers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return results

# %% run-jobs-1 wrong: a dict by job
# cause: a job that is in the list twice has only one result
# line: results[job] = | list(results.values())
from concurrent.futures import Future, ThreadPoolExecutor, as_completed


def run_jobs(jobs, workers):
    results = {}
    with ThreadPoolExecutor(max_workers=workers) as pool:
        futures = [(job, pool.submit(job)) for job in jobs]
        for job, future in futures:
            results[job] = future.result()
    return list(results.values())

# %% run-jobs-1 wrong: results that count as true
# cause: a job's result of 0, None or "" is left out of the list
# line: if (result := future.result())
from concurrent.futures import Future, ThreadPoolExecutor, as_completed


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(job) for job in jobs]
        return [result for future in futures if (result := future.result())]

# %% run-jobs-1 wrong: no pool without jobs
# cause: with no jobs the pool would have no threads, and that is an error
# line: ThreadPoolExecutor(min(workers, len(jobs)))
from concurrent.futures import Future, ThreadPoolExecutor, as_completed


def run_jobs(jobs, workers):
    with ThreadPoolExecutor(min(workers, len(jobs))) as pool:
        return list(pool.map(lambda job: job(), jobs))

# %% run-jobs-1 wrong: each teller has a line of their own
# cause: the jobs are dealt out beforehand; a teller who is done early doesn't help the others
# line: range(teller, len(jobs), workers)
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from threading import Thread


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    results = [None] * len(jobs)

    def serve(teller):
        for number in range(teller, len(jobs), workers):
            results[number] = jobs[number]()

    threads = [Thread(target=serve, args=(teller,)) for teller in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results

# %% run-jobs-1 right: map and operator.call
import operator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed


def run_jobs(jobs, workers):
    with ThreadPoolExecutor(workers) as bank:
        return [*bank.map(operator.call, jobs)]

# %% run-jobs-1 right: tellers of one's own at one queue
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from queue import Empty, SimpleQueue
from threading import Thread


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    line, slips = SimpleQueue(), []
    for job in jobs:
        slips.append(Future())
        line.put((slips[-1], job))

    def teller():
        while True:
            try:
                slip, job = line.get_nowait()
            except Empty:
                break
            try:
                slip.set_result(job())
            except BaseException as error:
                slip.set_exception(error)

    tellers = [Thread(target=teller) for _ in range(min(workers, len(slips)))]
    for each in tellers:
        each.start()
    for each in tellers:
        each.join()
    return [slip.result() for slip in slips]

# %% wait-all-1 wrong: A pool of the default size
# cause: a ThreadPoolExecutor without max_workers has only a few threads (processors + 4, at most 32), so with more jobs than that they do not all run at the same time, each in a thread of its own
# line: with ThreadPoolExecutor() as pool:
from concurrent.futures import ThreadPoolExecutor


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    with ThreadPoolExecutor() as pool:
        for job in jobs:
            pool.submit(job)

# %% wait-all-1 wrong: the lambda sees the last job
# cause: the lambda looks up `job` only when the thread runs it, and by then it is the last job of the list for all the threads
# line: Thread(target=lambda: job())
from threading import Thread


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    threads = [Thread(target=lambda: job()) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

# %% wait-all-1 right: A subclass and an exit stack
from contextlib import ExitStack
from threading import Thread


class Worker(Thread):
    def __init__(self, job):
        super().__init__()
        self.job = job

    def run(self):
        self.job()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.join()


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    with ExitStack() as stack:
        for job in jobs:
            stack.enter_context(Worker(job))

# %% run-jobs-1 wrong: in batches
# cause: the next batch begins only when the slowest job of this one is done; meanwhile fewer than `workers` jobs run though others wait
# line: for start in range(0, len(jobs), workers): | with ThreadPoolExecutor(workers) as pool: | results.extend(pool.map
from concurrent.futures import ThreadPoolExecutor


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    results = []
    for start in range(0, len(jobs), workers):
        with ThreadPoolExecutor(workers) as pool:
            results.extend(pool.map(lambda job: job(), jobs[start:start + workers]))
    return results

# %% run-jobs-1 wrong: futures by job
# cause: the dictionary is keyed by the job, so if the same function is in the list twice, the first future is overwritten and its result is lost
# line: futures[job] = pool.submit(job)
from concurrent.futures import ThreadPoolExecutor


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    futures = {}
    with ThreadPoolExecutor(max_workers=workers) as pool:
        for job in jobs:
            futures[job] = pool.submit(job)
    return [futures[job].result() for job in jobs]

# %% run-jobs-1 right: threads that share a queue
from queue import Empty, SimpleQueue
from threading import Thread


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    results = [None] * len(jobs)
    queue = SimpleQueue()
    for numbered in enumerate(jobs):
        queue.put(numbered)

    def teller():
        while True:
            try:
                index, job = queue.get_nowait()
            except Empty:
                return
            results[index] = job()

    tellers = [Thread(target=teller) for _ in range(workers)]
    for thread in tellers:
        thread.start()
    for thread in tellers:
        thread.join()
    return results

# %% wait-all-1 wrong: pops the jobs
# cause: the caller's list is empty afterwards
# line: jobs.pop(0)
from threading import Thread


def wait_all(jobs):
    threads = []
    while jobs:
        t = Thread(target=jobs.pop(0))
        t.start()
        threads.append(t)
    for t in threads:
        t.join()

# %% run-jobs-1 wrong: as they complete
# cause: the results come in the order in which the jobs end
# line: as_completed(futures)
from concurrent.futures import ThreadPoolExecutor, as_completed


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(job) for job in jobs]
        return [future.result() for future in as_completed(futures)]

# %% run-jobs-1 wrong: waits for each result in the comprehension
# cause: result() is called right after submit, so one job runs at a time
# line: pool.submit(job).result()
from concurrent.futures import ThreadPoolExecutor


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    with ThreadPoolExecutor(workers) as pool:
        return [pool.submit(job).result() for job in jobs]

# %% run-jobs-1 wrong: no limit for the pool
# cause: the pool is made without the number of workers
# line: with ThreadPoolExecutor() as pool:
from concurrent.futures import ThreadPoolExecutor


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda job: job(), jobs))

# %% run-jobs-1 wrong: in batches, again
# cause: a batch waits for its slowest job before the next batch begins, so workers stand idle
# line: for begin in range | with ThreadPoolExecutor(workers) as pool: | results += list(pool.map
from concurrent.futures import ThreadPoolExecutor


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    results = []
    with ThreadPoolExecutor(workers) as pool:
        for begin in range(0, len(jobs), workers):
            batch = jobs[begin : begin + workers]
            results += list(pool.map(lambda job: job(), batch))
    return results

# %% classify-1 wrong: takes spinning for waiting
# cause: e spins: the loop asks again and again and keeps the processor busy, it does not wait
# line: waiting = "a d e f h j" | none
waiting = "a d e f h j"

# %% tool-1 wrong: threads for a trail of pages
# cause: e can't overlap, each page is known only when the one before has come; one after another is simplest
# line: "e": "threads" | none
tools = {
    "a": "threads",
    "b": "asyncio",
    "c": "processes",
    "d": "one after another",
    "e": "threads",
    "f": "one after another",
}

# %% predict-waits-1 wrong: divides evenly
# cause: 12 jobs of 0.5 s divided by 5 threads; but there are three rounds, the last one with two jobs
# line: seconds = 12 * 0.5 / 5 | none
seconds = 12 * 0.5 / 5

# %% predict-work-1 wrong: sixteen processes do eight jobs at once
# cause: forgets that four cores run only four of the processes at a time
# line: "processes": 1 | none
seconds_of = {"threads": 8, "processes": 1, "asyncio": 8}

# %% wait-all-1 wrong: joins only the last thread
# cause: the join is below the loop, so only the thread made last is waited for
# line: thread.join() | none
from threading import Thread


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    for job in jobs:
        thread = Thread(target=job)
        thread.start()
    thread.join()

# %% wait-all-1 wrong: the lambdas all see the last job
# cause: the lambda looks job up when the thread starts, after the loop, so all threads run the last job
# line: threads.append(Thread(target=lambda: job()))
from threading import Thread


def wait_all(jobs):
    threads = []
    for job in jobs:
        threads.append(Thread(target=lambda: job()))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

# %% wait-all-1 wrong: a pool of the default size
# cause: the pool has a limited number of threads, so many jobs don't get a thread each and don't run at the same time
# line: with ThreadPoolExecutor() as pool:
from concurrent.futures import ThreadPoolExecutor, wait


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    with ThreadPoolExecutor() as pool:
        wait([pool.submit(job) for job in jobs])

# %% wait-all-1 right: an ExitStack joins
from contextlib import ExitStack
from threading import Thread


def wait_all(jobs):
    with ExitStack() as at_the_end:
        for job in jobs:
            thread = Thread(target=job)
            thread.start()
            at_the_end.callback(thread.join)

# %% wait-all-1 right: a subclass of Thread
from threading import Thread


class Worker(Thread):
    def __init__(self, job):
        super().__init__()
        self.job = job

    def run(self):
        self.job()


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    workers = [Worker(job) for job in jobs]
    for step in (Worker.start, Worker.join):
        for worker in workers:
            step(worker)

# %% run-jobs-1 wrong: waits for each result before the next job is handed in
# cause: result() is called right after submit, so only one job runs at a time
# line: return [pool.submit(job).result() for job in jobs]
from concurrent.futures import ThreadPoolExecutor


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    with ThreadPoolExecutor(workers) as pool:
        return [pool.submit(job).result() for job in jobs]

# %% run-jobs-1 wrong: in batches of threads
# cause: the next batch starts only when the slowest of the last one is done, so fewer than workers run
# line: for begin in range(0, len(jobs), workers): | thread.join() | batch = range(begin, min(begin + workers, len(jobs)))
from threading import Thread


def run_jobs(jobs, workers):
    results = [None] * len(jobs)

    def work(place):
        results[place] = jobs[place]()

    for begin in range(0, len(jobs), workers):
        batch = range(begin, min(begin + workers, len(jobs)))
        threads = [Thread(target=work, args=(place,)) for place in batch]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return results

# %% run-jobs-1 wrong: each job appends its result
# cause: the results are appended when the jobs end, so they are not in the order of jobs
# line: results.append(job())
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable


def run_jobs(jobs: list[Callable[[], Any]], workers: int) -> list[Any]:
    results: list[Any] = []

    def keep(job: Callable[[], Any]) -> None:
        results.append(job())

    with ThreadPoolExecutor(max_workers=workers) as pool:
        for job in jobs:
            pool.submit(keep, job)
    return results

# %% run-jobs-1 right: own threads take from one iterator
from threading import Lock, Thread


def run_jobs(jobs, workers):
    results = [None] * len(jobs)
    todo = enumerate(jobs)
    lock = Lock()

    def worker():
        while True:
            with lock:
                place, job = next(todo, (None, None))
            if job is None:
                return
            results[place] = job()

    threads = [Thread(target=worker) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results

# %% run-jobs-1 right: the old thread pool
from multiprocessing.pool import ThreadPool


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    with ThreadPool(workers) as pool:
        return list(pool.imap(lambda job: job(), jobs))

# %% wait-all-1 wrong: one thread for equal jobs
# cause: a function that stands in the list twice is a key of the dict only once, so it runs only once
# line: {job: Thread(target=job) for job in jobs}
from threading import Thread


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    threads = {job: Thread(target=job) for job in jobs}
    for thread in threads.values():
        thread.start()
    for thread in threads.values():
        thread.join()

# %% wait-all-1 wrong: a pool of the default size, again
# cause: the pool has a limited number of threads, so many jobs don't all run at the same time, each in its own thread
# line: with ThreadPoolExecutor() as pool
from concurrent.futures import ThreadPoolExecutor


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    with ThreadPoolExecutor() as pool:
        for job in jobs:
            pool.submit(job)

# %% wait-all-1 right: a semaphore counts the jobs that are done
from functools import partial
from threading import Semaphore, Thread


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    done = Semaphore(0)

    def run(job):
        try:
            job()
        finally:
            done.release()

    for job in jobs:
        Thread(target=partial(run, job)).start()
    for _ in jobs:
        done.acquire()

# %% run-jobs-1 right: the thread pool of multiprocessing
from multiprocessing.pool import ThreadPool
from operator import call


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    with ThreadPool(processes=workers) as pool:
        return pool.map(call, jobs, chunksize=1)

# %% run-jobs-1 wrong: batch after batch
# cause: the next batch starts only when the slowest job of this one is done, so idle workers wait although jobs are left
# line: results.append(future.result()) | for future in batch: | for start in range(0, len(jobs), workers)
from concurrent.futures import ThreadPoolExecutor


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    results = []
    with ThreadPoolExecutor(workers) as pool:
        for start in range(0, len(jobs), workers):
            batch = [pool.submit(job) for job in jobs[start:start + workers]]
            for future in batch:
                results.append(future.result())
    return results

# %% run-jobs-1 wrong: the caller helps
# cause: the calling thread takes jobs as well, so that workers + 1 jobs run at the same time
# line: work()  # don't stand | for _ in range(workers)
from collections import deque
from threading import Thread


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    todo = deque(enumerate(jobs))
    results = [None] * len(jobs)

    def work():
        while True:
            try:
                number, job = todo.popleft()
            except IndexError:
                return
            results[number] = job()

    threads = [Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    work()  # don't stand idle meanwhile
    for thread in threads:
        thread.join()
    return results

# %% wait-all-1 wrong: every thread runs the last job
# cause: the inner function looks up `job` only when it runs, and the loop is over by then
# line: job() | threads.append(Thread(target=run)) | def run():
from threading import Thread


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    threads = []
    for job in jobs:
        def run():
            job()

        threads.append(Thread(target=run))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

# %% wait-all-1 wrong: waits only while all are alive
# cause: the loop goes on only while all threads are alive, so it returns as soon as the first one is done
# line: while all(thread.is_alive() for thread in crew):
import time
from threading import Thread


def wait_all(jobs):
    crew = []
    for job in jobs:
        thread = Thread(target=job)
        thread.start()
        crew.append(thread)
    while all(thread.is_alive() for thread in crew):
        time.sleep(0.005)

# %% wait-all-1 wrong: an event that the first sets
# cause: it waits for an event that the first job sets when it is done
# line: done.set() | done.wait()
from threading import Event, Thread
def wait_all(jobs):
    done = Event()
    def run(job):
        job()
        done.set()
    for job in jobs:
        Thread(target=run, args=(job,)).start()
    done.wait()

# %% wait-all-1 wrong: a lock around the job
# cause: a lock lets the jobs run one after another
# line: with lock | job()
from threading import Lock, Thread
def wait_all(jobs):
    lock = Lock()
    def run(job):
        with lock:
            job()
    threads = [Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

# %% run-jobs-1 wrong: waits for each result before the next submit
# cause: `future.result()` blocks until the job is done, so the next job is submitted only then, and only one job runs at a time.
# line: results.append(future.result())
from concurrent.futures import ThreadPoolExecutor


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    results = []
    with ThreadPoolExecutor(max_workers=workers) as pool:
        for job in jobs:
            future = pool.submit(job)
            results.append(future.result())
    return results

# %% run-jobs-1 wrong: fixed batches wait for slowest
# cause: Jobs run in batches of `workers`, and the next batch waits for the slowest job of the one before, so with a slow job in a batch the other workers idle.
# line: for begin in range(0, len(jobs), workers): | results.extend(run_batch(jobs[begin:begin + workers]))
from concurrent.futures import ThreadPoolExecutor


def run_batch(batch):
    with ThreadPoolExecutor(max_workers=len(batch)) as pool:
        futures = [pool.submit(job) for job in batch]
    return [future.result() for future in futures]


def run_jobs(jobs, workers):
    results = []
    for begin in range(0, len(jobs), workers):
        results.extend(run_batch(jobs[begin:begin + workers]))
    return results

# %% wait-all-1 wrong: waits only for last thread
# cause: Only the thread started last is joined, so it returns too early when an earlier job takes longer than the last one.
# line: t.join()
from threading import Thread


def wait_all(jobs):
    for job in jobs:
        t = Thread(target=job)
        t.start()
    t.join()

# %% wait-all-1 wrong: join gives up after a second
# cause: `join` with a timeout returns when the time is up although the thread still runs, so with a job that takes long `wait_all` returns before it is done.
# line: t.join(timeout=1)
from threading import Thread


def wait_all(jobs):
    running = []
    for job in jobs:
        t = Thread(target=job)
        t.start()
        running.append(t)
    for t in running:
        t.join(timeout=1)

# %% run-jobs-1 wrong: pool of zero without jobs
# cause: With an empty list of jobs the pool is made with `max_workers=0`, which raises ValueError instead of returning an empty list.
# line: size = min(workers, len(jobs)) | ThreadPoolExecutor(max_workers=size)
from concurrent.futures import ThreadPoolExecutor


def call(job):
    return job()


def run_jobs(jobs, workers):
    size = min(workers, len(jobs))
    with ThreadPoolExecutor(max_workers=size) as executor:
        return list(executor.map(call, jobs))

# %% run-jobs-1 wrong: semaphore held only while starting
# cause: The semaphore is released as soon as the thread is started and not when its job is done, so with more jobs than `workers` more than `workers` run at the same time.
# line: with counter: | thread.start() | results[i] = job()
from threading import BoundedSemaphore, Thread


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    results = [None] * len(jobs)
    counter = BoundedSemaphore(workers)

    def serve(i, job):
        results[i] = job()

    threads = [Thread(target=serve, args=(i, job)) for i, job in enumerate(jobs)]
    for thread in threads:
        with counter:
            thread.start()
    for thread in threads:
        thread.join()
    return results

# %% wait-all-1 right: joins on an ExitStack
from contextlib import ExitStack
from threading import Thread


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    with ExitStack() as joins:
        for job in jobs:
            thread = Thread(target=job)
            thread.start()
            joins.callback(thread.join)

# %% run-jobs-1 right: worker threads empty one queue
from queue import Empty, SimpleQueue
from threading import Thread


class _Teller(Thread):
    def __init__(self, counter, ledger):
        super().__init__()
        self.counter = counter
        self.ledger = ledger

    def run(self):
        while True:
            try:
                place, job = self.counter.get_nowait()
            except Empty:
                return
            self.ledger[place] = job()


def run_jobs(jobs, workers):
    counter, ledger = SimpleQueue(), {}
    for numbered in enumerate(jobs):
        counter.put(numbered)
    count = counter.qsize()
    tellers = [_Teller(counter, ledger) for _ in range(min(workers, count))]
    for teller in tellers:
        teller.start()
    for teller in tellers:
        teller.join()
    return [ledger[place] for place in range(count)]

# %% wait-all-1 right: threads as context managers
from contextlib import ExitStack
from threading import Thread


class _Running(Thread):
    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.join()


def wait_all(jobs):
    with ExitStack() as everyone:
        for job in jobs:
            everyone.enter_context(_Running(target=job))

# %% wait-all-1 wrong: the closure looks at the loop variable
# cause: the lambda reads `job` when its thread gets going; a job may run twice and another never
# line: thread = Thread(target=lambda: job())
from threading import Thread


def wait_all(jobs):
    """Run each job in a thread of its own; return when all are done."""
    threads = []
    for job in jobs:
        thread = Thread(target=lambda: job())
        thread.start()
        threads.append(thread)
    for thread in threads:
        thread.join()

# %% run-jobs-1 right: tellers empty a simple queue
from queue import Empty, SimpleQueue
from threading import Thread


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    line = SimpleQueue()
    for ticket in enumerate(jobs):
        line.put(ticket)
    results = [None] * len(jobs)

    def teller():
        while True:
            try:
                number, job = line.get_nowait()
            except Empty:
                return
            results[number] = job()

    tellers = [Thread(target=teller) for _ in range(min(workers, len(jobs)))]
    for thread in tellers:
        thread.start()
    for thread in tellers:
        thread.join()
    return results

# %% run-jobs-1 wrong: calls with as many workers share one pool
# cause: the pools are global; two calls at once with as many workers share the threads
# line: _pools[workers] = ThreadPoolExecutor(max_workers=workers)
from concurrent.futures import ThreadPoolExecutor

_pools = {}


def run_jobs(jobs, workers):
    """Run `jobs` in at most `workers` threads; return their results, in order."""
    if workers not in _pools:
        _pools[workers] = ThreadPoolExecutor(max_workers=workers)
    pool = _pools[workers]
    futures = [pool.submit(job) for job in jobs]
    return [future.result() for future in futures]
