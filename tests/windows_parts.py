"""The parts of the course at work where the system is Windows: prints what each did as JSON.

It is run as a program, `python -m tests.windows_parts`, by the Python of that Windows.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from helpers import services
from helpers.coach.progress import Progress
from helpers.eventloop import new_event_loop
from helpers.services.child import PYTHON
from tests.real_kernel import Kernel

WRITERS, EACH = 2, 20
WRITER = "tests.windows_parts"


def main():
    """Use each part."""
    told = {part.__name__: part() for part in (progress, service, loop, kernel)}
    print(json.dumps(told))


def progress():
    """How many exercises are noted, of those that several processes noted at the same time."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "progress.json"))
        writers = [subprocess.Popen([*PYTHON, "-m", WRITER, file, str(n)]) for n in range(WRITERS)]
        for writer in writers:
            writer.wait()
        return len(Progress(file).all())


def write(file, number):
    """Be one of these processes."""
    for n in range(EACH):
        Progress(file).checked(f"exercise-{number}-{n}", "solved")


def service():
    """What a local server answers, and how often it was asked."""
    with services.catalogue() as server:
        with urllib.request.urlopen(f"{server.url}/api/v2/pokemon/7") as answer:
            return [json.load(answer)["name"], len(server.log())]


def loop():
    """What a server and its client say on the course's own loop."""

    async def shout(reader, writer):
        writer.write((await reader.readline()).upper())
        writer.close()

    async def talk():
        async with await asyncio.start_server(shout, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(b"hello\n")
            words = await reader.read()
            writer.close()
            await writer.wait_closed()
        return words.decode()

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(talk())


def kernel():
    """How cells end when stop is pressed, and after how many seconds."""
    ends = {}
    at_work = Kernel()
    try:
        for name, cell in {
            "time.sleep": "import time\nprint('now', flush=True)\ntime.sleep(60)",
            "asyncio.sleep": "import asyncio\nprint('now', flush=True)\nawait asyncio.sleep(60)",
            "spins": "print('now', flush=True)\nwhile True: pass",
        }.items():
            answer = at_work.cell(cell, press_at="now", timeout=120)
            ends[name] = [answer.ename, answer.since_press]
        ends["after"] = at_work.cell("print(1 + 1)", timeout=120).out
    finally:
        at_work.stop()
    return ends


if __name__ == "__main__":
    write(*sys.argv[1:]) if sys.argv[1:] else main()
