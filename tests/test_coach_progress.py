"""The progress file: nothing is lost by a kill, by two kernels at once, by damage or by a full
disk.
"""

import base64
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import zlib

import pytest

from helpers.basics import records as module
from helpers.coach.progress import SCHEMA, Progress

pytestmark = pytest.mark.coach

PROJECT = str(pathlib.Path(__file__).parent.parent)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "progress.json"


def test_what_is_done_is_kept(path):
    mine = Progress(path)
    assert mine.of("one") == {"status": "not started", "failures": 0, "hints": 0}
    assert mine.checked("one", "not yet", "def f(): pass")["failures"] == 1
    mine.hinted("one", 2)
    assert mine.checked("one", "solved", "def f(): return 1")["status"] == "solved"
    mine.checked("two", "not started")
    again = Progress(path).all()
    assert (again["one"]["status"], again["one"]["failures"], again["one"]["hints"]) == (
        "solved",
        1,
        2,
    )
    assert again["one"]["answer"] == "def f(): return 1"
    assert Progress(path).of("two")["status"] == "not started"
    content = json.loads(path.read_text())
    assert content["schema"] == SCHEMA


def test_solved_stays_solved_until_reset_of_this_one(path):
    mine = Progress(path)
    for id in ("one", "two"):
        mine.checked(id, "solved", "the answer")
        mine.checked(id, "not yet", "a later try")
        assert mine.of(id)["status"] == "solved"
    mine.reset("one")
    assert mine.of("one")["status"] == "not started" and mine.of("one")["failures"] == 0
    assert mine.of("one")["answer"] == "a later try", "what was written is not lost"
    assert mine.of("two")["status"] == "solved"


def test_the_place_is_the_users_or_the_classrooms(monkeypatch, tmp_path):
    monkeypatch.setenv("ASYNC_COURSE_DATA", str(tmp_path / "class"))
    assert Progress().path == tmp_path / "class" / "progress.json"
    monkeypatch.delenv("ASYNC_COURSE_DATA")
    assert "async-course" in str(Progress().path)
    assert not str(Progress().path).startswith(PROJECT)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'{"schema": 1}',
        b'{"schema": 1, "exercises": []}',
        b"\xff\xfe\x00",
        b'{"schema": 1, "exercises": {"one": 3}}',
        b'{"schema": "x", "exercises": {}}',
    ],
)
def test_a_damaged_file_is_kept_aside_and_said_so_once(path, content):
    path.parent.mkdir()
    path.write_bytes(content)
    told = []
    mine = Progress(path, told.append)
    assert mine.all() == {}
    mine.checked("one", "solved")
    assert Progress(path, told.append).of("one")["status"] == "solved"
    assert len(told) == 1 and "damaged" in told[0]
    kept = list(path.parent.glob("progress.damaged-*.json"))
    assert [file.read_bytes() for file in kept] == [content]
    assert str(kept[0]) in told[0]


def test_a_file_of_a_newer_course_is_left_alone(path):
    path.parent.mkdir()
    text = json.dumps({"schema": SCHEMA + 1, "exercises": {"one": {"status": "solved"}}})
    path.write_text(text)
    told = []
    mine = Progress(path, told.append)
    mine.checked("two", "solved")
    assert mine.of("two")["status"] == "solved"
    assert path.read_text() == text and len(told) == 1 and "newer" in told[0]


def test_no_place_to_write_is_said_once_and_it_goes_on(tmp_path):
    (tmp_path / "file").write_text("")
    told = []
    mine = Progress(tmp_path / "file" / "progress.json", told.append)  # a folder that can't be made
    mine.checked("one", "not yet")
    mine.checked("one", "not yet")
    mine.checked("two", "solved")
    assert (mine.of("one")["failures"], mine.of("two")["status"]) == (2, "solved")
    assert len(told) == 1 and "course_map().code" in told[0]
    assert Progress(tmp_path / "other" / "p.json").restore(mine.code()) == 2


def test_a_full_disk_keeps_the_old_file(path, monkeypatch):
    told = []
    mine = Progress(path, told.append)
    mine.checked("one", "solved")
    before = path.read_bytes()

    def full(*arguments, **named):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.os, "fsync", full)
    mine.checked("two", "not yet")
    assert path.read_bytes() == before
    assert set(os.listdir(path.parent)) == {"progress.json", "progress.copy.json", "progress.lock"}
    assert mine.all()["one"]["status"] == "solved" and mine.of("two")["failures"] == 1
    assert len(told) == 1 and "No space left" in told[0]


