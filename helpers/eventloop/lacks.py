"""Stage 5, what it has not: each of these methods says so, and what to use instead."""

ASYNCIO = "asyncio's own loop, by asyncio.run"


def lacking(name, lacks, instead):
    """Return the method of this name, which says what the loop lacks."""

    async def method(self, *args, **options):
        raise NotImplementedError(f"{name}: this loop {lacks}. Use {instead}.")

    method.__name__ = name
    return method


class Lacks:
    """The methods of `asyncio.AbstractEventLoop` that this loop has in name only."""


for lacks, instead, names in (
    (
        "has no Unix sockets",
        f"TCP on 127.0.0.1, or {ASYNCIO}",
        ["create_unix_connection", "create_unix_server"],
    ),
    (
        "has no datagrams",
        ASYNCIO,
        ["create_datagram_endpoint", "sock_recvfrom", "sock_recvfrom_into", "sock_sendto"],
    ),
    (
        "starts no processes",
        f"subprocess.run in asyncio.to_thread, or {ASYNCIO}",
        ["subprocess_exec", "subprocess_shell"],
    ),
    (
        "has no pipes",
        f"add_reader and add_writer, or {ASYNCIO}",
        ["connect_read_pipe", "connect_write_pipe"],
    ),
    (
        "sends no file as a whole",
        "write or sock_sendall, a part at a time",
        ["sendfile", "sock_sendfile"],
    ),
):
    for name in names:
        setattr(Lacks, name, lacking(name, lacks, instead))
