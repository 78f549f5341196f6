"""Packs a learner's answer to be sent to the judge: by value, with the text of the cells it
came from.

The text goes along so that tracebacks, `inspect` and the coach's messages show the learner's
own lines.
"""

import contextvars
import functools
import inspect
import io
import linecache
import os
import struct
import threading
import types
import weakref
from collections.abc import Callable

import cloudpickle

from helpers.coach.form.text import place_of


class Unsendable(Exception):
    """The answer refers to something that can't leave the notebook.

    name: of the global or closure variable that holds it, or None. type: the name of its type.
    """

    def __init__(self, name: str | None, thing: object, reason: str):
        super().__init__(reason)
        self.name = name
        self.type = type(thing).__name__
        self.reason = reason


class Packer(cloudpickle.CloudPickler):
    """A cloudpickle that copies locks, formats, context variables, and caches and what holds others
    weakly, these without what is in them; it notes the cells it met.
    """

    def __init__(self, file: io.BytesIO):
        super().__init__(file)
        self.filenames = set()

    def reducer_override(self, thing: object) -> object:
        if isinstance(thing, types.FunctionType):
            self.filenames.add(thing.__code__.co_filename)
        elif isinstance(thing, LOCK):
            return threading.Lock, ()
        elif isinstance(thing, RLOCK):
            return threading.RLock, ()
        elif isinstance(thing, struct.Struct):
            return struct.Struct, (thing.format,)
        elif isinstance(thing, contextvars.ContextVar):
            return new_context_variable, (thing.name, *default_of(thing))
        elif type(thing) in WEAK:
            return type(thing), ()
        elif isinstance(thing, CACHED) and thing.__module__ == "__main__":
            return new_cache, (thing.__wrapped__, thing.cache_parameters())
        return super().reducer_override(thing)


CACHED = type(functools.cache(len))
LOCK = type(threading.Lock())
RLOCK = type(threading.RLock())
WEAK = (weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet)
MISSING = object()
STDLIB = os.path.dirname(os.__file__) + os.sep


def default_of(variable: contextvars.ContextVar) -> tuple:
    """The default of a ContextVar as a tuple of one, or an empty tuple: an empty context
    shows it.
    """
    value = contextvars.Context().run(variable.get, MISSING)
    try:
        return (contextvars.Context().run(variable.get),) if value is MISSING else (value,)
    except LookupError:
        return ()


def new_context_variable(name: str, *default: object) -> contextvars.ContextVar:
    """A ContextVar of this name, with a default if one is given: what one becomes on its way."""
    return (
        contextvars.ContextVar(name, default=default[0])
        if default
        else contextvars.ContextVar(name)
    )


def new_cache(function: Callable, parameters: dict[str, object]) -> Callable:
    """A function with an empty `functools.lru_cache` of these parameters."""
    return functools.lru_cache(**parameters)(function)


def pack(answer: object) -> tuple[bytes, dict[str, str]]:
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


def not_a_library(filename: str) -> bool:
    """Whether a file is the learner's, so that its text has to go along."""
    # A function that a decorator of the standard library returns goes along by value as well.
    return "site-packages" not in filename and not filename.startswith(("<frozen", STDLIB))


def culprit(answer: object, seen: set[int] | None = None) -> tuple[str | None, object]:
    """Find the global or closure variable that can't be packed: (name or None, thing).

    seen: ids of the functions that were looked into on the way here.
    """
    seen = set() if seen is None else seen
    function = inspect.unwrap(answer) if callable(answer) else answer
    if not isinstance(function, types.FunctionType) or id(function) in seen:
        return None, answer
    seen.add(id(function))
    found = inspect.getclosurevars(function)
    for name, thing in {**found.globals, **found.nonlocals}.items():
        try:
            Packer(io.BytesIO()).dump(thing)
        except Exception:
            inner_name, inner = culprit(thing, seen)
            return (inner_name, inner) if inner_name else (name, thing)
    return None, answer
