"""Beliefs about what tasks share: data, locks, places, events, queues, streams."""

import ast
import asyncio
import collections
from typing import Any

from helpers.beliefs.trees import awaits, call, in_async_functions, own_nodes, statements
from helpers.beliefs.world import Belief, Running


class NoRaces(Belief):
    """A function that reads, awaits and writes shared data runs without another one between."""

    id = "no-races"
    sentence = "nobody else could touch a value between a read and a write"
    truth = "At an `await` in between others run: what you read may be old when you write."
    lesson, turn = "13", "13-visits"
    words = ("global ", "nonlocal ")

    def tree(self, tree: ast.Module) -> ast.Module:
        for node in list(ast.walk(tree)):
            if isinstance(node, ast.AsyncFunctionDef) and awaits(node):
                shared = [one for one in node.body if isinstance(one, (ast.Global, ast.Nonlocal))]
                if shared:
                    rest = [one for one in node.body if one not in shared]
                    item = ast.withitem(ast.Name("__alone__", ast.Load()))
                    block = ast.copy_location(ast.AsyncWith([item], rest), rest[0])
                    node.body = [*shared, block]
        return tree

    def names(self, under: Running) -> dict[str, Any]:
        return {"__alone__": asyncio.Lock()}


class RacesEverywhere(Belief):
    """Others may run in the middle of `n += 1`."""

    id = "races-everywhere"
    sentence = "other tasks could run in the middle of a line without `await`"
    truth = "Tasks switch only at an `await` that pauses; `n += 1` needs no lock between tasks."
    lesson, turn = "13", "13-one-line"
    words = ("+=", "-=")

    def tree(self, tree: ast.Module) -> ast.Module:
        class Reader(ast.NodeTransformer):
            def visit_AugAssign(self, node):
                if not isinstance(node.target, ast.Name):
                    return node
                name = node.target.id
                read = ast.Assign([ast.Name("__read__", ast.Store())], ast.Name(name, ast.Load()))
                pause = ast.Expr(ast.Await(call("__pause__")))
                total = ast.BinOp(ast.Name("__read__", ast.Load()), node.op, node.value)
                write = ast.Assign([ast.Name(name, ast.Store())], total)
                return [ast.copy_location(one, node) for one in (read, pause, write)]

        return in_async_functions(tree, Reader())

    def names(self, under: Running) -> dict[str, Any]:
        return {"__pause__": lambda: asyncio.sleep(0)}


class LockAgain(Belief):
    """The task that holds a lock may take it again."""

    id = "lock-again"
    sentence = "a task could take a lock again that it already holds"
    truth = "asyncio's Lock isn't reentrant: the task waits for itself, for ever."
    lesson, turn = "13", "13-own-lock"
    words = ("Lock()",)

    def names(self, under: Running) -> dict[str, Any]:
        class Lock(asyncio.Lock):
            holder, times = None, 0

            async def acquire(self):
                if self.holder is not asyncio.current_task():
                    await super().acquire()
                    self.holder = asyncio.current_task()
                self.times += 1
                return True

            def release(self):
                self.times -= 1
                if not self.times:
                    self.holder = None
                    super().release()

        return {"Lock": Lock}


class AnyLockLocks(Belief):
    """Locks and semaphores made at the same line are one."""

    id = "own-lock-locks"
    sentence = "a lock or semaphore limited everybody, wherever it is made"
    truth = "Each call that makes its own has one for itself alone: only a shared one limits."
    lesson, turn = "13", "13-limit"
    words = ("Semaphore(", "Lock()")

    def names(self, under: Running) -> dict[str, Any]:
        made = {}

        def once(kind):
            return lambda *value: made.setdefault((kind, value), kind(*value))

        return {"Lock": once(asyncio.Lock), "Semaphore": once(asyncio.Semaphore)}


class EventWakesOne(Belief):
    """`Event.set` wakes the first that waits, and no other."""

    id = "event-wakes-one"
    sentence = "`event.set()` woke one of those who wait"
    truth = "`event.set()` wakes all who wait, in the order in which they began to."
    lesson, turn = "13", "13-clear"
    words = ("Event()",)

    def names(self, under: Running) -> dict[str, Any]:
        class Event:
            """A flag that hands its set to one."""

            def __init__(self):
                self.waiting, self.flag = collections.deque(), False

            def is_set(self):
                return self.flag

            def set(self):
                if self.waiting:
                    self.waiting.popleft().set_result(True)
                else:
                    self.flag = True

            def clear(self):
                self.flag = False

            async def wait(self):
                if not self.flag:
                    future = asyncio.get_running_loop().create_future()
                    self.waiting.append(future)
                    await future
                return True

        return {"Event": Event}


