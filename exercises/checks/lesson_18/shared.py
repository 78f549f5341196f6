"""What exercises of lesson 18 share: a server's talk with an application, and the prices."""

import ast
import asyncio
import json
import sys

from helpers.coach import Wrong
from helpers.coach.mistakes.nodes import own_nodes


def goes_past(lab, method, returns=False):
    """The `if` without an `else` behind which the application comes to its end and has answered
    nothing, or None if it isn't sure which: of several, the one that asks for the method, if it is
    the method of this request that is another. returns: it answers by returning, so that whatever
    else stands last ends it in silence, too.
    """
    ends = [
        end
        for node in lab.nodes()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == lab.asks
        for end in _ends_of(node.body)
        if returns or isinstance(end, ast.If)
    ]
    if len(ends) > 1:
        tests = [end for end in ends if isinstance(end, ast.If)]
        ends = [end for end in tests if "method" in ast.unparse(end.test).lower()]
        ends = ends if method != "POST" else []
    return ends[0].lineno if len(ends) == 1 else None


def _ends_of(body):
    """The statements behind which a block comes to its end: no `return`, no `raise`."""
    last = body[-1]
    if isinstance(last, ast.If):
        yield from _ends_of(last.body)
        yield from _ends_of(last.orelse) if last.orelse else [last]
    elif isinstance(last, (ast.With, ast.AsyncWith)):
        yield from _ends_of(last.body)
    elif isinstance(last, ast.Try):
        for block in (last.body, *(handler.body for handler in last.handlers)):
            yield from _ends_of(block)
    elif not isinstance(last, (ast.Return, ast.Raise)):
        yield last


def _way_out(lab):
    """Where an `if` ends a loop, or None."""
    return lab.earliest(
        *(
            part.lineno
            for loop in lab.nodes()
            if isinstance(loop, ast.While)
            for part in own_nodes(loop)
            if isinstance(part, ast.If)
            and any(isinstance(one, (ast.Break, ast.Return)) for one in own_nodes(part))
        )
    )


def _takes_for_true(lab):
    """Where a `more_body` that is left out counts as true: the default of a `get`."""
    defaults = (
        node.lineno
        for node in lab.nodes()
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get"
        if [getattr(part, "value", None) for part in node.args] == ["more_body", True]
    )
    return lab.earliest(*defaults)


