"""The web servers that lesson 18 starts: each serves what it should, as its users know it."""

import asyncio
import os
import subprocess
import sys
import textwrap
import time

import httpx
import psutil
import pytest

from helpers import services
from helpers.basics.project import PROJECT
from helpers.measuring.load import load

KINDS = [("development", None), ("development", 1), ("waitress", None), ("waitress", 20),
         ("uvicorn", None)]  # fmt: skip


def flask_app():
    """Waits and fails as told, in threads."""
    import threading
    import time

    from flask import Flask

    app = Flask("test")

    @app.get("/")
    def hello():
        return "hello"

    @app.get("/wait/<float:seconds>")
    def wait(seconds):
        time.sleep(seconds)
        return f"{threading.active_count()}"

    @app.get("/nothing")
    def nothing():
        pass

    @app.get("/fails")
    def fails():
        raise ZeroDivisionError

    return app


def fastapi_app():
    """The same, with await and with a lifespan."""
    import asyncio
    from contextlib import asynccontextmanager

    from fastapi import FastAPI
    from fastapi.responses import PlainTextResponse

    begun = []

    @asynccontextmanager
    async def lifespan(app):
        begun.append("begun")
        yield

    app = FastAPI(lifespan=lifespan, default_response_class=PlainTextResponse)

    @app.get("/")
    async def hello():
        return "hello"

    @app.get("/wait/{seconds}")
    async def wait(seconds: float):
        await asyncio.sleep(seconds)
        return "waited"

    @app.get("/begun")
    async def has_begun():
        return " ".join(begun)

    @app.get("/fails")
    async def fails():
        raise ZeroDivisionError

    return app


def wsgi_app(environ, start_response):
    """No framework at all."""
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"by ", b"hand"]


async def asgi_app(scope, receive, send):
    """No framework and no lifespan."""
    assert scope["type"] == "http"
    headers = [(b"content-type", b"text/plain")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"by hand"})


def app_for(server):
    return fastapi_app if server == "uvicorn" else flask_app


@pytest.fixture(scope="module")
def running():
    """Each server once, by (server, threads)."""
    started = {kind: services.web(app_for(kind[0]), *kind) for kind in KINDS}
    yield started
    for service in started.values():
        service.stop()


each = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind)))


@each
def test_a_page_and_what_is_none_and_what_fails(running, kind):
    url = running[kind].url
    assert url.startswith("http://127.0.0.1:")
    assert httpx.get(url).text == "hello"
    assert httpx.get(f"{url}/missing").status_code == 404
    assert httpx.get(f"{url}/fails").status_code == 500
    assert httpx.get(url).text == "hello"


@each
def test_it_is_the_server_that_was_asked_for(running, kind):
    said = httpx.get(running[kind].url).headers["server"].lower()
    assert {"development": "werkzeug", "waitress": "waitress", "uvicorn": "uvicorn"}[
        kind[0]
    ] in said


@each
def test_as_many_wait_at_once_as_it_has_threads(running, kind):
    server, threads = kind
    found = load(f"{running[kind].url}/wait/0.15", requests=8, clients=8, keep=False)
    assert found.answered == 8
    most = {"waitress": threads or 4, "development": threads or 100, "uvicorn": 100}[server]
    log = [asked for asked in running[kind].log() if asked.path.endswith("/wait/0.15")]
    assert services.peak(log) == min(8, most)


@each
def test_the_log_tells_what_was_asked_and_answered(running, kind):
    service = running[kind]
    before = len(service.log())
    start = time.perf_counter()
    with httpx.Client(base_url=service.url) as client:
        client.get("/?page=1")
        client.get("/missing")
    log = service.log()[before:]
    assert [(asked.path, asked.status) for asked in log] == [("/?page=1", 200), ("/missing", 404)]
    times = [moment for asked in log for moment in (asked.arrived, asked.answered)]
    in_order = [start, *times, time.perf_counter()]
    assert in_order == sorted(in_order)


def test_a_kept_connection_has_one_number_and_costs_no_pause(running):
    service = running["uvicorn", None]
    before = len(service.log())
    found = load(service.url, requests=60)
    log = service.log()[before:]
    assert len(log) == 60 and len({asked.connection for asked in log}) == 1
    assert found.p50 < 0.03  # 44 ms where small packets wait for one another


def test_a_view_that_returns_nothing_is_500(running):
    for kind in [("development", None), ("waitress", None)]:
        found = load(f"{running[kind].url}/nothing", requests=5, clients=5)
        assert found.errors == {"500": 5} and found.answered == 0


