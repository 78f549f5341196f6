"""Long, for a supervisor fails in many ways, and each is a whole program."""

import asyncio
import contextlib

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import errors_in, named, ungrouped, watched

KEPT = OSError("kept")  # an error that a worker returns is a result like any other


class Worker:
    """A worker that fails as often as told, 1 s after each start, and then works for a while.

    errors: what each start fails with, in turn. works: seconds that the next one takes. result:
    what it returns then. fails_after: seconds until it fails. moment: seconds that it takes to end
    when it is cancelled.
    """

    def __init__(self, errors, works=1, result="done", fails_after=1, moment=0):
        self.errors, self.works = list(errors), works
        self.result, self.fails_after, self.moment = result, fails_after, moment
        self.started, self.cancelled, self.flying = [], [], 0

    def __call__(self):
        return named(self._work(), "worker")

    async def _work(self):
        self.started.append(asyncio.get_running_loop().time())
        self.flying += 1
        number = len(self.started)
        try:
            await asyncio.sleep(self.fails_after if number <= len(self.errors) else self.works)
        except asyncio.CancelledError:
            self.cancelled.append(number)
            await asyncio.sleep(self.moment)
            raise
        finally:
            self.flying -= 1
        if number <= len(self.errors):
            raise self.errors[number - 1]
        return self.result

    def __repr__(self):
        return "worker"


