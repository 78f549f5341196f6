"""Slides: a question stands above its code, nothing of a lesson is lost, and nothing overflows."""

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from playwright.sync_api import sync_playwright

from helpers.basics.project import PROJECT
from helpers.upkeep.site.build import LESSONS
from helpers.upkeep.site.running import Run, run_all
from helpers.upkeep.slides import __main__ as command
from helpers.upkeep.slides import turns
from helpers.upkeep.slides.page import page
from tests import browser

pytestmark = pytest.mark.once
SMALLEST = 0.7  # of the size of the words: what is smaller the last row can't read


def said(text):
    return new_output("stream", name="stdout", text=text)


def kinds_and_words(cells, notes=None):
    made = turns.slides(new_notebook(cells=cells), notes or {})
    return [
        (
            cell.metadata.slideshow.slide_type,
            cell.source or "".join(output.get("text", "") for output in cell.outputs),
        )
        for cell in made.cells
    ]


def test_a_question_stands_above_its_code_and_its_answer_comes_with_the_next_key():
    cells = [
        new_markdown_cell("## A part\n\nSomething is told.\n\n**Before you run it:** how many?"),
        new_code_cell("import time\n\nprint(2)", outputs=[said("2")]),
        new_code_cell("assert True", metadata={"tags": ["proof"]}),
        new_markdown_cell("Two, because of the first."),
    ]
    assert kinds_and_words(cells) == [
        ("slide", "## A part"),
        ("-", "Something is told."),
        ("-", "**Before you run it:** how many?"),
        ("-", "import time\n\nprint(2)"),
        ("fragment", "2"),
        ("subslide", "Two, because of the first."),
    ]


def test_imports_links_and_tracebacks_stay_in_the_lesson():
    error = new_output("error", ename="KeyError", evalue="'no'", traceback=["a", "long", "one"])
    cells = [
        new_markdown_cell(
            "# 05 A title\n\nSee [lesson 04](04_x.ipynb) and [PEP 342](https://x.y)."
        ),
        new_code_cell("import asyncio\nfrom helpers import record"),
        new_code_cell("{}['no']", outputs=[error]),
    ]
    assert [words for _, words in kinds_and_words(cells)] == [
        "# 05 A title",
        "See lesson 04 and [PEP 342](https://x.y).",
        "{}['no']",
        "KeyError: 'no'",
    ]


def test_what_is_long_is_cut_at_an_empty_line_and_whole_together():
    functions = [
        f"def f{n}():\n" + "\n".join(f"    a{m} = {m}" for m in range(8)) for n in range(5)
    ]
    code = "\n\n\n".join(functions)
    printed = "\n".join(map(str, range(45)))
    made = kinds_and_words([new_code_cell(code, outputs=[said(printed)])])
    codes = [words for _, words in made if "def" in words]
    assert len(codes) > 1 and all(words.startswith("def") for words in codes)
    assert "\n\n\n".join(codes) == code
    outputs = [words for _, words in made if "def" not in words]
    assert len(outputs) == 3 and "\n".join(outputs) == printed


def test_a_picture_and_its_table_stand_apart_and_its_words_are_left_out():
    html = "<svg viewBox='0 0 720 400'></svg><details>In words</details><table><tr></tr></table>"
    shown = new_output("display_data", {"text/html": html, "text/plain": "words"})
    made = turns.slides(new_notebook(cells=[new_code_cell("draw()", outputs=[shown])]), {})
    pieces = [cell.outputs[0].data["text/html"] for cell in made.cells[1:]]
    assert [piece[:6] for piece in pieces] == ["<svg v", "<table"]


