"""Exercises of lesson 03: values, errors and the end go into a generator."""

from inspect import getgeneratorstate, isgenerator

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value


class PredictTalk(Exercise):
    """Predict a conversation

    Read this program, and do not run it.

        def talk():
            a = yield 1
            b = yield a + 1
            yield a * b

        t = talk()
        answers = [t.send(None), t.send(5), t.send(6)]

    Set `answers` to the list of three numbers.
    """

    id = "talk-1"
    asks = "answers"
    minutes = 3
    hints = (
        "Draw two lines, one for the caller and one for `talk`, and an arrow for each value.",
        "The first `send` reaches `yield 1` and gets the 1. At which `yield` does the 5 go in?",
        "The 5 becomes the value of `yield 1`, so `a` is 5. Then `talk` runs to the next `yield`.",
    )
    right_values = ([1, 6, 30], (1, 6, 30))
    wrong_values = (
        wrong_value(
            [1, 5, 6],
            "an echo",
            "You let each send give back what was sent. It gives back what the next "
            "`yield` hands out, and that is a new number here.",
        ),
        wrong_value(
            [1, 1, 6],
            "one yield too early",
            "You let `send(5)` be answered by the `yield` that takes the 5. It is answered "
            "by the one after that.",
        ),
        wrong_value(
            [None, 1, 6],
            "one yield too early",
            "You let the first `send` give nothing. It runs to the first `yield`, and that "
            "hands out a 1 at once.",
        ),
        wrong_value(
            [None, 6, 30],
            "priming gives nothing",
            "The first `send` carries nothing in, but something comes out: what the first "
            "`yield` hands out.",
        ),
        wrong_value(
            [1, 2, 2],
            "the value handed out",
            "You gave `a` the 1. The value of `yield 1` is not 1: that goes out. Its value "
            "is what is sent in.",
        ),
    )


