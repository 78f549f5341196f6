"""A drill in a real browser, by keyboard: put its lines in order, and see what was believed."""

import re

import pytest
from playwright.sync_api import expect

from tests import browser

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        browser.CHROMIUM is None, reason="there is no Chromium here: apt install chromium"
    ),
]

LESSON = "notebooks/00_start_here.ipynb"  # any that has cells: they get a source of ours
SECONDS = 30_000  # ms that a slow machine may take to show what was asked for
# One program, for what `drill("07")` asks is drawn at random.
ASKED = """\
from helpers.drills.catalogue import TEMPLATES
from helpers.drills.drill import Drill, Question

asked = Drill(TEMPLATES["07-spawn"].variant(1))
Question(asked)"""
BELIEVED = """\
from helpers.drills.answers import predictions, truth_of
print(*predictions(asked.program)["starts-when-awaited"], sep=",")
print(*truth_of(asked.program), sep=",")"""

expect.set_options(timeout=SECONDS)


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    with browser.lab_page(folder) as page:
        notebook = browser.Notebook(page, LESSON)
        yield notebook
        notebook.close()


@pytest.fixture(scope="module")
def code(notebook):
    """The numbers of the code cells."""
    return [n for n, cell in enumerate(notebook.cells()) if cell["cell_type"] == "code"]


def run(notebook, number, source):
    notebook.set_source(number, source)
    text = notebook.run(number)
    return notebook.show(number), text


def test_a_call_asks_once(notebook, code):
    cell, _ = run(notebook, code[0], 'from helpers import drill\ndrill("07")')
    expect(cell.get_by_text("Drill on lesson 07")).to_be_visible()
    expect(cell.locator(".jp-OutputArea").get_by_role("textbox")).to_have_count(1)


def test_an_answer_by_keyboard_shows_the_belief_and_the_truth(notebook, code):
    page = notebook.page
    cell, _ = run(notebook, code[1], ASKED)
    _, text = run(notebook, code[2], BELIEVED)
    believed, truth = (line.split(",") for line in text.splitlines())
    cell = notebook.show(code[1])

    def press(name):
        button = cell.get_by_role("button", name=name, exact=True)
        button.focus()
        page.keyboard.press("Enter")

    for line in [*believed[:2], believed[0]]:
        press(line)
    press("Take back")
    for line in believed[2:]:
        press(line)
    expect(cell.get_by_role("status")).to_have_text(f"Chosen: {', '.join(believed)}")
    press("Check")
    said = cell.get_by_role("alert")
    expect(said).to_contain_text(f"You said {' '.join(believed)}. It is {', '.join(truth)}.")
    expect(said).to_contain_text("You predicted what would happen if a task began only when")
    expect(said.get_by_role("link", name=re.compile("^Lesson 07, cell "))).to_be_visible()

    both = "what happens: Timeline .* what you predicted: Timeline .*"
    figure = cell.get_by_role("img", name=re.compile(f"{both}Marked at .*: here they part"))
    expect(figure).to_be_visible()
    assert figure.bounding_box()["height"] > 350  # one above the other

    field = cell.locator(".jp-OutputArea").get_by_role(
        "textbox", name=re.compile("^What does it print")
    )
    field.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type(" ".join(truth))
    page.keyboard.press("Enter")
    expect(said).to_have_text(f"Right: {', '.join(truth)}.")
