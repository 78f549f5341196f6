"""course.py keeps its promises: the real program, real environments, real trouble.

Most environments here are made from a lock cut down to a few small packages, which takes seconds;
one is made from the whole lock, in a folder with a space and a letter beyond ASCII in its name.
"""

import ast
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parent.parent
# What `python3` is to a learner: not the environment that runs the tests.
PYTHON = getattr(sys, "_base_executable", sys.executable)
PARTS = (
    "course.py",
    "helpers/commands",
    "overrides.json",
    "pyproject.toml",
    "requirements.txt",
    "requirements-extras.txt",
    "tests/requirements.txt",
)

needs_mount = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0,
    reason="a full disk and a read-only one can only be made by root on Linux",
)


def environ(**changes):
    """The variables of a learner without uv, whose terminal is no test's."""
    names = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "JUPYTER", "JPY_", "VIRTUAL_ENV"))
    }
    folders = names["PATH"].split(os.pathsep)
    names["PATH"] = os.pathsep.join(
        folder for folder in folders if not shutil.which("uv", path=folder)
    )
    return names | changes


def start(folder, *arguments, python=PYTHON, **changes):
    return subprocess.Popen(
        [python, "course.py", *arguments],
        cwd=folder,
        env=environ(**changes),
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def course(folder, *arguments, python=PYTHON, **changes):
    return subprocess.run(
        [python, "course.py", *arguments],
        cwd=folder,
        env=environ(**changes),
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )


MAKE = """
from helpers.commands import ground
from helpers.commands.environment import Environment
Environment.own().make(ground.{})
"""


def make(folder, python=PYTHON, lock="COURSE_LOCK", **changes):
    """Make the environment and do nothing with it."""
    done = subprocess.run(
        [python, "-c", MAKE.format(lock)],
        cwd=folder,
        env=environ(**changes),
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def one_line(done):
    """The one line that course.py ended with, and nothing like a traceback before it."""
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("course.py: ")
    return done.stderr


def cut_lock(name, *packages):
    """Return the lock `name` cut down to a few packages, at their versions, with their hashes."""
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = re.split(r"\n(?=\S)", text)
    return "\n".join(block for block in blocks if block.split("==")[0] in packages) + "\n"


def copy_course(folder):
    """Copy what course.py stands on, with one empty module for all the rest."""
    for part in PARTS:
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part)
        else:
            shutil.copy(ROOT / part, folder / part)
    (folder / "helpers" / "__init__.py").touch()
    return folder


def copy_small_course(folder):
    """The same with a lock that names two small packages."""
    copy_course(folder)
    (folder / "requirements.txt").write_text(cut_lock("requirements.txt", "six", "idna"))
    return folder


@pytest.fixture
def small(tmp_path):
    return copy_small_course(tmp_path / "course")


def python_in(folder, name=".venv"):
    return folder / name / "bin" / "python"


# ------------------------------------------------------------------------------- one-line troubles


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
        (["labb"], "unknown command 'labb'; there are: lab, test, doctor, bench, refresh"),
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
    assert "not the one that the lock names" in one_line(course(small, "lab"))


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
        assert os.listdir(disk / "course" / ".venv") == []


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


# ----------------------------------------------------------------- making, mending, making anew


def test_the_life_of_an_environment(small):
    """Made; then left alone; made anew when its stamp, its folder or its Python do not fit."""
    made = make(small, PYTHONDONTWRITEBYTECODE="1")
    assert "it is not made yet" in made.stdout
    assert list(small.glob(".venv/lib/python*/site-packages/__pycache__/six.*.pyc")), (
        "bytecode is compiled whatever PYTHONDONTWRITEBYTECODE says"
    )
    imported = subprocess.run(
        [python_in(small), "-I", "-c", "import six, idna, helpers; print(helpers.__file__)"],
        cwd="/",
        text=True,
        capture_output=True,
        check=True,
    )
    assert Path(imported.stdout.strip()) == small / "helpers" / "__init__.py"
    assert (small / ".venv/share/jupyter/lab/settings/overrides.json").exists()
    assert make(small).stdout == ""

    for part in small.glob(".venv/lib/python*/site-packages/pip*"):
        shutil.rmtree(part)  # as uv, which is gone from the PATH since, would have left it
    lock = small / "requirements.txt"
    lock.write_text(cut_lock("requirements.txt", "six", "idna", "webencodings"))
    updated = make(small)
    assert "Updating .venv: it does not hold what requirements.txt says" in updated.stdout
    assert subprocess.run([python_in(small), "-I", "-c", "import webencodings"]).returncode == 0
    assert make(small).stdout == ""

    moved = small.rename(small.parent / "moved")
    assert f"the course has moved here from {small}" in course(moved, "doctor").stdout
    # By its own Python, as where it is activated: the ground goes from under its feet.
    assert f"the course has moved here from {small}" in make(moved, python_in(moved)).stdout
    script = (moved / ".venv" / "bin" / "pip").read_text()
    assert str(moved) in script

    stamp = moved / ".venv" / "course.json"
    for text, words in [
        ('{"python": "3.11.0', "its stamp is damaged"),
        (stamp.read_text().replace('"python": "3', '"python": "2'), "it was made by Python 2"),
    ]:
        stamp.write_text(text)
        told = course(moved, "doctor")
        assert told.returncode == 1
        assert words in told.stdout and "type: python3 course.py lab" in told.stdout


def test_the_extras_hold_the_course_and_stay_when_it_is_opened_without_them(small):
    lock = small / "requirements-extras.txt"
    lock.write_text(cut_lock("requirements-extras.txt", "six", "idna", "toolz"))
    assert make(small, lock="EXTRAS_LOCK").stdout.startswith("Making .venv")
    assert make(small).stdout == ""
    assert subprocess.run([python_in(small), "-I", "-c", "import six, toolz"]).returncode == 0
    told = course(small, "lab", "--extras", "--no-browser")
    assert "Updating" not in told.stdout  # all is there but JupyterLab itself


def test_two_at_once_install_once(small):
    command = [PYTHON, "-c", MAKE.format("COURSE_LOCK")]
    both = [
        subprocess.Popen(command, cwd=small, env=environ(), text=True, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    said = sorted(process.communicate()[0] for process in both)
    assert [process.returncode for process in both] == [0, 0]
    assert said[0].startswith("Making .venv")
    assert said[1] == "Waiting for another course.py that is installing ...\n"


# ---------------------------------------------------------------------------- course.py test

SAMPLE = """
import pytest

@pytest.mark.coach
def test_that_passes(): pass

def test_that_fails(): assert False

@pytest.mark.skip(reason="no such thing here")
def test_that_is_skipped(): pass
"""


def test_the_tests_end_with_counts_and_a_true_exit_status(small):
    names = {
        "pytest",
        "pytest-xdist",
        "execnet",
        "iniconfig",
        "packaging",
        "pluggy",
        "pygments",
        "six",
        "idna",
    }
    (small / "tests" / "requirements.txt").write_text(cut_lock("tests/requirements.txt", *names))
    shutil.copy(ROOT / "tests" / "conftest.py", small / "tests")
    sample = small / "tests" / "test_sample.py"
    sample.write_text(SAMPLE)

    done = course(small, "test", "--also", PYTHON, CI="")
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "2 passed, 1 failed, 1 skipped"
    also = f".venv-{sys.version_info.major}.{sys.version_info.minor}"
    assert python_in(small, also).exists()

    done = course(small, "test", "--", "-k", "skipped", CI="true")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "0 passed, 1 failed, 0 skipped"
    assert "CI lets no test be skipped" in done.stdout and "no such thing here" in done.stdout

    done = course(small, "test", "--", "-k", "passes", CI="true")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "1 passed, 0 failed, 0 skipped"

    sample.write_text("import nothing_of_this_name")
    done = course(small, "test", CI="true")
    assert done.returncode != 0
    assert done.stdout.splitlines()[-1] == "0 passed, 1 failed, 0 skipped"
    sample.unlink()
    done = course(small, "test", CI="true")
    assert done.returncode != 0, "no test at all is no success"


# ----------------------------------------------------------------------------- the whole course


def read_until(process, pattern):
    """Read what a process prints until a line fits; return (the match, all lines so far)."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        match = re.search(pattern, line)
        if match:
            return match, lines
    raise AssertionError("".join(lines))


@contextlib.contextmanager
def opened(folder, *arguments):
    """JupyterLab as `course.py lab` opens it; gives (process, address, token, lines so far)."""
    process = start(folder, "lab", "--no-browser", *arguments)
    try:
        match, lines = read_until(process, r"(http://127\.0\.0\.1:\d+)/(\S+)\?token=(\w+)")
        assert match[2] == "lab/tree/notebooks/00_start_here.ipynb"
        yield process, match[1], match[3], lines
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def ask(address, token=None, method="GET", data=None):
    request = urllib.request.Request(address, method=method, data=data)
    if token:
        request.add_header("Authorization", f"token {token}")
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The course with its whole lock: its installation killed half-way, then done again."""
    folder = copy_course(tmp_path_factory.mktemp("course") / "dir with space é")
    (folder / "notebooks").mkdir()
    cut_off = start(folder, "lab", "--no-browser")
    read_until(cut_off, "^  installing")
    while not list(folder.glob(".venv/lib/python*/site-packages/jupyter*.dist-info")):
        assert cut_off.poll() is None
        time.sleep(0.02)
    os.killpg(cut_off.pid, signal.SIGKILL)
    cut_off.communicate()
    told = course(folder, "doctor")
    assert told.returncode == 1
    assert "the last installation did not come to its end" in told.stdout
    with opened(folder) as (process, address, token, lines):
        said = "".join(lines)
        assert "Making .venv: the last installation did not come to its end" in said
        assert re.search(r"\d+/\d+ jupyterlab==", said), "a line for each package"
    return folder


def test_the_doctor_finds_the_whole_course_well_and_a_lost_package(whole):
    told = course(whole, "doctor")
    assert told.returncode == 0, told.stdout
    assert "WRONG" not in told.stdout
    (lost,) = whole.glob(".venv/lib/python*/site-packages/six-*.dist-info")
    hidden = lost.rename(whole / "hidden")
    told = course(whole, "doctor")
    hidden.rename(lost)
    assert told.returncode == 1
    assert "not so six" in told.stdout and "delete the folder .venv" in told.stdout


def test_a_second_lab_adds_less_than_a_second(whole):
    """To the line that course.py prints as the last thing before it becomes JupyterLab."""
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        process = start(whole, "lab", "--no-browser")
        read_until(process, "^JupyterLab starts")
        seconds.append(time.perf_counter() - started)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    print(f"course.py lab takes {statistics.median(seconds):.2f} s before JupyterLab")
    assert statistics.median(seconds) < 1


def command_line(process):
    """The words of a process's command; none where it has just ended."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_the_lab_is_private_fitted_and_gone_after_ctrl_c(whole):
    with opened(whole) as (process, address, token, lines):
        with pytest.raises(urllib.error.HTTPError) as refused:
            ask(f"{address}/api/contents")
        assert refused.value.code == 403
        names = [entry["name"] for entry in ask(f"{address}/api/contents", token)["content"]]
        assert "course.py" in names and "notebooks" in names

        lab = psutil.Process(process.pid)  # course.py has become JupyterLab
        listening = {
            connection.laddr.ip
            for connection in lab.net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN
        }
        assert listening == {"127.0.0.1"}

        news = ask(f"{address}/lab/api/settings/@jupyterlab/apputils-extension:notification", token)
        assert news["schema"]["properties"]["fetchNews"]["default"] == "false"

        kernel = ask(
            f"{address}/api/kernels",
            token,
            "POST",
            json.dumps({"name": "python3", "path": "notebooks"}).encode(),
        )
        kernels = lab.children(recursive=True)
        (command,) = [
            words for words in map(command_line, kernels) if kernel["id"] in " ".join(words)
        ]
        assert Path(command[0]) == python_in(whole)
        connection = json.loads(Path(command[-1]).read_text())
        assert connection["transport"] == "ipc"

        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=30)
        assert process.returncode == 0
        assert "Traceback" not in "".join(lines) + rest
        assert not psutil.wait_procs(kernels, timeout=10)[1], "a kernel is left"


def test_ctrl_c_before_jupyterlab_is_there_leaves_no_traceback(whole):
    for wait in 0, 0.1, 0.4:
        process = start(whole, "lab", "--no-browser")
        _, lines = read_until(process, "^JupyterLab starts")
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=30)
        assert "Traceback" not in "".join(lines) + rest


def test_a_taken_default_port_gives_way_to_the_next(whole):
    with opened(whole) as (_, first, _, _), opened(whole) as (_, second, _, _):
        assert first != second


def test_the_port_asked_for_is_the_port(whole):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with opened(whole, "--port", str(port)) as (_, address, _, _):
        assert address == f"http://127.0.0.1:{port}"


def test_kernels_fall_back_to_tcp_where_a_socket_path_would_be_too_long(tmp_path):
    ask_it = "from helpers.commands.lab import kernel_sockets_fit; print(kernel_sockets_fit())"
    for folder, fits in (tmp_path / "x", "True"), (tmp_path / ("x" * 60), "False"):
        done = subprocess.run(
            [PYTHON, "-c", ask_it],
            cwd=ROOT,
            text=True,
            capture_output=True,
            env=environ(JUPYTER_RUNTIME_DIR="/tmp/" + folder.name),
        )
        assert done.stdout.strip() == fits, folder
