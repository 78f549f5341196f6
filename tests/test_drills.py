"""Drills: programs of many shapes, the answer as it is typed, and what a wrong one shows."""

import ast
import json
import random
import subprocess
import sys
import time

import ipywidgets
import pytest

from helpers.basics.project import PROJECT
from helpers.beliefs.all import BELIEFS
from helpers.beliefs.world import TRUTH, run_in
from helpers.coach.exercise import my_progress
from helpers.coach.noted import Drilled
from helpers.coach.progress import KEPT_DRILLED, Progress
from helpers.drills import drill
from helpers.drills.answers import agrees, answer_of, predictions, truth_of
from helpers.drills.catalogue import in_order, templates_for
from helpers.drills.choosing import tells
from helpers.drills.drill import Drill, Question
from helpers.drills.template import LEFT, LONGEST, ORDER, TIMES, WIDEST, Program
from helpers.drills.verdict import explained, recorded
from helpers.drills.weighing import KNOWS, Answered, after_all, at_first
from helpers.recording.record import record
from helpers.upkeep.drilled import LESSONS, told, told_after_a_slip

pytestmark = pytest.mark.coach

TURNS = Program(
    "05-turns", 0, "05", "the ready queue", ORDER,
    'async def say(name):\n    print(name, 1)\n    await asyncio.sleep(0)\n    print(name, 2)\n'
    'async def main():\n    await asyncio.gather(say("a"), say("b"))\n    print("end")\n',
)  # fmt: skip
NAPS = Program(
    "07-spawn", 0, "07", "tasks", TIMES,
    "async def nap(name, s):\n    print(name)\n    await asyncio.sleep(s)\n    print(name, 2)\n"
    'async def main():\n    a = asyncio.create_task(nap("a", 2))\n'
    '    b = asyncio.create_task(nap("b", 1))\n    await a\n    await b\n    print("end")\n',
)  # fmt: skip


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    monkeypatch.setenv("ASYNC_COURSE_DATA", str(tmp_path))
    my_progress.cache_clear()
    yield
    my_progress.cache_clear()


# Templates


def shape(source):
    """What is left of a program without its names and numbers."""
    names = {}
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.setdefault(node.id, str(len(names)))
        elif isinstance(node, ast.Constant):
            node.value = type(node.value).__name__
    return ast.dump(tree)


@pytest.mark.once
@pytest.mark.parametrize("template", in_order(), ids=lambda one: one.id)
def test_a_template_makes_programs_of_many_shapes(template):
    programs = [template.variant(number) for number in range(150)]
    assert len({shape(program.source) for program in programs}) >= 20
    for program in programs:
        lines = program.source.splitlines()
        assert len(lines) <= LONGEST and max(map(len, lines)) <= WIDEST
        assert program == template.variant(program.variant)


@pytest.mark.parametrize("template", in_order(), ids=lambda one: one.id)
def test_a_drill_has_one_answer(template):
    for number in range(4):
        program = template.variant(number)
        truth = truth_of(program)
        assert truth == answer_of(program, run_in(TRUTH, program.source))
        assert agrees(program, " ".join(truth), truth)


def test_there_are_drills_on_every_lesson():
    assert len(in_order()) >= 30
    assert {one.lesson for one in in_order()} == {f"{number:02}" for number in range(17)}
    assert {one.lesson for one in templates_for("cancel")} == {"11"}
    assert templates_for("7") == templates_for("07")
    with pytest.raises(ValueError, match="There are no drills on 'frogs'. Give a lesson, 00 to 16"):
        templates_for("frogs")
    assert templates_for(7) == templates_for("07")
    for what in " ", ["07"]:
        with pytest.raises(ValueError, match="There are no drills on "):
            templates_for(what)


# What is typed


@pytest.mark.parametrize(
    "said",
    ["a 1 b 1 a 2 b 2 end", "A 1, B 1, A 2, B 2, END", "a1b1a2b2end", " a 1\nb 1\na 2 b 2 end"],
)
def test_an_answer_as_it_may_be_typed(said):
    assert agrees(TURNS, said, truth_of(TURNS))


def test_times_as_they_may_be_typed():
    assert truth_of(NAPS) == ("a 0", "b 0", "b 2 1", "a 2 2", "end 2")
    for said in "a 0 b 0 b 2 1 a 2 2 end 2", "a@0, b@0, b 2 @1, a 2 at 2 s, end at 2.0":
        assert agrees(NAPS, said, truth_of(NAPS))
    assert not agrees(NAPS, "a 0 b 0 b 2 1 a 2 3 end 3", truth_of(NAPS))


