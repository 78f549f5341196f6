"""Keeps a process warm that judges, sends answers to it and reads its verdicts, whatever becomes of
it.

Where the system can fork, one is kept a kernel: it is the nursery of those that judge, one for
each check. Elsewhere it judges by itself and is spent after one check; a spare one is started
ahead, in the background.
"""

import atexit
import contextlib
import math
import os
import pickle
import queue
import signal
import threading
import time
from collections import Counter

from helpers.basics.words import seconds
from helpers.coach.form.statement import Wrong
from helpers.coach.judging import wire
from helpers.coach.judging.leftovers import processes_left
from helpers.coach.judging.limits import GRACE, LOADING
from helpers.coach.judging.load import MOST
from helpers.coach.judging.pipes import MUTE
from helpers.coach.mistakes.catalogue import KINDS
from helpers.coach.mistakes.edits import ELSEWHERE
from helpers.coach.mistakes.source import Source
from helpers.coach.mistakes.verdict import Verdict, too_busy, verdict_of
from helpers.services.child import PYTHON, Child

FORKS = hasattr(os, "fork")
START = 120.0  # seconds a judge may take to start on a slow machine with too much to do
AWAKE = 0.3  # seconds after the limit when a nursery that says nothing is woken, if it was stopped,
SILENT = 6.0  # and when it is given up: it has ended its own fork long before
OFTEN = 3  # times that an answer is judged, if each time the machine's load puts it in doubt,
ENOUGH = 12.0  # and no more when so many seconds have passed
REPEATED = 20  # times that a line stands in the traceback, of a hundred frames, of a recursion
SEEK = 12.0  # seconds that the search for a line may take on a slow machine
TIDY = 1.0  # seconds a nursery has to end what an interrupted check has started


class Gone(Exception):
    """The judge process ended, or said nothing in time."""


class Process(Child):
    """A process that judges, or has judged. What it says is read by a thread, so that waiting has
    a time limit everywhere.
    """

    def __init__(self) -> None:
        judge = [*PYTHON, "-m", "helpers.coach.judging.judge", *([] if FORKS else ["spare"])]
        super().__init__("the judge process", judge, own_session=True)
        self.said = queue.SimpleQueue()
        self.ready = False
        # Its reader closes it: what an answer left behind may hold the other end open.
        self.pipes.remove(self.answers)
        threading.Thread(target=self._read, name="coach", daemon=True).start()

    def _read(self):
        with contextlib.suppress(Exception), self.answers:
            while data := self.answers.read1(1 << 16):
                self.said.put(data)
        self.said.put(None)

    def _hear(self, ends, awake=math.inf):
        """What it says next, as bytes. Raises Gone at the time `ends`, or when it has ended.

        awake: the time from which on it is told to go on, if a signal has stopped it.
        """
        while True:
            now = time.monotonic()
            if now > awake and FORKS:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    self.popen.send_signal(signal.SIGCONT)
            try:
                # A short wait at a time: on Windows the stop button can't end a long one.
                data = self.said.get(timeout=min(0.2, max(0.0, ends - now)))
            except queue.Empty:
                if now >= ends:
                    raise Gone("silent") from None
                continue
            if data is None:
                raise Gone("ended")
            return data

    def wait_until_ready(self) -> None:
        """Wait until it can be asked. Raises Gone if that fails."""
        messages, ends = wire.Messages(wire.START), time.monotonic() + START
        while not self.ready:
            for _ in messages.feed(self._hear(ends)):
                self.ready = True

    def judge(self, request: dict, heard: dict[bytes, object]) -> None:
        """Have a request judged. heard: gets what it says about it, by the kind of message.

        Raises Gone when it ends, or says nothing in time.
        """
        number = wire.new_number()
        messages = wire.Messages(number)
        try:
            self.write(wire.packed(number, wire.ASKED, request))
        except OSError:
            raise Gone("ended") from None
        # An answer may stop the process before that has passed on that it begins.
        begun = time.monotonic()
        ends, awake = begun + LOADING + MOST + SILENT, begun + request["limit"] + AWAKE
        while (wire.END if FORKS else wire.VERDICT) not in heard:
            for _, kind, content, _ in messages.feed(self._hear(ends, awake)):
                heard.setdefault(kind, pickle.loads(content))
                if kind in (wire.BEGUN, wire.MORE):
                    left = request["limit"] if kind == wire.BEGUN else pickle.loads(content)
                    limit = time.monotonic() + left
                    ends = limit + (MOST + SILENT if FORKS else GRACE)
                    awake = limit + AWAKE


