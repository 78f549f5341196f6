"""The recorder leaves no trace: in the loop, in tracebacks, in what a learner looks at."""

import asyncio
import contextvars
import gc
import inspect
import pickle
import threading
import traceback

import pytest

from helpers.recording.jobs import job
from helpers.recording.record import attach, record
from tests.recorded import LOOPS, OURS, awaits, is_ours, iter_three, nap, recorded


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
        threads = set(threading.enumerate())
        try:
            with record():
                await asyncio.create_task(nap(0.001))
                assert len(set(threading.enumerate()) - threads) == 1
                if fails:
                    raise Sudden
        except Sudden:
            pass
        assert set(threading.enumerate()) <= threads
        assert loop.get_task_factory() is own
        assert loop.create_future == create_future
        assert type(loop.create_future()) is not type(create_future) and "create_future" not in (
            loop.__dict__
        )
        assert type(asyncio.create_task(nap(0))) is asyncio.Task

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(main())


def test_a_recording_that_nobody_watches_has_no_thread():
    async def main():
        await asyncio.sleep(0)
        return threading.active_count()

    before = threading.active_count()
    with asyncio.Runner() as runner, record(watched=False) as rec:
        attach(runner.get_loop())
        assert runner.run(main()) == before
    assert [lane.kind for lane in rec.lanes] == ["loop", "task"]


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
    assert not any(map(is_ours, traceback.extract_tb(cancelled.__traceback__)))


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
