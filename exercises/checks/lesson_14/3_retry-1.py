"""Long, for what must be tried again and what must not are many cases."""

import ast
import asyncio
import contextlib
import time

import httpx
import tenacity

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_constant, is_named, uses

from .shared import (
    MOST,
    Server,
    came_of,
    deciding,
    look_at_status,
    requests_to,
    the_response,
    times,
)

TRANSPORT = httpx.ConnectError, httpx.WriteError, httpx.RemoteProtocolError, httpx.PoolTimeout
OUTCOMES = (
    *(503, 400, 401, 403, 408, 429, 500, 502, 504),
    *(httpx.ConnectError, httpx.ReadTimeout, httpx.RemoteProtocolError, httpx.PoolTimeout),
)


class TryAgain(Exercise):
    """Try again, but not always

    Write `ask(client, method, page)`. It sends `await client.request(method, page)`, and returns
    the response if its status is 200.

    - An `httpx.TransportError` and a 503 may pass: try again, after 0.1 s, then after 0.2 s, then
      after 0.4 s. If the fourth try fails too, its error comes out.
    - Any other status of 400 or more does not pass: its `httpx.HTTPStatusError` comes out at once.
      No status between 200 and 400 occurs.
    - A `"POST"` is never tried again, whatever happens: its error comes out at once.
    """

    id = "retry-1"
    asks = "ask"
    minutes, limit = 12, 3.0
    hints = (
        "`raise_for_status()` makes an error of a bad status. Then there is one place, the "
        "`except`, that decides: again, or let it out?",
        "A loop over the pauses `0.1, 0.2, 0.4, None`: the last one is the try after which there "
        "is no other. A bare `raise` in the `except` lets the error out.",
        "`except httpx.HTTPError as error:` catches both kinds. "
        "`isinstance(error, httpx.TransportError)` passes; for an `httpx.HTTPStatusError` look at "
        "`error.response.status_code`.",
    )

    PAUSES = (0.1, 0.2, 0.4)

    def verify(self, ask, lab):
        self._gets_there(ask, lab)
        for status in (404, 400, 401, 500, 429, 502):
            self._lets_out(ask, lab, status)
        self._posts_once(ask, lab)
        self._gives_up(ask, lab)

    def _gets_there(self, ask, lab):
        lab.told("with a GET that fails with 503, then with a ReadTimeout, then is answered")
        server = Server(lab, 503, httpx.ReadTimeout)
        the_response(lab, self._tried_again(ask, lab, "GET", server), server)
        self._look_at_pauses(lab, server)
        for error in TRANSPORT:
            lab.told(f"with a GET that fails with a {error.__name__}, then is answered")
            self._tried_again(ask, lab, "GET", Server(lab, error))
        lab.told("with a PUT that fails with 503, then is answered")
        self._tried_again(ask, lab, "PUT", Server(lab, 503), lab.literal("GET"))

    def _tried_again(self, ask, lab, method, server, line=None):
        """line: that of the test by which this method is not tried again, if it is known."""
        try:
            return lab.run(server.meet(ask, method, "/7"))
        except httpx.HTTPError as error:
            raise Wrong(
                "one failure ends all",
                f"After {requests_to(server)} {type(error).__name__} came out: "
                f"{str(error).splitlines()[0]}.",
                line
                or deciding(lab, type(error), "status", "isinstance")
                or (isinstance(error, httpx.TransportError) and lab.handler(*TRANSPORT))
                or lab.text.let_out(error),
                "A 503 may pass, and so may every TransportError, a lost connection as well as a "
                "timeout: try again, unless it is a POST.",
                headline="gave up too early",
            ) from None

    def _look_at_pauses(self, lab, server):
        gaps, wanted = server.gaps, self.PAUSES[: len(server.gaps)]
        line = lab.earliest(lab.call_of("sleep", "wait_*"), lab.keyword("wait"))
        said = f"It paused for {' and '.join(f'{gap:.2g} s' for gap in gaps)}."
        if all(abs(gap - pause) < 0.01 for gap, pause in zip(gaps, wanted)):
            return
        if not any(gaps):
            raise Wrong(
                "pauses",
                "It tried again at once, with no pause at all.",
                line or lab.handler(),
                "A server that is overloaded now still is a moment later. Give it time.",
                headline="did not wait",
            )
        if len(gaps) > 1 and abs(gaps[0] - gaps[1]) < 0.01:
            raise Wrong(
                "pauses",
                said,
                line,
                "Each pause is twice as long as the one before: 0.1 s, 0.2 s, 0.4 s.",
                headline="equal pauses",
            )
        if all(abs(gap - 2 * pause) < 0.01 for gap, pause in zip(gaps, wanted)):
            doubled = _doubled_before_the_sleep(lab)
            asked_for = " and ".join(f"{pause} s" for pause in wanted)
            raise Wrong(
                "pauses",
                f"{said} That is twice as long each time as asked for: {asked_for}.",
                doubled or (None if lab.literal(0.1) else lab.literal(0.2)) or line,
                "The first pause is 0.1 s: double it after the sleep, and not before."
                if doubled
                else "The first pause is 0.1 s; the next one is twice as long.",
                headline="paused twice as long",
                at="doubles it before the sleep" if doubled else "",
            )
        raise Wrong(
            "pauses",
            said,
            _grown_before_the_next(lab) or line,
            "The pauses must be 0.1 s, then 0.2 s, then 0.4 s.",
            headline="other pauses",
        )

    def _lets_out(self, ask, lab, status):
        lab.told(f"with a GET that is answered {status}")
        server = Server(lab, *[status] * MOST)
        try:
            lab.run(server.meet(ask, "GET", "/7"), raises=httpx.HTTPStatusError)
        except (Wrong, tenacity.RetryError) as error:
            self._look_at_retries(lab, server, status)
            look_at_status(lab, server, error)
            raise
        self._look_at_retries(lab, server, status)

    def _look_at_retries(self, lab, server, status):
        if len(server.asked) > 1:
            raise Wrong(
                "retried",
                f"It asked {times(server)}, and was told {status} each time.",
                deciding(lab, httpx.HTTPStatusError, "status")
                or _tells_errors_apart(lab)
                or lab.earliest(lab.use_of("status_code", "retry_if*"), lab.literal("status_code")),
                f"A {status} does not pass: its error comes out at once. Only a 503 and a "
                "TransportError may pass.",
            )

    def _posts_once(self, ask, lab):
        lab.told("with a POST that is answered 200")
        server = Server(lab)
        the_response(lab, lab.run(server.meet(ask, "POST", "/orders")), server)
        if server.asked[0][0] != "POST":
            raise Wrong(
                "protocol",
                f"It sent a {server.asked[0][0]}.",
                lab.call_of("client.*"),
                "`client.request(method, page)` sends what it is told.",
                headline="another method",
            )
        for outcome in (httpx.ReadError, 503):
            lost = outcome != 503
            error = outcome if lost else httpx.HTTPStatusError
            what = "loses its connection" if lost else "is answered 503"
            lab.told(f"with a POST whose first try {what}")
            server = Server(lab, outcome)
            with contextlib.suppress(Wrong):
                lab.run(server.meet(ask, "POST", "/orders"), raises=httpx.HTTPError)
            if len(server.asked) > 1:
                raise Wrong(
                    "retried",
                    f"The server got the same POST {times(server)}: each may be an order.",
                    deciding(lab, error, "method", "POST")
                    or (None if lost else _asks_for_the_status(lab))
                    or lab.earliest(
                        lab.literal("POST"),
                        lab.call_of("retry_if"),
                        lab.operation("==", on=["method"]),
                    ),
                    "A POST is never tried again, not even after a "
                    f"{'lost connection' if lost else '503'}: its error comes out at once.",
                )
            server = Server(lab, outcome)
            try:
                lab.run(server.meet(ask, "POST", "/orders"), raises=httpx.HTTPError)
            except Wrong as found:
                look_at_status(lab, server, found)
                raise

    def _gives_up(self, ask, lab):
        for outcome, error in (
            (503, httpx.HTTPStatusError),
            (httpx.ConnectError, httpx.ConnectError),
        ):
            what = "answered 503" if outcome == 503 else "lost on the way"
            lab.told(f"with a GET that is {what} each time")
            server = Server(lab, *[outcome] * (MOST + 1))
            try:
                run = lab.run(server.meet(ask, "GET", "/7"), raises=error)
            except tenacity.RetryError:
                raise Wrong(
                    "another error",
                    "A tenacity.RetryError came out, with the error inside.",
                    lab.call_of("retry", "Retrying"),
                    "`reraise=True` lets the last error itself out.",
                    headline="wrapped the error",
                ) from None
            except Wrong as found:
                look_at_status(lab, server, found)
                raise
            if len(server.asked) == 1:
                raise Wrong(
                    "one failure ends all",
                    f"After 1 request {error.__name__} came out.",
                    deciding(lab, error, "status", "isinstance") or lab.call_of("retry_if*"),
                    "Every TransportError may pass: a lost connection as well as a timeout.",
                    headline="gave up too early",
                )
            if len(server.asked) != 4:
                raise Wrong(
                    "counted wrong",
                    f"It asked {times(server)}; it should make four tries in all.",
                    _number_outside(lab, len(server.asked))
                    or lab.earliest(lab.looping(), lab.call_of("stop_after*")),
                    "Three pauses lie between four tries.",
                    headline="the wrong number of tries",
                )
            self._look_at_pauses(lab, server)
            if run.elapsed > sum(self.PAUSES) + 0.01:
                raise Wrong(
                    "late",
                    "After the last try it still waited "
                    f"{run.elapsed - sum(self.PAUSES):.2g} s, and then gave up.",
                    lab.call_of("sleep"),
                    "No try comes after that pause. Let the error out before it.",
                    headline="paused for nothing",
                )

        lab.told("with a GET that loses its connection three times, and is then answered 503")
        server = Server(lab, *[httpx.ReadError] * 3, 503)
        run = lab.run(server.meet(ask, "GET", "/7"), raises=httpx.HTTPError)
        if not isinstance(run.error, httpx.HTTPStatusError):
            raised = [node for node in lab.nodes() if isinstance(node, ast.Raise) and node.exc]
            raise Wrong(
                "another error",
                f"A {type(run.error).__name__} came out, of an earlier try.",
                raised[0].lineno if len(raised) == 1 else None,
                "It must be the error of the last try.",
                headline="the wrong error",
            )

    @sweep(
        lambda some: {
            "method": some.sampled_from(["GET", "PUT", "DELETE", "POST"]),
            "outcomes": some.lists(some.sampled_from(OUTCOMES), max_size=5),
        },
        besides=[
            {"method": "GET", "outcomes": [*each, last]}
            for each in ([], [httpx.WriteError, 503, httpx.PoolTimeout])
            for last in OUTCOMES
        ],
        most=14,
    )
    def any_outcomes(self, ask, lab, method, outcomes):
        shown = [getattr(each, "__name__", each) for each in outcomes]
        lab.told(f"with a {method} that meets {shown}, one after another, and then 200")
        server = Server(lab, *outcomes)
        run = lab.run(server.meet(ask, method, "/7"))
        return {
            "what came of it is": came_of(run),
            "it sent": [sent for sent, _ in server.asked],
            "the pauses were": [round(gap, 2) for gap in server.gaps],
        }

    equivalent = {
        "over_the_pauses: falsy for None, line 15": "no pause is 0",
        "over_the_pauses: wider except, line 11": "what doesn't pass is raised again",
        "with_tenacity: or None, line 8": "a None decides as a False does",
        "with_tenacity: or None, line 9": "a None decides as a False does",
        "with_tenacity: or None, line 21": "a response is never falsy",
    }

    @right
    async def over_the_pauses(client, method, page):
        """Return the response; try again what may pass and may be done twice."""
        for pause in (0.1, 0.2, 0.4, None):
            try:
                response = await client.request(method, page)
                return response.raise_for_status()
            except httpx.HTTPError as error:
                passes = isinstance(error, httpx.TransportError)
                if isinstance(error, httpx.HTTPStatusError):
                    passes = error.response.status_code == 503
                if method == "POST" or not passes or pause is None:
                    raise
            await asyncio.sleep(pause)

    @right
    async def with_tenacity(client, method, page):
        def passes(error):
            if isinstance(error, httpx.HTTPStatusError):
                return method != "POST" and error.response.status_code == 503
            return method != "POST" and isinstance(error, httpx.TransportError)

        @tenacity.retry(
            retry=tenacity.retry_if_exception(passes),
            reraise=True,
            stop=tenacity.stop_after_attempt(4),
            wait=tenacity.wait_exponential(multiplier=0.1),
        )
        async def once():
            response = await client.request(method, page)
            return response.raise_for_status()

        return await once()

    @wrong("retried", says="told 404 each time")
    async def whatever_fails(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError:
                if pause is None:
                    raise
            await asyncio.sleep(pause)

    @wrong("retried", says="told 500 each time")
    async def five_hundred_too(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError as error:
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if pause is None or method == "POST" or status < 500:
                    raise
            await asyncio.sleep(pause)

    @wrong("retried", says="`except httpx.TransportError:`")
    async def a_post_too(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPStatusError as error:
                if pause is None or error.response.status_code != 503:
                    raise
            except httpx.TransportError:
                if pause is None:
                    raise
            await asyncio.sleep(pause)

    any_status = (
        a_post_too.but("httpx.HTTPStatusError as error", "httpx.TransportError")
        .but("error.response.status_code != 503", 'method == "POST"')
        .but(
            "except httpx.TransportError:\n    if pause is None:",
            'except httpx.HTTPStatusError:\n    if pause is None or method == "POST":',
            kind="retried",
            says="`except httpx.HTTPStatusError:`",
        )
    )

    @wrong("one failure ends all", says="ReadTimeout came out")
    async def statuses_only(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            response = await client.request(method, page)
            if response.status_code != 503 or method == "POST" or pause is None:
                return response.raise_for_status()
            await asyncio.sleep(pause)

    @wrong("one failure ends all", says="a lost connection as well")
    async def timeouts_only(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.TimeoutException:
                if pause is None or method == "POST":
                    raise
            except httpx.HTTPStatusError as error:
                if pause is None or method == "POST" or error.response.status_code != 503:
                    raise
            await asyncio.sleep(pause)

    @wrong("named, not called", says="only named")
    async def names_the_method(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                response = await client.request(method, page)
                response.raise_for_status
                return response
            except httpx.HTTPError:
                if pause is None or method == "POST":
                    raise
            await asyncio.sleep(pause)

    @wrong("one failure ends all", says="After 1 request HTTPStatusError")
    async def not_at_all(client, method, page):
        return (await client.request(method, page)).raise_for_status()

    @wrong("lost error", says="503")
    async def never_looks_at_the_status(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                return await client.request(method, page)
            except httpx.TransportError:
                if pause is None or method == "POST":
                    raise
            await asyncio.sleep(pause)

    @wrong("lost error", says="HTTPStatusError")
    async def returns_nothing_in_the_end(client, method, page):
        for pause in (0.1, 0.2, 0.4, 0):
            with contextlib.suppress(httpx.TransportError):
                response = await client.request(method, page)
                if response.status_code == 200:
                    return response
                if response.status_code != 503 or method == "POST":
                    break
            await asyncio.sleep(pause)

    @wrong("another error", says="reraise=True")
    async def tenacity_as_it_comes(client, method, page):
        def passes(error):
            if isinstance(error, httpx.HTTPStatusError):
                return method != "POST" and error.response.status_code == 503
            return method != "POST" and isinstance(error, httpx.TransportError)

        @tenacity.retry(
            retry=tenacity.retry_if_exception(passes),
            stop=tenacity.stop_after_attempt(4),
            wait=tenacity.wait_exponential(multiplier=0.1),
        )
        async def once():
            return (await client.request(method, page)).raise_for_status()

        return await once()

    @wrong("protocol", says="sent a GET")
    async def always_get(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                return (await client.get(page)).raise_for_status()
            except httpx.HTTPError as error:
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if pause is None or method == "POST" or status != 503:
                    raise
            await asyncio.sleep(pause)

    @wrong("pauses", says="twice as long")
    async def always_the_same(client, method, page):
        for left in (3, 2, 1, 0):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError as error:
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if not left or method == "POST" or status != 503:
                    raise
            await asyncio.sleep(0.1)

    @wrong("pauses", says="at once")
    async def without_a_pause(client, method, page):
        for left in (3, 2, 1, 0):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError as error:
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if not left or method == "POST" or status != 503:
                    raise

    @wrong("counted wrong", says="four tries in all")
    async def three_tries(client, method, page):
        for pause in (0.1, 0.2, None):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError as error:
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if pause is None or method == "POST" or status != 503:
                    raise
            await asyncio.sleep(pause)

    @wrong("endless", says="Count the tries")
    async def for_ever(client, method, page):
        pause = 0.1
        while True:
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError as error:
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if method == "POST" or status != 503:
                    raise
            await asyncio.sleep(pause)
            pause *= 2

    @wrong("late", says="still waited 0.8 s")
    async def pauses_at_the_end(client, method, page):
        for pause in (0.1, 0.2, 0.4, 0.8):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError as error:
                failure = error
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if method == "POST" or status != 503:
                    raise
            await asyncio.sleep(pause)
        raise failure

    @wrong("blocked", says="time.sleep")
    async def sleeps_on_the_loop(client, method, page):
        for pause in (0.1, 0.2, 0.4, None):
            try:
                return (await client.request(method, page)).raise_for_status()
            except httpx.HTTPError as error:
                status = getattr(getattr(error, "response", None), "status_code", 503)
                if pause is None or method == "POST" or status != 503:
                    raise
            time.sleep(pause)


def _asks_for_the_status(lab):
    """The comparison of a status with 503, else the first `if` that asks for it."""
    compared = [
        node.lineno
        for node in lab.nodes()
        if isinstance(node, ast.Compare) and uses(("status*",), node)
        if any(is_constant(part, 503) for part in ast.walk(node))
    ]
    return lab.earliest(*compared) or lab.condition("status*")


def _tells_errors_apart(lab):
    """The first comparison of a status that is more than good or bad, or None."""
    for node in lab.nodes():
        if isinstance(node, ast.Compare) and uses(("status*",), node):
            numbers = [getattr(part, "value", None) for part in ast.walk(node)]
            if not {2, 200, 300, 399, 400}.intersection(numbers):
                return node.lineno
    return None


def _number_outside(lab, number):
    """The one line outside of the answer that gives a name which it uses this number, or None."""
    lines = lab.text.all_kept_outside(lambda made: is_constant(made, number))
    return lines.pop() if len(lines) == 1 else None


def _grown_before_the_next(lab):
    """Where a name that is slept for is changed in its place, or None."""
    slept = [ast.unparse(call.args[0]) for call in lab.text.calls_of("sleep") if call.args]
    return lab.earliest(
        *(
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.AugAssign) and ast.unparse(node.target) in slept
        )
    )


def _doubled_before_the_sleep(lab):
    """The line that doubles what is slept for, earlier in the same block; None if none does."""
    for outer in lab.nodes():
        doubled = {}
        for statement in getattr(outer, "body", None) or ():
            match statement:
                case ast.AugAssign(target=ast.Name(id=name), op=ast.Mult()):
                    doubled[name] = statement.lineno
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(op=ast.Mult())):
                    if uses((name,), statement.value):
                        doubled[name] = statement.lineno
                case ast.Expr(value=ast.Await(value=ast.Call(func=func, args=[ast.Name(id=name)]))):
                    if is_named(func, ("sleep",)) and name in doubled:
                        return doubled[name]
    return None
