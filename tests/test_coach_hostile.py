"""A hundred answers that mean harm: the next right one passes, and nothing of them is left.

Each is the body of an answer. What a verdict on it says is asked in the tests of its subject; here
only that there is one, in time, and that it has done no harm.
"""

import asyncio
import os
import sys
import threading

import psutil
import pytest

from helpers.coach.judging.sandbox import sandbox
from tests.coach_cells import answer, ask

pytestmark = pytest.mark.skipif(os.name == "nt", reason="most of them speak to POSIX")

LIMIT = 1.0  # seconds for what hangs; the exercise itself needs some milliseconds

EXITS = r"""
os._exit(0)
os._exit(1)
sys.exit()
sys.exit("bye")
raise SystemExit(0)
raise KeyboardInterrupt
raise GeneratorExit
raise BaseException("anything")
exit()
os.abort()
os.kill(os.getpid(), 9)
os.kill(os.getpid(), 15)
os.kill(os.getpid(), 11)
os.kill(os.getpid(), 19)
os.kill(os.getpid(), 2)
os.kill(os.getppid(), 15)
os.kill(os.getppid(), 9)
os.kill(os.getppid(), 19)
os.killpg(0, 9)
os.killpg(0, 15)
os.killpg(os.getpgid(os.getppid()), 9)
os.killpg(os.getpgid(os.getppid()), 2)
os.execv("/bin/true", ["true"])
os.execv("/bin/sleep", ["sleep", "60"])
import ctypes; ctypes.string_at(0)
import faulthandler; faulthandler._sigsegv()
import signal; signal.alarm(1)
import signal; signal.raise_signal(signal.SIGTERM)
import signal; signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
import signal; signal.setitimer(signal.ITIMER_PROF, 0.01)
import threading; threading.Thread(target=os._exit, args=(7,)).start()
import atexit; atexit.register(os.abort)
"""

PROCESSES = r"""
os.fork()
os.fork(); os.fork(); os.fork()
while True: os.fork() or os._exit(0)
if not os.fork(): os.setsid(); time.sleep(300)
if not os.fork(): os.fork(); os.setsid(); os.execv("/bin/sleep", ["sleep", "300"])
subprocess.Popen(["sleep", "300"])
subprocess.Popen(["sleep", "300"], start_new_session=True)
subprocess.Popen(["sleep", "300"], env={}, start_new_session=True)
subprocess.Popen("sleep 300 & sleep 300 & sleep 300", shell=True, start_new_session=True)
subprocess.run(["sh", "-c", "(setsid sleep 300 &) ; exit 3"])
os.system("sleep 300 &")
os.posix_spawn("/bin/sleep", ["sleep", "300"], {})
await asyncio.create_subprocess_exec("sleep", "300")
import multiprocessing as m; m.get_context("spawn").Process(target=time.sleep, args=[300]).start()
import multiprocessing as m; m.get_context("fork").Process(target=time.sleep, args=[300]).start()
from concurrent.futures import ProcessPoolExecutor as Pool; Pool(2).submit(time.sleep, 300)
"""

THREADS = r"""
threading.Thread(target=time.sleep, args=(300,)).start()
threading.Thread(target=time.sleep, args=(300,), daemon=True).start()
threading.Timer(0.1, os._exit, (0,)).start()
for _ in range(50): threading.Thread(target=time.sleep, args=(300,), daemon=True).start()
import _thread; _thread.start_new_thread(time.sleep, (300,))
import _thread; _thread.interrupt_main()
threading.main_thread().join()
asyncio.get_running_loop().run_in_executor(None, time.sleep, 300)
threading.excepthook = None; threading.Thread(target=len).start()
"""

HANGS = r"""
while True: pass
while True: await asyncio.sleep(0)
while True: asyncio.sleep(0)
sum(range(10 ** 12))
10 ** 10 ** 9
await asyncio.Event().wait()
threading.Event().wait()
threading.Lock().acquire() and threading.Lock().acquire()
lock = threading.Lock(); lock.acquire(); lock.acquire()
import re; re.match("(a*)*b", "a" * 40)
input()
sys.stdin.read()
os.read(os.pipe()[0], 1)
socket.create_server(("127.0.0.1", 0)).accept()
__import__("select").select([], [], [])
asyncio.get_running_loop().stop()
asyncio.get_running_loop().close()
"""

