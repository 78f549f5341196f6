"""What was typed after `course.py`: which command it means, with which options, and its end."""

import argparse
import functools
import importlib
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from .ground import Problem, explain

# What --help says of the commands that need more than a line.
LAB = """\
Open JupyterLab on the first lesson; Ctrl-C ends it.

The first call makes the environment: about 110 MB to download, a minute or so.
"""
TEST = """\
Run the tests, and end with how many passed, failed and were skipped: 20 minutes.

With CI=true in the environment a skipped test counts as failed.
"""
LINKS = """\
Print links to paste: the tour on Binder, its badge, lessons, a JupyterHub, the site.

They are made from the repository's public address, on GitHub, GitLab or elsewhere; nothing is asked
of the network.
"""
SITE = """\
Build the course as a site, and as an EPUB, in site/_build; print where they are.

The lessons run for it, which takes some five minutes; later only what has changed.
"""
SLIDES = """\
Make slides of lessons, each in one file that needs no network; print where they are.

The lessons run for it, unless they were kept from the last time. In the browser: the arrow keys or
the space bar, S for the speaker's notes, ? for the other keys.
"""
CLASS = """\
Hold a class: print an address, a code of three words, and the line with which learners join.

Their kernels then tell the board how exercises and guesses go; two pages show it, one for the
projector and one for the teacher. It listens on the network, unless --local is given. Ctrl-C ends
the class and writes its summary.
"""
HUB = """\
Run JupyterHub with the course: each learner gets a server and a folder of their own.

As it is, to be tried on this machine: anybody is let in with the password that is printed.
teaching/hub/README.md says how to run one for a class.
"""
REFRESH = """\
Regenerate all that is generated: the locks, exercises/, stored outputs, pictures.

The locks are left alone, and no network is needed, unless the dependencies in pyproject.toml
have changed or --upgrade asks for newer packages.
"""


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; return the exit status."""
    for stream in sys.stdout, sys.stderr:
        stream.reconfigure(errors="backslashreplace")  # a folder's name may not fit the terminal
    try:
        options = parse(arguments)
        # Each command is a file of this folder, imported only where the command is wanted.
        return importlib.import_module(f".{options.command}", __package__).run(options)
    except Problem as problem:
        return _fail(str(problem))
    except KeyboardInterrupt as stop:
        print(f"\nStopped. {stop}".rstrip(), file=sys.stderr)
        return 130
    except OSError as error:
        return _fail(explain(error))


def _fail(message: str) -> int:
    print(f"course.py: {message}", file=sys.stderr)
    return 2


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        raise Problem(f"{message}; see: {self.prog} --help")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Turn the command line into options; `options.command` is the command's name.

    Raises Problem where no command is named or its options are wrong, SystemExit once the help is
    printed.
    """
    parser = Parser(prog="course.py", description="An interactive course on asynchronous Python.")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command")
    _add_commands(commands)
    if not arguments:
        parser.print_help()
        raise SystemExit(0)
    known = ", ".join(commands.choices)
    if not arguments[0].startswith("-") and arguments[0] not in commands.choices:
        raise Problem(f"unknown command '{arguments[0]}'; there are: {known}")
    options = parser.parse_args(arguments)
    if options.command is None:
        raise Problem(f"no command; there are: {known}")
    return options


