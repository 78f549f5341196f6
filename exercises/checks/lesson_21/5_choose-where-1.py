from helpers.coach import Exercise, wrong_value

PLACES = {
    "ask 500 sites": "loop",
    "old driver": "thread",
    "scale 400 pictures": "process pool",
    "add two numbers": "loop",
    "a month of logs": "cluster",
    "a week of physics": "cluster",
    "compress a file": "thread",
}


class ChooseWhere(Exercise):
    """Where does it belong?

    Set `places` to a dict from each job to "loop", "thread", "process pool" or "cluster": the
    first of them that will do.

    - "ask 500 sites": each answers after a second, by `httpx.AsyncClient`.
    - "old driver": three queries of a database, whose library has only blocking calls.
    - "scale 400 pictures": 200 ms of Python each, on one machine of eight cores, started again if
      it fails.
    - "add two numbers": ten thousand times, each pair as it comes out of a socket.
    - "a month of logs": 900 GB on the disks of thirty machines; each machine can read its own.
    - "a week of physics": a thousand runs of an hour in Python. Machines go down now and then, and
      nobody wants to begin again.
    - "compress a file": `zlib` lets go of the GIL, the file is large, and there is only one.
    """

    id = "choose-where-1"
    asks = "places"
    minutes = 5
    hints = (
        "Does it wait or does it compute? In Python, or in C without the GIL?",
        "What does the journey cost, compared with the work? And where are the data?",
        "Only two of the seven need more than one machine.",
    )
    right_values = (PLACES,)

    def verify(self, places, lab):
        for belief in self.wrong_values:
            name = next(name for name in PLACES if belief.value[name] != PLACES[name])
            if isinstance(places, dict) and places.get(name) == belief.value[name]:
                raise belief.mistake()
        lab.equal(places, PLACES, what="`places` is", secret=True)

    wrong_values = tuple(
        wrong_value(PLACES | {name: place}, kind, says, headline)
        for name, place, kind, headline, says in (
            (
                "ask 500 sites",
                "cluster",
                "shipping",
                "too far",
                "The program waits for five hundred answers, and one loop can wait for all of "
                "them.",
            ),
            (
                "ask 500 sites",
                "thread",
                "heavy tool",
                "a thread for a wait",
                "`httpx.AsyncClient` can be awaited, so 500 threads would have nothing to do.",
            ),
            (
                "old driver",
                "loop",
                "blocked",
                "blocked the loop",
                "A library that has only blocking calls holds the loop while it waits.",
            ),
            (
                "old driver",
                "process pool",
                "shipping",
                "too far",
                "A blocking call only waits. It needs a thread to wait in, and no core of its own.",
            ),
            (
                "scale 400 pictures",
                "thread",
                "threads compute",
                "expected threads to share out work",
                "200 ms of Python hold the GIL, so eight threads scale one picture at a time.",
            ),
            (
                "scale 400 pictures",
                "cluster",
                "shipping",
                "too far",
                "One machine with eight cores is enough, and its pool asks less for each call.",
            ),
            (
                "scale 400 pictures",
                "loop",
                "blocked",
                "blocked the loop",
                "400 times 200 ms of Python on the loop is 80 s in which nobody else has a turn.",
            ),
            (
                "add two numbers",
                "cluster",
                "shipping",
                "too small to ship",
                "An addition takes less than a microsecond, its journey milliseconds.",
            ),
            (
                "add two numbers",
                "process pool",
                "shipping",
                "too small to ship",
                "An addition takes less than a microsecond, and its way to another process a "
                "hundred times that.",
            ),
            (
                "a month of logs",
                "process pool",
                "shipping",
                "too big to bring back",
                "A pool is on one machine, and 900 GB would have to come to it first.",
            ),
            (
                "a week of physics",
                "process pool",
                "shipping",
                "lost with a process",
                "A pool loses all that is left with one process. And a thousand hours are five "
                "days even for eight cores.",
            ),
            (
                "compress a file",
                "process pool",
                "shipping",
                "copied for nothing",
                "`zlib` lets go of the GIL: a thread computes beside the loop, and the large file "
                "need not be copied to another process and back.",
            ),
            (
                "compress a file",
                "loop",
                "blocked",
                "blocked the loop",
                "It lets go of the GIL, but not of the loop: the loop waits until the call "
                "returns.",
            ),
        )
    )
