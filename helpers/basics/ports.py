"""Ports of this machine."""

import socket


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on now, for what can't be told to choose its own."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]
