"""Figure records in, the page that lists every figure out: number, small picture where there is one, what it shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book import figure_pages
from benchbook.book.nodes import FigureReference, SiteLink, SitePicture


def index(records: Iterable[Mapping[str, Any]], root: Path) -> list[nodes.Node]:
    """One section per chapter, one entry per figure. root: the book's source folder, where drawings may lie."""
    parts: list[nodes.Node] = []
    for heading, group in groupby(records, key=lambda record: record["chapter_title"]):
        section = nodes.section("", nodes.title("", heading), ids=[nodes.make_id(f"figures {heading}")])
        entries = nodes.bullet_list("", classes=["benchbook-figure-index"])
        entries += [_entry(record, root) for record in group]
        section += entries
        parts.append(section)
    return parts


def _entry(record: Mapping[str, Any], root: Path) -> nodes.list_item:
    item = nodes.list_item()
    if "svg" in figure_pages.exports(root, record):
        item += SitePicture(path=f"figures/{record['id']}.svg", alt="")  # the words beside it say the same
    line = nodes.paragraph()
    line += FigureReference(figure_id=record["id"])
    line += nodes.Text(f": {record['title']}. ")
    line += SiteLink(path=f"figures/{record['id']}.html", words=record["id"], download=False)
    item += [line, nodes.paragraph("", record["alt"], classes=["benchbook-alt"])]
    return item


class FigureIndexDirective(SphinxDirective):
    """``{benchbook-figures}``: the list of all figures of the book as it is built."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """The sections, or one sentence where no chapter has a figure yet."""
        root = Path(self.env.srcdir)
        found = figure_pages.records(root)
        self.env.note_dependency("book/chapters/figures.json")
        return index(found, root) or [nodes.paragraph("", "No chapter of this book has been executed yet.")]


def add_to(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("benchbook-figures", FigureIndexDirective)
