"""A guess in a real browser, without a mouse: say it, run the experiment, read the line."""

import json
import re

import pytest
from playwright.sync_api import expect

from helpers.upkeep import refresh
from tests import browser

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        browser.CHROMIUM is None, reason="there is no Chromium here: apt install chromium"
    ),
]

LESSON = "notebooks/00_start_here.ipynb"  # any that has cells: some get a source of ours
SECONDS = 30_000  # ms that a slow machine may take to show what was asked for
LETTERS = 'letters = guess("05-log", "Write down the log of `main`.")'
FIRST = 'first = guess("05-first", "Who is first?", choices=["A", "B", "whoever was ready"])'
TOOK = 'took = guess("05-took", "How long does it take?", unit="s")'

expect.set_options(timeout=SECONDS)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    with browser.lab_page(folder) as page:
        yield page


@pytest.fixture
def notebook(page):
    notebook = browser.Notebook(page, LESSON)
    yield Cells(notebook)
    notebook.close()


class Cells:
    """The code cells of a notebook, by their numbers, with a source of ours."""

    def __init__(self, notebook):
        self.notebook = notebook
        self.page = notebook.page
        cells = enumerate(notebook.cells())
        self.code = [number for number, cell in cells if cell["cell_type"] == "code"]
        self.run(0, "from helpers import guess")

    def run(self, number, source):
        """Run this in the cell; return what it shows as text."""
        # Of quick changes in a field the last one leaves the browser once the kernel is through
        # with the one before: a moment that somebody who reaches for another cell gives it.
        self.notebook.settle()
        self.notebook.set_source(self.code[number], source)
        return self.notebook.run(self.code[number])

    def show(self, number):
        """Scroll to the cell; return its element."""
        return self.notebook.show(self.code[number])

    def ask(self, number, source):
        """Ask for a guess in the cell; return the element of the field and its label."""
        self.run(number, source)
        field = self.show(number).locator(".course-guess")
        expect(field.locator("input").first).to_be_visible()
        return field

    def type(self, field, words):
        """Type into a field and leave it, by keyboard alone."""
        field.focus()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(words)
        self.page.keyboard.press("Tab")


def test_a_text_is_typed_and_the_line_is_said_aloud(notebook):
    cell = notebook.ask(1, LETTERS)
    field = cell.get_by_role("textbox", name="Write down the log of main.", exact=True)
    expect(cell.locator(".widget-label code")).to_have_text("main")
    assert notebook.run(2, "letters.check(''.join('ABC'))") == "It is ABC."
    assert notebook.show(2).get_by_role("alert").count() == 0
    before = len(notebook.notebook.cells())
    notebook.type(field, "abjdd")  # letters that JupyterLab has a use for
    assert len(notebook.notebook.cells()) == before
    assert notebook.run(2, "letters.check(''.join('ABC'))") == "You said abjdd. It is ABC."
    expect(notebook.show(2).get_by_role("alert")).to_have_text("You said abjdd. It is ABC.")
    field = notebook.ask(1, LETTERS).get_by_role("textbox")
    expect(field).to_have_value("abjdd")


def test_enter_is_enough(notebook):
    field = notebook.ask(1, LETTERS).get_by_role("textbox")
    field.focus()
    notebook.page.keyboard.press("Control+A")
    notebook.page.keyboard.type("A B C")
    notebook.page.keyboard.press("Enter")
    assert notebook.run(2, "letters.check(list('ABC'))") == "You said A B C, and so it is."


def test_a_number_has_a_unit_that_is_said_and_what_is_none_is_told(notebook):
    cell = notebook.ask(1, TOOK)
    field = cell.get_by_role("textbox", name="How long does it take?", exact=True)
    expect(field).to_have_accessible_description("s")
    unit = cell.get_by_text("s", exact=True)
    box, beside = field.bounding_box(), unit.bounding_box()
    assert box["y"] < beside["y"] + beside["height"] / 2 < box["y"] + box["height"]
    notebook.type(field, "about 3")
    expect(cell.get_by_role("alert")).to_have_text(
        'I can\'t read "about 3" as a number such as 3, 0.5 or 1/2.'
    )
    notebook.type(field, "3,5")
    expect(cell.get_by_role("alert")).to_have_count(0)
    assert notebook.run(2, "took.check(float(3.4))") == "You said 3,5 s, and so it is: 3.40 s."


