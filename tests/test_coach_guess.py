"""Guesses: what is said is kept, and compared with what came out, in one line."""

import json
import os

import pytest

import helpers
from helpers.coach.exercise import my_progress
from tests.guesses import choice, number, text

pytestmark = [pytest.mark.coach, pytest.mark.usefixtures("home")]


@pytest.fixture
def line(capsys):
    """What `check` shows of a guess once this was said."""

    def shown(asked, said, truth, **more):
        asked.say(said)
        capsys.readouterr()
        assert asked.check(truth, **more) is None
        out = capsys.readouterr().out
        assert out.count("\n") == 1
        return out.rstrip("\n")

    return shown


# What the line says


def test_the_lines_of_the_three_forms(line):
    assert line(text(), "", "ABC") == "It is ABC."
    assert line(text(), "ABD", "ABC") == "You said ABD. It is ABC."
    assert line(text(), "ABC", "ABC") == "You said ABC, and so it is."
    assert line(number(), "3", 1.0) == "You said 3 s. It is 1.00 s."
    assert line(number(), "1", 1.04) == "You said 1 s, and so it is: 1.04 s."
    assert line(number(""), "12", 12) == "You said 12, and so it is."
    assert line(number("tasks"), "900", 12345) == "You said 900 tasks. It is 12,345 tasks."
    assert line(choice(), "B", "B") == "You chose: B. So it is."
    assert (
        line(choice(), "A", "whoever was ready")
        == "You chose: A. It turned out: whoever was ready."
    )


@pytest.mark.parametrize(
    "said, truth, right",
    [
        ("a, b C", "ABC", True),
        ("ABC", "ACB", False),
        ("A.B", "AB", False),
        ("a b c", ["A", "B", "C"], True),
        ("A,B,C", ["A", "B", "C"], True),
        ("abc", ["A", "B", "C"], True),
        ("B A C", ["A", "B", "C"], False),
        ("A B", ["A", "B", "C"], False),
        ("11, 2", [1, 12], False),
        ("1 12", [1, 12], True),
        ("main ends, a", ["main ends", "A"], True),
        ("c A", {"A", "C"}, True),
        ("a, c", {"A", "C"}, True),
        ("ca", frozenset("AC"), True),
        ("A", {"A", "C"}, False),
        ("A B C", {"A", "C"}, False),
        ("c and A", {"A", "C"}, True),
        ("A, B, and C", ["A", "B", "C"], True),
        ("A & C", {"A", "C"}, True),
        ("C/A", {"A", "C"}, True),
        ("A; C", {"A", "C"}, True),
        ("A AND B", ["A", "B", "C"], False),
        ("main ends and a", ["main ends", "A"], True),
        ("band", ["b", "d"], False),
        ("rock and roll, A", ["rock and roll", "A"], True),
        ("nobody", set(), True),
        ("A", [], False),
        ("Nothing", "", True),
    ],
)
def test_texts_orders_and_sets(line, said, truth, right):
    assert line(text(), said, truth).endswith(", and so it is.") == right


def test_orders_and_sets_in_words(line):
    assert line(text(), "", ["A", 2, "main ends"]) == "It is A, 2, main ends."
    assert line(text(), "", {"C", "A"}) == "It is A, C."
    assert line(text(), "", []) == "It is nothing."
    assert line(text(), "Yes.", "It waits\nfor all.") == "You said Yes. It is It waits for all."


@pytest.mark.parametrize(
    "said, value",
    [
        ("3", 3),
        ("3,5", 3.5),
        ("3.5", 3.5),
        (" 3 s", 3),
        ("3s", 3),
        ("3 seconds", 3),
        ("1/2", 0.5),
        ("1 / 2 s", 0.5),
        ("500 ms", 0.5),
        ("20 µs", 20e-6),
        ("2 min", 120),
        (".5", 0.5),
        ("0,125", 0.125),
        ("1,000", 1000),
        ("12 345,5", None),
        ("10 000", 10_000),
        ("1,234,567.5", 1_234_567.5),
        ("1e3", 1000),
        ("-2", -2),
        ("−2", -2),
        ("about 3", None),
        ("3 or 4", None),
        ("3 tasks", None),
        ("1/0", None),
        ("1/2/3", None),
        ("1e999", None),
        ("nan", None),
        ("three", None),
        ("3 4", None),
        ("-", None),
        ("⅓", None),
    ],
)
def test_numbers_as_people_write_them(line, said, value):
    shown = line(number(), said, 7777.0, within=0)
    if value is None:
        assert shown.startswith(f'I can\'t read "{said}" as a number such as 3, 0.5 or 1/2; it is ')
        assert not my_progress().guess_of("05-took").made
    else:
        assert shown.startswith("You said ")
        assert line(number(), said, value, within=1e-9).count("and so it is") == 1


@pytest.mark.parametrize(
    "said, unit, read",
    [
        ("5 times", "", True),
        ("3 Tasks.", "", True),
        ("5 of them", "", False),
        ("3 thousand", "", False),
        ("5 task", "tasks", True),
        ("5 times", "tasks", False),
    ],
)
def test_a_count_may_be_said_with_what_is_counted(line, said, unit, read):
    assert line(number(unit), said, 7).startswith("You said ") == read


def test_a_number_may_differ_by_a_share(line):
    def right(said, truth, **more):
        return "and so it is" in line(number(), said, truth, **more)

    assert right("1.1", 1.0) and right("0.9", 1.0) and not right("1.11", 1.0)
    assert right("3", 4, within=0.25) and not right("3", 4, within=0.2)
    assert right("0", 0) and not right("0.001", 0) and right("-1.05", -1.0)
    assert not right("1", float("nan"))


