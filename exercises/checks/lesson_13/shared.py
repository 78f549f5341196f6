"""What exercises of lesson 13 share: how the answer makes its locks, and how it is called."""

import ast
import asyncio

LOCKS = ("lock", "semaphore", "boundedsemaphore", "condition")


def made_per_call(lab):
    """Line at which an `async def` makes a lock, so anew in each call; None if none does, or if it
    may be made once and kept: `locks.setdefault(key, Lock())`, or in an `if`.
    """
    for function in lab.text.nodes():
        if isinstance(function, ast.AsyncFunctionDef):
            kept = set()
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and called(node) == "setdefault":
                    kept.update(node.args)
                elif isinstance(node, ast.If):
                    kept.update(
                        inner.value
                        for inner in ast.walk(node)
                        if isinstance(inner, ast.Assign)
                        and isinstance(inner.targets[-1], (ast.Subscript, ast.Attribute))
                    )
            for node in ast.walk(function):
                # `self.lock()` too, where `lock` is the class
                if isinstance(node, ast.Call) and called(node).lower() in LOCKS:
                    if node not in kept:
                        return node.lineno
    return None


def called(call):
    """The name of what a call calls, without what stands before its last dot."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def now():
    """Seconds on the running loop's clock."""
    return round(asyncio.get_running_loop().time(), 6)


async def as_coroutine(awaitable):
    return await awaitable


async def outcome(awaitable):
    """What came of it: the result, or the error that it raised."""
    try:
        return await awaitable
    except Exception as error:
        return error


async def ended(tasks):
    """What came of each task when all have ended: its result, its error or "cancelled"."""
    await asyncio.wait(tasks)
    return [
        "cancelled" if task.cancelled() else task.exception() or task.result() for task in tasks
    ]
