"""A cluster of Dask on this machine: a scheduler and its workers, each a process of its own.

    machines = Cluster(workers=2)
    cluster = {"address": machines.address, "security": machines.security}
    async with Client(**cluster, asynchronous=True) as client: ...
    machines.kill("worker-1")            # kill -9: it says nothing any more

They talk over sockets of 127.0.0.1, as machines of a cluster do over a network. A client may have
its workers run any code, and every user of this machine reaches 127.0.0.1. So they talk TLS, and
each shows the certificate that was made for this cluster alone; who has none is refused. The key
to it goes through the pipes that start the processes.

Nothing of a cluster outlives the notebook, even where that is killed: each process ends with it
(see ``services.child``), and the last of them takes the folder of the cluster away. They are in
sessions of their own, for JupyterLab ends a kernel with all its group, and then nobody could tidy
up.

``distributed`` is an optional extra; this module can be imported without it.
"""

import asyncio
import importlib.util
import logging
import tempfile
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from helpers.pictures.shifts import Shifts
from helpers.recording import jobs
from helpers.recording.recording import Recording
from helpers.services.child import Child, Parent, calling, new_folder
from helpers.services.service import HOST

if TYPE_CHECKING:
    import distributed

NEEDED = "distributed", "cryptography"  # the second makes the certificate
INSTALLED = all(map(importlib.util.find_spec, NEEDED))
MISSING = (
    "Dask is not installed here, so the cells that need a cluster are skipped: "
    "`python3 course.py lab --extras` adds it (on Windows `py` for `python3`)."
)
START_LIMIT = 60.0  # seconds; each process imports Dask, a second on a machine that is idle
# Where a Security of Dask keeps its certificate and its key, which are the same for all.
CERTIFICATE = ["tls_ca_file"] + [
    f"tls_{role}_{part}" for role in ("client", "scheduler", "worker") for part in ("cert", "key")
]


class Cluster:
    """A running cluster. ``address`` and ``security`` are what a ``Client`` needs.

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
        self.folder = new_folder()
        self._machines: dict[str, Child] = {}
        # Also when a cell that makes a cluster runs again, and nobody holds the old one any more.
        self._end = weakref.finalize(self, _end, self._machines)
        try:
            names = ["scheduler", *(f"worker-{n}" for n in range(workers))]
            for name in names:  # all at once, for each takes its time to import Dask
                self._start(name)
            self.security = _prepared()  # and so does this process, at the same time
            self.address: str = self._begin("scheduler", None)
            for name in names[1:]:
                self._begin(name, self.address)
        except BaseException:  # an interrupt as well: no process is left behind
            self.stop()
            raise
        self._started = workers

    def _start(self, name: str) -> None:
        # The folder is the scheduler's, which ends last.
        folder = self.folder if name == "scheduler" else ""
        command = calling(__name__, "be_a_machine")
        self._machines[name] = Child(name, command, folder=folder, own_session=True)

    def _begin(self, name: str, scheduler: str | None) -> str:
        told = {"name": name, "folder": self.folder, "scheduler": scheduler}
        told["certificate"] = {field: getattr(self.security, field) for field in CERTIFICATE}
        return self._machines[name].begin(told, START_LIMIT)

    @property
    def workers(self) -> list[str]:
        """The names of the workers that run."""
        running = [name for name, machine in self._machines.items() if machine.popen.poll() is None]
        return [name for name in running if name != "scheduler"]

    @property
    def pids(self) -> dict[str, int]:
        """The process id of each that runs, "scheduler" among them."""
        return {name: self._machines[name].pid for name in ("scheduler", *self.workers)}

    def add(self) -> str:
        """Start one more worker, wait until the scheduler knows it, and return its name."""
        name = f"worker-{self._started}"
        self._started += 1
        self._start(name)
        self._begin(name, self.address)
        return name

    def kill(self, name: str) -> None:
        """Kill a worker, as ``kill -9`` does: it can save nothing and tell nobody."""
        machine = self._machines[name]
        machine.popen.kill()
        jobs.killed(machine.pid)
        machine.wait()

    def shifts(self, rec: Recording, title: str = "") -> Shifts:
        """A picture of which worker did what when, those that were killed included."""
        pids = {name: machine.pid for name, machine in self._machines.items()}
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


def _prepared() -> "distributed.Security":
    """Import Dask, and make a certificate that no other cluster has, with its key.

    In a thread: an interrupt ends the wait for it, and not the import. A package that is half
    imported stays broken for the rest of the process.
    """
    pool = ThreadPoolExecutor(1)
    preparing = pool.submit(_prepare)
    pool.shutdown(wait=False)
    return preparing.result()


def _prepare() -> "distributed.Security":
    import distributed

    # Else the client warns, in the notebook, that it asks for lost results: a lesson's aim. Not
    # before the import, which sets these levels.
    for name in "distributed", "distributed.client":
        logging.getLogger(name).setLevel(logging.ERROR)
    return distributed.Security.temporary()


def _end(machines: dict[str, Child]) -> None:
    # The workers first: one that has lost its scheduler begins to look for it.
    for machine in reversed(machines.values()):
        machine.end()


# The child


def be_a_machine() -> None:
    """Be the scheduler or a worker until the parent is gone. Never returns."""
    import dask
    import distributed

    parent = Parent()
    told = parent.told
    parent.folder = told["folder"]  # a worker's too: the last that writes to it takes it away
    tempfile.tempdir = told["folder"]  # where the key lies, while OpenSSL reads it

    async def main():
        settings = {
            "host": HOST,
            "port": 0,
            "dashboard": False,
            "dashboard_address": f"{HOST}:0",
            "security": distributed.Security(require_encryption=True, **told["certificate"]),
        }
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
        # Not before: its constructor makes the folder anew where the parent's end took it away.
        parent.end_with_it()
        async with machine:
            parent.say(machine.address)
            await machine.finished()

    # Its server for a browser can't be turned off, but it can have no pages.
    no_pages = {f"distributed.{kind}.http.routes": [] for kind in ("scheduler", "worker")}
    # By default it looks at itself a hundred times a second and more. Three processes that do
    # nothing then take a sixth of a processor, and twenty learners' clusters more than there is.
    calm = {"distributed.worker.profile.enabled": False, "distributed.admin.tick.interval": "1s"}
    with dask.config.set({"temporary-directory": told["folder"], **no_pages, **calm}):
        asyncio.run(main())
