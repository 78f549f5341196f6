"""An update that fails, is stopped or is killed leaves the environment in use as it was.

Real updates in copies of the course, from wheels of a few lines on the disk instead of a network.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time

import psutil
import pytest

from helpers.commands import relocation
from helpers.commands.ground import Problem
from tests.course_copies import PYTHON, course, make, one_line, python_in, start
from tests.test_course import mounted, needs_mount
from tests.tiny_wheels import TinyCourse

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and programs as POSIX has them")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A course with its environment."""
    tiny = TinyCourse(tmp_path_factory.mktemp("made"))
    assert "Making .venv" in make(tiny.folder, **tiny.online).stdout
    return tiny


@pytest.fixture
def tiny(made, tmp_path):
    """A copy of it, that was moved from there."""
    folder = made.folder
    tiny = TinyCourse(tmp_path)
    shutil.copytree(folder / ".venv", tiny.folder / ".venv", symlinks=True)
    make(tiny.folder, **tiny.offline)
    return tiny


def version(tiny, package="tiny"):
    """What the package's own program says; it fails where it does not run."""
    done = subprocess.run(
        [tiny.folder / ".venv" / "bin" / package], capture_output=True, text=True, check=True
    )
    name, number, prefix = done.stdout.split(maxsplit=2)
    assert name == package and prefix.strip() == str(tiny.folder / ".venv")
    return number


def processes_of(tiny):
    """The processes that have this course's folder in their command, or are in it."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            words = [*process.cmdline(), process.cwd()]
            if any(str(tiny.folder) in word for word in words):
                found.append(process)
    return found


def left_beside(tiny):
    return [path.name for path in tiny.folder.glob(".v*") if path.is_dir() and path.name != ".venv"]


def stop(tiny, step, wait, number):
    """Update, send the signal so many seconds after the step began; return (status, said)."""
    process = start(tiny.folder, "lab", "--no-browser", **tiny.online)
    said = ""
    for line in process.stdout:
        said += line
        if step in line:
            break
    time.sleep(wait)
    process.send_signal(number)
    said += process.communicate(timeout=60)[0]
    return process.returncode, said


STEPS = ["Updating", "copying", "getting packages", "installing", "compiling"]


@pytest.mark.parametrize("step", STEPS)
def test_ctrl_c_in_an_update_leaves_what_worked_and_no_process(tiny, step):
    tiny.ask_for(tiny.lab, tiny.newer)
    status, said = stop(tiny, step, 0.1, signal.SIGINT)
    assert status == 130, said
    assert "Stopped. .venv works as before, old or missing in it: tiny\n" in said
    assert "Traceback" not in said
    assert processes_of(tiny) == [] and left_beside(tiny) == []
    assert version(tiny) == "1.0"


@pytest.mark.parametrize("step", STEPS)
def test_kill_9_in_an_update_leaves_what_worked(tiny, step):
    tiny.ask_for(tiny.lab, tiny.newer)
    status, said = stop(tiny, step, 0.1, signal.SIGKILL)
    assert status == -signal.SIGKILL, said
    assert version(tiny) == "1.0"
    tiny.ask_for(tiny.lab, tiny.tiny)
    assert "Updating" not in make(tiny.folder, **tiny.offline).stdout
    assert version(tiny) == "1.0" and left_beside(tiny) == []
    tiny.ask_for(tiny.lab, tiny.newer)
    make(tiny.folder, **tiny.online)
    assert version(tiny) == "2.0"


def test_ctrl_c_while_the_first_is_made_leaves_nothing(tmp_path):
    tiny = TinyCourse(tmp_path)
    for step in "making the environment", "making pip", "getting packages", "compiling":
        status, said = stop(tiny, step, 0.1, signal.SIGINT)
        assert status == 130 and said.endswith("\nStopped.\n"), said
        assert processes_of(tiny) == [] and left_beside(tiny) == []
        assert not (tiny.folder / ".venv").exists()
        assert ".venv: it is not made yet" in course(tiny.folder, "doctor").stdout


KILLED_BETWEEN = """
import os
from helpers.commands import ground, relocation
from helpers.commands.environment import Environment
rename = relocation._rename
def rename_and_die(old, new):
    rename(old, new)
    os._exit(9)
