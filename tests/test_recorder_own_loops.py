"""The recorder on a loop of one's own: the course's, which announces, and a learner's."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.eventloop import tasks as own_tasks
from helpers.eventloop.instruments import Instrument, announced, leave, listen
from helpers.recording.record import record
from tests.recorded import states
from tests.renaming import renamed


def test_a_loop_of_ones_own_is_recorded_as_asyncio_is():
    async def child():
        await own_tasks.sleep(0.01)

    async def waits_for(future):
        return await future

    async def main():
        future = own_tasks.Future()
        slow = loop.spawn(child(), name="slow")
        waiter = loop.spawn(waits_for(future))
        await loop.spawn(child())
        future.set_result(3)
        slow.cancel()
        return await waiter

    with record() as rec:
        loop = rec.loop(own_tasks.Loop())
        slept = own_tasks.Loop()  # not recorded
        assert loop.run(main()) == 3
        slept.run(child())
    told = [line[11:] for line in rec.log().splitlines()]
    assert [lane.name for lane in rec.lanes] == ["loop", "main", "slow", "waits_for", "child"]
    assert {lane.outcome for lane in rec.lanes} == {"done"}
    for line in (
        "child is created by main",
        "child is woken by timer",
        "main is woken by child (its end)",
        "waits_for is woken by main (set_result)",
    ):
        assert line in told, rec.log()
    assert any(line.startswith("main waits for task child (line ") for line in told)
    assert any(line.startswith("waits_for waits for Future (line ") for line in told)


def test_a_cancel_on_a_loop_of_ones_own_is_marked():
    async def sleeps():
        await own_tasks.sleep(60)

    async def main():
        task = loop.spawn(sleeps())
        await own_tasks.sleep(0)
        task.cancel()
        loop.spawn(sleeps(), name="left")
        await own_tasks.sleep(0)

    with record() as rec:
        loop = rec.loop(own_tasks.Loop())
        loop.run(main())
    assert [(mark.lane, mark.kind, mark.detail) for mark in rec.marks] == [
        (2, "cancel asked", "by main"),
        (2, "cancel delivered", None),
        (3, "cancel asked", "by the end of run"),
        (3, "cancel delivered", None),
    ]
    assert rec.lane("sleeps").outcome == rec.lane("left").outcome == "cancelled"


def test_a_sleeper_that_is_held_up_was_due_at_its_deadline():
    async def sleeps(seconds):
        await own_tasks.sleep(seconds)

    async def rude():
        time.sleep(0.15)

    async def main():
        held_up = loop.spawn(sleeps(0.05), name="held up")
        on_time = loop.spawn(sleeps(0.3), name="on time")
        loop.spawn(rude())
        await held_up
        await on_time

    with record() as rec:
        loop = rec.loop(own_tasks.Loop())
        loop.run(main())
    begun = rec.lane("rude").created
    due = {
        rec.lanes[wake.lane].name: wake.time - begun for wake in rec.wakes if wake.why == "timer"
    }
    assert 0.04 < due["held up"] < 0.14 < 0.29 < due["on time"]
    assert states(rec, "held up") == ["ready", "running", "waiting", "ready", "running"]


class WithAList:
    """A loop as a learner may write it."""

    def __init__(self):
        self.ready = []

    def spawn(self, generator):
        self.ready.append(generator)

    def run(self):
        while self.ready:
            generator = self.ready.pop(0)
            try:
                generator.send(None)
                self.ready.append(generator)
            except StopIteration:
                pass


def test_a_learners_loop_is_recorded_and_put_back():
    def count(number):
        for _ in range(number):
            yield

    loop = WithAList()
    with record() as rec:
        assert rec.loop(loop) is loop
        assert rec.loop(loop) is loop  # a second time changes nothing
        loop.spawn(count(1))
        loop.spawn(count(2))
        loop.run()
    assert [span.lane for span in rec.spans() if span.state == "running" and span.lane] == [
        1,
        2,
        1,
        2,
        2,
    ]
    assert "spawn" not in vars(loop) and type(loop.ready) is list
    loop.spawn(count(3))
    loop.run()
    assert rec.steps == 5


def test_rec_loop_says_what_it_takes():
    with record() as rec:
        with pytest.raises(TypeError, match=r"takes a loop that has spawn\(coro\), and got 3"):
            rec.loop(3)
        loop = rec.loop(own_tasks.Loop())
        with pytest.raises(TypeError, match="spawn takes a generator or a coroutine"):
            loop.spawn(print)
    with pytest.raises(RuntimeError, match="inside the `with`"):
        rec.loop(own_tasks.Loop())


# What the course's loop announces

PROGRAM = """
import socket, threading, time
from helpers.eventloop import ready, sockets, tasks, timers
from helpers.recording.record import record

def turns(number):
    for _ in range(number):
        yield

async def naps(*seconds):
    for one in seconds:
        await tasks.sleep(one)

async def rude():
    await tasks.sleep(0.02)
    time.sleep(0.2)

async def asks(what):
    return await what

async def listens(sock):
    return await sockets.recv(sock, 10)

async def main():
    here, there = socket.socketpair()
    here.setblocking(False)
    future = tasks.Future()
    spawned = [loop.spawn(asks(future)), loop.spawn(listens(here)), loop.spawn(naps(0.1, 0))]
    slow = loop.spawn(naps(60), "slow")
    loop.spawn(naps(60), "left")
    await loop.spawn(rude())
    there.send(b"!")
    threading.Timer(0.05, loop.call_soon_threadsafe, [future.set_result, 1]).start()
    for task in spawned:
        await task
    slow.cancel()
    await tasks.sleep(0)
    here.close()
    there.close()

