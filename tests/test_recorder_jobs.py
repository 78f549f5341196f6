"""The recorder: jobs in threads and in other processes."""

import asyncio
import concurrent.futures
import glob
import multiprocessing
import os
import pickle
import signal
import tempfile
import threading
import time

import pytest

from helpers.recording import jobs
from helpers.recording.jobs import job
from helpers.recording.record import record
from tests.recorded import nap, recorded


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


@pytest.fixture(autouse=True)
def a_place_of_its_own(tmp_path, monkeypatch):
    """What other tests and earlier runs have left elsewhere is none of a test's business."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


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


def test_what_a_killed_recorder_left_is_taken_away(tmp_path):
    ended = multiprocessing.get_context("spawn").Process(target=abs, args=(1,))
    ended.start()
    ended.join()
    left, alive = tmp_path / f"recording-{ended.pid}-ab", tmp_path / f"recording-{os.getppid()}-cd"
    left.mkdir()
    alive.mkdir()
    with record():
        pickle.dumps(job(abs))
    assert [path.name for path in tmp_path.iterdir()] == [alive.name]
