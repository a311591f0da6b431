"""A notebook's tables with one row of headings, whose cells say what they head, and the book's typography."""

from bs4 import BeautifulSoup, Tag
from docutils import nodes
from sphinx.application import Sphinx

from benchbook.book.parts import typography

STACKED = "benchbook-stacked"
"""Class of a table whose rows become blocks of lines on a phone."""
SENTENCE = 80
"""Characters from which a cell needs the width of a phone for itself."""
_MARK = 'class="dataframe"'


def one_row_of_headings(html: str) -> str:
    """Pandas' HTML with the names of the index beside those of the columns, not in a row of their own below them.

    Cells of headings get their scope, for readers that speak. A table that is made otherwise stays as it is.
    """
    soup = BeautifulSoup(html, "html.parser")
    for frame in soup.select("table.dataframe"):
        _merge_headings(frame)
        _name_cells(frame)
        for name, scope in (("thead", "col"), ("tbody", "row")):
            for cell in frame.select(f"{name} th"):
                cell["scope"] = "rowgroup" if name == "tbody" and cell.get("rowspan") else scope
        for text in frame.find_all(string=True):
            text.replace_with(typography.rounded(typography.spaced(text)))
    return str(soup)


def _merge_headings(frame: Tag) -> None:
    rows = frame.select("thead > tr")
    if len(rows) < 2:
        return
    columns, names = (row.find_all("th", recursive=False) for row in rows[-2:])
    index = [cell for cell in names if cell.get_text(strip=True)]
    width = len(index)
    if names[:width] != index or len(columns) != len(names):
        return
    if any(cell.get_text(strip=True) for cell in columns[:width]):
        return
    for empty, named in zip(columns, index, strict=False):
        empty.replace_with(named)
    rows[-1].decompose()


def _name_cells(frame: Tag) -> None:
    """For a phone, on which rows with whole sentences become blocks of lines: each cell with its heading."""
    if max((len(cell.get_text()) for cell in frame.select("td")), default=0) < SENTENCE:
        return
    frame["class"] = f"dataframe {STACKED}"
    headings = [cell.get_text(strip=True) for cell in frame.select("thead > tr:last-child > th")]
    for row in frame.select("tbody > tr"):
        cells = row.find_all(["th", "td"], recursive=False)
        for heading, cell in zip(headings[-len(cells) :], cells, strict=False):
            if cell.name == "td" and cell.get_text(strip=True):
                cell["data-heading"] = heading


def mend_page(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """The same for every table of a page that is about to be written."""
    for raw in doctree.findall(nodes.raw):
        if raw.get("format") == "html" and _MARK in raw.astext():
            mended = nodes.Text(one_row_of_headings(raw.astext()))
            raw.clear()
            raw += mended
