"""Long, for a word can get lost between a thread and a loop in many ways."""

import ast
import asyncio
import queue
import sys
import threading
import time

from helpers.coach import Exercise, Wrong, right, sweep, wrong

BURST = 0.5  # seconds that a thread has for a few words; a callback may wait for the loop


class ListenToAThread(Exercise):
    """Listen to a thread

    `subscribe(callback)` starts a thread and returns at once. The thread calls `callback(word)` for
    each word that it hears, now and then, and `callback(None)` when there will be no more.

    Write a coroutine function `listen(subscribe)`: it returns the list of words, in order. While it
    waits for them, the loop is free, and sleeps if it has nothing else to do.
    """

    id = "listen-1"
    asks = "listen"
    minutes, clock = 8, "real"
    limit = 5
    hints = (
        "In which thread does your callback run? And in which one is the loop?",
        "An `asyncio.Queue` holds what has come. Only the loop's own thread may touch it.",
        "`loop.call_soon_threadsafe(words.put_nowait, word)`; get the loop before, in `listen`.",
    )

    def verify(self, listen, lab):
        lab.told("with a thread that says five words in 0.25 s")
        speaker = Speaker(["one", "two", "two", "three", "four"], lab)

        async def main():
            loop = asyncio.get_running_loop()
            # Debug mode tells of each who comes by another door than call_soon_threadsafe.
            loop.set_debug(True)
            loop.slow_callback_duration = 60
            speaker.failed = loop.create_future()
            listening = asyncio.ensure_future(lab.awaitable(listen(speaker.subscribe)))
            ticks, turns = asyncio.create_task(speaker.tick()), loop.turns
            alarms = Alarms(loop, besides=(ticks, asyncio.current_task()))
            done, _ = await asyncio.wait(
                {listening, speaker.failed}, timeout=2.5, return_when=asyncio.FIRST_COMPLETED
            )
            ticks.cancel()
            alarms.stop()
            turns = loop.turns - turns
            if speaker.error:
                listening.cancel()
                raise self._about(speaker.error, lab)
            if not done:
                listening.cancel()
                lab.check_awaited()
                raise Wrong(
                    "endless",
                    "Two seconds after the last word it had not returned.",
                    lab.earliest(lab.while_loop(), lab.call_of("get"), lab.await_of()),
                    "`callback(None)` says that there will be no more words. Does `listen` notice?",
                )
            speaker.failed.cancel()
            result = listening.result()
            if not speaker.said:
                raise Wrong(
                    "early return",
                    f"It returned {result!r:.80} before the first word was said.",
                    lab.call_of("wait_for", "timeout", "sleep") or lab.use_of("subscribe"),
                    "`subscribe` returns at once. Wait for the `None`, however long it takes.",
                    headline="did not wait",
                )
            if speaker.ended and time.perf_counter() - speaker.ended > 0.6:
                raise Wrong(
                    "late",
                    "It returned long after the last word.",
                    lab.call_of("sleep", "timeout"),
                    "Don't guess how long it takes. Wait for the `None`.",
                    headline="waited too long",
                )
            stood = len(speaker.places) >= len(speaker.words)  # for each word, but for one or so
            if speaker.ticks == 0 or stood and speaker.ticks <= len(speaker.words) + 1:
                had = f"{speaker.ticks} turns in 0.3 s" if speaker.ticks else "no turn at all"
                raise Wrong(
                    "blocked",
                    "While it waited for the words, a task beside it that ticks every 10 ms had "
                    f"{had}.",
                    speaker.stood(),
                    "A `queue.Queue`, a `threading.Event` and `join` block the thread. On "
                    "the loop, await something of asyncio's.",
                )
            if turns > 1000:
                yields = lab.call_of("sleep", given=0)
                raise Wrong(
                    "spin",
                    f"The loop took {turns:,} turns in 0.25 s.",
                    yields or lab.while_loop(),
                    "Wait for what wakes you when a word has come: an `asyncio.Queue`, or an "
                    "`asyncio.Event`, that the callback reaches by `loop.call_soon_threadsafe`.",
                    at="gives the others a turn, and goes on at once" if yields else "",
                )
            if alarms.rung > 1:
                raise Wrong(
                    "polling",
                    f"While it waited for the words it woke the loop {alarms.rung} times to look "
                    "whether one had come.",
                    lab.call_of("sleep", "wait_for", "timeout", "call_later"),
                    "Do not check every now and then. Let the callback wake the loop: "
                    "`loop.call_soon_threadsafe`.",
                    headline="asks again and again",
                )
            return result

        try:
            run = lab.run(main())
        finally:
            speaker.join()
        if run.result == [*speaker.words, None]:
            raise Wrong(
                "value",
                f"It returned {run.result!r}.",
                lab.use_of("append") or lab.use_of("put*") or lab.returning(),
                "The `None` only says that no more will come: it doesn't belong in the list.",
                headline="took the end for a word",
            )
        lab.equal(run.result, speaker.words)
        self._in_a_burst(listen, lab, ["one", "two", "three"])
        self._in_a_burst(listen, lab, [f"word {number}" for number in range(1, 201)])

    def _in_a_burst(self, listen, lab, words):
        lab.told(
            f"with a thread that has said {len(words)} words, and `None`, by the time that "
            "`subscribe` returns"
        )
        speaker = Speaker(words, lab, pause=0, burst=True)

        async def main():
            speaker.failed = asyncio.get_running_loop().create_future()
            listening = asyncio.ensure_future(lab.awaitable(listen(speaker.subscribe)))
            done, _ = await asyncio.wait({listening}, timeout=1)
            listening.cancel()
            return listening.result() if done else None

        try:
            # A callback may wait for the loop, and `subscribe` for the callback, a moment long.
            run = lab.run(main(), stands=True)
        finally:
            speaker.join()
        if speaker.error:
            raise self._about(speaker.error, lab)
        if run.result != speaker.words:
            if run.result is not None and len(run.result) >= len(words):
                lab.equal(run.result, speaker.words)
            observed = (
                "It had not returned a second later."
                if run.result is None
                else f"It returned {run.result!r:.80}."
            )
            line, try_ = self._why_lost(lab)
            raise Wrong("lost items", observed, line, try_, headline="lost words")

    def _why_lost(self, lab):
        """The line that loses words, and what to try: by the error that the loop met, if any."""
        met = {type(context.get("exception")).__name__ for context in lab.lost}
        if "QueueFull" in met:
            return lab.call_of("*Queue"), (
                "`put_nowait` raises QueueFull when there is no room, and the word is lost. "
                "Several may come before you take one: make the queue without a limit."
            )
        if "InvalidStateError" in met:
            return lab.use_of("set_result"), (
                "A future takes one result, and several words may come before you look. Put them "
                "into a queue."
            )
        line = _room_for_one(lab) or lab.keyword("maxlen", of="deque")
        if line is None and lab.call_of("clear") and lab.await_of("wait"):
            return lab.await_of("wait"), (
                "An event that is set three times wakes you once. Whenever you wake, take all the "
                "words that have come, the first one first."
            )
        return line, (
            "Several words, and None, may have come before the loop has its turn: keep each of "
            "them until it is taken."
        )

    def _about(self, error, lab):
        text = str(error)
        line = lab.use_of("put*", "set", "set_*", "append", "call_soon*", "create_task")
        if "Non-thread-safe" in text:
            return Wrong(
                "wrong thread",
                "The callback, in its thread, touched what "
                f"belongs to the loop. Debug mode said: {text}.",
                line,
                "Nothing wakes the loop for that. Let the loop do it: "
                "`loop.call_soon_threadsafe(function, argument)`.",
                headline="came by the wrong door",
            )
        if "no running event loop" in text or "no current event loop" in text:
            return Wrong(
                "no loop yet",
                f"The callback raised {error!r}: it runs in a thread of its own, and no loop runs "
                "there.",
                lab.call_of("get_running_loop", "get_event_loop", "create_task"),
                "Get the running loop before, in `listen`, and let the callback use it.",
                headline="no loop in that thread",
            )
        if "coroutine" in text:
            return Wrong(
                "arguments",
                f"Python said: {text}.",
                lab.call_of("call_soon*"),
                "`call_soon_threadsafe` takes an ordinary function, as `put_nowait`. For "
                "a coroutine there is `asyncio.run_coroutine_threadsafe`.",
                headline="a coroutine for a callback",
            )
        return Wrong("raised", f"The callback raised {type(error).__name__}: {text}.", line)

    @sweep(
        lambda some: {
            "one": some.lists(some.sampled_from(["", "a", "b"]), max_size=4),
            "other": some.lists(some.sampled_from(["", "c"]), max_size=2),
        },
        besides=[{"one": ["", "a"], "other": []}, {"one": ["a"] * 1100, "other": ["c"]}],
        most=8,
    )
    def any_words(self, listen, lab, one, other):
        shown = one if len(one) < 9 else f"{len(one)} words"
        lab.told(f"twice at once, with threads that say {shown} and {other}")
        speakers = [Speaker(words, lab, pause=0) for words in (one, other)]

        async def both():
            for speaker in speakers:
                speaker.failed = asyncio.get_running_loop().create_future()
            return await asyncio.gather(
                *(lab.awaitable(listen(speaker.subscribe)) for speaker in speakers)
            )

        try:
            run = lab.run(both())
        finally:
            for speaker in speakers:
                speaker.join()
        if run.error:
            raise run.error
        return {"they returned": run.result}

    @right
    async def with_put_nowait(subscribe):
        """Return the words that the thread says, in order."""
        loop, words, heard = asyncio.get_running_loop(), asyncio.Queue(), []
        subscribe(lambda word: loop.call_soon_threadsafe(words.put_nowait, word))
        while (word := await words.get()) is not None:
            heard.append(word)
        return heard

    @right
    async def with_a_future(subscribe):
        loop, heard = asyncio.get_running_loop(), []
        over = loop.create_future()

        def callback(word):
            if word is None:
                loop.call_soon_threadsafe(over.set_result, None)
            else:
                heard.append(word)

        subscribe(callback)
        await over
        return heard

    @right
    async def with_a_coroutine(subscribe):
        loop, words, heard = asyncio.get_running_loop(), asyncio.Queue(), []
        subscribe(lambda word: asyncio.run_coroutine_threadsafe(words.put(word), loop))
        while (word := await words.get()) is not None:
            heard.append(word)
        return heard

    @right
    async def with_to_thread(subscribe):
        words, heard = queue.Queue(), []
        subscribe(words.put)
        while (word := await asyncio.to_thread(words.get)) is not None:
            heard.append(word)
        return heard

    @wrong("wrong thread", says="call_soon_threadsafe")
    async def puts_directly(subscribe):
        words, heard = asyncio.Queue(), []
        subscribe(words.put_nowait)
        while (word := await words.get()) is not None:
            heard.append(word)
        return heard

    @wrong("wrong thread", says="Nothing wakes the loop")
    async def sets_an_event(subscribe):
        over, heard = asyncio.Event(), []

        def callback(word):
            if word is None:
                over.set()
            else:
                heard.append(word)

        subscribe(callback)
        await over.wait()
        return heard

    @wrong("wrong thread", says="wakes the loop")
    async def with_call_soon(subscribe):
        loop, words, heard = asyncio.get_running_loop(), asyncio.Queue(), []
        subscribe(lambda word: loop.call_soon(words.put_nowait, word))
        while (word := await words.get()) is not None:
            heard.append(word)
        return heard

    hands_over_a_coroutine_function = with_put_nowait.but(
        "words.put_nowait", "words.put", kind="arguments", says="put_nowait"
    )

    @wrong("no loop yet", says="Get the running loop before")
    async def asks_for_the_loop_too_late(subscribe):
        words, heard = asyncio.Queue(), []

        def callback(word):
            asyncio.get_running_loop().call_soon_threadsafe(words.put_nowait, word)

        subscribe(callback)
        while (word := await words.get()) is not None:
            heard.append(word)
        return heard

    @wrong("not async", says="Begin it with `async def`")
    def without_async(subscribe):
        words = queue.Queue()
        subscribe(words.put)
        return list(iter(words.get, None))

    with_a_queue_for_threads = with_to_thread.but(
        "await asyncio.to_thread(words.get)", "words.get()", kind="blocked", says="no turn at all"
    )

    @wrong("spin", says="turns in 0.25 s")
    async def asks_again_and_again(subscribe):
        heard = []
        subscribe(heard.append)
        while not heard or heard[-1] is not None:
            await asyncio.sleep(0)
        return heard[:-1]

    @wrong("early return", says="before the first word")
    async def returns_at_once(subscribe):
        heard = []
        subscribe(lambda word: word and heard.append(word))
        return heard

    @wrong("late", says="Wait for the `None`")
    async def guesses_how_long(subscribe):
        heard = []
        subscribe(heard.append)
        await asyncio.sleep(2)
        return heard[:-1]

    @wrong("value", says="None")
    async def keeps_the_end(subscribe):
        loop, words, heard = asyncio.get_running_loop(), asyncio.Queue(), []
        subscribe(lambda word: loop.call_soon_threadsafe(words.put_nowait, word))
        while not heard or heard[-1] is not None:
            heard.append(await words.get())
        return heard

    calls_a_coroutine = puts_directly.but(
        "words.put_nowait", "lambda word: words.put(word)", kind="not awaited", says="put"
    )


