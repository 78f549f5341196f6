"""Kernel, judge, records, services and loop on a Windows Python, run by Wine; where CI is set."""

import json
import os
import sys

import pytest

from helpers.commands.ground import Problem
from tests import windows_judged, wine

LIMIT = 170  # seconds of a program; on a quiet machine it takes a quarter of them

pytestmark = [
    pytest.mark.wine,
    pytest.mark.skipif(not os.environ.get("CI"), reason="takes minutes: done where CI is set"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Wine is looked for on Linux"),
]


@pytest.fixture(scope="module")
def windows(tmp_path_factory):
    try:
        python = wine.WindowsPython(tmp_path_factory.mktemp("windows"))
    except (wine.CannotBeHad, Problem) as problem:
        pytest.skip(str(problem))
    yield python
    python.end()


def test_answers_are_judged_on_a_windows_python(windows):
    printed = windows.run("-m", "tests.windows_judged", limit=LIMIT)
    assert json.loads(printed) == windows_judged.KINDS


def test_the_parts_work_on_a_windows_python(windows):
    told = json.loads(windows.run("-m", "tests.windows_parts", limit=LIMIT))
    assert told["progress"] == 40
    assert told["service"] == ["squirtle", 1]
    assert told["loop"] == "HELLO\n"
    assert told["kernel"].pop("after") == "2\n"
    assert {ename for ename, _ in told["kernel"].values()} == {"KeyboardInterrupt"}
    assert max(seconds for _, seconds in told["kernel"].values()) < 20  # they'd sleep 60
