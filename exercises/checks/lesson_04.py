"""Exercises of lesson 04: one paused frame inside another, and what `await` makes of that."""

import inspect
import types

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value


class PredictLayers(Exercise):
    """Predict a delegation

    Read this program, and do not run it.

        def inner():
            a = yield 1
            b = yield a + 1
            return a * b

        def outer():
            c = yield from inner()
            yield c + 100

        o = outer()
        answers = [o.send(None), o.send(5), o.send(6)]

    Set `answers` to the list of three numbers.
    """

    id = "layers-1"
    asks = "answers"
    minutes = 4
    hints = (
        "Draw three lines, one for the caller, one for `outer`, one for `inner`, and an arrow for "
        "each value.",
        "The first two answers come from the `yield`s of `inner`. At which `yield` does the 6 "
        "arrive, and what does `inner` do then?",
        "It returns 5 * 6. That is the value of `yield from`, so `c` is 30, and `outer` goes on "
        "to a `yield` of its own.",
    )
    right_values = ([1, 6, 130], (1, 6, 130))
    wrong_values = (
        wrong_value(
            [1, 6, 30],
            "handed out a return value",
            "You let the 30 that `inner` returns go out to the caller. A return value "
            "climbs one frame only: it becomes `c`.",
        ),
        wrong_value(
            [1, 6, 106],
            "took the last send for the return value",
            "You gave `c` the 6. It went in to `inner`; `c` is what `inner` returned.",
        ),
        wrong_value(
            [1, 6, 101],
            "took a yielded value for the return value",
            "You gave `c` the 1 that `inner` yields first. What is yielded goes out to the "
            "caller; `c` is what `inner` returned.",
        ),
        wrong_value(
            [1, 6, 107],
            "took a yielded value for the return value",
            "You gave `c` something that `inner` yields. What is yielded goes out to the "
            "caller; `c` is what `inner` returned.",
        ),
        wrong_value(
            [1, 5, 6],
            "an echo",
            "You let each send give back what was sent. It gives back what the next "
            "`yield` hands out.",
        ),
        wrong_value(
            [1, 2, 106],
            "took what is yielded for what is sent",
            "You gave `a` the 1 that its `yield` hands out. The value of a `yield` is "
            "what is sent in: the 5.",
        ),
        wrong_value(
            [1, 2, 130],
            "took what is yielded for what is sent",
            "You added 1 to the 1 that was yielded. `a` is what is sent in: the 5.",
        ),
        wrong_value(
            [1, 6],
            "ended too early",
            "There are three sends, so there are three answers. `outer` goes on when "
            "`inner` has ended, and has a `yield` of its own.",
        ),
        wrong_value(
            [1, 6, None],
            "ended too early",
            "You let everything end where `inner` ends. `outer` goes on, and has a `yield` "
            "of its own.",
        ),
    )


