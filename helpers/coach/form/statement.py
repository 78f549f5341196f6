"""The form of an exercise: what is asked, and right and wrong programs side by side.

`exercises/checks/__init__.py` describes the form with a complete example. This module holds the
base class and finds exercises by their id; it reads check modules as text until one is needed,
so that asking for one exercise imports one module.
"""

import ast
import functools
import importlib.util
import inspect
import math
import pathlib
import pprint
import re
import sys
import textwrap

from helpers.basics.project import PROJECT
from helpers.coach.form.text import tree_of, unwarned

CHECKS = PROJECT / "exercises" / "checks"


class Wrong(Exception):
    """An answer that is not right yet.

    kind: a key of `diagnosis.KINDS`, or a headline of your own in a few words.
    observed: what was seen, in full sentences. line: line number in the learner's cell, or None.
    try_: what to try next, or None for what goes with the kind.
    """

    def __init__(self, kind, observed="", line=None, try_=None):
        super().__init__(kind, observed)
        self.kind = kind
        self.observed = observed
        self.line = line
        self.try_ = try_


class wrong_value:
    """A value that a wrong belief leads to, the kind of mistake, and words of its message."""

    def __init__(self, value, kind, says=""):
        self.value = value
        self.kind = kind
        self.says = says


def right(program):
    """Mark a function or class of an Exercise as a program that must pass."""
    program.coach_mark = ("right", None, "")
    return program


def wrong(kind, says=""):
    """Mark a function or class of an Exercise as one that must be told `kind` and the words
    `says`.
    """

    def mark(program):
        program.coach_mark = ("wrong", kind, says)
        return program

    return mark


class Program:
    """A right or wrong program of a check module: its name, its mark, its text as a learner's
    cell.
    """

    def __init__(self, exercise, name, role, kind, says):
        self.exercise = exercise
        self.name = name
        self.role = role
        self.kind = kind
        self.says = says

    @property
    def text(self):
        """Source text: imports it uses, what is given, then the program under the asked name."""
        return self.exercise._text(self.name)


