"""Exercises of lesson 10: what becomes of many tasks when one fails, and who sees to the rest."""

import asyncio
import contextlib

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value

STOP = "Cancel the tasks that are left, in a `finally`, and await them. To cancel is only to ask."

MOMENT = 0.25  # seconds that a cancelled call takes to end


class Ended:
    """How a call of the answer ended. result or error; at: seconds; flying: calls that still ran
    at that instant; cancelled: those that had been told to stop a turn later.
    """

    result = error = None


class Tidy:
    """A service whose calls take a moment to end when they are cancelled. flying: calls that have
    not ended.
    """

    def __init__(self, service):
        self.service, self.flying = service, 0
        self.started, self.cancelled = service.started, service.cancelled
        self.__name__ = self.__qualname__ = service.__name__

    def __call__(self, argument):
        return named(self._call(argument), self.__name__)

    async def _call(self, argument):
        self.flying += 1
        try:
            return await self.service(argument)
        except asyncio.CancelledError:
            await asyncio.sleep(MOMENT)
            raise
        finally:
            self.flying -= 1


def named(coro, name):
    """The coroutine, under a name that the learner knows it by."""
    coro.__name__ = coro.__qualname__ = name
    return coro


async def play(to_be_cancelled, answer, service, *arguments):
    """Call the answer, and look at `service` in the instant in which it ends."""
    loop, ended = asyncio.get_running_loop(), Ended()
    begun = loop.time()
    service.ended = ended
    try:
        ended.result = await answer(service, *arguments)
    except Exception as error:
        if to_be_cancelled:
            raise  # the lab tells what else than a cancellation came out
        ended.error = error
    finally:
        ended.at = loop.time() - begun
        ended.flying = service.flying
        await asyncio.sleep(0)
        ended.cancelled = len(service.cancelled)
    return ended.result


def watched(lab, words, answer, service, *arguments, **how):
    """Play the scene in the lab; `words` follow "I called …" in messages."""
    lab.told(words)
    try:
        lab.run(play("cancel_after" in how, answer, service, *arguments), leaks=True, **how)
    except Wrong as found:
        if found.kind == "swallowed" and found.line is None:
            found.line = lab.line(r"except:|BaseException|CancelledError")
        raise
    except asyncio.CancelledError as error:
        place = lab.text.of_traceback(error)
        if place and "await" not in lab.text.code(*place):
            raise Wrong(
                "raised CancelledError",
                "It asked a cancelled task for its result or its "
                "error, and the CancelledError came out.",
                place,
                "A cancelled task has neither. Ask `task.cancelled()` first.",
            ) from None
        if everybody := lab.line(r"all_tasks"):
            raise Wrong(
                "cancelled itself",
                "A CancelledError came out, though nobody had cancelled it from outside.",
                everybody,
                "`asyncio.all_tasks()` holds the task that runs this line as well. Keep a "
                "list of the tasks that you start, and cancel those.",
            ) from None
        raise Wrong(
            "raised CancelledError",
            "It awaited a task that had been cancelled, and the task's CancelledError came out.",
            place,
            "`await asyncio.gather(*tasks, return_exceptions=True)` awaits cancelled tasks "
            "and keeps their errors to itself.",
        ) from None
    return service.ended


def none_left(lab, ended, when):
    """Raise Wrong if calls went on when the answer had ended. when: "it raised the error"."""
    if not ended.flying:
        return
    calls = f"{ended.flying} call{'s' * (ended.flying > 1)}"
    line = lab.line(r"gather\(|wait\(|as_completed\(|create_task\(")
    if ended.cancelled:
        raise Wrong(
            "losers",
            f"When {when}, {calls} had been asked to stop and had not ended.",
            lab.line(r"\.cancel\(") or line,
            "To cancel is only to ask. Await them after it, as `gather(*tasks, "
            "return_exceptions=True)` does.",
        )
    raise Wrong(
        "losers",
        f"When {when}, {calls} still ran, and nobody had asked "
        f"{'them' if ended.flying > 1 else 'it'} to stop.",
        line,
        STOP,
    )


