"""A template makes programs of one kind: each number gives another variant, always the same one."""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

LONGEST, WIDEST = 15, 88  # lines of a program, and characters of a line

DRAWN = 1000  # programs, until one fits

ORDER, TIMES, LEFT = "order", "times", "left"  # what is asked


class Program(NamedTuple):
    """A program to predict. id: of its template.  variant: its number.  asks: what is asked."""

    id: str
    variant: int
    lesson: str
    topic: str
    asks: str
    source: str

    @property
    def name(self) -> str:
        """The file name under which it runs."""
        return f"drill {self.id} {self.variant}"


class Pick(random.Random):
    """What a template draws from: the same number gives the same draws."""

    def names(self, fewest: int, most: int) -> list[str]:
        """ "a", "b", "c" …: as many as drawn."""
        return list("abcde"[: self.randint(fewest, most)])

    def seconds(self, count: int, most: int = 5) -> list[int]:
        """Different whole seconds, as many as asked."""
        return self.sample(range(1, most + 1), count)

    def mixed(self, things: Iterable) -> list:
        """The things in another order."""
        things = list(things)
        self.shuffle(things)
        return things

    def maybe(self) -> bool:
        """True or False."""
        return self.random() < 0.5

    def insert(self, lines: Sequence[str], *more: str) -> list[str]:
        """The lines with these among them, each at some place."""
        lines = list(lines)
        for line in more:
            lines.insert(self.randint(0, len(lines)), line)
        return lines


class Template:
    """Makes the variants. make: takes a Pick, returns the source's lines."""

    def __init__(self, lesson: str, name: str, topic: str, asks: str, make: Callable):
        self.id = f"{lesson}-{name}"
        self.lesson, self.topic, self.asks, self.make = lesson, topic, asks, make

    def variant(self, number: int) -> Program:
        """The program with this number: the first that was drawn and fits a page."""
        for attempt in range(DRAWN):
            lines = self.make(Pick(f"{self.id} {number} {attempt}"))
            if len(lines) <= LONGEST and max(map(len, lines)) <= WIDEST:
                break
        else:
            raise ValueError(f"{self.id} makes no program of {LONGEST} lines")
        source = "\n".join(lines) + "\n"
        return Program(self.id, number, self.lesson, self.topic, self.asks, source)


TEMPLATES: dict[str, Template] = {}


def template(lesson: str, topic: str, asks: str = ORDER) -> Callable:
    """Make a template of a function; its name is the function's."""

    def add(make):
        made = Template(lesson, make.__name__.replace("_", "-"), topic, asks, make)
        TEMPLATES[made.id] = made
        return make

    return add


def indented(lines: Iterable[str], by: int = 1) -> list[str]:
    """Lines, so many levels deeper."""
    return ["    " * by + line for line in lines]


def main(*lines: str) -> list[str]:
    """The coroutine function that is run, with these lines."""
    return ["async def main():", *indented(lines)]


def started(pick: Pick, calls: Sequence[str], *said: str) -> list[str]:
    """Lines of main that start the calls at once, in one of three ways, and print between."""
    way = pick.choice(["gather", "tasks", "group"])
    prints = [f'print("{word}")' for word in said]
    if way == "gather":
        return pick.insert([f"await asyncio.gather({', '.join(calls)})"], *prints)
    if way == "group":
        body = pick.insert([f"tg.create_task({call})" for call in calls], *prints)
        return ["async with asyncio.TaskGroup() as tg:", *indented(body)]
    names = [f"t{number}" for number in range(1, len(calls) + 1)]
    made = [f"{name} = asyncio.create_task({call})" for name, call in zip(names, calls)]
    return [*pick.insert(made, *prints[:1]), *(f"await {name}" for name in pick.mixed(names))]
