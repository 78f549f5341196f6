"""The schedule game: what may vary, how many orders there are, and the shortest that breaks."""

import asyncio
import gc
import itertools
import math
import random
import threading
import time
import warnings
from contextlib import nullcontext, suppress

import pytest

from helpers import arrival, orders, play, run
from helpers.schedules import replay
from tests.arriving import barrier, cache, closing, crossing, each, independent, payments

pytestmark = pytest.mark.loop


PUZZLES = [
    (payments(nullcontext), lambda paid: paid == 2, 2, "it returned 1", payments(asyncio.Lock)),
    (crossing(False), None, 3, "deadlock: nothing can go on", crossing(True)),
    (cache(False), None, 3, "KeyError: 'news'", cache(True)),
    (barrier(False), None, 2, "deadlock: nothing can go on", barrier(True)),
    (closing(False), bool, 3, "it returned False", closing(True)),
]


@pytest.mark.parametrize("broken, right, shortest, why, mended", PUZZLES)
def test_a_broken_program_breaks_in_the_fewest_choices_and_a_mended_one_holds(
    broken, right, shortest, why, mended
):
    found = orders(broken, right=right)
    assert found.choices == shortest and found.broken.startswith(why)
    assert "No order breaks it in fewer." in found.text
    ways = list(every_order(broken, right))
    assert min(len(way.choices) for way in ways if way.broken) == shortest
    held = orders(mended, right=right)
    assert held.every and not held.broken and held.choices is None
    ways = list(every_order(mended, right))
    assert len(ways) == held.looked == len({tuple(s.name for s in way.steps) for way in ways})


def every_order(program, right):
    """All runs, by a search that knows nothing of lengths."""
    lists = [[]]
    while lists:
        choices = lists.pop()
        ended = replay(program, choices, right=right)
        yield ended
        for at in range(len(choices), len(ended.choices)):
            for other in range(1, len(ended.choices[at].could)):
                lists.append([*ended.taken[:at], other])


def test_batches_hang_whenever_more_items_fail_on_one_side():
    async def fetches(name, meet):
        for batch in 1, 2:
            with suppress(OSError):
                await arrival(f"{name} {batch}", fails=OSError)
                await meet.wait()

    async def program():
        meet = asyncio.Barrier(2)
        await each(left=fetches("left", meet), right=fetches("right", meet))

    for way in every_order(program, None):
        failed = [step.name.split()[0] for step in way.steps if step.name.endswith(" fails")]
        assert bool(way.broken) == (failed.count("left") != failed.count("right"))


# How many orders there are


@pytest.mark.parametrize("number", range(1, 6))
def test_arrivals_that_have_nothing_to_do_with_each_other_come_in_every_order(number):
    found = orders(independent(number))
    assert found.every and found.looked == math.factorial(number)


def test_the_orders_are_the_permutations():
    ways = [tuple(step.name for step in way.steps) for way in every_order(independent(4), None)]
    assert sorted(ways) == sorted(itertools.permutations(["n0", "n1", "n2", "n3"]))


def test_each_arrival_that_may_fail_doubles_the_orders():
    async def program():
        coros = [arrival(f"n{n}", fails=OSError) for n in range(3)]
        await asyncio.gather(*coros, return_exceptions=True)

    assert orders(program).looked == math.factorial(3) * 2**3


@pytest.mark.parametrize("people", ["AB", "ABC"])
def test_sleeps_of_one_length_end_in_the_order_in_which_they_began(people):
    def possible(events):
        begun = [event for event in events if event.isupper()]
        ended = [event.upper() for event in events if event.islower()]
        late = all(events.index(who) < events.index(who.lower()) for who in people)
        return late and begun == ended

    each_event = itertools.permutations(people + people.lower())
    found = orders(payments(nullcontext, people), right=lambda _: True)
    assert found.every and found.looked == sum(map(possible, each_event))


