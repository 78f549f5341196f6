"""Exercises of lesson 11: deadlines, cancellation, and cleanup that comes to its end."""

import asyncio
import time
from contextlib import suppress

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value

TIMEOUT, FINE = "TimeoutError", "no error"


class PredictDeadlines(Exercise):
    """Predict seven deadlines

    Read this program, and do not run it.

        async def a():
            await asyncio.sleep(5)

        async def b():
            with suppress(Exception):
                await asyncio.sleep(5)

        async def c():
            with suppress(BaseException):
                await asyncio.sleep(5)

        async def d():
            try:
                await asyncio.sleep(5)
            finally:
                await asyncio.sleep(2)

        async def e():
            await asyncio.shield(asyncio.sleep(5))

        async def f():
            async with asyncio.timeout(1):
                await asyncio.sleep(5)

        async def g():
            time.sleep(5)

        async def main(job):
            async with asyncio.timeout(2):
                await job()

    For each job, what does `asyncio.run(main(job))` do? Set each value of `ends` to a pair: the
    seconds after which it is over, and what comes out, "TimeoutError" or "no error". So for a job
    that sleeps for one second the value is `(1, "no error")`.
    """

    id = "deadline-1"
    asks = "ends"
    minutes = 6
    hints = (
        "A timeout asks at its deadline. Who hears of it, and where does that one stand then?",
        "A request is a CancelledError. Which `except` and which `suppress` catch that?",
        "Look at `d` and ask what it does after it was told. Look at `g` and ask when the loop "
        "takes a turn.",
    )
    right_values = (
        {
            "a": (2, TIMEOUT),
            "b": (2, TIMEOUT),
            "c": (2, FINE),
            "d": (4, TIMEOUT),
            "e": (2, TIMEOUT),
            "f": (1, TIMEOUT),
            "g": (5, FINE),
        },
        {
            "a": (2, TimeoutError),
            "b": (2, TimeoutError),
            "c": (2, FINE),
            "d": (4, TimeoutError),
            "e": (2, TimeoutError),
            "f": (1, TimeoutError),
            "g": (5, FINE),
        },
    )
    wrong_values = (
        wrong_value(right_values[0] | {"a": (2, "timeout")}, "another form", "Asked is a pair"),
        wrong_value(right_values[0] | {"a": 2}, "another form", "Asked is a pair"),
        wrong_value(
            right_values[0] | {"b": (2, FINE)}, "except Exception lets it pass", "is no Exception"
        ),
        wrong_value(
            right_values[0] | {"b": (5, FINE)}, "except Exception lets it pass", "is no Exception"
        ),
        wrong_value(right_values[0] | {"c": (2, TIMEOUT)}, "swallowed", "nothing is left"),
        wrong_value(right_values[0] | {"c": (5, FINE)}, "the sleep is over", "ends the sleep"),
        wrong_value(right_values[0] | {"d": (2, TIMEOUT)}, "asked is not over", "`finally`"),
        wrong_value(right_values[0] | {"d": (7, TIMEOUT)}, "the sleep is over", "ends the sleep"),
        wrong_value(right_values[0] | {"d": (2, FINE)}, "asked is not over", "`finally`"),
        wrong_value(
            right_values[0] | {"e": (5, FINE)},
            "shield does not keep it from you",
            "the task inside",
        ),
        wrong_value(
            right_values[0] | {"e": (5, TIMEOUT)},
            "shield does not keep it from you",
            "the task inside",
        ),
        wrong_value(right_values[0] | {"e": (2, FINE)}, "an error goes on", "told as ever"),
        wrong_value(right_values[0] | {"a": (2, FINE)}, "an error goes on", "becomes a"),
        wrong_value(
            right_values[0] | {"f": (2, TIMEOUT)},
            "the nearer deadline fires",
            "before the outer one",
        ),
        wrong_value(right_values[0] | {"f": (1, FINE)}, "an error goes on", "nobody catches it"),
        wrong_value(
            right_values[0] | {"g": (2, TIMEOUT)}, "work is not interrupted", "takes no turn"
        ),
        wrong_value(
            right_values[0] | {"g": (5, TIMEOUT)}, "too late to be told", "no `await` after it"
        ),
        wrong_value(right_values[0] | {"a": (5, TIMEOUT)}, "the sleep is over", "ends the sleep"),
    )

    BELIEFS = {
        # job: (test of the pair given, kind, what to say)
        "a": [
            (
                lambda at, out: at >= 5,
                "the sleep is over",
                "You let `a` sleep to its end. The request at 2 s ends the sleep at once.",
            ),
            (
                lambda at, out: out == FINE,
                "an error goes on",
                "You have no error for `a`. Nobody in there catches the request, so at the end of "
                "the block it becomes a TimeoutError.",
            ),
        ],
        "b": [
            (
                lambda at, out: out == FINE,
                "except Exception lets it pass",
                "You let `b` suppress the request. CancelledError is a BaseException, and it is no "
                "Exception: it passes.",
            ),
            (
                lambda at, out: at >= 5,
                "the sleep is over",
                "You let `b` sleep to its end. The request at 2 s ends the sleep at once.",
            ),
        ],
        "c": [
            (
                lambda at, out: at >= 5,
                "the sleep is over",
                "You let `c` sleep on. The request ends the sleep, and then it is suppressed.",
            ),
            (
                lambda at, out: out == TIMEOUT,
                "swallowed",
                "You have a TimeoutError for `c`. It suppressed the request, so nothing is left "
                "that the timeout could turn into a TimeoutError.",
            ),
        ],
        "d": [
            (
                lambda at, out: at == 2,
                "asked is not over",
                "You let `d` be over at 2 s. At 2 s it is told; then comes its `finally`, which "
                "awaits something, and the timeout waits for that.",
            ),
            (
                lambda at, out: at >= 5,
                "the sleep is over",
                "You let the first sleep of `d` go on to its end. The request ends the sleep at "
                "2 s, and then comes the `finally`.",
            ),
            (
                lambda at, out: out == FINE,
                "an error goes on",
                "You have no error for `d`. A `finally` does its work and lets the error go on.",
            ),
        ],
        "e": [
            (
                lambda at, out: at >= 5,
                "shield does not keep it from you",
                "You let `e` wait on. `shield` keeps the request from the task inside; who awaits "
                "the shield is told as ever.",
            ),
            (
                lambda at, out: out == FINE,
                "an error goes on",
                "You have no error for `e`. Who awaits the shield is told as ever, and nobody "
                "catches that.",
            ),
        ],
        "f": [
            (
                lambda at, out: at == 2,
                "the nearer deadline fires",
                "You let `f` go on until 2 s. Its own deadline rings at 1 s, before the outer one, "
                "and its error goes through the outer block.",
            ),
            (
                lambda at, out: out == FINE,
                "an error goes on",
                "You have no error for `f`. The inner timeout raises a TimeoutError at 1 s, and "
                "nobody catches it.",
            ),
        ],
        "g": [
            (
                lambda at, out: at < 5,
                "work is not interrupted",
                "You let the deadline interrupt `g`. `time.sleep` blocks the thread, so for 5 s the "
                "loop takes no turn, and no timer rings.",
            ),
            (
                lambda at, out: out == TIMEOUT,
                "too late to be told",
                "You have a TimeoutError for `g`. There is no `await` after it at which the "
                "request could be delivered, so the block ends as if nothing had been.",
            ),
        ],
    }

    def verify(self, ends, lab):
        if isinstance(ends, dict):
            ends = {job: self._pair(job, given) for job, given in ends.items()}
            for job, beliefs in self.BELIEFS.items():
                if not (given := ends.get(job)):
                    continue
                for belief, kind, says in beliefs:
                    if belief(*given):
                        raise Wrong(kind, says, try_="")
        lab.equal(ends, self.right_values[0], what="`ends` is", secret=True)

    def _pair(self, job, given):
        """The pair for a job; None if nothing is written there yet."""
        if given is None or given is ...:
            return None
        if isinstance(given, (tuple, list)) and len(given) == 2:
            at, out = given
            out = TIMEOUT if out is TimeoutError else out
            if isinstance(at, (int, float)) and out in (TIMEOUT, FINE):
                return at, out
        raise Wrong(
            "another form",
            f"`ends[{job!r}]` is {given!r}.",
            None,
            'Asked is a pair: the seconds, and then "TimeoutError" or "no error", as in '
            '`(1, "no error")`.',
        )


