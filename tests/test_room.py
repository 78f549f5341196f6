"""The class board and those who join it: what is told, kept, shown; and what harms nobody."""

import csv
import io
import os
import re
import signal
import statistics
import threading
import time

import httpx
import pytest

from helpers.board.events import MOST_AT_ONCE
from helpers.board.guard import BURST, WRONG_EACH
from helpers.coach.noted import Drilled, Remembered
from helpers.coach.progress import Progress
from helpers.room import joining, sending
from helpers.room.board_client import Address
from tests.boards import board, check, guessed

CHOICES = "05-busy"  # a question with choices
ANSWER = "all that they can get"
EXERCISE = "fail-fast-1"  # its title: All or nothing


@pytest.fixture
def environment(tmp_path):
    return os.environ | {"ASYNC_COURSE_DATA": str(tmp_path / "teacher")}


@pytest.fixture
def class_(environment):
    with board(environment) as running:
        yield running


@pytest.fixture
def learner(tmp_path, monkeypatch):
    """This process as a learner's kernel, which is in no room afterwards."""
    monkeypatch.setenv("ASYNC_COURSE_DATA", str(tmp_path / "learner"))
    joining._session.clear()
    joining._sender.cache_clear()
    yield
    joining._stop()
    joining._session.clear()
    joining._sender.cache_clear()


def wait_until(true, seconds=60.0):
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, "it did not come about"
        time.sleep(0.02)


def rows(running):
    """The summary's table."""
    return list(csv.DictReader(io.StringIO(running.teacher().get("/summary.csv").text)))


# A learner


def test_who_joins_is_heard_until_they_leave(class_, learner, capsys):
    joining.join(class_.address.removeprefix("http://"), class_.code.upper(), name="Ada")
    said = capsys.readouterr().out
    assert f'You are in the room at {class_.address}, as "Ada", number 1.' in said
    assert "never your code" in said and "`leave()` ends it" in said
    joining.told("check", EXERCISE, status="not yet", mistake="sequential")
    joining.told("hint", EXERCISE, hints=2)
    joining.told("guess", CHOICES, said=ANSWER)
    joining.hand()
    wait_until(lambda: len(rows(class_)) == 2)
    exercise, guess = rows(class_)
    assert (exercise["outcome"], exercise["hints"]) == ("not yet", "2")
    assert (guess["name"], guess["outcome"]) == ("Ada", ANSWER)
    wait_until(lambda: "Ada (1)" in class_.teacher().get("/teacher").text)  # the hand
    joining.leave()
    joining.told("check", EXERCISE, status="solved", mistake="")
    joining.hand()
    assert "You have left the room." in capsys.readouterr().out
    time.sleep(0.3)
    assert rows(class_)[0]["outcome"] == "not yet"


def test_membership_holds_for_the_next_kernel(class_, learner):
    joining.join(class_.address, class_.code)
    joining._stop()
    joining._sender.cache_clear()  # as in a new kernel
    joining.told("check", EXERCISE, status="solved", mistake="")
    wait_until(lambda: rows(class_))
    assert rows(class_)[0]["learner"] == "1"


def test_a_hub_joins_everybody_by_a_variable(class_, learner, monkeypatch):
    monkeypatch.setenv(joining.VARIABLE, f"{class_.address} {class_.code}")
    joining.told("check", EXERCISE, status="solved", mistake="")
    wait_until(lambda: rows(class_))
    assert joining._member().number == 1


@pytest.mark.parametrize(
    "address, code, says",
    [
        ("no address", "a b c", "is no address: it looks like http://192.168.1.20:8890"),
        ("http://127.0.0.1:9", "a b c", "No board answers at http://127.0.0.1:9"),
        (None, "three wrong words", "That is not the room's code"),
    ],
)
def test_why_one_could_not_join_is_a_sentence(class_, learner, capsys, address, code, says):
    joining.join(address or class_.address, code)
    said = capsys.readouterr().out
    assert says in said and said.endswith("You have not joined.\n")
    assert joining._sender() is None


