"""What exercises of lesson 14 share: a server that counts its requests, and where it is asked."""

import ast
import asyncio
import contextlib
import sys

import httpx

from helpers.coach import Wrong
from helpers.coach.mistakes.nodes import uses

MOST = 12  # requests of one call; who asks more often never gives up
NAME = "pidgey"


class Server:
    """A server in the client's own process: what becomes of its first, second, ... request.

    An outcome is a status, a status with its Retry-After, or a class of httpx's errors. After the
    last one all is well. `takes` says how many seconds an answer takes. `asked` holds the method
    and the time of each request, `most` says how many there may be. `returned` is what the answer
    returned, and `unchecked` what `unchecked_failures` noted meanwhile.
    """

    def __init__(self, lab, *outcomes):
        self.lab, self.outcomes, self.asked, self.most = lab, list(outcomes), [], MOST
        self.takes, self.returned, self.unchecked = 0, None, {}

    @property
    def gaps(self):
        """Seconds between the answer to one request and the next request."""
        times = [when for _, when in self.asked]
        return [after - before - self.takes for before, after in zip(times, times[1:])]

    async def handle(self, request):
        self.asked.append((request.method, asyncio.get_running_loop().time()))
        if len(self.asked) > self.most:
            raise Wrong(
                "endless",
                f"It asked {self.most} times and went on.",
                self.lab.looping(),
                "Count the tries, and let the last error out.",
                headline="never gives up",
            )
        if self.takes:
            await asyncio.sleep(self.takes)
        outcome = self.outcomes.pop(0) if self.outcomes else 200
        if isinstance(outcome, type):
            raise outcome("lost on the way", request=request)
        status, told = outcome if isinstance(outcome, tuple) else (outcome, None)
        headers = {} if told is None else {"Retry-After": told}
        return httpx.Response(status, headers=headers, json={"name": NAME})

    async def meet(self, answer, *arguments):
        """Await the answer with a client of this server."""
        transport = httpx.MockTransport(self.handle)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            with unchecked_failures(self.lab) as self.unchecked:
                self.returned = await self.lab.awaitable(answer(client, *arguments))
            return self.returned


@contextlib.contextmanager
def unchecked_failures(lab):
    """The responses with a status of an error whose `raise_for_status` nobody has called, each with
    the line that asked for it.
    """
    failures = {}
    send, check = httpx.AsyncClient.send, httpx.Response.raise_for_status

    async def noting(self, request, **named):
        place = lab.text.of_frame(sys._getframe(1))
        response = await send(self, request, **named)
        if response.is_error:
            failures[response] = place
        return response

    def checking(self):
        failures.pop(self, None)
        return check(self)

    httpx.AsyncClient.send, httpx.Response.raise_for_status = noting, checking
    try:
        yield failures
    finally:
        httpx.AsyncClient.send, httpx.Response.raise_for_status = send, check


def deciding(lab, error, *words):
    """The line that decides what becomes of such an error: in the `except` that catches it, else in
    a function that is called there, the first test that has one of these words, else the `except`
    itself; None if nothing catches it.
    """
    handler = lab.text.handler_of(error)
    if handler is None:
        return None
    asked = {called(node) for node in ast.walk(handler)}
    functions = [
        node for node in lab.nodes() if isinstance(node, ast.FunctionDef) and node.name in asked
    ]
    for part in (handler, *functions):
        tests = [
            node.lineno
            for node in ast.walk(part)
            if (isinstance(node, ast.Compare) or called(node) == "isinstance")
            and any(word in ast.unparse(node) for word in words)
        ]
        if tests:
            return min(tests)
    return handler.lineno


def called(node):
    """The name of the function that a node calls, or None."""
    return getattr(getattr(node, "func", None), "id", None)


def the_brackets(lab, status):
    """Raise Wrong if a `raise_for_status` is only named in the answer, never called."""
    named = (
        node.lineno
        for node in lab.nodes()
        if isinstance(node, ast.Expr) and getattr(node.value, "attr", "") == "raise_for_status"
    )
    if line := next(named, None):
        raise Wrong(
            "named, not called",
            f"The server answered {status}, and no error was raised.",
            line,
            "Without parentheses the method is only named: `raise_for_status()`.",
        )


def look_at_status(lab, server, error):
    """Raise Wrong if an error was lost because a bad status was never made one."""
    got = server.returned
    if getattr(error, "kind", "") != "lost error" or not isinstance(got, httpx.Response):
        return
    if got in server.unchecked:
        the_brackets(lab, got.status_code)
        raise Wrong(
            "lost error",
            f"After {requests_to(server)} it returned the response with status "
            f"{got.status_code}, and no error came out.",
            _returned_as_it_is(lab),
            "A bad status is no error yet: `response.raise_for_status()` makes one of it.",
            headline="returned a bad status",
            at="lets it pass",
        ) from None
    if error.line is None and (caught := lab.handler(httpx.HTTPStatusError)):
        error.line = caught
        error.try_ = (
            "Where no further try follows, the error has to go on: a bare `raise` in the "
            "`except` sees to that."
        )


def _returned_as_it_is(lab):
    """The one `return` of a response whose status nobody looks at there, or None."""
    looked_at = set()
    for node in lab.nodes():
        statements = getattr(node, "body", None)
        if isinstance(statements, list):
            asks = [
                number
                for number, one in enumerate(statements)
                if isinstance(one, ast.Expr) and uses(("raise_for_status",), one)
            ]
            looked_at.update(map(id, statements[asks[0] :] if asks else ()))
    returns = [
        node for node in lab.nodes() if isinstance(node, ast.Return) and id(node) not in looked_at
    ]
    for what in (ast.Await, ast.Name):
        plain = [node.lineno for node in returns if isinstance(node.value, what)]
        if plain:
            return plain[0] if len(plain) == 1 else None
    return None


def the_response(lab, run, server):
    """Raise Wrong unless the run returned the server's last answer."""
    got = run.result
    if not isinstance(got, httpx.Response):
        if asyncio.iscoroutine(got):
            lab.equal(got, "the response")  # which says that nobody awaited it
        raise Wrong(
            "value",
            f"It returned {got!r:.80}; the response itself is wanted.",
            lab.returning(),
        )
    if got.status_code != 200:
        the_brackets(lab, got.status_code)
        raise Wrong(
            "lost error",
            f"It returned the response with status {got.status_code} as if that were an answer.",
            lab.returning(),
            "Return a response with status 200; for any other, `raise_for_status()`.",
        )


def came_of(run):
    """What came of a run, in words: its response or its error of httpx. Another error is raised."""
    if isinstance(run.error, httpx.HTTPStatusError):
        return f"an HTTPStatusError for {run.error.response.status_code}"
    if isinstance(run.error, httpx.HTTPError):
        return f"a {type(run.error).__name__}"
    if run.error:
        raise run.error
    if isinstance(run.result, httpx.Response):
        return f"a response with status {run.result.status_code}"
    return run.result


def times(server):
    return f"{len(server.asked)} time{'s' * (len(server.asked) != 1)}"


def requests_to(server):
    return f"{len(server.asked)} request{'s' * (len(server.asked) != 1)}"
