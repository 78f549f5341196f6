"""The form of a lesson: what every notebook must have, and what none may hold.

The tour stands beside the lessons, with neither a number nor exercises of its own: what holds for
every notebook in notebooks/ holds for it too, and its own form is at the end.
"""

import math
import re
import unicodedata
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest

from helpers.coach import lessons
from helpers.coach.form import finding
from helpers.upkeep import practice, refresh
from helpers.upkeep.reading_time import minutes
from tests import asked_in_lessons, markdown

ROOT = Path(__file__).resolve().parent.parent
LESSONS = [lesson.path for lesson in lessons.lessons(ROOT / "notebooks")]
NAMED = lessons.notebooks(ROOT / "notebooks")
TOUR = NAMED["tour"]
ROOMS = ("notebooks", "exercises", "solutions")
ALL = sorted(path for room in ROOMS for path in (ROOT / room).glob("*.ipynb"))
CLOSING = ["What to take away", "The belief corrected", "Exercises", "Next", "Further reading"]
OPENING = ["**Question.**", "**After this lesson you can**", "**You need**", "**Minutes.**"]

MOST_MINUTES = 50
LONGEST_CELL, USUAL_CELL, SHARE_OF_USUAL = 25, 8, 0.8
FEWEST_GUESSES = 4
FEWER = {"00": 2, "tour": 3}  # notebooks that need fewer
MINUTES_OF_TOUR = 10
MEGABYTES_OF_TOUR = 250
TAGS = {"answer", "nbval-check-output", "proof", "raises-exception", "shows-stderr"}


def name(path):
    return f"{path.parent.name}/{path.stem}"


every_lesson = pytest.mark.parametrize("path", LESSONS, ids=name)
every_told = pytest.mark.parametrize("path", NAMED.values(), ids=name)
every_notebook = pytest.mark.parametrize("path", ALL, ids=name)


