"""Lines that a message may name without a doubt: by what ran, or where only one can be meant."""

import asyncio
import contextlib
import sys

import pytest

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
    names, error = {}, OSError("no way")

    async def fetch(page):
        raise error

    exec(compile("\n" * ABOVE + text, lab.text.main, "exec"), names)
    with contextlib.suppress(OSError):
        asyncio.run(names["answer"](fetch))
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
    ("if not pages:\n        return None\n    return pages", None, [], 4),
    ("return pages or None", None, 0, 4),
    ("return [page for page in pages if page]", [1], [1, 0], 4),
    ("return [page for page in pages if page and page > 1 or page]", [2], [2, 1], None),
    ("return list(filter(None, pages))", [1], [0, 1], 4),
    ("return pages", None, 0, None),
    ("return 'Ada'", "Ada", "Grace", 4),
    ("return dict.fromkeys(pages)", {"a": None, "b": 1}, {"b": 1}, 4),
]


@pytest.mark.parametrize("body, got, expected, line", VALUES)
def test_a_wrong_value_points_to_the_one_line_that_can_be_meant(body, got, expected, line):
    lab, _ = lab_of(f"def answer(pages):\n    {body}\n")
    found = suspects.of_value(lab.nodes(), got, expected)
    assert (found and found.line) == line


ORDERS = [
    ("return [await one for one in asyncio.as_completed(pages)]", 4),
    ("while pages:\n        results.append(pages.pop())", 5),
    ("for page in pages:\n        results[page] = await page", 5),
    ("for page in pages:\n        results[page] = await page\n        results.append(page)", None),
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
