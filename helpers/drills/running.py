"""Drills on lessons 00, 01 and 04 to 09: what runs when, and how long it takes."""

from helpers.drills.template import TIMES, Pick, indented, main, started, template

HELLO = ["async def hello(name):", "    print(name)"]


@template("00", "calling")
def calls(pick: Pick) -> list[str]:
    """A coroutine function that is called, with and without await."""
    lines, later = [], []
    for name in pick.names(4, 5):
        kind = pick.choice(["bare", "await", "later"])
        if kind == "later":
            lines.append(f'{name} = hello("{name}")')
            later.append(f"await {name}")
        else:
            lines.append(f'{"await " if kind == "await" else ""}hello("{name}")')
    lines = pick.insert(lines, 'print("m")')
    lines = [*lines, *pick.mixed(later), 'print("n")']
    return [*HELLO, *main(*lines)]


@template("00", "waits", TIMES)
def waits(pick: Pick) -> list[str]:
    """Waits one after another and at once."""
    calls = [f'wait("{name}", {pick.randint(1, 3)})' for name in pick.names(3, 5)]
    lines = []
    while calls:
        size = min(pick.randint(1, 3), len(calls))
        some, calls = calls[:size], calls[size:]
        if size == 1:
            lines.append(f"await {some[0]}")
        elif pick.maybe():
            lines.append(f"await asyncio.gather({', '.join(some)})")
        else:
            word = "".join(call[6] for call in some)
            lines += [f'for name in "{word}":', f"    await wait(name, {pick.randint(1, 3)})"]
        lines += [f'print("m{len(calls)}")'] if pick.maybe() else []
    wait = "time.sleep(seconds)" if pick.random() < 0.4 else "await asyncio.sleep(seconds)"
    body = [wait, "print(name)"]
    body = ['print("go", name)', *body] if pick.maybe() else body
    return ["async def wait(name, seconds):", *indented(body), *main(*lines, 'print("end")')]


@template("01", "blocking", TIMES)
def blocks(pick: Pick) -> list[str]:
    """Some wait and some hold the thread."""
    names = pick.names(2, 2)
    body = ["await asyncio.sleep(s)", "time.sleep(s)"]
    body = pick.mixed([*body[pick.randint(0, 1) :], 'print(name, "on")', 'print(name, "off")'])
    calls = [f'do("{name}", {s})' for name, s in zip(names, pick.seconds(2, 3))]
    other = ["async def wait():", "    await asyncio.sleep(1)", '    print("w")']
    calls = pick.insert(calls, "wait()")
    return ["async def do(name, s):", *indented(body), *other, *main(*started(pick, calls))]


@template("01", "places", TIMES)
def tellers(pick: Pick) -> list[str]:
    """Customers, and fewer tellers."""
    names = pick.names(4, 5)
    calls = [f'serve("{name}", {pick.randint(1, 4)})' for name in names]
    serve = ["await asyncio.sleep(s)", "print(name)"]
    serve = ['print("hi", name)', *serve] if pick.maybe() else serve
    body = ["async with tellers:", *indented(serve)]
    body += pick.choice([[], ["await asyncio.sleep(1)", 'print("bye", name)']])
    make = f"tellers = asyncio.Semaphore({pick.randint(1, 3)})"
    lines = started(pick, calls)
    if pick.random() < 0.3:
        return ["async def serve(name, s):", *indented([make, *body]), *main(*lines)]
    return [make, "async def serve(name, s):", *indented(body), *main(*lines)]


@template("04", "plain awaits")
def plain(pick: Pick) -> list[str]:
    """Coroutines that await others; some of them pause."""
    pause = pick.choice(["pass", "await asyncio.sleep(0)"])
    body = ["print(name, 1)", "await pause()", "print(name, 2)"]
    body += ["await pause()", "print(name, 3)"] if pick.maybe() else []
    body += ["await asyncio.sleep(0)", 'print(name, "end")'] if pick.maybe() else []
    start = ["async def pause():", f"    {pause}", "async def talk(name):", *indented(body)]
    calls = [f'talk("{name}")' for name in pick.names(2, 3)]
    return [*start, *main(*started(pick, calls, *(["m"] if pick.maybe() else [])))]


@template("05", "the ready queue")
def turns(pick: Pick) -> list[str]:
    """Tasks with different numbers of turns."""
    speak = pick.mixed(["print(name)", "await asyncio.sleep(0)"])
    body = ["for i in range(turns):", *indented(speak)]
    body += [pick.choice(["print(name, 0)", "print(name, name)"])] if pick.maybe() else []
    calls = [f'speak("{name}", {pick.randint(1, 3)})' for name in pick.names(2, 3)]
    lines = started(pick, calls, *(["m"] if pick.maybe() else []))
    return ["async def speak(name, turns):", *indented(body), *main(*lines)]