class EventRunsThem(Belief):
    """`event.set()` lets those who wait run before the line after it."""

    id = "set-runs-them"
    sentence = "those who wait ran as soon as the result or the event is set"
    truth = "`set` makes them ready; they run when the one who set it pauses."
    lesson, turn = "13", "13-clear"
    words = (".set()", ".set_result(", ".release()", "put_nowait(")

    def tree(self, tree: ast.Module) -> ast.Module:
        names = ("set", "set_result", "release", "put_nowait")

        class Reader(ast.NodeTransformer):
            def visit_Expr(self, node):
                value = node.value
                if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
                    return node
                if value.func.attr not in names:
                    return node
                pause = ast.Expr(ast.Await(call("__pause__")))
                return [node, ast.copy_location(pause, node)]

        return in_async_functions(tree, Reader())

    def names(self, under: Running) -> dict[str, Any]:
        return {"__pause__": lambda: asyncio.sleep(0)}


class JoinWhenEmpty(Belief):
    """`queue.join()` returns when the queue is empty."""

    id = "join-when-empty"
    sentence = "`queue.join()` returned when the queue is empty"
    truth = "`join` waits until `task_done` was called for every item that was put."
    lesson, turn = "16", "16-silent"
    words = (".join()",)

    def names(self, under: Running) -> dict[str, Any]:
        class Queue(asyncio.Queue):
            async def join(self):
                while not self.empty():
                    self.taken = asyncio.get_running_loop().create_future()
                    await self.taken

            def get_nowait(self):
                item = super().get_nowait()
                taken = getattr(self, "taken", None)
                if self.empty() and taken and not taken.done():
                    taken.set_result(None)
                return item

        return {"Queue": Queue}


class OneWriteOneRead(Belief):
    """A stream gives what was written in the pieces in which it was written."""

    id = "one-write-one-read"
    sentence = "each read gave what one write had sent"
    truth = "A stream is bytes without seams: a read gives what is there, up to its limit."
    lesson, turn = "08", "08-send"
    words = ("StreamReader",)

    def names(self, under: Running) -> dict[str, Any]:
        class StreamReader(asyncio.StreamReader):
            def __init__(self):
                super().__init__()
                self.pieces = collections.deque()

            def feed_data(self, data):
                self.pieces.append(data)
                if len(self.pieces) == 1:
                    super().feed_data(data)

            async def read(self, n=-1):
                data = await super().read(n)
                if self.pieces:
                    self.pieces[0] = self.pieces[0][len(data) :]
                    if not self.pieces[0]:
                        self.pieces.popleft()
                        if self.pieces:
                            super().feed_data(self.pieces[0])
                return data

        return {"StreamReader": StreamReader}


class EndRaises(Belief):
    """A read at the end of a stream raises an error."""

    id = "end-raises"
    sentence = "a read at the end of a stream raised an error"
    truth = "At the end `read` gives `b''`, again and again; only `readexactly` raises."
    lesson, turn = "08", "08-end"
    words = ("StreamReader",)

    def names(self, under: Running) -> dict[str, Any]:
        class StreamReader(asyncio.StreamReader):
            async def read(self, n=-1):
                data = await super().read(n)
                if not data:
                    raise EOFError
                return data

        return {"StreamReader": StreamReader}


class BreakCleansUp(Belief):
    """Leaving an `async for` closes its generator at once."""

    id = "break-cleans-up"
    sentence = "leaving an `async for` closed its generator at once"
    truth = "Leaving an `async for` closes nothing: cleanup comes later. `aclosing` does it there."
    lesson, turn = "15", "15-held"
    words = ("async for ",)

    def tree(self, tree: ast.Module) -> ast.Module:
        class Reader(ast.NodeTransformer):
            def visit_AsyncFor(self, node):
                self.generic_visit(node)
                if not any(isinstance(one, (ast.Break, ast.Return)) for one in own_nodes(node)):
                    return node
                keep = ast.Assign([ast.Name("__items__", ast.Store())], node.iter)
                node.iter = ast.Name("__items__", ast.Load())
                block = statements(
                    "async def f():\n try:\n  pass\n finally:\n  await __items__.aclose()"
                )
                block = block[0].body[0]
                block.body = [node]
                return [ast.copy_location(keep, node), block]

        return in_async_functions(tree, Reader())


BELIEFS = [
    NoRaces(),
    RacesEverywhere(),
    LockAgain(),
    AnyLockLocks(),
    EventWakesOne(),
    EventRunsThem(),
    JoinWhenEmpty(),
    OneWriteOneRead(),
    EndRaises(),
    BreakCleansUp(),
]
