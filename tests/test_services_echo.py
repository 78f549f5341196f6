"""The echo servers: all kinds answer alike, and differ in whom they let wait."""

import contextlib
import importlib.util
import socket
import time

import psutil
import pytest

from helpers import services
from helpers.services import echo_server

LIMIT = 20  # seconds for one answer, on a machine that is very busy
KINDS = [kind for kind in services.ECHOES if not kind.startswith("published")]
OVERLAP = [kind for kind in KINDS if kind not in ("one at a time", "pool")]


def skip_without_uvloop(kind):
    if kind == "uvloop" and importlib.util.find_spec("uvloop") is None:
        pytest.skip("there is no uvloop for this system")


@contextlib.contextmanager
def client(server):
    with socket.create_connection(("127.0.0.1", server.port), LIMIT) as sock:
        sock.settimeout(LIMIT)
        yield sock


def until_the_end(sock):
    return b"".join(iter(lambda: sock.recv(65536), b""))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_answers_lines_alike(kind):
    skip_without_uvloop(kind)
    with services.echo(kind) as server:
        with client(server) as sock:
            sock.sendall(b"he")
            time.sleep(0.02)
            sock.sendall("llo\nstraße é\nlast".encode())
            sock.shutdown(socket.SHUT_WR)
            assert until_the_end(sock) == b"HELLO\nSTRA\xc3\x9fE \xc3\xa9\nLAST"
        with client(server) as sock, contextlib.suppress(ConnectionError):
            sock.sendall(b"x" * 3 * echo_server.LONGEST)
            assert until_the_end(sock) == b""
        with client(server) as sock:  # and it lives on
            sock.sendall(b"still here\n")
            assert sock.recv(100) == b"STILL HERE\n"


@pytest.mark.parametrize("kind", KINDS)
def test_the_lines_of_one_connection_wait_one_after_another(kind):
    skip_without_uvloop(kind)
    with services.echo(kind, delay=0.1) as server, client(server) as sock:
        begun = time.perf_counter()
        sock.sendall(b"a\nb\nc\n")
        sock.shutdown(socket.SHUT_WR)
        assert until_the_end(sock) == b"A\nB\nC\n"
        assert time.perf_counter() - begun >= 0.3


def seconds_of(server, number, message=b"x\n"):
    """How long so many clients wait that come together."""
    begun = time.perf_counter()
    with contextlib.ExitStack() as stack:
        socks = [stack.enter_context(client(server)) for _ in range(number)]
        for sock in socks:
            sock.sendall(message)
        for sock in socks:
            assert sock.recv(100).strip() == b"X"
            sock.close()  # so that the next one's turn can come
    return time.perf_counter() - begun


@pytest.mark.parametrize("kind", [*OVERLAP, "published, async"])
def test_clients_that_come_together_wait_together(kind):
    skip_without_uvloop(kind)
    with services.echo(kind, delay=0.2) as server:
        assert 0.2 <= seconds_of(server, 20) < 20 * 0.2


@pytest.mark.parametrize("kind", ["one at a time", "published, threaded"])
def test_one_at_a_time_serves_one_after_another(kind):
    with services.echo(kind, delay=0.1) as server:
        assert seconds_of(server, 5) >= 0.5


def test_a_pool_serves_as_many_as_it_has_threads():
    with services.echo("pool", delay=0.2, workers=2) as server:
        assert seconds_of(server, 4) >= 0.4


def test_the_published_two_answer_once_and_differ():
    with services.echo("published, threaded") as server, client(server) as sock:
        sock.sendall(" é ".encode()[:2])
        assert until_the_end(sock) == b"\xc3"
    with services.echo("published, async") as server, client(server) as sock:
        sock.sendall(" é ".encode()[:2])
        assert until_the_end(sock) == b""
    with services.echo("published, async") as server, client(server) as sock:
        sock.sendall(" é ".encode())
        assert until_the_end(sock) == " É ".encode()


@pytest.mark.parametrize("kind", KINDS)
def test_who_does_not_read_is_not_read_from_and_costs_little_memory(kind):
    skip_without_uvloop(kind)
    with services.echo(kind) as server, client(server) as sock:
        before = psutil.Process(server.pid).memory_info().rss
        sock.setblocking(False)
        lines, sent, still = b"x" * 999 + b"\n", 0, time.perf_counter() + 0.5
        while time.perf_counter() < still and sent < 60e6:
            with contextlib.suppress(BlockingIOError):
                sent += sock.send(lines * 100)
                still = time.perf_counter() + 0.5
            time.sleep(0.001)
        assert sent < 60e6
        assert psutil.Process(server.pid).memory_info().rss - before < 20e6


def test_it_is_gone_when_it_is_stopped():
    server = services.echo("threads")
    process = psutil.Process(server.pid)
    server.stop()
    assert not process.is_running()
    with pytest.raises(OSError), client(server):
        pass


@pytest.mark.parametrize(
    "wrong", [{"kind": "fast"}, {"delay": -1}, {"backlog": 0}, {"backlog": 2.5}, {"workers": True}]
)
def test_a_setting_out_of_range_is_told(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        services.echo(**wrong)
