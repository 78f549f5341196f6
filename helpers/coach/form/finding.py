"""Exercises by their id: `exercises/checks/lesson_NN/k_id.py` holds the exercise `id` and no other.

A file's name says which exercise is in it, so that finding one imports that file alone, with what
its lesson shares; the map of the course reads of all files no more than their heads.
"""

import ast
import functools
import importlib.util
import pathlib
import re
import sys
import types

from helpers.basics.project import PROJECT
from helpers.coach.form.statement import Exercise
from helpers.coach.form.text import tree_of, unwarned

CHECKS = PROJECT / "exercises" / "checks"


class Entry:
    """An exercise as the head of its file shows it: nothing is imported yet.

    minutes: a number. lesson: "07". asks: the name of the answer.
    """

    def __init__(
        self, id: str, title: str, minutes: int, asks: str, lesson: str, path: pathlib.Path
    ):
        self.id = id
        self.title = title
        self.minutes = minutes
        self.asks = asks
        self.lesson = lesson
        self.path = path


def entries(folder: pathlib.Path | str | None = None) -> list[Entry]:
    """All exercises of the check files in `folder` (else: of the course), in order.

    A file that can't be read as Python is left out.
    """
    found = (entry_of(path, path.stat().st_mtime_ns) for path in check_files(folder))
    return [entry for entry in found if entry is not None]


def beside(exercise: type[Exercise]) -> list[Entry]:
    """All exercises of the lesson to which this one belongs, in order."""
    lesson = pathlib.Path(sys.modules[exercise.__module__].__file__).parent
    return [entry for entry in entries(lesson.parent) if entry.path.parent == lesson]


def find(id: str, folder: pathlib.Path | str | None = None) -> type[Exercise]:
    """The Exercise class with this id. Raises LookupError, naming the nearest ids, if there is
    none.
    """
    paths = check_files(folder)
    for path in paths:
        if id_of(path) == id:
            for thing in vars(load(path)).values():
                if isinstance(thing, type) and issubclass(thing, Exercise) and thing.id == id:
                    return thing
            raise LookupError(
                f"{path.name} holds no exercise {id!r}: it must bear the file's name."
            )
    import difflib

    near = difflib.get_close_matches(str(id), map(id_of, paths), 3, 0.4)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    raise LookupError(f"There is no exercise {id!r}.{hint}")


def folder_of(exercise: type[Exercise]) -> pathlib.Path:
    """The folder in which `find` found an exercise."""
    return pathlib.Path(sys.modules[exercise.__module__].__file__).parents[1]


# Files


def check_files(folder: pathlib.Path | str | None = None) -> list[pathlib.Path]:
    """The files of all exercises in `folder` (else: of the course), in order."""
    return sorted(pathlib.Path(folder or CHECKS).glob("lesson_*/[0-9]*_*.py"))


def id_of(path: pathlib.Path) -> str:
    """The id that a file's name bears: "future-1" of "2_future-1.py"."""
    return path.stem.partition("_")[2]


@functools.cache
def entry_of(path: pathlib.Path, changed: int) -> Entry | None:
    """What the head of a check file says; None if it is no Python, or names no exercise.

    changed: the file's time stamp.
    """
    try:
        node = head_of(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError, StopIteration):
        return None
    values = assigned(node)
    if not isinstance(values.get("id"), str):
        return None
    return Entry(
        values["id"],
        (ast.get_docstring(node) or "").partition("\n")[0].strip(),
        values.get("minutes", Exercise.minutes),
        values.get("asks"),
        path.parent.name.partition("_")[2],
        path,
    )


def head_of(text: str) -> ast.ClassDef:
    """The class of an exercise down to its first method or program, as a syntax tree.

    Raises SyntaxError or StopIteration if there is none.
    """
    head = re.search(
        r"(?ms)^class \w+\(Exercise\):.*?(?=^    (?:def |async def |class |@)|\Z)", text
    )
    try:
        return tree_of(head[0] if head else text).body[0]
    except SyntaxError:
        # Such a line may stand in a string, too.
        return next(node for node in tree_of(text).body if isinstance(node, ast.ClassDef))


def assigned(node: ast.ClassDef) -> dict[str, object]:
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


# Modules


def load(path: pathlib.Path | str) -> types.ModuleType:
    """Import the check file at `path`, anew if it has changed since, or what its lesson shares."""
    path = pathlib.Path(path)
    package = package_of(path.parent)
    name = f"{package.__name__}.{path.stem}"
    changed = path.stat().st_mtime_ns
    module = sys.modules.get(name)
    if (
        module is not None
        and module.__file__ == str(path)
        and module.coach_changed == changed
        and module.coach_package is package
    ):
        return module
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    module.coach_changed, module.coach_package = changed, package
    sys.modules[name] = module
    try:
        with unwarned():
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]  # or the next to ask would get half of it
        raise
    return module


def package_of(lesson: pathlib.Path) -> types.ModuleType:
    """The folder of a lesson as a package, for `from .shared import …`; a new one if what is
    shared has changed.

    It is made by hand, since the folder may lie anywhere, and where it lies may not be on the path
    of the process that judges.
    """
    within = "exercises.checks." if lesson.parent == CHECKS else "checks_"
    name, shared = within + lesson.name, lesson / "shared.py"
    changed = shared.stat().st_mtime_ns if shared.exists() else None
    package = sys.modules.get(name)
    if (
        package is None
        or package.__path__ != [str(lesson)]
        or getattr(package, "coach_changed", None) != changed
    ):
        package = sys.modules[name] = types.ModuleType(name)
        package.__path__, package.coach_changed = [str(lesson)], changed
        sys.modules.pop(f"{name}.shared", None)
        importlib.invalidate_caches()
    return package