class FirstAnswer(Exercise):
    """Whose deadline was it?

    Several servers know the answer, and some are slow. `ask(server)` is a coroutine function that
    takes a while and returns the answer. Write `first_answer(ask, servers, short, long)`. It asks
    one server after another, in order.

    - A server gets `short` seconds. If it takes longer, the next one is asked.
    - All of it together gets `long` seconds. If they are over, return "out of time".
    - Return the first answer. If every server had its `short` seconds in vain, return "nobody".
    - An error that `ask` raises comes out, and that holds for a TimeoutError of its own too.

    No two deadlines of my tests ring at the same moment. The clock that jumps in them is the
    loop's, `asyncio.get_running_loop().time()`.
    """

    id = "whose-1"
    asks = "first_answer"
    minutes = 10
    hints = (
        "Two deadlines, one in the other: the one for the whole stands around the loop.",
        "`async with asyncio.timeout(short) as each:` Which question can you ask `each` "
        "afterwards?",
        "`except TimeoutError:` and then `if not each.expired(): raise`. The same for the outer "
        "one.",
    )

    def verify(self, first_answer, lab):
        slow = {"a": 9, "b": 9, "c": 9, "d": 9}
        self._answers(first_answer, lab)
        ask = lab.service(slow, name="ask")
        run = self._inside(lab, "All of it gets 5 s", first_answer, ask, list(slow), 2, 5)
        other_clock(run.elapsed > 5.001, lab)
        swallows = lab.text.swallowing_handler()
        if swallows and (run.elapsed > 5.001 or run.result == "nobody"):
            raise Wrong(
                "swallowed",
                f"Every server takes 9 s. At 5 s all of it was to end; it "
                f"ended at {run.elapsed:g} s and returned {run.result!r}.",
                swallows,
                "What passes there when the outer deadline rings is a CancelledError: "
                "catch TimeoutError alone.",
            )
        if run.elapsed > 5.001:
            raise Wrong(
                "no limit for the whole",
                f"Every server takes 9 s, and it was over after {run.elapsed:g} s; all "
                "together may take 5 s.",
                lab.line(r"timeout|wait_for"),
                "Put one deadline around the whole loop, and one around each call.",
            )
        if run.elapsed < 4.999:
            raise Wrong(
                "gave up too early",
                f"Every server takes 9 s, and it returned {run.result!r} after "
                f"{run.elapsed:g} s. There were 5 s, 2 s for each server.",
                lab.line(r"except|suppress"),
                "When the deadline of one server rings, ask the next one.",
            )
        lab.equal(run.result, "out of time")
        ask = lab.service(slow, name="ask")
        run = self._inside(lab, "Each server gets 2 s", first_answer, ask, ["a", "b", "c"], 2, 10)
        if run.result == "out of time":
            raise Wrong(
                "took one deadline for the other",
                f"Three servers had their 2 s in vain. After {run.elapsed:g} s of 10 it "
                "returned 'out of time'.",
                lab.line(r"out of time"),
                "The error alone does not tell whose deadline it was. "
                "`timeout(...) as cm` and `cm.expired()` do.",
            )
        lab.equal(run.result, "nobody")
        self._errors(first_answer, lab)
        ask = lab.service(slow, name="ask")
        lab.run(first_answer, ask, ["a", "b", "c"], 2, 10, cancel_after=1)

    def _answers(self, first_answer, lab):
        ask = lab.service(
            {"a": 9, "b": 1, "c": 0.5}, {"a": "it is a", "b": "it is b", "c": "it is c"}, name="ask"
        )
        run = self._inside(lab, "Each server gets 2 s", first_answer, ask, ["a", "b", "c"], 2, 10)
        if run.result in ("out of time", "nobody"):
            raise Wrong(
                "gave up too early",
                f"Server a takes 9 s, b would have answered in 1 s. It returned "
                f"{run.result!r} after {run.elapsed:g} s of 10.",
                lab.line(r"except|suppress"),
                "When the deadline of one server rings, ask the next one.",
            )
        if "c" in ask.calls and run.elapsed < 2.999:
            raise Wrong(
                "asked all at once",
                f"It asked {', '.join(ask.calls)}, and was over after {run.elapsed:g} s. "
                "The servers are to be asked one after another.",
                lab.line(r"create_task|gather"),
                "Await each one in a loop.",
            )
        if run.result == "it is a":
            raise Wrong(
                "no limit for each server",
                f"Server a takes 9 s and may take 2. It returned {run.result!r} after "
                f"{run.elapsed:g} s.",
                lab.line(r"timeout\(short") or lab.line(r"\bask\("),
                "Put `async with asyncio.timeout(short)` around `await ask(server)` "
                "itself: it ends what the task waits for inside of its block.",
            )
        lab.equal(run.result, "it is b")
        if "c" in ask.calls:
            raise Wrong(
                "asked too many",
                "Server b had answered, and c was asked all the same.",
                lab.line(r"\bfor\b"),
                "Return the answer as soon as it is there.",
            )

    def _inside(self, lab, rule, *what):
        """Run it; no deadline may come out as an error."""
        try:
            return lab.run(*what)
        except TimeoutError as error:
            place = lab.text.of_traceback(error)
            raise Wrong(
                "let a TimeoutError out",
                f"{rule}. When the time was over, a TimeoutError came out.",
                place and place[1],
                "Catch it around the block of that deadline.",
            ) from None

    def _errors(self, first_answer, lab):
        own = TimeoutError("the server's own limit")
        for server, when in (("b", "when a had used up its 2 s"), ("a", "the first of them")):
            ask = lab.service(
                {"a": 9 if server == "b" else 1, "b": 1, "c": 1}, name="ask", errors={server: own}
            )
            try:
                run = lab.run(first_answer, ask, ["a", "b", "c"], 2, 10)
            except TimeoutError as error:
                if str(error) == str(own):
                    continue
                raise Wrong(
                    "another error came out",
                    f"Server {server} raised TimeoutError({str(own)!r}), and what came "
                    f"out is {error!r}.",
                    lab.line(r"\braise\b"),
                    "A bare `raise` lets the error itself go on.",
                ) from None
            what = (
                "went on to the next server"
                if len(ask.calls) > "abc".index(server) + 1
                else f"returned {run.result!r}"
            )
            raise Wrong(
                "took another's timeout for its own",
                f"Server {server}, {when}, was asked, and raised a TimeoutError of its own "
                "after 1 s. That was none of your deadlines, and your function "
                f"{what}.",
                lab.line(r"except|suppress"),
                "Ask the deadline with `expired()`; if it was not that one, `raise`.",
            )
        ask = lab.service(1, name="ask", errors={"a": LookupError("no such question")})
        lab.run(first_answer, ask, ["a", "b", "c"], 2, 10, raises=LookupError)

    @right
    async def with_two_deadlines(ask, servers, short, long):
        """Return the first answer, "nobody" or "out of time"."""
        try:
            async with asyncio.timeout(long) as whole:
                for server in servers:
                    try:
                        async with asyncio.timeout(short) as each:
                            return await ask(server)
                    except TimeoutError:
                        if not each.expired():
                            raise
        except TimeoutError:
            if not whole.expired():
                raise
            return "out of time"
        return "nobody"

    @right
    async def with_a_moment(ask, servers, short, long):
        clock = asyncio.get_running_loop().time
        end = clock() + long
        for server in servers:
            try:
                async with asyncio.timeout_at(min(end, clock() + short)) as each:
                    return await ask(server)
            except TimeoutError:
                if not each.expired():
                    raise
                if clock() >= end:
                    return "out of time"
        return "nobody"

    @right
    async def with_wait(ask, servers, short, long):
        try:
            async with asyncio.timeout(long) as whole:
                for server in servers:
                    task = asyncio.ensure_future(ask(server))
                    try:
                        done, late = await asyncio.wait([task], timeout=short)
                    finally:
                        task.cancel()
                    if done:
                        return task.result()
        except TimeoutError:
            if not whole.expired():
                raise
            return "out of time"
        return "nobody"

    @wrong("took another's timeout for its own", says="went on to the next server")
    async def suppresses_every_timeout(ask, servers, short, long):
        with suppress(TimeoutError):
            async with asyncio.timeout(long):
                for server in servers:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(short):
                            return await ask(server)
                return "nobody"
        return "out of time"

    @wrong("took another's timeout for its own", says="returned 'out of time'")
    async def asks_the_inner_one_alone(ask, servers, short, long):
        try:
            async with asyncio.timeout(long):
                for server in servers:
                    try:
                        async with asyncio.timeout(short) as each:
                            return await ask(server)
                    except TimeoutError:
                        if not each.expired():
                            raise
        except TimeoutError:
            return "out of time"
        return "nobody"

    @wrong("another error came out", says="too slow")
    async def makes_a_new_error(ask, servers, short, long):
        try:
            async with asyncio.timeout(long) as whole:
                for server in servers:
                    try:
                        async with asyncio.timeout(short) as each:
                            return await ask(server)
                    except TimeoutError:
                        if not each.expired():
                            raise TimeoutError("too slow")
        except TimeoutError:
            if not whole.expired():
                raise
            return "out of time"
        return "nobody"

    @wrong("gave up too early", says="returned 'out of time' after 2 s of 10")
    async def catches_outside_alone(ask, servers, short, long):
        try:
            async with asyncio.timeout(long):
                for server in servers:
                    async with asyncio.timeout(short):
                        return await ask(server)
        except TimeoutError:
            return "out of time"
        return "nobody"

    @wrong("no limit for each server", says="after 9 s")
    async def limits_the_whole_alone(ask, servers, short, long):
        try:
            async with asyncio.timeout(long):
                for server in servers:
                    return await ask(server)
        except TimeoutError:
            return "out of time"
        return "nobody"

    @wrong("no limit for each server", says="inside of its block")
    async def limits_the_start_alone(ask, servers, short, long):
        try:
            async with asyncio.timeout(long):
                for server in servers:
                    async with asyncio.TaskGroup() as group:
                        async with asyncio.timeout(short):
                            task = group.create_task(ask(server))
                    return task.result()
        except TimeoutError:
            return "out of time"
        return "nobody"

    @wrong("no limit for the whole", says="after 8 s")
    async def limits_each_alone(ask, servers, short, long):
        for server in servers:
            with suppress(TimeoutError):
                return await asyncio.wait_for(ask(server), short)
        return "nobody"

    @wrong("no limit for the whole", says="after 8 s")
    async def renews_the_budget(ask, servers, short, long):
        for server in servers:
            try:
                async with asyncio.timeout(long) as whole:
                    async with asyncio.timeout(short):
                        return await ask(server)
            except TimeoutError:
                if whole.expired():
                    return "out of time"
        return "nobody"

    @wrong("no limit for the whole", says="after 6 s")
    async def looks_between_the_calls(ask, servers, short, long):
        clock = asyncio.get_running_loop().time
        end = clock() + long
        for server in servers:
            if clock() > end:
                return "out of time"
            with suppress(TimeoutError):
                async with asyncio.timeout(short):
                    return await ask(server)
        return "out of time" if clock() > end else "nobody"

    @wrong("swallowed", says="it ended at 7 s")
    async def swallows_the_outer_one(ask, servers, short, long):
        try:
            async with asyncio.timeout(long):
                for server in servers:
                    try:
                        async with asyncio.timeout(short):
                            return await ask(server)
                    except BaseException:
                        continue
        except TimeoutError:
            return "out of time"
        return "nobody"

    @wrong("let a TimeoutError out", says="All of it gets 5 s")
    async def catches_the_inner_one_alone(ask, servers, short, long):
        async with asyncio.timeout(long) as whole:
            for server in servers:
                with suppress(TimeoutError):
                    async with asyncio.timeout(short):
                        return await ask(server)
        return "out of time" if whole.expired() else "nobody"

    @wrong("took one deadline for the other", says="After 6 s of 10")
    async def cannot_tell(ask, servers, short, long):
        with suppress(TimeoutError):
            async with asyncio.timeout(long):
                for server in servers:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(short):
                            return await ask(server)
        return "out of time"

    @wrong("let a TimeoutError out", says="Each server gets 2 s")
    async def catches_nothing(ask, servers, short, long):
        async with asyncio.timeout(long):
            for server in servers:
                async with asyncio.timeout(short):
                    return await ask(server)
        return "nobody"


