"""A figure of a chapter on another page: drawn again, smaller, under the chapter's number, with no id of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book.parts import figure_files
from benchbook.book.parts.nodes import FigureReference, drawing
from benchbook.book.records import figure_list
from benchbook.book.records.figure_list import FIGURES_FILE

HEIGHT_PX = 260
"""Of the drawing, which is smaller than the figure itself."""
MARGIN, FONT = {"t": 8}, {"size": 12}
"""In pixels: what the drawing lacks in height is not left empty above it, and its axes' titles are not cut."""


def drawn(record: Mapping[str, Any], picture: str = "") -> list[nodes.Node]:
    """The drawing and its caption with a link to the figure itself, which stands in its chapter with id and data.

    picture: the static drawing, from the top of the book.
    """
    caption = nodes.paragraph("", "", FigureReference(figure_id=record["id"]), classes=["benchbook-again"])
    caption += nodes.Text(f": {record['caption']}")
    layout = record["plot"]["layout"]
    smaller = layout | {
        "height": HEIGHT_PX,
        "margin": layout.get("margin", {}) | MARGIN,
        "font": layout.get("font", {}) | FONT,
    }
    plot = drawing(record["id"], record["plot"] | {"layout": smaller}, record["alt"], picture)
    return [nodes.container("", plot, caption, classes=["benchbook-figure-block"])]


class FigureAgainDirective(SphinxDirective):
    """``{benchbook-figure} fig-id``: a figure of a chapter on a page that is none; one line while there is no run."""

    has_content = False
    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Look the figure up among those of the executed chapters."""
        root, identity = Path(self.env.srcdir), self.arguments[0]
        self.env.note_dependency(str(root / "book" / "chapters" / FIGURES_FILE))
        found = figure_list.record(root, identity)
        if found is None:
            words = "The chapter of this figure has no run to show yet."
            return [nodes.paragraph("", words, classes=["benchbook-aside"])]
        return drawn(found, figure_files.picture(root, found))


def add_to(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("benchbook-figure", FigureAgainDirective)
