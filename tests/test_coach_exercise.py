"""What a learner calls, as text and in a real kernel."""

import ast
import json
import os
import queue
import re
import signal
import subprocess
import sys
import time
import warnings

import psutil
import pytest

import helpers
from helpers.basics.project import PROJECT
from helpers.coach import cards
from helpers.coach.course_map import CourseMap
from helpers.coach.form import finding, programs
from helpers.coach.form.text import nodes_of
from tests.coach_cells import FIXTURES, cell, cell_named

pytestmark = pytest.mark.coach
handles = sys.modules["helpers.coach.exercise"]

RIGHT = (
    "import asyncio\n"
    "async def fetch_all(fetch, urls):\n    return await asyncio.gather(*map(fetch, urls))"
)
IN_TURN = "async def fetch_all(fetch, urls):\n    return [await fetch(url) for url in urls]"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A progress folder of its own, and the fixture's exercises."""
    monkeypatch.setenv("ASYNC_COURSE_DATA", str(tmp_path))
    monkeypatch.setattr(finding, "CHECKS", FIXTURES)
    handles.my_progress.cache_clear()
    yield tmp_path
    handles.my_progress.cache_clear()


def test_a_learners_way(home, capsys):
    def said():
        return capsys.readouterr().out

    ex = helpers.exercise("t-together")
    card = said()
    assert card.startswith("Fetch every page at once (t-together; 8 minutes · not started)")
    assert "- It waits no longer than the slowest." in card

    ex.check(...)
    assert said().startswith("NOT STARTED.\nWrite the body of `fetch_all`")
    ex.timeline()
    assert "There is no recording" in said()

    in_turn = cell(IN_TURN, "fetch_all")
    assert ex.check(in_turn) is None
    first = said()
    assert first.startswith(
        "NOT YET: ran one after another.\nI called `fetch_all(fetch, ['a', 'b', 'c'])`. "
        "It took 6 s; the longest single wait is 3 s.\nLine 2 awaits each call"
    )
    assert "hint" not in first
    ex.timeline()
    assert "fetch_all" in said()
    ex.check(in_turn)
    assert said().endswith("A hint? `ex.hint()`\n")
    for number, hint in enumerate(("Nudge.", "Push.", "Nearly there"), 1):
        ex.hint()
        assert f"Hint {number} of 3: {hint}" in said()
    ex.hint()
    assert "All hints: Nudge. · Push." in said()
    ex.check(in_turn)
    assert said().endswith("One right way to do it: `ex.solution()`\n")
    ex.solution()
    solution = said()
    assert "async def fetch_all(fetch, urls):" in solution and "import asyncio" in solution
    assert repr(ex) == "exercise 't-together': not yet"

    ex.check(cell(RIGHT, "fetch_all"))
    assert said() == "SOLVED.\n"
    assert ex.verdict.status == "solved"
    ex.mine()
    assert RIGHT.partition("\n")[2] in said()
    ex.check(in_turn)
    said()
    assert repr(ex) == "exercise 't-together': solved"

    other = helpers.exercise("t-predict")
    other.check(6)
    assert "NOT YET: added up what overlaps." in said()
    ex.reset()
    assert "not started again" in said()
    assert (repr(ex), repr(other)) == (
        "exercise 't-together': not started",
        "exercise 't-predict': not yet",
    )
    ex.mine()
    assert "one right" not in said()
    other.reset()
    other.check(3)
    assert said().endswith("SOLVED.\n")


def test_the_kind_of_a_mistake_is_kept(home):
    helpers.exercise("t-together").check(cell(IN_TURN, "fetch_all"))
    assert handles.my_progress().of("t-together")["how often"] == {"sequential": 1}


