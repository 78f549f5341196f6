"""Answers to the exercises of lesson 04, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% layers-1 wrong: what inner returns is handed out
# cause: takes it that the return value of inner goes to the driver
# line: answers
answers = [1, 6, 30]

# %% layers-1 wrong: c is what was sent last
# cause: takes it that c is what is sent in, and not what inner returns
# line: answers
answers = [1, 6, 106]

# %% layers-2 wrong: a for loop instead of yield from
# cause: the price arrives in the outer bill and not in the inner one, and the inner sum is lost
# line: for name in bill(part): | total += yield name
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    total = 0
    for part in order:
        if isinstance(part, list):
            for name in bill(part):
                total += yield name
        else:
            total += yield part
    return total

# %% layers-2 wrong: the inner sum is lost
# cause: what the inner bill returns is not added
# line: yield from bill(part)
def bill(order):
    total = 0
    for part in order:
        if isinstance(part, list):
            yield from bill(part)
        else:
            total += yield part
    return total

# %% layers-2 wrong: a mutable default
# cause: all bills, the inner ones too, share one list of prices, so prices are added more than once
# line: def bill(order, prices=[]):
def bill(order, prices=[]):
    """Yield each name, be sent its price; return the sum."""
    for part in order:
        if isinstance(part, list):
            prices.append((yield from bill(part)))
        else:
            prices.append((yield part))
    return sum(prices)

# %% layers-2 wrong: asks for each thing once
# cause: a name that comes a second time is not yielded again
# line: if part not in prices:
def bill(order):
    total, prices = 0, {}
    for part in order:
        if isinstance(part, list):
            total += yield from bill(part)
        else:
            if part not in prices:
                prices[part] = yield part
            total += prices[part]
    return total

# %% layers-2 wrong: a bill of nothing
# cause: an order without a thing in it returns None, and its sum is 0
# line: if not order: | return
def bill(order):
    if not order:
        return
    total = 0
    for part in order:
        if isinstance(part, str):
            total += yield part
        else:
            total += (yield from bill(part)) or 0
    return total

# %% layers-2 wrong: the first thing and a bill of the rest
# cause: each thing is one call deeper, so it ends at about a thousand things
# line: return price + (yield from bill(rest))
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    if not order:
        return 0
    first, *rest = order
    if isinstance(first, str):
        price = yield first
    else:
        price = yield from bill(first)
    return price + (yield from bill(rest))

# %% layers-2 right: match
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    total = 0
    for part in order:
        match part:
            case [*_]:
                total += yield from bill(part)
            case name:
                total += yield name
    return total

# %% layers-2 right: an asker for each kind of part
def one(name):
    return (yield name)


def bill(order):
    prices = []
    for part in order:
        asking = {True: bill, False: one}[isinstance(part, list)](part)
        prices.append((yield from asking))
    return sum(prices)

# %% layers-2 right: an inner generator that takes the order apart
def bill(order):
    def flat(parts):
        for part in parts:
            yield from [part] if isinstance(part, str) else flat(part)

    prices = []
    for name in flat(order):
        prices.append((yield name))
    return sum(prices)

# %% layers-3 wrong: no finally
# cause: if work is closed or fails, the key is not put back
# line: result = yield from work | board.append(key)
def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    key = board.pop()
    result = yield from work
    board.append(key)
    return result

# %% layers-3 wrong: a for loop
# cause: a for loop passes on neither what is sent nor what is thrown, and loses what work returns
# line: for item in work: | yield item
def with_key(board, work):
    key = board.pop()
    try:
        for item in work:
            yield item
    finally:
        board.append(key)

# %% layers-3 wrong: the result of work is lost
# cause: what work returned is not returned
# line: yield from work
def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    key = board.pop()
    try:
        yield from work
    finally:
        board.append(key)

# %% layers-3 wrong: a return in the finally
# cause: a return in finally swallows the error that is on its way
# line: return result
def with_key(board, work):
    key, result = board.pop(), None
    try:
        result = yield from work
    finally:
        board.append(key)
        return result

# %% layers-3 wrong: nothing for a result that is empty
# cause: a result that counts as false becomes None
# line: return (yield from work) or None
def with_key(board, work):
    key = board.pop()
    try:
        return (yield from work) or None
    finally:
        board.append(key)

# %% layers-3 wrong: the board as it was before
# cause: it puts back the whole board, so what others have done to it meanwhile is undone
# line: board[:] = before
def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    before = list(board)
    board.pop()
    try:
        return (yield from work)
    finally:
        board[:] = before

# %% layers-3 wrong: the ends that come to mind
# cause: a KeyboardInterrupt is none of the errors that it catches, and the key is lost
# line: except (Exception, GeneratorExit):
def with_key(board, work):
    key = board.pop()
    try:
        result = yield from work
    except (Exception, GeneratorExit):
        board.append(key)
        raise
    board.append(key)
    return result

# %% layers-3 right: contextmanager
from contextlib import contextmanager


@contextmanager
def taken_from(board):
    key = board.pop()
    try:
        yield
    finally:
        board.append(key)


def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    with taken_from(board):
        return (yield from work)

# %% layers-3 right: an ExitStack
from contextlib import ExitStack


def with_key(board, work):
    with ExitStack() as stack:
        stack.callback(board.append, board.pop())
        result = yield from work
    return result

# %% layers-3 right: delegates by hand
def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    key = board.pop()
    try:
        said = next(work)
        while True:
            try:
                heard = yield said
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:
                said = work.throw(error)
            else:
                said = work.send(heard)
    except StopIteration as end:
        return end.value
    finally:
        board.append(key)

# %% awaitable-1 wrong: the answer is thrown away
# cause: what the driver sends back is not returned, so the await gives None
# line: yield self.question
class Ask:
    def __init__(self, question):
        self.question = question

    def __await__(self):
        yield self.question

# %% awaitable-1 wrong: made only once
# cause: the generator is made in __init__, so a second await finds it used up
# line: self.asking = self.ask() | return self.asking
class Ask:
    def __init__(self, question):
        self.question = question
        self.asking = self.ask()

    def ask(self):
        return (yield self.question)

    def __await__(self):
        return self.asking

# %% awaitable-1 wrong: remembers the answer
# cause: the second await does not ask again: it gives the answer of the first one
# line: if not hasattr(self, "answer"):
class Ask:
    def __init__(self, question):
        self.question = question

    def __await__(self):
        if not hasattr(self, "answer"):
            self.answer = yield self.question
        return self.answer

# %% awaitable-1 wrong: one question for all
# cause: the question is kept in the class, so a new Ask changes the question of all others
# line: Ask.question = question
class Ask:
    question = None

    def __init__(self, question):
        Ask.question = question

    def __await__(self):
        return (yield self.question)

# %% awaitable-1 wrong: asks until there is an answer
# cause: an answer that counts as false is taken for none, and it asks once more
# line: while not answer:
class Ask:
    def __init__(self, question):
        self.question = question

    def __await__(self):
        answer = None
        while not answer:
            answer = yield self.question
        return answer

# %% awaitable-1 wrong: the answer in the object
# cause: the answer is kept in the object, so the second of two who wait gets that of the first
# line: self.answer = yield self.question
class Ask:
    def __init__(self, question):
        self.question = question
        self.answer = None
        self.asking = False

    def __await__(self):
        if self.asking:
            yield self.question
        else:
            self.asking = True
            self.answer = yield self.question
            self.asking = False
        return self.answer

# %% awaitable-1 right: a dataclass around a types.coroutine
import types
from dataclasses import dataclass


@types.coroutine
def hand_out(question):
    answer = yield question
    return answer


@dataclass
class Ask:
    question: object

    def __await__(self):
        return self.reply().__await__()

    async def reply(self):
        return await hand_out(self.question)

# %% awaitable-1 right: iterates over itself
class Ask:
    def __init__(self, question):
        self.words = (question,)

    def __iter__(self):
        for word in self.words:
            return (yield word)

    __await__ = __iter__

# %% awaitable-1 right: two methods and a generator function outside
def asking(ask):
    answer = yield ask.question
    return answer


class Ask:
    __slots__ = ("question",)

    def __init__(self, question):
        self.question = question

    __await__ = asking

# %% by-hand-1 wrong: counts the steps
# cause: the last step, in which the coroutine ends, is counted as a pause
# line: pauses += 1
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    pauses = 0
    while True:
        pauses += 1
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value, pauses

# %% by-hand-1 wrong: a bound
# cause: it gives up after a thousand steps, and nobody asked for such a bound
# line: for pauses in range(1000):
def run_alone(coroutine):
    for pauses in range(1000):
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value, pauses

# %% by-hand-1 wrong: a for loop over its steps
# cause: a for loop throws the StopIteration away, and with it what the coroutine returned
# line: for _ in coroutine.__await__():
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    result, pauses = None, 0
    for _ in coroutine.__await__():
        pauses += 1
    return result, pauses

# %% by-hand-1 wrong: errors become results
# cause: an error that leaves the coroutine is returned instead of raised
# line: except Exception as error: | return error, pauses
def run_alone(coroutine):
    pauses = 0
    while True:
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value, pauses
        except Exception as error:
            return error, pauses
        pauses += 1

# %% by-hand-1 wrong: a RuntimeError is an end too
# cause: an error that leaves the coroutine is taken for its end
# line: except (StopIteration, RuntimeError) as end:
def run_alone(coroutine):
    pauses = 0
    while True:
        try:
            coroutine.send(None)
        except (StopIteration, RuntimeError) as end:
            return getattr(end, "value", None), pauses
        pauses += 1

# %% by-hand-1 wrong: a call for each step
# cause: each pause is one call deeper, so it ends at about a thousand pauses
# line: result, pauses = run_alone(coroutine)
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value, 0
    result, pauses = run_alone(coroutine)
    return result, pauses + 1

# %% by-hand-1 wrong: a counter of the module
# cause: a coroutine that runs another one alone meanwhile has its pauses counted anew
# line: global pauses
pauses = 0


def run_alone(coroutine):
    global pauses
    pauses = 0
    while True:
        try:
            coroutine.send(None)
        except StopIteration as end:
            return end.value, pauses
        pauses += 1

# %% by-hand-1 right: itertools.count
from itertools import count


def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    for paused in count():
        try:
            coroutine.send(None)
        except StopIteration as end:
            return end.value, paused

# %% by-hand-1 right: a generator that delegates, and a sum
def run_alone(coroutine):
    returned = []

    def steps():
        returned.append((yield from coroutine.__await__()))

    pauses = sum(1 for _ in steps())
    return returned.pop(), pauses

# %% pauses-1 wrong: every await pauses
# cause: takes it that to await a coroutine pauses, even where no yield is at its far end
# line: pauses
pauses = {"rest": 2, "Ready": 0, "plain": 1, "sum_up": 3, "wait": 1, "outer": 3}

# %% pauses-1 wrong: rest pauses once
# cause: counts the await of rest and not its two yields
# line: "rest": 1
pauses = {"rest": 1, "Ready": 0, "plain": 0, "sum_up": 0, "wait": 1, "outer": 2}

# %% layers-2 wrong: a price list that remembers
# cause: remembers each price in a dict: a thing that is ordered twice within one order is asked for only once
# line: if part not in prices:
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    prices = {}
    total = 0
    for part in order:
        if isinstance(part, list):
            total += yield from bill(part)
        else:
            if part not in prices:
                prices[part] = yield part
            total += prices[part]
    return total

# %% layers-2 wrong: the inner sum is dropped
# cause: the value of "yield from", the sum of the inner order, is not added: only the things of the outermost order count
# line: yield from bill(part)
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    total = 0
    for part in order:
        if isinstance(part, list):
            yield from bill(part)
        else:
            price = yield part
            total += price
    return total

# %% layers-2 right: match and recursion on head and tail
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    prices = []
    for part in order:
        match part:
            case list():
                prices.append((yield from bill(part)))
            case name:
                prices.append((yield name))
    return sum(prices)

# %% layers-3 wrong: only for errors
# cause: "except Exception" doesn't see GeneratorExit (nor CancelledError or KeyboardInterrupt): when the generator is closed in the middle, the key stays away
# line: except Exception:
def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    key = board.pop()
    try:
        result = yield from work
    except Exception:
        board.append(key)
        raise
    else:
        board.append(key)
        return result

# %% layers-3 wrong: a loop that passes on only what is sent
# cause: the hand-made loop passes on what is sent, but an error thrown in at the yield never reaches work: it ends with_key while work stays paused
# line: sent = yield item
def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    key = board.pop()
    sent = None
    try:
        while True:
            try:
                item = work.send(sent)
            except StopIteration as end:
                return end.value
            sent = yield item
    finally:
        board.append(key)

# %% layers-3 right: an ExitStack, again
from contextlib import ExitStack


def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    with ExitStack() as stack:
        stack.callback(board.append, board.pop())
        return (yield from work)

# %% awaitable-1 wrong: the answer kept in the instance, asked only once
# cause: it remembers the first answer: when the same Ask is awaited again it doesn't ask again
# line: if self.answer is None:
class Ask:
    def __init__(self, question):
        self.question = question
        self.answer = None

    def __await__(self):
        if self.answer is None:
            self.answer = yield self.question
        return self.answer

# %% awaitable-1 wrong: one generator for all
# cause: the generator is made once, in __init__: a second await finds it used up (or, while another still waits, in the middle) and doesn't ask
# line: self.asking = self._ask() | return self.asking
class Ask:
    def __init__(self, question):
        self.question = question
        self.asking = self._ask()

    def _ask(self):
        answer = yield self.question
        return answer

    def __await__(self):
        return self.asking

# %% awaitable-1 right: an iterator class of its own
class _Asking:
    """One single await: hands the question out once and ends with the answer."""

    def __init__(self, question):
        self.question = question
        self.asked = False
        self.over = False

    def __iter__(self):
        return self

    def __next__(self):
        return self.send(None)

    def send(self, value):
        if self.over:
            raise StopIteration
        if not self.asked:
            self.asked = True
            return self.question
        self.over = True
        end = StopIteration()
        end.value = value
        raise end

    def throw(self, kind, value=None, traceback=None):
        self.over = True
        if isinstance(kind, BaseException):
            raise kind
        raise value if isinstance(value, BaseException) else kind

    def close(self):
        self.over = True


class Ask:
    def __init__(self, question):
        self.question = question

    def __await__(self):
        return _Asking(self.question)

# %% by-hand-1 wrong: a bare pause taken for the end
# cause: the loop ends when the coroutine hands out None (a bare pause), though it is only paused: what it returned is lost
# line: while coroutine.send(None) is not None:
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    pauses = 0
    try:
        while coroutine.send(None) is not None:
            pauses += 1
    except StopIteration as end:
        return end.value, pauses
    return None, pauses

# %% by-hand-1 wrong: a bare pause taken for the end, again
# cause: counts before it knows whether this step ended in a pause: the last step, which ends the coroutine, counts as well, one too many
# line: pauses += 1
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    pauses = 0
    while True:
        pauses += 1
        try:
            coroutine.send(None)
        except StopIteration as end:
            return end.value, pauses

# %% by-hand-1 right: a delegating coroutine, counted by sum
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    box = []

    async def delegate():
        box.append(await coroutine)

    pauses = sum(1 for _ in delegate().__await__())
    return box.pop(), pauses

# %% layers-2 wrong: A price list by name
# cause: the prices are kept by name, so a thing that is ordered twice is asked for twice but counted only once (and a second, other price replaces the first)
# line: prices[part] = yield part
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    prices = {}
    inner = 0
    for part in order:
        if isinstance(part, list):
            inner += yield from bill(part)
        else:
            prices[part] = yield part
    return inner + sum(prices.values())

# %% layers-2 wrong: eats the order
# cause: pop takes the parts off the caller's own list; afterwards the order is empty, and an inner order that stands in it twice is billed only once
# line: part = order.pop(0)
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    total = 0
    while order:
        part = order.pop(0)
        if isinstance(part, list):
            total += yield from bill(part)
        else:
            total += yield part
    return total

# %% layers-2 right: match, and prices in a list
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    prices = []
    for part in order:
        match part:
            case list():
                prices.append((yield from bill(part)))
            case name:
                prices.append((yield name))
    return sum(prices)

# %% layers-3 wrong: A return in the finally
# cause: the return within finally swallows every error of work (and the one of close); the error must pass through
# line: return result
def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    key = board.pop()
    result = None
    try:
        result = yield from work
    finally:
        board.append(key)
        return result

# %% layers-3 wrong: A loop in place of yield from
# cause: the for loop only asks with next: what is sent in does not reach work, what is thrown in neither, and what work returns is lost
# line: for item in work: | yield item
def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    key = board.pop()
    try:
        for item in work:
            yield item
    finally:
        board.append(key)

# %% layers-3 right: A context manager
from contextlib import contextmanager


@contextmanager
def key_of(board):
    key = board.pop()
    try:
        yield key
    finally:
        board.append(key)


def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    with key_of(board):
        return (yield from work)

# %% awaitable-1 wrong: its own iterator
# cause: the Ask is its own iterator, so there is one `asked` for all who await it; who awaits it while another still waits does not ask, but gets None at once, and the other one's answer is taken for a start
# line: return self  # I am the iterator | if self.asked:
class Ask:
    def __init__(self, question):
        self.question = question
        self.asked = False

    def __await__(self):
        return self  # I am the iterator

    def __iter__(self):
        return self

    def __next__(self):
        return self.send(None)

    def send(self, value):
        if self.asked:
            self.asked = False  # for the next who awaits me
            raise StopIteration(value)
        self.asked = True
        return self.question

# %% awaitable-1 wrong: remembers its answer
# cause: the answer is kept in the object, so the second await does not ask again but gives the old answer
# line: if not hasattr(self, "answer"):
class Ask:
    def __init__(self, question):
        self.question = question

    def __await__(self):
        if not hasattr(self, "answer"):
            self.answer = yield self.question
        return self.answer

# %% awaitable-1 right: A coroutine made by types.coroutine
import types


@types.coroutine
def hand_out(question):
    return (yield question)


class Ask:
    def __init__(self, question):
        self.question = question

    async def _asking(self):
        return await hand_out(self.question)

    def __await__(self):
        return self._asking().__await__()

# %% by-hand-1 wrong: by recursion
# cause: each pause is one more call on the stack; a coroutine that pauses a thousand times ends in a RecursionError
# line: return run_alone(coroutine, pauses + 1)
def run_alone(coroutine, pauses=0):
    """Run the coroutine to its end; return its result and how often it paused."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value, pauses
    return run_alone(coroutine, pauses + 1)

