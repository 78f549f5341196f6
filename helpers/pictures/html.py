"""HTML of what a notebook shows beside pictures: elements, and one builder of tables.

What is put in is escaped, unless it is HTML that was made here (markupsafe's `Markup`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

__all__ = ["Column", "bundle", "element", "table"]


def bundle(html: Markup, text: str) -> dict[str, str]:
    """What a cell shows: HTML, and its twin in words for where there is none.

    It leaves as plain text: whoever adds something to `Markup` would find that escaped.
    """
    return {"text/html": str(html), "text/plain": text}


def element(tag: str, *inside: object, **attributes: object) -> Markup:
    """An HTML element: element("p", "a < b", role="alert") → <p role="alert">a &lt; b</p>.

    inside: words, which are escaped, and elements.
    attributes: an empty one is left out; `class_` stands for `class`.
    """
    # Markup's own `format` takes five times as long, and a ledger has a thousand elements.
    given = "".join(
        f' {name.rstrip("_")}="{escape(value)}"'
        for name, value in attributes.items()
        if value != ""
    )
    return Markup(f"<{tag}{given}>{''.join(map(escape, inside))}</{tag}>")


class Column(NamedTuple):
    """A column of a table. head_style, style: CSS of its head and of its cells."""

    head: str
    head_style: str = ""
    style: str = ""
    width: str = ""


def table(
    rows: Iterable[Sequence[object]] | Mapping[str, Iterable[Sequence[object]]],
    columns: Sequence[Column | str] = (),
    *,
    caption: str = "",
    style: str = "",
    named: bool = True,
) -> Markup:
    """An HTML table that a screen reader can tell by rows and columns.

    rows: of cells; or a dict {heading: rows}, a part of the table under each heading.
    columns: their heads alone if they need no more; none for a table without a head.
    named: whether the first cell of a row names it.
    """
    columns = [Column(one) if isinstance(one, str) else one for one in columns]
    parts = []
    if caption:
        parts.append(element("caption", caption))
    if any(column.width for column in columns):
        widths = [Markup('<col style="width: {}">').format(column.width) for column in columns]
        parts.append(element("colgroup", *widths))
    if columns:
        heads = [element("th", one.head, scope="col", style=one.head_style) for one in columns]
        parts.append(element("thead", element("tr", *heads)))
    groups = rows if isinstance(rows, Mapping) else {"": rows}
    for heading, group in groups.items():
        body = [_heading(heading, columns)] if heading else []
        body += [_row(cells, columns, named) for cells in group]
        parts.append(element("tbody", *body))
    return element("table", *parts, style=style)


def _heading(words: str, columns: Sequence[Column]) -> Markup:
    across = {"colspan": len(columns), "scope": "rowgroup", "style": columns[0].style}
    return element("tr", element("th", words, **across), class_="group")


def _row(cells: Sequence[object], columns: Sequence[Column], named: bool) -> Markup:
    styles = [column.style for column in columns] or [""] * len(cells)
    made = [element("td", cell, style=style) for cell, style in zip(cells, styles, strict=True)]
    if named:
        made[0] = element("th", cells[0], scope="row", style=styles[0])
    return element("tr", *made)
