"""Regenerate all that is generated: the locks, exercises/, stored outputs, pictures.

The locks are left alone, and no network is needed, unless the dependencies in pyproject.toml
have changed or --upgrade asks for newer packages.
"""

import argparse

from .environment import Environment
from .ground import COURSE_LOCK
from .locks import locks_fit, write_locks
from .processes import call


def add_options(parser: argparse.ArgumentParser) -> None:
    """Tell the parser which options the command has."""
    parser.add_argument(
        "--upgrade",
        action="store_true",
        help="take the newest packages that fit pyproject.toml into the locks",
    )


def run(options: argparse.Namespace) -> int:
    """Make the locks anew if they must be, run `helpers.upkeep.refresh`; return its exit status."""
    if options.upgrade or not locks_fit():
        write_locks(options.upgrade)
    environment = Environment.own()
    environment.make(COURSE_LOCK)
    return call([environment.python, "-m", "helpers.upkeep.refresh"])