# %% by-hand-1 wrong: counts the sends
# cause: it counts each send, also the last one, in which the coroutine ends and does not pause: one too many
# line: pauses += 1
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    pauses = 0
    while True:
        pauses += 1
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value, pauses

# %% by-hand-1 right: A sum over its pauses
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    box = []

    async def keep():
        box.append(await coroutine)

    pauses = sum(1 for _ in keep().__await__())
    return box[0], pauses

# %% layers-3 wrong: leaves work open
# cause: when it is closed, the GeneratorExit never reaches work, and the key is back before work is over
# line: none | except Exception as error: | heard = yield said
def with_key(board, work):
    key = board.pop()
    try:
        try:
            said = next(work)
            while True:
                try:
                    heard = yield said
                except Exception as error:
                    said = work.throw(error)
                else:
                    said = work.send(heard)
        except StopIteration as end:
            return end.value
    finally:
        board.append(key)

# %% by-hand-1 wrong: an error that is returned is raised
# cause: a coroutine may return an exception; that is a result and no failure
# line: raise end.value | isinstance
def run_alone(coroutine):
    pauses = 0
    try:
        while True:
            coroutine.send(None)
            pauses += 1
    except StopIteration as end:
        if isinstance(end.value, BaseException):
            raise end.value
        return end.value, pauses