class Supervise(Exercise):
    """A supervisor

    `worker()` is a coroutine function that is meant to run for a long time, and may fail with any
    kind of error. Write `supervise(worker, restarts, pause)`.

    - It runs the worker, and returns what the worker returns.
    - If the worker fails, it waits for `pause` seconds and starts it again, `restarts` times at
      most. If the worker fails once more after that, this last error comes out at once, alone or
      in a group.
    - If `supervise` is cancelled, the worker is stopped and not started again. It may take a while
      to clean up, which does not fail, and has ended when `supervise` ends.
    """

    id = "supervise-1"
    asks = "supervise"
    minutes = 10
    hints = (
        "A loop with a `try` around the worker. How often may it start the worker in all?",
        "To be cancelled is no failure. Which `except` catches the errors of a worker, and lets "
        "a CancelledError pass?",
        "`for left in range(restarts, -1, -1):` and in it `return await worker()`; `except "
        "Exception:` raise it again if none is left; then the pause.",
    )

    def verify(self, supervise, lab):
        errors = [ValueError("first"), OSError("second"), KeyError("third")]
        errors += [RuntimeError(f"number {number}") for number in range(4, 500)]
        for restarts in (3, 2):
            worker = Worker(errors[:2])
            ended = self._watch(
                lab,
                f"with a worker that fails twice, restarts={restarts} and pause=2",
                supervise,
                worker,
                restarts,
                2,
            )
            # With three restarts, who counts the first start has enough of them all the same.
            self._starts(lab, ended, worker, [0, 3, 6], one_to_spare=restarts == 3)
            if ended.error is not None:
                raise ended.error
            lab.equal(ended.result, "done")
        worker = Worker(errors)
        ended = self._watch(
            lab, "with a worker that always fails, restarts=2 and pause=2", supervise, worker, 2, 2
        )
        self._gives_up(lab, ended, worker, errors[2], [0, 3, 6])
        worker = Worker(errors)
        ended = self._watch(
            lab, "with a worker that fails, restarts=0 and pause=2", supervise, worker, 0, 2
        )
        self._gives_up(lab, ended, worker, errors[0], [0])
        for after, words in ((2, "in the pause"), (3.5, "while the worker worked")):
            worker = Worker(errors[:1], works=10, moment=0.25)
            ended = self._watch(
                lab, f"and cancelled it {words}", supervise, worker, 5, 2, cancel_after=after
            )
            if worker.flying or ended.flying:
                raise self._still_runs(lab)

    def _still_runs(self, lab):
        asks = lab.call_of("*.cancel")
        limited = lab.keyword("timeout") or lab.call_of("wait_for", "timeout", "timeout_at")
        if asks and limited:
            return Wrong(
                "losers",
                "When it was cancelled and had ended, the worker still cleaned up.",
                limited,
                "Wait for the worker until it has ended, however long that takes.",
                headline="left the worker running",
                at="gives it a while, and that may be too short",
            )
        return Wrong(
            "losers",
            "When it was cancelled and had ended, the worker still ran.",
            asks or lab.call_of("create_task", "ensure_future", "wait", "shield"),
            "`cancel` only asks a task to end, and returns at once. Await the task after it, "
            "or await the worker itself, without a task."
            if asks
            else "Await the worker itself, `await worker()`: then a cancellation of "
            "`supervise` reaches it too.",
            headline="left the worker running",
            at="asks it to end, and nobody waits until it has" if asks else "",
        )

    def _watch(self, lab, words, supervise, worker, restarts, pause, **how):
        async def patient(worker, restarts, pause):
            made = asyncio.create_task(supervise(worker, restarts, pause))
            try:
                done, _ = await asyncio.wait([made], timeout=500)
            except asyncio.CancelledError:
                made.cancel()
                await asyncio.wait([made], timeout=3600)
                if made.done() and made.cancelled():
                    raise
                made.cancel()
                return await made  # it swallowed the cancellation: the lab says so
            if not done:
                raise Wrong(
                    "endless",
                    f"It started the worker {len(worker.started)} times and went on.",
                    lab.looping(),
                    "Count the restarts, and let the last error out.",
                    headline="no end to it",
                )
            return await made

        return watched(lab, words, patient, worker, restarts, pause, **how)

    def _starts(self, lab, ended, worker, expected, one_to_spare=False):
        if isinstance(ended.error, Wrong):
            raise ended.error
        lab.equal(ended.result, ended.result)  # a coroutine is named here
        started = [round(at, 3) for at in worker.started]
        if started == expected:
            return
        said = f"It started the worker at {started} s; expected {expected}."
        if ended.error is not None and len(started) < len(expected):
            if not set(errors_in(ended.error)) & set(worker.errors):
                raise ended.error
            narrow = lab.text.narrow_handler(lab.text.steps_of(ended.error), type(ended.error))
            if len(started) == 1 and ended.at > 2.999 and not lab.repeated_call_of("worker"):
                raise Wrong(
                    "one failure ends all",
                    f"{said} Then {ended.error!r} came out after {ended.at:g} s.",
                    lab.call_of("worker"),
                    "Call `worker()` anew for each start. A task that has ended only raises its "
                    "error again when you await it.",
                    headline="never started it again",
                    at="is the only start",
                )
            count = "`restarts` does not count the first start: it comes before them."
            if narrow:
                count = "Any kind of error counts."
            elif one_to_spare:
                count = "Any kind of error counts, and `restarts` does not count the first start."
            raise Wrong(
                "one failure ends all",
                f"{said} Then {ended.error!r} came out.",
                narrow or lab.operation("<", "<=", ">", ">=", "==") or lab.call_of("range"),
                count,
                headline="gave up too early",
            )
        if len(started) > len(expected):
            raise Wrong(
                "counted wrong",
                said,
                lab.earliest(
                    lab.call_of("range"), lab.while_loop(), lab.operation("<", "<=", ">", ">=")
                ),
                "`restarts` starts come after the first one, and no more.",
                headline="one restart too many",
            )
        if len(started) == len(expected):
            raise Wrong(
                "pauses",
                said,
                lab.call_of("sleep") or lab.handler(),
                "A worker that fails at once would be started again and again without a "
                "pause: `await asyncio.sleep(pause)`, between a failure and the next "
                "start.",
                headline="another pause",
            )
        raise Wrong(
            "one failure ends all",
            said,
            lab.earliest(
                lab.call_of("range"), lab.while_loop(), lab.operation("<", "<=", ">", ">=")
            ),
            "`restarts` does not count the first start.",
            headline="gave up too early",
        )

    def _gives_up(self, lab, ended, worker, error, expected):
        self._starts(lab, ended, worker, expected)
        if ended.error is None:
            raise Wrong(
                "lost error",
                f"The worker failed with {error!r} for the last time, and "
                f"it returned {ended.result!r}.",
                lab.handler() or lab.keyword("return_exceptions"),
                "When no restart is left, let the error out: `raise`.",
            )
        if errors_in(ended.error) != [error]:
            raise Wrong(
                "another error",
                f"The last error was {error!r}. What came out was {ended.error!r}.",
                lab.raising(),
                "A plain `raise` in the `except` lets out what was caught.",
            )
        if ended.at > expected[-1] + 1.001:
            raise Wrong(
                "late",
                f"The last error was there after "
                f"{expected[-1] + 1} s, and came out after {ended.at:g} s.",
                lab.call_of("sleep"),
                "Pause only when there is a restart to come.",
                headline="one pause too many",
            )

    @sweep(
        lambda some: {
            "errors": some.lists(
                some.sampled_from((ValueError, OSError, TimeoutError, KeyError)), max_size=4
            ),
            "result": some.sampled_from(("done", "", 0, None, False, KEPT)),
            "restarts": some.integers(0, 4),
            "pause": some.sampled_from((0, 0.5, 3)),
            "fails_after": some.sampled_from((0, 1)),
        },
        besides=[
            {
                "errors": [ValueError] * 1100,
                "result": "done",
                "restarts": 1100,
                "pause": 0,
                "fails_after": 0,
            }
        ],
        cancels=True,
        most=50,
    )
    def any_worker(self, supervise, lab, errors, result, restarts, pause, fails_after):
        worker = Worker(
            [error(f"failure {number}") for number, error in enumerate(errors, 1)],
            result=result,
            fails_after=fails_after,
            moment=60,  # longer than anybody sets a limit for
        )

        async def case():
            try:
                return await supervise(worker, restarts, pause)
            finally:
                if worker.flying:
                    raise self._still_runs(lab)

        fails = listed(error.__name__ for error in errors[:5])
        if len(errors) > 5:
            fails = f"{errors[0].__name__} {len(errors):,} times"
        then = f"{'raises ' + fails + ', then ' if errors else ''}returns {result!r}"
        lab.told(f"with a worker that {then}, restarts={restarts} and pause={pause}")
        run = ungrouped(lab.run(case()))
        return {
            "what came of it": lab.seen(run),
            "it started the worker after these seconds:": worker.started,
        }

    @right
    async def counts_down(worker, restarts, pause):
        """Run the worker; start it again when it fails, `restarts` times at most."""
        for left in range(restarts, -1, -1):
            try:
                return await worker()
            except Exception:
                if not left:
                    raise
            await asyncio.sleep(pause)

    @right
    async def counts_up(worker, restarts, pause):
        failures = 0
        while True:
            try:
                return await worker()
            except Exception:
                failures += 1
                if failures > restarts:
                    raise
                await asyncio.sleep(pause)

    @right
    async def last_one_outside(worker, restarts, pause):
        for _ in range(restarts):
            try:
                return await worker()
            except Exception:
                await asyncio.sleep(pause)
        return await worker()

    @wrong(
        "swallowed",
        says="catches the cancellation, and it is not raised again: `except BaseException:`",
    )
    async def catches_everything(worker, restarts, pause):
        failures = 0
        while True:
            try:
                return await worker()
            except BaseException:
                failures += 1
                if failures > restarts:
                    raise
            await asyncio.sleep(pause)

    returns_a_coroutine = counts_down.but(
        "await worker()", "worker()", kind="not awaited", says="worker"
    )

    @wrong("swallowed", says="as if nothing had happened")
    async def cancelled_means_done(worker, restarts, pause):
        try:
            for _ in range(restarts):
                try:
                    return await worker()
                except Exception:
                    await asyncio.sleep(pause)
            return await worker()
        except asyncio.CancelledError:
            return None

    one_more = counts_down.but(
        "restarts, -1",
        "restarts + 1, -1",
        kind="counted wrong",
        says="starts come after the first one",
    )

    @wrong("one failure ends all", says="does not count the first start")
    async def counts_the_first_start(worker, restarts, pause):
        for left in range(restarts - 1, -1, -1):
            try:
                return await worker()
            except Exception:
                if not left:
                    raise
            await asyncio.sleep(pause)
        return await worker()

    one_kind_of_error = counts_down.but(
        "Exception", "ValueError", kind="one failure ends all", says="Any kind of error"
    )

    @wrong("lost error", says="for the last time")
    async def gives_up_in_silence(worker, restarts, pause):
        for left in range(restarts, -1, -1):
            try:
                return await worker()
            except Exception as error:
                print(error)
            if left:
                await asyncio.sleep(pause)

    @wrong("pauses", says="without a pause")
    async def restarts_at_once(worker, restarts, pause):
        for left in range(restarts, -1, -1):
            try:
                return await worker()
            except Exception:
                if not left:
                    raise

    pauses_before_it_gives_up = restarts_at_once.but(
        "if", "await asyncio.sleep(pause)\nif", kind="late", says="came out after 9 s"
    )

    @wrong("endless", says="Count the restarts")
    async def for_ever(worker, restarts, pause):
        while True:
            with contextlib.suppress(Exception):
                return await worker()
            await asyncio.sleep(pause)

    @wrong("losers", says="the worker still ran")
    async def in_a_task_of_its_own(worker, restarts, pause):
        for left in range(restarts, -1, -1):
            task = asyncio.create_task(worker())
            await asyncio.wait([task])
            if task.exception() is None:
                return task.result()
            if not left:
                raise task.exception()
            await asyncio.sleep(pause)
