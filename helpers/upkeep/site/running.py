"""Notebooks run for the site, two side by side, and kept: what nothing has changed isn't run again.

What a notebook gives depends on its code, on what the helpers do, on the packages and on this
Python. All of that goes into its key, by which a kept run is known; its prose doesn't, so whoever
mends a sentence waits for no kernel.
"""

import asyncio
import functools
import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from helpers.basics.project import PROJECT
from helpers.measuring.ledger import Findings

LOCK = PROJECT / "site" / "requirements.txt"
SIDE_BY_SIDE = 2  # more, and the times that lessons measure would be those of a crowd
SECONDS_A_CELL = 120
NOT_IN_LESSONS = "board", "commands", "upkeep"  # rooms of the helpers that no kernel sees


class Failed(Exception):
    """What keeps the site from being built, in one sentence."""


class Run:
    """A notebook to run; once `run_all` is through, its code cells have their outputs.

    path: of its file, whose folder its kernel runs in.  kept: the folder in which it is kept.
    """

    def __init__(self, path: Path, notebook: NotebookNode, kept: Path) -> None:
        self.path, self.notebook = path, notebook
        self.kept = kept / path.parent.name / path.stem
        self.name = f"{path.parent.name}/{path.name}"

    @property
    def shows_ledger(self) -> bool:
        """Whether it shows what the others found, so that it has to wait for them."""
        return any("ledger()" in cell.source for cell in self.code_cells())

    def code_cells(self) -> list[NotebookNode]:
        """Its code cells, in order."""
        return [cell for cell in self.notebook.cells if cell.cell_type == "code"]

    def findings(self) -> dict[str, dict]:
        """What its run found of the claims, by their ids."""
        return self._ledger().all()

    def look_up(self, known: dict[str, dict]) -> bool:
        """Take over the kept outputs if they are of this very code; return whether they are.

        known: what other runs found of the claims, if this one shows that.
        """
        try:
            kept = json.loads((self.kept / "run.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):  # there is none, or a full disk has cut it short
            return False
        if kept["key"] != self._key(known):
            return False
        for cell, outputs in zip(self.code_cells(), kept["outputs"], strict=True):
            cell.outputs = [nbformat.from_dict(output) for output in outputs]
        return True

    async def run(self, known: dict[str, dict]) -> None:
        """Run it in a kernel of its own, with a learner's folder of its own, and keep the outputs.

        Raises Failed where a cell fails that is not tagged for it, takes too long, or ends the
        kernel.
        """
        shutil.rmtree(self.kept, ignore_errors=True)
        self.kept.mkdir(parents=True)
        for cell in self.code_cells():
            cell.metadata.pop("execution", None)  # of a try before this one
        if known:
            self._ledger().change(lambda findings: findings.update(known))
        client = NotebookClient(
            self.notebook,
            timeout=SECONDS_A_CELL,
            kernel_name="python3",
            store_widget_state=False,
            # A warning about TCP, which the kernel gives for every run, is no reader's concern.
            extra_arguments=["--IPKernelApp.log_level=ERROR"],
            resources={"metadata": {"path": str(self.path.parent)}},
        )
        try:
            await client.async_execute(env=os.environ | {"ASYNC_COURSE_DATA": str(self.kept)})
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            raise Failed(f"{self.name}, {self._where()}: {_why(error)}") from error
        outputs = [cell.outputs for cell in self.code_cells()]
        kept = json.dumps({"key": self._key(known), "outputs": outputs})
        (self.kept / "run.json").write_text(kept, encoding="utf-8")

    def _where(self):
        """The cell that ran last, as JupyterLab counts them."""
        begun = [n for n, cell in enumerate(self.notebook.cells, 1) if "execution" in cell.metadata]
        return f"cell {begun[-1] if begun else 1}"

    def _ledger(self):
        return Findings(self.kept / Findings.file)

    def _key(self, known):
        code = [[cell.source, cell.metadata.get("tags", [])] for cell in self.code_cells()]
        given = [code, known, _surroundings(), sys.version]
        return hashlib.sha256(json.dumps(given).encode()).hexdigest()


def run_all(runs: Sequence[Run]) -> None:
    """Run what isn't kept, and say how far it is. Those that show the ledger come last.

    A notebook that fails beside another gets a second try, alone: one that measures may have been
    in the other's way. Raises Failed if that fails too.
    """
    first = [run for run in runs if not run.shows_ledger]
    last = [run for run in runs if run.shows_ledger]
    with asyncio.Runner(loop_factory=_Loop) as runner:
        runner.run(_run(first, {}))
        runner.run(_run(last, all_findings(first)))


def exit_status(command: str, work: Callable[[], None]) -> int:
    """Do the work of this command; return its exit status, and say why where it is not 0."""
    try:
        work()
    except Failed as failed:
        print(f"course.py {command}: {failed}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. What has run is kept for the next time.", file=sys.stderr)
        return 130
    return 0


def all_findings(runs: Iterable[Run]) -> dict[str, dict]:
    """What these runs found of the claims, by their ids."""
    found = {}
    for run in runs:
        found |= run.findings()
    return found


class _Loop(asyncio.SelectorEventLoop):
    """A loop that Ctrl-C stops.

    nbclient would catch it, end the kernel, and go on waiting for the kernel's answer.
    """

    def add_signal_handler(self, *args):
        raise NotImplementedError


async def _run(runs, known):
    due = [run for run in runs if not run.look_up(known)]
    again = []
    slots = asyncio.Semaphore(SIDE_BY_SIDE)

    async def one(run):
        async with slots:
            try:
                await run.run(known)
            except Failed as failed:
                again.append(run)
                print(f"{failed}; once more, alone", flush=True)
            else:
                print(f"run: {run.name}", flush=True)

    async with asyncio.TaskGroup() as group:
        for run in due:
            group.create_task(one(run))
    for run in again:
        await run.run(known)


@functools.cache
def _surroundings():
    """A digest of all that a kernel runs besides the notebook: helpers, exercises, packages."""
    files = [LOCK, *sorted((PROJECT / "exercises" / "checks").rglob("*.py"))]
    for room in sorted((PROJECT / "helpers").iterdir()):
        if room.name not in NOT_IN_LESSONS:
            files += sorted(room.rglob("*.*")) if room.is_dir() else [room]
    digest = hashlib.sha256()
    for path in files:
        if path.suffix in (".py", ".csv", ".toml", ".txt"):
            digest.update(f"{path.relative_to(PROJECT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _why(error):
    if isinstance(error, CellTimeoutError):
        return f"no answer within {SECONDS_A_CELL} s"
    if isinstance(error, DeadKernelError):
        return "its kernel has died"
    return re.sub(r"\x1b\[[0-9;]*m", "", f"{error.ename}: {error.evalue}")
