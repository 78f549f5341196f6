"""Questions one after another where somebody can type: each with its field, and "Next" below."""

from collections.abc import Callable, Mapping

import ipywidgets

from helpers.coach import cards


def one_by_one(
    current: Callable[[], ipywidgets.Widget | None],
    go_on: Callable[[], object],
    where: Callable[[], str],
    others: Mapping[str, Callable[[], object]] = {},
) -> ipywidgets.Widget:
    """The questions.

    current: gives the one that is asked, None at the end.  go_on: goes on to the next.
    where: gives the words above it, and those at the end.  others: what more can be done, by the
    words on its button.
    """
    head, place = ipywidgets.HTML(), ipywidgets.VBox()
    buttons = []

    def show():
        asked = current()
        place.children = [asked] if asked is not None else []
        head.value = str(cards.words(where()).html)
        for button in buttons if asked is None else []:
            button.layout.display = "none"

    def button(words, action):
        def press(_):
            action()
            show()

        made = ipywidgets.Button(description=words)
        made.on_click(press)
        return made

    buttons += [button(words, action) for words, action in {"Next": go_on, **others}.items()]
    show()
    return ipywidgets.VBox([head, place, ipywidgets.HBox(buttons)])
