"""The entries of "It happened to me", as the site lists them.

Each is a file `site/happened/SLUG.md`: MyST Markdown that myst-nb runs. Its front matter says

- `error`: the text that Python shows, in which `…` stands for anything; or a list of several that
  the example shows; or, where Pythons differ, a map of texts by the first Python that says so.
- `symptom`: what somebody sees who sees no error, or doesn't know what to make of it; it stands
  beside `error`, or alone;
- `shows`, where there is no `error`: a text in what the example prints;
- `mended`: a text in what the mended example prints;
- `lesson`: the lessons that explain it, each a number and, after `#`, a heading's anchor;
- `keywords`: what else somebody may look for.

Then come one H1; the answer in a sentence or two; the example; **Why.**; **What to do.** with the
mended example; **Lessons.**
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from helpers.basics.project import PROJECT

FOLDER = PROJECT / "site" / "happened"

_FRONT_MATTER = re.compile(r"\A---\n(.*?\n)---\n\s*", flags=re.DOTALL)


class Entry(NamedTuple):
    """One entry: its file, its front matter, and the Markdown that follows."""

    path: Path
    front: dict[str, Any]
    text: str

    @property
    def title(self) -> str:
        """The words of its H1."""
        return self.text.partition("\n")[0].removeprefix("# ")

    @property
    def answer(self) -> str:
        """What to do, in a sentence or two: the paragraph below the H1."""
        return self.text.split("\n\n")[1]

    @property
    def errors(self) -> list[str]:
        """The error texts that lead here, of any Python; none where only a symptom does."""
        error = self.front.get("error", [])
        return list(error.values()) if isinstance(error, dict) else _listed(error)

    def shows(self, python: tuple[int, int]) -> list[str]:
        """The texts that the example shows on a Python, such as (3, 13)."""
        error = self.front.get("error", self.front.get("shows"))
        if not isinstance(error, dict):
            return _listed(error)
        since = {tuple(map(int, version.split("."))): text for version, text in error.items()}
        return [since[max(version for version in since if version <= python)]]


def entries(folder: Path = FOLDER) -> Iterator[Entry]:
    """Read every entry in `folder`, in the order of their file names.

    Raises ValueError for a file that doesn't begin with front matter.
    """
    for path in sorted(folder.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        front = _FRONT_MATTER.match(text)
        if front is None:
            raise ValueError(f"{path.name} does not begin with front matter, between two ---.")
        yield Entry(path, yaml.safe_load(front[1]), text[front.end() :])


def pattern(text: str) -> re.Pattern[str]:
    """Return a pattern that finds `text`, where `…` stands for anything, across lines too."""
    return re.compile(".*?".join(map(re.escape, text.split("…"))), flags=re.DOTALL)


def page(found: Iterator[Entry]) -> str:
    """Return the page that lists these entries, as MyST Markdown: errors first, then symptoms.

    It belongs beside the entries' files, which it links.
    """
    errors, symptoms = [], []
    for entry in found:
        leads = f"]({entry.path.name})  \n  {entry.answer}"
        errors += [f"- [{_code(error)}{leads}" for error in entry.errors]
        if "symptom" in entry.front:
            symptoms.append(f"- [{entry.front['symptom']}{leads}")
    return "\n".join(
        [
            "# It happened to me\n",
            "Find what you saw. Each page shows it in a few lines, says why it happens, and mends "
            "it.\n",
            "## By the error's text\n",
            *sorted(errors, key=_without_marks),
            "\n## By what you see\n",
            *sorted(symptoms, key=_without_marks),
            "",
        ]
    )


def _listed(value):
    return [value] if isinstance(value, str) else value


def _code(text):
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _without_marks(line):
    return re.sub(r"\W+", " ", line).lower()
