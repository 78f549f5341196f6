"""Looks for the line that is all that has to change: small changes of a wrong answer are tried, and
the one that makes it right tells where the mistake is.

Only where nothing else told a line. On virtual time a try takes milliseconds; with the real clock
there are only as many as a learner will wait for.
"""

import ast
import contextlib
import inspect
import pickle
import threading
import time
import types
from collections import Counter
from typing import Any

from helpers.coach.form.statement import Exercise
from helpers.coach.form.text import tree_of, unwarned
from helpers.coach.judging.changes import Changes
from helpers.coach.judging.lab import Lab
from helpers.coach.judging.limits import cpu_of, show_clock
from helpers.coach.judging.sweeping import Sweeping
from helpers.coach.mistakes.edits import edits
from helpers.coach.mistakes.source import Source
from helpers.kernel.threads import raise_in

MOST = 400  # changes that are tried
TIME = 4.0  # processor seconds for all of them,
ONE = 0.25  # and for one, which may go round and round: at most, and at least
LEAST = 0.05
TIMES = 5  # as long as the answer itself took
FAR = 2.0  # if it is right where the answer itself went wrong: then all is asked
LOOK = 0.02  # seconds between two looks at it
BUSY = 10  # times as long as on a quiet machine, at most
REAL = 4.0  # seconds for all of them where they go with the real clock, and for one,
REAL_LEAST = 0.2  # at least
LONG = 0.5  # an answer that takes longer there is not changed at all
SURE = 2  # changes of one line that make it right: no more of that line are tried
ENDLESS = 12  # changes that don't end, and no more
# Who names one of these may write, delete or ask somebody: with other arguments that is not tried.
REACHING_OUT = {"os", "shutil", "subprocess", "pathlib", "Path", "open", "socket", "sqlite3"}
CONNECTING = {"open_connection", "create_connection", "start_server", "create_server"}


class TimeUp(BaseException):
    """Raised in a changed answer that doesn't end."""


class Seeking:
    """The search in one answer. request: as for a check."""

    def __init__(self, request: dict, exercise: type[Exercise], changes: Changes):
        self._request = request
        self._exercise = exercise
        self._changes = changes
        self._file, *_ = request["place"]
        self._failed = None  # what the answer itself is wrong in, which is asked first
        self._endless = 0
        self._patience = TIME
        self._real = request["seek"] == "real"
        self._got_far = False  # the change that is tried is right where the answer went wrong

    def found(self) -> tuple[int, str] | None:
        """The line that is all that has to change, and what to try there; None if there is none,
        or no single one.
        """
        tree = self._definitions()
        begun = self._now()
        if tree is None or self._is_right(tree):
            return None
        took = self._now() - begun
        if self._real and took > LONG:
            return None
        self._patience = max(REAL_LEAST if self._real else LEAST, TIMES * took)
        if not self._real:
            self._patience = min(ONE, self._patience)
        return self._first_of(tree, REAL if self._real else TIME)

    def _now(self):
        return time.monotonic() if self._real else time.process_time()

    def _first_of(self, tree, patience):
        """The line that the changes of the lowest rank agree on, of those that make it right, and
        the hint of the first one there.

        patience: seconds for all of them.
        """
        ends = self._now() + patience
        mending, hints, best = Counter(), {}, None
        for tried, edit in enumerate(edits(tree)):
            if edit.rank != best and best is not None:
                break
            if tried == MOST or self._now() > ends or self._endless >= ENDLESS:
                break
            if mending[edit.line] < SURE and self._is_right(tree):
                best = edit.rank
                mending[edit.line] += 1
                hints.setdefault(edit.line, edit.hint)
        # What sets a flag is named before what asks it: both may mend it.
        flags = {
            node.lineno
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        }

        def weight(line):
            return line in flags, mending[line]

        first, *others = sorted(mending, key=weight, reverse=True) or [None]
        if first is None or others and weight(others[0]) == weight(first):
            return None
        return first, hints[first]

    def _definitions(self):
        """What the cell with the answer defines and the answer uses, and what the cell imports;
        None if it doesn't define the answer, or reaches out of its process.
        """
        answer = self._unpacked()
        names = {*_globals_of(answer), getattr(answer, "__name__", "")}
        try:
            tree = tree_of(self._request["texts"].get(self._file, ""))
        except (SyntaxError, ValueError):
            return None
        defined = {}
        for one in tree.body:
            match one:
                case ast.Import() | ast.ImportFrom():
                    defined[one] = ""
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    defined[one] = one.name
                case ast.Assign(targets=[ast.Name(id=name)]):
                    defined[one] = name
        tree.body = [one for one, name in defined.items() if not name or name in names]
        nodes = list(ast.walk(tree))
        named = {node.id for node in nodes if isinstance(node, ast.Name)} & REACHING_OUT
        called = {node.attr for node in nodes if isinstance(node, ast.Attribute)} & CONNECTING
        if answer.__name__ not in defined.values() or named or called:
            return None
        return tree

    def _unpacked(self):
        return pickle.loads(self._request["answer"])

    def _is_right(self, tree):
        """Whether the answer is right with its definitions as they stand in the tree now."""
        try:
            with unwarned():
                code = compile(ast.fix_missing_locations(tree), self._file, "exec")
        except (SyntaxError, ValueError, RecursionError):
            return False
        outcome, self._got_far = [], False
        worker = threading.Thread(
            target=self._try, args=(code, outcome), name="answer", daemon=True
        )
        worker.start()
        begun, busy = time.monotonic(), 1 if self._real else BUSY
        while worker.is_alive():
            most = FAR if self._got_far else self._patience
            if cpu_of(worker) > most or time.monotonic() > begun + most * busy:
                break
            worker.join(LOOK)
        if worker.is_alive():
            raise_in(worker, TimeUp)
            worker.join(ONE)
            # What doesn't end even so keeps a core to itself, or a recording open.
            self._endless += 1 if outcome == [TimeUp] else ENDLESS
        return outcome == [None]

    def _try(self, code, outcome):
        show_clock()
        lab = Lab(self._exercise.asks, self._exercise.clock, Source((self._file,), self._file))
        try:
            self._judge(code, lab)
            lab.close()
            lab.check_awaited()
            lab.check_lost()
            outcome.append(None)
        except BaseException as error:
            outcome.append(type(error))
        finally:
            with contextlib.suppress(BaseException):
                lab.close()  # what it left open would be in the way of the next
            self._changes.put_back()

    def _judge(self, code, lab):
        def again():
            return _defined(code, self._unpacked())

        sweeping = Sweeping(self._exercise, lab, again, lambda took: None)
        try:
            if self._failed is not None:
                sweeping.ask_again(again(), self._failed)
                self._got_far = True
            self._exercise().verify(again(), lab)
            self._got_far = True
            sweeping.judge(again())
        finally:
            self._failed = self._failed or sweeping.failed
            lab.stop_sites()


def _globals_of(answer: Any) -> dict[str, Any]:
    """The names that an answer finds outside of itself."""
    parts = vars(answer).values() if isinstance(answer, type) else [inspect.unwrap(answer)]
    functions = [part for part in parts if isinstance(part, types.FunctionType)]
    return functions[0].__globals__ if functions else {}


def _defined(code: types.CodeType, answer: Any) -> Any:
    """The answer that these definitions make, among the names that the answer had."""
    names = _globals_of(answer)
    exec(code, names)
    return names[answer.__name__]
