"""`course.py test` tries a few failed tests once more, alone, and says what it did."""

import pytest

from helpers.commands import test
from helpers.commands.test import Outcome


@pytest.fixture
def outcomes(monkeypatch):
    """What the next runs of pytest end with."""
    following = []
    monkeypatch.setattr(test, "run_pytest", lambda environment, arguments: following.pop(0))
    return following


def failed(number, passed=0):
    names = [f"tests.test_it test_case[{n}]" for n in range(number)]
    return Outcome(1 if names else 0, passed, number, 3, names)


def test_who_passes_alone_is_named_and_the_run_is_green(outcomes, capsys):
    outcomes += [failed(2, passed=8), Outcome(0, 2, 0, 0)]
    assert test.run_tests(None, []) == (0, 10, 0, 3, ())
    said = capsys.readouterr().out
    names = "\n  tests.test_it test_case[0]\n  tests.test_it test_case[1]\n"
    assert f"Once more, alone:{names}" in said
    assert f"Unsteady, passed only alone:{names}" in said


def test_who_fails_alone_as_well_is_not_called_unsteady(outcomes, capsys):
    outcomes += [failed(2, passed=8), failed(1, passed=1)]
    assert test.run_tests(None, [])[:4] == (1, 9, 1, 3)
    said = capsys.readouterr().out
    assert said.endswith("Unsteady, passed only alone:\n  tests.test_it test_case[1]\n")


def test_nobody_is_called_unsteady_where_the_second_try_broke_down(outcomes, capsys):
    outcomes += [failed(1, passed=8), Outcome(4, 0, 0, 0)]
    assert test.run_tests(None, []).status == 4
    assert "Unsteady" not in capsys.readouterr().out


def test_too_many_have_one_try_and_that_is_said(outcomes, capsys):
    outcomes += [failed(test.FEW + 1, passed=8)]
    assert test.run_tests(None, []).failed == test.FEW + 1
    assert "11 tests failed: no second try, which is for 10 at most." in capsys.readouterr().out


@pytest.mark.parametrize("status, names", [(0, ()), (2, ("tests.test_it",))])
def test_a_run_that_is_green_or_broke_down_is_all(outcomes, status, names):
    first = Outcome(status, 8, len(names), 3, names)
    outcomes.append(first)
    assert test.run_tests(None, []) == first
