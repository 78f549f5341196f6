"""Long, for each of its programs is a whole page."""

import asyncio
import contextlib

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import fails_alone, holds, now


class Page(Exercise):
    """A page that does without its stars

    Three coroutine functions take the name of an article, and each takes a while: `price(name)`
    and `stock(name)`, which the page can't do without, and `stars(name)`, which it can.

    Write `page(price, stock, stars, name)`: it asks all three at once and returns a tuple: the
    price, the stock and the stars.

    - If `stars` raises a `ConnectionError`, or has no answer after 0.5 s, the stars are None. What
      has no answer is cancelled then, and the rest of the page is as it would have been.
    - If `price` or `stock` raises an error, or `stars` another one (it is never a `TimeoutError`),
      that comes out, alone or in a group. Nothing is left running.
    """

    id = "page-1"
    asks = "page"
    minutes = 8
    hints = (
        "Which part may fail, and which may take too long? Put `try` and the time limit around "
        "that part alone, in a function of its own.",
        "A TaskGroup starts all three, ends the others if one fails, and lets its error out.",
        "In the small function: `async with asyncio.timeout(0.5): return await stars(name)`, and "
        "`except (TimeoutError, ConnectionError): return None`.",
    )
    equivalent = {
        "with_a_group: drop return, line 12": "a function that ends returns None",
        "with_a_group: task at once, line 17": "the other two have been started before it",
        "with_wait_for: or None, line 12": "there are three parts",
    }

    def verify(self, page, lab):
        price = lab.service({"tea": 3}, {"tea": 300}, name="price")
        stock = lab.service({"tea": 3}, {"tea": 7}, name="stock")
        stars = lab.service({"tea": 0.4}, {"tea": 4.5}, name="stars")
        lab.told('for "tea", with waits of 3, 3 and 0.4 s')
        try:
            run = lab.run(page, price, stock, stars, "tea")
        except (TimeoutError, BaseExceptionGroup) as error:
            if not holds(error, TimeoutError) or not stars.finished:
                raise
            raise Wrong(
                "time limit",
                "TimeoutError came out, though the stars had come after 0.4 s.",
                lab.text.of_traceback(error),
                "The half second is that of the stars alone: price and stock may take longer.",
                headline="a time limit for more than the stars",
            ) from None
        self._compare(run.result, (300, 7, 4.5), lab)
        lab.concurrent(run, longest=3, total=6.4)
        for asked in price, stock, stars:
            if len(asked.calls) != 1:
                raise Wrong(
                    "done twice",
                    f"One of the three was called {len(asked.calls)} times.",
                    try_="Ask each once, and keep its answer.",
                    headline="asked more than once",
                )

        lab.told("and `stars` raised ConnectionError")
        broken = lab.service(0.1, errors={"tea": ConnectionError("no way there")}, name="stars")
        try:
            run = lab.run(page, price, stock, broken, "tea")
        except (ConnectionError, BaseExceptionGroup) as error:
            if not holds(error, ConnectionError):
                raise
            group = isinstance(error, BaseExceptionGroup)
            caught, came_by = group and lab.handler(ConnectionError), lab.text.let_out(error)
            while isinstance(error, BaseExceptionGroup):
                error = next(each for each in error.exceptions if holds(each, ConnectionError))
            if not caught:
                raise Wrong(
                    "raised",
                    "`page` raised it as well; the stars had to be None.",
                    lab.text.let_out(error) or came_by,
                    "Catch a ConnectionError of `stars`, around `stars` alone.",
                    headline="let the ConnectionError of `stars` out",
                    at="lets the error out",
                ) from None
            raise Wrong(
                "raised",
                "ConnectionError came out in a group, though you catch it: the "
                "task that failed was the group's, and the group saw it too.",
                lab.call_of("*.create_task", given="stars") or caught,
                "Catch it inside the task: in a small function around `stars`.",
                at="makes it a task of the group",
            ) from None
        self._compare(run.result, (300, 7, None), lab)

        lab.told("and `stars` took a minute")
        slow, priced = lab.service(60, {"tea": 4.5}, name="stars"), len(price.finished)
        asked_at = []

        def timed(name):
            asked_at.append(now())
            return slow(name)

        try:
            run = lab.run(page, price, stock, timed, "tea")
        except Wrong as found:
            shield = lab.call_of("shield")
            if found.kind == "leaked" and shield and not lab.call_of("cancel"):
                found.line, found.at = shield, ""
                found.try_ = (
                    "`asyncio.shield` keeps a cancellation away from what it holds, that of a time "
                    "limit as well. Leave it out."
                )
            raise
        except (TimeoutError, BaseExceptionGroup) as error:
            if not holds(error, TimeoutError):
                raise
            while isinstance(error, BaseExceptionGroup):
                error = next(each for each in error.exceptions if holds(each, TimeoutError))
            limit = lab.text.calls_of("timeout", "timeout_at", "wait_for")
            line = limit[0].lineno if limit else None
            if len(price.finished) == priced:  # a limit for all would have spared the first scene
                raise Wrong(
                    "caught too little",
                    "TimeoutError came out before the price was there, and the price was lost.",
                    lab.text.let_out(error),
                    "The limit is that of the stars. Catch it where the limit is: `except "
                    "(TimeoutError, ConnectionError)`.",
                    headline="let a TimeoutError out",
                    at="lets the error out",
                ) from None
            raise Wrong(
                "time limit",
                "TimeoutError came out, and the price was lost.",
                line,
                "Put the time limit around the stars alone.",
                headline="one time limit for all",
            ) from None
        waits = lab.keyword("timeout", of="wait")
        if run.elapsed > 3.001 and waits and not slow.cancelled:
            raise Wrong(
                "time limit",
                f"It took {run.elapsed:g} s; price and stock were there after 3 s. The stars were "
                "never cancelled.",
                waits,
                "`asyncio.wait` cancels nothing. `task.cancel()` behind it, if the stars aren't "
                "done, or `asyncio.timeout(0.5)` around `await stars(name)`.",
                headline="gave up the stars, and let them go on",
                at="only stops waiting",
            )
        if run.elapsed > 3.6:
            raise Wrong(
                "time limit",
                f"It took {run.elapsed:g} s; price and stock were there after 3 s.",
                lab.call_of("stars"),
                "Give up the stars after 0.5 s: `async with asyncio.timeout(0.5):`.",
                headline="no time limit",
            )
        if run.elapsed > 3.001 and asked_at[0] < 0.001:
            raise Wrong(
                "time limit",
                f"It took {run.elapsed:g} s; price and stock were there after 3 s. `stars` had "
                "been asked at once, and its half second began later.",
                lab.call_of("timeout*", "wait_for") or lab.keyword("timeout"),
                "The limit has to begin with the question: put both into a small function, and "
                "start that as a task.",
                headline="the half second began late",
            )
        if run.elapsed > 3.001:
            raise Wrong(
                "sequential",
                f"It took {run.elapsed:g} s; price and stock were there after 3 s.",
                try_="Start the stars, too, before you await any.",
            )
        self._compare(run.result, (300, 7, None), lab)

        lab.told("and `stars` took 1 s")
        late = lab.service({"tea": 1}, {"tea": 4.5}, name="stars")
        run = lab.run(page, price, stock, late, "tea")
        if run.result[2] is not None:
            raise Wrong(
                "time limit",
                f"The stars are {run.result[2]!r}: it waited 1 s for "
                "them, and 0.5 s was the limit.",
                lab.call_of("timeout", "wait_for"),
                "Give up the stars after 0.5 s.",
                headline="no time limit",
            )

        for name in "price", "stock":
            for kind in LookupError, ConnectionError:
                lab.told(f"and `{name}` raised {kind.__name__}")
                failing = lab.service(0.1, errors={"tea": kind("no tea")}, name=name)
                asked = (failing, stock) if name == "price" else (price, failing)
                try:
                    fails_alone(lab, lambda: page(*asked, stars, "tea"), kind)
                except Wrong as found:
                    if found.kind == "lost error":
                        found.try_ = (
                            "Only the stars may be missing: each error of `price` or `stock` has "
                            "to come out."
                        )
                    raise
        lab.told("and `stars` raised PermissionError")
        failing = lab.service(0.1, errors={"tea": PermissionError("no entry")}, name="stars")
        try:
            fails_alone(lab, lambda: page(price, stock, failing, "tea"), PermissionError)
        except Wrong as found:
            if found.kind == "lost error":
                found.try_ = (
                    "Only a ConnectionError and a TimeoutError make the stars None. Any other "
                    "error of `stars` has to come out, an OSError of another kind as well."
                )
            raise
        lab.told("and cancelled it after 0.2 s")
        lab.run(page, price, stock, stars, "tea", cancel_after=0.2)

    @sweep(
        lambda some: {
            "gives": some.tuples(
                some.sampled_from((300, 0)),
                some.sampled_from((7, 0)),
                some.sampled_from((4.5, 0, "")),
            ),
            "waits": some.tuples(
                some.sampled_from((0, 0.3, 2)),
                some.sampled_from((0, 0.2, 3)),
                some.sampled_from((0, 0.4, 0.6, 9)),
            ),
        },
        fails=(ConnectionRefusedError, OSError),
        cancels=True,
        most=25,
    )
    def any_answers(self, page, lab, gives, waits):
        parts = [
            lab.service(wait, {"tea": given}, name=name, cleanup=0.05)
            for name, given, wait in zip(("price", "stock", "stars"), gives, waits)
        ]
        price, stock, stars = parts
        lab.told(
            f'for "tea", with waits of {waits[0]:g}, {waits[1]:g} and {waits[2]:g} s; the price is '
            f"{gives[0]}, the stock {gives[1]}, and the stars are {gives[2]!r}"
        )
        return lab.seen(lab.run(page, price, stock, stars, "tea"), *parts, without=("group",))

    def _compare(self, got, expected, lab):
        if isinstance(got, tuple | list) and None in got[:2]:
            raise Wrong(
                "one failure ends all",
                f"It returned {got!r}: price and stock are wanted whatever becomes of the stars.",
                lab.handler() or lab.call_of("timeout", "wait_for"),
                "By then the other parts are cancelled. Put `try` and the time limit around the "
                "stars alone, in a small function.",
                headline="gave up what it can't do without",
            )
        lab.equal(got, expected)

    @right
    async def with_a_group(price, stock, stars, name):
        """Return price, stock and stars of `name`; the stars are None if they fail."""

        async def stars_or_none():
            try:
                async with asyncio.timeout(0.5):
                    return await stars(name)
            except (TimeoutError, ConnectionError):
                return None

        async with asyncio.TaskGroup() as group:
            cents = group.create_task(price(name))
            left = group.create_task(stock(name))
            liked = group.create_task(stars_or_none())
        return cents.result(), left.result(), liked.result()

    @right
    async def with_wait_for(price, stock, stars, name):
        async def maybe():
            with contextlib.suppress(TimeoutError, ConnectionError):
                return await asyncio.wait_for(stars(name), 0.5)

        async with asyncio.TaskGroup() as group:
            parts = [group.create_task(part) for part in (price(name), stock(name), maybe())]
        return tuple(part.result() for part in parts)

    @wrong("sequential", says="6.4 s")
    async def in_turn(price, stock, stars, name):
        try:
            async with asyncio.timeout(0.5):
                liked = await stars(name)
        except (TimeoutError, ConnectionError):
            liked = None
        return await price(name), await stock(name), liked

    @wrong("sequential", says="3.4 s")
    async def the_stars_first(price, stock, stars, name):
        try:
            async with asyncio.timeout(0.5):
                task = asyncio.create_task(stars(name))
                liked = await task
        except (TimeoutError, ConnectionError):
            liked = None
        async with asyncio.TaskGroup() as group:
            cents = group.create_task(price(name))
            left = group.create_task(stock(name))
        return cents.result(), left.result(), liked

    @wrong("raised", says="had to be None")
    async def without_a_default(price, stock, stars, name):
        async with asyncio.TaskGroup() as group:
            parts = [group.create_task(part(name)) for part in (price, stock, stars)]
        return tuple(part.result() for part in parts)

    @wrong("raised", says="Catch it inside the task")
    async def catches_beside_the_task(price, stock, stars, name):
        async with asyncio.TaskGroup() as group:
            cents = group.create_task(price(name))
            left = group.create_task(stock(name))
            task = group.create_task(stars(name))
            try:
                liked = await asyncio.wait_for(task, 0.5)
            except (TimeoutError, ConnectionError):
                liked = None
        return cents.result(), left.result(), liked

    waits_for_the_stars = with_wait_for.but("TimeoutError, ConnectionError", "ConnectionError").but(
        "asyncio.wait_for(stars(name), 0.5)", "stars(name)", kind="time limit", says="60 s"
    )

    a_limit_too_long = with_wait_for.but(
        "stars(name), 0.5", "stars(name), 2", kind="time limit", says="it waited 1 s"
    )

    @wrong("leaked", says="lone `create_task`")
    async def tasks_without_an_owner(price, stock, stars, name):
        cents, left = asyncio.create_task(price(name)), asyncio.create_task(stock(name))
        liked = None
        with contextlib.suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(0.5):
                liked = await stars(name)
        return await cents, await left, liked

    @wrong("lost error", says="LookupError")
    async def a_default_for_all(price, stock, stars, name):
        async def maybe(part):
            try:
                return await part(name)
            except Exception:
                return None

        async def in_time():
            try:
                return await asyncio.wait_for(maybe(stars), 0.5)
            except TimeoutError:
                return None

        return tuple(await asyncio.gather(maybe(price), maybe(stock), in_time()))

    @wrong("leaked", says="and `stock`")  # on 3.11 `wait_for` runs the stars in a task
    async def with_gather(price, stock, stars, name):
        async def maybe():
            with contextlib.suppress(TimeoutError, ConnectionError):
                return await asyncio.wait_for(stars(name), 0.5)

        return tuple(await asyncio.gather(price(name), stock(name), maybe()))

    @wrong("time limit", says="around the stars alone")
    async def a_limit_for_all(price, stock, stars, name):
        async def maybe():
            with contextlib.suppress(ConnectionError):
                return await stars(name)

        async with asyncio.timeout(3.2):
            async with asyncio.TaskGroup() as group:
                parts = [group.create_task(part) for part in (price(name), stock(name), maybe())]
        return tuple(part.result() for part in parts)

    @wrong("one failure ends all", says="(None, None, 4.5)")
    async def gives_all_up(price, stock, stars, name):
        parts = []
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.5), asyncio.TaskGroup() as group:
                parts += [group.create_task(part(name)) for part in (price, stock, stars)]
        return tuple(None if part.cancelled() else part.result() for part in parts)

    @wrong("one failure ends all", says="around the stars alone")
    async def catches_around_the_group(price, stock, stars, name):
        parts = []
        try:
            async with asyncio.TaskGroup() as group:
                parts += [group.create_task(part(name)) for part in (price, stock)]
                parts.append(group.create_task(asyncio.wait_for(stars(name), 0.5)))
        except* (TimeoutError, ConnectionError):
            pass
        return tuple(
            None if part.cancelled() or part.exception() else part.result() for part in parts
        )

    catches_half = with_gather.but(
        "TimeoutError, ConnectionError",
        "ConnectionError",
        kind="caught too little",
        says="The limit is that of the stars",
    )

    @wrong("caught too little", says="where the limit is")
    async def lets_the_timeout_out(price, stock, stars, name):
        async def maybe():
            with contextlib.suppress(ConnectionError):
                async with asyncio.timeout(0.5):
                    return await stars(name)

        async with asyncio.TaskGroup() as group:
            parts = [group.create_task(part) for part in (price(name), stock(name), maybe())]
        return tuple(part.result() for part in parts)
