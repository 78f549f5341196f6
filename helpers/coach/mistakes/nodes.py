"""What an expression or a statement holds: names, constants, signs."""

import ast
import functools
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from helpers.coach.form.text import is_function

COLLECTED = (ast.ListComp, ast.SetComp, ast.DictComp)
COMPREHENSIONS = (*COLLECTED, ast.GeneratorExp)
LOOPS = (ast.For, ast.While, *COMPREHENSIONS, ast.AsyncFor)
MAKING = (ast.List, ast.Dict, ast.Set, ast.Call)  # what makes a thing that can be changed
COPYING = ("list", "tuple", "set", "dict", "deque", "copy", "deepcopy")
UNCHANGING = ("object", "frozenset", "tuple", "str", "bytes", "int", "float", "namedtuple")
SIGNS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitOr: "|",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Or: "or",
    ast.And: "and",
}
LOCKS = ("lock", "semaphore", "boundedsemaphore", "condition")
ROUNDING = ("round", "int", "floor", "ceil", "trunc")
ANYTHING = object()
"""Stands for any constant."""


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below `node`, without those of functions defined in there."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield child
            yield from own_nodes(child)


def nodes_of_block(statements: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    """The statements of a block and the nodes below them, without those of functions defined in
    there.
    """
    for statement in statements:
        yield statement
        if not is_function(statement):
            yield from own_nodes(statement)


def spans(node: ast.AST, line: int) -> bool:
    """Whether a line is one of those on which a statement stands."""
    return node.lineno <= line <= node.end_lineno


def names_in(type_: ast.expr | None) -> list[str]:
    """The names of the errors in an `except`; none if it catches everything."""
    parts = type_.elts if isinstance(type_, ast.Tuple) else [type_] if type_ else []
    return [dotted(part)[-1] for part in parts]


def suppressed_by(node: ast.AST) -> list[str] | None:
    """The names of the errors in a `suppress(…)`; None if it is something else."""
    if not (isinstance(node, ast.Call) and is_named(node.func, ("suppress",))):
        return None
    return [name for part in node.args for name in names_in(part)]


def line_of_call(call: ast.Call) -> int:
    """Where the called name stands: in a chain over several lines, not where that begins."""
    return call.func.end_lineno


@functools.cache
def split_name(name: str) -> list[str]:
    """The parts of a dotted name; remembered, for checks ask for the same few."""
    return name.split(".")


def dotted(node: ast.AST) -> list[str]:
    """The names of `a.b.c`, outermost first; "" for what is no name."""
    match node:
        case ast.Name():
            return [node.id]
        case ast.Attribute():
            return [*dotted(node.value), node.attr]
    return [""]


def is_named(node: ast.AST, names: Iterable[str]) -> bool:
    """Whether a variable or an attribute has one of these names; always, if there is none."""
    if not names:
        return True
    path = dotted(node)
    for name in names:
        asked = split_name(name)
        if len(asked) <= len(path) and all(map(fnmatchcase, path[-len(asked) :], asked)):
            return True
    return False


def uses(names: Iterable[str], node: ast.AST | None) -> bool:
    """Whether something is named so in an expression; always, where no name is asked for."""
    return not names or any(
        isinstance(part, (ast.Name, ast.Attribute)) and is_named(part, names)
        for part in (ast.walk(node) if node is not None else ())
    )


def is_own_number(node: ast.AST) -> bool:
    """Whether this is a constant, or a name in capitals, which stands for one."""
    return isinstance(node, ast.Constant) or isinstance(node, ast.Name) and node.id.isupper()


def is_constant(node: ast.AST, value: object) -> bool:
    """Whether this is the constant `value`, or a string or bytes with it inside."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return isinstance(value, int) and is_constant(node.operand, -value)
    if not isinstance(node, ast.Constant):
        return False
    if isinstance(value, str) and isinstance(node.value, (str, bytes)):
        return value in str(node.value)
    return type(node.value) is type(value) and node.value == value


def is_given(call: ast.Call, given: object) -> bool:
    """Whether an argument is or uses `given`, as in `holds`; "()" is a call."""
    if given is ANYTHING:
        return True
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    if given == "()":
        return any(isinstance(argument, ast.Call) for argument in arguments)
    return any(holds(argument, given) for argument in arguments)


def holds(node: ast.AST, what: object) -> bool:
    """Whether an expression uses the name `what`, holds a node of this type, or is this constant
    or an empty list.
    """
    if isinstance(what, str):
        return uses((what,), node)
    if isinstance(what, type):
        return any(isinstance(part, what) for part in ast.walk(node))
    return is_constant(node, what) or (what == [] and isinstance(node, ast.List) and not node.elts)


def is_copy_of(node: ast.AST | None, names: Iterable[str]) -> bool:
    """Whether an expression copies what has one of these names, or all that is in it."""
    match node:
        case ast.Call():
            parts = [node.func, *node.args] if is_named(node.func, COPYING) else []
        case ast.List() | ast.Set() | ast.Tuple():
            parts = [part for part in node.elts if isinstance(part, ast.Starred)]
        case ast.Dict():
            parts = [value for key, value in zip(node.keys, node.values) if key is None]
        case ast.ListComp() | ast.SetComp() | ast.DictComp():
            parts = [node.generators[0].iter]
        case _:
            parts = []
    return any(uses(names, part) for part in parts)


def signs_of(node: ast.AST) -> list[str]:
    """The signs of an operation, an assignment with one, or a comparison."""
    if isinstance(node, ast.Compare):
        return [SIGNS[type(sign)] for sign in node.ops]
    return [SIGNS.get(type(node.op), "") + "=" * isinstance(node, ast.AugAssign)]


def makes_changing(node: ast.AST) -> bool:
    """Whether an expression makes a thing that can be changed, such as a list; a bare `object()`
    is a mark.
    """
    if isinstance(node, ast.Call) and is_named(node.func, UNCHANGING):
        return False
    return isinstance(node, MAKING)


def makes_row(node: ast.AST) -> bool:
    """Whether an expression makes a list, a dict, a set or a deque, and not a lock, for example."""
    if isinstance(node, ast.Call):
        return is_named(node.func, (*COPYING, "defaultdict", "Counter", "OrderedDict"))
    return isinstance(node, MAKING)


def targets_of(target: ast.AST) -> Iterator[ast.AST]:
    """What an assignment gives values to: names, attributes and what holds the items."""
    match target:
        case ast.Tuple() | ast.List():
            for part in target.elts:
                yield from targets_of(part)
        case ast.Starred() | ast.Subscript():
            yield from targets_of(target.value)
        case _:
            yield target


def flags(nodes: Iterable[ast.AST]) -> set[str]:
    """The names and attributes that are given True or False, and nothing else."""
    given: dict[str, bool] = {}
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr)):
            is_flag = isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool)
            for target in getattr(node, "targets", None) or [node.target]:
                for part in targets_of(target):
                    name = ast.unparse(part)
                    given[name] = is_flag and given.get(name, True)
    return {name for name, is_flag in given.items() if is_flag}


def errors_kept(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that hold an error that was caught, or None, and nothing else: an error counts as
    true.
    """
    nodes = list(nodes)
    caught = {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}
    given: dict[str, list[ast.expr]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                given.setdefault(ast.unparse(target), []).append(node.value)
    return {
        name
        for name, values in given.items()
        if any(isinstance(value, ast.Name) and value.id in caught for value in values)
        and all(
            is_constant(value, None) or isinstance(value, ast.Name) and value.id in caught
            for value in values
        )
    }


def unnegated(test: ast.expr) -> ast.expr:
    """A condition without the `not` before it."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    return test


def ifs_that_raise(nodes: Iterable[ast.AST]) -> Iterator[ast.If]:
    """Each `if` that decides whether an error is raised."""
    for node in nodes:
        if isinstance(node, ast.If):
            if any(isinstance(part, ast.Raise) for part in (*node.body, *node.orelse)):
                yield node


def locks_made_per_call(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, ast.AsyncFunctionDef]]:
    """The lines at which an `async def` makes a lock, so anew in each call of it, and that
    function; not where it may be made once and kept: `locks.setdefault(key, Lock())`, or in an
    `if`.
    """
    for function in nodes:
        if isinstance(function, ast.AsyncFunctionDef):
            kept = set()
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and dotted(node.func)[-1] == "setdefault":
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
                if isinstance(node, ast.Call) and dotted(node.func)[-1].lower() in LOCKS:
                    if node not in kept:
                        yield node.lineno, function


def rounding(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """The lines in which a number loses what stands behind its point."""
    for node in nodes:
        if isinstance(node, ast.Call) and is_named(node.func, ROUNDING):
            yield line_of_call(node)
        elif isinstance(getattr(node, "op", None), ast.FloorDiv):
            yield node.lineno
