"""Keeps a judge process warm, sends answers to it and reads its verdicts, whatever becomes of
it.

One judge is kept a kernel. After a check that hung, ended it or left something behind it is
killed with all its processes, and the next one starts in the background at once.
"""

import atexit
import os
import queue
import threading
import time

from helpers.basics.words import seconds
from helpers.coach.form.statement import Wrong
from helpers.coach.judging import wire
from helpers.coach.mistakes.source import Source
from helpers.coach.mistakes.verdict import Verdict, verdict_of
from helpers.services.child import PYTHON, Child

START = 30.0  # seconds a judge may take to start on a slow machine
LOADING = 20.0  # seconds that unpacking an answer may take: it imports what the answer imports
GRACE = 3.0  # seconds after the limit when a judge that says nothing is given up


class Gone(Exception):
    """The judge process ended, or said nothing in time."""


class Process(Child):
    """One judge process. What it says is read by a thread, so that waiting has a time limit
    everywhere.
    """

    def __init__(self) -> None:
        judge = [*PYTHON, "-m", "helpers.coach.judging.judge"]
        super().__init__("the judge process", judge, own_session=True)
        self.replies = queue.SimpleQueue()
        self.ready = False
        # Its reader closes it: what an answer left behind may hold the other end open.
        self.pipes.remove(self.answers)
        threading.Thread(target=self._read_replies, name="coach", daemon=True).start()

    def _read_replies(self):
        try:
            with self.answers:
                while True:
                    self.replies.put(wire.read(self.answers))
        except Exception:
            self.replies.put(None)  # the end, or half a message of a process that was killed

    def wait_for(self, what: str, patience: float) -> dict:
        """The next reply of that kind. Raises Gone after `patience` seconds or when the process
        ended.
        """
        ends = time.monotonic() + patience
        while True:
            try:
                # A short wait at a time: on Windows the stop button can't end a long one.
                reply = self.replies.get(timeout=min(0.2, max(0.0, ends - time.monotonic())))
            except queue.Empty:
                if time.monotonic() >= ends:
                    raise Gone("silent") from None
                continue
            if reply is None:
                raise Gone("ended")
            if reply[0] == what:
                return reply[1]
            if reply[0] == "verdict":
                # It came earlier than expected: an answer that could not be unpacked.
                self.replies.put(reply)
                return {}

    def send(self, request: dict) -> None:
        """Ask it to judge. Raises Gone when it has ended."""
        try:
            self.write(wire.packed(request))
        except OSError:
            raise Gone("ended") from None


class Sandbox:
    """The judge at hand: started early, replaced when it was spoiled."""

    def __init__(self):
        self.process = None
        self.owner = None
        self.lock = threading.RLock()

    def warm(self) -> Process:
        """See to it that a judge is there or about to be, without waiting for it."""
        with self.lock:
            if (
                self.process is None
                or self.owner != os.getpid()
                or self.process.popen.poll() is not None
            ):
                if self.process is not None:
                    self.process.end()  # one that died, or the parent's of a fork: left alone
                self.process = Process()
                self.owner = os.getpid()
            return self.process

    def replace(self, patience: float = 0.0) -> int | None:
        """Kill the judge and start the next one in the background; returns the old one's exit
        status.
        """
        with self.lock:
            old, self.process = self.process, None
            mine = self.owner == os.getpid()
            self.warm()
            return old.end(patience) if mine else None

    def close(self) -> None:
        """End the judge, unless it is that of a parent of which this is a fork."""
        with self.lock:
            if self.process is not None and self.owner == os.getpid():
                self.process.end()
            self.process = None

    def judge(self, request: dict) -> tuple[Verdict, bytes | None]:
        """Have an answer judged: (Verdict, recording as bytes or None)."""
        with self.lock:
            try:
                return self._judge(request)
            except KeyboardInterrupt:
                self.replace()
                raise

    def _judge(self, request):
        for attempt in (1, 2):
            process = self.warm()
            try:
                if not process.ready:
                    process.wait_for("ready", START)
                    process.ready = True
                process.send(request)
                process.wait_for("begun", LOADING)
            except Gone as gone:
                # One that died between two checks is no fault of this answer.
                status = self.replace(0.3)
                if attempt == 2 and not process.ready:
                    raise RuntimeError(
                        f"the judge process does not start: {process.last_words()[-2000:]}"
                    ) from None
                if attempt == 2:
                    return self._died(request, process, status, str(gone)), None
                continue
            try:
                reply = process.wait_for("verdict", request["limit"] + GRACE)
            except Gone as gone:
                status = self.replace(0.3)
                if attempt == 1 and self._stood_still(request, process):
                    continue
                return self._died(request, process, status, str(gone)), None
            if reply["spoiled"]:
                self.replace()
            return Verdict(**reply["verdict"]), reply["recording"]

    def _stood_still(self, request, process):
        """Did a judge run out of time while it did nothing, as where a machine has slept?"""
        text, _, place = last_words(request, process)
        return "Timeout (" in text and not place

    def _died(self, request, process, status, how):
        """The verdict on an answer that took its judge along, from what the judge could still
        write.
        """
        text, source, place = last_words(request, process)
        limit = seconds(request["limit"])
        if "Timeout (" in text:
            if place and text.count(f'File "{place[0]}", line {place[1]} in ') > 1:
                found = Wrong(
                    "recursion", f"After {limit} it still called itself, deeper and deeper."
                )
            elif place and source.inside_while(place):
                found = Wrong(
                    "spin",
                    f"It used a whole core and never came back. After {limit} it was still at it.",
                )
            elif not place:
                found = Wrong("endless", f"After {limit} it was still at it.")
            else:
                found = Wrong(
                    "hog",
                    f"It computed for {limit} and was not done, and in all that time "
                    "no other Python code could run.",
                )
        elif "Traceback (" in text:
            found = Wrong(
                "the judge failed",
                f"It said: {text.strip().splitlines()[-1]}",
                try_="That is a fault of the course, not of your answer.",
            )
        elif how == "silent":
            found = Wrong("endless", f"After {limit} nothing was heard of it any more.")
        else:
            fatal = text.partition("Fatal Python error: ")[2].partition("\n")[0]
            said = (
                f"Python ended with: {fatal}."
                if fatal
                else "The process that ran it "
                + (
                    "could not speak to us any more: did it close files that it had not opened?"
                    if status is None
                    else f"was gone, with exit status {status}."
                )
            )
            found = Wrong(
                "crashed", said, try_="In your kernel this would have ended your session."
            )
        return verdict_of(found, place, source)


def last_words(request: dict, process: Process) -> tuple[str, Source, tuple[str, int] | None]:
    """What a judge that died could still write: (text, the learner's Source, their line in it)."""
    source = Source(request["texts"], *request["place"])
    text = process.last_words()
    return text, source, most_recent(text, source)


def most_recent(text: str, source: Source) -> tuple[str, int] | None:
    """The learner's innermost line in a faulthandler traceback, which begins with the innermost
    frame.
    """
    for line in text.splitlines():
        if place := source.of_text(line):
            return place
    return None


sandbox = Sandbox()
atexit.register(sandbox.close)