class Speaker:
    """Says words in a thread, so far said, and counts the ticks of a task beside it.

    pause: seconds before each. burst: all are said before `subscribe` returns. error: what the
    callback raised; then `failed`, a future, is done. ended: when the last was said.
    """

    def __init__(self, words, lab, pause=0.05, burst=False):
        self.words, self.lab, self.pause, self.burst, self.said = words, lab, pause, burst, 0
        self.ticks, self.error, self.failed = 0, None, None
        self.thread = self.ended = None
        self.listener, self.places = threading.get_ident(), []

    def subscribe(self, callback):
        self.thread = threading.Thread(target=self._speak, args=(callback,), daemon=True)
        self.thread.start()
        if self.burst:
            self.thread.join(BURST)

    def stood(self):
        """Where in the learner's code the listener's thread stood while the words were said."""
        return max(self.places, key=self.places.count, default=None)

    def _speak(self, callback):
        try:
            for word in [*self.words, None]:
                time.sleep(self.pause)
                if place := self.lab.text.of_frame(sys._current_frames().get(self.listener)):
                    self.places.append(place)
                self.said += 1
                callback(word)
            self.ended = time.perf_counter()
        except Exception as error:
            self.error = error
            loop = self.failed.get_loop()
            loop.call_soon_threadsafe(self.failed.set_result, None)

    async def tick(self):
        while True:
            await asyncio.sleep(0.01)
            self.ticks += 1

    def join(self):
        if self.thread:
            self.thread.join(1)


class Alarms:
    """Counts how often a timer wakes the loop, from now on until `stop`.

    besides: tasks whose timers don't count.
    """

    def __init__(self, loop, besides):
        self.loop, self.rung = loop, 0
        call_at = loop.call_at

        def counting(when, callback, *arguments, **named):
            if asyncio.current_task() in besides:
                return call_at(when, callback, *arguments, **named)
            return call_at(when, self._ring, callback, *arguments, **named)

        loop.call_at = counting

    def _ring(self, callback, *arguments):
        self.rung += 1
        callback(*arguments)

    def stop(self):
        del self.loop.call_at


def _room_for_one(lab):
    """Line of the function inside that puts what it is given where the word before may be."""
    for function in lab.nodes():
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            given = {argument.arg for argument in function.args.args}
            shared = {
                name
                for node in ast.walk(function)
                if isinstance(node, ast.Nonlocal)
                for name in node.names
            }
            for node in ast.walk(function):
                if isinstance(node, ast.Assign) and getattr(node.value, "id", None) in given:
                    target = node.targets[0]
                    if isinstance(target, (ast.Attribute, ast.Subscript)) or (
                        isinstance(target, ast.Name) and target.id in shared
                    ):
                        return node.lineno
    return None
