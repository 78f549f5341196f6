"""Three guesses, one of each form."""

import helpers


def text():
    return helpers.guess("05-log", "Write down the log.")


def number(unit="s"):
    return helpers.guess("05-took", "How long does it take?", unit=unit)


def choice():
    return helpers.guess("05-first", "Who is first?", choices=["A", "B", "whoever was ready"])
