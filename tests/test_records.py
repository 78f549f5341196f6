"""What was noted outlasts whatever befalls one of the two files that hold it."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.basics import records
from helpers.coach.progress import Progress
from helpers.measuring.ledger import Findings

pytestmark = pytest.mark.coach

PROJECT = str(Path(__file__).parent.parent)
posix = pytest.mark.skipif(os.name == "nt", reason="kill -9 is for POSIX")


@pytest.fixture
def path(tmp_path):
    """A progress file of some exercises."""
    mine = Progress(tmp_path / "data" / "progress.json")
    mine.checked("one", "not yet", "def f(): pass", "sequential")
    mine.checked("one", "solved", "def f(): return 1")
    mine.checked("two", "not yet", kind="limit")
    mine.hinted("two", 2)
    return mine.path


@pytest.fixture
def quick(monkeypatch):
    """Nothing waits for the disk."""
    monkeypatch.setattr(records.os, "fsync", lambda handle: None)


def both(path):
    """The file and its copy."""
    return path, path.with_name("progress.copy.json")


def no_tell(text):
    raise AssertionError(text)


def deep(inner="", times=100_000):
    return "[" * times + inner + "]" * times


OVERWRITTEN = {
    "empty": "",
    "{}": "{}",
    "another course's": '{"schema": 7, "lessons": {"one": {"done": true}}}',
    "no entries": '{"schema": 1, "exercises": {}}',
    "other entries": '{"schema": 1, "exercises": {"one": {"status": "not yet"}, "x": {}}}',
    "null": '{"schema": 1, "exercises": {"one": {"status": "solved", "failures": null}}}',
    "wrong types": '{"schema": 1, "exercises": {"one": {"status": [], "mistakes": [[1, {}]]}}}',
    "deep": deep(),
    "deep in it": '{"schema": 1, "exercises": {"one": {"mistakes": ' + deep(times=500) + "}}}",
    "numbers": '{"schema": 1, "exercises": {"one": {"hints": NaN, "failures": '
    + "9" * 4000
    + "}}}",
    "zeros": "\0" * 500,
    "of no schema": '{"schema": true, "exercises": {}}',
}


@pytest.mark.parametrize("which", [0, 1], ids=["the file", "its copy"])
@pytest.mark.parametrize("content", OVERWRITTEN.values(), ids=OVERWRITTEN)
def test_an_overwritten_file_loses_nothing(path, content, which):
    before = Progress(path).all()
    both(path)[which].write_text(content)
    told = []
    after = Progress(path, told.append)
    known = after.all()
    known.pop("x", None)
    assert known == before
    assert after.checked("two", "not yet")["failures"] == 2
    assert all("nothing is lost" in text for text in told) and len(told) <= 1
    Progress(path, no_tell).all()
    first, second = both(path)
    assert first.read_bytes() == second.read_bytes(), "there are two again"


def test_a_removed_file_is_back(path):
    before = Progress(path).all()
    told = []
    for file in both(path):
        file.unlink()
        assert Progress(path, told.append).all() == before
        Progress(path, no_tell).hinted("two", 1)
    (text,) = told
    assert "was gone" in text and "progress.copy.json" in text


def test_a_huge_file_is_not_read(path):
    before = Progress(path).all()
    with open(path, "wb") as file:
        file.truncate(50 * 2**30)
    began = time.process_time()
    assert Progress(path, lambda text: None).all() == before
    assert time.process_time() - began < 1


@pytest.mark.parametrize("which", [0, 1], ids=["the file", "its copy"])
def test_damage_of_any_bytes_loses_nothing(path, which, quick):
    before = Progress(path).all()
    file = both(path)[which]
    whole = file.read_bytes()
    chance = random.Random(1)
    for start in range(len(whole)):
        end = chance.randint(start + 1, len(whole))
        rest = whole[end:]
        for damaged in (
            whole[:start] + bytes([whole[start] ^ 1 << chance.randrange(8)]) + whole[start + 1 :],
            whole[:start] + b"9" + whole[start + 1 :],
            whole[:start] + rest,
            whole[:start] + chance.randbytes(end - start) + rest,
            whole[:start],
        ):
            file.write_bytes(damaged)
            assert Progress(path, lambda text: None).all() == before, (start, end, damaged)
            assert file.read_bytes() == whole


def test_a_backup_put_back_takes_nothing_away(path):
    backup = path.read_bytes()
    mine = Progress(path)
    mine.checked("two", "not yet", kind="order")
    mine.checked("three", "solved")
    before = mine.all()
    path.write_bytes(backup)
    assert Progress(path, no_tell).all() == before


def test_what_another_machine_knows_is_joined(path, tmp_path):
    there = Progress(tmp_path / "there.json")
    there.checked("two", "solved")
    there.checked("three", "not yet", kind="leaked")
    path.write_bytes(there.path.read_bytes())
    joined = Progress(path, no_tell).all()
    assert [joined[id]["status"] for id in ("one", "two", "three")] == [
        "solved",
        "solved",
        "not yet",
    ]
    assert joined["two"]["failures"] == 1 and joined["two"]["how often"] == {"limit": 1}


def test_an_older_file_is_taken_over(tmp_path):
    older = {"schema": 1, "exercises": {"one": {"status": "not yet", "failures": 2, "answer": "x"}}}
    path = tmp_path / "progress.json"
    path.write_text(json.dumps(older, indent=1))
    mine = Progress(path, no_tell)
    assert mine.all() == older["exercises"]
    known = mine.checked("one", "not yet", kind="order")
    assert (known["failures"], known["answer"], known["how often"]) == (3, "x", {"order": 1})


def test_what_makes_sense_in_a_damaged_file_is_taken_over(tmp_path):
    path = tmp_path / "progress.json"
    path.write_text(
        '{"schema": 1, "exercises": {"one": {"status": "solved", "failures": null, "hints": []},'
        f' "two": {{"failures": 2, "mistakes": {deep(times=400)}}}, "three": {deep(times=400)}}}}}'
    )
    told = []
    mine = Progress(path, told.append)
    assert mine.all() == {"one": {"status": "solved"}, "two": {"failures": 2}}
    assert mine.checked("one", "not yet")["failures"] == 1
    assert len(told) == 1 and "what can still be read" in told[0]
    assert "null" in next(tmp_path.glob("*.damaged-*")).read_text()


def test_both_damaged_are_both_kept(path):
    for file in both(path):
        file.write_bytes(file.read_bytes().replace(b"def", b"dof"))
    told = []
    mine = Progress(path, told.append)
    assert mine.of("one")["status"] == "solved" and mine.of("two")["how often"] == {"limit": 1}
    assert len(told) == 2 and len(list(path.parent.glob("*.damaged-*"))) == 2


def test_no_lock_and_a_damaged_file_still_show_what_was_noted(path):
    before = Progress(path).all()
    path.write_text("{}")
    lock = path.with_suffix(".lock")
    lock.unlink()
    lock.mkdir()
    told = []
    mine = Progress(path, told.append)
    assert mine.all() == before and mine.checked("two", "not yet")["failures"] == 2
    assert len(told) == 1 and "can't be kept" in told[0]
    assert path.read_text() == "{}"


def test_a_file_of_a_newer_course_stays_and_the_copy_is_shown(path):
    newer = '{"schema": 9, "exercises": {}}'
    path.write_text(newer)
    told = []
    mine = Progress(path, told.append)
    assert mine.of("one")["status"] == "solved"
    mine.checked("three", "solved")
    assert path.read_text() == newer and len(told) == 1 and "newer" in told[0]


def test_a_disk_that_is_full_at_the_copy_counts_nothing_twice(path, monkeypatch):
    replace = os.replace

    def full(source, target):
        if "copy" in str(target):
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(records.os, "replace", full)
    told = []
    mine = Progress(path, told.append)
    assert mine.checked("two", "not yet")["failures"] == 2
    assert mine.of("two")["failures"] == 2 and len(told) == 1
    monkeypatch.undo()
    assert Progress(path, no_tell).of("two")["failures"] == 2


def test_what_could_not_be_kept_is_kept_with_the_next_change(path, monkeypatch):
    def refuse(source, target):
        raise OSError(5, "Access is denied")

    monkeypatch.setattr(records.os, "replace", refuse)
    told = []
    mine = Progress(path, told.append)
    mine.checked("three", "solved")
    mine.checked("four", "not yet")
    assert mine.of("three")["status"] == "solved" and mine.of("one")["status"] == "solved"
    assert len(told) == 1 and "can't be kept" in told[0]
    monkeypatch.undo()
    Progress(path, no_tell).checked("five", "solved")
    assert mine.checked("four", "not yet")["failures"] == 2
    assert len(told) == 2 and "nothing is lost" in told[1]
    kept = Progress(path, no_tell)
    solved = [id for id in ("one", "two", "three", "five") if kept.of(id)["status"] == "solved"]
    assert solved == ["one", "three", "five"] and kept.of("four")["failures"] == 2


def test_a_file_that_another_kernel_reads_is_waited_for(path, monkeypatch):
    replace, refusals = os.replace, iter([PermissionError(13, "sharing violation")] * 3)

    def refuse(source, target):
        for refusal in refusals:
            raise refusal
        replace(source, target)

    monkeypatch.setattr(records.os, "replace", refuse)
    Progress(path, no_tell).checked("two", "not yet")
    assert Progress(path, no_tell).of("two")["failures"] == 2


def test_a_damaged_ledger_loses_no_finding(tmp_path):
    mine = Findings(tmp_path / "ledger.json")
    mine.change(lambda known: known.update(one={"holds": True, "saw": "5 s", "at": 9}))
    stale = '{"schema": 1, "claims": {"one": {"holds": false, "saw": "", "at": 3}}}'
    for content in "{}", deep(), stale, '{"schema": 1, "claims": {"one": {"holds": 3}}}':
        mine.path.write_text(content)
        after = Findings(mine.path, lambda text: None)
        assert after.all() == {"one": {"holds": True, "saw": "5 s", "at": 9}}


# Killed, and several at once

WRITER = """
import pathlib, sys
sys.path.insert(0, {project!r})
from helpers.coach.progress import Progress
mine = Progress(pathlib.Path({path!r}))
{body}
"""
COUNTS = (
    "while True:\n    print(mine.checked('NAME', 'not yet', kind='order')['failures'], flush=True)"
)


def writer(path, body):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER.format(project=PROJECT, path=str(path), body=body)],
        stdout=subprocess.PIPE,
        text=True,
    )


def killed(process):
    """Kill -9; what it had acknowledged."""
    process.send_signal(signal.SIGKILL)
    said = process.communicate()[0].splitlines()
    return int(said[-1]) if said else 0


@posix
def test_what_was_acknowledged_outlasts_kills_and_the_loss_of_either_file(path):
    before = Progress(path).of("one")
    chance = random.Random(2)
    for attempt in range(5):
        kernels = {name: writer(path, COUNTS.replace("NAME", name)) for name in "ab"}
        heads = {name: int(kernel.stdout.readline()) for name, kernel in kernels.items()}
        time.sleep(chance.uniform(0, 0.1))
        counts = {name: killed(kernel) or heads[name] for name, kernel in kernels.items()}
        both(path)[attempt % 2].write_text("{}")
        after = Progress(path, lambda text: None)
        assert after.of("one") == before
        for name, count in counts.items():
            assert after.of(name)["failures"] in (count, count + 1)
            assert after.of(name)["how often"]["order"] == after.of(name)["failures"]


@posix
def test_a_kill_between_the_file_and_its_copy(path):
    stops = (
        "import os, time\nreplace = os.replace\n"
        "os.replace = lambda a, b: replace(a, b) if 'copy' not in str(b) else (\n"
        "    print('now', flush=True), time.sleep(60))\n"
        "mine.checked('two', 'not yet')"
    )
    kernel = writer(path, stops)
    assert kernel.stdout.readline() == "now\n"
    kernel.kill()
    kernel.communicate()
    after = Progress(path, no_tell)
    assert after.of("two")["failures"] == 2
    assert not list(path.parent.glob("*.tmp")) and len({f.read_bytes() for f in both(path)}) == 1


def test_a_file_overwritten_again_and_again_while_two_kernels_write(path):
    body = "for number in range(60):\n    mine.checked('NAME', 'not yet')"
    kernels = [writer(path, body.replace("NAME", name)) for name in "ab"]
    while any(kernel.poll() is None for kernel in kernels):
        path.write_text('{"schema": 1}')
        time.sleep(0.01)
    for kernel in kernels:
        assert kernel.communicate() and kernel.returncode == 0
    after = Progress(path, lambda text: None)
    assert [after.of(name)["failures"] for name in "ab"] == [60, 60]
