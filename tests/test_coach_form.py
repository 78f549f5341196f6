"""The form of an exercise: programs that are edits of others, and files found by their name."""

import ast
import os
import subprocess
import sys
import textwrap

import pytest

from helpers.basics.project import PROJECT
from helpers.coach import Exercise, right, wrong
from helpers.coach.exercise import judge
from helpers.coach.form import finding
from helpers.coach.form.programs import Edit
from tests.coach_cells import FIXTURES, cell

pytestmark = pytest.mark.coach

PATHS = [path for folder in (finding.CHECKS, FIXTURES) for path in finding.check_files(folder)]
SHARED = sorted(finding.CHECKS.glob("lesson_*/shared.py"))
every_file = pytest.mark.parametrize("path", PATHS, ids=finding.id_of)


def lesson(folder, **files):
    """Write check files of lesson 98 into a folder; names without a number are `shared` and so
    on.
    """
    (folder / "lesson_98").mkdir(exist_ok=True)
    for number, (name, text) in enumerate(files.items(), 1):
        name = name if name == "shared" else f"{number}_{name}"
        path = folder / "lesson_98" / f"{name}.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        os.utime(path, ns=(0, lesson.clock))
        lesson.clock += 10**9
    return folder


lesson.clock = 10**18  # file systems keep times of different fineness

EDITED = '''
    import asyncio
    import time
    from contextlib import aclosing, suppress

    from helpers.coach import Exercise, right, wrong


    class One(Exercise):
        """One"""

        id, asks = "edited", "one"

        def verify(self, one, lab):
            lab.equal(lab.call(one, [3]), 6)

        @right
        def added(numbers):
            """Add up."""
            total = 0
            for number in numbers:
                with suppress(KeyError):
                    total += 2 * number
            return total

'''


def edited(folder, *lines):
    text = textwrap.dedent(EDITED) + textwrap.indent("\n".join(lines), "    ") + "\n"
    return finding.find("edited", lesson(folder, edited=text))


def programs_of(exercise):
    return {program.name: program for program in exercise.programs}


# Edits


def test_an_edit_is_its_base_with_a_few_other_words(tmp_path):
    exercise = edited(tmp_path, 'slow = added.but("total += 2", "time.sleep(0)", kind="value")')
    program = programs_of(exercise)["slow"]
    assert (program.role, program.kind, program.says) == ("wrong", "value", "")
    assert program.text == textwrap.dedent('''\
        import time
        from contextlib import suppress


        def one(numbers):
            """Add up."""
            total = 0
            for number in numbers:
                with suppress(KeyError):
                    time.sleep(0) * number
            return total
    ''')


def test_an_edit_is_told_its_mistake_as_any_wrong_program(tmp_path):
    exercise = edited(tmp_path, 'once = added.but("2 * ", "", kind="value", says="returned 3")')
    program = programs_of(exercise)["once"]
    verdict, _ = judge(exercise, cell(program.text, "one"))
    assert verdict.kind == program.kind and program.says in verdict.text()
    assert exercise.solution() == programs_of(exercise)["added"].text
    assert exercise.model()([3]) == 6


def test_edits_are_chained_and_edited_again(tmp_path):
    exercise = edited(
        tmp_path,
        'three = added.but("2 *", "3 *").but("total = 0", "total = 1", kind="value")',
        'four = three.but("3 *", "4 *", kind="other", says="four")',
    )
    text = programs_of(exercise)["four"].text
    assert "total = 1\n" in text and "4 * number" in text
    assert programs_of(exercise)["four"].says == "four"
    assert [program.name for program in exercise.programs] == ["added", "three", "four"]


@pytest.mark.parametrize(
    "old, words",
    [
        ("subtract", "'subtract' stands 0 times in the program that is edited; an edit"),
        ("total", "'total' stands 3 times in the program that is edited, in the lines 3, 6 and 7;"),
        ("for\nwith", "stands 0 times"),
    ],
)
def test_what_an_edit_replaces_stands_exactly_once(tmp_path, old, words):
    exercise = edited(tmp_path, f'bad = added.but({old!r}, "x", kind="value")')
    with pytest.raises(ValueError, match=words):
        programs_of(exercise)["bad"].text  # noqa: B018


@pytest.mark.parametrize(
    "old, new, lines",
    [
        ("total = 0", "total = 0\ntotal += 1", ["    total = 0", "    total += 1"]),
        ("total = 0", "", []),
        ("total = 0\nfor", "if x:\n    pass\nfor", ["    if x:", "        pass"]),
    ],
)
def test_lines_of_an_edit_are_written_from_the_margin(old, new, lines):
    text = "def one():\n    total = 0\n    for x in y:\n        pass"
    assert Edit(None, old, new).applied(text).split("\n") == [
        "def one():",
        *lines,
        "    for x in y:",
        "        pass",
    ]


def test_a_class_is_edited_too():
    exercise = finding.find("t-class", FIXTURES)
    program = programs_of(exercise)["TooLate"]
    assert program.text.startswith('class Ticker:\n    """Counts down."""\n')
    assert program.text.endswith("return self.left + 1\n")


