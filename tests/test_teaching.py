"""What a guide in teaching/ names is there: sections, questions, exercises, mistakes; its plan is
fresh; schedules add up.
"""

import re
from pathlib import Path

import nbformat
import pytest

from helpers.coach.form.finding import entries
from helpers.coach.lessons import lessons
from helpers.upkeep import refresh, teaching
from tests import markdown

pytestmark = pytest.mark.once
ROOT = Path(__file__).resolve().parent.parent
LESSONS = lessons(ROOT / "notebooks")
GUIDES = sorted((ROOT / "teaching").glob("[0-9][0-9]_*.md"))
FORM = [
    "The belief they come with",
    "Plan",
    "Where classes stall",
    "Run, skip, write live",
    "If you have 5 minutes",
    "If you have 20 minutes",
    "Questions that come",
    "Prepare",
    "Notes for slides",
]
EXERCISES = {entry.id for entry in entries()}
GUESSES = {id for lesson in LESSONS for id in lesson.guesses()}
SCHEDULES = ROOT / "teaching" / "README.md"

each_guide = pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)


def text(path):
    return path.read_text(encoding="utf-8")


def flat(path):
    return " ".join(text(path).split())


def test_each_lesson_has_a_guide():
    assert [guide.stem for guide in GUIDES] == [lesson.path.stem for lesson in LESSONS]


@each_guide
def test_a_guide_has_the_form_of_all(guide):
    headings = markdown.headings(markdown.blocks(text(guide)))
    title = next(lesson.title for lesson in LESSONS if lesson.path.stem == guide.stem)
    assert headings[0] == (1, f"Teaching {guide.name[:2]}: {title}")
    assert [words for level, words in headings if level == 2] == FORM


@each_guide
def test_a_plan_is_what_the_lesson_gives(guide):
    lesson = ROOT / "notebooks" / f"{guide.stem}.ipynb"
    assert teaching.with_plan(text(guide), teaching.plan(lesson)) == text(guide), (
        "run: course.py refresh"
    )


@each_guide
def test_what_a_guide_names_is_there(guide):
    words = flat(guide)
    for id in re.findall(r"`(\d\d-[a-z0-9-]+)`", words):
        assert id in GUESSES, f"no guess is called {id}"
    for id in re.findall(r"`([a-z][a-z-]*-\d)`", words):
        assert id in EXERCISES, f"no exercise is called {id}"


@each_guide
def test_mistakes_that_a_guide_names_are_told_in_its_lesson(guide):
    """Where classes stall, a mistake stands in bold beside its exercise, in the coach's words."""
    part = text(guide).partition("## Where classes stall")[2].partition("\n## ")[0]
    told = text(ROOT / "tests" / "transcripts" / f"lesson_{guide.name[:2]}.md").lower()
    for mistake in re.findall(r"\*\*(.+?)\*\*", " ".join(part.split())):
        assert mistake.lower() in told, f"no message of this lesson says: {mistake}"


def test_a_plan_says_what_its_sections_are():
    notebook = nbformat.read(LESSONS[5].path, as_version=4)
    found = teaching.sections(notebook)
    assert found[0].title == "Opening" and found[-1].title == "Closing"
    assert sum(len(one.guesses) for one in found) == len(LESSONS[5].guesses())


def test_a_section_called_closing_is_not_the_end():
    notebook = nbformat.read(LESSONS[17].path, as_version=4)
    titles = [one.title for one in teaching.sections(notebook)]
    assert titles.index("Closing") < titles.index("Closing the server")
    assert titles[-2:] == ["A thousand that talk", "Closing"]


def test_a_guide_without_marks_is_refused():
    with pytest.raises(ValueError, match="<!-- plan -->"):
        teaching.with_plan("# Teaching", "a plan")


STATED = {
    lesson.number: int(
        re.search(r"\*\*Minutes\.\*\* (\d+)", nbformat.read(lesson.path, 4).cells[0].source)[1]
    )
    for lesson in LESSONS
}


def rows():
    """The cells of each row of the schedules, without their frame."""
    for line in text(SCHEDULES).splitlines():
        if line.startswith("|") and not re.match(r"\|[-:| ]+\|$", line):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def test_schedules_add_up():
    """Each column of minutes ends in its sum; a lesson alone has the minutes that it states."""
    sums = {}
    summed = 0
    for cells in rows():
        for place in range(0, len(cells) - 1, 2):
            number, what = cells[place : place + 2]
            if number.isdigit() and len(cells) % 2 == 0:
                sums[place] = sums.get(place, 0) + int(number)
                if re.fullmatch(r"\d\d", what):
                    assert int(number) == STATED[what], f"{what} takes {STATED[what]} minutes"
            elif bold := re.fullmatch(r"\*\*(\d+)\*\*", number):
                assert int(bold[1]) == sums.pop(place), f"the column that ends in {number}"
                summed += 1
    assert summed == 4 and not sums


def test_a_term_teaches_all_but_one_lesson():
    weeks = [cells for cells in rows() if len(cells) == 3 and cells[0].isdigit()]
    assert [int(week) for week, _, _ in weeks] == list(range(1, 13))
    taught = []
    for _, what, minutes in weeks:
        lessons_ = what.split(", ")
        taught += lessons_
        assert int(minutes) == sum(STATED[lesson] for lesson in lessons_) <= 90
    assert sorted([*taught, "19"]) == [lesson.number for lesson in LESSONS]


def test_what_the_manual_calls_is_there():
    from helpers.commands.command_line import parse
    from helpers.room.joining import hand, join  # noqa: F401

    for command in re.findall(r"`(?:python3 )?course\.py ([a-z]+(?: --[a-z]+)?)`", text(SCHEDULES)):
        assert parse(command.split()).command == command.split()[0]


def test_the_sheet_holds_each_lessons_points_and_all_terms():
    sheet = text(ROOT / "teaching" / "sheet.md")
    assert sheet == refresh.sheet_page(), "run: course.py refresh"
    for lesson in LESSONS:
        assert f"## {lesson.number} {lesson.title}\n" in sheet
    assert "## Exercises" not in sheet and "**But:** \n" not in sheet
    assert sheet.count("**Not so:**") == sheet.count("**But:**") == len(LESSONS)