class Exercise:
    """Base of every exercise; see `exercises/checks/__init__.py`."""

    id = None
    asks = None
    minutes = 5
    clock = "virtual"
    limit = 1.5
    hints = ()
    given = ""
    right_values = ()
    wrong_values = ()
    equivalent = {}
    programs = ()

    def __init_subclass__(cls, **named):
        super().__init_subclass__(**named)
        own = {
            name: Program(cls, name, *thing.coach_mark)
            for name, thing in vars(cls).items()
            if hasattr(thing, "coach_mark")
        }
        inherited = {program.name: program for program in cls.programs}
        cls.programs = tuple({**inherited, **own}.values())
        where = f"exercise {cls.__qualname__}"
        if not (cls.id and cls.asks and cls.__doc__):
            raise TypeError(f"{where} needs id, asks and a docstring")
        if not cls.right_programs() and not cls.right_values:
            raise TypeError(f"{where} needs a @right program or right_values")
        if cls.clock not in ("virtual", "real"):
            raise TypeError(f'{where}: clock is "virtual" or "real", not {cls.clock!r}')
        if isinstance(cls.hints, str):
            raise TypeError(f"{where}: hints is a tuple of strings")

    @classmethod
    def right_programs(cls):
        return [program for program in cls.programs if program.role == "right"]

    @classmethod
    def wrong_programs(cls):
        return [program for program in cls.programs if program.role == "wrong"]

    @classmethod
    def title(cls):
        return inspect.cleandoc(cls.__doc__).partition("\n")[0].strip()

    @classmethod
    def statement(cls):
        return inspect.cleandoc(cls.__doc__).partition("\n")[2].strip()

    @classmethod
    def takes_value(cls):
        """True if the answer is a plain value, False if it is a function or a class."""
        return not cls.right_programs()

    @classmethod
    def model(cls):
        """The first right program as an object: its signature is what is asked."""
        return getattr(cls, cls.right_programs()[0].name)

    def verify(self, answer, lab):
        """Judge `answer`; raise Wrong if it is not right. This one compares plain values."""
        if not self.takes_value():
            raise TypeError(f"exercise {type(self).__qualname__} needs a verify method")
        if any(same_value(answer, value) for value in self.right_values):
            return
        for belief in self.wrong_values:
            if same_value(answer, belief.value) and belief.kind != "value":
                raise Wrong(belief.kind, belief.says, try_="")
        lab.equal(answer, self.right_values[0], what=f"`{self.asks}` is", secret=True)

    # Texts

    @classmethod
    def solution(cls):
        """The first right program (or value) as source text under the asked name."""
        if cls.takes_value():
            value = pprint.pformat(cls.right_values[0], sort_dicts=False, width=80)
            if "\n" in value:
                start = f"{cls.asks} = "
                value = value.replace("\n", "\n" + " " * len(start))
            return f"{cls.asks} = {value}\n"
        return cls.right_programs()[0].text

    @classmethod
    def stub(cls):
        """What the learner starts from: the signature, the docstring and the body `...`."""
        if cls.takes_value():
            return f"{cls.asks} = ...\n"
        imports, given, program = cls._parts(cls.right_programs()[0].name)
        return joined(imports, given, stub_of(program))

    @classmethod
    def _text(cls, name):
        return joined(*cls._parts(name))

    @classmethod
    def _parts(cls, name):
        """The imports that a program uses, what is given, and the program under the asked name."""
        tree, lines = module_source(sys.modules[cls.__module__])
        body = cls._node(tree).body
        node = next(node for node in body if getattr(node, "name", None) == name)
        kept = [decorator for decorator in node.decorator_list if not is_mark(decorator)]
        first = min([node.lineno] + [decorator.lineno for decorator in kept])
        marks = [decorator for decorator in node.decorator_list if is_mark(decorator)]
        dropped = {n for mark in marks for n in range(mark.lineno, mark.end_lineno + 1)}
        text = "\n".join(
            line
            for number, line in enumerate(lines[first - 1 : node.end_lineno], first)
            if number not in dropped
        )
        text = re.sub(rf"\b{name}\b", cls.asks, textwrap.dedent(text))
        given = textwrap.dedent(cls.given).strip()
        used = {
            n.id
            for part in (text, given)
            for n in ast.walk(tree_of(part))
            if isinstance(n, ast.Name)
        }
        imports = [ast.unparse(n) for n in tree.body if provides(n, used)]
        return "\n".join(imports), given, text

    @classmethod
    def _node(cls, tree):
        return next(
            node
            for node in tree.body
            if isinstance(node, ast.ClassDef) and node.name == cls.__name__
        )


def joined(*parts):
    """The parts of a cell's text, those that are there, with two blank lines between."""
    return "\n\n\n".join(part for part in parts if part) + "\n"


def is_mark(decorator):
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Name) and called.id in ("right", "wrong")


def provides(node, names):
    """True if `node` is an import, not one of the coach's, that binds one of `names`."""
    if not isinstance(node, (ast.Import, ast.ImportFrom)):
        return False
    if isinstance(node, ast.ImportFrom) and node.module == "helpers.coach":
        return False
    return any((alias.asname or alias.name.partition(".")[0]) in names for alias in node.names)


