"""Tests of another project that fail on the course's loop alone are found, and told with a reason.

The project is a made-up one, and runs with what is installed here: no network is asked.
"""

import subprocess
import sys

import pytest

from helpers.upkeep.bench import suites

pytestmark = pytest.mark.loop

TESTS = """
import asyncio, os, pathlib
import pytest

OURS = not isinstance(asyncio.new_event_loop(), asyncio.BaseEventLoop)
BEFORE = pathlib.Path(__file__).parent / "once"

def test_passes_on_both():
    asyncio.run(asyncio.sleep(0))

def test_fails_on_both():
    assert False

@pytest.mark.skip
def test_skipped():
    pass

@pytest.mark.parametrize("way", [asyncio.run, lambda main: asyncio.Runner().run(main)])
def test_lacks(way):
    async def main():
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(asyncio.Protocol, os.fdopen(os.pipe()[0]))
    way(main())

def test_private():
    asyncio.run(private())

async def private():
    asyncio.get_running_loop().call_later(1, print)._when

def test_of_no_known_reason():
    assert not OURS

def test_noisy():
    seen = BEFORE.exists()
    if OURS:
        BEFORE.touch()
    assert seen or not OURS
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_made_up.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --nonsense\n", encoding="utf-8")
    return tmp_path


def test_what_fails_on_our_loop_alone_has_a_reason_or_is_a_miss(project):
    rows = list(suites.compare(sys.executable, "made-up", project))
    theirs, ours, *tests, lost, unknown = rows
    assert (theirs.measured, theirs.unit.partition(",")[0]) == (6, "passed")
    assert theirs.unit.startswith("passed, 1 failed, 1 skipped") and not theirs.missed
    assert ours.measured == 1 and ours.unit.startswith("passed, 6 failed, 1 skipped")
    found = {row.what.rpartition("::")[2]: (row.measured, row.unit, row.missed) for row in tests}
    assert found == {
        "test_lacks": (2, "this loop has no pipes", False),
        "test_private": (1, "asks for handle._when, which is private", False),
        "test_of_no_known_reason": (1, suites.UNKNOWN, True),
    }
    assert (lost.measured, unknown.measured, unknown.missed) == (4, 1, True)


def test_a_suite_that_does_not_end_is_cut_off_and_its_rest_is_not_run(project):
    theirs, ours, *_ = suites.compare(sys.executable, "made-up", project, limit=0.01)
    assert (theirs.measured, theirs.missed) == (0, True)


def test_no_network_is_one_sentence():
    pip = "import sys; sys.exit('WARNING: retrying\\nERROR: Could not find h2')"
    with pytest.raises(SystemExit, match="^bench --suites: h2 cannot be had") as ended:
        suites.fetch([sys.executable, "-c", pip], "h2")
    said = str(ended.value)
    assert "(ERROR: Could not find h2); connect to a network" in said and "\n" not in said


def test_a_project_that_is_not_known_is_named():
    words = "no tests of requests are known here; there are: aiohttp, anyio, httpcore"
    command = [sys.executable, "-m", "helpers.upkeep.bench", "--suites", "requests"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith(words)
