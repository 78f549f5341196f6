"""What a container, a guest account or Windows lacks is said in one sentence, and by the doctor."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.commands import doctor, ground, machine
from tests.course_copies import PYTHON, ROOT, copy_small_course, course, environ, one_line


@pytest.fixture
def small(tmp_path):
    return copy_small_course(tmp_path / "course")


@pytest.mark.skipif(os.name == "nt", reason="there a home is found another way")
def test_a_home_that_cannot_be_written_is_named_before_anything_is_installed(small, tmp_path):
    file = tmp_path / "file"
    file.touch()
    for home in "/proc/nobody", f"{file}/home":  # even root can write neither
        line = one_line(course(small, "lab", HOME=home, XDG_DATA_HOME=""))
        assert f"JupyterLab keeps its files in {home}/" in line
        assert "cannot be written" in line and "let HOME name a folder of your own" in line
        told = course(small, "doctor", HOME=home, XDG_DATA_HOME="")
        assert told.returncode == 1 and told.stderr == ""
        assert f"WRONG  JupyterLab keeps its files in {home}/" in told.stdout
    assert not (small / ".venv").exists()


def found(monkeypatch, **measures):
    for name, value in measures.items():
        monkeypatch.setattr(machine, name, lambda value=value: value)
    return {finding.what: finding for finding in doctor.look_at_machine()}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits as POSIX has them")
def test_few_open_files_make_lessons_smaller_and_nothing_wrong(small):
    limited = ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh", PYTHON, "course.py", "doctor"]
    told = subprocess.run(limited, cwd=small, env=environ(), capture_output=True, text=True)
    assert "less   256 files can be open at once\n       lesson 17 serves fewer" in told.stdout


def test_few_processes_make_lessons_smaller_and_too_few_are_wrong(monkeypatch):
    for most, right, less in (None, True, True), (600, False, True), (150, False, False):
        what = f"{most or 'any number of'} processes and threads can run at once"
        finding = found(monkeypatch, most_processes=most)[what]
        assert (finding.right, finding.less) == (right, less)
    assert finding.cure == "lessons 12, 17 and 22 need 200: raise the limit"


def test_the_limit_of_a_container_is_read(monkeypatch, tmp_path):
    limit = tmp_path / "pids.max"
    monkeypatch.setattr(machine, "PID_LIMITS", (limit, tmp_path / "none"))
    limit.write_text("150\n")
    assert machine.most_processes() == 150
    limit.write_text("max\n")
    assert machine.most_processes() != 150


def test_a_container_without_shared_memory_is_told(monkeypatch):
    class NoLock:
        def Lock(self):
            raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(machine.multiprocessing, "get_context", lambda method: NoLock())
    finding = found(monkeypatch)[
        "a lock for several processes cannot be made (No such file or directory)"
    ]
    assert not finding.right and not finding.less and "/dev/shm" in finding.cure


def test_a_path_too_long_for_windows_is_told(monkeypatch):
    monkeypatch.setattr(machine, "ROOT", Path("/" + "x" * 97))
    assert machine.why_path_too_long() is None
    monkeypatch.setattr(machine, "ON_WINDOWS", True)
    monkeypatch.setattr(machine, "_long_paths_allowed", lambda: False)
    assert machine.why_path_too_long().startswith("the path of this folder has 98 characters")
    monkeypatch.setattr(machine, "ROOT", Path("/" + "x" * 96))
    assert machine.why_path_too_long() is None


def test_the_longest_path_is_as_long_as_it_is_said():
    packages = Path(next(path for path in sys.path if path.endswith("site-packages")))
    longest = max(
        len(str(path.relative_to(packages)))
        for path in packages.rglob("*")
        if not path.name.endswith(".pyc")
    )
    in_windows = len("\\.venv\\Lib\\site-packages\\") + longest
    assert machine.LONGEST_ROOT + in_windows <= 259


def test_what_is_to_be_typed_is_what_the_system_has(small):
    assert ground.PYTHON == ("py" if os.name == "nt" else "python3")
    path = small / "helpers" / "commands" / "ground.py"
    text = path.read_text(encoding="utf-8")
    played = text.replace('PYTHON = "py" if ON_WINDOWS else "python3"', 'PYTHON = "py"')
    assert played != text
    path.write_text(played, encoding="utf-8")
    assert "type: py course.py lab" in course(small, "doctor").stdout
    shutil.rmtree(small)
    for file in (ROOT / "helpers" / "commands").glob("*.py"):
        for line in file.read_text(encoding="utf-8").splitlines():
            assert "python3 course.py" not in line or line.startswith("#"), f"{file}: {line}"
