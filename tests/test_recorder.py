"""The recorder: what it says of tasks, generators and jobs, and that it leaves no trace."""

import asyncio
import concurrent.futures
import contextvars
import gc
import glob
import inspect
import linecache
import multiprocessing
import os
import pickle
import signal
import statistics
import sys
import tempfile
import threading
import time
import traceback
import types
import warnings

import pytest

from helpers.eventloop import tasks as own_tasks
from helpers.kernel.virtual import VirtualLoop
from helpers.recording import jobs
from helpers.recording.cell import observe
from helpers.recording.jobs import job
from helpers.recording.model import PLACES
from helpers.recording.record import attach, record
from helpers.upkeep.bench import recorder as bench

uvloop = pytest.importorskip("uvloop") if sys.platform != "win32" else None
OURS = os.path.dirname(inspect.getsourcefile(record))
LOOPS = [asyncio.SelectorEventLoop] + ([uvloop.new_event_loop] if uvloop else [])


def recorded(main, loop_factory=None, returns=False):
    """Run the coroutine as a script would, recorded."""
    with record() as rec, asyncio.Runner(loop_factory=loop_factory) as runner:
        attach(runner.get_loop())
        result = runner.run(main)
    return (rec, result) if returns else rec


def virtual(main):
    return recorded(main, VirtualLoop)


def states(rec, lane):
    return [span.state for span in rec.spans(lane)]


def waits(rec, lane):
    return [span.detail for span in rec.spans(lane) if span.state == "waiting"]


def line_of(text):
    """The number of the one line of this file that holds the text (and is not this call's)."""
    lines = linecache.getlines(__file__)
    [number] = [n for n, line in enumerate(lines, 1) if f"# {text}" in line]
    return number


async def nap(seconds):
    await asyncio.sleep(seconds)  # here nap waits


# Lanes and spans


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


async def gathered(*coros):
    await asyncio.gather(*coros)


async def awaits(thing):
    return await thing


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


# Other loops, other ways in


def test_virtual_time_is_exact_and_the_same_every_run():
    async def main():
        async with asyncio.TaskGroup() as group:
            for number in (3, 1, 2):
                group.create_task(nap(number * 1000), name=f"n{number}")
        await nap(1)

    one, two = virtual(main()), virtual(main())
    assert one.clock == "virtual" and one.duration == 3001
    assert one.lane("n2").ended == 2000
    assert [(s.start, s.end) for s in one.spans("n2") if s.state == "waiting"] == [(0, 2000)]
    assert one.log() == two.log()
    log = one.log()
    assert log.index("n3 is created by main") < log.index("n3 runs")
    assert log.index("n1 is done") < log.index("n2 is woken by timer")
    assert log.index("n3 is done") < log.index("main is woken by n3")


def test_peak_counts_no_task_twice_at_the_same_instant():
    async def one_by_one():
        for _ in range(3):
            await asyncio.create_task(nap(1))

    assert virtual(one_by_one()).peak() == 2


def test_blocked_virtual_loop():
    async def main():
        await asyncio.sleep(5)
        time.sleep(0.2)  # a virtual clock does not see this

    rec = virtual(main())
    assert rec.duration < 5.5
    assert [span.line for span in rec.spans("loop") if span.state == "blocked"] == [
        line_of("a virtual clock does not see this")
    ]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks are new in Python 3.12")
def test_eager_tasks():
    async def main():
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
        quick = asyncio.create_task(awaits(asyncio.sleep(0, "quick")))
        slow = asyncio.create_task(nap(0.001))
        future = asyncio.get_running_loop().create_future()
        asyncio.create_task(awaits(future))
        future.set_result(None)
        await asyncio.wait([quick, slow])

    rec = recorded(main())
    first = [next(s for s in rec.spans(name) if s.state == "running") for name in ("nap", "main")]
    assert first[1].start < first[0].start <= first[0].end < first[1].end
    [wake] = [wake for wake in rec.wakes if wake.why == "set_result"]
    assert wake.by == rec.lane("main").id  # main goes on after an eager task's first step


