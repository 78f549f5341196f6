"""Other projects' tests on the course's loop: what they say of it, beside asyncio's.

Each project's sources, as they are published at the version in the course's lock, are unpacked into
a temporary folder; what their tests need goes into an environment beside them. Nothing of either
stays. Each suite runs twice, in the same way but for the loop, by `suites_plugin.py`.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from helpers.basics.project import PROJECT
from helpers.upkeep.bench.measured import Row
from helpers.upkeep.bench.suites_plugin import ON_OURS

PLUGIN = "helpers.upkeep.bench.suites_plugin"


class Project(NamedTuple):
    """A project on the lock. needs: what its tests import; options: what its pytest is told."""

    name: str
    needs: Sequence[str] = ()
    options: Sequence[str] = ()


# Tests on trio are left out, and uvloop, which uvicorn would choose; and blockbuster, which lets
# sockets be used in asyncio's own files alone.
PROJECTS = [
    Project(
        "aiohttp",
        ["freezegun", "proxy.py", "setuptools-git", "isal", "zlib_ng", "Brotli", "aiodns"]
        + ["coverage", "pytest-cov", "pkgconfig"],
        ["-m", "not dev_mode and not autobahn and not internal", "--ignore-glob=*benchmarks*"],
    ),
    Project(
        "anyio",
        ["hypothesis", "psutil", "truststore"],
        ["-p", "no:trio", "-k", "not trio and not uvloop"],
    ),
    Project("httpcore", ["h2", "socksio", "pytest-httpbin", "pytest-trio"], ["-k", "not trio"]),
    Project(
        "starlette",
        ["httpx", "httpx2", "itsdangerous", "jinja2", "python-multipart", "pyyaml"]
        + ["opentelemetry-sdk", "importlib-metadata", "trio"],
        ["-k", "not trio"],
    ),
    Project(
        "uvicorn",
        ["httptools", "python-dotenv", "watchfiles", "a2wsgi", "wsproto", "zttp", "cryptography"],
        ["--ignore-glob=*benchmarks*"],
    ),
    Project("websockets"),
]
TOOLS = ["pytest", "pytest-mock", "pytest-timeout", "pytest-xdist", "trustme"]

# Why a test fails on our loop alone, by what is found in its name or in what it said; the first
# that fits. What the loop itself says that it lacks needs no line here.
REASONS = {
    r"has no attribute '_when'": "asks for handle._when, which is private",
    r"::test_loop_auto$|::test_get_loop_factory\[": "names the class of asyncio's own loop",
    r"_using_uds$": "this loop has no Unix sockets",
    # asyncio's loop reads the number of a signal from a descriptor, whoever else handles it.
    r"::test_server_interrupt\[capture_signal_async": "replaces the loop's handler of a signal, "
    "and expects it to be called too",
}
SAYS_ITSELF = re.compile(r"\w: (this loop [^.{]+)\.")
UNKNOWN = "for no reason that is known"

LIMIT = 1200  # seconds: the longest suite takes a third of it on two cores with others on them
LIMIT_A_TEST = 60


class Outcome(NamedTuple):
    """How a test ended: "passed", "failed" or "skipped"; and what it said, if it failed."""

    how: str
    said: str = ""


MISSING = Outcome("not run")


def suites(names: Sequence[str]) -> Iterator[Row]:
    """The tests of other projects on the course's loop, beside asyncio's own

    names: those of the projects; all if there are none. Raises SystemExit, with one sentence, where
    a name is unknown, or where the sources or what their tests need cannot be fetched.
    """
    known = {project.name: project for project in PROJECTS}
    if unknown := [name for name in names if name not in known]:
        raise SystemExit(f"no tests of {unknown[0]} are known here; there are: {', '.join(known)}")
    lock = (PROJECT / "requirements.txt").read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([^\s=]+)==([^\s;]+)", lock, re.MULTILINE))
    with tempfile.TemporaryDirectory() as folder:
        projects = [known[name] for name in names or known]
        python = _environment(Path(folder), projects, pins)
        for project in projects:
            source = _source(python, f"{project.name}=={pins[project.name]}", Path(folder))
            if source is None:
                yield Row(f"{project.name}: its sources hold no tests", 0, "tests")
            else:
                options = ["--numprocesses=auto", f"--timeout={LIMIT_A_TEST}", *project.options]
                yield from compare(python, project.name, source, options)


def compare(
    python: str, name: str, source: Path, options: Sequence[str] = (), limit: float = LIMIT
) -> Iterator[Row]:
    """Run the tests in a folder on asyncio's loop and on ours; tell how it went, and what differs

    python: the one that has what they need. options: more for pytest. limit: seconds for each run;
    what was not reached by then was not run. A test that fails on our loop alone gets a row with
    the reason. Where none is known it gets another chance, beside no other test, since a busy
    machine fails tests too; if it uses that up, it is a miss.
    """
    begun = time.monotonic()
    theirs = _run(python, source, ["tests", *options], limit, {})
    yield _counts(f"{name} on asyncio's loop", theirs, begun)
    begun = time.monotonic()
    ours = _run(python, source, ["tests", *options], limit, {ON_OURS: "1"})
    yield _counts(f"{name} on the course's loop", ours, begun)
    reasons = {}
    for test, outcome in theirs.items():
        if outcome.how != "failed" and (own := ours.get(test, MISSING)).how != outcome.how:
            reasons[test] = _reason(test, own.said)
    for test in [test for test, reason in reasons.items() if reason == UNKNOWN]:
        if test not in ours:
            continue
        again = _run(
            python, source, [*options, "--numprocesses=0", test], limit, {ON_OURS: "1"}
        ).get(test, MISSING)
        if again.how == theirs[test].how:
            del reasons[test]
        else:
            reasons[test] = _reason(test, again.said)
    for (test, reason), count in sorted(Counter(map(_without_parameters, reasons.items())).items()):
        yield Row(f"  {test}", count, reason, limit=0 if reason == UNKNOWN else None)
    lost = Counter(reasons.values())
    yield Row(f"{name}: fail on the course's alone", lost.total(), "tests")
    yield Row(f"{name}: {UNKNOWN}", lost[UNKNOWN], "tests", limit=0)


def _without_parameters(reason_of_test):
    test, reason = reason_of_test
    return test.partition("[")[0], reason


def _counts(what, outcomes, begun):
    counts = Counter(outcome.how for outcome in outcomes.values())
    told = f"passed, {counts['failed']} failed, {counts['skipped']} skipped"
    seconds = time.monotonic() - begun
    return Row(what, counts["passed"], f"{told}, in {seconds:.0f} s", least=1)  # or none has run


def _reason(test, said):
    if itself := SAYS_ITSELF.search(said):
        return itself[1]
    words = f"{test}\n{said}"
    found = [why for pattern, why in REASONS.items() if re.search(pattern, words, re.MULTILINE)]
    return (found or [UNKNOWN])[0]


def _run(python, source, arguments, limit, variables):
    """Return the outcome of each test. variables: those of the environment, beside the usual."""
    with tempfile.TemporaryDirectory() as folder:
        outcomes = Path(folder, "outcomes")
        outcomes.touch()
        command = [python, "-m", "pytest", "-p", "no:cacheprovider"]
        command += ["-o", "addopts=", f"--outcomes={outcomes}"]
        child = subprocess.Popen(
            [*command, *arguments],
            cwd=source,
            env=_variables() | {"PYTEST_PLUGINS": PLUGIN, "PYTHONPATH": str(PROJECT)} | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            child.wait(limit)
        except subprocess.TimeoutExpired:
            pass  # what was written by then is read all the same
        finally:
            _end(child)
        return _read(outcomes)


def _end(child):
    """End a run of pytest, and what it started."""
    left = psutil.Process(child.pid).children(recursive=True) if child.poll() is None else []
    child.kill()
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    child.wait()


def _read(outcomes):
    """The outcome of each test, of the lines of the plugin: the worst of its steps."""
    worst = ["passed", "skipped", "failed"]
    found = {}
    for line in outcomes.read_text(encoding="utf-8").splitlines():
        step = json.loads(line)
        before = found.get(step["test"], Outcome("passed"))
        if worst.index(step["outcome"]) >= worst.index(before.how):
            said = before.said + step.get("text", "")
            found[step["test"]] = Outcome(step["outcome"], said)
    return found


def _variables():
    """The environment variables for others' programs: none that leads Python or pytest astray."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "PYTEST")) and name != "VIRTUAL_ENV"
    }


