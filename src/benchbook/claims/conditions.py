"""What a claim of a note on trial says of its conditions, as parameters, and how a run departs from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchbook import project
from benchbook.claims.cells import number, read_rows
from benchbook.errors import BenchbookError

FILE = "conditions.csv"
"""Beside the ledger of a trial; the book's own chapters say in code how a run departs."""
COLUMNS = ("id", "parameter", "low", "high")
NONE = "none"
"""In place of a parameter: the note's words name no condition."""


@dataclass(frozen=True)
class Condition:
    """Where a parameter must lie, each value of a list: between low and high, or with one of them alone above or below.

    word: what a text or a flag must be; "" for numbers.
    """

    parameter: str
    low: float | None
    high: float | None
    word: str = ""

    @property
    def asked(self) -> str:
        """In words, such as "50", "at least 60", "1,024 to 8,192"."""
        if self.word:
            return self.word
        low, high = (None if each is None else f"{each:,.6g}" for each in (self.low, self.high))
        if low == high:
            return str(low)
        return f"{low} to {high}" if low and high else f"at least {low}" if low else f"at most {high}"

    def met(self, value: Any) -> bool:
        """Whether a parameter's value, or each of a list, is as asked."""
        values = value if isinstance(value, list | tuple) else [value]
        return all(self._met(each) for each in values)

    def _met(self, value: Any) -> bool:
        if self.word or isinstance(value, bool | str):  # a number is none of a text
            return str(value).lower() == self.word.lower()
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


def of(claim: str) -> tuple[Condition, ...] | None:
    """The conditions of a claim, none where its words name none; None where nobody has written them down.

    Raises BenchbookError, with file and row, for a row that bounds nothing.
    """
    path = project.ledger().with_name(FILE)
    return _load(path, path.stat().st_mtime_ns).get(claim) if path.is_file() else None


def departures(claim: str, parameters: Mapping[str, Any]) -> Iterator[str]:
    """Each way in which a run of these parameters departs from what the claim names, as half a sentence."""
    for each in of(claim) or ():
        if each.parameter in parameters and not each.met(parameters[each.parameter]):
            value = parameters[each.parameter]
            shown = ", ".join(map(_text, value)) if isinstance(value, list | tuple) else _text(value)
            yield f"{each.parameter} is {shown} where the claim names {each.asked}"


def _text(value: Any) -> str:
    return f"{value:,.6g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value).lower()


@cache
def _load(path: Path, _changed: int) -> dict[str, tuple[Condition, ...]]:
    found: dict[str, tuple[Condition, ...]] = {}
    for row in read_rows(path, COLUMNS):
        given = () if row["parameter"] == NONE else (_condition(row, f"{path.name} row {row['id']!r}"),)
        found[row["id"]] = (*found.get(row["id"], ()), *given)
    return found


def _condition(row: Mapping[str, str], place: str) -> Condition:
    low, high = row["low"].strip(), row["high"].strip()
    if not low and not high:
        raise BenchbookError(f"{place} bounds {row['parameter']} on no side", f"fill in low, high, or {NONE!r} for it")
    if low and low == high and not _is_number(low):
        return Condition(row["parameter"], None, None, low)
    condition = Condition(row["parameter"], number(low, place, "low"), number(high, place, "high"))
    if condition.low is not None and condition.high is not None and condition.low > condition.high:
        raise BenchbookError(f"{place} has low {low} above high {high}", "exchange them")
    return condition


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
