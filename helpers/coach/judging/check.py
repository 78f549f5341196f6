"""One check: an answer is unpacked, run in a thread of its own and watched; what came of it, and
what it left behind, becomes a verdict.
"""

import contextlib
import gc
import inspect
import io
import os
import pickle
import random
import sys
import threading
from collections.abc import Callable
from typing import IO

from helpers.basics.words import count
from helpers.coach.form.statement import Exercise, Wrong
from helpers.coach.form.text import make_known
from helpers.coach.judging.anew import each_time_anew, rows_kept_at, shared_state
from helpers.coach.judging.changes import Changes, name_changes
from helpers.coach.judging.lab import Lab
from helpers.coach.judging.leftovers import Leftovers, processes_left
from helpers.coach.judging.limits import (
    LAST_RESORT,
    NAMING,
    Memory,
    end_us_after,
    end_us_not,
    exit_now,
    limit_memory,
    show_clock,
)
from helpers.coach.judging.load import MOST, TimeLeft
from helpers.coach.judging.printed import Printed
from helpers.coach.judging.sweeping import Sweeping
from helpers.coach.judging.watching import look_at, watch, where_is
from helpers.coach.mistakes.catalogue import KINDS
from helpers.coach.mistakes.errors import coroutines_met, mistake, without_frames
from helpers.coach.mistakes.hangs import name_hang
from helpers.coach.mistakes.source import Place, Source
from helpers.coach.mistakes.verdict import Verdict, too_busy, verdict_of
from helpers.coach.mistakes.words import error_words

# Times as long as the model computed that an answer may take in a case of a sweep: a right one may
# compute five times as much, and others may slow the machine down to a fifth.
ROOM = 30
SWEEP = 10.0  # seconds that a sweep may take in all, where each case goes on
MOST_STEPS = 20_000  # a recording of more is no picture any more

# What no load brings about, on any clock: these mistakes stand in what was called, and how.
AT_ANY_LOAD = {
    "not awaited", "nested run", "not a generator", "not async", "arguments", "unsendable",
    "changed", "exits", "awaited twice", "other loop", "memory", "recursion", "order",
}  # fmt: skip
# Mistakes that a coroutine which nobody awaited may bring about.
NOT_AWAITED = ("value", "order", "sequential", "lost error", "leaked", "spin")
# Mistakes that an earlier call may bring about, where nothing in them says so.
KEPT_OR_NOT = {
    "value", "order", "calls", "late", "early return", "raised", "lost items", "stopped early",
    "counted wrong", "one failure ends all",
}  # fmt: skip
CODING_ERRORS = (NameError, TypeError, AttributeError, ImportError, SyntaxError)
# What the judge's own patience decides, on a virtual clock as well.
IN_REAL_TIME = {"thread", "process"}

Reply = dict[str, object]
"""The verdict as a dict; the recording as bytes or None; whether the verdict is in doubt: the
machine's load may have brought it about; and the clock by which a line is worth to be sought.
"""


