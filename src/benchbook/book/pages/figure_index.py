"""The page that lists every figure: number, what it shows, a small picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from docutils import nodes

from benchbook.book.parts.directives import Shown, beside_chapters
from benchbook.book.parts.nodes import FigureReference, SiteLink
from benchbook.book.parts.thumbnails import Thumbnail
from benchbook.book.records import figure_list
from benchbook.book.records.figure_list import FIGURES_FILE


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


def _entry(record: Mapping[str, Any]) -> nodes.list_item:
    line = nodes.paragraph()
    line += FigureReference(figure_id=record["id"])
    line += nodes.Text(f": {record['title']}{'' if record['title'].endswith('?') else '.'} ")
    line += SiteLink(path=f"figures/{record['id']}.html", words=record["id"], download=False)
    alt = nodes.paragraph("", record["alt"], classes=["benchbook-alt"])
    shows = [nodes.paragraph("", f"{record['finding']}.")] if record.get("finding") else []
    words = nodes.container("", line, *shows, alt, classes=["benchbook-words"])
    return nodes.list_item("", words, Thumbnail(figure_id=record["id"], title=record["title"]))


class FigureIndexDirective(Shown):
    """``{benchbook-figures}``: the list of all figures of the book as it is built."""

    reads = (beside_chapters(FIGURES_FILE),)

    def shown(self, root: Path) -> list[nodes.Node]:
        """The sections, or one sentence where no chapter has a figure yet."""
        found = self.in_order(figure_list.records(root), itemgetter("page"))
        return index(found) or [nodes.paragraph("", "No chapter of this book has been executed yet.")]
