"""Numbers, times and places: in the short words in which every command prints them, and as users write them."""

import math
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import typer
from rich.cells import cell_len, set_cell_size

from benchbook.durations import duration
from benchbook.errors import BenchbookError, printable

__all__ = ["duration", "moment", "place", "print_table", "seconds", "share", "size"]

_UNITS_S = {"h": 3_600.0, "m": 60.0, "s": 1.0}


def size(count: int) -> str:
    """Bytes, such as "312 bytes", "4.2 kB", "13.1 MB"."""
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1e3:.1f} kB" if count < 1e6 else f"{count / 1e6:.1f} MB"


def place(path: Path) -> str:
    """The path as seen from the working directory, whole when it lies elsewhere."""
    here = Path.cwd().resolve()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def moment(iso: str | None) -> str:
    """A stored UTC time to the minute."""
    try:
        return datetime.fromisoformat(iso or "").strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return ""


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table on standard output, as wide as it needs to be: an id that is broken in two cannot be copied.

    Not by rich's Table, which takes a second for a thousand rows.
    """
    columns, rows = [*map(printable, columns)], [[*map(printable, row)] for row in rows]
    widths = [max(map(cell_len, cells)) for cells in zip(columns, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(set_cell_size(cell, width) for cell, width in zip(cells, widths, strict=True)).rstrip()

    typer.echo(typer.style(line(columns), bold=True))
    typer.echo("\n".join(["─" * (sum(widths) + 2 * len(widths) - 2), *map(line, rows)]))


def share(text: str) -> float:
    """A half-width as a share: "2%", "2 %" and "0.02" are the same.

    Raises BenchbookError for anything else, and for what is not above 0 and below 1.
    """
    plain = text.strip()
    percent = plain.endswith("%")
    try:
        value = float(plain.removesuffix("%").strip()) / (100 if percent else 1)
    except ValueError:
        value = math.nan
    if not 0 < value < 1:
        hint = f"; did you mean {plain}%?" if not percent and 1 <= value < 100 else ""
        raise BenchbookError(f"{text!r} is not a half-width between 0 and 100 %{hint}", "give one such as 2% or 0.02")
    return value


def seconds(text: str) -> float:
    """A time such as "3h", "90m", "60s" or "1.5 h" in seconds; raises BenchbookError for anything else."""
    plain = text.strip()
    try:
        value = float(plain[:-1].strip()) * _UNITS_S[plain[-1:]]
    except (ValueError, KeyError):
        value = math.nan
    if not 0 < value < math.inf:
        raise BenchbookError(f"{text!r} is not a time", "give one such as 3h, 90m or 60s")
    return value