def test_what_is_left_has_no_order():
    program = NAPS._replace(asks=LEFT)
    assert agrees(program, "b a", ("a", "b")) and agrees(program, "ba", ("a", "b"))
    assert not agrees(program, "a", ("a", "b"))


# What an answer tells


def test_a_right_answer():
    asked = Drill(TURNS)
    answer = asked.say("a 1 b 1 a 2 b 2 end")
    assert answer.text == "Right: a 1, b 1, a 2, b 2, end."
    assert asked.verdict.right and asked.verdict.belief is None


def test_a_belief_is_named_with_its_place_and_both_timelines():
    asked = Drill(NAPS)
    text = asked.say(" ".join(predictions(NAPS)["sleepers-queue"])).text
    assert "You predicted what would happen if sleepers woke in the order in which they" in text
    assert "The earliest deadline wakes first" in text and "Lesson 06, cell " in text
    assert "what happens: Timeline" in text and "what you predicted: Timeline" in text
    assert "Marked at 1.00 s: here they part." in text
    assert asked.verdict.belief.id == "sleepers-queue"
    assert my_progress().drills()[0][1].named == "sleepers-queue"


def test_what_no_belief_predicts_is_explained_from_the_recording():
    asked = Drill(NAPS)
    text = asked.say("a 0 b 0 a 2 1 b 2 2 end 2").text
    assert (
        "The first difference is line 3, `b 2` at 1 s: the sleep of `nap-2` at line 3, 1 s long, "
        "ended at 1.00 s." in text
    )
    assert asked.verdict.belief is None and "predicted what" not in text


def test_what_two_beliefs_predict_is_not_pinned_on_one():
    said = " ".join(predictions(TURNS)["sleep-0-nothing"])
    assert said == " ".join(predictions(TURNS)["sleep-blocks"])
    asked = Drill(TURNS)
    assert "Another drill tells which" in asked.say(said).text and asked.verdict.belief is None


def test_a_recording_under_way_sees_nothing_of_a_drill():
    with record() as rec:
        Drill(NAPS).say("a 0")
    assert rec.lanes == []


def test_nothing_said_is_no_answer():
    for said in "", "  ", ",", "''":
        assert Drill(TURNS).say(said).text == "Nothing was said yet."
    for said in 3, None, ["a", "b"]:
        words = 'An answer is a text, such as "a b c", and this is '
        assert Drill(TURNS).say(said).text == f"{words}{said!r}."
    assert my_progress().drills() == []


def test_a_long_answer_is_not_said_again_as_a_whole():
    first = Drill(TURNS).say("a 1 " * 1000).text.splitlines()[0]
    assert first.startswith("You said a 1 a 1 ") and " …. It is a 1, b 1" in first
    assert len(first) < 300


def test_without_a_loop_nothing_is_said_of_times_and_tasks():
    source = 'def gen():\n    print("in")\n    yield 1\nprint("out")\nprint(next(gen()))\n'
    text = Drill(TURNS._replace(id="02-steps", lesson="02", source=source)).say("in out 1").text
    assert "The first difference is line 1, `out`." in text and " at 0 s" not in text


def test_an_answer_comes_at_once():
    said = " ".join(predictions(NAPS)["sleepers-queue"])
    took = []
    for _ in range(5):
        begun = time.perf_counter()
        Drill(NAPS).say(said)
        took.append(time.perf_counter() - begun)
    assert min(took) < 0.15


# Which drill is next


def test_a_drill_that_tells_beliefs_apart_is_preferred():
    thought = dict.fromkeys(at_first(), 0.0)
    thought |= {"sleep-0-nothing": 0.5, "sleep-blocks": 0.5}
    assert tells(TURNS, thought) == 0, "both answer alike"
    assert tells(NAPS, thought) > 0.9


@pytest.mark.once
def test_who_holds_a_belief_is_told_of_it():
    drawn = random.Random(5)
    chosen = list(BELIEFS)[::6]
    found = {belief: told(belief, BELIEFS[belief].lesson, drawn) for belief in chosen}
    assert sum(belief in names for belief, names in found.items()) >= len(chosen) - 2, found
    assert all(set(names) <= {belief} for belief, names in found.items()), found


@pytest.mark.once
def test_who_answers_by_the_truth_is_told_of_no_belief():
    drawn = random.Random(6)
    assert not any(told(None, lesson, drawn) for lesson in LESSONS[::5])


def test_an_answer_that_hardly_anybody_gives_is_weighed_all_the_same():
    nonsense = Answered(False, (), 0.0)  # what was kept of one in a million
    assert after_all([nonsense])["truth"] == pytest.approx(KNOWS)


@pytest.mark.once
def test_a_slip_is_rarely_called_a_belief():
    drawn = random.Random(7)
    assert sum(bool(told_after_a_slip(lesson, drawn)) for lesson in LESSONS) <= 1


