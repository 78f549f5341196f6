"""Packs a learner's answer to be sent to the judge: by value, with the text of the cells it
came from.

The text goes along so that tracebacks, `inspect` and the coach's messages show the learner's
own lines.
"""

import ast
import contextlib
import contextvars
import functools
import inspect
import io
import linecache
import os
import re
import textwrap
import threading
import types
import warnings

import cloudpickle


class Unsendable(Exception):
    """The answer refers to something that can't leave the notebook. `name` is the global's name
    or None.
    """

    def __init__(self, name, thing, reason):
        super().__init__(reason)
        self.name = name
        self.type = type(thing).__name__
        self.reason = reason


class Packer(cloudpickle.CloudPickler):
    """A cloudpickle that copies locks and context variables and notes which cells it has met."""

    def __init__(self, file):
        super().__init__(file)
        self.filenames = set()

    def reducer_override(self, thing):
        if isinstance(thing, types.FunctionType):
            self.filenames.add(thing.__code__.co_filename)
        elif isinstance(thing, LOCK):
            return threading.Lock, ()
        elif isinstance(thing, RLOCK):
            return threading.RLock, ()
        elif isinstance(thing, contextvars.ContextVar):
            return new_context_variable, (thing.name, *default_of(thing))
        return super().reducer_override(thing)


LOCK = type(threading.Lock())
RLOCK = type(threading.RLock())
MISSING = object()
STDLIB = os.path.dirname(os.__file__) + os.sep


def default_of(variable):
    """The default of a ContextVar as a tuple of one, or an empty tuple: an empty context shows
    it.
    """
    value = contextvars.Context().run(variable.get, MISSING)
    try:
        return (contextvars.Context().run(variable.get),) if value is MISSING else (value,)
    except LookupError:
        return ()


def new_context_variable(name, *default):
    return (
        contextvars.ContextVar(name, default=default[0])
        if default
        else contextvars.ContextVar(name)
    )


def pack(answer):
    """Return (bytes, {filename: source text}) for `answer`; raises Unsendable."""
    data = io.BytesIO()
    packer = Packer(data)
    try:
        packer.dump(answer)
    except RecursionError:
        raise Unsendable(None, answer, "it is nested too deeply") from None
    except Exception as error:
        name, thing = culprit(answer)
        raise Unsendable(name, thing, f"{type(error).__name__}: {error}") from None
    filenames = packer.filenames | ({place_of(answer)[0]} - {None})
    texts = {name: "".join(linecache.getlines(name)) for name in filenames if not_a_library(name)}
    return data.getvalue(), {name: text for name, text in texts.items() if text}


def place_of(answer):
    """(filename, first line, last line) of the text of a function or a class; all None if it
    has none.

    A class of a notebook doesn't know its file; its methods do.
    """
    nothing = None, None, None
    try:
        thing = inspect.unwrap(answer) if callable(answer) else answer
    except ValueError:
        return nothing
    thing = thing.func if isinstance(thing, functools.partial) else thing
    if isinstance(thing, types.MethodType):
        thing = thing.__func__
    if isinstance(thing, types.FunctionType):
        try:
            lines, first = inspect.getsourcelines(thing)
            return thing.__code__.co_filename, first, first + len(lines) - 1
        except (OSError, TypeError, SyntaxError):
            return thing.__code__.co_filename, thing.__code__.co_firstlineno, None
    if isinstance(thing, type):
        for code in (
            part.__code__ for part in vars(thing).values() if isinstance(part, types.FunctionType)
        ):
            for node in nodes_of(code.co_filename):
                if (
                    isinstance(node, ast.ClassDef)
                    and node.name == thing.__name__
                    and node.lineno <= code.co_firstlineno <= node.end_lineno
                ):
                    return code.co_filename, node.lineno, node.end_lineno
    return nothing


def text_of(answer):
    """The text of a function or a class as it stands in its cell, or None."""
    filename, first, last = place_of(answer)
    if last is None:
        return None
    return textwrap.dedent("".join(linecache.getlines(filename)[first - 1 : last]))


def nodes_of(filename):
    """All AST nodes of a cell or file; none if it doesn't parse. Lines of IPython magic are
    blanked.
    """
    text = re.sub(r"(?m)^\s*[%!].*$", "", "".join(linecache.getlines(filename)))
    try:
        return list(ast.walk(tree_of(text)))
    except (SyntaxError, ValueError, RecursionError):
        return []


def tree_of(text):
    """The syntax tree of a program's text; raises SyntaxError."""
    with unwarned():
        return ast.parse(text)


@contextlib.contextmanager
def unwarned():
    """Let Python compile without a SyntaxWarning, such as 3.14's of a `return` in a `finally`.

    A cell has told it to whoever wrote it, and a wrong program may be wrong in just that.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        yield


def not_a_library(filename):
    # A function that a decorator of the standard library returns goes along by value as well.
    return "site-packages" not in filename and not filename.startswith(("<frozen", STDLIB))


def culprit(answer, seen=None):
    """Find the global or closure variable that can't be packed: (name or None, thing)."""
    seen = set() if seen is None else seen
    function = inspect.unwrap(answer) if callable(answer) else answer
    if not isinstance(function, types.FunctionType) or id(function) in seen:
        return None, answer
    seen.add(id(function))
    found = inspect.getclosurevars(function)
    for name, thing in {**found.globals, **found.nonlocals}.items():
        try:
            cloudpickle.dumps(thing)
        except Exception:
            if isinstance(thing, (LOCK, RLOCK, contextvars.ContextVar)):
                continue
            inner_name, inner = culprit(thing, seen)
            return (inner_name, inner) if inner_name else (name, thing)
    return None, answer
