"""Long, for a page can be asked for in many wrong ways."""

import ast
import asyncio
import contextlib
import itertools
import random
import time

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.handlers import catches, names_of
from helpers.coach.mistakes.nodes import ifs_that_raise, is_named, own_nodes, uses

from .shared import SOON, now


class Ask:
    """What becomes of the first, second, ... request for a page: a status, an error, or "hang".

    takes: seconds of a try that doesn't hang. body: that of a 200, "body of …" by default.
    """

    MOST = 12  # requests; who asks more often never gives up

    def __init__(self, lab, outcomes, takes=0.1, body=...):
        self.lab, self.outcomes, self.began, self.ended = lab, list(outcomes), [], []
        self.takes, self.body = takes, body
        self.cut_off_after = None  # seconds of the last try that was cancelled

    @property
    def pauses(self):
        """Seconds between the end of one try and the beginning of the next."""
        return [began - ended for ended, began in zip(self.ended, self.began[1:])]

    async def __call__(self, page):
        if len(self.began) == self.MOST:
            raise Wrong(
                "endless",
                f"It asked {self.MOST} times and went on.",
                self.lab.looping(),
                "Count the tries: five, no more.",
                headline="never gives up",
            )
        self.began.append(now())
        outcome = self.outcomes.pop(0) if self.outcomes else 200
        try:
            await asyncio.sleep(3600 if outcome == "hang" else self.takes)
        except asyncio.CancelledError:
            self.cut_off_after = now() - self.began[-1]
            raise
        finally:
            self.ended.append(now())
        if isinstance(outcome, type):
            self.lab.raised.append(outcome("connection lost"))
            raise self.lab.raised[-1]
        if outcome != 200:
            return outcome, ""
        return 200, f"body of {page}" if self.body is ... else self.body


OUTCOMES = (429, 503, OSError, ConnectionResetError, TimeoutError, "hang", 404, 500, 204, 301, 200)


def leaves_time(outcomes):
    """Whether these tries and the one after them end in time, or not: chance decides nothing."""
    return not 2 <= outcomes.count("hang") <= 3 or len(outcomes) == outcomes.count("hang") == 2