def test_what_answers_may_be_no_board(learner, capsys):
    from helpers import services

    with services.catalogue() as other:
        joining.join(other.url, "a b c")
    assert "is no board. You have not joined." in capsys.readouterr().out


def test_a_cell_never_waits_for_the_board(learner, monkeypatch):
    gate = threading.Event()

    def hangs(*_):
        gate.wait(20)
        return {"taken": 10**6}

    monkeypatch.setattr(Address, "post", hangs)
    joining._session["member"] = joining.Member("http://127.0.0.1:9", "ab" * 16, "key", 1)
    taken = []
    for _ in range(500):
        begun = time.perf_counter()
        joining.told("check", EXERCISE, status="solved", mistake="")
        taken.append(time.perf_counter() - begun)
    gate.set()
    assert statistics.median(taken) < 0.002


def test_what_was_told_without_a_network_arrives_later(environment, learner, monkeypatch):
    monkeypatch.setattr(sending, "PAUSES", (0.05, 0.1))
    with board(environment) as running:
        joining.join(running.address, running.code)
        running.process.kill()
        running.process.wait()
        for number in range(MOST_AT_ONCE + 10):
            joining.told("guess", CHOICES, said=str(number))
        joining.told("check", EXERCISE, status="solved", mistake="")
    with board(environment, "--port", str(running.port)) as again:
        assert "This goes on with the class that was cut off" in again.said
        assert again.code == running.code
        wait_until(lambda: len(rows(again)) == 2)
        assert {row["outcome"] for row in rows(again)} == {"solved", str(MOST_AT_ONCE + 9)}


def test_nothing_is_sent_once_the_class_is_over(class_, learner, capsys):
    joining.join(class_.address, class_.code)
    class_.teacher().post("/act", data={"do": "end"})
    joining.told("check", EXERCISE, status="solved", mistake="")
    wait_until(lambda: joining._sender() is None or joining._sender().ended)
    joining.hand()
    assert "The class is over." in capsys.readouterr().out
    assert joining._member() is None
    assert class_.process.wait(10) == 0


def test_the_coach_tells(class_, learner, home):
    from helpers import exercise, guess

    joining.join(class_.address, class_.code)
    asked = guess("05-said", "How many?", unit="turns")
    asked.say("3")
    asked.check(4)
    ex = exercise("overlap-1")
    ex.check(None)
    ex.hint()
    sender = joining._sender()
    wait_until(lambda: not sender._waiting)
    known = {row["id"]: row for row in rows(class_)}
    assert known["overlap-1"]["hints"] == "1"


# What is kept


def test_kill_9_loses_nothing_that_was_acknowledged(environment):
    with board(environment) as running:
        people = [running.learner(number) for number in range(5)]
        told = 0

        def tell():
            nonlocal told
            while True:
                for number, who in enumerate(people):
                    try:
                        answer = running.tell(
                            who, guessed(CHOICES, f"{told}"), session=f"{told:016x}"
                        )
                    except httpx.HTTPError:
                        return
                    if answer.status_code == 200:
                        acknowledged[number] = f"{told}"
                        told += 1

        acknowledged = {}
        teller = threading.Thread(target=tell)
        teller.start()
        wait_until(lambda: told > 30)
        running.process.send_signal(signal.SIGKILL)
        teller.join()
    with board(environment) as again:
        kept = {int(row["learner"]) - 1: int(row["outcome"]) for row in rows(again)}
        assert again.tell(people[0], check(EXERCISE)).status_code == 200  # the key is good still
    assert all(kept[number] >= int(said) for number, said in acknowledged.items())


