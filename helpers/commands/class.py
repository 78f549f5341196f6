"""`course.py class`: the class board, `helpers.board`, run in the environment."""

import argparse
import os

from .environment import Environment
from .ground import ON_WINDOWS
from .lab import bring_up_to_date, check_port
from .processes import call


def run(options: argparse.Namespace) -> int:
    """Make the environment and become the board; on Windows, run it and return its exit status.

    Raises Problem where the port or the environment cannot be had.
    """
    if options.port is not None:
        check_port(options.port)
    environment = Environment.own()
    bring_up_to_date(environment, extras=False)
    command = [environment.python, "-m", "helpers.board"]
    if options.port is not None:
        command += ["--port", str(options.port)]
    command += [f"--{name}" for name in ("local", "new", "delete") if getattr(options, name)]
    if ON_WINDOWS:
        return call(command)
    os.execv(command[0], command)
