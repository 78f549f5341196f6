"""Lines of an answer that a wrong value or a wrong order points to, by the syntax tree.

Each is named only where nothing else in the answer could be meant.
"""

import ast
from collections.abc import Collection, Iterator
from typing import NamedTuple

from helpers.coach.form.statement import same_value
from helpers.coach.form.text import is_function
from helpers.coach.mistakes.handlers import catches, names_of, raised_again
from helpers.coach.mistakes.nodes import (
    MAKING,
    dotted,
    flags,
    is_constant,
    is_named,
    line_of_call,
    rounding,
    unnegated,
)

ROWS = (list, tuple)
MANY = 10  # items, at least, of a row that seems to be cut
LETTERS = ("title", "capitalize", "upper", "lower", "casefold", "swapcase")
TAKING = ("len", "list", "tuple", "set", "deque", "iter", "map", "sorted", "heappop", "heappush")
FILLING = ("*.append", "*.popleft", "*.pop", "*.extend", "*.insert", "*.remove", "*.clear")
CUTTING = (
    *("strip", "lstrip", "rstrip", "splitlines"),
    *("replace", "translate", "removeprefix", "removesuffix"),
)
CHANGING = ("pop", "popleft", "popitem", "remove", "discard", "clear", "sort", "reverse")
FALSY = (
    "None, 0 and what is empty count as false, and are values like any other. Ask whether it "
    "`is None`, or compare it with a mark of your own."
)


class Suspect(NamedTuple):
    """A line, what it does ("Line 4 …"), and what to try, or None for what goes with the kind."""

    line: int | None
    at: str = ""
    try_: str | None = None


def of_value(nodes: Collection[ast.AST], got: object, expected: object) -> Suspect | None:
    """The line that seems to make `got` of what should be `expected`, or None."""
    if _takes_for_nothing(got, expected):
        tests = set(_truth_tests(nodes, got))
        if tests:
            return _only(tests, "goes by what counts as false", FALSY)
    if _lacks_alike(got, expected):
        return of_alike(nodes)
    if _is_cut(got, expected) and (found := _only(_slices(nodes, len(got)), "takes no more")):
        return found
    if _is_none(got) and not _is_none(expected):
        if found := _only(_dropped(nodes), "drops what it gets"):
            return found
    if _has_more_nones(got, expected):
        return _only(_calls(nodes, "fromkeys"), "begins with a None for each")
    if (
        isinstance(got, (str, bytes))
        and got
        and expected
        and (found := _only(_returned(nodes, got), "returns it"))
    ):
        return found
    changed = filter(None, (_changed(nodes, *pair) for pair in _apart(got, expected)))
    return next(changed, None) or _only(_shared(nodes), "is one for all")


def of_truth(nodes: Collection[ast.AST]) -> Suspect | None:
    """The one line that asks whether something counts as true, where that is the mistake: of no
    flag, and of no row, which is asked whether there is anything to do.
    """
    others = _rows(nodes) | flags(nodes)
    tests = {
        test.lineno
        for node in nodes
        for test in _tests_of(node, heads=True)
        if others.isdisjoint(map(ast.unparse, _asked_of(test)))
    }
    return _only(tests | set(_filters(nodes)), "goes by what counts as false", FALSY)


def of_alike(nodes: Collection[ast.AST]) -> Suspect | None:
    """The one line that asks whether an item was there before, or that keeps items by a key."""
    asked = _only(_asked_before(nodes), "passes by what was there before")
    return asked or _only(_keyed(nodes), "keeps one of those that are alike")


def of_error(
    nodes: Collection[ast.AST], one: type[BaseException], other: type[BaseException]
) -> Suspect | None:
    """The one `except` that makes a difference between two errors, where the answer goes wrong
    with the first and goes well with the second.
    """
    handlers = [node for node in nodes if isinstance(node, ast.ExceptHandler)]
    wide, narrow = (
        {node for node in handlers if catches(node, names_of((error,)))} for error in (one, other)
    )
    if len(wide ^ narrow) != 1:
        return None
    (handler,) = wide ^ narrow
    if handler in narrow:
        return Suspect(handler.lineno, "doesn't catch it")
    again = _only(raised_again(handler), "raises it again")
    return again or Suspect(handler.lineno, "catches it")


