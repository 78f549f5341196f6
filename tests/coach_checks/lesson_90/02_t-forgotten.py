import asyncio

from helpers.coach import Exercise, right, wrong


class Forgotten(Exercise):
    """Add up what two pages hold

    Each page that `fetch(name)` brings is a dict; its "items" are two numbers.
    """

    id = "t-forgotten"
    asks = "total"

    def verify(self, total, lab):
        pages = {"a": {"items": (1, 2)}, "b": {"items": (3, 4)}}
        fetch = lab.service({"a": 1, "b": 2}, results=pages)
        lab.equal(lab.run(total, fetch).result, 10)

    @right
    async def with_awaits(fetch):
        page = await fetch("a")
        other = await fetch("b")
        return sum(page["items"]) + sum(other["items"])

    @right
    async def with_gather(fetch):
        pages = await asyncio.gather(fetch("a"), fetch("b"))
        return sum(sum(page["items"]) for page in pages)

    equivalent = {"with_gather: gather in turn, line 5": "nobody looks at the time"}

    @wrong("not awaited", says='leaves it there: `page = fetch("a")`')
    async def an_item_of_it(fetch):
        page = fetch("a")
        other = await fetch("b")
        first = page["items"]
        return sum(first) + sum(other["items"])

    @wrong("not awaited", says='leaves it there: `page = fetch("a")`')
    async def an_attribute_of_it(fetch):
        page = fetch("a")
        other = await fetch("b")
        return sum(page.get("items")) + sum(other.get("items"))

    @wrong("not awaited", says='leaves it there: `page = fetch("a")`')
    async def goes_through_it(fetch):
        page = fetch("a")
        found = []
        for name in page:
            found.append(name)
        return 10

    @wrong("not awaited", says='leaves it there: `first = items("a")`')
    async def adds_it(fetch):
        async def items(name):
            return sum((await fetch(name))["items"])

        first = items("a")
        second = await items("b")
        return first + second

    @wrong("not awaited", says="leaves it there: `found = items()`")
    async def unpacks_it(fetch):
        async def items():
            return (await fetch("a"))["items"]

        found = items()
        await asyncio.sleep(1)
        one, two = found
        return one + two + 7

    @wrong("not awaited", says='leaves it there: `page = fetch("a")`')
    async def hands_it_on(fetch):
        page = fetch("a")
        other = await fetch("b")
        return sum(len(each) for each in (other, page)) + 8

    @wrong("not awaited", says='leaves it there: `pages = [fetch(name) for name in "ab"]`')
    async def a_list_of_them(fetch):
        pages = [fetch(name) for name in "ab"]
        found = 0
        for page in pages:
            found += sum(page["items"])
        return found

    @wrong("not awaited", says="leaves it there: `return fetch(name)`")
    async def in_a_function_of_its_own(fetch):
        async def one(name):
            return fetch(name)

        page = await one("a")
        other = await one("b")
        return sum(page["items"]) + sum(other["items"])

    @wrong("not awaited", says='leaves it there: `page = fetch("a")`')
    async def in_a_group(fetch):
        async def one():
            page = fetch("a")
            await asyncio.sleep(1)
            return sum(page["items"])

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one()), group.create_task(fetch("b"))]
        return tasks[0].result() + 7

    @wrong("not awaited", says='leaves it there: `first = fetch("a")`')
    async def beside_others_that_wait_for_their_turn(fetch):
        before = [fetch("a"), fetch("b")]
        first = fetch("a")
        after = [fetch("a"), fetch("b")]
        known = first["items"]
        return sum(known) + len(await asyncio.gather(*before, *after))

    @wrong("not awaited", says='leaves it there: `found = fetch("b")["items"]`')
    async def in_the_line_itself(fetch):
        page = fetch("a")
        found = fetch("b")["items"]
        return sum(found) + sum((await page)["items"])

    @wrong("not awaited", says='leaves it there: `page = fetch("a")`')
    async def as_if_it_came_bit_by_bit(fetch):
        page = fetch("a")
        await asyncio.sleep(1)
        return [item async for item in page]

    @wrong("not awaited", says='leaves it there: `page = fetch("a")`')
    async def in_words(fetch):
        page = fetch("a")
        await asyncio.sleep(1)
        return f"{page:>10}"

    @wrong("not awaited", says='leaves it there: `name = fetch("a")`')
    async def as_a_key(fetch):
        name = fetch("a")
        await asyncio.sleep(1)
        return {"a": 3}[name] + 7

    @wrong("not awaited", says='leaves it there: `self.page = fetch("a")`')
    async def kept_in_an_object(fetch):
        class Shelf:
            def __init__(self):
                self.page = fetch("a")

            def items(self):
                return self.page.get("items")

        shelf = Shelf()
        waiting = fetch("b")
        return sum(shelf.items()) + sum((await waiting)["items"])

    @wrong("not awaited", says='leaves it there: `self.page = fetch("a")`')
    async def kept_in_an_object_of_a_failed_task(fetch):
        class Shelf:
            def __init__(self):
                self.page = fetch("a")

        async def one():
            shelf = Shelf()
            await asyncio.sleep(1)
            first, second = shelf.page
            return first + second

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one()), group.create_task(fetch("b"))]
        return tasks[0].result() + 7

    @wrong("not awaited", says='leaves it there: `found = fetch("a")["items"]`')
    async def after_another_that_is_forgotten(fetch):
        fetch("b")
        found = fetch("a")["items"]
        return sum(found) + 7
