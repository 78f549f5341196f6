import ast
import asyncio
import contextlib

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.suspects import Suspect

from .shared import Talk


class CountASGI(Exercise):
    """An ASGI application

    The same application as before, for the other interface: write `app(scope, receive, send)`.

    - `POST /count` is answered by 200. The body of the answer is the number of bytes in the body
      of the request, written as text: `b"1204"`.
    - Everything else, another path or another method, is answered by 404, with any body you like.

    The request's body comes in pieces, some of which may be empty. Each is a message with `body`,
    and `more_body` is true if another one follows; either may be left out if it is `b""` or
    `False`. Nothing comes after the last piece. You may send any headers, as pairs of
    bytes, or none.
    """

    id = "asgi-1"
    equivalent = {
        "pieces_joined: or None, line 8": "what it returns is ignored",
    }
    asks = "app"
    minutes = 12
    hints = (
        'The method is `scope["method"]`, the path `scope["path"]`. `receive()` and '
        "`send(message)` are awaited.",
        "One `await receive()` gives one piece. When do you stop asking?",
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
            ("POST", "/count", [b"", b"abc", b""], 200, b"3"),
        ):
            sparse = len(pieces) == 3  # the last one, for whoever has all the rest right
            number = "one piece" if len(pieces) == 1 else f"{len(pieces)} pieces"
            said = f"with {method} {path}"
            if method == "POST":
                said += f" and a body of {sum(map(len, pieces))} bytes in {number}"
            talk = Talk(lab, method, path, pieces, pause=0.1, sparse=sparse)
            lab.run(self._ask(app, lab, said, talk))
            talk.must_have_answered()
            if talk.status != status:
                others, try_ = self._others(app, lab, talk)
                raise Wrong(
                    "protocol",
                    f"It answered {talk.status}, not {status}.{others}",
                    _choice(lab),
                    try_=try_,
                    headline="wrong status",
                )
            if body is not None and talk.body != body and self._trusts(app, lab):
                raise Wrong(
                    "value",
                    f"The body was {talk.body!r}; expected {body!r}. The request had no "
                    "`content-length`.",
                    lab.literal("content-length"),
                    "A request need not say how long its body is. Count the bytes of the pieces.",
                    headline="trusted a header",
                )
            if body is not None and talk.body != body and talk.left:
                taken = f"It had received {len(pieces) - len(talk.left)} of {number}"
                empty = not pieces[-len(talk.left) - 1]  # the last that it took
                if empty and self._counts(app, lab, [piece or b"full" for piece in pieces]):
                    taken += ", and the last of those was empty"
                    suspect = lab.truth_test()
                    suspect = suspect if suspect.line else Suspect(_while_something(lab))
                    if suspect.line:
                        suspect = Suspect(suspect.line, "takes an empty piece for the last one")
                else:
                    suspect = Suspect(lab.call_of("receive*"))
                raise Wrong(
                    "one read is one message",
                    f"It answered {talk.body!r}; expected {body!r}. {taken}.",
                    suspect.line,
                    at=suspect.at,
                    try_="A body comes in pieces, and some may be empty. `more_body` says "
                    "whether another follows.",
                    headline="took a part for the whole body",
                )
            if body is not None and talk.body != body:
                if self._counts(app, lab, [b"four", b"two", b"last one"], 7):
                    raise Wrong(
                        "value",
                        f"The body was {talk.body!r}; expected {body!r}. The last piece was "
                        "received, and not counted.",
                        lab.breaking() or lab.while_loop(),
                        "The message that says that no more follows has a body as well: count "
                        "it, and then ask whether another one follows.",
                        headline="left out the last piece",
                    )
                lab.equal(talk.body, body, what="The body was", line=lab.while_loop())

    @sweep(
        lambda some: {
            "method": some.sampled_from(("POST", "POST", "POST", "GET", "PUT")),
            "path": some.sampled_from(
                ("/count", "/count", "/count", "/counts", "/count/", "/a/count", "/", "")
            ),
            "pieces": some.lists(
                some.sampled_from((b"", b"a", b"\n", b"\0\xff", "é".encode())),
                min_size=1,
                max_size=4,
            ),
            "sparse": some.booleans(),
        },
        besides=[
            {"method": "POST", "path": "/count", "pieces": [b"a"] * 1100, "sparse": False},
        ],
        most=40,
    )
    def any_request(self, app, lab, method, path, pieces, sparse):
        shown = str(pieces) if len(pieces) < 9 else f"{len(pieces):,} pieces of one byte"
        lab.told(
            f"with {method} {path} and the body {shown}, and with a second request at the same time"
        )
        talks = [
            Talk(lab, method, path, pieces, pause=0.1 if len(pieces) < 9 else 0, sparse=sparse),
            Talk(lab, "POST", "/count", [b"xyz", b"xyz"], pause=0.07),
        ]
        lab.run(self._ask_both(app, talks))
        seen = {}
        for which, talk in zip(("first", "second"), talks):
            talk.must_have_answered()
            seen[f"the {which} status was"] = int(talk.status)
            if talk.status == 200:
                seen[f"the {which} body was"] = bytes(talk.body)
        return seen

    def _counts(self, app, lab, pieces, counted=None):
        """Whether the answer counts a body in these pieces right, or as that many bytes."""
        talk = self._asked(app, lab, Talk(lab, "POST", "/count", pieces))
        return talk.body == b"%d" % (sum(map(len, pieces)) if counted is None else counted)

    def _trusts(self, app, lab):
        """Whether the answer takes a length from the headers, be it another one than the body's."""
        talk = Talk(lab, "POST", "/count", [b"four"])
        talk.scope["headers"].append((b"content-length", b"77"))
        return self._asked(app, lab, talk).body == b"77"

    def _others(self, app, lab, talk):
        """What other requests tell of a 200 that should be a 404, and the advice."""
        asked = ("GET", "/count"), ("POST", "/nothing"), ("GET", "/nothing")
        got = [self._asked(app, lab, Talk(lab, *each)).status for each in asked]
        if talk.status == 200 and got == [200, 200, 404]:
            return (
                " POST /nothing is answered by 200 as well, and GET /nothing by 404.",
                "404 came only where both were wrong, the method and the path. One of them is "
                "enough.",
            )
        if talk.status == 200 and got == [200, 404, 404]:
            return "", "Another path is answered by 404, and another method has to be as well."
        if talk.status == 200 and got == [404, 200, 404]:
            return "", "Another method is answered by 404, and another path has to be as well."
        return "", "Look at the method and at the path."

    def _asked(self, app, lab, talk):
        """The talk when the answer has been asked, whatever came out of it; no message tells it."""
        shown = lab.shown
        with contextlib.suppress(Exception):
            lab.run(talk.ask(app))
        lab.shown = shown
        return talk

    async def _ask_both(self, app, talks):
        await asyncio.gather(*(talk.ask(app) for talk in talks))

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

    @wrong("one read is one message", says="1 of 4 pieces")
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

    @wrong("protocol", says="a second")
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

    @wrong("protocol", says="no `http.response.start` before")
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


def _choice(lab):
    """Where the answer looks at the method and at the path: an `if`, or a comparison that is kept
    under a name; or None.
    """
    kept = [
        node
        for node in lab.nodes()
        if isinstance(node, ast.Assign)
        if any(getattr(part, "id", "") == "scope" for part in ast.walk(node.value))
    ]
    compared = (
        node.lineno
        for node in kept
        if any(isinstance(part, ast.Compare) for part in ast.walk(node.value))
    )
    names = {
        part.id
        for node in kept
        for target in node.targets
        for part in ast.walk(target)
        if isinstance(part, ast.Name)
    }
    return (
        lab.condition("scope")
        or lab.earliest(*compared)
        or (lab.condition(*names) if names else None)
    )


def _while_something(lab):
    """A loop that goes on as long as what it has just got isn't empty, or None."""
    loops = [node for node in lab.nodes() if isinstance(node, ast.While)]
    return lab.earliest(*(loop.lineno for loop in loops if isinstance(loop.test, ast.NamedExpr)))
