"""The loop: turns, deadlines, wake-ups, and what holds it up."""

from helpers.coach.mistakes.catalogue.kind import Kind

KINDS = {
    "sequential": Kind(
        "ran one after another",
        "awaits each call before it starts the next",
        "Try to start them all before you await any.",
    ),
    "blocked": Kind(
        "blocked the loop",
        "holds the whole thread while it waits",
        "Nothing else can run in the meantime. Await something that suspends, such as "
        "`asyncio.sleep`, or move the call to a thread with `asyncio.to_thread`.",
    ),
    "deadlock": Kind(
        "deadlock",
        "waits for something that nobody will ever do",
        "For each wait, ask who ends it, and what that one is waiting for.",
    ),
    "spin": Kind(
        "busy spin",
        "goes round and round without ever waiting",
        "A loop that waits must await something that really suspends, such as an event or a "
        "sleep, and must be able to end.",
    ),
    "hog": Kind(
        "CPU hog",
        "computes on and on, and nobody else gets a turn",
        "Do less work, or hand it to a process or a thread.",
    ),
    "nested run": Kind(
        "ran a loop inside a running loop",
        "runs a loop where one runs already",
        "A loop already runs here. `await` the coroutine instead, in an `async def`.",
    ),
    "other loop": Kind(
        "used an object of another loop",
        "meets it",
        "Make it inside the function, where the loop runs that will use it.",
    ),
    "no loop yet": Kind(
        "no loop yet",
        "",
        "Only what runs on the loop can ask for it. Do it inside an `async def`, or hand the "
        "loop over.",
    ),
    "wrong thread": Kind(
        "used it from another thread",
        "",
        "What belongs to the loop is touched in its thread alone: "
        "`loop.call_soon_threadsafe(function, argument)`.",
    ),
    "queued is run": Kind(
        "took queuing for running",
        "",
        "What makes a task or asks for a call only puts it into the queue. It runs when all "
        "before it have had their turns.",
    ),
    "turns": Kind(
        "gave the turns in another order",
        "",
        "One turn for the first in the queue, then it goes to the end. Those that sleep come "
        "when their deadlines are due, the earliest first.",
    ),
    "heap": Kind(
        "broke the order of the heap",
        "",
        "Use `heapq` alone to put in and take out, with a ticket between the deadline and "
        "what can't be compared.",
    ),
    "wrong deadline": Kind(
        "gave the loop a wrong deadline",
        "",
        "A deadline is a moment on the loop's clock, a delay is a number of seconds: deadline "
        "= now + delay.",
    ),
    "drift": Kind(
        "let the beat drift",
        "",
        "Count the beats from the start, and not from when you woke or were done.",
    ),
    "wrong clock": Kind(
        "looked at another clock",
        "",
        "Deadlines and sleeps are on the loop's clock: `asyncio.get_running_loop().time()`.",
    ),
    "polling": Kind(
        "looked again and again instead of waiting",
        "",
        "Wait for what ends the waiting: it wakes you at that moment, and until then costs "
        "nothing.",
    ),
    "wake-up": Kind(
        "woke nobody, or not those who waited",
        "",
        "Whoever waits must be kept where the one who ends the waiting finds it, and each of "
        "them is woken once.",
    ),
    "stale wake-up": Kind(
        "left a timer or a waiter behind",
        "",
        "What was set up to wake a task must be taken back when the task goes on for another "
        "reason.",
    ),
}
