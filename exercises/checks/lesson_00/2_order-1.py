from helpers.coach import Exercise, wrong_value


class PredictOrder(Exercise):
    """Predict what is printed

    Don't run this yet. In which order are the four words printed?

        async def hello():
            print("hello")

        async def main():
            print("one")
            greeting = hello()
            print("two")
            await greeting
            print("three")

        asyncio.run(main())

    Set `order` to a list of the words.
    """

    id = "order-1"
    asks = "order"
    minutes = 3
    hints = (
        "Follow the lines of `main` from the top. Which of them runs the body of `hello`?",
        "`greeting = hello()` builds a coroutine and prints nothing.",
        '`hello` is printed while `await greeting` waits: after "two", before "three".',
    )
    right_values = (["one", "two", "hello", "three"],)
    wrong_values = (
        wrong_value(
            ["one", "hello", "two", "three"],
            "not run yet",
            "You let `hello` print when it is called, in the line `greeting = hello()`. That line "
            "only builds a coroutine: it is paused before its first line until something awaits "
            "it. Look for the `await`.",
            headline="runs at the call",
        ),
        wrong_value(
            ["one", "two", "three", "hello"],
            "await waits",
            'You let `main` print "three" before `hello` has ended. `await greeting` keeps `main` '
            "at this line until the coroutine has ended. Put what `hello` prints at that line.",
            headline="await does not wait",
        ),
        wrong_value(
            ["one", "two", "three"],
            "await waits",
            "You left `hello` out. It is called in one line and awaited two lines below, and the "
            "`await` does run it. Find the place where it prints.",
            headline="never ran",
        ),
        wrong_value(
            ["hello", "one", "two", "three"],
            "not run yet",
            "You let `hello` print where it is defined. `async def` runs nothing, just as `def` "
            "runs nothing. Start with the first line of `main`.",
            headline="runs at the definition",
        ),
    )
