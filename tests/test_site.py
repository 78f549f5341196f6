"""The site of two lessons and one entry: it is whole, needs no network, and all can read it."""

import functools
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from importlib import resources
from urllib.parse import quote
from xml.etree import ElementTree

import nbformat
import psutil
import pytest
from playwright.sync_api import sync_playwright

from helpers.upkeep.site.fragments import well_formed
from helpers.upkeep.site.outputs import tidy
from helpers.upkeep.site.page_folder import Pages
from helpers.upkeep.site.running import Failed, Run, run_all
from helpers.upkeep.site.sphinx_hooks import anchor
from tests import browser, built_site

LESSON, NEXT = "notebooks/05_loop_ready_queue.html", "notebooks/06_loop_time.html"
EXERCISES = "exercises/05_loop_ready_queue.html"
ENTRY = "happened/event-loop-is-closed.html"

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    # First another one, which leaves nothing in the one that is looked at.
    built_site.build(folder, ["05"], ["different-loop"])
    said = built_site.build(folder, ["05", "06"], ["event-loop-is-closed"])
    assert said.count("run: ") == 2
    return folder


@pytest.fixture(scope="module")
def site(folder):
    return built_site.pages(folder / "html")


def test_a_second_build_runs_nothing_and_changes_nothing(folder, site):
    before = {name: page.path.stat().st_mtime_ns for name, page in site.items()}
    assert "run: " not in built_site.build(folder, ["05", "06"], ["event-loop-is-closed"])
    left = set(site) - {"search.html", "genindex.html"}  # which belong to no page that could change
    assert all(site[name].path.stat().st_mtime_ns == before[name] for name in left)


def test_it_has_a_page_for_each(site):
    assert {LESSON, NEXT, EXERCISES, ENTRY} <= set(site)
    assert {"index.html", "search.html", "ledger.html", "glossary.html"} <= set(site)
    assert {"functions.html", "happened/index.html", "eventloop/tasks.html"} <= set(site)


def test_no_link_leads_nowhere(site):
    broken = {name: found for name, page in site.items() if (found := [*page.broken_links(site)])}
    assert not broken


@pytest.mark.parametrize("name", ["index.html", NEXT, EXERCISES, "glossary.html", "functions.html"])
def test_links_lead_to_the_lessons(site, name):
    links = site[name].soup.find("article").find_all("a", href=True)
    assert any(
        link["href"].partition("#")[0].endswith("05_loop_ready_queue.html") for link in links
    )


def test_every_page_lists_all_pages_and_none_that_has_gone(site):
    assert "happened/different-loop.html" not in site
    listed = {"05_loop_ready_queue", "06_loop_time", "event-loop-is-closed", "ledger"}
    for page in site.values():
        links = page.soup.find("nav", class_="bd-docs-nav").find_all("a")
        names = {link["href"].rpartition("/")[2].removesuffix(".html") for link in links}
        assert listed - {page.path.stem} <= names, page.name


def test_nothing_is_loaded_from_elsewhere(folder, site):
    loads = {name: [*page.loads()] for name, page in site.items()}
    for path in (folder / "html").rglob("*.css"):
        loads[path.name] = built_site.in_css(path.read_text(encoding="utf-8"))
    assert sum(map(len, loads.values())) > 100
    far = {name: [*filter(built_site.is_elsewhere, found)] for name, found in loads.items()}
    assert not any(far.values()), far


def test_every_picture_says_what_it_shows(site):
    pictures = [image for page in site.values() for image in page.soup.select("img, svg[role=img]")]
    assert len(pictures) > 5
    assert all(len(image.get("alt") or image.get("aria-label", "")) > 40 for image in pictures)


def test_a_lesson_shows_what_its_cells_gave(site):
    soup = site[LESSON].soup
    outputs = soup.find_all("div", class_="cell_output")
    assert len(outputs) > 15
    assert soup.find("summary", string=re.compile(r"Instants 1 to \d+ of")), "the explorer's twin"


def test_an_error_that_is_meant_is_shown(site):
    assert "RuntimeError: Event loop is closed" in site[ENTRY].text


def test_no_folder_of_this_machine_is_shown(site):
    shown = "".join(page.path.read_text(encoding="utf-8") for page in site.values())
    assert str(built_site.ROOT) not in shown and "ipykernel_" not in shown


def test_proofs_are_folded_and_nothing_else_is(site):
    soup = site[LESSON].soup
    notebook = nbformat.read(built_site.ROOT / "notebooks/05_loop_ready_queue.ipynb", as_version=4)
    proofs = [cell for cell in notebook.cells if "proof" in cell.metadata.get("tags", [])]
    folds = soup.find_all("details", class_="above-input")
    assert len(folds) == len(proofs) > 3
    assert all("assert" in fold.get_text() and not fold.has_attr("open") for fold in folds)


