"""Drills on lessons 13 to 16: shared data, places, streams of items, queues."""

from helpers.drills.template import TIMES, Pick, indented, main, started, template


@template("13", "shared data")
def visits(pick: Pick) -> list[str]:
    """A counter that tasks change, with and without an await in between."""
    pause = "await asyncio.sleep(0)"
    body = pick.choice(
        [
            ["old = n", pause, "n = old + 1"],
            ["n += 1", pause],
            [pause, "n += 1"],
            ["old = n", "n = old + 1", pause],
            ["old = n", pause, "n += 1"],
        ]
    )
    body = (
        ["global n", *body, "print(name, n)"]
        if pick.maybe()
        else ["global n", "print(name, n)", *body, "print(n)"]
    )
    rounds = pick.randint(1, 2)
    if rounds == 2:
        body = [body[0], "for i in range(2):", *indented(body[1:])]
    calls = [f'visit("{name}")' for name in pick.names(2, 4 - rounds)]
    lines = started(pick, calls)
    return ["n = 0", "async def visit(name):", *indented(body), *main(*lines, 'print("sum", n)')]


@template("13", "locks", TIMES)
def locks(pick: Pick) -> list[str]:
    """A lock that is shared, one of one's own, or one that is taken twice."""
    way = pick.choice(["shared", "own", "twice"])
    body = ["print(name)", f"await asyncio.sleep({pick.randint(1, 2)})", 'print(name, "out")']
    if way == "twice":
        body = ["print(name)", "async with lock:", '    print(name, "again")']
        body += ["    await asyncio.sleep(1)"] if pick.maybe() else []
    block = ["async with lock:", *indented(body)]
    block += pick.choice(
        [[], ['print(name, "free")'], ["await asyncio.sleep(1)", "print(name, 9)"]]
    )
    block = ["print(name, 0)", *block] if pick.maybe() else block
    calls = [f'pay("{name}")' for name in pick.names(2, 3)]
    lines = main(*started(pick, calls))
    if way == "own":
        return ["async def pay(name):", *indented(["lock = asyncio.Lock()", *block]), *lines]
    return ["lock = asyncio.Lock()", "async def pay(name):", *indented(block), *lines]


@template("13", "events", TIMES)
def events(pick: Pick) -> list[str]:
    """Tasks that wait for an event, which is set and perhaps cleared."""
    wait = ["await door.wait()", "print(name)"]
    wait += pick.choice(
        [[], ["print(door.is_set())"], ["await asyncio.sleep(1)", "print(name, 2)"]]
    )
    pauses = ["await asyncio.sleep(1)"] * pick.randint(1, 2)
    host = pick.insert(["door.set()", 'print("open")'], *pauses)
    host += ["door.clear()"] if pick.maybe() else []
    host += ["await asyncio.sleep(1)", "door.set()"] if pick.maybe() else []
    calls = pick.insert([f'guest("{name}")' for name in pick.names(2, 4)], "host()")
    start = ["door = asyncio.Event()", "async def guest(name):", *indented(wait)]
    start += ["async def host():", *indented(host)]
    lines = [f"await asyncio.gather({', '.join(calls)})"]
    return [*start, *main(*lines, *(['print("end")'] if pick.maybe() else []))]


@template("14", "a pool", TIMES)
def pool(pick: Pick) -> list[str]:
    """Requests, fewer connections, and a deadline for each."""
    work = [f"await asyncio.sleep({pick.choice(['1', '2', 's'])})", "print(name)"]
    work = ['print("go", name)', *work] if pick.maybe() else work
    deadline = f"async with asyncio.timeout({pick.choice([1.5, 2.5, 3.5])}):"
    outer, inner = pick.mixed([deadline, "async with pool:"])
    body = [outer, *indented([inner, *indented(work)])]
    body = ["try:", *indented(body), "except TimeoutError:", '    print(name, "late")']
    body += pick.choice([[], ["finally:", '    print("bye")'], ['print("bye")']])
    names = pick.names(3, 4)
    calls = [f'get("{name}", {s})' for name, s in zip(names, pick.seconds(len(names), 4))]
    make = f"pool = asyncio.Semaphore({pick.randint(1, 2)})"
    lines = main(f"await asyncio.gather({', '.join(calls)})")
    if pick.random() < 0.3:
        return ["async def get(name, s):", *indented([make, *body]), *lines]
    return [make, "async def get(name, s):", *indented(body), *lines]


