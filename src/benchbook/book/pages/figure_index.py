"""The page that lists every figure: number, what it shows, a small picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book.parts.nodes import FigureReference, SiteLink
from benchbook.book.parts.thumbnails import Thumbnail
from benchbook.book.records import figure_list


def index(records: Iterable[Mapping[str, Any]]) -> list[nodes.Node]:
    """One section per chapter, one entry per figure."""
    parts: list[nodes.Node] = []
    for heading, group in groupby(records, key=lambda record: record["chapter_title"]):
        section = nodes.section("", nodes.title("", heading), ids=[nodes.make_id(f"figures {heading}")])
        entries = nodes.bullet_list("", classes=["benchbook-figure-index"])
        entries += [_entry(record) for record in group]
        section += entries
        parts.append(section)
    return parts


def in_order(records: Iterable[Mapping[str, Any]], pages: Iterable[str]) -> list[Mapping[str, Any]]:
    """The records by the place of their chapter among the pages; those of one chapter stay as they are."""
    places = {page: place for place, page in enumerate(pages)}
    return sorted(records, key=lambda record: places.get(record["page"], len(places)))


def _entry(record: Mapping[str, Any]) -> nodes.list_item:
    line = nodes.paragraph()
    line += FigureReference(figure_id=record["id"])
    line += nodes.Text(f": {record['title']}{'' if record['title'].endswith('?') else '.'} ")
    line += SiteLink(path=f"figures/{record['id']}.html", words=record["id"], download=False)
    alt = nodes.paragraph("", record["alt"], classes=["benchbook-alt"])
    shows = [nodes.paragraph("", f"{record['finding']}.")] if record.get("finding") else []
    words = nodes.container("", line, *shows, alt, classes=["benchbook-words"])
    return nodes.list_item("", words, Thumbnail(figure_id=record["id"], title=record["title"]))


class FigureIndexDirective(SphinxDirective):
    """``{benchbook-figures}``: the list of all figures of the book as it is built."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """The sections, or one sentence where no chapter has a figure yet."""
        contents: Iterable[str] = getattr(self.env, "external_site_map", ())
        found = in_order(figure_list.records(Path(self.env.srcdir)), contents)
        self.env.note_dependency("book/chapters/figures.json")
        return index(found) or [nodes.paragraph("", "No chapter of this book has been executed yet.")]


def add_to(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("benchbook-figures", FigureIndexDirective)
