"""Tasks: their ends, their errors, cancellation and time limits."""

from helpers.coach.mistakes.catalogue.kind import Kind

KINDS = {
    "leaked": Kind(
        "left a task running",
        "",
        "Await every task that you start, or cancel it and await its end. A TaskGroup awaits all "
        "that it has started.",
    ),
    "losers": Kind(
        "left the others running",
        "",
        "Once the answer is there, cancel the others and await them: one that goes on still "
        "holds its connection.",
    ),
    "task not kept": Kind(
        "let go of a running task",
        "",
        "The loop doesn't hold on to a task that waits. Keep a reference to it until it is done.",
    ),
    "siblings": Kind(
        "mistook who stops whom",
        "",
        "When one fails, `gather` and `wait` leave the others running; a TaskGroup cancels "
        "them and waits for them.",
    ),
    "early return": Kind(
        "did not wait for the end",
        "",
        "Starting, and asking to stop, return at once. Await what was begun before you return.",
    ),
    "future for its result": Kind(
        "took a future for its result",
        "",
        "A future only stands for what will be there. Await it, or ask for its result when it "
        "is done.",
    ),
    "lost error": Kind(
        "lost an error",
        "",
        "An error has to reach whoever called or awaits. What keeps it back: a task that nobody "
        "awaits, an `except` that catches too much, a `return` in a `finally`?",
    ),
    "one failure ends all": Kind(
        "let one failure end it",
        "",
        "Catch what may fail around that one call, and go on with the others.",
    ),
    "caught too much": Kind(
        "caught too much",
        "",
        "Catch only the errors that you mean. `except Exception` lets a cancellation and the "
        "stop button pass, and a bare `except` doesn't.",
    ),
    "caught too little": Kind(
        "let an error out that it should catch",
        "",
        "Which errors are to be expected here? Catch those by name, where they are raised.",
    ),
    "error for a result": Kind(
        "took an error for a result",
        "",
        "An error among the results is raised nowhere. Look at each, and keep apart what failed.",
    ),
    "another error": Kind(
        "the wrong error",
        "",
        "The error that came has to come out itself. Catch only what you mean; a bare `raise` lets "
        "an error go on.",
    ),
    "swallowed": Kind(
        "swallowed the cancellation",
        "catches the cancellation, and it is not raised again",
        "Catch only the errors that you mean. An `except` that has to clean up ends with a "
        "`raise`.",
    ),
    "cut off": Kind(
        "the cleanup was cut off",
        "is where the cleanup was",
        "A cleanup that awaits can be cancelled as well. Let a task of its own do it, shielded, "
        "with a limit of time in that task, and wait for it.",
    ),
    "cancel is instant": Kind(
        "took asking for ending",
        "",
        "`cancel` only asks. The task hears of it in its next turn, and ends after its "
        "cleanup: await it.",
    ),
    "what cancelling leaves": Kind(
        "mistook what a cancellation leaves",
        "",
        "A cancellation ends the wait where the task stands, and its `finally` runs. A task "
        "that has not begun never begins, and what was done stays done.",
    ),
    "cancel passed on": Kind(
        "mistook where a cancellation goes",
        "",
        "A cancellation goes on to the task that is awaited, and no further. `shield` keeps "
        "it from the inner task, not from whoever awaits.",
    ),
    "awaited the cancelled": Kind(
        "met the error of a task that was cancelled",
        "",
        "Whoever awaits a cancelled task gets its CancelledError. `gather(*tasks, "
        "return_exceptions=True)` keeps it.",
    ),
    "others' tasks": Kind(
        "took other tasks for its own",
        "",
        "`asyncio.all_tasks()` holds everybody's, the current one too. Keep a list of those "
        "that you start.",
    ),
    "timeout interrupts": Kind(
        "let a timeout interrupt work",
        "",
        "A timeout is told at an `await`. Code that never awaits runs to its end.",
    ),
    "time limit": Kind(
        "limited the time wrongly",
        "",
        "Put `async with asyncio.timeout(seconds)` around the very wait that is to be "
        "limited, and around no more.",
    ),
    "limits add up": Kind(
        "took many limits for one",
        "",
        "Limits for each call do not add up to one for the whole: put one around all of it.",
    ),
    "whose timeout": Kind(
        "mistook whose timeout it was",
        "",
        "A TimeoutError doesn't tell whose it is. `timeout(…) as cm` and `cm.expired()` do.",
    ),
    "late": Kind(
        "went on later than it could",
        "",
        "Wait for the event itself, not for the clock and not for something else first.",
    ),
}
