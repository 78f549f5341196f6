"""Long, for a call can be too early, too late, lost or made twice, each in a way of its own."""

import asyncio
import heapq
import itertools
import time
from collections import deque

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong


class TinyLoop:
    """A loop with a clock that is set by hand, so that a check takes no time."""

    def __init__(self):
        self.now = 100.0
        self.ready, self.timers, self.tickets = deque(), [], itertools.count()

    def time(self):
        return self.now

    def advance(self, seconds):
        self.now += seconds
        while self.timers and self.timers[0][0] <= self.now:
            heapq.heappop(self.timers)[2]()


class CallLater(Exercise):
    """call_later

    A tiny loop has `loop.time()`, a heap `loop.timers` of entries `[deadline, ticket, function]`,
    and `loop.tickets` with `next(loop.tickets)`. At each turn it takes those entries off the heap
    whose deadline has come, and calls their functions without arguments.

    Write `call_later(loop, delay, function, *args)`: it makes the loop call
    `function(*args)` after `delay` seconds, and returns a function `cancel()` that takes this
    back. To cancel too late, or twice, does no harm. `call_later` itself waits for nothing.
    """

    id = "call-later-1"
    asks = "call_later"
    minutes = 8
    hints = (
        "A deadline is an instant on the loop's clock, a delay is a length of time.",
        "The heap wants entries that can be compared, even if two deadlines are equal: that is "
        "what the ticket is for. And its functions are called without arguments: "
        "`functools.partial` or a `lambda` holds them.",
        "`heapq.heappush(loop.timers, entry)`. To cancel, leave the entry where it is and put "
        "another function into it: `entry[2] = lambda: None`.",
    )

    def verify(self, call_later, lab):
        slept, sleep = [], time.sleep
        time.sleep = slept.append
        try:
            self._judge(call_later, lab, slept)
        finally:
            time.sleep = sleep

    def _judge(self, call_later, lab, slept):
        loop, said = TinyLoop(), []
        cancels = []
        for delay, word in ((3, "three"), (1, "one"), (2, "two"), (1, "one more")):
            try:
                cancels.append(call_later(loop, delay, said.append, word))
            except TypeError as error:
                if "not supported between" in str(error):
                    raise Wrong(
                        "heap",
                        f"Two calls after 1 s, and the heap answered: {error}.",
                        lab.call_of("heappush"),
                        "Two equal deadlines: put `next(loop.tickets)` between the "
                        "deadline and the function.",
                        headline="the heap compares functions",
                    ) from None
                raise
        lab.told("with delays of 3, 1, 2 and 1 s")
        if asyncio.iscoroutine(cancels[0]):
            for coro in cancels:
                coro.close()
            raise Wrong(
                "async for plain",
                "It is `async def`: it returned a coroutine, and noted nothing.",
                lab.coroutine_function(),
                "`def call_later`: an ordinary function, which puts an entry into the "
                "heap and returns `cancel`.",
                headline="async def",
            )
        if slept:
            raise Wrong(
                "blocked",
                f"It called `time.sleep({slept[0]})`.",
                lab.call_of("sleep"),
                "`call_later` returns at once. Only note in the heap when it is due.",
            )
        if said:
            raise Wrong(
                "called, not handed over",
                f"`function` was called inside of `call_later`: {said}.",
                lab.call_of("function"),
                "Put a function into the heap that will do it: `lambda: function(*args)`.",
                headline="called at once",
            )
        if not loop.timers:
            raise Wrong(
                "heap",
                "`loop.timers` is still empty.",
                try_="`heapq.heappush(loop.timers, entry)`.",
                headline="nothing in the heap",
            )
        entry = loop.timers[0]
        if not (isinstance(entry, list) and len(entry) == 3):
            raise Wrong(
                "another form",
                f"The heap holds {entry!r:.80}.",
                lab.call_of("heappush", "append"),
                "An entry is a list: `[deadline, ticket, function]`. (A tuple can't be "
                "changed, so it could not be cancelled.)",
                headline="not an entry",
            )
        if min(entry[0] for entry in loop.timers) < 100:
            raise Wrong(
                "wrong deadline",
                f"It was 100 on the loop's clock, and the first entry is due at {entry[0]}.",
                lab.use_of("delay"),
                "The heap holds instants: `loop.time() + delay`.",
                headline="a delay for a deadline",
            )
        if entry[0] != 101:
            if any(e[0] == 101 for e in loop.timers):
                raise Wrong(
                    "heap",
                    f"The entry at the left is due at {entry[0]}; another at 101.",
                    lab.call_of("append"),
                    "The loop looks at the leftmost only. `heapq.heappush` keeps the "
                    "earliest there.",
                    headline="not a heap",
                )
            raise Wrong(
                "value",
                f"It was 100, and the first entry is due at {entry[0]}; expected 101.",
                lab.use_of("delay"),
            )
        if not callable(cancels[0]):
            raise Wrong(
                "stale wake-up",
                f"It returned {cancels[0]!r}.",
                lab.returning(),
                "Return a function that takes the call back, and do not call it.",
                headline="cannot be cancelled",
            )
        self._runs(lab, loop, said)
        self._cancels(lab, call_later)

    def _runs(self, lab, loop, said):
        try:
            loop.advance(1.5)
        except TypeError as error:
            raise Wrong(
                "arguments",
                f"The loop called the entry's function: {error}.",
                lab.use_of("function"),
                "The loop calls without arguments. `lambda: function(*args)` brings them.",
                headline="lost the arguments",
            ) from None
        if all(isinstance(each, tuple) for each in said):
            raise Wrong(
                "arguments",
                f"After 1.5 s these had been called: {said}; expected ['one', 'one more'].",
                lab.call_of("function", "partial", given="args"),
                "`args` is a tuple of the arguments. `function(*args)` takes them out of it.",
                headline="handed the arguments over as one",
            )
        if said == ["one more", "one"]:
            raise Wrong("order", "Two calls with the same deadline came in the wrong order.")
        lab.equal(said, ["one", "one more"], what="after 1.5 s these had been called:")
        loop.advance(1.5)
        lab.equal(
            said, ["one", "one more", "two", "three"], what="after 3 s these had been called:"
        )

    def _cancels(self, lab, call_later):
        loop, said = TinyLoop(), []
        lab.told("with delays of 1, 2 and 3 s, and cancelled the second")
        cancel = [
            call_later(loop, delay, said.append, word)
            for delay, word in ((1, "one"), (2, "two"), (3, "three"))
        ]
        cancel[1]()
        self._is_heap(lab, loop)
        try:
            loop.advance(5)
        except TypeError as error:
            raise Wrong(
                "stale wake-up",
                f"The loop called the entry's function: {error}.",
                lab.assigned(to=None) or lab.call_of("partial", "*__setitem__", given=None),
                "The entry stays in the heap: put in a function that does nothing, `lambda: None`.",
                headline="left nothing to call",
            ) from None
        if said == ["one", "two", "three"]:
            raise Wrong(
                "stale wake-up",
                "The second was called all the same.",
                lab.earliest(lab.definition("cancel"), lab.returning()),
                "`entry[2] = lambda: None`, in the entry that is in the heap. (A plain "
                "name that is set in an inner function is a new name there, unless you "
                "say `nonlocal`.)",
                headline="cannot be cancelled",
            )
        if not said and not loop.timers:
            raise self._too_many(lab, "The first and the third were not called either.")
        top = lab.call_of("heappop", "pop", "nsmallest") or lab.item_of("timers")
        lab.equal(
            said, ["one", "three"], what="with the second cancelled these were called:", line=top
        )
        try:
            cancel[0]()
        except Exception as error:
            raise Wrong(
                "stale wake-up",
                "I cancelled a call that had been made already, and got "
                f"{type(error).__name__}: {error}.",
                lab.earliest(lab.call_of("remove", "index"), lab.deleting()),
                "To cancel too late must do no harm. Let the entry stay in the heap, with a "
                "function that does nothing.",
                headline="refused to cancel too late",
            ) from None
        self._cancels_one(lab, call_later, [("one",), ("two",)])
        self._cancels_one(lab, call_later, [(), ()])
        loop = TinyLoop()
        delays = (1, 5, 2, 6, 7, 3, 4)
        lab.told(f"with delays of {listed(map(str, delays))} s, and cancelled the second")
        cancel = [call_later(loop, delay, said.append, delay) for delay in delays]
        cancel[1]()
        self._is_heap(lab, loop)

    def _cancels_one(self, lab, call_later, arguments):
        """Cancel the first of two calls at the same moment, with these arguments each."""
        loop, said = TinyLoop(), []

        def function(*given):
            said.append(given)

        lab.told(
            "twice, each time with a delay of 1 s"
            + ("" if any(arguments) else ", the same function and no arguments")
            + ", and cancelled the first"
        )
        cancel = [call_later(loop, 1, function, *given) for given in arguments]
        cancel[0]()
        self._is_heap(lab, loop)
        loop.advance(2)
        kept = lab.text.kept_outside()
        if not said and kept:
            raise Wrong(
                "shared state",
                "The second was not called either. Before this I had cancelled calls of another "
                "loop, whose tickets are the same numbers.",
                kept,
                "What is cancelled belongs to one call: keep it in `call_later`, not outside.",
                headline="kept something from an earlier call",
            )
        if not said:
            raise self._too_many(lab, "The second was not called either.")

    def _too_many(self, lab, said):
        return Wrong(
            "stale wake-up",
            said,
            lab.call_of("clear") or lab.sieve() or lab.condition() or lab.operation("==", "!="),
            "Other calls may be due at the same moment, or call the same function. Only the entry "
            "itself, or its ticket, tells which is yours.",
            headline="cancelled more than one",
        )

    def _is_heap(self, lab, loop):
        due = [entry[0] for entry in loop.timers]
        if any(due[(at - 1) // 2] > due[at] for at in range(1, len(due))):
            taken = lab.earliest(lab.call_of("remove", "pop"), lab.deleting())
            raise Wrong(
                "heap",
                f"Then `loop.timers` was no heap any more: the entries in it are due at {due}.",
                taken or lab.literal("inf") or lab.item_of(at=0),
                (
                    "When an entry is taken out of a heap's middle, the rest may be no heap."
                    if taken
                    else "When an entry gets another deadline, it may stand at a wrong place."
                )
                + " Let the entry stay where it is, with a function that does nothing, or call "
                "`heapq.heapify`.",
                headline="broke the heap",
            )

    @sweep(
        lambda some: {
            "delays": some.lists(some.sampled_from((0, 1, 2, 3)), min_size=1, max_size=5),
            "then": some.lists(some.sampled_from((1, 2, 3, 4, 5, "go on", "later")), max_size=5),
            "arguments": some.sampled_from(((), (0,), (None,), ("a", ""))),
        },
        most=70,
    )
    def any_story(self, call_later, lab, delays, then, arguments):
        loop, other, called, cancels = TinyLoop(), TinyLoop(), [], []
        words = [f"with delays of {listed(map(str, delays))} s"]

        def later(delay):
            number = len(cancels)

            def function(*given):
                called.append((number + 1, loop.now - 100, given))

            lab.told(listed(words))
            cancels.append(call_later(loop, delay, function, *arguments))

        for delay in delays:
            later(delay)
        call_later(other, 9, called.append, "the other loop")()
        for what in [*then, "go on", "go on"]:
            if what == "later":
                words.append("called it once more with 2 s")
                later(2)
            elif what == "go on":
                loop.advance(2.5)
                words.append("let 2.5 s go by")
            elif what <= len(cancels):
                words.append(f"cancelled number {what}")
                lab.told(listed(words))
                cancels[what - 1]()
        lab.told(listed(words))
        return {"which were called, after which seconds, and with what:": called}

    @sweep(
        lambda some: {
            "delays": some.lists(some.sampled_from((1, 2)), min_size=2, max_size=3),
            "taken_back": some.integers(0, 2),
            "numbered": some.booleans(),
        },
        besides=[{"delays": [1, 2], "taken_back": 1, "numbered": False}],
        most=8,
    )
    def one_function(self, call_later, lab, delays, taken_back, numbered):
        """The same function is to be called several times."""
        taken_back %= len(delays)
        loop, called = TinyLoop(), []

        def function(*given):
            called.append((*given, loop.now - 100))

        lab.told(
            f"with delays of {listed(map(str, delays))} s, each time with the same function and "
            f"{'a number of its own' if numbered else 'no arguments'}. I cancelled number "
            f"{taken_back + 1}"
        )
        cancels = [
            call_later(loop, delay, function, *([number] if numbered else []))
            for number, delay in enumerate(delays, 1)
        ]
        cancels[taken_back]()
        loop.advance(1.5)
        loop.advance(9)
        return {"which were called, and after which seconds:": called}

    @right
    def with_a_lambda(loop, delay, function, *args):
        """Call function(*args) in `delay` seconds; return a function that cancels it."""
        entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
        heapq.heappush(loop.timers, entry)

        def cancel():
            entry[2] = lambda: None

        return cancel

    @wrong("wrong deadline", says="100 on the loop's clock")
    def takes_the_delay(loop, delay, function, *args):
        entry = [delay, next(loop.tickets), lambda: function(*args)]
        heapq.heappush(loop.timers, entry)

        def cancel():
            entry[2] = lambda: None

        return cancel

    @wrong("blocked", says="time.sleep(3)")
    def sleeps_itself(loop, delay, function, *args):
        time.sleep(delay)
        function(*args)
        return lambda: None

    takes_it_out = with_a_lambda.but(
        "entry[2] = lambda: None",
        "loop.timers.remove(entry)",
        kind="stale wake-up",
        says="ValueError",
    )

    @wrong("called, not handed over", says="inside of `call_later`")
    def calls_it(loop, delay, function, *args):
        entry = [loop.time() + delay, next(loop.tickets), function(*args)]
        heapq.heappush(loop.timers, entry)

        def cancel():
            entry[2] = lambda: None

        return cancel

    without_ticket = with_a_lambda.but("next(loop.tickets), lambda", "lambda").but(
        "entry[2]", "entry[1]", kind="heap", says="next(loop.tickets)"
    )

    takes_it_out_once = with_a_lambda.but(
        "entry[2] = lambda: None",
        "if entry in loop.timers:\n    loop.timers.remove(entry)",
        kind="heap",
        says="no heap any more",
    )

    appends = with_a_lambda.but(
        "heapq.heappush(loop.timers, entry)",
        "loop.timers.append(entry)",
        kind="heap",
        says="leftmost",
    )

    forgets_the_arguments = with_a_lambda.but(
        "lambda: function(*args)", "function", kind="arguments", says="without arguments"
    )

    @wrong("stale wake-up", says="returned None")
    def returns_nothing(loop, delay, function, *args):
        entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
        heapq.heappush(loop.timers, entry)

    cancels_at_once = with_a_lambda.but(
        "return cancel", "return cancel()", kind="stale wake-up", says="do not call it"
    )

    @wrong("async for plain", says="an ordinary function")
    async def waits_itself(loop, delay, function, *args):
        await asyncio.sleep(delay)
        function(*args)

    @wrong("stale wake-up", says="called all the same")
    def cancels_a_copy(loop, delay, function, *args):
        entry = [loop.time() + delay, next(loop.tickets), lambda: function(*args)]
        heapq.heappush(loop.timers, list(entry))

        def cancel():
            entry[2] = lambda: None

        return cancel

    puts_none = with_a_lambda.but("lambda: None", "None", kind="stale wake-up", says="does nothing")