@template("05", "the ready queue")
def spawned(pick: Pick) -> list[str]:
    """A task that begins another one."""
    pause = "await asyncio.sleep(0)"
    child = pick.choice([['print("c1")'], ['print("c1")', pause, 'print("c2")']])
    parent = ['print("p1")', "t = asyncio.create_task(child())", 'print("p2")']
    parent += pick.choice([[], [pause, 'print("p3")']])
    parent += pick.choice([["await t"], ["await t", 'print("p4")'], ["return t"]])
    other = pick.choice([[], ['print("b1")', pause, 'print("b2")'], [pause, 'print("b1")']])
    lines = ["async def child():", *indented(child), "async def parent():", *indented(parent)]
    if not other:
        return [*lines, *main(*pick.insert(["await parent()", 'print("end")'], 'print("m")'))]
    lines = ["async def b():", *indented(other), *lines]
    return [*lines, *main(f"await asyncio.gather({', '.join(pick.mixed(['parent()', 'b()']))})")]


@template("06", "sleeping", TIMES)
def sleepers(pick: Pick) -> list[str]:
    """Sleepers with different deadlines, some that sleep again."""
    names = pick.names(3, 4)
    seconds = pick.seconds(len(names), 6)
    body = ["await asyncio.sleep(s)", "print(name)"]
    if pick.maybe():
        body += pick.choice(
            [
                ["await asyncio.sleep(1)", 'print("late")'],
                ["if s > 2:", "    await asyncio.sleep(s)", "    print(s)"],
            ]
        )
    calls = [f'nap("{name}", {s})' for name, s in zip(names, seconds)]
    return ["async def nap(name, s):", *indented(body), *main(*started(pick, calls, "m"))]


@template("06", "what holds up the loop", TIMES)
def rude(pick: Pick) -> list[str]:
    """A ticker, and something that holds up the loop."""
    tick = ["for i in range(4):", "    await asyncio.sleep(1)", '    print("tick")']
    hold = [pick.choice(["await asyncio.sleep", "time.sleep"]) + f"({pick.randint(2, 3)})"]
    if pick.maybe():
        hold.append(pick.choice(["await asyncio.sleep", "time.sleep"]) + "(1)")
    hold = pick.mixed([*hold])
    hold = pick.insert(
        [f"await asyncio.sleep({pick.randint(0, 1)})"] if pick.maybe() else [], *hold
    )
    body = [*hold, 'print("held")'] if pick.maybe() else ['print("begin")', *hold, 'print("held")']
    calls = pick.mixed(["ticker()", "hold()"])
    lines = started(pick, calls)
    return [
        "async def ticker():",
        *indented(tick),
        "async def hold():",
        *indented(body),
        *main(*lines),
    ]


@template("07", "tasks")
def spawn(pick: Pick) -> list[str]:
    """Tasks that are made, and awaited later."""
    names = pick.names(2, 3)
    body = ['print(name, "on")', "await asyncio.sleep(s)", 'print(name, "off")']
    seconds = pick.seconds(len(names), 4)
    made = [f'{name} = asyncio.create_task(boil("{name}", {s}))' for name, s in zip(names, seconds)]
    awaits = [f"await {name}" for name in pick.mixed(names)]
    awaits = awaits[: pick.randint(1, len(awaits))]
    between = ["await asyncio.sleep(1)"] if pick.maybe() else []
    lines = [*pick.insert(made, 'print("m")'), *between, *pick.insert(awaits, 'print("n")')]
    return ["async def boil(name, s):", *indented(body), *main(*lines)]


@template("07", "futures")
def future(pick: Pick) -> list[str]:
    """Guests who wait for a future, and who sets it."""
    guest = ['print(name, "waits")', "print(name, await f)"]
    more = pick.sample(["await asyncio.sleep(0)", 'print("host")'], pick.randint(1, 2))
    host = pick.insert(["f.set_result(1)", 'print("set")'], *more)
    calls = pick.insert([f'guest("{name}", f)' for name in pick.names(2, 3)], "host(f)")
    start = ["async def guest(name, f):", *indented(guest), "async def host(f):", *indented(host)]
    lines = ["f = asyncio.get_running_loop().create_future()"]
    lines += [f"await asyncio.gather({', '.join(calls)})"]
    lines += ["print(await f)"] if pick.maybe() else []
    return [*start, *main(*lines, 'print("end")')]