def test_choices_by_the_arrow_keys(notebook):
    cell = notebook.ask(1, FIRST)
    group = cell.get_by_role("radiogroup", name="Who is first?", exact=True)
    choices = group.get_by_role("radio")
    assert choices.count() == 3
    expect(group.get_by_role("radio", checked=True)).to_have_count(0)
    choices.first.focus()
    notebook.page.keyboard.press("Space")
    expect(choices.nth(0)).to_be_checked()
    for number in 1, 2, 0:
        notebook.page.keyboard.press("ArrowDown")
        expect(choices.nth(number)).to_be_checked()
        expect(choices.nth(number)).to_be_focused()
    notebook.page.keyboard.press("Tab")
    expect(group.locator(":focus")).to_have_count(0)  # the group is one stop, not three
    choices.first.focus()
    notebook.page.keyboard.press("ArrowUp")
    expect(choices.nth(2)).to_be_checked()
    said = "You chose: whoever was ready. It turned out: B."
    assert notebook.run(2, "first.check('AB'[1])") == said
    again = notebook.ask(1, FIRST).get_by_role("radio", name="whoever was ready", exact=True)
    expect(again).to_be_checked()


def test_after_a_restart_it_still_stands_in_the_field(notebook):
    notebook.type(notebook.ask(1, TOOK).get_by_role("textbox"), "4")
    assert notebook.run(2, "took.check(float(1))") == "You said 4 s. It is 1.00 s."
    notebook.notebook.restart_kernel()
    notebook.run(0, "from helpers import guess")
    expect(notebook.ask(1, TOOK).get_by_role("textbox")).to_have_value("4")
    assert notebook.run(2, "took.check(float(1))") == "You said 4 s. It is 1.00 s."


def test_the_map_leads_to_the_cell_to_go_on_with(notebook, page):
    notebook.run(1, 'from helpers import course_map, exercise\nexercise("drive-1").hint()')
    notebook.run(2, "course_map()")
    step = notebook.show(2).locator("p").first
    words = re.compile(r"^Go on with 03, cell (\d+)\.")
    expect(step).to_have_text(words)
    number = int(words.search(step.inner_text())[1])
    step.get_by_role("link").first.click()
    page.wait_for_function(
        """number => {
        const there = window.jupyterapp.shell.currentWidget;
        return there.context?.path === 'notebooks/03_send.ipynb'
            && there.content.activeCellIndex === number - 1
            && there.content.activeCell.model.sharedModel.source.includes('guess('); }""",
        arg=number,
        polling=browser.POLLING,
    )
    page.evaluate("() => window.jupyterapp.shell.currentWidget.dispose()")


def test_a_saved_notebook_is_as_clean_as_any_that_was_run(notebook, page):
    """JupyterLab stores what is shown, as of all cells, and nothing else; refresh drops it."""
    notebook.type(notebook.ask(1, TOOK).get_by_role("textbox"), "4")
    notebook.run(2, "took.check(float(1))")
    saved = page.evaluate("() => window.panel.context.model.toJSON()")
    assert "widgets" not in saved["metadata"]
    assert "4" not in json.dumps([cell["metadata"] for cell in saved["cells"]])
    cell = saved["cells"][notebook.code[1]]
    (output,) = cell["outputs"]
    assert set(output["data"]) == {
        "application/vnd.jupyter.widget-view+json",
        "text/html",
        "text/plain",
    }
    assert len(json.dumps(output)) < 1000
    as_notebook = refresh.nbformat.from_dict(saved)
    refresh.tidy(as_notebook)
    shipped = refresh.read(browser.ROOT / LESSON)
    for number in notebook.code[:3]:
        as_notebook.cells[number].source = shipped.cells[number].source
    assert as_notebook.metadata == shipped.metadata
    for cell, as_shipped in zip(as_notebook.cells, shipped.cells, strict=True):
        assert cell | as_shipped | {"attachments": None} == cell | {"attachments": None}
