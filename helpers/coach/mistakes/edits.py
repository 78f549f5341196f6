"""Small changes of a program, one at a time: what a learner may have meant instead.

They are the slips that people make, taken back: another name, another sign, one more or one less, a
line too many, a line one step too early or too deep. The idea is that of program repair (Weimer et
al., "Automatically finding patches using genetic programming", 2009), with single edits alone.

Long, for each kind of slip has a change of its own.
"""

import ast
import copy
from collections.abc import Callable, Iterator
from typing import NamedTuple

from helpers.coach.form.text import is_function
from helpers.coach.mistakes.nodes import is_named

MANY = 10_000  # in place of a number that is too small
OTHER_SIGNS = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq, ast.Is),
    ast.NotEq: (ast.Eq, ast.IsNot),
    ast.Is: (ast.IsNot, ast.Eq),
    ast.IsNot: (ast.Is, ast.NotEq),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Pow, ast.Div),
    ast.Pow: (ast.Mult,),
    ast.Div: (ast.FloorDiv, ast.Mult),
    ast.FloorDiv: (ast.Div,),
}
# Names and methods that are taken for each other.
ALIKE = [
    ("min", "max"),
    ("any", "all"),
    ("pop", "popleft"),
    ("append", "appendleft", "extend"),
    ("discard", "clear"),
    ("strip", "rstrip", "lstrip"),
    ("partition", "rpartition"),
    ("FIRST_COMPLETED", "ALL_COMPLETED", "FIRST_EXCEPTION"),
    ("call_soon", "call_soon_threadsafe"),
    ("cancelled", "done"),
    ("heappop", "heappush"),
]
ERRORS = ("Exception", "BaseException", "asyncio.CancelledError", "StopIteration", "ValueError")
BLOCKS = ("body", "orelse", "finalbody")
COMPOUND = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try)
FALSY = (
    "0 and what is empty count as false, and are yet values like any other. Ask for what you mean, "
    "such as whether it `is None`."
)
NUMBER = "With another number there the answer is right."
FLAG = "With the other one of True and False there the answer is right."
NAME = "With another name there the answer is right. What does this one stand for at that moment?"
FUNCTION = "With another function there the answer is right. What does this one do, just then?"
COPY = "With a list of its own there the answer is right. What happens to this one meanwhile?"
SIGN = "With another sign there the answer is right. Which case falls on the wrong side of it now?"
PART = "Without a part of it the answer is right. Ask of each part what it is for."
WORDS = "`and` needs all its parts, `or` needs one. With the other word the answer is right."
TURNED = "Asked the other way round, the answer is right."
UNASKED = "Without this test the answer is right. What does it let through, or keep away?"
ORDER = "With its arguments in another order the answer is right."
ARGUMENTS = "With one argument fewer the answer is right."
GATHERED = "With `return_exceptions=True` the answer is right: then all of them are waited for."
WHOLE = "Where the whole is compared, and not its begin or its end alone, the answer is right."
UNCALLED = "Without this call the answer is right."
AWAITED = "With an `await` there the answer is right."
UNAWAITED = "Without this wait the answer is right. Who is kept waiting by it?"
LAZY = "Where the items are made one by one, as they are asked for, the answer is right."
EAGER = "Where all items are made at once, the answer is right."
ONE_OFF = "With one more or one less there the answer is right."
SUMMED = "`+=` adds to what is there, `=` puts another value in its place. Which one is meant?"
HANDLED = (
    "Where this `except` catches other errors, the answer is right. Which ones reach it, and what "
    "becomes of them?"
)
RAISED = "Where this `except` ends in a `raise`, the answer is right."
GONE = "Without this line the answer is right."
UNWRAPPED = "What stands inside is right; it must not depend on this line."
LEFT = (
    "`pass`, `continue`, `break`, `return` and `raise` go on at different places. With another one "
    "of them the answer is right."
)
AGAIN = "With `while` in the place of `if` the answer is right: it has to be asked again."
ONCE = "With `if` in the place of `while` the answer is right: it has to be asked once."
ELSEWHERE = (
    "At another place this line is right. What must have happened before it, what must not, and in "
    "which block does it belong?"
)
NO_PROGRAM = (ast.arguments, ast.Module)  # what is in there is not changed itself


class Edit(NamedTuple):
    """A change. line: that it changes. rank: 0 of an expression, 1 of an `except`, 2 of a line
    that goes, 3 of one that goes elsewhere. hint: what to try, where it makes the answer right; it
    doesn't tell the change itself.
    """

    line: int
    rank: int
    hint: str


