"""Runs a class: `python3 course.py class` calls this, in the environment."""

import argparse
import asyncio
import contextlib
import shutil
import socket
import sqlite3
import sys
import time
from pathlib import Path
from types import FrameType

import uvicorn

from helpers.board import opened, pages
from helpers.board.app import Board, as_csv, make_app
from helpers.board.guard import Secrets
from helpers.board.opened import LOCAL
from helpers.board.questions import course
from helpers.board.standing import Standing
from helpers.board.store import Store
from helpers.board.words import new_code

PORT, NEXT = 8890, 50  # the first port that is tried, and how many after it
GRACE = 1.5  # seconds in which learners' kernels and pages can hear that the class is over


class Server(uvicorn.Server):
    """uvicorn, which on the first Ctrl-C ends the class, and on the second itself."""

    def __init__(self, config: uvicorn.Config, board: Board) -> None:
        super().__init__(config)
        self._board = board
        self._loop = asyncio.get_running_loop()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called with the signal's number."""
        if self._board.over.is_set():
            super().handle_exit(sig, frame)
        else:
            self._loop.call_soon_threadsafe(self._board.over.set)


def main() -> int:
    """Run a class until Ctrl-C, or until the teacher ends it; return the exit status."""
    options = parse(sys.argv[1:])
    kept = opened.classes()
    if options.delete:
        there = kept.exists()
        shutil.rmtree(kept, ignore_errors=True)
        print(f"Deleted: {kept}" if there else "Nothing was kept.")
        return 0
    try:
        listener = listen(LOCAL if options.local else "0.0.0.0", options.port)
    except OSError as error:
        print(f"course.py: port {options.port or PORT} can't be had ({error.strerror})")
        return 2
    with listener, contextlib.suppress(KeyboardInterrupt):
        asyncio.run(hold(listener, kept, options))
    return 0


def parse(arguments: list[str]) -> argparse.Namespace:
    """The options, which `helpers.commands` has described to the user."""
    parser = argparse.ArgumentParser(prog="course.py class")
    parser.add_argument("--port", type=int)
    parser.add_argument("--local", action="store_true")
    parser.add_argument("--new", action="store_true")
    parser.add_argument("--delete", action="store_true")
    return parser.parse_args(arguments)


def listen(host: str, port: int | None) -> socket.socket:
    """A socket that listens on this port, or without one on the first that is free from 8890 on."""
    for candidate in [port] if port else range(PORT, PORT + NEXT):
        listener = socket.socket()
        if sys.platform != "win32":  # there it would take a port that is in use
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
            listener.listen(1024)
        except OSError as error:
            listener.close()
            refused = error
        else:
            listener.setblocking(False)
            return listener
    raise refused


def own_address() -> str:
    """The address of this machine in its network, as far as it can tell; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation: nobody's
            return probe.getsockname()[0]
        except OSError:
            return LOCAL


def unended(kept: Path) -> Path | None:
    """The file of the last session, if it did not come to its end."""
    for path in sorted(kept.glob("*.sqlite"), reverse=True)[:1]:
        with contextlib.suppress(sqlite3.Error), sqlite3.connect(path) as database:
            rows = database.execute("select ended from session").fetchall()
            if rows and rows[0][0] is None:
                return path
    return None


async def hold(listener: socket.socket, kept: Path, options: argparse.Namespace) -> None:
    """Hold the class: serve until it is over, then write down how it went."""
    goes_on = None if options.new else unended(kept)
    path = goes_on or kept / f"{time.strftime('%Y-%m-%d %H%M%S')}.sqlite"
    store = await Store.open(path)
    secrets = await store.secrets()
    if secrets is None:
        secrets = Secrets.drawn(new_code())
        await store.begin(secrets)
    standing = Standing(course())
    for learner, session, number, at, event in await store.all():
        standing.told(learner, session, number, at, event)
    port = listener.getsockname()[1]
    host = LOCAL if options.local else own_address()
    board = Board(store, secrets, standing, f"http://{host}:{port}")
    config = uvicorn.Config(
        make_app(board),
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=2000,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=32_768,
    )
    server = Server(config, board)
    opened.opens(port, secrets.code)
    print(opening(board, port, options.local, goes_on is not None), flush=True)
    ending = asyncio.create_task(end_after(board, server))
    try:
        await server.serve(sockets=[listener])
    finally:
        opened.closes()
        ending.cancel()
        await asyncio.wait([ending])
        await store.end()
        await store.close()
    if board.delete:
        for file in kept.glob(f"{path.stem}*"):
            file.unlink()
        print("The class is over. All that was told is deleted.")
    else:
        print(write_down(board.standing, path))


async def end_after(board: Board, server: Server) -> None:
    """Let the server go on for a moment after the class is over, then end it."""
    await board.over.wait()
    await asyncio.sleep(GRACE)
    server.should_exit = True


def opening(board: Board, port: int, local: bool, goes_on: bool) -> str:
    """What is printed when the class begins."""
    where = (
        "It listens on this machine alone."
        if local
        else "It listens on the network, so that learners reach it; --local keeps it on this "
        "machine. The network can read what they send: which exercise, its outcome, their guesses."
    )
    again = (
        "This goes on with the class that was cut off; --new begins another.\n" if goes_on else ""
    )
    return (
        f"{again}The room's code is: {board.secrets.code}\n"
        f"For learners, in any lesson:\n\n"
        f'    from helpers import join; join("{board.address}", "{board.secrets.code}")\n\n'
        f"For you, and nobody else:\n\n"
        f"    http://{LOCAL}:{port}/enter?token={board.secrets.token}\n\n"
        f"{where} Ctrl-C ends the class."
    )


def write_down(standing: Standing, path: Path) -> str:
    """Write the summary beside the session's file; return the words that say so."""
    day = path.stem.split()[0]
    html, table = path.with_suffix(".html"), path.with_suffix(".csv")
    html.write_text(str(pages.summary(standing, day)), encoding="utf-8")
    table.write_text(as_csv(standing), encoding="utf-8")
    return (
        f"\nThe class is over. Its summary:\n  {html}\n  {table}\n"
        "Delete all that was kept: course.py class --delete"
    )


if __name__ == "__main__":
    sys.exit(main())
