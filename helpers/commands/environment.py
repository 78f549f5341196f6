"""A virtual environment in the clone: whether it holds what its lock says, and making it so.

A new one is built beside the one in use, as `.vnew` beside `.venv`, and takes its place once it is
whole, which its stamp says: whatever fails before leaves the one in use as it was. Both names are
of one length, for on Windows each letter of a path counts.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any, Self, TextIO

from .files import alone, digest, write_whole
from .ground import DISK_NEEDED, LOCKS, ON_WINDOWS, ROOT, VERSION, Problem, explain
from .installer import Installer, Target
from .interrupts import Interrupts
from .machine import why_path_too_long
from .relocation import STAMP, discard, put_in_place, retarget, settle

WHO_ARE_YOU = "import platform, sys; print(sys.executable, platform.python_version(), sep='\\n')"
LIST_PACKAGES = """
import importlib.metadata, json
print(json.dumps({
    found.name.lower().replace("_", "-").replace(".", "-"): found.version
    for found in importlib.metadata.distributions()
}))
"""
NAMED = 5  # packages that a message names; of more it gives the number


class Environment:
    """A virtual environment in the clone, made from a lock by one Python.

    Beside its folder lie what is being built (`beside`), what is being thrown away (`past`), the
    file that is held while somebody installs, and the log of what the installer said.
    """

    def __init__(self, name: str, base: str, version: str) -> None:
        self.name = name
        self.base = base  # the path of the Python that makes it
        self.version = version
        self.folder = ROOT / name
        self.beside = ROOT / name.replace(".venv", ".vnew")
        self.past = ROOT / name.replace(".venv", ".vold")
        self.lock_file = ROOT / f"{name}.lock"
        self.log = ROOT / f"{name}.log"
        self.python = python_in(self.folder)

    @classmethod
    def own(cls) -> Self:
        """The environment of the Python that runs this file."""
        # Not sys.executable: that may be .venv's own, which is gone once another takes its place.
        return cls(".venv", getattr(sys, "_base_executable", sys.executable), VERSION)

    @classmethod
    def of(cls, python: str) -> Self:
        """The environment of another Python, for its path; raises Problem where that is too old."""
        asked = subprocess.run([python, "-I", "-c", WHO_ARE_YOU], capture_output=True, text=True)
        if asked.returncode:
            raise Problem(f"{python} does not run")
        base, version = asked.stdout.splitlines()
        short = version.split(".")[:2]
        if [int(number) for number in short] < [3, 11]:
            raise Problem(f"--also: Python 3.11 or newer is needed, {python} is {version}")
        return cls(".venv-" + ".".join(short), base, version)

    def make(self, lock: str) -> None:
        """Make the environment hold what the lock says; next to no time if it already does.

        Raises Problem where that cannot be, and KeyboardInterrupt where somebody stops it; one that
        worked then works as before, which both say.
        """
        if self.why_not(lock) is not None or self.beside.exists() or self.past.exists():
            try:
                with alone(self.lock_file) as lock_file, Interrupts() as interrupts:
                    self._renew(lock, lock_file, interrupts)
                    interrupts.check()  # also where it came too late to stop anything
            except Problem as problem:
                raise Problem(f"{problem}{self._say_what_stays(lock)}") from problem
            except OSError as error:
                raise Problem(f"{explain(error)}{self._say_what_stays(lock)}") from error
            except KeyboardInterrupt:
                raise KeyboardInterrupt(self._say_what_stays(lock).lstrip("; ")) from None
        fit(self.folder, self._site_packages(self.folder))

    def works(self) -> bool:
        """Whether it can be used, be it old or not."""
        return _why_broken(self.folder) is None

    def why_not(self, lock: str) -> str | None:
        """Say why the environment does not hold what the lock says; None if it does."""
        return self._why_not(self.folder, lock)

    def compare_with_lock(self, lock: str) -> list[str]:
        """Return the names of packages that are missing or of another version than in the lock."""
        listing = self.run(LIST_PACKAGES)
        if listing.returncode:
            return ["all of them"]
        installed = json.loads(listing.stdout)
        text = (ROOT / lock).read_text(encoding="utf-8")
        allowed = {}  # a package may be locked twice, for older and for newer Pythons
        for name, version, marked in re.findall(r"^(\S+?)==(\S+)( ;)?", text, re.MULTILINE):
            allowed.setdefault(name, set()).add(version)
            if marked:
                allowed[name].add(None)
        return sorted(name for name in allowed if installed.get(name) not in allowed[name])

    def run(self, code: str) -> subprocess.CompletedProcess:
        """Run a piece of code in the environment, isolated; return what it said."""
        return subprocess.run([self.python, "-I", "-c", code], capture_output=True, text=True)

    def _why_not(self, folder: Path, lock: str) -> str | None:
        if folder == self.folder and self.beside.exists() and not (folder / STAMP).exists():
            return "the last installation did not come to its end"
        reason = _why_broken(folder)
        if reason is not None:
            return reason
        stamp = _read_stamp(folder)
        if stamp["python"] != self.version:
            return f"it was made by Python {stamp['python']}"
        if stamp["folder"] != str(ROOT):
            return f"the course has moved here from {stamp['folder']}"
        if stamp["locks"].get(lock) != digest(ROOT / lock):
            return f"it does not hold what {lock} says"
        return None

    def _say_what_stays(self, lock: str) -> str:
        """Say that the environment still works, and what in it is old; "" where it does not."""
        if not self.works():
            return ""
        made_by = _read_stamp(self.folder)["python"]
        if made_by != self.version:
            return f"; {self.name} works as before, made by Python {made_by}"
        strays = self.compare_with_lock(lock)
        if not strays:
            return f"; {self.name} works"
        more = f" and {len(strays) - NAMED} more" if len(strays) > NAMED else ""
        names = ", ".join(strays[:NAMED]) + more
        return f"; {self.name} works as before, old or missing in it: {names}"

    def _renew(self, lock: str, lock_file: TextIO, interrupts: Interrupts) -> None:
        """Do what is to be done, while nobody else does."""
        started = time.monotonic()
        settle(self.beside, self.folder, self.past)
        if self.works():
            self._follow()
        reason = self.why_not(lock)
        if reason is None:  # somebody else has made it while we waited
            discard(self.beside)
            return
        if self._why_not(self.beside, lock) is not None:
            self._check_ground()
            discard(self.beside)
            try:
                self._build(lock, reason, lock_file, interrupts)
            except BaseException:
                discard(self.beside)
                raise
        put_in_place(self.beside, self.folder, self.past)
        print(f"{self.name} is ready: {time.monotonic() - started:.0f} s.", flush=True)

    def _follow(self) -> None:
        """Let the environment serve where the course was moved to; it needs nothing new."""
        stamp = _read_stamp(self.folder)
        if stamp["folder"] != str(ROOT):
            print(f"Moving {self.name}: the course has moved here from {stamp['folder']}.")
            retarget(self.folder, Path(stamp["folder"], self.name), self.folder)
            _write_stamp(self.folder, stamp["python"], stamp["locks"])

    def _check_ground(self) -> None:
        why = why_path_too_long()
        if why is not None:
            raise Problem(why)
        content = os.listdir(self.folder) if self.folder.exists() else []
        if content and not {STAMP, "course.lock", "course.log"} & set(content):
            raise Problem(f"{self.folder} was not made by course.py: move it away first")
        free = shutil.disk_usage(ROOT).free // 10**6
        if free < DISK_NEEDED:
            raise Problem(
                f"the disk is full: {DISK_NEEDED} MB are needed and {free} MB are free in {ROOT}"
            )

    def _build(self, lock: str, reason: str, lock_file: TextIO, interrupts: Interrupts) -> None:
        """Build what the lock asks for beside the environment in use, whole, with its stamp."""
        keep = self.works() and _read_stamp(self.folder)["python"] == self.version
        locks = _read_stamp(self.folder)["locks"] if keep else {}
        uv = shutil.which("uv")
        print(
            f"{'Updating' if keep else 'Making'} {self.name}: {reason}. "
            f"Python {self.version}, {'uv' if uv else 'pip'}.",
            flush=True,
        )
        packages = self._site_packages(self.beside)
        target = Target(self.beside, python_in(self.beside), packages, self.version, self.log)
        installer = Installer(target, lock, lock_file, interrupts)
        if keep:  # only not up to date: what it has need not be fetched again
            installer.copy(self.folder, self.base)
        else:
            installer.create(self.base, uv)
        installer.install(uv)
        installer.compile()
        installer.progress.end()
        retarget(self.beside, self.beside, self.folder)
        fit(self.beside, packages)
        fresh = {held: digest(ROOT / held) for held in LOCKS[LOCKS.index(lock) :]}
        _write_stamp(self.beside, self.version, locks | fresh)

    def _site_packages(self, folder: Path) -> Path:
        """The folder that the packages of an environment at `folder` are in."""
        short = ".".join(self.version.split(".")[:2])
        where = {"base": str(folder), "py_version_short": short}
        return Path(sysconfig.get_path("purelib", "venv", where))


def python_in(folder: Path) -> str:
    """Return the path of the Python of an environment at `folder`."""
    return str(folder / ("Scripts/python.exe" if ON_WINDOWS else "bin/python"))


def fit(prefix: Path, site_packages: Path) -> None:
    """Fit an environment to the course: `import helpers` finds it, JupyterLab has its settings.

    postBuild calls this too, for an environment that Binder or a learner made.
    """
    # Relative, so that no encoding of a folder's name can be wrong: site reads the line that way.
    write_whole(site_packages / "course.pth", os.path.relpath(ROOT, site_packages) + "\n")
    settings = prefix / "share" / "jupyter" / "lab" / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    overrides = (ROOT / "overrides.json").read_text(encoding="utf-8")
    write_whole(settings / "overrides.json", overrides)


def _why_broken(folder: Path) -> str | None:
    """Say why an environment is of no use at all; None if it is of some."""
    try:
        _read_stamp(folder)
    except FileNotFoundError:
        if (folder / "course.log").exists():  # so it was before environments were built beside
            return "the last installation did not come to its end"
        return "it is not made yet"
    except ValueError:
        return "its stamp is damaged"
    return None if os.path.exists(python_in(folder)) else "its Python is gone"


def _read_stamp(folder: Path) -> dict[str, Any]:
    """Return what the stamp says; raises FileNotFoundError, and ValueError where it is damaged."""
    stamp = json.loads((folder / STAMP).read_text(encoding="utf-8"))
    parts = {"python": str, "folder": str, "locks": dict}
    if not isinstance(stamp, dict) or any(
        not isinstance(stamp.get(part), kind) for part, kind in parts.items()
    ):
        raise ValueError(f"{folder / STAMP} says: {stamp!r}")
    return stamp


def _write_stamp(folder: Path, version: str, locks: dict[str, str]) -> None:
    stamp = {"python": version, "folder": str(ROOT), "locks": locks}
    write_whole(folder / STAMP, json.dumps(stamp, indent=1))
