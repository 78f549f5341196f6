"""Whatever an answer ends, changes, floods or leaves behind is named, and nothing is harmed."""

import os
import time

import psutil
import pytest

from helpers.coach.judging.sandbox import sandbox
from tests.coach_cells import HEAD, RIGHT, answer, ask, cell

pytestmark = pytest.mark.coach


@pytest.mark.parametrize(
    "body, words, line",
    [
        ("os._exit(3)", "`os._exit` was called", 3),
        ("sys.exit('bye')", "SystemExit: bye", 3),
        ("raise SystemExit", "SystemExit", 3),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", 3),
        ("try:\n    os._exit(3)\nexcept BaseException:\n    pass", "`os._exit` was called", 4),
    ],
)
def test_ending_the_interpreter_is_named(body, words, line):
    verdict = ask("t-together", answer(body))
    assert (verdict.kind, verdict.line) == ("exits", line), verdict.text()
    assert words in verdict.text()


def test_crashing_the_interpreter_is_named():
    verdict = ask("t-together", answer("os.abort()"))
    assert (verdict.kind, verdict.line) == ("crashed", 3)
    assert "Aborted" in verdict.observed
    if os.name != "nt":
        verdict = ask("t-together", answer("os.kill(os.getpid(), 9)"))
        assert verdict.kind == "crashed" and "-9" in verdict.observed


@pytest.mark.parametrize(
    "body, words, line",
    [
        ("time.sleep = lambda seconds: None", "`time.sleep`", 3),
        ("asyncio.sleep = None", "`asyncio.sleep`", 3),
        ("import builtins\nbuiltins.len = lambda thing: 3", "`builtins.len`", 4),
        ("import builtins\nbuiltins.isinstance = None", "`builtins.isinstance`", 4),
        ("import inspect\ninspect.isawaitable = lambda thing: True", "`inspect.isawaitable`", 4),
        ("sys.setrecursionlimit(5000)", "the recursion limit", 3),
        ("sys.stdout = None", "`sys.stdout`", 3),
        ("print('hello')\nsys.stdout.close()", "closed `sys.stdout`", 4),
    ],
)
def test_changing_what_all_share_is_named_and_forgotten(body, words, line):
    verdict = ask("t-together", answer(body, right=True))
    assert (verdict.kind, verdict.line) == ("changed", line), verdict.text()
    assert words in verdict.text()
    assert ask("t-together", answer("", right=True)).status == "solved"


@pytest.mark.parametrize(
    "module", ["basics.words", "coach.judging.watching", "coach.mistakes.hangs", "kernel.virtual"]
)
def test_changing_the_course_itself_is_named_and_forgotten(module):
    body = f"""
    import inspect
    import helpers.{module} as module
    name = next(name for name, thing in vars(module).items()
                if inspect.isfunction(thing) and thing.__module__ == module.__name__
                and not name.startswith("_"))
    setattr(module, name, None)
    """
    verdict = ask("t-together", answer(body, right=True))
    assert (verdict.kind, verdict.line) == ("changed", 8), verdict.text()
    assert f"It changed `helpers.{module}." in verdict.observed
    assert ask("t-together", answer("", right=True)).status == "solved"


def test_what_a_thread_fails_with_is_shown_without_colours(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as a kernel does
    fails = answer(
        "thread = threading.Thread(target=lambda: 1 / 0)\nthread.start()\nthread.join()", right=True
    )
    ask("t-together", fails)
    sandbox.process.popen.kill()  # the next one begins in this environment
    sandbox.process.popen.wait()
    assert "ZeroDivisionError: division by zero" in ask("t-together", fails).printed


def test_a_million_lines_are_capped_and_said_so():
    verdict = ask(
        "t-together", answer("for n in range(1_000_000):\n    print(n)", right=True), limit=10
    )
    assert verdict.printed.startswith("0\n1\n2\n")
    assert "and 999,900 more lines" in verdict.printed
    assert len(verdict.printed) < 2000
    verdict = ask("t-together", answer("print('x' * 10**7)", right=True))
    assert "9,990,001 more bytes" in verdict.printed and len(verdict.printed) < 11_000


def test_a_process_left_behind_is_named_and_ended():
    code = f"import time; time.sleep(77.125)  # {os.getpid()}"  # no other run of the tests has it
    verdict = ask(
        "t-together",
        answer(
            f"subprocess.Popen([sys.executable, '-c', '{code}'], start_new_session=True)",
            right=True,
        ),
    )
    assert verdict.kind == "process"
    assert not [
        process
        for process in psutil.process_iter(["cmdline"])
        if code in (process.info["cmdline"] or ())
    ]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize("body", [RIGHT, "    while True: pass\n", "    raise ValueError\n"])
def test_no_site_of_a_check_is_left(body):
    answered = cell(HEAD + "async def fetch_pages(urls):\n" + body, "fetch_pages")
    others = servers()
    assert ask("t-site", answered, limit=3).kind in ("raised", "spin")
    deadline = time.monotonic() + 10
    while left := servers() - others:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def servers():
    """Each catalogue's server of ours: those of a check, and of other tests."""
    return {
        process
        for process in psutil.Process().children(recursive=True)
        if "helpers.services.catalogue_server" in command_of(process)
    }


def command_of(process):
    try:
        return process.cmdline()
    except psutil.Error:  # it has just ended
        return []


def test_a_fork_answers_once():
    verdict = ask("t-together", answer("os.fork()", right=True))
    assert verdict.status == "solved" or verdict.kind == "process"
    assert ask("t-together", answer("", right=True)).status == "solved"


def test_closed_descriptors_harm_nobody():
    assert ask("t-together", answer("os.closerange(0, 200)", right=True)).status == "not yet"
    assert ask("t-together", answer("", right=True)).status == "solved"


def test_environment_folder_warnings_and_modules_are_put_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine_too.py").write_text("VALUE = 1")
    monkeypatch.syspath_prepend(str(tmp_path))
    ask(
        "t-together",
        answer(
            "os.environ['COACH'] = '1'\nos.chdir('/')\nimport logging, warnings, mine_too\n"
            "logging.basicConfig(level=10)\nwarnings.simplefilter('error')",
            right=True,
        ),
    )
    (tmp_path / "mine_too.py").write_text("VALUE = 22")
    verdict = ask(
        "t-plain",
        cell(
            f"""
import logging, os, warnings
def double(number):
    import mine_too
    warnings.warn("only a warning")
    here = os.getcwd() == {str(tmp_path)!r}
    return [os.environ.get("COACH"), here, logging.root.handlers, mine_too.VALUE]
""",
            "double",
        ),
    )
    assert repr([None, True, [], 22]) in verdict.observed
