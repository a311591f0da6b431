"""A figure of a chapter on another page: drawn again, smaller, under the chapter's number, with no id of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives

from benchbook.book.parts import figure_files
from benchbook.book.parts.directives import Shown, beside_chapters
from benchbook.book.parts.nodes import FigureReference, drawing
from benchbook.book.records import figure_list
from benchbook.book.records.figure_list import FIGURES_FILE

HEIGHT_PX = 260
"""Of the drawing, which is smaller than the figure itself."""
MARGIN, FONT = {"t": 8}, {"size": 12}
"""In pixels: what the drawing lacks in height is not left empty above it, and its axes' titles are not cut."""


def drawn(record: Mapping[str, Any], picture: str = "", *, whole: bool = False) -> list[nodes.Node]:
    """The drawing and its caption with a link to the figure itself, which stands in its chapter with id and data.

    picture: the static drawing, from the top of the book. whole: as high as it is there, below what it shows.
    """
    caption = nodes.paragraph("", "", FigureReference(figure_id=record["id"]), classes=["benchbook-again"])
    caption += nodes.Text(f": {record['caption']}")
    layout = record["plot"]["layout"]
    smaller = layout | {
        "height": HEIGHT_PX,
        "margin": layout.get("margin", {}) | MARGIN,
        "font": layout.get("font", {}) | FONT,
    }
    shown = record["plot"] | {"layout": layout if whole else smaller}
    plot = drawing(record["id"], shown, record["alt"], picture)
    said = nodes.paragraph("", "", nodes.strong("", record["finding"])) if whole and record["finding"] else None
    return [nodes.container("", *filter(None, (said, plot, caption)), classes=["benchbook-figure-block"])]


class FigureAgainDirective(Shown):
    """``{benchbook-figure} fig-id``: a figure of a chapter on a page that is none; one line while there is no run.

    ``:whole:`` draws it as high as in its chapter, below its finding.
    """

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"whole": directives.flag}
    reads = (beside_chapters(FIGURES_FILE),)

    def shown(self, root: Path) -> list[nodes.Node]:
        """The figure is looked up among those of the executed chapters."""
        found = figure_list.record(root, self.arguments[0])
        if found is None:
            words = "The chapter of this figure has no run to show yet."
            return [nodes.paragraph("", words, classes=["benchbook-aside"])]
        return drawn(found, figure_files.picture(root, found), whole="whole" in self.options)
