"""Beliefs about several at once: `gather`, task groups, `wait`, and where an error goes."""

import ast
import asyncio
from typing import Any

from helpers.beliefs.trees import awaits, call, in_async_functions
from helpers.beliefs.world import Belief, Running


class GatherInTurn(Belief):
    """`gather` awaits one after another."""

    id = "gather-in-turn"
    sentence = "`gather` awaited one after another"
    truth = "`gather` makes a task of each coroutine; they are all under way at once."
    lesson, turn = "00", "00-three-waits"
    words = ("gather(",)

    def names(self, under: Running) -> dict[str, Any]:
        async def gather(*awaitables, return_exceptions=False):
            results = []
            for one in awaitables:
                try:
                    results.append(await one)
                except Exception as error:
                    if not return_exceptions:
                        raise
                    results.append(error)
            return results

        return {"gather": gather}


class GatherAsTheyCome(Belief):
    """`gather` gives the results in the order in which the tasks end."""

    id = "gather-as-they-come"
    sentence = "`gather` gave its results in the order in which the tasks end"
    truth = "`gather` gives the results in the order of its arguments."
    lesson, turn = "10", "10-order"
    words = ("gather(",)

    def names(self, under: Running) -> dict[str, Any]:
        async def gather(*awaitables, return_exceptions=False):
            tasks = [asyncio.ensure_future(one) for one in awaitables]
            ended = []
            for task in tasks:
                task.add_done_callback(ended.append)
            await asyncio.gather(*tasks, return_exceptions=return_exceptions)
            return [task.exception() or task.result() for task in ended]

        return {"gather": gather}


class GatherCancels(Belief):
    """`gather` cancels the others when one fails."""

    id = "gather-cancels"
    sentence = "`gather` stopped the others when one fails"
    truth = "`gather` raises the first error and lets the others run on; a TaskGroup cancels them."
    lesson, turn = "10", "10-parcel"
    words = ("gather(",)

    def names(self, under: Running) -> dict[str, Any]:
        async def gather(*awaitables, return_exceptions=False):
            tasks = [asyncio.ensure_future(one) for one in awaitables]
            try:
                return await asyncio.gather(*tasks, return_exceptions=return_exceptions)
            except Exception:
                for task in tasks:
                    task.cancel()
                raise

        return {"gather": gather}


class GatherWaitsForAll(Belief):
    """`gather` raises an error only when all have ended."""

    id = "gather-waits-for-all"
    sentence = "`gather` waited for all before it raises an error"
    truth = "`gather` raises the first error at once, while the others still run."
    lesson, turn = "10", "10-parcel"
    words = ("gather(",)

    def names(self, under: Running) -> dict[str, Any]:
        async def gather(*awaitables, return_exceptions=False):
            results = await asyncio.gather(*awaitables, return_exceptions=True)
            errors = [one for one in results if isinstance(one, BaseException)]
            if errors and not return_exceptions:
                raise errors[0]
            return results

        return {"gather": gather}


class GroupGoesOn(Belief):
    """A TaskGroup lets the other tasks run to their end when one fails."""

    id = "group-goes-on"
    sentence = "the other tasks of a TaskGroup went on when one fails"
    truth = "A TaskGroup cancels its other tasks as soon as one fails, and waits for them."
    lesson, turn = "10", "10-caught"
    words = ("TaskGroup",)

    def names(self, under: Running) -> dict[str, Any]:
        class TaskGroup:
            """Waits for all, then raises what was raised."""

            async def __aenter__(self):
                self.tasks = []
                return self

            def create_task(self, coro, **options):
                self.tasks.append(asyncio.create_task(coro, **options))
                return self.tasks[-1]

            async def __aexit__(self, kind, error, traceback):
                results = await asyncio.gather(*self.tasks, return_exceptions=True)
                errors = [error] if error else []
                errors += [one for one in results if isinstance(one, Exception)]
                if errors:
                    raise BaseExceptionGroup("unhandled errors in a TaskGroup", errors)

        return {"TaskGroup": TaskGroup}


class GroupRaisesBare(Belief):
    """A TaskGroup raises the first error itself instead of a group of errors."""

    id = "group-raises-bare"
    sentence = "a TaskGroup raised the error itself, and not in a group"
    truth = "A TaskGroup raises an ExceptionGroup; `except*` looks into it, `except` doesn't."
    lesson, turn = "10", "10-caught"
    words = ("TaskGroup",)

    def names(self, under: Running) -> dict[str, Any]:
        class TaskGroup(asyncio.TaskGroup):
            async def __aexit__(self, *error):
                try:
                    return await super().__aexit__(*error)
                except BaseExceptionGroup as group:
                    raise group.exceptions[0] from None

        return {"TaskGroup": TaskGroup}


class WaitCancels(Belief):
    """`wait` with a timeout cancels what is still pending."""

    id = "wait-cancels"
    sentence = "`wait` cancelled what isn't done at its timeout"
    truth = "`wait` only looks: what is pending runs on."
    lesson, turn = "10", "10-wait"
    words = ("asyncio.wait(",)

    def names(self, under: Running) -> dict[str, Any]:
        async def wait(tasks, **options):
            done, pending = await asyncio.wait(tasks, **options)
            for task in pending:
                task.cancel()
            return done, pending

        return {"wait": wait}


