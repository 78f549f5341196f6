"""What catches an error and keeps it, by the syntax tree: an `except`, a `suppress`, a
`return_exceptions=True`, a `finally` that returns.
"""

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from helpers.coach.form.text import is_function
from helpers.coach.mistakes.nodes import (
    holds,
    is_named,
    line_of_call,
    names_in,
    nodes_of_block,
    own_nodes,
    spans,
    suppressed_by,
)

LEAVING = (ast.Return, ast.Break, ast.Continue)


class Keeper(NamedTuple):
    """A line that keeps an error from coming out: what it does ("Line 4 …"), and what to try."""

    line: int
    at: str
    try_: str


CATCHES = (
    "catches it",
    "Catch only the errors that you mean, by their names. Where an `except` has to see every "
    "error, a bare `raise` at its end lets it go on.",
)
CATCHES_BY_NAME = (
    "catches it",
    "It has to come out: don't catch it here, or end this `except` with a bare `raise`.",
)
EVERY_ERROR = {"Exception", "BaseException"}
LEFT_IN_TASKS = (
    "raises none of their errors",
    "`asyncio.wait` leaves the errors in the tasks. Ask each one for its `result()`: that raises "
    "what the task ended with.",
)
AMONG_RESULTS = (
    "puts errors among the results",
    "An error among the results is raised nowhere. Leave `return_exceptions=True` off, or look at "
    "each result and raise what is an error.",
)
AFTER_A_CANCEL = (
    "waits for what was cancelled just before",
    "An error that came while the tasks ran lies in its task until this line, and isn't raised "
    "there. Wait for the tasks while they run: a TaskGroup hears of the first error at once.",
)
ENDS = (
    "drops the error that is on its way",
    "A `return`, `break` or `continue` in a `finally` drops any error. Put it after the `try` "
    "statement, or into the `try`.",
)

LEFT_AT_ONCE = (
    "gives the place back at once",
    "A place is taken until the end of the block. What only makes a task or a coroutine there "
    "doesn't wait for it: put the `await` of the work itself inside.",
)
STARTED_BEFORE = (
    "starts the work before there is a place",
    "A task runs from the moment it is made, and then only its result waits for a place. Start it "
    "where there is one.",
)
TAKEN_INSIDE = (
    "stands inside the `try`",
    "A task that is cancelled there has no place yet, and the `finally` gives one back all the "
    "same. Acquire before the `try`, or take `async with`.",
)


def names_of(errors: Iterable[type[BaseException]]) -> set[str]:
    """The names under which an `except` catches one of these errors."""
    return {cls.__name__ for error in errors for cls in error.__mro__}


def around(nodes: Collection[ast.AST], line: int) -> list[ast.AST]:
    """The `try` and `with` statements of the same function whose body holds a line, innermost
    first.
    """
    functions = [node for node in nodes if is_function(node) and spans(node, line)]
    begin = max((node.lineno for node in functions), default=0)
    found = [
        node
        for node in nodes
        if isinstance(node, (ast.Try, ast.TryStar, ast.With, ast.AsyncWith))
        and node.body[0].lineno <= line <= node.body[-1].end_lineno
        and node.lineno >= begin
    ]
    return sorted(found, key=lambda node: node.lineno, reverse=True)


def kept_by(block: ast.AST, names: Collection[str], sure: bool = False) -> Keeper | None:
    """Where a `try` or a `with` keeps errors of these names from going on, or None.

    sure: it is known that such an error ended here, so that a `raise` under a condition was not
    met, nor one behind a `return` under a condition.
    """
    if isinstance(block, (ast.With, ast.AsyncWith)):
        calls = (item.context_expr for item in block.items)
        return next((_suppress(call) for call in calls if _suppresses(call, names)), None)
    for handler in block.handlers:
        if catches(handler, names):
            inside = [*own_nodes(handler)]
            leaves = sure and any(isinstance(part, LEAVING) for part in inside)
            parts = handler.body if sure else inside
            raises = not leaves and any(isinstance(part, ast.Raise) for part in parts)
            return None if raises else Keeper(handler.lineno, *catching(handler))
    leaving = [part for part in nodes_of_block(block.finalbody) if isinstance(part, LEAVING)]
    return Keeper(leaving[0].lineno, *ENDS) if leaving else None


def suppressing(block: ast.AST) -> tuple[int, set[str]] | None:
    """The line of a `with suppress(…)` and the names of its errors; None if it is none."""
    for item in getattr(block, "items", ()):
        if (caught := suppressed_by(item.context_expr)) is not None:
            return line_of_call(item.context_expr), set(caught)
    return None


