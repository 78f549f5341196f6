"""Long, for each of its programs is a whole server."""

import ast
import asyncio
import contextlib
import json
import time

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named

PATIENCE = 1.5  # seconds of real time that a visitor waits for what must come


class Progress:
    """A crawl that goes on by itself: `state()`, and `over` once it has ended."""

    def __init__(self, pages):
        self.pages, self.done, self.over = pages, 0, False

    def state(self):
        return {"done": self.done, "left": self.pages - self.done}

    async def go_on(self, seconds):
        """One page after each so many seconds."""
        for _ in range(self.pages):
            await asyncio.sleep(seconds)
            self.done += 1
        self.over = True

    def __repr__(self):
        return "crawl"


class Wire:
    """A writer without a socket: what was sent on it, whether it is closed, whether a write waits
    to be drained. leaves: the error of a drain, if the visitor leaves, or anything else. takes:
    seconds that a drain takes.
    """

    def __init__(self, leaves, takes):
        self.leaves, self.sent, self.closing, self.waits = leaves, b"", False, False
        self.takes = takes

    def write(self, data):
        self.sent += data
        self.waits = True

    def writelines(self, pieces):
        self.write(b"".join(pieces))

    async def drain(self):
        await asyncio.sleep(self.takes)
        if self.leaves:
            error = self.leaves if isinstance(self.leaves, type) else ConnectionResetError
            raise error("the visitor has left")
        self.waits = False

    def close(self):
        self.closing = True

    def is_closing(self):
        return self.closing

    async def wait_closed(self):
        await asyncio.sleep(0)

    def can_write_eof(self):
        return False

    def get_extra_info(self, name, default=None):
        return default


@contextlib.contextmanager
def drains_of(lab):
    """In the block, a list of the places at which the answer drains a writer."""
    drain, places = asyncio.StreamWriter.drain, []

    async def noting(writer):
        places.extend(filter(None, [lab.calling()]))
        await drain(writer)

    asyncio.StreamWriter.drain = noting
    try:
        yield places
    finally:
        asyncio.StreamWriter.drain = drain


class Reader(asyncio.StreamReader):
    """A reader that has enough when somebody goes on to read behind the end."""

    MOST = 50  # reads of nothing

    def __init__(self, lab):
        super().__init__()
        self.lab, self.nothing = lab, 0

    async def readline(self):
        return self.came("readline", await super().readline())

    async def read(self, n=-1):
        return self.came("read", await super().read(n))

    def came(self, name, data):
        self.nothing += not data
        if self.nothing > self.MOST:
            raise Wrong(
                "spin",
                f"After that, `{name}` returned b'' {self.MOST} times, and it read on and on.",
                self.lab.calling(),
                "When the visitor has left, nothing more comes: `read` and `readline` return b'' "
                "at once, each time. End the loop at b'', too.",
                headline="read on after the end",
                at="gets b'' each time",
            )
        return data


