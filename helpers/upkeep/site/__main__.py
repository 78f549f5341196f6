"""Build the site and say where it is; the exit status is 1 where it can't be built."""

import sys
import time

from helpers.upkeep.pages import happened
from helpers.upkeep.site.build import LESSONS, SITE, Site, lessons_of
from helpers.upkeep.site.running import exit_status


def main(numbers: list[str]) -> int:
    """Build the site of these lessons, or of all; return the exit status."""
    return exit_status("site", lambda: build(numbers))


def build(numbers: list[str]) -> None:
    """Build it, and print where it is. Raises Failed where it can't be built."""
    begun = time.monotonic()
    folder = SITE / "_build"
    lessons = lessons_of(numbers)
    entries = list(happened.entries()) if lessons == LESSONS else []
    Site(folder, lessons, entries).build()
    print(f"The site is built: {time.monotonic() - begun:.0f} s.")
    print(f"Pages: {folder / 'html' / 'index.html'}")
    print(*(f"EPUB:  {book}" for book in (folder / "epub").glob("*.epub")), sep="\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
