"""What a waiting crowd costs is measured in processes that are gone afterwards."""

import os
import socket
import subprocess
import sys

import psutil
import pytest

from helpers import services
from helpers.basics.project import PROJECT
from helpers.measuring import clients, crowd
from helpers.services import open_files, service
from tests.readable import cut_or_covered


@pytest.fixture(autouse=True)
def a_quiet_machine(monkeypatch):
    monkeypatch.setattr(psutil, "getloadavg", lambda: (0, 0, 0))


def test_both_ways_serve_all_and_nothing_is_left():
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    found = crowd.crowd(200)
    assert found.connections == {"one loop": 200, "threads": 200}
    assert found.memory["threads"] > 3 * found.memory["one loop"] > 0
    assert all(
        seconds > 0
        for way in crowd.WAYS
        for seconds in (found.start[way], found.round[way], found.alone[way])
    )
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before
    shown = found._repr_mimebundle_()
    assert shown["text/plain"] == found.text == repr(found)
    assert 'alt="Two rows of bars' in shown["text/html"]
    assert cut_or_covered(found.figure()) == ([], [])
    assert "allows no more" not in found.text


def test_what_a_thing_weighs_is_in_order():
    each = crowd.memory_each()
    assert 0 < each["generator"] < each["coroutine"] < each["sleeping task, asyncio's"]
    assert each["sleeping task, ours"] < each["thread"] / 4


@pytest.mark.skipif(open_files.resource is None, reason="Windows has no such limit")
def test_fewer_open_files_give_fewer_connections_and_that_is_told():
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (250, 250)); "
        "from helpers.measuring.crowd import crowd; print(crowd(1000))"
    )
    text = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PROJECT
    ).stdout
    assert "one loop: 100 connections" in text
    assert "one loop: this system allows no more than 100, not 1,000." in text


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can limit that")
def test_threads_run_out_of_addresses_first():
    fits = crowd.how_many_fit(tasks=20_000, threads=300)
    assert fits["task"] == 20_000
    assert 0 < fits["thread"] < 200


def test_what_fails_in_the_other_process_is_told():
    with pytest.raises(RuntimeError, match="weigh nothing 1 failed"):
        crowd._measure("weigh", "nothing", 1)


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX")
def test_a_measurement_ends_when_its_parent_is_killed():
    silent = socket.create_server(("127.0.0.1", 0))
    port = silent.getsockname()[1]
    code = f"from helpers.measuring import crowd; crowd._measure('ask', {port}, 0, 1)"
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=PROJECT)
    asking, _ = silent.accept()
    [child] = psutil.Process(parent.pid).children()
    parent.kill()
    parent.wait()
    _, left = psutil.wait_procs([child], timeout=10)
    asking.close()
    silent.close()
    for process in left:
        process.kill()
    assert not left


def test_clients_whom_nobody_answers_have_no_times_rather_than_nan():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    [found] = crowd._measure("ask", port, 0.1, 3)
    assert found == {"connections": 0, "failed": 3, "rate": 0.0, "p50": 0.0, "p99": 0.0} | {
        "start": found["start"]
    }


@pytest.mark.parametrize("kind", ["threads", "streams"])
def test_all_clients_of_a_server_are_answered_again_and_again(kind):
    with services.echo(kind) as server:
        for number, found in zip((1, 50), crowd.rush(server, 1, 50, seconds=0.2), strict=True):
            assert (found.connections, found.failed) == (number, 0)
            assert found.rate > 100 and 0 < found.p50 <= found.p99 and found.start > 0
        [once] = crowd.rush(server, 50, seconds=0)
        assert (once.connections, once.rate) == (50, 0)


def test_a_slow_server_shows_in_the_times_of_its_clients():
    with services.echo("streams", delay=0.1) as server:
        [found] = crowd.rush(server, 5, seconds=0.3)
    assert found.start >= 0.1 and 0.1 <= found.p50 <= found.p99


def test_clients_that_are_not_served_count_as_failed():
    with services.echo("published, threaded") as server:  # its answer lacks the line's end
        [found] = crowd.rush(server, 5)
    assert (found.connections, found.failed, found.rate) == (0, 5, 0)


def test_a_server_that_answers_once_and_closes_has_answered_once():
    with services.echo("published, async") as server:
        [found] = crowd.rush(server, 5)
    assert (found.connections, found.rate) == (5, 0)


def test_before_a_narrow_door_clients_come_in_waves(monkeypatch):
    monkeypatch.setattr(clients, "door", lambda: 10)
    with services.echo("streams", delay=0.05) as server:
        asking = clients.Clients((service.HOST, server.port), clients.Line(), patience=20)
        took = asking.at_once(35)
        asking.close()
    assert len(asking.latencies) == 35 and took > 4 * 0.05


def test_a_thread_for_each_connection_takes_more_memory_than_a_protocol():
    each = {}
    for kind in ("threads", "protocol"):
        with services.echo(kind) as server:
            found = crowd.hold(server, 500, steps=2)
        assert [number for number, _ in found.points] == [50, 500]
        assert found.points[0][1] < found.points[1][1] and found.failed == 0
        each[kind] = found.each
    assert each["threads"] > 2 * each["protocol"] > 0


@pytest.mark.skipif(open_files.resource is None, reason="Windows has no such limit")
def test_fewer_open_files_give_fewer_clients():
    code = (
        "import psutil, resource; from helpers import services\n"
        "from helpers.measuring import crowd\n"
        "psutil.getloadavg = lambda: (0, 0, 0)\n"
        "with services.echo() as server:\n"
        "    resource.setrlimit(resource.RLIMIT_NOFILE, (150, 150))\n"
        "    print(crowd.rush(server, 1000, seconds=0)[0].connections)\n"
        "    print(crowd.hold(server, 1000).points[-1][0])\n"
    )
    text = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PROJECT
    ).stdout
    assert text.split() == ["100", "100"]


@pytest.mark.parametrize("load, fits", [(0.5, 10_000), (8, 5000), (20, 2000), (30, 1000)])
def test_a_busy_machine_has_fewer_clients_and_says_so(load, fits, monkeypatch, capsys):
    monkeypatch.setattr(psutil, "cpu_count", lambda: 2)
    monkeypatch.setattr(psutil, "getloadavg", lambda: (2 * load, 0, 0))
    assert crowd.fitting(10_000) == fits and crowd.fitting(30) == 30
    said = f"{load} programs share each processor: {fits:,} clients instead of 10,000\n"
    assert capsys.readouterr().out == ("" if fits == 10_000 else said)


def test_a_busy_machine_is_asked_with_fewer(monkeypatch):
    monkeypatch.setattr(crowd, "fitting", lambda clients, fewest=1: min(clients, 20))
    with services.echo("streams") as server:
        assert [one.connections for one in crowd.rush(server, 5, 50, 90, seconds=0)] == [5, 20]
        assert [at for at, _ in crowd.hold(server, 500, steps=2).points][-1] == 20
