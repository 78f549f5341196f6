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

# %% lazy-1 wrong: cut at every marker
# cause: `split` cuts at every "ERROR " in the line; of "ERROR got ERROR 5" only the piece up to the second marker is kept. Cut once only, or take what follows the prefix.
# line: yield line.split("ERROR ")[1].strip()
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        if line.startswith("ERROR "):
            yield line.split("ERROR ")[1].strip()

# %% lazy-1 right: map and filter, all lazy
from functools import partial

PREFIX = "ERROR "


def text_of(prefix, line):
    return line[len(prefix):].strip(" \t\r\n")


def errors(lines):
    """Yield the text of each error line, one at a time."""
    marked = filter(lambda line: line.startswith(PREFIX), lines)
    yield from map(partial(text_of, PREFIX), marked)

# %% take-1 wrong: none at all is not thought of
# cause: The count is compared only after an item has been yielded, so for n = 0 an item is taken, and then all of them, as `count == 0` never comes true.
# line: if count == n: | for count, item in enumerate(source, 1):
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    for count, item in enumerate(source, 1):
        yield item
        if count == n:
            return

# %% take-1 wrong: zip the wrong way round, again
# cause: `zip` asks its first argument first: when the range is used up, an item of source has been taken already, and it is lost.
# line: zip(source, range(n))
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    for item, _ in zip(source, range(n)):
        yield item

# %% take-1 right: zip with the range in front, again
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    for _, item in zip(range(n), source):
        yield item

# %% shares-1 wrong: the caller's list is overwritten
# cause: A list is used as it is, and its numbers are replaced in place: the caller's list is changed. Build a new list.
# line: numbers[place] = number / total | numbers[place] | if not isinstance(numbers, list):
def shares(numbers):
    """Return each number's share of the sum, as a list."""
    if not isinstance(numbers, list):
        numbers = list(numbers)
    total = sum(numbers)
    for place, number in enumerate(numbers):
        numbers[place] = number / total
    return numbers

# %% shares-1 right: reduce and a tuple
from functools import reduce
from operator import add


def shares(numbers):
    """Return each number's share of the sum, as a list."""
    match tuple(numbers):
        case ():
            return []
        case kept:
            total = reduce(add, kept)
            return list(map(lambda number: number / total, kept))

# %% interleave-1 wrong: zip swallows one
# cause: When the second is used up, `zip` has already taken an item of the first, and drops it: "abc" and "1" give a, 1, c.
# line: for one, other in zip(one_by_one, others): | zip(one_by_one, others)
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    one_by_one = iter(first)
    others = iter(second)
    for one, other in zip(one_by_one, others):
        yield one
        yield other
    yield from one_by_one
    yield from others

# %% interleave-1 wrong: None as a filler
# cause: None marks where one of them is used up, but the items may be anything: a None that is an item is dropped.
# line: if item is not None:
from itertools import zip_longest


def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    for pair in zip_longest(first, second):
        for item in pair:
            if item is not None:
                yield item

# %% interleave-1 right: a deque of iterators that take turns
from collections import deque


def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    turns = deque([iter(first), iter(second)])
    while turns:
        current = turns.popleft()
        try:
            item = next(current)
        except StopIteration:
            continue
        turns.append(current)
        yield item

# %% interleave-1 wrong: with zip
# cause: zip ends with the shorter one, so the rest of the other is lost
# line: zip(first, second)
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    for one, other in zip(first, second):
        yield one
        yield other

# %% interleave-1 wrong: None fills the gaps
# cause: an item that is None is taken for a gap and left out
# line: if one is not None | if other is not None
from itertools import zip_longest


def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    for one, other in zip_longest(first, second):
        if one is not None:
            yield one
        if other is not None:
            yield other

