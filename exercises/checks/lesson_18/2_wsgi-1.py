import ast
import inspect

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import goes_past


class Body:
    """A request's body as a WSGI server gives it: the connection stays open behind it."""

    def __init__(self, lab, body):
        self.lab, self.body, self.at = lab, body, 0

    def read(self, size=-1):
        if isinstance(size, str):
            raise Wrong(
                "value",
                f"It called `read` with the text {size!r}.",
                self.lab.call_of("read*"),
                try_="How many bytes is a number: `int(...)`.",
            )
        left = len(self.body) - self.at
        if size is None or size < 0 or size > left:
            asked = "all there is" if size is None or size < 0 else f"{size} bytes"
            raise Wrong(
                "never answers",
                f"It asked the connection for {asked}; {left} bytes of the body were "
                "left. On a real connection that waits until the client closes it, and the client "
                "waits for the answer.",
                self.lab.call_of("read*"),
                try_="Read as many bytes as `CONTENT_LENGTH` says, and no more.",
            )
        self.at += size
        return self.body[self.at - size : self.at]

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

    `environ["wsgi.input"].read(number)` reads that many bytes of the body, and
    `environ["CONTENT_LENGTH"]` says how many there are: a text of digits, which may be missing or
    empty where there is no body. You may send any headers.
    """

    id = "wsgi-1"
    equivalent = {
        "yields: or None, line 6": "a number written as text is never empty",
        "IsAClass: or None, line 12": "a number written as text is never empty",
    }
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
            ("POST", "/count", bytes(20_000_001), "20000001", 200, b"20000001"),
        ):
            told = (
                ""
                if length or method == "GET"
                else f"; there is {'an empty' if length == '' else 'no'} CONTENT_LENGTH"
            )
            lab.told(f"with {method} {path} and a body of {len(body)} bytes{told}")
            try:
                got_status, got = self._ask(app, lab, method, path, body, length)
            except ValueError as error:
                if length == "" and str(error).endswith("''"):  # of `int("")`
                    raise self._empty_length(lab, error) from None
                raise
            self._compare_status(lab, method, path, got_status, status)
            if answer is not None:
                lab.equal(got, answer, what="The answer was")

    @sweep(
        lambda some: {
            "method": some.sampled_from(("POST", "POST", "POST", "GET", "PUT")),
            "path": some.sampled_from(
                ("/count", "/count", "/count", "/counts", "/count/", "/a/count", "/", "")
            ),
            "body": some.sampled_from((b"", b"\n", b"\0\xff", "é".encode(), b"a b\r\nc")),
            "length": some.sampled_from(("0", "", None)),
        },
        most=50,
    )
    def any_request(self, app, lab, method, path, body, length):
        lab.told(f"with {method} {path} and the body {body!r}")
        said = str(len(body)) if body else length
        status, answer = self._ask(app, lab, method, path, body, said)
        asked = 200 if (method, path) == ("POST", "/count") else 404
        self._compare_status(lab, method, path, status, asked)
        stripped = lab.call_of("*strip")
        if status == 200 and stripped and answer == b"%d" % len(body.strip()):
            lab.equal(answer, b"%d" % len(body), what="The answer was", line=stripped)
        return {"the answer was": answer} if status == 200 else {}

    def _compare_status(self, lab, method, path, got, asked):
        if got == asked:
            return
        line, try_ = lab.condition("environ"), "Look at the method and at the path."
        if got not in (200, 404):
            line = lab.literal(str(got)) or line
            try_ = "Two answers are asked for, and no third: `200 OK` and `404 Not Found`."
        elif got == 200 and method == "POST":
            line = _changing_path(lab) or lab.literal("/count") or line
            try_ = f"The path must be `/count` and nothing else: {path!r} is another one."
        elif got == 200 and path == "/count":
            try_ = f"The method must be POST: a {method} of the same path must be answered by 404."
        if got == 200 and (both := _if_both_are_wrong(lab)):
            line = both
            try_ = "`and` is true only if both are wrong, the path and the method. One of them is "
            try_ += "enough for a 404: `or`."
        raise Wrong(
            "protocol", f"It answered {got}, not {asked}.", line, try_, headline="wrong status"
        )

    def _empty_length(self, lab, error):
        gets = [call for call in lab.text.calls_of("get") if "_LENGTH" in ast.unparse(call)]
        default = any(len(call.args) == 2 for call in gets)
        return Wrong(
            "raised",
            f"It raised ValueError: {error}.",
            lab.text.of_traceback(error),
            "The length may be there and be empty. That means 0, and `int` can't read it."
            + (" The default of `get` is for a key that is missing." if default else ""),
            headline="raised ValueError",
            at="raises it",
        )

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
                    lab.call_of("start_response"),
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
                    lab.call_of("start_response"),
                    try_="Headers are a list of pairs of texts.",
                )
            said.append(int(status[:3]))
            return written.append  # the old way to answer, which the interface still allows

        pieces = app(environ, start_response)
        if inspect.iscoroutine(pieces):
            pieces.close()
            raise Wrong(
                "async for plain",
                "It is `async def`: a WSGI server "
                "calls it, and gets a coroutine that it can't await.",
                lab.coroutine_function(),
                try_="WSGI knows no `await`. Write `def`.",
                headline="an ordinary function is asked for",
            )
        if pieces is None:
            past = goes_past(lab, method, returns=True)
            raise Wrong(
                "never answers",
                "It returned None, and a server has nothing to send.",
                past,
                try_="Return a list of bytes each time, for a 404 as well.",
                at="goes on to the end, without a `return`" if past else "",
            )
        if isinstance(pieces, (str, bytes)):
            raise Wrong(
                "value",
                f"It returned {pieces!r}.",
                lab.returning(),
                try_="Return a list with the bytes in it. A server iterates over what you return, "
                + (
                    "and iterating over bytes gives numbers."
                    if isinstance(pieces, bytes)
                    else "and iterating over a text gives letters."
                ),
            )
        pieces = list(pieces)
        if strange := [piece for piece in pieces if not isinstance(piece, bytes)]:
            raise Wrong(
                "value",
                f"The body held {strange[0]!r}, a {type(strange[0]).__name__}, not bytes.",
                lab.returning(),
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
                "protocol",
                f"It called `start_response` {len(said)} times.",
                lab.call_of("start_response"),
                try_="One request, one answer.",
                headline="two answers to one request",
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

    @right
    class IsAClass:
        def __init__(self, environ, start_response):
            self.environ, self.start_response = environ, start_response

        def __iter__(self):
            wanted = self.environ["REQUEST_METHOD"], self.environ["PATH_INFO"]
            if wanted != ("POST", "/count"):
                self.start_response("404 Not Found", [])
                return
            length = int(self.environ.get("CONTENT_LENGTH") or 0)
            self.start_response("200 OK", [])
            yield b"%d" % len(self.environ["wsgi.input"].read(length))

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

    @wrong("value", says="a str, not bytes")
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

    @wrong("protocol", says="GET /count")
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


def _if_both_are_wrong(lab):
    """Where two comparisons by `!=` are joined by an `and`, or None."""
    joined = (node for node in lab.nodes() if isinstance(node, ast.BoolOp))
    return lab.earliest(
        *(
            node.lineno
            for node in joined
            if isinstance(node.op, ast.And)
            and all(
                isinstance(value, ast.Compare) and isinstance(value.ops[0], ast.NotEq)
                for value in node.values
            )
        )
    )


def _changing_path(lab):
    """Where the path is stripped or looked at in part, or None."""
    parts = ("strip", "rstrip", "removesuffix", "startswith", "endswith", "split", "lower")
    calls = lab.text.calls_of(*parts)
    return lab.earliest(*(call.lineno for call in calls if "PATH_INFO" in ast.unparse(call)))
