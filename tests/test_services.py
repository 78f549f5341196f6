"""A service's log, its address, and its life: it starts, and nothing of it is left."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import psutil
import pytest
import requests

from helpers import services
from helpers.services import public
from helpers.services.service import Service
from tests.services_asked import (
    PROJECT,
    SEVEN,
    ask_at_once,
    ask_in_turn,
    assert_gone,
    is_gone,
    posix_only,
)

# Its log


def test_the_log_tells_who_asked_what_and_when():
    with services.catalogue(latency=0.2) as service:
        assert service.log() == []
        before = time.perf_counter()
        with httpx.Client(base_url=service.url) as client:
            client.get(f"{SEVEN}?x=1")
            client.get("/missing")
        after = time.perf_counter()
        httpx.get(f"{service.url}{SEVEN}")
        log = service.log()
    assert [(asked.path, asked.connection, asked.status) for asked in log] == [
        (f"{SEVEN}?x=1", 1, 200), ("/missing", 1, 404), (SEVEN, 2, 200),
    ]  # fmt: skip
    assert all(asked.answered - asked.arrived >= 0.2 for asked in log)
    # One clock for both processes.
    assert before < log[0].arrived < log[0].answered < log[1].arrived < log[1].answered < after


def test_the_log_shows_what_is_still_under_way():
    with services.catalogue(latency=0.5) as service:
        asking = threading.Thread(target=ask_in_turn, args=(service, SEVEN, 1))
        asking.start()
        deadline = time.monotonic() + 10
        while not service.log() and time.monotonic() < deadline:
            time.sleep(0.02)
        [asked] = service.log()
        assert asked.answered is None and asked.status is None
        asking.join()
        [asked] = service.log()
        assert asked.status == 200


def test_a_log_may_be_long_and_be_asked_for_by_many_threads():
    with services.catalogue() as service:
        ask_in_turn(service, SEVEN, 500)
        with ThreadPoolExecutor(8) as pool:
            logs = list(pool.map(lambda _: service.log(), range(16)))
    assert [len(log) for log in logs] == [500] * 16


def test_the_log_is_gone_with_its_server():
    service = services.catalogue()
    psutil.Process(service.pid).kill()
    assert_gone(service.pid, service.port)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="is stopped, and its log is gone with it"):
            service.log()
        service.stop()


def test_the_peak_is_counted_from_a_log():
    def asked(arrived, answered):
        return services.Asked(SEVEN, 1, arrived, answered, 200)

    assert services.peak([]) == 0
    assert services.peak([asked(0, 1), asked(1, 2)]) == 1
    assert services.peak([asked(0, 3), asked(1, 2), asked(2, 3)]) == 2
    assert services.peak([asked(0, None), asked(1, 2), asked(3, 4)]) == 2
    with services.catalogue(latency=0.3, limit_per_client=3) as service:
        ask_at_once(service.url, [SEVEN] * 6)
        assert service.peak() == 6  # three wait for their turn


# Another in its place


def test_a_lesson_asks_the_local_server_unless_told_otherwise(monkeypatch, capsys):
    with services.catalogue() as local, services.catalogue() as other:
        monkeypatch.delenv(public.VARIABLE, raising=False)
        assert public.address(local) == local.url
        assert other.log() == []
        monkeypatch.setenv(public.VARIABLE, f"{other.url}/")
        assert public.address(local) == other.url
        assert capsys.readouterr().out == ""


@pytest.mark.parametrize("url, why", [("http://127.0.0.1:1", "ConnectError"),
                                      ("no address", "UnsupportedProtocol"),
                                      ("http://127.0.0.1:port", "InvalidURL")])  # fmt: skip
def test_without_a_way_there_it_says_so_in_a_sentence_and_stays_local(
    url, why, monkeypatch, capsys
):
    monkeypatch.setenv(public.VARIABLE, url)
    with services.catalogue() as local:
        assert public.address(local) == local.url
    assert capsys.readouterr().out == (
        f"No way to {url} ({why}): is there a network? The local server answers instead.\n"
    )


# Its life


def test_stopping_ends_process_and_port_and_may_be_repeated():
    service = services.catalogue()
    assert "running" in repr(service)
    assert not is_gone(service.pid, service.port)
    service.stop()
    assert is_gone(service.pid, service.port)
    service.stop()
    assert "stopped" in repr(service)


def test_two_at_once_on_different_ports():
    with services.catalogue() as one, services.catalogue(failure_rate=1) as other:
        assert one.port != other.port
        assert httpx.get(f"{one.url}/api/v2/pokemon/1").status_code == 200
        assert httpx.get(f"{other.url}/api/v2/pokemon/1").status_code == 503
        one.stop()
        assert httpx.get(f"{other.url}/api/v2/pokemon/1").status_code == 503


def test_a_proxy_of_the_environment_is_not_asked(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "example.org")
    monkeypatch.delenv("no_proxy", raising=False)
    with services.catalogue() as service:
        assert httpx.get(f"{service.url}/api/v2/pokemon/1").status_code == 200
        assert requests.get(f"{service.url}/api/v2/pokemon/1").status_code == 200
    assert os.environ["NO_PROXY"] == "example.org,127.0.0.1"


def test_it_listens_on_the_loopback_alone():
    with services.catalogue() as service:
        listening = [
            connection.laddr
            for connection in psutil.Process(service.pid).net_connections()
            if connection.status == psutil.CONN_LISTEN
        ]
    assert listening == [("127.0.0.1", service.port)]


def test_starting_inside_a_running_loop():
    async def main():
        with services.catalogue() as service:
            async with httpx.AsyncClient() as client:
                return (await client.get(f"{service.url}/api/v2/pokemon/1")).json()["name"]

    assert asyncio.run(main()) == "bulbasaur"


def test_a_module_that_a_learner_left_about_is_not_taken_for_the_library(tmp_path, monkeypatch):
    (tmp_path / "aiohttp.py").write_text("raise SystemExit('the wrong aiohttp')")
    monkeypatch.chdir(tmp_path)
    with services.catalogue() as service:
        assert httpx.get(f"{service.url}/api/v2/pokemon/1").status_code == 200


def test_failing_to_start_is_one_error_with_the_servers_words():
    with pytest.raises(RuntimeError, match="no_such_server did not start.*status 1") as caught:
        Service("helpers.services.no_such_server")
    assert "No module named helpers.services.no_such_server" in str(caught.value)


def test_a_server_that_stays_silent_is_given_up(tmp_path, monkeypatch):
    (tmp_path / "silent_server.py").write_text("import time; time.sleep(600)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr("helpers.services.service.START_LIMIT", 0.5)
    with pytest.raises(RuntimeError, match=r"(?s)silent_server did not start.*said nothing"):
        Service("silent_server")


def start_parent(tmp_path, lines):
    """Run lines in a Python of its own, after it started a service and asked it for an answer."""
    script = tmp_path / "parent.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, socket, sys, time
            from helpers import services
            service = services.catalogue(latency=60)
            asking = socket.create_connection(("127.0.0.1", service.port))
            asking.sendall(b"GET /api/v2/pokemon/1 HTTP/1.1\\r\\nHost: here\\r\\n\\r\\n")
            print(service.pid, service.port, flush=True)
            """
        )
        + textwrap.dedent(lines)
    )
    parent = subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
    )
    pid, port = map(int, parent.stdout.readline().split())
    assert not is_gone(pid, port)
    return parent, pid, port