def test_an_edit_without_a_kind_is_no_program():
    with pytest.raises(TypeError, match="the edit half needs a kind"):

        class Bad(Exercise):
            """Bad"""

            id, asks = "bad", "one"

            @right
            def whole():
                return 1

            half = whole.but("1", "2")


def test_marks_leave_a_program_what_it_was():
    @wrong("value")
    def one(number):
        return number

    assert one(3) == 3 and one.coach_mark == ("wrong", "value", "")


# Finding


SIMPLE = '''
    from helpers.coach import Exercise, right


    class One(Exercise):
        """One"""

        id, asks = "one", "one"

        @right
        def returns():
            return 1
'''


def test_finding_one_reads_its_file_alone(tmp_path):
    broken = "class Broken(:\n"
    folder = lesson(tmp_path, two=broken, one=SIMPLE, shared=broken)
    (tmp_path / "lesson_97").mkdir()
    (tmp_path / "lesson_97" / "1_three.py").write_bytes(b"\xff")
    assert finding.find("one", folder).__name__ == "One"
    assert [entry.id for entry in finding.entries(folder)] == ["one"]


def test_the_file_bears_the_exercises_name(tmp_path):
    with pytest.raises(LookupError, match="1_another.py holds no exercise 'another'"):
        finding.find("another", lesson(tmp_path, another=SIMPLE))


def test_a_changed_file_is_loaded_anew(tmp_path):
    one = finding.find("one", lesson(tmp_path, one=SIMPLE))
    assert finding.find("one", tmp_path) is one
    changed = finding.find("one", lesson(tmp_path, one=SIMPLE.replace("return 1", "return 2")))
    assert changed.model()() == 2 and "return 2" in changed.solution()


SHARES = SIMPLE.replace("right\n", "right\n\n    from .shared import NUMBER\n", 1).replace(
    "        @right", "        minutes = NUMBER\n\n        @right"
)


def test_what_is_shared_is_loaded_anew_when_it_changes(tmp_path):
    folder = lesson(tmp_path, one=SHARES, shared="NUMBER = 7\n")
    one = finding.find("one", folder)
    assert one.minutes == 7 and finding.find("one", folder) is one
    lesson(tmp_path, shared="NUMBER = 8\n")
    assert finding.find("one", folder).minutes == 8


def test_a_program_shows_no_import_of_what_is_shared(tmp_path):
    text = SHARES.replace("return 1", "NUMBER = 1\n            return NUMBER")
    exercise = finding.find("one", lesson(tmp_path, one=text, shared="NUMBER = 7\n"))
    assert exercise.solution() == "def one():\n    NUMBER = 1\n    return NUMBER\n"


def test_lessons_of_one_name_in_two_folders_do_not_mix(tmp_path):
    for number in "34":
        (tmp_path / number).mkdir()
        lesson.clock = 2 * 10**18
        lesson(tmp_path / number, one=SHARES, shared=f"NUMBER = {number}\n")
    found = [finding.find("one", tmp_path / number).minutes for number in "343"]
    assert found == [3, 4, 3]


JUDGES = SHARES.replace(
    "        @right",
    "        def verify(self, one, lab):\n            lab.equal(lab.call(one), NUMBER)\n\n"
    "        @right",
)


def test_the_judge_reads_what_is_shared(tmp_path):
    for number, status in ((1, "solved"), (2, "not yet")):
        lesson(tmp_path, one=JUDGES, shared=f"NUMBER = {number}\n")
        exercise = finding.find("one", tmp_path)
        verdict, _ = judge(exercise, cell(exercise.solution(), "one"))
        assert verdict.status == status, verdict.text()


def test_finding_imports_no_other_exercise():
    code = (
        "import sys; from helpers.coach.form import finding; finding.find('future-1'); "
        "print([name for name in sys.modules if name.startswith('exercises')])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PROJECT
    )
    found = {name.removeprefix("exercises.checks.lesson_07") for name in eval(run.stdout)}
    assert found == {"", ".2_future-1", ".shared"}


# Files


@every_file
def test_a_files_head_says_what_its_exercise_says(path):
    entry = finding.entry_of(path, path.stat().st_mtime_ns)
    exercise = finding.find(entry.id, path.parents[1])
    assert (entry.title, entry.minutes, entry.asks) == (
        exercise.title(),
        exercise.minutes,
        exercise.asks,
    )
    assert entry in finding.beside(exercise)
    assert entry.lesson == path.parent.name[-2:]


@every_file
def test_a_file_holds_one_exercise(path):
    bases = [
        ast.unparse(base)
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
        for base in node.bases
    ]
    assert bases.count("Exercise") == 1


def names_in(text):
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


@pytest.mark.parametrize("path", PATHS + SHARED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_import_is_used_by_the_file_or_by_one_of_its_programs(path):
    text = path.read_text(encoding="utf-8")
    used = names_in(text)
    if path not in SHARED:
        exercise = finding.find(finding.id_of(path), path.parents[1])
        used |= set().union(*(names_in(program.text) for program in exercise.programs))
    for node in ast.parse(text).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound = {alias.asname or alias.name.partition(".")[0] for alias in node.names}
            assert bound <= used, ast.unparse(node)
