"""A review and the round that says where to begin, in a real browser, by keyboard."""

import re
import time

import pytest
from playwright.sync_api import expect

from helpers.coach.progress import Progress
from tests import browser

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        browser.CHROMIUM is None, reason="there is no Chromium here: apt install chromium"
    ),
]

LESSON = "notebooks/00_start_here.ipynb"
DAYS = 3 * 86_400  # seconds

expect.set_options(timeout=30_000)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """JupyterLab for somebody who guessed wrongly some days ago, twice."""
    folder = tmp_path_factory.mktemp("lab")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASYNC_COURSE_DATA", str(folder / "progress"))
        progress = Progress(clock=lambda: time.time() - DAYS)
        progress.compared("07-spawn", "later", "now", False)
        progress.compared("05-queue", "ABC", "ACB", False)
    with browser.lab_page(folder) as page:
        yield page


def test_a_review_asks_what_is_due_one_after_another(page):
    notebook = browser.Notebook(page, LESSON)
    number = notebook.find("from helpers import")
    notebook.set_source(number, "from helpers import review\n\nreview();")
    notebook.run(number)
    cell = notebook.show(number)
    expect(cell.get_by_text(re.compile("2 to review"))).to_be_visible()
    cell.locator("input[type=text]").focus()
    page.keyboard.type("nothing of the kind")
    page.keyboard.press("Enter")
    said = cell.locator("[role=alert]")
    expect(said.first).to_have_text(re.compile("You said nothing of the kind. It is"))
    following = cell.get_by_role("button", name="Next")
    following.focus()
    page.keyboard.press("Enter")
    expect(cell.get_by_text(re.compile("2 of 2"))).to_be_visible()
    notebook.close()


def test_the_round_is_answered_by_keyboard_and_can_be_skipped(page):
    notebook = browser.Notebook(page, LESSON)
    number = notebook.find("from helpers import")
    notebook.set_source(number, "from helpers import start_with\n\nstart_with();")
    notebook.run(number)
    cell = notebook.show(number)
    expect(cell.get_by_text("What have you written yourself?")).to_be_visible()
    skip = cell.get_by_role("button", name="Skip for ever")
    skip.focus()
    page.keyboard.press("Enter")
    expect(cell.get_by_text(re.compile("This was skipped"))).to_be_visible()
    notebook.close()