def tell(rec):
    for lane in rec.lanes[1:]:
        waits = [(s.detail, s.line) for s in rec.spans(lane) if s.state == "waiting"]
        woken = [(wake.by, wake.why) for wake in rec.wakes if wake.lane == lane.id]
        marks = [(mark.kind, mark.detail) for mark in rec.marks if mark.lane == lane.id]
        print(lane.name, lane.parent, lane.outcome, waits, woken, marks)

with record() as rec:
    loop = rec.loop(sockets.Loop())
    loop.run(main())
tell(rec)
nap = rec.lane("naps").id
[held_up] = [wake.time for wake in rec.wakes if wake.lane == nap]
print(0.08 < held_up - rec.lane("naps").created < 0.15)
for Loop in ready.Loop, timers.Loop:
    with record() as rec:
        loop = rec.loop(Loop())
        for one in (turns(2), turns(0)):
            loop.spawn(one)
        if Loop is timers.Loop:
            loop.spawn(naps(0.01, 0, 0.01))
        loop.run()
    tell(rec)
"""


def run_beside(folder):
    """What the program prints with the helpers of that folder."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_name_inside_the_course_loop_matters_to_the_recorder(tmp_path):
    root = Path(__file__).resolve().parent.parent
    copy = tmp_path / "helpers"
    shutil.copytree(root / "helpers", copy, ignore=shutil.ignore_patterns("__pycache__"))
    changed = 0
    for path in (copy / "eventloop").glob("*.py"):
        if path.stem != "__init__":
            path.write_text(renamed(path.read_text(encoding="utf-8")), encoding="utf-8")
            changed += path.read_text(encoding="utf-8").count("_renamed")
    assert changed > 200
    said = run_beside(root)
    assert said == run_beside(tmp_path)
    assert "True" in said.splitlines()  # it was due while another held up the loop
    for words in ("'timer'", "'socket'", "'its end'", "'another thread'", "'cancel'", "'sleep'"):
        assert words in said
    assert "by the end of run" in said and "'task rude'" in said


class Heard(Instrument):
    """Writes down what a loop announces."""

    def __init__(self):
        self.told = []

    def task_spawned(self, task, by, name):
        self.told.append(("spawned", task.name, by and by.name, name))

    def before_step(self, task):
        self.told.append(("before", task.name))

    def after_step(self, task):
        self.told.append(("after", task.name))

    def task_parked(self, task, what, deadline):
        what = what if isinstance(what, str) else type(what).__name__
        self.told.append(("parked", task.name, what, deadline is not None))

    def task_scheduled(self, task, by, cause):
        self.told.append(("scheduled", task.name, by and by.name, cause))

    def cancel_asked(self, task, by, who):
        self.told.append(("cancel", task.name, by and by.name, who))

    def task_ended(self, task, error):
        self.told.append(("ended", task.name, type(error).__name__))


def test_a_loop_announces_all_that_happens_in_order():
    async def child():
        await own_tasks.sleep(0.001)
        await own_tasks.sleep(0)

    async def main():
        await loop.spawn(child(), "A")
        loop.spawn(child())

    loop, heard = own_tasks.Loop(), Heard()
    kind = type(loop)
    listen(loop, heard)
    loop.run(main())
    assert heard.told == [
        ("spawned", "main", None, None),
        ("before", "main"),
        ("spawned", "A", "main", "A"),
        ("parked", "main", "Task", False),
        ("after", "main"),
        ("before", "A"),
        ("parked", "A", "sleep", True),
        ("after", "A"),
        ("scheduled", "A", None, "timer"),
        ("before", "A"),
        ("scheduled", "A", "A", "its turn"),
        ("after", "A"),
        ("before", "A"),
        ("ended", "A", "NoneType"),
        ("scheduled", "main", "A", "its end"),
        ("after", "A"),
        ("before", "main"),
        ("spawned", "child", "main", None),
        ("ended", "main", "NoneType"),
        ("after", "main"),
        ("cancel", "child", None, "the end of run"),
        ("before", "child"),
        ("ended", "child", "CancelledError"),
        ("after", "child"),
    ]
    leave(loop)
    assert type(loop) is kind and vars(loop).keys() == vars(own_tasks.Loop()).keys()
    told = len(heard.told)
    loop.run(child())
    assert len(heard.told) == told


def test_a_task_that_outlives_its_listener_goes_on():
    async def child():
        await own_tasks.sleep(0.01)
        return "done"

    async def main():
        task = loop.spawn(child())
        await own_tasks.sleep(0)
        leave(loop)
        return await task

    loop, heard = own_tasks.Loop(), Heard()
    listen(loop, heard)
    assert loop.run(main()) == "done"
    assert heard.told[-1] == ("before", "main")


def test_a_loop_that_spawns_in_its_own_way_announces_nothing():
    class Own(own_tasks.Loop):
        def spawn(self, coro):
            return super().spawn(coro)

    assert announced(Own()) is None and announced(WithAList()) is None
    with pytest.raises(TypeError, match="none of the course's loops: it announces nothing"):
        listen(Own(), Heard())
