"""How many requests a second the local server answers."""

from helpers.measuring.clients import Clients, Page
from helpers.services import catalogue

PATIENCE = 20.0  # seconds for one answer, on a machine that is very busy


def measure_rate(seconds: float = 1.0, connections: int = 50) -> float:
    """Answers a second from a fresh ``catalogue()``, asked without pause over ``connections``.

    The clients run in this thread, and cost far less than the server.
    """
    with catalogue() as service:
        page = Page(f"{service.url}/api/v2/pokemon/1")
        clients = Clients(page.address, page, PATIENCE)
        clients.at_once(connections)
        took = clients.again_and_again(seconds)
        clients.close()
    return len(clients.latencies) / took