@template("14", "retries", TIMES)
def retries(pick: Pick) -> list[str]:
    """Attempts that are late, and pauses between them."""
    attempt = [f"async with asyncio.timeout({pick.choice([1.5, 2.5])}):"]
    attempt += [f"    await asyncio.sleep({pick.choice(['s - i', 's', 'i + 1'])})"]
    attempt += ['    print(name, "ok")', "    return"]
    body = ["try:", *indented(attempt), "except TimeoutError:", "    print(name, i)"]
    body += pick.choice(
        [[], ["await asyncio.sleep(1)"], ["await asyncio.sleep(i)"], ["time.sleep(1)"]]
    )
    body = [f"for i in range({pick.randint(2, 3)}):", *indented(body)]
    body += ['print(name, "gave up")'] if pick.maybe() else []
    calls = [f'get("{name}", {s})' for name, s in zip(pick.names(2, 3), pick.seconds(3, 4))]
    return ["async def get(name, s):", *indented(body), *main(*started(pick, calls))]


@template("15", "async for", TIMES)
def body(pick: Pick) -> list[str]:
    """An async generator that waits, and a body that waits."""
    inner = [f"await asyncio.sleep({pick.choice(['1', 'i', '2'])})"] if pick.maybe() else []
    inner = [*pick.insert(inner, 'print("made", i)'), "yield i"]
    source = [f"for i in {pick.choice(['range(3)', 'range(1, 4)', '(3, 1, 2)'])}:"]
    loop = [f"await asyncio.sleep({pick.choice(['1', '2', 'x'])})"]
    loop = pick.insert(loop, 'print("got", x)')
    loop += ['print("done", x)'] if pick.maybe() else []
    lines = ["async for x in numbers():", *indented(loop), 'print("end")']
    start = ["async def numbers():", *indented([*source, *indented(inner)])]
    if pick.maybe():
        return [*start, *main(*lines)]
    tick = ["async def tick():", "    await asyncio.sleep(2)", '    print("tick")']
    return [*start, *tick, *main("t = asyncio.create_task(tick())", *lines)]


@template("15", "leaving early", TIMES)
def leaving(pick: Pick) -> list[str]:
    """An async for that is left, and the generator's cleanup."""
    inner = pick.choice([["yield i"], ["await asyncio.sleep(1)", "yield i"]])
    source = [
        "try:",
        "    for i in range(4):",
        *indented(inner, 2),
        "finally:",
        '    print("clean")',
    ]
    stop = [f"if x == {pick.randint(0, 2)}:", "    break"]
    loop = pick.choice([["print(x)", *stop], [*stop, "print(x)"]])
    lines = ["g = pages()", "async for x in g:", *indented(loop), 'print("left")']
    lines += pick.choice(
        [[], ["await asyncio.sleep(1)"], ["await g.aclose()"], ["print(await anext(g))"]]
    )
    lines += pick.choice([[], ['print("end")'], ["print([x async for x in g])"]])
    return ["async def pages():", *indented(source), *main(*lines)]