def errors_in(error):
    """The errors in a group, however deep; a lone error is a list of one."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in errors_in(inner)]
    return [error]


class PredictWritten(Exercise):
    """Predict what is written

    Read this program, and do not run it. Each of the four runs begins with an empty `written`.

        async def a(): await asyncio.sleep(1); written.append("a")
        async def b(): await asyncio.sleep(2); raise ValueError
        async def c(): await asyncio.sleep(3); written.append("c")

        async def group():
            async with asyncio.TaskGroup() as group:
                for job in (a, b, c): group.create_task(job())

        async def gather(): await asyncio.gather(a(), b(), c())

        async def wait():
            tasks = [asyncio.create_task(a()), asyncio.create_task(c())]
            await asyncio.wait(tasks, timeout=2)

        async def main(way):
            with suppress(Exception): await way()
            await asyncio.sleep(10)

        async def brief_main(way):
            with suppress(Exception): await way()

        "group":   asyncio.run(main(group))
        "gather":  asyncio.run(main(gather))
        "wait":    asyncio.run(main(wait))
        "brief":   asyncio.run(brief_main(gather))

    Set `written` to a dict from these four names to the list of what is written in the end:
    `{"group": [...], "gather": [...], "wait": [...], "brief": [...]}`.
    """

    id = "written-1"
    asks = "written"
    minutes = 5
    hints = (
        "Who of the three is still at work when `way()` ends, and does somebody stop it?",
        "`gather` and `wait` stop nobody. A TaskGroup does.",
        "And what does `asyncio.run` do, at the end of `main`, with the tasks that are left? It "
        "cancels them. So it matters whether `main` sleeps on.",
    )
    right_values = (
        {"group": ["a"], "gather": ["a", "c"], "wait": ["a", "c"], "brief": ["a"]},
        {"group": "a", "gather": "ac", "wait": "ac", "brief": "a"},
        {"group": {"a"}, "gather": {"a", "c"}, "wait": {"a", "c"}, "brief": {"a"}},
    )
    wrong_values = (
        wrong_value(
            right_values[0] | {"gather": ["a"]},
            "let gather cancel the others",
            "You let `gather` stop `c` when `b` failed. It raises the error and leaves "
            "the others running.",
        ),
        wrong_value(
            right_values[0] | {"wait": ["a"]},
            "let wait cancel what is late",
            "You let `wait` stop `c` when its two seconds were over. It returns it among "
            "the pending ones, and leaves it running.",
        ),
        wrong_value(
            right_values[0] | {"gather": ["a"], "wait": ["a"]},
            "let everybody cancel the others",
            "You let `gather` and `wait` stop `c`. Neither stops anybody: of the three "
            "ways only the TaskGroup does.",
        ),
        wrong_value(
            right_values[0] | {"brief": ["a", "c"]},
            "let a task outlive its loop",
            "You let `c` write after the end of `brief_main`. `asyncio.run` cancels what "
            "is left, and closes the loop.",
        ),
        wrong_value(
            right_values[0] | {"group": ["a", "c"]},
            "let a group leave tasks behind",
            "You let `c` write in the group. When a child fails, a TaskGroup cancels the others.",
        ),
        wrong_value(
            dict.fromkeys(right_values[0], ["a", "c"]),
            "let nobody be stopped",
            "You let `c` write every time. A TaskGroup stops it, and so does the end of "
            "`asyncio.run`.",
        ),
        wrong_value(
            right_values[0] | {"group": []},
            "took back what was done",
            "You let the group undo what `a` has written. To cancel stops what is still "
            "at work; what is done is done.",
        ),
    )


class PredictEnd(Exercise):
    """When does the group end?

    Read this program, and do not run it.

        async def fails():
            await asyncio.sleep(2)
            raise ValueError

        async def tidy():
            try:
                await asyncio.sleep(10)
            finally:
                await asyncio.sleep(3)

        async def short():
            await asyncio.sleep(1)

        async def main():
            try:
                async with asyncio.TaskGroup() as group:
                    for job in (fails, tidy, short):
                        group.create_task(job())
            except* ValueError:
                print("the group has ended")

    After how many seconds does it print? Set `seconds`.
    """

    id = "group-end-1"
    asks = "seconds"
    minutes = 3
    hints = (
        "At 2 s one child has failed. What does the group do then, and what must it wait for?",
        "`tidy` is told at 2 s, in the middle of its first sleep. What does it do next?",
    )
    right_values = (5,)
    wrong_values = (
        wrong_value(
            2,
            "took asking for ending",
            "At 2 s `tidy` is asked to stop. It has a `finally`, which takes its time, "
            "and the group waits until all its children have ended.",
        ),
        wrong_value(
            13,
            "let tidy sleep to its end",
            "13 s is what `tidy` takes if nobody cancels it. The failure at 2 s ends its "
            "first sleep.",
        ),
        wrong_value(
            10,
            "let tidy sleep to its end",
            "You let the first sleep of `tidy` go on to its end. The failure at 2 s ends "
            "it, and then comes the `finally`.",
        ),
        wrong_value(
            3,
            "started the clock too early",
            "The `finally` of `tidy` takes 3 s, but it begins only when `tidy` is told.",
        ),
        wrong_value(
            1,
            "followed the wrong child",
            "At 1 s `short` ends, and nothing is wrong with that. The group goes on.",
        ),
        wrong_value(6, "added up", "You added `short` to it. The three run at the same time."),
    )


class FailFast(Exercise):
    """All or nothing

    `buy(item)` is a coroutine function that takes a while, and may fail. Write
    `all_or_nothing(buy, items)`. It buys all items at the same time, and returns what `buy`
    returned for each, in the order of `items`.

    If one of them fails, the others are stopped, and the error comes out, alone or in a group.
    When `all_or_nothing` itself is cancelled, all are stopped. Either way, every `buy` has ended
    when `all_or_nothing` ends. (One that is cancelled may take a moment to clean up.)
    """

    id = "fail-fast-1"
    asks = "all_or_nothing"
    minutes = 8
    hints = (
        "Which of the five ways of the lesson stops the others when one fails?",
        "A TaskGroup does all that is asked. After its block each task has its `result()`.",
        "`async with asyncio.TaskGroup() as group: tasks = [group.create_task(buy(item)) for item "
        "in items]`, and then the results of `tasks`.",
    )

    def verify(self, all_or_nothing, lab):
        seconds, items = {"tea": 3, "milk": 1, "cake": 2}, ["tea", "milk", "cake"]
        bought = {item: f"a {item}" for item in items}
        buy = lab.service(seconds, bought, name="buy")
        run = lab.run(all_or_nothing, buy, items)
        lab.equal(run.result, list(bought.values()))
        lab.concurrent(run, longest=3, total=6)
        for late, error in (("milk", ValueError("no milk")), ("cake", OSError("no cake"))):
            buy = Tidy(lab.service(seconds, bought, {late: error}, name="buy"))
            after = seconds[late]
            ended = watched(lab, f"and `{late}` failed after {after} s", all_or_nothing, buy, items)
            self._failed(lab, ended, error, after)
        buy = Tidy(lab.service(seconds, bought, name="buy"))
        ended = watched(
            lab, "and cancelled it after 0.5 s", all_or_nothing, buy, items, cancel_after=0.5
        )
        none_left(lab, ended, "it was cancelled and ended")

    def _failed(self, lab, ended, error, after):
        words = f"{type(error).__name__}"
        if ended.error is None:
            raise Wrong(
                "lost error",
                f"It returned {ended.result!r}, as if all had gone well.",
                lab.line(r"except|return_exceptions|suppress"),
            )
        if error not in errors_in(ended.error):
            raise Wrong(
                "lost error",
                f"{words} was to come out. What came out was {ended.error!r}.",
                lab.line(r"\braise\b|except"),
            )
        if ended.at > after + MOMENT + 1e-6:
            raise Wrong(
                "heard of it late",
                f"{words} was raised after {after} s, and came out after {ended.at:g} s.",
                lab.text.sequential_await(),
                "Whoever awaits tasks one by one hears of a failure when its turn comes, "
                "and whoever waits for all hears of it last. Stop at the first failure.",
            )
        none_left(lab, ended, f"the {words} came out")

    @right
    async def with_a_group(buy, items):
        """Buy all items at once and return what was bought, in order; or stop them all."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(buy(item)) for item in items]
        return [task.result() for task in tasks]

    @right
    async def with_gather_and_a_finally(buy, items):
        tasks = [asyncio.create_task(buy(item)) for item in items]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    @wrong("losers", says="2 calls still ran")
    async def with_gather(buy, items):
        return await asyncio.gather(*(buy(item) for item in items))

    @wrong("losers", says="had not ended")
    async def asks_and_goes(buy, items):
        tasks = [asyncio.create_task(buy(item)) for item in items]
        try:
            return await asyncio.gather(*tasks)
        except Exception:
            for task in tasks:
                task.cancel()
            raise

    @wrong("losers", says="had not ended")
    async def waits_a_turn(buy, items):
        tasks = [asyncio.create_task(buy(item)) for item in items]
        try:
            return await asyncio.gather(*tasks)
        except Exception:
            for task in tasks:
                task.cancel()
            await asyncio.sleep(0)
            raise

    @wrong("cancelled itself", says="holds the task that runs this line")
    async def cancels_everybody(buy, items):
        try:
            return await asyncio.gather(*(buy(item) for item in items))
        except Exception:
            for task in asyncio.all_tasks():
                task.cancel()
            raise

    @wrong("heard of it late", says="whoever waits for all")
    async def waits_for_all(buy, items):
        results = await asyncio.gather(*map(buy, items), return_exceptions=True)
        for each in results:
            if isinstance(each, Exception):
                raise each
        return results

    @wrong("losers", says="cancelled it after 0.5 s")
    async def forgets_its_own_cancellation(buy, items):
        tasks = [asyncio.create_task(buy(item)) for item in items]
        done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        return [task.result() for task in tasks if not task.cancelled()]

    @wrong("sequential", says="one after another")
    async def one_by_one(buy, items):
        return [await buy(item) for item in items]

    @wrong("heard of it late", says="came out after 3 s")
    async def awaits_them_in_order(buy, items):
        tasks = [asyncio.create_task(buy(item)) for item in items]
        try:
            return [await task for task in tasks]
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    @wrong("lost error", says="as if all had gone well")
    async def errors_as_values(buy, items):
        return await asyncio.gather(*(buy(item) for item in items), return_exceptions=True)

    @wrong("lost error", says="as if all had gone well")
    async def catches_the_group(buy, items):
        tasks = []
        try:
            async with asyncio.TaskGroup() as group:
                tasks += [group.create_task(buy(item)) for item in items]
        except* Exception as errors:
            print(errors)
        return [task.result() for task in tasks if not task.cancelled() and not task.exception()]

    @wrong("order")
    async def as_they_come(buy, items):
        bought = []
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(buy(item)) for item in items]
            for next_one in asyncio.as_completed(tasks):
                bought.append(await next_one)
        return bought

    @wrong("not awaited")
    async def returns_the_tasks(buy, items):
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(buy(item)) for item in items]
        return tasks


