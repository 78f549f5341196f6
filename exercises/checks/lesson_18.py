"""Exercises of lesson 18: applications by hand, and what they must not do to others."""

import asyncio
import contextlib
import gc
import inspect
import json
import threading
from concurrent.futures import ThreadPoolExecutor

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value


class HowLong(Exercise):
    """How long do they take?

    Sixty requests arrive at once. Each page waits for 0.1 s, and work takes no time. After how
    many seconds are all sixty answered? Set `seconds` to a dict; to a tenth of a second is enough.

    - `"one thread"`: Flask, `time.sleep`, on a server with one thread
    - `"a thread each"`: Flask, `time.sleep`, on the development server as `app.run()` starts it
    - `"waitress"`: Flask, `time.sleep`, on waitress with its four threads
    - `"awaits"`: FastAPI, `async def` with `await asyncio.sleep`
    - `"blocks"`: FastAPI, `async def` with `time.sleep`
    - `"def"`: FastAPI, `def` with `time.sleep`; its pool has forty threads
    """

    id = "answered-1"
    asks = "seconds"
    minutes = 5
    hints = (
        "For each: how many pages can wait at the same moment? Then it goes in rounds.",
        "Sixty in one thread are sixty rounds; sixty in four threads are fifteen.",
        "Which of the two views of FastAPI runs in the loop's own thread, and what does "
        "`time.sleep` do there? The other one gets a thread of forty.",
    )
    right_values = (
        {
            "one thread": 6.0,
            "a thread each": 0.1,
            "waitress": 1.5,
            "awaits": 0.1,
            "blocks": 6.0,
            "def": 0.2,
        },
    )
    wrong_values = (
        wrong_value(
            {
                "one thread": 6.0,
                "a thread each": 0.1,
                "waitress": 1.5,
                "awaits": 0.1,
                "blocks": 0.1,
                "def": 6.0,
            },
            "async def is a promise",
            "runs in the loop",
        ),
        wrong_value(
            {
                "one thread": 6.0,
                "a thread each": 0.1,
                "waitress": 1.5,
                "awaits": 0.1,
                "blocks": 0.1,
                "def": 0.2,
            },
            "async def is a promise",
            "never awaits",
        ),
        wrong_value(
            {
                "one thread": 6.0,
                "a thread each": 0.1,
                "waitress": 1.5,
                "awaits": 0.1,
                "blocks": 6.0,
                "def": 6.0,
            },
            "def gets a thread",
            "in a thread",
        ),
        wrong_value(
            {
                "one thread": 6.0,
                "a thread each": 0.1,
                "waitress": 1.5,
                "awaits": 0.1,
                "blocks": 6.0,
                "def": 0.1,
            },
            "a pool has its size",
            "forty",
        ),
        wrong_value(
            {
                "one thread": 6.0,
                "a thread each": 6.0,
                "waitress": 1.5,
                "awaits": 0.1,
                "blocks": 6.0,
                "def": 0.2,
            },
            "threads wait side by side",
            "a thread each",
        ),
        wrong_value(
            {
                "one thread": 0.1,
                "a thread each": 0.1,
                "waitress": 1.5,
                "awaits": 0.1,
                "blocks": 6.0,
                "def": 0.2,
            },
            "one thread waits for one",
            "one thread",
        ),
        wrong_value(
            {
                "one thread": 6.0,
                "a thread each": 0.1,
                "waitress": 0.1,
                "awaits": 0.1,
                "blocks": 6.0,
                "def": 0.2,
            },
            "four at a time",
            "rounds of four",
        ),
        wrong_value(
            {
                "one thread": 6.0,
                "a thread each": 0.1,
                "waitress": 1.5,
                "awaits": 6.0,
                "blocks": 6.0,
                "def": 0.2,
            },
            "tasks wait side by side",
            "sixty tasks",
        ),
    )

    BELIEFS = (
        (
            "blocks",
            lambda given: given < 1,
            "async def is a promise",
            "`blocks`: an `async def` runs in the loop, in its one thread, and this one never awaits. "
            "While it sleeps nobody else has a turn.",
        ),
        (
            "def",
            lambda given: given >= 6,
            "def gets a thread",
            "`def`: FastAPI calls a plain `def` in a thread, so it doesn't hold the loop up.",
        ),
        (
            "def",
            lambda given: given < 0.15,
            "a pool has its size",
            "`def`: the threads for it are forty, and sixty want one.",
        ),
        (
            "a thread each",
            lambda given: given > 0.5,
            "threads wait side by side",
            "`a thread each`: a thread that sleeps keeps no other thread from sleeping.",
        ),
        (
            "one thread",
            lambda given: given < 5,
            "one thread waits for one",
            "`one thread`: it is in `time.sleep` for one request, and can begin no other.",
        ),
        (
            "waitress",
            lambda given: given < 1,
            "four at a time",
            "`waitress`: four threads serve four requests at a time. How many rounds of four are "
            "sixty?",
        ),
        (
            "awaits",
            lambda given: given > 0.5,
            "tasks wait side by side",
            "`awaits`: each of the sixty tasks waits by `await`, and meanwhile the others have their "
            "turns.",
        ),
    )

    def verify(self, seconds, lab):
        expected = self.right_values[0]
        if not isinstance(seconds, dict):
            raise Wrong(
                "value", f"`seconds` is {seconds!r}.", try_="Make it a dict: name to number."
            )
        for name in expected:
            if type(seconds.get(name)) not in (int, float):
                raise Wrong(
                    "value",
                    f"`seconds[{name!r}]` is {seconds.get(name)!r}.",
                    try_=f"Give a number for each of {', '.join(map(repr, expected))}.",
                )
        for name, mistaken, kind, says in self.BELIEFS:
            if mistaken(seconds[name]):
                raise Wrong(kind, says, try_="Count the rounds.")
        off = [name for name in expected if abs(seconds[name] - expected[name]) > 0.051]
        if off:
            raise Wrong(
                "value",
                f"Not yet right: {', '.join(map(repr, off))}.",
                try_="Sixty divided by how many wait at the same moment: that many rounds, of "
                "0.1 s each.",
            )


class Body:
    """A request's body as a WSGI server gives it: the connection stays open behind it."""

    def __init__(self, lab, body):
        self.lab, self.left = lab, body

    def read(self, size=-1):
        if isinstance(size, str):
            raise Wrong(
                "value",
                f"It called `read` with the text {size!r}.",
                self.lab.line(r"\.read\w*\("),
                try_="How many bytes is a number: `int(...)`.",
            )
        if size is None or size < 0 or size > len(self.left):
            asked = "all there is" if size is None or size < 0 else f"{size} bytes"
            raise Wrong(
                "never answers",
                f"It asked the connection for {asked}; {len(self.left)} bytes of the body were "
                "left. On a real connection that waits until the client closes it, and the client "
                "waits for the answer.",
                self.lab.line(r"\.read\w*\("),
                try_="Read as many bytes as `CONTENT_LENGTH` says, and no more.",
            )
        piece, self.left = self.left[:size], self.left[size:]
        return piece

    readline = readlines = read

    def __iter__(self):
        return iter([self.read()])


