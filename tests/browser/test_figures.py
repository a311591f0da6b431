"""Every figure in a real browser: drawn, numbered, described, with its data, in light and dark and without scripts."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytestmark = pytest.mark.browser

# Marks of each drawing that take up room on the page: points, lines, bars, or a canvas.
DRAWN = """box => [...box.querySelectorAll(
    '.trace path, .trace .point path, .traces path, .bars path, .plot canvas, .cartesianlayer .trace *'
)].filter(mark => { const r = mark.getBoundingClientRect(); return r.width + r.height > 2; }).length"""

# Labels of ticks that plotly has hidden, or that the edge of the drawing cuts.
LEFT_OUT = """box => {
  const { left, right } = box.getBoundingClientRect();
  return [...box.querySelectorAll('.xtick text, .ytick text')].filter(label => {
    const place = label.getBoundingClientRect();
    return label.style.display === 'none' || place.left < left - 1 || place.right > right + 1;
  }).map(label => label.textContent);
}"""


def figures(page: Any) -> Any:
    found = page.locator("figure.benchbook-figure").all()
    assert found, "a chapter without figures"
    return found


def test_every_figure_is_drawn_in_its_place_numbered_captioned_described_and_has_its_data(reader: Any) -> None:
    ids: list[str] = []
    for name in reader.book.chapters:
        page = reader.open(name).page
        for figure in figures(page):
            ids.append(figure.get_attribute("id"))
            is_drawn_numbered_captioned_and_described(figure, ids[-1])
            stays_in_its_place(figure)
        for block in page.locator(".benchbook-figure-block").all():
            unfolds_its_data(page, block)
        page.context.close()
    assert len(set(ids)) == len(ids)


def is_drawn_numbered_captioned_and_described(figure: Any, identity: str) -> None:
    box = figure.locator(".benchbook-drawing")
    assert box.evaluate(DRAWN) > 0, identity
    assert box.evaluate(LEFT_OUT) == [], identity
    assert box.get_attribute("role") == "group", "an image may hold no buttons, and a drawing has some"
    assert len(box.get_attribute("aria-label")) > 10, identity
    assert re.match(r"Figure \d+\.\d+", figure.locator(".caption-number").inner_text()), identity
    assert len(figure.locator(".caption-text").inner_text()) > 10, identity


def stays_in_its_place(figure: Any) -> None:
    box = figure.locator(".benchbook-drawing")
    outer, inner = box.bounding_box(), box.locator(".benchbook-plot").bounding_box()
    assert inner["height"] == pytest.approx(outer["height"], abs=1)
    assert inner["width"] == pytest.approx(outer["width"], abs=1)


def unfolds_its_data(page: Any, block: Any) -> None:
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
        for block in page.locator(".benchbook-figure-block").all():
            described = block.locator(".benchbook-drawing")
            assert described.get_attribute("role") == "img"
            assert described.get_attribute("aria-label") in described.inner_text()
            assert block.locator("figcaption").is_visible()
            data = block.locator("details", has=page.get_by_text("Data behind this figure", exact=True))
            data.locator("summary").click()
            assert data.locator("table").is_visible()
