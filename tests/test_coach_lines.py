"""The lines that a syntax tree tells of: each method finds its node, and never a docstring, a
comment or a string that holds the very words.
"""

import ast
import asyncio

import pytest

from helpers.coach.form.text import place_of
from helpers.coach.judging.lab import Lab
from helpers.coach.mistakes.lines import Lines
from helpers.coach.mistakes.source import Source
from tests.coach_cells import cell

pytestmark = pytest.mark.coach

ANSWER = '''\
async def answer(fetch, urls, limit=3):
    """Use gather, wait and sleep(0): `await fetch(url)`; try, except OSError, while, return."""
    # gather(), except OSError:, while True:, return, yield, raise, del x, if x is None
    text = "gather() await fetch(url) except OSError: while True: return yield raise del"
    results = []
    queue = asyncio.Queue(limit)

    async def worker(number):
        nonlocal results
        while not queue.empty():
            url = queue.get_nowait()
            try:
                page = await fetch(url)
            except (TimeoutError, OSError):
                raise
            except Exception:
                continue
            finally:
                queue.task_done()
            if page is None:
                break
            results[number] = page

    for url in urls:
        queue.put_nowait(url)
    async with asyncio.TaskGroup() as group:
        (
            group
            .create_task(worker(0))
        )
    await asyncio.gather(*map(fetch, urls), return_exceptions=True)
    with contextlib.suppress(KeyError):
        del results[-1]
    async for more in stream(b"data: "):
        limit += more
    first = pool.submit(fetch).result()
    await asyncio.sleep(0)
    return [page for page in results if page]
'''

ABOVE = 2  # lines: the imports, and a blank one

FOUND = {
    # what is called
    'call_of("gather", "wait")': "await asyncio.gather(",
    'call_of("asyncio.gather")': "await asyncio.gather(",
    'call_of("httpx.gather")': None,
    'call_of("create_task")': ".create_task(",
    'call_of("fetch")': "page = await fetch(url)",
    'call_of("*Group")': "async with asyncio.TaskGroup()",
    'call_of("*.get_nowait")': "url = queue.get_nowait()",
    'call_of(".result")': "first = pool",
    'call_of("sleep", given=0)': "await asyncio.sleep(0)",
    'call_of("sleep", given=1)': None,
    'call_of("create_task", given="()")': ".create_task(",
    'call_of("map", given="urls")': "await asyncio.gather(",
    'call_of("except")': None,
    'repeated_call_of("fetch")': "page = await fetch(url)",
    'repeated_call_of("gather")': None,
    'bare_call_of("get_nowait", "sleep")': "url = queue.get_nowait()",
    'bare_call_of("sleep")': None,
    'wait_behind("submit")': "await asyncio.sleep(0)",
    'wait_behind("sleep")': None,
    'dropping("task_done")': "queue.task_done()",
    'dropping("gather")': None,
    'use_of("task_done")': "queue.task_done()",
    'use_of("stream")': "async for more",
    'await_of("fetch")': "page = await fetch(url)",
    'await_of("gather")': "await asyncio.gather(",
    "await_of()": "page = await fetch(url)",
    'await_of(besides="fetch")': "await asyncio.sleep(0)",
    'keyword("return_exceptions")': "await asyncio.gather(",
    'keyword("return_exceptions", of="wait")': None,
    # what stands in it
    'item_of("results")': "results[number] = page",
    "item_of(at=-1)": "del results[-1]",
    "literal(None)": "if page is None:",
    'literal("data: ")': "async for more",
    'literal("Use gather")': None,
    'literal("yield raise")': "text =",
    'operation("is")': "if page is None:",
    'operation("+=")': "limit += more",
    'operation("+")': None,
    'operation("+=", on=["more"])': "limit += more",
    "assigned(to=[])": "results = []",
    'assigned("results")': "results = []",
    'assigned("page")': "page = await",
    'assigned(to="submit")': "first = pool",
    "assigned(to=ast.Await)": "page = await",
    "class_attribute()": None,
    'copying("results")': None,
    "rebinding()": None,
    "deleting()": "del results[-1]",
    "outer_name()": "nonlocal results",
    "default()": "async def answer(",
    "kept_default()": None,
    "node(ast.Slice)": None,
    "node(ast.ListComp)": "return [page",
    # where it goes
    "returning()": "return [page",
    'returning("results")': "return [page",
    'returning("urls")': None,
    "raising()": "raise",
    "yielding()": None,
    "dropped_yield()": None,
    "breaking()": "break",
    "continuing()": "continue",
    # blocks
    "definition()": "async def answer(",
    'definition("worker")': "async def worker(",
    "inner_function()": "async def worker(",
    "call_of_an_inner_function()": ".create_task(worker(0))",
    'coroutine_function("wor*")': "async def worker(",
    "looping()": "while not queue.empty()",
    'looping("urls")': "for url in urls:",
    "for_loop()": "for url in urls:",
    'for_loop("results")': "return [page",
    "inner_loop()": None,
    "async_for()": "async for more",
    'while_loop("empty")': "while not queue.empty()",
    "condition()": "if page is None:",
    "sieve()": "return [page for page in results if page]",
    "with_of()": "async with asyncio.TaskGroup()",
    'with_of("suppress")': "with contextlib.suppress(",
    'async_with("suppress")': None,
    "handler()": "except (TimeoutError, OSError):",
    "handler(ConnectionError)": "except (TimeoutError, OSError):",
    "handler(KeyError)": "except Exception:",
    "handler(asyncio.CancelledError)": None,
    "cleanup()": "queue.task_done()",
}


