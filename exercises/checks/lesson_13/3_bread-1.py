"""Long, for a loaf is missed in many ways, and each has a day of its own."""

import ast
import asyncio
import sys

from helpers.basics.words import listed
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.hangs import Stuck

from .shared import as_coroutine, ended, now

LOCK_BOTH = (
    "While a task waits for the lock, others have their turn. Look at the shelf, wait and take the "
    "loaf in one block, `async with changed:`, and look again after each waking."
)


class BuyBread(Exercise):
    """Wait for bread

    `shelf` is a list of loaves, and `changed` is the `asyncio.Condition` that belongs to it. A task
    that changes the shelf, or wants to know what is on it, holds the lock of `changed`. A baker who
    brings a loaf calls `notify_all()`.

    Write `buy(changed, shelf)`, a coroutine function: it takes the first loaf from the shelf and
    returns it. If there is none, it waits until there is. There may be other customers, and a
    baker may notify for other reasons, too.
    """

    id = "bread-1"
    asks = "buy"
    minutes = 6
    hints = (
        "A task that is woken must take the lock again, and another one may have it first. What "
        "may that one have done?",
        "After each waking, look again: `while` and not `if`.",
        "`await changed.wait_for(lambda: shelf)` does the looking, the waiting, and the looking "
        "again.",
    )

    def verify(self, buy, lab):
        lab.told("when two loaves were there")
        shelf = ["rye", "oat"]
        run = self._run_with_loaves(buy, lab, shelf)
        loaves = [loaf for loaf, _ in run.result]
        if loaves == ["oat"]:
            raise Wrong(
                "value",
                "On the shelf were ['rye', 'oat'], and it took 'oat', the last loaf; the first "
                "is 'rye'.",
                lab.bare_call_of("pop"),
                "`pop()` takes the last item of a list, and `pop(0)` the first.",
                headline="took the last loaf",
            )
        lab.equal(loaves, ["rye"])
        if shelf == ["rye", "oat"]:
            raise Wrong(
                "value",
                "It returned 'rye', and the loaf still lay on the shelf.",
                lab.item_of("shelf", at=0) or lab.returning(),
                "To look at an item leaves it in the list; `pop(0)` takes it out, and returns it.",
                headline="left the loaf on the shelf",
            )
        lab.equal(shelf, ["oat"], what="the shelf then held")

        lab.told("when the shelf was empty; the baker was to bring a loaf after 1.03 s")
        self._bought(lab, buy, [(1.03, "rye")])

        lab.told(
            "when the shelf was empty; at 1 s the baker notified and had brought nothing, at "
            "2.03 s he brought a loaf"
        )
        self._bought(lab, buy, [(1, None), (2.03, "rye")])

        lab.told(
            "twice at once, when the shelf was empty; a loaf came after 1 s, and another one "
            "after 2.03 s"
        )
        self._bought(lab, buy, [(1, "rye"), (2.03, "oat")], customers=2)

        lab.told(
            "when the shelf was empty, and a baker held the lock for 1 s while he brought a loaf"
        )
        self._bought(lab, buy, [(1, "rye")], holds=True)

        lab.told(
            "twice at once, when the shelf was empty; a baker held the lock until he had brought a "
            "loaf after 1 s, and another loaf came after 2.03 s"
        )
        self._bought(lab, buy, [(1, "rye"), (2.03, "oat")], customers=2, holds=True)

        lab.told("when the shelf was empty, and a baker stood in line for the lock behind you")
        self._next_in_line(lab, buy)

    def _next_in_line(self, lab, buy):
        changed, shelf = asyncio.Condition(), []

        async def bake():
            async with changed:
                shelf.append("rye")
                changed.notify_all()

        async def day():
            await changed.acquire()
            async with asyncio.TaskGroup() as group:
                customer = group.create_task(as_coroutine(buy(changed, shelf)), name="customer 1")
                await asyncio.sleep(0.1)
                group.create_task(bake(), name="baker")
                await asyncio.sleep(0.1)
                changed.release()
            return customer.result()

        try:
            run = lab.run(day())
        except Stuck as stuck:
            waits = _waits_on_changed(stuck)
            if not shelf or not waits:
                raise
            raise Wrong(
                "deadlock",
                "The baker came between the look at the shelf and the wait, and nobody will notify "
                "again.",
                waits[0],
                "`wait` gives the lock back itself, and takes it again. Until then keep it: look "
                "and wait under one `async with`.",
                headline="let the lock go between look and wait",
            ) from None
        lab.equal(run.result, "rye")

    def _run_with_loaves(self, buy, lab, shelf):
        try:
            return lab.run(self._day(buy, lab, shelf, customers=1, bakes=()))
        except Stuck as stuck:
            waits = _waits_on_changed(stuck)
            if len(shelf) < 2 or not waits:
                raise
            raise Wrong(
                "deadlock",
                "It took none of them, and waited for ever.",
                waits[0],
                "Nobody notifies you of a loaf that is there already. Look at the shelf first, and "
                "wait only if it is empty.",
                headline="waited although there was bread",
            ) from None

    def _bought(self, lab, buy, bakes, customers=1, holds=False):
        lock = OwnLock()
        shelf = Shelf([], lock.is_mine, lab)
        try:
            run = self._run(lab, self._day(buy, lab, shelf, customers, bakes, holds, lock), shelf)
        except* IndexError:
            raise self._took_nothing(lab, shelf) from None
        brought = [(loaf, when) for when, loaf in bakes if loaf]
        got = sorted(run.result, key=lambda pair: pair[1])
        if any(loaf is None for loaf, _ in got):
            raise Wrong(
                "woken is ready",
                "A customer came back without a loaf.",
                lab.earliest(lab.condition(), lab.call_of("wait")),
                "To be notified means to look again. Use `while` instead of `if`, or "
                "`changed.wait_for`.",
            )
        lab.equal([loaf for loaf, _ in got], [loaf for loaf, _ in brought], what="the loaves were")
        late = [(when, came) for (_, when), (_, came) in zip(got, brought) if when > came + 1e-6]
        if late:
            taken, came = late[0]
            raise Wrong(
                "polling",
                f"A loaf came at {came:g} s, and was taken at {taken:g} s.",
                lab.call_of("sleep"),
                "Do not check every now and then. The baker notifies you: wait for that.",
                headline="asks again and again",
            )

    def _took_nothing(self, lab, shelf):
        blocks = [node for node in lab.nodes() if isinstance(node, ast.AsyncWith)]
        blocks.sort(key=lambda block: lab.is_own(block.lineno))
        if shelf.unlocked is None and len(blocks) > 1:
            return Wrong(
                "woken is ready",
                "A customer had seen a loaf, and reached for it on an empty shelf: IndexError.",
                blocks[-1].lineno,
                LOCK_BOTH,
                headline="let the lock go between look and take",
                at="takes the lock anew",
            )
        return Wrong(
            "woken is ready",
            "A customer had waited, and then reached for a loaf on an empty shelf: IndexError.",
            shelf.unlocked or lab.earliest(lab.condition(), lab.call_of("wait")),
            LOCK_BOTH
            if shelf.unlocked
            else "To be notified means to look again. Use `while` instead of `if`, or "
            "`changed.wait_for`.",
            at="goes to the shelf without the lock" if shelf.unlocked else "",
        )

    def _run(self, lab, day, shelf):
        try:
            return lab.run(day)
        except Stuck:
            if not shelf or shelf.unlocked is None:
                raise
            raise Wrong(
                "deadlock",
                "A loaf came between the look at the shelf and the wait: nobody will notify again.",
                shelf.unlocked,
                LOCK_BOTH,
                at="looks at the shelf without the lock",
            ) from None

    async def _day(self, buy, lab, shelf, customers, bakes, holds=False, lock=None):
        """Customers buy; the baker notifies at each time of `bakes`, with a loaf or None.

        holds: he takes the lock at the beginning, and not when he comes for the first time.
        """
        changed, got = asyncio.Condition(lock), []

        async def customer():
            loaf = await as_coroutine(buy(changed, shelf))
            got.append((loaf, now()))

        async with asyncio.TaskGroup() as group:
            for number in range(customers):
                group.create_task(customer(), name=f"customer {number + 1}")
            for number, (when, loaf) in enumerate(bakes):
                if number or not holds:
                    await asyncio.sleep(when - now())
                await self._lock(changed, lab)
                try:
                    await asyncio.sleep(when - now())
                    if loaf:
                        shelf.append(loaf)
                    changed.notify_all()
                finally:
                    changed.release()
        if changed.locked():
            raise Wrong(
                "not given back",
                "It returned, and the lock of `changed` is still held.",
                lab.call_of("acquire"),
                "`async with changed:` gives it back however the block ends.",
                headline="kept the lock",
            )
        return got

    async def _lock(self, changed, lab):
        """Take the lock for the baker; Wrong if a customer sleeps with it for a minute."""
        sleep = lab.call_of("sleep")
        try:
            async with asyncio.timeout(60 if sleep else None):
                await changed.acquire()
        except TimeoutError:
            raise Wrong(
                "polling",
                "The baker waited 60 s for the lock of `changed`, and could bring nothing: a "
                "customer held it all the time.",
                sleep,
                "A sleep keeps the lock. `await changed.wait()` gives it back while you wait, and "
                "takes it again.",
                headline="slept with the lock",
                at="sleeps while it holds the lock",
            ) from None

    @sweep(
        lambda some: {
            "shelf": some.lists(some.sampled_from(["rye", "oat", ""]), max_size=3),
            "bakes": some.lists(
                some.lists(some.sampled_from(["rye", "oat", ""]), max_size=3), max_size=3
            ),
            "customers": some.integers(1, 3),
            "leaves": some.sampled_from([0, 0, 1]),
        },
        most=30,
    )
    def any_day(self, buy, lab, shelf, bakes, customers, leaves):
        missing = customers + leaves - len(shelf) - sum(map(len, bakes))
        bakes = [*bakes, ["bun"] * missing] if missing > 0 else bakes
        times = f"{customers + leaves} times at once" if customers + leaves > 1 else "once"
        came = [f"{_loaves(loaves)} at {when} s" for when, loaves in enumerate(bakes, 1)]
        lab.told(
            f"{times} with {_loaves(shelf)} on the shelf"
            + (f"; the baker was to bring {', then '.join(came)}" if bakes else "")
            + ("; the last call was cancelled after 0.5 s" * leaves)
        )
        changed, bought = asyncio.Condition(), []
        shelf = Shelf(shelf, changed.locked, lab)

        async def customer():
            loaf = await as_coroutine(buy(changed, shelf))
            bought.append((now(), loaf))

        async def day():
            tasks = [asyncio.create_task(customer()) for _ in range(customers + leaves)]
            if leaves:
                asyncio.get_running_loop().call_later(0.5, tasks[-1].cancel)
            for loaves in bakes:
                await asyncio.sleep(1)
                async with changed:
                    shelf.extend(loaves)
                    changed.notify_all()
            for came in await ended(tasks):
                if isinstance(came, Exception):
                    raise came
            return changed.locked()

        run = lab.run(day())
        if isinstance(run.error, IndexError):
            raise self._took_nothing(lab, shelf)
        if run.error:
            raise run.error
        if shelf.unlocked is not None:
            raise Wrong(
                "lost update",
                f"It {shelf.did} while nobody held the lock of `changed`.",
                shelf.unlocked,
                "Look at the shelf, and take from it, inside `async with changed:`.",
                headline="went to the shelf without the lock",
            )
        if run.result:
            raise Wrong(
                "not given back",
                "Nobody waited any more, and the lock of `changed` was still held.",
                lab.call_of("acquire"),
                "`async with changed:` gives it back however the block ends.",
                headline="kept the lock",
            )
        return {
            "the times and loaves were": sorted(bought, key=str),
            "then the shelf held": list(shelf),
        }

    @right
    async def with_wait_for(changed, shelf):
        """Take the first loaf, as soon as there is one."""
        async with changed:
            await changed.wait_for(lambda: shelf)
            return shelf.pop(0)

    @right
    async def with_while(changed, shelf):
        async with changed:
            while not shelf:
                await changed.wait()
            return shelf.pop(0)

    with_if = with_while.but(
        "while", "if", kind="woken is ready", says="Use `while` instead of `if`"
    )

    @wrong("woken is ready", says="came back without a loaf")
    async def looks_once_more(changed, shelf):
        async with changed:
            if not shelf:
                await changed.wait()
            return shelf.pop(0) if shelf else None

    always_waits = with_while.but(
        "while not shelf:\n    await", "await", kind="deadlock", says="when two loaves were there"
    )

    @wrong("raised", says="must hold its lock")
    async def without_the_lock(changed, shelf):
        while not shelf:
            await changed.wait()
        return shelf.pop(0)

    @wrong("deadlock", says="a baker held the lock")
    async def looks_before_the_lock(changed, shelf):
        while not shelf:
            async with changed:
                await changed.wait()
        return shelf.pop(0)

    @wrong("polling", says="A loaf came at 1.03 s")
    async def polls(changed, shelf):
        while not shelf:
            await asyncio.sleep(0.1)
        return shelf.pop(0)

    sleeps_with_the_lock = with_while.but(
        "changed.wait()", "asyncio.sleep(0.1)", kind="polling", says="The baker waited 60 s"
    )

    takes_the_last = with_wait_for.but(
        "shelf.pop(0)", "shelf.pop()", kind="value", says="the last loaf"
    )


