"""Runs one of CPython's own test modules, whole, with our event loop in place of asyncio's.

python -m tests.cpython_suites test_taskgroups
python -m tests.cpython_suites --left-out test_events  # the others: each that ends has to fail
"""

import asyncio
import importlib
import re
import sys
import unittest

from helpers.eventloop import new_event_loop

# What our loop does not offer, or what looks at asyncio's insides. By name of the test.
LEFT_OUT = {
    "Unix sockets": ("unix_server", "unix_connection"),
    "datagrams": ("datagram", "recvfrom", "recvfrom_into", "sendto_blocking"),
    "processes": ("subprocess",),
    "pipes": ("pipe", "pty", "named_fifo"),
    "replaces asyncio.base_events.socket, which is private": ("create_server_multiple_hosts",),
    "asks for asyncio.trsock, which is private": ("create_server_trsock",),
    "asks for asyncio.events._ThreadSafeHandle": ("threadsafe_handle",),
    "asks for handle._source_traceback": ("handle_source_traceback",),
    "asks for server._sockets": ("start_server_1",),
    "asks for server._attach": (
        ("wait_closed_basic", "wait_closed_race") if sys.version_info < (3, 13) else ()
    ),
    "asks for loop._stop_serving": ("prompt_cancellation",),
    "asks for loop._run_once": ("timeout_rounding",),
    "asks for loop._make_socket_transport": ("connection_lost_when_busy",),
    "asks for transport._read_ready_cb": (
        ("trailing_data_on_slow_socket",) if sys.version_info >= (3, 14) else ()
    ),
    "tries several addresses at once": ("happy_eyeball",),
}
# Of these, one fails in a thread of its own or in a callback, and then waits for ever.
NEVER_END = {
    "asks for asyncio.events._ThreadSafeHandle",
    "asks for transport._read_ready_cb",
}


class Loop(new_event_loop):
    """Ours, where asyncio's own would be made: with another selector, if a test brings one."""

    # CPython's tests look at it after each test, to join the pool's threads.
    _default_executor = property(lambda self: self.executor)

    def __init__(self, selector=None):
        super().__init__()
        if selector is not None:
            self.selector.close()
            self.selector = selector
            number = self.inside.fileno()
            self.register(number, self.watching[number][1])


class Policy(asyncio.DefaultEventLoopPolicy):
    """Every loop that a test makes, or lets asyncio make for it, is ours."""

    _loop_factory = Loop


def reason(test):
    """Why a test is left out; None if it is to be run."""
    name = test.id().rpartition(".test_")[2]
    for why, words in LEFT_OUT.items():
        if any(re.search(rf"(^|_){word}s?(_|$)", name) for word in words):
            return why
    return None


def flat(suite):
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from flat(part)
        else:
            yield part


def tests_of(name):
    """Every test of a module, those that are left out as well."""
    return flat(suite_of(name))


def suite_of(name):
    asyncio.SelectorEventLoop = asyncio.EventLoop = Loop  # before the module takes them for itself
    module = importlib.import_module(f"test.test_asyncio.{name}")
    return unittest.defaultTestLoader.loadTestsFromModule(module)


def main(name, left_out=False):
    """Run a module's tests, or those that are left out; return the exit status."""
    suite = unittest.TestSuite(
        test
        for test in tests_of(name)
        if (reason(test) is not None) == left_out and reason(test) not in NEVER_END
    )
    asyncio.set_event_loop_policy(Policy())
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[-1], left_out="--left-out" in sys.argv))
