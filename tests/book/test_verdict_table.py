"""The verdict table of a chapter and of the book."""

import json
import logging
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.utils import new_document
from judging import record

from benchbook.book.parts.nodes import FigureReference, Folded, resolve_figure_references
from benchbook.book.parts.verdict_table import verdict_table
from benchbook.claims import Amendment
from benchbook.figures import VerdictTable
from benchbook.model import Outcome, Verdict


def test_folded_below_a_reason_stand_the_quantity_what_it_rests_on_and_what_would_decide_an_open_claim() -> None:
    stands = {"rests_on": "a comparison of configurations; 2 visits, on 2 processor models", "estimand": "ratio of P99"}
    open_ = {"why": "too close to call", "visits_needed": 3, **stands}
    (table,) = verdict_table([record("L1", "open: interval") | open_, record("L2", "holds") | stands | {"quiet": True}])
    first, second = (folded.astext() for folded in table.findall(Folded))
    for words in (first, second):
        assert "ratio of P99" in words
        assert "Basis of the verdict: a comparison of configurations; 2 visits, on 2 processor models." in words
    assert "Open because: too close to call. Further visits that would decide it" in first
    assert first.endswith("were point and spread to stay: 3.")
    assert second.endswith("A quiet machine would say the same.")
    assert "Open because" not in second


def test_a_row_links_to_the_figure_that_shows_it_by_its_number() -> None:
    (table,) = verdict_table([record("L1", "holds", "fig-a"), record("L2", "open: interval")])
    (reference,) = table.findall(FigureReference)
    assert reference["figure_id"] == "fig-a"
    assert "L2" in table.astext()
    assert "open: interval" in table.astext()


def resolved(figure_id: str) -> nodes.document:
    document = new_document("page")
    document += nodes.paragraph("", "", FigureReference(figure_id=figure_id))
    labels = SimpleNamespace(
        data={"anonlabels": {each: ("book/chapters/one", each) for each in ("fig-a", "fig-blank")}}
    )
    env = SimpleNamespace(domains={"std": labels}, toc_fignumbers={"book/chapters/one": {"figure": {"fig-a": (1, 3)}}})
    builder = SimpleNamespace(get_relative_uri=lambda page, target: "chapters/one.html")
    app: Any = SimpleNamespace(env=env, builder=builder, config=SimpleNamespace(numfig_format={"figure": "Figure %s"}))
    resolve_figure_references(app, document, "book/index")
    return document


@pytest.mark.parametrize(("figure_id", "words"), [("fig-a", "Figure 1.3"), ("fig-blank", "not measured")])
def test_a_reference_leads_to_the_figure_or_the_sentence_in_its_place(figure_id: str, words: str) -> None:
    (reference,) = resolved(figure_id).findall(nodes.reference)
    assert (reference.astext(), reference["refuri"]) == (words, f"chapters/one.html#{figure_id}")


def test_a_reference_to_no_figure_is_a_warning_which_fails_the_build(caplog: pytest.LogCaptureFixture) -> None:
    # Sphinx's loggers hand nothing on, so the handler goes to the one above the module's.
    logger = logging.getLogger("sphinx.benchbook.book.parts.nodes")
    logger.addHandler(caplog.handler)
    try:
        assert not list(resolved("fig-ghost").findall(nodes.reference))
    finally:
        logger.removeHandler(caplog.handler)
    assert "fig-ghost" in caplog.text


CHANGE = {
    "claim_id": "L1",
    "column": "high",
    "old": "0.6",
    "new": "0.7",
    "date": "2026-03-01",
    "reason": "The note was misread.",
    "data_seen": True,
}


def amended(*records: dict[str, Any]) -> list[Folded]:
    """The folds of a table of these that tell of amendments."""
    (table,) = verdict_table([*records])
    return [node for node in table.findall(Folded) if "Amended" in node["summary"]]


def test_an_amendment_stands_folded_beside_the_verdict_with_all_that_is_known_of_it() -> None:
    changes = [CHANGE, {**CHANGE, "old": "0.7", "new": "0.8", "data_seen": False}]
    (folded,) = amended(record("L1", "holds") | {"amendments": changes}, record("L2", "holds") | {"amendments": []})
    assert folded["summary"] == "Amended 2 times since the ledger was fixed"
    first, second = (item.astext() for item in folded.findall(nodes.list_item))
    assert first == "2026-03-01, after data were seen: high was “0.6”, is “0.7”. The note was misread."
    assert second.startswith("2026-03-01, before data were seen: high was “0.7”, is “0.8”.")


def test_an_amendment_does_not_repeat_the_estimand_that_stands_above_it() -> None:
    changed = {**CHANGE, "column": "estimand", "old": "the mean", "new": "the median"}
    (folded,) = amended(record("L1", "holds") | {"estimand": "the median", "amendments": [changed]})
    assert folded.astext().endswith("estimand was “the mean”, is what stands above. The note was misread.")


def test_a_reason_that_another_claim_of_the_table_gave_in_full_is_referred_to() -> None:
    folds = amended(*(record(claim, "holds") | {"amendments": [CHANGE]} for claim in ("L1", "L2", "L3")))
    first, *others = (node.astext() for node in folds)
    assert first.endswith("The note was misread.")
    assert len(others) == 2
    assert all(each.endswith("high was “0.6”, is “0.7”. The reason is that of L1.") for each in others)


def test_the_record_of_a_verdict_carries_the_amendments_of_its_claim() -> None:
    claims: Any = {"L1": SimpleNamespace(quote="q", estimand="e", amendments=(Amendment(**CHANGE),))}
    (made,) = VerdictTable.of("one", [Verdict("L1", Outcome.REPRODUCED, "r")], claims).records()
    assert made["amendments"] == [CHANGE]
    assert json.loads(json.dumps(made)) == made
