"""The book on two sheets: which parts of its pages stand on them, and how large the letters are."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfWriter

from benchbook.book.onefile import summary
from benchbook.errors import BenchbookError

FIRST = """<html lang="en"><head><link rel="stylesheet" href="../_static/a.css"></head><body>
<p class="logo__title">Small</p><article class="bd-article"><section id="small"><h1>Small</h1><p>Before.</p>{story}
<p>A <a href="other.html">line</a>.</p><div class="benchbook-pair">Figures.</div><p>Later.</p></section></article>
</body></html>"""
ADVICE = """<html><body><article class="bd-article"><section id="small"><h1>What to do</h1>
<p>Measure.</p></section></article></body></html>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "book").mkdir()
    (tmp_path / "_static").mkdir()
    for name in ("a.css", "summary.css"):
        (tmp_path / "_static" / name).write_text("p { margin: 0 }")
    (tmp_path / "index.html").write_text('<meta http-equiv="refresh" content="0; url=book/index.html">')
    (tmp_path / "book" / "index.html").write_text(FIRST.format(story='<div class="benchbook-story">Notes.</div>'))
    (tmp_path / summary.ADVICE).write_text(ADVICE)
    return tmp_path


def test_the_first_screen_and_what_to_do_stand_on_it_and_nothing_else(folder: Path) -> None:
    page = summary.compose(folder)(9.5)
    for words in (
        "Before.",
        "Notes.",
        "<span>line</span>",
        "Measure.",
        "font-size: 9.5px",
        "<title>Small: What to do<",
    ):
        assert words in page
    for words in ("Figures.", "Later."):
        assert words not in page
    assert page.count('id="small"') == 1, "ids stay unique"


def test_a_first_page_that_tells_of_no_notes_is_named(folder: Path) -> None:
    (folder / "book" / "index.html").write_text(FIRST.format(story=""))
    with pytest.raises(BenchbookError, match=r"book/index.html .* does not tell of the notes"):
        summary.compose(folder)


def of_pages(number: int) -> bytes:
    writer, made = PdfWriter(), BytesIO()
    for _ in range(number):
        writer.add_blank_page(595, 842)
    writer.write(made)
    return made.getvalue()


def test_the_largest_letters_that_fit_are_taken() -> None:
    asked = []

    def printed(size: float) -> bytes:
        asked.append(size)
        return of_pages(3 if size > 10 else 2)

    assert summary.fitted(printed) == of_pages(2)
    assert asked == [12.0, 11.5, 11.0, 10.5, 10.0]


def test_words_that_do_not_fit_are_not_printed_in_letters_that_nobody_reads() -> None:
    with pytest.raises(BenchbookError, match="take more than 2 pages in letters of 8 pixels"):
        summary.fitted(lambda size: of_pages(3))