@pytest.mark.parametrize("jitter", [0, 1, 2, math.inf])
def test_jitter_lets_a_sleep_end_late(jitter):
    lengths = (3, 2, 1, 4)

    async def program():
        woken = []

        async def nap(seconds):
            await asyncio.sleep(seconds)
            woken.append(seconds)

        await asyncio.gather(*map(nap, lengths))
        return tuple(woken)

    def possible(woken):
        return all(one <= min(woken[i:]) + jitter for i, one in enumerate(woken))

    options = {"jitter": jitter}
    found = orders(program, **options)
    assert found.every and found.looked == sum(map(possible, itertools.permutations(lengths)))
    assert replay(program, **options).value == (1, 2, 3, 4)


def test_a_task_may_be_cancelled_once_wherever_it_waits():
    async def program():
        async def works():
            await arrival("one")
            await arrival("two")

        task = asyncio.create_task(works(), name="worker")
        await asyncio.wait([task])
        return task.cancelled()

    found = orders(program, cancel="worker")
    assert found.every and found.looked == 3  # at the first wait, at the second, never
    assert orders(program, cancel="worker", right=lambda cancelled: not cancelled).choices == 1
    assert orders(program).looked == 1


def test_a_task_that_goes_on_when_it_is_cancelled_is_not_cancelled_again():
    async def program():
        async def works():
            with suppress(asyncio.CancelledError):
                await arrival("one")
            await arrival("two")

        await asyncio.create_task(works(), name="worker")

    way = replay(program, [1], cancel="worker")
    assert [step.name for step in way.steps] == ["worker is cancelled", "two"]
    assert way.steps[1].could == ("two",)


def test_two_arrivals_of_one_name_are_told_apart():
    async def program():
        await asyncio.gather(arrival("x"), arrival("x"))

    assert replay(program).choices[0].could == ("x", "x (2)")


# What is kept


def test_callbacks_run_in_the_order_of_call_soon():
    async def program():
        log, loop = [], asyncio.get_running_loop()

        async def says(name):
            await arrival(name)
            for number in range(3):
                loop.call_soon(log.append, number)
            await asyncio.sleep(0)
            assert log[-3:] == [0, 1, 2]

        await each(A=says("A"), B=says("B"), C=says("C"))

    assert orders(program).every and not orders(program).broken


def test_outside_of_a_game_an_arrival_comes_at_once():
    assert run(payments(nullcontext)(), clock="virtual") == 1
    assert run(arrival("tea", 5, fails=OSError)) == 5


def test_time_goes_on_to_what_was_chosen_and_never_back():
    async def program():
        async with asyncio.timeout(1):
            await arrival("answer")
        return asyncio.get_running_loop().time()

    late = replay(program, [1])
    assert [step.name for step in late.steps] == ["main's time is up"]
    assert late.broken.startswith("TimeoutError (line ") and late.steps[0].at == 1
    assert 0 < replay(program).value < 1
    for way in every_order(payments(nullcontext, "ABC"), None):
        moments = [step.at for step in way.steps]
        assert moments == sorted(moments)


async def during_a_sleep():
    log = []

    async def short():
        await arrival("short")
        await asyncio.sleep(0.1)
        log.append("short")

    async def long():
        await asyncio.sleep(0.3)
        log.append("long")

    await asyncio.gather(short(), long())
    return log


def test_what_is_assumed_of_an_arrival_during_a_sleep_is_said_and_can_be_opened():
    found = orders(during_a_sleep)
    assert found.looked == 2 and "taken to come halfway" in found.text
    opened = orders(during_a_sleep, jitter=math.inf)
    assert opened.looked == 3 and "halfway" not in opened.text
    assert "halfway" not in orders(independent(3)).text


# Bounds


def test_a_search_says_when_it_has_not_seen_all():
    found = orders(independent(8), most=50)
    assert (found.looked, found.every) == (50, False)
    assert found.text.startswith("Looked at 50 orders, not all, and it held in each. One thing")
    found = orders(independent(9), seconds=0.05, most=10**9)
    assert not found.every and 0 < found.looked < 5000


