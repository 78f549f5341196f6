"""The course as a deck for Anki: the wrong beliefs with their timelines, the terms, and what the
lessons tell to take away.
"""

import itertools
import json
import pathlib
import random
import re
import sqlite3
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing

import genanki
from markupsafe import Markup

from helpers.basics.project import PROJECT
from helpers.beliefs.all import BELIEFS
from helpers.beliefs.apart import apart
from helpers.beliefs.world import TRUTH, Belief
from helpers.coach import cards
from helpers.coach.lessons import lessons
from helpers.drills.answers import predictions, truth_of
from helpers.drills.catalogue import templates_for
from helpers.drills.choosing import asking_about
from helpers.drills.verdict import drawn, recorded, shown
from helpers.memory.closing import closing_of
from helpers.memory.terms import terms
from helpers.pictures.html import element

NAME = "Asynchronous Python"
# Anki knows deck and form by these numbers, and a note by what it is about: so an import of a newer
# deck brings the notes up to date and leaves alone what Anki knows of them.
DECK, FORM = 1_795_420_801, 1_795_420_802
STYLE = """
.card { font-family: sans-serif; font-size: 18px; max-width: 46em; margin: auto }
pre { text-align: left; white-space: pre-wrap }
img { max-width: 100%; background: white }
"""
SHOWN = genanki.Model(
    FORM,
    NAME,
    fields=[{"name": "Front"}, {"name": "Back"}],
    templates=[
        {"name": "Card", "qfmt": "{{Front}}", "afmt": "{{FrontSide}}<hr id=answer>{{Back}}"}
    ],
    css=STYLE,
)


class Note(genanki.Note):
    """A note of the deck. about: what it asks about, unique in the deck."""

    def __init__(self, about: str, front: Markup, back: Markup, lesson: str):
        kind = about.partition(" ")[0]
        super().__init__(
            model=SHOWN,
            fields=[str(front), str(back)],
            tags=[kind, f"lesson-{lesson}"],
            guid=genanki.guid_for("async-course", about),
        )


def write(path: pathlib.Path) -> pathlib.Path:
    """Write the deck to `path` and return it.

    Raises ValueError if the path does not end in .apkg, OSError if it can't be written.
    """
    if path.suffix.lower() != ".apkg":
        raise ValueError(f"can't export to {path.name}: an Anki deck's name ends in .apkg")
    if not path.absolute().parent.is_dir():
        raise FileNotFoundError(f"can't export to {path}: there is no folder {path.parent}")
    deck = genanki.Deck(DECK, NAME)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        notes = itertools.chain(_beliefs(folder), _terms(), _key_points())
        for note in notes:
            deck.add_note(note)
        pictures = sorted(folder.glob("*.svg"))
        # genanki's own `write_to_file` leaves its database in the temporary folder.
        with closing(sqlite3.connect(folder / "collection")) as database:
            now = time.time()
            genanki.Package(deck).write_to_db(
                database.cursor(), now, itertools.count(int(now * 1000))
            )
            database.commit()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.write(folder / "collection", "collection.anki2")
            names = {number: picture.name for number, picture in enumerate(pictures)}
            packed.writestr("media", json.dumps(names))
            for number, picture in enumerate(pictures):
                packed.write(picture, str(number))
    return path


def _beliefs(folder) -> Iterator[Note]:
    """A note a belief; the timelines are saved in this folder."""
    for id, belief in BELIEFS.items():
        front = f"Somebody predicts a program as if **{belief.sentence}**. What happens instead?"
        back = apart(lambda belief=belief: _example(belief, folder))
        back = cards.paragraph(belief.truth) + back
        yield Note(f"belief {id}", cards.paragraph(front), back, belief.lesson)


def _example(belief: Belief, folder: pathlib.Path) -> Markup:
    """HTML of a program on which belief and truth differ, the same each time, with its timelines;
    the picture is saved in the folder.
    """
    templates = templates_for(belief.lesson)
    program = asking_about(belief, templates, random.Random(belief.id))
    parts = [
        cards.preformatted(program.source),
        cards.paragraph(f"It prints: {shown(truth_of(program))}."),
        cards.paragraph(f"Predicted was: {shown(predictions(program)[belief.id])}."),
    ]
    figure = drawn(program, recorded(TRUTH, program), recorded(belief, program))
    if figure is not None:
        name = f"async-course-{belief.id}.svg"
        figure.save(folder / name)
        parts.append(element("img", src=name, alt=figure.alt))
    return Markup("").join(parts)


def _terms() -> Iterator[Note]:
    for term in terms():
        front = cards.paragraph(f"What is this: **{term.name}**?")
        yield Note(f"term {term.name}", front, cards.paragraph(term.means), term.number)


def _key_points() -> Iterator[Note]:
    """A note a lesson: what to take away from it, and the belief that it corrects."""
    for lesson in lessons(PROJECT / "notebooks"):
        try:
            closing = closing_of(lesson)
        except ValueError:  # in the learner's own copy of the notebook
            continue
        front = f"What is to be taken away from **{lesson.number} {lesson.title}**?"
        back = f"{closing.points}\n\n**Not so:** {closing.belief}\n\n**But:** {closing.instead}"
        back = cards.statement(plain(back))
        yield Note(f"lesson {lesson.number}", cards.paragraph(front), back, lesson.number)


def plain(text: str) -> str:
    """Markdown without links and emphasis; what cards show (`code`, **strong**) stays."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"(?<![*\w])\*(?!\*)([^*\n]+)\*(?!\*)", r"\1", text)
