"""The figures of an open page: drawn in their place, numbered, captioned, described, and with their data."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

# Of every figure at once, for a chapter has many. outer: its place without the room above, which its buttons have.
# drawn: marks that take up room on the page, which are points, lines, bars, or a canvas. left_out: labels of ticks that
# plotly has hidden, or that the edge of the drawing cuts.
FIGURES = """() => [...document.querySelectorAll('figure.benchbook-figure')].map(figure => {
  const box = figure.querySelector('.benchbook-drawing');
  const size = each => { const { width, height } = each.getBoundingClientRect(); return [width, height]; };
  const { left, right } = box.getBoundingClientRect();
  const cut = label => {
    const place = label.getBoundingClientRect();
    return label.style.display === 'none' || place.left < left - 1 || place.right > right + 1;
  };
  const marks = '.trace path, .trace .point path, .traces path, .bars path, .plot canvas, .cartesianlayer .trace *';
  return {
    id: figure.id,
    drawn: [...box.querySelectorAll(marks)].filter(mark => size(mark)[0] + size(mark)[1] > 2).length,
    left_out: [...box.querySelectorAll('.xtick text, .ytick text')].filter(cut).map(label => label.textContent),
    role: box.getAttribute('role'),
    described: box.getAttribute('aria-label'),
    number: figure.querySelector('.caption-number').innerText,
    caption: figure.querySelector('.caption-text').innerText,
    outer: [box.clientWidth, box.clientHeight - parseFloat(getComputedStyle(box).paddingTop)],
    inner: size(box.querySelector('.benchbook-plot')),
  };
})"""

# As Playwright's own is_visible: styles let it show, and it takes up room.
SEEN = """const seen = each => {
  const { width, height } = each.getBoundingClientRect();
  return each.checkVisibility({ visibilityProperty: true }) && width > 0 && height > 0;
};"""

# Of the data of every figure: whether its table is seen before and after it is unfolded, and how long it is.
DATA = (
    f"() => {{ {SEEN}"
    """ return [...document.querySelectorAll('.benchbook-figure-block')].map(block => {
  const folds = [...block.querySelectorAll('details')];
  const fold = folds.find(each => each.querySelector('summary').textContent.trim() === 'Data behind this figure');
  const table = fold.querySelector('table');
  const before = seen(table);
  fold.open = true;
  return { before, after: seen(table), rows: table.querySelectorAll('tbody tr').length,
           source: block.querySelector('p.benchbook-source code').innerText };
}); }"""
)


def problems(page: Any) -> Iterator[str]:
    """What is wrong with the figures themselves."""
    found = page.evaluate(FIGURES)
    if not found:
        yield "it is a chapter without figures"
    for figure in found:
        wrong = {
            "has no marks": figure["drawn"] <= 0,
            f"leaves out {figure['left_out']}": figure["left_out"],
            "is an image, which may hold no buttons, and a drawing has some": figure["role"] != "group",
            "is not described": len(figure["described"]) <= 10,
            f"has the number {figure['number']!r}": not re.match(r"Figure \d+\.\d+", figure["number"]),
            "has no caption": len(figure["caption"]) <= 10,
            "leaves its place": figure["inner"] != pytest.approx(figure["outer"], abs=1),
        }
        yield from (f"{figure['id']} {words}" for words, bad in wrong.items() if bad)


def problems_of_their_data(page: Any) -> Iterator[str]:
    """The first table is unfolded by a click, as a reader does it; all others at once."""
    block = page.locator(".benchbook-figure-block").first
    data = block.locator("details", has=page.get_by_text("Data behind this figure", exact=True))
    table = data.locator("table")
    if table.is_visible():
        yield "the data of its first figure are not folded"
    data.locator("summary").click()
    if not table.is_visible():
        yield "a click does not unfold the data of its first figure"
    if table.locator("tbody tr").count() == 0:
        yield "the data of its first figure are empty"
    if not block.locator("p.benchbook-source code").first.inner_text().startswith("fig-"):
        yield "its first figure is not named below"
    for other in page.evaluate(DATA)[1:]:
        identity = other["source"]
        if other["before"] or not other["after"]:
            yield f"the data of {identity} are not unfolded"
        if other["rows"] <= 0:
            yield f"the data of {identity} are empty"
        if not identity.startswith("fig-"):
            yield f"a figure is called {identity}"
