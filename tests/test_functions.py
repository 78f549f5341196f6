"""The index of asyncio's names is what the lessons' code uses, and where they teach it."""

import nbformat
import pytest

from helpers.upkeep.pages import functions
from tests import markdown

pytestmark = pytest.mark.once


@pytest.fixture
def lessons(tmp_path):
    """A writer of small lessons: each cell is code, or Markdown where it begins with a #."""
    written = []

    def write(*sources):
        v4 = nbformat.v4
        cells = [
            v4.new_markdown_cell(one) if one.startswith("#") else v4.new_code_cell(one)
            for one in sources
        ]
        path = tmp_path / f"{len(written):02}_lesson.ipynb"
        nbformat.write(v4.new_notebook(cells=cells), path)
        written.append(path)
        return written

    return write


def used(paths):
    return {one.name: [path.stem[:2] for path in one.used] for one in functions.names(paths)}


def taught(paths):
    return {
        one.name: one.taught and f"{one.taught.stem[:2]}#{one.section}"
        for one in functions.names(paths)
    }


@pytest.mark.parametrize(
    "code, found",
    [
        ("import asyncio\nasyncio.sleep(1)", {"sleep"}),
        ("import asyncio as aio\naio.Lock(); asyncio.Event()", {"Lock"}),
        ("from asyncio import sleep as nap, gather\nnap(1)", {"sleep"}),
        ("from helpers.basics.backports import Queue\nQueue()", {"Queue"}),
        ("import asyncio\nasyncio.Queue.join; asyncio.run(x.gather())", {"Queue", "run"}),
        ("import asyncio\nasyncio.tasks.sleep(1); asyncio._get_running_loop()", set()),
        ("text = 'asyncio.sleep(1)'\nimport time\ntime.sleep(1)", set()),
    ],
)
def test_a_use_is_found_under_any_name(lessons, code, found):
    assert set(used(lessons(code))) == found


def test_cells_share_what_they_import(lessons):
    assert used(lessons("import asyncio", "asyncio.sleep(1)")) == {"sleep": ["00"]}


def test_the_lesson_that_names_it_most_teaches_it(lessons):
    code = "import asyncio\nasyncio.sleep(1)"
    lessons("# One", "## Waits\n\nCall `asyncio.sleep`.", code)
    lessons("# Two", "## Waits\n\n`sleep(1)` and `sleep(2)`.\n\n## More\n\n`sleep`", code)
    lessons("# Three", "## Clocks\n\n`time.sleep`, `sleeper` and sleep", code, code, code)
    assert taught(lessons("# Four", "## No use\n\n`sleep` `sleep` `sleep` `sleep`")) == {
        "sleep": "01#Waits"
    }


def test_of_two_that_name_it_as_often_the_first_teaches_it(lessons):
    cells = "# A lesson\n\n`sleep`", "import asyncio\nasyncio.sleep(1)"
    lessons(*cells)
    assert taught(lessons(*cells)) == {"sleep": "00#A-lesson"}


def test_it_is_taught_in_a_section_and_not_in_the_opening(lessons):
    cells = "# A lesson\n\nOn `sleep`.", "## Naps\n\n`sleep`", "import asyncio\nasyncio.sleep(1)"
    assert taught(lessons(*cells)) == {"sleep": "00#Naps"}


def test_a_class_is_named_without_marks_too(lessons):
    lessons("# One\n\nA TaskGroup, soon.", "import asyncio\nasyncio.TaskGroup()")
    assert taught(lessons("# Two")) == {"TaskGroup": "00#One"}


def test_what_no_text_names_is_taught_nowhere(lessons):
    assert taught(lessons("# One", "import asyncio\nasyncio.sleep(1)")) == {"sleep": None}


def test_the_page_links_each_lesson_that_uses_a_name():
    found = functions.names()
    links = markdown.links(markdown.blocks(functions.page(found, "../notebooks")))
    assert len(links) == sum(len(one.used) for one in found)
    taught_in = {one.name: one.taught.stem[:2] for one in found if one.taught}
    expected = {"gather": "10", "timeout": "11", "to_thread": "12", "Lock": "13", "Queue": "16"}
    assert taught_in.items() >= expected.items()
