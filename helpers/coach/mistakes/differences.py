"""How a value differs from what it should be: what it lacks, and what it has besides."""

from collections.abc import Iterator

from helpers.coach.form.statement import same_value

ROWS = (list, tuple)
TEXT = (str, bytes)
BLANKS = "Only blanks or line ends differ. Look where some are cut off, put in or left out."
CODED = "`encode` makes bytes of a text, and `decode` a text of bytes."
MANY = 10  # items, at least, of a row that seems to be cut


def takes_for_nothing(got: object, expected: object) -> bool:
    """Whether `expected` holds a value that counts as false, and `got` holds none like it."""
    have = list(_leaves(got))
    falsy = [value for value in _leaves(expected) if not value]
    lost = [value for value in falsy if not any(same_value(one, value) for one in have)]
    if isinstance(expected, ROWS) and not expected:
        return got is None  # a row of nothing: what is there besides was not lost
    others = [
        value for value in have if not value and not isinstance(value, (*ROWS, dict, type(None)))
    ]
    errors = sum(isinstance(value, BaseException) for value in have)  # they stand in its place
    return len(lost) > len(others) + errors and not (got is not None and expected is None)


def lacks_alike(got: object, expected: object) -> bool:
    """Whether just what is there twice is missing from `got`."""
    if not (isinstance(got, ROWS) and isinstance(expected, ROWS) and len(got) < len(expected)):
        return False
    once = 0
    for item in expected:
        if any(same_value(item, other) for other in got[:once]):
            continue
        if once == len(got) or not same_value(got[once], item):
            return False
        once += 1
    return once == len(got)


def is_cut(got: object, expected: object) -> bool:
    """Whether `expected` goes on where `got` ends, after so many that no number is an accident."""
    if not (isinstance(got, ROWS) and isinstance(expected, ROWS)):
        return False
    length = len(got)
    return MANY <= length < len(expected) and same_value(list(got), list(expected)[:length])


def has_more(got: object, expected: object) -> bool:
    """Whether there is what should have been left out, besides all that was asked for."""
    if not (isinstance(got, ROWS) and isinstance(expected, ROWS) and len(got) > len(expected)):
        return False
    rest = iter(got)
    return all(any(same_value(item, one) for one in rest) for item in expected)


def has_more_nones(got: object, expected: object) -> bool:
    """Whether a dict has keys besides those that were asked for, with nothing but None."""
    if not (isinstance(got, dict) and isinstance(expected, dict)):
        return False
    more = [got[key] for key in got if key not in expected]
    return bool(more) and all(value is None for value in more)


def is_none(value: object) -> bool:
    """Whether this is None, or a row of nothing else."""
    if isinstance(value, ROWS) and value:
        return all(item is None for item in value)
    return value is None


def has_swapped(got: object, expected: object) -> bool:
    """Whether the same keys have the same values, and some have each other's."""
    if not (isinstance(got, dict) and isinstance(expected, dict) and got.keys() == expected.keys()):
        return False
    left = list(expected.values())
    for value in got.values():
        at = next((at for at, one in enumerate(left) if same_value(one, value)), None)
        if at is None:
            return False
        del left[at]
    return not same_value(got, expected)


def in_spelling(got: object, expected: object) -> str | None:
    """What to try where texts differ in their type, or in what is easily overlooked."""
    for one, wanted in pairs_apart(got, expected):
        if {type(one), type(wanted)} == {str, bytes}:
            text, data = (one, wanted) if isinstance(one, str) else (wanted, one)
            if text.encode(errors="replace") == data:
                asked, came = ("Text is", "bytes") if text is wanted else ("Bytes are", "text")
                return f"{asked} asked for, and this is {came}: {CODED}"
        elif isinstance(one, TEXT) and type(one) is type(wanted):
            if one.lower() == wanted.lower():
                return "Capital letters and small ones are not the same."
            if one.split() == wanted.split():
                return BLANKS
    return None


def pairs_apart(got: object, expected: object) -> Iterator[tuple[object, object]]:
    """The pairs of what stands at the same place and is not the same."""
    rows = isinstance(got, ROWS) and isinstance(expected, ROWS)
    if not rows:
        yield got, expected
    elif len(got) == len(expected):
        yield from (pair for pair in zip(got, expected) if not same_value(*pair))


def is_paired(got: object, expected: object) -> bool:
    """Whether there are tuples of what was asked for and something else."""
    pairs = list(pairs_apart(got, expected))
    return bool(pairs) and all(
        isinstance(one, tuple)
        and not isinstance(wanted, ROWS)
        and any(same_value(part, wanted) for part in one)
        for one, wanted in pairs
    )


def _leaves(thing) -> list[object]:
    """The values in rows and dicts, and in those in them; an empty one is a value."""
    if isinstance(thing, dict) and thing:
        thing = list(thing.values())
    if isinstance(thing, ROWS) and thing:
        return [leaf for part in thing for leaf in _leaves(part)]
    return [thing]
