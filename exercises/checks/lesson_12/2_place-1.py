from helpers.coach import Exercise, Wrong, wrong_value


class ChooseThePlace(Exercise):
    """Choose the place

    A server runs on one loop, on a machine with eight cores and an ordinary Python, which has the
    GIL. Where do you put each of these jobs? Set each value of `places` to "loop", "thread" or
    "process".

    - `"pages"`: fetch 200 pages with `httpx.AsyncClient`
    - `"again"`: wait for 3 s before the next try
    - `"sum"`: add up the prices of one order, some ten numbers
    - `"driver"`: ask a database through an old library that blocks for 20 ms
    - `"upload"`: write an upload of 50 MB to the disk
    - `"photo"`: blur a photo in Python code, which takes 2 s
    - `"solver"`: a solver in Python code that looks at no flag; after 10 s you must be able to end
      it
    - `"hash"`: hash 500 MB that are in memory, with `hashlib`, whose C code lets go of the GIL
    - `"printer"`: a call that blocks, on a connection object that can't be pickled
    """

    id = "place-1"
    asks = "places"
    minutes = 5
    hints = (
        "First: does it wait or work? Then: can the wait be awaited, and how long is the work?",
        "What goes to a process must be pickled, and can be killed. What goes to a thread shares "
        "everything, and can't be killed.",
        "Work that lets go of the GIL is as good in a thread as in a process, and nothing has to "
        "be sent.",
    )
    right_values = (
        {
            "pages": "loop",
            "again": "loop",
            "sum": "loop",
            "driver": "thread",
            "upload": "thread",
            "photo": "process",
            "solver": "process",
            "hash": "thread",
            "printer": "thread",
        },
    )
    wrong_values = (
        wrong_value(right_values[0] | {"photo": "thread"}, "threads compute", "the GIL"),
        wrong_value(right_values[0] | {"photo": "loop"}, "async def unblocks", "for 2 s"),
        wrong_value(right_values[0] | {"solver": "thread"}, "thread goes on", "looks at no flag"),
        wrong_value(right_values[0] | {"solver": "loop"}, "async def unblocks", "a timeout"),
        wrong_value(right_values[0] | {"hash": "process"}, "shipping", "500 MB"),
        wrong_value(right_values[0] | {"hash": "loop"}, "async def unblocks", "in C"),
        wrong_value(right_values[0] | {"driver": "loop"}, "async def unblocks", "20 ms"),
        wrong_value(right_values[0] | {"driver": "process"}, "heavy tool", "waits"),
        wrong_value(right_values[0] | {"upload": "loop"}, "async def unblocks", "the disk"),
        wrong_value(right_values[0] | {"upload": "process"}, "shipping", "50 MB"),
        wrong_value(right_values[0] | {"pages": "thread"}, "heavy tool", "AsyncClient"),
        wrong_value(right_values[0] | {"again": "thread"}, "heavy tool", "asyncio.sleep"),
        wrong_value(right_values[0] | {"sum": "process"}, "shipping", "ten numbers"),
        wrong_value(right_values[0] | {"sum": "thread"}, "shipping", "ten numbers"),
        wrong_value(right_values[0] | {"printer": "process"}, "shipping", "stays in its process"),
        wrong_value(right_values[0] | {"printer": "loop"}, "async def unblocks", "blocks"),
        wrong_value(right_values[0] | {"printer": "Thread"}, "value", "Each value is one of"),
    )

    BELIEFS = {
        ("photo", "thread"): (
            "threads compute",
            "expected threads to share out work",
            "You gave the photo to a thread. It "
            "works in Python code for 2 s, and needs the GIL for all of it: the "
            "loop would get a turn every 5 ms or later.",
        ),
        ("photo", "loop"): (
            "async def unblocks",
            "stops everybody",
            "You left the photo on the loop: nobody else would have a turn for 2 s.",
        ),
        ("solver", "thread"): (
            "thread goes on",
            "a thread can't be ended",
            "You gave the solver to a thread. It "
            "looks at no flag, and a thread can't be ended from outside.",
        ),
        ("solver", "loop"): (
            "async def unblocks",
            "stops everybody",
            "You left the solver on the loop. Not even a timeout could expire there.",
        ),
        ("hash", "process"): (
            "shipping",
            "sends what could stay",
            "You gave the hash to a process: then "
            "500 MB have to be sent there. `hashlib` lets go of the GIL, so that "
            "a thread does just as well.",
        ),
        ("hash", "loop"): (
            "async def unblocks",
            "stops everybody",
            "You left the hash on the loop. It computes in C, "
            "but it doesn't return before it is done.",
        ),
        ("driver", "loop"): (
            "async def unblocks",
            "stops everybody",
            "You left the driver on the loop: each question would stop all others for 20 ms.",
        ),
        ("driver", "process"): (
            "heavy tool",
            "a process for a wait",
            "You gave the driver to a process. It "
            "waits, and a wait needs no core of its own: a thread is "
            "lighter.",
        ),
        ("upload", "loop"): (
            "async def unblocks",
            "files block",
            "You left the upload on the loop. It waits for the disk, and all others wait with it.",
        ),
        ("upload", "process"): (
            "shipping",
            "sends what could stay",
            "You gave the upload to a process: then "
            "50 MB are sent there, only to be written. It waits for the "
            "disk, and a thread can do that.",
        ),
        ("pages", "thread"): (
            "heavy tool",
            "knows how to await",
            "You gave the pages to a thread. AsyncClient "
            "is made for the loop: it awaits, and 200 waits overlap there.",
        ),
        ("pages", "process"): (
            "heavy tool",
            "knows how to await",
            "You gave the pages to a process. AsyncClient "
            "is made for the loop: it awaits, and 200 waits overlap there.",
        ),
        ("again", "thread"): (
            "heavy tool",
            "knows how to await",
            "You let a thread wait for 3 s. "
            "`asyncio.sleep` does it on the loop, and costs nothing.",
        ),
        ("again", "process"): (
            "heavy tool",
            "knows how to await",
            "You let a process wait for 3 s. "
            "`asyncio.sleep` does it on the loop, and costs nothing.",
        ),
        ("sum", "thread"): (
            "shipping",
            "too little to send",
            "You sent the sum away. Adding up ten numbers "
            "takes a microsecond; handing it to a thread takes far longer.",
        ),
        ("sum", "process"): (
            "shipping",
            "too little to send",
            "You sent the sum away. Adding up ten numbers "
            "takes a microsecond; sending it to a process takes far longer.",
        ),
        ("printer", "process"): (
            "shipping",
            "can't be pickled",
            "You gave the printer to a process. An object "
            "that can't be pickled stays in its process.",
        ),
        ("printer", "loop"): (
            "async def unblocks",
            "stops everybody",
            "You left the printer on the loop, and its call blocks.",
        ),
    }

    def verify(self, places, lab):
        if isinstance(places, dict):
            for job, place in places.items():
                if place not in ("loop", "thread", "process"):
                    raise Wrong(
                        "value",
                        f"`places[{job!r}]` is {place!r}.",
                        try_='Each value is one of "loop", "thread" and "process".',
                    )
            for (job, place), (kind, headline, says) in self.BELIEFS.items():
                if places.get(job) == place:
                    raise Wrong(kind, says, try_="", headline=headline)
        lab.equal(places, self.right_values[0], what="`places` is", secret=True)