# %% interleave-1 wrong: lists first
# cause: both are made lists, and either may be far too long for one
# line: one = list(first) | other = list(second)
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    one = list(first)
    other = list(second)
    for place in range(max(len(one), len(other))):
        if place < len(one):
            yield one[place]
        if place < len(other):
            yield other[place]

# %% interleave-1 wrong: the rest of the first only
# cause: when the first is used up, it ends, and the rest of the second is lost
# line: return | except StopIteration | for item in first
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    second = iter(second)
    for item in first:
        yield item
        try:
            yield next(second)
        except StopIteration:
            pass

# %% lazy-1 wrong: lstrip with the letters
# cause: lstrip takes away letters, not a prefix
# line: lstrip("ERROR ")
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        if line.startswith("ERROR "):
            yield line.lstrip("ERROR ").strip()

# %% lazy-1 wrong: strips before it asks
# cause: a line with spaces before ERROR is none
# line: line.strip() | line = line.strip()
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        line = line.strip()
        if line.startswith("ERROR "):
            yield line[6:].strip()

# %% lazy-1 wrong: strips newlines only
# cause: spaces and tabs stay
# line: rstrip("\n")
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        if line.startswith("ERROR "):
            yield line[6:].rstrip("\n")

# %% lazy-1 wrong: leaves out empty texts
# cause: an error without a text is an error
# line: if text
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        if line.startswith("ERROR "):
            text = line[6:].strip()
            if text:
                yield text

# %% lazy-1 wrong: in
# cause: ERROR in the middle
# line: if "ERROR " in line
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        if "ERROR " in line:
            yield line.partition("ERROR ")[2].strip()

# %% lazy-1 wrong: without the space
# cause: ERRORS is none
# line: startswith("ERROR")
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        if line.startswith("ERROR"):
            yield line[5:].strip()

# %% lazy-1 wrong: the whole line
# cause: prefix is not cut
# line: yield line.strip()
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        if line.startswith("ERROR "):
            yield line.strip()

# %% lazy-1 wrong: one ahead
# cause: reads a line too many
# line: next(
def errors(lines):
    """Yield the text of each error line, one at a time."""
    lines = iter(lines)
    line = next(lines, None)
    while line is not None:
        following = next(lines, None)
        if line.startswith("ERROR "):
            yield line[6:].strip()
        line = following

# %% lazy-1 wrong: a list first
# cause: all lines are read before the first error is handed out
# line: list(lines)
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in list(lines):
        if line.startswith("ERROR "):
            yield line[6:].strip()

# %% prints-1 wrong: has the E printed as well
# cause: E is printed only if the generator is asked a third time, and it isn't
# line: letters = "FGABHCDEI" | none
letters = "FGABHCDEI"

# %% lazy-1 wrong: yields from a list
# cause: the list comprehension reads all lines before the first error is handed out
# line: yield from [line[len(MARK):].strip() for line in lines if line.startswith(MARK)]
MARK = "ERROR "


def errors(lines):
    yield from [line[len(MARK):].strip() for line in lines if line.startswith(MARK)]

# %% lazy-1 wrong: lstrip takes letters, not a prefix
# cause: lstrip removes any of the characters E, R, O and space, so it eats into a text such as "OOM"
# line: yield line.lstrip("ERROR ").strip()
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        if not line.startswith("ERROR "):
            continue
        yield line.lstrip("ERROR ").strip()

# %% lazy-1 wrong: ERROR anywhere in the line
# cause: a line with "ERROR " in its middle counts as an error, though it doesn't begin with it
# line: if "ERROR " in line:
from collections.abc import Iterable, Iterator


