"""What a busy machine does to an answer is not told as the answer's mistake."""

import os
import sys
import textwrap
import time

import pytest

from helpers.coach.judging import load
from helpers.coach.judging.load import DISTURBED, MOST, WINDOW, Load, TimeLeft
from tests.coach_cells import answer, ask, cell
from tests.test_coach_exercise import home  # noqa: F401

pytestmark = pytest.mark.coach
LOOK = 0.05  # seconds

IN_TURN = "return [await fetch(url) for url in urls]"
# An answer that begins so makes its judge believe that it waits for a processor all the time.
BUSY = """
from helpers.coach.judging import load
load.Load._since_the_last_look = lambda self, gap, pause: (0.0, gap)
"""


@pytest.fixture
def machine(monkeypatch):
    """A clock and the kernel's notes on a thread, to be set by hand: `pass_by(seconds, used,
    waited)`.
    """

    class Machine:
        seconds, told = 100.0, (0.0, 0.0)

        def pass_by(self, seconds, used=0.0, waited=0.0):
            self.seconds += seconds
            self.told = self.told[0] + used * 1e9, self.told[1] + waited * 1e9

    machine = Machine()
    monkeypatch.setattr(load, "TELLS", True)
    monkeypatch.setattr(load, "now", lambda: machine.seconds)
    monkeypatch.setattr(Load, "_threads", lambda self: {"a thread": machine.told})
    return machine


@pytest.mark.parametrize(
    "used, waited, kept",
    [
        (0.0, 0.0, 0.0),  # it waits for something else: a lock, a socket, a timer
        (1.0, 0.0, 0.0),  # it computes
        (0.05, 0.95, 0.85),  # one of twenty on a processor
        (0.5, 0.5, 0.0),  # two of them: it goes on well enough
        (2.0, 6.0, 0.0),  # eight threads of its own, on two processors
        (0.0, 0.5, 0.5),
    ],
)
def test_time_that_the_machine_kept_is_not_counted(machine, used, waited, kept):
    time_left = TimeLeft(1.5, lambda seconds: None)
    for _ in range(20):
        machine.pass_by(LOOK, used * LOOK, waited * LOOK)
        time_left.look(LOOK)
    assert time_left.kept == pytest.approx(kept)
    assert time_left.seconds == pytest.approx(1.5 - 1.0 + kept)
    assert time_left.disturbed == (kept * WINDOW > DISTURBED)


def test_a_wait_is_told_when_it_is_over_and_counts_from_its_beginning(machine):
    known = Load()
    for _ in range(8):
        machine.pass_by(LOOK)
        known.look(LOOK)
    machine.pass_by(LOOK, waited=0.4)
    for _ in range(8):
        known.look(LOOK)
        machine.pass_by(LOOK, 0.1 * LOOK)
    assert known.kept > 0.25


def test_what_had_no_deadline_disturbed_nothing(machine):
    known = Load()
    for waited, disturbed in (LOOK, True), (0.0, False), (LOOK, True):
        for _ in range(12):
            machine.pass_by(LOOK, waited=waited)
            known.look(LOOK)
            if waited == 0.0:
                known.settled()
        assert known.disturbed == disturbed


def test_a_machine_that_keeps_all_is_given_up_and_one_that_slept_is_not(machine):
    known = Load()
    machine.pass_by(3600.0)
    known.look(LOOK)
    assert not known.too_much and known.counted < 1
    for _ in range(round(MOST / LOOK) + 2):
        machine.pass_by(LOOK, waited=LOOK)
        known.look(LOOK)
    assert known.too_much


def test_where_the_system_tells_nothing_late_looks_do(machine, monkeypatch):
    monkeypatch.setattr(load, "TELLS", False)
    monkeypatch.setattr(load, "cpu_now", lambda: machine.told[0] / 1e9)
    known = Load()
    for used, kept in (0.0, 0.15), (0.15, 0.15):
        machine.pass_by(0.15, used=used)
        known.look(LOOK)
        assert known.kept == pytest.approx(kept)