def edits(tree: ast.Module) -> Iterator[Edit]:
    """Make one change after another, those of a lower rank first. The tree is changed until the
    next is asked for; then it is as it was.
    """
    yield from _of_expressions(tree)
    for rank, change in enumerate((_of_handlers, _without, _moved), 1):
        for block, statements in _blocks(tree):
            for line, changed, hint in change(statements):
                block(changed)
                yield Edit(line, rank, hint)
                block(statements)


def _blocks(tree) -> Iterator[tuple[Callable[[list], None], list[ast.stmt]]]:
    """(what puts other statements there, the statements) of each block of a function."""
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.Module):
            continue
        for name in BLOCKS:
            statements = getattr(node, name, None)
            if isinstance(statements, list) and statements:
                yield (
                    (lambda changed, node=node, name=name: setattr(node, name, changed)),
                    statements,
                )


# Expressions


def _of_expressions(tree):
    later = []
    for node, names in _with_names(tree):
        for name, value in ast.iter_fields(node):
            parts = value if isinstance(value, list) else [value]
            for at, part in enumerate(parts):
                if not isinstance(part, ast.expr) or name in ("annotation", "returns"):
                    continue
                place = (
                    (lambda new, parts=parts, at=at: parts.__setitem__(at, new))
                    if (isinstance(value, list))
                    else (lambda new, node=node, name=name: setattr(node, name, new))
                )
                for new, hint in _instead(part, node, name):
                    yield from _placed(place, part, new, hint)
                later.append((place, part, names))
    for place, part, names in later:  # they are many
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id in names:
            for other in sorted(names - {part.id}):
                yield from _placed(place, part, ast.Name(other, ast.Load()), NAME)
    for statement, change in _assignments(tree):
        place, new = change
        yield from _placed(place, statement, new, SUMMED)


def _placed(place, old, new, hint):
    place(ast.copy_location(copy.copy(new), old))
    yield Edit(old.lineno, 0, hint)
    place(old)


def _with_names(tree) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """Each node in a function, with the names that the functions around it give to values."""

    def walk(node, names):
        if is_function(node) or isinstance(node, ast.Lambda):
            names = names | _named_in(node)
        if names and not isinstance(node, NO_PROGRAM):
            yield node, names
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.arguments):
                yield from walk(child, names)

    yield from list(walk(tree, frozenset()))


def _named_in(function):
    arguments = function.args
    found = {one.arg for one in [*arguments.args, *arguments.posonlyargs, *arguments.kwonlyargs]}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return frozenset(found - {"self"})


def _instead(node, parent, field) -> Iterator[tuple[ast.expr, str]]:
    """What may stand in place of an expression, with its hint. field: of the parent, where it
    stands.
    """
    called = isinstance(parent, ast.Call) and field == "func"
    if field in ("test", "ifs") or isinstance(parent, ast.BoolOp):
        yield from _otherwise_asked(node)
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value), FLAG
        case ast.Constant(value=int(value)):
            for other in {value + 1, value - 1, 0, MANY} - {value}:
                yield ast.Constant(other), NUMBER
        case ast.Name(id=name, ctx=ast.Load()):
            for other in _alike(name):
                yield ast.Name(other, ast.Load()), FUNCTION
            if not called:
                yield _call("list", node), COPY
        case ast.Attribute(attr=name, ctx=ast.Load()):
            for other in _alike(name):
                yield ast.Attribute(node.value, other, ast.Load()), FUNCTION if called else NAME
            if not called:
                yield _call("list", node), COPY
        case ast.Compare(ops=[sign]):
            for other in OTHER_SIGNS.get(type(sign), ()):
                yield ast.Compare(node.left, [other()], node.comparators), SIGN
        case ast.BinOp(left=left, op=sign, right=right):
            for other in OTHER_SIGNS.get(type(sign), ()):
                yield ast.BinOp(left, other(), right), SIGN
            yield from ((left, PART), (right, PART), (ast.BinOp(right, sign, left), ORDER))
        case ast.BoolOp(op=sign, values=values):
            if isinstance(sign, ast.Or) and len(values) == 2:
                yield ast.IfExp(_is_none(values[0]), values[1], values[0]), FALSY
            yield ast.BoolOp(ast.And() if isinstance(sign, ast.Or) else ast.Or(), values), WORDS
            yield from ((value, PART) for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand, TURNED
        case ast.IfExp():
            yield from ((node.body, UNASKED), (node.orelse, UNASKED))
        case ast.Tuple(elts=parts, ctx=ast.Load()):
            yield from ((part, PART) for part in parts)
        case ast.Await(value=value):
            # A coroutine of which nothing is kept goes altogether: it would not run.
            stays = not isinstance(parent, ast.Expr) or is_named(
                getattr(value, "func", value), ("create_task", "ensure_future", "gather")
            )
            yield value if stays else ast.Constant(None), UNAWAITED
        case ast.Call():
            yield from _called_otherwise(node)
            if not isinstance(parent, ast.Await):
                yield ast.Await(node), AWAITED
        case ast.ListComp() | ast.SetComp():
            yield ast.GeneratorExp(node.elt, node.generators), LAZY
        case ast.GeneratorExp():
            yield ast.ListComp(node.elt, node.generators), EAGER
    in_one = isinstance(parent, (ast.BinOp, ast.Await, ast.Expr, ast.Attribute)) or called
    counts = isinstance(node, ast.Name) and _is_bound(parent, field)
    if counts or (isinstance(node, (ast.Call, ast.BinOp)) and not in_one):
        yield ast.BinOp(node, ast.Add(), ast.Constant(1)), ONE_OFF
        yield ast.BinOp(node, ast.Sub(), ast.Constant(1)), ONE_OFF


def _is_bound(parent, field):
    """Whether what stands in this field says how far something goes."""
    ranges = isinstance(parent, ast.Call) and getattr(parent.func, "id", "") == "range"
    return field in ("lower", "upper", "comparators") or (ranges and field == "args")


def _otherwise_asked(node):
    """A condition that is asked of None alone, the other way round, or not at all."""
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.NamedExpr)):
        yield ast.UnaryOp(ast.Not(), _is_none(node)), FALSY
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield _is_none(node.operand), FALSY
    yield ast.UnaryOp(ast.Not(), node), TURNED
    yield from ((ast.Constant(True), UNASKED), (ast.Constant(False), UNASKED))


