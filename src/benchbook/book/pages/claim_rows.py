"""The table of claims on the page of all verdicts: a row per claim, marked for the filters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from docutils import nodes

from benchbook.book.parts import names
from benchbook.book.parts.nodes import FigureReference, Folded
from benchbook.book.parts.tables import Cell, coded, table
from benchbook.book.parts.verdict_nodes import ANY_OPEN, is_open, token
from benchbook.book.parts.verdict_table import (
    REGISTERED,
    amendments_folded,
    chapter_reference,
    outcome_cell,
    rests_on,
)
from benchbook.model import Outcome

if TYPE_CHECKING:
    from benchbook.book.records.judged import Judged
    from benchbook.claims import Claim, PlannedExperiment

Known = Callable[[str], bool]


def claims_table(judged: Sequence[Judged], experiments: Mapping[str, PlannedExperiment], exists: Known) -> nodes.table:
    """One row per claim, marked with its note, chapter, verdict and kind. exists: whether the book has a chapter."""
    from benchbook.book.records.basis import basis

    rows: list[list[Cell]] = [
        [
            _identity(each.claim),
            _words(each.claim),
            outcome_cell(str(each.outcome), str(each.verdict.evidence)),
            _why(each, experiments, exists),
            _where(each, exists),
        ]
        for each in judged
    ]
    made = table(["Claim", "The note says", "Verdict", "Why", "Where"], rows, ["benchbook-verdicts"])
    body = next(iter(made.findall(nodes.tbody)))
    for row, each in zip(body.children, judged, strict=True):
        row["ids"].append(names.anchor(each.claim.id))
        marks = {"note": each.claim.note, "chapter": each.claim.chapter, "kind": each.claim.kind}
        marks |= {"outcome": str(each.outcome), "basis": str(basis(each))}
        marks["main"] = "yes" if each.claim.primary else "no"
        row["classes"] += [token(kind, value) for kind, value in marks.items()]
        row["classes"] += [ANY_OPEN] if is_open(each.outcome) else []
    return made


def _identity(claim: Claim) -> list[nodes.Node]:
    return [nodes.paragraph("", "", nodes.literal("", claim.id)), *([_aside("main claim")] if claim.primary else [])]


def _words(claim: Claim) -> list[nodes.Node]:
    place = f"{claim.section} · {claim.kind}" if claim.section else claim.kind
    return [nodes.paragraph("", f"“{claim.quote}”"), _aside(place)]


def _aside(text: str) -> nodes.Node:
    return nodes.paragraph("", text, classes=["benchbook-aside"])


def _why(judged: Judged, experiments: Mapping[str, PlannedExperiment], exists: Known) -> list[nodes.Node]:
    """The reason, and folded under it what was registered and what the verdict rests on."""
    claim = judged.claim
    rule = [nodes.paragraph("", claim.estimand)]
    rule += [nodes.paragraph("", f"Our reading: {claim.reading}")] if claim.reading else []
    if claim.experiments:
        named = "; ".join(experiments[name].title for name in claim.experiments)
        rule.append(nodes.paragraph("", f"Planned as: {named}."))
    rule += rests_on(vars(judged.verdict))
    parts: list[nodes.Node] = [nodes.paragraph("", "", *coded(reason(judged, exists)))]
    parts.append(Folded("", *rule, summary=REGISTERED))
    return parts + amendments_folded([vars(change) for change in claim.amendments], now=claim.estimand)


def reason(judged: Judged, exists: Known) -> str:
    """Why a claim came out as it did, or what it waits for. exists: whether the book has a chapter."""
    given, written = judged.verdict.reason, exists(judged.claim.chapter)
    if judged.outcome is Outcome.NOT_TESTABLE:
        return f"This machine cannot decide it. {given}"
    if judged.judged_by or judged.outcome not in (Outcome.NOT_YET_RUN, Outcome.NOT_A_MEASUREMENT):
        return given
    if judged.outcome is Outcome.NOT_A_MEASUREMENT:
        opinion = "This is a recommendation or an opinion, which no measurement decides."
        return given if written else f"{opinion} Its planned chapter will discuss it."
    if written:
        return "Its chapter is written and has no run to show yet."
    return "Its chapter is planned but not written yet. The rule that will decide it is already fixed."


def _where(judged: Judged, exists: Known) -> list[nodes.Node]:
    """The figure that shows it, else the chapter; a chapter that is not written yet by its name."""
    chapter = judged.judged_by or judged.claim.chapter
    if figure := judged.verdict.figure_id:
        return [nodes.paragraph("", "", FigureReference(figure_id=figure))]
    if exists(chapter):
        return [nodes.paragraph("", "", chapter_reference(chapter))]
    return [nodes.paragraph("", "", nodes.Text(f"planned chapter: {names.in_words(chapter)}"))]
