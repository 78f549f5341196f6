"""What is told without running an answer, and what of it can't leave the notebook."""

import contextvars
import time
from types import SimpleNamespace

import pytest

from helpers.coach.judging import packing
from helpers.coach.judging.at_sight import at_sight
from tests.coach_cells import answer, ask, cell

pytestmark = pytest.mark.coach


def test_what_is_no_function_is_named():
    async def fetch_all(fetch, urls):
        return []

    coroutine = fetch_all(1, 2)
    verdict = ask("t-together", coroutine)
    assert verdict.kind == "not a function" and "`ex.check(fetch_all)`" in verdict.text()
    assert coroutine.cr_frame is None, "closed, or Python warns of it"
    for thing, words in (
        ("fetch_all", "a str, 'fetch_all'"),
        (None, "None"),
        (3, "an int, 3"),
        ([1], "a list"),
        (type("Mine", (), {}), "the class `Mine`"),
    ):
        verdict = ask("t-together", thing)
        assert verdict.kind == "not a function" and words in verdict.observed
    assert ask("t-together", ...).status == "not started"
    assert (
        ask("t-class", cell("def Ticker(start): return start", "Ticker")).kind == "not a function"
    )
    assert "a function" in ask("t-predict", len).observed


@pytest.mark.parametrize(
    "text, words",
    [
        ("async def fetch_all(fetch): return 1", "yours is `fetch_all(fetch)`"),
        (
            "async def fetch_all(fetch, urls, limit): return 1",
            "yours is `fetch_all(fetch, urls, limit)`",
        ),
        ("async def fetch_all(): return 1", "is called as `fetch_all(fetch, urls)`"),
    ],
)
def test_other_arguments_are_named(text, words):
    verdict = ask("t-together", cell(text, "fetch_all"))
    assert verdict.kind == "arguments" and words in verdict.observed


def test_a_class_may_stand_for_a_function_that_makes_such_a_thing():
    text = """
import asyncio
class fetch_all:
    def __init__(self, fetch, urls):
        self.pages = asyncio.gather(*map(fetch, urls))
    def __await__(self):
        return self.pages.__await__()
"""
    assert ask("t-together", cell(text, "fetch_all")).status == "solved"
    text = "class fetch_all:\n    def __init__(self, fetch): ...\n    def __await__(self): yield"
    assert ask("t-together", cell(text, "fetch_all")).kind == "arguments"


def test_a_default_of_the_model_is_not_asked_for():
    with_default = SimpleNamespace(
        takes_value=lambda: False, asks="run", model=lambda: lambda ways, clock=time.monotonic: 1
    )
    assert at_sight(with_default, lambda ways, clock: 1) is None
    assert at_sight(with_default, lambda ways: 1).kind == "arguments"


@pytest.mark.parametrize(
    "text",
    [
        "async def fetch_all(fetch, urls): ...",
        "async def fetch_all(fetch, urls):\n    '''Doc'''\n    pass",
        "async def fetch_all(fetch, urls):\n    '''Doc'''\n    raise NotImplementedError",
        "def fetch_all(): ...",
    ],
)
def test_a_body_without_code_is_not_started(text):
    assert ask("t-together", cell(text, "fetch_all")).status == "not started"


def test_a_decorator_of_the_standard_library_is_no_cell():
    text = (
        "from contextlib import asynccontextmanager\n"
        "@asynccontextmanager\nasync def lend(pool):\n    yield pool\n"
    )
    _, texts = packing.pack(cell(text, "lend"))
    assert list(texts.values()) == [text]


@pytest.mark.parametrize("value", [..., {"download": ..., "sort": ...}, [..., ...]])
def test_values_left_open_are_not_started(value):
    assert ask("t-classify", value).status == "not started"


def test_what_cannot_leave_the_notebook_is_named():
    verdict = ask(
        "t-together",
        answer("return helper()", "things = (n for n in [])\ndef helper():\n    return things\n"),
    )
    assert verdict.kind == "unsendable" and "uses `things`, a generator" in verdict.observed


def test_a_cache_goes_along_empty():
    before = """
    import functools
    made = []
    @functools.lru_cache(maxsize=3)
    def double(n):
        made.append(n)
        return 2 * n
    double(1)
    """
    body = "assert double.cache_info()[2:] == (3, 0) and double(1) == 2"
    assert ask("t-together", answer(body, before, right=True)).status == "solved"


def test_what_holds_others_weakly_goes_along_empty():
    before = """
    import weakref
    class Loop: pass
    loop = Loop()
    locks, names = weakref.WeakKeyDictionary({loop: 1}), weakref.WeakSet([loop])
    """
    body = "assert len(locks) == len(names) == 0\nlocks[loop] = 2\nassert locks[loop] == 2"
    assert ask("t-together", answer(body, before, right=True)).status == "solved"


def test_locks_and_context_variables_go_along():
    before = """
    import contextvars
    request = contextvars.ContextVar("request", default=3)
    bare = contextvars.ContextVar("bare")
    lock, again = threading.Lock(), threading.RLock()
    """
    assert (
        ask(
            "t-together",
            answer(
                "assert request.get() == 3 and bare.get(4) == 4\nwith lock, again:\n    pass",
                before,
                right=True,
            ),
        ).status
        == "solved"
    )
    assert contextvars.ContextVar("other").get(1) == 1