class Bill(Exercise):
    """A bill of parts

    An order is a list. Each part of it is the name of a thing, or a list: an order within the
    order, as deep as you like:

        ["tea", ["cake", ["jam", "cream"]], "milk"]

    Write a generator function `bill(order)`. It yields each name, from left to right, is sent
    that thing's price, and at the end returns the sum of all prices. For an order within the
    order it delegates to another `bill`.
    """

    id = "layers-2"
    asks = "bill"
    minutes = 8
    hints = (
        "A part is a name or a list: `isinstance(part, str)` tells. For a name one `yield` is "
        "enough. What comes back from it?",
        "A list is an order, and `bill` knows how to deal with orders. Delegate to `bill(part)`; "
        "the value of that expression is the sum of the inner order.",
        "`total += yield part` for a name, `total += yield from bill(part)` for a list, and "
        "`return total` at the end.",
    )

    def verify(self, bill, lab):
        heard, total = self._talk(lab, bill, ["tea", "cake"])
        lab.equal(heard, ["tea", "cake"], what="it asked for")
        if total is None:
            raise Wrong(
                "no return",
                "It asked for both prices, and returned None.",
                try_="At the end, `return` the sum.",
            )
        lab.equal(total, PRICES["tea"] + PRICES["cake"], what="it returned")
        order = ["tea", ["cake", ["jam", "cream"]], "milk"]
        heard, total = self._talk(lab, bill, order)
        if heard == ["tea", "milk"]:
            raise Wrong(
                "never asked the inner one",
                f"It asked for {heard} only.",
                lab.line(r"^\s+.*\bbill\(|\[\d\]"),
                "A call of `bill` builds a paused frame. `yield from` makes it go on.",
            )
        lab.equal(heard, ["tea", "cake", "jam", "cream", "milk"], what="it asked for")
        if total == PRICES["tea"] + PRICES["milk"]:
            raise Wrong(
                "lost the return value",
                f"It returned {total}: only tea and milk were added up. The "
                "sum of the inner order was returned to somebody who let it fall.",
                lab.line(r"yield from|\bfor\b.*\bbill\("),
                "`yield from bill(part)` has a value: what the inner `bill` returned.",
            )
        lab.equal(total, sum(PRICES.values()), what="it returned")

    def _talk(self, lab, bill, order):
        """Let `bill` ask for prices: (what it asked for, what it returned)."""
        generator = lab.call(bill, order)
        talk = lab.generator(generator)
        heard, answer = [], None
        while True:
            try:
                name = talk.send(answer)
            except StopIteration as end:
                return heard, end.value
            except (TypeError, AttributeError) as error:
                self._name(lab, error, heard, order)
                raise
            heard.append(name)
            if inspect.isgenerator(name):
                raise Wrong(
                    "handed out a generator",
                    "It yielded a generator. Nobody has a price for that.",
                    stands_at(generator),
                    "`yield` hands the inner `bill` to the caller. `yield from` lets it run.",
                )
            if not isinstance(name, str):
                raise Wrong(
                    "handed out a list",
                    f"It yielded {name!r}. Nobody has a price for that.",
                    stands_at(generator),
                    "Yield names only. A list is an order: delegate to `bill(part)`.",
                )
            answer = PRICES.get(name)

    def _name(self, lab, error, heard, order):
        said = f"It asked for {heard}, and then: {error}."
        if "has no attribute 'send'" in str(error):
            raise Wrong(
                "delegated to the list",
                said,
                lab.line(r"yield from"),
                "`yield from` over a list hands its items out, but a list takes no "
                "answers. Delegate to a generator: `bill(part)`.",
            ) from None
        if "'generator'" in str(error):
            raise Wrong(
                "never asked the inner one",
                said,
                lab.line(r"(?<!from )\bbill\((?!order)"),
                "A call of `bill` builds a paused frame, not a number. `yield from` makes "
                "it go on, and has its sum as value.",
            ) from None
        if "'str'" in str(error) and "'int'" in str(error):
            raise Wrong(
                "added the name",
                said,
                lab.line(r"\+= *part\b|\+ *part\b"),
                "`part` is a name. Its price is what the `yield` gives back: `price = yield part`.",
            ) from None
        if "'NoneType'" in str(error) and isinstance(order[1], list):
            if lab.line(r"\bfor\b.*\bbill\(") is not None:
                raise Wrong(
                    "lost what was sent",
                    f"{said} The price did not reach the inner `bill`.",
                    lab.line(r"\bfor\b.*\bbill\("),
                    "A `for` loop asks with `next`, which sends None. Let `yield from` "
                    "carry everything through.",
                ) from None
            raise Wrong(
                "lost the return value",
                said,
                lab.line(r"yield from"),
                "Each layer must `return` its sum.",
            ) from None

    @right
    def delegates(order):
        """Yield each name, be sent its price; return the sum."""
        total = 0
        for part in order:
            if isinstance(part, str):
                total += yield part
            else:
                total += yield from bill(part)
        return total

    @right
    def first_and_rest(order):
        if isinstance(order, str):
            return (yield order)
        total = 0
        for part in order:
            price = yield from bill(part)
            total += price
        return total

    @wrong("lost the return value", says="only tea and milk")
    def lets_the_sum_fall(order):
        total = 0
        for part in order:
            if isinstance(part, str):
                total += yield part
            else:
                yield from bill(part)
        return total

    @wrong("lost what was sent", says="`for` loop asks with `next`")
    def with_a_for_loop(order):
        total = 0
        for part in order:
            if isinstance(part, str):
                total += yield part
            else:
                for name in bill(part):
                    yield name
        return total

    @wrong("no return", says="returned None")
    def forgets_to_return(order):
        total = 0
        for part in order:
            if isinstance(part, str):
                total += yield part
            else:
                total += yield from bill(part)

    @wrong("never asked the inner one", says="paused frame")
    def only_calls(order):
        total = 0
        for part in order:
            if isinstance(part, str):
                total += yield part
            else:
                total += bill(part)
        return total

    @wrong("never asked the inner one", says="asked for ['tea', 'milk'] only")
    def calls_and_forgets(order):
        total = 0
        for part in order:
            if isinstance(part, str):
                total += yield part
            else:
                bill(part)
        return total

    @wrong("delegated to the list", says="a list takes no answers")
    def to_the_list(order):
        total = 0
        for part in order:
            if isinstance(part, str):
                total += yield part
            else:
                total += yield from part
        return total

    @wrong("handed out a list", says="['cake', ['jam', 'cream']]")
    def without_looking(order):
        total = 0
        for part in order:
            total += yield part
        return total

    @wrong("handed out a list", says="yield inner")
    def one_level_deep(order):
        total = 0
        for part in order:
            if isinstance(part, str):
                total += yield part
            else:
                for inner in part:
                    total += yield inner
        return total

    @wrong("handed out a generator", says="yield bill(part)")
    def hands_out_the_inner_one(order):
        total = 0
        for part in order:
            if isinstance(part, str):
                total += yield part
            else:
                total += yield bill(part)
        return total

    @wrong("added the name", says="price = yield part")
    def adds_the_name(order):
        total = 0
        for part in order:
            if isinstance(part, str):
                yield part
                total += part
            else:
                total += yield from bill(part)
        return total

    @wrong("not a generator", says="int")
    def adds_lengths(order):
        return len(order)


