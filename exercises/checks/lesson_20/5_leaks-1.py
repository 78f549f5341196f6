"""Long, for what a test leaves behind can be ended wrongly in many ways."""

import asyncio

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import LET_IT_PASS, named

BEFORE = "Note `asyncio.all_tasks()` before the test, and take only those that are new after it."


class LeakDetector(Exercise):
    """A detector for leaked tasks

    Write `leaks(test)`. It awaits `test()`, a coroutine function, and returns the sorted list of
    the names of the tasks that the test started and left running.

    - Tasks that were there before are none of its business, and go on.
    - `leaks` cancels what the test left, and is over only when that has ended, its cleanup
      included. It waits no longer than that. An error of such a cleanup does not come out.
    - If the test fails, or `leaks` is cancelled while the test runs, it ends what the test left all
      the same, and the error comes out.
    """

    id = "leaks-1"
    asks = "leaks"
    minutes = 10
    hints = (
        "`asyncio.all_tasks()` before and after; what is the difference of two sets?",
        "Your own task is in both. `cancel()` only asks: how do you wait until they have ended?",
        "`try: await test()` and in the `finally` the difference, `cancel()` for each, and "
        "`await asyncio.gather(*left, return_exceptions=True)`.",
    )

    def verify(self, leaks, lab):
        ended = []

        async def rings(name, cleanup=0):
            try:
                await asyncio.sleep(1000)
            finally:
                await asyncio.sleep(cleanup)
                ended.append(name)

        async def leaves_two():
            for name in "radio", "light":
                asyncio.create_task(rings(name, 2 if name == "radio" else 0), name=name)
            await asyncio.sleep(1)

        async def leaves_none():
            await asyncio.create_task(asyncio.sleep(1), name="kettle")

        async def fails():
            await leaves_two()
            raise LookupError("the test failed")

        lab.told("with a test that leaves the tasks `radio` and `light`")
        try:
            run = lab.run(self._house(leaks, leaves_two, ended))
        except RecursionError:
            raise Wrong(
                "others' tasks",
                "The task that called `leaks` was there before the test. It was told to end, too, "
                "and it waits for `leaks`: each of these two waited for the other.",
                lab.call_of("all_tasks"),
                BEFORE,
                headline="counted tasks that were there before",
            ) from None
        self._judge(lab, *run.result, ["light", "radio"])
        ended.clear()
        lab.told("with a test that leaves no task")
        self._judge(lab, *lab.run(self._house(leaks, leaves_none, ended)).result, [])
        ended.clear()
        lab.told("with a test that leaves two tasks and then fails")
        names, state, *_ = lab.run(self._house(leaks, fails, ended)).result
        if isinstance(names, ExceptionGroup):
            raise Wrong(
                "another error",
                f"The test raised LookupError, and out came {names!r}.",
                lab.call_of("TaskGroup"),
                "A TaskGroup wraps what its tasks raise. Await the test itself.",
                headline="wrapped the error",
            )
        if not isinstance(names, LookupError):
            raise Wrong(
                "lost error",
                f"The test raised LookupError, and `leaks` returned {names}.",
                lab.keeping(LookupError) or lab.handler() or lab.returning(),
                LET_IT_PASS,
            )
        self._ended(lab, state, ["light", "radio"], "The test failed with a LookupError", names)

    async def _house(self, leaks, test, ended):
        """What `leaks` returns or raises, what it left, and whether a task of before still ran."""
        clock = asyncio.create_task(asyncio.sleep(500), name="clock")
        await asyncio.sleep(0)
        loop, this = asyncio.get_running_loop(), asyncio.current_task()
        began = loop.time()
        try:
            names = await asyncio.create_task(leaks(test), name="your leaks")
        except (LookupError, ExceptionGroup, asyncio.CancelledError) as error:
            names = error
        took, state = loop.time() - began, list(ended)
        # Both tasks were there before the test. The clock may have come to its own end.
        mine = bool(this.cancelling() or clock.cancelled() or clock.cancelling())
        # What it did not end is ended here, so that the message is ours.
        for task in (left := asyncio.all_tasks() - {this}):
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        return names, state, mine, took

    def _judge(self, lab, names, state, mine, took, expected):
        if mine:
            raise Wrong(
                "others' tasks",
                "A task `clock` ran before the test began, and `leaks` cancelled it.",
                lab.call_of("all_tasks")
                if len(lab.text.calls_of("all_tasks")) == 1
                else lab.call_of("cancel"),
                "Note which tasks there are before the test: those are not its own.",
                headline="cancelled a task that was there before",
            )
        if isinstance(names, asyncio.CancelledError):
            raise Wrong(
                "awaited the cancelled",
                "`leaks` itself ended with a CancelledError: "
                "whoever awaits a task that was cancelled meets that error.",
                lab.await_of(besides="test"),
                "`gather(*tasks, return_exceptions=True)` waits and keeps the errors.",
                headline="ended with a CancelledError",
            )
        if took > 10:
            raise Wrong(
                "late",
                f"The test took 1 s, and `leaks` {took:g} s: "
                "it waited until the tasks came to their own end.",
                lab.call_of("gather", "wait"),
                "Cancel them first.",
                headline="waited for what it found",
            )
        must = 3 if expected else 1  # the test takes 1 s, and the cleanup of radio 2 s
        if took > must + 0.5:
            raise Wrong(
                "late",
                f"{must} s after it began nothing was left to wait for, and `leaks` was "
                f"over at {took:g} s.",
                lab.call_of("sleep"),
                "A sleep stands for something: await the tasks themselves.",
                headline="waits longer than it must",
            )
        if isinstance(names, (list, tuple, set)):
            if {"clock", "leaks"} & set(names):
                raise Wrong(
                    "others' tasks",
                    f"It returned {sorted(names)}. "
                    f"{named({'clock', 'leaks'} & set(names))} ran before the test began.",
                    lab.call_of("all_tasks"),
                    BEFORE,
                    headline="counted tasks that were there before",
                )
            if "your leaks" in names:
                raise Wrong(
                    "others' tasks",
                    f"It returned {sorted(names)}. `your leaks` is the "
                    "task that your own function runs in.",
                    lab.call_of("all_tasks"),
                    "Leave out `asyncio.current_task()`.",
                    headline="counted itself",
                )
            if names != expected and sorted(names) == expected:
                raise Wrong(
                    "order",
                    f"It returned {names}.",
                    lab.returning(),
                    "It must be a list, with the names sorted.",
                )
        looked, called = lab.call_of("all_tasks"), lab.call_of("test")
        if names == [] and expected and looked and called and called < looked:
            raise Wrong(
                "value",
                f"It returned []; expected {expected}.",
                looked,
                "Note which tasks there are before you call the test, and look again after it.",
                headline="looked too late",
                at="looks when the test has begun",
            )
        lab.equal(names, expected)
        self._ended(lab, state, expected, "The test was over")

    def _ended(self, lab, state, expected, when, error=None):
        missing = sorted(set(expected) - set(state))
        if missing:
            cancels, gathers = lab.call_of("cancel"), lab.call_of("gather")
            short = lab.wait_behind("cancel")
            line, at = short or cancels or lab.operation("-", on=["all_tasks"]), ""
            if short:
                at = "is all the time that they get"
            if error:
                line, at = lab.text.let_out(error), "lets the error out"
                try_ = "What has to be done however the test ends belongs in a `finally`."
            elif gathers and cancels and cancels < gathers and not lab.keyword("return_exceptions"):
                line, at = gathers, "waits for the first that ends"
                try_ = (
                    "`gather` raises the first CancelledError, and waits for no other task: with "
                    "`return_exceptions=True` it waits for all."
                )
            elif short:
                try_ = "Some cleanups take longer. Await the tasks without a limit of time."
            elif cancels:
                try_ = (
                    "`cancel()` only asks a task to end. Await the tasks themselves, with "
                    "`asyncio.wait` or `gather`."
                )
            else:
                try_ = "Cancel what the test left, and then await it: `cancel()` only asks."
            raise Wrong(
                "early return",
                f"{when}, `leaks` was over, and "
                f"{' and '.join(missing)} had not ended. (Once it is cancelled, radio takes 2 s "
                "for its cleanup; light takes none.)",
                line,
                try_,
                headline="did not wait for the end" if cancels and not error else "ended nothing",
                at=at,
            )

    def _told_by_name(self, lab):
        """Where it asks for the names of tasks before it calls the test, or None."""
        asked, called = lab.call_of("get_name"), lab.call_of("test")
        return asked if asked and called and asked < called else None

    @sweep(
        lambda some: {
            "left": some.lists(some.sampled_from(("radio", "light", "2", "10")), max_size=4),
            "cleanups": some.permutations((0, 0, 0.5, 3000)),
            "before": some.sampled_from(("clock", "radio")),
            "error": some.sampled_from((None, None, LookupError, TimeoutError, AssertionError)),
            "cancelled": some.sampled_from((None, None, 0.5)),
            "breaks": some.just(None),
        },
        besides=[
            {
                "left": ["radio", "light"],
                "cleanups": cleanups,
                "before": "clock",
                "error": None,
                "cancelled": None,
                "breaks": OSError,
            }
            for cleanups in ((0, 0.5), (0.5, 0))
        ],
        most=32,
    )
    def any_test(self, leaks, lab, left, cleanups, before, error, cancelled, breaks):
        tasks, went_on, late, untold = [], [], [], []

        async def rings(cleanup):
            try:
                await asyncio.sleep(1000)
            finally:
                await asyncio.sleep(cleanup)
                if breaks:
                    raise breaks("the cleanup failed")

        async def test():
            for name, cleanup in zip(left, cleanups):
                tasks.append(asyncio.create_task(rings(cleanup), name=name))
            await asyncio.sleep(1)
            if error:
                raise error("the test failed")

        async def scene():
            clock = asyncio.create_task(asyncio.sleep(5000), name=before)
            await asyncio.sleep(0)
            try:
                return await lab.awaitable(leaks(test))
            finally:
                went_on.append(not (clock.done() or clock.cancelling()))
                for task in tasks:  # whoever only waits asks for no error of a cleanup
                    if task.done() and not task.cancelled():
                        task.exception()
                tasks[:] = [task for task in tasks if not task.done()]
                for task in tasks:
                    (late if task.cancelling() else untold).append(task.get_name())
                clock.cancel()

        told = f"with a test that leaves {listed(left) if left else 'no task'}"
        if breaks:
            told += f"; their cleanups raise {breaks.__name__}"
        if cancelled:
            told += ", and cancelled it while the test ran"
        elif error:
            told += f" and then raises {error.__name__}"
        if before in left:
            told += f" (a task that was there before has the name {before}, too)"
        lab.told(told)
        run = lab.run(scene(), cancel_after=cancelled, leaks=True)
        if breaks and isinstance(run.error, breaks):
            raise Wrong(
                "one failure ends all",
                f"It raised {type(run.error).__name__}: {run.error}. So it returned no names.",
                lab.text.let_out(run.error) or lab.text.of_traceback(run.error),
                "A cleanup may fail, and `leaks` goes on. Take its error where you wait: "
                "`asyncio.wait` raises none, and neither does `gather` with "
                "`return_exceptions=True`.",
                headline="let a cleanup's error out",
                at="lets the error out",
            )
        if late and (limit := lab.wait_behind("cancel")):
            raise Wrong(
                "early return",
                f"`leaks` was over after {run.elapsed:g} s, and {named(late)} had not ended: the "
                f"longest cleanup takes {max(cleanups[: len(left)]):g} s.",
                limit,
                "A cleanup may take its time: await the tasks themselves, without a limit.",
                headline="did not wait for the end",
                at="is all the time that they get",
            )
        named_at = self._told_by_name(lab)
        lacks = isinstance(run.result, list) and before not in run.result
        if before in left and named_at and (lacks or set(untold) == {before}):
            raise Wrong(
                "value",
                f"It returned {run.result}; the test left {named(left)}."
                if lacks
                else f"`leaks` was over, and the {before} that the test had left ran on.",
                named_at,
                "Two tasks may have the same name. Compare the tasks themselves.",
                headline="took one task for another",
                at="remembers the tasks of before by their names",
            )
        passed = lab.met_by_the_cancellation()
        if untold and cancelled and (passed or lab.waited_at):
            raise Wrong(
                "early return",
                f"`leaks` was over, and what the test had left still ran: {named(untold)}.",
                passed or lab.waited_at,
                "A CancelledError is no `Exception`: what is to be done however the test ends "
                "belongs in a `finally`."
                if passed
                else "What comes after that line is skipped. What is to be done however the test "
                "ends belongs in a `finally`.",
                headline="ended nothing",
                at="lets the cancellation pass" if passed else "is where it was cancelled",
            )
        return {
            "": lab.seen(run),
            "of the tasks that the test left, these still ran:": [
                task.get_name() for task in tasks
            ],
            "that the task of before went on is": went_on[0],
        }

    @right
    async def with_gather(test):
        """Return the names of the tasks that `test` left, sorted; end them."""
        before = asyncio.all_tasks()
        try:
            await test()
        finally:
            left = asyncio.all_tasks() - before
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
        return sorted(task.get_name() for task in left)

    @right
    async def in_a_task_of_its_own(test):
        before = asyncio.all_tasks()
        task = asyncio.create_task(test())
        try:
            await asyncio.wait([task])
        finally:
            left = asyncio.all_tasks() - before
            for other in left:
                other.cancel()
            if left:
                await asyncio.wait(left)
        await task
        return sorted(other.get_name() for other in left)

    @wrong("others' tasks", says="clock")
    async def all_there_are(test):
        await test()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        return sorted(task.get_name() for task in left)

    @wrong("others' tasks", says="`clock` ran before")
    async def ends_all_there_are(test):
        await test()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.wait(left)
        return sorted(task.get_name() for task in left)

    @wrong("others' tasks", says="clock")
    async def never_compares(test):
        await test()
        return sorted(task.get_name() for task in asyncio.all_tasks())

    @wrong("early return", says="radio")
    async def only_names_them(test):
        before = asyncio.all_tasks()
        await test()
        return sorted(task.get_name() for task in asyncio.all_tasks() - before)

    @wrong("early return", says="radio takes 2 s")
    async def only_asks(test):
        before = asyncio.all_tasks()
        await test()
        left = asyncio.all_tasks() - before
        for task in left:
            task.cancel()
        await asyncio.sleep(0)
        return sorted(task.get_name() for task in left)

    not_if_it_fails = only_asks.but(
        "asyncio.sleep(0)",
        "asyncio.gather(*left, return_exceptions=True)",
        kind="early return",
        says="failed with a LookupError",
    )

    in_a_group = with_gather.but(
        "await test()",
        "async with asyncio.TaskGroup() as group:\n    group.create_task(test())",
        kind="another error",
        says="ExceptionGroup",
    )

    @wrong("lost error", says="LookupError")
    async def catches_all(test):
        before = asyncio.all_tasks()
        try:
            await test()
        except Exception:
            pass
        left = asyncio.all_tasks() - before
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        return sorted(task.get_name() for task in left)

    @wrong("awaited the cancelled", says="meets that error")
    async def awaits_each(test):
        before = asyncio.all_tasks()
        try:
            await test()
        finally:
            left = asyncio.all_tasks() - before
            for task in left:
                task.cancel()
                await task
        return sorted(task.get_name() for task in left)

    @wrong("late", says="their own end")
    async def never_cancels(test):
        before = asyncio.all_tasks()
        await test()
        left = asyncio.all_tasks() - before
        await asyncio.gather(*left)
        return sorted(task.get_name() for task in left)

    guesses_how_long = with_gather.but(
        "asyncio.gather(*left, return_exceptions=True)",
        "asyncio.sleep(3)",
        kind="late",
        says="over at 4 s",
    )

    @wrong("lost error", says="no `return` in a `finally`")
    async def returns_in_finally(test):
        before = asyncio.all_tasks()
        try:
            await test()
        finally:
            left = asyncio.all_tasks() - before
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
            return sorted(task.get_name() for task in left)

    sorted_backwards = with_gather.but(
        "task.get_name() for task in left",
        "(task.get_name() for task in left), reverse=True",
        kind="order",
        says="light",
    )