# %% layers-2 wrong: the order is eaten up
# cause: `pop` takes the parts out of the caller's own lists: after the bill the order, and every order within it, is empty.
# line: part = order.pop(0)
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    total = 0
    while order:
        part = order.pop(0)
        if isinstance(part, list):
            total += yield from bill(part)
        else:
            total += yield part
    return total

# %% layers-2 wrong: a known price is not asked for again
# cause: A thing is asked for as often as it is ordered; here a second one of the same name in the same list is taken from the dict.
# line: if part not in prices:
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    total = 0
    prices = {}
    for part in order:
        if isinstance(part, list):
            total += yield from bill(part)
            continue
        if part not in prices:
            prices[part] = yield part
        total += prices[part]
    return total

# %% layers-2 right: match, again
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    total = 0
    for part in order:
        match part:
            case str(name):
                price = yield name
            case inner:
                price = yield from bill(inner)
        total += price
    return total

# %% layers-3 wrong: only errors bring the key back
# cause: GeneratorExit (`close`) and other BaseExceptions are no Exception: the key is not put back then. Use finally.
# line: except Exception:
def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    key = board.pop()
    try:
        result = yield from work
    except Exception:
        board.append(key)
        raise
    else:
        board.append(key)
    return result

# %% layers-3 right: an exit stack
from contextlib import ExitStack


