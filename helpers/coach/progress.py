"""What the learner has done, in one JSON file outside the course, so that an update never
touches it.

The file is written whole: a temporary file beside it, fsync, rename. Whatever kills the writer
leaves the old file or the new one. Each change is read, merged and written under a lock, so
that two kernels lose nothing of each other's. A damaged file is kept under another name; a
folder that can't be written means that progress lasts as long as the kernel.
"""

import base64
import contextlib
import copy
import json
import os
import pathlib
import tempfile
import time
import zlib

SCHEMA = 1
FOLDER = "ASYNC_COURSE_DATA"  # environment variable: a folder of its own for classrooms and tests
FILE = "progress.json"
KEPT_SOURCE = 20_000  # characters of an answer that are kept


def folder():
    """Where the progress file lives: $ASYNC_COURSE_DATA, or the user's data directory."""
    if os.environ.get(FOLDER):
        return pathlib.Path(os.environ[FOLDER])
    import platformdirs

    return pathlib.Path(platformdirs.user_data_dir("async-course", appauthor=False))


class Progress:
    """The learner's progress. `tell` is called with a sentence when there is something to be
    told.
    """

    def __init__(self, path=None, tell=print):
        self.path = pathlib.Path(path) if path else folder() / FILE
        self.tell = tell
        self.memory = None  # the exercises by id, once nothing can be written any more

    def all(self):
        """{exercise id: {"status", "failures", "hints", "answer", ...}} of all that was touched."""
        if self.memory is not None:
            return copy.deepcopy(self.memory)
        try:
            return self._read()
        except OSError as error:
            self._go_on_in_memory({}, error)
            return {}

    def of(self, id):
        """The progress of one exercise: status "not started", "not yet" or "solved", and counts."""
        return {"status": "not started", "failures": 0, "hints": 0} | self.all().get(id, {})

    def checked(self, id, status, answer=None):
        """Note the outcome of a check. What was solved once stays solved. Returns what is known
        now.
        """

        def change(known):
            known["last checked"] = round(time.time())
            if status == "solved":
                known.setdefault("solved at", known["last checked"])
                known["status"] = "solved"
            elif status == "not yet":
                known["failures"] = known.get("failures", 0) + 1
                if known.get("status") != "solved":
                    known["status"] = "not yet"
            if answer and status != "not started":
                known["answer"] = answer[:KEPT_SOURCE]

        return self._update(id, change)

    def hinted(self, id, hints):
        """Note that this many hints were shown."""
        return self._update(id, lambda known: known.update(hints=max(hints, known.get("hints", 0))))

    def reset(self, id):
        """Forget status, failures and hints of this exercise. The last answer is kept."""

        def change(known):
            kept = {key: known[key] for key in ("answer",) if key in known}
            known.clear()
            known.update(kept)

        return self._update(id, change)

    # A string that can be pasted

    def code(self):
        """The progress as one short string for `restore`: statuses, failures and hints."""
        short = {
            id: [
                ["not started", "not yet", "solved"].index(known.get("status", "not started")),
                known.get("failures", 0),
                known.get("hints", 0),
            ]
            for id, known in self.all().items()
            if known.get("status")
        }
        packed = zlib.compress(json.dumps(short, separators=(",", ":")).encode(), 9)
        return f"async{SCHEMA}-" + base64.urlsafe_b64encode(packed).decode().rstrip("=")

    def restore(self, code):
        """Take over the progress in a string made by `code`. Nothing solved here is lost.

        Returns the number of exercises in it. Raises ValueError if the string is not whole.
        """
        try:
            head, _, body = "".join(code.split()).strip("\"'").partition("-")
            if head != f"async{SCHEMA}":
                raise ValueError
            packed = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
            found = json.loads(zlib.decompress(packed))
            rows = {
                str(id): (["not started", "not yet", "solved"][status], int(failures), int(hints))
                for id, (status, failures, hints) in found.items()
            }
        except (ValueError, TypeError, AttributeError, IndexError, zlib.error):
            raise ValueError(
                "This is not a whole progress string. It begins with "
                f"async{SCHEMA}- and is copied from course_map().code."
            ) from None

        def change(exercises):
            for id, (status, failures, hints) in rows.items():
                known = exercises.setdefault(id, {})
                if known.get("status") != "solved":
                    known["status"] = status
                known["failures"] = max(failures, known.get("failures", 0))
                known["hints"] = max(hints, known.get("hints", 0))

        self._change(change)
        return len(rows)

    # The file

    def _update(self, id, change):
        exercises = self._change(lambda exercises: change(exercises.setdefault(id, {})))
        return {"status": "not started", "failures": 0, "hints": 0} | exercises[id]

    def _change(self, change):
        if self.memory is None:
            exercises = {}
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with locked(self.path.with_suffix(".lock")):
                    exercises = self._read()
                    if self.memory is None:
                        changed = copy.deepcopy(exercises)
                        change(changed)
                        self._write(changed)
                        return changed
            except OSError as error:
                with contextlib.suppress(OSError):
                    exercises = exercises or self._read()
                self._go_on_in_memory(exercises, error)
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
            exercises = content["exercises"]
            if all(isinstance(known, dict) for known in exercises.values()):
                return exercises
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
        aside = self.path.with_name(
            f"progress.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.json"
        )
        os.replace(self.path, aside)
        self.tell(f"Your progress file was damaged. It is kept as {aside}; a new one is begun.")
        return {}

    def _write(self, exercises):
        for left in self.path.parent.glob("progress.*.tmp"):
            left.unlink(missing_ok=True)  # of a writer that was killed: we hold the lock
        handle, name = tempfile.mkstemp(prefix="progress.", suffix=".tmp", dir=self.path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"schema": SCHEMA, "exercises": exercises}, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise

    def _go_on_in_memory(self, exercises, reason):
        if self.memory is None:
            self.memory = exercises
            self.tell(
                f"Your progress can't be kept in {self.path} ({reason}). It lasts as long as this "
                "kernel; `course_map().code` gives it as a string to paste later."
            )


@contextlib.contextmanager
def locked(path, patience=5.0):
    """Hold the lock file at `path`; OSError after `patience` seconds. A killed holder lets go
    by itself.
    """
    with open(path, "a+b") as file:
        deadline = time.monotonic() + patience
        while True:
            try:
                lock(file)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise OSError("another kernel holds its lock") from None
                time.sleep(0.01)
        try:
            yield
        finally:
            unlock(file)


if os.name == "nt":
    import msvcrt

    def lock(file):
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def unlock(file):
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def lock(file):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def unlock(file):
        fcntl.flock(file, fcntl.LOCK_UN)
