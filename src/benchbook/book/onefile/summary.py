"""The book on two sheets of paper: its first screen, and what to do, by database."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from html import escape
from io import BytesIO
from pathlib import Path

from bs4 import Tag
from filelock import FileLock
from pypdf import PdfReader

from benchbook.book.onefile import archive, inlining, printing
from benchbook.book.onefile.anchors import Links, Page, ids
from benchbook.book.pages import paper_line
from benchbook.errors import BenchbookError
from benchbook.figures import drawings

NAME = paper_line.SUMMARY
ADVICE = "book/advice.html"
STYLE = "_static/summary.css"
SHEETS = 2
SIZES_PX = (12.0, 11.5, 11.0, 10.5, 10.0, 9.5, 9.0, 8.5, 8.0)
"""Of the letters, on which all else depends; the first that fits is taken, and less than the last cannot be read."""
_STORY = ".benchbook-story"
_TEMPLATE = """<!DOCTYPE html>
<html lang="{language}" data-theme="light">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
{styles}
html {{ font-size: {size}px; }}
</style>
</head>
<body>
<main class="bd-main"><div class="bd-content"><div class="bd-article-container">
{articles}
</div></div></main>
</body>
</html>
"""


def of(root: Path) -> bytes:
    """The summary of the book that was last built here, as a PDF of two pages.

    Raises BenchbookError when no book was built or its words do not fit, MachineError when there is no Chromium or it
    fails.
    """
    folder = archive.built(root)
    with FileLock(root / "_build" / "book.lock"):
        page = compose(folder)
    program = drawings.chromium("printing the summary", "`benchbook archive` needs none")
    with tempfile.TemporaryDirectory(dir=root / "_build", prefix="print-") as place:
        file = Path(place) / "summary.html"

        def printed(size: float) -> bytes:
            file.write_text(page(size), encoding="utf-8")
            return printing.printed(file, program)

        return fitted(printed)


def fitted(printed: Callable[[float], bytes]) -> bytes:
    """The print in the largest letters that give two pages. printed: makes one, of letters of this size in pixels."""
    for size in SIZES_PX:
        content = printed(size)
        if len(PdfReader(BytesIO(content)).pages) <= SHEETS:
            return content
    raise BenchbookError(
        f"the first screen and what to do take more than {SHEETS} pages in letters of {SIZES_PX[-1]:g} pixels",
        "shorten book/index.md above its first figure, or book/advice.md",
    )


def compose(folder: Path) -> Callable[[float], str]:
    """The HTML of the summary, by the size of its letters. folder: the rendered book.

    Raises BenchbookError when the book lacks one of the two pages, or its first one tells of no notes.
    """
    first = archive.first_page(folder)
    read = {path: archive.parsed(folder, path, first) for path in (first, ADVICE)}
    pages = [Page(path, archive.article(read[path], path)) for path in read]
    _cut(pages[0].article, first)
    links = Links(folder, pages, ids(pages), archive.base(read[first], first))
    for page in pages:
        links.mend(page)
        page.article["class"] = "bd-article benchbook-summary"
    styles = "\n".join(inlining.style(folder, path) for path in [*archive.named(read, "link", "href"), STYLE])
    title = pages[1].article.h1
    words = f"{archive.title(read[first])}: {title.get_text().rstrip('#') if title else ''}"
    articles = "\n".join(page.article.decode() for page in pages)
    language = str((read[first].html or read[first]).get("lang") or "en")

    def sized(size: float) -> str:
        return _TEMPLATE.format(
            language=escape(language), title=escape(words), styles=styles, articles=articles, size=f"{size:g}"
        )

    return sized


def _cut(article: Tag, path: str) -> None:
    """Leave, of the first page, its first screen: what stands before its figures."""
    story = article.select_one(_STORY)
    if story is None:
        raise BenchbookError(f"{path} of the rendered book does not tell of the notes", "build the book again")
    for each in story.find_next_siblings():
        if each.name != "p":
            for rest in [each, *each.find_next_siblings()]:
                rest.decompose()
            return
