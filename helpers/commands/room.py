"""What `course.py doctor --room` looks at the day before: ports, memory, network, lessons."""

import json
import os
import socket
from collections.abc import Iterator, Sequence

from .environment import Environment
from .findings import Finding
from .ground import Problem
from .lab import check_port

BOARD = 8890
PORTS = {8888: "JupyterLab", BOARD: "the class board", 8000: "a hub"}
LESSONS = "05", "12", "14", "17"  # the first to take long, and those that ask most of a machine
A_LEARNER = 300
"""MB that a learner's server and kernel hold on a hub; `course.py bench --hub` measures it."""
PATIENCE = 20.0
"""Seconds that a class waits for a cell without asking what is wrong."""
NOWHERE = "192.0.2.1"  # an address for documentation: asked for the way there, which sends nothing


def look(environment: Environment, lessons: Sequence[str]) -> Iterator[Finding]:
    """Look at all of it; the last takes a minute or so a lesson.

    lessons: numbers of those to run, such as "05"; a few that take long if there are none.
    """
    for port, who in PORTS.items():
        free = _is_free(port)
        what = f"port {port}, for {who}, is {'free' if free else 'taken'}"
        yield Finding(free, what, "end what has it, or give --port another", less=True)
    yield from _look_at_memory()
    yield from _look_at_network()
    for number in lessons or LESSONS:
        yield _look_at_lesson(environment, number)


def _look_at_memory():
    free = _free_memory()
    if free is not None:
        yield Finding(
            free > A_LEARNER,
            f"{free} MB of memory are free: on a hub, room for {free // A_LEARNER} learners",
            "close what you don't need",
        )


def _look_at_network():
    address = own_address()
    if address is None:
        yield Finding(
            False,
            "this machine is in no network, so that no learner can join a class here",
            "join the room's network; without one, learners paste their line by hand",
            less=True,
        )
        return
    reached = _can_reach_itself(address)
    yield Finding(
        reached,
        f"learners join at {address}: this machine {'reaches' if reached else 'does not reach'} "
        "itself there",
        f"let port {BOARD} through the firewall; some networks keep machines apart: try a phone's",
        less=True,
    )


def _look_at_lesson(environment, number):
    done = environment.run(f"from helpers.upkeep.bench import slowest; slowest.tell({number!r})")
    if done.returncode:
        why = (done.stderr.strip() or "no word why").splitlines()[-1]
        return Finding(False, f"lesson {number} was not run: {why}", "give a lesson's number: 05")
    told = json.loads(done.stdout.splitlines()[-1])
    failed = "; ".join(told["failed"])
    what = f"lesson {number} took {told['all']:.0f} s; its slowest cell {told['slowest']:.1f} s"
    return Finding(
        not failed and told["slowest"] <= PATIENCE,
        f"{what}{': ' + failed if failed else ''}",
        "close other programs and try again; if it stays so, say it to the class before the cell",
    )


def own_address() -> str | None:
    """The address of this machine in its network, as far as it can tell; None if there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((NOWHERE, 9))
            return probe.getsockname()[0]
        except OSError:
            return None


def _is_free(port):
    try:
        check_port(port)
    except Problem:
        return False
    return True


def _can_reach_itself(address):
    with socket.socket() as board:
        try:
            board.bind(("0.0.0.0", 0))
            board.listen()
            with socket.create_connection((address, board.getsockname()[1]), timeout=3):
                return True
        except OSError:
            return False


def _free_memory():
    """MB that programs can still have; None where the system doesn't say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            sizes = dict(line.split(":") for line in lines)
        return int(sizes["MemAvailable"].split()[0]) // 1000
    except (OSError, KeyError):
        pass
    try:  # macOS: all that there is
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 10**6
    except (AttributeError, ValueError, OSError):
        return None
