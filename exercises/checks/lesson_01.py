"""Exercises of lesson 01: waiting and working."""

import inspect
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from threading import Thread

from helpers.coach import Exercise, Wrong, right, wrong, wrong_value

PATIENCE = 0.4  # seconds that a job waits for those that should run beside it
TOOLS = {
    "a": "threads",
    "b": "asyncio",
    "c": "processes",
    "d": "one after another",
    "e": "one after another",
    "f": "one after another",
}
SECONDS = {"threads": 8, "processes": 2, "asyncio": 8}


class Job:
    """One function without parameters; `Jobs` notes who calls it."""

    def __init__(self, jobs, number, seconds):
        self.jobs, self.number, self.seconds = jobs, number, seconds

    def __repr__(self):
        return f"job_{self.number}"

    def __call__(self):
        self.jobs.begin(self.number)
        time.sleep(self.seconds)
        self.jobs.end(self.number)
        return f"result {self.number}"


class Jobs:
    """Jobs that note in which thread they run, and how many run at once.

    They come in groups of `together`: each waits until its whole group is there, so that jobs which
    run at the same time are told from others by what they do, not by how long they take.
    """

    def __init__(self, seconds, together):
        self.all = [Job(self, number, length) for number, length in enumerate(seconds)]
        self.together = together
        self.caller = threading.get_ident()
        self.started, self.ended, self.in_caller = [], [], []
        self.flying = self.peak = 0
        self.met = True
        self._group = threading.Barrier(together)
        self._lock = threading.Lock()

    def begin(self, number):
        with self._lock:
            self.started.append(number)
            self.flying += 1
            self.peak = max(self.peak, self.flying)
        if threading.get_ident() == self.caller:
            self.in_caller.append(number)
            return
        try:
            self._group.wait(PATIENCE)
        except threading.BrokenBarrierError:
            self.met = False

    def end(self, number):
        with self._lock:
            self.flying -= 1
            self.ended.append(number)

    def check_handed_over(self, lab, line):
        """Raise Wrong, at `line`, if jobs ran in the thread that called the answer."""
        if self.in_caller:
            raise Wrong(
                "called, not handed over",
                f"{len(self.in_caller)} of {len(self.all)} jobs ran in the thread that called "
                f"`{lab.asks}`, not in a thread of their own.",
                line,
                "Parentheses call a function here and now, and so does `run()`. Hand over the "
                "function itself, without parentheses, to a thread that you `start()` or to a "
                "pool.",
            )

    def check_together(self, line):
        """Raise Wrong, at `line`, if fewer jobs ran at once than should."""
        if self.met:
            return
        observed = (
            f"At most {self.peak} of {len(self.all)} jobs ran at once; {self.together} should."
        )
        if self.peak > 1:
            raise Wrong(
                "too few at once",
                observed,
                line,
                "Count the threads that you make, and the jobs that could run.",
            )
        raise Wrong(
            "ran one after another",
            observed,
            line,
            "Who waits for one job before starting the next gets a staircase. Start all in "
            "a first loop, and wait for them in a second.",
        )