def stub_of(text):
    """An answer's text as the learner first sees it.

    Functions, and the methods of classes, keep their head and their docstring and lose their body;
    `name = value` becomes `name = ...`; imports stay.

    Raises ValueError if the text holds anything else: it would be lost, or give the answer away.
    """
    lines = text.splitlines()
    for node in reversed(tree_of(text).body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            hollow(node, lines)
        elif isinstance(node, ast.ClassDef):
            for part in reversed(node.body):
                if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    hollow(part, lines)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            lines[node.lineno - 1 : node.end_lineno] = [f"{node.targets[0].id} = ..."]
        elif not isinstance(node, (ast.Import, ast.ImportFrom)):
            raise ValueError(
                f"line {node.lineno} of an answer is neither a function, nor a class, nor "
                f"`name = value`, nor an import: {lines[node.lineno - 1]!r}; put it in a cell of "
                "its own"
            )
    return "\n".join(lines)


def hollow(function, lines):
    """Replace the body of a function by `...` in the lines of its text."""
    body = function.body
    has_docstring = ast.get_docstring(function) is not None
    first = body[0].end_lineno if has_docstring else function_head_end(function, lines)
    lines[first : function.end_lineno] = [" " * body[0].col_offset + "..."]


def function_head_end(function, lines):
    """Number of the line on which a function's head ends, with its colon."""
    parts = [*ast.walk(function.args), *([function.returns] if function.returns else [])]
    number = max([function.lineno] + [getattr(part, "end_lineno", 0) for part in parts])
    while not lines[number - 1].partition("#")[0].rstrip().endswith(":"):
        number += 1
        if number >= function.body[0].lineno:
            raise ValueError(f"{function.name}: write its body on lines of its own")
    return number


def same_value(got, expected):
    """Equal, with one part in a thousand of grace for numbers; False where comparing fails."""
    try:
        if isinstance(got, bool) or isinstance(expected, bool):
            return got is expected
        if isinstance(got, (int, float)) and isinstance(expected, (int, float)):
            return math.isclose(got, expected, rel_tol=1e-3, abs_tol=1e-9)
        if isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
            return len(got) == len(expected) and all(map(same_value, got, expected))
        if isinstance(expected, dict) and isinstance(got, dict):
            return got.keys() == expected.keys() and all(
                same_value(got[key], expected[key]) for key in expected
            )
        return bool(got == expected)
    except Exception:
        return False


# Finding exercises


class Entry:
    """An exercise as its module's text shows it: nothing is imported yet."""

    def __init__(self, id, title, minutes, lesson, path):
        self.id = id
        self.title = title
        self.minutes = minutes
        self.lesson = lesson
        self.path = path


def entries(folder=None):
    """All exercises of the check modules in `folder`, in order, as a list of Entry."""
    found = []
    for path in sorted(pathlib.Path(folder or CHECKS).glob("lesson_*.py")):
        found += entries_of(path, path.stat().st_mtime_ns)
    return found


@functools.cache
def entries_of(path, changed):
    try:
        tree = tree_of(path.read_text(encoding="utf-8"))
    except SyntaxError:
        return []
    found = []
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        values = assigned(node)
        if isinstance(values.get("id"), str):
            title = (ast.get_docstring(node) or "").partition("\n")[0].strip()
            found.append(
                Entry(
                    values["id"],
                    title,
                    values.get("minutes", Exercise.minutes),
                    path.stem.partition("_")[2],
                    path,
                )
            )
    return found


def assigned(node):
    """The constants that a class body assigns, by name; `minutes, clock = 8, "virtual"` too."""
    values = {}
    for part in node.body:
        if isinstance(part, ast.Assign):
            for target in part.targets:
                pairs = [(target, part.value)]
                if isinstance(target, ast.Tuple) and isinstance(part.value, ast.Tuple):
                    pairs = zip(target.elts, part.value.elts)
                for name, value in pairs:
                    if isinstance(name, ast.Name) and isinstance(value, ast.Constant):
                        values[name.id] = value.value
    return values


def find(id, folder=None):
    """The Exercise class with this id. Raises LookupError, naming the nearest ids, if there is
    none.
    """
    known = entries(folder)
    for entry in known:
        if entry.id == id:
            module = load(entry.path)
            for thing in vars(module).values():
                if isinstance(thing, type) and issubclass(thing, Exercise) and thing.id == id:
                    return thing
    import difflib

    near = difflib.get_close_matches(str(id), [entry.id for entry in known], 3, 0.4)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise LookupError(f"There is no exercise {id!r}.{hint}")


def load(path):
    """Import the check module at `path`, anew if its file has changed since."""
    path = pathlib.Path(path)
    name = f"exercises.checks.{path.stem}" if path.parent == CHECKS else f"checks_{path.stem}"
    changed = path.stat().st_mtime_ns
    module = sys.modules.get(name)
    if (
        module is not None
        and getattr(module, "coach_changed", None) == changed
        and module.__file__ == str(path)
    ):
        return module
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    module.coach_changed = changed
    sys.modules[name] = module
    with unwarned():
        spec.loader.exec_module(module)
    return module


@functools.cache
def parsed(path, changed):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    return tree_of(text), text.splitlines()


def module_source(module):
    return parsed(module.__file__, getattr(module, "coach_changed", 0))
