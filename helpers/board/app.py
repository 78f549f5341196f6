"""The board over HTTP: what learners tell it, and the pages that show it.

`/api/join` and `/api/events` are for learners' kernels; everything else is the teacher's, who comes
in once by `/enter?token=…` and then has a cookie. The pages' buttons are forms: what they do must
come from a page of the board itself (Origin), and the cookie goes nowhere else (SameSite).
"""

import asyncio
import csv
import io
import json
import secrets as random
import time
from collections.abc import AsyncIterator
from urllib.parse import parse_qs, urlsplit

from fastapi import FastAPI, Request
from fastapi.responses import (
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from pydantic import ValidationError

from helpers.board import pages
from helpers.board.events import Joining, Pasted, Told
from helpers.board.guard import MOST_LEARNERS, Rates, Secrets, Tries
from helpers.board.standing import TEACHER, Standing
from helpers.board.store import Store
from helpers.coach.progress import Progress

LARGEST = 64 * 1024  # bytes of a body
PATIENCE = 10.0  # seconds that a body may take to arrive
AT_MOST = 0.5  # seconds between two views that a page is sent
ALIVE = 15.0  # seconds after which a page is told that nothing is new
COOKIE = "board"
# Nothing from elsewhere, no page around ours, no script but our own file.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; connect-src 'self'; script-src 'self'; "
    "style-src 'self' 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Problem(Exception):
    """A request is refused: with a status of HTTP, and a sentence."""

    def __init__(self, status: int, sentence: str, headers: dict[str, str] | None = None):
        super().__init__(sentence)
        self.status = status
        self.headers = headers or {}


class Board:
    """What the handlers share. over: set when the class is over.  delete: whether all that was told
    is to go then.
    """

    def __init__(self, store: Store, secrets: Secrets, standing: Standing, address: str) -> None:
        self.store = store
        self.secrets = secrets
        self.standing = standing
        self.address = address
        self.over = asyncio.Event()
        self.delete = False
        self.tries = Tries()
        self.rates = Rates()
        self.begun = time.time_ns()  # numbers what the teacher does, for the store

    async def take(self, learner: str, session: str, numbered: list[tuple[int, dict]]) -> None:
        """Keep what somebody told, then let it count."""
        await self.store.add([(learner, session, number, event) for number, event in numbered])
        for number, event in numbered:
            self.standing.told(learner, session, number, round(time.time()), event)

    async def do(self, **event: object) -> None:
        """Keep what the teacher does, and do it."""
        self.begun += 1
        await self.take(TEACHER, "teacher", [(self.begun, event)])


def make_app(board: Board) -> FastAPI:
    """The application of a board."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    standing = board.standing

    @app.exception_handler(Problem)
    async def refuse(request: Request, problem: Problem):
        said = {"problem": str(problem)}
        return JSONResponse(said, problem.status, headers=problem.headers | HEADERS)

    # Learners

    @app.post("/api/join")
    async def join(request: Request):
        address = request.client.host if request.client else ""
        if not board.tries.allowed(address):
            raise Problem(
                429, "Too many wrong codes were tried: wait a minute.", {"Retry-After": "60"}
            )
        joining = await read(request, Joining)
        if not board.secrets.fits_code(joining.code):
            board.tries.wrong(address)
            raise Problem(403, "That is not the room's code: three words, as the teacher shows.")
        if board.over.is_set():
            raise Problem(410, "The class is over.")
        if joining.learner not in standing.learners and len(standing.learners) >= MOST_LEARNERS:
            raise Problem(503, f"The room is full: it takes {MOST_LEARNERS:,}.")
        event = {"kind": "join", "name": joining.name}
        await board.take(joining.learner, random.token_hex(8), [(0, event)])
        number = standing.learners[joining.learner].number
        return {"key": board.secrets.key_of(joining.learner), "number": number}

    @app.post("/api/events")
    async def events(request: Request):
        told = await read(request, Told)
        said = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not board.secrets.fits_key(told.learner, said):
            raise Problem(403, "That is no key of this room: join it with its three words.")
        if board.over.is_set():
            raise Problem(410, "The class is over.")
        if not board.rates.allowed(told.learner, len(told.events)):
            raise Problem(429, "Too much at once: wait a moment.", {"Retry-After": "2"})
        numbered = [(event.number, event.model_dump()) for event in told.events]
        await board.take(told.learner, told.session, numbered)
        return {"taken": max(number for number, _ in numbered)}

    # The teacher

    @app.get("/enter")
    async def enter(request: Request, token: str = ""):
        if not board.secrets.fits_token(token):
            raise Problem(403, "That is not the teacher's address: it stands in the terminal.")
        answer = RedirectResponse("teacher", 303, headers=HEADERS)
        answer.set_cookie(COOKIE, token, httponly=True, samesite="strict")
        return answer

    @app.get("/teacher")
    async def teacher(request: Request):
        must_be_teacher(request)
        body = pages.teacher(standing, board.address, board.secrets.code)
        return shown(pages.page("The class", body, live="live/teacher", refresh=5))

    @app.get("/projector")
    async def projector(request: Request):
        must_be_teacher(request)
        body = pages.projector(standing, board.address, board.secrets.code)
        return shown(pages.page("The class", body, live="live/projector", refresh=5))

    @app.get("/live/{view}")
    async def live(request: Request, view: str):
        must_be_teacher(request)
        views = {"teacher": pages.teacher, "projector": pages.projector}
        if view not in views:
            raise Problem(404, "There is no such page.")
        stream = changes(lambda: views[view](standing, board.address, board.secrets.code))
        return StreamingResponse(stream, media_type="text/event-stream", headers=HEADERS)

    async def changes(body) -> AsyncIterator[str]:
        """The body, whenever something has changed; ends with the class."""
        seen, quiet = None, 0.0
        while not board.over.is_set():
            if seen != standing.changes or quiet >= ALIVE:
                seen, quiet = standing.changes, 0.0
                yield f"data: {json.dumps(str(body()))}\n\n"
            await asyncio.sleep(AT_MOST)
            quiet += AT_MOST

    @app.post("/act")
    async def act(request: Request):
        must_be_teacher(request, acting=True)
        form = await read_form(request)
        do, of = form.get("do", ""), form.get("of", "")
        if do in ("end", "delete"):
            board.delete = do == "delete"
            board.over.set()
            gone = " All that was told is deleted." if board.delete else ""
            return shown(pages.page("The class", pages.notice(f"The class is over.{gone}")))
        if do == "lower":
            await board.do(do=do, of=int(of) if of.isdigit() else 0)
        elif do in ("open", "turn", "close", "lesson"):
            await board.do(do=do, of=of)
        return RedirectResponse("teacher", 303, headers=HEADERS)

    @app.post("/paste")
    async def paste(request: Request):
        must_be_teacher(request, acting=True)
        form = await read_form(request)
        try:
            pasted = Pasted(name=form.get("name", ""), code=form.get("code", ""))
            known = Progress.carried(pasted.code)
        except ValueError as error:
            told = "That is too long." if isinstance(error, ValidationError) else str(error)
            return shown(pages.page("The class", pages.notice(told)), 400)
        event = {"kind": "pasted", "exercises": {}, "guesses": {}}
        for id, one in known.items():
            if "guess" in one:
                event["guesses"][id] = one["guess"][:3]
            elif "status" in one:  # what was drilled and is remembered is the learner's own
                status, kinds = one["status"], list(one.get("how often", {}))
                event["exercises"][id] = {"status": status, "kinds": kinds}
        # Who is pasted a second time, by the same name, is the same learner.
        same = [id for id, one in standing.learners.items() if id.startswith("pasted ")]
        same = [id for id in same if pasted.name and standing.learners[id].name == pasted.name]
        learner = same[0] if same else f"pasted {random.token_hex(8)}"
        joined = {"kind": "join", "name": pasted.name}
        await board.take(learner, random.token_hex(8), [(0, joined), (1, event)])
        return RedirectResponse("teacher", 303, headers=HEADERS)

    @app.get("/summary.html")
    async def summary(request: Request):
        must_be_teacher(request)
        return shown(pages.summary(standing, time.strftime("%d %B %Y")))

    @app.get("/summary.csv")
    async def table(request: Request):
        must_be_teacher(request)
        headers = HEADERS | {"Content-Disposition": "attachment; filename=class.csv"}
        return Response(as_csv(standing), media_type="text/csv", headers=headers)

    @app.get("/board.css")
    async def style():
        return Response(pages.STYLE, media_type="text/css", headers=HEADERS)

    @app.get("/board.js")
    async def script():
        return Response(pages.SCRIPT, media_type="text/javascript", headers=HEADERS)

    def must_be_teacher(request, acting=False):
        if not board.secrets.fits_token(request.cookies.get(COOKIE, "")):
            raise Problem(403, "This is the teacher's: its address stands in the terminal.")
        origin = request.headers.get("origin")
        if acting and origin and urlsplit(origin).netloc != request.headers.get("host"):
            raise Problem(403, "That came from another site.")

    return app


def shown(html: str, status: int = 200) -> HTMLResponse:
    """An answer that is a page."""
    return HTMLResponse(str(html), status, headers=HEADERS)


async def read(request: Request, form: type) -> object:
    """The body, as this form. Raises Problem if it is too large, too slow, or of another form."""
    try:
        return form.model_validate_json(await read_body(request))
    except ValidationError as error:
        raise Problem(400, f"That is no {form.__name__}: {error.error_count()} faults.") from None


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form that a browser sent, each once."""
    body = await read_body(request)
    return {name: values[-1] for name, values in parse_qs(body.decode(errors="replace")).items()}


async def read_body(request: Request) -> bytes:
    """The body, unless it is too large or comes too slowly."""
    too_large = Problem(413, "That is too large.", {"Connection": "close"})
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or int(length) > LARGEST:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(PATIENCE):
            async for part in request.stream():
                body += part
                if len(body) > LARGEST:
                    raise too_large
    except TimeoutError:
        raise Problem(408, "That came too slowly.", {"Connection": "close"}) from None
    return bytes(body)


def as_csv(standing: Standing) -> str:
    """A line for each exercise and guess of each learner."""
    file = io.StringIO()
    table = csv.writer(file)
    table.writerow(["learner", "name", "kind", "id", "outcome", "hints", "mistakes or truth"])
    for learner in standing.learners.values():
        who = learner.number, plain(learner.name)
        for id, attempt in learner.attempts.items():
            kinds = "; ".join(attempt.mistakes)
            table.writerow([*who, "exercise", id, attempt.status, attempt.hints, kinds])
        for id, said in learner.guesses.items():
            table.writerow([*who, "guess", id, plain(said.said), "", plain(said.truth or "")])
    return file.getvalue()


def plain(words: str) -> str:
    """Words that no spreadsheet takes for a formula."""
    return f"'{words}" if words[:1] in tuple("=+-@\t\r") else words
