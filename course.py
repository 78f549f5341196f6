#!/usr/bin/env python3
# This file must still parse on Python 2.7, so that an old Python can say in one line that it is
# too old: no f-strings, no annotations, no keyword-only parameters, ASCII only.
"""Open the course, prove it, or mend it: python3 course.py lab | test | doctor | bench | refresh

It needs nothing but Python 3.11 or newer. Everything else comes from the hashed lock
(requirements.txt) into a virtual environment, the folder .venv beside this file. The environment
counts as made only once its stamp is written, as the last step: whatever was cut off before that
is made anew by the next call.
"""

from __future__ import print_function

import sys

if sys.version_info < (3, 11):
    sys.stderr.write(
        "course.py: Python 3.11 or newer is needed, this is Python %d.%d.%d; if you have a newer "
        "one, call it by name, such as: python3.13 course.py lab\n" % sys.version_info[:3]
    )
    sys.exit(2)

import argparse
import contextlib
import errno
import hashlib
import json
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import sysconfig
import tempfile
import threading
import time
from xml.etree import ElementTree

ROOT = os.path.dirname(os.path.realpath(__file__))
COURSE_LOCK = "requirements.txt"
EXTRAS_LOCK = "requirements-extras.txt"
TEST_LOCK = "tests/requirements.txt"
# Each lock holds those after it whole, at the same versions.
LOCKS = TEST_LOCK, EXTRAS_LOCK, COURSE_LOCK
FIRST_LESSON = "notebooks/00_start_here.ipynb"
VERSION = ".".join(str(number) for number in sys.version_info[:3])
DISK_NEEDED = 1000  # MB: the packages of the tests, their bytecode, room to unpack the largest
ON_WINDOWS = os.name == "nt"


class Problem(Exception):
    """What stands in the way, in one line for whoever called; ends the program with status 2."""


def main():
    """Do what the command line says; return the exit status."""
    for stream in sys.stdout, sys.stderr:
        stream.reconfigure(errors="backslashreplace")  # a folder's name may not fit the terminal
    try:
        options = parse(sys.argv[1:])
        return options.run(options)
    except Problem as problem:
        return fail(problem)
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    except OSError as error:
        return fail(name_disk_trouble(error))


def fail(message):
    print("course.py: {}".format(message), file=sys.stderr)
    return 2


def name_disk_trouble(error):
    """Say what an OSError means for somebody who only wants to open the course."""
    what = error.strerror or str(error)
    where = error.filename or ROOT
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return "the disk is full ({}): free {} MB and try again".format(where, DISK_NEEDED)
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return "cannot write {} ({}): copy the course to a folder of your own".format(where, what)
    return "{}: {}".format(where, what)


# ------------------------------------------------------------------------------- the command line


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Problem("{}; see: {} --help".format(message, self.prog))


def parse(arguments):
    """Turn the command line into options; `options.run` is the command's function."""
    parser = Parser(prog="course.py", description="An interactive course on asynchronous Python.")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command")

    def add(run, summary, passes_on=None):
        command = commands.add_parser(
            run.__name__,
            help=summary,
            description=run.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.set_defaults(run=run)
        if passes_on:
            command.add_argument(
                "rest",
                nargs="*",
                metavar="-- ARGUMENT",
                help="what follows -- goes to {}".format(passes_on),
            )
        return command

    opens = add(lab, "open JupyterLab on the first lesson", "JupyterLab")
    opens.add_argument(
        "--port",
        type=int,
        metavar="N",
        help="listen on this port (default: 8888, or the next that is free)",
    )
    opens.add_argument(
        "--no-browser", action="store_true", help="print the address, open no browser"
    )
    opens.add_argument(
        "--extras",
        action="store_true",
        help="get PostgreSQL for lesson 19 and Dask for lesson 21 too (30 MB more)",
    )
    proves = add(test, "run the tests", "pytest")
    proves.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="PYTHON",
        help="then run the notebooks, the coach's and the loop's tests on this "
        "Python too: a version such as 3.11, or a path (may be given again)",
    )
    add(doctor, "say what is right, what is wrong, and what to type")
    add(bench, "measure what the course's tools cost on this machine")
    renews = add(refresh, "regenerate all that is generated")
    renews.add_argument(
        "--upgrade",
        action="store_true",
        help="take the newest packages that fit pyproject.toml into the locks",
    )

    if not arguments:
        parser.print_help()
        raise SystemExit(0)
    if not arguments[0].startswith("-") and arguments[0] not in commands.choices:
        raise Problem(
            "unknown command '{}'; there are: {}".format(arguments[0], ", ".join(commands.choices))
        )
    options = parser.parse_args(arguments)
    if options.command is None:
        raise Problem("no command; there are: {}".format(", ".join(commands.choices)))
    return options


