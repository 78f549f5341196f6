"""What exercises of lesson 20 share: how a test that the learner wrote is put to the test."""

from helpers.coach import Wrong

LET_IT_PASS = "Let it pass: no `except` that keeps it, and no `return` in a `finally`."


def verdict(lab, *what):
    """The error with which a test fails, or None if it passes."""
    try:
        run = lab.run(*what, leaks=True, blocks=True)
        if run.error is not None:
            raise run.error  # within a sweep it was kept
    except (KeyboardInterrupt, SystemExit):
        raise
    except Wrong:
        return None  # the test itself came to its end
    except BaseException as error:  # pytest.fail raises no Exception
        return error
    finally:
        lab.lost = []  # what a broken thing loses is no fault of the test
        lab.unawaited.clear()
    return None


def must_pass(lab, what, *call):
    """Run a test that has to pass; what makes it fail is told as such."""
    try:
        run = lab.run(*call)
        if run.error is not None:
            raise run.error  # within a sweep it was kept
    except BaseException as error:
        alone = error
        while isinstance(alone, BaseExceptionGroup) and len(alone.exceptions) == 1:
            (alone,) = alone.exceptions
        kind = type(alone).__name__
        if kind not in ("AssertionError", "TimeoutError", "Failed"):
            raise  # Failed is what pytest.fail and pytest.raises raise
        if lab.blocks:
            blocked, length, place = lab.blocks[0]
            raise Wrong(
                "blocked",
                f"{blocked} was called on the loop's own thread, and no timer "
                f"could ring for {length:g} s.",
                place,
            ) from None
        place, at = lab.text.of_traceback(error), ""
        clock = lab.use_of("monotonic", "perf_counter", "time.time", "datetime.now")
        says = f" It says: {alone}." if str(alone) else ""
        raised = "" if kind == "AssertionError" else f" with a {kind}"
        if lab.call_of("patch"):
            try_ = (
                "A stand-in takes the waiting away, and the clock stands still. Here the clock "
                "jumps by itself."
            )
        elif clock:
            place, at = (None, clock), "takes the computer's clock"
            try_ = (
                "The computer's clock doesn't follow virtual time. Ask the loop's clock: "
                "`asyncio.get_running_loop().time()`."
            )
        else:
            try_ = "What did the test expect there that nobody promised?"
        raise Wrong(
            "fails the right",
            f"{what}, and your test failed all the same{raised}.{says}",
            place and place[1],
            try_,
            headline="fails the right one",
            at=at,
        ) from None
    if run.result is not None:
        raise Wrong(
            "passes the broken",
            f"Your test returned {run.result!r}. A test's return value is ignored: it fails by "
            "raising an error.",
            lab.returning(),
            "`assert` it instead.",
            headline="returned its verdict",
        )
    return run


def named(names):
    """Names in words: "Ann, Bob", or "nobody"."""
    return ", ".join(sorted(map(str, names))) or "nobody"
