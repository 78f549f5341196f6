"""Write the transcripts of some lessons anew, or of all: `python -m tests.transcripts 10 15`."""

import sys

from tests import transcripts


def main(chosen):
    if not transcripts.quotes_this_python():
        return "The transcripts quote Python {}.{}: write them with that.".format(
            *transcripts.NEWEST
        )
    known = transcripts.lessons()
    if unknown := set(chosen) - set(known):
        return f"There is no lesson {', '.join(sorted(unknown))}; there are {', '.join(known)}."
    for lesson in chosen or known:
        try:
            messages = transcripts.messages_of(lesson)
        except transcripts.Unsteady as error:
            return f"Lesson {lesson} was not written. {error}"
        text = transcripts.transcript(lesson, messages)
        transcripts.path_of(lesson).write_text(text, encoding="utf-8", newline="\n")
        print(transcripts.path_of(lesson))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
