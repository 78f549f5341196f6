"""`course.py doctor` says what a container or an administrator withholds from the lessons."""

import os
import subprocess
import sys

import pytest

from helpers.commands import doctor

ASK = """
from helpers.commands import doctor
for found in doctor.look_at_limits():
    print("ok" if found.right else "WRONG", found.what)
"""


def wrong():
    return [(what, cure) for right, what, cure in doctor.look_at_limits() if not right]


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such limit")
def test_few_open_files_are_told():
    command = ["sh", "-c", 'ulimit -n 256; exec "$0" -c "$1"', sys.executable, ASK]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "WRONG 256 files may be open, 2100 are asked for" in told


def test_few_processes_are_told(monkeypatch, tmp_path):
    few = tmp_path / "pids.max"
    few.write_text("150\n")
    monkeypatch.setattr(doctor, "CONTAINER", few)
    assert "150 processes are allowed, 200 are needed" in dict(wrong())
    few.write_text("max\n")
    assert not any("processes are allowed" in what for what, _ in wrong())


def test_a_container_without_shared_memory_is_told(monkeypatch):
    def refuse():
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(doctor.multiprocessing, "Lock", refuse)
    [(what, cure)] = [(what, cure) for what, cure in wrong() if "share a lock" in what]
    assert "not so" in what and "not implemented" in what and "/dev/shm" in cure