def test_what_cannot_be_written_can_still_be_read(path):
    Progress(path).checked("one", "solved")
    lock = path.with_suffix(".lock")
    lock.unlink()
    lock.mkdir()  # not to be opened for writing, by nobody
    told = []
    mine = Progress(path, told.append)
    mine.checked("two", "not yet")
    assert (
        mine.of("one")["status"] == "solved" and mine.of("two")["failures"] == 1 and len(told) == 1
    )
    assert "two" not in path.read_text()


WRITER = """
import sys, pathlib
sys.path.insert(0, {project!r})
from helpers.coach.progress import Progress
mine = Progress(pathlib.Path({path!r}))
print("ready", flush=True)
{body}
"""


def writer(path, body):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER.format(project=PROJECT, path=str(path), body=body)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_two_kernels_lose_nothing_of_each_others(path):
    body = (
        "for number in range(40):\n"
        "    mine.checked('NAME' + str(number), 'solved')\n"
        "    mine.checked('both', 'not yet')"
    )
    kernels = [writer(path, body.replace("NAME", name)) for name in "ab"]
    for kernel in kernels:
        assert kernel.wait(60) == 0
        kernel.stdout.close()
    known = Progress(path).all()
    assert len(known) == 81 and known["both"]["failures"] == 80


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is for POSIX")
def test_kill_in_mid_write_leaves_a_whole_file(path):
    Progress(path).checked("first", "solved")
    for attempt in range(6):
        kernel = writer(path, "while True:\n    mine.checked('one', 'not yet', 'x' * 20000)")
        kernel.stdout.readline()
        time.sleep(0.05 + 0.013 * attempt)
        kernel.send_signal(signal.SIGKILL)
        kernel.wait()
        kernel.stdout.close()
        told = []
        after = Progress(path, told.append)
        assert after.of("first")["status"] == "solved" and not told
        after.checked("next", "not yet")  # the lock of the dead is free
    assert after.of("next")["failures"] == 6 and after.of("one")["failures"] > 0
    assert not list(path.parent.glob("*.tmp")), "what the killed left is swept away"


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is for POSIX")
def test_kill_between_write_and_rename(path):
    Progress(path).checked("first", "solved")
    kernel = writer(
        path,
        "import os, time\nos.replace = lambda *a: (print('now', flush=True), time.sleep(60))\n"
        "mine.checked('first', 'not yet')",
    )
    assert [kernel.stdout.readline() for _ in range(2)] == ["ready\n", "now\n"]
    assert list(path.parent.glob("*.tmp"))
    kernel.kill()
    kernel.wait()
    kernel.stdout.close()
    after = Progress(path)
    assert after.of("first")["failures"] == 0 and after.of("first")["status"] == "solved"
    after.checked("second", "solved")
    assert not list(path.parent.glob("*.tmp"))


def test_a_lock_that_stays_taken_is_not_waited_for_for_ever(path):
    Progress(path).checked("first", "solved")
    told = []
    with module.locked(path.with_suffix(".lock")):
        with pytest.raises(OSError, match="another kernel"):
            with module.locked(path.with_suffix(".lock"), patience=0.05):
                pass
    Progress(path, told.append).checked("second", "solved")
    assert not told


def test_progress_goes_into_a_string_and_out_again(path, tmp_path):
    mine = Progress(path)
    ids = [f"topic-{number}" for number in range(96)]
    for number, id in enumerate(ids):
        if number % 3:
            mine.checked(id, "not yet")
        if number % 2:
            mine.checked(id, "solved")
    code = mine.code()
    assert code.isascii() and " " not in code and "\n" not in code
    assert len(code) < 700, f"{len(code)} characters for a whole course"
    there = Progress(tmp_path / "there.json")
    there.checked("topic-0", "solved")
    there.checked("topic-2", "not yet")
    there.checked("topic-2", "not yet")
    assert there.restore(f"  {code[:30]}\n {code[30:]} ") == len(mine.all())
    for id in ids:
        here = mine.of(id)["status"]
        assert there.of(id)["status"] == ("solved" if id == "topic-0" else here)
    assert there.of("topic-2")["failures"] == 2


