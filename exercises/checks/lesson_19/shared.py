"""What exercises of lesson 19 share: the time, errors in groups, a database's connection."""

import asyncio

from helpers.coach import Wrong
from helpers.coach.judging.running import left_running


def now():
    """Seconds on the running loop's clock."""
    return round(asyncio.get_running_loop().time(), 6)


def holds(error, kind):
    """Is `error` of this kind, or a group that holds one?"""
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup(kind) is not None
    return isinstance(error, kind)


def fails_alone(lab, call, kind=LookupError):
    """`call()` must let such an error out, alone or in a group, and leave no task running."""
    left = []

    async def calling():
        try:
            return await lab.awaitable(call())
        except (kind, BaseExceptionGroup) as error:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            left.extend([left_running(others, lab.text, error)] if others else [])
            raise

    try:
        run = lab.run(calling(), raises=(kind, BaseExceptionGroup))
    except Wrong as found:
        found.observed = found.observed.replace(" or BaseExceptionGroup", "")
        raise
    if not holds(run.error, kind):
        raise run.error
    if left:
        raise left[0]


class Busy(Exception):
    """A second question came while the first was under way, as asyncpg's InterfaceError tells."""


class Connection:
    """A connection of the check's own: one conversation at a time.

    seconds: of each question. pool: where it must be lent from while it is used, or None.
    answers: what it answers, by name.
    """

    def __init__(self, seconds=None, pool=None, answers=None):
        self.seconds, self.pool, self.answers = seconds or {}, pool, answers or {}
        self.busy = self.closed = False

    async def fetch(self, name):
        if self.pool is not None and self not in self.pool.lent:
            self.pool.misused = f"`fetch({name!r})` began when the connection was the pool's again."
            raise RuntimeError(self.pool.misused)
        if self.busy:
            raise Busy("cannot perform operation: another operation is in progress")
        self.busy = True
        try:
            await asyncio.sleep(self.seconds.get(name, 1))
            if name == "nothing":
                raise LookupError("there is no 'nothing'")
            return self.answers.get(name, f"price of {name}")
        finally:
            self.busy = False

    async def close(self):
        await asyncio.sleep(0.1)
        self.closed = True
