"""The recorder on a loop of one's own: the course's, which announces, and a learner's."""

import time

import pytest

from helpers.eventloop import tasks as own_tasks
from helpers.recording.record import record
from tests.recorded import states


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
