"""Files that are there whole or not at all, and one that a single process may hold."""

import contextlib
import errno
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from .ground import ON_WINDOWS

if ON_WINDOWS:
    import msvcrt
else:
    import fcntl


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all; leave one that is right alone."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            if file.read() == text:
                return
    except (FileNotFoundError, UnicodeDecodeError):
        pass
    new = path.with_name(path.name + ".new")
    with open(new, "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def digest(path: Path) -> str:
    """Return the sha256 of a file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@contextlib.contextmanager
def alone(path: Path) -> Iterator[TextIO]:
    """Hold the lock file at `path`; wait, and say so, while another course.py holds it.

    The system lets go of it when the last process that has it open ends, however it ends.
    """
    with open(path, "a") as file:
        said = False
        while not _try_lock(file):
            if not said:
                print("Waiting for another course.py that is installing ...", flush=True)
                said = True
            time.sleep(0.2)
        yield file


def _try_lock(file: TextIO) -> bool:
    try:
        if ON_WINDOWS:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            return False
        raise
    return True
