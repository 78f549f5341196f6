"""Exercises of lesson 07: futures and tasks, who wakes whom, and how to take that back."""

import contextlib
import heapq
import inspect
import itertools
import time
import traceback
from collections import deque
from unittest import mock

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value
from helpers.eventloop import timers
from helpers.eventloop.tasks import CancelledError, Future, Loop, Task, sleep

MANY_TURNS = 2000


class PredictLog(Exercise):
    """Predict the log of a run

    Read this program, and do not run it. `Loop` and `sleep` are those of `tasks.py`.

        log = []

        async def child(name):
            log.append(name + "1")
            try:
                await sleep(1)
            finally:
                log.append(name + "2")

        async def main(loop):
            a = loop.spawn(child("a"))
            b = loop.spawn(child("b"))
            c = loop.spawn(child("c"))
            c.cancel()
            log.append("spawned")
            await sleep(0)
            b.cancel()
            log.append("asked")
            await a
            log.append("over")

        loop = Loop()
        loop.run(main(loop))

    Set `log` to the list of words in the order in which they are noted.
    """

    id = "tasks-1"
    asks = "log"
    minutes = 5
    hints = (
        "Keep a list of who stands in the ready queue, and do what the first of them does until "
        "it pauses.",
        "`spawn` and `cancel` run nothing. `sleep(0)` lets each one have a turn who is in the "
        "queue by then.",
        "`c` is cancelled before its first line, so it never comes to its `try`. `b` is told at "
        "its `sleep`, in its own turn.",
    )
    right_values = (["spawned", "a1", "b1", "asked", "b2", "a2", "over"],)
    wrong_values = (
        wrong_value(
            ["a1", "b1", "c1", "spawned", "c2", "asked", "b2", "a2", "over"],
            "spawn runs it now",
            "You let each task begin where it is spawned. `spawn` puts it into the queue; "
            "`main` goes on until it pauses itself.",
        ),
        wrong_value(
            ["a1", "b1", "spawned", "asked", "b2", "a2", "over"],
            "spawn runs it now",
            "You let `a` and `b` begin where they are spawned. `spawn` puts them into the "
            "queue; `main` goes on until it pauses itself.",
        ),
        wrong_value(
            ["spawned", "asked", "a1", "b1", "b2", "a2", "over"],
            "sleep(0) pauses",
            "You have `asked` before a1. `sleep(0)` pauses `main`: all who stand in the "
            "queue have a turn before it goes on.",
        ),
        wrong_value(
            ["spawned", "asked", "a1", "a2", "over"],
            "sleep(0) pauses",
            "You have `asked` before a1. `sleep(0)` pauses `main`: all who stand in the "
            "queue have a turn before it goes on.",
        ),
        wrong_value(
            ["spawned", "a1", "b1", "b2", "asked", "a2", "over"],
            "cancel stops it now",
            "You have b2 before `asked`. `cancel` only asks; `b` hears of it in its next "
            "turn, and `main` goes on before that.",
        ),
        wrong_value(
            ["spawned", "a1", "b1", "c1", "c2", "asked", "b2", "a2", "over"],
            "a task that never began",
            "You let `c` begin. It was cancelled before its first turn, so the error is "
            "thrown in before its first line.",
        ),
        wrong_value(
            ["spawned", "a1", "b1", "c2", "asked", "b2", "a2", "over"],
            "a finally that was not reached",
            "You have c2. `c` was cancelled before its first line, so it never came to its `try`.",
        ),
        wrong_value(
            ["spawned", "a1", "b1", "asked", "a2", "over"],
            "no cleaning up",
            "You left out b2. A cancelled task gets an error at the place where it waits, "
            "and its `finally` runs.",
        ),
        wrong_value(
            ["spawned", "a1", "b1", "asked", "b2", "over", "a2"],
            "did not wait",
            "You have `over` before a2. `await a` waits for the end of `a`.",
        ),
        wrong_value(
            ["spawned", "a1", "b1", "asked", "a2", "b2", "over"],
            "slept to its end",
            "You let `b` sleep to the end of its second. The cancellation takes that "
            "sleep back: `b` has its turn at once.",
        ),
    )


