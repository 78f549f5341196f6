"""Who runs now, in this thread and in this context: what every recorder asks for."""

import contextvars
import threading

within = contextvars.ContextVar(
    "helpers.recording.current.within", default=(None, None)
)  # (recording key, lane)
# .cell: the cell whose step runs in this thread; .talking: lanes of generators that run in it
here = threading.local()