def _called_otherwise(node):
    """A call with its arguments in another order, with one less, or without the call; and the
    whole asked for, not its begin or its end.
    """
    arguments = node.args
    for at in range(len(arguments) - 1):
        turned = list(arguments)
        turned[at : at + 2] = reversed(turned[at : at + 2])
        yield ast.Call(node.func, turned, node.keywords), ORDER
    if len(arguments) > 1:
        for at in range(len(arguments)):
            fewer = arguments[:at] + arguments[at + 1 :]
            yield ast.Call(node.func, fewer, node.keywords), ARGUMENTS
    for at in range(len(node.keywords)):
        fewer = node.keywords[:at] + node.keywords[at + 1 :]
        yield ast.Call(node.func, arguments, fewer), ARGUMENTS
    if getattr(node.func, "attr", getattr(node.func, "id", "")) == "gather":
        kept = ast.keyword("return_exceptions", ast.Constant(True))
        if all(one.arg != kept.arg for one in node.keywords):
            yield ast.Call(node.func, arguments, [*node.keywords, kept]), GATHERED
    if getattr(node.func, "attr", "") in ("startswith", "endswith") and len(arguments) == 1:
        yield ast.Compare(node.func.value, [ast.Eq()], arguments), WHOLE
    if len(arguments) == 1 and not node.keywords and not isinstance(arguments[0], ast.Starred):
        yield arguments[0], UNCALLED


def _assignments(tree):
    """Each assignment that may have been meant to add, and each that adds, with what takes its
    place.
    """
    for block, statements in _blocks(tree):
        for at, one in enumerate(statements):
            match one:
                case ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.BinOp(left=ast.Name(id=same), op=sign, right=value),
                ) if name == same:
                    new = ast.AugAssign(ast.Name(name, ast.Store()), sign, value)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    new = ast.AugAssign(ast.Name(name, ast.Store()), ast.Add(), value)
                case ast.AugAssign(target=ast.Name(id=name), value=value):
                    new = ast.Assign([ast.Name(name, ast.Store())], value)
                case _:
                    continue

            def place(new, block=block, statements=statements, at=at):
                block([*statements[:at], new, *statements[at + 1 :]])

            yield one, (place, new)


def _alike(name):
    return [other for group in ALIKE if name in group for other in group if other != name]


def _call(name, argument):
    return ast.Call(ast.Name(name, ast.Load()), [argument], [])


def _is_none(node):
    return ast.Compare(node, [ast.Is()], [ast.Constant(None)])


# Statements: (the line that is changed, the block with the change, its hint)