class WithKey(Exercise):
    """The key comes back

    `board` is a list of keys, and `work` is a generator. Write a generator function
    `with_key(board, work)`: it takes the last key off the board with `pop`, lets `work` do
    everything (what is sent, thrown and returned all passes through), and puts the key back with
    `append` when `work` is over, however it ends. It returns what `work` returned.
    """

    id = "layers-3"
    asks = "with_key"
    minutes = 7
    hints = (
        "Two things must hold: nothing is lost on the way in and out, and the key comes back "
        "whatever happens. You have a word for each.",
        "`yield from work` carries all that is sent and thrown. Where must it stand, so that the "
        "key comes back also when an error climbs out of `work`?",
        "`key = board.pop()`, then `try:` with `return (yield from work)`, and `finally:` with "
        "`board.append(key)`.",
    )

    def verify(self, with_key, lab):
        self._sends(with_key, lab)
        self._throws(with_key, lab)
        for what, end in (
            ("I closed it", lambda talk: talk.close()),
            ("A KeyError came out of `work`", self._fail),
        ):
            board, seen = ["cellar", "attic"], []
            talk = lab.generator(with_key(board, worker(seen)))
            next(talk)
            end(talk)
            self._back(lab, board, what)
            if seen[-1] != "cleaned up":
                raise Wrong(
                    "let `work` stand",
                    f"{what}, and `work` was never told.",
                    lab.line(r"\bfor\b|next\(|send\("),
                    "`yield from` passes on what is thrown, and `close` too.",
                )

    def _sends(self, with_key, lab):
        board, seen = ["cellar", "attic"], []
        work = worker(seen)
        made = lab.call(with_key, board, work)
        lab.told("with two keys on the board")
        if made is work:
            raise Wrong(
                "handed `work` over",
                "It returned `work` itself, before that has begun.",
                lab.line(r"return work"),
                "Then nothing of yours is left to run when `work` ends. Stay above it: "
                "`yield from work`.",
            )
        talk = lab.generator(made)
        if board != ["cellar", "attic"]:
            raise Wrong("too early", "It took the key before anybody asked.")
        first = next(talk)
        if first is work:
            raise Wrong(
                "handed `work` out",
                "It yielded `work` itself, which has not begun.",
                lab.line(r"\byield\b"),
                "`yield` hands `work` to the caller. `yield from` lets it run.",
            )
        lab.equal(first, "ready?", what="its first `yield` was")
        if len(board) == 2:
            raise Wrong(
                "gave it back too early",
                f"While `work` was under way, the board held {board}.",
                lab.line(r"append\(|\[-1\]|copy"),
                "`pop` takes the key off; put it back when `work` is over.",
            )
        if board != ["cellar"]:
            raise Wrong(
                "another key",
                f"The board held ['cellar', 'attic'], and while `work` was under way {board}.",
                lab.line(r"pop\(|\bdel\b|remove\("),
                "Asked is the last key: `pop()`.",
            )
        try:
            answer = talk.send("yes")
        except StopIteration:
            raise Wrong(
                "ended too early",
                "`work` yields twice. After the first it was over.",
                lab.line(r"\byield\b"),
            ) from None
        if seen == [None]:
            raise Wrong(
                "lost what was sent",
                "I sent 'yes', and `work` heard None.",
                lab.line(r"\bfor\b|next\("),
                "A `for` loop asks with `next`, which sends None. `yield from work` "
                "carries everything through.",
            )
        lab.equal(answer, "heard yes", what="to 'yes' it answered")
        got = ...
        try:
            talk.send(None)
        except StopIteration as end:
            got = end.value
        if got is ...:
            raise Wrong(
                "one yield too many",
                "`work` was over, and it yielded once more.",
                lab.line(r"^\s*yield\b(?! from)"),
                "`yield from` is the only one you need.",
            )
        if got is None:
            raise Wrong(
                "lost the return value",
                "`work` returned 'done', and it returned None.",
                lab.line(r"yield from|for"),
                "The value of `yield from work` is what `work` returned.",
            )
        lab.equal(got, "done")
        self._back(
            lab,
            board,
            "`work` ended by itself",
            "An `except` runs only after an error, and what stands behind a `return` not at all.",
        )

    def _throws(self, with_key, lab):
        board, seen = ["cellar", "attic"], []
        talk = lab.generator(with_key(board, worker(seen)))
        next(talk)
        try:
            answer = talk.throw(ValueError("unreadable"))
        except ValueError:
            raise Wrong(
                "kept the error from `work`",
                "I threw a ValueError in, and it came out again. `work` would have caught it.",
                lab.line(r"\byield\b"),
                "What is thrown must arrive in `work`: `yield from work`.",
            ) from None
        except StopIteration:
            raise Wrong(
                "swallowed the error",
                "I threw a ValueError in. `work` would have caught it and gone on.",
                lab.line(r"^\s*except\b"),
            ) from None
        lab.equal(answer, "again?", what="to a ValueError it answered")
        talk.close()

    def _fail(self, talk):
        try:
            talk.throw(KeyError("cellar"))
        except KeyError:
            return
        except StopIteration:
            pass
        raise Wrong(
            "swallowed the error",
            "A KeyError came out of `work`, and did not come out of `with_key`.",
            None,
            "Use `finally`: it lets the error go on.",
        )

    def _back(
        self, lab, board, what, why="The lines below a `yield from` run only if nothing is thrown."
    ):
        if board == ["cellar"]:
            raise Wrong(
                "no finally",
                f"{what}. Then the board held {board}: the key is lost.",
                lab.line(r"\byield\b"),
                f"{why} `finally` runs however it ends.",
            )
        lab.equal(board, ["cellar", "attic"], what=f"{what}; then the board held")

    @right
    def with_finally(board, work):
        """Delegate to `work`, the last key in hand; put it back however that ends."""
        key = board.pop()
        try:
            return (yield from work)
        finally:
            board.append(key)

    @right
    def with_a_name(board, work):
        key = board.pop()
        try:
            result = yield from work
        finally:
            board.append(key)
        return result

    @wrong("no finally", says="I closed it")
    def puts_it_back_below(board, work):
        key = board.pop()
        result = yield from work
        board.append(key)
        return result

    @wrong("no finally", says="I closed it")
    def catches_exceptions(board, work):
        key = board.pop()
        try:
            result = yield from work
        except Exception:
            board.append(key)
            raise
        board.append(key)
        return result

    @wrong("no finally", says="runs only after an error")
    def only_after_an_error(board, work):
        key = board.pop()
        try:
            return (yield from work)
        except Exception:
            board.append(key)

    @wrong("handed `work` out", says="yield (work)")
    def without_from(board, work):
        key = board.pop()
        try:
            return (yield (work))
        finally:
            board.append(key)

    @wrong("another key", says="board.pop(0)")
    def the_first_key(board, work):
        key = board.pop(0)
        try:
            return (yield from work)
        finally:
            board.insert(0, key)

    @wrong("lost the return value", says="`work` returned 'done'")
    def says_nothing(board, work):
        key = board.pop()
        try:
            yield from work
        finally:
            board.append(key)

    @wrong("lost what was sent", says="`work` heard None")
    def with_a_for_loop(board, work):
        key = board.pop()
        try:
            for question in work:
                yield question
        finally:
            board.append(key)

    @wrong("kept the error from `work`", says="came out again")
    def sends_by_hand(board, work):
        key = board.pop()
        try:
            question = next(work)
            while True:
                question = work.send((yield question))
        except StopIteration as end:
            return end.value
        finally:
            board.append(key)

    @wrong("swallowed the error", says="did not come out of `with_key`")
    def catches_and_keeps(board, work):
        key = board.pop()
        result = None
        try:
            result = yield from work
        except KeyError:
            pass
        finally:
            board.append(key)
        return result

    @wrong("gave it back too early", says="While `work` was under way")
    def never_takes_it(board, work):
        key = board.pop()
        board.append(key)
        return (yield from work)

    @wrong("handed `work` over", says="before that has begun")
    def hands_it_on(board, work):
        key = board.pop()
        try:
            return work
        finally:
            board.append(key)


