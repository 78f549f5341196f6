from helpers.coach import Exercise, Wrong, wrong_value

TIMEOUT, FINE = "TimeoutError", "no error"


class PredictDeadlines(Exercise):
    """Predict seven deadlines

    Read this program, and do not run it.

        async def a():
            await asyncio.sleep(5)

        async def b():
            with suppress(Exception):
                await asyncio.sleep(5)

        async def c():
            with suppress(BaseException):
                await asyncio.sleep(5)

        async def d():
            try:
                await asyncio.sleep(5)
            finally:
                await asyncio.sleep(2)

        async def e():
            await asyncio.shield(asyncio.sleep(5))

        async def f():
            async with asyncio.timeout(1):
                await asyncio.sleep(5)

        async def g():
            time.sleep(5)

        async def main(job):
            async with asyncio.timeout(2):
                await job()

    For each job, what does `asyncio.run(main(job))` do? Set each value of `ends` to a pair: the
    seconds after which it is over, and what comes out, "TimeoutError" or "no error". So for a job
    that sleeps for one second the value is `(1, "no error")`.
    """

    id = "deadline-1"
    asks = "ends"
    minutes = 6
    hints = (
        "A timeout asks at its deadline. Which task hears of it, and at which line does it stand?",
        "A request is a CancelledError. Which `except` and which `suppress` catch that?",
        "Look at `d`: what does it do after it was told? Look at `g`: when does the loop "
        "take a turn?",
    )
    right_values = (
        {
            "a": (2, TIMEOUT),
            "b": (2, TIMEOUT),
            "c": (2, FINE),
            "d": (4, TIMEOUT),
            "e": (2, TIMEOUT),
            "f": (1, TIMEOUT),
            "g": (5, FINE),
        },
        {
            "a": (2, TimeoutError),
            "b": (2, TimeoutError),
            "c": (2, FINE),
            "d": (4, TimeoutError),
            "e": (2, TimeoutError),
            "f": (1, TimeoutError),
            "g": (5, FINE),
        },
    )
    wrong_values = (
        wrong_value(right_values[0] | {"a": (2, "timeout")}, "another form", "Asked is a pair"),
        wrong_value(right_values[0] | {"a": 2}, "another form", "Asked is a pair"),
        wrong_value([(2, TIMEOUT)] * 7, "another form", 'as keys, "a" to "g"'),
        wrong_value({"A": (2, TIMEOUT)}, "another form", 'as keys, "a" to "g"'),
        wrong_value(right_values[0] | {"b": (2, FINE)}, "caught too much", "not an Exception"),
        wrong_value(right_values[0] | {"b": (5, FINE)}, "caught too much", "not an Exception"),
        wrong_value(right_values[0] | {"c": (2, TIMEOUT)}, "swallowed", "nothing is left"),
        wrong_value(right_values[0] | {"c": (5, FINE)}, "what cancelling leaves", "ends the sleep"),
        wrong_value(right_values[0] | {"d": (2, TIMEOUT)}, "cancel is instant", "`finally`"),
        wrong_value(
            right_values[0] | {"d": (7, TIMEOUT)}, "what cancelling leaves", "ends the sleep"
        ),
        wrong_value(right_values[0] | {"d": (2, FINE)}, "cancel is instant", "`finally`"),
        wrong_value(
            right_values[0] | {"e": (5, FINE)},
            "cancel passed on",
            "the task inside",
        ),
        wrong_value(
            right_values[0] | {"e": (5, TIMEOUT)},
            "cancel passed on",
            "the task inside",
        ),
        wrong_value(right_values[0] | {"e": (2, FINE)}, "lost error", "cancelled as usual"),
        wrong_value(right_values[0] | {"a": (2, FINE)}, "lost error", "becomes a"),
        wrong_value(
            right_values[0] | {"f": (2, TIMEOUT)},
            "whose timeout",
            "before the outer one",
        ),
        wrong_value(right_values[0] | {"f": (1, FINE)}, "lost error", "nobody catches it"),
        wrong_value(right_values[0] | {"g": (2, TIMEOUT)}, "timeout interrupts", "takes no turn"),
        wrong_value(
            right_values[0] | {"g": (5, TIMEOUT)}, "timeout interrupts", "no `await` after it"
        ),
        wrong_value(
            right_values[0] | {"a": (5, TIMEOUT)}, "what cancelling leaves", "ends the sleep"
        ),
    )

    BELIEFS = {
        # job: (test of the pair given, kind, headline, what to say)
        "a": [
            (
                lambda at, out: at >= 5,
                "what cancelling leaves",
                "let a sleep go on after it was cancelled",
                "You let `a` sleep to its end. The request at 2 s ends the sleep at once.",
            ),
            (
                lambda at, out: out == FINE,
                "lost error",
                "lost an error on its way",
                "You have no error for `a`. Nobody in there catches the request, so at the end of "
                "the block it becomes a TimeoutError.",
            ),
        ],
        "b": [
            (
                lambda at, out: out == FINE,
                "caught too much",
                "let `Exception` catch a cancellation",
                "You let `b` suppress the request. CancelledError is a BaseException and not an "
                "Exception: it passes.",
            ),
            (
                lambda at, out: at >= 5,
                "what cancelling leaves",
                "let a sleep go on after it was cancelled",
                "You let `b` sleep to its end. The request at 2 s ends the sleep at once.",
            ),
        ],
        "c": [
            (
                lambda at, out: at >= 5,
                "what cancelling leaves",
                "let a sleep go on after it was cancelled",
                "You let `c` sleep on. The request ends the sleep, and then it is suppressed.",
            ),
            (
                lambda at, out: out == TIMEOUT,
                "swallowed",
                None,
                "You have a TimeoutError for `c`. It suppressed the request, so nothing is left "
                "that the timeout could turn into a TimeoutError.",
            ),
        ],
        "d": [
            (
                lambda at, out: at == 2,
                "cancel is instant",
                "took asking for ending",
                "You let `d` be over at 2 s. At 2 s it is told; then comes its `finally`, which "
                "awaits something, and the timeout waits for that.",
            ),
            (
                lambda at, out: at >= 5,
                "what cancelling leaves",
                "let a sleep go on after it was cancelled",
                "You let the first sleep of `d` go on to its end. The request ends the sleep at "
                "2 s, and then comes the `finally`.",
            ),
            (
                lambda at, out: out == FINE,
                "lost error",
                "lost an error on its way",
                "You have no error for `d`. A `finally` does its work and lets the error go on.",
            ),
        ],
        "e": [
            (
                lambda at, out: at >= 5,
                "cancel passed on",
                "let `shield` protect the one who waits",
                "You let `e` wait on. `shield` keeps the request from the task inside; the task "
                "that awaits the shield is cancelled as usual.",
            ),
            (
                lambda at, out: out == FINE,
                "lost error",
                "lost an error on its way",
                "You have no error for `e`. The task that awaits the shield is cancelled as "
                "usual, and nothing catches that.",
            ),
        ],
        "f": [
            (
                lambda at, out: at == 2,
                "whose timeout",
                "overlooked the nearer deadline",
                "You let `f` go on until 2 s. Its own deadline expires at 1 s, before the outer "
                "one, and its error goes through the outer block.",
            ),
            (
                lambda at, out: out == FINE,
                "lost error",
                "lost an error on its way",
                "You have no error for `f`. The inner timeout raises a TimeoutError at 1 s, and "
                "nobody catches it.",
            ),
        ],
        "g": [
            (
                lambda at, out: at < 5,
                "timeout interrupts",
                "let a timeout interrupt work",
                "You let the deadline interrupt `g`. `time.sleep` blocks the thread, so for 5 s "
                "the loop takes no turn, and no timer runs.",
            ),
            (
                lambda at, out: out == TIMEOUT,
                "timeout interrupts",
                "let a timeout strike without an `await`",
                "You have a TimeoutError for `g`. There is no `await` after it at which the "
                "request could be delivered, so the block ends as if nothing had happened.",
            ),
        ],
    }

    def verify(self, ends, lab):
        if not isinstance(ends, dict) or not ends.keys() <= self.BELIEFS.keys():
            raise Wrong(
                "another form",
                f"`ends` is {ends!r}.",
                None,
                'Asked is a dict with the names of the jobs as keys, "a" to "g", and a pair for '
                'each: `{"a": (1, "no error"), …}`.',
            )
        ends = {job: self._pair(job, given) for job, given in ends.items()}
        for job, beliefs in self.BELIEFS.items():
            if not (given := ends.get(job)):
                continue
            for belief, kind, headline, says in beliefs:
                if belief(*given):
                    raise Wrong(kind, says, try_="", headline=headline)
        lab.equal(ends, self.right_values[0], what="`ends` is", secret=True)

    def _pair(self, job, given):
        """The pair for a job; None if nothing is written there yet."""
        if given is None or given is ...:
            return None
        if isinstance(given, (tuple, list)) and len(given) == 2:
            at, out = given
            out = TIMEOUT if out is TimeoutError else out
            if isinstance(at, (int, float)) and out in (TIMEOUT, FINE):
                return at, out
        raise Wrong(
            "another form",
            f"`ends[{job!r}]` is {given!r}.",
            None,
            'Asked is a pair: the seconds, and then "TimeoutError" or "no error", as in '
            '`(1, "no error")`.',
        )
