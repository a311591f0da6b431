"""Every page of the book under axe-core: no serious or critical finding, light and dark, on a desk and on a phone."""

from __future__ import annotations

import json
from itertools import cycle
from typing import Any

import pytest

pytestmark = pytest.mark.browser

ROWS = 5
"""Of each table in the views that differ little from the first, which has more: those further down are made alike."""
VIEWS = {
    "light": {"scheme": "light", "width": 1280, "rows": 8 * ROWS},
    "dark": {"scheme": "dark", "width": 1280, "rules": ["color-contrast", "link-in-text-block"], "rows": ROWS},
    "phone": {"scheme": "light", "width": 400, "without": ["color-contrast"], "rows": ROWS},
}


def looked_at(reader: Any, findings: Any, name: str, *, scheme: str, width: int, **how: Any) -> list[str]:
    page = reader.open(name, scheme=scheme, width=width).page
    found = findings(page, **how)
    page.context.close()
    return list(found)


@pytest.mark.parametrize("view", VIEWS)
def test_no_page_has_a_serious_finding(reader: Any, findings: Any, view: str) -> None:
    names = ("search.html", "genindex.html", *reader.book.pages)
    found = {name: looked_at(reader, findings, name, **VIEWS[view]) for name in names}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_no_page_of_a_figure_has_a_serious_finding(reader: Any, findings: Any) -> None:
    folder = reader.book.folder
    names = sorted(path.relative_to(folder).as_posix() for path in folder.glob("figures/**/*.html"))
    assert names
    # All are made alike; each chapter's first figure is looked at in one of the views.
    first = {json.loads((folder / name).with_suffix(".metadata.json").read_text())["chapter"]: name for name in names}
    views = cycle(VIEWS.values())
    found = {name: looked_at(reader, findings, name, **next(views)) for name in first.values()}
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
