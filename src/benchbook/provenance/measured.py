"""The code that measures, as a hash over the definitions that a trial reaches, whatever files they stand in.

Comments, docstrings, layout, imports, the words of errors and labels, and definitions that no trial reaches do not
change it; nor does moving a definition, or the order of them. Runs of before 2026-11-26 carry a hash over the syntax of
whole files, those of before 2026-11-23 one over their bytes. ``data/measurement-hashes.csv`` gives for each of these
the hash of today's kind of the very code, read from the commit that the run names; and for a hash of today's kind that
of later code which differs in the definitions named there and asks the same.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Mapping
from functools import cache

from benchbook import project
from benchbook.provenance import bare
from benchbook.provenance.closure import Read, installed
from benchbook.provenance.definitions import reached

MEASURING = (
    "benchbook.accounts",
    "benchbook.children",
    "benchbook.engines",
    "benchbook.experiments",
    "benchbook.files",
    "benchbook.nofollow",
    "benchbook.runner",
    "benchbook.temporary",
    "benchbook.workloads",
)
"""Definitions under these names decide what is measured and how."""
EARLIER = "measurement-hashes.csv"


def measurement_sha256(measuring: Iterable[str]) -> str:
    """Hash over the definitions named and all that they reach, as far as these decide what is measured.

    measuring: full names, such as that of an experiment's session.
    """
    return over(each_reached(measuring))


def same_code(recorded: str | None, measuring: Iterable[str]) -> bool:
    """Whether a run with this recorded hash was measured by these definitions, or by others that ask the same."""
    if recorded is None:
        return False
    table, now = _earlier(), measurement_sha256(measuring)
    passed = [recorded]
    while passed[-1] in table and table[passed[-1]] not in passed:
        passed.append(table[passed[-1]])
    return now in passed


def each_reached(measuring: Iterable[str], read: Read = installed) -> dict[str, str]:
    """The hash of each definition that those named reach, by where it stands, such as "files.py:sha256"."""
    found = reached(measuring, read, within=MEASURING)
    return {place: _sha256("".join(bare.spelled(statements))) for place, statements in found.items()}


def over(definitions: Mapping[str, str]) -> str:
    """Hash over the hashes of definitions, wherever they stand and in whatever order."""
    return _sha256("\n".join(sorted(definitions.values())))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _earlier() -> Mapping[str, str]:
    """Hash that a run carries, or that later code had, to the hash of code that is the same or asks the same."""
    path = project.ledger().with_name(EARLIER)
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {row["recorded_sha256"]: row["same_as_sha256"] for row in csv.DictReader(file)}
