"""Under axe-core: what is not a page by itself, and pages that were spoiled; the others are in test_rendered_pages."""

import json
from itertools import cycle
from typing import Any

import pytest

pytestmark = pytest.mark.browser

VIEWS = ({"scheme": "light"}, {"scheme": "dark"}, {"width": 400})


def test_no_page_of_a_figure_has_a_serious_finding(reader: Any, findings: Any) -> None:
    """All are made alike: the first of a chapter for each view, spread over the book; of all if it is whole."""
    folder = reader.book.folder
    names = reader.book.figures
    assert names
    first = {json.loads((folder / name).with_suffix(".metadata.json").read_text())["chapter"]: name for name in names}
    wanted = len(first) if reader.book.whole else len(VIEWS)
    looked_at = [*first.values()][:: max(1, len(first) // wanted)]
    assert len(looked_at) >= wanted
    found = {name: findings(reader.open(name, **view).page) for name, view in zip(looked_at, cycle(VIEWS))}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_pale_word_in_the_last_of_many_rows_is_found_out(reader: Any, findings: Any) -> None:
    page = reader.open("book/glossary.html").page
    rows = "<tr><td>word</td></tr>" * 300 + "<tr><td style='color: #aaa; background: #fff'>pale</td></tr>"
    table = f"<table><tbody>{rows}</tbody></table>"
    page.evaluate("html => document.querySelector('article').insertAdjacentHTML('beforeend', html)", table)
    assert [line for line in findings(page, others=False) if ": color-contrast: " in line]
