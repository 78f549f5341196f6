"""Long, for a first answer can be missed, and a loser left, in many ways."""

import ast
import asyncio
import contextlib

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import holds, own_nodes, uses

from .shared import KEPT, LONG, MOMENT, Tidy, errors_in, none_left, swept, watched


class FirstAnswer(Exercise):
    """The first answer wins

    Several servers, at least one, know the same answer. `ask(server)` is a coroutine function
    that takes a while, and may fail. Write `first_answer(ask, servers)`.

    - It asks all servers at the same time, and returns the first answer that comes. (No server
      stands in `servers` twice.)
    - A server that fails doesn't count, as long as another one answers.
    - If all fail, it raises an `ExceptionGroup` with the errors of all of them.
    - However it ends, even if it is cancelled, every `ask` has ended by then. An `ask` that is
      cancelled may take a while to clean up.
    """

    id = "first-answer-1"
    asks = "first_answer"
    minutes = 12
    hints = (
        "You want to look at each one as it comes. Which two ways of the lesson let you do that?",
        "`as_completed`, with a `try` inside the loop: return the first that does not fail, "
        "keep the errors of those that do. What is raised when the loop has come to its end?",
        "And the losers? `finally:` cancel all tasks (to cancel one that is done does nothing), "
        "and `await asyncio.gather(*tasks, return_exceptions=True)`.",
    )

    equivalent = {
        "as_they_come: each once, line 4": "no server is named twice",
        "with_wait: each once, line 4": "no server is named twice",
        "with_wait: falsy for None, line 11": "an error is never falsy",
        "with_wait: drop falsy, line 13": "an error is never falsy",
    }

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
        none_left(lab, ended, "It was cancelled and ended")

    def _answered(self, lab, ask, ended, answer, after):
        if ended.error is not None:
            if errors_in(ended.error)[0].args != ("ben is down",):
                raise ended.error
            place = lab.text.of_traceback(ended.error)
            had_answered = "cleo" in ask.service.finished
            if had_answered and place and "await" in lab.text.code(*place):
                raise Wrong(
                    "one failure ends all",
                    f"{ended.error!r} came out after {ended.at:g} s. Another server had answered "
                    "by then.",
                    place,
                    "Whoever awaits a task that has failed gets its error, in a cleanup too. "
                    "`gather(*tasks, return_exceptions=True)` keeps the errors to itself.",
                    headline="raised the error of a failed server",
                )
            group = isinstance(ended.error, ExceptionGroup) and lab.call_of("TaskGroup")
            raise Wrong(
                "one failure ends all",
                f"{ended.error!r} came out. Another server would have answered.",
                group or place,
                "When one of its tasks fails, a TaskGroup cancels all the others, even if you "
                "catch the error where you await that task. Catch it inside the task, or do "
                "without a group, and stop the rest yourself."
                if group
                else "Whoever is *done* first may have failed, and that must not end the others. "
                "Keep its error, and wait for the next answer.",
                headline="one failure stopped them all"
                if group
                else "took a failure for the answer",
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
                "late",
                f"The first answer was there after {after} s. It "
                f"returned {ended.result!r} after {ended.at:g} s.",
                lab.earliest(lab.call_of("gather", "wait", "TaskGroup"), lab.await_of("task")),
                "Return when the first answer comes: `as_completed`, or `wait` with "
                "`FIRST_COMPLETED`. And cancel the others before you await them.",
                headline="waited for a loser",
            )
        lab.equal(ended.result, answer)
        none_left(lab, ended, "It returned the answer")

    def _all_failed(self, lab, ended, errors):
        if ended.error is None:
            raise Wrong(
                "lost error",
                f"It returned {ended.result!r}.",
                lab.returning("ExceptionGroup")
                or lab.earliest(lab.handler(), lab.returning(), lab.keyword("return_exceptions")),
                "If nobody answers, the caller must hear why: `raise "
                'ExceptionGroup("nobody answered", errors)`.',
            )
        if not isinstance(ended.error, ExceptionGroup):
            raise Wrong(
                "another error",
                f"It raised {ended.error!r}; expected an ExceptionGroup of the three errors.",
                lab.raising() or lab.text.of_traceback(ended.error),
                'Keep each error in a list: `raise ExceptionGroup("nobody answered", errors)`.',
                headline="no group",
            )
        found = errors_in(ended.error)
        if missing := [error for error in errors if error not in found]:
            anew = _made_anew(lab)
            try_ = "Each failure belongs in the list."
            if anew:
                try_ = "Make one list before the loop, and add each failure to it."
            elif found == errors[:1] and lab.keyword("return_when"):  # that of the last to fail
                try_ = (
                    "Each failure belongs in the list. `wait` tells only of the tasks that it was "
                    "given this time: keep the errors of each round."
                )
            raise Wrong(
                "lost error",
                f"The group holds {found!r}. Missing: {missing!r}.",
                anew or lab.call_of("ExceptionGroup", "append"),
                try_,
                at="makes it anew in each round" if anew else "",
            )
        none_left(lab, ended, "It raised the group")

    @sweep(
        lambda some: {
            "waits": some.permutations((1, 2, 3.5)).flatmap(
                lambda waits: some.integers(1, 3).map(
                    lambda servers: dict(zip("abc", waits[:servers]))
                )
            ),
            "answers": some.fixed_dictionaries(
                {server: some.sampled_from(("here", "", 0, None, KEPT)) for server in "abc"}
            ),
            "down": some.dictionaries(
                some.sampled_from("abc"), some.sampled_from((OSError, TimeoutError, ValueError))
            ),
            "moments": some.permutations((0.25, LONG, 0)),
        },
        besides=[
            {  # at the same moment, of which there may be several in what is done
                "waits": dict.fromkeys(servers, 1),
                "answers": dict.fromkeys(servers, "here"),
                "down": dict.fromkeys(down, OSError),
                "moments": (0, 0, 0),
            }
            for servers, down in (("ab", "ab"), ("abc", "abc"))
        ],
        cancels=True,
        most=40,
    )
    def any_servers(self, first_answer, lab, waits, answers, down, moments):
        errors = {server: error("it is down") for server, error in down.items()}
        ask = Tidy(lab.service(waits, answers, errors, name="ask"), dict(zip("abc", moments)))
        says = {server: f"answers {answers[server]!r}" for server in waits}
        says |= {server: f"raises {down[server].__name__}" for server in waits if server in down}
        scene = listed(f"{server!r} {says[server]} after {waits[server]:g} s" for server in waits)
        words = f"with the servers {list(waits)}: {scene}"
        seen = swept(lab, words, first_answer, ask, lab.own(list(waits)), in_a_group=True)
        error = seen.run.error
        if isinstance(error, ExceptionGroup) and len(errors_in(error)) < len(waits):
            one_of_several = _one_of_several(lab)
            if one_of_several and len(set(waits.values())) == 1:
                raise Wrong(
                    "lost error",
                    "All servers failed at the same moment. The group holds "
                    f"{len(errors_in(error))} of their {len(waits)} errors.",
                    one_of_several,
                    "`wait` returns a set of those that are done, and there may be several: look "
                    "at each of them.",
                    headline="looked at one of several",
                    at="takes one of them",
                )
        return seen

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

    @wrong("one failure ends all", says="Another server would have answered")
    async def first_that_is_done(ask, servers):
        tasks = [asyncio.create_task(ask(server)) for server in servers]
        done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        return done.pop().result()

    @wrong("awaited the cancelled", says="return_exceptions=True")
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

    @wrong("late", says="after 3 s")
    async def waits_for_all(ask, servers):
        results = await asyncio.gather(*map(ask, servers), return_exceptions=True)
        for each in results:
            if not isinstance(each, Exception):
                return each
        raise ExceptionGroup("nobody answered", results)

    @wrong("late", says="after 3 s")
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

    @wrong("lost error", says="there may be several")
    async def looks_at_one(ask, servers):
        tasks = pending = {asyncio.create_task(ask(server)) for server in servers}
        errors = []
        try:
            while pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                task = done.pop()
                if task.exception() is None:
                    return task.result()
                errors.append(task.exception())
            raise ExceptionGroup("nobody answered", errors)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    @wrong("another error", says="ExceptionGroup of the three errors")
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


def _one_of_several(lab):
    """The line that takes one task of those that `wait` found to be done."""
    done = [
        target.elts[0].id
        for node in lab.nodes()
        if isinstance(node, ast.Assign) and holds(node.value, "wait")
        for target in node.targets
        if isinstance(target, ast.Tuple) and isinstance(target.elts[0], ast.Name)
    ]
    taken = (lab.call_of(f"{name}.pop") or lab.call_of("next", given=name) for name in done)
    return next(filter(None, taken), None)


def _made_anew(lab):
    """The line that makes the list of errors in each round of a loop, or None."""
    raised = {
        part.id
        for call in lab.text.calls_of("ExceptionGroup")
        for argument in call.args
        for part in ast.walk(argument)
        if isinstance(part, ast.Name)
    }
    return lab.earliest(
        *(
            node.lineno
            for loop in lab.nodes()
            if isinstance(loop, (ast.For, ast.AsyncFor, ast.While))
            for node in own_nodes(loop)
            if isinstance(node, ast.Assign) and not uses(raised, node.value)
            if any(isinstance(name, ast.Name) and name.id in raised for name in node.targets)
        )
    )
