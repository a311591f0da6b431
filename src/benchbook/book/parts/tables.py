"""Tables of a page; numbers rounded for reading, missing values left empty."""

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from docutils import nodes

from benchbook.book.parts.nodes import SiteLink

ROWS_SHOWN = 20

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?( UTC)?")

Cell: TypeAlias = str | nodes.Node | list[nodes.Node]
"""A text, an inline node, or several block nodes."""


def cell_text(value: Any) -> str:
    """A value as a reader wants it: six significant digits, and nothing where nothing was measured."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def coded(text: str) -> list[nodes.Node]:
    """Text with what stands between backquotes as code; an unpaired one is left as it is."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return [nodes.Text(text)]
    return [nodes.literal("", part) if place % 2 else nodes.Text(part) for place, part in enumerate(parts)]


def table(columns: Sequence[str], rows: Sequence[Sequence[Cell]], classes: Sequence[str] = ()) -> nodes.table:
    """A table with a head row. A cell that is a text may have code between backquotes; a date is not broken."""
    group = nodes.tgroup(cols=len(columns))
    group += [nodes.colspec(colwidth=1) for _ in columns]
    group += nodes.thead("", _row(columns))
    group += nodes.tbody("", *(_row(row) for row in rows))
    return nodes.table("", group, classes=list(classes))


def _row(cells: Sequence[Cell]) -> nodes.row:
    row = nodes.row()
    for cell in cells:
        if isinstance(cell, list):
            row += nodes.entry("", *cell)
        elif isinstance(cell, str):
            whole = ["benchbook-whole-cell"] if _MOMENT.fullmatch(cell) else []
            row += nodes.entry("", *coded(cell), classes=whole)  # a paragraph would be most of a large table's HTML
        else:
            row += nodes.entry("", nodes.paragraph("", "", cell))
    return row


def data_table(data: dict[str, Any], whole: str = "") -> list[nodes.Node]:
    """The data behind a figure: all rows up to ROWS_SHOWN, else the first of them and a sentence that says so.

    data: ``columns`` and ``data`` (rows), as pandas writes a table with orient="split". whole: the file with all rows,
    from the top of the book; "" where it has none.
    """
    rows = data["data"]
    shown = [[cell_text(value) for value in row] for row in rows[:ROWS_SHOWN]]
    parts: list[nodes.Node] = [table([str(column) for column in data["columns"]], shown, ["benchbook-data-table"])]
    if len(rows) > ROWS_SHOWN:
        line = nodes.paragraph("", f"The first {ROWS_SHOWN} of {len(rows):,} rows", classes=["benchbook-whole"])
        if whole:
            line += [nodes.Text("; all are in "), SiteLink(path=whole, words="the CSV file", download=True)]
        line += nodes.Text(".")
        parts.append(line)
    return parts
