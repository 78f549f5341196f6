"""Long, for a place can be lost, or taken twice, in many ways."""

import ast
import asyncio
import inspect

from helpers.basics.words import count
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.hangs import Stuck
from helpers.coach.mistakes.nodes import is_named

from .shared import APART, as_coroutine, ended, made_per_call, outcome

AT_ONCE = "with `most` {}, and six tasks called the function that it returned, all at the same time"


class Limited(Exercise):
    """A function with a limit

    Write `limited(fetch, most)`, a plain function. `fetch` is a coroutine function of one argument.
    It returns a coroutine function `get(page)` that does what `fetch(page)` does: it returns the
    same or raises the same. But of all tasks that call `get`, at most `most` are in `fetch` at any
    moment. The others wait, and go on as soon as there is a place. If a caller is
    cancelled, its place is free again. All calls of `get` are made on one event loop.
    """

    id = "limited-1"
    asks = "limited"
    minutes = 7
    hints = (
        "A semaphore is a lock with several places. Which calls must share it: those of `limited`, "
        "or those of what it returns?",
        "Make the semaphore in `limited`, and use it in the inner function.",
        "Inside: `async with places: return await fetch(page)`.",
    )

    def verify(self, limited, lab):
        fetch = lab.service(0.937)
        lab.told(AT_ONCE.format(2))
        run = lab.run(self._six(limited, lab, fetch, range(6)))
        lab.equal(run.result, [f"page {number}" for number in range(6)], what="they got")
        if fetch.peak > 2:
            observed = f"{fetch.peak} of them were in `fetch` at once; at most 2 may be."
            if line := made_per_call(lab):
                raise Wrong(
                    "lock per call",
                    observed,
                    line,
                    "A semaphore limits only those who share it. Make it once, in "
                    "`limited`, and not in the function that is called each time.",
                    headline="made a semaphore for each call",
                    at="makes it",
                )
            if line := _not_awaited_inside(lab):
                raise Wrong(
                    "limit",
                    observed,
                    line,
                    "When the block ends the place is given back, and `fetch` goes on without "
                    "one. Await it inside the `async with`.",
                    at="does not wait for `fetch`",
                )
            if (found := lab.one_too_many(fetch.peak_place)).line:
                raise Wrong("limit", observed, found.line, found.try_, at=found.at)
            line = lab.call_of("*Semaphore") if fetch.peak == 3 else None
            raise Wrong("limit", observed, line or lab.call_of("fetch"))
        if fetch.peak < 2:
            raise Wrong(
                "lock too wide",
                "Only 1 of them was in `fetch` at a time; 2 may be.",
                lab.call_of("Lock", "*Semaphore"),
                "A lock has one place. A semaphore has as many as you say.",
                headline="one at a time",
            )
        self._in_time(lab, run)

        lab.told(AT_ONCE.format(3))
        fetch = lab.service(0.937)
        lab.run(self._six(limited, lab, fetch, range(6), most=3))
        if fetch.peak != 3:
            raise Wrong(
                "limit",
                f"{fetch.peak} of them were in `fetch` at once, and not 3.",
                lab.call_of("Lock", "*Semaphore"),
                "The limit is `most`.",
                headline="another limit",
            )

        lab.told(
            "with `most` 2, and six tasks called the function that it returned; `fetch` failed for "
            "pages 0 and 1"
        )
        failing = lab.service(0.937, errors={0: OSError("page 0"), 1: OSError("page 1")})
        run = lab.run(self._six(limited, lab, failing, range(6)))
        for page, result in enumerate(run.result[:2]):
            if result != f"raised OSError('page {page}')":
                raise lab.lost_error(
                    f"The caller of page {page} got {result!r}, and not the OSError.",
                    OSError,
                    line=lab.handler(),
                )
        lab.equal(
            run.result[2:], [f"page {number}" for number in range(2, 6)], what="the others got"
        )
        self._in_time(lab, run)

        lab.told("twice, with `most` 2 each, and six tasks called each of the two functions")
        one, two = lab.service(0.937), lab.service(0.937)
        run = lab.run(self._both(limited, lab, one, two))
        self._in_time(lab, run)

        lab.told(
            "twice for the same `fetch`, with `most` 2 each, and six tasks called each of the two "
            "functions"
        )
        both = lab.service(0.937)
        run = lab.run(self._both(limited, lab, both, both))
        if run.elapsed > 3 * 0.937 + 0.001:
            raise Wrong(
                "idle places",
                f"It took {run.elapsed:g} s. With two places for each of the functions, and 0.937 "
                "s for each page, it takes 2.811 s.",
                lab.call_of("*Semaphore", "Lock", "*Queue"),
                "The limit is for one function that `limited` returned. Each of them has places "
                "of its own, even if `fetch` is the same.",
                headline="two functions shared their places",
            )
        self._twice_each(limited, lab)

    def _twice_each(self, limited, lab):
        """Who has just left a place asks for one again, while the next in line is being woken."""
        lab.told(
            "with `most` 2, and three tasks called the function that it returned twice each, one "
            "call after the other"
        )
        fetch = lab.service(0.937)

        async def three():
            get = limited(fetch, 2)

            async def caller(number):
                return [await get(number), await get(number + 3)]

            return await asyncio.gather(*(caller(number) for number in range(3)))

        run = lab.run(three())
        lab.equal(run.result, [[f"page {n}", f"page {n + 3}"] for n in range(3)], what="they got")
        if fetch.peak > 2:
            raise Wrong(
                "limit",
                f"{fetch.peak} calls were in `fetch` at once; at most 2 may be.",
                lab.operation("<", "<=", ">", ">=", on=["most"]) or lab.call_of("fetch"),
                "Who is woken runs a turn later. If its place looks free until then, another call "
                "may take it. Don't count a place as free that goes to the next in line; or ask "
                "again, in a `while`, whether there is one.",
                headline="gave one place to two",
                at="lets the calls in",
            )

    def _in_time(self, lab, run):
        if run.elapsed > 3 * 0.937 + 0.001:
            raise Wrong(
                "idle places",
                f"It took {run.elapsed:g} s. With two places, and "
                "0.937 s for each page, it takes 2.811 s.",
                lab.call_of("sleep", "*Semaphore", "Lock"),
                "A task that leaves must wake the next one at once: a semaphore does that.",
            )

    async def _both(self, limited, lab, one, two):
        await asyncio.gather(
            self._six(limited, lab, one, range(6)), self._six(limited, lab, two, range(6))
        )

    async def _six(self, limited, lab, fetch, pages, most=2):
        """What each caller got: a result, or "raised …"."""
        get = limited(fetch, most)
        if inspect.iscoroutine(get):
            get.close()
            raise Wrong(
                "async for plain",
                "It returned a coroutine.",
                lab.coroutine_function("limited"),
                "`limited` itself waits for nothing: `def limited`. What it returns is "
                "`async def`.",
                headline="not a plain function",
            )
        if not callable(get):
            raise Wrong(
                "value",
                f"It returned {get!r}; the exercise asks for a coroutine function.",
                try_="Define a function inside, and return it without calling it.",
            )

        async def caller(page):
            try:
                return await get(page)
            except OSError as error:
                return f"raised {error!r}"

        return await asyncio.gather(*(caller(page) for page in pages))

    @sweep(
        lambda some: {
            "most": some.integers(1, 3),
            "pages": some.lists(some.sampled_from(["", "a", "b", None]), max_size=5),
            "results": some.fixed_dictionaries(
                {page: some.sampled_from([None, 0, "", "page"]) for page in ("", "a", "b", None)}
            ),
        },
        besides=[{"most": 50, "pages": ["a"] * 120, "results": {"a": None}}],
        most=15,
        fails=(OSError, ConnectionError, LookupError, ...),
    )
    def any_pages(self, limited, lab, most, pages, results):
        shown = pages if len(pages) < 9 else f"{len(pages)} pages"
        lab.told(f"with `most` {most}, and asked the function that it returned for {shown} at once")
        fetch = lab.service(1, results)
        get = limited(fetch, most)

        async def all_at_once():
            return await asyncio.gather(*(outcome(get(page)) for page in pages))

        run = lab.run(all_at_once())
        if run.error:
            raise run.error
        return {"they got": run.result, "": lab.seen(run, fetch, without=("result",))}

    @sweep(
        lambda some: {
            "most": some.integers(1, 3),
            "who": some.sampled_from(
                [
                    "was in `fetch`, which needed another 0.3 s to clean up",
                    "waited",
                    "had just been given its place",
                ]
            ),
        },
        most=9,
    )
    def one_is_cancelled(self, limited, lab, most, who):
        lab.told(
            f"with `most` {most}, and {most + 1} tasks called the function that it returned, all "
            f"at the same time; the {'first' if who.startswith('was') else 'last'} of them was "
            f"cancelled when it {who}. Then {most + 1} more called it"
        )
        service, ends = lab.service(1, cleanup=0.3), []

        async def fetch(page):
            try:
                return await service(page)
            finally:
                while ends:
                    asyncio.get_running_loop().call_soon(ends.pop())

        get = limited(fetch, most)

        async def callers():
            tasks = [
                asyncio.create_task(as_coroutine(get(page)), name=f"caller {page + 1}")
                for page in range(most + 1)
            ]
            victim = tasks[0] if who.startswith("was") else tasks[-1]
            if who.startswith("had"):
                ends.append(victim.cancel)
            else:
                asyncio.get_running_loop().call_later(0.5, victim.cancel)
            came = await ended(tasks)
            return came + await asyncio.gather(*(outcome(get(page)) for page in range(most + 1)))

        try:
            run = lab.run(callers())
        except Stuck as stuck:
            raise self._lost_place(lab, stuck, who) or stuck from None
        if run.error:
            raise run.error
        if service.peak > most and who.startswith("was") and (line := lab.call_of("*.cancel")):
            raise Wrong(
                "limit",
                f"{service.peak} of them were in `fetch` at once; at most {most} may be.",
                line,
                "A task that is cancelled has not ended yet. Await it, and then free its place.",
                at="only asks it to end",
            )
        if service.peak > most and who.startswith("was") and not service.cancelled:
            raise Wrong(
                "limit",
                "The `fetch` of the cancelled caller went on, and its place was given to another: "
                f"{service.peak} calls were in `fetch` at once; at most {most} may be.",
                lab.call_of(*APART),
                "What is shielded, or runs in a task of its own, may go on when its caller is "
                "cancelled. Await `fetch(page)` without that.",
                headline="gave away the place of a call that goes on",
                at="",
            )
        return {"they got": run.result, "": lab.seen(run, service, without=("result",))}

    def _lost_place(self, lab, stuck, who):
        """The Wrong where callers wait in a line of the answer's own; None where they don't."""
        waits = [(file, line) for _, file, line, what in stuck.tasks if what == "a future" and line]
        if who.startswith("was") or not waits:
            return None
        return Wrong(
            "deadlock",
            f"Nobody was in `fetch` any more, and {count(len(waits), 'caller')} still waited.",
            waits[0],
            "A task that is cancelled while it waits takes no place any more: the place has to go "
            "to the next one that waits."
            if who == "waited"
            else "A task that is cancelled then has a place all the same, and must give it back on "
            "this way, too.",
            headline="lost a place",
            at="waits for ever",
        )

    @right
    def with_a_semaphore(fetch, most):
        """Return a function that does what `fetch` does, for at most `most` at a time."""
        places = asyncio.Semaphore(most)

        async def get(page):
            async with places:
                return await fetch(page)

        return get

    @right
    def with_a_queue_of_places(fetch, most):
        places = asyncio.Queue()
        for number in range(most):
            places.put_nowait(number)

        async def get(page):
            place = await places.get()
            try:
                return await fetch(page)
            finally:
                places.put_nowait(place)

        return get

    @wrong("limit", says="was cancelled when it waited")
    def gives_back_what_it_never_took(fetch, most):
        places = asyncio.Semaphore(most)

        async def get(page):
            try:
                await places.acquire()
                return await fetch(page)
            finally:
                places.release()

        return get

    @wrong("lock per call", says="6 of them were in `fetch` at once")
    def semaphore_per_call(fetch, most):
        async def get(page):
            async with asyncio.Semaphore(most):
                return await fetch(page)

        return get

    @wrong("limit", says="6 of them")
    def no_limit(fetch, most):
        async def get(page):
            return await fetch(page)

        return get

    one_too_many = with_a_semaphore.but(
        "asyncio.Semaphore(most)", "asyncio.Semaphore(most + 1)", kind="limit", says="3 of them"
    )

    with_a_lock = with_a_semaphore.but(
        "places = asyncio.Semaphore(most)", "lock = asyncio.Lock()"
    ).but("places:", "lock:", kind="lock too wide", says="A lock has one place")

    @wrong("deadlock", says="`fetch` failed for pages 0 and 1")
    def keeps_the_place(fetch, most):
        places = asyncio.Semaphore(most)

        async def get(page):
            await places.acquire()
            result = await fetch(page)
            places.release()
            return result

        return get

    always_two = with_a_semaphore.but(
        "asyncio.Semaphore(most)",
        "asyncio.Semaphore(2)",
        kind="limit",
        says="The limit is `most`",
    )

    @wrong("lost error", says="The caller of page 0 got OSError('page 0')")
    def returns_the_error(fetch, most):
        places = asyncio.Semaphore(most)

        async def get(page):
            async with places:
                try:
                    return await fetch(page)
                except OSError as error:
                    return error

        return get

    @wrong("idle places", says="a semaphore does that")
    def polls(fetch, most):
        flying = []

        async def get(page):
            while len(flying) >= most:
                await asyncio.sleep(0.1)
            flying.append(page)
            try:
                return await fetch(page)
            finally:
                flying.remove(page)

        return get

    starts_it_before = with_a_semaphore.but(
        "async with places:\n    return await fetch(page)",
        "started = asyncio.ensure_future(fetch(page))\nasync with places:\n"
        "    return await started",
        kind="limit",
        says="only its result waits",
    )

    is_async = with_a_semaphore.but(
        "def limited(fetch, most)",
        "async def limited(fetch, most)",
        kind="async for plain",
        says="`def limited`",
    )


def _not_awaited_inside(lab):
    """The line in an `async with` that calls `fetch`, where the block awaits nothing, or None."""
    for node in lab.nodes():
        if isinstance(node, ast.AsyncWith):
            inside = [part for statement in node.body for part in ast.walk(statement)]
            calls = [part for part in inside if isinstance(part, ast.Call)]
            made = [call.lineno for call in calls if is_named(call.func, ("fetch",))]
            if made and not any(isinstance(part, ast.Await) for part in inside):
                return made[0]
    return None