class Talk:
    """One request to an ASGI application: its scope, receive and send, and what became of it."""

    def __init__(self, lab, method="GET", path="/", pieces=(b"",), pause=0.0, sparse=False):
        self.lab, self.left, self.pause = lab, list(pieces), pause
        self.sparse = sparse  # messages leave out a body that is empty, and say what is False
        self.what = f"{method} {path}"
        self.status, self.body, self.ended, self.error = None, b"", False, None
        self.method, self.began_at, self.more_at, self.ended_at = method, None, None, None
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
            default = None if self.sparse else _takes_for_true(self.lab)
            unasked = None if self.lab.literal("more_body") else _way_out(self.lab)
            raise Wrong(
                "never answers",
                "It awaited `receive` again after the last piece, which says that no more comes. "
                "Nothing comes, and so it waits until the client goes away, and the client waits "
                "for the answer.",
                default or unasked or self.lab.calling(),
                try_='The last piece says `"more_body": False`, or leaves it out.',
                at="takes a `more_body` that is left out for true" if default else "",
            )
        if self.pause:
            await asyncio.sleep(self.pause)
        piece = self.left.pop(0)
        # A message may leave out what has its usual value.
        if self.sparse:
            body = {"body": piece} if piece else {}
            return {"type": "http.request", "more_body": bool(self.left)} | body
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
                "protocol",
                f"{self.what}: it sent a second `http.response.start`.",
                self.ended_at or self._places()[0],
                try_="One request, one answer: `return` after the first.",
                headline="two answers to one request",
                at="ends the first answer" if self.ended_at else "",
            )
        status, headers = message.get("status"), message.get("headers", [])
        if not isinstance(status, int):
            self._wrong(f"The status was {status!r}.", "ASGI wants a number: `404`.")
        if any(
            len(pair) != 2 or not all(isinstance(word, bytes) for word in pair) for pair in headers
        ):
            self._wrong(f"The headers were {headers!r}.", "ASGI wants pairs of bytes.")
        self.status = status
        outer, inner = self._places()
        self.began_at = outer if outer == inner else None

    def _more(self, message):
        if self.status is None:
            raise Wrong(
                "protocol",
                f"{self.what}: it sent a body, and no `http.response.start` before.",
                self.lab.literal("http.response.body"),
                try_="Status and headers go first, for they come first on the wire.",
                headline="the body before the head",
            )
        if self.ended:
            raise Wrong(
                "protocol",
                f"{self.what}: it sent more after the end of the body.",
                self.ended_at,
                try_='A body ends with the message without `"more_body": True`.',
                headline="two answers to one request",
                at="ends the body" if self.ended_at else "",
            )
        body = message.get("body", b"")
        if not isinstance(body, (bytes, bytearray)):
            self._wrong(
                f"The body was {body!r}.",
                "A connection carries bytes: `text.encode()`.",
                self.lab.literal("http.response.body"),
            )
        self.body += body
        self.ended = not message.get("more_body", False)
        outer, inner = self._places()
        self.more_at, self.ended_at = (None, outer) if self.ended else (inner, None)

    def _places(self):
        """Where the learner's code sends: the outermost place and the innermost."""
        frames, frame = [], sys._getframe(1)
        while frame := frame.f_back:
            frames.append(frame)
        places = self.lab.text.places(frames) or [None]
        return places[-1], places[0]

    def _wrong(self, observed, try_, line=None):
        raise Wrong(
            "value", f"{self.what}: {observed}", line or self.lab.call_of("send"), try_=try_
        )

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
            key = str(self.error).strip("'")
            if isinstance(self.error, KeyError) and key in LEFT_OUT:
                raise Wrong(
                    "raised",
                    f"{self.what}: KeyError: {key!r}.",
                    self.lab.text.of_traceback(self.error),
                    try_=f"A message may leave `{key}` out, and then {LEFT_OUT[key]}.",
                )
            raise self.error
        if self.status is None:
            past = goes_past(self.lab, self.method)
            raise Wrong(
                "never answers",
                f"{self.what}: it returned, and had sent nothing. The client waits.",
                past,
                try_="Each way through the application must end in a "
                "whole answer, the 404 as well.",
                at="has no `else`, and this request went past it" if past else "",
            )
        if not self.ended:
            raise Wrong(
                "never answers",
                f"{self.what}: the head was sent, and the end of the body "
                "was not. The client waits for the rest.",
                self.more_at or self.began_at,
                try_="Send an "
                "`http.response.body` each time, be it empty, and the last one without "
                '`"more_body": True`.',
                at="says that more follows"
                if self.more_at
                else "sends the head"
                if self.began_at
                else "",
            )


def must_be_asgi(app):
    """Raise Wrong unless a server could call this as an ASGI application."""
    if not callable(app):
        raise Wrong("value", f"It returned {app!r}.", try_="Return the application.")
    if hasattr(app, "wsgi_app"):
        raise Wrong(
            "value", f"It returned {app!r}, an application for WSGI.", try_="FastAPI is asked for."
        )


def old_price(lab, talk, asked, answer):
    """The Wrong for an application that answered a request with a price that it had kept. asked:
    what it should have asked.
    """
    kept, looked = lab.use_of("lru_cache", "cache"), lab.operation("in", "not in")
    return Wrong(
        "value",
        f"{talk.what} came twice, and {asked} was asked only once. By the second time the price "
        f"had become 7; the answer was {answer!r}.",
        kept or looked,
        try_="Prices change. Ask the database for each request, and keep nothing.",
        headline="answered with an old price",
        at="keeps what came" if kept else "asks only if nothing is kept" if looked else "",
    )


# Keys that a message may lack, and what that says.
LEFT_OUT = {
    "more_body": 'nothing follows: `message.get("more_body", False)`',
    "body": 'it is empty: `message.get("body", b"")`',
}
PRICES = {"tea": 3, "soup": 5, "toast": 2, "cake": 4}
