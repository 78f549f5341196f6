"""Long, for an answer can reach the wrong question, or none, in many ways."""

import ast
import contextlib

from helpers.basics.words import count
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_constant
from helpers.coach.mistakes.words import error_words
from helpers.eventloop.sockets import recv
from helpers.eventloop.tasks import Future, sleep

from .shared import pair, patiently, play, start_task


class Deliver(Exercise):
    """One reader for all

    Several tasks have asked something over the same connection. Each waits for a future of its
    own, which the dict `waiting` holds under the number of its question, as bytes. The answers
    come as lines, such as `b"7 tea"`: the number, a space, the answer. They come in any order,
    at most one to each question. New questions may be asked at any time.

    Write `deliver(next_line, waiting)`, the one task that reads. It gives each answer to the
    future that waits for it. When the other side hangs up, each future that still waits gets a
    ConnectionError, and `deliver` returns.

    `await next_line()` gives a line without its newline, and `b""` at the end of the stream.
    """

    id = "deliver-1"
    asks = "deliver"
    minutes, clock, limit = 10, "real", 4.0
    hints = (
        "A line says which question it answers. "
        '`line.partition(b" ")` gives number, space, answer.',
        "`waiting[number]` is the future. A future is set once: `waiting.pop(number)` takes it "
        "out, so that those that are left still wait.",
        "After the loop, `future.set_exception(ConnectionError(...))` for each that is left.",
    )

    def verify(self, deliver, lab):
        lab.told("with questions 1 to 5, and answers to 3, 1 and 2")
        try:
            play(lab, lambda loop: self._answers(lab, loop, deliver), lab.await_of("next_line"))
        except (KeyError, ValueError) as error:
            if isinstance(error, KeyError) and any(str(one).isdigit() for one in error.args):
                raise Wrong(
                    "raised",
                    f"It raised KeyError: {error}. `waiting` has the keys b'1' to b'5'.",
                    lab.text.of_traceback(error),
                    "A number stays bytes, as it came in its line.",
                    headline="raised KeyError",
                    at="raises it",
                ) from None
            if error.args != (b"",) and "not enough values" not in str(error):
                raise
            raise Wrong(
                "end of stream",
                '`next_line` gave b"", for the other side had hung up. It was taken for an answer, '
                f"which raised {type(error).__name__}: {error}.",
                _asking_for_the_end(lab) or lab.text.of_traceback(error),
                'b"" is the end of the stream, and it is bytes: neither None nor "". '
                "Leave the loop.",
                headline="missed the end",
            ) from None

        lab.told("with question 12 alone, and the line b'12 tea' came")
        with contextlib.suppress(KeyError):  # no other number was asked
            got = play(lab, lambda loop: self._alone(lab, loop, deliver), lab.await_of("next_line"))
            if got == b"tea":
                return
        if cut := _cut_at_a_number(lab):
            raise Wrong(
                "value",
                "Its future did not get b'tea'.",
                cut,
                "A number may have two digits, or more. It ends where the space is: "
                '`line.partition(b" ")`.',
                headline="took a part of the number",
            )

    async def _alone(self, lab, loop, deliver):
        future, lines = Future(), iter([b"12 tea"])

        async def next_line():
            await sleep(0)
            return next(lines, b"")

        await start_task(lab, loop, deliver, next_line, {b"12": future})
        return _came_to(future)

    async def _answers(self, lab, loop, deliver):
        here, there = pair()
        futures = {str(number).encode(): Future() for number in range(1, 6)}
        buffer = bytearray()

        async def next_line():
            while b"\n" not in buffer:
                data = await recv(here, 100)
                if not data:
                    return b""
                buffer.extend(data)
            line, _, rest = bytes(buffer).partition(b"\n")
            buffer[:] = rest
            return line

        with here:
            reader = start_task(lab, loop, deliver, next_line, dict(futures))
            with there:
                there.sendall(b"3 jam\n")
                await patiently(lambda: futures[b"3"].done() or reader.done())
                self._first(lab, futures, reader)
                there.sendall(b"1 tea\n2 cake and cream\n")
                await patiently(lambda: futures[b"2"].done() or reader.done())
            ended = await patiently(reader.done)
            if reader.done():
                await self._end(lab, reader, futures)
            self._last(lab, futures, ended)

    async def _end(self, lab, reader, futures):
        try:
            await reader
        except ConnectionError as error:
            left = [future for future in futures.values() if not future.done()]
            if not left:
                raise
            raise Wrong(
                "raised",
                f"When the stream had ended it raised {error_words(error)}. "
                f"{count(len(left), 'future')} had no answer, and nobody who awaits one was told.",
                lab.text.of_traceback(error),
                "The error is for those who wait for an answer. Give it to the future of each: "
                "`future.set_exception(error)`.",
                headline="raised the error itself",
                at="lets the error out",
            ) from None
        except RuntimeError as error:
            if "has its result already" not in str(error):
                raise
            raise Wrong(
                "done twice",
                "That raised RuntimeError: a future that had its answer was set once more.",
                lab.item_of("waiting") or lab.call_of("set_exception"),
                "Take each one out when its answer comes, `waiting.pop(number)`, and only "
                "those are left that still wait.",
                headline="set a future twice",
            ) from None

    def _first(self, lab, futures, reader):
        done = [number for number, future in futures.items() if future.done()]
        if reader.done() and reader.error is not None:
            reader.result()  # raises it; nobody need be told again that it went unheard
        failed = [number for number in done if futures[number].error is not None]
        if failed and len(done) > 1:
            raise Wrong(
                "lost items",
                f"One answer came, to question 3, and {len(failed)} futures got an error.",
                lab.call_of("set_exception"),
                "More answers are to come. Only when the stream has ended do those that are left "
                "get the error.",
                headline="gave up too early",
            )
        if len(done) > 1:
            raise Wrong(
                "wake-up",
                f"One answer came, to question 3, and {len(done)} futures were set.",
                lab.call_of("set_result"),
                "Only one of them asked this. The number says which.",
                headline="told everybody",
            )
        if done and done != [b"3"]:
            raise Wrong(
                "wake-up",
                "The answer to question 3 came first, and the "
                f"future of question {done[0].decode()} was set.",
                lab.call_of("set_result"),
                "Answers come in any order. The number says whom one is for.",
                headline="gave it to the wrong one",
            )
        if not done:
            raise Wrong(
                "wake-up",
                "The answer to question 3 had come, and its future "
                "was not set. More answers were to come later.",
                lab.await_of("next_line"),
                "Hand on each line as it comes, not all of them at the end. Its number is a key "
                "of `waiting` as it came: as bytes.",
                headline="handed nothing on",
            )
        lab.equal(
            futures[b"3"].result(),
            b"jam",
            what="the future of question 3 got",
            line=lab.call_of("decode", "str"),
        )

    def _last(self, lab, futures, ended):
        for number, answer in ((b"1", b"tea"), (b"2", b"cake and cream")):
            if not futures[number].done():
                raise Wrong(
                    "stopped early",
                    f"The answer to question {number.decode()} had "
                    "come, and its future was not set.",
                    lab.await_of("next_line"),
                    "Read until the end of the stream.",
                    headline="stopped too early",
                )
            if futures[number].error is None:
                got, cut = futures[number].result(), lab.call_of("split", "rsplit")
                if cut and got in answer.split() and got != answer:
                    raise Wrong(
                        "lost items",
                        f"The answer to question {number.decode()} was {answer!r}, and its future "
                        f"got {got!r}.",
                        cut,
                        "An answer may have spaces in it. Cut at the first one alone: "
                        '`line.split(b" ", 1)`, or `line.partition(b" ")`.',
                        headline="delivered one word of several",
                    )
                lab.equal(
                    futures[number].result(),
                    answer,
                    what=f"the future of question {number.decode()} got",
                )
            else:
                raise Wrong(
                    "lost items",
                    f"Question {number.decode()} was answered, and its future got an error.",
                    lab.call_of("set_exception"),
                    "Only those get the error whose answer never came.",
                    headline="lost answers",
                )
        left = futures[b"4"]
        if left.done() != futures[b"5"].done():
            raise Wrong(
                "wake-up",
                "The other side hung up, and questions 4 and 5 were never answered. Only one of "
                "their futures was set.",
                lab.call_of("set_exception"),
                "Give each of those that are left an error: that takes a loop.",
                headline="left somebody waiting",
                at="is reached for one of them alone",
            )
        if not left.done():
            raise Wrong(
                "wake-up",
                "The other side hung up, and question 4 was "
                "never answered. Its future was not set: whoever awaits it waits for "
                "ever.",
                lab.await_of("next_line"),
                "Give those that are left an error: `future.set_exception(...)`.",
                headline="left somebody waiting",
            )
        if left.error is None:
            raise Wrong(
                "error for a result",
                f"Question 4 was never answered, and its future got {left.value!r}.",
                lab.call_of("set_result", given="*Error") or lab.call_of("set_result", given=None),
                "No answer is an error: `future.set_exception(ConnectionError(...))`.",
                headline="gave a value for an error",
            )
        error = left.error() if isinstance(left.error, type) else left.error  # `raise` takes both
        if not isinstance(error, ConnectionError):
            raise Wrong(
                "another error",
                f"The future of question 4 got {left.error!r}.",
                lab.call_of("set_exception"),
                "Asked is a ConnectionError.",
            )
        if not ended:
            raise Wrong(
                "end of stream",
                "The other side had hung up, and it still waited.",
                lab.await_of(),
                'Look for b"", the end of the stream.',
                headline="waits for ever",
            )

    @sweep(
        lambda some: {
            "answers": some.dictionaries(
                some.sampled_from((b"1", b"12", b"2", b"0", b"x")),
                some.sampled_from((b"tea", b"", b" ", b"cake and  cream", b"12", b" 1 ", None)),
                max_size=4,
            ),
            "late": some.booleans(),
        },
        besides=[
            {"answers": {str(number).encode(): b"tea" for number in range(1100)}, "late": False}
        ],
        most=40,
    )
    def any_answers(self, deliver, lab, answers, late):
        lines = [number + b" " + words for number, words in answers.items() if words is not None]
        lab.told(_story(list(answers), late, lines))
        futures = {number: Future() for number in answers}

        async def scene(loop):
            rest = iter(lines)
            asked = dict(sorted(futures.items()))
            to_come = [list(answers)[-1]] if late and answers else []
            for number in to_come:
                del asked[number]

            async def next_line():
                await sleep(0)
                while to_come:
                    number = to_come.pop()
                    asked[number] = futures[number]
                return next(rest, b"")

            await start_task(lab, loop, deliver, next_line, asked)

        last = list(answers)[-1:] if late else []
        try:
            play(lab, scene, lab.await_of("next_line"))
        except KeyError as error:
            if [*error.args] == last:
                self._look_for_a_copy(lab, last)
            raise
        if [number for number, future in futures.items() if not future.done()] == last:
            self._look_for_a_copy(lab, last)
            self._look_for_an_end(lab, last)
        return {f"the future of question {each!r} got": _came_to(futures[each]) for each in answers}

    def _look_for_a_copy(self, lab, late):
        """Raise Wrong if those who wait are copied before a line is read. late: the number of the
        question that was asked after that, if there was one.
        """
        copy = lab.copying("waiting")
        if late and copy and lab.earliest(copy, lab.use_of("next_line")) == copy:
            raise Wrong(
                "wake-up",
                f"The future of question {late[0]!r} was never set: whoever awaits it waits for "
                "ever.",
                copy,
                "Questions that are asked later come into `waiting`, and into no copy of it. Look "
                "there when a line has come.",
                headline="left somebody waiting",
                at="makes a copy",
            )

    def _look_for_an_end(self, lab, late):
        """Raise Wrong if it ends when nobody waits, though somebody asked later."""
        if late and (head := lab.while_loop("waiting")):
            raise Wrong(
                "stopped early",
                f"The future of question {late[0]!r} was never set: it was asked when nobody else "
                "waited, and `deliver` had ended.",
                head,
                "A new question may come into `waiting` at any time. The end is when `next_line` "
                'gives b"".',
            )

    @right
    async def takes_each_out(next_line, waiting):
        """Give each answer to the future that waits for it, and the rest an error."""
        while line := await next_line():
            number, blank, answer = line.partition(b" ")
            waiting.pop(number).set_result(answer)
        for future in waiting.values():
            future.set_exception(ConnectionError("the other side hung up"))

    @right
    async def asks_who_is_done(next_line, waiting):
        while True:
            line = await next_line()
            if line == b"":
                break
            number, answer = line.split(b" ", 1)
            waiting[number].set_result(answer)
        for future in waiting.values():
            if not future.done():
                future.set_exception(ConnectionError())

    @wrong("wake-up", says="any order")
    async def in_the_order_of_asking(next_line, waiting):
        for future in waiting.values():
            line = await next_line()
            future.set_result(line.partition(b" ")[2])

    @wrong("wake-up", says="The number says which")
    async def tells_all(next_line, waiting):
        while line := await next_line():
            for future in waiting.values():
                future.set_result(line.partition(b" ")[2])

    @wrong("done twice", says="waiting.pop(number)")
    async def tells_those_who_have_heard(next_line, waiting):
        while line := await next_line():
            number, blank, answer = line.partition(b" ")
            waiting[number].set_result(answer)
        for future in waiting.values():
            future.set_exception(ConnectionError())

    @wrong("wake-up", says="set_exception")
    async def forgets_the_rest(next_line, waiting):
        while line := await next_line():
            number, blank, answer = line.partition(b" ")
            waiting[number].set_result(answer)

    @wrong("wake-up", says="for ever")
    async def raises_it_here(next_line, waiting):
        try:
            while line := await next_line():
                number, blank, answer = line.partition(b" ")
                waiting.pop(number).set_result(answer)
            if waiting:
                raise ConnectionError("the other side hung up")
        except ConnectionError as error:
            print(error)

    @wrong("wake-up", says="as it comes")
    async def collects_first(next_line, waiting):
        answers = {}
        while line := await next_line():
            number, blank, answer = line.partition(b" ")
            answers[number] = answer
        for number, future in waiting.items():
            if number in answers:
                future.set_result(answers[number])
            else:
                future.set_exception(ConnectionError())

    @wrong("wake-up", says="asked later")
    async def looks_at_a_copy(next_line, waiting):
        futures = dict(waiting)
        while line := await next_line():
            number, blank, answer = line.partition(b" ")
            futures.pop(number).set_result(answer)
        for future in futures.values():
            future.set_exception(ConnectionError())

    one_digit = takes_each_out.but(
        'number, blank, answer = line.partition(b" ")',
        "number, answer = line[:1], line[2:]",
        kind="value",
        says="two digits",
    )

    @wrong("error for a result", says="No answer is an error")
    async def sets_none(next_line, waiting):
        while line := await next_line():
            number, blank, answer = line.partition(b" ")
            waiting.pop(number).set_result(answer)
        for future in waiting.values():
            future.set_result(None)


def _story(numbers, late, lines):
    """What was asked, and which lines came, in words."""
    *first, last = numbers if late and numbers else (*numbers, None)
    asked = f"with questions {first[:8]}" if first else "with no question yet"
    if last is not None:
        asked += f"; question {last!r} was asked later"
    if len(lines) > 8:
        return f"{asked}, and a line came for each of {len(lines):,}"
    if len(lines) > 1:
        return f"{asked}, and these lines came: {lines}"
    return f"{asked}, and {f'the line {lines[0]!r}' if lines else 'no line'} came"


def _cut_at_a_number(lab):
    """The line that cuts something at a place which is a plain number."""
    cuts = [node for node in lab.nodes() if isinstance(node, ast.Slice)]
    ends = [end for cut in cuts for end in (cut.lower, cut.upper)]
    return lab.earliest(*(end.lineno for end in ends if isinstance(end, ast.Constant)))


def _asking_for_the_end(lab):
    """The line that asks for another end than b"", for "" or None; if there is one."""
    return lab.earliest(
        *(
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.Compare)
            and any(is_constant(one, "") or is_constant(one, None) for one in node.comparators)
        )
    )


def _came_to(future):
    """What a future has come to, as a sweep compares it; all kinds of ConnectionError are one."""
    if not future.done():
        return "nothing yet"
    if future.error is None:
        return future.value
    error = future.error() if isinstance(future.error, type) else future.error
    return ConnectionError if isinstance(error, ConnectionError) else error
