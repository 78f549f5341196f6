"""The public site in place of the local one, for who wants to ask it."""

import os

from .service import Service

VARIABLE = "COURSE_CATALOGUE_URL"
PATIENCE = 5.0  # seconds


def address(service: Service) -> str:
    """Where a lesson asks: the local ``service``, or the address that ``COURSE_CATALOGUE_URL`` has.

    The address is that of a site of PokéAPI's shape, without its path. Where there is no way to it,
    this says so in a sentence and returns the local address: a lesson goes on without a network.
    """
    url = os.environ.get(VARIABLE, "").rstrip("/")
    if not url:
        return service.url
    import httpx  # here, for who asks the local server shall not wait for it

    try:
        httpx.get(f"{url}/api/v2/pokemon/?limit=1", timeout=PATIENCE)
    except (httpx.TransportError, httpx.InvalidURL) as error:
        why = type(error).__name__
        print(f"No way to {url} ({why}): is there a network? The local server answers instead.")
        return service.url
    return url
