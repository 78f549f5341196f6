"""A learner's first hour in a real browser: open, run, look, stop, answer, restart."""

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

LESSON = "notebooks/00_start_here.ipynb"
EXERCISES = "exercises/00_start_here.ipynb"
SOLUTIONS = "solutions/00_start_here.ipynb"


def read_all():
    return [(browser.ROOT / path).read_bytes() for path in (LESSON, EXERCISES)]


@pytest.fixture(scope="module")
def as_shipped():
    return read_all()


@pytest.fixture(scope="module")
def page(as_shipped, tmp_path_factory):
    with browser.lab_server(tmp_path_factory.mktemp("lab")) as address:
        with browser.browser_page(address) as page:
            yield page


@pytest.fixture
def lesson(page):
    notebook = browser.Notebook(page, LESSON)
    yield notebook
    notebook.close()


@pytest.fixture
def exercises(page):
    notebook = browser.Notebook(page, EXERCISES)
    yield notebook
    notebook.close()


def test_the_lesson_runs_and_its_timelines_answer(page, lesson):
    lesson.run_all()
    for number, cell in enumerate(lesson.cells()):
        if cell["cell_type"] == "code":
            assert cell["execution_count"], number
            failed = [out for out in cell["outputs"] if out["output_type"] == "error"]
            meant = "raises-exception" in cell["metadata"].get("tags", [])
            assert bool(failed) == meant, (number, failed)
    cell = lesson.find("Three waits of half a second")
    shown = lesson.show(cell)
    picture = shown.locator("svg.timeline").first
    picture.wait_for()
    assert picture.bounding_box()["width"] > 300
    label = picture.get_attribute("aria-label")
    assert "overlapped" in label and "one after another" in label

    ground = "svg => getComputedStyle(svg.querySelector('.ground')).fill"
    light = picture.evaluate(ground)
    picture.locator('[tabindex="0"]').focus()
    woken = re.compile(
        r"The cell waited for sleep .*, cell \d+ line \d+ fetch: await .*; woken by its timer"
    )
    focused = page.locator(":focus")
    # The arrows select another cell where nobody takes them. Where the first wait stands in its
    # lane is the machine's affair: the cell may have waited for its turn before.
    for key in ("ArrowDown", *["ArrowRight"] * 4):
        page.keyboard.press(key)
        if woken.search(focused.aria_snapshot()):
            break
    expect(focused).to_have_accessible_name(woken)
    page.keyboard.press("+")
    expect(shown.get_by_role("status")).to_have_text(re.compile(" seconds$"))
    themes = "name => window.jupyterapp.commands.execute('apputils:change-theme', {theme: name})"
    page.evaluate(themes, "JupyterLab Dark")
    page.locator('body[data-jp-theme-light="false"]').wait_for(state="attached")
    assert picture.evaluate(ground) != light
    page.evaluate(themes, "JupyterLab Light")


@pytest.mark.parametrize(
    "hanging", ["await asyncio.sleep(seconds)", "await spin()", "await block()"]
)
def test_the_stop_button_stops_a_cell(lesson, hanging):
    lesson.run(lesson.find("from helpers import"))
    cell = lesson.find("seconds = 0.5")
    lesson.set_source(cell, "import asyncio, time\nseconds = 600")
    lesson.run(cell)
    hanging = lesson.find(hanging)
    lesson.start(hanging)
    lesson.press_stop()
    assert "KeyboardInterrupt" in lesson.text(hanging)
    lesson.set_source(cell, "1 + 1")
    assert lesson.run(cell) == "2"


def test_an_exercise_from_its_stub_to_solved_and_through_a_restart(exercises):
    exercises.run(exercises.find("from helpers import"))
    card = exercises.find('exercise("await-1")')
    exercises.run(card)
    answer, check = exercises.find("def greet"), exercises.find(".check(greet)")
    # The lesson has checked a wrong answer to this exercise already.
    exercises.set_source(check, "ex.reset()")
    exercises.run(check)
    assert "not started" in exercises.run(card).lower()
    exercises.set_source(check, "ex.check(greet)")
    exercises.run(answer)
    assert exercises.run(check).startswith("NOT STARTED")

    exercises.set_source(answer, WRONG)
    exercises.run(answer)
    said = exercises.run(check)
    assert said.startswith("NOT YET: ") and "Line 2" in said
    assert exercises.show(check).locator("text=NOT YET").first.is_visible()

    exercises.set_source(check, "ex.hint()")
    assert exercises.run(check).startswith("Hint 1 of ")

    exercises.set_source(answer, RIGHT)
    exercises.set_source(check, "ex.check(greet)")
    exercises.run(answer)
    assert exercises.run(check).startswith("SOLVED")

    exercises.restart_kernel()
    exercises.run(exercises.find("from helpers import"))
    assert "SOLVED" in exercises.run(exercises.find('exercise("await-1")')).upper()


WRONG = """\
async def greet(ask):
    name = ask()
    return f"Hello, {name}!"
"""
RIGHT = WRONG.replace("ask()", "await ask()")


def test_all_exercises_go_from_their_stubs_to_solved(exercises):
    """Also the second of two notebooks that are open at once runs, and every cell runs again."""
    answers = [
        (number, cell.source)
        for number, cell in enumerate(refresh.read(browser.ROOT / SOLUTIONS).cells)
        if "answer" in refresh.tags(cell)
    ]
    checks = [
        number
        for number, cell in enumerate(exercises.cells())
        if "ex.check(" in "".join(cell["source"])
    ]
    assert len(answers) == len(checks) == 7
    exercises.run_all()
    said = [exercises.text(number) for number in checks]
    assert all(text.startswith("NOT STARTED") for text in said), said
    for number, source in answers:
        exercises.set_source(number, source)
    for _ in range(2):
        exercises.run_all()
        said = [exercises.text(number) for number in checks]
        assert all(text.startswith("SOLVED") for text in said), said


def test_an_answer_that_hangs_leaves_the_kernel_alive(exercises):
    exercises.run(exercises.find("from helpers import"))
    exercises.run(exercises.find('exercise("await-1")'))
    answer, check = exercises.find("def greet"), exercises.find(".check(greet)")
    exercises.set_source(answer, "async def greet(ask):\n    while True:\n        pass\n")
    exercises.run(answer)
    assert exercises.run(check).startswith("NOT YET: ")
    exercises.set_source(answer, "1 + 1")
    assert exercises.run(answer) == "2"


def test_nothing_was_written_into_the_notebooks(page, as_shipped):
    assert as_shipped == read_all()
