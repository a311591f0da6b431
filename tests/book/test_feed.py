"""The releases of a changelog as an Atom feed."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from benchbook.book.pages import feed

ATOM = {"a": "http://www.w3.org/2005/Atom"}
TEXT = """# Changelog

## Unreleased

- not yet

## 0.2.0 - 2026-11-23

### Added

- `one` & **two**

## 0.1.0 - 2026-11-01

- the first
"""


def read(base: str) -> ElementTree.Element:
    return ElementTree.fromstring(feed.feed(list(feed.releases(TEXT)), "Book", "Authors", base))


def test_each_release_is_an_entry_and_what_is_not_released_is_none() -> None:
    found = read("https://books/b/")
    entries = found.findall("a:entry", ATOM)
    assert [each.findtext("a:title", None, ATOM) for each in entries] == ["Book 0.2.0", "Book 0.1.0"]
    assert found.findtext("a:updated", None, ATOM) == "2026-11-23T00:00:00Z"
    assert "<li><code>one</code> &amp; <strong>two</strong></li>" in (entries[0].findtext("a:content", "", ATOM))
    [link] = entries[0].findall("a:link", ATOM)
    assert link.get("href") == "https://books/b/book/changelog.html"


def test_ids_differ_and_stay() -> None:
    first, again, elsewhere = (
        [each.text for each in read(base).iter(f"{{{ATOM['a']}}}id")] for base in ("", "", "https://books/b/")
    )
    assert len(set(first)) == 3
    assert first == again
    assert set(first).isdisjoint(elsewhere)
    assert not read("").findall(".//a:link", ATOM), "a book that is hosted nowhere has no address"


def test_the_projects_own_changelog_has_releases() -> None:
    text = (Path(__file__).parents[2] / feed.CHANGELOG).read_text("utf-8")
    found = list(feed.releases(text))
    assert found == sorted(found, key=lambda each: each.day, reverse=True)
    assert "0.9.0" in [each.version for each in found]
    assert all(each.text for each in found)
