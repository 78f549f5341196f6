"""Answers to the exercises of lesson 02, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% prints-1 wrong: the call runs to the first yield
# cause: takes it that steps() runs as soon as it is called
# line: letters
letters = "FAGBHCDI"

# %% prints-1 wrong: runs on to the end
# cause: takes it that the rest after the second yield runs too
# line: letters
letters = "FGABHCDEI"

# %% lazy-1 wrong: a blank forgotten
# cause: a line such as "ERRORS: 3" is taken for an error too
# line: if line.startswith("ERROR"):
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        if line.startswith("ERROR"):
            yield line[6:].strip()

# %% lazy-1 wrong: strip with a set of letters
# cause: lstrip takes away any of these letters, also from the text itself
# line: line.lstrip("ERROR ")
def errors(lines):
    for line in lines:
        if line.startswith("ERROR "):
            yield line.lstrip("ERROR ").strip()

# %% lazy-1 wrong: no empty texts
# cause: an error without a text is left out
# line: if text:
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        if line.startswith("ERROR "):
            text = line.removeprefix("ERROR ").strip()
            if text:
                yield text

# %% lazy-1 wrong: reads all first
# cause: the whole log is read before the first error is handed out
# line: found = [
def errors(lines):
    found = [line[len("ERROR "):].strip() for line in lines if line.startswith("ERROR ")]
    yield from found

# %% lazy-1 wrong: the word taken out everywhere
# cause: replace takes away every "ERROR ", also one in the middle of the text
# line: line.replace("ERROR ", "")
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        if line.startswith("ERROR "):
            yield line.replace("ERROR ", "").strip()

# %% lazy-1 wrong: the rest by itself
# cause: it calls itself for the rest after each error, and a long log is too deep for that
# line: yield from errors(lines)
def errors(lines):
    lines = iter(lines)
    for line in lines:
        if line.startswith("ERROR "):
            yield line[6:].strip()
            yield from errors(lines)

# %% lazy-1 wrong: one error ahead
# cause: it looks for the next error before it hands out the last one
# line: yield last
# told: none
def errors(lines):
    """Yield the text of each error line, one at a time."""
    last = None
    for line in lines:
        if line.startswith("ERROR "):
            if last is not None:
                yield last
            last = line[6:].strip()
    if last is not None:
        yield last

# %% lazy-1 wrong: blanks in front
# cause: the line is stripped first: " ERROR x" counts, and "ERROR " alone does not
# line: line = line.strip()
# told: none
def errors(lines):
    for line in lines:
        line = line.strip()
        if line.startswith("ERROR "):
            yield line[6:].strip()

# %% lazy-1 right: a regular expression
import re


def errors(lines):
    """Yield the text of each error line, one at a time."""
    for found in map(re.compile("ERROR (.*)", re.DOTALL).match, lines):
        if found is not None:
            yield found[1].strip()

# %% lazy-1 right: partition and match
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        match line.partition("ERROR "):
            case ("", "ERROR ", text):
                yield text.strip()

# %% lazy-1 right: filter and map behind a yield from
def errors(lines):
    prefix = "ERROR "
    yield from map(lambda line: line.removeprefix(prefix).strip(),
                   filter(lambda line: line[:len(prefix)] == prefix, lines))

# %% take-1 wrong: one too many
# cause: it sees that it has enough only after it has taken one item more
# line: for number, item in enumerate(source): | if number == n:
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    for number, item in enumerate(source):
        if number == n:
            return
        yield item

# %% take-1 wrong: no end
# cause: where the source has fewer items, next raises StopIteration, which becomes a RuntimeError
# line: yield next(source)
def take(source, n):
    for _ in range(n):
        yield next(source)

# %% take-1 wrong: None for the end
# cause: an item that is None is taken for the end
# line: if item is None: | item = next(source, None)
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    for _ in range(n):
        item = next(source, None)
        if item is None:
            return
        yield item

# %% take-1 wrong: zip the wrong way round
# cause: zip asks source first, so it takes one item too many
# line: zip(source, range(n))
def take(source, n):
    for item, _ in zip(source, range(n)):
        yield item

# %% take-1 wrong: every error is the end
# cause: an error in the source is taken for its end
# line: except Exception:
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    for _ in range(n):
        try:
            item = next(source)
        except Exception:
            return
        yield item

# %% take-1 wrong: fetches them all at the first question
# cause: all n items are taken before the first one is handed out
# line: items = [item for _, item in zip(range(n), source)]
def take(source, n):
    items = [item for _, item in zip(range(n), source)]
    yield from items

# %% take-1 wrong: one, and then one less
# cause: it calls itself for each item, and many are too deep for that
# line: yield from take(source, n - 1)
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    if n > 0:
        for item in source:
            yield item
            yield from take(source, n - 1)
            return

# %% take-1 right: map over two
def take(source, n):
    return map(lambda _, item: item, range(n), source)

# %% take-1 right: zip the right way round
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    yield from (item for _, item in zip(range(n), source))

# %% take-1 right: a loop that breaks
def take(source, n):
    left = n
    while True:
        if left <= 0:
            break
        try:
            item = next(source)
        except StopIteration:
            break
        yield item
        left -= 1

# %% shares-1 wrong: goes through a generator twice
# cause: sum uses a generator up, and nothing is left for the second time
# line: total = sum(numbers)
def shares(numbers):
    """Return each number's share of the sum, as a list."""
    total = sum(numbers)
    return [number / total for number in numbers]

