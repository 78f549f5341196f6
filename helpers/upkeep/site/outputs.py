"""What a cell showed when it ran, as a page shows it: of no machine, and well-formed."""

import os
import re
import site
import sys
import sysconfig
import tempfile
from pathlib import Path

from nbformat import NotebookNode

from helpers.basics.project import PROJECT
from helpers.coach.guess import CAME_OUT, QUESTION
from helpers.pictures.widgets import WIDGET
from helpers.upkeep.site.fragments import well_formed

# What the machine that builds the site calls its folders, and what a reader is shown instead.
HOME = str(Path.home())
FOLDERS = {
    **dict.fromkeys(site.getsitepackages(), "site-packages"),
    str(PROJECT): "course",
    sysconfig.get_path("stdlib"): f"python{sys.version_info[0]}.{sys.version_info[1]}",
    tempfile.gettempdir(): "/tmp",
    HOME: "~",
}
# An image's bytes, in whose letters a folder's name may stand by chance.
IMAGE = re.compile(r"(data:image/[^\"\s]+)")
# A terminal's, which are too pale on a page. Sphinx finds its own for tracebacks.
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
# The file that ipykernel makes of a cell.
CELL = re.compile(re.escape(tempfile.gettempdir()) + r"[/\\]ipykernel_\d+[/\\]\d+\.py")


def tidy(cell: NotebookNode) -> None:
    """Make the outputs of a cell fit for a page."""
    cell.outputs = [output for output in cell.outputs if not _is_widget_alone(output)]
    for output in cell.outputs:
        if output.output_type == "error":
            output.traceback = [without_folders(line) for line in output.traceback]
            output.evalue = without_folders(output.evalue)
        elif output.output_type == "stream":
            output.text = COLOURS.sub("", without_folders(output.text))
        else:
            output.data.pop(WIDGET, None)
            for kind in output.data:
                if kind.startswith("text/"):
                    output.data[kind] = without_folders(output.data[kind])
            if "text/html" in output.data:
                output.data["text/html"] = well_formed(folded(output.data["text/html"]))


def without_folders(text: str) -> str:
    """The text with short names for the folders of the machine that builds the site."""
    pieces = IMAGE.split(text)
    pieces[::2] = map(_without_folders, pieces[::2])
    return "".join(pieces)


def asks(cell: NotebookNode) -> bool:
    """Whether a cell shows a question to guess at."""
    return any(QUESTION in output.get("data", {}).get("text/html", "") for output in cell.outputs)


def folded(html: str) -> str:
    """The HTML with what came out of a guess folded away, for whoever wants to guess first."""
    if CAME_OUT not in html:
        return html
    return f'<details class="{CAME_OUT}"><summary>Compare with your guess</summary>{html}</details>'


def _without_folders(text):
    text = CELL.sub("cell", text)
    for folder, name in FOLDERS.items():
        if len(Path(folder).parts) > 1:  # a container may give nobody a home but the root
            text = text.replace(folder, name)
        if folder.startswith(HOME + os.sep):  # as IPython shortens it
            text = text.replace("~" + folder.removeprefix(HOME), name)
    return text


def _is_widget_alone(output):
    """Such as a bar that says how far something is, which leaves a broken widget behind."""
    return set(output.get("data", {})) - {"text/plain"} == {WIDGET}
