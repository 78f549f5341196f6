"""course.py lab and doctor on the whole course: the whole lock, in a folder that is named oddly."""

import contextlib
import json
import os
import re
import signal
import socket
import statistics
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest

from helpers.basics.ports import free_port
from tests import listeners
from tests.course_copies import PYTHON, ROOT, copy_course, course, environ, python_in, start


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
        wait_until_it_answers(match[1])
        yield process, match[1], match[3], lines
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def wait_until_it_answers(address, limit=60):
    """JupyterLab prints its address before it listens there."""
    end = time.monotonic() + limit
    port = int(address.rpartition(":")[2])
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


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
    while not list(folder.glob(".vnew/lib/python*/site-packages/jupyter*.dist-info")):
        assert cut_off.poll() is None
        time.sleep(0.02)
    all_of_it = [psutil.Process(cut_off.pid), *psutil.Process(cut_off.pid).children(recursive=True)]
    for process in all_of_it:
        process.kill()
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


def bound(process):
    """Where a process listens; nowhere if it has just ended."""
    try:
        return listeners.bound(process)
    except psutil.NoSuchProcess:
        return set()


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
        heard = {
            (listeners.who(command_line(one), "ipykernel"), host)
            for one in (lab, *kernels)
            for host, _ in bound(one)
        }
        assert ("jupyterlab.labapp", "127.0.0.1") in heard and not listeners.unexplained(heard)

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


def test_ctrl_c_while_jupyterlabs_python_starts_is_not_lost(whole, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import time; print('Python starts', flush=True); time.sleep(1)"
    )
    process = start(whole, "lab", "--no-browser", PYTHONPATH=str(tmp_path))
    read_until(process, "^JupyterLab starts")
    read_until(process, "^Python starts")
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in rest


def test_a_taken_default_port_gives_way_to_the_next(whole):
    with opened(whole) as (_, first, _, _), opened(whole) as (_, second, _, _):
        assert first != second


def test_the_port_asked_for_is_the_port(whole):
    port = free_port()
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
