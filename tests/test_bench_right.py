"""A right program that is told a mistake, once in many times, is a miss of the benchmark; a machine
that is too busy to tell is none.
"""

import itertools

import psutil
import pytest

from helpers.coach.form.finding import find
from helpers.coach.mistakes.verdict import Verdict, too_busy
from helpers.upkeep.bench import __main__, right


def test_each_right_program_is_judged_as_often_as_asked_beside_those_that_compute(monkeypatch):
    asked, beside = [], []

    def judging(exercise, answer):
        asked.append((exercise, answer.__name__))
        beside.append(sum(child.is_running() for child in psutil.Process().children()))
        return judge(exercise, answer)

    judge = right.judge
    monkeypatch.setattr(right, "judge", judging)
    before = len(psutil.Process().children())
    unsaid, solved = right.right(2, 1, ["await-1"])
    exercise = find("await-1")
    programs = len(exercise.right_programs())
    assert asked == [(exercise, exercise.asks)] * 2 * programs
    assert min(beside) > before
    assert (unsaid.measured, solved.measured) == (0, len(asked)) and not solved.missed
    children = psutil.Process().children()
    assert not [child for child in children if child.cmdline() == right.COMPUTES]


def test_one_false_verdict_in_many_is_a_miss_and_is_named(monkeypatch):
    told = itertools.cycle(
        [Verdict("solved"), Verdict("not yet", "late"), too_busy(), Verdict("solved")]
    )
    monkeypatch.setattr(right, "judge", lambda *_: (next(told), None))
    programs = len(find("await-1").right_programs())
    *false, unsaid, solved = right.right(4, 0, ["await-1"])
    assert all(row.missed and row.what.endswith("is told: late") for row in false)
    assert sum(row.measured for row in false) == programs == unsaid.measured
    assert not unsaid.missed and solved.missed and solved.measured == 2 * programs


def test_a_lesson_stands_for_its_exercises():
    names = {name.partition(":")[0] for name, _ in right._programs(["05"])}
    assert "robin-1" in names and "gather-1" not in names


def test_busy_alone_is_refused(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["bench", "--busy", "4"])
    with pytest.raises(SystemExit):
        __main__.main()
    assert "--busy goes with --right" in capsys.readouterr().err
