"""A cluster of real processes: it works, loses nothing with a worker, and leaves nothing behind.

Long, for each way to lose its notebook or a worker is played with processes of its own.
"""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import httpx
import psutil
import pytest

from helpers.pictures.shifts import Run, Shifts
from helpers.props import cluster
from helpers.props.cluster import MISSING, Cluster
from helpers.props.workloads import do_work
from helpers.recording.jobs import job
from helpers.recording.model import Lane
from helpers.recording.record import record
from helpers.recording.recording import Recording
from helpers.services import child
from tests.readable import cut_or_covered

distributed = pytest.importorskip("distributed", reason=MISSING)
ROOT = Path(__file__).resolve().parent.parent
LIMIT = 30  # seconds for what takes one on a quiet machine


def on(machines, use):
    """What the coroutine function `use` returns, given a client of the cluster."""

    async def main():
        async with distributed.Client(
            machines.address, security=machines.security, asynchronous=True
        ) as client:
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
        return await client.gather(
            [client.submit(os.getpid, workers=[name], pure=False) for name in machines.workers]
        )

    assert on(machines, pids) == [machines.pids[name] for name in machines.workers]
    assert len({os.getpid(), *machines.pids.values()}) == 4
    assert machines.workers == ["worker-0", "worker-1"]


def test_a_worker_does_one_task_at_a_time(machines):
    async def threads(client):
        return await client.nthreads()

    assert list(on(machines, threads).values()) == [1, 1]


def test_it_does_next_to_nothing_while_it_waits(machines):
    def computed():
        times = [psutil.Process(pid).cpu_times() for pid in machines.pids.values()]
        return sum(each.user + each.system for each in times)

    before = computed()
    time.sleep(3)
    # As Dask comes, it took 0.45 s. Twenty learners' clusters wait on two processors.
    assert computed() - before < 0.2


def test_it_listens_on_this_machine_alone(machines):
    heard = [
        connection.laddr.ip
        for pid in machines.pids.values()
        for connection in psutil.Process(pid).net_connections()
        if connection.status == psutil.CONN_LISTEN
    ]
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


