"""A table of a notebook has one row of headings, and each heading says what it heads."""

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document

from benchbook.book.parts import frames

PLAIN = pd.DataFrame({"a": [1, 2], "b": [3, 4]}, index=pd.Index(["x", "y"], name="what"))
TWO_LEVELS = pd.DataFrame({"a": [1, 2]}, index=pd.MultiIndex.from_tuples([("p", "q"), ("p", "r")], names=["u", "v"]))
UNNAMED = pd.DataFrame({"a": [1]})
NO_NAME_BUT_TWO_ROWS = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("p", "q"), ("p", "r")]))


def mended(frame: pd.DataFrame) -> BeautifulSoup:
    return BeautifulSoup(frames.one_row_of_headings(frame.to_html()), "html.parser")


def headings(html: str) -> list[list[str]]:
    rows = BeautifulSoup(html, "html.parser").select("thead > tr")
    return [[cell.get_text(strip=True) for cell in row.find_all("th")] for row in rows]


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (PLAIN, [["what", "a", "b"]]),
        (TWO_LEVELS, [["u", "v", "a"]]),
        (UNNAMED, [["", "a"]]),
        (NO_NAME_BUT_TWO_ROWS, [["", "p"], ["", "q", "r"]]),
        (NO_NAME_BUT_TWO_ROWS.rename_axis("i"), [["", "p"], ["i", "q", "r"]]),
    ],
)
def test_the_name_of_the_index_stands_beside_those_of_the_columns(
    frame: pd.DataFrame, expected: list[list[str]]
) -> None:
    assert headings(frames.one_row_of_headings(frame.to_html())) == expected


def test_no_value_is_lost() -> None:
    for frame in (PLAIN, TWO_LEVELS, UNNAMED, NO_NAME_BUT_TWO_ROWS):
        pages = (BeautifulSoup(frame.to_html(), "html.parser"), mended(frame))
        before, after = ([cell.get_text() for cell in page.select("tbody :is(td, th)")] for page in pages)
        assert before == after != []


def test_headings_say_what_they_head() -> None:
    soup = mended(TWO_LEVELS)
    assert [cell["scope"] for cell in soup.select("thead th")] == ["col"] * 3
    assert [cell["scope"] for cell in soup.select("tbody th")] == ["rowgroup", "row", "row"]


def test_only_tables_of_notebooks_are_touched_on_a_page() -> None:
    page = new_document("page")
    page += nodes.raw("", PLAIN.to_html(), format="html", classes=["output", "text_html"])
    page += nodes.raw("", "<table><thead><tr><th></th></tr><tr><th>a</th></tr></thead></table>", format="html")
    other = page.children[1].astext()
    frames.mend_page(None, page, "page")  # type: ignore[arg-type]
    assert headings(page.children[0].astext()) == [["what", "a", "b"]]
    assert page.children[0]["classes"] == ["output", "text_html"], "by which the page's style knows it"
    assert page.children[1].astext() == other


def test_a_table_with_sentences_names_its_cells_for_a_phone_and_one_with_numbers_does_not() -> None:
    words = pd.DataFrame({"n": [1], "what": ["word " * 20]}, index=pd.Index(["x"], name="claim"))
    soup = mended(words)
    assert frames.STACKED in soup.table["class"]
    assert [cell.get("data-heading") for cell in soup.select("tbody th, td")] == [None, "n", "what"]
    numbers = mended(PLAIN)
    assert frames.STACKED not in numbers.table["class"]
    assert not numbers.select("[data-heading]")


def test_cells_are_written_as_the_text_around_them() -> None:
    soup = mended(pd.DataFrame({"the note's": ["97.5%"]}))
    assert [cell.get_text() for cell in soup.select("thead th, td")] == ["", "the note\u2019s", "97.5\u00a0%"]