class CountWSGI(Exercise):
    """A WSGI application

    Write `app(environ, start_response)`, a WSGI application without a framework.

    - `POST /count` is answered by `200 OK`. The body of the answer is the number of bytes in the
      body of the request, written as text: `b"1204"`.
    - Everything else, another path or another method, is answered by `404 Not Found`, with any
      body you like.

    `environ["wsgi.input"].read(number)` reads so many bytes of the body, and
    `environ["CONTENT_LENGTH"]` says how many there are: a text of digits, which may be missing or
    empty where there is no body. You may send any headers.
    """

    id = "wsgi-1"
    asks = "app"
    minutes = 8
    hints = (
        'The method is `environ["REQUEST_METHOD"]`, the path `environ["PATH_INFO"]`.',
        "`start_response(status, headers)`: a text with number and reason, a list of pairs of "
        "texts. Then return a list of bytes.",
        'How long is the body? `int(environ.get("CONTENT_LENGTH") or 0)`.',
    )

    def verify(self, app, lab):
        for method, path, body, length, status, answer in (
            ("POST", "/count", b"x" * 1204, "1204", 200, b"1204"),
            ("POST", "/count", b"", "", 200, b"0"),
            ("POST", "/count", b"", None, 200, b"0"),
            ("GET", "/count", b"", "", 404, None),
            ("POST", "/nothing", b"abc", "3", 404, None),
            ("GET", "/nothing", b"", None, 404, None),
        ):
            lab.told(f"with {method} {path} and a body of {len(body)} bytes")
            got_status, got = self._ask(app, lab, method, path, body, length)
            if got_status != status:
                raise Wrong(
                    "wrong status",
                    f"It answered {got_status}, not {status}.",
                    try_="Look at the method and at the path.",
                )
            if answer is not None:
                lab.equal(got, answer, what="The body was")

    def _ask(self, app, lab, method, path, body, length):
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "QUERY_STRING": "",
            "wsgi.input": Body(lab, body),
            "wsgi.url_scheme": "http",
        }
        if length is not None:
            environ["CONTENT_LENGTH"] = length
        said, written = [], []

        def start_response(status, headers=None, exc_info=None):
            if not (isinstance(status, str) and status[:3].isdigit() and status[3:4] == " "):
                raise Wrong(
                    "value",
                    f"It called `start_response` with the status {status!r}.",
                    lab.line(r"start_response\("),
                    try_='A status is a text with number and reason: `"200 OK"`.',
                )
            if not (
                isinstance(headers, list)
                and all(
                    isinstance(pair, tuple)
                    and len(pair) == 2
                    and all(isinstance(word, str) for word in pair)
                    for pair in headers
                )
            ):
                raise Wrong(
                    "value",
                    f"It called `start_response` with the headers {headers!r}.",
                    lab.line(r"start_response\("),
                    try_="Headers are a list of pairs of texts.",
                )
            said.append(int(status[:3]))
            return written.append  # the old way to answer, which the interface still allows

        pieces = app(environ, start_response)
        if inspect.iscoroutine(pieces):
            pieces.close()
            raise Wrong(
                "an ordinary function is asked for",
                "It is `async def`: a WSGI server "
                "calls it, and gets a coroutine that it can't await.",
                lab.line("async def"),
                try_="WSGI knows no `await`. Write `def`.",
            )
        if pieces is None:
            raise Wrong(
                "never answers",
                "It returned None, and a server has nothing to send.",
                try_="Return a list of bytes each time, for a 404 as well.",
            )
        if isinstance(pieces, (str, bytes)):
            raise Wrong(
                "value",
                f"It returned {pieces!r}.",
                lab.line(r"\breturn\b"),
                try_="Return a list with the bytes in it. A server goes through what it is "
                "given, and of bytes alone it gets numbers.",
            )
        pieces = list(pieces)
        if strange := [piece for piece in pieces if not isinstance(piece, bytes)]:
            raise Wrong(
                "value",
                f"The body held {strange[0]!r}, which is no bytes.",
                try_='A connection carries bytes: `b"text"`, or `text.encode()`.',
            )
        if not said:
            raise Wrong(
                "never answers",
                "It never called `start_response`, so the answer has no status.",
                try_="Call it before you return, for a 404 as well.",
            )
        if len(said) > 1:
            raise Wrong(
                "two answers to one request",
                f"It called `start_response` {len(said)} times.",
                lab.line(r"start_response\("),
                try_="One request, one answer.",
            )
        return said[0], b"".join(written + pieces)

    @right
    def returns_a_list(environ, start_response):
        """Answer POST /count with the number of bytes, everything else with 404."""
        if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) != ("POST", "/count"):
            start_response("404 Not Found", [("Content-Type", "text/plain")])
            return [b"no such page"]
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [str(len(body)).encode()]

    @right
    def yields(environ, start_response):
        found = environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"] == "/count"
        start_response("200 OK" if found else "404 Not Found", [])
        if found:
            length = int(environ.get("CONTENT_LENGTH") or 0)
            yield b"%d" % len(environ["wsgi.input"].read(length))

    @right
    def writes(environ, start_response):
        if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"] == "/count":
            body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            write = start_response("200 OK", [])
            write(b"%d" % len(body))
        else:
            start_response("404 Not Found", [])
        return []

    @wrong("value", says="with the text '1204'")
    def reads_a_text(environ, start_response):
        if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) != ("POST", "/count"):
            start_response("404 Not Found", [])
            return [b"no such page"]
        body = environ["wsgi.input"].read(environ.get("CONTENT_LENGTH") or 0)
        start_response("200 OK", [])
        return [str(len(body)).encode()]

    @wrong("value", says="with the headers None")
    def no_headers(environ, start_response):
        if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) != ("POST", "/count"):
            start_response("404 Not Found")
            return [b"no such page"]
        start_response("200 OK")
        length = int(environ.get("CONTENT_LENGTH") or 0)
        return [str(len(environ["wsgi.input"].read(length))).encode()]

    @wrong("never answers", says="until the client closes it")
    def reads_to_the_end(environ, start_response):
        if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) != ("POST", "/count"):
            start_response("404 Not Found", [])
            return [b"no such page"]
        start_response("200 OK", [])
        return [str(len(environ["wsgi.input"].read())).encode()]

    @wrong("never answers", says="returned None")
    def only_what_is_found(environ, start_response):
        if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) == ("POST", "/count"):
            start_response("200 OK", [])
            length = int(environ.get("CONTENT_LENGTH") or 0)
            return [str(len(environ["wsgi.input"].read(length))).encode()]

    @wrong("never answers", says="never called `start_response`")
    def no_status_for_404(environ, start_response):
        if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) != ("POST", "/count"):
            return [b"404 Not Found"]
        start_response("200 OK", [])
        length = int(environ.get("CONTENT_LENGTH") or 0)
        return [str(len(environ["wsgi.input"].read(length))).encode()]

    @wrong("value", says="no bytes")
    def a_text(environ, start_response):
        if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) != ("POST", "/count"):
            start_response("404 Not Found", [])
            return ["no such page"]
        start_response("200 OK", [])
        length = int(environ.get("CONTENT_LENGTH") or 0)
        return [str(len(environ["wsgi.input"].read(length)))]

    @wrong("value", says="a list with the bytes")
    def bare_bytes(environ, start_response):
        if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) != ("POST", "/count"):
            start_response("404 Not Found", [])
            return b"no such page"
        start_response("200 OK", [])
        length = int(environ.get("CONTENT_LENGTH") or 0)
        return str(len(environ["wsgi.input"].read(length))).encode()

    @wrong("wrong status", says="GET /count")
    def path_alone(environ, start_response):
        if environ["PATH_INFO"] != "/count":
            start_response("404 Not Found", [])
            return [b"no such page"]
        start_response("200 OK", [])
        length = int(environ.get("CONTENT_LENGTH") or 0)
        return [str(len(environ["wsgi.input"].read(length))).encode()]

    @wrong("raised", says="CONTENT_LENGTH")
    def trusts_the_length(environ, start_response):
        found = environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"] == "/count"
        length = environ["CONTENT_LENGTH"] or 0
        body = environ["wsgi.input"].read(int(length))
        start_response("200 OK" if found else "404 Not Found", [])
        return [str(len(body)).encode()]

    @wrong("value", says="number and reason")
    def a_number(environ, start_response):
        if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) != ("POST", "/count"):
            start_response(404, [])
            return [b"no such page"]
        start_response(200, [])
        length = int(environ.get("CONTENT_LENGTH") or 0)
        return [str(len(environ["wsgi.input"].read(length))).encode()]


