"""What an answer returns or raises is told by the name of the mistake, with its line."""

import pickle
import re
import textwrap

import pytest

from helpers.coach.exercise import judge
from helpers.coach.form import finding
from helpers.coach.judging.lab import Lab
from helpers.coach.mistakes.catalogue import KINDS
from helpers.coach.mistakes.source import Source
from tests.coach_cells import FIXTURES, HEAD, RIGHT, answer, ask, cell

pytestmark = pytest.mark.coach


def test_broken_things_are_shown_by_type():
    before = """
    class Broken:
        def __repr__(self): raise ValueError
        def __eq__(self, other): raise ValueError
        def __reduce__(self): raise ValueError
    """
    verdict = ask("t-together", answer("return Broken()", before))
    assert verdict.kind == "value" and "<Broken whose repr fails>" in verdict.observed
    assert (
        ask("t-predict", cell(HEAD + textwrap.dedent(before) + "thing = Broken()", "thing")).status
        == "not yet"
    )
    assert ask("t-together", answer("return threading.Lock()")).kind == "value"
    assert (
        ask(
            "t-together",
            answer(
                "raise Broken2()",
                "class Broken2(Exception):\n    def __str__(self): raise ValueError\n",
            ),
        ).kind
        == "raised"
    )


@pytest.mark.parametrize(
    "body, kind, line, words",
    [
        ("asyncio.sleep(1)\n" + RIGHT.strip(), "not awaited", 3, "`sleep`"),
        ("page = asyncio.sleep(0, [1])\nreturn page[0]", "not awaited", 3, "'coroutine' object"),
        ("return fetch('a')", "not awaited", 3, "`fetch`"),
        ("return asyncio.create_task(fetch('a'))", "leaked", 3, "1 task"),
        (
            "from collections.abc import Coroutine\nclass Own(Coroutine):\n"
            "    def __await__(self): yield\n"
            "    def send(self, value): return asyncio.sleep(1).__await__().send(None)\n"
            "    def throw(self, error): raise error\n"
            "asyncio.create_task(Own())\nawait asyncio.sleep(0)\nreturn list(urls)",
            "leaked",
            None,
            "1 task still ran",
        ),
        ("coroutine = fetch('a')\nawait coroutine\nawait coroutine", "awaited twice", 5, ""),
        ("asyncio.run(fetch('a'))", "nested run", 3, "asyncio.run"),
        (
            "asyncio.get_running_loop().run_until_complete(fetch('a'))",
            "nested run",
            3,
            "already running",
        ),
        ("return [fetch(url)[0] for url in urls]", "not awaited", 3, ""),
        ("raise ValueError('no')", "raised", 3, "ValueError: no"),
        ("return await gather()", "raised", 3, "run those cells first"),
        ("input('?')", "raised", 3, "leave `input()` out"),
        ("await fetch('a')()", "raised", 3, "the parentheses"),
        ("import collections\ncollections.deque().popleft()", "raised", 4, "Nobody is left"),
        ("[].popleft()", "raised", 3, "`deque(…)` makes a queue"),
        (
            "async with asyncio.TaskGroup() as group:\n"
            "    return group.create_task(fetch('a')).result()",
            "raised",
            4,
            "where its block ends",
        ),
        ("await asyncio.wait([fetch('a')])", "raised", 3, "makes one of a coroutine"),
        ("await asyncio.wait({'a': asyncio.create_task(fetch('a'))})", "raised", 3, "the keys"),
        ("await asyncio.create_task(fetch)", "raised", 3, "Call the function"),
        ("await fetch", "raised", 3, "Call the function"),
        ("async def items():\n    yield 1\nawait items()", "raised", 5, "use `async for`"),
        ("await None", "raised", 3, "takes coroutines"),
        # Python 3.14 has other words for these three.
        ("raise TypeError(\"'function' object can't be awaited\")", "raised", 3, "Call the func"),
        (
            "raise TypeError(\"'async_generator' object can't be awaited\")",
            "raised",
            3,
            "use `async for`",
        ),
        ("raise TypeError(\"'NoneType' object can't be awaited\")", "raised", 3, "takes corout"),
        ("return [url async for url in urls]", "raised", 3, "is read by `for`"),
        ("async def items():\n    yield 1\nlist(items())", "raised", 5, "is read by `async for`"),
        (
            "async with asyncio.timeout(1):\n    return [await fetch(url) for url in urls]",
            "raised",
            (3, 4),
            "TimeoutError",
        ),
        ("asyncio.create_task(boom())\n" + RIGHT.strip(), "lost error", None, "ValueError: boom"),
        (
            "async with asyncio.TaskGroup() as group:\n    group.create_task(boom())",
            "raised",
            None,
            "ValueError: boom (in ExceptionGroup)",
        ),
        ("for url in urls:\n    yield await fetch(url)", "not async", 4, "async generator"),
    ],
)
def test_mistakes_in_async_code_are_named(body, kind, line, words):
    verdict = ask(
        "t-together",
        answer(
            body, before="async def boom(): raise ValueError('boom')\n" if "boom()" in body else ""
        ),
    )
    assert verdict.kind == kind, verdict.text()
    if line:
        assert verdict.line in (line if isinstance(line, tuple) else (line,)), verdict.text()
    assert words in verdict.text()


