"""The first page's line about the book on paper: the command that prints it, and links once it is printed.

A book is printed from its pages, so when they are written there are no prints yet. Printing puts them beside the pages
and the links into this line; a new build has new pages, and says the command again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.store import atomic

SUMMARY, BOOK = "benchbook-summary.pdf", "benchbook.pdf"
WORDS = {SUMMARY: "summary of two pages", BOOK: "the whole book"}
"""What a print is, by the name of its file."""
CLASS = "benchbook-paper"
_LINE = re.compile(rf'(<p class="benchbook-files {CLASS}">).*?(</p>)', re.DOTALL)


class PaperDirective(SphinxDirective):
    """``{benchbook-paper}``: the line, with the command."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """One paragraph, which paper and the one file leave out."""
        line = nodes.paragraph("", "On paper: ", classes=["benchbook-files", CLASS])
        line += [nodes.literal("", "make pdf"), nodes.Text(" prints the book, and a summary of two pages.")]
        return [line]


def lead(folder: Path, prints: Mapping[str, bytes]) -> None:
    """Put prints beside the pages of a book and links to them into its first page.

    folder: the rendered book. prints: names of files, with their content; earlier ones that are there stay.
    """
    for name, content in prints.items():
        atomic.write_bytes(folder / name, content)
    page = folder / "book" / "index.html"
    if not page.is_file():
        return
    links = [f'<a href="../{escape(name)}">{words}</a>' for name, words in WORDS.items() if (folder / name).is_file()]
    text = page.read_text("utf-8")
    mended = _LINE.sub(lambda found: f"{found[1]}On paper: {' · '.join(links)}.{found[2]}", text)
    if links and mended != text:
        atomic.write_text(page, mended)


def add_to(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("benchbook-paper", PaperDirective)