class Talk:
    """One request to an ASGI application: its scope, receive and send, and what became of it."""

    def __init__(self, lab, method="GET", path="/", pieces=(b"",), pause=0.0):
        self.lab, self.left, self.pause = lab, list(pieces), pause
        self.what = f"{method} {path}"
        self.status, self.body, self.ended, self.error = None, b"", False, None
        self.scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "scheme": "http",
            "query_string": b"",
            "root_path": "",
            "headers": [(b"host", b"127.0.0.1")],
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 8000),
        }

    async def receive(self):
        if not self.left:
            raise Wrong(
                "never answers",
                "It awaited `receive` again after the last piece, which says that no more comes. "
                "Nothing comes, and so it waits until the client goes away, and the client waits "
                "for the answer.",
                self.lab.line(r"\breceive\b.*\(\)"),
                try_='The last piece says `"more_body": False`, or leaves it out.',
            )
        if self.pause:
            await asyncio.sleep(self.pause)
        piece = self.left.pop(0)
        # A message may leave out what has its usual value.
        return {"type": "http.request", "body": piece} | ({"more_body": True} if self.left else {})

    async def send(self, message):
        kind = message.get("type") if isinstance(message, dict) else None
        if kind == "http.response.start":
            self._start(message)
        elif kind == "http.response.body":
            self._more(message)
        else:
            self._wrong(
                f"It sent {message!r}.",
                "A message is a dict with a `type`: "
                "`http.response.start`, then `http.response.body`.",
            )

    def _start(self, message):
        if self.status is not None:
            raise Wrong(
                "two answers to one request",
                f"{self.what}: it sent a second `http.response.start`.",
                try_="One request, one answer: `return` after the first.",
            )
        status, headers = message.get("status"), message.get("headers", [])
        if not isinstance(status, int):
            self._wrong(f"The status was {status!r}.", "ASGI wants a number: `404`.")
        if any(
            len(pair) != 2 or not all(isinstance(word, bytes) for word in pair) for pair in headers
        ):
            self._wrong(f"The headers were {headers!r}.", "ASGI wants pairs of bytes.")
        self.status = status

    def _more(self, message):
        if self.status is None:
            raise Wrong(
                "the body before the head",
                f"{self.what}: it sent a body, and no `http.response.start` before.",
                self.lab.line("http.response.body"),
                try_="Status and headers go first, for they come first on the wire.",
            )
        if self.ended:
            raise Wrong(
                "two answers to one request",
                f"{self.what}: it sent more after the end of the body.",
                try_='A body ends with the message without `"more_body": True`.',
            )
        body = message.get("body", b"")
        if not isinstance(body, (bytes, bytearray)):
            self._wrong(
                f"The body was {body!r}.",
                "A connection carries bytes: `text.encode()`.",
                "http.response.body",
            )
        self.body += body
        self.ended = not message.get("more_body", False)

    def _wrong(self, observed, try_, pattern=r"\bsend\("):
        raise Wrong("value", f"{self.what}: {observed}", self.lab.line(pattern), try_=try_)

    async def ask(self, app):
        """Have the application answer, and note an error that comes out of it."""
        try:
            await app(self.scope, self.receive, self.send)
        except Wrong:
            raise
        except Exception as error:
            self.error = error

    def value(self):
        """What the body says in JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            raise Wrong(
                "value",
                f"{self.what} gave {self.body!r}, which is no JSON.",
                try_="Return the value from the view: FastAPI makes JSON of it.",
            ) from None

    def must_have_answered(self):
        """Raise Wrong unless there was a whole answer."""
        if self.error is not None:
            if isinstance(self.error, KeyError) and self.error.args == ("more_body",):
                raise Wrong(
                    "raised",
                    f"{self.what}: KeyError: 'more_body'.",
                    self.lab.line(r"\[.more_body.\]"),
                    try_="A message may leave `more_body` out, and then nothing follows: "
                    '`message.get("more_body", False)`.',
                )
            raise self.error
        if self.status is None:
            raise Wrong(
                "never answers",
                f"{self.what}: it returned, and had sent nothing. The client waits.",
                try_="Each way through the application must end in a "
                "whole answer, the 404 as well.",
            )
        if not self.ended:
            raise Wrong(
                "never answers",
                f"{self.what}: the head was sent, and the end of the body "
                "was not. The client waits for the rest.",
                try_="Send an "
                "`http.response.body` each time, be it empty, and the last one without "
                '`"more_body": True`.',
            )


class CountASGI(Exercise):
    """An ASGI application

    The same application as before, for the other interface: write `app(scope, receive, send)`.

    - `POST /count` is answered by 200. The body of the answer is the number of bytes in the body
      of the request, written as text: `b"1204"`.
    - Everything else, another path or another method, is answered by 404, with any body you like.

    The request's body comes in pieces, some of which may be empty. Each is a message with `body`,
    and `more_body` is true if another one follows; either may be left out if it is `b""` or
    `False`. After the last piece nothing comes any more. You may send any headers, as pairs of
    bytes, or none.
    """

    id = "asgi-1"
    asks = "app"
    minutes = 12
    hints = (
        'The method is `scope["method"]`, the path `scope["path"]`. `receive()` and `send(message)` '
        "are awaited.",
        "One `await receive()` gives one piece. When do you stop to ask?",
        'First `{"type": "http.response.start", "status": 200, "headers": []}`, then '
        '`{"type": "http.response.body", "body": b"…"}`, for the 404 as well.',
    )

    def verify(self, app, lab):
        for method, path, pieces, status, body in (
            ("POST", "/count", [b"x" * 1204], 200, b"1204"),
            ("POST", "/count", [b"x" * 65536, b"", b"y" * 65536, b"z"], 200, b"131073"),
            ("POST", "/count", [b""], 200, b"0"),
            ("GET", "/count", [b""], 404, None),
            ("POST", "/nothing", [b"abc", b"def"], 404, None),
            ("GET", "/nothing", [b""], 404, None),
        ):
            number = "one piece" if len(pieces) == 1 else f"{len(pieces)} pieces"
            said = f"with {method} {path} and a body of {sum(map(len, pieces))} bytes in {number}"
            talk = Talk(lab, method, path, pieces, pause=0.1)
            lab.run(self._ask(app, lab, said, talk))
            talk.must_have_answered()
            if talk.status != status:
                raise Wrong(
                    "wrong status",
                    f"It answered {talk.status}, not {status}.",
                    try_="Look at the method and at the path.",
                )
            if body is not None and talk.body != body and talk.left:
                raise Wrong(
                    "one read is one message",
                    f"It answered {talk.body!r} for {body!r}: {len(talk.left)} of "
                    f"{number} had not been received.",
                    lab.line(r"\breceive\b.*\(\)"),
                    try_="A body comes in pieces, and some may be empty. `more_body` says "
                    "whether another follows.",
                )
            if body is not None:
                lab.equal(talk.body, body, what="The body was")

    async def _ask(self, app, lab, said, talk):
        lab.told(said)
        await talk.ask(app)

    @right
    async def in_a_loop(scope, receive, send):
        """Answer POST /count with the number of bytes, everything else with 404."""
        status, answer = 404, b"no such page"
        if (scope["method"], scope["path"]) == ("POST", "/count"):
            length, more = 0, True
            while more:
                message = await receive()
                length += len(message.get("body", b""))
                more = message.get("more_body", False)
            status, answer = 200, str(length).encode()
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": answer})

    @right
    async def pieces_joined(scope, receive, send):
        async def answer(status, body):
            headers = [(b"content-length", b"%d" % len(body))]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": body})

        if scope["method"] != "POST" or scope["path"] != "/count":
            return await answer(404, b"")
        message = await receive()
        body = message.get("body", b"")
        while message.get("more_body"):
            message = await receive()
            body += message.get("body", b"")
        await answer(200, b"%d" % len(body))

    @right
    async def names_of_the_library(scope, receive, send):
        from http import HTTPStatus

        status, answer = HTTPStatus.NOT_FOUND, bytearray()
        if scope["method"] == "POST" and scope["path"] == "/count":
            status, more = HTTPStatus.OK, True
            while more:
                message = await receive()
                answer += message.get("body", b"")
                more = message.get("more_body")
            answer = bytearray(str(len(answer)).encode())
        await send({"type": "http.response.start", "status": status})
        await send({"type": "http.response.body", "body": answer})

    @wrong("raised", says="may leave")
    async def more_body_is_always_there(scope, receive, send):
        found = (scope["method"], scope["path"]) == ("POST", "/count")
        length, more = 0, True
        while more:
            message = await receive()
            length, more = length + len(message["body"]), message["more_body"]
        await send({"type": "http.response.start", "status": 200 if found else 404, "headers": []})
        await send({"type": "http.response.body", "body": b"%d" % length})

    @wrong("one read is one message", says="3 of 4 pieces")
    async def first_piece(scope, receive, send):
        status, answer = 404, b"no such page"
        if (scope["method"], scope["path"]) == ("POST", "/count"):
            status, answer = 200, b"%d" % len((await receive())["body"])
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": answer})

    @wrong("never answers", says="again after the last piece")
    async def until_empty(scope, receive, send):
        status, answer = 404, b"no such page"
        if (scope["method"], scope["path"]) == ("POST", "/count"):
            length = 0
            while piece := (await receive())["body"]:
                length += len(piece)
            status, answer = 200, b"%d" % length
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": answer})

    @wrong("never answers", says="had sent nothing")
    async def only_what_is_found(scope, receive, send):
        if (scope["method"], scope["path"]) == ("POST", "/count"):
            length, more = 0, True
            while more:
                message = await receive()
                length, more = length + len(message["body"]), message.get("more_body", False)
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"%d" % length})

    @wrong("never answers", says="the end of the body was not")
    async def head_alone_for_404(scope, receive, send):
        if (scope["method"], scope["path"]) != ("POST", "/count"):
            await send({"type": "http.response.start", "status": 404, "headers": []})
            return
        length, more = 0, True
        while more:
            message = await receive()
            length, more = length + len(message["body"]), message.get("more_body", False)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"%d" % length})

    @wrong("two answers to one request", says="a second")
    async def goes_on_after_404(scope, receive, send):
        if (scope["method"], scope["path"]) != ("POST", "/count"):
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b"no such page"})
        length, more = 0, True
        while more:
            message = await receive()
            length, more = length + len(message["body"]), message.get("more_body", False)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"%d" % length})

    @wrong("the body before the head", says="no `http.response.start` before")
    async def body_first(scope, receive, send):
        length, more = 0, True
        while more:
            message = await receive()
            length, more = length + len(message["body"]), message.get("more_body", False)
        found = (scope["method"], scope["path"]) == ("POST", "/count")
        await send({"type": "http.response.body", "body": b"%d" % length})
        await send({"type": "http.response.start", "status": 200 if found else 404, "headers": []})

    @wrong("not awaited", says="send")
    async def sends_without_await(scope, receive, send):
        found = (scope["method"], scope["path"]) == ("POST", "/count")
        length, more = 0, True
        while more:
            message = await receive()
            length, more = length + len(message["body"]), message.get("more_body", False)
        send({"type": "http.response.start", "status": 200 if found else 404, "headers": []})
        send({"type": "http.response.body", "body": b"%d" % length})

    @wrong("value", says="ASGI wants a number")
    async def as_in_wsgi(scope, receive, send):
        found = (scope["method"], scope["path"]) == ("POST", "/count")
        status = "200 OK" if found else "404 Not Found"
        length, more = 0, True
        while more:
            message = await receive()
            length, more = length + len(message["body"]), message.get("more_body", False)
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b"%d" % length})


def must_be_asgi(app):
    """Raise Wrong unless a server could call this as an ASGI application."""
    if not callable(app):
        raise Wrong("value", f"It returned {app!r}.", try_="Return the application.")
    if hasattr(app, "wsgi_app"):
        raise Wrong(
            "value", f"It returned {app!r}, an application for WSGI.", try_="FastAPI is asked for."
        )


class TenParts(Exercise):
    """Ten waits in one page

    A page is put together from ten parts, and each comes from another server. Write the coroutine
    function `page(ask, parts, seconds)`: it returns a dict from each of `parts`, in their order,
    to what `await ask(part)` gives. Ask for all of them at once.

    The visitor waits `seconds` at most. What isn't there by then, and what fails with an
    `OSError`, is `None` in the dict; the other parts are there all the same. If all come sooner,
    so does the page. Leave nothing running.
    """

    id = "ten-parts-1"
    equivalent = {
        "with_wait: drop await, line 9": "what is cancelled here has nothing to clean up, and ends "
        "in its next turn",
    }
    asks = "page"
    minutes = 12
    hints = (
        "Each part can see to its own timeout and its own failure: a coroutine around `ask`.",
        "In that coroutine: `async with asyncio.timeout(seconds)`, and `except` for both errors.",
        "Start one task for each part in a TaskGroup, and take their results at its end.",
    )

    def verify(self, page, lab):
        parts = [f"part {number}" for number in range(10)]
        waits = {part: 1 + number * 7 % 10 / 10 for number, part in enumerate(parts)}
        ask = lab.service(waits, {part: part.upper() for part in parts}, name="ask")
        run = lab.run(page, ask, parts, 5)
        lab.equal(run.result, {part: part.upper() for part in parts})
        if abs(run.elapsed - 5) < 0.001:
            raise Wrong(
                "waits though all is there",
                "All parts were there after 1.9 s, and the page came after 5 s.",
                lab.line("sleep"),
                try_="`seconds` is the longest that the visitor waits: `asyncio.timeout` "
                "or `asyncio.wait(..., timeout=...)` go on sooner.",
            )
        lab.concurrent(run, longest=1.9, total=sum(waits.values()))

        waits = dict(waits, **{"part 3": 30, "part 4": 4.5})
        errors = {"part 6": ConnectionError("part 6 is down")}
        ask = lab.service(waits, {part: part.upper() for part in parts}, errors, name="ask")
        lab.told("with ten parts and 5 s; part 3 takes 30 s, part 4 takes 4.5 s, and part 6 fails")
        try:
            run = lab.run(self._page(page, ask, parts, lab))
        except TimeoutError:
            raise Wrong(
                "lost what was there",
                "It raised a TimeoutError: eight parts had come, and "
                "the visitor sees none of them.",
                lab.line("timeout|wait_for"),
                try_="One timeout for each part, or `asyncio.wait`, keeps what is there.",
            ) from None
        except ConnectionError:
            raise Wrong(
                "lost what was there",
                "One part failed, and its error ended the page: the "
                "visitor sees nothing of the others.",
                try_="Catch `OSError` around each part's own `ask`.",
            ) from None
        except BaseExceptionGroup:
            raise Wrong(
                "lost what was there",
                "One part failed, and the TaskGroup cancelled the "
                "others: the visitor sees nothing.",
                try_="Catch `OSError` inside the task, around its own `ask`.",
            ) from None
        expected = {part: part.upper() for part in parts} | {"part 3": None, "part 6": None}
        if isinstance(run.result, dict):
            for part, got in run.result.items():
                if isinstance(got, BaseException):
                    raise Wrong(
                        "an error for a part",
                        f"`{part}` is {got!r} in the dict.",
                        try_="The page shows what it has; what failed is `None`.",
                    )
        if run.elapsed > 5.001:
            raise Wrong(
                "the visitor waited longer",
                f"It took {run.elapsed:g} s; the visitor waits 5 s at most.",
                lab.line("timeout|wait"),
                try_="All the timeouts must begin at the same moment.",
            )
        if isinstance(run.result, dict) and run.result.get("part 4", 0) is None:
            raise Wrong(
                "lost what was there",
                "Part 4 came after 4.5 s, in time, and is `None`.",
                try_="Only part 3 is too late, and only part 6 failed. What else can end "
                "part 4: the failure of another, or a timeout that is too short?",
            )
        lab.equal(run.result, expected)
        if list(run.result) != parts:
            at = next(n for n, part in enumerate(parts) if list(run.result)[n] != part)
            raise Wrong(
                "order",
                f"`{list(run.result)[at]}` stands in the dict where `{parts[at]}` should.",
                try_="Make the dict in the order of `parts`, when all is there.",
            )

    async def _page(self, page, ask, parts, lab):
        return await page(ask, parts, 5)

    @right
    async def each_its_own(ask, parts, seconds):
        """Return part → what `ask` gives, all at once; None for what is late or fails."""

        async def one(part):
            with contextlib.suppress(OSError):  # a TimeoutError is one as well
                async with asyncio.timeout(seconds):
                    return await ask(part)

        async with asyncio.TaskGroup() as group:
            tasks = {part: group.create_task(one(part)) for part in parts}
        return {part: task.result() for part, task in tasks.items()}

    @right
    async def with_wait(ask, parts, seconds):
        tasks = {part: asyncio.create_task(ask(part)) for part in parts}
        done, late = await asyncio.wait(tasks.values(), timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        return {
            part: None if task in late or task.exception() else task.result()
            for part, task in tasks.items()
        }

    @wrong("sequential", says="1.9 s")
    async def in_turn(ask, parts, seconds):
        page = {}
        for part in parts:
            try:
                page[part] = await asyncio.wait_for(ask(part), seconds)
            except OSError:
                page[part] = None
        return page

    @wrong("waits though all is there", says="after 5 s")
    async def sleeps_it_out(ask, parts, seconds):
        tasks = {part: asyncio.create_task(ask(part)) for part in parts}
        await asyncio.sleep(seconds)
        for task in tasks.values():
            task.cancel()
        await asyncio.wait(tasks.values())
        return {
            part: None if task.cancelled() or task.exception() else task.result()
            for part, task in tasks.items()
        }

    @wrong("lost what was there", says="TimeoutError")
    async def one_timeout(ask, parts, seconds):
        async with asyncio.timeout(seconds):
            got = await asyncio.gather(*(ask(part) for part in parts), return_exceptions=True)
        return {part: None if isinstance(g, OSError) else g for part, g in zip(parts, got)}

    @wrong("lost what was there", says="TaskGroup cancelled")
    async def plain_group(ask, parts, seconds):
        async def one(part):
            with contextlib.suppress(TimeoutError):
                return await asyncio.wait_for(ask(part), seconds)

        async with asyncio.TaskGroup() as group:
            tasks = {part: group.create_task(one(part)) for part in parts}
        return {part: task.result() for part, task in tasks.items()}

    @wrong("an error for a part", says="in the dict")
    async def errors_as_values(ask, parts, seconds):
        asking = (asyncio.wait_for(ask(part), seconds) for part in parts)
        return dict(zip(parts, await asyncio.gather(*asking, return_exceptions=True)))

    @wrong("leaked")
    async def leaves_the_late_ones(ask, parts, seconds):
        tasks = {part: asyncio.create_task(ask(part)) for part in parts}
        done, late = await asyncio.wait(tasks.values(), timeout=seconds)
        return {
            part: None if task in late or task.exception() else task.result()
            for part, task in tasks.items()
        }

    @wrong("the visitor waited longer", says="5 s at most")
    async def one_timeout_after_the_other(ask, parts, seconds):
        tasks = {part: asyncio.create_task(ask(part)) for part in parts}
        page = {}
        for part, task in tasks.items():
            try:
                page[part] = await asyncio.wait_for(task, seconds)
            except OSError:
                page[part] = None
        return page

    @wrong("lost what was there", says="part failed")
    async def timeouts_alone(ask, parts, seconds):
        async def one(part):
            try:
                return await asyncio.wait_for(ask(part), seconds)
            except TimeoutError:
                return None

        got = await asyncio.gather(*(one(part) for part in parts))
        return dict(zip(parts, got))


PRICES = {"tea": 3, "soup": 5, "toast": 2, "cake": 4}


class Blocking(Exercise):
    """A blocking call in an endpoint

    `look_up(name)` asks a database through an old library: an ordinary function that blocks its
    thread for a while, returns a price, and raises KeyError for a name that it doesn't know. It
    may be called from several threads at once.

    Write `make_app(look_up)`. It returns a FastAPI application that answers `GET /price/{name}`
    with `{"name": name, "price": price}`, and with status 404 where the name is not known
    (`raise HTTPException(404)` does that). While one request waits for the database others must
    be served.
    """

    id = "endpoint-1"
    asks = "make_app"
    minutes = 8
    clock = "real"
    limit = 6
    given = "from fastapi import FastAPI, HTTPException"
    hints = (
        "Who calls a view that is `async def`, and in which thread? And a plain `def`?",
        "There are two good ways. One of them needs no `await` at all.",
        "Either a view that is a plain `def`, or `await asyncio.to_thread(look_up, name)`.",
    )

    def verify(self, make_app, lab):
        inside, most, lock = 0, 0, threading.Lock()

        def look_up(name):
            nonlocal inside, most
            with lock:
                inside += 1
                most = max(most, inside)
            try:
                threading.Event().wait(0.06)  # blocks its thread, as a socket would
                return PRICES[name]
            finally:
                with lock:
                    inside -= 1

        names = [*PRICES, "nothing"]
        app = lab.call(make_app, lab.blocking(look_up))
        must_be_asgi(app)
        talks = [Talk(lab, path=f"/price/{name}") for name in names]
        lab.told("and asked for five prices at once")
        lab.run(self._at_once(app, talks), leaks=True)
        # FastAPI keeps each view for ever in its caches, and with it a pool that the view uses.
        for pool in gc.get_objects():
            if isinstance(pool, ThreadPoolExecutor):
                pool.shutdown(wait=False)
        for name, talk in zip(names, talks):
            self._judge(name, talk, lab)
        if most < 2:
            held = lab.line(r"\.result\(|\.join\(")
            raise Wrong(
                "blocked" if held else "one at a time",
                "`look_up` was never called while another call of it was under way.",
                held or lab.line(r"Lock\(|Semaphore\(|Executor\("),
                try_="Wait for the thread with `await`, and let the others in."
                if held
                else "It may be called from several threads at once: keep nobody out.",
            )

    async def _at_once(self, app, talks):
        await asyncio.gather(*(talk.ask(app) for talk in talks))

    def _judge(self, name, talk, lab):
        if isinstance(talk.error, KeyError) and name not in PRICES:
            raise Wrong(
                "500 for 404",
                f"GET /price/{name}: the KeyError of `look_up` came out, and "
                "the client is told 500, as if the server were broken.",
                try_="Catch it, and `raise HTTPException(404)`.",
            )
        talk.must_have_answered()
        if name in PRICES:
            if talk.status != 200:
                raise Wrong(
                    "wrong status",
                    f"{talk.what} answered {talk.status}, not 200.",
                    try_="Look at the path of the route.",
                )
            lab.equal(talk.value(), {"name": name, "price": PRICES[name]}, what=f"{talk.what} gave")
        elif talk.status != 404:
            raise Wrong(
                "wrong status",
                f"{talk.what} answered {talk.status}, not 404.",
                try_="`raise HTTPException(404)` where `look_up` raises KeyError.",
            )

    @right
    def plain_def(look_up):
        """Return an application that answers GET /price/{name} by `look_up`."""
        app = FastAPI()

        @app.get("/price/{name}")
        def price(name: str):
            try:
                return {"name": name, "price": look_up(name)}
            except KeyError:
                raise HTTPException(404)

        return app

    @right
    def in_a_thread(look_up):
        app = FastAPI()

        @app.get("/price/{name}")
        async def price(name: str):
            try:
                return {"name": name, "price": await asyncio.to_thread(look_up, name)}
            except KeyError:
                raise HTTPException(404)

        return app

    @right
    def in_a_pool_of_its_own(look_up):
        app, pool = FastAPI(), ThreadPoolExecutor(8)

        @app.get("/price/{name}")
        async def price(name: str):
            asked = asyncio.get_running_loop().run_in_executor(pool, look_up, name)
            try:
                return {"name": name, "price": await asked}
            except KeyError:
                raise HTTPException(404)

        return app

    @wrong("value", says="for WSGI")
    def with_flask(look_up):
        from flask import Flask

        app = Flask("prices")

        @app.get("/price/<name>")
        def price(name):
            return {"name": name, "price": look_up(name)}

        return app

    @wrong("blocked", says="look_up")
    def async_def(look_up):
        app = FastAPI()

        @app.get("/price/{name}")
        async def price(name: str):
            try:
                return {"name": name, "price": look_up(name)}
            except KeyError:
                raise HTTPException(404)

        return app

    @wrong("blocked", says="look_up")
    def sleeps_first(look_up):
        app = FastAPI()

        @app.get("/price/{name}")
        async def price(name: str):
            await asyncio.sleep(0)
            try:
                return {"name": name, "price": look_up(name)}
            except KeyError:
                raise HTTPException(404)

        return app

    @wrong("blocked", says="look_up")
    def async_helper(look_up):
        app = FastAPI()

        async def ask(name):
            return look_up(name)

        @app.get("/price/{name}")
        async def price(name: str):
            try:
                return {"name": name, "price": await ask(name)}
            except KeyError:
                raise HTTPException(404)

        return app

    @wrong("blocked", says="another call")
    def waits_for_the_thread(look_up):
        app, pool = FastAPI(), ThreadPoolExecutor(8)

        @app.get("/price/{name}")
        async def price(name: str):
            try:
                return {"name": name, "price": pool.submit(look_up, name).result()}
            except KeyError:
                raise HTTPException(404)

        return app

    @wrong("blocked", says="look_up")
    def argument_first(look_up):
        app = FastAPI()

        @app.get("/price/{name}")
        async def price(name: str):
            try:
                answer = {"name": name, "price": look_up(name)}
            except KeyError:
                raise HTTPException(404)
            return await asyncio.to_thread(dict, answer)

        return app

    @wrong("one at a time", says="never called while")
    def one_at_a_time(look_up):
        app, lock = FastAPI(), asyncio.Lock()

        @app.get("/price/{name}")
        async def price(name: str):
            try:
                async with lock:
                    return {"name": name, "price": await asyncio.to_thread(look_up, name)}
            except KeyError:
                raise HTTPException(404)

        return app

    @wrong("500 for 404", says="came out")
    def no_404(look_up):
        app = FastAPI()

        @app.get("/price/{name}")
        def price(name: str):
            return {"name": name, "price": look_up(name)}

        return app

    @wrong("wrong status", says="not 404")
    def nothing_for_404(look_up):
        app = FastAPI()

        @app.get("/price/{name}")
        def price(name: str):
            try:
                return {"name": name, "price": look_up(name)}
            except KeyError:
                return {"name": name, "price": None}

        return app


class Pool:
    """What `connect` gives: it must be open while it is asked, and closed at the end."""

    def __init__(self, lab):
        self.lab, self.open, self.asked = lab, True, 0
        self.loop, self.strayed = asyncio.get_running_loop(), False

    async def price(self, name):
        self.strayed = self.strayed or asyncio.get_running_loop() is not self.loop
        if not self.open:
            raise Wrong(
                "closed too early",
                "A request asked a pool that was closed.",
                self.lab.line(r"\.close\("),
                try_="Close it after the `yield` of the lifespan, when the last request is over.",
            )
        self.asked += 1
        await asyncio.sleep(0.1)
        return PRICES[name]

    async def close(self):
        await asyncio.sleep(0.1)
        self.open = False


class Lifespan(Exercise):
    """A pool for as long as the application lives

    `await connect()` opens a pool of connections to a database. It takes a while. `await
    pool.price(name)` asks it for a price, and may be called by many at once; `await pool.close()`
    closes it.

    Write `make_app(connect)`. It returns a FastAPI application that answers `GET /price/{name}`
    with the price. The application opens one pool when the server starts it up, before the first
    request, uses it for all requests, and closes it when the server shuts it down.
    """

    id = "lifespan-1"
    asks = "make_app"
    minutes = 10
    given = """
        from contextlib import asynccontextmanager

        from fastapi import FastAPI
        """
    hints = (
        "Whose life is as long as the pool's? Neither a request's nor that of the module.",
        "`FastAPI(lifespan=...)` takes a function of the application, decorated with "
        "`@asynccontextmanager`.",
        "Before the `yield` of the lifespan: `await connect()`. After it: `await pool.close()`. "
        "Keep the pool where the view can see it, as `app.state.pool`.",
    )

    def verify(self, make_app, lab):
        pools, moments = [], {"phase": "before the startup"}

        async def connect():
            pools.append(Pool(lab))
            moments.setdefault("connected", moments["phase"])
            await asyncio.sleep(0.5)
            return pools[-1]

        app = lab.call(make_app, connect)
        must_be_asgi(app)
        talks = [Talk(lab, path=f"/price/{name}") for name in PRICES]
        lab.told("and started the application up, asked for four prices, and shut it down")
        try:
            lab.run(self._live(app, talks, moments, lab))
        except RuntimeError as error:
            if "Event loop is closed" not in str(error) and "different loop" not in str(error):
                raise
        self._judge(pools, moments, talks, lab)

    async def _live(self, app, talks, moments, lab):
        to_app, from_app = asyncio.Queue(), asyncio.Queue()

        async def said(event):
            moments["phase"] = event
            await to_app.put({"type": f"lifespan.{event}"})
            answer = asyncio.create_task(from_app.get())
            await asyncio.wait({answer, living}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                answer.cancel()
                raise living.exception() or Wrong(
                    "no lifespan",
                    f"Asked for the {event}, the application ended without an answer.",
                    try_="A lifespan has one `yield`.",
                )
            message = answer.result()
            if message["type"].endswith("failed"):
                await asyncio.wait({living})
                last = " ".join(message.get("message", "").strip().splitlines()[-1:])
                if "not an async iterator" in last:
                    raise Wrong(
                        "no lifespan",
                        "The lifespan has no `yield`.",
                        try_="What stands before the `yield` is the startup, what comes "
                        "after it the shutdown.",
                    )
                advice = (
                    "`FastAPI(lifespan=...)` takes a function, decorated with "
                    "`@asynccontextmanager`, and calls it."
                )
                raise Wrong(
                    "raised",
                    f"The {event} failed: {last}",
                    try_=advice if "context manager" in last else "",
                )

        state = {}  # what a lifespan yields, and each request gets a copy of
        living = asyncio.create_task(
            app(
                {"type": "lifespan", "asgi": {"version": "3.0"}, "state": state},
                to_app.get,
                from_app.put,
            )
        )
        await said("startup")
        moments["phase"] = "the first request"
        for talk in talks:
            talk.scope["state"] = dict(state)
        await asyncio.gather(*(talk.ask(app) for talk in talks[1:]))
        await talks[0].ask(app)  # alone, when the others are over
        if errors := [talk for talk in talks if talk.error is not None]:
            moments["failed"] = errors[0]
            return living.cancel()
        await said("shutdown")
        await asyncio.wait({living})

    def _judge(self, pools, moments, talks, lab):
        if not pools and any("'coroutine' object" in str(talk.error) for talk in talks):
            raise Wrong(
                "not awaited",
                "`connect` was called, and nobody awaited it: a coroutine "
                "was asked for the prices.",
                lab.line(r"connect\(\)"),
            )
        if not pools:
            raise Wrong(
                "never connected",
                "Nobody called `connect`.",
                try_="Startup is what stands "
                "before the `yield` of the lifespan. Did FastAPI get it?",
            )
        if moments["connected"] == "before the startup":
            raise Wrong(
                "connected before the startup",
                "The pool was opened while the application "
                "was made. A server makes an application on no loop, or on another one.",
                lab.line("connect"),
                try_="Open it in the lifespan, before its `yield`.",
            )
        if len(pools) > 1:
            raise Wrong(
                "a pool for each request",
                f"`connect` was called {len(pools)} times, for {len(talks)} requests.",
                lab.line(r"connect\(\)"),
                try_="Open one pool at the startup, and let all requests use it.",
            )
        if pools[0].strayed:
            raise Wrong(
                "another loop",
                "The pool was opened on the server's loop, and asked on "
                "another one. A pool's connections belong to the loop that opened them.",
                lab.line(r"\.run\("),
                try_="Write the view as `async def`, and `await`.",
            )
        for name, talk in zip(PRICES, talks):
            if isinstance(talk.error, NameError) and lab.line(rf"\b{talk.error.name} = await"):
                raise Wrong(
                    "raised",
                    f"{talk.what}: NameError: {talk.error}.",
                    lab.line(rf"\b{talk.error.name} = await"),
                    try_="A name that is set in the lifespan is the lifespan's own. Keep "
                    "the pool where the view can see it, as `app.state.pool`.",
                )
            talk.must_have_answered()
            if talk.status != 200:
                raise Wrong(
                    "wrong status",
                    f"{talk.what} answered {talk.status}, not 200.",
                    try_="Look at the path of the route.",
                )
            lab.equal(talk.value(), PRICES[name], what=f"{talk.what} gave")
        if pools[0].open:
            raise Wrong(
                "left open",
                "The server has shut the application down, and the pool is still open.",
                lab.line(r"connect\(\)"),
                try_="Close it after the `yield` of the lifespan, with `await`.",
            )
        if moments["connected"] != "startup":
            raise Wrong(
                "connected too late",
                "The pool was opened by a request, which had to wait for it.",
                lab.line(r"connect\(\)"),
                try_="Open it in the lifespan, before its `yield`.",
            )

    @right
    def with_lifespan(connect):
        """Return an application that answers GET /price/{name} from one pool."""

        @asynccontextmanager
        async def lifespan(app):
            app.state.pool = await connect()
            yield
            await app.state.pool.close()

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            return await app.state.pool.price(name)

        return app

    @right
    def in_finally(connect):
        kept = {}

        @asynccontextmanager
        async def lifespan(app):
            kept["pool"] = await connect()
            try:
                yield
            finally:
                await kept.pop("pool").close()

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            return await kept["pool"].price(name)

        return app

    @wrong("raised", says="the lifespan's own")
    def a_local_name(connect):
        @asynccontextmanager
        async def lifespan(app):
            pool = await connect()
            yield
            await pool.close()

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            return await pool.price(name)  # noqa: F821

        return app

    @wrong("raised", says="and calls it")
    def an_ordinary_manager(connect):
        @contextlib.contextmanager
        def lifespan(app):
            app.state.pool = asyncio.run(connect())
            yield

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            return await app.state.pool.price(name)

        return app

    @wrong("another loop", says="belong to the loop")
    def a_loop_for_each(connect):
        @asynccontextmanager
        async def lifespan(app):
            app.state.pool = await connect()
            yield
            await app.state.pool.close()

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        def price(name: str):
            return asyncio.run(app.state.pool.price(name))

        return app

    @wrong("value", says="no JSON")
    def a_text(connect):
        from fastapi.responses import PlainTextResponse

        @asynccontextmanager
        async def lifespan(app):
            app.state.pool = await connect()
            yield
            await app.state.pool.close()

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            return PlainTextResponse(f"it costs {await app.state.pool.price(name)}")

        return app

    @wrong("left open", says="still open")
    def never_closed(connect):
        @asynccontextmanager
        async def lifespan(app):
            app.state.pool = await connect()
            yield

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            return await app.state.pool.price(name)

        return app

    @wrong("a pool for each request", says="4 times")
    def one_each(connect):
        app = FastAPI()

        @app.get("/price/{name}")
        async def price(name: str):
            pool = await connect()
            try:
                return await pool.price(name)
            finally:
                await pool.close()

        return app

    @wrong("left open", says="still open")
    def when_first_needed(connect):
        app, lock, kept = FastAPI(), asyncio.Lock(), []

        @app.get("/price/{name}")
        async def price(name: str):
            async with lock:
                if not kept:
                    kept.append(await connect())
            return await kept[0].price(name)

        return app

    @wrong("a pool for each request", says="times")
    def all_find_none(connect):
        app, kept = FastAPI(), []

        @app.get("/price/{name}")
        async def price(name: str):
            if not kept:
                kept.append(await connect())
            return await kept[0].price(name)

        return app

    @wrong("closed too early", says="was closed")
    def closed_before_yield(connect):
        @asynccontextmanager
        async def lifespan(app):
            app.state.pool = await connect()
            await app.state.pool.close()
            yield

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            return await app.state.pool.price(name)

        return app

    @wrong("not awaited", says="close")
    def close_not_awaited(connect):
        @asynccontextmanager
        async def lifespan(app):
            app.state.pool = await connect()
            yield
            app.state.pool.close()

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            return await app.state.pool.price(name)

        return app

    @wrong("not awaited", says="asked for the prices")
    def connect_not_awaited(connect):
        @asynccontextmanager
        async def lifespan(app):
            app.state.pool = connect()
            yield
            await app.state.pool.close()

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            return await app.state.pool.price(name)

        return app

    @wrong("closed too early", says="was closed")
    def closed_by_each(connect):
        @asynccontextmanager
        async def lifespan(app):
            app.state.pool = await connect()
            yield

        app = FastAPI(lifespan=lifespan)

        @app.get("/price/{name}")
        async def price(name: str):
            try:
                return await app.state.pool.price(name)
            finally:
                await app.state.pool.close()

        return app

    @wrong("never connected", says="Did FastAPI get it?")
    def not_handed_over(connect):
        @asynccontextmanager
        async def lifespan(app):
            app.state.pool = await connect()
            yield
            await app.state.pool.close()

        app = FastAPI()

        @app.get("/price/{name}")
        async def price(name: str):
            return await app.state.pool.price(name)

        return app

    @wrong("connected before the startup", says="on no loop")
    def while_it_is_made(connect):
        app, pool = FastAPI(), asyncio.run(connect())

        @app.get("/price/{name}")
        async def price(name: str):
            return await pool.price(name)

        return app
