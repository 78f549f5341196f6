"""Drills on lessons 10 to 12: several at once, errors, cancellation, deadlines, blocking calls."""

from helpers.drills.template import LEFT, TIMES, Pick, indented, main, started, template

NAP = ["async def nap(name, s):", "    await asyncio.sleep(s)", "    print(name)"]


@template("10", "gather", TIMES)
def results(pick: Pick) -> list[str]:
    """What comes back from several at once, and in which order."""
    names = pick.names(3, 4)
    seconds = pick.seconds(len(names))
    calls = [f'nap("{name}", {s})' for name, s in zip(names, seconds)]
    together = f"await asyncio.gather({', '.join(calls)})"
    lines = pick.choice(
        [
            [f"for r in {together}:", '    print("got", r)'],
            [f"a, *b = {together}", "print(a)", "print(*b)"],
            [
                f'rs = [await nap(n, s) for n, s in zip("{"".join(names)}", {seconds})]',
                "print(*rs)",
            ],
            [
                f"ts = [asyncio.create_task(c) for c in ({', '.join(calls)})]",
                *(f"print(await ts[{n}])" for n in pick.mixed(range(len(names)))),
            ],
        ]
    )
    lines = [f'await nap("x", {pick.randint(1, 2)})', *lines] if pick.maybe() else lines
    lines = [*lines, 'await nap("y", 1)'] if pick.maybe() else lines
    return [*NAP, "    return name", *main(*lines, 'print("end")')]


@template("10", "a failing task", TIMES)
def parcel(pick: Pick) -> list[str]:
    """One of several fails, under gather or in a group."""
    names = pick.names(3, 3)
    body = ["await asyncio.sleep(s)", f'if name == "{pick.choice(names)}":', "    raise ValueError"]
    body = ['print("on", name)', *body, "print(name)"] if pick.maybe() else [*body, "print(name)"]
    calls = [f'step("{name}", {s})' for name, s in zip(names, pick.seconds(3, 4))]
    if pick.maybe():
        lines = [f"await asyncio.gather({', '.join(calls)})"]
        caught = pick.choice(["except ValueError:", "except Exception:"])
    else:
        lines = ["async with asyncio.TaskGroup() as tg:"]
        if pick.maybe():
            lines += [f"    tg.create_task({call})" for call in calls]
        else:
            lines += [f"    for c in {', '.join(calls)}:", "        tg.create_task(c)"]
        caught = pick.choice(["except* ValueError:", "except ValueError:"])
    lines += ['print("all")'] if pick.maybe() else []
    lines = ["try:", *indented(lines), caught, '    print("failed")']
    lines += pick.choice([[], ["await asyncio.sleep(5)"], ["await asyncio.sleep(1)"]])
    return ["async def step(name, s):", *indented(body), *main(*lines, 'print("end")')]


@template("10", "a failing task", TIMES)
def both(pick: Pick) -> list[str]:
    """One fails under gather, and one in a group."""
    body = ["await asyncio.sleep(s)", "assert s != 2", "print(name)"]
    one, two = (pick.mixed([1, 2, 3])[: pick.randint(2, 3)] for _ in range(2))
    calls = [f'step("{name}", {s})' for name, s in zip("abc", one)]
    first = ["try:", f"    await asyncio.gather({', '.join(calls)})"]
    first += [pick.choice(["except AssertionError:", "except Exception:"]), '    print("g")']
    pairs = f'zip("xyz", {two})'
    more = ["async with asyncio.TaskGroup() as tg:", f"    for n, s in {pairs}:"]
    more += ["        tg.create_task(step(n, s))"]
    caught = pick.choice(
        ["except* AssertionError:", "except AssertionError:", "except ExceptionGroup:"]
    )
    second = ["try:", *indented(more), caught, '    print("tg")']
    first, second = pick.mixed([first, second])
    return ["async def step(name, s):", *indented(body), *main(*first, *second)]


@template("10", "a failing task")
def values(pick: Pick) -> list[str]:
    """Errors as values, among the results."""
    names = pick.names(3, 4)
    bad = "".join(pick.sample(names, pick.randint(1, 2)))
    body = ["await asyncio.sleep(s)", f'if name in "{bad}":', "    raise ValueError"]
    body = pick.insert(body, "print(name)") if pick.maybe() else [*body, "print(name)"]
    body = [body[0], body[1], body[3], body[2]] if body[2] == "print(name)" else body
    calls = [f'step("{name}", {s})' for name, s in zip(names, pick.seconds(len(names)))]
    lines = [f"calls = {', '.join(calls)}"]
    lines += ["rs = await asyncio.gather(*calls, return_exceptions=True)"]
    lines += pick.choice(
        [
            ["for r in rs:", "    print(type(r).__name__)"],
            ["for r in rs:", "    if isinstance(r, str):", '        print("got", r)'],
            ["for r in rs:", '    print(r if isinstance(r, str) else "error")'],
        ]
    )
    lines = pick.insert(lines[:2], 'print("m")') + lines[2:] if pick.maybe() else lines
    lines += ['print("end")'] if pick.maybe() else []
    return ["async def step(name, s):", *indented([*body, "return name"]), *main(*lines)]


