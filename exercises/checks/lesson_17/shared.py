"""What exercises of lesson 17 share: a server that is talked to, a stream that is fed, a wire."""

import asyncio
import contextlib

from helpers.coach import Wrong

PATIENCE = 1.5  # seconds of real time that a client of the check waits for what must come


@contextlib.contextmanager
def feed(reader, *steps):
    """In a `with`: a task feeds a StreamReader: bytes, seconds to wait, an error, or None for the
    end. It is ours, and ends with the block.
    """

    async def feeding():
        for step in steps:
            if step is None:
                reader.feed_eof()
            elif isinstance(step, bytes):
                reader.feed_data(step)
            elif isinstance(step, Exception):
                reader.set_exception(step)
            else:
                await asyncio.sleep(step)

    task = asyncio.create_task(feeding())
    try:
        yield
    finally:
        task.cancel()


class Wire(asyncio.Transport):
    """A connection without a network: `reader` and `writer` are a handler's, `sent` is what went
    over it. The client leaves with an error in the moment in which it has got so many pieces.
    lingers: whether a connection that is closed stays until `hang_up`, as beside a slow client.
    holds: whether what is written stays in the buffer until it is closed; `thrown_away` is what was
    there when it was aborted.
    """

    def __init__(self, pieces=None, error=None, lingers=False, holds=False):
        super().__init__()
        loop = asyncio.get_running_loop()
        self.left, self.error, self.lingers = pieces, error, lingers
        self.lost, self.holds = False, holds
        self.sent, self.closing = b"", False
        self.held = self.thrown_away = b""
        self.reader = asyncio.StreamReader()
        self.protocol = asyncio.StreamReaderProtocol(self.reader)
        self.protocol.connection_made(self)
        self.writer = asyncio.StreamWriter(self, self.protocol, self.reader, loop)

    def write(self, data):
        if self.closing:
            return
        if self.holds:
            self.held += data
        else:
            self.sent += data
        if self.left is not None and data:
            self.left -= 1
            if self.left <= 0:
                self._lose(self.error)

    def close(self):
        self.sent, self.held = self.sent + self.held, b""
        self.closing = True
        if not self.lingers:
            self._lose(None)

    def abort(self):
        self.thrown_away, self.held = self.held, b""
        self._lose(None)

    def hang_up(self):
        self._lose(None)

    def _lose(self, error):
        self.closing = True
        if not self.lost:
            self.lost = True
            self.protocol.connection_lost(error)

    def is_closing(self):
        return self.closing

    def get_write_buffer_size(self):
        return len(self.held)

    def set_write_buffer_limits(self, high=None, low=None):
        pass

    def can_write_eof(self):
        return True

    def write_eof(self):
        pass

    def pause_reading(self):
        pass

    def resume_reading(self):
        pass


class Serving:
    """A real server around an answer that is a handler, and what became of its connections.

    breaks: errors that the handler must let out, and that are no fault of its own.
    """

    def __init__(self, lab, handle, breaks=()):
        self.lab, self.handle, self.breaks = lab, handle, breaks
        self.writers, self.errors, self.running = [], [], set()

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.meet, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def meet(self, reader, writer):
        self.writers.append(writer)
        self.running.add(writer)
        try:
            await self.lab.awaitable(self.handle(reader, writer))
        except Exception as error:
            self.errors.append(error)
        finally:
            self.running.discard(writer)

    async def __aexit__(self, kind, error, trace):
        self.server.close()
        for writer in self.writers:
            # asyncio's own abort stumbles where close() had to send a rest first, and has.
            with contextlib.suppress(AttributeError):
                writer.transport.abort()
        if self.writers:
            await self.ended()  # whoever is left hears of it
        if error is None and self.errors:
            raise self.errors[0]

    async def connect(self):
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def ended(self):
        """Wait until all handlers have ended, a second at most."""
        for _ in range(100):
            if self.writers and not self.running:
                return
            await asyncio.sleep(0.01)

    def serves(self, writer):
        """Does the answer still serve this client?"""
        name = writer.get_extra_info("sockname")
        return any(one.get_extra_info("peername") == name for one in self.running)

    async def ask(self, words):
        """Connect, say it, and return all that comes until the server closes."""
        reader, writer = await self.connect()
        try:
            writer.write(words)
            return await self.rest(reader, writer)
        finally:
            writer.close()

    async def rest(self, reader, writer):
        """Return all that comes until the server closes."""
        heard = b""
        try:
            while data := await asyncio.wait_for(reader.read(2**16), PATIENCE):
                heard += data
            return heard
        except ConnectionError:
            return heard
        except TimeoutError:
            for error in self.errors:
                if not isinstance(error, self.breaks):
                    raise error from None
            if self.serves(writer):
                raise Wrong(
                    "never answers",
                    f"The client heard {self.brief(heard)}, and then "
                    f"nothing for {PATIENCE} s. The handler had not ended.",
                    None,
                    "Each way through the handler must end, and close.",
                ) from None
            skipped = self.errors and self.lab.text.skipped("close", "abort")
            raise Wrong(
                "left open",
                f"The client heard {self.brief(heard)} and waited for the "
                "end. The handler had returned, and the connection stayed open.",
                skipped or None,
                at="isn't reached after an error" if skipped else "",
            ) from None

    def brief(self, heard):
        return repr(heard) if len(heard) < 30 else f"{len(heard):,} bytes"