def test_a_check_is_given_more_time_and_says_so(machine):
    told = []
    time_left = TimeLeft(1.5, told.append)
    for _ in range(30):
        machine.pass_by(LOOK)
        time_left.look(LOOK)
    assert not told and time_left.seconds == pytest.approx(0)
    time_left.more(1.0)
    assert told == [pytest.approx(1.0)] and time_left.seconds == pytest.approx(1.0)


@pytest.mark.skipif(not load.TELLS, reason="needs /proc/self/schedstat")
def test_the_system_tells_what_a_thread_computed():
    known = Load()
    ends = time.thread_time() + 0.1
    while time.thread_time() < ends:
        pass
    used, _ = known._since_the_last_look(1.0, 0.0)
    assert 0.09 < used < 0.3
    assert Load(os.getppid())._threads()


def test_a_mistake_that_load_may_cause_is_not_told_on_a_busy_machine():
    body = "await asyncio.sleep(0.3)\n" + IN_TURN
    assert ask("t-real", answer(body)).kind in ("sequential", "too busy")
    verdict = ask("t-real", answer(BUSY + body))
    assert verdict.status == "can't tell"
    assert verdict.text().startswith("CAN'T TELL: this machine is too busy to tell.\n")
    assert "Run it again" in verdict.text()


@pytest.mark.parametrize(
    "id, body, kind",
    [
        ("t-together", "await asyncio.sleep(0.3)\n" + IN_TURN, "sequential"),  # on virtual time
        ("t-real", "await asyncio.sleep(0.3)\nfetch('a')", "not awaited"),
        ("t-real", "await asyncio.sleep(0.3)\nreturn feth(urls)", "raised"),
        (
            "t-real",
            "await asyncio.sleep(0.3)\nreturn (await asyncio.gather(*map(fetch, urls)))[::-1]",
            "order",
        ),
    ],
)
def test_what_no_load_can_cause_is_told_on_any_machine(id, body, kind):
    assert ask(id, answer(BUSY + body)).kind == kind


def test_a_right_answer_is_right_on_a_busy_machine():
    body = "await asyncio.sleep(1.7)"  # longer than the limit
    assert ask("t-real", answer(BUSY + body, right=True)).status == "solved"


def test_a_doubtful_check_is_judged_once_more(tmp_path):
    # The load is over when the answer is judged for the second time.
    before = f"if not os.path.exists({str(tmp_path / 'judged')!r}):\n"
    before += textwrap.indent(f"open({str(tmp_path / 'judged')!r}, 'w').close()\n{BUSY}", "    ")
    here = textwrap.indent(before, "    ") + "    await asyncio.sleep(0.3)\n"
    text = f"import asyncio, os\nasync def fetch_all(fetch, urls):\n{here}    return 1 / 0\n"
    assert ask("t-real", cell(text, "fetch_all")).kind in ("raised", "too busy")


def test_a_hang_on_a_machine_that_gives_no_time_is_not_named():
    body = "load.MOST = 1.0\nawait asyncio.Event().wait()"
    verdict = ask("t-real", answer(BUSY + body))
    assert verdict.kind == "too busy", verdict.text()


def test_too_busy_counts_for_nothing(home, capsys):  # noqa: F811
    import helpers

    ex = helpers.exercise("t-real")
    ex.check(answer(BUSY + "await asyncio.sleep(0.3)\n" + IN_TURN))
    assert ex.verdict.kind == "too busy"
    assert "CAN'T TELL" in capsys.readouterr().out
    known = sys.modules["helpers.coach.exercise"].my_progress().of("t-real")
    assert known == {"status": "not started", "failures": 0, "hints": 0}


def test_each_case_of_a_sweep_has_a_limit_of_its_own():
    # A second goes by in the sample, and one in each of the first two cases of the sweep.
    body = """
    calls = vars(fetch_all)
    calls["n"] = calls.get("n", 0) + 1
    if calls["n"] < 4:
        await asyncio.to_thread(time.sleep, 1.0)
    tasks = [asyncio.create_task(fetch(url)) for url in urls]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    """
    verdict = ask("t-sweep", answer(body))
    assert verdict.status == "solved", verdict.text()