# %% shares-1 wrong: asks for the length
# cause: a generator has no length
# line: if len(numbers) == 0:
def shares(numbers):
    if len(numbers) == 0:
        return []
    numbers = list(numbers)
    total = sum(numbers)
    return [number / total for number in numbers]

# %% shares-1 wrong: rounds
# cause: the shares are rounded, which nobody asked for
# line: round(
def shares(numbers):
    """Return each number's share of the sum, as a list."""
    numbers = list(numbers)
    total = sum(numbers)
    return [round(number / total, 2) for number in numbers]

# %% shares-1 wrong: a dict by number
# cause: a number that comes twice has only one share in the list
# line: {number: number / total
def shares(numbers):
    numbers = tuple(numbers)
    total = sum(numbers)
    parts = {number: number / total for number in numbers}
    return list(parts.values())

# %% shares-1 wrong: no share for a zero
# cause: a number that is 0 is left out of the list
# line: if number
def shares(numbers):
    """Return each number's share of the sum, as a list."""
    numbers = list(numbers)
    total = sum(numbers)
    return [number / total for number in numbers if number]

# %% shares-1 wrong: sorts them first
# cause: the shares are in the order of size, not in that of the numbers
# line: sorted(numbers)
def shares(numbers):
    """Return each number's share of the sum, as a list."""
    numbers = sorted(numbers)
    return [number / sum(numbers) for number in numbers]

# %% shares-1 right: tee
from itertools import tee


def shares(numbers):
    first, second = tee(numbers)
    whole = sum(first)
    return [part / whole for part in second]

# %% shares-1 right: match and a default argument
def shares(numbers):
    """Return each number's share of the sum, as a list."""
    match [*numbers]:
        case []:
            return []
        case kept:
            return list(map(lambda part, whole=sum(kept): part / whole, kept))

# %% interleave-1 wrong: plain zip
# cause: zip stops at the end of the shorter one
# line: for a, b in zip(first, second):
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    for a, b in zip(first, second):
        yield a
        yield b

# %% interleave-1 wrong: zip, and then the rest
# cause: zip has taken an item of first when it notices that second is used up; that item is lost
# line: for a, b in zip(first, second):
def interleave(first, second):
    first, second = iter(first), iter(second)
    for a, b in zip(first, second):
        yield a
        yield b
    yield from first
    yield from second

