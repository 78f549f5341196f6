"""Whether a guess agrees with what came out, and both of them in words."""

import math
import numbers
import re
from collections.abc import Iterator
from typing import NamedTuple

from helpers.basics.words import article, number

LONGEST_SHOWN = 80  # characters of a guess, or of what came out, in a line
NOTHING = "nothing"
NONE_AT_ALL = {NOTHING, "none", "nobody"}  # how somebody says that nothing comes out
JOINED = r"[,;&/]|(?<!\S)and(?!\S)"  # between the items of an order or a set: "A, B and C"
MULTIPLES = {"dozen", "hundred", "thousand", "million", "billion"}  # words that are no unit
SECONDS = {"µs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
NAMES = {"sec": "s", "second": "s", "seconds": "s", "minute": "min", "minutes": "min"}

Truth = str | numbers.Real | list | tuple | set | frozenset


# Words


def squeezed(text: str) -> str:
    """The text without what doesn't count: capitals, spaces and commas."""
    return re.sub(r"[\s,]+", "", text).casefold()


def agree(said: str, truth: Truth) -> bool:
    """Whether what was said is this text, this order (a list) or this set."""
    if isinstance(truth, str):
        return squeezed(said) == squeezed(truth) or (not squeezed(truth) and _is_none(said))
    kind = frozenset if isinstance(truth, (set, frozenset)) else list
    items = [squeezed(str(item)) for item in truth]
    if not items:
        return _is_none(said)
    return any(kind(reading) == kind(items) for reading in _readings(said))


def _readings(said: str) -> Iterator[list[str]]:
    """The lists that a text may stand for: "main ends and A" and "ABC" are two each."""
    for separators in r",", r"[\s,]", JOINED, rf"\s|{JOINED}":
        parts = re.split(separators, said, flags=re.IGNORECASE)
        yield [squeezed(part) for part in parts if squeezed(part)]
    if not re.search(r"[\s,]", said.strip()):
        yield list(squeezed(said))


def _is_none(said):
    return squeezed(said) in NONE_AT_ALL


def in_words(truth: Truth) -> str:
    """What came out, on one line: "ABCCBCB"; "A, B, C" of a list; of a set in a fixed order."""
    if isinstance(truth, (set, frozenset)):
        truth = sorted(map(str, truth))
    if not isinstance(truth, str):
        truth = ", ".join(map(str, truth))
    return one_line(truth) or NOTHING


def one_line(text: str) -> str:
    """The text on one line, without the full stop at its end."""
    return re.sub(r"(?<!\.)\.$", "", " ".join(text.split()))


def shortened(text: str) -> str:
    """The beginning of a text that is too long for a line."""
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 2].rstrip() + " …"


# Numbers


class Number(NamedTuple):
    """A number that was said. value: in the unit of the question. words: with its unit."""

    value: float
    words: str


def number_in(said: str, unit: str) -> Number | None:
    """The number that was said: "3", "3.5", "3,5", "1/2", "1,000", "3 s", or "500 ms" where the
    unit is s; "3 times" where there is no unit. None if it isn't one.
    """
    text = " ".join(said.split()).replace("−", "-")
    found = re.fullmatch(r"([-+]?[\d.][\d., /]*(?:e[-+]?\d+)?) ?(\D*)", text, flags=re.I)
    if not found:
        return None
    digits, its_unit = found[1].strip(), found[2].strip()
    value, factor = _value(digits), _factor(its_unit, unit)
    if value is None or factor is None:
        return None
    return Number(value * factor, f"{digits} {its_unit or unit}".strip())


def _value(digits):
    """The number that these characters are; None if they are none."""
    if re.fullmatch(r"[-+]?[1-9]\d{0,2}([, ])\d{3}(\1\d{3})*(\.\d+)?", digits):
        digits = re.sub(r"[, ]", "", digits)  # thousands
    upper, slash, lower = digits.replace(",", ".").partition("/")
    try:
        value = float(upper) / float(lower) if slash else float(upper)
    except (ValueError, ZeroDivisionError):
        return None
    return value if math.isfinite(value) else None


def _factor(its_unit, unit):
    """What a number in its unit is to be multiplied by; None if that is no such unit."""
    its_unit, unit = _short(its_unit), _short(unit)
    if not its_unit or its_unit == unit or its_unit.rstrip("s") == unit.rstrip("s"):
        return 1.0
    if its_unit in SECONDS and unit in SECONDS:
        return SECONDS[its_unit] / SECONDS[unit]
    # What is counted stands in the question, and nothing tells by which word.
    if not unit and its_unit.isalpha() and its_unit not in MULTIPLES:
        return 1.0
    return None


def _short(unit):
    unit = unit.casefold().replace("μ", "µ").rstrip(".")  # a Greek letter for the sign
    return NAMES.get(unit, unit)


def near(value: float, truth: float, within: float) -> bool:
    """Whether a number is within this share of the true one."""
    return abs(value - truth) <= abs(truth) * within * (1 + 1e-9)


def amount(truth: float, unit: str) -> str:
    """A number that came out, with its unit: "1.00 s", "12 tasks"."""
    words = f"{truth:,}" if isinstance(truth, numbers.Integral) else number(float(truth))
    return f"{words} {unit}".strip()


def kind(truth: object) -> str:
    """What sort of thing came out: "number", "text", "order" or "set". TypeError if it is
    something else.
    """
    if isinstance(truth, numbers.Real) and not isinstance(truth, bool):
        return "number"
    for types, word in ((str, "text"), ((list, tuple), "order"), ((set, frozenset), "set")):
        if isinstance(truth, types):
            return word
    raise TypeError(
        f"check() takes a number, a text, a list or a set; this is {article(type(truth).__name__)}."
    )
