"""Every claim with its verdict as files that a program reads: one row a claim as CSV, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

from benchbook.book.parts import csv_files
from benchbook.book.parts.nodes import SiteLink
from benchbook.store import atomic

if TYPE_CHECKING:
    from benchbook.book.records.judged import Judged

CSV, JSON = "book/claims.csv", "book/claims.json"
"""Where they lie in the rendered book."""


def records(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """One plain record per claim, in the ledger's order: what was claimed, what was registered, how it came out."""
    from benchbook.book.records.basis import basis

    return [
        {
            "claim_id": each.claim.id,
            "note": each.claim.note,
            "section": each.claim.section,
            "quote": each.claim.quote,
            "main_claim": each.claim.primary,
            "chapter": each.claim.chapter,
            "estimand": each.claim.estimand,
            "rule": str(each.claim.rule),
            "low": each.claim.low,
            "high": each.claim.high,
            "margin": each.claim.margin,
            "verdict": str(each.outcome),
            "reason": each.verdict.reason,
            "decided_by": str(basis(each)),
            "w": each.verdict.w,
            "figure_id": each.verdict.figure_id,
        }
        for each in judged
    ]


def links() -> nodes.paragraph:
    """A line that offers both."""
    line = nodes.paragraph("", "All claims with their verdicts, as files: ", classes=["benchbook-files"])
    line += [SiteLink(path=CSV, words="CSV", download=True), nodes.Text(" · ")]
    line += SiteLink(path=JSON, words="JSON", download=True)
    return line


def write(folder: Path, judged: Sequence[Judged]) -> None:
    """Both files below the folder of the rendered book."""
    found = records(judged)
    table = csv_files.MARK + csv_files.text([*found[0]], ([*each.values()] for each in found))
    for name, content in ((CSV, table), (JSON, json.dumps(found, indent=1, ensure_ascii=False) + "\n")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        atomic.write_text(folder / name, content)
