"""Answers to the exercises of lesson 03, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% talk-1 wrong: each answer is what was sent
# cause: takes what is sent in for what is handed out
# line: answers
answers = [1, 5, 6]

# %% talk-1 wrong: one step behind
# cause: takes a for what the first yield handed out, and not for what was sent in
# line: answers
answers = [1, 2, 6]

# %% average-1 wrong: None, then a number, then None again
# cause: there are two yields a round, so every second number that is sent in is lost
# line: yield total / count
def averager():
    """Answer each number sent in with the average of all so far."""
    total = count = 0
    while True:
        total += yield
        count += 1
        yield total / count

# %% average-1 wrong: the average of the last average and the number
# cause: halves the last answer and the new number instead of counting all of them
# line: average = (average + number) / 2
def averager():
    average = None
    while True:
        number = yield average
        if average is None:
            average = number
        else:
            average = (average + number) / 2

# %% average-1 wrong: a mutable default
# cause: the list is made once, so all generators add to the same numbers
# line: def averager(numbers=[]):
def averager(numbers=[]):
    """Answer each number sent in with the average of all so far."""
    answer = None
    while True:
        numbers.append((yield answer))
        answer = sum(numbers) / len(numbers)

# %% average-1 wrong: ends at a zero
# cause: a 0 that is sent in counts as false and ends the loop
# line: while number := (yield answer):
def averager():
    total, count, answer = 0, 0, None
    while number := (yield answer):
        total += number
        count += 1
        answer = total / count

# %% average-1 wrong: two digits
# cause: the average is rounded to two digits, which nobody asked for
# line: round(
def averager():
    """Answer each number sent in with the average of all so far."""
    total, count, average = 0, 0, None
    while True:
        total += yield average
        count += 1
        average = round(total / count, 2)

# %% average-1 wrong: zeros don't count
# cause: a 0 that is sent in is not counted
# line: if number:
def averager():
    numbers, average = [], None
    while True:
        number = yield average
        if number:
            numbers.append(number)
        average = sum(numbers) / len(numbers) if numbers else 0

# %% average-1 right: an inner generator that is handed on
def averager():
    """Answer each number sent in with the average of all so far."""

    def mean(numbers):
        return sum(numbers) / len(numbers) if numbers else None

    numbers = ()
    while True:
        numbers += ((yield mean(numbers)),)

# %% average-1 right: itertools.count
from itertools import count


def averager():
    """Answer each number sent in with the average of all so far."""
    whole = yield
    for numbers in count(1):
        whole += yield whole / numbers

# %% average-1 right: an object that remembers, and match
class Memory:
    def __init__(self):
        self.whole = self.many = 0

    def __call__(self, number):
        self.whole += number
        self.many += 1
        return self.whole / self.many


def averager():
    update, answer = Memory(), None
    while True:
        match (yield answer):
            case number:
                answer = update(number)

# %% average-2 wrong: not primed
# cause: the first thing sent in is a number, and a generator that has not begun takes only None
# line: none | generator.send(number)
def averages(generator, numbers):
    """Prime the generator, send it each number, return its answers."""
    return [generator.send(number) for number in numbers]

# %% average-2 wrong: the priming counted in
# cause: what the priming hands out stands in the list as if it were an answer
# line: answers = [next(generator)]
def averages(generator, numbers):
    answers = [next(generator)]
    for number in numbers:
        answers.append(generator.send(number))
    return answers

# %% average-2 wrong: sends, and then asks
# cause: next sends a None of its own, and the answer of send is thrown away
# line: answers.append(next(generator)) | generator.send(number)
def averages(generator, numbers):
    """Prime the generator, send it each number, return its answers."""
    next(generator)
    answers = []
    for number in numbers:
        generator.send(number)
        answers.append(next(generator))
    return answers

# %% average-2 wrong: leaves out zeros
# cause: an answer of 0 counts as false and is left out
# line: if answer := generator.send(number):
def averages(generator, numbers):
    next(generator)
    answers = []
    for number in numbers:
        if answer := generator.send(number):
            answers.append(answer)
    return answers

# %% average-2 wrong: one answer for each different number
# cause: a number that comes twice has only one answer in the list
# line: {number: generator.send(number) for number in numbers}
def averages(generator, numbers):
    """Prime the generator, send it each number, return its answers."""
    generator.send(None)
    answers = {number: generator.send(number) for number in numbers}
    return list(answers.values())

# %% average-2 wrong: stops at an answer of None
# cause: an answer that is None is taken for the end
# line: iter(lambda:
def averages(generator, numbers):
    next(generator)
    rest = iter(numbers)
    return list(iter(lambda: generator.send(next(rest)), None)) if numbers else []

# %% average-2 wrong: the rest by itself
# cause: it calls itself for the rest of the numbers, and many are too deep for that
# line: return [answer, *answers_of(rest)]
def averages(generator, numbers):
    """Prime the generator, send it each number, return its answers."""

    def answers_of(numbers):
        if not numbers:
            return []
        first, *rest = numbers
        answer = generator.send(first)
        return [answer, *answers_of(rest)]

    next(generator)
    return answers_of(numbers)

# %% average-2 right: primed with send, and unpacked
def averages(generator, numbers):
    """Prime the generator, send it each number, return its answers."""
    generator.send(None)
    return [*map(generator.send, numbers)]

# %% average-2 right: a generator within
def averages(generator, numbers):
    def replies():
        next(generator)
        for number in numbers:
            yield generator.send(number)

    return list(replies())

# %% borrow-1 wrong: no finally
# cause: if the generator is closed or an error is thrown in, the book is not put back
# line: yield book | shelf.append(book)
def borrow(shelf):
    """Hand out the last book of `shelf`, and put it back however this ends."""
    book = shelf.pop()
    yield book
    shelf.append(book)

# %% borrow-1 wrong: only for an Exception
# cause: close raises GeneratorExit, which is no Exception, so the book stays away
# line: except Exception: | shelf.append(book)
def borrow(shelf):
    book = shelf.pop()
    try:
        yield book
    except Exception:
        shelf.append(book)
        raise
    else:
        shelf.append(book)

# %% borrow-1 wrong: keeps the error
# cause: an error that is thrown in is swallowed and does not come out
# line: except Exception: | pass
def borrow(shelf):
    """Hand out the last book of `shelf`, and put it back however this ends."""
    book = shelf.pop()
    try:
        yield book
    except Exception:
        pass
    finally:
        shelf.append(book)

# %% borrow-1 wrong: at the front
# cause: the book is put back at the front and not at the end
# line: shelf.insert(0, book)
def borrow(shelf):
    book = shelf.pop()
    try:
        yield book
    finally:
        shelf.insert(0, book)

# %% borrow-1 wrong: the shelf as it was
# cause: the whole shelf is put back as it was, and what others did to it meanwhile is undone
# line: shelf[:] = before
def borrow(shelf):
    """Hand out the last book of `shelf`, and put it back however this ends."""
    before = list(shelf)
    try:
        yield shelf.pop()
    finally:
        shelf[:] = before

# %% borrow-1 wrong: the errors that one thinks of
# cause: a KeyboardInterrupt is no Exception, so the book is not put back
# line: except (Exception, GeneratorExit): | shelf.append(book)
def borrow(shelf):
    book = shelf.pop()
    try:
        yield book
    except (Exception, GeneratorExit):
        shelf.append(book)
        raise
    else:
        shelf.append(book)

# %% borrow-1 wrong: only a book that counts as true
# cause: a book that is None, 0 or "" is not put back
# line: if book:
def borrow(shelf):
    """Hand out the last book of `shelf`, and put it back however this ends."""
    book = shelf.pop()
    try:
        yield book
    finally:
        if book:
            shelf.append(book)

# %% borrow-1 wrong: takes the book before anybody asked
# cause: the book is taken at the call; a generator that never began doesn't put it back
# line: book = shelf.pop()
def borrow(shelf):
    book = shelf.pop()

    def lend():
        try:
            yield book
        finally:
            shelf.append(book)

    return lend()

# %% borrow-1 wrong: an error of its own
# cause: the error that is thrown in is replaced by another one of the same kind
# line: raise type(error)
def borrow(shelf):
    """Hand out the last book of `shelf`, and put it back however this ends."""
    book = shelf.pop()
    try:
        yield book
    except GeneratorExit:
        pass
    except BaseException as error:
        raise type(error)
    finally:
        shelf.append(book)

# %% borrow-1 right: a contextmanager
from contextlib import contextmanager


@contextmanager
def taken_from(shelf):
    book = shelf.pop()
    try:
        yield book
    finally:
        shelf.append(book)


def borrow(shelf):
    with taken_from(shelf) as book:
        yield book

# %% borrow-1 right: an ExitStack
from contextlib import ExitStack


def borrow(shelf):
    with ExitStack() as afterwards:
        book = shelf.pop()
        afterwards.callback(shelf.append, book)
        yield book

# %% borrow-1 right: a context manager of one's own
class Loan:
    def __init__(self, shelf):
        self.shelf = shelf

    def __enter__(self):
        self.book = self.shelf.pop()
        return self.book

    def __exit__(self, kind, error, trace):
        self.shelf += [self.book]
        return False


def borrow(shelf):
    """Hand out the last book of `shelf`, and put it back however this ends."""
    with Loan(shelf) as book:
        yield book

# %% till-1 wrong: every error is skipped
# cause: other errors are skipped too, and should end it and come out
# line: except Exception:
def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = 0
    while True:
        try:
            total += yield total
        except Exception:
            pass

# %% till-1 wrong: the last number again
# cause: after a ValueError the number of before is added once more
# line: total += number
def till():
    total = number = 0
    while True:
        try:
            number = yield total
        except ValueError:
            pass
        total += number

# %% till-1 wrong: a second yield in the except
# cause: the number that is sent in after a ValueError arrives at this yield and is lost
# line: yield total
def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = answer = 0
    while True:
        try:
            number = yield answer
            answer = total = total + number
        except ValueError:
            yield total

# %% till-1 wrong: the try around the loop
# cause: the first ValueError ends the loop
# line: try: | except ValueError:
def till():
    total = 0
    try:
        while True:
            total += yield total
    except ValueError:
        yield total

# %% till-1 wrong: ends at a zero
# cause: a 0 that is sent in counts as false and ends it
# line: if not price:
def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = 0
    while True:
        try:
            price = yield total
        except ValueError:
            continue
        if not price:
            return
        total += price

# %% till-1 wrong: a TypeError is skipped too
# cause: a TypeError should end it and come out
# line: except (ValueError, TypeError):
def till():
    total = 0
    while True:
        try:
            total += yield total
        except (ValueError, TypeError):
            pass

# %% till-1 wrong: goes on in a till of its own
# cause: it calls itself after each ValueError, and many are too deep for that
# line: yield from till_from(total)
def till_from(total):
    try:
        while True:
            total += yield total
    except ValueError:
        yield from till_from(total)


def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    yield from till_from(0)

# %% till-1 wrong: whole numbers
# cause: a price of 2.5 is cut to 2
# line: int(price)
def till():
    total = 0
    while True:
        try:
            price = yield total
        except ValueError:
            continue
        total += int(price)

# %% till-1 right: suppress
from contextlib import suppress


def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    so_far = 0
    while True:
        with suppress(ValueError):
            so_far += yield so_far

# %% till-1 right: delegates to a listener
def listen(answer):
    try:
        return (yield answer)
    except ValueError:
        return 0


def till():
    total = 0
    while True:
        heard = yield from listen(total)
        total = total + heard

# %% drive-1 wrong: what throw hands out is lost
# cause: throw hands out the next question; it is thrown away and another one is fetched
# line: generator.throw(error)
def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    try:
        question = next(generator)
        while True:
            try:
                answer = find(question)
            except LookupError as error:
                generator.throw(error)
                question = next(generator)
            else:
                question = generator.send(answer)
    except StopIteration as stop:
        return stop.value

# %% drive-1 wrong: only KeyErrors
# cause: an IndexError, or any other LookupError, is not thrown in
# line: except KeyError as error:
def drive(generator, find):
    try:
        question = next(generator)
        while True:
            try:
                answer = find(question)
            except KeyError as error:
                question = generator.throw(error)
            else:
                question = generator.send(answer)
    except StopIteration as stop:
        return stop.value

# %% drive-1 wrong: a new error of its own
# cause: the error that find raised is replaced by a new, empty one
# line: generator.throw(LookupError)
def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    try:
        question = generator.send(None)
        while True:
            try:
                answer = find(question)
            except LookupError:
                question = generator.throw(LookupError)
            else:
                question = generator.send(answer)
    except StopIteration as stop:
        return stop.value

# %% drive-1 wrong: a for loop that sends
# cause: the for asks for the next question, although send has handed it out already
# line: for question in generator: | generator.send(answer)
def drive(generator, find):
    try:
        for question in generator:
            try:
                answer = find(question)
            except LookupError as error:
                generator.throw(error)
            else:
                generator.send(answer)
    except StopIteration as stop:
        return stop.value

# %% drive-1 wrong: every error is thrown in
# cause: only a LookupError should be thrown in; any other error of find comes out
# line: except Exception as error:
def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    try:
        question = next(generator)
        while True:
            try:
                answer = find(question)
            except Exception as error:
                question = generator.throw(error)
            else:
                question = generator.send(answer)
    except StopIteration as stop:
        return stop.value

# %% drive-1 wrong: no answer to an empty question
# cause: a question that counts as false is taken for the end
# line: while question:
def drive(generator, find):
    try:
        question = next(generator)
        while question:
            try:
                answer = find(question)
            except LookupError as error:
                question = generator.throw(error)
            else:
                question = generator.send(answer)
    except StopIteration as stop:
        return stop.value

# %% drive-1 wrong: the rest by itself
# cause: it calls itself for each question, and a long talk is too deep for that
# line: return going_on(
def drive(generator, find):
    """Answer each question of the generator; return what it returns."""

    def going_on(act, what):
        try:
            question = act(what)
        except StopIteration as end:
            return end.value
        try:
            answer = find(question)
        except LookupError as error:
            return going_on(generator.throw, error)
        return going_on(generator.send, answer)

    return going_on(generator.send, None)

# %% drive-1 wrong: remembers the answers
# cause: a question that comes twice is asked once, though its answer may be another one by then
# line: if question not in known:
def drive(generator, find):
    known = {}
    try:
        question = next(generator)
        while True:
            try:
                if question not in known:
                    known[question] = find(question)
            except LookupError as error:
                question = generator.throw(error)
            else:
                question = generator.send(known[question])
    except StopIteration as stop:
        return stop.value

# %% drive-1 right: the next step is a partial
from functools import partial


def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    step = partial(next, generator)
    while True:
        try:
            question = step()
        except StopIteration as end:
            return end.value
        try:
            step = partial(generator.send, find(question))
        except LookupError as trouble:
            step = partial(generator.throw, trouble)

# %% drive-1 right: outcomes and a match
def drive(generator, find):
    def reply(question):
        try:
            return generator.send, find(question)
        except LookupError as error:
            return generator.throw, error

    resume, argument = generator.send, None
    while True:
        match outcome(resume, argument):
            case ("asked", question):
                resume, argument = reply(question)
            case ("ended", value):
                return value


def outcome(resume, argument):
    try:
        return "asked", resume(argument)
    except StopIteration as stop:
        return "ended", stop.value

# %% average-1 wrong: zero is no number
# cause: `if number` skips a 0, which is a number like any other and pulls the average down
# line: if number:
def averager():
    """Answer each number sent in with the average of all so far."""
    total = 0
    count = 0
    average = None
    while True:
        number = yield average
        if number:
            total += number
            count += 1
            average = total / count

# %% average-1 wrong: whole numbers only
# cause: // rounds down; it fits the example, but the average of 1 and 2 is 1.5
# line: average = total // count
def averager():
    """Answer each number sent in with the average of all so far."""
    total = count = 0
    average = None
    while True:
        total += yield average
        count += 1
        average = total // count

# %% average-1 right: A for loop over count
from itertools import count


def averager():
    """Answer each number sent in with the average of all so far."""
    total = yield
    for many in count(1):
        total += yield total / many

# %% average-2 wrong: primes again before each number
# cause: next is called before every number; only the first one primes, each of the others sends a None into the generator as if it were a number
# line: next(generator)
def averages(generator, numbers):
    """Prime the generator, send it each number, return its answers."""
    answers = []
    for number in numbers:
        next(generator)
        answers.append(generator.send(number))
    return answers

# %% average-2 wrong: throws away every falsy answer
# cause: to get rid of what the priming hands out, every false answer is dropped, so an average of 0 is missing from the list
# line: if answer:
from itertools import chain


def averages(generator, numbers):
    """Prime the generator, send it each number, return its answers."""
    answers = []
    for number in chain([None], numbers):  # None primes it
        answer = generator.send(number)
        if answer:
            answers.append(answer)
    return answers

# %% average-2 right: unpack the first answer away
from itertools import chain


def averages(generator, numbers):
    """Prime the generator, send it each number, return its answers."""
    _, *answers = [generator.send(x) for x in chain((None,), numbers)]
    return answers

# %% borrow-1 wrong: only Exception
# cause: close() raises GeneratorExit at the yield, which is no Exception, and so the book is not put back; it needs a finally
# line: except Exception: | shelf.append(book)
def borrow(shelf):
    """Hand out the last book of `shelf`, and put it back however this ends."""
    book = shelf.pop()
    try:
        yield book
    except Exception:
        shelf.append(book)
        raise
    else:
        shelf.append(book)

# %% borrow-1 wrong: A return in the finally
# cause: the return within finally swallows the error that was thrown in; it must come out again
# line: return
def borrow(shelf):
    """Hand out the last book of `shelf`, and put it back however this ends."""
    book = shelf.pop()
    try:
        yield book
    finally:
        shelf.append(book)
        return

# %% borrow-1 right: an exit stack
from contextlib import ExitStack


def borrow(shelf):
    """Hand out the last book of `shelf`, and put it back however this ends."""
    with ExitStack() as back:
        book = shelf.pop()
        back.callback(shelf.append, book)
        yield book

# %% till-1 wrong: answers with a yield of its own
# cause: the yield in the except answers the throw, but the number that is sent in next arrives there and is thrown away
# line: yield total  # the unchanged sum
def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = 0
    while True:
        try:
            total += (yield total)
        except ValueError:
            yield total  # the unchanged sum

# %% till-1 wrong: the try is around the loop
# cause: the try is outside of the loop, so after the first ValueError the loop is left; it goes on in the second loop, which skips no error any more
# line: while True:  # go on | except ValueError: | total += yield total
def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = 0
    try:
        while True:
            total += yield total
    except ValueError:
        while True:  # go on
            total += yield total

# %% till-1 right: suppress, once more
from contextlib import suppress


def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = 0
    while True:
        with suppress(ValueError):
            total += yield total

# %% drive-1 wrong: the answer of throw is lost
# cause: throw already hands out the next question; it is thrown away, and next asks for one more (and sends None as the answer to the lost one)
# line: generator.throw(error) | question = next(generator)  # go on
def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    try:
        question = next(generator)
        while True:
            try:
                answer = find(question)
            except LookupError as error:
                generator.throw(error)
                question = next(generator)  # go on
            else:
                question = generator.send(answer)
    except StopIteration as stop:
        return stop.value

# %% drive-1 right: one try for the end, around all of it
def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    try:
        question = generator.send(None)
        while True:
            try:
                answer = find(question)
            except LookupError as error:
                question = generator.throw(error)
            else:
                question = generator.send(answer)
    except StopIteration as stop:
        return stop.value

# %% drive-1 right: the next step is a function
from functools import partial


def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    step = partial(next, generator)
    while True:
        try:
            question = step()
        except StopIteration as end:
            return end.value
        try:
            step = partial(generator.send, find(question))
        except LookupError as error:
            step = partial(generator.throw, error)

# %% till-1 wrong: the sum begins again
# cause: the sum is set to 0 again after each error
# line: total = 0
def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    while True:
        total = 0
        try:
            while True:
                total += yield total
        except ValueError:
            continue

# %% till-1 wrong: the yield in the handler
# cause: what is sent after an error goes to the yield in the handler, and is lost
# line: yield total
def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = 0
    while True:
        try:
            price = yield total
            total += price
        except ValueError:
            yield total

# %% till-1 wrong: ends at an error
# cause: the try stands around the loop: a ValueError ends it
# line: except ValueError | return
def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = 0
    try:
        while True:
            total += yield total
    except ValueError:
        return

# %% talk-1 wrong: takes what yield hands out for what it gets
# cause: a becomes what was sent in (5), not the 1 that was handed out
# line: answers =
answers = [1, 2, 2]

# %% average-1 wrong: pauses twice for each number
# cause: the number is received at one yield and the average handed out at another, so every second number sent is lost
# line: yield total / count | number = yield
def averager():
    """Answer each number sent in with the average of all so far."""
    total = 0
    count = 0
    while True:
        number = yield
        total += number
        count += 1
        yield total / count

# %% average-1 wrong: whole numbers only, by //
# cause: // cuts the average down to a whole number
# line: sum(seen) // len(seen)
def averager():
    seen = []
    average = None
    while True:
        seen.append((yield average))
        average = sum(seen) // len(seen)

# %% average-1 wrong: a zero does not count
# cause: a 0 that is sent in is taken for nothing and left out of the average
# line: if number:
from typing import Generator


def averager() -> Generator[float | None, float, None]:
    total, count, average = 0, 0, None
    while True:
        number = yield average
        if number:
            total, count = total + number, count + 1
            average = total / count

# %% average-1 right: counts with itertools
from itertools import count


def averager():
    total, answer = 0, None
    for how_many in count(1):
        total += yield answer
        answer = total / how_many

# %% average-1 right: keeps all numbers
def averager():
    """Answer each number sent in with the average of all so far."""
    numbers = [(yield)]
    while True:
        numbers.append((yield sum(numbers) / len(numbers)))

# %% average-2 wrong: not primed, by map
# cause: the generator is never primed, so the first send of a number is a TypeError
# line: map(generator.send, numbers) | none
def averages(generator, numbers):
    return list(map(generator.send, numbers))

# %% average-2 wrong: the primer's answer is in the list
# cause: what the priming hands out (None) is kept as if it were an answer
# line: answers = [next(generator)]
def averages(generator, numbers):
    """Prime the generator, send it each number, return its answers."""
    answers = [next(generator)]
    for number in numbers:
        answers.append(generator.send(number))
    return answers

# %% average-2 wrong: one answer for equal numbers
# cause: the answers are kept by number in a dict, so equal numbers share one answer
# line: {number: generator.send(number) | answers.values()
def averages(generator, numbers):
    generator.send(None)  # prime
    answers = {number: generator.send(number) for number in numbers}
    return list(answers.values())

# %% average-2 right: star and map
def averages(generator, numbers):
    next(generator)
    return [*map(generator.send, numbers)]

# %% borrow-1 wrong: close keeps the book
# cause: close raises GeneratorExit, which is no Exception, so the book is not put back
# line: except Exception:
def borrow(shelf):
    """Hand out the last book of `shelf`, and put it back however this ends."""
    book = shelf.pop()
    try:
        yield book
    except Exception:
        shelf.append(book)
        raise
    else:
        shelf.append(book)

# %% borrow-1 wrong: the error is only printed
# cause: an error thrown in is caught and printed, and does not come out again
# line: except Exception as error: | print("returned early
def borrow(shelf):
    book = shelf.pop()
    try:
        yield book
    except Exception as error:
        print("returned early:", error)
    finally:
        shelf.append(book)

# %% borrow-1 wrong: removes the first such book
# cause: remove takes away the first equal book, not the last one on the shelf
# line: shelf.remove(book)
def borrow(shelf: list):
    book = shelf[-1]
    shelf.remove(book)
    try:
        yield book
    finally:
        shelf.append(book)

# %% borrow-1 right: an exit stack and its callback
from contextlib import ExitStack


def borrow(shelf):
    with ExitStack() as stack:
        book = shelf.pop()
        stack.callback(shelf.append, book)
        yield book

# %% borrow-1 right: catches everything and raises it again
def borrow(shelf):
    book = shelf[-1]
    del shelf[-1]
    try:
        yield book
    except BaseException:
        shelf.append(book)
        raise
    shelf.append(book)

# %% till-1 wrong: adds the previous number again
# cause: after a skipped label the code goes on to the addition, with the number from before
# line: pass | total += number
def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = 0
    number = 0
    while True:
        try:
            number = yield total
        except ValueError:
            pass  # skip this label
        total += number

# %% till-1 wrong: hands out the sum twice after a bad label
# cause: the handler yields too, and the number that is sent to that yield is lost
# line: yield total  # unchanged
def till():
    total = 0
    while True:
        try:
            number = yield total
        except ValueError:
            yield total  # unchanged
        else:
            total += number

# %% till-1 wrong: skips every error
# cause: every Exception is skipped, not only a ValueError
# line: suppress(Exception)
from contextlib import suppress


def till():
    amount = 0
    while True:
        with suppress(Exception):
            amount += yield amount

# %% till-1 right: suppresses
import contextlib


def till():
    amount = 0
    while True:
        with contextlib.suppress(ValueError):
            amount += yield amount

# %% till-1 right: a list and a helper generator
def _next_price(total):
    try:
        return (yield total)
    except ValueError:
        return 0


def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    prices = []
    while True:
        prices.append((yield from _next_price(sum(prices))))

# %% drive-1 wrong: forgets the question that throw returns
# cause: throw resumes the generator too and returns its next question, which is lost, and the generator gets a None for it
# line: generator.throw(error) | question = next(generator)  # on
def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    try:
        question = next(generator)
        while True:
            try:
                answer = find(question)
            except LookupError as error:
                generator.throw(error)
                question = next(generator)  # on
            else:
                question = generator.send(answer)
    except StopIteration as stop:
        return stop.value

# %% drive-1 wrong: does not see an end that follows a throw
# cause: when the generator returns after a thrown error, its StopIteration leaves drive
# line: question = generator.throw(missing)
def drive(generator, find):
    try:
        question = generator.send(None)
    except StopIteration as stop:
        return stop.value

    while True:
        try:
            answer = find(question)
        except LookupError as missing:
            question = generator.throw(missing)
            continue
        try:
            question = generator.send(answer)
        except StopIteration as stop:
            return stop.value

# %% drive-1 wrong: throws every error in
# cause: any error of find is thrown into the generator, not only a LookupError
# line: except Exception as problem:
from functools import partial


def drive(generator, find):
    def reply(question):
        try:
            return partial(generator.send, find(question))
        except Exception as problem:
            return partial(generator.throw, problem)

    step = partial(generator.send, None)
    while True:
        try:
            question = step()
        except StopIteration as end:
            return end.value
        step = reply(question)

# %% drive-1 right: chooses the next step first
def drive(generator, find):
    method, argument = generator.send, None
    while True:
        try:
            question = method(argument)
        except StopIteration as end:
            return end.value
        try:
            method, argument = generator.send, find(question)
        except LookupError as error:
            method, argument = generator.throw, error

# %% drive-1 right: one try around all
def drive(generator, find):
    try:
        question = next(generator)
        while True:
            try:
                answer = find(question)
            except LookupError as error:
                question = generator.throw(error)
            else:
                question = generator.send(answer)
    except StopIteration as stop:
        return stop.value

# %% average-1 wrong: a list as default
# cause: the default list is shared by all averagers, so a second one goes on with the numbers of the first
# line: def averager(numbers=[])
def averager(numbers=[]):
    """Answer each number sent in with the average of all so far."""
    average = None
    while True:
        number = yield average
        numbers.append(number)
        average = sum(numbers) / len(numbers)

# %% average-1 wrong: ends at zero
# cause: when 0 is sent the loop's condition is false and the generator ends instead of answering
# line: while number := (yield average)
def averager():
    """Answer each number sent in with the average of all so far."""
    total = count = 0
    average = None
    while number := (yield average):
        total += number
        count += 1
        average = total / count

# %% average-1 right: count and yield in a sum
from itertools import count


def averager():
    """Answer each number sent in with the average of all so far."""
    total, answer = 0, None
    for how_many in count(1):
        total += yield answer
        answer = total / how_many

# %% average-2 wrong: filters out the empty answer
# cause: filter(None, ...) is to remove the None of the priming, but removes averages of 0 as well
# line: list(filter(None, answers)) | answers = [next(generator)]
def averages(generator, numbers):
    """Prime the generator, send it each number, return its answers."""
    answers = [next(generator)]
    for number in numbers:
        answers.append(generator.send(number))
    return list(filter(None, answers))

# %% average-2 wrong: answers by number
# cause: a number that comes twice is one key of the dict, so only its last answer is kept, at the place of the first
# line: {number: generator.send(number) for number in numbers} | return list(answers.values())
def averages(generator, numbers):
    """Prime the generator, send it each number, return its answers."""
    generator.send(None)
    answers = {number: generator.send(number) for number in numbers}
    return list(answers.values())

# %% average-2 right: the priming None in front of the numbers
from itertools import chain


def averages(generator, numbers):
    """Prime the generator, send it each number, return its answers."""
    _, *answers = map(generator.send, chain([None], numbers))
    return answers

# %% borrow-1 wrong: puts the old list back
# cause: the shelf is reset to what it was at the start, so books that others took or brought in between come back or are lost
# line: shelf[:] = before | before = list(shelf)
def borrow(shelf):
    """Hand out the last book of `shelf`, and put it back however this ends."""
    before = list(shelf)
    book = shelf.pop()
    try:
        yield book
    finally:
        shelf[:] = before

# %% borrow-1 wrong: two kinds of errors listed
# cause: after a KeyboardInterrupt or SystemExit, which are no Exception, the book is not put back
# line: except (Exception, GeneratorExit):
def borrow(shelf):
    """Hand out the last book of `shelf`, and put it back however this ends."""
    book = shelf.pop()
    try:
        yield book
    except (Exception, GeneratorExit):
        shelf.append(book)
        raise
    else:
        shelf.append(book)

# %% borrow-1 right: an exit stack, again
from contextlib import ExitStack


def borrow(shelf):
    """Hand out the last book of `shelf`, and put it back however this ends."""
    with ExitStack() as stack:
        book = shelf.pop()
        stack.callback(shelf.append, book)
        yield book

# %% till-1 wrong: a second yield for the skipped
# cause: what is sent in after a skipped label arrives at the yield in the except branch, where it is dropped
# line: yield total  # unchanged
def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = 0
    while True:
        try:
            amount = yield total
            total += amount
        except ValueError:
            yield total  # unchanged

# %% till-1 wrong: adds the last number once more
# cause: after a ValueError the number of the time before is added again, and there is none if the error comes first
# line: total += number | pass
def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = 0
    while True:
        try:
            number = yield total
        except ValueError:
            pass
        total += number

# %% till-1 right: suppress, again
from contextlib import suppress


def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = 0
    while True:
        with suppress(ValueError):
            total += yield total

# %% drive-1 wrong: only one miss in a row
# cause: if the question that the generator asks after a throw has no answer either, the second LookupError is not thrown in but comes out
# line: answer = find(question)  # the next one
def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    try:
        question = next(generator)
        while True:
            try:
                answer = find(question)
            except LookupError as error:
                question = generator.throw(error)
                answer = find(question)  # the next one
            question = generator.send(answer)
    except StopIteration as end:
        return end.value

# %% drive-1 wrong: throws a new error
# cause: a new LookupError is thrown in, not the one that find raised, so a generator that catches KeyError misses it
# line: generator.throw(LookupError(*error.args))
def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    try:
        question = generator.send(None)
        while True:
            try:
                answer = find(question)
            except LookupError as error:
                question = generator.throw(LookupError(*error.args))
            else:
                question = generator.send(answer)
    except StopIteration as end:
        return end.value

# %% drive-1 right: the next step as a partial
from functools import partial


def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    step = partial(generator.send, None)
    while True:
        try:
            question = step()
        except StopIteration as end:
            return end.value
        try:
            step = partial(generator.send, find(question))
        except LookupError as error:
            step = partial(generator.throw, error)

# %% average-1 wrong: the list in the default argument
# cause: the default list is made once, so that a second averager goes on with the numbers of the first
# line: def averager(
def averager(numbers=[]):
    answer = None
    while True:
        numbers.append((yield answer))
        answer = sum(numbers) / len(numbers)

# %% average-1 wrong: whole numbers only, again
# cause: the division rounds down, so that the average of 1 and 2 is 1
# line: average = total // count
def averager():
    total = count = 0
    average = None
    while True:
        total += yield average
        count += 1
        average = total // count

# %% average-1 right: a for loop that counts
import itertools


def averager():
    total, average = 0, None
    for count in itertools.count(1):
        number = yield average
        total += number
        average = total / count

# %% average-2 wrong: primes when it must and forgets the number
# cause: the first number is refused by the unprimed generator and never sent again
# line: next(generator)
def averages(generator, numbers):
    answers = []
    for number in numbers:
        try:
            answers.append(generator.send(number))
        except TypeError:
            next(generator)
    return answers

# %% average-2 wrong: answers in a dict by number
# cause: a number that comes twice has only one answer in the dict, the last one
# line: answers[number] = generator.send(number)
def averages(generator, numbers):
    generator.send(None)
    answers = {}
    for number in numbers:
        answers[number] = generator.send(number)
    return list(answers.values())

# %% average-2 right: map over the bound method
def averages(generator, numbers):
    generator.send(None)
    return list(map(generator.send, numbers))

# %% borrow-1 wrong: a close is no Exception
# cause: close raises GeneratorExit, which is no Exception and not caught, so that the book is not put back
# line: except Exception:
def borrow(shelf):
    book = shelf.pop()
    try:
        yield book
    except Exception:
        shelf.append(book)
        raise
    else:
        shelf.append(book)

# %% borrow-1 wrong: puts it on a new list
# cause: the plus makes a new list and binds the local name to it; the list of the caller never gets the book back
# line: shelf = shelf + [book]
def borrow(shelf):
    book = shelf.pop()
    try:
        yield book
    finally:
        shelf = shelf + [book]

# %% borrow-1 right: an exit stack, again
from contextlib import ExitStack


def borrow(shelf):
    with ExitStack() as stack:
        book = shelf.pop()
        stack.callback(shelf.append, book)
        yield book

# %% till-1 wrong: asks again without a net
# cause: a second ValueError right after the first one arrives at the yield in the except block and ends the till
# line: # ask again
def till():
    total = 0
    while True:
        try:
            number = yield total
        except ValueError:
            number = yield total  # ask again
        total += number

# %% till-1 wrong: ends quietly on other errors
# cause: any other error only ends the generator, it is swallowed and does not come out
# line: return | except Exception as error:
def till():
    total = 0
    while True:
        try:
            number = yield total
        except Exception as error:
            if isinstance(error, ValueError):
                continue
            return
        total += number

# %% till-1 right: suppress, again
from contextlib import suppress


def till():
    total = 0
    while True:
        with suppress(ValueError):
            number = yield total
            total = total + number

# %% drive-1 wrong: takes None for no answer
# cause: None is an answer as any other, but here a LookupError is thrown in instead of sending it
# line: if answer is None: | raise LookupError(question)
def drive(generator, find):
    try:
        question = next(generator)
        while True:
            try:
                answer = find(question)
                if answer is None:
                    raise LookupError(question)
            except LookupError as error:
                question = generator.throw(error)
            else:
                question = generator.send(answer)
    except StopIteration as stop:
        return stop.value

# %% drive-1 wrong: returns only after a send
# cause: when the generator catches the thrown error and returns, the StopIteration of throw is not caught and its value is lost
# line: question = generator.throw(error)
def drive(generator, find):
    try:
        question = generator.send(None)
    except StopIteration as stop:
        return stop.value
    while True:
        try:
            answer = find(question)
        except LookupError as error:
            question = generator.throw(error)
            continue
        try:
            question = generator.send(answer)
        except StopIteration as stop:
            return stop.value

# %% drive-1 wrong: throws an error of its own
# cause: a new LookupError is thrown in, not the error (say, a KeyError) that find raised
# line: question = generator.throw(LookupError(question))
def drive(generator, find):
    try:
        question = next(generator)
        while True:
            try:
                answer = find(question)
            except LookupError:
                question = generator.throw(LookupError(question))
            else:
                question = generator.send(answer)
    except StopIteration as stop:
        return stop.value

# %% drive-1 right: the next step as a partial, again
from functools import partial


def drive(generator, find):
    step = partial(generator.send, None)
    while True:
        try:
            question = step()
        except StopIteration as stop:
            return stop.value
        try:
            step = partial(generator.send, find(question))
        except LookupError as error:
            step = partial(generator.throw, error)

# %% average-1 wrong: hands out 0 first
# cause: the first next hands out the start value of average, 0, and None is asked for
# line: average = 0 | number = yield average
def averager():
    """Answer each number sent in with the average of all so far."""
    total = 0
    count = 0
    average = 0
    while True:
        number = yield average
        total += number
        count += 1
        average = total / count

# %% till-1 wrong: other errors vanish
# cause: every other error is caught and answered by return, so it doesn't come out
# line: except BaseException: | return
def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = 0
    while True:
        try:
            total += yield total
        except ValueError:
            continue
        except BaseException:
            return

# %% drive-1 wrong: sends the error
# cause: send makes the exception the value of the yield; only throw raises it there
# line: answer = error | except LookupError as error: | question = generator.send(answer)
def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    answer = None
    while True:
        try:
            question = generator.send(answer)
        except StopIteration as end:
            return end.value
        try:
            answer = find(question)
        except LookupError as error:
            answer = error

# %% average-1 wrong: all averagers share one list
# cause: the list of numbers belongs to the module, so a second averager goes on with the numbers of the first
# line: numbers = [] | numbers.append((yield answer))
numbers = []


def averager():
    answer = None
    while True:
        numbers.append((yield answer))
        answer = sum(numbers) / len(numbers)

# %% average-2 wrong: primes before each number
# cause: next stands in the loop, so before the second number the generator gets a None that is no number
# line: next(generator)
def averages(generator, numbers):
    def ask(number):
        next(generator)
        return generator.send(number)

    return [ask(number) for number in numbers]

# %% average-1 wrong: function attributes
# cause: the numbers are kept on the function, which all averagers share
# line: averager.numbers
def averager():
    averager.numbers = getattr(averager, "numbers", [])
    answer = None
    while True:
        averager.numbers.append((yield answer))
        answer = sum(averager.numbers) / len(averager.numbers)

# %% average-1 wrong: primes with 0
# cause: the first next gives 0 instead of None
# line: average = 0
def averager():
    """Answer each number sent in with the average of all so far."""
    average = 0
    total = count = 0.0
    while True:
        number = yield average
        total += number
        count += 1
        average = total / count

# %% average-2 wrong: last answer only
# cause: returns the last answer, not the list
# line: return
def averages(generator, numbers):
    next(generator)
    for number in numbers:
        answer = generator.send(number)
    return answer

# %% average-2 wrong: map not listed
# cause: map sends nothing until somebody asks it
# line: map
def averages(generator, numbers):
    next(generator)
    return map(generator.send, numbers)

# %% average-2 wrong: sends the list
# cause: sends the list of numbers as if it were one number
# line: generator.send(numbers)
def averages(generator, numbers):
    next(generator)
    return [generator.send(numbers)]

# %% average-2 wrong: a None before the numbers
# cause: what the priming gives back is in the list too, so there is one answer too many
# line: return [generator.send(value) for value in [None, *numbers]]
def averages(generator, numbers):
    """Prime the generator, send it each number, return its answers."""
    return [generator.send(value) for value in [None, *numbers]]

# %% borrow-1 wrong: loops and lends all
# cause: a loop takes the book off again
# line: while shelf
def borrow(shelf):
    while shelf:
        book = shelf.pop()
        try:
            yield book
        finally:
            shelf.append(book)

# %% till-1 wrong: bad label sets to zero
# cause: a bad label sets the sum to 0
# line: total = 0
def till():
    total = 0
    while True:
        try:
            total += yield total
        except ValueError:
            total = 0

# %% drive-1 wrong: closes after an error
# cause: closes the generator where it should throw the error in
# line: generator.close()
def drive(generator, find):
    try:
        question = next(generator)
        while True:
            try:
                answer = find(question)
            except LookupError:
                generator.close()
                return None
            question = generator.send(answer)
    except StopIteration as end:
        return end.value

# %% drive-1 wrong: what throw returns is lost
# cause: throw returns the next question; here it is thrown away, and the old question is asked again.
# line: generator.throw(problem)
def drive(generator, find):
    try:
        question = generator.send(None)
        while True:
            try:
                answer = find(question)
            except LookupError as problem:
                generator.throw(problem)
            else:
                question = generator.send(answer)
    except StopIteration as end:
        return end.value

# %% average-2 wrong: drops answers that are zero
# cause: The answer is tested for truth, so an average of 0 (after 0, or after 5 and -5) is left out of the list.
# line: if answer := generator.send(number):
def averages(generator, numbers):
    answers = []
    next(generator)
    for number in numbers:
        if answer := generator.send(number):
            answers.append(answer)
    return answers

# %% till-1 wrong: extra yield after a ValueError
# cause: The except hands out the sum with a yield of its own, and the number that is sent to this yield is lost.
# line: except ValueError: | _ = yield total
def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = 0
    while True:
        try:
            number = yield total
            total += number
        except ValueError:
            _ = yield total

# %% average-1 wrong: numbers kept in a global list
# cause: The list is made once for the module, so a second averager() goes on with the numbers of the first.
# line: numbers = []
numbers = []


def averager():
    """Answer each number sent in with the average of all so far."""
    number = yield
    while True:
        numbers.append(number)
        number = yield sum(numbers) / len(numbers)

# %% borrow-1 wrong: except Exception misses close
# cause: close raises GeneratorExit, which is no Exception, so neither the except nor the else runs and the book isn't put back.
# line: except Exception:
def borrow(shelf):
    book = shelf.pop()
    try:
        yield book
    except Exception:
        shelf.append(book)
        raise
    else:
        shelf.append(book)

# %% drive-1 wrong: A new error is thrown
# cause: It throws a new LookupError that it makes itself, not the error that find raised, so a generator with `except KeyError` does not catch it and the original arguments are lost.
# line: LookupError(f"no answer
def drive(generator, find):
    step = generator.send
    value = None
    while True:
        try:
            question = step(value)
        except StopIteration as end:
            return end.value

        try:
            value = find(question)
            step = generator.send
        except LookupError:
            value = LookupError(f"no answer to {question!r}")
            step = generator.throw

# %% till-1 wrong: starts a new sum afterwards
# cause: The sum lives in the inner generator, which the ValueError ends, so after a skipped label the new one hands out 0 instead of the unchanged sum.
# line: total = 0 | yield from adding() | except ValueError:
def adding():
    total = 0
    while True:
        total += yield total


def till():
    while True:
        try:
            yield from adding()
        except ValueError:
            continue

# %% drive-1 wrong: One failure stays for ever
# cause: `failure` is never reset, so after one LookupError that the generator catches, every later question gets that old error instead of its answer.
# line: failure = None | failure = error | if failure is None
def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    failure = None
    try:
        question = next(generator)
        while True:
            try:
                answer = find(question)
            except LookupError as error:
                failure = error
            if failure is None:
                question = generator.send(answer)
            else:
                question = generator.throw(failure)
    except StopIteration as stop:
        return stop.value

# %% average-1 wrong: a zero ends the loop
# cause: The loop tests whether the number is true, so send(0) ends the generator with StopIteration instead of giving an average.
# line: while number := (yield average)
def averager():
    """Answer each number sent in with the average of all so far."""
    average, total, count = None, 0, 0
    while number := (yield average):
        total, count = total + number, count + 1
        average = total / count

# %% average-2 wrong: answers of 0 are dropped
# cause: Only true answers are kept, so an average of 0 (for a 0, or for 5 and -5) is missing from the list.
# line: if answer := generator.send(number)
def averages(generator, numbers):
    """Prime the generator, send it each number, return its answers."""
    generator.send(None)
    results = []
    for number in numbers:
        if answer := generator.send(number):
            results.append(answer)
    return results

# %% borrow-1 wrong: exit method swallows the error
# cause: __exit__ returns True, so an error thrown in does not come out again but ends in StopIteration.
# line: return True
class _Loan:
    def __init__(self, shelf):
        self.shelf = shelf

    def __enter__(self):
        self.book = self.shelf.pop()
        return self.book

    def __exit__(self, exc_type, exc, tb):
        self.shelf.append(self.book)
        return True


def borrow(shelf):
    """Hand out the last book of `shelf`, and put it back however this ends."""
    with _Loan(shelf) as book:
        yield book

# %% average-1 wrong: decorator has primed it already
# cause: The decorator primes the generator, so the caller's first next sends None as a number and ends in a TypeError instead of giving None.
# line: @primed | next(generator)
from functools import wraps


def primed(function):
    @wraps(function)
    def start(*args, **kwargs):
        generator = function(*args, **kwargs)
        next(generator)
        return generator
    return start


@primed
def averager():
    """Answer each number sent in with the average of all so far."""
    total, count = 0, 0
    answer = None
    while True:
        total += yield answer
        count += 1
        answer = total / count

# %% average-2 wrong: appends before it sends
# cause: The previous answer is appended before the number is sent, so the list begins with the None of the priming and lacks the answer to the last number.
# line: results.append(answer) | answer = generator.send(n)
def averages(generator, numbers):
    results = []
    answer = next(generator)
    for n in numbers:
        results.append(answer)
        answer = generator.send(n)
    return results

# %% till-1 wrong: second bad label in a row
# cause: The yield in the except branch is not inside a try, so when two ValueErrors are thrown in one after the other the second one comes out and ends the generator.
# line: number = (yield so_far) | except ValueError:
def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    so_far = 0
    while True:
        try:
            number = yield so_far
        except ValueError:
            number = (yield so_far)
        so_far += number

# %% drive-1 wrong: old error is thrown again
# cause: `problem` is never set back to None, so after one LookupError that the generator caught, every later question gets that old error instead of its answer.
# line: answer = find(question) | question = generator.throw(problem) | problem = exc | none
def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    answer = None
    problem = None
    while True:
        try:
            if problem is not None:
                question = generator.throw(problem)
            else:
                question = generator.send(answer)
        except StopIteration as stop:
            return stop.value
        try:
            answer = find(question)
        except LookupError as exc:
            problem = exc

# %% drive-1 wrong: End after throw not handled
# cause: if the generator catches the thrown LookupError and then returns, throw raises StopIteration outside of any try, so it leaks out of drive instead of the value being returned.
# line: q = generator.throw(err)
def drive(generator, find):
    try:
        q = generator.send(None)
    except StopIteration as stop:
        return stop.value
    while True:
        try:
            reply = find(q)
        except LookupError as err:
            q = generator.throw(err)
            continue
        try:
            q = generator.send(reply)
        except StopIteration as stop:
            return stop.value

# %% drive-1 wrong: The question after throw lost
# cause: throw returns the generator's next question, which is dropped here, and next() then answers that question with None; it shows when the generator catches the LookupError and asks on.
# line: generator.throw(error) | question = next(generator)  # go on
def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    try:
        question = next(generator)
        while True:
            try:
                answer = find(question)
            except LookupError as error:
                generator.throw(error)
                question = next(generator)  # go on
            else:
                question = generator.send(answer)
    except StopIteration as stop:
        return stop.value

# %% average-1 right: the loop counts with itertools
from itertools import count


def averager():
    """Answer each number sent in with the average of all so far."""
    total, answer = 0, None
    for how_many in count(1):
        number = yield answer
        total += number
        answer = total / how_many

# %% average-2 right: chain None before the numbers
from itertools import chain


def averages(generator, numbers):
    _, *answers = [generator.send(what) for what in chain((None,), numbers)]
    return answers

# %% till-1 right: context manager skips unreadable labels
class _SkipUnreadable:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return isinstance(error, ValueError)


def till():
    total = 0
    skipping = _SkipUnreadable()
    while True:
        number = 0
        with skipping:
            number = yield total
        total += number

# %% borrow-1 wrong: back to its old index
# cause: the book goes back to the index where it was, which is not the end if another book was put on the shelf meanwhile
# line: shelf.insert(index, book)
def borrow(shelf):
    index = len(shelf) - 1
    book = shelf.pop(index)
    try:
        yield book
    finally:
        shelf.insert(index, book)

# %% average-1 right: an inbox feeding an iterator pipeline
from collections import deque
from itertools import accumulate, count
from operator import truediv


def averager():
    inbox = deque()
    arrivals = iter(inbox.popleft, object())
    answers = map(truediv, accumulate(arrivals), count(1))
    inbox.append((yield))
    while True:
        inbox.append((yield next(answers)))

# %% average-2 right: reduce collects the answers
from functools import reduce


def averages(generator, numbers):
    """Prime the generator, send it each number, return its answers."""
    def step(answers, number):
        answers.append(generator.send(number))
        return answers

    generator.send(None)
    return reduce(step, numbers, [])

# %% borrow-1 right: ExitStack with a callback
from contextlib import ExitStack


def borrow(shelf):
    with ExitStack() as duties:
        book = shelf.pop()
        duties.callback(shelf.append, book)
        yield book

# %% till-1 right: own context manager swallows ValueError
class Unreadable:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return isinstance(error, ValueError)


def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = 0
    while True:
        price = 0
        with Unreadable():
            price = yield total
        total += price

# %% till-1 wrong: skips Decimal's error as well
# cause: an InvalidOperation (no ValueError) that is thrown in is skipped, and has to come out
# line: except (ValueError, InvalidOperation):
from decimal import InvalidOperation


def till():
    """Add up what is sent in; skip a ValueError that is thrown in."""
    total = 0
    while True:
        try:
            number = yield total
        except (ValueError, InvalidOperation):
            continue
        total += number

# %% drive-1 right: next step as a methodcaller
from operator import methodcaller


def _reply(find, question):
    try:
        return methodcaller("send", find(question))
    except LookupError as error:
        return methodcaller("throw", error)


def drive(generator, find):
    """Answer each question of the generator; return what it returns."""
    step = methodcaller("send", None)
    while True:
        try:
            question = step(generator)
        except StopIteration as end:
            return end.value
        step = _reply(find, question)
