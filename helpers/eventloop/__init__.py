"""The event loop that lessons 05 to 09 build, one file a stage.

ready.py: a queue of paused functions.  timers.py: sleep.  tasks.py: futures, tasks, cancelling.
sockets.py: the network, and other threads.
"""
