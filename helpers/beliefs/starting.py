"""Beliefs about when something begins to run: a call, a task."""

import ast
import asyncio
import functools
import types
from collections.abc import Callable, Generator
from typing import Any

from helpers.beliefs.trees import async_names, calls_one_of, in_async_functions
from helpers.beliefs.world import Belief, Running


class CallsRun(Belief):
    """`f()` as a statement, or its value in a name, is read as `await f()`."""

    id = "call-runs"
    sentence = "calling a coroutine function ran it"
    truth = "A call builds a coroutine, paused before its first line; `await` or a task runs it."
    lesson, turn = "00", "00-call"
    words = ("async def",)

    def tree(self, tree: ast.Module) -> ast.Module:
        names = async_names(tree)

        class Reader(ast.NodeTransformer):
            def _awaited(self, node):
                if calls_one_of(node.value, names):
                    node.value = ast.Await(node.value)
                return node

            visit_Expr = _awaited

            def visit_Assign(self, node):
                if calls_one_of(node.value, names):
                    ran = ast.Name("__ran__", ast.Load())
                    node.value = ast.Call(ran, [ast.Await(node.value)], [])
                return node

        return in_async_functions(tree, Reader())

    def names(self, under: Running) -> dict[str, Any]:
        async def ran(value):
            return value

        return {"__ran__": ran}


class StartsWhenAwaited(Belief):
    """A task's first step waits until somebody awaits the task."""

    id = "starts-when-awaited"
    sentence = "a task began only when it is awaited"
    truth = "`create_task` queues the first step: it runs at the creator's next real pause."
    lesson, turn = "07", "07-spawn"
    words = ("create_task",)

    def factory(self, under: Running) -> Callable[..., asyncio.Task]:
        return lambda loop, coro, **options: _Late(coro, loop, options)

    def names(self, under: Running) -> dict[str, Any]:
        async def wait(tasks, **options):
            for task in tasks:  # asyncio keeps them in a set, which has no order
                task.add_done_callback(lambda _: None)
            return await asyncio.wait(tasks, **options)

        return {"TaskGroup": _LateGroup, "wait": wait}


class _Late(asyncio.Task):
    """A task that begins when somebody asks for its end; in a group, at the end of the block."""

    def __init__(self, coro, loop, options):
        self._asked = loop.create_future()
        super().__init__(_after(self._asked, coro), loop=loop, **options)

    def begin(self):
        if not self._asked.done():
            self._asked.set_result(None)

    def __await__(self):
        self.begin()
        return (yield from super().__await__())

    def add_done_callback(self, function, **options):
        if not isinstance(getattr(function, "__self__", None), asyncio.TaskGroup):
            self.begin()
        super().add_done_callback(function, **options)


async def _after(asked, coro):
    try:
        await asked
    except BaseException:
        coro.close()
        raise
    return await _from_its_start(coro)


@types.coroutine
def _from_its_start(coro) -> Generator[Any, Any, Any]:
    """Step by step, as a task does: what records the steps doesn't see those of an `await`."""
    try:
        yielded = coro.send(None)
    except StopIteration as stop:
        return stop.value
    return (yield from driven(coro, yielded))


class _LateGroup(asyncio.TaskGroup):
    async def __aexit__(self, *error):
        for task in list(self._tasks):
            task.begin()
        return await super().__aexit__(*error)


class RunsAtOnce(Belief):
    """A task's first step is run before `create_task` returns."""

    id = "runs-at-once"
    sentence = "`create_task` ran the task at once, up to its first pause"
    truth = "`create_task` only queues the task; its creator goes on to its own next real pause."
    lesson, turn = "09", "09-first"
    words = ("create_task",)

    def factory(self, under: Running) -> Callable[..., asyncio.Task]:
        return _begun


def _begun(loop, coro, **options):
    """A task whose coroutine has had its first step."""
    first = types.SimpleNamespace(yielded=None, ended=None)
    task = asyncio.Task(_rest(coro, first), loop=loop, **options)
    creator = asyncio.current_task(loop)
    # As loops do that begin tasks at once; exported for those who write loops.
    if creator is not None:
        asyncio.tasks._leave_task(loop, creator)
    asyncio.tasks._enter_task(loop, task)
    try:
        first.yielded = coro.send(None)
    except BaseException as error:
        first.ended = error
    finally:
        asyncio.tasks._leave_task(loop, task)
        if creator is not None:
            asyncio.tasks._enter_task(loop, creator)
    return task


async def _rest(coro, first):
    return await _steps(coro, first)


@types.coroutine
def _steps(coro, first) -> Generator[Any, Any, Any]:
    if first.ended is not None:
        if isinstance(first.ended, StopIteration):
            return first.ended.value
        raise first.ended
    return (yield from driven(coro, first.yielded))


def driven(coro: Any, yielded: Any) -> Generator[Any, Any, Any]:
    """Go on with a coroutine that was begun and has yielded this; return what it returns."""
    while True:
        try:
            sent = yield yielded
        except BaseException as error:
            step = functools.partial(coro.throw, error)
        else:
            step = functools.partial(coro.send, sent)
        try:
            yielded = step()
        except StopIteration as stop:
            return stop.value


BELIEFS = [CallsRun(), StartsWhenAwaited(), RunsAtOnce()]
