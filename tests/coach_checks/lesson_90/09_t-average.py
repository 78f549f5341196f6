from helpers.coach import Exercise, right, wrong


class Average(Exercise):
    """A running average that cleans up"""

    id = "t-average"
    asks = "average"

    def verify(self, average, lab):
        log = []
        talk = lab.generator(lab.call(average, log))
        next(talk)
        lab.equal([talk.send(10), talk.send(20)], [10, 15], what="it yielded")
        talk.close()
        lab.equal(log, ["closed"], what="the log holds")

    @right
    def with_finally(log):
        """Receive numbers, yield their average so far."""
        total = count = 0
        average = None
        try:
            while True:
                total += yield average
                count += 1
                average = total / count
        finally:
            log.append("closed")

    @wrong("ignored close", says="generator ignored GeneratorExit")
    def swallows(log):
        total = count = 0
        average = None
        while True:
            try:
                total += yield average
                count += 1
                average = total / count
            except GeneratorExit:
                log.append("closed")

    @wrong("value", says="[]")
    def no_finally(log):
        total = count = 0
        average = None
        while True:
            total += yield average
            count += 1
            average = total / count
