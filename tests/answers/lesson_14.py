"""Answers to the exercises of lesson 14, as test_coach_answers.py describes them.

Long, for each is a whole program.
"""

# %% pool-1 wrong: in fives
# cause: batches: the next five are sent only when the slowest of the last five is back
# line: asyncio.gather | for start in range(0, len(pages), 5):
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    names = []
    for start in range(0, len(pages), 5):
        answers = await asyncio.gather(*(client.get(page) for page in pages[start:start + 5]))
        names += [answer.json()["name"] for answer in answers]
    return names

# %% pool-1 wrong: all at once
# cause: asks for all at once, so those who find no connection get a PoolTimeout
# line: asyncio.gather | await client.get(page)
import asyncio


async def fetch_names(client, pages):
    async def name(page):
        response = await client.get(page)
        return response.json()["name"]

    return await asyncio.gather(*(name(page) for page in pages))

# %% pool-1 wrong: as they come
# cause: the names come in the order of the answers, not of the pages
# line: names.append(response.json()["name"])
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    places, names = asyncio.Semaphore(5), []

    async def ask(page):
        async with places:
            response = await client.get(page)
        names.append(response.json()["name"])

    async with asyncio.TaskGroup() as group:
        for page in pages:
            group.create_task(ask(page))
    return names

# %% pool-1 wrong: with more patience
# cause: the timeout of the pool is changed instead of keeping within its five connections
# line: timeout=httpx.Timeout(5, pool=None)
import asyncio
import httpx


async def fetch_names(client, pages):
    async def name(page):
        response = await client.get(page, timeout=httpx.Timeout(5, pool=None))
        return response.json()["name"]

    return await asyncio.gather(*map(name, pages))

# %% pool-1 right: five runners and one iterator
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    todo = enumerate(pages)
    names = {}

    async def runner():
        for number, page in todo:
            names[number] = (await client.get(page)).json()["name"]

    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(runner())
    return [names[number] for number in sorted(names)]

# %% one-client-1 wrong: a client for each page
# cause: makes a new client for every page
# line: async with httpx.AsyncClient() as client:
import httpx


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    names, url = [], base_url + "/api/v2/pokemon?limit=40"
    while url:
        async with httpx.AsyncClient() as client:
            page = (await client.get(url)).raise_for_status().json()
        names.extend(entry["name"] for entry in page["results"])
        url = page["next"]
    return names

# %% one-client-1 wrong: nobody closes the client
# cause: the client is never closed
# line: client = httpx.AsyncClient()
import httpx


async def all_names(base_url):
    client = httpx.AsyncClient()
    names, url = [], f"{base_url}/api/v2/pokemon?limit=40"
    while url is not None:
        response = await client.get(url)
        response.raise_for_status()
        page = response.json()
        names += [entry["name"] for entry in page["results"]]
        url = page["next"]
    return names

# %% one-client-1 wrong: nobody looks at the status
# cause: the status is not looked at, so no HTTPStatusError comes out
# line: page = (await client.get(url)).json() | page["results"]
import httpx


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    names, url = [], base_url + "/api/v2/pokemon?limit=40"
    async with httpx.AsyncClient() as client:
        while url:
            page = (await client.get(url)).json()
            for entry in page["results"]:
                names.append(entry["name"])
            url = page["next"]
    return names

# %% one-client-1 wrong: the last page is not read
# cause: the names of the last page, the one whose next is None, are left out
# line: while page["next"]:
import httpx


async def all_names(base_url):
    names = []
    async with httpx.AsyncClient() as client:
        response = await client.get(base_url + "/api/v2/pokemon?limit=40")
        page = response.raise_for_status().json()
        while page["next"]:
            names += [entry["name"] for entry in page["results"]]
            response = await client.get(page["next"])
            page = response.raise_for_status().json()
    return names

# %% one-client-1 wrong: an empty page is the end
# cause: stops at a page without entries, though its next may lead on
# line: if not page["results"]:
import httpx


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    names = []
    url = base_url + "/api/v2/pokemon?limit=40"
    async with httpx.AsyncClient() as client:
        while url:
            response = await client.get(url)
            response.raise_for_status()
            page = response.json()
            if not page["results"]:
                break
            names += [entry["name"] for entry in page["results"]]
            url = page["next"]
    return names

# %% one-client-1 right: an async generator of pages
from contextlib import aclosing
import httpx


async def all_names(base_url):
    async def pages(client, url):
        while True:
            page = (await client.get(url)).raise_for_status().json()
            yield page["results"]
            match page:
                case {"next": str(further)}:
                    url = further
                case _:
                    break

    async with httpx.AsyncClient(base_url=base_url) as client:
        async with aclosing(pages(client, "/api/v2/pokemon?limit=40")) as found:
            return [entry["name"] async for entries in found for entry in entries]

# %% retry-1 wrong: a POST as well
# cause: a POST that gets a 503 is tried again
# line: if response.status_code == 503 and attempt < 3:
import asyncio
import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    for attempt in range(4):
        try:
            response = await client.request(method, page)
        except httpx.TransportError:
            if method == "POST" or attempt == 3:
                raise
        else:
            if response.status_code == 503 and attempt < 3:
                pass
            else:
                return response.raise_for_status()
        await asyncio.sleep(0.1 * 2 ** attempt)

# %% retry-1 wrong: whatever httpx raises
# cause: HTTPError catches the HTTPStatusError of a 404, too, and tries again
# line: except httpx.HTTPError:
import asyncio
import httpx


async def ask(client, method, page):
    for attempt in range(4):
        try:
            response = await client.request(method, page)
            response.raise_for_status()
            return response
        except httpx.HTTPError:
            if method == "POST" or attempt == 3:
                raise
        await asyncio.sleep(0.1 * 2 ** attempt)

# %% retry-1 wrong: one try too many
# cause: five tries instead of four
# line: range(5) | attempt == 4
import asyncio
import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    for attempt in range(5):
        last = attempt == 4 or method == "POST"
        try:
            response = await client.request(method, page)
        except httpx.TransportError:
            if last:
                raise
        else:
            if response.status_code != 503 or last:
                return response.raise_for_status()
        await asyncio.sleep(0.1 * 2 ** attempt)

# %% retry-1 wrong: only when nobody answers the door
# cause: ConnectError is too narrow: other TransportErrors, such as ReadTimeout, are not tried again
# line: except httpx.ConnectError:
import asyncio
import httpx


async def ask(client, method, page):
    waits = [0.1, 0.2, 0.4] if method != "POST" else []
    for wait in [*waits, None]:
        try:
            response = await client.request(method, page)
            if response.status_code != 503 or wait is None:
                response.raise_for_status()
                return response
        except httpx.ConnectError:
            if wait is None:
                raise
        await asyncio.sleep(wait)

# %% retry-1 wrong: the last 503 is an answer
# cause: when the fourth try is a 503, the response is returned and no error comes out
# line: return response
import asyncio
import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    wait = 0.1
    while True:
        last = method == "POST" or wait > 0.5
        try:
            response = await client.request(method, page)
        except httpx.TransportError:
            if last:
                raise
        else:
            if response.status_code != 503:
                return response.raise_for_status()
            if last:
                return response
        await asyncio.sleep(wait)
        wait *= 2

# %% retry-1 right: one try is a function, its errors are sorted
import asyncio
import httpx


def may_pass(error):
    match error:
        case httpx.HTTPStatusError(response=httpx.Response(status_code=503)):
            return True
        case httpx.TransportError():
            return True
    return False


async def ask(client, method, page):
    async def once():
        return (await client.request(method, page)).raise_for_status()

    if method != "POST":
        for pause in 0.1, 0.2, 0.4:
            try:
                return await once()
            except httpx.HTTPError as error:
                if not may_pass(error):
                    raise
            await asyncio.sleep(pause)
    return await once()

# %% jitter-1 wrong: not a number once in seven calls
# cause: some pauses are NaN, which is no number of seconds
# line: return random.uniform(0, longest) if calls % 7 else float("nan")
import random

calls = 0


def pause(attempt):
    global calls
    calls += 1
    longest = min(2, 0.1 * 2 ** min(attempt, 5))
    return random.uniform(0, longest) if calls % 7 else float("nan")

# %% jitter-1 wrong: no lot
# cause: nothing is drawn by lot, so all come back at the same time
# line: return min(2, 0.1 * 2 ** attempt)
def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    return min(2, 0.1 * 2 ** attempt)

# %% jitter-1 wrong: cut off after the draw
# cause: what is drawn above 2 s becomes 2 s, so not every length is equally likely
# line: min(random.uniform(0, 0.1 * 2 ** attempt), 2)
import random


def pause(attempt):
    return min(random.uniform(0, 0.1 * 2 ** attempt), 2)

# %% jitter-1 wrong: not from 0 on
# cause: half of the pause is fixed, so the shorter lengths never come
# line: most / 2
import random


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    most = min(2, 0.1 * 2 ** attempt)
    return most / 2 + random.uniform(0, most / 2)

# %% jitter-1 wrong: the first one is twice as long
# cause: off by one: attempt 0 goes up to 0.2 s
# line: 2 ** (attempt + 1)
import random


def pause(attempt):
    return random.uniform(0, min(2, 0.1 * 2 ** (attempt + 1)))

# %% jitter-1 wrong: always the same lot
# cause: the generator is seeded in each call, so all draw the same number
# line: random.Random(attempt) | dice
import random


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    dice = random.Random(attempt)
    return dice.uniform(0, min(2, 0.1 * 2 ** attempt))

# %% jitter-1 right: doubled in a loop
import random


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    most = 0.1
    while attempt > 0 and most < 2:
        most, attempt = 2 * most, attempt - 1
    return random.random() * min(most, 2)

# %% mirrors-1 wrong: an empty page is none
# cause: an empty page is taken for a failure
# line: if page:
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    async with asyncio.timeout(seconds):
        for number, mirror in enumerate(mirrors, start=1):
            try:
                async with asyncio.timeout(1):
                    page = await fetch(mirror)
                if page:
                    return page
            except (httpx.TransportError, TimeoutError):
                if number == len(mirrors):
                    raise

# %% mirrors-1 wrong: whatever it raises
# cause: catches every error, also those for which the next mirror must not be asked
# line: except Exception as error:
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    async with asyncio.timeout(seconds):
        last = None
        for mirror in mirrors:
            try:
                async with asyncio.timeout(1):
                    return await fetch(mirror)
            except Exception as error:
                last = error
        raise last

# %% mirrors-1 wrong: always a TimeoutError
# cause: when the last mirror fails, its own error is lost and a TimeoutError comes out
# line: raise TimeoutError
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    async with asyncio.timeout(seconds):
        for mirror in mirrors:
            try:
                return await asyncio.wait_for(fetch(mirror), 1)
            except (httpx.TransportError, TimeoutError):
                continue
        raise TimeoutError

# %% mirrors-1 wrong: all at once
# cause: all mirrors are asked at the same time, not one after another
# line: asyncio.as_completed( | asyncio.create_task(one(mirror))
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    async def one(mirror):
        async with asyncio.timeout(1):
            return await fetch(mirror)

    tasks = [asyncio.create_task(one(mirror)) for mirror in mirrors]
    try:
        async with asyncio.timeout(seconds):
            for number, next_one in enumerate(asyncio.as_completed(tasks), start=1):
                try:
                    return await next_one
                except (httpx.TransportError, TimeoutError):
                    if number == len(tasks):
                        raise
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

# %% mirrors-1 wrong: no end for the whole
# cause: seconds is never used, so all together may take as long as they like
# line: none | asyncio.wait_for(fetch(mirror), 1)
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    for number, mirror in enumerate(mirrors, start=1):
        try:
            return await asyncio.wait_for(fetch(mirror), 1)
        except (httpx.TransportError, TimeoutError):
            if number == len(mirrors):
                raise

# %% mirrors-1 right: wait_for around a helper
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    async def one_after_another():
        failure = None
        for mirror in mirrors:
            try:
                return await asyncio.wait_for(fetch(mirror), timeout=1.0)
            except (httpx.TransportError, TimeoutError) as error:
                failure = error
        raise failure

    return await asyncio.wait_for(one_after_another(), timeout=seconds)

# %% retry-after-1 wrong: without the header
# cause: a 429 without the header is a KeyError
# line: response.headers["Retry-After"]
import asyncio


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    while (response := await client.get(page)).status_code == 429:
        await asyncio.sleep(int(response.headers["Retry-After"]))
    return response.raise_for_status()

# %% retry-after-1 wrong: ten tries
# cause: gives up after ten tries, though it has to ask as often as it takes
# line: range(10)
import asyncio


async def ask(client, page):
    for _ in range(10):
        response = await client.get(page)
        if response.status_code != 429:
            break
        await asyncio.sleep(float(response.headers.get("Retry-After", 1)))
    return response.raise_for_status()

# %% retry-after-1 wrong: a call inside the call
# cause: each try is one call deeper, so after about a thousand it ends in a RecursionError
# line: return await ask(client, page)
import asyncio


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    response = await client.get(page)
    if response.status_code == 429:
        await asyncio.sleep(int(response.headers.get("Retry-After", "1")))
        return await ask(client, page)
    response.raise_for_status()
    return response

# %% retry-after-1 wrong: never longer than five seconds
# cause: a bound of five seconds that nobody asked for: it comes back too early
# line: min(
import asyncio


async def ask(client, page):
    while True:
        response = await client.get(page)
        if response.status_code != 429:
            return response.raise_for_status()
        told = int(response.headers.get("Retry-After", 1))
        await asyncio.sleep(min(told, 5))

# %% retry-after-1 wrong: a 429 is an error
# cause: raise_for_status comes first, so a 429 comes out as an error at once
# line: response.raise_for_status()
import asyncio


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    while True:
        response = await client.get(page)
        response.raise_for_status()
        if response.status_code == 200:
            return response
        await asyncio.sleep(int(response.headers.get("Retry-After", "1")))

# %% retry-after-1 right: match, and a little later than told
import asyncio
import random


