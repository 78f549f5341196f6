"""Records of what a learner did, in JSON files outside the course, so that an update never
touches them.

What was noted is on the disk twice: in the file and in a copy beside it, each whole and sealed
with a digest of its own bytes. Why that suffices:

- Each is written to a temporary file and renamed, the copy after the file. Whatever kills the
  writer, or fills the disk, leaves two whole ones, the file at most one change ahead.
- Whatever befalls one of them, the other holds all that was noted. Damaged bytes break the seal.
  Something else in its place, even a whole file of another day or machine, or of an older course,
  which set no seal, is joined with the other one: what either knows is known.
- Each change is read, made and written under a lock, so that two kernels lose nothing of each
  other's.

Only where both are damaged can something be lost: what still makes sense in them is taken over.
A damaged file is kept under another name. Where nothing can be written, what is noted lasts as
long as the kernel, and each change tries again: it may have been another program that held the file
for a moment, as a virus scanner does on Windows.
"""

import contextlib
import copy
import hashlib
import json
import os
import pathlib
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

FOLDER = "ASYNC_COURSE_DATA"  # environment variable: a folder of its own for classrooms and tests
LARGEST = 64 * 2**20  # bytes: what is larger, the course did not write
PATIENCE = 5.0  # seconds that a change waits for another kernel's,
HASTE = 0.2  # and once it could not be kept
SEAL = b',\n"digest": "'  # the same in every schema: else the next one's files would be damaged


def folder() -> pathlib.Path:
    """Where the files live: $ASYNC_COURSE_DATA, or the user's data directory."""
    if os.environ.get(FOLDER):
        return pathlib.Path(os.environ[FOLDER])
    import platformdirs

    return pathlib.Path(platformdirs.user_data_dir("async-course", appauthor=False))


class Found(NamedTuple):
    """What a file holds. state: "missing", "whole", "damaged", or "barred" from being read or
    replaced, as `error` says. known: its dicts by id, as far as they make sense.
    """

    path: pathlib.Path
    state: str
    known: dict[str, dict]
    error: OSError | None = None


