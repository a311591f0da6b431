"""What each chapter finds as an Atom feed: an entry for a chapter, as new as the last trial behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx

from benchbook.book.pages import lessons
from benchbook.book.parts import atom
from benchbook.figures.lesson import grouped, sentence
from benchbook.store import atomic

FEED = "book/findings.atom"
"""From the top of the rendered book."""
SINCE = 2026
"""The year in which the book began to give names: a part of each name, which never changes."""
NOBODY = "benchbook.invalid"
"""Where a book that is hosted nowhere takes its names from; nobody can own this one."""

Record = Mapping[str, Any]


def dated(found: Sequence[Record]) -> list[Record]:
    """Those lessons that trials stand behind, the newest first; of a day, in the order of the chapters' names."""
    measured = sorted((each for each in found if each["basis"]), key=lambda each: str(each["chapter"]))
    return sorted(measured, key=lambda each: str(each["basis"]["until"]), reverse=True)


def feed(found: Sequence[Record], title: str, author: str, base: str) -> str:
    """The Atom document. found: lessons, dated. base: where the book is hosted, or "".

    An entry keeps its name when its chapter is measured again: it is then told as changed, with its new day.
    """
    host = urlsplit(base).hostname or NOBODY

    def name_of(*parts: str) -> str:
        return f"tag:{host},{SINCE}:{'/'.join(('findings', *parts))}"

    entries = [
        atom.Entry(
            name_of(each["chapter"]),
            each["title"],
            each["basis"]["until"],
            _content(each),
            f"book/chapters/{each['chapter']}.html",
        )
        for each in found
    ]
    return atom.document(atom.Feed(name_of(), f"{title}: findings", author, FEED), entries, base)


def _content(lesson: Record) -> str:
    """Its verdicts by how they came out, and what to do."""
    parts = []
    for heading, group in grouped(lesson["findings"]).items():
        items = "".join(f"<li>{escape(''.join(sentence(each)))}</li>" for each in group)
        parts.append(f"<p>{escape(heading)}:</p><ul>{items}</ul>")
    basis = lesson["basis"]
    parts.append(f"<p>{escape(lesson['advice'])}</p>")
    parts.append(f"<p>Measured up to {escape(basis['until'])} with {escape(basis['engine'])}.</p>")
    return "".join(parts)


def announce(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Tell of the feed in the head of every page."""
    if dated(lessons.load(Path(app.srcdir))):
        atom.announce(context, page, FEED, "Findings")


def write(app: Sphinx, error: Exception | None) -> None:
    """Put the feed beside the pages."""
    if error is not None or app.builder.format != "html":
        return
    if found := dated(lessons.load(Path(app.srcdir))):
        text = feed(found, app.config.html_title, app.config.author, str(app.config.html_baseurl or ""))
        path = Path(app.outdir) / FEED
        path.parent.mkdir(exist_ok=True)
        atomic.write_text(path, text)


def add_to(app: Sphinx) -> None:
    """Make the feed with every book that shows what was measured."""
    app.connect("html-page-context", announce)
    app.connect("build-finished", write)