async def late_surprise():
    """Eight come; one order of all is wrong, in which one thing surprises, after six others."""
    log = []

    async def comes(name):
        await arrival(name)
        log.append(name)

    await asyncio.gather(*map(comes, "abcdefgh"))
    assert log != list("abcdefhg")


def test_a_late_surprise_is_found_early_and_not_called_the_shortest():
    found = orders(late_surprise, most=200, seconds=20)
    assert found.choices == 7 and "I looked at 200 orders, not at all of them" in found.text
    assert found.schedule == list("abcdefhg")


def test_the_time_of_a_search_is_short():
    began = time.process_time()
    found = orders(payments(asyncio.Lock, "ABCD"), right=lambda paid: paid == 4, seconds=20)
    assert found.every and found.looked == 336
    assert time.process_time() - began < 5


# What can't be played


async def nothing():
    pass


async def spins():
    await arrival("x")
    while True:
        pass


async def sleeps_in_turns():
    while True:
        await asyncio.sleep(0)


async def ticks():
    while True:
        await asyncio.sleep(1)


async def threaded():
    await asyncio.to_thread(sum, [1])


async def listens():
    await asyncio.start_server(print, "127.0.0.1", 0)
    await arrival("x")


def by_chance():
    return independent(random.SystemRandom().randint(2, 9))()


@pytest.mark.parametrize(
    "program, error, words",
    [
        (3, TypeError, "an async function without arguments, not 3"),
        (lambda: 3, ValueError, "and this one gave 3: write async def"),
        (ticks, ValueError, "still going after 200 arrivals"),
        (threaded, ValueError, "The program starts a thread or a process"),
        (listens, ValueError, "The program opens a socket"),
    ],
)
def test_what_cannot_be_played_is_said(program, error, words):
    for way in orders, play, replay:
        with pytest.raises(error, match=words):
            way(program)


def test_a_coroutine_is_no_program():
    with pytest.raises(TypeError, match="give the function itself, .*: nothing, not nothing"):
        play(nothing())


def test_a_program_that_needs_no_choice_to_break():
    async def program():
        await asyncio.Event().wait()

    assert orders(program).text.startswith("Breaks in its only order: deadlock: nothing can go on.")
    assert "It breaks by itself, with nothing to choose: deadlock" in play(program).text


def test_a_program_that_goes_round_and_round_is_broken():
    assert orders(sleeps_in_turns).broken == "it goes round and round, and lets nothing arrive"


def test_a_program_that_holds_the_thread_is_stopped_and_its_line_is_named():
    before = threading.active_count()
    with pytest.raises(
        ValueError, match=r"not let go of its thread for .* line \d+ .*(while|pass)"
    ):
        replay(spins)
    assert threading.active_count() == before


def test_a_program_that_is_not_the_same_in_each_run_is_told():
    with pytest.raises(ValueError, match="The program isn't the same in each run: choice "):
        for _ in range(20):  # by chance it might be, once
            orders(by_chance)


def test_other_names_in_each_run_are_told():
    numbers = itertools.count()

    async def program():
        number = next(numbers)
        await asyncio.gather(arrival(f"a{number}"), arrival(f"b{number}"))

    with pytest.raises(ValueError, match='choice 1 was "b0", and now "b1" came there'):
        orders(program)


def test_a_choice_that_there_is_not():
    with pytest.raises(IndexError, match="choice 1 is 5, and only 2 things can come"):
        replay(independent(2), [5])


def test_nothing_is_left_of_a_run_and_nothing_is_printed(capfd):
    async def program():
        async def stubborn():
            print("hello")
            while True:
                with suppress(asyncio.CancelledError):
                    await arrival("never", fails=ValueError)

        asyncio.create_task(stubborn())
        await arrival("x")
        await arrival("y")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        game = play(program)
        game.take(0)
        orders(crossing(False))
        gc.collect()
    assert "hello" in game.text
    assert capfd.readouterr() == ("", "")
    assert not [t for t in threading.enumerate() if t.name == "schedules"]
