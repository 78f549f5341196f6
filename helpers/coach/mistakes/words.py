"""What an answer made, in the words of a message: values, errors and coroutines, however broken.

`brief` is not `basics.places.short`, which quotes values in recordings: here a function is called
by its name, as the learner knows it, and whatever a `repr` does, the verdict is given.
"""

from collections.abc import Sequence

from helpers.basics.words import listed


def brief(thing: object, most: int = 80) -> str:
    """A short repr that never fails: functions by name, long things cut (lists between two
    items), broken ones by type.

    most: characters. Raises MemoryError alone, which is a mistake of its own.
    """
    try:
        if callable(thing) and hasattr(thing, "__name__"):
            return str(thing.__name__)
        text = repr(thing)
        if not isinstance(text, str):
            raise TypeError
    except BaseException as error:
        if isinstance(error, MemoryError):
            raise
        return f"<{type(thing).__name__} whose repr fails>"
    if len(text) <= most:
        return text
    begin, comma, _ = text[: most - 4].rpartition(", ")
    if comma and isinstance(thing, (list, tuple, set, frozenset, dict)):
        return f"{begin}, …{text[-1]}"
    return text[: most - 2] + " …"


def error_text(error: BaseException) -> str:
    """The text of an error, also of one whose `str` fails."""
    try:
        return str(error)
    except BaseException:
        return "<its str fails>"


def error_words(error: BaseException) -> str:
    """The error's kind and text; without a full stop, for the sentence around it brings one."""
    text = error_text(error).removesuffix(".")
    text = text if len(text) <= 300 else text[:298] + " …"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def error_names(errors: Sequence[type[BaseException]]) -> str:
    """The names of errors, one of which was to come; groups go without saying."""
    alone = [error for error in errors if not issubclass(error, BaseExceptionGroup)]
    return listed([error.__name__ for error in alone or errors], "or")


def coroutine_name(coroutine: object) -> str:
    """The name of what was called to make a coroutine, or the type of what has no name."""
    return getattr(coroutine, "__name__", None) or type(coroutine).__name__
