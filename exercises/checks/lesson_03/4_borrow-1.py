import ast

from helpers.basics.words import count
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.handlers import LEAVING
from helpers.coach.mistakes.nodes import nodes_of_block, own_nodes

GIVING = "append", "insert"
NARROW = (
    "GeneratorExit, which `close` throws, isn't an `Exception`, and neither is KeyboardInterrupt. "
)
NAMED = "An `except` that names errors runs for those alone. "
SKIPS = "An error goes in at the `yield`, and skips the lines below. "
FINALLY = "Only a `finally` runs however it ends."
ASKED = "I called `next` on the generator again"
UNASKED = "closed {} before I asked for a book"
ENDS = {  # the words for it, and what is thrown in: an error, nothing, or None to close it
    "asked {} again": False,
    "closed {}": None,
    UNASKED: None,
    "threw a KeyError into {}": KeyError,
    "threw an OSError into {}": OSError,
    "threw a KeyboardInterrupt into {}": KeyboardInterrupt,
}


class Borrow(Exercise):
    """Give it back

    Write a generator function `borrow(shelf)`: it takes the last book off the list `shelf`, hands
    it out, and puts it back at the end of the list when the generator goes on. The book must be
    back *however* the generator ends: by another `next`, by `close`, or by an error thrown in. Such
    an error must come out again.
    """

    id = "borrow-1"
    asks = "borrow"
    minutes = 6
    hints = (
        "What runs in a generator that is closed at its `yield`? Not the line below.",
        "The line that puts the book back belongs in a `finally`.",
        "Take the book; `try:` hand it out with `yield`; `finally:` put it back.",
    )

    def verify(self, borrow, lab):
        self._end(lab, borrow, ASKED, lambda reader: next(reader, None))
        self._end(lab, borrow, "I closed the generator", lambda reader: reader.close())
        reader = self._end(lab, borrow, "I threw a KeyError in", self._throw, KeyError)
        if reader != "KeyError came out":
            raise Wrong(
                "lost error",
                "I threw a KeyError in, and it did not come out. The caller that threw it doesn't "
                "learn of it.",
                *swallowing(lab),
                headline="swallowed the error",
            )

    @sweep(
        lambda some: {
            "shelf": some.lists(some.sampled_from((None, "", 0, "atlas")), min_size=1, max_size=4),
            "ends": some.lists(some.sampled_from(sorted(ENDS)), min_size=1, max_size=2),
            "backwards": some.booleans(),
        },
    )
    def any_end(self, borrow, lab, shelf, ends, backwards):
        ends = ends[: len(shelf)]
        readers = ["it"] if len(ends) == 1 else ["the first", "the second"]
        order = list(zip(readers, ends))[:: -1 if backwards else 1]
        story = " and ".join(end.format(reader) for reader, end in order)
        times = "with" if len(ends) == 1 else "twice with"
        lab.told(f"{times} the shelf {shelf}, and {story}")
        before = len(shelf)
        made = dict(zip(readers, [lab.call(borrow, shelf), borrow(shelf)]))
        books = [next(made[reader]) for reader, end in zip(readers, ends) if end != UNASKED]
        meanwhile = list(shelf)
        came = [self._came(made[reader], ENDS[end]) for reader, end in order]
        if len(ends) == 1 and len(shelf) < before:
            raise Wrong(
                "not given back",
                f"Of {count(before, 'book')} the shelf held {len(shelf)} afterwards: {shelf}.",
                lab.text.skipped(*GIVING) or given_back(lab),
                skipping(lab, ENDS[ends[0]]) + FINALLY,
            )
        return {
            "it handed out": books,
            "meanwhile the shelf held": meanwhile,
            "what came out at the end was": came,
            "then the shelf held": shelf,
        }

    def _came(self, reader, how):
        """What came out of a reader that was ended: an error, or words."""
        try:
            if how is None:
                reader.close()
                return "nothing"
            return f"a book: {reader.throw(how('torn page')) if how else next(reader)!r}"
        except StopIteration:
            return "nothing"
        except BaseException as error:
            return error

    def _throw(self, reader):
        try:
            reader.throw(KeyError("torn page"))
        except KeyError:
            return "KeyError came out"
        except StopIteration:
            return "it ended"

    def _end(self, lab, borrow, what, end, error=None):
        shelf = ["atlas", "novel"]
        reader = lab.generator(lab.call(borrow, shelf))
        if shelf != ["atlas", "novel"]:
            raise Wrong(
                "eager",
                f"I called `borrow(shelf)`, and asked for no book yet. The shelf held {shelf}.",
                lab.call_of("pop") or lab.node(ast.Delete) or lab.call_of("remove"),
                "A generator that is closed before it has begun runs no `finally`. Take the book "
                "when it is asked for: in the function that has the `yield`.",
                headline="took the book too early",
            )
        lab.equal(next(reader, None), "novel", what="it handed out")
        if shelf != ["atlas"]:
            if not lab.call_of("pop") and (looks := lab.item_of("shelf", at=-1)):
                raise Wrong(
                    "given back early",
                    f"While the book was out, the shelf held {shelf}.",
                    looks,
                    "`shelf.pop()` takes the last one off.",
                    headline="never took it off",
                    at="only looks at it",
                )
            raise Wrong(
                "given back early",
                f"While the book was out, the shelf held {shelf}.",
                lab.yielding(),
                "The book must stay off the shelf until the generator goes on.",
            )
        came = end(reader)
        if shelf == ["atlas"] and came == "novel":
            raise Wrong(
                "one too many",
                f"{what} while the book was out. It put the book back, and took it off once more.",
                lab.looping() or lab.yielding(),
                "It hands out one book and ends: no loop.",
                headline="did not end",
            )
        if shelf == ["atlas"] and (anew := lab.rebinding()):
            raise Wrong(
                "not given back",
                f"{what} while the book was out. Then the shelf held {shelf}; the 'novel' was not "
                "back.",
                anew,
                "That is a new list, under the name that you use. The caller's own list has to "
                "change: `append` and `+=` do that.",
                headline="put it on a shelf of its own",
            )
        if shelf == ["atlas"]:
            asked = what == ASKED
            raise Wrong(
                "not given back",
                f"{what} while the book was out. Then the shelf held {shelf}; the 'novel' was not "
                "back.",
                given_back(lab) if asked else lab.text.skipped(*GIVING) or given_back(lab),
                ("Nothing was thrown in, so no `except` ran. " if asked else skipping(lab, error))
                + FINALLY,
                headline="no finally" if not lab.cleanup() else None,
            )
        if len(shelf) > 2:
            raise Wrong(
                "given back wrongly",
                f"{what}. Then the shelf held {shelf}.",
                given_back(lab),
                "One place is enough: the `finally`.",
                headline="gave it back twice",
            )
        if shelf == ["novel", "atlas"]:
            raise Wrong(
                "order",
                f"{what}. Then the shelf held {shelf}; expected ['atlas', 'novel'].",
                given_back(lab),
                "It was the last book of the shelf. Put it back at the end: `append` does.",
            )
        lab.equal(shelf, ["atlas", "novel"], what=f"{what}; then the shelf held")
        return came

    @right
    def with_finally(shelf):
        """Hand out the last book of `shelf`, and put it back however this ends."""
        book = shelf.pop()
        try:
            yield book
        finally:
            shelf.append(book)

    @right
    def with_two_ways_out(shelf):
        book = shelf.pop()
        try:
            yield book
        except BaseException:
            shelf.append(book)
            raise
        else:
            shelf.append(book)

    @wrong("not given back", says="I closed the generator")
    def puts_it_back_below(shelf):
        book = shelf.pop()
        yield book
        shelf.append(book)

    catches_exceptions = with_two_ways_out.but(
        "BaseException", "Exception", kind="not given back", says="GeneratorExit"
    )

    @wrong("lost error", says="did not come out")
    def catches_everything(shelf):
        book = shelf.pop()
        try:
            yield book
        except BaseException:
            pass
        shelf.append(book)

    only_after_an_error = with_finally.but("finally", "except").but(
        "shelf.append(book)",
        "shelf.append(book)\nraise",
        kind="not given back",
        says="no `except` ran",
    )

    returns_from_finally = with_finally.but(
        "shelf.append(book)",
        "shelf.append(book)\nreturn",
        kind="lost error",
        says="without a `return`",
    )

    catches_those_that_one_thinks_of = with_two_ways_out.but(
        "BaseException",
        "(Exception, GeneratorExit)",
        kind="not given back",
        says="except (Exception, GeneratorExit):",
    )

    puts_it_back_first = with_finally.but("shelf.pop()", "shelf[-1]").but(
        "shelf.append(book)", "pass", kind="given back early", says="While the book was out"
    )

    puts_it_back_in_two_places = with_finally.but(
        "yield book",
        "yield book\nshelf.append(book)",
        kind="given back wrongly",
        says="['atlas', 'novel', 'novel']",
    )


