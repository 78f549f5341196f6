"""The process in which answers are judged: `python -m helpers.coach.judging.judge`, started by
`sandbox`.

It reads requests from its standard input and writes verdicts to its standard output, each a
length and a pickle. The answer runs in a worker thread; the main thread watches it and names
what hangs. Code in C that keeps the interpreter to itself is ended by faulthandler, whose
thread needs no interpreter, and its traceback goes to standard error, where the sandbox reads
the line. Whatever happens, the process ends with its parent.
"""

from helpers.coach.judging.pipes import Pipes


def main() -> None:
    """Judge what is asked until nobody is there to ask."""
    pipes = Pipes()
    # Loaded late: the process already ends with its parent, however long this takes.
    from helpers.coach.judging.serving import Server

    server = Server(pipes)
    pipes.keep_to_ourselves()
    pipes.send("ready")
    server.serve()


if __name__ == "__main__":
    main()
