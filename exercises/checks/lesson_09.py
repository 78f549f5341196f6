"""Exercises of lesson 09: what asyncio asks of a loop, and what a loop does for it."""

import asyncio
import gc
import heapq
import itertools
import time
import types
import weakref
from collections import deque

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value


class PredictTurns(Exercise):
    """One turn after another

    Read this program, and do not run it. A turn takes next to no time.

        async def main():
            loop = asyncio.get_running_loop()

            def note(word):
                order.append(word)

            loop.call_later(0.1, note, "late timer")
            loop.call_later(0, note, "timer")
            loop.call_soon(loop.call_soon, note, "a")
            loop.call_soon(note, "b")
            note("main")
            await asyncio.sleep(1)

    Set `order` to the list of the five words as they come.
    """

    id = "loop-turn-1"
    asks = "order"
    minutes = 4
    hints = (
        "Who runs is not interrupted. All that `call_soon` and `call_later` do is put something "
        "somewhere. Write down the queue and the heap when `main` pauses.",
        "The queue then holds the call that asks for `a`, and the note of `b`. The next turn puts "
        "the timers that are due behind them.",
        "A turn calls those who stand in the queue when it begins. `a` joins during that turn, so "
        "it is called in the one after it.",
    )
    right_values = (
        ["main", "b", "timer", "a", "late timer"],
        ("main", "b", "timer", "a", "late timer"),
    )
    wrong_values = (
        wrong_value(
            ["main", "timer", "b", "a", "late timer"],
            "let a timer go ahead",
            "You let `timer` come before `b`, as it was asked for first and is due at "
            "once. Timers that are due go behind those who stand in the queue.",
        ),
        wrong_value(
            ["main", "timer", "a", "b", "late timer"],
            "let a timer go ahead",
            "You let `timer` come first of all calls. Timers that are due go behind those "
            "who stand in the queue.",
        ),
        wrong_value(
            ["main", "a", "b", "timer", "late timer"],
            "called at once",
            "You let `a` come before `b`. The first call only asks for a call of `a`; that "
            "one goes to the end of the queue.",
        ),
        wrong_value(
            ["main", "b", "a", "timer", "late timer"],
            "one turn too early",
            "You let `a` join the turn that runs already. A turn calls only those who "
            "stood in the queue, timers included, when it began.",
        ),
        wrong_value(
            ["timer", "b", "a", "main", "late timer"],
            "interrupted who runs",
            "You let something come before `main`. Nobody else runs before `main` pauses.",
        ),
        wrong_value(
            ["b", "timer", "a", "main", "late timer"],
            "interrupted who runs",
            "You let something come before `main`. Nobody else runs before `main` pauses.",
        ),
        wrong_value(
            ["late timer", "timer", "a", "b", "main"],
            "read it from top to bottom",
            "You took the order of the lines. `call_soon` and `call_later` call nothing: "
            "they put it into the queue and the heap.",
        ),
        wrong_value(
            ["late timer", "timer", "b", "main", "a"],
            "read it from top to bottom",
            "You took the order of the lines. `call_soon` and `call_later` call nothing: "
            "they put it into the queue and the heap.",
        ),
    )


