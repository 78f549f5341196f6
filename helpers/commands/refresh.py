"""`course.py refresh`: the locks where they must be, then `helpers.upkeep.refresh`."""

import argparse

from .environment import Environment
from .ground import COURSE_LOCK
from .locks import locks_fit, write_locks
from .processes import call


def run(options: argparse.Namespace) -> int:
    """Make the locks anew if they must be, run `helpers.upkeep.refresh`; return its exit status."""
    if options.upgrade or not locks_fit():
        write_locks(options.upgrade)
    environment = Environment.own()
    environment.make(COURSE_LOCK)
    return call([environment.python, "-m", "helpers.upkeep.refresh"])