def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    with ExitStack() as stack:
        stack.callback(board.append, board.pop())
        return (yield from work)

# %% awaitable-1 wrong: the object is its own iterator
# cause: Whether it has asked is noted in the object, which all who await share: a second coroutine that awaits it meanwhile is not asked, it gets None at once.
# line: self.asked = True | if not self.asked:
class Ask:
    def __init__(self, question):
        self.question = question
        self.asked = False

    def __await__(self):
        return self

    def __iter__(self):
        return self

    def __next__(self):
        return self.send(None)

    def send(self, answer):
        if not self.asked:
            self.asked = True
            return self.question
        self.asked = False
        raise StopIteration(answer)

# %% awaitable-1 right: a coroutine of types.coroutine inside
import types


@types.coroutine
def hand_out(question):
    answer = yield question
    return answer


async def put(question):
    return await hand_out(question)


class Ask:
    def __init__(self, question):
        self.question = question

    def __await__(self):
        return put(self.question).__await__()

# %% by-hand-1 wrong: a call for each pause
# cause: Each pause is a call within a call: after a thousand pauses comes a RecursionError. Use a loop.
# line: result, pauses = run_alone(coroutine)
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value, 0
    result, pauses = run_alone(coroutine)
    return result, pauses + 1

# %% by-hand-1 right: count what a generator hands through
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    box = []

    def through():
        box.append((yield from coroutine.__await__()))

    pauses = sum(1 for _ in through())
    return box[0], pauses

# %% layers-3 wrong: puts it back at an Exception
# cause: GeneratorExit is no Exception: after close() the key isn't put back
# line: except Exception
def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    key = board.pop()
    try:
        result = yield from work
    except Exception:
        board.append(key)
        raise
    board.append(key)
    return result

# %% layers-1 wrong: forgets that outer adds 100
# cause: the return value of inner goes to c in outer and is not handed out; the third send gets c + 100
# line: answers =
answers = [1, 6, 30]

# %% layers-2 wrong: the sum of an inner order replaces the total
# cause: the total so far is overwritten with the inner order's sum
# line: total = yield from bill(part)
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    total = 0
    for part in order:
        if isinstance(part, list):
            total = yield from bill(part)
        else:
            total += yield part
    return total

# %% layers-2 wrong: asks once for each thing
# cause: prices are remembered, so a thing that is ordered twice is asked for only once
# line: if part not in prices
def bill(order):
    prices = {}
    total = 0
    for part in order:
        match part:
            case list():
                total += yield from bill(part)
            case str():
                if part not in prices:
                    prices[part] = yield part
                total += prices[part]
    return total

# %% layers-2 wrong: loops over the inner bill
# cause: the for loop resumes the inner bill with None, so the prices never get into it
# line: for name in bill(part): | total += yield name
def bill(order):
    total = 0
    for part in order:
        if not isinstance(part, list):
            total += yield part
            continue
        for name in bill(part):
            total += yield name
    return total

# %% layers-2 right: collects prices
def _ask(name):
    return (yield name)


def bill(order):
    prices = []
    for part in order:
        source = bill if isinstance(part, list) else _ask
        prices.append((yield from source(part)))
    return sum(prices)

# %% layers-2 right: by match
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    total = 0
    for part in order:
        match part:
            case [*inner]:
                price = yield from bill(inner)
            case name:
                price = yield name
        total += price
    return total

# %% layers-3 wrong: returns nothing
# cause: what work returned is not returned
# line: yield from work | none
def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    key = board.pop()
    try:
        yield from work
    finally:
        board.append(key)

# %% layers-3 wrong: passes on sends but no throws
# cause: only send is passed on; an error thrown in (and close) does not reach work
# line: sent = yield item | item = work.send(sent)
def with_key(board, work):
    key = board.pop()
    sent = None
    try:
        while True:
            try:
                item = work.send(sent)
            except StopIteration as stop:
                return stop.value
            sent = yield item
    finally:
        board.append(key)

# %% layers-3 wrong: the return in finally swallows errors
# cause: a return in the finally block drops an error that leaves work
# line: return result
def with_key(board: list, work):
    result = None
    key = board.pop()
    try:
        result = yield from work
    finally:
        board.append(key)
        return result

# %% layers-3 right: a context manager
from contextlib import contextmanager


@contextmanager
def _last_of(board):
    key = board.pop()
    try:
        yield key
    finally:
        board.append(key)


def with_key(board, work):
    with _last_of(board):
        return (yield from work)

# %% layers-3 right: except and else
def with_key(board, work):
    key = board.pop()
    try:
        result = yield from work
    except BaseException:
        board.append(key)
        raise
    else:
        board.append(key)
        return result

# %% awaitable-1 wrong: the answer is not returned
# cause: what is sent back to the yield is dropped, so the await gives None
# line: yield self.question
class Ask:
    def __init__(self, question):
        self.question = question

    def __await__(self):
        yield self.question