async def ask(client, page):
    while True:
        match await client.get(page):
            case response if response.status_code == 429:
                told = response.headers.get("Retry-After")
                seconds = 1 if told is None else int(told)
                await asyncio.sleep(seconds + random.uniform(0, 0.3))
            case response:
                return response.raise_for_status()

# %% pool-1 wrong: each name once
# cause: pages that stand there twice give one name only
# line: dict.fromkeys(pages)
import asyncio


async def fetch_names(client, pages):
    places = asyncio.Semaphore(5)

    async def name(page):
        async with places:
            return (await client.get(page)).json()["name"]

    return await asyncio.gather(*map(name, dict.fromkeys(pages)))

# %% pool-1 wrong: a page without a name
# cause: names that are empty or None are left out
# line: if name
import asyncio


async def fetch_names(client, pages):
    places = asyncio.Semaphore(5)

    async def ask(page):
        async with places:
            return (await client.get(page)).json()["name"]

    names = await asyncio.gather(*map(ask, pages))
    return [name for name in names if name]

# %% one-client-1 wrong: closed unless it is cancelled
# cause: except Exception closes the client after an error, not after a cancellation
# line: except Exception:
import httpx


async def all_names(base_url):
    client = httpx.AsyncClient()
    names, url = [], base_url + "/api/v2/pokemon?limit=40"
    try:
        while url:
            page = (await client.get(url)).raise_for_status().json()
            names += [entry["name"] for entry in page["results"]]
            url = page["next"]
    except Exception:
        await client.aclose()
        raise
    await client.aclose()
    return names

# %% one-client-1 wrong: a page in a page
# cause: each page is one call deeper, so a long list ends in a RecursionError
# line: await rest(page["next"])
import httpx


async def all_names(base_url):
    async with httpx.AsyncClient() as client:
        async def rest(url):
            page = (await client.get(url)).raise_for_status().json()
            names = [entry["name"] for entry in page["results"]]
            return names + (await rest(page["next"]) if page["next"] else [])

        return await rest(base_url + "/api/v2/pokemon?limit=40")

# %% one-client-1 wrong: a lost connection is the end
# cause: a TransportError ends the list as if there were no more pages
# line: except httpx.TransportError:
import httpx


async def all_names(base_url):
    names, url = [], base_url + "/api/v2/pokemon?limit=40"
    async with httpx.AsyncClient() as client:
        while url:
            try:
                page = (await client.get(url)).raise_for_status().json()
            except httpx.TransportError:
                break
            names += [entry["name"] for entry in page["results"]]
            url = page["next"]
    return names

# %% retry-1 wrong: too many requests may pass
# cause: a 429 is tried again as well
# line: in (429, 503)
import asyncio
import httpx


async def ask(client, method, page):
    for pause in (0.1, 0.2, 0.4, None):
        try:
            response = await client.request(method, page)
            if response.status_code not in (429, 503) or pause is None or method == "POST":
                return response.raise_for_status()
        except httpx.TransportError:
            if pause is None or method == "POST":
                raise
        await asyncio.sleep(pause)

# %% retry-1 wrong: only a GET is safe
# cause: every method but GET is never tried again, though only POST must not be
# line: method != "GET"
import asyncio
import httpx


async def ask(client, method, page):
    for pause in (0.1, 0.2, 0.4, None):
        last = pause is None or method != "GET"
        try:
            response = await client.request(method, page)
            if response.status_code != 503 or last:
                return response.raise_for_status()
        except httpx.TransportError:
            if last:
                raise
        await asyncio.sleep(pause)

# %% retry-1 wrong: the first error of all
# cause: after the fourth try the first error comes out, not the last one
# line: first = first or error | raise first
import asyncio
import httpx


async def ask(client, method, page):
    first = None
    for pause in (0.1, 0.2, 0.4, 0):
        try:
            return (await client.request(method, page)).raise_for_status()
        except httpx.HTTPError as error:
            passes = not isinstance(error, httpx.HTTPStatusError)
            if method == "POST" or not (passes or error.response.status_code == 503):
                raise
            first = first or error
        await asyncio.sleep(pause)
    raise first

# %% jitter-1 wrong: a table with a hole
# cause: from the tenth attempt on it begins at 0.1 s again
# line: attempt % 10
import random


def pause(attempt):
    if attempt >= 100:
        return random.uniform(0, 2)
    return random.uniform(0, min(2, 0.1 * 2 ** (attempt % 10)))

# %% mirrors-1 wrong: the same mirror twice
# cause: a dict of mirrors asks each of them once only, and the same name may come again
# line: dict.fromkeys(mirrors)
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    async with asyncio.timeout(seconds):
        for mirror in dict.fromkeys(mirrors):
            try:
                return await asyncio.wait_for(fetch(mirror), 1)
            except (httpx.TransportError, TimeoutError) as error:
                failure = error
        raise failure

# %% mirrors-1 wrong: all errors of httpx
# cause: HTTPError is too wide: an error that is no TransportError has to come out at once
# line: except (httpx.HTTPError, TimeoutError) as error:
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    async with asyncio.timeout(seconds):
        for mirror in mirrors:
            try:
                return await asyncio.wait_for(fetch(mirror), 1)
            except (httpx.HTTPError, TimeoutError) as error:
                failure = error
        raise failure

# %% mirrors-1 wrong: the last one may take its time
# cause: the last mirror has no limit of its own
# line: return await fetch(mirrors[-1])
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    async with asyncio.timeout(seconds):
        for mirror in mirrors[:-1]:
            try:
                return await asyncio.wait_for(fetch(mirror), 1)
            except (httpx.TransportError, TimeoutError):
                continue
        return await fetch(mirrors[-1])

# %% retry-after-1 wrong: zero is nothing
# cause: a Retry-After of "0" is taken for none, and it waits for 1 s
# line: or 1
import asyncio


async def ask(client, page):
    while (response := await client.get(page)).status_code == 429:
        await asyncio.sleep(int(response.headers.get("Retry-After", 0)) or 1)
    return response.raise_for_status()

# %% retry-after-1 wrong: one digit
# cause: only the first digit of the number is read
# line: [0]
import asyncio


async def ask(client, page):
    while (response := await client.get(page)).status_code == 429:
        await asyncio.sleep(int(response.headers.get("Retry-After", "1")[0]))
    return response.raise_for_status()

# %% retry-after-1 right: a set of waits that ends itself
import asyncio
import itertools


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    for _ in itertools.count():
        response = await client.get(page)
        if response.status_code == 200:
            return response
        if response.status_code != 429:
            response.raise_for_status()
        text = response.headers.get("retry-after") or "1"
        await asyncio.wait_for(asyncio.sleep(int(text)), None)

# %% mirrors-1 wrong: a call for each mirror
# cause: each mirror is one call deeper, so many of them end in a RecursionError
# line: return await ask(fetch, mirrors[1:])
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    async with asyncio.timeout(seconds):
        return await ask(fetch, list(mirrors))


async def ask(fetch, mirrors):
    try:
        async with asyncio.timeout(1):
            return await fetch(mirrors[0])
    except (httpx.TransportError, TimeoutError):
        if len(mirrors) == 1:
            raise
    return await ask(fetch, mirrors[1:])

# %% pool-1 wrong: five by five
# cause: It asks in batches of five, and a whole batch must be answered before the next request is sent; one slow page keeps four connections idle.
# line: for start in range(0, len(pages), 5): | names += await asyncio.gather(*(name(page) for page in pages[start:start + 5]))
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    pages = list(pages)

    async def name(page):
        response = await client.get(page)
        return response.json()["name"]

    names = []
    for start in range(0, len(pages), 5):
        names += await asyncio.gather(*(name(page) for page in pages[start:start + 5]))
    return names

# %% pool-1 wrong: names by page
# cause: The names are kept in a dict by page; a page that is in `pages` twice comes only once in the list.
# line: names = dict.fromkeys(pages) | return list(names.values())
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    pages = list(pages)
    names = dict.fromkeys(pages)
    places = asyncio.Semaphore(5)

    async def ask(page):
        async with places:
            response = await client.get(page)
        names[page] = response.json()["name"]

    async with asyncio.TaskGroup() as group:
        for page in pages:
            group.create_task(ask(page))
    return list(names.values())

# %% pool-1 right: five workers share an enumerator
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    left = enumerate(pages)
    found = []

    async def worker():
        for number, page in left:
            response = await client.get(page)
            found.append((number, response.json()["name"]))

    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(worker())
    return [name for _, name in sorted(found, key=lambda pair: pair[0])]

# %% one-client-1 wrong: closed only after success
# cause: `aclose` is reached only if every page came; if a page fails, or the task is cancelled, the client stays open.
# line: await client.aclose()
import httpx


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    client = httpx.AsyncClient()
    url = base_url + "/api/v2/pokemon?limit=40"
    names = []
    while url is not None:
        response = await client.get(url)
        response.raise_for_status()
        page = response.json()
        names.extend(entry["name"] for entry in page["results"])
        url = page["next"]
    await client.aclose()
    return names

# %% one-client-1 wrong: an empty page ends it
# cause: A page without entries is taken for the end, though its "next" names a further page; what comes after it is lost.
# line: while page["results"]:
import httpx


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    async with httpx.AsyncClient() as client:

        async def get(url):
            response = await client.get(url)
            response.raise_for_status()
            return response.json()

        page = await get(base_url + "/api/v2/pokemon?limit=40")
        names = []
        while page["results"]:
            names += [entry["name"] for entry in page["results"]]
            if page["next"] is None:
                break
            page = await get(page["next"])
        return names

# %% one-client-1 right: an async generator and a comprehension
import httpx
from contextlib import aclosing


async def _pages(client, url):
    while url is not None:
        response = (await client.get(url)).raise_for_status()
        page = response.json()
        yield page["results"]
        url = page["next"]


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    async with (
        httpx.AsyncClient() as client,
        aclosing(_pages(client, f"{base_url}/api/v2/pokemon?limit=40")) as pages,
    ):
        return [entry["name"] async for entries in pages for entry in entries]

# %% retry-1 wrong: a POST's status is not looked at
# cause: A POST is rightly sent once only, but its response is returned whatever its status; a 503 or a 404 does not come out as an error.
# line: return await client.request(method, page)
import asyncio
import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    if method == "POST":
        return await client.request(method, page)
    for pause in (0.1, 0.2, 0.4, None):
        try:
            response = await client.request(method, page)
            response.raise_for_status()
            return response
        except httpx.TransportError:
            if pause is None:
                raise
        except httpx.HTTPStatusError as error:
            if pause is None or error.response.status_code != 503:
                raise
        await asyncio.sleep(pause)

# %% retry-1 wrong: only some of the transport errors
# cause: The `except` is too narrow: it knows ConnectError and the timeouts, but a ReadError or a RemoteProtocolError is a TransportError too and should be tried again.
# line: except (httpx.ConnectError, httpx.TimeoutException) as problem:
import asyncio
import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    tries = 1 if method == "POST" else 4
    for attempt in range(tries):
        if attempt > 0:
            await asyncio.sleep(0.1 * 2 ** (attempt - 1))
        try:
            response = await client.request(method, page)
        except (httpx.ConnectError, httpx.TimeoutException) as problem:
            error = problem
            continue
        try:
            response.raise_for_status()
            return response
        except httpx.HTTPStatusError as problem:
            error = problem
            if response.status_code != 503:
                break
    raise error

# %% retry-1 right: an iterator of pauses and a match
import asyncio
import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    pauses = iter(() if method == "POST" else (0.1, 0.2, 0.4))
    while True:
        try:
            response = await client.request(method, page)
            match response.status_code:
                case 200:
                    return response
                case status:
                    response.raise_for_status()
                    raise AssertionError(f"unexpected status {status}")
        except (httpx.TransportError, httpx.HTTPStatusError) as error:
            if isinstance(error, httpx.HTTPStatusError) and error.response.status_code != 503:
                raise
            pause = next(pauses, None)
            if pause is None:
                raise
        await asyncio.sleep(pause)

# %% jitter-1 wrong: bound computed before it is limited
# cause: For attempt 2,000 the number 2 ** 2000 is too large for a float: 0.1 * 2 ** attempt raises an OverflowError before `min` is asked.
# line: return random.uniform(0, min(2, 0.1 * 2 ** attempt))
import random


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    return random.uniform(0, min(2, 0.1 * 2 ** attempt))

# %% jitter-1 wrong: limited after the draw
# cause: The length is drawn from too large a range and then cut off; of the later attempts most wait exactly 2 s, all together, instead of every length being equally likely.
# line: return min(2.0, length)
import random


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    length = random.uniform(0, 0.1 * 2 ** min(attempt, 10))
    return min(2.0, length)

# %% jitter-1 right: a table of bounds
import random

_BOUNDS = (0.1, 0.2, 0.4, 0.8, 1.6)


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    try:
        bound = _BOUNDS[attempt]
    except IndexError:
        bound = 2.0
    return random.random() * bound

# %% mirrors-1 wrong: seconds for each
# cause: Each mirror gets min(1, seconds) anew; nothing limits all together, so five slow mirrors take up to five seconds.
# line: async with asyncio.timeout(min(1, seconds)):
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    for mirror in mirrors:
        try:
            async with asyncio.timeout(min(1, seconds)):
                return await fetch(mirror)
        except (httpx.TransportError, TimeoutError) as problem:
            error = problem
    raise error

# %% mirrors-1 wrong: always a TimeoutError at the end
# cause: If the last mirror fails with a TransportError, that error is to come out; here it's swallowed, and a TimeoutError is raised although nobody was too slow.
# line: raise TimeoutError("no mirror answered")
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    async with asyncio.timeout(seconds):
        for mirror in mirrors:
            try:
                return await asyncio.wait_for(fetch(mirror), 1)
            except (httpx.TransportError, TimeoutError):
                continue
        raise TimeoutError("no mirror answered")

