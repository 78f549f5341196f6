"""Markdown as JupyterLab reads it: the headings, links, images, italics and HTML of some texts."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import mistune

Token = dict[str, Any]

# JupyterLab knows tables as well, and makes a link of a bare address.
_parse = mistune.create_markdown(renderer="ast", plugins=["table", "url"])


class Link(NamedTuple):
    """A link, or an image: its words are what it says, or the image's alternative text."""

    is_image: bool
    words: str
    target: str


def blocks(*texts: str) -> list[Token]:
    """The blocks of these texts, in order; each text is read for itself, as a cell is."""
    return [block for text in texts for block in _parse(text)]


def headings(found: list[Token]) -> list[tuple[int, str]]:
    """(level, words) of every heading, in order."""
    return [(one["attrs"]["level"], words(one)) for one in _walk(found) if _is_heading(one)]


def links(found: list[Token]) -> list[Link]:
    """Every link and image, in order; a link around an image comes before it."""
    return [
        Link(one["type"] == "image", words(one), one["attrs"]["url"])
        for one in _walk(found)
        if one["type"] in ("link", "image")
    ]


def emphasised(found: list[Token]) -> list[str]:
    """The words of all that stands in italics, in order."""
    return [words(one) for one in _walk(found) if one["type"] == "emphasis"]


def html(found: list[Token]) -> str:
    """All that is HTML, and not Markdown."""
    return "".join(one["raw"] for one in _walk(found) if one["type"].endswith("_html"))


def words(token: Token) -> str:
    """The text of a block or of a part of one, without the marks."""
    if token["type"] in ("softbreak", "linebreak"):
        return " "
    return token.get("raw", "") + "".join(map(words, token.get("children", ())))


def parted(found: list[Token], heading: str) -> tuple[list[Token], list[Token]]:
    """The blocks before the first heading of these words, and those from there on."""
    for number, block in enumerate(found):
        if _is_heading(block) and words(block) == heading:
            return found[:number], found[number:]
    return found, []


def _is_heading(token: Token) -> bool:
    return token["type"] == "heading"


def _walk(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.get("children", []))
