"""The answer itself: its value and form, and what keeps it from being judged."""

from helpers.coach.mistakes.catalogue.kind import Kind

KINDS = {
    "value": Kind(
        "wrong value",
        "",
        "Compare what came with what was expected, and follow this call through your code.",
    ),
    "order": Kind(
        "wrong order",
        "",
        "The items are right, their order is not. Keep the order in which they were asked for, "
        "whichever became ready first.",
    ),
    "raised": Kind(
        "raised an error",
        "raises it",
        "",
    ),
    "falsy": Kind(
        "took None, 0 or nothing for the end",
        "",
        "What is 0 or empty is an item like any other, and None may be one. Compare with a mark "
        "of your own: `end = object()`.",
    ),
    "stopped early": Kind(
        "stopped before the end",
        "",
        "Go on until the very sign of the end comes.",
    ),
    "lost items": Kind(
        "lost items",
        "",
        "Follow one item from where it is taken to where it is kept.",
    ),
    "done twice": Kind(
        "did it more than once",
        "",
        "Do it once and keep what came of it; what somebody has taken is taken.",
    ),
    "calls": Kind(
        "made other calls than were asked",
        "",
        "Count what is asked for, and follow each one through your code.",
    ),
    "idempotence": Kind(
        "counted it once more when it was repeated",
        "",
        "Let the second run write what is there already: the id tells whether it is the same.",
    ),
    "counted wrong": Kind(
        "counted wrong",
        "",
        "Go through it for 0, 1 and 2, and count by hand.",
    ),
    "another form": Kind(
        "another form",
        "",
        "Compare the form with the one that is asked for.",
    ),
    "not a function": Kind(
        "not a function",
        "",
        "Pass the function itself.",
    ),
    "arguments": Kind(
        "takes other arguments",
        "",
        "Keep the parameters of the stub.",
    ),
    "unsendable": Kind(
        "could not be taken along",
        "",
        "Your answer runs in a process of its own, where it can do no harm. Make such things "
        "inside the function.",
    ),
    "endless": Kind(
        "did not come to an end",
        "is where it was",
        "Look for what should end this loop or this wait.",
    ),
    "recursion": Kind(
        "called itself too often",
        "calls itself again",
        "Python allows about a thousand calls inside one another. What may go on for longer is a "
        "loop; and a recursion needs a case that calls no further.",
    ),
    "memory": Kind(
        "took too much memory",
        "asks for more",
        "Does something grow without end?",
    ),
    "exits": Kind(
        "ended the interpreter",
        "ends it",
        "Return from the function instead; in your kernel this would have ended your session.",
    ),
    "crashed": Kind(
        "crashed the interpreter",
        "was running",
        "",
    ),
    "too busy": Kind(
        "this machine is too busy to tell",
        "",
        "Run it again, best when less else is running. This check is not counted.",
    ),
    "judge failed": Kind(
        "the judge failed",
        "",
        "That is a fault of the course, not of your answer.",
    ),
    "thread": Kind(
        "left a thread running",
        "is where it runs",
        "A thread is not stopped from outside. Give it a way to end, and wait for it with `join`.",
    ),
    "process": Kind(
        "left a process running",
        "",
        "Wait for every process that you start, or end it.",
    ),
    "changed": Kind(
        "changed something that all code shares",
        "changes it",
        "Your kernel is unharmed. Leave it as it is, and change only what is your own.",
    ),
}
