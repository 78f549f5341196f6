"""The patterns that lessons 02 to 13 teach do in production what the lessons say of them.

Each pattern is taken from its lesson's cells by its name, and run on the virtual clock: to its
end, with nothing to do, with an item that fails, and cancelled at each of its suspensions.
"""

import ast
import asyncio
import contextlib
import itertools
import types
from collections.abc import Callable, Coroutine, Generator
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import pytest

from helpers import run

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"


def pattern(lesson: str, *names: str, **given: Any) -> types.SimpleNamespace:
    """Take the functions and classes of these names from a lesson, with its imports.

    What they use beside one another is `given` by name.
    """
    (path,) = NOTEBOOKS.glob(f"{lesson}_*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    wanted, found = [], set()
    for cell in (cell for cell in cells if cell.cell_type == "code"):
        for node in ast.parse(cell.source).body:
            is_import = isinstance(node, ast.Import | ast.ImportFrom)
            if is_import or getattr(node, "name", None) in names:
                wanted.append(node)
                found.add(getattr(node, "name", None))
    assert set(names) <= found, f"lesson {lesson} has no {set(names) - found}"
    world = dict(given)
    exec(compile(ast.Module(wanted, []), path.name, "exec"), world)
    return types.SimpleNamespace(**world)


@types.coroutine
def cancelled_at(coro: Coroutine, *numbers: int) -> Generator[Any, Any, Any]:
    """Await `coro`; its task is asked to end at the suspensions of these numbers, from 1 on."""
    resume, what = coro.send, None
    for number in itertools.count(1):
        try:
            wanted = resume(what)
        except StopIteration as stop:
            return stop.value
        if number in numbers:
            asyncio.get_running_loop().call_soon(asyncio.current_task().cancel)
        try:
            what = yield wanted
            resume = coro.send
        except BaseException as error:
            what, resume = error, coro.throw


def ended(coro: Coroutine, *numbers: int, after: Callable = list) -> tuple[str, Any, list, Any]:
    """Run it as a task of its own, cancelled at these suspensions.

    Return how it ended, with what, the errors that the loop was told, and what `after()` says.
    """

    async def main() -> tuple[str, Any, list, Any]:
        told = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, about: told.append(about.get("exception")))

        async def whole() -> Any:
            return await cancelled_at(coro, *numbers)

        task = asyncio.create_task(whole())
        await asyncio.wait([task], timeout=1000)
        assert task.done(), f"cancelled at {numbers}, it hangs"
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"cancelled at {numbers}, it left {left}"
        if task.cancelled():
            return "cancelled", None, told, after()
        if task.exception() is not None:
            return "failed", task.exception(), told, after()
        return "returned", task.result(), told, after()

    return run(main(), clock="virtual")


def test_a_pattern_that_is_gone_is_missed():
    with pytest.raises(AssertionError, match="no {'lost'}"):
        pattern("11", "lost")


# 11: a cleanup that is protected


def phone(error: Exception | None = None) -> tuple[Coroutine, list]:
    """A job of one suspension whose cleanup, of two, is run by the lesson's `finish`."""
    lesson, hung_up = pattern("11", "finish", "report_error_of"), []

    async def hang_up() -> None:
        await asyncio.sleep(1)
        await asyncio.sleep(1)
        hung_up.append(True)
        if error is not None:
            raise error

    async def call() -> None:
        try:
            await asyncio.sleep(1)
        finally:
            await lesson.finish(hang_up())

    return call(), hung_up


REQUESTS = [(1,), (2,), (1, 2), (1, 2, 3)]


def test_finish_returns_when_nobody_is_cancelled():
    call, hung_up = phone()
    assert ended(call) == ("returned", None, [], []) and hung_up


@pytest.mark.parametrize("numbers", REQUESTS)
def test_finish_cleans_up_and_passes_the_request_on(numbers):
    call, hung_up = phone()
    assert ended(call, *numbers) == ("cancelled", None, [], []) and hung_up


@pytest.mark.parametrize("numbers", REQUESTS)
def test_a_request_survives_a_cleanup_that_fails_and_its_error_is_told(numbers):
    error = OSError("the line is dead")
    call, hung_up = phone(error)
    assert ended(call, *numbers) == ("cancelled", None, [error], []) and hung_up


