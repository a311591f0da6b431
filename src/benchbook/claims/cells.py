"""Read a CSV file and its cells as plain rows, numbers and words, or raise an error that names the place."""

from __future__ import annotations

import csv
import io
import math
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from benchbook import nofollow
from benchbook.errors import BenchbookError

Choice = TypeVar("Choice", bound=StrEnum)
Row = dict[str, str]


def read_bytes(path: Path) -> bytes:
    """The bytes of a file in ``data``; BenchbookError when it cannot be read, or is a link or a device."""
    try:
        return nofollow.content(path, levels=nofollow.DATA)
    except OSError as error:
        raise BenchbookError(f"{path} cannot be read ({error.strerror})", "restore it from git") from error


def read_rows(path: Path, columns: tuple[str, ...]) -> list[Row]:
    """The rows of a CSV file that has exactly these columns, each cell as text; BenchbookError otherwise."""
    try:
        text = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BenchbookError(f"{path.name} is not UTF-8 at byte {error.start}", "restore it from git") from error
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    if tuple(reader.fieldnames or ()) != columns:
        raise BenchbookError(f"{path.name} has the columns {reader.fieldnames}", f"it must have {', '.join(columns)}")
    rows = []
    try:
        for row in reader:
            if None in row or None in row.values():
                raise BenchbookError(
                    f"{path.name} line {reader.line_num} has too few or too many cells", "quote commas"
                )
            rows.append(dict(row))
    except csv.Error as error:
        raise BenchbookError(f"{path.name} line {reader.line_num}: {error}", "restore it from git") from error
    return rows


def choice(kind: type[Choice], value: str, place: str, column: str) -> Choice:
    """The member of an enumeration that a cell names."""
    try:
        return kind(value)
    except ValueError as error:
        raise BenchbookError(f"{place} has the {column} {value!r}", f"use one of {', '.join(kind)}") from error


def number(value: str, place: str, column: str) -> float | None:
    """The finite number in a cell; None for an empty one."""
    if value == "":
        return None
    try:
        found = float(value)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise BenchbookError(f"{place} has the {column} {value!r}", "give a finite number, or nothing")
    return found


def yes_or_no(value: str, place: str, column: str) -> bool:
    """True for yes, False for no."""
    if value not in ("yes", "no"):
        raise BenchbookError(f"{place} has the {column} {value!r}", "write yes or no")
    return value == "yes"
