"""Drills on lessons 02 to 05: generators, sending, delegation, lists that are walked over."""

from helpers.drills.template import Pick, indented, template


@template("02", "generators")
def steps(pick: Pick) -> list[str]:
    """A generator that talks, asked a few times."""
    count = pick.randint(2, 3)
    body = []
    for number in range(1, count + 1):
        body += [f'print("in{number}")'] if pick.maybe() or number == 1 else []
        body.append(f"yield {number}")
    body += ['print("end")'] if pick.maybe() else []
    use = pick.insert(["print(next(g))" for _ in range(count)], 'print("out")')
    use += ["print(list(g))"] if pick.maybe() else ['print("over")']
    return ["def gen():", *indented(body), "g = gen()", *use]


@template("02", "generators")
def pipeline(pick: Pick) -> list[str]:
    """Two generators, one behind the other."""
    first = ["for i in range(4):", *indented(pick.insert(["yield i"], 'print("made", i)'))]
    first += ['print("empty")'] if pick.maybe() else []
    second = pick.choice(
        [
            ["for i in items:", '    print("passed", i)', "    yield i"],
            ["for i in items:", "    yield i", '    print("passed", i)'],
            ["for i in items:", '    print("passed", i)', "    if i != 1:", "        yield i"],
            ["for i in items:", "    if i != 1:", "        yield i", '    print("passed", i)'],
        ]
    )
    loop = ["for x in passed(made()):", '    print("got", x)']
    if pick.maybe():
        stop = [f"if x == {pick.randint(0, 3)}:", "    break"]
        loop = pick.choice([[*loop, *indented(stop)], [loop[0], *indented(stop), loop[1]]])
    loop += ['print("end")'] if pick.maybe() else []
    return ["def made():", *indented(first), "def passed(items):", *indented(second), *loop]


@template("02", "generators")
def again(pick: Pick) -> list[str]:
    """A generator in several loops."""
    count = pick.randint(3, 5)
    loops = []
    for _ in range(pick.randint(2, 3)):
        loop = pick.choice(
            [
                ["print(list(g))"],
                ["for x in g:", "    print(x)"],
                [
                    "for x in g:",
                    "    print(x)",
                    f"    if x == {pick.randint(1, 2)}:",
                    "        break",
                ],
                ["print(next(g))"] if not loops else ["print(sum(g))"],
            ]
        )
        loops += loop
    start = [
        "def count(n):",
        "    for i in range(1, n + 1):",
        "        yield i",
        f"g = count({count})",
    ]
    return [*start, *loops, 'print("end")']


@template("03", "send")
def answers(pick: Pick) -> list[str]:
    """A conversation: what is sent in, and what comes out."""
    body = pick.choice(
        [
            ["x = 0", "while True:", "    y = yield x", "    x = x + y"],
            ["x = yield 0", "while True:", '    print("heard", x)', "    x = yield x * 2"],
            ["x = yield 1", "y = yield x + 1", "while True:", "    x = yield x + y"],
            [
                "last = 0",
                "while True:",
                "    x = yield last",
                '    print("heard", x)',
                "    last = x",
            ],
        ]
    )
    sent = [f"print(g.send({number}))" for number in pick.sample(range(2, 9), pick.randint(3, 5))]
    prints = ['print("out")'] if pick.maybe() else []
    return [
        "def talk():",
        *indented(body),
        "g = talk()",
        "print(next(g))",
        *pick.insert(sent, *prints),
    ]


@template("03", "throw and close")
def thrown(pick: Pick) -> list[str]:
    """A generator that catches what is thrown in, and cleans up."""
    handler = pick.choice(['print("caught")', 'yield "sorry"', 'print("hm")'])
    inner = ["yield 1", "yield 2"] if pick.maybe() else ["yield 1"]
    body = ["try:", *indented(inner), "except ValueError:", f"    {handler}"]
    if pick.maybe():
        body += ["finally:", '    print("clean")']
    body += ["yield 3", "yield 4"] if pick.maybe() else ["yield 3"]
    use = ["print(next(g))", "print(g.throw(ValueError()))"]
    tail = pick.choice([["g.close()"], ["print(list(g))"], ["print(next(g, 9))", "g.close()"]])
    use = pick.insert(use, 'print("out")') if pick.maybe() else use
    if "next" not in use[0] and "out" not in use[0]:
        use = use[::-1]
    return ["def guest():", *indented(body), "g = guest()", *use, *tail, 'print("end")']