# %% mirrors-1 right: asyncio.wait and the time that is left
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    now = asyncio.get_running_loop().time
    end = now() + seconds
    error = None
    for mirror in mirrors:
        left = end - now()
        if left <= 0:
            raise TimeoutError
        task = asyncio.ensure_future(fetch(mirror))
        try:
            done, _ = await asyncio.wait([task], timeout=min(1, left))
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
        if done:
            try:
                return task.result()
            except httpx.TransportError as problem:
                error = problem
        else:
            error = TimeoutError()
            if left <= 1:
                break
    raise error

# %% retry-after-1 wrong: zero seconds taken for no header
# cause: "Retry-After: 0" means to come back now; `or 1` takes 0 for a missing header and waits a whole second, half a second too late.
# line: pause = int(response.headers.get("Retry-After", 0)) or 1
import asyncio


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    while (response := await client.get(page)).status_code == 429:
        pause = int(response.headers.get("Retry-After", 0)) or 1
        await asyncio.sleep(pause)
    response.raise_for_status()
    return response

# %% retry-after-1 wrong: asks itself again
# cause: Each 429 makes the function call itself once more; after about a thousand of them a RecursionError comes out, though it should ask as often as it takes.
# line: return await ask(client, page)
import asyncio


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    response = await client.get(page)
    if response.status_code == 429:
        await asyncio.sleep(int(response.headers.get("Retry-After", "1")))
        return await ask(client, page)
    response.raise_for_status()
    return response

# %% retry-after-1 right: a match in a loop
import asyncio


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    while True:
        response = await client.get(page)
        match response.status_code, response.headers.get("Retry-After"):
            case 429, None:
                seconds = 1
            case 429, text:
                seconds = int(text)
            case _:
                response.raise_for_status()
                return response
        # a hair later than told, for a timer may fire a hair early
        await asyncio.sleep(seconds + 0.01)

# %% pool-1 wrong: in the order of the answers
# cause: the names are appended as the responses come in, and asyncio.wait gives a set: they are not in the order of `pages`
# line: names.append(task.result() | for task in done:
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    names = []
    pending = set()
    for page in pages:
        if len(pending) == 5:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                names.append(task.result().json()["name"])
        pending.add(asyncio.create_task(client.get(page)))
    for response in await asyncio.gather(*pending):
        names.append(response.json()["name"])
    return names

# %% pool-1 wrong: each worker has its own share
# cause: the pages are dealt out beforehand; a worker that is done with its fifth sends nothing more, though pages of the others are left, so less than five requests are under way
# line: range(first, len(pages), 5)
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    names = [None] * len(pages)

    async def worker(first):
        for i in range(first, len(pages), 5):
            response = await client.get(pages[i])
            names[i] = response.json()["name"]

    async with asyncio.TaskGroup() as group:
        for first in range(5):
            group.create_task(worker(first))
    return names

# %% pool-1 right: five workers share one iterator
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    names = {}
    numbered = enumerate(pages)

    async def worker():
        for number, page in numbered:
            response = await client.get(page)
            names[number] = response.json()["name"]

    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(worker())
    return [names[number] for number in sorted(names)]

# %% one-client-1 wrong: closed after this error and at the end
# cause: any other way out (a cancellation, a connection that fails) passes both closes, and the client stays open; `async with` or finally is missing
# line: except httpx.HTTPStatusError:
import httpx


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    client = httpx.AsyncClient()
    names = []
    url = base_url + "/api/v2/pokemon?limit=40"
    try:
        while url is not None:
            response = await client.get(url)
            response.raise_for_status()
            page = response.json()
            names += [entry["name"] for entry in page["results"]]
            url = page["next"]
    except httpx.HTTPStatusError:
        await client.aclose()
        raise
    await client.aclose()
    return names

# %% one-client-1 wrong: the next address is made up
# cause: the address of the next page is reckoned with offsets of 40 instead of taken from "next", which may be any address
# line: offset += 40
# told: none
import httpx


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    names = []
    offset = 0
    async with httpx.AsyncClient(base_url=base_url) as client:
        while True:
            params = {"limit": 40}
            if offset:
                params["offset"] = offset
            response = await client.get("/api/v2/pokemon", params=params)
            response.raise_for_status()
            page = response.json()
            names.extend(entry["name"] for entry in page["results"])
            if page["next"] is None:
                return names
            offset += 40

# %% one-client-1 right: an async generator of pages, once more
import httpx
from contextlib import aclosing


async def follow(client, url):
    while url:
        response = await client.get(url)
        response.raise_for_status()
        page = response.json()
        yield page["results"]
        url = page["next"]


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    async with (
        httpx.AsyncClient() as client,
        aclosing(follow(client, f"{base_url}/api/v2/pokemon?limit=40")) as pages,
    ):
        return [entry["name"] async for entries in pages for entry in entries]

# %% retry-1 wrong: only a GET is tried again
# cause: only "POST" must not be tried again; a PUT, DELETE or HEAD may, and here their first failure comes out
# line: method == "GET"
import asyncio
import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    delays = [0.1, 0.2, 0.4] if method == "GET" else []
    for delay in delays + [None]:
        try:
            response = await client.request(method, page)
            response.raise_for_status()
            return response
        except httpx.HTTPStatusError as error:
            if error.response.status_code != 503 or delay is None:
                raise
        except httpx.TransportError:
            if delay is None:
                raise
        await asyncio.sleep(delay)

# %% retry-1 wrong: the fourth response is not looked at
# cause: the fourth try returns its response whatever the status is; a 503 (or 404) must come out as an HTTPStatusError
# line: return await client.request(method, page)
import asyncio
import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    if method == "POST":
        response = await client.request(method, page)
        response.raise_for_status()
        return response
    for delay in (0.1, 0.2, 0.4):
        try:
            response = await client.request(method, page)
        except httpx.TransportError:
            pass
        else:
            if response.status_code != 503:
                response.raise_for_status()
                return response
        await asyncio.sleep(delay)
    return await client.request(method, page)

# %% retry-1 right: match on the error
import asyncio
import httpx


def may_pass(error):
    match error:
        case httpx.TransportError():
            return True
        case httpx.HTTPStatusError(response=response):
            return response.status_code == 503
    return False


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    pauses = iter(() if method == "POST" else (0.1, 0.2, 0.4))
    while True:
        try:
            response = await client.request(method, page)
            response.raise_for_status()
            return response
        except httpx.HTTPError as error:
            pause = next(pauses, None)
            if pause is None or not may_pass(error):
                raise
        await asyncio.sleep(pause)

# %% jitter-1 wrong: a number too large for a float
# cause: 2 ** 2000 is multiplied by a float before min() can help: an OverflowError for a client that has tried for long
# line: 0.1 * 2 ** attempt
import random


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    return random.uniform(0, min(2, 0.1 * 2 ** attempt))

# %% jitter-1 wrong: cut off after the draw, once more
# cause: min is applied to the number that was drawn, so from attempt 5 on nearly all lengths are exactly 2 s, not equally likely: the herd stays together
# line: min(2, random.uniform(
import random


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    longest = 0.1 * 2 ** min(attempt, 100)
    return min(2, random.uniform(0, longest))

# %% jitter-1 right: doubled step by step
import random
from itertools import accumulate, repeat

LONGEST = tuple(accumulate(repeat(2, 5), lambda most, _: min(2 * most, 2.0), initial=0.1))


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    try:
        most = LONGEST[attempt]
    except IndexError:
        most = LONGEST[-1]
    return random.random() * most

# %% mirrors-1 wrong: every error of httpx counts
# cause: httpx.HTTPError is wider than TransportError: an HTTPStatusError, say, must come out at once, but here the next mirror is asked
# line: except (httpx.HTTPError, TimeoutError)
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    async with asyncio.timeout(seconds):
        for mirror in mirrors:
            try:
                async with asyncio.timeout(1):
                    return await fetch(mirror)
            except (httpx.HTTPError, TimeoutError) as error:
                last = error
        raise last

# %% mirrors-1 wrong: always a TimeoutError in the end
# cause: if the last mirror fails with a TransportError, this error must come out, not a TimeoutError
# line: raise TimeoutError(
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    async with asyncio.timeout(seconds):
        for mirror in mirrors:
            try:
                return await asyncio.wait_for(fetch(mirror), 1)
            except (httpx.TransportError, asyncio.TimeoutError):
                continue
        raise TimeoutError("no mirror gave the page")

# %% mirrors-1 right: one deadline at a time, errors as values
import asyncio
import httpx


async def outcome(coro):
    try:
        return "page", await coro
    except Exception as error:
        return "error", error


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    clock = asyncio.get_running_loop().time
    end = clock() + seconds
    last = None
    for mirror in mirrors:
        ring = min(clock() + 1, end)
        try:
            async with asyncio.timeout_at(ring):
                found = await outcome(fetch(mirror))
        except TimeoutError as error:       # only ever ours
            if ring == end or clock() >= end:
                raise
            last = error
            continue
        match found:
            case "page", page:
                return page
            case "error", httpx.TransportError() as error:
                last = error
            case "error", error:
                raise error
    raise last

# %% retry-after-1 wrong: zero seconds are taken for nothing
# cause: "0" becomes 0, which is false, and so the client waits for 1 s where it was told to come back now
# line: or 1
import asyncio


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    while True:
        response = await client.get(page)
        if response.status_code != 429:
            response.raise_for_status()
            return response
        await asyncio.sleep(int(response.headers.get("Retry-After", 0)) or 1)

# %% retry-after-1 wrong: ten times at most
# cause: a bound nobody asked for: it shall ask again as often as it takes, but after ten times 429 the error comes out
# line: range(10)
import asyncio


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    for attempt in range(10):
        response = await client.get(page)
        if response.status_code != 429:
            break
        seconds = int(response.headers.get("Retry-After", "1"))
        await asyncio.sleep(seconds + 0.05)
    response.raise_for_status()
    return response

# %% retry-after-1 right: match on the response
import asyncio


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    while True:
        response = await client.get(page)
        match response.status_code, response.headers.get("Retry-After"):
            case 200, _:
                return response
            case 429, None:
                await asyncio.sleep(1.02)
            case 429, seconds:
                await asyncio.sleep(float(seconds) + 0.02)
            case _:
                response.raise_for_status()
                return response

# %% mirrors-1 wrong: a late fetch is not awaited
# cause: a fetch that takes too long is cancelled, and nobody waits until it has ended
# line: task.cancel() | task = asyncio.
import asyncio, httpx


async def from_mirrors(fetch, mirrors, seconds):
    async with asyncio.timeout(seconds):
        last = None
        for mirror in mirrors:
            task = asyncio.ensure_future(fetch(mirror))
            try:
                done, _ = await asyncio.wait([task], timeout=1)
            except asyncio.CancelledError:
                task.cancel()
                raise
            if not done:
                task.cancel()
                last = TimeoutError()
                continue
            try:
                return task.result()
            except httpx.TransportError as error:
                last = error
        raise last

# %% pool-1 wrong: five by five, again
# cause: The next five are sent only when all of the five before have been answered; one slow page keeps four places empty.
# line: for start in range(0, len(pages), 5): | await asyncio.gather(
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    names = []
    for start in range(0, len(pages), 5):
        responses = await asyncio.gather(
            *(client.get(page) for page in pages[start:start + 5])
        )
        names += [response.json()["name"] for response in responses]
    return names

# %% pool-1 wrong: in the order of arrival
# cause: The names are appended when they come: a quick page overtakes a slow one, and the list is not in the order of the pages.
# line: names.append(response.json()["name"])
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    places = asyncio.Semaphore(5)
    names = []

    async def one(page):
        async with places:
            response = await client.get(page)
        names.append(response.json()["name"])

    async with asyncio.TaskGroup() as group:
        for page in pages:
            group.create_task(one(page))
    return names

# %% pool-1 right: five workers share an iterator
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    numbered = enumerate(pages)
    names = {}

    async def work():
        for place, page in numbered:
            response = await client.get(page)
            names[place] = response.json()["name"]

    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(work())
    return [names[place] for place in sorted(names)]

# %% one-client-1 wrong: closed after one kind of error only
# cause: If all_names is cancelled, or the connection fails, the client stays open: only the HTTPStatusError is thought of. Use `async with`.
# line: except httpx.HTTPStatusError:
import httpx


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    client = httpx.AsyncClient()
    names = []
    url = base_url + "/api/v2/pokemon?limit=40"
    try:
        while url is not None:
            response = await client.get(url)
            response.raise_for_status()
            page = response.json()
            names += [entry["name"] for entry in page["results"]]
            url = page["next"]
    except httpx.HTTPStatusError:
        await client.aclose()
        raise
    await client.aclose()
    return names

# %% one-client-1 wrong: a client for each page, again
# cause: Each page makes a client of its own, where one was asked for.
# line: async with httpx.AsyncClient() as client:
import httpx


async def read(url):
    async with httpx.AsyncClient() as client:
        response = await client.get(url)
    response.raise_for_status()
    return response.json()


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    names = []
    url = base_url + "/api/v2/pokemon?limit=40"
    while url:
        page = await read(url)
        names.extend(entry["name"] for entry in page["results"])
        url = page["next"]
    return names

# %% one-client-1 right: an async generator of pages, again
import httpx
from contextlib import AsyncExitStack


async def pages(client, url):
    while url is not None:
        response = await client.get(url)
        response.raise_for_status()
        page = response.json()
        yield page
        url = page["next"]


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(httpx.AsyncClient())
        first = base_url + "/api/v2/pokemon?limit=40"
        return [
            entry["name"]
            async for page in pages(client, first)
            for entry in page["results"]
        ]

# %% retry-1 wrong: HTTPError is too wide
# cause: An HTTPStatusError is an HTTPError too: a 404 is tried four times, though it does not pass.
# line: except httpx.HTTPError:
import asyncio
import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    for wait in (0.1, 0.2, 0.4, None):
        try:
            response = await client.request(method, page)
            response.raise_for_status()
            return response
        except httpx.HTTPError:
            if wait is None or method == "POST":
                raise
        await asyncio.sleep(wait)

