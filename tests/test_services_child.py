"""A child ends with its parent, however that ends, and its folder goes with it."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from helpers.basics.project import PROJECT
from helpers.services import child
from helpers.services.child import PYTHON, Child, new_folder

PATIENCE = 15  # seconds; a busy machine may need some
posix_only = pytest.mark.skipif(os.name != "posix", reason="kill -9 and fork are POSIX")

ECHO = """
from helpers.services.child import Parent
parent = Parent()
parent.end_with_it(parent.say)
parent.say({"ready": parent.told, "in": parent.folder})
import threading
threading.Event().wait()
"""
# It makes its folder, and then takes a minute to be ready.
SLOW = """
import time
from helpers.services.child import Parent
Parent().end_with_it()
time.sleep(60)
"""
HOLDER = """
import os, sys, time
from helpers.services.child import PYTHON, Child, new_folder
one = Child("one", [*PYTHON, "-c", sys.argv[1]], folder=new_folder(), own_session=True)
print(one.pid, one.folder, flush=True)
{then}
one.begin({{}}, 60)
"""


def python(program):
    return [*PYTHON, "-c", textwrap.dedent(program)]


def wait_until(condition, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def is_gone(pid):
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_it_is_told_who_it_is_answers_and_is_gone_with_its_folder():
    one = Child("one", python(ECHO), folder=new_folder())
    assert one.begin({"number": 7}, 20) == {"ready": {"number": 7}, "in": one.folder}
    assert os.path.isdir(one.folder)
    if os.name == "posix":
        assert os.stat(one.folder).st_mode & 0o777 == 0o700
    assert [one.ask(question) for question in (None, "a\n", [1] * 30_000)] == [
        None,
        "a\n",
        [1] * 30_000,
    ]
    for _ in range(2):
        one.end()
    assert is_gone(one.pid) and not os.path.exists(one.folder)
    with pytest.raises(EOFError, match="one has ended"):
        one.ask()


def test_one_that_dies_at_its_start_has_its_last_words_and_leaves_no_folder():
    program = "from helpers.services.child import Parent\nParent()\nraise SystemExit('no luck')"
    one = Child("one", python(program), folder=new_folder())
    with pytest.raises(
        RuntimeError, match=r"one did not start \(exit status 1\). It said:\nno luc"
    ):
        one.begin({}, 20)
    one.end()
    assert one.last_words() == "no luck" and not os.path.exists(one.folder)


def test_one_that_is_silent_is_killed_and_so_is_what_it_started():
    program = """
        import subprocess, sys, time
        from helpers.services.child import Parent
        Parent()
        own = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        print(own.pid, file=sys.stderr, flush=True)
        time.sleep(60)
    """
    one = Child("one", python(program), folder=new_folder(), own_session=True)
    with pytest.raises(RuntimeError, match="one did not start") as told:
        one.begin({}, 2)
    one.end()
    assert not os.path.exists(one.folder)
    if os.name == "posix":
        assert wait_until(lambda: is_gone(int(str(told.value).split()[-1])))


def test_one_that_is_silent_is_told_so_and_a_first_start_may_take_longer():
    ready = "from helpers.services.child import Parent\nparent = Parent()\nparent.say(1)"
    for program, waited in ("", 0.6), (ready, 0), ("", 0.3):
        one = Child("a slow one", python(program or "import time; time.sleep(60)"))
        if program:
            assert one.begin({}, 20) == 1
        else:
            began = time.monotonic()
            with pytest.raises(RuntimeError, match=f"silent for {waited} s.* try again"):
                one.begin({}, 0.3)
            assert time.monotonic() - began >= waited
        one.end()


def test_one_that_ends_by_itself_gives_its_status_and_another_is_killed():
    program = "from helpers.services.child import Parent\nparent = Parent()\nparent.say(1)\n{}"
    waits = Child("waits", python(program.format("for _ in parent.questions(): pass")))
    ends = Child("ends", python(program.format("raise SystemExit(3)")))
    for one in waits, ends:
        assert one.begin({}, 20) == 1
    assert ends.end(patience=10) == 3 and waits.wait(0) is None
    waits.hang_up()
    assert waits.end(patience=10) == 0
    assert Child("never told", python(ECHO)).end() is None


def holder(then=""):
    """A parent whose child never gets ready; then (parent, child's pid, child's folder)."""
    parent = subprocess.Popen(
        [sys.executable, "-c", HOLDER.format(then=textwrap.dedent(then)), SLOW],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
    )
    pid, folder = parent.stdout.readline().split()
    return parent, int(pid), Path(folder)


@posix_only
def test_a_parent_killed_during_the_start_leaves_nothing():
    parent, pid, folder = holder()
    with parent.stdout:
        assert wait_until(folder.exists)
        parent.kill()
        parent.wait()
    assert wait_until(lambda: is_gone(pid)) and not folder.exists()


@posix_only
def test_a_parent_killed_before_it_said_a_word_leaves_nothing():
    parent, pid, folder = holder(then="time.sleep(60)")
    with parent.stdout:
        parent.kill()
        parent.wait()
    assert wait_until(lambda: is_gone(pid)) and not folder.exists()


@posix_only
def test_a_fork_of_a_killed_parent_keeps_nothing_alive():
    parent, pid, folder = holder(
        then="""
        import threading
        def fork():
            while not os.path.exists(one.folder):
                time.sleep(0.01)
            if not os.fork():
                time.sleep(60)
            print(flush=True)
        threading.Thread(target=fork).start()
        """
    )
    with parent.stdout:
        forked = psutil.Process(parent.pid)
        parent.stdout.readline()
        [forked] = [one for one in forked.children() if one.pid != pid]
        parent.kill()
        parent.wait()
    try:
        assert wait_until(lambda: is_gone(pid)) and not folder.exists()
        assert forked.is_running()
    finally:
        forked.kill()


@posix_only
def test_a_fork_of_the_parent_that_ends_takes_nothing_along():
    script = """
        import os, sys
        from helpers.services.child import PYTHON, Child, new_folder
        one = Child("one", [*PYTHON, "-c", sys.argv[1]], folder=new_folder())
        one.begin({}, 20)
        if not (forked := os.fork()):
            sys.exit()  # runs the exit handlers it inherited
        os.waitpid(forked, 0)
        print(one.ask("there?"), os.path.exists(one.folder))
    """
    parent = [*python(script), ECHO]
    search = {"PYTHONPATH": str(PROJECT)}
    ran = subprocess.run(parent, capture_output=True, text=True, env=os.environ | search)
    assert ran.stdout == "there? True\n", ran.stderr


@posix_only
def test_the_stop_button_leaves_it_running():
    one = Child("one", python(ECHO))
    one.begin({}, 20)
    one.popen.send_signal(signal.SIGINT)
    time.sleep(0.2)
    assert one.ask(1) == 1
    one.end()


def test_a_folder_is_gone_even_if_somebody_still_writes_to_it(tmp_path, monkeypatch):
    folder = tmp_path / "busy"
    removals = []

    def rmtree(path, ignore_errors):
        removals.append(path)
        if len(removals) == 3:
            os.rmdir(path)

    folder.mkdir()
    monkeypatch.setattr(child.shutil, "rmtree", rmtree)
    child.remove(str(folder))
    assert len(removals) == 3 and not folder.exists()