class Classify(Exercise):
    """Waiting or working?

    Ten jobs of your program. Which of them wait?

    - a: ask a weather service for tomorrow's forecast
    - b: sort ten million numbers
    - c: unpack a large archive that is in memory already
    - d: read what the user types at `input()`
    - e: `while not door.is_open(): pass`
    - f: let a database on another machine sort ten million rows, and take the first
    - g: turn 500 photos in memory into small ones
    - h: start another program with `subprocess.run`, which computes for an hour
    - i: turn 100 MB of JSON that has just come over the network into a dict
    - j: take a lock that another thread holds

    Set `waiting` to the letters of the jobs that wait, as in `waiting = "a b c"`.
    """

    id = "classify-1"
    asks = "waiting"
    minutes = 4
    hints = (
        "Would a faster processor, in your own machine, end the job sooner? If not, it waits.",
        "Ask who computes: your program, another program, or nobody? Only what your program "
        "computes is its work.",
        "There are five that wait. Look twice at the one that asks the same thing again and again "
        "as fast as it can, and at the one that starts another program.",
    )
    right_values = ("a d f h j", "adfhj", {"a", "d", "f", "h", "j"}, ["a", "d", "f", "h", "j"])
    wrong_values = (
        wrong_value("d f h j", "took a wait for work", "a waits: the answer travels"),
        wrong_value("a b d f h j", "took work for a wait", "b works"),
        wrong_value("a c d f h j", "took work for a wait", "c works"),
        wrong_value("a f h j", "took a wait for work", "d waits: a person types"),
        wrong_value("a d e f h j", "took work for a wait", "never lets go of the core"),
        wrong_value("a d h j", "took a wait for work", "f waits: the other machine"),
        wrong_value("a d f g h j", "took work for a wait", "g works"),
        wrong_value("a d f j", "took a wait for work", "h waits: the other program"),
        wrong_value("a d f h i j", "took work for a wait", "the network's part is over"),
        wrong_value("a d f h", "took a wait for work", "j waits"),
        wrong_value("b c e g i", "mixed up waiting and working", "a waits"),
        wrong_value("a d e h j", "mixed up waiting and working", "e works"),
        wrong_value("a z", "value", "z"),
        wrong_value(5, "value", "letters"),
    )

    reasons = {
        "a": "the answer travels, and your program can do nothing to hurry it",
        "b": "comparing ten million numbers is computing from beginning to end",
        "c": "nothing has to be fetched any more; unpacking is arithmetic",
        "d": "a person types, and the processor is idle between two keys",
        "e": "it would like to wait, but it asks again and again, as fast as it can, and never "
        "lets go of the core",
        "f": "the other machine sorts; yours gets one row when that is done",
        "g": "each point of a small photo is computed from many of the large one",
        "h": "the other program computes, in a process of its own; yours only looks for its end",
        "i": "the network's part is over; what remains is reading 100 million characters",
        "j": "until the other thread lets go, this one is asleep",
    }

    def verify(self, waiting, lab):
        try:
            letters = {letter for letter in "".join(waiting) if letter not in " ,"}
        except TypeError:
            raise Wrong(
                "value",
                f"`waiting` is {waiting!r}; asked are letters.",
                try_='Write the letters in one string, such as "a b c".',
            ) from None
        if strange := sorted(letters - set(self.reasons)):
            raise Wrong(
                "value",
                f"There is no job {', '.join(strange)}.",
                try_="The jobs have the letters a to j.",
            )
        expected = set("adfhj")
        missing, extra = sorted(expected - letters), sorted(letters - expected)
        if not missing and not extra:
            return
        kind = (
            "mixed up waiting and working"
            if missing and extra
            else "took a wait for work"
            if missing
            else "took work for a wait"
        )
        said = [
            f"{letter} {'waits' if letter in expected else 'works'}: {self.reasons[letter]}."
            for letter in sorted(missing + extra)
        ]
        raise Wrong(kind, " ".join(said), try_="Would a faster processor in your machine help it?")


