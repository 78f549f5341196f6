"""Guesses in the progress file and in the string that carries it."""

import json

import pytest

from helpers.coach.noted import LONGEST_SAID
from helpers.coach.progress import CARRIED_SAID, SCHEMA, Progress

pytestmark = pytest.mark.coach


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "progress.json"


def test_a_file_of_a_course_without_guesses_is_taken_over(path):
    path.parent.mkdir()
    path.write_text(json.dumps({"schema": 1, "exercises": {"one": {"status": "solved"}}}))
    told = []
    mine = Progress(path, told.append)
    mine.compared("05-log", "A", "B", False)
    assert mine.of("one")["status"] == "solved" and mine.guess_of("05-log").truth == "B"
    assert json.loads(path.read_text())["schema"] == SCHEMA and not told


GUESS = ["A", "B", False, 1_700_000_000]


@pytest.mark.parametrize(
    "guess",
    [
        None,
        {},
        [],
        GUESS[:3],
        [*GUESS, 1],
        [3, "B", False, 1],
        ["A", 3, False, 1],
        ["A", "B", 0, 1],
        ["A", "B", None, 1],
        ["A", None, True, 1],
        ["A", "B", False, -1],
        ["A", "B", False, None],
        ["A" * (LONGEST_SAID + 1), "B", False, 1],
        ["A", "B" * (LONGEST_SAID + 1), False, 1],
    ],
    ids=lambda guess: str(guess)[:30],
)
def test_a_damaged_guess_is_left_out(path, guess):
    path.parent.mkdir()
    entries = {"05-a": {"guess": guess}, "05-b": {"guess": GUESS}}
    path.write_text(json.dumps({"schema": SCHEMA, "exercises": entries}))
    told = []
    mine = Progress(path, told.append)
    assert mine.all() == {"05-b": {"guess": GUESS}}
    assert len(told) == 1 and "damaged" in told[0]


def test_of_two_guesses_the_later_counts(path):
    earlier, later = {"guess": GUESS}, {"guess": ["B", "B", True, GUESS[3] + 1]}
    mine = Progress(path)
    assert mine.merged(earlier, later) == mine.merged(later, earlier) == later


def test_guesses_are_kept_short(path):
    mine = Progress(path)
    mine.said("05-a", "x" * 10_000)
    mine.compared("05-b", "x" * 10_000, "y" * 10_000, False)
    assert path.stat().st_size < 4 * LONGEST_SAID
    assert Progress(path).guess_of("05-b").truth == "y" * LONGEST_SAID


def test_the_string_carries_the_guesses(path, tmp_path):
    mine = Progress(path)
    mine.checked("one", "solved")
    mine.compared("05-a", "A", "B", False)
    mine.said("05-b", "x" * 100)
    there = Progress(tmp_path / "there.json")
    assert there.restore(mine.code()) == 3
    assert there.guess_of("05-a") == mine.guess_of("05-a")
    assert there.guess_of("05-b").said == "x" * CARRIED_SAID
    assert there.of("one")["status"] == "solved"


def test_a_string_of_a_whole_courses_guesses_can_still_be_pasted(path):
    mine = Progress(path)
    for number in range(24 * 6):
        mine.compared(f"{number // 6:02}-turn{number % 6}", f"{number} s", f"{number}.5 s", False)
    assert len(mine.code()) < 4000
