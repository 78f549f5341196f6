"""What the learner has done: the exercises, their status, the mistakes made on the way, and the
last answer to each; the guesses, with what came out; the answers to drills; and when what was
learnt is to be asked again.
"""

import base64
import itertools
import json
import pathlib
import time
import zlib
from collections.abc import Callable

from helpers.basics.records import Kept
from helpers.coach.noted import (
    LONGEST_KIND,
    LONGEST_SAID,
    Drilled,
    Guessed,
    Remembered,
    is_count,
    is_drilled,
    is_guess,
    is_how_often,
    is_mistakes,
    is_remembered,
    is_start,
)

SCHEMA = 4  # 1 knew no guesses, 2 no drills, 3 no memory
KEPT_SOURCE = 20_000  # characters of an answer that are kept
KEPT_MISTAKES = 20  # of an exercise, the last ones
KEPT_KINDS = 50  # of an exercise, counted
CARRIED_SAID = 60  # and that go into the string
KEPT_DRILLED = 10  # answers to the drills of a template, the last ones
CARRIED_DRILLED = 3  # and those that go into the string
LONGEST_STRING = 2**20  # bytes of what is pasted, once unpacked
STATUSES = ["not started", "not yet", "solved"]
UNKNOWN = {"status": "not started", "failures": 0, "hints": 0}
HEADS = [f"async{number}" for number in range(1, SCHEMA + 1)]  # of strings that can be restored