def lab(options):
    """Open JupyterLab on the first lesson; Ctrl-C ends it.

    The first call makes the environment: about 110 MB to download, a minute or so.
    """
    if options.port is not None:
        check_port(options.port)
    environment = Environment.own()
    environment.make(EXTRAS_LOCK if options.extras else COURSE_LOCK)
    command = [
        environment.python,
        "-c",
        START_JUPYTERLAB,
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.root_dir=" + ROOT,
        "--LabApp.default_url=/lab/tree/" + FIRST_LESSON,
        "--ServerApp.answer_yes=True",  # one Ctrl-C ends it: no question, every kernel stopped
    ]
    if options.port is not None:
        command += ["--ServerApp.port={}".format(options.port), "--ServerApp.port_retries=0"]
    if options.no_browser:
        command.append("--no-browser")
    if kernel_sockets_fit():
        command.append("--KernelManager.transport=ipc")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # in a container everybody is root
    command += options.rest
    print("JupyterLab starts on {}. Ctrl-C ends it.".format(FIRST_LESSON), flush=True)
    os.chdir(ROOT)
    if ON_WINDOWS:
        return call(command)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # until START_JUPYTERLAB sees to it
    # In its place rather than beside it: signals then reach JupyterLab itself.
    os.execv(command[0], command)


def test(options):
    """Run the tests, and end with how many passed, failed and were skipped.

    With CI=true in the environment a skipped test counts as failed.
    """
    others = [Environment.of(find_python(name)) for name in options.also]
    environment = Environment.own()
    environment.make(TEST_LOCK)
    outcomes = [run_tests(environment, options.rest)]
    for other in others:
        other.make(TEST_LOCK)
        print(
            "\nThe notebooks, the coach and the loop on Python {}:".format(other.version),
            flush=True,
        )
        outcomes.append(run_tests(other, ["-m", "notebooks or coach or loop"] + options.rest))
    counts = [sum(numbers) for numbers in zip(*(counts for status, counts in outcomes))]
    print("\n{} passed, {} failed, {} skipped".format(*counts), flush=True)
    return max(status for status, counts in outcomes)


def doctor(options):
    """Say what is right, what is wrong, and what to type; exit status 1 if anything is wrong."""
    fine = True
    for right, what, cure in examine(Environment.own()):
        print("{:5}  {}".format("ok" if right else "WRONG", what))
        if not right:
            fine = False
            print("       {}".format(cure))
    return 0 if fine else 1


def bench(options):
    """Measure what the course's tools cost on this machine, beside other tools on the same work."""
    environment = Environment.own()
    environment.make(TEST_LOCK)
    return call([environment.python, "-m", "helpers.upkeep.bench"])


def refresh(options):
    """Regenerate all that is generated: the locks, exercises/, stored outputs, pictures.

    The locks are left alone, and no network is needed, unless the dependencies in pyproject.toml
    have changed or --upgrade asks for newer packages.
    """
    if options.upgrade or not locks_fit():
        write_locks(options.upgrade)
    environment = Environment.own()
    environment.make(COURSE_LOCK)
    return call([environment.python, "-m", "helpers.upkeep.refresh"])


