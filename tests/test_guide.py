"""The guide through the five questions has advice for every answer, and says what it is for."""

import itertools

import pytest

from helpers import guide
from helpers.props.guide import QUESTIONS, advise

EVERY = [
    dict(zip(QUESTIONS, answers))
    for answers in itertools.product(*(given for _, given in QUESTIONS.values()))
]


@pytest.mark.parametrize("answers", EVERY, ids=lambda answers: "-".join(answers.values()))
def test_every_set_of_answers_has_advice_with_a_reason_and_a_lesson(answers):
    advice = advise(**answers)
    assert advice.because and advice.lessons
    if answers["cpu"] == "yes":
        assert advice.tool != "threads"  # they share one core
        assert advice.tool != "asyncio"  # it would hold the loop
    if answers["at_once"] == "one":
        assert advice.tool == "plain Python"
    if answers["at_once"] == "many" and answers["cpu"] == "no":
        assert advice.tool == "asyncio"


def test_all_tools_can_come_out():
    assert {advise(**answers).tool for answers in EVERY} == {
        "plain Python",
        "threads",
        "processes",
        "asyncio",
        "asyncio and processes",
    }


def test_without_a_front_end_it_is_text():
    shown = guide(at_once="many")._repr_mimebundle_()
    assert set(shown) == {"text/plain", "text/html"}
    assert "How many things must go on at once? many" in shown["text/plain"]
    assert "Take: asyncio. " in shown["text/plain"] and "(Lessons 08, 10, 17.)" in repr(
        guide(at_once="many")
    )


def test_pressing_a_button_changes_the_advice():
    asked = guide()
    box = asked._make_box()
    buttons = box.children[1::2][: len(QUESTIONS)]
    said = box.children[-1]
    assert "plain Python" in said.value
    buttons[list(QUESTIONS).index("at_once")].value = "many"
    assert asked.advice.tool == "asyncio" and "asyncio" in said.value
    buttons[0].value = "yes"
    assert "processes" in said.value


@pytest.mark.parametrize(
    "answers, words",
    [
        ({"speed": "no"}, "there is no question 'speed'"),
        ({"cpu": "perhaps"}, "cpu is one of 'no', 'yes', not 'perhaps'"),
    ],
)
def test_what_it_does_not_know_is_told(answers, words):
    with pytest.raises(ValueError, match=words):
        guide(**answers)