@pytest.mark.parametrize("ending", ["", "sys.exit(3)", "raise ValueError"])
def test_it_goes_when_its_parent_ends(tmp_path, ending):
    parent, pid, port = start_parent(tmp_path, f"sys.stdin.read()\n{ending}")
    parent.communicate()
    assert_gone(pid, port)


@posix_only
def test_it_goes_when_its_parent_is_killed(tmp_path):
    parent, pid, port = start_parent(tmp_path, "time.sleep(600)")
    parent.kill()
    parent.communicate()
    assert_gone(pid, port)


@posix_only
def test_it_goes_when_its_parent_is_killed_though_a_fork_holds_the_pipe(tmp_path):
    parent, pid, port = start_parent(
        tmp_path,
        """
        forked = os.fork()
        if forked:
            print(forked, flush=True)
        time.sleep(600)
        """,
    )
    forked = int(parent.stdout.readline())
    try:
        parent.kill()
        parent.wait()
        assert_gone(pid, port)
        assert psutil.pid_exists(forked)
    finally:
        os.kill(forked, signal.SIGKILL)
        parent.communicate()


@posix_only
def test_it_stays_when_a_fork_of_its_parent_ends(tmp_path):
    parent, pid, port = start_parent(
        tmp_path,
        """
        forked = os.fork()
        if not forked:
            sys.exit()  # runs the exit handlers it inherited
        os.waitpid(forked, 0)
        print("over", flush=True)
        time.sleep(600)
        """,
    )
    assert parent.stdout.readline() == "over\n"
    time.sleep(0.2)
    assert not is_gone(pid, port)
    parent.kill()
    parent.communicate()
    assert_gone(pid, port)


@posix_only
def test_an_interrupt_leaves_it_running(tmp_path):
    with services.catalogue() as service:
        os.kill(service.pid, signal.SIGINT)
        time.sleep(0.2)
        assert httpx.get(f"{service.url}/api/v2/pokemon/1").status_code == 200


@posix_only
@pytest.mark.parametrize("how", ["kill -9", "restart"])
def test_it_goes_with_its_kernel(how):
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(kernel_name="python3", cwd=str(PROJECT))
    try:
        code = "from helpers import services\nservice = services.catalogue()"
        reply = client.execute_interactive(
            code, user_expressions={"it": "(service.pid, service.port)"}, timeout=60
        )["content"]
        assert reply["status"] == "ok", reply
        data = reply["user_expressions"]["it"]["data"]["text/plain"]
        pid, port = map(int, data.strip("()").split(","))
        assert not is_gone(pid, port)
        if how == "restart":
            manager.restart_kernel(now=True)
        else:
            os.kill(manager.provisioner.pid, signal.SIGKILL)
        assert_gone(pid, port)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