class Awaitable(Exercise):
    """Write an awaitable

    Write a class `Ask`. An `Ask(question)` can be awaited: `await Ask("tea?")` hands the question
    to whoever drives the coroutine, and its value is the answer that the driver sends back.

    The same `Ask` may be awaited again, and then asks again.
    """

    id = "awaitable-1"
    asks = "Ask"
    minutes = 7
    hints = (
        "`await x` calls `x.__await__()` and goes on with the result as `yield from` would. What "
        "must that result be?",
        "It must be an iterator that takes what is sent: a generator. A method with a `yield` in "
        "it makes one each time it is called.",
        "`def __await__(self):` with `return (yield self.question)`. The `yield` hands the "
        "question out; its value is the answer.",
    )

    def verify(self, Ask, lab):
        lab.told("inside a coroutine, as `await Ask('tea?')`, and drove that by hand")
        one = Ask("tea?")
        if not hasattr(type(one), "__await__"):
            raise Wrong(
                "has no __await__",
                f"`Ask('tea?')` has {methods_of(one)}.",
                lab.line(r"^\s+(async )?def (?!__init__)|^class"),
                "Python looks for a method with the name `__await__`.",
            )
        coroutine = waits_for(one)
        question = self._send(lab, coroutine, None)
        self._question(lab, question)
        answer = self._send(lab, coroutine, 4)
        if not isinstance(answer, StopIteration):
            raise Wrong(
                "one yield too many",
                f"I answered 4, and instead of going on it handed out {answer!r}.",
                lab.line(r"^\s+yield\b"),
                "One `yield` hands out and takes in.",
            )
        if answer.value is None:
            raise Wrong(
                "lost the answer",
                "I sent a 4, and the `await` gave None.",
                lab.line(r"\byield\b"),
                "The value of an `await` is what `__await__` returns: `return (yield …)`.",
            )
        lab.equal(answer.value, 4, what="I sent a 4, and the `await` gave")
        again = waits_for(one)
        question = self._send(lab, again, None)
        if isinstance(question, StopIteration):
            raise Wrong(
                "used up",
                "The same `Ask` was awaited a second time, and did not ask.",
                lab.line(r"iter\(|\(yield|yield"),
                "A generator runs once. Let each call of `__await__` make a new one.",
            )
        again.close()
        two = waits_for(Ask("cake?"))
        lab.equal(two.send(None), "cake?", what="`Ask('cake?')` handed out")
        two.close()

    def _send(self, lab, coroutine, value):
        try:
            return coroutine.send(value)
        except StopIteration as end:
            return end
        except TypeError as error:
            text = str(error)
            if "returned a coroutine" in text or "async_generator" in text:
                raise Wrong(
                    "__await__ is async",
                    f"Python said: {text}.",
                    lab.line(r"async def __await__"),
                    "What an `async def` makes is no iterator. Write a plain `def` with a "
                    "`yield` in it.",
                ) from None
            if "iterator" in text:
                raise Wrong(
                    "__await__ is not an iterator",
                    f"Python said: {text}.",
                    lab.line(r"^\s+return\b"),
                    "`__await__` must return an iterator. With a `yield` in it, it "
                    "returns a generator.",
                ) from None
            raise
        except NameError as error:
            if error.name != "question":
                raise
            self._kept(lab, error)
        except AttributeError as error:
            if error.name != "send":
                if not hasattr(type(error.obj), "__await__"):
                    raise
                self._kept(lab, error)
            raise Wrong(
                "takes no answer",
                f"The question came out. Then I sent the answer: {error}.",
                lab.line(r"iter\("),
                "An iterator over a list only hands out. A generator also takes in.",
            ) from None

    def _kept(self, lab, error):
        raise Wrong(
            "did not keep the question",
            f"Python said: {error}.",
            lab.line(r"yield"),
            "What `__init__` is given is gone when it ends. Keep it: `self.question = question`.",
        ) from None

    def _question(self, lab, question):
        if isinstance(question, StopIteration):
            raise Wrong(
                "never asks",
                f"The `await` was over at once, with {question.value!r}. Nothing was "
                "handed to the driver.",
                lab.line(r"def __await__"),
                "Only a `yield` hands something out to the driver.",
            )
        if question is None:
            raise Wrong(
                "hands out nothing",
                "It paused, and handed out None.",
                lab.line(r"\byield\b"),
                "Put the question to the right of the `yield`.",
            )
        if isinstance(question, str) and len(question) == 1:
            raise Wrong(
                "hands out letters",
                f"It handed out {question!r}.",
                lab.line(r"yield from|iter\("),
                "`yield from` a string goes through its letters. `yield` hands it out whole.",
            )
        lab.equal(question, "tea?", what="it handed out")

    @right
    class with_a_yield:
        def __init__(self, question):
            self.question = question

        def __await__(self):
            return (yield self.question)

    @right
    class through_a_marked_generator:
        def __init__(self, question):
            self.question = question

        def __await__(self):
            return self.asking().__await__()

        async def asking(self):
            return await self.once()

        @types.coroutine
        def once(self):
            return (yield self.question)

    @wrong("__await__ is not an iterator", says="non-iterator of type 'list'")
    class with_a_list:
        def __init__(self, question):
            self.question = question

        def __await__(self):
            return [self.question]

    @wrong("__await__ is not an iterator", says="'str'")
    class with_the_question:
        def __init__(self, question):
            self.question = question

        def __await__(self):
            return self.question

    @wrong("__await__ is async", says="no iterator")
    class with_async_def:
        def __init__(self, question):
            self.question = question

        async def __await__(self):
            return self.question

    @wrong("__await__ is async", says="async_generator")
    class with_async_def_and_yield:
        def __init__(self, question):
            self.question = question

        async def __await__(self):
            yield self.question

    @wrong("did not keep the question", says="name 'question' is not defined")
    class with_the_parameter:
        def __init__(self, question):
            pass

        def __await__(self):
            return (yield question)

    @wrong("did not keep the question", says="no attribute 'question'")
    class without_self:
        def __init__(self, question):
            question = question

        def __await__(self):
            return (yield self.question)

    @wrong("takes no answer", says="no attribute 'send'")
    class with_iter:
        def __init__(self, question):
            self.question = question

        def __await__(self):
            return iter([self.question])

    @wrong("lost the answer", says="I sent a 4")
    class without_return:
        def __init__(self, question):
            self.question = question

        def __await__(self):
            yield self.question

    @wrong("hands out nothing", says="handed out None")
    class with_a_bare_yield:
        def __init__(self, question):
            self.question = question

        def __await__(self):
            answer = yield
            return answer

    @wrong("hands out letters", says="'t'")
    class with_yield_from:
        def __init__(self, question):
            self.question = question

        def __await__(self):
            return (yield from self.question)

    @wrong("never asks", says="over at once")
    class returns_at_once:
        def __init__(self, question):
            self.question = question

        def __await__(self):
            return self.question
            yield

    @wrong("used up", says="second time")
    class keeps_one_generator:
        def __init__(self, question):
            self.generator = self.asking(question)

        def asking(self, question):
            return (yield question)

        def __await__(self):
            return self.generator

    @wrong("has no __await__", says="__iter__")
    class with_iter_instead:
        def __init__(self, question):
            self.question = question

        def __iter__(self):
            return (yield self.question)


