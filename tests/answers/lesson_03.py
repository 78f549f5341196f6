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
# yet: it is SOLVED
# cause: a 0 that is sent in counts as false and ends the loop
# line: while number := (yield answer):
def averager():
    total, count, answer = 0, 0, None
    while number := (yield answer):
        total += number
        count += 1
        answer = total / count

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
# yet: it is SOLVED
# cause: an answer of 0 counts as false and is left out
# line: if answer := generator.send(number):
def averages(generator, numbers):
    next(generator)
    answers = []
    for number in numbers:
        if answer := generator.send(number):
            answers.append(answer)
    return answers

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
# yet: it is SOLVED
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
# yet: it is SOLVED
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
