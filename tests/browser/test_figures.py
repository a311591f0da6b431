"""Every figure in a real browser: drawn, numbered, described, with its data, in light and dark and without scripts."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytestmark = pytest.mark.browser

# Of every figure at once, for a chapter has many. drawn: marks that take up room on the page, which are points, lines,
# bars, or a canvas. left_out: labels of ticks that plotly has hidden, or that the edge of the drawing cuts.
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
    outer: size(box),
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

WITHOUT_SCRIPTS = (
    f"() => {{ {SEEN}"
    """ return [...document.querySelectorAll('.benchbook-figure-block')].map(block => {
  const box = block.querySelector('.benchbook-drawing');
  return { role: box.getAttribute('role'), described: box.getAttribute('aria-label'), shown: box.innerText,
           caption: seen(block.querySelector('figcaption')) };
}); }"""
)


def test_every_figure_is_drawn_in_its_place_numbered_captioned_described_and_has_its_data(reader: Any) -> None:
    ids: list[str] = []
    for name in reader.book.chapters:
        page = reader.open(name).page
        found = page.evaluate(FIGURES)
        assert found, "a chapter without figures"
        for figure in found:
            ids.append(figure["id"])
            is_drawn_numbered_captioned_and_described(figure)
        unfolds_its_data_at_a_click(page)
        have_their_data_folded(page.evaluate(DATA)[1:])
        page.context.close()
    assert len(set(ids)) == len(ids)


def is_drawn_numbered_captioned_and_described(figure: dict[str, Any]) -> None:
    identity = figure["id"]
    assert figure["drawn"] > 0, identity
    assert figure["left_out"] == [], identity
    assert figure["role"] == "group", "an image may hold no buttons, and a drawing has some"
    assert len(figure["described"]) > 10, identity
    assert re.match(r"Figure \d+\.\d+", figure["number"]), identity
    assert len(figure["caption"]) > 10, identity
    assert figure["inner"] == pytest.approx(figure["outer"], abs=1), f"{identity} leaves its place"


def have_their_data_folded(others: list[dict[str, Any]]) -> None:
    for data in others:
        assert not data["before"]
        assert data["after"]
        assert data["rows"] > 0
        assert data["source"].startswith("fig-")


def unfolds_its_data_at_a_click(page: Any) -> None:
    block = page.locator(".benchbook-figure-block").first
    data = block.locator("details", has=page.get_by_text("Data behind this figure", exact=True))
    table = data.locator("table")
    assert not table.is_visible()
    data.locator("summary").click()
    assert table.is_visible()
    assert table.locator("tbody tr").count() > 0
    assert block.locator("p.benchbook-source code").first.inner_text().startswith("fig-")


def test_figures_follow_the_theme_button_without_reloading(reader: Any) -> None:
    page = reader.open(reader.book.chapters[0]).page
    colour = "getComputedStyle(document.querySelector('.benchbook-drawing .xtick text')).fill"
    grid = "getComputedStyle(document.querySelector('.benchbook-drawing .gridlayer path')).stroke"
    before = page.evaluate(colour), page.evaluate(grid)
    page.evaluate("document.documentElement.dataset.reloaded = 'no'")
    button = page.locator("button.theme-switch-button:visible").first
    for _ in range(2):  # auto, light, dark
        button.click()
        if page.evaluate("document.documentElement.dataset.theme") == "dark":
            break
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.wait_for_function(f"{colour} !== {before[0]!r}")
    assert page.evaluate(grid) != before[1]
    assert page.evaluate("document.documentElement.dataset.reloaded") == "no"


def test_text_of_figures_is_readable_in_both_themes(reader: Any) -> None:
    for scheme, bright in (("light", False), ("dark", True)):
        page = reader.open(reader.book.chapters[0], scheme=scheme).page
        fill = page.evaluate("getComputedStyle(document.querySelector('.benchbook-drawing .xtick text')).fill")
        channels = [int(value) for value in re.findall(r"\d+", fill)[:3]]
        assert (sum(channels) / 3 > 127) == bright, scheme


def test_print_uses_dark_text_on_white_paper(reader: Any) -> None:
    page = reader.open(reader.book.chapters[0], scheme="dark").page
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    fill = "getComputedStyle(document.querySelector('.benchbook-drawing .xtick text')).fill"
    page.wait_for_function(f"{fill} === 'rgb(31, 35, 40)'")


def test_without_scripts_captions_tables_and_alternative_texts_remain(reader: Any) -> None:
    for name in reader.book.chapters:
        page = reader.open(name, scripts=False).page
        blocks = page.evaluate(WITHOUT_SCRIPTS)
        assert blocks, name
        for block in blocks:
            assert block["role"] == "img"
            assert block["described"] in block["shown"]
            assert block["caption"]
        unfolds_its_data_at_a_click(page)
        have_their_data_folded(page.evaluate(DATA)[1:])
        page.context.close()
