"""Wrong beliefs as worlds: each agrees with the truth where it doesn't matter, and parts from it
where it does.
"""

import asyncio
import threading
import time

import pytest

from helpers.basics.project import PROJECT
from helpers.beliefs.all import BELIEFS
from helpers.beliefs.statements import belief_behind
from helpers.beliefs.world import TRUTH, run_in
from helpers.coach.exercise import Asked, my_progress
from helpers.coach.form.finding import find
from helpers.coach.lessons import lessons
from helpers.drills.answers import predictions
from helpers.drills.catalogue import in_order, templates_for
from helpers.recording.record import record

pytestmark = pytest.mark.coach

TWO_NAPS = """
async def nap(name, s):
    print(name, 1)
    await asyncio.sleep(s)
    print(name, 2)
async def main():
    a = asyncio.create_task(nap("a", 2))
    b = asyncio.create_task(nap("b", 1))
    print("m")
    await a
    await b
    print("end")
"""

ONE_BY_ONE = """
def numbers():
    yield 1
async def nap(name):
    await asyncio.sleep(1)
    print(name)
    return name
async def main():
    print(next(numbers()))
    print(await nap("a"))
    async with asyncio.timeout(9):
        await nap("b")
    async with asyncio.TaskGroup() as group:
        group.create_task(nap("c"))
    print(await asyncio.gather(nap("d")))
"""


def log(belief, source):
    outcome = run_in(belief, source)
    ends = [outcome.error] if outcome.error else []
    ends += ["never"] if outcome.endless else []
    return [f"{line.text}@{line.at:g}" for line in outcome.lines] + ends


@pytest.mark.parametrize(
    "belief, said",
    {
        "truth": "m@0 a 1@0 b 1@0 b 2@1 a 2@2 end@2",
        "starts-when-awaited": "m@0 a 1@0 a 2@2 b 1@2 b 2@3 end@3",
        "runs-at-once": "a 1@0 b 1@0 m@0 b 2@1 a 2@2 end@2",
        "sleepers-queue": "m@0 a 1@0 b 1@0 a 2@2 b 2@2 end@2",
        "newest-first": "m@0 b 1@0 a 1@0 b 2@1 a 2@2 end@2",
        "sleep-blocks": "m@0 a 1@0 a 2@2 b 1@2 b 2@3 end@3",
        "gather-in-turn": "m@0 a 1@0 b 1@0 b 2@1 a 2@2 end@2",
    }.items(),
)
def test_two_tasks_under_a_belief(belief, said):
    assert " ".join(log(BELIEFS.get(belief, TRUTH), TWO_NAPS)) == said


@pytest.mark.parametrize("belief", BELIEFS.values(), ids=BELIEFS)
def test_where_a_belief_does_not_matter_it_is_as_in_truth(belief):
    assert log(belief, ONE_BY_ONE) == log(TRUTH, ONE_BY_ONE)


@pytest.mark.parametrize("belief", BELIEFS.values(), ids=BELIEFS)
def test_where_a_belief_matters_it_parts_from_the_truth(belief):
    """In the drills of its own lesson."""
    programs = (one.variant(number) for number in range(12) for one in templates_for(belief.lesson))
    assert any(belief.id in predictions(program) for program in programs)


@pytest.mark.once
def test_no_two_beliefs_predict_the_same_in_all_drills():
    told = {id: [] for id in BELIEFS}
    for template in in_order():
        for number in range(8):
            wrong = predictions(template.variant(number))
            for id in BELIEFS:
                told[id].append(wrong.get(id))
    assert len({tuple(answers) for answers in told.values()}) == len(BELIEFS)


@pytest.mark.parametrize("belief", BELIEFS.values(), ids=BELIEFS)
def test_a_belief_says_where_it_is_corrected(belief):
    lesson = next(one for one in lessons(PROJECT / "notebooks") if one.number == belief.lesson)
    assert belief.turn in lesson.guesses()
    assert belief.truth.endswith(".") and not belief.sentence.endswith(".")
    assert belief.words and belief.__doc__


