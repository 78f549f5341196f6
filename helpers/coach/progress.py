"""What the learner has done: the exercises, their status, the mistakes made on the way, and the
last answer to each; and the guesses, with what came out.
"""

import base64
import itertools
import json
import time
import zlib
from typing import NamedTuple

from helpers.basics.records import Kept

SCHEMA = 2  # 1 knew no guesses
KEPT_SOURCE = 20_000  # characters of an answer that are kept
KEPT_MISTAKES = 20  # of an exercise, the last ones
KEPT_KINDS = 50  # of an exercise, counted
LONGEST_KIND = 80  # characters
LONGEST_SAID = 500  # characters of what was said, and of what came out, that are kept
CARRIED_SAID = 60  # and that go into the string
LONGEST_STRING = 2**20  # bytes of what is pasted, once unpacked
STATUSES = ["not started", "not yet", "solved"]
UNKNOWN = {"status": "not started", "failures": 0, "hints": 0}
HEADS = [f"async{number}" for number in range(1, SCHEMA + 1)]  # of strings that can be restored


def is_count(value: object) -> bool:
    """Whether this is a number of things, or of seconds since 1970."""
    return type(value) is int and 0 <= value < 2**53


def is_kind(value: object) -> bool:
    """Whether this may be the name of a mistake."""
    return isinstance(value, str) and 0 < len(value) <= LONGEST_KIND


def is_mistakes(value: object) -> bool:
    """Whether these are mistakes with their times: [[seconds since 1970, kind], ...]."""
    return isinstance(value, list) and all(
        isinstance(one, list) and len(one) == 2 and is_count(one[0]) and is_kind(one[1])
        for one in value
    )


def is_how_often(value: object) -> bool:
    """Whether these are counts of mistakes: {kind: count}."""
    return isinstance(value, dict) and all(
        is_kind(kind) and is_count(count) for kind, count in value.items()
    )


class Guessed(NamedTuple):
    """What was said in answer to a question, and what came out.

    truth, right: None until the two were compared.  at: when, in seconds since 1970.
    """

    said: str = ""
    truth: str | None = None
    right: bool | None = None
    at: int = 0

    @property
    def made(self) -> bool:
        """Whether something was said and then compared."""
        return self.right is not None


def is_guess(value: object) -> bool:
    """Whether this is a guess: [said, truth, right, at], with None for what isn't known yet."""
    if not isinstance(value, list) or len(value) != 4:
        return False
    said, truth, right, at = value
    if not isinstance(said, str) or len(said) > LONGEST_SAID or not is_count(at):
        return False
    if right is None:
        return truth is None
    return type(right) is bool and isinstance(truth, str) and len(truth) <= LONGEST_SAID


