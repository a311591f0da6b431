"""A figure of a chapter on another page: drawn again, under the chapter's number, with no id of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book import figure_pages, file_buttons
from benchbook.book.figure_records import FIGURES_FILE
from benchbook.book.nodes import FigureReference, SiteLink, drawing
from benchbook.book.verdict_table import chapter_reference


def drawn(record: Mapping[str, Any], root: Path) -> list[nodes.Node]:
    """The drawing, its caption and where it comes from. The figure itself, with id and data, stays in its chapter."""
    caption = nodes.paragraph("", "", FigureReference(figure_id=record["id"]), classes=["benchbook-again"])
    caption += nodes.Text(f": {record['caption']}")
    line = nodes.paragraph("", "From the chapter ", classes=["benchbook-source"])
    line += [chapter_reference(record["chapter"]), nodes.Text(" · ")]
    line += SiteLink(path=f"figures/{record['id']}.html", words="its data and origin", download=False)
    parts = [
        drawing(record["id"], record["plot"], record["alt"]),
        caption,
        *file_buttons.file_buttons(record["id"], figure_pages.suffixes(root, record)),
        line,
    ]
    return [nodes.container("", *parts, classes=["benchbook-figure-block"])]


class FigureAgainDirective(SphinxDirective):
    """``{benchbook-figure} fig-id``: a figure of a chapter on a page that is none; one line while there is no run."""

    has_content = False
    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Look the figure up among those of the executed chapters."""
        root, identity = Path(self.env.srcdir), self.arguments[0]
        self.env.note_dependency(str(root / "book" / "chapters" / FIGURES_FILE))
        found = figure_pages.record(root, identity)
        if found is None:
            words = "The figure that belongs here is of a chapter that has no run to show yet."
            return [nodes.paragraph("", words, classes=["benchbook-aside"])]
        return drawn(found, root)


def add_to(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("benchbook-figure", FigureAgainDirective)
