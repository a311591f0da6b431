"""The record of the book's own drift in, a sentence and two tables out: counts by chapter, and what differs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book import inputs
from benchbook.book.drift import DRIFT_FILE, ChapterDrift, State, counts, sentence
from benchbook.book.tables import Cell, table
from benchbook.book.verdict_table import chapter_reference, outcome_text

NOTHING = (
    "This book was built from the published runs alone, or from no other ones, so there is nothing to compare. "
    "`make book` measures the quick profile on the machine at hand and then shows here which verdicts hold."
)


def read(root: Path) -> tuple[str, list[ChapterDrift]]:
    """The profile and the chapters that were compared last; "" and nothing where there is no record."""
    content = inputs.read_json(root / "book" / "chapters" / DRIFT_FILE)
    return str(content.get("profile", "")), [ChapterDrift.of_record(each) for each in content.get("chapters", [])]


def drift_nodes(profile: str, chapters: Sequence[ChapterDrift]) -> list[nodes.Node]:
    """The sentence, the counts, and each claim that the two runs decide in different ways."""
    if not chapters:
        return [nodes.paragraph("", "", *_words(NOTHING))]
    words = sentence(chapters).removeprefix("drift: ")
    parts: list[nodes.Node] = [
        nodes.paragraph("", f"With the {profile} profile: {words}.", classes=["benchbook-summary"]),
        table(["chapter", *State], [_counted(chapter) for chapter in chapters], ["benchbook-runs"]),
    ]
    different: list[list[Cell]] = [
        [
            nodes.literal("", claim.claim_id),
            chapter_reference(chapter.chapter),
            outcome_text(claim.published),
            outcome_text(claim.here),
            nodes.literal("", chapter.here),
        ]
        for chapter in chapters
        for claim in chapter.claims
        if claim.state is State.DIFFERS
    ]
    if different:
        head = ["claim", "chapter", "by the published run", "by the run made here", "that run"]
        parts += [nodes.paragraph("", "What differs:"), table(head, different, ["benchbook-runs"])]
    return parts


def _counted(chapter: ChapterDrift) -> list[Cell]:
    found = counts(chapter.claims)
    return [chapter_reference(chapter.chapter), *(str(found[state]) for state in State)]


def _words(text: str) -> list[nodes.Node]:
    """Text with what stands between backquotes as code."""
    parts = text.split("`")
    return [nodes.literal("", part) if place % 2 else nodes.Text(part) for place, part in enumerate(parts)]


class DriftDirective(SphinxDirective):
    """``{benchbook-drift}``: how far the runs made here agree with the published ones."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """Made again whenever the record changes."""
        self.env.note_dependency(f"book/chapters/{DRIFT_FILE}")
        return drift_nodes(*read(Path(self.env.srcdir)))


def add_to(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("benchbook-drift", DriftDirective)
