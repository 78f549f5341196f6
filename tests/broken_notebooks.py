"""Notebooks that must turn the runner red, one for each way of failing, and one that is sound."""

from dataclasses import dataclass

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output

FIT = "from helpers import run"


@dataclass
class Fixture:
    """A notebook to run: its code cells, the words its report must hold, the room it plays in.

    course: what its metadata say of it, such as {"memory": 700}.
    """

    cells: list
    says: str = ""
    room: str = "notebooks"
    course: dict | None = None

    def write(self, folder):
        """Write the notebook below `folder`; return its path."""
        notebook = new_notebook(
            cells=[cell(source) if isinstance(source, str) else source for source in self.cells],
            metadata={"course": self.course} if self.course else {},
        )
        path = folder / self.room / "99_fixture.ipynb"
        path.parent.mkdir(exist_ok=True)
        nbformat.write(notebook, path)
        return path


def cell(source, *tags, raises=None, stored=None):
    """A code cell; `stored` is the text that it printed when it was last run."""
    made = new_code_cell(source, metadata={"tags": list(tags)})
    if raises:
        made.metadata["raises"] = raises
    if stored:
        made.outputs = [new_output("stream", name="stdout", text=stored)]
        made.execution_count = 1
    return made


def meant(source):
    return cell(source, "raises-exception", raises="ValueError")


GROUP = """\
import asyncio
async def fail():
    raise ValueError("one of the group")
async with asyncio.TaskGroup() as tg:
    tg.create_task(fail())
"""
BACKGROUND = """\
import asyncio
async def fail():
    raise ValueError("nobody awaits me")
{}asyncio.create_task(fail())
await asyncio.sleep(0)
"""

BROKEN = {
    "error": Fixture([FIT, "1 / 0"], "ZeroDivisionError"),
    "exception group": Fixture([FIT, GROUP], "ExceptionGroup"),
    "intended error that does not come": Fixture(
        [FIT, meant("1 + 1")], "should raise ['ValueError'] and raised []"
    ),
    "another error than intended": Fixture(
        [FIT, meant("1 / 0")], "should raise ['ValueError'] and raised ['ZeroDivisionError']"
    ),
    "error in a background task": Fixture(
        [FIT, BACKGROUND.format("")], "expected [], found ['ValueError']"
    ),
    "error in a background task that is kept": Fixture(
        [FIT, BACKGROUND.format("kept = ")], "expected [], found ['ValueError']"
    ),
    "words on stderr": Fixture(
        [FIT, "import sys\nprint('careful', file=sys.stderr)"], "wrote to stderr"
    ),
    "stored output that no longer comes": Fixture(
        [FIT, cell("print('now')", "nbval-check-output", stored="then\n")], "Cell outputs differ"
    ),
    "a second run that fails": Fixture(
        [FIT, "times = globals().get('times', 0) + 1\nassert times == 1, 'again'"],
        "run a second time",
    ),
    "a process that outlives its kernel": Fixture(
        [
            FIT,
            "import subprocess, sys\n"
            "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'])",
        ],
        "the kernel was killed and left",
    ),
    "too much memory": Fixture([FIT, "held = b'x' * 600_000_000"], "MB, and may hold 500"),
    "more memory than it says": Fixture(
        [FIT, "held = b'x' * 100_000_000"], "MB, and may hold 90", course={"memory": 90}
    ),
    "a listener without a reason, for a moment": Fixture(
        [FIT, "import socket\nsocket.create_server(('127.0.0.1', 0)).close()"],
        "notebooks/99_fixture listens at 127.0.0.1, and tests/listeners.py does not say why",
    ),
    "a listener that is not Python's": Fixture(
        [
            FIT,
            "import zmq\nlistener = zmq.Context.instance().socket(zmq.REP)\n"
            "port = listener.bind_to_random_port('tcp://127.0.0.1')",
        ],
        "notebooks/99_fixture listens at 127.0.0.1, and tests/listeners.py does not say why",
    ),
    "a picture without words": Fixture(
        [FIT, "from IPython.display import HTML\nHTML('<img src=\"x.png\">')"], "says too little"
    ),
    "a bare picture": Fixture(
        [
            FIT,
            "from IPython.display import SVG\nSVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>')",
        ],
        "a picture without a description",
    ),
    "a solution that does not solve": Fixture(
        [
            FIT,
            "class Sheet:\n    def check(self, answer):\n        return 'NOT YET'\n"
            "Sheet().check(6)",
        ],
        "says SOLVED",
        room="solutions",
    ),
}

SOUND = Fixture(
    [
        FIT,
        meant("raise ValueError('meant')"),
        cell("print('then')", "nbval-check-output", stored="then\n"),
    ]
)
