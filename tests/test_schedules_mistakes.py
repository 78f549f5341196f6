"""What a learner gets wrong in a schedule game: each ends in a sentence, and nothing is left."""

import _thread
import asyncio
import functools
import itertools
import threading
import time

import pytest

from helpers.schedules import arrival, orders, play, replay


async def two():
    await asyncio.gather(arrival("A"), arrival("B"))


async def connects():
    await asyncio.open_connection("localhost", 1)


async def starts_a_process():
    await asyncio.create_subprocess_exec("true")


async def starts_a_shell():
    await asyncio.create_subprocess_shell("true")


@pytest.mark.parametrize(
    "program, words",
    [
        (connects, "The program opens a socket"),
        (starts_a_process, "The program starts a thread or a process"),
        (starts_a_shell, "The program starts a thread or a process"),
    ],
)
def test_what_reaches_past_its_loop_is_named_for_what_it_is(program, words):
    for way in orders, play, replay:
        with pytest.raises(ValueError, match=words):
            way(program)


@pytest.mark.parametrize(
    "rules, error, words",
    [
        ({"jitter": "x"}, ValueError, "jitter is a number of seconds, 0 or more, not 'x'"),
        ({"right": 3}, TypeError, "right is a function that looks at the result, not 3"),
        ({"cancel": 3}, TypeError, "cancel is the name of a task, or several names, not 3"),
        ({"cancel": [3]}, TypeError, r"several names, not \[3\]"),
    ],
)
def test_rules_that_are_none(rules, error, words):
    for way in orders, play, replay:
        with pytest.raises(error, match=words):
            way(two, **rules)


@pytest.mark.parametrize("limits", [{"most": 0}, {"most": -1}, {"most": "a"}, {"seconds": 0}])
def test_limits_that_are_none(limits):
    with pytest.raises(ValueError, match="(most|seconds) is a number, more than 0, not"):
        orders(two, **limits)


def test_a_program_that_needs_arguments_is_not_called_broken():
    async def meets(name):
        await arrival(name)

    for way in orders, play, replay:
        with pytest.raises(TypeError, match="this one is missing a required argument: 'name'"):
            way(meets)
        way(functools.partial(meets, "A"))


def test_a_task_that_is_never_there_can_not_be_cancelled():
    with pytest.raises(ValueError, match="No task has the name 'arival', .*: arrival, arrival 2"):
        orders(two, cancel="arival")
    assert orders(two, cancel="arrival").broken


def test_an_arrival_that_fails_with_no_error():
    async def program():
        await arrival("A", fails="down")

    words = "TypeError: fails is an error, such as OSError, not 'down' (line "
    assert orders(program).broken.startswith(words)


def test_where_nothing_can_be_chosen_nobody_is_asked_to_take_a_choice_back():
    async def program():
        await arrival("A")

    assert play(program).text.endswith(
        "It held. There was nothing to choose: two arrivals are never open at once."
    )


def test_what_other_runs_left_behind_is_not_called_a_broken_order():
    account = {"euros": 0}

    async def program():
        await two()
        account["euros"] += 30
        assert account["euros"] == 30, account

    with pytest.raises(ValueError, match="its usual order held, and now not: AssertionError"):
        orders(program)


def test_a_game_whose_names_change_is_told():
    runs = itertools.count()

    async def program():
        run = next(runs)
        await asyncio.gather(*(arrival(f"{run} {name}") for name in "ABC"))

    game = play(program)
    with pytest.raises(ValueError, match='choice 1 was "0 A", and now "1 A" came there'):
        game.choose(1)
    assert game.choices == ("0 A", "0 B", "0 C")


def test_a_program_that_catches_everything_is_stopped():
    before = threading.active_count()

    async def program():
        while True:
            try:
                await arrival("A")
            except BaseException:
                pass

    with pytest.raises(ValueError):
        play(program)
    assert threading.active_count() == before


def test_a_search_that_is_interrupted_ends_after_the_run_under_way():
    begun, ended = [], []

    async def program():
        begun.append(1)
        time.sleep(0.05)  # most of the time, some run is here
        ended.append(1)
        await asyncio.gather(*(arrival(str(number)) for number in range(9)))

    timer = threading.Timer(0.4, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        orders(program, most=10**9, seconds=60)
    timer.join()
    assert begun == ended and len(begun) > 1
    assert not [t for t in threading.enumerate() if t.name == "schedules"]


@pytest.mark.parametrize("choices", [1, "1", ["A"], [None]])
def test_choices_that_are_no_numbers(choices):
    with pytest.raises(TypeError, match=r"choices is a list of numbers from 0, such as \[1, 0\]"):
        replay(two, choices)


def test_who_waits_for_a_task_names_it_as_the_list_does():
    async def loads():
        await arrival("page")

    async def reads(task):
        await task

    async def readers():
        task = asyncio.create_task(loads())
        await asyncio.gather(reads(task), reads(task), arrival("B"))

    waits = play(readers).now.waits
    assert any("reads waits for task loads, line " in wait for wait in waits)


def test_a_long_error_is_cut():
    async def program():
        raise ValueError("x" * 3000)

    assert len(orders(program).broken) < 400 and "xx… (line " in orders(program).broken
