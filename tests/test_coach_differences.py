"""Where an answer seems to go wrong: the line is guessed from what it gave and what was asked."""

import pytest

from helpers.coach.form.text import place_of
from helpers.coach.mistakes.differences import line_of_difference
from helpers.coach.mistakes.source import Source
from tests.coach_cells import cell

pytestmark = pytest.mark.coach

FILTERS = """\
def answer(items):
    if not items:
        return []
    return [item
            for item in items
            if item]
"""
ENDS = """\
def answer(source):
    while True:
        item = next(source, None)
        if item is None:
            return
        yield item
"""
ONCE = """\
def answer(items):
    found = {}
    for item in items:
        found[item] = item * 2
    return list(found.values())
"""
ROUNDS = "def answer(items):\n    total = sum(items)\n    return round(total / len(items), 2)\n"
SHOUTS = "def answer(name):\n    name = name.strip()\n    return name.title()\n"
CUTS = "def answer(line):\n    text = str(line)\n    return text.lstrip('ERROR ')\n"
CATCHES = """\
def answer(source):
    try:
        return next(source)
    except Exception:
        return None
"""


@pytest.mark.parametrize(
    "text, got, asked, line",
    [
        (FILTERS, ["a"], [0, "a", None], 6),
        (FILTERS, ["a", None], ["a", 0], 6),
        (FILTERS, None, [], 6),
        (FILTERS, ["b"], ["a"], None),
        (ENDS, ["a"], ["a", None, "b"], 4),
        (ENDS, [], ["a"], None),
        (ONCE, [2], [2, 2], 4),
        (ONCE, [2, 4], [2, 6], None),
        (ROUNDS, 0.33, 1 / 3, 3),
        (ROUNDS, [1, 0.33], [1, 1 / 3], 3),
        (ROUNDS, 5, 9, None),
        (SHOUTS, "Ada", "ada", 3),
        (SHOUTS, "Eve", "ada", None),
        (CUTS, "", "ROR", 3),
        (CUTS, "1", 1, 2),
        (CATCHES, None, OSError("gone"), 4),
        (CATCHES, 3, 4, None),
    ],
)
def test_a_difference_has_a_line_where_there_is_such_a_one(text, got, asked, line):
    place = place_of(cell(text, "answer"))
    assert line_of_difference(Source([place[0]], *place), got, asked) == line