def test_the_answer_of_another_exercise_is_not_judged(home, capsys):
    answers = {"seconds": 3, "kinds": ..., "ex": helpers.exercise("t-predict")}
    capsys.readouterr()
    for name in ("kinds", "seconds"):
        exec(compile(f"ex.check({name})", cell_named(f"ex.check({name})"), "exec"), answers)
    other, own = capsys.readouterr().out.split("\n", 1)
    assert '`kinds` belongs to `t-classify`: run the cell `exercise("t-classify")`' in other
    assert own.startswith(("SOLVED", "NOT YET"))


def test_text_in_place_of_a_number_is_told(home):
    verdict, _ = handles.judge(finding.find("t-predict"), "3 s")
    assert "I was given the text '3 s'; expected a number." in verdict.text()


def test_a_value_of_another_form_is_told(home, monkeypatch):
    in_brackets, _ = handles.judge(finding.find("t-predict"), [3])
    assert "I was given a list, [3]; expected a number." in in_brackets.text()
    words = finding.find("t-predict")
    monkeypatch.setattr(words, "right_values", (["one", "two"],))
    in_quotes, _ = handles.judge(words, "one two")
    assert "I was given the text 'one two'; expected a list." in in_quotes.text()


def test_what_is_shown_is_html_beside_text(home):
    exercise = finding.find("t-together", FIXTURES)
    card = cards.task(exercise, {"status": "not yet"})
    bundle = card._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    assert "<li>It returns the pages in order.</li>" in bundle["text/html"]
    assert "<code>fetch_all(fetch, urls)</code>" in bundle["text/html"]
    assert "<pre" in bundle["text/html"]
    verdict, _ = handles.judge(
        exercise,
        cell("async def fetch_all(fetch, urls):\n    print('<b>')\n    return '<i>'", "fetch_all"),
    )
    card = cards.verdict(verdict)
    assert (
        "<b>" not in card.html and "&lt;b&gt;" in card.html and "&#39;&lt;i&gt;&#39;" in card.html
    )
    assert card.text.startswith("NOT YET: wrong value.") and card.text.endswith(
        "Your code printed:\n<b>"
    )


def test_a_statement_keeps_its_lists_and_its_code_apart():
    shown = cards.statement("Do it.\n\n- one\n- two\n\n    a = 1\n\n    b = 2\n\nThen stop.")
    assert shown.count("<li>") == 2
    (program,) = re.findall(r"<pre[^>]*monospace[^>]*>(.*?)</pre>", shown, re.S)
    assert program == "a = 1\n\nb = 2"