class PredictSwitches(Exercise):
    """Who lets others run?

    Each key of `switches` is an await in a task. Beside it another task is ready. Set each value
    to True if that other task gets a turn before the await is over, and to False if not.

        switches = {
            "await free_lock.acquire()": ...,
            "await held_lock.acquire()": ...,
            "await queue.put(1)": ...,
            "await full_queue.put(1)": ...,
            "await event.wait()": ...,
            "await work()": ...,
            "await asyncio.create_task(work())": ...,
            "await asyncio.gather(work(), work())": ...,
            "await asyncio.sleep(0)": ...,
        }

    - `free_lock` is held by nobody, `held_lock` by a third task, which will release it.
    - `queue` has no limit. `full_queue` has one item and room for one; a third task will take it.
    - `event` is set already.
    - `work` is an `async def` that only returns a number.
    """

    id = "switch-1"
    asks = "switches"
    minutes = 4
    hints = (
        "Do not look at the word `await`. Ask: is there something to wait for?",
        "To await a coroutine is to call it. A task needs a turn of its own first, and `gather` "
        "makes tasks.",
        "Five of the nine let others run.",
    )
    right_values = (
        {
            "await free_lock.acquire()": False,
            "await held_lock.acquire()": True,
            "await queue.put(1)": False,
            "await full_queue.put(1)": True,
            "await event.wait()": False,
            "await work()": False,
            "await asyncio.create_task(work())": True,
            "await asyncio.gather(work(), work())": True,
            "await asyncio.sleep(0)": True,
        },
    )
    wrong_values = (
        wrong_value(
            dict.fromkeys(right_values[0], True),
            "took every await for a switch",
            "You let all nine switch. Four of them have nothing to wait for, and run straight on.",
        ),
        wrong_value(
            right_values[0] | {"await asyncio.sleep(0)": False},
            "took no time for no switch",
            "You let `sleep(0)` run straight on. It waits for no time, but its bare "
            "`yield` reaches the loop: that is what it is for.",
        ),
        wrong_value(
            right_values[0]
            | {
                "await asyncio.create_task(work())": False,
                "await asyncio.gather(work(), work())": False,
            },
            "took a task for a call",
            "You let tasks run at once. A new task stands at the end of the queue, and "
            "others come before it.",
        ),
        wrong_value(
            right_values[0] | {"await work()": True},
            "took a call for a task",
            "You let `await work()` switch. To await a coroutine is to call it.",
        ),
        wrong_value(
            right_values[0] | {"await queue.put(1)": True}, "value", "'await queue.put(1)'"
        ),
    )


