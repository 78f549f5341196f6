"""The board's pages, as HTML: one for the projector, one for the teacher, and the summary.

Each is a frame, and a body that is sent anew whenever something has changed. All words that come
from elsewhere are escaped (`element`).
"""

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from helpers.basics.words import count
from helpers.board.standing import Answer, Learner, Row, Standing
from helpers.pictures.html import element, table

MOST_ANSWERS = 8  # shown one by one
HERE = Path(__file__).parent
STYLE = (HERE / "board.css").read_text(encoding="utf-8")
SCRIPT = (HERE / "board.js").read_text(encoding="utf-8")


def page(title: str, body: Markup, live: str = "", refresh: int = 0) -> Markup:
    """A whole page. live: where its body's changes come from.  refresh: seconds after which a
    browser without JavaScript asks again.
    """
    again = (
        element("noscript", Markup('<meta http-equiv="refresh" content="{}">').format(refresh))
        if refresh
        else Markup("")
    )
    head = element(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        again,
        element("title", title),
        Markup('<link rel="stylesheet" href="board.css">'),
        Markup('<script src="board.js" defer></script>') if live else "",
    )
    main = Markup('<main id="board" data-live="{}">{}</main>').format(live, body)
    return (
        Markup('<!DOCTYPE html><html lang="en">') + head + element("body", main) + Markup("</html>")
    )


def projector(standing: Standing, address: str, code: str) -> Markup:
    """The body for the projector: how to join, the open question, the exercises."""
    parts = [
        element("h1", "The class"),
        element("p", "Join: ", element("code", f'join("{address}", "{code}")'), class_="join"),
        _count(standing),
    ]
    if hands := standing.hands():
        parts.append(element("p", f"{count(len(hands), 'hand')} up"))
    if standing.open:
        parts.append(_question(standing, standing.open, standing.turned))
    else:
        parts += [_exercises(standing), _far(standing)]
    return _joined(parts)


def teacher(standing: Standing, address: str, code: str) -> Markup:
    """The body for the teacher: all of it, with the buttons."""
    parts = [
        element("h1", "The class, for the teacher"),
        element("p", "Join: ", element("code", f'join("{address}", "{code}")'), class_="join"),
        element(
            "p",
            element("a", "The projector's page", href="projector", target="_blank"),
            " · ",
            element("a", "Summary", href="summary.html"),
            " · ",
            element("a", "As CSV", href="summary.csv"),
        ),
        _count(standing),
        _hands(standing.hands()),
    ]
    if standing.open:
        parts += [_question(standing, standing.open, True, standing.turned), _turning(standing)]
    parts += [_questions(standing), _exercises(standing), _far(standing), _by_hand(), _ending()]
    return _joined(parts)


def summary(standing: Standing, began: str) -> Markup:
    """The session on one page, whole in itself. began: when, in words."""
    lessons = [lesson for lesson, _, _ in standing.progress()]
    asked = [id for id in standing.course.questions if standing.guessed(id)]
    parts = [
        element("h1", f"A class on {began}"),
        element("p", f"{count(len(standing.learners), 'learner')} in all."),
        _far(standing),
    ]
    parts += [_exercises(standing, lesson) for lesson in lessons]
    parts += [_question(standing, id, True) for id in asked]
    html = page(f"A class on {began}", _joined(parts))
    style = Markup("<style>{}</style>").format(Markup(STYLE))
    return Markup(str(html).replace('<link rel="stylesheet" href="board.css">', str(style), 1))


def notice(words: str) -> Markup:
    """A body that says one thing, and leads back."""
    return element("p", words) + element("p", element("a", "Back", href="teacher"))


def _joined(parts):
    return Markup("").join(parts)


def _count(standing):
    here, all_ = standing.here(), len(standing.learners)
    gone = f", {all_ - here} silent for a while" if all_ > here else ""
    return element("p", element("strong", here), f" here{gone}", class_="here")


def _question(standing, id, shown, on_projector=True):
    """A question: how many have guessed; and the answers, if they are shown."""
    asked = standing.course.questions[id]
    guesses = standing.guessed(id)
    # A learner's backquotes mark code; here they would be read as part of the words.
    parts = [
        element("h2", _inline(asked.words), id="question"),
        element(
            "p",
            element("strong", len(guesses)),
            f" of {len(standing.learners)} have guessed",
            class_="guessed",
        ),
    ]
    if shown:
        if not on_projector:
            parts.append(element("p", "The room does not see the answers yet."))
        parts.append(_bars(standing.answers(id), standing.truth(id)))
    elif asked.choices:
        parts.append(element("ul", *(element("li", _inline(one)) for one in asked.choices)))
    return element("section", *parts, class_="question")


def _inline(words):
    """Words in which `code` stands in backquotes, as HTML."""
    parts = words.split("`")
    return _joined(
        element("code", part) if number % 2 else Markup.escape(part)
        for number, part in enumerate(parts)
    )


