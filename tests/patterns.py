"""Take a pattern from its lesson's notebook, and do it harm: for the tests of the patterns."""

import ast
import asyncio
import json
import time
import types
from pathlib import Path

from helpers import run

ROOT = Path(__file__).resolve().parent.parent
KEPT = (
    ast.AsyncFunctionDef,
    ast.FunctionDef,
    ast.ClassDef,
    ast.Assign,
    ast.Import,
    ast.ImportFrom,
)


def pattern(lesson, *ids, **names):
    """What the lesson's imports and these cells define, as a namespace.

    Other statements of the cells are left out.

    names: what stands elsewhere in the lesson, or takes the place of something.
    """
    [path] = (ROOT / "notebooks").glob(f"{lesson}_*.ipynb")
    cells = {c["id"]: "".join(c["source"]) for c in json.loads(path.read_text("utf-8"))["cells"]}
    space = dict(names)
    for id in ("imports", *ids):
        tree = ast.parse(cells[id])
        tree.body = [node for node in tree.body if isinstance(node, KEPT)]
        exec(compile(tree, f"{path.name}, {id}", "exec"), space)
    return types.SimpleNamespace(**space)


class Suspensions:
    """Counts the suspensions of all tasks of a loop, and calls `then` at the given one."""

    def __init__(self, at=None, then=None):
        self.seen, self.at, self.then = 0, at, then

    @types.coroutine
    def count(self, coro):
        step, value = coro.send, None
        while True:
            try:
                waited = step(value)
            except StopIteration as end:
                return end.value
            self.seen += 1
            if self.seen == self.at:
                asyncio.get_running_loop().call_soon(self.then)
            try:
                step, value = coro.send, (yield waited)
            except BaseException as error:
                step, value = coro.throw, error

    async def counted(self, coro):
        return await self.count(coro)

    def make_task(self, loop, coro, **options):
        return asyncio.Task(self.counted(coro), loop=loop, **options)


def cancelled_everywhere(make):
    """Cancel `make()` at each suspension of any task in it; it must end, and leave no task.

    Returns how many suspensions there were.
    """

    async def once(at):
        task = None
        counting = Suspensions(at, lambda: task.cancel())
        asyncio.get_running_loop().set_task_factory(counting.make_task)
        loop_errors = []
        asyncio.get_running_loop().set_exception_handler(lambda _, what: loop_errors.append(what))
        start = asyncio.get_running_loop().time()
        task = asyncio.create_task(make())
        await asyncio.wait([task], timeout=1000)
        asyncio.get_running_loop().set_task_factory(None)
        assert task.done(), f"cancelled at suspension {at}, it went on for 1000 s"
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"cancelled at suspension {at}, it left {left}"
        assert not loop_errors, loop_errors
        if at is not None and counting.seen >= at and not task.cancelled():
            task.result()  # it had ended by then
        return counting.seen, asyncio.get_running_loop().time() - start

    suspensions, took = run(once(None), clock="virtual")
    for at in range(1, suspensions + 1):
        _, until = run(once(at), clock="virtual")
        assert until <= took + 0.001, f"cancelled at suspension {at}, it took longer than before"
    return suspensions


async def held(handle, *pieces, reads=True):
    """How many handlers, and buffers, a server still holds 1 s after a client sent these pieces."""
    inside, writers = set(), []

    async def counted(reader, writer):
        inside.add(writer)
        writers.append(writer)
        try:
            await handle(reader, writer)
        finally:
            inside.discard(writer)

    server = await asyncio.start_server(counted, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    for piece in pieces:
        writer.write(piece)
    begun = time.monotonic()
    while time.monotonic() < begun + 1:
        if reads and pieces:
            writer.write(b"y")  # it trickles
        await asyncio.sleep(0.1)
    full = [one for one in writers if one.transport.get_write_buffer_size()]
    left = len(inside) + len(full)
    writer.transport.abort()
    server.close()
    return left


class Wire(asyncio.Transport):
    """A connection without a network, which a virtual clock can run: `reader` and `writer`.

    reads: whether the client takes what is sent to it. If not, the first write fills the buffer,
        and `close` waits for ever to empty it.
    """

    def __init__(self, reads: bool = True) -> None:
        super().__init__()
        loop = asyncio.get_running_loop()
        self.reads, self.sent = reads, b""
        self.closing = self.aborted = self.lost = False
        self.reader = asyncio.StreamReader()
        self.protocol = asyncio.StreamReaderProtocol(self.reader)
        self.protocol.connection_made(self)
        self.writer = asyncio.StreamWriter(self, self.protocol, self.reader, loop)

    def write(self, data: bytes) -> None:
        self.sent += data
        if not self.reads:
            self.protocol.pause_writing()

    def is_closing(self) -> bool:
        return self.closing

    def close(self) -> None:
        self.closing = True
        if self.reads:
            self._lose()

    def abort(self) -> None:
        self.closing = self.aborted = True
        self._lose()

    def _lose(self) -> None:
        if not self.lost:
            self.lost = True
            asyncio.get_running_loop().call_soon(self.protocol.connection_lost, None)
