import contextlib

from helpers.coach import Exercise, right, wrong


class Opened(Exercise):
    """A context manager"""

    id = "t-manager"
    asks = "opened"

    def verify(self, opened, lab):
        log = []
        try:
            with lab.call(opened, log):
                log.append("inside")
                raise KeyError
        except KeyError:
            log.append("out")
        lab.equal(log, ["open", "inside", "closed", "out"], what="the log holds")

    @contextlib.contextmanager
    @right
    def with_finally(log):
        """Log that it is open, and that it is closed again."""
        log.append("open")
        try:
            yield
        finally:
            log.append("closed")

    @wrong("value", says="['open', 'inside', 'out']")
    @contextlib.contextmanager
    def without(log):
        log.append("open")
        yield
        log.append("closed")
