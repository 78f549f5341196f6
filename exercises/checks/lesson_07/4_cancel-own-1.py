"""Long, for it brings a small loop of its own, to be cancelled on."""

import ast
import asyncio
import contextlib
import heapq
import itertools
from collections import deque

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.eventloop.tasks import CancelledError

from .shared import MANY_TURNS, told


class Cancel(Exercise):
    """Cancel, on a loop without undo

    A small loop, whose tasks can only sleep. So `park` needs no undo: you can look where a task
    stands.

    - `loop.ready` is a deque of tasks. Each has its turn, the leftmost first.
    - `loop.sleeping` is a heap of lists `[deadline, ticket, task]`. When its time has come, the
      task is moved to `loop.ready`. An entry whose task is `None` wakes nobody.
    - `task.throw` is the error that the next step of the task begins with, or None. A task that
      has one when it pauses goes to `loop.ready` at once. `task.done` is True when it has ended,
      else False, and `task.coro` is its coroutine.

    Write an ordinary function `cancel(loop, task)`. A task that sleeps gets a CancelledError, that
    of `helpers.eventloop.tasks`, at once, in a turn of its own; one that is ready, in the turn that
    it has anyway. It returns True, or False if the task has ended already.
    """

    id = "cancel-own-1"
    asks = "cancel"
    minutes = 10
    hints = (
        "Where may the task be: at its end, asleep, or in the queue? What is to be done in each "
        "case?",
        "In all cases but the first: `task.throw = CancelledError()`. A task that sleeps also "
        "needs a turn, and its old entry in the heap must not wake it again.",
        "Go through `loop.sleeping`. If an entry's task is this one: put None in its place and "
        "append the task to `loop.ready`. If you find none, the task has its turn already.",
    )

    def verify(self, cancel, lab):
        self._asleep(cancel, lab)
        self._others(cancel, lab)
        self._ready(cancel, lab)
        self._ended(cancel, lab)

    def _cancel(self, cancel, lab, loop, task):
        """Call the answer. It must not run anybody."""
        steps, log = loop.steps, len(task.log)
        try:
            got = cancel(loop, task)
        except ValueError as error:
            if "already executing" not in str(error):
                raise
            raise self._at_once(
                lab, "The task that cancelled was running itself: coroutine already executing."
            ) from None
        except CancelledError:
            raise self._at_once(
                lab,
                "CancelledError came out of `cancel`, in the turn of the task that cancelled it.",
            ) from None
        except TypeError as error:
            called = lab.call_of("task.throw", "task.done")
            if called is None or "not callable" not in str(error):
                raise
            raise Wrong(
                "raised",
                f"Python said: {error}.",
                called,
                "On this loop `task.done` is True or False, and `task.throw` is a place "
                "for an error: `task.throw = CancelledError()`.",
                headline="called a value",
            ) from None
        if isinstance(task.throw, asyncio.CancelledError):
            raise Wrong(
                "value",
                "It left asyncio's CancelledError in `task.throw`. The tasks of this loop know "
                "another one, and wait for that.",
                lab.use_of("CancelledError"),
                "`from helpers.eventloop.tasks import CancelledError`",
                headline="another CancelledError",
            )
        if loop.steps > steps or len(task.log) > log:
            raise self._at_once(
                lab,
                "When `cancel` returned, the task had run already, in the turn of the task that "
                "cancelled it.",
            )
        return got

    def _at_once(self, lab, observed):
        return Wrong(
            "called, not handed over",
            observed,
            lab.call_of("throw", "send", "close", "aclose", "step"),
            "Only the loop resumes a task. Leave the error in `task.throw` and see to it "
            "that the task has a turn.",
            headline="runs it at once",
        )

    def _asleep(self, cancel, lab):
        lab.told("for a task that sleeps from 0 to 3 s, at 1 s")
        loop = SmallLoop(lab)
        task = loop.spawn(tidy(loop, 3, cleanup=4))
        loop.at(1, lambda: self._is_true(lab, self._cancel(cancel, lab, loop, task)))
        loop.run()
        told, over = task.log.get("told"), task.log.get("over")
        if told is None or not task.done:
            if task.log.get("slept"):
                raise Wrong(
                    "wake-up",
                    "It slept to its end and heard of nothing.",
                    lab.use_of("throw"),
                    "`task.throw = CancelledError()`",
                    headline="was not told",
                )
            raise Wrong(
                "wake-up",
                "It had no turn any more: it is in no queue and in no heap.",
                lab.call_of("*.throw", "*.send") or lab.use_of("sleeping"),
                "Take it out of the heap *and* put it into `loop.ready`.",
                headline="never woken",
            )
        if told > 1:
            raise Wrong(
                "late",
                f"It got its CancelledError at {told:g} s, when it would have woken anyway.",
                lab.use_of("throw"),
                "A task that sleeps needs a turn at once: put it into `loop.ready`.",
                headline="told too late",
            )
        if over == 3:
            renames = _emptied_name(lab)
            raise Wrong(
                "stale wake-up",
                "It was told at 1 s and began to clean up, for 4 s. At 3 s its old timer "
                "rang and ended that.",
                renames or lab.call_of("ready.append*"),
                "The entry of its first sleep is still in the heap. Put None in the place "
                "of the task" + (": `entry[2] = None`." if renames else "."),
                headline="stale timer",
                at="gives a name of yours another value, and the entry stays" if renames else "",
            )
        lab.equal(over, 5, what="told at 1 s, it cleaned up for 4 s, and was done at")

    def _is_true(self, lab, got):
        if got is not True:
            raise Wrong(
                "value",
                f"The task had not ended, and `cancel` returned {got!r}.",
                lab.returning() if got is not None else None,
                "Return True if the task was asked to end.",
            )

    def _others(self, cancel, lab):
        lab.told("for one of eight sleepers")
        for chosen in range(8):
            loop = SmallLoop(lab)
            tasks = [loop.spawn(tidy(loop, seconds)) for seconds in (1, 5, 2, 7, 6, 3, 4, 8)]
            loop.at(0.5, lambda: self._cancel(cancel, lab, loop, tasks[chosen]))
            loop.run()
            late = {
                task.log["slept"] - due
                for task, due in zip(tasks, (1, 5, 2, 7, 6, 3, 4, 8))
                if task.log.get("slept")
            }
            if late != {0} or sum(bool(task.log.get("slept")) for task in tasks) != 7:
                raise Wrong(
                    "heap",
                    "The other seven were to wake on time, and some of them did not.",
                    lab.call_of("*remove", "*pop") or lab.deleting() or lab.assigned("sleeping"),
                    "To take an item out of the middle of a heap can break it. Put "
                    "None in the place of the task, or call `heapq.heapify`.",
                    headline="broke the heap",
                )

    def _ready(self, cancel, lab):
        for whom in ("in the queue", "that runs and cancels itself", "that was cancelled before"):
            lab.told(f"for a task {whom}")
            loop = SmallLoop(lab)
            task = loop.spawn(counting(loop, whom, lambda: self._cancel(cancel, lab, loop, task)))
            if "queue" in whom:
                loop.at(0, lambda: self._cancel(cancel, lab, loop, task))
            elif "before" in whom:
                loop.at(1, lambda: self._cancel(cancel, lab, loop, task))
                loop.at(1, lambda: self._cancel(cancel, lab, loop, task))
            loop.run()
            if loop.twice:
                raise Wrong(
                    "turns",
                    "It had two places in the queue, and two turns in one round.",
                    lab.call_of("ready.append"),
                    "A task that is ready, or runs, has its turn anyway. Only one that sleeps "
                    "needs a place in `loop.ready`.",
                    headline="resumed twice",
                )
            if not task.log.get("told"):
                raise Wrong(
                    "wake-up",
                    "It ended, and heard of nothing.",
                    lab.earliest(lab.use_of("throw"), lab.returning()),
                    "Only a task that is done has ended. Each other gets its `task.throw = "
                    "CancelledError()`: one that sleeps, one that is ready, and one that runs.",
                    headline="was not told",
                )

    def _ended(self, cancel, lab):
        lab.told("for a task that has ended")
        loop = SmallLoop(lab)
        task = loop.spawn(tidy(loop, 0))
        loop.run()
        got = self._cancel(cancel, lab, loop, task)
        if loop.ready:
            raise Wrong(
                "stale wake-up",
                "It stands in `loop.ready` again.",
                lab.call_of("ready.append"),
                "Look at `task.done` first.",
                headline="wakes the dead",
            )
        lab.equal(got, False)

    @sweep(
        lambda some: {
            "sleeps": some.lists(some.sampled_from((0, 1, 2, 4)), min_size=1, max_size=3),
            "cleanup": some.sampled_from((0, 2)),
            "cancels": some.lists(
                some.tuples(some.sampled_from((0.5, 1.5, 2.5)), some.integers(0, 2)), max_size=3
            ),
        },
        most=60,
    )
    def any_sleepers(self, cancel, lab, sleeps, cleanup, cancels):
        """Cancel at these times: who sleeps, who cleans up, who has ended, or one twice."""
        cancels = [(at, number % len(sleeps)) for at, number in sorted(cancels)]
        told = ", ".join(f"task {number + 1} at {at} s" for at, number in cancels) or "none of them"
        lab.told(
            f"with tasks that sleep {', '.join(map(str, sleeps))} s, and clean up for {cleanup} s "
            f"when they are told to end; cancelled was {told}"
        )
        loop, got = SmallLoop(lab), []
        tasks = [loop.spawn(tidy(loop, seconds, cleanup)) for seconds in sleeps]
        for at, number in cancels:
            loop.at(at, lambda task=tasks[number]: got.append(cancel(loop, task)))
        loop.run()
        return {
            "what the tasks did, and when:": [log_words(task) for task in tasks],
            "`cancel` returned": got,
            "a task twice in the queue:": loop.twice,
        }

    @sweep(
        lambda some: {
            "sleeps": some.lists(some.sampled_from((0, 1, 2)), min_size=1, max_size=3),
            "chosen": some.integers(0, 2),
        },
        most=8,
    )
    def not_begun(self, cancel, lab, sleeps, chosen):
        chosen %= len(sleeps)
        lab.told(f"for task {chosen + 1} of {len(sleeps)}, before any of them had a turn")
        loop = SmallLoop(lab)
        tasks = [loop.spawn(tidy(loop, seconds)) for seconds in sleeps]
        got = cancel(loop, tasks[chosen])
        loop.run()
        return {
            "it returned": got,
            "what the tasks did, and when:": [log_words(task) for task in tasks],
            "a task twice in the queue:": loop.twice,
        }

    @right
    def leaves_the_entry(loop, task):
        """Ask a task to end; return False if it has ended already."""
        if task.done:
            return False
        task.throw = CancelledError()
        for entry in loop.sleeping:
            if entry[2] is task:
                entry[2] = None
                loop.ready.append(task)
        return True

    @right
    def makes_the_heap_anew(loop, task):
        if task.done:
            return False
        others = [entry for entry in loop.sleeping if entry[2] is not task]
        if len(others) < len(loop.sleeping):
            heapq.heapify(others)
            loop.sleeping = others
            loop.ready.append(task)
        task.throw = CancelledError()
        return True

    @wrong("stale wake-up", says="At 3 s its old timer rang")
    def forgets_the_timer(loop, task):
        if task.done:
            return False
        task.throw = CancelledError()
        if task not in loop.ready:
            loop.ready.append(task)
        return True

    @wrong("turns", says="two places in the queue")
    def always_queues(loop, task):
        if task.done:
            return False
        for entry in loop.sleeping:
            if entry[2] is task:
                entry[2] = None
        task.throw = CancelledError()
        loop.ready.append(task)
        return True

    @wrong("turns", says="cancels itself")
    def queues_one_who_runs(loop, task):
        if task.done:
            return False
        for entry in loop.sleeping:
            if entry[2] is task:
                entry[2] = None
        task.throw = CancelledError()
        if task not in loop.ready:
            loop.ready.append(task)
        return True

    @wrong("called, not handed over", says="had run already")
    def throws_it_in(loop, task):
        if task.done:
            return False
        try:
            task.coro.throw(CancelledError())
        except (StopIteration, CancelledError):
            task.done = True
        return True

    @wrong("late", says="at 3 s")
    def only_notes_it(loop, task):
        if task.done:
            return False
        task.throw = CancelledError()
        return True

    only_takes_it_out = leaves_the_entry.but(
        "loop.ready.append(task)", "", kind="wake-up", says="no queue and in no heap"
    )

    only_the_sleepers = leaves_the_entry.but("task.throw = CancelledError()", "").but(
        "None", "None\ntask.throw = CancelledError()", kind="wake-up", says="heard of nothing"
    )

    @wrong("heap", says="some of them did not")
    def takes_it_out_of_the_middle(loop, task):
        if task.done:
            return False
        task.throw = CancelledError()
        for entry in list(loop.sleeping):
            if entry[2] is task:
                loop.sleeping[loop.sleeping.index(entry)] = loop.sleeping[-1]
                loop.sleeping.pop()
                loop.ready.append(task)
        return True

    queues_the_coroutine = leaves_the_entry.but(
        "loop.ready.append(task)",
        "loop.ready.append(task.coro)",
        kind="future for its result",
        says="holds tasks",
    )

    @wrong("raised", says="a place for an error")
    def calls_throw(loop, task):
        if task.done:
            return False
        task.throw(CancelledError())
        return True

    @wrong("stale wake-up", says="again")
    def does_not_look(loop, task):
        task.throw = CancelledError()
        if task.done or any(entry[2] is task for entry in loop.sleeping):
            for entry in loop.sleeping:
                if entry[2] is task:
                    entry[2] = None
            loop.ready.append(task)
        return True


