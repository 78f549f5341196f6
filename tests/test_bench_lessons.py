"""A lesson that raises what it should not is a failure of the benchmark, alone and in a room."""

import asyncio
import sys

import nbformat
import pytest

from helpers.upkeep.bench import halts, lessons, room


@pytest.fixture
def path(tmp_path, monkeypatch):
    cells = [nbformat.v4.new_code_cell(text) for text in ("print('well')", "{}['no']", "1 / 0")]
    cells[2].metadata.tags = ["raises-exception"]
    path = tmp_path / "03_broken.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    monkeypatch.setattr(lessons, "PATHS", [path])
    return path


def test_a_cell_that_fails_is_told_and_an_intended_error_is_not(path, tmp_path):
    lesson = lessons.Lesson(path, tmp_path / "home")
    asyncio.run(lesson.run())
    assert lesson.failed == ["cell 1: KeyError"] and len(lesson.seconds) == 3


def test_the_benchmark_misses_with_it(path):
    told, *rows = lessons.lessons()
    assert told.missed and "cell 1: KeyError" in told.what
    assert [row.what for row in rows] == ["03_broken", "03_broken"]


def test_a_room_counts_who_got_through(path):
    green, failed, slowest = room.room(2, ["03"])
    assert (green.measured, green.missed) == (0, True)
    assert (failed.what.strip(), failed.measured) == ("cell 1: KeyError", 2)
    assert slowest.what in {f"03_broken, cell {number}" for number in range(3)}
    assert 0 < slowest.measured < room.PATIENCE
    assert not list(room.room(2, ["04"]))


@pytest.mark.skipif(sys.platform == "win32", reason="no signal stops a process there")
def test_halts_name_the_cell_whose_claim_does_not_survive_them(path, monkeypatch):
    text = "import time\nbegun = time.monotonic()\n"
    text += "while time.monotonic() < begun + 1: time.sleep(0.01)\n"
    unlucky = text.replace("0.01)", "0.01); assert time.monotonic() < begun + 1.1")
    cells = [nbformat.v4.new_code_cell(text), nbformat.v4.new_code_cell(unlucky)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    monkeypatch.setattr(halts, "HALTS", [1.5])
    monkeypatch.setattr(halts, "BETWEEN", [0.1, 0.2])
    (row,) = halts.halts(["03"])
    assert row.missed and row.what == "03_broken; cell 1: AssertionError"


def test_the_tour_is_measured_too_and_may_take_less_than_a_lesson():
    assert "tour" in {path.stem for path in lessons.PATHS}
    tour, lesson = lessons._limits("tour"), lessons._limits("03_send")
    assert tour == (20, 250) and all(less < more for less, more in zip(tour, lesson))
