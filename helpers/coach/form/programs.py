"""The programs of an exercise: marked right or wrong, written out or as an edit of another one,
and their text as a learner's cell would hold it.
"""

import ast
import functools
import pathlib
import re
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from typing import Any

from helpers.basics.words import count, listed
from helpers.coach.form.text import tree_of

NOT_SHOWN = ("helpers", "coach")  # where the words come from that a check file itself is made of


def right(program: Any) -> Any:
    """Mark a function or class of an Exercise as a program that must pass."""
    return marked(program, "right", None, "")


def wrong(kind: str, says: str = "") -> Callable[[Any], Any]:
    """Mark a function or class of an Exercise as one that must be told `kind` and the words
    `says`.
    """

    def mark(program):
        return marked(program, "wrong", kind, says)

    return mark


def marked(program: Any, role: str, kind: str | None, says: str) -> Any:
    """Note on a program what is expected of it; `program.but(…)` makes an edit of it."""
    program.coach_mark = role, kind, says
    program.but = functools.partial(Edit, program)
    return program


class Edit:
    """A wrong program that differs from another one by a few words.

    It is made in the class body, by `base.but(old, new, kind=…, says=…)`: `old` stands exactly
    once in the text of `base`, a program or an edit itself; `new` takes its place. In both, lines
    after the first are indented as the line is in which `old` begins; a line of which nothing is
    left goes. An edit without `kind` is a step on the way: `base.but(…).but(…, kind=…)`.
    """

    def __init__(self, base: Any, old: str, new: str, *, kind: str | None = None, says: str = ""):
        self.base, self.old, self.new = base, old, new
        self.coach_mark = "wrong", kind, says

    def but(self, old: str, new: str, *, kind: str | None = None, says: str = "") -> "Edit":
        """An edit of this edit."""
        return Edit(self, old, new, kind=kind, says=says)

    def applied(self, text: str) -> str:
        """The text of the base with the replacement made. Raises ValueError if `old` doesn't
        stand in it exactly once.
        """
        found = list(places(self.old, text))
        if len(found) != 1:
            lines = [str(text.count("\n", 0, start) + 1) for start, *_ in found]
            where = f", in the lines {listed(lines)}" if lines else ""
            raise ValueError(
                f"{self.old!r} stands {count(len(found), 'time')} in the program that is edited"
                f"{where}; an edit needs it exactly once:\n{text}"
            )
        ((start, end, indent),) = found
        text = text[:start] + indented(self.new, indent) + text[end:]
        first = text.rfind("\n", 0, start) + 1
        last = (text + "\n").index("\n", start)
        if not self.new and not text[first:last].strip():
            text = text[:first] + text[last + 1 :]
        return text


def places(old: str, text: str) -> Iterator[tuple[int, int, str]]:
    """Where `old` stands in `text`: (start, end, indentation of the line in which it begins)."""
    first = old.partition("\n")[0]
    for match in re.finditer(f"(?={re.escape(first)})", text):
        start = match.start()
        line = text[text.rfind("\n", 0, start) + 1 :]
        indent = line[: len(line) - len(line.lstrip(" "))]
        whole = indented(old, indent)
        if text.startswith(whole, start):
            yield start, start + len(whole), indent


def indented(text: str, indent: str) -> str:
    """A text whose lines after the first are indented, except empty ones."""
    return re.sub(r"\n(?=[^\n])", f"\n{indent}", text)


class Program:
    """A right or wrong program of a check file: its name and what is expected of it.

    role: "right" or "wrong". kind, says: the mistake that a wrong one must be told, and words of
    the message.
    """

    def __init__(self, exercise: type, name: str, made: Any):
        self.exercise = exercise
        self.name = name
        self.made = made
        self.role, self.kind, self.says = made.coach_mark
        if self.role == "wrong" and not self.kind:
            raise TypeError(f"exercise {exercise.__qualname__}: the edit {name} needs a kind")

    @property
    def text(self) -> str:
        """Source text: imports it uses, what is given, then the program under the asked name."""
        return joined(*self.parts())

    def parts(self) -> tuple[str, str, str]:
        """The imports that the program uses, what is given, and the program under the asked name.

        Raises ValueError where an edit doesn't find what it replaces.
        """
        tree, lines = module_source(sys.modules[self.exercise.__module__])
        program = self._written(self.made, tree, lines)
        given = textwrap.dedent(self.exercise.given).strip()
        used = names_in(program) | names_in(given)
        return "\n".join(imports_of(tree, used)), given, program

    def _written(self, made, tree, lines):
        if isinstance(made, Edit):
            return made.applied(self._written(made.base, tree, lines))
        body = class_of(tree, self.exercise.__name__).body
        node = next(node for node in body if getattr(node, "name", None) == made.__name__)
        text = without_marks(node, lines)
        return re.sub(rf"\b{made.__name__}\b", self.exercise.asks, text)


def joined(*parts: str) -> str:
    """The parts of a cell's text, those that are there, with two blank lines between."""
    return "\n\n\n".join(part for part in parts if part) + "\n"


def names_in(text: str) -> set[str]:
    """The names that a program's text uses or sets."""
    return {node.id for node in ast.walk(tree_of(text)) if isinstance(node, ast.Name)}


def class_of(tree: ast.Module, name: str) -> ast.ClassDef:
    """The class with this name in a module's tree."""
    return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)


def without_marks(node: Any, lines: list[str]) -> str:
    """The text of a function or class, from the margin, without the decorators of the coach.

    node: its syntax tree. lines: those of the whole module.
    """
    marks = [decorator for decorator in node.decorator_list if is_mark(decorator)]
    dropped = {n for mark in marks for n in range(mark.lineno, mark.end_lineno + 1)}
    kept = [decorator.lineno for decorator in node.decorator_list if decorator not in marks]
    first = min([node.lineno, *kept])
    return textwrap.dedent(
        "\n".join(
            line
            for number, line in enumerate(lines[first - 1 : node.end_lineno], first)
            if number not in dropped
        )
    )


def is_mark(decorator: ast.expr) -> bool:
    """Whether a decorator is `@right` or `@wrong(…)`."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Name) and called.id in ("right", "wrong")


def imports_of(tree: ast.Module, names: set[str]) -> list[str]:
    """The import lines of a module that a program shows, each with the names alone that it uses.

    What a check file imports from the coach, or from what its lesson shares, is never shown.
    """
    found = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            hidden = node.level or tuple(node.module.split(".")[:2]) == NOT_SHOWN
        elif isinstance(node, ast.Import):
            hidden = False
        else:
            continue
        kept = [a for a in node.names if (a.asname or a.name.partition(".")[0]) in names]
        if kept and not hidden:
            if isinstance(node, ast.Import):
                shown = ast.Import(kept)
            else:
                shown = ast.ImportFrom(node.module, kept, 0)
            found.append(ast.unparse(shown))
    return found


def modules_in(text: str) -> list[str]:
    """The modules that a text imports by statements at its margin."""
    found = []
    for node in tree_of(textwrap.dedent(text)).body:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.append(node.module)
    return found


def module_source(module: types.ModuleType) -> tuple[ast.Module, list[str]]:
    """The syntax tree of a check file and its lines, as it was when it was loaded."""
    return parsed(module.__file__, module.coach_changed)


@functools.cache
def parsed(path: str, changed: int) -> tuple[ast.Module, list[str]]:
    """The syntax tree of a file and its lines. changed: its time stamp; a new one is read anew."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    return tree_of(text), text.splitlines()