def test_ctrl_c_writes_a_summary_and_delete_removes_it(class_, environment, tmp_path):
    who = class_.learner(1, name="=1+1")
    class_.tell(who, check(EXERCISE, "solved", ""), guessed(CHOICES, ANSWER))
    said = class_.end()
    html, table = re.findall(r"\S.*\.(?:html|csv)", said)
    assert "All or nothing" in open(html, encoding="utf-8").read()
    assert "http" not in re.sub(r"http-equiv", "", open(html, encoding="utf-8").read())
    assert "'=1+1" in open(table, encoding="utf-8").read()  # no spreadsheet takes it for a formula
    with board(environment) as fresh:  # what was ended is not gone on with
        assert "This goes on" not in fresh.said and fresh.code != class_.code
        fresh.teacher().post("/act", data={"do": "delete"})
        assert "deleted" in fresh.process.communicate(timeout=10)[0]
    kept = list((tmp_path / "teacher" / "classes").iterdir())
    assert {path.suffix for path in kept} == {".sqlite", ".html", ".csv"}


def test_progress_can_be_pasted(class_, tmp_path):
    progress = Progress(tmp_path / "progress.json")
    progress.checked(EXERCISE, "not yet", kind="sequential")
    progress.compared(CHOICES, ANSWER, ANSWER, True)
    progress.drilled("05-turns", Drilled(1, 3, True))
    progress.remember({"call-runs": Remembered(1, 86_401, 0.2, 6.4)})
    progress.started("07")
    teacher = class_.teacher()
    for _ in range(2):  # pasted again, by the same name, it is the same learner
        answer = teacher.post("/paste", data={"name": "Grace", "code": progress.code()})
        assert answer.status_code == 200
    assert [row["learner"] for row in rows(class_)] == ["1", "1"]
    teacher.post("/act", data={"do": "lesson", "of": "10"})
    assert "1 of 1: ran one after another" in teacher.get("/projector").text
    refused = teacher.post("/paste", data={"name": "", "code": "async2-nonsense"})
    assert refused.status_code == 400 and "not a whole progress string" in refused.text


# What is shown


def test_a_question_is_asked_turned_over_and_closed(class_):
    people = [class_.learner(number) for number in range(4)]
    teacher = class_.teacher()
    teacher.post("/act", data={"do": "open", "of": CHOICES})
    for number, who in enumerate(people[:3]):
        class_.tell(
            who, guessed(CHOICES, ANSWER if number else "next to nothing, as one sleep does")
        )
    hidden = teacher.get("/projector").text
    assert "<strong>3</strong> of 4 have guessed" in hidden and 'class="count"' not in hidden
    teacher.post("/act", data={"do": "turn"})
    assert "Nobody has run the experiment yet." in teacher.get("/projector").text
    class_.tell(people[1], guessed(CHOICES, ANSWER, truth=ANSWER, right=True), session="cd" * 8)
    shown = teacher.get("/projector").text
    assert re.findall(r'class="count">(\d)<', shown) == ["1", "2"]
    assert f"{ANSWER}<em> what came out</em>" in shown
    teacher.post("/act", data={"do": "close"})
    assert "have guessed" not in teacher.get("/projector").text


def test_the_most_frequent_mistakes_stand_in_words(class_):
    for number in range(6):
        who = class_.learner(number)
        mistake = "sequential" if number < 3 else "blocked"
        class_.tell(who, check(EXERCISE, mistake=mistake), check(EXERCISE, mistake="raised"))
    shown = class_.teacher().get("/projector").text
    said = re.findall(r"\d of 6: [a-z ]+", shown)
    assert said[0] == "6 of 6: raised an error"
    assert set(said[1:]) == {"3 of 6: ran one after another", "3 of 6: blocked the loop"}


def test_pages_change_while_they_are_open(class_):
    teacher = class_.teacher()
    with teacher.stream("GET", "/live/projector", timeout=10) as stream:
        bodies = (line for line in stream.iter_lines() if line.startswith("data: "))
        assert "Nothing was checked" in next(bodies)
        class_.tell(class_.learner(1), check(EXERCISE))
        assert next(body for body in bodies if "All or nothing" in body)


# What harms nobody


