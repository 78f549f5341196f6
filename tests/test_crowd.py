"""What a waiting crowd costs is measured in processes that are gone afterwards."""

import subprocess
import sys

import psutil
import pytest

from helpers import crowd


def test_both_ways_serve_all_and_nothing_is_left():
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    found = crowd.crowd(200)
    assert found.connections == {"one loop": 200, "threads": 200}
    assert found.memory["threads"] > 3 * found.memory["one loop"] > 0
    assert all(seconds > 0 for way in crowd.WAYS
               for seconds in (found.start[way], found.round[way], found.alone[way]))
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before
    shown = found._repr_mimebundle_()
    assert shown["text/plain"] == found.text == repr(found)
    assert 'alt="Two rows of bars' in shown["text/html"]
    assert "allows no more" not in found.text


def test_what_a_thing_weighs_is_in_order():
    each = crowd.memory_each()
    assert 0 < each["generator"] < each["coroutine"] < each["sleeping task, asyncio's"]
    assert each["sleeping task, ours"] < each["thread"] / 4


@pytest.mark.skipif(crowd.resource is None, reason="Windows has no such limit")
def test_fewer_open_files_give_fewer_connections_and_that_is_told():
    code = ("import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (250, 250)); "
            "from helpers.crowd import crowd; print(crowd(1000))")
    text = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          check=True, cwd=crowd.PROJECT).stdout
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
