"""Long, for each way to miss a step has words of its own."""

import ast
import asyncio

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import spans

KEPT = OSError("kept")  # an error that is returned is a result like any other


class Start(Exercise):
    """A task of your own

    Write `start(coro, loop)`, an ordinary function. It returns a future, made by
    `loop.create_future()`, and runs the coroutine `coro` step by step without asyncio's `Task`:

    - The first step is not taken at once, but by `loop.call_soon`.
    - A step sends None. If `coro` hands out None, the next step is called soon. If it hands out a
      future, the next step is called when that future is done.
    - What `coro` returns is the result of your future; an error that leaves `coro`, any
      `Exception`, is its exception.
    """

    id = "task-step-1"
    asks = "start"
    minutes = 10
    hints = (
        "You want a function `step` inside `start`, which is called back each time. "
        "What calls it for the first time, and what after a pause?",
        "`coro.send(None)` has three ends: it hands something out, it raises `StopIteration` with "
        "a value, or it raises an error. After the first, somebody must call `step` again.",
        "`loop.call_soon(step)` for None, `waits_for.add_done_callback(step)` for a future; and "
        "`future.set_result(end.value)`, `future.set_exception(error)` for the ends. A callback of "
        "a future gets that future as its argument: `def step(woken_by=None)`.",
    )
    equivalent = {
        "called_back: falsy for None, line 13": "a future is never false",
        "called_back: wider except, line 10": "only an Exception leaves it",
    }

    def verify(self, start, lab):
        made = lab.run(self._first(start, lab)).result
        if made is not None:
            raise made
        run = lab.run(self._talks(start, lab))
        if run.result is not None:
            raise run.result
        lab.told("with a coroutine that sleeps and returns 'tea'")

    async def _first(self, start, lab):
        loop, said = asyncio.get_running_loop(), []

        async def speaks():
            said.append("step")
            return "tea"

        coro = speaks()
        future = start(coro, loop)
        if asyncio.iscoroutine(future):
            future.close()
            coro.close()
            return Wrong(
                "async for plain",
                "It is `async def`: it returned a coroutine, and started nothing.",
                lab.coroutine_function(),
                "`def start`: an ordinary function, which asks the loop for the first "
                "step and returns the future.",
                headline="no future",
            )
        if not isinstance(future, asyncio.Future):
            return Wrong(
                "async for plain",
                f"It returned {future!r:.60}.",
                lab.returning(),
                "Return the future of `loop.create_future()`, at once; it gets its result later.",
                headline="no future",
            )
        if isinstance(future, asyncio.Task):
            return Wrong(
                "other loop",
                "It returned a task of asyncio's.",
                lab.call_of("create_task", "ensure_future", "Task"),
                "This one is to be yours: `coro.send(None)`, in a function that is called back.",
                headline="used asyncio's task",
            )
        if said:
            return Wrong(
                "called, not handed over",
                "When `start` returned, the coroutine had taken its first step already.",
                lab.call_of("call_soon", given="()")
                or lab.call_of_an_inner_function()
                or _first_call(lab),
                "A new task goes to the end of the queue: `loop.call_soon(step)`. Hand "
                "the function over, do not call it.",
                headline="ran at once",
            )
        got = await self._within(future, 1)
        if got is None:
            return self._stuck(lab, "a coroutine that only returns 'tea'")
        if "object is not an iterator" in str(got[1]):
            coro.close()
            return Wrong(
                "raised",
                f"The future failed with TypeError: {got[1]}.",
                lab.call_of("next"),
                "`next` is for generators and iterators. A coroutine takes its steps by "
                "`coro.send(None)`.",
                headline="took a coroutine for an iterator",
            )
        return self._result(lab, got, "tea")

    async def _talks(self, start, lab):
        loop, said = asyncio.get_running_loop(), []

        async def neighbour():
            for _ in range(3):
                said.append("neighbour")
                await asyncio.sleep(0)

        async def polite():
            for _ in range(3):
                said.append("own")
                await asyncio.sleep(0)
            return "polite"

        beside, begin = asyncio.create_task(neighbour()), loop.time()
        got = await self._within(start(polite(), loop), 1)
        if got is None:
            return self._stuck(lab, "a coroutine that awaits `sleep(0)` three times")
        if loop.time() > begin:
            return self._late(lab, "awaits `sleep(0)` three times", loop.time() - begin, 0)
        await beside
        if said[:3] == ["neighbour", "own", "own"]:
            return Wrong(
                "called, not handed over",
                "The coroutine handed out None three times, and its neighbour got no turn "
                "in between.",
                lab.earliest(
                    lab.while_loop(), lab.call_of("step"), lab.call_of("call_soon", given="()")
                ),
                "None means: go on with the others first. Hand the step to the loop, "
                "`loop.call_soon(step)`, and return.",
                headline="resumed it at once",
            )
        wrong = self._result(lab, got, "polite")
        if wrong is not None:
            return wrong

        async def sleeps():
            await asyncio.sleep(1)
            return await asyncio.sleep(1, "tea")

        begin = loop.time()
        got = await self._within(start(sleeps(), loop), 10)
        if got is None:
            return self._stuck(lab, "a coroutine that sleeps twice")
        wrong = self._result(lab, got, "tea")
        if wrong is not None:
            return wrong
        if loop.time() - begin > 2.001:
            return self._late(lab, "sleeps twice", loop.time() - begin, 2)
        if loop.time() - begin < 1.9:
            return Wrong(
                "called, not handed over",
                "It slept for two seconds in no time.",
                headline="resumed it at once",
            )

        async def fails():
            await asyncio.sleep(0)
            raise LookupError("no tea")

        got = await self._within(start(fails(), loop), 1)
        if got is None:
            return self._lost(lab)
        if not isinstance(got[1], LookupError):
            return self._lost(lab, got)
        return None

    def _late(self, lab, what, took, expected):
        return Wrong(
            "late",
            f"I called `start` with a coroutine that {what}. It took {took:.3g} s, and not "
            f"{expected} s.",
            lab.call_of("call_later", "call_at"),
            "No clock is needed: `loop.call_soon(step)` for None, and a future calls back when it "
            "is done.",
            headline="waited for the clock",
        )

    async def _within(self, future, seconds):
        """(result, error) of the future, or None if it has none after so many seconds."""
        await asyncio.wait([future], timeout=seconds)
        if not future.done():
            future.cancel()
            return None
        error = future.exception()
        return (None, error) if error is not None else (future.result(), None)

    def _result(self, lab, got, expected):
        result, error = got
        if isinstance(error, RuntimeError) and "await wasn't used with future" in str(error):
            return Wrong(
                "called, not handed over",
                "The coroutine handed out a future, and was sent on before that was done. "
                f"It answered: {error}.",
                lab.call_of("add_done_callback", given="()")
                or lab.while_loop()
                or _next_step(lab)
                or lab.call_of("call_soon", "step"),
                "Leave the rest to the future: hand the function for the next step to its "
                "`add_done_callback`, without calling it. A future that is done calls it with "
                "itself.",
                headline="resumed it at once",
            )
        if "interacts badly" in str(error):
            return self._caught_too_early(lab)
        if isinstance(error, AttributeError) and "'NoneType'" in str(error):
            return Wrong(
                "where it switches",
                "The coroutine handed out None, as `sleep(0)` "
                f"does, and your step failed: {error}.",
                lab.call_of("add_done_callback"),
                "Look first: `if waits_for is None: loop.call_soon(step)`.",
                headline="took None for a future",
            )
        if error is not None:
            return Wrong("raised", f"The future failed with {type(error).__name__}: {error}.")
        if result != expected:
            return Wrong(
                "return value",
                f"The coroutine returned {expected!r}; the result of the future is {result!r}.",
                lab.call_of("set_result"),
                "What it returned is inside the `StopIteration`: `except StopIteration as "
                "end`, and `end.value`.",
                headline="the StopIteration for a result"
                if isinstance(result, StopIteration)
                else "",
            )
        return None

    def _stuck(self, lab, what):
        lost = [c.get("exception") for c in lab.lost if c.get("exception") is not None]
        lab.lost.clear()
        if lost and isinstance(lost[0], RuntimeError) and "await wasn't" in str(lost[0]):
            return self._result(lab, (None, lost[0]), None)
        if lost and "interacts badly" in str(lost[0]):
            return self._caught_too_early(lab)
        if lost and isinstance(lost[0], StopIteration):
            return Wrong(
                "StopIteration",
                f"I called `start` with {what}. `send` raised a StopIteration, which fell to the "
                "loop, and the future was never done.",
                lab.call_of("send"),
                "`except StopIteration as end:` around the `send`.",
                headline="no one catches its end",
            )
        if lost and "positional argument" in str(lost[0]):
            return Wrong(
                "arguments",
                f"I called `start` with {what}. Calling a function back failed: {lost[0]}.",
                lab.inner_function(),
                "A future calls back with itself as argument; `call_soon` with none: "
                "`def step(woken_by=None)`.",
                headline="a callback that can't be called as it is",
            )
        asks = lab.call_of("*.result")
        if lost and asks and lab.text.of_traceback(lost[0]) == lab.text.place(asks):
            return Wrong(
                "wake-up",
                f"I called `start` with {what}. The future that it returned was never done: your "
                "callback raised the error itself.",
                asks,
                "`result` raises the error of a future that failed, and in a callback nobody "
                "catches it. Send None: the `await` in the coroutine asks its future itself.",
                headline="never came to its end",
                at="raises what the future holds",
            )
        said = f" What the loop was told: {lost[0]!r}." if lost else ""
        return Wrong(
            "wake-up",
            f"I called `start` with {what}, and its future was never done.{said}",
            lab.node(ast.Global)
            or lab.condition("exception", "cancelled", "value")
            or (lab.text.of_traceback(lost[0]) if lost else None)
            or lab.call_of("send"),
            "After each step somebody must call `step` again, and at the end somebody "
            "must set the future.",
            headline="never came to its end",
        )

    def _caught_too_early(self, lab):
        return Wrong(
            "StopIteration",
            "The coroutine came to its end, and the future was given its StopIteration "
            "as an error.",
            lab.handler(Exception, BaseException),
            "StopIteration is an Exception too, and the first `except` that fits takes "
            "it. Put `except StopIteration as end` before the other one.",
            headline="took its end for an error",
        )

    def _lost(self, lab, got=None):
        errors = [context.get("exception") for context in lab.lost]
        passed = next((error for error in errors if isinstance(error, LookupError)), None)
        lab.lost.clear()
        so = "its future was never done" if got is None else f"its future has {got!r}"
        return Wrong(
            "lost error",
            f"I called `start` with a coroutine that raises a LookupError, and {so}.",
            lab.text.let_out(passed) if passed else lab.keeping(LookupError),
            "`except Exception as error:`, and `future.set_exception(error)`.",
            at="lets the error out" if passed else "",
        )

    @sweep(
        lambda some: {
            "coros": some.lists(
                some.tuples(
                    some.lists(
                        some.sampled_from(("None", "result", "error", "cancelled", "task")),
                        max_size=3,
                    ),
                    some.sampled_from(("tea", 0, "", None, OSError, TimeoutError, ["tea"], KEPT)),
                ),
                min_size=1,
                max_size=2,
            ),
        },
        besides=[{"coros": [(["None"] * 1100, "tea")]}],
        most=30,
    )
    def any_coroutines(self, start, lab, coros):
        met = [[] for _ in coros]

        async def awaits(number, waits, end):
            for wait in waits:
                try:
                    met[number].append(await handed_out(wait, number + 1))
                except (Exception, asyncio.CancelledError) as error:
                    is_own = isinstance(error, HandedOut)
                    met[number].append("LookupError" if is_own else type(error).__name__)
            if isinstance(end, type):
                raise end("no tea")
            return end

        async def main():
            loop = asyncio.get_running_loop()
            awaiting = [awaits(number, *coro) for number, coro in enumerate(coros)]
            made = [start(coro, loop) for coro in awaiting]
            await asyncio.wait(made, timeout=100)
            for coro in awaiting:
                coro.close()
            if not all(future.done() for future in made):
                return self._stuck(lab, " and ".join(does))
            return [_came_to(future) for future in made], loop.time()

        does = [_told(*coro) for coro in coros]
        lab.told(f"with {' and '.join(does)}")
        run = lab.run(main())
        if isinstance(run.result, Wrong):
            raise run.result
        ends, at = run.result
        for end in ends:
            self._passed_by(lab, end)
        return {
            "the coroutine got, from what it awaited,": met[0] if len(coros) == 1 else met,
            "the future came to": ends[0] if len(coros) == 1 else ends,
            "it took these seconds:": at,
        }

    def _passed_by(self, lab, end):
        """Raise Wrong if a future came to an error that its coroutine awaited, and never met."""
        error = end[1] if isinstance(end, tuple) else None
        if isinstance(error, HandedOut):
            raise Wrong(
                "lost error",
                "The coroutine handed out a future, which failed. The coroutine was not told: the "
                "error went to the future that `start` returned.",
                lab.call_of("set_exception", given="exception") or lab.text.of_traceback(error),
                "Send None, and look into no future: the coroutine's own `await` asks it for its "
                "result, and raises its error where the coroutine can catch it.",
                headline="took the error away from the coroutine",
                at="asks the future itself",
            )

    @right
    def called_back(coro, loop):
        """Run `coro` on `loop`, step by step; return a future of its result."""
        future = loop.create_future()

        def step(woken_by=None):
            try:
                waits_for = coro.send(None)
            except StopIteration as end:
                future.set_result(end.value)
            except Exception as error:
                future.set_exception(error)
            else:
                if waits_for is None:
                    loop.call_soon(step)
                else:
                    waits_for.add_done_callback(step)

        loop.call_soon(step)
        return future

    looks_into_the_future = called_back.but(
        "waits_for = coro.send(None)",
        "if woken_by is not None:\n    woken_by.result()\nwaits_for = coro.send(None)",
        kind="lost error",
        says="asks the future itself",
    )

    forgets_the_value = called_back.but("StopIteration as end", "StopIteration").but(
        "end.value", "None", kind="return value", says="`end.value`"
    )

    begins_at_once = called_back.but(
        "loop.call_soon(step)\nreturn",
        "step()\nreturn",
        kind="called, not handed over",
        says="first step already",
    )

    @wrong("called, not handed over", says="its neighbour got no turn")
    def in_a_loop(coro, loop):
        future = loop.create_future()

        def step():
            try:
                while True:
                    coro.send(None)
            except StopIteration as end:
                future.set_result(end.value)
            except Exception as error:
                future.set_exception(error)

        loop.call_soon(step)
        return future

    @wrong("called, not handed over", says="add_done_callback")
    def polls(coro, loop):
        future = loop.create_future()

        def step():
            try:
                coro.send(None)
            except StopIteration as end:
                future.set_result(end.value)
            except Exception as error:
                future.set_exception(error)
            else:
                loop.call_soon(step)

        loop.call_soon(step)
        return future

    @wrong("lost error", says="LookupError")
    def ignores_the_error(coro, loop):
        future = loop.create_future()

        def step(woken_by=None):
            try:
                waits_for = coro.send(None)
            except StopIteration as end:
                future.set_result(end.value)
            else:
                if waits_for is None:
                    loop.call_soon(step)
                else:
                    waits_for.add_done_callback(step)

        loop.call_soon(step)
        return future

    @wrong("StopIteration", says="the first `except` that fits")
    def takes_all_for_errors(coro, loop):
        future = loop.create_future()

        def step(woken_by=None):
            try:
                waits_for = coro.send(None)
            except Exception as error:
                future.set_exception(error)
            except StopIteration as end:
                future.set_result(end.value)
            else:
                if waits_for is None:
                    loop.call_soon(step)
                else:
                    waits_for.add_done_callback(step)

        loop.call_soon(step)
        return future

    @wrong("where it switches", says="Look first")
    def knows_futures_only(coro, loop):
        future = loop.create_future()

        def step(woken_by=None):
            try:
                coro.send(None).add_done_callback(step)
            except StopIteration as end:
                future.set_result(end.value)
            except Exception as error:
                future.set_exception(error)

        loop.call_soon(step)
        return future

    without_argument = called_back.but(
        "step(woken_by=None)",
        "step()",
        kind="arguments",
        says="itself as argument",
    )

    @wrong("async for plain", says="async def")
    async def awaits_it(coro, loop):
        return await coro

    @wrong("other loop", says="to be yours")
    def asyncios(coro, loop):
        return loop.create_task(coro)