def test_the_map_of_the_course(tmp_path, home, monkeypatch):
    for folder in ("notebooks", "exercises/checks"):
        (tmp_path / folder).mkdir(parents=True)
    for name, heading in (
        ("00_start_here", "Start here"),
        ("01_more", "Lesson 01: More <and> more"),
    ):
        cells = [
            {"cell_type": "code", "source": ["# not this"]},
            {"cell_type": "markdown", "source": ["Words\n", f"# {heading}\n"]},
        ]
        (tmp_path / "notebooks" / f"{name}.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "notebooks" / "02_broken.ipynb").write_text("{")
    (tmp_path / "exercises" / "00_start_here.ipynb").write_text("{}")
    for name, text in (
        ("00/1_one-1", 'class One(Exercise):\n    """First"""\n\n    id, minutes = "one-1", 3\n'),
        ("00/2_two-1", 'class Two(Exercise):\n    """Second"""\n\n    id = "two-1"\n'),
        ("01/1_broken-1", "class Broken(:\n"),
    ):
        path = tmp_path / "exercises" / "checks" / f"lesson_{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path / "notebooks")
    map_ = CourseMap(tmp_path)
    handles.my_progress().checked("one-1", "solved")
    assert map_.text().splitlines() == [
        "00 Start here. 1 of 2 solved; solved: one-1; open: two-1.",
        "01 More <and> more. no exercises.",
        "02 broken. no exercises.",
    ]
    html = map_._repr_mimebundle_()["text/html"]
    assert '<a href="00_start_here.ipynb">00 Start here</a>' in html
    assert '<a href="../exercises/00_start_here.ipynb">one-1</a>' in html
    assert "More &lt;and&gt; more" in html and "1 of 2" in html
    assert map_._repr_mimebundle_()["text/plain"] == repr(map_)


def test_progress_is_taken_over_by_a_string(home, tmp_path, monkeypatch, capsys):
    handles.my_progress().checked("t-predict", "solved")
    code = helpers.course_map().code
    monkeypatch.setenv("ASYNC_COURSE_DATA", str(tmp_path / "other"))
    handles.my_progress.cache_clear()
    assert handles.my_progress().of("t-predict")["status"] == "not started"
    helpers.course_map().restore(code)
    assert "the progress of 1 exercise" in capsys.readouterr().out
    assert handles.my_progress().of("t-predict")["status"] == "solved"


def test_what_python_warns_of_in_a_program_is_not_told_again(tmp_path):
    # Python warns of the `is`, and from 3.14 on of the `return`, whenever it reads them.
    path = tmp_path / "lesson_97" / "1_same-1.py"
    path.parent.mkdir()
    path.write_text(
        "from helpers.coach import Exercise, right\n\n\n"
        'class Same(Exercise):\n    """Same"""\n\n    id = "same-1"\n    asks = "same"\n\n'
        "    @right\n    def same():\n        try:\n            pass\n"
        "        finally:\n            return 1 is 1\n"
    )
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        compile(path.read_text(), "same", "exec")
        before = len(told)
        programs.module_source(finding.load(path))
        finding.entries(tmp_path)
        nodes_of(str(path))
    assert before and len(told) == before


def test_the_coach_is_quick_to_import():
    code = (
        "import time; import asyncio, helpers; begun = time.process_time(); import helpers.coach; "
        "print(time.process_time() - begun, 'cloudpickle' in __import__('sys').modules)"
    )
    took = min(
        float(
            subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, cwd=PROJECT
            ).stdout.split()[0]
        )
        for _ in range(3)
    )
    assert took < 0.5


# In a real kernel


class Kernel:
    """A kernel of its own, asked as a notebook would."""

    def __init__(self, folder, checks):
        from jupyter_client import KernelManager

        self.manager = KernelManager(kernel_name="python3")
        environment = {
            **os.environ,
            "ASYNC_COURSE_DATA": str(folder),
            "PYTHONPATH": str(PROJECT),
        }
        self.manager.start_kernel(env=environment, cwd=str(folder))
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(60)
        self.run(
            "import pathlib\nfrom helpers.coach.form import finding\n"
            f"finding.CHECKS = pathlib.Path({str(checks)!r})\n"
            "from helpers import exercise"
        )

    def run(self, code, timeout=30):
        """The text of all that a cell shows, errors too."""
        asked = self.client.execute(code)
        return self.answers(asked, timeout)

    def answers(self, asked, timeout=30):
        out, ends = [], time.monotonic() + timeout
        while time.monotonic() < ends:
            try:
                message = self.client.get_iopub_msg(timeout=1)
            except queue.Empty:
                continue
            if message["parent_header"].get("msg_id") != asked:
                continue
            content = message["content"]
            if "data" in content:
                out.append(content["data"]["text/plain"])
                self.html = content["data"].get("text/html", "")
            elif message["msg_type"] == "stream":
                out.append(content["text"])
            elif message["msg_type"] == "error":
                out.append(f"{content['ename']}: {content['evalue']}")
            elif message["msg_type"] == "status" and content["execution_state"] == "idle":
                return "\n".join(out)
        raise TimeoutError(f"no end of the cell; so far: {out}")

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    kernel = Kernel(tmp_path_factory.mktemp("kernel"), FIXTURES)
    yield kernel
    kernel.close()


def test_a_notebook_checks_with_its_own_line_numbers(kernel):
    assert "Fetch every page at once" in kernel.run("ex = exercise('t-together')")
    kernel.run("# a cell\n\n" + IN_TURN)
    shown = kernel.run("ex.check(fetch_all)")
    assert "NOT YET: ran one after another." in shown and "Line 4 awaits each call" in shown
    assert "<strong" in kernel.html and "<code>fetch_all" in kernel.html
    kernel.run(RIGHT)
    assert kernel.run("ex.check(fetch_all)") == "SOLVED."
    assert kernel.run("await __import__('asyncio').sleep(0)\nex.check(fetch_all)") == "SOLVED."
    assert "solved" in kernel.run("ex")
    assert "Your fetch_all" in kernel.run("ex.timeline()")


def test_a_class_of_a_notebook_is_found_too(kernel):
    stub = finding.find("t-class", FIXTURES).stub()
    kernel.run(f"tick = exercise('t-class')\n{stub}")
    assert kernel.run("tick.check(Ticker)").startswith("NOT STARTED.")
    kernel.run(
        "class Ticker:\n    def __init__(self, start):\n        self.left = start\n"
        "    def tick(self):\n        while True:\n            pass"
    )
    shown = kernel.run("tick.check(Ticker)")
    assert "NOT YET: busy spin." in shown and ("Line 5" in shown or "Line 6" in shown)


@pytest.mark.parametrize(
    "body, words",
    [
        ("while True:\n        pass", "busy spin"),
        ("return sum(range(10**10))", "CPU hog"),
        ("import os; os._exit(1)", "ended the interpreter"),
    ],
)
def test_the_kernel_answers_the_next_cell(kernel, body, words):
    kernel.run("ex = exercise('t-together')")
    kernel.run(f"x = 41\nasync def fetch_all(fetch, urls):\n    {body}")
    assert words in kernel.run("ex.check(fetch_all)")
    assert kernel.run("x + 1") == "42"
    kernel.run(RIGHT)
    assert kernel.run("ex.check(fetch_all)") == "SOLVED."


def test_the_stop_button_stops_a_check(kernel):
    kernel.run(
        "ex = exercise('t-together'); ex._exercise.limit = 30\n"
        "async def fetch_all(fetch, urls):\n    while True: pass"
    )
    asked = kernel.client.execute("ex.check(fetch_all)")
    time.sleep(1)
    kernel.manager.interrupt_kernel()
    begun = time.monotonic()
    assert "KeyboardInterrupt" in kernel.answers(asked)
    assert time.monotonic() - begun < 5
    kernel.run("ex._exercise.limit = 1.5\n" + RIGHT)
    assert kernel.run("ex.check(fetch_all)") == "SOLVED."


def test_an_interrupt_while_idle_leaves_the_judge_alone(kernel):
    kernel.run("ex = exercise('t-together')\n" + RIGHT)
    kernel.run("ex.check(fetch_all)")
    pid = kernel.run("from helpers.coach.judging.sandbox import sandbox\nsandbox.process.popen.pid")
    kernel.manager.interrupt_kernel()
    time.sleep(0.3)
    assert kernel.run("ex.check(fetch_all)") == "SOLVED."
    assert kernel.run("sandbox.process.popen.pid") == pid


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is for POSIX")
def test_no_judge_is_left_of_a_killed_kernel(tmp_path):
    kernel = Kernel(tmp_path, FIXTURES)
    kernel.run(
        "ex = exercise('t-together')\nfrom helpers.coach.judging.sandbox import sandbox\n"
        "ex._exercise.limit = 60\nasync def fetch_all(fetch, urls):\n    while True: pass"
    )
    judge = psutil.Process(int(ast.literal_eval(kernel.run("sandbox.process.popen.pid"))))
    kernel.client.execute("ex.check(fetch_all)")
    time.sleep(1)
    assert judge.is_running()
    os.kill(kernel.manager.provisioner.pid, signal.SIGKILL)
    ends = time.monotonic() + 7
    while judge.is_running() and judge.status() != psutil.STATUS_ZOMBIE and time.monotonic() < ends:
        time.sleep(0.05)
    assert not judge.is_running() or judge.status() == psutil.STATUS_ZOMBIE
    kernel.close()
