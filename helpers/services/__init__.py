"""Local servers for the lessons to talk to: real HTTP over real sockets, on 127.0.0.1 alone.

Each service is a process of its own, so a lesson's event loop and its server never share a core's
time by accident, and a blocked loop in the notebook doesn't block the server.
"""

import math
from numbers import Real

from .process import Service

__all__ = ["Service", "catalogue"]


def catalogue(
    latency: float = 0.0,
    jitter: float = 0.0,
    failure_rate: float = 0.0,
    limit_per_client: int | None = None,
    seed: int = 0,
) -> Service:
    """Start a server of PokéAPI's shape and return it once it answers (about half a second).

    ``/api/v2/pokemon?limit=&offset=`` lists the 151 entries of the first generation, 20 a page
    unless told; ``/api/v2/pokemon/{id or name}`` gives one, with its height in decimetres and its
    weight in hectograms. Anything else is 404 with ``{"detail": "Not found."}``. (The public site
    sends the plain text "Not Found" today; the JSON is that of its documented framework.)

    Parameters:
        latency: seconds that each answer waits.
        jitter: up to this many seconds more, evenly spread.
        failure_rate: share of answers, 0 to 1, that are 503 with
            ``{"detail": "Service unavailable."}``. They wait as long as any other.
        limit_per_client: how many requests of one client are under way at once. More are not
            refused: they wait for their turn, first come, first served. A client is an address,
            as for a public site, so all requests of one notebook count together.
        seed: chooses the waits and the failures. The first request for a page always has the same
            outcome, so has the second, and so on, whatever else is asked for in between.

    The server runs until ``stop()``, the end of a ``with`` block, or the end of this process,
    however that ends. Raises ValueError for a setting out of range and RuntimeError, with what
    the server said, if it can't start.
    """
    _require_seconds("latency", latency)
    _require_seconds("jitter", jitter)
    if not _is_number(failure_rate) or not 0 <= failure_rate <= 1:
        raise ValueError(f"failure_rate must be a share between 0 and 1, not {failure_rate!r}.")
    if limit_per_client is not None and (not _is_whole(limit_per_client) or limit_per_client < 1):
        raise ValueError(
            "limit_per_client must be a whole number, 1 or more, or None, "
            f"not {limit_per_client!r}."
        )
    if not _is_whole(seed):
        raise ValueError(f"seed must be a whole number, not {seed!r}.")
    return Service(
        "helpers.services.catalogue_server",
        latency=latency,
        jitter=jitter,
        failure_rate=failure_rate,
        limit_per_client=limit_per_client,
        seed=seed,
    )


def _require_seconds(name: str, value: object) -> None:
    if not _is_number(value) or not 0 <= value < math.inf:
        raise ValueError(f"{name} must be a number of seconds, 0 or more, not {value!r}.")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
