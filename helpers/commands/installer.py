"""An installer at work: pip or uv fills an environment, is watched, and its failure is named."""

import contextlib
import os
import queue
import re
import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

from .ground import DISK_NEEDED, ON_WINDOWS, ROOT, Problem
from .interrupts import Interrupts
from .processes import clean_environ
from .progress import Progress

# What an installer's words mean; the first that fits is said.
CAUSES = [
    (
        r"No space left on device|Disk quota exceeded|os error (28|112)\b|Errno 28\b",
        f"the disk is full: free {DISK_NEEDED} MB and try again",
    ),
    (
        r"Read-only file system|os error 30\b|Errno 30\b",
        "the disk is read-only: copy the course to a folder of your own",
    ),
    (
        r"No module named '?(venv|ensurepip)",
        "this Python cannot make environments, its venv or ensurepip is missing; on Debian and "
        "Ubuntu: apt install python{short}-venv",
    ),
    (
        r"DO NOT MATCH THE HASHES[^\n]*\s+(\S+==\S+)|[Hh]ash mismatch for `([^`]+)`",
        "{package} as it came is not what the lock names, by its hash, so it was not installed: "
        "try another network, then type the same again",
    ),
    (
        r"NewConnectionError|ConnectTimeoutError|ReadTimeoutError|NameResolutionError|ProxyError"
        r"|Could not connect|[Cc]onnection (refused|reset|aborted)|error sending request|dns error"
        r"|[Nn]etwork is unreachable|name resolution|timed out|Failed to (fetch|establish)",
        "no network: the packages cannot be fetched; connect, then type the same again",
    ),
    (
        r"Access is denied|used by another process|WinError (5|32)\b|os error (5|32)\b",
        "a file is in use, or may not be written: close JupyterLab and all notebooks of the course "
        "and try again; if it stays so, copy the course to a folder of your own",
    ),
    (
        r"Permission denied|Errno 13\b|os error 13\b",
        "no permission to write: copy the course to a folder of your own",
    ),
]

COPY = "import shutil, sys; shutil.copytree(sys.argv[1], sys.argv[2], symlinks=True)"
"""A step like the others, so that it can be stopped and its failure be named."""


class Target(NamedTuple):
    """The environment to fill. log: the file that gets all that the installer says."""

    folder: Path
    python: str
    site_packages: Path
    version: str
    log: Path


