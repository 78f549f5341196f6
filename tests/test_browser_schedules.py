"""The schedule game in a real browser, by keyboard: choose what comes, break the program."""

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

LESSON = "notebooks/13_sharing.ipynb"
SECONDS = 30_000  # ms that a slow machine may take to show what was asked for
NEEDS = ["from helpers import compare", "import asyncio", "async def deposit", "async def comes"]
NEEDS += ["async def both", "async def paying_in"]

expect.set_options(timeout=SECONDS)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    with browser.lab_page(folder) as page:
        yield page


def test_a_puzzle_is_solved_by_keyboard(page):
    notebook = browser.Notebook(page, LESSON)
    for words in NEEDS:
        number = notebook.find(words)
        notebook.run(number)
    cell = notebook.show(number)

    def press(name):
        button = cell.get_by_role("button", name=name, exact=True)
        expect(button).to_be_enabled()
        button.focus()
        page.keyboard.press("Enter")

    said = cell.locator("[role=alert]")
    expect(said).to_have_text(re.compile("What comes next.*Ann comes.*Ben comes"))
    press("Ann comes")
    expect(cell.get_by_text("Ann waits for sleep, line")).to_be_visible()
    press("Ann's sleep ends")  # which leaves no choice: Ben comes, and all is well
    expect(said).to_have_text(re.compile("^It held"))
    expect(cell.get_by_role("button", name="Take back")).to_be_focused()
    page.keyboard.press("Enter")
    press("Ben comes")
    expect(said).to_have_text(re.compile("^You broke it in 2 choices: AssertionError"))
    expect(said).to_have_text(re.compile("No order that the search has found is shorter"))
    expect(cell.get_by_role("img", name=re.compile("^Timeline of"))).to_be_visible()
    press("Start again")
    expect(said).to_have_text(re.compile("What comes next"))
    press("Show the shortest")
    expect(cell.get_by_text("The search says: Breaks in 2 choices")).to_be_visible()
    notebook.close()