def test_a_factory_of_the_learner_is_used():
    made = []

    def factory(loop, coro, **kwargs):
        made.append(coro)
        return asyncio.Task(coro, loop=loop, **kwargs)

    async def main():
        asyncio.get_running_loop().set_task_factory(factory)
        await asyncio.create_task(nap(0.001))

    rec = recorded(main())
    assert made[0].cr_code is nap.__code__ and rec.lane("nap").outcome == "done"


def test_a_running_loop_records_only_what_starts_inside():
    async def ticker():
        while True:
            await asyncio.sleep(0.001)
            other = asyncio.create_task(nap(0))
            await other

    async def main():
        before = asyncio.create_task(ticker())
        await asyncio.sleep(0.002)
        loop = asyncio.get_running_loop()
        with record() as rec:
            await asyncio.create_task(nap(0.01), name="inside")
            loop.call_later(0.001, lambda: loop.create_task(nap(0), name="called later"))
            await asyncio.sleep(0.005)
        after = asyncio.create_task(nap(0))
        await after
        before.cancel()
        return rec

    rec = asyncio.run(main())
    assert [lane.name for lane in rec.lanes] == ["loop", "inside", "called later"]


def test_the_cell_has_a_lane():
    async def cell():
        with record() as rec:
            await nap(0.002)
            await asyncio.create_task(nap(0.001))
        await asyncio.sleep(0)
        return rec

    async def kernel():
        return await observe(cell())

    rec = asyncio.run(kernel())
    assert [lane.kind for lane in rec.lanes] == ["loop", "cell", "task"]
    assert rec.lane("cell").outcome == "done"
    assert rec.lane("nap").parent == rec.lane("cell").id
    assert states(rec, "cell") == [
        "running",
        "waiting",
        "ready",
        "running",
        "waiting",
        "ready",
        "running",
    ]
    assert waits(rec, "cell") == ["sleep", "task nap"]
    assert rec.spans("cell")[0].start == 0
    assert "cell runs" in rec.log() and "cell is created" not in rec.log()


def test_a_cell_that_fails():
    kept = []

    async def cell():
        with record() as rec:
            kept.append(rec)
            await nap(0.001)
            raise ValueError("here")

    async def kernel():
        await observe(cell())

    with pytest.raises(ValueError) as caught:
        asyncio.run(kernel())
    assert kept[0].lane("cell").outcome == "failed"
    assert not any(os.path.dirname(frame.filename) == OURS for frame in traceback.extract_tb(caught.tb))


def test_a_cell_that_is_cancelled_and_goes_on():
    async def cell():
        with record() as rec:
            try:
                await nap(9)
            except asyncio.CancelledError:
                await nap(0.001)
        return rec

    async def kernel():
        task = asyncio.ensure_future(observed_cell())
        await asyncio.sleep(0.002)
        task.cancel()
        return await task

    async def observed_cell():
        return await observe(cell())

    assert waits(asyncio.run(kernel()), "cell") == ["sleep", "sleep"]


def test_a_loop_without_tasks_of_ours_does_not_show():
    async def cell():
        with record() as rec:
            time.sleep(0.001)
        return rec

    assert asyncio.run(cell()).lanes == []


def test_two_runs_and_a_run_in_a_thread_in_one_recording():
    def run():
        with asyncio.Runner() as runner:
            attach(runner.get_loop())
            runner.run(nap(0.005))

    with record() as rec:
        run()
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    assert [lane.name for lane in rec.lanes] == ["loop-1", "nap-1", "loop-2", "nap-2"]
    assert all(waits(rec, name) == ["sleep"] for name in ("nap-1", "nap-2"))
    assert rec.lane("nap-2").created > rec.lane("nap-1").ended


def test_one_recording_at_a_time():
    with record():
        with pytest.raises(RuntimeError, match="a recording is under way already"):
            with record():
                pass
    with record():
        pass