# %% retry-1 wrong: a POST is tried again after a lost connection
# cause: Only the 503 is spared for a POST; after a TransportError it is sent again, though it may have been done already.
# line: except httpx.TransportError:
import asyncio
import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    for attempt in range(4):
        try:
            response = await client.request(method, page)
        except httpx.TransportError:
            if attempt == 3:
                raise
        else:
            if response.status_code == 200:
                return response
            if response.status_code != 503 or method == "POST" or attempt == 3:
                response.raise_for_status()
        await asyncio.sleep(0.1 * 2 ** attempt)

# %% retry-1 right: match, and a list of pauses
import asyncio
import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    pauses = [] if method == "POST" else [0.4, 0.2, 0.1]
    while True:
        try:
            response = await client.request(method, page)
            match response.status_code:
                case 200:
                    return response
                case 503 if pauses:
                    pass
                case _:
                    response.raise_for_status()
        except httpx.TransportError:
            if not pauses:
                raise
        await asyncio.sleep(pauses.pop())

# %% jitter-1 wrong: too large a number
# cause: For attempt 2,000 the power is too large for a float: 0.1 * 2 ** 2000 is an OverflowError, before `min` can help. Limit the exponent.
# line: 0.1 * 2 ** attempt
import random


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    return random.uniform(0, min(2, 0.1 * 2 ** attempt))

# %% jitter-1 wrong: cut off after the dice
# cause: The random number is cut off, not the limit: for late attempts nearly all clients wait exactly 2 s, and the herd is together again.
# line: return min(2, random.uniform(0, longest))
import random


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    longest = 0.1 * 2 ** min(attempt, 100)
    return min(2, random.uniform(0, longest))

# %% jitter-1 right: a table
import random

LONGEST = (0.1, 0.2, 0.4, 0.8, 1.6)


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    try:
        longest = LONGEST[attempt]
    except IndexError:
        longest = 2.0
    return longest * random.random()

# %% mirrors-1 wrong: the clock is read between the mirrors only
# cause: A mirror that is begun shortly before the end still gets its whole second: all together may take up to a second too long.
# line: async with asyncio.timeout(1): | if clock() > end:
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    clock = asyncio.get_running_loop().time
    end = clock() + seconds
    last = None
    for mirror in mirrors:
        if clock() > end:
            raise TimeoutError("no time left")
        try:
            async with asyncio.timeout(1):
                return await fetch(mirror)
        except (httpx.TransportError, TimeoutError) as error:
            last = error
    raise last

# %% mirrors-1 wrong: the name of the error is gone
# cause: `error` is deleted at the end of the except block: where the last mirror fails, an UnboundLocalError comes out instead of its error.
# line: raise error
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    async with asyncio.timeout(seconds):
        for mirror in mirrors:
            try:
                return await asyncio.wait_for(fetch(mirror), 1)
            except (httpx.TransportError, TimeoutError) as error:
                continue
        raise error

# %% mirrors-1 right: first all but the last
import asyncio
from contextlib import suppress
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    async def try_one(mirror):
        async with asyncio.timeout(1):
            return await fetch(mirror)

    *others, last = mirrors
    async with asyncio.timeout(seconds):
        for mirror in others:
            with suppress(httpx.TransportError, TimeoutError):
                return await try_one(mirror)
        return await try_one(last)

# %% retry-after-1 wrong: 0 is taken for missing
# cause: `or 1` also replaces a "Retry-After: 0": then it waits a whole second, where it should be back after half a second at most.
# line: int(response.headers.get("Retry-After", 0)) or 1
import asyncio


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    while True:
        response = await client.get(page)
        if response.status_code == 200:
            return response
        if response.status_code != 429:
            response.raise_for_status()
        await asyncio.sleep(int(response.headers.get("Retry-After", 0)) or 1)

# %% retry-after-1 wrong: ten times and no more
# cause: It is to ask as often as it takes; here the tenth 429 is raised as an error.
# line: for _ in range(10):
import asyncio


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    for _ in range(10):
        response = await client.get(page)
        if response.status_code == 200:
            return response
        if response.status_code != 429:
            response.raise_for_status()
        await asyncio.sleep(int(response.headers.get("Retry-After", "1")) + 0.1)
    response.raise_for_status()

# %% retry-after-1 right: match, and a little later
import asyncio


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    response = await client.get(page)
    while response.status_code != 200:
        match response.status_code, response.headers.get("Retry-After"):
            case 429, None:
                wait = 1
            case 429, text:
                wait = int(text)
            case _:
                response.raise_for_status()
        await asyncio.sleep(wait + 0.05)
        response = await client.get(page)
    return response

# %% mirrors-1 wrong: no deadline for the whole
# cause: each mirror has its second, and all together have as many seconds as there are mirrors
# line: asyncio.timeout(1)
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    for mirror in mirrors:
        try:
            async with asyncio.timeout(1):
                return await fetch(mirror)
        except (TimeoutError, httpx.TransportError) as error:
            last = error
    raise last

# %% mirrors-1 wrong: catches every httpx error
# cause: HTTPError is wider than TransportError: an HTTPStatusError doesn't come out
# line: except (TimeoutError, httpx.HTTPError)
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    async with asyncio.timeout(seconds):
        for mirror in mirrors:
            try:
                return await asyncio.wait_for(fetch(mirror), 1)
            except (TimeoutError, httpx.HTTPError) as error:
                last = error
        raise last

# %% mirrors-1 wrong: returns None in the end
# cause: when the last one fails, nothing comes out: it returns None
# line: continue | except httpx.TransportError | except (TimeoutError, httpx.TransportError)
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    async with asyncio.timeout(seconds):
        for mirror in mirrors:
            try:
                async with asyncio.timeout(1):
                    return await fetch(mirror)
            except (TimeoutError, httpx.TransportError):
                continue

# %% mirrors-1 wrong: skips empty pages
# cause: an empty page is a page; it is taken for none and the next mirror is asked
# line: if page
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    async with asyncio.timeout(seconds):
        last = None
        for mirror in mirrors:
            try:
                async with asyncio.timeout(1):
                    page = await fetch(mirror)
                    if page:
                        return page
            except (TimeoutError, httpx.TransportError) as error:
                last = error
        if last:
            raise last
        return page

# %% pool-1 wrong: in batches of five
# cause: the next five are sent only when all five before are answered
# line: await asyncio.gather( | for start in range(0, len(pages), 5):
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    names = []
    for start in range(0, len(pages), 5):
        responses = await asyncio.gather(
            *(client.get(page) for page in pages[start : start + 5])
        )
        names.extend(response.json()["name"] for response in responses)
    return names

# %% pool-1 wrong: names in the order of arrival
# cause: the workers append the names as the answers come, not in the order of the pages
# line: names.append(
import asyncio


async def fetch_names(client, pages):
    names = []
    todo = iter(pages)

    async def worker():
        for page in todo:
            response = await client.get(page)
            names.append(response.json()["name"])

    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(worker())
    return names

# %% pool-1 wrong: each request has a semaphore of its own
# cause: the semaphore is made anew for each page, so all requests are sent at once
# line: semaphore = asyncio.Semaphore(5)
import asyncio


async def fetch_name(client, page: str) -> str:
    semaphore = asyncio.Semaphore(5)
    async with semaphore:
        response = await client.get(page)
        return response.json()["name"]


async def fetch_names(client, pages) -> list[str]:
    """Return the names that the pages give, in order; five requests at once."""
    return await asyncio.gather(*[fetch_name(client, page) for page in pages])

# %% pool-1 right: workers that share an iterator
import asyncio


async def fetch_names(client, pages):
    names = {}
    todo = enumerate(pages)

    async def worker():
        for place, page in todo:
            names[place] = (await client.get(page)).json()["name"]

    await asyncio.gather(*(worker() for _ in range(5)))
    return [names[place] for place in sorted(names)]

# %% pool-1 right: wait for the first that is done
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    tasks, flying = [], set()
    try:
        for page in pages:
            if len(flying) == 5:
                _, flying = await asyncio.wait(
                    flying, return_when=asyncio.FIRST_COMPLETED
                )
            tasks.append(asyncio.create_task(client.get(page)))
            flying.add(tasks[-1])
        return [(await task).json()["name"] for task in tasks]
    finally:
        for task in tasks:
            task.cancel()

# %% one-client-1 wrong: a client for each page, once more
# cause: each page makes and closes a client of its own, instead of one for all
# line: async with httpx.AsyncClient() as client:
import httpx


async def load(url):
    async with httpx.AsyncClient() as client:
        response = await client.get(url)
    response.raise_for_status()
    return response.json()


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    names = []
    url = base_url + "/api/v2/pokemon?limit=40"
    while url is not None:
        page = await load(url)
        names.extend(entry["name"] for entry in page["results"])
        url = page["next"]
    return names

# %% one-client-1 wrong: an error leaves the client open
# cause: if a page fails, aclose is never reached, and the client stays open
# line: await client.aclose() | client = httpx.AsyncClient() | none
import httpx


async def all_names(base_url):
    client = httpx.AsyncClient()
    names = []
    url = f"{base_url}/api/v2/pokemon?limit=40"
    while url:
        response = await client.get(url)
        response.raise_for_status()
        match response.json():
            case {"results": entries, "next": url}:
                names += [entry["name"] for entry in entries]
    await client.aclose()
    return names

# %% one-client-1 wrong: the last page is left out
# cause: on the last page "next" is None, so the loop ends before its names are taken
# line: while page["next"]: | return names
import httpx


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    async with httpx.AsyncClient(base_url=base_url) as client:

        async def load(address):
            return (await client.get(address)).raise_for_status().json()

        names = []
        page = await load("/api/v2/pokemon?limit=40")
        while page["next"]:
            for entry in page["results"]:
                names.append(entry["name"])
            page = await load(page["next"])
        return names

# %% one-client-1 right: an async generator
import httpx


async def entries(client, url):
    while url:
        response = await client.get(url)
        page = response.raise_for_status().json()
        for entry in page["results"]:
            yield entry
        url = page["next"]


async def all_names(base_url):
    async with httpx.AsyncClient() as client:
        url = base_url + "/api/v2/pokemon?limit=40"
        return [entry["name"] async for entry in entries(client, url)]

# %% one-client-1 wrong: a recursion
# cause: names_from calls itself for each further page, so a list of a thousand pages is too deep
# line: return here + await names_from(page["next"])
import httpx


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    client = httpx.AsyncClient()

    async def names_from(url):
        if url is None:
            return []
        response = await client.get(url)
        response.raise_for_status()
        page = response.json()
        here = [entry["name"] for entry in page["results"]]
        return here + await names_from(page["next"])

    try:
        return await names_from(base_url + "/api/v2/pokemon?limit=40")
    finally:
        await client.aclose()

# %% retry-1 wrong: a POST that gets a 503 is sent again
# cause: only the TransportError of a POST comes out at once; after a 503 the POST is tried again
# line: if response.status_code != 503 or pause is None: | if response.status_code != 503
import asyncio

import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    for pause in (0.1, 0.2, 0.4, None):
        try:
            response = await client.request(method, page)
        except httpx.TransportError:
            if method == "POST" or pause is None:
                raise
        else:
            if response.status_code != 503 or pause is None:
                return response.raise_for_status()
        await asyncio.sleep(pause)

# %% retry-1 wrong: tries again after any 5xx
# cause: a 500 does not pass, but is tried again like a 503
# line: >= 500
import asyncio

import httpx


def may_pass(error):
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code >= 500
    return isinstance(error, httpx.TransportError)


async def ask(client, method, page):
    tries = 1 if method == "POST" else 4
    attempt = 0
    while True:
        attempt += 1
        try:
            response = await client.request(method, page)
            response.raise_for_status()
            return response
        except httpx.HTTPError as error:
            if attempt == tries or not may_pass(error):
                raise
        await asyncio.sleep(0.1 * 2 ** (attempt - 1))

# %% retry-1 wrong: the last 503 is returned
# cause: if the fourth try gives a 503 as well, the response is returned instead of its error raised
# line: return response
import asyncio

import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    last = 0 if method == "POST" else 3
    for attempt in range(last + 1):
        if attempt:
            await asyncio.sleep(0.05 * 2**attempt)
        try:
            response = await client.request(method, page)
        except httpx.TransportError:
            if attempt == last:
                raise
            continue
        if response.status_code != 503 or method == "POST":
            response.raise_for_status()
            break
    return response

# %% retry-1 right: the pauses are a list that is used up
import asyncio

import httpx


async def ask(client, method, page):
    pauses = [] if method == "POST" else [0.4, 0.2, 0.1]
    while True:
        try:
            return (await client.request(method, page)).raise_for_status()
        except httpx.HTTPStatusError as error:
            if error.response.status_code != 503 or not pauses:
                raise
        except httpx.TransportError:
            if not pauses:
                raise
        await asyncio.sleep(pauses.pop())

# %% retry-1 right: recursion
import asyncio

import httpx


async def ask(client, method, page, pause=0.1):
    """Return the response; try again what may pass and may be done twice."""
    again = method != "POST" and pause < 0.5
    try:
        response = await client.request(method, page)
        if response.status_code != 503 or not again:
            response.raise_for_status()
            return response
    except httpx.TransportError:
        if not again:
            raise
    await asyncio.sleep(pause)
    return await ask(client, method, page, 2 * pause)

# %% jitter-1 wrong: a power that no float can hold
# cause: 0.1 * 2**2000 is too large for a float: OverflowError, before min can limit it
# line: 0.1 * 2**attempt
import random


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    return random.uniform(0, min(2, 0.1 * 2**attempt))

# %% jitter-1 wrong: cuts off the random number
# cause: the drawn number is capped, not its range: most late pauses are exactly 2 s, not equally likely
# line: return min(seconds, 2.0) | random.uniform(0, longest)
import random


def pause(attempt: int) -> float:
    longest = 0.1
    for _ in range(min(attempt, 100)):
        longest *= 2
    seconds = random.uniform(0, longest)
    return min(seconds, 2.0)