relocation._rename = rename_and_die
Environment.own().make(ground.COURSE_LOCK)
"""


def test_killed_between_the_two_renames_it_is_finished_by_the_next_call(tiny):
    tiny.ask_for(tiny.lab, tiny.newer)
    died = subprocess.run(
        [PYTHON, "-c", KILLED_BETWEEN], cwd=tiny.folder, env=os.environ | tiny.online
    )
    assert died.returncode == 9
    assert not (tiny.folder / ".venv").exists()
    assert make(tiny.folder, **tiny.offline).stdout == ""
    assert version(tiny) == "2.0" and left_beside(tiny) == []


def test_without_a_network_the_old_one_opens_and_what_is_old_is_named(tiny):
    tiny.ask_for(tiny.lab, tiny.newer)
    opened = course(tiny.folder, "lab", "--no-browser", **tiny.offline)
    assert opened.returncode == 0, opened.stderr
    assert opened.stdout.endswith("\nopened 1.0\n")
    assert re.fullmatch(
        r"course.py: no network: [^\n]*; .venv works as before, old or missing in it: tiny\n",
        opened.stderr,
    )
    assert version(tiny) == "1.0" and left_beside(tiny) == []
    told = course(tiny.folder, "doctor").stdout
    assert ".venv: it does not hold what requirements.txt says; it works as before" in told


def test_extras_that_cannot_be_had_are_refused_and_the_course_still_opens(tiny):
    refused = course(tiny.folder, "lab", "--extras", **tiny.offline)
    line = one_line(refused)
    assert "no network" in line and ".venv works as before, old or missing in it: extra" in line
    assert "opened 1.0" in course(tiny.folder, "lab", **tiny.offline).stdout


def test_a_package_with_another_hash_is_named_and_the_old_one_stays(tiny):
    tiny.ask_for(tiny.lab, tiny.newer)
    path = tiny.folder / "requirements.txt"
    *rest, last = path.read_text().rpartition("sha256:")
    path.write_text("".join(rest) + "0" * 8 + last[8:])
    opened = course(tiny.folder, "lab", **tiny.online)
    assert opened.stderr.startswith("course.py: tiny==2.0 as it came is not what the lock names")
    assert opened.stdout.endswith("\nopened 1.0\n")
    assert version(tiny) == "1.0"


@needs_mount
def test_a_disk_that_fills_up_in_an_update_leaves_what_worked(tmp_path):
    with mounted(tmp_path / "disk", "size=100m") as disk:
        tiny = TinyCourse(disk)
        ground = tiny.folder / "helpers" / "commands" / "ground.py"
        ground.write_text(ground.read_text().replace("DISK_NEEDED = 1000", "DISK_NEEDED = 1"))
        make(tiny.folder, **tiny.online)
        tiny.ask_for(tiny.lab, tiny.newer)
        filler = disk / "filler"
        for left in 2_000_000, 9_000_000:  # in the copy; later
            filler.write_bytes(bytes(max(0, shutil.disk_usage(disk).free - left)))
            opened = course(tiny.folder, "lab", **tiny.online)
            assert "the disk is full: free 1 MB and try again; .venv works" in opened.stderr
            assert opened.stdout.endswith("\nopened 1.0\n")
            assert version(tiny) == "1.0" and left_beside(tiny) == []
            filler.unlink()
        make(tiny.folder, **tiny.online)
        assert version(tiny) == "2.0"


def test_a_moved_folder_needs_no_network(tiny):
    for name in "moved here", "x" * 120, "short":
        tiny.folder = tiny.folder.rename(tiny.folder.parent / name)
        opened = course(tiny.folder, "lab", **tiny.offline)
        assert "Moving .venv: the course has moved here from" in opened.stdout, opened.stderr
        assert opened.stdout.endswith("\nopened 1.0\n")
        assert version(tiny) == "1.0"
        assert str(tiny.folder) in (tiny.folder / ".venv" / "bin" / "activate").read_text()
    tiny.folder = shutil.copytree(tiny.folder, tiny.folder / "short", symlinks=True)
    make(tiny.folder, **tiny.offline)
    assert version(tiny) == "1.0"


def test_what_is_moved_twice_by_a_cut_off_is_moved_once(tmp_path):
    """The new path may hold the old one, as /mnt/course holds /course."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "program"
    (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin\n")
    program.write_text("#!/course/.venv/bin/python\nimport it\n")
    for _ in range(2):
        relocation.retarget(tmp_path, "/course/.venv", "/mnt/course/.venv")
    call = "#!/bin/sh\n'''exec' \"/mnt/course/.venv/bin/python\" \"$0\" \"$@\"\n' '''\nimport it\n"
    assert program.read_text() == call


def test_a_folder_in_use_on_windows_is_named_and_nothing_is_lost(tmp_path, monkeypatch):
    """Windows played: it refuses to rename what is in use."""

    def refuse(old, new):
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(relocation, "ON_WINDOWS", True)
    monkeypatch.setattr(relocation, "_rename", refuse)
    new, place, past = (tmp_path / name for name in (".vnew", ".venv", ".vold"))
    for folder in new, place:
        folder.mkdir()
        (folder / "course.json").write_text(folder.name)
    with pytest.raises(Problem, match="^Windows can't rename .* .venv is: close JupyterLab"):
        relocation.put_in_place(new, place, past)
    assert (place / "course.json").read_text() == ".venv"
    assert (new / "course.json").read_text() == ".vnew"
    monkeypatch.undo()
    relocation.put_in_place(new, place, past)
    assert (place / "course.json").read_text() == ".vnew" and os.listdir(tmp_path) == [".venv"]


BUSY = """
from helpers.commands import ground, relocation
from helpers.commands.environment import Environment

def refuse(old, new):
    raise PermissionError(13, "busy")

relocation._rename = refuse
try:
    Environment.own().make(ground.COURSE_LOCK)
except ground.Problem as problem:
    assert ".venv cannot be replaced (busy); .venv works as before" in str(problem)
else:
    raise AssertionError("no Problem")
"""


def test_what_was_built_but_could_not_take_its_place_is_not_built_again(tiny):
    tiny.ask_for(tiny.lab, tiny.newer)
    subprocess.run([PYTHON, "-c", BUSY], cwd=tiny.folder, env=os.environ | tiny.online, check=True)
    assert version(tiny) == "1.0" and left_beside(tiny) == [".vnew"]
    made = make(tiny.folder, **tiny.offline)
    assert "Updating" not in made.stdout and version(tiny) == "2.0"


def test_a_second_environment_is_left_alone(tiny):
    """`--also` makes .venv-3.x, whose name begins like the first one's."""
    other = tiny.folder / ".vnew-3.11"
    other.mkdir()
    make(tiny.folder, **tiny.offline)
    assert other.exists() and python_in(tiny.folder).exists()


LATE = """
import os, signal
from helpers.commands import command_line, environment
from helpers.commands.environment import Environment
put_in_place = environment.put_in_place
def put_and_press(*folders):
    os.kill(os.getpid(), signal.SIGINT)
    put_in_place(*folders)
environment.put_in_place = put_and_press
raise SystemExit(command_line.main(["lab"]))
"""


def test_ctrl_c_that_comes_too_late_stops_what_follows(tiny):
    tiny.ask_for(tiny.lab, tiny.newer)
    stopped = subprocess.run(
        [PYTHON, "-c", LATE],
        cwd=tiny.folder,
        env=os.environ | tiny.online,
        capture_output=True,
        text=True,
    )
    assert stopped.returncode == 130
    assert stopped.stderr == "\nStopped. .venv works\n" and "opened" not in stopped.stdout
    assert version(tiny) == "2.0"