class SmallTask:
    """A task of SmallLoop. log: what it did, and when."""

    def __init__(self, coro):
        self.coro, self.throw, self.done, self.log = coro, None, False, {}


class SmallLoop:
    """What the statement of `cancel-own-1` describes. Its clock jumps."""

    def __init__(self, lab):
        self.lab, self.now = lab, 0
        self.ready, self.sleeping, self.tickets = deque(), [], itertools.count()
        self.steps, self.current, self.twice = 0, None, False

    def spawn(self, coro):
        task = SmallTask(coro)
        self.ready.append(task)
        return task

    def at(self, seconds, function):
        """Call the function at that time, in a task of its own."""

        async def caller():
            await small_sleep(seconds)
            function()

        self.spawn(caller())

    def run(self):
        try:
            while self.ready or self.sleeping:
                self.turn()
        finally:
            for task in [*self.ready, *(entry[2] for entry in self.sleeping if entry[2])]:
                task.coro.close()

    def turn(self):
        if not self.ready:
            self.now = max(self.now, self.sleeping[0][0])
        while self.sleeping and self.sleeping[0][0] <= self.now:
            task = heapq.heappop(self.sleeping)[2]
            if task is not None:
                self.ready.append(task)
        self.twice = self.twice or len(set(self.ready)) < len(self.ready)
        for _ in range(len(self.ready)):
            self.step(self.ready.popleft())
        if self.steps > MANY_TURNS:
            raise Wrong("endless", f"After {MANY_TURNS} turns it was not over.")

    def step(self, task):
        if not isinstance(task, SmallTask):
            raise Wrong(
                "future for its result",
                f"`loop.ready` held {task!r:.60}.",
                self.lab.call_of("ready.append"),
                "The queue of this loop holds tasks: `loop.ready.append(task)`.",
                headline="not a task",
            )
        if task.done:
            return  # one turn too many: `twice` has noted it
        self.current, self.steps = task, self.steps + 1
        throw, task.throw = task.throw, None
        try:
            seconds = task.coro.send(None) if throw is None else task.coro.throw(throw)
        except (StopIteration, CancelledError):
            task.done = True
        else:
            if seconds <= 0 or task.throw:
                self.ready.append(task)
            else:
                heapq.heappush(self.sleeping, [self.now + seconds, next(self.tickets), task])


