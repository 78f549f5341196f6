"""Stage 5 of the course's event loop: what libraries ask of it, with real servers."""

import asyncio
import shutil
import socket
import ssl
import subprocess
import warnings

import pytest

from helpers.eventloop import run

pytestmark = pytest.mark.loop
both = pytest.mark.parametrize("start", [asyncio.run, run])


def test_aiohttps_client_asks_aiohttps_server_all_on_this_loop():
    import aiohttp
    from aiohttp import web

    async def echo(request):
        body = await request.read()
        return web.json_response({"path": request.path, "bytes": len(body)})

    async def talk(request):
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            await socket.send_str(message.data.upper())
        return socket

    async def file(request):
        return web.FileResponse(__file__)

    async def main():
        app = web.Application()
        app.add_routes(
            [web.post("/echo/{n}", echo), web.get("/talk", talk), web.get("/file", file)]
        )
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        async with aiohttp.ClientSession(f"http://localhost:{port}") as session:

            async def ask(n):
                async with session.post(f"/echo/{n}", data=bytes(40_000 * n)) as answer:
                    return await answer.json()

            answers = await asyncio.gather(*(ask(n) for n in range(20)))
            async with session.ws_connect("/talk") as talking:
                await talking.send_str("hello")
                said = await talking.receive_str()
            async with session.get("/file") as answer:
                size = len(await answer.read())
        with pytest.raises(aiohttp.ClientConnectorError):
            with socket.create_server(("127.0.0.1", 0)) as listener:
                nobody = listener.getsockname()[1]
            async with aiohttp.request("GET", f"http://127.0.0.1:{nobody}"):
                pass
        await runner.cleanup()
        return answers, said, size

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers, said, size = run(main())
    assert answers == [{"path": f"/echo/{n}", "bytes": 40_000 * n} for n in range(20)]
    assert said == "HELLO" and size > 1000


@pytest.fixture(scope="module")
def contexts(tmp_path_factory):
    """TLS for a server with a certificate of its own, and for a client that trusts it."""
    if not (openssl := shutil.which("openssl")):
        pytest.skip("there is no openssl here to make a certificate")
    key, certificate = (str(tmp_path_factory.mktemp("tls") / name) for name in ("key", "cert"))
    ask = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".split()
    more = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run(
        [openssl, *ask, *more, "-keyout", key, "-out", certificate], check=True, capture_output=True
    )
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(certificate, key)
    return server, ssl.create_default_context(cafile=certificate)


async def shout(reader, writer):
    while line := await reader.readline():
        writer.write(line.upper())
        await writer.drain()
    writer.close()


@both
def test_streams_are_encrypted(start, contexts):
    async def main():
        server = await asyncio.start_server(shout, "127.0.0.1", 0, ssl=contexts[0])
        address = server.sockets[0].getsockname()
        reader, writer = await asyncio.open_connection(*address, ssl=contexts[1])
        line = b"x" * 60_000 + b"\n"
        for _ in range(5):
            writer.write(line)
            assert await reader.readline() == line.upper()
        writer.close()
        await writer.wait_closed()
        with pytest.raises(ssl.SSLCertVerificationError):
            await asyncio.open_connection(*address, ssl=ssl.create_default_context())
        server.close()
        return writer.get_extra_info("cipher") is not None

    assert start(main())


@both
def test_a_connection_is_encrypted_from_a_point_on(start, contexts):
    async def upgrade(reader, writer):
        writer.write((await reader.readline()).upper())
        await writer.start_tls(contexts[0])
        await shout(reader, writer)

    async def main():
        server = await asyncio.start_server(upgrade, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"plain\n")
        said = [await reader.readline()]
        await writer.start_tls(contexts[1], server_hostname="localhost")
        writer.write(b"secret\n")
        said.append(await reader.readline())
        writer.close()
        server.close()
        return said

    assert start(main()) == [b"PLAIN\n", b"SECRET\n"]


@both
def test_tls_is_not_for_everything(start):
    async def main():
        loop = asyncio.get_running_loop()
        with pytest.raises(TypeError, match="sslcontext is expected"):
            await loop.start_tls(None, None, None)
        with pytest.raises(TypeError, match=r"not supported by start_tls\(\)"):
            await loop.start_tls(asyncio.Transport(), None, ssl.create_default_context())
        with socket.socket() as sock:
            sock.setblocking(False)
            with ssl.create_default_context().wrap_socket(
                sock, server_hostname="x", do_handshake_on_connect=False
            ) as wrapped:
                with pytest.raises(TypeError, match="cannot be of type SSLSocket"):
                    await loop.sock_recv(wrapped, 1)

    start(main())


@both
def test_bare_sockets_talk_to_one_another(start):
    async def serve(loop, listener):
        sock, _ = await loop.sock_accept(listener)
        with sock:
            while data := await loop.sock_recv(sock, 1000):
                await loop.sock_sendall(sock, data.upper())

    async def main():
        loop = asyncio.get_running_loop()
        with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as sock:
            listener.setblocking(False)
            sock.setblocking(False)
            serving = asyncio.create_task(serve(loop, listener))
            await loop.sock_connect(sock, ("localhost", listener.getsockname()[1]))
            data, got = b"x" * 2_000_000, bytearray()
            sending = asyncio.create_task(loop.sock_sendall(sock, data))
            buffer = bytearray(70_000)
            while len(got) < len(data):
                size = await loop.sock_recv_into(sock, buffer)
                got += buffer[:size]
            await sending
            sock.shutdown(socket.SHUT_WR)
            assert await loop.sock_recv(sock, 10) == b""
            await serving
        return got == data.upper()

    assert start(main())


@both
def test_who_no_longer_waits_for_a_socket_leaves_nothing_behind(start):
    async def main():
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.setblocking(False)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await loop.sock_recv(ours, 10)
            watched = loop.remove_reader(ours)
            first = asyncio.create_task(loop.sock_recv(ours, 10))
            await asyncio.sleep(0)
            first.cancel()
            second = asyncio.create_task(loop.sock_recv(ours, 10))  # not the first one's to end
            await asyncio.sleep(0.01)
            theirs.send(b"x")
            return watched, await second

    assert start(main()) == (False, b"x")


@both
def test_a_connection_to_nobody_says_so(start):
    async def main():
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = listener.getsockname()
        with socket.socket() as sock:
            sock.setblocking(False)
            with pytest.raises(ConnectionRefusedError, match=str(address[1])):
                await asyncio.get_running_loop().sock_connect(sock, address)

    start(main())


@both
def test_addresses_have_names_and_names_have_addresses(start):
    async def main():
        loop = asyncio.get_running_loop()
        flags = socket.NI_NUMERICHOST | socket.NI_NUMERICSERV
        assert await loop.getnameinfo(("127.0.0.1", 80), flags) == ("127.0.0.1", "80")
        found = await loop.getaddrinfo("127.0.0.1", 80, type=socket.SOCK_STREAM)
        assert [info[4] for info in found] == [("127.0.0.1", 80)]

    start(main())
