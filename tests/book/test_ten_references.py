"""The references of ten figures, with the signs that captions have, go through pybtex in one piece."""

from __future__ import annotations

import re
from html import unescape

import pytest
from pybtex import PybtexEngine
from pybtex.database import parse_string

from benchbook.book.records.citation_forms import bibtex
from benchbook.book.records.references import Reference

TITLES = (
    "Hot versus cold keys",
    "P99 is 50 % & more",
    "Pool_size in MiB #1",
    "Cost in $ per month",
    "Means ± 5 %",
    "Latency (µs) – by client",
    "Ratio ≥ 1.25 × baseline",
    "Keys {hot} or }cold",
    r"x^2 ~ y \ z",
    "Größe “quoted”",
)
UNREAD = set("$^\\{}")
"""Signs that are right for LaTeX and that pybtex, writing for other readers, leaves in LaTeX's spelling."""


@pytest.fixture(scope="module")
def bibliography() -> str:
    def reference(number: int, title: str) -> Reference:
        url = f"https://example.org/bench_book/#{number}/fig-{number}.html"
        note = f"Figure fig-{number}, run 0123456789ab-20260101T000000"
        authors = ("The Benchbook authors", "Lovelace, Ada")
        return Reference(f"benchbook-fig-{number}", title, authors, "2026-01-02", "0.1.0", "Benchbook", url, note)

    return "\n".join(bibtex(reference(number, title)) for number, title in enumerate(TITLES))


def compiled(bibliography: str, backend: str) -> str:
    return str(PybtexEngine().format_from_string(bibliography, style="plain", citations=["*"], output_backend=backend))


def test_all_ten_are_entries_with_their_addresses_as_they_are(bibliography: str) -> None:
    entries = parse_string(bibliography, "bibtex").entries
    assert [*entries] == [f"benchbook-fig-{number}" for number in range(10)]
    for number, entry in enumerate(entries.values()):
        assert entry.fields["url"] == f"https://example.org/bench_book/#{number}/fig-{number}.html"
        assert [str(person) for person in entry.persons["author"]] == ["{The Benchbook authors}", "Lovelace, Ada"]


def test_compiled_for_reading_every_title_is_as_it_was(bibliography: str) -> None:
    page = unescape(re.sub(r"<[^>]*>", "", compiled(bibliography, "html")))
    flat = re.sub(r"\s+", " ", page.replace("\u00a0", " "))
    for number, title in enumerate(TITLES):
        if not set(title) & UNREAD:
            assert f"{title}." in flat
        assert f"https://example.org/bench_book/#{number}/fig-{number}.html" in flat


def test_compiled_for_latex_no_sign_is_left_that_latex_reads_as_its_own(bibliography: str) -> None:
    text = compiled(bibliography, "latex")
    assert text.count(r"\bibitem") == 10
    bare = re.sub(r"\\url{[^}]*}", "", text)
    assert not re.search(r"(?<!\\)[$^%#&_]", bare)
    assert bare.count("{") == bare.count("}")
