"""Long, for each of two deadlines can be missed in a way of its own."""

import ast
import asyncio
from contextlib import suppress

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.handlers import suppressing
from helpers.coach.mistakes.nodes import is_named, own_nodes

from .shared import broken_off, let_out, other_clock

KEPT = OSError("kept")  # an error that `ask` returns is an answer like any other


class FirstAnswer(Exercise):
    """Whose deadline was it?

    Several servers know the answer, and some are slow. `ask(server)` is a coroutine function that
    takes a while and returns the answer. Write `first_answer(ask, servers, short, long)`. It asks
    one server after another, in order.

    - A server gets `short` seconds. If it takes longer, the next one is asked.
    - All of it together gets `long` seconds. When they are over, return "out of time".
    - Return the first answer. If no server answers within its `short` seconds, return "nobody".
    - An error that `ask` raises comes out, even a TimeoutError of its own.

    When `ask` is cancelled, it ends at once. No two deadlines of my tests expire at the same
    moment. My tests use the loop's clock, `asyncio.get_running_loop().time()`.
    """

    id = "whose-1"
    asks = "first_answer"
    minutes = 10
    hints = (
        "Two nested deadlines: the one for the whole stands around the loop.",
        "`async with asyncio.timeout(short) as each:` Which question can you ask `each` "
        "afterwards?",
        "`except TimeoutError:` and then `if not each.expired(): raise`. The same for the outer "
        "one.",
    )
    equivalent = {
        "with_two_deadlines: wider except, line 12": "another error comes before the deadline",
        "with_two_deadlines: wider except, line 15": "another error comes before the deadline",
        "with_a_moment: wider except, line 11": "another error comes before the deadline",
        "with_wait: wider except, line 15": "another error comes before the deadline",
    }

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
                "When the outer deadline expires, a CancelledError passes there: catch "
                "TimeoutError only.",
            )
        all_asked = abs(run.elapsed - 2 * len(ask.calls)) < 0.01  # each of them for its 2 s
        if run.elapsed > 5.001 and run.result == "out of time" and all_asked:
            raise Wrong(
                "limits add up",
                f"Every server takes 9 s. The 5 s for all together were over while "
                f"{ask.calls[-1]} was asked, and it returned 'out of time' after "
                f"{run.elapsed:g} s.",
                lab.earliest(lab.call_of("timeout*", "wait_for"), lab.keyword("timeout")),
                "To look at the clock between two servers is too late: the long deadline must end "
                "the call that is under way, too.",
                headline="saw too late that the time was over",
            )
        if run.elapsed > 5.001:
            raise Wrong(
                "limits add up",
                f"Every server takes 9 s, and it was over after {run.elapsed:g} s; all "
                "together may take 5 s.",
                lab.call_of("timeout", "wait_for"),
                "Put one deadline around the whole loop, and one around each call.",
                headline="no deadline for the whole",
            )
        if run.elapsed < 4.999:
            raise Wrong(
                "one failure ends all",
                f"Every server takes 9 s, and it returned {run.result!r} after "
                f"{run.elapsed:g} s. There were 5 s, 2 s for each server.",
                broken_off(lab) or lab.handler(),
                "When the deadline of one server expires, ask the next one, with `short` seconds "
                "of its own.",
                headline="gave up too early",
            )
        lab.equal(run.result, "out of time")
        ask = lab.service(slow, name="ask")
        run = self._inside(lab, "Each server gets 2 s", first_answer, ask, ["a", "b", "c"], 2, 10)
        if run.result == "out of time":
            raise Wrong(
                "whose timeout",
                f"None of three servers answered within 2 s. After {run.elapsed:g} s of 10 it "
                "returned 'out of time'.",
                lab.literal("out of time"),
                "The error alone does not tell whose deadline it was. "
                "`timeout(...) as cm` and `cm.expired()` do.",
                headline="took one deadline for the other",
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
            if "b" in ask.cancelled and abs(run.elapsed - 2) < 0.01:
                raise Wrong(
                    "one failure ends all",
                    f"Server a takes 9 s, b would have answered in 1 s. b was asked, and stopped "
                    f"at once. It returned {run.result!r} after {run.elapsed:g} s of 10.",
                    lab.assigned(to="short") or lab.call_of("timeout*", "wait_for"),
                    "Each server gets `short` seconds of its own. Count them from the moment when "
                    "it is asked.",
                    headline="left no time for the next server",
                )
            raise Wrong(
                "one failure ends all",
                f"Server a takes 9 s, b would have answered in 1 s. It returned "
                f"{run.result!r} after {run.elapsed:g} s of 10.",
                broken_off(lab) or lab.handler(),
                "When the deadline of one server expires, ask the next one, with `short` seconds "
                "of its own.",
                headline="gave up too early",
            )
        if "c" in ask.calls and run.elapsed < 2.999:
            raise Wrong(
                "limit",
                f"It asked {', '.join(ask.calls)}, and was over after {run.elapsed:g} s. "
                "The servers are to be asked one after another.",
                lab.call_of("create_task", "gather"),
                "Await each one in a loop.",
                headline="asked all at once",
            )
        if run.result == "it is a":
            raise Wrong(
                "time limit",
                f"Server a takes 9 s and may take 2. It returned {run.result!r} after "
                f"{run.elapsed:g} s.",
                lab.call_of("timeout", given="short") or lab.call_of("ask"),
                "Put `async with asyncio.timeout(short)` around `await ask(server)` "
                "itself: it ends what the task waits for inside its block.",
                headline="no limit for each server",
            )
        lab.equal(run.result, "it is b")
        if "c" in ask.calls:
            raise Wrong(
                "one too many",
                "Server b had answered, and c was asked all the same.",
                lab.for_loop(),
                "Return the answer as soon as it is there.",
                headline="asked too many",
            )

    def _inside(self, lab, rule, *what):
        """Run it; no deadline may come out as an error."""
        try:
            return lab.run(*what)
        except TimeoutError as error:
            observed = f"{rule}. When the time was over, a TimeoutError came out."
            try_ = "Catch it around the block of that deadline."
            raise let_out(observed, lab.text.of_traceback(error), try_, lab) from None
        except Wrong as found:
            if found.kind == "leaked" and (waits := lab.keyword("timeout", of="wait")):
                found.line, found.at, found.headline = waits, "", "left a task running"
                found.try_ = (
                    "`asyncio.wait` doesn't stop a task when its `timeout` is over: cancel it, "
                    "best in a `finally`."
                )
            raise

    def _errors(self, first_answer, lab):
        for server, when in (("b", "when a had used up its 2 s"), ("a", "the first of them")):
            own = TimeoutError("the server's own limit")
            if server == "a":
                own.__cause__ = asyncio.CancelledError()  # as that of an `asyncio.timeout` has it
            ask = lab.service(
                {"a": 9 if server == "b" else 1, "b": 1, "c": 1}, name="ask", errors={server: own}
            )
            try:
                run = lab.run(first_answer, ask, ["a", "b", "c"], 2, 10)
            except TimeoutError as error:
                if str(error) == str(own):
                    continue
                raise Wrong(
                    "another error",
                    f"Server {server} raised TimeoutError({str(own)!r}), and what came "
                    f"out is {error!r}.",
                    lab.raising(),
                    "A bare `raise` lets the error itself go on.",
                ) from None
            what = (
                "went on to the next server"
                if len(ask.calls) > "abc".index(server) + 1
                else f"returned {run.result!r}"
            )
            returned = lab.suspect(run.result, "it is")
            line = None if returned else lab.use_of("__cause__", "__context__") or lab.handler()
            raise Wrong(
                "whose timeout",
                f"Server {server}, {when}, was asked, and raised a TimeoutError of its own "
                "after 1 s. That was not one of your deadlines, but your function "
                f"{what}.",
                returned.line if returned else line,
                "`wait_for` can't tell whose TimeoutError it was. A deadline that you name, "
                "`async with asyncio.timeout(…) as each:`, can: `each.expired()`."
                if _waits_for(lab, line)
                else "Ask the deadline with `expired()`; if it was not that one, `raise`.",
                headline="took another's timeout for its own",
            )
        ask = lab.service(1, name="ask", errors={"a": LookupError("no such question")})
        lab.told("with three servers, of which the first raises a LookupError")
        lab.run(first_answer, ask, ["a", "b", "c"], 2, 10, raises=LookupError)

    @sweep(
        lambda some: {  # none of these deadlines and answers come at the same moment
            "servers": some.lists(some.sampled_from("abc"), min_size=1, max_size=4),
            "waits": some.permutations((0.25, 9, 9)),
            "answers": some.lists(
                some.sampled_from(("it is", "", 0, None, False, KEPT)), min_size=3, max_size=3
            ),
            "short": some.sampled_from((2, 3.1)),
            "long": some.sampled_from((0.7, 2.9, 5.7, 17.3)),
        },
        besides=[
            {
                "servers": ["b"] * 1100 + ["a"],  # an answer comes through all calls at once
                "waits": (1, 9, 1),
                "answers": ("it is",) * 3,
                "short": 2,
                "long": 9000,
            }
        ],
        fails=(TimeoutError, LookupError, ...),
        cancels=True,
        most=24,
    )
    def any_servers(self, first_answer, lab, servers, waits, answers, short, long):
        ask = lab.service(dict(zip("abc", waits)), dict(zip("abc", answers)), name="ask")
        says = listed(
            f"{server!r} answers {answer!r} after {wait:g} s"
            for server, answer, wait in zip("abc", answers, waits)
            if server in servers
        )
        named = f"{servers}"
        if len(servers) > 4:
            named = f"{len(servers) - 1:,} times {servers[0]!r}, then {servers[-1]!r}"
        lab.told(f"with the servers {named}, short={short} and long={long}; {says}")
        run = lab.run(first_answer, ask, servers, short, long)
        if run.result == "nobody" and run.elapsed > long - 0.001:
            raise Wrong(
                "value",
                f"The {long} s were over while a server was asked. It returned 'nobody'; expected "
                "'out of time'.",
                lab.literal("nobody"),
                "When the long time ends the wait for the last server, the loop is over as well: "
                'ask which of the two deadlines it was before you say "nobody".',
                headline="took one deadline for the other",
            )
        return lab.seen(run, ask)

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

    @wrong("whose timeout", says="the first of them")
    async def goes_by_the_cause(ask, servers, short, long):
        whole = asyncio.timeout(long)
        try:
            async with whole:
                for server in servers:
                    try:
                        async with asyncio.timeout(short):
                            return await ask(server)
                    except TimeoutError as error:
                        if not isinstance(error.__cause__, asyncio.CancelledError):
                            raise
                return "nobody"
        except TimeoutError:
            if whole.expired():
                return "out of time"
            raise

    @wrong("whose timeout", says="went on to the next server")
    async def suppresses_every_timeout(ask, servers, short, long):
        with suppress(TimeoutError):
            async with asyncio.timeout(long):
                for server in servers:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(short):
                            return await ask(server)
                return "nobody"
        return "out of time"

    @wrong("whose timeout", says="returned 'out of time'")
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

    makes_a_new_error = with_two_deadlines.but(
        "each.expired():\n    raise",
        'each.expired():\n    raise TimeoutError("too slow")',
        kind="another error",
        says="too slow",
    )

    @wrong("one failure ends all", says="returned 'out of time' after 2 s of 10")
    async def catches_outside_alone(ask, servers, short, long):
        try:
            async with asyncio.timeout(long):
                for server in servers:
                    async with asyncio.timeout(short):
                        return await ask(server)
        except TimeoutError:
            return "out of time"
        return "nobody"

    @wrong("time limit", says="after 9 s")
    async def limits_the_whole_alone(ask, servers, short, long):
        try:
            async with asyncio.timeout(long):
                for server in servers:
                    return await ask(server)
        except TimeoutError:
            return "out of time"
        return "nobody"

    @wrong("time limit", says="inside its block")
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

    @wrong("limits add up", says="after 8 s")
    async def limits_each_alone(ask, servers, short, long):
        for server in servers:
            with suppress(TimeoutError):
                return await asyncio.wait_for(ask(server), short)
        return "nobody"

    @wrong("limits add up", says="after 8 s")
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

    @wrong("limits add up", says="after 6 s")
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

    @wrong("caught too little", says="All of it gets 5 s")
    async def catches_the_inner_one_alone(ask, servers, short, long):
        async with asyncio.timeout(long) as whole:
            for server in servers:
                with suppress(TimeoutError):
                    async with asyncio.timeout(short):
                        return await ask(server)
        return "out of time" if whole.expired() else "nobody"

    cannot_tell = suppresses_every_timeout.but(
        'return "nobody"', "", kind="whose timeout", says="After 6 s of 10"
    )

    @wrong("caught too little", says="Each server gets 2 s")
    async def catches_nothing(ask, servers, short, long):
        async with asyncio.timeout(long):
            for server in servers:
                async with asyncio.timeout(short):
                    return await ask(server)
        return "nobody"


def _waits_for(lab, line):
    """Whether what is caught at this line comes out of a `wait_for`, and of no `timeout`."""
    for node in lab.nodes():
        handlers = [handler.lineno for handler in getattr(node, "handlers", ())]
        if line is not None and (line in handlers or (suppressing(node) or (None,))[0] == line):
            calls = [part for part in own_nodes(node) if isinstance(part, ast.Call)]
            return any(is_named(call.func, ("wait_for",)) for call in calls) and not any(
                is_named(call.func, ("timeout*",)) for call in calls
            )
    return False
