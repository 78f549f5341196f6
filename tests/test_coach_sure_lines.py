"""Lines that a message may name without a doubt: by what ran, or where only one can be meant.

Long, for there are many such lines, and each is tried where it is sure and where it is not.
"""

import ast
import asyncio
import contextlib
import sys

import pytest

from helpers.coach.form.statement import Wrong
from helpers.coach.judging.seen import differ_in_error
from helpers.coach.judging.what_if import changes
from helpers.coach.mistakes import suspects
from tests.test_coach_lines import ABOVE, lab_of

pytestmark = pytest.mark.coach

TRY = """\
async def answer(fetch):
    try:
        return await fetch(1)
    except {caught}:
        {then}
"""


def raised_in(text):
    """The lab of an answer whose `fetch` raised OSError, and that error."""
    lab, _ = lab_of(text)
    names, error = {"suppress": contextlib.suppress}, OSError("no way")

    async def fetch(page):
        raise error

    exec(compile("\n" * ABOVE + text, lab.text.main, "exec"), names)
    try:
        asyncio.run(names["answer"](fetch))
    except (OSError, ValueError) as came:
        error = came
    return lab, error


@pytest.mark.parametrize(
    "caught, then, line", [("OSError", "return None", 6), ("OSError", "raise", None)]
)
def test_a_swallowed_error_ends_its_traceback_where_that_was(caught, then, line):
    lab, error = raised_in(TRY.format(caught=caught, then=then))
    kept = lab.text.keeper(error)
    assert (kept and kept.line) == line


@pytest.mark.parametrize("caught, line", [("TimeoutError", 6), ("OSError", 5)])
def test_an_error_is_let_out_by_the_handler_for_others_or_where_it_is_raised(caught, line):
    lab, error = raised_in(TRY.format(caught=caught, then="raise"))
    assert lab.text.let_out(error) == (lab.text.main, line)


ROUND = """\
async def answer(fetch):
    try:
        for page in range(3):
            await fetch(page)
    except OSError:
        pass
"""

TURN = """\
async def answer(fetch):
    for page in range(3):
        try:
            await fetch(page)
        except OSError:
            pass
"""

CALLED = """\
async def a_round(fetch):
    while True:
        await fetch(0)


async def answer(fetch):
    while True:
        try:
            await a_round(fetch)
        except OSError:
            return
"""


@pytest.mark.parametrize("text, line", [(ROUND, 5), (TURN, None), (CALLED, 4)])
def test_a_loop_is_broken_off_where_the_error_is_caught_outside_of_it(text, line):
    lab, error = raised_in(text)
    assert lab.text.broken_off(error) == line


FINALLY = """\
async def answer(fetch):
    class box:
        put = cancel = lambda: None
    try:
        await fetch(1)
    finally:
        box.put()
        {then}
"""


@pytest.mark.parametrize("then, line", [("pass", 9), ("box.cancel()", None)])
def test_an_error_is_held_up_by_a_wait_in_a_finally_for_what_is_not_cancelled(then, line):
    lab, error = raised_in(FINALLY.format(then=then))
    assert lab.text.held_up(error) == line


KEEPERS = {
    "return await asyncio.gather(fetch(1), return_exceptions=True)": 4,
    "return await asyncio.gather(fetch(1), return_exceptions=False)": None,
    "with contextlib.suppress(OSError): await fetch(1)": 4,
    "with contextlib.suppress(KeyError): await fetch(1)": None,
    "try: await fetch(1)\n    finally: return 1": 5,
    "try: await fetch(1)\n    except* OSError: pass": 5,
    "try: await fetch(1)\n    except OSError: pass\n    except Exception: pass": 5,
    "try: await fetch(1)\n    except OSError:\n        if fetch: raise": None,
    "with contextlib.suppress(OSError): await fetch(1)\n    "
    "with contextlib.suppress(OSError): await fetch(2)": None,
}


@pytest.mark.parametrize("body, line", KEEPERS.items())
def test_what_keeps_an_error_is_named_where_there_is_one_thing(body, line):
    lab, _ = lab_of(f"async def answer(fetch):\n    {body}\n")
    assert lab.keeping(OSError) == line


