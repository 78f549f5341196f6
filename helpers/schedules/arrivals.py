"""A wait whose end is open: the answer of a service, a customer who comes in."""

import asyncio
from typing import TypeVar

from helpers.schedules.loop import ArrivalLoop

Value = TypeVar("Value")


async def arrival(
    name: str, value: Value = None, *, fails: BaseException | type[BaseException] | None = None
) -> Value:
    """Wait until this arrives, and return `value`. In a game its moment is a player's choice.

    name: what arrives, as a player reads it: "the answer for Ann".
    fails: an error that may come in its place, which is one more choice.

    Outside of `play` and `orders` it arrives at once, at the next turn of the loop.
    Raises `fails`, where that was chosen; TypeError if it is no error.
    """
    kind = fails if isinstance(fails, type) else type(fails)
    if fails is not None and not issubclass(kind, BaseException):
        raise TypeError(f"fails is an error, such as OSError, not {fails!r:.60}")
    loop = asyncio.get_running_loop()
    if not isinstance(loop, ArrivalLoop):
        await asyncio.sleep(0)
        return value
    future = loop.create_future()
    loop.expect(name, future, value, fails)
    return await future
