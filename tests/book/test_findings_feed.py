"""What chapters find as an Atom feed: dated by their last trial, under names that stay."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from benchbook.book.pages import findings_feed

ATOM = {"a": "http://www.w3.org/2005/Atom"}


def lesson(chapter: str, until: str) -> dict[str, Any]:
    said = {"note": "004", "outcome": "holds", "said": "it is < 2 times as fast", "seen": "it is 1.6 [1.5, 1.7]"}
    basis = {"until": until, "engine": "Engine 1.2"} if until else {}
    return {"chapter": chapter, "title": f"{chapter} helps", "advice": "Do.", "findings": [said], "basis": basis}


def read(*lessons: dict[str, Any], base: str = "https://books.example/b/") -> ElementTree.Element:
    return ElementTree.fromstring(findings_feed.feed(findings_feed.dated(lessons), "Book", "Authors", base))


def names(feed: ElementTree.Element) -> list[str | None]:
    return [each.findtext("a:id", None, ATOM) for each in feed.findall("a:entry", ATOM)]


def test_each_measured_chapter_is_an_entry_of_the_day_of_its_last_trial_the_newest_first() -> None:
    found = read(lesson("b", "2026-11-02"), lesson("c", ""), lesson("a", "2026-11-02"), lesson("d", "2026-11-09"))
    entries = found.findall("a:entry", ATOM)
    assert [each.findtext("a:title", None, ATOM) for each in entries] == ["d helps", "a helps", "b helps"]
    assert entries[0].findtext("a:updated", None, ATOM) == "2026-11-09T00:00:00Z"
    assert found.findtext("a:updated", None, ATOM) == "2026-11-09T00:00:00Z"
    assert entries[0].find("a:link", ATOM).get("href") == "https://books.example/b/book/chapters/d.html"
    content = entries[0].findtext("a:content", "", ATOM)
    assert (
        "<p>Holds:</p><ul><li>Note 004 says that it is &lt; 2 times as fast: it is 1.6 [1.5, 1.7].</li></ul>" in content
    )
    assert "Measured up to 2026-11-09 with Engine 1.2." in content


def test_an_entry_keeps_its_name_when_its_chapter_is_measured_again() -> None:
    [before], [after] = names(read(lesson("lru", "2026-11-02"))), names(read(lesson("lru", "2026-12-01")))
    assert before == after == "tag:books.example,2026:findings/lru"
    assert names(read(lesson("lru", "2026-11-02"), base="")) == ["tag:benchbook.invalid,2026:findings/lru"]
    assert not read(lesson("lru", "2026-11-02"), base="").findall(".//a:link", ATOM), "it has no address"
