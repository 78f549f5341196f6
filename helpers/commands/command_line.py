"""What was typed after `course.py`: which command it means, with which options, and its end."""

import argparse
import errno
import importlib
import sys
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from .ground import DISK_NEEDED, ROOT, Problem


class Command(NamedTuple):
    """A command in the overview. passes_on: whom the arguments after `--` go to, if to anybody."""

    summary: str
    passes_on: str | None = None


# Each is a file of this folder: its docstring is the command's help, `run(options)` does it and
# returns the exit status, `add_options(parser)` tells the options, where there are any.
COMMANDS = {
    "lab": Command("open JupyterLab on the first lesson", passes_on="JupyterLab"),
    "test": Command("run the tests", passes_on="pytest"),
    "doctor": Command("say what is right, what is wrong, and what to type"),
    "bench": Command("measure what the course's tools cost on this machine"),
    "refresh": Command("regenerate all that is generated"),
}


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; return the exit status."""
    for stream in sys.stdout, sys.stderr:
        stream.reconfigure(errors="backslashreplace")  # a folder's name may not fit the terminal
    try:
        options = parse(arguments)
        return options.run(options)
    except Problem as problem:
        return _fail(str(problem))
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    except OSError as error:
        return _fail(_name_disk_trouble(error))


def _fail(message: str) -> int:
    print(f"course.py: {message}", file=sys.stderr)
    return 2


def _name_disk_trouble(error: OSError) -> str:
    """Say what an OSError means for somebody who only wants to open the course."""
    what = error.strerror or str(error)
    where = error.filename or ROOT
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
        return f"the disk is full ({where}): free {DISK_NEEDED} MB and try again"
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return f"cannot write {where} ({what}): copy the course to a folder of your own"
    return f"{where}: {what}"


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        raise Problem(f"{message}; see: {self.prog} --help")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Turn the command line into options; `options.run` is the command's function.

    Only the file of the command that was named is imported. Raises Problem where no command is
    named or its options are wrong, SystemExit once the help is printed.
    """
    parser = Parser(prog="course.py", description="An interactive course on asynchronous Python.")
    subparsers = parser.add_subparsers(metavar="COMMAND", dest="command")
    named = next((word for word in arguments if word in COMMANDS), None)
    for name, (summary, passes_on) in COMMANDS.items():
        command = subparsers.add_parser(
            name, help=summary, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        if name != named:
            continue
        module = importlib.import_module(f".{name}", __package__)
        command.description = module.__doc__
        command.set_defaults(run=module.run)
        if hasattr(module, "add_options"):
            module.add_options(command)
        if passes_on:
            command.add_argument(
                "rest",
                nargs="*",
                metavar="-- ARGUMENT",
                help=f"what follows -- goes to {passes_on}",
            )

    if not arguments:
        parser.print_help()
        raise SystemExit(0)
    known = ", ".join(COMMANDS)
    if not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
        raise Problem(f"unknown command '{arguments[0]}'; there are: {known}")
    options = parser.parse_args(arguments)
    if options.command is None:
        raise Problem(f"no command; there are: {known}")
    return options
