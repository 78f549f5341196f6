"""What lesson 19 talks to: the shop's neighbours, and a database."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import aiosqlite
import asyncpg
import httpx
import psutil
import pytest

from helpers import services
from helpers.services import postgres

PROJECT = Path(__file__).resolve().parents[1]
posix_only = pytest.mark.skipif(os.name != "posix", reason="signals and kill -9 are POSIX")
needs_postgres = pytest.mark.skipif(
    postgres.importlib.util.find_spec(postgres.PACKAGE) is None, reason=postgres.MISSING
)


@pytest.fixture(scope="module")
def database():
    with services.database() as database:
        yield database


# The cache and the reviews


def test_the_cache_keeps_what_it_was_given_until_it_is_told_to_forget():
    with services.shop() as shop, httpx.Client(base_url=shop.url) as client:
        assert client.get("/cache/tea").status_code == 404
        assert client.put("/cache/tea", content="3 euros").status_code == 204
        assert client.get("/cache/tea").text == "3 euros"
        assert client.delete("/cache/tea").status_code == 204
        assert client.get("/cache/tea").status_code == 404
        asked = [(entry.path, entry.status) for entry in shop.log()]
    assert asked == [("/cache/tea", status) for status in (404, 204, 200, 204, 404)]


def test_the_reviews_are_known_unless_they_are_told_to_fail():
    with services.shop() as shop:
        assert httpx.get(f"{shop.url}/reviews/tea").json() == {"name": "tea", "stars": 4.5}
        assert httpx.get(f"{shop.url}/reviews/nothing").status_code == 404
    with services.shop(failing=True) as shop:
        assert httpx.get(f"{shop.url}/reviews/tea").status_code == 503


def test_each_takes_its_time_and_they_overlap():
    async def ask(client, path):
        start = time.perf_counter()
        await client.get(path)
        return time.perf_counter() - start

    async def main(url):
        async with httpx.AsyncClient(base_url=url) as client:
            start = time.perf_counter()
            each = await asyncio.gather(*[ask(client, path) for path in paths])
            return each, time.perf_counter() - start

    paths = ["/cache/tea"] * 5 + ["/reviews/tea"] * 5
    with services.shop(cache=0.2, reviews=0.5) as shop:
        each, together = asyncio.run(main(shop.url))
    assert min(each[:5]) >= 0.2
    assert min(each[5:]) >= 0.5
    assert together < 2  # in turn it is 3.5 s


@pytest.mark.parametrize("setting", ["cache", "reviews"])
def test_a_wait_that_makes_no_sense_is_refused(setting):
    with pytest.raises(ValueError, match=setting):
        services.shop(**{setting: -1})


# The database


@needs_postgres
@pytest.mark.parametrize("unix_socket", [pytest.param(True, marks=posix_only), False])
def test_postgres_answers_on_its_socket_and_on_a_port(unix_socket):
    async def main(address):
        connection = await asyncpg.connect(address)
        try:
            await connection.execute("create table goods (name text, cents integer)")
            await connection.execute("insert into goods values ($1, $2)", "tea", 300)
            return await connection.fetchval("select cents from goods where name = $1", "tea")
        finally:
            await connection.close()

    with services.database(unix_socket) as database:
        assert database.why == ""
        assert asyncio.run(main(database.postgres)) == 300
        folder = database.folder
    assert not folder.exists()


@needs_postgres
def test_on_a_port_postgres_wants_its_password():
    async def main(address):
        with pytest.raises(asyncpg.InvalidPasswordError):
            await asyncpg.connect(address.replace(":" + address.split(":")[2].split("@")[0], ":x"))

    with services.database(unix_socket=False) as database:
        assert "127.0.0.1" in database.postgres
        listening = [
            c.laddr.ip
            for child in psutil.Process(database.pid).children()
            for c in child.net_connections()
            if c.status == psutil.CONN_LISTEN
        ]
        assert set(listening) == {"127.0.0.1"}
        asyncio.run(main(database.postgres))


@needs_postgres
@posix_only
def test_on_a_socket_postgres_listens_on_no_port(database):
    for child in psutil.Process(database.pid).children(recursive=True):
        assert not child.net_connections("inet")


def test_the_folder_holds_a_sqlite_database(database):
    async def main():
        async with aiosqlite.connect(database.sqlite) as connection:
            await connection.execute("create table goods (name text)")
            await connection.execute("insert into goods values ('tea')")
            await connection.commit()
        async with aiosqlite.connect(database.sqlite) as connection:
            return await connection.execute_fetchall("select name from goods")

    assert asyncio.run(main()) == [("tea",)]


def test_without_the_package_it_says_so_and_gives_the_folder(monkeypatch):
    script = textwrap.dedent("""
        import importlib.util
        real = importlib.util.find_spec
        from helpers.services import postgres
        postgres.importlib.util.find_spec = (
            lambda name, *rest: None if name == postgres.PACKAGE else real(name, *rest))
        postgres.keep()
    """)
    monkeypatch.setattr(postgres, "COMMAND", [sys.executable, "-P", "-c", script])
    with services.database() as database:
        assert database.postgres is None
        assert "--extras" in database.why
        assert database.folder.exists()
    assert not database.folder.exists()


def test_one_that_cannot_start_says_why(monkeypatch):
    script = textwrap.dedent("""
        from helpers.services import postgres
        postgres.SETTINGS["shared_buffers"] = "none"
        postgres.keep()
    """)
    monkeypatch.setattr(postgres, "COMMAND", [sys.executable, "-P", "-c", script])
    with services.database() as database:
        assert database.postgres is None
        assert "--extras" in database.why or "shared_buffers" in database.why


def test_stopping_twice_does_no_harm():
    database = services.database()
    database.stop()
    database.stop()
    assert not psutil.pid_exists(database.pid)


# Nothing is left


HOLDER = """
import asyncio
import time
from helpers import services
from helpers.props.program import program
async def main():
    print(1, flush=True)
    await asyncio.sleep(60)