# %% jitter-1 wrong: at least half of the pause
# cause: the number lies between half and the whole, not between 0 and the whole
# line: longest / 2
import random


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    longest = 2 if attempt > 4 else 0.1 * 2**attempt
    return longest / 2 + random.random() * longest / 2

# %% jitter-1 right: from a table
import random

LONGEST = 0.1, 0.2, 0.4, 0.8, 1.6, 2.0


def pause(attempt):
    return LONGEST[min(attempt, 5)] * random.random()

# %% jitter-1 right: doubles until it is enough
import random


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    longest = 0.1
    while attempt and longest < 2:
        longest, attempt = longest * 2, attempt - 1
    if longest > 2:
        longest = 2
    return random.uniform(0, longest)

# %% mirrors-1 wrong: a slow mirror ends it all
# cause: the TimeoutError of a mirror that is not the last is not caught, so the next is never asked
# line: except httpx.TransportError: | async with asyncio.timeout(1):
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    async with asyncio.timeout(seconds):
        for number, mirror in enumerate(mirrors, 1):
            try:
                async with asyncio.timeout(1):
                    return await fetch(mirror)
            except httpx.TransportError:
                if number == len(mirrors):
                    raise

# %% mirrors-1 wrong: looks at the clock only between the mirrors
# cause: the time for all is checked before each mirror only; the one that is being asked may overrun it
# line: if loop.time() >= end: | await asyncio.wait_for(fetch(mirror), 1)
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    failure = None
    for mirror in mirrors:
        if loop.time() >= end:
            raise TimeoutError
        try:
            return await asyncio.wait_for(fetch(mirror), 1)
        except (httpx.TransportError, asyncio.TimeoutError) as error:
            failure = error
    raise failure

# %% mirrors-1 wrong: catches every error
# cause: any error leads to the next mirror, also one that is neither a TransportError nor a timeout
# line: except Exception as error:
import asyncio

import httpx


async def ask_one(fetch, mirror):
    async with asyncio.timeout(1):
        return await fetch(mirror)


async def ask_all(fetch, mirrors):
    last = None
    for mirror in mirrors:
        try:
            return await ask_one(fetch, mirror)
        except Exception as error:
            last = error
    raise last


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    return await asyncio.wait_for(ask_all(fetch, mirrors), timeout=seconds)

# %% mirrors-1 right: the last one outside the try
import asyncio
from contextlib import suppress

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    async def ask(mirror):
        async with asyncio.timeout(1):
            return await fetch(mirror)

    *others, last = mirrors
    async with asyncio.timeout(seconds):
        for mirror in others:
            with suppress(httpx.TransportError, TimeoutError):
                return await ask(mirror)
        return await ask(last)

# %% mirrors-1 wrong: a recursion
# cause: ask calls itself for each further mirror, so a thousand mirrors are too deep
# line: return await ask(*others)
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""

    async def ask(mirror, *others):
        try:
            async with asyncio.timeout(1):
                return await fetch(mirror)
        except (httpx.TransportError, TimeoutError):
            if not others:
                raise
        return await ask(*others)

    async with asyncio.timeout(seconds):
        return await ask(*mirrors)

# %% retry-after-1 wrong: doesn't wait without the header
# cause: without the header it waits 0 s instead of 1 s
# line: response.headers.get("Retry-After", 0)
import asyncio


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    while True:
        response = await client.get(page)
        if response.status_code != 429:
            response.raise_for_status()
            return response
        seconds = int(response.headers.get("Retry-After", 0))
        await asyncio.sleep(seconds)

# %% retry-after-1 wrong: gives up after ten tries
# cause: it asks ten times at most, not as often as it takes
# line: range(10)
import asyncio


async def ask(client, page):
    for _ in range(10):
        response = await client.get(page)
        if response.status_code != 429:
            break
        if "Retry-After" in response.headers:
            pause = float(response.headers["Retry-After"])
        else:
            pause = 1.0
        await asyncio.sleep(pause)
    return response.raise_for_status()

# %% retry-after-1 wrong: a second more, to be safe
# cause: it comes back a second later than told; half a second is the most
# line: await asyncio.sleep(told(response) + 1)
import asyncio


def told(response) -> int:
    try:
        return int(response.headers["Retry-After"])
    except KeyError:
        return 1


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    while (response := await client.get(page)).status_code == 429:
        await asyncio.sleep(told(response) + 1)  # to be on the safe side
    response.raise_for_status()
    return response

# %% retry-after-1 right: by the exception
import asyncio

import httpx


async def ask(client, page):
    while True:
        response = await client.get(page)
        try:
            return response.raise_for_status()
        except httpx.HTTPStatusError as error:
            if error.response.status_code != 429:
                raise
        await asyncio.sleep(int(response.headers.get("retry-after") or 1))

# %% retry-after-1 right: match, and a little later, again
import asyncio
import random


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    while True:
        response = await client.get(page)
        match response.status_code, response.headers.get("Retry-After"):
            case 429, None:
                pause = 1
            case 429, text:
                pause = int(text)
            case _:
                return response.raise_for_status()
        await asyncio.sleep(pause + random.uniform(0, 0.2))

# %% pool-1 wrong: five by five, again
# cause: the next five are sent only when all five before them are answered
# line: responses = await asyncio.gather(*map(client.get, pages[start:start + 5])) | for start in range(0, len(pages), 5):
import asyncio


async def fetch_names(client, pages):
    names = []
    for start in range(0, len(pages), 5):
        responses = await asyncio.gather(*map(client.get, pages[start:start + 5]))
        names.extend(response.json()["name"] for response in responses)
    return names

# %% pool-1 wrong: awaits outside of the semaphore
# cause: the request is only made a coroutine under the semaphore, and sent outside of it
# line: response = await request
import asyncio


async def fetch_names(client, pages):
    semaphore = asyncio.Semaphore(5)

    async def one(page):
        async with semaphore:
            request = client.get(page)
        response = await request
        return response.json()["name"]

    return await asyncio.gather(*(one(page) for page in pages))

# %% pool-1 right: five workers and one iterator
import asyncio


async def fetch_names(client, pages):
    names = [None] * len(pages)
    numbered = iter(enumerate(pages))

    async def worker():
        for index, page in numbered:
            response = await client.get(page)
            names[index] = response.json()["name"]

    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(worker())
    return names

# %% one-client-1 wrong: left open after an error
# cause: when a page fails the client is not closed
# line: await client.aclose()
import httpx


async def all_names(base_url):
    client = httpx.AsyncClient()
    names = []
    url = base_url + "/api/v2/pokemon?limit=40"
    while url:
        response = await client.get(url)
        response.raise_for_status()
        page = response.json()
        names += [entry["name"] for entry in page["results"]]
        url = page["next"]
    await client.aclose()
    return names

# %% one-client-1 wrong: a client for each page, again
# cause: each page makes a client of its own
# line: async with httpx.AsyncClient() as client:
import httpx


async def all_names(base_url):
    names = []
    url = base_url + "/api/v2/pokemon?limit=40"
    while url:
        async with httpx.AsyncClient() as client:
            response = await client.get(url)
        response.raise_for_status()
        page = response.json()
        names += [entry["name"] for entry in page["results"]]
        url = page["next"]
    return names

# %% one-client-1 right: try and finally
import httpx


async def all_names(base_url):
    client = httpx.AsyncClient()
    try:
        names, url = [], f"{base_url}/api/v2/pokemon?limit=40"
        while url is not None:
            response = await client.get(url)
            response.raise_for_status()
            page = response.json()
            names.extend(entry["name"] for entry in page["results"])
            url = page["next"]
        return names
    finally:
        await client.aclose()

# %% retry-1 wrong: a POST after a transport error
# cause: a POST is tried again after a TransportError
# line: if attempt == 3: | except httpx.TransportError:
import asyncio

import httpx


async def ask(client, method, page):
    for attempt in range(4):
        try:
            response = await client.request(method, page)
        except httpx.TransportError:
            if attempt == 3:
                raise
        else:
            if response.status_code != 503 or method == "POST" or attempt > 2:
                response.raise_for_status()
                return response
        await asyncio.sleep(0.1 * 2 ** attempt)

# %% retry-1 wrong: tries again after every error
# cause: a 404 is tried again too, because HTTPError includes HTTPStatusError
# line: except httpx.HTTPError:
import asyncio

import httpx


async def ask(client, method, page):
    for attempt in range(4):
        try:
            response = await client.request(method, page)
            response.raise_for_status()
            return response
        except httpx.HTTPError:
            if method == "POST" or attempt == 3:
                raise
        await asyncio.sleep(0.1 * 2 ** attempt)

# %% retry-1 right: a tuple of pauses
import asyncio

import httpx


async def ask(client, method, page):
    pauses = () if method == "POST" else (0.1, 0.2, 0.4)
    for pause in pauses:
        try:
            response = await client.request(method, page)
        except httpx.TransportError:
            pass
        else:
            if response.status_code != 503:
                response.raise_for_status()
                return response
        await asyncio.sleep(pause)
    response = await client.request(method, page)
    response.raise_for_status()
    return response

# %% jitter-1 wrong: overflows
# cause: for attempt 2,000 the power is too large for a float: OverflowError
# line: return random.uniform(0, min(2, 0.1 * 2 ** attempt))
import random


def pause(attempt):
    return random.uniform(0, min(2, 0.1 * 2 ** attempt))

# %% jitter-1 wrong: cuts the random number
# cause: the limit is applied to the random number, so most pauses are exactly 2 s
# line: return min(2, random.uniform(0, longest))
import random


def pause(attempt):
    longest = 0.1 * 2 ** min(attempt, 30)
    return min(2, random.uniform(0, longest))

# %% jitter-1 right: a table, again
import random


def pause(attempt):
    table = (0.1, 0.2, 0.4, 0.8, 1.6, 2.0)
    return random.random() * table[min(attempt, 5)]

# %% mirrors-1 wrong: the last error is lost
# cause: if the last mirror fails with a TransportError, a TimeoutError comes out instead of it
# line: raise TimeoutError("no mirror answered")
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    async with asyncio.timeout(seconds):
        for mirror in mirrors:
            try:
                return await asyncio.wait_for(fetch(mirror), 1)
            except (httpx.TransportError, TimeoutError):
                continue
        raise TimeoutError("no mirror answered")

# %% mirrors-1 wrong: the whole is looked at in between
# cause: the deadline for all is tested only before each mirror, which then has its full second
# line: if loop.time() >= end: | return await asyncio.wait_for(fetch(mirror), 1)
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    last = None
    for mirror in mirrors:
        if loop.time() >= end:
            raise TimeoutError
        try:
            return await asyncio.wait_for(fetch(mirror), 1)
        except (httpx.TransportError, TimeoutError) as error:
            last = error
    raise last

# %% mirrors-1 right: a task and asyncio.wait
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    clock = asyncio.get_running_loop().time
    end = clock() + seconds
    failure = None
    for mirror in mirrors:
        left = end - clock()
        if left <= 0:
            raise TimeoutError
        task = asyncio.ensure_future(fetch(mirror))
        try:
            await asyncio.wait([task], timeout=min(1, left))
            if task.done():
                return task.result()
            failure = TimeoutError()
        except httpx.TransportError as error:
            failure = error
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
    raise failure

# %% retry-after-1 wrong: gives up after five
# cause: after five 429 it stops and returns None, though it should ask as often as it takes
# line: for _ in range(5):
import asyncio


async def ask(client, page):
    for _ in range(5):
        response = await client.get(page)
        if response.status_code != 429:
            response.raise_for_status()
            return response
        await asyncio.sleep(int(response.headers.get("Retry-After", 1)))

# %% retry-after-1 wrong: waits whenever there is a header
# cause: a 503 with the header Retry-After is tried again, though its error should come out at once
# line: if "Retry-After" in response.headers:
import asyncio


async def ask(client, page):
    while True:
        response = await client.get(page)
        if "Retry-After" in response.headers:
            await asyncio.sleep(int(response.headers["Retry-After"]))
        elif response.status_code == 429:
            await asyncio.sleep(1)
        else:
            response.raise_for_status()
            return response

# %% retry-after-1 right: the answer first
import asyncio


async def ask(client, page):
    response = await client.get(page)
    while response.status_code == 429:
        try:
            told = response.headers["Retry-After"]
        except KeyError:
            told = "1"
        await asyncio.sleep(float(told))
        response = await client.get(page)
    response.raise_for_status()
    return response

# %% pool-1 wrong: deals the pages out beforehand
# cause: each worker has its own share of the pages, so one that is through stands idle while another has pages left
# line: for place in range(start, len(pages), 5):
import asyncio


async def fetch_names(client, pages):
    names = [None] * len(pages)

    async def worker(start):
        for place in range(start, len(pages), 5):
            response = await client.get(pages[place])
            names[place] = response.json()["name"]

    await asyncio.gather(*(worker(start) for start in range(5)))
    return names

# %% pool-1 wrong: a dict by page
# cause: a page that is asked for twice is one key of the dict, so its name comes only once
# line: names = dict.fromkeys(pages) | return list(names.values())
import asyncio


async def fetch_names(client, pages):
    names = dict.fromkeys(pages)
    free = asyncio.Semaphore(5)

    async def fetch(page):
        async with free:
            response = await client.get(page)
        names[page] = response.json()["name"]

    async with asyncio.TaskGroup() as group:
        for page in names:
            group.create_task(fetch(page))
    return list(names.values())

# %% pool-1 right: a set of tasks that is filled up
import asyncio


async def fetch_names(client, pages):
    todo = iter(pages)
    tasks = []
    flying = set()

    def send_more():
        while len(flying) < 5:
            try:
                page = next(todo)
            except StopIteration:
                return
            task = asyncio.ensure_future(client.get(page))
            tasks.append(task)
            flying.add(task)

    try:
        send_more()
        while flying:
            done, rest = await asyncio.wait(flying, return_when=asyncio.FIRST_COMPLETED)
            flying.difference_update(done)
            for task in done:
                task.result()
            send_more()
    finally:
        for task in flying:
            task.cancel()
    return [task.result().json()["name"] for task in tasks]

