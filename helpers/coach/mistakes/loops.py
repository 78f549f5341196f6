"""What becomes of functions and tasks that are made for a loop: by the syntax tree."""

import ast
from collections.abc import Collection, Iterator

from helpers.coach.form.text import is_function
from helpers.coach.mistakes.nodes import COMPREHENSIONS, is_named, is_own_number, own_nodes

STARTING = ("create_task", "ensure_future", "spawn")


def started_lazily(nodes: Collection[ast.AST]) -> Iterator[int]:
    """Each `map` and each generator that starts tasks, where a loop that awaits goes through it."""
    lazy = [node for node in nodes if _starts_lazily(node)]
    named = {
        target.id: node.value
        for node in nodes
        if isinstance(node, ast.Assign) and node.value in lazy
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        if isinstance(node, (ast.For, *COMPREHENSIONS)):
            if any(isinstance(part, ast.Await) for part in own_nodes(node)):
                for walked in _gone_through(node):
                    made = named.get(walked.id) if isinstance(walked, ast.Name) else walked
                    if made in lazy:
                        yield made.lineno


def only_made(nodes: Collection[ast.AST]) -> Iterator[int]:
    """Each row of coroutines that are made and not started, where a loop awaits its items."""
    made = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.ListComp):
            names = (target.id for target in node.targets if isinstance(target, ast.Name))
            made |= {name: node.value.elt for name in names}
        elif isinstance(node, ast.Call) and is_named(node.func, ("*.append",)) and node.args:
            made[ast.unparse(node.func.value)] = node.args[0]
    for node in nodes:
        if isinstance(node, (ast.For, *COMPREHENSIONS)):
            parts = [part for part in own_nodes(node) if isinstance(part, ast.Await)]
            awaited = {part.value.id for part in parts if isinstance(part.value, ast.Name)}
            steps = [node] if isinstance(node, ast.For) else node.generators
            for step in steps:
                call = made.get(ast.unparse(step.iter))
                if getattr(step.target, "id", None) in awaited and isinstance(call, ast.Call):
                    if not is_named(call.func, (*STARTING, "submit", "run_in_executor")):
                        yield call.lineno


def started_by_number(nodes: Collection[ast.AST]) -> Iterator[int]:
    """Each loop over a `range` of the answer's own number, in which tasks are started."""
    for node in nodes:
        if isinstance(node, (ast.For, *COMPREHENSIONS)):
            calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
            if any(_is_own_range(walked) for walked in _gone_through(node)):
                if any(is_named(call.func, STARTING) for call in calls):
                    yield node.lineno


def _is_own_range(node):
    return (
        isinstance(node, ast.Call)
        and is_named(node.func, ("range",))
        and len(node.args) == 1
        and is_own_number(node.args[0])
    )


def waited_once(nodes: Collection[ast.AST]) -> Iterator[int]:
    """Each `if` that lets a task wait for its turn, with nothing that asks again behind the wait:
    no loop is around it.
    """
    again = {
        part for node in nodes if isinstance(node, (ast.While, ast.For)) for part in own_nodes(node)
    }
    for node in nodes:
        if isinstance(node, ast.If) and node not in again:
            awaited = (part.value for part in own_nodes(node) if isinstance(part, ast.Await))
            calls = (call.func for call in awaited if isinstance(call, ast.Call))
            if any(is_named(function, ("*.wait",)) for function in calls):
                yield node.lineno


def _gone_through(loop):
    if isinstance(loop, ast.For):
        return [loop.iter]
    return [part.iter for part in loop.generators]


def _starts_lazily(node):
    """Whether this is a `map` or a generator expression whose items are tasks that it starts."""
    if isinstance(node, ast.GeneratorExp):
        return isinstance(node.elt, ast.Call) and is_named(node.elt.func, STARTING)
    return (
        isinstance(node, ast.Call)
        and is_named(node.func, ("map",))
        and bool(node.args)
        and is_named(node.args[0], STARTING)
    )


def late_bound(nodes: Collection[ast.AST]) -> Iterator[int]:
    """Each function that a loop or a comprehension defines, and that uses its variable, which was
    not handed to it.
    """
    for loop in nodes:
        if isinstance(loop, (ast.For, ast.AsyncFor)):
            names = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
            yield from using_late(loop.body, names)
        elif isinstance(loop, (ast.ListComp, ast.SetComp)):
            targets = (part for one in loop.generators for part in ast.walk(one.target))
            names = {part.id for part in targets if isinstance(part, ast.Name)}
            yield from using_late([loop.elt], names)


def using_late(statements: Collection[ast.AST], names: Collection[str]) -> Iterator[int]:
    """Each function defined in there that uses one of these names, not handed to it."""
    for node in (part for statement in statements for part in ast.walk(statement)):
        if is_function(node) or isinstance(node, ast.Lambda):
            own = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
            if _used_in(node) & set(names) - own:
                yield node.lineno


def _used_in(function):
    body = function.body if isinstance(function.body, list) else [function.body]
    return {
        part.id
        for statement in body
        for part in ast.walk(statement)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }
