import asyncio
from contextlib import suppress

from helpers.coach import Exercise, Wrong, right, sweep, wrong


class Submit(Exercise):
    """Save, whether the guest waits or not

    `save()` is a coroutine function that takes a while and returns a number. `group` is a TaskGroup
    that somebody has opened, and that lives longer than the guest. Write
    `submit(group, save, patience)`: it begins the saving, waits for it for at most `patience`
    seconds, and returns the number as soon as it is there. If the saving takes longer, `submit`
    returns "still saving", and the saving goes on to its end.

    - If `submit` itself is cancelled, it ends at once, and the saving goes on too.
    - The group does not end before the saving has ended, and an error of `save` comes out of the
      group. What `submit` does then is up to you.
    """

    id = "submit-1"
    asks = "submit"
    minutes = 8
    hints = (
        "Who waits for the saving when the guest has gone? Let that one start the task.",
        "`group.create_task(save())` first. Then wait for that task, in a way that leaves it alone "
        "when the waiting ends.",
        "`asyncio.shield(task)` inside a `timeout`, or `asyncio.wait([task], timeout=patience)`.",
    )
    equivalent = {
        "with_shield: wider except, line 10": "what it does when the saving fails is up to it",
    }

    def verify(self, submit, lab):
        lab.told("with a `save` of 1 s and a patience of 3 s")
        result, at, over, saved, _ = self._run(submit, lab, 1, 3)
        lab.equal(result, 7)
        if at > 1.001:
            raise Wrong(
                "late",
                f"The saving took 1 s, and it returned after {at:g} s.",
                lab.call_of("sleep"),
                "Wait for the task, for `patience` at most: `asyncio.wait` with a `timeout`.",
                headline="waited too long",
            )
        if len(saved) > 1:
            raise Wrong(
                "done twice",
                f"`save` was called {len(saved)} times.",
                lab.call_of("save"),
                headline="saved twice",
            )
        lab.told("with a `save` of 5 s and a patience of 1 s")
        result, at, over, saved, _ = self._run(submit, lab, 5, 1)
        if at > 1.001:
            raise Wrong(
                "late",
                f"It returned {result!r} after {at:g} s.",
                lab.await_of(),
                "After `patience` seconds the guest goes; the saving stays.",
                headline="waited too long",
            )
        self._went_on(saved, over, lab)
        lab.equal(result, "still saving")
        lab.told("with a `save` of 5 s and a patience of 3 s, and cancelled it after 1 s")
        result, at, over, saved, stood = self._run(submit, lab, 5, 3, cancel=1)
        if result != "cancelled":
            raise Wrong(
                "swallowed",
                f"It returned {result!r} after {at:g} s.",
                lab.text.swallowing_handler(),
            )
        self._went_on(saved, over, lab, cancelled=True)
        if at > 1.001:
            raise Wrong(
                "late",
                f"It ended after {at:g} s.",
                stood or lab.await_of(),
                "A `submit` that is cancelled ends at once. The saving needs nobody but the group: "
                "the group waits for it.",
                headline="waited on after the cancellation",
                at="is where it waited then" if stood else "",
            )
        lab.told("with a patience of 1 s and a `save` that fails after 2 s")
        errors = self._run(submit, lab, 2, 1, error=ValueError("disk full"))
        if errors != ["disk full"]:
            raise Wrong(
                "lost error",
                "The group ended without the ValueError of `save`.",
                lab.earliest(lab.call_of("create_task"), lab.handler()),
                "A group raises the errors of its own tasks: let the group start it, "
                "and let the task fail.",
            )

    def _belongs_to_nobody(self, observed, line):
        return Wrong(
            "losers",
            observed,
            line,
            "This task belongs to nobody. Let the group start it: `group.create_task(save())`.",
            headline="nobody waited for the saving",
        )

    def _went_on(self, saved, over, lab, cancelled=False):
        if saved == ["cancelled"]:
            mine = lab.call_of("group.create_task")
            if over < 4.999 and lab.call_of("shield", "wait") and not mine:
                raise self._belongs_to_nobody(
                    f"The group was over at {over:g} s, while the saving still went on. "
                    "Then the program ended, and that ended the saving.",
                    lab.call_of("shield", "create_task", "ensure_future"),
                )
            if cancels := lab.call_of("cancel"):
                raise Wrong(
                    "cancel passed on",
                    "The saving was cancelled in the middle.",
                    cancels,
                    "Leave it alone. The guest goes, and the saving goes on.",
                    headline="ended the saving",
                )
            alone = lab.call_of("asyncio.create_task", "asyncio.ensure_future")
            if alone and lab.call_of("shield"):
                raise self._belongs_to_nobody(
                    "The saving had not ended when the program did, and that ended it: the group "
                    "knew nothing of it.",
                    alone,
                )
            raise Wrong(
                "cancel passed on",
                "The saving was cancelled in the middle.",
                lab.earliest(lab.call_of("wait_for", "timeout"), lab.await_of()),
                "When the time is over, `wait_for` and `timeout` cancel what you await. "
                "`asyncio.shield(task)` keeps that off, and `asyncio.wait` cancels nothing."
                if not cancelled and lab.call_of("wait_for", "timeout")
                else "A cancellation goes on to what you await. `asyncio.shield(task)` stops it "
                "there, and `asyncio.wait` passes none on.",
                headline="ended the saving",
            )
        if len(saved) > 1:
            raise Wrong(
                "done twice",
                f"`save` was called {len(saved)} times.",
                max(call.lineno for call in lab.text.calls_of("save")),
                "Begin it once. It goes on by itself.",
                headline="saved twice",
            )
        if saved != ["saved"]:
            raise Wrong(
                "done twice",
                f"The saving came to this: {saved}.",
                None,
                "Begin it once, with the group.",
                headline="did not save",
            )

    def _run(self, submit, lab, seconds, patience, cancel=None, error=None):
        """Return (result, when it came, when the group was over, [how each saving ended], where it
        waited after it was cancelled, or None); with an error, the texts of the errors that came
        out of the group.
        """
        saved, stood = [], []

        async def save():
            try:
                await asyncio.sleep(seconds)
            except asyncio.CancelledError:
                saved.append("cancelled")
                raise
            if error is not None:
                raise error
            saved.append("saved")
            return 7

        save.__qualname__ = "save"  # as errors name it

        async def guest(group):
            return await lab.awaitable(submit(group, save, patience))

        async def main():
            clock, errors, result = asyncio.get_running_loop().time, [], None
            try:
                async with asyncio.TaskGroup() as group:
                    task = asyncio.create_task(guest(group), name="guest")
                    await asyncio.wait([task], timeout=100 if cancel is None else cancel)
                    if cancel is not None:
                        task.cancel()
                        await asyncio.wait([task], timeout=0.01)
                        stood.append(lab.where(task))
                    await asyncio.wait([task], timeout=100)
                    at = clock()
            except* ValueError as group_of_errors:
                errors = [str(one) for one in group_of_errors.exceptions]
            over = clock()
            if task.done() and not task.cancelled() and error is None and task.exception():
                raise task.exception()
            if error is None:
                result = "cancelled" if task.cancelled() else task.result()
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()  # what the end of a program does
                await asyncio.wait([task])
            return errors if error is not None else (result, at, over, saved, stood and stood[0])

        try:
            return lab.run(main(), leaks=True).result
        except ExceptionGroup as group:
            error = group.exceptions[0]
            if not isinstance(error, asyncio.InvalidStateError):
                raise
            raise Wrong(
                "raised",
                f"Out of the group came {error!r}.",
                lab.text.of_traceback(error),
                "A future that is done, or was cancelled, takes no result. `wait_for` and "
                "`timeout` cancel what you await when the time is over: `asyncio.shield` keeps "
                "that off.",
                headline="raised InvalidStateError",
                at="raises it",
            ) from None

    @sweep(
        lambda some: {
            "guests": some.lists(
                some.fixed_dictionaries(
                    {
                        "saves": some.sampled_from((1, 5)),
                        "patience": some.sampled_from((0, 0.5, 3)),
                        "number": some.sampled_from((7, 0, -1)),
                        "cancelled": some.sampled_from((None, None, 0.25, 2)),
                    }
                ),
                min_size=1,
                max_size=2,
            ),
        },
        most=40,
    )
    def any_guests(self, submit, lab, guests):
        return self._scene(submit, lab, guests)

    @sweep(
        lambda some: {
            "saves": some.sampled_from((1, 5)),
            "patience": some.sampled_from((0, 0.5, 3)),
            "cancelled": some.sampled_from((None, 0.25, 2)),
            "error": some.sampled_from((ValueError, OSError, TimeoutError, LookupError)),
        },
        most=20,
    )
    def any_failure(self, submit, lab, error, **guest):
        return self._scene(submit, lab, [guest | {"number": 7}], error("disk full"))

    def _scene(self, submit, lab, guests, error=None):
        """Have all guests submit to one group; what came of it, as a sweep compares it."""
        came, ends, savings, errors, over = [], [], [], [], []

        async def guest(group, saves, patience, number, cancelled):
            saving, clock = {"saving": "begun"}, asyncio.get_running_loop().time

            async def save():
                savings.append(saving)
                try:
                    await asyncio.sleep(saves)
                except asyncio.CancelledError:
                    saving["saving"] = "cancelled"
                    raise
                if error is not None:
                    raise error
                saving["saving"] = "ended"
                return number

            call = asyncio.create_task(submit(group, save, patience))
            if cancelled is not None:
                asyncio.get_running_loop().call_later(cancelled, call.cancel)
            await asyncio.wait([call])
            if error is not None:
                return call.cancelled() or call.exception()
            came.append("cancelled" if call.cancelled() else call.result())
            ends.append(clock())

        async def main():
            tasks = []
            try:
                async with asyncio.TaskGroup() as group:
                    tasks += [asyncio.create_task(guest(group, **one)) for one in guests]
                    await asyncio.wait(tasks)
            except* Exception as group_of_errors:
                errors.extend(group_of_errors.exceptions)
            over.append(asyncio.get_running_loop().time())
            await asyncio.gather(*tasks)

        lab.told("; and beside that ".join(_told(**one, error=error) for one in guests))
        lab.run(main(), leaks=True)
        who = "it" if len(guests) == 1 else "the two calls"
        return {
            "the savings came to this:": [one["saving"] for one in savings],
            f"{who} ended with": came[0] if len(came) == 1 else came,
            f"{who} ended after these seconds:": ends,
            "out of the group came": errors,
            "the group was over after these seconds:": over,
        }

    @right
    async def with_shield(group, save, patience):
        """Save in `group`; return the number, or "still saving"."""
        saving = group.create_task(save())
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(saving)
        except TimeoutError:
            return "still saving"

    @right
    async def with_wait(group, save, patience):
        saving = group.create_task(save())
        done, late = await asyncio.wait([saving], timeout=patience)
        return saving.result() if done else "still saving"

    without_shield = with_shield.but(
        "asyncio.shield(saving)", "saving", kind="cancel passed on", says="cancelled in the middle"
    )

    @wrong("late", says="it returned after 3 s")
    async def waits_for_the_clock(group, save, patience):
        saving = group.create_task(save())
        await asyncio.sleep(patience)
        return saving.result() if saving.done() else "still saving"

    @wrong("cancel passed on", says="cancelled in the middle")
    async def with_wait_for(group, save, patience):
        try:
            return await asyncio.wait_for(save(), patience)
        except TimeoutError:
            return "still saving"

    @wrong("losers", says="The group was over at 1 s")
    async def shields_a_coroutine(group, save, patience):
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(save())
        except TimeoutError:
            return "still saving"

    @wrong("losers", says="The group was over at 1 s")
    async def a_task_of_nobody(group, save, patience):
        saving = asyncio.create_task(save())
        done, late = await asyncio.wait([saving], timeout=patience)
        return saving.result() if done else "still saving"

    waits_to_the_end = with_shield.but(
        "TimeoutError:", "TimeoutError:\n    await saving", kind="late", says="after 5 s"
    )

    takes_every_request_for_a_timeout = with_shield.but(
        "TimeoutError",
        "(TimeoutError, asyncio.CancelledError)",
        kind="swallowed",
        says="It returned 'still saving' after 1 s",
    )

    saves_again = shields_a_coroutine.but(
        "try", "group.create_task(save())\ntry", kind="done twice", says="2 times"
    )

    saves_again_when_told = with_shield.but(
        "TimeoutError:",
        "TimeoutError:\n    group.create_task(save())",
        kind="done twice",
        says="goes on by itself",
    )

    @wrong("cancel passed on", says="Leave it alone")
    async def cancels_what_is_late(group, save, patience):
        saving = group.create_task(save())
        done, late = await asyncio.wait([saving], timeout=patience)
        for task in late:
            task.cancel()
        return saving.result() if done else "still saving"

    @wrong("lost error", says="ended without the ValueError")
    async def hides_the_error(group, save, patience):
        async def quietly():
            with suppress(Exception):
                return await save()

        saving = group.create_task(quietly())
        done, late = await asyncio.wait([saving], timeout=patience)
        return saving.result() if done else "still saving"


def _told(saves, patience, number, cancelled, error):
    """One call of `submit`, in words."""
    ends = f"returns {number}" if error is None else f"raises {type(error).__name__}"
    words = f"with a `save` that {ends} after {saves} s, and a patience of {patience} s"
    return words + (f", cancelled after {cancelled} s" if cancelled is not None else "")
