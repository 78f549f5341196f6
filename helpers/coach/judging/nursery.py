"""The process that is kept warm, and forks one that judges for each check.

It runs one thread and no learner's code: whatever an answer does, it does it to the fork, which
ends with its check. What the fork says is passed on; then it is ended, with all that it started.
"""

import contextlib
import gc
import os
import pickle
import secrets
import signal

from helpers.coach.judging import orphans, wire
from helpers.coach.judging.limits import GRACE, LOADING, STOPPED
from helpers.coach.judging.load import MOST, Load
from helpers.coach.judging.pipes import Kernel, Pipes
from helpers.coach.judging.serving import Judge

LOOK = 0.05  # seconds between two looks at the fork
PIECE = 1 << 16  # bytes that are read at once; a pipe holds no more,
AT_A_TIME = 64  # and so many of them before the next look, if somebody never stops to write
LAST_WORDS = 200_000  # bytes of what a fork said on its errors' pipe that are kept


class Nursery:
    """Has each request of the kernel judged by a fork of its own."""

    def __init__(self, kernel: Kernel, judge: Judge):
        self._kernel = kernel
        self._judge = judge
        self._adopts = orphans.adopt()
        self._share()

    def serve(self) -> None:
        """Have request after request judged; return when the kernel is gone."""
        with contextlib.suppress(EOFError):
            while True:
                number, request = self._kernel.next_request()
                self._judge.load(request)
                self._share()
                self._have_judged(number, request)

    def _share(self):
        """Leave all that is there now alone: a collection would write into what the forks share."""
        gc.collect()
        gc.disable()
        gc.freeze()

    def _have_judged(self, number, request):
        mark = secrets.token_hex(8)
        fork = Fork(self._kernel, self._judge, number, request, mark)
        left = 0
        try:
            end = fork.pass_on(request["limit"])
        finally:
            fork.end()
            if self._adopts:
                left = orphans.end_children()
        self._kernel.tell(wire.packed(number, wire.END, end | {"left": left}))
        if not self._adopts:
            orphans.end_marked(mark)


class Fork:
    """A process that judges one request, as the nursery sees it."""

    def __init__(self, kernel: Kernel, judge: Judge, number: bytes, request: dict, mark: str):
        self._kernel = kernel
        self._number = number
        self._status = None
        self._stopped = False
        self._words = b""
        self._messages, messages = os.pipe()
        self._errors, errors = os.pipe()
        lifeline, self._lifeline = os.pipe()
        ours = self._messages, self._errors, self._lifeline
        self.pid = os.fork()
        if not self.pid:
            os.setsid()
            for descriptor in (*ours, kernel.asked, kernel.told):
                os.close(descriptor)
            os.environ[orphans.MARK] = mark
            gc.enable()
            judge.judge(request, Pipes(number, messages, errors, lifeline))
        for descriptor in (messages, errors, lifeline):
            os.close(descriptor)
        self._open = {self._messages, self._errors}

    def pass_on(self, limit: float) -> dict:
        """Pass on what it says until its verdict or its end; return how it ended.

        Raises EOFError when the kernel is gone.
        """
        messages = wire.Messages(self._number)
        load, ends = Load(self.pid), LOADING
        while True:
            ready = self._kernel.wait(self._open, LOOK)
            load.look(LOOK)
            if self._kernel.asked in ready:
                self._kernel.hear()
            ended, stopped = self._look()
            for kind, content in self._read(messages):
                if kind == wire.BEGUN:
                    load, ends = Load(self.pid), limit + GRACE
                if kind == wire.MORE:
                    ends = load.counted + pickle.loads(content) + GRACE
                if kind == wire.VERDICT:
                    return self._how("ended", load)
            if ended:
                return self._how("ended", load)
            patience = ends - load.counted
            if patience <= 0 or (stopped and patience <= GRACE - STOPPED):
                return self._how("silent", load)
            if load.kept > MOST + GRACE:  # it would have said so itself
                return self._how("silent", load)

    def _how(self, how, load):
        words = self._words.decode(errors="replace")
        return {"how": how, "status": self._status, "words": words, "disturbed": load.disturbed}

    def _read(self, messages):
        """Read what there is, without waiting; give the kind and the pickle of each message passed
        on.
        """
        for _ in range(AT_A_TIME):
            ready = [pipe for pipe in self._kernel.wait(self._open, 0) if pipe in self._open]
            if not ready:
                return
            for pipe in ready:
                data = os.read(pipe, PIECE)
                if not data:
                    self._open.discard(pipe)
                elif pipe == self._errors:
                    self._words = (self._words + data)[-LAST_WORDS:]
                else:
                    for _, kind, content, whole in messages.feed(data):
                        self._kernel.tell(whole)
                        yield kind, content

    def _look(self):
        """(whether it has ended, whether it is stopped)"""
        pid, status = os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED | os.WCONTINUED)
        if pid:
            self._stopped = os.WIFSTOPPED(status)
            if os.WIFEXITED(status) or os.WIFSIGNALED(status):
                self._status = os.waitstatus_to_exitcode(status)
        return self._status is not None, self._stopped

    def end(self) -> None:
        """End it, whatever it is doing, and all in its session."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)  # it may not have got as far as its own session
            os.waitpid(self.pid, 0)
        for pipe in self._messages, self._errors, self._lifeline:
            os.close(pipe)