# %% interleave-1 wrong: None as the filling
# cause: an item that is None is taken for the filling and left out
# line: if a is not None: | if b is not None: | zip_longest(first, second)
from itertools import zip_longest


def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    for a, b in zip_longest(first, second):
        if a is not None:
            yield a
        if b is not None:
            yield b

# %% interleave-1 wrong: a list of one of them
# cause: second is read into a list, and it may be far too long for that
# line: rest = list(second)
def interleave(first, second):
    rest = list(second)
    number = 0
    for item in first:
        yield item
        if number < len(rest):
            yield rest[number]
            number += 1
    yield from rest[number:]

# %% interleave-1 wrong: swaps by calling itself
# cause: it calls itself for each item, and many are too deep for that
# line: yield from interleave(second, first)
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    first, second = iter(first), iter(second)
    for item in first:
        yield item
        yield from interleave(second, first)
        return
    yield from second

# %% interleave-1 wrong: the rest as a list
# cause: when one is used up, all the rest of the other is read into a list
# line: list(other)
def interleave(first, second):
    mine, other = iter(first), iter(second)
    while True:
        try:
            item = next(mine)
        except StopIteration:
            break
        yield item
        mine, other = other, mine
    for item in list(other):
        yield item

# %% interleave-1 wrong: every error is the end
# cause: an error in one of the two is taken for its end
# line: except Exception:
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    row = [iter(first), iter(second)]
    while row:
        iterator = row.pop(0)
        try:
            item = next(iterator)
        except Exception:
            continue
        row.append(iterator)
        yield item

# %% interleave-1 right: a for with else, and a swap
def interleave(first, second):
    now, then = iter(first), iter(second)
    while True:
        for item in now:
            yield item
            break
        else:
            yield from then
            return
        now, then = then, now

# %% interleave-1 right: a queue of two
from collections import deque


def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    turns = deque(map(iter, (first, second)))
    while turns:
        source = turns.popleft()
        try:
            item = next(source)
        except StopIteration:
            continue
        yield item
        turns.append(source)

# %% lazy-1 wrong: stops at an error without text
# cause: an error with an empty text ends the pipeline's "while" as if the log were over; the empty text must be yielded and the later errors too
# line: while text := next(texts, None):
def errors(lines):
    """Yield the text of each error line, one at a time."""
    texts = (line.removeprefix("ERROR ").strip() for line in lines if line.startswith("ERROR "))
    while text := next(texts, None):
        yield text

# %% lazy-1 wrong: strips the line before it looks
# cause: strip() comes before the test: an indented line "  ERROR x" counts as an error though it doesn't begin with "ERROR ", and "ERROR " with nothing behind it loses its blank and no longer counts
# line: lines = map(str.strip, lines)
# told: none
def errors(lines):
    """Yield the text of each error line, one at a time."""
    lines = map(str.strip, lines)
    for line in lines:
        if line.startswith("ERROR "):
            yield line[len("ERROR "):].lstrip()

# %% lazy-1 right: map and filter
import functools
import operator


def errors(lines):
    """Yield the text of each error line, one at a time."""
    is_error = operator.methodcaller("startswith", "ERROR ")
    cut = operator.itemgetter(slice(6, None))
    steps = (cut, str.strip)
    yield from map(
        lambda line: functools.reduce(lambda value, step: step(value), steps, line),
        filter(is_error, iter(lines)),
    )

# %% take-1 wrong: one item too many
# cause: the loop fetches the next item before it looks whether it has enough: item n + 1 is taken out of source and lost
# line: if count == n: | for count, item in enumerate(source):
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    for count, item in enumerate(source):
        if count == n:
            return
        yield item

# %% take-1 wrong: None taken for the end
# cause: next(source, None) can't tell a None among the items from the end of source: an item None ends the taking early
# line: if item is None: | item = next(source, None)
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    for _ in range(n):
        item = next(source, None)
        if item is None:
            return
        yield item