def test_what_is_long_is_shortened(line):
    shown = line(text(), "B" * 2000, "A" * 100_000)
    assert len(shown) < 200 and shown.count("…") == 2
    assert line(choice(), "A", "A") and line(number(), "9" * 300, 1.0).count("…") == 1
    assert os.path.getsize(my_progress().path) < 3000


def test_what_was_said_stays_words(line, capsys, monkeypatch):
    shown = []
    monkeypatch.setattr("helpers.coach.cards.show", shown.append)
    asked = text()
    asked.say("<b>**x**`y`")
    asked.check("<i>")
    assert "&lt;b&gt;**x**`y`. It is &lt;i&gt;." in shown[0].html


def test_only_who_said_something_is_told_aloud(monkeypatch):
    shown = []
    monkeypatch.setattr("helpers.coach.cards.show", shown.append)
    asked = text()
    asked.check("A")
    asked.say("B")
    asked.check("A")
    assert ['role="alert"' in one.html for one in shown] == [False, True]


def test_a_choice_may_be_a_sentence_or_long(line):
    choices = ["It waits.", "It goes on.", "It " + "really " * 30 + "waits."]
    asked = helpers.guess("05-waits", "What does it do?", choices=choices)
    assert line(asked, choices[0], choices[1]) == "You chose: It waits. It turned out: It goes on."
    assert line(asked, choices[1], choices[1]) == "You chose: It goes on. So it is."
    assert line(asked, choices[2], choices[2]).count("…") == 1


# What is kept


def test_what_was_said_and_what_came_out_are_kept(line, home):
    line(number(), "3", 1.0)
    said, truth, right, at = json.loads((home / "progress.json").read_text())["exercises"][
        "05-took"
    ]["guess"]
    assert (said, truth, right) == ("3", "1.00 s", False) and at > 1_700_000_000


def test_nothing_said_is_nothing_kept(line, home):
    line(text(), "", "ABC")
    line(text(), "  ", "ABC")
    assert not list(home.iterdir())


def test_the_same_once_more_is_not_written_again(line, home):
    line(text(), "A", "B")
    before = os.stat(home / "progress.json").st_mtime_ns
    line(text(), "A", "B")
    assert os.stat(home / "progress.json").st_mtime_ns == before
    line(text(), "B", "B")
    assert my_progress().guess_of("05-log").right


def test_a_guess_that_is_changed_waits_for_its_check(line):
    asked = text()
    line(asked, "A", "B")
    asked.say("C")
    kept = my_progress().guess_of("05-log")
    assert (kept.said, kept.truth, kept.right, kept.made) == ("C", None, None, False)


@pytest.mark.parametrize(
    "said, truth, right",
    [("21", 20, False), ("20", 20, True), ("21", 20.0, True), ("95", 100, True), ("3", 2, False)],
)
def test_a_small_count_is_exact(line, said, truth, right):
    assert line(number(""), said, truth).startswith(f"You said {said}, and so it is") == right


def test_it_can_be_taken_back(line):
    asked = text()
    line(asked, "A", "A")
    assert line(asked, "", "A") == "It is A."
    assert not my_progress().guess_of("05-log").made


def test_what_was_said_is_known_to_each_field_and_to_the_next_kernel(line):
    first, again = choice(), choice()
    again.say("B")
    assert first.said == "B"
    my_progress.cache_clear()
    assert choice().said == "B" and repr(choice()) == "guess '05-first': B"


def test_a_choice_that_is_gone_was_not_said(line):
    my_progress().said("05-first", "C")
    assert line(choice(), "", "A") == "It turned out: A."


def test_the_tour_asks_too(line):
    assert line(helpers.guess("tour-meal", "What?"), "ABC", "ABC") == "You said ABC, and so it is."


# The author's errors


@pytest.mark.parametrize(
    "id, more, words",
    [
        ("99-log", {}, "'99-log' is no id of a guess: it is the number of a lesson"),
        ("log", {}, "is no id"),
        ("tours-meal", {}, "is no id"),
        ("tour-", {}, "is no id"),
        ("05", {}, "is no id"),
        ("05-Log", {}, "is no id"),
        (5, {}, "is no id"),
        ("05-a", {"choices": ["A", "B"], "unit": "s"}, "both choices and a unit"),
        ("05-a", {"choices": ["A"]}, "has 1 choices, 'A': give 2 to 5 different ones"),
        ("05-a", {"choices": ["A", "A "]}, "give 2 to 5 different ones"),
        ("05-a", {"choices": []}, "give 2 to 5"),
        ("05-a", {"choices": list("ABCDEF")}, "give 2 to 5"),
        ("05-a", {"choices": "AB"}, "give a list of strings"),
        ("05-a", {"choices": [1, 2]}, "give a list of strings"),
        ("05-a", {"unit": 3}, "has the unit 3"),
    ],
)
def test_a_wrong_question_is_the_authors_error(id, more, words, capsys):
    with pytest.raises(ValueError, match=words):
        helpers.guess(id, "What?", **more)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "asked, truth, error, words",
    [
        (choice, "C", ValueError, "'C' is none of the choices of '05-first'"),
        (choice, 3, ValueError, "none of the choices"),
        (choice, ["A"], ValueError, "none of the choices"),
        (text, 3, TypeError, "'05-log' asks for a text, a list or a set; check.. was given 3"),
        (text, None, TypeError, "this is a NoneType"),
        (number, "3", TypeError, "'05-took' asks for a number; check.. was given '3'"),
        (number, True, TypeError, "this is a bool"),
    ],
)
def test_a_wrong_truth_is_the_authors_error(asked, truth, error, words):
    with pytest.raises(error, match=words):
        asked().check(truth)
