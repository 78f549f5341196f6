"""The jobs that lessons hand to threads and processes, and that no worker outlives its parent."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.thread import BrokenThreadPool
from pathlib import Path

import psutil
import pytest
from jupyter_client.manager import start_new_kernel

from helpers.props import workloads
from helpers.props.workloads import end_with_parent

PROJECT = Path(__file__).resolve().parents[1]
PATIENCE = 20.0  # seconds; a busy machine may need some
posix_only = pytest.mark.skipif(os.name != "posix", reason="kill -9 and start methods are POSIX")

# What the parent runs: a process by itself, two workers in the middle of their work, an idle one.
PARENT = """
import multiprocessing, os, sys, time
from concurrent.futures import ProcessPoolExecutor
from helpers.props.workloads import do_real_work, do_work, end_with_parent, never_ends

if __name__ == "__main__":
    context = multiprocessing.get_context({method!r})
    context.Process(target=never_ends).start()
    pool = ProcessPoolExecutor({workers}, initializer=end_with_parent, mp_context=context)
    list(pool.map(do_work, range(6), [0.2] * 6))
    work = [pool.submit(do_real_work, number, 10 ** 12) for number in range(2)]
    while sum(future.running() for future in work) < 2:
        time.sleep(0.01)
    time.sleep(0.2)
    print("at work", flush=True)
"""


def family(pid):
    """The process and all below it that are alive."""
    parent = psutil.Process(pid)
    return [parent, *parent.children(recursive=True)]


def assert_gone(processes):
    _, alive = psutil.wait_procs(processes, timeout=PATIENCE)
    for process in alive:
        process.kill()
    assert not alive, [process.cmdline() for process in alive]


def parents_script(method, workers=3):
    return PARENT.format(method=method, workers=workers)


# That they compute what they say


def test_collatz_by_hand():
    # 7 22 11 34 17 52 26 13 40 20 10 5 16 8 4 2 1
    assert workloads.collatz_steps(7) == 16
    assert [workloads.collatz_steps(n) for n in range(6)] == [0, 0, 1, 7, 2, 5]
    assert workloads.collatz_line(7) == "The collatz steps for 7 is 16"
    assert workloads.collatz_lines(6, 8) == [workloads.collatz_line(6), workloads.collatz_line(7)]


def test_the_published_collatz_is_right_for_small_numbers_and_wrong_for_a_large_one():
    published = workloads.collatz_steps_as_published
    assert all(published(n) == workloads.collatz_steps(n) for n in range(3000))
    assert (workloads.collatz_steps(17592186044457), published(17592186044457)) == (538, 344)


def test_fibonacci():
    assert [workloads.fibonacci(n) for n in range(8)] == [0, 1, 1, 2, 3, 5, 8, 13]
    assert workloads.fibonacci(20) == 6765


def test_parse_reads_every_character_and_its_work_grows_with_rounds():
    assert workloads.parse("pikachu") != workloads.parse("pikacha") != workloads.parse("kipachu")
    assert workloads.parse("pikachu", rounds=0) == 7
    assert workloads.parse("pikachu", rounds=1) != workloads.parse("pikachu", rounds=2)


@pytest.mark.parametrize("job, arguments", [
    (workloads.do_work, (1, 0.0)), (workloads.do_real_work, (1, 10)), (workloads.parse, ("a", 1)),
    (workloads.fibonacci, (5,)), (workloads.wait_and_work, (0.0, 10)),
    (workloads.collatz_steps, (7,)), (workloads.collatz_line, (7,)),
    (workloads.collatz_steps_as_published, (7,)), (workloads.collatz_lines, (1, 9)),
])  # fmt: skip
def test_jobs_go_to_other_processes(job, arguments):
    assert pickle.loads(pickle.dumps(job))(*arguments) == job(*arguments)


# That no worker outlives its parent


@posix_only
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_parent_killed_in_the_middle_of_the_work_leaves_nothing(method, tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(parents_script(method) + "    time.sleep(60)\n")
    parent = subprocess.Popen(
        [sys.executable, "-P", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
    )
    assert parent.stdout.readline() == b"at work\n"
    everyone = family(parent.pid)
    assert len(everyone) >= 5
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert_gone(everyone)


@posix_only
def test_a_kernel_killed_in_the_middle_of_the_work_leaves_nothing():
    manager, client = start_new_kernel(
        cwd=str(PROJECT), env=os.environ | {"PYTHONPATH": str(PROJECT)}, stderr=subprocess.DEVNULL
    )
    try:
        client.execute_interactive(
            parents_script("spawn"), timeout=PATIENCE, output_hook=lambda message: None
        )
        everyone = family(manager.provisioner.pid)
        assert len(everyone) >= 5
        os.kill(manager.provisioner.pid, signal.SIGKILL)
        assert_gone(everyone[1:])
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@posix_only
def test_the_stop_button_spares_the_workers_and_what_they_do():
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, initializer=end_with_parent) as pool:
        worker = pool.submit(os.getpid).result()
        under_way = pool.submit(workloads.do_work, 7, 0.5)
        time.sleep(0.1)
        os.kill(worker, signal.SIGINT)
        assert under_way.exception(PATIENCE) is None and under_way.result() == 7
        assert pool.submit(os.getpid).result() == worker


def test_a_pool_that_is_shut_down_ends_as_any_other():
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=spawn, initializer=end_with_parent) as pool:
        assert list(pool.map(workloads.collatz_steps, [7, 27])) == [16, 111]
        workers = [psutil.Process(process.pid) for process in pool._processes.values()]
    assert_gone(workers)


def test_it_is_refused_outside_a_worker_process():
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(RuntimeError, match="initializer to a ProcessPoolExecutor"):
        end_with_parent()
    with ThreadPoolExecutor(1, initializer=end_with_parent) as pool:
        with pytest.raises(BrokenThreadPool):
            pool.submit(abs, 1).result()
    assert signal.getsignal(signal.SIGINT) is handler
