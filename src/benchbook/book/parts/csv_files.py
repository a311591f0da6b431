"""Tables as CSV that programs and spreadsheets read alike."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from benchbook.book.parts.tables import cell_text

MARK = "\ufeff"
"""What a file begins with, or spreadsheets on Windows read its µ and × in another encoding."""
DECIMALS = (
    "Numbers in a CSV file have a decimal point: a spreadsheet with decimal commas opens it by Data, From Text/CSV, "
    "with English numbers."
)
_FORMULA = ("=", "+", "-", "@")


def text(columns: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """A table with a head row, without MARK: numbers with all their digits, missing values empty.

    A text that a spreadsheet would take for a formula has an apostrophe before it, as OWASP advises; a number has none.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_cell(column) for column in columns])
    writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()


def _cell(value: Any) -> str:
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
