"""Lines of an answer that decide which of its items a row, a dict or a set keeps, and in what
order, by the syntax tree.
"""

import ast
from collections.abc import Collection, Iterator

from helpers.coach.mistakes.nodes import (
    COLLECTED,
    is_constant,
    is_named,
    line_of_call,
    own_nodes,
)

UNDERWAY = ("*.remove", "*.pop", "*.popleft", "*.insert", "*.appendleft")
FILLING = ("append", "appendleft", "add", "extend", "update", "insert", "setdefault")


def asked_before(nodes: Collection[ast.AST]) -> set[int]:
    """The lines that ask whether an item is there already, in what the answer itself fills."""
    filled = {name for name, _ in _fills(nodes)}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, COLLECTED):
            filled.add(ast.unparse(node.targets[0]))
    return {
        node.lineno
        for node in nodes
        if isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.NotIn)
        and ast.unparse(node.comparators[0]).removesuffix(".values()") in filled
    }


def keyed(nodes: Collection[ast.AST]) -> set[int]:
    """Where dicts and sets are filled, which keep one of those that are alike: the first line of
    each.
    """
    first: dict[object, int] = {}
    for name, line in _keys(nodes):
        first[name] = min(line, first.get(name, line))
    return set(first.values())


def changed_underway(nodes: Collection[ast.AST]) -> set[int]:
    """Where a row loses or gets items while a `for` goes through it, which then passes some by;
    not where the loop is left behind that.
    """
    return {
        part.lineno
        for loop in nodes
        if isinstance(loop, ast.For)
        for block in _blocks_in(loop)
        if not isinstance(block[-1], (ast.Break, ast.Return, ast.Raise))
        for statement in block
        if not hasattr(statement, "body")
        for part in ast.walk(statement)
        if _changes(part, ast.unparse(loop.iter))
    }


def _blocks_in(loop):
    """The rows of statements that a loop runs, those of its `if`s, `try`s and loops too."""
    for node in (loop, *own_nodes(loop)):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and not (node is loop and name == "orelse"):
                yield block


def _changes(node, row):
    """Whether this takes an item out of the row of that name, or puts one in before its end."""
    if isinstance(node, ast.Delete):
        return any(
            isinstance(target, ast.Subscript) and ast.unparse(target.value) == row
            for target in node.targets
        )
    return (
        isinstance(node, ast.Call)
        and is_named(node.func, UNDERWAY)
        and ast.unparse(node.func.value) == row
    )


def strides(nodes: Collection[ast.AST]) -> set[int]:
    """The slices that take every so many-th item; `[::-1]` only turns a row round."""
    return {
        node.step.lineno
        for node in nodes
        if isinstance(node, ast.Slice) and node.step and not is_constant(node.step, -1)
    }


def _keys(nodes) -> Iterator[tuple[object, int]]:
    """Each place that fills a dict or a set by key: what stands for it, and the line."""
    named = {
        node.value: ast.unparse(node.targets[0]) for node in nodes if isinstance(node, ast.Assign)
    }
    for node in nodes:
        if isinstance(node, ast.Call) and _keeps_by_key(node):
            yield named.get(node, node), line_of_call(node)
        elif isinstance(node, (ast.DictComp, ast.SetComp)) and not _keeps_the_keys(node):
            yield named.get(node, node), node.lineno
    lists = {name for value, name in named.items() if _is_list(value)}
    yield from (filled for filled in _fills(nodes, methods=("add",)) if filled[0] not in lists)


def _is_list(value):
    """Whether this makes a list, such as `[None] * 9`, whose places are no keys."""
    if isinstance(value, ast.BinOp):
        return _is_list(value.left) or _is_list(value.right)
    return isinstance(value, (ast.List, ast.ListComp))


def _keeps_the_keys(comprehension):
    """Whether this goes through the items of a dict and gives each the key that it has."""
    match comprehension:
        case ast.DictComp(
            key=ast.Name(id=key),
            generators=[
                ast.comprehension(
                    target=ast.Tuple(elts=[ast.Name(id=was), _]),
                    iter=ast.Call(func=ast.Attribute(attr="items")),
                )
            ],
        ):
            return key == was
    return False


def _keeps_by_key(call):
    """Whether a call makes a dict or a set of items."""
    if is_named(call.func, ("fromkeys",)):
        return True
    return getattr(call.func, "id", "") in ("dict", "set") and bool(call.args)


def _fills(nodes, methods=FILLING) -> Iterator[tuple[str, int]]:
    """What is given an item, by name: by a key, or by one of these methods; and the line."""
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            yield ast.unparse(node.targets[0].value), node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in methods:
                yield ast.unparse(node.func.value), line_of_call(node)