class Installer:
    """Fill one environment; tell how far it is."""

    def __init__(
        self, target: Target, lock: str, lock_file: TextIO, interrupts: Interrupts
    ) -> None:
        self.target = target
        self.lock = ROOT / lock
        self.lock_file = lock_file
        self.interrupts = interrupts
        self.progress = Progress()
        pins = self.lock.read_text(encoding="utf-8")
        self.expected = len(re.findall(r"^\S+==", pins, re.MULTILINE))
        self.collected = 0
        target.log.write_bytes(b"")

    def create(self, base: str, uv: str | None) -> None:
        """Make the environment, empty, by the Python at `base`; by uv, where its path is given.

        Raises Problem where that fails, as all steps do, and KeyboardInterrupt.
        """
        folder = str(self.target.folder)
        if uv:  # its programs then find their Python beside them, wherever they are moved
            command = [uv, "venv", "--relocatable", "--no-project", "--python", base, folder]
        else:
            command = [base, "-I", "-m", "venv", "--without-pip", folder]
        self._run(command, "making the environment")

    def copy(self, model: Path, base: str) -> None:
        """Make the environment a copy of the one at `model`, by the Python at `base`."""
        command = [base, "-I", "-c", COPY, str(model), str(self.target.folder)]
        self._run(command, "copying the environment")

    def install(self, uv: str | None) -> None:
        """Install what the lock names, each package only with the hash that the lock gives."""
        python = self.target.python
        if uv:
            command = [uv, "pip", "install", "--python", python]
        else:
            # venv could make pip, but would keep to itself why it failed; and an environment that
            # uv made has none.
            if not (self.target.site_packages / "pip").exists():
                self._run([python, "-I", "-m", "ensurepip", "--default-pip"], "making pip")
            command = [python, "-I", "-m", "pip", "install", "--progress-bar=off", "--no-compile"]
        self._run([*command, "--require-hashes", "-r", str(self.lock)], "getting packages")

    def compile(self) -> None:
        """Compile to bytecode: neither uv nor this pip call does, and kernels start twice as fast.

        A few packages ship templates or tests that do not compile; that is no error. compileall
        writes its files even where PYTHONDONTWRITEBYTECODE is set.
        """
        python, packages = self.target.python, str(self.target.site_packages)
        command = [python, "-I", "-m", "compileall", "-q", "-j", "0", packages]
        self._run(command, "compiling", may_fail=True)

    def _run(self, command: Sequence[str], label: str, may_fail: bool = False) -> None:
        """Run one step and show how far it is; raise Problem, in one line, if it fails."""
        self.progress.step(label)
        child = subprocess.Popen(
            command,
            cwd=ROOT,
            env=clean_environ(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            # The child holds the lock as well: it may outlive this process after kill -9.
            pass_fds=() if ON_WINDOWS else (self.lock_file.fileno(),),
            # With a group of its own it can be ended together with all that it has started.
            process_group=0,
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP if ON_WINDOWS else 0,
        )
        lines = queue.Queue()
        threading.Thread(target=_pump, args=(child.stdout, lines), daemon=True).start()
        said = []
        try:
            line = ""
            while line is not None:
                try:
                    line = lines.get(timeout=0.2)
                except queue.Empty:
                    line = ""
                if line:
                    said.append(line)
                    self._note(line)
                self.progress.tick(self._how_far())
                self.interrupts.check()
            status = child.wait()
        finally:
            if child.poll() is None:
                _end_group(child)
            with contextlib.suppress(OSError):  # on a full disk the log is the lesser loss
                with open(self.target.log, "a", encoding="utf-8") as log:
                    log.writelines(said)
        if status and not may_fail:
            self.progress.end()
            raise Problem(self._cause("".join(said)))

    def _note(self, line: str) -> None:
        """Keep count from what pip says as it goes; uv speaks only at the end."""
        if self.progress.label == "making pip":
            return
        if line.startswith("Ignoring "):  # not for this system or this Python
            self.expected -= 1
        elif line.startswith(("Collecting ", "Requirement already satisfied:")):
            self.collected += 1
            if line.startswith("Collecting "):
                self.progress.line(f"{self.collected:3}/{self.expected} {line.split()[1]}")
        elif line.startswith("WARNING: Retrying"):
            self.progress.line("no answer, trying again")
        elif line.startswith("Installing collected packages"):
            self.progress.step("installing")

    def _how_far(self) -> str:
        count = 0
        if self.progress.label == "getting packages":
            count = self.collected
        elif self.progress.label == "installing":
            names = os.listdir(self.target.site_packages)
            count = sum(name.endswith(".dist-info") for name in names)
        return f"{count} of {self.expected}" if count else ""

    def _cause(self, output: str) -> str:
        short = ".".join(self.target.version.split(".")[:2])
        for pattern, cause in CAUSES:
            found = re.search(pattern, output)
            if found:
                package = next(filter(None, found.groups()), "a package")
                return cause.format(short=short, package=package)
        errors = re.findall(r"^\s*(?:ERROR|error|Error)\s*:\s*(.+)", output, re.MULTILINE)
        last = errors[-1] if errors else (output.strip() or "no word why").splitlines()[-1]
        return f"installing failed: {last.strip()} (all of it: {self.target.log})"


def _end_group(child: subprocess.Popen) -> None:
    """End a step's process and those that it has started, as compileall does."""
    with contextlib.suppress(OSError):
        if ON_WINDOWS:
            child.send_signal(signal.CTRL_BREAK_EVENT)
        else:
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.wait()


def _pump(stream: TextIO, lines: queue.Queue) -> None:
    """Hand on each line that a child says, then None."""
    for line in stream:
        lines.put(line)
    lines.put(None)
