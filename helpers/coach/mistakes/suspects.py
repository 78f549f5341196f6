"""Lines of an answer that a wrong value or a wrong order points to, by the syntax tree.

Each is named only where nothing else in the answer could be meant.
"""

import ast
from collections.abc import Collection, Iterator
from typing import NamedTuple

from helpers.coach.form.statement import same_value
from helpers.coach.mistakes.nodes import is_constant, is_named, line_of_call

TESTED = (ast.If, ast.IfExp)


class Suspect(NamedTuple):
    """A line, and what it does ("Line 4 …")."""

    line: int
    at: str


def of_value(nodes: Collection[ast.AST], got: object, expected: object) -> Suspect | None:
    """The line that seems to make `got` of what should be `expected`, or None."""
    if _takes_for_nothing(got, expected):
        return _only(_truth_tests(nodes, got), "goes by what counts as false")
    if _is_none(got) and not _is_none(expected):
        return _only(_dropped(nodes), "drops what it gets")
    if _has_more_nones(got, expected):
        return _only(_calls(nodes, "fromkeys"), "begins with a None for each")
    if isinstance(got, (str, bytes)) and got:
        return _only(_returned(nodes, got), "returns it")
    return None


def of_order(nodes: Collection[ast.AST], got: list, expected: list) -> Suspect | None:
    """The line that seems to give the items their order, or None."""
    ordered = _only(_calls(nodes, "as_completed", "sorted", "insert"), "gives them their order")
    if ordered is None and same_value(list(got)[::-1], list(expected)):
        ordered = _only(_calls(nodes, "pop", bare=True), "takes the last one first")
    return ordered or _only(_filled(nodes), "adds what is ready")


def _only(lines, at):
    found = set(lines)
    return Suspect(found.pop(), at) if len(found) == 1 else None


def _takes_for_nothing(got, expected):
    """Whether just what is falsy is missing from `got`, or has become None in it."""
    if isinstance(expected, dict) and isinstance(got, dict):
        lost = [value for key, value in expected.items() if got.get(key) is None]
        return bool(lost) and not any(lost)
    if isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        lost = [item for item in expected if not any(same_value(item, one) for one in got)]
        return bool(lost) and not any(lost) and lost != [None] * len(lost)
    return got is None and expected is not None and not expected


def _truth_tests(nodes, got) -> Iterator[int]:
    """Tests by what counts as true or false. Where None was returned: those that lead to it."""
    for node in nodes:
        tests = [node.test] if isinstance(node, TESTED) else getattr(node, "ifs", [])
        for test in tests:
            if isinstance(test, ast.BoolOp) and any(map(_is_bare, test.values)):
                yield test.lineno
            elif _is_bare(test) and (got is not None or _returns_none(node)):
                yield test.lineno
        if isinstance(node, ast.BoolOp) and isinstance(node.values[-1], ast.Constant):
            if isinstance(node.op, ast.Or):
                yield node.lineno
        if isinstance(node, ast.Call) and is_named(node.func, ("filter",)) and node.args:
            if is_constant(node.args[0], None):
                yield line_of_call(node)


def _is_bare(test):
    """Whether a test asks for the truth of a variable or of an item."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    return isinstance(test, (ast.Name, ast.Attribute, ast.Subscript, ast.NamedExpr))


def _returns_none(node):
    body = node.body if isinstance(node, ast.If) else []
    return any(
        isinstance(part, ast.Return) and (part.value is None or is_constant(part.value, None))
        for part in body
    )


def _is_none(value):
    if isinstance(value, (list, tuple)) and value:
        return all(item is None for item in value)
    return value is None


def _dropped(nodes) -> Iterator[int]:
    """Statements that await a call of what the answer was given, and do nothing with its value."""
    given = {node.arg for node in nodes if isinstance(node, ast.arg)}
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Await):
            called = getattr(node.value.value, "func", None)
            if isinstance(called, ast.Name) and called.id in given:
                yield node.lineno


def _has_more_nones(got, expected):
    if not (isinstance(got, dict) and isinstance(expected, dict)):
        return False
    more = [got[key] for key in got if key not in expected]
    return bool(more) and all(value is None for value in more)


def _returned(nodes, value) -> Iterator[int]:
    for node in nodes:
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant):
            if same_value(node.value.value, value):
                yield node.lineno


def _calls(nodes, *names, bare=False) -> Iterator[int]:
    for node in nodes:
        if isinstance(node, ast.Call) and is_named(node.func, names):
            if not (bare and (node.args or node.keywords)):
                yield line_of_call(node)


def _filled(nodes) -> Iterator[int]:
    """Where a list or a dict gets what is ready."""
    yield from _calls(nodes, "append")
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            if any(isinstance(part, ast.Await) for part in ast.walk(node.value)):
                yield node.lineno