def _add_commands(commands: Any) -> None:
    """Tell argparse all commands and their options."""
    add = functools.partial(
        commands.add_parser, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    lab = add("lab", help="open JupyterLab on the first lesson", description=LAB)
    _pass_on(lab, "JupyterLab")
    lab.add_argument(
        "--port",
        type=int,
        metavar="N",
        help="listen on this port (default: 8888, or the next that is free)",
    )
    lab.add_argument("--no-browser", action="store_true", help="print the address, open no browser")
    lab.add_argument(
        "--extras",
        action="store_true",
        help="get PostgreSQL for lesson 19 and Dask for lesson 21 too (30 MB more)",
    )
    test = add("test", help="run the tests", description=TEST)
    _pass_on(test, "pytest")
    how_much = test.add_mutually_exclusive_group()
    how_much.add_argument(
        "--quick",
        action="store_true",
        help="run a few tests of each part of the course, in less than three minutes",
    )
    how_much.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="PYTHON",
        help="then run the notebooks, the coach's and the loop's tests on this "
        "Python too: a version such as 3.11, or a path (may be given again)",
    )
    doctor = add(
        "doctor",
        help="say what is right, what is wrong, and what to type",
        description="Say what is right, what is wrong, and what to type; "
        "exit status 1 if anything is wrong.",
    )
    doctor.add_argument(
        "--room",
        nargs="*",
        metavar="LESSON",
        help="look at what a class needs too: ports, memory, network, and how long these lessons "
        "take here (default: 05, 12, 14 and 17)",
    )
    bench = add(
        "bench",
        help="measure what the course's tools cost on this machine",
        description="Measure what the course's tools cost on this machine, "
        "beside other tools on the same work.",
    )
    instead = bench.add_mutually_exclusive_group()
    instead.add_argument(
        "--room",
        type=int,
        metavar="N",
        help="instead: N learners open a lesson at once; numbers of lessons may follow after --",
    )
    instead.add_argument(
        "--hub",
        type=int,
        metavar="N",
        help="instead: N learners on a JupyterHub open a lesson at once; numbers of lessons may "
        "follow after --",
    )
    instead.add_argument(
        "--halts",
        action="store_true",
        help="instead: the lessons on a machine that stops for up to half a second again and "
        "again; numbers of lessons may follow after --",
    )
    instead.add_argument(
        "--suites",
        action="store_true",
        help="instead: the tests of aiohttp, anyio and others run on the course's event loop and "
        "on asyncio's (needs a network); names of projects may follow after --",
    )
    instead.add_argument(
        "--right",
        type=int,
        metavar="N",
        help="instead: each right program of the exercises is judged N times; names of exercises "
        "or numbers of lessons may follow after --",
    )
    bench.add_argument(
        "--busy",
        type=int,
        default=0,
        metavar="N",
        help="with --right: N processes compute beside it",
    )
    _pass_on(bench, "the benchmark")
    links = add("links", help="print links that open the course elsewhere", description=LINKS)
    links.add_argument(
        "address", metavar="ADDRESS", help="of the repository: https://github.com/owner/name"
    )
    links.add_argument("--branch", metavar="B", help="of it (default: the repository's own)")
    links.add_argument(
        "--lesson",
        action="append",
        default=[],
        metavar="NN",
        help="a link to this lesson too, such as 07 (may be given again)",
    )
    links.add_argument(
        "--hub", metavar="ADDRESS", help="links for this JupyterHub too, which pulls by nbgitpuller"
    )
    site = add("site", help="build the course as pages to read", description=SITE)
    site.add_argument(
        "rest",
        nargs="*",
        metavar="-- LESSON",
        help="numbers of lessons, such as 07: only these are built",
    )
    slides = add("slides", help="make slides of a lesson", description=SLIDES)
    slides.add_argument(
        "lessons", nargs="+", metavar="LESSON", help="a lesson's number, such as 05"
    )
    room = add(
        "class", help="hold a class: a board that shows how the room does", description=CLASS
    )
    room.add_argument(
        "--port",
        type=int,
        metavar="N",
        help="listen on this port (default: 8890, or the next that is free)",
    )
    room.add_argument("--local", action="store_true", help="listen on this machine alone")
    room.add_argument(
        "--new", action="store_true", help="begin anew, even if the last class was cut off"
    )
    room.add_argument(
        "--delete", action="store_true", help="instead: delete all that classes have left here"
    )
    hub = add("hub", help="run a JupyterHub with the course", description=HUB)
    hub.add_argument(
        "--configuration",
        default="try_it",
        metavar="NAME",
        help="a file of teaching/hub/ (default: try_it)",
    )
    hub.add_argument(
        "--port", type=int, default=8000, metavar="N", help="listen on this port (default: 8000)"
    )
    _pass_on(hub, "JupyterHub")
    refresh = add("refresh", help="regenerate all that is generated", description=REFRESH)
    refresh.add_argument(
        "--upgrade",
        action="store_true",
        help="take the newest packages that fit pyproject.toml into the locks",
    )


def _pass_on(command: argparse.ArgumentParser, program: str) -> None:
    command.add_argument(
        "rest", nargs="*", metavar="-- ARGUMENT", help=f"what follows -- goes to {program}"
    )
