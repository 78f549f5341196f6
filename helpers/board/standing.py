"""How the room stands: what all that was told comes to. It lives in memory, and is built anew from
the store when a session goes on.
"""

import collections
import time
from dataclasses import dataclass, field
from typing import NamedTuple

from helpers.board.questions import Course, mistake_in_words

TEACHER = ""  # stands where a learner's id would, before what the teacher does
SESSIONS = 200  # kernels of one learner whose numbers are remembered
HERE = 15 * 60  # seconds: who told nothing for so long is no longer counted as being here


@dataclass
class Attempt:
    """One learner at one exercise. mistakes: the kinds that were named, the latest last."""

    status: str = "not started"
    hints: int = 0
    mistakes: dict[str, None] = field(default_factory=dict)


class Said(NamedTuple):
    """One learner's guess. truth: what came out in their kernel, once it was compared."""

    said: str
    truth: str | None
    right: bool | None


@dataclass
class Learner:
    """Somebody in the room. hand: since when it is up, in seconds since 1970; 0 if it is down."""

    number: int
    name: str = ""
    hand: int = 0
    seen: int = 0
    attempts: dict[str, Attempt] = field(default_factory=dict)
    guesses: dict[str, Said] = field(default_factory=dict)
    sessions: dict[str, int] = field(default_factory=dict)

    @property
    def called(self) -> str:
        """The name, or the number."""
        return f"{self.name} ({self.number})" if self.name else f"number {self.number}"


class Answer(NamedTuple):
    """One answer to a question, by how many it was given. true: it is what came out."""

    words: str
    count: int
    true: bool


class Row(NamedTuple):
    """How the room stands at one exercise. mistakes: the most frequent, in words."""

    title: str
    solved: int
    at_it: int
    not_started: int
    mistakes: list[tuple[int, str]]