# Kept


def test_answers_to_drills_are_kept_and_carried_along(tmp_path):
    mine = Progress(tmp_path / "mine.json")
    for at in range(KEPT_DRILLED + 2):
        mine.drilled("05-turns", Drilled(at, 3, False, "call-runs", ("call-runs",), 0.01))
    kept = Progress(tmp_path / "mine.json").drills()
    assert [answer.at for _, answer in kept] == list(range(2, KEPT_DRILLED + 2))
    assert kept[-1] == ("05-turns", Drilled(11, 3, False, "call-runs", ("call-runs",), 0.01))
    other = Progress(tmp_path / "other.json")
    other.drilled("05-turns", Drilled(5, 1, True))
    other.restore(mine.code())
    assert [answer.at for _, answer in other.drills()] == [5, 9, 10, 11]


@pytest.mark.parametrize(
    "value",
    [3, [3], [[1, 2, 3, "", [], 0.1]], [[1, 2, True, "", "ab", 0.1]], [[1, 2, True, "", [], 2]]],
)
def test_what_is_no_answer_to_a_drill_is_left_out(tmp_path, value):
    path = tmp_path / "progress.json"
    entries = {"drill 05-turns": {"drilled": value}, "one": {"status": "solved"}}
    path.write_text(json.dumps({"schema": 3, "exercises": entries}))
    mine = Progress(path, tell=lambda text: None)
    assert mine.drills() == [] and mine.of("one")["status"] == "solved"


def test_an_older_file_is_taken_over(tmp_path):
    path = tmp_path / "progress.json"
    path.write_text(json.dumps({"schema": 2, "exercises": {"one": {"status": "solved"}}}))
    mine = Progress(path)
    mine.drilled("05-turns", Drilled(1, 2, True))
    assert mine.of("one")["status"] == "solved" and len(mine.drills()) == 1


# Where it is asked


def test_outside_a_notebook_the_program_is_printed(capsys):
    asked = drill("07")
    assert capsys.readouterr().out == f"{asked.text}\n"
    assert asked.program.source in asked.text and "What does it print" in asked.text
    assert asked.text.endswith('Answer with .check("…").')
    asked.check("nonsense")
    assert capsys.readouterr().out.startswith("You said nonsense. It is ")


def test_without_a_front_end_a_notebook_shows_the_program_once():
    asked = Drill(NAPS)
    shown = Question(asked)._repr_mimebundle_()
    assert shown["text/plain"] == asked.text and "What does it print" in shown["text/html"]
    assert set(shown) == {"text/plain", "text/html"}
    assert repr(asked) == "drill '07-spawn': no answer yet"
    asked.say("a 0")
    assert repr(asked) == "drill '07-spawn': not right"


def test_without_a_lesson_it_is_the_one_the_learner_is_at(capsys):
    assert drill().program.lesson == "00"
    my_progress().said("07-slot", "Ann")
    assert drill().program.lesson == "07"


def test_a_field_takes_lines_that_are_typed_or_chosen():
    asked = Drill(TURNS)
    box = asked.field()
    told = box.children[-1]
    entry = next(one for one in box.children[1].children if isinstance(one, ipywidgets.Text))
    entry.value = "a 1 a 2 b 1 b 2 end"
    assert "You said a 1 a 2 b 1 b 2 end." in told.value and "alert" in told.value
    buttons = {one.description: one for one in box.children[3].children}
    assert {"a 1", "a 2", "b 1", "b 2", "end", "Take back", "Check"} <= set(buttons)
    for text in "a 1", "b 2", "Take back", "b 1", "a 2", "b 2", "end":
        buttons[text].click()
    assert "Chosen: a 1, b 1, a 2, b 2, end" in box.children[4].value
    buttons["Check"].click()
    assert "Right: " in told.value and box.children[4].value == ""


def test_where_nobody_imports_widgets():
    code = "import sys; from helpers import drill; sys.exit('ipywidgets' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=PROJECT).returncode == 0


def test_a_reason_is_left_out_where_times_do_not_tell_it():
    """All of it happens at 0 s: main prints m before it pauses, and is woken later."""
    source = (
        "async def speak(name):\n"
        "    await asyncio.sleep(0)\n"
        "    print(name)\n"
        "async def main():\n"
        '    a = asyncio.create_task(speak("a"))\n'
        '    print("m")\n'
        "    await a\n"
        '    print("end")\n'
    )
    program = Program("05-x", 0, "05", "the ready queue", ORDER, source)
    happened = recorded(TRUTH, program)
    said = explained(program, "a m end", happened)
    assert said == "The first difference is line 1, `m` at 0 s."