def keepers(
    nodes: Collection[ast.AST], names: Collection[str], sure: bool = False
) -> Iterator[Keeper]:
    """All places of an answer that may keep errors of these names. sure: as for `kept_by`."""
    for node in nodes:
        if isinstance(node, (ast.Try, ast.TryStar, ast.With, ast.AsyncWith)):
            if kept := kept_by(node, names, sure):
                yield kept
        elif isinstance(node, ast.keyword) and node.arg == "return_exceptions":
            if not (isinstance(node.value, ast.Constant) and not node.value.value):
                yield Keeper(node.lineno, *_gathered(nodes, node.lineno))


def keeper_at(nodes: Collection[ast.AST], line: int) -> Keeper | None:
    """What at a line keeps an error from coming out that is known to be lost there, or None."""
    for node in nodes:
        if isinstance(node, ast.ExceptHandler) and node.lineno == line:
            return Keeper(line, *catching(node))
        if isinstance(node, (ast.With, ast.AsyncWith)) and node.lineno == line:
            if suppressing(node):
                return Keeper(line, *CATCHES)
        if isinstance(node, ast.Call) and line in (node.lineno, line_of_call(node)):
            if any(one.arg == "return_exceptions" for one in node.keywords):
                return Keeper(line, *_gathered(nodes, line))
            if is_named(node.func, ("asyncio.wait",)):
                return Keeper(line, *LEFT_IN_TASKS)
        for statement in getattr(node, "finalbody", ()):
            if isinstance(statement, LEAVING) and statement.lineno == line:
                return Keeper(line, *ENDS)
    return None


def _gathered(nodes, line):
    """What to say of a `gather` that puts errors among its results: it may be there only for tasks
    that were cancelled just before, in the same block.
    """
    for node in nodes:
        for block in (getattr(node, field, None) for field in ("body", "orelse", "finalbody")):
            here = [one for one in block if spans(one, line)] if isinstance(block, list) else []
            before = block[: block.index(here[0])] if here else []
            parts = (part for one in before for part in own_nodes(one))
            if any(isinstance(p, ast.Call) and is_named(p.func, ("*.cancel",)) for p in parts):
                return AFTER_A_CANCEL
    return AMONG_RESULTS


def in_a_finally(nodes: Collection[ast.AST], line: int) -> bool:
    """Whether a line stands in a `finally`: the error that is on its way is past keeping there."""
    return any(
        node.finalbody and node.finalbody[0].lineno <= line <= node.finalbody[-1].end_lineno
        for node in nodes
        if isinstance(node, (ast.Try, ast.TryStar))
    )


def narrow_cleanup(nodes: Collection[ast.AST], *names: str) -> int | None:
    """The one `except` that makes a call of such a name after an error, and not after each: a
    cancellation passes it. None where a `finally` makes the call.
    """
    calls = _calls(nodes, names)
    calls += [call for call in _for_those_who_call(nodes, calls) if call not in calls]
    sure = [call for call in calls if _is_made_in_any_case(nodes, call)]
    found = [
        handler.lineno
        for node in nodes
        if isinstance(node, (ast.Try, ast.TryStar))
        if not any(call in own_nodes(outer) for outer in _outside_of(nodes, node) for call in sure)
        for handler in node.handlers
        if any(part in calls and part not in sure for part in own_nodes(handler))
    ]
    return found[0] if len(found) == 1 else None


def skipped_cleanup(nodes: Collection[ast.AST], *names: str) -> tuple[int, str] | None:
    """The one call of such a name that is not made however it ends, and what is to say of it; or
    the one `except` for some errors alone, before it or around it.
    """
    calls = _made_in_some_cases(nodes, names)
    narrow = narrow_cleanup(nodes, *names)
    only = line_of_call(calls[0]) if len(calls) == 1 else None
    if narrow is None and only is not None:
        tries = (node for node in nodes if isinstance(node, ast.Try) and node.end_lineno < only)
        before = [handler.lineno for node in tries for handler in node.handlers]
        narrow = before[0] if len(before) == 1 else None
    if narrow is not None:
        return narrow, "catches only some errors"
    return only and (only, "isn't reached after an error")


def passed_by(nodes: Collection[ast.AST], error: type[BaseException], *names: str) -> int | None:
    """The one call of such a name that is made where all goes well, and not after such an error."""
    caught = {
        part: catches(node, names_of((error,)))
        for node in nodes
        if isinstance(node, ast.ExceptHandler)
        for part in own_nodes(node)
    }
    calls = _made_in_some_cases(nodes, names)
    plain = [call for call in calls if call not in caught]
    made = any(caught.get(call) for call in calls)
    return line_of_call(plain[0]) if len(plain) == 1 and not made else None


def taken_inside(nodes: Collection[ast.AST]) -> int | None:
    """The `acquire` inside a `try` whose `finally` releases: who is cancelled there gives back what
    it never had.
    """
    for node in nodes:
        if isinstance(node, ast.Try):
            released = [
                ast.unparse(part.func.value)
                for part in nodes_of_block(node.finalbody)
                if isinstance(part, ast.Call) and is_named(part.func, ("*.release",))
            ]
            for statement in node.body:
                for part in own_nodes(statement):
                    if isinstance(part, ast.Call) and is_named(part.func, ("*.acquire",)):
                        if ast.unparse(part.func.value) in released:
                            return line_of_call(part)
    return None