def test_a_guess_is_a_question_and_what_came_out_opens(site):
    soup = site[LESSON].soup
    questions = soup.find_all("div", class_="course-question")
    answers = soup.find_all("details", class_="course-came-out")
    asked = (built_site.ROOT / LESSON.replace(".html", ".ipynb")).read_text().count(" = guess(")
    assert len(questions) == len(answers) == asked > 3
    assert not any(answer.has_attr("open") for answer in answers)
    assert any(question.find_all("li") for question in questions), "the choices"
    assert " = guess(" not in soup.get_text()


def test_an_exercise_has_its_statement_its_stub_hints_and_a_solution(site):
    soup = site[EXERCISES].soup
    asked = soup.find_all("div", class_="course-exercise")
    headings = soup.find("article").find_all("h2")
    assert len(asked) == len(headings) > 3
    folds = [fold.find("summary").get_text() for fold in soup.find_all("details", "course-fold")]
    assert folds.count("One solution") == len(asked)
    assert folds.count("Hint 1 of 3") > 0
    assert "ex.check(" not in soup.get_text()


def test_pages_follow_one_another(site):
    follow = [LESSON, EXERCISES, NEXT]
    for one, other in zip(follow, follow[1:]):
        link = site[one].soup.find("a", class_="right-next")
        assert link["href"].endswith(other.rpartition("/")[2])


def test_the_search_knows_all_pages_and_the_words_of_errors(folder, site):
    text = (folder / "html" / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("{") : text.rindex("}") + 1])
    left = {"search", "genindex"}
    assert set(index["docnames"]) == {name.removesuffix(".html") for name in site} - left
    number = index["docnames"].index(ENTRY.removesuffix(".html"))
    for stem in "close", "twice":  # of its heading; of what else somebody may look for
        found = index["titleterms"].get(stem, index["terms"].get(stem))
        assert number in (found if isinstance(found, list) else [found])


def test_the_epub_is_whole(folder, site):
    (path,) = (folder / "epub").glob("*.epub")
    with zipfile.ZipFile(path) as book:
        assert book.testzip() is None and book.namelist()[0] == "mimetype"
        names = set(book.namelist())
        for name in names:
            if name.endswith((".xhtml", ".opf", ".ncx")):
                ElementTree.fromstring(book.read(name))  # or a reader shows nothing of it
        package = ElementTree.fromstring(book.read("content.opf"))
        lesson = book.read(LESSON.replace(".html", ".xhtml")).decode()
    inside = {item.get("href") for item in package.iter("{http://www.idpf.org/2007/opf}item")}
    assert {page.replace(".html", ".xhtml") for page in (LESSON, EXERCISES, ENTRY)} <= inside
    assert inside <= names
    assert "course-came-out" in lesson and "<img" in lesson


def test_a_heading_with_marks_of_html_can_be_linked(tmp_path):
    name = '"In <5 s" & later?'
    assert anchor(name) == "In-5-s--later?"
    pages = Pages(tmp_path, {"notebooks/05_a.ipynb": "notebooks/05_a.ipynb"})
    link = f"[there](05_a.ipynb#{quote(name.replace(' ', '-'))})"
    assert pages.relink(link, "notebooks", "index.md") == (
        "[there](notebooks/05_a.ipynb#In-5-s--later?)"
    )


# What cells show


def shown(output):
    """What a page shows of an output."""
    cell = nbformat.v4.new_code_cell("1", outputs=[output])
    tidy(cell)
    return cell.outputs


def test_outputs_are_of_no_machine_and_of_no_terminal():
    inside = str(built_site.ROOT / "helpers" / "kernel" / "run.py")
    text = f"\x1b[35m{inside}\x1b[0m, line 3, {tempfile.gettempdir()}/ipykernel_12/345.py:4"
    (seen,) = shown(nbformat.v4.new_output("stream", text=text))
    assert seen.text.replace("\\", "/") == "course/helpers/kernel/run.py, line 3, cell:4"


def test_the_bytes_of_an_image_stay_as_they_are():
    image = f'<img alt="what" src="data:image/png;base64,ab{built_site.ROOT}cd"/>'
    (seen,) = shown(nbformat.v4.new_output("display_data", {"text/html": image}))
    assert seen.data["text/html"] == image


def test_a_widget_leaves_its_words_or_nothing():
    bar = {"application/vnd.jupyter.widget-view+json": {}, "text/plain": "HBox()"}
    assert not shown(nbformat.v4.new_output("display_data", bar))
    (seen,) = shown(nbformat.v4.new_output("display_data", bar | {"text/html": "<p>what</p>"}))
    assert seen.data["text/html"] == "<p>what</p>" and len(seen.data) == 2


@pytest.mark.parametrize(
    "html, xml",
    [
        ('<img alt="a" src="b">', '<img alt="a" src="b"/>'),
        ('<svg viewBox="0 0 1 1"><g id="x"/></svg>', '<svg viewBox="0 0 1 1"><g id="x"/></svg>'),
        ("<details open><p>a &lt; b", '<details open=""><p>a &lt; b</p></details>'),
    ],
)
def test_html_becomes_xml(html, xml):
    assert well_formed(html) == xml


# How notebooks are run for it


def notebook_of(*sources):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    return nbformat.v4.new_notebook(cells=cells)


