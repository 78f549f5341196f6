"""Stage 5, handles: a call that is to be made in its context, unless it is cancelled before."""

from contextvars import copy_context

from . import tasks


class Handle:
    """A function on its way to be called. In the queue it is called as a task's step is."""

    __slots__ = ("function", "arguments", "context")

    def __init__(self, loop, function, arguments, context=None):
        if loop.closed:
            loop.check_open()
        self.function, self.arguments = function, arguments
        self.context = copy_context() if context is None else context

    def __repr__(self):
        state = "cancelled" if self.cancelled() else f"{self.function!r} with {self.arguments!r}"
        return f"<{type(self).__name__} {state}>"

    def __call__(self):
        self.context.run(self.function, *self.arguments)
        self = None  # the error of a task that failed keeps this frame, and so it would keep itself

    def cancel(self):
        self.function, self.arguments = tasks.nothing, ()

    def cancelled(self):
        return self.function is tasks.nothing

    def get_context(self):
        return self.context


class Timer(Handle):
    """A function that is called when its deadline is over."""

    __slots__ = ("entry",)  # in the heap, as `Timers.add` makes one

    def cancel(self):
        if not self.cancelled():
            super().cancel()
            if len(self.entry) == 3:  # else it is due, and has its turn already
                self.entry.pop()

    def when(self):
        return self.entry[0]