class Progress(Kept):
    """The learner's progress by the ids of exercises and guesses ("gather-1", "05-log"), of the
    templates of drills ("drill 05-turns"), and of wrong beliefs ("belief call-runs").

    Of each exercise, as far as there is something to tell:

    status, failures, hints: one of STATUSES, and counts.
    answer: the text that was checked last.  last checked, solved at: seconds since 1970.
    mistakes: the last ones made, [[seconds since 1970, kind], ...], the latest last. Kinds are
    those of the catalogue of mistakes.  how often: {kind: count} of all that were ever made.

    Of each guess, guess: a `Guessed` as a list; and wrong at: when it was wrong last. Of each
    template one thing, drilled: the last answers, each a `Drilled` as a list, the latest last. Of
    each belief, remembered: a `Remembered` as a list; and wrong at: when an exercise was answered
    by it last. Under "start", start: when it was
    said with which lesson to begin, and that lesson, or "" if that was skipped.
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
        "wrong at": is_count,
        "drilled": is_drilled,
        "remembered": is_remembered,
        "start": is_start,
    }

    def __init__(
        self,
        path: str | pathlib.Path | None = None,
        tell: Callable[[str], object] = print,
        clock: Callable[[], float] = time.time,
    ):
        """path, tell: as in `Kept`.  clock: gives seconds since 1970."""
        super().__init__(path, tell)
        self.clock = clock

    def now(self) -> int:
        """The time, in seconds since 1970."""
        return round(self.clock())

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
            now = known["last checked"] = self.now()
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
            kept = {"guess": list(guess._replace(at=self.now()))}
            if guess.right is False:
                kept["wrong at"] = self.now()
            self._update(id, lambda known: known.update(kept))

    def drilled(self, template: str, answer: Drilled) -> None:
        """Note an answer to a drill of this template."""

        def change(known):
            known["drilled"] = [*known.get("drilled", []), _listed(answer)][-KEPT_DRILLED:]

        self._update(f"drill {template}", change)

    def drills(self) -> list[tuple[str, Drilled]]:
        """(template, answer) of all answers to drills that are kept, by their times."""
        return drills_in(self.all())

    def remember(self, memory: dict[str, Remembered]) -> None:
        """Note how well the corrections of these beliefs are remembered, by the beliefs' ids."""

        def change(known):
            for id, remembered in memory.items():
                known.setdefault(f"belief {id}", {})["remembered"] = list(remembered)

        if memory:
            self.change(change)

    def believed(self, id: str) -> None:
        """Note that an answer to an exercise was what this wrong belief predicts, by its id."""
        now = self.now()
        self._update(f"belief {id}", lambda known: known.update({"wrong at": now}))

    def started(self, lesson: str) -> None:
        """Note with which lesson to begin; "" if nobody is to ask that again."""
        self._update("start", lambda known: known.update(start=[self.now(), lesson]))

    def merged(self, one: dict, other: dict) -> dict:
        """The further status, the higher counts, the later answer, the later guess, the mistakes
        and the answers to drills of both, and what was asked or said later.
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
        for key in "wrong at", "remembered", "start":
            if key in both:
                both[key] = max(known[key] for known in (one, other) if key in known)
        if "drilled" in both:
            answers = one.get("drilled", []) + other.get("drilled", [])
            several = {(answer[0], answer[1]): answer for answer in answers}
            both["drilled"] = [several[key] for key in sorted(several)][-KEPT_DRILLED:]
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
        kind of mistake how often it was made and when last, the guesses, of long ones the
        beginning, the last answers to drills, what is remembered, and where to begin. Other times
        and answers are not in it.
        """
        short = {}
        for id, known in self.all().items():
            often = known.get("how often")
            if "guess" in known:
                said, truth, right, at = known["guess"]
                short[id] = [said[:CARRIED_SAID], truth and truth[:CARRIED_SAID], right, at]
                short[id] += [known["wrong at"]] if "wrong at" in known else []
            elif id.startswith("belief ") or "start" in known:
                short[id] = known
            elif "drilled" in known:
                short[id] = known["drilled"][-CARRIED_DRILLED:]
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
        found = self.carried(code)

        def change(exercises):
            for id, known in found.items():
                exercises[id] = self.merged(exercises.get(id, {}), known)

        self.change(change)
        return len(found)

    @classmethod
    def carried(cls, code: str) -> dict[str, dict]:
        """The progress in a string made by `code`, by id. Raises ValueError if it is not whole."""
        try:
            head, _, body = "".join(code.split()).strip("\"'").partition("-")
            if head not in HEADS:
                raise ValueError
            unpacking = zlib.decompressobj()
            packed = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
            text = unpacking.decompress(packed, LONGEST_STRING)
            if not unpacking.eof:
                raise ValueError
            return {id: cls._unpacked(row) for id, row in json.loads(text).items()}
        except (ValueError, TypeError, AttributeError, IndexError, RecursionError, zlib.error):
            raise ValueError(
                "This is not a whole progress string. It begins with "
                f"{HEADS[-1]}- and is copied from course_map().code."
            ) from None

    @classmethod
    def _unpacked(cls, row):
        """What a row of the string tells of an exercise, a guess or a template of drills; what is
        remembered, and where to begin, stand there as in the file.
        """
        if isinstance(row, dict):
            known = row
        elif row and isinstance(row[0], list):
            known = {"drilled": row}
        elif row and isinstance(row[0], str):
            known = {"guess": row[:4]} | dict(zip(["wrong at"], row[4:]))
        else:
            return cls._unpacked_exercise(*row)
        return cls._sound(known)

    @classmethod
    def _unpacked_exercise(cls, status, failures, hints, often=None):
        """A string without mistakes is an older course's."""
        if not is_count(status):
            raise ValueError
        known = {"status": STATUSES[status], "failures": failures, "hints": hints}
        if often:
            known["mistakes"] = sorted([at, kind] for kind, (_, at) in often.items() if at)
            known["how often"] = {kind: count for kind, (count, _) in often.items()}
        return cls._sound(known)

    @classmethod
    def _sound(cls, known):
        if not all(key in cls.fields and cls.fields[key](value) for key, value in known.items()):
            raise ValueError
        return known

    def _update(self, id, change):
        exercises = self.change(lambda exercises: change(exercises.setdefault(id, {})))
        return UNKNOWN | exercises[id]


def guess_in(known: dict[str, dict], id: str) -> Guessed:
    """The guess with this id among all that is known by id."""
    return Guessed(*known.get(id, {}).get("guess", ()))


def drills_in(known: dict[str, dict]) -> list[tuple[str, Drilled]]:
    """(template, answer) of the answers to drills among all that is known, in order."""
    found = []
    for id, entry in known.items():
        for at, variant, right, named, ids, slip in entry.get("drilled", []):
            answer = Drilled(at, variant, right, named, tuple(ids), slip)
            found.append((id.removeprefix("drill "), answer))
    return sorted(found, key=lambda one: one[1].at)


def memory_in(known: dict[str, dict]) -> dict[str, Remembered]:
    """How well the corrections of beliefs are remembered, by the beliefs' ids."""
    return {
        id.removeprefix("belief "): Remembered(*entry["remembered"])
        for id, entry in known.items()
        if "remembered" in entry
    }


def _listed(answer):
    """An answer to a drill as the file holds it."""
    return [*answer[:4], list(answer.ids), answer.slip]


def _keep_mistakes(known: dict, mistakes: list, often: dict[str, int]) -> None:
    """Note these mistakes in place of those known, as many as are kept."""
    known["mistakes"] = mistakes[-KEPT_MISTAKES:]
    known["how often"] = dict(itertools.islice(often.items(), KEPT_KINDS))