# No trace is left


class Sudden(Exception):
    pass


@pytest.mark.parametrize("loop_factory", LOOPS)
@pytest.mark.parametrize("fails", [False, True])
def test_everything_is_put_back(loop_factory, fails):
    def own(loop, coro, **kwargs):
        return asyncio.Task(coro, loop=loop, **kwargs)

    async def main():
        loop = asyncio.get_running_loop()
        loop.set_task_factory(own)
        create_future = loop.create_future
        threads = threading.active_count()
        try:
            with record():
                await asyncio.create_task(nap(0.001))
                assert threading.active_count() == threads + 1
                if fails:
                    raise Sudden
        except Sudden:
            pass
        assert threading.active_count() == threads
        assert loop.get_task_factory() is own
        assert loop.create_future == create_future
        assert type(loop.create_future()) is not type(create_future) and "create_future" not in (
            loop.__dict__
        )
        assert type(asyncio.create_task(nap(0))) is asyncio.Task

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(main())


def test_tasks_that_live_on():
    async def long(gate):
        await gate.wait()
        try:
            await asyncio.sleep(9)
        except asyncio.CancelledError:
            return "told"

    async def main():
        gate = asyncio.Event()
        with record() as rec:
            task = asyncio.create_task(long(gate))
            never = asyncio.create_task(nap(0))
            waiter = asyncio.create_task(awaits(task))
            await asyncio.sleep(0.001)
        before = rec.steps
        gate.set()
        await asyncio.sleep(0.001)
        task.set_name("renamed")
        task.cancel()
        assert await waiter == "told" and never.done()
        assert rec.steps == before
        return rec

    rec = asyncio.run(main())
    lane = rec.lane("long")
    assert lane.outcome is None and lane.ended is None
    last = rec.spans(lane)[-1]
    assert last.state == "waiting" and last.detail == "Event.wait"
    assert abs(last.end - rec.duration) < 0.1
    assert "renamed" not in [lane.name for lane in rec.lanes]


def test_tracebacks_show_no_frame_of_ours():
    async def fail():
        await asyncio.sleep(0)
        raise ValueError

    async def fail_when_thrown():
        try:
            await asyncio.sleep(9)
        finally:
            raise KeyError

    async def main():
        task = asyncio.create_task(fail_when_thrown())
        await asyncio.sleep(0)
        task.cancel()
        return await asyncio.gather(fail(), task, return_exceptions=True)

    _, errors = recorded(main(), returns=True)
    for error, names in zip(errors, (["fail"], ["fail_when_thrown"])):
        assert [frame.name for frame in traceback.extract_tb(error.__traceback__)] == names
    cancelled = errors[1].__context__
    assert type(cancelled) is asyncio.CancelledError
    assert not any(os.path.dirname(f.filename) == OURS for f in traceback.extract_tb(cancelled.__traceback__))


def test_tasks_look_as_ever():
    async def main():
        task = asyncio.create_task(nap(0.001), name="it")
        await asyncio.sleep(0)
        assert task.get_coro().cr_code is nap.__code__
        assert inspect.getcoroutinestate(task.get_coro()) == inspect.CORO_SUSPENDED
        [frame] = task.get_stack()
        assert frame.f_code is nap.__code__
        assert asyncio.iscoroutine(task.get_coro())
        text = repr(task)
        assert text.startswith("<Task pending name='it' coro=<nap() running at ")
        assert OURS not in text
        assert asyncio.current_task() in asyncio.all_tasks() and task in asyncio.all_tasks()
        assert isinstance(task, asyncio.Task)
        await task
        return repr(task)

    assert "coro=<nap() done" in recorded(main(), returns=True)[1]


def test_default_names_of_tasks_stay():
    async def main():
        task = asyncio.create_task(nap(0))
        await task
        return task.get_name()

    assert recorded(main(), returns=True)[1].startswith("Task-")


