"""The recorder: what it says of asyncio's tasks: lanes, spans, waits, wakes and marks."""

import asyncio
import pickle
import time
import warnings

import pytest

from helpers.recording.log import INNER, OUTER
from helpers.recording.model import PLACES
from helpers.recording.record import record
from tests.recorded import LOOPS, awaits, gathered, line_of, recorded, states, virtual, waits


async def nap(seconds):
    await asyncio.sleep(seconds)  # here nap waits


@pytest.mark.parametrize("loop_factory", LOOPS)
def test_three_overlapped_waits(loop_factory):
    async def main():
        return await asyncio.gather(nap(0.03), nap(0.01), nap(0.02))

    rec = recorded(main(), loop_factory)
    assert [lane.name for lane in rec.lanes] == ["loop", "main", "nap-1", "nap-2", "nap-3"]
    assert [lane.kind for lane in rec.lanes] == ["loop", "task", "task", "task", "task"]
    assert {lane.parent for lane in rec.lanes[2:]} == {rec.lane("main").id}
    assert all(lane.outcome == "done" for lane in rec.lanes)
    assert states(rec, "main") == ["ready", "running", "waiting", "ready", "running"]
    assert waits(rec, "main") == ["gather"] and waits(rec, "nap-2") == ["sleep"]
    assert rec.peak() == 4 and rec.clock == "real" and rec.steps == 8
    ended = {lane.name: lane.ended for lane in rec.lanes}
    assert ended["nap-2"] < ended["nap-3"] < ended["nap-1"] <= ended["main"] <= rec.duration
    [wake] = [wake for wake in rec.wakes if wake.lane == rec.lane("main").id]
    assert wake.by == rec.lane("nap-1").id


def test_of_a_deep_recursion_the_outermost_and_the_innermost_waits_are_kept():
    async def deeper(levels):
        if levels:
            await asyncio.sleep(1)
            await deeper(levels - 1)

    rec = virtual(deeper(300))
    deepest = max((stack for stack, _ in rec.tracks[0].stacks), key=len)
    assert len(deepest) == OUTER + INNER
    assert deepest[-1][2] == "sleep" and deepest[0][2] == deepest[-2][2] == "deeper"


def test_spans_of_a_lane_follow_one_another_without_a_hole():
    async def main():
        async with asyncio.TaskGroup() as group:
            group.create_task(nap(0.01))
            await asyncio.sleep(0)
            await asyncio.sleep(0.005)

    rec = recorded(main())
    for lane in rec.lanes:
        spans = rec.spans(lane)
        assert all(one.end == two.start for one, two in zip(spans, spans[1:])), lane
        assert all(span.end >= span.start for span in spans)
    assert states(rec, "loop")[0] == "selecting" and "running" in states(rec, "loop")


def test_what_a_task_waits_for():
    async def main():
        loop, lock, event = asyncio.get_running_loop(), asyncio.Lock(), asyncio.Event()
        queue, condition = asyncio.Queue(), asyncio.Condition()
        semaphore = asyncio.Semaphore(0)

        async def with_condition():
            async with condition:
                await condition.wait()

        async def with_group():
            async with asyncio.TaskGroup() as group:
                group.create_task(nap(0.02), name="grouped")

        await lock.acquire()
        other = asyncio.create_task(nap(0.02), name="other")
        future, foreign = loop.create_future(), asyncio.Future()
        waiters = {
            "sleep": nap(0.01),
            "Lock.acquire": lock.acquire(),
            "Event.wait": event.wait(),
            "Queue.get": queue.get(),
            "Condition.wait": with_condition(),
            "Semaphore.acquire": semaphore.acquire(),
            "TaskGroup": with_group(),
            "wait": asyncio.wait([other]),
            "gather": gathered(nap(0.01)),
            "executor": asyncio.to_thread(time.sleep, 0.01),
            "task other": awaits(other),
            "future": awaits(future),
            "shield": awaits(asyncio.shield(other)),
        }
        tasks = [asyncio.create_task(coro, name=name) for name, coro in waiters.items()]
        tasks.append(asyncio.create_task(awaits(foreign), name="foreign"))
        await asyncio.sleep(0.005)
        for setter in (lock.release, event.set, semaphore.release):
            setter()
        queue.put_nowait(1)
        future.set_result(1)
        foreign.set_result(1)
        async with condition:
            condition.notify_all()
        await asyncio.wait(tasks)
        return list(waiters)

    rec, names = recorded(main(), returns=True)
    for name in names:
        assert waits(rec, name)[0] == name
    assert waits(rec, "foreign") == ["future"]
    by_main = {rec.lanes[w.lane].name: w.why for w in rec.wakes if w.by == rec.lane("main").id}
    assert by_main["Lock.acquire"] == "Lock.release"
    assert by_main["Event.wait"] == "Event.set"
    assert by_main["Queue.get"] == "Queue"
    assert by_main["Semaphore.acquire"] == "Semaphore.release"
    assert by_main["future"] == "set_result"


