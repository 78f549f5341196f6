"""`course.py test` tries a few failed tests once more, alone, and says what it did.

Then what `--quick` runs, and that no shell keeps Ctrl-C from the tests.
"""

import argparse
import shutil
import subprocess
import sys

import pytest

from helpers.commands import test
from helpers.commands.test import Outcome
from tests.course_copies import ROOT


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
    assert test.run_tests(None, [])[:4] == (4, 8, 1, 3)
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


@pytest.mark.parametrize("looked, ended, status", [(0, 0, 0), (1, 0, 1), (0, 1, 1)])
def test_the_quick_look_ends_with_what_it_left_out(
    outcomes, monkeypatch, capsys, looked, ended, status
):
    class Made:
        def make(self, lock):
            assert lock == "requirements.txt", "what `course.py lab` makes, and nothing more"

    monkeypatch.setattr(test.Environment, "own", Made)
    monkeypatch.setattr(test.findings, "report", lambda findings: looked)
    outcomes.append(Outcome(ended, 9, ended, 0))
    assert test.run(argparse.Namespace(quick=True, also=[], rest=[])) == status
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == f"9 passed, {ended} failed, 0 skipped"
    assert "Left out: the other lessons" in " ".join(said)
    assert any(line.endswith("For all of it: python3 course.py test") for line in said)


def test_what_the_quick_look_runs_is_there():
    for name in test.QUICK:
        path, _, case = name.partition("::")
        assert (ROOT / path).is_file()
        assert not case or (ROOT / (case.partition("[")[2].rstrip("]") + ".ipynb")).is_file()


HEARD = """
import signal

def test_ctrl_c_is_heard():
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
def test_ctrl_c_is_heard_by_tests_that_a_shell_started_in_the_background(tmp_path):
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_heard.py").write_text(HEARD)
    command = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-m", "pytest", "-q"]
    command += ["-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
