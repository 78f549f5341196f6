"""The lessons as their notebooks tell: titles, and where each guess and exercise is asked."""

import functools
import json
import pathlib
import re
from typing import NamedTuple


class Place(NamedTuple):
    """Where something is asked. number: of its cell, as JupyterLab counts them, from 1."""

    path: pathlib.Path
    number: int
    cell: str


class Lesson(NamedTuple):
    """A lesson's notebook."""

    number: str
    title: str
    path: pathlib.Path

    def guesses(self) -> dict[str, Place]:
        """Where each guess of the lesson is asked, by id, in order."""
        return asked("guess", self.path)

    def exercises(self) -> dict[str, Place]:
        """Where each exercise of the lesson is asked, by id, in order; none without its notebook
        in exercises/.
        """
        return asked("exercise", self.path.parents[1] / "exercises" / self.path.name)


def lessons(folder: pathlib.Path) -> list[Lesson]:
    """The lessons that are notebooks NN_slug.ipynb in `folder`, in order."""
    paths = sorted(pathlib.Path(folder).glob("[0-9][0-9]_*.ipynb"))
    return [Lesson(path.name[:2], title_of(path), path) for path in paths]


def notebooks(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """The notebooks in `folder` by what their names begin with, in order: the number of a lesson,
    and "tour" for tour.ipynb, which is none.
    """
    return {path.stem.partition("_")[0]: path for path in sorted(folder.glob("*.ipynb"))}


def title_of(path: pathlib.Path) -> str:
    """The H1 of a notebook, without a number before it; the file's name where there is none."""
    for cell in cells_of(path):
        if cell.get("cell_type") == "markdown":
            heading = re.search(r"(?m)^# +(.+)$", source_of(cell))
            if heading:
                return re.sub(r"^(lesson )?\d+[.:]?\s+", "", heading[1].strip(), flags=re.I)
    return path.stem[3:].replace("_", " ")


def asked(name: str, path: pathlib.Path) -> dict[str, Place]:
    """Where a notebook calls the function of this name, by the id that the call begins with."""
    call = re.compile(rf"""\b{name}\(\s*(["'])([\w-]+)\1""")
    places = {}
    for number, cell in enumerate(cells_of(path), 1):
        if cell.get("cell_type") == "code":
            for found in call.finditer(source_of(cell)):
                places.setdefault(found[2], Place(path, number, cell.get("id", "")))
    return places


def source_of(cell: dict) -> str:
    """The text of a cell, which may stand there as a list of lines."""
    return "".join(cell.get("source", ""))


def cells_of(path: pathlib.Path) -> list[dict]:
    """The cells of a notebook; none of one that can't be read."""
    try:
        return _cells(path, path.stat().st_mtime_ns)
    except (ValueError, KeyError, TypeError, OSError):
        return []


@functools.cache
def _cells(path, changed):
    """changed: when the file was, so that it is read again then."""
    return json.loads(path.read_text(encoding="utf-8"))["cells"]
