"""Where nothing tells a line, the coach seeks the one that is all that has to change."""

import ast
import copy
import textwrap

import pytest

from helpers.coach.exercise import judge
from helpers.coach.form import finding
from helpers.coach.judging import sandbox
from helpers.coach.mistakes import edits
from tests.coach_cells import cell

pytestmark = pytest.mark.coach

CHANGED = "is all that has to change"


def verdict_on(id, text):
    exercise = finding.find(id)
    return judge(exercise, cell(textwrap.dedent(text), exercise.asks))[0]


@pytest.mark.parametrize(
    "id, line, text",
    [
        (
            "shares-1",
            4,
            """
            def shares(numbers):
                # a list, for it is gone through twice
                numbers = list(numbers)
                return [100 * number / sum(numbers) for number in numbers]
            """,
        ),
        (
            "by-hand-1",
            7,
            """
            def run_alone(coro):
                pauses = 0
                while True:
                    try:
                        got = coro.send(None)
                        # a comment stays where it is
                        pauses += got is not None
                    except StopIteration as end:
                        return end.value, pauses
            """,
        ),
        (
            "take-1",
            5,
            """
            from itertools import islice

            def take(source, n):
                # as many as are asked for
                yield from islice(source, n - 1 if n else 0)
            """,
        ),
    ],
)
def test_the_line_that_is_all_that_has_to_change_is_named(id, line, text):
    verdict = verdict_on(id, text)
    assert verdict.status == "not yet"
    assert verdict.line == line, verdict.text()
    code = textwrap.dedent(text).strip().splitlines()[line - 1].strip()
    assert verdict.at == f"Line {line} {CHANGED}: `{code}`."


def test_a_line_that_only_has_to_stand_elsewhere_is_told_as_that():
    verdict = verdict_on(
        "fixture-1",
        """
        import contextlib

        async def kitchen(oven, fridge):
            async with contextlib.AsyncExitStack() as stack:
                for device in (oven, fridge):
                    stack.push_async_callback(device.off)
                    await device.on()
                yield oven, fridge
        """,
    )
    assert verdict.at == (
        "Line 6 stands in the wrong place: `stack.push_async_callback(device.off)`."
    ), verdict.text()


def test_it_is_sought_where_answers_go_with_the_real_clock_too():
    verdict = verdict_on(
        "deliver-1",
        """
        async def deliver(next_line, waiting):
            while line := await next_line():
                number, _, answer = line.partition(b" ")
                if answer:
                    waiting.pop(number).set_result(answer)
            for future in waiting.values():
                future.set_exception(ConnectionError("the other side hung up"))
        """,
    )
    assert finding.find("deliver-1").clock == "real"
    assert verdict.line == 4 and CHANGED in verdict.at, verdict.text()


def test_changes_without_an_end_do_not_end_the_search():
    """Most changes of the `while` go round for ever, and come before that of the `if`."""
    verdict = verdict_on(
        "collect-1",
        """
        def run_all(generators):
            results = [None for _ in generators]
            places = list(range(len(generators)))
            while places:
                still = []
                for place in places:
                    try:
                        generators[place].send(None)
                    except StopIteration as stop:
                        if stop.value:
                            results[place] = stop.value
                    else:
                        still.append(place)
                places = still
            return results
        """,
    )
    assert verdict.line == 10 and CHANGED in verdict.at, verdict.text()


@pytest.mark.parametrize(
    "id, old, new, hint",
    [
        ("collect-1", "= end.value", "= end.value or None", edits.FALSY),
        ("shares-1", "number / total", "100 * number / total", edits.PART),
        ("merge-1", "in streams", "in streams[:2]", edits.NUMBER),
    ],
)
def test_the_kind_of_change_that_makes_it_right_is_told(id, old, new, hint):
    text = finding.find(id).solution()
    assert text.count(old) == 1, text
    verdict = verdict_on(id, text.replace(old, new))
    assert verdict.try_ == hint, verdict.text()


def test_a_search_that_finds_nothing_says_nothing():
    verdict = verdict_on("by-hand-1", "def run_alone(coro):\n    return [], 7\n")
    assert verdict.status == "not yet" and verdict.line is None and not verdict.at


def test_what_may_delete_a_file_is_not_tried_with_changes():
    said = "    import os\n    os.path.exists('/')\n"
    text = "def run_alone(coro):\n" + said + "    return None, 0\n"
    right = finding.find("by-hand-1").solution().replace("+= 1", "+= 2")
    assert verdict_on("by-hand-1", right).line
    reaching = right.replace("    pauses = 0\n", said + "    pauses = 0\n")
    assert reaching != right and verdict_on("by-hand-1", reaching).line is None
    assert verdict_on("by-hand-1", text).line is None


def test_a_change_that_never_ends_ends_the_search_in_time(monkeypatch):
    """Without its second line this one goes round for ever, in a way that no error stops."""
    verdict = verdict_on(
        "by-hand-1",
        """
        def run_alone(coro):
            rounds = 3
            while rounds:
                try:
                    rounds -= 1
                except BaseException:
                    pass
            return None, 0
        """,
    )
    assert verdict.status == "not yet" and verdict.line is None
    assert verdict_on("by-hand-1", finding.find("by-hand-1").solution()).status == "solved"


def test_a_judge_that_dies_in_the_search_costs_the_line_alone(monkeypatch):
    monkeypatch.setattr(sandbox, "SEEK", 0.0)
    text = "def run_alone(coro):\n    return [], 7\n"
    for _ in range(2):
        verdict = verdict_on("by-hand-1", text)
        assert verdict.kind == "stopped early" and verdict.line is None


PROGRAM = '''
class Box:
    """Holds one thing."""

    def __init__(self, thing=0):
        self.thing = thing

    async def take(self, wait, most=3):
        try:
            for number in range(1, most):
                if not self.thing or number < 2:
                    await wait(number, most)
                    continue
                return self.thing
        except ValueError as error:
            return error
        finally:
            self.thing = None
        total = number + 1
        return [one for one in (total, most) if one]
'''


def test_each_edit_is_one_change_and_is_taken_back():
    tree = ast.parse(PROGRAM)
    whole = ast.dump(tree, include_attributes=True)
    seen, ranks = set(), []
    for edit in edits.edits(tree):
        changed = ast.unparse(ast.fix_missing_locations(copy.deepcopy(tree)))
        assert 5 <= edit.line <= 20
        seen.add(changed)
        ranks.append(edit.rank)
    assert ast.dump(tree, include_attributes=True) == whole
    assert ranks == sorted(ranks) and set(ranks) == {0, 1, 2, 3}
    assert ast.unparse(tree) not in seen
    for change in (
        "range(1, most - 1)",
        "if self.thing is None or number < 2:",
        "if not self.thing or number <= 2:",
        "wait(most, number)",
        "except BaseException as error:",
        "raise error",
        "total += number + 1",
        "return [one for one in (total, most) if not one is None]",
    ):
        assert any(change in one for one in seen), change
