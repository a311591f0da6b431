"""Chapters that were published twice: a sentence and tables with counts, and what lies apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book.parts.tables import Cell, table
from benchbook.book.parts.verdict_table import chapter_reference
from benchbook.book.records.repeats import REPEATS_FILE, Repeat, read, sentence
from benchbook.figures.numbers import with_interval


def repeats_nodes(repeats: Sequence[Repeat]) -> list[nodes.Node]:
    """The sentence, a row per two runs, and each number whose two intervals have nothing in common."""
    parts: list[nodes.Node] = [nodes.paragraph("", sentence(repeats))]
    counts: list[list[Cell]] = [
        [
            chapter_reference(each.chapter),
            [nodes.paragraph("", "", nodes.literal("", id_)) for id_ in (each.first, each.later)],
            str(len(each.numbers)),
            str(sum(number.overlap for number in each.numbers)),
            str(sum(number.inside for number in each.numbers)),
        ]
        for each in repeats
    ]
    apart: list[list[Cell]] = [
        [
            nodes.literal("", number.claim_id),
            chapter_reference(each.chapter),
            with_interval(number.first),
            with_interval(number.later),
        ]
        for each in repeats
        for number in each.numbers
        if not number.overlap
    ]
    if counts:
        head = ["chapter", "runs", "numbers", "intervals overlap", "later value in first interval"]
        parts.append(table(head, counts, ["benchbook-runs"]))
    if apart:
        parts.append(nodes.paragraph("", "Numbers whose two intervals do not overlap:"))
        parts.append(table(["claim", "chapter", "first run", "later run"], apart, ["benchbook-runs"]))
    return parts


class RepeatsDirective(SphinxDirective):
    """``{benchbook-repeats}``: how far published runs of the same chapter and parameters agree."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """Made again whenever the record changes."""
        self.env.note_dependency(f"book/chapters/{REPEATS_FILE}")
        return repeats_nodes(read(Path(self.env.srcdir)))


def add_to(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("benchbook-repeats", RepeatsDirective)
