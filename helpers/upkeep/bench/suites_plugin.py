"""A plugin of pytest's for others' tests: which loop they get, and a line for each that has run.

It runs in the environment of those tests, where nothing is but what they need; so it leans on
pytest and on the course's loop alone. `suites.py` names it in PYTEST_PLUGINS, which the processes
that pytest starts to share the work read as well, before they import a test.
"""

import asyncio
import json
import os
import warnings

import pytest

from helpers.eventloop import new_event_loop

ON_OURS = "TESTS_ON_THE_COURSES_LOOP"  # a variable: the tests get our loop if it is set at all

if ON_OURS in os.environ:
    # Wherever a loop comes from when nobody says which: asyncio.run, Runner, new_event_loop in any
    # thread, and the two names by which libraries ask for asyncio's own.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # policies, from Python 3.14 on
        asyncio.DefaultEventLoopPolicy._loop_factory = new_event_loop
    asyncio.SelectorEventLoop = asyncio.EventLoop = new_event_loop


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that says where to write what happened."""
    parser.addoption("--outcomes", help="a file: gets a line of JSON for each step of each test")


def pytest_configure(config: pytest.Config) -> None:
    """Write it, in the process that hears of all tests; not in those that share the work."""
    if (path := config.getoption("outcomes")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Outcomes(path))


class Outcomes:
    """Writes what happened at once, so that it is there although the run is cut off."""

    def __init__(self, path: str) -> None:
        self.path = path

    def write(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        """Add a line: the test, how this step of it ended, and what it said, if it failed."""
        text = "\n".join([report.longreprtext, *(words for _, words in report.sections)])
        line = {"test": report.nodeid, "outcome": report.outcome, "text": text}
        if report.outcome != "failed":
            del line["text"]
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write how a step of a test ended."""
        self.write(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Write which file could not be read."""
        if report.failed:
            self.write(report)
