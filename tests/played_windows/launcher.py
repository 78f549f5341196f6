"""What `python.exe` of a Windows `.venv` is: it starts Python as a child, and ends with it.

Its process id is all that the parent knows. Whoever ends it ends Python as well, as the job object
does in which Windows puts the two.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

child = os.fork()
if not child:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is Python's to answer
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xFF)