def test_wrong_use_gets_the_usual_errors():
    async def main():
        with pytest.raises(TypeError, match="a coroutine was expected"):
            asyncio.create_task(nap)
        with pytest.raises(TypeError, match="must be a callable"):
            asyncio.get_running_loop().set_task_factory(1)
        future = asyncio.get_running_loop().create_future()
        future.set_result(1)
        with pytest.raises(asyncio.InvalidStateError):
            future.set_result(2)
        assert future.cancel() is False

    recorded(main())


def test_warnings_stay():
    async def main():
        complaints = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: complaints.append(context["message"]))

        async def fail():
            raise ValueError

        async def waits_for_ever():
            await loop.create_future()

        asyncio.create_task(fail())
        retrieved = asyncio.create_task(fail())
        asyncio.create_task(waits_for_ever(), name="lost")
        await asyncio.wait([retrieved])
        retrieved.exception()
        await asyncio.sleep(0)
        del retrieved
        gc.collect()
        return complaints

    rec, complaints = recorded(main(), returns=True)
    assert sorted(complaints) == [
        "Task exception was never retrieved",
        "Task was destroyed but it is pending!",
    ]
    assert rec.lane("lost").outcome is None
    assert rec.lane("lost").detail == "lost: nobody held it"


def test_a_coroutine_whose_task_never_ran_is_still_warned_of():
    with pytest.warns(RuntimeWarning, match="was never awaited"):
        with record():
            loop = asyncio.new_event_loop()
            attach(loop)
            loop.set_exception_handler(lambda loop, context: None)
            loop.create_task(nap(0))
            loop.close()
            del loop
            gc.collect()
        gc.collect()


def test_contexts_of_tasks_stay_apart():
    var = contextvars.ContextVar("var", default=0)

    async def set_it(value):
        var.set(value)
        await asyncio.sleep(0)
        return var.get()

    async def main():
        values = await asyncio.gather(*[set_it(n) for n in range(3)])
        return values, var.get()

    assert recorded(main(), returns=True)[1] == ([0, 1, 2], 0)


def test_a_recording_can_be_pickled():
    async def main():
        await asyncio.gather(nap(0.001), nap(0.002))

    with record() as rec, asyncio.Runner() as runner:
        attach(runner.get_loop())
        runner.run(main())
        list(rec.generator(iter_three(), "g"))
        job(abs)(-1)
    copy = pickle.loads(pickle.dumps(rec))
    assert copy.lanes == rec.lanes and copy.spans() == rec.spans()
    assert copy.log() == rec.log() and copy.marks == rec.marks and copy.wakes == rec.wakes


# Generators


def iter_three():
    yield 1
    yield 2
    return 3


def averager():
    total = count = 0
    mean = None
    while True:
        try:
            value = yield mean
        except ZeroDivisionError:
            total = count = 0
            mean = None
            continue
        total, count = total + value, count + 1
        mean = total / count


def said(rec, name):
    lane = rec.lane(name).id
    return [(m.kind, m.detail) for m in rec.marks if m.lane == lane]


def test_a_conversation():
    with record() as rec:
        mean = rec.generator(averager())
        assert next(mean) is None
        assert mean.send(10) == 10 and mean.send(20) == 15
        assert mean.throw(ZeroDivisionError) is None
        mean.close()
    assert said(rec, "averager") == [
        ("next", None),
        ("yield", "None"),
        ("send", "10"),
        ("yield", "10.0"),
        ("send", "20"),
        ("yield", "15.0"),
        ("throw", "<class 'ZeroDivisionError'>"),
        ("yield", "None"),
        ("close", None),
        ("return", "None"),
    ]
    assert [lane.kind for lane in rec.lanes] == ["caller", "generator"]
    assert rec.lane("averager").outcome == "done"
    assert states(rec, "averager") == ["created"] + ["running", "suspended"] * 4 + [
        "running",
        "closed",
    ]
    assert states(rec, "caller")[:3] == ["running", "waiting", "running"]
    assert rec.steps == 5


