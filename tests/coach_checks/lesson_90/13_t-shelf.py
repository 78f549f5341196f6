import asyncio

from helpers.coach import Exercise, right, wrong


class Shelf(Exercise):
    """A class with a coroutine function, which the check awaits by itself"""

    id = "t-shelf"
    asks = "Shelf"

    def verify(self, Shelf, lab):
        async def main():
            task = asyncio.ensure_future(lab.awaitable(lab.call(Shelf).fetch(3), "fetch"))
            return await task

        lab.equal(lab.run(main()).result, "book 3")

    @right
    class Async:
        """Keeps books."""

        async def fetch(self, number):
            """Return a book."""
            return f"book {number}"

    @right
    class FromAThread:
        def fetch(self, number):
            return asyncio.to_thread("book {}".format, number)

    @wrong(
        "not async",
        says="`fetch` returned 'book 3' at once: there is nothing to await.\n"
        "Line 3: `def fetch(self, number):`.\nBegin it with `async def`.",
    )
    class Plain:
        def fetch(self, number):
            return f"book {number}"

    @wrong("not async", says="`fetch` returned an async generator.\nLine 5: `yield")
    class Generator:
        async def fetch(self, number):
            yield f"book {number}"