# %% awaitable-1 wrong: asks only once
# cause: the answer is kept on the object, so a second await does not ask again
# line: if self.answer is None: | self.answer = yield self.question
class Ask:
    answer = None

    def __init__(self, question: str) -> None:
        self.question = question

    def __await__(self):
        if self.answer is None:
            self.answer = yield self.question
        return self.answer

# %% awaitable-1 wrong: one state for all who wait
# cause: whether it has been asked is kept on the Ask itself, so another coroutine that awaits it meanwhile does not ask
# line: self.asked = True | if not self.asked: | return self  # its own iterator
class Ask:
    def __init__(self, question):
        self.question = question
        self.asked = False

    def __await__(self):
        return self  # its own iterator

    def __iter__(self):
        return self

    def __next__(self):
        return self.send(None)

    def send(self, answer):
        if not self.asked:
            self.asked = True
            return self.question
        self.asked = False
        raise StopIteration(answer)

# %% awaitable-1 right: wraps a types.coroutine
import types


@types.coroutine
def _hand_out(value):
    return (yield value)


class Ask:
    def __init__(self, question):
        self.question = question

    async def _wait(self):
        return await _hand_out(self.question)

    def __await__(self):
        return self._wait().__await__()

# %% awaitable-1 right: a dataclass
from dataclasses import dataclass


@dataclass(frozen=True)
class Ask:
    question: object

    def __await__(self):
        answer = yield self.question
        return answer

# %% by-hand-1 wrong: counts the end as a pause
# cause: the last send, in which the coroutine ends, is counted as a pause too
# line: pauses += 1
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    pauses = 0
    while True:
        pauses += 1
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value, pauses

# %% by-hand-1 wrong: swallows errors
# cause: every Exception is taken for the end, so an error of the coroutine does not leave run_alone
# line: except Exception as end: | getattr(end, "value", None)
from itertools import count


def run_alone(coroutine):
    for paused in count():
        try:
            coroutine.send(None)
        except Exception as end:
            return getattr(end, "value", None), paused

# %% by-hand-1 wrong: counts only pauses that hand something out
# cause: a pause that hands out None is not counted
# line: is not None
def run_alone(coroutine):
    pauses = 0
    try:
        while True:
            if (handed := coroutine.send(None)) is not None:
                pauses += 1
    except StopIteration as stop:
        return stop.value, pauses

# %% by-hand-1 right: sums over a wrapping generator
def run_alone(coroutine):
    result = None

    def watched():
        nonlocal result
        result = yield from coroutine.__await__()

    pauses = sum(1 for _ in watched())
    return result, pauses

# %% by-hand-1 right: enumerates its turns
import itertools


def run_alone(coroutine):
    for pauses in itertools.count():
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value, pauses

# %% pauses-1 wrong: takes each await of plain for a pause
# cause: awaiting a coroutine that never pauses does not hand control to the driver
# line: "sum_up": 3 | "outer": 3
pauses = {
    "rest": 2,
    "Ready": 0,
    "plain": 0,
    "sum_up": 3,
    "wait": 1,
    "outer": 3,
}

# %% layers-2 wrong: asks for each thing only once
# cause: a price that is known is not asked for again, but the statement wants a question as often as the thing is ordered
# line: if part not in prices:
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    prices = {}
    total = 0
    for part in order:
        if isinstance(part, list):
            total += yield from bill(part)
        else:
            if part not in prices:
                prices[part] = yield part
            total += prices[part]
    return total

# %% layers-2 wrong: hands the sum so far to the inner bill and adds it again
# cause: the inner bill starts at the outer sum and returns it as part of its own, so what came before is counted twice
# line: total += yield from bill(part, total) | def bill(order, total=0):
def bill(order, total=0):
    for part in order:
        match part:
            case str():
                total += yield part
            case _:
                total += yield from bill(part, total)
    return total

# %% layers-2 right: everything is delegated, and summed at the end
def bill(order):
    def price_of(name):
        return (yield name)

    paid = []
    for part in order:
        inner = bill(part) if isinstance(part, list) else price_of(part)
        paid.append((yield from inner))
    return sum(paid)

# %% layers-3 wrong: the key isn't put back when it is closed
# cause: except Exception does not see the GeneratorExit of close(), so then the key stays away
# line: except Exception:
def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    key = board.pop()
    try:
        result = yield from work
    except Exception:
        board.append(key)
        raise
    else:
        board.append(key)
        return result

# %% layers-3 wrong: relays by hand, and forgets throw
# cause: what is thrown in comes out at the yield of with_key and is never passed to work
# line: answer = yield work.send(answer) | yield work.send(answer)
def with_key(board, work):
    key = board.pop()
    answer = None
    try:
        while True:
            answer = yield work.send(answer)
    except StopIteration as end:
        return end.value
    finally:
        work.close()
        board.append(key)

# %% layers-3 right: the key is a context manager
from contextlib import contextmanager


@contextmanager
def in_hand(board):
    key = board.pop()
    try:
        yield
    finally:
        board.append(key)


def with_key(board, work):
    with in_hand(board):
        return (yield from work)

# %% awaitable-1 wrong: remembers the answer like a promise
# cause: a second await gets the old answer and doesn't ask again
# line: if not self.answered:
class Ask:
    def __init__(self, question):
        self.question = question
        self.answered = False
        self.answer = None

    def __await__(self):
        if not self.answered:
            self.answer = yield self.question
            self.answered = True
        return self.answer

# %% awaitable-1 wrong: one generator for all awaits
# cause: the generator is made once, so a second await resumes or finds ended the one of the first
# line: self.dialogue = self._dialogue(question) | return self.dialogue
class Ask:
    def __init__(self, question):
        self.dialogue = self._dialogue(question)

    @staticmethod
    def _dialogue(question):
        answer = yield question
        return answer

    def __await__(self):
        return self.dialogue

# %% awaitable-1 right: each await gets a generator of its own
def put(question):
    return (yield question)


class Ask:
    __slots__ = ("question",)

    def __init__(self, question):
        self.question = question

    def __await__(self):
        return iter(put(self.question))

# %% by-hand-1 wrong: counts the steps and not the pauses
# cause: the last step, in which the coroutine ends, is counted as a pause
# line: for pauses in itertools.count(1): | return end.value, pauses
import itertools


def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    for pauses in itertools.count(1):
        try:
            coroutine.send(None)
        except StopIteration as end:
            return end.value, pauses

# %% by-hand-1 wrong: looks for the result in args
# cause: a coroutine that returns None ends with a StopIteration without args, so it is an IndexError
# line: return stop.args[0], pauses | stop.args[0]
def run_alone(coroutine):
    pauses = 0
    try:
        while True:
            coroutine.send(None)
            pauses += 1
    except StopIteration as stop:
        return stop.args[0], pauses

