"""What nbval lets pass and this course does not: a plugin for `pytest --nbval-lax`.

nbval runs the cells of a notebook and compares the outputs of those tagged
`nbval-check-output`. It is blind to these, so they are added here:

- a cell tagged `raises-exception` must raise, and raise the error that its metadata
  `raises` names;
- an error in a background task must not pass in silence (a lesson that shows such an error
  names it in the notebook's metadata: `"course": {"background_errors": ["ValueError"]}`);
- nothing goes to stderr unless the cell is tagged `shows-stderr`;
- a picture says what it shows, for those who can't see it;
- a check in exercises/ says NOT STARTED and one in solutions/ says SOLVED.

- a notebook and the processes that it starts stay within a laptop's memory;
- nothing of it listens without a reason that tests/listeners.py gives.

After the last cell all cells run once more in the same kernel, because learners do that too.
Then the kernel is killed, and no process that it started may be left.
"""

import ast
import os
import queue
import re
import sys
import time

import nbval.kernel
import psutil
import pytest

from tests.listeners import Listeners, unexplained

# jsonschema, by which nbformat comes, goes without it. To build its grammar of addresses takes
# longer than to run many a notebook, and no schema of a notebook asks for one.
sys.modules.setdefault("rfc3987_syntax", None)

SECONDS_FOR_PROCESSES_TO_GO = 30
SECONDS_TO_WAIT_FOR_A_CELL = 120
SHORTEST_DESCRIPTION = 40
MOST_MEMORY = 500  # megabytes, unless the notebook's metadata say more: "course": {"memory": 700}

start_kernel = nbval.kernel.start_new_kernel


def start_kernel_again(*how, **more):
    """Start a kernel, and another one if it dies at once: its ports are chosen before it listens
    there, and of many kernels that start together another may have taken one by then.
    """
    try:
        return start_kernel(*how, **more)
    except RuntimeError:
        return start_kernel(*how, **more)


nbval.kernel.start_new_kernel = start_kernel_again

WATCH = """
def _watch_background_errors():
    import asyncio
    seen = []
    asyncio.get_running_loop().set_exception_handler(
        lambda loop, context: seen.append(type(context.get("exception")).__name__))
    return seen
_background_errors = _watch_background_errors()
"""

# A failed task that something still refers to has told nobody yet: asyncio speaks up only when
# the task is collected. `_log_traceback` is how the task itself remembers that it must.
REPORT = """
def _report_background_errors():
    import asyncio, gc
    gc.collect()
    held = [type(f.exception()).__name__ for f in gc.get_objects()
            if isinstance(f, asyncio.Future) and f.done() and f._log_traceback]
    return sorted(_background_errors + held)
_report_background_errors()
"""


def is_notebook_cell(item):
    return type(item).__name__ == "IPyNbCell"


def code_cells(item):
    return [cell for cell in item.parent.nb.cells if cell.cell_type == "code"]


def tags(cell):
    return cell.metadata.get("tags", [])


def execute(kernel, source):
    """Run `source` in the kernel; return its outputs as a list of message contents."""
    message_id = kernel.execute_cell_input(source, allow_stdin=False)
    kernel.await_reply(message_id, timeout=SECONDS_TO_WAIT_FOR_A_CELL)
    outputs = []
    while True:
        message = kernel.get_message("iopub", timeout=SECONDS_TO_WAIT_FOR_A_CELL)
        if message["parent_header"].get("msg_id") != message_id:
            continue
        kind, content = message["msg_type"], message["content"]
        if kind == "status" and content["execution_state"] == "idle":
            return outputs
        if kind in ("stream", "error", "execute_result", "display_data"):
            outputs.append({"output_type": kind, **content})


def check_errors(cell, outputs):
    errors = [out["ename"] for out in outputs if out["output_type"] == "error"]
    if "raises-exception" in tags(cell):
        expected = [cell.metadata.get("raises")]
        assert errors == expected, f"the cell should raise {expected} and raised {errors}"
    else:
        assert not errors, f"the cell raised {errors}: {outputs}"


def check_stderr(cell, outputs):
    if "shows-stderr" not in tags(cell):
        words = [
            out["text"]
            for out in outputs
            if out["output_type"] == "stream" and out["name"] == "stderr"
        ]
        assert not words, f"the cell wrote to stderr: {words}"


def check_verdict(cell, outputs, room):
    expected = {"exercises": "NOT STARTED", "solutions": "SOLVED"}.get(room)
    if expected and ".check(" in cell.source:
        texts = [out["data"].get("text/plain", "") for out in outputs if "data" in out]
        assert len(texts) == 1, f"a check in {room}/ shows one verdict, not {texts}"
        assert texts[0].startswith(expected), f"a check in {room}/ says {expected}: {texts[0]}"


