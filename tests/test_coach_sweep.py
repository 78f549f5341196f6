"""The sweep: an answer is asked with many cases, and behaves in each as the model does.

Long, for a case can go wrong in many ways.
"""

import ast
import asyncio
import json
import pickle
import subprocess
import sys

import pytest

from helpers.coach.exercise import judge
from helpers.coach.form import finding
from helpers.coach.form.statement import Wrong
from helpers.coach.form.sweeps import sweep
from helpers.coach.judging import sweeping
from helpers.coach.judging.cases import cases_of, drawn, smaller_than, spread, ways_of
from helpers.coach.judging.lab import Lab
from helpers.coach.judging.runs import Run
from helpers.coach.judging.seen import Seen
from helpers.coach.judging.sweeping import Sweeping
from helpers.coach.judging.twists import caught_in
from helpers.coach.judging.what_if import changes
from helpers.coach.mistakes.source import Source
from tests.coach_cells import FIXTURES, ask, cell

SWEEP = finding.find("t-sweep", FIXTURES).sweeps[0]
HEAD = "import asyncio\n\n\nasync def fetch_all(fetch, urls):\n"
ALL = "await asyncio.gather(*(fetch(url) for url in urls))"


def judged(body, head=HEAD):
    return ask("t-sweep", cell(head + body, "fetch_all"))


def test_the_model_does_as_the_model_does():
    solution = finding.find("t-sweep", FIXTURES).solution()
    assert ask("t-sweep", cell(solution, "fetch_all")).status == "solved"


def test_a_case_in_which_the_model_computes_for_long_has_time_for_it():
    """`many_numbers` computes twice as long as the check's own limit, whoever is asked."""
    assert finding.find("t-many", FIXTURES).limit < 0.6
    right = cell("def squares(numbers):\n    return [one**2 for one in numbers]", "squares")
    assert ask("t-many", right).status == "solved"


@pytest.mark.parametrize(
    "body, kind, words",
    [
        (f"    return [page or None for page in {ALL}]", "value", "It returned [None]; expected ["),
        (f"    return list(dict(zip(urls, {ALL})).values())", "value", "(fetch, ['a', 'a'])`"),
        (
            "    return [await fetch(url) for url in urls]",
            "late",
            "took 3 s; it can be done in 2 s",
        ),
        (f"    return ({ALL})[:1000]", "value", " That is 1,000 items; expected 1,100."),
        (f"    return ({ALL})[:1000] + urls[1000:]", "value", "1,001 is 'a'; expected 'page'."),
        (
            f"    return {ALL}",
            "leaked",
            "raised OSError for 'a'. It ended with OSError, and 1 task still ran",
        ),
        (
            f"    {ALL}\n    return {ALL}",
            "calls",
            "It called `fetch` 2 times; expected 1 call. One with 'b' was too many.",
        ),
        (f"    await asyncio.sleep(9)\n    return {ALL}", "late", "`fetch_all(fetch, [])`"),
        (
            f"    pages = {ALL}\n    if pages[999:]:\n        pages[999] = ''\n    return pages",
            "value",
            "Number 1,000 is ''; expected 'page'.",
        ),
        (
            f"    pages = {ALL}\n    return pages[:1000]",
            "value",
            "That is 1,000 items; expected 1,100.",
        ),
        (
            "    if len(urls) > 1000:\n        raise RecursionError\n    return " + ALL,
            "recursion",
            "['a', 'a', 'a'",
        ),
    ],
)
def test_the_smallest_case_is_the_message(body, kind, words):
    verdict = judged(body)
    assert verdict.kind == kind, verdict.text()
    assert words in verdict.text()


TIDY = """\
    tasks = [asyncio.create_task(fetch(url)) for url in urls]
    try:
        return await asyncio.gather(*tasks)
    except CAUGHT:
        DONE
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
"""


@pytest.mark.parametrize(
    "caught, done, kind, words",
    [
        ("TimeoutError", "return []", "lost error", "`TimeoutError: fetch failed` had to come out"),
        # No call of a service is asked to raise this one, were it not for the answer's `except`.
        ("KeyError", "return []", "lost error", "`fetch` raised KeyError for 'a'."),
        ("OSError", "raise ValueError('no')", "another error", "It raised `ValueError: no`"),
        ("asyncio.CancelledError", "return []", "swallowed", "cancelled `fetch_all` after 0.5 s."),
    ],
)
def test_each_call_fails_in_turn_and_it_is_cancelled_at_each_wait(caught, done, kind, words):
    verdict = judged(TIDY.replace("CAUGHT", caught).replace("DONE", done))
    assert verdict.kind == kind, verdict.text()
    assert words in verdict.text()
    line = TIDY[: TIDY.index("except" if kind != "another error" else "DONE")].count("\n") + 5
    assert verdict.line == line, verdict.text()