# %% by-hand-1 right: a second coroutine catches the result, a sum counts
def run_alone(coroutine):
    box = []

    async def catch():
        box.append(await coroutine)

    pauses = sum(1 for _ in catch().__await__())
    return box.pop(), pauses

# %% layers-2 wrong: uses up the order
# cause: the parts are popped off the caller's lists, so an inner order that stands in the order twice is empty the second time
# line: part = order.pop(0)
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    total = 0
    while order:
        part = order.pop(0)
        if isinstance(part, list):
            total += yield from bill(part)
        else:
            total += yield part
    return total

# %% layers-2 right: every part is a generator
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    def ask(name):
        return (yield name)

    prices = []
    for part in order:
        layer = bill if isinstance(part, list) else ask
        prices.append((yield from layer(part)))
    return sum(prices)

# %% layers-3 wrong: not if such a key hangs there
# cause: if the board holds a key that is equal, the key is not put back
# line: if key not in board:
def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    key = board.pop()
    try:
        return (yield from work)
    finally:
        if key not in board:
            board.append(key)

# %% layers-3 wrong: delegates by hand, again
# cause: a close or a KeyboardInterrupt thrown in is not passed on to work, because these are no Exception
# line: except Exception as error:
def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    key = board.pop()
    try:
        item = next(work)
        while True:
            try:
                sent = yield item
            except Exception as error:
                item = work.throw(error)
            else:
                item = work.send(sent)
    except StopIteration as end:
        return end.value
    finally:
        board.append(key)

# %% layers-3 right: a context manager class
class Held:
    def __init__(self, board):
        self.board = board

    def __enter__(self):
        self.key = self.board.pop()
        return self.key

    def __exit__(self, *error):
        self.board.append(self.key)
        return False


def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    with Held(board):
        result = yield from work
    return result

# %% awaitable-1 wrong: remembers in the object that it asked
# cause: the flag belongs to the Ask and not to the single await, so a second coroutine that awaits it meanwhile gets None instead of asking
# line: def __await__(self): | self.waiting = not self.waiting | if self.waiting:
class Ask:
    def __init__(self, question):
        self.question = question
        self.waiting = False

    def __await__(self):
        return self

    def __iter__(self):
        return self  # an iterator

    def __next__(self):
        return self.send(None)

    def send(self, answer):
        self.waiting = not self.waiting
        if self.waiting:
            return self.question
        raise StopIteration(answer)

# %% awaitable-1 wrong: takes None for no answer
# cause: when the driver sends the answer None, it asks again instead of giving back None
# line: while answer is None:
class Ask:
    def __init__(self, question):
        self.question = question

    def __await__(self):
        answer = None
        while answer is None:
            answer = yield self.question
        return answer

# %% awaitable-1 right: a coroutine for each await
from types import coroutine


@coroutine
def hand_over(question):
    return (yield question)


class Ask:
    def __init__(self, question):
        self.question = question

    async def _once(self):
        return await hand_over(self.question)

    def __await__(self):
        return self._once().__await__()

