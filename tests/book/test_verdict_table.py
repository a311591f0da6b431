"""The verdict table of a chapter and of the book."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from docutils import nodes
from sphinx import addnodes

from benchbook.book.verdict_table import VerdictDirective, sentence, verdict_table


def record(claim_id: str, outcome: str, figure_id: str = "") -> dict[str, Any]:
    words = {"quote": "P99: 110ms", "reason": "The ratio is 0.22.", "chapter": "hot_cold_keys"}
    return {"claim_id": claim_id, "outcome": outcome, "figure_id": figure_id, **words}


def directive(root: Path, **options: None) -> list[nodes.Node]:
    dependencies: list[str] = []
    env = SimpleNamespace(srcdir=root, note_dependency=dependencies.append)
    document = SimpleNamespace(settings=SimpleNamespace(env=env))
    state = SimpleNamespace(document=document)
    made = VerdictDirective(
        "benchbook-verdicts", [], options, None, 1, 0, "", state, SimpleNamespace(reporter=None)
    ).run()
    assert dependencies, "the page must be made again when verdicts change"
    return made


def write(root: Path, *records: dict[str, Any]) -> Path:
    path = root / "book" / "chapters" / "verdicts.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(records))
    return root


def test_the_sentence_counts_outcomes_in_the_order_of_the_protocol() -> None:
    records = [record("L2", "contradicted"), record("L1", "reproduced"), record("L3", "contradicted")]
    assert sentence(records) == "3 claims so far: 1 reproduced, 2 contradicted."


def test_a_row_links_to_the_figure_that_shows_it_by_its_number() -> None:
    (table,) = verdict_table([record("L1", "reproduced", "fig-a"), record("L2", "inconclusive")])
    (reference,) = table.findall(addnodes.pending_xref)
    assert (reference["reftype"], reference["reftarget"]) == ("numref", "fig-a")
    assert "L2" in table.astext()
    assert "inconclusive" in table.astext()


def test_the_directive_shows_the_collected_verdicts(tmp_path: Path) -> None:
    summary, table = directive(write(tmp_path, record("L1", "reproduced")))
    assert summary.astext() == "1 claim so far: 1 reproduced."
    assert "L1" in table.astext()


def test_the_directive_can_leave_the_table_out(tmp_path: Path) -> None:
    assert len(directive(write(tmp_path, record("L1", "reproduced")), summary=None)) == 1


def test_without_chapters_the_directive_says_so(tmp_path: Path) -> None:
    assert "No chapter" in directive(tmp_path)[0].astext()
