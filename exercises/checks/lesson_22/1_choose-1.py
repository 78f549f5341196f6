from helpers.coach import Exercise, wrong_value

from .shared import judge_letters

TOOLS = {
    "a": "plain Python",
    "b": "asyncio",
    "c": "processes",
    "d": "threads",
    "e": "plain Python",
    "f": "asyncio and processes",
}
NO_SECOND_CORE = (
    "heavy tool",
    "cores for one computation",
    "`e` is one computation: a loop, a second thread or a second process would have nothing to do. "
    "What is the simplest that does it?",
)
NO_OVERLAP = (
    "heavy tool",
    "nothing to overlap",
    "`a` asks one service once. There is nothing that could go on meanwhile, so none of them buys "
    "anything. What is the simplest that does it?",
)
BELIEFS = {
    ("a", "asyncio"): NO_OVERLAP,
    ("a", "threads"): NO_OVERLAP,
    ("a", "processes"): NO_OVERLAP,
    ("a", "asyncio and processes"): NO_OVERLAP,
    ("b", "threads"): (
        "heavy tool",
        "took a thread for each of very many",
        "`b` would need 5,000 threads, nearly all of them asleep. What waits cheaply?",
    ),
    ("b", "processes"): (
        "heavy tool",
        "took a process for each of very many",
        "`b` would need 5,000 processes, nearly all of them asleep. What waits cheaply?",
    ),
    ("b", "plain Python"): (
        "sequential",
        "one at a time",
        "In plain Python `b` waits for one person's next word, and 4,999 others wait for that one. "
        "What lets thousands of waits overlap?",
    ),
    ("b", "asyncio and processes"): (
        "heavy tool",
        "nothing to compute",
        "`b` passes on what people write, and computes next to nothing. What would the processes "
        "do?",
    ),
    ("c", "threads"): (
        "threads compute",
        "expected threads to share out work",
        "`c` computes. Threads share one core (with the GIL), so 300 fits take as long as in turn. "
        "What has a core of its own?",
    ),
    ("c", "asyncio"): (
        "async computes",
        "expected async to make work faster",
        "`c` computes, and never waits. On a loop the first fit would hold up all others. What has "
        "a core of its own?",
    ),
    ("c", "plain Python"): (
        "sequential",
        "one core of several",
        "In plain Python `c` makes its 300 fits in turn, on one core. No fit needs another one: "
        "what could make several at once?",
    ),
    ("c", "asyncio and processes"): (
        "heavy tool",
        "nothing to wait for",
        "`c` has 300 computations and waits for nothing. What would the loop do? Take the simpler "
        "one.",
    ),
    ("d", "asyncio"): (
        "heavy tool",
        "async for a few blocking calls",
        "`d` has five things at once and a library that blocks. On a loop each call would have to "
        "go to a thread anyway. What is left if the loop goes?",
    ),
    ("d", "processes"): (
        "heavy tool",
        "a process for each wait",
        "`d` waits and computes next to nothing, so it needs no core of its own. What waits for "
        "less, in the same program?",
    ),
    ("d", "plain Python"): (
        "sequential",
        "one thing after another",
        "In plain Python the window of `d` stands still until all five files are saved. What lets "
        "a blocking call go on beside it?",
    ),
    ("d", "asyncio and processes"): (
        "heavy tool",
        "async for a few blocking calls",
        "`d` has five things at once and a library that blocks: no task can await it, and there is "
        "little to compute. What is simpler, and enough for five?",
    ),
    ("e", "asyncio"): NO_SECOND_CORE,
    ("e", "threads"): NO_SECOND_CORE,
    ("e", "processes"): NO_SECOND_CORE,
    ("e", "asyncio and processes"): NO_SECOND_CORE,
    ("f", "asyncio"): (
        "async def unblocks",
        "computing on the loop",
        "`f` waits a lot and computes a lot: 2,000 times 50 ms are 100 s of work, and on the loop "
        "nothing else would go on meanwhile. Where can that go?",
    ),
    ("f", "threads"): (
        "threads compute",
        "expected threads to share out work",
        "`f` computes as well: 2,000 times 50 ms are 100 s of work, and threads share one core "
        "(with the GIL). Where can that go?",
    ),
    ("f", "processes"): (
        "heavy tool",
        "a process for each wait",
        "`f` computes a lot, but it waits a lot as well: a process that waits for the web does "
        "nothing else. What lets thousands of waits overlap?",
    ),
    ("f", "plain Python"): (
        "sequential",
        "one thing after another",
        "In plain Python `f` waits for each picture in turn, and then has 100 s of work on one "
        "core. What overlaps the waits, and what does the work?",
    ),
}


class Choose(Exercise):
    """Choose the tool

    Six programs. Set `tools` to a dict from the letter to one of "plain Python", "threads",
    "processes", "asyncio" and "asyncio and processes". If two would do, take the simpler one.

    - `a`: reads a configuration file, asks one web service, prints its answer, ends.
    - `b`: a chat server with some 5,000 people connected, most of them silent.
    - `c`: fits a statistical model to each of 300 tables.
    - `d`: a desktop program by beginners in Python. With a library that blocks, it saves 5 files at
      once over the network, and its window must stay alive.
    - `e`: computes one very large prime.
    - `f`: takes 2,000 pictures from the web and computes a thumbnail of each, 50 ms of work.
    """

    id = "choose-1"
    asks = "tools"
    minutes = 6
    hints = (
        "Ask first: does it compute, or does it wait?",
        "Then: how many things wait at once? One, a few, or thousands?",
        "None of them can split a single computation. And `f` has a lot of both.",
    )
    right_values = (TOOLS,)
    wrong_values = (
        *(
            wrong_value(TOOLS | {letter: word}, kind, text)
            for (letter, word), (kind, _, text) in BELIEFS.items()
        ),
        wrong_value(dict.fromkeys("abcdef", "asyncio"), "heavy tool", "`c`, `d`, `e`, `f`"),
        wrong_value(TOOLS | {"d": "a thread"}, "another form", "`d` is 'a thread'."),
        wrong_value({"a": "plain Python"}, "value", "are missing"),
    )

    def verify(self, tools, lab):
        words = ("plain Python", "threads", "processes", "asyncio", "asyncio and processes")
        judge_letters(lab, "tools", tools, TOOLS, words, BELIEFS)
