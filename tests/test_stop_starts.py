"""The stop button while something starts: it comes at once, leaves nothing, and breaks nothing."""

import contextlib
import statistics
import time

import psutil
import pytest

from helpers.props.cluster import INSTALLED, MISSING
from tests.real_kernel import Kernel

STOPPED_WITHIN = 2.0  # seconds, by the median of three presses
LIMIT = 20  # seconds for what is ended to be gone

# What starts, and when (seconds) after its beginning somebody presses.
STARTS = {
    "a database": ("with services.database(): time.sleep(1000)", (0.05, 0.3, 0.6)),
    "a cluster": ("with Cluster(workers=1): time.sleep(1000)", (0.05, 0.3, 0.6)),
    "lessons for the ledger": ("ledger().run()", (0.3, 1.5, 4.0)),
}
START = """
import time
from helpers import ledger, services
from helpers.props.cluster import Cluster
print("ready", flush=True)
{}
"""


@pytest.fixture
def own_kernel(tmp_path, monkeypatch):
    """A kernel whose progress and temporary files are its own."""
    monkeypatch.setenv("ASYNC_COURSE_DATA", str(tmp_path / "data"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    kernel = Kernel()
    yield kernel
    kernel.stop()


@pytest.mark.parametrize("what", STARTS)
def test_a_start_is_stopped_at_once_and_leaves_nothing(own_kernel, tmp_path, what):
    if what == "a cluster" and not INSTALLED:
        pytest.skip(MISSING)
    code, moments = STARTS[what]
    kernel = psutil.Process(own_kernel.manager.provisioner.process.pid)
    took = []
    for moment in moments:
        answer = own_kernel.cell(START.format(code), press_at="ready", pause=moment)
        assert answer.ename == "KeyboardInterrupt"
        took.append(answer.since_press)
        deadline = time.monotonic() + LIMIT
        while (left := alive(kernel)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not left and not list((tmp_path / "temporary").glob("course-*"))
    print(f"{what}: stopped after {took} s")
    assert statistics.median(took) < STOPPED_WITHIN


def alive(kernel):
    """The processes that a kernel started and that have not ended. One whose end nobody asked for
    yet is a zombie until the kernel starts the next: it has nothing left.
    """
    children = kernel.children(recursive=True)
    with contextlib.suppress(psutil.NoSuchProcess):
        return [child for child in children if child.status() != psutil.STATUS_ZOMBIE]
    return children
