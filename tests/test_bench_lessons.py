"""A lesson that raises what it should not is a failure of the benchmark, alone and in a room."""

import asyncio

import nbformat
import pytest

from helpers.upkeep.bench import lessons, room


@pytest.fixture
def path(tmp_path, monkeypatch):
    cells = [nbformat.v4.new_code_cell(text) for text in ("print('well')", "{}['no']", "1 / 0")]
    cells[2].metadata.tags = ["raises-exception"]
    path = tmp_path / "03_broken.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    monkeypatch.setattr(lessons, "PATHS", [path])
    monkeypatch.setattr(room, "PATHS", [path])
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
    assert 0 < slowest.measured < room.PATIENCE
    assert not list(room.room(2, ["04"]))
