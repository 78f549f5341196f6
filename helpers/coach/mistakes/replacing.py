"""Lines of an answer that put one value in the place of another: in a variable, in a list that
somebody else holds, in an error's place.
"""

import ast
from collections.abc import Collection, Iterator

from helpers.coach.mistakes.nodes import is_named, line_of_call, own_nodes, uses

CHANGING = ("pop", "popleft", "popitem", "remove", "discard", "clear", "sort", "reverse")


def overwritten(nodes: Collection[ast.AST]) -> Iterator[int]:
    """Where a loop gives a name a new value that is added up elsewhere in it."""
    for loop in nodes:
        if isinstance(loop, (ast.For, ast.While, ast.AsyncFor)):
            parts = [*own_nodes(loop)]
            added = {
                ast.unparse(node.target)
                for node in parts
                if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add)
            }
            for node in parts:
                if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Constant):
                    for target in map(ast.unparse, node.targets):
                        if target in added and not uses((target,), node.value):
                            yield node.lineno


def raised_instead(nodes: Collection[ast.AST]) -> Iterator[int]:
    """Where an `except` raises an error of its own."""
    for handler in nodes:
        if isinstance(handler, ast.ExceptHandler):
            for node in own_nodes(handler):
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                    yield node.lineno


def replaced(nodes: Collection[ast.AST]) -> Iterator[int]:
    """Where all that a list holds is replaced, as in `row[:] = before`."""
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
                    if target.slice.lower is target.slice.upper is None:
                        yield node.lineno


def changes(nodes: Collection[ast.AST]) -> Iterator[int]:
    """Where what a function was given is changed, by its own name or by another."""
    given = {node.arg for node in nodes if isinstance(node, ast.arg)} - {"self"}
    for node in nodes:
        if isinstance(node, ast.Assign) and any(map(given.__contains__, _may_be(node.value))):
            given |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in nodes:
        if isinstance(node, ast.Call) and is_named(node.func, CHANGING):
            changed = getattr(node.func, "value", None)
        else:
            changed = getattr(node, "value", None) if _is_stored(node) else None
        if isinstance(changed, ast.Name) and changed.id in given:
            yield line_of_call(node) if isinstance(node, ast.Call) else node.lineno


def _is_stored(node):
    """Whether this is an item that is given a value, or deleted."""
    return isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)


def _may_be(value) -> Iterator[str]:
    """The names of which one is what an expression gives, itself and no copy."""
    if isinstance(value, ast.Name):
        yield value.id
    elif isinstance(value, (ast.IfExp, ast.BoolOp)):
        parts = value.values if isinstance(value, ast.BoolOp) else [value.body, value.orelse]
        for part in parts:
            yield from _may_be(part)
