"""How the tests ask a service, and see that it is gone."""

import asyncio
import os
import socket
import time
from pathlib import Path

import httpx
import psutil
import pytest

PROJECT = Path(__file__).resolve().parents[1]
SEVEN = "/api/v2/pokemon/7"
posix_only = pytest.mark.skipif(os.name != "posix", reason="kill -9 and fork are POSIX")


def ask_at_once(url, paths, client_limit=200):
    """GET all paths at once; return (statuses in order, seconds of each answer, seconds of all)."""

    async def main():
        limits = httpx.Limits(max_connections=client_limit)
        async with httpx.AsyncClient(base_url=url, limits=limits, timeout=30) as client:

            async def one(path):
                response = await client.get(path)
                return response.status_code, time.perf_counter() - start

            start = time.perf_counter()
            answers = await asyncio.gather(*map(one, paths))
            return [*zip(*answers, strict=True)], time.perf_counter() - start

    (statuses, seconds), total = asyncio.run(main())
    return list(statuses), list(seconds), total


def ask_in_turn(service, path, times, **options):
    """GET a page so many times over one client; return statuses, or the errors' names."""
    found = []
    with httpx.Client(base_url=service.url, timeout=30) as client:
        for _ in range(times):
            try:
                found.append(client.get(path, **options).status_code)
            except httpx.TransportError as error:
                found.append(type(error).__name__)
    return found


def is_gone(pid, port):
    try:
        # A killed process may stay in the table as a zombie until somebody asks for its status.
        if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
            return False
    except psutil.NoSuchProcess:
        pass
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) != 0


def assert_gone(pid, port, within=15):
    deadline = time.monotonic() + within
    while not is_gone(pid, port):
        assert time.monotonic() < deadline, f"process {pid} or its port {port} is still there"
        time.sleep(0.02)