def errors(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if "ERROR " in line:
            _, text = line.split("ERROR ", 1)
            yield text.strip()

# %% lazy-1 right: by partition
def errors(lines):
    for line in lines:
        before, mark, text = line.partition("ERROR ")
        if mark and not before:
            yield text.strip()

# %% lazy-1 right: two stages
def errors(lines):
    """Yield the text of each error line, one at a time."""
    marked = (line for line in lines if line[:6] == "ERROR ")
    texts = (line.removeprefix("ERROR ") for line in marked)
    yield from map(str.strip, texts)

# %% take-1 wrong: zip asks the source first
# cause: zip takes an item from source before it finds that the range has ended, so one item is lost
# line: for item, _ in zip(source, range(n)):
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    for item, _ in zip(source, range(n)):
        yield item

# %% take-1 wrong: None ends it
# cause: an item that is None is taken for the end of source
# line: while n > 0 and (item := next(source, None)) is not None:
def take(source, n):
    while n > 0 and (item := next(source, None)) is not None:
        yield item
        n -= 1

# %% take-1 wrong: takes an item for n = 0
# cause: the count is compared only after an item was taken and yielded, so for n = 0 it takes and yields items
# line: for item in source: | if taken == n: | yield item | none
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    taken = 0
    for item in source:
        yield item
        taken += 1
        if taken == n:
            return

# %% take-1 right: the range first
def take(source, n):
    for _, item in zip(range(n), source):
        yield item

# %% take-1 right: by islice
from itertools import islice


def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    yield from islice(source, n)

# %% shares-1 wrong: looks whether there is a number
# cause: the look at the first number takes it out of a generator, so it is missing in the sum and the result
# line: if next(iter(numbers), None) is None:
def shares(numbers):
    """Return each number's share of the sum, as a list."""
    if next(iter(numbers), None) is None:
        return []
    numbers = list(numbers)
    total = sum(numbers)
    return [number / total for number in numbers]

# %% shares-1 wrong: divides in place
# cause: a list that was passed is not copied, and its items are overwritten
# line: values[place] /= total | values = numbers if isinstance(numbers, list) else list(numbers)
def shares(numbers):
    values = numbers if isinstance(numbers, list) else list(numbers)
    total = sum(values)
    for place in range(len(values)):
        values[place] /= total
    return values

# %% shares-1 wrong: reduce has nothing to begin with
# cause: reduce without an initial value raises a TypeError if there are no numbers
# line: total = reduce(add, values) | none
from functools import reduce
from operator import add


def shares(numbers):
    values = tuple(numbers)
    total = reduce(add, values)
    return list(map(lambda value: value / total, values))

# %% shares-1 right: by tee
from itertools import tee


def shares(numbers):
    to_add, to_divide = tee(numbers)
    total = sum(to_add)
    return [number / total for number in to_divide]

# %% shares-1 right: adds up while it collects
def shares(numbers):
    """Return each number's share of the sum, as a list."""
    seen, total = [], 0
    for number in numbers:
        seen.append(number)
        total += number
    return [number / total for number in seen]

# %% interleave-1 wrong: zip loses an item
# cause: if second ends first, zip has already taken an item of first and drops it
# line: for one, other in zip(left, right):
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    left, right = iter(first), iter(second)
    for one, other in zip(left, right):
        yield one
        yield other
    yield from left
    yield from right

# %% interleave-1 wrong: None is taken for the end
# cause: an item that is None counts as the end of its iterable, and the rest of it is dropped
# line: item = next(source, None) | if item is None:
def interleave(first, second):
    sources = [iter(first), iter(second)]
    while sources:
        for source in list(sources):
            item = next(source, None)
            if item is None:
                sources.remove(source)
            else:
                yield item

# %% interleave-1 wrong: begins second again
# cause: the rest is taken from second itself, not from its iterator, so a list or string begins again
# line: yield from second
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    others = iter(second)
    ones = iter(first)
    for one in ones:
        yield one
        try:
            other = next(others)
        except StopIteration:
            yield from ones
            return
        yield other
    yield from second

# %% interleave-1 right: the two change places
END = object()


def interleave(first, second):
    now, then = iter(first), iter(second)
    while (item := next(now, END)) is not END:
        yield item
        now, then = then, now
    yield from then

# %% interleave-1 right: a queue of iterators
from collections import deque


def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    queue = deque([iter(first), iter(second)])
    while queue:
        source = queue.popleft()
        for item in source:
            yield item
            queue.append(source)
            break


# %% lazy-1 wrong: strips the line before looking at its beginning
# cause: the line is stripped before the test, so an indented "  ERROR x" counts as an error (and "ERROR " alone doesn't)
# line: line = line.strip() | if line.startswith("ERROR "):
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        line = line.strip()
        if line.startswith("ERROR "):
            yield line.removeprefix("ERROR ").lstrip()


# %% lazy-1 wrong: takes the text apart and joins it with single spaces
# cause: split and join change the spaces inside the text, not only those around it
# line: _, *words = line.split() | yield " ".join(words)
from collections.abc import Iterable, Iterator


def errors(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("ERROR "):
            continue
        _, *words = line.split()
        yield " ".join(words)


# %% lazy-1 right: delegates to a generator expression
MARK = "ERROR "


def errors(lines):
    yield from (line[len(MARK) :].strip() for line in lines if line[: len(MARK)] == MARK)


# %% take-1 wrong: an item that is None ends it
# cause: None means "source is at its end", but None may be an item of source
# line: item = next(source, None) | if item is None:
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    taken = 0
    while taken < n:
        item = next(source, None)
        if item is None:
            return
        yield item
        taken += 1


# %% take-1 wrong: zip asks the source first, in an expression
# cause: zip takes the item n + 1 from source before it finds that the range is used up
# line: zip(source, range(n))
def take(source, n):
    yield from (item for item, _ in zip(source, range(n)))


# %% take-1 right: a zip that asks the range first
def take(source, n):
    for _, item in zip(range(n), source):
        yield item


# %% shares-1 wrong: asks for the length before it makes a list
# cause: a generator has no len(), so it is a TypeError
# line: if len(numbers) == 0:
def shares(numbers):
    """Return each number's share of the sum, as a list."""
    if len(numbers) == 0:
        return []
    values = [*numbers]
    total = sum(values)
    return [value / total for value in values]


# %% shares-1 wrong: writes the shares into the list it was given
# cause: a list that is passed in is changed, because it isn't copied
# line: result = numbers if isinstance(numbers, list) else list(numbers) | result[i] = result[i] / total
def shares(numbers):
    # no copy needed if we have a list already
    result = numbers if isinstance(numbers, list) else list(numbers)
    total = sum(result)
    for i in range(len(result)):
        result[i] = result[i] / total
    return result


# %% shares-1 right: two readers of one iterable
from itertools import tee
from operator import truediv


def shares(numbers):
    once, again = tee(numbers)
    total = sum(once)
    return [truediv(number, total) for number in again]


# %% interleave-1 wrong: zip loses an item of the longer first
# cause: when second is used up, zip has already taken an item from first, and drops it
# line: in zip(first, second):
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    first, second = iter(first), iter(second)
    for pair in zip(first, second):
        yield from pair
    # one of the two is empty now
    yield from first
    yield from second


# %% interleave-1 wrong: starts the second again for the rest
# cause: the rest is taken from the iterable and not from its iterator, so a list is yielded from its beginning once more
# line: yield from second
def interleave(first, second):
    left, right = iter(first), iter(second)
    end = object()
    for item in left:
        yield item
        if (other := next(right, end)) is end:
            yield from left
            return
        yield other
    yield from second


# %% interleave-1 right: one loop, ended by either
def interleave(first, second):
    a, b = map(iter, (first, second))
    try:
        while True:
            yield next(a)
            yield next(b)
    except StopIteration:
        pass
    for rest in (a, b):
        yield from rest

# %% lazy-1 wrong: split into words and joined
# cause: several spaces or tabs within the text of an error become one space
# line: " ".join(words)
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        if line.startswith("ERROR "):
            words = line.split()[1:]
            yield " ".join(words)

# %% lazy-1 wrong: strips before it looks, again
# cause: an indented line does not begin with "ERROR " but counts here, and an error without text, "ERROR \n", is left out
# line: line = line.strip()
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        line = line.strip()
        if line.startswith("ERROR "):
            yield line.removeprefix("ERROR ").lstrip()

# %% lazy-1 right: next and partition
def errors(lines):
    """Yield the text of each error line, one at a time."""
    source = iter(lines)
    while True:
        try:
            line = next(source)
        except StopIteration:
            return
        before, mark, text = line.partition("ERROR ")
        if mark and not before:
            yield text.strip()

# %% take-1 wrong: fetched all at once
# cause: all n items are taken before the first is yielded, so whoever stops early misses items, and an error of the source loses those before it
# line: items = list(islice(source, n))
from itertools import islice


def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    items = list(islice(source, n))
    for item in items:
        yield item

# %% take-1 wrong: counts after the yield
# cause: for n = 0 it takes and yields every item, as the count is never 0 when it is compared
# line: if count == n: | for count, item in enumerate(source, 1)
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    for count, item in enumerate(source, 1):
        yield item
        if count == n:
            return

# %% take-1 right: map over a range and the source
def take(source, n):
    """Yield the first `n` items of the iterator `source`."""
    # the range comes first: it ends before the source is asked again
    yield from map(lambda _, item: item, range(n), source)

# %% shares-1 wrong: a peek for emptiness
# cause: the look whether there is a number takes the first item of a generator, which is then missing
# line: if next(iter(numbers), None) is None
def shares(numbers):
    """Return each number's share of the sum, as a list."""
    if next(iter(numbers), None) is None:
        return []
    numbers = list(numbers)
    total = sum(numbers)
    return [number / total for number in numbers]

# %% shares-1 wrong: a dict of shares
# cause: a number that comes twice is one key of the dict, so that its second share is missing in the list
# line: share_of = {number: number / total for number in kept} | return list(share_of.values())
def shares(numbers):
    """Return each number's share of the sum, as a list."""
    kept = list(numbers)
    total = sum(kept)
    share_of = {number: number / total for number in kept}
    return list(share_of.values())

# %% shares-1 right: operators and repeat
from functools import reduce
from itertools import repeat
from operator import add, truediv


def shares(numbers):
    """Return each number's share of the sum, as a list."""
    kept = (*numbers,)
    return list(map(truediv, kept, repeat(reduce(add, kept, 0))))

# %% interleave-1 wrong: zip and then the rest
# cause: when second ends first, zip has already taken an item of first, which is lost
# line: zip(first, second)
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    first, second = iter(first), iter(second)
    for one, two in zip(first, second):
        yield one
        yield two
    yield from first
    yield from second

# %% interleave-1 right: swaps two names
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    now, then = iter(first), iter(second)
    for item in now:
        yield item
        break
    else:
        yield from then
        return
    while True:
        now, then = then, now
        for item in now:
            yield item
            break
        else:
            break
    for item in then:
        yield item

# %% lazy-1 wrong: a while loop that ends at an empty string
# cause: the loop takes an empty string among the lines for the end of the log
# line: while line := next(source, None):
def errors(lines):
    source = iter(lines)
    while line := next(source, None):
        if line.startswith("ERROR "):
            yield line[len("ERROR "):].strip()

# %% lazy-1 wrong: cuts the text at a second ERROR
# cause: split cuts at every "ERROR ", so a text that holds the word again is shortened
# line: parts = line.split("ERROR ") | yield parts[1].strip(" \t\n")
def errors(lines):
    for line in lines:
        parts = line.split("ERROR ")
        if len(parts) > 1 and parts[0] == "":
            yield parts[1].strip(" \t\n")

# %% lazy-1 right: partition in a chain of maps
def errors(lines):
    cut = (line.partition("ERROR ") for line in lines)
    found = filter(lambda parts: parts[1] and not parts[0], cut)
    yield from map(lambda parts: parts[2].strip(), found)

# %% take-1 wrong: closes the source to be tidy
# cause: it closes the source when it is done, so a generator has no next item afterwards
# line: source.close()
def take(source, n):
    try:
        for _ in range(n):
            try:
                item = next(source)
            except StopIteration:
                return
            yield item
    finally:
        if hasattr(source, "close"):
            source.close()

# %% take-1 wrong: counts after the first item
# cause: the count is looked at only after an item, so for n = 0 it takes one item and never stops
# line: if n == 0:
def take(source, n):
    for item in source:
        yield item
        n -= 1
        if n == 0:
            return

# %% take-1 right: zip with the range in front, again
from operator import itemgetter


def take(source, n):
    yield from map(itemgetter(1), zip(range(n), source))

# %% shares-1 wrong: a dict of shares loses equal numbers
# cause: equal numbers are one key of the dict, so the second of them has no share in the list
# line: by_number = {
def shares(numbers):
    numbers = list(numbers)
    total = sum(numbers)
    by_number = {number: number / total for number in numbers}
    return list(by_number.values())

# %% shares-1 wrong: divides in place, again
# cause: a list that is handed in is not copied, so the caller's numbers are overwritten
# line: values = numbers if isinstance(numbers, list) else list(numbers) | values[place] = value / total
def shares(numbers):
    values = numbers if isinstance(numbers, list) else list(numbers)
    total = sum(values)
    for place, value in enumerate(values):
        values[place] = value / total
    return values

# %% shares-1 right: tee and reduce
import functools
import itertools
import operator


def shares(numbers):
    to_add, to_divide = itertools.tee(numbers)
    total = functools.reduce(operator.add, to_add, 0)
    return list(map(lambda number: number / total, to_divide))

# %% interleave-1 wrong: zip, then the rest of both
# cause: zip has already taken an item of first when it finds second used up, and that item is lost
# line: for one, other in zip(first, second):
def interleave(first, second):
    first, second = iter(first), iter(second)
    for one, other in zip(first, second):
        yield one
        yield other
    yield from first
    yield from second

# %% interleave-1 wrong: the rest as a list, again
# cause: it reads the whole rest into a list before it yields any of it, and the rest may be endless
# line: yield from [*first, *second]
def interleave(first, second):
    first, second = iter(first), iter(second)
    now, later = first, second
    while True:
        try:
            item = next(now)
        except StopIteration:
            break
        yield item
        now, later = later, now
    yield from [*first, *second]

# %% interleave-1 right: a deque of bound methods
from collections import deque


def interleave(first, second):
    end = object()
    turns = deque([iter(first).__next__, iter(second).__next__])
    while turns:
        ask = turns.popleft()
        try:
            item = ask()
        except StopIteration:
            item = end
        if item is not end:
            turns.append(ask)
            yield item

# %% interleave-1 wrong: loses an item when second ends
# cause: the item of first has been taken when second turns out to be used up, and is never yielded
# line: b = next(right) | break | a = next(left) | except StopIteration:
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    left, right = iter(first), iter(second)
    while True:
        try:
            a = next(left)
            b = next(right)
        except StopIteration:
            break
        yield a
        yield b
    yield from left
    yield from right

# %% lazy-1 wrong: strips letters instead of the prefix
# cause: lstrip takes off any of these characters, not the word, so a text that begins with E, R or O is cut
# line: text = line.lstrip("ERROR ")
def errors(lines):
    """Yield the text of each error line, one at a time."""
    for line in lines:
        if not line.startswith("ERROR "):
            continue
        text = line.lstrip("ERROR ")
        yield text.strip()

# %% interleave-1 wrong: begins second again each time
# cause: a new for loop over a list or a string begins at its start; it goes on only with an iterator
# line: for other in second: | yield from second | break
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    for item in first:
        yield item
        for other in second:
            yield other
            break
    yield from second

# %% interleave-1 wrong: the first one leads
# cause: when first is used up before second, the rest of second is lost
# line: for item in first: | yield item
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    others = iter(second)
    used_up = False
    for item in first:
        yield item
        if used_up:
            continue
        try:
            other = next(others)
        except StopIteration:
            used_up = True
        else:
            yield other

# %% lazy-1 wrong: reads one line ahead
# cause: the following line is read before the error is yielded, so one more line is read than was asked for
# line: following = next(source, None)
def errors(lines):
    source = iter(lines)
    line = next(source, None)
    while line is not None:
        following = next(source, None)
        if line.startswith("ERROR "):
            yield line.removeprefix("ERROR ").strip()
        line = following

# %% lazy-1 wrong: pairwise
# cause: pairwise reads the following line before it hands out a pair
# line: pairwise
from itertools import pairwise
def errors(lines):
    for line, following in pairwise(lines):
        if line.startswith("ERROR "):
            yield line.removeprefix("ERROR ").strip()

# %% shares-1 wrong: running total
# cause: divides by the sum so far
# line: total += number | append
def shares(numbers):
    total, found = 0, []
    for number in numbers:
        total += number
        found.append(number / total if total else 0)
    return found

# %% lazy-1 wrong: lstrip takes letters
# cause: lstrip removes any of the characters E, R, O and space, not the prefix, so it eats the beginning of a text such as "REPORT lost".
# line: line.lstrip("ERROR ")
PREFIX = "ERROR "


def errors(lines):
    for line in lines:
        if not line.startswith(PREFIX):
            continue
        text = line.lstrip("ERROR ")
        yield text.strip()

# %% interleave-1 wrong: begins the other one again instead of going on with its rest
# cause: When one is used up, it goes on with the iterable instead of its iterator, and a string or list then begins again from its first item.
# line: yield from second | yield from first
def interleave(first, second):
    a = iter(first)
    b = iter(second)
    while True:
        try:
            item = next(a)
        except StopIteration:
            yield from second
            return
        yield item
        try:
            item = next(b)
        except StopIteration:
            yield from first
            return
        yield item

# %% shares-1 wrong: no numbers raises an error
# cause: The sum of no numbers is 0, so for an empty iterable it raises a ValueError instead of returning an empty list.
# line: if total == 0: | raise ValueError("the sum is 0")
def shares(numbers):
    """Return each number's share of the sum, as a list."""
    values = list(numbers)
    total = sum(values)
    if total == 0:
        raise ValueError("the sum is 0")
    return [value / total for value in values]

# %% shares-1 wrong: returns a map object
# cause: It returns a lazy map object instead of a list, so the result is not equal to any list and can be read only once.
# line: return map(
def shares(numbers):
    values = tuple(numbers)
    total = sum(values)
    return map(lambda value: value / total, values)

# %% interleave-1 wrong: reads both into deques
# cause: Both iterables are read to their end before the first item is yielded, so one that is endless or too long for memory never gives anything.
# line: queues = [deque(first), deque(second)]
from collections import deque


def interleave(first, second):
    queues = [deque(first), deque(second)]
    turn = 0
    while queues[0] or queues[1]:
        if queues[turn]:
            yield queues[turn].popleft()
        turn = 1 - turn

# %% take-1 wrong: zero items takes everything
# cause: The count is tested only after an item has been taken and yielded, so with n = 0 it yields all of source.
# line: if n == 0: | for item in source:
def take(source, n):
    for item in source:
        yield item
        n -= 1
        if n == 0:
            return

# %% lazy-1 wrong: prefix tested without its space
# cause: It tests for "ERROR" without the space, so a line like "ERRORS: 3" counts as an error too.
# line: line.startswith("ERROR")
def errors(lines):
    for line in lines:
        if line.startswith("ERROR"):
            yield line.removeprefix("ERROR").strip()

# %% lazy-1 wrong: lstrip eats letters of text
# cause: `lstrip("ERROR ")` removes any of these characters and not the prefix, so a text that begins with E, R or O, like "ERROR Out of disk", loses letters.
# line: line.lstrip("ERROR ")
def errors(lines):
    for line in lines:
        if line.startswith("ERROR "):
            yield line.lstrip("ERROR ").strip()

# %% lazy-1 wrong: strips line before the test
# cause: The line is stripped before it is tested, so an indented line "  ERROR x" counts as an error although it doesn't begin with "ERROR " (and "ERROR \n" no longer counts).
# line: stripped = map(str.strip, lines) | for line in stripped:
def errors(lines):
    """Yield the text of each error line, one at a time."""
    prefix = "ERROR "
    stripped = map(str.strip, lines)
    for line in stripped:
        if line.startswith(prefix):
            yield line[len(prefix):].strip()

# %% interleave-1 wrong: next ends in a RuntimeError
# cause: When second is used up first, next(others) raises StopIteration inside the generator, which comes out as a RuntimeError instead of going on with the rest of first.
# line: yield next(others)
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    others = iter(second)
    for item in first:
        yield item
        yield next(others)
    yield from others

# %% lazy-1 wrong: lstrip used to drop prefix
# cause: lstrip("ERROR ") strips any of these characters, so a text that begins with E, R or O, such as "ERROR Reading failed", loses letters.
# line: line.lstrip("ERROR ")
def errors(lines):
    for line in lines:
        if not line.startswith("ERROR "):
            continue
        text = line.lstrip("ERROR ")
        yield text.strip()

# %% take-1 wrong: StopIteration escapes from the generator
# cause: if source has fewer than n items, next(source) raises StopIteration inside the generator, which becomes a RuntimeError.
# line: yield next(source)
def take(source, n):
    for _ in range(n):
        yield next(source)

# %% lazy-1 right: partition through a lazy map
def errors(lines):
    """Yield the text of each error line, one at a time."""
    pieces = map(lambda line: line.partition("ERROR "), lines)
    for before, mark, text in pieces:
        if mark and not before:
            yield text.strip(" \t\r\n")

# %% take-1 right: map next over a repeat
from itertools import repeat


def take(source, n):
    # When `source` ends, its StopIteration ends the map, and so the yield from.
    yield from map(next, repeat(source, n))

# %% shares-1 right: tee one for the sum
from itertools import tee


def shares(numbers):
    """Return each number's share of the sum, as a list."""
    to_add, to_divide = tee(numbers)
    whole = sum(to_add)
    return [part / whole for part in to_divide]

# %% interleave-1 right: two iterators that swap places
def interleave(first, second):
    nothing = object()
    here, there = iter(first), iter(second)
    while (item := next(here, nothing)) is not nothing:
        yield item
        here, there = there, here
    for item in there:
        yield item

# %% shares-1 right: a dataclass holds the parts
from dataclasses import dataclass, field


@dataclass
class Whole:
    parts: tuple
    total: object = field(init=False)

    def __post_init__(self):
        self.total = sum(self.parts)

    def __iter__(self):
        for part in self.parts:
            yield part / self.total


def shares(numbers):
    return [*Whole(tuple(numbers))]

# %% interleave-1 right: match and swap the iterators
def interleave(first, second):
    """Yield items of `first` and `second` in turn, to the end of both."""
    gone = object()
    turn, other = iter(first), iter(second)
    while True:
        match next(turn, gone):
            case nothing if nothing is gone:
                yield from other
                return
            case item:
                yield item
                turn, other = other, turn

# %% lazy-1 right: partition and structural match
def errors(lines):
    for line in lines:
        match line.partition("ERROR "):
            case "", "ERROR ", text:
                yield text.strip(" \t\r\n")
