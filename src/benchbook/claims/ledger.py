"""The ledger's two CSV files go in; validated claims come out, with every amendment applied and attached."""

from __future__ import annotations

import csv
import hashlib
import io
import math
import re
from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from benchbook import project
from benchbook.claims.record import Amendment, Claim, Rule, Testable
from benchbook.errors import BenchbookError

NOTES = ("000", "001", "002", "003", "004")
COLUMNS = tuple(field.name for field in fields(Claim) if field.name != "amendments")
AMENDMENT_COLUMNS = ("id", "column", "old", "new", "date", "reason", "data_seen")

_EDGES = {
    Rule.INSIDE: ("low", "high"),
    Rule.GREATER: ("low",),
    Rule.LESS: ("high",),
    Rule.NO_DIFFERENCE: (),
    Rule.EXISTS: ("low",),
    Rule.ARITHMETIC: ("low", "high"),
    Rule.PROSE: (),
}
_NEEDS_MARGIN = {Rule.GREATER, Rule.LESS, Rule.NO_DIFFERENCE}
_EXPERIMENTS = re.compile(r"([A-Z]\d+(;[A-Z]\d+)*)?")
_CHAPTER = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")

Choice = TypeVar("Choice", bound=StrEnum)
Row = dict[str, str]


def load_claims(path: Path | None = None) -> dict[str, Claim]:
    """All claims by id, in the ledger's order.

    path: a ledger, by default the project's; its amendments are ``<stem>-amendments.csv`` beside it, which must exist.
    Raises BenchbookError, naming file and row, for a missing file, other columns, a duplicate id, an unknown
    note, rule or place of testing, a rule without its region, and an amendment that does not fit its claim.
    """
    path = path or project.ledger()
    rows: dict[str, Row] = {}
    for row in _rows(path, COLUMNS):
        if row["id"] in rows:
            raise BenchbookError(f"{path.name} holds {row['id']} twice", "give every claim its own id")
        rows[row["id"]] = row
    amendments = _amend(rows, path.with_name(f"{path.stem}-amendments.csv"))
    return {id_: _claim(row, tuple(amendments.get(id_, ())), path.name) for id_, row in rows.items()}


def chapter_claims(chapter: str, claims: Mapping[str, Claim] | None = None) -> dict[str, Claim]:
    """The claims that one chapter answers, in the ledger's order.

    Raises BenchbookError when there are none: the chapter's name is then wrong.
    """
    every = load_claims() if claims is None else claims
    found = {id_: claim for id_, claim in every.items() if claim.chapter == chapter}
    if not found:
        known = ", ".join(sorted({claim.chapter for claim in every.values()}))
        raise BenchbookError(f"no claim belongs to the chapter {chapter!r}", f"use one of {known}")
    return found


def ledger_sha256(path: Path | None = None) -> str:
    """SHA-256 of the ledger's bytes, 64 hex digits: the same as ``sha256sum data/claims.csv``.

    Amendments are not in it: they carry their dates, and the hash shows that the ledger itself never moved.
    """
    return hashlib.sha256(_read(path or project.ledger())).hexdigest()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BenchbookError(f"{path} cannot be read ({error.strerror})", "restore it from git") from error


def _rows(path: Path, columns: tuple[str, ...]) -> list[Row]:
    try:
        text = _read(path).decode("utf-8")
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


def _amend(rows: Mapping[str, Row], path: Path) -> dict[str, list[Amendment]]:
    found: dict[str, list[Amendment]] = {}
    for number, line in enumerate(_rows(path, AMENDMENT_COLUMNS), start=1):
        place = f"{path.name} row {number} ({line['id']}, {line['column']})"
        row = rows.get(line["id"])
        if row is None or line["column"] not in COLUMNS or line["column"] == "id":
            raise BenchbookError(f"{place} names no claim and column of the ledger", "correct the id or the column")
        if row[line["column"]] != line["old"]:
            raise BenchbookError(
                f"{place} says that the value was {line['old']!r}, but it is {row[line['column']]!r}",
                "copy the old value from the ledger or from the amendment before",
            )
        try:
            date.fromisoformat(line["date"])
        except ValueError as error:
            raise BenchbookError(f"{place} has the date {line['date']!r}", "write it as 2026-01-31") from error
        if not line["reason"].strip():
            raise BenchbookError(f"{place} gives no reason", "say why the ledger was wrong")
        seen = _yes_or_no(line["data_seen"], place, "data_seen")
        row[line["column"]] = line["new"]
        found.setdefault(line["id"], []).append(
            Amendment(line["id"], line["column"], line["old"], line["new"], line["date"], line["reason"], seen)
        )
    return found


