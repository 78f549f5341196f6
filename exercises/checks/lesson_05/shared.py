"""What exercises of lesson 05 share: generators to give turns to, and how a queue goes wrong."""

from collections.abc import Generator

from helpers.coach import Wrong


def yielded(name):
    return f"{name} is busy"


def guest(log, name, turns, result=None):
    for _ in range(turns):
        log.append(name)
        yield yielded(name) if result is not None else None
    return result


def one_round(lab, said):
    raise Wrong(
        "stopped early",
        f"{said} Each had one turn, and none has ended.",
        lab.looping(),
        "Round after round, as long as any generator is left: a `while` loop over a queue.",
        headline="gave one round only",
    )


def stopped_at_the_first_end(lab, observed):
    raise Wrong(
        "stopped early",
        observed,
        lab.earliest(
            lab.call_of("zip"), lab.use_of("StopIteration"), lab.breaking(), lab.returning()
        ),
        "Go on as long as any generator is left. Catch StopIteration inside the loop.",
        headline="stopped at the first end",
    )


QUEUED = (
    "StopIteration",
    "asked one that has ended",
    lambda lab: lab.call_of("[!e]*.append") or lab.looping(),
    "Only a generator that has not ended has another turn: append it after its `send`, and only if "
    "that did not raise StopIteration.",
)


def give(lab, answer, *arguments, asked_on=QUEUED):
    """Call the answer; name the two ways in which it can miss an end, and the one not to run."""
    try:
        got = answer(*arguments)
        if hasattr(got, "send"):
            got.close()
            raise Wrong(
                "async for plain",
                f"It returned a {type(got).__name__}: nothing has run.",
                lab.earliest(lab.coroutine_function(), lab.yielding()),
                "Write `def`, and no `await` or `yield` in it: the loop gives turns, and "
                "takes none.",
                headline="not a plain function",
            )
        return got
    except StopIteration:
        raise Wrong(
            "StopIteration",
            f"A generator came to its end, and `{lab.asks}` raised StopIteration.",
            lab.call_of("send", "next"),
            "The end of one is not the end of all: catch it, and go on.",
            headline="didn't catch StopIteration",
        ) from None
    except AskedOn as asked:
        kind, headline, where, try_ = asked_on
        raise Wrong(
            kind,
            f"It asked {asked} to go on, again and again, and {asked} had ended long before.",
            where(lab),
            try_,
            headline,
        ) from None


class AskedOn(BaseException):
    """A generator was asked again and again after its end. No `except Exception` shall keep it."""


class Watched(Generator):
    """A generator that notices when it is asked on and on after its end."""

    MOST = 20  # to ask once more is clumsy; to ask on and on is a belief

    def __init__(self, name, generator):
        self.name, self.generator, self.asked = name, generator, 0
        self.failed = None  # the error that it raised
        self.after_failing = False  # whether it was asked once more, after that

    def send(self, value):
        self.after_failing = self.failed is not None
        try:
            return self.generator.send(value)
        except StopIteration:
            self.asked += 1
            if self.asked > self.MOST:
                raise AskedOn(self.name) from None
            raise
        except BaseException as error:
            self.failed = error
            raise

    def throw(self, *error):
        return self.generator.throw(*error)

    def __repr__(self):
        return f"<generator {self.name}>"

    def __getattr__(self, name):
        return getattr(self.generator, name)


def watched(lab, named):
    """The generators that `named` gives a name each, watched, and recorded for the timeline."""
    return [Watched(name, stand_in) for name, stand_in in zip(named, lab.generators(named))]


# What their sweeps share

SAID = (None, 0, "", "a question", False)
KEPT = OSError("kept")  # an error that is returned is no failure
STOPS = (KeyboardInterrupt, SystemExit)
ERRORS = (LookupError, RuntimeError, KeyboardInterrupt)
OTHERS = (ValueError, TypeError, TimeoutError)


def attends(log, name, turns, says, end):
    """Yield the same in so many turns, and then return `end`, or raise such an error."""
    for _ in range(turns):
        log.append(name)
        yield says
    log.append(f"{name} ends")
    if isinstance(end, type):
        raise end(f"{name} failed")
    return end


def attending(log, plan, says=None, names="ABCDEF"):
    """A generator for each (turns, end) of the plan; of many, only the first have names."""
    names = [*names, *["another"] * (len(plan) - len(names))]
    return [
        Watched(name, attends(log, name, what[0], says, what[1])) for name, what in zip(names, plan)
    ]


def plan_words(plan, names="ABCDEF"):
    """What `attending` makes of a plan, for `lab.told`."""
    if len(plan) > len(names):
        return f"{len(plan):,} generators that yield {often(plan[0][0])} each"
    words = []
    for name, (turns, end) in zip(names, plan):
        ends = f"raises {end.__name__}" if isinstance(end, type) else f"returns {end!r}"
        does = f"yields {often(turns)}, then {ends}" if turns else f"{ends} at once"
        words.append(f"{name} ({does})")
    return ", ".join(words) or "no generator"


def often(number):
    return "once" if number == 1 else f"{number:,} times"


def failing(lab, kind, answer, *arguments):
    """Call the answer, out of which an error of this kind has to come, and return that error's
    words.
    """
    try:
        got = give(lab, answer, *arguments)
    except (*ERRORS, *OTHERS, *STOPS) as error:
        return repr(error)
    lost = lab.lost_error(f"The error had to come out, and `{lab.asks}` returned {got!r}.", kind)
    lost.line = lost.line or lab.handler(kind)
    if lost.try_ is None:
        lost.try_ = "An error that nothing keeps comes out by itself."
    raise lost


def held_back(lab, generators, log):
    """Raise Wrong if the others had turns after one of `attending` had raised its error."""
    failed = next((one for one in generators if one.failed), None)
    if failed and log[-1] != f"{failed.name} ends":
        error = type(failed.failed)
        kept = lab.keeping(error) or lab.handler(error)
        raise Wrong(
            "lost error",
            f"{failed.name} raised an error, and the others had turns after that: the log is "
            f"{log}.",
            kept or lab.cleanup(),
            "Let it out at once: catch StopIteration alone."
            if kept
            else "Let it out at once, and give no turn after it.",
            headline="held the error back",
        )


def one_fails(some):
    """Inputs: generators of which one raises an error."""
    return {
        "turns": some.lists(some.integers(0, 3), min_size=1, max_size=3),
        "place": some.integers(0, 2),
        "error": some.sampled_from(ERRORS),
    }


ANY_OTHER = [{"turns": [1, 2], "place": 0, "error": error} for error in OTHERS]


def plan_with(turns, place, error):
    """The plan of `one_fails`."""
    place %= len(turns)
    return [(each, error if number == place else None) for number, each in enumerate(turns)]


def calling(log, call):
    """A generator that makes a call in its first turn."""
    log.append("begins a call")
    call()
    log.append("has ended that call")
    yield
