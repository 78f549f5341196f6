#!/usr/bin/env python3
# This file must parse on Python 2.7, so that an old Python can say in one line that it is too
# old: no f-strings, no annotations, no keyword-only parameters, ASCII only. What it calls,
# helpers/commands/, is read only by a Python that is new enough.
"""Open the course, prove it, show it, or mend it.

    python3 course.py lab | test | doctor | bench | site | links | class | refresh

On Windows type py for python3.
It needs nothing but Python 3.11 or newer. Everything else comes from the hashed lock
(requirements.txt) into a virtual environment, the folder .venv beside this file.
"""

import os
import sys

if sys.version_info < (3, 11):
    newer = "py -3.13" if os.name == "nt" else "python3.13"
    sys.stderr.write(
        "course.py: Python 3.11 or newer is needed, this is Python %d.%d.%d; if you have a newer "
        "one, call it by name, such as: %s course.py lab\n" % (sys.version_info[:3] + (newer,))
    )
    sys.exit(2)


def main():
    """Do what the command line says; return the exit status."""
    # First, before any other `helpers`; under -P not even this file's own folder is on the path.
    sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
    # The learner's Python leaves no bytecode in the course, which a full disk could cut short.
    sys.dont_write_bytecode = True
    try:
        from helpers.commands import command_line
    except (ImportError, SyntaxError) as error:
        sys.stderr.write(
            "course.py: the course is not whole (%s); this shows what is missing: git status\n"
            % error
        )
        return 2
    return command_line.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
