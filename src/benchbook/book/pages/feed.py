"""The releases as an Atom feed beside the page of changes, for programs that tell when there is something new."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from markdown_it import MarkdownIt
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book.parts.nodes import SiteLink
from benchbook.store import atomic

CHANGELOG, PAGE, FEED = "CHANGELOG.md", "book/changelog", "book/changelog.atom"
"""Relative to the project, and to the top of the rendered book."""
_ATOM = "http://www.w3.org/2005/Atom"
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
    ElementTree.register_namespace("", _ATOM)
    root = ElementTree.Element(f"{{{_ATOM}}}feed")

    def put(parent: ElementTree.Element, name: str, text: str = "", **attributes: str) -> ElementTree.Element:
        made = ElementTree.SubElement(parent, f"{{{_ATOM}}}{name}", attributes)
        made.text = text or None
        return made

    def name_of(*parts: str) -> str:
        return uuid.uuid5(uuid.NAMESPACE_URL, "/".join((base or title, *parts))).urn

    put(root, "title", title)
    put(root, "id", name_of())
    put(root, "updated", f"{found[0].day}T00:00:00Z")
    put(put(root, "author"), "name", author)
    if base:
        put(root, "link", rel="self", href=f"{base}{FEED}")
    for each in found:
        entry = put(root, "entry")
        put(entry, "title", f"{title} {each.version}")
        put(entry, "id", name_of(each.version))
        put(entry, "updated", f"{each.day}T00:00:00Z")
        if base:
            put(entry, "link", href=f"{base}{PAGE}.html")
        put(entry, "content", MarkdownIt().render(each.text), type="html")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


class FeedDirective(SphinxDirective):
    """``{benchbook-feed}``: a line that leads to the feed."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """The line; on paper and in one file there is no feed, and it is left out as other files are."""
        line = nodes.paragraph("", "Programs that follow releases read ", classes=["benchbook-files"])
        line += [SiteLink(path=FEED, words="this Atom feed", download=False), nodes.Text(".")]
        return [line]


def announce(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Tell of the feed in the head of every page."""
    if PAGE in app.env.found_docs:
        address = "../" * page.count("/") + FEED
        link = f'<link rel="alternate" type="application/atom+xml" title="Releases" href="{address}">'
        context["metatags"] = f"{context.get('metatags', '')}\n  {link}\n"


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
