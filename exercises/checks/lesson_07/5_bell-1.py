"""Long, for a bell can wake the wrong ones in many ways, and each is a whole class."""

import ast
import contextlib
import inspect

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.form.text import is_function
from helpers.coach.mistakes.nodes import is_named, own_nodes
from helpers.coach.mistakes.words import error_words
from helpers.eventloop.tasks import CancelledError, Future, sleep

from .shared import Stuck, Watched, in_a_row, told

ACTS = {
    "comes": "one comes",
    "comes twice": "one comes who waits twice",
    "ring": "it rings",
    "cancel 1": "number 1 is cancelled",
    "cancel 2": "number 2 is cancelled",
    "1 s": "a second goes by",
}

ITS_OWN = "The undo must take out the `wake` that this call of `park` put in, wherever it stands."


class WriteBell(Exercise):
    """A bell, with an undo

    Write a class `Bell` for the loop of `tasks.py`. Tasks wait for it by `await bell.wait()`, an
    async method. `bell.ring()` wakes all who wait at that moment, in the order in which they
    came. It is not a future: it may ring as often as you like, and a task that comes after a
    ring waits for the next.

    A task that is cancelled while it waits must be told at once, and no later ring may wake it.
    So `park(loop, wake)` must return its undo. In `bell.wait()` you need something to await
    whose `__await__` yields `park`; you may write `await self` there.
    """

    id = "bell-1"
    asks = "Bell"
    minutes = 8
    hints = (
        "What does `park` change? Its undo changes just that back.",
        "`park` appends `wake` to a list. The undo is a function without parameters that removes "
        "it from that list. `park` returns this function; it does not call it.",
        "`return lambda: self.waiters.remove(wake)`. And `ring` takes the list away, puts an "
        "empty one in its place, and calls each `wake`.",
    )

    def verify(self, Bell, lab):
        if inspect.isasyncgenfunction(getattr(Bell, "wait", None)):
            raise Wrong(
                "not async",
                "`wait` is an `async def` with a `yield` in it, and that can't be awaited.",
                lab.yielding(),
                "The `yield` belongs in `__await__`, an ordinary `def`. In `wait`: `await self`.",
                headline="an async generator",
            )
        for script in (self._rings, self._cancelled):
            lab.told(
                "and let tasks wait for the bell"
                if script == self._rings
                else "and let three tasks wait; I cancelled (b) at 1 s and rang at 2 s"
            )
            run = Watched(lab)
            log = []
            try:
                run(lambda loop: script(loop, Bell(), log, run.clock))
            except ValueError as error:
                if "list.remove" not in str(error):
                    raise
                raise Wrong(
                    "stale wake-up",
                    f"Python said: {error}.",
                    lab.call_of("remove"),
                    "Two lists are at odds: take a waiter out of the one in which `park` put it.",
                    headline="undone twice",
                ) from None
            except IndexError as error:
                if not (line := lab.returning("*.pop", "*.popleft")):
                    raise
                raise self._undoes_another(f"Python said: {error}.", line) from None
            except Stuck:
                self._name(lab, log, script)
                raise
            except RuntimeError as error:
                if "_waiter" not in str(error):
                    raise
                if script == self._cancelled:
                    raise self._takes_back_another(lab, "(b)") from None
                raise Wrong(
                    "stale wake-up",
                    "A ring called the `wake` of a task that an earlier "
                    "ring had woken, and that had ended since.",
                    lab.for_loop("self.*") or lab.definition("ring"),
                    "A task that was woken waits no more: let `ring` put an empty list in the "
                    "place of the old one.",
                    headline="woken twice",
                ) from None
            self._name(lab, log, script)
        self._undoes_by_index(Bell, lab)

    def _undoes_by_index(self, Bell, lab):
        """Raise Wrong if an undo takes out another when one that came before has left."""
        at_index = _deleting_an_index(lab)
        if not at_index:
            return
        lab.told("and let three tasks wait; I cancelled (a) and then (b) at 1 s, and rang at 2 s")
        run, log, failed = Watched(lab), [], None
        try:
            run(lambda loop: self._cancelled_in_turn(loop, Bell(), log, run.clock))
        except IndexError as error:
            failed = error
        if failed or ("c", "woken", 2) not in log:
            raise self._undoes_another(
                f"Then this was raised: {error_words(failed)}."
                if failed and not run.clock.over
                else "The ring did not wake (c), which nobody had cancelled.",
                at_index,
                "An index is right only until somebody before it leaves: then all behind move up. "
                "Take out the `wake` itself.",
                at="takes out what has this index by now",
            )

    def _takes_back_another(self, lab, woken):
        return self._undoes_another(
            f"The ring called the `wake` of {woken}, whose waiting had been taken back.",
            lab.returning("*.pop", "*.popleft", "*.clear")
            or lab.call_of("*.pop", "*.popleft")
            or lab.deleting(),
        )

    def _undoes_another(self, observed, line, try_="", at=""):
        return Wrong(
            "stale wake-up",
            observed,
            line,
            try_ or ITS_OWN,
            headline="takes back another",
            at=at,
        )

    async def _waiter(self, name, bell, log, clock):
        try:
            await bell.wait()
            log.append((name, "woken", clock.seconds()))
        except CancelledError:
            if clock.over:
                raise
            log.append((name, "told", clock.seconds()))
            await sleep(5)
            log.append((name, "over", clock.seconds()))
            raise

    async def _rings(self, loop, bell, log, clock):
        tasks = [loop.spawn(self._waiter(name, bell, log, clock)) for name in "ab"]
        await sleep(1)
        bell.ring()
        await sleep(1)
        late = loop.spawn(self._waiter("late", bell, log, clock))
        await sleep(1)
        bell.ring()
        await sleep(1)
        bell.ring()
        for task in (*tasks, late):
            await task

    async def _cancelled(self, loop, bell, log, clock):
        tasks = [loop.spawn(self._waiter(name, bell, log, clock)) for name in "abc"]
        await sleep(1)
        tasks[1].cancel()
        await sleep(1)
        bell.ring()
        for task in (tasks[0], tasks[2]):
            await task
        with contextlib.suppress(CancelledError):
            await tasks[1]

    async def _cancelled_in_turn(self, loop, bell, log, clock):
        tasks = [loop.spawn(self._waiter(name, bell, log, clock)) for name in "abc"]
        await sleep(1)
        for task in tasks[:2]:
            task.cancel()
        await sleep(1)
        bell.ring()
        await sleep(1)

    def _name(self, lab, log, script):
        when = {(name, what): round(seconds, 3) for name, what, seconds in log}
        if script == self._rings:
            if [name for name, *_ in log[:2]] == ["b", "a"]:
                turned = lab.call_of("reversed", "*.appendleft", "*.insert")
                last_first = None if turned else lab.bare_call_of("*.pop", "*.popitem")
                raise Wrong(
                    "order",
                    "It woke ['b', 'a']; the expected order is ['a', 'b'].",
                    turned or last_first,
                    "Wake them in the order in which they came. `pop()` and `popitem()` take the "
                    "one that came last.",
                    at="takes the last one first" if last_first else "",
                )
            if not any(what == "woken" for _, what in when):
                raise Wrong(
                    "wake-up",
                    "Two tasks waited, the bell rang, and nobody went on.",
                    lab.returning("remove") or lab.definition("ring"),
                    "`ring` calls each `wake`. And `park` returns its undo without "
                    "calling it, or the waiter is taken out at once.",
                    headline="wakes nobody",
                )
            if when.get(("a", "woken")) == 0:
                raise Wrong(
                    "wake-up",
                    "Two came at 0 s and went through at once, before the first ring.",
                    lab.definition("wait", "__await__"),
                    "`await self` in `wait`, and `yield self.park` in `__await__`.",
                    headline="did not wait",
                )
            if when.get(("late", "woken")) == 2:
                raise Wrong(
                    "wake-up",
                    "The bell rang at 1 s. A task that came at 2 s went through at once.",
                    lab.condition("self.*") or lab.definition("wait", "__await__"),
                    "A bell is no future: who comes later waits for the next ring.",
                    headline="rings on",
                )
            kept = _keeping_one(lab)
            if kept and ("a", "woken") not in when and when.get(("b", "woken")) == 1:
                raise Wrong(
                    "wake-up",
                    f"It rang at 1, 3 and 4 s. Two came at 0 s. They went on: {told(log)}.",
                    kept,
                    "The second that waits takes the place of the first. Keep each `wake` in a "
                    "place of its own: in a list.",
                    headline="woke the last one only",
                    at="has room for one",
                )
            walks = _walking(lab)
            if walks and (when.get(("a", "woken")), when.get(("b", "woken"))) == (1, 3):
                raise Wrong(
                    "wake-up",
                    "It rang at 1, 3 and 4 s. Two came at 0 s, and the second was woken at 3 s.",
                    walks,
                    "A `for` counts its steps: when one is taken out of the list meanwhile, the "
                    "next moves into its place, and is passed by. Put an empty list in its place, "
                    "and go through the old one.",
                    headline="woke every other one",
                    at="goes through the list that gets shorter",
                )
            if (
                when.get(("a", "woken")),
                when.get(("b", "woken")),
                when.get(("late", "woken")),
            ) != (1, 1, 3):
                raise Wrong(
                    "wake-up",
                    "It rang at 1, 3 and 4 s. Two came at 0 s, one "
                    f"at 2 s. They went on: {told(log)}.",
                    _taking_one(lab) or lab.definition("ring"),
                    "Wake all who wait at that moment, each of them once.",
                    headline="woke the wrong ones",
                )
            return
        observed = f"What they did: {told(log)}."
        if when.get(("b", "told")) == 1 and when.get(("b", "over")) == 2:
            made = _made_for_nothing(lab)
            raise Wrong(
                "stale wake-up",
                f"{observed} It began to clean up for 5 s, and the ring "
                "at 2 s, which was not meant for it any more, ended that.",
                made or lab.definition("park"),
                "Take its `wake` out of the list when the undo is called.",
                headline="stale waiter",
                at="gives a name of the function a value, and the bell keeps its list"
                if made
                else "",
            )
        if when.get(("b", "woken")) == 1:
            raise Wrong(
                "swallowed",
                f"{observed} The second one was cancelled, and its `await bell.wait()` ended as if "
                "the bell had rung.",
                lab.text.swallowing_handler(),
            )
        if when.get(("b", "told"), 1) != 1:
            raise Wrong(
                "stale wake-up",
                f"{observed} It was cancelled at 1 s.",
                lab.definition("park"),
                "`park` must return the function that takes the waiting back. Without "
                "one, `cancel` believes that the task is ready.",
                headline="no undo",
            )
        if ("b", "told") not in when:
            raise Wrong(
                "wake-up",
                f"{observed} The second one, cancelled, had no turn.",
                lab.definition("park"),
                "`park` returns a function, and does not call it.",
                headline="never woken",
            )
        if ("a", "woken") not in when or ("c", "woken") not in when:
            raise Wrong(
                "stale wake-up",
                f"{observed} The first and the third were not cancelled, and wait for ever.",
                lab.use_of("clear", "remove", "pop") or lab.definition("park"),
                "The undo must take back what this call of `park` did, no more.",
                headline="takes back too much",
            )
        lab.equal(when.get(("b", "over")), 6, what="told at 1 s, it cleaned up for 5 s, until")

    @sweep(
        lambda some: {
            "acts": some.lists(
                some.sampled_from(tuple(ACTS)),
                max_size=7,
            ),
        },
        besides=[
            {"acts": ["comes"] * 1100 + ["1 s", "ring"]},
            {"acts": [*["comes"] * 3, "cancel 1", "1 s", "ring"]},
            # Those who come later stand at another place by then.
            {"acts": [*["comes"] * 3, "cancel 1", "1 s", "cancel 2", "1 s", "ring"]},
        ],
        most=70,
    )
    def any_acts(self, Bell, lab, acts):
        """Tasks come, once or twice, a bell rings, a task is cancelled, and time goes by."""
        lab.told(f"and then: {in_a_row(map(ACTS.get, acts)) or 'nothing'}")
        return self._act(Bell, lab, [(0, act) for act in acts])

    @sweep(
        lambda some: {
            "acts": some.lists(
                some.tuples(some.integers(0, 1), some.sampled_from(("comes", "ring", "1 s"))),
                max_size=6,
            ),
        },
        most=12,
    )
    def two_of_them(self, Bell, lab, acts):
        row = in_a_row(
            ACTS[act] if act == "1 s" else f"{ACTS[act]} ({'AB'[which]})" for which, act in acts
        )
        lab.told(f"twice, for bells A and B, and then: {row or 'nothing'}")
        return self._act(Bell, lab, acts)

    def _act(self, Bell, lab, acts):
        run, log, tasks = Watched(lab), [], []

        async def comes(name, bell, times):
            for _ in range(times):
                await self._waiter(name, bell, log, run.clock)

        async def main(loop):
            bells = Bell(), Bell()
            for which, act in acts:
                if act == "ring":
                    bells[which].ring()
                elif act == "1 s":
                    await sleep(1)
                elif act.startswith("cancel"):
                    number = int(act[-1])
                    if number <= len(tasks):
                        tasks[number - 1].cancel()
                else:
                    times = 2 if act == "comes twice" else 1
                    name = f"waiter {len(tasks) + 1}"
                    tasks.append(loop.spawn(comes(name, bells[which], times)))
                    await sleep(0)  # now it waits
            await sleep(9)

        try:
            run(main)
        except (LookupError, ValueError) as error:
            if not run.clock.over or not (line := lab.text.of_traceback(error)):
                raise
            raise Wrong(
                "stale wake-up",
                "In the end I cancelled those who still waited, which raised "
                f"{error_words(error)}.",
                line,
                ITS_OWN,
                headline=f"raised {type(error).__name__}",
                at="raises it",
            ) from None
        except RuntimeError as error:
            if comes.__name__ not in str(error):
                raise
            raise self._takes_back_another(lab, "a task") from None
        return {"what came of it:": [f"{name} {what} at {at:g} s" for name, what, at in log]}

    @right
    class with_a_list:
        """Rings for all who wait."""

        def __init__(self):
            self.waiters = []

        async def wait(self):
            await self

        def __await__(self):
            yield self.park

        def park(self, loop, wake):
            self.waiters.append(wake)
            return lambda: self.waiters.remove(wake)

        def ring(self):
            waiters, self.waiters = self.waiters, []
            for wake in waiters:
                wake()

    @right
    class with_a_future_for_each_ring:
        def __init__(self):
            self.next = Future()

        async def wait(self):
            await self.next

        def ring(self):
            rung, self.next = self.next, Future()
            rung.set_result(None)

    keeps_the_cancellation = with_a_list.but(
        "await self",
        "try:\n    await self\nexcept CancelledError:\n    return",
        kind="swallowed",
        says="as if the bell had rung",
    )

    without_undo = with_a_list.but(
        "return lambda: self.waiters.remove(wake)",
        "",
        kind="stale wake-up",
        says="(b) was told at 2 s",
    )

    with_an_empty_undo = with_a_list.but(
        "self.waiters.remove(wake)", "None", kind="stale wake-up", says="not meant for it any more"
    )

    with_clear = with_a_list.but(
        "lambda: self.waiters.remove(wake)",
        "self.waiters.clear",
        kind="stale wake-up",
        says="wait for ever",
    )

    undoes_at_once = with_a_list.but(
        "lambda: self.waiters.remove(wake)",
        "self.waiters.remove(wake)",
        kind="wake-up",
        says="taken out at once",
    )

    @wrong("wake-up", says="went through at once")
    class that_is_a_future:
        def __init__(self):
            self.future = Future()

        async def wait(self):
            await self.future

        def ring(self):
            if not self.future.done():
                self.future.set_result(None)

    that_keeps_the_list = with_a_list.but(
        "waiters, self.waiters = self.waiters, []\nfor wake in waiters",
        "for wake in self.waiters",
        kind="stale wake-up",
        says="had ended since",
    )

    @wrong("wake-up", says="before the first ring")
    class that_awaits_nothing:
        def __init__(self):
            self.waiters = []

        async def wait(self):
            return self

        def ring(self):
            for wake in self.waiters:
                wake()

    @wrong("not async", says="In `wait`")
    class that_yields_in_wait:
        def __init__(self):
            self.waiters = []

        async def wait(self):
            yield self.park

        def park(self, loop, wake):
            self.waiters.append(wake)

        def ring(self):
            for wake in self.waiters:
                wake()

    @wrong("order", says="It woke ['b', 'a']")
    class last_come_first_served:
        def __init__(self):
            self.waiters = []

        async def wait(self):
            await self

        def __await__(self):
            yield self.park

        def park(self, loop, wake):
            self.waiters.append(wake)
            return lambda: self.waiters.remove(wake)

        def ring(self):
            while self.waiters:
                self.waiters.pop()()

    @wrong("wake-up", says="each of them once")
    class wakes_one_a_ring:
        def __init__(self):
            self.waiters = []

        async def wait(self):
            await self

        def __await__(self):
            yield self.park

        def park(self, loop, wake):
            self.waiters.append(wake)
            return lambda: self.waiters.remove(wake)

        def ring(self):
            if self.waiters:
                self.waiters.pop(0)()


