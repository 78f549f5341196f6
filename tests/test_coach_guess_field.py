"""The field of a guess, in a real kernel and without a front end."""

import pathlib
import subprocess
import sys

import ipywidgets
import jupyter_client.manager
import nbclient
import nbformat
import pytest

from helpers.coach.progress import Progress
from tests.guesses import choice, number, text

pytestmark = [pytest.mark.coach, pytest.mark.usefixtures("home")]
ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDGET = "application/vnd.jupyter.widget-view+json"


# Where nobody can type


def test_outside_a_notebook_the_question_is_printed(capsys):
    choice()
    assert capsys.readouterr().out == "Who is first?\n- A\n- B\n- whoever was ready\n"
    number()
    assert capsys.readouterr().out == "How long does it take? (in s)\n"


def test_without_ipywidgets_the_question_is_printed():
    code = (
        "import sys; sys.modules['ipywidgets'] = None; from IPython.core.interactiveshell import "
        "InteractiveShell as S; S.instance().run_cell("
        '\'from helpers import guess; guess("05-a", "Who?").check("A")\')'
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "Who?\nIt is A.\n", done.stderr


def test_importing_the_coach_brings_no_widgets():
    code = "import sys; from helpers import guess; sys.exit('ipywidgets' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


# The field


def field_of(asked):
    def widgets(widget):
        yield widget
        for child in getattr(widget, "children", ()):
            yield from widgets(child)

    found = list(widgets(asked.field()))
    entry = next(
        one for one in found if isinstance(one, (ipywidgets.Text, ipywidgets.RadioButtons))
    )
    return entry, found[-1], found


def test_a_field_says_what_is_said_in_it():
    entry, _, _ = field_of(text())
    assert entry.value == "" and entry.description == "Write down the log."
    assert entry.continuous_update is False
    entry.value = " ABC "
    assert text().said == "ABC" and field_of(text())[0].value == "ABC"
    entry.value = ""
    assert text().said == ""


def test_a_field_of_choices():
    entry, _, _ = field_of(choice())
    assert entry.value is None and entry.options == ("A", "B", "whoever was ready")
    entry.value = "B"
    assert choice().said == "B" and field_of(choice())[0].value == "B"


def test_a_field_of_a_number_shows_its_unit_and_says_what_it_cannot_read():
    entry, told, all_of_it = field_of(number())
    assert any(isinstance(one, ipywidgets.Label) and one.value == "s" for one in all_of_it)
    entry.value = "about <3"
    assert 'role="alert"' in told.value and "about &lt;3" in told.value
    entry.value = "3"
    assert told.value == ""


# In a real kernel

CELLS = {
    "import": "from helpers import guess",
    "ask": 'first = guess("05-first", "Who is first?", choices=["A", "B"])',
    "check": 'first.check("".join(["B"]))',
}


@pytest.fixture
def kernel():
    """What a cell shows in a kernel whose front end can answer, or not."""
    with jupyter_client.manager.run_kernel(kernel_name="python3", cwd=ROOT) as client:

        def cell(source, somebody=True):
            shown = []

            def hook(message):
                if message["msg_type"] in ("display_data", "execute_result", "stream"):
                    shown.append(message["content"].get("data") or message["content"]["text"])

            reply = client.execute_interactive(
                source, allow_stdin=somebody, stdin_hook=None, output_hook=hook, timeout=60
            )
            assert reply["content"]["status"] == "ok", reply["content"]
            return shown

        yield cell


def test_the_field_is_shown_once_and_holds_what_was_said(kernel):
    kernel(CELLS["import"])
    (asked,) = kernel(CELLS["ask"])
    assert set(asked) == {WIDGET, "text/html", "text/plain"}
    assert "It turned out: B." == kernel(CELLS["check"])[0]["text/plain"]
    find = (
        "from ipywidgets import RadioButtons, Widget\n"
        "from ipywidgets.widgets import widget\n"
        "field = [one for one in widget._instances.values() if isinstance(one, RadioButtons)][-1]\n"
    )
    kernel(find + "field.value = 'A'")
    for _ in "twice", "the same":  # out of order: the guess's cell has not run again
        assert kernel(CELLS["check"])[0]["text/plain"] == "You chose: A. It turned out: B."
    kernel(CELLS["ask"])
    assert kernel(find + "print(field.value)") == ["A\n"]
    assert kernel(CELLS["check"])[0]["text/plain"] == "You chose: A. It turned out: B."


def test_in_a_second_kernel_it_is_still_said(kernel):
    Progress().said("05-first", "B")
    kernel(CELLS["import"])
    kernel(CELLS["ask"])
    assert kernel(CELLS["check"])[0]["text/plain"] == "You chose: B. So it is."


def test_run_all_never_waits_and_leaves_words_only():
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS.values()]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(
        notebook, timeout=60, resources={"metadata": {"path": str(ROOT)}}
    ).execute()
    outputs = [cell.outputs for cell in notebook.cells]
    assert [[set(out.data) for out in one] for one in outputs[1:]] == [
        [{"text/html", "text/plain"}],
        [{"text/html", "text/plain"}],
    ]
    assert outputs[1][0].data["text/plain"] == "Who is first?\n- A\n- B"
    assert outputs[2][0].data["text/plain"] == "It turned out: B."