class OnePage(Exercise):
    """One page, with patience and an end

    `ask(page)` is a coroutine function. It returns a status and a body, as `(200, "...")`; or it
    raises `OSError` because the connection was lost; or it hangs.

    Write `get_page(ask, page)`, a coroutine function.

    - It returns the body of the first answer whose status is 200.
    - The first try begins at once. A try may take 1 s; one that takes longer is cancelled.
    - After a 429, a 503, an `OSError` or a try that took too long it asks again, five times in all.
      Before each new try it pauses for a random time: between 0 and 0.1 s before the second try,
      between 0 and 0.2 s before the third, and so on, each time up to twice as long.
    - After any other status, or after the fifth try, a `ValueError` comes out at once.
    - All of it may take 4 s. Then a `TimeoutError` comes out.
    """

    id = "crawl-page-1"
    asks = "get_page"
    minutes, clock = 12, "virtual"
    hints = (
        "There are two time limits: one for each try, one for all of them. Which stands inside "
        "the loop, and which around it?",
        "A `TimeoutError` is an `OSError`: one `except` catches both. The outer limit's never "
        "gets there; inside, it is a cancellation.",
        "`async with asyncio.timeout(4):` around `for attempt in range(5):`, in which a `try` "
        "holds `async with asyncio.timeout(1): status, body = await ask(page)`. After the "
        "try: return, raise, or `await asyncio.sleep(random.uniform(0, 0.1 * 2**attempt))`, but "
        "not after the fifth.",
    )

    equivalent = {
        "with_wait_for: wider except, line 10": "`ask` raises nothing but OSErrors",
    }

    def verify(self, get_page, lab):
        ask, error, run = self.tried(get_page, lab, "whose first answer is 200")
        self.body(lab, ask, error, run, tries=1)
        ask, error, run = self.tried(get_page, lab, "that is not there (404)", 404)
        if len(ask.began) > 1:
            raised = lab.raising("ValueError")
            own = error is None and raised and lab.has_run(raised) and lab.keeping(ValueError)
            raise Wrong(
                "retried",
                "After the 404 it asked again.",
                own or lab.handler(ValueError) or _giving_up(lab) or lab.condition("*status*"),
                "This `except` catches your own ValueError, too. Catch only what may be better the "
                "next time, which is `OSError`: a TimeoutError is one."
                if own
                else "What isn't there is not there the next time either. Ask again only after "
                "what may pass: a 429, a 503, an `OSError` or a try that took too long.",
                headline="asked again for what isn't there",
                at=f"also catches the ValueError of line {raised}" if own else "",
            )
        self.failed(lab, error, run, "answered 404", ValueError)
        firsts = []
        for _ in range(4):
            ask, error, run = self.tried(
                get_page,
                lab,
                "whose tries end with 503, OSError, 429, 503 and 200",
                503,
                OSError,
                429,
                503,
            )
            if isinstance(error, OSError):
                raise Wrong(
                    "one failure ends all",
                    "A connection was lost (OSError), and that error came out.",
                    lab.text.let_out(error) or lab.handler(),
                    "Ask again after any `OSError`. A ConnectionError is only one kind of it, and "
                    "a TimeoutError another.",
                    headline="lost the page",
                )
            self.body(lab, ask, error, run, tries=5)
            self.pauses(lab, ask)
            firsts.append(tuple(ask.pauses))
        if not any(sum(pauses) for pauses in firsts):
            raise Wrong(
                "pauses",
                "It asked again at once.",
                lab.looping(),
                "A server that is overloaded needs a moment: "
                "`await asyncio.sleep(random.uniform(0, longest))`.",
                headline="no pause",
            )
        if len({round(pause, 6) for pause, *_ in firsts}) == 1:
            raise Wrong(
                "no jitter",
                f"In four runs the first pause was {firsts[0][0]:g} s each time.",
                lab.call_of("sleep"),
                "Draw it at random, `random.uniform(0, longest)`, or all that failed together "
                "come back together.",
            )
        if not any(pauses[3] > 0.4 for pauses in itertools.chain(firsts, self.more(get_page, lab))):
            raise Wrong(
                "pauses",
                "In sixteen runs the pause before the fifth try "
                "was never longer than 0.4 s; it may be up to 0.8 s.",
                lab.call_of("uniform", "sleep"),
                "The longest pause is 0.1 s before the second try, and doubled before each one "
                "after it: 0.1, 0.2, 0.4 and 0.8 s.",
                headline="pauses that don't grow so far",
            )
        ask, error, run = self.tried(get_page, lab, "that hangs once", "hang")
        if isinstance(error, TimeoutError) or run and run.elapsed > 3:
            raise Wrong(
                "time limit",
                f"The first try hung, and it waited for it until {now_said(ask.ended[0])}.",
                lab.await_of("*ask*"),
                "Each try needs a limit of its own: `async with asyncio.timeout(1):`.",
                headline="hung with the page",
            )
        self.body(lab, ask, error, run, tries=2)
        ask, error, run = self.tried(get_page, lab, "that answers 503 each time", *[503] * 20)
        self.failed(lab, error, run, "answered 503 for the fifth time", ValueError)
        if len(ask.began) != 5:
            raise Wrong(
                "counted wrong",
                f"It may make five tries; it made {len(ask.began)}.",
                lab.earliest(lab.call_of("range"), lab.while_loop()),
            )
        if run.elapsed > ask.ended[-1] + SOON:
            raise Wrong(
                "late",
                "It paused after the fifth try, too, and only then raised the error.",
                lab.call_of("sleep"),
                "After the last try there is nothing to wait for.",
                headline="paused for nothing",
            )
        ask, error, run = self.tried(get_page, lab, "that hangs each time", *["hang"] * 20)
        if ask.ended[-1] > 4.001:
            clock = ("time", "monotonic", "perf_counter", "now", "clock", "*end*", "deadline")
            between = lab.operation("<", "<=", ">", ">=", on=clock)
            raise Wrong(
                "limits add up",
                f"Every try hung. It went on until {ask.ended[-1]:.1f} s; all of it may take 4 s.",
                between or lab.call_of("timeout", "wait_for"),
                "A try or a pause that is under way when the 4 s are over has to end then: put one "
                "`async with asyncio.timeout(4):` around all of them."
                if between
                else "The limits of the tries are no limit for the whole: put one "
                "`async with asyncio.timeout(4):` around all of them.",
                headline="ended too late" if between else "no deadline for the whole",
                at="looks at the clock between the tries only" if between else "",
            )
        self.failed(lab, error, run, "hung for 4 s", TimeoutError)
        lab.told("with a page that hangs, and cancelled it")
        run = lab.run(get_page(Ask(lab, ["hang"] * 20), "/tea"), cancel_after=0.5)
        if run.elapsed > 0.5 + SOON:
            raise Wrong(
                "swallowed",
                f"I cancelled it after 0.5 s, and it went on until {run.elapsed:.1f} s.",
                lab.handler(),
            )
        for _ in range(4):  # whether a pause goes beyond the 4 s, chance decides
            what = "whose answers are 503, after 0.85 s each"
            ask, error, run = self.tried(get_page, lab, what, *[503] * 20, takes=0.85)
            if run.elapsed > 4 + SOON:
                raise Wrong(
                    "limits add up",
                    f"It was over at {run.elapsed:.2f} s; all of it may take 4 s.",
                    lab.call_of("sleep"),
                    "The limit holds for the pauses, too: put one `async with asyncio.timeout(4):` "
                    "around all of it.",
                    headline="paused beyond its end",
                )
            self.failed(lab, error, run, "was asked for 4 s", TimeoutError)

    @sweep(
        lambda some: {
            "outcomes": some.lists(some.sampled_from(OUTCOMES), max_size=6).filter(leaves_time),
            "body": some.sampled_from(("body", "", "0", "[]")),
            "takes": some.sampled_from((0, 0.1, 0.9)),
            "cancelled": some.sampled_from((None, None, None, 0.05)),
        },
        besides=[
            {"outcomes": [*[503] * 4, last], "body": "", "takes": 0.1, "cancelled": None}
            for last in OUTCOMES
        ],
        most=50,
    )
    def any_tries(self, get_page, lab, outcomes, body, takes, cancelled):
        ask = Ask(lab, outcomes, takes, body)
        tries = [each.__name__ if isinstance(each, type) else str(each) for each in outcomes]
        told = f"with a page whose tries end with {', '.join([*tries, '200'][:5])}, in turn"
        if takes > 0.5:
            told += f", after {takes} s each"
        cancelled = cancelled if takes or outcomes[:1] == ["hang"] else None
        if cancelled:
            told += f", and cancelled it after {cancelled} s"
        lab.told(told + f" (the body is {body!r})" * (body != "body"))
        run = lab.run(get_page, ask, "/tea", cancel_after=cancelled)
        self.pauses(lab, ask)
        given = ask.cut_off_after
        if given is not None and given < 1 - SOON and not cancelled and ask.ended[-1] < 4 - SOON:
            beside = _sleep_in_a_limit(lab)
            raise Wrong(
                "time limit",
                f"A try was cancelled after {given:.3g} s; it may take 1 s.",
                beside or lab.await_of("*ask*"),
                "Let nothing but `ask` stand in the time limit of a try.",
                headline="gave a try too little time",
                at="uses up time that the try may take" if beside else "",
            )
        for began, ended in zip(ask.began, ask.ended):
            if ended - began > 1 + SOON:
                raise Wrong(
                    "time limit",
                    f"A try took {ended - began:.3g} s; it may take 1 s.",
                    lab.await_of("*ask*"),
                )
        if (
            not (cancelled or isinstance(run.error, TimeoutError))
            and run.elapsed > ask.ended[-1] + SOON
        ):
            raise Wrong(
                "late",
                f"The last try ended at {ask.ended[-1]:.2f} s, and it was over at "
                f"{run.elapsed:.2f} s.",
                lab.call_of("sleep"),
                "After the last try there is nothing to wait for.",
                headline="paused for nothing",
            )
        last = outcomes[len(ask.began) - 1] if len(ask.began) <= len(outcomes) else 200
        if run.error is None and last != 200 and isinstance(last, int):
            raise Wrong(
                "lost error",
                f"The last answer had the status {last}, and it returned {run.result!r}; a "
                "ValueError had to come out.",
                lab.operation("<", "<=", ">", ">=", "==", "!=", "in", on=["*status*"])
                or lab.condition("*status*"),
                "A page is there with the status 200, and with no other.",
                headline=f"took a {last} for a page",
            )
        if isinstance(run.error, (ValueError, TimeoutError)):
            run.error.args = ()  # its words are left open
        return {
            "": lab.seen(run, without=("seconds",)),
            "the number of its tries is": len(ask.began),
        }

    def tried(self, get_page, lab, what, *outcomes, takes=0.1):
        """Run it once: what was asked, the error that came out or None, the run."""
        lab.told(f"with a page {what}")
        ask = Ask(lab, outcomes, takes)
        expected = (ValueError, TimeoutError, OSError)
        came = []

        async def scene():
            try:
                return await lab.awaitable(get_page(ask, "/tea"))
            except expected as error:
                came.append(error)

        run = lab.run(scene())
        return ask, came[0] if came else None, run

    def more(self, get_page, lab):
        """The pauses of twelve more runs, each made only when it is asked for."""
        for _ in range(12):
            ask, _, _ = self.tried(get_page, lab, "that fails four times", 503, 503, 503, 503)
            yield tuple(ask.pauses)

    def body(self, lab, ask, error, run, tries):
        if isinstance(error, ValueError) and len(ask.began) < tries:
            raise Wrong(
                "one failure ends all",
                f"It gave up after try {len(ask.began)}; the next one might have succeeded.",
                lab.raising(),
                headline="lost the page",
            )
        if error is not None:
            raise error
        if isinstance(run.result, tuple):
            raise Wrong(
                "value",
                f"It returned {run.result!r}; it must be the body alone.",
                lab.returning(),
            )
        lab.equal(run.result, "body of /tea")
        if len(ask.began) > tries:
            raise Wrong(
                "done twice",
                f"It asked {len(ask.began)} times; try {tries} had succeeded.",
                lab.returning(),
                headline="asked too often",
            )

    def failed(self, lab, error, run, what, kind):
        if isinstance(error, kind):
            return
        kept = kind is TimeoutError and error and _limit_in_a_try(lab)
        if kept and isinstance(error.__context__, (TimeoutError, type(None))):
            raise Wrong(
                "another error",
                f"The page {what}, and {type(error).__name__} came out; it must be TimeoutError.",
                kept,
                "A TimeoutError is an OSError: what catches that of a try catches that of the "
                "whole, too. The limit of 4 s stands outside of every `except`.",
                headline="took the end for a lost connection",
                at="catches that of the whole as well",
            )
        if error is not None:
            place = lab.text.of_traceback(error)
            raise Wrong(
                "another error",
                f"The page {what}, and {type(error).__name__} came out; it must be "
                f"{kind.__name__}.",
                place and place[1],
                "",
            )
        raise Wrong(
            "lost error",
            f"The page {what}, and it returned {run.result!r} as if that were an answer.",
            lab.returning(),
            f"A {kind.__name__} must come out.",
        )

    def pauses(self, lab, ask):
        if ask.began and ask.began[0] > SOON:
            raise Wrong(
                "pauses",
                f"It paused {ask.began[0]:.2g} s before the first try.",
                lab.call_of("sleep"),
                "Only before a new try is there anything to wait for.",
                headline="paused before it had asked",
            )
        for number, pause in enumerate(ask.pauses):
            longest = 0.1 * 2**number
            if pause > longest + SOON:
                raise Wrong(
                    "pauses",
                    f"Before try {number + 2} it paused {pause:.2f} s; it may pause {longest:g} "
                    "s at most.",
                    lab.call_of("uniform", "sleep"),
                    "The limit is 0.1 s before the second try, and doubles with each one after it.",
                    headline="paused too long",
                )

    @right
    async def a_limit_in_a_limit(ask, page):
        """Return the body of the page; try up to five times, for up to 4 s."""
        async with asyncio.timeout(4):
            for attempt in range(5):
                if attempt:
                    await asyncio.sleep(random.uniform(0, 0.05 * 2**attempt))
                with contextlib.suppress(OSError):
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                    if status == 200:
                        return body
                    if status not in (429, 503):
                        raise ValueError(status)
        raise ValueError("five tries in vain")

    @right
    async def with_wait_for(ask, page):
        async def tries():
            for attempt in range(5):
                try:
                    status, body = await asyncio.wait_for(ask(page), 1)
                except OSError:
                    status = 503
                if status == 200:
                    return body
                if status not in (429, 503) or attempt == 4:
                    raise ValueError(f"no page: {status}")
                await asyncio.sleep(random.random() * 0.1 * 2**attempt)

        return await asyncio.wait_for(tries(), 4)

    only_a_deadline = a_limit_in_a_limit.but(
        "async with asyncio.timeout(1):\n    status",
        "status",
        kind="time limit",
        says="a limit of its own",
    )

    @wrong("limits add up", says="no limit for the whole")
    async def only_a_limit_each(ask, page):
        for attempt in range(5):
            if attempt:
                await asyncio.sleep(random.uniform(0, 0.05 * 2**attempt))
            with contextlib.suppress(OSError):
                async with asyncio.timeout(1):
                    status, body = await ask(page)
                if status == 200:
                    return body
                if status not in (429, 503):
                    raise ValueError(status)
        raise ValueError("five tries in vain")

    @wrong("limits add up", says="The limit holds for the pauses, too")
    async def only_the_tries_have_an_end(ask, page):
        clock = asyncio.get_running_loop().time
        end = clock() + 4
        for attempt in range(5):
            if attempt:
                await asyncio.sleep(random.uniform(0, 0.05 * 2**attempt))
            if clock() >= end:
                raise TimeoutError
            try:
                async with asyncio.timeout_at(min(clock() + 1, end)):
                    status, body = await ask(page)
            except OSError:
                if clock() >= end:
                    raise
                continue
            if status == 200:
                return body
            if status not in (429, 503):
                raise ValueError(status)
        raise ValueError("five tries in vain")

    @wrong("retried", says="404")
    async def catches_its_own(ask, page):
        async with asyncio.timeout(4):
            for attempt in range(5):
                try:
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                    if status == 200:
                        return body
                    raise ValueError(status)
                except Exception:
                    await asyncio.sleep(random.uniform(0, 0.1 * 2**attempt))
        raise ValueError("five tries in vain")

    equal_pauses = a_limit_in_a_limit.but(
        "random.uniform(0, 0.05 * 2**attempt)",
        "0.05 * 2**attempt",
        kind="no jitter",
        says="come back together",
    )

    short_pauses = a_limit_in_a_limit.but(
        "0.05 * 2**attempt", "0.1", kind="pauses", says="doubled before each one"
    )

    @wrong("endless", says="five, no more")
    async def for_ever(ask, page):
        longest = 0.1
        async with asyncio.timeout(4):
            while True:
                with contextlib.suppress(OSError):
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                    if status == 200:
                        return body
                    if status not in (429, 503):
                        raise ValueError(status)
                await asyncio.sleep(random.uniform(0, longest))
                longest = min(2 * longest, 0.8) if longest < 0.8 else 0.01

    @wrong("lost error", says="503 for the fifth time")
    async def ends_in_silence(ask, page):
        async with asyncio.timeout(4):
            for attempt in range(5):
                if attempt:
                    await asyncio.sleep(random.uniform(0, 0.05 * 2**attempt))
                with contextlib.suppress(OSError):
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                    if status == 200:
                        return body
                    if status not in (429, 503):
                        raise ValueError(status)

    @wrong("late", says="nothing to wait for")
    async def pauses_at_the_end(ask, page):
        async with asyncio.timeout(4):
            for attempt in range(5):
                with contextlib.suppress(OSError):
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                    if status == 200:
                        return body
                    if status not in (429, 503):
                        raise ValueError(status)
                await asyncio.sleep(random.uniform(0, 0.1 * 2**attempt))
        raise ValueError("five tries in vain")

    @wrong("swallowed", says="cancelled")
    async def catches_everything(ask, page):
        async with asyncio.timeout(4):
            for attempt in range(5):
                if attempt:
                    await asyncio.sleep(random.uniform(0, 0.05 * 2**attempt))
                status = None
                try:
                    async with asyncio.timeout(1):
                        status, body = await ask(page)
                except BaseException:
                    if asyncio.get_running_loop().time() > 3.9:
                        raise
                if status == 200:
                    return body
                if status not in (None, 429, 503):
                    raise ValueError(status)
        raise ValueError("five tries in vain")

    pauses_the_loop = a_limit_in_a_limit.but(
        "await asyncio", "time", kind="blocked", says="time.sleep"
    )