class PickTheTool(Exercise):
    """Pick the tool

    Six pieces of work, and four ways to run each: "one after another", "threads", "processes" or
    "asyncio". Your Python has a GIL, your machine eight cores. Take the simplest way that is about
    as fast as any.

    - a: fetch 20 pages with a library that knows nothing of `await`
    - b: hold 10,000 chat connections on which little happens, with a library made for `await`
    - c: count the words of 4,000 books that are in memory, half a second of pure Python each
    - d: read one small file and print it
    - e: follow a trail of 20 pages, of which each names the next
    - f: add up four short lists, a millisecond of work each

    Set `tools` to a dict from each letter to a way, as in `tools = {"a": "threads", "b": …}`.
    """

    id = "tool-1"
    asks = "tools"
    minutes = 5
    hints = (
        "First ask for each: does it wait or work? Then: is there anything that could overlap?",
        "What waits can overlap in threads or on a loop: a few, or a job without `await`, in "
        "threads; very many on a loop. What works takes processes, if it takes long enough to pay "
        "for their start.",
        "Three of the six are best left one after another: two have nothing that could overlap, "
        "and one is over before any helper has started.",
    )
    right_values = (TOOLS,)
    wrong_values = tuple(
        wrong_value(TOOLS | {letter: tool}, kind, says)
        for letter, tool, kind, says in [
            ("c", "threads", "expected threads to share out work", "take turns on one core"),
            ("c", "asyncio", "expected async to make work faster", "nothing in them pauses"),
            ("c", "one after another", "left cores idle", "seven cores"),
            ("a", "asyncio", "put jobs on a loop that never pause", "no `await` in it"),
            ("a", "processes", "paid for cores that nobody needs", "20 new Pythons"),
            ("a", "one after another", "left waits in a row", "add up"),
            ("b", "threads", "took a thread for each of very many", "10,000 threads"),
            ("b", "processes", "took a process for each of very many", "10,000 processes"),
            ("b", "one after another", "left waits in a row", "nobody else is heard"),
            ("d", "threads", "wanted to overlap what is alone", "one job"),
            ("e", "asyncio", "wanted to overlap what needs the one before", "the next address"),
            ("f", "processes", "paid more for the start than for the work", "longer to start"),
            ("f", "threads", "expected threads to share out work", "take turns on one core"),
        ]
    ) + (
        wrong_value({"a": "threads"}, "value", "missing"),
        wrong_value(TOOLS | {"a": "goroutines"}, "value", "goroutines"),
    )

    ways = ("one after another", "threads", "processes", "asyncio")
    mistakes = {
        ("a", "one after another"): (
            "left waits in a row",
            "Pages are waits, and one after another their times add up.",
        ),
        ("a", "processes"): (
            "paid for cores that nobody needs",
            "Waits need no core. That would start up to 20 new Pythons to let them sleep.",
        ),
        ("a", "asyncio"): (
            "put jobs on a loop that never pause",
            "The library has no `await` in it, so a task that calls it keeps the loop until the "
            "page is there: one after another again.",
        ),
        ("b", "one after another"): (
            "left waits in a row",
            "While you wait for the first connection, nobody else is heard.",
        ),
        ("b", "threads"): (
            "took a thread for each of very many",
            "10,000 threads cost memory and start-up time only to sleep; a task is far cheaper.",
        ),
        ("b", "processes"): (
            "took a process for each of very many",
            "10,000 processes, and each of them asleep.",
        ),
        ("c", "one after another"): ("left cores idle", "It is work, and seven cores look on."),
        ("c", "threads"): (
            "expected threads to share out work",
            "It is pure Python work: with a GIL, threads take turns on one core.",
        ),
        ("c", "asyncio"): (
            "expected async to make work faster",
            "These jobs only compute: nothing in them pauses, so the loop runs them in turn.",
        ),
        ("f", "processes"): (
            "paid more for the start than for the work",
            "A process takes many times longer to start than these lists take to add up.",
        ),
        ("f", "threads"): (
            "expected threads to share out work",
            "It is pure Python work: with a GIL, threads take turns on one core.",
        ),
        ("f", "asyncio"): (
            "expected async to make work faster",
            "These jobs only compute: nothing in them pauses, so the loop runs them in turn.",
        ),
    }

    def verify(self, tools, lab):
        if not isinstance(tools, dict) or set(tools) != set(TOOLS):
            lab.equal(tools, TOOLS, what="`tools` is", secret=True)
        for letter, tool in tools.items():
            if tool not in self.ways:
                raise Wrong(
                    "value",
                    f"For {letter} you say {tool!r}.",
                    try_=f"The four ways are: {', '.join(self.ways)}.",
                )
        wrong_ones = [letter for letter in TOOLS if tools[letter] != TOOLS[letter]]
        if not wrong_ones:
            return
        first = wrong_ones[0]
        kind, observed = self.mistakes.get((first, tools[first])) or self.no_overlap(first)
        others = f" Look again at {', '.join(wrong_ones[1:])} too." if wrong_ones[1:] else ""
        raise Wrong(
            kind,
            f"Job {first}, {tools[first]}: {observed}{others}",
            try_="Ask: does it wait or work, how many are there, can they overlap at all?",
        )

    def no_overlap(self, letter):
        if letter == "d":
            return "wanted to overlap what is alone", "There is one job, and nothing beside it."
        return (
            "wanted to overlap what needs the one before",
            "Only when a page is there do you know the next address.",
        )


