"""Long, for each of its programs is a whole feed."""

import ast
import asyncio
import contextlib
import gc
import itertools
from collections import deque

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import now


class News:
    """A message of which it can be seen who keeps it."""


def rows_with(thing):
    """How many lists, sets, dicts and deques hold it, or a tuple with it."""
    kept = (list, set, dict, deque)
    rows = gc.get_referrers(thing)
    tuples = (row for row in rows if isinstance(row, tuple))
    # What we hold the tuples in ourselves doesn't count.
    around = (row for one in tuples for row in gc.get_referrers(one) if row is not rows)
    return sum(isinstance(row, kept) for row in itertools.chain(rows, around))


class Client:
    """A client of the check's own: `send` takes `seconds`; after `most` messages it has left."""

    def __init__(self, seconds, most=None):
        self.seconds, self.most, self.got = seconds, most, []
        self.busy = self.shared = False

    async def send(self, message):
        if self.busy:
            self.shared = True
            raise RuntimeError("another send to this client is under way")
        if self.most is not None and len(self.got) >= self.most:
            raise ConnectionError("the client has left")
        self.busy = True
        try:
            await asyncio.sleep(self.seconds)
            self.got.append(message)
        finally:
            self.busy = False


class Feed(Exercise):
    """News that nobody stalls

    Write a class `Feed`, which sends news to many clients. `await client.send(message)` sends one
    message to one client; it takes a while, for some clients a long one.

    - `Feed(size)` makes a feed.
    - `await feed.serve(client)` sends to this client, in order, every message that is published
      from now on. It returns when `send` raises a `ConnectionError`: the client has left. Any
      other error comes out. It may also be cancelled.
    - `feed.publish(message)`, an ordinary function, hands a message to all clients that are
      served now. It returns at once.

    At most `size` messages wait for one client (the one that is being sent is not counted). If one
    more comes, the oldest of those that wait is lost. No client notices how slow another is. A
    client that has left, or is no longer served, is forgotten.
    """

    id = "news-1"
    equivalent = {
        "a_box_each: drop falsy, line 13": "a queue counts as true",
    }
    asks = "Feed"
    minutes = 12
    hints = (
        "Who may wait for a slow client? Only the task that serves it. So what lies between "
        "`publish` and that task?",
        "Each client has a box of its own: a queue with `maxsize=size`. `publish` puts into all of "
        "them, `serve` takes out of one and sends.",
        "In `publish`: `if box.full(): box.get_nowait()`, then `box.put_nowait(message)`. In "
        "`serve`: `finally` takes the box away.",
    )

    def verify(self, Feed, lab):
        lab.run(self._day(Feed, lab))
        lab.run(self._while_some_wait(Feed, lab))

    async def _day(self, Feed, lab):
        feed = lab.call(Feed, 3)
        lab.told(
            "with a size of 3, and published eleven messages, one each second, to a quick "
            "client and to a slow one that takes 100 s for each"
        )
        quick, slow = Client(0.1), Client(100)
        serving = [asyncio.create_task(self._serve(feed, client, lab)) for client in (quick, slow)]
        await asyncio.sleep(0.5)
        for number in range(11):
            self._publish(feed, number, lab)
            await asyncio.sleep(1)
        if quick.shared or slow.shared:
            raise Wrong(
                "connection shared",
                "`send` was called while another `send` to the same client was under way.",
                lab.call_of("send"),
                "One task for each client sends, one message after another.",
            )
        self._look_at(serving)
        ended = serving[0].done() or serving[1].done()
        if ended and await self._serves_what_counts_as_true(Feed, lab):
            asked = lab.truth_test().line
            raise Wrong(
                "falsy",
                "The first message was 0, and `serve` returned, though the client had not left.",
                asked,
                headline="took a message for the end",
                at="takes 0 for nothing" if asked else "",
            )
        if ended:
            loops = (node for node in lab.nodes() if isinstance(node, ast.While))
            looping = lab.earliest(
                *(node.lineno for node in loops if not isinstance(node.test, ast.Constant))
            )
            raise Wrong(
                "stopped early",
                "`serve` returned, and the client had not left.",
                looping or lab.definition("serve"),
                "It goes on, in a loop: take a message, send it, "
                "until `send` raises ConnectionError.",
                headline="served nobody",
                at="comes to its end" if looping else "",
            )
        if len(quick.got) < 11:
            found = lab.suspect(quick.got, list(range(11)))
            raise Wrong(
                "value",
                f"The quick client got {quick.got}, and eleven messages were published.",
                found and found.line,
                "Each client gets every message: a box for each, and one task that empties it.",
            )
        lab.equal(quick.got, list(range(11)), what="the quick client got")
        await asyncio.sleep(2000)
        self._look_at(serving)
        if len(slow.got) > 4:
            raise Wrong(
                "unbounded",
                f"{len(slow.got) - 1} messages waited for the slow client; 3 may wait.",
                lab.call_of("create_task", "ensure_future", given="put")
                or lab.call_of("*Queue", "deque")
                or lab.node(ast.List),
                "Give each box a `maxsize`, and say what is lost when it is full.",
            )
        if slow.got == [0, 1, 2, 3]:
            raise Wrong(
                "value",
                "The slow client got [0, 1, 2, 3]; expected [0, 8, 9, 10].",
                lab.condition("full") or lab.handler(asyncio.QueueFull) or lab.condition("*size"),
                "Where no more messages may wait for a client, the oldest goes: take it out, and "
                "put the new one in.",
                headline="lost the newest",
            )
        unsent = lab.call_of("send", given=ast.Subscript) or lab.item_of(at=0)
        if slow.got == [0, 9, 10] and unsent:
            raise Wrong(
                "value",
                "The slow client got [0, 9, 10]; expected [0, 8, 9, 10].",
                unsent,
                "The message that is being sent waits no more: take it out of the box, then send "
                "it.",
                headline="left in the box what is being sent",
            )
        clears = lab.text.calls_of("clear")
        if slow.got in ([0], [0, 8]) and len(clears) == 1:
            sends = lab.text.calls_of("send")
            too_late = not sends or sends[0].lineno < clears[0].lineno
            raise Wrong(
                "wake-up",
                f"The slow client got {slow.got}, and no more; expected [0, 8, 9, 10].",
                clears[0].lineno if too_late else sends[0].lineno,
                "More may have come while it was sending. First `clear()`, then look into the "
                "box, and send until it is empty.",
                headline="slept though messages waited",
                at="forgets that more came while it was sending"
                if too_late
                else "sends one message, and more may wait",
            )
        lab.equal(slow.got, [0, 8, 9, 10], "the slow client got")

        lab.told(
            "and three clients joined late: one stayed, and the others left after two messages"
        )
        late, gone, other = Client(0.1), Client(0.1, most=2), Client(0.1, most=2)
        self._publish(feed, 11, lab)
        joined = [
            asyncio.create_task(self._serve(feed, client, lab)) for client in (late, gone, other)
        ]
        await asyncio.sleep(1)
        for number in range(12, 19):
            self._publish(feed, number, lab)
            await asyncio.sleep(1)
        self._look_at(serving + joined)
        if not joined[1].done():
            raise Wrong(
                "went on after the end",
                "`send` raised ConnectionError, and `serve` went on.",
                lab.call_of("send"),
                "Let `serve` return then.",
                headline="served one who had left",
            )
        for client, who, first in (
            (late, "one who joined late and stayed", 12),
            (quick, "quick client", 0),
        ):
            self._not_forgotten(lab, client.got, list(range(first, 19)), who)
        lab.equal(gone.got, [12, 13], what="the one who left had got")

        lab.told("and the serving of a client was cancelled")
        for task in [*serving, joined[0]]:
            task.cancel()
        await asyncio.wait([*serving, joined[0]], timeout=10)
        if not all(task.done() for task in [*serving, joined[0]]):
            raise Wrong("swallowed", "Ten seconds later `serve` still went on.", lab.handler())
        news = News()
        self._publish(feed, news, lab)
        gc.collect()
        if rows_with(news) > 1:  # one may be the feed's own, of what came last
            gone = lab.call_of("remove", "discard", "pop") or lab.deleting()
            raise Wrong(
                "left open",
                "Nobody was served any more, and the feed kept what was "
                "published: the box of a client was still there.",
                gone or lab.call_of("*Queue", "deque"),
                "Take it away in `finally`: a client may leave, and its serving may be cancelled.",
                headline="did not forget a client",
                at="was not reached" if gone else "",
            )

    async def _while_some_wait(self, Feed, lab):
        """Raise Wrong if what waited when a message had been sent is kept beside the box."""
        lab.told(
            "with a size of 3, and a client that takes 10 s for each; published 0 to 3 in the "
            "first seconds, and 4 to 10 while it got the second"
        )
        feed, client = Feed(3), Client(10)
        serving = asyncio.create_task(self._serve(feed, client, lab))
        await asyncio.sleep(0.5)
        for number in range(11):
            self._publish(feed, number, lab)
            await asyncio.sleep(9 if number == 3 else 1)
        await asyncio.sleep(200)
        serving.cancel()
        await asyncio.wait([serving], timeout=10)
        if client.got == [0, 1, 2, 3, 8, 9, 10]:
            batches = (
                node.lineno
                for node in lab.nodes()
                if isinstance(node, ast.For) and "send(" in ast.unparse(node)
            )
            raise Wrong(
                "unbounded",
                f"It got {client.got}; expected [0, 1, 8, 9, 10]. More than 3 messages waited.",
                lab.earliest(*batches) or lab.call_of("send"),
                "What is taken out of the box and not yet sent waits as well. Take one out, send "
                "it, and look into the box again.",
                headline="kept more than `size`",
            )

    async def _serves_what_counts_as_true(self, Feed, lab):
        """Whether `serve` goes on if each message counts as true."""
        feed, client = Feed(3), Client(0.1)
        serving = asyncio.create_task(self._serve(feed, client, lab))
        await asyncio.sleep(0.5)
        for message in ("one", "two"):
            self._publish(feed, message, lab)
            await asyncio.sleep(1)
        return not serving.done() and client.got == ["one", "two"]

    def _not_forgotten(self, lab, got, expected, who):
        """Raise Wrong if a client got another row, or nothing more since another one had left."""
        compared = (
            test.lineno
            for node in lab.nodes()
            if isinstance(node, ast.comprehension)
            for test in node.ifs
            if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Eq, ast.NotEq))
        )
        gone = lab.call_of("remove", "index") or lab.earliest(*compared)
        if gone and 0 < len(got) < len(expected) and got == expected[: len(got)]:
            raise Wrong(
                "value",
                f"The {who} got {got}, and no more; expected {expected}.",
                gone,
                "`remove`, `index` and `==` take what is equal for the same, and two boxes that "
                "hold the same are equal. Keep them under a key that belongs to one alone, or "
                "compare with `is`.",
                headline="forgot one who had not left",
            )
        lab.equal(got, expected, what=f"the {who} got")

    @sweep(
        lambda some: {
            "size": some.integers(1, 3),
            "feeds": some.sampled_from((1, 1, 2)),
            "messages": some.lists(some.sampled_from(("a", 0, None, "")), max_size=7),
            "clients": some.lists(
                some.tuples(
                    some.sampled_from((0, 1.5)),
                    some.sampled_from((0.1, 2.7)),
                    some.sampled_from((None, None, BrokenPipeError, OSError, "cancelled")),
                ),
                min_size=1,
                max_size=3,
            ),
        },
        most=40,
    )
    def any_clients(self, Feed, lab, size, feeds, messages, clients):
        told = [
            f"client {number} came at {when:g} s and took {seconds:g} s for each"
            + {None: "", "cancelled": ", and its serving was cancelled after 2.2 s"}.get(
                end, f", and its second `send` raised {getattr(end, '__name__', '')}"
            )
            for number, (when, seconds, end) in enumerate(clients, 1)
        ]
        lab.told(
            f"with a size of {size}"
            + (", twice, and used the two in turns" if feeds == 2 else "")
            + f"; {'; '.join(told)}; I published {messages}, one each second"
        )
        run = lab.run(self._weeks(Feed, lab, size, feeds, messages, clients))
        if run.error is not None:
            raise run.error
        for number, (*_, end) in enumerate(clients, 1):
            if end is OSError and "returned" in run.result[f"client {number} got"]:
                raise lab.lost_error("`send` raised an OSError, and `serve` returned.", OSError)
        return run.result

    async def _weeks(self, Feed, lab, size, feeds, messages, clients):
        made = [Feed(size) for _ in range(feeds)]
        got = [[] for _ in clients]

        async def served(number, when, seconds, end):
            calls = 0

            class Told:
                async def send(self, message):
                    nonlocal calls
                    calls += 1
                    if isinstance(end, type) and calls == 2:
                        raise end("the client")
                    await asyncio.sleep(seconds)
                    got[number].append((message, now()))

            await asyncio.sleep(when)
            try:
                async with asyncio.timeout(2.2 if end == "cancelled" else 99):
                    await self._serve(made[number % feeds], Told(), lab)
                    if end is OSError:
                        got[number].append("returned")
            except TimeoutError:
                got[number].append("was served to the end")
            except OSError as error:
                got[number].append(f"raised {type(error).__name__}")

        async with asyncio.TaskGroup() as group:
            for number, client in enumerate(clients):
                group.create_task(served(number, *client))
            await asyncio.sleep(0.5)
            for number, message in enumerate(messages):
                self._publish(made[number % feeds], message, lab)
                await asyncio.sleep(1)
        return {f"client {number} got": each for number, each in enumerate(got, 1)}

    async def _serve(self, feed, client, lab):
        await lab.awaitable(feed.serve(client), "serve")

    def _publish(self, feed, message, lab):
        try:
            made = feed.publish(message)
        except asyncio.QueueFull:
            raise Wrong(
                "full queue",
                "`publish` raised QueueFull, because one client was slow.",
                lab.call_of("put_nowait"),
                "Make room first: if the box is full, take the "
                "oldest message out, with `get_nowait`.",
            ) from None
        if hasattr(made, "__await__"):
            if hasattr(made, "close"):
                made.close()
            raise Wrong(
                "sequential",
                "`publish` wants to be awaited: whoever "
                "publishes waits, and with a slow client everybody waits with it.",
                lab.definition("publish"),
                "An ordinary function that puts the message "
                "into a box for each client never waits.",
                headline="stalled by its slowest client",
            )

    def _look_at(self, serving):
        for task in serving:
            if task.done() and not task.cancelled() and task.exception():
                raise task.exception()

    @right
    class a_box_each:
        """Send news to many clients, none of whom waits for another."""

        def __init__(self, size):
            self.size = size
            self.boxes = set()

        async def serve(self, client):
            box = asyncio.Queue(maxsize=self.size)
            self.boxes.add(box)
            try:
                while True:
                    await client.send(await box.get())
            except ConnectionError:
                pass
            finally:
                self.boxes.remove(box)

        def publish(self, message):
            for box in self.boxes:
                if box.full():
                    box.get_nowait()
                box.put_nowait(message)

    @right
    class with_deques:
        def __init__(self, size):
            self.size, self.boxes = size, []

        async def serve(self, client):
            box, some = deque(maxlen=self.size), asyncio.Event()
            self.boxes.append((box, some))
            try:
                while True:
                    await some.wait()
                    some.clear()
                    while box:
                        await client.send(box.popleft())
            except ConnectionError:
                return
            finally:
                self.boxes.remove((box, some))

        def publish(self, message):
            for box, some in self.boxes:
                box.append(message)
                some.set()

    @wrong("sequential", says="everybody waits")
    class sends_in_turn:
        def __init__(self, size):
            self.clients = []

        async def serve(self, client):
            self.clients.append(client)
            await asyncio.Event().wait()

        async def publish(self, message):
            for client in self.clients:
                await client.send(message)

    @wrong("sequential", says="`publish` wants to be awaited")
    class puts_and_waits:
        def __init__(self, size):
            self.size, self.boxes = size, set()

        async def serve(self, client):
            box = asyncio.Queue(maxsize=self.size)
            self.boxes.add(box)
            try:
                while True:
                    await client.send(await box.get())
            except ConnectionError:
                pass
            finally:
                self.boxes.remove(box)

        async def publish(self, message):
            for box in self.boxes:
                await box.put(message)

    @wrong("unbounded", says="10 messages waited")
    class no_limit:
        def __init__(self, size):
            self.boxes = set()

        async def serve(self, client):
            box = asyncio.Queue()
            self.boxes.add(box)
            try:
                while True:
                    await client.send(await box.get())
            except ConnectionError:
                pass
            finally:
                self.boxes.remove(box)

        def publish(self, message):
            for box in self.boxes:
                box.put_nowait(message)

    @wrong("full queue", says="Make room first")
    class fails_when_full:
        def __init__(self, size):
            self.size, self.boxes = size, set()

        async def serve(self, client):
            box = asyncio.Queue(maxsize=self.size)
            self.boxes.add(box)
            try:
                while True:
                    await client.send(await box.get())
            except ConnectionError:
                pass
            finally:
                self.boxes.remove(box)

        def publish(self, message):
            for box in self.boxes:
                box.put_nowait(message)

    @wrong("value", says="The slow client got")
    class loses_all_that_wait:
        def __init__(self, size):
            self.size, self.boxes = size, set()

        async def serve(self, client):
            box = asyncio.Queue(maxsize=self.size)
            self.boxes.add(box)
            try:
                while True:
                    await client.send(await box.get())
            except ConnectionError:
                pass
            finally:
                self.boxes.remove(box)

        def publish(self, message):
            for box in self.boxes:
                if box.full():
                    while not box.empty():
                        box.get_nowait()
                box.put_nowait(message)

    @wrong("stopped early", says="in a loop")
    class joins_and_returns:
        def __init__(self, size):
            self.size, self.boxes = size, {}

        async def serve(self, client):
            self.boxes[client] = asyncio.Queue(maxsize=self.size)

        def publish(self, message):
            for box in self.boxes.values():
                if box.full():
                    box.get_nowait()
                box.put_nowait(message)

    loses_the_newest = fails_when_full.but(
        "box.put_nowait(message)",
        "if not box.full():\n    box.put_nowait(message)",
        kind="value",
        says="The slow client got",
    )

    @wrong("value", says="two boxes that hold the same")
    class forgets_one_alike:
        def __init__(self, size):
            self.size, self.boxes, self.some = size, [], asyncio.Event()

        async def serve(self, client):
            box = deque(maxlen=self.size)
            self.boxes.append(box)
            try:
                while True:
                    while not box:
                        await self.some.wait()
                    await client.send(box.popleft())
            except ConnectionError:
                pass
            finally:
                self.boxes = [each for each in self.boxes if each != box]

        def publish(self, message):
            for box in self.boxes:
                box.append(message)
            self.some.set()
            self.some = asyncio.Event()

    @wrong("value", says="a box for each")
    class one_box_for_all:
        def __init__(self, size):
            self.box = asyncio.Queue(maxsize=size)

        async def serve(self, client):
            try:
                while True:
                    await client.send(await self.box.get())
            except ConnectionError:
                pass

        def publish(self, message):
            if self.box.full():
                self.box.get_nowait()
            self.box.put_nowait(message)

    @wrong("connection shared", says="One task for each client")
    class a_task_for_each_message:
        def __init__(self, size):
            self.clients, self.tasks = [], set()

        async def serve(self, client):
            self.clients.append(client)
            try:
                await asyncio.Event().wait()
            finally:
                self.clients.remove(client)

        def publish(self, message):
            for client in self.clients:
                task = asyncio.create_task(client.send(message))
                self.tasks.add(task)
                task.add_done_callback(lambda task: self.tasks.discard(task) or task.result())

    @wrong("left open", says="in `finally`")
    class keeps_the_boxes:
        def __init__(self, size):
            self.size, self.boxes = size, []

        async def serve(self, client):
            box = asyncio.Queue(maxsize=self.size)
            self.boxes.append(box)
            with contextlib.suppress(ConnectionError):
                while True:
                    await client.send(await box.get())

        def publish(self, message):
            for box in self.boxes:
                if box.full():
                    box.get_nowait()
                box.put_nowait(message)

    @wrong("raised", says="the client has left")
    class lets_the_error_out:
        def __init__(self, size):
            self.size, self.boxes = size, set()

        async def serve(self, client):
            box = asyncio.Queue(maxsize=self.size)
            self.boxes.add(box)
            try:
                while True:
                    await client.send(await box.get())
            finally:
                self.boxes.remove(box)

        def publish(self, message):
            for box in self.boxes:
                if box.full():
                    box.get_nowait()
                box.put_nowait(message)