# %% one-client-1 wrong: reads the page before its status
# cause: the JSON is read before the status is looked at, so a page that fails with a plain text comes out as a JSON error
# line: page = response.json()
import httpx


async def all_names(base_url):
    names = []
    url = base_url + "/api/v2/pokemon?limit=40"
    async with httpx.AsyncClient() as client:
        while url is not None:
            response = await client.get(url)
            page = response.json()
            response.raise_for_status()
            names += [entry["name"] for entry in page["results"]]
            url = page["next"]
    return names

# %% one-client-1 wrong: an empty page is the end, again
# cause: it stops at a page without entries, though its next may lead on
# line: if not page["results"]:
import httpx


async def all_names(base_url):
    names = []
    url = base_url + "/api/v2/pokemon?limit=40"
    async with httpx.AsyncClient() as client:
        while url:
            response = await client.get(url)
            page = response.raise_for_status().json()
            if not page["results"]:
                break
            names.extend(entry["name"] for entry in page["results"])
            url = page["next"]
    return names

# %% one-client-1 right: an async generator of pages and an exit stack
from contextlib import AsyncExitStack
from operator import itemgetter

import httpx


async def _pages(client, address):
    while address is not None:
        answer = await client.request("GET", address)
        answer.raise_for_status()
        page = answer.json()
        yield page["results"]
        address = page["next"]


async def all_names(base_url):
    names = []
    async with AsyncExitStack() as stack:
        client = httpx.AsyncClient()
        stack.push_async_callback(client.aclose)
        async for entries in _pages(client, base_url + "/api/v2/pokemon?limit=40"):
            names.extend(map(itemgetter("name"), entries))
    return names

# %% retry-1 wrong: counts the two kinds of failure apart
# cause: transport errors and 503s have a counter each, so with both there are more than four tries and the pauses begin anew
# line: broken += 1 | busy += 1 | await asyncio.sleep(pauses[broken])
import asyncio

import httpx


async def ask(client, method, page):
    pauses = [0.1, 0.2, 0.4]
    broken = busy = 0
    while True:
        try:
            response = await client.request(method, page)
        except httpx.TransportError:
            if method == "POST" or broken == len(pauses):
                raise
            await asyncio.sleep(pauses[broken])
            broken += 1
            continue
        if response.status_code != 503 or method == "POST" or busy == len(pauses):
            response.raise_for_status()
            return response
        await asyncio.sleep(pauses[busy])
        busy += 1

# %% retry-1 wrong: the first error comes out
# cause: it keeps the error of the first try and raises that, not the one of the fourth
# line: failure = failure or reason | raise failure
import asyncio

import httpx


async def ask(client, method, page):
    failure = None
    for pause in (0.1, 0.2, 0.4, None):
        try:
            response = await client.request(method, page)
            response.raise_for_status()
            return response
        except httpx.HTTPStatusError as error:
            if error.response.status_code != 503 or method == "POST":
                raise
            reason = error
        except httpx.TransportError as error:
            if method == "POST":
                raise
            reason = error
        failure = failure or reason
        if pause is not None:
            await asyncio.sleep(pause)
    raise failure

# %% retry-1 right: an iterator of pauses and a predicate
import asyncio

import httpx


def _may_pass(error):
    match error:
        case httpx.TransportError():
            return True
        case httpx.HTTPStatusError():
            return error.response.status_code == 503
    return False


async def ask(client, method, page):
    pauses = iter(() if method == "POST" else (0.1, 0.2, 0.4))
    while True:
        try:
            response = await client.request(method, page)
            response.raise_for_status()
        except httpx.HTTPError as error:
            pause = next(pauses, None)
            if pause is None or not _may_pass(error):
                raise
        else:
            return response
        await asyncio.sleep(pause)

# %% jitter-1 wrong: seeded with the attempt
# cause: the same attempt always gives the same number, so all clients come back at the same moment
# line: dice = random.Random(attempt) | return dice.uniform(0, min(2, 0.1 * 2 ** min(attempt, 10)))
import random


def pause(attempt):
    dice = random.Random(attempt)
    return dice.uniform(0, min(2, 0.1 * 2 ** min(attempt, 10)))

# %% jitter-1 wrong: stops doubling too early
# cause: the doubling ends at 1.6 s, so attempt 5 and all later ones never get the pauses between 1.6 and 2 s
# line: doublings = min(attempt, 4)
import random


def pause(attempt):
    doublings = min(attempt, 4)
    longest = min(2.0, 0.1 * 2**doublings)
    return random.uniform(0, longest)

# %% jitter-1 right: a table of limits
import itertools
import operator
import random

_LIMITS = (*itertools.accumulate([0.1, 2, 2, 2, 2], operator.mul), 2.0)


def pause(attempt):
    try:
        longest = _LIMITS[attempt]
    except IndexError:
        longest = _LIMITS[-1]
    return random.random() * longest

# %% mirrors-1 wrong: every mirror costs a whole second
# cause: a second is taken off for every mirror, even if it failed at once, so it gives up too early
# line: left -= 1
# told: raise TimeoutError
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    left = seconds
    failure = None
    for mirror in mirrors:
        if left <= 0:
            raise TimeoutError
        try:
            return await asyncio.wait_for(fetch(mirror), min(1, left))
        except (httpx.TransportError, TimeoutError) as error:
            failure = error
        left -= 1
    raise failure

# %% mirrors-1 wrong: the last mirror may take longer
# cause: the last mirror is awaited outside the loop without its limit of one second
# line: return await fetch(last)
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    *others, last = mirrors
    async with asyncio.timeout(seconds):
        for mirror in others:
            try:
                async with asyncio.timeout(1):
                    return await fetch(mirror)
            except (httpx.TransportError, TimeoutError):
                pass
        return await fetch(last)

# %% mirrors-1 right: one moment after another
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    clock = asyncio.get_running_loop().time
    end = clock() + seconds
    failures = []
    for mirror in mirrors:
        limit = min(clock() + 1, end)
        if clock() >= end:
            raise TimeoutError("no time left for the other mirrors")
        try:
            async with asyncio.timeout_at(limit):
                return await fetch(mirror)
        except TimeoutError as error:
            if limit == end:
                raise
            failures.append(error)
        except httpx.TransportError as error:
            failures.append(error)
    raise failures[-1]

# %% retry-after-1 wrong: no wait at all is taken for no header
# cause: a Retry-After of 0 is falsy as a number, so it waits a second instead of coming back at once
# line: wait = int(response.headers.get("Retry-After", 0)) or 1
import asyncio


async def ask(client, page):
    while True:
        response = await client.get(page)
        if response.status_code != 429:
            response.raise_for_status()
            return response
        wait = int(response.headers.get("Retry-After", 0)) or 1
        await asyncio.sleep(wait)

# %% retry-after-1 wrong: remembers an older header
# cause: a 429 without the header waits as long as an earlier 429 said, not 1 s
# line: wait = 1 | wait = int(response.headers["Retry-After"]) | if "Retry-After" in response.headers:
import asyncio


async def ask(client, page):
    wait = 1
    while True:
        response = await client.get(page)
        if response.status_code == 429:
            if "Retry-After" in response.headers:
                wait = int(response.headers["Retry-After"])
            await asyncio.sleep(wait)
        else:
            response.raise_for_status()
            return response

# %% retry-after-1 right: a future that the loop resolves later
import asyncio


async def ask(client, page):
    loop = asyncio.get_running_loop()
    while (response := await client.get(page)).status_code == 429:
        try:
            told = float(response.headers["Retry-After"])
        except KeyError:
            told = 1.0
        alarm = asyncio.Event()
        handle = loop.call_later(told + 0.05, alarm.set)
        try:
            await alarm.wait()
        finally:
            handle.cancel()
    response.raise_for_status()
    return response

# %% one-client-1 wrong: does not look at the status
# cause: httpx raises nothing for a 404 or a 500 by itself; without raise_for_status another error comes out, such as a KeyError
# line: response = await client.get(url) | page = response.json() | names.extend(entry["name"] for entry in page["results"])
import httpx


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    names = []
    async with httpx.AsyncClient(base_url=base_url) as client:
        url = "/api/v2/pokemon?limit=40"
        while url is not None:
            response = await client.get(url)
            page = response.json()
            names.extend(entry["name"] for entry in page["results"])
            url = page["next"]
    return names

# %% one-client-1 wrong: try, finally and recursion
# cause: a recursion that ends at a thousand
# line: return [entry["name"] for entry in page["results"]] + await names_from(page["next"])
import httpx


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""

    async def names_from(url):
        if url is None:
            return []
        response = await client.get(url)
        if response.is_error:
            response.raise_for_status()
        page = response.json()
        return [entry["name"] for entry in page["results"]] + await names_from(page["next"])

    client = httpx.AsyncClient()
    try:
        return await names_from(base_url + "/api/v2/pokemon?limit=40")
    finally:
        await client.aclose()

# %% retry-1 wrong: gives back the last 503
# cause: after the fourth 503 the response is returned, but its error has to come out
# line: return response  # the last one | if response.status_code != 503 or method == "POST":
import asyncio

import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    for pause in [0.1, 0.2, 0.4, None]:
        again = pause is not None and method != "POST"
        try:
            response = await client.request(method, page)
        except httpx.TransportError:
            if not again:
                raise
        else:
            if response.status_code != 503 or method == "POST":
                response.raise_for_status()
                return response
        if again:
            await asyncio.sleep(pause)
    return response  # the last one

# %% mirrors-1 wrong: recursion under one timeout
# cause: a recursion that ends at a thousand
# line: return await from_these(*rest)
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""

    async def from_these(first, *rest):
        try:
            return await asyncio.wait_for(fetch(first), 1)
        except (httpx.TransportError, TimeoutError):
            if not rest:
                raise
        return await from_these(*rest)

    return await asyncio.wait_for(from_these(*mirrors), seconds)

# %% pool-1 wrong: every fifth page for each worker
# cause: The pages are dealt out beforehand, so a worker that is through early sends nothing more although other pages are left.
# line: for page in pages[first::5]: | async def worker(first)
import asyncio


async def fetch_names(client, pages):
    names = [None] * len(pages)

    async def worker(first):
        i = first
        for page in pages[first::5]:
            response = await client.get(page)
            names[i] = response.json()["name"]
            i += 5

    await asyncio.gather(*(worker(n) for n in range(5)))
    return names

# %% pool-1 wrong: takes the results from the set
# cause: asyncio.wait gives the finished tasks as a set, which has no order.
# line: for task in done] | await asyncio.wait(tasks)
import asyncio


async def fetch_names(client, pages):
    gate = asyncio.Semaphore(5)

    async def name_of(page):
        async with gate:
            response = await client.get(page)
        return response.json()["name"]

    tasks = [asyncio.create_task(name_of(page)) for page in pages]
    if not tasks:
        return []
    done, _ = await asyncio.wait(tasks)
    return [task.result() for task in done]

# %% pool-1 wrong: six at once
# cause: It waits for an answer only when more than five requests are under way, so a sixth is sent before.
# line: if len(running) > 5:
import asyncio


async def fetch_names(client, pages):
    tasks = []
    running = set()
    for page in pages:
        if len(running) > 5:
            _, running = await asyncio.wait(
                running, return_when=asyncio.FIRST_COMPLETED)
        task = asyncio.create_task(client.get(page))
        tasks.append(task)
        running.add(task)
    return [(await task).json()["name"] for task in tasks]

# %% pool-1 wrong: a limit of ten
# cause: Ten are let in, and there are five connections.
# line: LIMIT = 10 | asyncio.Semaphore(LIMIT)
import asyncio

LIMIT = 10


async def fetch_names(client, pages):
    gate = asyncio.Semaphore(LIMIT)

    async def one(page):
        async with gate:
            return (await client.get(page)).json()["name"]

    return await asyncio.gather(*map(one, pages))

# %% pool-1 wrong: holds a place only to start the task
# cause: The place is given back as soon as the task is made, and all requests are in flight at once.
# line: async with gate: | asyncio.create_task
import asyncio


async def fetch_names(client, pages):
    gate = asyncio.Semaphore(5)
    tasks = []
    for page in pages:
        async with gate:
            tasks.append(asyncio.create_task(client.get(page)))
    return [(await task).json()["name"] for task in tasks]

# %% pool-1 wrong: waits for all five
# cause: When five are in flight it waits until all of them are answered.
# line: await asyncio.wait(flying)
import asyncio


async def fetch_names(client, pages):
    tasks, flying = [], set()
    for page in pages:
        if len(flying) == 5:
            _, flying = await asyncio.wait(flying)
        task = asyncio.create_task(client.get(page))
        tasks.append(task)
        flying.add(task)
    return [(await task).json()["name"] for task in tasks]

# %% pool-1 wrong: sets the timeout of the client
# cause: It changes the timeout instead of keeping within the pool.
# line: client.timeout = 
import asyncio
import httpx


async def fetch_names(client, pages):
    client.timeout = httpx.Timeout(10, pool=None)

    async def one(page):
        return (await client.get(page)).json()["name"]

    return await asyncio.gather(*map(one, pages))

# %% jitter-1 wrong: the attempt is the seed
# cause: The generator is seeded with the attempt, so all clients get the same pause for the same attempt.
# line: dice = random.Random(attempt)
import random


def pause(attempt):
    limit = 2.0 if attempt >= 5 else 0.1 * 2 ** attempt
    dice = random.Random(attempt)
    return dice.uniform(0, limit)

# %% jitter-1 wrong: drawn once for all
# cause: The default is computed once, when the function is defined, so all clients come back together.
# line: share=random.random()
import random


def pause(attempt, share=random.random()):
    return share * min(2, 0.1 * 2 ** min(attempt, 5))

# %% jitter-1 wrong: a bell curve
# cause: Pauses in the middle are likelier than others.
# line: random.gauss
import random