def run_of(tmp_path, name, *sources):
    return Run(tmp_path / f"{name}.ipynb", notebook_of(*sources), tmp_path / "kept")


def test_only_what_has_changed_is_run_again(tmp_path, capsys):
    def said(*sources):
        run = run_of(tmp_path, "sum", *sources)
        run_all([run])
        return run.notebook.cells[0].outputs[0].text, capsys.readouterr().out

    name = f"{tmp_path.name}/sum.ipynb"
    assert said("print(1 + 1)") == ("2\n", f"run: {name}\n")
    assert said("print(1 + 1)") == ("2\n", "")
    assert said("print(1 + 2)") == ("3\n", f"run: {name}\n")


def test_what_fails_is_tried_once_more_and_then_named(tmp_path, capsys):
    run = run_of(tmp_path, "wrong", "1 + 1", "1 / 0")
    with pytest.raises(Failed, match=r"wrong.ipynb, cell 2: ZeroDivisionError: division by zero"):
        run_all([run])
    assert "once more, alone" in capsys.readouterr().out


def test_the_ledger_is_shown_once_all_others_have_run(tmp_path):
    shows = run_of(tmp_path, "shows", "from helpers import ledger", "'002-float' in ledger().open")
    find = "found('002-float', holds=True, saw='so it is')"
    finds = run_of(tmp_path, "finds", "from helpers import found", find)
    run_all([shows, finds])
    assert shows.notebook.cells[1].outputs[0].data["text/plain"] == "False"


STOPPED = """
import sys
from pathlib import Path
import nbformat
from helpers.upkeep.site.page_folder import Pages
from helpers.upkeep.site.running import Run, run_all
folder = Path(sys.argv[1])
begins = f"open({str(folder / 'begun')!r}, 'w').close()"
cell = nbformat.v4.new_code_cell(f"import time; {begins}; time.sleep(99)")
notebook = nbformat.v4.new_notebook(cells=[cell])
run_all([Run(folder / "long.ipynb", notebook, folder / "kept")])
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has another Ctrl-C")
def test_ctrl_c_stops_it_and_leaves_no_kernel(tmp_path):
    command = [sys.executable, "-c", STOPPED, tmp_path]
    build = subprocess.Popen(command, cwd=built_site.ROOT, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "begun").exists():
        assert build.poll() is None
        time.sleep(0.1)
    kernels = psutil.Process(build.pid).children(recursive=True)
    build.send_signal(signal.SIGINT)
    assert build.communicate(timeout=30)[1].strip().endswith("KeyboardInterrupt")
    assert kernels and not any(kernel.is_running() for kernel in kernels)


def test_a_lesson_that_there_is_not_is_named():
    command = [sys.executable, "-m", "helpers.upkeep.site", "05", "99"]
    done = subprocess.run(command, cwd=built_site.ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("course.py site: there is no lesson 99")


# In a browser


@pytest.fixture(scope="module")
def address(folder, tmp_path_factory):
    """The site as a host would have it, below another path."""
    above = tmp_path_factory.mktemp("host")
    (above / "x").mkdir()
    (above / "x" / "y").symlink_to(folder / "html")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=above)
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/x/y/"
        server.shutdown()


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser_ = playwright.chromium.launch(executable_path=browser.CHROMIUM, args=browser.FLAGS)
        yield browser_
        browser_.close()


needs_chromium = pytest.mark.skipif(
    browser.CHROMIUM is None, reason="there is no Chromium here: apt install chromium"
)
AXE = resources.files("axe_playwright_python").joinpath("axe.min.js")
SEEN = {
    "dark": ["index.html", LESSON, ENTRY, "search.html?q=closed"],
    "light": [LESSON, EXERCISES, ENTRY, "ledger.html", "glossary.html", "functions.html"],
}


@pytest.mark.browser
@needs_chromium
@pytest.mark.parametrize("theme", SEEN)
def test_everybody_can_read_it(chromium, address, theme):
    # A colour on its way to another one has no contrast to speak of.
    page = chromium.new_page(color_scheme=theme, reduced_motion="reduce")
    asked, errors = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    for name in SEEN[theme]:
        page.goto(address + name)
        assert page.evaluate("document.documentElement.dataset.theme") == theme
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run({preload: false})")["violations"]
        assert not found, (name, [(one["id"], one["nodes"][0]["html"]) for one in found])
    assert not errors
    assert not [url for url in asked if not url.startswith((address, "data:"))]
    page.close()


@pytest.mark.browser
@needs_chromium
def test_it_works_from_the_file_system_by_keys_alone(chromium, folder):
    page = chromium.new_page()
    page.goto((folder / "html" / LESSON).as_uri())
    page.evaluate("const code = document.querySelector('pre'); code.tabIndex = 0; code.focus()")
    page.keyboard.press("ArrowRight")
    page.evaluate("document.activeElement.blur()")
    assert page.url.endswith(LESSON)
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**/{EXERCISES}")
    page.keyboard.press("Control+k")
    page.keyboard.type("event loop is closed")
    page.keyboard.press("Enter")
    page.locator(f"#search-results a[href*='{ENTRY}']").first.wait_for()
    page.close()
