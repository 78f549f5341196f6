"""Each check has a process of its own: nothing that an answer does reaches the next one."""

import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from helpers.coach.exercise import judge
from helpers.coach.form.finding import find
from helpers.coach.judging import limits, orphans, wire
from helpers.coach.judging import sandbox as sandbox_module
from helpers.coach.judging.sandbox import sandbox
from helpers.coach.mistakes.verdict import Verdict
from tests.coach_cells import answer, ask, cell

pytestmark = pytest.mark.coach
STOP = int(getattr(signal, "SIGSTOP", 0))
posix = pytest.mark.skipif(os.name == "nt", reason="it is for POSIX")


def processes():
    """Each process of ours, however deep."""
    return set(psutil.Process().children(recursive=True))


def right_after(body, id="t-together"):
    """Judge a right answer after one that does `body`, and is right but for that."""
    ask("t-together", answer(body, right=True))
    return ask(id, answer("", right=True))


@posix
def test_an_alarm_left_set_kills_nobody():
    assert ask("t-together", answer("import signal\nsignal.alarm(1)", right=True)).status == (
        "solved"
    )
    for _ in range(3):
        slow = answer("for _ in range(8):\n    await asyncio.sleep(0.05)", right=True)
        assert ask("t-real", slow).status == "solved"


def test_a_right_answer_that_leaves_an_idle_pool_is_right_each_time():
    exercise = find("endpoint-1")
    program = next(one for one in exercise.programs if one.name == "in_a_pool_of_its_own")
    pool = cell(program.text, exercise.asks)
    kinds = [judge(exercise, pool)[0].first() for _ in range(80)]
    assert set(kinds) == {"SOLVED."}


def test_a_client_in_a_check_reads_no_long_list_of_authorities():
    body = "import httpx\nprint(httpx.create_ssl_context().cert_store_stats()['x509'], 'authority')"
    verdict = ask("t-together", answer(body, right=True))
    assert verdict.status == "solved" and "1 authority" in verdict.printed, verdict.text()


@pytest.mark.parametrize(
    "patch",
    [
        "import statistics\nstatistics.mean = None",
        "import httpx\nhttpx.get = None",
        "import helpers.coach.judging.fakes as fakes\nfakes.Fakes.service = None",
        "import helpers.kernel.virtual as virtual\nvirtual.VirtualLoop.call_later = None",
    ],
)
def test_what_is_patched_is_whole_for_the_next(patch):
    probe = """
    import statistics, httpx
    assert statistics.mean([1, 3]) == 2
    assert callable(httpx.get)
    """
    ask("t-together", answer(patch, right=True))
    verdict = ask("t-together", answer(probe, right=True))
    assert verdict.status == "solved", verdict.text()


def test_a_working_directory_that_was_removed(tmp_path, monkeypatch):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    # Its own, and then the kernel's.
    assert right_after("os.mkdir('x')\nos.chdir('x')\nos.rmdir('../x')").status == "solved"
    if os.name != "nt":
        assert right_after("os.rmdir(os.getcwd())").status == "solved"


def test_a_folder_that_holds_python_itself(monkeypatch):
    monkeypatch.chdir(os.path.commonpath([sys.base_prefix, os.__file__]))
    exercise = find("leave-pool-1")
    pool = cell(exercise.solution(), exercise.asks)
    assert [judge(exercise, pool)[0].first() for _ in range(2)] == ["SOLVED."] * 2


def test_a_forged_verdict_is_not_read():
    solved = {"verdict": Verdict("solved").as_dict(), "recording": None}
    forged = b"".join(
        wire.packed(number, kind, content)
        for number in (wire.new_number(), wire.START)
        for kind, content in [(wire.BEGUN, None), (wire.VERDICT, solved), (wire.END, {})]
    )
    body = f"""
    for descriptor in range(64):
        try:
            os.write(descriptor, {forged!r} + b"x" * 7)
        except OSError:
            pass
    return [await fetch(url) for url in urls]
    """
    wrong = answer(body)
    for _ in range(2):
        verdict = ask("t-together", wrong)
        assert verdict.kind == "sequential", verdict.text()
    assert ask("t-together", answer("", right=True)).status == "solved"


CODE = f"import time; time.sleep(78.25)  # {os.getpid()}"  # no other run of the tests has it


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere it isn't told")
@pytest.mark.parametrize("end", ["", "while True: pass"])
def test_an_orphan_is_ended_and_told(end):
    start = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', '{CODE}'], "
    orphan = f'subprocess.run([sys.executable, "-c", "{start}start_new_session=True)"])'
    verdict = ask("t-together", answer(f"{orphan}\n{end}", right=True), limit=3)
    assert verdict.kind == ("spin" if end else "process"), verdict.text()
    assert not [process for process in psutil.process_iter(["cmdline"]) if CODE in (
        process.info["cmdline"] or ())]  # fmt: skip
    assert ask("t-together", answer("", right=True)).status == "solved"


def test_what_bears_the_mark_of_a_check_is_ended():
    sleeper = [sys.executable, "-c", CODE]
    marked = subprocess.Popen(sleeper, env=os.environ | {orphans.MARK: "mine"})
    other = subprocess.Popen(sleeper, env=os.environ | {orphans.MARK: "another's"})
    orphans.end_marked("mine")
    assert marked.wait(5) and other.poll() is None
    other.kill()
    other.wait()