@template("15", "tasks in a loop", TIMES)
def in_the_body(pick: Pick) -> list[str]:
    """A for with awaits in it, of coroutines or of tasks."""
    names = "abcd"[: pick.randint(3, 4)]
    load = ["async def load(name, s):", "    await asyncio.sleep(s)", "    print(name)"]
    load += ["    return name.upper()"]
    pairs = f'zip("{names}", {pick.seconds(len(names))})'
    lines = pick.choice(
        [
            [f"for n, s in {pairs}:", "    await load(n, s)"],
            [f"for n in {list(names)}:", f"    await load(n, {pick.randint(1, 3)})"],
            [
                f"ts = [asyncio.create_task(load(n, s)) for n, s in {pairs}]",
                "for t in ts:",
                "    print(await t)",
            ],
            [
                f"for n, s in {pairs}:",
                "    t = asyncio.create_task(load(n, s))",
                "    print(await t)",
            ],
            [f"for n, s in {pairs}:", "    t = asyncio.create_task(load(n, s))", "print(await t)"],
            [f"rs = [await load(n, s) for n, s in {pairs}]", "print(*rs)"],
        ]
    )
    lines += ['    print("next")'] if lines[-1].startswith("    ") and pick.maybe() else []
    lines = ['print("m")', *lines] if pick.maybe() else lines
    lines += ["await asyncio.sleep(2)"] if pick.maybe() else []
    return [*load, *main(*lines, 'print("end")')]


@template("16", "queues", TIMES)
def queue(pick: Pick) -> list[str]:
    """A producer and a consumer with a queue between them."""
    pauses = [[], ["await asyncio.sleep(0)"], ["await asyncio.sleep(1)"]]
    put = pick.insert(["await q.put(i)", 'print("put", i)'], *pick.choice(pauses))
    get = ["x = await q.get()", 'print("got", x)']
    get = pick.insert(get, *pick.choice(pauses))
    count = pick.randint(3, 4)
    start = [f"q = asyncio.Queue({pick.choice(['', '', '1', '2'])})", "async def producer():"]
    start += [f"    for i in range({count}):", *indented(put, 2), "async def consumer():"]
    start += [f"    for i in range({count}):", *indented(get, 2)]
    calls = ", ".join(pick.mixed(["producer()", "consumer()"]))
    lines = main(f"await asyncio.gather({calls})", *(['print("end")'] if pick.maybe() else []))
    return [*start, *lines]


@template("16", "the end of a pipeline", TIMES)
def join(pick: Pick) -> list[str]:
    """Workers, and a `join` that waits for what was put."""
    work = ["await asyncio.sleep(x)", 'print("done", x)']
    work = pick.insert(work, "q.task_done()") if pick.maybe() else [*work, "q.task_done()"]
    work = ['print("took", x)', *work] if pick.maybe() else work
    work = ["if x != 2:", *indented(work)] if pick.random() < 0.3 else work
    worker = ["while True:", "    x = await q.get()", *indented(work)]
    puts = [f"q.put_nowait({number})" for number in pick.seconds(pick.randint(3, 4), 4)]
    begin = f"ts = [asyncio.create_task(worker()) for i in range({pick.randint(1, 2)})]"
    lines = pick.insert(puts, begin)
    lines += ["await asyncio.sleep(1)"] if pick.maybe() else []
    start = ["q = asyncio.Queue()", "async def worker():", *indented(worker)]
    return [*start, *main(*lines, "await q.join()", 'print("end")')]


@template("16", "queues", TIMES)
def nowait(pick: Pick) -> list[str]:
    """Items put into a queue, and several who wait for one."""
    names = pick.names(2, 3)
    get = ["print(name, await q.get())"]
    again = pick.maybe()
    get += [f"await asyncio.sleep({pick.randint(0, 1)})", *get] if again else []
    lines = [f'ts = [asyncio.create_task(taker(n)) for n in "{"".join(names)}"]']
    lines += ["await asyncio.sleep(0)"] if pick.maybe() else []
    for number in range(len(names) * (1 + again)):
        lines.append(pick.choice(["await q.put({})", "q.put_nowait({})"]).format(number))
        lines += [f'print("put {number}")'] if pick.maybe() else []
    lines.append(pick.choice(["await asyncio.sleep(1)", "await asyncio.wait(ts)"]))
    start = ["q = asyncio.Queue()", "async def taker(name):", *indented(get)]
    return [*start, *main(*lines, 'print("end")')]
