"""Where to begin: ten drills and three questions, and how sure that makes it."""

import functools
import random
import re

import ipywidgets
import pytest

from helpers import start_with
from helpers.basics.project import PROJECT
from helpers.coach.course_map import OFFER, CourseMap
from helpers.coach.exercise import my_progress
from helpers.coach.progress import Progress
from helpers.drills.answers import truth_of
from helpers.memory import placing
from helpers.memory.placing import AREAS, GUESSES, KNOWS, QUESTIONS, lesson_of, level_of, levels
from helpers.memory.starting import DRILLS, SKIPPED, Start

pytestmark = [pytest.mark.coach, pytest.mark.usefixtures("home")]


def asked_of(level, right):
    """The level that is told to somebody of this level. right: whether they answer an area so."""
    answers = []
    for _ in range(DRILLS):
        area = placing.next_area(levels([], answers))
        answers.append((area, right(area)))
    return level_of(levels([], answers))


def with_slips(level, drawn, area):
    return drawn.random() < (KNOWS if area < level else GUESSES)


@pytest.mark.parametrize("level", range(len(AREAS) + 1))
def test_who_makes_no_slip_begins_where_the_unknown_begins(level):
    assert asked_of(level, lambda area: area < level) == level


def test_who_makes_slips_rarely_misses_what_they_do_not_know():
    drawn = random.Random(3)
    runs = [drawn.randint(0, len(AREAS)) for _ in range(600)]
    told = [asked_of(level, functools.partial(with_slips, level, drawn)) for level in runs]
    near = [abs(one - level) <= 1 for one, level in zip(told, runs)]
    too_far = [one > level for one, level in zip(told, runs)]
    assert sum(near) / len(runs) > 0.85 and sum(too_far) / len(runs) < 0.12


def test_what_people_say_of_themselves_counts_less_than_what_they_predict():
    expert = [QUESTIONS[0].choices["an application or a library on asyncio"], (5, 8), (3, 8)]
    assert placing.next_area(levels(expert, [])) > placing.next_area(levels([], []))
    assert level_of(levels(expert, [(0, False), (0, False), (1, False), (1, False)])) == 0


def through(start, knows):
    """Answer all: drills on these lessons rightly, the others not."""
    for question in QUESTIONS:
        start.check(list(question.choices)[0])
    while start.asked is not None:
        program = start.asked.program
        start.check(" ".join(truth_of(program)) if program.lesson in knows else "")


def test_ten_drills_and_three_questions_say_where_to_begin(capsys):
    start = start_with()
    through(start, {f"{number:02}" for number in range(11)})
    assert len(start.answers) == DRILLS
    assert "`gather`; begin with 11 Cancellation. " in start.words
    assert re.search(r"drills were right. About \d in 10 who answer so know all that", start.words)
    out = capsys.readouterr().out
    assert out.startswith("Three questions and ten drills") and out.rstrip().endswith(start.words)
    assert "told to begin with 11." in start_with().text
    assert start_with(again=True).asked is QUESTIONS[0]


def test_who_knows_nothing_begins_at_the_beginning(capsys):
    start = Start()
    through(start, set())
    assert start.words == "Begin with 00 Start here. 0 of 10 drills were right."
    start.check("")
    assert start.words == capsys.readouterr().out.splitlines()[-1]


def test_it_can_be_skipped_for_ever(capsys, tmp_path):
    assert repr(CourseMap(PROJECT)).endswith(OFFER) and "start_with()" in CourseMap(PROJECT).html()
    start_with().skip()
    assert OFFER not in repr(CourseMap(PROJECT))
    assert start_with().text == SKIPPED
    other = Progress(tmp_path / "other.json")
    other.restore(my_progress().code())
    assert other.all()["start"]["start"][1] == "", "carried along"


def test_what_is_none_of_the_choices(capsys):
    start = Start()
    start.check("perhaps")
    assert "'perhaps' is none of the choices: neither generators" in capsys.readouterr().out
    assert start.asked is QUESTIONS[0]


def test_with_a_front_end_one_comes_after_another():
    start = Start()
    head, place, buttons = start.field().children
    button, skip = buttons.children
    assert "seven minutes" in head.value
    for _ in QUESTIONS:
        button.click()
    assert isinstance(place.children[0], ipywidgets.VBox)
    for _ in range(DRILLS):
        button.click()
    assert "Begin with 00" in head.value and skip.layout.display == "none"


def test_a_button_skips_it_for_ever():
    start = Start()
    head, place, buttons = start.field().children
    buttons.children[1].click()
    assert "This was skipped" in head.value and not place.children
    assert my_progress().all()["start"]["start"][1] == ""


def test_each_area_begins_with_a_lesson_that_is_there():
    numbers = {lesson.number for lesson in CourseMap(PROJECT).lessons}
    assert {lesson_of(level) for level in range(len(AREAS) + 1)} <= numbers
