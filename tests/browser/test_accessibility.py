"""Every page of the book under axe-core: no serious or critical finding, light and dark, on a desk and on a phone."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest

pytestmark = pytest.mark.browser

VIEWS = [("light", 1280), ("dark", 1280), ("light", 400), ("dark", 400)]
ROWS = 20
"""Of each table in all views but the first, which has every row: those further down are made alike."""


@pytest.mark.parametrize(("scheme", "width"), VIEWS)
def test_no_page_has_a_serious_finding(reader: Any, findings: Any, scheme: str, width: int) -> None:
    found = {}
    for name in ("search.html", "genindex.html", *reader.book.pages):
        page = reader.open(name, scheme=scheme, width=width).page
        found[name] = findings(page, rows=None if (scheme, width) == VIEWS[0] else ROWS)
        page.context.close()
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_no_page_of_a_figure_has_a_serious_finding(reader: Any, findings: Any) -> None:
    folder = reader.book.folder
    names = sorted(path.relative_to(folder).as_posix() for path in folder.glob("figures/**/*.html"))
    assert names
    found = {}
    for name, (scheme, width) in zip(names, cycle(VIEWS), strict=False):
        page = reader.open(name, scheme=scheme, width=width).page
        found[name] = findings(page)
        page.context.close()
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_two_runs_laid_over_each_other_have_no_serious_finding(reader: Any, findings: Any) -> None:
    page = reader.open("book/runs.html").page
    page.locator("select[name=first]").select_option(index=0)
    page.locator("select[name=second]").select_option(index=1)
    page.wait_for_selector(".benchbook-compared table")
    assert findings(page) == []


@pytest.mark.parametrize(
    ("damage", "rule"),
    [
        ("<button></button>", "button-name"),
        ("<p style='color: #aaa; background: #fff'>Pale words on white</p>", "color-contrast"),
        ("<img src='data:,'>", "image-alt"),
        ("<details><summary>a</summary><select><option>b</option></select></details>", "select-name"),
    ],
)
def test_a_page_that_was_spoiled_is_found_out(reader: Any, findings: Any, damage: str, rule: str) -> None:
    page = reader.open("book/glossary.html").page
    page.evaluate("html => document.querySelector('article').insertAdjacentHTML('beforeend', html)", damage)
    assert any(f": {rule}: " in line for line in findings(page))
