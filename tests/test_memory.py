"""What was learnt comes back: what is due on which day, a sitting, and where it is said."""

import html
import json
import re
import sqlite3
import zipfile
from contextlib import closing
from xml.etree import ElementTree

import ipywidgets
import pytest

from helpers import exercise, review
from helpers.basics.project import PROJECT
from helpers.beliefs.all import BELIEFS
from helpers.coach.course_map import CourseMap
from helpers.coach.exercise import my_progress
from helpers.coach.guess import Guess
from helpers.coach.noted import Drilled, Remembered
from helpers.coach.progress import Progress, memory_in
from helpers.coach.remembering import BEHIND, BEHIND_A_GUESS, MOST, reviewed
from helpers.drills.answers import predictions, truth_of
from helpers.memory.terms import terms

pytestmark = [pytest.mark.coach, pytest.mark.usefixtures("home")]

DAY = 86_400
MONDAY = 1_795_420_800  # 23 November 2026, 8:00


class Clock:
    """Goes on when it is told to. now: in seconds since 1970."""

    def __init__(self):
        self.now = MONDAY

    def __call__(self):
        return self.now

    def to(self, day, hour=8):
        """day: 0 for Monday."""
        self.now = MONDAY + day * DAY + (hour - 8) * 3600


@pytest.fixture
def clock(home, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(my_progress(), "clock", clock)
    return clock


def finish(number):
    """Do all of a lesson, rightly."""
    course = CourseMap(PROJECT)
    (lesson,) = (one for one in course.lessons if one.number == number)
    for id in lesson.guesses():
        my_progress().compared(id, "A", "A", True)
    for id in course.exercises()[number]:
        my_progress().checked(id, "solved")


def due():
    return CourseMap(PROJECT).waiting().ids


def answer(sitting, held=()):
    """Answer the drill that is asked, by the truth, or by the belief if it is one of those held."""
    program, id = sitting.drill.program, sitting.ids[sitting.answered]
    said = predictions(program)[id] if id in held else truth_of(program)
    sitting.check(" ".join(said))


def test_a_learners_week(clock, capsys):
    """A wrong belief is asked again each day until it fades; what is known comes back later."""
    held, asked = {"starts-when-awaited"}, {}
    my_progress().compared("07-spawn", "later", "now", False)
    finish("01")
    for day in range(9):
        clock.to(day, 20)
        if day == 2:
            held.clear()  # the learner has understood
            finish("00")
        sitting = review()
        asked[day] = list(sitting.ids)
        while sitting.drill:
            answer(sitting, held)
    late = [day for day, ids in asked.items() if "starts-when-awaited" in ids]
    assert late == [1, 2, 3, 5], "held on Tuesday, gone from Wednesday on: it comes ever less often"
    assert [day for day, ids in asked.items() if "sleep-blocks" in ids] == [2], "never held"
    of_00 = {id for id, one in BELIEFS.items() if one.lesson == "00"}
    assert asked[0] == [] and set(asked[4]) == of_00, "finished on Wednesday"
    shown = capsys.readouterr().out
    assert "You predicted what would happen if a task began only when it is awaited" in shown
    memory = memory_in(my_progress().all())
    assert memory["sleep-blocks"].stability > memory["starts-when-awaited"].stability


def test_nothing_comes_back_before_a_day_has_passed(clock):
    my_progress().compared("07-spawn", "later", "now", False)
    my_progress().checked("gather-1", "not yet", kind="sequential")
    my_progress().drilled("05-turns", Drilled(clock.now, 3, False, "newest-first"))
    finish("01")
    assert due() == []
    clock.now += DAY - 1
    assert due() == []
    clock.now += 1
    assert sorted(due()) == ["loops-overlap", "newest-first", "starts-when-awaited"]
    clock.now += DAY
    assert "sleep-blocks" in due(), "a finished lesson's belief, which never showed"


def test_a_wrong_guess_counts_although_a_right_one_followed(clock):
    my_progress().compared("07-spawn", "later", "now", False)
    clock.now += 60
    my_progress().compared("07-spawn", "now", "now", True)
    clock.now += DAY
    assert due() == ["starts-when-awaited"]


def test_a_guess_far_from_the_beliefs_own_turn_counts_too(clock):
    my_progress().compared("12-nap", "3", "0", False)
    clock.now += DAY
    assert due() == ["time-sleep-shares"]


def test_the_guesses_of_beliefs_are_there_once():
    asked = {id for lesson in CourseMap(PROJECT).lessons for id in lesson.guesses()}
    assert set(BEHIND_A_GUESS) <= asked - {one.turn for one in BELIEFS.values()}
    assert {id for ids in BEHIND_A_GUESS.values() for id in ids} <= set(BELIEFS)


def test_a_belief_that_answered_an_exercise_comes_back(clock, tmp_path, capsys):
    exercise("prints-1").check("FGACEBHDI")
    assert "You predicted" in capsys.readouterr().out
    code = CourseMap(PROJECT).code
    clock.now += DAY
    assert due() == ["all-before-the-first"]
    other = Progress(tmp_path / "other.json", clock=clock)
    other.restore(code)
    assert other.all()["belief all-before-the-first"]["wrong at"] == MONDAY


def test_a_sitting_has_ten_at_most(clock, capsys):
    for id in list(BELIEFS)[:14]:
        my_progress().remember({id: Remembered(MONDAY - 3 * DAY, MONDAY, 2.0, 5.0)})
    course = CourseMap(PROJECT)
    assert course.to_review() == "10 to review, 8 minutes: `review()`."
    assert len(review().ids) == MOST
    assert "10 to review, 8 minutes" in repr(course).splitlines()[1]
    assert "10 to review, 8 minutes: <code>review()</code>" in course.html()


def test_it_is_said_at_the_end_of_a_lesson_alone(clock, capsys):
    my_progress().remember({"call-runs": Remembered(MONDAY - 3 * DAY, MONDAY, 2.0, 5.0)})
    (lesson,) = (one for one in CourseMap(PROJECT).lessons if one.number == "05")
    *_, before, last = lesson.guesses()
    Guess(before, "What?", None, None).check("x")
    assert "to review" not in capsys.readouterr().out
    Guess(last, "What?", None, None).check("x")
    assert "1 to review, 1 minute: `review()`." in capsys.readouterr().out


def test_only_the_first_answer_to_a_drill_counts(clock, capsys):
    my_progress().remember({"newest-first": Remembered(MONDAY - 3 * DAY, MONDAY, 2.0, 5.0)})
    sitting = review()
    asked = sitting.drill
    asked.say("nonsense")
    once = memory_in(my_progress().all())["newest-first"]
    asked.say(" ".join(truth_of(asked.program)))
    assert memory_in(my_progress().all())["newest-first"] == once
    assert (sitting.answered, sitting.rights) == (1, 0) and once.stability < 2
    sitting.go_on()
    assert sitting.text == "Right: 0 of 1. Nothing is due. The next review is on 24 November."


def test_nothing_said_is_no_answer(clock, capsys):
    my_progress().remember({"newest-first": Remembered(MONDAY - 3 * DAY, MONDAY, 2.0, 5.0)})
    sitting = review()
    sitting.check(" ")
    assert sitting.answered == 0 and sitting.drill is not None


def test_a_cell_that_ends_with_it_shows_it_once(clock, capsys):
    sitting = review()
    assert repr(sitting) == "review: 0 of 0 answered"
    assert not hasattr(sitting, "_repr_mimebundle_") and sitting.over


def test_nothing_to_review(clock, capsys):
    sitting = review()
    assert "Nothing to review yet" in capsys.readouterr().out
    sitting.check("a")
    assert "Nothing to review yet" in capsys.readouterr().out


def test_with_a_front_end_one_comes_after_another(clock):
    for id in "newest-first", "call-runs":
        my_progress().remember({id: Remembered(MONDAY - 3 * DAY, MONDAY, 2.0, 5.0)})
    from helpers.memory.review import Review

    sitting = Review()
    head, place, buttons = sitting.field().children
    (button,) = buttons.children
    assert "2 to review" in head.value
    first = sitting.drill
    (shown,) = place.children
    assert isinstance(shown, ipywidgets.VBox)
    first.say("nonsense")
    button.click()
    assert "2 of 2" in head.value
    assert sitting.drill is not first and sitting.drill is not None
    sitting.drill.say("nonsense")
    button.click()
    assert "Right: 0 of 2." in head.value and not place.children and button.layout.display == "none"


@pytest.mark.parametrize("id", list(BELIEFS)[::4])
def test_there_is_a_fresh_drill_on_each_belief(id):
    from helpers.memory.review import fresh

    assert id in predictions(fresh(id))


def test_the_kinds_of_mistakes_are_there():
    from helpers.coach.mistakes.catalogue import KINDS

    assert set(BEHIND) <= set(KINDS)
    assert {id for ids in BEHIND.values() for id in ids} <= set(BELIEFS)


def test_memory_is_kept_and_carried_along(clock, tmp_path):
    my_progress().compared("07-spawn", "later", "now", False)
    finish("01")
    code = CourseMap(PROJECT).code
    other = Progress(tmp_path / "other.json", clock=clock)
    other.remember({"sleep-blocks": reviewed(None, False, MONDAY + 5)})
    other.restore(code)
    memory = memory_in(other.all())
    assert memory["starts-when-awaited"] == reviewed(None, False, MONDAY)
    assert memory["sleep-blocks"].last == MONDAY + 5, "what was asked later counts"
    assert other.all()["07-spawn"]["wrong at"] == MONDAY
    assert memory_in(Progress(tmp_path / "other.json").all()) == memory


# The deck


@pytest.fixture(scope="module")
def deck(tmp_path_factory):
    """The deck's notes by their tags, {tags: [(front, back)]}, and its media by name."""
    from helpers.memory.deck import write

    folder = tmp_path_factory.mktemp("deck")
    with zipfile.ZipFile(write(folder / "async.apkg")) as packed:
        packed.extractall(folder)
    names = json.loads((folder / "media").read_text())
    media = {name: folder / number for number, name in names.items()}
    with closing(sqlite3.connect(folder / "collection.anki2")) as database:
        rows = database.execute("select tags, flds from notes").fetchall()
        assert database.execute("select count(*) from cards").fetchone()[0] == len(rows)
    notes = {}
    for tags, fields in rows:
        notes.setdefault(tags.strip(), []).append(tuple(fields.split("\x1f")))
    return notes, media


def of_kind(notes, kind):
    return [note for tags in notes for note in notes[tags] if tags.split()[0] == kind]


@pytest.mark.once
def test_the_deck_has_beliefs_terms_and_key_points(deck):
    notes, media = deck
    assert len(of_kind(notes, "belief")) == len(BELIEFS)
    assert len(of_kind(notes, "term")) == len(terms())
    assert len(of_kind(notes, "lesson")) == len(CourseMap(PROJECT).lessons)
    ((front, back),) = notes["belief lesson-07"]
    assert "<strong>a task began only when it is awaited</strong>" in front
    assert BELIEFS["starts-when-awaited"].truth.split("`")[2] in html.unescape(back)
    ((front, back),) = notes["lesson lesson-07"]
    assert "<strong>Not so:</strong>" in back and "](" not in back


@pytest.mark.once
def test_the_decks_pictures_are_there_and_whole(deck):
    notes, media = deck
    backs = "".join(back for _, back in of_kind(notes, "belief"))
    named = set(re.findall(r'src="(.*?)"', backs))
    assert named == set(media) and len(named) > 30
    for picture in media.values():
        assert ElementTree.parse(picture).getroot().tag.endswith("svg")


def test_a_deck_is_an_apkg(clock, tmp_path):
    with pytest.raises(ValueError, match="async.zip: an Anki deck's name ends in .apkg"):
        review().export(tmp_path / "async.zip")
    with pytest.raises(FileNotFoundError, match="there is no folder .*nowhere"):
        review().export(tmp_path / "nowhere" / "async.apkg")


def test_a_check_shows_the_next_program(clock, capsys):
    for id in "newest-first", "call-runs":
        my_progress().remember({id: Remembered(MONDAY - 3 * DAY, MONDAY, 2.0, 5.0)})
    sitting = review()
    capsys.readouterr()
    sitting.check("nonsense")
    assert sitting.drill.program.source in capsys.readouterr().out
