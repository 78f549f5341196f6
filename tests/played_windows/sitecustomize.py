"""Plays Windows on Linux for the course's own code, as far as that can be played.

Python imports this by itself when it starts with this folder on its PYTHONPATH. Then it has no
fork and no `resource`, waits by `select` alone and in ticks of 15.6 ms, talks to itself over TCP,
and starts every other Python by a launcher whose process id is not Python's own. What only a real
Windows can show is in `test_wine.py`: paths, locks of files, the Proactor loop, the stop button.
"""

import os
import sys

# Before `multiprocessing` is imported: it takes the interpreter itself, as it does on Windows.
PYTHON, LAUNCHER = sys.executable, "PLAYED_LAUNCHER"
sys.executable = os.environ[LAUNCHER]

import builtins  # noqa: E402
import math  # noqa: E402
import select  # noqa: E402
from importlib.machinery import PathFinder  # noqa: E402

OURS = ("helpers", "exercises", "__main__")

# Waiting. First, for `selectors` looks once at what there is.

TICK = 1 / 64  # seconds: the clock by which Windows ends a wait
MOST = 512  # sockets that its select takes


class Ticking:
    """`select.select` as Windows has it. No function, for `selectors` keeps it in a class."""

    def __init__(self, usual):
        self.usual = usual

    def __call__(self, reads, writes, others, timeout=None):
        if max(map(len, (reads, writes, others))) > MOST:
            raise ValueError("too many file descriptors in select()")
        if not any((reads, writes, others)):
            raise OSError(10022, "An invalid argument was supplied")
        if timeout is not None and timeout > 0:
            timeout = math.ceil(timeout / TICK) * TICK
        return self.usual(reads, writes, others, timeout)


select.select = Ticking(select.select)

import selectors  # noqa: E402

selectors.DefaultSelector = selectors.SelectSelector

import multiprocessing  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import subprocess  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402

# Modules

UNKNOWN = {"resource", "termios", "pty", "tty"}
usual_import, usual_spec = builtins.__import__, PathFinder.find_spec


def import_here(name, globals=None, *more, **named):
    """Import, but tell our own code that Unix's modules are missing: libraries need them here."""
    if name in UNKNOWN and str((globals or {}).get("__name__")).partition(".")[0] in OURS:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return usual_import(name, globals, *more, **named)


def spec_here(cls, name, *more):
    """Find a module, except uvloop, of which there is none for Windows."""
    return None if name.partition(".")[0] == "uvloop" else usual_spec(name, *more)


builtins.__import__ = import_here
PathFinder.find_spec = classmethod(spec_here)

# Sockets


class Winsock(socket.socket):
    """A socket that takes all it is given, as long as it has any room, and passes it on later."""

    later = None

    def send(self, data, flags=0):
        if self.gettimeout() != 0:
            return super().send(data, flags)
        if self.later and self.later.is_alive():
            raise BlockingIOError
        rest = memoryview(data)[super().send(data, flags) :]
        if rest:
            self.later = threading.Thread(target=pass_on, args=(self.dup(), rest), daemon=True)
            self.later.start()
        return len(data)


def pass_on(sock, rest):
    """Send the rest, when there is room."""
    with sock:
        try:
            while rest:
                select.select([], [sock], [])
                rest = rest[socket.socket.send(sock, rest) :]
        except OSError:
            pass  # nobody will read it


def socketpair(family=socket.AF_INET, kind=socket.SOCK_STREAM, proto=0):
    """Two sockets that are connected: by TCP, for Windows has nothing else."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        here = Winsock()
        here.connect(listener.getsockname())
        there, _ = listener.accept()
    return here, Winsock(fileno=there.detach())


socket.socketpair = socketpair

# Calls

multiprocessing.set_start_method("spawn")
multiprocessing.set_executable(PYTHON)
for owner, names in {
    os: ("fork", "forkpty", "register_at_fork", "waitid"),
    signal: ("SIGALRM", "SIGUSR1", "SIGUSR2", "alarm", "pthread_kill", "setitimer"),
    time: ("pthread_getcpuclockid",),
}.items():
    for name in names:
        delattr(owner, name)

# The process that holds the console of one which has no window: a child that nobody asked for.
if "helpers.coach.judging.judge" in sys.orig_argv:
    console = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