class Averager(Exercise):
    """A running average

    Write a generator function `averager()`. Its generator is primed with `next`, and hands out
    None. From then on each number that is sent in is answered by the average of all numbers so
    far: 10 is answered by 10, then 20 by 15, then 30 by 20.
    """

    id = "average-1"
    asks = "averager"
    minutes = 6
    hints = (
        "One `yield` is enough: it hands out the last average and takes the next number.",
        "`number = yield average`, inside `while True`. What must be kept between two numbers?",
        "Begin with `total, count, average = 0, 0, None`. In the loop: take a number, add it to "
        "`total`, count it, work out `average`.",
    )

    def verify(self, averager, lab):
        talk = lab.generator(lab.call(averager))
        lab.equal(self._send(lab, talk, None), None, what="primed, it handed out")
        got = [self._send(lab, talk, number) for number in (10, 20, 30, 5)]
        self._name(lab, got)
        one, other = averager(), averager()
        next(one), next(other)
        one.send(100)
        if other.send(10) != 10:
            raise Wrong(
                "share one memory",
                "I made two averagers and sent 100 to the first. The second was sent only "
                "a 10, and its answer was not 10.",
                lab.line(r"def \w+\(.*=|\bglobal\b|\bnonlocal\b"),
                "Keep the numbers in names of the generator's own frame.",
            )

    def _send(self, lab, talk, value):
        try:
            return talk.send(value)
        except StopIteration:
            raise Wrong(
                "ended too early",
                f"I sent {value!r}, and the generator ended.",
                lab.line(r"^\s*return\b") or lab.line(r"\byield\b"),
                "There may always be one more number: go round a `while True`, and answer "
                "with `yield`, for a `return` ends the generator.",
            ) from None

    def _name(self, lab, got):
        expected = [10, 15, 20, 16.25]
        if got == [None] * 4:
            raise Wrong(
                "hands out nothing",
                f"I sent 10, 20, 30 and 5. The answers were {got}.",
                lab.line(r"\byield\b"),
                "What `print` shows, the caller does not get. The average has to stand "
                "to the right of the `yield`.",
            )
        if got[1] is None:
            raise Wrong(
                "two yields for one send",
                f"I sent 10, 20, 30 and 5. The answers were {got}. Every second number "
                "was taken by a `yield` that throws it away.",
                lab.line(r"^\s*yield\b"),
                "Each `yield` pauses, and each pause takes one `send`. Let a single "
                "`yield` hand out and take in.",
            )
        if got[:2] == [10, 15] and got[2] != 20:
            raise Wrong(
                "halves each time",
                f"I sent 10, 20, 30 and 5. The answers were {got}.",
                lab.line(r"/ ?2"),
                "The mean of the last average and the new number weighs the newest one "
                "most. Keep the sum of all, and how many there are.",
            )
        if got[1:] == expected[:3]:
            raise Wrong(
                "one answer late",
                f"I sent 10, 20, 30 and 5. The answers were {got}: each belongs to the "
                "number before.",
                lab.line(r"\byield\b"),
                "Take the number in first, then work out the average, then reach `yield`.",
            )
        lab.equal(got, expected, what="to 10, 20, 30 and 5 it answered")

    @right
    def with_sum_and_count():
        """Answer each number sent in with the average of all so far."""
        total, count, average = 0, 0, None
        while True:
            number = yield average
            total += number
            count += 1
            average = total / count

    @right
    def with_a_list():
        numbers, average = [], None
        while True:
            numbers.append((yield average))
            average = sum(numbers) / len(numbers)

    @wrong("two yields for one send", says="throws it away")
    def takes_and_hands_out_apart():
        total, count = 0, 0
        while True:
            number = yield
            total += number
            count += 1
            yield total / count

    @wrong("halves each time", says="weighs the newest one")
    def mean_of_two():
        average = yield
        while True:
            number = yield average
            average = (average + number) / 2

    @wrong("one answer late", says="the number before")
    def works_it_out_before_it_takes():
        numbers, average = [], None
        while True:
            number = yield average
            if numbers:
                average = sum(numbers) / len(numbers)
            numbers.append(number)

    @wrong("ended too early", says="I sent 20")
    def without_a_loop():
        number = yield
        yield number

    @wrong("ended too early", says="`return` ends")
    def with_return():
        numbers = []
        while True:
            numbers.append((yield))
            return sum(numbers) / len(numbers)

    @wrong("hands out nothing", says="the caller does not get")
    def prints_the_average():
        total, count = 0, 0
        while True:
            total += yield
            count += 1
            print(total / count)

    @wrong("value", says="16]; asked is [10, 15, 20, 16.25]")
    def rounds_down():
        total, count, average = 0, 0, None
        while True:
            total += yield average
            count += 1
            average = total // count

    @wrong("value", says="Primed, it handed out 0")
    def begins_with_zero():
        total, count, average = 0, 0, 0
        while True:
            total += yield average
            count += 1
            average = total / count

    @wrong("share one memory", says="two averagers")
    def with_a_default(numbers=[]):
        average = None
        while True:
            numbers.append((yield average))
            average = sum(numbers) / len(numbers)

    @wrong("not a generator", says="NoneType")
    def that_prints():
        print("no yield")


