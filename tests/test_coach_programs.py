"""Every right program passes, every stub is not started, every wrong one is told its very
mistake in the words of its lesson's transcript, and no mutant of a right one passes: for all
exercises of the course, and for the fixture's.
"""

import ast
import pathlib
import re
import textwrap
import time

import pytest

import exercises.checks
from helpers.coach.exercise import judge
from helpers.coach.form import finding
from helpers.coach.form.stubs import stub_of
from helpers.coach.form.text import place_of
from helpers.coach.judging.lab import Lab
from helpers.coach.judging.sandbox import Sandbox
from helpers.coach.mistakes.source import Source
from tests import transcripts
from tests.coach_cells import FIXTURES, cell, code_lines, judged, under_the_stub
from tests.mutants import mutants
from tests.mutants_yet import YET_TO_CATCH

pytestmark = pytest.mark.coach

# A mutant has this many times the time that its program took, and at least so many seconds: one
# that hangs need not be named, but none may be caught by the clock alone.
MUTANT_TIMES, MUTANT_LEAST = 3, 0.7


def all_exercises():
    found = []
    for folder in (finding.CHECKS, FIXTURES):
        found += [finding.find(entry.id, folder) for entry in finding.entries(folder)]
    return found


EXERCISES = all_exercises()
COURSE = [exercise for exercise in EXERCISES if finding.folder_of(exercise) == finding.CHECKS]


def of_role(role):
    return [
        pytest.param(exercise, program, id=f"{exercise.id}:{program.name}")
        for exercise in EXERCISES
        for program in exercise.programs
        if program.role == role
    ]


def values(name):
    return [
        pytest.param(exercise, value, id=f"{exercise.id}:{number}")
        for exercise in EXERCISES
        for number, value in enumerate(getattr(exercise, name))
    ]


each = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)


@pytest.mark.parametrize("exercise, program", of_role("right"))
def test_right_program_is_solved(exercise, program):
    verdict, recording = judged(exercise, cell(program.text, exercise.asks))
    assert verdict.status == "solved", verdict.text()
    assert not verdict.printed


@pytest.mark.parametrize("exercise, program", of_role("wrong"))
def test_wrong_program_is_told_its_mistake(exercise, program):
    answer = cell(under_the_stub(program), exercise.asks)
    verdict, _ = judged(exercise, answer)
    text = verdict.text()
    assert verdict.status == "not yet", text
    assert verdict.kind == program.kind, text
    assert program.says in text
    assert text.startswith("NOT YET: ")
    if verdict.line is not None and place_of(answer)[0]:
        line = code_lines(place_of(answer)[0])[verdict.line - 1]
        assert line.strip(), f"line {verdict.line} is a docstring's or a comment's:\n{text}"
    assert_as_written(exercise, program.name, verdict)


@pytest.mark.parametrize("exercise, value", values("right_values"))
def test_right_value_is_solved(exercise, value):
    verdict, _ = judge(exercise, value)
    assert verdict.status == "solved", verdict.text()


@pytest.mark.parametrize("exercise, belief", values("wrong_values"))
def test_wrong_value_is_told_its_mistake(exercise, belief):
    verdict, _ = judge(exercise, belief.value)
    assert (verdict.status, verdict.kind) == ("not yet", belief.kind), verdict.text()
    assert belief.says in verdict.text()
    assert_as_written(exercise, exercise.wrong_values.index(belief), verdict)


def assert_as_written(exercise, name, verdict):
    """The message is the one in the transcript of the exercise's lesson; the fixture has none."""
    if exercise in COURSE and transcripts.quotes_this_python():
        lesson = transcripts.lesson_of(exercise)
        written = transcripts.messages_in(lesson).get(f"{exercise.id}:{name}")
        assert transcripts.message_of(verdict) == written, transcripts.ANEW.format(lesson)


@pytest.mark.parametrize("lesson", transcripts.lessons())
def test_transcript_holds_the_exercises_as_they_are(lesson):
    """What each wrong answer is told was compared when it was judged; here, all that is beside."""
    written = transcripts.path_of(lesson).read_text(encoding="utf-8")
    now = transcripts.transcript(lesson, transcripts.messages_in(lesson))
    assert now == written, transcripts.ANEW.format(lesson)


