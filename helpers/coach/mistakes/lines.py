"""Lines of an answer, found in its syntax tree: what is called, awaited, caught, returned.

A docstring, a comment or a string is never found, whatever words it holds.

Long, for each thing that an answer can be asked for is a method.
"""

import ast
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase

from helpers.coach.form.text import is_function
from helpers.coach.mistakes.nodes import (
    ANYTHING,
    COLLECTED,
    LOOPS,
    holds,
    is_constant,
    is_copy_of,
    is_given,
    is_named,
    line_of_call,
    makes_changing,
    names_in,
    own_nodes,
    signs_of,
    suppressed_by,
    targets_of,
    uses,
)

FOR = (ast.For, ast.AsyncFor, ast.comprehension)

# What makes a new thing of those that stand in it.
MADE_ANEW = (ast.BinOp, ast.List, ast.Set, ast.Dict, *COLLECTED)


class Lines:
    """What a syntax tree tells of lines. Each method returns the number of the first line that
    holds such a thing, or None, so that `a or b` falls back on `b`.

    A name is that of a variable or an attribute. One with dots, as "asyncio.run", must have that
    before it; `*` stands for any letters ("*Executor"), or before a dot for any name ("*.get"), and
    nothing before a dot for what has none, as in `submit(job).result()` (".result").
    Where several are given, one will do; where none is, anything will.
    """

    def nodes(self) -> list[ast.AST]:
        """All nodes of the answer's own tree, and of what it uses of its cell."""
        raise NotImplementedError

    def is_own(self, line: int) -> bool:
        """Whether a line stands in the answer itself, and not in a helper of it: those in helpers
        come after all others.
        """
        return True

    def has_run(self, line: int) -> bool:
        """Whether a line has run: of a helper's lines or of the answer's own, those come first."""
        raise NotImplementedError

    def earliest(self, *lines: int | None) -> int | None:
        """The first of these lines that are there at all."""
        return self._first(line for line in lines if line is not None)

    # Expressions

    def call_of(self, *names: str, given: object = ANYTHING) -> int | None:
        """A call of a function or a method. given: one of its arguments uses this name, or is a
        call ("()"), or this constant.
        """
        return self._first(
            line_of_call(call)
            for call in self._of(ast.Call)
            if is_named(call.func, names) and is_given(call, given)
        )

    def repeated_call_of(self, *names: str) -> int | None:
        """A call that a loop makes again and again, or a comprehension."""
        return self._first(
            line_of_call(node)
            for loop in self._of(*LOOPS)
            for node in own_nodes(loop)
            if isinstance(node, ast.Call) and is_named(node.func, names)
        )

    def wait_behind(self, *names: str) -> int | None:
        """A sleep, or a wait with a limit, in a line behind the first call of such a name."""
        first = self.call_of(*names)
        return self._first(
            line_of_call(call)
            for call in self._of(ast.Call)
            if is_named(call.func, ("sleep", "timeout*", "wait_for"))
            or any(keyword.arg == "timeout" for keyword in call.keywords)
            if first and first < line_of_call(call)
        )

    def bare_call_of(self, *names: str) -> int | None:
        """A call that hands over no argument."""
        return self._first(
            line_of_call(call)
            for call in self._of(ast.Call)
            if is_named(call.func, names) and not (call.args or call.keywords)
        )

    def dropping(self, *names: str) -> int | None:
        """A call of such a name, or the name alone, with whose value nothing is done: it isn't
        awaited either.
        """
        return self._first(
            node.lineno
            for node in self._of(ast.Expr)
            if is_named(getattr(node.value, "func", node.value), names)
        )

    def use_of(self, *names: str) -> int | None:
        """A variable, attribute or function of this name, called or not."""
        used = (node for node in self._of(ast.Name, ast.Attribute) if is_named(node, names))
        return self._first(node.end_lineno for node in used)

    def await_of(self, *names: str, besides: str = "") -> int | None:
        """An `await` of something that uses the name, and doesn't use `besides`."""
        return self._first(
            node.lineno
            for node in self._of(ast.Await)
            if uses(names, node.value) and not (besides and uses((besides,), node.value))
        )

    def keyword(self, *names: str, of: str = "*") -> int | None:
        """A call of `of` that hands over an argument by this name."""
        return self._first(
            keyword.lineno
            for call in self._of(ast.Call)
            for keyword in call.keywords
            if is_named(call.func, (of,)) and keyword.arg in names
        )

    def item_of(self, *names: str, at: object = ANYTHING) -> int | None:
        """An item or a slice of something, as in `name[…]`. at: the constant in the brackets."""
        return self._first(
            node.lineno
            for node in self._of(ast.Subscript)
            if is_named(node.value, names) and (at is ANYTHING or is_constant(node.slice, at))
        )

    def literal(self, *values: object) -> int | None:
        """A constant of one of these values; in a string (of bytes too) this is a part of it. A
        docstring is none.
        """
        words = {id(node.value) for node in self._of(ast.Expr)}
        return self._first(
            node.lineno
            for node in self._of(ast.Constant)
            if id(node) not in words and any(is_constant(node, value) for value in values)
        )

    def operation(self, *signs: str, on: Iterable[str] = ()) -> int | None:
        """An operation or a comparison of one of these signs, such as "+", "+=", "in". on: a
        name that it uses.
        """
        return self._first(
            node.lineno
            for node in self._of(ast.BinOp, ast.AugAssign, ast.BoolOp, ast.Compare)
            if not set(signs_of(node)).isdisjoint(signs) and uses(on, node)
        )

    # Statements

    def assigned(self, *names: str, to: object = ANYTHING) -> int | None:
        """A name, an attribute or an item (by the name of what holds it) is given a value. to:
        a name that the value uses, a constant, `[]`, or a type of node that it holds.
        """
        return self._first(
            node.lineno
            for node in self._of(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr)
            if any(
                is_named(part, names)
                for target in getattr(node, "targets", None) or [node.target]
                for part in targets_of(target)
            )
            and (to is ANYTHING or holds(node.value, to))
        )

    def class_attribute(self) -> int | None:
        """A name that the body of a class gives a value, for all that are made of it."""
        bodies = (node.body for node in self._of(ast.ClassDef))
        return self._first(
            part.lineno
            for body in bodies
            for part in body
            if isinstance(part, (ast.Assign, ast.AnnAssign))
        )

    def copying(self, *names: str) -> int | None:
        """A name or an attribute is given a copy of such a thing: `list(name)`, `name.copy()`,
        `[*name]`, or a comprehension over it.
        """
        return self._first(
            node.lineno
            for node in self._of(ast.Assign, ast.AnnAssign, ast.NamedExpr)
            for value in (node.value, *getattr(node.value, "elts", ()))  # `a, b = 0, list(c)`
            if is_copy_of(value, names)
        )

    def rebinding(self) -> int | None:
        """A parameter is given something new that is made of it: what the caller holds stays as it
        was.
        """
        given = {node.arg for node in self._of(ast.arg)}
        return self._first(
            node.lineno
            for node in self._of(ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name) and target.id in given
            if isinstance(node.value, MADE_ANEW) and uses((target.id,), node.value)
        )

    def deleting(self, *names: str) -> int | None:
        """A `del`."""
        return self._statement(ast.Delete, names, lambda node: node.targets)

    def returning(self, *names: str) -> int | None:
        """A `return` of something that uses the name."""
        return self._statement(ast.Return, names, lambda node: [node.value])

    def yielding(self, *names: str) -> int | None:
        """A `yield` or `yield from` of something that uses the name."""
        return self._statement((ast.Yield, ast.YieldFrom), names, lambda node: [node.value])

    def dropped_yield(self) -> int | None:
        """A `yield` that takes nothing in: what is sent to it is lost."""
        return self._first(
            node.lineno for node in self._of(ast.Expr) if isinstance(node.value, ast.Yield)
        )

    def yielding_from(self, *names: str) -> int | None:
        """A `yield from` of something that uses the name."""
        return self._statement(ast.YieldFrom, names, lambda node: [node.value])

    def raising(self, *names: str) -> int | None:
        """A `raise` of something that uses the name."""
        return self._statement(ast.Raise, names, lambda node: [node.exc])

    def breaking(self) -> int | None:
        """A `break`."""
        return self._statement(ast.Break, (), list)

    def continuing(self) -> int | None:
        """A `continue`."""
        return self._statement(ast.Continue, (), list)

    def outer_name(self) -> int | None:
        """A `global` or a `nonlocal`."""
        return self._statement((ast.Global, ast.Nonlocal), (), list)

    def default(self) -> int | None:
        """A parameter that has a default."""
        return self._first(value.lineno for value in self._defaults())

    def kept_default(self) -> int | None:
        """A default that every call shares and may change: a list, or what a call makes."""
        return self._first(value.lineno for value in self._defaults() if makes_changing(value))

    def node(self, *types: type[ast.AST]) -> int | None:
        """Anything else, by its type in the module `ast`."""
        return self._statement(types, (), list)

    # Blocks

    def definition(self, *names: str) -> int | None:
        """A function or a class of this name."""
        return self._defined((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), names)

    def inner_function(self) -> int | None:
        """A function inside a function."""
        return self._first(inner.lineno for _, inner in self._inner_functions())

    def call_of_an_inner_function(self) -> int | None:
        """A call of a function that stands inside a function, made by the outer one itself."""
        return self._first(
            line_of_call(node)
            for outer, inner in self._inner_functions()
            for node in own_nodes(outer)
            if isinstance(node, ast.Call) and is_named(node.func, [inner.name])
        )

    def coroutine_function(self, *names: str) -> int | None:
        """An `async def` of this name."""
        return self._defined((ast.AsyncFunctionDef,), names)

    def looping(self, *names: str) -> int | None:
        """A `for` or `while`, a comprehension too, that uses the name in its head."""
        return self.earliest(self.for_loop(*names), self.while_loop(*names))

    def for_loop(self, *names: str) -> int | None:
        """A `for`, that of a comprehension too, over something that uses the name."""
        return self._first(node.target.lineno for node in self._of(*FOR) if uses(names, node.iter))

    def inner_loop(self) -> int | None:
        """A `for` or a `while` inside another."""
        return self._first(
            inner.lineno
            for outer in self._of(ast.For, ast.While)
            for inner in own_nodes(outer)
            if isinstance(inner, (ast.For, ast.While))
        )

    def async_for(self, *names: str) -> int | None:
        """An `async for`, that of a comprehension too, over something that uses the name."""
        return self._first(
            node.target.lineno
            for node in self._of(ast.AsyncFor, ast.comprehension)
            if getattr(node, "is_async", True) and uses(names, node.iter)
        )

    def while_loop(self, *names: str) -> int | None:
        """A `while` whose condition uses the name."""
        return self._statement(ast.While, names, lambda node: [node.test])

    def condition(self, *names: str) -> int | None:
        """An `if`, that of an expression or a comprehension too, that uses the name."""
        conditions = [node.test for node in self._of(ast.If, ast.IfExp)]
        conditions += [test for node in self._of(ast.comprehension) for test in node.ifs]
        return self._first(test.lineno for test in conditions if uses(names, test))

    def sieve(self) -> int | None:
        """What leaves some items out: the `if` of a comprehension, or `filter`."""
        tests = [test for node in self._of(ast.comprehension) for test in node.ifs]
        return self.earliest(self._first(test.lineno for test in tests), self.call_of("filter"))

    def with_of(self, *names: str) -> int | None:
        """A `with` or `async with` of something that uses the name."""
        return self._statement((ast.With, ast.AsyncWith), names, _entered)

    def async_with(self, *names: str) -> int | None:
        """An `async with` of something that uses the name."""
        return self._statement(ast.AsyncWith, names, _entered)

    def handler(self, *errors: type[BaseException]) -> int | None:
        """An `except` or a `suppress` that catches such an error, by the names that stand in
        it.
        """
        known = {cls.__name__ for error in errors for cls in error.__mro__}
        return self._first(
            line
            for line, caught in self._handlers()
            if not errors or not caught or known.intersection(caught)
        )

    def cleanup(self) -> int | None:
        """The first statement of a `finally`."""
        tries = self._of(ast.Try, ast.TryStar)
        return self._first(node.finalbody[0].lineno for node in tries if node.finalbody)

    # How they are found

    def _inner_functions(self) -> Iterator[tuple[ast.AST, ast.AST]]:
        for outer in filter(is_function, self.nodes()):
            for inner in filter(is_function, ast.walk(outer)):
                if inner is not outer:
                    yield outer, inner

    def _of(self, *types: type[ast.AST]) -> Iterator[ast.AST]:
        return (node for node in self.nodes() if isinstance(node, types))

    def _first(self, lines: Iterable[int]) -> int | None:
        def rank(line):
            return not self.is_own(line), not self.has_run(line), line

        return min(lines, key=rank, default=None)

    def _statement(self, types, names: tuple[str, ...], parts: Callable) -> int | None:
        """The first node of these types, one of whose `parts` uses one of the names."""
        types = types if isinstance(types, tuple) else (types,)
        return self._first(
            node.lineno
            for node in self._of(*types)
            if not names or any(uses(names, part) for part in parts(node))
        )

    def _defaults(self) -> Iterator[ast.expr]:
        for node in self._of(ast.FunctionDef, ast.AsyncFunctionDef):
            for value in (*node.args.defaults, *node.args.kw_defaults):
                if value is not None:
                    yield value

    def _defined(self, types, names: tuple[str, ...]) -> int | None:
        """The first definition of these types that has one of the names."""
        return self._first(
            node.lineno
            for node in self._of(*types)
            if not names or any(fnmatchcase(node.name, name) for name in names)
        )

    def _handlers(self) -> Iterator[tuple[int, list[str]]]:
        """Each place that catches errors: its line and the names of what it catches; no name
        catches everything.
        """
        for node in self._of(ast.ExceptHandler):
            yield node.lineno, names_in(node.type)
        for node in self._of(ast.Call):
            if (caught := suppressed_by(node)) is not None:
                yield line_of_call(node), caught


def _entered(node):
    """What a `with` enters."""
    return [item.context_expr for item in node.items]
