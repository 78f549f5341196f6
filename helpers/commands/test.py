"""`course.py test`: pytest on one Python or several, a second try for a few, and the counts.

`--quick` is what a newcomer runs first: a little of everything that a lesson stands on, in the
environment that `course.py lab` makes.
"""

import argparse
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from . import doctor, findings
from .environment import Environment
from .ground import COURSE_LOCK, PYTHON, TEST_LOCK, Problem
from .processes import call

FEW = 10  # failed tests that are given a second try: with more it is hardly the machine

ON_EVERY_PYTHON = "(notebooks or coach or loop) and not once"

LESSON = (
    "tests/test_notebooks.py::test_runs_from_a_fresh_kernel_twice_and_leaves_nothing[notebooks/{}]"
)
QUICK = (
    "tests/test_kernel.py",
    "tests/test_stop_button.py",
    "tests/test_coach_exercise.py",
    *(LESSON.format(name) for name in ("00_start_here", "05_loop_ready_queue", "10_tasks")),
    "tests/test_eventloop.py",
)
QUICK_SAYS = """
Looked at: the environment, the kernel with its stop button, the coach, lessons 00, 05 and 10, and
the event loop. Left out: the other lessons and all exercises, asyncio on the course's loop, the
servers, the recorder, the pictures and the browser. For all of it: {} course.py test
"""


class Outcome(NamedTuple):
    """How a run of pytest ended. names: the tests that failed, if that is known."""

    status: int
    passed: int
    failed: int
    skipped: int
    names: Sequence[str] = ()


def run(options: argparse.Namespace) -> int:
    """Run pytest on each Python asked for; return the worst of its exit statuses."""
    if options.quick:
        return run_quickly(options)
    others = [Environment.of(find_python(name)) for name in options.also]
    environment = Environment.own()
    environment.make(TEST_LOCK)
    outcomes = [run_tests(environment, options.rest)]
    for other in others:
        other.make(TEST_LOCK)
        print(f"\nThe notebooks, the coach and the loop on Python {other.version}:", flush=True)
        outcomes.append(run_tests(other, ["-m", ON_EVERY_PYTHON, *options.rest]))
    print_counts(outcomes)
    return max(outcome.status for outcome in outcomes)


def run_quickly(options: argparse.Namespace) -> int:
    """Look at the environment, run the few tests of `QUICK`; return the worse exit status."""
    environment = Environment.own()
    environment.make(COURSE_LOCK)
    looked = findings.report(doctor.examine(environment))
    outcome = run_pytest(environment, [*QUICK, *options.rest])
    print(QUICK_SAYS.format(PYTHON), end="")
    print_counts([outcome])
    return max(looked, outcome.status)


def print_counts(outcomes: Sequence[Outcome]) -> None:
    """Print, as the last line, how many tests passed, failed and were skipped in all."""
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    skipped = sum(outcome.skipped for outcome in outcomes)
    print(f"\n{passed} passed, {failed} failed, {skipped} skipped", flush=True)


def find_python(name: str) -> str:
    """Return the path of the Python that `--also` names: a version such as 3.11, or a path.

    Raises Problem where there is none.
    """
    path = name
    if re.match(r"3\.\d+$", name):
        path = shutil.which("python" + name)
        if path is None:
            raise Problem(f"--also {name}: there is no python{name} on the PATH")
    if not os.path.isfile(path):
        raise Problem(f"--also {name}: there is no such file")
    return os.path.abspath(path)


def run_tests(environment: Environment, arguments: Sequence[str]) -> Outcome:
    """Run pytest; where only a few tests fail, run them once more, alone, and name them.

    What is measured in real time, or asks for many processes at once, says little on a machine
    that was busy. Each case of a parametrized test counts. Which tests there are, and the markers
    of those that `--also` runs: pyproject.toml.
    """
    # More than twice as many as processors: much waits. tests/conftest.py keeps as many as there
    # are for what measures time.
    side_by_side = ["-n", str(2 * max(2, os.cpu_count() or 2) + 1), "--dist", "loadfile"]
    first = run_pytest(environment, [*side_by_side, *arguments])
    if first.status != 1 or not first.names:
        return first
    if len(first.names) > FEW:
        failed = f"{len(first.names)} tests failed"
        print(f"\n{failed}: no second try, which is for {FEW} at most.", flush=True)
        return first
    print(f"\nOnce more, alone:{listed(first.names)}", flush=True)
    again = run_pytest(environment, ["-n", "0", "--last-failed", *arguments])
    if again.status not in (0, 1):  # pytest did not come to its end
        return first._replace(status=again.status)
    unsteady = [name for name in first.names if name not in again.names]
    if unsteady:
        print(f"\nUnsteady, passed only alone:{listed(unsteady)}", flush=True)
    return again._replace(passed=first.passed + again.passed, skipped=first.skipped)


def listed(names: Sequence[str]) -> str:
    """Return the names, each on a line of its own below what stands before them."""
    return "".join(f"\n  {name}" for name in names)


def run_pytest(environment: Environment, arguments: Sequence[str]) -> Outcome:
    """Run pytest once."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        status = call([environment.python, "-m", "pytest", f"--junit-xml={report}", *arguments])
        try:
            tests = list(ElementTree.parse(report).getroot().iter("testcase"))
        except (OSError, ElementTree.ParseError):  # pytest itself broke down, and has said why
            return Outcome(status or 1, 0, 0, 0)
    failed = [test for test in tests if {"failure", "error"} & {part.tag for part in test}]
    skipped = [test for test in tests if test not in failed and test.find("skipped") is not None]
    names = [f"{test.get('classname')} {test.get('name')}" for test in failed]
    passed = len(tests) - len(failed) - len(skipped)
    return Outcome(status, passed, len(failed), len(skipped), names)