class Start(Exercise):
    """A task of your own

    Write `start(coro, loop)`, an ordinary function. It returns a future, made by
    `loop.create_future()`, and runs the coroutine `coro` step by step without asyncio's `Task`:

    - The first step is not taken at once, but by `loop.call_soon`.
    - A step sends None. If `coro` hands out None, the next step is called soon. If it hands out a
      future, the next step is called when that future is done.
    - What `coro` returns is the result of your future; an error that leaves `coro` is its
      exception.
    """

    id = "task-step-1"
    asks = "start"
    minutes = 10
    hints = (
        "You want a function `step` inside of `start`, which somebody else calls back each time. "
        "Who calls it for the first time, and who after a pause?",
        "`coro.send(None)` has three ends: it hands something out, it raises `StopIteration` with "
        "a value, or it raises an error. After the first, somebody must call `step` again.",
        "`loop.call_soon(step)` for None, `waits_for.add_done_callback(step)` for a future; and "
        "`future.set_result(end.value)`, `future.set_exception(error)` for the ends. A callback of "
        "a future gets that future as its argument: `def step(woken_by=None)`.",
    )

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
                "no future",
                "It is `async def`: it returned a coroutine, and started nothing.",
                lab.line(r"async def"),
                "`def start`: an ordinary function, which asks the loop for the first "
                "step and returns the future.",
            )
        if not isinstance(future, asyncio.Future):
            return Wrong(
                "no future",
                f"It returned {future!r:.60}.",
                lab.line(r"\breturn\b"),
                "Return the future of `loop.create_future()`, at once; it gets its result later.",
            )
        if isinstance(future, asyncio.Task):
            return Wrong(
                "used asyncio's task",
                "It returned a task of asyncio's.",
                lab.line(r"create_task|ensure_future|Task\("),
                "This one is to be yours: `coro.send(None)`, in a function that is called back.",
            )
        if said:
            return Wrong(
                "ran at once",
                "When `start` returned, the coroutine had taken its first step already.",
                lab.line(r"^\s*step\(|call_soon\(\w+\(\)"),
                "A new task goes to the end of the queue: `loop.call_soon(step)`. Hand "
                "the function over, do not call it.",
            )
        got = await self._within(future, 1)
        if got is None:
            return self._stuck(lab, "a coroutine that only returns 'tea'")
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

        beside = asyncio.create_task(neighbour())
        got = await self._within(start(polite(), loop), 1)
        if got is None:
            return self._stuck(lab, "a coroutine that awaits `sleep(0)` three times")
        await beside
        if said[:3] == ["neighbour", "own", "own"]:
            return Wrong(
                "resumed it at once",
                "The coroutine handed out None three times, and its neighbour got no turn "
                "in between.",
                lab.line(r"\bwhile\b|^\s+step\(|call_soon\(\w+\(\)"),
                "None means: go on with the others first. `loop.call_soon(step)`, without "
                "calling `step` there, and return.",
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
        if loop.time() - begin < 1.9:
            return Wrong("resumed it at once", "It slept for two seconds in no time.")

        async def fails():
            await asyncio.sleep(0)
            raise LookupError("no tea")

        got = await self._within(start(fails(), loop), 1)
        if got is None:
            return self._lost(lab)
        if not isinstance(got[1], LookupError):
            return self._lost(lab, got)
        return None

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
                "resumed it at once",
                "The coroutine handed out a future, and was sent on before that was done. "
                f"It answered: {error}.",
                lab.line(r"add_done_callback\(\w+\(\)")
                or lab.line(r"call_soon|\bwhile\b|^\s+step\("),
                "Leave the rest to the future: `waits_for.add_done_callback(step)`.",
            )
        if "interacts badly" in str(error):
            return self._caught_too_early(lab)
        if isinstance(error, AttributeError) and "'NoneType'" in str(error):
            return Wrong(
                "took None for a future",
                "The coroutine handed out None, as `sleep(0)` "
                f"does, and your step failed: {error}.",
                lab.line(r"add_done_callback"),
                "Look first: `if waits_for is None: loop.call_soon(step)`.",
            )
        if error is not None:
            return Wrong("raised", f"The future failed with {type(error).__name__}: {error}.")
        if isinstance(result, StopIteration):
            result = None
        if result != expected:
            return Wrong(
                "lost the return value",
                f"The coroutine returned {expected!r}; the result of the future is {result!r}.",
                lab.line(r"set_result"),
                "What it returned is inside the `StopIteration`: `except StopIteration as "
                "end`, and `end.value`.",
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
                "no one catches its end",
                f"I gave it {what}. `send` raised a StopIteration, which fell to the "
                "loop, and the future was never done.",
                lab.line(r"\.send\("),
                "`except StopIteration as end:` around the `send`.",
            )
        if lost and "positional argument" in str(lost[0]):
            return Wrong(
                "a callback without its argument",
                f"I gave it {what}. Calling it back failed: {lost[0]}.",
                lab.line(r"def \w+\(\)"),
                "A future calls back with itself as argument; `call_soon` with none: "
                "`def step(woken_by=None)`.",
            )
        said = f" What the loop was told: {lost[0]!r}." if lost else ""
        return Wrong(
            "never came to its end",
            f"I gave it {what}, and its future was never done.{said}",
            lab.line(r"\.send\("),
            "After each step somebody must call `step` again, and at the end somebody "
            "must set the future.",
        )

    def _caught_too_early(self, lab):
        return Wrong(
            "took its end for an error",
            "The coroutine came to its end, and the future was given its StopIteration "
            "as an error.",
            lab.line(r"except (Base)?Exception|except:"),
            "StopIteration is an Exception too, and the first `except` that fits takes "
            "it. Put `except StopIteration as end` before the other one.",
        )

    def _lost(self, lab, got=None):
        lab.lost.clear()
        so = "its future was never done" if got is None else f"its future has {got!r}"
        return Wrong(
            "lost error",
            f"I gave it a coroutine that raises a LookupError, and {so}.",
            lab.line(r"\bexcept\b|\.send\("),
            "`except Exception as error:`, and `future.set_exception(error)`.",
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

    @wrong("lost the return value", says="`end.value`")
    def forgets_the_value(coro, loop):
        future = loop.create_future()

        def step(woken_by=None):
            try:
                waits_for = coro.send(None)
            except StopIteration:
                future.set_result(None)
            except Exception as error:
                future.set_exception(error)
            else:
                if waits_for is None:
                    loop.call_soon(step)
                else:
                    waits_for.add_done_callback(step)

        loop.call_soon(step)
        return future

    @wrong("ran at once", says="first step already")
    def begins_at_once(coro, loop):
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

        step()
        return future

    @wrong("resumed it at once", says="its neighbour got no turn")
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

    @wrong("resumed it at once", says="add_done_callback")
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

    @wrong("took its end for an error", says="the first `except` that fits")
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

    @wrong("took None for a future", says="Look first")
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

    @wrong("a callback without its argument", says="itself as argument")
    def without_argument(coro, loop):
        future = loop.create_future()

        def step():
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

    @wrong("no future", says="async def")
    async def awaits_it(coro, loop):
        return await coro

    @wrong("used asyncio's task", says="to be yours")
    def asyncios(coro, loop):
        return loop.create_task(coro)


class TinyLoop:
    """A loop with a clock that is set by hand, so that a check takes no time."""

    def __init__(self):
        self.now = 100.0
        self.ready, self.timers, self.tickets = deque(), [], itertools.count()

    def time(self):
        return self.now

    def advance(self, seconds):
        self.now += seconds
        while self.timers and self.timers[0][0] <= self.now:
            heapq.heappop(self.timers)[2]()


class CallLater(Exercise):
    """call_later

    A tiny loop has `loop.time()`, a heap `loop.timers` of entries `[deadline, ticket, function]`,
    and `loop.tickets` with `next(loop.tickets)`. At each turn it takes those entries off the heap
    whose deadline has come, and calls their functions without arguments.

    Write `call_later(loop, delay, function, *args)`: it sees to it that the loop calls
    `function(*args)` after `delay` seconds, and returns a function `cancel()` that takes this
    back. It waits for nothing itself.
    """

    id = "call-later-1"
    asks = "call_later"
    minutes = 8
    hints = (
        "A deadline is an instant on the loop's clock, a delay is a length of time.",
        "The heap wants entries that can be compared, even if two deadlines are equal: that is "
        "what the ticket is for. And its functions are called without arguments: "
        "`functools.partial` or a `lambda` holds them.",
        "`heapq.heappush(loop.timers, entry)`. To cancel, leave the entry where it is and put "
        "another function into it: `entry[2] = lambda: None`.",
    )

    def verify(self, call_later, lab):
        slept, sleep = [], time.sleep
        time.sleep = slept.append
        try:
            self._judge(call_later, lab, slept)
        finally:
            time.sleep = sleep

    def _judge(self, call_later, lab, slept):
        loop, said = TinyLoop(), []
        cancels = []
        for delay, word in ((3, "three"), (1, "one"), (2, "two"), (1, "one more")):
            try:
                cancels.append(call_later(loop, delay, said.append, word))
            except TypeError as error:
                if "not supported between" in str(error):
                    raise Wrong(
                        "the heap compares functions",
                        f"Two calls after 1 s, and the heap answered: {error}.",
                        lab.line(r"heappush"),
                        "Two equal deadlines: put `next(loop.tickets)` between the "
                        "deadline and the function.",
                    ) from None
                raise
        lab.told("with delays of 3, 1, 2 and 1 s")
        if asyncio.iscoroutine(cancels[0]):
            for coro in cancels:
                coro.close()
            raise Wrong(
                "async def",
                "It is `async def`: it returned a coroutine, and noted nothing.",
                lab.line(r"async def"),
                "`def call_later`: an ordinary function, which puts an entry into the "
                "heap and returns `cancel`.",
            )
        if slept:
            raise Wrong(
                "blocked",
                f"It called `time.sleep({slept[0]})`.",
                lab.line(r"sleep\("),
                "Who asks for a call later goes on at once. Only note in the heap when it is due.",
            )
        if said:
            raise Wrong(
                "called at once",
                f"`function` was called inside of `call_later`: {said}.",
                lab.line(r"function\("),
                "Put a function into the heap that will do it: `lambda: function(*args)`.",
            )
        if not loop.timers:
            raise Wrong(
                "nothing in the heap",
                "`loop.timers` is still empty.",
                try_="`heapq.heappush(loop.timers, entry)`.",
            )
        entry = loop.timers[0]
        if not (isinstance(entry, list) and len(entry) == 3):
            raise Wrong(
                "not an entry",
                f"The heap holds {entry!r:.80}.",
                lab.line(r"heappush|append"),
                "An entry is a list: `[deadline, ticket, function]`. (A tuple can't be "
                "changed, so it could not be cancelled.)",
            )
        if min(entry[0] for entry in loop.timers) < 100:
            raise Wrong(
                "a delay for a deadline",
                f"It was 100 on the loop's clock, and the first entry is due at {entry[0]}.",
                lab.line(r"\bdelay\b(?!,)"),
                "The heap holds instants: `loop.time() + delay`.",
            )
        if entry[0] != 101:
            if any(e[0] == 101 for e in loop.timers):
                raise Wrong(
                    "not a heap",
                    f"The entry at the left is due at {entry[0]}; another at 101.",
                    lab.line(r"append"),
                    "The loop looks at the leftmost only. `heapq.heappush` keeps the "
                    "earliest there.",
                )
            raise Wrong(
                "value",
                f"It was 100, and the first entry is due at {entry[0]}; asked is 101.",
                lab.line(r"\bdelay\b"),
            )
        if not callable(cancels[0]):
            raise Wrong(
                "cannot be cancelled",
                f"It returned {cancels[0]!r}.",
                lab.line(r"return \w+\(\)"),
                "Return a function that takes the call back, and do not call it.",
            )
        self._runs(lab, loop, said)
        self._cancels(lab, call_later)

    def _runs(self, lab, loop, said):
        try:
            loop.advance(1.5)
        except TypeError as error:
            raise Wrong(
                "lost the arguments",
                f"The loop called the entry's function: {error}.",
                lab.line(r"heappush|function"),
                "The loop calls without arguments. `lambda: function(*args)` brings them.",
            ) from None
        if said == ["one more", "one"]:
            raise Wrong("order", "Two calls with the same deadline came in the wrong order.")
        lab.equal(said, ["one", "one more"], what="after 1.5 s these had been called:")
        loop.advance(1.5)
        lab.equal(
            said, ["one", "one more", "two", "three"], what="after 3 s these had been called:"
        )

    def _cancels(self, lab, call_later):
        loop, said = TinyLoop(), []
        cancel = [
            call_later(loop, delay, said.append, word)
            for delay, word in ((1, "one"), (2, "two"), (3, "three"))
        ]
        cancel[1]()
        if sorted(loop.timers) != loop.timers or (loop.timers and loop.timers[0][0] != 101):
            raise Wrong("broke the heap", "After a cancel the heap's first is not the earliest.")
        try:
            loop.advance(5)
        except TypeError as error:
            raise Wrong(
                "left nothing to call",
                f"After a cancel the loop called the entry's function: {error}.",
                lab.line(r"= None"),
                "The entry stays in the heap: put in a function that does nothing, `lambda: None`.",
            ) from None
        if said == ["one", "two", "three"]:
            raise Wrong(
                "cannot be cancelled",
                "I cancelled the second of three, and it was called.",
                lab.line(r"def cancel|return"),
                "`entry[2] = lambda: None`, in the entry that is in the heap. (A plain "
                "name that is set in an inner function is a new name there, unless you "
                "say `nonlocal`.)",
            )
        lab.equal(said, ["one", "three"], what="with the second cancelled these were called:")
        try:
            cancel[0]()
        except Exception as error:
            raise Wrong(
                "refused to cancel too late",
                "I cancelled a call that had been made already, and got "
                f"{type(error).__name__}: {error}.",
                lab.line(r"remove|index|del "),
                "Too late is harmless. And what is taken out of a heap's middle leaves no "
                "heap: let the entry stay, with a function that does nothing.",
            ) from None

    @right
    def with_a_lambda(loop, delay, function, *args):
        """Call function(*args) in `delay` seconds; return a function that cancels it."""
        entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
        heapq.heappush(loop.timers, entry)

        def cancel():
            entry[2] = lambda: None

        return cancel

    @wrong("a delay for a deadline", says="100 on the loop's clock")
    def takes_the_delay(loop, delay, function, *args):
        entry = [delay, next(loop.tickets), lambda: function(*args)]
        heapq.heappush(loop.timers, entry)

        def cancel():
            entry[2] = lambda: None

        return cancel

    @wrong("blocked", says="time.sleep(3)")
    def sleeps_itself(loop, delay, function, *args):
        time.sleep(delay)
        function(*args)
        return lambda: None

    @wrong("refused to cancel too late", says="ValueError")
    def takes_it_out(loop, delay, function, *args):
        entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
        heapq.heappush(loop.timers, entry)

        def cancel():
            loop.timers.remove(entry)

        return cancel

    @wrong("called at once", says="inside of `call_later`")
    def calls_it(loop, delay, function, *args):
        entry = [loop.time() + delay, next(loop.tickets), function(*args)]
        heapq.heappush(loop.timers, entry)

        def cancel():
            entry[2] = lambda: None

        return cancel

    @wrong("the heap compares functions", says="next(loop.tickets)")
    def without_ticket(loop, delay, function, *args):
        entry = [loop.time() + delay, lambda: function(*args)]
        heapq.heappush(loop.timers, entry)

        def cancel():
            entry[1] = lambda: None

        return cancel

    @wrong("not a heap", says="leftmost")
    def appends(loop, delay, function, *args):
        entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
        loop.timers.append(entry)

        def cancel():
            entry[2] = lambda: None

        return cancel

    @wrong("lost the arguments", says="without arguments")
    def forgets_the_arguments(loop, delay, function, *args):
        entry = [loop.time() + delay, next(loop.tickets), function]
        heapq.heappush(loop.timers, entry)

        def cancel():
            entry[2] = lambda: None

        return cancel

    @wrong("cannot be cancelled", says="returned None")
    def returns_nothing(loop, delay, function, *args):
        entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
        heapq.heappush(loop.timers, entry)

    @wrong("cannot be cancelled", says="do not call it")
    def cancels_at_once(loop, delay, function, *args):
        entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
        heapq.heappush(loop.timers, entry)

        def cancel():
            entry[2] = lambda: None

        return cancel()

    @wrong("async def", says="an ordinary function")
    async def waits_itself(loop, delay, function, *args):
        await asyncio.sleep(delay)
        function(*args)

    @wrong("cannot be cancelled", says="second of three")
    def cancels_a_copy(loop, delay, function, *args):
        entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
        heapq.heappush(loop.timers, list(entry))

        def cancel():
            entry[2] = lambda: None

        return cancel

    @wrong("left nothing to call", says="does nothing")
    def puts_none(loop, delay, function, *args):
        entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
        heapq.heappush(loop.timers, entry)

        def cancel():
            entry[2] = None

        return cancel


@types.coroutine
def private(died):
    """Wait for a future that nobody else holds; say so if the waiting is thrown away."""
    future = asyncio.get_running_loop().create_future()
    weakref.finalize(future, died.append, "future")
    yield from future


class Background(Exercise):
    """In the background

    Write `background(coro, kept)`, an ordinary function that is called while a loop runs. It
    starts the coroutine `coro` as a task, keeps that task in the set `kept` until it is done, and
    takes it out then. It returns the task at once, without awaiting it.
    """

    id = "keep-1"
    asks = "background"
    minutes = 6
    hints = (
        "Who holds a task while it waits for a future that only the task itself knows?",
        "`kept.add(task)` holds it. It must leave the set when it is done, and not before: a task "
        "can tell you when that is.",
        "`task.add_done_callback(kept.discard)`: hand the method over, do not call it.",
    )

    def verify(self, background, lab):
        found = lab.run(self._keeps(background, lab), leaks=True).result
        if found is not None:
            raise found

    async def _keeps(self, background, lab):
        kept, died = set(), []

        async def waits():
            await private(died)

        coro = waits()
        try:
            made = background(coro, kept)
        except RuntimeError as error:
            coro.close()
            if "running event loop" not in str(error):
                raise
            return Wrong(
                "a second loop",
                f"Python said: {error}.",
                lab.line(r"asyncio\.run|run_until_complete"),
                "A loop runs already: `asyncio.create_task(coro)` gives it a task.",
            )
        if made is coro and kept:
            for task in kept.copy():
                task.cancel()
            await asyncio.sleep(0)
            return Wrong(
                "not a task",
                "It returned the coroutine, and not the task that runs it.",
                lab.line(r"\breturn\b"),
                "Return what `asyncio.create_task(coro)` gives.",
            )
        if asyncio.iscoroutine(made):
            made.close()
            coro.close()
            return Wrong(
                "not a task",
                "It is `async def`: it returned a coroutine, and started nothing.",
                lab.line(r"async def"),
                "`def background`: a task is made by `asyncio.create_task`, and that "
                "needs no await.",
            )
        if not isinstance(made, asyncio.Task):
            return Wrong(
                "not a task",
                f"It returned {made!r:.60}.",
                lab.line(r"\breturn\b"),
                "Return what `asyncio.create_task(coro)` gives.",
            )
        if kept and made not in kept:
            for thing in kept:
                if asyncio.iscoroutine(thing):
                    made.cancel()
                    return Wrong(
                        "kept the coroutine",
                        "`kept` holds the coroutine, not its task.",
                        lab.line(r"\.add\("),
                        "The task holds its coroutine, and not the other way round.",
                    )
        del made, coro
        await asyncio.sleep(0)
        gc.collect()
        await asyncio.sleep(0)
        if died:
            return Wrong(
                "lost the task",
                "The task waited for a future that only it knew. `kept` held "
                f"{len(kept)} tasks; after `gc.collect()` the task was gone.",
                lab.line(r"create_task|discard"),
                "Put the task into `kept`, and leave it there until it is done.",
            )
        if not kept:
            return Wrong(
                "not kept",
                "The task is under way, and `kept` is empty.",
                lab.line(r"create_task"),
                "`kept.add(task)`.",
            )
        for task in kept.copy():
            task.cancel()
        await asyncio.sleep(0.01)
        return await self._lets_go(background, lab)

    async def _lets_go(self, background, lab):
        kept = set()

        async def short():
            await asyncio.sleep(1)
            return "done"

        async def fails():
            await asyncio.sleep(2)
            raise LookupError("on purpose")

        tasks = [background(short(), kept), background(fails(), kept)]
        await asyncio.sleep(0.5)
        if len(kept) != 2:
            return Wrong("not kept", f"Two tasks are under way, and `kept` holds {len(kept)}.")
        await asyncio.wait([tasks[0]])
        await asyncio.sleep(0.5)
        if not kept and not lab.lost:
            tasks[1].cancel()
            return Wrong(
                "let go of all",
                "One task of two has ended, and `kept` is empty.",
                lab.line(r"clear|add_done_callback"),
                "Take out that one only: `task.add_done_callback(kept.discard)`.",
            )
        await asyncio.wait(tasks)
        await asyncio.sleep(0.01)
        tasks[1].exception()
        lost = [context["exception"] for context in lab.lost if context.get("exception")]
        lab.lost.clear()
        if lost:
            return Wrong(
                "a callback without its argument",
                f"The loop was told: {lost[0]!r}.",
                lab.line(r"add_done_callback"),
                "A callback gets the task as its argument: hand over `kept.discard`.",
            )
        if kept:
            return Wrong(
                "never lets go",
                f"Both tasks have ended, and `kept` still holds {len(kept)}.",
                lab.line(r"add_done_callback|\.add\("),
                "In a program that runs for weeks they would pile up: "
                "`task.add_done_callback(kept.discard)`.",
            )
        return None

    @right
    def discards_when_done(coro, kept):
        """Start `coro` as a task, kept in the set `kept` until it is done; return it."""
        task = asyncio.create_task(coro)
        kept.add(task)
        task.add_done_callback(kept.discard)
        return task

    @wrong("lost the task", says="only it knew")
    def no_reference(coro, kept):
        return asyncio.create_task(coro)

    @wrong("lost the task", says="leave it there")
    def discards_at_once(coro, kept):
        task = asyncio.create_task(coro)
        kept.add(task)
        task.add_done_callback(kept.discard(task))
        return task

    @wrong("a callback without its argument", says="takes 0 positional arguments")
    def with_a_lambda(coro, kept):
        task = asyncio.create_task(coro)
        kept.add(task)
        task.add_done_callback(lambda: kept.discard(task))
        return task

    @wrong("never lets go", says="pile up")
    def never_discards(coro, kept):
        task = asyncio.create_task(coro)
        kept.add(task)
        return task

    @wrong("let go of all", says="that one only")
    def clears_the_set(coro, kept):
        task = asyncio.create_task(coro)
        kept.add(task)
        task.add_done_callback(lambda task: kept.clear())
        return task

    @wrong("a second loop", says="A loop runs already")
    def with_run(coro, kept):
        asyncio.run(coro)

    @wrong("not a task", says="not the task that runs it")
    def returns_the_coroutine(coro, kept):
        kept.add(asyncio.create_task(coro))
        return coro

    @wrong("kept the coroutine", says="not its task")
    def keeps_the_coroutine(coro, kept):
        task = asyncio.create_task(coro)
        kept.add(coro)
        task.add_done_callback(lambda task: kept.discard(coro))
        return task

    @wrong("lost the task", says="leave it there")
    def a_set_of_its_own(coro, kept):
        kept = set()
        task = asyncio.create_task(coro)
        kept.add(task)
        task.add_done_callback(kept.discard)
        return task

    @wrong("not a task", says="async def")
    async def awaits_it(coro, kept):
        task = asyncio.create_task(coro)
        kept.add(task)
        await task
        kept.discard(task)
        return task
