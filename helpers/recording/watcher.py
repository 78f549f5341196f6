"""A thread that names the line at which a step holds up the loop, while one is recorded."""

import sys
import threading

from helpers.basics.places import learner_frame
from helpers.recording.model import LOOK


class Watcher:
    """Looks at the recorded loops now and then, and writes down at which line a step is."""

    def __init__(self, logs):
        self.logs = logs
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.watch, name="recorder-watcher", daemon=True)
        self.thread.start()

    def stop(self) -> None:
        self.over.set()
        self.thread.join()

    def watch(self) -> None:
        while not self.over.wait(LOOK):
            for log in self.logs:
                lane, before = log.running, len(log.steps) // 3
                if lane is not None:
                    frame = learner_frame(sys._current_frames().get(log.thread))
                    if frame is not None:
                        log.samples[lane, before][frame.f_code, frame.f_lineno] += 1
