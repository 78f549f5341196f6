"""Who listens while the course runs, and why it may.

Every user of a machine reaches its 127.0.0.1. So what listens there has a secret, or serves only
what everybody may see: each row of `MAY_LISTEN` says which. Whoever else listens turns a test red.

Neither of two ways to look sees all. A hook in each Python process notes every `bind`, however
short (`binding/sitecustomize.py`). A look at the sockets of all processes after a cell finds those
of other programs' making: zmq, PostgreSQL.
"""

import contextlib
import json
import os
import re
from pathlib import Path

import psutil

BINDING = Path(__file__).with_name("binding")
UNIX_SOCKET = "a Unix socket"
HERE = {"127.0.0.1", "::1", UNIX_SOCKET}

# Who: why it may. A notebook stands for all that its own cells open.
MAY_LISTEN = {
    "jupyterlab.labapp": "each request needs the token that it prints",
    "ipykernel": "each request is signed with the key in its connection file, which only its owner "
    "reads, and forked processes print over a port with a secret. What cells print could be read "
    "over TCP, so `course.py lab` has the channels in a folder of the learner's own",
    "helpers.props.cluster": "talks TLS with a certificate made at each start, has no pages for a "
    "browser: tests/test_cluster.py",
    "postgres": "its socket is in a folder that only the learner can enter",
    "helpers.coach.judging.judge": "an answer that is a server: sends back what its check sent",
    "helpers.services.catalogue_server": "serves published facts, the same to everybody",
    "helpers.services.echo_server": "sends back what it was sent, and keeps nothing",
    "helpers.services.shop_server": "serves four made-up ratings, and the words put into its cache",
    "helpers.services.web_server": "serves the applications written in the lessons",
    "notebooks/08_loop_sockets": "sends back what it was sent",
    "notebooks/09_asyncio_revealed": "sends back what it was sent; one page of FastAPI",
    "notebooks/14_http_clients": "sends blanks, one every 0.1 s, the same to everybody",
    "notebooks/17_tcp_servers": "sends back what it was sent",
    "notebooks/18_web_servers": "sends the same words to everybody",
    "notebooks/19_services": "sends the same words to everybody",
    "notebooks/tour": "one page of FastAPI",
    "notebooks/23_capstone": "shows how many published pages it has read",
    "helpers.props.program": "lesson 19's server, in a process of its own",
    "tests.cpython_suites": "lesson 09: CPython's tests of asyncio, each with a port for a moment",
    "pytest": "the tests: looks for ports that are free for a kernel",
}


def bound(process):
    """The addresses, (host, port or path), at which a process waits for others."""
    own = [one.laddr for one in process.net_connections("all") if not one.raddr and one.laddr]
    return {(UNIX_SOCKET, place) if isinstance(place, str) else tuple(place) for place in own}


def who(words, kernel):
    """Which part of the course a process is, by the words of its command.

    kernel: what a notebook's kernel is called.
    """
    program = re.match(r"[\w.]*", os.path.basename(words[0]))[0]
    if not program.startswith("python"):
        return program
    for option, what in zip(words, words[1:]):
        if option == "-m":
            return kernel if what == "ipykernel_launcher" else what
        if option == "-c":
            found = re.search(r"^\s*from ([\w.]+) import", what, re.M)
            return found[1] if found else what
    return " ".join(words)


def unexplained(seen):
    """A sentence for each (who, host) that may not listen, or not there."""
    return sorted(
        f"{name} listens at {host}, and tests/listeners.py does not say why it may"
        for name, host in seen
        if name not in MAY_LISTEN or host not in HERE
    )


class Listeners:
    """All that listen while a notebook runs."""

    def __init__(self, notebook, kernel, notes):
        """notebook: "notebooks/08_loop_sockets"; kernel: its process, before the first cell.
        notes: the path in which the hook notes.
        """
        self.notebook, self.kernel, self.notes = notebook, kernel, Path(notes)
        self.channels = bound(kernel)
        self.seen = {("ipykernel", host) for host, _ in self.channels}

    def look(self):
        """Look at the sockets of the kernel and of the processes below it."""
        for process in [self.kernel, *self.kernel.children(recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):  # it has just ended
                waits, words = bound(process) - self.channels, process.cmdline()
                # One that is about to end has no words any more.
                self.seen |= {(who(words, self.notebook), host) for host, _ in waits if words}

    def who_and_where(self):
        """All of them so far, as pairs of (who, host)."""
        notes = self.notes.read_text(encoding="utf-8") if self.notes.exists() else ""
        noted = map(json.loads, notes.splitlines())
        return self.seen | {(who(words, self.notebook), host) for words, host in noted}
