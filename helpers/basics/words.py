"""Numbers and lists as a sentence has them: "a, b and c", "3 tasks", "40 ms"."""

from collections.abc import Iterable


def listed(words: Iterable[str], joiner: str = "and") -> str:
    """["a", "b", "c"] → "a, b and c"."""
    words = list(words)
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {joiner} {words[-1]}"


def count(number: int, noun: str) -> str:
    """A number with its noun: "1 task", "3 tasks"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def article(noun: str) -> str:
    """A noun with its article: "a list", "an event"."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def number(value: float) -> str:
    """Three significant digits: "4.90", "41.2", "0.953", "1070"."""
    return f"{value:.0f}" if value >= 100 else f"{value:#.3g}".rstrip(".")


def duration(seconds: float) -> str:
    """A measured time in the unit that suits it, three digits: "2.50 s", "41.2 ms", "120 µs"."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{number(seconds / size)} {unit}"
    return f"{number(seconds / 1e-6)} µs"


def seconds(value: float) -> str:
    """A time that somebody set, on whatever clock, always in seconds: "3 s", "0.25 s"."""
    return f"{value:.3g} s" if value < 1000 else f"{value:,.0f} s"


def moment(seconds: float) -> str:
    """A time on the axis of a recording: "12.34 s", "40 ms", "120 µs".

    Hundredths of a second however late: `duration`, with three digits in all, would make one
    moment of 12.31 s and 12.34 s, and the order of what happened would be lost.
    """
    if seconds >= 0.9995:
        return f"{seconds:.2f} s"
    if seconds >= 0.0000995:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds * 1e6:.0f} µs"


def exact_moment(seconds: float, *, in_ms: bool = False) -> str:
    """A time among many in a list, step by step: "12.000 s", or "12.000 ms" below a second.

    Three decimals always: the steps of a loop follow each other closely, and one under another
    their digits line up.
    """
    return f"{seconds * 1e3:.3f} ms" if in_ms and seconds < 1 else f"{seconds:.3f} s"
