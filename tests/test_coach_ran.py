"""Which lines of an answer have run, and whether it goes wrong only after an earlier call."""

import sys

import pytest

from helpers.coach.form import finding
from helpers.coach.form.text import place_of
from helpers.coach.judging.anew import each_time_anew
from helpers.coach.judging.lab import Lab
from helpers.coach.judging.ran import codes_of
from helpers.coach.mistakes.source import Source
from tests.coach_cells import cell, judged

pytestmark = pytest.mark.coach

BRANCHES = """\
def helper(number):
    return number

def answer(number):
    if number < 0:
        return "less"

    def inner():
        return helper(number)

    return inner()
"""
LESS, INNER, LAST = 6, 9, 11

KEEPS = """\
import asyncio
import httpx

PAUSES = PUT_HERE

async def ask(client, method, page):
    pauses = PAUSES
    while True:
        try:
            response = await client.request(method, page)
            response.raise_for_status()
            return response
        except httpx.TransportError:
            if method == "POST" or not pauses:
                raise
        except httpx.HTTPStatusError as error:
            if method == "POST" or error.response.status_code != 503 or not pauses:
                raise
        await asyncio.sleep(pauses.pop(0))
"""


def test_of_several_lines_one_that_has_run_is_named():
    answer = cell(BRANCHES, "answer")
    file, *own = place_of(answer)
    lab = Lab("answer", "virtual", Source((file,), file, *own))
    assert lab.returning() == LESS and lab.has_run(LAST)  # nobody has looked
    lab.ran.watch(answer)
    lab.call(answer, 1)
    if sys.version_info < (3, 12):  # it can't tell
        assert lab.returning() == LESS and lab.has_run(LESS)
        return
    assert lab.returning() == INNER and lab.has_run(LAST) and not lab.has_run(LESS)
    lab.call(answer, -1)
    assert lab.returning() == LESS and not lab.has_run(LAST)
    lab.told("again")
    answer(1)
    answer(1)
    assert lab.returning() == INNER and not lab.has_run(LESS)
    shown = lab.shown
    lab.call(answer, -1)
    lab.shown = shown
    assert lab.returning() == INNER and not lab.has_run(LESS) and lab.called.endswith("again.")


def test_what_runs_is_looked_for_in_all_that_an_answer_uses():
    class_of_answers = cell(
        "import functools\n\ndef outside(): pass\n\n"
        "class Answer:\n    def method(self): outside()\n"
        "    @staticmethod\n    def alone(): pass\n"
        "    @property\n    def value(self): return [1 for _ in ()]\n"
        "    @functools.cache\n    def kept(self):\n        def inside(): pass\n",
        "Answer",
    )
    names = {code.co_name for code in codes_of(class_of_answers)}
    assert names >= {"outside", "method", "alone", "value", "kept", "inside"}


def test_what_an_answer_uses_is_not_asked_what_it_is():
    answer = cell(
        "class Proxy:\n    @property\n    def __class__(self): raise LookupError\n\n"
        "proxy = Proxy()\n\ndef answer(): return proxy\n",
        "answer",
    )
    assert "answer" in {code.co_name for code in codes_of(answer)}


def test_a_function_made_anew_for_each_call_looks_like_it():
    made = []

    def again():
        made.append(cell("rows = []\nasync def answer(one):\n    rows.append(one)\n", "answer"))
        return made[-1]

    anew = each_time_anew(again(), again)
    for number in range(2):
        with pytest.raises(StopIteration):
            anew(number).send(None)
    assert anew.__name__ == "answer" and [one.__globals__["rows"] for one in made[1:]] == [[0], [1]]


def test_what_an_earlier_call_has_left_is_told_as_that():
    exercise = finding.find("retry-1")
    verdict, _ = judged(exercise, cell(KEEPS.replace("PUT_HERE", "[0.1, 0.2, 0.4]"), "ask"))
    assert (verdict.kind, verdict.line) == ("shared state", 4), verdict.text()
    assert "It was not the first call, and a first one goes well." in verdict.text()


def test_what_goes_wrong_in_a_first_call_as_well_is_told_as_what_it_is():
    exercise = finding.find("retry-1")
    verdict, _ = judged(exercise, cell(KEEPS.replace("PUT_HERE", "[]"), "ask"))
    assert verdict.kind == "one failure ends all", verdict.text()
