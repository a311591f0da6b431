"""A chapter and the whole book on paper: dark on white, nothing that asks to be clicked."""

import io
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from looks import to_paper
from pypdf import PdfReader

pytestmark = pytest.mark.browser

A4_POINTS = (595, 842)
SAMPLE = "book/chapters/sample.html"


def brightness(page: Any, selector: str, colour: str = "color") -> float:
    channels = page.evaluate(
        f"getComputedStyle(document.querySelector({selector!r})).{colour}.match(/\\d+/g).slice(0, 3).map(Number)"
    )
    return float(sum(channels) / 3)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_is_white_its_words_are_dark_and_nothing_asks_to_be_opened_or_clicked(reader: Any, scheme: str) -> None:
    page = reader.open(SAMPLE, scheme=scheme).page
    to_paper(page)
    assert re.match(r"\d+\. \w", page.inner_text("article h1")), "the title has its chapter's number"
    assert brightness(page, "article p") < 100
    assert brightness(page, "body", "backgroundColor") > 240
    page.wait_for_function(
        "() => getComputedStyle(document.querySelector('.benchbook-drawing .xtick text')).fill === 'rgb(31, 35, 40)'"
    )
    assert page.locator(".benchbook-take:visible, .modebar:visible, button:visible").count() == 0
    assert page.locator(".benchbook-figure-block details:not([open]):visible").count() == 0
    assert page.locator("article details:not([open]) > :not(summary):visible").count() == 0


def test_after_printing_the_page_is_as_it_was(reader: Any) -> None:
    page = reader.open(SAMPLE, scheme="dark").page
    look = (
        "[document.documentElement.dataset.theme, document.querySelector('.main-svg').getBoundingClientRect().width,"
        " getComputedStyle(document.querySelector('.xtick text')).fill].join()"
    )
    before = page.evaluate(look)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(look) != before
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.wait_for_function(f"() => ({look}) === {before!r}")


def test_a_printed_chapter_holds_its_title_and_captions_and_what_the_reader_opened(reader: Any) -> None:
    page = reader.open(SAMPLE).page
    page.locator("details.benchbook-data > summary").first.click()
    page.emulate_media(media="print")
    assert page.locator("details.benchbook-data table").first.is_visible()
    captions = page.locator("figcaption .caption-text").all_inner_texts()
    text = "".join(sheets(page))
    assert words(page.locator("article h1").inner_text().rstrip("#")) in text
    assert captions
    assert [each for each in captions if words(each)[:40] not in text] == []


@pytest.mark.parametrize("name", [SAMPLE, "book/chapters/io_cliff.html"])
def test_the_first_sheet_holds_a_chapter_s_title_and_its_answer(reader: Any, name: str) -> None:
    page = reader.open(name).page
    page.emulate_media(media="print")
    parts = ["article h1", ".benchbook-answer .benchbook-verdict, article p"]
    if name != SAMPLE:
        parts += [".benchbook-answer li >> nth=0", ".benchbook-answer p.benchbook-again >> nth=0"]
    shown = [page.locator(each).first.inner_text().rstrip("#") for each in parts]
    sheet = sheets(page)[0]
    assert [each for each in shown if words(each)[:60] not in sheet] == []
    assert "Contents" not in sheet


def test_the_first_page_has_its_figures_on_paper_though_nobody_came_to_them(reader: Any) -> None:
    page = reader.open("book/index.html", height=300).page
    page.emulate_media(media="print")
    titles = page.locator(".benchbook-drawing .g-xtitle text").all_text_contents()
    printed = sheets(page)
    assert titles
    assert all(any(words(title) in sheet for sheet in printed) for title in titles)
    assert "OmenDB" in printed[0], "all five notes stand on the first sheet"


def words(text: str) -> str:
    """Without spaces and ligatures: a PDF keeps places and shapes of letters, not words."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def sheets(page: Any) -> list[str]:
    """The words of each sheet on which a browser prints a page."""
    return [words(sheet.extract_text()) for sheet in PdfReader(io.BytesIO(page.pdf(format="A4"))).pages]


@pytest.fixture(scope="module")
def printed(built_book: Any, tmp_path_factory: pytest.TempPathFactory) -> PdfReader:
    """The whole book, as the command prints it."""
    out = tmp_path_factory.mktemp("paper") / "book.pdf"
    command = [sys.executable, "-c", "from benchbook.cli import main; main()", "pdf", "--out", str(out)]
    environment = {**os.environ, "BENCHBOOK_HOME": str(built_book.root)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=3_600)
    assert done.returncode == 0, done.stderr
    assert " MB)" in done.stderr, "its size is told"
    assert list(Path(out.parent).iterdir()) == [out]
    return PdfReader(out)


@pytest.mark.long
@pytest.mark.xdist_group("printed")
@pytest.mark.parametrize("built_book", ["whole"], indirect=True)
def test_the_whole_book_is_printed_on_a4_with_an_outline_and_links_to_its_own_pages(
    built_book: Any, printed: PdfReader
) -> None:
    assert len(printed.pages) > len(built_book.pages)
    for page in printed.pages:
        assert (round(page.mediabox.width), round(page.mediabox.height)) == A4_POINTS
    titles = {words(entry.title) for entry in flat(printed.outline)}
    for name in built_book.pages:
        assert words(built_book.html(name).select_one("article h1").get_text().rstrip("#")) in titles, name
    annotations = [each.get_object() for page in printed.pages for each in page.get("/Annots") or []]
    links = [each for each in annotations if "/Link" in str(each)]
    inner = [link["/Dest"] for link in links if "/Dest" in link]
    assert len(inner) > 10
    assert {str(place) for place in inner if isinstance(place, str)} <= set(printed.named_destinations)
    assert not any("data:" in str(link.get("/A", "")) for link in links), "a table is not an address on paper"


def flat(outline: Any) -> list[Any]:
    return [each for entry in outline for each in (flat(entry) if isinstance(entry, list) else [entry])]


@pytest.mark.long
@pytest.mark.xdist_group("printed")
@pytest.mark.parametrize("built_book", ["whole"], indirect=True)
def test_the_printed_book_holds_every_drawing_and_caption(reader: Any, printed: PdfReader) -> None:
    page = reader.open("book/chapters/sample.html").page
    heading = words(page.locator("article h1").inner_text().rstrip("#"))
    titles = page.locator(".benchbook-drawing .xtitle, .benchbook-drawing .ytitle").all_text_contents()
    captions = page.locator("figcaption .caption-text").all_inner_texts()
    assert titles
    assert captions
    chapter = next(entry for entry in flat(printed.outline) if words(entry.title) == heading)
    missing, text = {words(each)[:40] for each in (*titles, *captions)}, ""
    papers = iter(printed.pages[printed.get_destination_page_number(chapter) :])
    while missing and (paper := next(papers, None)):
        text += words(paper.extract_text())
        missing = {each for each in missing if each not in text}
    assert missing == set()