@template("03", "throw and close")
def closed(pick: Pick) -> list[str]:
    """Generators with a cleanup, some asked and some not, that are closed."""
    body = ["try:", '    print(name, "in")'] + ["    yield name"] * pick.randint(1, 2)
    body += ["finally:", '    print(name, "out")']
    names = pick.names(2, 3)
    begun = pick.sample(names, pick.randint(1, len(names) - 1))
    lines = [f'{name} = guest("{name}")' for name in names]
    lines += pick.mixed([f"print(next({name}))" for name in begun])
    lines += [f"{name}.close()" for name in pick.mixed(names)]
    return ["def guest(name):", *indented(body), *lines]


@template("04", "yield from")
def nested(pick: Pick) -> list[str]:
    """Generators that delegate, asked and closed."""
    inner = pick.insert(["yield 1", "yield 2"], 'print("kettle")')
    outer = ['print("cook")', "x = yield from kettle()", 'print("tea", x)', "yield 3"]
    outer = outer[pick.randint(0, 1) :]
    inner += ["return 7"] if pick.maybe() else []
    use = [pick.choice(["print(next(g))", "print(next(g))", 'print("out")']) for _ in range(3)]
    tail = pick.choice([["print(list(g))"], ["print(next(g))", 'print("end")'], ["g.close()"]])
    start = ["def kettle():", *indented(inner), "def cook():", *indented(outer)]
    return [*start, "g = cook()", *use, *tail]


@template("04", "yield from")
def closing(pick: Pick) -> list[str]:
    """A chain of generators that is closed: who cleans up first?"""
    body = pick.insert(["if n:", "    yield from down(n - 1)"], "yield n")
    if body[1] == "yield n":
        body = ["yield n", "if n:", "    yield from down(n - 1)"]
    body = ["try:", *indented(body), "finally:", '    print("out", n)']
    body = ["print(n)", *body] if pick.maybe() else body
    body = [*body, 'print("over", n)'] if pick.maybe() else body
    calls = pick.insert(["print(next(g))"] * pick.randint(1, 3), 'print("here")')
    made = f"g = down({pick.randint(2, 3)})"
    return ["def down(n):", *indented(body), made, *calls, "g.close()", 'print("end")']


def _chain(pick, names):
    """The same in one function that calls itself."""
    body = ["print(n)", "try:"]
    deeper = pick.choice(["yield from down(n - 1)", "yield from down(n - 1)"])
    body += ["    if n:", f"        {deeper}", "    yield n", "finally:"]
    body += ['    print("out", n)']
    calls = ["print(next(g))"] * pick.randint(0, 3)
    calls = pick.insert(calls, 'print("here")') if pick.maybe() else calls
    return [
        "def down(n):", *indented(body), f"g = down({pick.randint(1, 3)})", *calls, "g.close()",
        'print("end")',
    ]  # fmt: skip


@template("05", "walking over a list")
def removed(pick: Pick) -> list[str]:
    """A list that changes while a loop walks over it."""
    names = "abcdef"[: pick.randint(4, 6)]
    change = pick.choice(
        [
            [f'if name in "{"".join(pick.sample(names[:-1], 2))}":', "    names.remove(name)"],
            [f'if name == "{pick.choice(names[:-1])}":', "    names.remove(name)"],
            [f'if name == "{pick.choice(names[:3])}":', '    names.append("x")'],
            [f'if name == "{pick.choice(names[:3])}":', "    names.pop(0)"],
            ["if len(names) > 3:", "    names.remove(name)"],
        ]
    )
    body = pick.insert(change, "print(name)") if pick.maybe() else ["print(name)", *change]
    if body[1].startswith("print(name)") and change[0] == body[0]:
        body = [*change, "print(name)"]
    after = pick.choice([["print(len(names))"], ["print(names[0])"], ['print("end")']])
    if pick.maybe():
        after = ["for name in names:", '    print("left", name)', *after]
    return [f'names = list("{names}")', "for name in names:", *indented(body), *after]