class Averages(Exercise):
    """Send them all

    Write an ordinary function `averages(generator, numbers)`. `generator` is one that answers each
    number sent in, such as a new `averager()`. Nobody has primed it. Send it every number, and
    return the list of its answers, one for each number.
    """

    id = "average-2"
    asks = "averages"
    minutes = 5
    hints = (
        "Where does a new generator stand? Can a value arrive there?",
        "Prime it once, before the first number. What that hands out answers no number.",
        "`next(generator)`, then `return [generator.send(number) for number in numbers]`.",
    )

    def verify(self, averages, lab):
        heard = []
        generator = lab.generator(listener(heard))
        got = averages(generator, [10, 20, 60])
        if isgenerator(got):
            raise Wrong(
                "not a list",
                "It returned a generator, and none of its lines has run.",
                lab.line(r"\byield\b|^\s*return \("),
                "A list is asked for: gather the answers, and `return` them.",
            )
        if None in heard:
            raise Wrong(
                "sent nothing",
                f"The generator heard {heard}. `next` sends None, and so does a `for` loop.",
                # The priming stands less deep, or alone on its line.
                lab.line(
                    r"^\s{8,}.*\bnext\(|\bnext\(.*\bfor\b"
                    r"|\bfor\b.*\bin generator\b"
                ),
                "After the priming, each number has to go in with `send`.",
            )
        if heard == [20, 60]:
            raise Wrong(
                "lost the first number",
                "The generator heard 20 and 60. The 10 never arrived.",
                lab.line(r"\[1:\]|\bnext\("),
                "Priming carries no number: the first `send` has to bring the first one.",
            )
        lab.equal(heard, [10, 20, 60], what="the generator heard")
        if isinstance(got, (list, tuple)) and list(got[:1]) == ["ready"]:
            raise Wrong(
                "kept the priming's answer",
                f"It returned {got}: four answers to three numbers.",
                lab.line(r"\bnext\(|send\(None"),
                "What the priming hands out answers no number. Leave it out.",
            )
        lab.equal(got, ["answer to 10", "answer to 20", "answer to 60"])
        lab.equal(averages(listener([]), []), [], what="for no numbers it returned")

    @right
    def primes_with_next(generator, numbers):
        """Prime the generator, send it each number, return its answers."""
        next(generator)
        return [generator.send(number) for number in numbers]

    @right
    def primes_with_none(generator, numbers):
        generator.send(None)
        answers = []
        for number in numbers:
            answers.append(generator.send(number))
        return answers

    @wrong("unprimed", says="just-started")
    def sends_at_once(generator, numbers):
        return [generator.send(number) for number in numbers]

    @wrong("kept the priming's answer", says="four answers")
    def keeps_the_first_answer(generator, numbers):
        answers = [next(generator)]
        for number in numbers:
            answers.append(generator.send(number))
        return answers

    @wrong("sent nothing", says="None")
    def asks_with_next(generator, numbers):
        next(generator)
        return [next(generator) for number in numbers]

    @wrong("sent nothing", says="None")
    def primes_every_time(generator, numbers):
        answers = []
        for number in numbers:
            next(generator)
            answers.append(generator.send(number))
        return answers

    @wrong("sent nothing", says="append(next(generator))")
    def asks_for_each_answer(generator, numbers):
        next(generator)
        answers = []
        for number in numbers:
            generator.send(number)
            answers.append(next(generator))
        return answers

    @wrong("not a list", says="none of its lines")
    def yields_the_answers(generator, numbers):
        next(generator)
        for number in numbers:
            yield generator.send(number)

    @wrong("lost the first number", says="The 10 never arrived")
    def takes_priming_for_the_first(generator, numbers):
        answers = [next(generator)]
        for number in numbers[1:]:
            answers.append(generator.send(number))
        return answers


def listener(heard):
    """A generator that notes what is sent in, and answers it."""
    answer = "ready"
    while True:
        number = yield answer
        heard.append(number)
        answer = f"answer to {number}"