class FirstAnswer(Exercise):
    """The first answer wins

    Several servers know the same. `ask(server)` is a coroutine function that takes a while, and
    may fail. Write `first_answer(ask, servers)`.

    - It asks all servers at the same time, and returns the first answer that comes.
    - A server that fails doesn't count, as long as another one answers.
    - If all fail, it raises an `ExceptionGroup` with the errors of all of them.
    - However it ends, by being cancelled too, every `ask` has ended then. (One that is cancelled
      may take a moment to clean up.)
    """

    id = "first-answer-1"
    asks = "first_answer"
    minutes = 12
    hints = (
        "You want to look at each one as it comes. Which two ways of the lesson let you do that?",
        "`as_completed`, with a `try` inside of the loop: return the first that does not fail, "
        "keep the errors of those that do. What is raised when the loop has come to its end?",
        "And the losers? `finally:` cancel all tasks (to cancel one that is done does nothing), "
        "and `await asyncio.gather(*tasks, return_exceptions=True)`.",
    )

    def verify(self, first_answer, lab):
        servers = ["ann", "ben", "cleo"]
        answers = {"ann": "from ann", "ben": "from ben", "cleo": "from cleo"}
        seconds = {"ann": 3, "ben": 1, "cleo": 2}

        def scene(words, errors, **how):
            ask = Tidy(lab.service(seconds, answers, errors, name="ask"))
            ended = watched(lab, words, first_answer, ask, servers, **how)
            return ask, ended

        ask, ended = scene("with servers that take 3, 1 and 2 s", {})
        self._answered(lab, ask, ended, "from ben", 1)
        refused = ValueError("ben is down")
        ask, ended = scene("and the quickest server failed", {"ben": refused})
        self._answered(lab, ask, ended, "from cleo", 2)
        errors = {name: OSError(f"{name} is down") for name in servers}
        ask, ended = scene("and all three servers failed", errors)
        self._all_failed(lab, ended, list(errors.values()))
        ask, ended = scene("and cancelled it after 0.5 s", {}, cancel_after=0.5)
        none_left(lab, ended, "it was cancelled and ended")

    def _answered(self, lab, ask, ended, answer, after):
        if ended.error is not None:
            if errors_in(ended.error)[0].args != ("ben is down",):
                raise ended.error
            raise Wrong(
                "took a failure for the answer",
                f"It raised {ended.error!r}. Another server would have answered.",
                lab.text.of_traceback(ended.error),
                "The first that is *done* may have failed. Then wait for the next one.",
            )
        if len(ask.started) < 3:
            raise Wrong(
                "sequential",
                f"When it ended, it had asked {len(ask.started)} of 3 servers.",
                lab.text.sequential_await(),
            )
        lab.equal(ended.result, ended.result)  # a coroutine or a task in it is named here
        if ended.at > after + MOMENT + 1e-6:
            raise Wrong(
                "waited for a loser",
                f"The first answer was there after {after} s. It "
                f"returned {ended.result!r} after {ended.at:g} s.",
                lab.line(r"gather|\.wait\(|TaskGroup|await task\b"),
                "Return when the first answer comes: `as_completed`, or `wait` with "
                "`FIRST_COMPLETED`. And cancel the others before you await them.",
            )
        lab.equal(ended.result, answer)
        none_left(lab, ended, "it returned the answer")

    def _all_failed(self, lab, ended, errors):
        if ended.error is None:
            raise Wrong(
                "lost error",
                f"It returned {ended.result!r}.",
                lab.line("except|return"),
                "If nobody answers, the caller must hear why: `raise "
                'ExceptionGroup("nobody answered", errors)`.',
            )
        if not isinstance(ended.error, ExceptionGroup):
            raise Wrong(
                "no group",
                f"It raised {ended.error!r}; asked is an ExceptionGroup of the three errors.",
                lab.line(r"\braise\b") or lab.text.of_traceback(ended.error),
                'Keep each error in a list: `raise ExceptionGroup("nobody answered", errors)`.',
            )
        found = errors_in(ended.error)
        if missing := [error for error in errors if error not in found]:
            raise Wrong(
                "lost error",
                f"The group holds {found!r}. {missing!r} is missing.",
                lab.line(r"ExceptionGroup|append"),
                "Each failure belongs into the list.",
            )
        none_left(lab, ended, "it raised the group")

    @right
    async def as_they_come(ask, servers):
        """Return the first answer; raise an ExceptionGroup if all servers fail."""
        tasks = [asyncio.create_task(ask(server)) for server in servers]
        errors = []
        try:
            for next_one in asyncio.as_completed(tasks):
                try:
                    return await next_one
                except Exception as error:
                    errors.append(error)
            raise ExceptionGroup("nobody answered", errors)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    @right
    async def with_wait(ask, servers):
        pending = {asyncio.create_task(ask(server)) for server in servers}
        errors = []
        try:
            while pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    if task.exception() is None:
                        return task.result()
                    errors.append(task.exception())
            raise ExceptionGroup("nobody answered", errors)
        finally:
            for task in pending:
                task.cancel()
            await asyncio.gather(*pending, return_exceptions=True)

    @wrong("losers", says="2 calls still ran")
    async def goes_with_the_answer(ask, servers):
        errors = []
        for next_one in asyncio.as_completed([ask(server) for server in servers]):
            try:
                return await next_one
            except Exception as error:
                errors.append(error)
        raise ExceptionGroup("nobody answered", errors)

    @wrong("losers", says="had not ended")
    async def asks_the_losers_and_goes(ask, servers):
        tasks = [asyncio.create_task(ask(server)) for server in servers]
        errors = []
        try:
            for next_one in asyncio.as_completed(tasks):
                try:
                    return await next_one
                except Exception as error:
                    errors.append(error)
            raise ExceptionGroup("nobody answered", errors)
        finally:
            for task in tasks:
                task.cancel()

    @wrong("losers", says="cancelled it after 0.5 s")
    async def cancels_after_an_answer_only(ask, servers):
        pending = {asyncio.create_task(ask(server)) for server in servers}
        errors = []
        while pending:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                if task.exception() is None:
                    for loser in pending:
                        loser.cancel()
                    await asyncio.gather(*pending, return_exceptions=True)
                    return task.result()
                errors.append(task.exception())
        raise ExceptionGroup("nobody answered", errors)

    @wrong("took a failure for the answer", says="Another server would have answered")
    async def first_that_is_done(ask, servers):
        tasks = [asyncio.create_task(ask(server)) for server in servers]
        done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        return done.pop().result()

    @wrong("raised CancelledError", says="return_exceptions=True")
    async def awaits_the_cancelled(ask, servers):
        tasks = [asyncio.create_task(ask(server)) for server in servers]
        done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
            await task
        return done.pop().result()

    @wrong("sequential", says="1 of 3")
    async def one_by_one(ask, servers):
        errors = []
        for server in servers:
            try:
                return await ask(server)
            except Exception as error:
                errors.append(error)
        raise ExceptionGroup("nobody answered", errors)

    @wrong("waited for a loser", says="after 3 s")
    async def waits_for_all(ask, servers):
        results = await asyncio.gather(*map(ask, servers), return_exceptions=True)
        for each in results:
            if not isinstance(each, Exception):
                return each
        raise ExceptionGroup("nobody answered", results)

    @wrong("waited for a loser", says="after 3 s")
    async def a_group_waits_for_all(ask, servers):
        answers, errors = [], []

        async def one(server):
            try:
                answers.append(await ask(server))
            except Exception as error:
                errors.append(error)

        async with asyncio.TaskGroup() as group:
            for server in servers:
                group.create_task(one(server))
        if not answers:
            raise ExceptionGroup("nobody answered", errors)
        return answers[0]

    @wrong("no group", says="ExceptionGroup of the three errors")
    async def raises_the_last_error(ask, servers):
        tasks = [asyncio.create_task(ask(server)) for server in servers]
        try:
            for next_one in asyncio.as_completed(tasks):
                try:
                    return await next_one
                except Exception as error:
                    last = error
            raise last
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    @wrong("lost error", says="It returned None")
    async def says_nothing(ask, servers):
        tasks = [asyncio.create_task(ask(server)) for server in servers]
        try:
            for next_one in asyncio.as_completed(tasks):
                with contextlib.suppress(Exception):
                    return await next_one
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


