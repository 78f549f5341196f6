from helpers.coach import Exercise, wrong_value


class PredictQueue(Exercise):
    """Predict a queue

    Read this program, and do not run it.

        def g(name, turns):
            for _ in range(turns):
                log.append(name)
                yield

        def p():
            log.append("P")
            ready.append(g("D", 2))
            yield
            log.append("P")

        log = []
        ready = deque([g("A", 2), p(), g("C", 1)])
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.append(generator)
        order = "".join(log)

    Set `order` to the string of letters.
    """

    id = "queue-1"
    asks = "order"
    minutes = 5
    hints = (
        "Write down the queue after each turn. Which one is taken from the left, and which one "
        "joins at the right?",
        "`p` puts D into the queue in the middle of its own turn. It joins the queue itself only "
        "when that turn is over.",
        "After three turns the queue is A, D, P, C: the log is APC so far. Go on from there.",
    )
    right_values = ("APCADPD", list("APCADPD"), "A P C A D P D", "A, P, C, A, D, P, D", "apcadpd")
    wrong_values = (
        wrong_value(
            "APCAPDD",
            "turns",
            "You let P queue before D. P made D join while its own turn was still going "
            "on, and joined the queue after that turn.",
            headline="queued too late",
        ),
        wrong_value(
            "APDCADP",
            "queued is run",
            "You let D run as soon as it was appended. To append is not to run: its turn "
            "comes when all before it have had theirs.",
            headline="ran when it was queued",
        ),
        wrong_value(
            "APDCAPD",
            "queued is run",
            "You let D run as soon as it was appended. To append is not to run: its turn "
            "comes when all before it have had theirs.",
            headline="ran when it was queued",
        ),
        wrong_value(
            "AAPPCDD",
            "turns",
            "You let each generator run until it ended. One `send` runs it to its next "
            "`yield`, and then it goes to the end of the queue.",
            headline="ran each to its end",
        ),
        wrong_value(
            "AAPPDDC",
            "turns",
            "You let each generator run until it ended. One `send` runs it to its next "
            "`yield`, and then it goes to the end of the queue.",
            headline="ran each to its end",
        ),
        wrong_value(
            "APCAPD",
            "counted wrong",
            "D has two turns. Count how often each letter must come.",
            headline="a turn is missing",
        ),
        wrong_value(
            "APCADD",
            "counted wrong",
            "P has something to log after its `yield` as well. The turn in which a "
            "generator ends is a turn.",
            headline="a turn is missing",
        ),
    )
