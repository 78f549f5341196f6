"""Long, for two limits can be set, missed or mixed up in many ways."""

import asyncio
import contextlib
import math

import httpx

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong


class Mirrors(Exercise):
    """A deadline for the whole

    The same page lies on several servers. `fetch(mirror)` is a coroutine function that gets it
    from one of them. It may raise an `httpx.TransportError`, and it may never come back. It raises
    no `TimeoutError` of its own.

    Write `from_mirrors(fetch, mirrors, seconds)`. There is at least one mirror. The
    function asks them one after another, and returns the first page that it gets.

    - Each mirror has at most 1 s. If it fails with an `httpx.TransportError`, or is not back by
      then, the next is asked. Any other error comes out at once.
    - All together have at most `seconds`. Then a `TimeoutError` comes out.
    - If the last one fails too, its error comes out (a `TimeoutError` if it was too slow).
    """

    id = "mirrors-1"
    asks = "from_mirrors"
    minutes = 12
    hints = (
        "Two limits, one for each mirror and one for the whole: which lines does each enclose?",
        "`async with asyncio.timeout(seconds):` around the loop, `async with asyncio.timeout(1):` "
        "around the one call. The `try` that goes on to the next mirror stands between the two.",
        "`except (httpx.TransportError, TimeoutError) as error:` keeps the error, for the case "
        "that no mirror is left: `raise` it after the loop, or at the last mirror.",
    )

    def verify(self, from_mirrors, lab):
        lost = httpx.ConnectError("nobody there")
        fetch = lab.service({"a": 0.2, "b": 60, "c": 0.3}, errors={"a": lost}, name="fetch")
        lab.told(
            'with three mirrors, of which "a" fails after 0.2 s, "b" never comes back and '
            '"c" takes 0.3 s, and 5 s for the whole'
        )
        run = self._first(lab, from_mirrors, fetch)
        if fetch.peak > 1:
            raise Wrong(
                "limit",
                f"{fetch.peak} mirrors were asked at once.",
                lab.call_of("gather", "create_task", "TaskGroup"),
                "That is quicker, and three times the load. Ask them one after another.",
                headline="asked more than one at a time",
            )
        if run.result is None and "c" not in fetch.started:
            raise Wrong(
                "one failure ends all",
                'It returned None, and "c" was never asked.',
                lab.handler(),
                "After a failure the next mirror is asked: the `try` stands in the loop.",
                headline="gave up too early",
            )
        lab.equal(run.result, "page c")
        if abs(run.elapsed - 1.5) > 0.01:
            raise Wrong(
                "time limit",
                f'"b" never came back, and had {run.elapsed - 0.5:.3g} s.',
                lab.call_of("timeout", "timeout_at", "wait_for"),
                "Each mirror has 1 s, however long the whole may last.",
                headline="another limit for a mirror",
            )
        for seconds in (2.5, 0.4):
            fetch = lab.service(60, name="fetch")
            lab.told(f"with four mirrors that never come back, and {seconds} s for the whole")
            run = lab.run(from_mirrors, fetch, ["a", "b", "c", "d"], seconds, raises=TimeoutError)
            caught = lab.earliest(lab.use_of("CancelledError"), lab.handler(BaseException))
            if run.elapsed > seconds + 0.01 and caught:
                raise Wrong(
                    "swallowed",
                    f"The {seconds} s were up, and it went on until "
                    f"{run.elapsed:.3g} s: a deadline ends it by a CancelledError.",
                    caught,
                )
            if run.elapsed > seconds + 0.01 and len(fetch.started) == math.ceil(seconds):
                raise Wrong(
                    "limits add up",
                    f"The {seconds} s were up while mirror number {len(fetch.started)} was asked, "
                    f"and nothing stopped that: it took {run.elapsed:.3g} s.",
                    lab.call_of("timeout", "timeout_at", "wait_for"),
                    "The deadline has to stop a mirror that is being asked, too: put "
                    "`asyncio.timeout(seconds)` around all of it.",
                    headline="did not stop at the deadline",
                )
            if run.elapsed > seconds + 0.01:
                raise Wrong(
                    "limits add up",
                    f"It took {run.elapsed:.3g} s.",
                    lab.call_of("timeout", "timeout_at", "wait_for"),
                    "Limits for each call do not add up to one for the whole. Put "
                    "`asyncio.timeout(seconds)` around all of it.",
                    headline="no deadline for the whole",
                )
            if run.elapsed < seconds - 0.01:
                raise Wrong(
                    "one failure ends all",
                    f"It gave up after {run.elapsed:.3g} s.",
                    lab.earliest(lab.call_of("timeout", "timeout_at", "wait_for"), lab.raising()),
                    "The next mirror may be better: go on until the time is up.",
                    headline="gave up too early",
                )
            if len(fetch.started) > math.ceil(seconds):
                raise Wrong(
                    "time limit",
                    f"In that time it asked {len(fetch.started)} mirrors, and gave each of them "
                    "less than 1 s.",
                    lab.call_of("timeout", "timeout_at", "wait_for"),
                    "Each mirror has 1 s, unless the whole ends before.",
                    headline="another limit for a mirror",
                )
        fetch = lab.service(0.1, errors={"a": httpx.ReadError("1st"), "b": lost}, name="fetch")
        lab.told("with two mirrors that both fail, and 5 s for the whole")
        try:
            run = lab.run(from_mirrors, fetch, ["a", "b"], 5, raises=httpx.TransportError)
        except TimeoutError:
            raise Wrong(
                "another error",
                "A TimeoutError came out, although no time was up.",
                lab.raising(),
                "It must be the last mirror's own error.",
                headline="the wrong error",
            ) from None
        if run.error is not lost:
            raise Wrong(
                "another error",
                "The error of the first mirror came out.",
                lab.raising(),
                "It must be the last one's.",
                headline="the wrong error",
            )
        fetch = lab.service(60, name="fetch")
        lab.told("with one mirror, which never comes back, and 5 s for the whole")
        run = lab.run(from_mirrors, fetch, ["a"], 5, raises=TimeoutError)
        if run.elapsed > 1.01:
            raise Wrong(
                "time limit",
                f"The one mirror had {run.elapsed:.3g} s.",
                fetch.places[-1],
                "Each mirror has 1 s, the last one too.",
                headline="no limit for the last mirror",
            )
        fetch = lab.service(60, name="fetch")
        try:
            lab.run(from_mirrors, fetch, ["a", "b"], 5, cancel_after=0.5)
        except TimeoutError:
            raise Wrong(
                "swallowed",
                "I cancelled it after 0.5 s. It went on with the next mirror.",
                lab.handler(),
            ) from None
        self._lets_out(lab, from_mirrors)

    def _lets_out(self, lab, from_mirrors):
        fetch = lab.service({"a": 0.2, "b": 0.3}, errors={"a": LookupError("no such page")})
        lab.told(
            'with two mirrors, of which "a" raises a LookupError after 0.2 s, and 5 s for the whole'
        )
        try:
            lab.run(from_mirrors, fetch, ["a", "b"], 5, raises=LookupError)
        except Exception:
            if "b" not in fetch.started:
                raise
        if "b" in fetch.started:
            raise Wrong(
                "another error",
                'The LookupError had to come out at once. "b" was asked all the same.',
                lab.kept_of(LookupError) or lab.handler(LookupError),
                "A LookupError is no TransportError, and no TimeoutError either. Catch only the "
                "two after which the next mirror is to be asked.",
                headline="went on after another error",
                at="catches it",
            )

    def _first(self, lab, from_mirrors, fetch):
        ended = []

        async def ask():
            try:
                return await lab.awaitable(from_mirrors(fetch, ["a", "b", "c"], 5))
            finally:
                ended.append(asyncio.get_running_loop().time())

        try:
            return lab.run(ask())
        except TimeoutError:
            if abs(ended[0] - 1) < 0.01 and "c" not in fetch.started:  # "a" took 0.2 s of it
                raise Wrong(
                    "time limit",
                    "The whole had 1 s: the TimeoutError came out then.",
                    lab.call_of("timeout", "timeout_at", "wait_for"),
                    "The deadline of `seconds` stands around the loop; the 1 s around each call.",
                    headline="another limit for the whole",
                ) from None
            if ended[0] < 5 and "c" not in fetch.started:
                raise Wrong(
                    "one failure ends all",
                    'The TimeoutError of "b" came out after '
                    f'{ended[0]:.3g} s, and "c" was not asked.',
                    lab.handler(),
                    "`asyncio.timeout` raises Python's own `TimeoutError`, which is none "
                    "of httpx's errors. Catch it as well as `httpx.TransportError`.",
                    headline="gave up too early",
                ) from None
            raise Wrong(
                "time limit",
                "It ended with a TimeoutError: one silent "
                'mirror took all the time, and "c" was '
                f"{'never asked' if 'c' not in fetch.started else 'cut off'}.",
                lab.call_of("timeout", "timeout_at", "wait_for") or lab.await_of(),
                "Give each mirror its own second, inside the deadline for the whole.",
                headline="no limit for one mirror",
            ) from None
        except httpx.TransportError:
            raise Wrong(
                "one failure ends all",
                'The error of "a" came out, and the others were not asked.',
                lab.earliest(lab.handler(), lab.await_of()),
                "A TransportError of one mirror means: ask the next.",
                headline="gave up too early",
            ) from None

    @sweep(
        lambda some: {
            "mirrors": some.lists(
                some.sampled_from(["quick", "slow", "lost", "silent", "broken"]),
                min_size=1,
                max_size=4,
            ),
            "seconds": some.sampled_from([0.43, 1.57, 2.86, 9]),
            "page": some.sampled_from(["page", "", None]),
        },
        besides=[
            {"mirrors": ["silent"], "seconds": 2.86, "page": "page"},
            {"mirrors": ["lost", "silent"], "seconds": 2.86, "page": "page"},
        ],
        fails=(httpx.ReadTimeout, httpx.PoolTimeout, httpx.DecodingError, ConnectionError),
        cancels=True,
        most=20,
    )
    def any_mirrors(self, from_mirrors, lab, mirrors, seconds, page):
        waits = {"quick": 0.2, "slow": 0.7, "lost": 0.31, "silent": 60, "broken": 0.12}
        errors = {
            "lost": httpx.ConnectError("nobody there"),
            "broken": LookupError("no such page"),
        }
        fetch = lab.service(waits, {"quick": page, "slow": page}, errors, cleanup=0.05)
        does = {
            "quick": f"gives {page!r} after 0.2 s",
            "slow": f"gives {page!r} after 0.7 s",
            "lost": "raises a ConnectError after 0.31 s",
            "silent": "never comes back",
            "broken": "raises a LookupError after 0.12 s",
        }
        if lab.twist.error is not None:
            does[lab.twist.argument] = f"raises a {lab.twist.error.__name__}"
        told = listed(f'"{name}" {does[name]}' for name in dict.fromkeys(mirrors))
        lab.told(f"with {mirrors}, and {seconds} s for the whole; {told}")
        run = lab.run(from_mirrors, fetch, mirrors, seconds)
        if run.error is errors["lost"] and fetch.started == mirrors and mirrors[-1] == "silent":
            raise Wrong(
                "another error",
                "The last mirror was not back in time, and the error of an earlier one came out.",
                lab.handler(TimeoutError) or lab.raising(),
                "It must be the last one's, here a TimeoutError: let it take the place of the "
                "error before.",
                headline="the wrong error",
            )
        if isinstance(run.error, TimeoutError):
            run.error = TimeoutError()  # whatever its words
        return lab.seen(run, fetch)

    @sweep(lambda some: {"number": some.just(1100)}, most=1)
    def many_mirrors(self, from_mirrors, lab, number):
        lab.told(
            f"with {number} mirrors that fail at once, but for the last, and 5 s for the whole"
        )

        async def fetch(mirror):
            if mirror < number:
                raise httpx.ConnectError("nobody there")
            return "page"

        return lab.seen(lab.run(from_mirrors, fetch, [*range(1, number + 1)], 5))

    @right
    async def two_timeouts(fetch, mirrors, seconds):
        """Return the first page that one of the mirrors gives, within so many seconds."""
        async with asyncio.timeout(seconds):
            for mirror in mirrors:
                try:
                    async with asyncio.timeout(1):
                        return await fetch(mirror)
                except (httpx.TransportError, TimeoutError) as error:
                    failure = error
            raise failure

    @right
    async def what_is_left(fetch, mirrors, seconds):
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        for mirror in mirrors:
            left = end - loop.time()
            if left <= 0:
                break
            try:
                return await asyncio.wait_for(fetch(mirror), min(1, left))
            except (httpx.TransportError, TimeoutError) as error:
                failure = error
        raise failure

    timeouts_of_httpx = two_timeouts.but(
        "httpx.TransportError, TimeoutError",
        "httpx.TimeoutException, httpx.TransportError",
        kind="one failure ends all",
        says="none of httpx's errors",
    )

    @wrong("one failure ends all", says="stands in the loop")
    async def catches_outside(fetch, mirrors, seconds):
        async with asyncio.timeout(seconds):
            try:
                for mirror in mirrors:
                    async with asyncio.timeout(1):
                        return await fetch(mirror)
            except (httpx.TransportError, TimeoutError):
                pass

    @wrong("another error", says="the last mirror's own")
    async def an_error_of_its_own(fetch, mirrors, seconds):
        async with asyncio.timeout(seconds):
            for mirror in mirrors:
                try:
                    async with asyncio.timeout(1):
                        return await fetch(mirror)
                except (httpx.TransportError, TimeoutError):
                    pass
            raise TimeoutError("no mirror answers")

    @wrong("limits add up", says="do not add up")
    async def each_alone(fetch, mirrors, seconds):
        for mirror in mirrors:
            try:
                async with asyncio.timeout(1):
                    return await fetch(mirror)
            except (httpx.TransportError, TimeoutError) as error:
                failure = error
        raise failure

    @wrong("time limit", says='"c" was never asked')
    async def the_whole_alone(fetch, mirrors, seconds):
        async with asyncio.timeout(seconds):
            for mirror in mirrors:
                try:
                    return await fetch(mirror)
                except httpx.TransportError as error:
                    failure = error
            raise failure

    the_whole_for_each = each_alone.but(
        "asyncio.timeout(1)",
        "asyncio.timeout(seconds)",
        kind="time limit",
        says="had 5 s",
    )

    shared_out = each_alone.but(
        "asyncio.timeout(1)",
        "asyncio.timeout(seconds / len(mirrors))",
        kind="time limit",
        says="1.67 s",
    )

    timeouts_only = two_timeouts.but(
        "(httpx.TransportError, TimeoutError)",
        "TimeoutError",
        kind="one failure ends all",
        says='The error of "a"',
    )

    timeout_in_the_wrong_place = two_timeouts.but(
        "asyncio.timeout(seconds)",
        "asyncio.timeout(1.4)",
        kind="time limit",
        says="cut off",
    )

    @wrong("lost error", says="TimeoutError")
    async def nothing_at_the_end(fetch, mirrors, seconds):
        try:
            async with asyncio.timeout(seconds):
                for mirror in mirrors:
                    with contextlib.suppress(httpx.TransportError, TimeoutError):
                        async with asyncio.timeout(1):
                            return await fetch(mirror)
        except TimeoutError:
            return None

    @wrong("limit", says="3 mirrors")
    async def all_at_once(fetch, mirrors, seconds):
        tasks = [asyncio.create_task(fetch(mirror)) for mirror in mirrors]
        try:
            for task in asyncio.as_completed(tasks, timeout=seconds):
                with contextlib.suppress(httpx.TransportError):
                    return await task
        finally:
            for task in tasks:
                task.cancel()

    @wrong("another error", says="the last one's")
    async def keeps_the_first(fetch, mirrors, seconds):
        failure = None
        async with asyncio.timeout(seconds):
            for mirror in mirrors:
                try:
                    async with asyncio.timeout(1):
                        return await fetch(mirror)
                except (httpx.TransportError, TimeoutError) as error:
                    failure = failure or error
            raise failure

    catches_the_deadline = two_timeouts.but(
        "TimeoutError",
        "TimeoutError, asyncio.CancelledError",
        kind="swallowed",
        says="by a CancelledError",
    )

    @wrong("swallowed", says="the next mirror")
    async def catches_everything(fetch, mirrors, seconds):
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        for mirror in mirrors:
            try:
                left = end - loop.time()
                return await asyncio.wait_for(fetch(mirror), min(1, left))
            except BaseException as error:
                failure = error
            if loop.time() >= end:
                break
        raise failure
