"""Every page in a real browser: nothing fails, nothing is asked of the network, nothing runs off a phone's screen."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytestmark = pytest.mark.browser

EXTERNAL = re.compile(
    r"""<(?:script|img|iframe|source|embed|object|video|audio|link(?![^>]*rel="canonical"))\b[^>]*"""
    r"""\b(?:src|href|data)\s*=\s*["']?(?:https?:)?//""",
    re.IGNORECASE,
)


# Where the titles of axes and the words of legends begin and end.
TITLES = """() => [
    ...document.querySelectorAll('.benchbook-drawing .xtitle, .benchbook-drawing .legendtext')
].map(text => {
    const { left, right } = text.getBoundingClientRect();
    return { left, right, text: text.textContent };
})"""


def outside(requests: list[str], address: str) -> list[str]:
    return [url for url in requests if not url.startswith((address, "data:", "blob:"))]


def test_every_page_loads_without_complaint_and_asks_nobody_else(reader: Any) -> None:
    assert len(reader.book.pages) >= 7
    drawn = ("book/index.html", *reader.book.chapters)
    for name in ("index.html", "search.html", *reader.book.pages):
        visit = reader.open(name)
        visit.page.wait_for_load_state("networkidle")
        assert visit.complaints == [], name
        assert outside(visit.requests, reader.book.address) == [], name
        assert visit.page.title().strip(), name
        loaded = sum("plotly.min.js" in url for url in visit.requests)
        if name in (*drawn, "book/learned.html", "book/threats.html"):
            assert loaded == (1 if name in drawn else 0), name
        visit.page.context.close()


def test_pages_open_from_the_folder_without_a_server(reader: Any) -> None:
    address = reader.book.folder.as_uri() + "/"
    for name in ("index.html", "book/verdicts.html", "book/runs.html", *reader.book.chapters[:2]):
        visit = reader.open(name, address=address)
        assert visit.complaints == [], name
        assert outside(visit.requests, address) == [], name


def test_no_page_or_style_refers_to_a_script_style_picture_or_font_elsewhere(built_book: Any) -> None:
    for path in built_book.folder.rglob("*.html"):
        assert EXTERNAL.findall(path.read_text("utf-8")) == [], path.name
    for path in built_book.folder.rglob("*.css"):
        text = path.read_text("utf-8")
        assert not re.search(r"""(?:url\(|@import)\s*["']?(?:https?:)?//""", text), path.name


def test_no_page_runs_off_a_phones_screen_and_no_title_of_an_axis(reader: Any) -> None:
    for name in reader.book.pages:
        page = reader.open(name, width=400).page
        assert page.evaluate("document.documentElement.scrollWidth") <= 400, name
        for text in page.evaluate(TITLES):
            assert text["left"] >= 0, text
            assert text["right"] <= 400, text
        page.context.close()


def test_the_front_page_says_what_was_found_and_leads_from_its_figure_to_the_chapter(reader: Any) -> None:
    page = reader.open("book/index.html").page
    assert re.search(r"\d+ claims?: ", page.inner_text("p.benchbook-summary"))
    said = page.inner_text(".benchbook-lesson >> nth=0")
    assert re.search(r"^That .*\d \[.*\]", said, re.MULTILINE), "a claim beside its number with an interval"
    drawing = page.locator(".benchbook-drawing")
    assert drawing.count() == 1
    identity = drawing.get_attribute("data-figure")
    assert page.locator(f"#{identity}").count() == 0, "the figure itself stands in its chapter"
    page.locator("p.benchbook-again a").click()
    page.wait_for_url(f"**#{identity}")
    assert page.locator(f"figure#{identity}").count() == 1


def test_the_front_page_is_small_and_tells_of_the_notes_before_its_figure(reader: Any) -> None:
    assert (reader.book.folder / "book" / "index.html").stat().st_size < 1_000_000
    page = reader.open("book/index.html").page
    told = page.locator(".benchbook-lesson").evaluate_all("all => all.map(each => each.getBoundingClientRect().bottom)")
    assert told
    assert max(told) < page.locator(".benchbook-drawing").bounding_box()["y"]
