"""Clients, streams and servers."""

from helpers.coach.mistakes.catalogue.kind import Kind

KINDS = {
    "pool exhausted": Kind(
        "exhausted the connection pool",
        "asks for a connection",
        "More requests wait for a connection than the pool can serve in time. Start no more "
        "at once than it has connections: a semaphore, or a few workers.",
    ),
    "client per request": Kind(
        "opened more clients or connections than it needs",
        "",
        "Make one client, or one pool, around all of it: it keeps its connections for the "
        "next request.",
    ),
    "connection shared": Kind(
        "shared one connection",
        "uses it while somebody else does",
        "A connection holds one conversation at a time. Take one from a pool for each task, "
        "or one after another.",
    ),
    "retried": Kind(
        "retried what must not be retried",
        "",
        "Asking again helps only where the fault may pass, and only with what may be repeated: "
        "what isn't there or was refused is the same next time, and an order that was taken is "
        "taken twice.",
    ),
    "pauses": Kind(
        "paused by another rule",
        "",
        "Pause between two tries, longer each time, and as long as the server says where it "
        "says so.",
    ),
    "no jitter": Kind(
        "no jitter",
        "",
        "Those that failed together come back together. Draw each pause anew: "
        "`random.uniform(0, longest)`.",
    ),
    "one read is one message": Kind(
        "took one read for one message",
        "reads what happens to be there",
        "TCP is a stream of bytes: a message may come in pieces, and two may come at once. "
        "Read up to the mark that ends a message, or exactly as many bytes as its length says.",
    ),
    "end of stream": Kind(
        "overlooked the end of the stream",
        "",
        'The end of a stream is b"": look for it after each read.',
    ),
    "partial send": Kind(
        "took a part for all that was sent",
        "",
        "`send` says how many bytes it took. Wait until the socket can be written, and go on "
        "behind them.",
    ),
    "no drain": Kind(
        "wrote without draining",
        "writes into the buffer",
        "`write` only puts the bytes into a buffer. `await writer.drain()` waits while the "
        "client is slow, and so the buffer stays small.",
    ),
    "protocol": Kind(
        "broke the protocol",
        "",
        "Compare what you send and accept, byte by byte, with what was agreed.",
    ),
    "never answers": Kind(
        "never answers",
        "",
        "Each way through the application must end in a whole answer, the errors too.",
    ),
    "lifespan": Kind(
        "opened or closed it at the wrong time",
        "",
        "What stands before the `yield` of the lifespan is the startup, what comes after it "
        "the shutdown.",
    ),
    "dropped requests": Kind(
        "dropped the requests that were under way",
        "",
        "Stop accepting first, then wait for what was begun, with a time limit, and cancel "
        "only what is left after that.",
    ),
    "went on after the end": Kind(
        "went on after its end",
        "",
        "Look whether it is over before you begin anything new.",
    ),
}