@template("10", "wait", TIMES)
def late(pick: Pick) -> list[str]:
    """`wait` with a timeout, or until the first is done."""
    names = pick.names(3, 4)
    calls = [f'nap("{name}", {s})' for name, s in zip(names, pick.seconds(len(names)))]
    until = pick.choice(["timeout=2.5", "timeout=1.5", "return_when=asyncio.FIRST_COMPLETED"])
    lines = [f"ts = [asyncio.create_task(c) for c in ({', '.join(calls)})]"]
    lines += [f"done, pending = await asyncio.wait(ts, {until})"]
    lines += pick.choice(
        [
            ["print(len(done), len(pending))"],
            ["for t in ts:", "    print(t.done())"],
            ['print("left", len(pending))'],
        ]
    )
    lines += pick.choice(
        [
            ["await asyncio.sleep(6)"],
            ["for t in pending:", "    t.cancel()", "await asyncio.sleep(6)"],
            ["await asyncio.sleep(1)"],
            ["await asyncio.wait(ts)"],
        ]
    )
    return [*NAP, *main(*lines, *(['print("end")'] if pick.maybe() else []))]


@template("10", "wait", TIMES)
def then_gathered(pick: Pick) -> list[str]:
    """`wait` with a timeout, and then `gather` over the same tasks, one of which may fail."""
    names = pick.names(3, 4)
    body = ["await asyncio.sleep(s)", "print(name)", "return name.upper()"]
    fails = pick.maybe()
    if fails:
        body[1:1] = [f'if name == "{pick.choice(names)}":', "    raise ValueError"]
    pairs = f'zip("{"".join(names)}", {pick.seconds(len(names))})'
    lines = [f"ts = [asyncio.create_task(step(n, s)) for n, s in {pairs}]"]
    lines += [f"done, rest = await asyncio.wait(ts, timeout={pick.choice([0.5, 1.5, 2.5])})"]
    lines = pick.insert(lines, "await asyncio.sleep(1)") if pick.maybe() else lines
    lines += ["print(len(rest))"]
    lines += ['print("m")'] if pick.maybe() else []
    if fails and pick.maybe():
        lines += ["try:", "    print(*await asyncio.gather(*ts))", "except ValueError:"]
        lines += ['    print("failed")', "await asyncio.sleep(4)"]
    else:
        lines += ["for r in await asyncio.gather(*ts, return_exceptions=True):"]
        lines += ['    print(r if isinstance(r, str) else "error")']
    return ["async def step(name, s):", *indented(body), *main(*lines)]


@template("10", "errors nobody hears", TIMES)
def silent(pick: Pick) -> list[str]:
    """A task fails, and its maker does something else."""
    one, two = pick.seconds(2, 3)
    start = ["async def pay():", f"    await asyncio.sleep({one})", "    raise ValueError"]
    start += ["async def ship():", f"    await asyncio.sleep({two})", '    print("ship")']
    rest = ["p = asyncio.create_task(pay())"]
    rest = pick.insert(rest, "s = asyncio.create_task(ship())", 'print("m")')
    rest += [f"await asyncio.sleep({pick.choice([1, 4])})", 'print("slept")']
    rest += pick.choice([["await s"], ["await p"], ["await s", 'print("s")', "await p"]])
    rest = pick.insert(rest[:3], "await asyncio.sleep(1)") + rest[3:] if pick.maybe() else rest
    if pick.maybe():
        lines = ["try:", *indented(rest), "except ValueError:", '    print("heard")']
    else:
        lines = rest
    return [*start, *main(*lines, *(['print("end")'] if pick.maybe() else []))]


@template("10", "left behind", LEFT)
def left(pick: Pick) -> list[str]:
    """Main ends before some of its tasks."""
    names = pick.names(4, 5)
    lines = [
        f'{name} = asyncio.create_task(nap("{name}", {s}), name="{name}")'
        for name, s in zip(names, pick.seconds(len(names), 6))
    ]
    lines += pick.sample([f"await {name}" for name in names], pick.randint(1, 2))
    lines = pick.insert(lines, *["await asyncio.sleep(1)"] * pick.randint(0, 2))
    lines += [f"await asyncio.wait([{names[0]}, {names[1]}], timeout=1)"] if pick.maybe() else []
    return [*NAP, *main(*lines)]


