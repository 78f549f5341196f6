"""Long, for each way to send again what was lost is a program, and each can fail in its own way."""

import ast
import asyncio
from collections import Counter

from helpers.basics.words import count
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import ifs_that_raise, own_nodes

from .shared import Cluster, WorkerDied, not_a_future, not_here, run_on

ERRORS = LookupError, TimeoutError, RuntimeError


class Survive(Exercise):
    """Nothing lost with a worker

    Dask does this for you; here you do it yourself. On this cluster, a call whose worker dies while
    it works is not repeated: its future raises `client.WorkerDied`. The other calls go on, and
    another worker takes the place of the dead one.

    Write a coroutine function `do_all(client, work, items)`: it returns what `work` returns for
    each of `items`, in their order. Send all of them off at the beginning, one call each. A call
    that was lost with its worker is sent again, and no other is: neither one that is done, nor one
    that failed with an error of its own. Such an error comes out, alone or in a group.

    An item may be what kills its worker, so each is sent at most three times. If it is lost the
    third time too, `client.WorkerDied` comes out in the same way. The items are different numbers.

    Otherwise `client` behaves as Dask's: `client.submit(function, *arguments)` and
    `client.map(function, items)` return futures at once, and a future can be awaited. Arguments are
    passed by position.
    """

    id = "survive-1"
    asks = "do_all"
    minutes = 12
    hints = (
        "First for one item: a coroutine that sends it, awaits the future, and sends it again if "
        "it was lost.",
        "`except client.WorkerDied:` and no other error. Then all of them at once: which lesson "
        "had that?",
        "`for attempt in range(3): try: return await client.submit(work, item)`, and "
        "`asyncio.gather(*(one(item) for item in items))`.",
    )

    equivalent = {
        "each_for_itself: each once, line 4": "the items are all different",
        "in_rounds: each once, line 4": "the items are all different",
        "in_a_group: each once, line 4": "the items are all different",
    }

    def verify(self, do_all, lab):
        items = list(range(11, 19))

        def prepared(deadly=(), bad=None):
            client = Cluster(lab, workers=8, deadly=deadly)

            def work(item):
                client.spend(1.0)
                if item == bad:
                    raise LookupError(f"no {item}")
                return 10 * item

            return client, work

        client, work = prepared({13: 1, 16: 2})
        try:
            run = run_on(
                lab,
                "with the items 11 to 18, of which 13 loses its worker once and 16 twice",
                do_all,
                client,
                work,
                list(items),
            )
        except (WorkerDied, ExceptionGroup) as error:
            died = error
            while isinstance(died, ExceptionGroup):
                died = died.exceptions[0]
            if not isinstance(died, WorkerDied):
                raise
            self.gave_up(do_all, lab, client, prepared({16: 2}), items, died)
        not_here(client, "work", lab)
        not_a_future(run.result, lab)
        sent = Counter(arguments[0] for arguments in client.calls if arguments)
        again = [item for item in items if sent[item] > 1 and item not in (13, 16)]
        if again:
            raise Wrong(
                "done twice",
                f"Item {again[0]} was sent {sent[again[0]]} times, and its worker had not died.",
                lab.call_of("submit", "map"),
                "Only what was lost is sent again.",
                headline="did it all again",
            )
        left_out = lab.keyword("errors") or lab.sieve()
        lab.equal(run.result, [10 * item for item in items], line=left_out)
        first = client.sent[:8]
        if first[-1] > 0.5:
            raise Wrong(
                "sequential",
                f"It took {run.elapsed:.2g} s. The eighth call was made at "
                f"{first[-1]:.2g} s, and there are eight workers.",
                lab.text.sequential_await() or lab.await_of(),
            )

        client, work = prepared({14: 1}, bad=17)
        what = "with the items 11 to 18, of which 14 loses its worker, and 17 raises a LookupError"
        try:
            run_on(lab, what, do_all, client, work, list(items), raises=LookupError)
        except BaseExceptionGroup as group:
            if group.subgroup(LookupError) is None:
                raise
        times = [arguments[0] for arguments in client.calls].count(17)
        if times > 1:
            raise Wrong(
                "retried",
                f"Item 17 failed with a LookupError of its own and was sent {times} times.",
                lab.earliest(lab.handler(), lab.call_of("isinstance", given="*Exception"))
                or lab.keyword("return_exceptions"),
                "Its worker is well, and the call would fail again. Only a `client.WorkerDied` is "
                "a loss: let every other error come out.",
            )

        client, work = prepared()
        run_on(
            lab,
            "with the items 11 to 18",
            do_all,
            client,
            work,
            list(items),
            raises=asyncio.CancelledError,
            cancel_after=0.5,
            leaks=True,
        )
        if (again := len(client.calls) - len(items)) > 0:
            raise Wrong(
                "swallowed",
                f"It was cancelled after 0.5 s, and then made {count(again, 'call')} more.",
                lab.handler(asyncio.CancelledError),
                "A CancelledError asks the task to end, and no worker has died of it. Send again "
                "only what a `client.WorkerDied` tells of.",
                headline="sent again what was cancelled",
            )

        client, work = prepared({15: 100})
        returned, came_out, other = None, False, None
        try:
            returned = run_on(
                lab,
                "with the items 11 to 18, of which 15 kills every worker",
                do_all,
                client,
                work,
                list(items),
            ).result
        except Wrong:
            raise
        except Exception as error:
            group = error if isinstance(error, ExceptionGroup) else ExceptionGroup("", [error])
            came_out, other = group.subgroup(WorkerDied) is not None, error
        times = [arguments[0] for arguments in client.calls].count(15)
        if times != 3:
            raise Wrong(
                "counted wrong",
                f"Item 15 was sent {times} times, and it should have been sent three times.",
                lab.earliest(lab.call_of("range"), _gives_up(lab))
                or lab.earliest(lab.while_loop(), lab.handler(), lab.keyword("return_exceptions")),
                "The first time counts: that, and two more.",
                headline="tried too often" if times > 3 else "gave up too early",
            )
        if not came_out and other is not None:
            place = lab.text.of_traceback(other)
            raise Wrong(
                "another error",
                f"Item 15 was lost three times, and {other!r} came out, not `client.WorkerDied`.",
                place and place[1],
                "Let the error of the third time out.",
            )
        if not came_out:
            lost = (
                "Item 15 was lost three times, and `client.WorkerDied` did not come out. "
                f"It returned {returned}."
            )
            # Of what is among its results it raises other errors: the LookupError came out.
            among = isinstance(returned, list) and any(
                isinstance(result, WorkerDied) for result in returned
            )
            if among and not lab.handler() and (end := _end_of_rounds(lab, self.asks)):
                raise Wrong(
                    "lost error",
                    lost,
                    end,
                    "An item that is still lost when its three times are over has no result. Raise "
                    "its error there.",
                    at="is reached after the third time",
                )
            if isinstance(returned, list) and None in returned and lab.handler(WorkerDied):
                raise Wrong(
                    "lost error",
                    lost,
                    lab.handler(WorkerDied),
                    "Nothing was raised after the third loss, and so `None` stands where a result "
                    "should. Raise the error again if that was the last time.",
                    at="catches it",
                )
            raise Wrong(
                "lost error",
                lost,
                lab.earliest(lab.handler(), lab.keyword("return_exceptions")),
                "An item that was lost three times has no result. When its last time is over, let "
                "its error out.",
            )

        client, work = prepared()
        lab.equal(run_on(lab, "without items", do_all, client, work, []).result, [])

    def gave_up(self, do_all, lab, client, alone, items, died):
        """Raise the Wrong for a WorkerDied that came out too early. alone: a cluster on which one
        item is lost, and as often as in `client`, and what works there.
        """
        told = lab.called
        again = [future for future in client.futures if len(future.raised) > 1]
        if again:
            raise Wrong(
                "one failure ends all",
                f"`client.WorkerDied` came out: {died}. Its future was awaited "
                f"{len(again[0].raised)} times, and the item was not sent again.",
                again[0].raised[-1],
                "A future that has failed stays so, however often it is awaited: "
                "`client.submit(work, item)` makes a new one.",
                headline="awaited the same future again",
                at="awaits it",
            ) from None
        try:
            run_on(lab, "with one that is lost", do_all, *alone, list(items))
            counts_all = True
        except Exception:
            counts_all = False
        lab.called = told
        if counts_all:
            raise Wrong(
                "counted wrong",
                f"`client.WorkerDied` came out: {died}. None was lost three times, but there were "
                "three losses in all. If 16 alone is lost twice, it goes well.",
                lab.operation("+=", "-=") or lab.assigned(to=0) or lab.looping("range"),
                "Each item has three chances of its own: count for each item.",
                headline="one count for all items",
            ) from None
        place = lab.text.of_traceback(died)
        often = client.calls.count(died.arguments)
        raise Wrong(
            "one failure ends all",
            f"`client.WorkerDied` came out: {died}."
            + " It had been sent twice, and may be sent three times." * (often == 2),
            (_gives_up(lab) if often > 1 else None) or (place and place[1]),
            "Catch it, and send that item again.",
            headline="gave up",
        ) from None

    @sweep(
        lambda some: {
            "items": some.lists(some.integers(0, 5), max_size=5, unique=True),
            "results": some.permutations((None, 0, "", [], False, "done")),
            "deaths": some.lists(some.sampled_from((0, 0, 1, 2)), min_size=6, max_size=6),
            "end": some.sampled_from((None, None, "lost", *ERRORS)),
        },
        most=40,
    )
    def any_items(self, do_all, lab, items, results, deaths, end):
        bad = items[-1] if items and end else None
        deadly = {item: deaths[item] for item in items if deaths[item] and item != bad}
        if end == "lost" and bad is not None:
            deadly[bad] = 100
        client = Cluster(lab, workers=8, deadly=deadly)

        def work(item):
            client.spend(1.0)
            if item == bad:
                raise end("failed by itself")
            return results[item]

        often = {1: "once", 2: "twice", 100: "each time"}
        told = [f"{item} loses its worker {often[deadly[item]]}" for item in deadly]
        told += [f"`work` returns {results[item]!r} for {item}" for item in items if item != bad]
        if bad is not None and end != "lost":
            told.append(f"{bad} raises {end.__name__}")
        told = f"with the items {items}" + f" ({', '.join(told)})" * bool(told)
        how = {"raises": Exception} if bad is not None else {}
        run = run_on(lab, told, do_all, client, work, items, **how)
        if items and client.sent[len(items) - 1] > 0.5:
            raise Wrong(
                "sequential",
                f"The first {len(items)} calls were made within {client.sent[len(items) - 1]:.2g} "
                "s, and there are eight workers.",
                lab.text.sequential_await() or lab.await_of(),
            )
        sent = Counter(item for (item,) in client.calls)
        if bad is not None:
            run.left, sent = None, {bad: sent[bad]}  # what becomes of the others is left open
        return {
            "": lab.seen(run, without=("seconds", "group")),
            "how often each item was sent:": dict(sorted(sent.items())),
        }

    @right
    async def each_for_itself(client, work, items):
        """Return the results in order; each item is sent three times at most."""

        async def one(item):
            for attempt in 1, 2, 3:
                try:
                    return await client.submit(work, item)
                except client.WorkerDied:
                    if attempt == 3:
                        raise

        return await asyncio.gather(*(one(item) for item in items))

    @right
    async def in_rounds(client, work, items):
        results, left, lost = {}, list(items), None
        for _ in range(3):
            ends = await asyncio.gather(*client.map(work, left), return_exceptions=True)
            for item, end in zip(left, ends):
                if isinstance(end, client.WorkerDied):
                    lost = end
                elif isinstance(end, Exception):
                    raise end
                else:
                    results[item] = end
            left = [item for item in left if item not in results]
            if not left:
                return [results[item] for item in items]
        raise lost

    @wrong("one failure ends all", says="that item again")
    async def hopes(client, work, items):
        return await asyncio.gather(*client.map(work, items))

    @wrong("done twice", says="its worker had not died")
    async def from_the_start(client, work, items):
        for attempt in range(3):
            try:
                return await asyncio.gather(*client.map(work, items))
            except client.WorkerDied:
                if attempt == 2:
                    raise

    one_by_one = each_for_itself.but(
        "await asyncio.gather(*(one(item) for item in items))",
        "[await one(item) for item in items]",
        kind="sequential",
        says="there are eight workers",
    )

    catches_everything = each_for_itself.but(
        "client.WorkerDied",
        "Exception",
        kind="retried",
        says="failed with a LookupError of its own",
    )

    @wrong("one failure ends all", says="the worker that had 16 died")
    async def two_attempts(client, work, items):
        async def one(item):
            try:
                return await client.submit(work, item)
            except client.WorkerDied:
                return await client.submit(work, item)

        return await asyncio.gather(*(one(item) for item in items))

    three_and_no_more = each_for_itself.but("attempt in 1, 2, 3", "_ in range(3)").but(
        "if attempt == 3:\n    raise", "pass", kind="lost error", says="lost three times"
    )

    for_ever = three_and_no_more.but(
        "for _ in range(3)", "while True", kind="counted wrong", says="sent 101 times"
    )

    @right
    async def in_a_group(client, work, items):
        async def one(item):
            for attempt in 1, 2, 3:
                try:
                    return await client.submit(work, item)
                except client.WorkerDied:
                    if attempt == 3:
                        raise

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(item)) for item in items]
        return [task.result() for task in tasks]

    @wrong("another error", says="RuntimeError('lost') came out")
    async def an_error_of_its_own(client, work, items):
        async def one(item):
            for attempt in range(3):
                try:
                    return await client.submit(work, item)
                except client.WorkerDied:
                    continue
            raise RuntimeError("lost")

        return await asyncio.gather(*(one(item) for item in items))

    @wrong("value", says="It returned [110, 120, 140")
    async def leaves_it_out(client, work, items):
        ends = await asyncio.gather(*client.map(work, items), return_exceptions=True)
        return [end for end in ends if not isinstance(end, client.WorkerDied)]

    @wrong("order", says="180, 130, 160]")
    async def appends_what_was_lost(client, work, items):
        async def one(item):
            for attempt in 1, 2, 3:
                try:
                    results.append(await client.submit(work, item))
                    return
                except client.WorkerDied:
                    if attempt == 3:
                        raise

        results = []
        await asyncio.gather(*(one(item) for item in items))
        return results


def _gives_up(lab):
    """The `if` in an `except` that decides when an error is let out, or None."""
    handlers = (node for node in lab.nodes() if isinstance(node, ast.ExceptHandler))
    inside = (part for handler in handlers for part in ast.walk(handler))
    return lab.earliest(*(node.lineno for node in ifs_that_raise(inside)))


def _end_of_rounds(lab, asks):
    """The last `return` behind the rounds that gather with `return_exceptions`; None if they can't
    be found.
    """
    functions = [
        node for node in lab.nodes() if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    gathers = [
        node
        for node in functions
        if any(getattr(part, "arg", None) == "return_exceptions" for part in own_nodes(node))
    ]
    rounds = [
        node
        for node in gathers
        if any(isinstance(part, (ast.For, ast.While)) for part in own_nodes(node))
    ] or [node for node in functions if gathers and node.name == asks]
    returns = [
        part.lineno for node in rounds for part in own_nodes(node) if isinstance(part, ast.Return)
    ]
    return max(returns, default=None)