def skipping(lab, error):
    """What skips the line that puts the book back, where one puts it back at all, when such an
    error was thrown in.
    """
    if not lab.handler():
        return SKIPS
    return NAMED if error and issubclass(error, Exception) else NARROW


def swallowing(lab):
    """The line that swallows an error, or None, and what to try."""
    if told := returned_by_exit(lab):
        return told, (
            "What `__exit__` returns tells `with` what to do with the error: something true "
            "swallows it. Return nothing there."
        )
    if left := left_from_finally(lab):
        return left, (
            "A plain `finally`, without a `return` in it, puts the book back and lets the error "
            "pass."
        )
    return lab.handler(KeyError), "A plain `finally` puts the book back and lets the error pass."


def returned_by_exit(lab):
    """The line at which an `__exit__` returns what may be true, or None."""
    return lab.earliest(
        *(
            part.lineno
            for node in lab.nodes()
            if isinstance(node, ast.FunctionDef) and node.name == "__exit__"
            for part in own_nodes(node)
            if isinstance(part, ast.Return) and getattr(part.value, "value", part.value)
        )
    )


def left_from_finally(lab):
    """The line of a `return`, `break` or `continue` in a `finally`, or None."""
    return lab.earliest(
        *(
            part.lineno
            for node in lab.nodes()
            if isinstance(node, ast.Try)
            for part in nodes_of_block(node.finalbody)
            if isinstance(part, LEAVING)
        )
    )


def given_back(lab):
    """The line that puts a book back, or None."""
    return lab.earliest(lab.call_of(*GIVING), lab.operation("+="))