VALUES = [
    ("for page in pages:\n        pages.remove(page)", [2], [1, 2], 5),
    ("for page in pages:\n        if page: pages.remove(page)", [2], [1, 2], 5),
    ("for page in pages:\n        pages.remove(page)\n        break", [2], [1, 2], None),
    ("for page in list(pages):\n        pages.remove(page)", [2], [1, 2], None),
    ('return pages.lstrip("TEA ").strip()', "", "A TEA", 4),
    ('pages = pages.strip(" ")\n    return pages.rstrip()', "", "A TEA", None),
    ("if not pages:\n        return None\n    return pages", None, [], 4),
    ("return pages or None", None, 0, 4),
    ("return [page for page in pages if page]", [1], [1, 0], 4),
    ("return [page for page in pages if page and page > 1 or page]", [2], [2, 1], None),
    ("return list(filter(None, pages))", [1], [0, 1], 4),
    ("return pages", None, 0, None),
    ("return 'Ada'", "Ada", "Grace", 4),
    ("return dict.fromkeys(pages)", {"a": None, "b": 1}, {"b": 1}, 4),
    ("return list(dict.fromkeys(pages))", [2], [2, 2], 4),
    ("return list(dict.fromkeys(pages))", [2, 4], [2, 6], None),
    ("return round(sum(pages), 2)", 0.33, 1 / 3, 4),
    ("return [round(page, 2) for page in pages]", [1, 0.33], [1, 1 / 3], 4),
    ("return round(pages)", 5, 9, None),
    ("return pages.title()", "Ada", "ada", 4),
    ("return pages.title()", "Eve", "ada", None),
    ("return pages.lstrip('ERROR ')", "", "ROR", 4),
    ("return pages.strip()", b"a", b"a ", 4),
    ("return str(pages)", "0", 0, 4),
    ("return max(0, pages) or None", None, 0, 4),
    ("found = pages and pages[0]\n    if found:\n        return found", None, 0, 5),
    ("while pages and pages[0]:\n        return []", [[]], [[0]], None),
    ("if pages:\n        return [1]\n    return []", ["left"], [], None),
    ("answer.last = pages\n    return answer.last", 2, 1, 4),
    ("return {pages.set(1)}", [0], [0, 0], None),
    ("if pages not in kept:\n        kept[pages] = 1", [1], [1, 1], 4),
    ("return pages[:12]", [*range(12)], [*range(13)], 4),
    ("return pages[:12]", [*range(12)], [*range(1, 14)], None),
    ("return pages[:3]", [1, 2, 3], [1, 2, 3, 4], None),
    ("return min(10, pages)", 10, 38.5, 4),
    ("return min(10, pages)", 7, 38.5, None),
    ("if pages.get(1):\n        return pages", {"a": OSError()}, {"a": ""}, None),
    ("return pages // 4", 16, 16.25, 4),
    ("pages.on = True\n    if pages.on:\n        return pages", [1, 5], [1, 0], None),
    ("pages.append((1, pages))", [(1, 2)], [1], 4),
    ("pages.append((1, pages))", [(1, 2)], [3], None),
    ("pages.append((1, pages))\n    return [(1, page) for page in pages]", [(1, 2)], [1], None),
    ("class Kept:\n        pages = []", 1, 2, 5),
    ("class Kept:\n        mark = object()", 1, 2, None),
]


@pytest.mark.parametrize("body, got, expected, line", VALUES)
def test_a_wrong_value_points_to_the_one_line_that_can_be_meant(body, got, expected, line):
    lab, _ = lab_of(f"def answer(pages):\n    {body}\n")
    found = suspects.of_value(lab.nodes(), got, expected)
    assert (found and found.line) == line


WAITS = [
    ("if full: await free.wait()", 4),
    ("while full: await free.wait()", None),
    ("while True:\n        if full: await free.wait()", None),
    ("if full: await free.wait()\n    if empty: await some.wait()", None),
]


@pytest.mark.parametrize("body, line", WAITS)
def test_a_wait_behind_which_nobody_asks_again(body, line):
    lab, _ = lab_of(f"async def answer():\n    {body}\n")
    assert lab.one_wait().line == line


AROUND = [
    ("with contextlib.suppress(OSError): await fetch(1)", 4),
    ("try: await fetch(1)\n    except OSError: pass", 5),
    ("try: await fetch(1)\n    except OSError: raise", None),
    ("with contextlib.suppress(OSError): await other(1)\n    await fetch(1)", None),
]


@pytest.mark.parametrize("body, line", AROUND)
def test_what_keeps_an_error_of_one_call(body, line):
    lab, _ = lab_of(f"async def answer(fetch, other):\n    {body}\n")
    assert lab.text.kept_around("fetch", OSError) == line


ROUNDS = """\
def answer():
    while one:
        while two:
            step()
            step()
        rest()
    while three:
        step()
    end()
"""


@pytest.mark.parametrize(
    "lines, begins", [([4], 3), ([5, 4], 3), ([4, 6], 2), ([6], 2), ([4, 8], 3), ([9, 4], None)]
)
def test_a_spin_is_named_by_its_while(lines, begins):
    lab, _ = lab_of(ROUNDS)
    found = lab.text.spinning(*(lab.text.place(line + ABOVE) for line in lines))
    assert found == (begins and lab.text.place(begins + ABOVE))


