"""`course.py hub`: JupyterHub with the course, by a configuration of teaching/hub/."""

import argparse
import os
import shutil

from .environment import Environment
from .ground import HUB_LOCK, ON_WINDOWS, ROOT, Problem
from .lab import check_port

FOLDER = ROOT / "teaching" / "hub"
TRY_IT = "try_it"  # the one that listens on this machine alone
PROXY = "configurable-http-proxy"


def run(options: argparse.Namespace) -> int:
    """Make the environment and become JupyterHub.

    Raises Problem on Windows, and where the proxy, the port or the environment cannot be had.
    """
    if ON_WINDOWS:
        raise Problem("JupyterHub doesn't run on Windows: use WSL, or Linux")
    configuration = FOLDER / f"{options.configuration}.py"
    if not configuration.exists():
        raise Problem(f"--configuration {options.configuration}: there is no {configuration}")
    check_port(options.port)
    if proxy() is None:
        raise Problem(f"JupyterHub needs {PROXY}: type, with Node.js, npm ci --prefix {FOLDER}")
    environment = Environment.own()
    environment.make(HUB_LOCK)
    command = [environment.python, "-m", "jupyterhub"]
    host = "127.0.0.1" if options.configuration == TRY_IT else ""
    command += [f"--config={configuration}", f"--JupyterHub.bind_url=http://{host}:{options.port}"]
    os.execv(command[0], [*command, *options.rest])


def proxy() -> str | None:
    """The path of the proxy that JupyterHub needs: what npm put beside its lock, or on the PATH."""
    places = [str(FOLDER / "node_modules" / ".bin"), os.environ.get("PATH", "")]
    return shutil.which(PROXY, path=os.pathsep.join(places))