@template("07", "errors of tasks", TIMES)
def burnt(pick: Pick) -> list[str]:
    """Tasks that fail, awaited or not."""
    names = pick.names(2, 3)
    body = ["await asyncio.sleep(s)", f'assert name != "{pick.choice(names)}"', "print(name)"]
    body = ['print("on", name)', *body] if pick.maybe() else body
    made = [
        f'{name} = asyncio.create_task(toast("{name}", {s}))'
        for name, s in zip(names, pick.seconds(len(names), 4))
    ]
    waited = [f"await {name}" for name in pick.mixed(names)[: pick.randint(1, len(names))]]
    waited = pick.insert(waited, 'print("m")') if pick.maybe() else waited
    lines = [*made, "try:", *indented(waited), "except AssertionError:", '    print("burnt")']
    lines += pick.choice([["await asyncio.sleep(5)"], ['print("end")'], []])
    return ["async def toast(name, s):", *indented(body), *main(*lines)]


@template("08", "streams")
def reads(pick: Pick) -> list[str]:
    """What is written in pieces, and read with a limit."""
    words = pick.sample(["ab", "cde", "f", "ghij", "kl"], pick.randint(3, 4))
    lines = [f'r.feed_data(b"{word}")' for word in words]
    for _ in range(pick.randint(1, 3)):
        place = pick.randint(1, len(lines))
        lines.insert(place, f"print(await r.read({pick.choice([1, 2, 3])}))")
        if lines[place - 1].startswith("print"):  # it could wait for ever
            lines.append(lines.pop(place))
    lines = ["r = asyncio.StreamReader()", *lines, "r.feed_eof()"]
    lines += pick.choice(
        [
            ["while data := await r.read(3):", "    print(data)"],
            ["print(await r.read(9))", "print(await r.read(9))"],
            ["print(await r.read(3))", "print(await r.read(9))"],
        ]
    )
    return main(*lines, 'print("end")')


@template("08", "streams", TIMES)
def sender(pick: Pick) -> list[str]:
    """A sender with pauses, and a reader."""
    send = []
    for word in pick.sample(["ab", "cd", "efg", "h"], pick.randint(2, 4)):
        send.append(f'r.feed_data(b"{word}")')
        send += [f"await asyncio.sleep({pick.randint(1, 2)})"] if pick.maybe() else []
    send.append("r.feed_eof()")
    read = [f"while data := await r.read({pick.choice([3, 9])}):", "    print(data.decode())"]
    read = ['print("in")', *read] if pick.maybe() else read
    read = ["await asyncio.sleep(1)", *read] if pick.maybe() else read
    read += ['print("out")'] if pick.maybe() else []
    lines = ["r = asyncio.StreamReader()"]
    lines += [f"await asyncio.gather({', '.join(pick.mixed(['sender(r)', 'reader(r)']))})"]
    whole = ["async def sender(r):", *indented(send), "async def reader(r):", *indented(read)]
    return [*whole, *main(*lines)]


@template("09", "callbacks")
def callbacks(pick: Pick) -> list[str]:
    """Callbacks for the next turn and for later."""
    lines = ["loop = asyncio.get_running_loop()"]
    calls = []
    for name in pick.names(4, 5):
        kind = pick.choice(["soon", "soon", "later", "nested"])
        if kind == "later":
            calls.append(f'loop.call_later({pick.randint(1, 3)}, print, "{name}")')
        elif kind == "soon":
            calls.append(f'loop.call_soon(print, "{name}")')
        else:
            calls.append(f'loop.call_soon(loop.call_soon, print, "{name}")')
    lines += pick.insert(calls, 'print("m")', "await asyncio.sleep(0)")
    return main(*lines, 'print("n")', "await asyncio.sleep(4)", 'print("end")')


@template("09", "awaits that pause")
def first(pick: Pick) -> list[str]:
    """A task, and awaits that pause or don't."""
    start = ["async def quick():", '    print("quick")', "async def task():", '    print("t1")']
    start += ["    await asyncio.sleep(0)", '    print("t2")']
    free = pick.choice(["await lock.acquire()", "await done"])
    awaits = pick.sample(["await quick()", "await asyncio.sleep(0)", free], pick.randint(2, 3))
    lines = ["t = asyncio.create_task(task())"]
    for number, one in enumerate(awaits, 1):
        lines += [one, f'print("m{number}")']
    lines += ["await t"] if pick.maybe() else []
    if "await done" in awaits:
        made = ["done = asyncio.get_running_loop().create_future()", "done.set_result(0)"]
        lines = [*made, *lines]
    elif free in awaits:
        lines = ["lock = asyncio.Lock()", *lines]
    return [*start, *main(*lines)]
