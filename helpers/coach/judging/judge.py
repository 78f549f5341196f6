"""The process in which answers are judged: `python -m helpers.coach.judging.judge`, started by
`sandbox`.

It reads requests from its standard input and writes verdicts to its standard output, each a
length and a pickle. The answer runs in a worker thread; the main thread watches it and names
what hangs. Code in C that keeps the interpreter to itself is ended by faulthandler, whose
thread needs no interpreter, and its traceback goes to standard error, where the sandbox reads
the line. Whatever happens, the process ends with its parent: on the end of its input, or when
its parent's id changes.
"""

import asyncio
import faulthandler
import gc
import io
import linecache
import logging
import os
import pickle
import queue
import random
import re
import signal
import sys
import threading
import time
import traceback
import warnings

from helpers.coach.judging import wire

LOOK = 0.05  # seconds between two looks at the worker
STALL = 0.2  # and if one comes later than that, the machine had no time for the worker either
SAMPLES = 16  # looks at something that hangs
BLINK = 0.1  # seconds of computing in one step of the loop that are nothing to talk of
SHORT_NAP = 0.05  # seconds that time.sleep really sleeps on a loop's thread
LAST_RESORT = 0.4  # seconds after the limit when faulthandler ends us,
SILENCE = 0.8  # and at least so many after the main thread has last had a turn
NAMING = 1.5  # seconds that looking at a hang may take on a crowded machine
MEMORY = 1 << 30  # bytes that an answer may take on top of what we need
KEPT_LINES, KEPT_BYTES = 100, 10_000
exit_now = os._exit
sleep_now = time.sleep
end_us_after = faulthandler.dump_traceback_later
end_us_not = faulthandler.cancel_dump_traceback_later


class Printed(io.RawIOBase):
    """Keeps the beginning of what is printed and counts the rest."""

    def __init__(self):
        self.kept = bytearray()
        self.lines = 0
        self.bytes = 0

    def writable(self):
        return True

    def write(self, data):
        data = bytes(data)
        self.lines += data.count(b"\n")
        self.bytes += len(data)
        if len(self.kept) < KEPT_BYTES:
            self.kept += data[: KEPT_BYTES - len(self.kept)]
        return len(data)

    def text(self):
        lines = self.kept.decode("utf-8", "replace").splitlines(keepends=True)
        text = "".join(lines[:KEPT_LINES])
        left = self.lines - text.count("\n")
        if left > 1:
            text = text.rstrip("\n") + f"\n… and {left:,} more lines"
        elif self.bytes > len(self.kept):
            text += f" … and {self.bytes - len(self.kept):,} more bytes"
        return text


class Changes:
    """What all code shares, as it was: finds what an answer has changed, says what, and puts it
    back.

    Nothing here calls a builtin after the start: they may be what was changed.
    """

    MODULES = (
        "builtins",
        "time",
        "os",
        "sys",
        "threading",
        "random",
        "inspect",
        "contextvars",
        "socket",
        "selectors",
        "types",
        "functools",
        "itertools",
        "collections",
        "heapq",
        "queue",
        "pickle",
        "asyncio",
        "asyncio.tasks",
        "asyncio.events",
        "asyncio.futures",
        "asyncio.base_events",
        "asyncio.locks",
        "asyncio.queues",
        "asyncio.runners",
        "asyncio.taskgroups",
        "asyncio.timeouts",
        "asyncio.streams",
        "concurrent.futures",
        "helpers.coach.judging.lab",
        "helpers.coach.mistakes.diagnosis",
        "helpers.coach.form.finding",
        "helpers.coach.form.statement",
        "helpers.kernel.threads",
        "helpers.kernel.virtual",
        "helpers.kernel.waiting",
        "helpers.recording.recorder",
        "helpers.recording.model",
        "helpers.recording.jobs",
        "helpers.basics.places",
    )
    CLASSES = (
        asyncio.Task,
        asyncio.Future,
        asyncio.BaseEventLoop,
        asyncio.Lock,
        asyncio.Event,
        asyncio.Queue,
        asyncio.Semaphore,
        asyncio.TaskGroup,
    )
    OWN = ("stdout", "stderr", "stdin")  # sys: new with every check

    def __init__(self):
        self.before = [
            (name, vars(sys.modules[name]), None) for name in self.MODULES if name in sys.modules
        ]
        self.before += [(f"asyncio.{cls.__name__}", vars(cls), cls) for cls in self.CLASSES]
        self.before = [
            (
                title,
                names,
                cls,
                {
                    name: thing
                    for name, thing in names.items()
                    if callable(thing)
                    and name not in self.OWN
                    and (not name.startswith("_") or name.startswith("__"))
                },
            )
            for title, names, cls in self.before
        ]
        self.set = setattr
        self.settings = [
            ("the recursion limit", sys.getrecursionlimit, sys.setrecursionlimit),
            ("the switch interval", sys.getswitchinterval, sys.setswitchinterval),
        ]
        self.settings = [(title, get, set_, get()) for title, get, set_ in self.settings]

    def put_back(self):
        """The names of what is not as it was, such as "time.sleep"; it is again, then."""
        changed = []
        for title, names, cls, before in self.before:
            for name, thing in before.items():
                if names.get(name) is not thing:
                    changed.append(f"{title}.{name}")
                    if cls is None:
                        names[name] = thing
                    else:
                        self.set(cls, name, thing)
        for title, get, set_, before in self.settings:
            if get() != before:
                changed.append(title)
                set_(before)
        return changed


