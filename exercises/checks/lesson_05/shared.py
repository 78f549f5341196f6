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
        f"{said} Each had one turn, and nobody has ended.",
        lab.looping(),
        "Round after round, as long as anybody is left: a `while` loop over a queue.",
        headline="gave one round only",
    )


def stopped_at_the_first_end(lab, observed):
    raise Wrong(
        "stopped early",
        observed,
        lab.earliest(
            lab.call_of("zip"), lab.use_of("StopIteration"), lab.breaking(), lab.returning()
        ),
        "Go on as long as anybody is left. Catch StopIteration inside the loop.",
        headline="stopped at the first end",
    )


QUEUED = (
    "StopIteration",
    "asked one that has ended",
    lambda lab: lab.call_of("[!e]*.append") or lab.looping(),
    "Only who has not ended has another turn: append it after its `send`, and only if that "
    "did not raise StopIteration.",
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
            headline="let StopIteration out",
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

    def send(self, value):
        try:
            return self.generator.send(value)
        except StopIteration:
            self.asked += 1
            if self.asked > self.MOST:
                raise AskedOn(self.name) from None
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