def test_a_thread_that_nobody_knows_computes_no_longer():
    spin = "import _thread\ndef spin():\n    while True: pass\n"
    ask("t-together", answer("_thread.start_new_thread(spin, ())", spin, right=True))
    judging = psutil.Process(sandbox.process.popen.pid)
    before = judging.cpu_times().user
    time.sleep(0.5)
    assert judging.cpu_times().user - before < 0.2 and not judging.children()


@posix
def test_a_stopped_judge_is_named_in_time():
    ask("t-together", answer("", right=True))
    begun = time.monotonic()
    verdict = ask("t-together", answer(f"os.kill(os.getpid(), {STOP})", right=True))
    assert verdict.kind == "endless", verdict.text()
    assert time.monotonic() - begun < 3
    assert ask("t-together", answer("", right=True)).status == "solved"


@posix
def test_a_stopped_nursery_goes_on():
    ask("t-together", answer("", right=True))
    begun = time.monotonic()
    verdict = ask("t-together", answer(f"os.kill(os.getppid(), {STOP})", right=True))
    assert verdict.status == "solved", verdict.text()
    assert time.monotonic() - begun < 3


@posix
def test_a_nursery_that_is_stopped_before_it_can_say_that_a_check_begins_goes_on():
    ask("t-together", answer("", right=True))
    stops = (
        "class Stops:\n    def __reduce__(self):\n"
        f"        return eval, (\"__import__('os').kill(__import__('os').getppid(), {STOP})\",)\n\n"
        "stops = Stops()\n\n"
    )
    begun = time.monotonic()
    verdict = ask("t-together", answer("stops", before=stops, right=True))
    assert verdict.status == "solved", verdict.text()
    assert time.monotonic() - begun < 5


@posix
@pytest.mark.parametrize(
    "body",
    [
        "os.kill(os.getppid(), 9)",
        "os.killpg(os.getpgid(os.getppid()), 9)",
        "os.killpg(0, 9)",
        "os.fork()\nos.fork()\nwhile True: pass",
        "os.closerange(0, 200)\nwhile True: pass",
        "threading.Thread(target=os.write, args=(1, b'x' * 10**7)).start()\nos.abort()",
        "import ctypes\nctypes.string_at(0)",
    ],
)
def test_the_next_right_answer_passes_and_nothing_is_left(body):
    sandbox.close()
    others = processes()  # what earlier tests of this worker keep, such as the load generator
    assert right_after(body).status == "solved"
    nursery = psutil.Process(sandbox.process.popen.pid)
    ends = time.monotonic() + 3
    while left := processes() - others - {nursery}:
        assert time.monotonic() < ends, left
        time.sleep(0.05)


@posix
def test_last_words_are_those_of_this_check():
    first = ask("t-together", answer("return sum(range(10**10))"))
    assert (first.kind, first.line) == ("hog", 3)
    second = ask("t-together", answer("os.kill(os.getpid(), 9)", right=True))
    assert second.kind == "crashed" and "-9" in second.observed, second.text()


@posix
def test_the_nursery_runs_one_thread_and_stays():
    ask("t-together", answer("", right=True))
    nursery = psutil.Process(sandbox.process.popen.pid)
    for body in "", "while True: pass", "os.abort()":
        ask("t-together", answer(body, right=True))
    assert sandbox.process.popen.pid == nursery.pid
    assert nursery.num_threads() == 1


def test_a_spare_judges_one_request_and_is_replaced(monkeypatch):
    monkeypatch.setattr(sandbox_module, "FORKS", False)
    sandbox.close()
    seen = set()
    try:
        for body, kind in [
            ("", ""),
            ("asyncio.sleep = None", "changed"),
            ("while True: pass", "spin"),
            ("return sum(range(10**10))", "hog"),
            ("os._exit(3)", "exits"),
            ("os.abort()", "crashed"),
            ("os.closerange(0, 200)", "crashed"),
            ("", ""),
        ]:
            seen.add(sandbox.warm().popen.pid)
            verdict = ask("t-together", answer(body, right=True))
            assert verdict.kind == kind, verdict.text()
        assert len(seen) == 8
    finally:
        sandbox.close()


KERNEL = """
import sys, threading
sys.path[:0] = {path!r}
from tests.coach_cells import answer, ask
from helpers.coach.judging.sandbox import sandbox
ask("t-together", answer("", right=True))
print(sandbox.process.popen.pid, flush=True)
ask("t-together", answer({body!r}), limit=60)
"""


@posix
@pytest.mark.parametrize(
    "victim, body",
    [
        ("the kernel", "while True: pass"),
        ("the kernel", "return sum(range(10**11))"),  # that thread never lets another one run
        ("the nursery", "while True: pass"),
    ],
)
def test_no_fork_outlives_its_kernel(victim, body):
    project = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    kernel = subprocess.Popen(
        [sys.executable, "-c", KERNEL.format(path=[project], body=body)],
        stdout=subprocess.PIPE,
        text=True,
    )
    nursery = psutil.Process(int(kernel.stdout.readline()))
    ends = time.monotonic() + 5
    while not (forks := nursery.children()):
        assert time.monotonic() < ends
        time.sleep(0.01)
    time.sleep(0.3)
    (kernel if victim == "the kernel" else nursery).kill()
    _, alive = psutil.wait_procs(forks, timeout=3)
    kernel.kill()
    kernel.wait()
    kernel.stdout.close()
    assert not alive


def test_the_clock_of_a_thread_that_has_ended():
    threads = [threading.Thread(target=limits.show_clock) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # On Linux the memory in which the system kept it may be gone: Python 3.12 crashed here.
    assert all(limits.cpu_of(thread) >= 0 for thread in threads)
