"""Long, for seconds can be shared out and counted wrongly in many ways."""

import ast
import asyncio
import time
from contextlib import suppress

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.handlers import suppressing
from helpers.coach.mistakes.nodes import holds, is_named, own_nodes

from .shared import let_out, other_clock

KEPT = OSError("kept")  # an error that `fetch` returns is a result like any other


class Budget(Exercise):
    """A budget, shared out

    A site answers one request at a time. `fetch(page)` is a coroutine function that takes a while.
    Write `load(fetch, pages, budget)`. It fetches the pages one after another, in order, and
    returns a dict from page to text, of the pages that came in time.

    - All of it takes at most `budget` seconds.
    - A slow page must not eat what belongs to the others. When its turn comes, a page gets an equal
      share of the seconds that are left: those seconds, divided by the number of pages still to
      be fetched, this one included. So what a quick page saves goes to the later ones.
    - A page whose share is over is left out. An error that `fetch` raises comes out.

    `fetch` raises no TimeoutError of its own, and ends at once when it is cancelled. No page is in
    `pages` twice. My tests use the loop's clock, `asyncio.get_running_loop().time()`.
    """

    id = "budget-1"
    asks = "load"
    minutes = 10
    hints = (
        "At the beginning, work out once the moment at which all must be over.",
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
            observed = "The pages take 1, 9, 1 and 5 s. A TimeoutError came out."
            try_ = "A page whose share is over is left out, and the next one has its turn."
            raise let_out(observed, lab.text.of_traceback(error), try_, lab) from None
        if service.peak > 1:
            raise Wrong(
                "limit",
                f"{service.peak} pages were fetched at once; the site answers one at a time.",
                lab.call_of("create_task", "gather"),
                "Await each one in a loop, and let none go on when its share is over.",
            )
        if run.elapsed > 12.001:
            raise Wrong(
                "limits add up",
                f"The pages take 1, 9, 1 and 5 s, and it took {run.elapsed:g} s of 12.",
                lab.earliest(lab.call_of("timeout*", "wait_for"), lab.keyword("timeout")),
                "A limit for each call is no limit for the whole.",
                headline="no deadline for the whole",
            )
        if "b" in had:
            other_clock(abs(had["b"] - 11 / 3) > 0.01, lab)
            self._shares(had["b"], lab)
            if "c" not in had:
                raise Wrong(
                    "one failure ends all",
                    "When the share of page b was over, it asked for "
                    f"no other page. It returned {run.result!r} after "
                    f"{run.elapsed:.3g} s of 12.",
                    lab.handler(),
                    "A page whose share is over is left out, and the next one has its "
                    "turn: catch the TimeoutError inside the loop.",
                    headline="gave up too early",
                )
            left = 12 - sum(had.get(page, 0) for page in "abc")
            if had.get("d", 5) < min(5, left) - 0.01:
                pages = left / had["d"]  # among which it was shared out, as it seems
                if abs(pages - round(pages)) > 0.01:
                    raise Wrong(
                        "time limit",
                        f"Page d is the last one, and at its turn {left:.3g} s were left. It was "
                        f"given {had['d']:.3g} s.",
                        lab.operation("-=") or lab.operation("-"),
                        "What is left is the budget, less the seconds since the beginning. Count "
                        "each second once.",
                        headline="the wrong share",
                    )
                raise Wrong(
                    "time limit",
                    f"Page d is the last one, and at its turn {left:.3g} s were left. It was "
                    f"given {had['d']:.3g} s.",
                    _counting_for_a_share(lab) or lab.operation("/"),
                    "A page that was left out is no longer to be fetched. Count the pages that had "
                    "their turn, whatever came of it.",
                    headline="counted a page that was left out",
                )
        rows = lab.call_of("append") if isinstance(run.result, list) else None
        lab.equal(run.result, {"a": "page a", "c": "page c", "d": "page d"}, line=rows)
        fetch = lab.service({"a": 9, "b": 9})
        run = lab.run(load, fetch, ["a", "b"], 4)
        lab.equal(run.result, {})
        if run.elapsed > 4.001:
            counted = _counted_after_a_page(lab)
            raise Wrong(
                "limits add up",
                f"Both pages take 9 s, and it took {run.elapsed:g} s of 4.",
                lab.text.place(counted)
                or lab.earliest(lab.call_of("timeout*", "wait_for"), lab.operation("/")),
                "The seconds that a page had are gone, whether it came or not. Take them off in "
                "both cases, or ask the clock what is left."
                if counted
                else "Work out once, at the beginning, the moment at which all must be over.",
                headline="no deadline for the whole",
                at="is skipped when a share is over" if counted else "",
            )
        fetch = lab.service(1, errors={"b": LookupError("no page b")})
        lab.told("with a budget of 9 s and the pages 'a' and 'b'; 'b' raises a LookupError")
        lab.run(load, fetch, ["a", "b"], 9, raises=LookupError)
        fetch = lab.service(9)
        lab.run(load, fetch, ["a", "b"], 9, cancel_after=1)

    def _shares(self, seconds, lab):
        if seconds > 8.999:
            raise Wrong(
                "time limit",
                "Page b takes 9 s, and it was given all of them. At its turn 11 s were "
                "left, for three pages.",
                lab.earliest(lab.call_of("timeout*", "wait_for"), lab.keyword("timeout")),
                "Each page gets only its share.",
                headline="one page ate the budget",
            )
        if abs(seconds - 3) < 0.01:
            raise Wrong(
                "time limit",
                "Page a needed 1 s of its 3. Then 11 s were left for three pages, and "
                "page b was given up after 3 s all the same.",
                _takes_share_off(lab) or lab.operation("/"),
                "Work the share out anew for each page, from what is left then: only what a page "
                "needed is gone, not its whole share.",
                headline="the savings were lost",
            )
        if abs(seconds - 11 / 3) > 0.01:
            raise Wrong(
                "time limit",
                "At the turn of page b 11 s are left, and three pages, so its share is "
                f"3.67 s. It was given {seconds:.3g} s.",
                lab.earliest(lab.call_of("timeout_at"), lab.operation("/")),
                "What is left, divided by the pages that are left, this one included."
                + (
                    " And `timeout_at` takes a moment on the loop's clock, not a number of seconds."
                    if lab.call_of("timeout_at") and abs(seconds + 1 - 11 / 3) < 0.01
                    else ""
                ),
                headline="the wrong share",
            )

    @sweep(
        lambda some: {  # no share ends at the moment at which a page comes
            "waits": some.dictionaries(
                some.sampled_from("abcd"), some.sampled_from((0.25, 1, 3, 9)), max_size=4
            ),
            "texts": some.fixed_dictionaries(
                {page: some.sampled_from(("a text", "", 0, None, KEPT)) for page in "abcd"}
            ),
            "budget": some.sampled_from((0.37, 3.71, 7.13, 17.39)),
        },
        besides=[
            {
                "waits": dict.fromkeys(range(1100), 1),
                "texts": dict.fromkeys(range(1100), "a text"),
                "budget": 1203.7,
            }
        ],
        fails=(OSError, LookupError),
        cancels=True,
        most=24,
    )
    def any_pages(self, load, lab, waits, texts, budget):
        fetch = lab.service(waits, texts)
        takes = listed(f"{wait:g} s for {page!r}" for page, wait in waits.items())
        if len(waits) > 4:
            takes = f"1 s for each of {len(waits):,} pages"
        pages = f"the pages {list(waits)}" if len(waits) < 5 else "many pages"
        words = f"with {pages} and a budget of {budget} s"
        lab.told(f"{words}; `fetch` takes {takes}" if waits else words)
        return lab.seen(lab.run(load, fetch, lab.own(list(waits)), budget), fetch)

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

    @wrong("time limit", says="after 3 s all the same")
    async def shares_it_once(fetch, pages, budget):
        got = {}
        for page in pages:
            with suppress(TimeoutError):
                async with asyncio.timeout(budget / len(pages)):
                    got[page] = await fetch(page)
        return got

    @wrong("time limit", says="not its whole share")
    async def takes_the_share_off(fetch, pages, budget):
        got, left = {}, budget
        for number, page in enumerate(pages):
            share = left / (len(pages) - number)
            with suppress(TimeoutError):
                async with asyncio.timeout(share):
                    got[page] = await fetch(page)
            left -= share
        return got

    @wrong("limits add up", says="it took 16 s of 12")
    async def gives_each_all(fetch, pages, budget):
        got = {}
        for page in pages:
            with suppress(TimeoutError):
                got[page] = await asyncio.wait_for(fetch(page), budget)
        return got

    @wrong("time limit", says="given all of them")
    async def limits_the_whole_alone(fetch, pages, budget):
        got = {}
        with suppress(TimeoutError):
            async with asyncio.timeout(budget):
                for page in pages:
                    got[page] = await fetch(page)
        return got

    @wrong("time limit", says="given all of them")
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

    @wrong("caught too little", says="1, 9, 1 and 5 s")
    async def catches_nothing(fetch, pages, budget):
        loop, got = asyncio.get_running_loop(), {}
        end = loop.time() + budget
        for number, page in enumerate(pages):
            async with asyncio.timeout((end - loop.time()) / (len(pages) - number)):
                got[page] = await fetch(page)
        return got

    @wrong("one failure ends all", says="inside the loop")
    async def catches_around_the_loop(fetch, pages, budget):
        loop, got = asyncio.get_running_loop(), {}
        end = loop.time() + budget
        with suppress(TimeoutError):
            for number, page in enumerate(pages):
                async with asyncio.timeout((end - loop.time()) / (len(pages) - number)):
                    got[page] = await fetch(page)
        return got

    @wrong("wrong clock", says="jumps")
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

    takes_seconds_for_a_moment = with_shares.but(
        "asyncio.timeout(share)",
        "asyncio.timeout_at(share)",
        kind="time limit",
        says="takes a moment",
    )

    counts_itself_out = with_shares.but(
        "(len(pages) - number)",
        "max(1, len(pages) - number - 1)",
        kind="time limit",
        says="It was given 5.5 s",
    )

    counts_what_came = with_shares.but(
        "(len(pages) - number)",
        "(len(pages) - len(got))",
        kind="time limit",
        says="It was given 3.17 s",
    )

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


def _takes_share_off(lab):
    """The line that takes a page's share off what is left, however little the page needed."""
    shares = [
        target.id
        for node in lab.nodes()
        if isinstance(node, ast.Assign)
        if any(isinstance(part, ast.Div) for part in ast.walk(node.value))
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    return lab.operation("-=", on=shares) if shares else None


def _counted_after_a_page(lab):
    """The line that counts seconds when a page has come, and that a TimeoutError skips; or None."""
    nodes = lab.nodes()
    blocks = [
        statement
        for node in nodes
        if isinstance(node, ast.Try) or suppressing(node)
        for statement in (*node.body, *getattr(node, "orelse", ()))
    ]
    # Or behind an `except` that goes on with the next page.
    going_on = [
        handler.lineno
        for handler in nodes
        if isinstance(handler, ast.ExceptHandler)
        if any(isinstance(part, ast.Continue) for part in own_nodes(handler))
    ]
    if going_on:
        blocks += [node for node in nodes if getattr(node, "lineno", 0) > min(going_on)]
    return lab.earliest(
        *(
            node.lineno
            for statement in blocks
            for node in (statement, *own_nodes(statement))
            if isinstance(node, ast.AugAssign) and not isinstance(node.value, ast.Constant)
        )
    )


def _counting_for_a_share(lab):
    """The line that counts for each page anew what its share is divided by; or None."""
    nodes = lab.nodes()
    divisions = [node for node in nodes if isinstance(getattr(node, "op", None), ast.Div)]
    names = {getattr(getattr(node, "right", None), "id", None) for node in divisions} - {None}
    return lab.earliest(
        *(
            node.lineno
            for loop in nodes
            if isinstance(loop, (ast.For, ast.While))
            for node in own_nodes(loop)
            if isinstance(node, ast.Assign) and is_named(node.targets[0], names)
            if holds(node.value, "len")
        )
    )
