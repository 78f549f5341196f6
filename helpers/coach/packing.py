"""Packs a learner's answer to be sent to the judge: by value, with the text of the cells it came from.

The text goes along so that tracebacks, `inspect` and the coach's messages show the learner's own lines.
"""

import contextvars
import inspect
import io
import linecache
import threading
import types

import cloudpickle


class Unsendable(Exception):
    """The answer refers to something that can't leave the notebook. `name` is the global's name or None."""

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


def default_of(variable):
    """The default of a ContextVar as a tuple of one, or an empty tuple: an empty context shows it."""
    value = contextvars.Context().run(variable.get, MISSING)
    try:
        return (contextvars.Context().run(variable.get),) if value is MISSING else (value,)
    except LookupError:
        return ()


def new_context_variable(name, *default):
    return contextvars.ContextVar(name, default=default[0]) if default \
        else contextvars.ContextVar(name)


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
    filenames = packer.filenames | ({source_file(answer)} - {None})
    texts = {name: "".join(linecache.getlines(name)) for name in filenames if not_a_library(name)}
    return data.getvalue(), {name: text for name, text in texts.items() if text}


def source_file(answer):
    try:
        return inspect.getsourcefile(answer)
    except TypeError:
        return None


def not_a_library(filename):
    return "site-packages" not in filename and not filename.startswith("<frozen")


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