def test_what_an_answer_catches_is_known_by_its_names():
    tree = ast.parse(
        "try:\n    work()\nexcept (KeyError, asyncio.InvalidStateError): pass\n"
        "except UnicodeDecodeError: pass\nexcept StopAsyncIteration: pass\n"
        "except asyncio.QueueShutDown: pass\nexcept asyncio.CancelledError: pass\n"
        "except MyError: pass\nexcept Exception: pass\n"
        "with suppress(IndexError):\n    work()\n"
    )
    assert caught_in(ast.walk(tree)) == [IndexError, asyncio.InvalidStateError, KeyError]


def test_what_no_answer_sees_is_no_cause():
    tree = ast.parse("def answer(items):\n    return {item: 1 for item in items}")
    case = {"items": ["a", "b"], "waits": [1, 1]}
    assert [*changes(case, [*ast.walk(tree)])]
    assert not [*changes(case, [*ast.walk(tree)], ["waits"])]
    crawl = finding.find("crawl-whole-1").sweeps[0]
    assert "tries" in ways_of(crawl)


def test_a_recursion_that_is_too_deep_has_the_line_that_calls_on():
    before = "    tasks = [asyncio.create_task(fetch(url)) for url in urls]\n    if tasks:\n"
    before += "        await asyncio.wait(tasks)\n    results = [task.result() for task in tasks]\n"
    inner = "    def copied(pages):\n        if not pages:\n            return []\n"
    inner += "        first = (lambda: pages[:1])()\n        return first + copied(pages[1:])\n\n"
    verdict = judged(f"{before}\n{inner}    return copied(results)")
    assert verdict.kind == "recursion" and verdict.line == 14, verdict.text()


def test_on_the_real_clock_no_smaller_case_is_looked_for(monkeypatch):
    exercise = finding.find("script-1")
    lab = Lab("start", "real", Source(()))
    looked = []
    monkeypatch.setattr(sweeping, "smaller_than", lambda case, sweep: looked.append(case) or [])

    def answer(main):
        return "never this"

    with pytest.raises(Wrong, match="It returned 'never this'"):
        Sweeping(exercise, lab, lambda: answer, lambda took: None).judge(answer)
    assert not looked


def test_a_list_that_belongs_to_the_caller_stays_as_it_is():
    verdict = judged(
        "    tasks = []\n    while urls:\n        tasks.append(fetch(urls.pop(0)))\n"
        "    return await asyncio.gather(*tasks)"
    )
    assert (verdict.kind, verdict.line) == ("changed", 7), verdict.text()
    assert "Afterwards that was []" in verdict.observed


def test_a_list_that_a_sweep_has_made_stays_as_it_is_too():
    class Made:
        id, clock, sweeps = "made", "real", []

        def any_items(self, count_all, lab, items):
            return count_all(lab.own(list(items)))

    def judge(count_all):
        play = sweep(lambda some: {"items": some.just("ab")}, most=1)(Made.any_items)
        Made.sweeps = [play.coach_sweep]
        Made.solution, Made.asks = staticmethod(lambda: "count_all = len"), "count_all"
        lab = Lab("count_all", "real", Source(()))
        Sweeping(Made, lab, lambda: count_all, lambda took: None).judge(count_all)

    def empties(items):
        count = len(items)
        items.clear()
        return count

    judge(len)
    with pytest.raises(Wrong, match=r"I gave it \['a', 'b'\]. Afterwards that was \[\]"):
        judge(empties)


def test_what_an_earlier_call_left_is_named_as_that():
    head = HEAD.replace("urls):", "urls, pages={}):")
    body = "    for url in urls:\n        if url not in pages:\n            pages[url] = "
    verdict = judged(f"{body}await fetch(url)\n    return [pages[url] for url in urls]", head)
    assert verdict.kind == "shared state" and "not the first call" in verdict.observed, (
        verdict.text()
    )


def test_the_timeline_of_a_solved_exercise_is_that_of_its_sample():
    exercise = finding.find("t-sweep", FIXTURES)
    _, recording = judge(exercise, cell(exercise.solution(), "fetch_all"))
    assert pickle.loads(recording).duration == 2