class Kept:
    """Dicts by id, in a file and its copy. A kind of record names the file and what it holds.

    file: its name, with .json.  holds: the key in it under which the dicts stand.
    what: the words for it in a sentence.  instead: a sentence on what to do where it can't be kept.
    fields: by the keys that a dict may have, a test for the value. It decides what is taken from a
    file that bears no seal.
    schema: goes up when an older course would lose what the file holds now, or take it for
    something else. A newer file is left alone, an older one is taken over.
    """

    file = holds = what = instead = ""
    schema = 1
    fields: dict[str, Callable[[object], bool]] = {}

    def __init__(
        self, path: str | pathlib.Path | None = None, tell: Callable[[str], object] = print
    ):
        """path: the file, in `folder()` unless told. tell: called with a sentence when there is
        something to be told.
        """
        self.path = pathlib.Path(path) if path else folder() / self.file
        self.copy = self.path.with_suffix(".copy.json")
        self.tell = tell
        self.memory = None  # the dicts by id, while they can't be written

    def merged(self, one: dict, other: dict) -> dict:
        """What two dicts tell together that were noted of the same id in different places."""
        raise NotImplementedError

    def all(self) -> dict[str, dict]:
        """{id: dict} of all that was noted."""
        if self.memory is not None:
            return copy.deepcopy(self.memory)
        file, beside = self._found()
        alike = file.known is beside.known or beside.state == "missing"
        if alike and file.state in ("missing", "whole"):
            return file.known
        return self.change(lambda known: None)  # which mends the two, under the lock

    def change(self, change: Callable[[dict[str, dict]], object]) -> dict[str, dict]:
        """Have `change` alter the dict of all dicts; return it as it is then."""
        known, unkept = None, self.memory
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with locked(self.path.with_suffix(".lock"), PATIENCE if unkept is None else HASTE):
                found = self._found()
                known = self._both(self._joined(found), unkept or {})
                change(known)
                self._make_room(found)
                self._write(known)
        except OSError as error:
            if known is None:  # what can't be locked can still be read
                known = self._joined(self._found()) if unkept is None else unkept
                change(known)
            self.memory = copy.deepcopy(known)
            if unkept is None:
                self.tell(
                    f"{self.what[0].upper()}{self.what[1:]} can't be kept in {self.path} "
                    f"({error}). It lasts as long as this kernel{self.instead}"
                )
        else:
            self.memory = None
            if unkept is not None:
                self.tell(f"What could not be kept is in {self.path} now: nothing is lost.")
        return known

    # Reading

    def _found(self):
        """What the file and the copy hold: the very same dict if they are alike."""
        first, second = _content(self.path), _content(self.copy)
        file = self._understood(self.path, first)
        if first == second:
            return file, file._replace(path=self.copy)
        return file, self._understood(self.copy, second)

    def _understood(self, path, content):
        if content is None:
            return Found(path, "missing", {})
        if isinstance(content, OSError):
            return Found(path, "barred", {}, content)
        told = None
        with contextlib.suppress(ValueError, RecursionError):
            told = json.loads(content)
        if not isinstance(told, dict) or not isinstance(told.get(self.holds), dict):
            return Found(path, "damaged", {})
        entries, schema = told[self.holds], told.get("schema")
        sealed = content == _sealed(content.rpartition(SEAL)[0])
        # An older course set no seal, and a newer one may have its reasons.
        sound = type(schema) is int and (sealed or "digest" not in told)
        if sound and schema > self.schema:
            newer = OSError("a newer version of the course wrote it")
            return Found(path, "barred", {}, newer)
        if sound and sealed:
            return Found(path, "whole", entries)
        sensible = self._sensible(entries)
        return Found(path, "whole" if sound and sensible == entries else "damaged", sensible)

    def _sensible(self, entries):
        """The dicts without the values that fail their tests."""
        sensible = {}
        for id, entry in entries.items():
            if isinstance(entry, dict):
                fields = [
                    key for key in entry if key in self.fields and self.fields[key](entry[key])
                ]
                if fields or not entry:
                    sensible[id] = {key: entry[key] for key in fields}
        return sensible

    def _joined(self, found):
        """What the file and the copy know together: what is damaged counts only if both are."""
        if found[0].known is found[1].known:
            return found[0].known
        whole = [one for one in found if one.state == "whole"]
        joined = {}
        for one in reversed(whole or found):
            joined = self._both(joined, one.known)
        return joined

    def _both(self, known, more):
        """The dicts of both, by id; `more` may be the later ones."""
        both = dict(known)
        for id, entry in more.items():
            both[id] = self.merged(both[id], entry) if id in both else entry
        return both

    # Writing

    def _make_room(self, found):
        """Move damaged files out of the way, and say so. OSError if one must stay as it is."""
        for one in found:
            if one.error:
                raise one.error
        file, copy = found
        if file.state == "missing" and copy.state == "whole":
            self.tell(
                f"{self.path} was gone. All that it held is back from its copy, {copy.path.name}: "
                "to begin anew, remove both."
            )
        for one, other in (file, copy), (copy, file):
            if one.state == "damaged":
                now = time.strftime("%Y%m%d-%H%M%S")
                aside = one.path.with_name(f"{one.path.stem}.damaged-{now}-{os.getpid()}.json")
                os.replace(one.path, aside)
                rest = (
                    "nothing is lost, for there is a copy of it."
                    if other.state == "whole"
                    else "what can still be read of it is taken over."
                    if one.known
                    else "a new one is begun."
                )
                self.tell(f"The file of {self.what} was damaged. It is kept as {aside}; {rest}")

    def _write(self, known):
        for left in self.path.parent.glob(f"{self.path.stem}.*.tmp"):
            left.unlink(missing_ok=True)  # of a writer that was killed: we hold the lock
        # A line an entry, and by `dumps`: `json.dump` with an indent takes several times as long.
        lines = (f"{json.dumps(id)}: {json.dumps(entry)}" for id, entry in known.items())
        head = f'{{"schema": {self.schema},\n"{self.holds}": {{\n' + ",\n".join(lines) + "}"
        content = _sealed(head.encode())
        _replace(self.path, content)
        _replace(self.copy, content, surely=False)  # it is the file that must outlast a power cut


def _content(path):
    """The bytes of a file, none of them if it is too large; None if there is no file; or the
    OSError that reading it raised.
    """
    try:
        with open(path, "rb") as file:
            return file.read() if os.fstat(file.fileno()).st_size <= LARGEST else b""
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return error


def _sealed(head):
    return head + SEAL + hashlib.sha256(head).hexdigest().encode() + b'"}\n'


def _replace(path, content, surely=True):
    """Put a file with this content in the place of `path`, at one stroke. surely: on the disk
    before it takes that place.
    """
    handle, name = tempfile.mkstemp(prefix=f"{path.stem}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            if surely:
                file.flush()
                os.fsync(file.fileno())
        _rename(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _rename(name, path, patience=1.0):
    deadline = time.monotonic() + patience
    while True:
        try:
            return os.replace(name, path)
        except PermissionError:  # on Windows as long as another kernel reads it
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


@contextlib.contextmanager
def locked(path: str | pathlib.Path, patience: float = PATIENCE) -> Iterator[None]:
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
