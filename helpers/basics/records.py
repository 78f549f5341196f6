"""Records of what a learner did, in JSON files outside the course, so that an update never
touches them.

A file is written whole: a temporary file beside it, fsync, rename. Whatever kills the writer
leaves the old file or the new one. Each change is read, merged and written under a lock, so
that two kernels lose nothing of each other's. A damaged file is kept under another name; a
folder that can't be written means that what is noted lasts as long as the kernel.
"""

import contextlib
import copy
import json
import os
import pathlib
import tempfile
import time
from collections.abc import Callable, Iterator

SCHEMA = 1
FOLDER = "ASYNC_COURSE_DATA"  # environment variable: a folder of its own for classrooms and tests


def folder() -> pathlib.Path:
    """Where the files live: $ASYNC_COURSE_DATA, or the user's data directory."""
    if os.environ.get(FOLDER):
        return pathlib.Path(os.environ[FOLDER])
    import platformdirs

    return pathlib.Path(platformdirs.user_data_dir("async-course", appauthor=False))


class Kept:
    """Dicts by id, in one file. A kind of record names the file and what it holds.

    file: its name, with .json.  holds: the key in it under which the dicts stand.
    what: the words for it in a sentence.  instead: a sentence on what to do where it can't be kept.
    """

    file = holds = what = instead = ""

    def __init__(
        self, path: str | pathlib.Path | None = None, tell: Callable[[str], object] = print
    ):
        """path: the file, in `folder()` unless told. tell: called with a sentence when there is
        something to be told.
        """
        self.path = pathlib.Path(path) if path else folder() / self.file
        self.tell = tell
        self.memory = None  # the dicts by id, once nothing can be written any more

    def all(self) -> dict[str, dict]:
        """{id: dict} of all that was noted."""
        if self.memory is not None:
            return copy.deepcopy(self.memory)
        try:
            return self._read()
        except OSError as error:
            self._go_on_in_memory({}, error)
            return {}

    def change(self, change: Callable[[dict[str, dict]], object]) -> dict[str, dict]:
        """Have `change` alter the dict of all dicts; return it as it is then."""
        if self.memory is None:
            known = {}
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with locked(self.path.with_suffix(".lock")):
                    known = self._read()
                    if self.memory is None:
                        changed = copy.deepcopy(known)
                        change(changed)
                        self._write(changed)
                        return changed
            except OSError as error:
                with contextlib.suppress(OSError):
                    known = known or self._read()
                self._go_on_in_memory(known, error)
        change(self.memory)
        return copy.deepcopy(self.memory)

    def _read(self):
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        try:
            content = json.loads(text)
            if content["schema"] > SCHEMA:
                self._go_on_in_memory({}, "a newer version of the course wrote it")
                return {}
            known = content[self.holds]
            if all(isinstance(entry, dict) for entry in known.values()):
                return known
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
        aside = self.path.with_name(
            f"{self.path.stem}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.json"
        )
        os.replace(self.path, aside)
        self.tell(
            f"The file of {self.what} was damaged. It is kept as {aside}; a new one is begun."
        )
        return {}

    def _write(self, known):
        for left in self.path.parent.glob(f"{self.path.stem}.*.tmp"):
            left.unlink(missing_ok=True)  # of a writer that was killed: we hold the lock
        handle, name = tempfile.mkstemp(
            prefix=f"{self.path.stem}.", suffix=".tmp", dir=self.path.parent
        )
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"schema": SCHEMA, self.holds: known}, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise

    def _go_on_in_memory(self, known, reason):
        if self.memory is None:
            self.memory = known
            self.tell(
                f"{self.what[0].upper()}{self.what[1:]} can't be kept in {self.path} ({reason}). "
                f"It lasts as long as this kernel{self.instead}"
            )


@contextlib.contextmanager
def locked(path: str | pathlib.Path, patience: float = 5.0) -> Iterator[None]:
    """Hold the lock file at `path`; OSError after `patience` seconds. A killed holder lets go
    by itself.
    """
    with open(path, "a+b") as file:
        deadline = time.monotonic() + patience
        while True:
            try:
                _lock(file)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise OSError("another kernel holds its lock") from None
                time.sleep(0.01)
        try:
            yield
        finally:
            _unlock(file)


if os.name == "nt":
    import msvcrt

    def _lock(file):
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _unlock(file):
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _lock(file):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(file):
        fcntl.flock(file, fcntl.LOCK_UN)
