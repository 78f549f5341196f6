"""Program text: the answer's own in its cell, and the syntax tree of any.

Python warns of what it finds odd whenever it reads a program. Here it reads without a word: a
cell's warnings were told when the cell ran.
"""

import ast
import contextlib
import functools
import inspect
import linecache
import re
import textwrap
import types
import warnings
from collections.abc import Iterator


def place_of(answer: object) -> tuple[str | None, int | None, int | None]:
    """(filename, first line, last line) of the text of a function or a class.

    All None if it has none. A class of a notebook doesn't know its file; its methods do.
    """
    nothing = None, None, None
    try:
        thing = inspect.unwrap(answer) if callable(answer) else answer
    except ValueError:
        return nothing
    thing = thing.func if isinstance(thing, functools.partial) else thing
    if isinstance(thing, types.MethodType):
        thing = thing.__func__
    if isinstance(thing, types.FunctionType):
        try:
            lines, first = inspect.getsourcelines(thing)
            return thing.__code__.co_filename, first, first + len(lines) - 1
        except (OSError, TypeError, SyntaxError):
            return thing.__code__.co_filename, thing.__code__.co_firstlineno, None
    if isinstance(thing, type):
        for code in (
            part.__code__ for part in vars(thing).values() if isinstance(part, types.FunctionType)
        ):
            for node in nodes_of(code.co_filename):
                if (
                    isinstance(node, ast.ClassDef)
                    and node.name == thing.__name__
                    and node.lineno <= code.co_firstlineno <= node.end_lineno
                ):
                    return code.co_filename, node.lineno, node.end_lineno
    return nothing


def text_of(answer: object) -> str | None:
    """The text of a function or a class as it stands in its cell, or None."""
    filename, first, last = place_of(answer)
    if last is None:
        return None
    return textwrap.dedent("".join(linecache.getlines(filename)[first - 1 : last]))


def make_known(filename: str, text: str) -> None:
    """Make a text known as a file's, as a cell's is: to tracebacks, `inspect` and `text_of`."""
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)


def run_as_cell(text: str, filename: str, **names: object) -> dict[str, object]:
    """Run a text as a cell would be, among these names; return what there is then, by its name."""
    make_known(filename, text)
    names = {"__name__": "__main__", **names}
    exec(compile(text, filename, "exec"), names)
    return names


def nodes_of(filename: str) -> list[ast.AST]:
    """All AST nodes of a cell or file; none if it doesn't parse. Lines of IPython magic are
    blanked.
    """
    return [*_nodes_in(re.sub(r"(?m)^\s*[%!].*$", "", "".join(linecache.getlines(filename))))]


@functools.lru_cache(maxsize=16)  # texts: a judge asks for those of one answer, again and again
def _nodes_in(text):
    try:
        return tuple(ast.walk(tree_of(text)))
    except (SyntaxError, ValueError, RecursionError):
        return ()


def tree_of(text: str) -> ast.Module:
    """The syntax tree of a program's text; raises SyntaxError."""
    with unwarned():
        return ast.parse(text)


@contextlib.contextmanager
def unwarned() -> Iterator[None]:
    """Let Python compile without a SyntaxWarning, such as 3.14's of a `return` in a `finally`.

    A cell has told it to whoever wrote it, and a wrong program may be wrong in just that.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        yield


def is_function(node: ast.AST) -> bool:
    """Whether this is the `def` or `async def` of a function."""
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
