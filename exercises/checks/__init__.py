'''What each exercise asks, and how an answer is judged: a file an exercise, in the lesson's order.

`lesson_NN/k_id.py` holds the exercise `id`, the k-th of its lesson (01, 02, … where there are ten).
A file is found by its name and read alone, so the name must bear the very id. What several
exercises of a lesson use stands once, in `lesson_NN/shared.py`: `from .shared import …`. Besides, a
file imports from `helpers.coach`, `helpers.basics.words` (for what its messages say), the standard
library, and what its programs need.

A file holds one class: the statement, the hints, the right programs and the wrong ones side by
side. The tests run every right program (it must pass), the stub (it must be NOT STARTED), every
wrong one (it must be told its very mistake) and mechanical mutants of the right ones (none may
pass). Four complete files:

    # lesson_10/1_overlap-1.py
    import asyncio

    from helpers.coach import Exercise, right, wrong


    class FetchAll(Exercise):
        """Fetch every page at once

        `fetch(url)` is a coroutine function that takes a while. Write `fetch_all(fetch, urls)`:
        it returns the pages in the order of `urls`, and waits no longer than the slowest one.
        """

        id = "overlap-1"
        asks = "fetch_all"
        minutes, clock = 8, "virtual"
        hints = (
            "A coroutine starts when something drives it: `await`, or a task.",
            "Look at the timeline: when does the second wait begin?",
            "`asyncio.gather(*coroutines)` starts all of them and keeps their order.",
        )

        def verify(self, fetch_all, lab):
            fetch = lab.service({"a": 3, "b": 1, "c": 2})   # argument: seconds it takes
            run = lab.run(fetch_all, fetch, ["a", "b", "c"])
            lab.equal(run.result, ["page a", "page b", "page c"])
            lab.concurrent(run, longest=3, total=6)

        @right
        async def with_gather(fetch, urls):
            """Return the pages of `urls`, in order."""
            return await asyncio.gather(*(fetch(url) for url in urls))

        @right
        async def with_tasks(fetch, urls):
            tasks = [asyncio.create_task(fetch(url)) for url in urls]
            return [await task for task in tasks]

        @wrong("sequential", says="one after another")
        async def one_by_one(fetch, urls):
            return [await fetch(url) for url in urls]

        calls_only = one_by_one.but("await fetch", "fetch", kind="not awaited", says="`fetch`")

        @wrong("order")
        async def as_they_come(fetch, urls):
            pages = []
            for next_page in asyncio.as_completed([fetch(url) for url in urls]):
                pages.append(await next_page)
            return pages

    # lesson_10/2_take-1.py
    from helpers.coach import Exercise, Wrong, right, wrong


    class Take(Exercise):
        """Take the first few

        Write a generator function `take(source, n)`: it yields the first `n` items of the iterator
        `source`, and asks `source` for no more than those.
        """

        id = "take-1"
        asks = "take"
        minutes = 5
        hints = ("Who calls `next(source)`, and how often?", "`for _ in range(n)` asks n times.")

        def verify(self, take, lab):
            source = lab.source([10, 20, 30, 40])
            items = lab.generator(lab.call(take, source, 2))
            if source.taken:
                raise Wrong("eager", f"`take` took {source.taken} items before anybody asked.",
                            try_="Let the first `next` start the work.")
            lab.equal(list(items), [10, 20])
            if source.taken > 2:
                raise Wrong("one too many", f"I asked for 2 items; the source gave {source.taken}.",
                            try_="Stop before you ask for the next one, not after.")

        @right
        def with_range(source, n):
            """Yield the first `n` items of `source`."""
            for _ in range(n):
                yield next(source)

        @wrong("one too many", says="gave 3")
        def with_enumerate(source, n):
            for number, item in enumerate(source):
                if number == n:
                    return
                yield item

        @wrong("not a generator", says="list")
        def builds_a_list(source, n):
            return [next(source) for _ in range(n)]

    # lesson_10/3_predict-1.py
    from helpers.coach import Exercise, wrong_value


    class TotalTime(Exercise):
        """Predict the wall time

        Three waits of 1, 2 and 3 s overlap. After how many seconds are all of them over?
        """

        id = "predict-1"
        asks = "seconds"
        minutes = 1
        hints = ("Draw the three waits under one another.", "The last one to end decides.")
        right_values = (3, 3.0)
        wrong_values = (
            wrong_value(6, "overlap added up", "6 s is the sum: what three waits one after another "
                        "take. Draw them side by side."),
            wrong_value(2, "first for last", "2 s is the mean of the three. After 2 s one of them "
                        "still waits.", headline="took the mean"),
        )

    # lesson_10/4_classify-1.py
    from helpers.coach import Exercise, wrong_value


    class Classify(Exercise):
        """Waiting or working?

        Set `kinds` to a dict from each job to "waiting" or "working".
        """

        id = "classify-1"
        asks = "kinds"
        minutes = 3
        hints = ("Would a faster processor help?",)
        right_values = ({"download": "waiting", "sort": "working"},)
        wrong_values = (
            wrong_value({"download": "working", "sort": "working"}, "value", "'download'"),
        )

**The class.** The docstring's first line is the title, the rest the statement (paragraphs, lists
with `- `, code indented by four spaces, `names` in backticks; write it from the margin of the
class). `id` is what `exercise("overlap-1")` is given, in the whole course only once. `asks` is the
learner's name for the answer. `minutes`; `clock` is "virtual" (the default: sleeps jump) or "real".
`hints` climb from a nudge to nearly the solution. `limit` is how many seconds of real time the
whole check may take (default 1.5; it is the time after which a hang is named). `given` is source
text that the notebook's answer cell has above the answer; the tests put it before each program.

**Programs.** `@right` and `@wrong(kind, says=...)` stand on functions (or classes, where a class is
asked for) in the class body. `kind` is a key of the catalogue (below). Their parameters are those
of the answer, without self. They use nothing but their parameters, the file's imports and `given`:
their text, under the name `asks` and with the imports it uses above it, is what `ex.solution()`
shows and what the tests run. The first right program is the model: its signature is what is asked,
and with its docstring it makes the stub. `says` are words that the message to this wrong program
must hold.

**Edits.** A wrong program that differs from an earlier one by a few words is an edit of that one,
its docstring included: `name = base.but("old text", "new text", kind="…", says="…")`. The old text
stands exactly once in the text of `base`, which may be an edit itself; several replacements are
chained, `base.but("a", "b").but("c", "d", kind="…")`. Lines after the first are written from the
margin, as in `"await x", "try:\\n    await x"`; a line of which nothing is left (`"await x", ""`)
goes.

**Values.** Where the answer is a value, `right_values` hold every form that is right, the first
being the one shown as solution; `wrong_values` hold `wrong_value(value, kind, says)`. Without a
`verify`, an answer equal to one of them gets `says` as its message (below the kind's headline, or
below `headline=…`), a dict or a list is compared item by item (the message names the wrong items,
not the right answers), and anything else is a wrong value; numbers may differ by one part in a
thousand. With a `verify` of your own, `says` are again the words that the message must hold.

**verify(self, answer, lab)** runs in a process of its own, where the answer can do no harm. It
returns for a right answer and raises `Wrong` for a wrong one; what the answer itself raises, leaves
running, blocks or hangs is named without your help, with its line. A bare `assert got == 3, "what
was observed"` is a wrong value. Raise `Wrong(kind, observed, line=None, try_=None, headline=None)`
for a belief of your own: `observed` says what was observed; `line` is a line number of the
learner's cell, or None for what `lab` can find; `try_` says what to try.

**Kinds.** `kind` is a key of the catalogue in `helpers.coach.mistakes.catalogue`: the belief behind
the mistake, whatever the exercise. It is kept with the learner's progress, so that a belief is
known again in another lesson. The headline, what the line does and what to try come from there.
Where you can say more than the kind does, `headline` holds a few words of your own, as "lost the
last line"; then the line is only quoted, and there is nothing to try but your `try_`.

**Sweeps.** What `verify` asks with is a sample. A sweep asks with many cases, and the answer has
to behave in each as the model does, the first right program:

    @sweep(
        lambda some: {                        # strategies of Hypothesis, by the method's arguments
            "urls": some.lists(some.sampled_from("abc"), max_size=4),
            "pages": some.fixed_dictionaries({url: some.sampled_from(PAGES) for url in "abc"}),
            "waits": some.permutations((1, 2, 3.5)),
        },
        besides=[{"urls": ["a"] * 1100, "pages": {"a": "page"}, "waits": (1, 2, 3)}],
        fails=(OSError, TimeoutError, ...),   # each call of a service fails with each, in turn
        cancels=True,                         # it is cancelled between any two moments
        most=40,                              # cases that are asked
    )
    def any_urls(self, fetch_all, lab, urls, pages, waits):
        fetch = lab.service(dict(zip("abc", waits)), pages)
        return lab.seen(lab.run(fetch_all, fetch, urls), fetch)

The method asks once, and returns what is to be compared: `lab.seen(run, *services)` for a run (its
result or error, its seconds, the calls whatever their order, the most of them at once, what is left
running; `without=("seconds",)` leaves out what the statement leaves open, `without=("group",)`
whether an error comes alone or in a group), a dict from words to
values (`{"the items that it gave": items}`) with one of those or plain data in it, or plain data
alone. Inside, `lab.run` returns a run that raised, too. What is raised else is compared as well.
The learner is shown the smallest case that goes wrong, as the call: say with `lab.told` what the
arguments don't. Draw few different values, so that the same one comes twice; falsy ones (`None`, 0,
"", []); none, one and several; delays that differ, so that the order of arrival is one and not two;
numbers on both sides of a bound. For what is long (recursion ends at a thousand) ask `besides`.
Inputs that no answer gets to see, such as how long each of its calls takes, are named in `unseen`.
Where a service may raise any error, end `fails` with three dots: then those are tried as well that
the answer itself catches somewhere, for it may mean one of its own there.
What is kept from an earlier call is found without your help, for all cases ask the same answer; a
second instance beside the first is asked for by the method. A sweep asks nothing that the statement
doesn't say: complete the statement, or draw less. On virtual time it should take 0.1 s.

**lab.**

    run = lab.run(answer, *arguments, **named)    calls it on a fresh loop and runs it to its end
    run = lab.run(coroutine)                      the same with a coroutine made by you
        run.result run.recording
        run.elapsed                               seconds on the exercise's clock
        run.peak                                  tasks at once
        lab.run(..., raises=ValueError)           that error must come out, else "lost error"; it is
                                                  run.error
        lab.run(..., leaks=True)                  tasks may be left running
        lab.run(..., blocks=True)                 the loop may be blocked
        lab.run(..., stands=True)                 a call may wait on the loop's thread: run.stood is
                                                  the Wrong for it, or None; raise it when you have
                                                  nothing better to say
        lab.run(..., step=0.3)                    longest computing in one step, else "hog"
                                                  (default: 1 s of CPU)
        lab.run(..., cancel_after=1)              cancels it after 1 s; it must end by that, else
                                                  "swallowed"
    lab.call(answer, *arguments)                  a plain call; notes it for the messages
    await lab.awaitable(answer(...), name=None)   in a coroutine of yours: what the answer, or its
                                                  method `name`, returned can be awaited, else
                                                  "not async"
    lab.equal(got, expected, what="it returned")  else "value", "order" or "not awaited"
    lab.concurrent(run, longest=3, total=6)       it took the longest wait, else "sequential"
    lab.limited(fetch.peak, at_most=2)            else "limit"
    lab.service(seconds, results=None, errors={}, name="fetch", cleanup=0)
                                                  a coroutine function; .peak .calls .started
                                                  .finished .cancelled; .places (the learner's
                                                  line of each call) .peak_place; seconds:
                                                  {argument: s} or one number; cleanup: those that
                                                  a cancelled call takes to end
    lab.source(items)                             an iterator; .taken .finished .closed; .place (the
                                                  learner's line that asked it first)
    lab.stream(items, seconds=0.0, behind=fetch)  an async iterator; .taken .finished .closed, and
                                                  .ahead: most items taken and not finished by the
                                                  service `behind`
    lab.bounded(stream, at_most=10)               else "unbounded"
    lab.site(latency=0.05, ...)                   a services.catalogue for this check alone, with
                                                  .url .log(); for clock = "real" and a limit of 6 s
    lab.generator(thing)                          it is a generator, else "not a generator";
                                                  its talk shows on the timeline
    lab.generators({"A": gen})                    a list of stand-ins for generators of yours, to
                                                  hand over; their talk shows on the timeline
    lab.blocking(function)                        calls of it from the loop's thread are "blocked"
    lab.on_own_loop = True                        from now on a loop that isn't asyncio's runs in
                                                  the thread that calls the answer, and time.sleep
                                                  blocks it; lab.check_blocked("try this") tells
    lab.naps = 0.001                              most seconds that time.sleep takes from now on, in
                                                  the thread that calls the answer: who sleeps where
                                                  there is something to wait for is found out
    lab.printed                                   what was printed so far (a string)
    lab.seen(run, *services, without=())          what a sweep compares of a run
    lab.own(list(waits))                          a list, dict or set of the caller, made in one:
                                                  it must stay as it is, as what was drawn must
    lab.told("with delays of 1, 2 and 3 s")       replaces the arguments of the call that follows in
                                                  "I called `fetch_all` …"

**Lines.** These find a line of the answer in its syntax tree: the number of the first that holds
such a thing, or None, so that `lab.raising() or lab.returning()` falls back on the second. A
docstring, a comment and a string are never found. Of several, one that has run since the call that
is quoted comes before those that have not (Python 3.11 can't tell). `*names` are those of
variables, functions, attributes: one of them will do, and any if there is none; "asyncio.run",
"*Executor", "*.get".

    lab.call_of(*names, given=None)               a call; given: an argument is this constant, uses
                                                  this name, or is a call: "()"
    lab.repeated_call_of(*names)                  a call in a loop
    lab.bare_call_of(*names)                      a call without arguments
    lab.wait_behind("cancel")                     a sleep or a limited wait behind that call
    lab.dropping(*names)                          a call, or a name, as a statement: not awaited
    lab.use_of(*names)                            a name, called or not
    lab.await_of(*names, besides="queue")         an `await` of something that uses the name
    lab.keyword(*names, of="wait")                an argument handed over by this name
    lab.item_of(*names, at=0)                     `name[…]`
    lab.literal(*values)                          a constant, or a part of a string
    lab.operation("+", "+=", "is", on=["now"])    an operation or a comparison with these signs
    lab.assigned(*names, to="wake")               a name, an attribute or an item gets a value
    lab.copying("waiting")                        a copy of it is given a name
    lab.rebinding()                               a parameter gets something new, made of it
    lab.returning(*names) .yielding() .yielding_from() .raising() .deleting() .breaking()
        .continuing() .outer_name()               `return`, …, `global` or `nonlocal`
    lab.dropped_yield()                           a `yield` as a statement
    lab.class_attribute()                         an assignment in the body of a class
    lab.default()                                 a parameter's default
    lab.kept_default()                            one that every call shares: a list, a dict
    lab.definition(*names)                        `def` or `class`
    lab.inner_function()                          a `def` inside a `def`
    lab.coroutine_function(*names)                `async def`
    lab.looping(*names)                           `for` or `while`, comprehensions too; one kind:
    lab.for_loop(*names) .async_for() .while_loop()
    lab.inner_loop()                              a loop in a loop
    lab.condition(*names)                         an `if`
    lab.sieve()                                   the `if` of a comprehension, or `filter`
    lab.with_of(*names) .async_with()             a `with` of something that uses the name
    lab.handler(*errors)                          `except` or `suppress` that catches this error
    lab.cleanup()                                 what a `finally` does
    lab.node(ast.Slice)                           anything else
    lab.earliest(*lines)                          the first of several lines

Where what ran tells the line, that is better. A line that isn't sure is left out: none is better
than a wrong one. `Wrong(…, at="lets the error out")` says what the line does.

    lab.has_run(line)                             whether it has run since the call that is quoted
    lab.where(task)                               where a task waits
    lab.stands_at(generator)                      where a generator or a coroutine is paused
    lab.text.of_traceback(error)                  where an error was raised
    lab.text.let_out(error)                       the `except` for others that it passed, or that
    lab.text.broken_off(error)                    the loop in the `try` that caught an error
    lab.text.skipped("close")                     why `close` is not called after each error
    lab.text.narrow_cleanup("close")              the `except` that calls it, some errors aside
    lab.lost_error(observed, ValueError)          the Wrong for an error that didn't come out, with
                                                  what kept it, or `line`; lab.keeping(ValueError):
                                                  the line that keeps it
    lab.suspect(got, expected)                    what seems to make the one of the other, with
                                                  .line .at .try_; lab.truth_test() what goes by
                                                  what counts as false; lab.alike() what mixes up
                                                  equal items
    lab.changing()                                the line that changes what the answer was given

**Mutants.** If a mechanical change of a right program makes no difference, excuse it with the
reason, under the name that the failing test shows:
`equivalent = {"with_tasks: drop await, line 5": "the TaskGroup has awaited it already"}`. Those
that make one and pass all the same stand in `tests/mutants_yet.py`, until a check tells them apart.
'''
