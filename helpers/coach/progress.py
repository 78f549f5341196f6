"""What the learner has done: the exercises, their status, and the last answer to each."""

import base64
import json
import time
import zlib

from helpers.basics.records import SCHEMA, Kept

KEPT_SOURCE = 20_000  # characters of an answer that are kept
STATUSES = ["not started", "not yet", "solved"]
UNKNOWN = {"status": "not started", "failures": 0, "hints": 0}


class Progress(Kept):
    """The learner's progress: {exercise id: {"status", "failures", "hints", "answer", ...}}."""

    file, holds, what = "progress.json", "exercises", "your progress"
    instead = "; `course_map().code` gives it as a string to paste later."

    def of(self, id: str) -> dict:
        """The progress of one exercise: status "not started", "not yet" or "solved", and counts."""
        return UNKNOWN | self.all().get(id, {})

    def checked(self, id: str, status: str, answer: str | None = None) -> dict:
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

    def hinted(self, id: str, hints: int) -> dict:
        """Note that this many hints were shown."""
        return self._update(id, lambda known: known.update(hints=max(hints, known.get("hints", 0))))

    def reset(self, id: str) -> dict:
        """Forget status, failures and hints of this exercise. The last answer is kept."""

        def change(known):
            kept = {key: known[key] for key in ("answer",) if key in known}
            known.clear()
            known.update(kept)

        return self._update(id, change)

    # A string that can be pasted

    def code(self) -> str:
        """The progress as one short string for `restore`: statuses, failures and hints."""
        short = {
            id: [
                STATUSES.index(known.get("status", "not started")),
                known.get("failures", 0),
                known.get("hints", 0),
            ]
            for id, known in self.all().items()
            if known.get("status")
        }
        packed = zlib.compress(json.dumps(short, separators=(",", ":")).encode(), 9)
        return f"async{SCHEMA}-" + base64.urlsafe_b64encode(packed).decode().rstrip("=")

    def restore(self, code: str) -> int:
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
                str(id): (STATUSES[status], int(failures), int(hints))
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

        self.change(change)
        return len(rows)

    def _update(self, id, change):
        exercises = self.change(lambda exercises: change(exercises.setdefault(id, {})))
        return UNKNOWN | exercises[id]
