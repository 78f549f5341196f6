"""What the timeline's tests share: programs to be recorded, and how to read what is drawn."""

import asyncio
import threading
import time
from xml.etree import ElementTree

from helpers.pictures.timeline import timeline
from helpers.recording.jobs import job
from helpers.recording.record import record
from tests.stories import nap


async def one_by_one():
    for seconds in (1, 2, 3):
        await nap(seconds)


async def together():
    await asyncio.gather(nap(1), nap(2), nap(3))


async def crowd(number=200):
    async def task(n):
        await asyncio.sleep(1 + n % 7)
        if n % 50 == 3:
            raise ValueError(n)

    await asyncio.gather(*[task(n) for n in range(number)], return_exceptions=True)


def page(figure):
    """What a notebook shows of a figure, as a tree: the image, details in words, the script."""
    return ElementTree.fromstring(figure._repr_mimebundle_()["text/html"])


def drawn(rec, **options):
    """The tree of a timeline's SVG, by the names of its elements alone."""
    return tree(timeline(rec, **options))


def tree(figure):
    """The same of a figure."""
    return ElementTree.fromstring(figure.svg.replace(' xmlns="http://www.w3.org/2000/svg"', ""))


def words_in(svg, kind=None):
    return [text.text for text in svg.iter("text") if kind in (None, text.get("class"))]


def titles_in(svg):
    return [title.text for title in svg.iter("title")]


def bars(svg, state):
    return [rect for rect in svg.find("g").iter("rect") if rect.get("class") == state]


def conversation():
    def averager():
        total = count = 0
        mean = None
        while True:
            value = yield mean
            total, count = total + value, count + 1
            mean = total / count

    def outer(inner):
        yield from inner

    with record() as rec:
        mean = rec.generator(averager())
        through = rec.generator(outer(mean), "outer")
        next(through)
        for value in (10, 20, 30):
            through.send(value)
        through.close()
    return rec


def jobs():
    with record() as rec:
        threads = [threading.Thread(target=job(time.sleep), args=(0.02,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return rec


def iter_many():
    yield from range(100)
