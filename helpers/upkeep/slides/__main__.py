"""Make slides of lessons and say where they are; the exit status is 1 where they can't be made."""

import sys

from helpers.basics.project import PROJECT
from helpers.upkeep.refresh import read
from helpers.upkeep.site.build import SITE, lessons_of
from helpers.upkeep.site.running import Run, exit_status, run_all
from helpers.upkeep.slides.page import page
from helpers.upkeep.slides.turns import notes_of, slides

FOLDER = SITE / "_build" / "slides"


def main(numbers: list[str]) -> int:
    """Make a file of each of these lessons; return the exit status."""
    return exit_status("slides", lambda: make(numbers))


def make(numbers: list[str]) -> None:
    """Make the files, and print their paths. Raises Failed where a lesson doesn't run."""
    runs = [Run(path, read(path), SITE / "_build" / "kept") for path in lessons_of(numbers)]
    run_all(runs)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for run in runs:
        guide = PROJECT / "teaching" / f"{run.path.stem}.md"
        notes = notes_of(guide.read_text(encoding="utf-8")) if guide.exists() else {}
        title = run.notebook.cells[0].source.partition("\n")[0].lstrip("# ")
        file = FOLDER / f"{run.path.stem}.html"
        file.write_text(page(slides(run.notebook, notes), title), encoding="utf-8", newline="\n")
        print(file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
