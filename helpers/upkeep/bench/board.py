"""How quickly the class board answers a full room, and what memory it needs."""

import asyncio
import json
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator

import psutil

from helpers.basics.project import PROJECT
from helpers.board.questions import course
from helpers.upkeep.bench.measured import Row

LEARNERS, EACH = 200, 2.0  # events a second of each
SECONDS = 15.0


def class_board() -> Iterator[Row]:
    """The class board with 200 learners, each of whom tells it something twice a second"""
    taken, memory = asyncio.run(_hold())
    yield Row("answered", len(taken) / SECONDS, "a second", least=0.95 * LEARNERS * EACH)
    yield Row("an answer, median", statistics.median(taken) * 1e3, "ms")
    yield Row("an answer, 99 of 100", statistics.quantiles(taken, n=100)[98] * 1e3, "ms", limit=100)
    yield Row("the board's memory at its end", memory / 1e6, "MB", limit=150)


async def _hold():
    """Hold a class; returns the seconds that each answer took, and the board's memory in bytes."""
    with tempfile.TemporaryDirectory() as data:
        board = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "helpers.board", "--local"),
            cwd=PROJECT,
            env=os.environ | {"ASYNC_COURSE_DATA": data},
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            said = (await board.stdout.readuntil(b"Ctrl-C")).decode()
            port, code = re.search(r'join\("http://127.0.0.1:(\d+)", "(.*?)"\)', said).groups()
            end = time.perf_counter() + SECONDS
            told = await asyncio.gather(
                *(_learner(int(port), code, number, end) for number in range(LEARNERS))
            )
            memory = psutil.Process(board.pid).memory_info().rss
        finally:
            board.terminate()
            await board.communicate()
    return [seconds for one in told for seconds in one], memory


async def _learner(port, code, number, end):
    """Tell the board something until the end, as a kernel does; returns how long each took."""
    exercises = [id for ids in course().exercises.values() for id in ids]
    learner, taken, count = f"{number:032x}", [], 0
    joining = {"code": code, "learner": learner}
    key = (await _post(port, "join", joining))["key"]
    await asyncio.sleep(random.uniform(0, 1 / EACH))
    while (begun := time.perf_counter()) < end:
        count += 1
        event = {"kind": "check", "number": count, "at": 1, "of": random.choice(exercises)}
        event |= random.choice(
            [{"status": "solved"}, {"status": "not yet", "mistake": "sequential"}]
        )
        body = {"learner": learner, "session": f"{number:016x}", "events": [event]}
        assert (await _post(port, "events", body, key))["taken"] == count
        taken.append(time.perf_counter() - begun)
        await asyncio.sleep(max(0.0, 1 / EACH - taken[-1]))
    return taken


async def _post(port, what, body, key=""):
    """One request on a connection of its own, with as little of ours around it as can be."""
    content = json.dumps(body).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(
            f"POST /api/{what} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            f"Authorization: Bearer {key}\r\nContent-Length: {len(content)}\r\n\r\n".encode()
            + content
        )
        head, _, answer = (await reader.read()).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        return json.loads(answer)
    finally:
        writer.close()
