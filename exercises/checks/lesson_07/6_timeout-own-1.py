"""Long, for a limit can be wrong in many ways, and each is told in words of its own."""

import ast
import time

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.form.text import is_function
from helpers.coach.mistakes.nodes import is_named, own_nodes, uses
from helpers.eventloop.tasks import CancelledError, Future, sleep

from .shared import Watched, work

KEPT = OSError("kept")  # an error that is returned is a result like any other
ENDS = (None, 0, "", "tea", False, LookupError, TimeoutError, KEPT)


class WithTimeout(Exercise):
    """A timeout

    Write `with_timeout(loop, seconds, coro)`, an async function for the loop of `tasks.py`. It
    runs the coroutine as a task and returns its result. If that takes longer than `seconds`, the
    task is cancelled, and when it has ended, a TimeoutError comes out.

    - An error of the coroutine comes out as it is, also one that it raises when it is cancelled.
      No coroutine of my tests goes on to return a result after that.
    - If `with_timeout` is itself cancelled before the time is over, the task is cancelled too, and
      the CancelledError comes out: it is not a timeout.
    - However it ends, nothing may be left behind that would still ring.
    """

    id = "timeout-own-1"
    asks = "with_timeout"
    minutes = 12
    hints = (
        "Two tasks: the work, and an alarm that sleeps and then cancels the work. Which of them "
        "does `with_timeout` await, and what is to become of the other?",
        "Await the work. A CancelledError may come out of that for two reasons, so the alarm must "
        "note that it rang. In a `finally`, cancel the alarm.",
        "`except CancelledError:` if the alarm rang, `raise TimeoutError`; else "
        "`task.cancel()` and `raise`. `finally: alarm.cancel()`.",
    )

    def verify(self, with_timeout, lab):
        self._in_time(with_timeout, lab)
        self._failing(with_timeout, lab)
        self._too_late(with_timeout, lab)
        self._cancelled(with_timeout, lab)

    def _in_time(self, with_timeout, lab):
        lab.told("with a timeout of 9 s and work of 2 s")
        run = Watched(lab)
        got = run(lambda loop: with_timeout(loop, 9, work(2, "tea")), with_timeout)
        lab.equal(got, "tea")
        if run.elapsed > 8.5:
            raise Wrong(
                "late",
                f"The work was done at 2 s, and it took {run.elapsed:g} s.",
                lab.await_of("sleep"),
                "Await the work. The alarm sleeps in a task of its own.",
                headline="waits for the alarm",
            )
        lab.equal(round(run.elapsed, 1), 2, what="it took, in seconds,")
        self._nothing_rings(lab, run)

    def _nothing_rings(self, lab, run, error=None):
        """Raise Wrong if something is left. error: the type of what came out of the work."""
        if run.left:
            made = _alarms(lab, run.left)
            passed = error and lab.text.passed_by(error, *_undone_by(lab, made))
            raise Wrong(
                "stale wake-up",
                f"`with_timeout` had ended, and this was still there: {', '.join(run.left)}.",
                passed or min((call.lineno for call in made), default=None),
                "In a `finally`, "
                + (
                    "call the undo that `wake_at` returned."
                    if made and all(is_named(call.func, ("wake_at",)) for call in made)
                    else "cancel the alarm."
                ),
                headline="timer left behind",
                at="isn't reached after an error" if passed else "",
            )

    def _failing(self, with_timeout, lab):
        lab.told("with a timeout of 9 s and work that fails after 2 s")
        run = Watched(lab)
        try:
            got = run(
                lambda loop: with_timeout(loop, 9, work(2, LookupError("no tea"))),
                with_timeout,
                raises=LookupError,
            )
        except TimeoutError:
            raise Wrong(
                "another error",
                "The work raised a LookupError, and TimeoutError came out.",
                lab.handler(),
                "Only a timeout is a TimeoutError.",
            ) from None
        if run.error is None:
            raise Wrong(
                "lost error",
                f"The work raised a LookupError, and it returned {got!r}.",
                lab.handler(),
            )
        self._nothing_rings(lab, run, LookupError)

    def _too_late(self, with_timeout, lab):
        lab.told("with a timeout of 2 s and work of 9 s")
        run, log = Watched(lab), []
        try:
            got = run(
                lambda loop: with_timeout(loop, 2, notes(9, log, run.clock)),
                with_timeout,
                raises=TimeoutError,
            )
        except CancelledError:
            elsewhere = _raised_in_a_task(lab)
            raise Wrong(
                "another error",
                "The time was over, and CancelledError came out. Its caller would believe that it "
                "was told to end itself.",
                elsewhere or lab.await_of("task") or lab.await_of(),
                "An error in a task comes out where that task is awaited. Let the alarm note that "
                "it rang, and raise TimeoutError where the CancelledError comes."
                if elsewhere
                else "Turn the CancelledError into a TimeoutError, if the alarm rang."
                + (
                    " (And in an inner function `rang = True` makes a name of its own: "
                    "say `nonlocal rang` there.)"
                    if lab.assigned(to=True) and not lab.outer_name()
                    else ""
                ),
                at="raises it in another task" if elsewhere else "",
            ) from None
        if run.error is None:
            raise Wrong(
                "lost error",
                f"The time was over, and it returned {got!r}.",
                lab.handler() or lab.returning(),
                "`raise TimeoutError`",
            )
        if run.elapsed > 3.5:
            raise Wrong(
                "late",
                f"It took {run.elapsed:g} s.",
                lab.await_of(),
                "The alarm must ring while you wait: it needs a "
                "task of its own, or an entry in the heap.",
                headline="waits to the end",
            )
        if not log:
            raise Wrong(
                "losers",
                "After the TimeoutError the work still went on.",
                lab.use_of("*TimeoutError"),
                "Cancel its task, and await it.",
                headline="left the work running",
            )
        if run.elapsed < 2.5:
            raise Wrong(
                "early return",
                f"The work needed 1 s to clean up after being "
                f"cancelled. TimeoutError came at {run.elapsed:g} s, before that was "
                "over.",
                lab.use_of("*TimeoutError"),
                "`cancel` asks. Await the task to know that it has ended.",
            )
        self._nothing_rings(lab, run)

    def _cancelled(self, with_timeout, lab):
        lab.told("with a timeout of 9 s and work of 8 s, and cancelled it after 1 s")
        run, log, outcome = Watched(lab), [], []

        async def waits(loop):
            try:
                outcome.append(await with_timeout(loop, 9, notes(8, log, run.clock)))
            except BaseException as error:
                outcome.append(error)

        async def main(loop):
            task = loop.spawn(waits(loop))
            await sleep(1)
            task.cancel()
            await sleep(2.5)

        run(main, with_timeout)
        if not outcome:
            raise Wrong("swallowed", "2.5 s later it still went on.", lab.handler())
        if isinstance(outcome[0], TimeoutError):
            raise Wrong(
                "whose timeout",
                "TimeoutError came out, though the time was not over.",
                lab.handler(),
                "A CancelledError can have two causes. "
                + (
                    "Ask whether the alarm rang: make a TimeoutError of it only then."
                    if _notes_something(lab)
                    else "Let the alarm note that it rang, and make a TimeoutError of it only then."
                ),
                headline="took a cancellation for a timeout",
            )
        if not isinstance(outcome[0], CancelledError):
            raise Wrong("swallowed", f"What came out is {outcome[0]!r}.", lab.handler())
        if not log:
            raise Wrong(
                "losers",
                "CancelledError came out, and the work still went on.",
                lab.handler(CancelledError) or lab.await_of("task"),
                "A function that is cancelled cancels what it began: call `cancel` on the work's "
                "task.",
                headline="left the work running",
            )
        self._nothing_rings(lab, run)

    @sweep(
        lambda some: {
            "limit": some.sampled_from((2, 3.5)),
            "takes": some.sampled_from((0, 1, 4)),
            "ends": some.sampled_from(ENDS),
            "cleanup": some.sampled_from((0, 1, KeyError, TimeoutError)),
        },
        besides=[{"limit": 0, "takes": 4, "ends": "tea", "cleanup": 0}],
    )
    def any_work(self, with_timeout, lab, limit, takes, ends, cleanup):
        if takes > limit:
            fails = isinstance(cleanup, type)
            does = f"raises a {cleanup.__name__}" if fails else f"cleans up for {cleanup} s"
            then = f"; when it is cancelled it {does}"
        else:
            then = f", and then {ends_words(ends)}"
        lab.told(f"with a timeout of {limit} s and work that takes {takes} s{then}")
        run, got = Watched(lab), []

        async def main(loop):
            await self._note(with_timeout(loop, limit, tidying(takes, ends, cleanup)), got)

        run(main, with_timeout)
        if takes > limit and cleanup is KeyError and repr(got) == "[('raised', TimeoutError())]":
            raise Wrong(
                "another error",
                "The work raised KeyError('no cup'), and TimeoutError came out.",
                lab.text.of_traceback(got[0][1]),
                "Only a CancelledError becomes a TimeoutError. Any other error of the work comes "
                "out as it is.",
                at="lets out another error",
            )
        return {
            "what came out was": got,
            "it took, in seconds,": run.elapsed,
            "left behind was": run.left,
        }

    @sweep(
        lambda some: {
            "at": some.sampled_from((0.5, 1.5)),
            "limit": some.sampled_from((2, 3.5)),
            "cleanup": some.sampled_from((0, 1)),
        },
        most=8,
    )
    def cancelled(self, with_timeout, lab, at, limit, cleanup):
        lab.told(
            f"with a timeout of {limit} s and work of 4 s, which cleans up for {cleanup} s when it "
            f"is cancelled; I cancelled `with_timeout` after {at} s"
        )
        run, got, log = Watched(lab), [], []

        async def main(loop):
            made = with_timeout(loop, limit, tidying(4, None, cleanup, log))
            task = loop.spawn(self._note(made, got))
            await sleep(at)
            task.cancel()
            await sleep(3)

        run(main, with_timeout)
        return {"what came out was": got, "what the work did:": log, "left behind was": run.left}

    @sweep(
        lambda some: {
            "times": some.permutations((1, 2, 3.5, 5)),
            "inside": some.booleans(),
        },
        most=12,
    )
    def two_at_once(self, with_timeout, lab, times, inside):
        run, got = Watched(lab), []
        one, other, takes, takes_other = times

        async def one_in_another(loop):
            inner = with_timeout(loop, other, tidying(takes, "tea"))
            await self._note(with_timeout(loop, one, inner), got)

        async def side_by_side(loop):
            for limit, seconds in ((one, takes), (other, takes_other)):
                loop.spawn(self._note(with_timeout(loop, limit, tidying(seconds, "tea")), got))
            await sleep(9)

        if inside:
            lab.told(
                f"with a timeout of {one} s, for a call of itself with a timeout of {other} s and "
                f"work of {takes} s"
            )
        else:
            lab.told(
                f"twice at once: with a timeout of {one} s and work of {takes} s, and with "
                f"{other} and {takes_other} s"
            )
        run(one_in_another if inside else side_by_side, with_timeout)
        return {
            "what came out was": got,
            "it took, in seconds,": run.elapsed,
            "left behind was": run.left,
        }

    async def _note(self, made, got):
        """Await it, and note what comes out: an error that it makes itself may say anything."""
        try:
            got.append(await made)
        except (Exception, CancelledError) as error:
            if type(error) is TimeoutError and error.args not in (("no tea",), ("no cup",)):
                error.args = ()
            got.append(("raised", error))

    @right
    async def with_an_alarm(loop, seconds, coro):
        """Run `coro` for at most `seconds`; return its result or raise TimeoutError."""
        task, rang = loop.spawn(coro), []

        async def ring():
            await sleep(seconds)
            rang.append(True)
            task.cancel()

        alarm = loop.spawn(ring())
        try:
            return await task
        except CancelledError:
            if rang:
                raise TimeoutError(f"not done in {seconds} s") from None
            task.cancel()
            raise
        finally:
            alarm.cancel()

    without_finally = with_an_alarm.but("return await task", "result = await task").but(
        "finally:\n    alarm.cancel()",
        "alarm.cancel()\nreturn result",
        kind="stale wake-up",
        says="isn't reached after an error",
    )

    every_error_after_the_alarm = with_an_alarm.but(
        "except CancelledError:",
        "except BaseException:",
        kind="another error",
        says="lets out another error",
    )

    @right
    async def with_an_entry_in_the_heap(loop, seconds, coro):
        task, rang = loop.spawn(coro), []

        def ring():
            rang.append(True)
            task.cancel()

        undo = loop.wake_at(time.monotonic() + seconds, ring)
        try:
            return await task
        except CancelledError:
            if not rang:
                task.cancel()
                raise
            raise TimeoutError
        finally:
            if not rang:
                undo()

    @wrong("stale wake-up", says="ring")
    async def leaves_the_alarm(loop, seconds, coro):
        task, rang = loop.spawn(coro), []

        async def ring():
            await sleep(seconds)
            rang.append(True)
            task.cancel()

        loop.spawn(ring())
        try:
            return await task
        except CancelledError:
            if rang:
                raise TimeoutError
            task.cancel()
            raise

    @wrong("late", says="in a task of its own")
    async def sleeps_itself(loop, seconds, coro):
        task = loop.spawn(coro)
        await sleep(seconds)
        if task.done():
            return task.result()
        task.cancel()
        raise TimeoutError

    @wrong("whose timeout", says="the time was not over")
    async def takes_all_for_timeouts(loop, seconds, coro):
        task = loop.spawn(coro)

        async def ring():
            await sleep(seconds)
            task.cancel()

        alarm = loop.spawn(ring())
        try:
            return await task
        except CancelledError:
            task.cancel()
            raise TimeoutError
        finally:
            alarm.cancel()

    @wrong("another error", says="CancelledError came out")
    async def lets_the_cancellation_out(loop, seconds, coro):
        task = loop.spawn(coro)

        async def ring():
            await sleep(seconds)
            task.cancel()

        alarm = loop.spawn(ring())
        try:
            return await task
        finally:
            alarm.cancel()

    @wrong("another error", says="nonlocal")
    async def forgets_nonlocal(loop, seconds, coro):
        task, rang = loop.spawn(coro), False

        async def ring():
            await sleep(seconds)
            rang = True
            task.cancel()

        alarm = loop.spawn(ring())
        try:
            return await task
        except CancelledError:
            if rang:
                raise TimeoutError
            task.cancel()
            raise
        finally:
            alarm.cancel()

    takes_every_error_for_a_timeout = takes_all_for_timeouts.but(
        "CancelledError:\n    task.cancel()",
        "BaseException:",
        kind="another error",
        says="LookupError, and TimeoutError",
    )

    returns_none = takes_all_for_timeouts.but(
        "task.cancel()\nraise TimeoutError",
        "return None",
        kind="lost error",
        says="it returned None",
    )

    @wrong("losers", says="the work still went on")
    async def only_stops_waiting(loop, seconds, coro):
        first = Future()

        async def finish(awaitable, late):
            try:
                result = await awaitable
            except Exception as error:
                if not first.done():
                    first.set_exception(error)
            else:
                if not first.done():
                    if late:
                        first.set_exception(TimeoutError())
                    else:
                        first.set_result(result)

        loop.spawn(finish(coro, False))
        alarm = loop.spawn(finish(sleep(seconds), True))
        try:
            return await first
        finally:
            alarm.cancel()

    @wrong("late", says="It took 9 s")
    async def looks_afterwards(loop, seconds, coro):
        begun = time.monotonic()
        result = await coro
        if time.monotonic() - begun > seconds:
            raise TimeoutError
        return result

    @wrong("losers", says="CancelledError came out, and the work")
    async def forgets_the_work(loop, seconds, coro):
        task, rang = loop.spawn(coro), []

        async def ring():
            await sleep(seconds)
            rang.append(True)
            task.cancel()

        alarm = loop.spawn(ring())
        try:
            return await task
        except CancelledError:
            if rang:
                raise TimeoutError
            raise
        finally:
            alarm.cancel()

    @wrong("early return", says="before that was over")
    async def raises_at_once(loop, seconds, coro):
        task, rang = loop.spawn(coro), Future()

        async def ring():
            await sleep(seconds)
            rang.set_result(True)

        async def watch():
            try:
                await task
            finally:
                if not rang.done():
                    rang.set_result(False)

        alarm, watcher = loop.spawn(ring()), loop.spawn(watch())
        try:
            if await rang:
                task.cancel()
                raise TimeoutError
            return await task
        except CancelledError:
            task.cancel()
            raise
        finally:
            alarm.cancel()
            watcher.cancel()


