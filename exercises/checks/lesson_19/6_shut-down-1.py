"""Long, for a server can be shut down in many wrong ways."""

import ast
import asyncio
import sys

from helpers.basics.words import count
from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import now


class Listener:
    """A server of the check's own: it takes requests until it is closed."""

    def __init__(self, under_way):
        self.under_way, self.closed_at, self.waited = under_way, None, False

    def close(self):
        if self.closed_at is None:
            self.closed_at = now()

    async def wait_closed(self):
        while self.under_way:  # as asyncio's does from 3.12 on
            self.waited = self.waited or not any(task.cancelling() for task in self.under_way)
            await asyncio.wait(set(self.under_way))


class ShutDown(Exercise):
    """The end of a server

    SIGTERM has come. Write `shut_down(server, under_way, seconds)`, a coroutine function:

    - It stops accepting: `server.close()`, an ordinary method.
    - It lets the requests that are under way go on. `under_way` is a set of their tasks; a task
      that ends takes itself out of it. It may be empty. If one request fails, the others
      go on all the same, and its error doesn't come out.
    - After `seconds` it cancels those that are left, and waits until they have ended, for they
      clean up.
    - It returns how many it had to cancel. It takes no longer than the requests do.
    """

    id = "shut-down-1"
    equivalent = {
        "with_timeout: wider except, line 11": "`asyncio.wait` raises nothing else",
    }
    asks = "shut_down"
    minutes = 10
    hints = (
        "Three steps, in this order: stop accepting, wait with a limit, cancel what is left.",
        "`asyncio.wait(tasks, timeout=seconds)` returns two sets, and neither cancels nor raises "
        "anything. It doesn't take an empty set.",
        "`done, late = await asyncio.wait(under_way, timeout=seconds)`; cancel each of `late`; "
        "`await asyncio.gather(*late, return_exceptions=True)`; `return len(late)`.",
    )

    def verify(self, shut_down, lab):
        lab.told("with requests that need 1 and 3 s more, and 10 s of time")
        self._end(shut_down, lab, {"a": 1, "b": 3}, 10, expected=0, elapsed=3)
        lab.told("with no request under way")
        self._end(shut_down, lab, {}, 10, expected=0, elapsed=0)
        lab.told(
            "with three requests, one of which needs 1 s and two a minute, and with 5 s of time"
        )
        self._end(shut_down, lab, {"a": 1, "b": 60, "c": 60}, 5, expected=2, elapsed=5.5)
        lab.told("with three requests, of which one fails")
        self._end(shut_down, lab, {"fails": 1, "b": 3, "c": 2}, 10, expected=0, elapsed=3)

    @sweep(
        lambda some: {
            "requests": some.lists(
                some.tuples(
                    some.sampled_from((0.5, 1.3, 3.3, 9)),
                    some.sampled_from((0, 0.5, 2.1)),
                    some.sampled_from((None, None, LookupError, OSError, TimeoutError)),
                ),
                max_size=5,
            ),
            "seconds": some.sampled_from((0, 1, 4)),
        },
        most=40,
    )
    def any_requests(self, shut_down, lab, requests, seconds):
        told = [
            f"one needs {needs:g} s, and {cleans:g} s to clean up"
            + (f", and raises {fails.__name__} then, cancelled or not" if fails else "")
            for needs, cleans, fails in requests
        ]
        lab.told(f"with {seconds:g} s of time; {'; '.join(told) or 'no request is under way'}")
        run = lab.run(self._drain(shut_down, lab, requests, seconds))
        if run.error is not None:
            raise run.error
        return run.result

    async def _drain(self, shut_down, lab, requests, seconds):
        became, under_way = ["under way" for _ in requests], set()
        server = Listener(under_way)

        async def request(number, needs, cleans, fails):
            try:
                await asyncio.sleep(needs)
                became[number] = "ended"
            except asyncio.CancelledError:
                became[number] = f"cancelled after {now() - begun:g} s"
                await asyncio.sleep(cleans)
                became[number] += ", cleaned up"
                if fails is None:
                    raise
            if fails:
                raise fails("in a request")

        begun = now()
        for number, each in enumerate(requests):
            task = asyncio.create_task(request(number, *each))
            under_way.add(task)
            task.add_done_callback(under_way.discard)
            task.add_done_callback(lambda task: task.cancelled() or task.exception())
        await asyncio.sleep(0)
        returned = await lab.awaitable(shut_down(server, under_way, seconds))
        short = lab.wait_behind("cancel")
        if short and (cut := [task for task in under_way if task.cancelling() and not task.done()]):
            raise Wrong(
                "cut off",
                f"It returned after {now() - begun:g} s, when {count(len(cut), 'request')} that it "
                "had cancelled still cleaned up.",
                short,
                "A cleanup may take its time. Wait until they have ended, without a limit.",
                headline="did not wait for the end of the cleanup",
                at="is all the time that they get",
            )
        late = [each for each, state in zip(requests, became) if state.startswith("cancelled")]
        as_cancelled = lab.call_of("cancelled")
        if as_cancelled and returned == sum(fails is None for _, _, fails in late) < len(late):
            raise Wrong(
                "value",
                f"It returned {returned}; expected {len(late)}. It had to cancel {len(late)}, and "
                "what it returned is how many of them ended in a CancelledError.",
                as_cancelled,
                "A task that was cancelled may end otherwise: it cleans up, and an error comes out "
                "of that. Then `cancelled()` is False. Count those that you cancel.",
                headline="counted what ended as cancelled",
            )
        return {
            "it returned": returned,
            "the requests were, when it returned,": list(became),
            "its seconds were": round(now() - begun, 6),
            "the server was closed at": server.closed_at,
        }

    def _end(self, shut_down, lab, requests, seconds, expected, elapsed):
        ended, cancelled, cleaned, started = {}, [], [], []
        under_way = set()
        server = Listener(under_way)

        async def request(name, needs):
            try:
                await asyncio.sleep(needs)
                if name == "fails":
                    raise LookupError("no such page")
                ended[name] = now() - started[0]
            except asyncio.CancelledError:
                cancelled.append((name, now() - started[0]))
                await asyncio.sleep(0.5)
                cleaned.append(name)
                raise

        async def main():
            for name, needs in requests.items():
                task = asyncio.create_task(request(name, needs), name=name)
                under_way.add(task)
                task.add_done_callback(under_way.discard)
                task.add_done_callback(lambda task: task.cancelled() or task.exception())
            started.append(now())
            await asyncio.sleep(0)
            returned = await lab.awaitable(shut_down(server, under_way, seconds))
            took = now() - started[0]
            # One that has just ended may not have been taken out yet.
            left = [task.cancelling() > 0 for task in under_way if not task.done()]
            # A copy of both, for the end of the loop cancels what is left.
            return returned, took, left, list(cancelled), len(cleaned)

        try:
            run = lab.run(main(), leaks=True)
        except SystemExit:
            raise Wrong(
                "dropped requests",
                "It ended the program while requests were under way.",
                lab.call_of("exit"),
                "Nobody after `sys.exit` waits for them: end by returning, when nothing is left.",
            ) from None
        except asyncio.CancelledError:
            raise Wrong(
                "awaited the cancelled",
                "It awaited a request that it had cancelled, and "
                "the CancelledError came out of `shut_down`.",
                lab.call_of("gather"),
                "`await asyncio.gather(*late, return_exceptions=True)` waits for them and "
                "raises nothing.",
                headline="let a cancellation out",
            ) from None
        except TimeoutError:
            raise Wrong(
                "caught too little",
                f"After {seconds:g} s TimeoutError came out of `shut_down`.",
                lab.earliest(lab.call_of("timeout*", "wait_for"), lab.keyword("timeout")),
                "Catch it: then what is left is to be cancelled, and counted.",
                headline="let a TimeoutError out",
            ) from None
        except LookupError as error:
            raise Wrong(
                "dropped requests",
                "One request failed, its error came out, and nobody waited for the others.",
                lab.text.of_traceback(error),
                "To await a task that failed, or to ask for its result, raises its error. "
                "`asyncio.wait` raises nothing; `gather` wants `return_exceptions=True`.",
            ) from None
        except RuntimeError as error:
            if "changed size" not in str(error):
                raise
            raise Wrong(
                "raised",
                "RuntimeError came out: the set `under_way` changed while it was gone through.",
                lab.for_loop("under_way"),
                "A task that ends takes itself out. Go through a copy: `list(under_way)`.",
            ) from None
        returned, took, left, cancelled, clean = run.result
        early = [name for name, when in cancelled if when < seconds - 0.001]
        failed_at = requests.get("fails")
        if early and failed_at and all(abs(when - failed_at) < 0.001 for _, when in cancelled):
            one = lab.use_of("FIRST_EXCEPTION") or _first_of_all(lab)
            raise Wrong(
                "dropped requests",
                f"{len(early)} of {len(requests)} requests were cancelled after {failed_at:g} s, "
                f"in the moment in which one failed; they had {seconds:g} s.",
                one or lab.call_of("cancel"),
                "The failure of one must not end your wait for the others.",
                headline="one failure ended the others",
                at="ends at the first failure" if one else "",
            )
        if early:
            raise Wrong(
                "dropped requests",
                f"{len(early)} of {len(requests)} requests were "
                f"cancelled after {min(when for _, when in cancelled):g} s; they had "
                f"{seconds:g} s.",
                lab.use_of("FIRST_COMPLETED")
                or lab.earliest(lab.call_of("cancel", "timeout*"), lab.keyword("timeout")),
            )
        if server.closed_at is None:
            raise Wrong(
                "left open",
                "The server was never closed, and goes on accepting.",
                None,
                "`server.close()` comes first.",
            )
        if server.closed_at > started[0] + 0.001:
            raise Wrong(
                "went on after the end",
                "The server was closed after "
                f"{server.closed_at - started[0]:g} s; until then new requests came in, "
                "and the drain may never end.",
                lab.call_of("close", "aclose"),
                "Stop accepting first.",
                headline="accepted while it drained",
            )
        if not all(left):
            raise Wrong(
                "dropped requests",
                f"It returned after {took:g} s, and {len(left)} of "
                f"{len(requests)} requests were still under way.",
            )
        if left:
            short = lab.wait_behind("cancel")
            raise Wrong(
                "cut off",
                f"It returned after {took:g} s, when {len(left)} requests that "
                "it had cancelled were still cleaning up.",
                short or lab.call_of("cancel"),
                "To cancel is to ask. Wait until those that you cancelled have ended: `await "
                "asyncio.gather(..., return_exceptions=True)`.",
                headline="did not wait for the end of the cleanup",
                at="is all the time that they get" if short else "only asks them to end",
            )
        if clean < len(cancelled):
            short = lab.wait_behind("cancel")
            raise Wrong(
                "cut off",
                f"{count(len(cancelled) - clean, 'request')} of {len(cancelled)} that were "
                "cancelled did not come to the end of the cleanup.",
                short or lab.call_of("cancel"),
                "A cancellation ends a cleanup as well, and a limit cancels what it waits for. "
                "Cancel once, then wait without a limit.",
                at="is all the time that they get" if short else "asks them to end",
            )
        if took > elapsed + 1:
            if server.waited:
                raise Wrong(
                    "time limit",
                    f"It took {took:g} s, and had {seconds:g} s.",
                    lab.call_of("wait_closed"),
                    "`wait_closed` waits until the last request "
                    "has ended, however long that takes: it comes last.",
                    headline="no limit",
                )
            if not cancelled and took > seconds + 1 and lab.keyword("timeout", of="wait"):
                raise Wrong(
                    "time limit",
                    f"It took {took:g} s, and had {seconds:g} s: what was left "
                    "then was not cancelled.",
                    lab.keyword("timeout", of="wait"),
                    "`asyncio.wait` cancels nothing. `task.cancel()` for each of the "
                    "second set, then wait for those.",
                    headline="no limit",
                )
            if cancelled or took > seconds + 1:
                raise Wrong(
                    "time limit",
                    f"It took {took:g} s, and had {seconds:g} s.",
                    lab.call_of("gather", "wait*"),
                    "Somebody sends SIGKILL after a while. Give "
                    "one limit to all of them together: `asyncio.wait(..., "
                    "timeout=seconds)`.",
                    headline="no limit",
                )
            raise Wrong(
                "late",
                f"It took {took:g} s, though the last request had ended after {elapsed:g} s.",
                lab.call_of("sleep"),
                "Wait for the requests, and not for the clock.",
                headline="waited too long",
            )
        if len({when for _, when in cancelled}) > 1:
            raise Wrong(
                "late",
                f"The last request was cancelled after "
                f"{max(when for _, when in cancelled):g} s; they had {seconds:g} s.",
                lab.call_of("cancel"),
                "Cancel all that are left, and only then wait for them, all together.",
                headline="waited too long",
            )
        if took > elapsed + 0.001:
            raise Wrong(
                "late",
                f"It took {took:g} s; {elapsed:g} s is enough.",
                lab.call_of("sleep"),
                "Wait for the requests, and not for the clock.",
                headline="waited too long",
            )
        returns = [
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.Return) and not isinstance(node.value, ast.Constant)
        ]
        only = returns[0] if len(returns) == 1 and not isinstance(returned, int) else None
        if isinstance(returned, (set, list, tuple)) and len(returned) == expected:
            raise Wrong(
                "value",
                f"It returned the tasks, a {type(returned).__name__}; their number is asked for.",
                lab.returning("under_way") or only,
                "`len` tells how many there are.",
                headline="returned the tasks",
            )
        if returned == 0 < expected and cancelled:
            self._counted_too_late(lab, expected, under_way)
        lab.equal(returned, expected, line=lab.returning("under_way") or only)

    def _counted_too_late(self, lab, expected, under_way):
        """Raise the Wrong for what is counted when nothing is left that could be."""
        said = f"It returned 0; expected {expected}."
        counts = lab.returning("under_way")
        if counts and lab.has_run(counts) and not under_way:
            raise Wrong(
                "value",
                f"{said} When all had ended, nobody was in `under_way` any more.",
                counts,
                "A task that ends takes itself out. Count those that are left before they end.",
                headline="counted when they had gone",
            )
        of_gather = _limit_of_gather(lab)
        if limit := of_gather or _limit_that_cancelled(lab):
            raise Wrong(
                "value",
                f"{said} When the time was over, the limit itself had them cancelled, and none "
                "was left to count.",
                limit,
                "A limit cancels what is waited for"
                + ", and a `gather` that is cancelled cancels all in it" * bool(of_gather)
                + ". `asyncio.wait(..., timeout=seconds)` cancels nothing.",
                headline="counted when they had gone",
                at="cancels the `gather`, and with it the requests"
                if of_gather
                else "cancels what it waits for, and with it the requests",
            )

    @right
    async def with_wait(server, under_way, seconds):
        """Stop accepting, drain, cancel what is left; return how many that were."""
        server.close()
        if not under_way:
            return 0
        done, late = await asyncio.wait(under_way, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        return len(late)

    @right
    async def with_timeout(server, under_way, seconds):
        server.close()
        tasks, late = list(under_way), 0
        try:
            async with asyncio.timeout(seconds):
                for task in tasks:
                    await asyncio.wait([task])
        except TimeoutError:
            for task in tasks:
                late += task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return late

    @right
    async def and_waits_for_the_server(server, under_way, seconds):
        server.close()
        late = set()
        if under_way:
            done, late = await asyncio.wait(under_way, timeout=seconds)
        for task in late:
            task.cancel()
        await server.wait_closed()
        return len(late)

    @wrong("time limit", says="it comes last")
    async def waits_for_the_server_first(server, under_way, seconds):
        server.close()
        await server.wait_closed()
        if not under_way:
            return 0
        done, late = await asyncio.wait(under_way, timeout=seconds)
        for task in late:
            task.cancel()
        return len(late)

    @wrong("dropped requests", says="ended the program")
    async def exits(server, under_way, seconds):
        server.close()
        sys.exit(0)

    @wrong("dropped requests", says="cancelled after 0 s")
    async def cancels_at_once(server, under_way, seconds):
        server.close()
        tasks = list(under_way)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return len(tasks)

    @wrong("dropped requests", says="still under way")
    async def closes_only(server, under_way, seconds):
        server.close()
        return 0

    @wrong("time limit", says="It took 60 s")
    async def waits_for_all(server, under_way, seconds):
        server.close()
        await asyncio.gather(*under_way, return_exceptions=True)
        return 0

    @wrong("time limit", says="cancels nothing")
    async def waits_twice(server, under_way, seconds):
        server.close()
        if not under_way:
            return 0
        done, late = await asyncio.wait(under_way, timeout=seconds)
        await asyncio.gather(*late, return_exceptions=True)
        return len(late)

    @wrong("late", says="Cancel all that are left")
    async def cancels_one_after_another(server, under_way, seconds):
        server.close()
        if not under_way:
            return 0
        done, late = await asyncio.wait(under_way, timeout=seconds)
        for task in late:
            task.cancel()
            await asyncio.wait([task])
        return len(late)

    @wrong("raised", says="Go through a copy")
    async def goes_through_the_set(server, under_way, seconds):
        server.close()
        late = 0
        try:
            async with asyncio.timeout(seconds):
                for task in under_way:
                    await asyncio.wait([task])
        except TimeoutError:
            for task in under_way:
                late += task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
        return late

    @wrong("time limit", says="one limit to all of them together")
    async def a_limit_for_each(server, under_way, seconds):
        server.close()
        late = 0
        for task in list(under_way):
            try:
                await asyncio.wait_for(task, seconds)
            except TimeoutError:
                late += 1
            except LookupError:
                pass
        return late

    awaits_what_it_cancelled = with_wait.but(
        "*late, return_exceptions=True",
        "*late",
        kind="awaited the cancelled",
        says="return_exceptions",
    )

    @wrong("caught too little", says="is to be cancelled")
    async def does_not_catch_it(server, under_way, seconds):
        server.close()
        async with asyncio.timeout(seconds):
            await asyncio.gather(*under_way, return_exceptions=True)
        return 0

    @wrong("went on after the end", says="Stop accepting first")
    async def closes_last(server, under_way, seconds):
        late = ()
        if under_way:
            done, late = await asyncio.wait(under_way, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        server.close()
        return len(late)

    does_not_wait_for_the_end = waits_for_the_server_first.but(
        "await server.wait_closed()", "", kind="cut off", says="still cleaning up"
    )

    @wrong("dropped requests", says="One request failed")
    async def one_error_ends_it(server, under_way, seconds):
        server.close()
        tasks = list(under_way)
        try:
            await asyncio.wait_for(asyncio.gather(*tasks), seconds)
        except TimeoutError:
            return sum(task.cancelled() for task in tasks)
        return 0

    @wrong("late", says="not for the clock")
    async def sleeps(server, under_way, seconds):
        server.close()
        await asyncio.sleep(seconds)
        late = list(under_way)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        return len(late)

    @wrong("raised", says="ValueError")
    async def nothing_under_way(server, under_way, seconds):
        server.close()
        done, late = await asyncio.wait(under_way, timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        return len(late)


def _first_of_all(lab):
    """The `gather` that ends at the first failure, before anything is cancelled; or None."""
    before = lab.call_of("cancel")
    calls = [
        call.lineno
        for call in lab.text.calls_of("gather")
        if not any(keyword.arg == "return_exceptions" for keyword in call.keywords)
        if before and call.lineno < before
    ]
    return calls[0] if len(calls) == 1 else None


def _limit_of_gather(lab):
    """The limit that cancels what a `gather` waits for, before anything else does; or None."""
    if lab.call_of("shield") or lab.keyword("timeout", of="wait"):
        return None
    before = lab.call_of("cancel") or 10**6
    limits = (
        node
        for node in lab.nodes()
        if isinstance(node, ast.AsyncWith)
        and lab.async_with("timeout*") == node.lineno
        or isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("wait_for")
    )
    kept = {
        ast.unparse(target)
        for node in lab.nodes()
        if isinstance(node, ast.Assign) and _is_gather(node.value)
        for target in node.targets
    }
    return lab.earliest(
        *(
            limit.lineno
            for limit in limits
            if limit.lineno < before
            if any(
                _is_gather(part) or isinstance(part, ast.expr) and ast.unparse(part) in kept
                for part in ast.walk(limit)
            )
        )
    )


def _is_gather(node):
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("gather")


def _limit_that_cancelled(lab):
    """The limit that had all cancelled, for nothing else did: no `cancel` has run; or None."""
    if any(
        isinstance(node, ast.Attribute) and node.attr == "cancel" and lab.has_run(node.lineno)
        for node in lab.nodes()
    ):
        return None
    limit = lab.call_of("wait_for", "timeout", "timeout_at")
    return limit if limit and lab.has_run(limit) else None