def test_jobs_on_its_workers_are_lanes_of_a_recording(machines, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # elsewhere others may leave something

    def wait(seconds):
        time.sleep(seconds)

    async def use(client):
        mine = job(wait, name="mine")
        await client.gather(
            [
                client.submit(do_work, 1, 0.1, workers=["worker-0"], pure=False),
                client.submit(job(do_work, name="named"), 2, 0.1, workers=["worker-1"], pure=False),
                *(client.submit(mine, 0.05, workers=["worker-1"]) for _ in range(3)),
            ]
        )

    with record() as rec:
        on(machines, use)
    jobs = [lane for lane in rec.lanes if lane.kind == "process"]
    pids = machines.pids
    # The three calls of `mine` are one: the same function, the same argument.
    assert {(lane.name, lane.pid, lane.outcome) for lane in jobs} == {
        ("do_work", pids["worker-0"], "done"),
        ("named", pids["worker-1"], "done"),
        ("mine", pids["worker-1"], "done"),
    } and len(jobs) == 3
    assert rec.lane("do_work").detail == f"process {pids['worker-0']}"
    for lane in jobs:
        [span] = rec.spans(lane)
        assert 0 < span.start < span.end < rec.duration and span.end - span.start > 0.045
        assert span.cpu < 0.5
    shifts = machines.shifts(rec)
    assert shifts.workers == ["worker-0", "worker-1"] and shifts.ran["mine"] == 1

    on(machines, use)  # nothing is recorded: plain calls
    assert not list(tmp_path.glob("recording-*"))


def test_a_job_that_is_cut_off_by_a_kill_ends_there_and_runs_again():
    with Cluster(workers=2) as machines, record() as rec:
        pids = machines.pids
        pid_line = f"{pids['worker-1']}\n"

        async def lose_one(client):
            tasks = [
                client.submit(job(note_and_wait, name=str(n)), machines.folder, n, pure=False)
                for n in range(12)
            ]
            files = Path(machines.folder)
            while [file.read_text() for file in files.glob("ran-*")].count(pid_line) < 3:
                await asyncio.sleep(0.01)  # until the third has begun there
            machines.kill("worker-1")
            return await client.gather(tasks)

        assert on(machines, lose_one) == list(range(12))
    shifts = machines.shifts(rec, title="A kill")
    killed = rec.killed[pids["worker-1"]]
    assert list(rec.killed) == [pids["worker-1"]] and list(shifts.killed) == ["worker-1"]
    [cut] = [lane for lane in rec.lanes if lane.detail == "killed"]
    assert (cut.pid, cut.outcome, cut.ended) == (pids["worker-1"], "failed", killed)
    assert [run for run in shifts.runs if not run.whole] == [
        Run(cut.name, "worker-1", cut.created, killed, False)
    ]
    dead = {run.what for run in shifts.runs if run.worker == "worker-1"}
    assert len(dead) >= 3 and all(shifts.ran[what] == 2 for what in dead)
    assert set(shifts.ran) == set(map(str, range(12)))


def test_the_picture_tells_who_was_cut_off_and_what_ran_again(tmp_path):
    rec = Recording()
    rec.duration, rec.killed = 4.0, {11: 3.0}
    ran = [("tea", 10, 1.0, 2.0, "done"), ("tea", 11, 1.0, 2.0, "done"),
           ("soup", 11, 2.0, 3.0, "failed"), ("cake", 10, 2.0, None, None)]  # fmt: skip
    for what, pid, began, ended, outcome in ran:
        rec.lanes.append(
            Lane(len(rec.lanes), what, "process", None, began, ended, outcome, pid=pid)
        )
    drawn = Shifts(rec, {"worker-0": 10, "worker-1": 11, "idle": 12}, title="Kitchen")
    assert drawn.ran == {"tea": 2, "soup": 1, "cake": 1} and "idle" not in drawn.text
    assert [run.ended for run in drawn.runs if not run.whole] == [3.0, 4.0]
    assert "worker-0: did tea; cake was cut off." in drawn.text
    assert "worker-1: did tea; soup was cut off; killed after 2.00 s." in drawn.text
    assert "Kitchen" in drawn.alt and "soup" in drawn.alt
    assert cut_or_covered(drawn.figure()) == ([], [])
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
        "import sys\nfrom helpers.props.cluster import Cluster\n"
        "machines = Cluster(workers=2)\n"
        "machines.kill('worker-0')\n"
        "print(machines.folder, *machines.pids.values(), flush=True)\n"
        "sys.stdin.read()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        text=True,
    )
    with parent:
        folder, *pids = parent.stdout.readline().split()
        left = [psutil.Process(int(pid)) for pid in pids]
        assert os.path.exists(folder) and len(left) == 2
        parent.kill()
    _, left = psutil.wait_procs(left, timeout=10)
    for process in left:
        process.kill()
    assert not left and not os.path.exists(folder)


@pytest.mark.parametrize("later", [0.0, 0.5, 1.0])
def test_when_its_notebook_is_killed_during_the_start_nothing_is_left(tmp_path, later):
    parent = subprocess.Popen(
        [sys.executable, "-c", "from helpers.props.cluster import Cluster; Cluster(workers=2)"],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    deadline = time.monotonic() + LIMIT
    while not list(tmp_path.glob("course-*")) and time.monotonic() < deadline:
        time.sleep(0.001)
    assert list(tmp_path.glob("course-*"))
    time.sleep(later)
    left = psutil.Process(parent.pid).children(recursive=True)
    parent.kill()
    parent.wait()
    _, left = psutil.wait_procs(left, timeout=10)
    for process in left:
        process.kill()
    assert not left and not list(tmp_path.iterdir())


def be_slow_where_it_matters(tmp_path):
    """The PYTHONPATH of a Python whose Dask makes its folder late, and which ends later still."""
    (tmp_path / "sitecustomize.py").write_text(
        textwrap.dedent("""
            import os, time

            def late(function, seconds, when=""):
                def call(*arguments, **named):
                    if when in str(arguments[0]):
                        time.sleep(seconds)
                    return function(*arguments, **named)
                return call

            os.makedirs = late(os.makedirs, 0.5, "dask-scratch-space")
            os._exit = late(os._exit, 1.5)
        """)
    )
    return os.pathsep.join([str(tmp_path), str(ROOT)])


def test_a_folder_is_not_made_anew_after_the_notebooks_end(tmp_path):
    """The end of the notebook is noticed in a thread, while the main one still starts Dask."""
    folders = tmp_path / "folders"
    folders.mkdir()
    parent = subprocess.Popen(
        [sys.executable, "-c", "from helpers.props.cluster import Cluster; Cluster(workers=1)"],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(folders), "PYTHONPATH": be_slow_where_it_matters(tmp_path)},
    )
    deadline = time.monotonic() + LIMIT
    while not list(folders.glob("course-*")) and time.monotonic() < deadline:
        time.sleep(0.001)
    left = psutil.Process(parent.pid).children(recursive=True)
    parent.kill()
    parent.wait()
    _, left = psutil.wait_procs(left, timeout=10)
    assert not left and not list(folders.iterdir())