def _alarms(lab, left):
    """The calls of the answer that made what is left."""
    made = lab.text.calls_of("wake_at") if "an entry in the heap" in left else []
    names = tuple(one.removeprefix("task ") for one in left)
    for call in lab.text.calls_of("spawn"):
        if call.args and isinstance(call.args[0], ast.Call):
            made += [call] if is_named(call.args[0].func, names) else []
    return made


def _raised_in_a_task(lab):
    """Where a function that is spawned raises a TimeoutError; or None."""
    spawned = [
        arg.func
        for call in lab.text.calls_of("spawn")
        for arg in call.args[:1]
        if isinstance(arg, ast.Call)
    ]
    return lab.earliest(
        *(
            part.lineno
            for node in lab.nodes()
            if is_function(node) and any(is_named(one, (node.name,)) for one in spawned)
            for part in own_nodes(node)
            if isinstance(part, ast.Raise) and uses(("TimeoutError",), part.exc)
            if lab.has_run(part.lineno)
        )
    )


def _notes_something(lab):
    """Whether a function that cancels the task sets something that is known outside of it."""
    alarms = [node for node in lab.nodes() if is_function(node) and node.name != lab.asks]
    for alarm in alarms:
        parts = [*own_nodes(alarm)]
        calls = [part.func for part in parts if isinstance(part, ast.Call)]
        if any(is_named(call, ("*.cancel",)) for call in calls):
            if any(
                is_named(call, ("*.append", "*.add", "*.set", "*.set_result")) for call in calls
            ):
                return True
            if any(isinstance(part, (ast.Nonlocal, ast.Global)) or _is_set(part) for part in parts):
                return True
    return False