def _of_handlers(statements):
    for at, one in enumerate(statements):
        if not isinstance(one, ast.Try):
            continue
        for number, handler in enumerate(one.handlers):
            caught = ast.unparse(handler.type) if handler.type else ""
            others = [ast.parse(error, mode="eval").body for error in ERRORS if error != caught]
            changed = [
                (ast.ExceptHandler(error, handler.name, handler.body), HANDLED) for error in others
            ]
            again = [*handler.body, ast.Raise(None, None)]
            changed += [
                (ast.ExceptHandler(handler.type, handler.name, body), RAISED)
                for body in (again, again[-1:])
            ]
            for other, hint in changed:
                block = copy.copy(one)
                block.handlers = [*one.handlers]
                block.handlers[number] = ast.copy_location(other, handler)
                yield handler.lineno, [*statements[:at], block, *statements[at + 1 :]], hint


def _without(statements):
    for at, one in enumerate(statements):
        before, after = statements[:at], statements[at + 1 :]
        if _is_docstring(one):
            continue
        yield one.lineno, [*before, *after] or [ast.Pass()], GONE
        match one:
            case ast.If() | ast.With() | ast.AsyncWith():
                yield one.lineno, [*before, *one.body, *after], UNWRAPPED
            case ast.Try():
                bare = [*before, *one.body, *one.orelse, *one.finalbody, *after]
                yield one.lineno, bare, UNWRAPPED
        for other, hint in _other_end(one):
            yield one.lineno, [*before, ast.copy_location(other, one), *after], hint


def _other_end(one):
    """What may stand in place of a statement that leaves, or of one that asks once or for ever;
    with its hint.
    """
    match one:
        case ast.Return(value=ast.Name() as value):
            yield ast.Raise(value, None), LEFT
    match one:
        case ast.Return() | ast.Pass():
            yield from ((end, LEFT) for end in (ast.Break(), ast.Continue(), ast.Raise(None, None)))
        case ast.Break():
            yield from ((end, LEFT) for end in (ast.Continue(), ast.Return(None)))
        case ast.Continue():
            yield from ((end, LEFT) for end in (ast.Break(), ast.Return(None)))
        case ast.Raise():
            yield ast.Return(None), LEFT
        case ast.If(orelse=[]):
            yield ast.While(one.test, one.body, []), AGAIN
        case ast.While(orelse=[]):
            yield ast.If(one.test, one.body, []), ONCE


def _moved(statements):
    for at, one in enumerate(statements):
        before, after = statements[:at], statements[at + 1 :]
        if after and not _is_docstring(one):
            follower, *others = after
            yield one.lineno, [*before, follower, one, *others], ELSEWHERE
            for block in _with_more(follower, one):
                yield one.lineno, [*before, block, *others], ELSEWHERE
            for block in _with_more(one, follower):
                yield follower.lineno, [*before, block, *others], ELSEWHERE
        if isinstance(one, COMPOUND):
            for name in BLOCKS:
                inner = getattr(one, name, [])
                if inner:
                    rest = _block(one, name, inner[:-1])
                    yield inner[-1].lineno, [*before, rest, inner[-1], *after], ELSEWHERE
                    rest = _block(one, name, inner[1:])
                    yield inner[0].lineno, [*before, inner[0], rest, *after], ELSEWHERE
            if isinstance(one, (ast.For, ast.While)) and isinstance(one.body[-1], ast.If):
                earlier = _block(one, "body", [one.body[-1], *one.body[:-1]])
                yield one.body[-1].lineno, [*before, earlier, *after], ELSEWHERE
            if isinstance(one, ast.Try):
                rest = _block(one, "body", one.body[:-1])
                for name in ("orelse", "finalbody"):
                    if name == "finalbody" or one.handlers:
                        moved = _block(rest, name, [one.body[-1], *getattr(one, name)])
                        yield one.body[-1].lineno, [*before, moved, *after], ELSEWHERE


def _with_more(block, statement):
    """A block that takes in a statement, at the end of one of its parts or at the beginning."""
    if isinstance(block, COMPOUND):
        for name in BLOCKS:
            inner = getattr(block, name, [])
            if inner or (name == "finalbody" and isinstance(block, ast.Try)):
                yield _block(block, name, [*inner, statement])
                if inner:
                    yield _block(block, name, [statement, *inner])


def _block(one, name, statements):
    """A block of which one part holds other statements."""
    other = copy.copy(one)
    setattr(other, name, statements or ([ast.Pass()] if name == "body" else []))
    return other


def _is_docstring(one):
    return isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
