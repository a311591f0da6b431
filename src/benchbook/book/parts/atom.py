"""Atom documents, for programs that tell their reader when there is something new, and the line that names one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

NAMESPACE = "http://www.w3.org/2005/Atom"


@dataclass(frozen=True)
class Entry:
    """One thing that is new. day: as YYYY-MM-DD. content: HTML. page: where it stands, from the top of the book."""

    id: str
    title: str
    day: str
    content: str
    page: str


@dataclass(frozen=True)
class Feed:
    """What all entries are of. path: its own, from the top of the book."""

    id: str
    title: str
    author: str
    path: str


def document(feed: Feed, entries: Iterable[Entry], base: str) -> str:
    """The document, as new as its newest entry. entries: at least one. base: where the book is hosted, or ""."""
    listed = list(entries)
    ElementTree.register_namespace("", NAMESPACE)
    root = ElementTree.Element(f"{{{NAMESPACE}}}feed")
    _put(root, "title", feed.title)
    _put(root, "id", feed.id)
    _put(root, "updated", _moment(max(each.day for each in listed)))
    _put(_put(root, "author"), "name", feed.author)
    if base:
        _put(root, "link", rel="self", href=f"{base}{feed.path}")
    for each in listed:
        entry = _put(root, "entry")
        _put(entry, "title", each.title)
        _put(entry, "id", each.id)
        _put(entry, "updated", _moment(each.day))
        if base:
            _put(entry, "link", href=f"{base}{each.page}")
        _put(entry, "content", each.content, type="html")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def announce(context: dict[str, Any], page: str, path: str, title: str) -> None:
    """Tell of a feed in the head of a page. path: the feed's, from the top of the book."""
    address = "../" * page.count("/") + path
    link = f'<link rel="alternate" type="application/atom+xml" title="{title}" href="{address}">'
    context["metatags"] = f"{context.get('metatags', '')}\n  {link}\n"


def _put(parent: ElementTree.Element, name: str, text: str = "", **attributes: str) -> ElementTree.Element:
    made = ElementTree.SubElement(parent, f"{{{NAMESPACE}}}{name}", attributes)
    made.text = text or None
    return made


def _moment(day: str) -> str:
    return f"{day}T00:00:00Z"