def _claim(row: Row, amendments: tuple[Amendment, ...], file: str) -> Claim:
    place = f"{file} row {row['id']!r}"
    for column in ("id", "quote", "estimand", "family"):
        if not row[column].strip():
            raise BenchbookError(f"{place} has no {column}", "fill it in")
    if row["note"] not in NOTES:
        raise BenchbookError(f"{place} has the note {row['note']!r}", f"use one of {', '.join(NOTES)}")
    if not _CHAPTER.fullmatch(row["chapter"]):
        raise BenchbookError(f"{place} has the chapter {row['chapter']!r}", "use a name such as hot_cold_keys")
    if not _EXPERIMENTS.fullmatch(row["experiment"]):
        raise BenchbookError(f"{place} has the experiment {row['experiment']!r}", "use ids such as L1;L9")
    claim = Claim(
        id=row["id"],
        note=row["note"],
        section=row["section"],
        quote=row["quote"],
        kind=row["kind"],
        chapter=row["chapter"],
        experiment=row["experiment"],
        metric=row["metric"],
        unit=row["unit"],
        estimand=row["estimand"],
        rule=_choice(Rule, row["rule"], place, "rule"),
        low=_number(row["low"], place, "low"),
        high=_number(row["high"], place, "high"),
        margin=_number(row["margin"], place, "margin"),
        family=row["family"],
        primary=_yes_or_no(row["primary"], place, "primary"),
        testable=_choice(Testable, row["testable"], place, "testable"),
        portable=_yes_or_no(row["portable"], place, "portable"),
        elsewhere=row["elsewhere"],
        reading=row["reading"],
        amendments=amendments,
    )
    _check_region(claim, place)
    if claim.testable is Testable.ELSEWHERE and not claim.elsewhere.strip():
        raise BenchbookError(f"{place} is testable elsewhere but does not say where", "fill in its column elsewhere")
    if (claim.rule is Rule.PROSE) != (claim.testable is Testable.NO):
        raise BenchbookError(
            f"{place} is {claim.rule} and testable {claim.testable}", "prose goes with no, and only so"
        )
    return claim


def _check_region(claim: Claim, place: str) -> None:
    for edge in _EDGES[claim.rule]:
        if getattr(claim, edge) is None:
            raise BenchbookError(f"{place} has the rule {claim.rule} but no {edge}", f"fill in its column {edge}")
    if claim.low is not None and claim.high is not None and claim.low > claim.high:
        raise BenchbookError(f"{place} has low {claim.low:g} above high {claim.high:g}", "exchange them")
    if claim.rule in _NEEDS_MARGIN and (claim.margin is None or claim.margin < 0):
        raise BenchbookError(f"{place} has the rule {claim.rule} but no margin from 0 up", "fill in its column margin")
    if claim.rule is Rule.NO_DIFFERENCE:
        margin = claim.margin or 0.0
        if not 0 < margin < 1:
            raise BenchbookError(f"{place} allows a difference of {margin:g}", "give a margin between 0 and 1")
        for edge, bound in (("low", 1 - margin), ("high", 1 + margin)):
            value = getattr(claim, edge)
            if claim.unit == "ratio" and value is not None and not math.isclose(value, bound, rel_tol=1e-9):
                raise BenchbookError(
                    f"{place} has {edge} {value:g} but margin {margin:g}", f"give {bound:g} or nothing"
                )


def _choice(kind: type[Choice], value: str, place: str, column: str) -> Choice:
    try:
        return kind(value)
    except ValueError as error:
        raise BenchbookError(f"{place} has the {column} {value!r}", f"use one of {', '.join(kind)}") from error


def _number(value: str, place: str, column: str) -> float | None:
    if value == "":
        return None
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BenchbookError(f"{place} has the {column} {value!r}", "give a finite number, or nothing")
    return number


def _yes_or_no(value: str, place: str, column: str) -> bool:
    if value not in ("yes", "no"):
        raise BenchbookError(f"{place} has the {column} {value!r}", "write yes or no")
    return value == "yes"