def lab_of(text, name="answer"):
    answer = cell("import asyncio, contextlib" + "\n" * ABOVE + text, name)
    place = place_of(answer)
    return Lab(name, "virtual", Source([place[0]], *place)), text.splitlines()


@pytest.mark.parametrize("asked, found", FOUND.items(), ids=FOUND)
def test_a_line_is_found_by_its_node(asked, found):
    lab, lines = lab_of(ANSWER)
    line = eval(f"lab.{asked}", {"lab": lab, "ast": ast, "asyncio": asyncio})
    if found is None:
        assert line is None
    else:
        assert lines[line - 1 - ABOVE].strip().startswith(found)


def test_each_method_is_tried():
    words = {name for name, thing in vars(Lines).items() if callable(thing) and name[0] != "_"}
    tried = {asked.partition("(")[0] for asked in FOUND}
    assert words - tried == {"nodes", "is_own", "has_run", "earliest", "yielding_from"}


def test_what_stands_outside_the_answer_is_not_found():
    lab, _ = lab_of("def other():\n    return 1\n\n\ndef answer():\n    pass\n")
    assert lab.returning() is None and lab.definition("other") is None


def test_what_the_answer_uses_of_its_cell_is_found_where_it_has_no_such_line_itself():
    text = "def one():\n    return 1\n\n\nclass Two:\n    go = one\n\n\n"
    lab, _ = lab_of(text + "def answer():\n    Two().go()\n")
    assert lab.returning() == 4 and lab.definition("Two") == 7
    lab, _ = lab_of(text + "def answer():\n    return Two().go()\n")
    assert lab.returning() == lab.earliest(4, None, 12) == 12


def test_a_generator_is_told_from_its_delegation():
    lab, _ = lab_of("def answer(inner):\n    yield from inner\n    yield 2\n")
    assert (lab.yielding(), lab.yielding_from(), lab.node(ast.Yield)) == (4, 4, 5)


def test_a_list_as_default_is_found():
    lab, _ = lab_of("def answer(pages,\n           seen=[]):\n    pass\n")
    assert (lab.default(), lab.kept_default()) == (4, 4)


def test_a_loop_in_a_loop():
    lab, _ = lab_of(
        "def answer(rows):\n    for row in rows:\n        while row:\n            pass\n"
    )
    assert lab.inner_loop() == 5


def test_a_yield_as_a_statement_takes_nothing_in():
    lab, _ = lab_of("def answer():\n    got = yield\n    yield got\n")
    assert (lab.yielding(), lab.dropped_yield()) == (4, 5)


@pytest.mark.parametrize(
    "made, is_copy",
    [
        ("list(rows)", True),
        ("rows.copy()", True),
        ("{**rows}", True),
        ("0, [*rows]", True),
        ("{key: row for key, row in rows.items()}", True),
        ("rows.pop()", False),
        ("[rows]", False),
        ("list(others)", False),
    ],
)
def test_a_copy_is_told_from_the_thing_itself(made, is_copy):
    lab, _ = lab_of(f"def answer(rows, others):\n    kept = {made}\n")
    assert lab.copying("rows") == (4 if is_copy else None)


@pytest.mark.parametrize(
    "made, is_new",
    [
        ("rows + [1]", True),
        ("[*rows, 1]", True),
        ("[row for row in rows]", True),
        ("rows or []", False),
        ("list(rows)", False),
        ("[others]", False),
    ],
)
def test_a_parameter_that_gets_something_new_is_told(made, is_new):
    lab, _ = lab_of(f"def answer(rows, others):\n    rows = {made}\n    others += [1]\n")
    assert lab.rebinding() == (4 if is_new else None)


def test_an_attribute_of_the_class_is_told_from_one_of_its_instances():
    lab, _ = lab_of("class answer:\n    def go(self):\n        self.heap = 1\n\n    heap = []\n")
    assert (lab.class_attribute(), lab.assigned("heap")) == (7, 5)


def test_the_earliest_of_several_lines_and_of_none():
    lab, _ = lab_of("def answer():\n    pass\n")
    assert lab.earliest(7, None, 3) == 3 and lab.earliest(None) is None


@pytest.mark.parametrize("caught", ["", " BaseException", " (ValueError, errors.CancelledError)"])
def test_a_handler_that_keeps_a_cancellation(caught):
    lab, _ = lab_of(f"def answer():\n    try:\n        go()\n    except{caught}:\n        pass\n")
    assert lab.handler(asyncio.CancelledError) == 6
