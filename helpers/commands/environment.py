"""A virtual environment in the clone: whether it holds what its lock says, and making it so.

An environment counts as made only once its stamp is written, as the last step: whatever was cut
off before that is made anew by the next call.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any, Self, TextIO

from .files import alone, digest, write_whole
from .ground import DISK_NEEDED, LOCKS, ON_WINDOWS, ROOT, VERSION, Problem
from .installer import Installer, Target

WHO_ARE_YOU = "import platform, sys; print(sys.executable, platform.python_version(), sep='\\n')"


class Environment:
    """A virtual environment in the clone, made from a lock by one Python.

    Its folder is its own but for three files kept by course.py: course.lock, held while somebody
    installs; course.log, what the installer said; and course.json, the stamp.
    """

    def __init__(self, name: str, base: str, version: str) -> None:
        self.folder = ROOT / name
        self.name = name
        self.base = base  # the path of the Python that makes it
        self.version = version
        self.python = str(self.folder / ("Scripts/python.exe" if ON_WINDOWS else "bin/python"))
        self.stamp_file = self.folder / "course.json"
        self.log = self.folder / "course.log"

    @classmethod
    def own(cls) -> Self:
        """The environment of the Python that runs this file."""
        # Not sys.executable: that may be .venv's own, which is gone while .venv is made anew.
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

    @property
    def site_packages(self) -> Path:
        """The folder that its packages are in."""
        short = ".".join(self.version.split(".")[:2])
        return Path(
            sysconfig.get_path(
                "purelib", "venv", {"base": str(self.folder), "py_version_short": short}
            )
        )

    def make(self, lock: str) -> None:
        """Make the environment hold what the lock says; next to no time if it already does.

        Raises Problem where that cannot be, OSError where the disk does not allow it.
        """
        if self.why_not(lock) is not None:
            self._check_ground()
            with alone(self.folder / "course.lock") as lock_file:
                reason = self.why_not(lock)  # somebody else may have made it while we waited
                if reason is not None:
                    self._install(lock, reason, lock_file)
        fit(self.folder, self.site_packages)

    def why_not(self, lock: str) -> str | None:
        """Say why the environment does not hold what the lock says; None if it does."""
        reason = self.why_unsound()
        if reason is None and self._stamp()["locks"].get(lock) != digest(ROOT / lock):
            reason = f"it does not hold what {lock} says"
        return reason

    def why_unsound(self) -> str | None:
        """Say why the environment must be made anew whatever the lock says; None if it need not."""
        try:
            stamp = self._stamp()
        except FileNotFoundError:
            if self.log.exists():
                return "the last installation did not come to its end"
            return "it is not made yet"
        except ValueError:
            return "its stamp is damaged"
        if stamp["python"] != self.version:
            return f"it was made by Python {stamp['python']}"
        if stamp["folder"] != str(ROOT):
            return f"the course has moved here from {stamp['folder']}"
        if not os.path.exists(self.python):
            return "its Python is gone"
        return None

    def _stamp(self) -> dict[str, Any]:
        return json.loads(self.stamp_file.read_text(encoding="utf-8"))

    def _check_ground(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        content = os.listdir(self.folder)
        if content and "course.lock" not in content:
            raise Problem(f"{self.folder} was not made by course.py: move it away first")
        free = shutil.disk_usage(self.folder).free // 10**6
        if free < DISK_NEEDED:
            raise Problem(
                f"the disk is full: {DISK_NEEDED} MB are needed and {free} MB are free in {ROOT}"
            )

    def _install(self, lock: str, reason: str, lock_file: TextIO) -> None:
        started = time.monotonic()
        keep = self.why_unsound() is None  # only not up to date: install on top of it
        locks = self._stamp()["locks"] if keep else {}
        self.stamp_file.unlink(missing_ok=True)
        uv = shutil.which("uv")
        print(
            f"{'Updating' if keep else 'Making'} {self.name}: {reason}. "
            f"Python {self.version}, {'uv' if uv else 'pip'}.",
            flush=True,
        )
        if not keep:
            self._clear()
        target = Target(self.folder, self.python, self.site_packages, self.version, self.log)
        installer = Installer(target, lock, lock_file)
        if not keep:
            installer.create(self.base, uv)
        installer.install(uv)
        installer.compile()
        installer.progress.end()
        locks |= {held: digest(ROOT / held) for held in LOCKS[LOCKS.index(lock) :]}
        write_whole(
            self.stamp_file,
            json.dumps({"python": self.version, "folder": str(ROOT), "locks": locks}, indent=1),
        )
        print(f"{self.name} is ready: {time.monotonic() - started:.0f} s.", flush=True)

    def _clear(self) -> None:
        for path in self.folder.iterdir():
            if path.name == "course.lock":
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()


def fit(prefix: Path, site_packages: Path) -> None:
    """Fit an environment to the course: `import helpers` finds it, JupyterLab has its settings.

    Binder's postBuild calls this too, for the environment that Binder made.
    """
    # Relative, so that no encoding of a folder's name can be wrong: site reads the line that way.
    write_whole(site_packages / "course.pth", os.path.relpath(ROOT, site_packages) + "\n")
    settings = prefix / "share" / "jupyter" / "lab" / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    overrides = (ROOT / "overrides.json").read_text(encoding="utf-8")
    write_whole(settings / "overrides.json", overrides)