class Judge:
    """Reads requests, judges them one at a time."""

    def __init__(self):
        self.input = os.fdopen(os.dup(0), "rb")
        self.output = os.fdopen(os.dup(1), "wb")
        self.errors = os.fdopen(os.dup(2), "wb")
        sys.stdin = open(os.devnull)
        self.pid = os.getpid()
        self.parent = os.getppid()
        self.requests = queue.SimpleQueue()
        self.sending = threading.Lock()
        self.lab = None
        self.source = None
        self.printed = Printed()

    # The process

    def prepare(self):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        faulthandler.enable(self.errors)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.output.close)
        threading.Thread(target=self.read, name="coach-reader", daemon=True).start()
        if os.name != "nt":
            threading.Thread(target=self.watch_parent, name="coach-parent", daemon=True).start()
        global finding, form, diagnosis, Lab, recorder
        from helpers.coach.form import finding
        from helpers.coach.form import statement as form
        from helpers.coach.judging.lab import Lab
        from helpers.coach.mistakes import diagnosis
        from helpers.recording import recorder

        time.sleep = self.sleep
        os._exit = self.exit
        faulthandler.dump_traceback_later = lambda *arguments, **named: None
        faulthandler.cancel_dump_traceback_later = lambda: None
        warnings.simplefilter("always", RuntimeWarning)
        warnings.showwarning = self.warned
        sys.unraisablehook = lambda problem: None  # the verdict says what there is to say
        limit_memory()
        self.warm_up()
        self.changes = Changes()
        self.environment = dict(os.environ)
        self.filters = warnings.filters[:]
        self.modules = set(sys.modules)
        self.threads = set(threading.enumerate())
        gc.collect()
        gc.freeze()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        os.close(nothing)
        self.send("ready")

    def warm_up(self):
        """Run a loop once, so that the first check doesn't pay for what is loaded late."""
        lab = Lab("warm", "virtual", diagnosis.Source(()))
        lab.run(asyncio.sleep(1))

    def serve(self):
        while True:
            request = self.requests.get()
            try:
                reply = self.judge(request)
            except MemoryError:
                reply = self.out_of_memory()
            except Exception:
                # We lean on what all code shares, too.
                changed = self.changes.put_back()
                if not changed:
                    self.errors.write(traceback.format_exc().encode())
                    self.errors.flush()
                    exit_now(1)
                reply = self.reply(self.verdict(*self.name_changes(changed)), spoiled="changes")
            self.send("verdict", **reply)

    def read(self):
        try:
            while True:
                self.requests.put(wire.read(self.input))
        finally:
            exit_now(0)

    def watch_parent(self):
        # A fork of the kernel may hold our input open after the kernel itself has gone.
        while os.getppid() == self.parent:
            sleep_now(1)
        exit_now(0)

    def send(self, what, **content):
        with self.sending:
            wire.write(self.output, (what, content))

    # Stand-ins for what would end or hold the process

    def sleep(self, seconds, /):
        """time.sleep: on a running loop's thread it is noted, and on virtual time not even
        slept.
        """
        lab = self.lab
        if lab is None or seconds <= 0 or asyncio._get_running_loop() is None:
            return sleep_now(seconds)
        lab.blocked(f"`time.sleep({seconds:g})`", seconds, sys._getframe(1))
        if lab.clock == "real":
            sleep_now(min(seconds, SHORT_NAP))

    def exit(self, status=0):
        """os._exit: tells who called it, then ends."""
        if os.getpid() == self.pid and self.source is not None:
            place = self.source.of_frame(sys._getframe(1))
            found = form.Wrong("exits", "`os._exit` was called.")
            self.send("verdict", **self.reply(self.verdict(found, place), spoiled="it ended"))
        exit_now(status)

    def warned(self, message, category, filename, lineno, file=None, line=None):
        text = str(message)
        name = re.match(r"coroutine '(.+?)' was never awaited", text)
        if name and self.lab is not None:
            self.lab.unawaited.append((name[1].rpartition(".")[2], self.source.of_text(text)))
        elif sys.stderr is not None:
            print(f"{category.__name__}: {text}", file=sys.stderr)

    # One check

    def judge(self, request):
        limit = request["limit"]
        for name, text in request["texts"].items():
            linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        sys.path[:] = request["path"]
        os.chdir(request["folder"])
        self.source = diagnosis.Source(request["texts"], *request["place"])
        self.asks = request["asks"]
        self.printed = Printed()
        stream = io.TextIOWrapper(io.BufferedWriter(self.printed, 1 << 16), "utf-8", "replace")
        sys.stdout = sys.stderr = stream
        random.seed(0)
        exercise = finding.find(request["id"], request["checks"])
        self.lab = Lab(exercise.asks, exercise.clock, self.source, self.printed_text)
        try:
            answer = pickle.loads(request["answer"])
        except Exception as error:
            found = form.Wrong("unsendable", f"Unpacking it raised {diagnosis.error_words(error)}.")
            return self.reply(self.verdict(found, None), spoiled="not unpacked")
        outcome = []
        worker = threading.Thread(
            target=self.work, args=(exercise, answer, outcome), name="answer", daemon=True
        )
        del answer
        self.send("begun")
        end_us_after(limit + LAST_RESORT, exit=True, file=self.errors)
        worker.start()
        self.watch(worker, outcome, limit)
        if not outcome:
            # We run, so nobody holds the interpreter: time to look and to tell.
            end_us_after(NAMING, exit=True, file=self.errors)
            if changed := self.changes.put_back():
                found, place = self.name_changes(changed)
            else:
                found, place = diagnosis.name_hang(
                    self.look_at(worker, limit), self.source, self.asks
                )
            return self.reply(self.verdict(found, place), spoiled="it hung")
        return self.finish(*outcome, stream)

    def out_of_memory(self):
        """The reply when the answer left no memory even for the main thread."""
        limit_memory(None)
        worker = next((thread for thread in threading.enumerate() if thread.name == "answer"), None)
        place = self.source.of_frame(sys._current_frames().get(worker.ident)) if worker else None
        found = form.Wrong("memory", f"`{self.asks}` asked for more memory than a check may take.")
        return self.reply(self.verdict(found, place), spoiled="memory")

    def work(self, exercise, answer, outcome):
        """The worker thread: everything that may run the learner's code happens here."""
        sys.set_coroutine_origin_tracking_depth(8)
        lab, error = self.lab, None
        try:
            exercise().verify(answer, lab)
        except BaseException as raised:
            error = raised
        lab.stop_sites()
        changed = self.changes.put_back()
        del answer
        try:
            lab.close()
            if error is not None:
                raise error
            lab.check_awaited()
            lab.check_lost()
            verdict = diagnosis.Verdict("solved")
        except BaseException as raised:
            if isinstance(raised, MemoryError):
                limit_memory(None)
            verdict = self.name(raised, lab)
        error = None
        recording = self.pack(lab.recording)
        if os.getpid() != self.pid:
            exit_now(0)  # the answer forked, and this is the child
        outcome[:] = verdict, recording, changed

    def name(self, error, lab):
        found, place = diagnosis.mistake(error, self.source, self.asks)
        met = found.kind == "not awaited" and not isinstance(error, form.Wrong)
        held = self.source.coroutines_met(error) if met else []
        diagnosis.without_frames(error)
        if met or found.kind in ("value", "order", "sequential", "lost error", "leaked"):
            gc.collect()
            if met:
                # The error is raised where the coroutine is used. It was made there, or earlier.
                lab.unawaited.sort(key=lambda made: made[1] != place)
                lab.unawaited[:0] = held
            try:
                lab.check_awaited()
            except form.Wrong as deeper:
                if met:
                    deeper.observed = f"{found.observed} {deeper.observed}"
                found, place = deeper, deeper.line
        return self.verdict(found, place)

    def verdict(self, found, place):
        called = self.lab.called if self.lab is not None else ""
        return diagnosis.verdict_of(found, place, self.source, self.asks, called)

    def pack(self, recording):
        try:
            if recording is None or recording.steps > 20_000:
                return None
            return pickle.dumps(recording)
        except Exception:
            return None  # no picture is no reason for no verdict

    # Watching

    def watch(self, worker, outcome, limit):
        """Wait for the worker to end; note the longest time that one step of its loop computed."""
        left, looked = limit, time.monotonic()
        turns, since, place = None, 0.0, None
        while not outcome and left > 0:
            worker.join(min(LOOK, left))
            now = time.monotonic()
            left, looked = left - min(now - looked, STALL), now
            end_us_after(max(left + LAST_RESORT, SILENCE), exit=True, file=self.errors)
            loop, cpu = self.lab.loop, cpu_of(worker)
            if loop is None or loop.turns != turns:
                turns, since, place = getattr(loop, "turns", None), cpu, None
                continue
            place = self.source.of_frame(sys._current_frames().get(worker.ident)) or place
            longest = self.lab.long_step[0] if self.lab.long_step else BLINK
            if place and cpu - since > longest:
                self.lab.long_step = (cpu - since, place)

    def look_at(self, worker, limit):
        """Sample a worker that hangs: a diagnosis.Hang."""
        lab, loop = self.lab, self.lab.loop
        turns = loop.turns if loop else 0
        clock = loop.time() if loop else 0.0
        cpu, begun = cpu_of(worker), time.monotonic()
        places = []
        for _ in range(SAMPLES):
            sleep_now(0.01)
            places.append(self.source.of_frame(sys._current_frames().get(worker.ident)))
        share = (cpu_of(worker) - cpu) / (time.monotonic() - begun)
        others = [
            self.source.of_frame(sys._current_frames().get(thread.ident))
            for thread in threading.enumerate()
            if thread not in self.threads and thread is not worker
        ]
        hang = diagnosis.Hang(
            limit,
            places,
            share,
            cancelling=lab.cancelling,
            in_loop=loop is not None,
            other=next(filter(None, others), None),
        )
        if loop is not None:
            # Asking for the time counts as a turn: we asked once.
            hang.turns = loop.turns > turns + 2
            hang.clock = loop.time()
            hang.moved = lab.clock == "virtual" and hang.clock > clock
            hang.outside = getattr(loop, "real_seconds", 0.0) > limit / 2
            try:
                hang.tasks = lab.unfinished(loop)
            except Exception:
                pass  # the loop runs on while we look
        return hang

    # After the check

    def finish(self, verdict, recording, changed, stream):
        """Look for what the answer left behind; it turns SOLVED into NOT YET and costs us our
        place.
        """
        spoiled = ""
        left = self.left_threads()
        if sys.stdout is not stream or sys.stderr is not stream:
            changed.append("sys.stdout")
        found = place = None
        if changed:
            spoiled = "changes"
            found, place = self.name_changes(changed)
        elif left:
            spoiled = "threads"
            frame = sys._current_frames().get(left[0].ident)
            place = self.source.of_frame(frame)
            found = form.Wrong(
                "thread", f"It was over, and {diagnosis.count(len(left), 'thread')} still ran."
            )
        elif processes := self.left_processes():
            spoiled = "processes"
            found = form.Wrong(
                "process",
                f"It was over, and {diagnosis.count(processes, 'process')} still ran. ".replace(
                    "processs", "processes"
                ),
            )
        elif stream.closed:
            place = self.source.matching(r"close\(")
            found = form.Wrong("changed", "It closed `sys.stdout`, through which all code prints.")
        elif verdict.kind in ("exits", "memory"):
            spoiled = verdict.kind
        if found and (changed or verdict.status == "solved"):
            verdict = self.verdict(found, place)
        end_us_not()
        self.forget()
        return self.reply(verdict, recording, spoiled)

    def name_changes(self, changed):
        name = re.escape(changed[0].rpartition(".")[2])
        names = diagnosis.listed(name if " " in name else f"`{name}`" for name in changed[:3])
        return form.Wrong("changed", f"It changed {names} for all code."), self.source.matching(
            rf"\b{name}\b\s*=|setattr|recursion|switch"
        )

    def left_threads(self):
        new = [thread for thread in threading.enumerate() if thread not in self.threads]
        if new:
            gc.collect()  # a pool that nobody holds any more ends its threads
            ends = time.monotonic() + 0.3
            for thread in new:
                if thread.name != "answer" and not isinstance(thread, threading._DummyThread):
                    thread.join(max(0.0, ends - time.monotonic()))
        return [thread for thread in new if thread.is_alive() and thread.name != "answer"]

    def left_processes(self):
        """End what processes the answer left; return their number."""
        if hasattr(os, "waitid"):
            try:
                # Most answers start none, and this asks without loading anything.
                os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return 0
        import psutil

        own = getattr(
            getattr(sys.modules.get("multiprocessing.resource_tracker"), "_resource_tracker", None),
            "_pid",
            None,
        )
        left = [
            child
            for child in psutil.Process().children(recursive=True)
            if child.pid != own and child.status() != psutil.STATUS_ZOMBIE
        ]
        gone, alive = psutil.wait_procs(left, timeout=0.2)
        for child in alive:
            child.kill()
        return len(alive)

    def forget(self):
        """Put back what a check may change without harm, and forget modules of the learner's
        own.
        """
        self.lab = None
        for name in set(sys.modules) - self.modules:
            file = getattr(sys.modules[name], "__file__", None)
            if file and file.startswith(os.getcwd() + os.sep) and "site-packages" not in file:
                del sys.modules[name]
        os.environ.clear()
        os.environ.update(self.environment)
        warnings.filters[:] = self.filters
        warnings.simplefilter("always", RuntimeWarning)  # and let it notice that they changed
        logging.root.handlers[:] = []
        logging.root.setLevel(logging.WARNING)
        gc.collect()

    def printed_text(self):
        try:
            sys.stdout.flush()
        except (ValueError, AttributeError):
            pass  # it was closed or replaced
        return self.printed.text()

    def reply(self, verdict, recording=None, spoiled=""):
        verdict.printed = self.printed_text()
        return {"verdict": verdict.as_dict(), "recording": recording, "spoiled": spoiled}


def cpu_of(thread):
    """CPU seconds of a thread, or of the process where threads have no clock of their own."""
    try:
        return time.clock_gettime(time.pthread_getcpuclockid(thread.ident))
    except (AttributeError, OSError):
        return time.process_time()


def limit_memory(most=MEMORY):
    """Let what allocates without end meet a MemoryError, where the system can do that; None: no
    limit.
    """
    try:
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (hard if most is None else most, hard))
    except (ImportError, ValueError, OSError):
        pass


def main():
    judge = Judge()
    judge.prepare()
    judge.serve()


if __name__ == "__main__":
    main()
