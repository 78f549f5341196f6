"""What a cell shows besides words: a widget, where somebody can press its buttons."""

from collections.abc import Callable

import ipywidgets

from helpers.basics.shell import running_shell

WIDGET = "application/vnd.jupyter.widget-view+json"


def with_widget(shown: dict, make: Callable[[], ipywidgets.Widget]) -> dict:
    """What a cell shows (by kind), and the widget that `make` gives if somebody is there."""
    if not somebody_is_there():
        return shown
    widget = {"version_major": 2, "version_minor": 0, "model_id": make().model_id}
    return shown | {WIDGET: widget}


def somebody_is_there() -> bool:
    """Is there a front end where somebody can press a button?

    A kernel can't know what shows its outputs. But whoever runs notebooks by themselves (nbclient,
    nbconvert, nbval, papermill) says with each cell that nobody will answer an `input()`. A widget
    made for them would end as a broken one in the page that nbconvert writes.
    """
    shell = running_shell()
    if getattr(shell, "kernel", None) is None:
        return False
    request = shell.get_parent() or {}
    return bool(request.get("content", {}).get("allow_stdin", True))
