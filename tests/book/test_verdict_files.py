"""Every claim with its verdict, as files for programs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from benchbook.book.pages import verdict_files
from benchbook.book.parts.nodes import SiteLink
from benchbook.book.records.judged import every_claim
from benchbook.claims import load_claims

ROOT = Path(__file__).parents[2]


def test_both_files_hold_every_claim_once_with_its_verdict(tmp_path: Path) -> None:
    claims = load_claims(ROOT / "data" / "claims.csv")
    verdict_files.write(tmp_path, every_claim(claims, []))
    with (tmp_path / verdict_files.CSV).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    found = json.loads((tmp_path / verdict_files.JSON).read_text("utf-8"))
    assert [row["claim_id"] for row in rows] == [each["claim_id"] for each in found] == list(claims)
    assert {row["verdict"] for row in rows} == {"not yet run", "not testable here", "not a measurement"}
    assert rows[0]["quote"] == claims[rows[0]["claim_id"]].quote
    assert found[0]["estimand"] == claims[rows[0]["claim_id"]].estimand


def test_the_page_offers_both() -> None:
    assert [link["path"] for link in verdict_files.links().findall(SiteLink)] == ["book/claims.csv", "book/claims.json"]