def _bars(answers: Sequence[Answer], truth: str | None) -> Markup:
    """The answers as bars, the true one marked in words and by its frame."""
    most = max([1, *(answer.count for answer in answers)])
    shown = list(answers[:MOST_ANSWERS])
    shown += [answer for answer in answers[MOST_ANSWERS:] if answer.true]
    rest = sum(answer.count for answer in answers if answer not in shown)
    rows = []
    for answer in shown:
        bar = element(
            "span",
            element("span", class_="fill", style=f"width: {100 * answer.count / most:.0f}%"),
            class_="bar",
        )
        came = element("em", " what came out") if answer.true else ""
        label = element("span", _inline(answer.words), came, class_="label")
        number = element("span", answer.count, class_="count")
        rows.append(element("li", label, bar, number, class_="true" if answer.true else ""))
    said = [element("ul", *rows, class_="bars")]
    if rest:
        said.append(element("p", f"{count(rest, 'other answer')}, each given by few."))
    if truth is None:
        said.append(element("p", "Nobody has run the experiment yet."))
    return _joined(said)


def _exercises(standing: Standing, lesson: str | None = None) -> Markup:
    """The exercises of a lesson, or of the one that the room is at."""
    lesson = lesson or standing.lesson
    if lesson is None:
        return element("p", "Nothing was checked or guessed yet.")
    rows = [_exercise(row) for row in standing.rows(lesson)]
    title = f"{lesson} {standing.course.titles.get(lesson, '')}"
    if not rows:
        return element("h2", title)
    heads = "Exercise", "Solved", "At it", "Not started", "Most frequent mistakes"
    return element("section", element("h2", title), table(rows, heads))


def _exercise(row: Row):
    everybody = row.solved + row.at_it + row.not_started
    mistakes = [element("li", f"{count} of {everybody}: {said}") for count, said in row.mistakes]
    named = element("ul", *mistakes) if mistakes else ""
    return row.title, row.solved, row.at_it, row.not_started, named


def _far(standing: Standing) -> Markup:
    rows = [
        element(
            "li",
            element("span", f"{lesson} {title}", class_="label"),
            element(
                "span",
                element("span", class_="fill", style=f"width: {share:.0%}"),
                class_="bar",
            ),
            element("span", f"{share:.0%}", class_="count"),
        )
        for lesson, title, share in standing.progress()
    ]
    if not rows:
        return Markup("")
    head = element("h2", "How far the room is: exercises solved")
    return element("section", head, element("ul", *rows, class_="bars"))


def _hands(hands: Sequence[Learner]) -> Markup:
    if not hands:
        return element("p", "No hand is up.")
    rows = [
        element("li", learner.called, " ", _button("Lower", "lower", of=str(learner.number)))
        for learner in hands
    ]
    return element("section", element("h2", "Hands"), element("ol", *rows), class_="hands")


def _turning(standing: Standing) -> Markup:
    turn = "Hide the answers from the room" if standing.turned else "Show the room the answers"
    return element("p", _button(turn, "turn"), " ", _button("Close the question", "close"))


def _questions(standing: Standing) -> Markup:
    """The lesson's questions, each with a button that asks it; and the choice of a lesson."""
    options = [
        Markup('<option value="{}"{}>{} {}</option>').format(
            number, Markup(" selected") if number == standing.lesson else "", number, title
        )
        for number, title in standing.course.titles.items()
    ]
    choose = element(
        "form",
        element("label", "Lesson ", element("select", *options, name="of", id="lesson")),
        " ",
        Markup('<input type="hidden" name="do" value="lesson">'),
        element("button", "Go there", id="go"),
        method="post",
        action="act",
    )
    rows = [
        element(
            "li",
            _inline(asked.words),
            f" ({len(standing.guessed(asked.id))} guessed) ",
            _button("Ask", "open", of=asked.id),
        )
        for asked in standing.course.questions.values()
        if asked.lesson == standing.lesson
    ]
    listed = element("ul", *rows) if rows else element("p", "Choose a lesson to see its questions.")
    return element("section", element("h2", "Questions"), choose, listed)


def _by_hand() -> Markup:
    fields = (
        element("label", "Name (may be empty) ", Markup('<input name="name" maxlength="40">')),
        " ",
        element(
            "label",
            "What course_map().code gave ",
            Markup('<input name="code" size="40" required>'),
        ),
        " ",
        element("button", "Take it in"),
    )
    return element(
        "details",
        element("summary", "Somebody without a network"),
        element("form", *fields, method="post", action="paste"),
    )


def _ending() -> Markup:
    return element(
        "details",
        element("summary", "End the class"),
        element("p", _button("End the class, keep the summary", "end")),
        element("p", _button("End the class and delete all that was told", "delete")),
    )


def _button(words, do, of=""):
    """A button that does something: a form, so that it works without JavaScript."""
    hidden = [Markup('<input type="hidden" name="do" value="{}">').format(do)]
    if of:
        hidden.append(Markup('<input type="hidden" name="of" value="{}">').format(of))
    button = element("button", words, id=f"{do}-{of}" if of else do)
    return element("form", *hidden, button, method="post", action="act", class_="button")