@template("11", "cancel", TIMES)
def asked(pick: Pick) -> list[str]:
    """A task that is cancelled, and what it does then."""
    clean = ['print("clean")']
    clean = ['print("wash")', "await asyncio.sleep(1)", *clean] if pick.maybe() else clean
    handler = pick.choice([[], [], ["except Exception:", '    print("caught")']])
    handler += [pick.choice(["finally:", "finally:", "except asyncio.CancelledError:"])]
    body = ['print("in")', "try:", "    await asyncio.sleep(5)", *handler, *indented(clean)]
    body += ['print("over")'] if pick.maybe() else []
    lines = ["t = asyncio.create_task(work())"]
    pause = [[], ["await asyncio.sleep(0)"], [f"await asyncio.sleep({pick.randint(1, 3)})"]]
    lines += pick.choice(pause) + pick.insert(["t.cancel()"], 'print("asked")')
    lines += pick.choice([["await asyncio.wait([t])"], ["await asyncio.sleep(2)"]])
    lines.append(pick.choice(["print(t.done())", "print(t.cancelled())"]))
    return ["async def work():", *indented(body), *main(*lines)]


@template("11", "cancel", TIMES)
def several(pick: Pick) -> list[str]:
    """Several tasks; some are cancelled before they began."""
    names = pick.names(2, 3)
    body = ["try:", "    print(name)", f"    await asyncio.sleep({pick.randint(2, 4)})"]
    body += pick.choice([[], ['    print(name, "done")'], ["except Exception:", "    print(0)"]])
    body += ["finally:", '    print(name, "out")']
    lines = [f'{name} = asyncio.create_task(call("{name}"))' for name in names]
    cancels = [f"{name}.cancel()" for name in pick.sample(names, pick.randint(1, len(names) - 1))]
    pause = pick.choice(["await asyncio.sleep(0)", "await asyncio.sleep(1)"])
    lines += pick.insert(cancels, pause)
    lines += ['print("m")'] if pick.maybe() else []
    lines += [pick.choice(["await asyncio.sleep(5)", f"await asyncio.wait([{', '.join(names)}])"])]
    return ["async def call(name):", *indented(body), *main(*lines)]


@template("11", "cancel", TIMES)
def and_deadline(pick: Pick) -> list[str]:
    """A deadline over a call that may block, and then a task beside it is cancelled."""
    handler = pick.choice(["except Exception:", "except Exception:", "finally:"])
    body = ["try:", "    await asyncio.sleep(4)", handler, '    print("out")']
    steps = pick.choice([["time.sleep(2)"], ["await asyncio.sleep(2)"], ["time.sleep(3)"]])
    lines = ["t = asyncio.create_task(work())"]
    lines += pick.choice([[], [], ["t.cancel()"]])
    due = pick.choice([1, 1.5, 2.5])
    lines += ["try:", f"    async with asyncio.timeout({due}):", *indented(steps, 2)]
    lines += ['        print("x")', "except TimeoutError:", '    print("late")']
    lines += pick.choice([["t.cancel()"], ["await asyncio.sleep(1)", "t.cancel()"]])
    lines += pick.choice([["await asyncio.wait([t])"], ["print(t.cancelling())"], []])
    return ["async def work():", *indented(body), *main(*lines)]


@template("11", "deadlines", TIMES)
def deadline(pick: Pick) -> list[str]:
    """A deadline around waits and calls that block."""
    steps = []
    for name in pick.names(2, 3):
        call = pick.choice(["await asyncio.sleep", "await asyncio.sleep", "time.sleep"])
        steps += [f"{call}({pick.randint(1, 2)})", f'print("{name}")']
    due = pick.choice([1.5, 2.5, 3.5])
    lines = ["try:", f"    async with asyncio.timeout({due}):", *indented(steps, 2)]
    lines += ["except TimeoutError:", '    print("late")']
    if pick.maybe():
        lines += ["else:", '    print("in time")']
    if pick.maybe():
        lines = ['print("m")', *lines]
    return main(*lines, *(["await asyncio.sleep(1)"] if pick.maybe() else []), 'print("end")')


