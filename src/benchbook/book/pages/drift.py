"""What runs made here say beside the published ones: a sentence and two tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book.parts.nodes import ChapterNumber, Folded
from benchbook.book.parts.tables import Cell, coded, table
from benchbook.book.parts.verdict_table import chapter_reference, outcome_text
from benchbook.book.records import drift
from benchbook.book.records.drift import OWN_FILE, Number, Own, State, counts, sentence

NOTHING = (
    "This book has no numbers measured on this machine. `make book` measures every chapter briefly and then shows "
    "here, number by number, whether the intervals overlap."
)


def drift_nodes(owns: Sequence[Own]) -> list[nodes.Node]:
    """The sentence, a row of counts for each chapter, and number by number what was measured twice."""
    both = [own for own in owns if own.published]
    if not both:
        return [nodes.paragraph("", "", *coded(NOTHING))]
    said = sentence(both)
    parts: list[nodes.Node] = [
        nodes.paragraph("", f"{said[0].upper()}{said[1:]}.", classes=["benchbook-summary"]),
        table(["chapter", "run made here", "profile", *State], [*map(_counted, both)], _LOOKS),
    ]
    if differing := [own for own in both if own.differs]:
        rows: list[list[Cell]] = [[ChapterNumber(chapter=own.chapter), ", ".join(own.differs)] for own in differing]
        made = table(["chapter", "parameters that differ from the published run"], rows, _LOOKS)
        parts.append(Folded("", made, summary="What was measured differently here"))
    found = [(own, each) for own in both for each in own.numbers if each.here]
    if apart := [each for each in found if each[1].state is State.APART]:
        parts += [nodes.paragraph("", "Numbers whose intervals do not overlap:"), _numbers(apart)]
    if found:
        parts.append(Folded("", _numbers(found), summary="All numbers that were also measured here"))
    return parts


_LOOKS = ["benchbook-runs"]


def _numbers(found: Sequence[tuple[Own, Number]]) -> nodes.table:
    """A row for each; the verdicts of both where a run made here may have any."""
    head = ["claim", "chapter", "published", "on this machine", "the two"]
    rows: list[list[Cell]] = [
        [
            nodes.literal("", each.claim_id),
            ChapterNumber(chapter=own.chapter),
            drift.said(each.published),
            drift.said(each.here),
            each.state or "",
        ]
        for own, each in found
    ]
    if any(own.decides for own, _ in found):
        head += ["verdict published", "verdict here"]
        for row, (_, each) in zip(rows, found, strict=True):
            row += [outcome_text(outcome) if outcome else "" for outcome in (each.verdict, each.verdict_here)]
    return table(head, rows, _LOOKS)


def _counted(own: Own) -> list[Cell]:
    found = counts(own.numbers)
    return [
        chapter_reference(own.chapter),
        nodes.literal("", own.run_id),
        f"{own.profile}, {own.blocks} blocks",
        *(str(found[state]) for state in State),
    ]


class DriftDirective(SphinxDirective):
    """``{benchbook-drift}``: how far the runs made here agree with the published ones."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """Made again whenever the record changes."""
        self.env.note_dependency(f"book/chapters/{OWN_FILE}")
        return drift_nodes(drift.read(Path(self.env.srcdir))[1])


def add_to(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("benchbook-drift", DriftDirective)