class RunAlone(Exercise):
    """Run a coroutine by hand

    Write an ordinary function `run_alone(coroutine)`: it makes the coroutine go on, again and
    again, until it ends, and returns two things: what the coroutine returned, and how often it
    paused on the way.

    Whatever the coroutine hands out when it pauses needs no answer. An error that leaves the
    coroutine leaves `run_alone` as well.
    """

    id = "by-hand-1"
    asks = "run_alone"
    minutes = 7
    hints = (
        "A coroutine has `send`, and no `next`. What may be sent first, and what when nobody has "
        "an answer?",
        "It ends with a StopIteration, as a generator does. Which part of it holds the result?",
        "Count from 0, and inside `while True`: `try: coroutine.send(None)`; "
        "`except StopIteration as end: return end.value, pauses`; then `pauses += 1`.",
    )

    def verify(self, run_alone, lab):
        for make, expected in (
            (straight, ("straight", 0)),
            (thrice, ("three pauses", 3)),
            (says_nothing, (None, 1)),
        ):
            self._case(lab, run_alone, make, expected)
        coroutine = fails()
        lab.told("with a coroutine that raises a LookupError")
        try:
            got = run_alone(coroutine)
        except LookupError:
            return
        finally:
            coroutine.close()
        raise Wrong(
            "swallowed the error",
            f"The error should come out, and `run_alone` returned {got!r}.",
            lab.line(r"^\s*except\b"),
            "Catch StopIteration alone.",
        )

    def _case(self, lab, run_alone, make, expected):
        result, pauses = expected
        times = {0: "never pauses", 1: "pauses once"}.get(pauses, f"pauses {pauses} times")
        lab.told(f"with a coroutine that {times} and returns {result!r}")
        heard = []
        coroutine = make(heard)
        try:
            got = run_alone(coroutine)
        except StopIteration as end:
            raise Wrong(
                "let StopIteration out",
                f"The coroutine came to its end, and `run_alone` raised "
                f"StopIteration({end.value!r}).",
                lab.line(r"send\("),
                "That is how a coroutine says that it is done: catch it, and take its `value`.",
            ) from None
        except IndexError:
            raise Wrong(
                "args is empty",
                "The coroutine returned nothing, and `end.args` was empty.",
                lab.line(r"args\["),
                "`value` is always there.",
            ) from None
        except RuntimeError as error:
            if "bad yield" not in str(error):
                raise
            raise Wrong(
                "left it to asyncio",
                f"Python said: {error}.",
                lab.line(r"\brun\("),
                "An event loop refuses what it does not know. Here you are the driver: "
                "`coroutine.send(None)`.",
            ) from None
        except TypeError as error:
            text = str(error)
            if "not an iterator" in text or "not iterable" in text:
                raise Wrong(
                    "took it for an iterator",
                    f"Python said: {text}.",
                    lab.line(r"next\(|\bfor\b|list\("),
                    "A coroutine has no `next`, so no `for` loop takes it. "
                    "`send(None)` does the same.",
                ) from None
            if "can't send non-None" in text:
                raise Wrong(
                    "unprimed",
                    f"Python said: {text}.",
                    lab.line(r"send\("),
                    "It stands before its first line: nothing but None can be sent.",
                ) from None
            raise
        finally:
            coroutine.close()
        self._judge(lab, got, result, pauses, heard)

    def _judge(self, lab, got, result, pauses, heard):
        if hasattr(got, "__await__") or hasattr(got, "send"):
            if hasattr(got, "close"):
                got.close()
            raise Wrong(
                "not a plain function",
                f"It returned a {type(got).__name__}: nothing has run.",
                lab.line(r"async def|\byield\b"),
                "Write `def`, and no `await` or `yield` in it: a driver stands outside.",
            )
        if heard != ["begun", "ended"]:
            raise Wrong(
                "stopped too early",
                f"`run_alone` returned {got!r}, and the coroutine was not at its end.",
                lab.line(r"send\("),
                "Go on until StopIteration comes.",
            )
        got = tuple(got) if isinstance(got, list) else got
        if not isinstance(got, tuple) or len(got) != 2:
            raise Wrong(
                "value",
                f"It returned {got!r}; asked are two things, the result and the number of pauses.",
                lab.line(r"^\s*return\b"),
                "`return end.value, pauses`",
            )
        if got == (pauses, result):
            raise Wrong(
                "order",
                f"It returned {got}.",
                lab.line(r"^\s*return\b"),
                "First the result, then the number of pauses.",
            )
        if got == (None, pauses) and result is not None:
            raise Wrong(
                "lost the return value",
                f"It returned {got}; the coroutine had returned {result!r}.",
                lab.line(r"StopIteration"),
                "The result is the `value` of the StopIteration.",
            )
        if got == (result, pauses + 1):
            raise Wrong(
                "counted the end",
                f"It returned {got}. The last `send` was not followed by a pause: the "
                "coroutine ended.",
                lab.line(r"\+= ?1"),
                "Count after `send` has come back, not before.",
            )
        lab.equal(got, (result, pauses))

    @right
    def with_a_loop(coroutine):
        """Run the coroutine to its end; return its result and how often it paused."""
        pauses = 0
        while True:
            try:
                coroutine.send(None)
            except StopIteration as end:
                return end.value, pauses
            pauses += 1

    @right
    def with_the_try_outside(coroutine):
        pauses = 0
        try:
            while True:
                coroutine.send(None)
                pauses += 1
        except StopIteration as end:
            return end.value, pauses

    @wrong("left it to asyncio", says="you are the driver")
    def with_asyncio(coroutine):
        import asyncio

        return asyncio.run(coroutine), 0

    @wrong("order", says="First the result")
    def the_number_first(coroutine):
        pauses = 0
        while True:
            try:
                coroutine.send(None)
            except StopIteration as end:
                return pauses, end.value
            pauses += 1

    @wrong("let StopIteration out", says="StopIteration('straight')")
    def ignores_the_end(coroutine):
        pauses = 0
        while True:
            result = coroutine.send(None)
            pauses += 1
            if result is not None:
                return result, pauses

    @wrong("lost the return value", says="had returned 'straight'")
    def drops_the_value(coroutine):
        pauses, result = 0, None
        while True:
            try:
                result = coroutine.send(None)
            except StopIteration:
                return result, pauses
            pauses += 1

    @wrong("args is empty", says="returned nothing")
    def with_args(coroutine):
        pauses = 0
        while True:
            try:
                coroutine.send(None)
            except StopIteration as end:
                return end.args[0], pauses
            pauses += 1

    @wrong("counted the end", says="ended")
    def counts_before(coroutine):
        pauses = 0
        while True:
            pauses += 1
            try:
                coroutine.send(None)
            except StopIteration as end:
                return end.value, pauses

    @wrong("took it for an iterator", says="has no `next`")
    def with_next(coroutine):
        pauses = 0
        while True:
            try:
                next(coroutine)
            except StopIteration as end:
                return end.value, pauses
            pauses += 1

    @wrong("took it for an iterator", says="not iterable")
    def with_a_for_loop(coroutine):
        pauses, result = 0, None
        for result in coroutine:
            pauses += 1
        return result, pauses

    @wrong("unprimed", says="nothing but None")
    def sends_the_count(coroutine):
        pauses = 0
        while True:
            try:
                coroutine.send(pauses)
            except StopIteration as end:
                return end.value, pauses
            pauses += 1

    @wrong("stopped too early", says="not at its end")
    def sends_once(coroutine):
        try:
            coroutine.send(None)
        except StopIteration as end:
            return end.value, 0
        return None, 1

    @wrong("not a plain function", says="coroutine")
    async def awaits(coroutine):
        return await coroutine, 0

    @wrong("swallowed the error", says="The error should come out")
    def catches_everything(coroutine):
        pauses = 0
        while True:
            try:
                coroutine.send(None)
            except Exception as end:
                return getattr(end, "value", None), pauses
            pauses += 1