def _waits_on_changed(stuck):
    """The places at which customers wait to be notified."""
    return [(file, line) for _, file, line, what in stuck.tasks if "Condition" in what]


def _loaves(loaves):
    """Loaves in words, each as Python writes it."""
    return listed(map(repr, loaves)) if loaves else "nothing"


class OwnLock(asyncio.Lock):
    """A lock that knows whose it is."""

    owner = None

    async def acquire(self):
        await super().acquire()
        self.owner = asyncio.current_task()
        return True

    def release(self):
        super().release()
        self.owner = None

    def is_mine(self):
        try:
            return self.owner is asyncio.current_task()
        except RuntimeError:  # no loop runs any more: it is the check that looks
            return True


class Shelf(list):
    """A list that notes where it was used first without the lock, and what was done: .unlocked,
    .did. held: tells whether the lock is held.
    """

    def __init__(self, loaves, held, lab):
        super().__init__(loaves)
        self.held, self.lab, self.unlocked, self.did = held, lab, None, ""

    def _noting(name):
        method = getattr(list, name)

        def noting(self, *arguments):
            if self.unlocked is None and not self.held():
                self.unlocked = self.lab.text.of_frame(sys._getframe(1))
                looks = name in ("__getitem__", "__len__")
                self.did = "looked at the shelf" if looks else "changed the shelf"
            return method(self, *arguments)

        return noting

    for name in ("pop", "remove", "clear", "__delitem__", "__getitem__", "__setitem__", "__len__"):
        locals()[name] = _noting(name)
