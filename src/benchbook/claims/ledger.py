"""Read the ledger's two CSV files: validated claims, with every amendment applied and attached."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from benchbook import project
from benchbook.claims.amendments import apply_amendments
from benchbook.claims.cells import Row, choice, number, read_bytes, read_rows, yes_or_no
from benchbook.claims.experiments import EXPERIMENTS_FILE, check_experiments, load_experiments
from benchbook.claims.record import Amendment, Claim, Rule, Testable
from benchbook.errors import BenchbookError

NOTES = ("000", "001", "002", "003", "004")
COLUMNS = tuple(field.name for field in fields(Claim) if field.name != "amendments")

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
_READ: Mapping[str, Callable[[str, str, str], object]] = {
    **dict.fromkeys(COLUMNS, lambda cell, place, column: cell),
    "rule": partial(choice, Rule), "testable": partial(choice, Testable),
    **dict.fromkeys(("low", "high", "margin"), number), **dict.fromkeys(("primary", "portable"), yes_or_no),
}  # fmt: skip
"""By column, what makes a cell a value; of all others the text is the value."""
_EXPERIMENTS = re.compile(r"([A-Z]\d+(;[A-Z]\d+)*)?")
_CHAPTER = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")


def load_claims(path: Path | None = None) -> dict[str, Claim]:
    """All claims by id, in the ledger's order.

    path: a ledger, by default the project's; its amendments are ``<stem>-amendments.csv`` and the experiments that
    its claims name ``experiments.csv``, both beside it, and both must exist.
    Raises BenchbookError, naming file and row, for a missing file, other columns, a duplicate id, an unknown
    note, experiment, rule or place of testing, a rule without its region, and an amendment that does not fit its claim.
    """
    path = path or project.ledger()
    rows: dict[str, Row] = {}
    for row in read_rows(path, COLUMNS):
        if row["id"] in rows:
            raise BenchbookError(f"{path.name} holds {row['id']} twice", "give every claim its own id")
        rows[row["id"]] = row
    amendments = apply_amendments(rows, path.with_name(f"{path.stem}-amendments.csv"), COLUMNS)
    experiments = load_experiments(path.with_name(EXPERIMENTS_FILE))
    claims = {id_: _claim(row, tuple(amendments.get(id_, ())), path.name) for id_, row in rows.items()}
    for id_, claim in claims.items():
        check_experiments(claim.experiment, experiments, f"{path.name} row {id_!r}")
    return claims


def chapter_claims(chapter: str) -> dict[str, Claim]:
    """The claims that one chapter answers, in the ledger's order.

    Raises BenchbookError when there are none: the chapter's name is then wrong.
    """
    every = load_claims()
    found = {id_: claim for id_, claim in every.items() if claim.chapter == chapter}
    if not found:
        known = ", ".join(sorted({claim.chapter for claim in every.values()}))
        raise BenchbookError(f"no claim belongs to the chapter {chapter!r}", f"use one of {known}")
    return found


def ledger_sha256() -> str:
    """SHA-256 of the ledger's bytes, 64 hex digits: the same as ``sha256sum data/claims.csv``.

    Amendments are not in it: they carry their dates, and the hash shows that the ledger itself never moved.
    """
    return hashlib.sha256(read_bytes(project.ledger())).hexdigest()


def notes_of_trial() -> tuple[str, ...]:
    """The notes that a trial is about, each a text in data/notes; none in the book's own project."""
    if not project.chapters().is_dir():
        return ()
    return tuple(sorted(path.stem for path in (project.ledger().parent / "notes").glob("*.md")))


def _claim(row: Row, amendments: tuple[Amendment, ...], file: str) -> Claim:
    place = f"{file} row {row['id']!r}"
    for column in ("id", "quote", "estimand", "family"):
        if not row[column].strip():
            raise BenchbookError(f"{place} has no {column}", "fill it in")
    notes = notes_of_trial() or NOTES
    if row["note"] not in notes:
        raise BenchbookError(f"{place} has the note {row['note']!r}", f"use one of {', '.join(notes)}")
    if not _CHAPTER.fullmatch(row["chapter"]):
        raise BenchbookError(f"{place} has the chapter {row['chapter']!r}", "use a name such as hot_cold_keys")
    if not _EXPERIMENTS.fullmatch(row["experiment"]):
        raise BenchbookError(f"{place} has the experiment {row['experiment']!r}", "use ids such as L1;L9")
    read: dict[str, Any] = {column: _READ[column](cell, place, column) for column, cell in row.items()}
    claim = Claim(**read, amendments=amendments)
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