class PredictPauses(Exercise):
    """Which await pauses?

    Read this program, and do not run it.

        class Pause:
            def __await__(self):
                yield

        @types.coroutine
        def rest():
            yield
            yield

        class Ready:
            def __await__(self):
                return iter([])

        async def plain():
            return 1

        async def sum_up():
            return await plain() + await plain() + await plain()

        async def wait():
            await Pause()

        async def outer():
            await wait()
            await plain()
            await wait()

    Each of these is awaited once. How often does it hand control back to the driver? Set `pauses`
    to a dict with a number for each of "rest", "Ready", "plain", "sum_up", "wait", "outer".
    """

    id = "pauses-1"
    asks = "pauses"
    minutes = 5
    hints = (
        "Cover up every `await` and look for the `yield`s.",
        "An `await` is a pipe. Follow each one down to its end: is there a `yield`? How often is "
        "it reached?",
        "`sum_up` has three pipes, and behind none of them is a `yield`. `outer` has three as "
        "well, and behind two of them is a `Pause`.",
    )
    right_values = ({"rest": 2, "Ready": 0, "plain": 0, "sum_up": 0, "wait": 1, "outer": 2},)
    wrong_values = (
        wrong_value(
            {"rest": 2, "Ready": 0, "plain": 0, "sum_up": 3, "wait": 1, "outer": 3},
            "counted the awaits",
            "You counted the awaits in `sum_up` and `outer`. An `await` hands on; what "
            "pauses is a `yield` at its far end.",
        ),
        wrong_value(
            {"rest": 2, "Ready": 1, "plain": 1, "sum_up": 3, "wait": 1, "outer": 3},
            "counted the awaits",
            "You let every `await` pause, even one of `plain`, which has no `yield` in it.",
        ),
        wrong_value(
            {"rest": 2, "Ready": 0, "plain": 0, "sum_up": 0, "wait": 1, "outer": 3},
            "a pause in plain",
            "You have 3 for `outer`. It awaits three times, but there "
            "is no `yield` behind `plain`.",
        ),
        wrong_value(
            {"rest": 2, "Ready": 0, "plain": 0, "sum_up": 0, "wait": 0, "outer": 0},
            "lost the pause on the way",
            "You have 0 for `wait`. The `yield` in `Pause` climbs through every frame "
            "above it, as far as the driver.",
        ),
        wrong_value(
            {"rest": 2, "Ready": 0, "plain": 0, "sum_up": 0, "wait": 1, "outer": 4},
            "counted each frame",
            "You have 4 for `outer`. A `yield` that climbs through two frames pauses both "
            "of them, and the driver sees it once.",
        ),
        wrong_value(
            {"rest": 1, "Ready": 0, "plain": 0, "sum_up": 0, "wait": 1, "outer": 2},
            "one pause for a whole generator",
            "You have 1 for `rest`. It yields twice, and each `yield` goes to the driver.",
        ),
        wrong_value(
            {"rest": 2, "Ready": 1, "plain": 0, "sum_up": 0, "wait": 1, "outer": 2},
            "a pause without a yield",
            "You have 1 for `Ready`. Its iterator is empty: it ends before it hands out anything.",
        ),
    )


