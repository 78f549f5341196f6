"""The explorer in a real browser: keyboard, play, predictions; with sub-shells on and off."""

import json
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
STORY = """\
import asyncio, threading
from helpers import explore, record, run

async def nap(seconds):
    await asyncio.sleep(seconds)

async def main():
    short = asyncio.create_task(nap(1), name="short")
    long = asyncio.create_task(nap(2), name="long")
    await asyncio.gather(short, long)

with record() as rec:
    run(main(), clock="virtual")
"""
MANY = STORY.replace("gather(short, long)", "gather(*[nap(n % 9) for n in range(5000)])")
SECONDS = 30_000  # ms that a slow machine may take to show what was asked for

expect.set_options(timeout=SECONDS)


@pytest.fixture(scope="module", params=["disabled", "perCommTarget"])
def shells(request):
    return request.param


@pytest.fixture(scope="module")
def page(shells, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    settings = folder / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "kernels-settings.jupyterlab-settings").write_text(
        json.dumps({"commsOverSubshells": shells})
    )
    with browser.lab_page(folder) as page:
        yield page


@pytest.fixture(scope="module")
def notebook(page):
    notebook = browser.Notebook(page, LESSON)
    yield notebook
    notebook.close()


def code_cells(notebook):
    return [i for i, cell in enumerate(notebook.cells()) if cell["cell_type"] == "code"]


def show(notebook, source):
    """Run the source in the first cell; return the cell's element, with the player in it."""
    first = code_cells(notebook)[0]
    notebook.set_source(first, source)
    notebook.run(first)
    cell = notebook.show(first)
    expect(screen(cell)).to_be_visible()
    return cell


def screen(cell):
    return cell.locator(".explorer [role=alert], .explorer [role=status]").first


def at(number):
    return re.compile(rf"^Instant {number} of ")


def slider(cell):
    return cell.get_by_role("slider", name="Instant", exact=True)


def press(cell, key, times=1):
    slider(cell).focus()
    for _ in range(times):
        cell.page.keyboard.press(key)


def button(cell, name):
    return cell.get_by_role("button", name=name, exact=True)


def test_by_keyboard_and_by_buttons(notebook, shells):
    cell = show(
        notebook,
        STORY
        + """
explorer = explore(rec)
threads, move = set(), explorer.move
explorer.move = lambda to: (threads.add(threading.current_thread().name), move(to))
explorer""",
    )
    expect(screen(cell)).to_have_text(
        re.compile(
            r"^Instant 1 of 8, at 0\.000 s of virtual time\. main runs\. "
            r"It creates short and long\."
        )
    )
    expect(button(cell, "Back")).to_be_disabled()
    press(cell, "ArrowRight", 3)
    expect(screen(cell)).to_have_text(re.compile("^Instant 4 of 8.* the loop waits in select"))
    timers = cell.locator(".explorer-boxes > div").nth(1)
    expect(timers.locator("li").first).to_have_text(re.compile(r"^short until 1\.000 s \(cell "))
    press(cell, "End")
    expect(screen(cell)).to_have_text(re.compile(r"^Instant 8 of 8, .* Then it is done\.$"))
    expect(button(cell, "Forward")).to_be_disabled()
    press(cell, "Home")
    expect(screen(cell)).to_have_text(at(1))
    button(cell, "Forward").focus()
    cell.page.keyboard.press("Enter")
    expect(screen(cell)).to_have_text(at(2))
    expect(cell.locator(".explorer code").last).to_have_text("await asyncio.sleep(seconds)")
    button(cell, "Back").click()
    expect(screen(cell)).to_have_text(at(1))
    second = code_cells(notebook)[1]
    notebook.set_source(second, "any('subshell' in name for name in threads)")
    assert notebook.run(second) == str(shells != "disabled")


def test_what_a_screen_reader_says_of_the_slider(notebook):
    cell = show(notebook, STORY + "explore(rec, ask=True)")
    for number in (1, 2):
        expect(slider(cell)).to_have_attribute("aria-valuetext", str(number))
        button(cell, "short").click()


def test_it_plays_beside_a_busy_kernel_and_pauses(notebook):
    cell = show(notebook, STORY + "explore(rec)")
    button(cell, "Play").click()
    expect(screen(cell)).to_have_text(at(3))
    assert screen(cell).get_attribute("role") == "status"  # not said aloud at each instant
    second = code_cells(notebook)[1]
    notebook.set_source(second, "import time; time.sleep(3)")
    notebook.start(second)
    expect(cell.locator(".widget-readout")).to_have_text("5")
    button(cell, "Pause").click()
    expect(button(cell, "Play")).to_be_visible()
    stopped = int(cell.locator(".widget-readout").inner_text())
    expect(screen(cell)).to_have_text(at(stopped))
    press(cell, "End")
    button(cell, "Play").click()  # from the end: once more from the start
    expect(screen(cell)).to_have_text(at(2))
    press(cell, "End")
    expect(button(cell, "Play")).to_be_visible()
    expect(screen(cell)).to_have_text(at(8))
    press(cell, "ArrowLeft")
    expect(screen(cell)).to_have_text(at(7))
    assert screen(cell).get_attribute("role") == "alert"


def test_a_prediction_wrong_then_right(notebook):
    cell = show(notebook, STORY + "explore(rec, ask=True)")
    expect(cell.get_by_text("What runs next?")).to_be_visible()
    press(cell, "End")
    press(cell, "ArrowRight")
    expect(cell.locator(".widget-readout")).to_have_text("1")  # forward is only by an answer
    expect(screen(cell)).to_have_text(at(1))
    button(cell, "long").click()
    expect(
        cell.get_by_text(
            "Not so: long was ready, but short came before it. The queue was: short and long; "
            "the loop takes the first. 0 of 1 right."
        )
    ).to_be_visible()
    expect(screen(cell)).to_have_text(re.compile("^Instant 2 of 8.* short runs"))
    button(cell, "long").focus()
    cell.page.keyboard.press("Enter")
    expect(cell.get_by_text("Right: long was ready.")).to_be_visible()
    expect(cell.get_by_text("1 of 2 right.")).to_be_visible()
    button(cell, "nothing: it waits").click()
    expect(screen(cell)).to_have_text(re.compile(r"^Instant 4 of 8.* in select\.\s*$"))
    press(cell, "ArrowLeft", 2)
    expect(screen(cell)).to_have_text(at(2))
    expect(cell.get_by_text("Go forward to instant 4 to answer")).to_be_visible()
    expect(button(cell, "long")).to_be_disabled()
    press(cell, "ArrowRight", 2)
    expect(button(cell, "long")).to_be_enabled()
    button(cell, "long").click()
    expect(cell.get_by_text("The timer of short was due first, at 1.000 s.")).to_be_visible()
    expect(cell.get_by_text("2 of 4 right.")).to_be_visible()


def test_ten_thousand_events_do_not_freeze(notebook):
    cell = show(notebook, MANY + "explore(rec)")
    expect(screen(cell)).to_have_text(re.compile("^Instant 1 of 1[0-9],"))
    press(cell, "End")
    expect(screen(cell)).to_have_text(re.compile(r"Then it is done\.$"))
    press(cell, "PageDown", 5)
    press(cell, "ArrowLeft", 20)
    press(cell, "Home")
    expect(screen(cell)).to_have_text(at(1))
