"""Long, for a thing is asked back at each moment, and each mistake has words of its own."""

import asyncio
from contextlib import suppress

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import broken_off


class GiveBack(Exercise):
    """A cleanup that is not cut off

    Write `borrow(lend, use, give_back)`. It awaits `thing = lend()`, awaits `use(thing)`, and
    returns what that returned. However `use` ends, the thing is given back:
    `give_back(thing)` is awaited, once.

    - `give_back` takes a while. However often `borrow` is cancelled in that time, `give_back` goes
      on to its end, and `borrow` ends after it.
    - But `give_back` gets at most 3 s. If it takes longer, it is cancelled.
    - An error of `use` comes out. If `borrow` was cancelled, at whatever point, a CancelledError
      comes out, even where `use` had failed before.
    - If `lend` did not finish, there is nothing to give back. The thing may be anything, even
      None.

    `give_back` raises no error of its own.
    """

    id = "give-back-1"
    asks = "borrow"
    minutes = 12
    hints = (
        "A request goes to one task. So which task should do the giving back?",
        "A task of its own, and a loop: `while not back.done()`, wait for it, and keep a "
        "CancelledError that comes meanwhile.",
        "`await asyncio.wait([back])` leaves `back` alone when it is cancelled. The bound of 3 s "
        "belongs inside the task, where no request ends it.",
        "At the end: `if request is not None: raise request`.",
    )
    equivalent = {
        "waits_again: falsy for None, line 23": "an error is never false",
        "waits_again: wider except, line 10": "`give_back` raises no error",
        "waits_again: wider except, line 21": "`wait` raises no other error",
        "shields_again: wider except, line 16": "`give_back` raises no error",
    }

    def verify(self, borrow, lab):
        case = self._run(borrow, lab, [])
        self._given(case, lab, "`use` had ended well", [])
        dropped = lab.await_of("use") if case.outcome is None else None
        lab.equal(case.outcome, "used the thing", line=dropped)
        case.told()
        case = self._run(borrow, lab, [], fails=True)
        self._given(case, lab, "`use` had raised an error", [])
        if not isinstance(case.outcome, LookupError):
            said = f"`use` raised LookupError; it ended with {case.outcome!r}."
            found = lab.lost_error(said, LookupError)
            found.line = found.line or lab.earliest(lab.handler(LookupError), lab.returning())
            raise found
        case.told()
        for moments in [2], [2, 2.5], [2, 2.25, 2.5, 3], [6.5], [6.5, 7]:
            case = self._run(borrow, lab, moments)
            when = f"`borrow` was cancelled {at_moments(case.cancelled_at)}"
            self._given(case, lab, when, moments)
            self._cancelled(case, lab, moments)
            case.told()
        case = self._run(borrow, lab, [], at_the_end=True)
        when = "`borrow` was cancelled at 8 s, just as `give_back` ended"
        self._given(case, lab, when, [8])
        if case.outcome != "cancelled":
            raise Wrong(
                "swallowed",
                f"{when}, and it ended with {case.outcome!r}.",
                lab.text.swallowing_handler(),
                "Whether `give_back` is done doesn't tell who was cancelled: both may be. What "
                "`await asyncio.wait([back])` raises is always a cancellation of `borrow`.",
            )
        case.told()
        for moments in [2], [2, 4]:
            case = self._run(borrow, lab, moments, back=1000)
            self._bounded(case, lab, moments)
            case.told()
        case = self._run(borrow, lab, [0.5])
        if case.given:
            raise Wrong(
                "given back wrongly",
                "It was cancelled after 0.5 s, in `lend`, and `give_back` was called.",
                lab.call_of("give_back"),
                "Let the `try` begin after `lend`.",
            )
        self._cancelled(case, lab, [0.5])
        case.told()

    def _given(self, case, lab, when, moments):
        call = lab.call_of("give_back")
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
                "given back wrongly",
                f"{when}, and `give_back` was called {len(case.given)} times.",
                call,
                "Make one task for it, and wait for that task again and again.",
                headline="gave it back twice",
            )
        if case.given == ["cancelled"] and not moments:
            raise Wrong(
                "time limit",
                f"{when}. `give_back` takes 2 s, and it was ended "
                f"after {case.took:g} s; it may take 3.",
                lab.call_of("timeout", "wait_for", "wait") or call,
                headline="bounded too tightly",
            )
        if case.given == ["cancelled"]:
            # The moments before these had but one cancellation in that time, and it did no harm.
            again = sum(moment > case.begun for moment in case.cancelled_at) > 1
            raise Wrong(
                "cut off",
                f"{when}. `give_back` takes 2 s, and was cancelled after {case.took:g} s.",
                case.cut or call,
                "A single cancellation in that time did no harm, a second one did. Wait in a loop, "
                "until the task is done, and with a shield or `asyncio.wait` each time."
                if again
                else None,
                at="is where it waited then" if case.cut else "",
            )
        if case.given != ["ended"]:
            observed = f"{when}, and `borrow` ended at {case.over:g} s, while `give_back` went on."
            if case.over in case.cancelled_at and case.begun < case.over:
                left = broken_off(lab)
                raise Wrong(
                    "early return",
                    observed,
                    left or case.waited or lab.call_of("shield", "create_task", "ensure_future"),
                    "A cancellation ends your waiting too. Wait again, until the task is done.",
                    headline="stopped waiting for the cleanup",
                    at="" if left or not case.waited else "is where it waited then",
                )
            raise Wrong(
                "early return",
                observed,
                lab.call_of("shield", "create_task", "ensure_future"),
                "Wait for the task that gives back, until it is done.",
                headline="did not wait for the cleanup",
            )

    def _cancelled(self, case, lab, moments):
        if isinstance(case.outcome, TimeoutError):
            raise Wrong(
                "another error",
                f"It was cancelled {at_moments(moments)}, `give_back` was ended when its "
                "3 s were over, and a TimeoutError came out, not a CancelledError.",
                lab.earliest(lab.call_of("timeout*", "wait_for"), lab.keyword("timeout")),
                "The bound belongs to the cleanup: suppress its TimeoutError there.",
            )
        if case.outcome != "cancelled":
            failed = isinstance(case.outcome, Exception)
            again = lab.text.raised_again(case.outcome) if failed else None
            raise Wrong(
                "swallowed",
                f"It was cancelled {at_moments(moments)}, and it ended with {case.outcome!r}.",
                again or lab.text.swallowing_handler(),
                "The cancellation comes first: if there was one, raise that, and not the error."
                if again
                else "Remember the cancellation while you wait, and raise it afterwards.",
                at="raises the older error" if again else "",
            )

    def _bounded(self, case, lab, moments):
        if case.over > 5.001 and len(moments) > 1:  # with a single request it was in time
            raise Wrong(
                "time limit",
                f"It was cancelled {at_moments(moments)}, and it was over at {case.over:g} s; at "
                "5 s the 3 s for giving back are over.",
                lab.earliest(lab.call_of("timeout*", "wait_for"), lab.keyword("timeout"))
                or case.waited,
                "Put `asyncio.timeout(3)` around `give_back`, inside its own task: no "
                "cancellation comes there.",
                headline="a bound that begins anew",
                at="counts the 3 s anew after each cancellation",
            )
        if case.over > 5.001:
            raise Wrong(
                "time limit",
                f"It was cancelled "
                f"{at_moments(moments)}, and it was over at {case.over:g} s; at 5 s the "
                "3 s for giving back are over.",
                lab.earliest(lab.call_of("timeout*", "wait_for"), lab.keyword("timeout"))
                or lab.call_of("give_back"),
                "Put `asyncio.timeout(3)` around `give_back`, inside its own task.",
                headline="a cleanup without end",
            )
        if case.given == ["begun"]:
            raise Wrong(
                "losers",
                "After 3 s `give_back` was to be cancelled, but it still went on.",
                lab.call_of("wait", "timeout"),
                "Let the bound end `give_back` itself, and not only the waiting for it.",
                headline="left the cleanup running",
            )
        self._cancelled(case, lab, moments)

    @sweep(
        lambda some: {  # no cancellation comes at the moment at which something ends
            "thing": some.sampled_from(("a thing", "", 0, None)),
            "used": some.sampled_from(("tea", "", 0, None)),
            "fails": some.sampled_from((None, None, ValueError, TimeoutError, OSError)),
            "back": some.sampled_from((0, 0.4, 2, 2.9, 3.1, 1000)),
            "moments": some.lists(
                some.sampled_from((0.5, 2, 2.25, 2.6, 4.7, 6.3, 7)), max_size=3, unique=True
            ).map(sorted),
        },
        most=60,
    )
    def any_thing(self, borrow, lab, thing, used, fails, back, moments):
        error = fails and fails("it is broken")
        does = f"raises {fails.__name__}" if fails else f"returns {used!r}"
        words = (
            f"with a `lend` that gives {thing!r} after 1 s, a `use` that {does} after 5 s, and a "
            f"`give_back` of {back:g} s"
        )
        lab.told(f"{words}. It was cancelled {at_moments(moments)}" if moments else words)
        case = self._play(borrow, lab, moments, back, error, thing, used)
        if moments and moments[0] < case.over:
            said, lab.called = lab.called, f"I called `borrow` {words}."
            self._cancelled(case, lab, moments)
            lab.called = said
        case.told()
        return {
            "the calls of `give_back` came to": case.given,
            "it ended with": case.outcome,
            "it was over after these seconds:": case.over,
        }

    @sweep(
        lambda some: {"error": some.sampled_from((ValueError, TimeoutError, OSError))},
        most=3,
    )
    def nothing_lent(self, borrow, lab, error):
        lab.told(f"with a `lend` that raises {error.__name__} after 1 s")
        case = self._play(borrow, lab, [], not_lent=error("nothing to lend"))
        return {
            "the calls of `give_back` came to": case.given,
            "it ended with": case.outcome,
        }

    def _run(self, borrow, lab, moments, back=2, fails=False, at_the_end=False):
        lab.told(f"with a `lend` of 1 s, a `use` of 5 s and a `give_back` of {back} s")
        error = LookupError("it is broken") if fails else None
        case = self._play(borrow, lab, moments, back, error, at_the_end=at_the_end)
        if isinstance(case.outcome, Exception) and not isinstance(
            case.outcome, TimeoutError if moments else LookupError
        ):
            raise case.outcome
        return case

    def _play(
        self,
        borrow,
        lab,
        moments,
        back=2,
        error=None,
        thing="the thing",
        used="used the thing",
        not_lent=None,
        at_the_end=False,
    ):
        """Have it borrow once. error: what `use` raises; not_lent: what `lend` raises. at_the_end:
        whether the last thing that `give_back` does is to cancel `borrow`.
        """
        case = Case()

        async def lend():
            await asyncio.sleep(1)
            if not_lent is not None:
                raise not_lent
            return thing

        async def use(thing):
            await asyncio.sleep(5)
            if error is not None:
                raise error
            return used

        async def give_back(thing):
            clock, number = asyncio.get_running_loop().time, len(case.given)
            case.begun = begun = clock()
            case.given.append("begun")
            try:
                await asyncio.sleep(back)
                case.given[number] = "ended"
                if at_the_end:
                    case.borrower.cancel()
            except asyncio.CancelledError:
                case.given[number], case.cut = "cancelled", case.waited
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
                    lab.definition(),
                )
            task = case.borrower = asyncio.create_task(made, name="borrow")
            for moment in moments:
                await asyncio.wait([task], timeout=moment - clock())
                if not task.done():
                    case.waited = lab.where(task)
                    case.cancelled_at.append(clock())
                    task.cancel()
            await asyncio.wait([task], timeout=5000)
            case.over, case.given_then = clock(), list(case.given)
            if task.cancelled():
                case.outcome = "cancelled"
            elif task.done():
                case.outcome = task.exception() or task.result()
            case.borrower = None  # an error that is lost with it has to be seen at once

        try:
            lab.run(main(), leaks=True)
        except Wrong as found:
            if found.kind != "lost error":
                raise
            case.lost = found
        case.given = case.given_then
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

    @wrong("early return", says="ended at 2.5 s")
    async def shields_once(lend, use, give_back):
        thing = await lend()
        try:
            return await use(thing)
        finally:
            await asyncio.shield(asyncio.wait_for(give_back(thing), 3))

    @wrong("early return", says="while `give_back` went on")
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

    @wrong("time limit", says="after 1 s")
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

    looks_at_no_error = one_second_is_enough.but(
        "give_back(thing), 1", "give_back(thing), 3", kind="lost error", says="TimeoutError"
    )

    lets_the_bound_out = looks_at_no_error.but(
        "if request is",
        "back.result()\nif request is",
        kind="another error",
        says="a TimeoutError came out",
    )

    @wrong("value", says="takes None for nothing")
    async def none_is_nothing_lent(lend, use, give_back):
        thing = None

        async def bounded():
            with suppress(TimeoutError):
                async with asyncio.timeout(3):
                    await give_back(thing)

        try:
            thing = await lend()
            return await use(thing)
        finally:
            if thing is not None:
                back, request = asyncio.create_task(bounded()), None
                while not back.done():
                    try:
                        await asyncio.wait([back])
                    except asyncio.CancelledError as error:
                        request = error
                if request is not None:
                    raise request

    @wrong("swallowed", says="raises the older error")
    async def the_error_of_use_comes_first(lend, use, give_back):
        thing, failed, result, request = await lend(), None, None, None
        try:
            result = await use(thing)
        except BaseException as error:
            failed = error
        back = asyncio.ensure_future(asyncio.wait_for(give_back(thing), 3))
        while not back.done():
            try:
                with suppress(TimeoutError):
                    await asyncio.shield(back)
            except asyncio.CancelledError as error:
                request = error
        if failed is not None:
            raise failed
        if request is not None:
            raise request
        return result

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

    no_bound = one_second_is_enough.but(
        "asyncio.wait_for(give_back(thing), 1)",
        "give_back(thing)",
        kind="time limit",
        says="1000 s",
    )

    @wrong("time limit", says="anew after each cancellation: `async with asyncio.timeout(3):`")
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

    @wrong("losers", says="it still went on")
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

    @wrong("given back wrongly", says="in `lend`")
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
    was returned, the error, or "cancelled"; lost: the Wrong for an error that nobody looked at;
    begun: when the last giving back began; cancelled_at: when it was cancelled; waited: where it
    waited at the last of these; cut: that, if this cancelled `give_back`; borrower: the task that
    borrows, as long as it does.
    """

    def __init__(self):
        self.given, self.given_then, self.took, self.over = [], [], 0.0, 0.0
        self.begun, self.cancelled_at = 0.0, []
        self.outcome, self.lost = None, None
        self.waited = self.cut = self.borrower = None

    def told(self):
        """Name a lost error, now that nothing worse was found."""
        if self.lost is not None:
            raise self.lost


def at_moments(moments):
    """The moments in words: at 2 s and 2.5 s."""
    return "at " + " and ".join(f"{moment:g} s" for moment in moments)