def test_there_is_a_transcript_of_each_lesson_and_no_other():
    written = {path.name for path in transcripts.FOLDER.glob("*.md")}
    assert written == {transcripts.path_of(lesson).name for lesson in transcripts.lessons()}


@each
def test_every_wrong_answer_states_words_of_its_message(exercise):
    wordless = [program.name for program in exercise.wrong_programs() if not program.says]
    wordless += [belief.value for belief in exercise.wrong_values if not belief.says]
    assert not wordless, "says=… is missing"


def test_a_wrong_order_in_a_prediction_is_told_as_such():
    verdict, _ = judge(finding.find("wakes-1"), ["e", "d", "c", "b", "a"])
    assert verdict.kind == "order" and "Follow the program again" in verdict.text()
    assert "the expected order" not in verdict.text()


@each
def test_stub_is_not_started(exercise):
    verdict, _ = judge(exercise, cell(exercise.stub(), exercise.asks))
    assert verdict.status == "not started", verdict.text()


@pytest.mark.once
@pytest.mark.parametrize("exercise, program", of_role("right"))
def test_no_mutant_passes(exercise, program, monkeypatch):
    # Whether one passes is asked here, and not which of its lines is wrong.
    monkeypatch.setattr(Sandbox, "_seek", lambda *_: None)
    yet = YET_TO_CATCH.get(f"{exercise.id}:{program.name}", set())
    limit = mutant_limit(exercise, program)
    names, survivors = set(), {}
    for change, text in mutants(program.text, exercise.asks):
        names.add(change)
        if f"{program.name}: {change}" in exercise.equivalent:
            continue
        try:
            answer = cell(text, exercise.asks)
        except Exception:
            continue  # it doesn't even define the answer
        # One that is known to pass has all the time there is: it passes on a busy machine, too.
        verdict, _ = judge(exercise, answer, None if change in yet else limit)
        if verdict.status == "solved":
            survivors[change] = f"{change}\n{textwrap.indent(text, '    ')}"
    found = "\n".join(text for change, text in survivors.items() if change not in yet)
    assert not found, f"these pass:\n{found}"
    caught = sorted(yet - set(survivors))
    assert not caught, f"take out of YET_TO_CATCH what is caught now: {caught}"
    excused = {
        change.partition(": ")[2]
        for change in exercise.equivalent
        if change.startswith(f"{program.name}:")
    }
    assert excused <= names, "excused, but there is no such mutant"


def mutant_limit(exercise, program):
    """Seconds for a program's mutants, by what it takes itself; it must pass in that time."""
    answer = cell(program.text, exercise.asks)
    begun = time.monotonic()
    judge(exercise, answer)
    limit = max(MUTANT_TIMES * (time.monotonic() - begun), MUTANT_LEAST)
    verdict, _ = judge(exercise, answer, limit)
    assert verdict.status == "solved", f"in {limit:.1f} s, as its mutants have: {verdict.text()}"
    return limit


def test_what_is_yet_to_catch_is_of_a_right_program():
    right = {f"{e.id}:{program.name}" for e in EXERCISES for program in e.right_programs()}
    assert set(YET_TO_CATCH) <= right


@each
def test_form_of_an_exercise(exercise):
    assert exercise.title() and not exercise.title().endswith("."), "the title is a heading"
    assert 0 < exercise.minutes <= 30
    assert all(isinstance(hint, str) and hint for hint in exercise.hints)
    names = [program.name for program in exercise.programs]
    assert set(name.partition(":")[0] for name in exercise.equivalent) <= set(names)
    ast.parse(exercise.solution())
    ast.parse(exercise.stub())
    assert "@right" not in exercise.solution() and "helpers.coach" not in exercise.solution()


@pytest.mark.parametrize("exercise", COURSE, ids=lambda exercise: exercise.id)
def test_exercise_of_the_course_has_hints_and_wrong_programs(exercise):
    assert exercise.statement() or exercise.takes_value()
    assert len(exercise.hints) >= 2
    assert len(exercise.wrong_programs()) + len(exercise.wrong_values) >= 2