class ErrorsSurface(Belief):
    """A task's error is raised, as soon as it happens, in the task that made it."""

    id = "errors-surface"
    sentence = "a task's error were raised at once in the task that made it"
    truth = "A task keeps its error; it is raised where somebody awaits the task, and only there."
    lesson, turn = "10", "10-silent"
    words = ("asyncio.create_task",)

    def tree(self, tree: ast.Module) -> ast.Module:
        class Reader(ast.NodeTransformer):
            def visit_Await(self, node):
                self.generic_visit(node)
                return ast.Await(call("__hearing__", node.value))

        return in_async_functions(tree, Reader())

    def names(self, under: Running) -> dict[str, Any]:
        heard = {}  # errors of its tasks, by the task that made them

        def create_task(coro, **options):
            creator, task = asyncio.current_task(), asyncio.create_task(coro, **options)

            def ended(task):
                if not task.cancelled() and task.exception() and not creator.done():
                    heard.setdefault(creator, task.exception())
                    creator.cancel()

            task.add_done_callback(ended)
            return task

        async def hearing(awaitable):
            me = asyncio.current_task()
            try:
                return await awaitable
            except asyncio.CancelledError:
                if me in heard:
                    me.uncancel()
                    raise heard.pop(me) from None
                raise

        return {"create_task": create_task, "__hearing__": hearing}


class LoopsOverlap(Belief):
    """Awaits in the rounds of a loop overlap: a round begins without waiting for the one before."""

    id = "loops-overlap"
    sentence = "the awaits in a loop overlapped"
    truth = "An `await` in a loop finishes before the next round begins; tasks overlap."
    lesson, turn = "00", "00-three-waits"
    words = ("for ",)

    def tree(self, tree: ast.Module) -> ast.Module:
        class Reader(ast.NodeTransformer):
            def visit_ListComp(self, node):
                if not isinstance(node.elt, ast.Await) or len(node.generators) != 1:
                    return node
                if node.generators[0].is_async or awaits(node.generators[0].iter):
                    return node
                node.elt = node.elt.value
                return ast.Await(call("__together__", node))

            def visit_For(self, node):
                self.generic_visit(node)
                kinds = (ast.Break, ast.Continue, ast.Return, ast.Assign, ast.AugAssign)
                body = [one for line in node.body for one in ast.walk(line)]
                if not any(isinstance(one, ast.Await) for one in body) or any(
                    isinstance(one, kinds) for one in body
                ):
                    return node
                return _overlapping(node, ast.For)

        return in_async_functions(tree, Reader())

    def names(self, under: Running) -> dict[str, Any]:
        return _OVERLAPPING


class AsyncForOverlaps(Belief):
    """The body of an `async for` is a task for each item."""

    id = "async-for-overlaps"
    sentence = "an `async for` worked on its items at the same time"
    truth = "An `async for` is a loop: the next item is asked for when the body is through."
    lesson, turn = "15", "15-body"
    words = ("async for ",)

    def tree(self, tree: ast.Module) -> ast.Module:
        class Reader(ast.NodeTransformer):
            def visit_AsyncFor(self, node):
                kinds = (ast.Break, ast.Continue, ast.Return, ast.Assign, ast.AugAssign, ast.Yield)
                body = [one for line in node.body for one in ast.walk(line)]
                if any(isinstance(one, kinds) for one in body):
                    return node
                return _overlapping(node, ast.AsyncFor)

        return in_async_functions(tree, Reader())

    def names(self, under: Running) -> dict[str, Any]:
        return _OVERLAPPING


async def _together(coroutines):
    return await asyncio.gather(*coroutines)


_OVERLAPPING = {"__together__": _together, "__begin__": lambda coro: asyncio.create_task(coro)}


def _overlapping(loop, kind):
    """A loop whose body is a task a round, and the wait for all of them after it."""
    name = loop.target.id if isinstance(loop.target, ast.Name) else None
    if name is None:
        return loop
    begun = ast.Name(f"__begun_{loop.lineno}__", ast.Load())
    arguments = ast.arguments(
        posonlyargs=[], args=[ast.arg(name)], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    body = ast.AsyncFunctionDef(
        name="one_round", args=arguments, body=loop.body, decorator_list=[], type_params=[]
    )
    start = call(
        "__begin__", ast.Call(ast.Name("one_round", ast.Load()), [ast.Name(name, ast.Load())], [])
    )
    append = ast.Expr(ast.Call(ast.Attribute(begun, "append", ast.Load()), [start], []))
    rounds = kind(target=loop.target, iter=loop.iter, body=[body, append], orelse=loop.orelse)
    empty = ast.Assign([ast.Name(begun.id, ast.Store())], ast.List([], ast.Load()))
    changed = [empty, rounds, ast.Expr(ast.Await(call("__together__", begun)))]
    for one in changed:
        ast.copy_location(one, loop)
        for inner in ast.walk(one):
            if not hasattr(inner, "lineno"):
                ast.copy_location(inner, loop)
    return changed


BELIEFS = [
    GatherInTurn(),
    GatherAsTheyCome(),
    GatherCancels(),
    GatherWaitsForAll(),
    GroupGoesOn(),
    GroupRaisesBare(),
    WaitCancels(),
    ErrorsSurface(),
    LoopsOverlap(),
    AsyncForOverlaps(),
]