def of_order(nodes: Collection[ast.AST], got: list, expected: list) -> Suspect | None:
    """The line that seems to give the items their order, or None."""
    ordered = _only(_calls(nodes, "as_completed", "sorted", "insert"), "gives them their order")
    if ordered is None and same_value(list(got)[::-1], list(expected)):
        ordered = _only(_calls(nodes, "pop", bare=True), "takes the last one first")
    return ordered or _only(_filled(nodes), "adds what is ready")


def of_change(nodes: Collection[ast.AST]) -> Suspect | None:
    """The line that seems to change a list, a dict or a set that it was given, or None."""
    return _only(_calls(nodes, *CHANGING), "changes it")


def _only(lines, at, try_=None):
    found = set(lines)
    return Suspect(found.pop(), at, try_) if len(found) == 1 else None


def _takes_for_nothing(got, expected):
    """Whether `expected` holds a value that counts as false, and `got` holds none like it."""
    have = list(_leaves(got))
    falsy = [value for value in _leaves(expected) if not value]
    lost = [value for value in falsy if not any(same_value(one, value) for one in have)]
    if isinstance(expected, ROWS) and not expected:
        return got is None  # a row of nothing: what is there besides was not lost
    others = [
        value for value in have if not value and not isinstance(value, (*ROWS, dict, type(None)))
    ]
    errors = sum(isinstance(value, BaseException) for value in have)  # they stand in its place
    return len(lost) > len(others) + errors and not (got is not None and expected is None)


def _leaves(thing) -> list[object]:
    """The values in rows and dicts, and in those in them; an empty one is a value."""
    if isinstance(thing, dict) and thing:
        thing = list(thing.values())
    if isinstance(thing, ROWS) and thing:
        return [leaf for part in thing for leaf in _leaves(part)]
    return [thing]


def _truth_tests(nodes, got) -> list[int]:
    """Tests by what counts as true or false. Where None was returned: those that lead to it.

    Parameters are asked, too, whether there is anything to do: they count where nothing else does.
    """
    given = {node.arg for node in nodes if isinstance(node, ast.arg)}
    known = flags(nodes)
    found = [
        test
        for node in nodes
        for test in _tests_of(node)
        if known.isdisjoint(map(ast.unparse, _asked_of(test)))
        if got is not None or not isinstance(node, ast.If) or _leads_to_none(node, test)
    ]
    others = [test for test in found if not (isinstance(test, ast.Name) and test.id in given)]
    made = [node for node in nodes if _gives_none(node)] if got is None else []
    return [test.lineno for test in made or others or found] + _filters(nodes)


def _gives_none(node):
    """Whether this is an `… or None`."""
    return isinstance(node, ast.BoolOp) and is_constant(node.values[-1], None)


def _filters(nodes) -> list[int]:
    return [
        line_of_call(node)
        for node in nodes
        if isinstance(node, ast.Call) and is_named(node.func, ("filter",)) and node.args
        if is_constant(node.args[0], None)
    ]


def _tests_of(node, heads=False) -> Iterator[ast.expr]:
    """What this node asks for its truth, of variables, items and what came of a call.

    heads: those of `while` too. Most ask whether there is anything to do.
    """
    if isinstance(node, (ast.If, ast.IfExp)):
        asked = [node.test]
    elif isinstance(node, ast.While):
        flag = isinstance(unnegated(node.test), ast.Attribute)
        asked = [node.test] if heads and not flag or isinstance(node.test, ast.NamedExpr) else []
    elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        asked = node.values[:-1]
        if isinstance(node.values[-1], ast.Constant):  # as in `max(0, wait) or None`
            yield from (part for part in asked if isinstance(part, (ast.Call, ast.BinOp)))
    else:
        asked = getattr(node, "ifs", [])
    for test in asked:
        yield from _plain_tests(test)


def _plain_tests(test) -> Iterator[ast.expr]:
    """The tests of which a condition is made, if they ask by what counts as true."""
    test = unnegated(test)
    if isinstance(test, ast.BoolOp):
        for part in test.values:
            yield from _plain_tests(part)
    elif _is_bare(test) or _is_compared_with_nothing(test):
        yield test


def _rows(nodes) -> set[str]:
    """What an answer takes for rows, as it names them: they are gone through, filled or emptied."""
    found = []
    for node in nodes:
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            found.append(node.iter)
        elif isinstance(node, ast.Starred):
            found.append(node.value)
        elif isinstance(node, ast.Call) and is_named(node.func, TAKING):
            found += node.args
        elif isinstance(node, ast.Call) and is_named(node.func, FILLING):
            found.append(node.func.value)
    return set(map(ast.unparse, found))