class PredictWaits(Exercise):
    """Predict: twelve waits, five threads

    A pool of five threads is handed twelve jobs. Each job sleeps for half a second.
    After how many seconds is the last one done? Set `seconds` to a number. (What it takes to start
    a thread doesn't count.)
    """

    id = "predict-waits-1"
    asks = "seconds"
    minutes = 3
    hints = (
        "Think of the bank: five tellers, twelve customers, half a second each.",
        "Who is served in the first half second? Who in the next? How many are left then?",
        "Five, five and two make three rounds: `math.ceil(12 / 5)` of them.",
    )
    right_values = (1.5,)
    wrong_values = (
        wrong_value(
            6,
            "added up",
            "6 s is the sum of all twelve: what they take one after "
            "another. Five threads wait at the same time.",
        ),
        wrong_value(
            0.5,
            "forgot the number of workers",
            "0.5 s is one round: twelve at once. "
            "There are only five threads, so seven jobs must wait for one that is free.",
        ),
        wrong_value(
            1.2,
            "divided work that can't be cut",
            "1.2 s is the sum divided by five. But "
            "a wait can't be shared out: two threads that take half a wait each don't "
            "exist. Count rounds.",
        ),
        wrong_value(
            1,
            "rounded down",
            "1 s is two rounds, which serve ten. Two jobs are left, and they take as long as five.",
        ),
        wrong_value(
            2.5,
            "divided the wrong way round",
            "2.5 s would be five rounds. How many jobs does a round serve?",
        ),
    )


class PredictWork(Exercise):
    """Predict: eight jobs of work

    Eight jobs, and each is one second of pure Python work. The machine has four cores, Python has a
    GIL, and nothing else runs. After how many seconds are all eight done? Three times:

    - "threads": each job in a thread of its own
    - "processes": a pool of sixteen processes that have started already
    - "asyncio": each job in a task of its own

    Set `seconds_of` to a dict, as in `seconds_of = {"threads": 1, "processes": 2, "asyncio": 3}`.
    """

    id = "predict-work-1"
    asks = "seconds_of"
    minutes = 4
    hints = (
        "For each way, ask how many cores it can keep busy.",
        "Eight seconds of computing have to be done somewhere. By one core, or by how many?",
        "Threads share the GIL, and tasks share one thread: one core. Processes use all cores that "
        "there are, and not more, however many processes you start.",
    )
    right_values = (SECONDS,)
    wrong_values = tuple(
        wrong_value(SECONDS | {way: value}, kind, says)
        for way, value, kind, says in [
            ("threads", 1, "took work for a wait", "eight cores"),
            ("threads", 2, "forgot the GIL", "only one at a time"),
            ("processes", 1, "counted more cores than there are", "eight cores"),
            ("processes", 0.5, "counted more cores than there are", "sixteen"),
            ("processes", 8, "forgot the cores", "a GIL of its own"),
            ("asyncio", 1, "took work for a wait", "nothing in it pauses"),
            ("asyncio", 2, "expected async to use several cores", "one thread"),
        ]
    ) + (wrong_value(8, "value", "dict"),)

    beliefs = {
        ("threads", 1): (
            "took work for a wait",
            "1 s would need eight cores, and all threads together have one: they share the GIL.",
        ),
        ("threads", 2): (
            "forgot the GIL",
            "2 s would be four cores at work. With a GIL only one at a time of all these threads "
            "runs Python code.",
        ),
        ("processes", 1): (
            "counted more cores than there are",
            "1 s would need eight cores, and the machine has four. Two processes that share a core "
            "take turns.",
        ),
        ("processes", 0.5): (
            "counted more cores than there are",
            "0.5 s is the work divided by sixteen processes. They have four cores between them, "
            "and there are only eight jobs.",
        ),
        ("processes", 8): (
            "forgot the cores",
            "Each process has a GIL of its own, so they don't wait for each other.",
        ),
        ("asyncio", 1): (
            "took work for a wait",
            "1 s is right for eight waits. A task that works keeps the loop: nothing in it pauses.",
        ),
        ("asyncio", 2): (
            "expected async to use several cores",
            "2 s would be four cores at work. All tasks of a loop run in one thread.",
        ),
    }

    def verify(self, seconds_of, lab):
        if isinstance(seconds_of, dict):
            for way in SECONDS:
                value = seconds_of.get(way)
                belief = isinstance(value, (int, float)) and self.beliefs.get((way, value))
                if belief:
                    kind, observed = belief
                    raise Wrong(
                        kind, f'"{way}": {observed}', try_="How many cores can it keep busy?"
                    )
        lab.equal(seconds_of, SECONDS, what="`seconds_of` is", secret=True)


