"""What holds for every test."""

import functools
import gc
import os
import re
import signal

import pytest

NOTEBOOKS = "test_notebooks.py"
JUDGED = {"test_coach_programs.py", "test_coach_answers.py"}
BY_THE_REAL_CLOCK = {
    "test_coach_blocked.py", "test_coach_busy.py", "test_coach_exercise.py", "test_coach_fresh.py",
    "test_coach_hangs.py", "test_coach_hostile.py", "test_coach_sandbox.py", "test_experiments.py",
    "test_recorder_cost.py", "test_run.py", "test_stop_button.py", "test_stop_starts.py",
    "test_virtual_outside.py", "test_workloads.py",
}  # fmt: skip


def pytest_configure():
    """Let what the tests start hear Ctrl-C, even where a shell has started them in the background.

    Such a shell has it ignored, and children inherit that.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish():
    """Take what was collected, some thirteen thousand tests, out of what `gc.collect` goes through:
    many tests call it, and each call would take a second.
    """
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Keep a file's tests on one worker, where they share a kernel, a server or an environment.

    Those that share nothing are spread, so that notebooks run side by side; what is asked of one
    exercise stays together, for a judge takes a while to load it. What goes by the real
    clock is left to the first of the workers, so that no more of it runs at once than there are
    processors; it mostly waits, and the others do the rest meanwhile. Notebooks come
    first: they take long, and none of them should be what all others wait for in the end.
    """
    # A scheduler of our own, for the marks that xdist offers (3.8) have no effect on pytest 9.2.
    from xdist.scheduler import LoadFileScheduling

    class InTwoGroups(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file, name = nodeid.partition("::")[0], file_name(nodeid)
            if name in JUDGED and (id := exercise_in(nodeid)):
                return f"{file}::[{id}"
            return nodeid if name in {NOTEBOOKS, *JUDGED} else file

        def _assign_work_unit(self, node):
            scope = self._next_for(node)
            if scope is None:
                node.shutdown()  # when it has done what it was given
                return
            self.workqueue.move_to_end(scope, last=False)
            super()._assign_work_unit(node)

        def _next_for(self, node):
            first = is_of_the_first(node.gateway.id)
            left = [scope for scope in self.workqueue if goes_by_the_real_clock(scope) == first]
            if first and not left:
                left = list(self.workqueue)
            return next(filter(is_a_notebook, left), next(iter(left), None))

    return InTwoGroups(config, log)


def is_a_notebook(scope):
    """Whether all that is left to a worker is one test of a notebook."""
    return file_name(scope) == NOTEBOOKS


def file_name(scope):
    """The name of the file that a test, or a row of them, stands in."""
    return os.path.basename(scope.partition("::")[0])


def is_of_the_first(worker):
    """Whether a worker of xdist, such as "gw3", is one of the first, as many as processors."""
    return int(worker.removeprefix("gw")) < max(2, os.cpu_count() or 2)


@functools.cache
def goes_by_the_real_clock(scope):
    """Whether a file of tests, or a single test, fails or says nothing on a machine that is busy
    with others.
    """
    name = file_name(scope)
    if name not in JUDGED:
        return name in BY_THE_REAL_CLOCK
    return exercise_in(scope) in with_the_real_clock()


def exercise_in(nodeid):
    """The id of the exercise that a parametrized test begins with; "" if there is none."""
    id = re.search(r"\[([\w-]+)", nodeid)
    return id[1] if id else ""


@functools.cache
def with_the_real_clock():
    """The ids of the exercises that are judged by the real clock."""
    from helpers.coach.form import finding

    return {one.id for one in finding.entries() if finding.find(one.id).clock == "real"}


def _forbid_skip(report):
    """With CI=true a skipped test has failed: there, everything it needs must be installed."""
    if os.environ.get("CI") == "true" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"CI lets no test be skipped. {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return _forbid_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return _forbid_skip((yield))


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder of its own for the learner's progress."""
    from helpers.coach.exercise import my_progress

    monkeypatch.setenv("ASYNC_COURSE_DATA", str(tmp_path))
    my_progress.cache_clear()
    yield tmp_path
    my_progress.cache_clear()


@pytest.fixture(scope="module")
def kernels():
    """One kernel for the whole module, replaced where a test has hung it."""
    started = []

    def get():
        from tests.real_kernel import Kernel  # takes long, and most tests need none

        if not started:
            started.append(Kernel())
        return started[0]

    yield get, started
    for kernel in started:
        kernel.stop()


@pytest.fixture
def kernel(kernels):
    get, started = kernels
    kernel = get()
    yield kernel
    try:
        # Every test leaves the kernel usable.
        assert kernel.cell("print('alive')", timeout=20).out == "alive\n"
    except BaseException:
        started.remove(kernel)
        kernel.stop()
        raise
