"""What a board knows of the course: its exercises and questions, by their ids."""

import ast
import functools
from typing import NamedTuple

from helpers.basics.project import PROJECT
from helpers.coach.form.finding import entries
from helpers.coach.lessons import cells_of, notebooks, source_of, title_of
from helpers.coach.mistakes.catalogue import KINDS


class Question(NamedTuple):
    """A question of a lesson, as its notebook asks it. choices: none where a text is asked for."""

    id: str
    lesson: str
    words: str
    choices: tuple[str, ...]


class Course(NamedTuple):
    """titles: of the lessons by number, and of the "tour".  exercises: {lesson: {id: title}}.
    questions: by id.
    """

    titles: dict[str, str]
    exercises: dict[str, dict[str, str]]
    questions: dict[str, Question]

    def lesson_of(self, id: str) -> str | None:
        """The number of the lesson with this exercise or question; None if there is none."""
        if id in self.questions:
            return self.questions[id].lesson
        return next((number for number, ids in self.exercises.items() if id in ids), None)


@functools.cache
def course() -> Course:
    """The course as its files stand."""
    found = notebooks(PROJECT / "notebooks")
    exercises: dict[str, dict[str, str]] = {lesson: {} for lesson in found}
    for entry in entries():
        exercises.setdefault(entry.lesson, {})[entry.id] = entry.title
    questions = {one.id: one for lesson, path in found.items() for one in _asked(lesson, path)}
    return Course({lesson: title_of(path) for lesson, path in found.items()}, exercises, questions)


def mistake_in_words(kind: str) -> str:
    """What a mistake of the catalogue is called; "" for what is none."""
    return KINDS[kind].headline if kind in KINDS else ""


def _asked(lesson, path):
    """The lesson's questions: the calls of `guess` in its notebook."""
    for cell in cells_of(path):
        source = source_of(cell)
        if cell.get("cell_type") != "code" or "guess(" not in source:
            continue
        try:
            calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
        except SyntaxError:  # a magic: no question stands in such a cell
            continue
        for call in calls:
            match call:
                case ast.Call(
                    func=ast.Name(id="guess"),
                    args=[ast.Constant(value=str(id)), ast.Constant(value=str(words))],
                ):
                    given = {word.arg: word.value for word in call.keywords}
                    try:
                        choices = ast.literal_eval(given["choices"]) if "choices" in given else ()
                    except ValueError:
                        choices = ()
                    yield Question(id, lesson, words, tuple(choices))