def read(path):
    return nbformat.read(path, as_version=4)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def prose(notebook):
    """The blocks of the notebook's Markdown."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "markdown")
    return markdown.blocks(*(cell.source for cell in cells))


def anchors(notebook):
    """What JupyterLab lets a link name a heading by."""
    return {words.replace(" ", "-") for _, words in markdown.headings(prose(notebook))}


def test_there_are_lessons():
    assert LESSONS


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_a_lesson_has_its_exercises_solutions_and_checks(path):
    for room in ("exercises", "solutions"):
        assert (ROOT / room / path.name).exists()
    assert (ROOT / "exercises" / "checks" / f"lesson_{path.name[:2]}").is_dir()


@every_notebook
def test_headings_are_in_order(path):
    levels = [level for level, _ in markdown.headings(prose(read(path)))]
    assert levels[:1] == [1] and levels.count(1) == 1
    for before, after in zip(levels, levels[1:]):
        assert after <= before + 1, f"a level {after} heading follows one of level {before}"


@every_lesson
def test_a_lesson_opens_and_closes_as_all_do(path):
    notebook = read(path)
    first = notebook.cells[0].source
    assert first.startswith(f"# {path.name[:2]} ")
    positions = [first.find(words) for words in OPENING]
    assert -1 not in positions and positions == sorted(positions), f"{OPENING} in {first}"
    second_level = [words for level, words in markdown.headings(prose(notebook)) if level == 2]
    assert second_level[-len(CLOSING) :] == CLOSING


@every_lesson
def test_a_lesson_says_how_long_it_takes(path):
    notebook = read(path)
    stated = int(re.search(r"\*\*Minutes\.\*\* (\d+)", notebook.cells[0].source)[1])
    takes = minutes(notebook.cells)
    assert abs(stated - takes) <= takes / 5, f"it takes {takes:.0f} minutes"
    assert takes <= MOST_MINUTES


@every_lesson
def test_a_lesson_links_its_exercises_and_what_comes_next(path):
    _, closing = markdown.parted(prose(read(path)), "Exercises")
    targets = [link.target for link in markdown.links(closing)]
    assert f"../exercises/{path.name}" in targets
    after = LESSONS[LESSONS.index(path) + 1 :]
    assert (after[0].name if after else "../README.md") in targets


@every_lesson
def test_a_lesson_says_where_more_practice_is(path):
    drilled, notebook = practice.lessons_with_drills(), read(path)
    lesson = path.name[:2]
    said = [cell.source for cell in notebook.cells if practice.BEGIN in cell.source]
    assert [practice.sentence(lesson) in source for source in said] == [True] * (lesson in drilled)
    practice.with_drills(notebook, lesson, drilled)
    assert notebook == read(path), "run: course.py refresh"


def test_a_lesson_without_drills_says_nothing_of_them():
    notebook = read(LESSONS[5])
    practice.with_drills(notebook, "05", [])
    assert not any(practice.BEGIN in cell.source for cell in notebook.cells)
    practice.with_drills(notebook, "05", ["05"])
    assert notebook == read(LESSONS[5])


@every_notebook
def test_the_first_code_cell_is_one_plain_import(path):
    assert re.fullmatch(r"from helpers import [\w, ]+", code(read(path))[0].source)


@every_told
def test_cells_are_short(path):
    notebook = read(path)
    lengths = [len(cell.source.splitlines()) for cell in code(notebook)]
    longest = max(lengths)
    usual = math.floor(100 * sum(length <= USUAL_CELL for length in lengths) / len(lengths)) / 100
    assert longest <= LONGEST_CELL
    assert usual >= SHARE_OF_USUAL


@every_told
def test_guesses_are_asked_and_then_checked_against_what_came_out(path):
    cells = code(read(path))
    begins = path.stem.partition("_")[0]
    assert not list(asked_in_lessons.problems(begins, [cell.source for cell in cells]))
    for one in asked_in_lessons.guesses([cell.source for cell in cells]):
        shows = [cell for cell in cells if re.search(rf"\b{one.name}\.check\(", cell.source)]
        for cell in [cells[one.cell], *shows]:
            assert "nbval-check-output" not in refresh.tags(cell), "it depends on what is said"


def test_no_two_guesses_have_the_same_id():
    ids = [
        one.id
        for path in NAMED.values()
        for one in asked_in_lessons.guesses([cell.source for cell in code(read(path))])
    ]
    assert sorted(ids) == sorted(set(ids))


@every_told
def test_a_lesson_asks_for_enough_guesses(path):
    made = len(asked_in_lessons.guesses([cell.source for cell in code(read(path))]))
    needed = FEWER.get(path.stem.partition("_")[0], FEWEST_GUESSES)
    assert made >= needed


ASK, CHECK = 'a = guess("05-a", "What?")', "a.check(log)"


@pytest.mark.parametrize(
    "sources, words",
    [
        ([ASK, CHECK], None),
        ([ASK, f"await main()\n{CHECK}"], None),
        ([ASK, CHECK, ASK.replace("05-a", "05-b"), "a.check({*log})"], None),
        ([ASK, "ex.check(3)", CHECK], None),
        ([ASK.replace("05", "06"), CHECK], "must begin with 05-"),
        ([ASK.replace("05", "tour"), CHECK], "must begin with 05-"),
        (["a = guess(name, 'What?')", CHECK], "must begin with"),
        (['guess("05-a", "What?")'], "under a name"),
        ([f"{ASK}\n{CHECK}"], "in its own cell"),
        ([f"{ASK}\n{CHECK}", CHECK], "in its own cell"),
        ([CHECK, ASK], "in no later cell"),
        ([ASK, ASK.replace("05-a", "05-b"), CHECK], "'05-a' is checked in no later cell"),
        ([ASK, 'a.check("ABC")'], "no experiment gave"),
        ([ASK, "a.check(-3)"], "no experiment gave"),
        ([ASK, 'a.check("".join(list("ABC")))'], "no experiment gave"),
        ([ASK, 'a.check({"A", "B"})'], "no experiment gave"),
        ([ASK, "a.check()"], "no experiment gave"),
    ],
)
def test_what_is_wrong_with_guesses_is_found(sources, words):
    found = list(asked_in_lessons.problems("05", sources))
    assert len(found) == (words is not None) and all(words in problem for problem in found), found


@every_notebook
def test_lines_fit_a_classroom_screen(path):
    for cell in code(read(path)):
        for line in cell.source.splitlines():
            assert len(line) <= 88, line


@every_notebook
def test_local_links_lead_somewhere(path):
    for _, words, target in markdown.links(prose(read(path))):
        if "://" in target:
            continue
        file, _, anchor = unquote(target).partition("#")
        there = path.parent / file if file else path
        assert there.exists(), f"[{words}]({target})"
        if anchor and there.suffix == ".ipynb":
            assert anchor in anchors(read(there)), f"[{words}]({target})"


@every_notebook
def test_nothing_reaches_past_this_machine(path):
    notebook = read(path)
    for cell in code(notebook):
        for host in re.findall(r"https?://([^\s/\"'\\}{]+)", cell.source):
            assert host.split(":")[0] == "127.0.0.1", host
    inside, _ = markdown.parted(prose(notebook), "Further reading")
    outside = [link.target for link in markdown.links(inside) if "://" in link.target]
    assert not outside, f"outside links belong under Further reading: {outside}"


@every_notebook
def test_a_pool_of_processes_ends_with_the_notebook(path):
    """However that ends: what a worker does when its parent is killed is in test_workloads."""
    for cell in code(read(path)):
        for call in re.findall(r"ProcessPoolExecutor\((?:[^()]|\([^()]*\))*\)", cell.source):
            assert "end_with_parent" in call, call


@every_notebook
def test_images_say_what_they_show(path):
    for is_image, words, target in markdown.links(prose(read(path))):
        assert not is_image or len(words) > 20, f"{target} needs alt text"
    assert "<img" not in markdown.html(prose(read(path)))
    for cell in code(read(path)):
        for output in cell.outputs:
            data = output.get("data", {})
            assert not set(data) & {"image/png", "image/jpeg", "image/svg+xml"}, (
                "JupyterLab shows a bare image without its alt text"
            )


@every_notebook
def test_outputs_are_stored_only_where_they_are_compared(path):
    for cell in code(read(path)):
        assert bool(cell.outputs) == ("nbval-check-output" in refresh.tags(cell)), cell.source


@every_notebook
def test_tags_are_known_and_intended_errors_are_named(path):
    for cell in code(read(path)):
        assert set(refresh.tags(cell)) <= TAGS
        assert ("raises-exception" in refresh.tags(cell)) == ("raises" in cell.metadata)


@every_told
def test_a_proof_follows_the_text_that_reads_its_result_and_shows_nothing(path):
    cells = read(path).cells
    for before, cell in zip(cells, cells[1:]):
        if "proof" in refresh.tags(cell):
            assert before.cell_type == "markdown", cell.source
            assert "assert " in cell.source and "print(" not in cell.source, cell.source
            assert cell.metadata.jupyter.source_hidden, "run: python3 course.py refresh"


@every_notebook
def test_the_shell_and_emoji_stay_out(path):
    notebook = read(path)
    for cell in code(notebook):
        assert not re.search(r"^\s*[!%]", cell.source, flags=re.M), cell.source
    text = "".join(cell.source for cell in notebook.cells)
    assert not [c for c in text if unicodedata.category(c) == "So"]


@every_notebook
def test_a_notebook_is_stored_as_refresh_would_store_it(path):
    notebook = read(path)
    refresh.tidy(notebook)
    assert notebook == read(path), "run: python3 course.py refresh"
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


@pytest.mark.parametrize("path", sorted((ROOT / "solutions").glob("*.ipynb")), ids=name)
def test_exercises_come_from_solutions_byte_for_byte(path):
    exercises = ROOT / "exercises" / path.name
    fresh = nbformat.writes(refresh.exercises_from(read(path))) + "\n"
    assert exercises.read_text(encoding="utf-8") == fresh, "run: python3 course.py refresh"


@every_lesson
def test_a_lesson_has_four_exercises_with_hints_and_three_wrong_answers_each(path):
    exercises = [
        finding.find(entry.id) for entry in finding.entries() if entry.lesson == path.name[:2]
    ]
    assert len(exercises) >= 4
    for exercise in exercises:
        assert exercise.hints, exercise.id
        assert len(exercise.wrong_programs()) + len(exercise.wrong_values) >= 3, exercise.id
    asked = [cell.source for cell in code(read(ROOT / "solutions" / path.name))]
    for exercise in exercises:
        assert any(f'exercise("{exercise.id}")' in source for source in asked), exercise.id


def test_the_readme_maps_every_lesson_and_its_links_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = [link.target for link in markdown.links(markdown.blocks(text))]
    assert {f"notebooks/{path.name}" for path in NAMED.values()} <= set(targets)
    for target in targets:
        assert "://" in target or (ROOT / target).exists(), target


def test_the_tour_takes_ten_minutes_and_shows_a_little_at_a_time():
    notebook = read(TOUR)
    assert minutes(notebook.cells) <= MINUTES_OF_TOUR * 1.2
    assert max(len(cell.source.splitlines()) for cell in code(notebook)) <= USUAL_CELL


def test_the_tour_ends_with_the_map_and_leads_to_the_first_lesson():
    notebook = read(TOUR)
    assert code(notebook)[-1].source == "course_map()"
    targets = [link.target for link in markdown.links(prose(notebook))]
    assert targets == [LESSONS[0].name]


def test_the_tour_says_that_it_holds_little_memory():
    """tests/notebook_rules.py holds it to what it says."""
    assert read(TOUR).metadata.course.memory <= MEGABYTES_OF_TOUR