# %% take-1 right: zip with the range in front
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    # zip asks the range first: when that is used up, the source isn't asked any more.
    yield from (item for _, item in zip(range(n), source))

# %% shares-1 wrong: sums a generator up, then finds it empty
# cause: sum() uses a generator up; the list comprehension after it finds nothing left and returns an empty list
# line: total = sum(numbers)
def shares(numbers):
    """Return each number's share of the sum, as a list."""
    total = sum(numbers)
    return [number / total for number in numbers]

# %% shares-1 wrong: empties the list it was given
# cause: a list that is passed in is used up by pop(0): the caller's list is empty afterwards, though it should stay as it was
# line: numbers.pop(0) | numbers = list(numbers) if not isinstance(numbers, list) else numbers | result.append(numbers.pop(0) / total)
def shares(numbers):
    """Return each number's share of the sum, as a list."""
    numbers = list(numbers) if not isinstance(numbers, list) else numbers
    total = sum(numbers)
    result = []
    while numbers:
        result.append(numbers.pop(0) / total)
    return result

# %% shares-1 right: tee and a late divisor
from functools import partial
from itertools import tee
from operator import truediv


def shares(numbers):
    """Return each number's share of the sum, as a list."""
    to_sum, to_divide = tee(numbers)
    total = sum(to_sum)

    def share(number):
        return truediv(number, total)

    return list(map(partial(share), to_divide))

# %% interleave-1 wrong: a None marks the end
# cause: zip_longest fills up with None, and the test throws away the items that really are None
# line: if b is not None: | if a is not None: | for a, b in zip_longest(first, second):
from itertools import zip_longest


def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    for a, b in zip_longest(first, second):
        if a is not None:
            yield a
        if b is not None:
            yield b

# %% interleave-1 wrong: zip swallows an item
# cause: zip takes an item of first before it sees that second is used up; that item is lost, the rest begins one too late
# line: for a, b in zip(one, two):
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    one, two = iter(first), iter(second)
    for a, b in zip(one, two):
        yield a
        yield b
    yield from one
    yield from two

# %% interleave-1 right: a ring of iterators
from collections import deque


def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    ring = deque([iter(first), iter(second)])
    while ring:
        try:
            item = next(ring[0])
        except StopIteration:
            ring.popleft()
        else:
            yield item
            ring.rotate(-1)

# %% lazy-1 wrong: strips before it looks
# cause: the line is stripped before the test, so an indented "  ERROR x" counts as an error though it does not begin with "ERROR ", and a bare "ERROR \n" is missed
# line: line = line.strip()
# told: none
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        line = line.strip()
        if line.startswith("ERROR "):
            yield line[len("ERROR "):].strip()

# %% lazy-1 wrong: replaces every ERROR
# cause: replace takes out every "ERROR " in the line, also one within the text; only the one at the beginning goes
# line: line.replace("ERROR ", "")
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        if line.startswith("ERROR "):
            yield line.replace("ERROR ", "").strip()

# %% lazy-1 right: A chain of lazy functions
from operator import methodcaller


def errors(lines):
    """Yield the text of each error line, one at a time."""
    found = filter(methodcaller("startswith", "ERROR "), lines)
    texts = map(methodcaller("removeprefix", "ERROR "), found)
    yield from map(str.strip, texts)

# %% take-1 wrong: counts down behind the item
# cause: the count is looked at only after an item has been taken; for n = 0 it yields one, the count goes below 0 and it never stops
# line: if n == 0: | for item in source:
# told: none
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    for item in source:
        yield item
        n -= 1
        if n == 0:
            return

# %% take-1 wrong: none for the end
# cause: None is taken for the end of the source, but it may be an item like any other; then take ends too early and the item is lost
# line: item = next(source, None) | if item is None:
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    for _ in range(n):
        item = next(source, None)
        if item is None:
            return
        yield item

