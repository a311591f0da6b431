"""The releases as an Atom feed beside the page of changes, for programs that tell when there is something new."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from markdown_it import MarkdownIt
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book.pages import findings_feed, lessons
from benchbook.book.parts import atom
from benchbook.book.parts.nodes import SiteLink
from benchbook.store import atomic

CHANGELOG, PAGE, FEED = "CHANGELOG.md", "book/changelog", "book/changelog.atom"
"""Relative to the project, and to the top of the rendered book."""
_RELEASE = re.compile(r"^## (?P<version>\S+) - (?P<day>\d{4}-\d{2}-\d{2})\n(?P<text>.*?)(?=^## |\Z)", re.M | re.S)


@dataclass(frozen=True)
class Release:
    """One version of the book. day: as YYYY-MM-DD. text: what changed, in Markdown."""

    version: str
    day: str
    text: str


def releases(changelog: str) -> Iterator[Release]:
    """Every release in the text of a changelog, the newest first; what is not released yet is none."""
    for match in _RELEASE.finditer(changelog):
        yield Release(match["version"], match["day"], match["text"].strip())


def feed(found: list[Release], title: str, author: str, base: str) -> str:
    """An Atom document. found: the newest first. base: where the book is hosted, or ""."""

    def name_of(*parts: str) -> str:
        return uuid.uuid5(uuid.NAMESPACE_URL, "/".join((base or title, *parts))).urn

    entries = [
        atom.Entry(
            name_of(each.version), f"{title} {each.version}", each.day, MarkdownIt().render(each.text), f"{PAGE}.html"
        )
        for each in found
    ]
    return atom.document(atom.Feed(name_of(), title, author, FEED), entries, base)


class FeedDirective(SphinxDirective):
    """``{benchbook-feed}``: a line that leads to the feeds."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """The line; on paper and in one file there is no feed, and it is left out as other files are."""
        line = nodes.paragraph("", "Programs that follow releases read ", classes=["benchbook-files"])
        line += SiteLink(path=FEED, words="this Atom feed", download=False)
        if findings_feed.dated(lessons.load(Path(self.env.srcdir))):
            line += nodes.Text("; those that follow what the chapters find read ")
            line += SiteLink(path=findings_feed.FEED, words="the feed of findings", download=False)
        line += nodes.Text(".")
        return [line]


def announce(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Tell of the feed in the head of every page."""
    if PAGE in app.env.found_docs:
        atom.announce(context, page, FEED, "Releases")


def write(app: Sphinx, error: Exception | None) -> None:
    """Put the feed beside the page of changes."""
    if error is None and app.builder.format == "html" and PAGE in app.env.found_docs:
        found = list(releases((Path(app.srcdir) / CHANGELOG).read_text("utf-8")))
        if found:
            text = feed(found, app.config.html_title, app.config.author, str(app.config.html_baseurl or ""))
            atomic.write_text(Path(app.outdir) / FEED, text)


def add_to(app: Sphinx) -> None:
    """Make the feed with every book."""
    app.add_directive("benchbook-feed", FeedDirective)
    app.connect("html-page-context", announce)
    app.connect("build-finished", write)