def call(command):
    """Run a command in the course's folder; return its exit status."""
    with subprocess.Popen(command, cwd=ROOT) as child:
        while True:
            try:
                status = child.wait()
                return status if status >= 0 else 128 - status
            except KeyboardInterrupt:
                pass  # the terminal sent it to the child as well, whose business it is


# ------------------------------------------------------------------------------------ JupyterLab

# Ctrl-C before JupyterLab listens for it: Python's own way would be a traceback.
START_JUPYTERLAB = """
import signal, sys
try:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from jupyterlab.labapp import main
    sys.exit(main())
except KeyboardInterrupt:
    sys.exit(130)
"""


def check_port(port):
    """Raise Problem unless somebody can listen on this port of 127.0.0.1."""
    if not 1 <= port <= 65535:
        raise Problem("--port takes a number from 1 to 65535, not {}".format(port))
    with socket.socket() as probe:
        if not ON_WINDOWS:  # as servers do; on Windows it would allow a port that is in use
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError:
            raise Problem("port {} is kept for the system: choose one above 1023".format(port))
        except OSError:
            raise Problem("port {} is taken: choose another, or leave --port out".format(port))


def kernel_sockets_fit():
    """Whether kernels can be reached through files instead of TCP, which other users could read.

    Such a path has at most 103 bytes on macOS and 107 on Linux. JupyterLab appends to its runtime
    folder, found here as jupyter_core does, `/kernel-<36 letters>-ipc-1`.
    """
    if ON_WINDOWS or os.environ.get("JUPYTER_PLATFORM_DIRS"):
        return False
    data = os.environ.get("JUPYTER_DATA_DIR")
    if not data and sys.platform == "darwin":
        data = os.path.expanduser("~/Library/Jupyter")
    elif not data:
        share = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
        data = os.path.join(share, "jupyter")
    runtime = os.environ.get("JUPYTER_RUNTIME_DIR") or os.path.join(data, "runtime")
    return len(os.fsencode(os.path.abspath(runtime))) + len("/kernel--ipc-1") + 36 <= 103


# --------------------------------------------------------------------------------------- the tests

FEW = 5  # failed tests that are given a second try


def run_tests(environment, arguments):
    """Run pytest; return its exit status and its counts [passed, failed, skipped].

    Where only a few tests fail they run once more, alone, and are named: what is measured in real
    time, or asks for many processes at once, says little on a machine that was busy.
    Which tests there are, and the markers of those that `--also` runs: pyproject.toml.
    """
    side_by_side = ["-n", str(max(2, os.cpu_count() or 2)), "--dist", "loadfile"]
    status, counts, failed = run_pytest(environment, side_by_side + arguments)
    if status == 1 and 1 <= len(failed) <= FEW:
        print("\nOnce more, alone:\n  {}".format("\n  ".join(failed)), flush=True)
        status, (mended, counts[1], _), _ = run_pytest(
            environment, ["-n", "0", "--last-failed"] + arguments
        )
        counts[0] += mended
        print("\nUnsteady, passed only alone: {}".format(mended), flush=True)
    return status, counts