def test_the_line_that_waits_is_the_learners():
    async def main():
        await nap(0.001)  # here main waits

    [span] = [s for s in recorded(main()).spans("main") if s.state == "waiting"]
    assert span.line == line_of("here nap waits")
    own = [frame for frame in span.stack if frame[0] == __file__]
    assert [frame[1] for frame in own] == [line_of("here main waits"), line_of("here nap waits")]
    assert [frame[2] for frame in own] == ["main", "nap"]


def test_the_line_at_which_each_step_stops_is_kept():
    async def helper():
        await asyncio.sleep(0)

    async def main():
        await helper()  # hands over in here
        await asyncio.sleep(0)  # and here
        return 1  # and ends here

    def steps(rec):
        [track] = rec.tracks
        code = track.codes[dict(zip(track.functions[::2], track.functions[1::2]))[1]]
        assert (code.file, code.function) == (__file__, "main")
        assert {lane // PLACES for lane in track.steps[::3]} == {1}
        return [code.line(int(lane % PLACES)) for lane in track.steps[::3]]

    lines = [line_of("hands over in here"), line_of("and here"), line_of("and ends here")]
    rec = virtual(main())
    assert steps(rec) == steps(pickle.loads(pickle.dumps(rec))) == lines


def test_a_sleep_that_is_cut_short_leaves_until_when():
    async def main():
        task = asyncio.create_task(nap(9))
        asyncio.create_task(nap(7))
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait([task])
        await asyncio.sleep(1)

    rec = virtual(main())
    [track] = rec.tracks
    lanes = {
        rec.lanes[int(track.steps[3 * step] // PLACES)].name: until - track.zero
        for step, until in track.deadlines.items()
    }
    assert lanes == {"nap-1": 9, "nap-2": 7}  # cancelled by main; by the end of run


def test_a_sleeper_that_the_recording_leaves_asleep():
    async def main():
        with record() as rec:
            asyncio.create_task(nap(3), name="late")
            await asyncio.sleep(0)
        return rec

    rec = asyncio.run(main())
    [track] = rec.tracks
    [(step, until)] = track.deadlines.items()
    assert until - track.steps[3 * step + 2] == pytest.approx(3)


def test_timers_wake_nobody_does():
    rec = recorded(nap(0.001))
    assert [(wake.by, wake.why) for wake in rec.wakes] == [(None, "timer")]


@pytest.mark.parametrize("loop_factory", LOOPS)
def test_wakes_through_callbacks_are_told_of_the_task_that_ended(loop_factory):
    async def main():
        async with asyncio.TaskGroup() as group:
            group.create_task(nap(0.001), name="first")
            group.create_task(nap(0.003), name="last")
        tasks = [asyncio.create_task(nap(d), name=f"w{d}") for d in (0.001, 0.003)]
        await asyncio.wait(tasks)
        for one in asyncio.as_completed([nap(0.001)]):
            await one

    rec = recorded(main(), loop_factory)
    wakers = [rec.lanes[w.by].name for w in rec.wakes if w.lane == rec.lane("main").id]
    assert wakers == ["last", "w0.003", "nap"]


def test_socket_wakes():
    async def main():
        async def serve(reader, writer):
            writer.write(await reader.readline())
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1")
        async with server:
            address = server.sockets[0].getsockname()
            reader, writer = await asyncio.open_connection(*address)
            writer.write(b"hello\n")
            assert await reader.readline() == b"hello\n"
            writer.close()

    rec = recorded(main())
    assert "socket" in waits(rec, "main")
    assert "socket" in [wake.why for wake in rec.wakes]


def test_names():
    async def main():
        class Worker:
            async def run(self):
                pass

        async with asyncio.TaskGroup() as group:
            for _ in range(2):
                group.create_task(nap(0))
            group.create_task(Worker().run())
            group.create_task(nap(0), name="mine")
            group.create_task(nap(0)).set_name("later")

    rec = recorded(main())
    assert [lane.name for lane in rec.lanes[1:]] == [
        "main",
        "nap-1",
        "nap-2",
        "Worker.run",
        "mine",
        "later",
    ]
    with pytest.raises(KeyError, match="no lane is named 'nap'. There are: loop, main, nap-1"):
        rec.lane("nap")


def test_outcomes():
    async def fail():
        await asyncio.sleep(0)
        raise ValueError("broken")

    async def main():
        cancelled = asyncio.create_task(nap(9), name="cancelled")
        await asyncio.gather(fail(), return_exceptions=True)
        cancelled.cancel("enough")
        await asyncio.wait([cancelled])
        asyncio.create_task(nap(9), name="left")

    rec = recorded(main())
    assert [(lane.name, lane.outcome, lane.detail) for lane in rec.lanes[1:]] == [
        ("main", "done", None),
        ("cancelled", "cancelled", None),
        ("fail", "failed", "ValueError('broken')"),
        ("left", "cancelled", None),
    ]
    asked = [mark for mark in rec.marks if mark.kind == "cancel asked"]
    assert [mark.detail for mark in asked] == ["by main", "by the end of run"]


def test_cancel_asked_and_delivered():
    async def stubborn():
        try:
            await asyncio.sleep(9)
        except asyncio.CancelledError:
            await asyncio.sleep(0.002)
        return "survived"

    async def main():
        task = asyncio.create_task(stubborn())
        await asyncio.sleep(0.001)
        task.cancel()
        return await task

    rec, result = recorded(main(), returns=True)
    assert result == "survived" and rec.lane("stubborn").outcome == "done"
    marks = [(mark.kind, mark.detail) for mark in rec.marks]
    assert marks == [("cancel asked", "by main"), ("cancel delivered", None)]
    [wake] = [w for w in rec.wakes if w.why == "cancel"]
    assert (wake.by, wake.lane) == (rec.lane("main").id, rec.lane("stubborn").id)
    # The wake of the second sleep is known as well: the lane is taken up again after a throw.
    assert [w.why for w in rec.wakes if w.lane == wake.lane] == ["cancel", "timer"]


def test_a_timeout_cancels():
    async def main():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.001):
                await asyncio.gather(nap(9))

    marks = recorded(main()).marks
    assert {mark.detail for mark in marks if mark.kind == "cancel asked"} == {"by a timeout"}


def test_cancelled_before_its_first_step():
    async def main():
        task = asyncio.create_task(nap(1))
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rec, cancelled = recorded(main(), returns=True)
    assert cancelled and rec.lane("nap").outcome == "cancelled"
    assert states(rec, "nap") == ["ready", "running"]


def test_cancelled_while_it_only_hands_over():
    async def spin():
        try:
            while True:
                await asyncio.sleep(0)
        finally:
            await asyncio.sleep(0.001)
            await asyncio.sleep(0.001)

    async def main():
        task = asyncio.create_task(spin())
        await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.wait([task])

    rec = recorded(main())
    assert rec.lane("spin").outcome == "cancelled"
    assert [w.why for w in rec.wakes if w.lane == rec.lane("spin").id] == ["timer"] * 2


def test_blocked_loop_is_named_by_its_line():
    async def rude():
        time.sleep(0.12)  # here it blocks

    async def main():
        await rude()

    rec = recorded(main())
    [span] = [span for span in rec.spans("loop") if span.state == "blocked"]
    line = line_of("here it blocks")
    assert span.line == line
    assert span.detail == f"test_recorder.py:{line} rude"
    assert span.end - span.start >= 0.12
    assert f"blocks the loop at test_recorder.py:{line} rude" in rec.log()


def test_a_timer_held_up_makes_ready_when_it_was_due():
    async def main():
        heart = asyncio.create_task(nap(0.02))
        await asyncio.sleep(0.01)
        time.sleep(0.1)
        await heart

    waiting, ready = [s for s in recorded(main()).spans("nap")][-3:-1]
    assert (waiting.state, ready.state) == ("waiting", "ready")
    assert ready.end - ready.start > 0.07