class Borrow(Exercise):
    """Give it back

    Write a generator function `borrow(shelf)`: it takes the last book off the list `shelf`, hands
    it out, and puts it back at the end of the list when the generator goes on. The book must be
    back *however* the generator ends: asked again, closed, or with an error thrown in. Such an
    error must come out again.
    """

    id = "borrow-1"
    asks = "borrow"
    minutes = 6
    hints = (
        "What runs in a generator that is closed at its `yield`? Not the line below.",
        "The line that puts the book back belongs into a `finally`.",
        "Take the book; `try:` hand it out with `yield`; `finally:` put it back.",
    )

    def verify(self, borrow, lab):
        self._end(lab, borrow, "I asked it again", lambda reader: next(reader, None))
        self._end(lab, borrow, "I closed it", lambda reader: reader.close())
        reader = self._end(lab, borrow, "I threw a KeyError in", self._throw)
        if reader != "KeyError came out":
            raise Wrong(
                "swallowed the error",
                "I threw a KeyError in, and it did not come out. Whoever threw it believes "
                "that all is well.",
                lab.line(r"^\s*except\b|^\s*return\b"),
                "A plain `finally`, without a `return` in it, puts the book back and lets "
                "the error pass.",
            )

    def _throw(self, reader):
        try:
            reader.throw(KeyError("torn page"))
        except KeyError:
            return "KeyError came out"
        except StopIteration:
            return "it ended"

    def _end(self, lab, borrow, what, end):
        shelf = ["atlas", "novel"]
        reader = lab.generator(lab.call(borrow, shelf))
        lab.equal(next(reader, None), "novel", what="it handed out")
        if shelf != ["atlas"]:
            raise Wrong(
                "gave it back too early",
                f"While the book was out, the shelf held {shelf}.",
                lab.line(r"\byield\b"),
                "Whoever holds the book holds it until the generator goes on.",
            )
        came = end(reader)
        if shelf == ["atlas"]:
            raise Wrong(
                "no finally" if not lab.line(r"\bfinally\b") else "not given back",
                f"{what} while the book was out, and the shelf still held {shelf}.",
                lab.line(r"append\(|insert\(|\+="),
                (
                    "Nothing was thrown in, so no `except` ran."
                    if what == "I asked it again"
                    else "An error goes in at the `yield`, and skips the lines below. "
                    "GeneratorExit, which `close` throws, is no Exception."
                )
                + " Only a `finally` runs however it ends.",
            )
        if len(shelf) > 2:
            raise Wrong(
                "gave it back twice",
                f"{what}. Then the shelf held {shelf}.",
                lab.line(r"append\(|insert\(|\+="),
                "One place is enough: the `finally`.",
            )
        lab.equal(shelf, ["atlas", "novel"], what=f"{what}; then the shelf held")
        return came

    @right
    def with_finally(shelf):
        """Hand out the last book of `shelf`, and put it back however this ends."""
        book = shelf.pop()
        try:
            yield book
        finally:
            shelf.append(book)

    @right
    def with_two_ways_out(shelf):
        book = shelf.pop()
        try:
            yield book
        except BaseException:
            shelf.append(book)
            raise
        else:
            shelf.append(book)

    @wrong("no finally", says="I closed it")
    def puts_it_back_below(shelf):
        book = shelf.pop()
        yield book
        shelf.append(book)

    @wrong("no finally", says="GeneratorExit")
    def catches_exceptions(shelf):
        book = shelf.pop()
        try:
            yield book
        except Exception:
            shelf.append(book)
            raise
        else:
            shelf.append(book)

    @wrong("swallowed the error", says="did not come out")
    def catches_everything(shelf):
        book = shelf.pop()
        try:
            yield book
        except BaseException:
            pass
        shelf.append(book)

    @wrong("no finally", says="no `except` ran")
    def only_after_an_error(shelf):
        book = shelf.pop()
        try:
            yield book
        except:
            shelf.append(book)
            raise

    @wrong("swallowed the error", says="without a `return`")
    def returns_from_finally(shelf):
        book = shelf.pop()
        try:
            yield book
        finally:
            shelf.append(book)
            return

    @wrong("gave it back too early", says="While the book was out")
    def puts_it_back_first(shelf):
        book = shelf[-1]
        try:
            yield book
        finally:
            pass

    @wrong("gave it back twice", says="['atlas', 'novel', 'novel']")
    def puts_it_back_in_two_places(shelf):
        book = shelf.pop()
        try:
            yield book
            shelf.append(book)
        finally:
            shelf.append(book)


class Till(Exercise):
    """Skip what cannot be read

    Write a generator function `till()`. Primed, it hands out 0. Each number sent in is added, and
    the answer is the sum so far.

    A `throw(ValueError(…))` means that a label could not be read: `till` skips it, answers with
    the unchanged sum, and goes on. Every other error ends it and comes out. `close()` ends it
    without a word.
    """

    id = "till-1"
    asks = "till"
    minutes = 6
    hints = (
        "The error is raised at the `yield`. Where must the `try` stand, so that the loop goes on "
        "afterwards?",
        "Inside the `while`: `try`, take a number; `except ValueError`, go round again.",
        "Name only ValueError. A bare `except` catches the GeneratorExit of `close` as well.",
    )

    def verify(self, till, lab):
        talk = lab.generator(lab.call(till))
        lab.equal(next(talk), 0, what="primed, it handed out")
        lab.equal(talk.send(3), 3, what="to 3 it answered")
        self._skip(lab, talk)
        lab.equal(talk.send(4), 7, what="to 3, an error and 4 it answered")
        self._close(lab, talk)
        talk = lab.generator(lab.call(till))
        next(talk)
        try:
            answer = talk.throw(KeyError("drawer"))
        except (KeyError, StopIteration) as error:
            if isinstance(error, KeyError):
                return
            answer = "StopIteration"
        raise Wrong(
            "caught too much",
            f"I threw a KeyError in. It should come out, and the answer was {answer}.",
            lab.line(r"^\s*except\b"),
            "Catch ValueError alone.",
        )

    def _skip(self, lab, talk):
        try:
            got = talk.throw(ValueError("unreadable"))
        except ValueError:
            raise Wrong(
                "let the error through",
                "I threw a ValueError in. It came out again, and the generator is closed.",
                lab.line(r"\byield\b"),
                "Catch it around the `yield`, inside the loop.",
            ) from None
        except StopIteration:
            raise Wrong(
                "ended at the first error",
                "I threw a ValueError in, and the generator ended.",
                lab.line(r"^\s*except\b"),
                "After the error the loop has to go round again. Put the `try` inside "
                "the loop, around the `yield`, and let its `except` end nothing.",
            ) from None
        lab.equal(got, 3, what="to 3 and an error it answered")

    def _close(self, lab, talk):
        try:
            talk.close()
        except RuntimeError as error:
            if "ignored GeneratorExit" not in str(error):
                raise
            raise Wrong(
                "ignored close",
                f"I closed it, and it handed out another value: {error}.",
                lab.line(r"except\s*:|BaseException|GeneratorExit"),
            ) from None
        if getgeneratorstate(talk) != "GEN_CLOSED":
            raise Wrong("ignored close", "I closed it, and it went on.")

    @right
    def with_try_inside():
        """Add up what is sent in; skip a ValueError that is thrown in."""
        total = 0
        while True:
            try:
                total += yield total
            except ValueError:
                pass

    @right
    def with_continue():
        total = 0
        while True:
            try:
                price = yield total
            except ValueError:
                continue
            total += price

    @wrong("ignored close", says="generator ignored GeneratorExit")
    def with_a_bare_except():
        total = 0
        while True:
            try:
                total += yield total
            except:
                pass

    @wrong("ignored close", says="I closed it")
    def names_the_exit_too():
        total = 0
        while True:
            try:
                total += yield total
            except (ValueError, GeneratorExit):
                continue

    @wrong("caught too much", says="KeyError")
    def with_exception():
        total = 0
        while True:
            try:
                total += yield total
            except Exception:
                pass

    @wrong("ended at the first error", says="the generator ended")
    def with_try_outside():
        total = 0
        try:
            while True:
                total += yield total
        except ValueError:
            pass

    @wrong("ended at the first error", says="let its `except` end nothing")
    def returns_at_the_error():
        total = 0
        while True:
            try:
                total += yield total
            except ValueError:
                return

    @wrong("let the error through", says="came out again")
    def without_try():
        total = 0
        while True:
            total += yield total

    @wrong("value", says="To 3 and an error it answered 0")
    def begins_anew():
        total = 0
        while True:
            try:
                total += yield total
            except ValueError:
                total = 0


