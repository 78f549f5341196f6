"""`course.py slides`: `helpers.upkeep.slides`, run in the environment."""

import argparse

from .environment import Environment
from .ground import SITE_LOCK
from .processes import call


def run(options: argparse.Namespace) -> int:
    """Make slides of lessons in the environment; return the exit status."""
    environment = Environment.own()
    environment.make(SITE_LOCK)
    return call([environment.python, "-m", "helpers.upkeep.slides", *options.lessons])
