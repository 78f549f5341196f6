"""Long, for a thread is watched in each of the ways in which a search can end."""

import asyncio
import threading
import time

from helpers.coach import Exercise, Wrong, right, sweep, wrong


class StopTheSearch(Exercise):
    """Stop a thread that searches

    `look(place)` is an ordinary function that blocks for a moment, and never fails. It returns True
    if what we look for is there. Write a coroutine function `search(look, places, seconds)`. It
    looks into one place after another, off the loop's thread, and returns the first place where it
    is.

    - If it is nowhere, return None.
    - If it isn't found after `seconds`, return None.
    - When `search` is over, the looking stops, however it ended: after `seconds`, or because it was
      cancelled from outside. A `look` that has begun can't be stopped; it may go on to its end.
    """

    id = "search-1"
    asks = "search"
    minutes, clock = 10, "real"
    limit = 6
    hints = (
        "What is cancelled when a timeout ends `await asyncio.to_thread(walk)`? And what goes on?",
        "A `threading.Event` is seen by both. The thread looks at it before each place.",
        "Set the flag in a `finally`: that runs after a timeout and after a cancellation.",
    )

    def verify(self, search, lab):
        self._finds(search, lab)
        self._runs_out_of_time(search, lab)
        self._leaves_a_long_look(search, lab)
        self._is_cancelled(search, lab)

    def _finds(self, search, lab):
        lab.told("for something in the third place of four")
        places = Places(found="c")
        found = lab.run(search, lab.blocking(places.look), list("abcd"), 5).result
        lab.equal(found, "c", line=lab.literal(True) if found is True else None)
        if places.most > 1:
            raise Wrong(
                "one too many",
                f"It looked into {len(places.seen)} places, {places.most} of them at the same "
                "time.",
                lab.call_of("look", "to_thread", "run_in_executor", "submit"),
                "Look into one place after another: begin the next `look` when the one before has "
                "said that it is not there.",
                headline="looked into several at once",
            )
        if len(places.seen) > 3:
            raise Wrong(
                "one too many",
                f"It was found in the third place, and {len(places.seen)} were looked into.",
                lab.call_of("look", "to_thread", "run_in_executor", "submit"),
                "Return as soon as `look` says True.",
                headline="went on looking",
            )
        lab.told("for something that is in none of three places")
        lab.equal(lab.run(search, lab.blocking(Places().look), list("abc"), 5).result, None)

    def _runs_out_of_time(self, search, lab):
        places, after = Places(), []
        # A `look` must not take all of the seconds, where the machine is busy.
        lab.told("with 300 places and 0.3 s; each `look` takes 10 ms")

        async def tick():
            await asyncio.sleep(0.01)

        async def main():
            ticks = asyncio.create_task(tick())
            begun = time.monotonic()
            task = asyncio.create_task(search(lab.blocking(places.look), range(300), 0.3))
            done, _ = await asyncio.wait([task], timeout=2)
            took = time.monotonic() - begun
            if not done or took > 1:
                places.over = True
                task.cancel()
                raise Wrong(
                    "time limit",
                    f"It returned after {took:.1f} s." if done else "2 s later it still searched.",
                    lab.earliest(lab.call_of("timeout", "wait_for"), lab.await_of()),
                    "The `seconds` are for the whole search, however many places there are. When "
                    "they are over, return None, even if the thread is still in `look`.",
                    headline="did not end in time",
                )
            if took < 0.3 and not places.seen:
                self._looks_at_nothing(lab)
            if not ticks.done():
                places.over = True
                raise Wrong(
                    "blocked",
                    "A task beside it, which slept for 10 ms, had no turn before it returned.",
                    lab.call_of("join", "result", "wait", "shutdown"),
                    "Calls such as `join` hold the loop's own thread. Await something of "
                    "asyncio's: `await asyncio.to_thread(…)`.",
                )
            after.append(await places.looked_on())
            return task.result()

        lab.equal(lab.run(main()).result, None)
        self._nobody_looks_on(lab, places, after[0], "It returned None after 0.3 s")

    def _leaves_a_long_look(self, search, lab):
        lab.told("with 0.1 s and a `look` that takes much longer")
        over, held = threading.Event(), []

        def look(place):
            over.wait(2)
            return False

        async def main():
            task = asyncio.create_task(search(lab.blocking(look), "a", 0.1))
            done, _ = await asyncio.wait([task], timeout=1)
            held.append(not done)
            over.set()
            return await task

        lab.equal(lab.run(main()).result, None)
        if held[0]:
            raise Wrong(
                "time limit",
                "1 s later it had not returned: it waited for the `look` that had begun.",
                lab.earliest(lab.call_of("to_thread", "run_in_executor", "submit", "shield")),
                "Nobody looks at the clock while a `look` goes on. Let the loop watch the time: "
                "`async with asyncio.timeout(seconds):`.",
                headline="waited for the last `look`",
            )

    def _is_cancelled(self, search, lab):
        places, after, waited = Places(), [], []
        lab.told("with 300 places and 5 s, and cancelled it after 0.1 s")

        async def main():
            task = asyncio.create_task(search(lab.blocking(places.look), range(300), 5))
            await asyncio.sleep(0.1)
            over = task.done() and not task.cancelled() and task.exception() is None
            if over and not places.seen:
                self._looks_at_nothing(lab)
            waited.append(lab.where(task))
            task.cancel()
            done, _ = await asyncio.wait([task], timeout=1)
            if not done or not task.cancelled():
                places.over = True
                error = done and task.exception()
                if error:
                    raise error
                raise Wrong(
                    "swallowed",
                    "It went on, or returned as if nothing had happened.",
                    lab.handler(),
                )
            after.append(await places.looked_on())

        lab.run(main())
        lines = [line for _, line in filter(None, waited)]
        passed = lab.text.narrow_handler(lines, asyncio.CancelledError)
        self._nobody_looks_on(lab, places, after[0], "It ended", passed)

    def _looks_at_nothing(self, lab):
        kept = lab.text.kept_outside()
        raise Wrong(
            "early return",
            "The calls before were right. This one returned at once, and had looked into no place.",
            kept,
            "What an earlier call leaves, such as a flag that is set, must not end this one: make "
            "anew what a call needs."
            if kept
            else "Begin to look, and wait until it is found or the time is over.",
            headline="did not look at all",
        )

    def _nobody_looks_on(self, lab, places, more, ended, passed=None):
        # One may have begun just when the flag was set.
        if more > 1:
            line = lab.call_of("to_thread", "run_in_executor", "submit", "Thread")
            flag = lab.call_of("*.set")
            if flag is None or flag == lab.cleanup():
                flag = lab.call_of("is_set") or flag
            try_ = (
                "Cancelling ends the waiting, not the thread. Give the thread a flag, a "
                "`threading.Event`, that it looks at before each place."
            )
            if flag:
                line = passed or flag
                looked_at = passed and lab.call_of("is_set")
                try_ = "The flag must be set however `search` ends, in a `finally`" + (
                    "." if looked_at else ", and the thread must look at it before each place."
                )
            raise Wrong(
                "thread goes on",
                f"{ended}, and {more} more places were looked into in the next 0.15 s.",
                line,
                try_,
                headline="the thread worked on",
                at="lets the cancellation pass" if flag and passed else "",
            )

    @sweep(
        lambda some: {
            "places": some.lists(some.sampled_from(["", "a", "b", None, 0]), max_size=5),
            "there": some.lists(some.sampled_from(["", "a", None, 0]), max_size=2),
        },
        besides=[
            {"places": ["", "a"], "there": [""]},
            {"places": ["b", 0, "a"], "there": ["a", 0]},
            {"places": list("bcdefghijklmnopa"), "there": ["a"]},
        ],
        most=8,
    )
    def any_places(self, search, lab, places, there):
        seen = []

        def look(place):
            seen.append(place)
            return place in there

        lab.told(f"with the places {places}; `look` says True for those in {there}")
        run = lab.run(search, lab.blocking(look), places, 30)
        if run.error:
            raise run.error
        return {"it returned": run.result, "it looked into": seen}

    @sweep(lambda some: {"seconds": some.just(0)}, most=1)
    def no_time(self, search, lab, seconds):
        places = Places(found="a")
        lab.told("with 0 s, for something in the first place; `look` takes 10 ms")
        run = lab.run(search, lab.blocking(places.look), ["a"], seconds)
        if run.error:
            raise run.error
        lab.equal(run.result, None, line=lab.operation("or") or lab.condition("seconds"))

    @sweep(lambda some: {"second": some.just(["b", "c", "d"])}, most=1)
    def two_at_once(self, search, lab, second):
        lab.told(
            "twice at once: one finds it in its first place, and then the other one looks on and "
            "finds it in its last"
        )
        over = threading.Event()

        def look(place):
            if place != "a":
                over.wait(2)  # until the first search has ended
            return place in "ad"

        async def first():
            try:
                return await search(look, ["a"], 30)
            finally:
                over.set()

        async def both():
            return await asyncio.gather(search(look, second, 30), first())

        run = lab.run(both())
        if run.error:
            raise run.error
        return {"they returned": run.result}

    equivalent = {
        "with_a_flag: wider except, line 19": "`look` never fails",
        "place_by_place: wider except, line 10": "`look` never fails",
        "with_a_flag: drop return, line 20": "a function that ends returns None, too",
        "place_by_place: drop return, line 11": "a function that ends returns None, too",
    }

    @right
    async def with_a_flag(look, places, seconds):
        """Return the first of `places` where `look` says True, or None after `seconds`."""
        stop = threading.Event()

        def walk():
            for place in places:
                if stop.is_set():
                    return None
                if look(place):
                    return place

        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(walk)
        except TimeoutError:
            return None
        finally:
            stop.set()

    @right
    async def place_by_place(look, places, seconds):
        try:
            async with asyncio.timeout(seconds):
                for place in places:
                    if await asyncio.to_thread(look, place):
                        return place
        except TimeoutError:
            return None

    @wrong("thread goes on", says="Give the thread a flag")
    async def without_a_flag(look, places, seconds):
        def walk():
            for place in places:
                if look(place):
                    return place

        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(walk)
        except TimeoutError:
            return None

    @wrong("thread goes on", says="must look at it")
    async def never_looks_at_the_flag(look, places, seconds):
        stop = threading.Event()

        def walk():
            for place in places:
                if look(place):
                    return place

        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(walk)
        except TimeoutError:
            return None
        finally:
            stop.set()

    @wrong("thread goes on", says="It ended, and")
    async def flag_after_a_timeout_only(look, places, seconds):
        stop = threading.Event()

        def walk():
            for place in places:
                if stop.is_set():
                    return None
                if look(place):
                    return place

        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(walk)
        except TimeoutError:
            stop.set()
            return None

    @wrong("thread goes on", says="must look at it")
    async def looks_at_the_flag_once(look, places, seconds):
        stop = threading.Event()

        def walk():
            if stop.is_set():
                return None
            for place in places:
                if look(place):
                    return place

        try:
            return await asyncio.wait_for(asyncio.to_thread(walk), seconds)
        except TimeoutError:
            return None
        finally:
            stop.set()

    @wrong("blocked", says="look")
    async def on_the_loop(look, places, seconds):
        try:
            async with asyncio.timeout(seconds):
                for place in places:
                    if look(place):
                        return place
                    await asyncio.sleep(0)
        except TimeoutError:
            return None

    @wrong("blocked", says="`t.join(seconds)`")
    async def joins_the_thread(look, places, seconds):
        found, stop = [], threading.Event()

        def walk():
            for place in places:
                if stop.is_set():
                    break
                if look(place):
                    found.append(place)
                    break

        t = threading.Thread(target=walk)
        t.start()
        t.join(seconds)
        stop.set()
        return found[0] if found else None

    swallows_the_cancellation = with_a_flag.but(
        "TimeoutError",
        "(TimeoutError, asyncio.CancelledError)",
        kind="swallowed",
        says="as if nothing had happened",
    )

    @wrong("time limit", says="2 s later")
    async def without_a_deadline(look, places, seconds):
        for place in places:
            if await asyncio.to_thread(look, place):
                return place

    @wrong("one too many", says="4 were looked into")
    async def looks_everywhere(look, places, seconds):
        stop = threading.Event()

        def walk():
            found = None
            for place in places:
                if stop.is_set():
                    return None
                if look(place) and found is None:
                    found = place
            return found

        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(walk)
        except TimeoutError:
            return None
        finally:
            stop.set()


class Places:
    """Places to look into, each for 10 ms: seen, a list of them. over: no more waiting. most: of
    them at the same time.
    """

    def __init__(self, found=None):
        self.found, self.seen, self.over = found, [], False
        self.looking, self.most = [], 0

    def look(self, place):
        self.seen.append(place)
        self.looking.append(place)
        self.most = max(self.most, len(self.looking))
        if not self.over:
            time.sleep(0.01)
        self.looking.remove(place)
        return place == self.found

    async def looked_on(self):
        """How many places are looked into in the next 0.15 s."""
        before = len(self.seen)
        await asyncio.sleep(0.15)
        self.over = True
        return len(self.seen) - before