class Budget(Exercise):
    """A budget, shared out

    A site answers one request at a time. `fetch(page)` is a coroutine function that takes a while.
    Write `load(fetch, pages, budget)`. It fetches the pages one after another, in order, and
    returns a dict from page to text, with those pages alone that came in time.

    - All of it takes at most `budget` seconds.
    - A slow page must not eat what belongs to the others. When its turn comes, a page gets an equal
      share of the seconds that are left: what is left, divided by the number of pages that were
      not asked for yet, itself included. So what a quick page saves goes to the later ones.
    - A page whose share is over is left out. An error that `fetch` raises comes out; a TimeoutError
      of its own is not among them.

    The loop's own clock, which this exercise makes jump, is `asyncio.get_running_loop().time()`.
    """

    id = "budget-1"
    asks = "load"
    minutes = 10
    hints = (
        "Fix the moment at which all is over, once, at the beginning.",
        "The share is a number of seconds that you work out anew for each page.",
        "`share = (end - loop.time()) / (len(pages) - number)`, with `number` from `enumerate`.",
    )

    def verify(self, load, lab):
        service, had = lab.service({"a": 1, "b": 9, "c": 1, "d": 5}), {}

        async def fetch(page):
            clock = asyncio.get_running_loop().time
            begun = clock()
            try:
                return await service(page)
            finally:
                had[page] = clock() - begun

        try:
            run = lab.run(load, fetch, ["a", "b", "c", "d"], 12)
        except TimeoutError as error:
            place = lab.text.of_traceback(error)
            raise Wrong(
                "let a TimeoutError out",
                "The pages take 1, 9, 1 and 5 s. A TimeoutError came out.",
                place and place[1],
                "A page whose share is over is left out, and the next one has its turn.",
            ) from None
        if service.peak > 1:
            raise Wrong(
                "limit",
                f"{service.peak} pages were fetched at once; the site answers one at a time.",
                lab.line(r"create_task|gather"),
                "Await each one in a loop, and let none go on when its share is over.",
            )
        if run.elapsed > 12.001:
            raise Wrong(
                "no limit for the whole",
                f"The pages take 1, 9, 1 and 5 s, and it took {run.elapsed:g} s of 12.",
                lab.line(r"timeout|wait_for"),
                "A limit for each call is no limit for the whole.",
            )
        if "b" in had:
            other_clock(abs(had["b"] - 11 / 3) > 0.01, lab)
            self._shares(had["b"], lab)
            if "c" not in had:
                raise Wrong(
                    "gave up too early",
                    "When the share of page b was over, it asked for "
                    f"no other page. It returned {run.result!r} after "
                    f"{run.elapsed:.3g} s of 12.",
                    lab.line(r"except|suppress"),
                    "A page whose share is over is left out, and the next one has its "
                    "turn: catch the TimeoutError inside of the loop.",
                )
        lab.equal(run.result, {"a": "page a", "c": "page c", "d": "page d"})
        fetch = lab.service({"a": 9, "b": 9})
        run = lab.run(load, fetch, ["a", "b"], 4)
        lab.equal(run.result, {})
        if run.elapsed > 4.001:
            raise Wrong("no limit for the whole", f"It took {run.elapsed:g} s of 4.")
        fetch = lab.service(1, errors={"b": LookupError("no page b")})
        lab.run(load, fetch, ["a", "b"], 9, raises=LookupError)
        fetch = lab.service(9)
        lab.run(load, fetch, ["a", "b"], 9, cancel_after=1)

    def _shares(self, seconds, lab):
        if seconds > 8.999:
            raise Wrong(
                "one page ate the budget",
                "Page b takes 9 s, and it was given all of them. At its turn 11 s were "
                "left, for three pages.",
                lab.line(r"timeout|wait_for"),
                "Each page gets its share alone.",
            )
        if abs(seconds - 3) < 0.01:
            raise Wrong(
                "the savings were lost",
                "Page a needed 1 s of its 3. Then 11 s were left for three pages, and "
                "page b was given up after 3 s all the same.",
                lab.line(r"budget\s*/|/"),
                "Work the share out anew for each page, from what is left then.",
            )
        if abs(seconds - 11 / 3) > 0.01:
            raise Wrong(
                "another share",
                "At the turn of page b 11 s are left, and three pages, so its share is "
                f"3.67 s. It had {seconds:.3g} s.",
                lab.line(r"timeout_at|/"),
                "What is left, divided by the pages that are left, this one included."
                + (
                    " And `timeout_at` takes a moment on the loop's clock, not a number of seconds."
                    if lab.line(r"timeout_at")
                    else ""
                ),
            )

    @right
    async def with_shares(fetch, pages, budget):
        """Return a dict of the pages that came within `budget` seconds."""
        loop, got = asyncio.get_running_loop(), {}
        end = loop.time() + budget
        for number, page in enumerate(pages):
            share = (end - loop.time()) / (len(pages) - number)
            with suppress(TimeoutError):
                async with asyncio.timeout(share):
                    got[page] = await fetch(page)
        return got

    @right
    async def with_a_moment(fetch, pages, budget):
        clock, got = asyncio.get_running_loop().time, {}
        end, rest = clock() + budget, list(pages)
        while rest:
            moment = clock() + (end - clock()) / len(rest)
            page = rest.pop(0)
            try:
                async with asyncio.timeout_at(moment):
                    got[page] = await fetch(page)
            except TimeoutError:
                pass
        return got

    @wrong("the savings were lost", says="after 3 s all the same")
    async def shares_it_once(fetch, pages, budget):
        got = {}
        for page in pages:
            with suppress(TimeoutError):
                async with asyncio.timeout(budget / len(pages)):
                    got[page] = await fetch(page)
        return got

    @wrong("no limit for the whole", says="it took 16 s of 12")
    async def gives_each_all(fetch, pages, budget):
        got = {}
        for page in pages:
            with suppress(TimeoutError):
                got[page] = await asyncio.wait_for(fetch(page), budget)
        return got

    @wrong("one page ate the budget", says="given all of them")
    async def limits_the_whole_alone(fetch, pages, budget):
        got = {}
        with suppress(TimeoutError):
            async with asyncio.timeout(budget):
                for page in pages:
                    got[page] = await fetch(page)
        return got

    @wrong("one page ate the budget", says="given all of them")
    async def gives_each_what_is_left(fetch, pages, budget):
        loop, got = asyncio.get_running_loop(), {}
        end = loop.time() + budget
        for page in pages:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(end):
                    got[page] = await fetch(page)
        return got

    @wrong("limit", says="one at a time")
    async def fetches_all_at_once(fetch, pages, budget):
        got = {}

        async def one(page):
            with suppress(TimeoutError):
                async with asyncio.timeout(budget):
                    got[page] = await fetch(page)

        await asyncio.gather(*(one(page) for page in pages))
        return got

    @wrong("let a TimeoutError out", says="1, 9, 1 and 5 s")
    async def catches_nothing(fetch, pages, budget):
        loop, got = asyncio.get_running_loop(), {}
        end = loop.time() + budget
        for number, page in enumerate(pages):
            async with asyncio.timeout((end - loop.time()) / (len(pages) - number)):
                got[page] = await fetch(page)
        return got

    @wrong("gave up too early", says="inside of the loop")
    async def catches_around_the_loop(fetch, pages, budget):
        loop, got = asyncio.get_running_loop(), {}
        end = loop.time() + budget
        with suppress(TimeoutError):
            for number, page in enumerate(pages):
                async with asyncio.timeout((end - loop.time()) / (len(pages) - number)):
                    got[page] = await fetch(page)
        return got

    @wrong("looked at another clock", says="jumps")
    async def asks_the_computer(fetch, pages, budget):
        got, end = {}, time.monotonic() + budget
        for number, page in enumerate(pages):
            with suppress(TimeoutError):
                async with asyncio.timeout((end - time.monotonic()) / (len(pages) - number)):
                    got[page] = await fetch(page)
        return got

    @wrong("not awaited", says="fetch")
    async def awaits_nothing(fetch, pages, budget):
        return {page: fetch(page) for page in pages}

    @wrong("limit", says="2 pages were fetched at once")
    async def lets_the_late_go_on(fetch, pages, budget):
        loop, got = asyncio.get_running_loop(), {}
        end = loop.time() + budget
        for number, page in enumerate(pages):
            task = asyncio.create_task(fetch(page))
            share = (end - loop.time()) / (len(pages) - number)
            done, late = await asyncio.wait([task], timeout=share)
            if done:
                got[page] = task.result()
        return got

    @wrong("another share", says="takes a moment")
    async def takes_seconds_for_a_moment(fetch, pages, budget):
        loop, got = asyncio.get_running_loop(), {}
        end = loop.time() + budget
        for number, page in enumerate(pages):
            share = (end - loop.time()) / (len(pages) - number)
            with suppress(TimeoutError):
                async with asyncio.timeout_at(share):
                    got[page] = await fetch(page)
        return got

    @wrong("another share", says="It had 5.5 s")
    async def counts_itself_out(fetch, pages, budget):
        loop, got = asyncio.get_running_loop(), {}
        end = loop.time() + budget
        for number, page in enumerate(pages):
            share = (end - loop.time()) / max(1, len(pages) - number - 1)
            with suppress(TimeoutError):
                async with asyncio.timeout(share):
                    got[page] = await fetch(page)
        return got

    @wrong("value", says="None")
    async def keeps_a_place_for_the_late(fetch, pages, budget):
        loop, got = asyncio.get_running_loop(), {}
        end = loop.time() + budget
        for number, page in enumerate(pages):
            got[page] = None
            with suppress(TimeoutError):
                async with asyncio.timeout((end - loop.time()) / (len(pages) - number)):
                    got[page] = await fetch(page)
        return got

    @wrong("lost error", says="LookupError")
    async def suppresses_all_errors(fetch, pages, budget):
        loop, got = asyncio.get_running_loop(), {}
        end = loop.time() + budget
        for number, page in enumerate(pages):
            with suppress(Exception):
                async with asyncio.timeout((end - loop.time()) / (len(pages) - number)):
                    got[page] = await fetch(page)
        return got


