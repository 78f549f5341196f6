"""Long, for a job in hand can be lost, kept or doubled at each of its awaits."""

import ast
import asyncio
from contextlib import suppress
from operator import itemgetter

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named, names_in


class InHand(Exercise):
    """The job in hand

    Write `worker(queue, handle, failed)`. It takes jobs from `queue`, an `asyncio.Queue` without a
    limit, one after another, and awaits `handle(job)` for each, for ever.

    - If `handle` raises an error, the job is appended to the list `failed`, and the worker goes
      on.
    - If the worker is cancelled, it ends at once. A job that it was handling goes back into the
      queue, at either end, and nowhere else. Another worker may be waiting for it.
    """

    id = "in-hand-1"
    asks = "worker"
    minutes = 8
    hints = (
        "A request to end is not a failure. Which kind of error is it?",
        "At which two `await`s can the worker be cancelled? At which of them does it hold a job?",
        "`except asyncio.CancelledError:` around `handle` only; put the job back, and `raise`.",
    )
    equivalent = {
        "puts_it_back: wider except, line 13": "errors that end a program are not asked",
    }

    def verify(self, worker, lab):
        self._in_a_job(worker, lab)
        self._at_rest(worker, lab)
        lab.run(self._to_another(worker, lab), leaks=True)

    def _in_a_job(self, worker, lab):
        log, failed, queue = lab.service(1, name="handle", errors={2: ValueError("job 2")}), [], []
        lab.told(
            "with jobs 1 to 4 in the queue; each takes 1 s, and job 2 fails. I cancelled it "
            "after 2.5 s, in the middle of job 3"
        )
        cancelled = self._run(worker, lab, log, failed, queue, [1, 2, 3, 4], 2.5)
        if 3 in failed:
            raise Wrong(
                "caught too much",
                f"Job 3 is among the failed ones: {failed}.",
                lab.handler(),
                "A CancelledError is no `Exception`. Append to `failed` in an `except Exception`, "
                "and put the job back in an `except` of its own.",
                headline="took a cancellation for a failure",
            )
        self._told(cancelled, log, lab)
        lab.equal(failed, [2], what="`failed` is")
        if 3 not in queue:
            missed = _meant_for_a_cancellation(lab)
            raise Wrong(
                "not given back",
                f"Then the queue held {queue}. Job 3 was taken out, and not done.",
                missed or lab.handler() or lab.call_of("get"),
                "A CancelledError is no `Exception`. Give it an `except asyncio.CancelledError` of "
                "its own."
                if missed
                else "If the cancellation comes while the worker has a job in hand, put the job "
                "back, `queue.put_nowait(job)`, and raise the CancelledError again.",
                headline="lost the job in hand",
                at="doesn't catch a cancellation" if missed else "",
            )
        if 2 in queue:
            raise Wrong(
                "given back wrongly",
                f"Then the queue held {queue}. Job 2 had failed: it is in `failed`, and in the "
                "queue as well.",
                lab.call_of("put*"),
                "A job that has failed is not done again. Put a job back only when the worker is "
                "cancelled: in an `except asyncio.CancelledError` that ends with a `raise`.",
                headline="put back a job that had failed",
            )
        if sorted(queue) != [3, 4]:
            raise Wrong(
                "given back wrongly",
                f"Then the queue held {queue}; not done were 3 and 4.",
                lab.call_of("put*"),
                "Put back the one job that was not done, once.",
                headline="put back too much",
            )

    def _at_rest(self, worker, lab):
        self._rest(
            worker,
            lab,
            [1],
            "with only job 1, which is done after 1 s. I cancelled it "
            "after 5 s, when it waited for the next",
        )
        self._rest(
            worker,
            lab,
            [2],
            "with only job 2, which fails after 1 s. I cancelled it "
            "after 5 s, when it waited for the next",
        )
        self._rest(worker, lab, [], "with an empty queue. I cancelled it after 5 s")

    def _rest(self, worker, lab, jobs, words):
        log, failed, queue = lab.service(1, name="handle", errors={2: ValueError("no")}), [], []
        lab.told(words)
        put = lab.call_of("put*")
        try_ = (
            "It was cancelled in `get`, with no job in hand. Let the `try` that puts back hold "
            "only `handle`."
        )
        try:
            cancelled = self._run(worker, lab, log, failed, queue, jobs, 5)
        except NameError as error:
            raise Wrong(
                "given back wrongly",
                f"Python said: {error}.",
                put,
                try_,
                headline="had no job in hand",
            ) from None
        self._told(cancelled, log, lab)
        if queue and queue == jobs:
            raise Wrong(
                "given back wrongly",
                f"Then job {jobs[0]} was in the queue again.",
                put,
                try_,
                headline="put back what was done",
                at="puts it back",
            )
        if queue:
            raise Wrong(
                "given back wrongly",
                f"Then the queue held {queue}.",
                put,
                try_,
                headline="had no job in hand",
            )

    async def _to_another(self, worker, lab):
        """Cancel it in a job while another task waits for one: that has to get the job."""
        lab.told(
            "with only job 1, and let another task wait in `queue.get()`. I cancelled it in the "
            "middle of job 1"
        )
        queue = asyncio.Queue()
        queue.put_nowait(1)
        task = asyncio.create_task(worker(queue, lab.service(1, name="handle"), []))
        await asyncio.sleep(0.25)
        other = asyncio.create_task(queue.get())
        await asyncio.sleep(0.25)
        task.cancel()
        await asyncio.wait([task, other], timeout=0.25)
        if other.done():
            lab.equal(other.result(), 1, what="the other task got")
            return
        other.cancel()
        private = lab.use_of("_queue", "_put")
        raise Wrong(
            "not given back",
            "0.25 s later the other task still waited.",
            private or lab.call_of("put*"),
            "`put` and `put_nowait` wake a task that waits in `get`. What begins with `_` is the "
            "queue's own, and nobody hears of a job that is put there.",
            headline="put it back, and woke nobody",
            at="wakes nobody" if private else "",
        )

    def _told(self, cancelled, log, lab):
        if cancelled is True:
            return
        line = lab.text.swallowing_handler()
        if cancelled is None:
            raise Wrong("swallowed", "It went on, and waited for more.", line)
        raise Wrong("swallowed", "It returned, as if its work were done.", line)

    def _run(self, worker, lab, handle, failed, left, jobs, seconds, late=()):
        """Return True if it was cancelled, False if it returned, None if it went on.

        jobs: those in the queue from the start. late: pairs (seconds, job) of others.
        """

        async def main():
            queue = asyncio.Queue()
            for job in jobs:
                queue.put_nowait(job)
            made = worker(queue, handle, failed)
            if not asyncio.iscoroutine(made):
                raise Wrong(
                    "not async",
                    f"`worker` returned {made!r} at once: there is nothing to await.",
                    lab.definition(),
                )
            task = asyncio.create_task(made, name="worker")
            clock = asyncio.get_running_loop().time
            for at, job in sorted(late, key=itemgetter(0)):
                if at <= seconds:
                    await asyncio.wait([task], timeout=at - clock())
                    queue.put_nowait(job)
            if clock() < seconds:
                await asyncio.wait([task], timeout=seconds - clock())
            if task.done():
                if task.exception() is None:
                    lab.called = lab.called.partition(" I cancelled")[0]  # it did not come to that
                    raise Wrong(
                        "stopped early",
                        f"It returned after {clock():g} s.",
                        lab.while_loop("empty", "qsize")
                        or lab.earliest(lab.returning(), lab.breaking())
                        or (lab.while_loop() and lab.handler(ValueError))
                        or lab.while_loop(),
                        "The worker goes on until it is cancelled: `while True`, with the `try` "
                        "and its `except` inside the loop.",
                        headline="ended too early",
                    )
                raise task.exception()
            task.cancel()
            await asyncio.wait([task], timeout=0.25)
            while not queue.empty():
                left.append(queue.get_nowait())
            if not task.done():
                return None
            if not task.cancelled() and task.exception() is not None:
                raise task.exception()
            if task.cancelled() and asyncio.all_tasks() - {asyncio.current_task()}:
                raise Wrong(
                    "leaked",
                    "The worker had ended, and what it had begun went on.",
                    lab.call_of("shield", "create_task", "ensure_future"),
                    "A job that goes back and goes on as well is done twice. Await `handle(job)` "
                    "itself: then a cancellation of the worker ends it, too.",
                    headline="left the job running",
                )
            return task.cancelled()

        return lab.run(main(), leaks=True).result

    @sweep(
        lambda some: {
            "jobs": some.lists(some.sampled_from((1, 0, "", None)), max_size=3),
            "late": some.lists(
                some.tuples(some.sampled_from((0.5, 2.6, 4)), some.sampled_from((2, 0))), max_size=2
            ),
            "fails": some.dictionaries(
                some.sampled_from((1, 0, 2)),
                some.sampled_from((ValueError, TimeoutError, asyncio.QueueEmpty, KeyError)),
            ),
            "after": some.sampled_from((0.25, 0.5, 1.25, 2.25, 2.6, 9)),
        },
        most=40,
    )
    def any_jobs(self, worker, lab, jobs, late, fails, after):
        handle = lab.service(
            1,
            {job: "done" for job in (1, 0, "", None, 2)},
            name="handle",
            errors={job: error("no") for job, error in fails.items()},
        )
        known = [job for job in fails if job in [*jobs, *(job for _, job in late)]]
        says = [f"with the jobs {jobs} in the queue"]
        says += [f"{job!r} put in after {at:g} s" for at, job in sorted(late, key=itemgetter(0))]
        says += [f"`handle` raises {fails[job].__name__} for {job!r} after 1 s" for job in known]
        lab.told(f"{listed(says)}. I cancelled it after {after:g} s")
        failed, left = [], []
        cancelled = self._run(worker, lab, handle, failed, left, jobs, after, late)
        self._told(cancelled, handle, lab)
        return {
            "then the queue held": sorted(left, key=repr),
            "`failed` is": failed,
            "it handled": handle.started,
        }

    @right
    async def puts_it_back(queue, handle, failed):
        """Handle jobs for ever; a cancelled job goes back."""
        while True:
            job = await queue.get()
            try:
                await handle(job)
            except asyncio.CancelledError:
                queue.put_nowait(job)
                raise
            except Exception:
                failed.append(job)

    @right
    async def keeps_book(queue, handle, failed):
        while True:
            job, done = await queue.get(), False
            try:
                with suppress(Exception):
                    await handle(job)
                    done = True
                if not done:
                    failed.append(job)
                    done = True
            finally:
                if not done:
                    await queue.put(job)

    @wrong("caught too much", says="[2, 3")
    async def bare_except(queue, handle, failed):
        while True:
            job = await queue.get()
            try:
                await handle(job)
            except:
                failed.append(job)

    @wrong("caught too much", says="[2, 3]")
    async def notes_and_raises(queue, handle, failed):
        while True:
            job = await queue.get()
            try:
                await handle(job)
            except Exception:
                failed.append(job)
            except BaseException:
                failed.append(job)
                raise

    forgets_the_job = bare_except.but(
        "except", "except Exception", kind="not given back", says="held [4]"
    )

    notes_the_error_too = puts_it_back.but("except Exception:", "except Exception as error:").but(
        "failed.append(job)",
        "failed.append((job, error))",
        kind="value",
        says="keeps more than that",
    )

    breaks_off = puts_it_back.but("raise", "break", kind="swallowed", says="It returned")

    returns = puts_it_back.but("raise", "return", kind="swallowed", says="it is not raised again")

    puts_it_back_and_goes_on = puts_it_back.but("raise", "", kind="swallowed", says="It went on")

    tries_too_much = puts_it_back.but("job = await queue.get()", "").but(
        "try:",
        "try:\n    job = await queue.get()",
        kind="given back wrongly",
        says="job 1 was in the queue again",
    )

    @wrong("caught too much", says="Job 3 is among the failed ones")
    async def catches_all_around_get(queue, handle, failed):
        while True:
            try:
                job = await queue.get()
                await handle(job)
            except BaseException:
                failed.append(job)

    @wrong("swallowed", says="It went on")
    async def puts_it_back_around_get(queue, handle, failed):
        while True:
            try:
                job = await queue.get()
                await handle(job)
            except asyncio.CancelledError:
                await queue.put(job)
            except Exception:
                failed.append(job)

    @wrong("given back wrongly", says="job")
    async def forgets_what_is_done(queue, handle, failed):
        while True:
            try:
                job = await queue.get()
                await handle(job)
                del job
            except asyncio.CancelledError:
                queue.put_nowait(job)
                raise
            except Exception:
                failed.append(job)
                del job

    @wrong("given back wrongly", says="with an empty queue")
    async def never_had_one(queue, handle, failed):
        done = False
        while True:
            try:
                job = await queue.get()
                done = False
                await handle(job)
                done = True
            except asyncio.CancelledError:
                if not done:
                    queue.put_nowait(job)
                raise
            except Exception:
                failed.append(job)
                done = True

    @wrong("given back wrongly", says="[None]")
    async def puts_back_nothing(queue, handle, failed):
        job = None
        while True:
            try:
                job = await queue.get()
                await handle(job)
                job = None
            except asyncio.CancelledError:
                queue.put_nowait(job)
                raise
            except Exception:
                failed.append(job)
                job = None

    @wrong("raised", says="ValueError")
    async def ends_with_the_first_error(queue, handle, failed):
        while True:
            job = await queue.get()
            try:
                await handle(job)
            except asyncio.CancelledError:
                queue.put_nowait(job)
                raise


def _meant_for_a_cancellation(lab):
    """An `except` that catches no cancellation, in which one is asked for or a job is put back; or
    None.
    """
    return lab.earliest(
        *(
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.ExceptHandler) and node.type is not None
            if {"CancelledError", "BaseException"}.isdisjoint(names_in(node.type))
            if any(
                is_named(part, ("*CancelledError", "*.put", "*.put_nowait"))
                for part in ast.walk(node)
            )
        )
    )