def test_an_unprimed_send_leaves_it_created():
    with record() as rec:
        mean = rec.generator(averager(), "mean")
        with pytest.raises(TypeError, match="just-started"):
            mean.send(1)
        next(mean)
    assert states(rec, "mean") == ["created", "running", "created", "running", "suspended"]
    assert rec.lane("mean").outcome is None


def test_errors_leave_a_generator_closed():
    def fails():
        yield 1
        raise ValueError("x")

    with record() as rec:
        stand_in = rec.generator(fails())
        with pytest.raises(ValueError) as caught:
            list(stand_in)
    assert rec.lane("fails").outcome == "failed"
    assert states(rec, "fails")[-1] == "closed"
    assert not any(os.path.dirname(frame.filename) == OURS for frame in traceback.extract_tb(caught.tb))


def test_a_swallowed_close_is_an_error():
    def stubborn():
        for _ in range(2):
            try:
                yield
            except GeneratorExit:
                pass

    with record() as rec:
        stand_in = rec.generator(stubborn())
        next(stand_in)
        with pytest.raises(RuntimeError, match="ignored GeneratorExit"):
            stand_in.close()
    assert said(rec, "stubborn")[-1][0] == "raise"
    assert states(rec, "stubborn")[-1] == "suspended"
    list(stand_in)


def test_delegation_carries_everything_through():
    def outer(inner):
        result = yield from inner
        yield result

    with record() as rec:
        inner = rec.generator(iter_three(), "inner")
        through = rec.generator(outer(inner), "outer")
        assert list(through) == [1, 2, 3]
    assert rec.lane("inner").parent == rec.lane("outer").id
    assert rec.lane("outer").parent == rec.lane("caller").id
    assert said(rec, "inner")[-2:] == [("next", None), ("return", "3")]


def test_await_takes_the_stand_in_of_a_coroutine():
    @types.coroutine
    def ask():
        try:
            return (yield "tea?")
        except KeyError:
            return "none"

    async def through(inner):
        return await inner

    def drive(act, what):
        with record() as rec:
            inner = rec.generator(ask(), "ask")
            outer = rec.generator(through(rec.generator(through(inner), "middle")), "outer")
            assert outer.send(None) == "tea?"
            assert inspect.getcoroutinestate(outer) == "CORO_SUSPENDED"
            with pytest.raises(StopIteration) as end:
                getattr(outer, act)(what)
        return end.value.value, rec

    assert drive("throw", KeyError())[0] == "none"
    value, rec = drive("send", 4)
    assert value == 4
    talk = [(rec.lanes[mark.lane].name, mark.kind, mark.detail) for mark in rec.marks]
    assert talk[:3] == [
        ("outer", "send", "None"),
        ("middle", "send", "None"),
        ("ask", "next", None),
    ]
    assert talk[3:6] == [(name, "yield", "'tea?'") for name in ("ask", "middle", "outer")]
    assert talk[6:9] == [(name, "send", "4") for name in ("outer", "middle", "ask")]
    assert states(rec, "middle") == ["created", "running", "suspended", "running", "closed"]

    with record() as rec:
        coroutine = through(rec.generator(iter_three(), "plain"))
        with pytest.raises(TypeError, match="object generator can't be used in 'await'"):
            coroutine.send(None)


def test_a_stand_in_has_the_generators_attributes():
    with record() as rec:
        stand_in = rec.generator(iter_three())
        assert inspect.getgeneratorstate(stand_in) == "GEN_CREATED"
        next(stand_in)
        assert stand_in.gi_frame.f_lineno and stand_in.gi_code is iter_three.__code__
        assert stand_in.__name__ == "iter_three" and iter(stand_in) is stand_in
    assert next(stand_in) == 2  # it goes on after the with, unrecorded
    assert len(said(rec, "iter_three")) == 2
    with pytest.raises(RuntimeError, match="the recording has ended"):
        rec.generator(iter_three())