def _walking(lab):
    """Where `ring` goes through all that the bell keeps, itself and no copy; or None."""
    rings = [node for node in lab.nodes() if is_function(node) and node.name == "ring"]
    loops = [part for ring in rings for part in own_nodes(ring) if isinstance(part, ast.For)]
    return lab.earliest(
        *(
            loop.lineno
            for loop in loops
            if isinstance(loop.iter, ast.Attribute)
            and not any(isinstance(part, (ast.Break, ast.Return)) for part in own_nodes(loop))
        )
    )


def _taking_one(lab):
    """Where `ring`, which has no loop, takes out one waiter; or None."""
    for ring in lab.nodes():
        if getattr(ring, "name", None) == "ring":
            loops = [part for part in ast.walk(ring) if isinstance(part, (ast.For, ast.While))]
            calls = lab.text.calls_of("*.pop", "*.popleft", inside=ring)
            return calls[0].lineno if calls and not loops else None
    return None


def _made_for_nothing(lab):
    """The line of `park`, or of its undo, that gives a name of its own a value which nobody reads;
    or None.
    """
    parks = (node for node in lab.nodes() if getattr(node, "name", None) == "park")
    parts = [part for park in parks for part in ast.walk(park)]
    used = {
        part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }
    used |= {name for part in parts if isinstance(part, ast.Nonlocal) for name in part.names}
    lines = [
        part.lineno
        for part in parts
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name)
        if part.targets[0].id not in used
    ]
    return min(lines, default=None)


def _deleting_an_index(lab):
    """Where an undo deletes or pops at an index that `park` has noted; or None."""
    parks = [node for node in lab.nodes() if is_function(node) and node.name == "park"]
    parts = [part for park in parks for part in ast.walk(park)]
    pops = [part for part in parts if isinstance(part, ast.Call) and is_named(part.func, ("pop",))]
    deleted = [
        (part.lineno, target.slice)
        for part in parts
        if isinstance(part, ast.Delete)
        for target in part.targets
        if isinstance(target, ast.Subscript)
    ]
    deleted += [(pop.lineno, pop.args[0]) for pop in pops if len(pop.args) == 1]
    return lab.earliest(*(line for line, index in deleted if isinstance(index, ast.Name)))


def _keeping_one(lab):
    """Where `park` puts its `wake` under one name or key, or None."""
    parks = [node for node in lab.nodes() if is_function(node) and node.name == "park"]
    return lab.earliest(
        *(
            part.lineno
            for park in parks
            for part in own_nodes(park)
            if isinstance(part, ast.Assign)
            and isinstance(part.value, ast.Name)
            and part.value.id == park.args.args[-1].arg
        )
    )
