"""What `course.py` can do: a file for each command, and beside them what the commands stand on.

All of it runs before there is an environment, so it needs the standard library alone and imports
nothing else of `helpers`. `command_line` reads what was typed and calls `run` in the command's
file, such as `lab`. To add a command, write such a file and name it there.
"""