def test_the_speaker_reads_what_the_guide_says_of_the_section():
    guide = "## The belief they come with\n\nIt waits.\n\n"
    guide += "## Notes for slides\n\n- *A part* → say\n  so.\n"
    notes = turns.notes_of(guide)
    assert notes == {"": "It waits.", "A part": "say so."}
    cells = [new_markdown_cell("# 05 A title"), new_markdown_cell("## A part\n\nText.")]
    made = kinds_and_words(cells, notes)
    assert [words for kind, words in made if kind == "notes"] == ["It waits.", "say so."]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_all_code_of_a_lesson_is_there_and_each_note_has_its_section(path):
    lesson = nbformat.read(path, as_version=4)
    made = turns.slides(lesson, {})
    shown = re.sub(r"\s", "", "".join(c.source for c in made.cells if c.cell_type == "code"))
    for cell in lesson.cells:
        hidden = "proof" in cell.metadata.get("tags", ()) or turns._is_imports(cell.source)
        if cell.cell_type == "code" and not hidden:
            assert re.sub(r"\s", "", cell.source) in shown
    guide = PROJECT / "teaching" / f"{path.stem}.md"
    if guide.exists():
        titles = {c.source.lstrip("# ") for c in made.cells if c.source.startswith("## ")}
        assert set(turns.notes_of(guide.read_text(encoding="utf-8"))) - {""} <= titles


def test_a_number_that_is_no_lessons_is_named(capsys):
    assert command.main(["99"]) == 1
    assert "course.py slides: there is no lesson 99" in capsys.readouterr().err


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The slides of lesson 05, which was run for them."""
    folder = tmp_path_factory.mktemp("slides")
    (path,) = (PROJECT / "notebooks").glob("05_*.ipynb")
    run = Run(path, nbformat.read(path, as_version=4), folder / "kept")
    run_all([run])
    guide = (PROJECT / "teaching" / f"{path.stem}.md").read_text(encoding="utf-8")
    file = folder / "05.html"
    made = turns.slides(run.notebook, turns.notes_of(guide))
    file.write_text(page(made, "05 The ready queue"), encoding="utf-8")
    return file


STANDS = """() => {
  const slide = Reveal.getCurrentSlide();
  const frame = document.querySelector('.reveal .slides').getBoundingClientRect();
  const boxes = [...slide.querySelectorAll('*')].filter(one => one.checkVisibility())
    .map(one => one.getBoundingClientRect());
  const pictures = [...slide.querySelectorAll('img')];
  return {
    words: slide.innerText,
    size: Number(slide.style.zoom),
    below: Math.max(...boxes.map(box => box.bottom)) - frame.bottom,
    beside: Math.max(...boxes.map(box => box.right)) - frame.right,
    blurred: pictures.filter(one => one.naturalWidth < one.getBoundingClientRect().width).length,
    last: Reveal.isLastSlide() && !Reveal.availableFragments().next,
  };
}"""


@pytest.mark.browser
@pytest.mark.skipif(browser.CHROMIUM is None, reason="there is no Chromium: apt install chromium")
def test_the_keys_lead_through_all_slides_offline_and_none_overflows(file):
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.CHROMIUM, args=browser.FLAGS)
        context = chromium.new_context(viewport={"width": 1280, "height": 720}, offline=True)
        shown, asked, failed = context.new_page(), [], []
        shown.on("request", lambda request: asked.append(request.url[:80]))
        shown.on("pageerror", lambda error: failed.append(str(error)))
        shown.goto(file.as_uri())
        shown.wait_for_function("window.Reveal?.isReady()", polling=browser.POLLING)
        # First of all: later the key would lead to where the section was left.
        shown.keyboard.press("ArrowRight")
        assert "Three under way" in shown.evaluate(STANDS)["words"]
        with shown.expect_popup() as popup:
            shown.keyboard.press("s")
        notes = popup.value.locator(".speaker-controls-notes")
        notes.get_by_text("one thread, three functions").wait_for()
        popup.value.close()
        shown.keyboard.press("Home")
        assert "05 The ready queue" in shown.evaluate(STANDS)["words"]
        seen = [shown.evaluate(STANDS)]
        while not seen[-1]["last"]:
            assert len(seen) < 200
            shown.keyboard.press("Space")
            seen.append(shown.evaluate(STANDS))
        for slide in seen:
            assert slide["below"] <= 1 and slide["beside"] <= 1, slide
            assert slide["size"] >= SMALLEST and not slide["blurred"], slide
        assert "Further reading" in seen[-1]["words"] and len(seen) > 40
        assert not failed
        assert all(url.startswith(("file:", "data:", "about:", "blob:")) for url in asked), asked
        chromium.close()
