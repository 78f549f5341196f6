"""Beliefs about when others get a turn, and in which order."""

import ast
import asyncio
from typing import Any

from helpers.beliefs.trees import call, in_async_functions, is_call_of
from helpers.beliefs.world import Belief, Running
from helpers.eventloop.asyncio_loop import EventLoop
from helpers.kernel.virtual import Deadlock
from helpers.kernel.waiting import unfinished


class EveryAwaitSwitches(Belief):
    """An `await` that didn't pause is followed by `sleep(0)`."""

    id = "every-await-switches"
    sentence = "every `await` let the other tasks run"
    truth = "Only an `await` that really has to wait does: a coroutine that doesn't is run through."
    lesson, turn = "09", "09-switch"
    words = ("await",)

    def tree(self, tree: ast.Module) -> ast.Module:
        class Reader(ast.NodeTransformer):
            def visit_Await(self, node):
                self.generic_visit(node)
                return ast.Await(call("__switching__", node.value))

        return in_async_functions(tree, Reader())

    def names(self, under: Running) -> dict[str, Any]:
        async def switching(awaitable):
            before = under.turns
            result = await awaitable
            if under.turns == before:
                await asyncio.sleep(0)
            return result

        return {"__switching__": switching}


class SleepZeroNothing(Belief):
    """`sleep(0)` returns without a pause."""

    id = "sleep-0-nothing"
    sentence = "`sleep(0)` did nothing"
    truth = "`sleep(0)` goes to the end of the queue: all that are ready run first."
    lesson, turn = "09", "09-switch"
    words = ("sleep(0)",)

    def names(self, under: Running) -> dict[str, Any]:
        async def sleep(delay, result=None):
            return await asyncio.sleep(delay, result) if delay > 0 else result

        return {"sleep": sleep}


class SleepBlocks(Belief):
    """`asyncio.sleep` holds the thread, as `time.sleep` does."""

    id = "sleep-blocks"
    sentence = "nothing else ran while one task sleeps"
    truth = "While a task awaits its sleep, the loop runs the others: waits overlap."
    lesson, turn = "01", "01-toast"
    words = ("asyncio.sleep(",)

    def names(self, under: Running) -> dict[str, Any]:
        async def sleep(delay, result=None):
            under.clock.block(delay)
            return result

        return {"sleep": sleep}


class TimeSleepShares(Belief):
    """`time.sleep` in an async function is read as `await asyncio.sleep`."""

    id = "time-sleep-shares"
    sentence = "other tasks ran during `time.sleep`"
    truth = "`time.sleep` holds the thread, and with it the loop: nothing else runs meanwhile."
    lesson, turn = "00", "00-time-sleep"
    words = ("time.sleep",)

    def tree(self, tree: ast.Module) -> ast.Module:
        class Reader(ast.NodeTransformer):
            def visit_Call(self, node):
                self.generic_visit(node)
                if is_call_of(node, "time.sleep"):
                    return ast.Await(call("__sleep__", *node.args))
                return node

        return in_async_functions(tree, Reader())

    def names(self, under: Running) -> dict[str, Any]:
        return {"__sleep__": asyncio.sleep}


class SleepersQueue(Belief):
    """A sleeper doesn't wake before those that went to sleep earlier."""

    id = "sleepers-queue"
    sentence = "sleepers woke in the order in which they went to sleep"
    truth = "The earliest deadline wakes first, whoever began to sleep first."
    lesson, turn = "06", "06-rounds"
    words = ("asyncio.sleep(",)

    def names(self, under: Running) -> dict[str, Any]:
        latest = 0.0

        async def sleep(delay, result=None):
            nonlocal latest
            if delay > 0:
                latest = max(latest, under.clock.time() + delay)
                delay = latest - under.clock.time()
            return await asyncio.sleep(delay, result)

        return {"sleep": sleep}


class NewestFirst(Belief):
    """The course's own loop, which takes the ready functions from the other end of its queue."""

    id = "newest-first"
    sentence = "the task that became ready last ran first"
    truth = "Ready tasks stand in a queue: the one that became ready first runs first."
    lesson, turn = "05", "05-queue"
    words = ("create_task", "gather", "call_soon")

    def loop(self, under: Running) -> asyncio.AbstractEventLoop:
        return _Stack(under)


class _Stack(EventLoop):
    """The loop of lesson 09 on a virtual clock: a turn goes through the ready from the right."""

    real_seconds = 0.0

    def __init__(self, under):
        self.now = 0.0
        self._under = under
        super().__init__()

    def time(self):
        return self.now

    def block(self, seconds):
        self.now = round(self.now + seconds, 9)
        self._under.look_at(self.now)

    def call_at(self, when, function, *args, context=None):
        return super().call_at(round(when, 9), function, *args, context=context)

    def pause(self, seconds):
        if seconds is None:
            raise Deadlock(unfinished(self))
        self.now = round(self.now + max(seconds, 0), 9)
        self._under.look_at(self.now)

    async def shutdown_default_executor(self, timeout=None):
        """Nothing is to be done: no program here has threads."""

    def turn(self):
        self._under.turns += 1
        self._under.tick()
        self.wait()
        batch = [self.ready.popleft() for _ in range(len(self.ready))]
        for function in reversed(batch):
            function()


class PutSwitches(Belief):
    """A `put` that didn't have to wait is followed by `sleep(0)`."""

    id = "put-switches"
    sentence = "every `await queue.put(…)` let the other tasks run"
    truth = "`put` pauses only if the queue is full; else the producer simply goes on."
    lesson, turn = "16", "16-head-start"
    words = (".put(",)

    def names(self, under: Running) -> dict[str, Any]:
        class Queue(asyncio.Queue):
            async def put(self, item):
                before = under.turns
                await super().put(item)
                if under.turns == before:
                    await asyncio.sleep(0)

        return {"Queue": Queue}


BELIEFS = [
    EveryAwaitSwitches(),
    SleepZeroNothing(),
    SleepBlocks(),
    TimeSleepShares(),
    SleepersQueue(),
    NewestFirst(),
    PutSwitches(),
]
