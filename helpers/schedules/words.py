"""What broke a program, in words."""

import traceback

from helpers.basics.places import is_library
from helpers.kernel.waiting import line_in_words

LONGEST = 200  # characters of an error's message


def error_in_words(error: BaseException) -> str:
    """An error and the learner's line that raised it; of a group, its first error."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    words = str(error)
    if len(words) > LONGEST:
        words = f"{words[: LONGEST - 1]}…"
    name = type(error).__name__
    said = f"{name}: {words}" if words else name
    theirs = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not is_library(frame.f_code.co_filename)
    ]
    return f"{said} ({line_in_words(*theirs[-1])})" if theirs else said
