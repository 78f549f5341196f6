"""Coroutines and generators: what runs, and what goes in and out."""

from helpers.coach.mistakes.catalogue.kind import Kind

KINDS = {
    "not awaited": Kind(
        "forgot to await",
        "makes a coroutine and leaves it there",
        "Calling a coroutine function only makes a coroutine, and runs nothing yet. Put `await` "
        "before the call, or make a task of it and await that.",
    ),
    "not run yet": Kind(
        "took it for run",
        "",
        "A definition runs nothing, and a call of a coroutine or generator function builds a "
        "paused frame. Ask who runs its first line.",
    ),
    "await waits": Kind(
        "did not let `await` wait",
        "",
        "`await` runs what stands behind it, and holds its own function at this line until "
        "that has ended.",
    ),
    "where it switches": Kind(
        "mistook where the loop goes on with others",
        "",
        "An `await` hands on what is awaited. Others have a turn only where a `yield` reaches "
        "the loop: at a sleep, a future or an unfinished task.",
    ),
    "named, not called": Kind(
        "named, not called",
        "",
        "Without parentheses a function is only named. Call it.",
    ),
    "called, not handed over": Kind(
        "called, not handed over",
        "",
        "Parentheses call a function here and now. Hand over the function itself, and its "
        "arguments beside it.",
    ),
    "async for plain": Kind(
        "made it async without need",
        "",
        "An ordinary function is asked for: `def`, with no `await` in it.",
    ),
    "not async": Kind(
        "not an async function",
        "",
        "Begin it with `async def`.",
    ),
    "awaited twice": Kind(
        "awaited a coroutine twice",
        "awaits it again",
        "A coroutine runs once. Make a task of it, or call the function again.",
    ),
    "one argument for many": Kind(
        "one argument for many",
        "hands it over",
        "Put a star before it: `gather(*(… for …))` hands over each of them.",
    ),
    "not a generator": Kind(
        "not a generator",
        "",
        "A function becomes a generator by a `yield` in its body.",
    ),
    "runs past the yield": Kind(
        "runs past the yield",
        "",
        "A generator stops at its `yield`, and goes on below it when it is asked again.",
    ),
    "sent for yielded": Kind(
        "mixed up what is yielded and what is sent",
        "",
        "What stands to the right of a `yield` goes out. The value of the `yield` is what "
        "`send` brings in.",
    ),
    "unprimed": Kind(
        "sent a value to a generator that had not started",
        "sends it",
        "A fresh generator doesn't wait at a `yield` yet, where a value could come in. Prime it "
        "first: call `next` on it once.",
    ),
    "return value": Kind(
        "lost the return value",
        "",
        "What a function returns is not what it prints or yields: a caller finds it behind "
        "`await` or `yield from`, a driver in the `value` of the StopIteration.",
    ),
    "not delegated": Kind(
        "did not hand on what goes through",
        "",
        "`yield from` runs the inner generator and carries everything through: what is "
        "yielded, sent, thrown and returned.",
    ),
    "StopIteration": Kind(
        "mishandled the end of a generator",
        "",
        "StopIteration says that a generator has ended: catch it where you ask, and before "
        "any `except Exception`.",
    ),
    "ignored close": Kind(
        "swallowed GeneratorExit",
        "goes on after close()",
        "`close()` raises GeneratorExit at the `yield`. Let it pass, and put the cleanup in "
        "`finally`.",
    ),
    "eager": Kind(
        "worked before anybody asked",
        "",
        "Let each item wait until it is asked for, and hand it out before you take the next.",
    ),
    "one too many": Kind(
        "one too many",
        "",
        "Stop as soon as you have enough, before you ask for another.",
    ),
    "used up": Kind(
        "used up",
        "",
        "A generator runs once, and then it is empty. Keep its items in a list, or make a new one.",
    ),
}
