import ast

from helpers.coach import Exercise, Wrong, right, sweep, wrong

from .shared import named

NAMES = ("Ann", "Bob", "Cleo", "Dan", "a name", "")


MOST = 200_000  # questions that nobody needs for seven tasks, whatever is tried with them


class Asked(dict):
    """Who waits for whom; it tells of one who asks for ever. missing: a name that it lacks."""

    def __init__(self, waits=(), lab=None):
        super().__init__(waits)
        self.lab, self.times, self.missing = lab, 0, object()

    def __reduce__(self):
        return dict, (dict(self),)  # a copy is a plain one

    def __getitem__(self, name):
        self._count()
        return super().__getitem__(name)

    def __missing__(self, name):
        self.missing = name
        raise KeyError(name)

    def get(self, name, default=None):
        self._count()
        return super().get(name, default)

    def _count(self):
        self.times += 1
        if self.times > MOST:
            raise Wrong(
                "endless",
                f"It asked `waits` {MOST:,} times, and went on.",
                self.lab.while_loop(),
                "A way into a circle has no end, and need not come back to where it began. Stop "
                "at any name that it meets a second time.",
                headline="went round and round",
                at="goes on",
            )


class Circle(Exercise):
    """Find the deadlock

    A program hangs. Somebody has written down who waits for whom: `waits` is a dict from the name
    of a task to the name of the task that it waits for, or to None if it waits for a timer or a
    socket.

    Write `find_circle(waits)`. It returns the set of the tasks that wait for each other in a
    circle; if there is none, the empty set. A task that waits for one in the circle hangs too,
    but it is not to blame, and does not belong to it. A task that waits for itself is a circle.
    There is at most one circle, and a name that has no entry of its own has ended.
    """

    id = "circle-1"
    asks = "find_circle"
    minutes = 10
    hints = (
        "Begin with any task and follow: whom does it wait for, and whom does that one wait for?",
        "Two ends are possible: None (no circle on this way), or a name that you have met before. "
        "The names met before may be a tail that leads into the circle.",
        "Begin with each task in turn. If you come back to the very one that you began with, the "
        "names on the way are the circle. Stop as well when you meet any name a second time.",
    )

    CASES = (
        ({"Ann": "Bob", "Bob": "Ann"}, {"Ann", "Bob"}),
        ({"Ann": "Bob", "Bob": "Cleo", "Cleo": "Ann"}, {"Ann", "Bob", "Cleo"}),
        ({"guest": "evening", "evening": "Ann", "Ann": None}, set()),
        ({"Ann": "Bob"}, set()),
        ({"guest": "evening", "evening": "Ann", "Ann": "Bob", "Bob": "Ann"}, {"Ann", "Bob"}),
        ({"guest": "Ann", "Ann": "Ann"}, {"Ann"}),
        (
            {"x": None, "guest": "Bob", "Bob": "Cleo", "Cleo": "Dan", "Dan": "Bob", "cat": "Dan"},
            {"Bob", "Cleo", "Dan"},
        ),
        ({"Bob": None, "Dan": "Bob"}, set()),
        ({}, set()),
        ({"": "Ann", "Ann": ""}, {"", "Ann"}),
    )

    equivalent = {
        "from_each: falsy for None, line 5": "a circle with an empty name is found from that name",
        "from_each: or None, line 8": "a way begins with a name, so it is never empty",
        "cut_the_tail: or None, line 8": "a circle has at least one name",
    }

    def verify(self, find_circle, lab):
        for waits, circle in self.CASES:
            lab.told(f"with {waits}")
            asked = Asked(waits, lab)
            try:
                got = find_circle(asked)
            except KeyError as error:
                if error.args[:1] != (asked.missing,):
                    raise
                raise Wrong(
                    "raised",
                    f"It raised KeyError: {error}.",
                    lab.text.of_traceback(error),
                    "A name that has no entry of its own has ended: `waits.get(…)` gives None for "
                    "it.",
                    headline="raised KeyError",
                    at="looks it up",
                ) from None
            if isinstance(got, (list, tuple, frozenset)):
                got = set(got)
            if not isinstance(got, set):
                lab.equal(got, circle)
            if circle and circle < got:
                raise Wrong(
                    "circle of waits",
                    f"It found {named(got)}. Not in the circle, and only waiting for it: "
                    f"{named(got - circle)}.",
                    self._met_before(lab)
                    or self._returns_some(lab)
                    or lab.returning("set", "*seen*", "*path*"),
                    "Follow the way from each of them. Only those to which it comes back are in "
                    "the circle.",
                    headline="named the innocent",
                )
            if got and not circle:
                met_before, only = self._met_before(lab), self._returns_some(lab)
                if sum(isinstance(node, ast.Return) for node in lab.nodes()) > 1:
                    only = None
                raise Wrong(
                    "circle of waits",
                    f"It found {named(got)}. Each way there ends: at a task "
                    "that waits for a timer, or at one that has ended.",
                    met_before or only,
                    try_="A way may meet a name that another way has met, and there is no circle. "
                    "Begin each way with no name met yet."
                    if met_before
                    else "None ends a way, and so does a name that has no entry.",
                    headline="saw a circle where there is none",
                    at="still finds the names of earlier ways" if met_before else "",
                )
            if "" in circle and circle - got and self._goes_well_with_a_full_name(find_circle, lab):
                ends = self._ends_at_an_empty_name(lab)
                raise Wrong(
                    "falsy",
                    f"It found {named(got)}. '' and 'Ann' wait for each other in a circle. With a "
                    "name that is not empty it is found.",
                    ends,
                    "An empty string counts as false, and is a name all the same. None alone ends "
                    "a way: `is not None`.",
                    headline="took an empty name for the end",
                    at="takes an empty name for none" if ends else "",
                )
            if circle - got:
                raise Wrong(
                    "circle of waits",
                    f"It found {named(got)}; "
                    + (
                        f"{named(circle)} waits for itself."
                        if len(circle) == 1
                        else f"{named(circle)} wait for each other in a circle."
                    ),
                    (lab.condition("len") or lab.call_of("combinations", "permutations"))
                    if len(circle) == 1
                    else lab.call_of("next", "popitem"),
                    "A task that waits for itself is a circle, too: one of one."
                    if len(circle) == 1
                    else "Follow the way to its end, from each of the tasks.",
                    headline="missed the circle",
                )
            lab.equal(got, circle)

    def _goes_well_with_a_full_name(self, find_circle, lab):
        shown = lab.shown
        try:
            return set(find_circle({"Eve": "Ann", "Ann": "Eve"})) == {"Ann", "Eve"}
        finally:
            lab.shown = shown

    def _ends_at_an_empty_name(self, lab):
        """Where a name that was looked up in `waits` is asked whether it counts as true."""
        names = {
            ast.unparse(target)
            for node in lab.nodes()
            if isinstance(node, ast.Assign) and "waits" in ast.unparse(node.value)
            for target in node.targets
        }
        tests = [node.test for node in lab.nodes() if isinstance(node, (ast.While, ast.If))]
        bare = [
            part
            for test in tests
            for part in (test.values if isinstance(test, ast.BoolOp) else [test])
            if ast.unparse(part).removeprefix("not ") in names
        ]
        return lab.earliest(*(part.lineno for part in bare))

    def _returns_some(self, lab):
        """The one `return` of anything but an empty set; None if there are several."""
        lines = [
            node.lineno
            for node in lab.nodes()
            if isinstance(node, ast.Return) and lab.is_own(node.lineno)
            if node.value is not None and ast.unparse(node.value) not in ("set()", "None")
        ]
        return lines[0] if len(lines) == 1 else None

    def _met_before(self, lab):
        """Where a way ends at a name of any way before: names are looked for in what is made empty
        once, before the loop over all tasks, and filled in it. None if they are looked for in what
        is made anew, too.
        """
        loops = [node for node in lab.nodes() if isinstance(node, ast.For)]
        inside = {id(part) for loop in loops for part in ast.walk(loop)}
        empty = [
            node
            for node in lab.nodes()
            if isinstance(node, ast.Assign) and ast.unparse(node.value) in ("set()", "[]", "{}")
        ]
        once = {ast.unparse(node.targets[0]) for node in empty if id(node) not in inside}
        filled = {
            ast.unparse(node.func.value)
            for node in lab.nodes()
            if isinstance(node, ast.Call) and id(node) in inside
            if isinstance(node.func, ast.Attribute) and node.func.attr in ("add", "append")
        } | {
            ast.unparse(node.targets[0].value)
            for node in lab.nodes()
            if isinstance(node, ast.Assign) and id(node) in inside
            if isinstance(node.targets[0], ast.Subscript)
        }
        asked = [
            (node.lineno, ast.unparse(test.comparators[-1]))
            for node in lab.nodes()
            if id(node) in inside and isinstance(node, (ast.If, ast.While))
            if isinstance(node, ast.While) or isinstance(node.body[-1], ast.Return)
            for test in ast.walk(node.test)
            if isinstance(test, ast.Compare) and isinstance(test.ops[-1], (ast.In, ast.NotIn))
        ]
        names = {name for _, name in asked} - {"waits"}
        if len(names) != 1 or not names <= once & filled:
            return None
        return next(line for line, name in asked if name in names)

    @sweep(
        lambda some: {
            "waits": some.dictionaries(
                some.sampled_from(NAMES), some.sampled_from((*NAMES, "Ann", None)), max_size=6
            ).filter(has_one_circle_at_most)
        },
        besides=[{"waits": {f"task {n}": f"task {(n + 1) % 1100}" for n in range(1100)}}],
        most=60,
    )
    def any_waits(self, find_circle, lab, waits):
        got = lab.call(find_circle, waits)
        return set(got) if isinstance(got, (list, tuple, frozenset)) else got

    @right
    def from_each(waits):
        """Return the set of the tasks that wait for each other in a circle."""
        for first in waits:
            way = [first]
            while (follows := waits.get(way[-1])) is not None and follows not in way:
                way.append(follows)
            if follows == first:
                return set(way)
        return set()

    @right
    def cut_the_tail(waits):
        for first in waits:
            way, name = [], first
            while name is not None and name not in way:
                way.append(name)
                name = waits.get(name)
            if name is not None:
                return set(way[way.index(name) :])
        return set()

    with_the_tail = cut_the_tail.but(
        "way[way.index(name) :]",
        "way",
        kind="circle of waits",
        says="only waiting for it: evening, guest",
    )

    @wrong("circle of waits", says="Ann, Bob, Cleo")
    def pairs_alone(waits):
        for one, other in waits.items():
            if waits.get(other) == one:
                return {one, other}
        return set()

    @wrong("circle of waits", says="found nobody")
    def from_the_first_alone(waits):
        if not waits:
            return set()
        first, way = next(iter(waits)), []
        name = first
        while name is not None and name not in way:
            way.append(name)
            name = waits.get(name)
        return set(way) if name == first else set()

    @wrong("endless", says="200,000 times")
    def until_it_comes_back(waits):
        for first in waits:
            way, name = [first], waits.get(first)
            while name is not None and name != first:
                way.append(name)
                name = waits.get(name)
            if name == first:
                return set(way)
        return set()

    @wrong("circle of waits", says="Each way there ends")
    def all_that_wait(waits):
        return {name for name, other in waits.items() if other is not None}

    @wrong("raised", says="KeyError")
    def no_get(waits):
        for first in waits:
            way, name = [], first
            while name is not None and name not in way:
                way.append(name)
                name = waits[name]
            if name == first:
                return set(way)
        return set()


def has_one_circle_at_most(waits):
    """Whether all ways that don't end lead into the same circle."""
    ends = []
    for name in waits:
        for _ in range(len(waits) + 1):
            name = waits.get(name)
        if name is not None:
            ends.append(name)
    if not ends:
        return True
    circle, name = {ends[0]}, waits[ends[0]]
    while name != ends[0]:
        circle.add(name)
        name = waits[name]
    return circle.issuperset(ends)
