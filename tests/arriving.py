"""Programs for the schedule game: what arrives in them is open."""

import asyncio
from contextlib import suppress

from helpers import arrival


async def each(**tasks):
    """Run the coroutines as tasks of these names."""
    async with asyncio.TaskGroup() as group:
        for name, coro in tasks.items():
            group.create_task(coro, name=name)


def payments(make_lock, people="AB"):
    """Each comes, looks, asks the bank for a while, and writes."""

    async def program():
        account, lock = [0], make_lock()

        async def pays(name):
            await arrival(f"{name} comes")
            async with lock:
                seen = account[0]
                await asyncio.sleep(0.1)
                account[0] = seen + 1

        await each(**{name: pays(name) for name in people})
        return account[0]

    return program


def crossing(ordered):
    """Two take two locks."""

    async def program():
        one, two = asyncio.Lock(), asyncio.Lock()

        async def takes(name, first, second):
            await arrival(f"{name} comes")
            async with first:
                await arrival(f"{name} goes on")
                async with second:
                    pass

        await each(A=takes("A", one, two), B=takes("B", *((one, two) if ordered else (two, one))))

    return program


def cache(careful):
    """Two ask for a page whose load may fail."""

    async def program():
        pages = {}

        async def asks(name):
            await arrival(f"{name} asks")
            if "news" not in pages:
                pages["news"] = asyncio.ensure_future(arrival("page", fails=OSError("down")))
            with suppress(OSError):
                try:
                    await pages["news"]
                except OSError:
                    if careful:
                        pages.pop("news", None)
                    else:
                        del pages["news"]
                    raise

        await each(A=asks("A"), B=asks("B"))

    return program


def barrier(stays):
    """Two meet at a barrier, unless what they wait for fails."""

    async def program():
        meets = asyncio.Barrier(2)

        async def works(name):
            with suppress(OSError):
                await arrival(name, fails=OSError)
                if not stays:
                    await meets.wait()
            if stays:
                await meets.wait()

        await each(A=works("A"), B=works("B"))

    return program


def closing(patient):
    """What was accepted before closing time must be served."""

    async def program():
        queue, closed, accepted, served = asyncio.Queue(), asyncio.Event(), [], []

        async def cooks():
            while patient or not closed.is_set():
                if (dish := await queue.get()) is None:
                    break
                await arrival(f"{dish} is cooked")
                served.append(dish)

        async def orders_dishes():
            for dish in "xy":
                await arrival(f"{dish} is ordered")
                if not closed.is_set():
                    accepted.append(dish)
                    queue.put_nowait(dish)

        async def closes():
            await arrival("closing time")
            closed.set()
            queue.put_nowait(None)

        await each(cook=cooks(), guest=orders_dishes(), owner=closes())
        return accepted == served

    return program


def independent(number, **more):
    async def program():
        await asyncio.gather(*[arrival(f"n{n}", **more) for n in range(number)])

    return program
