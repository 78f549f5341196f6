"""Answers to the exercises of lesson 05, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% queue-1 wrong: D has its turn at once
# cause: takes it that who is appended runs at once
# line: order
order = "APDCAPD"

# %% queue-1 wrong: P before D
# cause: takes it that P goes back into the queue before D, though P appends D before it yields
# line: order
order = "APCAPDD"

# %% robin-1 wrong: None is the end
# cause: a generator that yields None is taken for one that has ended
# line: if next(generator, None) is not None:
from collections import deque


def round_robin(generators):
    """Give the generators turns until all have ended."""
    queue = deque(generators)
    while queue:
        generator = queue.popleft()
        if next(generator, None) is not None:
            queue.append(generator)

# %% robin-1 wrong: takes out of the list that it goes through
# cause: to remove from a list while a for goes through it makes the next one lose a turn
# line: alive.remove(generator) | for generator in alive:
from collections import deque


def round_robin(generators):
    alive = list(generators)
    while alive:
        for generator in alive:
            try:
                generator.send(None)
            except StopIteration:
                alive.remove(generator)

# %% robin-1 wrong: a round is a call
# cause: each round is one call deeper, so it ends at about a thousand rounds
# line: round_robin(alive)
from collections import deque


def round_robin(generators):
    """Give the generators turns until all have ended."""
    alive = []
    for generator in generators:
        try:
            generator.send(None)
        except StopIteration:
            continue
        alive.append(generator)
    if alive:
        round_robin(alive)

# %% robin-1 wrong: uses up the caller's list
# cause: the queue is the caller's own list, which is empty afterwards
# line: queue = generators | queue.pop(0)
from collections import deque


def round_robin(generators):
    queue = generators
    while queue:
        generator = queue.pop(0)
        try:
            generator.send(None)
        except StopIteration:
            continue
        queue.append(generator)

# %% robin-1 wrong: whoever fails has ended too
# cause: an error of a generator is caught, and nobody ever hears of it
# line: except Exception:
from collections import deque


def round_robin(generators):
    """Give the generators turns until all have ended."""
    ready = deque(generators)
    while ready:
        generator = ready.popleft()
        try:
            generator.send(None)
        except Exception:
            continue
        ready.append(generator)

# %% robin-1 wrong: the stop waits for the others
# cause: an error is kept until all have ended, and it should come out at once
# line: errors.append(error) | raise errors[0] | except BaseException as error:
from collections import deque


def round_robin(generators):
    ready, errors = deque(generators), []
    while ready:
        generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        except BaseException as error:
            errors.append(error)
        else:
            ready.append(generator)
    if errors:
        raise errors[0]

# %% robin-1 wrong: a queue of the module
# cause: the queue belongs to the module, so a call within a turn takes the others into its own loop
# line: ready.extend(generators) | ready = deque()
from collections import deque

ready = deque()


def round_robin(generators):
    """Give the generators turns until all have ended."""
    ready.extend(generators)
    while ready:
        generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        ready.append(generator)

# %% robin-1 wrong: yields that say stop
# cause: a generator that yields False is taken for one that has ended
# line: if generator.send(None) is False:
from collections import deque


def round_robin(generators):
    ready = deque(generators)
    while ready:
        generator = ready.popleft()
        try:
            if generator.send(None) is False:
                continue
        except StopIteration:
            continue
        ready.append(generator)

# %% robin-1 right: keeps those who go on
from collections import deque


def goes_on(generator):
    try:
        generator.send(None)
    except StopIteration:
        return False
    return True


def round_robin(generators):
    while generators := [*filter(goes_on, generators)]:
        pass

# %% robin-1 right: rotates a deque
from collections import deque


def round_robin(generators):
    """Give the generators turns until all have ended."""
    carousel = deque(generators)
    while carousel:
        try:
            carousel[0].send(None)
        except StopIteration:
            carousel.popleft()
        else:
            carousel.rotate(-1)

# %% robin-1 right: places in a cycle
from itertools import cycle


def round_robin(generators):
    """Give the generators turns until all have ended."""
    ended, left = set(), len(generators)
    for place in cycle(range(len(generators))):
        if not left:
            break
        if place in ended:
            continue
        try:
            next(generators[place])
        except StopIteration:
            ended.add(place)
            left -= 1

# %% collect-1 wrong: in the order of their ends
# cause: the results are in the order in which the generators ended
# line: results.append(stop.value)
from collections import deque


def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    queue, results = deque(generators), []
    while queue:
        generator = queue.popleft()
        try:
            generator.send(None)
        except StopIteration as stop:
            results.append(stop.value)
        else:
            queue.append(generator)
    return results

# %% collect-1 wrong: leaves out None
# cause: a generator that returns None has no place in the list
# line: if result is not None
from collections import deque


def run_all(generators):
    queue = deque(enumerate(generators))
    results = [None] * len(generators)
    while queue:
        number, generator = queue.popleft()
        try:
            generator.send(None)
        except StopIteration as stop:
            results[number] = stop.value
        else:
            queue.append((number, generator))
    return [result for result in results if result is not None]

# %% collect-1 wrong: one after another
# cause: each generator is run to its end before the next one begins: no turns
# line: while True:
from collections import deque


def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    results = []
    for generator in generators:
        while True:
            try:
                generator.send(None)
            except StopIteration as stop:
                results.append(stop.value)
                break
    return results

# %% collect-1 wrong: a default that is kept
# cause: the dict is made once, and a second call finds the results of the first one in it
# line: def run_all(generators, results={}):
from collections import deque


def run_all(generators, results={}):
    queue = deque(enumerate(generators))
    while queue:
        number, generator = queue.popleft()
        try:
            generator.send(None)
        except StopIteration as stop:
            results[number] = stop.value
        else:
            queue.append((number, generator))
    return [results[number] for number in sorted(results)]

# %% collect-1 wrong: nothing for what is empty
# cause: a result that counts as false becomes None
# line: end.value or None
from collections import deque


def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    results = [None] * len(generators)
    ready = deque(enumerate(generators))
    while ready:
        place, generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration as end:
            results[place] = end.value or None
        else:
            ready.append((place, generator))
    return results

# %% collect-1 wrong: an error is a result
# cause: an error that a generator raises stands in the list and does not come out
# line: except Exception as error:
from collections import deque


def run_all(generators):
    results = [None] * len(generators)
    ready = deque(enumerate(generators))
    while ready:
        place, generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration as end:
            results[place] = end.value
        except Exception as error:
            results[place] = error
        else:
            ready.append((place, generator))
    return results

# %% collect-1 wrong: each result once
# cause: a result that another generator has returned already has no place in the list
# line: if end.value not in results.values():
from collections import deque


def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    results = {}
    ready = deque(enumerate(generators))
    while ready:
        place, generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration as end:
            if end.value not in results.values():
                results[place] = end.value
        else:
            ready.append((place, generator))
    return [results[place] for place in sorted(results)]

# %% collect-1 right: each generator in another one that keeps its result
from collections import deque


def run_all(generators):
    results = {}

    def keeping(number, generator):
        results[number] = yield from generator

    queue = deque(keeping(*pair) for pair in enumerate(generators))
    while queue:
        now = queue.popleft()
        for _ in now:
            queue.append(now)
            break
    return [results[number] for number in range(len(generators))]

# %% collect-1 right: objects with a turn
from collections import deque


class Runner:
    def __init__(self, generator):
        self.generator = generator
        self.ended = False
        self.result = None

    def turn(self):
        try:
            self.generator.send(None)
        except StopIteration as stop:
            self.ended = True
            self.result = stop.value


def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    runners = [Runner(generator) for generator in generators]
    left = runners
    while left:
        for runner in left:
            runner.turn()
        left = [runner for runner in left if not runner.ended]
    return [runner.result for runner in runners]

# %% collect-1 right: results as the last items of a list of lists
from collections import deque


def run_all(generators):
    boxes = [[] for _ in generators]
    ready = deque(zip(generators, boxes))
    while ready:
        generator, box = pair = ready.popleft()
        try:
            generator.send(None)
            ready.append(pair)
        except StopIteration as end:
            box.append(end.value)
    return [value for [value] in boxes]

# %% errors-1 wrong: the stop button too
# cause: a KeyboardInterrupt is kept like any error and does not come out
# line: except BaseException as error:
from collections import deque


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    queue, errors = deque(generators), []
    while queue:
        generator = queue.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        except BaseException as error:
            errors.append(error)
            continue
        queue.append(generator)
    return errors

# %% errors-1 wrong: the end is an error
# cause: StopIteration is an Exception, so every end is noted as an error
# line: except Exception as error:
from collections import deque


def run_on(generators):
    queue, errors = deque(generators), []
    while queue:
        generator = queue.popleft()
        try:
            generator.send(None)
        except Exception as error:
            errors.append(error)
            continue
        queue.append(generator)
    return errors

# %% errors-1 wrong: the first error ends all
# cause: after the first error nobody has a turn any more
# line: break | except Exception as error:
from collections import deque


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    queue, errors = deque(generators), []
    while queue:
        generator = queue.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        except Exception as error:
            errors.append(error)
            break
        queue.append(generator)
    return errors

# %% errors-1 wrong: by generator and not by time
# cause: the errors are in the order of the generators and not in the order in which they came
# line: for number in sorted(errors)
from collections import deque


def run_on(generators):
    queue, errors = deque(enumerate(generators)), {}
    while queue:
        number, generator = queue.popleft()
        try:
            generator.send(None)
        except StopIteration:
            pass
        except Exception as error:
            errors[number] = error
        else:
            queue.append((number, generator))
    return [errors[number] for number in sorted(errors)]

# %% errors-1 wrong: each kind of error once
# cause: of two errors of one kind only the last one is kept
# line: errors[type(error)] = error
from collections import deque


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    ready, errors = deque(generators), {}
    while ready:
        generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        except Exception as error:
            errors[type(error)] = error
        else:
            ready.append(generator)
    return list(errors.values())

# %% errors-1 wrong: only the errors that it knows
# cause: an error of another kind comes out, and ends all the others
# line: except (LookupError, ValueError, RuntimeError) as error:
from collections import deque


def run_on(generators):
    ready, errors = deque(generators), []
    while ready:
        generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        except (LookupError, ValueError, RuntimeError) as error:
            errors.append(error)
        else:
            ready.append(generator)
    return errors

# %% errors-1 wrong: lets only a KeyboardInterrupt pass
# cause: a SystemExit is no Exception either, and it is kept
# line: except BaseException as error:
from collections import deque


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    ready, errors = deque(generators), []
    while ready:
        generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            errors.append(error)
        else:
            ready.append(generator)
    return errors

# %% errors-1 right: suppress and an inner function
from collections import deque
from contextlib import suppress


def run_on(generators):
    errors, queue = [], deque(generators)

    def turn(generator):
        try:
            with suppress(StopIteration):
                generator.send(None)
                queue.append(generator)
        except Exception as error:
            errors.append(error)

    while queue:
        turn(queue.popleft())
    return errors

# %% errors-1 right: wrapped generators
from collections import deque


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    errors = []

    def careful(generator):
        try:
            yield from generator
        except Exception as trouble:
            errors.append(trouble)

    turns = deque(map(careful, generators))
    while turns:
        first = turns.popleft()
        if next(first, turns) is not turns:
            turns.append(first)
    return errors

# %% errors-1 right: what became of a turn
from collections import deque


def turn(generator):
    try:
        generator.send(None)
    except Exception as error:
        return error


def run_on(generators):
    errors, ready = [], deque(generators)
    while ready:
        match turn(generator := ready.popleft()):
            case None:
                ready.append(generator)
            case StopIteration():
                pass
            case error:
                errors.append(error)
    return errors

# %% turns-1 wrong: the last turn is not counted
# cause: the turn in which a generator ends is not counted
# line: given += 1
def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    given = 0
    while ready and given < turns:
        generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        ready.append(generator)
        given += 1
    return given

# %% turns-1 wrong: one turn too many
# cause: <= allows one turn more than turns
# line: given <= turns
def run_for(ready, turns):
    given = 0
    while ready and given <= turns:
        generator = ready.popleft()
        given += 1
        try:
            generator.send(None)
        except StopIteration:
            continue
        ready.append(generator)
    return given

# %% turns-1 wrong: works on a copy
# cause: the turns are given from a copy, so ready is afterwards as it was before
# line: deque(ready)
from collections import deque


def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    queue, given = deque(ready), 0
    while queue and given < turns:
        generator = queue.popleft()
        given += 1
        try:
            generator.send(None)
        except StopIteration:
            continue
        queue.append(generator)
    return given

# %% turns-1 wrong: back to the front
# cause: who has had a turn is put at the front and not at the end
# line: ready.appendleft(generator)
def run_for(ready, turns):
    given = 0
    while ready and given < turns:
        generator = ready.popleft()
        given += 1
        try:
            generator.send(None)
        except StopIteration:
            continue
        ready.appendleft(generator)
    return given

# %% turns-1 wrong: back into the queue whatever happens
# cause: a generator that raised an error has ended, and stands in the queue again
# line: finally: | if not ended:
def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    given = 0
    while ready and given < turns:
        generator = ready.popleft()
        given += 1
        ended = False
        try:
            generator.send(None)
        except StopIteration:
            ended = True
        finally:
            if not ended:
                ready.append(generator)
    return given

# %% turns-1 wrong: a call for each turn
# cause: each turn is one call deeper, so it ends at about a thousand turns
# line: return 1 + run_for(ready, turns - 1)
def run_for(ready, turns):
    if not ready or not turns:
        return 0
    generator = ready.popleft()
    try:
        generator.send(None)
    except StopIteration:
        pass
    else:
        ready.append(generator)
    return 1 + run_for(ready, turns - 1)

# %% turns-1 right: a range that counts
from contextlib import suppress


def run_for(ready, turns):
    for given in range(turns):
        if not ready:
            return given
        with suppress(StopIteration):
            generator = ready.popleft()
            generator.send(None)
            ready.append(generator)
    return turns

# %% turns-1 right: a generator of turns, and a sum
from itertools import islice


def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""

    def all_turns():
        while ready:
            now = ready.popleft()
            try:
                now.send(None)
            except StopIteration:
                pass
            else:
                ready.append(now)
            yield 1

    return sum(islice(all_turns(), turns))

# %% turns-1 right: a generator that is asked for its turns
from itertools import takewhile


def run_for(ready, turns):
    given = 0
    for _ in takewhile(lambda _: ready, range(turns)):
        current = ready.popleft()
        given += 1
        if next(current, ready) is not ready:
            ready.append(current)
    return given

# %% robin-1 wrong: removes while it loops
# cause: remove shifts the list under the running for loop, so the one behind a generator that has ended is jumped over and loses its turn
# line: alive.remove(generator) | for generator in alive:
def round_robin(generators):
    """Give the generators turns until all have ended."""
    alive = list(generators)
    while alive:
        for generator in alive:
            try:
                generator.send(None)
            except StopIteration:
                alive.remove(generator)

# %% robin-1 wrong: an error counts as an end
# cause: `except Exception` is too wide: a generator that raises an error is quietly dropped, and the error does not come out
# line: except Exception:
from collections import deque


def round_robin(generators):
    """Give the generators turns until all have ended."""
    queue = deque(generators)
    while queue:
        generator = queue.popleft()
        try:
            generator.send(None)
        except Exception:
            continue
        queue.append(generator)

# %% robin-1 right: filter, round by round
def goes_on(generator):
    try:
        generator.send(None)
    except StopIteration:
        return False
    return True


def round_robin(generators):
    """Give the generators turns until all have ended."""
    alive = generators
    while alive:
        alive = list(filter(goes_on, alive))

# %% collect-1 wrong: in the order of their ends, once more
# cause: the values are appended as the generators end, so the list is in the order in which they ended and not in the order of generators
# line: results.append(stop.value)
from collections import deque


def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    queue = deque(generators)
    results = []
    while queue:
        generator = queue.popleft()
        try:
            generator.send(None)
        except StopIteration as stop:
            results.append(stop.value)
        else:
            queue.append(generator)
    return results

# %% collect-1 wrong: none for "still running"
# cause: None marks a generator that has not ended, but a generator may return None; then the while never ends
# line: while None in results: | if results[i] is None:
def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    results = [None] * len(generators)
    while None in results:
        for i, generator in enumerate(generators):
            if results[i] is None:
                try:
                    generator.send(None)
                except StopIteration as stop:
                    results[i] = stop.value
    return results

# %% collect-1 right: each fills its own slot
def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    slots = [None] * len(generators)

    def filling(index, generator):
        slots[index] = yield from generator

    end = object()
    alive = [filling(i, g) for i, g in enumerate(generators)]
    while alive:
        alive = [each for each in alive if next(each, end) is not end]
    return slots

# %% errors-1 wrong: keeps the stop button
# cause: BaseException is too wide: a KeyboardInterrupt is kept in the list and does not come out
# line: except BaseException as error:
from collections import deque


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    errors = []
    queue = deque(generators)
    while queue:
        generator = queue.popleft()
        try:
            generator.send(None)
        except StopIteration:
            pass
        except BaseException as error:
            errors.append(error)
        else:
            queue.append(generator)
    return errors

# %% errors-1 wrong: errors in the order of the generators
# cause: the errors are handed back in the order of the generators and not in the order in which they came; the two differ if a later generator fails earlier
# line: return [errors[i] for i in sorted(errors)]
from collections import deque


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    errors = {}
    queue = deque(enumerate(generators))
    while queue:
        i, generator = queue.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        except Exception as error:
            errors[i] = error
            continue
        queue.append((i, generator))
    return [errors[i] for i in sorted(errors)]

# %% errors-1 right: guarded by a generator around it
def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    errors = []

    def guarded(generator):
        try:
            yield from generator
        except Exception as error:
            errors.append(error)

    end = object()
    alive = list(map(guarded, generators))
    while alive:
        alive = [each for each in alive if next(each, end) is not end]
    return errors

# %% turns-1 wrong: the last turn of each is not counted
# cause: the turn in which a generator ends counts as well, but `continue` jumps over the counting; more turns are given than allowed and fewer are reported
# line: given += 1 | continue
def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    given = 0
    while ready and given < turns:
        generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        ready.append(generator)
        given += 1
    return given

# %% turns-1 wrong: A failed one stays in the queue
# cause: the generator stays in ready during its turn and is taken out only upon StopIteration; one that raised an error has ended too, but is still there afterwards
# line: ready[0].send(None) | except StopIteration:
def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    for given in range(turns):
        if not ready:
            return given
        try:
            ready[0].send(None)
        except StopIteration:
            ready.popleft()
        else:
            ready.rotate(-1)
    return turns

# %% turns-1 right: A slice of all turns
from itertools import islice


def all_turns(ready):
    while ready:
        generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            pass
        else:
            ready.append(generator)
        yield


def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    return sum(1 for _ in islice(all_turns(ready), turns))

# %% collect-1 wrong: an error that is returned is raised
# cause: a generator may return anything, an exception too
# line: raise end.value | isinstance
def run_all(generators):
    results = [None] * len(generators)
    ready = list(enumerate(generators))
    while ready:
        nxt = []
        for i, g in ready:
            try:
                g.send(None)
            except StopIteration as end:
                if isinstance(end.value, Exception):
                    raise end.value
                results[i] = end.value
            else:
                nxt.append((i, g))
        ready = nxt
    return results

# %% turns-1 wrong: the last turn doesn't count
# cause: the turn in which a generator ends isn't counted
# line: given += 1 | continue
from collections import deque


def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    given = 0
    while ready and given < turns:
        generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        given += 1
        ready.append(generator)
    return given

# %% turns-1 wrong: catches every error
# cause: an error is swallowed
# line: except Exception
from collections import deque


def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    for given in range(turns):
        if not ready:
            return given
        generator = ready.popleft()
        try:
            generator.send(None)
            ready.append(generator)
        except Exception:
            pass
    return turns

# %% turns-1 wrong: looks and doesn't take
# cause: the generator is rotated only afterwards: one that raises stays in ready
# line: ready[0] | ready.rotate(-1) | generator.send(None)
from collections import deque


def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    given = 0
    while ready and given < turns:
        generator = ready[0]
        given += 1
        try:
            generator.send(None)
            ready.rotate(-1)
        except StopIteration:
            ready.popleft()
    return given

# %% turns-1 wrong: one too many
# cause: <= lets one turn more be given
# line: given <= turns
from collections import deque


def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    given = 0
    while ready and given <= turns:
        generator = ready.popleft()
        given += 1
        try:
            generator.send(None)
        except StopIteration:
            continue
        ready.append(generator)
    return given

# %% errors-1 wrong: no continue
# cause: a generator that failed is put back and asked again
# line: queue.append(generator)
from collections import deque


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    queue = deque(generators)
    errors = []
    while queue:
        generator = queue.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        except Exception as error:
            errors.append(error)
        queue.append(generator)
    return errors

# %% errors-1 wrong: no continue with next
# cause: a generator that failed is put back and asked again
# line: ready.append(current)
from collections import deque


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    errors = []
    ready = deque(generators)
    while ready:
        current = ready.popleft()
        try:
            next(current)
        except StopIteration:
            pass
        except Exception as error:
            errors.append(error)
            ready.append(current)
        else:
            ready.append(current)
    return errors

# %% queue-1 wrong: puts D behind P
# cause: p appends D while it has its turn, before the loop appends p again, so D comes before the second P
# line: order =
order = "APCAPDD"

# %% robin-1 wrong: removes from the list it walks over
# cause: removing a generator from the list in the middle of the for loop makes the next one lose its turn
# line: running.remove(generator) | for generator in running:
def round_robin(generators):
    """Give the generators turns until all have ended."""
    running = list(generators)
    while running:
        for generator in running:
            try:
                generator.send(None)
            except StopIteration:
                running.remove(generator)

# %% robin-1 wrong: empties the caller's list
# cause: the queue is the caller's list itself, which is empty afterwards
# line: ready = generators | ready.pop(0)
def round_robin(generators):
    ready = generators
    while ready:
        generator = ready.pop(0)
        try:
            generator.send(None)
        except StopIteration:
            continue
        ready.append(generator)

# %% robin-1 wrong: calls itself for the next round
# cause: each round is another call within the last, so many turns are a RecursionError
# line: round_robin(alive) | none
from typing import Generator


def _has_more(generator: Generator) -> bool:
    try:
        generator.send(None)
    except StopIteration:
        return False
    return True


def round_robin(generators: list[Generator]) -> None:
    alive = [g for g in generators if _has_more(g)]
    if alive:
        round_robin(alive)

# %% robin-1 right: a new list each round
def round_robin(generators):
    def goes_on(generator):
        try:
            generator.send(None)
            return True
        except StopIteration:
            return False

    while generators := [*filter(goes_on, generators)]:
        pass

# %% robin-1 right: rotates a deque by one
from collections import deque


def round_robin(generators):
    """Give the generators turns until all have ended."""
    ready = deque(generators)
    while ready:
        try:
            ready[0].send(None)
        except StopIteration:
            ready.popleft()
        else:
            ready.rotate(-1)

# %% collect-1 wrong: in the order of their ends, from a deque
# cause: the results are appended as the generators end, not put in the order of generators
# line: results.append(stop.value)
from collections import deque


def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    ready = deque(generators)
    results = []
    while ready:
        generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration as stop:
            results.append(stop.value)
        else:
            ready.append(generator)
    return results

# %% collect-1 wrong: one after the other
# cause: each generator is run to its end before the next begins, not in turns
# line: [finish(generator) for generator in generators] | while True:
def finish(generator):
    while True:
        try:
            next(generator)
        except StopIteration as stop:
            return stop.value


def run_all(generators):
    return [finish(generator) for generator in generators]

# %% collect-1 wrong: takes None for not yet ended
# cause: None marks a generator that still runs, so one that returns None never counts as ended, and the loop is endless
# line: while None in results: | if results[i] is None: | results = [None] *
def run_all(generators):
    results = [None] * len(generators)
    while None in results:
        for i, generator in enumerate(generators):
            if results[i] is None:
                try:
                    generator.send(None)
                except StopIteration as stop:
                    results[i] = stop.value
    return results

# %% collect-1 right: each puts its result in its place
from collections import deque


def run_all(generators):
    results = [None] * len(generators)

    def keep(place, generator):
        results[place] = yield from generator

    ready = deque(keep(*pair) for pair in enumerate(generators))
    while ready:
        job = ready.popleft()
        try:
            job.send(None)
        except StopIteration:
            continue
        ready.append(job)
    return results

# %% collect-1 right: a dict, sorted at the end
from collections import deque


def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    returned = {}
    ready = deque(enumerate(generators))
    while ready:
        number, generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration as stop:
            returned[number] = stop.value
        else:
            ready.append((number, generator))
    return [value for _, value in sorted(returned.items(), key=lambda item: item[0])]

# %% errors-1 wrong: keeps KeyboardInterrupt
# cause: BaseException catches a KeyboardInterrupt too, which must come out at once
# line: except BaseException as error:
from collections import deque


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    errors = []
    ready = deque(generators)
    while ready:
        generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            pass
        except BaseException as error:
            errors.append(error)
        else:
            ready.append(generator)
    return errors

# %% errors-1 wrong: an ordinary end is in the list of errors
# cause: StopIteration is an Exception too, so an ordinary end is kept as an error
# line: except Exception as error: | errors.append(error) | none
def run_on(generators):
    errors = []
    running = list(generators)
    while running:
        still = []
        for generator in running:
            try:
                generator.send(None)
                still.append(generator)
            except Exception as error:
                errors.append(error)
        running = still
    return errors

# %% errors-1 wrong: in the order of the generators
# cause: the errors are sorted by the place of their generators, not in the order in which they came
# line: for place in sorted(errors) | errors[place] = problem
from collections import deque


def run_on(generators: list) -> list[Exception]:
    errors: dict[int, Exception] = {}
    ready = deque(enumerate(generators))
    while ready:
        place, generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        except Exception as problem:
            errors[place] = problem
            continue
        ready.append((place, generator))
    return [errors[place] for place in sorted(errors)]

# %% errors-1 right: a guard around each generator
from collections import deque


def run_on(generators):
    errors = []

    def guarded(generator):
        try:
            yield from generator
        except Exception as error:
            errors.append(error)

    ready = deque(map(guarded, generators))
    while ready:
        try:
            ready[0].send(None)
        except StopIteration:
            ready.popleft()
        else:
            ready.rotate(-1)
    return errors

# %% errors-1 right: one handler that looks at the class
def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    errors = []
    running = [*generators]
    while running:
        this_round, running = running, []
        for generator in this_round:
            try:
                generator.send(None)
            except Exception as end:
                if not isinstance(end, StopIteration):
                    errors.append(end)
            else:
                running.append(generator)
    return errors

# %% turns-1 wrong: does not count the last turn of a generator
# cause: the turn in which a generator ends is not counted
# line: continue | given += 1
from collections import deque


def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    given = 0
    while ready and given < turns:
        generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        ready.append(generator)
        given += 1
    return given

# %% turns-1 wrong: works on a copy, turn by turn
# cause: the turns are taken from a copy, so the caller's deque keeps its old order and the ended generators
# line: queue = deque(ready)
from collections import deque


def run_for(ready, turns):
    queue = deque(ready)
    for given in range(turns):
        if not queue:
            return given
        generator = queue.popleft()
        try:
            generator.send(None)
        except StopIteration:
            pass
        else:
            queue.append(generator)
    return turns

# %% turns-1 wrong: a generator that raised stays in the queue
# cause: a generator that raises an error has ended, but it is still the first in ready
# line: ready[0].send(None) | except StopIteration: | none
def run_for(ready, turns):
    count = 0
    while ready and count < turns:
        count += 1
        try:
            ready[0].send(None)
        except StopIteration:
            del ready[0]
        else:
            ready.rotate(-1)
    return count

# %% turns-1 right: counts down
from collections import deque


def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    left = turns
    while left and ready:
        left -= 1
        generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        ready.append(generator)
    return turns - left

# %% turns-1 right: suppress and an enumerated loop
from contextlib import suppress


def run_for(ready, turns):
    for given in range(turns):
        if not ready:
            return given
        with suppress(StopIteration):
            generator = ready.popleft()
            generator.send(None)
            ready.append(generator)
    return turns

# %% robin-1 wrong: an index that goes on after a removal
# cause: when a generator has ended, the next one moves into its place and the index steps over it, so it loses a turn
# line: index = (index + 1) % len(alive) | del alive[index]
def round_robin(generators):
    """Give the generators turns until all have ended."""
    alive = list(generators)
    index = 0
    while alive:
        try:
            alive[index].send(None)
        except StopIteration:
            del alive[index]
        if alive:
            index = (index + 1) % len(alive)

# %% robin-1 wrong: primes them first
# cause: a generator that ends in its first turn lets its StopIteration out of the priming loop
# line: next(generator)
from collections import deque


def round_robin(generators):
    """Give the generators turns until all have ended."""
    ready = deque(generators)
    for generator in ready:
        next(generator)
    while ready:
        generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        ready.append(generator)

# %% robin-1 right: a ring that is rotated
from collections import deque


def round_robin(generators):
    """Give the generators turns until all have ended."""
    ring = deque(generators)
    while ring:
        try:
            ring[0].send(None)
        except StopIteration:
            ring.popleft()
        else:
            ring.rotate(-1)

# %% collect-1 wrong: None means not yet
# cause: a generator that returned None counts as one that still runs, so the loop never ends
# line: results = [None] * len(generators) | while None in results:
def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    results = [None] * len(generators)
    while None in results:
        for place, generator in enumerate(generators):
            if results[place] is not None:
                continue
            try:
                generator.send(None)
            except StopIteration as end:
                results[place] = end.value
    return results

# %% collect-1 right: each in a generator that notes its result
from collections import deque


def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    results = [None] * len(generators)

    def noting(place, generator):
        results[place] = yield from generator

    ended = object()
    ready = deque(noting(*pair) for pair in enumerate(generators))
    while ready:
        one = ready.popleft()
        if next(one, ended) is not ended:
            ready.append(one)
    return results

# %% errors-1 wrong: errors in the order of the generators, again
# cause: the errors are returned in the order of the list of generators, not in the order in which they came
# line: for place in sorted(errors)
from collections import deque


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    ready = deque(enumerate(generators))
    errors = {}
    while ready:
        place, generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        except Exception as error:
            errors[place] = error
            continue
        ready.append((place, generator))
    return [errors[place] for place in sorted(errors)]

# %% errors-1 right: guarded generators and a list for each round
def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    errors = []
    ended = object()

    def guarded(generator):
        try:
            yield from generator
        except Exception as error:
            errors.append(error)

    alive = [guarded(generator) for generator in generators]
    while alive:
        alive = [one for one in alive if next(one, ended) is not ended]
    return errors

# %% turns-1 wrong: looks at the number too late
# cause: when the turns are used up, one more generator has already been taken from the deque, and is lost
# line: if given == turns: | generator = ready.popleft() | break
from collections import deque


def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    given = 0
    while ready:
        generator = ready.popleft()
        if given == turns:
            break
        given += 1
        try:
            generator.send(None)
        except StopIteration:
            continue
        ready.append(generator)
    return given

# %% turns-1 right: a generator of turns, sliced
from itertools import islice


def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    def endless():
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                pass
            else:
                ready.append(generator)
            yield generator

    return sum(1 for _ in islice(endless(), turns))

# %% turns-1 wrong: writes the queue back at the end
# cause: when an error comes out, ready is not brought up to date and still holds the generators that have ended
# line: queue = deque(ready) | ready.extend(queue)
from collections import deque


def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    queue = deque(ready)
    given = 0
    while queue and given < turns:
        generator = queue.popleft()
        given += 1
        try:
            generator.send(None)
        except StopIteration:
            pass
        else:
            queue.append(generator)
    ready.clear()
    ready.extend(queue)
    return given

# %% errors-1 wrong: the try around the whole round
# cause: after an error a new round starts from the left, so those to the right of the failed one lose a turn
# line: for generator in list(alive):
def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    alive = list(generators)
    errors = []
    while alive:
        try:
            for generator in list(alive):
                try:
                    generator.send(None)
                except StopIteration:
                    alive.remove(generator)
        except Exception as error:
            errors.append(error)
            alive.remove(generator)
    return errors

# %% collect-1 wrong: a dict in the order of the ends
# cause: the dict keeps the order in which the generators ended, not the order of the list
# line: return list(returned.values()) | returned = {}
from collections import deque


def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    ready = deque(enumerate(generators))
    returned = {}
    while ready:
        place, generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration as end:
            returned[place] = end.value
        else:
            ready.append((place, generator))
    return list(returned.values())

# %% robin-1 wrong: rotates past the neighbour
# cause: when the generator in front has ended and is taken out, the rotation sends its neighbour to the end without a turn
# line: ready.rotate(-1)
from collections import deque


def round_robin(generators):
    ready = deque(generators)
    while ready:
        try:
            ready[0].send(None)
        except StopIteration:
            ready.popleft()
        ready.rotate(-1)

# %% robin-1 wrong: sends back what was yielded
# cause: each generator is sent what it yielded in its last turn, not None
# line: ready.append((generator, generator.send(value)))
from collections import deque


def round_robin(generators):
    ready = deque((generator, None) for generator in generators)
    while ready:
        generator, value = ready.popleft()
        try:
            ready.append((generator, generator.send(value)))
        except StopIteration:
            pass

# %% robin-1 right: rounds by zip_longest
from functools import partial
from itertools import zip_longest


def round_robin(generators):
    never = object()
    turns = [iter(partial(generator.send, None), never) for generator in generators]
    for _ in zip_longest(*turns):
        pass

# %% collect-1 wrong: inserts at the index
# cause: insert into a list that is still shorter puts the results in another order than the generators
# line: results.insert(index, stop.value)
from collections import deque


def run_all(generators):
    results = []
    ready = deque(enumerate(generators))
    while ready:
        index, generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration as stop:
            results.insert(index, stop.value)
        else:
            ready.append((index, generator))
    return results

# %% collect-1 wrong: the first argument of StopIteration
# cause: a generator that returns None raises a StopIteration without arguments, and args[0] raises an IndexError
# line: stop.args[0]
from collections import deque


def run_all(generators):
    results = [None] * len(generators)
    ready = deque(enumerate(generators))
    while ready:
        index, generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration as stop:
            results[index] = stop.args[0]
            continue
        ready.append((index, generator))
    return results

# %% collect-1 right: wrappers with yield from
def run_all(generators):
    results = [None] * len(generators)

    def keeping(index, generator):
        results[index] = yield from generator

    def turn(wrapper):
        try:
            wrapper.send(None)
        except StopIteration:
            return False
        return True

    running = [keeping(*pair) for pair in enumerate(generators)]
    while running:
        running = [wrapper for wrapper in running if turn(wrapper)]
    return results

# %% errors-1 wrong: errors by place
# cause: the errors are returned in the order of the generators, not in the order in which they came
# line: return [errors[index] for index in sorted(errors)]
from collections import deque


def run_on(generators):
    errors = {}
    ready = deque(enumerate(generators))
    while ready:
        index, generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        except Exception as error:
            errors[index] = error
            continue
        ready.append((index, generator))
    return [errors[index] for index in sorted(errors)]

# %% errors-1 wrong: an error ends the round
# cause: an error breaks off the round, so that the generators after the failed one lose a turn and those before it get one more
# line: except Exception as error: | for generator in list(running):
def run_on(generators):
    running = list(generators)
    errors = []
    while running:
        try:
            for generator in list(running):
                try:
                    generator.send(None)
                except StopIteration:
                    running.remove(generator)
        except Exception as error:
            errors.append(error)
            running.remove(generator)
    return errors

# %% errors-1 right: a context manager for one turn
from collections import deque


class Turn:
    def __init__(self, ready, errors):
        self.ready = ready
        self.errors = errors

    def __enter__(self):
        self.generator = self.ready.popleft()
        return self.generator

    def __exit__(self, kind, error, traceback):
        if error is None:
            self.ready.append(self.generator)
        elif isinstance(error, StopIteration):
            return True
        elif isinstance(error, Exception):
            self.errors.append(error)
            return True
        return False


def run_on(generators):
    ready, errors = deque(generators), []
    while ready:
        with Turn(ready, errors) as generator:
            generator.send(None)
    return errors

# %% turns-1 wrong: a failed one stays in the queue
# cause: the generator is put back before its turn and taken out only when it returns, so that one which raises an error stays in ready
# line: except StopIteration: | generator.send(None)
from collections import deque


def run_for(ready, turns):
    given = 0
    while ready and given < turns:
        generator = ready.popleft()
        ready.append(generator)
        given += 1
        try:
            generator.send(None)
        except StopIteration:
            ready.remove(generator)
    return given

# %% turns-1 wrong: looks at the limit once a round
# cause: the limit is looked at only between whole rounds, so that more than `turns` turns are given
# line: for _ in range(len(ready)): | while ready and given < turns:
from collections import deque


def run_for(ready, turns):
    given = 0
    while ready and given < turns:
        for _ in range(len(ready)):
            generator = ready.popleft()
            given += 1
            try:
                generator.send(None)
            except StopIteration:
                continue
            ready.append(generator)
    return given

# %% turns-1 right: a slice of an endless row of turns
from itertools import islice


def run_for(ready, turns):
    def each_turn():
        while ready:
            generator = ready.popleft()
            try:
                generator.send(None)
            except StopIteration:
                pass
            else:
                ready.append(generator)
            yield 1

    return sum(islice(each_turn(), turns))

# %% collect-1 wrong: asks the ended ones again
# cause: a generator that has ended raises StopIteration again, with None as its value, and that overwrites its result
# line: results[place] = stop.value | for place, generator in enumerate(generators): | generator.send(None)
def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    results = [None] * len(generators)
    ended = set()
    while len(ended) < len(generators):
        for place, generator in enumerate(generators):
            try:
                generator.send(None)
            except StopIteration as stop:
                results[place] = stop.value
                ended.add(place)
    return results

# %% errors-1 wrong: errors in the order of the generators, again, again
# cause: each error has its generator's place, so they come in the order of the list and not in the order in which they were raised
# line: errors[place] = error | return [error for error in errors if error is not None] | errors = [None] * len(generators)
from collections import deque


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    errors = [None] * len(generators)
    ready = deque(enumerate(generators))
    while ready:
        place, generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            pass
        except Exception as error:
            errors[place] = error
        else:
            ready.append((place, generator))
    return [error for error in errors if error is not None]

# %% collect-1 wrong: 0 becomes None
# cause: the result is kept only if it counts as true, so 0 and an empty string turn into None
# line: if stop.value: | results[place] = stop.value
def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    results = [None for _ in generators]
    places = list(range(len(generators)))
    while places:
        still = []
        for place in places:
            try:
                generators[place].send(None)
            except StopIteration as stop:
                if stop.value:
                    results[place] = stop.value
            else:
                still.append(place)
        places = still
    return results

# %% turns-1 wrong: gives turns when asked for none
# cause: it compares after a turn only; for 0 turns given is never equal to turns, and all run to their end
# line: if given == turns: | while ready:
from collections import deque


def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    given = 0
    while ready:
        generator = ready.popleft()
        try:
            generator.send(None)
            ready.append(generator)
        except StopIteration:
            pass
        given += 1
        if given == turns:
            break
    return given

# %% collect-1 wrong: ended ones are asked again
# cause: a generator that has ended gets further turns, and the empty StopIteration of such a turn overwrites its result with None
# line: results[i] = stop.value | for i, generator in enumerate(generators):
def run_all(generators):
    results = [None] * len(generators)
    running = True
    while running:
        running = False
        for i, generator in enumerate(generators):
            try:
                generator.send(None)
                running = True
            except StopIteration as stop:
                results[i] = stop.value
    return results

# %% collect-1 wrong: wrappers share one index
# cause: the inner generator function looks up i and generator only when it runs, and then both are those of the last one
# line: results[i] = yield from generator | def job():
from collections import deque


def run_all(generators):
    results = [None] * len(generators)
    jobs = deque()
    for i, generator in enumerate(generators):
        def job():
            results[i] = yield from generator
        jobs.append(job())
    while jobs:
        current = jobs.popleft()
        try:
            current.send(None)
        except StopIteration:
            continue
        jobs.append(current)
    return results

# %% errors-1 wrong: finally returns
# cause: the return in finally swallows a KeyboardInterrupt, which should come out
# line: return errors | finally:
from collections import deque


def run_on(generators):
    errors = []
    queue = deque(generators)
    try:
        while queue:
            generator = queue.popleft()
            try:
                generator.send(None)
            except StopIteration:
                continue
            except Exception as error:
                errors.append(error)
                continue
            queue.append(generator)
    finally:
        return errors

# %% errors-1 wrong: errors in order of the list
# cause: the errors are returned in the order of the generators, not in the order in which they came
# line: return [failed[i] for i in range(len(generators)) if i in failed]
from collections import deque


def run_on(generators):
    failed = {}
    queue = deque(enumerate(generators))
    while queue:
        i, generator = queue.popleft()
        try:
            generator.send(None)
        except StopIteration:
            continue
        except Exception as error:
            failed[i] = error
            continue
        queue.append((i, generator))
    return [failed[i] for i in range(len(generators)) if i in failed]

# %% turns-1 wrong: counts the turn nobody had
# cause: the number is raised before the look whether anybody is left, so one turn too many is returned if all end early
# line: for number in range(1, turns + 1): | if not ready: | break
from collections import deque


def run_for(ready, turns):
    number = 0
    for number in range(1, turns + 1):
        if not ready:
            break
        generator = ready.popleft()
        try:
            generator.send(None)
        except StopIteration:
            pass
        else:
            ready.append(generator)
    return number

# %% robin-1 wrong: two turns each
# cause: two sends are two turns
# line: generator.send(None) | next
from collections import deque
def round_robin(generators):
    ready = deque(generators)
    while ready:
        generator = ready.popleft()
        try:
            generator.send(None)
            generator.send(None)
        except StopIteration:
            continue
        ready.append(generator)

# %% robin-1 wrong: calls itself for the next turn
# cause: each turn is one more nested call, so a thousand turns end in a RecursionError
# line: turn(others) | turn(others + [generator]) | def turn(ready):
from collections import deque


def round_robin(generators):
    """Give the generators turns until all have ended."""
    def turn(ready):
        if not ready:
            return
        generator, *others = ready
        try:
            generator.send(None)
        except StopIteration:
            ended = True
        else:
            ended = False
        if ended:
            turn(others)
        else:
            turn(others + [generator])

    turn(list(generators))

# %% collect-1 wrong: reversed
# cause: turns the list of results round
# line: reversed | [::-1]
from collections import deque
def run_all(generators):
    results = [None] * len(generators)
    ready = deque(enumerate(generators))
    while ready:
        i, g = ready.popleft()
        try:
            next(g)
        except StopIteration as stop:
            results[i] = stop.value
            continue
        ready.append((i, g))
    return results[::-1]

# %% collect-1 wrong: returns pairs
# cause: returns places with the results
# line: append | sorted
from collections import deque
def run_all(generators):
    results = []
    ready = deque(enumerate(generators))
    while ready:
        i, g = ready.popleft()
        try:
            next(g)
        except StopIteration as stop:
            results.append((i, stop.value))
            continue
        ready.append((i, g))
    return sorted(results)

# %% errors-1 wrong: last error only
# cause: a new list replaces the one with the earlier errors
# line: errors = [error]
from collections import deque
def run_on(generators):
    errors, ready = [], deque(generators)
    while ready:
        g = ready.popleft()
        try:
            g.send(None)
        except StopIteration:
            continue
        except Exception as error:
            errors = [error]
        else:
            ready.append(g)
    return errors

# %% errors-1 wrong: takes out of the list that it walks along
# cause: removing from the list during the for loop makes the next generator miss its turn in that round, so the turns and the errors come in another order
# line: alive.remove(generator) | for generator in alive:
def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    alive = list(generators)
    errors = []
    while alive:
        for generator in alive:
            try:
                next(generator)
            except Exception as error:
                if not isinstance(error, StopIteration):
                    errors.append(error)
                alive.remove(generator)
    return errors

# %% turns-1 wrong: returns turns
# cause: returns how many turns were asked for
# line: return turns
def run_for(ready, turns):
    for _ in range(turns):
        if not ready:
            break
        g = ready.popleft()
        try:
            g.send(None)
        except StopIteration:
            continue
        ready.append(g)
    return turns

# %% turns-1 wrong: index of the loop
# cause: the loop's variable is one less than the number of turns
# line: return i | for i in range(turns)
def run_for(ready, turns):
    i = 0
    for i in range(turns):
        if not ready:
            break
        g = ready.popleft()
        try:
            g.send(None)
        except StopIteration:
            continue
        ready.append(g)
    return i

# %% turns-1 wrong: one turn even for zero
# cause: It checks the number only after a turn, so for turns == 0 it still gives one.
# line: if count == turns: | while ready:
def run_for(ready, turns):
    count = 0
    while ready:
        current = ready.popleft()
        count += 1
        try:
            current.send(None)
            ready.append(current)
        except StopIteration:
            pass
        if count == turns:
            break
    return count

# %% collect-1 wrong: the position among those left
# cause: The position is the one among the generators that are left, which changes as soon as one has ended, so results land in the wrong places.
# line: for position, generator in enumerate(alive): | results[position] = end.value
def run_all(generators):
    results = [None] * len(generators)
    alive = list(generators)
    while alive:
        next_round = []
        for position, generator in enumerate(alive):
            try:
                next(generator)
                next_round.append(generator)
            except StopIteration as end:
                results[position] = end.value
        alive = next_round
    return results

# %% collect-1 wrong: The place gets out of step
# cause: The place is worked out from the number of turns, which is right only as long as none has ended; after that results are written to the wrong places.
# line: place = turn % len(results)
from collections import deque


def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    ready = deque(generators)
    results = [None] * len(ready)
    turn = 0
    while ready:
        generator = ready.popleft()
        place = turn % len(results)
        turn += 1
        try:
            generator.send(None)
        except StopIteration as end:
            results[place] = end.value
        else:
            ready.append(generator)
    return results

# %% turns-1 wrong: An error loses the round
# cause: Those that had their turn wait in `again` until the round is over, so if a generator raises an error they are lost and not in `ready` afterwards.
# line: ready.extend(again) | again.append(generator) | again = []
def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    given = 0
    while ready and given < turns:
        again = []
        while ready and given < turns:
            generator = ready.popleft()
            given += 1
            try:
                generator.send(None)
            except StopIteration:
                continue
            again.append(generator)
        ready.extend(again)
    return given

# %% collect-1 wrong: error held until the end
# cause: An error of a generator is kept and raised only after all others have ended, so it does not come out at once and the others get further turns.
# line: failure = failure or error | except Exception as error | raise failure
from collections import deque


def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    returned = {}
    failure = None
    queue = deque(enumerate(generators))
    while queue:
        place, gen = queue.popleft()
        try:
            gen.send(None)
        except StopIteration as stop:
            returned[place] = stop.value
        except Exception as error:
            failure = failure or error
        else:
            queue.append((place, gen))
    if failure is not None:
        raise failure
    return [returned[place] for place in range(len(generators))]

# %% turns-1 wrong: the error comes out at the end
# cause: each error is kept and raised when the turns are over, instead of at once
# line: except BaseException as error
def run_for(ready, turns):
    given, failed = 0, None
    while ready and given < turns:
        one = ready.popleft()
        given += 1
        try:
            one.send(None)
        except StopIteration:
            continue
        except BaseException as error:
            failed = failed or error
            continue
        ready.append(one)
    if failed:
        raise failed
    return given

# %% collect-1 wrong: gives turns on in a finally
# cause: the finally runs the loop to its end before the error goes on
# line: run() | finally
from collections import deque


def run_all(generators):
    results = [None] * len(generators)
    ready = deque(enumerate(generators))

    def run():
        while ready:
            place, one = ready.popleft()
            try:
                one.send(None)
            except StopIteration as end:
                results[place] = end.value
            else:
                ready.append((place, one))

    try:
        run()
    finally:
        run()
    return results

# %% errors-1 wrong: None as mark for ended
# cause: The default of next is None, which is also what a bare yield gives, so a generator that yields None is taken as ended after its first turn.
# line: if next(task, None) is not None:
from collections import deque


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    errors = []
    waiting = deque(generators)
    while waiting:
        task = waiting.popleft()
        try:
            if next(task, None) is not None:
                waiting.append(task)
        except Exception as err:
            errors.append(err)
    return errors

# %% turns-1 wrong: Limit checked after the turn
# cause: The limit is checked only after a turn was given, so with turns 0 one turn is given.
# line: if count >= turns: | while ready:
def run_for(ready, turns):
    count = 0
    while ready:
        current = ready.popleft()
        count += 1
        try:
            current.send(None)
        except StopIteration:
            pass
        else:
            ready.append(current)
        if count >= turns:
            break
    return count

# %% errors-1 wrong: one round only
# cause: Each generator gets a single turn, and no round follows.
# line: for generator in generators:
def run_on(generators):
    errors = []
    for generator in generators:
        try:
            generator.send(None)
        except StopIteration:
            pass
        except Exception as error:
            errors.append(error)
    return errors

# %% collect-1 wrong: None stands for not ended
# cause: None in the list is taken as "has not ended", so a generator that returns None is resumed for ever and run_all never returns.
# line: while None in returned: | if returned[i] is None: | returned = [None] * len(generators)
from collections import deque


def run_all(generators):
    returned = [None] * len(generators)
    while None in returned:
        for i, gen in enumerate(generators):
            if returned[i] is None:
                try:
                    gen.send(None)
                except StopIteration as end:
                    returned[i] = end.value
    return returned

# %% turns-1 wrong: Failed generator stays in ready
# cause: the generator is left in the queue during its turn and taken out only on StopIteration, so one that raises an error is still in ready afterwards.
# line: ready[0].send(None) | except StopIteration:
def run_for(ready, turns):
    for count in range(turns):
        if not ready:
            return count
        try:
            ready[0].send(None)
        except StopIteration:
            ready.popleft()
        else:
            ready.rotate(-1)
    return turns

# %% robin-1 right: filter the living every round
def _goes_on(generator):
    try:
        generator.send(None)
    except StopIteration:
        return False
    return True


def round_robin(generators):
    living = generators
    while living:
        living = list(filter(_goes_on, living))

# %% collect-1 right: a class for each player
class _Player:
    def __init__(self, generator):
        self.generator = generator
        self.result = None

    def turn(self):
        """Give one turn; tell whether there may be another."""
        try:
            self.generator.send(None)
        except StopIteration as end:
            self.result = end.value
            return False
        return True


def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    players = [_Player(generator) for generator in generators]
    playing = players
    while playing:
        playing = [player for player in playing if player.turn()]
    return [player.result for player in players]

# %% errors-1 right: match on how it ended
from queue import SimpleQueue


def _turn(generator):
    try:
        generator.send(None)
    except Exception as ending:
        return ending
    return None


def run_on(generators):
    errors = []
    line = SimpleQueue()
    for generator in generators:
        line.put(generator)
    while not line.empty():
        generator = line.get()
        match _turn(generator):
            case None:
                line.put(generator)
            case StopIteration():
                pass
            case error:
                errors.append(error)
    return errors

# %% turns-1 right: takewhile somebody is ready
from itertools import takewhile


def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""
    given = 0
    for given in takewhile(lambda _: len(ready) > 0, range(1, turns + 1)):
        who = ready.popleft()
        try:
            who.send(None)
        except StopIteration:
            continue
        ready.append(who)
    return given

# %% robin-1 wrong: uses up the caller's list
# cause: The ended generators are taken out of the list that belongs to the caller, which is empty afterwards.
# line: generators[:] = | none
from collections import deque


def round_robin(generators):
    """Give the generators turns until all have ended."""

    def alive(generator):
        try:
            generator.send(None)
        except StopIteration:
            return False
        return True

    while generators:
        generators[:] = [generator for generator in generators if alive(generator)]

# %% errors-1 wrong: removes while it iterates
# cause: The list is changed while the for loop walks over it, so the generator after an ended one misses its turn in that round and errors may come in another order.
# line: for gen in alive:
from collections import deque


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    alive = list(generators)
    errors = []
    while alive:
        for gen in alive:
            try:
                gen.send(None)
            except StopIteration:
                alive.remove(gen)
            except Exception as e:
                errors.append(e)
                alive.remove(gen)
    return errors

# %% turns-1 wrong: next one put back last
# cause: When the turns are used up, the generator just taken is put back at the end although the next turn is its, so the order is wrong for another call.
# line: ready.append(waiting) | if given == turns:
def run_for(ready, turns):
    """Give at most so many turns; return how many were given."""

    def step(task):
        try:
            task.send(None)
        except StopIteration:
            return False
        return True

    given = 0
    while ready:
        waiting = ready.popleft()
        if given == turns:
            ready.append(waiting)
            break
        given += 1
        if not step(waiting):
            continue
        ready.extend([waiting])
    return given

# %% robin-1 right: filter the survivors of rounds
from contextlib import suppress


def _goes_on(generator):
    with suppress(StopIteration):
        generator.send(None)
        return True
    return False


def round_robin(generators):
    """Give the generators turns until all have ended."""
    alive = tuple(generators)
    while alive:
        alive = tuple(filter(_goes_on, alive))

# %% collect-1 right: zip_longest over recording iterators
from collections import deque
from itertools import zip_longest


class _Seat:
    def __init__(self, generator):
        self.generator = generator
        self.result = None

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return self.generator.send(None)
        except StopIteration as end:
            self.result = end.value
            raise


def run_all(generators):
    seats = [_Seat(generator) for generator in generators]
    deque(zip_longest(*seats), maxlen=0)
    return [seat.result for seat in seats]

# %% collect-1 wrong: the caller's list is emptied
# cause: the ended generators are removed from the list of the caller, which is empty afterwards
# line: generators.remove(generator)
def run_all(generators):
    """Run them in turns; return what each returned, in their order."""
    order = list(generators)
    results = {}
    while generators:
        for generator in list(generators):
            try:
                next(generator)
            except StopIteration as stop:
                results[generator] = stop.value
                generators.remove(generator)
    return [results[generator] for generator in order]

# %% errors-1 right: context manager swallows, rounds of lists
class _Turn:
    def __init__(self, errors):
        self.errors = errors
        self.goes_on = True

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        match error:
            case None:
                return False
            case StopIteration():
                pass
            case Exception():
                self.errors.append(error)
            case _:
                return False
        self.goes_on = False
        return True


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    errors = []

    def survives(generator):
        with _Turn(errors) as turn:
            generator.send(None)
        return turn.goes_on

    alive = list(generators)
    while alive:
        alive = list(filter(survives, alive))
    return errors

# %% errors-1 wrong: empties the caller's list
# cause: works on the list of the caller, without a copy; after the call that list is empty
# line: while generators: | generators.remove(generator) | none
def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    errors = []
    while generators:
        for generator in list(generators):
            try:
                next(generator)
            except StopIteration:
                generators.remove(generator)
            except Exception as error:
                errors.append(error)
                generators.remove(generator)
    return errors

# %% errors-1 wrong: a StopIteration inside counts as the end
# cause: the RuntimeError that Python makes of a StopIteration inside a generator is lost
# line: if not isinstance(error.__cause__, StopIteration):
from collections import deque


def run_on(generators):
    """Run them in turns; return the errors that were raised."""
    errors = []
    ready = deque(generators)
    while ready:
        generator = ready.popleft()
        try:
            next(generator)
        except StopIteration:
            pass
        except Exception as error:
            if not isinstance(error.__cause__, StopIteration):
                errors.append(error)
        else:
            ready.append(generator)
    return errors

# %% turns-1 right: endless turn generator, cut by islice
from itertools import islice


def _turns(ready):
    while ready:
        current = ready.popleft()
        try:
            current.send(None)
        except StopIteration:
            pass
        else:
            ready.append(current)
        yield 1


def run_for(ready, turns):
    return sum(islice(_turns(ready), max(turns, 0)))
