"""What an exercise is: its statement, hints and texts, what is right and what is wrong.

`exercises/checks/__init__.py` describes the form with a complete example.
"""

import inspect
import itertools
import math
import pprint
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from helpers.coach.form.programs import Program, joined
from helpers.coach.form.stubs import stub_of


class Wrong(Exception):
    """An answer that is not right yet.

    kind: a key of KINDS in `helpers.coach.mistakes.catalogue`, which has a headline, words on the
        line and what to try. headline: your own, where you can say more than the kind does; the
        kind's other words are then not used either. at: what the line does, in your words.
    observed: what was seen, in full sentences. line: line number in the learner's cell, or None.
    try_: what to try next, or None for what goes with the kind.
    """

    def __init__(self, kind, observed="", line=None, try_=None, headline=None, at=""):
        super().__init__(kind, observed)
        self.kind = kind
        self.observed = observed
        self.line = line
        self.try_ = try_
        self.headline = headline
        self.at = at


class wrong_value:
    """A value that a wrong belief leads to, the kind of mistake, and words of its message.

    headline: that of the message, where it says more than the kind's.
    """

    def __init__(self, value, kind, says="", headline=None):
        self.value = value
        self.kind = kind
        self.says = says
        self.headline = headline

    def mistake(self) -> Wrong:
        """The Wrong that tells of it, where `says` is all that is to be said."""
        return Wrong(self.kind, self.says, try_="", headline=self.headline)


class Exercise:
    """Base of every exercise; see `exercises/checks/__init__.py`."""

    id = None
    asks = None
    minutes = 5
    clock = "virtual"
    limit = 1.5
    hints = ()
    given = ""
    right_values = ()
    wrong_values = ()
    equivalent = {}
    programs = ()
    sweeps = ()

    def __init_subclass__(cls, **named):
        super().__init_subclass__(**named)
        cls.programs = tuple(
            Program(cls, name, made)
            for name, made in vars(cls).items()
            if hasattr(made, "coach_mark")
        )
        cls.sweeps = tuple(
            made.coach_sweep for made in vars(cls).values() if hasattr(made, "coach_sweep")
        )
        where = f"exercise {cls.__qualname__}"
        if not (cls.id and cls.asks and cls.__doc__):
            raise TypeError(f"{where} needs id, asks and a docstring")
        if not cls.right_programs() and not cls.right_values:
            raise TypeError(f"{where} needs a @right program or right_values")
        if cls.clock not in ("virtual", "real"):
            raise TypeError(f'{where}: clock is "virtual" or "real", not {cls.clock!r}')
        if isinstance(cls.hints, str):
            raise TypeError(f"{where}: hints is a tuple of strings")

    @classmethod
    def right_programs(cls) -> list[Program]:
        """The programs that must pass; the first of them is the model."""
        return [program for program in cls.programs if program.role == "right"]

    @classmethod
    def wrong_programs(cls) -> list[Program]:
        """The programs that must be told their mistake."""
        return [program for program in cls.programs if program.role == "wrong"]

    @classmethod
    def title(cls) -> str:
        """The first line of the docstring."""
        return inspect.cleandoc(cls.__doc__).partition("\n")[0].strip()

    @classmethod
    def statement(cls) -> str:
        """What is asked: the docstring without its title."""
        return inspect.cleandoc(cls.__doc__).partition("\n")[2].strip()

    @classmethod
    def takes_value(cls) -> bool:
        """True if the answer is a plain value, False if it is a function or a class."""
        return not cls.right_programs()

    @classmethod
    def model(cls) -> Any:
        """The first right program as an object: its signature is what is asked."""
        return getattr(cls, cls.right_programs()[0].name)

    def verify(self, answer: Any, lab: Any) -> None:
        """Judge `answer`; raise Wrong if it is not right. This one compares plain values."""
        if not self.takes_value():
            raise TypeError(f"exercise {type(self).__qualname__} needs a verify method")
        if any(same_value(answer, value) for value in self.right_values):
            return
        for belief in self.wrong_values:
            if same_value(answer, belief.value) and belief.kind != "value":
                raise belief.mistake()
        lab.equal(answer, self.right_values[0], what=f"`{self.asks}` is", secret=True)

    # Texts

    @classmethod
    def solution(cls) -> str:
        """The first right program (or value) as source text under the asked name."""
        if cls.takes_value():
            value = pprint.pformat(cls.right_values[0], sort_dicts=False, width=80)
            if "\n" in value:
                start = f"{cls.asks} = "
                value = value.replace("\n", "\n" + " " * len(start))
            return f"{cls.asks} = {value}\n"
        return cls.right_programs()[0].text

    @classmethod
    def stub(cls) -> str:
        """What the learner starts from: the signature, the docstring and the body `...`."""
        if cls.takes_value():
            return f"{cls.asks} = ...\n"
        imports, given, program = cls.right_programs()[0].parts()
        return joined(imports, given, stub_of(program))


def same_value(got: Any, expected: Any) -> bool:
    """Equal, with one part in a thousand of grace for numbers; False where comparing fails."""
    try:
        if isinstance(got, bool) or isinstance(expected, bool):
            return got is expected
        if isinstance(got, (int, float)) and isinstance(expected, (int, float)):
            return math.isclose(got, expected, rel_tol=1e-3, abs_tol=1e-9)
        if isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
            return len(got) == len(expected) and all(map(same_value, got, expected))
        if expected is None:
            return got is None
        if isinstance(expected, (str, bytes)):  # whatever `got` says that it equals
            return type(expected).__eq__(expected, got) is True
        if isinstance(expected, BaseException):
            return same_error(got, expected)
        if isinstance(expected, dict) and isinstance(got, dict):
            return got.keys() == expected.keys() and all(
                same_value(got[key], expected[key]) for key in expected
            )
        return bool(got == expected)
    except Exception:
        return False


def same_error(got: Any, expected: BaseException) -> bool:
    """Of the same type, with the same words; a group with the same errors in it, in any order."""
    if type(got) is not type(expected):
        return False
    if not isinstance(expected, BaseExceptionGroup):
        return str(got) == str(expected)
    return same_items(got.exceptions, expected.exceptions)


def same_items(got: Sequence, expected: Sequence) -> bool:
    """The same values as often as there, in any order."""
    return len(got) == len(expected) and not any(True for _ in surplus(got, expected))


def surplus(got: Iterable, expected: Iterable) -> Iterator:
    """The items of `got` that are left when each value in `expected` has taken away one."""
    rest = list(expected)
    for item in got:
        # Its very equal first: of numbers above a thousand the next ones count as the same value.
        equal = (n for n, other in enumerate(rest) if _are_equal_numbers(item, other))
        alike = (n for n, other in enumerate(rest) if same_value(item, other))
        match = next(itertools.chain(equal, alike), None)
        if match is None:
            yield item
        else:
            del rest[match]


def _are_equal_numbers(one, other):
    return type(one) is type(other) and isinstance(one, (int, float)) and one == other