class Progress(Kept):
    """The learner's progress by the ids of exercises and guesses ("gather-1", "05-log").

    Of each exercise, as far as there is something to tell:

    status, failures, hints: one of STATUSES, and counts.
    answer: the text that was checked last.  last checked, solved at: seconds since 1970.
    mistakes: the last ones made, [[seconds since 1970, kind], ...], the latest last. Kinds are
    those of the catalogue of mistakes.  how often: {kind: count} of all that were ever made.

    Of each guess one thing, guess: a `Guessed` as a list.
    """

    file, holds, what = "progress.json", "exercises", "your progress"
    instead = "; `course_map().code` gives it as a string to paste later."
    schema = SCHEMA
    fields = {
        "status": lambda value: value in STATUSES,
        "failures": is_count,
        "hints": is_count,
        "answer": lambda value: isinstance(value, str),
        "last checked": is_count,
        "solved at": is_count,
        "mistakes": is_mistakes,
        "how often": is_how_often,
        "guess": is_guess,
    }

    def of(self, id: str) -> dict:
        """The progress of one exercise: status "not started", "not yet" or "solved", counts, and
        what else is known.
        """
        return UNKNOWN | self.all().get(id, {})

    def checked(self, id: str, status: str, answer: str | None = None, kind: str = "") -> dict:
        """Note the outcome of a check. What was solved once stays solved. Returns what is known
        now.

        kind: the mistake's, if one was found.
        """

        def change(known):
            now = known["last checked"] = round(time.time())
            if status == "solved":
                known.setdefault("solved at", now)
                known["status"] = "solved"
            elif status == "not yet":
                known["failures"] = known.get("failures", 0) + 1
                if known.get("status") != "solved":
                    known["status"] = "not yet"
                if kind:
                    name, often = kind[:LONGEST_KIND], known.get("how often", {})
                    often[name] = often.get(name, 0) + 1
                    _keep_mistakes(known, [*known.get("mistakes", []), [now, name]], often)
            if answer and status != "not started":
                known["answer"] = answer[:KEPT_SOURCE]

        return self._update(id, change)

    def hinted(self, id: str, hints: int) -> dict:
        """Note that this many hints were shown."""
        return self._update(id, lambda known: known.update(hints=max(hints, known.get("hints", 0))))

    def reset(self, id: str) -> dict:
        """Forget status, failures and hints of this exercise. The last answer is kept, and so are
        the mistakes: they were made.
        """

        def change(known):
            keep = "answer", "mistakes", "how often"
            kept = {key: known[key] for key in keep if key in known}
            known.clear()
            known.update(kept)

        return self._update(id, change)

    def guess_of(self, id: str) -> Guessed:
        """What was said last in answer to this question, and what came out."""
        return guess_in(self.all(), id)

    def said(self, id: str, said: str) -> None:
        """Note what was said in answer to this question. What came out is open until `compared`."""
        self._guess(id, Guessed(said[:LONGEST_SAID]))

    def compared(self, id: str, said: str, truth: str, right: bool) -> None:
        """Note what was said in answer to this question, what came out, and whether they agree."""
        self._guess(id, Guessed(said[:LONGEST_SAID], truth[:LONGEST_SAID], right))

    def _guess(self, id, guess):
        if self.guess_of(id)[:3] != guess[:3]:  # a cell that runs again tells nothing new
            kept = {"guess": list(guess._replace(at=round(time.time())))}
            self._update(id, lambda known: known.update(kept))

    def merged(self, one: dict, other: dict) -> dict:
        """The further status, the higher counts, the later answer, the later guess, the mistakes
        of both.
        """
        earlier, later = sorted((one, other), key=lambda known: known.get("last checked", 0))
        both = earlier | later
        for key in "failures", "hints":
            if key in both:
                both[key] = max(one.get(key, 0), other.get(key, 0))
        if "status" in both:
            both["status"] = max(
                (known["status"] for known in (one, other) if "status" in known),
                key=STATUSES.index,
            )
        if "solved at" in both:
            both["solved at"] = min(
                known["solved at"] for known in (one, other) if "solved at" in known
            )
        if "guess" in both:
            guesses = [known["guess"] for known in (one, other) if "guess" in known]
            both["guess"] = sorted(guesses, key=lambda guess: guess[3])[-1]
        often = [known.get("how often", {}) for known in (earlier, later)]
        if kinds := often[0] | often[1]:
            mistakes = later.get("mistakes", [])
            more = [mistake for mistake in earlier.get("mistakes", []) if mistake not in mistakes]
            counts = {kind: max(counts.get(kind, 0) for counts in often) for kind in kinds}
            _keep_mistakes(both, sorted(mistakes + more, key=lambda one: one[0]), counts)
        return both

    # A string that can be pasted

    def code(self) -> str:
        """The progress as one short string for `restore`: statuses, failures and hints, of each
        kind of mistake how often it was made and when last, and the guesses, of long ones the
        beginning. Other times and answers are not in it.
        """
        short = {}
        for id, known in self.all().items():
            often = known.get("how often")
            if "guess" in known:
                said, truth, right, at = known["guess"]
                short[id] = [said[:CARRIED_SAID], truth and truth[:CARRIED_SAID], right, at]
            elif known.get("status") or often:
                short[id] = [
                    STATUSES.index(known.get("status", "not started")),
                    known.get("failures", 0),
                    known.get("hints", 0),
                ]
                if often:
                    last = {kind: at for at, kind in known.get("mistakes", [])}
                    short[id].append({kind: [often[kind], last.get(kind, 0)] for kind in often})
        packed = zlib.compress(json.dumps(short, separators=(",", ":")).encode(), 9)
        return f"{HEADS[-1]}-" + base64.urlsafe_b64encode(packed).decode().rstrip("=")

    def restore(self, code: str) -> int:
        """Take over the progress in a string made by `code`. Nothing solved here is lost.

        Returns the number of exercises and guesses in it. Raises ValueError if the string is not
        whole.
        """
        try:
            head, _, body = "".join(code.split()).strip("\"'").partition("-")
            if head not in HEADS:
                raise ValueError
            unpacking = zlib.decompressobj()
            packed = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
            text = unpacking.decompress(packed, LONGEST_STRING)
            if not unpacking.eof:
                raise ValueError
            found = {id: self._unpacked(*row) for id, row in json.loads(text).items()}
        except (ValueError, TypeError, AttributeError, IndexError, RecursionError, zlib.error):
            raise ValueError(
                "This is not a whole progress string. It begins with "
                f"{HEADS[-1]}- and is copied from course_map().code."
            ) from None

        def change(exercises):
            for id, known in found.items():
                exercises[id] = self.merged(exercises.get(id, {}), known)

        self.change(change)
        return len(found)

    def _unpacked(self, *row):
        """What a row of the string tells of an exercise or a guess."""
        if row and isinstance(row[0], str):
            if not is_guess(list(row)):
                raise ValueError
            return {"guess": list(row)}
        return self._unpacked_exercise(*row)

    def _unpacked_exercise(self, status, failures, hints, often=None):
        """A string without mistakes is an older course's."""
        if not is_count(status):
            raise ValueError
        known = {"status": STATUSES[status], "failures": failures, "hints": hints}
        if often:
            known["mistakes"] = sorted([at, kind] for kind, (_, at) in often.items() if at)
            known["how often"] = {kind: count for kind, (count, _) in often.items()}
        if not all(self.fields[key](value) for key, value in known.items()):
            raise ValueError
        return known

    def _update(self, id, change):
        exercises = self.change(lambda exercises: change(exercises.setdefault(id, {})))
        return UNKNOWN | exercises[id]


def guess_in(known: dict[str, dict], id: str) -> Guessed:
    """The guess with this id among all that is known by id."""
    return Guessed(*known.get(id, {}).get("guess", ()))


def _keep_mistakes(known: dict, mistakes: list, often: dict[str, int]) -> None:
    """Note these mistakes in place of those known, as many as are kept."""
    known["mistakes"] = mistakes[-KEPT_MISTAKES:]
    known["how often"] = dict(itertools.islice(often.items(), KEPT_KINDS))
