"""The figure on how steady the machine was, on the page of threats."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book.parts.figure_block import figure_nodes
from benchbook.book.records import figure_list
from benchbook.book.records.figure_list import CHAPTERS, FIGURES_FILE


class SteadinessDirective(SphinxDirective):
    """``{benchbook-steadiness}``: how far the machine moved in the blocks of the runs that the book shows."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """Made again whenever the figures' records change; one line where no run has such readings."""
        from benchbook.book.records.steadiness_figure import ID  # brings plotly, which few pages need

        self.env.note_dependency(f"{CHAPTERS}/{FIGURES_FILE}")
        root = Path(self.env.srcdir)
        found = figure_list.record(root, ID)
        if found is None:
            return [nodes.paragraph("", "No run of this book took canary readings.")]
        return figure_nodes(self.state.document, found, root)


def add_to(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("benchbook-steadiness", SteadinessDirective)
