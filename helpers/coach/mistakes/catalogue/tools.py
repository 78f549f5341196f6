"""Which tool for what: predictions of times, threads and processes, tests, benchmarks."""

from helpers.coach.mistakes.catalogue.kind import Kind

KINDS = {
    "wait for work": Kind(
        "took a wait for work",
        "",
        "Would a faster processor help? If not, it waits.",
    ),
    "work for a wait": Kind(
        "took work for a wait",
        "",
        "Would a faster processor help? If so, it works, and tasks can't overlap it.",
    ),
    "overlap added up": Kind(
        "added up what overlaps",
        "",
        "Waits that overlap take together as long as the longest. Draw them side by side.",
    ),
    "overlap imagined": Kind(
        "let overlap what can't",
        "",
        "Count how many can be under way at the same moment. The rest comes after them.",
    ),
    "first for last": Kind(
        "let it end before the last one",
        "",
        "Whoever waits for all waits for the last one to end.",
    ),
    "bottleneck": Kind(
        "took another stage for the slowest",
        "",
        "Compute how many items a second each stage finishes. The smallest number decides.",
    ),
    "async def unblocks": Kind(
        "mistook what `async def` does for blocking code",
        "",
        "An `async def` runs on the loop, and blocks it if it never awaits. What blocks "
        "belongs in a thread.",
    ),
    "blames the waiting": Kind(
        "blamed the one who waits",
        "",
        "A line that waits with `await` lets the others run. Look for the one that holds the "
        "thread.",
    ),
    "threads compute": Kind(
        "expected threads to share out work",
        "",
        "With a GIL, threads take turns on one core. Processes have a core each.",
    ),
    "async computes": Kind(
        "expected async to make work faster",
        "",
        "All tasks of a loop run in one thread: nothing in work pauses, so it goes in turn.",
    ),
    "thread goes on": Kind(
        "took a thread for one that can be stopped",
        "",
        "Nothing stops a thread from outside. Let it look at a flag.",
    ),
    "shipping": Kind(
        "paid more for the way than for the work",
        "",
        "Sending costs time for each call and each byte. Send enough work at once, and keep "
        "the data where they are.",
    ),
    "heavy tool": Kind(
        "took a tool that buys nothing",
        "",
        "Ask what could overlap, and what needs a core. The simplest that does it is enough.",
    ),
    "passes the broken": Kind(
        "passes what is broken",
        "",
        "Which line of your test should fail there?",
    ),
    "fails the right": Kind(
        "fails what is right",
        "",
        "Test what was promised, and nothing besides.",
    ),
    "circle of waits": Kind(
        "mistook who waits for whom",
        "",
        "Follow the way from each task to what it waits for. Only a circle is a deadlock.",
    ),
    "unfair measuring": Kind(
        "measured unfairly",
        "",
        "Same work and limits, in turns, after a first run; errors counted; and the median of "
        "several runs.",
    ),
}