def test_only_the_teacher_sees_the_pages(class_):
    for path in "teacher", "projector", "live/teacher", "summary.html", "summary.csv":
        assert httpx.get(f"{class_.address}/{path}").status_code == 403, path
    assert httpx.get(f"{class_.address}/enter?token=guessed").status_code == 403
    assert httpx.post(f"{class_.address}/act", data={"do": "end"}).status_code == 403
    teacher = class_.teacher()
    foreign = teacher.post("/act", data={"do": "end"}, headers={"Origin": "http://evil.example"})
    assert foreign.status_code == 403 and class_.process.poll() is None


def test_codes_cannot_be_tried_for_ever_and_nobody_else_suffers(class_):
    inside = class_.learner(1)
    joining_ = {"code": "a b c", "learner": "ab" * 16}
    answers = [class_.post("join", joining_).status_code for _ in range(WRONG_EACH + 1)]
    assert answers == [403] * WRONG_EACH + [429]
    assert class_.tell(inside, check(EXERCISE)).status_code == 200


def test_nobody_speaks_for_another(class_):
    one, other = class_.learner(1), class_.learner(2)
    assert class_.tell((one[0], other[1]), check(EXERCISE)).status_code == 403
    assert class_.tell((one[0], ""), check(EXERCISE)).status_code == 403


def test_what_is_told_twice_counts_once(class_):
    who = class_.learner(1)
    class_.tell(who, check(EXERCISE), check(EXERCISE, "solved", ""))
    class_.tell(who, check(EXERCISE), check(EXERCISE, "not yet"))  # a replay, and a forged one
    assert rows(class_)[0]["outcome"] == "solved"
    class_.tell(who, check(EXERCISE, "not yet"), session="cd" * 8)  # solved stays solved
    assert rows(class_)[0]["outcome"] == "solved"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[" * 50_000,
        b"\xff\xfe",
        b'{"learner": 1}',
        b'{"learner": "%s", "session": "%s", "events": [{"kind": "run", "number": 1, "at": 1}]}'
        % (b"ab" * 16, b"ab" * 8),
    ],
)
def test_a_broken_body_is_refused(class_, body):
    answer = httpx.post(f"{class_.address}/api/events", content=body)
    assert answer.status_code == 400 and "problem" in answer.json()


def test_ten_megabytes_are_not_read(class_):
    ten = b" " * 10_000_000

    def in_parts():  # its length is not told
        for _ in range(1000):
            yield b" " * 10_000

    for content in ten, in_parts():
        try:
            status = httpx.post(f"{class_.address}/api/events", content=content).status_code
        except httpx.HTTPError:  # the board had closed the connection before all was written
            status = 413
        assert status == 413
    assert class_.learner(1)


def test_script_in_a_name_or_a_guess_stays_text(class_):
    evil = "<script>alert(1)</script>\u202e"
    who = class_.learner(1, name=evil)
    class_.tell(who, guessed("05-polled", evil), {"kind": "hand", "up": True})
    teacher = class_.teacher()
    teacher.post("/act", data={"do": "open", "of": "05-polled"})
    for path in "/teacher", "/summary.html":
        shown = teacher.get(path).text
        assert "&lt;script&gt;alert(1)" in shown and "<script>alert" not in shown
        assert "\u202e" not in shown
    policy = teacher.get("/teacher").headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy


def test_a_flood_is_slowed_down(class_):
    who = class_.learner(1)
    answers = set()
    for number in range(int(BURST) // MOST_AT_ONCE + 2):
        events = [check(EXERCISE)] * MOST_AT_ONCE
        answers.add(class_.tell(who, *events, session=f"{number:016x}").status_code)
    assert answers == {200, 429}


def test_what_is_not_of_this_course_is_passed_over(class_):
    who = class_.learner(1)
    answer = class_.tell(who, check("no-such-exercise"), guessed("99-none", "x"))
    assert answer.status_code == 200 and rows(class_) == []
    class_.tell(who, guessed("tour-tea", "0.5"), session="cd" * 8)  # the tour is of it
    assert [row["id"] for row in rows(class_)] == ["tour-tea"]