def _limit_in_a_try(lab):
    """The line that catches a TimeoutError around two limits, one in the other; None if there is
    no such line.
    """
    limits = {"timeout", "timeout_at", "wait_for"}
    for node in lab.nodes():
        if isinstance(node, ast.Try):
            calls = [part for one in node.body for part in ast.walk(one)]
            calls = [part for part in calls if isinstance(part, ast.Call)]
            if sum(ast.unparse(part.func).split(".")[-1] in limits for part in calls) > 1:
                caught = [ast.unparse(one.type) for one in node.handlers if one.type]
                if any("OSError" in words or "TimeoutError" in words for words in caught):
                    return node.handlers[0].lineno
            around = [one for one in node.body if isinstance(one, ast.AsyncWith)]
            if around and any("4" in ast.unparse(one.items[0]) for one in around):
                late = names_of((TimeoutError,))
                return next((one.lineno for one in node.handlers if catches(one, late)), None)
    return None


def now_said(seconds):
    return "the deadline" if seconds < 5 else f"{seconds:g} s"


def _giving_up(lab):
    """The `if` about a status that raises an error, or None."""
    tests = (node.test for node in ifs_that_raise(lab.nodes()))
    return lab.earliest(*(test.lineno for test in tests if uses(["*status*"], test)))


def _sleep_in_a_limit(lab):
    """Where it sleeps in the same innermost `async with` in which it asks, or None."""
    for node in lab.nodes():
        parts = [*own_nodes(node)] if isinstance(node, ast.AsyncWith) else []
        if not any(isinstance(part, ast.AsyncWith) for part in parts):
            calls = [part for part in parts if isinstance(part, ast.Call)]
            sleeps = [call.lineno for call in calls if is_named(call.func, ("sleep",))]
            if sleeps and any(is_named(call.func, ("ask",)) for call in calls):
                return sleeps[0]
    return None
