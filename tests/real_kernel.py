"""A real kernel, with real signals, for the tests of what makes it fit."""

import queue
import re
import subprocess
import textwrap
import time
import warnings
from pathlib import Path

from jupyter_client import KernelManager

ROOT = Path(__file__).resolve().parents[1]

# A cell that has not ended so long after a press was not stopped: these cells never end alone.
STOPPED_WITHIN = 20


def _plain(text):
    """The text without its colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


class Answer:
    """What a cell gave: its outputs, its reply, and the time from the press to the reply."""

    def __init__(self):
        self.text = {"stdout": "", "stderr": ""}
        self.results = []
        self.error = None
        self.reply = None
        self.since_press = None

    @property
    def out(self):
        return self.text["stdout"]

    @property
    def err(self):
        return self.text["stderr"]

    @property
    def shown(self):
        """All that a reader sees of it, without the frames of a traceback."""
        error = f"{self.error['ename']}: {self.error['evalue']}" if self.error else ""
        return _plain("\n".join([self.out, self.err, *self.results, error]))

    @property
    def ename(self):
        """The error's class, as both ways of hearing about it agree."""
        if self.reply["status"] == "ok":
            assert self.error is None
            return None
        assert self.error is not None, f"an error without an error output: {self.reply}"
        assert self.error["ename"] == self.reply["ename"]
        return self.reply["ename"]

    @property
    def traceback(self):
        return _plain("\n".join(self.error["traceback"]))


class Kernel:
    """A real kernel, to run cells in and press stop."""

    def __init__(self, first="import helpers.kernel.startup"):
        self.first = first
        self.start()

    def start(self):
        self.manager = KernelManager()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.manager.start_kernel(cwd=ROOT, stderr=subprocess.DEVNULL)
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        if self.first:
            assert self.cell(self.first).ename is None

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def press(self):
        self.manager.interrupt_kernel()

    def cell(
        self,
        code,
        *,
        press_at=None,
        presses=1,
        pause=0.3,
        timeout=60,
        stopped_within=STOPPED_WITHIN,
    ):
        """Run a cell. `press_at`: once it has printed this, wait `pause` seconds and press stop."""
        answer = Answer()
        message = self.client.execute(textwrap.dedent(code))
        deadline, pressed_at, idle = time.monotonic() + timeout, None, False
        while answer.reply is None or not idle:
            assert time.monotonic() < deadline, f"no answer; so far {answer.text}"
            if answer.reply is None:
                try:
                    reply = self.client.get_shell_msg(timeout=0.02)
                except queue.Empty:
                    pass
                else:
                    if reply["parent_header"]["msg_id"] == message:
                        answer.reply = reply["content"]
                        if pressed_at is not None:
                            answer.since_press = time.monotonic() - pressed_at
            try:
                output = self.client.get_iopub_msg(timeout=0.02)
            except queue.Empty:
                continue
            if output["parent_header"].get("msg_id") != message:
                continue
            kind, content = output["msg_type"], output["content"]
            if kind == "stream":
                answer.text[content["name"]] += content["text"]
                if press_at is not None and press_at in answer.out:
                    press_at = None
                    for _ in range(presses):
                        time.sleep(pause)
                        self.press()
                    pressed_at = time.monotonic()
                    deadline = pressed_at + stopped_within
            elif kind in ("execute_result", "display_data"):
                answer.results.append(content["data"].get("text/plain", ""))
            elif kind == "error":
                answer.error = content
            elif kind == "status" and content["execution_state"] == "idle":
                idle = True
        return answer