def test_ids_are_there_once():
    ids = [entry.id for entry in finding.entries()]
    assert len(ids) == len(set(ids))


def test_the_documented_module_works(tmp_path):
    """The files in the docstring of exercises.checks hold what they promise."""
    text = exercises.checks.__doc__
    files = text[: text.index("**The class.**")].split("\n    # lesson_10/")[1:]
    (tmp_path / "lesson_99").mkdir()
    for name, _, file in (part.partition("\n") for part in files):
        (tmp_path / "lesson_99" / name).write_text(textwrap.dedent(file), encoding="utf-8")
    found = finding.entries(tmp_path)
    assert [entry.id for entry in found] == ["overlap-1", "take-1", "predict-1", "classify-1"]
    for entry in found:
        exercise = finding.find(entry.id, tmp_path)
        for program in exercise.programs:
            verdict, _ = judge(exercise, cell(program.text, exercise.asks))
            expected = ("solved", "") if program.role == "right" else ("not yet", program.kind)
            assert (verdict.status, verdict.kind) == expected, f"{program.name}: {verdict.text()}"
            assert program.says in verdict.text()
        for belief in exercise.wrong_values:
            verdict, _ = judge(exercise, belief.value)
            assert verdict.kind == belief.kind and belief.says in verdict.text()


def test_documented_methods_exist():
    named = set(re.findall(r"\blab\.(\w+)", exercises.checks.__doc__)) - {"py"}
    lab = Lab("answer", "virtual", Source(()))
    missing = [name for name in named if not hasattr(lab, name)]
    assert not missing


def test_a_stub_gives_nothing_away():
    text = (
        "import asyncio\n\n\n"
        "async def ask(\n    one,\n    two=(1,\n         2),\n) -> int:  # a note:\n"
        "    # first the trick\n    return await asyncio.sleep(1)\n"
    )
    assert stub_of(text) == (
        "import asyncio\n\n\n"
        "async def ask(\n    one,\n    two=(1,\n         2),\n) -> int:  # a note:\n    ..."
    )
    text = (
        'class Two:\n    """Doc"""\n\n    def one(self):\n        """Say."""\n'
        "        # trick\n        return 1\n"
        "\n    async def two(self):\n        return 2\n"
    )
    assert (
        stub_of(text) == 'class Two:\n    """Doc"""\n\n    def one(self):\n        """Say."""\n'
        "        ...\n\n    async def two(self):\n        ..."
    )
    assert stub_of("x = [1,\n     2]\ny = 3") == "x = ...\ny = ..."
    with pytest.raises(ValueError, match="lines of its own"):
        stub_of("def f(): return 1\n")
    with pytest.raises(ValueError, match="line 2 of an answer"):
        stub_of("x = 6\nprint(x)")


def test_unknown_exercise_names_the_nearest():
    with pytest.raises(LookupError, match="t-together"):
        finding.find("t-togeter", FIXTURES)


@pytest.mark.parametrize(
    "body, words",
    [
        ("id = 'x'", "needs id, asks and a docstring"),
        ("'''Doc'''\n    id, asks = 'x', 'f'", "needs a @right program or right_values"),
        ("'''Doc'''\n    id, asks, right_values, clock = 'x', 'f', (1,), 'wall'", "clock is"),
        (
            "'''Doc'''\n    id, asks, right_values, hints = 'x', 'f', (1,), 'one'",
            "hints is a tuple",
        ),
    ],
)
def test_a_form_that_is_wrong_is_refused(body, words):
    with pytest.raises(TypeError, match=words):
        exec(
            f"from helpers.coach import Exercise\nclass Bad(Exercise):\n    {body}",
            {"__name__": "x"},
        )


def test_check_modules_lean_on_the_coach_and_the_loop_alone():
    for path in pathlib.Path(finding.CHECKS).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("helpers"):
                # The exercises on the event loop run on the loop that they are about, and those
                # on pipelines end them as the lesson does on every Python. What a check tells has
                # lists and numbers as the coach has them.
                known = ("helpers.coach", "helpers.eventloop")
                known += ("helpers.basics.backports", "helpers.basics.words")
                assert node.module.startswith(known), f"{path.name} imports {node.module}"