def started_before(nodes: Collection[ast.AST], line: int | None) -> int | None:
    """The line if it makes a task where nothing was taken that keeps a limit, in code that has
    something to keep one: a semaphore or a queue. None if it doesn't.
    """
    held = {
        part
        for node in nodes
        if isinstance(node, ast.AsyncWith)
        if not any(holds(item.context_expr, "TaskGroup") for item in node.items)
        for part in ast.walk(node)
    }
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    keeps = any(is_named(call.func, ("*Semaphore", "*Queue")) for call in calls)
    starts = (call for call in calls if is_named(call.func, ("create_task", "ensure_future")))
    early = line and keeps and any(spans(call, line) for call in starts if call not in held)
    return line if early else None


def left_at_once(nodes: Collection[ast.AST]) -> int | None:
    """The `async with` of a semaphore in which nothing is awaited that takes its place: a task or a
    coroutine is made there, and runs when the place is free again. None if there is none, or if
    another block awaits something.
    """
    made = [
        ast.unparse(target)
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if is_named(node.value.func, ("Semaphore", "BoundedSemaphore"))
        for target in node.targets
    ]
    blocks = [
        node
        for node in nodes
        if isinstance(node, ast.AsyncWith)
        if any(ast.unparse(item.context_expr) in made for item in node.items)
    ]
    if len(blocks) != 1:
        return None
    (block,) = blocks
    parts = [part for statement in block.body for part in (statement, *own_nodes(statement))]
    calls = [part for part in parts if isinstance(part, ast.Call)]
    return block.lineno if calls and not any(map(_takes_its_time, parts)) else None


def _takes_its_time(node):
    """Whether this awaits more than a pause."""
    if isinstance(node, ast.Await) and isinstance(node.value, ast.Call):
        return not is_named(node.value.func, ("sleep",))
    return isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith))


def _outside_of(nodes, inner):
    """The `try` statements around another, and that one."""
    tries = (node for node in nodes if isinstance(node, (ast.Try, ast.TryStar)))
    return [node for node in tries if node is inner or inner in own_nodes(node)]


def _made_in_some_cases(nodes, names):
    """The calls of such a name, or in their place those of the function of the cell that makes
    them; none if one of them all is made however it ends.
    """
    calls = _calls(nodes, names)
    if any(_is_made_in_any_case(nodes, call) for call in calls):
        return []
    calls = _for_those_who_call(nodes, calls)
    return [] if any(_is_made_in_any_case(nodes, call) for call in calls) else calls


def _calls(nodes, names):
    return [node for node in nodes if isinstance(node, ast.Call) and is_named(node.func, names)]


def _for_those_who_call(nodes, calls):
    """These calls; those in a function of the cell that is called itself stand where it is."""
    for function in filter(is_function, nodes):
        own = list(own_nodes(function))
        inside = [call for call in calls if call in own]
        around = [call for call in _calls(nodes, [function.name]) if call not in own]
        if inside and around:
            calls = [call for call in calls if call not in inside and call not in around] + around
    return calls


def _is_made_in_any_case(nodes, call):
    for node in nodes:
        if isinstance(node, (ast.Try, ast.TryStar)) and call in nodes_of_block(node.finalbody):
            return True
        if isinstance(node, ast.ExceptHandler) and catches(node, ("BaseException",)):
            if call in own_nodes(node):
                return True
    return False


def raised_again(handler: ast.ExceptHandler) -> list[int]:
    """The lines of an `except` that let the error go on that it has caught, but not always."""
    parts = [part for part in own_nodes(handler) if isinstance(part, ast.Raise)]
    return [part.lineno for part in parts if part.exc is None and part not in handler.body]


def catches(handler: ast.ExceptHandler, names: Collection[str]) -> bool:
    """Whether an `except` catches errors of one of these names; one without a name does."""
    return handler.type is None or not set(names_in(handler.type)).isdisjoint(names)


def catching(handler: ast.ExceptHandler) -> tuple[str, str]:
    """What is said of an `except` that keeps an error which has to come out, and what to try."""
    every = handler.type is None or not EVERY_ERROR.isdisjoint(names_in(handler.type))
    return CATCHES if every else CATCHES_BY_NAME


def is_for_an_end(handler: ast.ExceptHandler) -> bool:
    """Whether an `except` catches the end of an iterator alone."""
    caught = names_in(handler.type)
    return bool(caught) and set(caught) <= {"StopIteration", "StopAsyncIteration"}


def _suppresses(call, names):
    return not set(suppressed_by(call) or ()).isdisjoint(names)


def _suppress(call):
    return Keeper(line_of_call(call), *CATCHES)