@pytest.mark.parametrize(
    "program",
    [
        "async def main():\n  print(1)\n  await asyncio.Event().wait()\n",
        "async def main():\n  print(1)\n  while True:\n    pass\n",
        "async def main():\n  print(1)\n  while True:\n    await asyncio.sleep(0)\n",
        "async def main():\n  print(1)\n  while True:\n    await asyncio.sleep(9)\n",
        "async def main():\n  print(1)\n  while True:\n    time.sleep(9)\n",
        "async def main():\n  print(1)\n  while True:\n    try:\n      await asyncio.sleep(9)\n"
        "    except asyncio.CancelledError:\n      pass\n",
    ],
    ids=["deadlock", "spins", "polls", "sleeps", "blocks", "swallows"],
)
@pytest.mark.parametrize(
    "belief", [TRUTH, BELIEFS["newest-first"], BELIEFS["sleep-blocks"]], ids=str
)
def test_what_never_ends_has_a_log_too(belief, program):
    begun, threads = time.perf_counter(), threading.active_count()
    assert log(belief, program) == ["1@0", "never"]
    assert time.perf_counter() - begun < 5 and threading.active_count() == threads


def test_asyncio_itself_is_as_it_was_and_so_is_a_running_loop():
    before = dict(vars(asyncio))

    async def main():
        mine = asyncio.get_running_loop()
        for belief in BELIEFS.values():
            run_in(belief, TWO_NAPS)
        assert asyncio.get_running_loop() is mine
        return {task.get_coro() for task in asyncio.all_tasks()}

    assert len(asyncio.run(main())) == 1
    assert dict(vars(asyncio)) == before


def test_what_is_never_awaited_gives_no_warning(recwarn):
    source = 'async def f():\n  print("f")\nasync def main():\n  f()\n  print("m")\n'
    assert log(TRUTH, source) == ["m@0"]
    assert log(BELIEFS["call-runs"], source) == ["f@0", "m@0"]
    assert not recwarn.list


@pytest.mark.parametrize(
    "id, answer, belief",
    [
        ("order-1", ["one", "hello", "two", "three"], "call-runs"),
        ("prints-1", "FGACEBHDI", "all-before-the-first"),
        ("group-end-1", 13, "group-goes-on"),
        ("total-2", 7, None),  # two beliefs
        ("prints-1", "FGABHCDI", None),  # right
        ("prints-1", "FGAB", None),
        ("classify-1", {"a"}, None),  # shows no program
        ("tasks-1", ["a1"], None),  # of the course's own loop
    ],
)
def test_the_belief_behind_an_answer_to_an_exercise(id, answer, belief):
    asked = find(id)
    found = belief_behind(asked.statement(), asked.asks, asked.right_values[0], answer)
    assert getattr(found, "id", None) == belief


def test_the_check_of_an_exercise_names_a_belief(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ASYNC_COURSE_DATA", str(tmp_path))
    my_progress.cache_clear()
    asked = Asked(find("prints-1"))
    asked.check("FGACEBHDI")
    said = "You predicted what would happen if a generator made all its items before it hands"
    assert said in capsys.readouterr().out
    asked.check("FGAIBHCD")
    assert "You predicted" not in capsys.readouterr().out
    my_progress.cache_clear()


def test_the_names_of_what_is_left():
    source = (
        "async def main():\n"
        '  asyncio.create_task(asyncio.sleep(9), name="a")\n'
        "  asyncio.create_task(asyncio.sleep(9))\n"
        "  await asyncio.sleep(2)\n"
    )
    outcome = run_in(TRUTH, source)
    assert (outcome.left, outcome.at) == (("a",), 2)


def test_a_picture_shows_the_steps_of_tasks_that_begin_late():
    source = (
        "async def boil():\n    await asyncio.sleep(1)\n"
        "async def main():\n    t = asyncio.create_task(boil())\n    await t\n"
    )
    with record() as rec:
        run_in(BELIEFS["starts-when-awaited"], source, "late")
    (boil,) = [lane for lane in rec.lanes if lane.name.startswith("boil")]
    waited = [span for span in rec.spans(boil) if span.state == "waiting"]
    assert [(span.end - span.start, span.detail) for span in waited] == [(1.0, "sleep")]
