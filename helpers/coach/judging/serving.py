"""Judges one request, in a process where the answer may do what it likes, for it ends with it."""

import asyncio
import contextlib
import faulthandler
import importlib
import io
import os
import re
import sys
import threading
import time
import traceback
import warnings
from typing import NoReturn

from helpers.coach.form.finding import find
from helpers.coach.form.programs import modules_in
from helpers.coach.form.statement import Wrong
from helpers.coach.judging import wire
from helpers.coach.judging.changes import Changes
from helpers.coach.judging.check import Check
from helpers.coach.judging.lab import Lab
from helpers.coach.judging.leftovers import Leftovers
from helpers.coach.judging.limits import Memory, exit_now, limit_memory, sleep_now
from helpers.coach.judging.model import model_of
from helpers.coach.judging.pipes import Pipes
from helpers.coach.judging.seeking import Seeking
from helpers.coach.mistakes.source import Source

SHORT_NAP = 0.05  # seconds that time.sleep really sleeps on a loop's thread


class Judge:
    """Judges what comes through the pipes. Its stand-ins take the place of what would end or
    hold the process.

    It is made ready early and starts no thread, so that the process can fork.
    """

    def __init__(self):
        self._pipes = None
        self._pid = None
        self._exercise = None
        self._check = None
        time.sleep = self._sleep
        os._exit = self._exit
        faulthandler.dump_traceback_later = lambda *arguments, **named: None
        faulthandler.cancel_dump_traceback_later = lambda: None
        warnings.simplefilter("always", RuntimeWarning)
        warnings.showwarning = self._warned
        sys.unraisablehook = lambda problem: None  # the verdict says what there is to say
        # Run a loop once, so that the check doesn't pay for what is loaded late.
        Lab("warm", "virtual", Source(())).run(asyncio.sleep(1))
        Leftovers()
        self._changes = Changes()

    def load(self, request: dict) -> None:
        """Load the exercise that a request asks about, and the libraries that it gives to answers:
        our own choice, and not the answer's.

        A failure is told when the request is judged.
        """
        self._exercise = None
        with contextlib.suppress(Exception):
            self._exercise = find(request["id"], request["checks"])
            for name in modules_in(self._exercise.given):
                importlib.import_module(name)
            if self._exercise.sweeps:
                model_of(self._exercise).get_known()  # once, for all checks

    def judge(self, request: dict, pipes: Pipes) -> NoReturn:
        """Say the verdict on a request, and end this process."""
        self._pipes, self._pid = pipes, os.getpid()
        try:
            memory = Memory(limit_memory())
            seeks = request.get("seek")
            reply = self._sought(request) if seeks else self._reply(request, memory)
            pipes.send(wire.VERDICT, reply)
        except BaseException:
            pipes.errors.write(traceback.format_exc().encode())
            pipes.errors.flush()
            exit_now(1)
        finally:
            exit_now(0)

    def _reply(self, request, memory):
        try:
            self._check = Check(
                request,
                self._changes,
                Leftovers(),
                memory,
                self._begun,
                self._more,
                self._pipes.errors,
            )
            return self._check.judge(self._exercise or find(request["id"], request["checks"]))
        except MemoryError:
            return self._check.out_of_memory()
        except Exception:
            # We lean on what all code shares, too.
            changed = self._changes.put_back()
            if not changed:
                raise
            return self._check.out_of_order(changed)

    def _sought(self, request):
        """The line that is all that has to change, and what to try there; or None."""
        self._begun()
        sys.path[:] = request["path"]
        sys.stdout = sys.stderr = io.StringIO()
        return Seeking(request, self._exercise, self._changes).found()

    def _begun(self):
        self._pipes.send(wire.BEGUN)

    def _more(self, seconds):
        self._pipes.send(wire.MORE, seconds)

    # Stand-ins

    def _sleep(self, seconds, /):
        """time.sleep: on a running loop's thread it is noted, and on virtual time not even
        slept; where a check cuts it short, it is.
        """
        lab = self._check and self._check.lab
        called_here = threading.current_thread().name == "answer"
        on_loop = asyncio._get_running_loop() or (lab and lab.on_own_loop and called_here)
        if lab is None or seconds <= 0 or not on_loop:
            return sleep_now(min(seconds, lab.naps) if lab and called_here else seconds)
        lab.blocked(f"`time.sleep({seconds:g})`", seconds, sys._getframe(1))
        if lab.clock == "real":
            sleep_now(min(seconds, SHORT_NAP))

    def _exit(self, status=0):
        """os._exit: tells who called it, then ends."""
        check = self._check
        if os.getpid() == self._pid and check is not None:
            place = check.source.of_frame(sys._getframe(1))
            verdict = check.verdict(Wrong("exits", "`os._exit` was called."), place)
            self._pipes.send(wire.VERDICT, check.reply(verdict))
        exit_now(status)

    def _warned(self, message, category, filename, lineno, file=None, line=None):
        """warnings.showwarning: notes a coroutine that nobody awaited, prints the rest."""
        text = str(message)
        name = re.match(r"coroutine '(.+?)' was never awaited", text)
        lab = self._check and self._check.lab
        if name and lab is not None:
            lab.unawaited.append((name[1].rpartition(".")[2], lab.text.of_text(text)))
        elif sys.stderr is not None:
            print(f"{category.__name__}: {text}", file=sys.stderr)