def pause(attempt):
    longest = min(2, 0.1 * 2 ** min(attempt, 5))
    drawn = random.gauss(longest / 2, longest / 6)
    return min(longest, max(0, drawn))

# %% mirrors-1 wrong: the limits are swapped
# cause: The whole has 1 s, and each mirror all the seconds.
# line: asyncio.timeout(1) | asyncio.timeout(seconds)
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    async with asyncio.timeout(1):
        for mirror in mirrors:
            try:
                async with asyncio.timeout(seconds):
                    return await fetch(mirror)
            except (httpx.TransportError, TimeoutError) as failure:
                error = failure
        raise error

# %% mirrors-1 wrong: the time is shared out
# cause: A mirror has less than 1 s where the whole is short, although there is time left for it.
# line: seconds / len(mirrors)
import asyncio

import httpx


async def from_mirrors(fetch, mirrors, seconds):
    for mirror in mirrors:
        try:
            async with asyncio.timeout(min(1, seconds / len(mirrors))):
                return await fetch(mirror)
        except (httpx.TransportError, TimeoutError) as failure:
            error = failure
    raise error

# %% retry-after-1 wrong: asks once more only
# cause: After a second 429 it gives up: there is no loop.
# line: if response.status_code == 429: | response.raise_for_status()
import asyncio


async def ask(client, page):
    response = await client.get(page)
    if response.status_code == 429:
        await asyncio.sleep(int(response.headers.get("Retry-After", 1)))
        response = await client.get(page)
    response.raise_for_status()
    return response

# %% retry-1 wrong: no timeouts
# cause: Of the transport errors it catches the ConnectError only; the others come out at once.
# line: except httpx.ConnectError
import asyncio
import httpx


async def ask(client, method, page):
    for pause in (0.1, 0.2, 0.4, None):
        try:
            response = await client.request(method, page)
            response.raise_for_status()
            return response
        except httpx.ConnectError:
            if pause is None or method == "POST":
                raise
        except httpx.HTTPStatusError as error:
            if error.response.status_code != 503 or pause is None or method == "POST":
                raise
        await asyncio.sleep(pause)

# %% one-client-1 wrong: letters for names
# cause: += adds each letter of a name.
# line: names += entry["name"]
import httpx


async def all_names(base_url):
    names, address = [], base_url + "/api/v2/pokemon?limit=40"
    async with httpx.AsyncClient() as client:
        while address:
            page = (await client.get(address)).raise_for_status().json()
            for entry in page["results"]:
                names += entry["name"]
            address = page["next"]
    return names

# %% pool-1 wrong: batches of five
# cause: The next five are sent only when the slowest of the last five is answered; in the meantime fewer than five requests are in flight.
# line: responses = await asyncio.gather(*(client.get(page) for page in batch))
import asyncio


async def fetch_names(client, pages):
    names = []
    for start in range(0, len(pages), 5):
        batch = pages[start:start + 5]
        responses = await asyncio.gather(*(client.get(page) for page in batch))
        names.extend(response.json()["name"] for response in responses)
    return names

# %% retry-after-1 wrong: keeps the last delay
# cause: A 429 without the header must wait 1 s, but here it waits as long as the 429 before it said, since `delay` is never set back to 1.
# line: delay = 1
# told: if "Retry-After" in response.headers:
import asyncio


async def ask(client, page):
    delay = 1
    while True:
        response = await client.get(page)
        if response.status_code == 200:
            return response
        if response.status_code != 429:
            response.raise_for_status()
        if "Retry-After" in response.headers:
            delay = int(response.headers["Retry-After"])
        await asyncio.sleep(delay)

# %% retry-after-1 wrong: jitter in both directions
# cause: The jitter may shorten the wait, so it comes back earlier than it was told (or, with a long wait, much more than half a second later).
# line: await asyncio.sleep(told * random.uniform(0.8, 1.2))
import asyncio
import random


async def ask(client, page):
    response = await client.get(page)
    while response.status_code == 429:
        told = float(response.headers.get("Retry-After") or 1)
        await asyncio.sleep(told * random.uniform(0.8, 1.2))
        response = await client.get(page)
    response.raise_for_status()
    return response

# %% one-client-1 wrong: never looks at the status
# cause: `get` raises nothing for a 404 or a 500, so without `raise_for_status()` a failing page ends in a `KeyError` or a JSON error instead of the `HTTPStatusError`.
# line: response = await client.get(url) | data = response.json()
import httpx


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    names = []
    url = base_url + "/api/v2/pokemon?limit=40"
    async with httpx.AsyncClient() as client:
        while url:
            response = await client.get(url)
            data = response.json()
            for entry in data["results"]:
                names.append(entry["name"])
            url = data["next"]
    return names

# %% one-client-1 right: an event hook checks the status
import httpx


async def _check(response):
    response.raise_for_status()


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    names, page = [], {"next": f"{base_url}/api/v2/pokemon?limit=40"}
    async with httpx.AsyncClient(event_hooks={"response": [_check]}) as client:
        while (url := page["next"]) is not None:
            page = (await client.get(url)).json()
            names += [entry["name"] for entry in page["results"]]
    return names

# %% retry-1 wrong: the list of pauses is used up over all calls
# cause: `waits = WAITS` makes no copy, so `pop` empties the list of the module, and later calls have fewer tries or none.
# line: waits = WAITS | await asyncio.sleep(waits.pop(0)) | WAITS = [0.1, 0.2, 0.4]
import asyncio

import httpx

WAITS = [0.1, 0.2, 0.4]


async def ask(client, method, page):
    waits = WAITS
    while True:
        try:
            response = await client.request(method, page)
            response.raise_for_status()
            return response
        except httpx.TransportError:
            if method == "POST" or not waits:
                raise
        except httpx.HTTPStatusError as error:
            passes = error.response.status_code == 503
            if method == "POST" or not passes or not waits:
                raise
        await asyncio.sleep(waits.pop(0))


# %% one-client-1 wrong: only first page's status checked
# cause: raise_for_status is called for the first page only, so when a later page fails, something else than its HTTPStatusError comes out (a KeyError or a JSON error).
# line: response = await client.get(page["next"]) | page = response.json()
import httpx


async def all_names(base_url):
    names = []
    async with httpx.AsyncClient() as client:
        response = await client.get(base_url + "/api/v2/pokemon?limit=40")
        response.raise_for_status()
        while True:
            page = response.json()
            names.extend(entry["name"] for entry in page["results"])
            if page["next"] is None:
                return names
            response = await client.get(page["next"])


# %% retry-1 wrong: the fourth 503 is returned
# cause: If the fourth try gives a 503 as well, the response is returned as if it were good, and no HTTPStatusError comes out.
# line: return await client.request(method, page)
import asyncio
import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    delays = [] if method == "POST" else [0.1, 0.2, 0.4]
    if not delays:
        response = await client.request(method, page)
        response.raise_for_status()
        return response
    for delay in delays:
        try:
            response = await client.request(method, page)
            if response.status_code != 503:
                response.raise_for_status()
                return response
        except httpx.TransportError:
            pass
        await asyncio.sleep(delay)
    return await client.request(method, page)


# %% retry-1 wrong: delay doubled before the sleep
# cause: The delay is doubled before it is used, so the waits are 0.2, 0.4 and 0.8 s instead of 0.1, 0.2 and 0.4 s.
# line: delay *= 2 | await asyncio.sleep(delay) | delay = 0.1
import asyncio
import httpx


def may_pass(error):
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code == 503
    return isinstance(error, httpx.TransportError)


async def ask(client, method, page):
    tries = 1 if method == "POST" else 4
    delay = 0.1
    while True:
        try:
            response = await client.request(method, page)
            response.raise_for_status()
            return response
        except httpx.HTTPError as error:
            tries -= 1
            if tries == 0 or not may_pass(error):
                raise
        delay *= 2
        await asyncio.sleep(delay)


# %% jitter-1 wrong: limit stops at 1.6 seconds
# cause: The exponent is held at 4, so from attempt 5 on the limit is 1.6 s and not 2 s.
# line: MOST_DOUBLINGS = 4
import random

MOST_DOUBLINGS = 4


def pause(attempt):
    doublings = MOST_DOUBLINGS if attempt > MOST_DOUBLINGS else attempt
    limit = min(0.1 * 2**doublings, 2.0)
    return limit * random.random()


# %% mirrors-1 wrong: any error goes on
# cause: Every Exception leads to the next mirror, so an error such as a ValueError does not come out at once.
# line: except Exception:
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    last = len(mirrors) - 1
    async with asyncio.timeout(seconds):
        for number, mirror in enumerate(mirrors):
            try:
                return await asyncio.wait_for(fetch(mirror), 1)
            except Exception:
                if number == last:
                    raise


# %% mirrors-1 wrong: deadline checked between mirrors only
# cause: The time is looked at only before a mirror is asked, so a mirror that hangs when the deadline passes keeps the caller up to 1 s too long.
# line: async with asyncio.timeout(1): | if loop.time() >= deadline:
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    failure = None
    for mirror in mirrors:
        if loop.time() >= deadline:
            raise TimeoutError
        try:
            async with asyncio.timeout(1):
                return await fetch(mirror)
        except (httpx.TransportError, TimeoutError) as error:
            failure = error
    raise failure


# %% retry-after-1 wrong: an old wait is kept
# cause: The default of 1 s is set only once before the loop, so a 429 without the header that follows one with "3" waits 3 s again.
# line: seconds = 1 | if "Retry-After" in response.headers:
import asyncio


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    seconds = 1
    response = await client.get(page)
    while response.status_code == 429:
        if "Retry-After" in response.headers:
            seconds = int(response.headers["Retry-After"])
        await asyncio.sleep(seconds)
        response = await client.get(page)
    response.raise_for_status()
    return response


# %% pool-1 wrong: timeouts switched off
# cause: The requests queue in the client's pool with the timeout switched off instead of being held back, so the client's timeouts are not left as they are.
# line: client.get(page, timeout=None)
import asyncio


async def fetch_names(client, pages):
    async def fetch_name(page):
        response = await client.get(page, timeout=None)
        return response.json()["name"]

    tasks = [asyncio.create_task(fetch_name(page)) for page in pages]
    return [await task for task in tasks]

# %% retry-1 wrong: the last error is a status
# cause: after the fourth 503 the response is returned instead of its error
# line: return response
import asyncio
import httpx


async def ask(client, method, page):
    for pause in (0.1, 0.2, 0.4, None):
        try:
            response = await client.request(method, page)
        except httpx.TransportError:
            if pause is None or method == "POST":
                raise
        else:
            if response.status_code != 503 or method == "POST":
                response.raise_for_status()
                return response
            if pause is None:
                return response
        await asyncio.sleep(pause)

# %% retry-1 wrong: the pause grows by adding
# cause: pauses of 0.1, 0.2, 0.3
# line: pause += 0.1
import asyncio
import httpx


async def ask(client, method, page):
    pause = 0.1
    for left in (3, 2, 1, 0):
        try:
            response = await client.request(method, page)
            response.raise_for_status()
            return response
        except httpx.TransportError:
            if method == "POST" or not left:
                raise
        except httpx.HTTPStatusError as error:
            if method == "POST" or not left or error.response.status_code != 503:
                raise
        await asyncio.sleep(pause)
        pause += 0.1

# %% pool-1 wrong: A window that waits for the oldest
# cause: It waits for the oldest request and not for any, so while the oldest is slow the four others are answered and nothing new is sent.
# line: await window.popleft()
import asyncio
from collections import deque


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    names = []
    window = deque()

    async with asyncio.TaskGroup() as group:
        for page in pages:
            if len(window) == 5:
                response = await window.popleft()
                names.append(response.json()["name"])
            window.append(group.create_task(client.get(page)))

    names.extend(task.result().json()["name"] for task in window)
    return names

# %% mirrors-1 wrong: One timeout object for all
# cause: A timeout object can be entered only once, so at the second mirror a RuntimeError comes out.
# line: one_second = asyncio.timeout(1) | async with one_second:
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    one_second = asyncio.timeout(1)
    problem = None
    async with asyncio.timeout(seconds):
        for mirror in mirrors:
            try:
                async with one_second:
                    return await fetch(mirror)
            except (TimeoutError, httpx.TransportError) as error:
                problem = error
        raise problem

# %% retry-1 wrong: POST guarded only for transport
# cause: A POST that is answered with a 503 is sent again, because the method is looked at only where a TransportError is caught.
# line: if response.status_code != 503 or delay is None: | if method == "POST" or delay is None:
import asyncio
import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    for delay in (0.1, 0.2, 0.4, None):
        try:
            response = await client.request(method, page)
        except httpx.TransportError:
            if method == "POST" or delay is None:
                raise
        else:
            if response.status_code == 200:
                return response
            if response.status_code != 503 or delay is None:
                response.raise_for_status()
        await asyncio.sleep(delay)

# %% retry-1 wrong: three tries instead of four
# cause: The third try is taken for the last one, so a request that would succeed at the fourth try, after 0.4 s, fails with the third error.
# line: TRIES = 3 | for n in range(1, tries + 1):
import asyncio
import httpx

TRIES = 3


def may_pass(error):
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code == 503
    return isinstance(error, httpx.TransportError)


async def ask(client, method, page):
    tries = 1 if method == "POST" else TRIES
    wait = 0.1
    for n in range(1, tries + 1):
        try:
            response = await client.request(method, page)
            response.raise_for_status()
            return response
        except (httpx.TransportError, httpx.HTTPStatusError) as error:
            if n == tries or not may_pass(error):
                raise
        await asyncio.sleep(wait)
        wait *= 2

# %% jitter-1 wrong: doublings rounded down to four
# cause: The exponent is clipped to 4, so from attempt 5 on the range ends at 1.6 s instead of at 2 s.
# line: MAX_DOUBLINGS = int(math.log2(CAP / BASE)) | min(attempt, MAX_DOUBLINGS)
import math
import random

