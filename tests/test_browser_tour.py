"""The tour in a real browser, as somebody in a talk goes through it."""

import os
import re
import subprocess
import sys
import time

import pytest
from playwright.sync_api import expect

from helpers.commands import links
from tests import browser

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        browser.CHROMIUM is None, reason="there is no Chromium here: apt install chromium"
    ),
]

SILENT = {"import", "web-ask"}  # cells that only define something
SECONDS = 40


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page that a link on Binder opens, with the layout that postBuild imports there."""
    folder = tmp_path_factory.mktemp("lab")
    layout = browser.ROOT / "tour.jupyterlab-workspace"
    subprocess.run(
        [sys.executable, "-m", "jupyterlab", "workspaces", "import", layout],
        env=os.environ | {"JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces")},
        check=True,
    )
    with browser.lab_server(folder) as address:
        lab, _, query = address.partition("?")
        place = lab.partition("/lab")[0]
        with browser.browser_page(f"{place}/{links.TOUR_PAGE}?{query}") as page:
            yield page


@pytest.fixture(scope="module")
def tour(page):
    notebook = browser.Notebook(page, links.TOUR)
    yield notebook
    notebook.close()


def number_of(tour, id):
    return [cell["id"] for cell in tour.cells()].index(id)


def test_the_tour_is_in_front_and_the_files_are_beside_it(page):
    page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) h1").wait_for()
    assert (
        page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) h1").inner_text().startswith("A tour")
    )
    files = page.locator(".jp-FileBrowser .jp-DirListing-itemName")
    expect(files.first).to_be_visible()
    expect(files.first).to_have_text("00_start_here.ipynb")
    opened = "() => [...window.jupyterapp.shell.widgets('main')].map(one => one.title.label)"
    assert page.evaluate(opened) == ["tour.ipynb"]


def test_every_cell_runs_and_shows_something(tour):
    begun = time.monotonic()
    tour.run_all()
    assert time.monotonic() - begun < SECONDS
    for cell in tour.cells():
        if cell["cell_type"] == "code":
            assert cell["execution_count"], cell["id"]
            assert not [out for out in cell["outputs"] if out["output_type"] == "error"], cell
            silent = cell["id"] in SILENT or "proof" in cell["metadata"].get("tags", [])
            assert bool(cell["outputs"]) == (not silent), cell["id"]


@pytest.mark.parametrize("id", ["recorded", "blocked", "race", "hour", "answer-seen"])
def test_its_pictures_are_seen(tour, id):
    picture = tour.show(number_of(tour, id)).locator(".jp-OutputArea img, .jp-OutputArea svg").first
    picture.wait_for()
    assert picture.bounding_box()["width"] > 300


def test_the_loop_can_be_stepped_through(tour):
    cell = tour.show(number_of(tour, "turns"))
    said = cell.locator(".explorer [role=alert], .explorer [role=status]").first
    expect(said).to_have_text(re.compile("^Instant 1 of 7"))
    cell.get_by_role("slider", name="Instant", exact=True).focus()
    cell.page.keyboard.press("ArrowRight")
    expect(said).to_have_text(re.compile("^Instant 2 of 7"))


def test_what_the_tour_says_solves_the_exercise(tour):
    answer, read = number_of(tour, "answer"), number_of(tour, "answer-next")
    (line,) = re.findall("`(.+)`", "".join(tour.cells()[read]["source"]))
    assert tour.text(answer).startswith("NOT YET: ran one after another.")
    tour.set_source(
        answer, f"async def fetch_all(fetch, pages):\n    {line}\n\n\nex.check(fetch_all)"
    )
    assert tour.run(answer).startswith("SOLVED")