class WriteFuture(Exercise):
    """A future

    Write a class `Future`. Any number of tasks may await it, and `set_result(value)` gives all of
    them the value, in the order in which they came.

    - `__await__` yields a function `park(loop, wake)`, as in the lesson. The loop calls it.
      `wake` is a function without parameters: to call it is to put the waiter into the ready
      queue.
    - Who awaits a future that has its result already gets it without a pause.
    - The result may be any value, `None` too.
    - A second `set_result` is a RuntimeError.
    """

    id = "future-1"
    asks = "Future"
    minutes = 10
    hints = (
        "What has a future to remember: before it is set, and after?",
        "A list of `wake` functions takes many waiters. Who comes after the result must not get "
        "to the `yield`; an attribute of its own tells whether it is there.",
        "`__await__`: `if not self.done: yield self.park`, then `return self.value`. `park` "
        "appends `wake` to the list. `set_result` refuses if it is done, notes value and done, "
        "and calls each `wake`.",
    )

    def verify(self, Future, lab):
        for value in ("tea", None):
            self._case(Future, lab, value)

    def _case(self, Future, lab, value):
        lab.told(f"and set its result to {value!r}")
        future, woken = Future(), []
        waiters = {name: awaiting(future) for name in ("first", "second", "third")}
        with contextlib.ExitStack() as stack:
            for coro in waiters.values():
                stack.callback(coro.close)
            for name in waiters:
                self._park(lab, waiters[name], name, woken)
            other = stack.enter_context(contextlib.closing(awaiting(Future())))
            self._park(lab, other, "other", woken)
            future.set_result(value)
            if "other" in woken:
                raise Wrong(
                    "shared by all",
                    "There were two futures. I set one of them, and who "
                    "waited for the other was woken too.",
                    lab.line(r"^    \w+ = "),
                    "What stands in the class belongs to all futures alike. Make the list "
                    "in `__init__`: `self.waiters = []`.",
                )
            self._woken(lab, woken, list(waiters))
            for name in waiters:
                self._result(lab, waiters[name], f"the {name} waiter", value)
            late = stack.enter_context(contextlib.closing(awaiting(future)))
            self._result(lab, late, "a waiter who came after it", value)
        self._twice(lab, future, woken)

    def _park(self, lab, coro, name, woken):
        try:
            park = coro.send(None)
        except StopIteration as stop:
            raise Wrong(
                "did not wait",
                f"The result was not there yet, and the {name} waiter got {stop.value!r}.",
                lab.line(r"__await__"),
                "While there is no result, yield the function that parks the waiter.",
            ) from None
        except TypeError as error:
            if "non-iterator" not in str(error):
                raise
            raise Wrong(
                "no generator",
                f"Python said: {error}.",
                lab.line(r"async def __await__")
                or lab.line(r"return self\.park")
                or lab.line("def __await__"),
                "`__await__` is an ordinary `def` with a `yield` in it: `yield "
                "self.park`, and at its end `return` the value.",
            ) from None
        if park is None:
            raise Wrong(
                "asks again and again",
                "`__await__` yielded None, so the waiter queues at once, and looks again "
                "in each of its turns.",
                lab.line(r"\byield\b"),
                "Yield `self.park`: the waiter sleeps until somebody calls its `wake`.",
            )
        if not callable(park):
            raise Wrong(
                "handed out no function",
                f"`__await__` yielded {park!r}.",
                lab.line(r"\byield\b"),
                "Yield a function that the loop can call as `park(loop, wake)`.",
            )
        park(OtherLoop(lab), lambda: woken.append(name))
        if name in woken:
            raise Wrong(
                "woken at once",
                "`park` called `wake`, so the waiter was woken before there was a result.",
                lab.line(r"\bwake\(\)"),
                "`park` only keeps `wake`. `set_result` calls it.",
            )

    def _woken(self, lab, woken, names):
        observed = f"Three waited, and `set_result` woke: {', '.join(woken) or 'nobody'}."
        if len(set(woken)) == 1 and names[-1] in woken:
            raise Wrong(
                "overwrites the first waiter",
                observed,
                lab.line(r"self\.\w+ = .*\bwake\b"),
                "There is room for one waiter, and the next one is written over it. Keep a list.",
            )
        if not woken:
            raise Wrong(
                "wakes nobody",
                observed,
                lab.line("def set_result"),
                "Call the `wake` of each who waits.",
            )
        if len(woken) > len(set(woken)):
            raise Wrong(
                "woken twice",
                observed,
                lab.line(r"\bwake\(|append"),
                "Each `wake` puts the waiter into the queue once more.",
            )
        if len(woken) < 3:
            raise Wrong(
                "lost a waiter",
                observed,
                lab.line("def set_result"),
                "Call the `wake` of each who waits.",
            )
        lab.equal(woken, names, what="it woke")

    def _result(self, lab, coro, who, value):
        try:
            coro.send(None)
        except StopIteration as stop:
            if stop.value is None and value is not None:
                raise Wrong(
                    "lost the result",
                    f"The result is {value!r}, and {who} got None.",
                    lab.line("__await__"),
                    "What `__await__` returns is the value of the `await`.",
                ) from None
            lab.equal(stop.value, value, what=f"{who} got")
        else:
            late = "after" in who
            if value is None:
                raise Wrong(
                    "took None for not done",
                    f"The result was set to None, and {who} waits on.",
                    lab.line(r"is None|is not None|if not self\.\w+|while not self\.\w+"),
                    "None is a result as any other. Let an attribute of its own tell "
                    "whether there is one.",
                )
            raise Wrong(
                "lost the late waiter" if late else "waits again",
                f"The result was there, and {who} paused. Nobody will ever call that `wake`.",
                lab.line(r"\byield\b"),
                "If there is a result, return it; don't get to the `yield`.",
            )

    def _twice(self, lab, future, woken):
        before = len(woken)
        try:
            future.set_result("once more")
        except RuntimeError:
            return
        except Exception as error:
            raise Wrong(
                "another error",
                f"The second `set_result` raised {type(error).__name__}: {error}.",
                lab.line("def set_result"),
                "Raise a RuntimeError that says what is wrong.",
            ) from None
        more = len(woken) - before
        raise Wrong(
            "woken twice" if more else "set twice",
            "I set the result a second time. "
            + (
                f"{more} waiters were woken again, for nothing."
                if more
                else "No error came. Whoever did so by mistake would never hear of it."
            ),
            lab.line("def set_result"),
            "Refuse it: `raise RuntimeError(…)`.",
        )

    @right
    class with_a_list:
        """A result that is not there yet."""

        def __init__(self):
            self.waiters, self.done, self.value = [], False, None

        def __await__(self):
            if not self.done:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            if self.done:
                raise RuntimeError("this future has its result already")
            self.value, self.done = value, True
            for wake in self.waiters:
                wake()

    @right
    class with_the_list_as_flag:
        def __init__(self):
            self.waiters = []

        def __await__(self):
            if self.waiters is not None:
                yield lambda loop, wake: self.waiters.append(wake)
            return self.value

        def set_result(self, value):
            if self.waiters is None:
                raise RuntimeError("set once")
            self.value = value
            waiters, self.waiters = self.waiters, None
            for wake in waiters:
                wake()

    @wrong("overwrites the first waiter", says="woke: third")
    class with_one_slot:
        def __init__(self):
            self.waiter, self.done = None, False

        def __await__(self):
            if not self.done:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiter = wake

        def set_result(self, value):
            self.value, self.done = value, True
            if self.waiter:
                self.waiter()

    @wrong("lost the late waiter", says="a waiter who came after it paused")
    class always_pauses:
        def __init__(self):
            self.waiters = []

        def __await__(self):
            yield self.waiters_append
            return self.value

        def waiters_append(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            self.value = value
            for wake in self.waiters:
                wake()

    @wrong("asks again and again", says="looks again")
    class that_polls:
        def __init__(self):
            self.done = False

        def __await__(self):
            while not self.done:
                yield
            return self.value

        def set_result(self, value):
            self.value, self.done = value, True

    @wrong("took None for not done", says="set to None")
    class with_none_for_not_done:
        def __init__(self):
            self.waiters, self.value = [], None

        def __await__(self):
            if self.value is None:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            if self.value is not None:
                raise RuntimeError("set once")
            self.value = value
            for wake in self.waiters:
                wake()

    @wrong("woken twice", says="a second time")
    class set_as_often_as_you_like:
        def __init__(self):
            self.waiters, self.done = [], False

        def __await__(self):
            if not self.done:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            self.value, self.done = value, True
            for wake in self.waiters:
                wake()

    @wrong("set twice", says="No error came")
    class forgets_who_waited:
        def __init__(self):
            self.waiters, self.done = [], False

        def __await__(self):
            if not self.done:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            self.value, self.done = value, True
            while self.waiters:
                self.waiters.pop(0)()

    @wrong("lost the result", says="got None")
    class returns_nothing:
        def __init__(self):
            self.waiters, self.done = [], False

        def __await__(self):
            if not self.done:
                yield self.park

        def park(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            self.done = True
            for wake in self.waiters:
                wake()

    @wrong("shared by all", says="the other was woken too")
    class with_one_list_for_all:
        waiters = []
        done = False

        def __await__(self):
            if not self.done:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            if self.done:
                raise RuntimeError("set once")
            self.value, self.done = value, True
            for wake in self.waiters:
                wake()

    @wrong("woke through the loop", says="knows the loop")
    class as_in_the_lesson:
        def __init__(self):
            self.waiters = []

        def __await__(self):
            if self.waiters is not None:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiters.append((loop, wake))

        def set_result(self, value):
            self.value = value
            waiters, self.waiters = self.waiters, None
            for loop, who in waiters:
                loop.make_ready(who)

    @wrong("no generator", says="return self.park")
    class that_returns_park:
        def __init__(self):
            self.waiters = []

        def __await__(self):
            return self.park

        def park(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            for wake in self.waiters:
                wake()

    @wrong("woken at once", says="`set_result` calls it")
    class that_wakes_in_park:
        def __init__(self):
            self.waiters, self.done = [], False

        def __await__(self):
            if not self.done:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiters.append(wake())

        def set_result(self, value):
            self.value, self.done = value, True

    @wrong("order", says="third")
    class last_come_first_served:
        def __init__(self):
            self.waiters, self.done = [], False

        def __await__(self):
            if not self.done:
                yield self.park
            return self.value

        def park(self, loop, wake):
            self.waiters.append(wake)

        def set_result(self, value):
            self.value, self.done = value, True
            while self.waiters:
                self.waiters.pop()()


async def awaiting(future):
    return await future


class OtherLoop:
    """Stands in for the loop: a future of this exercise asks nothing of it."""

    def __init__(self, lab):
        self.lab = lab

    def make_ready(self, who):
        raise Wrong(
            "woke through the loop",
            "`set_result` called `loop.make_ready(…)`.",
            self.lab.line(r"\.make_ready\("),
            "Here `wake` is the function that wakes its waiter, and knows the loop: `wake()`.",
        )


class Gather(Exercise):
    """Start all, collect all

    Write `gather(loop, *coros)`, an async function for your own loop. It runs all the coroutines
    at once and returns their results as a list, in the order of `coros`. If one of them fails,
    its error comes out of `gather`.

    `loop.spawn(coro)` makes a task of a coroutine, and a task can be awaited.
    """

    id = "gather-own-1"
    asks = "gather"
    minutes = 6
    hints = (
        "A coroutine begins when it is spawned. When do you spawn the second one?",
        "First spawn all, and keep the tasks in a list. Then await them, one after another: they "
        "all run meanwhile.",
        "`tasks = [loop.spawn(coro) for coro in coros]`, then "
        "`return [await task for task in tasks]`.",
    )

    def verify(self, gather, lab):
        lab.told("with coroutines that take 3, 1 and 2 s")
        run = Watched(lab)
        got = run(lambda loop: gather(loop, work(3, "a"), work(1, "b"), work(2, "c")))
        if isinstance(got, (list, tuple)) and any(isinstance(item, Task) for item in got):
            raise Wrong(
                "returned tasks",
                f"It returned {got}: the tasks, and not what they return.",
                lab.line(r"\breturn\b"),
                "`await` each of them.",
            )
        lab.equal(got, ["a", "b", "c"])
        if run.elapsed > 3.5:
            raise Wrong(
                "sequential",
                f"It took {run.elapsed:g} s; the longest of them takes 3 s.",
                lab.line(r"\bawait\b.*(spawn|coro)|\bawait\b"),
            )
        lab.told("with nothing")
        lab.equal(Watched(lab)(lambda loop: gather(loop)), [], what="for no coroutines it returned")
        lab.told("with three coroutines, of which the second raises a LookupError")
        run = Watched(lab)
        got = run(
            lambda loop: gather(loop, work(1, "a"), work(2, LookupError("no tea")), work(3, "c")),
            raises=LookupError,
        )
        if run.error is None:
            raise Wrong(
                "lost error",
                f"It returned {got!r}.",
                lab.line(r"^\s*except\b"),
                "Whoever awaits a task gets its error. Let it pass.",
            )

    @right
    async def with_tasks(loop, *coros):
        """Run all `coros` at once; return their results in order."""
        tasks = [loop.spawn(coro) for coro in coros]
        return [await task for task in tasks]

    @right
    async def with_a_loop(loop, *coros):
        tasks, results = [], []
        for coro in coros:
            tasks.append(loop.spawn(coro))
        for task in tasks:
            results.append(await task)
        return results

    @wrong("sequential", says="It took 6 s")
    async def one_by_one(loop, *coros):
        return [await coro for coro in coros]

    @wrong("sequential", says="the longest of them takes 3 s")
    async def spawns_and_awaits_each(loop, *coros):
        results = []
        for coro in coros:
            results.append(await loop.spawn(coro))
        return results

    @wrong("order", says="['b', 'c', 'a']")
    async def as_they_come(loop, *coros):
        results = []

        async def note(coro):
            results.append(await coro)

        tasks = [loop.spawn(note(coro)) for coro in coros]
        for task in tasks:
            await task
        return results

    @wrong("returned tasks", says="not what they return")
    async def without_await(loop, *coros):
        return [loop.spawn(coro) for coro in coros]

    @wrong("lost error", says="no tea")
    async def with_errors_as_results(loop, *coros):
        tasks, results = [loop.spawn(coro) for coro in coros], []
        for task in tasks:
            try:
                results.append(await task)
            except Exception as error:
                results.append(error)
        return results

    @wrong("asks again and again", says="turns")
    async def that_polls(loop, *coros):
        tasks = [loop.spawn(coro) for coro in coros]
        while not all(task.done() for task in tasks):
            await sleep(0)
        return [task.result() for task in tasks]

    @wrong("runs the loop inside itself", says="one of its turns")
    async def runs_each(loop, *coros):
        return [loop.run(coro) for coro in coros]

    @wrong("spawned no coroutine", says="takes one coroutine")
    async def spawns_them_in_one(loop, *coros):
        tasks = loop.spawn(coros)
        return [await task for task in tasks]

    @wrong("asked asyncio", says="your own loop")
    async def with_asyncio(loop, *coros):
        import asyncio

        return await asyncio.gather(*coros)

    @wrong("deadlock", says="somebody still waited")
    async def nobody_sets_it(loop, *coros):
        results, all_done = [], Future()
        for coro in coros:
            results.append(loop.spawn(coro))
        await all_done
        return results


class Cancel(Exercise):
    """Cancel, on a loop without undo

    A small loop, whose tasks can only sleep. So `park` needs no undo: you can look where a task
    stands.

    - `loop.ready` is a deque of tasks. Each has its turn, the leftmost first.
    - `loop.sleeping` is a heap of lists `[deadline, ticket, task]`. When its time has come, the
      task is moved to `loop.ready`. An entry whose task is `None` wakes nobody.
    - `task.throw` is the error that the next step of the task begins with, or None. A task that
      has one when it pauses goes to `loop.ready` at once. `task.done` tells whether it has ended,
      `task.coro` is its coroutine.

    Write an ordinary function `cancel(loop, task)`. A task that sleeps gets a CancelledError at
    once, in a turn of its own; one that is ready, in the turn that it has anyway. It returns True,
    or False if the task has ended already.
    """

    id = "cancel-own-1"
    asks = "cancel"
    minutes = 10
    hints = (
        "Where may the task be: at its end, asleep, or in the queue? What is to be done in each "
        "case?",
        "In all cases but the first: `task.throw = CancelledError()`. One who sleeps needs a turn "
        "besides, and its old entry in the heap must not wake it again.",
        "Go through `loop.sleeping`. If an entry's task is this one: put None in its place and "
        "append the task to `loop.ready`. If you find none, the task has its turn already.",
    )

    def verify(self, cancel, lab):
        self._asleep(cancel, lab)
        self._others(cancel, lab)
        self._ready(cancel, lab)
        self._ended(cancel, lab)

    def _cancel(self, cancel, lab, loop, task):
        """Call the answer. It must not run anybody."""
        steps, log = loop.steps, len(task.log)
        try:
            got = cancel(loop, task)
        except ValueError as error:
            if "already executing" not in str(error):
                raise
            raise self._at_once(
                lab, "The task that cancelled was running itself: coroutine already executing."
            ) from None
        except CancelledError:
            raise self._at_once(
                lab, "CancelledError came out of `cancel`, in the turn of whoever cancelled."
            ) from None
        except TypeError as error:
            called = lab.line(r"task\.(throw|done)\(")
            if called is None or "not callable" not in str(error):
                raise
            raise Wrong(
                "called a value",
                f"Python said: {error}.",
                called,
                "On this loop `task.done` is True or False, and `task.throw` is a place "
                "for an error: `task.throw = CancelledError()`.",
            ) from None
        if loop.steps > steps or len(task.log) > log:
            raise self._at_once(
                lab,
                "When `cancel` returned, the task had run already, in the "
                "turn of whoever cancelled.",
            )
        return got

    def _at_once(self, lab, observed):
        return Wrong(
            "runs it at once",
            observed,
            lab.line(r"\.throw\(|\.send\(|\.close\(|step\("),
            "Only the loop resumes a task. Leave the error in `task.throw` and see to it "
            "that the task has a turn.",
        )

    def _asleep(self, cancel, lab):
        lab.told("for a task that sleeps from 0 to 3 s, at 1 s")
        loop = SmallLoop(lab)
        task = loop.spawn(tidy(loop, 3, cleanup=4))
        loop.at(1, lambda: self._is_true(lab, self._cancel(cancel, lab, loop, task)))
        loop.run()
        told, over = task.log.get("told"), task.log.get("over")
        if told is None or not task.done:
            if task.log.get("slept"):
                raise Wrong(
                    "was not told",
                    "It slept to its end and heard of nothing.",
                    lab.line(r"\bthrow\b"),
                    "`task.throw = CancelledError()`",
                )
            raise Wrong(
                "never woken",
                "It had no turn any more: it is in no queue and in no heap.",
                lab.line("sleeping"),
                "Take it out of the heap *and* put it into `loop.ready`.",
            )
        if told > 1:
            raise Wrong(
                "told too late",
                f"It got its CancelledError at {told:g} s, when it would have woken anyway.",
                lab.line(r"\bthrow\b"),
                "A task that sleeps needs a turn at once: put it into `loop.ready`.",
            )
        if over == 3:
            raise Wrong(
                "stale timer",
                "It was told at 1 s and began to clean up, for 4 s. At 3 s its old timer "
                "rang and ended that.",
                lab.line(r"ready\.append"),
                "The entry of its first sleep is still in the heap. Put None in the place "
                "of the task.",
            )
        lab.equal(over, 5, what="told at 1 s, it cleaned up for 4 s, and was done at")

    def _is_true(self, lab, got):
        if got is not True:
            raise Wrong(
                "value",
                f"The task had not ended, and `cancel` returned {got!r}.",
                lab.line(r"\breturn\b") if got is not None else None,
                "Return True if the task was asked to end.",
            )

    def _others(self, cancel, lab):
        lab.told("for one of eight sleepers")
        for chosen in range(8):
            loop = SmallLoop(lab)
            tasks = [loop.spawn(tidy(loop, seconds)) for seconds in (1, 5, 2, 7, 6, 3, 4, 8)]
            loop.at(0.5, lambda: self._cancel(cancel, lab, loop, tasks[chosen]))
            loop.run()
            late = {
                task.log["slept"] - due
                for task, due in zip(tasks, (1, 5, 2, 7, 6, 3, 4, 8))
                if task.log.get("slept")
            }
            if late != {0} or sum(bool(task.log.get("slept")) for task in tasks) != 7:
                raise Wrong(
                    "broke the heap",
                    "The other seven were to wake on time, and some of them did not.",
                    lab.line("sleeping"),
                    "Who takes an item out of the middle of a heap leaves no heap. Put "
                    "None in the place of the task, or call `heapq.heapify`.",
                )

    def _ready(self, cancel, lab):
        for whom in ("in the queue", "that runs and cancels itself", "that was cancelled before"):
            lab.told(f"for a task {whom}")
            loop = SmallLoop(lab)
            task = loop.spawn(counting(loop, whom, lambda: self._cancel(cancel, lab, loop, task)))
            if "queue" in whom:
                loop.at(0, lambda: self._cancel(cancel, lab, loop, task))
            elif "before" in whom:
                loop.at(1, lambda: self._cancel(cancel, lab, loop, task))
                loop.at(1, lambda: self._cancel(cancel, lab, loop, task))
            loop.run()
            if loop.twice:
                raise Wrong(
                    "resumed twice",
                    "It had two places in the queue, and two turns in one round.",
                    lab.line(r"ready\.append"),
                    "One who is ready, or runs, has its turn anyway. Only one who sleeps "
                    "needs a place in `loop.ready`.",
                )
            if not task.log.get("told"):
                raise Wrong(
                    "was not told",
                    "It ended, and heard of nothing.",
                    lab.line(r"\bthrow\b"),
                    "`task.throw = CancelledError()`, whether it sleeps or not.",
                )

    def _ended(self, cancel, lab):
        lab.told("for a task that has ended")
        loop = SmallLoop(lab)
        task = loop.spawn(tidy(loop, 0))
        loop.run()
        got = self._cancel(cancel, lab, loop, task)
        if loop.ready:
            raise Wrong(
                "wakes the dead",
                "It stands in `loop.ready` again.",
                lab.line(r"ready\.append"),
                "Look at `task.done` first.",
            )
        lab.equal(got, False)

    @right
    def leaves_the_entry(loop, task):
        """Ask a task to end; return False if it has ended already."""
        if task.done:
            return False
        task.throw = CancelledError()
        for entry in loop.sleeping:
            if entry[2] is task:
                entry[2] = None
                loop.ready.append(task)
        return True

    @right
    def makes_the_heap_anew(loop, task):
        if task.done:
            return False
        others = [entry for entry in loop.sleeping if entry[2] is not task]
        if len(others) < len(loop.sleeping):
            heapq.heapify(others)
            loop.sleeping = others
            loop.ready.append(task)
        task.throw = CancelledError()
        return True

    @wrong("stale timer", says="At 3 s its old timer rang")
    def forgets_the_timer(loop, task):
        if task.done:
            return False
        task.throw = CancelledError()
        if task not in loop.ready:
            loop.ready.append(task)
        return True

    @wrong("resumed twice", says="two places in the queue")
    def always_queues(loop, task):
        if task.done:
            return False
        for entry in loop.sleeping:
            if entry[2] is task:
                entry[2] = None
        task.throw = CancelledError()
        loop.ready.append(task)
        return True

    @wrong("resumed twice", says="cancels itself")
    def queues_one_who_runs(loop, task):
        if task.done:
            return False
        for entry in loop.sleeping:
            if entry[2] is task:
                entry[2] = None
        task.throw = CancelledError()
        if task not in loop.ready:
            loop.ready.append(task)
        return True

    @wrong("runs it at once", says="had run already")
    def throws_it_in(loop, task):
        if task.done:
            return False
        try:
            task.coro.throw(CancelledError())
        except (StopIteration, CancelledError):
            task.done = True
        return True

    @wrong("told too late", says="at 3 s")
    def only_notes_it(loop, task):
        if task.done:
            return False
        task.throw = CancelledError()
        return True

    @wrong("never woken", says="no queue and in no heap")
    def only_takes_it_out(loop, task):
        if task.done:
            return False
        task.throw = CancelledError()
        for entry in loop.sleeping:
            if entry[2] is task:
                entry[2] = None
        return True

    @wrong("was not told", says="heard of nothing")
    def only_the_sleepers(loop, task):
        if task.done:
            return False
        for entry in loop.sleeping:
            if entry[2] is task:
                entry[2] = None
                task.throw = CancelledError()
                loop.ready.append(task)
        return True

    @wrong("broke the heap", says="some of them did not")
    def takes_it_out_of_the_middle(loop, task):
        if task.done:
            return False
        task.throw = CancelledError()
        for entry in list(loop.sleeping):
            if entry[2] is task:
                loop.sleeping[loop.sleeping.index(entry)] = loop.sleeping[-1]
                loop.sleeping.pop()
                loop.ready.append(task)
        return True

    @wrong("not a task", says="holds tasks")
    def queues_the_coroutine(loop, task):
        if task.done:
            return False
        task.throw = CancelledError()
        for entry in loop.sleeping:
            if entry[2] is task:
                entry[2] = None
                loop.ready.append(task.coro)
        return True

    @wrong("called a value", says="a place for an error")
    def calls_throw(loop, task):
        if task.done:
            return False
        task.throw(CancelledError())
        return True

    @wrong("wakes the dead", says="again")
    def does_not_look(loop, task):
        task.throw = CancelledError()
        if task.done or any(entry[2] is task for entry in loop.sleeping):
            for entry in loop.sleeping:
                if entry[2] is task:
                    entry[2] = None
            loop.ready.append(task)
        return True


class SmallTask:
    """A task of SmallLoop. log: what it did, and when."""

    def __init__(self, coro):
        self.coro, self.throw, self.done, self.log = coro, None, False, {}


class SmallLoop:
    """What the statement of `cancel-own-1` describes. Its clock jumps."""

    def __init__(self, lab):
        self.lab, self.now = lab, 0
        self.ready, self.sleeping, self.tickets = deque(), [], itertools.count()
        self.steps, self.current, self.twice = 0, None, False

    def spawn(self, coro):
        task = SmallTask(coro)
        self.ready.append(task)
        return task

    def at(self, seconds, function):
        """Call the function at that time, in a task of its own."""

        async def caller():
            await small_sleep(seconds)
            function()

        self.spawn(caller())

    def run(self):
        try:
            while self.ready or self.sleeping:
                self.turn()
        finally:
            for task in [*self.ready, *(entry[2] for entry in self.sleeping if entry[2])]:
                task.coro.close()

    def turn(self):
        if not self.ready:
            self.now = max(self.now, self.sleeping[0][0])
        while self.sleeping and self.sleeping[0][0] <= self.now:
            task = heapq.heappop(self.sleeping)[2]
            if task is not None:
                self.ready.append(task)
        self.twice = self.twice or len(set(self.ready)) < len(self.ready)
        for _ in range(len(self.ready)):
            self.step(self.ready.popleft())
        if self.steps > MANY_TURNS:
            raise Wrong("endless", f"After {MANY_TURNS} turns it was not over.")

    def step(self, task):
        if not isinstance(task, SmallTask):
            raise Wrong(
                "not a task",
                f"`loop.ready` held {task!r:.60}.",
                self.lab.line(r"ready\.append"),
                "The queue of this loop holds tasks: `loop.ready.append(task)`.",
            )
        if task.done:
            return  # one turn too many: `twice` has noted it
        self.current, self.steps = task, self.steps + 1
        throw, task.throw = task.throw, None
        try:
            seconds = task.coro.send(None) if throw is None else task.coro.throw(throw)
        except (StopIteration, CancelledError):
            task.done = True
        else:
            if seconds <= 0 or task.throw:
                self.ready.append(task)
            else:
                heapq.heappush(self.sleeping, [self.now + seconds, next(self.tickets), task])


class small_sleep:
    def __init__(self, seconds):
        self.seconds = seconds

    def __await__(self):
        yield self.seconds


async def tidy(loop, seconds, cleanup=0):
    """Sleep; if told to end, note when, and clean up for a while."""
    log = loop.current.log
    try:
        await small_sleep(seconds)
        log["slept"] = loop.now
    except CancelledError:
        log["told"] = loop.now
        await small_sleep(cleanup)
        log["over"] = loop.now
        raise


async def counting(loop, whom, cancel):
    """Take some turns and do not mind being told to end; cancel oneself in one of the cases."""
    log = loop.current.log
    if "before" in whom:
        with contextlib.suppress(CancelledError):
            await small_sleep(3)
            return
        log["told"] = True
    for number in range(6):
        try:
            if "itself" in whom and number == 1:
                cancel()
            await small_sleep(0)
        except CancelledError:
            log["told"] = True


class WriteBell(Exercise):
    """A bell, with an undo

    Write a class `Bell` for the loop of `tasks.py`. Tasks wait for it by `await bell.wait()`, an
    async method. `bell.ring()` wakes all who wait at that moment, in the order in which they
    came. It is not a future: it may ring as often as you like, and who comes after a ring waits
    for the next.

    A task that is cancelled while it waits must be told at once, and no later ring may wake it.
    So `park(loop, wake)` must return its undo. In `bell.wait()` you need something to await
    whose `__await__` yields `park`; you may write `await self` there.
    """

    id = "bell-1"
    asks = "Bell"
    minutes = 8
    hints = (
        "What does `park` change? Its undo changes just that back.",
        "`park` appends `wake` to a list. The undo is a function without parameters that removes "
        "it from that list. `park` returns this function; it does not call it.",
        "`return lambda: self.waiters.remove(wake)`. And `ring` takes the list away, puts an "
        "empty one in its place, and calls each `wake`.",
    )

    def verify(self, Bell, lab):
        if inspect.isasyncgenfunction(getattr(Bell, "wait", None)):
            raise Wrong(
                "an async generator",
                "`wait` is an `async def` with a `yield` in it, and that can't be awaited.",
                lab.line(r"\byield\b"),
                "The `yield` belongs into `__await__`, an ordinary `def`. In `wait`: `await self`.",
            )
        for script in (self._rings, self._cancelled):
            lab.told(
                "and let tasks wait for the bell"
                if script == self._rings
                else "and let three tasks wait; I cancelled (b) at 1 s and rang at 2 s"
            )
            run = Watched(lab)
            log = []
            try:
                run(lambda loop: script(loop, Bell(), log, run.clock))
            except ValueError as error:
                if "list.remove" not in str(error):
                    raise
                raise Wrong(
                    "undone twice",
                    f"Python said: {error}.",
                    lab.line("remove"),
                    "Two lists are at odds: take a waiter out of the one in which `park` put it.",
                ) from None
            except Stuck:
                self._name(lab, log, script)
                raise
            except RuntimeError as error:
                if "_waiter" not in str(error):
                    raise
                raise Wrong(
                    "woken twice",
                    "A ring called the `wake` of a task that an earlier "
                    "ring had woken, and that had ended since.",
                    lab.line("def ring"),
                    "Who was woken waits no more: `ring` puts an empty list in the place "
                    "of the old one.",
                ) from None
            self._name(lab, log, script)

    async def _waiter(self, name, bell, log, clock):
        try:
            await bell.wait()
            log.append((name, "woken", clock.seconds()))
        except CancelledError:
            if clock.over:
                raise
            log.append((name, "told", clock.seconds()))
            await sleep(5)
            log.append((name, "over", clock.seconds()))
            raise

    async def _rings(self, loop, bell, log, clock):
        tasks = [loop.spawn(self._waiter(name, bell, log, clock)) for name in "ab"]
        await sleep(1)
        bell.ring()
        await sleep(1)
        late = loop.spawn(self._waiter("late", bell, log, clock))
        await sleep(1)
        bell.ring()
        await sleep(1)
        bell.ring()
        for task in (*tasks, late):
            await task

    async def _cancelled(self, loop, bell, log, clock):
        tasks = [loop.spawn(self._waiter(name, bell, log, clock)) for name in "abc"]
        await sleep(1)
        tasks[1].cancel()
        await sleep(1)
        bell.ring()
        for task in (tasks[0], tasks[2]):
            await task
        with contextlib.suppress(CancelledError):
            await tasks[1]

    def _name(self, lab, log, script):
        when = {(name, what): round(seconds, 3) for name, what, seconds in log}
        if script == self._rings:
            if [name for name, *_ in log[:2]] == ["b", "a"]:
                lab.equal(["b", "a"], ["a", "b"], what="it woke")
            if not any(what == "woken" for _, what in when):
                raise Wrong(
                    "wakes nobody",
                    "Two tasks waited, the bell rang, and nobody went on.",
                    lab.line(r"return self\.\w+\.remove\(") or lab.line("def ring"),
                    "`ring` calls each `wake`. And `park` returns its undo without "
                    "calling it, or the waiter is taken out at once.",
                )
            if when.get(("a", "woken")) == 0:
                raise Wrong(
                    "did not wait",
                    "Two came at 0 s and went through at once, before the first ring.",
                    lab.line(r"def wait|__await__"),
                    "`await self` in `wait`, and `yield self.park` in `__await__`.",
                )
            if when.get(("late", "woken")) == 2:
                raise Wrong(
                    "rings on",
                    "The bell rang at 1 s. A task that came at 2 s went through at once.",
                    lab.line(r"def wait|__await__"),
                    "A bell is no future: who comes later waits for the next ring.",
                )
            if (
                when.get(("a", "woken")),
                when.get(("b", "woken")),
                when.get(("late", "woken")),
            ) != (1, 1, 3):
                raise Wrong(
                    "woke the wrong ones",
                    "It rang at 1, 3 and 4 s. Two came at 0 s, one "
                    f"at 2 s. They went on: {told(log)}.",
                    lab.line("def ring"),
                    "Wake all who wait at that moment, each of them once.",
                )
            return
        observed = f"What they did: {told(log)}."
        if when.get(("b", "told")) == 1 and when.get(("b", "over")) == 2:
            raise Wrong(
                "stale waiter",
                f"{observed} It began to clean up for 5 s, and the ring "
                "at 2 s, which was not meant for it any more, ended that.",
                lab.line("def park"),
                "Take its `wake` out of the list when the undo is called.",
            )
        if when.get(("b", "told"), 1) != 1:
            raise Wrong(
                "no undo",
                f"{observed} It was cancelled at 1 s.",
                lab.line("def park"),
                "`park` must return the function that takes the waiting back. Without "
                "one, `cancel` believes that the task is ready.",
            )
        if ("b", "told") not in when:
            raise Wrong(
                "never woken",
                f"{observed} The second one, cancelled, had no turn.",
                lab.line("def park"),
                "`park` returns a function, and does not call it.",
            )
        if ("a", "woken") not in when or ("c", "woken") not in when:
            raise Wrong(
                "takes back too much",
                f"{observed} The first and the third were not cancelled, and wait for ever.",
                lab.line(r"clear|remove|pop") or lab.line("def park"),
                "The undo takes back what this one `park` did, no more.",
            )
        lab.equal(when.get(("b", "over")), 6, what="told at 1 s, it cleaned up for 5 s, until")

    @right
    class with_a_list:
        """Rings for all who wait."""

        def __init__(self):
            self.waiters = []

        async def wait(self):
            await self

        def __await__(self):
            yield self.park

        def park(self, loop, wake):
            self.waiters.append(wake)
            return lambda: self.waiters.remove(wake)

        def ring(self):
            waiters, self.waiters = self.waiters, []
            for wake in waiters:
                wake()

    @right
    class with_a_future_for_each_ring:
        def __init__(self):
            self.next = Future()

        async def wait(self):
            await self.next

        def ring(self):
            rung, self.next = self.next, Future()
            rung.set_result(None)

    @wrong("no undo", says="(b) was told at 2 s")
    class without_undo:
        def __init__(self):
            self.waiters = []

        async def wait(self):
            await self

        def __await__(self):
            yield self.park

        def park(self, loop, wake):
            self.waiters.append(wake)

        def ring(self):
            waiters, self.waiters = self.waiters, []
            for wake in waiters:
                wake()

    @wrong("stale waiter", says="not meant for it any more")
    class with_an_empty_undo:
        def __init__(self):
            self.waiters = []

        async def wait(self):
            await self

        def __await__(self):
            yield self.park

        def park(self, loop, wake):
            self.waiters.append(wake)
            return lambda: None

        def ring(self):
            waiters, self.waiters = self.waiters, []
            for wake in waiters:
                wake()

    @wrong("takes back too much", says="wait for ever")
    class with_clear:
        def __init__(self):
            self.waiters = []

        async def wait(self):
            await self

        def __await__(self):
            yield self.park

        def park(self, loop, wake):
            self.waiters.append(wake)
            return self.waiters.clear

        def ring(self):
            waiters, self.waiters = self.waiters, []
            for wake in waiters:
                wake()

    @wrong("wakes nobody", says="taken out at once")
    class undoes_at_once:
        def __init__(self):
            self.waiters = []

        async def wait(self):
            await self

        def __await__(self):
            yield self.park

        def park(self, loop, wake):
            self.waiters.append(wake)
            return self.waiters.remove(wake)

        def ring(self):
            waiters, self.waiters = self.waiters, []
            for wake in waiters:
                wake()

    @wrong("rings on", says="went through at once")
    class that_is_a_future:
        def __init__(self):
            self.future = Future()

        async def wait(self):
            await self.future

        def ring(self):
            if not self.future.done():
                self.future.set_result(None)

    @wrong("woken twice", says="had ended since")
    class that_keeps_the_list:
        def __init__(self):
            self.waiters = []

        async def wait(self):
            await self

        def __await__(self):
            yield self.park

        def park(self, loop, wake):
            self.waiters.append(wake)
            return lambda: self.waiters.remove(wake)

        def ring(self):
            for wake in self.waiters:
                wake()

    @wrong("did not wait", says="before the first ring")
    class that_awaits_nothing:
        def __init__(self):
            self.waiters = []

        async def wait(self):
            return self

        def ring(self):
            for wake in self.waiters:
                wake()

    @wrong("an async generator", says="In `wait`")
    class that_yields_in_wait:
        def __init__(self):
            self.waiters = []

        async def wait(self):
            yield self.park

        def park(self, loop, wake):
            self.waiters.append(wake)

        def ring(self):
            for wake in self.waiters:
                wake()

    @wrong("order", says="It woke ['b', 'a']")
    class last_come_first_served:
        def __init__(self):
            self.waiters = []

        async def wait(self):
            await self

        def __await__(self):
            yield self.park

        def park(self, loop, wake):
            self.waiters.append(wake)
            return lambda: self.waiters.remove(wake)

        def ring(self):
            while self.waiters:
                self.waiters.pop()()

    @wrong("woke the wrong ones", says="each of them once")
    class wakes_one_a_ring:
        def __init__(self):
            self.waiters = []

        async def wait(self):
            await self

        def __await__(self):
            yield self.park

        def park(self, loop, wake):
            self.waiters.append(wake)
            return lambda: self.waiters.remove(wake)

        def ring(self):
            if self.waiters:
                self.waiters.pop(0)()


class WithTimeout(Exercise):
    """A timeout

    Write `with_timeout(loop, seconds, coro)`, an async function for the loop of `tasks.py`. It
    runs the coroutine as a task and returns its result. If that takes longer than `seconds`, the
    task is cancelled, and when it has ended a TimeoutError comes out.

    - An error of the coroutine comes out as it is.
    - If `with_timeout` is itself cancelled, the task is cancelled too, and the CancelledError
      comes out: it is not a timeout.
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
                "waits for the alarm",
                f"The work was done at 2 s, and it took {run.elapsed:g} s.",
                lab.line(r"await .*sleep\("),
                "Await the work. The alarm sleeps in a task of its own.",
            )
        lab.equal(round(run.elapsed, 1), 2, what="it took, in seconds,")
        self._nothing_rings(lab, run)

    def _nothing_rings(self, lab, run):
        if run.left:
            raise Wrong(
                "timer left behind",
                f"It was over, and this was still there: {', '.join(run.left)}.",
                lab.line(r"spawn\((?!coro)|wake_at"),
                "In a `finally`, cancel the alarm, or call its undo.",
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
                "another error came out",
                "The work raised a LookupError, and TimeoutError came out.",
                lab.line(r"^\s*except\b"),
                "Only a timeout is a TimeoutError.",
            ) from None
        if run.error is None:
            raise Wrong(
                "lost error",
                f"The work raised a LookupError, and it returned {got!r}.",
                lab.line(r"^\s*except\b"),
            )
        self._nothing_rings(lab, run)

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
            raise Wrong(
                "another error came out",
                "The time was over, and CancelledError came out. Whoever awaits this would "
                "believe that it was told to end itself.",
                lab.line(r"await task") or lab.line(r"\bawait\b"),
                "Turn it into a TimeoutError, if the alarm rang."
                + (
                    " (And in an inner function `rang = True` makes a name of its own: "
                    "say `nonlocal rang` there.)"
                    if lab.line(r"^ {8}\w+ = True") and not lab.line(r"\bnonlocal\b")
                    else ""
                ),
            ) from None
        if run.error is None:
            raise Wrong(
                "lost error",
                f"The time was over, and it returned {got!r}.",
                lab.line(r"^\s*except\b") or lab.line(r"\breturn\b"),
                "`raise TimeoutError`",
            )
        if run.elapsed > 3.5:
            raise Wrong(
                "waits to the end",
                f"It took {run.elapsed:g} s.",
                lab.line(r"\bawait\b"),
                "The alarm must ring while you wait: it needs a "
                "task of its own, or an entry in the heap.",
            )
        if not log:
            raise Wrong(
                "left the work running",
                "After the TimeoutError the work still went on.",
                lab.line("TimeoutError"),
                "Cancel its task, and await it.",
            )
        if run.elapsed < 2.5:
            raise Wrong(
                "did not wait for the end",
                f"The work needed 1 s to clean up after being "
                f"cancelled. TimeoutError came at {run.elapsed:g} s, before that was "
                "over.",
                lab.line("TimeoutError"),
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
            raise Wrong("swallowed", "2.5 s later it still went on.", lab.line(r"^\s*except\b"))
        if isinstance(outcome[0], TimeoutError):
            raise Wrong(
                "took a cancellation for a timeout",
                "TimeoutError came out, and the time was not over.",
                lab.line(r"^\s*except\b"),
                "A CancelledError has two reasons. Let the alarm note that it rang.",
            )
        if not isinstance(outcome[0], CancelledError):
            raise Wrong("swallowed", f"What came out is {outcome[0]!r}.", lab.line(r"^\s*except\b"))
        if not log:
            raise Wrong(
                "left the work running",
                "CancelledError came out, and the work still went on.",
                lab.line(r"^\s*except\b|await task"),
                "Whoever is cancelled cancels what he began: `task.cancel()`.",
            )
        self._nothing_rings(lab, run)

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

    @wrong("timer left behind", says="ring")
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

    @wrong("waits for the alarm", says="in a task of its own")
    async def sleeps_itself(loop, seconds, coro):
        task = loop.spawn(coro)
        await sleep(seconds)
        if task.done():
            return task.result()
        task.cancel()
        raise TimeoutError

    @wrong("took a cancellation for a timeout", says="the time was not over")
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

    @wrong("another error came out", says="CancelledError came out")
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

    @wrong("another error came out", says="nonlocal")
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

    @wrong("another error came out", says="LookupError, and TimeoutError")
    async def takes_every_error_for_a_timeout(loop, seconds, coro):
        task = loop.spawn(coro)

        async def ring():
            await sleep(seconds)
            task.cancel()

        alarm = loop.spawn(ring())
        try:
            return await task
        except BaseException:
            raise TimeoutError
        finally:
            alarm.cancel()

    @wrong("lost error", says="it returned None")
    async def returns_none(loop, seconds, coro):
        task = loop.spawn(coro)

        async def ring():
            await sleep(seconds)
            task.cancel()

        alarm = loop.spawn(ring())
        try:
            return await task
        except CancelledError:
            return None
        finally:
            alarm.cancel()

    @wrong("left the work running", says="the work still went on")
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

    @wrong("waits to the end", says="It took 9 s")
    async def looks_afterwards(loop, seconds, coro):
        begun = time.monotonic()
        result = await coro
        if time.monotonic() - begun > seconds:
            raise TimeoutError
        return result

    @wrong("left the work running", says="CancelledError came out, and the work")
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

    @wrong("did not wait for the end", says="before that was over")
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


async def work(seconds, result):
    """Take some seconds; return the result, or raise it if it is an error."""
    await sleep(seconds)
    if isinstance(result, Exception):
        raise result
    return result


async def notes(seconds, log, clock):
    """Work that needs a second to clean up when it is told to end, and notes when it was told."""
    try:
        await sleep(seconds)
    except CancelledError:
        if not clock.over:
            log.append(clock.seconds())
        await sleep(1)
        raise


def told(log):
    return ", ".join(f"({name}) was {what} at {seconds:g} s" for name, what, seconds in log)


class Stuck(Wrong):
    """Nobody is ready and nobody sleeps, but somebody waits."""


def close_unbegun(error):
    """Close the coroutines of an answer that failed before it began them; Python would complain
    of each.
    """
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for value in frame.f_locals.values():
            for coro in value if isinstance(value, tuple) else (value,):
                if (
                    inspect.iscoroutine(coro)
                    and inspect.getcoroutinestate(coro) == inspect.CORO_CREATED
                ):
                    coro.close()


class Clock:
    """Stands in for the module `time`: who sleeps moves it on, and nobody waits.

    over: main has ended, or there is a deadlock; who is told to end now is told by the loop's run.
    """

    over = False

    def __init__(self):
        self.start = self.now = time.monotonic()

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds

    def seconds(self):
        return round(self.now - self.start, 3)

    def __getattr__(self, name):
        return getattr(time, name)


class Watched:
    """Runs a main coroutine on the loop of tasks.py, on a clock that jumps.

    elapsed: seconds on that clock. error: the one that came out. left: names of what would still
    have run or rung when the main coroutine had ended.
    """

    def __init__(self, lab):
        self.lab, self.clock = lab, Clock()
        self.elapsed, self.error, self.left = 0.0, None, []

    def __call__(self, main, answer=None, raises=()):
        loop = WatchedLoop(self.lab, self.clock)
        with contextlib.ExitStack() as stack:
            stack.enter_context(mock.patch.object(timers, "time", self.clock))
            names = getattr(answer, "__globals__", {})
            if names.get("time") is time:
                stack.enter_context(mock.patch.dict(names, time=self.clock))
            try:
                return loop.run(self._main(loop, main))
            except raises as error:
                self.error = error
            except (Wrong, CancelledError):
                raise
            except TypeError as error:
                if not str(error).startswith("spawn takes"):
                    raise
                close_unbegun(error)
                raise Wrong(
                    "spawned no coroutine",
                    f"Python said: {error}",
                    self.lab.line(r"\bspawn\((?!coro\b)\*?\w+\)"),
                    "`spawn` takes one coroutine: `loop.spawn(work())`.",
                ) from None
            except ValueError as error:
                again = self.lab.line(r"\bloop\.(run|turn)\w*\(")
                if again is None or "already executing" not in str(error):
                    raise
                raise Wrong(
                    "runs the loop inside itself",
                    f"Python said: {error}.",
                    again,
                    "The loop runs already, and this is one of its turns. `loop.spawn` "
                    "adds a task to it.",
                ) from None
            except RuntimeError as error:
                if "event loop" in str(error) and self.lab.line(r"\basyncio\."):
                    close_unbegun(error)
                    raise Wrong(
                        "asked asyncio",
                        f"Python said: {str(error).rstrip('.')}.",
                        self.lab.line(r"\basyncio\."),
                        "This runs on your own loop, and asyncio's functions want "
                        "asyncio's. Use `loop.spawn`.",
                    ) from None
                if not str(error).startswith("Deadlock"):
                    raise
                raise Stuck(
                    "deadlock",
                    "Nobody was ready, nobody slept, and somebody still waited.",
                    self.lab.line(r"\bawait\b|\byield\b"),
                ) from None

    async def _main(self, loop, main):
        made = self.lab.awaitable(main(loop))
        try:
            return await made
        finally:
            self.elapsed = self.clock.seconds()
            for _ in range(2):  # what was asked to end may do so
                await sleep(0)
            self.clock.over = True
            tasks = {task for task in loop.tasks if task.name != "_main"}
            self.left = sorted(f"task {task.name}" for task in tasks)
            rings = [who for who in loop.sleeping if getattr(who, "__self__", None) not in tasks]
            self.left += ["an entry in the heap"] * len(rings)


class WatchedLoop(Loop):
    def __init__(self, lab, clock):
        super().__init__()
        self.lab, self.clock, self.turns = lab, clock, 0

    def pause(self, seconds):
        self.clock.over = self.clock.over or seconds is None
        super().pause(seconds)

    def turn(self):
        self.turns += 1
        if self.turns == MANY_TURNS:
            raise Wrong(
                "asks again and again",
                f"After {MANY_TURNS} turns of the loop it was not over, and somebody was "
                "always ready, so nobody could wake.",
                self.lab.line(r"\bwhile\b|sleep\(0"),
                "Await what you wait for. A task wakes those who await it.",
            )
        super().turn()
