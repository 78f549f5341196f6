"""Long, for a key can be lost in many ways, and each is a whole program."""

import ast
import reprlib

from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.replacing import replaced

SAID = (None, 0, "", "yes", False)
THROWN = (ValueError, KeyError, KeyboardInterrupt, GeneratorExit)


class WithKey(Exercise):
    """The key comes back

    `board` is a list of keys, and `work` is a generator. Write a generator function
    `with_key(board, work)`: it takes the last key off the board with `pop`, delegates to `work`,
    so that what is sent, thrown and returned all passes through, and puts the key back with
    `append` when `work` is over, however it ends. It returns what `work` returned.
    """

    id = "layers-3"
    asks = "with_key"
    minutes = 7
    hints = (
        "Two things must hold: nothing is lost on the way in and out, and the key comes back "
        "whatever happens. You have a word for each.",
        "`yield from work` carries all that is sent and thrown. Where must it stand, so that the "
        "key comes back also when an error climbs out of `work`?",
        "`key = board.pop()`, then `try:` with `return (yield from work)`, and `finally:` with "
        "`board.append(key)`.",
    )

    def verify(self, with_key, lab):
        self._sends(with_key, lab)
        self._throws(with_key, lab)
        for what, end in (
            ("I closed the generator", lambda talk: talk.close()),
            ("A KeyError came out of `work`", lambda talk: self._fail(lab, talk)),
        ):
            board, seen = ["cellar", "attic"], []
            work = worker(seen)  # held here: who drops it closes it too
            talk = lab.generator(with_key(board, work))
            next(talk)
            end(talk)
            self._back(lab, board, what)
            if seen[-1:] != ["cleaned up"]:
                raise Wrong(
                    "not delegated",
                    f"{what}, and `work` was never told.",
                    (lab.call_of("throw") and lab.handler())
                    or lab.earliest(lab.for_loop(), lab.call_of("next", "send")),
                    "`yield from` passes on what is thrown, and `close` too.",
                    headline="let `work` stand",
                )

    def _sends(self, with_key, lab):
        board, seen = ["cellar", "attic"], []
        work = worker(seen)
        made = lab.call(with_key, board, work)
        lab.told("with two keys on the board")
        if made is work:
            raise Wrong(
                "not delegated",
                "It returned `work` itself, before that has begun.",
                lab.returning("work"),
                "Then none of your code is left to run when `work` ends. Delegate to it: "
                "`yield from work`.",
                headline="handed `work` over",
            )
        talk = lab.generator(made)
        if board != ["cellar", "attic"]:
            raise Wrong(
                "eager",
                "It took the key before anybody asked.",
                lab.call_of("pop"),
                "The body of a generator function runs only when its generator is asked for the "
                "first time. Take the key in that body: a generator that nobody asks takes none.",
                headline="too early",
            )
        first = next(talk)
        if first is work:
            raise Wrong(
                "not delegated",
                "It yielded `work` itself, which has not begun.",
                lab.yielding(),
                "`yield` hands `work` to the caller. `yield from` lets it run.",
                headline="handed `work` out",
            )
        lab.equal(first, "ready?", what="its first `yield` was")
        if len(board) == 2:
            raise Wrong(
                "given back early",
                f"While `work` was under way, the board held {board}.",
                lab.earliest(lab.call_of("append", "copy"), lab.item_of(at=-1)),
                "`pop` takes the key off; put it back when `work` is over.",
            )
        if board != ["cellar"]:
            raise Wrong(
                "value",
                f"The board held ['cellar', 'attic'], and while `work` was under way {board}.",
                lab.earliest(lab.call_of("pop", "remove"), lab.deleting()),
                "Take the last key: `pop()`.",
                headline="another key",
            )
        try:
            answer = talk.send("yes")
        except StopIteration:
            raise Wrong(
                "stopped early",
                "`work` yields twice. After the first it was over.",
                lab.yielding(),
                headline="ended too early",
            ) from None
        if seen == [None]:
            raise Wrong(
                "sent for yielded",
                "I sent 'yes', and `work` heard None.",
                lab.earliest(lab.for_loop(), lab.call_of("next")),
                "`next` sends None, and a `for` loop asks with `next`. `yield from work` carries "
                "everything through.",
                headline="lost what was sent",
            )
        lab.equal(answer, "heard yes", what="to 'yes' it answered")
        got = ...
        try:
            talk.send(None)
        except StopIteration as end:
            got = end.value
        if got is ...:
            raise Wrong(
                "sent for yielded",
                "`work` was over, and it yielded once more.",
                lab.node(ast.Yield),
                "`yield from` is the only one you need.",
                headline="one yield too many",
            )
        if got is None:
            raise Wrong(
                "return value",
                "`work` returned 'done', and `with_key` returned None.",
                lab.earliest(lab.yielding_from(), lab.for_loop()),
                "The value of `yield from work` is what `work` returned.",
            )
        lab.equal(got, "done")
        self._back(
            lab,
            board,
            "`work` ended by itself",
            "An `except` runs only after an error, and a line after a `return` never runs.",
        )

    def _throws(self, with_key, lab):
        board, seen = ["cellar", "attic"], []
        talk = lab.generator(with_key(board, worker(seen)))
        next(talk)
        try:
            answer = talk.throw(ValueError("unreadable"))
        except ValueError:
            raise Wrong(
                "not delegated",
                "I threw a ValueError in, and it came out again. `work` would have caught it.",
                lab.yielding(),
                "What is thrown must arrive in `work`: `yield from work`.",
                headline="did not pass the error on",
            ) from None
        except StopIteration:
            raise Wrong(
                "lost error",
                "I threw a ValueError in. `work` would have caught it and gone on.",
                lab.handler(),
                headline="swallowed the error",
            ) from None
        lab.equal(answer, "again?", what="to a ValueError it answered")
        talk.close()

    def _fail(self, lab, talk):
        try:
            talk.throw(KeyError("cellar"))
        except KeyError:
            return
        except StopIteration:
            pass
        raise Wrong(
            "lost error",
            "A KeyError came out of `work`, and did not come out of `with_key`.",
            lab.keeping(KeyError),
            "A `finally` lets the error go on, if no `return` stands in it.",
            headline="swallowed the error",
        )

    def _back(
        self,
        lab,
        board,
        what,
        why="No line below a `yield from` runs if an error comes out.",
    ):
        if board == ["cellar"]:
            narrow = lab.text.narrow_cleanup("append")
            if narrow and what.startswith("I closed"):
                why = "`close` raises GeneratorExit at the `yield`, and that is no `Exception`."
            raise Wrong(
                "not given back",
                f"{what}. Then the board held {board}: the key is lost.",
                narrow or _put_back_elsewhere(lab) or lab.yielding(),
                f"{why} `finally` runs however it ends.",
                headline="no finally",
            )
        lab.equal(board, ["cellar", "attic"], what=f"{what}; then the board held")

    @sweep(
        lambda some: {
            "board": some.lists(some.sampled_from(("attic", "", 0)), min_size=1, max_size=3),
            "yields": some.lists(some.sampled_from(SAID), max_size=3),
            "result": some.sampled_from(SAID),
            "does": some.lists(some.sampled_from(SAID + THROWN), max_size=3),
        },
        besides=[{"board": ["attic"], "yields": [0] * 1100, "result": "done", "does": [0] * 1100}],
        most=80,
    )
    def any_work(self, with_key, lab, board, yields, result, does):
        then = "; then I " + ", ".join(map(in_words, does[:4])) if does else ""
        lab.told(
            f"with the keys {board} and a `work` that yields each of {reprlib.repr(yields)}, "
            f"minds no ValueError and returns {result!r}{then}"
        )
        heard, out, held = [], [], []
        talk = with_key(board, listening(heard, yields, result, board))
        for done in (None, *does):
            try:
                thrown = isinstance(done, type)
                out.append(talk.throw(done("from me")) if thrown else talk.send(done))
            except StopIteration as end:
                out.append(("the end", end.value))
                break
            except THROWN as error:
                out.append(repr(error))
                break
            held.append(list(board))
        talk.close()
        return {
            "what came out was": out,
            "`work` heard": heard,
            "under way, the board held": held,
            "after it, the board held": board,
        }

    @sweep(
        lambda some: {
            "board": some.permutations(("cellar", "attic", "shed")),
            "first": some.sampled_from((0, 1)),
            "does": some.sampled_from((None, KeyError)),
        },
        most=6,
    )
    def two_at_once(self, with_key, lab, board, first, does):
        lab.told(
            f"twice with one board, of {board}; both took a key, and then the "
            f"{('first', 'second')[first]} ended before the other"
        )
        keys = sorted(board)
        talks = [with_key(board, listening([], [None], None, board)) for _ in range(2)]
        for talk in talks:
            next(talk)
        for talk in (talks[first], talks[1 - first]):
            try:
                talk.throw(does("from me")) if does else talk.send(None)
            except (StopIteration, KeyError):
                pass
        if sorted(board) != keys and (line := next(replaced(lab.nodes()), None)):
            raise Wrong(
                "shared state",
                f"Afterwards the board held {board}.",
                line,
                "Others take keys and hang them up meanwhile. Put back your one key, and leave the "
                "rest of the board as it is by then.",
                headline="put back a whole board",
                at="replaces all of it",
            )
        return {"after it, the board held": board}

    @right
    def with_finally(board, work):
        """Delegate to `work`, the last key in hand; put it back however that ends."""
        key = board.pop()
        try:
            return (yield from work)
        finally:
            board.append(key)

    @right
    def with_a_name(board, work):
        key = board.pop()
        try:
            result = yield from work
        finally:
            board.append(key)
        return result

    @wrong("not given back", says="I closed the generator")
    def puts_it_back_below(board, work):
        key = board.pop()
        result = yield from work
        board.append(key)
        return result

    @wrong("not given back", says="I closed the generator")
    def catches_exceptions(board, work):
        key = board.pop()
        try:
            result = yield from work
        except Exception:
            board.append(key)
            raise
        board.append(key)
        return result

    only_after_an_error = with_finally.but(
        "finally", "except Exception", kind="not given back", says="runs only after an error"
    )

    without_from = with_finally.but(
        "from work", "(work)", kind="not delegated", says="yield (work)"
    )

    the_first_key = with_finally.but("board.pop()", "board.pop(0)").but(
        "board.append(key)", "board.insert(0, key)", kind="value", says="board.pop(0)"
    )

    @wrong("return value", says="`work` returned 'done'")
    def says_nothing(board, work):
        key = board.pop()
        try:
            yield from work
        finally:
            board.append(key)

    with_a_for_loop = with_finally.but(
        "return (yield from work)",
        "for question in work:\n    yield question",
        kind="sent for yielded",
        says="`work` heard None",
    )

    @wrong("not delegated", says="came out again")
    def sends_by_hand(board, work):
        key = board.pop()
        try:
            question = next(work)
            while True:
                question = work.send((yield question))
        except StopIteration as end:
            return end.value
        finally:
            board.append(key)

    @wrong("lost error", says="did not come out of `with_key`")
    def catches_and_keeps(board, work):
        key = board.pop()
        result = None
        try:
            result = yield from work
        except KeyError:
            pass
        finally:
            board.append(key)
        return result

    @wrong("given back early", says="While `work` was under way")
    def never_takes_it(board, work):
        key = board.pop()
        board.append(key)
        return (yield from work)

    hands_it_on = with_finally.but(
        "(yield from work)", "work", kind="not delegated", says="before that has begun"
    )


def worker(seen):
    """What `with_key` delegates to: notes in `seen` what it hears and that it was cleaned up."""
    try:
        try:
            seen.append((yield "ready?"))
            yield f"heard {seen[-1]}"
        except ValueError:
            yield "again?"
        return "done"
    finally:
        seen.append("cleaned up")


def listening(heard, yields, result, board):
    """A `work` that notes what it hears, minds no ValueError, and cleans up."""
    try:
        for said in yields:
            try:
                heard.append((yield said))
            except ValueError as error:
                heard.append(repr(error))
        return result
    finally:
        heard.append(f"the end, with the keys {board}")


def in_words(done):
    return f"threw a {done.__name__} in" if isinstance(done, type) else f"sent {done!r}"


def _put_back_elsewhere(lab):
    """Where the key is put back behind a `yield` of another function, or None."""
    back, delegates = lab.call_of("*.append"), lab.node(ast.YieldFrom)
    if not (back and delegates):
        return None
    elsewhere = lab.text.function_at(back) is not lab.text.function_at(delegates)
    return back if elsewhere and lab.node(ast.Yield) else None