class Within(Exercise):
    """What can be had in time

    `fetch(url)` is a coroutine function that takes a while, and may fail. Write
    `fetch_within(fetch, urls, seconds)`. It fetches all pages at the same time and returns a
    dict, from url to page, of those that came in time.

    - It returns as soon as all have ended. After `seconds` seconds it stops those that are left,
      and returns.
    - What failed is left out, and so is what was late.
    - However it ends, by being cancelled too, every `fetch` has ended then. (One that is cancelled
      may take a moment to clean up.)
    """

    id = "within-1"
    asks = "fetch_within"
    minutes = 10
    hints = (
        "`asyncio.wait` can be given a `timeout`. What does it do with the tasks that are late?",
        "Keep the tasks in a dict from url to task. After `wait`, cancel the late ones and await "
        "them. A `finally` does that however the function ends.",
        "At the end three kinds of tasks are there. `task.cancelled()` tells the late ones, "
        "`task.exception()` the failed ones (ask in this order), and the others have a "
        "`task.result()`.",
    )

    def verify(self, fetch_within, lab):
        urls, seconds = ["/a", "/b", "/c", "/d"], {"/a": 1, "/b": 0.5, "/c": 9, "/d": 2}
        down = {"/b": ValueError("/b is down")}
        fetch = Tidy(lab.service(seconds, errors=down))
        ended = watched(
            lab,
            "with pages that take 1, 0.5, 9 and 2 s, of which the second fails, and gave it 3 s",
            fetch_within,
            fetch,
            urls,
            3,
        )
        self._pages(lab, ended, ["/a", "/d"], after=3, given=3)
        fetch = Tidy(lab.service(seconds, errors=down))
        ended = watched(
            lab,
            "with pages that take 1, 0.5 and 2 s, of which the second fails, and gave it 5 s",
            fetch_within,
            fetch,
            ["/a", "/b", "/d"],
            5,
        )
        self._pages(lab, ended, ["/a", "/d"], after=2, given=5)
        fetch = Tidy(lab.service(seconds))
        ended = watched(
            lab, "and cancelled it after 0.25 s", fetch_within, fetch, urls, 3, cancel_after=0.25
        )
        none_left(lab, ended, "it was cancelled and ended")

    def _pages(self, lab, ended, urls, after, given):
        if isinstance(ended.error, TimeoutError):
            raise Wrong(
                "threw the pages away",
                f"It raised TimeoutError after {ended.at:g} s, "
                f"and the pages of {' and '.join(urls)} were there.",
                lab.line(r"wait_for|timeout"),
                "Keep each page outside of what is cancelled: in a task of its own, or in a dict.",
            )
        if ended.error is not None and "/b is down" in map(str, errors_in(ended.error)):
            raise Wrong(
                "let one failure end it",
                f"The page /b failed, and {ended.error!r} came out. Two other pages came in time.",
                lab.text.of_traceback(ended.error) or lab.line("gather|TaskGroup|result"),
                "Look at each task: `task.exception()` tells whether it failed.",
            )
        if ended.error is not None:
            raise ended.error
        if ended.at > after + MOMENT + 1e-6:
            if after < given:
                raise Wrong(
                    "waited for the clock",
                    f"All had ended after {after} s. It returned after {ended.at:g} s.",
                    lab.line("sleep"),
                    "`wait` with a `timeout` returns earlier when all are done.",
                )
            raise Wrong(
                "waited too long",
                f"It returned after {ended.at:g} s, and {given} s were allowed.",
                lab.text.sequential_await(),
                "Start all of them, and wait once for all: `asyncio.wait(tasks, timeout=seconds)`.",
            )
        pages = {url: f"page {url}" for url in urls}
        bad = (
            [url for url, page in ended.result.items() if isinstance(page, BaseException)]
            if (isinstance(ended.result, dict))
            else []
        )
        if bad:
            raise Wrong(
                "kept an error for a page",
                f"It returned {ended.result!r}.",
                lab.line("return_exceptions|exception"),
                "What failed, or was late, is left out. `isinstance(each, BaseException)` "
                "tells: CancelledError is no Exception.",
            )
        if ended.at < after - 1e-6 and isinstance(ended.result, dict):
            raise Wrong(
                "let one failure end it",
                f"The page /b failed after 0.5 s. It returned "
                f"{ended.result!r} after {ended.at:g} s, and the others had not ended.",
                lab.line(r"TaskGroup|gather|FIRST_"),
                "A failure is no reason to stop the others. Let each task catch its own.",
            )
        none_left(lab, ended, f"it returned, after {ended.at:g} s")
        if isinstance(ended.result, dict):
            for url, page in ended.result.items():
                if str(page).startswith("page /") and page != f"page {url}":
                    raise Wrong(
                        "mixed the pages up",
                        f"It returned {ended.result!r}.",
                        lab.line(r"\bzip\b") or lab.line(r"\bdone\b"),
                        "`done` is a set, and has no order: keep a dict from url to task, "
                        "or from task to url.",
                    )
        lab.equal(ended.result, pages)

    @right
    async def with_wait(fetch, urls, seconds):
        """Return a dict from url to page of what came within `seconds` seconds."""
        tasks = {url: asyncio.create_task(fetch(url)) for url in urls}
        try:
            await asyncio.wait(tasks.values(), timeout=seconds)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
        return {
            url: task.result()
            for url, task in tasks.items()
            if not task.cancelled() and task.exception() is None
        }

    @right
    async def with_a_group(fetch, urls, seconds):
        pages = {}

        async def one(url):
            with contextlib.suppress(Exception):
                pages[url] = await fetch(url)

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                for url in urls:
                    group.create_task(one(url))
        return pages

    @wrong("losers", says="1 call still ran")
    async def leaves_the_late_ones(fetch, urls, seconds):
        tasks = {url: asyncio.create_task(fetch(url)) for url in urls}
        done, pending = await asyncio.wait(tasks.values(), timeout=seconds)
        return {
            url: task.result()
            for url, task in tasks.items()
            if task in done and task.exception() is None
        }

    @wrong("losers", says="cancelled it after 0.25 s")
    async def forgets_its_own_cancellation(fetch, urls, seconds):
        tasks = {url: asyncio.create_task(fetch(url)) for url in urls}
        done, pending = await asyncio.wait(tasks.values(), timeout=seconds)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        return {
            url: task.result()
            for url, task in tasks.items()
            if task in done and task.exception() is None
        }

    @wrong("let one failure end it", says="Two other pages")
    async def with_gather(fetch, urls, seconds):
        pages = await asyncio.gather(*(fetch(url) for url in urls))
        return dict(zip(urls, pages))

    @wrong("let one failure end it", says="task.exception()")
    async def asks_each_for_its_result(fetch, urls, seconds):
        tasks = {url: asyncio.create_task(fetch(url)) for url in urls}
        done, pending = await asyncio.wait(tasks.values(), timeout=seconds)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        return {url: task.result() for url, task in tasks.items() if task in done}

    @wrong("let one failure end it", says="had not ended")
    async def group_around_all(fetch, urls, seconds):
        tasks = {}
        try:
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                tasks |= {url: group.create_task(fetch(url)) for url in urls}
        except* Exception:
            pass
        return {
            url: task.result()
            for url, task in tasks.items()
            if not task.cancelled() and task.exception() is None
        }

    @wrong("raised CancelledError", says="Ask `task.cancelled()` first")
    async def asks_the_late_ones_too(fetch, urls, seconds):
        tasks = {url: asyncio.create_task(fetch(url)) for url in urls}
        await asyncio.wait(tasks.values(), timeout=seconds)
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        return {url: task.result() for url, task in tasks.items() if not task.exception()}

    @wrong("kept an error for a page", says="is left out")
    async def errors_as_values(fetch, urls, seconds):
        tasks = [asyncio.create_task(fetch(url)) for url in urls]
        await asyncio.wait(tasks, timeout=seconds)
        for task in tasks:
            task.cancel()
        return dict(zip(urls, await asyncio.gather(*tasks, return_exceptions=True)))

    @wrong("mixed the pages up", says="has no order")
    async def takes_done_for_a_list(fetch, urls, seconds):
        tasks = [asyncio.create_task(fetch(url)) for url in urls]
        done, late = await asyncio.wait(tasks, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        return {url: task.result() for url, task in zip(urls, done) if not task.exception()}

    @wrong("threw the pages away", says="Keep each page")
    async def wait_for_all_or_none(fetch, urls, seconds):
        gathered = asyncio.gather(*(fetch(url) for url in urls), return_exceptions=True)
        pages = await asyncio.wait_for(gathered, seconds)
        return {url: page for url, page in zip(urls, pages) if not isinstance(page, Exception)}

    @wrong("waited too long", says="9 s")
    async def waits_for_all(fetch, urls, seconds):
        pages = await asyncio.gather(*(fetch(url) for url in urls), return_exceptions=True)
        return {url: page for url, page in zip(urls, pages) if not isinstance(page, Exception)}

    @wrong("waited for the clock", says="All had ended")
    async def sleeps_it_out(fetch, urls, seconds):
        tasks = {url: asyncio.create_task(fetch(url)) for url in urls}
        try:
            await asyncio.sleep(seconds)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
        return {
            url: task.result()
            for url, task in tasks.items()
            if not task.cancelled() and task.exception() is None
        }

    @wrong("waited too long", says="Start all of them")
    async def one_by_one(fetch, urls, seconds):
        pages = {}
        for url in urls:
            with contextlib.suppress(Exception):
                pages[url] = await asyncio.wait_for(fetch(url), seconds)
        return pages


class Worker:
    """A worker that fails as often as told, 1 s after each start, and then works for a while.

    errors: what each start fails with, in turn. works: seconds that the next one takes.
    """

    def __init__(self, errors, works=1):
        self.errors, self.works = list(errors), works
        self.started, self.cancelled, self.flying = [], [], 0

    def __call__(self):
        return named(self._work(), "worker")

    async def _work(self):
        self.started.append(asyncio.get_running_loop().time())
        self.flying += 1
        number = len(self.started)
        try:
            await asyncio.sleep(1 if number <= len(self.errors) else self.works)
        except asyncio.CancelledError:
            self.cancelled.append(number)
            raise
        finally:
            self.flying -= 1
        if number <= len(self.errors):
            raise self.errors[number - 1]
        return "done"

    def __repr__(self):
        return "worker"


class Supervise(Exercise):
    """A supervisor

    `worker()` is a coroutine function that is meant to run for a long time, and may fail with any
    kind of error. Write `supervise(worker, restarts, pause)`.

    - It runs the worker, and returns what the worker returns.
    - If the worker fails, it waits for `pause` seconds and starts it again, `restarts` times at
      most. If the worker fails once more after that, this last error comes out at once.
    - If `supervise` is cancelled, the worker is stopped and not started again.
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
            self._starts(lab, ended, worker, [0, 3, 6])
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
            worker = Worker(errors[:1], works=10)
            ended = self._watch(
                lab, f"and cancelled it {words}", supervise, worker, 5, 2, cancel_after=after
            )
            if worker.flying or ended.flying:
                raise Wrong(
                    "losers",
                    "When it was cancelled and had ended, the worker still ran.",
                    lab.line(r"create_task|ensure_future|wait\(|shield"),
                    "Await the worker itself, `await worker()`: then whoever cancels you "
                    "cancels it as well.",
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
                    "no end to it",
                    f"It started the worker {len(worker.started)} times and went on.",
                    lab.line(r"\bwhile\b|\bfor\b"),
                    "Count the restarts, and let the last error out.",
                )
            return await made

        return watched(lab, words, patient, worker, restarts, pause, **how)

    def _starts(self, lab, ended, worker, expected):
        if isinstance(ended.error, Wrong):
            raise ended.error
        lab.equal(ended.result, ended.result)  # a coroutine is named here
        started = [round(at, 3) for at in worker.started]
        if started == expected:
            return
        said = f"It started the worker at {started} s; asked is {expected}."
        if ended.error is not None and len(started) < len(expected):
            if not set(errors_in(ended.error)) & set(worker.errors):
                raise ended.error
            raise Wrong(
                "gave up too early",
                f"{said} Then {ended.error!r} came out.",
                lab.line(r"\bexcept\b|range|while"),
                "Any kind of error counts, and `restarts` does not count the first start.",
            )
        if len(started) > len(expected):
            raise Wrong(
                "one restart too many",
                said,
                lab.line(r"range|while|[<>]"),
                "`restarts` starts come after the first one, and no more.",
            )
        if len(started) == len(expected):
            raise Wrong(
                "another pause",
                said,
                lab.line("sleep") or lab.line(r"\bexcept\b"),
                "A worker that fails at once would be started again and again without a "
                "pause: `await asyncio.sleep(pause)`, between a failure and the next "
                "start.",
            )
        raise Wrong(
            "gave up too early",
            said,
            lab.line(r"range|while|[<>]"),
            "`restarts` does not count the first start.",
        )

    def _gives_up(self, lab, ended, worker, error, expected):
        self._starts(lab, ended, worker, expected)
        if ended.error is None:
            raise Wrong(
                "lost error",
                f"The worker failed with {error!r} for the last time, and "
                f"it returned {ended.result!r}.",
                lab.line(r"\bexcept\b") or lab.line(r"return_exceptions"),
                "When no restart is left, let the error out: `raise`.",
            )
        if errors_in(ended.error) != [error]:
            raise Wrong(
                "another error",
                f"The last error was {error!r}. What came out was {ended.error!r}.",
                lab.line(r"\braise\b"),
                "A plain `raise` in the `except` lets out what was caught.",
            )
        if ended.at > expected[-1] + 1.001:
            raise Wrong(
                "one pause too many",
                f"The last error was there after "
                f"{expected[-1] + 1} s, and came out after {ended.at:g} s.",
                lab.line("sleep"),
                "Pause only when there is a restart to come.",
            )

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

    @wrong("swallowed", says="catches the cancellation and goes on: `except BaseException:`")
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

    @wrong("not awaited", says="worker")
    async def returns_a_coroutine(worker, restarts, pause):
        for left in range(restarts, -1, -1):
            try:
                return worker()
            except Exception:
                if not left:
                    raise
            await asyncio.sleep(pause)

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

    @wrong("one restart too many", says="starts come after the first one")
    async def one_more(worker, restarts, pause):
        for left in range(restarts + 1, -1, -1):
            try:
                return await worker()
            except Exception:
                if not left:
                    raise
            await asyncio.sleep(pause)

    @wrong("gave up too early", says="does not count the first start")
    async def counts_the_first_start(worker, restarts, pause):
        for left in range(restarts - 1, -1, -1):
            try:
                return await worker()
            except Exception:
                if not left:
                    raise
            await asyncio.sleep(pause)
        return await worker()

    @wrong("gave up too early", says="Any kind of error")
    async def one_kind_of_error(worker, restarts, pause):
        for left in range(restarts, -1, -1):
            try:
                return await worker()
            except ValueError:
                if not left:
                    raise
            await asyncio.sleep(pause)

    @wrong("lost error", says="for the last time")
    async def gives_up_in_silence(worker, restarts, pause):
        for left in range(restarts, -1, -1):
            try:
                return await worker()
            except Exception as error:
                print(error)
            if left:
                await asyncio.sleep(pause)

    @wrong("another pause", says="without a pause")
    async def restarts_at_once(worker, restarts, pause):
        for left in range(restarts, -1, -1):
            try:
                return await worker()
            except Exception:
                if not left:
                    raise

    @wrong("one pause too many", says="came out after 9 s")
    async def pauses_before_it_gives_up(worker, restarts, pause):
        for left in range(restarts, -1, -1):
            try:
                return await worker()
            except Exception:
                await asyncio.sleep(pause)
                if not left:
                    raise

    @wrong("no end to it", says="Count the restarts")
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
