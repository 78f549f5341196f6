"""What was told, on disk: an answer is given once it is there, so kill -9 loses nothing.

SQLite in WAL mode with synchronous FULL. Many requests share one commit: while one is under way,
the next ones gather.
"""

import asyncio
import json
import time
from pathlib import Path

import aiosqlite

from helpers.board.guard import Secrets

TABLES = """
create table if not exists session (code text, token text, salt text, began integer, ended integer);
create table if not exists told (
    id integer primary key, learner text, session text, number integer, at integer, event text,
    unique (learner, session, number));
"""


class Store:
    """A session's file; open it with `await Store.open(path)`."""

    def __init__(self, path: Path, database: aiosqlite.Connection) -> None:
        self.path = path
        self._database = database
        self._gathered: list[tuple] = []
        self._written: asyncio.Future | None = None
        self._writer: asyncio.Task | None = None

    @classmethod
    async def open(cls, path: Path) -> "Store":
        """Open the file, or make it; readable for its owner alone."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        database = await aiosqlite.connect(path)
        await database.execute("pragma journal_mode = wal")
        await database.execute("pragma synchronous = full")
        await database.executescript(TABLES)
        await database.commit()
        return cls(path, database)

    async def secrets(self) -> Secrets | None:
        """Those of the session that is kept here; None in a new file."""
        rows = await self._database.execute_fetchall("select code, token, salt from session")
        return Secrets(*list(rows)[0]) if rows else None

    async def begin(self, secrets: Secrets) -> None:
        """Note a new session."""
        row = *secrets, round(time.time()), None
        await self._database.execute("insert into session values (?, ?, ?, ?, ?)", row)
        await self._database.commit()

    async def end(self) -> None:
        """Note that the session is over."""
        await self._database.execute("update session set ended = ?", [round(time.time())])
        await self._database.commit()

    async def all(self) -> list[tuple[str, str, int, int, dict]]:
        """All that was told, in order: (learner, session, number, seconds since 1970, event)."""
        rows = await self._database.execute_fetchall(
            "select learner, session, number, at, event from told order by id"
        )
        return [(*row[:4], json.loads(row[4])) for row in rows]

    async def add(self, rows: list[tuple[str, str, int, dict]]) -> None:
        """Keep these: (learner, session, number, event). Returns when they are on the disk. What is
        there already stays as it is.
        """
        now = round(time.time())
        self._gathered += [(*row[:3], now, json.dumps(row[3])) for row in rows]
        if self._written is None:
            self._written = asyncio.get_running_loop().create_future()
        written = self._written
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())
        await asyncio.shield(written)

    async def _write(self):
        while self._gathered:
            rows, self._gathered = self._gathered, []
            written, self._written = self._written, None
            try:
                await self._database.executemany(
                    "insert or ignore into told (learner, session, number, at, event) "
                    "values (?, ?, ?, ?, ?)",
                    rows,
                )
                await self._database.commit()
            except BaseException as error:  # a full disk: those who wait hear of it
                written.set_exception(error)
                written.exception()  # it may be that nobody waits any more
                if not isinstance(error, Exception):
                    raise
            else:
                written.set_result(None)

    async def close(self) -> None:
        """Close the file, once all that waits is written."""
        if self._writer is not None:
            await asyncio.wait([self._writer])
        await self._database.close()
