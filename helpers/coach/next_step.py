"""What to do next: the guess or exercise to go on with, and the guesses to look at again."""

import pathlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from helpers.coach.lessons import Lesson
from helpers.coach.progress import guess_in

MOST_NAMED = 3  # lessons with guesses to look at again: the last ones
SPELLED = "no one two three four five six seven eight nine".split()

Link = Callable[[pathlib.Path, str, str], Markup]


class Part(NamedTuple):
    """Some words of the sentence, and where they lead."""

    words: str
    path: pathlib.Path | None = None
    cell: str = ""


class Step(NamedTuple):
    """A sentence on what to do next, in parts."""

    parts: Sequence[Part]

    def text(self) -> str:
        """The sentence in plain words."""
        return "".join(part.words for part in self.parts)

    def html(self, link: Link) -> Markup:
        """The sentence with links. link: makes one from a path, words and a cell's id."""
        return Markup("").join(
            link(path, words, cell) if path else words for words, path, cell in self.parts
        )


def next_step(
    lessons: Sequence[Lesson], exercises: dict[str, list[str]], known: dict[str, dict]
) -> Step:
    """What to do next: the first thing not yet done in the first lesson that was begun and is not
    finished, and after it the guesses that were not right.

    exercises: their ids by the lesson's number.  known: the learner's progress.
    """
    again = _again(lessons, known)
    between = [Part("; ")] if again else []
    return Step([*_go_on(lessons, exercises, known), *between, *again, Part(".")])


def _go_on(lessons, exercises, known):
    """The words for the first lesson that was begun and is not finished; else for the first that
    is not.
    """
    unfinished = []
    for lesson in lessons:
        ids = exercises[lesson.number]
        if todo := todo_in(lesson, ids, known):
            if any(_begun(known.get(id, {})) for id in [*lesson.guesses(), *ids]):
                return [Part("Go on with "), todo]
            unfinished.append(lesson)
    if not unfinished:
        return [Part("Everything is done")]
    number, title, path = unfinished[0]
    return [Part("Begin with "), Part(f"{number} {title}", path)]


def todo_in(lesson: Lesson, exercises: Sequence[str], known: dict[str, dict]) -> Part | None:
    """The words for the first guess or exercise of a lesson that is not done; None if all are."""
    for id, place in lesson.guesses().items():
        if not guess_in(known, id).made:
            return _a_cell(lesson.number, place)
    places = lesson.exercises()
    for id in exercises:
        if known.get(id, {}).get("status") != "solved":
            return _an_exercise(lesson.number, id, places.get(id))
    return None


def _a_cell(lesson, place):
    return Part(f"{lesson}, cell {place.number}", place.path, place.cell)


def _an_exercise(lesson, id, place):
    if place is None:
        return Part(f"the exercise {id} of {lesson}")
    words = f"the exercises of {lesson}, cell {place.number} ({id})"
    return Part(words, place.path, place.cell)


def _begun(entry):
    """Whether somebody has said or tried something here; running an empty answer is neither."""
    said = entry.get("guess", [""])[0]
    tried = entry.get("status", "not started") != "not started"
    return bool(said or tried or entry.get("hints"))


def _again(lessons, known):
    """The words for the guesses that were not right: "two guesses of 07 and one of 09 to look at
    again"; none if all were.
    """
    wrong = []
    for lesson in lessons:
        asked = lesson.guesses().items()
        if places := [place for id, place in asked if guess_in(known, id).right is False]:
            wrong.append((lesson.number, places))
    parts = []
    for number, places in wrong[-MOST_NAMED:]:
        guesses = _counted(len(places), "guess", "guesses") if not parts else _spelled(len(places))
        parts.append(Part(f"{guesses} of {number}", places[0].path, places[0].cell))
    if others := sum(len(places) for _, places in wrong[:-MOST_NAMED]):
        parts.append(Part(f"{_spelled(others)} of earlier lessons"))
    if not parts:
        return []
    joined = [parts[0]]
    for part in parts[1:]:
        joined += [Part(" and " if part is parts[-1] else ", "), part]
    return [*joined, Part(" to look at again")]


def _counted(number, noun, nouns):
    return f"{_spelled(number)} {noun if number == 1 else nouns}"


def _spelled(number):
    return SPELLED[number] if number < len(SPELLED) else str(number)