FLOODS = r"""
print("x" * 10 ** 8)
while True: print("x" * 1000)
for _ in range(10 ** 6): print()
os.write(1, b"x" * 10 ** 7)
os.write(2, b"x" * 10 ** 7)
for number in range(3, 64): os.write(number, b"x" * 1000)
sys.__stdout__.write("x" * 10 ** 7)
x = bytearray(1 << 34)
x = [0] * 10 ** 10
x = []; [x.append(" " * 10 ** 7) for _ in iter(int, 1)]
raise ValueError("x" * 10 ** 8)
return ["x" * 10 ** 7] * 50
def deep(): deep()\ndeep()
x = []\nfor _ in range(10 ** 6): x = [x]\nreturn x
[open(os.devnull) for _ in range(10 ** 6)]
"""

CHANGES = r"""
os.closerange(0, 256)
os.close(0); os.close(1); os.close(2)
sys.stdout.close()
sys.stdout = sys.stderr = None
sys.modules.clear()
sys.path.clear()
sys.settrace(lambda *a: 1 / 0)
sys.setprofile(lambda *a: 1 / 0)
sys.setrecursionlimit(10 ** 6)
sys.setswitchinterval(100)
import builtins; builtins.len = builtins.isinstance = None
import builtins; builtins.__dict__.clear()
import builtins; builtins.print = builtins.open = builtins.repr = lambda *a, **k: 1 / 0
import gc; gc.disable(); gc.freeze()
import gc; [thing.clear() for thing in gc.get_objects() if type(thing) is dict]
import pickle; pickle.dumps = pickle.loads = lambda *a: b"x"
import linecache; linecache.getline = None
import json, asyncio.base_events as b; b.BaseEventLoop._run_once = lambda self: None
asyncio.gather = asyncio.Task = asyncio.sleep = None
import time as t; t.monotonic = t.perf_counter = t.time = t.sleep = None
import random; random.seed = None
import warnings; warnings.simplefilter("error")
import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
import helpers.coach.judging.check as c; c.Check._finish = c.Check.reply = None
import helpers.coach.form.statement as s; s.Wrong = s.same_value = None
import tempfile, shutil; os.chdir(tempfile.mkdtemp()); shutil.rmtree(os.getcwd())
os.umask(0o777)
os.environ.clear()
asyncio.set_event_loop_policy(None); asyncio.events._set_running_loop(None)
"""

OBJECTS = {
    "equal to all": "__eq__ = lambda self, other: True",
    "no hash": "__eq__ = lambda self, other: 1 / 0\n    __hash__ = None",
    "no repr": "__repr__ = lambda self: os._exit(0)",
    "no string": "__str__ = __repr__ = lambda self: 7",
    "true and false": "__bool__ = lambda self: 1 / 0",
    "endless": "__iter__ = lambda self: iter(int, 1)\n    __len__ = lambda self: 3",
    "any attribute": "__getattr__ = lambda self, name: self\n    __call__ = lambda self, *a: self",
    "another class": "__class__ = property(lambda self: list)",
    "unpickling exits": "__reduce__ = lambda self: (os._exit, (0,))",
    "its end exits": "__del__ = lambda self: os._exit(0)",
}

BODIES = [
    line.replace("\\n", "\n")
    for part in (EXITS, PROCESSES, THREADS, HANGS, FLOODS, CHANGES)
    for line in part.strip().splitlines()
]


def children():
    return {process.pid: process for process in psutil.Process().children(recursive=True)}


@pytest.fixture
def harmless():
    """What the notebook has is as it was, and nothing is left running but the judge."""
    assert ask("t-together", answer("", right=True)).status == "solved"
    before = set(children()), set(threading.enumerate()), os.getcwd(), os.umask(0)
    os.umask(before[3])
    yield
    assert ask("t-together", answer("", right=True)).status == "solved"
    judge = sandbox.process.popen.pid
    left = [process for pid, process in children().items() if pid not in before[0]]
    left = [process for process in left if process.pid != judge]
    psutil.wait_procs(left, timeout=5)
    assert not [process.cmdline() for process in left if process.is_running()]
    new = set(threading.enumerate()) - before[1]
    assert {thread.name for thread in new} <= {"coach"}  # a new judge has a new reader
    assert os.getcwd() == before[2] and os.path.isdir(before[2])
    assert asyncio.run(asyncio.sleep(0, "alive")) == "alive" and not sys.stdout.closed


def test_there_are_a_hundred_of_them():
    assert len(BODIES) + len(OBJECTS) >= 100


@pytest.mark.parametrize("body", BODIES)
def test_a_hostile_answer_harms_nobody(body, harmless):
    ask("t-together", answer(body), limit=LIMIT)


@pytest.mark.parametrize("body", OBJECTS.values(), ids=OBJECTS)
def test_a_hostile_object_harms_nobody(body, harmless):
    hostile = f"class Hostile:\n    {body}\n"
    verdict = ask("t-together", answer("return [Hostile() for url in urls]", hostile), limit=LIMIT)
    assert verdict.status == "not yet", verdict.text()