class Drive(Exercise):
    """A driver

    Write an ordinary function `drive(generator, find)`. The generator hands out questions; for
    each of them `find(question)` returns the answer, which goes back in with `send`. When the
    generator ends, `drive` returns the generator's return value.

    If `find` raises a LookupError, throw that error into the generator instead. It may know what
    to do.
    """

    id = "drive-1"
    asks = "drive"
    minutes = 9
    hints = (
        "Four things can happen: a question comes, an answer is found, none is found, the "
        "generator ends. Which line meets each of them?",
        "`throw` gives back the next question, exactly as `send` does. The end is a StopIteration, "
        "whichever of `next`, `send` and `throw` meets it.",
        "Outer `try`: `question = next(generator)`, then `while True:` with an inner `try` around "
        "`find`, its `except LookupError as error:` with `generator.throw(error)`, its `else:` "
        "with `generator.send(answer)`. Outer `except StopIteration as end: return end.value`.",
    )

    def verify(self, drive, lab):
        heard = []
        self._case(lab, drive, shopper(heard), "enough")
        if heard == ["price", "purse"]:
            raise Wrong(
                "sent the question back",
                "The generator asked for the price and was sent 'price'.",
                lab.line(r"send\("),
                "What goes in is the answer: `find(question)`.",
            )
        lab.equal(heard, [4, 10], what="the generator heard")
        self._case(lab, drive, asks_nothing(), "nothing to ask", "asks nothing")
        self._case(lab, drive, says_nothing(), None, "returns nothing")
        self._case(lab, drive, careful(), "did without", "asks for what nobody has")
        try:
            got = drive(lab.generator(careless()), find)
        except LookupError:
            return
        raise Wrong(
            "swallowed the error",
            f"A generator did not catch the LookupError. It should come out of `drive`, "
            f"which returned {got!r}.",
            lab.line(r"^\s*except\b"),
            "What leaves the generator must reach whoever called `drive`.",
        )

    def _case(self, lab, drive, generator, expected, which="asks two questions"):
        talk = lab.generator(generator)
        try:
            got = drive(talk, find)
        except StopIteration as end:
            raise Wrong(
                "let StopIteration out",
                f"A generator that {which} came to its end, and `drive` raised "
                f"StopIteration({end.value!r}).",
                lab.line(
                    {asks_nothing.__code__: r"\bnext\(", careful.__code__: r"\bthrow\("}.get(
                        generator.gi_code, r"\bsend\("
                    )
                ),
                "Each of `next`, `send` and `throw` can meet the end. Catch it there.",
            ) from None
        except LookupError as error:
            if isinstance(error, IndexError):
                raise Wrong(
                    "args is empty",
                    f"A generator that {which} came to its end, and `drive` raised "
                    f"{type(error).__name__}.",
                    lab.line(r"args\["),
                    "A bare `return` leaves `args` empty. `value` is always there.",
                ) from None
            raise Wrong(
                "kept the error from the generator",
                f"`find` raised {type(error).__name__}, and `drive` let it out. The "
                "generator would have caught it.",
                lab.line(r"\bfind\("),
                "Catch the LookupError around `find`, and `generator.throw(error)`.",
            ) from None
        if got is None and expected is not None:
            raise Wrong(
                "lost the return value",
                f"The generator returned {expected!r}, and `drive` returned None.",
                lab.line(r"StopIteration|\bfor\b"),
                "The return value is the `value` of the StopIteration.",
            )
        lab.equal(got, expected, what=f"for a generator that {which} it returned")

    @right
    def with_two_tries(generator, find):
        """Answer each question of the generator; return what it returns."""
        try:
            question = next(generator)
            while True:
                try:
                    answer = find(question)
                except LookupError as error:
                    question = generator.throw(error)
                else:
                    question = generator.send(answer)
        except StopIteration as end:
            return end.value

    @right
    def with_one_step(generator, find):
        act, what = generator.send, None
        while True:
            try:
                question = act(what)
            except StopIteration as end:
                return end.value
            try:
                act, what = generator.send, find(question)
            except LookupError as error:
                act, what = generator.throw, error

    @wrong("lost the return value", says="returned 'enough'")
    def forgets_the_value(generator, find):
        try:
            question = next(generator)
            while True:
                try:
                    answer = find(question)
                except LookupError as error:
                    question = generator.throw(error)
                else:
                    question = generator.send(answer)
        except StopIteration:
            return None

    @wrong("args is empty", says="IndexError")
    def with_args(generator, find):
        try:
            question = next(generator)
            while True:
                try:
                    answer = find(question)
                except LookupError as error:
                    question = generator.throw(error)
                else:
                    question = generator.send(answer)
        except StopIteration as end:
            return end.args[0]

    @wrong("kept the error from the generator", says="`find` raised LookupError")
    def without_throw(generator, find):
        try:
            question = next(generator)
            while True:
                question = generator.send(find(question))
        except StopIteration as end:
            return end.value

    @wrong("let StopIteration out", says="asks nothing")
    def primes_outside_the_try(generator, find):
        question = next(generator)
        try:
            while True:
                try:
                    answer = find(question)
                except LookupError as error:
                    question = generator.throw(error)
                else:
                    question = generator.send(answer)
        except StopIteration as end:
            return end.value

    @wrong("let StopIteration out", says="asks two questions")
    def without_except(generator, find):
        question = next(generator)
        while True:
            question = generator.send(find(question))

    @wrong("let StopIteration out", says="question = generator.throw(error)")
    def throws_outside_the_try(generator, find):
        act = next
        while True:
            try:
                question = act(generator)
                answer = find(question)
                act = lambda generator, answer=answer: generator.send(answer)
            except LookupError as error:
                question = generator.throw(error)
            except StopIteration as end:
                return end.value

    @wrong("sent the question back", says="was sent 'price'")
    def echoes(generator, find):
        try:
            question = next(generator)
            while True:
                question = generator.send(question)
        except StopIteration as end:
            return end.value

    @wrong("swallowed the error", says="It should come out of `drive`")
    def swallows_what_it_throws(generator, find):
        try:
            question = next(generator)
            while True:
                try:
                    question = generator.send(find(question))
                except LookupError as error:
                    question = generator.throw(error)
        except StopIteration as end:
            return end.value
        except LookupError:
            return None


def find(question):
    known = {"price": 4, "purse": 10}
    if question not in known:
        raise LookupError(f"nobody knows the {question}")
    return known[question]


def shopper(heard):
    price = yield "price"
    heard.append(price)
    purse = yield "purse"
    heard.append(purse)
    return "enough"


def asks_nothing():
    return "nothing to ask"
    yield


def says_nothing():
    yield "price"


def careful():
    try:
        yield "umbrella"
    except LookupError:
        return "did without"


def careless():
    yield "umbrella"
    return "lucky"