database = services.database()
shop = services.shop()
server = program(main)
print(database.pid, database.folder, shop.pid, server.pid, flush=True)
time.sleep(60)
"""


def wait_until(condition, seconds=10):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def is_gone(process):
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@posix_only
@pytest.mark.parametrize("how", ["the process", "its whole group"])
def test_nothing_outlives_a_killed_parent(how):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(PROJECT)},
        start_new_session=True,
    )
    with holder.stdout:
        keeper, folder, *others = holder.stdout.readline().split()
        left = [psutil.Process(int(pid)) for pid in (keeper, *others)]
        left += left[0].children(recursive=True)
        if how == "the process":
            holder.kill()
        else:
            os.killpg(holder.pid, signal.SIGKILL)
        holder.wait()
    assert wait_until(lambda: all(map(is_gone, left))), left
    assert wait_until(lambda: not Path(folder).exists())


@posix_only
@pytest.mark.parametrize("later", [0.0, 0.2])
def test_nothing_outlives_a_parent_that_is_killed_during_the_start(later):
    program = "import time; from helpers import services; it = services.database(); time.sleep(60)"
    # A short path, or the folder of a Unix socket would lie elsewhere.
    with tempfile.TemporaryDirectory(prefix="t") as place:
        parent = subprocess.Popen(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONPATH": str(PROJECT), "TMPDIR": place},
        )
        assert wait_until(lambda: list(Path(place).glob("course-*")), seconds=30)
        time.sleep(later)
        left = psutil.Process(parent.pid).children(recursive=True)
        parent.kill()
        parent.wait()
        assert left and wait_until(lambda: all(map(is_gone, left)), seconds=20), left
        assert wait_until(lambda: not os.listdir(place))


@posix_only
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_keeper(number):
    with services.database() as database:
        keeper = psutil.Process(database.pid)
        children = keeper.children(recursive=True)
        keeper.send_signal(number)
        if number == signal.SIGINT:  # the stop button: the database stays
            time.sleep(0.3)
            assert not any(map(is_gone, [keeper, *children]))
        else:
            assert wait_until(lambda: all(map(is_gone, [keeper, *children])))
            assert not database.folder.exists()


@needs_postgres
@posix_only
def test_nothing_outlives_a_killed_keeper():
    with services.database() as database:
        keeper = psutil.Process(database.pid)
        left = [keeper, *keeper.children(recursive=True)]
        assert len(left) > 3  # the shell, PostgreSQL and its own children
        keeper.kill()
        assert wait_until(lambda: all(map(is_gone, left))), left
        assert wait_until(lambda: not database.folder.exists())


@needs_postgres
@posix_only
@pytest.mark.skipif(os.name == "posix" and os.geteuid() != 0, reason="only root can be nobody")
def test_root_that_keeps_its_folder_to_itself(tmp_path, monkeypatch):
    # Where the course lies under a folder that only root can read, nobody gets a copy.
    package = Path(postgres.importlib.util.find_spec(postgres.PACKAGE).origin).parent
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    private = hidden / "programs" / package.name
    private.mkdir(parents=True)
    (private / "__init__.py").touch()
    newest = sorted(package.glob("pginstall*"))[-1]
    postgres.shutil.copytree(newest, private / newest.name, copy_function=os.link)
    libraries = package.with_suffix(".libs")
    postgres.shutil.copytree(libraries, private.parent / libraries.name, copy_function=os.link)
    script = (
        f"import sys; sys.path.insert(0, {str(private.parent)!r})\n"
        "from helpers.services import postgres; postgres.keep()"
    )
    monkeypatch.setattr(postgres, "COMMAND", [sys.executable, "-P", "-c", script])
    with services.database() as database:
        assert database.postgres, database.why
        assert (database.folder / "programs").exists()
    assert not database.folder.exists()
