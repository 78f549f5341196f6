"""`course.py bench`: `helpers.upkeep.bench`, run in the environment."""

import argparse

from .environment import Environment
from .ground import TEST_LOCK
from .processes import call


def run(options: argparse.Namespace) -> int:
    """Run `helpers.upkeep.bench` in the environment; return its exit status."""
    environment = Environment.own()
    environment.make(TEST_LOCK)
    instead = ["--room", str(options.room)] if options.room else []
    instead += ["--hub", str(options.hub)] if options.hub else []
    instead += ["--halts"] if options.halts else []
    instead += ["--suites"] if options.suites else []
    instead += ["--right", str(options.right)] if options.right else []
    instead += ["--busy", str(options.busy)] if options.busy else []
    return call([environment.python, "-m", "helpers.upkeep.bench", *instead, *options.rest])