class Standing:
    """The room. open: id of the question that is being asked, if one is.  turned: whether its
    answers are shown.  changes: goes up with each change.
    """

    def __init__(self, course: Course) -> None:
        self.course = course
        self.learners: dict[str, Learner] = {}
        self.open: str | None = None
        self.turned = False
        self.lesson: str | None = None
        self.changes = 0

    def joined(self, learner: str, name: str = "") -> Learner:
        """Count somebody in, or note the name that they give now."""
        known = self.learners.get(learner)
        if known is None:
            known = self.learners[learner] = Learner(len(self.learners) + 1)
        if name:
            known.name = name
        self.changes += 1
        return known

    def told(self, learner: str, session: str, number: int, at: int, event: dict) -> None:
        """Take in what a learner's kernel, or the teacher, told. What was told before is passed
        over, and so is what is not of this course.

        at: when it arrived, in seconds since 1970.
        """
        if learner == TEACHER:
            self._teacher(event)
            self.changes += 1
            return
        if event["kind"] == "join":
            self.joined(learner, event.get("name", "")).seen = at
            return
        known = self.learners.get(learner) or self.joined(learner)
        if number <= known.sessions.get(session, -1):
            return
        known.sessions[session] = number
        while len(known.sessions) > SESSIONS:
            del known.sessions[next(iter(known.sessions))]
        known.seen = at
        getattr(self, "_" + event["kind"])(known, at, event)
        self.changes += 1

    # What learners tell

    def _check(self, learner, at, event):
        if not self._about(event["of"]):
            return
        attempt = learner.attempts.setdefault(event["of"], Attempt())
        if attempt.status != "solved" and event["status"] != "not started":
            attempt.status = event["status"]
        mistake = event.get("mistake", "")
        if event["status"] == "not yet" and mistake_in_words(mistake):
            attempt.mistakes.pop(mistake, None)
            attempt.mistakes[mistake] = None

    def _hint(self, learner, at, event):
        if self._about(event["of"]):
            attempt = learner.attempts.setdefault(event["of"], Attempt())
            attempt.hints = max(attempt.hints, event["hints"])

    def _guess(self, learner, at, event):
        if self._about(event["of"]):
            said = Said(event["said"], event.get("truth"), event.get("right"))
            learner.guesses[event["of"]] = said

    def _hand(self, learner, at, event):
        learner.hand = (learner.hand or at) if event["up"] else 0

    def _pasted(self, learner, at, event):
        for id, attempt in event["exercises"].items():
            if self._about(id):
                learner.attempts[id] = Attempt(
                    attempt["status"], 0, dict.fromkeys(attempt["kinds"])
                )
        for id, said in event["guesses"].items():
            if self._about(id):
                learner.guesses[id] = Said(*said)

    def _about(self, id):
        """Whether the course has this; then its lesson is the one that the room is at."""
        lesson = self.course.lesson_of(id)
        if lesson is not None and self.open is None:
            self.lesson = lesson
        return lesson is not None

    # What the teacher does

    def _teacher(self, event):
        match event["do"]:
            case "open":
                if event["of"] in self.course.questions:
                    self.open, self.turned = event["of"], False
                    self.lesson = self.course.questions[event["of"]].lesson
            case "turn":
                self.turned = not self.turned
            case "close":
                self.open, self.turned = None, False
            case "lesson":
                if event["of"] in self.course.titles:
                    self.lesson = event["of"]
            case "lower":
                for learner in self.learners.values():
                    if learner.number == event["of"]:
                        learner.hand = 0

    # How it stands

    def here(self) -> int:
        """How many told something lately."""
        since = time.time() - HERE
        return sum(learner.seen >= since for learner in self.learners.values())

    def guessed(self, id: str) -> list[Said]:
        """All guesses at a question."""
        found = (learner.guesses.get(id) for learner in self.learners.values())
        return [said for said in found if said is not None and said.said]

    def truth(self, id: str) -> str | None:
        """What came out, as most kernels found that ran the experiment; None if none did yet."""
        found = collections.Counter(said.truth for said in self.guessed(id) if said.truth)
        return found.most_common(1)[0][0] if found else None

    def answers(self, id: str) -> list[Answer]:
        """The answers to a question and how many gave each: choices in their order, other answers
        by how many gave them. Spaces, commas and capitals don't tell two apart.
        """
        guesses = self.guessed(id)
        truth = self.truth(id)
        choices = self.course.questions[id].choices
        counted: dict[str, list[str]] = {_alike(choice): [choice] for choice in choices}
        counts: collections.Counter[str] = collections.Counter()
        right: set[str] = set()
        for said in guesses:
            key = _alike(said.said)
            counted.setdefault(key, []).append(said.said)
            counts[key] += 1
            if said.right:
                right.add(key)
        if truth is not None:
            if not right:
                counted.setdefault(_alike(truth), []).append(truth)
                right = {_alike(truth)}
        found = [Answer(words[0], counts[key], key in right) for key, words in counted.items()]
        return found if choices else sorted(found, key=lambda one: -one.count)

    def rows(self, lesson: str) -> list[Row]:
        """How the room stands at each exercise of a lesson."""
        return [self._row(id, title) for id, title in self.course.exercises.get(lesson, {}).items()]

    def _row(self, id, title):
        found = [
            learner.attempts[id] for learner in self.learners.values() if id in learner.attempts
        ]
        statuses = collections.Counter(attempt.status for attempt in found)
        words: collections.Counter[str] = collections.Counter()
        for attempt in found:
            words.update({mistake_in_words(kind) for kind in attempt.mistakes} - {""})
        solved = statuses["solved"]
        at_it = len(found) - solved
        mistakes = [(count, said) for said, count in words.most_common(3)]
        return Row(title, solved, at_it, len(self.learners) - solved - at_it, mistakes)

    def hands(self) -> list[Learner]:
        """Who has raised a hand, the first first."""
        up = [learner for learner in self.learners.values() if learner.hand]
        return sorted(up, key=lambda learner: learner.hand)

    def progress(self) -> list[tuple[str, str, float]]:
        """How far the room is: (lesson, title, share of all its exercises that are solved), of the
        lessons that somebody has begun.
        """
        found = []
        for lesson, title in self.course.titles.items():
            ids = self.course.exercises.get(lesson, {})
            attempts = [
                learner.attempts[id]
                for learner in self.learners.values()
                for id in ids
                if id in learner.attempts
            ]
            if attempts:
                solved = sum(attempt.status == "solved" for attempt in attempts)
                found.append((lesson, title, solved / (len(ids) * len(self.learners))))
        return found


def _alike(said):
    return "".join(said.casefold().replace(",", " ").split())
