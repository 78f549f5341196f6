"""The schedule game as it is played: in plain text, with buttons, and what is drawn of it."""

import asyncio
import itertools
from contextlib import nullcontext

import ipywidgets
import pytest

from helpers import arrival, orders, play
from helpers.schedules.field import field
from tests.arriving import crossing, payments

# The game in plain text


def test_a_game_in_plain_text(capsys):
    game = play(payments(nullcontext), right=lambda paid: paid == 2)
    assert game.choices == ("A comes", "B comes") and not game.won
    game.choose("A comes")
    told = capsys.readouterr().out
    assert "1. A comes (it could have been: B comes)" in told
    assert "- A waits for sleep, line " in told and '- B waits for "B comes", line ' in told
    assert "What comes next?\n1. A's sleep ends\n2. B comes\n" in told
    game.choose(1)
    assert "It held, and it returned 2." in capsys.readouterr().out
    with pytest.raises(ValueError, match="the game is over"):
        game.choose(1)
    game.back()
    game.choose(2)
    assert game.won
    told = capsys.readouterr().out
    assert "You broke it in 2 choices: it returned 1." in told and "No order" in told
    assert "the shortest order" not in game._repr_mimebundle_()["text/html"]
    game.restart()
    with pytest.raises(ValueError, match="'C' can't come now; this can: 1 \"A comes\", 2 \"B com"):
        game.choose("C")


def test_the_machine_shows_a_shorter_order_only_when_the_game_is_won_or_given_up(capsys):
    game = play(payments(nullcontext, "ABC"), right=lambda paid: paid == 3)
    for name in "A comes", "A's sleep ends", "B comes":
        game.choose(name)
    assert "shortest" not in capsys.readouterr().out
    game.choose("C comes")
    told = capsys.readouterr().out
    assert "You broke it in 4 choices" in told
    assert "The shortest takes 3 choices: A comes; B comes; " in told
    shown = game._repr_mimebundle_()["text/html"]
    assert "your order" in shown and "the shortest order" in shown
    game.restart()
    game.shortest()
    assert "The search says:\nBreaks in 3 choices" in capsys.readouterr().out


def test_the_order_that_breaks_is_drawn_with_its_arrivals():
    found = orders(crossing(False))
    figure = found.timeline()
    assert "Marked at" in figure.text and "deadlock: nothing can go on" in figure.text
    assert "A goes on" in figure.text
    assert orders(crossing(True)).timeline() is None
    shown = found._repr_mimebundle_()
    assert "<ol" in shown["text/html"] and shown["text/plain"] == found.text


# The buttons


def buttons(widget):
    found = {}
    for row in widget.children:
        for one in getattr(row, "children", ()):
            if isinstance(one, ipywidgets.Button) and one.layout.display != "none":
                found[one.description] = one
    return found


def test_the_buttons_play_the_game():
    game = play(payments(nullcontext), right=lambda paid: paid == 2)
    widget = field(game, "below")
    screen = next(one for one in widget.children if isinstance(one, ipywidgets.HTML))
    steps = ["A comes", "B comes", "Take back", "Take back", "Start again", "Show the shortest"]
    assert list(buttons(widget)) == [*steps[:2], "Take back", "Start again", "Show the shortest"]
    buttons(widget)["B comes"].click()
    assert "B&#39;s sleep ends" in screen.value and 'role="alert"' in screen.value
    pressed = list(buttons(widget).values())[0]
    buttons(widget)["B's sleep ends"].click()
    assert "It held" in screen.value and buttons(widget)["Take back"] is pressed
    pressed.click()
    buttons(widget)["A comes"].click()
    assert "You broke it in 2 choices" in screen.value and "<figure" in screen.value
    assert list(buttons(widget)) == steps[3:]
    assert buttons(widget)["Take back"] is pressed  # the keyboard keeps its place
    pressed.click()
    assert "You broke" not in screen.value
    buttons(widget)["Start again"].click()
    assert game.choices == ("A comes", "B comes")
    buttons(widget)["Show the shortest"].click()
    assert "The search says: Breaks in 2 choices" in screen.value


def test_a_program_that_changes_while_it_is_played_is_said_in_place():
    runs = itertools.count()

    async def program():
        number = next(runs)
        await asyncio.gather(*[arrival(f"n{n}") for n in range(2 if number else 9)])

    widget = field(play(program), "below")
    buttons(widget)["n8"].click()
    screen = next(one for one in widget.children if isinstance(one, ipywidgets.HTML))
    assert "choice 1 is 8, and only 2 things can come" in screen.value
