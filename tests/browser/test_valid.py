"""Every page is HTML as its standard has it, in what the book, its theme and its notebooks could get wrong."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from bs4 import BeautifulSoup

pytestmark = pytest.mark.browser

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
BLOCKS = ("p", "div", "ul", "ol", "table", "pre")


def problems(page: BeautifulSoup) -> Iterator[str]:
    yield from (f"an empty {each.name}" for each in page.find_all(HEADINGS) if not each.get_text(strip=True))
    for outer in ("summary", "p", "span", "a > span"):
        yield from (
            f"a block stands in {outer}: {each}" for each in page.select(", ".join(f"{outer} {b}" for b in BLOCKS))
        )
    if (number := len(page.select('meta[name="viewport"]'))) != 1:
        yield f"{number} viewports"
    found = Counter(str(each["id"]) for each in page.find_all(id=True))
    yield from (f"{number} times the id {name!r}" for name, number in found.items() if number > 1 or not name.split())
    yield from (f"a style stands in the text: {each}" for each in page.select("article style"))
    if (number := len(page.find_all("h1"))) > 1:
        yield f"{number} first headings"


def test_pages_are_valid(built_book: Any) -> None:
    figures = sorted(
        path.relative_to(built_book.folder).as_posix() for path in built_book.folder.glob("figures/*.html")
    )
    found = {}
    for name in (*built_book.pages, *figures[:3], "search.html", "genindex.html"):
        page = BeautifulSoup((built_book.folder / name).read_text("utf-8"), "html.parser")
        if lines := [*problems(page)]:
            found[name] = lines[:10]
    assert found == {}
