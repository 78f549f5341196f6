"""What a learner's progress is made of: guesses, answers to drills, what is remembered; and the
tests by which a file is read.
"""

from typing import NamedTuple

LONGEST_KIND = 80  # characters
LONGEST_SAID = 500  # characters of what was said, and of what came out, that are kept
MOST_BELIEFS = 100  # that an answer can tell of
LONGEST_STABLE = 100_000  # days


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


class Drilled(NamedTuple):
    """An answer to a drill.

    at: when, in seconds since 1970.  variant: of the template.  named: the id of the wrong belief
    that was named, or "".  ids: the beliefs that the answer tells of: those that it speaks against
    if it was right, those that predicted it if it was wrong.  slip: how likely somebody who makes
    a slip would say just that.
    """

    at: int
    variant: int
    right: bool
    named: str = ""
    ids: tuple[str, ...] = ()
    slip: float = 0.0


def is_drilled(value: object) -> bool:
    """Whether these are answers to drills: [[at, variant, right, named, ids, slip], ...]."""
    return isinstance(value, list) and all(map(_is_answer, value))


def _is_answer(value):
    if not isinstance(value, list) or len(value) != len(Drilled._fields):
        return False
    at, variant, right, named, ids, slip = value
    return (
        is_count(at)
        and is_count(variant)
        and type(right) is bool
        and (named == "" or is_kind(named))
        and isinstance(ids, list)
        and len(ids) <= MOST_BELIEFS
        and all(map(is_kind, ids))
        and type(slip) in (int, float)
        and 0 <= slip <= 1
    )


class Remembered(NamedTuple):
    """How well somebody remembers what corrects a wrong belief, as FSRS has it.

    last: when it was met or asked last.  due: when it is to be asked again, both in seconds since
    1970.  stability: the days after which nine of ten still remember it.  difficulty: 1 to 10.
    """

    last: int
    due: int
    stability: float
    difficulty: float


def is_remembered(value: object) -> bool:
    """Whether this tells how well something is remembered: [last, due, stability, difficulty]."""
    if not isinstance(value, list) or len(value) != len(Remembered._fields):
        return False
    last, due, stability, difficulty = value
    return (
        is_count(last)
        and is_count(due)
        and type(stability) in (int, float)
        and 0 < stability < LONGEST_STABLE
        and type(difficulty) in (int, float)
        and 1 <= difficulty <= 10
    )


def is_start(value: object) -> bool:
    """Whether this tells where to start: [when, lesson]; no lesson if that is not to be asked."""
    return (
        isinstance(value, list)
        and len(value) == 2
        and is_count(value[0])
        and isinstance(value[1], str)
        and len(value[1]) <= 2
    )