class Check:
    """What is known of the check under way.

    begun: is called when the answer's time begins. more: is told how many seconds the check may
    still take, when they are more than was said. errors: a file for the words of a process that has
    to be ended.
    """

    def __init__(
        self,
        request: dict,
        changes: Changes,
        left: Leftovers,
        memory: Memory,
        begun: Callable[[], None],
        more: Callable[[float], None],
        errors: IO,
    ):
        self._request = request
        self.asks = request["asks"]
        self.source = Source(request["texts"], *request["place"])
        self.lab = None
        self._changes = changes
        self._left = left
        self._memory = memory
        self._begun = begun
        self._more = more
        self._errors = errors
        self._time_left = None
        self._certain = False
        self._ended = False  # by a mistake that showed in what it did
        self._pid = os.getpid()
        self._printed = Printed()
        self._stream = io.TextIOWrapper(
            io.BufferedWriter(self._printed, 1 << 16), "utf-8", "replace"
        )

    def judge(self, exercise: type[Exercise]) -> Reply:
        """Run the answer and reply; whatever it does, within its limit."""
        request = self._request
        for name, text in request["texts"].items():
            make_known(name, text)
        sys.path[:] = request["path"]
        with contextlib.suppress(OSError):  # nobody needs a folder that is gone
            os.chdir(request["folder"])
        sys.stdout = sys.stderr = self._stream
        random.seed(0)
        self.lab = Lab(exercise.asks, exercise.clock, self.source, self._printed_text)
        try:
            answer = self._again()
        except Exception as error:
            found = Wrong("unsendable", f"Unpacking it raised {error_words(error)}.")
            return self.reply(self.verdict(found))
        outcome = []
        worker = threading.Thread(
            target=self._work, args=(exercise, answer, outcome), name="answer", daemon=True
        )
        del answer
        self._begun()
        self._time_left = TimeLeft(request["limit"], self._more)
        self.lab.settled = self._time_left.settled
        end_us_after(request["limit"] + LAST_RESORT, exit=True, file=self._errors)
        worker.start()
        watch(worker, outcome, self._time_left, self.lab, self._memory, self._errors)
        if not outcome and self._memory.too_much:
            return self.out_of_memory()
        if not outcome:
            verdict = self._without_end(worker)
            if not outcome:
                return self.reply(verdict)
            # It ended while we looked, and its own verdict tells more. What it had changed we had
            # looked for before; the switch interval that it met was ours.
            outcome[2] = []
        return self._finish(*outcome)

    def _without_end(self, worker):
        """The verdict on an answer that did not come to an end."""
        # We run, so nobody holds the interpreter: time to look and to tell.
        end_us_after(NAMING + min(self._time_left.kept, MOST), exit=True, file=self._errors)
        if changed := self._changes.put_back():
            return self.verdict(*name_changes(changed, self.source))
        limit = self._request["limit"]
        hang = look_at(worker, limit, self.lab, self._left, self._time_left)
        return self.verdict(*name_hang(hang, self.source)) if hang else too_busy()

    def out_of_memory(self) -> Reply:
        """The reply when the answer left no memory even for the main thread."""
        limit_memory(None)
        worker = next((thread for thread in threading.enumerate() if thread.name == "answer"), None)
        place = where_is(worker, self.source) if worker else None
        found = Wrong("memory", f"`{self.asks}` asked for more memory than a check may take.")
        return self.reply(self.verdict(found, place))

    def out_of_order(self, changed: list[str]) -> Reply:
        """The reply when we stumbled over these names, which the answer has changed."""
        return self.reply(self.verdict(*name_changes(changed, self.source)))

    def verdict(self, found: Wrong, place: Place | None = None) -> Verdict:
        """The Verdict for a Wrong, with the call that was made."""
        called = self.lab.called if self.lab is not None else ""
        if found.kind == "lost error" and place and found.try_ is None:
            if kept := self.source.keeper_at(place):
                found.at, found.try_ = found.at or kept.at, kept.try_
        return verdict_of(found, place, self.source, called)

    def reply(self, verdict: Verdict, recording: bytes | None = None) -> Reply:
        """What the kernel is told, with what was printed until now."""
        verdict.printed = self._printed_text()
        doubt = verdict.status == "not yet" and self._in_doubt(verdict.kind)
        return {
            "verdict": verdict.as_dict(),
            "recording": recording,
            "doubt": doubt,
            "seek": self._seek(verdict),
        }

    def _seek(self, verdict):
        """The clock by which a line is worth to be sought, or what to try at it; or None."""
        says_enough = verdict.line is not None and verdict.try_ != KINDS["value"].try_
        if not self._ended or says_enough:
            return None
        return "real" if self.lab.in_real_time else "virtual"

    def _in_doubt(self, kind):
        """Whether the machine's load may have brought this mistake about."""
        if self._time_left is None or self._certain or kind in AT_ANY_LOAD:
            return False
        self._time_left.look()
        return self._time_left.disturbed and (self.lab.in_real_time or kind in IN_REAL_TIME)

    # The worker thread: everything that may run the learner's code happens here

    def _work(self, exercise, answer, outcome):
        show_clock()
        sys.set_coroutine_origin_tracking_depth(8)
        lab, error = self.lab, None
        try:
            self._verify(exercise, answer)
            sweep_ends = self._time_left.counted + SWEEP
            sweeping = Sweeping(
                exercise, lab, self._again, lambda took: self._go_on(sweep_ends, took)
            )
            sweeping.judge(answer)
        except BaseException as raised:
            error = raised
        lab.stop_sites()
        changed = self._changes.put_back()
        del answer
        try:
            lab.close()
            if error is not None:
                raise error
            lab.check_awaited()
            lab.check_lost()
            verdict = Verdict("solved")
        except BaseException as raised:
            if isinstance(raised, MemoryError):
                limit_memory(None)
            verdict = self._name(raised, lab)
        error = None
        recording = _packed(lab.recording)
        if os.getpid() != self._pid:
            exit_now(0)  # the answer forked, and this is the child
        self._ended = verdict.status == "not yet"
        outcome[:] = verdict, recording, changed

    def _verify(self, exercise, answer):
        lab = self.lab
        try:
            exercise().verify(answer, lab)
        except (*CODING_ERRORS, RecursionError):
            raise
        except Exception as error:
            line = inspect.isfunction(answer) and rows_kept_at(lab)
            found, _ = mistake(error, self.source, self.asks)
            if line and found.kind in KEPT_OR_NOT and self._goes_well_anew(exercise, answer):
                raise shared_state(error, line) from error
            raise

    def _goes_well_anew(self, exercise, answer):
        """Whether the answer is right where each call of it is the first one."""
        self._time_left.more(self._request["limit"])
        lab = Lab(exercise.asks, exercise.clock, self.source)
        shown = self.lab.shown
        try:
            exercise().verify(each_time_anew(answer, self._again), lab)
            lab.check_awaited()
            return True
        except Exception:
            return False
        finally:
            lab.stop_sites()
            lab.close()
            self.lab.shown = shown

    def _go_on(self, ends, took):
        """Give the next case of a sweep as much time as the check had, while there is some. took:
        seconds that the model computed in this case: many items take a while, and have more.
        """
        left = ends - self._time_left.counted
        if left > 0:
            self._time_left.more(min(left, max(self._request["limit"], ROOM * took)))

    def _again(self):
        """The answer as it came, in which no call has left a trace."""
        answer = pickle.loads(self._request["answer"])
        self.lab.ran.watch(answer)
        return answer

    def _name(self, error, lab):
        """The verdict for what left the check, or for a coroutine that lies deeper."""
        found, place = mistake(error, self.source, self.asks)
        self._certain = isinstance(error, CODING_ERRORS)
        met = found.kind == "not awaited" and not isinstance(error, Wrong)
        held = coroutines_met(error, self.source) if met else []
        without_frames(error)
        if met or found.kind in NOT_AWAITED:
            gc.collect()
            if met:
                # The error is raised where the coroutine is used. It was made there, or earlier.
                lab.unawaited.sort(key=lambda made: made[1] != place)
                lab.unawaited[:0] = held
            try:
                lab.check_awaited()
            except Wrong as deeper:
                if met:
                    deeper.observed = f"{found.observed} {deeper.observed}"
                found, place = deeper, deeper.line
        return self.verdict(found, place)

    # After the check

    def _finish(self, verdict, recording, changed):
        """Look for what the answer left behind; it turns SOLVED into NOT YET."""
        left = self._left.threads()
        if sys.stdout is not self._stream or sys.stderr is not self._stream:
            changed.append("sys.stdout")
        found, place = self._left_behind(changed, left)
        if found and (changed or verdict.status == "solved"):
            verdict = self.verdict(found, place)
        end_us_not()
        return self.reply(verdict, recording)

    def _left_behind(self, changed, threads):
        """(Wrong or None, place): the gravest of what was left."""
        if changed:
            return name_changes(changed, self.source)
        if threads:
            found = Wrong("thread", f"It was over, and {count(len(threads), 'thread')} still ran.")
            return found, where_is(threads[0], self.source)
        if processes := self._left.end_processes():
            return processes_left(processes), None
        if self._stream.closed:
            found = Wrong("changed", "It closed `sys.stdout`, through which all code prints.")
            return found, self.source.place(self.source.call_of("close"))
        return None, None

    def _printed_text(self):
        try:
            sys.stdout.flush()
        except (ValueError, AttributeError):
            pass  # it was closed or replaced
        return self._printed.text()


def _packed(recording):
    """A recording as bytes; None if there is none, or none that can be drawn."""
    try:
        if recording is None or recording.steps > MOST_STEPS:
            return None
        return pickle.dumps(recording)
    except Exception:
        return None  # no picture is no reason for no verdict