def test_a_cleanup_that_fails_where_nobody_is_cancelled_raises():
    error = OSError("the line is dead")
    call, _ = phone(error)
    assert ended(call) == ("failed", error, [], [])


# 11: a pool of connections


class Line:
    """A connection's writer that knows whether it was closed."""

    closed = False

    def close(self) -> None:
        """Close it."""
        self.closed = True


def served(*numbers: int, connects: Any = None, answers: Any = 1, fresh: bool = False) -> Any:
    """Run the lesson's handler on a pool of one; return how it ended, the pool and its lines.

    `connects` may be an error; `answers` is an error or the seconds that an answer takes.
    """
    lines = []

    async def connect() -> tuple[None, Line]:
        await asyncio.sleep(1)
        if isinstance(connects, Exception):
            raise connects
        lines.append(Line())
        return None, lines[-1]

    async def ask(connection: tuple[None, Line], number: int) -> str:
        if isinstance(answers, Exception):
            raise answers
        await asyncio.sleep(answers)
        return f"number {number}"

    lesson = pattern("11", "plain_handler", connect=connect, ask=ask)
    pool = asyncio.Queue()
    if not fresh:
        lines.append(Line())
    pool.put_nowait(None if fresh else (None, lines[0]))
    outcome = ended(lesson.plain_handler(pool, 4), *numbers)
    assert pool.qsize() == 1, "it puts back one for the one that it took"
    kept = pool.get_nowait()
    opened = [line for line in lines if not line.closed]
    assert opened == ([] if kept is None else [kept[1]]), "a line is in the pool or closed"
    return outcome[:2], kept


@pytest.mark.parametrize("fresh", [True, False])
def test_a_handler_puts_its_connection_back(fresh):
    outcome, kept = served(fresh=fresh)
    assert outcome == ("returned", "number 4") and kept is not None


@pytest.mark.parametrize("fresh, number", [(True, 1), (True, 2), (False, 1)])
def test_a_handler_that_is_cancelled_leaves_no_half_used_connection(fresh, number):
    outcome, kept = served(number, fresh=fresh)
    assert outcome == ("cancelled", None) and kept is None


@pytest.mark.parametrize(
    "fails", [{"fresh": True, "connects": OSError("down")}, {"answers": OSError("gone")}]
)
def test_a_handler_that_fails_leaves_room_for_the_next(fails):
    (how, error), kept = served(**fails)
    assert how == "failed" and isinstance(error, OSError) and kept is None


def test_a_handler_gives_a_server_that_never_answers_five_seconds():
    (how, error), kept = served(answers=3600)
    assert how == "failed" and isinstance(error, TimeoutError) and kept is None


# 10: wait, and leave nothing


async def box() -> str:
    """Take a second."""
    return await asyncio.sleep(1, "box")


async def slow() -> None:
    """Take an hour, and a second to clean up."""
    try:
        await asyncio.sleep(3600)
    finally:
        await asyncio.sleep(1)


async def refused() -> None:
    """Fail."""
    raise ValueError("card refused")


def test_tidy_waits_for_nothing_at_all():
    assert ended(pattern("10", "tidy").tidy()) == ("returned", [], [], [])


def test_tidy_keeps_the_error_of_an_item_and_cancels_what_is_late():
    _, (done, failed, late), told, _ = ended(pattern("10", "tidy").tidy(box(), refused(), slow()))
    assert done.result() == "box" and late.cancelled() and not told
    assert isinstance(failed.exception(), ValueError)


@pytest.mark.parametrize("numbers", [(1,), (2,), (1, 2)])
def test_tidy_leaves_nothing_when_it_is_cancelled(numbers):
    assert ended(pattern("10", "tidy").tidy(box(), slow()), *numbers)[0] == "cancelled"


@pytest.mark.parametrize("job, errors", [(box, 0), (refused, 1)])
def test_a_task_that_is_kept_goes_when_it_is_done_and_its_error_is_told(job, errors):
    background = set()
    lesson = pattern("10", "keep", background=background)

    async def main() -> None:
        lesson.keep(job())
        assert len(background) == 1
        await asyncio.sleep(2)

    how, _, told, _ = ended(main())
    assert how == "returned" and not background and len(told) == errors


# 13: a page that is loaded once


