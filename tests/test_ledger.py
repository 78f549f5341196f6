"""The ledger holds what was found, of every claim, and nothing else."""

import csv
import json
import re
import sys
import time

import nbformat
import pytest

from helpers import compare, found, ledger
from helpers.measuring.claims import claim, claims
from helpers.measuring.ledger import NOTEBOOKS, OPEN, Findings
from helpers.measuring.results import Results
from helpers.measuring.runs import Run


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("ASYNC_COURSE_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def row(id):
    return next(row for row in ledger().rows if row["claim"] == id)


def sleeps(seconds):
    return lambda: time.sleep(seconds)


def test_before_anything_was_tried_every_claim_is_open():
    fresh = ledger()
    assert len(fresh.rows) == len(claims()) == len(fresh.open)
    assert fresh.counts == {OPEN: len(claims())}
    assert "Not tried on this machine yet: those of lessons 01, 02" in fresh.text


def test_what_compare_measured_is_in_it():
    ways = {"one after another": sleeps(0.1), "threads": sleeps(0.02)}
    compare(ways, claim="000-2", repeat=1)
    assert row("000-2")["verdict"] == "holds"
    assert re.fullmatch(r"threads: .* ms, .* times as fast", row("000-2")["found here"])
    compare({**ways, "threads": sleeps(0.1)}, claim="000-2", repeat=1)
    assert row("000-2")["verdict"] == "does not hold"  # the last word counts


def test_a_claim_about_cores_says_how_many_were_busy():
    ways = {"one after another": sleeps(0.05), "threads": sleeps(0.05)}
    compare(ways, claim="001-gil", repeat=1)
    assert re.search(r" [01]\.\d\d of a core$", row("001-gil")["found here"])


def test_what_a_cell_saw_is_in_it():
    line = found("002-float", holds=False, saw="344 steps, not 538")
    assert repr(line).startswith("Ledger 002-float: ") and "Wrong as printed: 344" in repr(line)
    assert row("002-float")["verdict"] == "wrong as printed"  # of a mistake
    found("002-mutex", holds=False, saw="100 of 1000")
    assert row("002-mutex")["verdict"] == "does not hold"
    assert row("002-float")["found here"] == "344 steps, not 538"


def test_a_cell_shows_a_quiet_mark_that_opens():
    html = found("002-float", holds=False, saw="<344> steps")._repr_mimebundle_()["text/html"]
    assert "<summary>Ledger: 002-float, wrong as printed</summary>" in html
    assert html.startswith("<details ") and "Seen here: &lt;344&gt; steps" in html


def test_a_cell_may_have_seen_too_much_noise():
    found("002-mutex", holds=False, saw="100 of 1000")
    found("002-mutex", holds=None, saw="nothing clear")  # takes no verdict away
    assert row("002-mutex")["verdict"] == "does not hold"


def test_a_long_line_of_it_breaks_between_words():
    saw = "a " + "long-winded tale " * 12
    lines = repr(found("002-float", holds=False, saw=saw)).splitlines()
    assert len(lines) > 3 and max(map(len, lines)) <= 88
    assert " ".join(lines).endswith(saw.strip()) and row("002-float")["found here"] == saw


def test_a_lesson_without_a_notebook_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys.modules[Findings.__module__], "NOTEBOOKS", tmp_path)
    (tmp_path / "01_there.ipynb").write_text(nbformat.writes(nbformat.v4.new_notebook()))
    after = ledger().run()
    told = capsys.readouterr().out
    assert "stay open: lesson 02, lesson 03" in told and "lesson 01" not in told
    assert len(after.open) == len(claims())


def test_a_measure_alone_takes_no_verdict_away():
    Findings().change(lambda known: known.update({"000-2": {"holds": True, "saw": "it was"}}))
    compare({"one after another": sleeps(0.01)}, claim="000 sleep.py", repeat=1)
    assert row("000-2")["found here"] == "it was"
    assert row("000-1")["verdict"] == "measured, not judged"
    found("000-1", holds=True, saw="0.01 s each")  # such a one a cell may judge
    assert row("000-1")["verdict"] == "holds"


def test_a_claim_whose_variant_was_not_run_stays_open():
    compare({"one after another": sleeps(0.01)}, claim="000 sleep.py", repeat=1)
    assert row("000-2")["verdict"] == OPEN


@pytest.mark.parametrize(
    "id, holds, error, words",
    [
        ("002-flout", True, KeyError, "no claim has the id"),
        ("000-2", True, ValueError, "is about times"),
        ("002-float", 1, TypeError, "True, False or None, not 1"),
        ("002-float", "no", TypeError, "True, False or None, not 'no'"),
    ],
)
def test_what_can_not_be_entered_is_told(id, holds, error, words, data):
    with pytest.raises(error, match=words):
        found(id, holds=holds, saw="")
    assert not data.exists()


def test_it_leaves_as_a_page_and_as_a_table(tmp_path):
    found("002-float", holds=False, saw="<344> steps")
    ledger().save(tmp_path / "ledger.csv")
    with open(tmp_path / "ledger.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(claims())
    assert [r["found here"] for r in rows if r["claim"] == "002-float"] == ["<344> steps"]
    ledger().save(tmp_path / "ledger.html")
    page = (tmp_path / "ledger.html").read_text(encoding="utf-8")
    assert page.count("<tr>") == len(claims()) + 1 and "&lt;344&gt; steps" in page
    assert not re.search("<script|<link|src=|@import", page)  # one page, whole by itself
    with pytest.raises(ValueError, match=r"ends in .html or .csv"):
        ledger().save(tmp_path / "ledger.txt")


def test_a_notebook_shows_it_as_a_table():
    shown = ledger()._repr_mimebundle_()
    assert shown["text/html"].count("<tr>") == len(claims()) + 1
    assert shown["text/plain"] == repr(ledger())


def test_the_file_is_one_that_an_update_never_touches(data):
    found("002-float", holds=False, saw="344")
    kept = json.loads((data / "ledger.json").read_text())
    assert kept["claims"]["002-float"]["holds"] is False and kept["schema"] == 1


def code_of(lesson):
    (path,) = NOTEBOOKS.glob(f"{lesson:02}_*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "code")


there = [row for row in claims() if list(NOTEBOOKS.glob(f"{row.lesson:02}_*.ipynb"))]


@pytest.mark.parametrize("about", there, ids=lambda row: row.id)
def test_its_lesson_tries_each_claim(about):
    """By `found`, or by `compare`, under its own name or that of its experiment."""
    text = code_of(about.lesson)
    entered = re.search(rf'found\(\s*"{re.escape(about.id)}"', text)
    names = [f'"{name}"' for name in (about.id, about.experiment) if name]
    measured = (about.published or about.says) and any(name in text for name in names)
    assert entered or measured, f"no cell of lesson {about.lesson} tries {about.id}"


def measured(baseline, other):
    """What became of 000-2, for the seconds of its runs and of those it is compared with."""
    seconds = {"one after another": baseline, "threads": other}
    runs = {name: [Run(took, 0.0, None, None) for took in each] for name, each in seconds.items()}
    claimed = [claim("000-2")]
    return Results(runs, 3, "one after another", claimed, ("time",)).findings()["000-2"][0]


def test_runs_that_say_now_this_and_now_that_give_no_verdict():
    assert measured([1.0, 1.1, 1.2], [0.2, 0.2, 0.3]) is True
    assert measured([1.0, 1.1, 1.2], [1.0, 1.1, 1.2]) is False
    assert measured([1.0, 1.1, 1.2], [0.2, 0.3, 1.4]) is None