@template("11", "deadlines", TIMES)
def each(pick: Pick) -> list[str]:
    """A deadline for each page, or one for all."""
    pages = f'for name, s in zip("{"abcd"[: pick.randint(3, 4)]}", {pick.mixed([1, 1, 2, 3])}):'
    page = pick.insert(["await asyncio.sleep(s)", "print(name)"], 'print("next")')
    caught = ["except TimeoutError:", '    print("late")']
    if pick.maybe():
        due = f"    async with asyncio.timeout({pick.choice([1.5, 2.5])}):"
        body = ["try:", due, *indented(page, 2), *caught]
        body += pick.choice([[], ["finally:", '    print("f")'], ["else:", '    print("ok")']])
        lines = [pages, *indented(body)]
    else:
        due = f"    async with asyncio.timeout({pick.choice([2.5, 3.5])}):"
        lines = ["try:", due, *indented([pages, *indented(page)], 2), *caught]
        lines += ["else:", '    print("ok")'] if pick.maybe() else []
    lines = ["await asyncio.sleep(1)", *lines] if pick.maybe() else lines
    return main(*lines, 'print("end")')


@template("11", "shield", TIMES)
def shielded(pick: Pick) -> list[str]:
    """A guest who leaves, and a shield."""
    wait, due = pick.choice([(3, 1), (4, 2), (2, 1), (1, 2)])
    work = [f"await asyncio.sleep({wait})", 'print("cooked")']
    work = pick.choice([work, ["try:", *indented(work), "finally:", '    print("over")']])
    work = ['print("on")', *work] if pick.maybe() else work
    guarded = pick.choice(["await asyncio.shield(t)", "await asyncio.shield(t)", "await t"])
    lines = ["t = asyncio.create_task(cook())", "try:", f"    async with asyncio.timeout({due}):"]
    lines += [f"        {guarded}", '        print("served")']
    lines += ["except TimeoutError:", '    print("left")']
    lines += [pick.choice(["await asyncio.sleep(4)", "await asyncio.wait([t])", 'print("m")'])]
    lines += ["print(t.done())"] if pick.maybe() else []
    return ["async def cook():", *indented(work), *main(*lines)]


@template("11", "shield", TIMES)
def guests(pick: Pick) -> list[str]:
    """A cook who may be cancelled, and a guest with a deadline."""
    handler = pick.choice(["except Exception:", "finally:", "except asyncio.CancelledError:"])
    cook = ["try:", "    await asyncio.sleep(3)", '    print("cooked")', handler]
    cook += ['    print("caught")']
    waits = pick.choice([["await asyncio.shield(t)"], ["await t"], ["time.sleep(2)", "await t"]])
    lines = ["t = asyncio.create_task(cook())", "try:", "    async with asyncio.timeout(1):"]
    lines += [*indented(waits, 2), "except TimeoutError:", '    print("late")']
    lines += pick.choice([["t.cancel()"], ["await asyncio.sleep(1)", "t.cancel()"], []])
    lines += pick.choice([["await asyncio.wait([t])"], ["await asyncio.sleep(4)"]])
    lines += ["print(t.cancelled())"] if pick.maybe() else []
    return ["async def cook():", *indented(cook), *main(*lines)]


@template("12", "the pulse", TIMES)
def pulse(pick: Pick) -> list[str]:
    """A heartbeat beside steps that block or don't."""
    kinds = ["await asyncio.sleep({})", "time.sleep({})"]
    steps = [pick.choice(kinds).format(pick.randint(1, 3)) for _ in range(pick.randint(2, 3))]
    steps = [*pick.insert(steps, 'print("step")'), 'print("done")']
    beat = ["while True:", '    print("beat")', "    await asyncio.sleep(1)"]
    lines = ["t = asyncio.create_task(heart())"]
    lines += ["await asyncio.sleep(0)"] if pick.maybe() else []
    lines += [pick.choice(["await work()", "await asyncio.gather(work())"])]
    lines += ["t.cancel()"] if pick.maybe() else []
    start = ["async def heart():", *indented(beat), "async def work():", *indented(steps)]
    return [*start, *main(*lines, 'print("end")')]


@template("12", "blocking under a deadline", TIMES)
def cut(pick: Pick) -> list[str]:
    """Calls that block, each under a deadline, beside others."""
    body = pick.choice([["time.sleep(s)"], ["time.sleep(1)", "await asyncio.sleep(s)"]])
    body += ["await asyncio.sleep(0)"] if pick.maybe() else []
    body = [
        f"async with asyncio.timeout({pick.choice([1.5, 2.5])}):",
        *indented([*body, "print(name)"]),
    ]
    body = ["try:", *indented(body), "except TimeoutError:", '    print(name, "late")']
    body = ['print("go", name)', *body] if pick.maybe() else body
    calls = [f'ask("{name}", {s})' for name, s in zip(pick.names(2, 3), pick.seconds(3, 3))]
    return ["async def ask(name, s):", *indented(body), *main(*started(pick, calls, "m"))]