async def handed_out(wait, seconds):
    """Await what this word stands for, for so many seconds where it takes any."""
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    if wait == "None":
        return await asyncio.sleep(0)
    if wait == "task":
        return await asyncio.create_task(asyncio.sleep(seconds, 0))
    ends = {
        "result": (future.set_result, 0),
        "error": (future.set_exception, HandedOut("nothing")),
        "cancelled": (future.cancel,),
    }
    loop.call_later(seconds, *ends[wait])
    return await future


class HandedOut(LookupError):
    """The error of a future that the coroutine awaits, and catches."""


def _came_to(future):
    """What a future came to, so that an error as a result is told from one that was raised."""
    error = future.exception()
    return future.result() if error is None else ("raised", error)


def _told(waits, end):
    """What such a coroutine does, in words."""
    words = {
        "None": "awaits `sleep(0)`",
        "task": "awaits a task",
        "result": "awaits a future that gets a result",
        "error": "awaits a future that fails",
        "cancelled": "awaits a future that is cancelled",
    }
    catches = {"error": ["catches its error"], "cancelled": ["catches the CancelledError"]}
    does = [word for wait in waits[:3] for word in (words[wait], *catches.get(wait, ()))]
    if len(waits) > 3:
        does = [f"{words[waits[0]]} {len(waits):,} times"]
    last = f"raises {end.__name__}" if isinstance(end, type) else f"returns {end!r}"
    return f"a coroutine that {listed([*does, last])}"


def _taking_a_step(lab):
    """The function that calls `send`, or None."""
    sends = lab.text.calls_of("send")
    return lab.text.function_at(sends[0].lineno) if sends else None


def _first_call(lab):
    """The call of what takes a step, from elsewhere; or None."""
    step = _taking_a_step(lab)
    calls = lab.text.calls_of(step.name) if step else ()
    return lab.earliest(*(call.lineno for call in calls if not spans(step, call.lineno)))


def _next_step(lab):
    """The call for the next step in the function that takes one, or None."""
    inside = _taking_a_step(lab)
    calls = lab.text.calls_of("call_soon", "step", inside=inside) if inside else []
    return calls[-1].lineno if calls else None
