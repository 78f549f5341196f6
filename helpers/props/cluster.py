"""A cluster of Dask on this machine: a scheduler and its workers, each a process of its own.

    machines = Cluster(workers=2)
    async with Client(machines.address, asynchronous=True) as client: ...
    machines.kill("worker-1")            # kill -9, as a machine that loses its power

They talk over sockets of 127.0.0.1, as machines of a cluster do over a network. Nothing of it
outlives the notebook, even where that is killed: each process ends when its standard input does
(see ``services.process``), and takes the folder of the cluster away. They are in sessions of their
own, for JupyterLab ends a kernel with all its group, and then nobody could tidy up.

``distributed`` is an optional extra; this module can be imported without it.
"""

import asyncio
import importlib.util
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import weakref

from helpers.pictures.shifts import Shifts
from helpers.recording import jobs
from helpers.recording.recording import Recording
from helpers.services.process import HOST, introduce, next_question, search_path

INSTALLED = importlib.util.find_spec("distributed") is not None
MISSING = (
    "Dask is not installed here, so the cells that need a cluster are skipped: "
    "`python3 course.py lab --extras` adds it."
)
START_LIMIT = 60.0  # seconds; each process imports Dask, a second on a machine that is idle
# Not `-m`: the package imports this module before Python would run it, and Python warns of that.
# -P: a learner's folder may hold an asyncio.py, which isn't the library.
COMMAND = [sys.executable, "-P", "-c", f"from {__name__} import be_a_machine as b; b()"]


class Cluster:
    """A running cluster. ``address`` is the scheduler's, for a ``Client``.

    ``workers`` are the names of the workers that run, ``folder`` is a place for files, gone with
    the cluster. Stopping it twice does no harm. Also a context manager.
    """

    def __init__(self, workers: int = 2) -> None:
        """Start it and wait until all have met: one to two seconds.

        workers: how many, named "worker-0", "worker-1", ...; each does one task at a time.

        Raises RuntimeError, with its own words, if one of the processes does not start; with
        ``MISSING`` if Dask is not installed.
        """
        if not INSTALLED:
            raise RuntimeError(MISSING)
        self.folder = tempfile.mkdtemp(prefix="course-")
        self._machines: dict[str, _Machine] = {}
        # Also when a cell that makes a cluster runs again, and nobody holds the old one any more.
        self._end = weakref.finalize(self, _end, self._machines, self.folder)
        try:
            names = ["scheduler", *(f"worker-{n}" for n in range(workers))]
            for name in names:  # all at once, for each takes its time to import Dask
                self._machines[name] = _Machine()
            _hush()  # and so does this process, at the same time
            self.address: str = self._machines["scheduler"].begin("scheduler", self.folder)
            for name in names[1:]:
                self._machines[name].begin(name, self.folder, self.address)
        except BaseException:  # an interrupt as well: no process is left behind
            self.stop()
            raise
        self._started = workers

    @property
    def workers(self) -> list[str]:
        """The names of the workers that run."""
        return [name for name, machine in self._machines.items()
                if name != "scheduler" and machine.process.poll() is None]  # fmt: skip

    @property
    def pids(self) -> dict[str, int]:
        """The process id of each that runs, "scheduler" among them."""
        return {name: self._machines[name].process.pid for name in ("scheduler", *self.workers)}

    def add(self) -> str:
        """Start one more worker, wait until the scheduler knows it, and return its name."""
        name = f"worker-{self._started}"
        self._started += 1
        self._machines[name] = _Machine()
        self._machines[name].begin(name, self.folder, self.address)
        return name

    def kill(self, name: str) -> None:
        """Kill a worker, as ``kill -9`` does: it can save nothing and tell nobody."""
        process = self._machines[name].process
        process.kill()
        jobs.killed(process.pid)
        process.wait()

    def shifts(self, rec: Recording, title: str = "") -> Shifts:
        """A picture of which worker did what when, those that were killed included."""
        pids = {name: machine.process.pid for name, machine in self._machines.items()}
        return Shifts(rec, pids, title)

    def stop(self) -> None:
        """End all processes, whatever they are doing, and wait until the folder is gone too."""
        self._end()

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<cluster at {self.address}: {', '.join(self.workers) or 'no worker runs'}>"


def _hush():
    """The client warns, in the notebook, that it asks for lost results once more: a lesson's aim."""
    import distributed  # noqa: F401 (it sets its loggers' levels when it is first imported)

    for name in "distributed", "distributed.client":
        logging.getLogger(name).setLevel(logging.ERROR)


def _end(machines, folder):
    # The workers first: one that has lost its scheduler begins to look for it.
    for machine in reversed(machines.values()):
        machine.stop()
    shutil.rmtree(folder, ignore_errors=True)


class _Machine:
    """One process of the cluster, as its parent sees it."""

    def __init__(self):
        # Nobody reads what it says while it runs, and a full pipe would stop it: a file.
        self.said = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.said,
            env=os.environ | {"PYTHONPATH": search_path()},
            start_new_session=True,  # ignored on Windows
        )

    def begin(self, name, folder, scheduler=None):
        """Tell it who it is; wait until it listens and return its address."""
        told = {"parent": os.getpid(), "name": name, "folder": folder, "scheduler": scheduler}
        answers = self.process.stdout
        return introduce(name, self.process, answers, self.said, told, START_LIMIT)["address"]

    def stop(self):
        self.process.kill()
        self.process.communicate()  # waits, and closes its pipes
        self.said.close()


# The child


def be_a_machine() -> None:
    """Be the scheduler or a worker until the parent is gone. Never returns."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import dask
    import distributed

    told = json.loads(sys.stdin.buffer.raw.readline() or "null")
    if told is None:
        return  # the parent went before it said a word
    # A thread, for it must notice the parent's end even while the event loop is busy.
    threading.Thread(target=_end_with, args=(told["parent"], told["folder"]), daemon=True).start()

    async def main():
        # Its pages for a browser can't be turned off, but kept to this machine.
        settings = {"host": HOST, "port": 0, "dashboard": False, "dashboard_address": f"{HOST}:0"}
        if told["scheduler"] is None:
            machine = distributed.Scheduler(**settings)
        else:
            machine = distributed.Worker(
                told["scheduler"],
                name=told["name"],
                nthreads=1,
                # Else a worker of many begins to write to disk what it holds.
                memory_limit=0,
                local_directory=told["folder"],
                **settings,
            )
        async with machine:
            print(json.dumps({"address": machine.address}), flush=True)
            await machine.finished()

    with dask.config.set({"temporary-directory": told["folder"]}):
        asyncio.run(main())


def _end_with(parent, folder):
    while next_question(parent):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    # os._exit, for a task that is under way shall not hold the process back.
    os._exit(0)
