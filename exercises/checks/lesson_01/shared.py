"""What exercises of lesson 01 share: jobs that note in which thread they run, and who called."""

import sys
import threading
import time
import traceback

from helpers.coach import Wrong

PATIENCE = 0.4  # seconds that a job waits for those that should run beside it
OF_ITS_OWN = (
    "A pool that isn't told how many threads it may have takes a number of its own, which depends "
    "on the machine. Tell it how many."
)


def lines_from(frame):
    """The (filename, line) of a frame, of its caller, and so on."""
    return [(one.f_code.co_filename, line) for one, line in traceback.walk_stack(frame)]


class Callers:
    """From where jobs are called: in the thread that makes this, and in all others."""

    def __init__(self):
        self.thread = threading.get_ident()
        self.here, self.elsewhere = [], set()

    def note(self):
        """Note who calls, and return whether that is in the thread that made this."""
        lines = lines_from(sys._getframe(1))
        if threading.get_ident() != self.thread:
            self.elsewhere.update(lines)
            return False
        self.here = self.here or lines
        return True

    def place(self, lab):
        """The learner's innermost line that called a job in this thread and in no other."""
        own = [place for place in self.here if lab.text.owns(place[0])]
        return next((place for place in own if place not in self.elsewhere), next(iter(own), None))


class Job:
    """One function without parameters; `Jobs` notes who calls it."""

    def __init__(self, jobs, number, seconds):
        self.jobs, self.number, self.seconds = jobs, number, seconds

    def __repr__(self):
        return f"job_{self.number}"

    def __call__(self):
        self.jobs.begin(self.number)
        time.sleep(self.seconds)
        self.jobs.end(self.number)
        return f"result {self.number}"


class Jobs:
    """Jobs that note in which thread they run, and how many run at once.

    They come in groups of `together`: each waits until its whole group is there, so that jobs which
    run at the same time are told from others by what they do, not by how long they take.
    """

    def __init__(self, seconds, together):
        self.all = [Job(self, number, length) for number, length in enumerate(seconds)]
        self.together = together
        self.callers = Callers()
        self.started, self.ended, self.in_caller = [], [], []
        self.flying = self.peak = 0
        self.met = True
        self._group = threading.Barrier(together)
        self._lock = threading.Lock()

    def begin(self, number):
        with self._lock:
            self.started.append(number)
            self.flying += 1
            self.peak = max(self.peak, self.flying)
        if self.callers.note():
            self.in_caller.append(number)
            return
        try:
            self._group.wait(PATIENCE)
        except threading.BrokenBarrierError:
            self.met = False

    def end(self, number):
        with self._lock:
            self.flying -= 1
            self.ended.append(number)

    def check_handed_over(self, lab):
        """Raise Wrong if jobs ran in the thread that called the answer."""
        if self.in_caller:
            raise Wrong(
                "called, not handed over",
                f"{len(self.in_caller)} of {len(self.all)} jobs ran in the thread that called "
                f"`{lab.asks}`, not in another one.",
                self.callers.place(lab),
                "Parentheses call a function here and now, and so does `run()`. Hand over the "
                "function itself, without parentheses, to a thread that you `start()` or to a "
                "pool.",
            )

    def check_together(self, lab, line):
        """Raise Wrong, at `line`, if fewer jobs ran at once than should."""
        if self.met:
            return
        observed = (
            f"At most {self.peak} of {len(self.all)} jobs ran at once; {self.together} should."
        )
        if self.peak > 1 and (pool := lab.bare_call_of("*Executor")):
            raise Wrong("idle places", observed, pool, OF_ITS_OWN, headline="too few at once")
        if self.peak > 1:
            raise Wrong(
                "idle places",
                observed,
                line,
                "Count the threads that you make, and the jobs that could run.",
                headline="too few at once",
            )
        raise Wrong(
            "sequential",
            observed,
            line,
            "If you wait for each job before you begin the next, you get a staircase. Begin all in "
            "a first loop, and wait for them in a second.",
            headline="ran one after another",
        )
