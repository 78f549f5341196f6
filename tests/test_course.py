"""course.py names every trouble in one line, and leaves nothing half done where it says so.

The real program and real trouble, in copies whose lock is cut down to a few small packages.
"""

import ast
import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.course_copies import (
    PYTHON,
    ROOT,
    copy_small_course,
    course,
    one_line,
)

needs_mount = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0,
    reason="a full disk and a read-only one can only be made by root on Linux",
)


@pytest.fixture
def small(tmp_path):
    return copy_small_course(tmp_path / "course")


def old_pythons():
    """Every Python on this machine that is too old, by path."""
    folders = os.environ["PATH"].split(os.pathsep)
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    if versions.is_dir():
        folders += [str(version / "bin") for version in versions.iterdir()]
    names = ["python2.7"] + [f"python3.{minor}" for minor in range(4, 11)]
    found = {shutil.which(name, path=folder) for name in names for folder in folders}
    # A version manager's stand-in may be on the PATH for a version that is not chosen.
    return sorted(
        path
        for path in found
        if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0
    )


def test_a_python_that_is_too_old_is_told_so_in_one_line():
    for python in old_pythons():
        done = subprocess.run(
            [python, "course.py", "lab"], cwd=ROOT, capture_output=True, text=True
        )
        line = one_line(done)
        assert "Python 3.11 or newer is needed, this is Python " in line, python
        assert done.stdout == ""


def test_old_pythons_can_read_the_file_at_all():
    """Where none is installed: the same told by this Python made to look old, and the grammar."""
    pretend = (
        "import runpy, sys; sys.version_info = (3, 8, 18, 'final', 0); "
        "runpy.run_path('course.py', run_name='__main__')"
    )
    done = subprocess.run([PYTHON, "-c", pretend], cwd=ROOT, capture_output=True, text=True)
    assert "this is Python 3.8.18" in one_line(done)
    source = (ROOT / "course.py").read_bytes()
    assert source.isascii()
    newer = (
        ast.JoinedStr,
        ast.AnnAssign,
        ast.NamedExpr,
        ast.Match,
        ast.AsyncFunctionDef,
        ast.Nonlocal,
        ast.YieldFrom,
    )
    for node in ast.walk(ast.parse(source)):
        assert not isinstance(node, newer), f"line {node.lineno}"
        if isinstance(node, ast.FunctionDef):
            assert not node.args.kwonlyargs and node.returns is None, f"line {node.lineno}"
        if isinstance(node, ast.Raise):
            assert node.cause is None, f"line {node.lineno}"


@pytest.mark.parametrize(
    "arguments, words",
    [
        (
            ["labb"],
            "unknown command 'labb'; there are: lab, test, doctor, bench, links, site, slides, "
            "class, hub, refresh",
        ),
        (["lab", "--prot", "1"], "unrecognized arguments: --prot"),
        (["lab", "--port", "much"], "argument --port"),
        (["lab", "--port", "70000"], "--port takes a number from 1 to 65535"),
        (["test", "--also", "3.2"], "there is no python3.2 on the PATH"),
        (["test", "--also", "/nowhere/python"], "there is no such file"),
    ],
)
def test_a_mistyped_command_is_named_in_one_line(arguments, words):
    done = course(ROOT, *arguments)
    assert words in one_line(done)
    assert done.stdout == ""


@pytest.mark.parametrize("command", ["lab", "test", "doctor", "bench", "refresh"])
def test_every_command_explains_itself(command):
    done = course(ROOT, command, "--help")
    assert done.returncode == 0
    assert f"usage: course.py {command}" in done.stdout


def test_a_taken_port_is_named_before_anything_is_installed(small):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"port {port} is taken" in one_line(course(small, "lab", "--port", str(port)))
    assert not (small / ".venv").exists()


def test_a_python_without_ensurepip_names_the_package_to_install(small, tmp_path):
    """A Python put together from this one, but for ensurepip: as Debian ships it."""
    short = f"python{sys.version_info.major}.{sys.version_info.minor}"
    stripped = tmp_path / "debian"
    (stripped / "bin").mkdir(parents=True)
    python = shutil.copy(os.path.realpath(PYTHON), stripped / "bin" / short)
    library = stripped / "lib" / short
    library.mkdir(parents=True)
    for entry in Path(os.__file__).parent.iterdir():
        if entry.name not in ("ensurepip", "site-packages"):
            (library / entry.name).symlink_to(entry)
    line = one_line(course(small, "lab", python=python))
    assert f"apt install {short}-venv" in line
    told = course(small, "doctor", python=python)
    assert told.returncode == 1 and f"apt install {short}-venv" in told.stdout


def test_without_network_it_says_so_in_one_line(small):
    done = course(
        small,
        "lab",
        PIP_INDEX_URL="http://127.0.0.1:9/simple",
        PIP_RETRIES="1",
        PIP_NO_CACHE_DIR="1",
        PIP_FIND_LINKS="",
        PIP_CONFIG_FILE=os.devnull,
    )
    assert "no network" in one_line(done)
    assert "no answer, trying again" in done.stdout


def test_a_package_with_another_hash_is_refused(small):
    lock = small / "requirements.txt"
    lock.write_text(re.sub("sha256:[0-9a-f]{8}", "sha256:00000000", lock.read_text()))
    line = one_line(course(small, "lab"))
    assert re.match(r"course.py: (six|idna)==\S+ as it came is not what the lock names", line)
    assert not (small / ".venv").exists() and not (small / ".vnew").exists()


@contextlib.contextmanager
def mounted(folder, *options):
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@needs_mount
def test_a_disk_too_small_is_told_before_anything_is_installed(tmp_path):
    with mounted(tmp_path / "disk", "size=20m") as disk:
        line = one_line(course(copy_small_course(disk / "course"), "lab"))
        assert re.search(r"the disk is full: 1000 MB are needed and \d+ MB are free", line)
        assert not (disk / "course" / ".venv").exists()


@needs_mount
def test_a_disk_that_fills_up_on_the_way_is_told(tmp_path):
    with mounted(tmp_path / "disk", "size=10m") as disk:
        ground = copy_small_course(disk / "course") / "helpers" / "commands" / "ground.py"
        ground.write_text(ground.read_text().replace("DISK_NEEDED = 1000", "DISK_NEEDED = 1"))
        assert "the disk is full: free" in one_line(course(disk / "course", "lab"))


@needs_mount
def test_a_read_only_disk_is_told(tmp_path):
    with mounted(tmp_path / "disk", "size=20m") as disk:
        copy_small_course(disk / "course")
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        line = one_line(course(disk / "course", "lab"))
        assert "cannot write" in line and "Read-only file system" in line


def test_a_folder_that_somebody_else_made_is_left_alone(small):
    (small / ".venv").mkdir()
    (small / ".venv" / "precious").write_text("mine")
    assert "was not made by course.py" in one_line(course(small, "lab"))
    assert (small / ".venv" / "precious").read_text() == "mine"
