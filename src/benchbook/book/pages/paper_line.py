"""The first page's line about the book on paper: the command that prints it, and a link once it is printed.

A book is printed from its pages, so when they are written there is no print yet. Printing puts it beside the pages
and the link into this line; a new build has new pages, and says the command again.
"""

import re
from pathlib import Path

from docutils import nodes

from benchbook.store import atomic

BOOK = "benchbook.pdf"
CLASS = "benchbook-paper"
_LINE = re.compile(rf'(<p class="benchbook-files {CLASS}">).*?(</p>)', re.DOTALL)


def shown(root: Path) -> list[nodes.Node]:
    """The line, with the command; paper and the one file leave it out."""
    line = nodes.paragraph("", "On paper: ", classes=["benchbook-files", CLASS])
    line += [nodes.literal("", "make pdf"), nodes.Text(" prints the book.")]
    return [line]


def lead(folder: Path, content: bytes) -> None:
    """Put the print beside the pages of a book, in their folder, and a link to it into its first page."""
    atomic.write_bytes(folder / BOOK, content)
    page = folder / "book" / "index.html"
    if page.is_file():
        link = f'<a href="../{BOOK}">the whole book</a>'
        text = page.read_text("utf-8")
        mended = _LINE.sub(lambda found: f"{found[1]}On paper: {link}.{found[2]}", text)
        if mended != text:
            atomic.write_text(page, mended)