TRUTHS = [
    ("while question:\n        question = next(pages)", 4),
    ("while pages:\n        pages.pop()", None),
    ("if not pages.get(1):\n        return 2", 4),
    ("while not pages.over:\n        pass", None),
    ("return pages or 1", 4),
    ("pages.on = True\n    if pages.on:\n        return 2", None),
    ("if pages[0]:\n        return pages[1] or 2", None),
]


@pytest.mark.parametrize("body, line", TRUTHS)
def test_what_asks_for_the_truth_of_a_value_is_no_question_whether_there_is_more(body, line):
    lab, _ = lab_of(f"def answer(pages):\n    {body}\n")
    found = suspects.of_truth(lab.nodes())
    assert (found and found.line) == line


ERRORS = [
    ("except OSError: pass", 6),
    ("except (OSError, KeyError): pass", None),
    ("except KeyError: pass\n    except OSError: pass", None),
    ("except StopIteration: pass\n    except KeyError: pass", 7),
    ("except OSError:\n        if pages: raise", 7),
]


@pytest.mark.parametrize("handlers, line", ERRORS)
def test_the_handler_that_makes_a_difference_between_two_errors(handlers, line):
    lab, _ = lab_of(f"def answer(pages):\n    try:\n        pages()\n    {handlers}\n")
    found = suspects.of_error(lab.nodes(), OSError, KeyError)
    assert (found and found.line) == line


CLEANUPS = [
    ("pages()\n    pages.close()", 5, None),
    ("try: pages()\n    finally: pages.close()", None, None),
    ("try: pages()\n    except OSError: pass\n    pages.close()", 5, None),
    ("try: pages()\n    except Exception:\n        pages.close()\n        raise", 5, 5),
    ("try: pages()\n    except BaseException:\n        pages.close()\n        raise", None, None),
    ("if pages: pages.close()\n    pages.close()", None, None),
]


@pytest.mark.parametrize("body, skipped, narrow", CLEANUPS)
def test_a_cleanup_that_an_error_passes_by(body, skipped, narrow):
    lab, _ = lab_of(f"def answer(pages):\n    {body}\n")
    assert lab.text.skipped("close") == skipped
    assert lab.text.narrow_cleanup("close") == narrow


@pytest.mark.parametrize(
    "body, line",
    [
        ("pages()\n    pages.close()", 5),
        ("try: pages()\n    except KeyError: pages.close()\n    pages.close()", 6),
        ("try: pages()\n    except OSError: pages.close()\n    pages.close()", None),
        ("try: pages()\n    finally: pages.close()", None),
    ],
)
def test_a_call_that_an_error_of_this_type_passes_by(body, line):
    lab, _ = lab_of(f"def answer(pages):\n    {body}\n")
    assert lab.text.passed_by(OSError, "close") == line


AGAIN = """\
async def answer(fetch):
    try:
        await fetch(1)
    except OSError as error:
        {then}
"""


@pytest.mark.parametrize("then, line", [("raise error", 7), ("raise", None)])
def test_an_error_that_was_raised_again_by_its_name_tells_where(then, line):
    lab, error = raised_in(AGAIN.format(then=then))
    assert lab.text.raised_again(error) == (line and (lab.text.main, line))


@pytest.mark.parametrize("suppressed, line", [("KeyError", 4), ("KeyError, ValueError", 4)])
def test_a_suppress_for_others_lets_an_error_out(suppressed, line):
    text = f"async def answer(fetch):\n    with suppress({suppressed}):\n        await fetch(1)\n"
    lab, error = raised_in(text)
    assert lab.text.let_out(error) == (lab.text.main, line)


def test_the_line_that_raised_one_error_for_another():
    lab, error = raised_in(AGAIN.format(then="raise ValueError from None"))
    assert lab.suspect([error], [OSError("no way")])[:2] == (7, "raises another error")


@pytest.mark.parametrize("returned", ["map(str, pages)", "(page for page in pages)"])
def test_what_gives_its_items_one_by_one_is_no_list(returned):
    text = f"def answer(pages):\n    return {returned}\n"
    lab, _ = lab_of(text)
    with pytest.raises(Wrong, match="object. A list is asked for") as found:
        lab.equal(eval(returned, {"pages": "ab"}), ["a", "b"])
    assert (found.value.headline, found.value.line) == ("not a list", 2 + ABOVE)


def test_the_line_that_makes_an_error_of_its_own_in_place_of_another():
    text = "def answer(step):\n    step(1)\n    step(LookupError('none'))\n"
    lab, _ = lab_of(text)
    with pytest.raises(Wrong) as found:
        differ_in_error(lab, OSError("gone"), LookupError("none"))
    assert found.value.line == 3 + ABOVE


