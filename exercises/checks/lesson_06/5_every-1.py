import ast
import asyncio

from helpers.basics.words import count
from helpers.coach import Exercise, Wrong, right, sweep, wrong
from helpers.coach.mistakes.nodes import is_named


class Every(Exercise):
    """On the beat

    Write an async function `every(seconds, times, work, clock, sleep)`. It awaits `work()` as
    often as `times` says: the first time at once, then on each beat, `seconds` apart, counted from
    the start. It ends with the last work.

    `clock()` tells the time, and `await sleep(seconds)` waits, for zero or less only one turn. As
    on every loop, it wakes you a little late. `work` takes a while too. Neither may shift the
    later beats. If a work takes longer than `seconds`, the next one begins at once, and the later
    ones are on the beat again.
    """

    id = "every-1"
    asks = "every"
    minutes = 8
    hints = (
        "Sleep `seconds` after each work, and the beats are `seconds` and a work apart. Which "
        "moment is beat number 3?",
        "Beat number n is at `start + n * seconds`, whatever happened before. Note the start once.",
        "`start = clock()`; `for beat in range(times):` first `await sleep(start + beat * seconds "
        "- clock())`, then `await work()`.",
    )

    def verify(self, every, lab):
        begun, run = self._play(lab, every, [0.3] * 5)
        self._count(lab, begun, 5)
        if begun[0] > 0.5:
            raise Wrong(
                "drift",
                f"The first work began after {begun[0]:.2f} s. It should begin at once.",
                lab.call_of("sleep"),
                "Beat number 0 is the start itself.",
                headline="began one beat late",
            )
        self._drift(lab, begun)
        if self.sleeps > 10:
            raise Wrong(
                "polling",
                f"It slept {self.sleeps} times for five works: it wakes, looks at the "
                "clock, and sleeps again.",
                lab.while_loop(),
                "You know how long it is until the next beat: sleep once, for that long.",
                headline="asks for the time",
            )
        if run.elapsed > begun[-1] + 0.31:
            raise Wrong(
                "late",
                f"The last work was done after {begun[-1] + 0.3:.2f} s. `every` went on "
                f"until {run.elapsed:.2f} s.",
                lab.call_of("sleep"),
                "Sleep only where another work follows.",
                headline="waited after the last work",
            )
        begun, _ = self._play(lab, every, [0.3, 1.6, 0.1, 0.1, 0.1])
        if len(begun) < 5:
            raise Wrong(
                "counted wrong",
                f"One work took 1.6 s, and it began {len(begun)} works instead of 5. With short "
                "works only it began them all.",
                lab.continuing() or lab.breaking() or lab.condition() or lab.while_loop(),
                "Its beat is over, and the work is still to be done: it begins at once.",
                headline="left out a beat",
            )
        self._count(lab, begun, 5)
        if begun[2] < begun[1] + 1.59:
            raise Wrong(
                "await waits",
                f"A work begun at {begun[1]:.2f} s took 1.6 s, and the next one began at "
                f"{begun[2]:.2f} s, before that was over.",
                lab.call_of("create_task", "ensure_future", "gather"),
                "`await work()`: it takes as long as it takes, and then comes the next beat.",
                headline="works overlap",
            )
        if begun[2] > 2.7:
            raise Wrong(
                "drift",
                f"A work begun at {begun[1]:.2f} s took 1.6 s. The next one should begin "
                f"at once, and began at {begun[2]:.2f} s.",
                lab.while_loop("clock") or lab.condition("clock") or lab.call_of("sleep"),
                "Its moment has passed, and `sleep` with less than zero waits one turn only. Don't "
                "wait for a later beat.",
                headline="left out a beat",
            )
        if abs(begun[3] - 3) > 0.02:
            raise Wrong(
                "drift",
                f"One work took 1.6 s. The beats after it should be at 3 and 4 s, and were "
                f"at {begun[3]:.2f} and {begun[4]:.2f} s.",
                lab.call_of("max", given="()")
                or lab.assigned(to="now")
                or _begins_anew(lab)
                or lab.call_of("sleep"),
                "Count the beats from the start: one that is late doesn't move the others.",
                headline="lost the beat",
            )

    def _play(self, lab, every, lengths):
        begun, left = [], iter(lengths)
        self.sleeps = 0

        def clock():
            return asyncio.get_running_loop().time()

        async def sleep(seconds):
            self.sleeps += 1
            await asyncio.sleep(seconds + 0.01 if seconds > 0 else 0)

        async def work():
            begun.append(clock() - zero)
            await asyncio.sleep(next(left, 0.1))

        async def main():
            nonlocal zero
            zero = clock()
            return await lab.awaitable(every(1, len(lengths), work, clock, sleep))

        zero = 0.0
        lab.told(f"with beats 1 s apart and works of {', '.join(map(str, lengths))} s")
        return begun, lab.run(main())

    def _count(self, lab, begun, times):
        if len(begun) != times:
            raise Wrong(
                "counted wrong",
                f"I asked for {times} works, and it began {len(begun)}.",
                lab.earliest(lab.call_of("range"), lab.while_loop()),
                "`range(times)` counts from 0."
                if lab.call_of("range")
                else "`times` says how many works there are, the first one included.",
                headline="wrong number of works",
            )

    def _drift(self, lab, begun):
        shown = ", ".join(f"{moment:.2f}" for moment in begun)
        if 0.2 < begun[1] - 1 < 0.4 and all(
            abs(after - before - 1) < 0.005 for before, after in zip(begun[1:], begun[2:])
        ):
            raise Wrong(
                "drift",
                f"The first work took 0.3 s. They began at {shown} s: the later ones are a second "
                "apart, but not on the beat of the start.",
                lab.assigned(to="clock") or lab.call_of("clock"),
                "Note the start before the first work.",
                headline="began to count too late",
            )
        if abs(begun[1] - 1.31) < 0.02:
            raise Wrong(
                "drift",
                f"Each work took 0.3 s. They began at {shown} s, and should have begun at 0, 1, "
                "2, 3 and 4 s, or a hundredth later.",
                lab.call_of("sleep"),
                "The next beat is `seconds` after the last beat, not after the work.",
                headline="drifts by the work",
            )
        if 4.02 < begun[-1] < 4.2:
            raise Wrong(
                "drift",
                f"Each sleep ended 0.01 s late. The works began at {shown} s: the delays add up.",
                _begins_anew(lab) or lab.repeated_call_of("clock") or lab.call_of("sleep"),
                "Don't count from when you woke. Count all beats from the start.",
                headline="let late wakings shift the beats",
            )
        if any(abs(moment - beat) > 0.02 for beat, moment in enumerate(begun)):
            raise Wrong(
                "drift",
                f"The works began at {shown} s, and should have begun at 0, 1, 2, 3 and 4 s, or a "
                "hundredth later.",
                lab.call_of("sleep"),
                headline="not on the beat",
            )

    @sweep(
        lambda some: {
            "seconds": some.sampled_from((1, 0.5, 2)),
            "lengths": some.lists(some.sampled_from((0.1414, 0.3137, 1.6181, 2.7183)), max_size=5),
            "late": some.sampled_from((0, 0.01)),
        },
        cancels=True,
        most=16,
    )
    def any_works(self, every, lab, seconds, lengths, late):
        """Works that take so long, and return 0, 1, 2, …"""
        begun, places = [], []

        def clock():
            return asyncio.get_running_loop().time() + 0.3  # no start is at a full second

        async def sleep(seconds):
            await asyncio.sleep(seconds + late if seconds > 0 else 0)

        async def work():
            number = len(begun)
            places.append(lab.calling())
            begun.append(clock() - start)
            await asyncio.sleep(lengths[number] if number < len(lengths) else 0.1)
            return number

        async def main():
            nonlocal start
            start = clock()
            await every(seconds, len(lengths), work, clock, sleep)

        start = 0.0

        works = f"works of {', '.join(map(str, lengths))} s" if lengths else "`times=0`"
        lab.told(f"with beats {seconds} s apart, and {works}; each sleep ends {late} s late")
        run = lab.run(main())
        if run.error is None and len(begun) < len(lengths):
            raise Wrong(
                "counted wrong",
                f"It ended after {count(len(begun), 'work')}. The works returned 0, 1, 2, …",
                lab.truth_test().line or lab.breaking(),
                "What `work` returns doesn't matter. Only `times` says how often.",
                headline="wrong number of works",
            )
        if len(begun) > 1 and seconds == 2 and abs(begun[1] - 1) < 0.02:
            raise Wrong(
                "drift",
                f"The second work began at {begun[1]:.2f} s; its beat was at {seconds} s.",
                lab.call_of("sleep"),
                "The beats are `seconds` apart, whatever that is.",
                headline="began before the beat",
            )
        if begun and not lengths:
            raise Wrong(
                "counted wrong",
                f"I asked for 0 works, and it began {len(begun)}.",
                lab.while_loop() or places[0],
                "A loop that asks before each work does none for 0. What stands before that "
                "question is done all the same.",
                headline="wrong number of works",
            )
        return {"its works began at": begun, "the run": lab.seen(run)}

    @right
    async def with_the_number_of_the_beat(seconds, times, work, clock, sleep):
        """Await `work()` on each beat, `seconds` apart, `times` times."""
        start = clock()
        for beat in range(times):
            await sleep(start + beat * seconds - clock())
            await work()

    @right
    async def with_the_next_beat(seconds, times, work, clock, sleep):
        due = clock()
        for _ in range(times):
            await sleep(due - clock())
            await work()
            due += seconds

    @wrong("drift", says="1.31, 2.62")
    async def sleeps_after_work(seconds, times, work, clock, sleep):
        for beat in range(times):
            if beat:
                await sleep(seconds)
            await work()

    @wrong("drift", says="1.01, 2.02")
    async def measures_each_work(seconds, times, work, clock, sleep):
        for _ in range(times - 1):
            begun = clock()
            await work()
            await sleep(seconds - (clock() - begun))
        await work()

    counts_from_one = with_the_number_of_the_beat.but(
        "range(times)", "range(1, times + 1)", kind="drift", says="after 1.01 s"
    )

    @wrong("late", says="5.01 s")
    async def sleeps_at_the_end(seconds, times, work, clock, sleep):
        start = clock()
        for beat in range(times):
            await work()
            await sleep(start + (beat + 1) * seconds - clock())

    one_more = with_the_number_of_the_beat.but(
        "range(times)", "range(times + 1)", kind="counted wrong", says="it began 6"
    )

    @wrong("drift", says="began at 3.01 s")
    async def skips(seconds, times, work, clock, sleep):
        start, begun = clock(), 0
        while begun < times:
            await work()
            begun += 1
            if begun < times:
                late = (clock() - start) % seconds
                await sleep(seconds - late)

    @wrong("polling", says="sleep once")
    async def sleeps_a_little(seconds, times, work, clock, sleep):
        start = clock()
        for beat in range(times):
            while clock() < start + beat * seconds:
                await sleep(0.001)
            await work()

    asks_politely = sleeps_a_little.but("0.001", "0", kind="spin", says="nothing ever waited")


def _begins_anew(lab):
    """The line in a loop that gives a name the time as it is, or that and some more; or None."""
    loops = [node for node in lab.nodes() if isinstance(node, (ast.For, ast.While))]
    return lab.earliest(
        *(
            node.lineno
            for loop in loops
            for node in ast.walk(loop)
            if isinstance(node, ast.Assign)
            for value in (getattr(node.value, "left", node.value),)
            if isinstance(value, ast.Call) and is_named(value.func, ("clock",))
        )
    )