def _asked_of(test) -> list[ast.AST]:
    """The values whose truth, or whose being None, is asked for."""
    if isinstance(test, ast.NamedExpr):
        return [test.value]
    return [test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]


def _is_bare(test):
    """Whether a test asks for the truth of a variable, an item or what came of a call."""
    if isinstance(test, ast.Call):
        return is_named(test.func, ("result", "pop", "popleft", "get_nowait", "get"))
    return isinstance(test, (ast.Name, ast.Attribute, ast.Subscript, ast.NamedExpr, ast.Await))


def _is_compared_with_nothing(test):
    """Whether a test compares with None, 0 or something empty, to be it or not."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], (ast.Is, ast.IsNot, ast.Eq, ast.NotEq))
        and any(isinstance(part, ast.Constant) and not part.value for part in test.comparators)
    )


def _leads_to_none(node, test):
    """Whether an `if` returns None, or returns only what it has found to be true."""
    returned = [part.value for part in node.body if isinstance(part, ast.Return)]
    return any(
        value is None or is_constant(value, None) or ast.dump(value) == ast.dump(test)
        for value in returned
    )


def _is_none(value):
    if isinstance(value, ROWS) and value:
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


def _lacks_alike(got, expected):
    """Whether just what is there twice is missing from `got`."""
    if not (isinstance(got, ROWS) and isinstance(expected, ROWS)):
        return False
    once = []
    for item in expected:
        if not any(same_value(item, other) for other in once):
            once.append(item)
    return len(got) < len(expected) and same_value(got, once)


def _keyed(nodes) -> Iterator[int]:
    """Where a dict or a set is filled, which keeps one of those that are alike."""
    yield from _calls(nodes, "fromkeys")
    for node in nodes:
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("dict", "set"):
            yield line_of_call(node)
        if isinstance(node, (ast.DictComp, ast.SetComp)):
            yield node.lineno
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            yield node.lineno


def _asked_before(nodes) -> Iterator[int]:
    for node in nodes:
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn):
            yield node.lineno


def _is_cut(got, expected):
    """Whether `expected` goes on where `got` ends, after so many that no number is an accident."""
    if not (isinstance(got, ROWS) and isinstance(expected, ROWS)):
        return False
    length = len(got)
    return MANY <= length < len(expected) and same_value(list(got), list(expected)[:length])


def _slices(nodes, length) -> Iterator[int]:
    """Where a row is cut to this length."""
    for node in nodes:
        if isinstance(node, ast.Slice) and is_constant(node.upper, length):
            yield node.upper.lineno


def _bounds(nodes, value) -> Iterator[int]:
    """Where this very number is the least or the most that may come out."""
    for node in nodes:
        if isinstance(node, ast.Call) and is_named(node.func, ("min", "max")):
            if any(is_constant(part, value) for part in node.args):
                yield line_of_call(node)


def _apart(got, expected) -> Iterator[tuple[object, object]]:
    """The pairs of what stands at the same place and is not the same."""
    rows = isinstance(got, ROWS) and isinstance(expected, ROWS)
    if not rows:
        yield got, expected
    elif len(got) == len(expected):
        yield from (pair for pair in zip(got, expected) if not same_value(*pair))


def _changed(nodes, one, wanted):
    """The call that seems to have made `one` of `wanted`: it rounds, or changes a text."""
    if isinstance(one, (int, float)) and isinstance(wanted, (int, float)):
        rounded = _only(rounding(nodes), "rounds") if abs(one - wanted) < 1 else None
        return rounded or _only(_bounds(nodes, one), "sets this bound")
    if isinstance(one, str) and one == str(wanted) != wanted:
        return _only(_calls(nodes, "str"), "makes a text of it")
    if not any(isinstance(one, kind) and isinstance(wanted, kind) for kind in (str, bytes)):
        return None
    if one.lower() == wanted.lower():
        return _only(_calls(nodes, *LETTERS), "changes letters")
    return _only(_calls(nodes, *CUTTING), "cuts it") if one in wanted else None


def _shared(nodes) -> Iterator[int]:
    """A `global`, an attribute of the function or the class itself, or what the body of a class
    makes for all that are made of it.
    """
    defined = {node.name for node in nodes if is_function(node) or isinstance(node, ast.ClassDef)}
    for node in nodes:
        if isinstance(node, ast.Global):
            yield node.lineno
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and dotted(target)[0] in defined:
                    yield node.lineno
        elif isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, (ast.Assign, ast.AnnAssign)) and isinstance(part.value, MAKING):
                    yield part.lineno


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
