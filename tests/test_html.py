"""What learners and sources write is shown as they wrote it, and never becomes part of the page."""

import asyncio
import html.parser
import json
from types import SimpleNamespace

import pytest
from markupsafe import Markup

from helpers import compare, explore, found, guide, ledger, record
from helpers.coach import cards
from helpers.coach.course_map import CourseMap
from helpers.kernel.virtual import VirtualLoop
from helpers.pictures.html import Column, element, table
from helpers.recording.record import attach

WORDS = """<script>alert("it's")</script> & </td></p></pre><b>"""


class Page(html.parser.HTMLParser):
    """A piece of HTML: its tags, and all text in it."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(str(page))
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def shown_by(thing):
    return thing._repr_mimebundle_()["text/html"]


def a_task():
    exercise = SimpleNamespace(
        id=WORDS,
        minutes=3,
        title=lambda: WORDS,
        statement=lambda: f"{WORDS}\n\n- {WORDS}\n\n    {WORDS}\n",
    )
    yield shown_by(cards.task(exercise, {"status": "solved"})), 5


def a_verdict():
    verdict = SimpleNamespace(
        status="not yet",
        first=lambda: WORDS,
        observed=f"`{WORDS}` and **{WORDS}**",
        at=WORDS,
        try_=WORDS,
        printed=WORDS,
        text=lambda: WORDS,
    )
    yield shown_by(cards.verdict(verdict, WORDS)), 7


def an_answer():
    yield shown_by(cards.code(WORDS, WORDS)), 2


def a_claim():
    found("002-float", holds=False, saw=WORDS)
    yield shown_by(ledger()), 1
    ledger().save("ledger.html")
    with open("ledger.html", encoding="utf-8") as file:
        yield file.read(), 1


def a_variant():
    yield shown_by(compare({WORDS: lambda: {WORDS: 3}}, repeat=1, shows=["time", WORDS])), 2


def a_lane():
    async def nap():
        await asyncio.sleep(1)

    async def main():
        await asyncio.create_task(nap(), name=WORDS)

    with record() as rec, asyncio.Runner(loop_factory=VirtualLoop) as runner:
        attach(runner.get_loop())
        runner.run(main())
    explorer = explore(rec, ask=True)
    yield shown_by(explorer), 3
    yield explorer.view.html("alert"), 1


def a_lesson(tmp_path):
    folders = tmp_path / "notebooks", tmp_path / "exercises" / "checks"
    for folder in folders:
        folder.mkdir(parents=True)
    cell = {"cell_type": "markdown", "source": [f"# {WORDS}"]}
    (folders[0] / "00_first.ipynb").write_text(json.dumps({"cells": [cell]}))
    program = f'"""Lesson 00."""\nclass One(Exercise):\n    """One"""\n    id = {WORDS!r}\n'
    (folders[1] / "lesson_00").mkdir()
    (folders[1] / "lesson_00" / "1_first.py").write_text(program)
    yield shown_by(CourseMap(tmp_path)), 2
    (tmp_path / "exercises" / "00_first.ipynb").write_text("{}")  # then it is a link
    yield shown_by(CourseMap(tmp_path)), 2


@pytest.mark.parametrize(
    "pages", [a_task, a_verdict, an_answer, a_claim, a_variant, a_lane, a_lesson]
)
def test_words_stay_words(pages, tmp_path, monkeypatch):
    monkeypatch.setenv("ASYNC_COURSE_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    for text, times in pages(tmp_path) if pages is a_lesson else pages():
        page = Page(text)
        assert page.text.count(WORDS) >= times
        ours = text.count("window.courseTimeline(document.currentScript")  # under each timeline
        assert page.tags.count("script") == ours and "b" not in page.tags


def test_an_answer_of_the_guide_stays_words(monkeypatch):
    asked = guide()
    monkeypatch.setitem(asked.answers, "cpu", WORDS)
    page = Page(shown_by(asked))
    assert WORDS in page.text and "script" not in page.tags


def test_an_element():
    inner = element("b", "a < b")
    assert element("p", inner, " & ", 3, class_='"', style="") == (
        '<p class="&#34;"><b>a &lt; b</b> &amp; 3</p>'
    )
    assert isinstance(inner, Markup)


def test_a_table_that_a_screen_reader_can_read():
    shown = table([("one", 1), ("two", "<2>")], ["word", "number"], caption="Numbers & words")
    assert shown == (
        "<table><caption>Numbers &amp; words</caption>"
        '<thead><tr><th scope="col">word</th><th scope="col">number</th></tr></thead>'
        '<tbody><tr><th scope="row">one</th><td>1</td></tr>'
        '<tr><th scope="row">two</th><td>&lt;2&gt;</td></tr></tbody></table>'
    )
    assert table([("a", "b")], named=False) == (
        "<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>"
    )


def test_a_table_in_parts_with_a_look():
    columns = [Column("word", "color: red", "color: blue", "70%"), Column("number", width="30%")]
    shown = table({"A & B": [("one", 1)], "C": []}, columns, style="width: 100%")
    assert shown == (
        '<table style="width: 100%">'
        '<colgroup><col style="width: 70%"><col style="width: 30%"></colgroup>'
        '<thead><tr><th scope="col" style="color: red">word</th>'
        '<th scope="col">number</th></tr></thead>'
        '<tbody><tr class="group">'
        '<th colspan="2" scope="rowgroup" style="color: blue">A &amp; B</th></tr>'
        '<tr><th scope="row" style="color: blue">one</th><td>1</td></tr></tbody>'
        '<tbody><tr class="group">'
        '<th colspan="2" scope="rowgroup" style="color: blue">C</th></tr></tbody></table>'
    )


def test_a_row_that_does_not_fit_its_columns_is_told():
    with pytest.raises(ValueError):
        table([("one", 2, 3)], ["word", "number"])
