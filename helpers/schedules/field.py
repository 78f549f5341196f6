"""A game where somebody can press a button: one for each thing that may come next."""

import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import ipywidgets

from helpers.coach import cards
from helpers.pictures.html import element

MOST_BUTTONS = 12
AUTO = {"width": "auto"}


class Playable(Protocol):
    """What the buttons need of a game."""

    now: Any
    choices: Sequence[str]

    def html(self) -> str: ...
    def take(self, index: int) -> None: ...
    def take_back(self) -> None: ...
    def start_again(self) -> None: ...
    def give_up(self) -> None: ...


def field(play: Playable, below: str) -> ipywidgets.Widget:
    """How the game stands, which a screen reader says, and the buttons.

    All is reached by Tab, and a button is pressed by Space or Enter. Those of what may come stay
    where they are from choice to choice, and when the game is over the first two of them take a
    choice back and begin anew: so a button that was pressed stays, and the keyboard its place.
    below: a sentence that stands under them.
    """
    # A front end may run callbacks beside one another (sub-shells, one for each widget).
    lock = threading.RLock()
    screen = ipywidgets.HTML()

    def button(words: str, action: Callable[[], None]) -> ipywidgets.Button:
        made = ipywidgets.Button(description=words, layout=ipywidgets.Layout(**AUTO))

        def pressed(_):
            with lock:
                try:
                    action()
                    show()
                except (ValueError, IndexError) as problem:  # the program can't be played
                    words = cards.paragraph(str(problem))
                    screen.value = str(element("div", words, role="alert"))

        made.on_click(pressed)
        return made

    def offered():
        """What the first row offers, and what each does."""
        if play.choices:
            names = list(play.choices[:MOST_BUTTONS])
            return [(name, lambda i=i: play.take(i)) for i, name in enumerate(names)]
        return list(over)

    def press(index):
        if index < len(there := offered()):
            there[index][1]()

    again = ("Take back", play.take_back), ("Start again", play.start_again)
    over = again if play.choices else ()  # without a choice there is none to take back
    options = [button("", lambda i=i: press(i)) for i in range(MOST_BUTTONS)]
    backward = [button(*one) for one in again]
    give_up = button("Show the shortest", play.give_up)

    def show():
        screen.value = str(play.html())
        if not play.choices:  # before the first row takes over what they do
            show_backward("none")
        there = [name for name, _ in offered()]
        for one, name in itertools.zip_longest(options, there, fillvalue=""):
            one.description = name
            one.layout.display = None if name else "none"
        if play.choices:
            show_backward(None)

    def show_backward(display):
        for one in backward:
            one.layout.display = display

    show()
    row = ipywidgets.Layout(flex_flow="row wrap")
    said = ipywidgets.HTML(str(cards.paragraph(below)))
    return ipywidgets.VBox(
        [
            ipywidgets.Box(options, layout=row),
            ipywidgets.Box([*backward, give_up], layout=row),
            screen,
            said,
        ]
    ).add_class("course-schedule")