class InHand(Exercise):
    """The job in hand

    Write `worker(queue, handle, failed)`. It takes jobs from `queue`, an `asyncio.Queue` without a
    limit, one after another, and awaits `handle(job)` for each, for ever.

    - If `handle` raises an error, the job is appended to the list `failed`, and the worker goes
      on.
    - If the worker is cancelled, it ends at once. A job that it was about to handle goes back into
      the queue, and nowhere else.
    """

    id = "in-hand-1"
    asks = "worker"
    minutes = 8
    hints = (
        "Being told to end is no failure: which kind of error is it?",
        "At which two `await`s can the worker be cancelled? At which of them does it hold a job?",
        "`except asyncio.CancelledError:` around `handle` alone; put the job back, and `raise`.",
    )

    def verify(self, worker, lab):
        self._in_a_job(worker, lab)
        self._at_rest(worker, lab)

    def _in_a_job(self, worker, lab):
        log, failed, queue = lab.service(1, name="handle", errors={2: ValueError("job 2")}), [], []
        lab.told(
            "with jobs 1 to 4 in the queue; each takes 1 s, and job 2 fails. I cancelled it "
            "after 2.5 s, in the middle of job 3"
        )
        cancelled = self._run(worker, lab, log, failed, queue, [1, 2, 3, 4], 2.5)
        if 3 in failed:
            raise Wrong(
                "took being told for a failure",
                f"Job 3 is among the failed ones: {failed}.",
                lab.line(r"\bexcept\b"),
                "`except Exception` lets a cancellation pass; catch no more for `failed`.",
            )
        self._told(cancelled, log, lab)
        lab.equal(failed, [2], what="`failed` is")
        if 3 not in queue:
            raise Wrong(
                "lost the job in hand",
                f"Then the queue held {queue}. Job 3 was taken out, and not done.",
                lab.line(r"\.get\("),
                "Where the request finds the worker with a job in hand, put the job back: "
                "`queue.put_nowait(job)`, and raise the request again.",
            )
        if sorted(queue) != [3, 4]:
            raise Wrong(
                "put back too much",
                f"Then the queue held {queue}; not done were 3 and 4.",
                lab.line(r"put"),
                "Put back the one job that was not done, once.",
            )

    def _at_rest(self, worker, lab):
        self._rest(
            worker,
            lab,
            [1],
            "with job 1 alone, which is done after 1 s. I cancelled it "
            "after 5 s, when it waited for the next",
        )
        self._rest(
            worker,
            lab,
            [2],
            "with job 2 alone, which fails after 1 s. I cancelled it "
            "after 5 s, when it waited for the next",
        )
        self._rest(worker, lab, [], "with an empty queue. I cancelled it after 5 s")

    def _rest(self, worker, lab, jobs, words):
        log, failed, queue = lab.service(1, name="handle", errors={2: ValueError("no")}), [], []
        lab.told(words)
        put = lab.line(r"put")
        try_ = (
            "It was cancelled in `get`, with no job in hand. Let the `try` that puts back hold "
            "`handle` alone."
        )
        try:
            cancelled = self._run(worker, lab, log, failed, queue, jobs, 5)
        except NameError as error:
            raise Wrong("had no job in hand", f"Python said: {error}.", put, try_) from None
        self._told(cancelled, log, lab)
        if queue and queue == jobs:
            raise Wrong(
                "put back what was done", f"Then job {jobs[0]} was in the queue again.", put, try_
            )
        if queue:
            raise Wrong("had no job in hand", f"Then the queue held {queue}.", put, try_)

    def _told(self, cancelled, log, lab):
        if cancelled is True:
            return
        then = (
            "It went on, and waited for more."
            if cancelled is None
            else "It returned, as if its work were done."
        )
        raise Wrong("swallowed", then, lab.text.swallowing_handler())

    def _run(self, worker, lab, handle, failed, left, jobs, seconds):
        """Return True if it was cancelled, False if it returned, None if it went on."""

        async def main():
            queue = asyncio.Queue()
            for job in jobs:
                queue.put_nowait(job)
            made = worker(queue, handle, failed)
            if not asyncio.iscoroutine(made):
                raise Wrong(
                    "not async",
                    f"`worker` returned {made!r} at once: there is nothing to await.",
                    lab.line(r"\bdef\b"),
                )
            task = asyncio.create_task(made, name="worker")
            await asyncio.wait([task], timeout=seconds)
            if task.done():
                if task.exception() is None:
                    raise Wrong(
                        "ended too early",
                        "It returned before I cancelled it.",
                        lab.line(r"\breturn\b|\bbreak\b|\bwhile\b"),
                        "It works for ever: `while True`.",
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
            return task.cancelled()

        return lab.run(main(), leaks=True).result

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

    @wrong("took being told for a failure", says="[2, 3")
    async def bare_except(queue, handle, failed):
        while True:
            job = await queue.get()
            try:
                await handle(job)
            except:
                failed.append(job)

    @wrong("took being told for a failure", says="[2, 3]")
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

    @wrong("lost the job in hand", says="held [4]")
    async def forgets_the_job(queue, handle, failed):
        while True:
            job = await queue.get()
            try:
                await handle(job)
            except Exception:
                failed.append(job)

    @wrong("swallowed", says="It returned")
    async def breaks_off(queue, handle, failed):
        while True:
            job = await queue.get()
            try:
                await handle(job)
            except asyncio.CancelledError:
                queue.put_nowait(job)
                break
            except Exception:
                failed.append(job)

    @wrong("swallowed", says="It went on")
    async def puts_it_back_and_goes_on(queue, handle, failed):
        while True:
            job = await queue.get()
            try:
                await handle(job)
            except asyncio.CancelledError:
                queue.put_nowait(job)
            except Exception:
                failed.append(job)

    @wrong("put back what was done", says="job 1 was in the queue again")
    async def tries_too_much(queue, handle, failed):
        while True:
            try:
                job = await queue.get()
                await handle(job)
            except asyncio.CancelledError:
                queue.put_nowait(job)
                raise
            except Exception:
                failed.append(job)

    @wrong("had no job in hand", says="job")
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

    @wrong("had no job in hand", says="with an empty queue")
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

    @wrong("had no job in hand", says="[None]")
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


class Submit(Exercise):
    """Save, whether the guest waits or not

    `save()` is a coroutine function that takes a while and returns a number. `group` is a TaskGroup
    that somebody has opened, and that lives longer than the guest. Write
    `submit(group, save, patience)`: it begins the saving, waits for it for at most `patience`
    seconds, and returns the number as soon as it is there. If the saving takes longer, `submit`
    returns "still saving", and the saving goes on to its end.

    - If `submit` itself is cancelled, it ends at once, and the saving goes on too.
    - The group does not end before the saving has ended, and an error of `save` comes out of the
      group.
    """

    id = "submit-1"
    asks = "submit"
    minutes = 8
    hints = (
        "Who waits for the saving when the guest has gone? Whoever that is, the task is his.",
        "`group.create_task(save())` first. Then wait for that task, in a way that leaves it alone "
        "when the waiting ends.",
        "`asyncio.shield(task)` inside a `timeout`, or `asyncio.wait([task], timeout=patience)`.",
    )

    def verify(self, submit, lab):
        lab.told("with a `save` of 1 s and a patience of 3 s")
        result, at, over, saved = self._run(submit, lab, 1, 3)
        lab.equal(result, 7)
        if at > 1.001:
            raise Wrong(
                "waited too long",
                f"The saving took 1 s, and it returned after {at:g} s.",
                lab.line(r"sleep"),
                "Wait for the task itself, and not for the clock.",
            )
        if len(saved) > 1:
            raise Wrong(
                "saved twice", f"`save` was called {len(saved)} times.", lab.line(r"save\(")
            )
        lab.told("with a `save` of 5 s and a patience of 1 s")
        result, at, over, saved = self._run(submit, lab, 5, 1)
        if at > 1.001:
            raise Wrong(
                "waited too long",
                f"It returned {result!r} after {at:g} s.",
                lab.line(r"await"),
                "After `patience` seconds the guest goes; the saving stays.",
            )
        self._went_on(saved, over, lab)
        lab.equal(result, "still saving")
        lab.told("with a `save` of 5 s and a patience of 3 s, and cancelled it after 1 s")
        result, at, over, saved = self._run(submit, lab, 5, 3, cancel=1)
        if result != "cancelled":
            raise Wrong(
                "swallowed",
                f"It returned {result!r} after {at:g} s.",
                lab.text.swallowing_handler(),
            )
        self._went_on(saved, over, lab)
        lab.told("with a patience of 1 s and a `save` that fails after 2 s")
        errors = self._run(submit, lab, 2, 1, error=ValueError("disk full"))
        if errors != ["disk full"]:
            raise Wrong(
                "lost error",
                "The group ended without the ValueError of `save`.",
                lab.line(r"create_task|except|suppress"),
                "A group raises the errors of its own tasks: let the group start it, "
                "and let the task fail.",
            )

    def _went_on(self, saved, over, lab):
        if saved == ["cancelled"]:
            mine = lab.line(r"group\.create_task")
            if over < 4.999 and lab.line(r"shield|\bwait\(") and not mine:
                raise Wrong(
                    "nobody waited for the saving",
                    f"The group was over at {over:g} s, while the saving still went on. "
                    "Then the program ended, and that ended the saving.",
                    lab.line(r"shield|create_task|ensure_future"),
                    "`shield` makes a task that nobody owns. Let the group start it: "
                    "`group.create_task(save())`.",
                )
            if cancels := lab.line(r"\.cancel\("):
                raise Wrong(
                    "ended the saving",
                    "The saving was cancelled in the middle.",
                    cancels,
                    "Leave it alone. The guest goes, and the saving goes on.",
                )
            raise Wrong(
                "ended the saving",
                "The saving was cancelled in the middle.",
                lab.line(r"wait_for|timeout|await"),
                "A request goes on to what you await. `asyncio.shield(task)` stops it "
                "there, and `asyncio.wait` passes none on.",
            )
        if len(saved) > 1:
            raise Wrong(
                "saved twice",
                f"`save` was called {len(saved)} times.",
                lab.line(r"\bexcept\b") or lab.line(r"save\("),
                "Begin it once. It goes on by itself.",
            )
        if saved != ["saved"]:
            raise Wrong(
                "did not save",
                f"The saving came to this: {saved}.",
                None,
                "Begin it once, with the group.",
            )

    def _run(self, submit, lab, seconds, patience, cancel=None, error=None):
        """Return (result, when it came, when the group was over, [how each saving ended]); with
        an error, the texts of the errors that came out of the group.
        """
        saved = []

        async def save():
            try:
                await asyncio.sleep(seconds)
            except asyncio.CancelledError:
                saved.append("cancelled")
                raise
            if error is not None:
                raise error
            saved.append("saved")
            return 7

        save.__qualname__ = "save"  # as errors name it

        async def guest(group):
            return await lab.awaitable(submit(group, save, patience))

        async def main():
            clock, errors, result = asyncio.get_running_loop().time, [], None
            try:
                async with asyncio.TaskGroup() as group:
                    task = asyncio.create_task(guest(group), name="guest")
                    await asyncio.wait([task], timeout=100 if cancel is None else cancel)
                    if cancel is not None:
                        task.cancel()
                    await asyncio.wait([task], timeout=100)
                    at = clock()
            except* ValueError as group_of_errors:
                errors = [str(one) for one in group_of_errors.exceptions]
            over = clock()
            if task.done() and not task.cancelled() and error is None and task.exception():
                raise task.exception()
            if error is None:
                result = "cancelled" if task.cancelled() else task.result()
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()  # what the end of a program does
                await asyncio.wait([task])
            return errors if error is not None else (result, at, over, saved)

        return lab.run(main(), leaks=True).result

    @right
    async def with_shield(group, save, patience):
        """Save in `group`; return the number, or "still saving"."""
        saving = group.create_task(save())
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(saving)
        except TimeoutError:
            return "still saving"

    @right
    async def with_wait(group, save, patience):
        saving = group.create_task(save())
        done, late = await asyncio.wait([saving], timeout=patience)
        return saving.result() if done else "still saving"

    @wrong("ended the saving", says="cancelled in the middle")
    async def without_shield(group, save, patience):
        saving = group.create_task(save())
        try:
            async with asyncio.timeout(patience):
                return await saving
        except TimeoutError:
            return "still saving"

    @wrong("waited too long", says="it returned after 3 s")
    async def waits_for_the_clock(group, save, patience):
        saving = group.create_task(save())
        await asyncio.sleep(patience)
        return saving.result() if saving.done() else "still saving"

    @wrong("ended the saving", says="cancelled in the middle")
    async def with_wait_for(group, save, patience):
        try:
            return await asyncio.wait_for(save(), patience)
        except TimeoutError:
            return "still saving"

    @wrong("nobody waited for the saving", says="The group was over at 1 s")
    async def shields_a_coroutine(group, save, patience):
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(save())
        except TimeoutError:
            return "still saving"

    @wrong("nobody waited for the saving", says="The group was over at 1 s")
    async def a_task_of_nobody(group, save, patience):
        saving = asyncio.create_task(save())
        done, late = await asyncio.wait([saving], timeout=patience)
        return saving.result() if done else "still saving"

    @wrong("waited too long", says="after 5 s")
    async def waits_to_the_end(group, save, patience):
        saving = group.create_task(save())
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(saving)
        except TimeoutError:
            await saving
            return "still saving"

    @wrong("swallowed", says="It returned 'still saving' after 1 s")
    async def takes_every_request_for_a_timeout(group, save, patience):
        saving = group.create_task(save())
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(saving)
        except (TimeoutError, asyncio.CancelledError):
            return "still saving"

    @wrong("saved twice", says="2 times")
    async def saves_again(group, save, patience):
        group.create_task(save())
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(save())
        except TimeoutError:
            return "still saving"

    @wrong("saved twice", says="goes on by itself")
    async def saves_again_when_told(group, save, patience):
        saving = group.create_task(save())
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(saving)
        except TimeoutError:
            group.create_task(save())
            return "still saving"

    @wrong("ended the saving", says="Leave it alone")
    async def cancels_what_is_late(group, save, patience):
        saving = group.create_task(save())
        done, late = await asyncio.wait([saving], timeout=patience)
        for task in late:
            task.cancel()
        return saving.result() if done else "still saving"

    @wrong("lost error", says="ended without the ValueError")
    async def hides_the_error(group, save, patience):
        async def quietly():
            with suppress(Exception):
                return await save()

        saving = group.create_task(quietly())
        done, late = await asyncio.wait([saving], timeout=patience)
        return saving.result() if done else "still saving"


class GiveBack(Exercise):
    """A cleanup that is not cut off

    Write `borrow(lend, use, give_back)`. It awaits `thing = lend()`, awaits `use(thing)`, and
    returns what that returned. Whatever becomes of `use`, the thing is given back:
    `give_back(thing)` is awaited, once.

    - `give_back` takes a while. However often `borrow` is cancelled in that time, `give_back` goes
      on to its end, and `borrow` ends after it.
    - But `give_back` gets at most 3 s. If it takes longer, it is cancelled.
    - An error of `use` comes out. If `borrow` was cancelled, at whatever point, a CancelledError
      comes out.
    - If `lend` did not come to its end, there is nothing to give back.

    `give_back` raises no error of its own.
    """

    id = "give-back-1"
    asks = "borrow"
    minutes = 12
    hints = (
        "A request goes to one task. So which task should do the giving back?",
        "A task of its own, and a loop: `while not back.done()`, wait for it, and remember a "
        "CancelledError that comes meanwhile.",
        "`await asyncio.wait([back])` leaves `back` alone when it is cancelled. The bound of 3 s "
        "belongs inside the task, where no request ends it.",
        "At the end: `if request is not None: raise request`.",
    )

    def verify(self, borrow, lab):
        case = self._run(borrow, lab, [])
        self._given(case, lab, "`use` had ended well", [])
        lab.equal(case.outcome, "used the thing")
        case.told()
        case = self._run(borrow, lab, [], fails=True)
        self._given(case, lab, "`use` had raised an error", [])
        if not isinstance(case.outcome, LookupError):
            raise Wrong(
                "lost error",
                f"`use` raised LookupError; it ended with {case.outcome!r}.",
                lab.line(r"except|suppress|return"),
            )
        case.told()
        for moments in [2], [2, 2.5], [2, 2.25, 2.5, 3], [6.5], [6.5, 7]:
            case = self._run(borrow, lab, moments)
            self._given(case, lab, f"It was cancelled {at_moments(moments)}", moments)
            self._cancelled(case, lab, moments)
            case.told()
        for moments in [2], [2, 4]:
            case = self._run(borrow, lab, moments, back=1000)
            self._bounded(case, lab, moments)
            case.told()
        case = self._run(borrow, lab, [0.5])
        if case.given:
            raise Wrong(
                "gave back what it had not",
                "It was cancelled after 0.5 s, in `lend`, and `give_back` was called.",
                lab.line(r"give_back\("),
                "Let the `try` begin after `lend`.",
            )
        self._cancelled(case, lab, [0.5])
        case.told()

    def _given(self, case, lab, when, moments):
        call = lab.line(r"give_back\(")
        if not case.given:
            raise Wrong(
                "not given back",
                f"{when}, and `give_back` was not called.",
                call,
                "A `finally` runs whatever becomes of its `try`: a result, an error, a "
                "cancellation.",
            )
        if len(case.given) > 1:
            raise Wrong(
                "gave it back twice",
                f"{when}, and `give_back` was called {len(case.given)} times.",
                call,
                "One task for it, that is waited for again and again.",
            )
        if case.given == ["cancelled"] and not moments:
            raise Wrong(
                "bounded too tightly",
                f"{when}. `give_back` takes 2 s, and it was ended "
                f"after {case.took:g} s; it may take 3.",
                lab.line(r"timeout|wait_for|\bwait\(") or call,
            )
        if case.given == ["cancelled"]:
            raise Wrong(
                "cut off",
                f"{when}. `give_back` takes 2 s, and it was cancelled after {case.took:g} s.",
                call,
            )
        if case.given != ["ended"]:
            raise Wrong(
                "did not wait for the cleanup",
                f"{when}, and `borrow` ended at {case.over:g} s, while `give_back` went on.",
                lab.line(r"shield|create_task|ensure_future"),
                "The next request ends your waiting too. Wait again, until the task is done."
                if moments
                else "Wait for the task that gives back.",
            )

    def _cancelled(self, case, lab, moments):
        if isinstance(case.outcome, TimeoutError):
            raise Wrong(
                "another error came out",
                f"It was cancelled {at_moments(moments)}, `give_back` was ended when its "
                "3 s were over, and a TimeoutError came out, not a CancelledError.",
                lab.line(r"timeout|wait_for"),
                "The bound of the cleanup is the cleanup's own affair: suppress its "
                "TimeoutError there.",
            )
        if case.outcome != "cancelled":
            raise Wrong(
                "swallowed",
                f"It was cancelled {at_moments(moments)}, and it ended with {case.outcome!r}.",
                lab.text.swallowing_handler(),
                "Remember the request while you wait, and raise it afterwards.",
            )

    def _bounded(self, case, lab, moments):
        if case.over > 5.001:
            raise Wrong(
                "a cleanup without end",
                f"It was cancelled "
                f"{at_moments(moments)}, and it was over at {case.over:g} s; at 5 s the "
                "3 s for giving back are over.",
                lab.line(r"give_back\("),
                "Put `asyncio.timeout(3)` around `give_back`, inside its own task.",
            )
        if case.given == ["begun"]:
            raise Wrong(
                "left the cleanup running",
                "After 3 s of giving back it was to be cancelled, and it still went on.",
                lab.line(r"\bwait\(|timeout"),
                "Let the bound end `give_back` itself, and not only the waiting for it.",
            )
        self._cancelled(case, lab, moments)

    def _run(self, borrow, lab, moments, back=2, fails=False):
        case = Case()
        lab.told(f"with a `lend` of 1 s, a `use` of 5 s and a `give_back` of {back} s")

        async def lend():
            await asyncio.sleep(1)
            return "the thing"

        async def use(thing):
            await asyncio.sleep(5)
            if fails:
                raise LookupError("it is broken")
            return f"used {thing}"

        async def give_back(thing):
            clock, number = asyncio.get_running_loop().time, len(case.given)
            begun = clock()
            case.given.append("begun")
            try:
                await asyncio.sleep(back)
                case.given[number] = "ended"
            except asyncio.CancelledError:
                case.given[number] = "cancelled"
                raise
            finally:
                case.took = clock() - begun

        async def main():
            clock = asyncio.get_running_loop().time
            made = borrow(lend, use, give_back)
            if not asyncio.iscoroutine(made):
                raise Wrong(
                    "not async",
                    f"`borrow` returned {made!r} at once: there is nothing to await.",
                    lab.line(r"\bdef\b"),
                )
            task = asyncio.create_task(made, name="borrow")
            for moment in moments:
                await asyncio.wait([task], timeout=moment - clock())
                task.cancel()
            await asyncio.wait([task], timeout=5000)
            case.over, case.given_then = clock(), list(case.given)
            if task.cancelled():
                case.outcome = "cancelled"
            elif task.done():
                case.outcome = task.exception() or task.result()

        try:
            lab.run(main(), leaks=True)
        except Wrong as found:
            if found.kind != "lost error":
                raise
            case.lost = found
        case.given = case.given_then
        if isinstance(case.outcome, Exception) and not isinstance(
            case.outcome, TimeoutError if moments else LookupError
        ):
            raise case.outcome
        return case

    @right
    async def waits_again(lend, use, give_back):
        """Use a thing and give it back, whatever happens."""
        thing = await lend()

        async def bounded():
            with suppress(TimeoutError):
                async with asyncio.timeout(3):
                    await give_back(thing)

        try:
            return await use(thing)
        finally:
            back, request = asyncio.create_task(bounded()), None
            while not back.done():
                try:
                    await asyncio.wait([back])
                except asyncio.CancelledError as error:
                    request = error
            if request is not None:
                raise request

    @right
    async def shields_again(lend, use, give_back):
        thing = await lend()
        try:
            return await use(thing)
        finally:
            back = asyncio.ensure_future(asyncio.wait_for(give_back(thing), 3))
            told = False
            while not back.done():
                try:
                    await asyncio.shield(back)
                except asyncio.CancelledError:
                    told = True
                except TimeoutError:
                    pass
            if told:
                raise asyncio.CancelledError

    @wrong("cut off", says="after 0.5 s")
    async def plain_finally(lend, use, give_back):
        thing = await lend()
        try:
            return await use(thing)
        finally:
            await give_back(thing)

    @wrong("cut off", says="after 0.5 s")
    async def bounded_but_not_protected(lend, use, give_back):
        thing = await lend()
        try:
            return await use(thing)
        finally:
            with suppress(TimeoutError):
                async with asyncio.timeout(3):
                    await give_back(thing)

    @wrong("cut off", says="after 0.5 s")
    async def awaits_the_task(lend, use, give_back):
        thing = await lend()
        try:
            return await use(thing)
        finally:
            await asyncio.create_task(give_back(thing))

    @wrong("did not wait for the cleanup", says="ended at 2.5 s")
    async def shields_once(lend, use, give_back):
        thing = await lend()
        try:
            return await use(thing)
        finally:
            await asyncio.shield(asyncio.wait_for(give_back(thing), 3))

    @wrong("did not wait for the cleanup", says="while `give_back` went on")
    async def waits_once_more(lend, use, give_back):
        thing = await lend()
        try:
            return await use(thing)
        finally:
            back = asyncio.create_task(asyncio.wait_for(give_back(thing), 3))
            try:
                await asyncio.wait([back])
            except asyncio.CancelledError:
                await asyncio.wait([back])
                raise

    @wrong("bounded too tightly", says="after 1 s")
    async def one_second_is_enough(lend, use, give_back):
        thing = await lend()
        try:
            return await use(thing)
        finally:
            back, request = asyncio.create_task(asyncio.wait_for(give_back(thing), 1)), None
            while not back.done():
                try:
                    await asyncio.wait([back])
                except asyncio.CancelledError as error:
                    request = error
            if request is not None:
                raise request

    @wrong("lost error", says="TimeoutError")
    async def looks_at_no_error(lend, use, give_back):
        thing = await lend()
        try:
            return await use(thing)
        finally:
            back, request = asyncio.create_task(asyncio.wait_for(give_back(thing), 3)), None
            while not back.done():
                try:
                    await asyncio.wait([back])
                except asyncio.CancelledError as error:
                    request = error
            if request is not None:
                raise request

    @wrong("another error came out", says="a TimeoutError came out")
    async def lets_the_bound_out(lend, use, give_back):
        thing = await lend()
        try:
            return await use(thing)
        finally:
            back, request = asyncio.create_task(asyncio.wait_for(give_back(thing), 3)), None
            while not back.done():
                try:
                    await asyncio.wait([back])
                except asyncio.CancelledError as error:
                    request = error
            back.result()
            if request is not None:
                raise request

    @wrong("not given back", says="`give_back` was not called")
    async def no_finally(lend, use, give_back):
        thing = await lend()
        try:
            result = await use(thing)
        except Exception:
            await give_back(thing)
            raise
        await give_back(thing)
        return result

    @wrong("a cleanup without end", says="1000 s")
    async def no_bound(lend, use, give_back):
        thing = await lend()
        try:
            return await use(thing)
        finally:
            back, request = asyncio.create_task(give_back(thing)), None
            while not back.done():
                try:
                    await asyncio.wait([back])
                except asyncio.CancelledError as error:
                    request = error
            if request is not None:
                raise request

    @wrong("a cleanup without end", says="at 2 s and 4 s, and it was over at 7 s")
    async def renews_the_bound(lend, use, give_back):
        thing = await lend()
        try:
            return await use(thing)
        finally:
            back, request = asyncio.create_task(give_back(thing)), None
            while not back.done():
                try:
                    async with asyncio.timeout(3):
                        await asyncio.wait([back])
                except TimeoutError:
                    back.cancel()
                except asyncio.CancelledError as error:
                    request = error
            if request is not None:
                raise request

    @wrong("swallowed", says="at 6.5 s, and it ended with 'used the thing'")
    async def forgets_the_request(lend, use, give_back):
        thing = await lend()

        async def bounded():
            with suppress(TimeoutError):
                async with asyncio.timeout(3):
                    await give_back(thing)

        try:
            return await use(thing)
        finally:
            back = asyncio.create_task(bounded())
            while not back.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([back])

    @wrong("left the cleanup running", says="it still went on")
    async def bounds_the_waiting(lend, use, give_back):
        thing = await lend()
        try:
            return await use(thing)
        finally:
            clock = asyncio.get_running_loop().time
            back, request = asyncio.create_task(give_back(thing)), None
            end = clock() + 3
            while not back.done() and clock() < end:
                try:
                    await asyncio.wait([back], timeout=end - clock())
                except asyncio.CancelledError as error:
                    request = error
            if request is not None:
                raise request

    @wrong("gave back what it had not", says="in `lend`")
    async def begins_too_early(lend, use, give_back):
        async def bounded():
            with suppress(TimeoutError):
                async with asyncio.timeout(3):
                    await give_back(thing)

        thing = None
        try:
            thing = await lend()
            return await use(thing)
        finally:
            back, request = asyncio.create_task(bounded()), None
            while not back.done():
                try:
                    await asyncio.wait([back])
                except asyncio.CancelledError as error:
                    request = error
            if request is not None:
                raise request


class Case:
    """What came of one borrowing.

    given: how each giving back stood when it was over; took: seconds of the last one; outcome: what
    was returned, the error, or "cancelled"; lost: the Wrong for an error that nobody looked at.
    """

    def __init__(self):
        self.given, self.given_then, self.took, self.over = [], [], 0.0, 0.0
        self.outcome, self.lost = None, None

    def told(self):
        """Name a lost error, now that nothing worse was found."""
        if self.lost is not None:
            raise self.lost


def other_clock(wrong_time, lab):
    """Raise Wrong if times are wrong and the answer asks the computer's clock for them."""
    line = lab.line(r"\btime\.(time|monotonic|perf_counter)\(")
    if wrong_time and line:
        raise Wrong(
            "looked at another clock",
            "The times are wrong: here the loop's clock jumps, and the computer's own "
            "stands nearly still.",
            line,
            "Ask `asyncio.get_running_loop().time()`: deadlines are on that clock.",
        )


def at_moments(moments):
    """The moments in words: at 2 s and 2.5 s."""
    return "at " + " and ".join(f"{moment:g} s" for moment in moments)
