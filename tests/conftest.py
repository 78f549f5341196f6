"""What holds for every test."""

import os
import signal

import pytest

SPREAD = {"test_notebooks.py", "test_coach_programs.py", "test_coach_answers.py"}


def pytest_configure():
    """Let what the tests start hear Ctrl-C, even where a shell has started them in the background.

    Such a shell has it ignored, and children inherit that.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Keep a file's tests on one worker, where they share a kernel, a server or an environment.

    Those that share nothing are spread, so that notebooks run side by side.
    """
    # A scheduler of our own, for the marks that xdist offers (3.8) have no effect on pytest 9.2.
    from xdist.scheduler import LoadFileScheduling

    class FileByFile(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.partition("::")[0]
            return nodeid if os.path.basename(file) in SPREAD else file

    return FileByFile(config, log)


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