class Sandbox:
    """The process at hand: started early, replaced when it has gone or is spent."""

    def __init__(self):
        self.process = None
        self.owner = None
        self.lock = threading.RLock()

    def warm(self) -> Process:
        """See to it that a process is there or about to be, without waiting for it."""
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
        """Kill the process and start the next one in the background; returns the old one's exit
        status.
        """
        with self.lock:
            old, self.process = self.process, None
            mine = self.owner == os.getpid()
            self.warm()
            return old.end(patience) if mine else None

    def close(self) -> None:
        """End the process, unless it is that of a parent of which this is a fork."""
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
                if self.process is not None and self.owner == os.getpid():
                    self.process.hang_up()
                    self.replace(TIDY)
                raise

    def _judge(self, request):
        begun = time.monotonic()
        for attempt in range(1, OFTEN + 1):
            process, heard = self.warm(), {}
            try:
                process.wait_until_ready()
                process.judge(request, heard)
                end = heard.get(wire.END)
                if end is None:
                    self.replace()  # it is spent
            except Gone as gone:
                status = self.replace(0.3)
                end = {"how": str(gone), "status": status, "words": process.last_words()}
                if attempt > 1 and not process.ready:
                    raise RuntimeError(
                        f"the judge process does not start: {end['words'][-2000:]}"
                    ) from None
            if wire.VERDICT in heard:
                verdict, recording, doubt = self._told(heard[wire.VERDICT], end)
            else:
                # One that died between two checks is no fault of this answer.
                if attempt == 1 and (wire.BEGUN not in heard or self._stood_still(request, end)):
                    continue
                verdict, recording = self._died(request, end), None
                late = end["how"] == "silent" or "Timeout (" in end["words"]
                doubt = late and end.get("disturbed")
            if not doubt:
                clock = heard.get(wire.VERDICT, {}).get("seek")
                if FORKS and clock:
                    self._seek(request | {"seek": clock}, verdict)
                return verdict, recording
            if time.monotonic() - begun > ENOUGH:
                break
        return too_busy(), recording

    def _seek(self, request, verdict):
        """Name the line that is all that has to change, if there is one, and none was told; and
        what to try there, where nothing more was said of it.

        request: as for a check, with the clock to `seek` by.
        """
        heard = {}
        try:
            self.warm().judge(request | {"limit": SEEK}, heard)
        except Gone:
            self.replace(0.3)
        found = heard.get(wire.VERDICT)
        if found is not None:
            line, hint = found
            if verdict.line is None:
                source = Source(request["texts"], *request["place"])
                verdict.line = line
                moves = hint == ELSEWHERE
                at = "stands in the wrong place" if moves else "is all that has to change"
                verdict.at = source.sentence(source.place(line), at)
            if verdict.line == line and verdict.try_ in ("", KINDS[verdict.kind].try_):
                verdict.try_ = hint

    def _told(self, reply, end):
        """What the verdict says, unless there was more to see from outside; the recording, and
        whether the verdict is in doubt.
        """
        verdict, doubt = Verdict(**reply["verdict"]), reply["doubt"]
        if verdict.status == "solved" and end and end.get("left"):
            printed = verdict.printed
            verdict = verdict_of(processes_left(end["left"]))
            verdict.printed = printed
            doubt = end["disturbed"]
        return verdict, reply["recording"], doubt

    def _stood_still(self, request, end):
        """Did a judge run out of time while it did nothing, as where a machine has slept?"""
        _, place = where_it_was(request, end)
        return "Timeout (" in end["words"] and not place

    def _died(self, request, end):
        """The verdict on an answer that took its judge along, from what the judge could still
        write.
        """
        text, status = end["words"].strip(), end["status"]
        source, place = where_it_was(request, end)
        limit = seconds(request["limit"])
        if "Timeout (" in text:
            stood = Counter(filter(None, map(source.of_text, text.splitlines())))
            deepest = max(stood, key=stood.get, default=None)
            if place and stood[place] > 1 or deepest and stood[deepest] > REPEATED:
                place = place if stood[place] > 1 else deepest
                found = Wrong(
                    "recursion", f"After {limit} it still called itself, deeper and deeper."
                )
            elif place and (spins := source.spinning(place)):
                place = spins
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
            found = Wrong("judge failed", f"It said: {text.splitlines()[-1]}")
        elif end["how"] == "silent":
            found = Wrong("endless", f"After {limit} nothing was heard of it any more.")
        else:
            fatal = text.partition("Fatal Python error: ")[2].partition("\n")[0]
            said = (
                f"Python ended with: {fatal}."
                if fatal
                else "The process that ran it "
                + (
                    "could not speak to us any more: did it close files that it had not opened?"
                    if status in (None, MUTE)
                    else f"was gone, with exit status {status}."
                )
            )
            found = Wrong(
                "crashed", said, try_="In your kernel this would have ended your session."
            )
        return verdict_of(found, place, source)


def where_it_was(request: dict, end: dict) -> tuple[Source, tuple[str, int] | None]:
    """Where a judge that died was, by its last words: (the learner's Source, their line in it)."""
    source = Source(request["texts"], *request["place"])
    return source, most_recent(end["words"], source)


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