@pytest.mark.parametrize("name", ["Deadlock", "Stuck"])
def test_an_error_of_ones_own_is_not_taken_for_the_coachs(name):
    verdict = ask("t-together", answer(f"raise {name}", f"class {name}(Exception): pass\n"))
    assert (verdict.kind, verdict.line) == ("raised", 4), verdict.text()
    assert f"It raised {name}." in verdict.observed


def test_a_leaked_task_is_found_before_it_is_collected():
    # Nothing but its own queue knows such a task, so that the collector takes it for garbage.
    before = """
    async def drain(queue):
        while True:
            await queue.get()
    def start():
        asyncio.create_task(drain(asyncio.Queue()))
    """
    body = """
    for _ in range(5):
        start()
    await asyncio.sleep(1)
    for _ in range(200_000):  # enough of them to start it
        circle = []
        circle.append(circle)
    """
    for _ in range(3):
        verdict = ask("t-together", answer(body, before, right=True), limit=10)
        assert verdict.kind == "leaked", verdict.text()
        assert "5 tasks still ran: `drain`" in verdict.observed


def test_a_helper_of_another_cell_is_named_with_its_line():
    names = cell("import asyncio\n\nasync def one(fetch, url):\n    await asyncio.Event().wait()")
    wanted = cell(
        "async def fetch_all(fetch, urls):\n    return [await one(fetch, url) for url in urls]",
        "fetch_all",
    )
    wanted.__globals__.update(one=names["one"])
    verdict = ask("t-together", wanted)
    assert verdict.kind == "deadlock"
    assert "Line 4 of the cell with `one`" in verdict.at


def test_generators_that_a_check_hands_over_show_on_one_timeline():
    exercise = finding.find("robin-1")
    program = exercise.right_programs()[0]
    verdict, recording = judge(exercise, cell(program.text, exercise.asks))
    assert verdict.status == "solved"
    names = [lane.name for lane in pickle.loads(recording).lanes if lane.kind == "generator"]
    assert names == ["A", "B", "C"]


def test_lines_are_those_of_the_cell():
    text = (
        "# one\n\npass\nimport asyncio\n\n\n"
        "async def fetch_all(fetch, urls):\n    await asyncio.Event().wait()\n"
    )
    verdict = ask("t-together", cell(text, "fetch_all"))
    assert verdict.line == 8 and "Line 8 waits" in verdict.text()


def test_every_kind_of_the_course_can_be_told():
    """The mistakes that the coach promises to tell apart are there, each with its headline."""
    for kind in (
        "not awaited",
        "sequential",
        "blocked",
        "deadlock",
        "spin",
        "hog",
        "swallowed",
        "leaked",
        "limit",
        "nested run",
        "value",
        "order",
        "lost error",
        "raised",
    ):
        assert re.fullmatch(r"[A-Za-z].*[^.]", KINDS[kind].headline)
    headlines = [kind.headline for kind in KINDS.values()]
    assert len(headlines) == len(set(headlines))
    assert {
        program.kind
        for entry in finding.entries(FIXTURES)
        for exercise in [finding.find(entry.id, FIXTURES)]
        for program in exercise.wrong_programs()
    } >= {"sequential", "not awaited", "order", "value"}


def test_an_error_text_with_a_full_stop_gets_no_second_one():
    answered = cell("def double(number):\n    raise ValueError('It is over.')", "double")
    text = ask("t-plain", answered).text()
    assert "ValueError: It is over." in text and ".." not in text


def test_what_a_check_tells_of_a_call_stands_for_that_call_alone():
    async def double(number):
        return 2 * number

    lab = Lab("double", "virtual", Source(()))
    lab.told("with a number")
    assert lab.run(double, 2).result == 4
    assert lab.called == "I called `double` with a number."
    lab.run(double, 3)
    assert lab.called == "I called `double(3)`."
    lab.told("in a coroutine of ours")
    lab.run(double(4))
    assert lab.called == "I called `double` in a coroutine of ours."
    lab.call(str, 5)
    assert lab.called == "I called `double(5)`."


@pytest.mark.parametrize(
    "body, given",
    [
        ("return await asyncio.gather(fetch(url) for url in urls)", "one generator"),
        ("return await asyncio.gather(\n    fetch(url) for url in urls\n)", "one generator"),
        ("return await asyncio.gather([fetch(url) for url in urls])", "one list"),
        ("tasks = map(fetch, urls)\nreturn await asyncio.gather(tasks)", "one map"),
    ],
)
def test_gather_without_a_star_is_told_of_the_star(body, given):
    verdict = ask("t-together", answer(body))
    assert verdict.kind == "one argument for many" and given in verdict.observed
    assert "gather(" in verdict.at and "star" in verdict.try_


def test_a_condition_without_its_lock_is_told_of_the_lock():
    body = "changed = asyncio.Condition()\nawait changed.wait()"
    verdict = ask("t-together", answer(body))
    assert verdict.headline == "raised RuntimeError" and "must hold its lock" in verdict.try_
