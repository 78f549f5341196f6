"""The map of the course: how many guesses were made, and what to do next."""

import json

import pytest

from helpers.basics.project import PROJECT
from helpers.coach import lessons
from helpers.coach.course_map import CourseMap
from helpers.coach.exercise import my_progress

pytestmark = [pytest.mark.coach, pytest.mark.usefixtures("home")]


def notebook(path, *sources):
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = [{"cell_type": "markdown", "id": "cell-1", "source": [f"# {path.stem}\n", "Words"]}]
    for number, source in enumerate(sources, 2):
        cells.append({"cell_type": "code", "id": f"cell-{number}", "source": source})
    path.write_text(json.dumps({"cells": cells}))


@pytest.fixture
def course(tmp_path):
    """Lessons 01 to 06, of two guesses and one exercise each, and 07 with nothing to do."""
    for number in range(1, 7):
        name = f"0{number}_lesson.ipynb"
        notebook(
            tmp_path / "notebooks" / name,
            "from helpers import guess",
            f'a = guess("0{number}-a", "What?")',
            "await it()\na.check(got)",
            ["b = guess(\n", f"    '0{number}-b', 'What?'\n", ")"],
        )
        notebook(tmp_path / "exercises" / name, "1", f'ex = exercise("task-{number}")')
        program = f'class One(Exercise):\n    """One"""\n\n    id = "task-{number}"\n'
        check = tmp_path / "exercises" / "checks" / f"lesson_0{number}" / f"1_task-{number}.py"
        check.parent.mkdir(parents=True)
        check.write_text(program)
    notebook(tmp_path / "notebooks" / "07_lesson.ipynb", "1 + 1")
    return CourseMap(tmp_path)


def guessed(*ids, right=True):
    for id in ids:
        my_progress().compared(id, "A", "A" if right else "B", right)


def finished(*numbers):
    for number in numbers:
        guessed(f"0{number}-a", f"0{number}-b")
        my_progress().checked(f"task-{number}", "solved")


def test_each_lesson_tells_how_many_guesses_were_made_right_or_wrong(course):
    guessed("02-a", right=False)
    my_progress().said("02-b", "A")  # and not yet checked
    finished(3)
    lines = course.text().splitlines()
    assert lines[0] == "01 01_lesson. guesses 0 of 2; 0 of 1 solved; open: task-1."
    assert lines[1].startswith("02 02_lesson. guesses 1 of 2; 0 of 1 solved")
    assert lines[2].startswith("03 03_lesson. guesses 2 of 2; 1 of 1 solved")
    assert lines[6] == "07 07_lesson. no exercises."
    html = course.html()
    assert '<th scope="col">Guesses</th>' in html and html.count("<td>1 of 2</td>") == 1
    assert html.count("<td></td>") == 1, "of no guesses nothing is said"


def test_what_is_next_walks_through_the_course(course):
    def first():
        text = course.next().text()
        assert repr(course).startswith(text + "\n01 ")
        return text

    assert first() == "Begin with 01 01_lesson."
    my_progress().checked("task-3", "not started")
    assert first() == "Begin with 01 01_lesson.", "an empty answer begins nothing"
    finished(1)
    assert first() == "Begin with 02 02_lesson."
    my_progress().said("04-a", "A")
    assert first() == "Go on with 04, cell 3."
    guessed("04-a")
    assert first() == "Go on with 04, cell 5."
    guessed("04-b", right=False)
    assert first() == (
        "Go on with the exercises of 04, cell 3 (task-4); one guess of 04 to look at again."
    )
    my_progress().hinted("task-2", 1)
    assert first().startswith("Go on with 02, cell 3; ")
    finished(2, 3, 4, 5, 6)
    assert first() == "Everything is done."


def test_guesses_to_look_at_again(course):
    finished(1, 2, 3, 4, 5, 6)
    guessed("02-a", "02-b", right=False)
    guessed("99-gone", right=False)
    assert course.next().text() == "Everything is done; two guesses of 02 to look at again."
    guessed("03-a", right=False)
    assert (
        course.next().text()
        == "Everything is done; two guesses of 02 and one of 03 to look at again."
    )
    guessed("01-a", "04-a", "04-b", right=False)
    assert course.next().text() == (
        "Everything is done; "
        "two guesses of 02, one of 03, two of 04 and one of earlier lessons to look at again."
    )
    guessed("02-a", "02-b", "01-a")
    assert (
        course.next().text()
        == "Everything is done; one guess of 03 and two of 04 to look at again."
    )


def test_what_is_next_is_linked(course, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / "notebooks")
    assert '<p>Begin with <a href="01_lesson.ipynb">01 01_lesson</a>.</p>' in course.html()
    guessed("02-a", right=False)
    assert (
        '<p>Go on with <a href="02_lesson.ipynb#cell-id=cell-5">02, cell 5</a>; '
        '<a href="02_lesson.ipynb#cell-id=cell-3">one guess of 02</a> to look at again.</p>'
    ) in course.html()
    finished(2)
    my_progress().hinted("task-3", 1)
    guessed("03-a", "03-b")
    assert (
        '<a href="../exercises/03_lesson.ipynb#cell-id=cell-3">the exercises of 03, cell 3 (task-3)'
    ) in course.html()
    (tmp_path / "exercises" / "03_lesson.ipynb").unlink()
    assert course.next().text() == "Go on with the exercise task-3 of 03."


def test_a_notebook_that_changes_is_read_again(course, tmp_path):
    path = tmp_path / "notebooks" / "01_lesson.ipynb"
    assert course.lessons[0].guesses()["01-b"].number == 5
    path.write_text("{")
    assert course.lessons[0].guesses() == {}


def test_the_courses_exercises_are_all_found_in_their_notebooks():
    of_the_course = CourseMap(PROJECT)
    for lesson in of_the_course.lessons:
        ids = {entry.id for entry in of_the_course.entries if entry.lesson == lesson.number}
        assert ids == set(lesson.exercises()), lesson.number
    assert len(of_the_course.lessons) == len(lessons.lessons(PROJECT / "notebooks")) > 20