# Another user of this machine, who found the address. Everything is imported while it may read it.
INTRUDER = """
import asyncio, json, os, sys
import distributed

address, secret = json.loads(sys.stdin.read())
known = distributed.Security(require_encryption=True, **secret)
own = distributed.Security.temporary()
plain = address.replace("tls:", "tcp:")
ways = {
    "no encryption": (plain, None),
    "no certificate": (address, None),
    "a certificate of its own": (address, own),
    "the cluster's certificate": (address, known),
}

async def try_it(address, security):
    try:
        async with distributed.Client(
            address, security=security, asynchronous=True, timeout=3
        ) as client:
            return f"is in: {await client.submit(os.getuid, pure=False)}"
    except (OSError, TypeError) as error:
        return f"refused: {type(error).__name__}"

async def main():
    await try_it(address, known)
    os.setgroups([])
    os.setgid(54321)
    os.setuid(54321)
    return {way: await try_it(*how) for way, how in ways.items()}

print(json.dumps(asyncio.run(main())))
"""


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0,
    reason="only root can be a second user of this machine",
)
def test_a_second_user_of_the_machine_is_refused():
    with Cluster(workers=1) as machines:
        secret = {field: getattr(machines.security, field) for field in cluster.CERTIFICATE}
        intruder = subprocess.run(
            [sys.executable, "-c", INTRUDER],
            input=json.dumps([machines.address, secret]),
            capture_output=True,
            text=True,
            cwd=ROOT,
            timeout=2 * LIMIT,
        )
        ways = json.loads(intruder.stdout or "{}")
        got_in = [way for way, what in ways.items() if what.startswith("is in")]
        assert len(ways) == 4 and got_in == ["the cluster's certificate"], intruder.stderr


def test_each_cluster_has_a_certificate_of_its_own():
    with Cluster(workers=0) as one, Cluster(workers=0) as other:
        assert one.security.tls_client_key != other.security.tls_client_key

        async def ask():
            async with distributed.Client(
                one.address, security=other.security, asynchronous=True, timeout=1
            ):
                pass

        with pytest.raises(OSError):
            asyncio.run(ask())


@pytest.mark.parametrize("page", ["", "info/main/workers.html", "json/counts.json", "metrics"])
def test_what_it_serves_without_a_certificate_is_nothing(machines, page):
    """Each of its processes has a server for a browser, which can't be turned off."""
    statuses = []
    for pid in machines.pids.values():
        for connection in psutil.Process(pid).net_connections():
            if connection.status == psutil.CONN_LISTEN:
                url = f"http://127.0.0.1:{connection.laddr.port}/{page}"
                with contextlib.suppress(httpx.TransportError):  # it speaks TLS
                    statuses.append(httpx.get(url, trust_env=False).status_code)
    assert statuses == [404] * 3


def test_who_does_not_start_says_why(monkeypatch, tmp_path):
    (tmp_path / "distributed.py").write_text("raise ImportError('half of it is missing')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(child, "search_path", lambda: f"{tmp_path}{os.pathsep}{ROOT}")
    with pytest.raises(RuntimeError, match="scheduler did not start.*(?s:.*)half of it is missing"):
        Cluster(workers=1)


def test_without_dask_one_sentence_says_what_to_type(monkeypatch):
    monkeypatch.setattr(cluster, "INSTALLED", False)
    with pytest.raises(RuntimeError, match="course.py lab --extras"):
        Cluster()
