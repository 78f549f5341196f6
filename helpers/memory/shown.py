"""A round of questions as a cell shows it."""

from typing import Protocol

import ipywidgets

from helpers.coach import cards
from helpers.pictures.html import bundle
from helpers.pictures.widgets import with_widget


class Round(Protocol):
    """Questions one after another. text: the one that is asked, or what is said at the end."""

    @property
    def text(self) -> str: ...

    @property
    def over(self) -> bool: ...

    def field(self) -> ipywidgets.Widget: ...


class Shown:
    """A round, with its fields where there is a front end. It is shown apart from the round itself,
    which a cell may end with, and which would else be there twice.
    """

    def __init__(self, asked: Round) -> None:
        self.asked = asked
        self.text = asked.text

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None):
        if self.asked.over:
            return bundle(cards.paragraph(self.text), self.text)
        return with_widget(bundle(cards.preformatted(self.text), self.text), self.asked.field)