JOINED = """\
    queue, pages = asyncio.Queue(), {}
    for place, url in enumerate(urls):
        queue.put_nowait((place, url))

    async def worker():
        while True:
            place, url = await queue.get()
            pages[place] = await fetch(url)
            queue.task_done()

    tasks = [asyncio.create_task(worker()) for _ in range(len(urls) + 1)]
    await queue.join()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return [pages[place] for place in range(len(urls))]
"""


def test_a_join_that_hears_of_no_error_is_pointed_at():
    verdict = judged(JOINED)
    assert verdict.kind == "deadlock" and "`worker` had ended with OSError" in verdict.observed
    assert "await queue.join()" in (HEAD + JOINED).splitlines()[verdict.line - 1], verdict.text()
    assert "stays in the worker's task" in verdict.try_


def test_a_row_that_all_calls_share_gives_them_a_wrong_order():
    head = HEAD.replace("async def", "pages = []\n\n\nasync def")
    body = "    pages[:] = [await fetch(url) for url in urls]\n    return pages[::-1]"
    verdict = judged(body, head)
    assert (verdict.kind, verdict.line) == ("order", 4), verdict.text()


@pytest.mark.parametrize(
    "asked, got, kind",
    [
        ((3, 0.05), (3, 0), None),
        ((3, 0), (3, 0.08), None),
        ((3, 0), (3.08, 0.08), None),
        ((3.08, 0.08), (3, 0), None),
        ((3, 0.05), (3.5, 0), "late"),
        ((3, 0), (2.9, 0.05), "early return"),
    ],
)
def test_a_clock_that_went_with_the_real_one_decides_nothing(asked, got, kind):
    lab = Lab("fetch_all", "virtual", Source(()))
    found = None
    try:
        lab.seen(run_of(*asked)).differ(lab, lab.seen(run_of(*got)))
    except Wrong as wrong:
        found = wrong.kind
    assert found == kind


def run_of(elapsed, outside):
    """A Run that took so many seconds, some of them in real time."""
    run = Run()
    run.elapsed, run.outside = elapsed, outside
    return run


@pytest.mark.parametrize(
    "body, line",
    [
        (f"    pages = {ALL}\n    return [page or None for page in pages]", "page or None"),
        (f"    pages = {ALL}\n    return [page for page in pages if page]", "if page"),
        (f"    if urls:\n        return ({ALL})[:3]\n    return []", None),
    ],
)
def test_a_value_that_counts_as_false_and_one_that_all_share_have_a_line(body, line):
    head = HEAD.replace("async def", "last = []\n\n\nasync def")
    verdict = judged(body, head)
    assert verdict.kind == "value", verdict.text()
    if line is None:
        assert verdict.line is None, verdict.text()
    else:
        assert line in (head + body).splitlines()[verdict.line - 1]


@pytest.mark.parametrize(
    "body, kind, line",
    [
        (
            f"    if not all({ALL}):\n        raise ValueError('nothing came')\n    return {ALL}",
            "raised",
            "raise ValueError",
        ),
        (
            f"    pages = {ALL}\n    for page in pages:\n        if not page:\n"
            "            raise ValueError('nothing came')\n    return pages",
            "raised",
            "if not page:",
        ),
        (
            "    known = {}\n    for url in urls:\n        known[url] = url\n"
            "    pages = await asyncio.gather(*map(fetch, known))\n"
            "    return [pages[list(known).index(url)] for url in urls]",
            "calls",
            "known[url] = ",
        ),
    ],
)
def test_the_line_that_a_mistake_turns_on(body, kind, line):
    verdict = judged(body)
    assert verdict.kind == kind, verdict.text()
    assert line in (HEAD + body).splitlines()[verdict.line - 1], verdict.text()


def test_what_may_matter_in_a_case_is_changed_in_turn():
    tree = ast.parse("try: f(x or 1)\nexcept OSError: pass\nkept[x] = 1")
    case = {"pages": {0: ""}, "rows": [(1, KeyError), (1, KeyError)]}
    found = [(change.case, change.suspect.line) for change in changes(case, [*ast.walk(tree)])]
    assert found == [
        ({"pages": {2: ""}, "rows": case["rows"]}, 1),
        ({"pages": {0: "full"}, "rows": case["rows"]}, 1),
        ({"pages": {0: ""}, "rows": [(1, OSError), (1, OSError)]}, 2),
        ({"pages": {0: ""}, "rows": [(1, KeyError)]}, 3),
    ]