# %% by-hand-1 wrong: calls itself for each pause
# cause: each pause is a deeper call, so a coroutine that pauses more than about a thousand times ends in a RecursionError
# line: return run_alone(coroutine, pauses + 1)
def run_alone(coroutine, pauses=0):
    """Run the coroutine to its end; return its result and how often it paused."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value, pauses
    return run_alone(coroutine, pauses + 1)

# %% by-hand-1 wrong: counts only what hands out something
# cause: a pause that hands out None, as a bare yield does, is not counted
# line: if handed_out is not None:
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    pauses = 0
    while True:
        try:
            handed_out = coroutine.send(None)
        except StopIteration as end:
            return end.value, pauses
        if handed_out is not None:
            pauses += 1

# %% by-hand-1 right: yield from and a sum
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    result = None

    def pauses():
        nonlocal result
        result = yield from coroutine.__await__()

    how_often = sum(1 for _ in pauses())
    return result, how_often

# %% layers-2 wrong: inner orders last
# cause: the orders within the order wait until the outer names are done, so the names don't come from left to right
# line: inner.append(part)
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    total = 0
    inner = []
    for part in order:
        if isinstance(part, list):
            inner.append(part)
        else:
            price = yield part
            total += price
    for part_order in inner:
        total += yield from bill(part_order)
    return total

# %% layers-2 wrong: the single things first
# cause: it asks for the things of the outer order before the orders within it, not from left to right
# line: for part in sorted(order, key=lambda part: isinstance(part, list)):
def bill(order):
    total = 0
    for part in sorted(order, key=lambda part: isinstance(part, list)):
        if isinstance(part, list):
            total += yield from bill(part)
        else:
            total += yield part
    return total

# %% layers-2 wrong: a conversation by hand that trips over an empty order
# cause: an empty order within the order ends at its first next, whose StopIteration becomes a RuntimeError
# line: name = next(inner)
def bill(order):
    total = 0
    for part in order:
        if not isinstance(part, list):
            total += yield part
            continue
        inner = bill(part)
        name = next(inner)
        while True:
            price = yield name
            try:
                name = inner.send(price)
            except StopIteration as end:
                total += end.value
                break
    return total

# %% layers-2 right: every part is a generator, again
def bill(order):
    def single(name):
        return (yield name)

    def open_part(part):
        return bill(part) if isinstance(part, list) else single(part)

    total = 0
    for asking in map(open_part, order):
        price = yield from asking
        total = total + price
    return total

# %% layers-3 wrong: restores the board as it was
# cause: it puts back the whole board of the beginning, and undoes what others took or hung up meanwhile
# line: board[:] = before
def with_key(board, work):
    before = list(board)
    board.pop()
    try:
        return (yield from work)
    finally:
        board[:] = before

# %% layers-3 wrong: takes the key when it is called
# cause: with_key is an ordinary function that pops before anybody has started it, so the key of one that is closed unstarted never comes back
# line: key = board.pop()
def with_key(board, work):
    key = board.pop()

    def holding():
        try:
            return (yield from work)
        finally:
            board.append(key)

    return holding()

# %% layers-3 right: an exit stack, again
from contextlib import ExitStack


def with_key(board, work):
    with ExitStack() as stack:
        stack.callback(board.append, board.pop())
        result = yield from work
    return result

# %% awaitable-1 wrong: asks until the answer is true
# cause: an answer such as 0, "" or None is taken for no answer, and the question is asked again
# line: while not answer:
class Ask:
    def __init__(self, question):
        self.question = question

    def __await__(self):
        answer = None
        while not answer:
            answer = yield self.question
        return answer

# %% awaitable-1 wrong: its own iterator, again
# cause: all awaits of one Ask share the flag asked, so a second coroutine that awaits meanwhile doesn't ask
# line: self.asked = True | if self.asked:
class Ask:
    def __init__(self, question):
        self.question = question
        self.asked = False

    def __await__(self):
        return self

    def __iter__(self):
        return self

    def __next__(self):
        return self.send(None)

    def send(self, answer):
        if self.asked:
            self.asked = False
            raise StopIteration(answer)
        self.asked = True
        return self.question

# %% awaitable-1 right: through a coroutine of its own
import types


@types.coroutine
def _hand_out(question):
    return (yield question)


class Ask:
    def __init__(self, question):
        self.question = question

    async def _talk(self):
        return await _hand_out(self.question)

    def __await__(self):
        return self._talk().__await__()

# %% by-hand-1 wrong: takes the result from args
# cause: the StopIteration of a coroutine that returns None has no args, so an IndexError comes out
# line: return end.args[0], pauses
def run_alone(coroutine):
    pauses = 0
    while True:
        try:
            coroutine.send(None)
        except StopIteration as end:
            return end.args[0], pauses
        pauses += 1

# %% by-hand-1 wrong: returns in finally
# cause: the return in finally swallows every error that leaves the coroutine
# line: return result, pauses
def run_alone(coroutine):
    result = None
    pauses = 0
    try:
        while True:
            coroutine.send(None)
            pauses += 1
    except StopIteration as end:
        result = end.value
    finally:
        coroutine.close()
        return result, pauses

# %% by-hand-1 right: a generator around its await
def run_alone(coroutine):
    results = []

    def pauses():
        results.append((yield from coroutine.__await__()))

    count = sum(1 for _ in pauses())
    return results.pop(), count

# %% layers-2 wrong: yields the price
# cause: what is sent to the yield is dropped
# line: yield
def bill(order):
    total = 0
    for part in order:
        if isinstance(part, list):
            total += yield from bill(part)
        else:
            yield part
            total += 1
    return total

# %% layers-2 wrong: returns at the inner order
# cause: returns the sum of the inner order and leaves out what follows
# line: return (yield from bill(part))
def bill(order):
    total = 0
    for part in order:
        if isinstance(part, list):
            return (yield from bill(part))
        total += yield part
    return total

# %% awaitable-1 wrong: yields self
# cause: hands out the Ask and not its question
# line: yield self
class Ask:
    def __init__(self, question):
        self.question = question
    def __await__(self):
        return (yield self)

# %% awaitable-1 wrong: returns question
# cause: returns the question in place of the answer
# line: return self.question
class Ask:
    def __init__(self, question):
        self.question = question
    def __await__(self):
        yield self.question
        return self.question

# %% layers-2 wrong: Inner bill gets no prices
# cause: The for loop over the inner bill yields its names but never sends the prices on to it, so the inner bill is resumed with None and an order within the order fails when it adds up.
# line: for name in inner: | total += yield name
def bill(order):
    total = 0
    for part in order:
        if isinstance(part, list):
            inner = bill(part)
            for name in inner:
                total += yield name
        else:
            total += yield part
    return total

# %% layers-2 wrong: Names first, orders afterwards
# cause: It asks for all names of its own level before it goes into the orders within, so names that stand right of a nested order are asked too early and not from left to right.
# line: names = [part for part in order if not isinstance(part, list)] | for inner in orders:
def bill(order):
    names = [part for part in order if not isinstance(part, list)]
    orders = [part for part in order if isinstance(part, list)]
    prices = []
    for name in names:
        prices.append((yield name))
    for inner in orders:
        prices.append((yield from bill(inner)))
    return sum(prices)

# %% awaitable-1 wrong: Takes None for no answer
# cause: It asks again as long as the answer is None, but None is an answer that the driver may send, and then the await has to end with it.
# line: while answer is None: | answer = None
class Ask:
    def __init__(self, question):
        self.question = question

    def __await__(self):
        answer = None
        while answer is None:
            answer = yield self.question
        return answer

# %% by-hand-1 wrong: Errors end in the finally
# cause: The return in finally swallows any exception, so an error that leaves the coroutine does not leave run_alone.
# line: return result, pauses | finally:
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    result, pauses = None, 0
    try:
        while True:
            coroutine.send(None)
            pauses += 1
    except StopIteration as end:
        result = end.value
    finally:
        coroutine.close()
        return result, pauses

# %% layers-3 wrong: Context manager without a try
# cause: the context manager has no try/finally around its yield, so when `work` ends with an error or is closed the key is not put back.
# line: yield key | board.append(key)
from contextlib import contextmanager


@contextmanager
def key_from(board):
    key = board.pop()
    yield key
    board.append(key)


def with_key(board, work):
    with key_from(board):
        return (yield from work)

# %% by-hand-1 wrong: Enumerate counts from zero
# cause: enumerate numbers the first pause 0, so the count is one too low as soon as the coroutine pauses at all.
# line: enumerate(steps())
def run_alone(coroutine):
    result = None

    def steps():
        nonlocal result
        result = yield from coroutine.__await__()

    paused = 0
    for paused, _ in enumerate(steps()):
        pass
    return result, paused

# %% layers-2 wrong: empty order returns None
# cause: For an empty order it returns None instead of 0, so `bill([])` has no sum and an empty order inside an order makes the addition fail with a TypeError.
# line: return None | if not order
def bill(order):
    if not order:
        return None
    prices = []
    for item in order:
        if isinstance(item, str):
            price = yield item
        else:
            price = yield from bill(item)
        prices.append(price)
    return sum(prices)

# %% layers-2 wrong: prices are remembered
# cause: A price once sent is kept in a dictionary, so a thing that stands in an order twice is asked for only once.
# line: if part not in prices | prices[part] = yield part
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    prices = {}
    total = 0
    for part in order:
        match part:
            case list():
                total += yield from bill(part)
            case _:
                if part not in prices:
                    prices[part] = yield part
                total += prices[part]
    return total

# %% awaitable-1 wrong: first answer is kept
# cause: The first answer is stored and handed out again, so awaiting the same `Ask` a second time does not ask again.
# line: if not self.done | self.done = True
class Ask:
    """Await it to put a question to the driver."""

    def __init__(self, question):
        self.question = question
        self.answer = None
        self.done = False

    def __await__(self):
        if not self.done:
            self.answer = yield self.question
            self.done = True
        return self.answer

# %% awaitable-1 wrong: only one may wait
# cause: A flag refuses a second await while the first is pending, so a RuntimeError comes when two coroutines wait on the same `Ask` at once.
# line: raise RuntimeError | if self._pending
class Ask:
    def __init__(self, question):
        self._question = question
        self._pending = False

    def __await__(self):
        if self._pending:
            raise RuntimeError("this Ask is already being awaited")
        self._pending = True
        try:
            return (yield self._question)
        finally:
            self._pending = False

# %% by-hand-1 wrong: first send outside try
# cause: The first `send` is not guarded, so a coroutine that ends without ever pausing lets StopIteration out of `run_alone`.
# line: coroutine.send(None)  # start it | pauses = 1
def run_alone(coroutine):
    coroutine.send(None)  # start it
    pauses = 1
    try:
        while True:
            coroutine.send(None)
            pauses += 1
    except StopIteration as end:
        result = end.value
    return result, pauses

# %% awaitable-1 wrong: a flag lets it ask once
# cause: a flag in self makes the second await skip the yield, so that it gives None
# line: if not self.done
class Ask:
    def __init__(self, question):
        self.question = question
        self.done = False

    def __await__(self):
        if not self.done:
            self.done = True
            return (yield self.question)

# %% awaitable-1 wrong: hands out itself, like futures
# cause: It yields the `Ask` object itself, as asyncio's Future does, so the driver gets an `Ask` and not the question.
# line: return (yield self)
class Ask:
    __slots__ = ("question",)

    def __init__(self, question):
        self.question = question

    def __await__(self):
        return (yield self)

# %% layers-2 right: each part is a generator
def _single(name):
    return (yield name)


def bill(order):
    prices = []
    for part in order:
        asking = bill if isinstance(part, list) else _single
        prices.append((yield from asking(part)))
    return sum(prices)

# %% layers-3 right: the key as context manager
class _Key:
    def __init__(self, board):
        self.board = board

    def __enter__(self):
        self.key = self.board.pop()
        return self.key

    def __exit__(self, *how):
        self.board.append(self.key)
        return False


def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    with _Key(board):
        return (yield from work)

# %% awaitable-1 right: an abc Generator per await
from collections.abc import Generator


class _Asking(Generator):
    def __init__(self, question):
        self.question = question
        self.asked = False

    def send(self, answer):
        if self.asked:
            raise StopIteration(answer)
        self.asked = True
        return self.question

    def throw(self, *error):
        return super().throw(*error)


class Ask:
    def __init__(self, question):
        self.question = question

    def __await__(self):
        return _Asking(self.question)

# %% by-hand-1 right: count what a generator yields
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    results = []

    def pauses():
        while True:
            try:
                handed_out = coroutine.send(None)
            except StopIteration as end:
                results.append(end.value)
                return
            yield handed_out

    how_often = sum(1 for _ in pauses())
    return results.pop(), how_often

# %% layers-2 wrong: asks again at price zero
# cause: `while not price` takes a price of 0 for a missing answer and asks for a free thing again and again.
# line: while not price:
def bill(order):
    """Yield each name, be sent its price; return the sum."""
    costs = []
    for part in order:
        if isinstance(part, list):
            costs.append((yield from bill(part)))
        else:
            price = None
            while not price:
                price = yield part
            costs.append(price)
    return sum(costs)

# %% layers-2 right: match, then reduce the prices
from functools import reduce
from operator import add


def bill(order):
    prices = []
    for part in order:
        match part:
            case list():
                prices.append((yield from bill(part)))
            case name:
                prices.append((yield name))
    return reduce(add, prices, 0)

# %% layers-2 wrong: the same inner order twice is asked for once
# cause: the guard against cycles remembers each list for ever, so the same list object ordered twice (menu = [...]; [menu, menu]) counts once
# line: if id(part) not in seen:
def bill(order, seen=None):
    """Yield each name, be sent its price; return the sum."""
    seen = set() if seen is None else seen
    seen.add(id(order))
    total = 0
    for part in order:
        if isinstance(part, list):
            # An order that holds itself would never end.
            if id(part) not in seen:
                total += yield from bill(part, seen)
        else:
            total += yield part
    return total

# %% layers-3 right: ExitStack callback returns the key
from contextlib import ExitStack


def with_key(board, work):
    """Delegate to `work`, the last key in hand; put it back however that ends."""
    with ExitStack() as duties:
        duties.callback(board.append, board.pop())
        return (yield from work)

# %% awaitable-1 right: hand-written generator class per await
from collections.abc import Generator


class _Round(Generator):
    """One question on its way: hands it out once, then ends with the answer."""

    def __init__(self, question):
        self.steps = [self.end, lambda _: question]

    def end(self, answer):
        raise StopIteration(answer)

    def send(self, value):
        if not self.steps:
            raise StopIteration
        return self.steps.pop()(value)

    def throw(self, typ, val=None, tb=None):
        self.steps.clear()
        return super().throw(typ, val, tb)


class Ask:
    def __init__(self, question):
        self.question = question

    def __await__(self):
        return _Round(self.question)

# %% awaitable-1 wrong: an error thrown in by the driver becomes the answer None
# cause: an error that the driver throws in is swallowed; the await gives None, which nobody sent
# line: except Exception:
class Ask:
    def __init__(self, question):
        self.question = question

    def __await__(self):
        try:
            answer = yield self.question
        except Exception:
            return None
        return answer

# %% awaitable-1 wrong: an answer that is an exception is raised
# cause: if the driver sends an exception object as the answer, it is raised and not given
# line: if isinstance(answer, Exception): | raise answer
class Ask:
    def __init__(self, question):
        self.question = question

    def __await__(self):
        answer = yield self.question
        if isinstance(answer, Exception):
            raise answer
        return answer

# %% by-hand-1 right: iterable dataclass counts the pauses
from dataclasses import dataclass
from typing import Any


@dataclass
class _Run:
    coroutine: Any
    result: Any = None

    def __iter__(self):
        self.result = yield from self.coroutine.__await__()


def run_alone(coroutine):
    run = _Run(coroutine)
    pauses = sum(1 for _ in run)
    return run.result, pauses

# %% by-hand-1 wrong: a StopAsyncIteration that leaves the coroutine is swallowed
# cause: StopAsyncIteration is taken for the end too; if it leaves the coroutine, it is lost
# line: except (StopIteration, StopAsyncIteration) as stop:
def run_alone(coroutine):
    """Run the coroutine to its end; return its result and how often it paused."""
    pauses = 0
    while True:
        try:
            coroutine.send(None)
        except (StopIteration, StopAsyncIteration) as stop:
            return getattr(stop, "value", None), pauses
        pauses += 1
