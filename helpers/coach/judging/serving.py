"""Serves requests, one check after another, in a process where answers may do what they like."""

import asyncio
import faulthandler
import gc
import os
import re
import sys
import time
import traceback
import warnings

from helpers.coach.form.statement import Wrong
from helpers.coach.judging.changes import Changes
from helpers.coach.judging.check import Check
from helpers.coach.judging.lab import Lab
from helpers.coach.judging.leftovers import Leftovers
from helpers.coach.judging.limits import exit_now, limit_memory, sleep_now
from helpers.coach.judging.pipes import Pipes
from helpers.coach.mistakes.source import Source

SHORT_NAP = 0.05  # seconds that time.sleep really sleeps on a loop's thread


class Server:
    """Judges what comes through the pipes. Its stand-ins take the place of what would end or
    hold the process.
    """

    def __init__(self, pipes: Pipes):
        self._pipes = pipes
        self._pid = os.getpid()
        self._check = None  # the one under way, or the last one
        time.sleep = self._sleep
        os._exit = self._exit
        faulthandler.dump_traceback_later = lambda *arguments, **named: None
        faulthandler.cancel_dump_traceback_later = lambda: None
        warnings.simplefilter("always", RuntimeWarning)
        warnings.showwarning = self._warned
        sys.unraisablehook = lambda problem: None  # the verdict says what there is to say
        limit_memory()
        # Run a loop once, so that the first check doesn't pay for what is loaded late.
        Lab("warm", "virtual", Source(())).run(asyncio.sleep(1))
        self._changes = Changes()
        self._left = Leftovers()
        gc.collect()
        gc.freeze()

    def serve(self) -> None:
        """Answer requests for ever."""
        while True:
            request = self._pipes.requests.get()
            try:
                self._check = Check(
                    request, self._changes, self._left, self._begun, self._pipes.errors
                )
                reply = self._check.judge()
            except MemoryError:
                reply = self._check.out_of_memory()
            except Exception:
                # We lean on what all code shares, too.
                changed = self._changes.put_back()
                if not changed:
                    self._pipes.errors.write(traceback.format_exc().encode())
                    self._pipes.errors.flush()
                    exit_now(1)
                reply = self._check.out_of_order(changed)
            self._pipes.send("verdict", **reply)

    def _begun(self):
        self._pipes.send("begun")

    # Stand-ins

    def _sleep(self, seconds, /):
        """time.sleep: on a running loop's thread it is noted, and on virtual time not even
        slept.
        """
        lab = self._check and self._check.lab
        if lab is None or seconds <= 0 or asyncio._get_running_loop() is None:
            return sleep_now(seconds)
        lab.blocked(f"`time.sleep({seconds:g})`", seconds, sys._getframe(1))
        if lab.clock == "real":
            sleep_now(min(seconds, SHORT_NAP))

    def _exit(self, status=0):
        """os._exit: tells who called it, then ends."""
        check = self._check
        if os.getpid() == self._pid and check is not None:
            place = check.source.of_frame(sys._getframe(1))
            verdict = check.verdict(Wrong("exits", "`os._exit` was called."), place)
            self._pipes.send("verdict", **check.reply(verdict, spoiled="it ended"))
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
