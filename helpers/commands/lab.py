"""`course.py lab`: JupyterLab on the first lesson, reachable from this machine alone."""

import argparse
import os
import signal
import socket
import sys

from .environment import Environment
from .ground import COURSE_LOCK, EXTRAS_LOCK, ON_WINDOWS, ROOT, Problem
from .processes import call

FIRST_LESSON = "notebooks/00_start_here.ipynb"

# Ctrl-C before JupyterLab listens for it: Python's own way would be a traceback.
START_JUPYTERLAB = """
import signal, sys
try:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from jupyterlab.labapp import main
    sys.exit(main())
except KeyboardInterrupt:
    sys.exit(130)
"""


def run(options: argparse.Namespace) -> int:
    """Make the environment and become JupyterLab; on Windows, run it and return its exit status.

    Raises Problem where the port cannot be had or the environment cannot be made.
    """
    if options.port is not None:
        check_port(options.port)
    environment = Environment.own()
    environment.make(EXTRAS_LOCK if options.extras else COURSE_LOCK)
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # until START_JUPYTERLAB sees to it
    # In its place rather than beside it: signals then reach JupyterLab itself.
    os.execv(command[0], command)


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
    folder, found here as jupyter_core does, `/kernel-<36 letters>-ipc-1`.
    """
    if ON_WINDOWS or os.environ.get("JUPYTER_PLATFORM_DIRS"):
        return False
    data = os.environ.get("JUPYTER_DATA_DIR")
    if not data and sys.platform == "darwin":
        data = os.path.expanduser("~/Library/Jupyter")
    elif not data:
        share = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
        data = os.path.join(share, "jupyter")
    runtime = os.environ.get("JUPYTER_RUNTIME_DIR") or os.path.join(data, "runtime")
    return len(os.fsencode(os.path.abspath(runtime))) + len("/kernel--ipc-1") + 36 <= 103
