"""What a server can be told: each of these raises ValueError, in a sentence, for what it can't."""

import math
from http import HTTPStatus
from numbers import Real

OUTCOMES = ("ok", "hang", "reset", "cut")


def require_seconds(name: str, value: object) -> None:
    """A time: 0 or more."""
    if not _is_number(value) or not 0 <= value < math.inf:
        raise ValueError(f"{name} must be a number of seconds, 0 or more, not {value!r}.")


def require_share(name: str, value: object) -> None:
    """A share: 0 to 1."""
    if not _is_number(value) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be a share between 0 and 1, not {value!r}.")


def require_count(name: str, value: object) -> None:
    """A limit: 1 or more, or None for none."""
    if value is not None and (not _is_whole(value) or value < 1):
        raise ValueError(f"{name} must be a whole number, 1 or more, or None, not {value!r}.")


def require_some(name: str, value: object) -> None:
    """A number of things of which there is one at least."""
    if not _is_whole(value) or value < 1:
        raise ValueError(f"{name} must be a whole number, 1 or more, not {value!r}.")


def require_whole(name: str, value: object) -> None:
    """A whole number, whatever its sign."""
    if not _is_whole(value):
        raise ValueError(f"{name} must be a whole number, not {value!r}.")


def require_rate(name: str, value: object) -> None:
    """So many a second: more than 0, or None for no limit."""
    if value is not None and not (_is_number(value) and 0 < value < math.inf):
        raise ValueError(f"{name} must be a number above 0, or None, not {value!r}.")


def require_script(script: object) -> None:
    """What becomes of each request for a page, as `services.catalogue` has it."""
    if script is None:
        return
    if not isinstance(script, dict):
        raise ValueError(f"script must be a dict from pages to lists of outcomes, not {script!r}.")
    for page, outcomes in script.items():
        if not isinstance(page, str) or not page.startswith("/"):
            raise ValueError(f"A page in script must be a path that begins with /, not {page!r}.")
        if not isinstance(outcomes, list | tuple):
            raise ValueError(f"script[{page!r}] must be a list of outcomes, not {outcomes!r}.")
        for outcome in outcomes:
            if not _is_outcome(outcome):
                raise ValueError(
                    f"An outcome in script[{page!r}] must be a status from 200 to 599, seconds "
                    f"with a decimal point, 'ok', 'hang', 'reset' or 'cut', not {outcome!r}."
                )


def _is_outcome(value: object) -> bool:
    if isinstance(value, float):
        return 0 <= value < math.inf
    if _is_whole(value):
        return value >= 200 and value in {status.value for status in HTTPStatus}
    return isinstance(value, str) and value in OUTCOMES


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