def test_where_the_run_waited_when_it_was_cancelled():
    text = "async def answer():\n    await asyncio.sleep(1)\n    await asyncio.sleep(1)\n"
    lab, _ = lab_of(text)
    names = {"asyncio": asyncio}
    exec(compile("\n" * ABOVE + text, lab.text.main, "exec"), names)
    lab.run(names["answer"], cancel_after=1.5)
    assert lab.waited_at == (lab.text.main, 5)
    lab.run(names["answer"])
    assert lab.waited_at is None


def test_a_group_without_an_error_of_its_own_has_no_line():
    lab, _ = lab_of("async def answer(fetch):\n    raise fetch\n")
    asked = ExceptionGroup("", [OSError("a"), OSError("b")])
    with pytest.raises(Wrong) as found:
        differ_in_error(lab, asked, ExceptionGroup("", [OSError("a")]))
    assert (found.value.kind, found.value.line) == ("another error", None)
    assert "hold the same errors" in found.value.try_


ORDERS = [
    ("return [await one for one in asyncio.as_completed(pages)]", 4),
    ("while pages:\n        results.append(pages.pop())", 5),
    ("for page in pages:\n        results[page] = await page", 5),
    ("for page in pages:\n        results[page] = await page\n        results.append(page)", None),
    ("pages.append(1)\n    results.append(await pages)\n    return results", 5),
    ("pages.append(1)\n    results.append(await pages)", None),
]


@pytest.mark.parametrize("body, line", ORDERS)
def test_a_wrong_order_points_to_what_gives_it(body, line):
    lab, _ = lab_of(f"async def answer(pages, results):\n    {body}\n")
    found = suspects.of_order(lab.nodes(), [2, 1], [1, 2])
    assert (found and found.line) == line


@pytest.mark.parametrize(
    "body, line",
    [
        ("await fetch('a')\n    await asyncio.gather(fetch('b'), fetch('c'))", [4, 5, 5]),
        ("await asyncio.create_task(fetch('a'))", [4]),
        ("await asyncio.wait_for(fetch('a'), 2)", [4]),
    ],
)
def test_a_service_notes_the_lines_of_its_calls(body, line):
    text = f"async def answer(fetch):\n    {body}\n"
    lab, _ = lab_of(text)
    names = {"asyncio": asyncio}
    exec(compile("\n" * ABOVE + text, lab.text.main, "exec"), names)
    fetch = lab.service(1)
    sys.set_coroutine_origin_tracking_depth(8)
    try:
        lab.run(names["answer"], fetch)
    finally:
        sys.set_coroutine_origin_tracking_depth(0)
    assert [place[1] for place in fetch.places] == line


def test_what_stands_in_two_arguments_is_changed_in_each_alone_too():
    tree = ast.parse("f(x or 1)")
    case = {"thing": None, "fails": None}
    found = [change.case for change in changes(case, [*ast.walk(tree)])]
    assert found == [
        {"thing": "full", "fails": "full"},
        {"thing": "full", "fails": None},
        {"thing": None, "fails": "full"},
    ]


@pytest.mark.parametrize(
    "inside, line",
    [
        ("tasks.append(spawn(fetch(page)))", 4),
        ("work = fetch(page)", 4),
        ("await asyncio.sleep(1); tasks.append(spawn(fetch(page)))", 4),
        ("tasks.append(await fetch(page))", None),
        ("pass", None),
    ],
)
def test_a_semaphore_whose_block_awaits_nothing_gives_its_place_back_at_once(inside, line):
    text = (
        "async def answer(fetch, pages, spawn, tasks):\n    places = asyncio.Semaphore(2)\n"
        f"    for page in pages:\n        async with places:\n            {inside}\n"
    )
    lab, _ = lab_of(text)
    with pytest.raises(Wrong) as found:
        lab.limited(3, 2)
    assert found.value.line == (line and line + ABOVE)
    assert (found.value.at == "gives the place back at once") == (line is not None)


@pytest.mark.parametrize(
    "statement, at",
    [
        ("try:\n        await work\n    except OSError:\n        pass", "catches it"),
        ("with contextlib.suppress(OSError):\n        await work", "catches it"),
        ("await asyncio.gather(work, return_exceptions=True)", "puts errors among the results"),
        ("await asyncio.wait([work])", "raises none of their errors"),
        (
            "try:\n        await work\n    finally:\n        return 1",
            "drops the error that is on its way",
        ),
        ("await work", None),
    ],
)
def test_what_keeps_an_error_at_a_line_that_lost_it(statement, at):
    lab, lines = lab_of(f"async def answer(work):\n    {statement}\n")
    kept = [lab.text.keeper_at((lab.text.main, line)) for line in range(len(lines) + ABOVE + 1)]
    assert [one.at for one in kept if one] == ([at] if at else [])
