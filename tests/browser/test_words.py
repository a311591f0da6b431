"""What no page says: names from inside the program, and words that a native technical writer would not choose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from bs4 import BeautifulSoup

pytestmark = pytest.mark.browser

COPIED = "pre, code, script, style, svg, noscript, cite, .benchbook-drawing, .benchbook-citation"
"""What a reader copies, or a machine reads."""
QUOTED = re.compile(r"“[^”]*”")
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
NAMES = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b")
"""As parameters, metrics and configurations are called in the program."""


def texts(book: Any) -> Iterator[tuple[str, str]]:
    """Each page and what it says in its own words, quotations left out."""
    for name in book.pages:
        article = BeautifulSoup((book.folder / name).read_text("utf-8"), "html.parser").find("article")
        if article is None:
            continue
        for part in article.select(COPIED):
            part.decompose()
        yield name, QUOTED.sub("“…”", " ".join(article.get_text(" ").split()))


def around(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - 40) : match.end() + 40]


def test_pages_use_the_words_of_a_native_technical_writer(built_book: Any) -> None:
    found = [
        f"{name}: “{around(text, match)}”: {instead}"
        for name, text in texts(built_book)
        for pattern, instead in INSTEAD.items()
        for match in re.finditer(rf"\b(?:{pattern})(?!\w)", text, re.IGNORECASE)
    ]
    assert found == []


def test_names_from_inside_the_program_are_set_as_code_or_are_words(built_book: Any) -> None:
    found = [
        f"{name}: {match.group()} in “{around(text, match)}”"
        for name, text in texts(built_book)
        for match in NAMES.finditer(text)
    ]
    assert found == []


def test_percent_has_one_style(built_book: Any) -> None:
    found = [
        f"{name}: “{around(text, match)}”" for name, text in texts(built_book) for match in re.finditer(r"\d%", text)
    ]
    assert found == []