def _environment(folder, projects, pins):
    """Make an environment with these projects and what their tests need; return its Python.

    Whatever the lock names is installed as it is there.
    """
    home = folder / "environment"
    fetch([sys.executable, "-m", "venv", str(home)], "an environment for the tests")
    python = str(home / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    left_out = {"trio", "uvloop"}
    constraints = folder / "constraints.txt"
    constraints.write_text(
        "".join(f"{name}=={pin}\n" for name, pin in pins.items() if name not in left_out)
    )
    needs = [need for project in projects for need in (project.name, *project.needs)]
    command = [python, "-m", "pip", "install", "--quiet", "--constraint", str(constraints)]
    fetch([*command, *TOOLS, *needs], "what the tests need")
    return python


def _source(python, requirement, folder):
    """Fetch the sources of a project and unpack them; return their folder, None without tests."""
    archives = folder / requirement
    command = [python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:all:"]
    fetch([*command, "--dest", str(archives), requirement], f"the sources of {requirement}")
    (archive,) = archives.iterdir()
    with tarfile.open(archive) as packed:
        packed.extractall(archives, filter="data")
    (source,) = (path for path in archives.iterdir() if path.is_dir())
    # What is tested is what is installed, which may be compiled.
    shutil.rmtree(source / requirement.partition("==")[0], ignore_errors=True)
    return source if any(source.glob("tests/**/test_*.py")) else None


def fetch(command: Sequence[str], what: str) -> None:
    """Run a command of an installer, which fetches `what`; SystemExit, one sentence, on failure."""
    done = subprocess.run(command, env=_variables(), capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()
        raise SystemExit(
            f"bench --suites: {what} cannot be had ({said[-1]}); connect to a network, if there is "
            "none, and type the same again"
        )