def test_a_value_whose_repr_fails_harms_nothing():
    class Odd:
        def __repr__(self):
            raise ValueError

    with record() as rec:
        stand_in = rec.generator((x for x in [Odd(), "x" * 1000]), "odd")
        list(stand_in)
    assert "repr raises ValueError" in said(rec, "odd")[1][1]
    assert len(said(rec, "odd")[3][1]) == 40


# Jobs


def burn(seconds):
    """Work for that many CPU seconds."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    return seconds


def fail_job(text):
    raise ValueError(text)


def die(_):
    os.kill(os.getpid(), signal.SIGKILL)


@job
def decorated(number):
    return number + 1


def left_folders():
    return glob.glob(os.path.join(tempfile.gettempdir(), f"recording-{os.getpid()}-*"))


def test_jobs_in_this_thread_and_others():
    with record() as rec:
        assert job(burn)(0.02) == 0.02
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(job(time.sleep), [0.05, 0.05]))
        thread = threading.Thread(target=job(fail_job), args=("why",), name="mine")
        threading.excepthook, before = lambda arguments: None, threading.excepthook
        thread.start()
        thread.join()
        threading.excepthook = before
    assert [lane.name for lane in rec.lanes] == ["burn", "sleep-1", "sleep-2", "fail_job"]
    assert {lane.kind for lane in rec.lanes} == {"thread"}
    assert rec.lane("burn").detail == "MainThread"
    assert (rec.lane("fail_job").outcome, rec.lane("fail_job").detail) == (
        "failed",
        "ValueError('why')",
    )
    [span] = rec.spans("burn")
    assert span.state == "running" and span.end - span.start >= 0.02 and span.cpu > 0.01
    assert rec.spans("sleep-1")[0].cpu < 0.5


def test_a_job_of_to_thread_knows_who_sent_it():
    async def main():
        await asyncio.to_thread(job(time.sleep), 0.001)

    rec = recorded(main())
    assert rec.lane("sleep").parent == rec.lane("main").id


def test_without_a_recording_a_job_is_a_plain_call():
    assert job(burn)(0.001) == 0.001 and decorated(1) == 2
    with pytest.raises(ValueError) as caught:
        job(fail_job)("plain")
    assert caught.traceback[-1].name == "fail_job"
    with pytest.raises(TypeError, match="ordinary function"):
        job(nap)
    assert job(burn).__name__ == "burn" and job(burn).__doc__ == burn.__doc__


METHODS = [m for m in ("spawn", "fork") if m in multiprocessing.get_all_start_methods()]


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("method", METHODS)
def test_jobs_in_processes(method):
    context = multiprocessing.get_context(method)
    with record() as rec:
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            assert list(pool.map(job(burn), [0.01, 0.01])) == [0.01, 0.01]
            assert pool.submit(decorated, 3).result() == 4
            with pytest.raises(ValueError):
                pool.submit(job(fail_job), "far").result()
        process = context.Process(target=job(burn), args=(0.01,))
        process.start()
        process.join()
        assert process.exitcode == 0
    assert [(lane.name, lane.kind, lane.outcome) for lane in rec.lanes] == [
        ("burn-1", "process", "done"),
        ("burn-2", "process", "done"),
        ("decorated", "process", "done"),
        ("fail_job", "process", "failed"),
        ("burn-3", "process", "done"),
    ]
    assert rec.lane("fail_job").detail == "ValueError('far')"
    for lane in rec.lanes:
        [span] = rec.spans(lane)
        assert 0 < span.start <= span.end < rec.duration
    assert rec.spans("burn-3")[0].cpu > 0.01
    assert left_folders() == []


def call_pickled(data, *arguments):
    return pickle.loads(data)(*arguments)


def test_a_process_in_between_hands_a_job_on_and_its_name():
    with (
        record() as rec,
        concurrent.futures.ProcessPoolExecutor(
            1, mp_context=multiprocessing.get_context("spawn")
        ) as pool,
    ):
        mine = job(burn, name="mine")
        for one in job(burn), mine, mine, job(decorated, name="deco"), decorated:
            again = pool.submit(pickle.dumps, one).result()
            pool.submit(call_pickled, again, 0.001).result()
        mine(0.001)
    # A name that was given is no more numbered than a task's.
    assert [lane.name for lane in rec.lanes if lane.kind == "process"] == [
        "burn",
        "mine",
        "mine",
        "deco",
        "decorated",
    ]
    assert [lane.name for lane in rec.lanes if lane.kind == "thread"] == ["mine"]
    assert len({lane.pid for lane in rec.lanes if lane.pid}) == 1
    assert left_folders() == []


@pytest.mark.skipif("fork" not in METHODS, reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("told", [False, True])
def test_a_process_that_is_killed_leaves_its_lane(told):
    process = multiprocessing.get_context("fork").Process(target=job(die), args=(0,))
    with record() as rec:
        process.start()
        process.join()
        if told:
            jobs.killed(process.pid)
    lane = rec.lane("die")
    assert lane.kind == "process" and lane.pid == process.pid
    if told:
        assert (lane.outcome, lane.detail, lane.ended) == (
            "failed",
            "killed",
            rec.killed[process.pid],
        )
    else:
        assert lane.outcome is None
    assert rec.spans("die")[0].cpu is None
    assert left_folders() == []
    jobs.killed(process.pid)  # nobody records


def test_a_pool_that_outlives_the_recording():
    with concurrent.futures.ProcessPoolExecutor(
        1, mp_context=multiprocessing.get_context("spawn")
    ) as pool:
        with record() as rec:
            pool.submit(job(burn), 0.001).result()
            late = pickle.dumps(job(burn))
        assert pool.submit(job(burn), 0.001).result() == 0.001
        assert pool.submit(pickle.loads(late), 0.001).result() == 0.001
    assert len(rec.lanes) == 1
    assert left_folders() == []


def test_no_folder_without_a_need():
    with record() as rec:
        job(burn)(0.001)
        assert left_folders() == []
    assert rec.steps == 0 and len(rec.spans()) == 1


# What it costs (the strict limits stand in helpers/upkeep/bench/)


async def switch(times=100):
    async def task():
        for _ in range(times):
            await asyncio.sleep(0)

    await asyncio.gather(*[task() for _ in range(100)])


def test_the_cost_of_a_switch_stays_small():
    ratios = []
    for _ in range(7):
        start = time.process_time()
        asyncio.run(switch())
        middle = time.process_time()
        recorded(switch())
        ratios.append((time.process_time() - middle) / (middle - start))
    assert statistics.median(ratios) < 2.5


def test_the_bytes_of_a_step_stay_few():
    async def main():
        await switch(20)
        await asyncio.gather(*[nap(0.001) for _ in range(200)])

    rec = recorded(main())
    assert rec.nbytes / rec.steps < 150
    assert len(pickle.dumps(rec)) / rec.steps < 150


def test_the_benchmark_of_memory_is_within_its_limit():
    rows = list(bench.memory())
    assert [row.limit for row in rows] == [150, None, 150, None]
    assert not any(row.missed for row in rows)
    over, under = bench.Row("x", 2, limit=1), bench.Row("x", 2, least=3)
    assert over.missed and "MISSED" in str(over) and under.missed and "MISSED" in str(under)


def test_what_a_killed_recorder_left_is_taken_away(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = multiprocessing.get_context("spawn").Process(target=abs, args=(1,))
    ended.start()
    ended.join()
    left, alive = tmp_path / f"recording-{ended.pid}-ab", tmp_path / f"recording-{os.getppid()}-cd"
    left.mkdir()
    alive.mkdir()
    with record():
        pickle.dumps(job(abs))
    assert [path.name for path in tmp_path.iterdir()] == [alive.name]


# A loop of one's own


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