class LivePage(Exercise):
    """The live page

    Write `show(crawl, reader, writer)`, a coroutine function: the handler of one visitor, for
    `asyncio.start_server`. `crawl.state()` gives a dict that `json.dumps` takes; `crawl.over` is
    True once the crawl has ended.

    The visitor sends a request: a line such as `GET /events HTTP/1.1`, more lines, and an empty
    line; each ends with `\\r\\n`, and all may come in pieces. Read up to the empty line. An answer
    is `HTTP/1.1 200 OK`, a line `Content-Type: ...`, an empty line, and then the body.

    - For `/` it answers with the type `text/html` and a page of your own, which need not be long.
    - For `/events` it answers with the type `text/event-stream`. The body is a row of events
      `data: {...}\\n\\n`, each with the state as JSON: one at once, then one every 0.05 s until the
      crawl is over, and finally one with the state at the end. If the crawl is over already, one
      is enough.
    - For anything else the status is `404 Not Found`.
    - After each write it awaits `writer.drain()`, and after the answer it closes the connection.
    - If the visitor leaves, at any moment, it ends too, and no error comes out.
    - However it ends, even if it is cancelled, the connection is closed.
    """

    id = "crawl-progress-1"
    asks = "show"
    minutes, clock, limit = 15, "real", 6.0
    hints = (
        "`readuntil` reads up to a mark. What is the mark at the end of a head?",
        "Look at the first line: `asked.split()[1]` is the path. And which event would be "
        "missing, if the loop ends with `crawl.over`?",
        'In `try`: `asked = await reader.readuntil(b"\\r\\n\\r\\n")`, then three ways by the '
        "path; for the events `while not crawl.over:` write, drain, "
        "`await asyncio.sleep(0.05)`; after the loop one event more. "
        "`except (ConnectionError, asyncio.IncompleteReadError): pass`, "
        "`finally: writer.close()`.",
    )

    equivalent = {
        "three_ways: wider except, line 31": "no other errors are asked for",
        "three_ways: or None, line 9": "no head and no event is empty",
        "three_ways: or None, line 12": "no head and no event is empty",
        "three_ways: drop falsy, line 22": "no head and no event is empty",
        "three_ways: drop falsy, line 24": "no head and no event is empty",
        "three_ways: drop falsy, line 26": "no head and no event is empty",
        "three_ways: drop falsy, line 28": "no head and no event is empty",
        "three_ways: drop falsy, line 30": "no head and no event is empty",
    }

    def verify(self, show, lab):
        lab.told("as the handler of a server, with a visitor who")
        answer = self.visit(show, lab, "asks for `/`", "/")
        self.head(lab, answer, "/", "200", "text/html")
        if not answer.partition(b"\r\n\r\n")[2].strip():
            raise Wrong(
                "protocol",
                "The answer to `/` has no body.",
                lab.literal("text/html"),
                "After the empty line comes the page, a few words of HTML.",
                headline="no page",
            )
        answer = self.visit(show, lab, "asks for `/nothing`", "/nothing")
        self.head(lab, answer, "/nothing", "404", None)
        with drains_of(lab) as drains:
            answer = self.visit(
                show, lab, "asks for `/events`, with the request in pieces", "/events", pieces=True
            )
        self.head(lab, answer, "/events", "200", "text/event-stream")
        self.events(lab, answer)
        if not drains:
            raise Wrong("no drain", "It never awaits `writer.drain()`.", lab.call_of("write"))
        lab.told("with a visitor who leaves after the first event")
        self.leave(show, lab)

    @sweep(
        lambda some: {
            "path": some.sampled_from(("/", "/events", "/events", "/events/1", "/eventful", "/x")),
            "header": some.sampled_from(("Host: x", "Referer: /events", "A: GET / HTTP/1.1")),
            "cut": some.sampled_from((0, 1, 5, -1, -2, -3)),
            "pages": some.sampled_from((0, 1, 3)),
            "leaves": some.sampled_from((None, None, None, "at once", 20, 40, BrokenPipeError)),
            "cancelled": some.sampled_from((None, None, 0.06)),
            "takes": some.sampled_from((0, 0, 0.03, 0.1)),
        },
        besides=[
            {
                "path": "/events",
                "header": "Host: x",
                "cut": 0,
                "pages": pages,
                "leaves": None,
                "cancelled": cancelled,
                "takes": takes,
            }
            for pages, cancelled, takes in ((1, None, 0.03), (3, None, 0.03), (3, 0.06, 0))
        ],
        most=30,
    )
    def any_visitor(self, show, lab, path, header, cut, pages, leaves, cancelled, takes):
        lab.clock = "virtual"  # there is no network here, so time can jump
        request = f"GET {path} HTTP/1.1\r\n{header}\r\n\r\n".encode()
        told = f"with a visitor who asks for `{path}`, with the header `{header}`"
        if leaves == "at once":
            request, told = b"", "with a visitor who leaves without a word"
        elif isinstance(leaves, int):
            request, told = (
                request[:leaves],
                f"with a visitor who says {request[:leaves]!r} and leaves"
                + " before the empty line" * (leaves < len(request)),
            )
        elif leaves:
            told += ", and leaves after the first bytes of the answer"
        elif cut:
            told += f", in two pieces, {request[:cut]!r} and the rest"
        if path == "/events" and not (leaves and request):
            told += f"; the crawl has {pages} pages left, 0.04 s each"
        if takes and not (leaves and request):
            told += f"; a `drain` takes {takes} s"
        if leaves or path != "/events" or pages < 3:
            cancelled = None  # it would be over by then
        lab.told(told + ". I cancelled it after 0.06 s" * bool(cancelled))
        wire = Wire(leaves, takes)

        async def scene():
            crawl = Progress(pages)
            going = asyncio.create_task(crawl.go_on(0.04))
            await asyncio.sleep(0)
            reader = Reader(lab)
            visiting = asyncio.create_task(self.says(reader, request, cut, leaves))
            try:
                await lab.awaitable(show(crawl, reader, wire))
            finally:
                going.cancel()
                await asyncio.gather(going, visiting, return_exceptions=True)

        run = lab.run(scene(), cancel_after=cancelled)
        if cancelled and not wire.closing:
            raise Wrong(
                "left open",
                "It was cancelled, and ended, and the connection is still open.",
                lab.call_of("close") or lab.await_of(),
                "A cancellation is raised at the `await`, and what stands behind that is skipped. "
                "Close the connection in a `finally`.",
            )
        seen = {
            "": lab.seen(run, without=("seconds",)),
            "that it closed the connection is": wire.closing,
        }
        if not (leaves or cancelled):
            head, _, body = wire.sent.partition(b"\r\n\r\n")
            seen["the answer begins with"] = head[:12]
            asked = b"HTTP/1.1 200" if path in ("/", "/events") else b"HTTP/1.1 404"
            if head[:12] != asked and (line := _looked_for(lab, request.decode())):
                raise Wrong(
                    "value",
                    f"The answer begins with {head[:12]!r}; expected {asked!r}.",
                    line,
                    "It may stand in another line, or at the beginning of a longer path. Take the "
                    "path itself, the second word of the request, and compare that: `==`.",
                    at="looks for a part of the request",
                )
            if path == "/events":
                self.events_of(lab, body, pages, takes)
            if wire.waits:
                raise Wrong(
                    "no drain", "It closed the connection with a write that nobody drained."
                )
        return seen

    @staticmethod
    async def says(reader, request, cut, leaves):
        """Say the request in two pieces, and leave, if it is asked for."""
        reader.feed_data(request[:cut])
        await asyncio.sleep(0.01)
        reader.feed_data(request[cut:])
        if leaves:
            reader.feed_eof()

    def events_of(self, lab, body, pages, takes):
        """Are these the events of a crawl with so many pages, 0.04 s each?"""
        try:
            states = [json.loads(event[5:]) for event in body.decode().split("\n\n")[:-1]]
        except ValueError as error:
            states = [str(error)]
        asked = [{"done": done, "left": pages - done} for done in range(pages + 1)]
        # The last two may be alike: the one that was due, and the one at the end.
        seen = [state for n, state in enumerate(states) if n == 0 or state != states[n - 1]]
        if takes and seen and seen[-1] in asked[:-1]:  # states in between may go unseen
            raise Wrong(
                "end signal",
                f"The last event was {seen[-1]}; at the end the state was {asked[-1]}.",
                lab.earliest(lab.condition("over"), lab.while_loop("over")),
                "During a `drain` or a sleep the crawl may end. Then the last state has not been "
                "sent yet: send one more event, whenever the loop ends.",
                headline="the end is missing",
            )
        if takes:
            lab.equal(seen[-1:], asked[-1:], what="the last event was")
        else:
            slept_first = lab.call_of("sleep") if seen == asked[1:] else None
            lab.equal(seen, asked, what="the different events were", line=slept_first)

    def visit(self, show, lab, what, path, pieces=False):
        """Visit the page and return all the bytes that came until it was closed."""
        lab.told(f"with a visitor who {what}")

        async def scene():
            crawl, errors, came = Progress(8), [], bytearray()
            handled, held = [], []

            async def guest(reader, writer):
                handled.append(asyncio.current_task())
                held.append(writer)  # one that nobody has any more closes itself, on 3.14 at once
                try:
                    await lab.awaitable(show(crawl, reader, writer))
                except Exception as error:
                    errors.append(error)

            going = asyncio.create_task(crawl.go_on(0.04))
            server = await asyncio.start_server(guest, "127.0.0.1", 0)
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
            request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
            try:
                for piece in (request[:3], request[3:20], request[20:]) if pieces else (request,):
                    with contextlib.suppress(ConnectionError):
                        writer.write(piece)
                        await writer.drain()
                    await asyncio.sleep(0.03 if pieces else 0)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(PATIENCE):
                        with contextlib.suppress(ConnectionError):  # closed in mid-request
                            while more := await reader.read(65536):
                                came += more
                        came += b"<closed>"
                await going
            finally:
                writer.close()
                server.close()
                for task in handled:
                    task.cancel()
                await asyncio.gather(*handled, return_exceptions=True)
            place = errors and lab.text.of_traceback(errors[0])
            first_read = lab.call_of("read")
            if pieces and place and first_read and isinstance(errors[0], (IndexError, ValueError)):
                raise Wrong(
                    "one read is one message",
                    "The request came in three pieces, and "
                    f"{type(errors[0]).__name__} came out at line {place[1]}: the path "
                    "was not there yet.",
                    first_read,
                )
            if errors:
                raise errors[0]
            return bytes(came)

        answer = lab.run(scene()).result
        if not answer.removesuffix(b"<closed>"):
            if pieces and answer and lab.call_of("read"):
                raise Wrong(
                    "one read is one message",
                    "The request came in three pieces, and it "
                    "closed the connection before it had read them all.",
                    lab.call_of("read"),
                )
            raise Wrong(
                "never answers",
                "The connection was closed, and not one byte had come."
                if answer
                else f"After {PATIENCE} s not one byte had come.",
                lab.earliest(lab.condition(), lab.call_of("read*")),
            )
        if not answer.endswith(b"<closed>"):
            if b"\r\n\r\n" not in answer:
                raise Wrong(
                    "protocol",
                    f"{answer[:70]!r} came, and no end of the head. The "
                    "visitor waits for an empty line.",
                    lab.literal("HTTP/1.1"),
                    "The head ends with `\\r\\n\\r\\n`.",
                    headline="no empty line",
                )
            raise Wrong(
                "left open", f"The answer came; {PATIENCE} s later the connection was still open."
            )
        return answer.removesuffix(b"<closed>")

    def head(self, lab, answer, path, status, kind):
        head, gap, _ = answer.partition(b"\r\n\r\n")
        if not gap:
            raise Wrong(
                "protocol",
                f"The answer to `{path}` begins with {answer[:60]!r}, and its head has no end.",
                lab.literal("HTTP/1.1"),
                "The head ends with an empty line, `\\r\\n\\r\\n`.",
                headline="no empty line",
            )
        first, *rest = head.decode("latin-1").split("\r\n")
        if not first.startswith(f"HTTP/1.1 {status}"):
            if path == "/events":
                raise Wrong(
                    "one read is one message",
                    "The request for `/events` came in three "
                    f"pieces, and the answer was `{first}`.",
                    lab.call_of("read"),
                )
            unlike = lab.literal("/")
            if path == "/" and unlike and not lab.call_of("decode", "str"):
                raise Wrong(
                    "protocol",
                    f"The answer to `/` begins with `{first}`.",
                    unlike,
                    'What was read is bytes, and text never equals bytes: `b"/"`.',
                    headline="status",
                )
            raise Wrong(
                "protocol",
                f"The answer to `{path}` begins with `{first}`.",
                lab.literal("HTTP/1.1"),
                f"It is `HTTP/1.1 {status} ...`.",
                headline="status",
            )
        if kind and not any(line.lower().startswith(f"content-type: {kind}") for line in rest):
            if path == "/events" and any("text/html" in line.lower() for line in rest):
                raise Wrong(
                    "one read is one message",
                    "The request for `/events` came in three pieces, and the answer was the page.",
                    lab.call_of("read"),
                )
            raise Wrong(
                "protocol",
                f"The head of the answer to `{path}` is {head!r:.90}.",
                lab.literal("ontent-"),
                f"One line is `Content-Type: {kind}`.",
                headline="type",
            )

    def events(self, lab, answer):
        *events, rest = answer.partition(b"\r\n\r\n")[2].decode().split("\n\n")
        try:
            if rest.strip() or not events:
                raise ValueError(rest or "nothing")
            states = [json.loads(event.strip().removeprefix("data:")) for event in events]
        except ValueError:
            raise Wrong(
                "protocol",
                f"The body is {answer[-90:]!r}.",
                lab.literal("data:"),
                "An event is `data: `, the JSON, and an empty line: `\\n\\n`.",
                headline="not an event",
            ) from None
        if len(states) < 4:
            raise Wrong(
                "counted wrong",
                f"The crawl went on for 0.3 s, and {len(states)} events came.",
                lab.earliest(lab.call_of("sleep"), lab.while_loop()),
                "One at once, then one each 0.05 s.",
                headline="too few events",
            )
        if states[-1] != {"done": 8, "left": 0}:
            raise Wrong(
                "end signal",
                f"The last event was {states[-1]}; at the end the crawl had done all 8 pages.",
                lab.use_of("over"),
                "When the loop has seen that the crawl is over, the last state has not "
                "been sent yet.",
                headline="the end is missing",
            )
        if len(states) > 40:
            raise Wrong("spin", f"{len(states)} events came in 0.3 s.", lab.while_loop())

    def leave(self, show, lab):
        async def scene():
            crawl, errors, ended = Progress(10_000), [], asyncio.Event()

            async def guest(reader, writer):
                try:
                    await lab.awaitable(show(crawl, reader, writer))
                except Exception as error:
                    errors.append(error)
                finally:
                    ended.set()

            server = await asyncio.start_server(guest, "127.0.0.1", 0)
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
            writer.write(b"GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
            await reader.readuntil(b"data:")
            writer.transport.abort()
            try:
                async with asyncio.timeout(PATIENCE):
                    await ended.wait()
            except TimeoutError:
                errors.append(None)
                crawl.over = True
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        await ended.wait()
            server.close()
            return errors

        errors = lab.run(scene()).result
        if errors and errors[0] is None:
            raise Wrong(
                "went on after the end",
                f"The visitor left; {PATIENCE} s later it still wrote events.",
                lab.while_loop(),
                "`await writer.drain()` raises a ConnectionError once the visitor is gone: "
                "let that end the loop.",
                headline="goes on for nobody",
            )
        if errors:
            raise Wrong(
                "caught too little",
                f"The visitor left, and {type(errors[0]).__name__} came out.",
                lab.text.let_out(errors[0]),
                "Visitors leave whenever they like: catch `ConnectionError` around the answer.",
                headline="the visitor's leaving came out",
                at="lets the error out",
            )

    @right
    async def three_ways(crawl, reader, writer):
        """Answer one visitor: the page, the events or 404; then close."""

        def head(status, kind):
            return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n".encode()

        def event():
            return f"data: {json.dumps(crawl.state())}\n\n".encode()

        async def send(data):
            writer.write(data)
            await writer.drain()

        try:
            asked = await reader.readuntil(b"\r\n\r\n")
            path = asked.split()[1]
            if path == b"/":
                await send(head("200 OK", "text/html") + b"<h1>The crawl</h1>")
            elif path == b"/events":
                await send(head("200 OK", "text/event-stream"))
                while not crawl.over:
                    await send(event())
                    await asyncio.sleep(0.05)
                await send(event())
            else:
                await send(head("404 Not Found", "text/plain"))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    @right
    async def line_by_line(crawl, reader, writer):
        with contextlib.suppress(OSError, IndexError), contextlib.closing(writer):
            first = await reader.readline()  # without a path if the visitor has left
            while (await reader.readline()).strip():
                pass
            path = first.decode().split(" ")[1]
            kind = {"/": "text/html", "/events": "text/event-stream"}.get(path)
            status = "200 OK" if kind else "404 Not Found"
            writer.write(
                f"HTTP/1.1 {status}\r\nContent-Type: {kind or 'text/plain'}\r\n\r\n".encode()
            )
            if path == "/":
                writer.write(b"<!doctype html><title>Crawl</title>")
            await writer.drain()
            over = path != "/events"
            while not over:
                over = crawl.over
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                await writer.drain()
                await asyncio.sleep(0.05)

    @wrong("one read is one message", says="three pieces")
    async def one_read(crawl, reader, writer):
        with contextlib.suppress(ConnectionError), contextlib.closing(writer):
            asked = await reader.read(1000)
            if asked.startswith(b"GET / "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
            elif asked.startswith(b"GET /events "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                while not crawl.over:
                    writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                    await writer.drain()
                    await asyncio.sleep(0.05)
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
            await writer.drain()

    @wrong("never answers", says="not one byte")
    async def two_ways(crawl, reader, writer):
        with contextlib.suppress(ConnectionError), contextlib.closing(writer):
            asked = await reader.readuntil(b"\r\n\r\n")
            if asked.startswith(b"GET / "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
            elif asked.startswith(b"GET /events "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                while not crawl.over:
                    writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                    await writer.drain()
                    await asyncio.sleep(0.05)
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
            await writer.drain()

    @wrong("end signal", says="has not been sent yet")
    async def without_the_last(crawl, reader, writer):
        with contextlib.suppress(ConnectionError), contextlib.closing(writer):
            asked = await reader.readuntil(b"\r\n\r\n")
            if asked.startswith(b"GET / "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
            elif asked.startswith(b"GET /events "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                while not crawl.over:
                    writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                    await writer.drain()
                    await asyncio.sleep(0.05)
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
            await writer.drain()

    @wrong("one read is one message", says="the path was not there yet")
    async def splits_one_read(crawl, reader, writer):
        with contextlib.closing(writer):
            path = (await reader.read(1000)).decode().split()[1]
            kind = {"/": "text/html", "/events": "text/event-stream"}.get(path)
            status = "200 OK" if kind else "404 Not Found"
            writer.write(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\nHello".encode())
            await writer.drain()

    @wrong("protocol", says="text never equals bytes")
    async def compares_bytes_with_text(crawl, reader, writer):
        with contextlib.closing(writer):
            path = (await reader.readuntil(b"\r\n\r\n")).split()[1]
            status = b"404 Not Found"
            if path == "/":
                status = b"200 OK"
            writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Type: text/html\r\n\r\nHello")
            await writer.drain()

    @wrong("left open", says="still open")
    async def never_closes(crawl, reader, writer):
        with contextlib.suppress(ConnectionError):
            asked = await reader.readuntil(b"\r\n\r\n")
            if asked.startswith(b"GET / "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
            elif asked.startswith(b"GET /events "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                while not crawl.over:
                    writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                    await writer.drain()
                    await asyncio.sleep(0.05)
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
            await writer.drain()

    @wrong("no drain", says="writer.drain()")
    async def never_drains(crawl, reader, writer):
        with contextlib.closing(writer):
            asked = await reader.readuntil(b"\r\n\r\n")
            if asked.startswith(b"GET / "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
            elif asked.startswith(b"GET /events "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                while not crawl.over:
                    writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                    await asyncio.sleep(0.05)
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")

    takes_it_for_an_error = never_closes.but(
        "contextlib.suppress(ConnectionError)",
        "contextlib.closing(writer)",
        kind="caught too little",
        says="leave whenever they like",
    )

    @wrong("went on after the end", says="let that end the loop")
    async def writes_for_ever(crawl, reader, writer):
        with contextlib.closing(writer):
            asked = await reader.readuntil(b"\r\n\r\n")
            if asked.startswith(b"GET / "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
            elif asked.startswith(b"GET /events "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                while not crawl.over:
                    with contextlib.suppress(ConnectionError):
                        writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                        await writer.drain()
                    await asyncio.sleep(0.05)
                writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
            with contextlib.suppress(ConnectionError):
                await writer.drain()

    @wrong("protocol", says="has no end")
    async def forgets_the_empty_line(crawl, reader, writer):
        with contextlib.suppress(ConnectionError), contextlib.closing(writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n<h1>Crawl</h1>")
            await writer.drain()

    @wrong("blocked", says="time.sleep")
    async def stops_the_crawl(crawl, reader, writer):
        with contextlib.suppress(ConnectionError), contextlib.closing(writer):
            asked = await reader.readuntil(b"\r\n\r\n")
            if asked.startswith(b"GET / "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Crawl</h1>")
            elif asked.startswith(b"GET /events "):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                for _ in range(10):
                    writer.write(b"data: %s\n\n" % json.dumps(crawl.state()).encode())
                    await writer.drain()
                    time.sleep(0.05)
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
            await writer.drain()


def _looked_for(lab, request):
    """The first line that asks whether something begins with, or holds, what is in the request."""
    sought = []
    for node in lab.nodes():
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In):
            sought.append(node.left)
        elif isinstance(node, ast.Call) and is_named(
            node.func, ("*.startswith", "*.find", "*.search", "*.match")
        ):
            sought += node.args
    texts = ((node, node.value) for node in sought if isinstance(node, ast.Constant))
    return lab.earliest(
        *(
            node.lineno
            for node, text in texts
            if (text.decode() if isinstance(text, bytes) else str(text)) in request
        )
    )