BASE = 0.1
CAP = 2.0
MAX_DOUBLINGS = int(math.log2(CAP / BASE))


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    upper = BASE * 2 ** min(attempt, MAX_DOUBLINGS)
    return random.random() * upper

# %% retry-after-1 wrong: proportional jitter gets too late
# cause: The jitter grows with the wait, so when told more than 5 s it may come back more than half a second late.
# line: await asyncio.sleep(wait * random.uniform(1, 1.1))
import asyncio
import random


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    while (response := await client.get(page)).status_code == 429:
        wait = int(response.headers.get("Retry-After", "1"))
        await asyncio.sleep(wait * random.uniform(1, 1.1))
    response.raise_for_status()
    return response

# %% retry-after-1 wrong: sleeps for None where there is no header
# cause: headers.get gives None where the header is missing, and int(None) is a TypeError
# line: seconds = int(response.headers.get("Retry-After"))
import asyncio


async def ask(client, page):
    while True:
        response = await client.get(page)
        if response.status_code != 429:
            response.raise_for_status()
            return response
        seconds = int(response.headers.get("Retry-After"))
        await asyncio.sleep(seconds)

# %% retry-after-1 wrong: adds up to a second
# cause: the random extra is up to a second; half a second is the most
# line: extra = random.random()
import asyncio
import random


async def ask(client, page):
    while True:
        response = await client.get(page)
        if response.status_code != 429:
            return response.raise_for_status()
        extra = random.random()
        await asyncio.sleep(int(response.headers.get("Retry-After", 1)) + extra)

# %% one-client-1 wrong: offset counted, next not followed
# cause: the address of the next page is made up by counting instead of taken from "next", so if the server's pages are of another size or at another address, wrong pages are asked for.
# line: &offset={offset}" | offset += 40
import httpx


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    names = []
    url = base_url + "/api/v2/pokemon?limit=40"
    offset = 0
    client = httpx.AsyncClient()
    try:
        while True:
            response = await client.get(url)
            response.raise_for_status()
            data = response.json()
            for entry in data["results"]:
                names.append(entry["name"])
            if data["next"] is None:
                return names
            offset += 40
            url = f"{base_url}/api/v2/pokemon?limit=40&offset={offset}"
    finally:
        await client.aclose()

# %% retry-1 wrong: every 5xx is tried again
# cause: Any status of 500 or more is taken for one that may pass, so a 500 or a 502 is sent again instead of raising its HTTPStatusError at once.
# line: response.status_code < 500
import asyncio
import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    for delay in (0.1, 0.2, 0.4, None):
        last = delay is None or method == "POST"
        try:
            response = await client.request(method, page)
        except httpx.TransportError:
            if last:
                raise
        else:
            if response.status_code == 200:
                return response
            if last or response.status_code < 500:
                response.raise_for_status()
        await asyncio.sleep(delay)

# %% jitter-1 wrong: doubled once too often
# cause: The limit is doubled already for attempt 0, so the range after the first failure ends at 0.2 s instead of 0.1 s, and so on.
# line: range(attempt + 1) | limit = 0.1
import random

CAP = 2.0


def pause(attempt):
    limit = 0.1
    for _ in range(attempt + 1):
        limit *= 2
        if limit >= CAP:
            limit = CAP
            break
    return random.random() * limit

# %% mirrors-1 wrong: slow last mirror not remembered
# cause: A timeout is not kept as the last error, so if an earlier mirror failed with a TransportError and the last one is too slow, the earlier error comes out instead of a TimeoutError.
# line: continue | except TimeoutError:
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""

    async def in_turn():
        failure = TimeoutError("no mirror answered in time")
        for mirror in mirrors:
            try:
                async with asyncio.timeout(1):
                    return await fetch(mirror)
            except TimeoutError:
                continue
            except httpx.TransportError as exc:
                failure = exc
        raise failure

    return await asyncio.wait_for(in_turn(), seconds)

# %% retry-after-1 wrong: jitter to both sides
# cause: The jitter may be negative, so about half of the time the client comes back earlier than it was told.
# line: random.uniform(-0.4, 0.4)
import asyncio
import random


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    while True:
        response = await client.get(page)
        if response.status_code != 429:
            response.raise_for_status()
            return response
        wait = int(response.headers.get("Retry-After", "1"))
        await asyncio.sleep(max(0, wait + random.uniform(-0.4, 0.4)))

# %% retry-after-1 wrong: other errors are returned
# cause: Whatever is not 429 is returned, so for a 404 or a 500 the response is returned and no HTTPStatusError comes out.
# line: return response | if response.status_code != 429 | none
import asyncio


async def ask(client, page):
    while True:
        response = await client.get(page)
        if response.status_code != 429:
            return response
        await asyncio.sleep(int(response.headers.get("Retry-After", 1)))

# %% pool-1 right: five walkers share an iterator
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    names = {}
    numbered = enumerate(pages)

    async def walk():
        for place, page in numbered:
            response = await client.get(page)
            names[place] = response.json()["name"]

    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(walk())
    return [names[place] for place in range(len(names))]

# %% one-client-1 right: closed by hand, address as state
import httpx


async def all_names(base_url):
    client = httpx.AsyncClient()
    try:
        found = []
        page = {"next": base_url + "/api/v2/pokemon?limit=40"}
        while (address := page["next"]) is not None:
            response = await client.get(address)
            response.raise_for_status()
            page = response.json()
            found.extend(entry["name"] for entry in page["results"])
        return found
    finally:
        await client.aclose()

# %% retry-1 right: pauses in a tuple, match on error
import asyncio
import httpx


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    pauses = () if method.upper() == "POST" else (0.1, 0.2, 0.4)
    for pause in (*pauses, None):
        try:
            response = await client.request(method, page)
            response.raise_for_status()
            return response
        except (httpx.TransportError, httpx.HTTPStatusError) as error:
            match error:
                case _ if pause is None:
                    raise
                case httpx.HTTPStatusError() if error.response.status_code != 503:
                    raise
        await asyncio.sleep(pause)

# %% jitter-1 right: ldexp with a capped exponent
import math
import random


def pause(attempt):
    longest = min(math.ldexp(0.1, min(attempt, 5)), 2.0)
    return longest * random.random()

# %% mirrors-1 right: one timeout, nearer of two
import asyncio
import httpx


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    now = asyncio.get_running_loop().time
    deadline = now() + seconds
    failure = None
    for mirror in mirrors:
        until = min(deadline, now() + 1)
        try:
            async with asyncio.timeout_at(until) as limit:
                return await fetch(mirror)
        except (TimeoutError, httpx.TransportError) as error:
            if until == deadline and limit.expired():
                raise TimeoutError("no mirror was in time") from error
            failure = error
    raise failure

# %% retry-after-1 right: walrus loop, little reserve
import asyncio


async def ask(client, page):
    while (response := await client.get(page)).status_code == 429:
        told = int(response.headers.get("Retry-After", "1"))
        await asyncio.sleep(told + 0.05)  # a timer may go off a trifle early
    response.raise_for_status()
    return response

# %% one-client-1 wrong: another error comes out
# cause: When a page fails, the HTTPStatusError is wrapped into a RuntimeError, so the caller gets another error than the one agreed upon.
# line: raise RuntimeError(f"could not load {url}") from error | except httpx.HTTPStatusError as error:
import httpx


async def _load_page(client, url):
    response = await client.get(url)
    try:
        response.raise_for_status()
    except httpx.HTTPStatusError as error:
        raise RuntimeError(f"could not load {url}") from error
    return response.json()


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    names = []
    async with httpx.AsyncClient() as client:
        url = base_url + "/api/v2/pokemon?limit=40"
        while url is not None:
            page = await _load_page(client, url)
            names.extend(entry["name"] for entry in page["results"])
            url = page["next"]
    return names

# %% mirrors-1 wrong: all errors in a group
# cause: when the last mirror fails too, an ExceptionGroup of all errors comes out instead of the last mirror's own error
# line: raise ExceptionGroup("all mirrors failed", errors)
import asyncio
import httpx


async def _ask_all(fetch, mirrors):
    errors = []
    for mirror in mirrors:
        try:
            return await asyncio.wait_for(fetch(mirror), timeout=1)
        except (httpx.TransportError, TimeoutError) as error:
            errors.append(error)
    raise ExceptionGroup("all mirrors failed", errors)


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    return await asyncio.wait_for(_ask_all(fetch, mirrors), timeout=seconds)

# %% retry-1 right: recursion over the pauses left
import asyncio
import httpx


async def attempt(client, method, page, pauses):
    try:
        response = await client.request(method, page)
        response.raise_for_status()
        return response
    except (httpx.TransportError, httpx.HTTPStatusError) as error:
        match error, pauses:
            case httpx.HTTPStatusError(), _ if error.response.status_code != 503:
                raise
            case _, ():
                raise
            case _, (seconds, *later):
                pass
    await asyncio.sleep(seconds)
    return await attempt(client, method, page, later)


async def ask(client, method, page):
    """Return the response; try again what may pass and may be done twice."""
    return await attempt(
        client, method, page, () if method == "POST" else (0.1, 0.2, 0.4)
    )

# %% jitter-1 right: table made with itertools
import random
from itertools import accumulate, repeat, takewhile
from operator import mul

LONGEST = 2.0
CEILINGS = dict(
    enumerate(
        takewhile(LONGEST.__gt__, accumulate(repeat(2), mul, initial=0.1))
    )
)


def pause(attempt):
    return random.random() * CEILINGS.get(attempt, LONGEST)

# %% jitter-1 wrong: every client has the same dice
# cause: the generator has a fixed seed, so every client (process) draws the same sequence of pauses, and they all come back at the same time
# line: dice = random.Random(2024)
import random

# our own generator: nobody else's calls of random.seed get in its way
dice = random.Random(2024)


def pause(attempt):
    """Return how many seconds to wait after so many failures before this one."""
    longest = min(2, 0.1 * 2 ** min(attempt, 10))
    return dice.uniform(0, longest)

# %% mirrors-1 right: an async generator of outcomes
import asyncio
from contextlib import aclosing

import httpx


async def outcomes(fetch, mirrors):
    for mirror in mirrors:
        try:
            async with asyncio.timeout(1):
                outcome = await fetch(mirror), None
        except (httpx.TransportError, TimeoutError) as error:
            outcome = None, error
        yield outcome


async def from_mirrors(fetch, mirrors, seconds):
    """Return the first page that one of the mirrors gives, within so many seconds."""
    async with asyncio.timeout(seconds), aclosing(outcomes(fetch, mirrors)) as asked:
        async for page, failure in asked:
            if failure is None:
                return page
        raise failure

# %% retry-after-1 right: awaitable class with an Event
import asyncio


class Rest:
    def __init__(self, seconds):
        self.seconds = seconds

    def __await__(self):
        over = asyncio.Event()
        timer = asyncio.get_running_loop().call_later(self.seconds, over.set)
        try:
            yield from over.wait().__await__()
        finally:
            timer.cancel()


async def ask(client, page):
    while (response := await client.get(page)).status_code == 429:
        await Rest(int(response.headers.get("Retry-After", "1")))
    response.raise_for_status()
    return response

# %% retry-after-1 wrong: the wait is counted from the sending of the request
# cause: the time that the server took to answer is subtracted from the wait: with a slow answer it comes back too early
# line: sent = loop.time() | await asyncio.sleep(sent + seconds - loop.time())
import asyncio


async def ask(client, page):
    """Return the response; where the server says when to come back, come back then."""
    loop = asyncio.get_running_loop()
    while True:
        sent = loop.time()
        response = await client.get(page)
        if response.status_code != 429:
            response.raise_for_status()
            return response
        seconds = int(response.headers.get("Retry-After", 1))
        await asyncio.sleep(sent + seconds - loop.time())

# %% pool-1 right: sliding window with wait and islice
import asyncio
from itertools import islice


async def fetch_names(client, pages):
    todo = enumerate(pages)
    flying = {}  # task -> place of its page
    names = {}

    def send(count):
        for place, page in islice(todo, count):
            flying[asyncio.create_task(client.get(page))] = place

    try:
        send(5)
        while flying:
            answered, _ = await asyncio.wait(
                flying, return_when=asyncio.FIRST_COMPLETED
            )
            for task in answered:
                response = task.result()
                names[flying.pop(task)] = response.json()["name"]
                send(1)
    finally:
        for task in flying:
            task.cancel()
        await asyncio.gather(*flying, return_exceptions=True)
    return [names[place] for place in range(len(names))]

# %% one-client-1 right: async iterator class and AsyncExitStack
from contextlib import AsyncExitStack
from dataclasses import dataclass

import httpx


@dataclass
class _Pages:
    """The results of each page, one page after another."""

    client: httpx.AsyncClient
    address: str | None

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.address is None:
            raise StopAsyncIteration
        response = await self.client.get(self.address)
        response.raise_for_status()
        page = response.json()
        self.address = page["next"]
        return page["results"]


async def all_names(base_url):
    """Return all the names of a list that comes in pages."""
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(httpx.AsyncClient())
        pages = _Pages(client, base_url + "/api/v2/pokemon?limit=40")
        return [entry["name"] async for results in pages for entry in results]

# %% pool-1 right: the last page first
import asyncio


async def fetch_names(client, pages):
    five = asyncio.Semaphore(5)

    async def name_of(page):
        async with five:
            response = await client.get(page)
        return response.json()["name"]

    return (await asyncio.gather(*map(name_of, pages[::-1])))[::-1]

# %% pool-1 wrong: closes the caller's client
# cause: the client belongs to the caller, and is closed at the end; the next request or the next call with it is a RuntimeError
# line: await client.aclose()
import asyncio


async def fetch_names(client, pages):
    """Return the names that the pages give, in order; five requests at once."""
    semaphore = asyncio.Semaphore(5)

    async def fetch(page):
        async with semaphore:
            response = await client.get(page)
        return response.json()["name"]

    try:
        return await asyncio.gather(*[fetch(page) for page in pages])
    finally:
        await client.aclose()