def run_pytest(environment, arguments):
    """Run pytest once; return its exit status, [passed, failed, skipped], and who failed."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        status = call([environment.python, "-m", "pytest", "--junit-xml=" + report] + arguments)
        try:
            tests = list(ElementTree.parse(report).getroot().iter("testcase"))
        except (OSError, ElementTree.ParseError):  # pytest itself broke down, and has said why
            return status or 1, [0, 0, 0], []
    failed = [test for test in tests if {"failure", "error"} & {part.tag for part in test}]
    skipped = [test for test in tests if test not in failed and test.find("skipped") is not None]
    names = ["{} {}".format(test.get("classname"), test.get("name")) for test in failed]
    return status, [len(tests) - len(failed) - len(skipped), len(failed), len(skipped)], names


def find_python(name):
    """Return the path of the Python that `--also` names: a version such as 3.11, or a path."""
    path = name
    if re.match(r"3\.\d+$", name):
        path = shutil.which("python" + name)
        if path is None:
            raise Problem("--also {0}: there is no python{0} on the PATH".format(name))
    if not os.path.isfile(path):
        raise Problem("--also {}: there is no such file".format(name))
    return os.path.abspath(path)


# --------------------------------------------------------------------------------- the environment


class Environment:
    """A virtual environment in the clone, made from a lock by one Python.

    Its folder is its own but for three files kept by course.py: course.lock, held while somebody
    installs; course.log, what the installer said; and course.json, the stamp.
    """

    def __init__(self, name, base, version):
        self.folder = os.path.join(ROOT, name)
        self.name = name
        self.base = base  # the path of the Python that makes it
        self.version = version
        self.python = os.path.join(
            self.folder, *(["Scripts", "python.exe"] if ON_WINDOWS else ["bin", "python"])
        )
        self.stamp_file = os.path.join(self.folder, "course.json")

    @classmethod
    def own(cls):
        """The environment of the Python that runs this file."""
        # Not sys.executable: that may be .venv's own, which is gone while .venv is made anew.
        return cls(".venv", getattr(sys, "_base_executable", sys.executable), VERSION)

    @classmethod
    def of(cls, python):
        """The environment of another Python, for its path; raises Problem where that is too old."""
        asked = subprocess.run(
            [
                python,
                "-I",
                "-c",
                "import platform, sys; print(sys.executable, platform.python_version(), sep='\\n')",
            ],
            capture_output=True,
            text=True,
        )
        if asked.returncode:
            raise Problem("{} does not run".format(python))
        base, version = asked.stdout.splitlines()
        short = version.split(".")[:2]
        if [int(number) for number in short] < [3, 11]:
            raise Problem(
                "--also: Python 3.11 or newer is needed, {} is {}".format(python, version)
            )
        return cls(".venv-" + ".".join(short), base, version)

    @property
    def site_packages(self):
        short = ".".join(self.version.split(".")[:2])
        return sysconfig.get_path(
            "purelib", "venv", {"base": self.folder, "py_version_short": short}
        )

    def make(self, lock):
        """Make the environment hold what the lock says; next to no time if it already does."""
        if self.why_not(lock) is not None:
            self._check_ground()
            with alone(os.path.join(self.folder, "course.lock")) as lock_file:
                reason = self.why_not(lock)  # somebody else may have made it while we waited
                if reason is not None:
                    self._install(lock, reason, lock_file)
        fit(self.folder, self.site_packages)

    def why_not(self, lock):
        """Say why the environment does not hold what the lock says; None if it does."""
        reason = self.why_unsound()
        if reason is None and self._stamp()["locks"].get(lock) != digest(lock):
            reason = "it does not hold what {} says".format(lock)
        return reason

    def why_unsound(self):
        """Say why the environment must be made anew whatever the lock says; None if it need not."""
        try:
            stamp = self._stamp()
        except FileNotFoundError:
            if os.path.exists(os.path.join(self.folder, "course.log")):
                return "the last installation did not come to its end"
            return "it is not made yet"
        except ValueError:
            return "its stamp is damaged"
        if stamp["python"] != self.version:
            return "it was made by Python {}".format(stamp["python"])
        if stamp["folder"] != ROOT:
            return "the course has moved here from {}".format(stamp["folder"])
        if not os.path.exists(self.python):
            return "its Python is gone"
        return None

    def _stamp(self):
        with open(self.stamp_file, encoding="utf-8") as file:
            return json.load(file)

    def _check_ground(self):
        os.makedirs(self.folder, exist_ok=True)
        content = os.listdir(self.folder)
        if content and "course.lock" not in content:
            raise Problem("{} was not made by course.py: move it away first".format(self.folder))
        free = shutil.disk_usage(self.folder).free // 10**6
        if free < DISK_NEEDED:
            raise Problem(
                "the disk is full: {} MB are needed and {} MB are free in {}".format(
                    DISK_NEEDED, free, ROOT
                )
            )

    def _install(self, lock, reason, lock_file):
        started = time.monotonic()
        keep = self.why_unsound() is None  # only not up to date: install on top of it
        locks = self._stamp()["locks"] if keep else {}
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.stamp_file)
        uv = shutil.which("uv")
        print(
            "{} {}: {}. Python {}, {}.".format(
                "Updating" if keep else "Making",
                self.name,
                reason,
                self.version,
                "uv" if uv else "pip",
            ),
            flush=True,
        )
        if not keep:
            self._clear()
        installer = Installer(self, lock, lock_file)
        if not keep:
            installer.create(uv)
        installer.install(uv)
        installer.compile()
        installer.progress.end()
        locks.update((held, digest(held)) for held in LOCKS[LOCKS.index(lock) :])
        write_whole(
            self.stamp_file,
            json.dumps({"python": self.version, "folder": ROOT, "locks": locks}, indent=1),
        )
        print("{} is ready: {:.0f} s.".format(self.name, time.monotonic() - started), flush=True)

    def _clear(self):
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            if name == "course.lock":
                continue
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)


def fit(prefix, site_packages):
    """Fit an environment to the course: `import helpers` finds it, JupyterLab has its settings.

    Binder's postBuild calls this too, for the environment that Binder made.
    """
    # Relative, so that no encoding of a folder's name can be wrong: site reads the line that way.
    write_whole(
        os.path.join(site_packages, "course.pth"), os.path.relpath(ROOT, site_packages) + "\n"
    )
    settings = os.path.join(prefix, "share", "jupyter", "lab", "settings")
    os.makedirs(settings, exist_ok=True)
    with open(os.path.join(ROOT, "overrides.json"), encoding="utf-8") as file:
        write_whole(os.path.join(settings, "overrides.json"), file.read())


def write_whole(path, text):
    """Write a file so that it is there whole or not at all; leave one that is right alone."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            if file.read() == text:
                return
    except (FileNotFoundError, UnicodeDecodeError):
        pass
    with open(path + ".new", "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)


def digest(name):
    """Return the sha256 of one of the course's files, in hex."""
    with open(os.path.join(ROOT, name), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


@contextlib.contextmanager
def alone(path):
    """Hold the lock file at `path`; wait, and say so, while another course.py holds it.

    The system lets go of it when the last process that has it open ends, however it ends.
    """
    with open(path, "a") as file:
        said = False
        while not try_lock(file):
            if not said:
                print("Waiting for another course.py that is installing ...", flush=True)
                said = True
            time.sleep(0.2)
        yield file


def try_lock(file):
    try:
        if ON_WINDOWS:
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            return False
        raise
    return True


# ------------------------------------------------------------------------------------- installing

# What an installer's words mean; the first that fits is said.
CAUSES = [
    (
        r"No space left on device|Disk quota exceeded|os error (28|112)\b|Errno 28\b",
        "the disk is full: free {} MB and try again".format(DISK_NEEDED),
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
        r"DO NOT MATCH THE HASHES|[Hh]ash mismatch",
        "a package that came is not the one that the lock names, so it was not installed",
    ),
    (
        r"NewConnectionError|ConnectTimeoutError|ReadTimeoutError|NameResolutionError|ProxyError"
        r"|Could not connect|[Cc]onnection (refused|reset|aborted)|error sending request|dns error"
        r"|[Nn]etwork is unreachable|name resolution|timed out|Failed to (fetch|establish)",
        "no network: the packages cannot be fetched; connect, then type the same again",
    ),
    (
        r"Permission denied|Access is denied|Errno 13\b|os error (5|13)\b",
        "no permission to write: copy the course to a folder of your own",
    ),
]


class Installer:
    """Fill one environment; tell how far it is."""

    def __init__(self, environment, lock, lock_file):
        self.environment = environment
        self.lock = lock
        self.lock_file = lock_file
        self.log_path = os.path.join(environment.folder, "course.log")
        self.progress = Progress()
        with open(os.path.join(ROOT, lock), encoding="utf-8") as file:
            self.expected = len(re.findall(r"^\S+==", file.read(), re.MULTILINE))
        self.collected = 0
        # The log's presence without a stamp is what tells a cut-off from a fresh start.
        open(self.log_path, "w").close()

    def create(self, uv):
        """Make the environment, empty."""
        environment = self.environment
        if uv:
            # course.lock is in the folder already, which uv would take for a mistake.
            self._run(
                [
                    uv,
                    "venv",
                    "--allow-existing",
                    "--no-project",
                    "--python",
                    environment.base,
                    environment.folder,
                ],
                "making the environment",
            )
        else:
            self._run(
                [environment.base, "-I", "-m", "venv", "--without-pip", environment.folder],
                "making the environment",
            )

    def install(self, uv):
        """Install what the lock names, each package only with the hash that the lock gives."""
        lock = os.path.join(ROOT, self.lock)
        python = self.environment.python
        if uv:
            command = [uv, "pip", "install", "--python", python]
        else:
            # venv could do this, but would keep to itself why it failed; and an environment that
            # uv made has no pip.
            self._run([python, "-I", "-m", "ensurepip", "--default-pip"], "making pip")
            command = [python, "-I", "-m", "pip", "install", "--progress-bar=off", "--no-compile"]
        self._run(command + ["--require-hashes", "-r", lock], "getting packages")

    def compile(self):
        """Compile to bytecode: neither uv nor this pip call does, and kernels start twice as fast.

        A few packages ship templates or tests that do not compile; that is no error. compileall
        writes its files even where PYTHONDONTWRITEBYTECODE is set.
        """
        self._run(
            [
                self.environment.python,
                "-I",
                "-m",
                "compileall",
                "-q",
                "-j",
                "0",
                self.environment.site_packages,
            ],
            "compiling",
            may_fail=True,
        )

    def _run(self, command, label, may_fail=False):
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
        )
        lines = queue.Queue()
        threading.Thread(target=pump, args=(child.stdout, lines), daemon=True).start()
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
            status = child.wait()
        finally:
            if child.poll() is None:
                child.terminate()
                child.wait()
            with contextlib.suppress(OSError):  # on a full disk the log is the lesser loss
                with open(self.log_path, "a", encoding="utf-8") as log:
                    log.writelines(said)
        if status and not may_fail:
            self.progress.end()
            raise Problem(self._cause("".join(said)))

    def _note(self, line):
        """Keep count from what pip says as it goes; uv speaks only at the end."""
        if self.progress.label == "making pip":
            return
        if line.startswith("Ignoring "):  # not for this system or this Python
            self.expected -= 1
        elif line.startswith("Collecting ") or line.startswith("Requirement already satisfied:"):
            self.collected += 1
            if line.startswith("Collecting "):
                self.progress.line(
                    "{:3}/{} {}".format(self.collected, self.expected, line.split()[1])
                )
        elif line.startswith("WARNING: Retrying"):
            self.progress.line("no answer, trying again")
        elif line.startswith("Installing collected packages"):
            self.progress.step("installing")

    def _how_far(self):
        count = 0
        if self.progress.label == "getting packages":
            count = self.collected
        elif self.progress.label == "installing":
            names = os.listdir(self.environment.site_packages)
            count = sum(name.endswith(".dist-info") for name in names)
        return "{} of {}".format(count, self.expected) if count else ""

    def _cause(self, output):
        short = ".".join(self.environment.version.split(".")[:2])
        for pattern, cause in CAUSES:
            if re.search(pattern, output):
                return cause.replace("{short}", short)
        errors = re.findall(r"^\s*(?:ERROR|error|Error)\s*:\s*(.+)", output, re.MULTILINE)
        last = errors[-1] if errors else (output.strip() or "no word why").splitlines()[-1]
        return "installing failed: {} (all of it: {})".format(last.strip(), self.log_path)


def pump(stream, lines):
    for line in stream:
        lines.put(line)
    lines.put(None)


def clean_environ():
    """Return the variables for an installer: without those that would lead it astray."""
    astray = (
        "PYTHONHOME",
        "PYTHONPATH",
        "VIRTUAL_ENV",
        "PIP_TARGET",
        "PIP_PREFIX",
        "PIP_ROOT",
        "PIP_REQUIRE_VIRTUALENV",
    )
    environ = {name: value for name, value in os.environ.items() if name not in astray}
    environ.update(
        PIP_USER="0",
        PIP_DISABLE_PIP_VERSION_CHECK="1",
        PIP_NO_INPUT="1",
        PYTHONUNBUFFERED="1",
        UV_PYTHON_DOWNLOADS="never",
        NO_COLOR="1",
    )
    return environ


class Progress:
    """On a terminal one line that lives; elsewhere a line for each package."""

    def __init__(self):
        self.label = None
        self.live = sys.stdout.isatty()
        self.started = time.monotonic()

    def step(self, label):
        """Begin a step of the work."""
        self.label = label
        if not self.live:
            print("  " + label, flush=True)

    def line(self, text):
        """Tell of one package; on a terminal the live line is enough."""
        if not self.live:
            print("  " + text, flush=True)

    def tick(self, far):
        """Bring the live line up to date."""
        if self.live:
            text = "  {:3.0f} s  {} {}".format(time.monotonic() - self.started, self.label, far)
            width = shutil.get_terminal_size().columns - 1
            sys.stdout.write("\r" + text[:width].ljust(width))
            sys.stdout.flush()

    def end(self):
        """Wipe the live line."""
        if self.live:
            width = shutil.get_terminal_size().columns - 1
            sys.stdout.write("\r" + " " * width + "\r")
            sys.stdout.flush()


# -------------------------------------------------------------------------------------- the doctor


def examine(environment):
    """Yield (is it right, what, what to do) for everything that the course stands on."""
    tested = sys.version_info[:2] <= (3, 14)
    yield tested, "Python {}".format(VERSION), "newer than the course knows: try Python 3.13"
    if shutil.which("uv"):
        yield True, "uv installs the packages", ""
    else:
        from importlib.util import find_spec

        able = find_spec("venv") is not None and find_spec("ensurepip") is not None
        yield (
            able,
            "pip installs the packages, venv makes the environment",
            "on Debian and Ubuntu: apt install python{}.{}-venv".format(*sys.version_info),
        )
    writable = os.access(ROOT, os.W_OK)
    yield (writable, "{} can be written".format(ROOT), "copy the course to a folder of your own")
    reason = environment.why_not(COURSE_LOCK)
    if reason is not None:
        free = shutil.disk_usage(ROOT).free // 10**6
        yield (
            free >= DISK_NEEDED,
            "{} MB are free, {} are needed".format(free, DISK_NEEDED),
            "free some space",
        )
        yield False, "{}: {}".format(environment.name, reason), "type: python3 course.py lab"
        return
    yield True, "{} was made whole by Python {}".format(environment.name, environment.version), ""
    mend = "close JupyterLab, delete the folder {} and type: python3 course.py lab".format(
        environment.name
    )
    strays = compare_with_lock(environment)
    yield (
        not strays,
        "its packages are those of {}".format(COURSE_LOCK)
        + (": not so " + ", ".join(strays) if strays else ""),
        mend,
    )
    for module, cure in (
        ("jupyterlab", mend),
        ("ipykernel", mend),
        ("helpers", "a file of the course is damaged; this shows which: git status"),
    ):
        tried = subprocess.run(
            [environment.python, "-I", "-c", "import " + module], capture_output=True, text=True
        )
        yield (
            tried.returncode == 0,
            "{} can be imported".format(module)
            + (": " + tried.stderr.strip().splitlines()[-1] if tried.returncode else ""),
            cure,
        )


def compare_with_lock(environment):
    """Return the names of packages that are missing or of another version than in the lock."""
    listing = subprocess.run(
        [
            environment.python,
            "-I",
            "-c",
            "import importlib.metadata as m, json; print(json.dumps("
            "{d.name.lower().replace('_', '-').replace('.', '-'): d.version"
            " for d in m.distributions()}))",
        ],
        capture_output=True,
        text=True,
    )
    if listing.returncode:
        return ["all of them"]
    installed = json.loads(listing.stdout)
    with open(os.path.join(ROOT, COURSE_LOCK), encoding="utf-8") as file:
        pins = re.findall(r"^(\S+?)==(\S+)( ;)?", file.read(), re.MULTILINE)
    allowed = {}  # a package may be locked twice, for older and for newer Pythons
    for name, version, marked in pins:
        allowed.setdefault(name, set()).add(version)
        if marked:
            allowed[name].add(None)
    return sorted(name for name in allowed if installed.get(name) not in allowed[name])


# --------------------------------------------------------------------------------------- the locks

LOCK_HEADER = """\
# Generated from pyproject.toml by: python3 course.py refresh
# dependencies: {}
"""


def digest_dependencies():
    """Return the sha256 of all dependencies in pyproject.toml, which the locks carry."""
    import tomllib

    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        project = tomllib.load(file)["project"]
    asked = [project["requires-python"], project["dependencies"], project["optional-dependencies"]]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


def locks_fit():
    """Whether all locks were made from the dependencies as pyproject.toml has them now."""
    header = LOCK_HEADER.format(digest_dependencies())
    for lock in LOCKS:
        with open(os.path.join(ROOT, lock), encoding="utf-8") as file:
            if not file.read().startswith(header):
                return False
    return True


def write_locks(upgrade):
    """Resolve pyproject.toml anew for every supported Python and system; needs the network.

    Versions that are locked already stay, unless `upgrade` is true. No address of a registry gets
    into the files, so that they serve behind a mirror as well.
    """
    with tempfile.TemporaryDirectory() as folder:
        uv = shutil.which("uv") or get_uv(folder)
        header = LOCK_HEADER.format(digest_dependencies())
        texts = {}
        # The larger lock first: it is the smaller one's constraint, so that they agree.
        constraint = []
        asked = ["--extra", "test", "--extra", "extras"], ["--extra", "extras"], []
        for lock, extra in zip(LOCKS, asked):
            resolved = os.path.join(folder, lock.replace("/", "-"))
            shutil.copy(os.path.join(ROOT, lock), resolved)  # versions that are locked stay
            command = (
                [
                    uv,
                    "pip",
                    "compile",
                    "pyproject.toml",
                    "--output-file",
                    resolved,
                    "--universal",
                    "--python",
                    sys.executable,
                    "--python-version",
                    "3.11",
                    "--generate-hashes",
                    "--no-emit-index-url",
                    "--no-emit-find-links",
                    "--no-header",
                    "--no-annotate",
                    "--quiet",
                ]
                + extra
                + constraint
                + (["--upgrade"] if upgrade else [])
            )
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=clean_environ(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
            )
            if done.returncode:
                raise Problem("the locks cannot be made: " + " ".join(done.stderr.split()))
            constraint = ["--constraint", resolved]
            with open(resolved, encoding="utf-8") as file:
                texts[lock] = header + file.read()
    for lock, text in texts.items():
        write_whole(os.path.join(ROOT, lock), text)
        print("{} is written.".format(lock), flush=True)


def get_uv(folder):
    """Install uv, the resolver, into a throw-away environment; return its path."""
    home = os.path.join(folder, "uv")
    bin_folder = os.path.join(home, "Scripts" if ON_WINDOWS else "bin")
    for command in (
        [sys.executable, "-I", "-m", "venv", home],
        [os.path.join(bin_folder, "python"), "-I", "-m", "pip", "install", "-q", "uv"],
    ):
        done = subprocess.run(
            command, env=clean_environ(), stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        if done.returncode:
            raise Problem(
                "uv, which makes the locks, cannot be installed: "
                + (done.stderr.strip() or "no word why").splitlines()[-1]
            )
    return os.path.join(bin_folder, "uv")


if __name__ == "__main__":
    sys.exit(main())
