"""What no page says: names from inside the program, and words that a native technical writer would not choose."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from bs4 import Tag

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("test_words")]

COPIED = "pre, code, script, style, svg, noscript, .benchbook-drawing, table.benchbook-verdicts details"
"""What a reader copies, or a machine reads; and what the ledger says, which was registered before there were data."""
QUOTED = re.compile(r"“[^”]*”")
WORD = r"\w+"
INSTEAD = {
    r"in order to": "to",
    r"utili[sz]e\w*": "use",
    r"obviously|simply|basically|of course": "leave it out",
    r"aforementioned|herein|whereof|thereof": "this, its",
    r"e\.g\.|i\.e\.|etc\.|resp\.|w\.r\.t\.": "for example, that is, and so on",
    r"leans? (?:to|is)|number leans": "the estimate points to",
    r"cannot say": "is too short to decide, does not say",
    r"who cares for|whoever": "anyone who",
    r"is no (?:burden|remedy|proof|evidence)": "does not, is not",
    r"what its name says": "as labelled",
    r"so many blocks": "needs N blocks",
    r"counts in the charges": "limits the charged cost",
    r"gone on with": "continued",
    r"mend(?:ed|s|ing)?": "fix",
    r"law of (?:latency|the latenc\w+)": "distribution",
}
"""A pattern to what to write instead."""
SETTINGS = {"shared_buffers", "dirty_background_bytes"}
"""Names from inside that are names of settings of PostgreSQL or the kernel too."""


@pytest.fixture(scope="module")
def articles(built_book: Any) -> dict[str, Tag]:
    """What each page says in its own words; reading them all takes long, and no test changes them."""
    found = {name: article for name in built_book.pages if (article := built_book.html(name).find("article"))}
    for article in found.values():
        for part in article.select(COPIED):
            part.decompose()
    return found


def texts(articles: dict[str, Tag], parts: str = "") -> Iterator[tuple[str, str]]:
    """Each page and its words, quotations left out. parts: a selector, by default all of it."""
    for name, article in articles.items():
        for text in article.select(parts) if parts else [article]:
            yield name, QUOTED.sub("“…”", " ".join(text.get_text(" ").split()))


def around(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - 40) : match.end() + 40]


def test_pages_use_the_words_of_a_native_technical_writer(articles: dict[str, Tag]) -> None:
    found = [
        f"{name}: “{around(text, match)}”: {instead}"
        for name, text in texts(articles)
        for pattern, instead in INSTEAD.items()
        for match in re.finditer(rf"\b(?:{pattern})(?!\w)", text, re.IGNORECASE)
        if name != "book/changelog.html"
    ]
    assert found == []


def inside(book: Any) -> set[str]:
    """Names of chapters, configurations and metrics, as the program writes them."""
    found: set[str] = set()
    for path in Path(book.root / "data" / "published").glob("*/*/trials.parquet"):
        with pq.ParquetFile(path) as file:
            arms = file.read(["configuration"])["configuration"].unique().to_pylist()
            found |= {path.parents[1].name, *file.schema_arrow.names, *arms}
    return {name for name in found if "_" in name} - SETTINGS


def candidates(names: set[str]) -> re.Pattern[str]:
    """What to look up among the names: every word, and before it the few names that are more than a word."""
    longer = sorted((name for name in names if not re.fullmatch(WORD, name)), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join([*map(re.escape, longer), WORD])})")


def test_no_page_calls_anything_by_its_name_inside_the_program(built_book: Any, articles: dict[str, Tag]) -> None:
    names = inside(built_book)
    assert len(names) > 100
    pattern = candidates(names)
    found = [
        f"{name}: {match.group()} in “{around(text, match)}”"
        for name, text in texts(articles)
        for match in pattern.finditer(text)
        if match.group() in names and name != "book/changelog.html"
    ]
    assert found == []


def test_percent_has_one_style(articles: dict[str, Tag]) -> None:
    found = [
        f"{name}: “{around(text, match)}”"
        for name, text in texts(articles, "p, li, figcaption")
        for match in re.finditer(r"\d%", text)
    ]
    assert found == []


def test_no_table_cuts_what_stands_in_a_cell(articles: dict[str, Tag]) -> None:
    found = [f"{name}: {text}" for name, text in texts(articles, "td, th") if text.endswith(("...", "…"))]
    assert found == []
