"""Somebody on a hub, as a browser would be: logs in, waits for a server, runs cells of files."""

import asyncio
import json
import time
import uuid
from collections.abc import Mapping

import httpx
import websockets

COMES_WITHIN = 120  # seconds
ANSWERS_WITHIN = 120  # seconds
FOLDER = "async-course"


class Learner:
    """A learner with a server of their own.

    failed: the cells that raised what they should not; said: what each cell printed or showed.
    """

    def __init__(self, hub: str, name: str) -> None:
        """hub: its address. name: to log in with."""
        self.name, self._hub = name, hub
        self._own = f"{hub}/user/{name}"
        self._client = httpx.AsyncClient(follow_redirects=True, timeout=COMES_WITHIN)
        self.failed: list[str] = []
        self.said: list[str] = []

    async def come(self, password: str) -> None:
        """Log in, wait for the server, and have the course pulled into the learner's folder.

        Raises RuntimeError where that fails.
        """
        await self._client.get(f"{self._hub}/hub/login")
        form = {"username": self.name, "password": password, "_xsrf": self._xsrf("/hub/")}
        entered = await self._client.post(f"{self._hub}/hub/login?next=/hub/spawn", data=form)
        if entered.status_code != 200 or "/hub/login" in str(entered.url):
            raise RuntimeError(f"{self.name} is not let in: {entered.status_code}")
        until = time.monotonic() + COMES_WITHIN
        # Until there is a server, the hub answers for it. Its first page is nbgitpuller's, which
        # asks for the copy by itself.
        while "/git-pull" not in (page := await self._client.get(f"{self._own}/")).url.path:
            if time.monotonic() > until:
                raise RuntimeError(f"{self.name} got no server within {COMES_WITHIN} s")
            await asyncio.sleep(0.3)
        url = f"{self._own}/git-pull/api"
        pulled = await self._client.get(url, params=page.url.params)
        if '"finished"' not in pulled.text:
            raise RuntimeError(f"{self.name} got no copy of the course: {pulled.text[-500:]}")

    async def cells(self, path: str) -> list[Mapping]:
        """The cells of a notebook in the learner's folder."""
        answer = await self._client.get(f"{self._own}/api/contents/{FOLDER}/{path}")
        return answer.raise_for_status().json()["content"]["cells"]

    async def run(self, path: str, answers: Mapping[str, str] | None = None) -> None:
        """Run all code cells of a notebook in a kernel of its own.

        answers: what to write into a cell instead, by its id.
        """
        cells = [cell for cell in await self.cells(path) if cell["cell_type"] == "code"]
        folder = f"{FOLDER}/{path.rpartition('/')[0]}"
        xsrf = self._xsrf(f"/user/{self.name}/")
        started = await self._client.post(
            f"{self._own}/api/kernels",
            json={"name": "python3", "path": folder},
            headers={"X-XSRFToken": xsrf},
        )
        kernel = started.raise_for_status().json()["id"]
        channels = f"{self._own}/api/kernels/{kernel}/channels".replace("http", "ws", 1)
        query = f"?_xsrf={xsrf}"
        cookies = "; ".join(f"{one.name}={one.value}" for one in self._client.cookies.jar)
        async with websockets.connect(
            channels + query, additional_headers={"Cookie": cookies}, max_size=None
        ) as socket:
            for number, cell in enumerate(cells):
                source = (answers or {}).get(cell["id"], cell["source"])
                async with asyncio.timeout(ANSWERS_WITHIN):
                    said, error = await _execute(socket, source)
                self.said.append(said)
                if error and "raises-exception" not in cell["metadata"].get("tags", ()):
                    self.failed.append(f"{path}, code cell {number}: {error}")

    async def go(self) -> None:
        """Leave; the server is the hub's to end."""
        await self._client.aclose()

    def _xsrf(self, path):
        jar = self._client.cookies.jar
        return next(one.value for one in jar if (one.name, one.path) == ("_xsrf", path))


async def _execute(socket, source):
    """What a cell says when it is run, and the name of its error, if it raised one."""
    number = uuid.uuid4().hex
    header = {
        "msg_id": number,
        "msg_type": "execute_request",
        "session": number,
        "username": "",
        "version": "5.3",
    }
    content = {
        "code": source,
        "silent": False,
        "store_history": True,
        "user_expressions": {},
        "allow_stdin": False,
        "stop_on_error": False,
    }
    message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
    await socket.send(json.dumps(message | {"channel": "shell", "buffers": []}))
    said, error, idle, replied = [], "", False, False
    while not (idle and replied):
        told = await socket.recv()
        if isinstance(told, bytes):  # a widget's, with buffers
            continue
        told = json.loads(told)
        if told["parent_header"].get("msg_id") != number:
            continue
        kind, content = told["header"]["msg_type"], told["content"]
        if kind == "stream":
            said.append(content["text"])
        elif kind in ("execute_result", "display_data"):
            said.append(content["data"].get("text/plain", ""))
        elif kind == "error":
            error = f"{content['ename']}: {content['evalue']}"
        elif kind == "execute_reply":
            replied = True
        idle = idle or kind == "status" and content["execution_state"] == "idle"
    return "".join(said), error
