"""The recorder on other loops and by other ways in: a cell, a running loop, threads."""

import asyncio
import sys
import threading
import time
import traceback

import pytest

from helpers.recording.cell import observe
from helpers.recording.record import attach, record
from tests.recorded import awaits, is_ours, line_of, nap, recorded, states, virtual, waits


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


def test_a_factory_that_wraps_the_one_before_wraps_not_the_recorder():
    made = []

    def around(before):
        def factory(loop, coro, **kwargs):
            made.append(coro.__name__)
            if before is None:
                return asyncio.Task(coro, loop=loop, **kwargs)
            return before(loop, coro, **kwargs)

        return factory

    async def main():
        loop = asyncio.get_running_loop()
        for _ in range(2):
            loop.set_task_factory(around(loop.get_task_factory()))
        await asyncio.create_task(nap(0.001))

    rec = recorded(main())
    assert made[:2] == ["nap", "nap"] and rec.lane("nap").outcome == "done"


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
    assert not any(map(is_ours, traceback.extract_tb(caught.tb)))


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
