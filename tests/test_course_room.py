"""`course.py doctor --room`: what it looks at the day before a class, and what it says of it."""

import json
import socket
import subprocess
import sys
from types import SimpleNamespace

import pytest

from helpers.commands import room
from tests.course_copies import ROOT, copy_small_course, course


def environment(**told):
    """One in which a lesson says this."""
    done = SimpleNamespace(returncode=0, stdout="noise\n" + json.dumps(told), stderr="")
    return SimpleNamespace(run=lambda code: done)


def lesson(**told):
    *_, found = room.look(environment(**told), ["05"])
    return found


def test_a_lesson_is_right_slow_or_broken():
    right = lesson(all=9.4, slowest=3.2, failed=[])
    assert right.right and right.what == "lesson 05 took 9 s; its slowest cell 3.2 s"
    assert not lesson(all=99, slowest=20.1, failed=[]).right
    broken = lesson(all=9, slowest=3, failed=["cell 4: KeyError"])
    assert not broken.right and broken.what.endswith(": cell 4: KeyError")


@pytest.mark.notebooks
def test_a_lesson_is_run_by_the_real_thing():
    """In the tests' own environment."""

    def run(code):
        return subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
        )

    found = list(room.look(SimpleNamespace(run=run), ["04", "99"]))
    assert found[-2].right and "lesson 04 took" in found[-2].what, found
    assert not found[-1].right and "lesson 99 was not run: there is no lesson 99" in found[-1].what


def test_a_port_that_is_taken_is_named_and_nothing_breaks_for_it(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr(room, "PORTS", {port: "the class board"})
        first = next(room.look(environment(), []))
    assert first.less and not first.right
    assert first.what == f"port {port}, for the class board, is taken"


def test_memory_and_network_are_told(monkeypatch):
    told = [found.what for found in room.look(environment(all=1, slowest=1, failed=[]), ["05"])]
    assert any("MB of memory are free: on a hub, room for" in what for what in told)
    monkeypatch.setattr(room, "own_address", lambda: None)
    found = list(room.look(environment(all=1, slowest=1, failed=[]), ["05"]))
    (alone,) = [one for one in found if "is in no network" in one.what]
    assert alone.less and not alone.right


def test_without_an_environment_the_first_thing_is_to_make_one(tmp_path):
    small = copy_small_course(tmp_path / "course")
    told = course(small, "doctor", "--room")
    assert told.returncode == 1 and "it is not made yet" in told.stdout
    assert "For a class" not in told.stdout and "Traceback" not in told.stderr
