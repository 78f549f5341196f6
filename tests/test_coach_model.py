"""What an exercise's model does is found out once, before the processes that judge are forked."""

import threading

import pytest

from helpers.coach.form import finding
from helpers.coach.judging.cases import cases_of, drawn
from helpers.coach.judging.lab import Lab
from helpers.coach.judging.model import Model, model_of
from helpers.coach.judging.sweeping import Sweeping
from helpers.coach.mistakes.source import Source
from tests.coach_cells import FIXTURES

pytestmark = pytest.mark.coach
SWEPT = [
    entry.id
    for entry in finding.entries()
    if (exercise := finding.find(entry.id)).sweeps and exercise.clock == "virtual"
]


def swept():
    return finding.find("t-sweep", FIXTURES)


def new_lab(exercise):
    return Lab(exercise.asks, exercise.clock, Source(()))


def test_the_model_comes_from_its_text():
    program = model_of(swept()).program
    assert program.__name__ == "fetch_all" and program.__module__ == "__main__"


def test_what_is_known_is_not_asked_again():
    exercise, model = swept(), Model(swept())
    (sweep,) = exercise.sweeps
    asked = [(case, twist) for case, twist, _ in model.asked(sweep, new_lab(exercise))]
    model.get_known()
    model.program = None  # whoever asked it would get a TypeError
    known = [*model.asked(sweep, new_lab(exercise))]
    assert [(case, twist) for case, twist, _ in known] == asked
    assert {type(outcome.error) for *_, outcome in known} <= {type(None), OSError, TimeoutError}
    for case, twist, outcome in known:
        again = model.outcome(sweep, new_lab(exercise), case, twist, lambda took: None)
        assert again is outcome
    unknown = model.outcome(sweep, new_lab(exercise), dict(known[0][0]), twist, lambda took: None)
    assert isinstance(unknown.error, TypeError)


def test_an_answer_is_measured_by_what_is_known(monkeypatch):
    exercise = swept()
    program = model_of(exercise).program
    model_of(exercise).get_known()
    monkeypatch.setattr(model_of(exercise), "program", None)
    Sweeping(exercise, new_lab(exercise), lambda: program, lambda took: None).judge(program)


def test_what_goes_by_the_real_clock_is_not_found_out_beforehand():
    exercise = finding.find("script-1")
    model = Model(exercise)
    model.get_known()
    model.program = None
    (sweep, *_) = exercise.sweeps
    case, _, outcome = next(model.asked(sweep, new_lab(exercise)))
    assert isinstance(outcome.error, TypeError)


@pytest.mark.parametrize("id", ["script-1", "await-1"])
def test_cases_are_drawn_beforehand_whatever_the_clock(id):
    exercise = finding.find(id)
    drawn.cache_clear()
    Model(exercise).get_known()
    before = drawn.cache_info().misses
    assert before and all(map(cases_of, exercise.sweeps))
    assert drawn.cache_info().misses == before


@pytest.mark.parametrize("id", SWEPT)
def test_what_a_model_does_can_be_known_and_leaves_no_thread(id):
    exercise = finding.find(id)
    threads, model = threading.active_count(), Model(exercise)
    model.get_known()
    assert threading.active_count() == threads
    asked = []
    for sweep in exercise.sweeps:
        assert [*model.asked(sweep, new_lab(exercise), lambda took: asked.append(id))]
    assert not asked
