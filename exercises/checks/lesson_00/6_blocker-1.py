from helpers.coach import Exercise, wrong_value


class FindTheBlocker(Exercise):
    """Find the line that blocks

    The heart should beat every 0.1 s. After two beats it stops for a while. Which line blocks the
    event loop?

         1  async def heartbeat():
         2      for beat in range(6):
         3          print("beat")
         4          await asyncio.sleep(0.1)
         5
         6  async def read_sensor():
         7      time.sleep(0.3)
         8      return 21.5
         9
        10  async def report():
        11      await asyncio.sleep(0.15)
        12      degrees = await read_sensor()
        13      print(degrees)
        14
        15  async def main():
        16      await asyncio.gather(heartbeat(), report())

    Set `line` to its number.
    """

    id = "blocker-1"
    asks = "line"
    minutes = 5
    hints = (
        "`await` does not block by itself. Follow it into the function that it awaits.",
        "A wait lets the others run only if it tells the event loop. Which sleep here doesn't?",
        "`asyncio.sleep` lets the others run, `time.sleep` keeps the thread.",
    )
    right_values = (7,)
    wrong_values = (
        wrong_value(
            12,
            "blames the waiting",
            "Line 12 awaits `read_sensor`, and an `await` alone doesn't block. But the coroutine "
            "that it runs never lets the others run. Follow the `await` into the function, and "
            "look for the call that waits without an `await`.",
            headline="blames the awaiter",
        ),
        wrong_value(
            4,
            "blames the waiting",
            "Line 4 waits with `await asyncio.sleep`: the event loop runs the others meanwhile. "
            "The heart is late because another line holds the thread. Which sleep has no "
            "`await`?",
            headline="blames a wait that lets go",
        ),
        wrong_value(
            11,
            "blames the waiting",
            "Line 11 waits with `await asyncio.sleep`: the heart beats during this wait. The "
            "pause comes after it. Which sleep has no `await`?",
            headline="blames a wait that lets go",
        ),
        wrong_value(
            6,
            "not run yet",
            "Line 6 only defines a function. You are close: one line of that function holds the "
            "thread. Name that line.",
            headline="blames the definition",
        ),
        wrong_value(
            16,
            "blames the waiting",
            "Line 16 starts both and waits for both, as it should. If each of their waits let "
            "the others run, the heart would beat on time. Look into `report`, and follow "
            "its calls.",
            headline="blames the start",
        ),
    )