class WaitForAll(Exercise):
    """Run all jobs in threads

    Write `wait_all(jobs)`. `jobs` is a list of functions without parameters. Run each of them in a
    thread of its own, all at the same time. Return when all of them are done.
    """

    id = "wait-all-1"
    asks = "wait_all"
    minutes = 7
    clock = "real"
    hints = (
        "It takes two loops. What is the second one for?",
        "`Thread(target=job)` makes a thread that will call `job`; it does so after `start()`. "
        "`join()` waits for its end.",
        "Make a list `threads`. First `for thread in threads: thread.start()`, then "
        "`for thread in threads: thread.join()`.",
    )

    def verify(self, wait_all, lab):
        jobs = Jobs([0.05] * 4, together=4)
        try:
            lab.call(wait_all, jobs.all)
        except AssertionError as error:
            if "group argument" not in str(error):
                raise
            raise Wrong(
                "did not name the target",
                "`Thread(job)` takes its first argument for something else, a group of threads.",
                lab.line(r"Thread\("),
                "Name it: `Thread(target=job)`.",
            ) from None
        ended = len(jobs.ended)
        if not jobs.started:
            raise Wrong(
                "started nothing",
                "It returned, and none of the four jobs had been called.",
                lab.line(r"Thread\("),
                "A thread begins when you call its `start()`.",
            )
        jobs.check_handed_over(lab, lab.line(r"\.run\(") or lab.line(r"Thread\("))
        jobs.check_together(lab.line(r"\.join\(|\.result\(|Executor\("))
        if ended < 4:
            raise Wrong(
                "did not wait for the end",
                f"It returned when {ended} of 4 jobs were done.",
                lab.line(r"\.start\(") or lab.line(r"submit|map"),
                "`start` returns at once. Call `join` on every thread after all are started.",
            )
        if sorted(jobs.started) != [0, 1, 2, 3]:
            raise Wrong(
                "value",
                f"It called the jobs {sorted(jobs.started)}, counted from 0; "
                "asked is each of the four once.",
            )

    @right
    def start_then_join(jobs):
        """Run each job in a thread of its own; return when all are done."""
        threads = [Thread(target=job) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    @right
    def with_a_pool(jobs):
        with ThreadPoolExecutor(len(jobs)) as pool:
            for job in jobs:
                pool.submit(job)

    @wrong("ran one after another", says="in a second")
    def joins_in_the_same_loop(jobs):
        for job in jobs:
            thread = Thread(target=job)
            thread.start()
            thread.join()

    @wrong("did not wait for the end", says="0 of 4")
    def never_joins(jobs):
        for job in jobs:
            Thread(target=job).start()

    @wrong("called, not handed over", says="without parentheses")
    def calls_the_target(jobs):
        threads = [Thread(target=job()) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    @wrong("called, not handed over", says="4 of 4")
    def runs_for_start(jobs):
        threads = [Thread(target=job) for job in jobs]
        for thread in threads:
            thread.run()

    @wrong("did not name the target", says="Thread(target=job)")
    def job_comes_first(jobs):
        threads = [Thread(job) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    @wrong("started nothing", says="`start()`")
    def makes_threads_only(jobs):
        threads = [Thread(target=job) for job in jobs]
        return threads

    @wrong("too few at once", says="At most 2 of 4")
    def pool_of_two(jobs):
        with ThreadPoolExecutor(2) as pool:
            for job in jobs:
                pool.submit(job)


class RunJobs(Exercise):
    """A bank with a number of tellers

    Write `run_jobs(jobs, workers)`. `jobs` is a list of functions without parameters. Run them in
    threads, as many as `workers` at the same time and never more. Return their results as a list,
    in the order of `jobs`.
    """

    id = "run-jobs-1"
    asks = "run_jobs"
    minutes = 7
    clock = "real"
    hints = (
        "A pool is a fixed number of threads: `with ThreadPoolExecutor(workers) as pool:`.",
        "`pool.submit(job)` returns at once, with a future: a box for a result that comes later. "
        "Its `result()` waits.",
        "Keep the futures in a list, in order. Ask the first for its result only when the last job "
        "is submitted.",
    )

    def verify(self, run_jobs, lab):
        jobs = Jobs([0.06, 0.05, 0.04, 0.06, 0.05, 0.04], together=3)
        handing_over = lab.line(r"submit\(|Thread\(|map\(")
        try:
            results = lab.call(run_jobs, jobs.all, 3)
        except TypeError:
            jobs.check_handed_over(lab, handing_over)
            raise
        expected = [f"result {number}" for number in range(6)]
        jobs.check_handed_over(lab, handing_over)
        jobs.check_together(lab.line(r"submit\(.*\.result\(|\.join\(") or lab.line("Executor"))
        if jobs.peak > 3:
            raise Wrong(
                "limit",
                f"{jobs.peak} jobs ran at once; at most 3 may.",
                lab.line("Executor|Thread\\("),
                "A pool of `workers` threads runs no more jobs than that at once.",
            )
        if isinstance(results, (list, tuple)) and any(isinstance(r, Future) for r in results):
            raise Wrong(
                "returned the boxes",
                "It returned futures, not what is in them.",
                lab.line("return"),
                "A future's `result()` waits for the job and gives what it returned.",
            )
        if inspect.isgenerator(results):
            raise Wrong(
                "returned the boxes",
                "It returned what `map` gives, which hands out the "
                "results one by one; asked is a list.",
                lab.line("return"),
                "Make a list of it: `list(...)`.",
            )
        if results is None:
            raise Wrong(
                "value",
                "It returned None: the jobs ran, and their results were lost.",
                try_="Collect what the jobs return, and `return` it.",
            )
        lab.equal(results, expected)

    @right
    def submit_all_then_ask(jobs, workers):
        """Run `jobs` in at most `workers` threads; return their results, in order."""
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(job) for job in jobs]
            return [future.result() for future in futures]

    @right
    def with_map(jobs, workers):
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(lambda job: job(), jobs))

    @wrong("limit", says="at most 3 may")
    def forgets_the_workers(jobs, workers):
        with ThreadPoolExecutor(len(jobs)) as pool:
            futures = [pool.submit(job) for job in jobs]
            return [future.result() for future in futures]

    @wrong("order")
    def as_they_come(jobs, workers):
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(job) for job in jobs]
            return [future.result() for future in as_completed(futures)]

    @wrong("ran one after another", says="3 should")
    def asks_at_once(jobs, workers):
        results = []
        with ThreadPoolExecutor(workers) as pool:
            for job in jobs:
                results.append(pool.submit(job).result())
        return results

    @wrong("ran one after another", says="3 should")
    def a_pool_for_each(jobs, workers):
        results = []
        for job in jobs:
            with ThreadPoolExecutor(workers) as pool:
                results.append(pool.submit(job))
        return [future.result() for future in results]

    @wrong("returned the boxes", says="`result()`")
    def returns_futures(jobs, workers):
        with ThreadPoolExecutor(workers) as pool:
            return [pool.submit(job) for job in jobs]

    @wrong("returned the boxes", says="asked is a list")
    def returns_the_map(jobs, workers):
        with ThreadPoolExecutor(workers) as pool:
            return pool.map(lambda job: job(), jobs)

    @wrong("called, not handed over", says="without parentheses")
    def calls_each_job(jobs, workers):
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(job()) for job in jobs]
            return [future.result() for future in futures]

    @wrong("value", says="None")
    def loses_the_results(jobs, workers):
        with ThreadPoolExecutor(workers) as pool:
            for job in jobs:
                pool.submit(job)