def log_words(task):
    log = [f"{what} at {when:g} s" for what, when in task.log.items()]
    return ", ".join(log) or "nothing"


class small_sleep:
    def __init__(self, seconds):
        self.seconds = seconds

    def __await__(self):
        yield self.seconds


async def tidy(loop, seconds, cleanup=0):
    """Sleep; if told to end, note when, and clean up for a while."""
    log = loop.current.log
    try:
        await small_sleep(seconds)
        log["slept"] = loop.now
    except CancelledError:
        log["told"] = loop.now
        await small_sleep(cleanup)
        log["over"] = loop.now
        raise


async def counting(loop, whom, cancel):
    """Take some turns and do not mind being told to end; cancel oneself in one of the cases."""
    log = loop.current.log
    if "before" in whom:
        with contextlib.suppress(CancelledError):
            await small_sleep(3)
            return
        log["told"] = True
    for number in range(6):
        try:
            if "itself" in whom and number == 1:
                cancel()
            await small_sleep(0)
        except CancelledError:
            log["told"] = True


def _emptied_name(lab):
    """The line that gives a name, which a loop or an unpacked entry gave its value, None or an
    entry with None in it.
    """
    unpacked = {
        name.id
        for node in lab.nodes()
        if isinstance(node, (ast.For, ast.Tuple))
        for name in ast.walk(getattr(node, "target", node))
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }
    emptied = [
        node.lineno
        for node in lab.nodes()
        if isinstance(node, ast.Assign)
        if any(
            isinstance(part, ast.Constant) and part.value is None
            for part in (node.value, *getattr(node.value, "elts", ()))
        )
        if any(ast.unparse(target) in unpacked for target in node.targets)
    ]
    return min(emptied, default=None)
