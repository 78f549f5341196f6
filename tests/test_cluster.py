"""A cluster of real processes: it works, loses nothing with a worker, and leaves nothing behind."""

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from helpers import cluster
from helpers.cluster import MISSING, Cluster
from helpers.shifts import Notes, Shifts

distributed = pytest.importorskip("distributed", reason=MISSING)
ROOT = Path(__file__).resolve().parent.parent
LIMIT = 30  # seconds for what takes one on a quiet machine


def on(machines, use):
    """What the coroutine function `use` returns, given a client of the cluster."""

    async def main():
        async with distributed.Client(machines.address, asynchronous=True) as client:
            return await asyncio.wait_for(use(client), LIMIT)

    return asyncio.run(main())


def note_and_wait(folder, number):
    with open(os.path.join(folder, f"ran-{number}"), "a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(0.2)
    return number


@pytest.fixture(scope="module")
def machines():
    with Cluster(workers=2) as machines:
        yield machines


def test_each_worker_is_a_process_that_answers(machines):
    async def pids(client):
        return await client.gather([client.submit(os.getpid, workers=[name], pure=False)
                                    for name in machines.workers])  # fmt: skip

    assert on(machines, pids) == [machines.pids[name] for name in machines.workers]
    assert len({os.getpid(), *machines.pids.values()}) == 4
    assert machines.workers == ["worker-0", "worker-1"]


def test_a_worker_does_one_task_at_a_time(machines):
    async def threads(client):
        return await client.nthreads()

    assert list(on(machines, threads).values()) == [1, 1]


def test_it_listens_on_this_machine_alone(machines):
    heard = [connection.laddr.ip for pid in machines.pids.values()
             for connection in psutil.Process(pid).net_connections()
             if connection.status == psutil.CONN_LISTEN]  # fmt: skip
    assert len(heard) >= 3 and set(heard) == {"127.0.0.1"}


def test_its_files_are_in_its_folder(machines):
    assert "dask-scratch-space" in os.listdir(machines.folder)


def test_a_killed_worker_loses_nothing_and_another_can_take_its_place():
    with Cluster(workers=2) as machines:

        async def lose_one(client):
            tasks = client.map(note_and_wait, [machines.folder] * 12, range(12))
            while not list(Path(machines.folder).glob("ran-*")):
                await asyncio.sleep(0.02)
            pid = machines.pids["worker-1"]
            machines.kill("worker-1")
            assert not psutil.pid_exists(pid) and machines.workers == ["worker-0"]
            return await client.gather(tasks)

        assert on(machines, lose_one) == list(range(12))
        assert machines.add() == "worker-2"

        async def where(client):
            return await client.submit(os.getpid, workers=["worker-2"])

        assert on(machines, where) == machines.pids["worker-2"]


def test_the_picture_tells_who_was_cut_off_and_what_ran_again(tmp_path):
    notes = Notes(str(tmp_path))
    with notes("tea"):
        pass
    with pytest.raises(ZeroDivisionError), notes("soup"):
        1 / 0
    with notes("tea"):
        pass
    assert notes.ran == {"tea": 2, "soup": 1}
    assert [note.ended is None for note in notes.all()] == [False, True, False]
    end = notes.all()[-1].ended
    drawn = Shifts(notes, {"worker-0": os.getpid()}, {"worker-0": end}, title="Kitchen")
    assert "worker-0: did tea, tea; soup was cut off; killed after" in drawn.text
    assert "Kitchen" in drawn.alt and "soup" in drawn.alt
    drawn.save(tmp_path / "kitchen.svg")
    assert "killed" in (tmp_path / "kitchen.svg").read_text()


def test_when_stopped_nothing_is_left():
    machines = Cluster(workers=1)
    pids = machines.pids.values()
    for _ in range(2):
        machines.stop()
    assert not any(map(psutil.pid_exists, pids))
    assert not os.path.exists(machines.folder)
    assert machines.workers == []


def test_one_that_nobody_holds_ends():
    machines = Cluster(workers=1)
    folder, pids = machines.folder, machines.pids.values()
    machines = None
    assert not any(map(psutil.pid_exists, pids)) and not os.path.exists(folder)


def test_when_its_notebook_is_killed_nothing_is_left():
    program = (
        "import sys\nfrom helpers.cluster import Cluster\n"
        "machines = Cluster(workers=2)\n"
        "machines.kill('worker-0')\n"
        "print(machines.folder, *machines.pids.values(), flush=True)\n"
        "sys.stdin.read()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT,
        text=True,
    )  # fmt: skip
    with parent:
        folder, *pids = parent.stdout.readline().split()
        left = [psutil.Process(int(pid)) for pid in pids]
        assert os.path.exists(folder) and len(left) == 2
        parent.kill()
    _, left = psutil.wait_procs(left, timeout=10)
    for process in left:
        process.kill()
    assert not left and not os.path.exists(folder)


def test_who_does_not_start_says_why(monkeypatch, tmp_path):
    (tmp_path / "distributed.py").write_text("raise ImportError('half of it is missing')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(cluster, "search_path", lambda: f"{tmp_path}{os.pathsep}{ROOT}")
    with pytest.raises(RuntimeError, match="scheduler did not start.*(?s:.*)half of it is missing"):
        Cluster(workers=1)


def test_without_dask_one_sentence_says_what_to_type(monkeypatch):
    monkeypatch.setattr(cluster, "INSTALLED", False)
    with pytest.raises(RuntimeError, match="course.py lab --extras"):
        Cluster()