@pytest.mark.parametrize(
    "got, told",
    [
        (OSError("a"), None),
        (ExceptionGroup("", [ExceptionGroup("", [OSError("a")])]), None),
        (OSError("b"), "It raised `OSError: b`"),
        (ExceptionGroup("", [OSError("a"), KeyError("c")]), "expected"),
    ],
)
def test_an_error_may_come_alone_or_in_a_group(got, told):
    lab = Lab("fetch_all", "virtual", Source(()))
    runs = Run(), Run()
    runs[0].error, runs[1].error = ExceptionGroup("", [OSError("a")]), got
    asked, made = (Seen(run, (), ("seconds", "group")) for run in runs)
    if told is None:
        asked.differ(lab, made)
    else:
        with pytest.raises(Wrong) as found:
            asked.differ(lab, made)
        assert told in found.value.observed


# Cases


def test_cases_grow_and_are_none_one_and_twice_the_same():
    cases = cases_of(SWEEP)
    assert len(cases) == SWEEP.most + 1 and cases[-1] is SWEEP.besides[0]
    sizes = [len(repr(case)) for case in cases[:-1]]
    assert sizes == sorted(sizes)
    urls = [case["urls"] for case in cases]
    assert [] in urls and any(len(each) == 1 for each in urls)
    assert any(len(set(each)) < len(each) < 9 for each in urls)
    assert all(case in drawn(SWEEP) for case in smaller_than(cases[-2], SWEEP))


def test_everybody_is_asked_the_same_whatever_is_loaded_and_whatever_was_drawn_before():
    again = """
import json, sys
import helpers, fractions, decimal
from tests.coach_cells import FIXTURES
from helpers.coach.form import finding
from helpers.coach.judging.cases import drawn
from hypothesis import find, strategies
find(strategies.integers(), lambda number: number > 3)
print(json.dumps(drawn(finding.find("t-sweep", FIXTURES).sweeps[0])))
"""
    said = subprocess.run(
        [sys.executable, "-c", again], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(said.stdout) == json.loads(json.dumps(drawn(SWEEP)))


def test_numbers_are_drawn_without_a_look_at_the_source():
    numbers = sweep(lambda some: {"n": some.integers(0, 10**9)}, most=30)(lambda: None).coach_sweep
    assert 987_654_321 not in [case["n"] for case in drawn(numbers)]  # which stands here


def test_a_few_of_a_list_from_its_first_item_on():
    assert spread([1, 2, 3], 5) == [1, 2, 3]
    assert spread(list(range(10)), 5) == [0, 2, 4, 6, 8]
    assert spread([], 3) == []


def test_the_card_loads_no_hypothesis():
    look = """
import sys
from tests.coach_cells import FIXTURES
from helpers.coach.form import finding
finding.find("t-sweep", FIXTURES)
assert "hypothesis" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", look], check=True, timeout=60)


def test_what_is_cancelled_and_not_awaited_is_still_running():
    async def goes(fetch):
        task = asyncio.create_task(fetch("a"))
        await asyncio.sleep(0.5)
        task.cancel()

    async def waits(fetch):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(fetch("a"), 0.5)

    lab = Lab("answer", "virtual", Source(()))
    lab.run(goes, lab.service(1))
    lab.run(waits, lab.service(1, cleanup=0.2))
    with pytest.raises(Wrong, match="1 task still ran"):
        lab.run(goes, lab.service(1, cleanup=0.2))


@pytest.mark.parametrize(
    "changed, words",
    [
        ({"item 8": 0}, "At 'item 8' stands 0; expected 8."),
        ({"item 10": 10}, "Nobody asked for 'item 10', which is in it."),
        ({"item 8": None}, "At 'item 8' stands None; expected 8."),
    ],
)
def test_two_dicts_that_look_the_same_where_they_are_cut_are_told_apart(changed, words):
    asked = {f"item {number}": number for number in range(10)}
    lab = Lab("answer", "virtual", Source(()))
    with pytest.raises(Wrong) as found:
        lab.equal(asked | changed, asked)
    assert found.value.observed.endswith(words)
    with pytest.raises(Wrong) as found:
        lab.equal({name: asked[name] for name in list(asked)[:9]}, asked)
    assert found.value.observed.endswith("There is no 'item 9' in it.")
