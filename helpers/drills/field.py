"""A drill where somebody can type: the program, a line for the answer, and its lines as buttons."""

from collections.abc import Callable, Sequence

import ipywidgets
from markupsafe import Markup

from helpers.coach import cards
from helpers.coach.field import field as line_field
from helpers.pictures.html import element

MOST_BUTTONS = 24
AUTO = {"width": "auto"}


def field(
    head: Markup, question: str, lines: Sequence[str], judge: Callable[[str], Markup]
) -> ipywidgets.Widget:
    """The program, the question with a line to type in, buttons that add a line to the answer, and
    below the verdict, which a screen reader says.

    head: what stands above.  lines: the entries that an answer may have.  judge: called with the
    answer, at Enter in the line or at the button "Check"; what it returns is shown. All is reached
    by Tab, and a button is pressed by Space or Enter.
    """
    told, chosen, pieces = ipywidgets.HTML(), ipywidgets.HTML(), []

    def say(said):
        if said.strip():
            told.value = str(judge(said))
        return ""

    typed = line_field(question, "", say)
    entry = next(one for one in typed.children if isinstance(one, ipywidgets.Text))

    def now():
        words = f"Chosen: {', '.join(pieces)}" if pieces else ""
        chosen.value = str(element("p", words, role="status", style=cards.CLOSE)) if words else ""

    def add(button):
        pieces.append(button.description)
        now()

    def take_back(_):
        del pieces[-1:]
        now()

    def check(_):
        entry.value = " ".join(pieces) or entry.value
        pieces.clear()
        now()

    actions = [(text, add) for text in lines[:MOST_BUTTONS]]
    actions += [("Take back", take_back), ("Check", check)]
    buttons = [_button(text, action) for text, action in actions]
    row = ipywidgets.Box(buttons, layout=ipywidgets.Layout(flex_flow="row wrap"))
    or_choose = element("p", "Or choose the lines one after another:", style=cards.CLOSE)
    shown = [ipywidgets.HTML(str(head)), typed, ipywidgets.HTML(str(or_choose)), row, chosen, told]
    return ipywidgets.VBox(shown)


def _button(text, action):
    button = ipywidgets.Button(description=text, layout=ipywidgets.Layout(**AUTO))
    button.on_click(action)
    return button