def _is_set(node):
    """Whether this is an attribute or an item that is given a value."""
    return isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store)


def _undone_by(lab, made):
    """What takes back what was made, by the names that the answer has for it."""
    names = [
        ast.unparse(node.targets[0])
        for node in lab.nodes()
        if isinstance(node, ast.Assign) and node.value in made
    ]
    return [*names, *(f"{name}.cancel" for name in names)] or ["*.cancel"]


def ends_words(ends):
    return f"raises a {ends.__name__}" if isinstance(ends, type) else f"returns {ends!r}"


async def tidying(takes, ends, cleanup=0, log=None):
    """Work that returns or raises, and notes that it was told to end, and when it had cleaned up;
    an error for `cleanup` is what it raises then.
    """
    log = [] if log is None else log
    try:
        await sleep(takes)
    except CancelledError:
        log.append("told to end")
        if isinstance(cleanup, type):
            raise cleanup("no cup") from None
        await sleep(cleanup)
        log.append("cleaned up")
        raise
    if isinstance(ends, type):
        raise ends("no tea")
    return ends


async def notes(seconds, log, clock):
    """Work that needs a second to clean up when it is told to end, and notes when it was told."""
    try:
        await sleep(seconds)
    except CancelledError:
        if not clock.over:
            log.append(clock.seconds())
        await sleep(1)
        raise