def check_pictures(outputs):
    for data in [out["data"] for out in outputs if "data" in out]:
        # JupyterLab and nbconvert drop the description of a bare image, and keep it in HTML.
        assert not any(kind.startswith("image/") for kind in data), (
            "a picture without a description"
        )
        for image in re.findall(r"<img\b[^>]*>", data.get("text/html", "")):
            alt = re.search(r'\balt="([^"]*)"', image)
            assert alt and len(alt[1]) > SHORTEST_DESCRIPTION, f"says too little: {image[:200]}"
            assert len(data["text/plain"]) > SHORTEST_DESCRIPTION, "a picture has a twin in words"


def check_cell(item, cell, outputs):
    check_errors(cell, outputs)
    check_pictures(outputs)
    check_stderr(cell, outputs)
    check_verdict(cell, outputs, item.path.parent.name)


def kernel_of(item):
    return psutil.Process(item.parent.kernel.km.provisioner.process.pid)


def note_memory(item):
    """Note how much memory the kernel and its processes hold after a cell, in megabytes.

    Where the system tells (Linux), what several of them share counts once.
    """
    held = 0
    kernel = kernel_of(item)
    for process in [kernel, *kernel.children(recursive=True)]:
        try:
            memory = process.memory_full_info()
            held += getattr(memory, "pss", memory.rss) / 1e6
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            pass  # it has just ended
    item.parent.most_memory = max(getattr(item.parent, "most_memory", 0), held)


def check_memory(item):
    most = item.parent.most_memory
    allowed = item.parent.nb.metadata.get("course", {}).get("memory", MOST_MEMORY)
    assert most <= allowed, f"after a cell it held {most:.0f} MB, and may hold {allowed}"


def expect_listeners(item):
    notebook = f"{item.path.parent.name}/{item.path.stem}"
    item.parent.listeners = Listeners(notebook, kernel_of(item), os.environ["NOTED_BINDS"])


def check_listeners(item):
    wrong = unexplained(item.parent.listeners.who_and_where())
    assert not wrong, "\n".join(wrong)


def check_background_errors(item):
    expected = item.parent.nb.metadata.get("course", {}).get("background_errors", [])
    # As a result, not printed: what is printed may come late on a busy machine.
    (report,) = [
        out["data"]["text/plain"]
        for out in execute(item.parent.kernel, REPORT)
        if out["output_type"] == "execute_result"
    ]
    found = ast.literal_eval(report)
    assert sorted(set(found)) == sorted(expected), (
        f"errors in background tasks: expected {expected}, found {found}"
    )


def check_second_run(item):
    for number, cell in enumerate(code_cells(item)):
        try:
            check_cell(item, cell, execute(item.parent.kernel, cell.source))
        except AssertionError as error:
            raise AssertionError(f"run a second time, cell {number}: {error}") from None
        except (queue.Empty, TimeoutError):
            raise AssertionError(
                f"run a second time, cell {number} gave no answer within "
                f"{SECONDS_TO_WAIT_FOR_A_CELL} s: {cell.source}"
            ) from None


def is_alive(process):
    # An orphan that has ended may stay in the table until somebody asks for its exit status.
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def check_nothing_outlives(kernel):
    process = psutil.Process(kernel.km.provisioner.process.pid)
    children = process.children(recursive=True)
    # Jupyter kills the kernel's whole process group; here the kernel alone dies, as by kill -9.
    process.kill()
    deadline = time.monotonic() + SECONDS_FOR_PROCESSES_TO_GO
    while (left := [child for child in children if is_alive(child)]) and (
        time.monotonic() < deadline
    ):
        time.sleep(0.05)
    names = [child.name() for child in left]
    for child in left:
        child.kill()
    kernel.kc.stop_channels()
    kernel.km.shutdown_kernel(now=True)  # it is gone; this takes its connection file away
    assert not left, f"the kernel was killed and left {names}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    if not is_notebook_cell(item):
        return (yield)
    if item.cell_num == 0:
        execute(item.parent.kernel, WATCH)
        expect_listeners(item)
    result = yield
    check_cell(item, item.cell, item.test_outputs)
    note_memory(item)
    item.parent.listeners.look()
    if item.cell_num == len(code_cells(item)) - 1:
        check_background_errors(item)
        if not os.environ.get("RUN_ONCE"):
            check_second_run(item)
        note_memory(item)
        check_memory(item)
        check_listeners(item)
        check_nothing_outlives(item.parent.kernel)
    return result
