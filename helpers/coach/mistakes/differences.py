"""Where an answer seems to go wrong, told by what it gave and what was asked: the line that leaves
out what counts as false, that keeps one of two alike, that rounds, changes letters, or catches an
error.

It is no more than a good guess, so it names a line only where the difference is such a one and the
answer has such a line.
"""

import ast
from collections.abc import Iterator

from helpers.coach.form.statement import same_value
from helpers.coach.mistakes.lines import Lines

ROWS = (list, tuple)
ROUNDING = ("round", "int", "floor", "ceil", "trunc", "format")
LETTERS = ("title", "capitalize", "upper", "lower", "casefold", "swapcase")
CUTTING = ("lstrip", "rstrip", "replace", "translate", "removeprefix", "removesuffix")


def line_of_difference(lines: Lines, got: object, asked: object) -> int | None:
    """The line that seems to make `got` of what should be `asked`, or None."""
    if lost := _lost_error(got, asked):
        return lines.raising() or lines.handler(type(lost))
    if _lacks_false_ones(got, asked):
        return truth_test(lines)
    if _lacks_alike(got, asked):
        return (
            lines.earliest(lines.node(ast.DictComp, ast.SetComp), lines.operation("not in"))
            or lines.call_of("dict", "set", "fromkeys", "index")
            or _item_assigned(lines)
        )
    return next(filter(None, (_line_of_pair(lines, *pair) for pair in _pairs(got, asked))), None)


def truth_test(lines: Lines) -> int | None:
    """The line that asks whether something is true, None or empty, but for a parameter of a
    function, such as the list of all.
    """
    parameters = {node.arg for node in lines.nodes() if isinstance(node, ast.arg)}
    tests = []
    for node in lines.nodes():
        if isinstance(node, (ast.If, ast.IfExp)):
            tests.append(node.test)
        elif isinstance(node, ast.comprehension):
            tests += node.ifs
        elif isinstance(node, ast.BoolOp):
            tests += node.values[:-1]
    loops = [node.test for node in lines.nodes() if isinstance(node, ast.While)]
    for found in (tests, loops):
        asking = [test.lineno for test in found if _asks_for_truth(test, parameters)]
        if asking:
            return min(asking)
    return lines.call_of("filter")


def _asks_for_truth(test, parameters):
    while isinstance(test, ast.UnaryOp):
        test = test.operand
    if isinstance(test, ast.Compare):
        return any(
            isinstance(part, ast.Constant) and not part.value
            for part in (test.left, *test.comparators)
        )
    if isinstance(test, ast.Name):
        return test.id not in parameters
    return isinstance(test, (ast.NamedExpr, ast.Await, ast.Subscript, ast.Attribute))


def _lost_error(got, asked):
    """An error that was asked for and is not in its place, or None."""
    found = (wanted for one, wanted in _pairs(got, asked) if not same_value(one, wanted))
    return next((error for error in found if isinstance(error, BaseException)), None)


def _lacks_false_ones(got, asked):
    if not (isinstance(got, ROWS) and isinstance(asked, ROWS)):
        return not asked and got is None
    if len(got) == len(asked):
        apart = [pair for pair in zip(got, asked) if not same_value(*pair)]
        return all(one is None and not wanted for one, wanted in apart)
    return len(got) < len(asked) and (
        same_value(got, [item for item in asked if item])
        or any(not item for item in asked)
        and same_value(got, _until_false(asked))
        or same_value(got, [item for item in asked if item is not None])
    )


def _until_false(items):
    return items[: next(number for number, item in enumerate(items) if not item)]


def _lacks_alike(got, asked):
    if not (isinstance(got, ROWS) and isinstance(asked, ROWS)):
        return False
    once = []
    for item in asked:
        if not any(same_value(item, other) for other in once):
            once.append(item)
    return len(got) < len(asked) and same_value(got, once)


def _pairs(got, asked) -> Iterator[tuple[object, object]]:
    if isinstance(got, ROWS) and isinstance(asked, ROWS):
        if len(got) == len(asked):
            yield from zip(got, asked)
    else:
        yield got, asked


def _line_of_pair(lines, one, wanted):
    if same_value(one, wanted):
        return None
    if isinstance(one, (int, float)) and isinstance(wanted, (int, float)):
        near = abs(one - wanted) < 1
        return near and (lines.call_of(*ROUNDING) or lines.operation("//")) or None
    if isinstance(one, str) and isinstance(wanted, str):
        if one.casefold() == wanted.casefold():
            return lines.call_of(*LETTERS)
        return lines.call_of(*CUTTING)
    return lines.call_of("str", "repr") if isinstance(one, str) else None


def _item_assigned(lines):
    """The line that puts something at a place of a dict or a list."""
    return min(
        (
            node.lineno
            for node in lines.nodes()
            if isinstance(node, ast.Assign)
            and any(isinstance(target, ast.Subscript) for target in node.targets)
        ),
        default=None,
    )
