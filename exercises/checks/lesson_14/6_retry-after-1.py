import ast
import asyncio
import contextlib
import random
import time

import httpx

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_constant

from .shared import MOST, Server, came_of, look_at_status, requests_to, the_response, times

ASK_AGAIN = "A 429 isn't a refusal: it says when to come back. Ask again, as often as it takes."


class AsTold(Exercise):
    """Come back when you are told

    A server with a rate limit answers 429, and its header `Retry-After` says in how many whole
    seconds to come back: `response.headers["Retry-After"]` is a text such as `"3"`.

    Write `ask(client, page)`. It sends `await client.get(page)`, and returns the response if its
    status is 200.

    - After a 429 it waits as long as it is told, and asks again, as often as it takes. It comes
      back no earlier, and at most half a second later.
    - Some servers send a 429 without the header: then wait 1 s.
    - For any other status of 400 or more the `httpx.HTTPStatusError` comes out at once.
    """

    id = "retry-after-1"
    asks = "ask"
    minutes, limit = 8, 3.0
    hints = (
        "Who knows how long to wait: you, or the server?",
        "A header is a text: `float(text)` makes a number of it. `headers.get(name, 1)` gives 1 "
        "where there is no such header.",
        "`while (response := await client.get(page)).status_code == 429:` with a sleep in it; "
        "after the loop `return response.raise_for_status()`.",
    )

    def verify(self, ask, lab):
        lab.told('with a server that answers 429 with Retry-After "3", then 429 with "1", then 200')
        server = Server(lab, (429, "3"), (429, "1"))
        self._come_back(lab, ask, server, ["3", "1"])
        lab.told("with a server that answers 429 without a Retry-After, then 200")
        server = Server(lab, 429)
        self._come_back(lab, ask, server, [None])
        lab.told(
            'with a server that answers 429 with Retry-After "3", then 429 without it, then 200'
        )
        server = Server(lab, (429, "3"), 429)
        self._come_back(lab, ask, server, ["3", None])
        lab.told('with a server that needs 0.75 s to answer 429 with Retry-After "3", then 200')
        server = Server(lab, (429, "3"))
        server.takes = 0.75
        self._come_back(lab, ask, server, ["3"])
        for status, header in ((404, None), (503, None), (503, "1")):
            says = f' with Retry-After "{header}"' if header else ""
            lab.told(f"with a server that answers {status}{says}")
            server = Server(lab, *[(status, header)] * MOST)
            with contextlib.suppress(Wrong):
                lab.run(server.meet(ask, "/7"), raises=httpx.HTTPStatusError)
            if len(server.asked) > 1:
                raise Wrong(
                    "retried",
                    f"It asked {times(server)}, and was told {status} each time.",
                    header
                    and lab.literal("Retry-", "retry-")
                    or lab.earliest(lab.use_of("status_code"), lab.handler()),
                    "Send a request again only after a 429.",
                )
            server = Server(lab, (status, header))
            try:
                lab.run(server.meet(ask, "/7"), raises=httpx.HTTPStatusError)
            except Wrong as found:
                look_at_status(lab, server, found)
                raise

    def _come_back(self, lab, ask, server, told):
        try:
            run = lab.run(server.meet(ask, "/7"))
        except (KeyError, TypeError) as error:
            if None not in told:
                raise
            place = lab.text.of_traceback(error)
            raise Wrong(
                "raised",
                f"It raised {type(error).__name__}: {error}.",
                place and place[1],
                "Some servers send no such header: then wait 1 s. `headers.get(name, default)` "
                "gives the default where it is missing.",
                headline=f"raised {type(error).__name__}",
                at="raises it" if place else "",
            ) from None
        except httpx.HTTPStatusError:
            raise Wrong(
                "one failure ends all",
                f"After {requests_to(server)} the 429 came out as an error.",
                (None if lab.looping() else lab.condition("status_code"))
                or lab.use_of("raise_for_status"),
                ASK_AGAIN,
                headline="gave up too early",
            ) from None
        if isinstance(run.result, httpx.Response) and run.result.status_code == 429:
            raise Wrong(
                "one failure ends all",
                f"After {requests_to(server)} it returned the 429.",
                lab.returning(),
                "A 429 isn't an answer: it says when to come back.",
                headline="gave up too early",
            )
        the_response(lab, run, server)
        self._look_at_gaps(lab, server, told)

    def _look_at_gaps(self, lab, server, told):
        for number, (gap, header) in enumerate(zip(server.gaps, told)):
            wanted, line, early, late = (
                int(header or 1),
                lab.call_of("sleep"),
                "The server counts that against you. Wait as long as it says.",
                "The server knows when there is room again. Come back at most half a second later, "
                "however long the wait is.",
            )
            observed = f"Told to come back in {wanted} s, it came after {gap:.3g} s."
            if header is None:
                observed = f"After a 429 without `Retry-After` it came back after {gap:.3g} s."
                # What stands in for the header is given where it is looked for, or is a number.
                line = lab.literal("Retry-", "retry-") or line
                early = late = "Where there is no `Retry-After`, wait 1 s."
                before = server.gaps[number - 1] if number else wanted
                if abs(gap - wanted) > 0.6 and abs(gap - before) < 0.001:
                    raise Wrong(
                        "pauses",
                        f"{observed[:-1]}, as after the 429 before.",
                        line,
                        "What one answer asks for holds for that one alone. Where there is no "
                        "`Retry-After`, wait 1 s.",
                        headline="kept the wait of the answer before",
                    )
            if gap < wanted - 0.001:
                if gap > wanted / 2 and (chance := lab.call_of("random.*", "uniform")):
                    line = chance
                    early = f"Wait {wanted} s and no less: chance may only make it longer."
                raise Wrong("pauses", observed, line, early, headline="came back too early")
            if gap > wanted + 0.5:
                if wanted == 0 and abs(gap - 1) < 0.001 and (taken := _one_for_none(lab)):
                    line = taken
                    late = "0 counts as false, but it is a wait that was asked for: come back then."
                elif abs(gap - round(gap)) > 0.001:
                    line = lab.call_of("random.*", "uniform") or line
                raise Wrong("pauses", observed, line, late, headline="came back too late")

    @sweep(
        lambda some: {
            "told": some.lists(some.sampled_from([None, "0", "1", "7", "120"]), max_size=4),
            "last": some.sampled_from([200, 200, 400, 404, 500, 503]),
        },
        besides=[{"told": ["3600"], "last": 200}],
        most=20,
    )
    def any_answers(self, ask, lab, told, last):
        said = "".join(
            f"429 with Retry-After {text!r}, then " if text else "429 without Retry-After, then "
            for text in told
        )
        lab.told(f"with a server that answers {said}{last}")
        server = Server(lab, *((429, text) for text in told), last)
        server.most = len(told) + MOST
        run = lab.run(server.meet(ask, "/7"))
        self._look_at_gaps(lab, server, told)
        return {"what came of it is": came_of(run), "its requests were": len(server.asked)}

    @sweep(lambda some: {"times": some.just(1100)}, most=1)
    def as_often_as_it_takes(self, ask, lab, times):
        lab.told(f'with a server that answers 429 with Retry-After "1" {times} times, and then 200')
        client = Busy(times)
        run = lab.run(ask, client, "/7")
        if client.asked < times and not isinstance(run.error, RecursionError):
            raise Wrong(
                "one failure ends all",
                f"After {client.asked} requests it gave up.",
                lab.for_loop("range") or lab.looping(),
                ASK_AGAIN,
                headline="gave up too early",
                at="bounds the tries",
            )
        return {"what came of it is": came_of(run), "its requests were": client.asked}

    equivalent = {
        "with_some_jitter: or None, line 10": "a response is never falsy",
    }

    @right
    async def while_it_is_429(client, page):
        """Return the response; where the server says when to come back, come back then."""
        while (response := await client.get(page)).status_code == 429:
            await asyncio.sleep(float(response.headers.get("Retry-After", 1)))
        return response.raise_for_status()

    @right
    async def with_some_jitter(client, page):
        while True:
            response = await client.get(page)
            if response.status_code != 429:
                response.raise_for_status()
                return response
            seconds = int(response.headers.get("Retry-After", "1"))
            await asyncio.sleep(seconds + random.uniform(0, 0.4))

    @wrong("pauses", says="Told to come back in 3 s")
    async def own_backoff(client, page):
        pause = 0.1
        while (response := await client.get(page)).status_code == 429:
            await asyncio.sleep(pause)
            pause *= 2
        return response.raise_for_status()

    @wrong("pauses", says="after 0 s")
    async def at_once(client, page):
        while (response := await client.get(page)).status_code == 429:
            pass
        return response.raise_for_status()

    @wrong("pauses", says="after 4 s")
    async def adds_up(client, page):
        pause = 0
        while (response := await client.get(page)).status_code == 429:
            pause += float(response.headers.get("Retry-After", 1))
            await asyncio.sleep(pause)
        return response.raise_for_status()

    @wrong("raised", says="TypeError")
    async def sleeps_a_text(client, page):
        while (response := await client.get(page)).status_code == 429:
            await asyncio.sleep(response.headers.get("Retry-After", 1))
        return response.raise_for_status()

    @wrong("raised", says="KeyError")
    async def trusts_the_header(client, page):
        while (response := await client.get(page)).status_code == 429:
            await asyncio.sleep(float(response.headers["Retry-After"]))
        return response.raise_for_status()

    @wrong("one failure ends all", says="when to come back")
    async def raises_it(client, page):
        response = await client.get(page)
        return response.raise_for_status()

    @wrong("one failure ends all", says="it returned the 429")
    async def asks_twice(client, page):
        response = await client.get(page)
        if response.status_code == 429:
            await asyncio.sleep(float(response.headers.get("Retry-After", 1)))
            response = await client.get(page)
        return response

    @wrong("retried", says="told 404 each time")
    async def until_it_is_200(client, page):
        while (response := await client.get(page)).status_code != 200:
            await asyncio.sleep(float(response.headers.get("Retry-After", 1)))
        return response

    @wrong("named, not called", says="only named")
    async def names_the_method(client, page):
        while (response := await client.get(page)).status_code == 429:
            await asyncio.sleep(float(response.headers.get("Retry-After", 1)))
        response.raise_for_status
        return response

    returns_what_comes = while_it_is_429.but(
        "response.raise_for_status()", "response", kind="lost error", says="404"
    )

    sleeps_on_the_loop = while_it_is_429.but(
        "await asyncio", "time", kind="blocked", says="time.sleep"
    )


def _one_for_none(lab):
    """The line of an `or` that puts 1 in the place of what counts as false."""
    return lab.earliest(
        *(
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.BoolOp)
            if isinstance(node.op, ast.Or) and is_constant(node.values[-1], 1)
        )
    )


class Busy:
    """A client of a server that answers 429 so many times, and then 200: httpx's own takes its time
    for many requests. .asked: how many there were.
    """

    def __init__(self, times):
        self.times, self.asked = times, 0
        request = httpx.Request("GET", "http://127.0.0.1/7")
        self.no = httpx.Response(429, headers={"Retry-After": "1"}, request=request)
        self.yes = httpx.Response(200, json={"name": "pidgey"}, request=request)

    async def get(self, page):
        self.asked += 1
        return self.yes if self.asked > self.times else self.no
