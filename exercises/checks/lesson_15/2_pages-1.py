import ast
import asyncio

from helpers.basics.words import count
from helpers.coach import Exercise, Wrong, right, sweep, wrong


def async_iterator(lab, thing):
    """Return `thing`, or raise Wrong if it is nothing to be read by `async for`."""
    if hasattr(thing, "__anext__"):
        return thing
    said = f"It returned a {type(thing).__name__}."
    if asyncio.iscoroutine(thing):
        thing.close()
        said = "It returned a coroutine: it is `async def`, and has no `yield`."
    elif hasattr(thing, "__next__"):
        said = "It returned a plain generator, which can't await."
    raise Wrong(
        "not a generator",
        said,
        lab.definition(lab.asks),
        "A function becomes an async generator by `async def` and a `yield`.",
        headline="not an async generator",
    )


class Pages(Exercise):
    """A paginator

    A catalogue answers in pages. `fetch(url)` is a coroutine function; its page is a dict:
    `page["results"]` is a list of items, which may be empty, and `page["next"]` is the url of the
    next page, or None if there is none. There may be thousands of pages.

    Write an async generator `pages(fetch, url)`: it yields the items of all pages, one by one,
    beginning with the page at `url`. A page is fetched only when somebody asks for an item that
    is on none of the pages before it.
    """

    id = "pages-1"
    asks = "pages"
    minutes, limit = 7, 3.0  # a generator in a generator, a thousand deep, takes its time
    hints = (
        "A loop goes from page to page. What tells it where to go, and when to stop?",
        "Hand out all items of a page before you fetch the next one.",
        "`while url is not None:` fetch the page, `yield` each of its results, and set `url` to "
        "the page's next.",
    )

    def verify(self, pages, lab):
        book = {
            "p1": {"results": ["a", "b"], "next": "p2"},
            "p2": {"results": [], "next": "p3"},
            "p3": {"results": ["c"], "next": "p4"},
            "p4": {"results": ["d"], "next": None},
        }
        fetch = lab.service(1, book)
        lab.told('with a catalogue of four pages: "a" and "b", none, "c", "d"')
        lab.run(self._read(pages, lab, fetch))
        lab.told("with a catalogue of one page")
        fetch = lab.service(1, {"only": {"results": ["z"], "next": None}})
        lab.equal(lab.run(self._all(pages(fetch, "only"))).result, ["z"], what="it yielded")

    async def _all(self, stream):
        return [item async for item in stream]

    async def _read(self, pages, lab, fetch):
        stream, got = async_iterator(lab, pages(fetch, "p1")), []
        async for item in self._ended(stream, fetch, lab):
            if isinstance(item, (list, dict)):
                raise Wrong(
                    "another form",
                    f"It yielded the {type(item).__name__} {item!r}.",
                    lab.yielding(),
                    "Its reader wants items: go through the results in a loop.",
                    headline="yields whole pages",
                )
            if hasattr(item, "__anext__"):
                raise Wrong(
                    "another form",
                    "It yielded an async generator.",
                    lab.yielding(lab.asks),
                    "There is no `yield from` for async generators: go through it with "
                    "`async for`, and yield its items.",
                    headline="yielded a generator in place of its items",
                )
            got.append(item)
            await asyncio.sleep(3)  # what was begun in the background begins now
            self._fetched(lab, fetch, got)
        if got == ["a", "b"]:
            raise Wrong(
                "stopped early",
                "It yielded a and b, and no more. The second page is empty, and it has a next one."
                if len(fetch.calls) > 1
                else "It yielded the items of the first page, and no more.",
                self._asks_for(lab, "results")
                or lab.condition()
                or lab.returning()
                or lab.looping(),
                "Only `next` tells whether there is another page.",
                headline="stopped too early",
            )
        if got == ["a", "b", "c"]:
            raise Wrong(
                "stopped early",
                "It yielded a, b and c. The item of the last page is missing.",
                self._asks_for(lab, "next")
                or lab.earliest(lab.while_loop(), lab.condition(), lab.returning(), lab.breaking()),
                "The page whose `next` is None has items like the others: yield them "
                "before you stop.",
                headline="stopped too early",
            )
        lab.equal(got, ["a", "b", "c", "d"], what="it yielded")

    def _asks_for(self, lab, word):
        """The line that lets this part of a page decide whether to go on, or None."""
        return lab.earliest(
            *(
                node.test.lineno
                for node in lab.nodes()
                if isinstance(node, (ast.If, ast.While)) and word in ast.unparse(node.test)
            )
        )

    async def _ended(self, stream, fetch, lab):
        try:
            async for item in stream:
                yield item
        except KeyError:
            if None not in fetch.calls:
                raise
            raise Wrong(
                "protocol",
                "It fetched the page `None`.",
                self._asks_for(lab, "next") or fetch.places[-1],
                "On the last page `next` is there, and it is None: that is the end.",
                headline="went past the last page",
            ) from None
        except RuntimeError as error:
            if "StopAsyncIteration" not in str(error):
                raise
            raise Wrong(
                "StopIteration",
                f"Python said: {error}.",
                lab.use_of("StopAsyncIteration", "anext"),
                "An async generator ends where its body ends, or by a bare `return`.",
                headline="raised StopAsyncIteration",
            ) from None

    def _fetched(self, lab, fetch, got):
        calls = fetch.calls
        if len(calls) > len(set(calls)):
            raise Wrong(
                "done twice",
                f"It fetched {calls}.",
                lab.call_of("fetch"),
                "After a page, go on with its `next`.",
                headline="the same page again",
            )
        needed = {1: 1, 2: 1, 3: 3, 4: 4}.get(len(got), 4)
        if len(calls) <= needed:
            return
        said = f"I asked for {len(got)} item{'s' * (len(got) > 1)}, and it had fetched {calls}."
        if len(calls) == 4 and needed == 1:
            raise Wrong(
                "eager",
                said,
                lab.call_of("fetch"),
                "This way the first item has to wait for the last page. Yield the "
                "items of a page before you fetch the next one.",
                headline="loads all first",
            )
        raise Wrong(
            "eager",
            said,
            fetch.places[needed],
            "Fetch the next page only when somebody asks for an item after the last one of this "
            "page.",
            headline="fetches a page too early",
            at="fetches it",
        )

    @sweep(
        lambda some: {
            "book": some.lists(
                some.lists(some.sampled_from([None, 0, "", "a"]), max_size=3),
                min_size=1,
                max_size=4,
            ),
            "most": some.sampled_from([1, 2, 99, 99]),
        },
        fails=(OSError, ...),
        most=16,
    )
    def any_book(self, pages, lab, book, most):
        stopped = f", and stopped after {most} of them" if most < sum(map(len, book)) else ""
        lab.told(f"twice at once, and read the items of {book}{stopped}")
        urls = [f"p{number}" for number in range(1, len(book) + 1)]
        fetch = lab.service(
            1,
            {
                url: {"results": items, "next": further}
                for url, items, further in zip(urls, book, [*urls[1:], None])
            },
        )

        async def read():
            stream, got = pages(fetch, "p1"), []
            async for item in stream:
                got.append(item)
                if len(got) == most:
                    break
            await stream.aclose()
            return got

        async def both():
            return await asyncio.gather(read(), read())

        run = lab.run(both())
        if run.error:
            raise run.error
        return {"they yielded": run.result, "": lab.seen(run, fetch, without=("result",))}

    @sweep(lambda some: {"number": some.just(1100)}, most=1)
    def thousands_of_pages(self, pages, lab, number):
        lab.told(f"with a catalogue of {number} pages, an item on each")

        async def fetch(url):  # which takes no time, for a deep answer would be looked at at length
            fetched.append(url)
            return {"results": [url], "next": url + 1 if url < number else None}

        fetched = []
        run = lab.run(self._all(pages(fetch, 1)))
        if isinstance(run.error, RecursionError):
            raise Wrong(
                "recursion",
                "`pages` went deeper than Python allows.",
                lab.text.most_often_in(run.error),
                "Each page is one more call inside the others, and Python allows about a thousand "
                "of them. Go from page to page in a loop.",
            )
        if run.error:
            raise run.error
        if len(fetched) < number and run.result == fetched:
            raise Wrong(
                "stopped early",
                f"It ended after {count(len(fetched), 'page')}, the last of which has a `next`.",
                lab.for_loop("range") or lab.literal(len(fetched)) or lab.looping(),
                "Only `next` tells whether there is another page, and there may be thousands.",
                headline="stopped too early",
            )
        return {"it yielded": run.result}

    equivalent = {
        "with_while: falsy for None, line 3": "a url is never empty",
        "until_there_is_no_next: falsy for None, line 6": "a url is never empty",
    }

    @right
    async def with_while(fetch, url):
        """Yield the items of all pages, beginning with the page at `url`."""
        while url is not None:
            page = await fetch(url)
            for item in page["results"]:
                yield item
            url = page["next"]

    @right
    async def until_there_is_no_next(fetch, url):
        while True:
            page = await fetch(url)
            for item in page["results"]:
                yield item
            if (url := page["next"]) is None:
                return

    @wrong("recursion", says="1100 pages")
    async def with_itself(fetch, url):
        page = await fetch(url)
        for item in page["results"]:
            yield item
        if page["next"]:
            async for item in with_itself(fetch, page["next"]):
                yield item

    @wrong("eager", says="I asked for 1 item")
    async def loads_all(fetch, url):
        items = []
        while url is not None:
            page = await fetch(url)
            items += page["results"]
            url = page["next"]
        for item in items:
            yield item

    @wrong("eager", says="['p1', 'p2']")
    async def one_ahead(fetch, url):
        page = await fetch(url)
        while page is not None:
            following = await fetch(page["next"]) if page["next"] else None
            for item in page["results"]:
                yield item
            page = following

    @wrong("not a generator", says="no `yield`")
    async def returns_a_list(fetch, url):
        items = []
        while url is not None:
            page = await fetch(url)
            items.extend(page["results"])
            url = page["next"]
        return items

    @wrong("another form", says="['a', 'b']")
    async def yields_lists(fetch, url):
        while url is not None:
            page = await fetch(url)
            yield page["results"]
            url = page["next"]

    @wrong("stopped early", says="empty")
    async def until_an_empty_page(fetch, url):
        page = await fetch(url)
        while page["results"]:
            for item in page["results"]:
                yield item
            page = await fetch(page["next"])

    @wrong("stopped early", says="the first page")
    async def the_first_page(fetch, url):
        page = await fetch(url)
        for item in page["results"]:
            yield item

    @wrong("eager", says="['p1', 'p2']")
    async def in_the_background(fetch, url):
        page = await fetch(url)
        while page["next"]:
            following = asyncio.create_task(fetch(page["next"]))
            for item in page["results"]:
                yield item
            page = await following
        for item in page["results"]:
            yield item

    @wrong("done twice", says="go on with its `next`")
    async def never_goes_on(fetch, url):
        while True:
            page = await fetch(url)
            for item in page["results"]:
                yield item
            if page["next"] is None:
                return

    @wrong("another form", says="no `yield from`")
    async def yields_the_rest(fetch, url):
        page = await fetch(url)
        for item in page["results"]:
            yield item
        if page["next"]:
            yield yields_the_rest(fetch, page["next"])

    @wrong("StopIteration", says="bare `return`")
    async def raises_the_end(fetch, url):
        while True:
            page = await fetch(url)
            for item in page["results"]:
                yield item
            if page["next"] is None:
                raise StopAsyncIteration
            url = page["next"]

    @wrong("stopped early", says="item of the last page")
    async def all_but_the_last(fetch, url):
        page = await fetch(url)
        while page["next"] is not None:
            for item in page["results"]:
                yield item
            page = await fetch(page["next"])

    no_await = with_while.but(
        "await fetch(url)", "fetch(url)", kind="not awaited", says="coroutine"
    )
