"""The notebook that runs this code, if one does."""

import sys
from typing import Any


def running_shell() -> Any | None:
    """The IPython shell that runs this code; None in a script. It doesn't import IPython."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def show(thing: Any) -> None:
    """Show a card or a picture in a notebook's output; elsewhere print its `text`."""
    if running_shell() is None:
        print(thing.text)
    else:
        from IPython.display import display

        display(thing)