class Shop:
    """Loads pages in a second each, and knows how many loads there were, and at most at once."""

    def __init__(self, *, failures: int = 0) -> None:
        self.loads = self.flying = self.most = 0
        self.failures, self.pages = failures, {}

        async def load(name: str) -> str:
            self.loads, self.flying = self.loads + 1, self.flying + 1
            self.most = max(self.most, self.flying)
            number = self.loads
            try:
                await asyncio.sleep(1)
            finally:
                self.flying -= 1
            if number <= self.failures:
                raise OSError("down")
            return f"page {name}"

        names = "forget", "cached_once"
        self.cached = pattern("13", *names, load=load, pages=self.pages).cached_once

    async def retrying(self, pause: float) -> str:
        """Ask up to five times for a page, with a pause after each failure."""
        for _ in range(4):
            with contextlib.suppress(OSError):
                return await self.cached("home")
            await asyncio.sleep(pause)
        return await self.cached("home")


def test_a_page_is_loaded_once_for_all_who_ask():
    shop = Shop()

    async def main() -> list[str]:
        return await asyncio.gather(*(shop.cached("home") for _ in range(3)))

    assert ended(main())[1] == ["page home"] * 3 and shop.loads == 1


def test_one_who_is_cancelled_disturbs_nobody_else():
    shop = Shop()

    async def main() -> tuple[bool, str]:
        first = asyncio.create_task(shop.cached("home"))
        second = asyncio.create_task(shop.cached("home"))
        await asyncio.sleep(0.5)
        first.cancel()
        page = await second
        return first.cancelled(), page

    assert ended(main())[1] == (True, "page home") and shop.loads == 1


def test_after_the_only_one_was_cancelled_the_page_can_still_be_had():
    shop = Shop()

    async def main() -> str:
        first = asyncio.create_task(shop.cached("home"))
        await asyncio.sleep(0.5)
        first.cancel()
        return await shop.cached("home")

    assert ended(main())[1] == "page home" and shop.loads == 1


@pytest.mark.parametrize("pauses", [(0, 0, 0), (0, 0.4, 0.8), (0, 0.9, 1.8)])
def test_a_load_that_fails_is_forgotten_and_never_are_two_under_way(pauses):
    shop = Shop(failures=2)

    async def main() -> list[str]:
        return await asyncio.gather(*map(shop.retrying, pauses))

    assert ended(main())[1] == ["page home"] * 3 and (shop.loads, shop.most) == (3, 1)


def test_forget_takes_out_its_own_task_and_no_other():
    pages = {}
    forget = pattern("13", "forget", pages=pages).forget

    async def main() -> bool:
        old, new = asyncio.create_task(refused()), asyncio.create_task(box())
        pages["home"] = new
        old.add_done_callback(partial(forget, "home"))
        await asyncio.wait([old, new])
        return pages["home"] is new

    assert ended(main())[1] is True


# 13: locks and conditions


@pytest.mark.parametrize("numbers", [(), (1,)])
@pytest.mark.parametrize("same", [False, True])
def test_a_transfer_keeps_the_sum_and_holds_no_lock(numbers, same):
    lesson = pattern("13", "Account", "transfer_in_order")
    ann = lesson.Account()
    ben = ann if same else lesson.Account()
    how = ended(lesson.transfer_in_order(ann, ben, 10), *numbers)[0]
    paid = 10 if not same and how == "returned" else 0
    assert how == ("cancelled" if numbers and not same else "returned")
    assert ann.euros == 100 - paid and ben.euros == 100 + paid
    assert not ann.lock.locked() and not ben.lock.locked()


def test_a_customer_who_is_cancelled_leaves_the_bread_to_the_next():
    bakery = pattern("13", "Bakery", "GoodBakery").GoodBakery()

    async def main() -> str:
        leaves, stays = [asyncio.create_task(bakery.buy()) for _ in range(2)]
        await asyncio.sleep(1)
        await bakery.bring("rye")
        leaves.cancel()
        return await stays

    assert ended(main()) == ("returned", "rye", [], []) and not bakery.changed.locked()


def test_each_customer_waits_for_a_loaf_of_their_own():
    bakery = pattern("13", "Bakery", "GoodBakery").GoodBakery()

    async def main() -> list[str]:
        buying = [asyncio.create_task(bakery.buy()) for _ in range(2)]
        for loaf in "rye", "oat":
            await asyncio.sleep(1)
            await bakery.bring(loaf)
        return await asyncio.gather(*buying)

    assert ended(main()) == ("returned", ["rye", "oat"], [], [])
