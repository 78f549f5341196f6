"""What tasks share: state, locks, limits, and what is lent and given back; queues."""

from helpers.coach.mistakes.catalogue.kind import Kind

KINDS = {
    "lost update": Kind(
        "lost an update",
        "",
        "Between reading and writing others had their turn. Read and write without an `await` "
        "in between, or hold one lock around both.",
    ),
    "shared state": Kind(
        "shared one state among all",
        "",
        "What stands in a class or in a module belongs to all alike. Make it where each call, "
        "instance or task has its own.",
    ),
    "lock per call": Kind(
        "made a lock for each call",
        "makes it",
        "A lock keeps out only those who ask for the same lock. Make one, outside, and share it.",
    ),
    "lock too wide": Kind(
        "let only one in where more may",
        "",
        "Hold a lock only for what it protects, and only against those who use the same thing.",
    ),
    "woken is ready": Kind(
        "did not look again",
        "",
        "To be woken means to look again: somebody else may have been quicker. `while`, not `if`.",
    ),
    "limit": Kind(
        "limit exceeded",
        "is where one too many comes in",
        "One semaphore shared by all of them, or a fixed number of workers, keeps the limit.",
    ),
    "idle places": Kind(
        "left places empty",
        "",
        "Start the next as soon as a place is free, and use as many places as there are.",
    ),
    "not given back": Kind(
        "not given back",
        "",
        "A `finally` runs on every way out: a result, an error, a cancellation.",
    ),
    "given back early": Kind(
        "gave it back too early",
        "",
        "Whoever uses it holds it until the use has ended.",
    ),
    "given back wrongly": Kind(
        "gave back what it did not hold",
        "",
        "Give back once, and only what was taken: the `try` begins behind the taking.",
    ),
    "left open": Kind(
        "left something open",
        "",
        "Close it in a `finally`, so that it is closed however the code ends.",
    ),
    "unbounded": Kind(
        "let the queue grow without bound",
        "",
        "Give the queue a `maxsize`: then `await queue.put(item)` waits until there is room, "
        "and the producer goes as fast as the consumers do.",
    ),
    "full queue": Kind(
        "put into a full queue without waiting",
        "puts it",
        "`put_nowait` never waits for room. `await queue.put(item)` does.",
    ),
    "empty queue": Kind(
        "took from an empty queue",
        "",
        "Ask first whether there is something, or wait: `await queue.get()`.",
    ),
    "one sentinel": Kind(
        "one sentinel for many workers",
        "waits for an item that nobody will put",
        "The worker that takes the sentinel keeps it. Put one for each worker, put it back "
        "for the next, or use `queue.shutdown()`.",
    ),
    "end signal": Kind(
        "mishandled the signal of the end",
        "",
        "The end is said once, behind the last item, and whoever gets it looks at it before "
        "treating it as an item.",
    ),
    "batch barrier": Kind(
        "waited for a whole batch",
        "waits for the slowest of a whole batch",
        "Start the next item as soon as one place is free: workers on one queue, or a semaphore.",
    ),
}