def test_a_client_that_gave_up_is_worked_for_all_the_same(running):
    service = running["development", 1]
    before = len(service.log())
    found = load(f"{service.url}/wait/0.2", requests=5, clients=5, timeout=0.5)
    assert found.answered == 2 and found.errors == {"timeout": 3}
    deadline = time.monotonic() + 10
    while len(log := service.log()[before:]) < 5 or any(asked.status is None for asked in log):
        assert time.monotonic() < deadline, log
        time.sleep(0.05)
    assert [asked.status for asked in log] == [200] * 5 and services.peak(log) == 1


def test_fastapi_begins_with_its_lifespan(running):
    assert httpx.get(running["uvicorn", None].url + "/begun").text == "begun"


def test_applications_by_hand_are_taken_too():
    def of_a_notebook(environ, start_response):
        start_response("200 OK", [])
        return [environ["PATH_INFO"].encode() + secret]

    secret = b" and what it uses"
    with services.web(wsgi_app, "waitress") as one, services.web(asgi_app, "uvicorn") as other:
        assert httpx.get(one.url).text == httpx.get(other.url).text == "by hand"
        assert httpx.get(one.url).headers["content-type"] == "text/plain"
    with services.web(of_a_notebook, "development") as third:
        assert httpx.get(third.url + "/page").text == "/page and what it uses"


def test_the_instant_server_answers_everybody():
    with services.instant() as service:
        assert httpx.get(service.url + "/whatever").text == "ok"
        assert load(service.url, requests=500, clients=100).answered == 500


def test_instant_takes_a_request_in_pieces():
    async def main(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for piece in (
            b"GET / HT",
            b"TP/1.1\r\nHost: x\r\n\r",
            b"\n",
            b"GET / HTTP/1.1\r",
            b"\n\r\n",
        ):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.03)
        writer.write_eof()
        answers = await reader.read()
        writer.close()
        return answers.count(b"200 OK")

    with services.instant() as service:
        assert asyncio.run(main(service.port)) == 2


@pytest.mark.parametrize(
    "app, server, threads, says",
    [
        (flask_app, "gunicorn", None, "server must be one of development, waitress, uvicorn"),
        ("flask_app", "waitress", None, "app must be an application"),
        (fastapi_app, "uvicorn", 4, "leave out threads"),
        (flask_app, "development", 4, "has one thread"),
        (flask_app, "waitress", 0, "threads must be a whole number"),
    ],
)
def test_settings_that_do_not_fit_are_refused(app, server, threads, says):
    with pytest.raises(ValueError, match=says):
        services.web(app, server, threads)


@pytest.mark.parametrize(
    "app, server, says",
    [
        (wsgi_app, "uvicorn", "is a WSGI application, and uvicorn serves ASGI"),
        (fastapi_app, "waitress", "is an ASGI application, and waitress serves WSGI"),
    ],
)
def test_an_application_of_the_other_kind_is_told_so(app, server, says):
    with pytest.raises(RuntimeError, match=says):
        services.web(app, server)


def no_startup():
    """An application whose startup fails."""
    from contextlib import asynccontextmanager

    from fastapi import FastAPI

    @asynccontextmanager
    async def lifespan(app):
        raise OSError("no database")
        yield

    return FastAPI(lifespan=lifespan)


def test_a_startup_that_fails_is_told():
    with pytest.raises(RuntimeError, match="no database"):
        services.web(no_startup, "uvicorn")


@pytest.mark.skipif(os.name != "posix", reason="SIGINT for a whole group and kill -9 are POSIX")
@pytest.mark.parametrize("kind", [("waitress", None), ("uvicorn", None)], ids=lambda kind: kind[0])
def test_it_survives_the_stop_button_and_ends_with_its_parent(kind):
    program = textwrap.dedent(f"""
        from tests.test_services_web import app_for
        from helpers import services
        service = services.web(app_for({kind[0]!r}), *{kind!r})
        print(service.pid, service.url, flush=True)
        input()
    """)
    parent = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=PROJECT,
    )
    pid, url = parent.stdout.readline().split()
    child = psutil.Process(int(pid))
    child.send_signal(2)
    time.sleep(0.3)
    assert httpx.get(url).text == "hello"
    parent.kill()
    parent.wait()
    parent.stdin.close()
    parent.stdout.close()
    child.wait(timeout=15)