def stands_at(generator):
    """(filename, line) of the yield at which the innermost generator of a stack stands."""
    while inspect.isgenerator(generator.gi_yieldfrom):
        generator = generator.gi_yieldfrom
    return generator.gi_frame.f_code.co_filename, generator.gi_frame.f_lineno


PRICES = {"tea": 4, "cake": 3, "jam": 1, "cream": 2, "milk": 1}


def worker(seen):
    """What `with_key` delegates to: notes in `seen` what it hears and that it was cleaned up."""
    try:
        try:
            seen.append((yield "ready?"))
            yield f"heard {seen[-1]}"
        except ValueError:
            yield "again?"
        return "done"
    finally:
        seen.append("cleaned up")


def methods_of(thing):
    names = [
        name for name, what in vars(type(thing)).items() if isinstance(what, types.FunctionType)
    ]
    return "the methods " + ", ".join(names) if names else "no methods"


async def waits_for(awaitable):
    return await awaitable


@types.coroutine
def pause(question=None):
    yield question


async def straight(heard):
    heard += ["begun", "ended"]
    return "straight"


async def thrice(heard):
    heard.append("begun")
    for question in (None, "what is handed out", 0):
        await pause(question)
    heard.append("ended")
    return "three pauses"


async def says_nothing(heard):
    heard.append("begun")
    await pause()
    heard.append("ended")


async def fails():
    await pause()
    raise LookupError("nobody knows the price")
