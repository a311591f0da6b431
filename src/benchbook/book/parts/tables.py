"""Tables of a page, numbers rounded for reading, and as CSV that programs and spreadsheets read alike.

Missing values are left empty in both.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from docutils import nodes

from benchbook.book.parts.nodes import SiteLink

ROWS_SHOWN = 20
CSV_MARK = "\ufeff"
"""What a CSV file begins with, or spreadsheets on Windows read its µ and × in another encoding."""
DECIMALS = (
    "Numbers in a CSV file have a decimal point: a spreadsheet with decimal commas opens it by Data, From Text/CSV, "
    "with English numbers."
)
_FORMULA = ("=", "+", "-", "@")

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


def csv_text(columns: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """A table with a head row, without CSV_MARK: numbers with all their digits, missing values empty.

    A text that a spreadsheet would take for a formula has an apostrophe before it, as OWASP advises; a number has none.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_csv_cell(column) for column in columns])
    writer.writerows([_csv_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _csv_cell(value: Any) -> str:
    if isinstance(value, float):
        return repr(value)
    shown = cell_text(value)
    formula = isinstance(value, str) and shown.lstrip().startswith(_FORMULA) and not _is_number(shown)
    return f"'{shown}" if formula else shown


def _is_number(shown: str) -> bool:
    try:
        float(shown)
    except ValueError:
        return False
    return True
