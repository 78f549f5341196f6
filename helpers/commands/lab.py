"""`course.py lab`: JupyterLab on the first lesson, reachable from this machine alone."""

import argparse
import os
import signal
import socket
import sys

from .environment import Environment
from .ground import COURSE_LOCK, EXTRAS_LOCK, ON_WINDOWS, ROOT, Problem
from .machine import jupyter_runtime, why_no_home
from .processes import call

FIRST_LESSON = "notebooks/00_start_here.ipynb"

# Ctrl-C before JupyterLab listens for it: Python's own way would be a traceback. One that came
# while this Python started was held back, and arrives now.
START_JUPYTERLAB = """
import signal, sys
try:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    from jupyterlab.labapp import main
    sys.exit(main())
except KeyboardInterrupt:
    sys.exit(130)
"""


def run(options: argparse.Namespace) -> int:
    """Make the environment and become JupyterLab; on Windows, run it and return its exit status.

    Raises Problem where the port, a home or the environment cannot be had.
    """
    if options.port is not None:
        check_port(options.port)
    no_home = why_no_home()
    if no_home is not None:
        raise Problem(no_home)
    environment = Environment.own()
    bring_up_to_date(environment, options.extras)
    command = [
        environment.python,
        "-c",
        START_JUPYTERLAB,
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.root_dir={ROOT}",
        f"--LabApp.default_url=/lab/tree/{FIRST_LESSON}",
        "--ServerApp.answer_yes=True",  # one Ctrl-C ends it: no question, every kernel stopped
    ]
    if options.port is not None:
        command += [f"--ServerApp.port={options.port}", "--ServerApp.port_retries=0"]
    if options.no_browser:
        command.append("--no-browser")
    if kernel_sockets_fit():
        command.append("--KernelManager.transport=ipc")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # in a container everybody is root
    command += options.rest
    print(f"JupyterLab starts on {FIRST_LESSON}. Ctrl-C ends it.", flush=True)
    os.chdir(ROOT)
    if ON_WINDOWS:
        return call(command)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until START_JUPYTERLAB sees to it
    # In its place rather than beside it: signals then reach JupyterLab itself.
    os.execv(command[0], command)


def bring_up_to_date(environment: Environment, extras: bool) -> None:
    """Make the environment; where that fails, an old one that works will do, unless `extras`.

    Raises Problem where there is none.
    """
    try:
        environment.make(EXTRAS_LOCK if extras else COURSE_LOCK)
    except Problem as problem:
        if extras or not environment.works():
            raise
        print(f"course.py: {problem}", file=sys.stderr, flush=True)


def check_port(port: int) -> None:
    """Raise Problem unless somebody can listen on this port of 127.0.0.1."""
    if not 1 <= port <= 65535:
        raise Problem(f"--port takes a number from 1 to 65535, not {port}")
    with socket.socket() as probe:
        if not ON_WINDOWS:  # as servers do; on Windows it would allow a port that is in use
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError as error:
            raise Problem(f"port {port} is kept for the system: choose one above 1023") from error
        except OSError as error:
            raise Problem(f"port {port} is taken: choose another, or leave --port out") from error


def kernel_sockets_fit() -> bool:
    """Whether kernels can be reached through files instead of TCP, which other users could read.

    Such a path has at most 103 bytes on macOS and 107 on Linux. JupyterLab appends to its runtime
    folder `/kernel-<36 letters>-ipc-1`.
    """
    if ON_WINDOWS or os.environ.get("JUPYTER_PLATFORM_DIRS"):
        return False
    runtime = os.fsencode(os.path.abspath(jupyter_runtime()))
    return len(runtime) + len("/kernel--ipc-1") + 36 <= 103