# %% take-1 right: zip with the range first
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    # zip asks the range first: when that is used up, source is not asked.
    for _, item in zip(range(n), source):
        yield item

# %% shares-1 wrong: makes a list of generators only
# cause: only a true generator is copied into a list; a map, a filter or another iterator is used up by sum, and the result is an empty list
# line: if isinstance(numbers, GeneratorType):
# told: none
from types import GeneratorType


def shares(numbers):
    """Return each number's share of the sum, as a list."""
    if isinstance(numbers, GeneratorType):
        numbers = list(numbers)
    total = sum(numbers)
    return [number / total for number in numbers]

# %% shares-1 wrong: writes into the caller's list
# cause: a list is not copied, and its numbers are replaced by the shares in place; the list must stay as it was
# line: numbers[i] = number / total | if not isinstance(numbers, list):
def shares(numbers):
    """Return each number's share of the sum, as a list."""
    if not isinstance(numbers, list):
        numbers = list(numbers)
    total = sum(numbers)
    for i, number in enumerate(numbers):
        numbers[i] = number / total
    return numbers

# %% shares-1 right: two iterators by tee
from functools import partial
from itertools import repeat, tee
from operator import truediv


def shares(numbers):
    """Return each number's share of the sum, as a list."""
    for_sum, for_shares = tee(numbers)
    return list(map(truediv, for_shares, repeat(sum(for_sum))))

# %% interleave-1 wrong: zip drops an item
# cause: when the second is used up first, zip has already taken an item of the first and throws it away; that item is lost
# line: for a, b in zip(first, second):
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    first, second = iter(first), iter(second)
    for a, b in zip(first, second):
        yield a
        yield b
    yield from first
    yield from second

# %% interleave-1 wrong: none fills the gaps
# cause: None marks the place of a missing item, so a None that is a real item of one of the two is skipped
# line: if item is not None:
from itertools import zip_longest


def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    for pair in zip_longest(first, second):
        for item in pair:
            if item is not None:
                yield item

# %% interleave-1 right: A rotating deque
from collections import deque


def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    turns = deque([iter(first), iter(second)])
    while turns:
        for item in turns[0]:
            yield item
            turns.rotate(-1)
            break
        else:
            turns.popleft()

# %% take-1 wrong: some errors are taken for the end
# cause: a RuntimeError, ValueError or TypeError of source is swallowed as if source had ended
# line: except (StopIteration
from itertools import islice


def take(source, n):
    """x"""
    try:
        for _ in range(n):
            yield next(source)
    except (StopIteration, RuntimeError, ValueError, TypeError):
        return

# %% take-1 wrong: closes the source
# cause: whoever goes on with a generator finds it closed
# line: close() | finally:
def take(source, n):
    try:
        for _ in range(n):
            try:
                item = next(source)
            except StopIteration:
                return
            yield item
    finally:
        close = getattr(source, "close", None)
        if close:
            close()

# %% interleave-1 wrong: some errors are taken for the end
# cause: a LookupError, ValueError or RuntimeError in one of them counts as its end
# line: except (StopIteration
def interleave(first, second):
    rows = [iter(first), iter(second)]
    while rows:
        row = rows.pop(0)
        try:
            item = next(row)
        except (StopIteration, LookupError, ValueError, RuntimeError):
            continue
        yield item
        rows.append(row)

# %% interleave-1 wrong: errors of first are swallowed
# cause: any error of first counts as its end
# line: except Exception:
def interleave(first, second):
    one, two = iter(first), iter(second)
    done = object()

    def step(it):
        try:
            return next(it)
        except StopIteration:
            return done

    alive_one = alive_two = True
    while alive_one or alive_two:
        if alive_one:
            try:
                a = next(one)
            except Exception:
                alive_one = False
            else:
                yield a
        if alive_two:
            b = step(two)
            if b is done:
                alive_two = False
            else:
                yield b