@pytest.mark.parametrize(
    "spoil",
    [
        lambda code: code[:-3],
        lambda code: code[7:],
        lambda code: "",
        lambda code: code.replace(f"{SCHEMA}-", "9-", 1),
        lambda code: None,
        lambda code: code[:20] + ("A" if code[20] != "A" else "B") + code[21:],
    ],
)
def test_a_string_that_is_not_whole_changes_nothing(path, spoil):
    mine = Progress(path)
    mine.checked("one", "solved")
    mine.checked("two", "not yet")
    before = path.read_bytes()
    with pytest.raises(ValueError, match="not a whole progress string"):
        mine.restore(spoil(mine.code()))
    assert path.read_bytes() == before


def test_mistakes_are_kept_with_their_times(path):
    clock = iter(range(1_700_000_000, 1_800_000_000, 60))
    mine = Progress(path, clock=lambda: next(clock))
    mine.checked("one", "not yet", "def f(): secret()", "sequential")
    mine.checked("one", "not yet", kind="sequential")
    mine.checked("one", "not yet", kind="limit")
    mine.checked("one", "solved")
    known = Progress(path).of("one")
    assert known["mistakes"] == [
        [1_700_000_000, "sequential"],
        [1_700_000_060, "sequential"],
        [1_700_000_120, "limit"],
    ]
    assert known["how often"] == {"sequential": 2, "limit": 1}
    mine.reset("one")
    assert len(mine.of("one")["mistakes"]) == 3, "they were made"


def test_mistakes_stay_few_and_are_counted_all_the_same(path):
    mine = Progress(path)
    for number in range(70):
        mine.checked("one", "not yet", kind="sequential")
        mine.checked("one", "not yet", kind=f"{number} " + "long " * 1000)
    known = mine.of("one")
    assert len(known["mistakes"]) == 20 and len(known["how often"]) == 50
    assert known["how often"]["sequential"] == 70
    assert path.stat().st_size < 10_000


def test_the_string_carries_the_mistakes(path, tmp_path):
    mine = Progress(path)
    for kind in "sequential", "limit", "sequential":
        mine.checked("one", "not yet", kind=kind)
    mine.checked("two", "not yet", kind="leaked")
    mine.reset("two")
    there = Progress(tmp_path / "there.json")
    there.checked("one", "not yet", kind="order")
    for _ in "twice", "the same":
        assert there.restore(mine.code()) == 2
        known = there.of("one")
        assert known["how often"] == {"order": 1, "sequential": 2, "limit": 1}
        assert sorted(kind for _, kind in known["mistakes"]) == ["limit", "order", "sequential"]
    assert there.of("two")["how often"] == {"leaked": 1}
    before = mine.of("one")
    mine.restore(mine.code())
    assert mine.of("one") == before


def test_a_string_of_a_course_that_kept_no_mistakes_is_read(path):
    assert Progress(path).restore(string({"one": [2, 3, 1], "two": [1, 1, 0]})) == 2
    assert Progress(path).of("one") == {"status": "solved", "failures": 3, "hints": 1}


def string(rows, schema=1):
    packed = zlib.compress(rows if isinstance(rows, bytes) else json.dumps(rows).encode())
    return f"async{schema}-" + base64.urlsafe_b64encode(packed).decode()


@pytest.mark.parametrize(
    "rows",
    [
        [],
        {"one": None},
        {"one": [-1, 0, 0]},
        {"one": [True, 0, 0]},
        {"one": [1, None, 0]},
        {"one": [1, -5, 0]},
        {"one": [1, 1e999, 0]},
        {"one": [1, 0, 0, [3]]},
        {"one": [1, 0, 0, {"limit": [1]}]},
        {"one": [1, 0, 0, {"limit": ["1", "now"]}]},
        {"one": [1, 0, 0, {"x" * 100: [1, 1]}]},
        {"05-a": ["A"]},
        {"05-a": ["A", "B", None, 1]},
        {"05-a": ["A" * 10_000, "B", True, 1]},
        b"[" * 100_000,
        b" " * 100_000_000 + b"{}",
    ],
    ids=lambda rows: str(rows[:9] if isinstance(rows, bytes) else rows)[:40],
)
def test_a_string_of_something_else_changes_nothing(path, rows):
    mine = Progress(path)
    mine.checked("two", "not yet")
    before = path.read_bytes()
    with pytest.raises(ValueError, match="not a whole progress string"):
        mine.restore(string(rows, SCHEMA))
    assert path.read_bytes() == before
